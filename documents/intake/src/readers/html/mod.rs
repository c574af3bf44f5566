//! HTML, as a browser parses it.
//!
//! All that a page shows is taken, including its navigation and its footer: a reader does not decide what matters. Panels that a
//! reader can open are read (see [`panels`]); other hidden content is dropped and named. No address is opened and no script is run. Of
//! style sheets, only simple rules in the page itself and in its book are
//! read; see [`rules`].

mod closed;
mod dom;
mod drawing;
mod flow;
mod guard;
mod inline;
mod links;
mod lists;
mod panels;
mod rules;
mod tables;

#[cfg(test)]
mod tests;

use scraper::Html;
use spec::source::{BlockContent, Location, SourceDocument, SourceFormat};

use crate::encoding::{self, Decoded};
use crate::gather::Gathering;
use crate::{IntakeLimits, Reading, Unreadable};

pub(crate) use closed::closed;
pub(crate) use drawing::Drawing;
use flow::Flow;
pub use guard::check as check_html;
pub(crate) use links::links;
use rules::Rules;

/// What a piece of HTML holds.
#[derive(Debug, Default)]
pub(crate) struct Fragment {
    pub(crate) blocks: Vec<BlockContent>,
    /// What is left out, and why.
    pub(crate) omissions: Vec<(String, String)>,
    pub(crate) title: Option<String>,
}

pub(crate) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let decoded = decoded(reading.bytes);
    decoded.check(SourceFormat::Html)?;
    let fragment = blocks_of(&decoded.text, reading.limits)?;
    reading.go_on()?;
    let mut out = Gathering::new(reading);
    for (number, block) in (1..).zip(fragment.blocks) {
        out.push(Location::Paragraph(number), block);
    }
    for (what, why) in fragment.omissions {
        out.omit(Location::File, what, why);
    }
    let mut document = out.finish();
    decoded.note(&mut document);
    Ok(document)
}

/// The blocks of a page or of a part of one.
///
/// # Errors
///
/// If it is nested deeper than any page that a person wrote, or would cost many times its size.
pub(crate) fn blocks_of(text: &str, limits: &IntakeLimits) -> Result<Fragment, Unreadable> {
    flow_of(text, limits, Flow::new(limits.cells), &mut |_: &str| {
        Ok(None)
    })
}

/// The blocks of a chapter of a book, where a rule between paragraphs is a paragraph `* * *`. `sheet` gives the text of a style sheet by
/// its address.
///
/// # Errors
///
/// Those of [`blocks_of`] and of `sheet`.
pub(crate) fn chapter_blocks(
    text: &str,
    limits: &IntakeLimits,
    sheet: &mut SheetReader<'_>,
) -> Result<Fragment, Unreadable> {
    let mut flow = Flow::new(limits.cells);
    flow.is_book = true;
    flow_of(text, limits, flow, sheet)
}

/// Gives the text of a style sheet by its address; `None` if it is not in the same file.
pub(crate) type SheetReader<'a> = dyn FnMut(&str) -> Result<Option<String>, Unreadable> + 'a;

fn flow_of(
    text: &str,
    limits: &IntakeLimits,
    mut flow: Flow,
    sheet: &mut SheetReader<'_>,
) -> Result<Fragment, Unreadable> {
    let mut page = dom::parse(text, limits)?;
    rules_of(&page, sheet)?.apply(&mut page);
    panels::open(&mut page);
    flow.children(page.tree.root());
    Ok(flow.finish())
}

/// The rules of the page, in its order.
fn rules_of(page: &Html, sheet: &mut SheetReader<'_>) -> Result<Rules, Unreadable> {
    let mut rules = Rules::default();
    for node in page.tree.root().descendants() {
        match dom::name(node) {
            "style" => node
                .children()
                .filter_map(|child| child.value().as_text())
                .for_each(|text| rules.add(text)),
            "link" if dom::attr(node, "rel").is_some_and(|rel| rel.contains("stylesheet")) => {
                let address = dom::attr(node, "href").unwrap_or_default();
                if let Some(text) = sheet(address)? {
                    rules.add(&text);
                }
            }
            _ => {}
        }
    }
    Ok(rules)
}

/// The text in the encoding that the page names, unless a mark or the form of its bytes is more certain.
fn decoded(bytes: &[u8]) -> Decoded {
    let is_sure =
        encoding_rs::Encoding::for_bom(bytes).is_some() || std::str::from_utf8(bytes).is_ok();
    match said_encoding(bytes) {
        Some(encoding) if !is_sure => encoding::with(encoding, bytes),
        Some(_) | None => encoding::decode(bytes),
    }
}

/// A page whose own characters are single bytes cannot be in UTF-16.
fn said_encoding(bytes: &[u8]) -> Option<&'static encoding_rs::Encoding> {
    let start = String::from_utf8_lossy(&bytes[..bytes.len().min(2_048)]).to_ascii_lowercase();
    let marks = ["charset=", "encoding="];
    let after = marks.iter().find_map(|mark| start.split_once(mark))?.1;
    let name = after
        .trim_start_matches(['"', '\''])
        .split(['"', '\'', ' ', ';', '>', '/', '?'])
        .next()?;
    let encoding = encoding_rs::Encoding::for_label(name.as_bytes())?;
    encoding.is_ascii_compatible().then_some(encoding)
}
