//! Messages of many kinds of people, with what is expected of each.

use serde::Deserialize;

use super::{course, deck, post};
use crate::understanding::rules::{Meaning, Said, Vocabulary, understood};

#[derive(Deserialize)]
struct Message {
    said: String,
    #[serde(rename = "in")]
    pipeline: String,
    after: bool,
    intent: String,
    stages: Vec<String>,
    items: Vec<u32>,
    kind: Option<String>,
    lang: String,
}

fn vocabulary(pipeline: &str) -> (&'static Vocabulary, fn(bool) -> Vec<&'static str>) {
    match pipeline {
        "course" => (course::vocabulary(), |zh| {
            if zh {
                vec![
                    "光合作用入门",
                    "目录",
                    "什么是光合作用",
                    "叶绿体",
                    "光反应",
                    "暗反应",
                    "两个经典实验",
                    "总结",
                ]
            } else {
                vec![
                    "Photosynthesis for beginners",
                    "Overview",
                    "What photosynthesis is",
                    "Chloroplasts",
                    "Light reactions",
                    "Dark reactions",
                    "Two classic experiments",
                    "Summary",
                ]
            }
        }),
        "post" => (post::vocabulary(), |_| vec!["封面", "2", "3"]),
        _ => (deck::vocabulary(), |_| {
            vec!["1", "2", "3", "4", "5", "6", "7", "8", "9", "10"]
        }),
    }
}

fn wrong(message: &Message) -> Option<String> {
    let (vocabulary, titles) = vocabulary(&message.pipeline);
    let titles: Vec<String> = titles(message.lang == "zh")
        .into_iter()
        .map(str::to_owned)
        .collect();
    let said = Said {
        text: &message.said,
        refinable: message.after,
        is_about: false,
        resumable: message.intent == "go_on",
        titles: if message.after { &titles } else { &[] },
    };
    let meaning = understood(&said, vocabulary);
    let is_right = match (&meaning, message.intent.as_str()) {
        (Meaning::New, "new")
        | (Meaning::Talk, "talk")
        | (Meaning::GoOn, "go_on")
        | (Meaning::Undo, "undo") => true,
        (Meaning::Question { places }, "answer") => *places == message.items,
        (Meaning::Change(change), "refine") => {
            let is_ordered = matches!(message.kind.as_deref(), Some("remove" | "move"));
            (is_ordered || message.stages.iter().any(|stage| stage == change.stage))
                && change.items.places == message.items
        }
        _ => false,
    };
    (!is_right).then(|| {
        format!(
            "{} {:?}: {} {:?} {:?}, and not {meaning:?}",
            message.pipeline, message.said, message.intent, message.stages, message.items
        )
    })
}

/// How many of a hundred messages may be misunderstood. Examples were learned from them, so what is tried are the parts that they name.
const WRONG_PERCENT: usize = 5;

#[test]
fn messages_are_understood_with_the_parts_they_name() {
    let text = include_str!("understanding_tests/messages.json");
    let messages: Vec<Message> = serde_json::from_str(text).expect("JSON");
    let wrong: Vec<String> = messages.iter().filter_map(wrong).collect();
    assert!(
        wrong.len() * 100 <= messages.len() * WRONG_PERCENT,
        "{} of {} are misunderstood: {wrong:#?}",
        wrong.len(),
        messages.len()
    );
}

#[test]
fn items_are_named_in_languages_beyond_two() {
    let titles = ["Intro", "A", "B", "C", "D", "End"].map(str::to_owned);
    let named = |vocabulary: &Vocabulary, text: &str| {
        let items = vocabulary.items().expect("items");
        crate::understanding::items::named(text, &items, &titles).places
    };
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
        assert_eq!(named(course::vocabulary(), text), places, "{text}");
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
        let meaning = understood(&said, course::vocabulary());
        assert_ne!(meaning, Meaning::New, "{text}");
    }
    for (text, places) in [
        ("Bild 2 heller", &[2][..]),
        ("la dernière photo est floue", &[6]),
        ("Cambia la imagen 3", &[3]),
        ("Картинка 2 слишком тёмная", &[2]),
    ] {
        assert_eq!(named(post::vocabulary(), text), places, "{text}");
    }
}

#[test]
fn who_only_says_that_it_is_not_right_is_asked_what() {
    let vocabulary = course::vocabulary();
    let meant = |text| {
        let said = Said {
            text,
            refinable: true,
            is_about: false,
            resumable: false,
            titles: &[],
        };
        understood(&said, vocabulary)
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
