//! The kinds of paragraphs, by the names of their styles.

use std::sync::LazyLock;

use words::WordTable;

use super::story::Kind;

/// Names of styles and fonts; see the head of the file.
pub(super) static STYLES: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("styles.tsv")));

/// The kind of paragraphs whose style has this name, which is given in lower case.
pub(in crate::readers) fn kind_by_name(name: &str) -> Kind {
    let is_one = |class| STYLES.list(class).contains(&name);
    if is_one("title") {
        return Kind::Heading(1);
    }
    if is_code_name(name) {
        return Kind::Code;
    }
    if is_one("quotation") {
        return Kind::Quotation;
    }
    if name.ends_with("caption") || name == "题注" {
        return Kind::Caption;
    }
    heading_level(name).map_or(Kind::Body, Kind::Heading)
}

/// The names that programs give to their own styles for headings, in the most common languages.
fn heading_level(name: &str) -> Option<u8> {
    let rest = STYLES
        .list("heading")
        .iter()
        .find_map(|word| name.strip_prefix(word))?;
    let level = rest.trim().parse().ok()?;
    (1..=9).contains(&level).then_some(level)
}

pub(in crate::readers) fn is_code_name(name: &str) -> bool {
    let is_code = name == "code" || name.starts_with("code ") || name.ends_with(" code");
    is_code || STYLES.list("code").iter().any(|word| name.contains(word))
}
