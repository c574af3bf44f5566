//! Measuring and breaking text, with the fonts that will draw it.
//!
//! A text is shaped once at a reference size and then broken at as many widths as a layout tries: advances grow with the
//! size, because nothing is hinted. A text is measured as wide as a viewer may draw it at worst, and drawn at its own width.

mod code;
mod order;
mod shaped;
#[cfg(test)]
mod tests;

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::Arc;

use spec::Theme;

use crate::fonts::{Fonts, Stack};
use crate::scene::{self, Line, Role, Run, SetFormula, Stands, Text};
pub(crate) use order::levels;
pub(crate) use shaped::is_korean;
use shaped::{Char, Shaped, Span};

/// A last line of a heading shorter than this share of its box is a scrap.
const SCRAP_SHARE: f32 = 0.35;
/// Lines are broken at this share of their box, for what rounding in a viewer adds up to.
const SAFE_SHARE: f32 = 0.995;
/// Reach above and below the baseline when no font tells, in em.
const ASCENT_EM: f32 = 0.9;
const DESCENT_EM: f32 = -0.3;

/// Smallest type of content in CSS pixels: 10.5 points, the least that decks are printed with.
pub(crate) const TEXT_PX_MIN: f32 = 14.0;
/// Smallest type of code: 8.25 points, as in print.
pub(crate) const CODE_PX_MIN: f32 = 11.0;
/// Smallest type of headings inside a page: 12 points.
pub(crate) const DISPLAY_PX_MIN: f32 = 16.0;

/// How a text is set.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Face {
    /// The theme's text font.
    Text,
    /// The same, bold; of a text with bold marks, only what they mark.
    Strong,
    /// The theme's title font, bold.
    Display,
    /// A font of one width, with every blank.
    Code,
}

impl Face {
    /// The face that a text is set in.
    pub(crate) fn of(text: &Text) -> Self {
        if text.stands == Stands::Code {
            return Self::Code;
        }
        match (text.display, text.weight >= 600) {
            (true, _) => Self::Display,
            (false, true) => Self::Strong,
            (false, false) => Self::Text,
        }
    }

    /// The least size it is set in, in CSS pixels.
    fn floor(self) -> f32 {
        match self {
            Self::Text | Self::Strong => TEXT_PX_MIN,
            Self::Display => DISPLAY_PX_MIN,
            Self::Code => CODE_PX_MIN,
        }
    }
}

/// Sets the texts of one page.
pub(crate) struct Typesetter {
    fonts: Fonts,
    text: Stack,
    display: Stack,
    /// Looked up when there is code.
    code: OnceCell<Stack>,
    language: String,
    /// Whether pages of the language begin at the right.
    rtl: bool,
    shaped: RefCell<ShapedTexts>,
    /// The least sizes are multiplied by this.
    floors: f32,
}

/// What was shaped, by text and face.
type ShapedTexts = HashMap<(String, Face), Rc<RefCell<Shaped>>>;

impl Typesetter {
    pub(crate) fn new(fonts: &Fonts, theme: &Theme, language: &str) -> Self {
        let config = &theme.font_config;
        Self {
            text: Stack::resolve(fonts, &config.body_font, language),
            display: Stack::resolve(fonts, &config.title_font, language),
            code: OnceCell::new(),
            language: language.to_owned(),
            rtl: spec::text::is_right_to_left(language),
            fonts: fonts.clone(),
            shaped: RefCell::default(),
            floors: 1.0,
        }
    }

    /// With least sizes so many times those of a slide.
    pub(crate) fn floors(mut self, scale: f32) -> Self {
        self.floors = scale;
        self
    }

    /// Whether pages of the language begin at the right.
    pub(crate) fn is_right_to_left(&self) -> bool {
        self.rtl
    }

    /// What became of the theme's title font and text font.
    pub(crate) fn choices(&self) -> scene::SceneFonts {
        scene::SceneFonts {
            title: self.display.choice.clone(),
            body: self.text.choice.clone(),
        }
    }

    fn stack(&self, face: Face) -> &Stack {
        match face {
            Face::Text | Face::Strong => &self.text,
            Face::Display => &self.display,
            Face::Code => self
                .code
                .get_or_init(|| Stack::code(&self.fonts, &self.language)),
        }
    }

    fn shaped(&self, text: &str, face: Face) -> Rc<RefCell<Shaped>> {
        let key = (text.to_owned(), face);
        if let Some(shaped) = self.shaped.borrow().get(&key) {
            return Rc::clone(shaped);
        }
        let shaped = Rc::new(RefCell::new(Shaped::new(
            &self.fonts,
            self.stack(face),
            text,
            face,
            self.rtl,
        )));
        self.shaped.borrow_mut().insert(key, Rc::clone(&shaped));
        shaped
    }

    /// By what factor texts of a face are measured wider than they are drawn.
    pub(crate) fn room_kept(&self, face: Face) -> f32 {
        self.stack(face).slack / SAFE_SHARE
    }

    /// Width in em of the text on one line, at worst.
    pub(crate) fn width(&self, text: &str, face: Face) -> f32 {
        let shaped = self.shaped(text, face);
        let shaped = shaped.borrow();
        let all = 0..shaped.chars.len();
        shaped.measured(&all) * self.room_kept(face)
    }

    /// Widths in em of the widest part that is not broken, and of the widest line where lines end only at line breaks.
    pub(crate) fn extents(&self, text: &str, face: Face) -> (f32, f32) {
        let shaped = self.shaped(text, face);
        let (word, line) = shaped.borrow().extents();
        let room_kept = self.room_kept(face);
        (word * room_kept, line * room_kept)
    }

    /// Lines the text takes when a line holds `measure` em.
    pub(crate) fn lines(&self, text: &str, measure: f32, face: Face) -> usize {
        self.broken(text, measure, face).len()
    }

    /// The lines of the text when a line holds `measure` em.
    fn broken(&self, text: &str, measure: f32, face: Face) -> Vec<Span> {
        let room = measure * SAFE_SHARE / self.stack(face).slack;
        let shaped = self.shaped(text, face);
        let mut shaped = shaped.borrow_mut();
        match face {
            Face::Code => shaped.code_lines(room),
            Face::Text | Face::Strong | Face::Display => shaped.broken(room),
        }
    }

    /// Height in pixels of the text in a box of this width.
    pub(crate) fn height(&self, text: &str, w: f32, size: f32, line: f32, face: Face) -> f32 {
        scene::as_px(self.lines(text, w / size, face).max(1)) * size * self.pitch(text, line, face)
    }

    /// The line height of a text: as it was designed, or higher where it has a formula that needs it.
    pub(crate) fn pitch(&self, text: &str, line: f32, face: Face) -> f32 {
        let least = self
            .shaped(text, face)
            .borrow()
            .least_line(self.reach(face));
        least.map_or(line, |least| line.max(least))
    }

    /// How far the first font of a face reaches above and below the baseline, in em; below is negative.
    fn reach(&self, face: Face) -> (f32, f32) {
        let first = self.stack(face).families.first();
        first
            .and_then(|family| self.fonts.face(family))
            .map_or((ASCENT_EM, DESCENT_EM), |face| (face.ascent, face.descent))
    }

    /// The largest size in whole pixels, from `most` down to the least of the face, at which `fits` holds.
    pub(crate) fn largest(&self, most: f32, face: Face, fits: impl Fn(f32) -> bool) -> f32 {
        let floor = face.floor() * self.floors;
        let mut size = most.floor();
        while size > floor && !fits(size) {
            size -= 1.0;
        }
        size.max(floor.min(most))
    }

    /// The largest size at which every one of the texts fits a box of `w` by `h`.
    pub(crate) fn fit<'a>(
        &self,
        texts: impl IntoIterator<Item = &'a str>,
        (w, h): (f32, f32),
        most: f32,
        line: f32,
        face: Face,
    ) -> f32 {
        texts.into_iter().fold(most, |size, text| {
            self.largest(size, face, |size| {
                self.height(text, w, size, line, face) <= h
            })
        })
    }

    /// Breaks a text that has its box and its size, and finds its direction.
    pub(crate) fn set(&self, text: &mut Text) {
        let face = Face::of(text);
        text.rtl = self.shaped(&text.text, face).borrow().rtl;
        text.line = self.pitch(&text.text, text.line, face);
        text.lines = self.lines_of(text);
    }

    fn lines_of(&self, text: &Text) -> Vec<Line> {
        let face = Face::of(text);
        let measure = text.rect.w / text.size;
        let spans = if text.clip {
            return vec![self.clipped(text, measure, face)];
        } else if text.role == Role::Title {
            self.heading(&text.text, measure, face)
        } else {
            self.broken(&text.text, measure, face)
        };
        let shaped = self.shaped(&text.text, face);
        let shaped = shaped.borrow();
        let mut lines: Vec<Line> = spans
            .into_iter()
            .map(|span| self.line(&shaped, &span, text, face))
            .collect();
        if face == Face::Code {
            let hang = shaped.hang(measure * SAFE_SHARE) * text.size;
            for line in lines.iter_mut().skip(1) {
                line.width += hang;
                for run in &mut line.runs {
                    run.x += hang;
                }
            }
        }
        lines
    }

    /// A heading of two lines is broken after punctuation or a dash where the halves fit and are about equally wide. Otherwise its
    /// lines are made about equally wide, unless that would cut Chinese words without need: then only where its last line would be
    /// a scrap.
    fn heading(&self, text: &str, measure: f32, face: Face) -> Vec<Span> {
        let lines = self.broken(text, measure, face);
        let [.., last] = &lines[..] else {
            return lines;
        };
        let shaped = self.shaped(text, face);
        let room = measure * SAFE_SHARE / self.stack(face).slack;
        let (halves, scrap, chinese) = {
            let shaped = shaped.borrow();
            let chinese = shaped.chars.iter().any(|c| c.wide);
            let scrap = shaped.measured(last) < room * SCRAP_SHARE;
            (shaped.best_break(room), scrap, chinese)
        };
        match (lines.len(), halves) {
            (1, _) => lines,
            (2, Some(halves)) => halves.into(),
            _ if chinese && !scrap => lines,
            (count, _) => self.balanced(text, measure, face, count),
        }
    }

    /// The text in so many lines, each as narrow as that allows.
    fn balanced(&self, text: &str, measure: f32, face: Face, lines: usize) -> Vec<Span> {
        // A word is not cut to make the lines even.
        let (word, _) = self.extents(text, face);
        let (mut narrow, mut wide) = (word.clamp(measure / 2.0, measure), measure);
        for _ in 0..8 {
            let middle = (narrow + wide) / 2.0;
            if self.broken(text, middle, face).len() <= lines {
                wide = middle;
            } else {
                narrow = middle;
            }
        }
        self.broken(text, wide, face)
    }

    /// One line, cut with an ellipsis if it is too long.
    fn clipped(&self, text: &Text, measure: f32, face: Face) -> Line {
        let fits = |said: &str| self.width(said, face) <= measure;
        let mut said = text.text.clone();
        if !fits(&said) {
            let mut kept: Vec<char> = spec::text::plain(&said).chars().collect();
            while !kept.is_empty() {
                kept.pop();
                let begins: String = kept.iter().collect();
                said = spec::text::literal(begins.trim_end()) + "…";
                if fits(&said) {
                    break;
                }
            }
        }
        let shaped = self.shaped(&said, face);
        let shaped = shaped.borrow();
        self.line(&shaped, &(0..shaped.chars.len()), text, face)
    }

    fn line(&self, shaped: &Shaped, span: &Span, text: &Text, face: Face) -> Line {
        let mut chars = &shaped.chars[span.clone()];
        while let [rest @ .., last] = chars
            && last.character.is_whitespace()
        {
            chars = rest;
        }
        // Code keeps the blanks at its beginning.
        while let [first, rest @ ..] = chars
            && first.character.is_whitespace()
            && face != Face::Code
        {
            chars = rest;
        }
        let alike = |a: &Char, b: &Char| {
            let drawn = a.formula.is_some() || b.formula.is_some();
            !drawn
                && text.tint(a.at) == text.tint(b.at)
                && a.bold == b.bold
                && a.family == b.family
                && a.level == b.level
                && a.link == b.link
        };
        let parts: Vec<&[Char]> = chars.chunk_by(alike).collect();
        let mut runs: Vec<Run> = parts.iter().map(|run| self.run(run, text, face)).collect();
        let levels: Vec<u8> = parts.iter().map(|run| run[0].level).collect();
        let mut x = 0.0;
        for at in order::visual(&levels) {
            runs[at].x = x * text.size;
            x += runs[at].width / text.size;
        }
        let (up, down) = self.reach(face);
        Line {
            runs,
            width: x * text.size,
            baseline: (text.line - (up - down)) / 2.0 * text.size + up * text.size,
        }
    }

    /// Characters that are set alike, or a formula, which is made as small as its box is narrow.
    fn run(&self, run: &[Char], text: &Text, face: Face) -> Run {
        let first = &run[0];
        let width = run.iter().map(|c| c.advance).sum::<f32>() * text.size;
        let drawn = first.formula.as_ref().map(|(formula, words)| {
            let share = (text.rect.w / width).min(1.0);
            let set = SetFormula {
                formula: Arc::clone(formula),
                size: text.size * share,
            };
            (set, words.to_string())
        });
        let (formula, words) = drawn.unzip();
        let share = formula.as_ref().map_or(1.0, |set| set.size / text.size);
        Run {
            text: words.unwrap_or_else(|| run.iter().map(|c| c.character).collect()),
            bold: first.bold,
            family: match formula {
                Some(_) => self
                    .stack(face)
                    .families
                    .first()
                    .map(|name| name.as_str().into()),
                None => first.family.clone(),
            },
            x: 0.0,
            width: width * share,
            stops: shaped::stops(run, text.size),
            rtl: first.level % 2 == 1,
            link: first.link.clone(),
            color: text.tint(first.at),
            formula,
        }
    }
}
