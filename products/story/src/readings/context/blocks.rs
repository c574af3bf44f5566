//! What each block offers, the most needed first.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::tokens::shared_words;
use palimpsest::prelude::resource::project::{Entry, What};
use words::sentences::sentences;

use super::packing::Offer;
use super::says::{Words, entry_text, loop_text};
use super::{ContextRequest, StoryBlock};
use crate::readings::archetypes::archetypes;
use crate::readings::book::{Book, Placed};
use crate::readings::loops::{loops, told_until};
use crate::readings::state::Evolution;

/// How many characters of the end of a chapter are shown, the largest number first.
const END_CHARS: [usize; 3] = [1_200, 600, 250];

/// The most samples of a style: more of them would show nothing new.
const SAMPLES_MAX: usize = 5;

/// The most characters of a sample, and of a character who is described in one line.
const SAMPLE_CHARS: usize = 400;
const LINE_CHARS: usize = 80;

/// The shortest name that is searched for: a name of one character occurs within too many words.
const NAME_CHARS_MIN: usize = 2;

/// Where in the story a prompt is for.
pub(super) struct Scene<'a> {
    book: &'a Book,
    request: &'a ContextRequest<'a>,
    chapters: Vec<Placed<'a>>,
    evolution: Evolution,
    /// The number of the chapter that is worked on.
    number: Option<usize>,
    /// The last chapter before the scene.
    past: usize,
    words: Words,
}

impl<'a> Scene<'a> {
    pub(super) fn of(book: &'a Book, request: &'a ContextRequest<'a>) -> Self {
        let chapters = book.chapters();
        let own = chapters.iter().find(|it| Some(it.id) == request.chapter);
        let number = own.map(|it| it.number);
        Self {
            evolution: Evolution::of(book),
            past: number.map_or_else(|| told_until(book), |number| number - 1),
            words: Words::of(book),
            book,
            request,
            chapters,
            number,
        }
    }

    pub(super) fn offers(&self, block: StoryBlock) -> Vec<Offer> {
        let mut offers = match block {
            StoryBlock::Pinned => self.pinned(),
            StoryBlock::Cast => self.cast(),
            StoryBlock::PlotLoops => self.plot_loops(),
            StoryBlock::WorldRules => self.world_rules(),
            StoryBlock::PreviousEnd => self.previous_end(),
            // Their order is that of the book.
            StoryBlock::ChapterSummaries => return self.summaries(),
            StoryBlock::Found => self.found(),
            StoryBlock::Style => self.style(),
            StoryBlock::ExistingCharacters => self.existing_characters(),
            StoryBlock::Archetypes => self.archetypes(),
        };
        for (order, offer) in offers.iter_mut().enumerate() {
            offer.order = order;
        }
        offers
    }

    fn entries(&self) -> impl Iterator<Item = &'a Entry> {
        self.book.project().entries.values().map(|kept| &kept.entry)
    }

    fn pinned(&self) -> Vec<Offer> {
        let pinned = self.entries().filter(|entry| entry.pinned);
        pinned.map(|entry| self.whole(entry)).collect()
    }

    /// An entry with all that is known of it when the scene begins.
    fn whole(&self, entry: &Entry) -> Offer {
        let state = self.evolution.state(&entry.id, self.past);
        let text = entry_text(self.book, entry, state.as_ref(), self.words);
        Offer {
            what: title(entry),
            entry: Some(entry.id.clone()),
            texts: vec![text],
            ..Offer::default()
        }
    }

    fn cast(&self) -> Vec<Offer> {
        let chapter = self.request.chapter;
        let chapter = chapter.and_then(|id| self.book.project().chapter(id));
        let mut ids: Vec<EntryId> = self.request.characters.to_vec();
        if let Some(chapter) = chapter {
            ids.extend(chapter.point_of_view.iter().chain(&chapter.cast).cloned());
        }
        ids.extend(named(self.book, self.request.message));
        let mut known = BTreeSet::new();
        ids.retain(|id| known.insert(id.clone()));
        let entries = ids.iter().filter_map(|id| self.book.project().entry(id));
        let cast = entries.filter(|entry| matches!(entry.what, What::Character(_)));
        cast.map(|entry| self.whole(entry)).collect()
    }

    fn plot_loops(&self) -> Vec<Offer> {
        let open = loops(self.book, Some(self.past)).into_iter();
        open.filter(|it| it.is_open())
            .map(|it| Offer {
                what: it.title.clone(),
                texts: vec![loop_text(&it, self.words)],
                entry: Some(it.id),
                ..Offer::default()
            })
            .collect()
    }

    fn world_rules(&self) -> Vec<Offer> {
        let mut offers = vec![];
        for (entry, it) in self.book.world() {
            let says: Vec<&str> = it.rules.iter().map(|rule| rule.says.as_str()).collect();
            if entry.standing.is_fact() && !says.is_empty() {
                offers.push(Offer {
                    what: it.title.clone(),
                    entry: Some(entry.id.clone()),
                    texts: vec![self.words.said(&it.title, &says.join(" "))],
                    ..Offer::default()
                });
            }
        }
        offers
    }

    /// The end of the last chapter before the scene, if its prose is accepted.
    fn previous_end(&self) -> Vec<Offer> {
        let mut chapters = self.chapters.iter();
        let before = chapters.find(|it| it.number == self.past && it.is_accepted);
        let Some(before) = before.filter(|it| !it.text.trim().is_empty()) else {
            return vec![];
        };
        let mut texts: Vec<String> = END_CHARS.map(|chars| end_of(before.text, chars)).to_vec();
        texts.dedup();
        vec![Offer {
            what: before.chapter.title.clone(),
            texts,
            ..Offer::default()
        }]
    }

    fn summaries(&self) -> Vec<Offer> {
        let mut chapters: Vec<&Placed<'_>> = self.chapters.iter().collect();
        let middle = self.number.unwrap_or(self.past);
        // The chapter itself, then those before it, the nearest first, then those after it.
        chapters.sort_by_key(|it| {
            let is_later = it.number > middle;
            (is_later, it.number.abs_diff(middle))
        });
        let mut offers = vec![];
        for placed in chapters {
            let is_own = Some(placed.number) == self.number;
            let text = self.words.chapter(placed, is_own);
            offers.extend(text.map(|text| Offer {
                what: placed.chapter.title.clone(),
                entry: Some(placed.id.clone()),
                texts: vec![text],
                order: placed.number,
                ..Offer::default()
            }));
        }
        offers
    }

    fn found(&self) -> Vec<Offer> {
        let found = self.request.found.iter();
        found
            .map(|it| {
                let titled = |text: &str| self.words.said(&it.metadata.title, text);
                Offer {
                    what: it.metadata.title.clone(),
                    // A chapter may have several passages, so only entries are identified by their id.
                    entry: it.chapter_order.is_none().then(|| it.source_id.clone()),
                    texts: vec![titled(&it.content), titled(&it.metadata.snippet)],
                    passage: Some(it.content.clone()),
                    ..Offer::default()
                }
            })
            .collect()
    }

    fn style(&self) -> Vec<Offer> {
        let mut samples = vec![];
        for entry in self.entries() {
            if let What::StyleSample(it) = &entry.what
                && entry.standing.is_fact()
                && !it.text.trim().is_empty()
            {
                let near = shared_words(self.request.message, &it.text);
                samples.push((std::cmp::Reverse(near), &entry.id, it));
            }
        }
        samples.sort_by_key(|(near, id, _)| (*near, *id));
        let samples = samples.into_iter().enumerate();
        samples
            .map(|(place, (_, id, it))| Offer {
                what: cut(&it.text, LINE_CHARS / 4),
                entry: Some(id.clone()),
                texts: vec![cut(&it.text, SAMPLE_CHARS)],
                is_surplus: place >= SAMPLES_MAX,
                ..Offer::default()
            })
            .collect()
    }

    fn existing_characters(&self) -> Vec<Offer> {
        let mut offers = vec![];
        for (entry, it) in self.book.characters() {
            if !entry.standing.is_fact() {
                continue;
            }
            let named = self.words.with_note(&it.name, &it.role);
            offers.push(Offer {
                what: it.name.clone(),
                entry: Some(entry.id.clone()),
                texts: vec![self.words.said(&named, &cut(&it.description, LINE_CHARS))],
                ..Offer::default()
            });
        }
        offers
    }

    fn archetypes(&self) -> Vec<Offer> {
        let all = archetypes(self.book).into_iter();
        all.map(|it| {
            let named = self.words.with_note(&it.archetype.name, &it.id);
            let traits = self.words.listed(&it.archetype.traits);
            let says = format!("{} {traits}", it.archetype.function);
            Offer {
                what: it.archetype.name.clone(),
                texts: vec![self.words.said(&named, says.trim_end())],
                ..Offer::default()
            }
        })
        .collect()
    }
}

/// The characters whom a text names, by name or by alias, in the order in which they are named. A name that is a part of a longer one
/// counts only where it occurs by itself.
pub(crate) fn named(book: &Book, text: &str) -> Vec<EntryId> {
    let mut names: Vec<(&str, &EntryId)> = vec![];
    for (entry, it) in book.characters() {
        let own = it.aliases.iter().chain([&it.name]);
        let long = own.filter(|name| name.chars().count() >= NAME_CHARS_MIN);
        names.extend(long.map(|name| (name.as_str(), &entry.id)));
    }
    names.sort_by_key(|(name, id)| (std::cmp::Reverse(name.len()), *name, *id));
    let mut rest = text.to_owned();
    let mut found = vec![];
    for (name, id) in names {
        while let Some(at) = place_of(&rest, name) {
            found.push((at, id));
            // The replacement has the same length, so that all places stay the same.
            rest.replace_range(at..at + name.len(), &"\0".repeat(name.len()));
        }
    }
    found.sort();
    let mut known = BTreeSet::new();
    let firsts = found.into_iter().filter(|(_, id)| known.insert(*id));
    firsts.map(|(_, id)| id.clone()).collect()
}

/// Where a name stands as a word of its own. Scripts without spaces have no words of their own.
fn place_of(text: &str, name: &str) -> Option<usize> {
    if name.contains('\0') {
        return None;
    }
    let is_letter =
        |c: Option<char>| c.is_some_and(|c| c.is_alphanumeric() && u32::from(c) < 0x2E80);
    let mut places = text.match_indices(name);
    let place = places.find(|(at, _)| {
        let before = text[..*at].chars().next_back();
        let after = text[at + name.len()..].chars().next();
        let begins_inside = is_letter(before) && is_letter(name.chars().next());
        let ends_inside = is_letter(after) && is_letter(name.chars().next_back());
        !begins_inside && !ends_inside
    });
    place.map(|(at, _)| at)
}

/// What an entry is called, or its kind where it has no name.
fn title(entry: &Entry) -> String {
    match entry.what.name() {
        "" => format!("{} {}", entry.what.kind(), entry.id),
        name => name.to_owned(),
    }
}

/// The last sentences of a text that together have at most this number of characters; only the last characters where the last sentence is
/// longer.
fn end_of(text: &str, chars: usize) -> String {
    let text = text.trim();
    let all = text.chars().count();
    let from = all.saturating_sub(chars);
    let from = text.char_indices().nth(from).map_or(0, |(byte, _)| byte);
    if from == 0 {
        return text.to_owned();
    }
    let begins = sentences(text).into_iter().map(|range| range.start);
    let start = begins.into_iter().find(|start| *start >= from);
    text[start.unwrap_or(from)..].to_owned()
}

/// The beginning of a text, with an ellipsis where something is left out.
fn cut(text: &str, chars: usize) -> String {
    match text.char_indices().nth(chars) {
        Some((byte, _)) => format!("{}…", text[..byte].trim_end()),
        None => text.to_owned(),
    }
}
