//! How numbers are written in charts: one rule for the drawing, for the number formats of office files, and for the checks.
//!
//! A number is written as it is given where it has few digits, else with four significant ones; but two numbers of a chart that
//! differ are never written alike, and a number that is not zero never as zero. Large numbers have the unit of the language.

mod code;
mod units;

use std::collections::BTreeSet;

use fixed_decimal::{Decimal, UnsignedDecimal, UnsignedRoundingMode};
use icu_decimal::options::DecimalFormatterOptions;
use icu_decimal::{DecimalFormatter, DecimalFormatterPreferences};
use icu_locale_core::Locale;

use units::Unit;

/// Numbers with more digits than this are rounded: nobody reads them off a chart.
const EXACT_DIGITS: usize = 6;

/// Significant digits of a number that is rounded, if no two numbers look the same with so few.
const ROUNDED_DIGITS: usize = 4;

/// The most significant digits. Numbers that differ only behind them are equal but for the way in which they were computed.
const DIGITS_MAX: usize = 12;

/// Below this a number is written with a power of ten: there would be more zeros than anybody counts.
const POWER_BELOW: f64 = 1e-6;
/// From here on, too, whatever the unit.
const POWER_FROM: f64 = 1e15;

/// A share of less than this would be written as zero percent with one decimal.
const SHARE_MIN: f64 = 0.0005;

/// How the numbers of one chart, or of one axis, are written.
pub(crate) struct Numbers {
    units: &'static [Unit],
    /// The unit of all numbers but zero, where they have only one.
    common: Option<&'static Unit>,
    /// Significant digits of a number that is rounded.
    digits: usize,
    /// Writes the separators of the language, with digits 0 to 9: those are what office programs write.
    separators: DecimalFormatter,
}

impl Numbers {
    /// For these values in a language (BCP 47); in one that is not known, as in English.
    pub(crate) fn of(values: &[f64], language: &str) -> Self {
        let locale = Locale::try_from_str(&format!("{language}-u-nu-latn"))
            .or_else(|_| Locale::try_from_str(language))
            .unwrap_or(Locale::UNKNOWN);
        let separators = DecimalFormatter::try_new(
            DecimalFormatterPreferences::from(&locale),
            DecimalFormatterOptions::default(),
        );
        let mut numbers = Self {
            units: units::of(language),
            common: None,
            digits: ROUNDED_DIGITS,
            separators: separators.expect("the crate has the separators of every language"),
        };
        while numbers.digits < DIGITS_MAX && !numbers.tell_apart(values) {
            numbers.digits += 1;
        }
        if !numbers.tell_apart(values) {
            // A unit of ten thousands has no decimals behind the fourth.
            numbers.units = &[];
        }
        numbers
    }

    /// For the numbers of one axis: all of them have the unit of the largest, so that they are compared at a glance.
    pub(crate) fn of_axis(ticks: &[f64], language: &str) -> Self {
        let mut numbers = Self::of(ticks, language);
        let largest = ticks
            .iter()
            .fold(0.0_f64, |most, tick| most.max(tick.abs()));
        numbers.common = numbers.unit(largest);
        if ticks.iter().any(|tick| is_power(*tick)) || !numbers.tell_apart(ticks) {
            numbers.common = None;
        }
        numbers
    }

    /// Whether no two of the values that differ are written alike.
    pub(crate) fn tell_apart(&self, values: &[f64]) -> bool {
        let finite = values.iter().filter(|value| value.is_finite());
        let written: BTreeSet<String> = finite.map(|value| self.text(*value)).collect();
        written.len() == different(values)
    }

    /// The number as a chart has it, such as `1,234.5`, `123.5万`, `1.235M` or `1.2×10⁻⁹`.
    pub(crate) fn text(&self, value: f64) -> String {
        if is_power(value) {
            return self.powered(value);
        }
        let sign = self.unit(value).map_or("", |unit| unit.sign);
        let digits = self.separated(&self.rounded(value));
        let minus = if value < 0.0 { "-" } else { "" };
        format!("{minus}{digits}{sign}")
    }

    /// A share in percent with one decimal.
    pub(crate) fn percent(&self, share: f64) -> String {
        if is_below_min(share) {
            return self.percent_below_min();
        }
        let mut percent = decimal(share * 100.0);
        round(&mut percent.absolute, 1);
        percent.absolute.trim_end();
        format!("{}%", self.separated(&percent))
    }

    /// The format of office programs for the same share.
    pub(crate) fn percent_code(&self, share: f64) -> String {
        if is_below_min(share) {
            return format!("\"{}\"", self.percent_below_min());
        }
        let whole = (share * 100.0 - (share * 100.0).round()).abs() < 0.05;
        if whole { "0%" } else { "0.0%" }.to_owned()
    }

    fn percent_below_min(&self) -> String {
        format!("<{}%", self.separated(&decimal(0.1)))
    }

    /// The size of the number in its unit, rounded as office programs round, without zeros at the end.
    fn rounded(&self, value: f64) -> Decimal {
        let mut decimal = decimal(value.abs());
        let size = &mut decimal.absolute;
        if let Some(unit) = self.unit(value) {
            size.multiply_pow10(-unit.power);
        }
        if let Some(decimals) = self.decimals(value) {
            round(size, decimals);
        }
        size.trim_start();
        size.trim_end();
        decimal
    }

    fn unit(&self, value: f64) -> Option<&'static Unit> {
        match self.common {
            Some(unit) => (value != 0.0).then_some(unit),
            None => self.units.iter().find(|unit| value.abs() >= unit.from),
        }
    }

    /// To how many decimals the number is rounded, in its unit; `None` where it is written as it is given.
    fn decimals(&self, value: f64) -> Option<usize> {
        let unit = self.unit(value);
        let scaled = unit.map_or(value, |unit| value / unit.divisor());
        let given = scaled.abs().to_string();
        let digits = given.trim_start_matches(['0', '.']);
        let digits = digits.chars().filter(char::is_ascii_digit).count();
        if unit.is_none() && digits <= EXACT_DIGITS.max(self.digits) {
            return None;
        }
        let behind = i64::try_from(self.digits).unwrap_or(0) - 1 - i64::from(magnitude(scaled));
        let wanted = usize::try_from(behind).unwrap_or(0);
        Some(unit.map_or(wanted, |unit| unit.decimals(wanted)))
    }

    /// The number with the separators of the language.
    fn separated(&self, number: &Decimal) -> String {
        // Fewer fonts have the narrow space that some languages separate with.
        let written = self.separators.format(number).to_string();
        written.replace('\u{202f}', "\u{a0}")
    }

    /// A number with a power of ten.
    fn powered(&self, value: f64) -> String {
        let power = magnitude(value);
        let mut first = decimal(value.abs());
        let size = &mut first.absolute;
        size.multiply_pow10(i16::try_from(-power).unwrap_or(0));
        round(size, self.digits - 1);
        size.trim_start();
        size.trim_end();
        let minus = if value < 0.0 { "-" } else { "" };
        let sign = if power < 0 { "⁻" } else { "" };
        let power: String = power
            .unsigned_abs()
            .to_string()
            .chars()
            .map(raised)
            .collect();
        format!("{minus}{}×10{sign}{power}", self.separated(&first))
    }

    /// The number that a reader takes from such a text; `None` for a text that is not one.
    pub(crate) fn read(&self, text: &str) -> Option<f64> {
        let (digits, factor) = match text.split_once("×10") {
            Some((digits, power)) => (digits, 10f64.powi(lowered(power)?)),
            None => {
                let unit = self.units.iter().find(|unit| text.ends_with(unit.sign));
                let digits = unit.map_or(text, |unit| text.trim_end_matches(unit.sign));
                (digits, unit.map_or(1.0, Unit::divisor))
            }
        };
        let half = self.separated(&decimal(0.5));
        let point = half.trim_matches(|c: char| c.is_ascii_digit());
        let (whole, behind) = digits.split_once(point).unwrap_or((digits, ""));
        let whole: String = whole
            .chars()
            .filter(|c| c.is_ascii_digit() || *c == '-')
            .collect();
        let number: f64 = format!("{whole}.{behind}").parse().ok()?;
        Some(number * factor)
    }
}

fn is_below_min(share: f64) -> bool {
    0.0 < share && share < SHARE_MIN
}

/// Rounds to so many decimals, as office programs do.
fn round(size: &mut UnsignedDecimal, decimals: usize) {
    let last = i16::try_from(decimals).map_or(i16::MIN, |decimals| -decimals);
    size.round_with_mode(last, UnsignedRoundingMode::HalfExpand);
}

/// The digits of a number, as it is given.
fn decimal(value: f64) -> Decimal {
    value.to_string().parse().unwrap_or_default()
}

/// How many different numbers there are, but for differences that come from computing.
pub(crate) fn different(values: &[f64]) -> usize {
    let finite = values.iter().filter(|value| value.is_finite());
    let exact: BTreeSet<String> = finite
        .map(|value| format!("{:.*e}", DIGITS_MAX - 1, value + 0.0))
        .collect();
    exact.len()
}

fn is_power(value: f64) -> bool {
    let size = value.abs();
    0.0 < size && size < POWER_BELOW || size >= POWER_FROM
}

/// The power of ten of a number's first digit; of zero, 0.
fn magnitude(value: f64) -> i32 {
    let written = format!("{value:e}");
    let power = written.rsplit_once('e').map_or("0", |(_, power)| power);
    power.parse().unwrap_or(0)
}

const RAISED: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];

fn raised(digit: char) -> char {
    let digit = digit
        .to_digit(10)
        .and_then(|digit| usize::try_from(digit).ok());
    digit.map_or('⁰', |digit| RAISED[digit])
}

/// The number that raised digits say.
fn lowered(power: &str) -> Option<i32> {
    let digits = power.chars().map(|sign| match sign {
        '⁻' => Some('-'),
        raised => {
            let digit = RAISED.iter().position(|known| *known == raised)?;
            char::from_digit(u32::try_from(digit).ok()?, 10)
        }
    });
    digits.collect::<Option<String>>()?.parse().ok()
}

#[cfg(test)]
mod tests;
