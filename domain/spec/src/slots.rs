//! The text slots of a slide in reading order, with what each may hold: the one walk that checking and reading share.

use crate::limits as l;
use crate::slide::{ChartSpec, Column, SlideSpec, TableRow};

/// One slot and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot<'a> {
    /// JSON pointer inside the slide, for example `/items/2/text`.
    pub path: String,
    /// What stands in it, bold marks included.
    pub text: &'a str,
    /// Most em that fit.
    pub em: u32,
}

/// A list of the slide with its bounds.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct List {
    pub(crate) path: &'static str,
    pub(crate) len: usize,
    pub(crate) min: usize,
    pub(crate) max: usize,
}

/// Collects slots in reading order.
#[derive(Default)]
struct Walk<'a>(Vec<Slot<'a>>);

impl<'a> Walk<'a> {
    fn put(&mut self, path: impl Into<String>, text: &'a str, em: u32) {
        self.0.push(Slot {
            path: path.into(),
            text,
            em,
        });
    }

    fn put_if(&mut self, path: &str, text: Option<&'a String>, em: u32) {
        if let Some(text) = text {
            self.put(path, text, em);
        }
    }

    fn put_each(&mut self, path: &str, texts: &'a [String], em: u32) {
        for (index, text) in texts.iter().enumerate() {
            self.put(format!("{path}/{index}"), text, em);
        }
    }

    fn column(&mut self, path: &str, column: &'a Column) {
        self.put(
            format!("{path}/heading"),
            &column.heading,
            l::COLUMN_HEADING_EM,
        );
        self.put_each(&format!("{path}/items"), &column.items, l::COLUMN_ITEM_EM);
    }

    fn table(&mut self, columns: &'a [String], rows: &'a [TableRow]) {
        self.put_each("/columns", columns, l::TABLE_HEAD_EM);
        for (index, row) in rows.iter().enumerate() {
            self.put(
                format!("/rows/{index}/label"),
                &row.label,
                l::TABLE_LABEL_EM,
            );
            self.put_each(
                &format!("/rows/{index}/cells"),
                &row.cells,
                cell_em(columns.len()),
            );
        }
    }

    fn chart(&mut self, chart: &'a ChartSpec) {
        self.put_if("/chart/unit", chart.unit.as_ref(), l::CHART_UNIT_EM);
        self.put_each("/chart/labels", &chart.labels, l::CHART_LABEL_EM);
        for (index, set) in chart.datasets.iter().enumerate() {
            self.put(
                format!("/chart/datasets/{index}/label"),
                &set.label,
                l::CHART_SERIES_EM,
            );
        }
    }
}

/// What a table cell holds, by the number of columns.
fn cell_em(columns: usize) -> u32 {
    if columns <= 2 {
        l::TABLE_CELL_WIDE_EM
    } else {
        l::TABLE_CELL_NARROW_EM
    }
}

impl SlideSpec {
    /// Every slot that has text, in reading order.
    #[must_use]
    pub fn slots(&self) -> Vec<Slot<'_>> {
        let mut walk = Walk::default();
        match self {
            Self::Title {
                title,
                subtitle,
                kicker,
            } => {
                walk.put_if("/kicker", kicker.as_ref(), l::KICKER_EM);
                walk.put("/title", title, l::OPENING_TITLE_EM);
                walk.put_if("/subtitle", subtitle.as_ref(), l::SUBTITLE_EM);
            }
            Self::Section {
                title,
                number: _,
                lead,
            } => {
                walk.put("/title", title, l::SECTION_TITLE_EM);
                walk.put_if("/lead", lead.as_ref(), l::SECTION_LEAD_EM);
            }
            Self::Bullets { title, lead, items } => {
                walk.put("/title", title, l::HEADING_EM);
                walk.put_if("/lead", lead.as_ref(), l::BULLETS_LEAD_EM);
                for (index, item) in items.iter().enumerate() {
                    walk.put(format!("/items/{index}/text"), &item.text, l::BULLET_EM);
                    walk.put_if(
                        &format!("/items/{index}/detail"),
                        item.detail.as_ref(),
                        l::BULLET_DETAIL_EM,
                    );
                }
            }
            Self::IconRows { title, rows } => {
                walk.put("/title", title, l::HEADING_EM);
                for (index, row) in rows.iter().enumerate() {
                    walk.put(
                        format!("/rows/{index}/heading"),
                        &row.heading,
                        l::CARD_HEADING_EM,
                    );
                    walk.put(format!("/rows/{index}/text"), &row.text, l::CARD_TEXT_EM);
                }
            }
            Self::TwoColumns { title, left, right } => {
                walk.put("/title", title, l::HEADING_EM);
                walk.column("/left", left);
                walk.column("/right", right);
            }
            Self::ImageText {
                title,
                illustration: _,
                caption,
                text,
                points,
            } => {
                walk.put("/title", title, l::HEADING_EM);
                walk.put_if("/caption", caption.as_ref(), l::PICTURE_CAPTION_EM);
                walk.put("/text", text, l::PICTURE_TEXT_EM);
                walk.put_each("/points", points, l::PICTURE_POINT_EM);
            }
            Self::Figures {
                title,
                figures,
                takeaway,
            } => {
                walk.put("/title", title, l::HEADING_EM);
                for (index, figure) in figures.iter().enumerate() {
                    walk.put(
                        format!("/figures/{index}/value"),
                        &figure.value,
                        l::FIGURE_VALUE_EM,
                    );
                    walk.put(
                        format!("/figures/{index}/label"),
                        &figure.label,
                        l::FIGURE_LABEL_EM,
                    );
                    walk.put_if(
                        &format!("/figures/{index}/note"),
                        figure.note.as_ref(),
                        l::FIGURE_NOTE_EM,
                    );
                }
                walk.put_if("/takeaway", takeaway.as_ref(), l::TAKEAWAY_EM);
            }
            Self::Comparison {
                title,
                columns,
                rows,
                highlight: _,
            } => {
                walk.put("/title", title, l::HEADING_EM);
                walk.table(columns, rows);
            }
            Self::Timeline { title, steps } => {
                walk.put("/title", title, l::HEADING_EM);
                for (index, step) in steps.iter().enumerate() {
                    walk.put(
                        format!("/steps/{index}/label"),
                        &step.label,
                        l::STEP_LABEL_EM,
                    );
                    walk.put(
                        format!("/steps/{index}/heading"),
                        &step.heading,
                        l::STEP_HEADING_EM,
                    );
                    walk.put(format!("/steps/{index}/text"), &step.text, l::STEP_TEXT_EM);
                }
            }
            Self::Chart {
                title,
                chart,
                insight,
                source,
            } => {
                walk.put("/title", title, l::HEADING_EM);
                walk.chart(chart);
                walk.put_if("/insight", insight.as_ref(), l::CHART_INSIGHT_EM);
                walk.put_if("/source", source.as_ref(), l::CHART_SOURCE_EM);
            }
            Self::Quote {
                quote,
                attribution,
                context,
            } => {
                walk.put("/quote", quote, l::QUOTE_EM);
                walk.put_if("/attribution", attribution.as_ref(), l::QUOTE_BY_EM);
                walk.put_if("/context", context.as_ref(), l::QUOTE_CONTEXT_EM);
            }
            Self::Closing {
                title,
                message,
                points,
                action,
            } => {
                walk.put("/title", title, l::CLOSING_TITLE_EM);
                walk.put_if("/message", message.as_ref(), l::CLOSING_MESSAGE_EM);
                walk.put_each("/points", points, l::CLOSING_POINT_EM);
                walk.put_if("/action", action.as_ref(), l::CLOSING_ACTION_EM);
            }
        }
        walk.0
    }

    /// The slide's lists with their bounds.
    pub(crate) fn lists(&self) -> Vec<List> {
        let list = |path, len, min, max| List {
            path,
            len,
            min,
            max,
        };
        match self {
            Self::Title { .. } | Self::Section { .. } | Self::Quote { .. } => Vec::new(),
            Self::Bullets { items, lead, .. } => {
                let max = if lead.is_some() {
                    l::BULLETS_WITH_LEAD_MAX
                } else {
                    l::BULLETS_MAX
                };
                vec![list("/items", items.len(), l::BULLETS_MIN, max)]
            }
            Self::IconRows { rows, .. } => {
                vec![list("/rows", rows.len(), l::CARDS_MIN, l::CARDS_MAX)]
            }
            Self::TwoColumns { left, right, .. } => vec![
                list("/left/items", left.items.len(), 1, l::COLUMN_ITEMS_MAX),
                list("/right/items", right.items.len(), 1, l::COLUMN_ITEMS_MAX),
            ],
            Self::ImageText { points, .. } => {
                vec![list("/points", points.len(), 0, l::PICTURE_POINTS_MAX)]
            }
            Self::Figures { figures, .. } => vec![list(
                "/figures",
                figures.len(),
                l::FIGURES_MIN,
                l::FIGURES_MAX,
            )],
            Self::Comparison { columns, rows, .. } => vec![
                list(
                    "/columns",
                    columns.len(),
                    l::TABLE_COLUMNS_MIN,
                    l::TABLE_COLUMNS_MAX,
                ),
                list("/rows", rows.len(), l::TABLE_ROWS_MIN, l::TABLE_ROWS_MAX),
            ],
            Self::Timeline { steps, .. } => {
                vec![list("/steps", steps.len(), l::STEPS_MIN, l::STEPS_MAX)]
            }
            Self::Chart { chart, .. } => vec![
                list(
                    "/chart/labels",
                    chart.labels.len(),
                    l::CHART_LABELS_MIN,
                    l::CHART_LABELS_MAX,
                ),
                list(
                    "/chart/datasets",
                    chart.datasets.len(),
                    1,
                    l::CHART_DATASETS_MAX,
                ),
            ],
            Self::Closing { points, .. } => {
                vec![list("/points", points.len(), 0, l::CLOSING_POINTS_MAX)]
            }
        }
    }
}
