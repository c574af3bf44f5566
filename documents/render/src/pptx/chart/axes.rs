//! Bars and lines on their axes.

use spec::text::{em_width, plain};
use spec::{ChartKind, ChartSpec};

use super::{LABEL_PX, LEGEND_PX, data, defaults, format_code, layout, legend_at, type_of};
use crate::axis::Scale;
use crate::chart::{VALUE_WEIGHT, axis_w, labelled, lying};
use crate::numbers::Numbers;
use crate::pptx::Deck;
use crate::pptx::colors::series;
use crate::pptx::units::emu;
use crate::pptx::workbook::SERIES_MAX;
use crate::pptx::xml::escape;
use crate::scene::{ChartNode, Rect, Text, as_px};

/// Space for the legend above, and for category labels below.
const TOP_H: f32 = 46.0;
const LABELS_H: f32 = 48.0;
/// Height of the legend, and width of a series' mark in it with the space around.
const LEGEND_H: f32 = 26.0;
const KEY_W: f32 = 30.0;
/// Type of category labels that were not drawn.
const CATEGORY_PX: f32 = 17.0;

/// Ids of the two axes; each names the other.
const CATEGORIES: u32 = 1001;
const VALUES: u32 = 1002;

/// The plot area: series, then axes.
pub(super) fn plot(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let spec = &chart.spec;
    let plot = plot_rect(deck, chart);
    let slot = plot.w / as_px(spec.labels.len().max(1));
    let group = match spec.kind {
        ChartKind::Line => lines(deck, chart),
        ChartKind::Area => areas(deck, chart),
        ChartKind::Bar | ChartKind::Pie | ChartKind::HorizontalBar | ChartKind::Stacked => {
            bars(deck, chart, slot)
        }
    };
    format!(
        "<c:plotArea>{}{group}{}{}</c:plotArea>",
        layout(chart, plot, true),
        category_axis(deck, chart),
        value_axis(deck, chart)
    )
}

/// Names of the series at the right of the top line.
pub(super) fn legend(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let sets = &chart.spec.datasets;
    let name = |text: &&Text| sets.iter().any(|set| set.label == plain(&text.text));
    let drawn = chart.texts().filter(name).map(|text| text.rect.x);
    // A line's mark is longer than the square that was drawn.
    let keys = match chart.spec.kind {
        ChartKind::Line => as_px(sets.len()) * KEY_W,
        ChartKind::Bar
        | ChartKind::Pie
        | ChartKind::HorizontalBar
        | ChartKind::Area
        | ChartKind::Stacked => 0.0,
    };
    let left = drawn.fold(f32::MAX, f32::min) - chart.rect.x - KEY_W - keys;
    // Where no legend was drawn, its width is estimated from the characters of the names.
    let counted = || {
        let names = sets
            .iter()
            .map(|set| em_width(&set.label) * LEGEND_PX + 2.0 * KEY_W);
        chart.rect.w - names.sum::<f32>()
    };
    let left = if left < chart.rect.w { left } else { counted() };
    let rect = Rect::new(left.max(0.0), 0.0, chart.rect.w - left.max(0.0), LEGEND_H);
    legend_at(deck, chart, "t", rect, LEGEND_PX)
}

fn is_lying(chart: &ChartNode) -> bool {
    chart.spec.kind == ChartKind::HorizontalBar
}

fn plot_rect(deck: &Deck<'_>, chart: &ChartNode) -> Rect {
    let Rect { w, h, .. } = chart.rect;
    if is_lying(chart) {
        let names_w = lying::names_w(&chart.spec, w, em_width);
        return Rect::new(names_w, 34.0, w - names_w - 24.0, h - 34.0 - 28.0);
    }
    let ticks = Scale::of(&chart.spec).ticks();
    let numbers = Numbers::of_axis(&ticks, &deck.language);
    let axis_w = axis_w(ticks.iter().map(|tick| em_width(&numbers.text(*tick))));
    Rect::new(axis_w, TOP_H, w - axis_w, h - TOP_H - LABELS_H)
}

fn shown(chart: &ChartSpec) -> usize {
    chart.datasets.len().min(SERIES_MAX)
}

fn bars(deck: &Deck<'_>, node: &ChartNode, slot: f32) -> String {
    let chart = &node.spec;
    let sets = as_px(shown(chart).max(1));
    let group = (slot * 0.72).min(92.0 * sets);
    let gap = if sets > 1.0 { 4.0 } else { 0.0 };
    let bar = ((group - gap * (sets - 1.0)) / sets).max(1.0);
    let (direction, grouping) = match chart.kind {
        ChartKind::HorizontalBar => ("bar", "clustered"),
        ChartKind::Stacked => ("col", "stacked"),
        ChartKind::Bar | ChartKind::Line | ChartKind::Pie | ChartKind::Area => ("col", "clustered"),
    };
    let stacked = chart.kind == ChartKind::Stacked;
    // The sums at the ends of stacks are no values of the chart.
    let labels = |at| match stacked {
        true => NO_LABELS.to_owned(),
        false => value_labels(deck, node, at, Some("outEnd")),
    };
    let series: String = (0..shown(chart))
        .map(|at| {
            format!(
                "<c:ser>{}<c:spPr>{}</c:spPr><c:invertIfNegative val=\"0\"/>{}{}</c:ser>",
                data::name(chart, at),
                series(at),
                labels(at),
                super::data(chart, at)
            )
        })
        .collect();
    format!(
        "<c:barChart><c:barDir val=\"{direction}\"/><c:grouping val=\"{grouping}\"/><c:varyColors val=\"0\"/>{series}\
         <c:gapWidth val=\"{:.0}\"/><c:overlap val=\"{:.0}\"/>{}</c:barChart>",
        match stacked {
            true => 67.0,
            false => ((slot - group) / bar * 100.0).clamp(0.0, 500.0),
        },
        match stacked {
            true => 100.0,
            false => (-gap / bar * 100.0).clamp(-100.0, 0.0) + 0.0,
        },
        axis_ids()
    )
}

fn lines(deck: &Deck<'_>, node: &ChartNode) -> String {
    let chart = &node.spec;
    let series: String = (0..shown(chart))
        .map(|at| {
            let ink = series(at);
            format!(
                "<c:ser>{}<c:spPr><a:ln w=\"{}\" cap=\"rnd\">{ink}<a:round/></a:ln></c:spPr>\
                 <c:marker><c:symbol val=\"circle\"/><c:size val=\"9\"/><c:spPr>{}<a:ln w=\"{}\">{ink}</a:ln></c:spPr></c:marker>\
                 {}{}<c:smooth val=\"0\"/></c:ser>",
                data::name(chart, at),
                emu(4.0),
                deck.scheme.fill(deck.palette.card),
                emu(3.5),
                value_labels(deck, node, at, Some("t")),
                super::data(chart, at)
            )
        })
        .collect();
    format!(
        "<c:lineChart><c:grouping val=\"standard\"/><c:varyColors val=\"0\"/>{series}<c:marker val=\"1\"/>{}</c:lineChart>",
        axis_ids()
    )
}

fn areas(deck: &Deck<'_>, node: &ChartNode) -> String {
    let chart = &node.spec;
    let series: String = (0..shown(chart))
        .map(|at| {
            format!(
                "<c:ser>{}<c:spPr>{}<a:ln><a:noFill/></a:ln></c:spPr>{}{}</c:ser>",
                data::name(chart, at),
                series(at),
                value_labels(deck, node, at, None),
                super::data(chart, at)
            )
        })
        .collect();
    format!(
        "<c:areaChart><c:grouping val=\"standard\"/><c:varyColors val=\"0\"/>{series}{}</c:areaChart>",
        axis_ids()
    )
}

fn axis_ids() -> String {
    format!("<c:axId val=\"{CATEGORIES}\"/><c:axId val=\"{VALUES}\"/>")
}

const NO_LABELS: &str = "<c:dLbls><c:delete val=\"1\"/></c:dLbls>";

/// Numbers at the bars and points of a series, if they were drawn: only then is there room for them. Areas have no `position`.
fn value_labels(deck: &Deck<'_>, node: &ChartNode, at: usize, position: Option<&str>) -> String {
    let Some(drawn) = node.texts().find(|text| text.weight >= VALUE_WEIGHT) else {
        return NO_LABELS.to_owned();
    };
    let all = labelled(&node.spec);
    let series = node.spec.datasets.get(at);
    let series = series.map_or(&[][..], |set| &set.values);
    let codes = Numbers::of(&all, &deck.language).codes(&all, series);
    let ink = deck.scheme.fill(deck.palette.text);
    let look = format!(
        "<c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>{}{}\
         <c:showLegendKey val=\"0\"/><c:showVal val=\"1\"/><c:showCatName val=\"0\"/><c:showSerName val=\"0\"/>\
         <c:showPercent val=\"0\"/><c:showBubbleSize val=\"0\"/>",
        type_of(deck, drawn.size, true, &ink, ""),
        position.map_or(String::new(), |at| format!("<c:dLblPos val=\"{at}\"/>")),
    );
    let points: String = codes
        .points
        .iter()
        .map(|(at, code)| {
            let format = format_code(code);
            format!("<c:dLbl><c:idx val=\"{at}\"/>{format}{look}</c:dLbl>")
        })
        .collect();
    let format = format_code(&codes.series);
    format!("<c:dLbls>{points}{format}{look}</c:dLbls>")
}

fn category_axis(deck: &Deck<'_>, node: &ChartNode) -> String {
    let p = &deck.palette;
    // Lying bars are counted from the top, as they are read.
    let (order, position) = match is_lying(node) {
        true => ("maxMin", "l"),
        false => ("minMax", "b"),
    };
    let below = node.rect.bottom() - LABELS_H;
    let size = node
        .texts()
        .find(|text| text.rect.y >= below)
        .map_or(CATEGORY_PX, |text| text.size);
    format!(
        "<c:catAx><c:axId val=\"{CATEGORIES}\"/><c:scaling><c:orientation val=\"{order}\"/></c:scaling><c:delete val=\"0\"/>\
         <c:axPos val=\"{position}\"/><c:numFmt formatCode=\"General\" sourceLinked=\"0\"/><c:majorTickMark val=\"none\"/>\
         <c:minorTickMark val=\"none\"/><c:tickLblPos val=\"low\"/><c:spPr><a:ln w=\"{}\">{}</a:ln></c:spPr>{}\
         <c:crossAx val=\"{VALUES}\"/><c:crosses val=\"autoZero\"/><c:auto val=\"0\"/><c:lblAlgn val=\"ctr\"/>\
         <c:lblOffset val=\"100\"/><c:noMultiLvlLbl val=\"1\"/></c:catAx>",
        emu(2.0),
        deck.scheme.fill(p.muted),
        type_of(
            deck,
            size.floor(),
            false,
            &deck.scheme.fill(p.text),
            " rot=\"0\" vert=\"horz\""
        ),
    )
}

fn value_axis(deck: &Deck<'_>, chart: &ChartNode) -> String {
    let p = &deck.palette;
    let quiet = deck.scheme.fill(p.muted);
    let scale = Scale::of(&chart.spec);
    let ticks = scale.ticks();
    let (position, crosses) = match is_lying(chart) {
        true => ("b", "max"),
        false => ("l", "autoZero"),
    };
    let title = chart.spec.unit.as_ref().map_or(String::new(), |unit| {
        format!(
            "<c:title><c:tx><c:rich><a:bodyPr rot=\"0\" vert=\"horz\"/><a:lstStyle/><a:p><a:pPr>{}</a:pPr>\
             <a:r><a:rPr lang=\"{}\" altLang=\"{}\" sz=\"{}\" b=\"0\">{quiet}<a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/>\
             </a:rPr><a:t>{}</a:t></a:r></a:p></c:rich></c:tx>\
             <c:layout><c:manualLayout><c:xMode val=\"edge\"/><c:yMode val=\"edge\"/><c:x val=\"0\"/><c:y val=\"0\"/>\
             </c:manualLayout></c:layout><c:overlay val=\"1\"/></c:title>",
            defaults(LABEL_PX, false, &quiet),
            deck.language,
            deck.other_language,
            crate::pptx::units::centipoints(LABEL_PX),
            escape(unit)
        )
    });
    format!(
        "<c:valAx><c:axId val=\"{VALUES}\"/><c:scaling><c:orientation val=\"minMax\"/><c:max val=\"{}\"/><c:min val=\"{}\"/>\
         </c:scaling><c:delete val=\"0\"/><c:axPos val=\"{position}\"/>\
         <c:majorGridlines><c:spPr><a:ln w=\"{}\">{}</a:ln></c:spPr></c:majorGridlines>{title}{}\
         <c:majorTickMark val=\"none\"/><c:minorTickMark val=\"none\"/><c:tickLblPos val=\"nextTo\"/>\
         <c:spPr><a:ln><a:noFill/></a:ln></c:spPr>{}<c:crossAx val=\"{CATEGORIES}\"/><c:crosses val=\"{crosses}\"/>\
         <c:crossBetween val=\"between\"/><c:majorUnit val=\"{}\"/></c:valAx>",
        scale.high,
        scale.low,
        emu(1.0),
        deck.scheme.fill(p.line),
        format_code(&Numbers::of_axis(&ticks, &deck.language).code(&ticks)),
        type_of(deck, LABEL_PX, false, &quiet, " rot=\"0\" vert=\"horz\""),
        scale.step,
    )
}
