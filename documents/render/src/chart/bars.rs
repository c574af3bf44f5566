//! Bars to compare, in groups of as many as there are series.

use spec::{ChartSpec, Rgb};

use super::{Anchor, Drawing, VALUE_PX};
use crate::scene::{Rect, as_px};
use crate::typeset::Face;

/// Values that would be smaller than this are left to the axis.
const VALUE_PX_MIN: f32 = 12.0;

impl Drawing<'_> {
    pub(super) fn bars(
        &mut self,
        chart: &ChartSpec,
        plot: Rect,
        slot: f32,
        y_of: impl Fn(f64) -> f32,
    ) {
        let sets = as_px(chart.datasets.len().max(1));
        let group = (slot * 0.72).min(92.0 * sets);
        let gap = if sets > 1.0 { 4.0 } else { 0.0 };
        let bar = (group - gap * (sets - 1.0)) / sets;
        // Values are written on the bars if every one has room beside its neighbour; otherwise they are read off the axis.
        let room = if sets > 1.0 { bar + gap } else { slot };
        let widest = chart
            .datasets
            .iter()
            .flat_map(|set| &set.values)
            .map(|v| self.setter.width(&self.numbers.text(*v), Face::Strong));
        let size = (room / widest.fold(1.0, f32::max))
            .floor()
            .min(VALUE_PX + 2.0);
        let mut bars = Vec::new();
        for (set_index, set) in chart.datasets.iter().enumerate() {
            for (index, value) in set.values.iter().enumerate() {
                if value.is_finite() {
                    let x = plot.x + slot * (as_px(index) + 0.5) - group / 2.0
                        + as_px(set_index) * (bar + gap);
                    bars.push((x, *value, self.palette.series[set_index % 6]));
                }
            }
        }
        let written = size >= VALUE_PX_MIN;
        let label_y = |value: f64| y_of(value) + if value < 0.0 { 12.0 } else { -12.0 };
        // Rules end at the numbers instead of going through them; below all bars, so that none is cut.
        for (x, value, _) in bars.iter().filter(|_| written) {
            let w = self.setter.width(&self.numbers.text(*value), Face::Strong) * size;
            let middle = x + bar / 2.0;
            let y = label_y(*value);
            let room = Rect::new(middle - w / 2.0 - 2.0, y - size / 2.0, w + 4.0, size);
            self.rect(room, 0.0, self.palette.card);
        }
        for (x, value, ink) in bars {
            self.bar((x, bar), (y_of(0.0), y_of(value)), ink);
            if written {
                let (at, ink) = ((x + bar / 2.0, label_y(value)), self.palette.text);
                let words = self.numbers.text(value);
                self.text(at, Anchor::Middle, (size, 700), ink, &words);
            }
        }
    }

    /// Bars of the series on top of one another, those below zero downwards; the sum stands at the end where all are above.
    pub(super) fn stacks(
        &mut self,
        chart: &ChartSpec,
        plot: Rect,
        slot: f32,
        y_of: impl Fn(f64) -> f32,
    ) {
        let w = (slot * 0.6).min(110.0);
        let size = VALUE_PX + 1.0;
        for index in 0..chart.labels.len() {
            let x = plot.x + slot * (as_px(index) + 0.5) - w / 2.0;
            let (mut above, mut below) = (0.0, 0.0);
            for (set_index, set) in chart.datasets.iter().enumerate() {
                let Some(value) = set.values.get(index).filter(|value| value.is_finite()) else {
                    continue;
                };
                let base = if *value < 0.0 { &mut below } else { &mut above };
                let (from, to) = (y_of(*base), y_of(*base + value));
                *base += value;
                let ink = self.palette.series[set_index % 6];
                self.rect(Rect::new(x, from.min(to), w, (to - from).abs()), 0.0, ink);
            }
            let Some(sum) = sum_of_stack(chart, index) else {
                continue;
            };
            let words = self.numbers.text(sum);
            if self.setter.width(&words, Face::Strong) * size <= slot {
                let at = (x + w / 2.0, y_of(sum) - 12.0);
                self.text(at, Anchor::Middle, (size, 700), self.palette.text, &words);
            }
        }
    }

    /// A bar from the zero line to its value; the end at the value is round.
    fn bar(&mut self, (x, w): (f32, f32), (zero, end): (f32, f32), ink: Rgb) {
        // One pixel at least, or a small value could not be seen.
        let h = if (end - zero).abs() < 1.0 {
            -1.0
        } else {
            end - zero
        };
        let r = (w / 5.0).min(6.0).min(h.abs());
        let (v, turn) = (h - r * h.signum(), i32::from(h < 0.0));
        self.put(format_args!(
            "<path d=\"M{x:.1} {zero:.1}v{v:.1}a{r:.1} {r:.1} 0 0 {turn} {r:.1} {dy:.1}h{across:.1}a{r:.1} {r:.1} 0 0 {turn} {r:.1} {back:.1}v{up:.1}Z\" fill=\"{}\"/>",
            ink.hex(),
            dy = r * h.signum(),
            across = w - 2.0 * r,
            back = -r * h.signum(),
            up = -v,
        ));
    }
}

/// The sum that stands at the end of a stack; of one that goes below zero there is none.
pub(super) fn sum_of_stack(chart: &ChartSpec, at: usize) -> Option<f64> {
    let values = chart.datasets.iter().filter_map(|set| set.values.get(at));
    let values: Vec<f64> = values.copied().filter(|value| value.is_finite()).collect();
    let sum: f64 = values.iter().sum();
    (values.iter().all(|value| *value >= 0.0) && sum > 0.0).then_some(sum)
}

#[cfg(test)]
mod tests {
    use super::super::tests::blank;
    use crate::fonts::Fonts;
    use crate::palette::Palette;
    use crate::typeset::Typesetter;
    use spec::Rgb;

    /// The shapes of one bar from `zero` to `end`, 50 pixels wide.
    fn bar(zero: f32, end: f32) -> String {
        let theme = &spec::builtin_themes()[0];
        let setter = Typesetter::new(&Fonts::embedded(), theme, "en");
        let palette = Palette::new(theme);
        let mut drawing = blank(&palette, &setter);
        drawing.bar((10.0, 50.0), (zero, end), Rgb::BLACK);
        drawing.svg
    }

    #[test]
    fn a_bar_is_round_where_its_value_is_and_straight_at_zero() {
        let up = "M10.0 200.0v-94.0a6.0 6.0 0 0 1 6.0 -6.0h38.0a6.0 6.0 0 0 1 6.0 6.0v94.0Z";
        assert!(bar(200.0, 100.0).contains(up), "{}", bar(200.0, 100.0));
        let down = "M10.0 200.0v94.0a6.0 6.0 0 0 0 6.0 6.0h38.0a6.0 6.0 0 0 0 6.0 -6.0v-94.0Z";
        assert!(bar(200.0, 300.0).contains(down), "{}", bar(200.0, 300.0));
    }

    #[test]
    fn a_value_too_small_to_see_is_a_line() {
        assert!(
            bar(200.0, 199.9).starts_with("<path d=\"M10.0 200.0v0.0a1.0 1.0 0 0 1 1.0 -1.0h48.0")
        );
    }
}
