//! Pictures of a PDF: photographs in the form in which the file has them, and plain pixels as PNG.
//!
//! A photograph (JPEG) in grey or in red, green and blue is taken without being decoded. Pixels that are compressed with Flate alone are
//! measured and then inflated, up to a number for the file. All others (JPEG 2000, facsimile, printing colours, masks) are counted and
//! named: to draw them correctly takes a large part of a PDF viewer.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_interpret::kurbo::{Affine, Point};
use hayro_interpret::{Image, ImageData, RasterImage};
use image::{ExtendedColorType, ImageEncoder as _, codecs::png::PngEncoder};
use spec::source::EmbeddedPicture;

use super::guard;
use crate::readers::office::media;

/// The smallest side of a picture in pixels: smaller ones are icons, lines and the corners of boxes.
const SIDE_MIN: u32 = 100;

/// Pixels of a picture that is inflated, and of all of a file: three bytes each, and as much again while it is packed.
const PIXELS_MAX: u64 = 8_000_000;
const PIXELS_OF_FILE_MAX: u64 = 32_000_000;

/// A picture of a page, and where it stands, in points from the left and the top.
#[derive(Debug)]
pub(super) struct PlacedPicture {
    pub(super) picture: EmbeddedPicture,
    pub(super) x0: f64,
    pub(super) x1: f64,
    /// Its lower edge.
    pub(super) y: f64,
}

/// What happened to a picture that is drawn.
pub(super) enum Drawn {
    Taken(PlacedPicture),
    /// It was taken before: a picture that is drawn several times, such as a logo, is given once.
    Again,
    /// It is too small, or of a kind that is not taken.
    Left,
}

/// The pictures of a file so far.
pub(super) struct Pictures {
    /// Whether each was taken.
    seen: BTreeMap<ObjectIdentifier, bool>,
    pixels_left: u64,
}

impl Pictures {
    pub(super) fn new() -> Self {
        Self {
            seen: BTreeMap::new(),
            pixels_left: PIXELS_OF_FILE_MAX,
        }
    }

    pub(super) fn draw(&mut self, image: &Image<'_, '_>, place: Affine) -> Drawn {
        let Image::Raster(raster) = image else {
            return Drawn::Left;
        };
        let id = raster.stream().obj_id();
        // Pictures within the instructions of a page have no number of their own, and most of them are small.
        if id == ObjectIdentifier::new(0, 0) {
            return Drawn::Left;
        }
        match self.seen.get(&id) {
            Some(true) => return Drawn::Again,
            Some(false) => return Drawn::Left,
            None => {}
        }
        let picture = self.read(raster);
        self.seen.insert(id, picture.is_some());
        match picture {
            Some(picture) => {
                let size = (f64::from(raster.width()), f64::from(raster.height()));
                Drawn::Taken(placed(picture, size, place))
            }
            None => Drawn::Left,
        }
    }

    fn read(&mut self, raster: &RasterImage<'_>) -> Option<EmbeddedPicture> {
        let (width, height) = (raster.width(), raster.height());
        let dict = raster.stream().dict();
        // A mask is a separate picture, with its own filters and size, and decides which parts are transparent.
        let has_mask = ["SMask", "Mask", "SMaskInData", "Matte"]
            .iter()
            .any(|name| dict.contains_key(name.as_bytes()));
        let bits = dict.get::<i32>("BitsPerComponent").unwrap_or(8);
        if has_mask || bits > 8 || width.min(height) < SIDE_MIN || !has_usual_colors(dict) {
            return None;
        }
        match raster.stream().filters().as_slice() {
            [Filter::DctDecode] => photograph(raster.stream()),
            [Filter::FlateDecode] => self.pixels(raster),
            // The library ignores a filter that it does not know.
            [] if !dict.contains_key(b"Filter") && !dict.contains_key(b"F") => self.pixels(raster),
            _ => None,
        }
    }

    fn pixels(&mut self, raster: &RasterImage<'_>) -> Option<EmbeddedPicture> {
        let pixels = u64::from(raster.width()) * u64::from(raster.height());
        if pixels > PIXELS_MAX.min(self.pixels_left) {
            return None;
        }
        // A picture that fails costs time as well, so it is counted.
        self.pixels_left -= pixels;
        // Three channels of one byte each, and one byte for each line that says how the line is compressed.
        let most = pixels
            .saturating_mul(3)
            .saturating_add(raster.height().into());
        let stream = raster.stream();
        if !stream.filters().is_empty() && guard::inflated(&stream.raw_data(), most) > most {
            return None;
        }
        let mut png = None;
        // The library fails on some pictures; the rest of the page is still read.
        let read = AssertUnwindSafe(|| raster.with_rgba(|color, _| png = packed(&color), None));
        catch_unwind(read).ok()?;
        media::embedded(png?)
    }
}

/// The bytes of a JPEG that every program shows in the same colours.
fn photograph(stream: &Stream<'_>) -> Option<EmbeddedPicture> {
    let dict = stream.dict();
    let is_turned = ["Decode", "DecodeParms"]
        .iter()
        .any(|name| dict.contains_key(name.as_bytes()));
    if is_turned {
        return None;
    }
    let picture = media::embedded(stream.raw_data().into_owned())?;
    (picture.media_type == "image/jpeg" && picture.width > 0).then_some(picture)
}

/// Grey, or red, green and blue.
fn has_usual_colors(dict: &Dict<'_>) -> bool {
    match dict.get::<Object<'_>>("ColorSpace") {
        Some(Object::Name(name)) => matches!(name.as_str(), "DeviceRGB" | "DeviceGray"),
        Some(Object::Array(space)) => is_usual_space(&space),
        Some(_) | None => false,
    }
}

fn is_usual_space(space: &Array<'_>) -> bool {
    let mut parts = space.flex_iter();
    match parts.next::<Name<'_>>() {
        Some(name) if matches!(name.as_str(), "CalRGB" | "CalGray") => true,
        // A list of colours, each of which is in one of these two spaces.
        Some(name) if name.as_str() == "Indexed" => match parts.next::<Object<'_>>() {
            Some(Object::Name(base)) => matches!(base.as_str(), "DeviceRGB" | "DeviceGray"),
            Some(Object::Array(base)) => is_calibrated(&base),
            Some(_) | None => false,
        },
        Some(_) => is_calibrated(space),
        None => false,
    }
}

/// Grey, or red, green and blue, with a profile.
fn is_calibrated(space: &Array<'_>) -> bool {
    let mut parts = space.flex_iter();
    let is_profile = parts
        .next::<Name<'_>>()
        .is_some_and(|name| name.as_str() == "ICCBased");
    let profile = parts.next::<Stream<'_>>().filter(|_| is_profile);
    let channels = profile.and_then(|profile| profile.dict().get::<i32>("N"));
    matches!(channels, Some(1 | 3))
}

fn packed(color: &ImageData) -> Option<Vec<u8>> {
    let mut png = Cursor::new(vec![]);
    let (data, kind) = match color {
        ImageData::Rgb(rgb) => (&rgb.data, ExtendedColorType::Rgb8),
        ImageData::Luma(luma) => (&luma.data, ExtendedColorType::L8),
    };
    let encoder = PngEncoder::new(&mut png);
    let written = encoder.write_image(data, color.width(), color.height(), kind);
    written.ok()?;
    Some(png.into_inner())
}

/// `place` maps the pixels of a picture to the page.
fn placed(picture: EmbeddedPicture, (width, height): (f64, f64), place: Affine) -> PlacedPicture {
    let corners = [(0.0, 0.0), (width, 0.0), (0.0, height), (width, height)];
    let corners = corners.map(|(x, y)| place * Point::new(x, y));
    let most = |of: fn(&Point) -> f64| corners.iter().map(of).fold(f64::NEG_INFINITY, f64::max);
    PlacedPicture {
        x0: -most(|point| -point.x),
        x1: most(|point| point.x),
        y: most(|point| point.y),
        picture,
    }
}
