use std::collections::BTreeSet;
use std::path::Path;

use super::{assert_comes_back, remarks};
use crate::readings::folder::fields::{EntryKind, Field, Shape, fields};
use crate::readings::folder::read;

/// The examples of the page for writers: blocks that name their file.
fn examples() -> Vec<(String, String)> {
    let page = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/stories.md");
    let page = std::fs::read_to_string(page).expect("docs/stories.md");
    let mut examples = Vec::new();
    let mut open: Option<(String, String)> = None;
    for line in page.lines() {
        match (&mut open, line.strip_prefix("```")) {
            (None, Some(info)) => {
                let path = info.strip_prefix("md ").expect("a block names its file");
                open = Some((path.to_owned(), String::new()));
            }
            (Some(_), Some(_)) => examples.extend(open.take()),
            (Some((_, text)), None) => {
                text.push_str(line);
                text.push('\n');
            }
            (None, None) => {}
        }
    }
    examples
}

#[test]
fn the_examples_of_the_page_are_a_folder_without_remarks() {
    let read = read("", &examples());
    assert_eq!(remarks(&read), Vec::<String>::new());
    assert_eq!(read.entries.len(), 17);
    assert_comes_back(&read);
}

fn keys(known: &[Field], found: &mut BTreeSet<&'static str>) {
    for field in known {
        found.insert(field.key);
        if let Shape::Record(inner) | Shape::Records(inner) = field.shape {
            let inner = fields(inner);
            keys(inner, found);
        }
    }
}

#[test]
fn every_field_has_an_example_on_the_page() {
    let mut all = BTreeSet::new();
    keys(fields("story"), &mut all);
    keys(fields("common"), &mut all);
    let is_below = |kind: EntryKind, key: &str| kind.words_key() == key;
    for kind in EntryKind::ALL {
        let mut of_kind = BTreeSet::new();
        keys(kind.fields(), &mut of_kind);
        all.extend(of_kind.iter().filter(|key| !is_below(kind, key)));
    }
    let examples = examples();
    let text: String = examples.iter().map(|(_, text)| text.as_str()).collect();
    let is_shown = |key: &str| {
        let mut starts = ["\n", "- ", "{", ", ", "  "].iter();
        starts.any(|before| text.contains(&format!("{before}{key}:")))
    };
    let missing: Vec<&str> = all.into_iter().filter(|key| !is_shown(key)).collect();
    assert_eq!(missing, [""; 0]);
}
