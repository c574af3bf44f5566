use palimpsest::prelude::resource::project::{CHAPTER_BYTES_MAX, Chapter, Character, Standing};

use super::{assert_comes_back, book, entry, folder, ids, kind, prose, remarks, titles};
use crate::readings::folder::FolderRead;
use crate::readings::folder::front::STORY_FRONT_BYTES_MAX;
use crate::readings::folder::natural::{chapter_number, path_key};
use crate::readings::folder::paths::{clean_id, is_id};

#[track_caller]
fn character<'a>(read: &'a FolderRead, id: &str) -> &'a Character {
    entry(read, id).what.as_character().expect("a character")
}

#[track_caller]
fn chapter<'a>(read: &'a FolderRead, id: &str) -> &'a Chapter {
    entry(read, id).what.as_chapter().expect("a chapter")
}

#[test]
fn files_without_anything_are_chapters_in_the_order_of_their_numbers() {
    let read = folder(&[
        ("第十二章 潮.md", "她走了。"),
        ("第三章 雾.md", "雾没有散。"),
        ("尾声.md", "后来。"),
        ("序.md", "从前。"),
        ("第二十章.md", "他来了。"),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    let expected = ["序", "第三章 雾", "第十二章 潮", "第二十章", "尾声"];
    assert_eq!(titles(&read), expected);
    assert!(ids(&read).contains(&"第三章-雾"));
    assert_eq!(prose(&read, "第三章-雾"), "雾没有散。");
    assert_eq!(read.description.language, "zh");
    assert_eq!(read.description.phase, "WRITING");
    assert_comes_back(&read);
}

#[test]
fn english_files_are_read_too_and_folders_are_volumes() {
    let read = folder(&[
        ("My Book/two/chapter10.txt", "It was the end."),
        (
            "My Book/two/chapter3.txt",
            "Chapter 3: Fog\n\nThere was a fog.",
        ),
        ("My Book/one/1. Rain.md", "It was the rain."),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    assert_eq!(read.description.title, "My Book");
    assert_eq!(read.description.language, "en");
    assert_eq!(titles(&read), ["Rain", "Chapter 3: Fog", "chapter10"]);
    assert_eq!(prose(&read, "chapter3"), "There was a fog.");
    assert_eq!(kind(entry(&read, "two")), "volume");
    assert_eq!(chapter(&read, "chapter3").volume, Some("two".into()));
    assert_comes_back(&read);
}

#[test]
fn chapters_of_two_volumes_may_have_the_same_names() {
    let read = folder(&[
        ("chapters/卷一/第一章.md", "一。"),
        ("chapters/卷二/第一章.md", "二。"),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    assert_eq!(prose(&read, "第一章"), "一。");
    assert_eq!(prose(&read, "卷二-第一章"), "二。");
}

#[test]
fn an_entry_is_meant_by_its_id_its_name_an_alias_or_the_number_of_a_chapter() {
    let read = folder(&[
        (
            "characters/lin.md",
            "---\nname: 林照\naliases: 阿照、小照\n---",
        ),
        (
            "characters/zhou.md",
            "---\nname: 周既白\nabsences: [{from: 2, until: 第三章}]\ndeath: Fog\n---",
        ),
        (
            "chapters/01-rain.md",
            "---\ncast: [lin, 林照, 阿照, ZHOU]\n---\n雨。",
        ),
        ("chapters/02-wind.md", "风。"),
        ("chapters/03-x.md", "# Fog\n\n雾。"),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    let cast: Vec<&str> = chapter(&read, "01-rain")
        .cast
        .iter()
        .map(|it| it.as_str())
        .collect();
    assert_eq!(cast, ["lin", "lin", "lin", "zhou"]);
    let zhou = character(&read, "zhou");
    assert_eq!(zhou.absences[0].from.as_str(), "02-wind");
    assert_eq!(zhou.absences[0].until, Some("03-x".into()));
    assert_eq!(
        zhou.death.as_ref().map(|it| it.chapter.as_str()),
        Some("03-x")
    );
    assert_comes_back(&read);
}

#[test]
fn who_is_not_known_is_reported_with_the_line_and_kept() {
    let read = folder(&[
        ("characters/a.md", "---\nname: 阿照\n---\n一个人。"),
        ("characters/b.md", "---\nname: 阿照\n---"),
        (
            "chapters/1.md",
            "---\ntitle: 雾\nplace: 月球\ncast:\n  - a\n  - 王五\npov: 阿照\n---\n雾。",
        ),
        (
            "characters/c.md",
            "---\nname: 丙\nrelationships:\n  - to: a\n    type: 师父\n  - {to: 王五, type: 徒弟}\n---",
        ),
    ]);
    assert_eq!(
        remarks(&read),
        [
            "chapters/1.md:3: `place` is not known: no place is called `月球`; it is kept among the words",
            "chapters/1.md:6: `cast` is not known: no character is called `王五`; it is kept among the words",
            "chapters/1.md:7: `pov` is not known: more than one character is called `阿照`; it is kept among the words",
            "characters/c.md:6: `to` is not known: no character is called `王五`; it is kept among the words",
        ]
    );
    let fog = chapter(&read, "1");
    assert_eq!(fog.summary, "place: 月球\ncast: 王五\npov: 阿照");
    assert_eq!(fog.cast.len(), 1);
    assert_eq!(
        character(&read, "c").description,
        "relationship: {to: 王五, type: 徒弟}"
    );
    assert_eq!(book(&read).relationships().count(), 1);
    assert_comes_back(&read);
}

#[test]
fn a_value_of_another_sort_is_reported_and_kept() {
    let read = folder(&[
        (
            "plotloops/x.md",
            "---\nstatus: maybe\nkeywords: {a: 1}\n---\n谁？",
        ),
        ("places/y.md", "---\ntravel: [{to: y, hours: soon}]\n---"),
    ]);
    assert_eq!(
        remarks(&read),
        [
            "places/y.md:2: `travel` has a `hours` that is not a number from 0 on; it is kept among the words",
            "plotloops/x.md:2: `status` is none of OPEN, RESOLVED, ABANDONED; it is kept among the words",
            "plotloops/x.md:3: `keywords` is not a list of texts; it is kept among the words",
        ]
    );
    let it = entry(&read, "x").what.as_plot_loop().expect("a loop");
    assert_eq!(it.description, "谁？\n\nstatus: maybe\nkeywords: {a: 1}");
    assert_comes_back(&read);
}

#[test]
fn what_was_meant_as_text_stays_text() {
    let read = folder(&[(
        "characters/no.md",
        "---\nname: No\nborn: 0923\nrole: 007\naliases: [yes, 12, 1_000]\nappearance: {eyes: no}\n---",
    )]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    let no = character(&read, "no");
    assert_eq!((no.name.as_str(), no.role.as_str()), ("No", "007"));
    assert_eq!(no.born.as_deref(), Some("0923"));
    assert_eq!(no.aliases, ["yes", "12", "1_000"]);
    assert_eq!(no.appearance["eyes"], "no");
    assert_comes_back(&read);
}

#[test]
fn front_matter_that_cannot_be_read_stays_in_the_text() {
    let broken = "---\ntitle: a\n  b: [\n---\n雨。";
    let read = folder(&[
        ("chapters/1.md", broken),
        ("chapters/2.md", "---\ntitle: x\n雨。"),
    ]);
    let told = remarks(&read);
    assert_eq!(told.len(), 2, "{told:?}");
    assert!(
        told[0].starts_with("chapters/1.md:3: the front matter cannot be read"),
        "{told:?}"
    );
    assert!(told[1].starts_with("chapters/2.md:1: the front matter has no line `---`"));
    assert_eq!(prose(&read, "1"), broken);
    assert_comes_back(&read);
}

#[test]
fn front_matter_that_would_grow_is_refused() {
    let mut bomb = String::from("---\na0: &a0 [x, x, x, x, x, x, x, x]\n");
    for level in 1..12 {
        let inner = format!("*a{}", level - 1);
        let inner = [inner.as_str(); 8].join(", ");
        bomb.push_str(&format!("a{level}: &a{level} [{inner}]\n"));
    }
    bomb.push_str("---\n雨。");
    let long = format!(
        "---\ntitle: {}\n---\n雨。",
        "x".repeat(STORY_FRONT_BYTES_MAX)
    );
    let deep = format!(
        "---\ntitle: {}{}\n---\n雨。",
        "[".repeat(99),
        "]".repeat(99)
    );
    for text in [bomb, long, deep] {
        let read = folder(&[("chapters/1.md", &text)]);
        assert_eq!(read.remarks.len(), 1, "{:?}", remarks(&read));
        assert!(read.remarks[0].says.ends_with("it is kept as text"));
        assert_eq!(prose(&read, "1"), text);
    }
}

#[test]
fn a_file_that_is_too_large_is_left_out() {
    let bytes = usize::try_from(CHAPTER_BYTES_MAX).expect("a size") + 1;
    let read = folder(&[
        ("chapters/1.md", &"x".repeat(bytes)),
        ("chapters/2.md", "雨。"),
    ]);
    assert_eq!(ids(&read), ["2"]);
    assert_eq!(
        remarks(&read),
        ["chapters/1.md: has 1048577 bytes, and a file may have 1048576; it is left out"]
    );
}

#[test]
fn ids_are_unique_and_fit_into_addresses() {
    let read = folder(&[
        ("characters/yu.md", "---\nname: 雨\n---"),
        ("places/yu.md", "---\nname: 屿\nwithin: 屿\n---"),
        ("items/a b?.md", "---\nname: 伞\nowner: yu\n---"),
        ("items/x.md", "---\nid: x y\nname: 灯\n---"),
        ("items/z.md", "---\nid: yu\nname: 钟\n---"),
    ]);
    assert_eq!(
        remarks(&read),
        [
            "characters/yu.md: the id `yu` is that of another entry; this one is `character-yu`",
            "items/a b?.md:3: `owner` is not known: no character is called `yu`; it is kept among the words",
            "items/x.md:2: the id `x y` cannot stand in an address; it is `x-y` here",
            "places/yu.md: the id `yu` is that of another entry; this one is `place-yu`",
        ]
    );
    assert_eq!(ids(&read), ["character-yu", "a-b", "x-y", "yu", "place-yu"]);
    assert_comes_back(&read);
}

#[test]
fn an_id_of_any_text_is_one() {
    for (text, id) in [
        ("a b", "a-b"),
        ("第三章 雾", "第三章-雾"),
        ("a//b?#", "a-b"),
        ("..", ""),
        ("e\u{301}", "é"),
        ("x-", "x-"),
        ("  ", ""),
    ] {
        assert_eq!(clean_id(text), id);
        assert!(id.is_empty() || is_id(id));
    }
    assert_eq!(clean_id(&"雾".repeat(90)).len(), 126);
}

#[test]
fn texts_in_no_known_folder_are_notes_where_there_are_chapters() {
    let read = folder(&[
        ("chapters/1.md", "雨。"),
        ("notes/ideas.md", "# 想法\n\n灯塔可以会说话。"),
        ("glossary.txt", "蛎滩：长牡蛎的浅滩。"),
        ("map.png", "PNG"),
        ("README.md", "一本书。"),
        (".git/config", "x"),
    ]);
    let kept =
        "has no place in the folder of a story; it is kept as a note among the world entries";
    assert_eq!(
        remarks(&read),
        [
            format!("glossary.txt: {kept}"),
            "map.png: is not a text file (.md, .txt); it is left out".to_owned(),
            format!("notes/ideas.md: {kept}"),
        ]
    );
    let note = entry(&read, "ideas").what.as_world().expect("a note");
    assert_eq!((note.title.as_str(), note.kind.as_str()), ("想法", "note"));
    assert_eq!(note.content, "灯塔可以会说话。");
    assert_comes_back(&read);
}

#[test]
fn folders_may_have_chinese_names() {
    let read = folder(&[
        ("正文/1.md", "雨。"),
        ("人物/林照.md", "二十岁。"),
        ("设定/潮.md", "一天两回。"),
        ("伏笔/信.md", "谁写的？"),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    let kinds: Vec<&str> = read.entries.iter().map(kind).collect();
    assert_eq!(kinds, ["chapter", "character", "world", "plot_loop"]);
    assert_eq!(character(&read, "林照").name, "林照");
    assert_comes_back(&read);
}

#[test]
fn a_draft_does_not_hold_and_a_plan_is_no_fact() {
    let read = folder(&[
        ("chapters/1.md", "---\ndraft: true\n---\n雨。"),
        (
            "chapters/2.md",
            "\u{feff}---\r\nstatus: review\r\n---\r\n\r\n# 风\r\n\r\n风。\r\n雨。\r\n",
        ),
        ("items/bell.md", "---\nstanding: proposed\npinned: yes\n---"),
    ]);
    assert_eq!(remarks(&read), Vec::<String>::new());
    let accepted: Vec<bool> = read.texts.iter().map(|it| it.is_accepted).collect();
    assert_eq!(accepted, [false, true]);
    assert_eq!(prose(&read, "2"), "风。\n雨。");
    assert_eq!(chapter(&read, "2").title, "风");
    assert_eq!(chapter(&read, "2").status, "REVIEW");
    let bell = entry(&read, "bell");
    assert_eq!((bell.standing, bell.pinned), (Standing::Proposed, true));
    assert_comes_back(&read);
}

#[test]
fn what_else_stands_in_the_file_of_relationships_is_a_note() {
    let read = folder(&[
        ("characters/a.md", ""),
        ("characters/b.md", ""),
        (
            "relationships.md",
            "---\nrelationships:\n  - {from: a, to: b, type: 师父, reverse: 徒弟}\n  - {to: b, type: 敌人}\n---\n两家是世仇。",
        ),
    ]);
    assert_eq!(
        remarks(&read),
        ["relationships.md:4: a relationship has no `from`; it is kept among the words"]
    );
    let read_book = book(&read);
    let (_, relation) = read_book.relationships().next().expect("a relationship");
    assert!(relation.bidirectional);
    let note = entry(&read, "relationships").what.as_world();
    let note = note.expect("a note");
    assert_eq!(
        note.content,
        "两家是世仇。\n\nrelationship: {to: b, type: 敌人}"
    );
    assert_comes_back(&read);
}

#[test]
fn the_order_of_the_files_does_not_matter() {
    let mut files = [
        ("chapters/b/2.md", "二。"),
        ("characters/x.md", "---\nage: 3\n---"),
        ("story.md", "# 书"),
        ("chapters/a/1.md", "一。"),
    ];
    let one = folder(&files);
    files.reverse();
    assert_eq!(folder(&files), one);
}

#[test]
fn names_are_sorted_by_their_numbers() {
    let mut names = [
        "第一百零二章",
        "10",
        "chapter 2",
        "2",
        "第三章",
        "chapter 12",
        "第21章",
        "prologue",
    ];
    names.sort_by_key(|name| path_key(name));
    let expected = [
        "prologue",
        "2",
        "10",
        "chapter 2",
        "chapter 12",
        "第三章",
        "第21章",
        "第一百零二章",
    ];
    assert_eq!(names, expected);
    for (text, number) in [
        ("第十二章", 12),
        ("Chapter 7", 7),
        ("3", 3),
        ("第二〇回", 20),
    ] {
        assert_eq!(chapter_number(text), Some(number));
    }
    assert_eq!(chapter_number("第三章 雾"), None);
}
