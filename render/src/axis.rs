//! The value axis of a chart: round steps, and numbers short enough to stand beside them.

use spec::{ChartKind, ChartSpec};

/// How many steps the value axis has, approximately.
const STEPS: f64 = 4.0;

/// The value axis: round steps around all values and zero.
pub(crate) struct Scale {
    pub(crate) low: f64,
    pub(crate) high: f64,
    pub(crate) step: f64,
}

impl Scale {
    pub(crate) fn over(min: f64, max: f64) -> Self {
        let span = if max > min { max - min } else { 1.0 };
        let raw = span / STEPS;
        let power = 10f64.powf(raw.log10().floor());
        let step = [1.0, 2.0, 2.5, 5.0, 10.0]
            .into_iter()
            .map(|m| m * power)
            .find(|step| *step >= raw * 0.999);
        let step = step.unwrap_or(power * 10.0);
        // Value labels stand above the highest bar: leave them a part of a step.
        let high = ((max + step * 0.12) / step).ceil() * step;
        let low = ((min - if min < 0.0 { step * 0.12 } else { 0.0 }) / step).floor() * step;
        Self {
            low,
            high: if high > low { high } else { low + step },
            step,
        }
    }

    pub(crate) fn ticks(&self) -> Vec<f64> {
        let mut ticks = Vec::new();
        let mut index = (self.low / self.step).round();
        while index * self.step <= self.high + self.step / 2.0 {
            ticks.push(index * self.step);
            index += 1.0;
        }
        ticks
    }
}

/// The least and the largest value that a chart's axis shows; for stacked series, of the whole stacks. The range includes zero, except
/// for a line that would look flat on an axis from zero.
pub(crate) fn reach(chart: &ChartSpec) -> (f64, f64) {
    let finite = |value: &&f64| value.is_finite();
    let all = || chart.datasets.iter().flat_map(|set| set.values.iter());
    match chart.kind {
        ChartKind::Stacked => {
            let stack = |at: usize, sign: f64| -> f64 {
                let values = chart.datasets.iter().filter_map(|set| set.values.get(at));
                let values = values.filter(finite).filter(|value| **value * sign > 0.0);
                values.sum()
            };
            let stacks = || 0..chart.labels.len();
            (
                stacks().map(|at| stack(at, -1.0)).fold(0.0, f64::min),
                stacks().map(|at| stack(at, 1.0)).fold(0.0, f64::max),
            )
        }
        ChartKind::Line if runs_far_from_zero(all().filter(finite)) => {
            let all = || all().filter(finite).copied();
            (
                all().fold(f64::INFINITY, f64::min),
                all().fold(f64::NEG_INFINITY, f64::max),
            )
        }
        ChartKind::Bar
        | ChartKind::Line
        | ChartKind::Pie
        | ChartKind::HorizontalBar
        | ChartKind::Area => (
            all().filter(finite).copied().fold(0.0, f64::min),
            all().filter(finite).copied().fold(0.0, f64::max),
        ),
    }
}

/// A line shows how values change, not how large they are. Where values differ by less than this share of the largest one, an axis
/// from zero would show a flat line.
const FLAT_SHARE: f64 = 0.4;

/// Whether a line through these values would look flat on an axis from zero.
fn runs_far_from_zero<'a>(values: impl Iterator<Item = &'a f64> + Clone) -> bool {
    let low = values.clone().copied().fold(f64::INFINITY, f64::min);
    let high = values.copied().fold(f64::NEG_INFINITY, f64::max);
    let one_sided = low > 0.0 || high < 0.0;
    low < high && one_sided && high - low < FLAT_SHARE * low.abs().max(high.abs())
}

/// Numbers with more digits than this are rounded: nobody reads them off a chart.
const EXACT_DIGITS: usize = 6;

/// Significant digits of a number that is rounded.
const ROUNDED_DIGITS: i32 = 4;

/// Below this a number is written with a power of ten: there would be more zeros than anybody counts.
const POWER_BELOW: f64 = 1e-6;

/// A number as charts write it: as it is given where it has few digits, else with four significant ones; large ones with the unit of
/// the language, 万 and 亿, or K, M, B. A number that is not zero is never written as zero.
pub(crate) fn number(value: f64, chinese: bool) -> String {
    let size = value.abs();
    if 0.0 < size && size < POWER_BELOW {
        return powered(value);
    }
    let (divisor, unit) = match (chinese, size) {
        (true, 1e8..) => (1e8, "亿"),
        (true, 1e5..) => (1e4, "万"),
        (false, 1e9..) => (1e9, "B"),
        (false, 1e6..) => (1e6, "M"),
        (false, 1e5..) => (1e3, "K"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let given = value.to_string();
    let digits = given.trim_start_matches(['-', '0', '.']);
    let digits = digits.chars().filter(char::is_ascii_digit).count();
    let text = if unit.is_empty() && digits <= EXACT_DIGITS {
        given
    } else {
        let decimals = usize::try_from(ROUNDED_DIGITS - 1 - magnitude(value)).unwrap_or(0);
        format!("{value:.decimals$}")
    };
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    let text = if text == "-0" { "0" } else { text };
    format!("{}{unit}", grouped(text))
}

/// The power of ten of a number's first digit; of zero, 0.
fn magnitude(value: f64) -> i32 {
    let written = format!("{value:e}");
    let power = written.rsplit_once('e').map_or("0", |(_, power)| power);
    power.parse().unwrap_or(0)
}

/// A number with a power of ten.
fn powered(value: f64) -> String {
    let power = magnitude(value);
    let first = value / 10f64.powi(power);
    let written = power.to_string();
    let signs = written.chars().map(|sign| match sign {
        '-' => '⁻',
        '1' => '¹',
        '2' => '²',
        '3' => '³',
        '4' => '⁴',
        '5' => '⁵',
        '6' => '⁶',
        '7' => '⁷',
        '8' => '⁸',
        '9' => '⁹',
        _ => '⁰',
    });
    let power: String = signs.collect();
    let first = format!("{first:.3}");
    let first = first.trim_end_matches('0').trim_end_matches('.');
    format!("{first}×10{power}")
}

/// A comma for the thousands.
fn grouped(text: &str) -> String {
    let (sign, digits) = text
        .strip_prefix('-')
        .map_or(("", text), |digits| ("-", digits));
    let (whole, rest) = digits
        .find('.')
        .map_or((digits, ""), |at| digits.split_at(at));
    let mut grouped = String::from(sign);
    for (index, digit) in whole.chars().enumerate() {
        if index > 0 && (whole.len() - index) % 3 == 0 {
            grouped.push(',');
        }
        grouped.push(digit);
    }
    grouped + rest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_in_both_languages() {
        let said = |value| (number(value, true), number(value, false));
        let pair = |a: &str, b: &str| (a.to_owned(), b.to_owned());
        assert_eq!(said(0.0), pair("0", "0"));
        assert_eq!(said(-12.5), pair("-12.5", "-12.5"));
        assert_eq!(said(45_000.0), pair("45,000", "45,000"));
        assert_eq!(said(1_234_567.0), pair("123.5万", "1.235M"));
        assert_eq!(said(3.0e9), pair("30亿", "3B"));
        assert_eq!(said(0.1 + 0.2), pair("0.3", "0.3"));
        assert_eq!(said(f64::from(45_678) / 1e3), pair("45.678", "45.678"));
        assert_eq!(said(1.0 / 3.0), pair("0.3333", "0.3333"));
        assert_eq!(said(2000.0 / 3.0), pair("666.7", "666.7"));
    }

    #[test]
    fn small_numbers_are_not_zero() {
        let said = |value| number(value, false);
        assert_eq!(
            [0.0004, 0.0012, 0.0025].map(said),
            ["0.0004", "0.0012", "0.0025"]
        );
        assert_eq!(
            [0.0005 * 3.0, -0.000_012_345_678].map(said),
            ["0.0015", "-0.00001235"]
        );
        assert_eq!(
            [1.2e-9, -5e-10, 1e-7 / 3.0].map(said),
            ["1.2×10⁻⁹", "-5×10⁻¹⁰", "3.333×10⁻⁸"]
        );
    }

    #[test]
    fn a_flat_line_does_not_begin_at_zero_and_bars_do() {
        let chart = |kind, values: &[f64]| ChartSpec {
            kind,
            labels: vec![String::new(); values.len()],
            datasets: vec![spec::Dataset {
                label: String::new(),
                values: values.to_vec(),
            }],
            unit: None,
        };
        let people = [8.03, 8.05, 8.08];
        assert_eq!(reach(&chart(ChartKind::Line, &people)), (8.03, 8.08));
        assert_eq!(reach(&chart(ChartKind::Bar, &people)), (0.0, 8.08));
        assert_eq!(reach(&chart(ChartKind::Line, &[1.0, 8.0])), (0.0, 8.0));
        assert_eq!(reach(&chart(ChartKind::Line, &[-9.0, -8.0])), (-9.0, -8.0));
        assert_eq!(reach(&chart(ChartKind::Line, &[7.0, 7.0])), (0.0, 7.0));
    }

    #[test]
    fn an_axis_has_round_steps_and_holds_zero() {
        let scale = Scale::over(0.0, 87.0);
        assert_eq!(scale.ticks(), [0.0, 25.0, 50.0, 75.0, 100.0]);
        let scale = Scale::over(-12.0, 30.0);
        assert_eq!(scale.ticks(), [-20.0, 0.0, 20.0, 40.0]);
        assert_eq!(Scale::over(0.0, 0.0).ticks().first(), Some(&0.0));
    }
}
