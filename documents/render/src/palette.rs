//! The colours a page is drawn in, derived from a theme's five, each checked against what it stands on.

use spec::{Rgb, Theme, contrast, limits, readable};

use crate::code::CodePart;

/// Which family of decoration a theme gets.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Motif {
    Arcs,
    Blocks,
    Lines,
    Dots,
}

/// Derived colours. "Ink" is legible as text on the grounds its doc line names.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Palette {
    pub(crate) dark: bool,
    pub(crate) bg: Rgb,
    /// Text on background, card and tint.
    pub(crate) text: Rgb,
    /// Quieter text on background, card and tint.
    pub(crate) muted: Rgb,
    pub(crate) card: Rgb,
    pub(crate) tint: Rgb,
    /// Hairlines and tracks.
    pub(crate) line: Rgb,
    /// Primary as text on background, card and tint.
    pub(crate) primary_ink: Rgb,
    /// Large colour fields, with what stands on them.
    pub(crate) field: Rgb,
    pub(crate) on_field: Rgb,
    pub(crate) on_field_muted: Rgb,
    pub(crate) field_raised: Rgb,
    pub(crate) field_accent: Rgb,
    /// A second field beside the first.
    pub(crate) field2: Rgb,
    pub(crate) on_field2: Rgb,
    /// The accent as a ground, and text on it.
    pub(crate) accent: Rgb,
    pub(crate) on_accent: Rgb,
    pub(crate) secondary: Rgb,
    pub(crate) series: [Rgb; 6],
    pub(crate) motif: Motif,
}

/// A colour of the theme; a theme that was not checked falls back to plain ones rather than failing a deck.
fn color(text: &str, fallback: Rgb) -> Rgb {
    Rgb::parse(text).unwrap_or(fallback)
}

impl Palette {
    pub(crate) fn new(theme: &Theme) -> Self {
        let scheme = &theme.color_scheme;
        let bg = color(&scheme.background, Rgb::WHITE);
        let dark = bg.luminance() < 0.2;
        let text = readable(
            color(&scheme.text, Rgb(32, 32, 32)),
            bg,
            limits::TEXT_CONTRAST_MIN,
        );
        let asked = color(&scheme.primary, Rgb(27, 58, 107));
        // A primary that is nearly the background would make every field vanish.
        let primary = if contrast(asked, bg) < 1.5 {
            asked.mix(text, 0.35)
        } else {
            asked
        };
        let secondary = color(&scheme.secondary, primary.mix(bg, 0.4));
        let accent = readable(color(&scheme.accent, primary), bg, 1.8);
        let card = if dark {
            surface(bg, text, 0.07, text)
        } else {
            surface(bg, primary, 0.055, text)
        };
        let tint = surface(bg, primary, if dark { 0.2 } else { 0.12 }, text);
        let ink = |color| inked(color, text, [bg, card, tint]);
        // On a dark page a field of the bright primary would blind: it is the page with some primary in it.
        let field = if dark {
            bg.mix(primary, 0.24)
        } else {
            deep(primary)
        };
        let on_field = if contrast(bg, field) >= FIELD_CONTRAST {
            bg
        } else {
            Rgb::WHITE
        };
        let on_field = readable(
            if dark { text } else { on_field },
            field,
            limits::TEXT_CONTRAST_MIN,
        );
        // Raised parts of a field go towards its text, unless the text could then no longer be read on them.
        let lighter = field.mix(on_field, 0.1);
        let field_raised = if contrast(on_field, lighter) >= FIELD_CONTRAST {
            lighter
        } else {
            field.mix(
                if on_field.luminance() > field.luminance() {
                    Rgb::BLACK
                } else {
                    Rgb::WHITE
                },
                0.14,
            )
        };
        let field2 = if dark {
            bg.mix(secondary, 0.24)
        } else {
            deep(secondary.mix(text, 0.2))
        };
        let series = [
            primary,
            accent,
            secondary,
            primary.mix(bg, 0.45),
            accent.mix(text, 0.4),
            secondary.mix(text, 0.45),
        ];
        Self {
            dark,
            bg,
            text,
            muted: ink(text.mix(bg, 0.32)),
            card,
            tint,
            line: bg.mix(primary, if dark { 0.4 } else { 0.22 }),
            primary_ink: ink(primary),
            field,
            on_field,
            on_field_muted: quiet(on_field, [field, field_raised]),
            field_raised,
            field_accent: readable(accent, field, limits::LARGE_CONTRAST_MIN),
            field2,
            on_field2: readable(
                if dark { text } else { Rgb::WHITE },
                field2,
                limits::TEXT_CONTRAST_MIN,
            ),
            accent,
            on_accent: readable(
                if contrast(Rgb::WHITE, accent) >= limits::LARGE_CONTRAST_MIN {
                    Rgb::WHITE
                } else {
                    Rgb(32, 24, 16)
                },
                accent,
                limits::TEXT_CONTRAST_MIN,
            ),
            secondary,
            series: series.map(|color| readable(color, card, 2.2)),
            motif: motif(theme),
        }
    }
}

impl Palette {
    /// A part of a program on a card.
    pub(crate) fn code(&self, part: CodePart) -> Rgb {
        let ink = |color| inked(color, self.text, [self.card; 3]);
        let mut inks = [self.primary_ink, ink(self.secondary)];
        // Keywords get the one that is told from the text more easily.
        inks.sort_by(|a, b| contrast(*b, self.text).total_cmp(&contrast(*a, self.text)));
        match part {
            CodePart::Keyword => inks[0],
            CodePart::Name => inks[1],
            CodePart::Value => ink(self.accent),
            CodePart::Comment => self.muted,
        }
    }
}

/// Text on a field is meant to pass AA with some room.
const FIELD_CONTRAST: f64 = 4.8;

/// A colour as a field for white text: darkened a little if it nearly is one, left alone if it is a light colour, which
/// then carries dark text.
fn deep(color: Rgb) -> Rgb {
    if contrast(color, Rgb::WHITE) < limits::LARGE_CONTRAST_MIN {
        color
    } else {
        readable(color, Rgb::WHITE, FIELD_CONTRAST + 0.4)
    }
}

/// The background with up to `share` of a colour in it, as much as its text allows. A background of middling lightness
/// allows none: then the surface moves away from the text instead.
fn surface(bg: Rgb, color: Rgb, share: f64, text: Rgb) -> Rgb {
    let away = if text.luminance() > bg.luminance() {
        Rgb::BLACK
    } else {
        Rgb::WHITE
    };
    [1.0, 0.75, 0.5]
        .into_iter()
        .map(|part| bg.mix(color, share * part))
        .find(|surface| contrast(text, *surface) >= limits::TEXT_CONTRAST_MIN)
        .unwrap_or_else(|| bg.mix(away, share))
}

/// The colour itself or, step by step nearer to the text's colour, the first that can be read on all grounds.
fn inked(color: Rgb, text: Rgb, grounds: [Rgb; 3]) -> Rgb {
    (0..=10)
        .map(|step| color.mix(text, f64::from(step) / 10.0))
        .find(|ink| {
            grounds
                .iter()
                .all(|ground| contrast(*ink, *ground) >= limits::TEXT_CONTRAST_MIN)
        })
        .unwrap_or(text)
}

/// A quieter version of a text colour, as quiet as all of its grounds allow.
fn quiet(ink: Rgb, grounds: [Rgb; 2]) -> Rgb {
    (0..=4)
        .rev()
        .map(|step| ink.mix(grounds[0], f64::from(step) * 0.05))
        .find(|quiet| {
            grounds
                .iter()
                .all(|ground| contrast(*quiet, *ground) >= limits::TEXT_CONTRAST_MIN)
        })
        .unwrap_or(ink)
}

/// The same theme always gets the same motif; different themes mostly get different motifs.
fn motif(theme: &Theme) -> Motif {
    let key = format!("{}{}", theme.theme_name, theme.color_scheme.primary);
    match crate::art::hash(&key) % 4 {
        0 => Motif::Arcs,
        1 => Motif::Blocks,
        2 => Motif::Lines,
        _ => Motif::Dots,
    }
}
