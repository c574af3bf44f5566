//! Whether the numbers of charts can be read: each as what it is, none as zero that is not, no two alike that differ, and all of
//! them the same in PowerPoint as in the drawing.

use std::collections::BTreeSet;

use spec::{ChartKind, Finding, FindingCategory, Severity, both};

use super::page::{Checked, Kind};
use crate::axis::Scale;
use crate::chart::{VALUE_WEIGHT, labelled};
use crate::numbers::{Numbers, different};
use crate::scene::{ChartNode, Role};

/// A number is read right if it differs from the value by less than this share of it. Numbers are rounded to four digits; tens of
/// ten thousands, such as 12.3万, to three.
const NEAR: f64 = 0.006;

pub(super) fn misread(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let language = &page.page.context.language;
    for piece in &page.pieces {
        let Kind::Chart(chart) = piece.kind else {
            continue;
        };
        for (severity, evidence, fix) in faults(chart, language) {
            let category = FindingCategory::ContentMissing;
            found.push(page.finding("chart", category, severity, evidence, fix));
        }
    }
}

type Fault = (Severity, [String; 2], [String; 2]);

fn faults(chart: &ChartNode, language: &str) -> Vec<Fault> {
    let mut faults = Vec::new();
    let values = labelled(&chart.spec);
    let numbers = Numbers::of(&values, language);
    let labels: Vec<&str> = chart
        .texts()
        .filter(|text| text.weight >= VALUE_WEIGHT && !text.text.ends_with('%'))
        .map(|text| text.text.as_str())
        .collect();
    faults.extend(unlike(&labels, &values, &numbers));
    if labels.len() == values.len() {
        faults.extend(alike(&labels, &values));
    }
    if chart.spec.kind == ChartKind::Pie {
        return faults;
    }
    if !labels.is_empty() && chart.spec.kind != ChartKind::Stacked {
        for set in &chart.spec.datasets {
            let codes = numbers.codes(&values, &set.values);
            let code = |at| {
                let own = codes.points.iter().find(|(point, _)| *point == at);
                own.map_or(codes.series.as_str(), |(_, code)| code.as_str())
            };
            let finite = |(_, value): &(usize, &f64)| value.is_finite();
            for (at, value) in set.values.iter().enumerate().filter(finite) {
                faults.extend(otherwise(*value, code(at), &numbers));
            }
        }
    }
    let ticks = Scale::of(&chart.spec).ticks();
    let numbers = Numbers::of_axis(&ticks, language);
    let labels: Vec<&str> = chart
        .texts()
        .filter(|text| text.weight < VALUE_WEIGHT && text.role == Role::Chrome)
        .map(|text| text.text.as_str())
        .filter(|text| ticks.iter().any(|tick| numbers.text(*tick) == **text))
        .collect();
    if labels.len() >= ticks.len() {
        faults.extend(alike(&labels, &ticks));
    }
    let code = numbers.code(&ticks);
    for tick in &ticks {
        faults.extend(otherwise(*tick, &code, &numbers));
    }
    faults
}

/// Labels that are read as a number that is no value of the chart.
fn unlike(labels: &[&str], values: &[f64], numbers: &Numbers) -> Vec<Fault> {
    let is_value = |read: f64| {
        let near = |value: &f64| (read - value).abs() <= NEAR * value.abs();
        values.iter().any(near)
    };
    let read = |label: &&str| Some((numbers.read(label)?, (*label).to_owned()));
    let strange = labels.iter().filter_map(read);
    let strange = strange.filter(|(read, _)| !is_value(*read));
    let fault = |(_, label): (f64, String)| {
        let evidence = both!(
            "图表中的一个数写作 {label}，数据中没有这个数。" =>
            "A number of the chart is written as {label}, which none of its values is."
        );
        (
            Severity::Critical,
            evidence,
            both!("多写几位数字" => "write it with more digits"),
        )
    };
    strange.map(fault).collect()
}

/// Whether two values that differ have the same label.
fn alike(labels: &[&str], values: &[f64]) -> Option<Fault> {
    let written: BTreeSet<&&str> = labels.iter().collect();
    if written.len() >= different(values) {
        return None;
    }
    let (all, ways) = (different(values), written.len());
    let evidence = both!(
        "图表有 {all} 个不同的数，却只有 {ways} 种写法。" =>
        "The chart has {all} different numbers, which are written in {ways} ways."
    );
    Some((
        Severity::Critical,
        evidence,
        both!("多写几位数字" => "write them with more digits"),
    ))
}

/// Whether PowerPoint shows a value as another number than the drawing.
fn otherwise(value: f64, code: &str, numbers: &Numbers) -> Option<Fault> {
    if numbers.is_shown(code, value) {
        return None;
    }
    let shown = numbers.shown(code, value);
    let text = numbers.text(value);
    let evidence = [
        format!(
            "数 {text} 在 PowerPoint 文件中{}。",
            shown.map_or("不显示".to_owned(), |shown| format!("显示为 {shown}"))
        ),
        format!(
            "The number {text} is {} in the PowerPoint file.",
            shown.map_or("not shown".to_owned(), |shown| shown.to_string())
        ),
    ];
    let fix = both!("换用更大或更小的单位" => "use a larger or smaller unit");
    Some((Severity::Warning, evidence, fix))
}
