//! Which of the things that are there a message means, and what is to become of them. Each number and each word for a place is told from the
//! others by a layer that learned from messages in which they are marked.

mod marked;
mod pieces;
mod seen;

pub use marked::MarkError;
pub(crate) use marked::Marked;
pub(crate) use pieces::Nouns;

use std::ops::Range;
use std::sync::LazyLock;

use strum::{EnumCount, EnumString, IntoStaticStr, VariantArray};

use self::pieces::{Piece, Shown, pieces};
use self::seen::{seen_of_all, seen_of_kind, seen_of_role};
use crate::features::Features;
use crate::head::{Head, softmax};
use crate::sizes::Unit;
use crate::stop::is_stop_word;

/// Learned from the rows of `places.tsv`; see [`crate::train_places`].
const BYTES: &[u8] = include_bytes!("../../data/places.head");

/// `None` only while the head is made for the first time.
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(BYTES).ok());

/// The intent of messages that ask for something new.
pub(crate) const REQUEST: &str = "new";

/// What a piece of a message says of places.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum PlaceKind {
    /// Nothing.
    Other,
    /// A number counted from the first one.
    Nth,
    /// A number counted from the last one, which is 1.
    NthLast,
    /// So many at the beginning.
    FirstN,
    /// So many at the end.
    LastN,
    /// The last one of a range that begins at the place before it.
    Till,
    /// This one and all behind it.
    From,
    /// All behind it.
    Behind,
    /// All up to it, with it.
    UpTo,
    /// All before it.
    Below,
    First,
    Last,
    SecondLast,
    ThirdLast,
    FirstHalf,
    SecondHalf,
    Odd,
    Even,
    /// One more that is wanted.
    New,
    /// The end, to which something is moved.
    End,
    /// The beginning, to which something is moved.
    Front,
}

impl PlaceKind {
    const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");

    /// Whether something is to become of what is there.
    fn has_role(self) -> bool {
        !matches!(self, Self::Other | Self::New | Self::End | Self::Front)
    }
}

/// What is to become of what a message means.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, EnumString, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "snake_case")]
pub enum PlaceRole {
    /// It is changed, or asked about.
    Change,
    /// It is left out.
    Away,
    /// It stays, and the others are left out.
    Keep,
    Moved,
    Swapped,
    Merged,
    /// What is moved or added is to stand before it, after it, or in its place.
    Before,
    After,
    At,
    /// It is not meant, though all others are.
    But,
}

impl PlaceRole {
    const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");
}

/// The classes of the head: of pieces, then of what they name, then whether the message wants something besides.
const KINDS: Range<usize> = 0..PlaceKind::COUNT;
const ROLES: Range<usize> = KINDS.end..KINDS.end + PlaceRole::COUNT;
const BESIDES: Range<usize> = ROLES.end..ROLES.end + 2;

pub(crate) fn classes() -> Vec<String> {
    let kinds = PlaceKind::ALL.map(<&str>::from);
    let roles = PlaceRole::ALL.map(<&str>::from);
    let all = kinds.into_iter().chain(roles).chain(["only", "besides"]);
    all.map(str::to_owned).collect()
}

/// A piece of a message that names a place.
#[derive(Clone, Debug, PartialEq)]
pub struct Place {
    pub kind: PlaceKind,
    pub role: PlaceRole,
    /// The number that stands there, if one does.
    pub number: Option<u32>,
    /// In bytes of the message.
    pub begin: usize,
    pub end: usize,
}

/// The places that a message names.
#[derive(Clone, Debug, PartialEq)]
pub struct Places {
    /// In their order.
    pub all: Vec<Place>,
    /// Whether it wants something besides leaving out, moving, swapping, merging or adding whole things.
    pub besides: bool,
    /// How likely all of that is right, 0 to 1.
    pub confidence: f64,
}

/// The places that a message names among things that are counted in a unit. `titles` are the stretches, in bytes, in which a thing is called by its title, with its number.
pub fn places(message: &str, things: Unit, titles: &[(Range<usize>, u32)]) -> Places {
    let pieces = pieces(message, Nouns::of(things), titles);
    let mut found = Places {
        all: vec![],
        besides: false,
        confidence: 1.0,
    };
    let Some(head) = &*HEAD else { return found };
    let mut choose = |features: &Features, of: &Range<usize>| {
        let chances = softmax(&head.sums(features)[of.clone()], head.sharpness());
        let best = (0..chances.len()).max_by(|a, b| chances[*a].total_cmp(&chances[*b]));
        let best = best.unwrap_or(0);
        found.confidence = found.confidence.min(chances[best]);
        best
    };
    let mut kinds = vec![];
    for (at, piece) in pieces.iter().enumerate() {
        let kind = match piece.is_title {
            true => PlaceKind::Nth,
            false => PlaceKind::ALL[choose(&seen_of_kind(&pieces, at, &kinds), &KINDS)],
        };
        kinds.push(kind);
    }
    let mut roles = vec![];
    for at in 0..pieces.len() {
        let role = kinds[at]
            .has_role()
            .then(|| PlaceRole::ALL[choose(&seen_of_role(&pieces, at, &kinds, &roles), &ROLES)]);
        roles.push(role);
    }
    if kinds.iter().any(|kind| *kind != PlaceKind::Other) {
        found.besides = choose(&seen_of_all(&pieces, &kinds, &roles), &BESIDES) == 1;
    }
    let named = pieces.iter().zip(kinds).zip(roles);
    let named = named.filter(|((_, kind), _)| *kind != PlaceKind::Other);
    for ((piece, kind), role) in named {
        let place = Place {
            kind,
            role: role.unwrap_or(PlaceRole::Change),
            number: piece.number,
            begin: piece.begin,
            end: piece.end,
        };
        // Several pieces may say one thing: "the second half".
        let is_same = |before: &&mut Place| before.kind == kind && place.number.is_none();
        match found.all.last_mut().filter(is_same) {
            Some(before) => before.end = place.end,
            None => found.all.push(place),
        }
    }
    found
}

/// A noun for a thing in a message, and what may name it that stands before it, in bytes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NounAt {
    /// Where the noun begins, or words such as "this" before it.
    pub names_end: usize,
    /// The words before it, as far as none of them is a number or known to name places.
    pub names: Vec<Range<usize>>,
}

/// The nouns in a message for things that are counted in a unit.
pub fn nouns_in(message: &str, things: Unit) -> Vec<NounAt> {
    let pieces = pieces(message, Nouns::of(things), &[]);
    let nouns = (0..pieces.len()).filter(|at| pieces[*at].shown == Shown::Noun);
    let noun_at = |at: usize| {
        let is_this = |piece: &Piece| {
            piece.classes.contains(&"this") || piece.text == "一" || piece.shown == Shown::Noun
        };
        let before = pieces[..at].iter().rposition(|piece| !is_this(piece));
        let first = before.map_or(0, |before| before + 1);
        let words = pieces[..first].iter().rev();
        let is_name = |it: &&Piece| {
            it.shown == Shown::Word && it.classes.is_empty() && !is_stop_word(&it.text)
        };
        let words = words.take_while(is_name);
        let mut names: Vec<Range<usize>> = words.map(|it| it.begin..it.end).collect();
        names.reverse();
        NounAt {
            names_end: pieces[first].begin,
            names,
        }
    };
    nouns.map(noun_at).collect()
}
