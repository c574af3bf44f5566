//! Characters that are written by name, such as `&copy;`.

use pulldown_cmark::{Event, Parser};

/// The longest name has 33 characters.
const LONGEST: usize = 40;

/// The text with its entities as the characters that they name.
pub(super) fn decoded(text: &str) -> String {
    let mut out = String::new();
    let mut rest = text;
    while let Some(at) = rest.find('&') {
        let (before, entity) = rest.split_at(at);
        out.push_str(before);
        let end = entity
            .char_indices()
            .take(LONGEST)
            .find(|(_, char)| *char == ';')
            .map_or(1, |(end, _)| end + 1);
        let (entity, after) = entity.split_at(end);
        if end > 1 {
            // The parser of Markdown has the table of names.
            for event in Parser::new(entity) {
                if let Event::Text(text) = event {
                    out.push_str(&text);
                }
            }
        } else {
            out.push_str(entity);
        }
        rest = after;
    }
    out.push_str(rest);
    out
}

#[cfg(test)]
mod tests {
    use super::decoded;

    #[test]
    fn entities_are_decoded_and_ampersands_stay() {
        assert_eq!(
            decoded("&copy; 1 &lt; 2 &amp; R&D &#x4e2d;"),
            "© 1 < 2 & R&D 中"
        );
        assert_eq!(decoded("?a=1&b=2;c &unknown; &"), "?a=1&b=2;c &unknown; &");
    }
}
