//! The parts of a document in their archive: in the order of the schema, compressed, and the same each time.

use std::io::{Cursor, Read, Write};

use docx_rs::Docx;
use words::rows;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, DateTime, ZipArchive, ZipWriter};

use super::direction::turned;
use crate::document::DocumentError;
use crate::document::formulas::Formulas;
use crate::html::escape;

/// Elements whose children have an order in the schema, innermost elements first, each with that order. The crate that writes the
/// elements uses another order, which strict readers refuse.
const ORDERS: &str = include_str!("orders.tsv");

/// What a file says of itself.
pub(super) struct Properties<'p> {
    pub(super) title: &'p str,
    /// Empty for none.
    pub(super) authors: &'p str,
    pub(super) description: &'p str,
    pub(super) language: &'p str,
}

pub(super) fn write(
    docx: Docx,
    properties: &Properties<'_>,
    formulas: &Formulas,
) -> Result<Vec<u8>, DocumentError> {
    let language = properties.language;
    let failed = |error: &dyn std::error::Error| DocumentError::Package(error.to_string());
    let mut packed = Cursor::new(Vec::new());
    docx.build()
        .pack(&mut packed)
        .map_err(|error| failed(&error))?;
    let mut from = ZipArchive::new(packed).map_err(|error| failed(&error))?;
    let mut to = ZipWriter::new(Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default()
        .compression_method(CompressionMethod::Deflated)
        .last_modified_time(DateTime::default());
    for at in 0..from.len() {
        let mut part = from.by_index(at).map_err(|error| failed(&error))?;
        if part.is_dir() {
            continue;
        }
        let name = part.name().map_err(|error| failed(&error))?.into_owned();
        let mut xml = String::new();
        part.read_to_string(&mut xml)
            .map_err(|error| failed(&error))?;
        let xml = match name.as_str() {
            "docProps/core.xml" => core(properties),
            "word/document.xml" => {
                let xml = ordered(&turned(&without_ids(&xml)))
                    .replace("<w:cantSplit />", "<w:cantSplit /><w:tblHeader />");
                formulas.in_docx(&xml)
            }
            "word/styles.xml" => with_language(&ordered(&xml), language),
            _ => ordered(&turned(&without_ids(&xml))),
        };
        to.start_file(name, options)
            .map_err(|error| failed(&error))?;
        to.write_all(xml.as_bytes())
            .map_err(|error| failed(&error))?;
    }
    let file = to.finish().map_err(|error| failed(&error))?;
    Ok(file.into_inner())
}

/// The document's properties. They have no times, as the document has none.
fn core(properties: &Properties<'_>) -> String {
    let said = |element: &str, text: &str| {
        if text.is_empty() {
            return String::new();
        }
        format!("<dc:{element}>{}</dc:{element}>", escape(text))
    };
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\" standalone=\"yes\"?>\n\
         <cp:coreProperties xmlns:cp=\"http://schemas.openxmlformats.org/package/2006/metadata/core-properties\" \
         xmlns:dc=\"http://purl.org/dc/elements/1.1/\"><dc:title>{}</dc:title>{}{}<dc:language>{}</dc:language>\
         </cp:coreProperties>",
        escape(properties.title),
        said("creator", properties.authors),
        said("description", properties.description),
        escape(properties.language)
    )
}

/// The XML without the ids of paragraphs: they count on from one document to the next, and no reader needs them.
fn without_ids(xml: &str) -> String {
    let mut out = String::with_capacity(xml.len());
    let mut pieces = xml.split(" w14:paraId=\"");
    out.push_str(pieces.next().unwrap_or_default());
    for piece in pieces {
        out.push_str(piece.split_once('"').map_or("", |(_, rest)| rest));
    }
    out
}

/// Sets the language of all text, which decides spelling and the form of punctuation, and the style of paragraphs that name no style.
fn with_language(styles: &str, language: &str) -> String {
    let lower = language.to_lowercase();
    let east_asian = ["zh", "ja", "ko"]
        .iter()
        .any(|code| lower.starts_with(code));
    let (latin, other) = if east_asian {
        ("en-US", language)
    } else {
        (language, "zh-CN")
    };
    let (latin, other) = (escape(latin), escape(other));
    let bidi = if spec::text::is_right_to_left(language) {
        format!(" w:bidi=\"{latin}\"")
    } else {
        String::new()
    };
    let lang = format!("<w:lang w:val=\"{latin}\" w:eastAsia=\"{other}\"{bidi} />");
    let end = "</w:rPr></w:rPrDefault>";
    let normal = "<w:style w:type=\"paragraph\" w:styleId=\"Normal\">";
    styles.replacen(end, &format!("{lang}{end}"), 1).replacen(
        normal,
        &normal.replace(" w:styleId", " w:default=\"1\" w:styleId"),
        1,
    )
}

fn ordered(xml: &str) -> String {
    rows(ORDERS).fold(xml.to_owned(), |xml, [element, order]| {
        sorted(&xml, element, order)
    })
}

/// The XML with the children of each such element in their order. No such element contains another one of its kind.
fn sorted(xml: &str, element: &str, order: &str) -> String {
    let (open, close) = (format!("<{element}"), format!("</{element}>"));
    let place = |child: &&str| {
        let name = name(child).trim_start_matches("w:");
        let mut known = order.split_whitespace();
        known.position(|known| known == name).unwrap_or(usize::MAX)
    };
    let mut out = String::with_capacity(xml.len());
    let mut rest = xml;
    while let Some(at) = rest.find(&open) {
        let tag = rest[at..].find('>').map_or(rest.len(), |end| at + end + 1);
        out.push_str(&rest[..tag]);
        let whole = name(&rest[at..tag]) == element && !rest[..tag].ends_with("/>");
        rest = &rest[tag..];
        // Most of these elements are empty and have no end tag; searching for one would read all of the remaining text each time.
        if whole && let Some((inner, next)) = rest.split_once(&close) {
            let mut children = children(inner);
            children.sort_by_key(place);
            out.extend(children);
            out.push_str(&close);
            rest = next;
        }
    }
    out.push_str(rest);
    out
}

/// The child elements, each with its content.
fn children(xml: &str) -> Vec<&str> {
    let mut children = Vec::new();
    let mut rest = xml;
    while !rest.is_empty() {
        let tag = rest.find('>').map_or(rest.len(), |at| at + 1);
        let end = if rest[..tag].ends_with("/>") {
            tag
        } else {
            let close = format!("</{}>", name(rest));
            rest.find(&close).map_or(rest.len(), |at| at + close.len())
        };
        children.push(&rest[..end]);
        rest = &rest[end..];
    }
    children
}

fn name(tag: &str) -> &str {
    let tag = tag.trim_start_matches('<');
    &tag[..tag.find([' ', '/', '>']).unwrap_or(tag.len())]
}
