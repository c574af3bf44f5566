//! Horizontal bars, for categories with long names: the first category is at the top.

use spec::ChartSpec;

use super::{Anchor, CATEGORY_PX, CATEGORY_PX_MIN, Drawing, LABEL_PX, VALUE_PX};
use crate::axis::Scale;
use crate::numbers::Numbers;
use crate::scene::{Rect, as_px};
use crate::typeset::Face;

/// At most this share of the chart's width is for the names.
const NAMES_SHARE: f32 = 0.38;
/// Height kept for the legend above and for the axis below.
const TOP_H: f32 = 34.0;
const AXIS_H: f32 = 28.0;

/// Width kept for the names of categories in a chart of this width.
pub(crate) fn names_w(chart: &ChartSpec, w: f32, width: impl Fn(&str) -> f32) -> f32 {
    let widest = chart
        .labels
        .iter()
        .map(|label| width(label))
        .fold(0.0, f32::max);
    (widest * CATEGORY_PX + 16.0).min(w * NAMES_SHARE)
}

impl Drawing<'_> {
    pub(super) fn lying(&mut self, chart: &ChartSpec, rect: Rect) {
        let scale = Scale::of(chart);
        let names_w = names_w(chart, rect.w, |label| self.width(label));
        let plot = Rect::new(
            names_w,
            TOP_H,
            rect.w - names_w - 24.0,
            rect.h - TOP_H - AXIS_H,
        );
        let x_of = |value: f64| {
            plot.x + super::px((value - scale.low) / (scale.high - scale.low)) * plot.w
        };
        if let Some(unit) = &chart.unit {
            let ink = self.palette.muted;
            self.text((0.0, 12.0), Anchor::Start, (LABEL_PX, 400), ink, unit);
        }
        self.legend(&chart.datasets, rect);
        let ticks = scale.ticks();
        let numbers = Numbers::of_axis(&ticks, self.language);
        for tick in ticks {
            let x = x_of(tick);
            let base = tick.abs() < scale.step / 1e6;
            let (w, ink) = match base {
                true => (2.0, self.palette.muted),
                false => (1.0, self.palette.line),
            };
            self.rect(Rect::new(x - w / 2.0, plot.y, w, plot.h), 0.0, ink);
            let words = numbers.text(tick);
            let at = (x, plot.bottom() + 16.0);
            self.text(
                at,
                Anchor::Middle,
                (LABEL_PX, 400),
                self.palette.muted,
                &words,
            );
        }
        let slot = plot.h / as_px(chart.labels.len().max(1));
        self.names(&chart.labels, plot, slot);
        let sets = as_px(chart.datasets.len().max(1));
        let group = (slot * 0.72).min(54.0 * sets);
        let bar = group / sets;
        let size = (bar * 0.9).min(VALUE_PX + 1.0);
        for (set_index, set) in chart.datasets.iter().enumerate() {
            let ink = self.palette.series[set_index % 6];
            for (index, value) in set.values.iter().enumerate() {
                if !value.is_finite() {
                    continue;
                }
                let y = plot.y + slot * (as_px(index) + 0.5) - group / 2.0 + as_px(set_index) * bar;
                let (zero, end) = (x_of(0.0), x_of(*value));
                let drawn = Rect::new(zero.min(end), y, (end - zero).abs().max(1.0), bar - 2.0);
                self.rect(drawn, 3.0, ink);
                if size >= CATEGORY_PX_MIN {
                    let words = self.numbers.text(*value);
                    let w = self.setter.width(&words, Face::Strong) * size;
                    let x = match *value < 0.0 {
                        true => end - 6.0 - w,
                        false => (end + 6.0).min(rect.w - w),
                    };
                    let ground = Rect::new(x - 2.0, y + bar / 2.0 - size / 2.0, w + 4.0, size);
                    self.rect(ground, 0.0, self.palette.card);
                    let at = (x, y + bar / 2.0 - 1.0);
                    self.text(at, Anchor::Start, (size, 700), self.palette.text, &words);
                }
            }
        }
    }

    /// Names of the categories before their bars, on up to two lines.
    fn names(&mut self, labels: &[String], plot: Rect, slot: f32) {
        let room = plot.x - 12.0;
        let lines = |size: f32| {
            let each = labels
                .iter()
                .map(|label| self.halves(label, room / size, true));
            each.collect::<Vec<_>>()
        };
        let fits = |size: f32| {
            lines(size).iter().all(|parts| {
                let wide = parts.iter().all(|part| self.width(part) * size <= room);
                wide && as_px(parts.len()) * size * 1.25 <= slot
            })
        };
        let mut size = CATEGORY_PX;
        while size > CATEGORY_PX_MIN && !fits(size) {
            size -= 1.0;
        }
        for (index, parts) in lines(size).into_iter().enumerate() {
            let middle = plot.y + slot * (as_px(index) + 0.5);
            let count = as_px(parts.len());
            for (at, part) in parts.iter().enumerate() {
                let y = middle + (as_px(at) - (count - 1.0) / 2.0) * size * 1.25;
                let at = (plot.x - 12.0, y);
                self.text(at, Anchor::End, (size, 400), self.palette.text, part);
            }
        }
    }
}
