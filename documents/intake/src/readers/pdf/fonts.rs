//! How many codes the fonts of a file speak of, counted before the library makes a record of each.
//!
//! A font gives widths and characters for ranges of codes. A range of a few bytes may have four thousand million codes.

use hayro_interpret::hayro_syntax::object::{Array, Dict, MaybeRef, Object, Stream};
use memchr::memmem;

use crate::{Reading, Unreadable};

/// Codes for which one table of a font may give something: as many as Unicode has.
const MOST_CODES: u64 = 0x11_0000;

/// Bytes that the library takes for the width of a code, in a table that is half full.
const OF_WIDTH: u64 = 20;

/// The same for a width and the place of a vertical sign.
const OF_PLACE: u64 = 40;

/// How deep a font may stand in an object: a page, its resources, its fonts, a font, the fonts that it is made of.
const DEPTH: usize = 16;

/// Checks the fonts in an object, which are not looked for in other objects.
pub(super) fn check(object: &Object<'_>, reading: &Reading<'_>) -> Result<(), Unreadable> {
    check_within(object, DEPTH, reading)
}

fn check_within(
    object: &Object<'_>,
    depth: usize,
    reading: &Reading<'_>,
) -> Result<(), Unreadable> {
    if depth == 0 {
        return Ok(());
    }
    let inner = |inner: MaybeRef<Object<'_>>| match inner {
        MaybeRef::NotRef(object) => check_within(&object, depth - 1, reading),
        MaybeRef::Ref(_) => Ok(()),
    };
    let of_dict = |dict: &Dict<'_>| {
        check_font(dict, reading)?;
        dict.entries().try_for_each(|(_, value)| inner(value))
    };
    match object {
        Object::Dict(dict) => of_dict(dict),
        Object::Stream(stream) => of_dict(stream.dict()),
        Object::Array(array) => array.raw_iter().try_for_each(inner),
        Object::Null(_)
        | Object::Boolean(_)
        | Object::Number(_)
        | Object::String(_)
        | Object::Name(_) => Ok(()),
    }
}

fn check_font(dict: &Dict<'_>, reading: &Reading<'_>) -> Result<(), Unreadable> {
    for (name, of_code) in [("W", OF_WIDTH), ("W2", OF_PLACE)] {
        if let Some(widths) = dict.get::<Array<'_>>(name) {
            let codes = check_codes(codes_of_widths(&widths, name == "W2"))?;
            reading.charge(usize::try_from(codes * of_code).unwrap_or(usize::MAX))?;
        }
    }
    for name in ["ToUnicode", "Encoding"] {
        let map = dict.get::<Stream<'_>>(name);
        if let Some(map) = map.and_then(|map| map.decoded_data().ok().map(|data| data.to_vec())) {
            check_codes(codes_of_map(&map))?;
        }
    }
    Ok(())
}

fn check_codes(codes: u64) -> Result<u64, Unreadable> {
    if codes > MOST_CODES {
        return Err(Unreadable::TooLarge {
            what: "codes of a font",
            value: codes,
            most: MOST_CODES,
        });
    }
    Ok(codes)
}

/// Read as the library does: a code and a list, or two codes and what holds for all between them.
fn codes_of_widths(widths: &Array<'_>, are_vertical: bool) -> u64 {
    let mut codes = 0_u64;
    let mut entries = widths.flex_iter();
    loop {
        if let Some((_, list)) = entries.next::<(u32, Array<'_>)>() {
            codes = codes.saturating_add(list.raw_iter().count() as u64);
            continue;
        }
        let range = if are_vertical {
            let range = entries.next::<(u32, u32, f32, f32, f32)>();
            range.map(|(first, last, ..)| (first, last))
        } else {
            let range = entries.next::<(u32, u32, f32)>();
            range.map(|(first, last, _)| (first, last))
        };
        let Some((first, last)) = range else {
            return codes;
        };
        codes = codes.saturating_add(length(first, last));
    }
}

fn length(first: u32, last: u32) -> u64 {
    u64::from(last)
        .saturating_add(1)
        .saturating_sub(u64::from(first))
}

/// The codes of the ranges of a `CMap`, each of which is `<first> <last>` and what the codes stand for.
fn codes_of_map(map: &[u8]) -> u64 {
    let mut codes = 0_u64;
    for at in memmem::find_iter(map, b"range") {
        let begins = |name: &[u8]| map[..at].ends_with(name);
        // What characters stand for is a text as well, what numbers of signs stand for is not.
        let texts = if begins(b"beginbf") {
            3
        } else if begins(b"begincid") || begins(b"beginnotdef") {
            2
        } else {
            continue;
        };
        let body = &map[at + b"range".len()..];
        let body = &body[..memmem::find(body, b"end").unwrap_or(body.len())];
        codes = codes.saturating_add(codes_of_ranges(body, texts));
    }
    codes
}

fn codes_of_ranges(body: &[u8], texts: usize) -> u64 {
    let (mut codes, mut place, mut first) = (0_u64, 0, 0);
    let mut rest = body.iter();
    while let Some(sign) = rest.next() {
        match sign {
            b'<' => {
                let digits = rest.by_ref().take_while(|sign| **sign != b'>');
                let code = digits
                    .filter_map(|digit| char::from(*digit).to_digit(16))
                    .fold(0_u32, |code, digit| code << 4 | digit);
                match place {
                    0 => first = code,
                    1 => codes = codes.saturating_add(length(first, code)),
                    _ => {}
                }
                place = (place + 1) % texts;
            }
            b'[' => {
                // A list of texts, one for each code.
                rest.by_ref().find(|sign| **sign == b']');
                place = 0;
            }
            _ => {}
        }
    }
    codes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_of_maps_are_counted_without_being_made() {
        let map = b"1 begincodespacerange <00> <FF> endcodespacerange\n\
            2 beginbfrange <0000> <000F> <0041> <10> <11> [<41> <42>] endbfrange\n\
            1 begincidrange <00000000> <FFFFFFFF> 0 endcidrange";
        assert_eq!(codes_of_map(map), 16 + 2 + (1 << 32));
        assert_eq!(codes_of_map(b"beginbfrange <05> <01> <00>"), 0);
    }
}
