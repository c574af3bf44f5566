//! Decks as people write them, with how each is read: `tests/decks/read/<name>.json` has the diagnostics by line and code, and the
//! deck. `UPDATE_DECKS=1` writes them anew; look at what changed.

use std::path::PathBuf;

use sdsl::{Positions, format, parse};
use serde_json::{Value, json};

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/decks"))
}

fn decks() -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder()).expect("the decks");
    let files = files.map(|file| file.expect("a file").path());
    let mut decks: Vec<PathBuf> = files
        .filter(|path| path.extension().is_some_and(|ending| ending == "sdsl"))
        .collect();
    decks.sort();
    decks
}

fn read(bytes: &[u8]) -> Value {
    let text = std::str::from_utf8(bytes).expect("UTF-8");
    let read = sdsl::read(bytes).expect("a deck");
    let positions = Positions::new(text);
    let found = read.diagnostics.iter().map(|diagnostic| {
        let line = positions.at(diagnostic.span.start).line;
        std::format!("{line}: {}", diagnostic.code.as_str())
    });
    json!({ "diagnostics": found.collect::<Vec<_>>(), "presentation": read.presentation })
}

#[test]
fn every_deck_is_read_as_it_was_and_its_format_as_the_same() {
    let decks = decks();
    assert!(decks.len() >= 20, "{} decks", decks.len());
    for path in decks {
        let bytes = std::fs::read(&path).expect("a deck");
        let read = read(&bytes);
        let name = path.file_stem().expect("a name").to_string_lossy();
        let kept = folder().join(std::format!("read/{name}.json"));
        if std::env::var_os("UPDATE_DECKS").is_some() {
            let json = serde_json::to_string_pretty(&read).expect("JSON") + "\n";
            std::fs::write(&kept, json).expect("written");
        }
        let expected = std::fs::read_to_string(&kept)
            .unwrap_or_else(|error| panic!("{}: {error}", kept.display()));
        let expected: Value = serde_json::from_str(&expected).expect("JSON");
        assert_eq!(read, expected, "{name}");
        let deck = sdsl::read(&bytes).expect("a deck").presentation;
        let written = format(&deck);
        assert_eq!(parse(&written).presentation, deck, "{name}\n{written}");
        assert_eq!(format(&parse(&written).presentation), written, "{name}");
    }
}
