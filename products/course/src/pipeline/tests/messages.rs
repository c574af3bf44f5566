//! Messages of many kinds of people, with what is expected of each.

use palimpsest::prelude::pipeline::understanding::items::named;
use palimpsest::prelude::pipeline::understanding::rules::{Meaning, Said, understood};
use palimpsest::prelude::pipeline::understanding::trial::hold_messages;

use crate::pipeline::vocabulary::VOCABULARY;

const TITLES_ZH: [&str; 8] = [
    "光合作用入门",
    "目录",
    "什么是光合作用",
    "叶绿体",
    "光反应",
    "暗反应",
    "两个经典实验",
    "总结",
];
const TITLES_EN: [&str; 8] = [
    "Photosynthesis for beginners",
    "Overview",
    "What photosynthesis is",
    "Chloroplasts",
    "Light reactions",
    "Dark reactions",
    "Two classic experiments",
    "Summary",
];

#[test]
fn messages_are_understood_with_the_parts_they_name() {
    let messages = include_str!("messages.json");
    hold_messages(messages, &VOCABULARY, |language| {
        [TITLES_EN, TITLES_ZH][usize::from(language == "zh")].to_vec()
    });
}

#[test]
fn items_are_named_in_languages_beyond_two() {
    let titles = ["Intro", "A", "B", "C", "D", "End"].map(str::to_owned);
    let items = VOCABULARY.items.expect("items");
    let places_in = |text: &str| named(text, &items, &titles).places;
    for (text, places) in [
        ("Folie 3 bitte kürzer", &[3][..]),
        ("Die letzte Folie ist zu voll", &[6]),
        ("Kürze die Seiten", &[]),
        ("La diapositive 2 est trop chargée", &[2]),
        ("la page 2 et 4 en bleu", &[2, 4]),
        ("Acorta la página 5", &[5]),
        ("Cambia la portada", &[1]),
        ("deixe a página 3 mais curta", &[3]),
        ("Accorcia la pagina 4", &[4]),
        ("Сделай слайд 3 короче", &[3]),
        ("На последнем слайде добавь контакты", &[6]),
        ("Skróć slajd 2", &[2]),
        ("表紙を変えて", &[1]),
        ("5ページ目の文字を大きく", &[5]),
        ("3번 슬라이드 여백을 줄여줘", &[3]),
        ("Rút gọn trang 3", &[3]),
        ("Ringkas halaman 4", &[4]),
    ] {
        assert_eq!(places_in(text), places, "{text}");
    }
    for text in [
        "sur les diapos 2 et 5, aligne le texte à gauche",
        "страница 5: картинку справа",
    ] {
        let said = Said {
            text,
            refinable: true,
            is_about: false,
            resumable: false,
            titles: &titles,
        };
        let meaning = understood(&said, &VOCABULARY);
        assert_ne!(meaning, Meaning::New, "{text}");
    }
}

#[test]
fn who_only_says_that_it_is_not_right_is_asked_what() {
    let meant = |text| {
        let said = Said {
            text,
            refinable: true,
            is_about: false,
            resumable: false,
            titles: &[],
        };
        understood(&said, &VOCABULARY)
    };
    for text in [
        "不满意",
        "我还是不太满意。",
        "这个不行吧",
        "感觉很一般",
        "感觉不对",
        "I don't like it",
        "Hmm, not great.",
        "it is still not what I wanted",
    ] {
        assert_eq!(meant(text), Meaning::Complaint, "{text}");
    }
    for text in [
        "配色不满意",
        "不喜欢第3页",
        "帮我做",
        "I don't like the title",
        "the text is terrible",
        "the cover is bad",
        "全部重做",
    ] {
        assert_ne!(meant(text), Meaning::Complaint, "{text}");
    }
}

#[test]
fn places_are_counted_from_the_end_and_exceptions_taken_from_what_is_named() {
    let titles: Vec<String> = (1..=9).map(|at| format!("title {at}")).collect();
    let items = VOCABULARY.items.expect("items");
    for (text, places) in [
        ("l'avant-derniere diapo est vide, complete la", vec![8]),
        ("popraw slajdy od 4 do 7 oprocz 5", vec![4, 6, 7]),
        ("slides 2 to 6 except 3 and 5", vec![2, 4, 6]),
        ("fix pages 1-4 apart from the second page", vec![1, 3, 4]),
        ("后面几页都改，除了第8页", vec![1, 2, 3, 4, 5, 6, 7, 9]),
        ("後ろから3枚目のスライドに図を入れて", vec![7]),
        ("the third slide from the end is too full", vec![7]),
        ("shorten the third from last slide", vec![7]),
        ("die drittletzte Folie ist leer", vec![7]),
        (
            "la terzultima slide va bene, cambia la penultima diapositiva",
            vec![7, 8],
        ),
        ("trzeci slajd od końca popraw", vec![7]),
        ("третий слайд с конца сделай короче", vec![7]),
        ("два последних слайда сделай проще", vec![8, 9]),
        ("agrega notas solo para la 2 y la 3", vec![2, 3]),
        ("nur 2 und 5 bitte", vec![2, 5]),
        (
            "2. sayfa hariç hepsini kısalt",
            vec![1, 3, 4, 5, 6, 7, 8, 9],
        ),
        ("5쪽이랑 8쪽 글자를 키워줘", vec![5, 8]),
        ("only 3 please", vec![]),
        ("just 2 columns", vec![]),
    ] {
        assert_eq!(named(text, &items, &titles).places, places, "{text}");
    }
}
