//! Numbers as people write them: digits, Chinese numerals, English words.

/// Whether a text begins with a word.
pub fn starts(text: &[char], word: &str) -> bool {
    let mut text = text.iter();
    word.chars().all(|c| text.next() == Some(&c))
}

/// Whether a text ends in one of these words; a word of Latin letters must not be the end of a longer word.
pub fn ends(text: &[char], words: &[&str]) -> bool {
    words.iter().any(|word| {
        let word: Vec<char> = word.chars().collect();
        text.ends_with(&word)
            && (!word[0].is_ascii_alphabetic()
                || text.len() == word.len()
                || !text[text.len() - word.len() - 1].is_ascii_alphabetic())
    })
}

/// The text without the blanks, hyphens and measure words at its end.
pub fn trimmed(text: &[char]) -> &[char] {
    let end = text
        .iter()
        .rposition(|c| !c.is_whitespace() && *c != '个')
        .map_or(0, |at| at + 1);
    &text[..end]
}

/// What numbers are written in.
const KINDS: [fn(char) -> bool; 3] = [
    |c| c.is_ascii_digit(),
    |c| "零一二两三四五六七八九十百".contains(c),
    |c| c.is_ascii_alphabetic(),
];

/// The languages whose numerals name the items of a product.
const LANGUAGES: [&str; 2] = ["en", "zh"];

/// The number that is written in letters of one kind; "one" is an article.
fn value(letters: &[char]) -> Option<u32> {
    let word: String = letters.iter().collect();
    let number = words::numeral(&word, &LANGUAGES)?;
    (number != 1 || !letters[0].is_ascii_alphabetic()).then_some(number)
}

/// The number that ends before `end`, ignoring blanks and hyphens, and where it begins.
pub fn number_before(text: &[char], end: usize) -> Option<(u32, usize)> {
    let end = text[..end]
        .iter()
        .rposition(|c| !c.is_whitespace() && *c != '-' && *c != '个')
        .map_or(0, |at| at + 1);
    let start = KINDS.iter().find_map(|is_of_kind| {
        let before = text[..end].iter().rposition(|&c| !is_of_kind(c));
        Some(before.map_or(0, |at| at + 1)).filter(|start| *start < end)
    })?;
    value(&text[start..end]).map(|n| (n, start))
}

/// The English ordinal that ends before `end`, such as `third` or `2nd`, and where it begins.
pub fn ordinal_before(text: &[char], end: usize) -> Option<(u32, usize)> {
    let end = trimmed(&text[..end]).len();
    let start = text[..end]
        .iter()
        .rposition(|c| !c.is_ascii_alphanumeric())
        .map_or(0, |at| at + 1);
    let word: String = text[start..end].iter().collect();
    words::ordinal(&word, &LANGUAGES).map(|n| (n, start))
}

/// The number that begins here, ignoring blanks, and where it ends.
pub fn number_at(text: &[char], at: usize) -> Option<(u32, usize)> {
    let start = at + text[at..].iter().take_while(|c| c.is_whitespace()).count();
    let end = KINDS.iter().find_map(|is_of_kind| {
        let length = text[start..].iter().take_while(|&&c| is_of_kind(c)).count();
        (length > 0).then_some(start + length)
    })?;
    // "one" is a number here; before a noun it is an article.
    let is_one = text[start..end] == ['o', 'n', 'e'];
    let n = is_one.then_some(1).or_else(|| value(&text[start..end]))?;
    Some((n, end))
}
