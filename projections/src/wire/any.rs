//! Folds of different wires side by side, chosen by name.

use domain::Recorded;
use serde_json::value::{RawValue, to_raw_value};

use super::course::{Course, Family, InitView};
use super::cursor::Cursor;
use super::fold::{Fold, Frame, Parting, SessionRef, Wire};
use super::native::{Lean, Native};
use super::post::Post;
use super::report::Report;

/// Why there is no fold.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("there is no wire `{name}`; the wires are {known}")]
pub struct UnknownWire {
    pub name: String,
    pub known: String,
}

macro_rules! wires {
    ($($variant:ident),* $(,)?) => {
        /// A fold of any wire.
        #[derive(Clone, Debug)]
        pub enum AnyFold {
            $($variant(Fold<$variant>)),*
        }

        impl AnyFold {
            /// The names of all wires, with the version of each.
            pub const WIRES: &[(&str, u32)] = &[$(($variant::NAME, $variant::VERSION)),*];

            /// A fold from the start of the session.
            pub fn new(name: &str, session: SessionRef) -> Result<Self, UnknownWire> {
                $(if name == $variant::NAME {
                    return Ok(Self::$variant(Fold::new(session)));
                })*
                let known: Vec<_> = Self::WIRES.iter().map(|(name, _)| *name).collect();
                Err(UnknownWire { name: name.to_owned(), known: known.join(", ") })
            }

            /// See [`Fold::push`].
            pub fn push(&mut self, recorded: &Recorded) -> Vec<Frame> {
                match self { $(Self::$variant(fold) => fold.push(recorded)),* }
            }

            /// See [`Fold::at`].
            pub fn at(&self) -> Cursor {
                match self { $(Self::$variant(fold) => fold.at()),* }
            }

            /// See [`Fold::version`].
            pub fn version(&self) -> u64 {
                match self { $(Self::$variant(fold) => fold.version()),* }
            }

            /// See [`Fold::ordinal`].
            pub fn ordinal(&self) -> u64 {
                match self { $(Self::$variant(fold) => fold.ordinal()),* }
            }

            /// See [`Fold::partings`].
            pub fn partings(&self) -> Vec<Parting> {
                match self { $(Self::$variant(fold) => fold.partings()),* }
            }

            pub fn wire(&self) -> &'static str {
                match self { $(Self::$variant(_) => $variant::NAME),* }
            }

            /// See [`Wire::HOLDS_CONTENTS`].
            pub fn holds_contents(&self) -> bool {
                match self { $(Self::$variant(_) => $variant::HOLDS_CONTENTS),* }
            }

            /// See [`Wire::HOLDS_OUTPUTS`].
            pub fn holds_outputs(&self) -> bool {
                match self { $(Self::$variant(_) => $variant::HOLDS_OUTPUTS),* }
            }

            pub fn wire_version(&self) -> u32 {
                match self { $(Self::$variant(_) => $variant::VERSION),* }
            }
        }
    };
}

wires![Native, Lean, Course, Report, Post];

/// What a client of a wire is given when it comes, where the wire has such a thing: a fold of its own, true at a cursor of that
/// wire, whose frames go on from there.
#[derive(Clone, Debug)]
pub enum AnyOverview {
    Course(Box<InitView>),
}

impl AnyOverview {
    /// The one of this wire before the first event; nothing where the wire has none.
    pub fn new(wire: &str, session: SessionRef) -> Option<Self> {
        (wire == Course::NAME).then(|| Self::Course(Box::new(InitView::new(session))))
    }

    pub fn wire(&self) -> &'static str {
        match self {
            Self::Course(_) => Course::NAME,
        }
    }

    /// Takes one more event into account; one that was folded already changes nothing.
    pub fn push(&mut self, recorded: &Recorded) {
        match self {
            Self::Course(view) => view.push(recorded),
        }
    }

    /// The cursor that it is true at.
    pub fn at(&self) -> Cursor {
        match self {
            Self::Course(view) => view.at(),
        }
    }

    /// All of it, as the wire writes it.
    pub fn state(&self) -> Box<RawValue> {
        let written = match self {
            Self::Course(view) => to_raw_value(&view.response(Family::Both)),
        };
        written.expect("views hold only string keys and finite numbers")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_unknown_wire_is_refused_with_the_known_ones() {
        let session = SessionRef {
            owner: "ada".to_owned(),
            session: "s1".into(),
        };
        let refused = AnyFold::new("telegraph", session)
            .map(|_| ())
            .map_err(|e| e.to_string());
        assert_eq!(
            refused,
            Err(
                "there is no wire `telegraph`; the wires are native, lean, course, report, post"
                    .to_owned()
            )
        );
    }
}
