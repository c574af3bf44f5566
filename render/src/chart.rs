//! Charts as SVG: bars, lines and a ring, with axis, values and legend.

use std::fmt::Write as _;

use spec::{ChartKind, ChartSpec, Dataset, Rgb};

use crate::axis::{Scale, number};
use crate::html::escape;
use crate::measure::{lines, width};
use crate::palette::Palette;
use crate::scene::{Rect, as_px};

/// Type sizes inside a chart.
const LABEL_PX: f32 = 15.0;
const VALUE_PX: f32 = 15.0;
const LEGEND_PX: f32 = 16.0;
/// Width kept for the axis labels.
const AXIS_W: f32 = 62.0;
/// Height kept for two lines of category labels.
const LABELS_H: f32 = 48.0;

/// A chart being drawn.
struct Drawing<'a> {
    svg: String,
    palette: &'a Palette,
    chinese: bool,
}

/// The chart in a box of this size, as SVG elements.
pub(crate) fn elements(chart: &ChartSpec, rect: Rect, palette: &Palette, language: &str) -> String {
    let chinese = language.to_lowercase().starts_with("zh");
    let mut drawing = Drawing {
        svg: String::new(),
        palette,
        chinese,
    };
    match chart.kind {
        ChartKind::Bar | ChartKind::Line => drawing.axes(chart, rect),
        ChartKind::Pie => drawing.ring(chart, rect),
    }
    drawing.svg
}

/// Where a text hangs on its point.
#[derive(Clone, Copy)]
enum Anchor {
    Start,
    Middle,
    End,
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "a coordinate on a page of 1280 pixels"
)]
fn px(value: f64) -> f32 {
    value as f32
}

impl Drawing<'_> {
    fn put(&mut self, element: std::fmt::Arguments<'_>) {
        self.svg
            .write_fmt(element)
            .expect("a string takes any text");
    }

    /// Text with its middle line on `y`.
    fn text(
        &mut self,
        (x, y): (f32, f32),
        anchor: Anchor,
        (size, weight): (f32, u16),
        ink: Rgb,
        text: &str,
    ) {
        let anchor = match anchor {
            Anchor::Start => "start",
            Anchor::Middle => "middle",
            Anchor::End => "end",
        };
        // A third of the size below the middle is the baseline of digits and of Chinese alike; `dominant-baseline` is
        // not understood by every viewer.
        let y = y + size * 0.35;
        self.put(format_args!(
            "<text x=\"{x:.1}\" y=\"{y:.1}\" text-anchor=\"{anchor}\" font-size=\"{size}\" font-weight=\"{weight}\" fill=\"{}\">{}</text>",
            ink.hex(),
            escape(text)
        ));
    }

    fn rect(&mut self, rect: Rect, radius: f32, ink: Rgb) {
        self.put(format_args!(
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"{radius:.1}\" fill=\"{}\"/>",
            rect.x,
            rect.y,
            rect.w,
            rect.h,
            ink.hex()
        ));
    }

    /// Names of the series, from the right end of the top line; returns nothing when there is only one.
    fn legend(&mut self, datasets: &[Dataset], rect: Rect) {
        let ink = self.palette.text;
        let mut x = rect.w;
        for (index, set) in datasets.iter().enumerate().rev() {
            x -= width(&set.label, false) * LEGEND_PX;
            self.text((x, 12.0), Anchor::Start, (LEGEND_PX, 400), ink, &set.label);
            x -= 22.0;
            self.rect(
                Rect::new(x, 5.0, 14.0, 14.0),
                4.0,
                self.palette.series[index % 6],
            );
            x -= 22.0;
        }
    }

    fn axes(&mut self, chart: &ChartSpec, rect: Rect) {
        let values = || {
            chart
                .datasets
                .iter()
                .flat_map(|set| set.values.iter().copied())
                .filter(|v| v.is_finite())
        };
        let scale = Scale::over(values().fold(0.0, f64::min), values().fold(0.0, f64::max));
        let plot = Rect::new(AXIS_W, 46.0, rect.w - AXIS_W, rect.h - 46.0 - LABELS_H);
        let y_of = |value: f64| {
            plot.bottom() - px((value - scale.low) / (scale.high - scale.low)) * plot.h
        };
        if let Some(unit) = &chart.unit {
            self.text(
                (0.0, 12.0),
                Anchor::Start,
                (LABEL_PX, 400),
                self.palette.muted,
                unit,
            );
        }
        self.legend(&chart.datasets, rect);
        for tick in scale.ticks() {
            let y = y_of(tick);
            let base = tick.abs() < scale.step / 1e6;
            let ink = if base {
                self.palette.muted
            } else {
                self.palette.line
            };
            self.rect(
                Rect::new(plot.x, y - 0.75, plot.w, if base { 2.0 } else { 1.0 }),
                0.0,
                ink,
            );
            let words = number(tick, self.chinese);
            self.text(
                (AXIS_W - 12.0, y),
                Anchor::End,
                (LABEL_PX, 400),
                self.palette.muted,
                &words,
            );
        }
        let slot = plot.w / as_px(chart.labels.len().max(1));
        self.categories(&chart.labels, plot, slot);
        match chart.kind {
            ChartKind::Line => self.courses(chart, plot, slot, y_of),
            ChartKind::Bar | ChartKind::Pie => self.bars(chart, plot, slot, y_of),
        }
    }

    /// Category names under the axis, on up to two lines, as large as the longest allows.
    fn categories(&mut self, labels: &[String], plot: Rect, slot: f32) {
        let room = slot - 8.0;
        let size = labels.iter().fold(17.0, |size, label| {
            crate::measure::largest(size, |size| lines(label, room / size, false) <= 2)
        });
        for (index, label) in labels.iter().enumerate() {
            let x = plot.x + slot * (as_px(index) + 0.5);
            let parts = halves(label, room / size);
            for (at, part) in parts.iter().enumerate() {
                let y = plot.bottom() + 18.0 + as_px(at) * size * 1.25;
                self.text((x, y), Anchor::Middle, (size, 400), self.palette.text, part);
            }
        }
    }

    fn bars(&mut self, chart: &ChartSpec, plot: Rect, slot: f32, y_of: impl Fn(f64) -> f32) {
        let sets = as_px(chart.datasets.len().max(1));
        let group = (slot * 0.72).min(92.0 * sets);
        let gap = if sets > 1.0 { 4.0 } else { 0.0 };
        let bar = (group - gap * (sets - 1.0)) / sets;
        // Values are written on the bars if every one has room beside its neighbour; otherwise the axis speaks.
        let room = if sets > 1.0 { bar + gap } else { slot };
        let words = |value: f64| number(value, self.chinese);
        let widest = chart
            .datasets
            .iter()
            .flat_map(|set| &set.values)
            .map(|v| width(&words(*v), true));
        let size = (room / widest.fold(1.0, f32::max))
            .floor()
            .min(VALUE_PX + 2.0);
        for (set_index, set) in chart.datasets.iter().enumerate() {
            let ink = self.palette.series[set_index % 6];
            for (index, value) in set
                .values
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite())
            {
                let x = plot.x + slot * (as_px(index) + 0.5) - group / 2.0
                    + as_px(set_index) * (bar + gap);
                let (top, base) = (y_of(value.max(0.0)), y_of(value.min(0.0)));
                self.rect(
                    Rect::new(x, top, bar, (base - top).max(1.0)),
                    (bar / 5.0).min(6.0),
                    ink,
                );
                if size >= 11.0 {
                    let y = if *value < 0.0 {
                        base + 12.0
                    } else {
                        top - 12.0
                    };
                    let words = number(*value, self.chinese);
                    self.text(
                        (x + bar / 2.0, y),
                        Anchor::Middle,
                        (size, 700),
                        self.palette.text,
                        &words,
                    );
                }
            }
        }
    }

    fn courses(&mut self, chart: &ChartSpec, plot: Rect, slot: f32, y_of: impl Fn(f64) -> f32) {
        let single = chart.datasets.len() == 1;
        for (set_index, set) in chart.datasets.iter().enumerate() {
            let ink = self.palette.series[set_index % 6].hex();
            let at = |index: usize, value: f64| (plot.x + slot * (as_px(index) + 0.5), y_of(value));
            let points: Vec<(f32, f32, f64)> = set
                .values
                .iter()
                .enumerate()
                .filter(|(_, value)| value.is_finite())
                .map(|(index, value)| (at(index, *value).0, at(index, *value).1, *value))
                .collect();
            let path: Vec<String> = points
                .iter()
                .map(|(x, y, _)| format!("{x:.1} {y:.1}"))
                .collect();
            if let (true, Some(first), Some(last)) = (single, points.first(), points.last()) {
                self.put(format_args!(
                    "<path d=\"M{:.1} {b:.1}L{}L{:.1} {b:.1}Z\" fill=\"{ink}\" fill-opacity=\"0.14\"/>",
                    first.0,
                    path.join("L"),
                    last.0,
                    b = y_of(0.0)
                ));
            }
            self.put(format_args!(
                "<path d=\"M{}\" fill=\"none\" stroke=\"{ink}\" stroke-width=\"4\" stroke-linejoin=\"round\" stroke-linecap=\"round\"/>",
                path.join("L")
            ));
            for (x, y, value) in &points {
                let ground = self.palette.card.hex();
                self.put(format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"{ground}\" stroke=\"{ink}\" stroke-width=\"3.5\"/>"
                ));
                if single {
                    let words = number(*value, self.chinese);
                    self.text(
                        (*x, y - 20.0),
                        Anchor::Middle,
                        (VALUE_PX + 1.0, 700),
                        self.palette.text,
                        &words,
                    );
                }
            }
        }
    }

    /// A ring on the left, its shares as a list on the right.
    fn ring(&mut self, chart: &ChartSpec, rect: Rect) {
        let Some(set) = chart.datasets.first() else {
            return;
        };
        let whole: f64 = set
            .values
            .iter()
            .filter(|value| value.is_finite() && **value > 0.0)
            .sum();
        if whole <= 0.0 {
            return;
        }
        let list_w = (rect.w * 0.46).min(360.0);
        let r = ((rect.w - list_w - 40.0).min(rect.h) / 2.0 - 8.0).min(190.0);
        let (cx, cy) = (((rect.w - list_w) / 2.0 - 10.0).max(r + 4.0), rect.h / 2.0);
        let (thick, gap) = (r * 0.42, 0.004);
        let mut from = 0.0;
        for (index, value) in set
            .values
            .iter()
            .enumerate()
            .filter(|(_, value)| **value > 0.0)
        {
            let share = value / whole;
            self.slice(
                (cx, cy),
                r - thick / 2.0,
                thick,
                (from, (share - gap).max(share * 0.5)),
                self.palette.series[index % 6],
            );
            from += share;
        }
        let (size, quiet) = (26.0_f32, self.palette.muted);
        self.text(
            (cx, cy - 14.0),
            Anchor::Middle,
            (size.min(r / 4.0), 700),
            self.palette.text,
            &number(whole, self.chinese),
        );
        if let Some(unit) = &chart.unit {
            let unit_px = (r / width(unit, false).max(1.0)).clamp(10.0, LABEL_PX);
            self.text((cx, cy + 14.0), Anchor::Middle, (unit_px, 400), quiet, unit);
        }
        // The series' name heads the list of shares; half of its height moves the list down.
        let (x, head) = (rect.w - list_w, 44.0);
        let step = ((rect.h - head) / as_px(set.values.len())).min(58.0);
        let mut y = cy + head / 2.0 - step * (as_px(set.values.len()) - 1.0) / 2.0;
        self.text(
            (x, y - step / 2.0 - head / 2.0 + 6.0),
            Anchor::Start,
            (LEGEND_PX, 400),
            quiet,
            &set.label,
        );
        for (index, (label, value)) in chart.labels.iter().zip(&set.values).enumerate() {
            self.rect(
                Rect::new(x, y - 8.0, 16.0, 16.0),
                5.0,
                self.palette.series[index % 6],
            );
            let size = ((list_w - 140.0) / width(label, false).max(1.0))
                .min(18.0)
                .floor();
            self.text(
                (x + 28.0, y),
                Anchor::Start,
                (size, 400),
                self.palette.text,
                label,
            );
            let percent = format!("{:.1}%", value / whole * 100.0).replace(".0%", "%");
            self.text(
                (rect.w - 6.0, y),
                Anchor::End,
                (20.0, 700),
                self.palette.text,
                &percent,
            );
            y += step;
        }
    }

    /// A share of the ring from `from`, both as parts of the whole.
    fn slice(
        &mut self,
        (cx, cy): (f32, f32),
        r: f32,
        thick: f32,
        (from, share): (f64, f64),
        ink: Rgb,
    ) {
        let point = |part: f64| {
            let angle = (part - 0.25) * std::f64::consts::TAU;
            (cx + r * px(angle.cos()), cy + r * px(angle.sin()))
        };
        // An arc of a whole turn would begin where it ends and draw nothing.
        let share = share.min(0.9995);
        let ((x1, y1), (x2, y2)) = (point(from), point(from + share));
        let large = i32::from(share > 0.5);
        self.put(format_args!(
            "<path d=\"M{x1:.2} {y1:.2}A{r:.2} {r:.2} 0 {large} 1 {x2:.2} {y2:.2}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{thick:.1}\"/>",
            ink.hex()
        ));
    }
}

/// One line, or two of about equal width, broken at a space if there is one.
fn halves(label: &str, measure: f32) -> Vec<String> {
    if width(label, false) <= measure {
        return vec![label.to_owned()];
    }
    let breaks: Vec<usize> = {
        let spaces: Vec<usize> = label.match_indices(' ').map(|(at, _)| at).collect();
        if spaces.is_empty() {
            label.char_indices().skip(1).map(|(at, _)| at).collect()
        } else {
            spaces
        }
    };
    let uneven = |at: &usize| (width(&label[..*at], false) - width(&label[*at..], false)).abs();
    match breaks
        .into_iter()
        .min_by(|a, b| uneven(a).total_cmp(&uneven(b)))
    {
        Some(at) => vec![label[..at].trim().to_owned(), label[at..].trim().to_owned()],
        None => vec![label.to_owned()],
    }
}
