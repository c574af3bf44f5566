//! A file as a manuscript: it is read and split, and the text of each chapter is given separately.

use spec::book::TextForm;
use spec::source::{Omission, SourceBlock, SourceDocument, SourceFormat};

use super::{ChapterKind, ChapterPlan, split_blocks, split_markdown, split_text};
use crate::{IntakeLimits, Reading, Unreadable, encoding, readers};

/// A manuscript in chapters.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Manuscript {
    /// The format that was recognised.
    pub format: SourceFormat,
    /// The encoding of a text, by its WHATWG name.
    pub encoding: Option<String>,
    /// In reading order.
    pub chapters: Vec<ManuscriptChapter>,
    /// How it was split, in words for the person who gave the file.
    pub remarks: Vec<String>,
    /// What the file contains and the chapters do not.
    pub omissions: Vec<Omission>,
}

/// A chapter of a manuscript with its text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ManuscriptChapter {
    /// The line that names its volume.
    pub volume: Option<String>,
    /// The line above it; empty where there is none.
    pub title: String,
    pub kind: ChapterKind,
    pub form: TextForm,
    /// The text below the title: for a text or Markdown its lines unchanged, for every other format Markdown.
    pub text: String,
}

/// Reads a file of any format as a manuscript.
///
/// `name`, `bytes`, `limits` and `stop` are those of [`crate::read`]. A text and Markdown are split by their lines, in any encoding that
/// can be recognised; every other format is split by its blocks.
///
/// # Errors
///
/// Those of [`crate::read`]; a text with more characters than a document may have is refused, not cut.
pub fn manuscript(
    name: &str,
    bytes: &[u8],
    limits: &IntakeLimits,
    stop: &dyn Fn() -> bool,
) -> Result<Manuscript, Unreadable> {
    let (format, mut manuscript) = crate::read_by(name, bytes, limits, stop, |format, reading| {
        let extension = crate::detect::extension(reading.name);
        let is_prose = format == SourceFormat::Text && readers::language(&extension).is_none();
        if is_prose || format == SourceFormat::Markdown {
            return of_text(format, reading);
        }
        Ok(manuscript_of(&readers::read(format, reading)?))
    })?;
    manuscript.format = format;
    Ok(manuscript)
}

/// Splits a document that was read.
#[must_use]
pub fn manuscript_of(document: &SourceDocument) -> Manuscript {
    let plan = split_blocks(&document.blocks);
    let text = |blocks: &[SourceBlock]| {
        crate::markdown(&SourceDocument {
            blocks: blocks.to_vec(),
            ..SourceDocument::default()
        })
    };
    let mut manuscript = told(plan, TextForm::Markdown, |body| {
        text(&document.blocks[body])
    });
    manuscript.format = document.format;
    manuscript.encoding.clone_from(&document.encoding);
    manuscript.omissions.clone_from(&document.omissions);
    manuscript
}

fn of_text(format: SourceFormat, reading: &Reading<'_>) -> Result<Manuscript, Unreadable> {
    let decoded = encoding::lines(reading.bytes);
    decoded.check(format)?;
    let chars = decoded.text.chars().count();
    if chars > reading.limits.chars {
        return Err(Unreadable::TooLarge {
            what: "characters",
            value: chars as u64,
            most: reading.limits.chars as u64,
        });
    }
    reading.go_on()?;
    let (plan, form) = if format == SourceFormat::Markdown {
        (split_markdown(&decoded.text), TextForm::Markdown)
    } else {
        (split_text(&decoded.text), TextForm::Prose)
    };
    let mut manuscript = told(plan, form, |body| decoded.text[body].to_owned());
    let mut said = SourceDocument::default();
    decoded.note(&mut said);
    manuscript.encoding = said.encoding;
    manuscript.omissions = said.omissions;
    Ok(manuscript)
}

fn told(
    plan: ChapterPlan,
    form: TextForm,
    text: impl Fn(std::ops::Range<usize>) -> String,
) -> Manuscript {
    let chapters = plan.chapters.into_iter().map(|span| ManuscriptChapter {
        volume: span.volume,
        title: span.title,
        kind: span.kind,
        form,
        text: text(span.body),
    });
    Manuscript {
        chapters: chapters.collect(),
        remarks: plan.remarks,
        ..Manuscript::default()
    }
}
