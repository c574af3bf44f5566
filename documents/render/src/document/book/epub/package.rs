//! The package document: what the book is called, and all of its parts in their order.

use super::{Page, Whole, cover_name};
use crate::document::text::one_line;
use crate::html::escape;

pub(super) fn document(whole: &Whole<'_>, pages: &[Page], modified: &str) -> String {
    let direction = if whole.is_right_to_left() {
        "rtl"
    } else {
        "ltr"
    };
    [
        format!(
            "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<package xmlns=\"http://www.idpf.org/2007/opf\" version=\"3.0\" \
             unique-identifier=\"identifier\" xml:lang=\"{}\" dir=\"{direction}\">\n",
            escape(&whole.language)
        ),
        metadata(whole, modified),
        manifest(whole, pages),
        format!("<spine toc=\"ncx\" page-progression-direction=\"{direction}\">\n"),
        pages
            .iter()
            .map(|page| format!("<itemref idref=\"{}\"/>\n", page.name))
            .collect(),
        "</spine>\n</package>\n".to_owned(),
    ]
    .concat()
}

fn metadata(whole: &Whole<'_>, modified: &str) -> String {
    let creators = whole.authors.iter();
    let creators = creators.map(|author| format!("<dc:creator>{}</dc:creator>\n", escape(author)));
    let description = whole.book.description.as_deref().map(one_line);
    let description = description
        .filter(|description| !description.is_empty())
        .map(|description| {
            format!(
                "<dc:description>{}</dc:description>\n",
                escape(&description)
            )
        });
    // By this, readers of EPUB 2 find the cover.
    let cover = whole
        .cover
        .as_ref()
        .map(|_| "<meta name=\"cover\" content=\"cover-picture\"/>\n");
    format!(
        "<metadata xmlns:dc=\"http://purl.org/dc/elements/1.1/\">\n<dc:identifier id=\"identifier\">{}</dc:identifier>\n\
         <dc:title>{}</dc:title>\n<dc:language>{}</dc:language>\n{}{}<meta property=\"dcterms:modified\">{modified}</meta>\n\
         {}</metadata>\n",
        escape(whole.book.identifier.trim()),
        escape(&whole.title),
        escape(&whole.language),
        creators.collect::<String>(),
        description.unwrap_or_default(),
        cover.unwrap_or_default(),
    )
}

fn manifest(whole: &Whole<'_>, pages: &[Page]) -> String {
    let item = |id: &str, file: &str, kind: &str, properties: &str| {
        format!("<item id=\"{id}\" href=\"{file}\" media-type=\"{kind}\"{properties}/>\n")
    };
    let page_kind = "application/xhtml+xml";
    let mut items = vec![
        item("nav", "nav.xhtml", page_kind, " properties=\"nav\""),
        item("ncx", "toc.ncx", "application/x-dtbncx+xml", ""),
        item("style", "style.css", "text/css", ""),
    ];
    if let Some(cover) = &whole.cover {
        let properties = " properties=\"cover-image\"";
        let (file, kind) = (cover_name(cover), cover.media_type);
        items.push(item("cover-picture", file, kind, properties));
    }
    for page in pages {
        let has_formulas = page.xhtml.contains("<math ");
        let properties = if has_formulas {
            " properties=\"mathml\""
        } else {
            ""
        };
        let file = format!("{}.xhtml", page.name);
        items.push(item(&page.name, &file, page_kind, properties));
    }
    format!("<manifest>\n{}</manifest>\n", items.concat())
}
