//! Turns XHTML into HTML.

use super::guard::EMPTY;

/// The text with an end tag added for each element that closes itself: in HTML, `<a id="b"/>` is open until `</a>`, and all text after
/// `<title/>` is part of the title.
pub(crate) fn closed(text: &str) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 16);
    let mut rest = text;
    while let Some(start) = rest.find('<') {
        let (before, tag) = rest.split_at(start);
        out.push_str(before);
        let end = tag_end(tag);
        let (tag, after) = tag.split_at(end);
        rest = after;
        match self_closed(tag) {
            Some(name) => {
                out.push_str(tag.strip_suffix("/>").unwrap_or(tag));
                out.push_str("></");
                out.push_str(name);
                out.push('>');
            }
            None => out.push_str(tag),
        }
    }
    out.push_str(rest);
    out
}

/// Where a tag or a comment ends.
fn tag_end(tag: &str) -> usize {
    if tag.starts_with("<!--") {
        return tag.find("-->").map_or(tag.len(), |end| end + 3);
    }
    let mut quote = None;
    for (place, byte) in tag.bytes().enumerate() {
        match (quote, byte) {
            (None, b'>') => return place + 1,
            (None, b'"' | b'\'') => quote = Some(byte),
            (Some(open), _) if open == byte => quote = None,
            (None | Some(_), _) => {}
        }
    }
    tag.len()
}

/// The name of an element that closes itself and that HTML would leave open.
fn self_closed(tag: &str) -> Option<&str> {
    let inner = tag.strip_prefix('<')?.strip_suffix("/>")?;
    let end = inner.find(|sign: char| sign.is_whitespace() || sign == '/');
    let name = &inner[..end.unwrap_or(inner.len())];
    let is_element = name.starts_with(|first: char| first.is_ascii_alphabetic());
    let is_empty = EMPTY.iter().any(|empty| empty.eq_ignore_ascii_case(name));
    (is_element && !is_empty).then_some(name)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_that_close_themselves_are_closed() {
        let text = r#"<title/><p class="a/>b"><a id="c"/>d<br/><!-- <b/> --></p>"#;
        let expected = r#"<title></title><p class="a/>b"><a id="c"></a>d<br/><!-- <b/> --></p>"#;
        assert_eq!(closed(text), expected);
        assert_eq!(closed("a < b <"), "a < b <");
    }
}
