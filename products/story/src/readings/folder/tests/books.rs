//! The two novels that stand in the repository.

use std::path::Path;

use palimpsest::prelude::pipeline::text::language_of;

use super::{assert_comes_back, book, ids, read, remarks, titles};
use crate::readings::folder::FolderRead;

fn novel(folder: &str) -> FolderRead {
    fn walk(folder: &Path, root: &Path, found: &mut Vec<(String, String)>) {
        for file in std::fs::read_dir(folder).expect("a folder") {
            let path = file.expect("a file").path();
            if path.is_dir() {
                walk(&path, root, found);
                continue;
            }
            let text = std::fs::read_to_string(&path).expect("a text");
            let path = path.strip_prefix(root).expect("it is inside");
            found.push((path.to_string_lossy().into_owned(), text));
        }
    }
    let root = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../..")
        .join(folder);
    let mut found = Vec::new();
    walk(&root, &root, &mut found);
    read("", &found)
}

#[test]
fn the_chinese_novel_is_read_without_remarks() {
    let read = novel("examples/stories/harbour");
    assert_eq!(remarks(&read), Vec::<String>::new());
    assert_eq!(read.description.title, "封港");
    assert_eq!(
        titles(&read),
        ["雾钟", "潮信", "鹭屿", "退潮", "县城", "信"]
    );
    let book = book(&read);
    assert_eq!(book.characters().count(), 8);
    assert_eq!(book.plot_loops().count(), 2);
    let lengths = book
        .chapters()
        .into_iter()
        .map(|it| it.text.chars().count());
    let lengths: Vec<usize> = lengths.collect();
    assert!(
        lengths.iter().all(|it| (900..1800).contains(it)),
        "{lengths:?}"
    );
    assert!(ids(&read).contains(&"chu-wancheng-a-yan-师父"));
    assert_comes_back(&read);
}

#[test]
fn the_english_novel_is_read_without_remarks() {
    let read = novel("tests/stories/lighthouse");
    assert_eq!(remarks(&read), Vec::<String>::new());
    let chapters = [
        "The Inspection",
        "The Lamp Goes Out",
        "The Crossing",
        "Low Water",
        "The Board",
        "The Page",
    ];
    assert_eq!(titles(&read), chapters);
    let book = book(&read);
    assert_eq!(book.characters().count(), 8);
    let drafts = book.chapters().into_iter().filter(|it| !it.is_accepted);
    assert_eq!(drafts.count(), 1);
    let prose = read.texts.iter().map(|it| language_of(&it.text));
    assert!(prose.into_iter().all(|language| language == Some("en")));
    assert_comes_back(&read);
}
