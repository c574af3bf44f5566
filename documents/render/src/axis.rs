//! The value axis of a chart: round steps around its values.

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
    /// The value axis of a chart.
    pub(crate) fn of(chart: &ChartSpec) -> Self {
        let (low, high) = reach(chart);
        Self::over(low, high)
    }

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
fn reach(chart: &ChartSpec) -> (f64, f64) {
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

#[cfg(test)]
mod tests {
    use super::*;

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
