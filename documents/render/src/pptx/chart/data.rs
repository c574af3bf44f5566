//! The numbers of a chart, each with its place in the workbook.

use spec::ChartSpec;

use crate::pptx::workbook::{SHEET, column};
use crate::pptx::xml::escape;

/// The name of a series, with its number and order.
pub(super) fn name(chart: &ChartSpec, series: usize) -> String {
    let label = chart.datasets.get(series).map_or("", |set| &set.label);
    format!(
        "<c:idx val=\"{series}\"/><c:order val=\"{series}\"/><c:tx><c:strRef><c:f>{SHEET}!${}$1</c:f><c:strCache>\
         <c:ptCount val=\"1\"/><c:pt idx=\"0\"><c:v>{}</c:v></c:pt></c:strCache></c:strRef></c:tx>",
        column(series),
        escape(label)
    )
}

/// The categories.
pub(super) fn labels(chart: &ChartSpec) -> String {
    let points: String = chart
        .labels
        .iter()
        .enumerate()
        .map(|(at, label)| {
            let label = escape(label);
            format!("<c:pt idx=\"{at}\"><c:v>{label}</c:v></c:pt>")
        })
        .collect();
    let count = chart.labels.len();
    format!(
        "<c:cat><c:strRef><c:f>{SHEET}!$A$2:$A${}</c:f><c:strCache><c:ptCount val=\"{count}\"/>{points}</c:strCache>\
         </c:strRef></c:cat>",
        count + 1
    )
}

/// The numbers of a series, one for each label.
pub(super) fn values(chart: &ChartSpec, series: usize) -> String {
    let values = chart
        .datasets
        .get(series)
        .map_or(&[][..], |set| &set.values);
    let points: String = (0..chart.labels.len())
        .map(|at| {
            // A value that is not a number is written as workbooks write it, and is not drawn.
            let value = match values.get(at) {
                Some(value) if value.is_finite() => value.to_string(),
                Some(_) | None => "#N/A".to_owned(),
            };
            format!("<c:pt idx=\"{at}\"><c:v>{value}</c:v></c:pt>")
        })
        .collect();
    let (letter, count) = (column(series), chart.labels.len());
    format!(
        "<c:val><c:numRef><c:f>{SHEET}!${letter}$2:${letter}${}</c:f><c:numCache><c:formatCode>General</c:formatCode>\
         <c:ptCount val=\"{count}\"/>{points}</c:numCache></c:numRef></c:val>",
        count + 1
    )
}
