//! Pictures that somebody else made: what they are by their bytes, upright, small enough, and without what stands beside the
//! pixels.
//!
//! What comes in is decoded and written again. That drops metadata (places, names of cameras, thumbnails), anything that was
//! hidden behind the picture, and shows that every pixel of it can be read.

use std::io::Cursor;

use base64::Engine as _;
use base64::prelude::BASE64_STANDARD as BASE64;
use image::codecs::jpeg::JpegEncoder;
use image::codecs::png::PngEncoder;
use image::imageops::FilterType;
use image::{DynamicImage, ImageDecoder, ImageFormat, ImageReader, Limits};
use thiserror::Error;

use crate::decoding::{self, Patience, Share};

/// The most bytes of a picture that is read: a photo of 24 megapixels has about ten megabytes.
pub const PICTURE_BYTES_MAX: usize = 20 * 1024 * 1024;
/// The most pixels of a picture that is read: what telephones make by default (24 million) and some more. Decoded, they take
/// four bytes each.
pub const PICTURE_PIXELS_MAX: u64 = 32_000_000;
/// The longest side of a picture that is read: a panorama of a telephone.
pub const PICTURE_SIDE_MAX: u32 = 16_384;
/// How well JPEG is written again; above it files grow and nobody sees a difference.
const JPEG_QUALITY: u8 = 92;

/// A picture without anything beside its pixels.
#[derive(Clone, PartialEq, Eq)]
pub struct Picture {
    pub bytes: Vec<u8>,
    /// `image/png` or `image/jpeg`.
    pub media_type: &'static str,
    /// In pixels.
    pub width: u32,
    pub height: u32,
}

impl Picture {
    /// The picture as a data URL, an address that contains all of it.
    pub(crate) fn data_url(&self) -> String {
        let bytes = BASE64.encode(&self.bytes);
        format!("data:{};base64,{bytes}", self.media_type)
    }
}

impl std::fmt::Debug for Picture {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let (bytes, kind) = (self.bytes.len(), self.media_type);
        write!(
            f,
            "{bytes} bytes of {kind}, {} x {}",
            self.width, self.height
        )
    }
}

/// Why something is not taken for a picture.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PictureError {
    #[error("this is no picture: PNG, JPEG and WebP are read")]
    NoPicture,
    #[error("the picture has {bytes} bytes, at most {PICTURE_BYTES_MAX} are read: make it smaller")]
    TooManyBytes { bytes: usize },
    #[error(
        "the picture has {width} x {height} pixels; it may have {PICTURE_PIXELS_MAX} in all and {PICTURE_SIDE_MAX} on a side: \
         make it smaller"
    )]
    TooManyPixels { width: u32, height: u32 },
    #[error("the picture cannot be read: {cause}")]
    Broken { cause: String },
    #[error("too many pictures are being read at the moment; try again in a moment")]
    Busy,
}

impl PictureError {
    /// Why, for people who read Chinese.
    #[must_use]
    pub fn in_chinese(&self) -> String {
        match self {
            Self::NoPicture => "这不是图片，只能读取 PNG、JPEG 和 WebP".to_owned(),
            Self::TooManyBytes { bytes } => {
                format!("图片有 {bytes} 字节，最多读取 {PICTURE_BYTES_MAX} 字节，请缩小")
            }
            Self::TooManyPixels { width, height } => format!(
                "图片有 {width} × {height} 像素，总数不能超过 {PICTURE_PIXELS_MAX}，边长不能超过 {PICTURE_SIDE_MAX}，请缩小"
            ),
            Self::Broken { cause } => format!("图片无法读取（{cause}）"),
            Self::Busy => "正在读取的图片太多，请稍后再试".to_owned(),
        }
    }
}

/// What the first bytes say that this is, whatever it is called.
#[must_use]
pub fn media_type_of(bytes: &[u8]) -> Option<&'static str> {
    format_of(bytes).map(|format| format.to_mime_type())
}

fn format_of(bytes: &[u8]) -> Option<ImageFormat> {
    match bytes {
        [0x89, b'P', b'N', b'G', b'\r', b'\n', 0x1a, b'\n', ..] => Some(ImageFormat::Png),
        [0xff, 0xd8, 0xff, ..] => Some(ImageFormat::Jpeg),
        [
            b'R',
            b'I',
            b'F',
            b'F',
            _,
            _,
            _,
            _,
            b'W',
            b'E',
            b'B',
            b'P',
            ..,
        ] => Some(ImageFormat::WebP),
        _ => None,
    }
}

/// The picture upright and without metadata. JPEG stays JPEG, everything else becomes PNG.
///
/// # Errors
/// When the bytes are no picture, or the picture is larger than the limits or damaged.
pub fn cleaned(bytes: &[u8]) -> Result<Picture, PictureError> {
    let read = read(bytes, None, Patience::Limited)?;
    written(&read.pixels, read.format)
}

/// The width and height that a picture's header states; decoding it gives exactly these.
///
/// # Errors
/// When the bytes are no picture, or the picture is larger than the limits; damage after the header is not noticed.
pub fn size_of(bytes: &[u8]) -> Result<(u32, u32), PictureError> {
    let (_, decoder) = decoder(bytes)?;
    Ok(decoder.dimensions())
}

/// The picture with no side longer than `side` pixels, otherwise as [`cleaned`].
///
/// # Errors
/// As of [`cleaned`].
pub fn at_most(bytes: &[u8], side: u32) -> Result<Picture, PictureError> {
    shrunk(bytes, side, Patience::Limited)
}

pub(crate) fn shrunk(bytes: &[u8], side: u32, patience: Patience) -> Result<Picture, PictureError> {
    let Decoded {
        format,
        pixels,
        share,
    } = read(bytes, Some(side), patience)?;
    let long = pixels.width().max(pixels.height());
    if long <= side {
        return written(&pixels, format);
    }
    let smaller = pixels.resize(side, side, FilterType::CatmullRom);
    drop((pixels, share));
    written(&smaller, format)
}

/// The picture to be shown to a model: no side longer than `side` pixels, and as JPEG where nothing of it is transparent, since
/// it goes through the wire as text.
///
/// # Errors
/// As of [`cleaned`].
pub fn to_be_looked_at(bytes: &[u8], side: u32) -> Result<Picture, PictureError> {
    looked_at(bytes, side, Patience::Limited)
}

pub(crate) fn looked_at(
    bytes: &[u8],
    side: u32,
    patience: Patience,
) -> Result<Picture, PictureError> {
    let Decoded {
        format,
        mut pixels,
        share: _share,
    } = read(bytes, Some(side), patience)?;
    if pixels.width().max(pixels.height()) > side {
        pixels = pixels.resize(side, side, FilterType::CatmullRom);
    }
    let format = if shines_through(&pixels) {
        format
    } else {
        ImageFormat::Jpeg
    };
    written(&pixels, format)
}

/// The middle of a picture in the shape of a box, as large as can be, no side longer than `side` pixels.
pub(crate) fn cut_to(
    bytes: &[u8],
    (w, h): (f32, f32),
    side: u32,
    patience: Patience,
) -> Result<Picture, PictureError> {
    let Decoded {
        pixels,
        share: _share,
        ..
    } = read(bytes, None, patience)?;
    let (whole_w, whole_h) = (pixels.width(), pixels.height());
    // The side that is too long for the shape of the box is cut.
    let scaled = |length: u32, share: f32| ((length as f32 * share).round() as u32).max(1);
    let cut_w = scaled(whole_h, w / h).min(whole_w);
    let cut_h = scaled(whole_w, h / w).min(whole_h);
    let (x, y) = ((whole_w - cut_w) / 2, (whole_h - cut_h) / 2);
    let mut pixels = pixels.crop_imm(x, y, cut_w, cut_h);
    if cut_w.max(cut_h) > side {
        pixels = pixels.resize(side, side, FilterType::CatmullRom);
    }
    let format = if shines_through(&pixels) {
        ImageFormat::Png
    } else {
        ImageFormat::Jpeg
    };
    written(&pixels, format)
}

/// A picture that was decoded, which holds its share of the room until it is dropped.
pub(crate) struct Decoded {
    pub(crate) format: ImageFormat,
    pub(crate) pixels: DynamicImage,
    pub(crate) share: Share<'static>,
}

/// Decodes a picture within the limits and turns it upright. `side` is the longest side that the caller makes it smaller to afterwards,
/// which takes memory as well.
pub(crate) fn read(
    bytes: &[u8],
    side: Option<u32>,
    patience: Patience,
) -> Result<Decoded, PictureError> {
    let (format, mut decoder) = decoder(bytes)?;
    let share = decoding::share(memory(&decoder, side), patience).ok_or(PictureError::Busy)?;
    // A picture whose orientation cannot be read is shown as it is.
    let turned = decoder.orientation().ok();
    let mut pixels = DynamicImage::from_decoder(decoder).map_err(broken)?;
    if let Some(turned) = turned {
        pixels.apply_orientation(turned);
    }
    Ok(Decoded {
        format,
        pixels,
        share,
    })
}

/// Bytes that decoding this picture takes: its pixels, a copy of them with four channels of eight bits, and what making it smaller
/// has in between, with four channels of floating point.
fn memory(decoder: &impl ImageDecoder, side: Option<u32>) -> u64 {
    const COPY_BYTES: u64 = 4;
    const BETWEEN_BYTES: u64 = 16;
    let (width, height) = decoder.dimensions();
    let (width, height) = (u64::from(width), u64::from(height));
    let between = match side.map(u64::from) {
        // The height is made smaller before the width.
        Some(side) if width.max(height) > side => {
            let lines = (height * side).div_ceil(width.max(height));
            width * lines * BETWEEN_BYTES
        }
        Some(_) | None => 0,
    };
    decoder.total_bytes() + width * height * COPY_BYTES + between
}

/// The decoder of a picture whose header keeps to the limits. None of its pixels has been read.
fn decoder(bytes: &[u8]) -> Result<(ImageFormat, impl ImageDecoder + '_), PictureError> {
    if bytes.len() > PICTURE_BYTES_MAX {
        return Err(PictureError::TooManyBytes { bytes: bytes.len() });
    }
    let format = format_of(bytes).ok_or(PictureError::NoPicture)?;
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    let mut limits = Limits::default();
    limits.max_image_width = Some(PICTURE_SIDE_MAX);
    limits.max_image_height = Some(PICTURE_SIDE_MAX);
    // Eight bytes for each pixel: sixteen bits in four channels.
    limits.max_alloc = Some(PICTURE_PIXELS_MAX * 8);
    reader.limits(limits);
    let decoder = reader.into_decoder().map_err(|error| match error {
        image::ImageError::Limits(_) => too_large(bytes, format).unwrap_or_else(|| broken(error)),
        error @ (image::ImageError::Decoding(_)
        | image::ImageError::Encoding(_)
        | image::ImageError::Parameter(_)
        | image::ImageError::Unsupported(_)
        | image::ImageError::IoError(_)) => broken(error),
    })?;
    let (width, height) = decoder.dimensions();
    if u64::from(width) * u64::from(height) > PICTURE_PIXELS_MAX {
        return Err(PictureError::TooManyPixels { width, height });
    }
    Ok((format, decoder))
}

fn broken(error: image::ImageError) -> PictureError {
    PictureError::Broken {
        cause: error.to_string(),
    }
}

/// How large a picture is that was refused before it was read.
fn too_large(bytes: &[u8], format: ImageFormat) -> Option<PictureError> {
    let mut reader = ImageReader::with_format(Cursor::new(bytes), format);
    reader.no_limits();
    let (width, height) = reader.into_dimensions().ok()?;
    Some(PictureError::TooManyPixels { width, height })
}

/// Whether any pixel lets through what is behind it. Many pictures have an alpha channel and no such pixel.
fn shines_through(pixels: &DynamicImage) -> bool {
    if let Some(pixels) = pixels.as_rgba8() {
        return pixels.pixels().any(|pixel| pixel[3] < u8::MAX);
    }
    pixels.color().has_alpha() && pixels.to_rgba8().pixels().any(|pixel| pixel[3] < u8::MAX)
}

fn written(pixels: &DynamicImage, format: ImageFormat) -> Result<Picture, PictureError> {
    let mut bytes = Vec::new();
    let media_type = if format == ImageFormat::Jpeg {
        let encoder = JpegEncoder::new_with_quality(&mut bytes, JPEG_QUALITY);
        pixels
            .to_rgb8()
            .write_with_encoder(encoder)
            .map_err(broken)?;
        "image/jpeg"
    } else {
        let encoder = PngEncoder::new(&mut bytes);
        // Eight bits a channel are what screens show.
        if shines_through(pixels) {
            pixels.to_rgba8().write_with_encoder(encoder)
        } else {
            pixels.to_rgb8().write_with_encoder(encoder)
        }
        .map_err(broken)?;
        "image/png"
    };
    Ok(Picture {
        bytes,
        media_type,
        width: pixels.width(),
        height: pixels.height(),
    })
}

#[cfg(test)]
mod tests {
    use image::RgbImage;

    use super::*;

    fn png(width: u32, height: u32) -> Vec<u8> {
        let pixels = RgbImage::from_fn(width, height, |x, y| {
            image::Rgb([
                u8::try_from(x % 256).unwrap_or(0),
                u8::try_from(y % 256).unwrap_or(0),
                90,
            ])
        });
        let mut bytes = Vec::new();
        let encoder = PngEncoder::new(&mut bytes);
        pixels.write_with_encoder(encoder).expect("a PNG");
        bytes
    }

    fn jpeg(width: u32, height: u32) -> Vec<u8> {
        let mut bytes = Vec::new();
        let encoder = JpegEncoder::new_with_quality(&mut bytes, 90);
        let pixels = RgbImage::from_pixel(width, height, image::Rgb([200, 30, 40]));
        pixels.write_with_encoder(encoder).expect("a JPEG");
        bytes
    }

    /// The same JPEG with an Exif block that says it lies on its side, and a comment.
    fn turned_jpeg(width: u32, height: u32) -> Vec<u8> {
        let exif = b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0";
        let plain = jpeg(width, height);
        let mut bytes = plain[..2].to_vec();
        for (marker, said) in [(0xe1, &exif[..]), (0xfe, b"taken at home")] {
            let length = u16::try_from(said.len() + 2).expect("short");
            bytes.extend([0xff, marker]);
            bytes.extend(length.to_be_bytes());
            bytes.extend(said);
        }
        bytes.extend(&plain[2..]);
        bytes
    }

    #[test]
    fn a_picture_is_what_its_bytes_say_and_nothing_else_is_one() {
        assert_eq!(media_type_of(&png(2, 2)), Some("image/png"));
        assert_eq!(media_type_of(&jpeg(2, 2)), Some("image/jpeg"));
        assert_eq!(media_type_of(b"RIFF\x10\0\0\0WEBPVP8 "), Some("image/webp"));
        for other in [&b""[..], b"<svg/>", b"GIF89a", b"%PDF-1.7", b"\x89PNG"] {
            assert_eq!(media_type_of(other), None);
            assert_eq!(cleaned(other), Err(PictureError::NoPicture));
        }
    }

    #[test]
    fn a_photo_comes_out_upright_and_says_nothing_of_where_it_was_taken() {
        let photo = turned_jpeg(60, 20);
        assert!(photo.windows(4).any(|said| said == b"Exif"));
        let clean = cleaned(&photo).expect("a picture");
        assert_eq!((clean.width, clean.height), (20, 60));
        assert_eq!(clean.media_type, "image/jpeg");
        for said in [&b"Exif"[..], b"taken at home"] {
            assert!(!clean.bytes.windows(said.len()).any(|bytes| bytes == said));
        }
    }

    #[test]
    fn what_stands_behind_a_picture_is_not_kept() {
        let mut carrier = png(8, 8);
        carrier.extend(b"PK\x03\x04 something else");
        let clean = cleaned(&carrier).expect("a picture");
        assert!(!clean.bytes.windows(4).any(|bytes| bytes == b"PK\x03\x04"));
        assert_eq!(
            (clean.width, clean.height, clean.media_type),
            (8, 8, "image/png")
        );
    }

    #[test]
    fn a_picture_that_would_fill_the_memory_is_refused_before_it_is_read() {
        // Only the header claims this size: there are no pixels behind it.
        let mut bomb = png(2, 2);
        bomb[16..24].copy_from_slice(&[0, 0, 0x3f, 0xff, 0, 0, 0x3f, 0xff]);
        let crc = crc32(&bomb[12..29]);
        bomb[29..33].copy_from_slice(&crc.to_be_bytes());
        let refused = cleaned(&bomb).expect_err("too large");
        let expected = PictureError::TooManyPixels {
            width: 16_383,
            height: 16_383,
        };
        assert_eq!(refused, expected);
        let fat = vec![0xff; PICTURE_BYTES_MAX + 1];
        assert!(matches!(
            cleaned(&fat),
            Err(PictureError::TooManyBytes { .. })
        ));
    }

    #[test]
    fn a_picture_that_was_cut_is_broken() {
        let whole = png(64, 64);
        let cut = cleaned(&whole[..whole.len() / 2]);
        assert!(matches!(cut, Err(PictureError::Broken { .. })), "{cut:?}");
    }

    #[test]
    fn a_large_picture_is_made_smaller_and_a_small_one_is_left() {
        let smaller = at_most(&png(400, 100), 200).expect("a picture");
        assert_eq!((smaller.width, smaller.height), (200, 50));
        let shown = to_be_looked_at(&png(400, 100), 200).expect("a picture");
        let size = (shown.width, shown.height);
        assert_eq!((size, shown.media_type), ((200, 50), "image/jpeg"));
        let same = at_most(&png(200, 100), 200).expect("a picture");
        assert_eq!((same.width, same.height), (200, 100));
    }

    /// As the PNG specification has it.
    fn crc32(bytes: &[u8]) -> u32 {
        let mut crc = u32::MAX;
        for byte in bytes {
            crc ^= u32::from(*byte);
            for _ in 0..8 {
                crc = if crc & 1 == 1 {
                    0xedb8_8320 ^ (crc >> 1)
                } else {
                    crc >> 1
                };
            }
        }
        !crc
    }
}
