//! A story as a printed book: the accepted prose, volume by volume.

use palimpsest::prelude::pipeline::{EntryId, Sha256};
use spec::book::{Book as PrintedBook, BookChapter, BookVolume, TextForm};

use super::book::{Book, Placed};

/// Hexadecimal digits of the identifier of a book.
const IDENTIFIER_DIGITS: usize = 32;

/// The accepted chapters as a book; with `drafts`, also the chapters that are only drafts. `book` has to contain the versions that are
/// wanted.
pub(crate) fn printed(book: &Book, drafts: bool) -> PrintedBook {
    let description = &book.project().description;
    let mut volumes: Vec<(Option<EntryId>, BookVolume)> = vec![];
    for placed in book.chapters() {
        let is_printed = !placed.text.is_empty() && (drafts || placed.is_accepted);
        if !is_printed {
            continue;
        }
        let volume = placed.chapter.volume.clone();
        if volumes.last().map(|(last, _)| last) != Some(&volume) {
            let title = volume.as_ref().and_then(|id| book.project().entry(id));
            let title = title.map(|entry| entry.what.name().to_owned());
            let of_title = BookVolume {
                title,
                chapters: vec![],
            };
            volumes.push((volume, of_title));
        }
        if let Some((_, volume)) = volumes.last_mut() {
            volume.chapters.push(chapter(&placed));
        }
    }
    let says = [
        &description.title,
        &description.author,
        &description.language,
    ];
    let hash = Sha256::of_parts(says.map(String::as_bytes));
    let authors = Some(description.author.clone()).filter(|author| !author.is_empty());
    PrintedBook {
        title: description.title.clone(),
        authors: authors.into_iter().collect(),
        language: description.language.clone(),
        identifier: format!("urn:palimpsest:{}", &hash.hex()[..IDENTIFIER_DIGITS]),
        description: Some(description.description.clone()).filter(|text| !text.is_empty()),
        volumes: volumes.into_iter().map(|(_, volume)| volume).collect(),
        ..PrintedBook::default()
    }
}

fn chapter(placed: &Placed<'_>) -> BookChapter {
    BookChapter {
        title: placed.chapter.title.clone(),
        form: TextForm::Markdown,
        text: placed.text.to_owned(),
    }
}
