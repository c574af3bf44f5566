//! What is wrong with a slide, in words with which its author can correct it.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::limits as l;
use crate::slide::{ChartKind, ChartSpec, SlideSpec, TableRow};
use crate::slots::{List, Reading, Slot};
use crate::{standing, text};

/// One thing wrong, and where.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Violation {
    /// JSON pointer to the value.
    pub path: String,
    /// What is wrong and what to do.
    pub message: String,
}

impl fmt::Display for Violation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.message)
    }
}

impl Violation {
    /// A violation whose message begins with the slot's name.
    pub(crate) fn at(path: &str, says: impl fmt::Display) -> Self {
        Self {
            path: path.to_owned(),
            message: format!("slot `{}` {says}", name(path)),
        }
    }
}

/// `/items/2/text` as people write it: `items[2].text`.
fn name(path: &str) -> String {
    let mut name = String::new();
    for part in path.split('/').filter(|part| !part.is_empty()) {
        if part.bytes().all(|byte| byte.is_ascii_digit()) {
            name.push_str(&format!("[{part}]"));
        } else {
            if !name.is_empty() {
                name.push('.');
            }
            name.push_str(part);
        }
    }
    name
}

impl SlideSpec {
    /// Everything wrong with the slide; empty when it can be drawn without overflow.
    #[must_use]
    pub fn check(&self) -> Vec<Violation> {
        self.faults(|slot| slot.em)
    }

    /// Whether its layout shows what a person wrote: pages that are mostly one sentence or a list hold more in smaller type than an author
    /// is asked for.
    #[must_use]
    pub fn holds(&self) -> bool {
        let times = |slot: &Slot<'_>| match self {
            Self::Title { .. } | Self::Section { .. } | Self::Closing { .. }
                if slot.path == "/title" =>
            {
                l::HELD_TITLE_TIMES
            }
            Self::Title { .. }
            | Self::Section { .. }
            | Self::Bullets { .. }
            | Self::Quote { .. }
            | Self::Closing { .. } => l::HELD_TIMES,
            Self::IconRows { .. }
            | Self::TwoColumns { .. }
            | Self::ImageText { .. }
            | Self::Figures { .. }
            | Self::Comparison { .. }
            | Self::Timeline { .. }
            | Self::Chart { .. }
            | Self::Picture { .. }
            | Self::Composed { .. }
            | Self::Passage { .. }
            | Self::Code { .. }
            | Self::Table { .. } => 1,
        };
        self.faults(|slot| slot.em.saturating_mul(times(slot)))
            .is_empty()
    }

    /// Everything wrong with the slide, where its slots hold so many em.
    fn faults(&self, em: impl Fn(&Slot<'_>) -> u32) -> Vec<Violation> {
        let slots = self.slots();
        let slots = slots.iter().filter_map(|slot| slot_fault(slot, em(slot)));
        let mut found: Vec<Violation> = slots.collect();
        found.extend(self.lists().iter().filter_map(list_fault));
        match self {
            Self::Section {
                number: Some(number),
                ..
            } if !(1..=l::SECTION_NUMBER_MAX).contains(number) => {
                let says = format!(
                    "is {number}: number the parts from 1 to {}",
                    l::SECTION_NUMBER_MAX
                );
                found.push(Violation::at("/number", says));
            }
            Self::Comparison {
                columns,
                rows,
                highlight,
                ..
            } => {
                table_faults(columns.len(), rows, *highlight, &mut found);
            }
            Self::Chart { chart, .. } => chart_faults(chart, &mut found),
            Self::Title { .. }
            | Self::Picture { .. }
            | Self::Composed { .. }
            | Self::Section { .. }
            | Self::Bullets { .. }
            | Self::IconRows { .. }
            | Self::TwoColumns { .. }
            | Self::ImageText { .. }
            | Self::Figures { .. }
            | Self::Timeline { .. }
            | Self::Quote { .. }
            | Self::Closing { .. } => {}
            Self::Passage { blocks, .. } => standing::passage_faults(blocks, &mut found),
            Self::Code { code, .. } => standing::code_faults(code, &mut found),
            Self::Table {
                columns,
                rows,
                align,
                ..
            } => standing::grid_faults(columns, rows, align.as_deref(), &mut found),
        }
        found
    }
}

fn slot_fault(slot: &Slot<'_>, limit: u32) -> Option<Violation> {
    if slot.plain().trim().is_empty() {
        return Some(Violation::at(
            &slot.path,
            "is empty: write it, or leave it out if it is optional",
        ));
    }
    match slot.reading {
        Reading::Written => {
            if let Some(fault) = text::fault(slot.text) {
                return Some(Violation::at(&slot.path, fault));
            }
        }
        Reading::Standing => {}
        // Code has no limit of width, only limits of its lines.
        Reading::Code => return None,
    }
    let width = text::em_width(slot.text);
    if f64::from(width) > f64::from(limit) {
        let says = format!("is {width} em wide, at most {limit} fit: shorten it");
        return Some(Violation::at(&slot.path, says));
    }
    None
}

fn list_fault(list: &List) -> Option<Violation> {
    let List {
        path,
        len,
        min,
        max,
    } = list;
    if len < min {
        return Some(Violation::at(
            path,
            format!(
                "has {len} entries, at least {min} are needed: add some or choose another layout"
            ),
        ));
    }
    if len > max {
        return Some(Violation::at(
            path,
            format!("has {len} entries, at most {max} fit: merge or drop some"),
        ));
    }
    None
}

fn table_faults(
    columns: usize,
    rows: &[TableRow],
    highlight: Option<u32>,
    found: &mut Vec<Violation>,
) {
    for (index, row) in rows.iter().enumerate() {
        let cells = row.cells.len();
        if cells != columns {
            let says = format!(
                "has {cells} cells, but there are {columns} columns: give one cell for each column"
            );
            found.push(Violation::at(&format!("/rows/{index}/cells"), says));
        }
    }
    if let Some(highlight) = highlight
        && usize::try_from(highlight).map_or(true, |highlight| highlight >= columns)
    {
        let says = format!(
            "is {highlight}, but the columns are counted from 0 to {}",
            columns.saturating_sub(1)
        );
        found.push(Violation::at("/highlight", says));
    }
}

fn chart_faults(chart: &ChartSpec, found: &mut Vec<Violation>) {
    let labels = chart.labels.len();
    for (index, set) in chart.datasets.iter().enumerate() {
        let path = format!("/chart/datasets/{index}/values");
        let values = set.values.len();
        if values != labels {
            let says = format!(
                "has {values} values, but there are {labels} labels: give one value for each label"
            );
            found.push(Violation::at(&path, says));
        }
        for (at, value) in set.values.iter().enumerate() {
            let path = format!("{path}/{at}");
            if !value.is_finite() {
                found.push(Violation::at(
                    &path,
                    "is not a finite number: give a real value or drop its label",
                ));
            } else if value.abs() > l::CHART_VALUE_MAX {
                let says = format!(
                    "is {value}, too large to label: use a larger unit, below {}",
                    l::CHART_VALUE_MAX
                );
                found.push(Violation::at(&path, says));
            }
        }
    }
    match chart.kind {
        ChartKind::Pie => pie_faults(chart, found),
        ChartKind::Bar
        | ChartKind::Line
        | ChartKind::HorizontalBar
        | ChartKind::Area
        | ChartKind::Stacked => {}
    }
}

fn pie_faults(chart: &ChartSpec, found: &mut Vec<Violation>) {
    if chart.datasets.len() > 1 {
        let says = format!(
            "has {} entries, a pie shows one: keep one or choose bar",
            chart.datasets.len()
        );
        found.push(Violation::at("/chart/datasets", says));
    }
    if chart.labels.len() > l::PIE_LABELS_MAX {
        let (labels, max) = (chart.labels.len(), l::PIE_LABELS_MAX);
        found.push(Violation::at(
            "/chart/labels",
            format!("has {labels} entries, a pie holds {max}: merge the small ones"),
        ));
    }
    let values = || chart.datasets.iter().flat_map(|set| &set.values);
    if values().any(|value| *value < 0.0) || values().sum::<f64>() <= 0.0 {
        let says = "cannot be shares of a whole: a pie needs values from 0 up with a positive sum, else choose bar";
        found.push(Violation::at("/chart/datasets/0/values", says));
    }
}
