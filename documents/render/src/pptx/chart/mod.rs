//! A chart as a chart: series with their numbers, a workbook to edit them, and the look of our own drawing.
//!
//! The proportions are those of the drawn chart, in [`crate::chart`]: a change of one needs the same change of the other.

mod axes;
mod data;
mod ring;

use spec::{ChartKind, ChartSpec};

use super::package::{Kind, Package, Relations};
use super::shapes::{Alt, Holder, non_visual, transform};
use super::xml::{HEAD, escape};
use super::{Deck, PptxError, workbook};
use crate::chart::VALUE_WEIGHT;
use crate::scene::{ChartNode, Rect, Text};

/// Type sizes inside a chart, in CSS pixels.
const LABEL_PX: f32 = 15.0;
const LEGEND_PX: f32 = 16.0;

/// Puts the chart and its workbook into the file; the name of the chart's part.
pub(super) fn put(
    package: &mut Package,
    deck: &Deck<'_>,
    chart: &ChartNode,
) -> Result<String, PptxError> {
    let part = package.free("ppt/charts/chart", ".xml");
    let book = package.free("ppt/embeddings/workbook", ".xlsx");
    let xlsx = workbook::xlsx(&chart.spec)?;
    package.put(book.clone(), Kind::Workbook, xlsx, Relations::default());
    let mut relations = Relations::default();
    let relation = relations.to(Kind::Workbook, &book);
    let xml = space(deck, chart, &relation);
    package.put(part.clone(), Kind::Chart, xml, relations);
    Ok(part)
}

/// The chart on its slide.
pub(super) fn frame(
    id: u32,
    holder: Option<Holder>,
    chart: &ChartNode,
    relation: &str,
    words: &str,
    name: &str,
) -> String {
    format!(
        "<p:graphicFrame><p:nvGraphicFramePr>{}<p:cNvGraphicFramePr><a:graphicFrameLocks noGrp=\"1\"/></p:cNvGraphicFramePr>\
         <p:nvPr>{}</p:nvPr></p:nvGraphicFramePr>{}<a:graphic>\
         <a:graphicData uri=\"http://schemas.openxmlformats.org/drawingml/2006/chart\">\
         <c:chart xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" r:id=\"{relation}\"/>\
         </a:graphicData></a:graphic></p:graphicFrame>",
        non_visual(id, name, Alt::Words(words)),
        holder.map_or(String::new(), Holder::xml),
        transform("p", chart.rect)
    )
}

/// Texts that our drawing has and a chart of PowerPoint has no place for.
pub(super) fn overlays(deck: &Deck<'_>, chart: &ChartNode) -> Vec<Text> {
    match chart.spec.kind {
        ChartKind::Bar | ChartKind::Line | ChartKind::HorizontalBar | ChartKind::Area => Vec::new(),
        ChartKind::Stacked => {
            let sums = chart.texts().filter(|text| text.weight >= VALUE_WEIGHT);
            sums.cloned().collect()
        }
        ChartKind::Pie => ring::overlays(deck, chart),
    }
}

fn space(deck: &Deck<'_>, chart: &ChartNode, workbook: &str) -> String {
    let plot = match chart.spec.kind {
        ChartKind::Bar
        | ChartKind::Line
        | ChartKind::HorizontalBar
        | ChartKind::Area
        | ChartKind::Stacked => axes::plot(deck, chart),
        ChartKind::Pie => ring::plot(deck, chart),
    };
    let legend = match chart.spec.kind {
        ChartKind::Bar
        | ChartKind::Line
        | ChartKind::HorizontalBar
        | ChartKind::Area
        | ChartKind::Stacked => axes::legend(deck, chart),
        ChartKind::Pie => ring::legend(deck, chart),
    };
    format!(
        "{HEAD}<c:chartSpace xmlns:c=\"http://schemas.openxmlformats.org/drawingml/2006/chart\" \
         xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
         xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\">\
         <c:date1904 val=\"0\"/><c:lang val=\"{}\"/><c:roundedCorners val=\"0\"/>\
         <c:chart><c:autoTitleDeleted val=\"1\"/>{plot}{legend}<c:plotVisOnly val=\"1\"/><c:dispBlanksAs val=\"gap\"/></c:chart>\
         <c:spPr><a:noFill/><a:ln><a:noFill/></a:ln></c:spPr>{}\
         <c:externalData r:id=\"{workbook}\"><c:autoUpdate val=\"0\"/></c:externalData></c:chartSpace>",
        deck.language,
        type_of(
            deck,
            LABEL_PX,
            false,
            &deck.scheme.fill(deck.palette.text),
            ""
        ),
    )
}

/// `c:txPr`: the type of a part of the chart.
fn type_of(deck: &Deck<'_>, size: f32, bold: bool, ink: &str, body: &str) -> String {
    format!(
        "<c:txPr><a:bodyPr{body}/><a:lstStyle/><a:p><a:pPr>{}</a:pPr><a:endParaRPr lang=\"{}\"/></a:p></c:txPr>",
        defaults(size, bold, ink),
        deck.language
    )
}

fn defaults(size: f32, bold: bool, ink: &str) -> String {
    format!(
        "<a:defRPr sz=\"{}\" b=\"{}\">{ink}<a:latin typeface=\"+mn-lt\"/><a:ea typeface=\"+mn-ea\"/>\
         <a:cs typeface=\"+mn-cs\"/></a:defRPr>",
        super::units::centipoints(size),
        u8::from(bold)
    )
}

/// A place in the chart's box, as shares of it.
fn layout(chart: &ChartNode, rect: Rect, inner: bool) -> String {
    let share = |px: f32, whole: f32| format!("{:.5}", (px / whole.max(1.0)).clamp(0.0, 1.0));
    let (w, h) = (chart.rect.w, chart.rect.h);
    let target = if inner {
        "<c:layoutTarget val=\"inner\"/>"
    } else {
        ""
    };
    format!(
        "<c:layout><c:manualLayout>{target}<c:xMode val=\"edge\"/><c:yMode val=\"edge\"/><c:x val=\"{}\"/><c:y val=\"{}\"/>\
         <c:w val=\"{}\"/><c:h val=\"{}\"/></c:manualLayout></c:layout>",
        share(rect.x, w),
        share(rect.y, h),
        share(rect.w, w),
        share(rect.h, h)
    )
}

fn legend_at(deck: &Deck<'_>, chart: &ChartNode, position: &str, rect: Rect, size: f32) -> String {
    format!(
        "<c:legend><c:legendPos val=\"{position}\"/>{}<c:overlay val=\"1\"/>{}</c:legend>",
        layout(chart, rect, false),
        type_of(deck, size, false, &deck.scheme.fill(deck.palette.text), "")
    )
}

/// The labels and numbers of a series, which stand between the elements that depend on the kind of chart.
fn data(chart: &ChartSpec, series: usize) -> String {
    data::labels(chart) + &data::values(chart, series)
}

fn format_code(format: &str) -> String {
    format!(
        "<c:numFmt formatCode=\"{}\" sourceLinked=\"0\"/>",
        escape(format)
    )
}
