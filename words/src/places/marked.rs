//! Messages in which places are marked, as the layer learns from them.

use std::cmp::Ordering;
use std::ops::Range;

use super::pieces::{Nouns, Piece, pieces};
use super::seen::{seen_of_all, seen_of_kind, seen_of_role};
use super::{BESIDES, KINDS, PlaceKind, PlaceRole, ROLES};
use crate::features::Features;
use crate::head::{Head, softmax};
use crate::sizes::Unit;
use crate::train::{HeldOut, Layer, Lesson};

/// A message whose places are marked, as it is learned from.
#[derive(Debug)]
pub(crate) struct Marked {
    /// What is seen, of which classes one is chosen, and which of these is right.
    choices: Vec<(Features, Range<usize>, usize)>,
}

/// Why a row of marked places cannot be read.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MarkError {
    #[error(
        "`{0}` is no kind and role of a place, with a number before it where it is written in words"
    )]
    Mark(String),
    #[error("`{0}` is none of page, picture and section")]
    Things(String),
    #[error("nothing of the message stands in the mark `{0}`")]
    Nothing(String),
    #[error("`{text}` is read as {read:?}, and not as {number}")]
    Number {
        text: String,
        number: u32,
        read: Option<u32>,
    },
}

impl Marked {
    /// From a message in which each place stands between braces, behind a bar its number where it is not written in digits (`=3`), its
    /// kind, and its role where that is not `change`: "drop the {third|=3 nth away} one".
    pub(crate) fn read(marked: &str, besides: bool, nouns: &Nouns) -> Result<Self, MarkError> {
        let mut message = String::new();
        let mut marks = vec![];
        let mut rest = marked;
        while let Some((before, behind)) = rest.split_once('{') {
            let wrong = || MarkError::Mark(behind.to_owned());
            let (inside, behind) = behind.split_once('}').ok_or_else(wrong)?;
            let (text, mark) = inside.split_once('|').ok_or_else(wrong)?;
            message.push_str(before);
            let begin = message.len();
            message.push_str(text);
            let mut words: Vec<&str> = mark.split(' ').collect();
            let number = words[0].strip_prefix('=').map(str::parse);
            let number = number.transpose().map_err(|_| wrong())?;
            if number.is_some() {
                words.remove(0);
            }
            let kind = words
                .first()
                .and_then(|kind| kind.parse::<PlaceKind>().ok());
            let role = words
                .get(1)
                .map_or(Ok(PlaceRole::Change), |role| role.parse());
            marks.push((
                begin..message.len(),
                kind.ok_or_else(wrong)?,
                role.map_err(|_| wrong())?,
                number,
            ));
            rest = behind;
        }
        message.push_str(rest);
        let pieces = pieces(&message, nouns, &[]);
        let mut kinds = vec![PlaceKind::Other; pieces.len()];
        let mut roles = vec![None; pieces.len()];
        // The place of a range that ends here is as that of its beginning.
        let mut last_role = PlaceRole::Change;
        for (of, kind, role, number) in marks {
            let text = &message[of.clone()];
            let is_in = |piece: &Piece| piece.begin < of.end && of.start < piece.end;
            let inside = (0..pieces.len()).filter(|at| is_in(&pieces[*at]));
            let mut inside: Vec<usize> = inside.collect();
            let has_number = |at: &&usize| pieces[**at].number.is_some();
            if let Some(at) = inside.iter().find(has_number).copied() {
                inside = vec![at];
            }
            let first = inside
                .first()
                .ok_or_else(|| MarkError::Nothing(text.to_owned()))?;
            let read = pieces[*first].number;
            if let Some(number) = number.filter(|number| read != Some(*number)) {
                return Err(MarkError::Number {
                    text: text.to_owned(),
                    number,
                    read,
                });
            }
            last_role = if kind == PlaceKind::Till {
                last_role
            } else {
                role
            };
            for at in inside {
                kinds[at] = kind;
                roles[at] = kind.has_role().then_some(last_role);
            }
        }
        Ok(Self::of(&pieces, &kinds, &roles, besides))
    }

    /// A message that names no place.
    pub(crate) fn without_places(message: &str) -> Self {
        let pieces = pieces(message, Nouns::of(Unit::Page), &[]);
        let kinds = vec![PlaceKind::Other; pieces.len()];
        Self::of(&pieces, &kinds, &vec![None; pieces.len()], false)
    }

    fn of(
        pieces: &[Piece],
        kinds: &[PlaceKind],
        roles: &[Option<PlaceRole>],
        besides: bool,
    ) -> Self {
        let mut choices = vec![];
        for at in 0..pieces.len() {
            let right = KINDS.start + kinds[at] as usize;
            choices.push((seen_of_kind(pieces, at, &kinds[..at]), KINDS, right));
        }
        for at in 0..pieces.len() {
            if let Some(role) = roles[at] {
                let seen = seen_of_role(pieces, at, kinds, &roles[..at]);
                choices.push((seen, ROLES, ROLES.start + role as usize));
            }
        }
        if kinds.iter().any(|kind| *kind != PlaceKind::Other) {
            let seen = seen_of_all(pieces, kinds, roles);
            choices.push((seen, BESIDES, BESIDES.start + usize::from(besides)));
        }
        Self { choices }
    }
}

impl Lesson for Marked {
    fn seen(&self) -> impl Iterator<Item = &Features> {
        self.choices.iter().map(|(seen, ..)| seen)
    }

    fn seen_mut(&mut self) -> impl Iterator<Item = &mut Features> {
        self.choices.iter_mut().map(|(seen, ..)| seen)
    }

    fn step(&self, layer: &mut Layer) {
        for (seen, of, right) in &self.choices {
            let sums = layer.sums(seen);
            let mut errors = vec![0.0; sums.len()];
            errors[of.clone()].copy_from_slice(&softmax(&sums[of.clone()], 1.0));
            errors[*right] -= 1.0;
            layer.move_by(seen, &errors);
        }
    }

    /// The least clear choice, or one that is wrong.
    fn tried(&self, head: &Head) -> HeldOut {
        let tried = self.choices.iter().map(|(seen, of, right)| {
            let sums = head.sums(seen)[of.clone()].to_vec();
            (sums, vec![right - of.start])
        });
        let clear = |(sums, right): &HeldOut| {
            let chances = softmax(sums, 1.0);
            let most = chances.iter().copied().fold(0.0, f64::max);
            (chances[right[0]] == most, most)
        };
        let least = tried.min_by(|a, b| clear(a).partial_cmp(&clear(b)).unwrap_or(Ordering::Equal));
        least.unwrap_or((vec![0.0], vec![0]))
    }
}
