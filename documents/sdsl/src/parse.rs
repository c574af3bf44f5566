//! Reading a deck: never fails, loses nothing, and says what looked wrong.

use std::ops::Range;

use crate::diagnostic::{Code, Diagnostic, Mode, Severity};
use crate::layers::{self, Layer, Layers};
use crate::lines::{self, Form, SourceLine};
use crate::model::Presentation;
use crate::slide::Reader;
use crate::text::{Comment, Line, trim};
use crate::words::{Closed, Value, spelling};
use crate::{content, front};

/// What a file was read as.
#[derive(Debug, Clone)]
pub struct Parsed {
    pub presentation: Presentation,
    /// What looked wrong, in the order of the file.
    pub diagnostics: Vec<Diagnostic>,
    /// Bytes of the front matter with its signs.
    pub front_matter: Option<Range<usize>>,
    /// Bytes of each slide, without the separators around it.
    pub spans: Vec<Range<usize>>,
}

impl Parsed {
    /// Whether nothing is an error in this mode.
    #[must_use]
    pub fn passes(&self, mode: Mode) -> bool {
        self.diagnostics
            .iter()
            .all(|diagnostic| diagnostic.code.severity(mode) < Severity::Error)
    }

    /// The faults for which a deck goes back to the model that wrote it.
    pub fn invalid(&self) -> impl Iterator<Item = &Diagnostic> {
        self.diagnostics.iter().filter(|d| d.code.is_invalid())
    }
}

/// Reads a deck.
#[must_use]
pub fn parse(text: &str) -> Parsed {
    let bare = text.trim_start_matches('\u{feff}');
    let mut report = Report::default();
    let layers = layers::read(bare, text.len() - bare.len(), &mut report.found);
    let mut presentation = Presentation::default();
    if let Some((inside, _)) = &layers.front {
        presentation.meta = front::read(&layers.lines[inside.clone()], &mut report);
    }
    let mut spans = Vec::new();
    let mut early: Vec<Comment> = Vec::new();
    for block in &layers.blocks {
        for (part, is_second) in parts(&layers, block.clone()) {
            report.slide = Some(presentation.slides.len());
            if is_second {
                let line = &layers.lines[part.start];
                let message = "a slide begins here without a line `---` before it".to_owned();
                report.add(Code::MissingSeparator, line, message);
            }
            let mut reader = Reader::new(&layers, part.clone(), &mut report);
            let number = presentation.slides.len() + 1;
            match reader.read(number) {
                Some(mut slide) => {
                    slide.comments.splice(0..0, early.drain(..));
                    content::check(
                        &slide,
                        span(&layers, part.start, part.start + 1),
                        &mut report,
                    );
                    presentation.slides.push(slide);
                    spans.push(trimmed(&layers, part));
                }
                None => early.extend(reader.into_comments()),
            }
        }
    }
    report.slide = None;
    keep_comments(&mut presentation, early);
    if presentation.slides.is_empty() {
        report.found.push(Diagnostic {
            code: Code::NoSlides,
            message: "there is no slide: begin one with a line `# Name`".to_owned(),
            span: 0..0,
            slide: None,
        });
    }
    let mut diagnostics = report.found;
    for diagnostic in &mut diagnostics {
        let about = |span: &Range<usize>| span.contains(&diagnostic.span.start);
        diagnostic.slide = diagnostic.slide.or_else(|| spans.iter().position(about));
    }
    diagnostics.sort_by_key(|diagnostic| diagnostic.span.start);
    Parsed {
        presentation,
        diagnostics,
        front_matter: layers.front.map(|(_, bytes)| bytes),
        spans,
    }
}

/// Comments behind the last slide are its own; without a slide they are the deck's.
fn keep_comments(presentation: &mut Presentation, comments: Vec<Comment>) {
    if let Some(slide) = presentation.slides.last_mut() {
        slide.comments.extend(comments);
        return;
    }
    for comment in &comments {
        let lines = comment.as_str().split('\n');
        presentation
            .meta
            .comments
            .extend(lines.filter_map(Line::new));
    }
}

/// The slides in a block: each further `# Name` begins one, but not inside of speaker notes.
fn parts(layers: &Layers<'_>, block: Range<usize>) -> Vec<(Range<usize>, bool)> {
    let mut starts = vec![block.start];
    let (mut named, mut in_notes) = (false, false);
    for at in block.clone() {
        if layers.layers[at] != Layer::Open {
            continue;
        }
        match lines::form(layers.lines[at].text) {
            Form::Name(name) if !in_notes && !name.is_empty() => {
                if named {
                    starts.push(at);
                }
                named = true;
            }
            Form::Directive(directive) => in_notes = spelling(directive.key) == "notes",
            Form::Name(_) | Form::Heading { .. } | Form::Point(_) | Form::Text => {}
        }
    }
    let ends = starts.iter().skip(1).copied().chain([block.end]);
    let ranges = starts.iter().zip(ends).enumerate();
    ranges
        .map(|(at, (start, end))| (*start..end, at > 0))
        .collect()
}

fn span(layers: &Layers<'_>, from: usize, to: usize) -> Range<usize> {
    let end = |line: &SourceLine<'_>| line.start + line.text.len();
    match layers.lines.get(from) {
        Some(first) => first.start..end(&layers.lines[to.clamp(from + 1, layers.lines.len()) - 1]),
        None => 0..0,
    }
}

/// The bytes of a slide, without empty lines around it.
fn trimmed(layers: &Layers<'_>, part: Range<usize>) -> Range<usize> {
    let full = |at: &usize| !trim(layers.lines[*at].text).is_empty();
    let start = part.clone().find(full).unwrap_or(part.start);
    let end = part.clone().rfind(full).map_or(part.end, |at| at + 1);
    span(layers, start, end)
}

/// What is found while a deck is read.
#[derive(Default)]
pub(crate) struct Report {
    pub(crate) found: Vec<Diagnostic>,
    /// The slide that is being read.
    pub(crate) slide: Option<usize>,
}

impl Report {
    pub(crate) fn add(&mut self, code: Code, line: &SourceLine<'_>, message: String) {
        let text = line.text.trim_end();
        let indent = line.text.len() - line.text.trim_start().len();
        let start = line.start + indent.min(text.len());
        self.at(code, start..line.start + text.len(), message);
    }

    pub(crate) fn at(&mut self, code: Code, span: Range<usize>, message: String) {
        self.found.push(Diagnostic {
            code,
            message,
            span,
            slide: self.slide,
        });
    }

    pub(crate) fn empty(&mut self, line: &SourceLine<'_>, key: &str) {
        let message = format!("`{key}` has no value: it counts as if it were not there");
        self.add(Code::EmptyValue, line, message);
    }

    pub(crate) fn repeated(&mut self, line: &SourceLine<'_>, key: &str) {
        let message = format!("`{key}` is there a second time: only the last one counts");
        self.add(Code::RepeatedKey, line, message);
    }

    pub(crate) fn wide_colon(&mut self, line: &SourceLine<'_>, key: &str) {
        let message = format!("the colon after `{key}` is full-width: write `:`");
        self.add(Code::FullWidthColon, line, message);
    }

    pub(crate) fn spelled(&mut self, line: &SourceLine<'_>, written: &str, word: &str) {
        let message = format!("`{written}` is read as `{word}`: write it so");
        self.add(Code::ValueCase, line, message);
    }

    /// Reads a closed value, and reports an unknown word or another spelling.
    pub(crate) fn closed<T>(&mut self, key: &str, value: Line, line: &SourceLine<'_>) -> Closed<T>
    where
        T: crate::words::Word + Value,
    {
        let written = value.to_string();
        let closed = Closed::<T>::read(value);
        match closed.value() {
            Some(word) if word.as_str() != written => self.spelled(line, &written, word.as_str()),
            Some(_) => {}
            None => {
                let words: Vec<&str> = T::ALL.iter().map(|word| word.as_str()).collect();
                let code = match key {
                    "type" => Code::UnknownType,
                    _ => Code::UnknownValue,
                };
                let message = format!(
                    "`{written}` is no {key}: {} is drawn; there are {}",
                    T::default().as_str(),
                    words.join(", ")
                );
                self.add(code, line, message);
            }
        }
        closed
    }

    /// Reports required fields that are empty, and fields behind the last one of the form.
    pub(crate) fn field_count(
        &mut self,
        line: &SourceLine<'_>,
        fields: &[String],
        names: &[&str],
        extra: bool,
    ) {
        let empty = |at: usize| fields.get(at).is_none_or(String::is_empty);
        let missing: Vec<&str> = (0..names.len())
            .filter(|at| empty(*at))
            .map(|at| names[at])
            .collect();
        if !missing.is_empty() {
            let message = format!(
                "{} is missing: write it between bars",
                missing.join(" and ")
            );
            self.add(Code::MissingField, line, message);
        }
        if extra {
            let message = "there are more fields than the form has: the rest stays in the last one; write `\\|` for a bar in a text".to_owned();
            self.add(Code::ExtraField, line, message);
        }
        if fields.iter().any(|field| field.contains('｜')) {
            let message = "a full-width bar divides nothing: write `|` if it should".to_owned();
            self.add(Code::FullWidthBar, line, message);
        }
    }
}
