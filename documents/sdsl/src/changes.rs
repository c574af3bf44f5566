//! What became of the slides of a deck: added, removed, moved, changed, with the words that changed.

use serde::Serialize;
use similar::{ChangeTag, TextDiff};

use crate::format::format_slide;
use crate::model::{Presentation, Slide};

/// What became of a slide.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
#[serde(tag = "change", rename_all = "snake_case")]
pub enum SlideChange {
    /// Places are counted from 1.
    Added {
        name: String,
        to: usize,
    },
    Removed {
        name: String,
        from: usize,
    },
    Moved {
        name: String,
        from: usize,
        to: usize,
    },
    Changed {
        name: String,
        to: usize,
        /// Line by line, as the formatter writes them.
        marks: Vec<TextMark>,
    },
}

/// A line of a slide that changed.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct TextMark {
    /// `-` was there, `+` is there now, a blank did not change.
    pub sign: char,
    /// The line in pieces, each with whether it is what changed in it.
    pub pieces: Vec<(bool, String)>,
}

/// What changed from one deck to another one: removed slides, then the others in the order of the new deck.
#[must_use]
pub fn changes(old: &Presentation, new: &Presentation) -> Vec<SlideChange> {
    let pairs = same_slides(&old.slides, &new.slides);
    let mut found = Vec::new();
    for (from, slide) in old.slides.iter().enumerate() {
        if !pairs.iter().any(|pair| pair.0 == from) {
            found.push(SlideChange::Removed {
                name: slide.slide_name.to_string(),
                from: from + 1,
            });
        }
    }
    let stayed = kept_order(&pairs);
    for (to, slide) in new.slides.iter().enumerate() {
        let name = slide.slide_name.to_string();
        let Some((from, _)) = pairs.iter().find(|pair| pair.1 == to) else {
            found.push(SlideChange::Added { name, to: to + 1 });
            continue;
        };
        if !stayed.contains(&to) {
            found.push(SlideChange::Moved {
                name: name.clone(),
                from: from + 1,
                to: to + 1,
            });
        }
        let before = &old.slides[*from];
        if before != slide {
            found.push(SlideChange::Changed {
                name,
                to: to + 1,
                marks: marks(before, slide),
            });
        }
    }
    found
}

/// Which slides of the two decks are the same slide, by their places: those that are equal, then those of one name, then those
/// of one heading. In the order of the new deck.
#[must_use]
pub fn same_slides(old: &[Slide], new: &[Slide]) -> Vec<(usize, usize)> {
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    let same: [fn(&Slide, &Slide) -> bool; 3] = [
        |a, b| a == b,
        |a, b| a.slide_name == b.slide_name,
        |a, b| a.heading.is_some() && a.heading == b.heading,
    ];
    for same in same {
        for (to, slide) in new.iter().enumerate() {
            if pairs.iter().any(|pair| pair.1 == to) {
                continue;
            }
            let free = |from: &usize| !pairs.iter().any(|pair| pair.0 == *from);
            let from = (0..old.len()).find(|from| free(from) && same(&old[*from], slide));
            pairs.extend(from.map(|from| (from, to)));
        }
    }
    pairs.sort_by_key(|pair| pair.1);
    pairs
}

/// From pairs of places in both decks: the places in the new deck of the largest number of slides that kept their order.
#[must_use]
pub fn kept_order(pairs: &[(usize, usize)]) -> Vec<usize> {
    // The best chain that ends at each pair: how long, and which pair stands before it.
    let mut best: Vec<(usize, Option<usize>)> = Vec::with_capacity(pairs.len());
    for (at, (from, _)) in pairs.iter().enumerate() {
        let before = (0..at)
            .filter(|before| pairs[*before].0 < *from)
            .max_by_key(|before| best[*before].0);
        best.push((before.map_or(1, |before| best[before].0 + 1), before));
    }
    let mut at = (0..pairs.len()).max_by_key(|at| best[*at].0);
    let mut chain = Vec::new();
    while let Some(place) = at {
        chain.push(pairs[place].1);
        at = best[place].1;
    }
    chain
}

fn marks(old: &Slide, new: &Slide) -> Vec<TextMark> {
    let (old, new) = (format_slide(old), format_slide(new));
    let diff = TextDiff::from_lines(&old, &new);
    let mut marks = Vec::new();
    for op in diff.ops() {
        for change in diff.iter_inline_changes(op) {
            let sign = match change.tag() {
                ChangeTag::Equal => ' ',
                ChangeTag::Delete => '-',
                ChangeTag::Insert => '+',
            };
            let pieces = change
                .iter_strings_lossy()
                .map(|(changed, text)| (changed, text.trim_end_matches('\n').to_owned()));
            marks.push(TextMark {
                sign,
                pieces: pieces.filter(|(_, text)| !text.is_empty()).collect(),
            });
        }
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::parse;

    fn of(old: &str, new: &str) -> Vec<SlideChange> {
        changes(&parse(old).presentation, &parse(new).presentation)
    }

    #[test]
    fn slides_are_added_removed_moved_and_changed() {
        let old = "# A\n- one\n---\n# B\n- two\n---\n# C\n- three\n---\n# D";
        let new = "# C\n- three\n---\n# A\n- one more\n---\n# E\n---\n# D";
        let found = of(old, new);
        let names: Vec<String> = found
            .iter()
            .map(|change| match change {
                SlideChange::Added { name, to } => format!("+{name}{to}"),
                SlideChange::Removed { name, from } => format!("-{name}{from}"),
                SlideChange::Moved { name, from, to } => format!("{name}{from}>{to}"),
                SlideChange::Changed { name, to, .. } => format!("~{name}{to}"),
            })
            .collect();
        assert_eq!(names, ["-B2", "C3>1", "~A2", "+E3"]);
        let Some(SlideChange::Changed { marks, .. }) = found.get(2) else {
            panic!("{found:?}")
        };
        let said: Vec<String> = marks
            .iter()
            .filter(|mark| mark.sign != ' ')
            .map(|mark| {
                let pieces = mark.pieces.iter();
                let shown = pieces.map(|(changed, text)| match changed {
                    true => format!("[{text}]"),
                    false => text.clone(),
                });
                format!("{}{}", mark.sign, shown.collect::<String>())
            })
            .collect();
        assert_eq!(said, ["-- one", "+- one[ more]"]);
    }

    #[test]
    fn a_slide_that_is_called_otherwise_is_known_by_its_heading() {
        let found = of("# A\n## Same\n- x", "# B\n## Same\n- x");
        assert!(matches!(&found[..], [SlideChange::Changed { name, .. }] if name == "B"));
        assert_eq!(of("# A\n- x", "# A\n\n-   x"), []);
    }
}
