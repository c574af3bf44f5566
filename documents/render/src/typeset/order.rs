//! In which direction texts are read, and in which order the characters of a line are drawn (Unicode Annex 9).

use unicode_bidi::{BidiClass, BidiInfo, Level, bidi_class};

/// Whether the paragraphs of a text are read from right to left. On a page of such a language every text with a word of it is, also
/// where it begins with a name in Latin letters; elsewhere the first letter decides.
pub(super) fn is_right_to_left(text: &str, page: bool) -> bool {
    let mut strong = text.chars().filter_map(|character| {
        let class = bidi_class(character);
        let rtl = matches!(class, BidiClass::R | BidiClass::AL);
        (rtl || class == BidiClass::L).then_some(rtl)
    });
    if page {
        strong.any(|rtl| rtl)
    } else {
        strong.next().unwrap_or(false)
    }
}

/// The level of each byte of a text: odd where it is read from right to left. Empty where all of it is read from left to right.
pub(crate) fn levels(text: &str, rtl: bool) -> Vec<u8> {
    if !rtl && text.is_ascii() {
        return vec![];
    }
    let base = if rtl { Level::rtl() } else { Level::ltr() };
    let info = BidiInfo::new(text, Some(base));
    if !rtl && !info.has_rtl() {
        return vec![];
    }
    info.levels.iter().map(|level| level.number()).collect()
}

/// The places of parts with these levels, from the left.
pub(super) fn visual(levels: &[u8]) -> Vec<usize> {
    let levels: Vec<Level> = levels
        .iter()
        .map(|level| Level::new(*level).unwrap_or(Level::ltr()))
        .collect();
    BidiInfo::reorder_visual(&levels)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_read_as_its_page_or_its_first_letter_says() {
        let of = |text, page| is_right_to_left(text, page);
        assert!(of("النهار", false) && of("النهار", true));
        assert!(!of("PDF ملف", false) && of("PDF ملف", true));
        assert!(of("(2026) שלום", false));
        assert!(!of("1 / 6", true) && !of("O₂", true) && !of("", true));
    }

    #[test]
    fn parts_stand_from_the_left_in_the_order_of_the_annex() {
        assert_eq!(visual(&[1, 1, 1]), [2, 1, 0]);
        assert_eq!(visual(&[0, 1, 1, 0]), [0, 2, 1, 3]);
        assert_eq!(visual(&[1, 2, 1]), [2, 1, 0]);
        assert!(levels("plain", false).is_empty());
        assert!(levels("日本語", false).is_empty());
        assert_eq!(levels("a א", false)[2..], [1, 1]);
    }
}
