//! The value axis of a chart: round steps, and numbers short enough to stand beside them.

use spec::{ChartKind, ChartSpec};

/// About so many steps on the value axis.
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

/// The least and the largest value that a chart's axis shows, with zero between them: of stacked series those of the stacks.
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

/// Four significant digits with the large unit of the language: 万 and 亿, or K, M, B.
pub(crate) fn number(value: f64, chinese: bool) -> String {
    let size = value.abs();
    let (divisor, unit) = match (chinese, size) {
        (true, 1e8..) => (1e8, "亿"),
        (true, 1e5..) => (1e4, "万"),
        (false, 1e9..) => (1e9, "B"),
        (false, 1e6..) => (1e6, "M"),
        (false, 1e5..) => (1e3, "K"),
        _ => (1.0, ""),
    };
    let value = value / divisor;
    let decimals = match value.abs() {
        100.0.. => usize::from(value.fract().abs() > 0.049 && value.abs() < 1000.0),
        1.0.. => 2,
        _ => 3,
    };
    let text = format!("{value:.decimals$}");
    let text = if text.contains('.') {
        text.trim_end_matches('0').trim_end_matches('.')
    } else {
        &text
    };
    let text = if text == "-0" { "0" } else { text };
    format!("{}{unit}", grouped(text))
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
        assert_eq!(said(1_234_567.0), pair("123.5万", "1.23M"));
        assert_eq!(said(3.0e9), pair("30亿", "3B"));
        assert_eq!(said(0.1 + 0.2), pair("0.3", "0.3"));
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
