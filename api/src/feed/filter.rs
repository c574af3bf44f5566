//! Which frames a follower gets. Filtering comes after cursors are counted, so that a cursor means the same to everybody.

use projections::wire::course::Family;

/// Which frames a follower gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    #[default]
    All,
    /// Tool messages of one family.
    Family(Family),
    /// Frames of one name.
    Named(&'static str),
}

impl Filter {
    /// Whether frames of this name pass.
    pub(super) fn takes(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Family(family) => family.takes(name),
            Self::Named(only) => name == only,
        }
    }
}
