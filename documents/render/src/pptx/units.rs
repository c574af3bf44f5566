//! CSS pixels of a scene as the units of the format.

/// English metric units in a CSS pixel: 914,400 in an inch of 96 pixels.
const EMU_PER_PX: f64 = 9525.0;

/// Hundredths of a point in a CSS pixel.
const CENTIPOINTS_PER_PX: f64 = 75.0;

/// English metric units; what is not a number is 0.
pub(super) fn emu(px: f32) -> i64 {
    whole(f64::from(px) * EMU_PER_PX)
}

/// Hundredths of a point, the unit of type sizes and line pitches.
pub(super) fn centipoints(px: f32) -> i64 {
    whole(f64::from(px) * CENTIPOINTS_PER_PX)
}

/// Thousandths of a percent; a `share` of 1 is the whole.
pub(super) fn thousandths(share: f64) -> i64 {
    whole(share * 100_000.0)
}

#[expect(
    clippy::cast_possible_truncation,
    reason = "the cast saturates, and a page has millions of units, not quintillions"
)]
fn whole(value: f64) -> i64 {
    value.round() as i64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_page_has_the_size_of_a_widescreen_slide() {
        assert_eq!((emu(1280.0), emu(720.0)), (12_192_000, 6_858_000));
        assert_eq!(centipoints(24.0), 1800);
        assert_eq!(emu(f32::NAN), 0);
    }
}
