//! A document from a template's headings and what was written under them.

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::scan::{Block, blocks, headings, one_line};
use super::tree::{Part, Tree, core};

/// What stands under a heading whose text is missing, where nobody said why.
const MISSING: &str = "本节缺失 / This section is missing";

/// The document under the template's own title. See [`assemble_titled`].
#[must_use]
pub fn assemble(
    tree: &Tree,
    sections: &BTreeMap<u32, String>,
    missing: &BTreeMap<u32, String>,
) -> String {
    let title = tree.own_title().unwrap_or(&tree.doc_title);
    assemble_titled(tree, title, sections, missing)
}

/// The document: the template after its front matter, where the text of each leaf is replaced by the section with the leaf's id. The headings
/// are those of the template, byte for byte and in its order.
///
/// `title` comes first as `# title`, unless the template's first heading of level 1 says the same. A leaf without a section has a block
/// quote that says so, with the text in `missing`. A section that says the same as the template (ignoring blank lines around it) leaves the
/// template as it is. So if the sections are the leaves' own texts, the document equals the template, after the line with the title if there
/// is one.
///
/// Sections are expected as [`super::clean_section`] gives them; other sections may change which headings the document has.
#[must_use]
pub fn assemble_titled(
    tree: &Tree,
    title: &str,
    sections: &BTreeMap<u32, String>,
    missing: &BTreeMap<u32, String>,
) -> String {
    let source = &tree.source;
    let mut document = Assembled {
        text: String::with_capacity(source.len()),
        line_end: if source.contains("\r\n") {
            "\r\n"
        } else {
            "\n"
        },
    };
    if let Some(line) = title_line(tree, title) {
        document.block(&line);
        document.blank_line();
    }
    let mut replaced = Vec::new();
    let parts = &tree.parts;
    for (at, part) in parts.iter().enumerate() {
        document.text.push_str(&source[part.heading.clone()]);
        let own = &source[part.text.clone()];
        let Some(block) = replacement(part, own, sections, missing) else {
            document.text.push_str(own);
            continue;
        };
        replaced.push(part.text.clone());
        document.block(&block);
        if let Some(next) = parts.get(at + 1) {
            document.blank_line();
            let indented = source[next.heading.start..].starts_with([' ', '\t']);
            if indented && ends_in_list(&block) {
                // An indented heading would be taken for a part of the list above it.
                document.block("<!-- -->");
                document.blank_line();
            }
        }
    }
    for definition in &tree.definitions {
        let gone = replaced.iter().any(|text| text.contains(&definition.start));
        if gone {
            document.blank_line();
            document.block(source[definition.clone()].trim_end());
        }
    }
    document.text
}

/// What replaces the text of a part; `None` if the text stays as it was.
fn replacement(
    part: &Part,
    own: &str,
    sections: &BTreeMap<u32, String>,
    missing: &BTreeMap<u32, String>,
) -> Option<String> {
    let id = part.leaf?;
    match sections.get(&id).map(|section| core(section)) {
        Some(section) if section == core(own) => None,
        Some(section) if !section.is_empty() => Some(section.to_owned()),
        Some(_) | None => Some(quote(missing.get(&id).map_or(MISSING, String::as_str))),
    }
}

/// The line with the document's title, where the template does not have it.
fn title_line(tree: &Tree, title: &str) -> Option<String> {
    let title = one_line(title);
    let mut h1s = tree.headings.iter().filter(|heading| heading.level == 1);
    let printed = h1s.next().is_some_and(|heading| heading.title == title);
    if printed || title.is_empty() {
        return None;
    }
    let plain = format!("# {title}");
    if headings(&plain) == [(1, title.clone())] {
        return Some(plain);
    }
    // The title is words, and some of its characters are taken for marks.
    let mut escaped = "# ".to_owned();
    for c in title.chars() {
        if c.is_ascii_punctuation() {
            escaped.push('\\');
        }
        escaped.push(c);
    }
    Some(escaped)
}

/// Text as a block quote, in which nothing is a definition of a link or a note.
fn quote(text: &str) -> String {
    let text = core(text).replace("]:", "]\\:");
    let text = if text.is_empty() { MISSING } else { &text };
    let mut quote = String::new();
    for line in text.lines() {
        let line = format!("> {line}");
        writeln!(quote, "{}", line.trim_end()).expect("a string takes any text");
    }
    quote.trim_end().to_owned()
}

/// Whether a text ends in something that continues in indented lines.
fn ends_in_list(text: &str) -> bool {
    blocks(text).last() == Some(&Block::Indented)
}

struct Assembled {
    text: String,
    /// The line end of the template; sections keep their own, since every reader accepts both.
    line_end: &'static str,
}

impl Assembled {
    /// A block with a blank line before it, unless it is the first.
    fn block(&mut self, block: &str) {
        if !self.text.is_empty() {
            self.blank_line();
        }
        self.text.push_str(block);
        self.text.push_str(self.line_end);
    }

    fn blank_line(&mut self) {
        if !self.text.is_empty() && !self.text.ends_with(['\n', '\r']) {
            self.text.push_str(self.line_end);
        }
        let mut ends = self.text.split_inclusive('\n').rev();
        let blank = ends.next().is_none_or(|line| line.trim().is_empty());
        if !blank {
            self.text.push_str(self.line_end);
        }
    }
}
