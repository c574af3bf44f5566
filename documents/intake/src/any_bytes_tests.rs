//! Any bytes under any name give a document or a refusal.
//!
//! [`crate::read`] turns a panic of a reader into a refusal, so the functions that it calls are tested here directly.

use proptest::prelude::*;
use spec::source::SourceDocument;

use crate::budget::ReadingBudget;
use crate::{IntakeLimits, Reading, Unreadable, detect, markdown, readers};

const NAMES: [&str; 16] = [
    "a.md", "a.txt", "a.csv", "a.tsv", "a.json", "a.jsonl", "a.html", "a.docx", "a.xlsx", "a.pptx",
    "a.odt", "a.epub", "a.pdf", "a.png", "a.yaml", "",
];

fn outcome(name: &str, bytes: &[u8]) -> Result<SourceDocument, Unreadable> {
    let limits = IntakeLimits {
        cells: 500,
        chars: 2_000,
        blocks: 50,
        depth: 8,
        ..IntakeLimits::default()
    };
    let reading = Reading {
        name,
        bytes,
        limits: &limits,
        stop: &|| false,
        budget: ReadingBudget::default(),
    };
    let format = detect::format(&reading)?;
    readers::read(format, &reading)
}

/// Pieces that readers look for, so that a file made of them is read further than a file of random bytes.
fn piece() -> impl Strategy<Value = Vec<u8>> {
    let known: [&[u8]; 30] = [
        b"\xFF\xFE",
        b"\xEF\xBB\xBF",
        b"\0",
        b"\n",
        b"\r\n",
        b"\n\n",
        b"# ",
        b"- ",
        b"1. ",
        b"| a | b |\n|---|---|\n",
        b"$",
        b"$$",
        b"\\(",
        b"\\[",
        b"**",
        b"```",
        b"<b>",
        b"<!--",
        b"---\n",
        b"[^1]: ",
        b"![a](b)",
        b"{\"a\":",
        b"[1, ",
        b"\"",
        b"sep=;\n",
        b",",
        b";",
        b"%PDF-1.7\n",
        b"PK\x03\x04",
        b"\xD0\xCF\x11\xE0\xA1\xB1\x1A\xE1",
    ];
    prop_oneof![
        proptest::sample::select(known.to_vec()).prop_map(<[u8]>::to_vec),
        proptest::collection::vec(any::<u8>(), 0..12),
        "[a-z 0-9.,_=*&;:<>()\\[\\]{}\\\\|~`$\"'-]{0,12}".prop_map(String::into_bytes),
        "\\PC{0,8}".prop_map(String::into_bytes),
        "[\u{4E00}-\u{4E20}，。：“”一、第章]{0,8}".prop_map(String::into_bytes),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(512))]

    #[test]
    fn end_in_a_document_or_a_refusal(
        name in proptest::sample::select(NAMES.to_vec()),
        pieces in proptest::collection::vec(piece(), 0..20),
    ) {
        let bytes = pieces.concat();
        if let Ok(document) = outcome(name, &bytes) {
            let _ = markdown(&document);
        }
        let _ = crate::text(&bytes);
    }
}
