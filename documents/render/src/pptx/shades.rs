//! A colour as a shade of another: what a theme's other colours are derived from follows the theme when it is changed.

use spec::Rgb;

use super::units::thousandths;

/// Largest difference in one of the three channels by which a shade may miss its colour: not to be seen.
const CHANNEL_MAX: u8 = 3;

/// Hue in turns, saturation and lightness from 0 to 1.
#[derive(Debug, Clone, Copy)]
struct Hsl {
    hue: f64,
    saturation: f64,
    lightness: f64,
}

/// The changes that make `target` of `base`, as the format writes them; nothing when no shade of it comes near enough.
///
/// A lighter shade goes towards white and a darker one towards black, as in PowerPoint's own palette of shades.
pub(super) fn shade(base: Rgb, target: Rgb) -> Option<String> {
    let (from, to) = (hsl(base), hsl(target));
    let saturation = if from.saturation > 0.0 {
        to.saturation / from.saturation
    } else {
        1.0
    };
    let (factor, offset) = if to.lightness > from.lightness {
        let factor = (1.0 - to.lightness) / (1.0 - from.lightness);
        (factor, 1.0 - factor)
    } else if from.lightness > 0.0 {
        (to.lightness / from.lightness, 0.0)
    } else {
        (1.0, 0.0)
    };
    let reached = rgb(Hsl {
        saturation: (from.saturation * saturation).clamp(0.0, 1.0),
        lightness: (from.lightness * factor + offset).clamp(0.0, 1.0),
        ..from
    });
    let near = |a: u8, b: u8| a.abs_diff(b) <= CHANNEL_MAX;
    if !near(reached.0, target.0) || !near(reached.1, target.1) || !near(reached.2, target.2) {
        return None;
    }
    let mut xml = format!(
        "<a:satMod val=\"{}\"/><a:lumMod val=\"{}\"/>",
        thousandths(saturation),
        thousandths(factor)
    );
    if offset > 0.0 {
        xml.push_str(&format!("<a:lumOff val=\"{}\"/>", thousandths(offset)));
    }
    Some(xml)
}

/// A change that the format makes to a colour.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Change {
    LightnessTimes(f64),
    LightnessPlus(f64),
    SaturationTimes(f64),
    /// So much of the colour stays, the rest becomes white.
    Tint(f64),
    /// So much of the colour stays, the rest becomes black.
    Shade(f64),
}

/// The colour after a change.
pub(super) fn changed(color: Rgb, change: Change) -> Rgb {
    let from = hsl(color);
    let lightness = |lightness: f64| {
        rgb(Hsl {
            lightness: lightness.clamp(0.0, 1.0),
            ..from
        })
    };
    match change {
        Change::LightnessTimes(factor) => lightness(from.lightness * factor),
        Change::LightnessPlus(offset) => lightness(from.lightness + offset),
        Change::SaturationTimes(factor) => rgb(Hsl {
            saturation: (from.saturation * factor).clamp(0.0, 1.0),
            ..from
        }),
        Change::Tint(share) => Rgb::WHITE.mix(color, share.clamp(0.0, 1.0)),
        Change::Shade(share) => Rgb::BLACK.mix(color, share.clamp(0.0, 1.0)),
    }
}

fn hsl(Rgb(r, g, b): Rgb) -> Hsl {
    let [r, g, b] = [r, g, b].map(|channel| f64::from(channel) / 255.0);
    let (most, least) = (r.max(g).max(b), r.min(g).min(b));
    let (range, sum) = (most - least, most + least);
    let hue = if range <= 0.0 {
        0.0
    } else if most <= r {
        ((g - b) / range).rem_euclid(6.0)
    } else if most <= g {
        (b - r) / range + 2.0
    } else {
        (r - g) / range + 4.0
    };
    Hsl {
        hue: hue / 6.0,
        saturation: if range <= 0.0 {
            0.0
        } else {
            range / (1.0 - (sum - 1.0).abs())
        },
        lightness: sum / 2.0,
    }
}

fn rgb(color: Hsl) -> Rgb {
    let reach = color.saturation * color.lightness.min(1.0 - color.lightness);
    let channel = |shift: f64| {
        let at = (shift + color.hue * 12.0).rem_euclid(12.0);
        let value = color.lightness - reach * (at - 3.0).min(9.0 - at).clamp(-1.0, 1.0);
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a share of 255 is a byte"
        )]
        let byte = (value.clamp(0.0, 1.0) * 255.0).round() as u8;
        byte
    };
    Rgb(channel(0.0), channel(8.0), channel(4.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_colour_survives_the_way_there_and_back() {
        for color in [
            Rgb(0, 0, 0),
            Rgb(255, 255, 255),
            Rgb(31, 111, 74),
            Rgb(200, 1, 99),
            Rgb(12, 13, 250),
            Rgb(90, 90, 90),
        ] {
            assert_eq!(rgb(hsl(color)), color);
        }
    }

    #[test]
    fn a_lighter_and_a_darker_one_are_shades_and_another_hue_is_none() {
        let base = Rgb(0x44, 0x72, 0xc4);
        // PowerPoint's "lighter 80 %" of its own first accent, with the saturation as it is.
        let lighter = shade(base, Rgb(0xda, 0xe3, 0xf3)).expect("a shade");
        assert!(lighter.contains("<a:lumMod val=\"199"), "{lighter}");
        assert!(lighter.contains("<a:lumOff val=\"800"), "{lighter}");
        let darker = shade(base, Rgb(0x2f, 0x54, 0x96)).expect("a shade");
        assert!(darker.contains("<a:lumMod val=\"7") && !darker.contains("lumOff"));
        assert_eq!(shade(base, Rgb(0xc4, 0x44, 0x44)), None);
        assert_eq!(shade(Rgb(128, 128, 128), Rgb(255, 0, 0)), None);
    }
}
