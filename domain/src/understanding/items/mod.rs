//! The pages, sections or pictures that a message names: by number, by place, by title.

mod order;
#[cfg(test)]
mod tests;
mod titles;

pub use order::{NEW, NEW_ITEM, reordered};

use std::ops::Range;

pub use words::Unit;
use words::{Place, PlaceKind, PlaceRole, Places, folded, places};

/// The items of a pipeline that a message can name.
#[derive(Clone, Copy, Debug)]
pub struct Items {
    /// The kind of artifact that each item is.
    pub kind: &'static str,
    /// What they are counted in.
    pub things: Unit,
    /// What the items are called in an answer: the word for one in Chinese, and the word for several in English.
    pub called: (&'static str, &'static str),
    /// Whether a title alone names an item, without a noun beside the title.
    pub by_title: bool,
    /// Whether items can be left out and put in another order without asking a model.
    pub can_be_ordered: bool,
}

/// What a message names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct NamedItems {
    /// From 1, in their order.
    pub places: Vec<u32>,
    /// The first named number that no item has.
    pub beyond: Option<u32>,
    /// The places after the change, in their new order, where the message only leaves some out, moves some, merges several into one, or
    /// wants one more: [`NEW`] stands for a new item.
    pub order: Option<Vec<u32>>,
    /// Whether the message wants a new item.
    pub adds: bool,
    /// Whether it seems to name items, and which is not sure.
    pub unread: bool,
}

/// Where what is moved or added is to stand.
const SIDES: [PlaceRole; 3] = [PlaceRole::Before, PlaceRole::After, PlaceRole::At];

/// A place below this confidence is asked for.
const SURE: f64 = 0.45;

/// The items that a message names, of those with these titles.
pub fn named(text: &str, items: &Items, titles: &[String]) -> NamedItems {
    let text = folded(text);
    let count = u32::try_from(titles.len()).unwrap_or(u32::MAX);
    let beside_nouns = titles::beside_nouns(&text, items.things, titles);
    let alone = titles::alone(&text, titles);
    let read = |known: &[(Range<usize>, u32)]| places(&text, items.things, known);
    let names_alone = !alone.is_empty();
    let known = [alone, beside_nouns.clone()].concat();
    // Elsewhere a title alone names an item only where something is to become of it: it is left out or moved.
    let titled = names_alone.then(|| read(&known));
    let titled = titled.filter(|titled| items.by_title || is_order(titled));
    let mut found = titled.unwrap_or_else(|| read(&beside_nouns));
    // Where nothing is moved or added, "before" and "after" beside a title are words of the sentence.
    let moves = |place: &Place| place.role == PlaceRole::Moved || place.kind == PlaceKind::New;
    if !found.all.iter().any(moves) {
        let is_title = |place: &&mut Place| known.iter().any(|(of, _)| of.contains(&place.begin));
        for place in found.all.iter_mut().filter(is_title) {
            if SIDES.contains(&place.role) {
                place.role = PlaceRole::Change;
            }
        }
    }
    Meant::of(&found, count).named(items, &found)
}

/// Whether a message orders what it names.
fn is_order(found: &Places) -> bool {
    use PlaceRole::{After, At, Away, Before, But, Change, Keep, Merged, Moved, Swapped};
    let orders = |place: &Place| match place.role {
        Away | Keep | Moved | Swapped | Merged => true,
        Change | Before | After | At | But => false,
    };
    found.all.iter().any(orders)
}

/// The places that a message names, by what is to become of them.
#[derive(Debug, Default)]
struct Meant {
    /// The roles that are named, in the order of the message, each with its places.
    roles: Vec<(PlaceRole, Vec<u32>)>,
    /// One more item, and the end or the beginning as the place to which something is moved.
    adds: bool,
    to: Option<PlaceKind>,
    /// How many items there are.
    count: u32,
    /// Whether a word for a place has no number that it needs, or stands beside nothing.
    is_broken: bool,
}

impl Meant {
    fn of(found: &Places, count: u32) -> Self {
        let mut meant = Self {
            count,
            ..Self::default()
        };
        // Where a range may begin.
        let mut begin = None;
        for place in &found.all {
            let number = place.number.unwrap_or(0);
            let last = |n: u32| (count + 1).saturating_sub(n);
            meant.is_broken |= needs_number(place.kind) && number == 0;
            let numbers: Vec<u32> = match place.kind {
                PlaceKind::Other => continue,
                PlaceKind::New => {
                    meant.adds = true;
                    continue;
                }
                PlaceKind::End | PlaceKind::Front => {
                    meant.to = Some(place.kind);
                    continue;
                }
                PlaceKind::Till => {
                    let from = begin.take().unwrap_or(number);
                    span(from.min(number), from.max(number))
                }
                PlaceKind::Nth => vec![number],
                PlaceKind::NthLast => vec![last(number)],
                PlaceKind::FirstN => span(1, number.min(count)),
                PlaceKind::LastN => span(last(number).max(1), count),
                PlaceKind::From => span(number, number.max(count)),
                PlaceKind::Behind => (number + 1..=count).collect(),
                PlaceKind::UpTo => span(1, number),
                PlaceKind::Below => (1..number).collect(),
                PlaceKind::First => vec![1],
                PlaceKind::Last => vec![count],
                PlaceKind::SecondLast => vec![last(2)],
                PlaceKind::ThirdLast => vec![last(3)],
                PlaceKind::FirstHalf => span(1, count.div_ceil(2)),
                PlaceKind::SecondHalf => span(count.div_ceil(2) + 1, count),
                PlaceKind::Odd => (1..=count).step_by(2).collect(),
                PlaceKind::Even => (2..=count).step_by(2).collect(),
            };
            if place.kind != PlaceKind::Till {
                begin = numbers.first().copied().filter(|_| numbers.len() == 1);
            }
            meant.add(place.role, numbers);
        }
        meant.take_out_excepted();
        meant.settle_sides();
        meant
    }

    fn add(&mut self, role: PlaceRole, numbers: Vec<u32>) {
        match self.roles.iter_mut().find(|(known, _)| *known == role) {
            Some((_, places)) => places.extend(numbers),
            None => self.roles.push((role, numbers)),
        }
    }

    fn places(&self, role: PlaceRole) -> &[u32] {
        let of_role = self.roles.iter().find(|(known, _)| *known == role);
        of_role.map_or(&[], |(_, places)| places)
    }

    /// Where nothing is moved or added, "after 6" stands for all that is there: "bin the second one and anything after 6".
    fn settle_sides(&mut self) {
        let moves = !self.places(PlaceRole::Moved).is_empty();
        let side = self.beside();
        if moves || self.adds || side.is_none() {
            return;
        }
        self.roles.retain(|(role, _)| !SIDES.contains(role));
        let act = self.roles.first().map(|(role, _)| *role);
        match (act, side) {
            (Some(act), Some((PlaceRole::After, n))) => {
                self.add(act, (n + 1..=self.count).collect())
            }
            (Some(act), Some((PlaceRole::Before, n))) => self.add(act, (1..n).collect()),
            _ => self.is_broken = true,
        }
    }

    /// Takes what is excepted out of what is named; where nothing else is, all others are meant.
    fn take_out_excepted(&mut self) {
        let but = self.places(PlaceRole::But).to_vec();
        if but.is_empty() {
            return;
        }
        self.roles.retain(|(role, _)| *role != PlaceRole::But);
        if self.roles.is_empty() {
            self.add(PlaceRole::Change, (1..=self.count).collect());
        }
        for (_, places) in &mut self.roles {
            places.retain(|place| !but.contains(place));
        }
    }

    fn named(&self, items: &Items, found: &Places) -> NamedItems {
        let is_side = |role: &PlaceRole| SIDES.contains(role);
        let is_sure = found.confidence >= SURE && !self.is_broken;
        let order = || self.order(found.besides);
        let order = (items.can_be_ordered && is_sure).then(order).flatten();
        let order = order.filter(|order| !reordered(order, self.count).is_empty());
        let adds = self.adds || order.as_ref().is_some_and(|order| order.contains(&NEW));
        let meant = self
            .roles
            .iter()
            .filter(|(role, _)| !adds && !is_side(role));
        let mut places: Vec<u32> = meant.flat_map(|(_, places)| places.clone()).collect();
        places.sort_unstable();
        places.dedup();
        let is_there = |place: &u32| (1..=self.count).contains(place);
        let mut all = self.roles.iter().flat_map(|(_, places)| places);
        let beyond = all
            .find(|place| !is_there(place))
            .copied()
            .filter(|_| is_sure);
        places.retain(is_there);
        NamedItems {
            places: if is_sure { places } else { vec![] },
            beyond,
            order: order.filter(|_| beyond.is_none()),
            adds: adds && is_sure,
            unread: !is_sure,
        }
    }
}

fn needs_number(kind: PlaceKind) -> bool {
    use PlaceKind::{Behind, Below, FirstN, From, LastN, Nth, NthLast, Till, UpTo};
    matches!(
        kind,
        Nth | NthLast | FirstN | LastN | Till | From | Behind | UpTo | Below
    )
}

/// The most items that a message can name at once: no product has more.
const SPAN_MAX: u32 = 100;

fn span(first: u32, last: u32) -> Vec<u32> {
    if first <= last && last - first < SPAN_MAX {
        (first..=last).collect()
    } else {
        vec![first, last]
    }
}
