//! Leaves out ids: artifacts that are made again differ only in their ids, which begin with the time.

/// A text without what ids have behind their prefix, and without the numbers of artifacts.
pub(crate) fn without_ids(text: &str) -> String {
    let is_id = |word: &str| {
        let hexadecimal = word.len() == 24 && word.bytes().all(|b| b.is_ascii_hexdigit());
        // No other number is so large.
        let number = word.len() > 12 && word.bytes().all(|b| b.is_ascii_digit());
        hexadecimal || number
    };
    let ends = |c: char| !c.is_ascii_alphanumeric();
    let kept = text.split_inclusive(ends).map(|part| {
        let word = part.trim_end_matches(ends);
        if is_id(word) {
            &part[word.len()..]
        } else {
            part
        }
    });
    kept.collect()
}
