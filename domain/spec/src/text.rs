//! Reading a slot's text: its width, its bold runs, and what must not stand in it.

use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// A run of text in one weight.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Span {
    /// The characters, without the asterisks.
    pub text: String,
    /// Whether they stood between double asterisks.
    pub bold: bool,
}

/// Width in em as the slot limits count it: a wide character is 1, every other 0.5. Bold marks do not count.
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

/// The text without its bold marks.
#[must_use]
pub fn plain(text: &str) -> String {
    spans(text).into_iter().map(|span| span.text).collect()
}

/// Whether a part of the text is marked bold.
#[must_use]
pub fn is_marked(text: &str) -> bool {
    spans(text).iter().any(|span| span.bold)
}

/// What stands for `**` that is text and no bold mark.
const ESCAPED_MARK: &str = "\\**";
const MARK: &str = "**";

/// Splits at `**`. An unpaired mark is kept as text, so that nothing a person wrote disappears; so is a mark after a backslash,
/// without the backslash. Every other backslash is itself.
#[must_use]
pub fn spans(text: &str) -> Vec<Span> {
    let parts = between_marks(text);
    let unpaired = parts.len().is_multiple_of(2);
    let last = parts.len() - 1;
    let mut spans: Vec<Span> = Vec::new();
    for (index, part) in parts.into_iter().enumerate() {
        if unpaired && index == last {
            spans.push(Span {
                text: format!("{MARK}{part}"),
                bold: false,
            });
        } else if !part.is_empty() {
            spans.push(Span {
                text: part,
                bold: index % 2 == 1,
            });
        }
    }
    spans
}

/// What stands between the bold marks, at least one part.
fn between_marks(text: &str) -> Vec<String> {
    let mut parts = Vec::new();
    let (mut part, mut rest) = (String::new(), text);
    while let Some(first) = rest.chars().next() {
        if let Some(after) = rest.strip_prefix(ESCAPED_MARK) {
            part.push_str(MARK);
            rest = after;
        } else if let Some(after) = rest.strip_prefix(MARK) {
            parts.push(std::mem::take(&mut part));
            rest = after;
        } else {
            part.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    parts.push(part);
    parts
}

/// How many bold marks the text has.
pub(crate) fn marks(text: &str) -> usize {
    between_marks(text).len() - 1
}

/// A text for a slot that reads bold marks, in which every character of this one is itself.
#[must_use]
pub fn literal(text: &str) -> String {
    text.replace(MARK, ESCAPED_MARK)
}

/// What in this text a slot cannot show, as an instruction to whoever wrote it.
#[must_use]
pub fn fault(text: &str) -> Option<&'static str> {
    if text.chars().any(is_control) {
        return Some(
            "contains a line break, tab or other control character: write one line of plain text",
        );
    }
    if has_tag(text) {
        return Some(
            "contains markup: write plain text without tags (name an element without its angle brackets)",
        );
    }
    if has_entity(text) {
        return Some("contains a character reference: write the character itself");
    }
    if between_marks(text).len().is_multiple_of(2) {
        return Some("has an unpaired `**`: bold needs one before and one after");
    }
    if has_block_mark(text) {
        return Some(
            "begins with a list, heading or quote mark: the layout draws it, leave the mark out",
        );
    }
    if text.contains("](") || text.contains('`') {
        return Some("contains a link or code mark: write plain text, only **bold** is understood");
    }
    if text.contains("$$")
        || text.contains("\\(")
        || text.contains("\\[")
        || text.contains("\\frac")
    {
        return Some(
            "contains formula markup: write it in plain characters, for example H₂O or x²",
        );
    }
    None
}

/// Text that every slot takes: one line without markup. What cannot be kept as it is becomes the nearest plain sign.
#[must_use]
pub fn clean(text: &str) -> String {
    let mut plain = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '\u{200b}'..='\u{200f}'
            | '\u{2060}'
            | '\u{feff}'
            | '\u{202a}'..='\u{202e}'
            | '\u{2066}'..='\u{2069}'
            | '`' => {}
            c if c.is_control() || c == '\u{2028}' || c == '\u{2029}' => plain.push(' '),
            '<' => plain.push('＜'),
            '&' => plain.push('＆'),
            '\\' | '$' => plain.push(' '),
            c => plain.push(c),
        }
    }
    let plain = plain.replace("**", "").replace("](", "] (");
    let words: Vec<&str> = plain.split_whitespace().collect();
    let mut line = words.join(" ");
    // A list, heading or quote mark may stand behind another one.
    while fault(&line).is_some() {
        let rest: String = line.chars().skip(1).collect();
        if rest.is_empty() {
            return String::new();
        }
        line = rest.trim_start().to_owned();
    }
    line
}

/// Control characters, line and paragraph separators, and marks that reorder the text around them.
fn is_control(character: char) -> bool {
    character.is_control()
        || matches!(character, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

fn has_tag(text: &str) -> bool {
    text.char_indices()
        .filter(|(_, character)| *character == '<')
        .any(|(at, _)| {
            text[at + 1..]
                .starts_with(|next: char| next.is_ascii_alphabetic() || "/!?".contains(next))
        })
}

fn has_entity(text: &str) -> bool {
    text.char_indices()
        .filter(|(_, character)| *character == '&')
        .any(|(at, _)| {
            let name = text[at + 1..].trim_start_matches('#');
            let letters = name.chars().take_while(char::is_ascii_alphanumeric).count();
            letters > 0 && name[letters..].starts_with(';')
        })
}

fn has_block_mark(text: &str) -> bool {
    let text = text.trim_start();
    let hashes = text
        .chars()
        .take_while(|character| *character == '#')
        .count();
    (hashes > 0 && text[hashes..].starts_with(' '))
        || ["- ", "* ", "+ ", "> ", "• ", "```"]
            .iter()
            .any(|mark| text.starts_with(mark))
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
    fn bold_is_split_and_unpaired_marks_stay_text() {
        let span = |text: &str, bold| Span {
            text: text.to_owned(),
            bold,
        };
        assert_eq!(
            spans("a **b** c"),
            [span("a ", false), span("b", true), span(" c", false)]
        );
        assert_eq!(spans("2 ** 3"), [span("2 ", false), span("** 3", false)]);
        assert_eq!(plain("**光**合"), "光合");
    }

    #[test]
    fn a_mark_after_a_backslash_is_text() {
        assert_eq!(plain("2 \\** 3 \\** x"), "2 ** 3 ** x");
        assert!(!is_marked("2 \\** 3 \\** x"));
        assert_eq!(plain("**a \\** b**"), "a ** b");
        assert_eq!(plain("C:\\*.txt \\n"), "C:\\*.txt \\n");
        assert_eq!(fault("2 \\** 3"), None);
    }

    proptest::proptest! {
        #[test]
        fn what_is_made_literal_is_itself(text in "([*\\\\ab]|.){0,24}") {
            let made = literal(&text);
            proptest::prop_assert_eq!(plain(&made), text);
            proptest::prop_assert!(!is_marked(&made));
        }
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
            "`x`",
            "$$x$$",
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
