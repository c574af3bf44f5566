//! Tags of HTML in Markdown. Only tags that HTML knows count: `List<String>` and `a<b` are text.

use super::entity::decoded;

/// A tag as it stands in the source.
pub(super) struct Tag<'t> {
    pub(super) name: &'t str,
    pub(super) closing: bool,
    attributes: &'t str,
}

/// What a tag does to the words after it.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Effect {
    Bold,
    Italic,
    Strike,
    Code,
    Superscript,
    Subscript,
    Break,
    Image,
    Link,
    /// Its words are kept as they are.
    Nothing,
    /// A paragraph begins.
    Block,
    Heading(u8),
    /// A cell of a table begins.
    Cell,
    /// Its content is not shown.
    Hidden,
}

/// Where the tag ends with which a text begins; `None` if no tag ends before the next one begins. So no sign is looked at twice.
pub(super) fn end(text: &str) -> Option<usize> {
    let end = text.get(1..)?.find(['<', '>'])? + 1;
    text[end..].starts_with('>').then_some(end)
}

impl<'t> Tag<'t> {
    /// `None` if `source`, from `<` to `>`, is not a tag that HTML knows.
    pub(super) fn parse(source: &'t str) -> Option<Self> {
        let inner = source.strip_prefix('<')?.strip_suffix('>')?;
        let (inner, closing) = match inner.strip_prefix('/') {
            Some(inner) => (inner, true),
            None => (inner, false),
        };
        let end = inner
            .find(|char: char| !char.is_ascii_alphanumeric())
            .unwrap_or(inner.len());
        let (name, rest) = inner.split_at(end);
        let attributes = rest.trim().trim_end_matches('/').trim_end();
        let is_separate = rest.is_empty() || rest.starts_with([' ', '\t', '\n', '/']);
        let tag = Self {
            name,
            closing,
            attributes,
        };
        // "a <b and c> d" has no tag: attributes have values.
        let has_attributes = attributes.is_empty() || attributes.contains('=');
        (is_separate && has_attributes && effect(name).is_some()).then_some(tag)
    }

    pub(super) fn effect(&self) -> Effect {
        effect(self.name).unwrap_or(Effect::Nothing)
    }

    /// The value of an attribute, empty if it has none.
    pub(super) fn attribute(&self, name: &str) -> String {
        let mut rest = self.attributes;
        while let Some((key, after)) = rest.split_once('=') {
            let after = after.trim_start();
            let (value, next) = match after.chars().next() {
                Some(quote @ ('"' | '\'')) => {
                    let inner = &after[1..];
                    inner.split_once(quote).unwrap_or((inner, ""))
                }
                Some(_) | None => after.split_once(char::is_whitespace).unwrap_or((after, "")),
            };
            let key = key.split_whitespace().next_back().unwrap_or_default();
            if key.eq_ignore_ascii_case(name) {
                return decoded(value);
            }
            rest = next;
        }
        String::new()
    }
}

fn effect(name: &str) -> Option<Effect> {
    let lower = name.to_ascii_lowercase();
    Some(match lower.as_str() {
        "b" | "strong" => Effect::Bold,
        "i" | "em" | "var" | "cite" | "dfn" => Effect::Italic,
        "s" | "del" | "strike" => Effect::Strike,
        "code" | "kbd" | "samp" | "tt" => Effect::Code,
        "sup" => Effect::Superscript,
        "sub" => Effect::Subscript,
        "br" => Effect::Break,
        "img" => Effect::Image,
        "a" => Effect::Link,
        "h1" => Effect::Heading(1),
        "h2" => Effect::Heading(2),
        "h3" => Effect::Heading(3),
        "h4" => Effect::Heading(4),
        "h5" => Effect::Heading(5),
        "h6" => Effect::Heading(6),
        "td" | "th" => Effect::Cell,
        "script" | "style" | "template" => Effect::Hidden,
        "u" | "ins" | "mark" | "small" | "big" | "font" | "span" | "abbr" | "q" | "time"
        | "bdi" | "bdo" | "ruby" | "rb" | "rt" | "rp" | "nobr" | "wbr" | "label" | "acronym"
        | "input" | "button" | "picture" | "source" | "video" | "audio" | "iframe" | "svg" => {
            Effect::Nothing
        }
        "p" | "div" | "ul" | "ol" | "li" | "table" | "tr" | "thead" | "tbody" | "tfoot"
        | "caption" | "colgroup" | "col" | "blockquote" | "pre" | "hr" | "details" | "summary"
        | "section" | "article" | "header" | "footer" | "nav" | "main" | "aside" | "figure"
        | "figcaption" | "dl" | "dt" | "dd" | "address" | "form" | "center" | "html" | "head"
        | "body" | "title" | "meta" | "link" => Effect::Block,
        _ => return None,
    })
}
