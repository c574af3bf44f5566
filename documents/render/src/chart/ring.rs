//! A ring chart: shares of a whole, with their names and percentages.

use spec::{ChartSpec, Rgb};

use super::{Anchor, Drawing, LABEL_PX, LEGEND_PX, px};
use crate::scene::{Rect, as_px};

impl Drawing<'_> {
    /// A ring on the left, its shares as a list on the right.
    pub(super) fn ring(&mut self, chart: &ChartSpec, rect: Rect) {
        let Some(set) = chart.datasets.first() else {
            return;
        };
        let whole = whole(chart);
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
            &self.numbers.text(whole),
        );
        if let Some(unit) = &chart.unit {
            let unit_px = (r / self.width(unit).max(1.0)).clamp(10.0, LABEL_PX);
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
            let size = ((list_w - 140.0) / self.width(label).max(1.0))
                .min(18.0)
                .floor();
            self.text(
                (x + 28.0, y),
                Anchor::Start,
                (size, 400),
                self.palette.text,
                label,
            );
            self.text(
                (rect.w - 6.0, y),
                Anchor::End,
                (20.0, 700),
                self.palette.text,
                &self.numbers.percent(value / whole),
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

/// What the ring is divided of.
pub(crate) fn whole(chart: &ChartSpec) -> f64 {
    let values = chart.datasets.first().map_or(&[][..], |set| &set.values);
    let parts = values
        .iter()
        .filter(|value| value.is_finite() && **value > 0.0);
    parts.sum()
}
