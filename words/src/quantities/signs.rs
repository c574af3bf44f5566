//! The words and signs that stand around numbers.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Measure;
use super::column::Decimal;
use crate::rows::{entries, rows};
use crate::table::Table;
use crate::tokens::tokens;

/// See the head of the file.
const ROWS: &str = include_str!("../../data/quantities.tsv");

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word {
    Scale(i32, Where),
    Currency(&'static str),
    Percent,
    Minus,
    Plus,
    About,
    Range,
    Date,
    Gap,
}

/// Where a scale counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Where {
    Anywhere,
    /// Right behind digits.
    Joined,
    /// There, in capitals.
    Upper,
    /// Beside a currency.
    Money,
}

pub(super) static WORDS: LazyLock<Table<Word>> = LazyLock::new(|| {
    Table::read(ROWS, |cells| {
        let [kind, value, place] = *cells.first_chunk::<3>()?;
        let place = match place {
            "joined" => Where::Joined,
            "upper" => Where::Upper,
            "money" => Where::Money,
            _ => Where::Anywhere,
        };
        Some(match kind {
            "scale" => Word::Scale(value.parse().ok()?, place),
            "currency" => Word::Currency(value),
            "percent" => Word::Percent,
            "minus" => Word::Minus,
            "plus" => Word::Plus,
            "about" => Word::About,
            "range" => Word::Range,
            "date" => Word::Date,
            "gap" => Word::Gap,
            _ => return None,
        })
    })
});

pub(super) fn is_gap(cell: &str) -> bool {
    let tokens = tokens(cell);
    let longest = WORDS.longest(&tokens, 0);
    longest.is_some_and(|(length, words)| length == tokens.len() && words.contains(&Word::Gap))
}

/// Decimal marks by the tags of languages.
static DECIMALS: LazyLock<HashMap<&str, Decimal>> = LazyLock::new(|| {
    let marks = rows(ROWS).filter_map(|[kind, _, _, tags]| match kind {
        "point" => Some((tags, Decimal::Point)),
        "comma" => Some((tags, Decimal::Comma)),
        _ => None,
    });
    let of_tags = |(tags, decimal)| entries(tags).into_iter().map(move |tag| (tag, decimal));
    marks.flat_map(of_tags).collect()
});

/// The decimal mark of a language by its tag.
pub(super) fn decimal_of(language: &str) -> Option<Decimal> {
    let of_tag = |tag: &str| DECIMALS.get(tag).copied();
    of_tag(language).or_else(|| of_tag(language.split(['-', '_']).next()?))
}

impl Word {
    /// What it measures a number in.
    pub(super) fn unit(&self) -> Option<Measure> {
        match self {
            Self::Currency(code) => Some(Measure::Currency(code)),
            Self::Percent => Some(Measure::Percent),
            Self::Scale(..)
            | Self::Minus
            | Self::Plus
            | Self::About
            | Self::Range
            | Self::Date
            | Self::Gap => None,
        }
    }
}
