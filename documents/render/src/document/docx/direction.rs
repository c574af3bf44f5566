//! Words that are read from right to left. A word processor takes the direction of brackets, blanks and signs from their run
//! (`w:rtl`), so a text is parted where its direction changes, and each part that is read from right to left says so.

use crate::typeset::levels;

/// Stands at the beginning of such a part while the document is made: a character of private use, which is taken out of texts.
const TURNED: char = '\u{e102}';

/// The parts of a text, each of one direction. `rtl` says whether the document is read from right to left.
pub(super) fn parts(text: &str, rtl: bool) -> Vec<String> {
    let text = text.replace(TURNED, "");
    let levels = levels(&text, rtl);
    let is_turned = |at: usize| levels.get(at).is_some_and(|level| level % 2 == 1);
    let mut parts: Vec<String> = vec![];
    let mut last = None;
    for (at, character) in text.char_indices() {
        let turned = is_turned(at);
        if last.replace(turned) != Some(turned) {
            parts.push(if turned { TURNED.into() } else { String::new() });
        }
        if let Some(part) = parts.last_mut() {
            part.push(character);
        }
    }
    parts
}

/// A part's XML in which each run that begins with the mark says that it is read from right to left.
pub(super) fn turned(xml: &str) -> String {
    let mut out = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some((before, after)) = rest.split_once(TURNED) {
        let run = before.rfind("<w:r>").unwrap_or(before.len());
        out.push_str(&before[..run]);
        let run = &before[run..];
        let said = "<w:rPr><w:rtl />";
        if run.contains("<w:rPr />") {
            out.push_str(&run.replacen("<w:rPr />", &format!("{said}</w:rPr>"), 1));
        } else {
            out.push_str(&run.replacen("<w:rPr>", said, 1));
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_is_parted_where_its_direction_changes() {
        assert_eq!(parts("plain \u{e102}(text)", false), ["plain (text)"]);
        assert_eq!(
            parts("ملف PDF (جديد).", true),
            ["\u{e102}ملف ", "PDF", "\u{e102} (جديد)."]
        );
        assert_eq!(
            parts("the word שלום.", false),
            ["the word ", "\u{e102}שלום", "."]
        );
    }

    #[test]
    fn a_run_that_is_read_from_right_to_left_says_so() {
        let xml = "<w:r><w:rPr /><w:t>a</w:t></w:r><w:r><w:rPr /><w:t>\u{e102}ملف</w:t></w:r>\
                   <w:r><w:rPr><w:b /></w:rPr><w:t>\u{e102}ب</w:t></w:r>";
        assert_eq!(
            turned(xml),
            "<w:r><w:rPr /><w:t>a</w:t></w:r><w:r><w:rPr><w:rtl /></w:rPr><w:t>ملف</w:t></w:r>\
             <w:r><w:rPr><w:rtl /><w:b /></w:rPr><w:t>ب</w:t></w:r>"
        );
    }
}
