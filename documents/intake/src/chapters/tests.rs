use proptest::prelude::*;
use spec::book::TextForm;

use super::*;
use crate::IntakeLimits;

/// Chapters in short: volume, title, and the words of the body.
fn shown(text: &str) -> Vec<String> {
    let plan = split_text(text);
    let chapters = plan.chapters.iter();
    chapters
        .map(|chapter| {
            let volume = chapter
                .volume
                .as_deref()
                .map(|volume| format!("{volume} / "));
            let kind = match chapter.kind {
                ChapterKind::FrontMatter => "~",
                ChapterKind::Chapter => "",
            };
            let body = text[chapter.body.clone()].split_whitespace();
            let body: Vec<&str> = body.collect();
            format!(
                "{kind}{}{}: {}",
                volume.unwrap_or_default(),
                chapter.title,
                body.join(" ")
            )
        })
        .collect()
}

#[test]
fn chinese_chapters_are_told_with_and_without_blank_lines() {
    let text = "雨桥\n作者：沈从雨\n\n楔子\n　　很久以前。\n第一章 初雨\n　　雨下了三天。\n　　第二章的内容还没有写。\n第二章：旧信\n　　信。\n第 10 章夜行\n　　走。\n番外三 花\n　　花。\n尾声\n　　完。\n";
    let expected = [
        "~: 雨桥 作者：沈从雨",
        "楔子: 很久以前。",
        "第一章 初雨: 雨下了三天。 第二章的内容还没有写。",
        "第二章：旧信: 信。",
        "第 10 章夜行: 走。",
        "番外三 花: 花。",
        "尾声: 完。",
    ];
    assert_eq!(shown(text), expected);
}

#[test]
fn volumes_are_said_with_their_chapters() {
    let text = "卷一 渡口\n\n第1回 甲\n一\n第2回 乙\n二\n\n卷二\n题记：山有木兮。\n第3回 丙\n三\n第三卷 断桥 第4回 丁\n四\n";
    let expected = [
        "卷一 渡口 / 第1回 甲: 一",
        "卷一 渡口 / 第2回 乙: 二",
        "~卷二 / : 题记：山有木兮。",
        "卷二 / 第3回 丙: 三",
        "第三卷 断桥 / 第4回 丁: 四",
    ];
    assert_eq!(shown(text), expected);
    assert_eq!(
        shown("第一部\n一\n第二部\n二\n"),
        ["第一部: 一", "第二部: 二"]
    );
}

#[test]
fn english_chapters_are_told_and_sentences_are_not() {
    let text = "The Bridge\n\nPrologue\n\nRain.\n\nPART ONE\n\nCHAPTER I.\nDown the River\n\nAs was told in\nChapter 4 of the book, he ran.\n\nChapter Two: The Fall\n\nChapter three was dull.\n\nChapter 12\n\nEnd.\n\nEPILOGUE\n\nSun.\n";
    let expected = [
        "~: The Bridge",
        "Prologue: Rain.",
        "PART ONE / CHAPTER I. Down the River: As was told in Chapter 4 of the book, he ran.",
        "PART ONE / Chapter Two: The Fall: Chapter three was dull.",
        "PART ONE / Chapter 12: End.",
        "PART ONE / EPILOGUE: Sun.",
    ];
    assert_eq!(shown(text), expected);
}

#[test]
fn chapters_are_told_in_other_languages() {
    for (first, second) in [
        ("Глава первая", "Глава вторая"),
        ("Chapitre I", "Chapitre II"),
        ("1. Kapitel: Der Fluss", "2. Kapitel"),
        ("Capítulo uno", "Capítulo dos"),
        ("Hoofdstuk 1", "Epiloog"),
        ("제1장", "제2장"),
        ("プロローグ", "第一章"),
    ] {
        let text = format!("{first}\n\nA.\n\n{second}\n\nB.\n");
        assert_eq!(
            shown(&text),
            [format!("{first}: A."), format!("{second}: B.")]
        );
    }
    let prose = "Teil der Welt\n\nDie Kapitel sind kurz.\n";
    assert_eq!(shown(prose).len(), 1);
}

#[test]
fn a_list_of_contents_is_front_matter() {
    let text = "雨桥\n\n目录\n\n卷一 渡口\n第一章 初雨……1\n第二章 旧信……20\n卷二 断桥\n第三章 夜行……40\n\n卷一 渡口\n第一章 初雨\n一\n第二章 旧信\n二\n卷二 断桥\n第三章 夜行\n三\n";
    let expected = [
        "~: 雨桥 目录 卷一 渡口 第一章 初雨……1 第二章 旧信……20 卷二 断桥 第三章 夜行……40",
        "卷一 渡口 / 第一章 初雨: 一",
        "卷一 渡口 / 第二章 旧信: 二",
        "卷二 断桥 / 第三章 夜行: 三",
    ];
    assert_eq!(shown(text), expected);
    // Chapters without text are not a list of contents: each occurs only once.
    let empty = "第一章\n\n第二章\n\n第三章\n\n第四章\n";
    assert_eq!(
        shown(empty),
        ["第一章: ", "第二章: ", "第三章: ", "第四章: "]
    );
}

#[test]
fn numbers_alone_are_chapters_where_they_follow_one_another_and_nothing_else_is() {
    let text = "1\n\nOne.\n\n1984\n\nA year.\n\n2\n\nTwo.\n\nIII\n\nThree.\n";
    assert_eq!(
        shown(text),
        ["1: One. 1984 A year.", "2: Two.", "III: Three."]
    );
    assert_eq!(split_text(text).remarks.len(), 1);
    let sections = "第一章\n\n一\n\n甲\n\n二\n\n乙\n\n第二章\n\n丙\n";
    assert_eq!(shown(sections), ["第一章: 一 甲 二 乙", "第二章: 丙"]);
}

#[test]
fn a_manuscript_without_chapters_is_one_chapter_and_says_so() {
    let text = "It rained.\n\nIt rained on.\n";
    assert_eq!(shown(text), [": It rained. It rained on."]);
    assert_eq!(split_text(text).remarks.len(), 1);
    assert_eq!(split_text(""), ChapterPlan::default());
    assert_eq!(split_text(" \n").chapters.len(), 1);
}

fn chapters(name: &str, bytes: &[u8]) -> Vec<(Option<String>, String, String)> {
    let manuscript = manuscript(name, bytes, &IntakeLimits::default(), &|| false).unwrap();
    let chapters = manuscript.chapters.into_iter();
    chapters
        .map(|chapter| {
            let text = chapter.text.trim().to_owned();
            (chapter.volume, chapter.title, text)
        })
        .collect()
}

#[test]
fn headings_of_a_document_are_chapters_by_their_words_or_their_levels() {
    let chapter = |volume: Option<&str>, title: &str, text: &str| {
        (volume.map(str::to_owned), title.to_owned(), text.to_owned())
    };
    let named = "# Tale\n\nBy me.\n\n## Chapter 1\n\nHe *ran*.\n\n* * *\n\nChapter 2\n\n### Within\n\nx\n\n## Afterthoughts\n\ny\n";
    let expected = [
        chapter(None, "", "# Tale\n\nBy me."),
        chapter(
            None,
            "Chapter 1",
            "He *ran*.\n\n* * *\n\nChapter 2\n\n### Within\n\nx",
        ),
        chapter(None, "Afterthoughts", "y"),
    ];
    assert_eq!(chapters("a.md", named.as_bytes()), expected);
    let leveled =
        "# Water\n\n## The Well\n\na\n\n## The Sea\n\nb\n\n# Fire\n\n## The Hearth\n\nc\n";
    let expected = [
        chapter(Some("Water"), "The Well", "a"),
        chapter(Some("Water"), "The Sea", "b"),
        chapter(Some("Fire"), "The Hearth", "c"),
    ];
    assert_eq!(chapters("a.md", leveled.as_bytes()), expected);
    let alone = "# Tale\n\nAll of it.\n";
    assert_eq!(
        chapters("a.md", alone.as_bytes()),
        [chapter(None, "Tale", "All of it.")]
    );
}

#[test]
fn a_text_in_the_encodings_of_china_is_split_like_any_other() {
    let text = "第一章 初雨\r\n　　雨下了三天，桥上没有行人，只有一把旧伞。\r\n第二章 舊信\r\n　　信上只有一行字，他看了很久很久。\r\n";
    let utf_16: Vec<u8> = [0xFEFF]
        .into_iter()
        .chain(text.encode_utf16())
        .flat_map(u16::to_le_bytes)
        .collect();
    let simple = text.replace('舊', "旧");
    let (gbk, _, is_lossy) = encoding_rs::GBK.encode(&simple);
    assert!(!is_lossy);
    let complex = text
        .replace("只有", "祇有")
        .replace("没", "沒")
        .replace("桥", "橋")
        .replace("伞", "傘")
        .replace("旧", "舊");
    let complex = complex.replace("很久很久", "很久").replace("三天", "三日");
    let (big_5, _, is_lossy) = encoding_rs::BIG5.encode(&complex);
    assert!(!is_lossy);
    for (bytes, second) in [
        (utf_16.as_slice(), "第二章 舊信"),
        (&gbk, "第二章 旧信"),
        (&big_5, "第二章 舊信"),
    ] {
        let chapters = chapters("a.txt", bytes);
        let titles: Vec<&str> = chapters
            .iter()
            .map(|(_, title, _)| title.as_str())
            .collect();
        assert_eq!(titles, ["第一章 初雨", second]);
    }
}

#[test]
fn a_text_beyond_the_limit_is_refused_and_not_cut() {
    let limits = IntakeLimits {
        chars: 5,
        ..IntakeLimits::default()
    };
    let refused = manuscript("a.txt", b"Chapter 1", &limits, &|| false);
    let expected = crate::Unreadable::TooLarge {
        what: "characters",
        value: 9,
        most: 5,
    };
    assert_eq!(refused, Err(expected));
    let read = manuscript("a.txt", b"one", &limits, &|| false).unwrap();
    assert_eq!(read.chapters[0].form, TextForm::Prose);
}

/// Lines as manuscripts have them.
fn lines() -> impl Strategy<Value = String> {
    let line = prop::sample::select(vec![
        "",
        "",
        "",
        "第一章 初雨",
        "第二章",
        "第1回",
        "卷一",
        "卷二 断桥",
        "第一卷 风 第二章 雨",
        "楔子",
        "目录",
        "Chapter One",
        "CHAPTER 2",
        "PART I",
        "Prologue",
        "1",
        "2",
        "二",
        "　　雨下了三天。",
        "He ran.",
        "A Title",
        "***",
        "第一节",
        "番外",
    ]);
    prop::collection::vec(line, 0..40).prop_map(|lines| lines.join("\n"))
}

fn assert_whole(plan: &ChapterPlan, end: usize) {
    let mut at = 0;
    for chapter in &plan.chapters {
        assert_eq!(chapter.whole.start, at);
        assert!(
            chapter.whole.start <= chapter.body.start && chapter.body.start <= chapter.body.end
        );
        assert_eq!(chapter.body.end, chapter.whole.end);
        at = chapter.whole.end;
    }
    assert_eq!(at, end);
}

fn words(text: &str) -> String {
    text.split_whitespace().collect()
}

proptest! {
    /// The chapters one after the other are the text, and the text outside their bodies consists of their titles.
    #[test]
    fn nothing_of_a_text_is_lost(text in prop_oneof![lines(), "\\PC{0,80}", "(.|\n){0,80}"]) {
        let plan = split_text(&text);
        assert_whole(&plan, text.len());
        let mut volume = None;
        let mut said = String::new();
        for chapter in &plan.chapters {
            if chapter.volume != volume {
                volume.clone_from(&chapter.volume);
                said.push_str(&words(volume.as_deref().unwrap_or_default()));
            }
            said.push_str(&words(&chapter.title));
            said.push_str(&words(&text[chapter.body.clone()]));
        }
        // The name of a volume is given once even if it occurs twice.
        prop_assert!(said.len() <= words(&text).len());
        if plan.chapters.iter().all(|chapter| chapter.volume.is_none()) {
            prop_assert_eq!(said, words(&text));
        }
    }

    /// The same for Markdown and for a document.
    #[test]
    fn nothing_of_a_document_is_lost(text in lines(), marks in prop::collection::vec(0..4_usize, 40)) {
        let marked: Vec<String> = text
            .lines()
            .zip(marks)
            .map(|(line, mark)| if mark > 0 && !line.is_empty() { format!("\n{} {line}\n", "#".repeat(mark)) } else { line.to_owned() })
            .collect();
        let markdown = marked.join("\n");
        assert_whole(&split_markdown(&markdown), markdown.len());
        let document = crate::read("a.md", markdown.as_bytes(), &IntakeLimits::default(), &|| false);
        if let Ok(document) = document {
            assert_whole(&split_blocks(&document.blocks), document.blocks.len());
        }
    }
}
