//! Words in a text.

/// Whether one of these words, with `|` between them, occurs in a text in lower case. A word of ASCII letters has to be a whole word there.
pub fn says(text: &str, words: &str) -> bool {
    words.split('|').any(|word| occurs(text, word))
}

fn occurs(text: &str, word: &str) -> bool {
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (first, last) = (word.chars().next(), word.chars().next_back());
    text.match_indices(word).any(|(at, _)| {
        let before = joins(first) && joins(text[..at].chars().next_back());
        let behind = joins(last) && joins(text[at + word.len()..].chars().next());
        !before && !behind
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_words_stand_alone_and_chinese_ones_anywhere() {
        assert!(says("make it blue", "blue|red") && says("换成蓝色", "蓝"));
        assert!(!says("discover", "cover") && !says("covered", "cover"));
        assert!(says("the cover.", "cover"));
    }
}
