//! What was read out of a file that a person gave: a document of blocks, each with its place in the file.
//!
//! Readers of formats make these values, authors and checks read them. The words are those of the file, character for character; what a
//! format expresses by marks (bold, a superscript, a link) is stored beside the words, never inside them.

use std::fmt;

use serde::{Deserialize, Serialize};

/// A file, read.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceDocument {
    /// The format that was recognised.
    pub format: SourceFormat,
    /// The encoding that a text was decoded from, by its WHATWG name, such as `gb18030`; absent where the format fixes it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Who wrote it, and when, in the words of the file, where it says so before its text.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub author: Option<String>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub date: Option<String>,
    /// In reading order.
    pub blocks: Vec<SourceBlock>,
    /// What the file has and the blocks do not, in words for the person who gave the file.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omissions: Vec<Omission>,
}

/// The media types of pictures that pages can show, among those that are read.
const SHOWN_PICTURES: [&str; 3] = ["image/png", "image/jpeg", "image/webp"];

impl EmbeddedPicture {
    /// The media type of the picture, if pages can show it.
    #[must_use]
    pub fn shown_as(&self) -> Option<&'static str> {
        SHOWN_PICTURES
            .into_iter()
            .find(|kind| *kind == self.media_type)
    }
}

/// A format that is read.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum SourceFormat {
    #[default]
    Text,
    Markdown,
    Html,
    Csv,
    Json,
    Xlsx,
    Ods,
    Docx,
    Pptx,
    Odt,
    Odp,
    Epub,
    Pdf,
    Picture,
}

impl SourceFormat {
    /// What a person calls it.
    #[must_use]
    pub fn title(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Markdown => "Markdown",
            Self::Html => "HTML",
            Self::Csv => "CSV",
            Self::Json => "JSON",
            Self::Xlsx => "Excel workbook",
            Self::Ods => "OpenDocument spreadsheet",
            Self::Docx => "Word document",
            Self::Pptx => "PowerPoint presentation",
            Self::Odt => "OpenDocument text",
            Self::Odp => "OpenDocument presentation",
            Self::Epub => "EPUB",
            Self::Pdf => "PDF",
            Self::Picture => "picture",
        }
    }
}

/// A part of a file that is either used as a whole or not at all.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct SourceBlock {
    /// Where the block begins.
    pub location: Location,
    pub content: BlockContent,
}

/// What a block is.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum BlockContent {
    Heading {
        /// 1 is the highest.
        level: u8,
        text: RichText,
    },
    Paragraph(RichText),
    List(Vec<ListItem>),
    Table(SourceTable),
    Code {
        /// As the source names it, such as `rust`.
        language: Option<String>,
        /// Lines with their indentation, without a line break at the end.
        text: String,
    },
    /// A formula on a line of its own, in LaTeX where the source has LaTeX or something that can be written in LaTeX.
    Formula(String),
    Quotation(Vec<RichText>),
    Picture(SourcePicture),
    Note {
        kind: NoteKind,
        /// The sign by which the text refers to it, such as `1` or `note-a`.
        label: Option<String>,
        text: RichText,
    },
}

impl BlockContent {
    /// The text of a heading.
    #[must_use]
    pub fn heading(&self) -> Option<&RichText> {
        if let Self::Heading { text, .. } = self {
            Some(text)
        } else {
            None
        }
    }

    /// The text of a paragraph.
    #[must_use]
    pub fn paragraph(&self) -> Option<&RichText> {
        if let Self::Paragraph(text) = self {
            Some(text)
        } else {
            None
        }
    }

    /// What stands around the text of a document: page headers, footers and comments.
    #[must_use]
    pub fn around(&self) -> Option<&RichText> {
        if let Self::Note {
            kind: NoteKind::Furniture | NoteKind::Comment,
            text,
            ..
        } = self
        {
            Some(text)
        } else {
            None
        }
    }

    #[must_use]
    pub fn picture(&self) -> Option<&SourcePicture> {
        if let Self::Picture(picture) = self {
            Some(picture)
        } else {
            None
        }
    }
}

/// Why a text stands beside the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum NoteKind {
    /// A footnote or an endnote.
    Footnote,
    /// The notes of a speaker for a slide.
    Speaker,
    /// What a reader wrote at the margin.
    Comment,
    /// A header or footer that repeats on each page.
    Furniture,
}

/// A line of a list; its paragraphs are its text, one after the other with a line break between them.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ListItem {
    /// 0 is the outermost.
    pub level: u8,
    pub marker: ListMarker,
    pub text: RichText,
}

/// What stands before an item.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ListMarker {
    Bullet,
    /// The number of the item in its list, as the source counts.
    Number(u64),
    /// A number that the source shows in another form, as it shows it, such as `a)`, `iv.` or `2.1`.
    Label(String),
    /// A box to be ticked.
    Task {
        done: bool,
    },
}

impl ListMarker {
    /// The marker of an item with this number, which the source shows as this label.
    #[must_use]
    pub fn shown_as(number: u64, label: &str) -> Self {
        let label = label.trim();
        let digits = label.trim_matches(|sign: char| !sign.is_alphanumeric());
        if label.is_empty() || digits == number.to_string() {
            Self::Number(number)
        } else {
            Self::Label(label.to_owned())
        }
    }

    /// What stands before the line; `None` for a bullet.
    #[must_use]
    pub fn sign(&self) -> Option<String> {
        match self {
            Self::Bullet => None,
            Self::Number(number) => Some(format!("{number}.")),
            Self::Label(label) => Some(label.clone()),
            Self::Task { done } => Some(if *done { "☑" } else { "☐" }.to_owned()),
        }
    }
}

/// A table. Rows are as long as the longest; a cell that spans others is given once, the cells it covers are empty.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourceTable {
    /// Its caption, or the name of its sheet.
    pub caption: Option<String>,
    /// The number of rows at the top of `rows` that are headings of columns.
    pub head_rows: usize,
    pub rows: Vec<Vec<RichText>>,
    /// How columns are aligned, where the source says so; shorter than the rows where it says nothing about the last columns.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub align: Vec<ColumnAlign>,
    /// The type of the chart in which the file shows the table, as the format names it, such as `bar` or `line`; absent for a table.
    pub chart: Option<String>,
}

/// How a column is aligned.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum ColumnAlign {
    #[default]
    Unsaid,
    Left,
    Center,
    Right,
}

/// A picture in or beside a text.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct SourcePicture {
    /// The alternative text, empty where the source has none.
    pub alt: String,
    /// The address or path that the source writes, or the part of the package that holds it.
    pub reference: String,
    /// Its bytes where the file carries them.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub embedded: Option<EmbeddedPicture>,
}

/// The bytes of a picture that a file carries.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct EmbeddedPicture {
    /// Such as `image/png`, by its first bytes.
    pub media_type: String,
    /// Pixels; 0 where the format has none.
    pub width: u32,
    pub height: u32,
    /// The bytes are not serialised with the document, and are not kept with it for long: code that needs them reads the file.
    #[serde(skip)]
    pub bytes: Vec<u8>,
}

/// Words with their marks, such as bold.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct RichText {
    /// No piece is empty, and two neighbouring pieces differ in marks or link.
    pub pieces: Vec<TextPiece>,
}

/// Words that have the same marks.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
pub struct TextPiece {
    pub text: String,
    #[serde(default, skip_serializing_if = "TextMarks::is_plain")]
    pub marks: TextMarks,
    /// Where the link leads.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub link: Option<String>,
}

/// How words are set.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct TextMarks {
    pub bold: bool,
    pub italic: bool,
    pub strike: bool,
    pub code: bool,
    pub superscript: bool,
    pub subscript: bool,
    /// The words are LaTeX.
    pub formula: bool,
}

impl TextPiece {
    /// The words in the form that a slot takes, with their link or as a formula; bold is not marked here, since that depends on the
    /// neighbouring pieces.
    #[must_use]
    pub fn marked(&self) -> String {
        match &self.link {
            _ if self.marks.formula => format!("${}$", self.text.trim()),
            Some(address) => crate::text::linked(&self.text, address),
            None => self.text.clone(),
        }
    }
}

impl TextMarks {
    /// Whether the words have no marks.
    #[must_use]
    pub fn is_plain(&self) -> bool {
        *self == Self::default()
    }
}

impl SourceBlock {
    /// The table that the block is, if it is one.
    #[must_use]
    pub fn table(&self) -> Option<&SourceTable> {
        match &self.content {
            BlockContent::Table(table) => Some(table),
            BlockContent::Heading { .. }
            | BlockContent::Paragraph(_)
            | BlockContent::List(_)
            | BlockContent::Code { .. }
            | BlockContent::Formula(_)
            | BlockContent::Quotation(_)
            | BlockContent::Picture(_)
            | BlockContent::Note { .. } => None,
        }
    }
}

impl SourceDocument {
    /// The words of the first table, its head first.
    #[must_use]
    pub fn first_table(&self) -> Option<Vec<Vec<String>>> {
        let table = self.blocks.iter().find_map(SourceBlock::table)?;
        let row = |cells: &Vec<RichText>| cells.iter().map(RichText::words).collect();
        Some(table.rows.iter().map(row).collect())
    }
}

impl RichText {
    /// Words without marks.
    #[must_use]
    pub fn plain(text: impl Into<String>) -> Self {
        let mut rich = Self::default();
        rich.push(text, TextMarks::default(), None);
        rich
    }

    /// Adds words; they join the last piece if they have the same marks and link.
    pub fn push(&mut self, text: impl Into<String>, marks: TextMarks, link: Option<&str>) {
        let text = text.into();
        if text.is_empty() {
            return;
        }
        match self.pieces.last_mut() {
            Some(last) if last.marks == marks && last.link.as_deref() == link => {
                last.text.push_str(&text);
            }
            Some(_) | None => self.pieces.push(TextPiece {
                text,
                marks,
                link: link.map(str::to_owned),
            }),
        }
    }

    /// The words of the source, with its marks left aside.
    #[must_use]
    pub fn words(&self) -> String {
        self.pieces
            .iter()
            .map(|piece| piece.text.as_str())
            .collect()
    }

    /// Whether there is no text except white space.
    #[must_use]
    pub fn is_blank(&self) -> bool {
        self.pieces.iter().all(|piece| piece.text.trim().is_empty())
    }
}

/// Something that a file contains but its document does not.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Omission {
    pub location: Location,
    /// What it is, such as "a chart" or "12 rows after the first 200,000 cells".
    pub what: String,
    /// Why it is left out, and what can be done about it, if anything.
    pub why: String,
}

/// A place in a file. Counts begin at 1.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Location {
    /// The whole file.
    File,
    Line(usize),
    Page(usize),
    Slide(usize),
    Sheet {
        name: String,
        row: usize,
    },
    /// The paragraph or table of this number in the body.
    Paragraph(usize),
    /// A chapter by its title or its part of the package.
    Chapter(String),
    /// A place in JSON, RFC 6901.
    Pointer(String),
}

impl fmt::Display for Location {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::File => write!(f, "the file"),
            Self::Line(line) => write!(f, "line {line}"),
            Self::Page(page) => write!(f, "page {page}"),
            Self::Slide(slide) => write!(f, "slide {slide}"),
            Self::Sheet { name, row } => write!(f, "sheet \"{name}\", row {row}"),
            Self::Paragraph(number) => write!(f, "paragraph {number}"),
            Self::Chapter(name) => write!(f, "chapter \"{name}\""),
            Self::Pointer(pointer) => write!(f, "{pointer}"),
        }
    }
}
