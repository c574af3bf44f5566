//! The language of a run's frames, and how much of a text a line repeats.

/// The language of a run's frames.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Language {
    #[default]
    Chinese,
    English,
}

impl Language {
    /// From a BCP 47 tag; whatever is not Chinese is answered in English.
    pub fn of(tag: &str) -> Self {
        if tag.to_ascii_lowercase().starts_with("zh") {
            Self::Chinese
        } else {
            Self::English
        }
    }

    pub fn pick<'a>(self, chinese: &'a str, english: &'a str) -> &'a str {
        match self {
            Self::Chinese => chinese,
            Self::English => english,
        }
    }
}

/// How much of a brief, a feedback or an error a line repeats: about three lines of a chat.
const QUOTED_CHARS_MAX: usize = 200;

/// A text of at most this many characters.
pub fn cut_text(text: &str, most: usize) -> String {
    text.chars().take(most).collect()
}

/// The start of a text, on one line.
pub fn clip_text(text: &str) -> String {
    let mut clipped: String = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = clipped.char_indices().nth(QUOTED_CHARS_MAX) {
        clipped.truncate(end);
        clipped.push('…');
    }
    clipped
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_text_is_cut_at_a_character_and_says_so() {
        let clipped = clip_text(&"课".repeat(300));
        assert_eq!(clipped.chars().count(), QUOTED_CHARS_MAX + 1);
        assert!(clipped.ends_with('…'));
        assert_eq!(clip_text(" a\n b "), "a b");
    }
}
