//! Characters beyond the first 65,536 that a server escaped in JSON as two halves and sent in two events. No half is valid JSON by itself.

/// The first half of a character whose second half has not come.
#[derive(Debug, Default)]
pub(super) struct Surrogates {
    begun: Option<String>,
}

impl Surrogates {
    /// A JSON text in which no half stands alone. The first half at the end of a string is kept for the string of the next event that begins
    /// with a second half; any other half that stands alone is replaced, since half a character is no reason to lose an answer that was
    /// paid for.
    pub(super) fn mend(&mut self, json: &str) -> String {
        let mut mended = String::with_capacity(json.len());
        let mut rest = json;
        while let Some(at) = rest.find('\\') {
            mended += &rest[..at];
            rest = &rest[at..];
            let Some(unit) = code_unit(rest) else {
                let end = rest.char_indices().nth(2).map_or(rest.len(), |(at, _)| at);
                mended += &rest[..end];
                rest = &rest[end..];
                continue;
            };
            let (escape, after) = rest.split_at(ESCAPE_BYTES);
            rest = after;
            if !is_first(unit) && !is_second(unit) {
                mended += escape;
            } else if is_first(unit) && code_unit(after).is_some_and(is_second) {
                mended += escape;
                mended += &after[..ESCAPE_BYTES];
                rest = &after[ESCAPE_BYTES..];
            } else if is_first(unit) && after.starts_with('"') {
                self.begun = Some(escape.to_owned());
            } else {
                let begun = self.begun.take().filter(|_| mended.ends_with('"'));
                match begun.filter(|_| is_second(unit)) {
                    Some(begun) => {
                        mended += &begun;
                        mended += escape;
                    }
                    None => {
                        tracing::warn!("half a character of an answer is no text and is replaced");
                        mended.push(char::REPLACEMENT_CHARACTER);
                    }
                }
            }
        }
        mended + rest
    }
}

/// The bytes of `\uXXXX`.
const ESCAPE_BYTES: usize = 6;

/// The number of the escape that the text begins with.
fn code_unit(text: &str) -> Option<u16> {
    let digits = text.strip_prefix("\\u")?.get(..4)?;
    u16::from_str_radix(digits, 16).ok()
}

fn is_first(unit: u16) -> bool {
    (0xd800..0xdc00).contains(&unit)
}

fn is_second(unit: u16) -> bool {
    (0xdc00..0xe000).contains(&unit)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The texts of two events, one after the other.
    fn read(first: &str, second: &str) -> String {
        let mut surrogates = Surrogates::default();
        [first, second]
            .map(|text| surrogates.mend(&format!("\"{text}\"")))
            .map(|json| serde_json::from_str::<String>(&json).expect("JSON"))
            .concat()
    }

    #[test]
    fn halves_in_two_events_are_one_character() {
        assert_eq!(read("a \\ud83e", "\\udd86 b"), "a 🦆 b");
        assert_eq!(read("\\ud83e\\udd86", "\\u4f60\\n"), "🦆你\n");
    }

    #[test]
    fn a_half_without_the_other_is_replaced_and_text_that_looks_like_one_stays() {
        assert_eq!(read("a \\ud83e b", "\\udd86"), "a \u{fffd} b\u{fffd}");
        assert_eq!(read("a", "b \\udd86"), "ab \u{fffd}");
        assert_eq!(read("\\\\ud83e", "\\\\udd86"), "\\ud83e\\udd86");
    }
}
