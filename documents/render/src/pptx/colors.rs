//! The twelve colours of the file's theme, and the colours of a scene as references to them.

use spec::Rgb;

use super::shades::shade;
use crate::palette::Palette;

/// The slots of the theme with the names by which shapes refer to them.
pub(super) const SLOTS: [(&str, &str); 12] = [
    ("dk1", "tx1"),
    ("lt1", "bg1"),
    ("dk2", "tx2"),
    ("lt2", "bg2"),
    ("accent1", "accent1"),
    ("accent2", "accent2"),
    ("accent3", "accent3"),
    ("accent4", "accent4"),
    ("accent5", "accent5"),
    ("accent6", "accent6"),
    ("hlink", "hlink"),
    ("folHlink", "folHlink"),
];

/// A theme's colours as PowerPoint knows them.
///
/// Text and page are `dk1` and `lt1` also in a dark theme: what they mean is foreground and background. `dk2` is the
/// colour field and `lt2` the card, since every theme has a legible `lt1` on `dk2` and `dk1` on `lt2`, and so has a deck
/// whose theme was changed. Links take the two inks that are left, which are legible on the page.
///
/// The palette's other colours are shades of these, where a shade comes near enough to be taken for them.
#[derive(Debug, Clone)]
pub(super) struct Scheme {
    slots: [Rgb; 12],
    /// Colours with the names of those they are shades of, and the changes that make them.
    shades: Vec<(Rgb, &'static str, String)>,
}

impl Scheme {
    pub(super) fn new(palette: &Palette) -> Self {
        let [a, b, c, d, e, f] = palette.series;
        let slots = [
            palette.text,
            palette.bg,
            palette.field,
            palette.card,
            a,
            b,
            c,
            d,
            e,
            f,
            palette.primary_ink,
            palette.muted,
        ];
        // What a colour is made from comes first, then what it may look like.
        let derived: [(Rgb, [usize; 3]); 11] = [
            (palette.tint, [4, 2, 3]),
            (palette.line, [4, 2, 3]),
            (palette.field_raised, [2, 4, 1]),
            (palette.on_field_muted, [2, 1, 4]),
            (palette.on_field, [1, 0, 2]),
            (palette.field_accent, [5, 4, 6]),
            (palette.accent, [5, 4, 6]),
            (palette.on_accent, [0, 1, 5]),
            (palette.field2, [6, 9, 2]),
            (palette.on_field2, [1, 0, 2]),
            (palette.secondary, [6, 9, 4]),
        ];
        let shades = derived
            .into_iter()
            .filter_map(|(color, bases)| {
                bases.into_iter().find_map(|at| {
                    let changes = shade(slots[at], color)?;
                    Some((color, SLOTS[at].1, changes))
                })
            })
            .collect();
        Self { slots, shades }
    }

    /// For a template, whose theme has colours of its own: every colour of the palette is one of them, a shade of one, or
    /// itself.
    pub(super) fn of_template(palette: &Palette, slots: [Rgb; 12]) -> Self {
        let [a, b, c, d, e, f] = palette.series;
        let all = [
            palette.bg,
            palette.text,
            palette.muted,
            palette.card,
            palette.tint,
            palette.line,
            palette.primary_ink,
            palette.field,
            palette.on_field,
            palette.on_field_muted,
            palette.field_raised,
            palette.field_accent,
            palette.field2,
            palette.on_field2,
            palette.accent,
            palette.on_accent,
            palette.secondary,
            a,
            b,
            c,
            d,
            e,
            f,
        ];
        // Accents before grounds: what looks like both is meant to follow the accent.
        let bases = [4, 5, 6, 7, 8, 9, 2, 3, 0, 1];
        let shades = all.into_iter().filter_map(|color| {
            bases.into_iter().find_map(|at| {
                let changes = shade(slots[at], color)?;
                Some((color, SLOTS[at].1, changes))
            })
        });
        Self {
            slots,
            shades: shades.collect(),
        }
    }

    /// For notes, which are printed: the same colours, except that text is black on white.
    pub(super) fn on_paper(&self) -> Self {
        let mut scheme = self.clone();
        scheme.slots[0] = Rgb::BLACK;
        scheme.slots[1] = Rgb::WHITE;
        scheme
    }

    /// The `a:clrScheme` of a theme.
    pub(super) fn xml(&self, name: &str) -> String {
        let mut xml = format!("<a:clrScheme name=\"{name}\">");
        for ((slot, _), color) in SLOTS.iter().zip(self.slots) {
            xml.push_str(&format!(
                "<a:{slot}><a:srgbClr val=\"{}\"/></a:{slot}>",
                digits(color)
            ));
        }
        xml + "</a:clrScheme>"
    }

    /// The colour, as one of the theme's if it is one of them.
    pub(super) fn color(&self, color: Rgb) -> String {
        self.translucent(color, 1.0)
    }

    /// The colour with an opacity from 0 to 1.
    pub(super) fn translucent(&self, color: Rgb, opacity: f32) -> String {
        let alpha = if opacity < 1.0 {
            let alpha = super::units::thousandths(f64::from(opacity.max(0.0)));
            format!("<a:alpha val=\"{alpha}\"/>")
        } else {
            String::new()
        };
        let named = self.slots.iter().position(|slot| *slot == color);
        let derived = || self.shades.iter().find(|(known, _, _)| *known == color);
        let (tag, value, changes) = match (named, derived()) {
            (Some(at), _) => ("schemeClr", SLOTS[at].1.to_owned(), alpha),
            (None, Some((_, base, shade))) => {
                ("schemeClr", (*base).to_owned(), format!("{shade}{alpha}"))
            }
            (None, None) => ("srgbClr", digits(color), alpha),
        };
        if changes.is_empty() {
            format!("<a:{tag} val=\"{value}\"/>")
        } else {
            format!("<a:{tag} val=\"{value}\">{changes}</a:{tag}>")
        }
    }

    pub(super) fn fill(&self, color: Rgb) -> String {
        format!("<a:solidFill>{}</a:solidFill>", self.color(color))
    }

    /// From the upper left corner to the lower right one.
    pub(super) fn gradient(&self, begin: Rgb, end: Rgb) -> String {
        format!(
            "<a:gradFill rotWithShape=\"1\"><a:gsLst><a:gs pos=\"0\">{}</a:gs><a:gs pos=\"100000\">{}</a:gs></a:gsLst>\
             <a:lin ang=\"2700000\" scaled=\"1\"/></a:gradFill>",
            self.color(begin),
            self.color(end)
        )
    }
}

/// The colour of a data series: by its place, not by its value, so that two series stay two when the theme is changed.
pub(super) fn series(index: usize) -> String {
    format!(
        "<a:solidFill><a:schemeClr val=\"accent{}\"/></a:solidFill>",
        index % 6 + 1
    )
}

fn digits(color: Rgb) -> String {
    color.hex().trim_start_matches('#').to_uppercase()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn colours_of_the_theme_are_references_and_others_are_values() {
        let palette = Palette::new(&spec::default_theme());
        let scheme = Scheme::new(&palette);
        assert_eq!(scheme.color(palette.text), "<a:schemeClr val=\"tx1\"/>");
        assert_eq!(scheme.color(palette.field), "<a:schemeClr val=\"tx2\"/>");
        assert_eq!(
            scheme.translucent(palette.bg, 0.5),
            "<a:schemeClr val=\"bg1\"><a:alpha val=\"50000\"/></a:schemeClr>"
        );
        assert!(
            scheme
                .color(palette.tint)
                .starts_with("<a:schemeClr val=\"accent1\"><a:satMod")
        );
        assert_eq!(scheme.color(Rgb(1, 2, 3)), "<a:srgbClr val=\"010203\"/>");
    }
}
