//! The text slots of a slide in reading order, with what each may hold: checking and reading both use this one list.

use crate::composed::Part;
use crate::limits as l;
use crate::slide::{ChartSpec, Column, PassageBlock, SlideSpec, TableRow};

/// One slot and its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slot<'a> {
    /// JSON pointer inside the slide, for example `/items/2/text`.
    pub path: String,
    /// What stands in it, bold marks included.
    pub text: &'a str,
    /// Most em that fit.
    pub em: u32,
    /// How its text is read.
    pub reading: Reading,
}

/// How the text of a slot is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Reading {
    /// One line that was written for the slot: bold marks, and no other markup.
    Written,
    /// Text as it stands in a source: only bold marks mean something, line breaks stay.
    Standing,
    /// Every character is shown as it is.
    Code,
}

impl Slot<'_> {
    /// What a reader sees: the text without bold marks; for code, every character.
    #[must_use]
    pub fn plain(&self) -> String {
        match self.reading {
            Reading::Written | Reading::Standing => crate::text::plain(self.text),
            Reading::Code => self.text.to_owned(),
        }
    }
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
struct Walk<'a> {
    slots: Vec<Slot<'a>>,
    reading: Reading,
}

impl<'a> Walk<'a> {
    fn put(&mut self, path: impl Into<String>, text: &'a str, em: u32) {
        self.slots.push(Slot {
            path: path.into(),
            text,
            em,
            reading: self.reading,
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

    fn passage(&mut self, blocks: &'a [PassageBlock]) {
        for (index, block) in blocks.iter().enumerate() {
            let path = format!("/blocks/{index}");
            self.put_if(
                &format!("{path}/marker"),
                block.marker.as_ref(),
                l::PASSAGE_MARKER_EM,
            );
            // A line of a list may consist only of its mark, such as a box to be ticked.
            if block.marker.is_none() || !block.text.trim().is_empty() {
                self.put(format!("{path}/text"), &block.text, l::PASSAGE_TEXT_EM);
            }
        }
    }

    fn code(&mut self, code: &'a str) {
        self.slots.push(Slot {
            path: "/code".to_owned(),
            text: code,
            // Its lines are counted one by one.
            em: u32::MAX,
            reading: Reading::Code,
        });
    }

    /// Adds the cells that have text; empty cells are allowed and are not slots.
    fn cells(&mut self, path: &str, cells: &'a [String]) {
        for (index, cell) in cells.iter().enumerate() {
            if !cell.trim().is_empty() {
                self.put(format!("{path}/{index}"), cell, l::GRID_CELL_EM);
            }
        }
    }

    /// Adds a text, which may be empty and of any length.
    fn put_filled(&mut self, path: impl Into<String>, text: &'a str) {
        if !text.trim().is_empty() {
            self.put(path, text, u32::MAX);
        }
    }

    fn part_blocks(&mut self, path: &str, blocks: &'a [PassageBlock]) {
        for (index, block) in blocks.iter().enumerate() {
            self.put_filled(format!("{path}/{index}/text"), &block.text);
        }
    }

    /// The texts of a part of a composed page, none of which has a limit.
    fn part(&mut self, path: &str, part: &'a Part) {
        match part {
            Part::Text { blocks } => self.part_blocks(&format!("{path}/blocks"), blocks),
            Part::IconLines { lines } => {
                for (index, line) in lines.iter().enumerate() {
                    self.put_filled(format!("{path}/lines/{index}/text"), &line.text);
                }
            }
            Part::Columns { columns } => {
                for (index, column) in columns.iter().enumerate() {
                    let path = format!("{path}/columns/{index}");
                    if let Some(heading) = &column.heading {
                        self.put_filled(format!("{path}/heading"), heading);
                    }
                    self.part_blocks(&format!("{path}/blocks"), &column.blocks);
                }
            }
            Part::Figures { figures } => {
                for (index, figure) in figures.iter().enumerate() {
                    let path = format!("{path}/figures/{index}");
                    self.put_filled(format!("{path}/value"), &figure.value);
                    self.put_filled(format!("{path}/label"), &figure.label);
                    if let Some(note) = &figure.note {
                        self.put_filled(format!("{path}/note"), note);
                    }
                }
            }
            Part::Steps { steps } => {
                for (index, step) in steps.iter().enumerate() {
                    let path = format!("{path}/steps/{index}");
                    self.put_filled(format!("{path}/label"), &step.label);
                    self.put_filled(format!("{path}/heading"), &step.heading);
                    self.put_filled(format!("{path}/text"), &step.text);
                }
            }
            Part::Table { columns, rows } => {
                for (index, cell) in columns.iter().enumerate() {
                    self.put_filled(format!("{path}/columns/{index}"), cell);
                }
                for (row, cells) in rows.iter().enumerate() {
                    for (index, cell) in cells.iter().enumerate() {
                        self.put_filled(format!("{path}/rows/{row}/{index}"), cell);
                    }
                }
            }
            Part::Code { language, code } => {
                if let Some(language) = language {
                    self.put_filled(format!("{path}/language"), language);
                }
                self.slots.push(Slot {
                    path: format!("{path}/code"),
                    text: code,
                    em: u32::MAX,
                    reading: Reading::Code,
                });
            }
            Part::Chart { title, chart } => {
                self.put_filled(format!("{path}/title"), title);
                for (index, label) in chart.labels.iter().enumerate() {
                    self.put_filled(format!("{path}/chart/labels/{index}"), label);
                }
                for (index, set) in chart.datasets.iter().enumerate() {
                    self.put_filled(format!("{path}/chart/datasets/{index}/label"), &set.label);
                }
            }
            Part::Picture { picture: _ } => {}
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
        let mut walk = Walk {
            slots: Vec::new(),
            reading: self.reading(),
        };
        match self {
            Self::Title {
                title,
                subtitle,
                kicker,
                picture: _,
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
                picture: _,
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
            Self::Passage { title, blocks } => {
                // Sentences can stand without a heading.
                if !title.trim().is_empty() {
                    walk.put("/title", title, l::STANDING_TITLE_EM);
                }
                walk.passage(blocks);
            }
            Self::Code {
                title,
                language,
                code,
                caption,
            } => {
                walk.put("/title", title, l::STANDING_TITLE_EM);
                walk.put_if("/language", language.as_ref(), l::CODE_LANGUAGE_EM);
                walk.code(code);
                walk.put_if("/caption", caption.as_ref(), l::STANDING_CAPTION_EM);
            }
            Self::Table {
                title,
                columns,
                rows,
                align: _,
                caption,
            } => {
                walk.put("/title", title, l::STANDING_TITLE_EM);
                walk.cells("/columns", columns);
                for (index, row) in rows.iter().enumerate() {
                    walk.cells(&format!("/rows/{index}"), row);
                }
                walk.put_if("/caption", caption.as_ref(), l::STANDING_CAPTION_EM);
            }
            Self::Picture {
                title,
                picture: _,
                caption,
            } => {
                walk.put("/title", title, l::STANDING_TITLE_EM);
                walk.put_if("/caption", caption.as_ref(), l::STANDING_CAPTION_EM);
            }
            Self::Composed {
                title,
                lead,
                beside: _,
                parts,
            } => {
                walk.put_filled("/title", title);
                if let Some(lead) = lead {
                    walk.put_filled("/lead", lead);
                }
                for (index, part) in parts.iter().enumerate() {
                    walk.part(&format!("/parts/{index}"), part);
                }
            }
        }
        walk.slots
    }

    /// How the slide's texts are read; its code, if it has any, is read character by character.
    #[must_use]
    pub fn reading(&self) -> Reading {
        match self {
            Self::Passage { .. }
            | Self::Code { .. }
            | Self::Table { .. }
            | Self::Picture { .. }
            | Self::Composed { .. } => Reading::Standing,
            Self::Title { .. }
            | Self::Section { .. }
            | Self::Bullets { .. }
            | Self::IconRows { .. }
            | Self::TwoColumns { .. }
            | Self::ImageText { .. }
            | Self::Figures { .. }
            | Self::Comparison { .. }
            | Self::Timeline { .. }
            | Self::Chart { .. }
            | Self::Quote { .. }
            | Self::Closing { .. } => Reading::Written,
        }
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
            Self::Title { .. }
            | Self::Section { .. }
            | Self::Quote { .. }
            | Self::Code { .. }
            | Self::Picture { .. }
            | Self::Composed { .. } => Vec::new(),
            Self::Passage { blocks, .. } => vec![list(
                "/blocks",
                blocks.len(),
                l::PASSAGE_BLOCKS_MIN,
                l::PASSAGE_BLOCKS_MAX,
            )],
            Self::Table { columns, rows, .. } => vec![
                list("/columns", columns.len(), 0, l::GRID_COLUMNS_MAX),
                list("/rows", rows.len(), l::GRID_ROWS_MIN, l::GRID_ROWS_MAX),
            ],
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
