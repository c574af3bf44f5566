//! Answers that say the same again and again until their limit cuts them off. With more room they would only say it more often.

/// The longest piece, in bytes, that is looked for behind itself: a long paragraph.
const PIECE_BYTES_MAX: usize = 2_000;
/// How often it stands there at least, and how many bytes that are: a table may have some cells that are the same.
const TIMES_MIN: usize = 8;
const BYTES_MIN: usize = 200;
/// All of it is at least this part of the text.
const SHARE: usize = 4;

/// Whether the end of the text is one piece, again and again.
pub(crate) fn ends_in_loop(text: &str) -> bool {
    let bytes = text.as_bytes();
    let longest = PIECE_BYTES_MAX.min(bytes.len() / TIMES_MIN);
    (1..=longest).any(|piece| {
        let before = bytes[..bytes.len() - piece].iter().rev();
        let pairs = bytes.iter().rev().zip(before);
        let same = pairs.take_while(|(one, other)| one == other).count();
        let all = same + piece;
        all >= BYTES_MIN.max(TIMES_MIN * piece) && all * SHARE >= bytes.len()
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_ends_in_one_piece_again_and_again_is_a_loop() {
        let line = "- The moon pulls the water on its side\n".repeat(100);
        let whole = format!("# Why\n\nThe sea rises twice a day.\n\n{line}- The mo");
        assert!(ends_in_loop(&whole));
        assert!(ends_in_loop(&format!("{{\"a\":{}", "\n".repeat(300))));
        assert!(ends_in_loop(&"潮水上涨了。".repeat(50)));
        // It goes on after it, it is a small part of the text, or it is short.
        assert!(!ends_in_loop(&format!("{line}And then it falls.")));
        let words: String = (0..9_000).map(|number| format!("{number} ")).collect();
        assert!(!ends_in_loop(&format!("{words}{}", "| 0 ".repeat(60))));
        assert!(!ends_in_loop("ha ha ha ha ha ha ha ha ha ha ha ha"));
        assert!(!ends_in_loop(""));
    }
}
