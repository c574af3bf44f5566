//! Pictures in a package.

use std::collections::HashSet;

use spec::source::{EmbeddedPicture, SourcePicture};

use crate::Unreadable;
use crate::package::{Package, PackagePart};

/// The pictures that were taken so far. A picture that a file shows several times, such as a logo on each slide, is given with its bytes
/// once and by its name after that: a hundred copies in memory would be of no use.
#[derive(Default)]
pub(in crate::readers) struct Media {
    taken: HashSet<String>,
}

impl Media {
    pub(in crate::readers) fn picture(
        &mut self,
        part: &str,
        alt: &str,
        package: &mut Package<'_>,
    ) -> Result<SourcePicture, Unreadable> {
        let mut picture = SourcePicture {
            alt: alt.trim().to_owned(),
            reference: part.to_owned(),
            embedded: None,
        };
        if self.taken.insert(part.to_owned()) {
            let bytes = package.part(part)?.map(PackagePart::keep);
            picture.embedded = bytes.and_then(embedded);
        }
        Ok(picture)
    }
}

/// `None` if the bytes are not a picture of a known kind.
pub(in crate::readers) fn embedded(bytes: Vec<u8>) -> Option<EmbeddedPicture> {
    let media_type = media_type(&bytes)?;
    // Only the header is read; no pixel is decoded.
    let size = imagesize::blob_size(&bytes).ok();
    let pixels = |value: usize| u32::try_from(value).unwrap_or(0);
    Some(EmbeddedPicture {
        media_type: media_type.to_owned(),
        width: size.map_or(0, |size| pixels(size.width)),
        height: size.map_or(0, |size| pixels(size.height)),
        bytes,
    })
}

fn media_type(bytes: &[u8]) -> Option<&'static str> {
    Some(match bytes {
        [0x89, b'P', b'N', b'G', ..] => "image/png",
        [0xFF, 0xD8, 0xFF, ..] => "image/jpeg",
        [b'G', b'I', b'F', b'8', ..] => "image/gif",
        [b'B', b'M', ..] => "image/bmp",
        [b'I', b'I', b'*', 0, ..] | [b'M', b'M', 0, b'*', ..] => "image/tiff",
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
        ] => "image/webp",
        [0xD7, 0xCD, 0xC6, 0x9A, ..] | [1 | 2, 0, 9, 0, ..] => "image/wmf",
        [1, 0, 0, 0, ..] if bytes.get(40..44) == Some(b" EMF") => "image/emf",
        _ if is_svg(bytes) => "image/svg+xml",
        _ => return None,
    })
}

fn is_svg(bytes: &[u8]) -> bool {
    let start = &bytes[..bytes.len().min(1_000)];
    start.windows(4).any(|window| window == b"<svg")
}
