//! Number formats of office programs that show values as our drawings write them, and what such a format shows.

use super::{Numbers, is_power};

/// The end of a format for numbers with a power of ten.
const POWER: &str = "E+0";
/// Two conditions and the rest are all that a format has room for.
const UNITS_MAX: usize = 2;
/// A format shows the same number if it differs by less than this share: what is lost in computing.
const SAME_SHARE: f64 = 1e-9;

/// How a series is written: the format of the series, and the formats of the values that would not be shown as drawn by it.
pub(crate) struct Codes {
    pub(crate) series: String,
    /// Places of values, each with the format of this one value.
    pub(crate) points: Vec<(usize, String)>,
}

impl Numbers {
    /// The formats of a series, whose values have the numbers of these. `all` are the values of the chart.
    pub(crate) fn codes(&self, all: &[f64], series: &[f64]) -> Codes {
        let code = self.code(all);
        let points = series
            .iter()
            .enumerate()
            .filter(|(_, value)| value.is_finite() && !self.is_shown(&code, **value));
        Codes {
            points: points
                .map(|(at, value)| (at, self.code(&[*value])))
                .collect(),
            series: code,
        }
    }

    /// Whether the format shows the number that is drawn.
    pub(crate) fn is_shown(&self, code: &str, value: f64) -> bool {
        let drawn = self.read(&self.text(value));
        let shown = self.shown(code, value);
        drawn
            .zip(shown)
            .is_some_and(|(drawn, shown)| same(drawn, shown))
    }

    /// One format for all of these values.
    pub(crate) fn code(&self, values: &[f64]) -> String {
        let values: Vec<f64> = values.iter().copied().filter(|v| v.is_finite()).collect();
        if let Some(code) = self.one_unit(&values) {
            return code;
        }
        let mut upper = f64::INFINITY;
        let mut parts = Vec::new();
        for unit in self.units {
            let counted = unit.from..upper;
            let within: Vec<f64> = values
                .iter()
                .copied()
                .filter(|value| counted.contains(value) && !is_power(*value))
                .collect();
            upper = unit.from;
            if within.is_empty() || parts.len() == UNITS_MAX {
                continue;
            }
            let code = unit.code(self.most_decimals(&within));
            parts.push(format!("[>={}]{code}", unit.from));
        }
        let least = self.units.last().map_or(f64::INFINITY, |unit| unit.from);
        let rest: Vec<f64> = values
            .iter()
            .copied()
            .filter(|value| *value < least || is_power(*value))
            .collect();
        parts.push(self.plain(&rest, parts.is_empty()));
        parts.join(";")
    }

    /// The format of values with one unit: conditions know neither values below zero nor the unit of an axis.
    fn one_unit(&self, values: &[f64]) -> Option<String> {
        let mut sized = values.iter().filter(|value| **value != 0.0);
        let unit = self.unit(*sized.next()?)?;
        let is_it = |value: &f64| {
            !is_power(*value) && self.unit(*value).is_some_and(|u| std::ptr::eq(u, unit))
        };
        let alone = values.iter().all(|value| *value == 0.0 || is_it(value));
        let is_above = self.common.is_none() && values.iter().all(|value| *value >= 0.0);
        if !alone || is_above {
            return None;
        }
        let code = unit.code(self.most_decimals(values));
        Some(format!("{code};-{code};0"))
    }

    /// The format of values without a unit.
    fn plain(&self, values: &[f64], alone: bool) -> String {
        let largest = values.iter().fold(0.0_f64, |most, v| most.max(v.abs()));
        let decimals = self.most_decimals(values);
        let is_given = values.iter().all(|value| self.decimals(*value).is_none());
        let below = values.iter().copied().fold(0.0, f64::min);
        match (largest >= 1000.0, decimals) {
            _ if values.iter().any(|value| is_power(*value)) => {
                format!("0.0{}{POWER}", "#".repeat(self.digits - 2))
            }
            (true, 0) => "#,##0".to_owned(),
            // A condition for values above says nothing of those below.
            (true, _) if alone && below <= -1000.0 => format!("#,##0.{}", "#".repeat(decimals)),
            (true, _) if alone => {
                let large: Vec<f64> = values.iter().copied().filter(|v| *v >= 1000.0).collect();
                let point = match self.most_decimals(&large) {
                    0 => String::new(),
                    decimals => format!(".{}", "0".repeat(decimals)),
                };
                format!("[>=1000]#,##0{point};General")
            }
            (true, _) => "#,##0".to_owned(),
            (false, _) if is_given => "General".to_owned(),
            (false, 0) => "0".to_owned(),
            (false, _) => format!("0.{}", "0".repeat(decimals)),
        }
    }

    /// Most decimals that any of the values is written with.
    fn most_decimals(&self, values: &[f64]) -> usize {
        let count = |value: &f64| {
            let rounded = self.rounded(*value).to_string();
            rounded
                .split_once('.')
                .map_or(0, |(_, behind)| behind.len())
        };
        let most = values.iter().filter(|value| !is_power(**value)).map(count);
        most.max().unwrap_or(0)
    }

    /// The number that a reader takes from what an office program shows of `value` with one of our formats.
    pub(crate) fn shown(&self, code: &str, value: f64) -> Option<f64> {
        let section = section(code, value);
        if section == "General" {
            return Some(value);
        }
        if let Some(digits) = section.strip_suffix(POWER) {
            let decimals = digits.len().checked_sub("0.".len())?;
            let power = i16::try_from(super::magnitude(value)).ok()?;
            return rounded(value, power, decimals);
        }
        let (digits, power) = match section.split_once('"') {
            Some((digits, sign)) => {
                let unit = self.units.iter().find(|unit| sign.starts_with(unit.sign))?;
                (digits, unit.power)
            }
            None => (section, 0),
        };
        // Commas at the end divide; the point that is only written stands before the digits that are left.
        let behind = digits.rsplit_once('.').map_or("", |(_, behind)| behind);
        let decimals = behind.chars().filter(|c| matches!(c, '0' | '#')).count();
        rounded(value, power, decimals)
    }
}

/// The number that is left when so many decimals of it are shown, counted in a power of ten.
fn rounded(value: f64, power: i16, decimals: usize) -> Option<f64> {
    let mut number = super::decimal(value);
    number.absolute.multiply_pow10(-power);
    super::round(&mut number.absolute, decimals);
    number.absolute.multiply_pow10(power);
    number.to_string().parse().ok()
}

/// The part of a format that a value is shown with, without its condition and its minus.
fn section(code: &str, value: f64) -> &str {
    let mut sections = code.split(';');
    if !code.starts_with('[') {
        let of_sign = match value {
            0.0 => sections.nth(2),
            ..0.0 => sections.nth(1),
            _ => None,
        };
        let first = code.split(';').next().unwrap_or(code);
        return of_sign.unwrap_or(first).trim_start_matches('-');
    }
    let met = sections.find_map(|section| {
        let condition = section.strip_prefix("[>=");
        match condition.and_then(|rest| rest.split_once(']')) {
            Some((from, shown)) => {
                let is_met = from.parse().is_ok_and(|from: f64| value >= from);
                is_met.then_some(shown)
            }
            None => Some(section),
        }
    });
    met.unwrap_or("General")
}

/// Whether two numbers are equal but for what is lost in computing.
fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME_SHARE * a.abs().max(b.abs())
}
