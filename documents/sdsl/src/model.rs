//! A deck as it was read. The names are those of the format; the JSON of a deck has them too.

use serde::Serialize;

use crate::lines::{is_key, is_meta_key};
use crate::text::{Cell, Cells, Comment, Hex, Line, Prose};
use crate::words::{Background, ChartKind, Closed, DslVersion, Output, SlideType};
use crate::{grammar, words};

/// A deck.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Presentation {
    pub meta: Meta,
    pub slides: Vec<Slide>,
}

/// What the front matter says of the whole deck.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meta {
    pub title: Option<Line>,
    pub author: Option<Line>,
    pub company: Option<Line>,
    /// Path of a PowerPoint template.
    pub template: Option<Line>,
    pub output: Closed<Output>,
    pub date: Option<Line>,
    pub confidentiality: Option<Line>,
    pub brand: Brand,
    pub dsl_version: Closed<DslVersion>,
    /// Words at the foot of each page instead of title and company; `none` for no words.
    pub footer: Option<Line>,
    /// `none` where pages show no number.
    pub page_number: Option<Line>,
    /// Keys that the format does not know, in order.
    pub extra: Vec<MetaExtra>,
    /// Lines that begin with `#`, without the sign.
    pub comments: Vec<Line>,
}

/// Colours and fonts of a company.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Brand {
    pub primary: Option<Closed<Hex>>,
    pub secondary: Option<Closed<Hex>>,
    pub accent: Option<Closed<Hex>>,
    pub header_font: Option<Line>,
    pub body_font: Option<Line>,
    /// Path or address of a picture.
    pub logo: Option<Line>,
}

impl Brand {
    /// What stands for a colour or font that is not given: the defaults of the format.
    pub const PRIMARY: &'static str = "1E2761";
    pub const SECONDARY: &'static str = "CADCFC";
    pub const ACCENT: &'static str = "F96167";
    pub const HEADER_FONT: &'static str = "Arial Black";
    pub const BODY_FONT: &'static str = "Calibri";
}

/// What stands for the title of a deck that has none.
pub const UNTITLED: &str = "Untitled Presentation";

/// One slide.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Slide {
    /// The name of the slide among the slides of its deck; it is not shown on the page.
    pub slide_name: Line,
    pub slide_type: Closed<SlideType>,
    pub background: Closed<Background>,
    pub layout: Option<Line>,
    pub heading: Option<Line>,
    pub subheading: Option<Line>,
    pub body: Option<Prose>,
    pub bullets: Vec<Bullet>,
    pub columns: Vec<Column>,
    pub stats: Vec<Stat>,
    pub timeline: Vec<Step>,
    pub compare: Option<Table>,
    pub chart: Option<Chart>,
    pub speaker_notes: Option<Prose>,
    /// Path or address of a picture.
    pub image: Option<Line>,
    pub source: Option<Line>,
    pub exhibit_label: Option<Line>,
    pub footnotes: Vec<Line>,
    pub next_steps: Vec<Action>,
    /// The slide of the design index that this one was made after.
    pub matched_design_id: Option<Line>,
    /// The layout of the template that the slide stands on.
    pub matched_template_layout: Option<Line>,
    /// Directives that the format does not know, in order.
    pub extra: Vec<Extra>,
    pub comments: Vec<Comment>,
}

impl Slide {
    /// A slide that has nothing but its name.
    #[must_use]
    pub fn named(slide_name: Line) -> Self {
        Self {
            slide_name,
            slide_type: Closed::default(),
            background: Closed::default(),
            layout: None,
            heading: None,
            subheading: None,
            body: None,
            bullets: Vec::new(),
            columns: Vec::new(),
            stats: Vec::new(),
            timeline: Vec::new(),
            compare: None,
            chart: None,
            speaker_notes: None,
            image: None,
            source: None,
            exhibit_label: None,
            footnotes: Vec::new(),
            next_steps: Vec::new(),
            matched_design_id: None,
            matched_template_layout: None,
            extra: Vec::new(),
            comments: Vec::new(),
        }
    }

    /// The type, which is freeform where none or an unknown one is named.
    #[must_use]
    pub fn kind(&self) -> SlideType {
        self.slide_type.get()
    }

    /// The background, which is light where none or an unknown one is named.
    #[must_use]
    pub fn ground(&self) -> Background {
        self.background.get()
    }
}

/// A point of a list.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Bullet {
    pub text: Cell,
    /// Counted from 0.
    pub level: u32,
    pub icon: Option<Line>,
}

/// One of the columns of a slide.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Column {
    pub title: Option<Line>,
    pub bullets: Vec<Bullet>,
    pub body: Option<Prose>,
}

/// A key figure.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Stat {
    pub value: Cell,
    pub label: Cell,
    pub description: Option<Line>,
}

/// A station of a timeline.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Step {
    pub time: Cell,
    pub title: Cell,
    pub description: Option<Line>,
}

/// Rows of cells, as ragged as they were written.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize)]
pub struct Table {
    #[serde(serialize_with = "crate::json::headers")]
    pub headers: Option<Cells>,
    pub rows: Vec<Cells>,
}

/// A chart: its data is in the file, or in a table of numbers beside it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Chart {
    pub kind: Closed<ChartKind>,
    pub title: Cell,
    /// Path of a table of numbers.
    pub data: Option<Line>,
    pub table: Table,
}

impl Chart {
    /// The kind, which is a column chart where none or an unknown one is named.
    #[must_use]
    pub fn drawn_as(&self) -> ChartKind {
        self.kind.get()
    }
}

/// Something to do.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Action {
    pub action: Cell,
    pub owner: Option<Line>,
    pub timeline: Option<Line>,
}

/// A directive that the format does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct Extra {
    pub key: Key,
    pub value: Line,
}

/// A key of the front matter that the format does not know.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct MetaExtra {
    pub key: MetaKey,
    pub value: Line,
}

/// The word of a directive that is not one of the format's.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct Key(String);

impl Key {
    /// `None` for a word of the format in whatever case, and for what is no word.
    #[must_use]
    pub fn new(word: &str) -> Option<Self> {
        let free =
            !word.is_empty() && word.chars().all(is_key) && grammar::directive(word).is_none();
        free.then(|| Self(word.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A key of the front matter that is not one of the format's; a nested one has the keys above it and dots.
#[derive(Debug, Clone, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct MetaKey(String);

impl MetaKey {
    /// `None` for a key of the format in whatever case, and for what cannot be a key.
    #[must_use]
    pub fn new(key: &str) -> Option<Self> {
        let free = is_meta_key(key)
            && grammar::meta_key(key).is_none()
            && !grammar::is_container(&words::spelling(key))
            && !grammar::begins_with_presentation(key);
        free.then(|| Self(key.to_owned()))
    }

    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}
