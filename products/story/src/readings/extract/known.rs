//! The names in the bible, in the form in which they are shown to a model that reads a chapter for facts.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, What};

use crate::readings::book::Book;
use crate::readings::names::Names;

/// Characters of all names together: some three hundred people, places and things with their aliases, which is more than any chapter
/// mentions.
pub(crate) const KNOWN_CHARS: usize = 8_000;

/// The names that a chapter may speak of, one line for each kind.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(crate) struct KnownNames {
    pub text: String,
    /// How many names there was no room for.
    pub left_out: usize,
}

/// The headings of the kinds, in their order.
const KINDS: [&str; 4] = ["Characters", "Places", "Things", "Plot loops"];

/// The names of the bible, up to this number of characters; the names that occur in the text come first.
pub(crate) fn known_names(book: &Book, text: &str, chars_max: usize) -> KnownNames {
    let names = Names::of(book);
    let found = names.find(text);
    let named: BTreeSet<&EntryId> = found
        .iter()
        .filter_map(|it| Some(&names.get(it.named?).id))
        .collect();
    let kept = book.project().entries.values();
    let mut rows: Vec<(bool, usize, String)> = kept
        .filter_map(|kept| {
            let (kind, line) = line(&kept.entry)?;
            Some((!named.contains(&kept.entry.id), kind, line))
        })
        .collect();
    rows.sort();
    let (mut lines, mut room, mut left_out) = ([const { vec![] }; 4], chars_max, 0);
    for (_, kind, line) in rows {
        match room.checked_sub(line.chars().count() + 2) {
            Some(rest) => {
                room = rest;
                lines[kind].push(line);
            }
            None => left_out += 1,
        }
    }
    let lines = KINDS
        .iter()
        .zip(lines)
        .filter(|(_, lines)| !lines.is_empty());
    let lines =
        lines.map(|(kind, lines): (&&str, Vec<String>)| format!("{kind}: {}", lines.join("; ")));
    KnownNames {
        text: lines.collect::<Vec<_>>().join("\n"),
        left_out,
    }
}

/// Which kind it is, and its name with its aliases; `None` for an entry that has no name or cannot be in a fact.
fn line(entry: &Entry) -> Option<(usize, String)> {
    let kind = match &entry.what {
        What::Character(_) => 0,
        What::Place(_) => 1,
        What::Item(_) => 2,
        What::PlotLoop(_) if entry.standing.is_fact() => 3,
        What::PlotLoop(_)
        | What::Relationship(_)
        | What::World(_)
        | What::Volume(_)
        | What::Chapter(_)
        | What::Archetype(_)
        | What::StyleSample(_) => return None,
    };
    let (name, aliases) = (entry.what.name().trim(), entry.what.aliases());
    if name.is_empty() {
        return None;
    }
    let line = if aliases.is_empty() {
        name.to_owned()
    } else {
        format!("{name} ({})", aliases.join(", "))
    };
    Some((kind, line))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::readings::check::tests::Draft;

    #[test]
    fn who_is_in_the_text_goes_first_and_what_has_no_room_is_counted() {
        let mut draft = Draft::in_language("en").named("z", "Zachary Wend");
        for n in 10..40 {
            draft = draft.named(&format!("p{n}"), &format!("Person{n} Nobody"));
        }
        let all = known_names(&draft.book(), "Zachary Wend waits.", KNOWN_CHARS);
        assert!(all.text.starts_with("Characters: Zachary Wend; Person10"));
        assert_eq!(all.left_out, 0);
        let few = known_names(&draft.book(), "Zachary Wend waits.", 60);
        assert!(few.text.contains("Zachary Wend"), "{few:?}");
        let shown = few.text.matches("Nobody").count();
        assert_eq!((few.left_out, shown > 0), (30 - shown, true), "{few:?}");
    }
}
