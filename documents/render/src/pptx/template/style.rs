//! How the levels of a text look: what a layout says, then its master, then the presentation.

use spec::Rgb;

use super::colors::Colors;
use crate::pptx::gate::tree::Element;
use crate::scene::{Align, Valign};

/// Levels that a deck has.
pub(super) const LEVELS: usize = 5;

/// English metric units in a CSS pixel.
pub(super) const EMU_PER_PX: f32 = 9525.0;
/// CSS pixels in a hundredth of a point.
const PX_PER_CENTIPOINT: f32 = 1.0 / 75.0;
/// Type where nothing says its size: 18 points.
const SIZE_PX: f32 = 24.0;
/// A line of most Latin fonts, as a share of the type size.
const NATURAL_LINE: f32 = 1.2;
/// Insets of a text where nothing says them: a tenth of an inch at the sides, half of that above and below.
const INSETS: [f32; 4] = [9.6, 4.8, 9.6, 4.8];

/// What stands before a paragraph.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Bullet {
    None,
    Sign(String),
}

/// What one part says of a level; what it does not say comes from the next.
#[derive(Debug, Clone, Default, PartialEq)]
pub(super) struct Level {
    /// CSS pixels.
    pub(super) size: Option<f32>,
    pub(super) bold: Option<bool>,
    pub(super) color: Option<Rgb>,
    /// As it is written, so that `+mn-lt` is the theme's.
    pub(super) latin: Option<String>,
    pub(super) align: Option<Align>,
    pub(super) bullet: Option<Bullet>,
    /// CSS pixels from the left edge of the text, and from there to the first line.
    pub(super) left: Option<f32>,
    pub(super) first: Option<f32>,
    pub(super) above: Option<Distance>,
    pub(super) below: Option<Distance>,
    pub(super) line: Option<Distance>,
}

/// A distance between lines or paragraphs.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Distance {
    /// A share of a line.
    Share(f32),
    /// CSS pixels.
    Px(f32),
}

impl Distance {
    fn read(holder: &Element) -> Option<Self> {
        let number = |name: &str| {
            let value = holder.child(name)?.attribute("val")?;
            value.trim_end_matches('%').parse::<f32>().ok()
        };
        if let Some(points) = number("a:spcPts") {
            return Some(Self::Px(points * PX_PER_CENTIPOINT));
        }
        Some(Self::Share(number("a:spcPct")? / 100_000.0))
    }

    /// In CSS pixels for type of a size.
    pub(super) fn px(self, size: f32) -> f32 {
        match self {
            Self::Share(share) => share * size * NATURAL_LINE,
            Self::Px(px) => px,
        }
    }
}

impl Level {
    /// What an element such as `a:lvl1pPr` says.
    fn read(element: &Element, colors: &Colors) -> Self {
        let number = |holder: &Element, name: &str| holder.attribute(name)?.parse::<f32>().ok();
        let defaults = element.child("a:defRPr");
        let flag = |value: &str| matches!(value, "1" | "true" | "on");
        let bullet = element.children.iter().find_map(|child| {
            Some(match child.name.as_str() {
                "a:buNone" => Bullet::None,
                "a:buChar" => Bullet::Sign(sign(child.attribute("char")?)),
                "a:buAutoNum" => Bullet::Sign("1.".to_owned()),
                "a:buBlip" => Bullet::Sign("•".to_owned()),
                _ => return None,
            })
        });
        let fill = defaults.and_then(|defaults| defaults.child("a:solidFill"));
        let latin = defaults.and_then(|defaults| defaults.child("a:latin"));
        Self {
            size: defaults
                .and_then(|defaults| number(defaults, "sz"))
                .map(|size| size * PX_PER_CENTIPOINT),
            bold: defaults
                .and_then(|defaults| defaults.attribute("b"))
                .map(flag),
            color: fill.and_then(|fill| colors.color(fill)),
            latin: latin
                .and_then(|latin| latin.attribute("typeface"))
                .map(str::to_owned),
            align: element.attribute("algn").map(|align| match align {
                "ctr" => Align::Center,
                "r" => Align::Right,
                _ => Align::Left,
            }),
            bullet,
            left: number(element, "marL").map(|emu| emu / EMU_PER_PX),
            first: number(element, "indent").map(|emu| emu / EMU_PER_PX),
            above: element.child("a:spcBef").and_then(Distance::read),
            below: element.child("a:spcAft").and_then(Distance::read),
            line: element.child("a:lnSpc").and_then(Distance::read),
        }
    }

    /// What this says, and for the rest what the other does.
    fn over(self, other: &Self) -> Self {
        Self {
            size: self.size.or(other.size),
            bold: self.bold.or(other.bold),
            color: self.color.or(other.color),
            latin: self.latin.or_else(|| other.latin.clone()),
            align: self.align.or(other.align),
            bullet: self.bullet.or_else(|| other.bullet.clone()),
            left: self.left.or(other.left),
            first: self.first.or(other.first),
            above: self.above.or(other.above),
            below: self.below.or(other.below),
            line: self.line.or(other.line),
        }
    }

    pub(super) fn size(&self) -> f32 {
        self.size.unwrap_or(SIZE_PX)
    }

    /// The height of a line as a share of the type size.
    pub(super) fn line(&self) -> f32 {
        match self.line {
            Some(Distance::Share(share)) => (share * NATURAL_LINE).clamp(0.8, 3.0),
            Some(Distance::Px(px)) => (px / self.size()).clamp(0.8, 3.0),
            None => NATURAL_LINE,
        }
    }
}

/// A sign that a font for text has: those of symbol fonts are written with characters of private use.
fn sign(written: &str) -> String {
    let symbol = |c: char| ('\u{e000}'..='\u{f8ff}').contains(&c);
    match written.chars().next() {
        Some(first) if !symbol(first) && first.is_ascii_alphanumeric() => "•".to_owned(),
        Some(first) if !symbol(first) => first.to_string(),
        Some(_) | None => "•".to_owned(),
    }
}

/// The levels of a list style, such as `a:lstStyle` or `p:bodyStyle`.
pub(super) fn levels(style: Option<&Element>, colors: &Colors) -> [Level; LEVELS] {
    std::array::from_fn(|at| {
        let level = style.and_then(|style| style.child(&format!("a:lvl{}pPr", at + 1)));
        let level = level.map(|level| Level::read(level, colors));
        let all = style.and_then(|style| style.child("a:defPPr"));
        let all = all.map(|all| Level::read(all, colors)).unwrap_or_default();
        level.unwrap_or_default().over(&all)
    })
}

/// The levels of the first style, and for what it does not say those of the next.
pub(super) fn inherited(styles: Vec<[Level; LEVELS]>) -> [Level; LEVELS] {
    let none = std::array::from_fn(|_| Level::default());
    styles.into_iter().rev().fold(none, |below, above| {
        let mut above = above.into_iter();
        std::array::from_fn(|at| above.next().unwrap_or_default().over(&below[at]))
    })
}

/// How a text stands in its box.
#[derive(Debug, Clone, Copy, PartialEq, Default)]
pub(super) struct Body {
    /// Left, top, right, bottom in CSS pixels.
    insets: [Option<f32>; 4],
    anchor: Option<Valign>,
    vertical: Option<bool>,
}

impl Body {
    /// What the body properties of a shape say.
    pub(super) fn read(shape: &Element) -> Self {
        let Some(body) = shape.all("a:bodyPr").next() else {
            return Self::default();
        };
        let inset = |name: &str| Some(body.attribute(name)?.parse::<f32>().ok()? / EMU_PER_PX);
        Self {
            insets: ["lIns", "tIns", "rIns", "bIns"].map(inset),
            anchor: body.attribute("anchor").map(|anchor| match anchor {
                "ctr" => Valign::Middle,
                "b" => Valign::Bottom,
                _ => Valign::Top,
            }),
            vertical: body.attribute("vert").map(|vertical| vertical != "horz"),
        }
    }

    pub(super) fn over(self, other: Self) -> Self {
        Self {
            insets: std::array::from_fn(|at| self.insets[at].or(other.insets[at])),
            anchor: self.anchor.or(other.anchor),
            vertical: self.vertical.or(other.vertical),
        }
    }

    pub(super) fn insets(self) -> [f32; 4] {
        std::array::from_fn(|at| self.insets[at].unwrap_or(INSETS[at]))
    }

    pub(super) fn anchor(self) -> Valign {
        self.anchor.unwrap_or(Valign::Top)
    }

    pub(super) fn is_vertical(self) -> bool {
        self.vertical.unwrap_or(false)
    }
}
