//! Files that other programs made, read and compared with the words that an independent reader finds in them.

#![expect(clippy::unwrap_used, reason = "a test that cannot go on fails")]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use palimpsest_intake::{IntakeLimits, read};
use spec::source::{BlockContent, ListMarker, RichText, SourceDocument};
use unicode_normalization::UnicodeNormalization as _;

/// How many words of a hundred may differ.
const OF_HUNDRED: usize = 1;
/// The same for a PDF, whose headers and footers are given only once.
const OF_HUNDRED_PDF: usize = 3;

#[test]
fn each_file_has_the_words_that_another_reader_finds() {
    let corpus = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/corpus");
    let files = files_with_words(&corpus);
    assert!(!files.is_empty(), "no files in {}", corpus.display());
    let failures: Vec<String> = files.iter().filter_map(|path| failure(path)).collect();
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

fn files_with_words(corpus: &Path) -> Vec<PathBuf> {
    let mut files = Vec::new();
    for folder in std::fs::read_dir(corpus).unwrap() {
        let folder = folder.unwrap().path();
        if !folder.is_dir() {
            continue;
        }
        for file in std::fs::read_dir(folder).unwrap() {
            let file = file.unwrap().path();
            if words_file(&file).exists() {
                files.push(file);
            }
        }
    }
    files.sort();
    files
}

fn words_file(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".words");
    PathBuf::from(name)
}

fn failure(path: &Path) -> Option<String> {
    let bytes = std::fs::read(path).unwrap();
    let expected = words(&std::fs::read_to_string(words_file(path)).unwrap());
    let name = path.file_name().unwrap().to_string_lossy();
    let document = match read(&name, &bytes, &IntakeLimits::default(), &|| false) {
        Ok(document) => document,
        Err(refusal) => return Some(format!("{name}: {refusal}")),
    };
    let found = words(&text_of(&document));
    let missing = difference(&expected, &found);
    let added = difference(&found, &expected);
    let total: usize = expected.values().sum();
    let numbers: Vec<&String> = expected
        .keys()
        .filter(|word| word.chars().all(char::is_numeric) && !found.contains_key(*word))
        .collect();
    let most = if name.ends_with(".pdf") {
        OF_HUNDRED_PDF
    } else {
        OF_HUNDRED
    };
    let differ = missing.len().max(added.len());
    let is_good = differ * 100 <= total * most && numbers.is_empty();
    (!is_good).then(|| {
        format!("{name}: of {total} words {missing:?} are missing, {added:?} are new, numbers {numbers:?}")
    })
}

fn difference(of: &HashMap<String, usize>, from: &HashMap<String, usize>) -> Vec<String> {
    let mut words = Vec::new();
    for (word, count) in of {
        let there = from.get(word).copied().unwrap_or(0);
        words.extend(std::iter::repeat_n(
            word.clone(),
            count.saturating_sub(there),
        ));
    }
    words.sort();
    words
}

/// Runs of letters and digits, where raised ones count like the others; each Chinese character is a word.
fn words(text: &str) -> HashMap<String, usize> {
    let mut words = HashMap::new();
    let mut word = String::new();
    let mut end = |word: &mut String| {
        if !word.is_empty() {
            *words.entry(std::mem::take(word)).or_default() += 1;
        }
    };
    for character in text.nfkc() {
        let is_cjk = matches!(character, '\u{3400}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}');
        if is_cjk || !character.is_alphanumeric() {
            end(&mut word);
        }
        if character.is_alphanumeric() {
            word.push(character);
        }
        if is_cjk {
            end(&mut word);
        }
    }
    end(&mut word);
    words
}

fn text_of(document: &SourceDocument) -> String {
    let mut texts: Vec<String> = Vec::new();
    for block in &document.blocks {
        match &block.content {
            BlockContent::Heading { text, .. } | BlockContent::Paragraph(text) => {
                texts.push(text.words())
            }
            BlockContent::List(items) => {
                for item in items {
                    match &item.marker {
                        ListMarker::Number(number) => texts.push(number.to_string()),
                        ListMarker::Label(label) => texts.push(label.clone()),
                        ListMarker::Bullet | ListMarker::Task { .. } => {}
                    }
                    texts.push(item.text.words());
                }
            }
            BlockContent::Table(table) => {
                texts.extend(table.caption.clone());
                texts.extend(table.rows.iter().flatten().map(RichText::words));
            }
            BlockContent::Code { text, .. } | BlockContent::Formula(text) => {
                texts.push(text.clone())
            }
            BlockContent::Quotation(lines) => texts.extend(lines.iter().map(RichText::words)),
            BlockContent::Picture(picture) => texts.push(picture.alt.clone()),
            BlockContent::Note { label, text, .. } => {
                texts.extend(label.clone());
                texts.push(text.words());
            }
        }
    }
    texts.join("\n")
}
