//! Text that may stand in XML.

use std::borrow::Cow;

/// The head of every XML part.
pub(super) const HEAD: &str = "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n";

/// The three namespaces of a part with shapes.
pub(super) const NAMESPACES: &str = "xmlns:a=\"http://schemas.openxmlformats.org/drawingml/2006/main\" \
    xmlns:r=\"http://schemas.openxmlformats.org/officeDocument/2006/relationships\" \
    xmlns:p=\"http://schemas.openxmlformats.org/presentationml/2006/main\"";

/// The text for inside and outside of attributes. What XML cannot hold, not even as a reference, becomes a space: one
/// control character would make PowerPoint refuse the file.
pub(super) fn escape(text: &str) -> Cow<'_, str> {
    if !text.chars().any(forbidden) {
        return quick_xml::escape::escape(text);
    }
    let clean: String = text
        .chars()
        .map(|character| if forbidden(character) { ' ' } else { character })
        .collect();
    Cow::Owned(quick_xml::escape::escape(clean).into_owned())
}

/// Whether XML 1.0 has no place for the character, or shows it as something else than text.
pub(super) fn forbidden(character: char) -> bool {
    character.is_control() || matches!(character, '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_escaped_and_control_characters_are_not_written() {
        assert_eq!(escape("a < b & \"c\""), "a &lt; b &amp; &quot;c&quot;");
        assert_eq!(escape("叶\u{0}绿\u{b}体\u{ffff}\n"), "叶 绿 体  ");
    }
}
