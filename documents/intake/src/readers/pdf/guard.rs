//! How large the streams of a file become, measured before the library inflates them completely.

use std::io::Read;

use flate2::read::{DeflateDecoder, ZlibDecoder};
use hayro_interpret::hayro_syntax::Filter;
use hayro_interpret::hayro_syntax::Pdf;
use hayro_interpret::hayro_syntax::object::{Name, Object, Stream};
use memchr::memmem;
use spec::source::SourceFormat;

use super::fonts;
use crate::budget::EXPANDED;
use crate::package::damaged;
use crate::{Reading, Unreadable};

/// The most bytes that one byte can become: that of Flate, and more than that of LZW with its codes of twelve bits.
const WORST: u64 = 1_400;

/// Pictures are inflated here, and by the library only within the limits of `pictures`; so this only bounds how long measuring may take. A
/// page of a scan has thirty megabytes.
const PICTURES: u64 = 16;

/// How far before its bytes the dictionary of a stream may begin.
const DICTIONARY: usize = 4_096;

/// Measures everything in the bytes that may be a compressed stream, because opening a file already inflates some of them.
pub(super) fn check_bytes(reading: &Reading<'_>) -> Result<(), Unreadable> {
    let bytes = reading.bytes;
    let most = reading.limits.expanded_bytes;
    let (mut total, mut pictures) = (0_u64, 0_u64);
    for (count, at) in memmem::find_iter(bytes, b"stream").enumerate() {
        if count % 256 == 0 {
            reading.go_on()?;
        }
        let head = &bytes[at.saturating_sub(DICTIONARY)..at];
        if head.ends_with(b"end") {
            continue;
        }
        let head = &head[memmem::rfind(head, b" obj").unwrap_or(0)..];
        let has = |name: &[u8]| memmem::find(head, name).is_some();
        let opens_file = has(b"/ObjStm") || has(b"/XRef");
        let other = [&b"/LZW"[..], b"/ASCII", b"/RunLength", b"#"];
        if opens_file && other.iter().any(|name| has(name)) {
            return Err(damaged(
                SourceFormat::Pdf,
                "its objects are packed in an unusual way",
            ));
        }
        let size = inflated(after_line(&bytes[at + 6..]), most);
        let is_picture = has(b"/Image");
        let sum = if is_picture {
            &mut pictures
        } else {
            &mut total
        };
        *sum = sum.saturating_add(size);
        if size > most || total > most || pictures > most.saturating_mul(PICTURES) {
            return Err(too_large(most));
        }
    }
    Ok(())
}

fn after_line(bytes: &[u8]) -> &[u8] {
    match bytes {
        [b'\r', b'\n', rest @ ..] | [b'\n' | b'\r', rest @ ..] => rest,
        _ => bytes,
    }
}

/// How many bytes result, up to one more than `most`; bytes that are not a compressed stream give few or none.
pub(super) fn inflated(bytes: &[u8], most: u64) -> u64 {
    let count = |decoder: &mut dyn Read| {
        let mut buffer = [0; 16 * 1024];
        let mut sum = 0_u64;
        while let Ok(read @ 1..) = decoder.read(&mut buffer) {
            sum += read as u64;
            if sum > most {
                break;
            }
        }
        sum
    };
    match bytes {
        [first, second, rest @ ..] if first & 0x0F == 8 => {
            let has_header = (u16::from(*first) << 8 | u16::from(*second)).is_multiple_of(31);
            if has_header {
                count(&mut ZlibDecoder::new(bytes))
            } else {
                // The library continues if the first two bytes are wrong.
                count(&mut DeflateDecoder::new(bytes)).max(count(&mut DeflateDecoder::new(rest)))
            }
        }
        _ => count(&mut DeflateDecoder::new(bytes)),
    }
}

/// Assumes the worst possible size for streams that are compressed in other ways, or more than once, and checks the fonts.
pub(super) fn check_streams(pdf: &Pdf, reading: &Reading<'_>) -> Result<(), Unreadable> {
    let most = reading.limits.expanded_bytes;
    let encrypted = memmem::find(reading.bytes, b"/Encrypt").is_some();
    for object in pdf.objects() {
        reading.go_on()?;
        fonts::check(&object, reading)?;
        let Object::Stream(stream) = object else {
            continue;
        };
        let is_picture = stream
            .dict()
            .get::<Name<'_>>("Subtype")
            .is_some_and(|name| name.as_str() == "Image");
        if !is_picture && worst(&stream, encrypted, most) > most {
            return Err(too_large(most));
        }
    }
    Ok(())
}

fn worst(stream: &Stream<'_>, encrypted: bool, most: u64) -> u64 {
    let filters = stream.filters();
    let raw = stream.raw_data();
    if filters.as_slice() == [Filter::FlateDecode] {
        // Only encrypted streams have not been measured yet.
        return if encrypted { inflated(&raw, most) } else { 0 };
    }
    filters.iter().fold(raw.len() as u64, |size, filter| {
        let times = match filter {
            Filter::FlateDecode | Filter::LzwDecode => WORST,
            Filter::RunLengthDecode => 64,
            Filter::Ascii85Decode => 4,
            Filter::AsciiHexDecode
            | Filter::CcittFaxDecode
            | Filter::Jbig2Decode
            | Filter::DctDecode
            | Filter::JpxDecode
            | Filter::Crypt => 1,
        };
        size.saturating_mul(times)
    })
}

fn too_large(most: u64) -> Unreadable {
    Unreadable::TooLarge {
        what: EXPANDED,
        value: most.saturating_add(1),
        most,
    }
}

#[cfg(test)]
mod tests {
    use std::io::Write as _;

    use flate2::Compression;
    use flate2::write::ZlibEncoder;

    use super::*;

    #[test]
    fn a_stream_is_measured_no_further_than_the_limit() {
        let mut encoder = ZlibEncoder::new(Vec::new(), Compression::best());
        encoder.write_all(&vec![b' '; 1_000_000]).unwrap();
        let bytes = encoder.finish().unwrap();
        assert_eq!(inflated(&bytes, 2_000_000), 1_000_000);
        let measured = inflated(&bytes, 100_000);
        assert!((100_001..150_000).contains(&measured), "{measured}");
        assert_eq!(inflated(b"", 10), 0);
    }
}
