//! Shares of a whole as a ring, with its parts named beside it.

use spec::contrast;
use spec::text::{em_width, plain};

use super::{LABEL_PX, data, format_code, layout, legend_at, type_of};
use crate::chart::ring::whole;
use crate::numbers::Numbers;
use crate::pptx::Deck;
use crate::pptx::colors::series;
use crate::scene::{ChartNode, Rect, Text, as_px};

/// Inner radius of the ring as a percentage of the outer one.
const HOLE: f32 = 58.0;
/// A slice with a smaller share has no room for its number.
const THIN: f32 = 0.05;
/// Height of the list's head, and the most that one of its rows is high.
const HEAD_H: f32 = 44.0;
const ROW_H: f32 = 58.0;
const LIST_PX: f32 = 18.0;

/// Where the ring and the list of its parts stand in the chart's box.
struct Places {
    center: (f32, f32),
    radius: f32,
    list: Rect,
}

fn places(chart: &ChartNode) -> Places {
    let Rect { w, h, .. } = chart.rect;
    let list_w = (w * 0.46).min(360.0);
    let radius = (((w - list_w - 40.0).min(h)) / 2.0 - 8.0).clamp(1.0, 190.0);
    let center = (((w - list_w) / 2.0 - 10.0).max(radius + 4.0), h / 2.0);
    let count = as_px(chart.spec.labels.len().max(1));
    let row = ((h - HEAD_H) / count).min(ROW_H);
    let list = Rect::new(
        w - list_w,
        center.1 + HEAD_H / 2.0 - row * count / 2.0,
        list_w,
        row * count,
    );
    Places {
        center,
        radius,
        list,
    }
}

pub(super) fn plot(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let Places { center, radius, .. } = places(chart);
    let rect = Rect::new(
        center.0 - radius,
        center.1 - radius,
        2.0 * radius,
        2.0 * radius,
    );
    // Only the first series has a ring; our drawing has no others either.
    let spec = &chart.spec;
    let slices: String = (0..spec.labels.len())
        .map(|at| {
            format!(
                "<c:dPt><c:idx val=\"{at}\"/><c:bubble3D val=\"0\"/><c:spPr>{}<a:ln w=\"{}\">{}</a:ln></c:spPr></c:dPt>",
                series(at),
                crate::pptx::units::emu(2.0),
                deck.scheme.fill(deck.palette.card)
            )
        })
        .collect();
    format!(
        "<c:plotArea>{}<c:doughnutChart><c:varyColors val=\"1\"/><c:ser>{}{slices}{}{}</c:ser>\
         <c:firstSliceAng val=\"0\"/><c:holeSize val=\"{HOLE}\"/></c:doughnutChart></c:plotArea>",
        layout(chart, rect, true),
        data::name(spec, 0),
        shares(deck, chart),
        super::data(spec, 0),
    )
}

/// The shares in percent, each legible on its slice; the share of a slice too thin for it stands beside the slice, inside of the ring.
fn shares(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let p = &deck.palette;
    let show = "<c:showLegendKey val=\"0\"/><c:showVal val=\"0\"/><c:showCatName val=\"0\"/><c:showSerName val=\"0\"/>\
                <c:showPercent val=\"1\"/><c:showBubbleSize val=\"0\"/>";
    let look = "<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>";
    let (mut from, mut thin) = (0.0, 0.0);
    let mut labels = String::new();
    let numbers = Numbers::of(&[], &deck.language);
    for at in 0..chart.spec.labels.len() {
        let share = share(chart, at);
        let middle = from + share / 2.0;
        from += share;
        let format = format_code(&numbers.percent_code(f64::from(share)));
        let ground = p.series[at % 6];
        let (ink, moved) = if share < THIN {
            thin += 1.0;
            (p.text, aside(chart, middle, thin))
        } else if contrast(p.bg, ground) >= contrast(p.text, ground) {
            (p.bg, String::new())
        } else {
            (p.text, String::new())
        };
        let face = type_of(deck, LABEL_PX, true, &deck.scheme.fill(ink), "");
        labels.push_str(&format!(
            "<c:dLbl><c:idx val=\"{at}\"/>{moved}{format}{look}{face}{show}</c:dLbl>"
        ));
    }
    let face = type_of(deck, LABEL_PX, true, &deck.scheme.fill(p.text), "");
    let format = format_code("0.0%");
    format!("<c:dLbls>{labels}{format}{look}{face}{show}<c:showLeaderLines val=\"0\"/></c:dLbls>")
}

/// How far a label is moved from the middle of its slice into the hole; each thin slice a line further than the last.
fn aside(chart: &ChartNode, middle: f32, thin: f32) -> String {
    let Places { radius, .. } = places(chart);
    let hole = radius * HOLE / 100.0;
    let way = (radius - hole) / 2.0 + LABEL_PX * (thin + 0.4);
    let angle = middle * std::f32::consts::TAU;
    format!(
        "<c:layout><c:manualLayout><c:x val=\"{:.5}\"/><c:y val=\"{:.5}\"/></c:manualLayout></c:layout>",
        -angle.sin() * way / chart.rect.w.max(1.0),
        angle.cos() * way / chart.rect.h.max(1.0)
    )
}

/// A part's share of the whole; nothing for what is not a positive number.
fn share(chart: &ChartNode, at: usize) -> f32 {
    let value = chart
        .spec
        .datasets
        .first()
        .and_then(|set| set.values.get(at));
    let value = value.copied().filter(|v| v.is_finite() && *v > 0.0);
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a share is between 0 and 1"
    )]
    let share = (value.unwrap_or(0.0) / whole(&chart.spec).max(f64::MIN_POSITIVE)) as f32;
    share
}

/// The parts by name.
pub(super) fn legend(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let mut list = places(chart).list;
    let longest = chart.spec.labels.iter().map(|label| em_width(label));
    // Just wide enough for the names: a viewer with more room sets several in a row.
    list.w = (longest.fold(1.0, f32::max) * LIST_PX * 1.15 + 40.0).min(list.w);
    legend_at(deck, chart, "r", list, LIST_PX)
}

/// The sum and the unit in the ring, and the name of what is shared above the list: as they were drawn.
pub(super) fn overlays(deck: &Deck<'_>, chart: &ChartNode) -> Vec<Text> {
    let spec = &chart.spec;
    let sum = whole(spec);
    let sum = Numbers::of(&[sum], &deck.language).text(sum);
    let mut wanted: Vec<&str> = vec![&sum];
    wanted.extend(spec.unit.as_deref());
    wanted.extend(spec.datasets.first().map(|set| set.label.as_str()));
    // A part may have the same name as the whole: what was drawn first is meant, and the parts come last.
    let mut texts = chart.texts();
    wanted
        .into_iter()
        .filter_map(|words| texts.find(|text| plain(&text.text) == words))
        .cloned()
        .collect()
}
