//! One slide: a layout out of a closed list, and text for its slots.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::composed::Part;
use crate::icon::Icon;
use crate::limits::{self, says};

/// A typed slide. The layout decides where everything stands.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "layout",
    rename_all = "snake_case",
    rename_all_fields = "camelCase",
    deny_unknown_fields
)]
#[schemars(
    description = "One slide: choose the layout that fits the content and fill its slots with plain text. \
    **Bold**, [words](https://address) and $formulas$ in LaTeX are allowed inside text; no other markup, no line breaks, no \
    coordinates. Only `passage`, `code` and `table` \
    take text as it stands in a source."
)]
pub enum SlideSpec {
    /// The opening page of the deck.
    Title {
        #[schemars(description = says("The deck's title", limits::OPENING_TITLE_EM))]
        title: String,
        #[schemars(description = says("What the deck is about, in one line", limits::SUBTITLE_EM))]
        subtitle: Option<String>,
        #[schemars(description = says("Small line above the title: subject, series or audience", limits::KICKER_EM))]
        kicker: Option<String>,
        /// A picture beside it, in the place of a pattern. Whoever writes the words does not choose it.
        #[schemars(skip)]
        picture: Option<GivenPicture>,
    },
    /// The opening page of a part of the deck.
    Section {
        #[schemars(description = says("The part's title", limits::SECTION_TITLE_EM))]
        title: String,
        /// The part's number, drawn large; 1 to 99.
        #[schemars(range(min = 1, max = limits::SECTION_NUMBER_MAX))]
        number: Option<u32>,
        #[schemars(description = says("What this part answers", limits::SECTION_LEAD_EM))]
        lead: Option<String>,
    },
    /// Points in order of importance or time, each with an optional detail; at most four beside a lead.
    Bullets {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        #[schemars(description = says("The idea that holds the points together", limits::BULLETS_LEAD_EM))]
        lead: Option<String>,
        #[schemars(length(min = limits::BULLETS_MIN, max = limits::BULLETS_MAX))]
        items: Vec<Item>,
    },
    /// Cards with an icon, a heading and a sentence: parts, reasons, roles.
    IconRows {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        #[schemars(length(min = limits::CARDS_MIN, max = limits::CARDS_MAX))]
        rows: Vec<IconRow>,
    },
    /// Two lists side by side: before and after, cause and effect, two views.
    TwoColumns {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        left: Column,
        right: Column,
    },
    /// A drawn illustration beside a paragraph and up to three points.
    ImageText {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        /// The icon the illustration is drawn around.
        illustration: Icon,
        /// A picture in the place of the illustration. Whoever writes the words does not choose it.
        #[schemars(skip)]
        picture: Option<GivenPicture>,
        #[schemars(description = says("What the illustration stands for", limits::PICTURE_CAPTION_EM))]
        caption: Option<String>,
        #[schemars(description = says("The paragraph", limits::PICTURE_TEXT_EM))]
        text: String,
        #[schemars(description = says("Each: a point that supports the paragraph", limits::PICTURE_POINT_EM))]
        #[serde(default)]
        #[schemars(length(max = limits::PICTURE_POINTS_MAX))]
        points: Vec<String>,
    },
    /// Two to four big numbers.
    Figures {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        #[schemars(length(min = limits::FIGURES_MIN, max = limits::FIGURES_MAX))]
        figures: Vec<Figure>,
        #[schemars(description = says("What the numbers mean together", limits::TAKEAWAY_EM))]
        takeaway: Option<String>,
    },
    /// A table: things side by side, one property a row.
    Comparison {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        #[schemars(description = says("Each: the name of a thing compared", limits::TABLE_HEAD_EM))]
        #[schemars(length(min = limits::TABLE_COLUMNS_MIN, max = limits::TABLE_COLUMNS_MAX))]
        columns: Vec<String>,
        #[schemars(length(min = limits::TABLE_ROWS_MIN, max = limits::TABLE_ROWS_MAX))]
        rows: Vec<TableRow>,
        /// The column to stress, counted from 0.
        highlight: Option<u32>,
    },
    /// Stations in order: dates, phases, steps of a process.
    Timeline {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        #[schemars(length(min = limits::STEPS_MIN, max = limits::STEPS_MAX))]
        steps: Vec<TimelineStep>,
    },
    /// A chart of real numbers.
    Chart {
        #[schemars(description = says("The page's heading", limits::HEADING_EM))]
        title: String,
        chart: ChartSpec,
        #[schemars(description = says("What the chart shows, as a sentence", limits::CHART_INSIGHT_EM))]
        insight: Option<String>,
        #[schemars(description = says("Where the numbers come from", limits::CHART_SOURCE_EM))]
        source: Option<String>,
    },
    /// One sentence worth a page.
    Quote {
        #[schemars(description = says("The sentence, without quotation marks", limits::QUOTE_EM))]
        quote: String,
        #[schemars(description = says("Who said it", limits::QUOTE_BY_EM))]
        attribution: Option<String>,
        #[schemars(description = says("Why it matters here", limits::QUOTE_CONTEXT_EM))]
        context: Option<String>,
    },
    /// The last page: what to remember and what to do next.
    Closing {
        #[schemars(description = says("The last word", limits::CLOSING_TITLE_EM))]
        title: String,
        #[schemars(description = says("A sentence under it", limits::CLOSING_MESSAGE_EM))]
        message: Option<String>,
        #[schemars(description = says("Each: a point to remember", limits::CLOSING_POINT_EM))]
        #[serde(default)]
        #[schemars(length(max = limits::CLOSING_POINTS_MAX))]
        points: Vec<String>,
        #[schemars(description = says("What to do next: homework, a question, a link in words", limits::CLOSING_ACTION_EM))]
        action: Option<String>,
    },
    /// Paragraphs and list lines for text that must stand as the source has it.
    Passage {
        #[schemars(description = says("The page's heading; empty for none", limits::STANDING_TITLE_EM))]
        title: String,
        #[schemars(length(min = limits::PASSAGE_BLOCKS_MIN, max = limits::PASSAGE_BLOCKS_MAX))]
        blocks: Vec<PassageBlock>,
    },
    /// A program or other fixed text for code that must stand as the source has it.
    Code {
        #[schemars(description = says("The page's heading", limits::STANDING_TITLE_EM))]
        title: String,
        #[schemars(description = says("Name of the programming language", limits::CODE_LANGUAGE_EM))]
        language: Option<String>,
        #[schemars(description = format!(
            "The code; its line breaks and blanks count. At most {} lines of {} characters.",
            limits::CODE_LINES_MAX, limits::CODE_LINE_CHARS
        ))]
        code: String,
        #[schemars(description = says("What the code is", limits::STANDING_CAPTION_EM))]
        caption: Option<String>,
    },
    /// Rows and columns for a table that must stand as the source has it; a cell may be empty.
    Table {
        #[schemars(description = says("The page's heading", limits::STANDING_TITLE_EM))]
        title: String,
        #[schemars(description = says("Each: the head of a column; none for a table without a head row", limits::GRID_CELL_EM))]
        #[serde(default)]
        #[schemars(length(max = limits::GRID_COLUMNS_MAX))]
        columns: Vec<String>,
        #[schemars(description = format!(
            "Each: a row, one cell for each column, which may be empty and holds {} em.",
            limits::GRID_CELL_EM
        ))]
        #[schemars(length(min = limits::GRID_ROWS_MIN, max = limits::GRID_ROWS_MAX))]
        rows: Vec<Vec<String>>,
        /// One for each column. Without it numbers stand on the right, everything else on the left.
        align: Option<Vec<CellAlign>>,
        #[schemars(description = says("What the table is", limits::STANDING_CAPTION_EM))]
        caption: Option<String>,
    },
    /// A picture that was given, as large as the page has room.
    Picture {
        #[schemars(description = says("The page's heading", limits::STANDING_TITLE_EM))]
        title: String,
        picture: GivenPicture,
        #[schemars(description = says("What the picture shows", limits::STANDING_CAPTION_EM))]
        caption: Option<String>,
    },
    /// Parts, one below another, for text that a person wrote without thinking of a layout.
    Composed {
        /// The page's heading; empty for a page without one.
        title: String,
        /// A line under the heading.
        lead: Option<String>,
        /// A picture on the left half of the page, with the parts on its right.
        beside: Option<GivenPicture>,
        parts: Vec<Part>,
    },
}

/// A picture out of a file that was given.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct GivenPicture {
    /// SHA-256 of the file, 64 lower-case hexadecimal digits.
    pub sha256: String,
    /// What the picture shows, in words, for people who cannot see it; empty if it is not known.
    #[serde(default)]
    pub alt: String,
    /// The bytes of the file. The code that asks for the page leaves them out; the code that has the files puts them in.
    #[serde(skip)]
    pub bytes: PictureBytes,
}

/// The bytes of a picture, shared.
#[derive(Clone, Default, PartialEq)]
pub struct PictureBytes(pub std::sync::Arc<[u8]>);

impl std::fmt::Debug for PictureBytes {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{} bytes", self.0.len())
    }
}

/// The layouts by name, for planning and counting.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Layout {
    Title,
    Section,
    Bullets,
    IconRows,
    TwoColumns,
    ImageText,
    Figures,
    Comparison,
    Timeline,
    Chart,
    Quote,
    Closing,
    Passage,
    Code,
    Table,
    Picture,
    Composed,
}

/// A point with an optional detail.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Item {
    #[schemars(description = says("The point", limits::BULLET_EM))]
    pub text: String,
    #[schemars(description = says("Reason, example or number for it", limits::BULLET_DETAIL_EM))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub detail: Option<String>,
}

/// A card.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct IconRow {
    pub icon: Icon,
    #[schemars(description = says("The card's heading", limits::CARD_HEADING_EM))]
    pub heading: String,
    #[schemars(description = says("The card's sentence", limits::CARD_TEXT_EM))]
    pub text: String,
}

/// One of two columns.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Column {
    #[schemars(description = says("The column's heading", limits::COLUMN_HEADING_EM))]
    pub heading: String,
    #[schemars(description = says("Each: one item", limits::COLUMN_ITEM_EM))]
    #[schemars(length(min = 1, max = limits::COLUMN_ITEMS_MAX))]
    pub items: Vec<String>,
}

/// A big number.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Figure {
    #[schemars(description = says("The number with its unit", limits::FIGURE_VALUE_EM))]
    pub value: String,
    #[schemars(description = says("What it counts", limits::FIGURE_LABEL_EM))]
    pub label: String,
    #[schemars(description = says("A remark: since when, compared with what", limits::FIGURE_NOTE_EM))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

/// A property and its value for each thing compared.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TableRow {
    #[schemars(description = says("The property", limits::TABLE_LABEL_EM))]
    pub label: String,
    #[schemars(description = format!(
        "One cell for each column. At most {} em each in a table of two columns, {} em with more.",
        limits::TABLE_CELL_WIDE_EM, limits::TABLE_CELL_NARROW_EM
    ))]
    pub cells: Vec<String>,
}

/// A station of a timeline.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct TimelineStep {
    #[schemars(description = says("Date, phase or ordinal", limits::STEP_LABEL_EM))]
    pub label: String,
    #[schemars(description = says("The station's name", limits::STEP_HEADING_EM))]
    pub heading: String,
    #[schemars(description = says("What happens there", limits::STEP_TEXT_EM))]
    pub text: String,
}

/// A paragraph, or a line of a list.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PassageBlock {
    #[schemars(description = says("The text; a line break in it stays one", limits::PASSAGE_TEXT_EM))]
    pub text: String,
    /// How deep it is indented.
    #[serde(default)]
    #[schemars(range(max = limits::PASSAGE_LEVEL_MAX))]
    pub level: u32,
    #[schemars(description = says("What stands before a line of a list, for example “•”, “3.” or “☑”; none for a paragraph", limits::PASSAGE_MARKER_EM))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub marker: Option<String>,
}

/// Where the texts of a column stand.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellAlign {
    Left,
    Center,
    Right,
}

/// Numbers to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ChartSpec {
    pub kind: ChartKind,
    #[schemars(description = says("Each: the name of a category", limits::CHART_LABEL_EM))]
    #[schemars(length(min = limits::CHART_LABELS_MIN, max = limits::CHART_LABELS_MAX))]
    pub labels: Vec<String>,
    #[schemars(length(min = 1, max = limits::CHART_DATASETS_MAX))]
    pub datasets: Vec<Dataset>,
    #[schemars(description = says("Unit of the values", limits::CHART_UNIT_EM))]
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub unit: Option<String>,
}

/// How the numbers are drawn: bars to compare, a line for a course, a pie for shares of a whole.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ChartKind {
    /// Upright.
    Bar,
    Line,
    Pie,
    /// Lying, for long names.
    HorizontalBar,
    /// A line with what is below it filled.
    Area,
    /// Upright, the series on top of one another.
    Stacked,
}

/// One series of numbers.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Dataset {
    #[schemars(description = says("The series' name", limits::CHART_SERIES_EM))]
    pub label: String,
    /// One number for each label.
    pub values: Vec<f64>,
}

impl SlideSpec {
    /// Which layout this slide has.
    #[must_use]
    pub fn layout(&self) -> Layout {
        match self {
            Self::Title { .. } => Layout::Title,
            Self::Section { .. } => Layout::Section,
            Self::Bullets { .. } => Layout::Bullets,
            Self::IconRows { .. } => Layout::IconRows,
            Self::TwoColumns { .. } => Layout::TwoColumns,
            Self::ImageText { .. } => Layout::ImageText,
            Self::Figures { .. } => Layout::Figures,
            Self::Comparison { .. } => Layout::Comparison,
            Self::Timeline { .. } => Layout::Timeline,
            Self::Chart { .. } => Layout::Chart,
            Self::Quote { .. } => Layout::Quote,
            Self::Closing { .. } => Layout::Closing,
            Self::Passage { .. } => Layout::Passage,
            Self::Code { .. } => Layout::Code,
            Self::Table { .. } => Layout::Table,
            Self::Picture { .. } => Layout::Picture,
            Self::Composed { .. } => Layout::Composed,
        }
    }

    /// The slide's heading as written; of a quote page, the quotation.
    #[must_use]
    pub fn title(&self) -> &str {
        match self {
            Self::Title { title, .. }
            | Self::Section { title, .. }
            | Self::Bullets { title, .. }
            | Self::IconRows { title, .. }
            | Self::TwoColumns { title, .. }
            | Self::ImageText { title, .. }
            | Self::Figures { title, .. }
            | Self::Comparison { title, .. }
            | Self::Timeline { title, .. }
            | Self::Chart { title, .. }
            | Self::Closing { title, .. }
            | Self::Passage { title, .. }
            | Self::Code { title, .. }
            | Self::Table { title, .. }
            | Self::Picture { title, .. }
            | Self::Composed { title, .. } => title,
            Self::Quote { quote, .. } => quote,
        }
    }

    /// The pictures that were given, in the order of the page.
    pub fn pictures_mut(&mut self) -> Vec<&mut GivenPicture> {
        match self {
            Self::Picture { picture, .. } => vec![picture],
            Self::Composed { beside, parts, .. } => {
                let in_parts = parts.iter_mut().filter_map(Part::picture_mut);
                beside.iter_mut().chain(in_parts).collect()
            }
            Self::Title { picture, .. } | Self::ImageText { picture, .. } => {
                picture.iter_mut().collect()
            }
            Self::Section { .. }
            | Self::Bullets { .. }
            | Self::IconRows { .. }
            | Self::TwoColumns { .. }
            | Self::Figures { .. }
            | Self::Comparison { .. }
            | Self::Timeline { .. }
            | Self::Chart { .. }
            | Self::Quote { .. }
            | Self::Closing { .. }
            | Self::Passage { .. }
            | Self::Code { .. }
            | Self::Table { .. } => vec![],
        }
    }

    /// All text of the slide in reading order, one slot a line, without bold marks.
    #[must_use]
    pub fn plain_text(&self) -> String {
        let lines: Vec<String> = self.slots().iter().map(crate::Slot::plain).collect();
        lines.join("\n")
    }
}
