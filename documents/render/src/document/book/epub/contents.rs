//! Both tables of contents: the page that readers of EPUB 3 show, and the file for those of EPUB 2.

use spec::text::told;

use super::Whole;
use crate::html::escape;

/// The page. It is no part of the reading order: every reader has a place of its own for it.
pub(super) fn nav(whole: &Whole<'_>) -> String {
    let (contents, begin) = told(&whole.language, [("目录", "正文"), ("Contents", "Text")]);
    let mut list = format!(
        "<li><a href=\"title.xhtml\">{}</a></li>\n",
        escape(&whole.title)
    );
    let open = |name: &str, file: &str| format!("<li><a href=\"{file}.xhtml\">{name}</a>");
    list.push_str(&tree(whole, open, ("<ol>\n", "</ol>\n"), "</li>\n"));
    let first = whole.leaves.first().map(|_| {
        let file = Whole::page_name(0);
        format!("<li><a epub:type=\"bodymatter\" href=\"{file}.xhtml\">{begin}</a></li>\n")
    });
    let body = format!(
        "<nav epub:type=\"toc\" id=\"toc\"><h1>{contents}</h1>\n<ol>\n{list}</ol>\n</nav>\n\
         <nav epub:type=\"landmarks\" hidden=\"hidden\"><ol>\n\
         <li><a epub:type=\"titlepage\" href=\"title.xhtml\">{}</a></li>\n{}</ol>\n</nav>\n",
        escape(&whole.title),
        first.unwrap_or_default()
    );
    whole.page(contents, "", &body)
}

/// The file.
pub(super) fn ncx(whole: &Whole<'_>) -> String {
    let mut order = 1;
    let mut open = |name: &str, file: &str| {
        let point = format!(
            "<navPoint id=\"point-{order}\" playOrder=\"{order}\"><navLabel><text>{name}</text></navLabel>\
             <content src=\"{file}.xhtml\"/>"
        );
        order += 1;
        point
    };
    let title = open(&escape(&whole.title), "title");
    let points = tree(whole, open, ("\n", ""), "</navPoint>\n");
    let depth = whole.leaves.iter().map(|leaf| leaf.level).max();
    format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n\
         <ncx xmlns=\"http://www.daisy.org/z3986/2005/ncx/\" version=\"2005-1\" xml:lang=\"{}\">\n<head>\
         <meta name=\"dtb:uid\" content=\"{}\"/><meta name=\"dtb:depth\" content=\"{}\"/>\
         <meta name=\"dtb:totalPageCount\" content=\"0\"/><meta name=\"dtb:maxPageNumber\" content=\"0\"/></head>\n\
         <docTitle><text>{}</text></docTitle>\n<navMap>\n{title}</navPoint>\n{points}</navMap>\n</ncx>\n",
        escape(&whole.language),
        escape(whole.book.identifier.trim()),
        depth.unwrap_or(1),
        escape(&whole.title),
    )
}

/// The leaves as entries, with the chapters of a volume inside of the volume's. `open` is asked in reading order.
fn tree(
    whole: &Whole<'_>,
    mut open: impl FnMut(&str, &str) -> String,
    (begin, end): (&str, &str),
    close: &str,
) -> String {
    let mut out = String::new();
    let leaves = &whole.leaves;
    for (at, leaf) in leaves.iter().enumerate() {
        out.push_str(&open(&whole.leaf_name(leaf), &Whole::page_name(at)));
        let is_inside = leaf.level > 1;
        let is_next_inside = leaves.get(at + 1).is_some_and(|next| next.level > 1);
        match (is_inside, is_next_inside) {
            (false, true) => out.push_str(begin),
            (true, false) => {
                out.push_str(close);
                out.push_str(end);
                out.push_str(close);
            }
            (true, true) | (false, false) => out.push_str(close),
        }
    }
    out
}
