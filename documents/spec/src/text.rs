//! Reading a slot's text: its width, its bold runs, its links and formulas, and what must not be in it.

mod flanks;
mod marks;
mod mend;

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

pub(crate) use marks::is_apart;
pub use marks::{Span, SpanKind, linked, literal, spans};
pub use mend::{clean, mended};

/// Width in em as the slot limits count it: a wide character is 1, every other 0.5. Marks and the addresses of links do not count.
#[must_use]
pub fn em_width(text: &str) -> f32 {
    let columns = u16::try_from(plain(text).width()).unwrap_or(u16::MAX);
    f32::from(columns) / 2.0
}

/// Terminal columns of one character: 2 for a wide one, 0 for a combining one, otherwise 1.
#[must_use]
pub fn columns(character: char) -> usize {
    character.width().unwrap_or(0)
}

/// Whether a character is of a script that writes its words without blanks: Thai, Lao, Tibetan, Burmese, Khmer.
#[must_use]
pub fn has_no_blanks(character: char) -> bool {
    matches!(character, '\u{e00}'..='\u{fff}' | '\u{1000}'..='\u{109f}' | '\u{1780}'..='\u{17ff}')
}

/// Languages that are written from right to left where their tags name no script: Arabic, Hebrew, Persian, Urdu and others.
const RIGHT_TO_LEFT: [&str; 16] = [
    "ar", "arc", "azb", "ckb", "dv", "fa", "he", "iw", "ks", "ps", "sd", "syr", "ug", "ur", "yi",
    "nqo",
];

/// Scripts that are written from right to left, as tags of languages name them.
const RIGHT_TO_LEFT_SCRIPTS: [&str; 7] = ["arab", "aran", "hebr", "thaa", "syrc", "nkoo", "adlm"];

/// Whether texts in a language, by its BCP 47 tag, are written from right to left.
#[must_use]
pub fn is_right_to_left(language: &str) -> bool {
    let tag = language.trim().to_ascii_lowercase();
    let mut parts = tag.split(['-', '_']);
    let primary = parts.next().unwrap_or_default();
    let script =
        parts.find(|part| part.len() == 4 && part.bytes().all(|b| b.is_ascii_alphabetic()));
    match script {
        Some(script) => RIGHT_TO_LEFT_SCRIPTS.contains(&script),
        None => RIGHT_TO_LEFT.contains(&primary),
    }
}

/// The text without its marks: a link becomes its words, a formula its signs.
#[must_use]
pub fn plain(text: &str) -> String {
    spans(text).into_iter().map(|span| span.text).collect()
}

/// Words of the program itself, in Chinese or in English. In a document in another language it has none.
#[must_use]
pub fn spoken(language: &str, [chinese, english]: [&'static str; 2]) -> Option<&'static str> {
    match language.to_lowercase() {
        language if language.starts_with("zh") => Some(chinese),
        language if language.starts_with("en") => Some(english),
        _ => None,
    }
}

/// What the program tells people about a document, in Chinese and in English: of one in Chinese in Chinese, of any other in English.
#[must_use]
pub fn told<T>(language: &str, [chinese, english]: [T; 2]) -> T {
    if language.to_lowercase().starts_with("zh") {
        chinese
    } else {
        english
    }
}

/// What [`told`](crate::text::told) chooses from, each as for `format!`: `both!("第 {page} 页" => "page {page}")`.
#[macro_export]
macro_rules! both {
    ($chinese:literal => $english:literal) => {
        [
            ::std::format_args!($chinese).to_string(),
            ::std::format_args!($english).to_string(),
        ]
    };
}

/// Whether a part of the text is marked bold.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    spans(text).iter().any(|span| span.bold)
}

/// What in this text a slot cannot show, as an instruction to whoever wrote it.
#[must_use]
pub fn fault(text: &str) -> Option<&'static str> {
    if text.chars().any(is_control) {
        return Some(
            "contains a line break, tab or other control character: write one line of plain text",
        );
    }
    let words = marks::words(text);
    if has_tag(&words) {
        return Some(
            "contains markup: write plain text without tags (name an element without its angle brackets)",
        );
    }
    if has_entity(&words) {
        return Some("contains a character reference: write the character itself");
    }
    if marks::bold_marks(text) % 2 == 1 {
        return Some("has an unpaired `**`: bold needs one before and one after");
    }
    if has_block_mark(text) {
        return Some(
            "begins with a list, heading or quote mark: the layout draws it, leave the mark out",
        );
    }
    if words.contains("](") || words.contains('`') {
        return Some(
            "contains a mark that is not understood: only **bold**, *stressed*, [words](https://address) and $formula$ are",
        );
    }
    if words.contains("$$")
        || words.contains("\\(")
        || words.contains("\\[")
        || words.contains("\\frac")
    {
        return Some(
            "contains formula markup: write it in plain characters, for example H₂O or x², or in LaTeX between two signs of the dollar, such as $\\frac{1}{2}$",
        );
    }
    None
}

/// Control characters, line and paragraph separators, and marks that reorder the text around them.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn has_tag(text: &str) -> bool {
    let mut places = text.match_indices('<');
    places.any(|(at, _)| mend::tag(&text[at..]).is_some())
}

fn has_entity(text: &str) -> bool {
    let mut places = text.match_indices('&');
    places.any(|(at, _)| mend::entity(&text[at..]).is_some())
}

/// Whether the text begins with a mark of a list, heading or quote. Before a number, such a sign belongs to the number: `- 5 °C`, `> 90 %`.
fn has_block_mark(text: &str) -> bool {
    let text = text.trim_start();
    let hashes = text.chars().take_while(|c| *c == '#').count();
    let after = |mark: &&'static str| text.strip_prefix(*mark);
    let is_number = |rest: &str| rest.trim_start().starts_with(|c: char| c.is_ascii_digit());
    let signed = ["- ", "+ ", "> "].iter().find_map(after);
    signed.is_some_and(|rest| !is_number(rest))
        || ["* ", "• "].iter().any(|mark| text.starts_with(mark))
        || (hashes > 0 && text[hashes..].starts_with(' '))
        || text.starts_with("```")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_chinese_character_is_one_em_and_a_letter_half() {
        assert_eq!(
            (em_width("光合作用"), em_width("leaf"), em_width("**叶**a")),
            (4.0, 2.0, 1.5)
        );
    }

    #[test]
    fn markup_is_refused_and_mathematics_is_not() {
        for bad in [
            "<b>x</b>",
            "a\nb",
            "&nbsp;x",
            "&#39;",
            "**x",
            "- x",
            "# x",
            "[a](b)",
            "[a](javascript:x)",
            "`x`",
            "$$x",
            "\\frac{1}{2}",
            "a\u{202e}b",
        ] {
            assert!(fault(bad).is_some(), "{bad:?} should be refused");
        }
        for good in [
            "a < b",
            "1<2",
            "R&D",
            "x² + y²",
            "C#",
            "**Bold** text",
            "-5 °C",
            "#1 in class",
            "A & B; C",
            "See [the guide](https://example.org/a_(b)) or https://example.org/?a=1&b=2&lt;",
            "The area is $\\frac{1}{2} a b$",
            "若 $a<b$",
        ] {
            assert_eq!(fault(good), None, "{good:?} should be allowed");
        }
    }

    #[test]
    fn whatever_is_cleaned_a_slot_takes() {
        for bad in [
            "- > # a",
            "<b>x</b>",
            "a&nbsp;b",
            "`x` [a](b)",
            "**x",
            "$$x$$ \\frac",
            "\u{202e}abc\n\tdef",
            "##",
            "- ",
            "<",
            "\\[a\\]",
        ] {
            let plain = clean(bad);
            assert_eq!(fault(&plain), None, "{bad:?} became {plain:?}");
        }
    }
}
