//! How sentences are told, and what rules find in them.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::resource::project::{
    Character, Description, Entry, Kept, Project, Standing, What,
};
use proptest::prelude::*;

use super::acts::{acts, is_subject};
use super::numbers::{beginning, ending, span, value};
use super::persons::{deaths, is_near, is_one_off, nicknames, strangers};
use super::{Told, contains};
use crate::readings::book::Book;
use crate::readings::names::{Kind, Names};

fn book(people: &[&str]) -> Book {
    let mut project = Project {
        version: 1,
        description: Description {
            language: "zh".into(),
            ..Description::default()
        },
        ..Project::default()
    };
    for name in people {
        let mut all = name.split('|').map(str::to_owned);
        let character = Character {
            name: all.next().unwrap_or_default(),
            aliases: all.collect(),
            role: "minor".into(),
            ..Character::default()
        };
        let entry = Entry {
            id: (*name).into(),
            standing: Standing::Fact,
            pinned: false,
            what: What::Character(character),
        };
        let kept = Kept {
            entry,
            version: 1,
            created: chrono::DateTime::UNIX_EPOCH,
            changed: chrono::DateTime::UNIX_EPOCH,
        };
        project.entries.insert((*name).into(), kept);
    }
    Book::new(Arc::new(project), BTreeMap::new())
}

fn names() -> Names {
    Names::of(&book(&[
        "林晚|小晚",
        "王五",
        "Mara Bell",
        "Will",
        "Tom Bell",
        "Marcus",
    ]))
}

/// The sentences of a text that simply say something.
fn outright(text: &str) -> Vec<&str> {
    let names = names();
    let told = Told::of(text, &names).expect("it can be read");
    let sentences = told.sentences.iter().filter(|it| it.is_outright());
    sentences.map(|it| &text[it.at.clone()]).collect()
}

fn actors(text: &str) -> Vec<String> {
    let names = names();
    let told = Told::of(text, &names).expect("it can be read");
    let mut found = vec![];
    for sentence in &told.sentences {
        for (who, mention) in told.named(sentence, Kind::Character) {
            if acts(&told, sentence, mention) {
                found.push(names.get(who).name.clone());
            }
        }
    }
    found
}

#[test]
fn names_are_found_whole_and_the_longest_first() {
    let names = names();
    let found = |text: &str| -> Vec<String> {
        let found = names.find(text);
        found
            .into_iter()
            .map(|it| {
                format!(
                    "{}:{}",
                    &text[it.at],
                    it.named.map_or("?", |named| &names.get(named).name)
                )
            })
            .collect()
    };
    assert_eq!(found("小晚和王五"), ["小晚:林晚", "王五:王五"]);
    assert_eq!(
        found("Mara Bell's Marathon, Mara."),
        ["Mara Bell:Mara Bell", "Mara:Mara Bell"]
    );
    // A surname that two people have refers to neither of them, but it is known.
    assert_eq!(found("Bell laughed."), [""; 0]);
    assert!(names.knows("Bell"));
}

#[test]
fn what_is_remembered_dreamt_written_or_supposed_is_not_told_outright() {
    for text in [
        "十年前，王五还在。",
        "林晚梦见王五走进来。",
        "她想起王五的话。",
        "如果王五在，就好了。",
        "据说王五去了北方。",
        "照片里的王五笑着。",
        "Ten years ago Marcus lived here.",
        "She dreamed that Marcus came in.",
        "Mara remembered Marcus.",
        "If Marcus came, she would know.",
        "They said that Marcus was a thief.",
        "In the portrait Marcus smiled.",
    ] {
        assert_eq!(outright(text), [""; 0], "{text}");
    }
    for text in ["王五走了进来。", "Marcus came in.", "如今王五在门口。"] {
        assert_eq!(outright(text), [text]);
    }
}

#[test]
fn a_flashback_lasts_until_something_says_now() {
    let text = "十年前的雨夜，师父还在。\n\n王五推开门。\n\n林晚回过神来。\n\n王五走了。";
    assert_eq!(outright(text), ["林晚回过神来。", "王五走了。"]);
    let text = "She woke early.\n\nIt was years ago, in the old house.\n\nMarcus came in.\n\n***\n\nMarcus left.";
    assert_eq!(
        outright(text),
        ["She woke early.", "Marcus came in.", "Marcus left."]
    );
    let text =
        "He had a dream of home.\n\nMarcus sat by the fire.\n\nHe woke.\n\nMarcus stood there.";
    assert_eq!(outright(text), ["He woke.", "Marcus stood there."]);
}

#[test]
fn quotation_marks_of_both_languages_are_known() {
    let names = names();
    for text in [
        "“王五来了”",
        "「王五来了」",
        "\"Marcus came\"",
        "‘Marcus came’",
        "《王五传》",
    ] {
        let told = Told::of(text, &names).expect("it can be read");
        assert!(
            told.sentences
                .iter()
                .all(|it| told.named(it, Kind::Character).next().is_none()),
            "{text}"
        );
    }
    let told = Told::of("It’s Marcus’s house, and Marcus’ dog.", &names).expect("it can be read");
    assert_eq!(told.named(&told.sentences[0], Kind::Character).count(), 2);
}

#[test]
fn whoever_acts_is_the_subject_of_a_clause() {
    for text in [
        "王五说：“走。”",
        "“走吧。”王五低声说道。",
        "王五缓缓地站起身来。",
        "雨停了，王五推开门。",
        "Marcus said nothing.",
        "\"Go,\" said Marcus.",
        "Then Marcus slowly opened the door.",
        "Captain Marcus drew his sword.",
    ] {
        assert_eq!(actors(text).len(), 1, "{text}");
    }
    for text in [
        "她对着王五说话。",
        "王五说过的话她都记得。",
        "王五走后，屋里静了。",
        "王五的剑掉在地上。",
        "“王五说谎。”",
        "She thought of Marcus.",
        "The day Marcus came was cold.",
        "The sword Marcus carried was gone.",
        "Marcus's chair stood empty.",
        "Will you come?",
    ] {
        assert_eq!(actors(text), [""; 0], "{text}");
    }
    // The person who stands at a grave is present; the person who lies in it does nothing.
    assert_eq!(actors("林晚在王五墓前站着。"), ["林晚"]);
}

#[test]
fn a_clause_begins_behind_a_sign_or_a_joint() {
    for ahead in [
        "",
        "雨停了，",
        "“走。”",
        "而",
        "三天后",
        "\"Go.\" ",
        "It rained, and ",
        "Captain ",
    ] {
        assert!(is_subject(ahead), "{ahead}");
    }
    for ahead in ["看见", "想起", "the day ", "with ", "“走”和"] {
        assert!(!is_subject(ahead), "{ahead}");
    }
}

#[test]
fn people_die_in_plain_words_only() {
    let names = names();
    let dies = |text: &str| {
        let told = Told::of(text, &names).expect("it can be read");
        told.sentences
            .iter()
            .flat_map(|it| deaths(&told, it))
            .count()
    };
    for text in [
        "王五死了。",
        "王五在雪地里断了气。",
        "王五当场身亡。",
        "Marcus died.",
        "Marcus died in her arms.",
        "Marcus was dead.",
    ] {
        assert_eq!(dies(text), 1, "{text}");
    }
    for text in [
        "王五笑死了。",
        "王五累死了。",
        "王五死了心。",
        "王五的父亲死了。",
        "“王五死了。”",
        "据说王五死了。",
        "Marcus was dead tired.",
        "Marcus died laughing.",
        "Marcus nearly died.",
        "Marcus died of embarrassment.",
        "\"Marcus died.\"",
    ] {
        assert_eq!(dies(text), 0, "{text}");
    }
}

#[test]
fn strangers_are_people_who_speak_and_nothing_else() {
    let names = names();
    let found = |text: &str| {
        let told = Told::of(text, &names).expect("it can be read");
        let nicks = nicknames(&told);
        strangers(&told, &names, &nicks)
            .into_iter()
            .map(|it| it.name.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(found("“走。”赵无忌说道。"), ["赵无忌"]);
    assert_eq!(found("赵峰摇了摇头。"), ["赵峰"]);
    assert_eq!(found("\"Go,\" said Harlow."), ["Harlow"]);
    assert_eq!(found("Edgar Harlow nodded."), ["Edgar Harlow"]);
    for text in [
        "王五说道：“走。”",
        "于是说道。",
        "方才说道。",
        "高声喊道。",
        "王老师点头。",
        "大家都叫他石猴。石猴点头。",
        "Nobody said anything.",
        "\"Yes,\" she said.",
        "Father nodded.",
        "They called him Tinker. Tinker nodded.",
        "Mr. Bell nodded.",
    ] {
        assert_eq!(found(text), [""; 0], "{text}");
    }
}

#[test]
fn names_that_are_one_letter_off_are_near() {
    assert!(is_near("Katherine", "Catherine"));
    assert!(is_near("Markus", "Marcus"));
    assert!(is_near("林小宇", "林小雨"));
    for (name, known) in [
        ("Tom", "Tim"),
        ("Bells", "Bell"),
        ("Marcus", "Marcus"),
        ("王小雨", "林小雨"),
        ("Mara", "王五"),
    ] {
        assert!(!is_near(name, known), "{name} {known}");
    }
}

#[test]
fn numbers_are_read_in_both_languages() {
    for (text, number) in [
        ("三十二", 32),
        ("十二", 12),
        ("二十", 20),
        ("一百零五", 105),
        ("一九二三", 1923),
        ("32", 32),
    ] {
        assert_eq!(value(text), Some(number), "{text}");
    }
    assert_eq!(ending("过了三").map(|it| it.0), Some(3));
    assert_eq!(ending("only thirty-two ").map(|it| it.0), Some(32));
    assert_eq!(ending("a hundred and five").map(|it| it.0), Some(105));
    assert_eq!(ending("几"), None);
    assert_eq!(beginning("thirty-two-year-old"), Some((32, 10)));
    assert_eq!(beginning("twelve years"), Some((12, 6)));
    assert_eq!(span("三", "天后").map(|it| it.hours), Some(72.0));
    assert_eq!(span("two ", "hours later").map(|it| it.hours), Some(2.0));
    assert_eq!(span("a few ", "days later"), None);
    assert_eq!(span("几", "天后"), None);
}

#[test]
fn words_of_a_list_are_found_as_words() {
    assert!(contains("He Dyed it", "dyed|wig"));
    assert!(!contains("a twig", "dyed|wig"));
    assert!(contains("她戴着假发", "dyed|假发"));
}

/// Names with a sentence that has each.
fn names_of_any_form() -> Vec<(String, String)> {
    let file = concat!(
        env!("CARGO_MANIFEST_DIR"),
        "/../../tests/golden/said/names.tsv"
    );
    let rows = std::fs::read_to_string(file).expect("the file");
    let rows = rows.lines().filter_map(|row| row.split_once('\t'));
    rows.map(|(name, sentence)| (name.to_owned(), sentence.to_owned()))
        .collect()
}

#[test]
fn a_name_of_any_form_is_found_in_its_sentence() {
    for (name, sentence) in names_of_any_form() {
        let names = Names::of(&book(&[&name]));
        let told = Told::of(&sentence, &names).expect("it can be read");
        let found = told.sentences.iter().any(|it| {
            let mut named = told.named(it, Kind::Character);
            named.any(|(_, mention)| sentence[mention.at.clone()] == name)
        });
        assert!(found, "{name} in {sentence}");
    }
}

#[test]
fn a_stop_in_a_name_ends_no_sentence() {
    for (name, text, sentences) in [
        ("Col. Crane", "Col. Crane sat down. He spoke.", 2),
        ("What! Tom", "Then What! Tom sat down.", 1),
        ("--Mr. Bingley", "--Mr. Bingley sat down.", 1),
        ("*Mr. Bingley*", "*Mr. Bingley* sat down. So what?", 2),
        ("Who?", "Who? sat down.", 1),
        (
            "Anna \"The! Owl\" Beck",
            "Anna \"The! Owl\" Beck sat down.",
            1,
        ),
        ("明。天", "明。天坐下了。", 1),
    ] {
        let names = Names::of(&book(&[name]));
        let told = Told::of(text, &names).expect("it can be read");
        assert_eq!(told.sentences.len(), sentences, "{text}");
        let sentence = &told.sentences[0];
        let mut people = told.named(sentence, Kind::Character);
        let (_, mention) = people.next().expect(text);
        assert!(acts(&told, sentence, mention), "{text}");
    }
}

proptest! {
    #[test]
    fn a_name_stands_in_one_sentence(
        name in r#"([.!?。！？*"“”' \n-]|Mr|Crane|林晚|白发|\PC){1,6}"#,
        text in r#"(NAME|[.!?。！？*"“”' \n-]|He sat|他坐下){0,20}"#,
    ) {
        let text = text.replace("NAME", &name);
        let names = Names::of(&book(&[&name]));
        let told = Told::of(&text, &names).expect("it can be read");
        let held: usize = told.sentences.iter().map(|it| told.mentions(it).len()).sum();
        prop_assert_eq!(held, names.find(&text).len());
        for sentence in &told.sentences {
            for mention in told.mentions(sentence) {
                prop_assert!(sentence.at.start <= mention.at.start && mention.at.end <= sentence.at.end);
            }
        }
    }

    #[test]
    fn any_text_can_be_read(text in r#"([林晚王五死了说，。“”"'’\n*#> ]|Mara|Marcus|died|said|years ago|三天后|[a-z ]|\PC){0,80}"#) {
        let names = names();
        let told = Told::of(&text, &names).expect("it can be read");
        for sentence in &told.sentences {
            prop_assert_eq!(text[..sentence.at.start].chars().count(), sentence.start);
        }
        prop_assert_eq!(told.chars, text.chars().count());
    }

    #[test]
    fn one_off_is_the_same_both_ways(left in "[abc]{1,6}", right in "[abc]{1,6}") {
        prop_assert_eq!(is_one_off(&left, &right), is_one_off(&right, &left));
        prop_assert!(!is_one_off(&left, &left));
    }
}
