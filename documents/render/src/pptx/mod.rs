//! A deck as a PowerPoint file that can be edited: real layouts and placeholders, text that flows, native charts and
//! tables, colours and fonts of a theme.
//!
//! The file is written by us: no library writes all of this so that PowerPoint opens it without repair. What is written
//! goes through [`gate::check`] before it is given out.

pub(crate) mod alt;
mod art;
mod chart;
mod clip;
mod colors;
mod flow;
pub mod gate;
mod layouts;
mod master;
mod names;
mod notes;
mod package;
mod placeholders;
mod props;
#[cfg(test)]
mod samples;
mod shades;
mod shapes;
mod slide;
mod table;
pub mod template;
#[cfg(test)]
mod tests;
mod text;
mod theme;
mod units;
mod workbook;
mod written;
mod xml;

use spec::Theme;
use thiserror::Error;

use crate::palette::Palette;
use crate::{DeckPage, FileAbout};
use colors::Scheme;
use package::{Kind, Package, Relations};

/// More pages than any deck of ours has; the ids of a file's slides and parts have room for many more.
pub const PAGES_MAX: usize = 500;

/// How texts keep their lines.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum TextMode {
    /// A paragraph is one paragraph and flows again when it is edited; only headings keep their lines.
    #[default]
    Reflow,
    /// Every line ends where it was measured, as a line break in the paragraph.
    Pinned,
}

/// What the file says of itself.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct Meta {
    pub about: FileAbout,
    /// BCP 47, for example `zh-CN`.
    pub language: String,
    pub mode: TextMode,
    /// The text that the deck was made of, which the file carries where nobody sees it.
    pub written: Option<String>,
}

/// Why there is no file.
#[derive(Debug, Error)]
pub enum PptxError {
    #[error("a deck without pages cannot be written")]
    NoPages,
    #[error("the deck has {0} pages, at most {PAGES_MAX} can be written")]
    TooManyPages(usize),
    #[error(
        "page {page} is {found:?} pixels while the first is {first:?}: a file has one page size"
    )]
    MixedSizes {
        page: usize,
        first: (f32, f32),
        found: (f32, f32),
    },
    #[error("a page of {0:?} pixels is not between 1 and 56 inches")]
    PageSize((f32, f32)),
    #[error("the drawing on page {page} cannot be read: {says}")]
    Drawing { page: usize, says: String },
    #[error("the workbook of a chart was not written: {0}")]
    Workbook(#[from] rust_xlsxwriter::XlsxError),
    #[error("the archive was not written: {0}")]
    Zip(String),
    #[error("the file has defects: {}", gate::listed(.0))]
    Defects(Vec<gate::Defect>),
}

impl PptxError {
    fn zip(error: impl std::fmt::Display) -> Self {
        Self::Zip(error.to_string())
    }
}

/// What every part of the file needs to know of the deck.
#[derive(Clone)]
struct Deck<'a> {
    pages: &'a [DeckPage],
    meta: &'a Meta,
    mode: TextMode,
    palette: Palette,
    scheme: Scheme,
    /// Width and height of a page in CSS pixels.
    size: (f32, f32),
    /// The language of the runs.
    language: String,
    other_language: &'static str,
    /// Whether its pages begin at the right.
    rtl: bool,
    /// Whether formulas are written as such; else in words, for programs that know no formulas.
    has_formulas: bool,
}

/// Least and greatest length of a page's side in CSS pixels: the format allows 1 to 56 inches.
const SIDE: std::ops::RangeInclusive<f32> = 96.0..=5376.0;

/// The deck as a file. The same deck gives the same bytes.
///
/// # Errors
/// When there are no pages or too many or of different sizes, when decoration is not SVG, and when the file would have
/// a defect that [`gate::check`] finds.
pub fn write(pages: &[DeckPage], theme: &Theme, meta: &Meta) -> Result<Vec<u8>, PptxError> {
    let bytes = assembled(&deck(pages, theme, meta)?, theme)?;
    let defects = gate::check(&bytes);
    if defects.is_empty() {
        Ok(bytes)
    } else {
        Err(PptxError::Defects(defects))
    }
}

fn deck<'a>(pages: &'a [DeckPage], theme: &Theme, meta: &'a Meta) -> Result<Deck<'a>, PptxError> {
    let size = pages.first().ok_or(PptxError::NoPages)?.scene.size;
    if pages.len() > PAGES_MAX {
        return Err(PptxError::TooManyPages(pages.len()));
    }
    if !SIDE.contains(&size.0) || !SIDE.contains(&size.1) {
        return Err(PptxError::PageSize(size));
    }
    if let Some(at) = pages.iter().position(|page| page.scene.size != size) {
        return Err(PptxError::MixedSizes {
            page: at + 1,
            first: size,
            found: pages[at].scene.size,
        });
    }
    let palette = Palette::new(theme);
    let (language, other_language) = text::languages(&meta.language);
    Ok(Deck {
        pages,
        meta,
        mode: meta.mode,
        scheme: Scheme::new(&palette),
        palette,
        size,
        language,
        other_language,
        rtl: spec::text::is_right_to_left(&meta.language),
        has_formulas: true,
    })
}

/// The parts in the order of PowerPoint's own files.
fn assembled(deck: &Deck<'_>, theme: &Theme) -> Result<Vec<u8>, PptxError> {
    let mut package = Package::default();
    let mut root = Relations::default();
    root.to(Kind::Presentation, props::PRESENTATION);
    root.to(Kind::CoreProperties, props::CORE);
    root.to(Kind::ExtendedProperties, props::APP);
    props::put(&mut package, deck);
    let typefaces = theme::Typefaces::new(deck.pages, theme);
    let themes = [
        (master::THEME, deck.scheme.clone()),
        (notes::THEME, deck.scheme.on_paper()),
    ];
    for (part, scheme) in themes {
        let xml = theme::xml(&theme.theme_name, &scheme, &typefaces);
        package.put(part, Kind::Theme, xml, Relations::default());
    }
    master::put(&mut package, deck, theme);
    layouts::put(&mut package, deck, theme);
    notes::put_master(&mut package, deck, notes::THEME);
    let mut named = names::Named::default();
    for (at, page) in deck.pages.iter().enumerate() {
        slide::put(&mut package, deck, at, page, &mut named)?;
    }
    if let Some(text) = &deck.meta.written {
        written::put(&mut package, text);
    }
    package.zip(&root)
}
