//! What readers know of scripts.

/// Chinese and Japanese characters and their signs, between which no blank stands. Korean has blanks between words.
pub(super) fn is_unspaced(character: char) -> bool {
    matches!(character,
        '\u{2E80}'..='\u{312F}' | '\u{3190}'..='\u{9FFF}' | '\u{F900}'..='\u{FAFF}'
        | '\u{FE30}'..='\u{FE4F}' | '\u{FF00}'..='\u{FF9F}' | '\u{FFE0}'..='\u{FFEF}'
        | '\u{20000}'..='\u{3FFFF}' | '\u{2018}'..='\u{201D}' | '\u{2014}' | '\u{2026}')
}
