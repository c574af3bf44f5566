//! Pictures of a PDF: photographs in the form in which the file has them, and plain pixels as PNG.
//!
//! A photograph (JPEG) in grey or in red, green and blue is taken without being decoded. Pixels that are compressed with Flate alone,
//! photographs in printing colours and pictures in JPEG 2000 are measured and then decoded, up to a number of pixels for the file; where a
//! mask makes a picture transparent, the white of the page shows through. All others (facsimile, spot colours) are counted and named.

use std::collections::BTreeMap;
use std::io::Cursor;
use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::object::{Array, Dict, Name, Object, ObjectIdentifier, Stream};
use hayro_interpret::kurbo::{Affine, Point};
use hayro_interpret::{Image, ImageData, LumaData, RasterImage};
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
        let stream = raster.stream();
        let dict = stream.dict();
        if raster.width().min(raster.height()) < SIDE_MIN || !is_known_space(dict) {
            return None;
        }
        let has_mask = ["SMask", "Mask", "SMaskInData", "Matte"]
            .iter()
            .any(|name| dict.contains_key(name.as_bytes()));
        if stream.filters().as_slice() == [Filter::DctDecode] && !has_mask {
            let taken = photograph(stream);
            if taken.is_some() {
                return taken;
            }
        }
        self.pixels(raster)
    }

    fn pixels(&mut self, raster: &RasterImage<'_>) -> Option<EmbeddedPicture> {
        let stream = raster.stream();
        let mut pixels = pixels_of(stream)?;
        // A mask is a picture of its own, with its own filters and size.
        for name in ["SMask", "Mask"] {
            if let Some(mask) = stream.dict().get::<Stream<'_>>(name) {
                pixels = pixels.saturating_add(pixels_of(&mask)?);
            }
        }
        if pixels > PIXELS_MAX.min(self.pixels_left) {
            return None;
        }
        // A picture that fails costs time as well, so it is counted.
        self.pixels_left -= pixels;
        let mut png = None;
        // The library fails on some pictures; the rest of the page is still read.
        let read = AssertUnwindSafe(|| {
            raster.with_rgba(|color, alpha| png = packed(color, alpha.as_ref()), None);
        });
        catch_unwind(read).ok()?;
        media::embedded(png?)
    }
}

/// How many pixels a picture or a mask has once it is decoded; `None` where that cannot be known before, or where its bytes are more than its
/// pixels need.
fn pixels_of(stream: &Stream<'_>) -> Option<u64> {
    let dict = stream.dict();
    let side = |name, short| {
        let side = dict.get::<i32>(name).or_else(|| dict.get::<i32>(short));
        side.and_then(|side| u64::try_from(side).ok())
    };
    let height = side("Height", "H")?;
    let said = side("Width", "W")?.saturating_mul(height);
    let bytes = stream.raw_data();
    let own = match stream.filters().as_slice() {
        [Filter::DctDecode] => {
            let size = imagesize::blob_size(&bytes).ok()?;
            (size.width as u64).saturating_mul(size.height as u64)
        }
        [Filter::JpxDecode] => size_of_jpx(&bytes)?,
        [Filter::FlateDecode] => {
            let most = raw_bytes(said, height);
            (guard::inflated(&bytes, most) <= most).then_some(said)?
        }
        // The library ignores a filter that it does not know.
        [] if !dict.contains_key(b"Filter") && !dict.contains_key(b"F") => said,
        _ => return None,
    };
    Some(own.max(said))
}

/// The most bytes of so many pixels: four channels of two bytes each, and one byte for each line that says how the line is compressed.
fn raw_bytes(pixels: u64, height: u64) -> u64 {
    pixels.saturating_mul(8).saturating_add(height)
}

/// The pixels of a picture in JPEG 2000, as the header of its data says.
fn size_of_jpx(bytes: &[u8]) -> Option<u64> {
    // The start of the data, and of the segment with its size.
    let at = memchr::memmem::find(bytes, &[0xFF, 0x4F, 0xFF, 0x51])?;
    let number = |place: usize| {
        let four = bytes.get(at + place..at + place + 4)?;
        Some(u64::from(u32::from_be_bytes(four.try_into().ok()?)))
    };
    let (width, height) = (number(8)?, number(12)?);
    Some(width.saturating_mul(height))
}

/// The bytes of a JPEG that every program shows in the same colours.
fn photograph(stream: &Stream<'_>) -> Option<EmbeddedPicture> {
    let dict = stream.dict();
    let is_turned = ["Decode", "DecodeParms"]
        .iter()
        .any(|name| dict.contains_key(name.as_bytes()));
    if is_turned || is_printed(dict) {
        return None;
    }
    let picture = media::embedded(stream.raw_data().into_owned())?;
    (picture.media_type == "image/jpeg" && picture.width > 0).then_some(picture)
}

/// Grey, red, green and blue, or printing colours; a picture in JPEG 2000 may name its colours in its own data.
fn is_known_space(dict: &Dict<'_>) -> bool {
    match dict.get::<Object<'_>>("ColorSpace") {
        Some(Object::Name(name)) => is_device(&name),
        Some(Object::Array(space)) => is_usual_space(&space),
        Some(_) => false,
        None => dict
            .get::<Name<'_>>("Filter")
            .is_some_and(|name| name.as_str() == "JPXDecode"),
    }
}

fn is_device(name: &Name<'_>) -> bool {
    matches!(name.as_str(), "DeviceRGB" | "DeviceGray" | "DeviceCMYK")
}

fn is_usual_space(space: &Array<'_>) -> bool {
    let mut parts = space.flex_iter();
    match parts.next::<Name<'_>>() {
        Some(name) if matches!(name.as_str(), "CalRGB" | "CalGray") => true,
        // A list of colours, each of which is in one of these spaces.
        Some(name) if name.as_str() == "Indexed" => match parts.next::<Object<'_>>() {
            Some(Object::Name(base)) => is_device(&base),
            Some(Object::Array(base)) => is_calibrated(&base),
            Some(_) | None => false,
        },
        Some(_) => is_calibrated(space),
        None => false,
    }
}

/// The same with a profile.
fn is_calibrated(space: &Array<'_>) -> bool {
    let channels = channels_of_profile(space);
    matches!(channels, Some(1 | 3 | 4))
}

fn channels_of_profile(space: &Array<'_>) -> Option<i32> {
    let mut parts = space.flex_iter();
    let is_profile = parts
        .next::<Name<'_>>()
        .is_some_and(|name| name.as_str() == "ICCBased");
    let profile = parts.next::<Stream<'_>>().filter(|_| is_profile)?;
    profile.dict().get::<i32>("N")
}

/// Whether the colours are those of a printer, which programs that show pictures show differently.
fn is_printed(dict: &Dict<'_>) -> bool {
    match dict.get::<Object<'_>>("ColorSpace") {
        Some(Object::Name(name)) => name.as_str() == "DeviceCMYK",
        Some(Object::Array(space)) => channels_of_profile(&space) == Some(4),
        Some(_) | None => false,
    }
}

fn packed(mut color: ImageData, alpha: Option<&LumaData>) -> Option<Vec<u8>> {
    let (width, height) = (color.width(), color.height());
    if let Some(alpha) = alpha {
        on_white(&mut color, alpha);
    }
    let mut png = Cursor::new(vec![]);
    let (data, kind) = match &color {
        ImageData::Rgb(rgb) => (&rgb.data, ExtendedColorType::Rgb8),
        ImageData::Luma(luma) => (&luma.data, ExtendedColorType::L8),
    };
    let encoder = PngEncoder::new(&mut png);
    encoder.write_image(data, width, height, kind).ok()?;
    Some(png.into_inner())
}

/// Puts a picture on white; its mask may have another size.
fn on_white(color: &mut ImageData, alpha: &LumaData) {
    let (width, height) = (color.width() as usize, color.height() as usize);
    let (data, channels) = match color {
        ImageData::Rgb(rgb) => (&mut rgb.data, 3),
        ImageData::Luma(luma) => (&mut luma.data, 1),
    };
    let (across, down) = (alpha.width as usize, alpha.height as usize);
    for (place, pixel) in data.chunks_exact_mut(channels).enumerate() {
        let (x, y) = (place % width, place / width);
        let opaque = alpha
            .data
            .get(y * down / height * across + x * across / width);
        let opaque = u32::from(opaque.copied().unwrap_or(255));
        for channel in pixel {
            let mixed = (u32::from(*channel) * opaque + 255 * (255 - opaque)) / 255;
            *channel = u8::try_from(mixed).unwrap_or(255);
        }
    }
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
