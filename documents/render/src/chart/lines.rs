//! Line charts: one line for each series.

use spec::{ChartKind, ChartSpec};

use super::{Anchor, Drawing, VALUE_PX};
use crate::scene::{Rect, as_px};
use crate::typeset::Face;

impl Drawing<'_> {
    pub(super) fn courses(
        &mut self,
        chart: &ChartSpec,
        plot: Rect,
        slot: f32,
        y_of: impl Fn(f64) -> f32,
    ) {
        let single = chart.datasets.len() == 1;
        let filled = chart.kind == ChartKind::Area;
        let share = if filled { 0.42 } else { 0.14 };
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
            if let (true, Some(first), Some(last)) = (
                filled || single && (plot.y..=plot.bottom()).contains(&y_of(0.0)),
                points.first(),
                points.last(),
            ) {
                self.put(format_args!(
                    "<path d=\"M{:.1} {b:.1}L{}L{:.1} {b:.1}Z\" fill=\"{ink}\" fill-opacity=\"{share}\"/>",
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
            for (at, (x, y, value)) in points.iter().enumerate() {
                let ground = self.palette.card.hex();
                if !filled {
                    self.put(format_args!(
                    "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"6\" fill=\"{ground}\" stroke=\"{ink}\" stroke-width=\"3.5\"/>"
                ));
                }
                if single {
                    let height = |at: usize| points.get(at).map(|(_, y, _)| *y);
                    let beside = (at.checked_sub(1).and_then(height), height(at + 1));
                    self.point((*x, *y), beside, slot, *value);
                }
            }
        }
    }

    /// The value at a point of a line, on the side where the line does not go through it. `beside` has the heights of the points
    /// before and after.
    fn point(
        &mut self,
        (x, y): (f32, f32),
        beside: (Option<f32>, Option<f32>),
        slot: f32,
        value: f64,
    ) {
        let size = VALUE_PX + 1.0;
        let words = self.numbers.text(value);
        let half = self.setter.width(&words, Face::Strong) * size / 2.0;
        // The line is in the way when it has risen above the point's mark within half of the label.
        let rises = |there: Option<f32>| there.is_some_and(|there| (y - there) * half / slot > 9.0);
        let (x, y, anchor) = match (rises(beside.0), rises(beside.1)) {
            (false, false) => (x, y - 20.0, Anchor::Middle),
            (true, false) => (x - 4.0, y - 20.0, Anchor::Start),
            (false, true) => (x + 4.0, y - 20.0, Anchor::End),
            (true, true) => (x, y + 20.0, Anchor::Middle),
        };
        self.text((x, y), anchor, (size, 700), self.palette.text, &words);
    }
}

#[cfg(test)]
mod tests {
    use super::super::tests::blank;
    use crate::fonts::Fonts;
    use crate::palette::Palette;
    use crate::typeset::Typesetter;

    /// Whether the label of a point is to the right of it, and whether it is below it. The points before and after have these heights
    /// and are 100 pixels away.
    fn label(before: Option<f32>, after: Option<f32>) -> (bool, bool) {
        let theme = &spec::builtin_themes()[0];
        let setter = Typesetter::new(&Fonts::embedded(), theme, "en");
        let palette = Palette::new(theme);
        let mut drawing = blank(&palette, &setter);
        drawing.point((200.0, 150.0), (before, after), 100.0, 9_120.0);
        let rect = drawing.texts[0].rect;
        let middle = rect.x + rect.w / 2.0;
        assert!((middle - 200.0).abs() < 30.0, "{rect:?}");
        (middle > 201.0, rect.y > 150.0)
    }

    #[test]
    fn the_value_at_a_point_stands_where_its_line_is_not() {
        assert_eq!(label(Some(160.0), Some(140.0)), (false, false));
        // The line comes down from the left: the label is to the right of it.
        assert_eq!(label(Some(50.0), Some(160.0)), (true, false));
        // A valley: the label is below.
        assert_eq!(label(Some(50.0), Some(50.0)), (false, true));
        assert_eq!(label(None, None), (false, false));
    }
}
