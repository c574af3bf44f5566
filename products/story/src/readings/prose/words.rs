//! How long a text is.

use words::{is_han, is_kana};

/// The words of a text as authors count them: each Chinese character is one, as is each word of other scripts. Punctuation and marks of
/// Markdown do not count; `don't` and `well-known` are one word each.
pub(crate) fn word_count(text: &str) -> u64 {
    let mut count = 0;
    let mut inside = false;
    let mut chars = text.chars().peekable();
    while let Some(c) = chars.next() {
        if is_ideograph(c) {
            count += 1;
            inside = false;
        } else if c.is_alphanumeric() {
            count += u64::from(!inside);
            inside = true;
        } else {
            let joins = matches!(c, '\'' | '’' | '-' | '.' | ',');
            let goes_on = |next: &char| next.is_alphanumeric() && !is_ideograph(*next);
            inside = inside && joins && chars.peek().is_some_and(goes_on);
        }
    }
    count
}

/// A character that is a word by itself: Han and kana. Hangul has spaces between its words.
fn is_ideograph(c: char) -> bool {
    (is_han(c) || is_kana(c)) && c.is_alphanumeric()
}
