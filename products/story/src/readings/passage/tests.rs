use std::collections::BTreeMap;

use chrono::DateTime;
use palimpsest::prelude::pipeline::{BlobRef, EntryId};
use palimpsest::prelude::resource::project::{
    Chapter, Entry, Kept, Project, Prose, Standing, Trigger, Version, What,
};
use proptest::prelude::*;

use super::result::replacement;
use super::*;

const TEXT: &str = "林晚点亮了灯。\n\n海上没有船。𝄞 She waited.  The bell rang.\n\n天亮了。";

fn project(locked: bool) -> Project {
    let version = |version: u32| Version {
        version,
        text: BlobRef::of(TEXT.as_bytes()),
        words: 1,
        trigger: Trigger::Manual,
        description: String::new(),
        at: DateTime::UNIX_EPOCH,
    };
    let kept = |id: &str| Kept {
        entry: Entry {
            id: id.into(),
            standing: Standing::Fact,
            pinned: false,
            what: What::Chapter(Chapter {
                title: id.into(),
                locked,
                ..Chapter::default()
            }),
        },
        version: 1,
        created: DateTime::UNIX_EPOCH,
        changed: DateTime::UNIX_EPOCH,
    };
    let prose = Prose {
        versions: vec![version(3), version(4)],
        saved: 4,
        ..Prose::default()
    };
    Project {
        entries: BTreeMap::from(["c1", "c2"].map(|id| (EntryId::from(id), kept(id)))),
        prose: BTreeMap::from([(EntryId::from("c1"), prose)]),
        ..Project::default()
    }
}

fn selection(from: usize, to: usize) -> PassageSelection {
    PassageSelection {
        chapter: Some("c1".into()),
        version: Some(4),
        from,
        to,
        task: None,
        text: None,
    }
}

fn wanted(task: PassageTask) -> PassageWish {
    wish("", Some(task))
}

fn read_of(
    selection: &PassageSelection,
    task: PassageTask,
) -> Result<SelectedPassage, PassageRefusal> {
    let project = project(false);
    let selected = select(&project, selection, None)?;
    read(&selected, selection, TEXT, wanted(task))
}

/// The place of some words in the text, in characters.
fn place(words: &str) -> (usize, usize) {
    let byte = TEXT.find(words).expect("it is there");
    let from = TEXT[..byte].chars().count();
    (from, from + words.chars().count())
}

fn passage_of(words: &str, task: PassageTask) -> SelectedPassage {
    let (from, to) = place(words);
    read_of(&selection(from, to), task).expect("it can be read")
}

#[test]
fn a_selection_is_read_with_what_stands_around_it() {
    let passage = passage_of("She waited.", PassageTask::Rewrite);
    assert_eq!(passage.text, "She waited.");
    assert!(passage.before.ends_with("𝄞 "), "{passage:?}");
    assert!(passage.after.starts_with("  The bell rang."), "{passage:?}");
    // The space at its ends is not part of it.
    let wider = passage_of(" She waited.  ", PassageTask::Rewrite);
    assert_eq!(wider, passage);
}

/// What is wrong with a selection.
type Change<'a> = &'a dyn Fn(&mut PassageSelection);

#[test]
fn a_selection_that_cannot_be_worked_on_says_why() {
    let refusal = |change: Change<'_>| {
        let mut selection = selection(0, 7);
        change(&mut selection);
        let refused = read_of(&selection, PassageTask::Rewrite).expect_err("it is refused");
        (refused.code(), refused.to_string())
    };
    let cases: [(Change<'_>, &str, &str); 9] = [
        (&|it| it.chapter = None, "bad_selection", "chapterId"),
        (&|it| it.chapter = Some("c9".into()), "no_entry", "c9"),
        (
            &|it| it.chapter = Some("c2".into()),
            "no_version",
            "nothing is written",
        ),
        (&|it| it.version = Some(9), "no_version", "the newest is 4"),
        (
            &|it| it.version = Some(3),
            "stale_text",
            "version 4 is newer than 3",
        ),
        (
            &|it| (it.from, it.to) = (7, 3),
            "bad_selection",
            "cannot end at 3",
        ),
        (&|it| it.to = 9_999, "bad_selection", "the text has"),
        (
            &|it| (it.from, it.to) = (7, 9),
            "bad_selection",
            "has no text",
        ),
        (&|it| it.text = Some("别的".into()), "stale_text", "UTF-16"),
    ];
    for (change, code, said) in cases {
        let (is, message) = refusal(change);
        assert_eq!(is, code, "{message}");
        assert!(message.contains(said), "{message}");
    }
    let locked = project(true);
    let chosen = selection(0, 7);
    let refused = select(&locked, &chosen, None).expect_err("it is locked");
    assert_eq!(refused.code(), "locked");
}

#[test]
fn a_passage_that_no_answer_has_room_for_is_refused() {
    let project = project(false);
    let long = "雾".repeat(2_001);
    let selection = selection(0, 2_001);
    let selected = select(&project, &selection, None).expect("it is there");
    let read = |task| read(&selected, &selection, &long, wanted(task));
    assert!(read(PassageTask::Rewrite).is_ok());
    let refused = read(PassageTask::Variants).expect_err("three of them are too long");
    assert_eq!(refused.code(), "selection_too_long");
}

#[test]
fn the_words_of_a_message_say_what_is_wanted() {
    use PassageTask::{Continue, Rewrite, Variants};
    for (message, task, continues) in [
        ("重写这一段，冷一点", Rewrite, false),
        ("润色", Rewrite, false),
        ("紧张一点", Rewrite, false),
        ("Polish this", Rewrite, false),
        ("从这里续写", Continue, true),
        ("接着写下去，让灯灭掉", Continue, true),
        ("Go on from here", Continue, true),
        ("continue, then rewrite nothing", Continue, true),
        ("改写这段，让她接着写信", Rewrite, false),
        ("Rewrite it so that they go on board", Rewrite, false),
        ("给三个版本", Variants, false),
        ("换几种写法看看", Variants, false),
        ("续写，给我三个版本", Variants, true),
        ("Three variants, please", Variants, false),
    ] {
        let wish = wish(message, None);
        assert_eq!((wish.task, wish.continues), (task, continues), "{message}");
    }
    // What the request says explicitly counts.
    assert_eq!(wish("续写", Some(Rewrite)).task, Rewrite);
    assert!(!wish("续写", Some(Rewrite)).continues);
}

#[test]
fn a_continuation_joins_its_neighbours() {
    let goes_on = |words: &str, text: &str| {
        let passage = passage_of(words, PassageTask::Continue);
        let place = PassageResult::of(&passage);
        assert_eq!((place.from, place.to), (passage.to, passage.to));
        replacement(&passage, text)
    };
    assert_eq!(goes_on("She waited.", "Nobody came."), " Nobody came.");
    assert_eq!(goes_on("She", "alone"), " alone");
    assert_eq!(goes_on("海上没有", "一条"), "一条");
    assert_eq!(goes_on("The bell rang.", "Twice."), "\n\nTwice.");
    assert_eq!(goes_on("天亮了。", "灯灭了。"), "\n\n灯灭了。");
    let rewritten = passage_of("天亮了。", PassageTask::Rewrite);
    assert_eq!(replacement(&rewritten, "天没有亮。"), "天没有亮。");
}

#[test]
fn selections_of_older_clients_are_still_read() {
    let read: PassageSelection =
        serde_json::from_str(r#"{"chapter":"c1","version":2,"start":3,"end":5}"#).expect("it fits");
    assert_eq!((read.from, read.to), (3, 5));
    let read: PassageSelection =
        serde_json::from_str(r#"{"chapterId":"c1","from":3,"to":5,"task":"variants"}"#)
            .expect("it fits");
    assert_eq!(read.chapter, Some("c1".into()));
    assert_eq!(read.task, Some(PassageTask::Variants));
}

proptest! {
    /// Only the passage changes; the rest stays as it is, byte for byte.
    #[test]
    fn what_is_put_in_changes_nothing_around_it(text in "\\PC{0,60}", new in "\\PC{0,20}", a in 0..70usize, b in 0..70usize) {
        let chars = text.chars().count();
        let (from, to) = (a.min(b).min(chars), a.max(b).min(chars));
        let made = put_in(&text, from, to, &new).expect("the place is there");
        let before: String = text.chars().take(from).collect();
        let after: String = text.chars().skip(to).collect();
        prop_assert!(made.starts_with(&before) && made.ends_with(&after));
        prop_assert_eq!(made, [before, new, after].concat());
    }

    /// A passage and the text around it together are the chapter, and putting its own text in again changes nothing.
    #[test]
    fn a_passage_is_part_of_its_chapter(text in "[a-c雾灯 \\n]{1,40}", a in 0..41usize, b in 0..41usize) {
        let chars = text.chars().count();
        let (from, to) = (a.min(b).min(chars), a.max(b).min(chars));
        let project = project(false);
        let selection = selection(from, to);
        let selected = select(&project, &selection, None).expect("it is there");
        if let Ok(passage) = read(&selected, &selection, &text, wanted(PassageTask::Rewrite)) {
            prop_assert_eq!([&*passage.before, &*passage.text, &*passage.after].concat(), text.clone());
            prop_assert_eq!(put_in(&text, passage.from, passage.to, &passage.text), Ok(text));
        } else {
            prop_assert!(text.chars().skip(from).take(to - from).all(char::is_whitespace));
        }
    }

    /// A place that does not exist is refused, without a panic.
    #[test]
    fn a_place_beyond_the_text_is_refused(text in "\\PC{0,20}", from in 0..50usize, to in 0..50usize) {
        let chars = text.chars().count();
        let made = put_in(&text, from, to, "x");
        prop_assert_eq!(made.is_ok(), from <= to && to <= chars);
    }
}
