//! Which frames a follower gets. Frames are filtered after cursors are counted, so that a cursor means the same for every filter.

/// Which frames a follower gets.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Filter {
    #[default]
    All,
    /// Frames of one name.
    Named(&'static str),
    /// All but those of these names.
    Without(&'static [&'static str]),
}

impl Filter {
    /// Whether frames of this name pass.
    pub(super) fn takes(self, name: &str) -> bool {
        match self {
            Self::All => true,
            Self::Named(only) => name == only,
            Self::Without(left_out) => !left_out.contains(&name),
        }
    }
}
