//! Files from people that gave no content, or wrong content.

use palimpsest_intake::{IntakeLimits, Unreadable, read};
use proptest::prelude::*;
use spec::source::{BlockContent, SourceDocument, SourceFormat};

fn file(name: &str) -> Vec<u8> {
    let path = format!("{}/tests/inputs/{name}", env!("CARGO_MANIFEST_DIR"));
    std::fs::read(&path).unwrap_or_else(|error| panic!("{path}: {error}"))
}

fn document(name: &str) -> SourceDocument {
    let read = read(name, &file(name), &IntakeLimits::default(), &|| false);
    read.unwrap_or_else(|error| panic!("{name}: {error}"))
}

/// The rows of the only table.
fn rows(name: &str) -> Vec<Vec<String>> {
    let document = document(name);
    let tables: Vec<_> = document
        .blocks
        .iter()
        .filter_map(|block| {
            if let BlockContent::Table(table) = &block.content {
                Some(table)
            } else {
                None
            }
        })
        .collect();
    let [table] = tables.as_slice() else {
        panic!("{name}: {document:#?}")
    };
    let row =
        |row: &Vec<spec::source::RichText>| row.iter().map(spec::source::RichText::words).collect();
    table.rows.iter().map(row).collect()
}

#[test]
fn a_line_break_in_a_cell_moves_nothing() {
    let rows = rows("nl.csv");
    let width = rows[0].len();
    assert!(rows.iter().all(|row| row.len() == width), "{rows:?}");
    assert!(
        rows.iter().flatten().any(|cell| cell.contains('\n')),
        "{rows:?}"
    );
}

#[test]
fn semicolons_and_tabs_are_found_out() {
    for name in ["semi.csv", "t.tsv"] {
        assert!(rows(name)[0].len() > 1, "{name}");
    }
}

#[test]
fn a_table_in_gbk_is_the_same_as_in_utf_8() {
    assert_eq!(rows("gbk_worklog.csv"), rows("utf8_worklog.csv"));
    assert_eq!(
        document("gbk_worklog.csv").encoding.as_deref(),
        Some("gb18030")
    );
}

#[test]
fn a_text_in_utf_16_is_read() {
    let document = document("source-utf16.md");
    assert_eq!(document.format, SourceFormat::Markdown);
    assert!(document.blocks.len() > 1, "{document:?}");
    assert!(document.omissions.is_empty(), "{document:?}");
}

#[test]
fn office_files_are_read() {
    assert!(document("source.docx").blocks.len() > 1);
    assert!(rows("sales.xlsx").len() > 1);
}

#[test]
fn a_table_of_nine_columns_has_all_its_cells() {
    let rows = rows("src_table.md");
    assert!(
        rows.iter().all(|row| row.len() == rows[0].len()),
        "{rows:?}"
    );
    assert!(rows.len() >= 7, "{rows:?}");
}

#[test]
fn signs_and_code_of_a_technical_text_stay() {
    let document = document("src_tech.md");
    let text = format!("{document:?}");
    for sign in ["2**10", "$25", "Users"] {
        assert!(text.contains(sign), "{sign}: {text}");
    }
    let is_code = |content: &BlockContent| matches!(content, BlockContent::Code { .. });
    assert!(document.blocks.iter().any(|block| is_code(&block.content)));
}

const NAMES: [&str; 14] = [
    "a.md", "a.txt", "a.html", "a.csv", "a.json", "a.xlsx", "a.docx", "a.pptx", "a.odt", "a.ods",
    "a.epub", "a.pdf", "a.png", "a.py",
];

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    /// Whatever the bytes and the name are, reading ends with a document or a refusal, and never with a panic that is caught.
    #[test]
    fn no_bytes_break_a_reader(
        name in prop::sample::select(NAMES.to_vec()),
        start in prop::sample::select(vec![
            &b""[..], b"%PDF-1.7\n", b"PK\x03\x04", b"\x89PNG\r\n\x1a\n", b"<html>", b"{\"a\": [", b"# ", b"\xff\xfe", b"| a | b |\n|---|---|\n",
        ]),
        bytes in prop::collection::vec(any::<u8>(), 0..400),
    ) {
        let bytes = [start, bytes.as_slice()].concat();
        let read = read(name, &bytes, &IntakeLimits::default(), &|| false);
        if let Err(Unreadable::Damaged { cause, .. }) = read {
            prop_assert!(!cause.contains("panicked") && !cause.contains("index out of"), "{cause}");
        }
    }
}
