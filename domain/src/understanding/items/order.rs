//! Items that a message only leaves out, moves, merges or adds to: which items stay, and in which order.

use words::{PlaceKind, PlaceRole};

use super::{Meant, SIDES};

/// In an order, an item that there is not yet, and its name in what is recorded.
pub const NEW: u32 = 0;
pub const NEW_ITEM: &str = "0";

/// An order of so many items; an order that leaves everything where it is means nothing.
pub fn reordered(order: &[u32], count: u32) -> &[u32] {
    if order.iter().copied().eq(1..=count) {
        &[]
    } else {
        order
    }
}

impl Meant {
    /// The places after the change; `None` where the message wants something besides, or what it wants cannot be done by an order.
    pub(super) fn order(&self, besides: bool) -> Option<Vec<u32>> {
        if besides {
            return None;
        }
        let all: Vec<u32> = (1..=self.count).collect();
        let mut acts = self.roles.iter().filter(|(role, _)| !SIDES.contains(role));
        let act = acts.next();
        if acts.next().is_some() {
            return None;
        }
        let Some((role, places)) = act else {
            return self.adds.then(|| self.with_one_more(all)).flatten();
        };
        let stay = |is_named: bool| {
            let left = all.iter().copied();
            let left: Vec<u32> = left.filter(|at| places.contains(at) == is_named).collect();
            (!left.is_empty()).then_some(left)
        };
        match role {
            _ if self.adds => None,
            PlaceRole::Away => stay(false),
            PlaceRole::Keep => stay(true),
            PlaceRole::Swapped => match places[..] {
                [one, other] => Some(swapped(all, one, other)),
                _ => None,
            },
            PlaceRole::Merged => self.merged(places),
            PlaceRole::Moved => self.moved(places),
            PlaceRole::Change
            | PlaceRole::Before
            | PlaceRole::After
            | PlaceRole::At
            | PlaceRole::But => None,
        }
    }

    /// The single place beside which something is to stand.
    pub(super) fn beside(&self) -> Option<(PlaceRole, u32)> {
        SIDES.into_iter().find_map(|role| match self.places(role) {
            [place] => Some((role, *place)),
            _ => None,
        })
    }

    /// The places of all items, with a new one where it is wanted.
    fn with_one_more(&self, mut places: Vec<u32>) -> Option<Vec<u32>> {
        // A new item goes between the first and the last one, so there have to be at least two.
        let last = places.len().checked_sub(1).filter(|last| *last > 0)?;
        let index = |place: u32| usize::try_from(place).unwrap_or(usize::MAX);
        let at = match (self.beside(), self.to) {
            (Some((PlaceRole::After, place)), _) => index(place),
            (Some((_, place)), _) => index(place).saturating_sub(1),
            (None, Some(PlaceKind::Front)) => 1,
            (None, _) => last,
        };
        // The first item stays the opening and the last one stays the closing, whatever is added.
        places.insert(at.clamp(1, last), NEW);
        Some(places)
    }

    /// The places of all items, with a new one in the place of several that become one.
    fn merged(&self, gone: &[u32]) -> Option<Vec<u32>> {
        let first = gone.iter().min().copied()?;
        // The first item is the opening and the last one the closing; neither may be merged into another one.
        let is_inside = gone.iter().all(|place| (2..self.count).contains(place));
        if gone.iter().all(|place| *place == first) || !is_inside {
            return None;
        }
        let left = (1..=self.count).filter(|place| *place == first || !gone.contains(place));
        let merged = left.map(|place| if place == first { NEW } else { place });
        Some(merged.collect())
    }

    /// The places of all items, with some moved together.
    fn moved(&self, moved: &[u32]) -> Option<Vec<u32>> {
        let mut moved = moved.to_vec();
        moved.dedup();
        let left = (1..=self.count).filter(|place| !moved.contains(place));
        let mut left: Vec<u32> = left.collect();
        let index = |place: u32| left.iter().position(|known| *known == place);
        let at = match (self.beside(), self.to) {
            (Some((PlaceRole::Before, place)), _) => index(place)?,
            (Some((PlaceRole::After, place)), _) => index(place)? + 1,
            // "move page 3 to page 5": after that it is the fifth page.
            (Some((_, place)), _) => usize::try_from(place).ok()?.checked_sub(1)?,
            (None, Some(PlaceKind::Front)) => 0,
            (None, Some(_)) => left.len(),
            (None, None) => return None,
        };
        let at = at.min(left.len());
        left.splice(at..at, moved);
        Some(left)
    }
}

fn swapped(mut places: Vec<u32>, a: u32, b: u32) -> Vec<u32> {
    for place in &mut places {
        if *place == a {
            *place = b;
        } else if *place == b {
            *place = a;
        }
    }
    places
}
