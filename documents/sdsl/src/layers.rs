//! The first reading of a file: which lines are protected, and where the front matter and the slides begin and end.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic};
use crate::lines::{self, Fences, SourceLine, key_value};
use crate::text::{Comment, is_blank, trim};

/// What a line is before anything else.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Layer {
    /// To be read as what it looks like.
    Open,
    /// A line of a block of code; `from` is the line that opens the block.
    Code { from: usize },
    /// A line of a comment; the first has what the comment says.
    Comment(Option<Comment>),
    /// Divides slides.
    Separator,
}

/// A file cut into its parts.
pub(crate) struct Layers<'a> {
    pub(crate) lines: Vec<SourceLine<'a>>,
    pub(crate) layers: Vec<Layer>,
    /// Lines of the front matter between its signs, and bytes with them.
    pub(crate) front: Option<(Range<usize>, Range<usize>)>,
    /// Lines of each block between separators.
    pub(crate) blocks: Vec<Range<usize>>,
}

/// Reads the layers of a file without its byte-order mark; `offset` is how long that is.
pub(crate) fn read<'a>(text: &'a str, offset: usize, found: &mut Vec<Diagnostic>) -> Layers<'a> {
    let lines: Vec<SourceLine<'a>> = lines::split(text)
        .map(|line| SourceLine {
            text: line.text,
            start: line.start + offset,
        })
        .collect();
    let front = front_matter(&lines, found);
    let first = front.as_ref().map_or(0, |front| front.after);
    let layers = layers(&lines, first, found);
    let mut blocks = Vec::new();
    let mut start = first;
    let separators = layers.iter().enumerate();
    for (at, _) in separators.filter(|(_, layer)| **layer == Layer::Separator) {
        blocks.push(start..at);
        start = at + 1;
    }
    blocks.push(start..lines.len());
    Layers {
        front: front.map(|front| {
            let end = lines
                .get(front.after.saturating_sub(1))
                .map_or(0, |line| line.start + line.text.len());
            let start = lines[front.inside.start - 1].start;
            (front.inside, start..end)
        }),
        lines,
        layers,
        blocks,
    }
}

struct Front {
    inside: Range<usize>,
    /// The first line behind it.
    after: usize,
}

/// The front matter, if the file begins with one: a block whose first line that is no comment is a key, and no line of which
/// looks like a slide's.
fn front_matter(lines: &[SourceLine<'_>], found: &mut Vec<Diagnostic>) -> Option<Front> {
    let open = lines.iter().position(|line| !trim(line.text).is_empty())?;
    if !lines::is_separator(lines[open].text) {
        return None;
    }
    let inside = open + 1;
    let is_comment = |line: &SourceLine<'_>| trim(line.text).starts_with('#');
    let first = lines[inside..]
        .iter()
        .find(|line| !trim(line.text).is_empty() && !is_comment(line))?;
    key_value(first.text)?;
    let of_a_slide = |line: &SourceLine<'_>| {
        line.text.starts_with('@') || line.text.starts_with("##") || line.text.starts_with("- ")
    };
    let ends = |at: &usize| lines::is_separator(lines[*at].text) || of_a_slide(&lines[*at]);
    let stop = (inside..lines.len()).find(ends).unwrap_or(lines.len());
    if lines.get(stop).is_some_and(|line| !of_a_slide(line)) {
        return Some(Front {
            inside: inside..stop,
            after: stop + 1,
        });
    }
    // It has no end. Where a slide's name follows the keys, the slides begin there; without one the block is a slide.
    let name = (inside..stop)
        .skip_while(|at| key_value(lines[*at].text).is_none())
        .find(|at| lines[*at].text.starts_with("# "));
    let closed_later = lines[stop..]
        .iter()
        .any(|line| lines::is_separator(line.text));
    let end = match name {
        Some(name) => name,
        None if closed_later => return None,
        None => stop,
    };
    found.push(Diagnostic {
        code: Code::UnclosedFrontMatter,
        message: "the front matter has no end: write a line `---` after its last key".to_owned(),
        span: lines[open].start..lines[open].start + lines[open].text.len(),
        slide: None,
    });
    Some(Front {
        inside: inside..end,
        after: end,
    })
}

fn layers(lines: &[SourceLine<'_>], first: usize, found: &mut Vec<Diagnostic>) -> Vec<Layer> {
    let texts: Vec<&str> = lines.iter().map(|line| line.text).collect();
    let mut layers = vec![Layer::Open; lines.len()];
    let mut fences = Fences::default();
    // Comments that begin before this line have no end.
    let mut open_until = first;
    let mut at = first;
    while at < texts.len() {
        let line = trim(texts[at]);
        let span = lines[at].start..lines[at].start + lines[at].text.len();
        if let Some(end) = fences.opened(&texts, at) {
            if let Some(end) = end {
                layers[at..=end].fill(Layer::Code { from: at });
                at = end + 1;
                continue;
            }
            found.push(Diagnostic {
                code: Code::UnclosedFence,
                message: format!(
                    "the block of code that begins with `{line}` has no end: close it with a line of the same signs"
                ),
                span,
                slide: None,
            });
        } else if line.starts_with("<!--") {
            let read = match at < open_until {
                true => Err(open_until),
                false => comment(&texts, at),
            };
            match read {
                Ok((end, comment)) => {
                    layers[at..=end].fill(Layer::Comment(None));
                    layers[at] = Layer::Comment(comment);
                    at = end + 1;
                    continue;
                }
                Err(until) => open_until = until,
            }
            if !line.contains("-->") {
                found.push(Diagnostic {
                    code: Code::UnclosedComment,
                    message: "the comment has no end before the slide's: write `-->` at the end of a line".to_owned(),
                    span,
                    slide: None,
                });
            }
        } else if lines::is_separator(texts[at]) {
            layers[at] = Layer::Separator;
        }
        at += 1;
    }
    layers
}

/// The last line of the comment that begins in this line, and what the comment says. What has no end, or has text behind its end,
/// is not a comment. The error is then the line up to which this holds for every comment that begins before it.
fn comment(lines: &[&str], from: usize) -> Result<(usize, Option<Comment>), usize> {
    let mut said = String::new();
    for (at, line) in lines.iter().enumerate().skip(from) {
        if at > from && lines::is_separator(line) {
            return Err(at);
        }
        let line = match at == from {
            true => trim(line).strip_prefix("<!--").unwrap_or(line),
            false => line,
        };
        if let Some((last, behind)) = line.split_once("-->") {
            said.push_str(last);
            let alone = behind.trim_matches(is_blank).is_empty();
            return match alone {
                true => Ok((at, Comment::new(&said))),
                false => Err(at),
            };
        }
        said.push_str(line);
        said.push('\n');
    }
    Err(lines.len())
}
