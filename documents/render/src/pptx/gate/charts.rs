//! Charts: axes, numbers and the workbook behind them.

use std::collections::BTreeMap;

use super::parts::Parts;
use super::tree::Element;
use super::{DefectList, Rule};

/// Kinds of charts that stand on two axes; the others stand on none.
const ON_AXES: [&str; 4] = ["c:barChart", "c:lineChart", "c:areaChart", "c:scatterChart"];

const AXES: [&str; 4] = ["c:catAx", "c:valAx", "c:dateAx", "c:serAx"];

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    for (name, tree) in parts.of_type(".chart+xml") {
        let mut say = |says: &str| found.add(Rule::Chart, name, says);
        axes(tree, &mut say);
        if tree.all("c:ser").next().is_none() {
            say("has no series");
        }
        tree.all("c:ser")
            .for_each(|series| numbers(series, &mut say));
        let workbook = tree
            .child("c:externalData")
            .and_then(|data| data.attribute("r:id"));
        let workbook = workbook.and_then(|id| parts.relation(name, id));
        let workbook = workbook.filter(|relation| relation.kind == "package");
        let bytes = workbook.and_then(|relation| parts.contents.get(&relation.target));
        if !bytes.is_some_and(|bytes| bytes.starts_with(b"PK")) {
            say("has no workbook");
        }
    }
    for (name, tree) in parts.of_type(".slide+xml") {
        for chart in tree.all("c:chart") {
            let relation = chart
                .attribute("r:id")
                .and_then(|id| parts.relation(name, id));
            if relation.is_none_or(|relation| relation.kind != "chart") {
                found.add(Rule::Chart, name, "shows a chart that is none");
            }
        }
    }
}

fn value<'a>(element: &'a Element, child: &str) -> Option<&'a str> {
    element.child(child)?.attribute("val")
}

/// A positive id.
fn id(element: &Element, child: &str) -> Option<u32> {
    value(element, child)?.parse().ok().filter(|id| *id > 0)
}

fn axes(tree: &Element, say: &mut impl FnMut(&str)) {
    let mut crossed = BTreeMap::new();
    for axis in tree.walk().filter(|e| AXES.contains(&e.name.as_str())) {
        match (id(axis, "c:axId"), id(axis, "c:crossAx")) {
            (Some(own), Some(other)) => {
                if crossed.insert(own, other).is_some() {
                    say("has two axes with the same id");
                }
            }
            (None, _) | (_, None) => say("has an axis whose id is not a positive number"),
        }
    }
    for (own, other) in &crossed {
        if own == other || crossed.get(other) != Some(own) {
            say("has an axis that is not crossed by the one it crosses");
        }
    }
    for plot in tree
        .walk()
        .filter(|e| e.name.ends_with("Chart") && e.name.starts_with("c:"))
    {
        let used: Vec<Option<u32>> = plot
            .children
            .iter()
            .filter(|child| child.name == "c:axId")
            .map(|child| child.attribute("val")?.parse().ok())
            .collect();
        let expected = if ON_AXES.contains(&plot.name.as_str()) {
            2
        } else {
            0
        };
        let there = |id: &Option<u32>| id.is_some_and(|id| crossed.contains_key(&id));
        if used.len() != expected || !used.iter().all(there) {
            say("has a plot without its axes");
        }
    }
}

fn numbers(series: &Element, say: &mut impl FnMut(&str)) {
    let mut counts = Vec::new();
    for kind in ["c:cat", "c:val"] {
        let cache = |name| series.child(kind)?.walk().find(|e| e.name == name);
        let Some(cache) = cache("c:numCache").or_else(|| cache("c:strCache")) else {
            say("has a series without categories or numbers");
            return;
        };
        let said = value(cache, "c:ptCount").and_then(|count| count.parse::<usize>().ok());
        let points: Vec<&Element> = cache.all("c:pt").collect();
        let in_order = points
            .iter()
            .enumerate()
            .all(|(at, point)| point.attribute("idx").and_then(|idx| idx.parse().ok()) == Some(at));
        if said != Some(points.len()) || !in_order {
            say("has a series with other points than it says");
        }
        if cache.name == "c:numCache" && !points.iter().all(|point| is_number(point)) {
            say("has a value that is not a number");
        }
        counts.push(points.len());
    }
    if counts.first() != counts.last() || counts.contains(&0) {
        say("has a series with other numbers than categories, or none");
    }
}

/// A number, or what a workbook says where there is none.
fn is_number(point: &Element) -> bool {
    let text = point.child("c:v").map_or("", |value| value.text.as_str());
    text == "#N/A" || text.parse::<f64>().is_ok_and(f64::is_finite)
}
