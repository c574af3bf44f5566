//! Charts as they look: bars, lines and a ring as shapes; axis, values and legend as texts.

mod bars;
mod lines;
pub(crate) mod lying;
pub(crate) mod ring;

use std::fmt::Write as _;

use spec::text::literal;
use spec::{ChartKind, ChartSpec, Dataset, Rgb};

use crate::axis::Scale;
use crate::numbers::Numbers;
use crate::palette::Palette;
use crate::scene::{Align, Art, Node, Rect, Role, Text, as_px};
use crate::typeset::{Face, Typesetter};

/// Type sizes inside a chart.
const LABEL_PX: f32 = 15.0;
const VALUE_PX: f32 = 15.0;
const LEGEND_PX: f32 = 16.0;
/// Values are drawn in this weight or a heavier one, and nothing else of a chart on axes.
pub(crate) const VALUE_WEIGHT: u16 = 600;
/// Line height of a chart's texts.
const LINE: f32 = 1.3;
/// From the middle of digits and of Chinese characters down to their baseline, in em.
const MIDDLE_EM: f32 = 0.36;
/// Largest and smallest type of category names; with eight categories each name has 85 pixels.
const CATEGORY_PX: f32 = 17.0;
const CATEGORY_PX_MIN: f32 = 11.0;
/// Least width kept for the axis labels, and the space between them and the plot.
const AXIS_W: f32 = 62.0;
const AXIS_GAP: f32 = 12.0;
/// Height kept for two lines of category labels.
const LABELS_H: f32 = 48.0;

/// A chart being drawn.
struct Drawing<'a> {
    /// Where the chart stands; places below are counted from its corner.
    rect: Rect,
    svg: String,
    texts: Vec<Text>,
    palette: &'a Palette,
    setter: &'a Typesetter,
    /// How the values are written.
    numbers: Numbers,
    language: &'a str,
}

/// The numbers that stand at the bars, points and stacks of a chart, or in its ring.
pub(crate) fn labelled(chart: &ChartSpec) -> Vec<f64> {
    let finite = |value: &&f64| value.is_finite();
    match chart.kind {
        ChartKind::Pie => vec![ring::whole(chart)],
        ChartKind::Stacked => (0..chart.labels.len())
            .filter_map(|at| bars::sum_of_stack(chart, at))
            .collect(),
        ChartKind::Bar | ChartKind::Line | ChartKind::Area | ChartKind::HorizontalBar => {
            let values = chart.datasets.iter().flat_map(|set| &set.values);
            values.filter(finite).copied().collect()
        }
    }
}

/// Width kept for the labels of a standing axis, whose numbers have these widths in em.
pub(crate) fn axis_w(widths: impl Iterator<Item = f32>) -> f32 {
    let widest = widths.fold(0.0, f32::max) * LABEL_PX;
    AXIS_W.max(widest + AXIS_GAP)
}

/// The chart in this box: its shapes, then its texts.
pub(crate) fn drawn(
    chart: &ChartSpec,
    rect: Rect,
    palette: &Palette,
    setter: &Typesetter,
    language: &str,
) -> Vec<Node> {
    let mut drawing = Drawing {
        rect,
        svg: String::new(),
        texts: Vec::new(),
        palette,
        setter,
        numbers: Numbers::of(&labelled(chart), language),
        language,
    };
    match chart.kind {
        ChartKind::Bar | ChartKind::Line | ChartKind::Area | ChartKind::Stacked => {
            drawing.axes(chart, rect);
        }
        ChartKind::HorizontalBar => drawing.lying(chart, rect),
        ChartKind::Pie => drawing.ring(chart, rect),
    }
    let shapes = Node::Art(Art {
        rect,
        svg: drawing.svg,
        radius: 0.0,
    });
    std::iter::once(shapes)
        .chain(drawing.texts.into_iter().map(Node::Text))
        .collect()
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

    /// A line of plain text that hangs on a point, the middle of its letters as high as the point.
    fn text(
        &mut self,
        (x, y): (f32, f32),
        anchor: Anchor,
        (size, weight): (f32, u16),
        ink: Rgb,
        text: &str,
    ) {
        let face = if weight >= 600 {
            Face::Strong
        } else {
            Face::Text
        };
        let text = literal(text);
        // Room for the line as it is measured, so that it is never broken.
        let w = self.setter.width(&text, face) * size + 1.0;
        let (left, align) = match anchor {
            Anchor::Start => (x, Align::Left),
            Anchor::Middle => (x - w / 2.0, Align::Center),
            Anchor::End => (x - w, Align::Right),
        };
        let h = size * LINE;
        let rect = Rect::new(self.rect.x + left, self.rect.y + y - h / 2.0, w, h);
        let mut text = Text::new(rect, text, size, ink).role(Role::Chrome);
        text.weight = weight;
        text.align = align;
        text.line = LINE;
        self.setter.set(&mut text);
        // Line boxes are not centred on what is in them.
        if let Some(line) = text.lines.first() {
            text.rect.y = self.rect.y + y + size * MIDDLE_EM - line.baseline;
        }
        self.texts.push(text);
    }

    fn width(&self, text: &str) -> f32 {
        self.setter.width(&literal(text), Face::Text)
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
            x -= self.width(&set.label) * LEGEND_PX;
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
        let scale = Scale::of(chart);
        let ticks = scale.ticks();
        let numbers = Numbers::of_axis(&ticks, self.language);
        let axis_w = axis_w(ticks.iter().map(|tick| self.width(&numbers.text(*tick))));
        let plot = Rect::new(axis_w, 46.0, rect.w - axis_w, rect.h - 46.0 - LABELS_H);
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
        for tick in ticks {
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
            let words = numbers.text(tick);
            self.text(
                (axis_w - AXIS_GAP, y),
                Anchor::End,
                (LABEL_PX, 400),
                self.palette.muted,
                &words,
            );
        }
        let slot = plot.w / as_px(chart.labels.len().max(1));
        self.categories(&chart.labels, plot, slot);
        match chart.kind {
            ChartKind::Line | ChartKind::Area => self.courses(chart, plot, slot, y_of),
            ChartKind::Stacked => self.stacks(chart, plot, slot, y_of),
            ChartKind::Bar | ChartKind::Pie | ChartKind::HorizontalBar => {
                self.bars(chart, plot, slot, y_of);
            }
        }
    }

    /// Category names under the axis, on up to two lines, as large as the longest allows. A word is cut only where it would be
    /// too small whole.
    fn categories(&mut self, labels: &[String], plot: Rect, slot: f32) {
        let room = slot - 4.0;
        let fits = |size: f32, cut: bool| {
            let mut parts = labels
                .iter()
                .flat_map(|label| self.halves(label, room / size, cut));
            parts.all(|part| self.width(&part) * size <= room)
        };
        let largest = |cut: bool| {
            let mut size = CATEGORY_PX;
            while size > CATEGORY_PX_MIN && !fits(size, cut) {
                size -= 1.0;
            }
            size
        };
        let whole = largest(false);
        let cut = !fits(whole, false);
        let size = if cut { largest(true) } else { whole };
        for (index, label) in labels.iter().enumerate() {
            let x = plot.x + slot * (as_px(index) + 0.5);
            let parts = self.halves(label, room / size, cut);
            for (at, part) in parts.iter().enumerate() {
                let y = plot.bottom() + 18.0 + as_px(at) * size * 1.25;
                self.text((x, y), Anchor::Middle, (size, 400), self.palette.text, part);
            }
        }
    }

    /// One line, or two of about equal width, broken at a space if there is one, else between Chinese characters, else, if
    /// `cut`, anywhere.
    fn halves(&self, label: &str, measure: f32, cut: bool) -> Vec<String> {
        let width = |text: &str| self.width(text);
        if width(label) <= measure {
            return vec![label.to_owned()];
        }
        let spaces = || label.match_indices(' ').map(|(at, _)| at).collect();
        let all = || label.char_indices().skip(1).map(|(at, _)| at);
        let between = || all().filter(|at| !in_word(label, *at)).collect();
        let kinds: [&dyn Fn() -> Vec<usize>; 3] = [&spaces, &between, &|| all().collect()];
        let breaks = kinds[..if cut { 3 } else { 2 }]
            .iter()
            .map(|kind| kind())
            .find(|breaks| !breaks.is_empty());
        let uneven = |at: &usize| (width(&label[..*at]) - width(&label[*at..])).abs();
        match breaks
            .into_iter()
            .flatten()
            .min_by(|a, b| uneven(a).total_cmp(&uneven(b)))
        {
            Some(at) => vec![label[..at].trim().to_owned(), label[at..].trim().to_owned()],
            None => vec![label.to_owned()],
        }
    }
}

/// Whether letters of one Latin word meet here, or punctuation would begin a line.
fn in_word(text: &str, at: usize) -> bool {
    let (before, after) = (text[..at].chars().next_back(), text[at..].chars().next());
    let letter = |c: char| c.is_alphanumeric() && spec::text::columns(c) < 2;
    match (before, after) {
        (Some(before), Some(after)) => {
            letter(before) && letter(after) || "，。、；：？！）》」』】〉”’…·%)".contains(after)
        }
        (_, _) => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fonts::Fonts;

    /// A chart with nothing in it yet.
    pub(super) fn blank<'a>(palette: &'a Palette, setter: &'a Typesetter) -> Drawing<'a> {
        Drawing {
            rect: Rect::new(0.0, 0.0, 400.0, 300.0),
            svg: String::new(),
            texts: vec![],
            palette,
            setter,
            numbers: Numbers::of(&[], "en"),
            language: "en",
        }
    }

    #[test]
    fn a_name_is_broken_between_its_words_and_inside_only_when_nothing_else_helps() {
        let theme = &spec::builtin_themes()[0];
        let setter = Typesetter::new(&Fonts::embedded(), theme, "en");
        let palette = Palette::new(theme);
        let drawing = blank(&palette, &setter);
        let parts = |label: &str, cut: bool| drawing.halves(label, 5.0, cut).join("|");
        assert_eq!(parts("Health and care", false), "Health|and care");
        assert_eq!(parts("光合，作用", false), "光合，|作用");
        assert_eq!(parts("Administration", false), "Administration");
        assert_eq!(parts("Administration", true), "Admini|stration");
    }
}
