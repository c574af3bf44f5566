//! The three versions of the slides as one text: what nobody changed stays byte for byte as it is in the deck.

use std::ops::Range;

use sdsl::{Parsed, Presentation, Slide, format_slide};

use super::merge::Merged;
use super::theirs::TheirSlide;
use super::{Conflict, merge};

/// What identifies a slide of the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Key {
    /// A slide of the base, by its place.
    Base(usize),
    /// A slide that only the deck has, by its place there.
    Ours(usize),
    /// A slide that only the file has, by its place there.
    Theirs(usize),
}

/// A slide of the result.
struct Entry {
    key: Key,
    /// Its place in the deck, if it is there.
    ours: Option<usize>,
    slides: Merged<Slide>,
}

/// Merges the slides into the text of the deck.
pub(super) fn merged(
    base: &Presentation,
    theirs: &[TheirSlide],
    ours_text: &str,
    ours: &Parsed,
    names: (&str, &str),
) -> (String, Presentation, Vec<Conflict>) {
    let mut merging = Merging::new(base, theirs, &ours.presentation);
    let entries = merging.entries();
    let entries = merging.ordered(entries);
    let conflicts = merging.conflicts;
    let text = Writing {
        text: ours_text,
        parsed: ours,
        names,
    }
    .text(&entries);
    let deck = Presentation {
        meta: ours.presentation.meta.clone(),
        slides: entries.into_iter().map(|entry| entry.slides.ours).collect(),
    };
    (text, deck, conflicts)
}

struct Merging<'a> {
    base: &'a Presentation,
    theirs: &'a [TheirSlide],
    ours: &'a Presentation,
    /// The slides that are both in the deck and in the base, by their places there.
    pairs: Vec<(usize, usize)>,
    conflicts: Vec<Conflict>,
}

fn uncommented(slide: &Slide) -> Slide {
    Slide {
        comments: Vec::new(),
        ..slide.clone()
    }
}

impl<'a> Merging<'a> {
    fn new(base: &'a Presentation, theirs: &'a [TheirSlide], ours: &'a Presentation) -> Self {
        let bare: Vec<Slide> = ours.slides.iter().map(uncommented).collect();
        let pairs = sdsl::same_slides(&base.slides, &bare);
        Self {
            base,
            theirs,
            ours,
            pairs: pairs.into_iter().map(|(base, ours)| (ours, base)).collect(),
            conflicts: Vec::new(),
        }
    }

    fn base_of(&self, ours: usize) -> Option<usize> {
        let pair = self.pairs.iter().find(|pair| pair.0 == ours);
        pair.map(|pair| pair.1)
    }

    fn ours_of(&self, base: usize) -> Option<usize> {
        let pair = self.pairs.iter().find(|pair| pair.1 == base);
        pair.map(|pair| pair.0)
    }

    /// The slide that only the deck has and that equals this new slide of the file, since it was already brought back before.
    fn came_back(&self, theirs: &TheirSlide) -> Option<usize> {
        (0..self.ours.slides.len()).find(|at| {
            self.base_of(*at).is_none() && uncommented(&self.ours.slides[*at]) == theirs.slide
        })
    }

    fn told(&mut self, slide: &Slide, what: impl Into<String>) {
        self.conflicts.push(Conflict {
            slide: Some(slide.slide_name.to_string()),
            what: what.into(),
        });
    }

    /// The slides of the result, in no particular order.
    fn entries(&mut self) -> Vec<Entry> {
        let mut entries = Vec::new();
        for (at, base) in self.base.slides.iter().enumerate() {
            let ours = self.ours_of(at);
            let theirs = self.theirs.iter().find(|slide| slide.base == Some(at));
            let here = ours.map(|ours| &self.ours.slides[ours]);
            let slides = match (here, theirs) {
                (Some(here), Some(theirs)) => {
                    let (slides, fields) = merge::slide(base, here, &theirs.slide);
                    if !fields.is_empty() {
                        let what = format!("both changed {}", fields.join(", "));
                        self.told(here, what);
                    }
                    slides
                }
                (Some(here), None) if uncommented(here) != *base => {
                    let what =
                        "the file has removed the slide, the deck has changed it: it is kept";
                    self.told(here, what);
                    both(here)
                }
                (None, Some(theirs)) if theirs.slide != *base => {
                    let what =
                        "the deck has removed the slide, the file has changed it: it is kept";
                    self.told(&theirs.slide, what);
                    both(&theirs.slide)
                }
                (Some(_) | None, None) | (None, Some(_)) => continue,
            };
            entries.push(Entry {
                key: Key::Base(at),
                ours,
                slides,
            });
        }
        for (at, slide) in self.ours.slides.iter().enumerate() {
            if self.base_of(at).is_none() {
                entries.push(Entry {
                    key: Key::Ours(at),
                    ours: Some(at),
                    slides: both(slide),
                });
            }
        }
        for (at, theirs) in self.theirs.iter().enumerate() {
            if theirs.base.is_none() && self.came_back(theirs).is_none() {
                let mut slide = theirs.slide.clone();
                self.name_once(&mut slide);
                entries.push(Entry {
                    key: Key::Theirs(at),
                    ours: None,
                    slides: both(&slide),
                });
            }
        }
        entries
    }

    /// Adds a number to the name of a new slide if a slide of the deck has the same name.
    fn name_once(&self, slide: &mut Slide) {
        let name = slide.slide_name.clone();
        let taken = |name: &sdsl::Line| {
            self.ours
                .slides
                .iter()
                .any(|known| known.slide_name == *name)
        };
        let mut number = 1;
        while taken(&slide.slide_name) {
            number += 1;
            match sdsl::Line::new(&format!("{name} ({number})")) {
                Some(numbered) => slide.slide_name = numbered,
                None => return,
            }
        }
    }

    /// The entries in the order of the side that changed the order. An entry that only the other side has is put after the entry that it
    /// follows there.
    fn ordered(&mut self, mut entries: Vec<Entry>) -> Vec<Entry> {
        let in_ours: Vec<Key> = (0..self.ours.slides.len())
            .map(|at| self.base_of(at).map_or(Key::Ours(at), Key::Base))
            .collect();
        let in_theirs: Vec<Key> = self
            .theirs
            .iter()
            .enumerate()
            .map(|(at, slide)| match slide.base {
                Some(base) => Key::Base(base),
                None => self.came_back(slide).map_or(Key::Theirs(at), Key::Ours),
            })
            .collect();
        let bases = |keys: &[Key], other: &[Key]| -> Vec<usize> {
            let common = keys.iter().filter(|key| other.contains(key));
            common
                .filter_map(|key| match key {
                    Key::Base(at) => Some(*at),
                    Key::Ours(_) | Key::Theirs(_) => None,
                })
                .collect()
        };
        let (our_order, their_order) = (bases(&in_ours, &in_theirs), bases(&in_theirs, &in_ours));
        let (ours_moved, theirs_moved) = (!our_order.is_sorted(), !their_order.is_sorted());
        if ours_moved && theirs_moved && our_order != their_order {
            self.conflicts.push(Conflict {
                slide: None,
                what: "both changed the order of the slides: that of the deck is kept".to_owned(),
            });
        }
        let (first, second) = match theirs_moved && !ours_moved {
            true => (in_theirs, in_ours),
            false => (in_ours, in_theirs),
        };
        let there = |key: &Key| entries.iter().any(|entry| entry.key == *key);
        let mut order: Vec<Key> = first.into_iter().filter(|key| there(key)).collect();
        let mut behind: Option<Key> = None;
        for key in second.into_iter().filter(|key| there(key)) {
            if !order.contains(&key) {
                let at = behind.and_then(|key| order.iter().position(|known| *known == key));
                order.insert(at.map_or(0, |at| at + 1), key);
            }
            behind = Some(key);
        }
        entries.sort_by_key(|entry| order.iter().position(|key| *key == entry.key));
        entries
    }
}

fn both(slide: &Slide) -> Merged<Slide> {
    Merged {
        ours: slide.clone(),
        theirs: slide.clone(),
    }
}

struct Writing<'a> {
    text: &'a str,
    parsed: &'a Parsed,
    names: (&'a str, &'a str),
}

impl Writing<'_> {
    fn text(&self, entries: &[Entry]) -> String {
        let stayed = entries.len() == self.parsed.spans.len()
            && entries
                .iter()
                .zip(0..)
                .all(|(entry, at)| entry.ours == Some(at));
        let text = match stayed {
            true => self.in_place(entries),
            false => self.anew(entries),
        };
        if entries.iter().any(|entry| !entry.slides.is_clean()) {
            return text;
        }
        let expected = Presentation {
            meta: self.parsed.presentation.meta.clone(),
            slides: entries
                .iter()
                .map(|entry| entry.slides.ours.clone())
                .collect(),
        };
        // A text in an unusual form may be read differently when its pieces are in other places, so the result is checked.
        if sdsl::parse(&text).presentation == expected {
            text
        } else {
            self.with_line_ends(&sdsl::format(&expected))
        }
    }

    /// The text with every slide in the place that it has in the deck.
    fn in_place(&self, entries: &[Entry]) -> String {
        let mut text = self.text.to_owned();
        for (entry, span) in entries.iter().zip(&self.parsed.spans).rev() {
            if let Some(new) = self.changed(entry, span) {
                text.replace_range(span.clone(), &new);
            }
        }
        text
    }

    /// The text with the slides written one after another.
    fn anew(&self, entries: &[Entry]) -> String {
        let front = self.parsed.front_matter.as_ref();
        let bom = self.text.len() - self.text.trim_start_matches('\u{feff}').len();
        let mut text = match front {
            Some(front) => format!("{}\n\n", &self.text[..front.end]),
            None => self.text[..bom].to_owned(),
        };
        let pieces: Vec<String> = entries.iter().map(|entry| self.piece(entry)).collect();
        text.push_str(&pieces.join("\n\n---\n\n"));
        text.push('\n');
        self.with_line_ends(&text)
    }

    fn piece(&self, entry: &Entry) -> String {
        let Some(at) = entry.ours else {
            return format_slide(&entry.slides.ours).trim_end().to_owned();
        };
        let span = &self.parsed.spans[at];
        // Text around a slide belongs to the slide if it is more than a separator.
        let before = match at.checked_sub(1) {
            Some(before) => self.parsed.spans[before].end,
            None => self
                .parsed
                .front_matter
                .as_ref()
                .map_or(0, |front| front.end),
        };
        let is_last = at + 1 == self.parsed.spans.len();
        let after = if is_last { &self.text[span.end..] } else { "" };
        let bare = |text: &str| {
            let text = text.trim_start_matches('\u{feff}');
            text.split(['\n', '\r'])
                .all(|line| matches!(line.trim(), "" | "---"))
        };
        if bare(&self.text[before..span.start]) && bare(after) {
            let kept = || self.text[span.clone()].to_owned();
            return self.changed(entry, span).unwrap_or_else(kept);
        }
        let shown = self.shown(&entry.slides);
        shown.trim_end().to_owned()
    }

    fn shown(&self, slides: &Merged<Slide>) -> String {
        if slides.is_clean() {
            return format_slide(&slides.ours);
        }
        let (ours, theirs) = (format_slide(&slides.ours), format_slide(&slides.theirs));
        sdsl::conflicting(&ours, &theirs, self.names)
    }

    /// The text of a slide that changed; `None` for one that did not.
    fn changed(&self, entry: &Entry, span: &Range<usize>) -> Option<String> {
        let at = entry.ours?;
        let old = &self.parsed.presentation.slides[at];
        if entry.slides.is_clean() && entry.slides.ours == *old {
            return None;
        }
        let written = self.text[span.clone()]
            .replace("\r\n", "\n")
            .replace('\r', "\n");
        let inside = sdsl::parse(&written).presentation;
        let [inside] = inside.slides.as_slice() else {
            return Some(self.with_line_ends(self.shown(&entry.slides).trim_end()));
        };
        // Comments before a slide belong to it, but are outside of its text.
        let with = |slide: &Slide| Slide {
            comments: inside.comments.clone(),
            ..slide.clone()
        };
        let slides = Merged {
            ours: with(&entry.slides.ours),
            theirs: with(&entry.slides.theirs),
        };
        let patched = slides
            .is_clean()
            .then(|| sdsl::patched(&written, &format_slide(inside), &format_slide(&slides.ours)))
            .flatten()
            .map(|text| text.trim_end().to_owned())
            .filter(|text| sdsl::parse(text).presentation.slides == [slides.ours.clone()]);
        let text = patched.unwrap_or_else(|| self.shown(&slides).trim_end().to_owned());
        Some(self.with_line_ends(&text))
    }

    /// The text with the line ends of the deck.
    fn with_line_ends(&self, text: &str) -> String {
        let end = if self.text.contains("\r\n") {
            "\r\n"
        } else if self.text.contains('\r') && !self.text.contains('\n') {
            "\r"
        } else {
            return text.to_owned();
        };
        text.replace("\r\n", "\n")
            .replace('\r', "\n")
            .replace('\n', end)
    }
}
