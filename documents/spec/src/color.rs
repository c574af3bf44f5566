//! Colours and their contrast.

use thiserror::Error;

/// An opaque sRGB colour.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Rgb(pub u8, pub u8, pub u8);

/// Why a text is not a colour.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
#[error("`{0}` is not a hex colour: write # and six hexadecimal digits, for example #1f6f4a")]
pub struct ColorError(pub String);

impl Rgb {
    pub const WHITE: Self = Self(255, 255, 255);
    pub const BLACK: Self = Self(0, 0, 0);

    /// Reads `#rrggbb` or `#rgb`.
    ///
    /// # Errors
    /// When the text has another form.
    pub fn parse(text: &str) -> Result<Self, ColorError> {
        let wrong = || ColorError(text.to_owned());
        let digits = text.strip_prefix('#').ok_or_else(wrong)?;
        let nibbles: Vec<u8> = digits
            .chars()
            .map(|digit| {
                digit
                    .to_digit(16)
                    .and_then(|value| u8::try_from(value).ok())
                    .ok_or_else(wrong)
            })
            .collect::<Result<_, _>>()?;
        match nibbles[..] {
            [r, g, b] => Ok(Self(r * 17, g * 17, b * 17)),
            [r, r2, g, g2, b, b2] => Ok(Self(r * 16 + r2, g * 16 + g2, b * 16 + b2)),
            _ => Err(wrong()),
        }
    }

    /// `#rrggbb` in lower case.
    #[must_use]
    pub fn hex(self) -> String {
        format!("#{:02x}{:02x}{:02x}", self.0, self.1, self.2)
    }

    /// This colour with `share` (0 to 1) of another mixed in.
    #[must_use]
    pub fn mix(self, other: Self, share: f64) -> Self {
        let share = share.clamp(0.0, 1.0);
        let channel = |a: u8, b: u8| {
            let value = f64::from(a) + (f64::from(b) - f64::from(a)) * share;
            #[expect(
                clippy::cast_possible_truncation,
                clippy::cast_sign_loss,
                reason = "a mean of two bytes is a byte"
            )]
            let byte = value.round() as u8;
            byte
        };
        Self(
            channel(self.0, other.0),
            channel(self.1, other.1),
            channel(self.2, other.2),
        )
    }

    /// Relative luminance of WCAG 2.2, 0 for black to 1 for white.
    #[must_use]
    pub fn luminance(self) -> f64 {
        let linear = |channel: u8| {
            let value = f64::from(channel) / 255.0;
            if value <= 0.04045 {
                value / 12.92
            } else {
                ((value + 0.055) / 1.055).powf(2.4)
            }
        };
        0.2126 * linear(self.0) + 0.7152 * linear(self.1) + 0.0722 * linear(self.2)
    }
}

/// WCAG contrast ratio, 1 to 21.
#[must_use]
pub fn contrast(a: Rgb, b: Rgb) -> f64 {
    let (a, b) = (a.luminance(), b.luminance());
    (a.max(b) + 0.05) / (a.min(b) + 0.05)
}

/// The colour itself, or the nearest mixture with white or black that reaches `ratio` on `ground`.
#[must_use]
pub fn readable(color: Rgb, ground: Rgb, ratio: f64) -> Rgb {
    let pole = if contrast(Rgb::WHITE, ground) >= contrast(Rgb::BLACK, ground) {
        Rgb::WHITE
    } else {
        Rgb::BLACK
    };
    (0..=20)
        .map(|step| color.mix(pole, f64::from(step) / 20.0))
        .find(|mixed| contrast(*mixed, ground) >= ratio)
        .unwrap_or(pole)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hex_is_read_in_both_lengths_and_nothing_else() {
        assert_eq!(Rgb::parse("#1f6F4a"), Ok(Rgb(0x1f, 0x6f, 0x4a)));
        assert_eq!(Rgb::parse("#fff"), Ok(Rgb::WHITE));
        for bad in [
            "red",
            "1f6f4a",
            "#12",
            "#12345g",
            "#1234567",
            "rgb(0,0,0)",
            "#绿",
        ] {
            assert_eq!(Rgb::parse(bad), Err(ColorError(bad.to_owned())));
        }
    }

    #[test]
    fn contrast_is_that_of_wcag() {
        assert!((contrast(Rgb::WHITE, Rgb::BLACK) - 21.0).abs() < 1e-9);
        assert!((contrast(Rgb(0x77, 0x77, 0x77), Rgb::WHITE) - 4.478).abs() < 1e-3);
    }

    #[test]
    fn a_readable_colour_reaches_its_ratio_on_any_ground() {
        for level in 0..=255 {
            let ground = Rgb(level, 255 - level, level / 2);
            assert!(
                contrast(readable(Rgb(200, 120, 40), ground, 4.5), ground) >= 4.5,
                "{ground:?}"
            );
        }
    }
}
