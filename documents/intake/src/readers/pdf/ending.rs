//! The end of a file, which says where its index is. A file that is cut off has no end or another one, and the library then looks for
//! objects on its own: it finds those that are still there, and cannot know which are gone.

use memchr::memmem;
use spec::source::Location;

use crate::gather::Gathering;

const START: &[u8] = b"startxref";

/// How far before its beginning a PDF may have other bytes.
const BEFORE: usize = 1024;

/// Says that objects may be gone.
pub(super) fn say_damage(bytes: &[u8], out: &mut Gathering<'_, '_>) {
    if is_cut_off(bytes) {
        out.omit(
            Location::File,
            "the rest of the file, which is cut off",
            "it has no end, so pages or parts of pages may be missing; download or save it again",
        );
    } else if !has_index(bytes) {
        out.omit(
            Location::File,
            "what its damaged index no longer leads to",
            "pages or parts of pages may be missing; download or save it again",
        );
    }
}

/// Whether objects stand after the last end, or there is no end at all. A file that was saved several times has several ends.
fn is_cut_off(bytes: &[u8]) -> bool {
    memmem::rfind(bytes, START).is_none_or(|end| {
        let after = &bytes[end..];
        memmem::find(after, b" obj").is_some() || place(after).is_none()
    })
}

/// The place that an end names.
fn place(end: &[u8]) -> Option<usize> {
    let digits = end.get(START.len()..)?.trim_ascii_start();
    let count = digits.iter().take_while(|sign| sign.is_ascii_digit());
    let count = count.count();
    std::str::from_utf8(&digits[..count]).ok()?.parse().ok()
}

/// Whether the index is where the end says: a table, or an object.
fn has_index(bytes: &[u8]) -> bool {
    let beginning = memmem::find(&bytes[..bytes.len().min(BEFORE)], b"%PDF-").unwrap_or(0);
    memmem::rfind(bytes, START)
        .and_then(|end| place(&bytes[end..]))
        .into_iter()
        .flat_map(|place| [place, place.saturating_add(beginning)])
        .any(|place| is_index(bytes.get(place..).unwrap_or_default()))
}

fn is_index(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let is_object = || {
        let head = &bytes[..bytes.len().min(32)];
        bytes.first().is_some_and(u8::is_ascii_digit) && memmem::find(head, b" obj").is_some()
    };
    bytes.starts_with(b"xref") || is_object()
}
