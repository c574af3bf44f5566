//! The marker before an item of a list.

use spec::source::{ListMarker, RichText};

const BULLETS: &str = "•◦▪▫‣●○■□◆◇►▶➢➤✓✔∙·–*-";

/// The marker with which a text begins, if there is one, and how many characters it takes with the blanks after it.
pub(super) fn label(words: &str) -> Option<(ListMarker, usize)> {
    let first = words.chars().next()?;
    let rest = &words[first.len_utf8()..];
    let blanks = rest.len() - rest.trim_start().len();
    if BULLETS.contains(first) {
        // Before a number these signs may belong to the number.
        let must_part = matches!(first, '–' | '*' | '-' | '·');
        let is_sign = rest
            .trim_start()
            .starts_with(|sign: char| sign.is_numeric());
        let fits = !must_part || (blanks > 0 && !is_sign);
        return (fits && !rest.trim().is_empty())
            .then(|| (ListMarker::Bullet, first.len_utf8() + blanks));
    }
    let digits = words.bytes().take_while(u8::is_ascii_digit).count();
    if !(1..=3).contains(&digits) {
        return None;
    }
    let after = &words[digits..];
    let sign = after
        .chars()
        .next()
        .filter(|sign| matches!(sign, '.' | ')' | '、' | '．'))?;
    let rest = &after[sign.len_utf8()..];
    let blanks = rest.len() - rest.trim_start().len();
    // 3.5 is a number, and 2.1 the number of a heading.
    if blanks == 0 && sign != '、' || rest.trim().is_empty() {
        return None;
    }
    let number = words[..digits].parse().ok()?;
    Some((
        ListMarker::Number(number),
        digits + sign.len_utf8() + blanks,
    ))
}

/// Whether a text is a marker and nothing else.
pub(super) fn is_label(words: &str) -> bool {
    label(&format!("{} a", words.trim())).is_some_and(|(_, length)| length > words.trim().len())
}

/// Removes bytes from the beginning.
pub(super) fn strip(text: &mut RichText, mut bytes: usize) {
    for piece in &mut text.pieces {
        let cut = bytes.min(piece.text.len());
        piece.text.drain(..cut);
        bytes -= cut;
        if bytes == 0 {
            break;
        }
    }
    text.pieces.retain(|piece| !piece.text.is_empty());
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn markers_are_told_from_numbers() {
        assert_eq!(label("• word"), Some((ListMarker::Bullet, 4)));
        assert_eq!(label("12. word"), Some((ListMarker::Number(12), 4)));
        assert_eq!(label("3、方法"), Some((ListMarker::Number(3), 4)));
        assert_eq!(label("3.5 metres"), None);
        assert_eq!(label("-5 degrees"), None);
        assert_eq!(label("- 0.3 less"), None);
        assert_eq!(label("2019. A year"), None);
        assert!(is_label("1."));
        assert!(is_label("•"));
        assert!(!is_label("12"));
        assert!(!is_label("1.5"));
    }
}
