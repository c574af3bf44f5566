//! What the layer sees of a piece of a message, and of the whole message.

use super::pieces::{Piece, Shown};
use super::{PlaceKind, PlaceRole};
use crate::features::Features;

/// How many pieces before and behind a piece are looked at.
const BESIDE: usize = 4;
/// So many letters at its ends are seen of a word alone.
const ENDS: [usize; 2] = [3, 4];

/// What is seen of a piece: itself and its neighbours.
fn seen(pieces: &[Piece], at: usize, kinds: &[PlaceKind]) -> Vec<String> {
    let text = |place: Option<usize>| {
        let Some((place, piece)) = place.and_then(|place| Some((place, pieces.get(place)?))) else {
            return "";
        };
        match (kinds.get(place), piece.shown) {
            (Some(kind), _) if kinds.len() == pieces.len() && *kind != PlaceKind::Other => {
                kind.into()
            }
            (_, Shown::Numeral) if place != at => "numeral",
            (_, Shown::Ordinal) if place != at => "ordinal",
            _ => piece.text.as_str(),
        }
    };
    let before = |steps: usize| at.checked_sub(steps);
    let behind = |steps: usize| Some(at + steps);
    let mut names = vec![format!("0 {}", text(Some(at)))];
    for steps in 1..=BESIDE {
        for (side, place) in [('-', before(steps)), ('+', behind(steps))] {
            names.push(format!("{side}{steps} {}", text(place)));
            names.push(format!("{side} {}", text(place)));
        }
    }
    for steps in 0..=BESIDE {
        for (side, place) in [('-', before(steps)), ('+', behind(steps))] {
            let Some(piece) = place.and_then(|place| pieces.get(place)) else {
                continue;
            };
            names.push(format!("{side}{steps}shown {:?}", piece.shown));
            for class in piece.classes {
                names.push(format!("{side}{steps}class {class}"));
                names.push(format!("{side}class {class}"));
            }
            if steps <= 2 && piece.shown != Shown::Digits {
                for length in ENDS {
                    let begin: String = piece.text.chars().take(length).collect();
                    let end: Vec<char> = piece.text.chars().rev().take(length).collect();
                    let end: String = end.into_iter().rev().collect();
                    names.push(format!("{side}{steps}begin {begin}"));
                    names.push(format!("{side}{steps}end {end}"));
                }
            }
        }
    }
    for (name, places) in [
        ("-10", vec![before(1), Some(at)]),
        ("0+1", vec![Some(at), behind(1)]),
        ("-2-1", vec![before(2), before(1)]),
        ("+1+2", vec![behind(1), behind(2)]),
        ("-1+1", vec![before(1), behind(1)]),
        ("-2-10", vec![before(2), before(1), Some(at)]),
        ("0+1+2", vec![Some(at), behind(1), behind(2)]),
        ("-10+1", vec![before(1), Some(at), behind(1)]),
        ("-3-2-1", vec![before(3), before(2), before(1)]),
        ("+1+2+3", vec![behind(1), behind(2), behind(3)]),
    ] {
        let texts: Vec<&str> = places.into_iter().map(text).collect();
        names.push(format!("{name} {}", texts.join("|")));
    }
    let class = |place: Option<usize>| {
        let piece = place.and_then(|place| pieces.get(place));
        piece.map_or(String::new(), |piece| match (piece.shown, piece.classes) {
            (Shown::Word, classes) => classes.join(","),
            (shown, _) => format!("{shown:?}"),
        })
    };
    for (name, places) in [
        ("c-1+1", [before(1), Some(at), behind(1)]),
        ("c-2-1", [before(2), before(1), Some(at)]),
        ("c+1+2", [Some(at), behind(1), behind(2)]),
    ] {
        let classes = places.map(class);
        names.push(format!("{name} {}", classes.join("|")));
    }
    let is_joined = |at: usize| pieces.get(at).is_some_and(|piece| piece.is_joined);
    names.push(format!("joined {} {}", is_joined(at), is_joined(at + 1)));
    names.push(format!("from {}", at.min(4)));
    names.push(format!("left {}", (pieces.len() - at).min(5)));
    let number = pieces[at].number.map(|number| match number {
        0..=3 => number,
        4..=12 => 12,
        13..=100 => 100,
        _ => 1000,
    });
    names.push(format!("number {number:?}"));
    names
}

/// How far the nearest noun before a piece and behind it are.
fn see_nouns(pieces: &[Piece], at: usize, names: &mut Vec<String>) {
    let is_noun = |piece: &Piece| piece.shown == Shown::Noun;
    let before = pieces[..at].iter().rev().position(is_noun);
    let behind = pieces[at + 1..].iter().position(is_noun);
    let far = |steps: Option<usize>| steps.map(|steps| steps.min(6));
    names.push(format!("nouns {:?} {:?}", far(before), far(behind)));
    names.push(format!("noun {}", before.is_some() || behind.is_some()));
}

pub(super) fn seen_of_kind(pieces: &[Piece], at: usize, kinds: &[PlaceKind]) -> Features {
    let mut names = seen(pieces, at, kinds);
    see_nouns(pieces, at, &mut names);
    let mut named = (0..at).rev().filter(|at| kinds[*at] != PlaceKind::Other);
    let last = named.next();
    let kind = last.map_or(PlaceKind::Other, |last| kinds[last]);
    let steps = last.map_or(0, |last| (at - last).min(5));
    let between: Vec<&str> = last.map_or(vec![], |last| {
        let between = pieces[last + 1..at].iter().take(BESIDE);
        between.map(|piece| piece.text.as_str()).collect()
    });
    names.push(format!("last {kind:?}"));
    names.push(format!("last {kind:?} {steps} {:?}", pieces[at].shown));
    names.push(format!("since {kind:?} {}", between.join("|")));
    names.push(format!(
        "second last {:?}",
        named.next().map(|at| kinds[at])
    ));
    // Words far away say whether places are spoken of.
    for piece in pieces {
        if piece.shown == Shown::Word {
            names.push(format!("any {}", piece.text));
            for class in piece.classes {
                names.push(format!("any class {class}"));
            }
        }
    }
    Features::of_names(&names)
}

pub(super) fn seen_of_role(
    pieces: &[Piece],
    at: usize,
    kinds: &[PlaceKind],
    roles: &[Option<PlaceRole>],
) -> Features {
    let mut names: Vec<String> = seen(pieces, at, kinds);
    for name in &mut names {
        name.insert(0, 'r');
    }
    see_far(pieces, at, &mut names);
    names.push(format!("rkind {:?}", kinds[at]));
    let mut named = (0..at).rev().filter(|at| kinds[*at] != PlaceKind::Other);
    let last = named.next();
    let last_role = last.and_then(|last| roles[last]);
    names.push(format!("rlast {last_role:?}"));
    if let Some(last) = last {
        let between = pieces[last + 1..at].iter().take(BESIDE);
        let between: Vec<&str> = between.map(|piece| piece.text.as_str()).collect();
        names.push(format!("rsince {last_role:?} {}", between.join("|")));
        for text in between {
            names.push(format!("rbetween {last_role:?} {text}"));
        }
    }
    let others = |at: &usize| kinds[*at] != PlaceKind::Other;
    let (before, behind) = (
        (0..at).filter(others).count(),
        (at + 1..pieces.len()).filter(others).count(),
    );
    names.push(format!("rplace {before} of {}", before + behind + 1));
    for kind in [PlaceKind::New, PlaceKind::End, PlaceKind::Front] {
        if kinds.contains(&kind) {
            names.push(format!("rhas {kind:?}"));
        }
    }
    Features::of_names(&names)
}

/// Letters at the beginning of a word that tell most of it, whatever its ending.
const BEGIN: usize = 4;

/// The words of the clause before a piece and behind it, those of the rest, and how each begins.
fn see_far(pieces: &[Piece], at: usize, names: &mut Vec<String>) {
    let ends = |piece: &Piece| {
        piece.shown == Shown::Mark && ".;!?。；！？,，".contains(piece.text.as_str())
    };
    let before = pieces[..at].iter().rposition(ends).map_or(0, |at| at + 1);
    let behind = pieces[at..].iter().position(ends);
    let behind = behind.map_or(pieces.len(), |steps| at + steps);
    for (other, piece) in pieces.iter().enumerate() {
        if other == at || piece.shown != Shown::Word {
            continue;
        }
        let side = if other < at { '<' } else { '>' };
        let begin: String = piece.text.chars().take(BEGIN).collect();
        for class in piece.classes {
            names.push(format!("r{side}class all {class}"));
            if (before..behind).contains(&other) {
                names.push(format!("r{side}class {class}"));
                let far = other.abs_diff(at).min(6);
                names.push(format!("r{side}class {class} {far}"));
            }
        }
        names.push(format!("r{side}all {}", piece.text));
        names.push(format!("r{side}all {begin}*"));
        if (before..behind).contains(&other) {
            names.push(format!("r{side} {}", piece.text));
            names.push(format!("r{side} {begin}*"));
        }
        // Two neighbours of a script without spaces are most of a word.
        if let Some(next) = pieces.get(other + 1).filter(|next| next.is_joined)
            && next.shown == Shown::Word
        {
            names.push(format!("r{side}pair {}{}", piece.text, next.text));
        }
    }
    names.push(format!("rclause {}", before > 0));
}

/// What is seen of a whole message: its words, and what stands for its places.
pub(super) fn seen_of_all(
    pieces: &[Piece],
    kinds: &[PlaceKind],
    roles: &[Option<PlaceRole>],
) -> Features {
    let mut names = vec![];
    let text = |at: usize| match (kinds[at], roles[at]) {
        (PlaceKind::Other, _) => pieces[at].text.clone(),
        (_, Some(role)) => format!("{role:?}"),
        (kind, None) => format!("{kind:?}"),
    };
    let texts: Vec<String> = (0..pieces.len()).map(text).collect();
    for pair in texts.windows(2) {
        names.push(format!("b2 {} {}", pair[0], pair[1]));
    }
    for text in &texts {
        names.push(format!("b {text}"));
    }
    for role in roles.iter().flatten() {
        names.push(format!("brole {role:?}"));
    }
    for class in pieces.iter().flat_map(|piece| piece.classes) {
        names.push(format!("bclass {class}"));
    }
    let last = kinds.iter().rposition(|kind| *kind != PlaceKind::Other);
    let left = texts.len() - last.map_or(0, |last| last + 1);
    names.push(format!("bleft {}", left.min(12)));
    names.push(format!("bof {}", texts.len().min(24)));
    let marks = pieces.iter().filter(|piece| piece.shown == Shown::Mark);
    names.push(format!("bmarks {}", marks.count().min(4)));
    Features::of_names(&names)
}
