//! A card on a picture: the picture fills the card, and the words are ours, on a panel that lets as much of the picture
//! through as they can be read on.
//!
//! Image models misspell, above all Chinese; what they draw is the ground, and never the text. How dense the panel must be is
//! measured on the pixels under it.

use image::imageops::{self, FilterType};
use image::{RgbImage, RgbaImage};
use spec::{CardShape, CardSpec, Placement, Rgb, Theme, limits};

use crate::PageContext;
use crate::decoding::Patience;
use crate::fonts::Fonts;
use crate::layouts::{OverlayScene, overlay_scene};
use crate::picture::{self, PictureError};
use crate::raster::{self, RasterError};
use crate::scene::Rect;

/// The panel is at least as dense as this, so that it is seen as one.
const DENSITY_MIN: f64 = 0.55;
/// Steps in which it becomes denser.
const DENSITY_STEP: f64 = 0.05;
/// What is under the panel is blurred by so many pixels, as through frosted glass: without edges, letters need less of a ground.
const BLUR: f32 = 14.0;

/// Why a card on a picture was not drawn.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum OverlayError {
    #[error(transparent)]
    Picture(#[from] PictureError),
    #[error(transparent)]
    Text(#[from] RasterError),
}

/// A drawn card.
#[derive(Debug, Clone, PartialEq)]
pub struct PictureCard {
    /// PNG.
    pub png: Vec<u8>,
    /// The least contrast of a text with what is under it, pixel by pixel; absent for a card without words.
    pub contrast: Option<f64>,
}

/// Draws a card on a picture: cut to the card's shape around its middle, with the card's small line, title and points at
/// their place.
///
/// # Errors
/// When the picture cannot be read, or a character of the words has no font here.
pub fn picture_card(
    picture: &[u8],
    card: &CardSpec,
    placement: Placement,
    shape: CardShape,
    theme: &Theme,
    language: &str,
    fonts: &Fonts,
) -> Result<PictureCard, OverlayError> {
    let (w, h) = shape.pixels();
    let read = picture::read(picture, Some(w.max(h)), Patience::Endless)?;
    let mut drawn = read
        .pixels
        .resize_to_fill(w, h, FilterType::CatmullRom)
        .to_rgb8();
    drop(read);
    let context = PageContext {
        title: card.title.clone(),
        page_number: 1,
        page_count: 1,
        language: language.to_owned(),
        offline: false,
        furniture: None,
    };
    let choices = [false, true].map(|dark| {
        let scene = overlay_scene(card, placement, shape, theme, &context, dark, fonts)?;
        let (density, contrast) = density(&drawn, &scene);
        Some((density, contrast, scene))
    });
    let mut least = None;
    if let [Some(light), Some(dark)] = choices {
        // The one that lets more of the picture through; where both do alike, the one that is easier to read.
        let darker = (dark.0, -dark.1) < (light.0, -light.1);
        let (density, contrast, scene) = if darker { dark } else { light };
        lay(&mut drawn, &scene, density);
        let svg = crate::svg::ungrounded(&scene.scene, theme, language);
        let words = raster::pixels(&svg, w, fonts)?;
        let words = RgbaImage::from_raw(w, h, words).ok_or(RasterError::Size {
            width: u64::from(w),
            height: u64::from(h),
        })?;
        draw(&mut drawn, &words);
        least = Some(contrast);
    }
    let mut png = Vec::new();
    drawn
        .write_with_encoder(image::codecs::png::PngEncoder::new(&mut png))
        .map_err(|error| RasterError::Unwritable {
            what: "picture",
            reason: error.to_string(),
        })?;
    Ok(PictureCard {
        png,
        contrast: least,
    })
}

/// The least density at which every ink is legible on every pixel, and the contrast that is reached there.
fn density(card: &RgbImage, scene: &OverlayScene) -> (f64, f64) {
    let under = frosted(card, scene.panel);
    let linear = Linear::new();
    let inks: Vec<f64> = scene.inks.iter().map(|ink| ink.luminance()).collect();
    let reached = |density: f64| {
        let mut ends = (f64::MAX, f64::MIN);
        for pixel in under.pixels() {
            let ground = Rgb(pixel[0], pixel[1], pixel[2]).mix(scene.ground, density);
            let luminance = linear.luminance(ground);
            ends = (ends.0.min(luminance), ends.1.max(luminance));
        }
        let contrast = |ink: &f64| {
            let one = |ground: f64| (ink.max(ground) + 0.05) / (ink.min(ground) + 0.05);
            if (ends.0..=ends.1).contains(ink) {
                1.0
            } else {
                one(ends.0).min(one(ends.1))
            }
        };
        inks.iter().map(contrast).fold(f64::MAX, f64::min)
    };
    let mut density = DENSITY_MIN;
    loop {
        let contrast = reached(density);
        if contrast >= limits::TEXT_CONTRAST_MIN || density >= 1.0 {
            return (density, contrast);
        }
        density = (density + DENSITY_STEP).min(1.0);
    }
}

/// The luminance of each value of a channel, computed once, since a picture has millions of values.
struct Linear([f64; 256]);

impl Linear {
    fn new() -> Self {
        let of = |channel: usize| {
            let grey = u8::try_from(channel).unwrap_or(u8::MAX);
            Rgb(grey, grey, grey).luminance()
        };
        Self(std::array::from_fn(of))
    }

    /// As [`Rgb::luminance`].
    fn luminance(&self, Rgb(r, g, b): Rgb) -> f64 {
        let [r, g, b] = [r, g, b].map(|channel| self.0[usize::from(channel)]);
        0.2126 * r + 0.7152 * g + 0.0722 * b
    }
}

/// The part of the card under a box, blurred.
fn frosted(card: &RgbImage, rect: Rect) -> RgbImage {
    let (x, y, w, h) = whole(rect, card);
    imageops::fast_blur(&imageops::crop_imm(card, x, y, w, h).to_image(), BLUR)
}

#[expect(
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "boxes stand on the card, whose sides are small numbers"
)]
fn whole(rect: Rect, card: &RgbImage) -> (u32, u32, u32, u32) {
    let (x, y) = (rect.x.max(0.0) as u32, rect.y.max(0.0) as u32);
    let (x, y) = (x.min(card.width() - 1), y.min(card.height() - 1));
    let (w, h) = (rect.w.ceil() as u32, rect.h.ceil() as u32);
    (
        x,
        y,
        w.clamp(1, card.width() - x),
        h.clamp(1, card.height() - y),
    )
}

/// Lays the panel on the card.
fn lay(card: &mut RgbImage, scene: &OverlayScene, density: f64) {
    let under = frosted(card, scene.panel);
    let (left, top, w, h) = whole(scene.panel, card);
    for (x, y, pixel) in under.enumerate_pixels() {
        let share = inside(scene.radius, (x, y), (w, h));
        if share <= 0.0 {
            continue;
        }
        let ground = Rgb(pixel[0], pixel[1], pixel[2]).mix(scene.ground, density);
        let there = card.get_pixel_mut(left + x, top + y);
        let mixed = Rgb(there[0], there[1], there[2]).mix(ground, share);
        *there = image::Rgb([mixed.0, mixed.1, mixed.2]);
    }
}

/// How much of a pixel is inside a box with round corners, 0 to 1.
fn inside(radius: f32, (x, y): (u32, u32), (w, h): (u32, u32)) -> f64 {
    let radius = f64::from(radius);
    let beyond = |at: u32, length: u32| {
        let (at, length) = (f64::from(at) + 0.5, f64::from(length));
        (radius - at).max(at - (length - radius)).max(0.0)
    };
    let distance = beyond(x, w).hypot(beyond(y, h));
    (radius - distance + 0.5).clamp(0.0, 1.0)
}

/// Draws the words, whose pixels are not premultiplied.
fn draw(card: &mut RgbImage, words: &RgbaImage) {
    for (there, word) in card.pixels_mut().zip(words.pixels()) {
        if word[3] == 0 {
            continue;
        }
        let share = f64::from(word[3]) / 255.0;
        let mixed = Rgb(there[0], there[1], there[2]).mix(Rgb(word[0], word[1], word[2]), share);
        *there = image::Rgb([mixed.0, mixed.1, mixed.2]);
    }
}

#[cfg(test)]
mod tests {
    use spec::CardRole;

    use super::*;

    fn said(title: &str, points: &[&str]) -> CardSpec {
        CardSpec {
            role: CardRole::Cover,
            title: title.to_owned(),
            kicker: None,
            points: points.iter().map(|point| (*point).to_owned()).collect(),
            footer: None,
            visual: None,
        }
    }

    /// A picture of two colours in stripes, which no ground is good for.
    fn stripes(width: u32, height: u32, dark: [u8; 3], light: [u8; 3]) -> Vec<u8> {
        let pixels = RgbImage::from_fn(width, height, |x, y| {
            image::Rgb(if (x / 160 + y / 160) % 2 == 0 {
                dark
            } else {
                light
            })
        });
        let mut bytes = std::io::Cursor::new(Vec::new());
        let written = pixels.write_to(&mut bytes, image::ImageFormat::Png);
        written.expect("a picture");
        bytes.into_inner()
    }

    fn drawn(picture: &[u8], placement: Placement) -> (RgbImage, f64) {
        let said = said("Two days without a queue", &["Three walks and one tram"]);
        let theme = spec::default_theme();
        let fonts = Fonts::embedded();
        let card = picture_card(
            picture,
            &said,
            placement,
            CardShape::Portrait,
            &theme,
            "en",
            &fonts,
        );
        let card = card.expect("a card");
        let pixels = image::load_from_memory(&card.png).expect("a PNG").to_rgb8();
        (pixels, card.contrast.expect("something is said"))
    }

    #[test]
    fn words_can_be_read_on_every_picture() {
        for (dark, light) in [
            ([0, 0, 0], [255, 255, 255]),
            ([120, 120, 120], [136, 136, 136]),
            ([255, 0, 0], [0, 0, 255]),
            ([250, 250, 250], [255, 255, 255]),
            ([0, 0, 0], [10, 10, 10]),
        ] {
            for theme in spec::builtin_themes() {
                let (w, h) = CardShape::Portrait.pixels();
                let picture = image::load_from_memory(&stripes(w, h, dark, light)).expect("ours");
                let context = PageContext {
                    title: String::new(),
                    page_number: 1,
                    page_count: 1,
                    language: "en".to_owned(),
                    offline: false,
                    furniture: None,
                };
                let said = said("Title", &[]);
                let fonts = Fonts::embedded();
                let shape = CardShape::Portrait;
                for side in [false, true] {
                    let place = Placement::Center;
                    let scene = overlay_scene(&said, place, shape, &theme, &context, side, &fonts);
                    let scene = scene.expect("something is said");
                    let mut card = picture.to_rgb8();
                    let (density, told) = density(&card, &scene);
                    lay(&mut card, &scene, density);
                    // Measured again on what is there, inside the corners.
                    let (x, y, w, h) = whole(scene.panel, &card);
                    let under =
                        imageops::crop_imm(&card, x + 40, y + 40, w - 80, h - 80).to_image();
                    let worst = under.pixels().fold(f64::MAX, |worst, pixel| {
                        let ground = Rgb(pixel[0], pixel[1], pixel[2]);
                        let inks = scene.inks.iter().map(|ink| spec::contrast(*ink, ground));
                        inks.fold(worst, f64::min)
                    });
                    assert!(
                        worst >= limits::TEXT_CONTRAST_MIN,
                        "{worst} on {dark:?} {light:?}"
                    );
                    assert!(told >= limits::TEXT_CONTRAST_MIN && told <= worst + 0.01);
                }
            }
        }
    }

    #[test]
    fn the_picture_fills_the_card_and_the_words_stand_where_they_should() {
        let blue = stripes(600, 300, [20, 40, 200], [20, 40, 200]);
        let at = |card: &RgbImage, y: u32| card.get_pixel(100, y).0;
        let ground = [20, 40, 200];
        for (placement, panel, free) in [
            (Placement::Top, 120, 1300),
            (Placement::Center, 720, 100),
            (Placement::Bottom, 1340, 100),
        ] {
            let (card, contrast) = drawn(&blue, placement);
            assert_eq!(card.dimensions(), (1080, 1440));
            assert!(contrast >= limits::TEXT_CONTRAST_MIN);
            assert_eq!(at(&card, free), ground, "{placement:?}");
            assert_ne!(at(&card, panel), ground, "{placement:?}");
            assert_eq!(card.get_pixel(10, panel).0, ground, "beside the panel");
        }
    }

    #[test]
    fn a_picture_without_words_is_only_cut_to_its_shape() {
        let theme = spec::default_theme();
        let picture = stripes(320, 100, [9, 9, 9], [9, 9, 9]);
        let (nothing, top) = (said("", &[]), Placement::Top);
        let fonts = Fonts::embedded();
        let card = picture_card(
            &picture,
            &nothing,
            top,
            CardShape::Square,
            &theme,
            "en",
            &fonts,
        );
        let card = card.expect("a card");
        assert_eq!(card.contrast, None);
        let pixels = image::load_from_memory(&card.png).expect("a PNG").to_rgb8();
        assert_eq!(pixels.dimensions(), (1080, 1080));
        assert!(pixels.pixels().all(|pixel| pixel.0 == [9, 9, 9]));
    }

    #[test]
    fn what_no_font_has_is_told_and_what_is_no_picture_is_refused() {
        let theme = spec::default_theme();
        let (said, top) = (said("光合", &[]), Placement::Top);
        let (fonts, shape) = (Fonts::embedded(), CardShape::Portrait);
        let picture = stripes(90, 120, [9, 9, 9], [200, 9, 9]);
        let card = picture_card(&picture, &said, top, shape, &theme, "zh-CN", &fonts);
        let Err(OverlayError::Text(RasterError::MissingGlyphs { characters, .. })) = card else {
            panic!("{card:?}")
        };
        assert_eq!(characters, ['光', '合']);
        let card = picture_card(b"<svg/>", &said, top, shape, &theme, "zh-CN", &fonts);
        assert_eq!(card, Err(OverlayError::Picture(PictureError::NoPicture)));
    }
}
