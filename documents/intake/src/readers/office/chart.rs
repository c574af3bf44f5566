//! The values from which a chart was drawn and which it keeps, as a table.

use std::collections::BTreeMap;

use roxmltree::Node;
use spec::source::{RichText, SourceTable};

use super::number;
use crate::xml::Element as _;

/// A series: its name, its categories (or x values) and its values, by their index.
struct Series {
    name: String,
    categories: BTreeMap<usize, String>,
    values: BTreeMap<usize, String>,
}

/// `None` if the chart keeps no values. The caption has the titles of the chart and of its axes.
pub(super) fn table(root: Node<'_, '_>) -> Option<SourceTable> {
    let chart = root.child("chart")?;
    let series: Vec<Series> = chart
        .descendants()
        .filter(|node| node.name() == "ser")
        .map(read)
        .collect();
    let rows = rows(&series)?;
    Some(SourceTable {
        caption: caption(chart),
        head_rows: 1,
        rows,
        align: Vec::new(),
        chart: form(chart),
    })
}

/// The kind of chart: that of the first plot in it, `column` for vertical bars, `stacked` for bars on top of one another.
fn form(chart: Node<'_, '_>) -> Option<String> {
    let plots = chart.child("plotArea")?;
    let plot = plots
        .children()
        .find(|node| node.is_element() && node.name().ends_with("Chart"))?;
    let value = |name: &str| plot.child(name).and_then(|node| node.attr("val"));
    let name = plot.name().trim_end_matches("Chart").trim_end_matches("3D");
    Some(match name {
        "bar" if matches!(value("grouping"), Some("stacked" | "percentStacked")) => {
            "stacked".to_owned()
        }
        "bar" if value("barDir") != Some("bar") => "column".to_owned(),
        "doughnut" => "pie".to_owned(),
        name => name.to_owned(),
    })
}

fn caption(chart: Node<'_, '_>) -> Option<String> {
    let titles: Vec<String> = chart
        .descendants()
        .filter(|node| node.name() == "title")
        .map(|title| runs(title).trim().to_owned())
        .filter(|title| !title.is_empty())
        .collect();
    (!titles.is_empty()).then(|| titles.join("; "))
}

/// Words in runs, or a title that comes from a cell.
fn runs(title: Node<'_, '_>) -> String {
    title
        .descendants()
        .filter(|node| matches!(node.name(), "t" | "v"))
        .filter_map(|node| node.text())
        .collect()
}

fn read(series: Node<'_, '_>) -> Series {
    let name = series.child("tx").map(runs).unwrap_or_default();
    let points_of = |names: [&str; 2]| {
        let found = names.iter().find_map(|name| series.child(name));
        found.map(points).unwrap_or_default()
    };
    Series {
        name,
        categories: points_of(["cat", "xVal"]),
        values: points_of(["val", "yVal"]),
    }
}

/// The cached points. If the categories have several levels, the words of one point are joined.
fn points(values: Node<'_, '_>) -> BTreeMap<usize, String> {
    let cache_code = values
        .below("formatCode")
        .and_then(|code| code.text())
        .map(str::to_owned);
    let mut points: BTreeMap<usize, String> = BTreeMap::new();
    for point in values.descendants().filter(|node| node.name() == "pt") {
        let index = point.attr("idx").and_then(|index| index.parse().ok());
        let value = point.child("v").and_then(|value| value.text());
        let (Some(index), Some(value)) = (index, value) else {
            continue;
        };
        let code = point.attr("formatCode").or(cache_code.as_deref());
        let words = match (code, value.parse::<f64>()) {
            (Some(code), Ok(number)) => number::shown(number, Some(code), false),
            (None | Some(_), _) => value.to_owned(),
        };
        let entry = points.entry(index).or_default();
        if !entry.is_empty() {
            entry.insert(0, ' ');
        }
        // The innermost level comes first in the file and last in the words.
        entry.insert_str(0, &words);
    }
    points
}

/// A column for the categories and one for each series; a series with categories of its own gets a separate column for them.
fn rows(series: &[Series]) -> Option<Vec<Vec<RichText>>> {
    let height = series
        .iter()
        .flat_map(|series| series.values.keys().chain(series.categories.keys()))
        .max()?
        // An index in a file must not cause a row for each number before it.
        .min(&100_000)
        + 1;
    let mut columns: Vec<(String, &BTreeMap<usize, String>)> = Vec::new();
    let mut last: Option<&BTreeMap<usize, String>> = None;
    for series in series {
        if last != Some(&series.categories) && !series.categories.is_empty() {
            columns.push((String::new(), &series.categories));
            last = Some(&series.categories);
        }
        columns.push((series.name.clone(), &series.values));
    }
    let head = columns
        .iter()
        .map(|(name, _)| RichText::plain(name.as_str()));
    let mut rows = vec![head.collect()];
    for index in 0..height {
        let cell = |points: &BTreeMap<usize, String>| points.get(&index).cloned();
        let row: Vec<RichText> = columns
            .iter()
            .map(|(_, points)| RichText::plain(cell(points).unwrap_or_default()))
            .collect();
        if row.iter().any(|cell| !cell.is_blank()) {
            rows.push(row);
        }
    }
    Some(rows)
}
