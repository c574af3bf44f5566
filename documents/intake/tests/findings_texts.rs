//! What went wrong with texts that people gave, one test for each: they are read now, word for word.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::path::Path;

use palimpsest_intake::{IntakeLimits, markdown, read};
use spec::source::{BlockContent, ListMarker, RichText, SourceDocument};

fn given(name: &str) -> SourceDocument {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/inputs");
    let bytes = std::fs::read(folder.join(name)).unwrap();
    read(name, &bytes, &IntakeLimits::default(), &|| false).unwrap()
}

fn written(name: &str, bytes: &[u8]) -> SourceDocument {
    read(name, bytes, &IntakeLimits::default(), &|| false).unwrap()
}

/// The cells of the only table.
fn cells(document: &SourceDocument) -> Vec<Vec<String>> {
    let tables: Vec<Vec<Vec<String>>> = document
        .blocks
        .iter()
        .filter_map(|block| {
            let BlockContent::Table(table) = &block.content else {
                return None;
            };
            Some(
                table
                    .rows
                    .iter()
                    .map(|row| row.iter().map(RichText::words).collect())
                    .collect(),
            )
        })
        .collect();
    assert_eq!(tables.len(), 1);
    tables.into_iter().next().unwrap()
}

fn items(document: &SourceDocument) -> Vec<(u8, ListMarker, String)> {
    let mut items = Vec::new();
    for block in &document.blocks {
        if let BlockContent::List(list) = &block.content {
            let list = list.iter();
            items.extend(list.map(|item| (item.level, item.marker.clone(), item.text.words())));
        }
    }
    items
}

#[test]
fn a_text_in_utf_16_was_ignored() {
    let document = given("source-utf16.md");
    assert_eq!(document.encoding.as_deref(), Some("UTF-16LE"));
    assert!(markdown(&document).starts_with("# Rivers\n\nThe Nile is long."));
}

#[test]
fn a_text_in_latin_1_was_ignored() {
    let document = written(
        "note.txt",
        b"Le caf\xE9 est ferm\xE9 jusqu'\xE0 l'\xE9t\xE9.",
    );
    assert_eq!(markdown(&document), "Le café est fermé jusqu'à l'été.\n");
}

#[test]
fn a_table_in_gbk_was_called_passed_and_empty() {
    let rows = cells(&given("gbk_worklog.csv"));
    assert_eq!(rows, cells(&given("utf8_worklog.csv")));
    assert_eq!(rows[2], ["2025-03-04", "压力测试", "刘芳", "7.5"]);
}

#[test]
fn a_line_break_in_a_cell_moved_the_cells() {
    let rows = cells(&given("nl.csv"));
    let expected = [
        ["地区", "备注", "金额"],
        ["华东", "第一行\n第二行", "100"],
        ["华南", "无", "200"],
    ];
    assert_eq!(rows, expected);
}

#[test]
fn a_semicolon_or_a_tab_between_cells_lost_them() {
    let rows = cells(&given("semi.csv"));
    assert_eq!(rows, [["地区", "金额"], ["华东", "100,5"], ["华南", "200"]]);
    let rows = cells(&given("t.tsv"));
    assert_eq!(rows, [["地区", "金额"], ["华东", "100"], ["华南", "200"]]);
}

#[test]
fn powers_prices_paths_and_signs_lost_their_signs() {
    let text = markdown(&given("src_tech.md"));
    for words in [
        "`2**10` is 1024, so `2**3` is 8",
        "10<sup>6</sup> bytes",
        "H<sub>2</sub>O",
        "$E=mc^2$ and the area is $\\frac{1}{2}ab$",
        "R&D",
        "`List<String>` when x < y and y > z",
        "C:\\Users\\pupil\\notes.txt",
    ] {
        assert!(text.contains(words), "{words}\n{text}");
    }
    let prices = written(
        "a.md",
        b"The textbook costs $25 and the lab kit $40, or US$170.",
    );
    assert_eq!(
        markdown(&prices),
        "The textbook costs $25 and the lab kit $40, or US$170.\n"
    );
}

#[test]
fn a_url_lost_its_ampersand() {
    let items = items(&given("src_long.md"));
    let url = "网址：https://example.org/guang/fanshe/index.html?a=1&b=2";
    assert_eq!(items.last().unwrap().2, url);
}

#[test]
fn a_table_of_nine_rows_had_not_one_cell() {
    let rows = cells(&given("src_table.md"));
    assert_eq!((rows.len(), rows[0].len()), (10, 7));
    let last = ["Pluto", "0.0130", "2376", "153.3", "5906.4", "5", "No"];
    assert_eq!(rows[9], last);
}

#[test]
fn eight_steps_were_four() {
    let steps = items(&given("src_long.md"));
    let numbers: Vec<ListMarker> = steps
        .iter()
        .take(8)
        .map(|(_, marker, _)| marker.clone())
        .collect();
    assert_eq!(numbers, (1..=8).map(ListMarker::Number).collect::<Vec<_>>());
    assert_eq!(steps[7].2, "整理器材。");
    assert_eq!(cells(&given("src_long.md")).len(), 8);
}

#[test]
fn nested_steps_were_flat_and_two_were_missing() {
    let steps = items(&given("src_tech.md"));
    let steps: Vec<String> = steps
        .iter()
        .skip_while(|(_, _, text)| text != "Measure")
        .map(|(level, _, text)| format!("{level} {text}"))
        .collect();
    let expected = [
        "0 Measure",
        "1 Set the scale to zero",
        "1 Put the sample on it",
        "2 gently",
        "2 with tweezers",
        "0 Record",
        "1 Write the mass",
        "1 Write the time",
        "0 Compare",
    ];
    assert_eq!(steps, expected);
}

#[test]
fn a_block_of_code_was_gone() {
    let code = BlockContent::Code {
        language: Some("python".to_owned()),
        text: "for i in range(3):\n    print(i * 2)".to_owned(),
    };
    assert!(
        given("src_tech.md")
            .blocks
            .iter()
            .any(|block| block.content == code)
    );
}

#[test]
fn a_picture_of_a_source_was_never_shown() {
    let document = given("src_tech.md");
    let picture = document.blocks.iter().find_map(|block| {
        let BlockContent::Picture(picture) = &block.content else {
            return None;
        };
        Some(picture)
    });
    let picture = picture.unwrap();
    assert_eq!(picture.reference, "loop.png");
    assert_eq!(picture.alt, "A diagram of the loop");
}

#[test]
fn sentences_were_cut_in_halves() {
    let text = markdown(&given("tides.md"));
    assert!(text.contains("The Sun does the same, but its effect is about 46 percent of the Moon's, because although it is far more massive it is 390 times further away."));
    let text = markdown(&given("minutes.md"));
    assert!(text.contains("决议：推迟支付模块到 5 月 12 日；预算追加 35 万元。"));
}

#[test]
fn numbers_were_made_other_numbers() {
    let text = b"[{\"id\": 12345678901234567890123, \"a\": 1.10, \"b\": 1e3}]";
    let rows = cells(&written("a.json", text));
    assert_eq!(rows[1], ["12345678901234567890123", "1.10", "1e3"]);
    let rows = cells(&written(
        "a.csv",
        b"id,a,b\n12345678901234567890123,1.10,1e3\n",
    ));
    assert_eq!(rows[1], ["12345678901234567890123", "1.10", "1e3"]);
}

#[test]
fn small_numbers_were_zeros() {
    let rows = cells(&given("src_sizes.md"));
    assert_eq!(rows[1], ["Virus", "0.0000001"]);
    let text = markdown(&given("tiny.json"));
    for number in ["0.0004", "0.0012", "0.0025"] {
        assert!(text.contains(number), "{text}");
    }
}

#[test]
fn the_table_and_the_blanks_of_a_template_were_dropped() {
    let document = given("t04_tender_zh.md");
    let rows = cells(&document);
    assert_eq!(
        rows[0],
        ["序号", "条款名称", "合同条款号", "约定内容", "备注"]
    );
    let blanks = document.blocks.iter().any(|block| {
        let BlockContent::Paragraph(text) = &block.content else {
            return false;
        };
        text.words().contains("（大写）______元（¥______）")
    });
    assert!(blanks);
}

#[test]
fn a_heading_that_is_there_was_said_to_be_missing() {
    let document = given("weekly.md");
    let headings: Vec<String> = document
        .blocks
        .iter()
        .filter_map(|block| {
            let BlockContent::Heading { text, .. } = &block.content else {
                return None;
            };
            Some(text.words())
        })
        .collect();
    assert_eq!(headings, ["Week 12 notes", "Incidents", "Plan"]);
}

#[test]
fn inequalities_were_refused_as_markup() {
    let document = written("a.md", "若a<b，则a+c<b+c；a<b and b>c".as_bytes());
    let [block] = &document.blocks[..] else {
        panic!("{document:?}");
    };
    let text = BlockContent::Paragraph(RichText::plain("若a<b，则a+c<b+c；a<b and b>c"));
    assert_eq!(block.content, text);
}

#[test]
fn files_that_are_not_read_were_ignored_without_a_word() {
    let mut old = b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1".to_vec();
    old.extend("WordDocument".encode_utf16().flat_map(u16::to_le_bytes));
    let refusal = read("a.doc", &old, &IntakeLimits::default(), &|| false).unwrap_err();
    let words = "an old Word document (.doc) cannot be read: save it as .docx and give that";
    assert_eq!(refusal.to_string(), words);
}
