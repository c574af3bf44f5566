//! What the marks between digits mean, by the evidence of all cells of a column.

use super::run::Whole;
use super::{Candidate, Draft, Quantity, draft, signs};

/// The mark before decimals, of the two that can also separate thousands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Decimal {
    Point,
    Comma,
}

/// The quantities of the columns of a table, `None` for cells that hold something else. The cells of a column say together what their
/// marks mean; where they do not, those of the other columns do, then the language (a tag of BCP 47, or nothing). What is still in doubt
/// has both readings.
pub fn columns(table: &[Vec<&str>], language: &str) -> Vec<Vec<Option<Quantity>>> {
    let drafts = |cells: &Vec<&str>| cells.iter().map(|cell| draft(cell)).collect();
    let mut drafted: Vec<Vec<Option<Draft>>> = table.iter().map(drafts).collect();
    let of_all = voted(drafted.iter().flatten().flatten());
    let of_language = signs::decimal_of(language);
    for column in &mut drafted {
        let own = voted(column.iter().flatten());
        if own == Votes::Both {
            continue;
        }
        let decimal = own.decimal().or_else(|| by_form(column));
        let decimal = decimal.or(of_all.decimal()).or(of_language);
        settle(column, decimal);
    }
    let finish = |(cells, drafts): (&Vec<&str>, Vec<Option<Draft>>)| {
        let pairs = cells.iter().zip(drafts);
        let finished = pairs.map(|(cell, draft)| draft.map(|draft| draft.finished(cell)));
        finished.collect()
    };
    table.iter().zip(drafted).map(finish).collect()
}

/// Settles marks by those numbers of which each can be read in one way.
pub(super) fn settle_by_marks(drafts: &mut [Option<Draft>]) {
    let decimal = voted(drafts.iter().flatten()).decimal();
    settle(drafts, decimal);
}

fn settle(drafts: &mut [Option<Draft>], decimal: Option<Decimal>) {
    let Some(decimal) = decimal else { return };
    for draft in drafts.iter_mut().flatten() {
        if draft.candidates.iter().any(|it| it.fits(decimal)) {
            draft.candidates.retain(|it| it.fits(decimal));
        }
    }
}

/// What the quantities with one reading say.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Votes {
    Nothing,
    One(Decimal),
    Both,
}

impl Votes {
    fn decimal(self) -> Option<Decimal> {
        match self {
            Self::One(decimal) => Some(decimal),
            Self::Nothing | Self::Both => None,
        }
    }
}

fn voted<'a>(drafts: impl Iterator<Item = &'a Draft>) -> Votes {
    let mut votes = Votes::Nothing;
    for draft in drafts {
        let fits = |decimal| draft.candidates.iter().any(|it| it.fits(decimal));
        let vote = match (fits(Decimal::Point), fits(Decimal::Comma)) {
            (true, false) => Decimal::Point,
            (false, true) => Decimal::Comma,
            (true, true) | (false, false) => continue,
        };
        votes = match votes {
            Votes::Nothing => Votes::One(vote),
            Votes::One(other) if other == vote => votes,
            Votes::One(_) | Votes::Both => Votes::Both,
        };
    }
    votes
}

impl Candidate {
    fn fits(&self, decimal: Decimal) -> bool {
        let (own, other) = match decimal {
            Decimal::Point => ('.', ','),
            Decimal::Comma => (',', '.'),
        };
        let fits = |digits: &Whole| digits.decimal != Some(other) && digits.group != Some(own);
        self.digits.iter().all(fits)
    }
}

/// What the form of the numbers of a column says where each of its marks can be read in two ways.
fn by_form(column: &[Option<Draft>]) -> Option<Decimal> {
    let digits = |draft: &Draft| draft.candidates.first().map(|it| it.digits.clone());
    let firsts: Vec<Whole> = column
        .iter()
        .flatten()
        .filter_map(digits)
        .flatten()
        .collect();
    let in_doubt = |draft: &&Draft| draft.candidates.len() > 1;
    let doubtful = column
        .iter()
        .flatten()
        .filter(in_doubt)
        .flat_map(|draft| &draft.candidates);
    let doubtful: Vec<&Whole> = doubtful.flat_map(|candidate| &candidate.digits).collect();
    let mut marks = doubtful.iter().filter_map(|whole| whole.group);
    let mark = marks.next()?;
    if marks.any(|other| other != mark) {
        return None;
    }
    let (as_decimal, as_group) = match mark {
        '.' => (Decimal::Point, Decimal::Comma),
        _ => (Decimal::Comma, Decimal::Point),
    };
    /// Digits of a number that people divide into groups if they divide any.
    const LONG: usize = 5;
    let others = |whole: &Whole| {
        whole
            .group
            .is_some_and(|group| group != '.' && group != ',')
    };
    let is_long = |whole: &Whole| {
        let integer = whole.digits.split('.').next().unwrap_or_default();
        whole.group.is_none() && whole.decimal.is_none() && integer.len() >= LONG
    };
    if firsts.iter().any(|whole| others(whole) || is_long(whole)) {
        return Some(as_decimal);
    }
    // Whoever writes 1.250 with a closing zero has three decimals in every row, and would not write 980 beside it.
    let has_plain = firsts
        .iter()
        .any(|it| it.decimal.is_none() && it.group.is_none());
    let has_zero = doubtful
        .iter()
        .any(|it| it.group.is_some() && it.digits.ends_with('0'));
    (has_plain && has_zero).then_some(as_group)
}
