//! What is typeset, and what that gives: pages, canvas documents, cards, and the files of slides and texts. The runner does it.

use std::fmt;

use bytes::Bytes;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
pub use spec::Placement;
use spec::{
    AnyGenDocument, CardShape, CardSpec, Furniture, LayoutReport, Misfit, SlideSpec,
    TemplateOutline, Theme,
};

use crate::hash::{Picture, Sha256};

/// Typesetting, which is free and deterministic and therefore never recorded.
#[derive(Clone, Debug, PartialEq)]
pub enum RenderJob {
    /// A page of slides; gives a [`Typeset::Page`].
    Slide {
        slide: SlideSpec,
        theme: Theme,
        place: PagePlace,
    },
    /// Slides with what is said to each, as a document for a canvas; gives a [`Typeset::Canvas`].
    Canvas {
        slides: Vec<(SlideSpec, String)>,
        theme: Theme,
        title: String,
    },
    /// Slides as files; gives a [`Typeset::Slides`].
    Slides(SlideSet),
    /// Slides as files, on more pages than there are slides where a slide has too much text; gives a [`Typeset::Paginated`].
    Paginated(SlideSet),
    /// A PowerPoint template that is read for its layouts; gives a [`Typeset::Template`].
    ReadTemplate(TemplateFile),
    /// Slides as files in a PowerPoint template; gives a [`Typeset::Paginated`].
    InTemplate(Box<TemplateJob>),
    /// A text as files; gives a [`Typeset::Text`].
    Text(TextJob),
    /// A picture card; gives a [`Typeset::Card`].
    Card(Box<CardJob>),
}

/// What typesetting gave.
#[derive(Clone, Debug, PartialEq)]
pub enum Typeset {
    Page(Box<TypesetPage>),
    Canvas(Box<AnyGenDocument>),
    Slides(Box<SlideFiles>),
    Paginated(Box<PaginatedFiles>),
    /// What slides need to know of a template, or why the template cannot be used, in words for the person who gave it.
    Template(Result<Box<TemplateReading>, String>),
    Text(Box<TextFiles>),
    Card(Box<CardPicture>),
}

impl Typeset {
    /// The files of slides on as many pages as they need, where it is these.
    #[must_use]
    pub fn paginated(&self) -> Option<&PaginatedFiles> {
        if let Self::Paginated(files) = self {
            Some(files)
        } else {
            None
        }
    }

    /// What was read of a template, where one was read.
    #[must_use]
    pub fn template(&self) -> Option<Result<&TemplateReading, &str>> {
        if let Self::Template(read) = self {
            Some(read.as_deref().map_err(String::as_str))
        } else {
            None
        }
    }
}

/// A PowerPoint template.
#[derive(Clone, PartialEq)]
pub struct TemplateFile {
    /// Of its bytes.
    pub sha256: Sha256,
    /// The code that asks for the template leaves the bytes out; the code that has the blobs puts them in.
    pub bytes: Bytes,
}

impl fmt::Debug for TemplateFile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of template {}", self.bytes.len(), self.sha256)
    }
}

/// What slides need to know of a PowerPoint template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateReading {
    pub outline: TemplateOutline,
    /// Colours and fonts of each layout, in the order of the outline.
    pub themes: Vec<Theme>,
}

/// Slides that are to stand in a PowerPoint template.
#[derive(Clone, Debug, PartialEq)]
pub struct TemplateJob {
    pub slides: SlideSet,
    pub template: TemplateFile,
    /// The layout of each slide, by its place among all layouts of the template.
    pub layouts: Vec<usize>,
}

/// A picture card that is to be drawn.
#[derive(Clone, Debug, PartialEq)]
pub struct CardJob {
    pub card: CardSpec,
    pub shape: CardShape,
    pub theme: Theme,
    /// BCP 47.
    pub language: String,
    /// The picture over which the card's text is set; without it the card is drawn from its text alone.
    pub ground: Option<Ground>,
}

/// A picture that text is set over.
#[derive(Clone, Debug, PartialEq)]
pub struct Ground {
    pub picture: Picture,
    pub placement: Placement,
    /// The bytes of the picture. The code that asks for the card leaves them out; the code that has the blobs puts them in.
    pub bytes: Bytes,
}

/// A card as it looks.
#[derive(Clone, PartialEq)]
pub struct CardPicture {
    /// PNG; absent where not all of its text can be drawn.
    pub png: Result<Bytes, LeftOut>,
    /// Pixels.
    pub width: u32,
    pub height: u32,
}

impl fmt::Debug for CardPicture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let png = self.png.as_ref().map(Bytes::len);
        write!(f, "{png:?} bytes of png, {} x {}", self.width, self.height)
    }
}

/// A text in Markdown that is to be a page and a document.
#[derive(Clone, Debug, PartialEq)]
pub struct TextJob {
    pub title: String,
    /// BCP 47.
    pub language: String,
    pub markdown: String,
}

/// What a text becomes as files.
#[derive(Clone, PartialEq)]
pub struct TextFiles {
    pub html: Bytes,
    pub docx: Bytes,
}

impl fmt::Debug for TextFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (html, docx) = (self.html.len(), self.docx.len());
        write!(f, "{html} bytes of html, {docx} of docx")
    }
}

/// Slides that become files: everything that can be seen in the files, and nothing else.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SlideSet {
    pub title: String,
    /// BCP 47.
    pub language: String,
    pub theme: Theme,
    pub slides: Vec<SpokenSlide>,
    /// The most contact sheets that its pages are put together on, for a model that looks at them; none where absent.
    pub sheets_max: Option<u32>,
    /// The text that the slides were made of. A PowerPoint file carries it, so that it can be read back.
    pub written: Option<String>,
    /// Who made the slides, as the files say.
    pub author: Option<String>,
    /// When they were made, as the files say: as the slides themselves name the day, so that the same slides are the same files.
    pub created: Option<DateTime<Utc>>,
}

/// A slide with what is said to it.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub struct SpokenSlide {
    pub slide: SlideSpec,
    pub notes: String,
    /// Whether it was written without a model.
    pub offline: bool,
    /// What stands around its content instead of the header and footer of teaching pages.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub furniture: Option<Furniture>,
}

impl SlideSet {
    /// The hash of what the files are made of: slides with the same hash become the same files.
    pub fn sha256(&self) -> Sha256 {
        let json = serde_json::to_vec(self)
            .expect("slides and themes hold only values that JSON can hold");
        Sha256::of(&json)
    }
}

/// What slides become as files.
#[derive(Clone, PartialEq)]
pub struct SlideFiles {
    /// What is wrong with its pages and what was done about it.
    pub report: LayoutReport,
    pub pptx: Bytes,
    /// Absent where not all of its text can be drawn.
    pub pdf: Result<Bytes, LeftOut>,
    /// The pages small, with what is said to each below it, as a PDF for paper. Absent where not all of its text can be drawn.
    pub handout: Result<Bytes, LeftOut>,
    /// PNG of each page whose text can be drawn, with its number, from 1: as wide as on a contact sheet where these are wanted.
    pub thumbnails: Vec<(u32, Bytes)>,
}

/// The files of slides on as many pages as they need.
#[derive(Clone, Debug, PartialEq)]
pub struct PaginatedFiles {
    pub files: SlideFiles,
    /// All pages as one page of HTML.
    pub html: Bytes,
    /// The slide of each page, counted from 0.
    pub slide_of: Vec<usize>,
    /// The pages together, where that is wanted: those that have room, in their order.
    pub sheets: Vec<ContactSheet>,
}

/// Pages together on one picture, each below a caption with its slide and part.
#[derive(Clone, PartialEq)]
pub struct ContactSheet {
    pub png: Bytes,
    /// The numbers of its pages, from 1.
    pub pages: Vec<u32>,
}

impl fmt::Debug for ContactSheet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} bytes of png, pages {:?}", self.png.len(), self.pages)
    }
}

/// Why pages cannot be drawn.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct LeftOut {
    /// The characters that no font here has.
    pub characters: String,
    /// What to do, for example which package to install.
    pub advice: String,
}

impl fmt::Debug for SlideFiles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let pdf = self.pdf.as_ref().map(Bytes::len);
        let (pptx, thumbnails) = (self.pptx.len(), self.thumbnails.len());
        write!(
            f,
            "{pptx} bytes of pptx, {pdf:?} of pdf, {thumbnails} thumbnails"
        )
    }
}

/// What typesetting a page gave.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct TypesetPage {
    /// The page fragment.
    pub html: String,
    pub misfits: Vec<Misfit>,
}

/// Where a page stands among the others.
#[derive(Clone, Debug, PartialEq)]
pub struct PagePlace {
    pub title: String,
    /// From 1.
    pub page_number: u32,
    pub page_count: u32,
    pub language: String,
    pub offline: bool,
}
