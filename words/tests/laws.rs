//! What holds of any text and any examples.

use std::sync::LazyLock;

use proptest::prelude::*;
use words::languages::{english_name, named, wished};
use words::sentences::{sentences, without};
use words::set::Set;
use words::{
    Features, Head, HeadError, Synonyms, WordTable, folded, is_ideographic, simplified, train_head,
};

fn small() -> Set {
    let rows = [
        "bigger letters\tchange\tlooks",
        "字大一点\tchange\tlooks",
        "make the font larger\tchange\tlooks",
        "shorter please\tchange\ttext",
        "这段太长\tchange\ttext",
        "cut the second paragraph\tchange\ttext",
        "hello there\ttalk\t-",
        "谢谢\ttalk\t-",
    ];
    let text = format!("message\tintent\ttarget\n{}", rows.join("\n"));
    Set::read(&text).expect("a set")
}

static HEAD: LazyLock<Head> = LazyLock::new(|| train_head(&small(), &Synonyms::default()));

fn all(_: &str) -> bool {
    true
}

#[test]
fn the_same_examples_give_the_same_bytes() {
    let bytes = train_head(&small(), &Synonyms::default()).bytes();
    assert_eq!(train_head(&small(), &Synonyms::default()).bytes(), bytes);
    let head = Head::read(&bytes).expect("a head");
    assert_eq!(head.bytes(), bytes);
    let likely = |text: &str| {
        let chances = head.probabilities(&Features::of(text, &[], &Synonyms::default()), all);
        let first = (0..chances.len()).max_by(|a, b| chances[*a].total_cmp(&chances[*b]));
        head.classes()[first.expect("a class")].clone()
    };
    assert_eq!(likely("larger letters"), "change:looks");
    assert_eq!(likely("太长了"), "change:text");
    assert_eq!(likely("hello"), "talk");
}

#[test]
fn a_set_says_what_is_wrong_with_it() {
    let error = |text: &str| Set::read(text).expect_err(text).to_string();
    assert_eq!(
        error("intent\nnew"),
        "the first row names no column `message`"
    );
    assert_eq!(
        error("message\tintent\nhello"),
        "row 2 has 1 cells, and the first row 2"
    );
}

#[test]
fn words_of_a_class_stand_for_each_other() {
    let synonyms =
        Synonyms::read("# remark\nwrite*\tact\npen\tact\nlast page\tend\n末页\tend\n页\tpart\n");
    let features = |text: &str| Features::of(text, &[], &synonyms);
    let none = |text: &str| Features::of(text, &[], &Synonyms::default());
    for (text, classes) in [
        ("pen it", 1),
        ("writes it", 1),
        ("the last page", 1),
        ("末页", 1),
        ("open", 0),
    ] {
        let more = features(text) != none(text);
        assert_eq!(more, classes > 0, "{text}");
    }
}

#[test]
fn folding_makes_one_of_what_means_the_same() {
    assert_eq!(
        folded("  ＰＡＧＥ　３ \n “請把標題改短”  "),
        "page 3 \"请把标题改短\""
    );
    assert_eq!(simplified('課'), '课');
    assert_eq!(simplified('あ'), 'あ');
    for c in ['汉', 'か', 'カ', 'ไ', 'ㄅ'] {
        assert!(is_ideographic(c), "{c}");
    }
    for c in ['a', '한', '1', 'é', '，'] {
        assert!(!is_ideographic(c), "{c}");
    }
}

#[test]
fn a_language_is_known_by_its_name_in_any_language() {
    let tags = |text: &str| -> Vec<&str> { named(text).iter().map(|name| name.tag).collect() };
    for (text, tag) in [
        ("in Portuguese", "pt"),
        ("en PORTUGUES", "pt"),
        ("auf Englisch", "en"),
        ("po polsku", "pl"),
        ("suomeksi", "fi"),
        ("magyarul", "hu"),
        ("на русском", "ru"),
        ("בעברית", "he"),
        ("بالعربية", "ar"),
        ("영어로", "en"),
        ("用日语做", "ja"),
        ("請用日文", "ja"),
        ("フランス語で", "fr"),
        ("เป็นภาษาญี่ปุ่น", "ja"),
        ("繁體中文版", "zh-Hant"),
        ("in Brazilian Portuguese", "pt-BR"),
        ("in pt-BR, please", "pt-BR"),
        ("text in de-LI", "de"),
    ] {
        assert_eq!(tags(text), [tag], "{text}");
    }
    for text in ["wine in Germany", "to be or not to be", "12", ""] {
        assert_eq!(tags(text), [""; 0], "{text}");
    }
    assert_eq!(english_name("nb"), Some("Norwegian Bokmål"));
    assert_eq!(english_name("tlh"), None);
}

proptest! {
    #[test]
    fn names_stand_in_any_text_one_behind_the_other(text in any::<String>(), behind in "[a-zé ]{0,9}", at in 0_usize..40) {
        let names = ["german", "中文", "po polsku", "영어로", "เป็นภาษาญี่ปุ่น", "हिन्दी", "ー", "ال"];
        let text = format!("{text}{}{behind}", names[at % names.len()]);
        let mut last = 0;
        for name in named(&text) {
            prop_assert!(last <= name.begin && !text[name.begin..name.end].is_empty());
            last = name.end;
        }
        wished(&text);
    }

    #[test]
    fn sentences_have_all_of_a_text_but_the_space_between_them(text in r#"([.!?。！？…၊۔"”’)» \n]|Dr|J|etc|[0-9a-zA-Z]|走|\PC){0,40}"#) {
        let found = sentences(&text);
        let mut end = 0;
        for at in &found {
            prop_assert!(text[end..at.start].trim().is_empty());
            prop_assert!(!at.is_empty() && text[at.clone()].trim() == &text[at.clone()]);
            end = at.end;
        }
        prop_assert!(text[end..].trim().is_empty());
        let (kept, left_out) = without(&text, |_| false);
        prop_assert_eq!((kept, left_out), (text.clone(), vec![]));
        let (_, left_out) = without(&text, |_| true);
        prop_assert_eq!(left_out.len(), found.len());
    }

    #[test]
    fn any_text_has_probabilities(text in any::<String>(), context in "[a-z=]{0,12}") {
        let head = &*HEAD;
        let chances = head.probabilities(&Features::of(&text, &[&context], &Synonyms::default()), all);
        prop_assert!((chances.iter().sum::<f64>() - 1.0).abs() < 1e-9);
        prop_assert!(chances.iter().all(|chance| (0.0..=1.0).contains(chance)));
        let some = head.probabilities(&Features::of(&text, &[], &Synonyms::default()), |class| class != "talk");
        prop_assert_eq!(some[head.class("talk").expect("a class")], 0.0);
        if let Some(found) = words::subject(&text) {
            prop_assert!(!text[found.begin..found.end].is_empty());
        }
    }

    #[test]
    fn folding_twice_is_folding_once(text in any::<String>()) {
        let once = folded(&text);
        prop_assert_eq!(folded(&once), once);
    }

    #[test]
    fn damaged_bytes_are_an_error_or_another_head(at in 0_usize..4000, byte in any::<u8>(), cut in 0_usize..4000) {
        let mut bytes = HEAD.bytes();
        let at = at % bytes.len();
        bytes[at] = byte;
        if let Ok(head) = Head::read(&bytes) {
            let chances = head.probabilities(&Features::of("shorter", &[], &Synonyms::default()), all);
            prop_assert_eq!(chances.len(), head.classes().len());
        }
        bytes.truncate(cut % bytes.len());
        prop_assert!(Head::read(&bytes).is_err());
        prop_assert_eq!(Head::read(b"PNG"), Err(HeadError::Magic));
    }
}

static TABLE: LazyLock<WordTable> = LazyLock::new(|| {
    WordTable::read(
        "# colours\nblue\tzh\t蓝色\nblue\tfi\tsini*\ncyan\tzh\t蓝绿色\ngo\ten\tgo on|go\n",
    )
});

#[test]
fn words_of_a_table_are_whole_words_and_the_longest_ones() {
    let classes = |text: &str| -> Vec<(&str, String)> {
        let text = folded(text);
        let found = TABLE.found(&text).into_iter();
        let all = found.map(|word| (word.class, text[word.begin..word.end].to_owned()));
        all.collect()
    };
    let of = |class, word: &str| (class, word.to_owned());
    assert_eq!(
        classes("换成藍色，go  on"),
        [of("blue", "蓝色"), of("go", "go on")]
    );
    assert_eq!(
        classes("蓝绿色 sinistä ergo"),
        [of("cyan", "蓝绿色"), of("blue", "sinistä")]
    );
    assert_eq!(TABLE.list("go"), ["go on", "go"]);
    assert!(TABLE.list("red").is_empty() && !TABLE.has("going", "go"));
}

proptest! {
    #[test]
    fn words_of_a_table_stand_where_they_are_said_to(text in "[蓝绿色 a-zé|\\pL]{0,40}") {
        let text = folded(&text);
        let mut before = 0;
        for word in TABLE.found(&text) {
            prop_assert!(word.begin >= before && word.begin < word.end);
            prop_assert!(text.get(word.begin..word.end).is_some());
            before = word.begin;
        }
    }
}

#[test]
fn words_with_any_ending_are_found_in_every_place() {
    let table = words::WordTable::read("one\ten\tdialogue*|loose end*");
    for (text, is_there) in [
        ("polish the dialogue", true),
        ("dialogues, please", true),
        ("tie up each loose end", true),
        ("no loose ends left", true),
        ("a dialog", false),
        ("loosen it", false),
    ] {
        assert_eq!(table.has(text, "one"), is_there, "{text}");
    }
}
