//! Glyphs of a page, made into segments in the order in which they are drawn.

use std::panic::resume_unwind;

use hayro_interpret::font::{Glyph, GlyphRun};
use hayro_interpret::hayro_cmap::BfString;
use hayro_interpret::hayro_syntax::object::{Dict, String as PdfString};
use hayro_interpret::kurbo::{Affine, BezPath, Point};
use hayro_interpret::{
    BlendMode, ClipPath, Device, DrawMode, DrawProps, Image, ImageDrawProps, SoftMask,
};
use spec::source::TextMarks;
use unicode_normalization::UnicodeNormalization as _;

use super::pictures::{self, Pictures};
use super::segment::{PageText, Segment, WIDE};
use crate::readers::scripts::is_unspaced;
use crate::{Reading, budget};

/// Like [`WIDE`], but where the file begins a new instruction and draws no blank: the cells of a narrow table.
const APART: f64 = 0.45;

pub(super) struct Collector<'p> {
    page: PageText,
    pictures: &'p mut Pictures,
    reading: &'p Reading<'p>,
    current: Option<Segment>,
    /// A blank was drawn after the last character.
    blank: bool,
    /// The next character begins what the file draws with one instruction.
    begins: bool,
    last: Option<Drawn>,
    marked: Vec<Marked>,
    /// How many of the marked parts are artifacts.
    artifacts: usize,
    /// The words of marked parts, which are taken once in place of what is drawn.
    actual: Vec<Option<String>>,
    left: usize,
}

/// What a marked part of the page says of itself.
struct Marked {
    artifact: bool,
    has_words: bool,
}

/// The run that was drawn last, to recognise it when it is drawn again for a shadow or to look bold.
#[derive(PartialEq)]
struct Drawn {
    codes: Vec<u32>,
    at: (f64, f64),
}

/// A character in its place.
struct Placed {
    text: String,
    x0: f64,
    x1: f64,
    y: f64,
    size: f64,
    turn: u8,
}

impl<'p> Collector<'p> {
    pub(super) fn new(
        height: f64,
        most_chars: usize,
        pictures: &'p mut Pictures,
        reading: &'p Reading<'p>,
    ) -> Self {
        Self {
            page: PageText {
                height,
                ..PageText::default()
            },
            pictures,
            reading,
            current: None,
            blank: false,
            begins: true,
            last: None,
            marked: Vec::new(),
            artifacts: 0,
            actual: Vec::new(),
            left: most_chars,
        }
    }

    pub(super) fn finish(mut self) -> PageText {
        self.end_segment();
        self.page
    }

    fn end_segment(&mut self) {
        if let Some(segment) = self.current.take()
            && !segment.text.is_blank()
        {
            self.charge(std::mem::size_of::<Segment>() + budget::weight(&segment.text));
            self.page.segments.push(segment);
        }
        self.blank = false;
    }

    /// Ends the reading of the file from within the library if it takes too much or is stopped.
    fn charge(&self, bytes: usize) {
        if let Err(refusal) = self.reading.charge(bytes) {
            resume_unwind(Box::new(refusal));
        }
    }

    fn is_drawn_again(&mut self, run: &GlyphRun<'_, '_>, transform: Affine) -> bool {
        let Some(first) = run.glyphs().first() else {
            return true;
        };
        let place = transform * first.transform();
        let (origin, size) = (place * Point::ZERO, size_of(place));
        let drawn = Drawn {
            codes: run.glyphs().iter().map(|glyph| glyph.char_code()).collect(),
            at: (origin.x, origin.y),
        };
        let again = self.last.as_ref().is_some_and(|last| {
            let near = |a: f64, b: f64| (a - b).abs() < 0.12 * size;
            last.codes == drawn.codes && near(last.at.0, origin.x) && near(last.at.1, origin.y)
        });
        self.last = Some(drawn);
        again
    }

    fn glyph(&mut self, glyph: &Glyph<'_>, place: Affine, style: &Style) {
        let text = match self.actual.last_mut() {
            Some(actual) => actual.take().unwrap_or_default(),
            None => match glyph.as_unicode() {
                Some(BfString::Char(character)) => usual(&character.to_string()),
                Some(BfString::String(text)) => usual(&text),
                None => {
                    self.page.unmapped += 1;
                    return;
                }
            },
        };
        let width = match glyph {
            Glyph::Outline(outline) => outline.advance_width(),
            Glyph::Type3(drawing) => drawing.advance_width(),
        };
        if let Some(placed) = Placed::new(text, place, f64::from(width.unwrap_or(500.0))) {
            self.place(&placed, style);
        }
    }

    fn place(&mut self, placed: &Placed, style: &Style) {
        if placed.text.trim().is_empty() {
            if placed.text.is_empty() {
                self.widen(placed);
            } else {
                self.blank = true;
            }
            return;
        }
        let count = placed.text.chars().count();
        if count > self.left {
            self.page.beyond += count;
            return;
        }
        self.left -= count;
        self.page.chars += count;
        let is_apart = std::mem::take(&mut self.begins) && !self.blank;
        let most = if is_apart { APART } else { WIDE };
        if !self
            .current
            .as_ref()
            .is_some_and(|last| placed.follows(last, most))
        {
            self.end_segment();
        }
        let artifact = self.artifacts > 0;
        let segment = self.current.get_or_insert_with(|| Segment {
            x0: placed.x0,
            x1: placed.x0,
            y: placed.y,
            size: placed.size,
            mono: true,
            turn: placed.turn,
            artifact,
            ..Segment::default()
        });
        placed.add_to(segment, self.blank, style);
        self.blank = false;
    }

    /// Glyphs whose words were already taken still take up space.
    fn widen(&mut self, placed: &Placed) {
        if let Some(last) = &mut self.current
            && placed.follows(last, WIDE)
        {
            last.x1 = last.x1.max(placed.x1);
        }
    }
}

impl Placed {
    fn new(text: String, place: Affine, width: f64) -> Option<Self> {
        let [a, b, ..] = place.as_coeffs();
        let size = size_of(place);
        let advance = a.hypot(b) * width;
        let origin = place * Point::ZERO;
        let is_usual = [size, advance, origin.x, origin.y]
            .iter()
            .all(|value| value.is_finite() && value.abs() < 1e6);
        if !is_usual || size <= 0.0 {
            return None;
        }
        // Text that runs vertically or upside down is turned, so that its lines run from left to right as well.
        let (turn, x, y) = if a.abs() >= b.abs() {
            if a >= 0.0 {
                (0, origin.x, origin.y)
            } else {
                (2, -origin.x, -origin.y)
            }
        } else if b < 0.0 {
            (3, -origin.y, origin.x)
        } else {
            (1, origin.y, -origin.x)
        };
        Some(Self {
            text,
            x0: x,
            x1: x + advance,
            y,
            size,
            turn,
        })
    }

    /// Whether it stands on the line of `last`, after it and at a distance of at most `most` times the width of an em.
    fn follows(&self, last: &Segment, most: f64) -> bool {
        let size = self.size.max(last.size);
        let gap = self.x0 - last.x1;
        let rise = (self.y - last.y).abs();
        // Smaller signs above or below the line belong to its word.
        let is_script = self.size < 0.85 * last.size && rise < 0.6 * size && gap < 0.4 * size;
        let is_level = rise < 0.25 * size;
        let is_after_script = last.size < 0.85 * self.size
            && (0.1 * size..0.6 * size).contains(&rise)
            && gap < 0.4 * size
            && last.x1 - last.x0 < 3.0 * last.size;
        let is_line = is_level || is_script || is_after_script;
        self.turn == last.turn && is_line && gap < most * size && gap > -0.5 * size
    }

    fn add_to(&self, segment: &mut Segment, blank: bool, style: &Style) {
        let gap = self.x0 - segment.x1;
        let before = segment
            .text
            .pieces
            .last()
            .and_then(|piece| piece.text.chars().last());
        let after = self.text.chars().next();
        let is_tight = before
            .zip(after)
            .is_some_and(|(before, after)| is_unspaced(before) && is_unspaced(after));
        // Typesetters shrink the blanks of a line to an eighth of an em, and never part letters by as much.
        let wide = if is_tight { 0.6 } else { 0.115 };
        let mut marks = style.marks;
        if self.size < 0.85 * segment.size {
            let rise = segment.y - self.y;
            marks.superscript = rise > 0.15 * segment.size;
            marks.subscript = rise < -0.08 * segment.size;
        }
        if before.is_some() && (blank || gap > wide * self.size) {
            segment.first_word.get_or_insert(segment.x1);
            let last = segment.text.pieces.last().map(|piece| piece.marks);
            let both = if last == Some(marks) {
                marks
            } else {
                TextMarks::default()
            };
            segment.text.push(" ", both, None);
        }
        let is_script = marks.superscript || marks.subscript;
        if !is_script && self.size > segment.size {
            if self.y - segment.y > 0.1 * self.size && self.size * 0.85 > segment.size {
                for piece in &mut segment.text.pieces {
                    piece.marks.superscript = true;
                }
            }
            segment.size = self.size;
            segment.y = self.y;
        }
        segment.text.push(self.text.as_str(), marks, None);
        segment.x1 = segment.x1.max(self.x1);
        segment.mono &= style.mono;
        if is_tight {
            segment.first_word.get_or_insert(segment.x0 + self.size);
        }
    }
}

#[derive(Default)]
struct Style {
    marks: TextMarks,
    mono: bool,
}

fn style(run: &GlyphRun<'_, '_>) -> Style {
    let Some(Glyph::Outline(outline)) = run.glyphs().first().map(|glyph| &**glyph) else {
        return Style::default();
    };
    let Some(font) = outline.font_data() else {
        return Style {
            mono: is_mono(run),
            ..Style::default()
        };
    };
    let name = font.postscript_name.unwrap_or_default().to_lowercase();
    Style {
        marks: TextMarks {
            bold: font.weight.is_some_and(|weight| weight >= 600) || name.contains("bold"),
            italic: font.is_italic || name.contains("italic") || name.contains("oblique"),
            ..TextMarks::default()
        },
        mono: font.is_monospace || name.contains("mono") || name.contains("courier"),
    }
}

/// Old fonts do not say that all their letters have the same width. In monospaced fonts this width is three fifths of an em.
fn is_mono(run: &GlyphRun<'_, '_>) -> bool {
    let mut has_letters = false;
    let is_even = run.glyphs().iter().all(|glyph| {
        has_letters |= !matches!(glyph.as_unicode(), Some(BfString::Char('0'..='9' | ' ')));
        match &**glyph {
            Glyph::Outline(outline) => outline
                .advance_width()
                .is_some_and(|width| (width - 600.0).abs() < 5.0),
            Glyph::Type3(_) => false,
        }
    });
    is_even && has_letters
}

fn size_of(place: Affine) -> f64 {
    let [.., c, d, _, _] = place.as_coeffs();
    1000.0 * c.hypot(d)
}

/// Replaces characters by usual ones: fonts use joined letters, radicals, and bullets from private areas.
fn usual(text: &str) -> String {
    text.chars()
        .flat_map(|character| {
            match character {
                '\u{FB00}'..='\u{FB06}' | '\u{2E80}'..='\u{2FD5}' => {
                    character.to_string().nfkc().collect()
                }
                '\u{F0B7}' | '\u{F0A7}' => "•".to_owned(),
                '\u{A0}' | '\t' | '\n' | '\r' => " ".to_owned(),
                '\0'..='\u{1F}' | '\u{FFFD}' | '\u{FEFF}' | '\u{200B}' => String::new(),
                _ => character.to_string(),
            }
            .chars()
            .collect::<Vec<_>>()
        })
        .collect()
}

/// A text of a PDF that is not on a page.
fn decoded(text: &PdfString<'_>) -> String {
    match text.as_bytes() {
        bytes @ ([0xFE, 0xFF, ..] | [0xEF, 0xBB, 0xBF, ..]) => crate::xml::text(bytes).into_owned(),
        bytes => bytes.iter().map(|byte| char::from(*byte)).collect(),
    }
}

impl<'a> Device<'a> for Collector<'_> {
    fn draw_glyph_run(&mut self, run: &GlyphRun<'_, 'a>, props: DrawProps<'a>, _: &DrawMode) {
        self.charge(0);
        if self.is_drawn_again(run, props.transform) {
            return;
        }
        let style = style(run);
        self.begins = true;
        for glyph in run.glyphs() {
            self.glyph(glyph, props.transform * glyph.transform(), &style);
        }
    }

    fn draw_image(&mut self, image: Image<'a, '_>, props: ImageDrawProps<'a>) {
        self.charge(0);
        self.page.drawn += 1;
        match self.pictures.draw(&image, props.transform) {
            pictures::Drawn::Taken(picture) => self.page.pictures.push(picture),
            pictures::Drawn::Left => self.page.untaken += 1,
            pictures::Drawn::Again => {}
        }
    }

    fn begin_marked_content(&mut self, tag: &[u8], properties: Option<&Dict<'_>>) {
        let actual =
            properties.and_then(|properties| properties.get::<PdfString<'_>>("ActualText"));
        let mark = Marked {
            artifact: tag == b"Artifact",
            has_words: actual.is_some(),
        };
        self.artifacts += usize::from(mark.artifact);
        self.actual.extend(actual.map(|text| Some(decoded(&text))));
        self.marked.push(mark);
    }

    fn end_marked_content(&mut self) {
        let Some(mark) = self.marked.pop() else {
            return;
        };
        self.artifacts -= usize::from(mark.artifact);
        if mark.has_words {
            self.actual.pop();
        }
    }

    fn draw_path(&mut self, _: &BezPath, _: DrawProps<'a>, _: &DrawMode) {
        self.charge(0);
    }

    fn push_clip_path(&mut self, _: &ClipPath) {}

    fn push_transparency_group(&mut self, _: f32, _: Option<SoftMask<'a>>, _: BlendMode) {
        self.charge(0);
    }

    fn pop_clip(&mut self) {}

    fn pop_transparency_group(&mut self) {}
}
