//! The outlines of a formula, from its fonts and from the shapes between them.

use std::borrow::Cow;
use std::collections::{BTreeMap, HashMap};
use std::fmt::Write as _;
use std::sync::{Arc, LazyLock};

use ratex_font::{FontId, katex_ttf_glyph_char};
use ratex_layout::FallbackGlyphMetrics;
use ratex_types::color::Color;
use ratex_types::display_item::{DisplayItem, DisplayList};
use ratex_types::path_command::PathCommand;
use resvg::tiny_skia::{PathBuilder, PathSegment, Point, Stroke};
use spec::{Rgb, contrast};
use ttf_parser::{Face, OutlineBuilder};

use super::{Letter, OUTLINE_UNITS, Outline, SCALE, em};

/// Units of the outlines in an em of a formula.
const UNITS: f64 = OUTLINE_UNITS as f64 * SCALE;

/// Width, height and depth of a Chinese character that the fonts of a formula do not have, in em.
const WIDE: FallbackGlyphMetrics = FallbackGlyphMetrics {
    width: 1.0,
    height: 0.85,
    depth: 0.15,
};
/// The same of any other letter.
const NARROW: FallbackGlyphMetrics = FallbackGlyphMetrics {
    width: 0.6,
    height: 0.75,
    depth: 0.2,
};

/// The fonts of formulas by their names, as the files have them.
static FILES: LazyLock<BTreeMap<&'static str, Cow<'static, [u8]>>> = LazyLock::new(|| {
    let all = [
        FontId::AmsRegular,
        FontId::CaligraphicRegular,
        FontId::FrakturRegular,
        FontId::FrakturBold,
        FontId::MainBold,
        FontId::MainBoldItalic,
        FontId::MainItalic,
        FontId::MainRegular,
        FontId::MathBoldItalic,
        FontId::MathItalic,
        FontId::SansSerifBold,
        FontId::SansSerifItalic,
        FontId::SansSerifRegular,
        FontId::ScriptRegular,
        FontId::Size1Regular,
        FontId::Size2Regular,
        FontId::Size3Regular,
        FontId::Size4Regular,
        FontId::TypewriterRegular,
    ];
    let file = |font: FontId| {
        let name = font.as_str();
        let bytes = ratex_katex_fonts::ttf_bytes(&format!("KaTeX_{name}.ttf"))?;
        Some((name, bytes))
    };
    all.into_iter().filter_map(file).collect()
});

/// Measures of the characters that the fonts of formulas do not have.
pub(super) fn fallbacks(latex: &str) -> Arc<HashMap<char, FallbackGlyphMetrics>> {
    let foreign = latex.chars().filter(|c| !c.is_ascii());
    let measures = foreign.map(|c| {
        let is_wide = spec::text::columns(c) > 1;
        (c, if is_wide { WIDE } else { NARROW })
    });
    Arc::new(measures.collect())
}

/// Thickness of the lines that are drawn around and through a formula, in its em: that of the line of a fraction.
const LINE_EM: f64 = 0.04;

/// Everything that is drawn, and the letters that the fonts do not have.
pub(super) fn drawn(list: &DisplayList) -> (Vec<Outline>, Vec<Letter>) {
    let mut pen = Pen {
        outlines: Vec::new(),
        data: String::new(),
        ink: None,
        x: 0.0,
        y: 0.0,
        scale: UNITS,
    };
    let mut letters = Vec::new();
    let mut faces: BTreeMap<&str, Option<Face<'_>>> = BTreeMap::new();
    for item in &list.items {
        match item {
            DisplayItem::GlyphPath {
                x,
                y,
                scale,
                font,
                char_code,
                color,
            } => {
                let ink = pen.ink(color);
                let face = faces.entry(font.as_str()).or_insert_with(|| face(font));
                let y = y - list.height;
                if !face
                    .as_ref()
                    .is_some_and(|face| pen.glyph(face, font, *char_code, (*x, y), *scale))
                    && let Some(character) = char::from_u32(*char_code)
                    && !character.is_whitespace()
                {
                    letters.push(Letter {
                        character,
                        x: em(x * SCALE),
                        y: em(y * SCALE),
                        size: em(scale * SCALE),
                        ink,
                    });
                }
            }
            DisplayItem::Line {
                x,
                y,
                width,
                thickness,
                color,
                dashed: _,
            } => {
                pen.ink(color);
                let top = y - list.height - thickness / 2.0;
                pen.rectangle(*x, top, *width, *thickness);
            }
            DisplayItem::Rect {
                x,
                y,
                width,
                height,
                color,
            } => {
                // A side of a frame. What is wider is a ground of a colour, and the text's own ground is under it.
                if width.min(*height) <= 2.0 * LINE_EM {
                    pen.ink(color);
                    pen.rectangle(*x, y - list.height, *width, *height);
                }
            }
            DisplayItem::Path {
                x,
                y,
                commands,
                fill,
                color,
            } => {
                pen.ink(color);
                let at = (*x, y - list.height);
                if *fill {
                    pen.path(at, commands);
                } else {
                    pen.line(at, commands);
                }
            }
        }
    }
    pen.close_outline();
    (pen.outlines, letters)
}

/// The least contrast of a formula's colour with white and with black. What has less is lost on one of the grounds that pages have.
const INK_CONTRAST_MIN: f64 = 2.0;

/// The colour that a formula asks for, if it can be seen on light and on dark pages. Black is what it has when it asks for none.
fn asked(color: &Color) -> Option<Rgb> {
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a share of a colour from 0 to 1; casting saturates"
    )]
    let byte = |share: f32| (share * 255.0).round() as u8;
    let ink = Rgb(byte(color.r), byte(color.g), byte(color.b));
    let is_seen = |ground| contrast(ink, ground) >= INK_CONTRAST_MIN;
    (is_seen(Rgb(0, 0, 0)) && is_seen(Rgb(255, 255, 255))).then_some(ink)
}

fn face(font: &str) -> Option<Face<'static>> {
    let bytes = FILES.get(font)?;
    Face::parse(bytes, 0).ok()
}

/// Writes outlines as the data of paths, from a point, in a scale.
struct Pen {
    outlines: Vec<Outline>,
    /// What is drawn in the present colour.
    data: String,
    ink: Option<Rgb>,
    x: f64,
    y: f64,
    scale: f64,
}

impl Pen {
    /// Takes a colour for what is drawn next.
    fn ink(&mut self, color: &Color) -> Option<Rgb> {
        let ink = asked(color);
        if ink != self.ink {
            self.close_outline();
            self.ink = ink;
        }
        ink
    }

    fn close_outline(&mut self) {
        let data = std::mem::take(&mut self.data);
        if !data.is_empty() {
            let ink = self.ink;
            self.outlines.push(Outline { data, ink });
        }
    }

    /// Draws the glyph of a character; tells whether the font has it.
    fn glyph(
        &mut self,
        face: &Face<'_>,
        font: &str,
        code: u32,
        (x, y): (f64, f64),
        size: f64,
    ) -> bool {
        let font = FontId::parse(font).unwrap_or(FontId::MainRegular);
        let character = katex_ttf_glyph_char(font, code);
        let Some(glyph) = face.glyph_index(character).filter(|glyph| glyph.0 != 0) else {
            return false;
        };
        (self.x, self.y) = (x * UNITS, y * UNITS);
        self.scale = size * UNITS / f64::from(face.units_per_em());
        face.outline_glyph(glyph, self);
        true
    }

    fn rectangle(&mut self, x: f64, y: f64, w: f64, h: f64) {
        (self.x, self.y, self.scale) = (0.0, 0.0, UNITS);
        self.put('M', &[(x, y)]);
        for corner in [(x + w, y), (x + w, y + h), (x, y + h)] {
            self.put('L', &[corner]);
        }
        self.data.push('Z');
    }

    fn path(&mut self, (x, y): (f64, f64), commands: &[PathCommand]) {
        (self.x, self.y, self.scale) = (x * UNITS, y * UNITS, UNITS);
        for command in commands {
            match *command {
                PathCommand::MoveTo { x, y } => self.put('M', &[(x, y)]),
                PathCommand::LineTo { x, y } => self.put('L', &[(x, y)]),
                PathCommand::QuadTo { x1, y1, x, y } => self.put('Q', &[(x1, y1), (x, y)]),
                PathCommand::CubicTo {
                    x1,
                    y1,
                    x2,
                    y2,
                    x,
                    y,
                } => self.put('C', &[(x1, y1), (x2, y2), (x, y)]),
                PathCommand::Close => self.data.push('Z'),
            }
        }
    }

    /// Draws a path as a line, which is an outline around it.
    fn line(&mut self, at: (f64, f64), commands: &[PathCommand]) {
        let mut path = PathBuilder::new();
        for command in commands {
            match *command {
                PathCommand::MoveTo { x, y } => path.move_to(em(x), em(y)),
                PathCommand::LineTo { x, y } => path.line_to(em(x), em(y)),
                PathCommand::QuadTo { x1, y1, x, y } => path.quad_to(em(x1), em(y1), em(x), em(y)),
                PathCommand::CubicTo {
                    x1,
                    y1,
                    x2,
                    y2,
                    x,
                    y,
                } => path.cubic_to(em(x1), em(y1), em(x2), em(y2), em(x), em(y)),
                PathCommand::Close => path.close(),
            }
        }
        let stroke = Stroke {
            width: em(LINE_EM),
            ..Stroke::default()
        };
        let line = path
            .finish()
            .and_then(|path| path.stroke(&stroke, OUTLINE_UNITS));
        let wide = |point: Point| (f64::from(point.x), f64::from(point.y));
        let Some(line) = line else { return };
        (self.x, self.y, self.scale) = (at.0 * UNITS, at.1 * UNITS, UNITS);
        for segment in line.segments() {
            match segment {
                PathSegment::MoveTo(to) => self.put('M', &[wide(to)]),
                PathSegment::LineTo(to) => self.put('L', &[wide(to)]),
                PathSegment::QuadTo(by, to) => self.put('Q', &[wide(by), wide(to)]),
                PathSegment::CubicTo(by, then, to) => {
                    self.put('C', &[wide(by), wide(then), wide(to)])
                }
                PathSegment::Close => self.data.push('Z'),
            }
        }
    }

    /// A command with its points, whose second measure goes down.
    fn put(&mut self, command: char, points: &[(f64, f64)]) {
        self.data.push(command);
        for (at, (x, y)) in points.iter().enumerate() {
            let (x, y) = (self.x + x * self.scale, self.y + y * self.scale);
            let between = if at == 0 { "" } else { " " };
            write!(self.data, "{between}{x:.0} {y:.0}").expect("a string takes any text");
        }
    }

    /// The same with points of a font, whose second measure goes up.
    fn up(&mut self, command: char, points: &[(f32, f32)]) {
        let points: Vec<(f64, f64)> = points
            .iter()
            .map(|(x, y)| (f64::from(*x), -f64::from(*y)))
            .collect();
        self.put(command, &points);
    }
}

impl OutlineBuilder for Pen {
    fn move_to(&mut self, x: f32, y: f32) {
        self.up('M', &[(x, y)]);
    }

    fn line_to(&mut self, x: f32, y: f32) {
        self.up('L', &[(x, y)]);
    }

    fn quad_to(&mut self, x1: f32, y1: f32, x: f32, y: f32) {
        self.up('Q', &[(x1, y1), (x, y)]);
    }

    fn curve_to(&mut self, x1: f32, y1: f32, x2: f32, y2: f32, x: f32, y: f32) {
        self.up('C', &[(x1, y1), (x2, y2), (x, y)]);
    }

    fn close(&mut self) {
        self.data.push('Z');
    }
}
