//! The kinds of paragraphs, by the names of their styles.

use super::story::Kind;

/// The kind of paragraphs whose style has this name, which is given in lower case.
pub(in crate::readers) fn kind_by_name(name: &str) -> Kind {
    if matches!(name, "title" | "标题" | "titel" | "titre" | "título") {
        return Kind::Heading(1);
    }
    if is_code_name(name) {
        return Kind::Code;
    }
    if matches!(
        name,
        "quote" | "intense quote" | "block text" | "quotations" | "引用" | "明显引用"
    ) {
        return Kind::Quotation;
    }
    if name.ends_with("caption") || name == "题注" {
        return Kind::Caption;
    }
    heading_level(name).map_or(Kind::Body, Kind::Heading)
}

/// The names that programs give to their own styles for headings, in the most common languages.
fn heading_level(name: &str) -> Option<u8> {
    const WORDS: [&str; 8] = [
        "heading",
        "标题",
        "標題",
        "überschrift",
        "titre",
        "título",
        "titolo",
        "見出し",
    ];
    let rest = WORDS.iter().find_map(|word| name.strip_prefix(word))?;
    let level = rest.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}

pub(in crate::readers) fn is_code_name(name: &str) -> bool {
    const WORDS: [&str; 9] = [
        "source code",
        "sourcecode",
        "html preformatted",
        "preformatted text",
        "html code",
        "verbatim char",
        "源代码",
        "代码",
        "listing",
    ];
    let is_code = name == "code" || name.starts_with("code ") || name.ends_with(" code");
    is_code || WORDS.iter().any(|word| name.contains(word))
}
