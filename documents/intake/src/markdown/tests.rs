use proptest::prelude::*;
use spec::source::{
    BlockContent, ListItem, ListMarker, Location, NoteKind, RichText, SourceBlock, SourceDocument,
    SourcePicture, SourceTable, TextMarks,
};

use super::markdown;
use crate::{IntakeLimits, read};

fn document(contents: Vec<BlockContent>) -> SourceDocument {
    let blocks = contents.into_iter().map(|content| SourceBlock {
        location: Location::File,
        content,
    });
    SourceDocument {
        blocks: blocks.collect(),
        ..SourceDocument::default()
    }
}

fn paragraph(text: &str) -> BlockContent {
    BlockContent::Paragraph(RichText::plain(text))
}

fn again(document: &SourceDocument) -> SourceDocument {
    let text = markdown(document);
    if text.trim().is_empty() {
        return SourceDocument::default();
    }
    read("a.md", text.as_bytes(), &IntakeLimits::default(), &|| false).unwrap()
}

/// All words of a document in their order, without blanks that mean nothing.
fn words(document: &SourceDocument) -> String {
    let mut all: Vec<String> = Vec::new();
    for block in &document.blocks {
        match &block.content {
            BlockContent::Heading { text, .. }
            | BlockContent::Paragraph(text)
            | BlockContent::Note { text, .. } => all.push(text.words()),
            BlockContent::List(items) => all.extend(items.iter().map(|item| item.text.words())),
            BlockContent::Table(table) => {
                all.extend(table.rows.iter().flatten().map(RichText::words));
            }
            BlockContent::Code { text, .. } | BlockContent::Formula(text) => all.push(text.clone()),
            BlockContent::Quotation(lines) => all.extend(lines.iter().map(RichText::words)),
            BlockContent::Picture(picture) => all.push(picture.alt.clone()),
        }
    }
    let all = all.join(" ");
    all.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[test]
fn blocks_are_written_as_people_write_them() {
    let mut text = RichText::plain("Water is H");
    let lowered = TextMarks {
        subscript: true,
        ..TextMarks::default()
    };
    let raised = TextMarks {
        superscript: true,
        ..TextMarks::default()
    };
    let bold = TextMarks {
        bold: true,
        ..TextMarks::default()
    };
    let formula = TextMarks {
        formula: true,
        ..TextMarks::default()
    };
    text.push("2", lowered, None);
    text.push("O, 2**10, $25 & C:\\Users ", TextMarks::default(), None);
    text.push("now", bold, None);
    text.push(" ", TextMarks::default(), None);
    text.push(
        "page",
        TextMarks::default(),
        Some("https://example.org/a?b=1&c=2"),
    );
    text.push("1", raised, None);
    let mut area = RichText::plain("Area ");
    area.push("\\frac{1}{2}ab", formula, None);
    let item = |level, marker, text: &str| ListItem {
        level,
        marker,
        text: RichText::plain(text),
    };
    let cell = |text: &str| RichText::plain(text);
    let note = |kind, label: Option<&str>, text: &str| BlockContent::Note {
        kind,
        label: label.map(str::to_owned),
        text: RichText::plain(text),
    };
    let document = document(vec![
        BlockContent::Heading {
            level: 2,
            text: cell("Powers #"),
        },
        BlockContent::Paragraph(text),
        BlockContent::Paragraph(area),
        BlockContent::List(vec![
            item(0, ListMarker::Number(9), "nine"),
            item(0, ListMarker::Number(10), "ten\nmore"),
            item(1, ListMarker::Bullet, "in ten"),
            item(0, ListMarker::Task { done: true }, "done"),
        ]),
        BlockContent::Table(SourceTable {
            caption: Some("Sheet1".to_owned()),
            head_rows: 1,
            rows: vec![vec![cell("a|b"), cell("c")], vec![cell("1\n2"), cell("")]],
            ..SourceTable::default()
        }),
        BlockContent::Code {
            language: Some("md".to_owned()),
            text: "```\nx\n```".to_owned(),
        },
        BlockContent::Formula("x^2".to_owned()),
        BlockContent::Quotation(vec![cell("one"), cell("two")]),
        BlockContent::Picture(SourcePicture {
            alt: "A [x]".to_owned(),
            reference: "a b.png".to_owned(),
            embedded: None,
        }),
        note(NoteKind::Footnote, Some("1"), "The note."),
        note(NoteKind::Speaker, None, "Say it."),
    ]);
    let expected = "## Powers \\#\n\nWater is H<sub>2</sub>O, 2\\*\\*10, $25 & C:\\Users **now** [page](https://example.org/a?b=1&c=2)[^1]\n\nArea $\\frac{1}{2}ab$\n\n9. nine\n10. ten\\\n    more\n    - in ten\n- [x] done\n\nSheet1\n\n| a&#124;b | c |\n| --- | --- |\n| 1<br>2 |  |\n\n````md\n```\nx\n```\n````\n\n$$\nx^2\n$$\n\n> one\n>\n> two\n\n![A &#91;x&#93;](<a b.png>)\n\n[^1]: The note.\n\n> Note: Say it.\n";
    assert_eq!(markdown(&document), expected);
    let again = again(&document);
    assert_eq!(again.blocks.len(), document.blocks.len() + 2);
    assert_eq!(again.blocks[1].content, document.blocks[1].content);
}

#[test]
fn lists_that_follow_each_other_stay_apart() {
    let list = |number| {
        BlockContent::List(vec![ListItem {
            level: 0,
            marker: ListMarker::Number(number),
            text: RichText::plain("x"),
        }])
    };
    let document = document(vec![list(1), list(1)]);
    assert_eq!(again(&document).blocks.len(), 2);
}

fn nasty() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        "[a-z0-9]{1,4}",
        "[ *_`#>+.()<&$|~!=:;-]{1,3}",
        "[\\[\\]\\\\^{}'\"]{1,3}",
        "[中文，。：“”一]{1,3}",
        Just(" ".to_owned()),
        Just("&amp;".to_owned()),
        Just("<b>".to_owned()),
        Just("$x$".to_owned()),
        Just("\\(a\\)".to_owned()),
        Just("1. ".to_owned()),
        Just("[^1]".to_owned()),
        Just("https://a.b/c_d?e=1&f".to_owned()),
        Just("<!--".to_owned()),
        Just("\n".to_owned()),
    ];
    proptest::collection::vec(piece, 1..8).prop_map(|pieces| pieces.concat().trim().to_owned())
}

fn rich() -> impl Strategy<Value = RichText> {
    let marks =
        (any::<bool>(), any::<bool>(), 0..8_u8).prop_map(|(bold, italic, other)| TextMarks {
            bold,
            italic,
            strike: other == 1,
            code: false,
            superscript: other == 2,
            subscript: other == 3,
            formula: false,
        });
    let piece = (
        nasty(),
        marks,
        prop::option::weighted(0.1, Just("https://a.b/(c)")),
    );
    proptest::collection::vec(piece, 1..4).prop_map(|pieces| {
        let mut text = RichText::default();
        for (words, marks, link) in pieces {
            text.push(words, marks, link);
        }
        text
    })
}

fn block() -> impl Strategy<Value = BlockContent> {
    let marker = prop_oneof![
        Just(ListMarker::Bullet),
        (1..200_u64).prop_map(ListMarker::Number),
        any::<bool>().prop_map(|done| ListMarker::Task { done }),
    ];
    let item = (0..3_u8, marker, rich()).prop_map(|(level, marker, text)| ListItem {
        level,
        marker,
        text,
    });
    let table = (0..2_usize, 1..4_usize).prop_flat_map(|(head_rows, width)| {
        let row = proptest::collection::vec(rich(), width);
        proptest::collection::vec(row, 1..4).prop_map(move |rows| SourceTable {
            head_rows,
            rows,
            ..SourceTable::default()
        })
    });
    prop_oneof![
        rich().prop_map(BlockContent::Paragraph),
        (1..7_u8, rich()).prop_map(|(level, text)| BlockContent::Heading { level, text }),
        proptest::collection::vec(item, 1..5).prop_map(BlockContent::List),
        table.prop_map(BlockContent::Table),
        nasty().prop_map(|text| BlockContent::Code {
            language: None,
            text
        }),
        proptest::collection::vec(rich(), 1..3).prop_map(BlockContent::Quotation),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn reading_what_is_written_gives_the_same_words(contents in proptest::collection::vec(block(), 1..4)) {
        let document = document(contents);
        prop_assert_eq!(words(&again(&document)), words(&document), "{}", markdown(&document));
    }
}

#[test]
fn a_line_break_between_dollar_signs_makes_no_formula_of_a_cell() {
    let cell = |text: &str| RichText::plain(text);
    let document = document(vec![BlockContent::Table(SourceTable {
        head_rows: 1,
        rows: vec![vec![cell("$0\n$"), cell("US$5\n$")]],
        ..SourceTable::default()
    })]);
    assert_eq!(words(&again(&document)), words(&document));
}

#[test]
fn words_that_look_like_marks_are_read_again() {
    for text in [
        "# a", "1. a", "- a", "> a", "---", "===", "a\n===", "a\n| - |", "[a]: b", "***", "+",
        "a\n\nb",
    ] {
        let document = document(vec![paragraph(text)]);
        assert_eq!(
            words(&again(&document)),
            words(&document),
            "{}",
            markdown(&document)
        );
    }
}
