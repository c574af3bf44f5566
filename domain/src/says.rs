//! Words in a text.

/// Whether one of these words, with `|` between them, occurs in a text in lower case. A word of ASCII letters has to be a whole word there,
/// unless it ends in `*`, which stands for any ending.
pub fn says(text: &str, words: &str) -> bool {
    words.split('|').any(|word| find(text, word).is_some())
}

/// A text in which these words are replaced by blanks, the longest words first.
pub fn without(text: &str, lists: &[&str]) -> String {
    let mut words: Vec<&str> = lists.iter().flat_map(|list| list.split('|')).collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let mut left = text.to_owned();
    for word in words {
        while let Some((at, end)) = find(&left, word) {
            left.replace_range(at..end, " ");
        }
    }
    left
}

fn find(text: &str, word: &str) -> Option<(usize, usize)> {
    let (bare, is_open) = match word.strip_suffix('*') {
        Some(bare) => (bare, true),
        None => (word, false),
    };
    let joins = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    let (first, last) = (bare.chars().next(), bare.chars().next_back());
    text.match_indices(bare).find_map(|(at, _)| {
        let end = at + bare.len();
        let before = joins(first) && joins(text[..at].chars().next_back());
        let behind = !is_open && joins(last) && joins(text[end..].chars().next());
        if before || behind {
            return None;
        }
        let ending = text[end..].chars().take_while(char::is_ascii_alphanumeric);
        let length = if is_open { ending.count() } else { 0 };
        Some((at, end + length))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn latin_words_stand_alone_and_chinese_ones_anywhere() {
        assert!(says("make it bluer", "blu*|red") && says("换成蓝色", "蓝"));
        assert!(!says("discover", "cover") && !says("covered", "cover"));
        assert!(says("the cover.", "cover"));
        assert_eq!(without("please go on", &["go on", "please"]).trim(), "");
    }
}
