//! Decodes bytes into characters.
//!
//! A mark at the beginning names the encoding, UTF-8 is recognised by its form, and UTF-16 by the characters that result. The old encodings
//! of countries can only be recognised by the statistics of their languages, which `chardetng` knows.

mod likely;

use chardetng::{EncodingDetector, Iso2022JpDetection, Utf8Detection};
use encoding_rs::{Encoding, GB18030, GBK, ISO_2022_JP, UTF_8, UTF_16BE, UTF_16LE};
use spec::source::{Location, Omission, SourceDocument, SourceFormat};

use self::likely::Likely;
use crate::Unreadable;

/// Bytes by which an encoding is recognised.
const SAMPLE: usize = 1024 * 1024;

/// The text of a file.
pub(crate) struct Decoded {
    pub(crate) text: String,
    encoding: &'static str,
    /// Another encoding in which the text says something else that is as likely.
    other: Option<&'static str>,
    /// How many places are not characters; each of them is U+FFFD in the text.
    undecodable: usize,
}

/// The text of bytes in any encoding; places that are not characters become U+FFFD.
#[must_use]
pub fn text(bytes: &[u8]) -> String {
    decode(bytes).text
}

/// The text of a file, with `\n` at the end of each line.
pub(crate) fn lines(bytes: &[u8]) -> Decoded {
    let mut decoded = decode(bytes);
    if decoded.text.contains('\r') {
        decoded.text = decoded.text.replace("\r\n", "\n").replace('\r', "\n");
    }
    decoded
}

impl Decoded {
    /// Notes in a document which encoding its file has, and how much of the file could not be decoded.
    pub(crate) fn note(&self, document: &mut SourceDocument) {
        document.encoding = Some(self.encoding.to_owned());
        if let Some(other) = self.other {
            document.omissions.push(Omission {
                location: Location::File,
                what: format!("whether the encoding is {} or {other}", self.encoding),
                why: format!(
                    "the few characters are usual ones in both, and {} was taken; save the file as UTF-8 and give that if they are wrong",
                    self.encoding
                ),
            });
        }
        if self.undecodable > 0 {
            document.omissions.push(Omission {
                location: Location::File,
                what: format!(
                    "{} places that are no characters of {}",
                    self.undecodable, self.encoding
                ),
                why: "each stands as \u{FFFD} in the text; save the file as UTF-8 and give that"
                    .to_owned(),
            });
        }
    }

    /// Refuses a file that is not text.
    pub(crate) fn check(&self, format: SourceFormat) -> Result<(), Unreadable> {
        let bad = self.text.chars().filter(|char| is_bad(*char)).count();
        // A few bad characters are control characters of old programs, or damage that the count above reports.
        if bad > 4 && bad * 20 > self.text.chars().count() {
            return Err(Unreadable::Damaged {
                format: format.title(),
                cause: format!("{bad} of its characters are none that a text has"),
            });
        }
        Ok(())
    }
}

pub(crate) fn decode(bytes: &[u8]) -> Decoded {
    if let [0xFF, 0xFE, 0, 0, rest @ ..] = bytes {
        return utf32(rest, u32::from_le_bytes);
    }
    if let [0, 0, 0xFE, 0xFF, rest @ ..] = bytes {
        return utf32(rest, u32::from_be_bytes);
    }
    if let Some((encoding, mark)) = Encoding::for_bom(bytes) {
        return with(encoding, &bytes[mark..]);
    }
    if let Some(encoding) = marked_by_form(bytes) {
        return with(encoding, bytes);
    }
    let Likely { encoding, other } = guess(bytes);
    Decoded {
        other: other.map(Encoding::name),
        ..with(encoding, bytes)
    }
}

pub(crate) fn with(encoding: &'static Encoding, bytes: &[u8]) -> Decoded {
    let (text, _) = encoding.decode_without_bom_handling(bytes);
    let signs = text.matches('\u{FFFD}').count();
    let own = if encoding == UTF_8 && signs > 0 {
        bytes
            .windows(3)
            .filter(|bytes| *bytes == b"\xEF\xBF\xBD")
            .count()
    } else {
        0
    };
    Decoded {
        undecodable: signs.saturating_sub(own),
        text: text.into_owned(),
        encoding: encoding.name(),
        other: None,
    }
}

fn utf32(bytes: &[u8], read: fn([u8; 4]) -> u32) -> Decoded {
    let text: String = bytes
        .chunks_exact(4)
        .map(|unit| read([unit[0], unit[1], unit[2], unit[3]]))
        .map(|unit| char::from_u32(unit).unwrap_or(char::REPLACEMENT_CHARACTER))
        .collect();
    Decoded {
        undecodable: text.matches('\u{FFFD}').count(),
        text,
        encoding: "UTF-32",
        other: None,
    }
}

/// The encoding of bytes without a mark, if there is no doubt about it.
fn marked_by_form(bytes: &[u8]) -> Option<&'static Encoding> {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    let has_nul = sample.contains(&0);
    if has_nul && let Some(encoding) = utf16(sample) {
        return Some(encoding);
    }
    match std::str::from_utf8(bytes) {
        Ok(_) if is_iso_2022_jp(sample) => return Some(ISO_2022_JP),
        Ok(_) => return Some(UTF_8),
        Err(_) => {}
    }
    if let Some(encoding) = utf16_of_han(sample) {
        return Some(encoding);
    }
    // A text may have one or two broken characters, made by an editor or cut off at the end.
    let (mut broken, mut whole) = (0_usize, 0_usize);
    let (mut are_alone, mut are_usual) = (true, true);
    let mut chunks = bytes.utf8_chunks().peekable();
    while let Some(chunk) = chunks.next() {
        let ends = chunk.valid().chars().next_back();
        let next = chunks.peek().and_then(|next| next.valid().chars().next());
        let others = chunk.valid().chars().filter(|char| !char.is_ascii());
        whole += others.clone().count();
        are_usual &= others.clone().all(is_usual);
        if !chunk.invalid().is_empty() {
            broken += 1;
            let is_ascii = |beside: Option<char>| beside.is_some_and(|char| char.is_ascii());
            are_alone &= chunk.invalid().len() == 1 && is_ascii(ends) && is_ascii(next);
        }
    }
    // In a short text, one byte of an older encoding may stand among few characters of UTF-8. In the older encodings, the bytes of such
    // characters are signs that hardly ever follow each other.
    let is_mixed = whole >= broken && whole > 0 && are_alone && are_usual;
    (whole > 4 * broken || is_mixed).then_some(UTF_8)
}

/// UTF-16 without a mark: the byte order that gives characters as texts usually have them.
fn utf16(sample: &[u8]) -> Option<&'static Encoding> {
    if sample.len() < 4 {
        return None;
    }
    let share = |encoding: &'static Encoding| {
        let (text, _) = encoding.decode_without_bom_handling(sample);
        let all = text.chars().count().max(1);
        let usual = text.chars().filter(|char| is_usual(*char)).count();
        usual * 1000 / all
    };
    let (little, big) = (share(UTF_16LE), share(UTF_16BE));
    let (encoding, best) = if little >= big {
        (UTF_16LE, little)
    } else {
        (UTF_16BE, big)
    };
    (best >= 950).then_some(encoding)
}

/// UTF-16 that is only Chinese, which has no zero byte. Other encodings have such pairs of bytes only by chance.
fn utf16_of_han(sample: &[u8]) -> Option<&'static Encoding> {
    let pairs = sample.len() / 2;
    if pairs < 6 || !sample.len().is_multiple_of(2) {
        return None;
    }
    let is_high = |byte: u8| matches!(byte, 0x30 | 0x4E..=0x9F | 0xFF);
    let share = |at: usize, is_meant: &dyn Fn(u8) -> bool| {
        let bytes = sample.iter().skip(at).step_by(2);
        bytes.filter(|byte| is_meant(**byte)).count() * 100 / pairs
    };
    if share(1, &is_high) >= 95 {
        return Some(UTF_16LE);
    }
    // The first bytes of Shift JIS are like those of the later half.
    let is_early = |byte: u8| matches!(byte, 0x4E..=0x7F);
    (share(0, &is_high) >= 95 && share(0, &is_early) >= 30).then_some(UTF_16BE)
}

/// Characters of the scripts that most texts have.
fn is_usual(char: char) -> bool {
    matches!(char,
        '\t' | '\n' | '\r' | ' '..='~' | '\u{A0}'..='\u{24F}' | '\u{370}'..='\u{52F}'
        | '\u{590}'..='\u{6FF}' | '\u{E00}'..='\u{E7F}' | '\u{1E00}'..='\u{1EFF}'
        | '\u{2010}'..='\u{203A}' | '\u{20AC}' | '\u{2190}'..='\u{2193}' | '\u{3000}'..='\u{30FF}'
        | '\u{4E00}'..='\u{9FFF}' | '\u{AC00}'..='\u{D7A3}' | '\u{FF01}'..='\u{FF5E}')
}

/// A character that texts hardly ever have.
pub(crate) fn is_bad(char: char) -> bool {
    (char.is_control() && !matches!(char, '\t' | '\n' | '\r' | '\u{C}')) || char == '\u{FFFD}'
}

/// ISO-2022-JP changes its character set with sequences that no other text has.
fn is_iso_2022_jp(sample: &[u8]) -> bool {
    let shifts: [&[u8]; 2] = [b"\x1B$B", b"\x1B$@"];
    shifts
        .iter()
        .any(|shift| sample.windows(3).any(|bytes| bytes == *shift))
}

fn guess(bytes: &[u8]) -> Likely {
    let sample = &bytes[..bytes.len().min(SAMPLE)];
    likely::corrected(detected(sample), sample)
}

fn detected(bytes: &[u8]) -> &'static Encoding {
    let mut detector = EncodingDetector::new(Iso2022JpDetection::Deny);
    // The input is not declared complete, because a text that is cut off within a character is a text, too.
    detector.feed(bytes, false);
    let encoding = detector.guess(None, Utf8Detection::Deny);
    // The newer standard contains the older one.
    if encoding == GBK { GB18030 } else { encoding }
}

#[cfg(test)]
mod tests;
