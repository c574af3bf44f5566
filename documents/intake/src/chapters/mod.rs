//! A manuscript split into chapters: by its headings, or by the lines that people write above chapters.
//!
//! Nothing is lost: the chapters one after the other are the whole manuscript. Text that belongs to no chapter (a title, a list of
//! contents, a motto) is in a chapter before the others.

mod contents;
mod headline;
mod levels;
mod manuscript;
mod split;
#[cfg(test)]
mod tests;

use std::ops::Range;

use spec::source::{BlockContent, SourceBlock};

pub use manuscript::{Manuscript, ManuscriptChapter, manuscript, manuscript_of};
use split::{Line, split};

/// A manuscript's chapters, as places in it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChapterPlan {
    /// In reading order. Their `whole` ranges follow one another without a gap from the beginning to the end; an empty manuscript has no
    /// chapters.
    pub chapters: Vec<ChapterSpan>,
    /// What a person should know about how it was split.
    pub remarks: Vec<String>,
}

/// Where a chapter is: bytes of a text, or numbers of blocks.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChapterSpan {
    /// The line that names the volume it stands in, where there is one.
    pub volume: Option<String>,
    /// The line above it, with its number; empty if there is no such line.
    pub title: String,
    pub kind: ChapterKind,
    /// Its range with the lines above it.
    pub whole: Range<usize>,
    /// Its range without these lines.
    pub body: Range<usize>,
}

/// The kind of a part of a manuscript.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChapterKind {
    /// Before the first chapter of the manuscript or of a volume.
    FrontMatter,
    Chapter,
}

/// Splits a text without marks, by its lines. The ranges are bytes.
#[must_use]
pub fn split_text(text: &str) -> ChapterPlan {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let mut at = 0;
    for line in text.split_inclusive('\n') {
        lines.push(Line::new(line.trim(), None, at));
        at += line.len();
    }
    split(&lines, at)
}

/// Splits Markdown, by its headings that begin with `#` or by its other lines. The ranges are bytes.
#[must_use]
pub fn split_markdown(text: &str) -> ChapterPlan {
    let mut lines: Vec<Line<'_>> = Vec::new();
    let (mut at, mut is_code) = (0, false);
    for line in text.split_inclusive('\n') {
        let bare = line.trim();
        is_code ^= bare.starts_with("```");
        let words = bare.trim_start_matches('#');
        let level = bare.len() - words.len();
        let is_heading = !is_code && (1..=6).contains(&level) && words.starts_with([' ', '\t']);
        let level = u8::try_from(level).ok().filter(|_| is_heading);
        let words = if is_heading { words.trim() } else { bare };
        let mut line_of = Line::new(words, level, at);
        line_of.is_alone = is_heading;
        line_of.is_text = !bare.is_empty();
        lines.push(line_of);
        at += line.len();
    }
    split(&lines, at)
}

/// Splits a document. The ranges are numbers of blocks, counted from 0.
#[must_use]
pub fn split_blocks(blocks: &[SourceBlock]) -> ChapterPlan {
    let words: Vec<(String, Option<u8>)> = blocks.iter().map(words_of).collect();
    let mut lines: Vec<Line<'_>> = Vec::with_capacity(blocks.len());
    for (at, (words, level)) in words.iter().enumerate() {
        let mut line = Line::new(words.trim(), *level, at);
        // Each block counts as a line that stands alone, whatever its words are.
        line.is_alone = true;
        line.is_text = true;
        lines.push(line);
    }
    split(&lines, blocks.len())
}

/// The words of a block that may be a line above a chapter, and its level if it is a heading.
fn words_of(block: &SourceBlock) -> (String, Option<u8>) {
    match &block.content {
        BlockContent::Heading { level, text } => {
            let words = text.words();
            let line: Vec<&str> = words.split_whitespace().collect();
            (line.join(" "), Some(*level))
        }
        BlockContent::Paragraph(text) => (text.words(), None),
        BlockContent::List(_)
        | BlockContent::Table(_)
        | BlockContent::Code { .. }
        | BlockContent::Formula(_)
        | BlockContent::Quotation(_)
        | BlockContent::Picture(_)
        | BlockContent::Note { .. } => (String::new(), None),
    }
}
