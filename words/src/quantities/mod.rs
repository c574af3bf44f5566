//! Numbers as people of all countries write them, with their signs, scales and units. Digits do not say what the marks between them mean;
//! a column of them mostly does. What nothing says stays in doubt, with both readings.

mod around;
mod column;
mod run;
mod signs;
#[cfg(test)]
mod tests;

use std::ops::Range;

pub use column::columns;
pub(crate) use run::wholes;
pub use run::{DigitRun, digit_runs};

use crate::numerals::Value;
use around::Around;
use run::Whole;

/// A number as it is written in a text.
#[derive(Clone, Debug, PartialEq)]
pub struct Quantity {
    /// Where it stands with its sign, its scale and its unit, in bytes of the text.
    pub span: Range<usize>,
    /// What it can mean, the likeliest first: one value, or two if it can be read in two ways. Signs and scales are part of a value, so
    /// that `(3.5万)` is -35000; percent is not, so that `12 %` is 12.
    pub readings: Vec<Value>,
    pub unit: Option<Measure>,
    /// The unit as it is written; empty where there is none.
    pub unit_text: String,
}

/// What a quantity is measured in.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Measure {
    Percent,
    /// The code of ISO 4217, or the sign where several countries share it, such as `$`.
    Currency(&'static str),
    /// As it is written.
    Other(String),
}

impl Quantity {
    /// Its value, if it is one number and can be read in one way.
    pub fn value(&self) -> Option<f64> {
        match self.readings.as_slice() {
            [Value::Number(value)] => Some(*value),
            _ => None,
        }
    }

    /// The two numbers that it can be, the likelier first, if nothing says which.
    pub fn doubt(&self) -> Option<(f64, f64)> {
        match self.readings.as_slice() {
            [Value::Number(one), Value::Number(other)] => Some((*one, *other)),
            _ => None,
        }
    }
}

/// A quantity whose marks are not settled yet.
#[derive(Clone, Debug)]
struct Draft {
    span: Range<usize>,
    candidates: Vec<Candidate>,
    unit: Option<Measure>,
    /// Where the unit stands.
    unit_span: Range<usize>,
}

/// One way to read a quantity, with the digits that it is read from.
#[derive(Clone, Debug)]
struct Candidate {
    value: Value,
    digits: Vec<Whole>,
}

impl Draft {
    fn finished(self, text: &str) -> Quantity {
        let mut readings: Vec<Value> = vec![];
        for candidate in self.candidates {
            if !readings.contains(&candidate.value) {
                readings.push(candidate.value);
            }
        }
        let unit_text = text.get(self.unit_span).unwrap_or_default().trim();
        Quantity {
            span: self.span,
            readings,
            unit: self.unit,
            unit_text: unit_text.to_owned(),
        }
    }
}

/// All quantities of a text that are written in digits, in its order; [`numerals`](crate::numerals()) finds those in words with their
/// languages. Dates, times, versions, ordinals and digits inside words do not count. Marks that can be read in two
/// ways are settled by the other numbers of the text, where these agree.
pub fn quantities(text: &str) -> Vec<Quantity> {
    let around = Around::of(text, false);
    let mut drafts: Vec<Option<Draft>> = around.drafts().into_iter().map(Some).collect();
    column::settle_by_marks(&mut drafts);
    let drafts = drafts.into_iter().flatten();
    drafts.map(|draft| draft.finished(text)).collect()
}

/// The quantity of a cell that holds one and nothing else but its unit: `1,200`, `(300)`, `12 ms`, `€ 1.200`, `3.5万`, `5–7 %`.
pub fn quantity(cell: &str) -> Option<Quantity> {
    draft(cell).map(|draft| draft.finished(cell))
}

fn draft(cell: &str) -> Option<Draft> {
    Around::of(cell, true).cell()
}

/// Whether a cell says that there is no number in it: it is empty, or holds a dash or words such as `n/a`.
pub fn is_gap(cell: &str) -> bool {
    cell.trim().is_empty() || signs::is_gap(cell)
}
