//! Reports as pages and as documents for word processors.

use std::io::{Cursor, Read};

use palimpsest_render::Fonts;
use palimpsest_render::document::{DocumentError, MARKDOWN_BYTES_MAX, Report, docx, html};
use resvg::usvg::roxmltree::{Document, Node};

use crate::office::tools::{Folder, converted, skipped, writer};

const REPORT: &str = include_str!("document/report.md");
const HOSTILE: &str = include_str!("document/hostile.md");

const W: &str = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";

fn report(markdown: &str) -> Report {
    Report {
        title: "2024 年度经营报告".to_owned(),
        language: "zh-CN".to_owned(),
        markdown: markdown.to_owned(),
        note: Some("离线作者 <i>".to_owned()),
    }
}

fn page(markdown: &str) -> String {
    html(&report(markdown)).expect("a page")
}

fn parts(markdown: &str) -> Vec<(String, String)> {
    let file = docx(&report(markdown)).expect("a document");
    let mut archive = zip::ZipArchive::new(Cursor::new(file)).expect("an archive");
    let mut parts = Vec::new();
    for at in 0..archive.len() {
        let mut part = archive.by_index(at).expect("a part");
        let mut text = String::new();
        part.read_to_string(&mut text).expect("XML is text");
        parts.push((part.name().expect("a name").into_owned(), text));
    }
    parts
}

fn part(parts: &[(String, String)], name: &str) -> String {
    let part = parts.iter().find(|(known, _)| known == name);
    part.unwrap_or_else(|| panic!("no {name}")).1.clone()
}

/// Style and words of each paragraph.
fn paragraphs(document: &str) -> Vec<(String, String)> {
    let document = Document::parse(document).expect("XML");
    let all = document
        .descendants()
        .filter(|node| node.has_tag_name((W, "p")));
    let words = |node: Node<'_, '_>| {
        let texts = node
            .descendants()
            .filter(|node| node.has_tag_name((W, "t")));
        texts
            .filter_map(|text| text.text().map(str::to_owned))
            .collect::<String>()
    };
    all.map(|node| {
        let style = node
            .descendants()
            .find(|node| node.has_tag_name((W, "pStyle")));
        let style = style
            .and_then(|style| style.attribute((W, "val")))
            .unwrap_or_default();
        (style.to_owned(), words(node))
    })
    .collect()
}

#[test]
fn a_page_has_its_headings_in_order_and_lists_them() {
    let page = page(REPORT);
    assert!(page.starts_with("<!doctype html>\n<html lang=\"zh-CN\">"));
    for piece in [
        "<title>2024 年度经营报告</title>",
        "<h1 id=\"section-1\">2024 年度经营报告</h1>\n<p class=\"note\">离线作者 &lt;i&gt;</p>",
        "<h2 id=\"section-2\">一、概述 <em>Overview</em></h2>",
        "<li class=\"level-2\"><a href=\"#section-2\">一、概述 Overview</a></li>",
        "<th style=\"text-align:right\">收入 (M)</th>",
        "<del>旧口径</del>",
        "☑ 完成",
        "<sup><a href=\"#note-1\" rel=\"noopener noreferrer\">1</a></sup>",
        "<li id=\"note-1\" value=\"1\"><p>未经审计。</p>",
        "<pre><code><span class=\"ck\">fn</span> <span class=\"cn\">main</span>() {\n    # no heading\n}\n</code></pre>",
        "<a href=\"https://example.org/a?b=1&amp;c=2\" rel=\"noopener noreferrer\">来源</a>",
    ] {
        assert!(page.contains(piece), "{piece} is not in {page}");
    }
    assert_eq!(
        page.matches("2024 年度经营报告").count(),
        3,
        "title, contents, heading"
    );
}

#[test]
fn a_title_that_no_heading_says_is_put_first() {
    let page = page("## 只有二级\n\n文");
    assert!(page.contains("<p class=\"title\">2024 年度经营报告</p>\n<p class=\"note\">"));
    assert!(!page.contains("<nav"), "one heading needs no contents");
}

#[test]
fn what_is_hostile_does_nothing_in_a_page() {
    let page = page(HOSTILE);
    let style = include_str!("../../src/document/page.css");
    let said = page.replace(style, "").to_lowercase();
    for bad in [
        "<script",
        "alert(",
        "javascript:",
        "onerror",
        "onclick",
        "data:text",
        "<iframe",
        "<form",
        "<object",
        "<embed",
        "<svg",
        "<img",
        "<style>body",
        "expression(",
        "vbscript:",
        "<base",
        "<meta http-equiv=\"refresh",
        "position:fixed;top",
    ] {
        assert!(!said.contains(bad), "{bad} is in {page}");
    }
    // An element that was left open in one section does not extend into the next.
    assert!(page.contains("<h2 id=\"section-3\">after</h2>"));
    let details = page.split("<h2 id=\"section-3\">").next().expect("before");
    assert_eq!(
        details.matches("<details>").count(),
        details.matches("</details>").count()
    );
    let xml = part(&parts(HOSTILE), "word/_rels/document.xml.rels");
    assert!(
        !xml.contains("javascript") && !xml.contains("data:"),
        "{xml}"
    );
}

#[test]
fn a_document_has_the_styles_that_word_processors_know() {
    let parts = parts(REPORT);
    let document = part(&parts, "word/document.xml");
    let said = paragraphs(&document);
    let has = |style: &str, words: &str| {
        assert!(
            said.iter().any(|(s, w)| s == style && w == words),
            "{style} {words}: {said:#?}"
        );
    };
    has("Title", "2024 年度经营报告");
    has("Subtitle", "离线作者 <i>");
    has("Heading2", "一、概述 Overview");
    has("Heading3", "1.1 指标");
    has("Quote", "引用一句话。");
    has("Code", "fn main() {    # no heading}");
    has("ListParagraph", "子项");
    has("TableText", "收入 (M)");
    has("FootnoteText", "1 未经审计。");
    let styles = part(&parts, "word/styles.xml");
    for piece in [
        "w:eastAsia=\"Microsoft YaHei\"",
        "<w:lang w:val=\"en-US\" w:eastAsia=\"zh-CN\" />",
        "heading 6",
    ] {
        assert!(styles.contains(piece), "{piece} is not in {styles}");
    }
    let core = part(&parts, "docProps/core.xml");
    assert!(
        core.contains("<dc:title>2024 年度经营报告</dc:title><dc:language>zh-CN</dc:language>")
    );
    assert!(part(&parts, "word/footer1.xml").contains("PAGE"));
    assert_eq!(document.matches("<w:tblHeader />").count(), 1);
}

#[test]
fn the_children_of_properties_are_in_the_order_of_the_schema() {
    let order = [
        "pStyle",
        "keepNext",
        "keepLines",
        "numPr",
        "pBdr",
        "shd",
        "spacing",
        "ind",
        "jc",
        "outlineLvl",
        "rPr",
    ];
    let parts = parts(REPORT);
    for name in ["word/document.xml", "word/styles.xml", "word/numbering.xml"] {
        let xml = part(&parts, name);
        let document = Document::parse(&xml).expect("XML");
        for properties in document
            .descendants()
            .filter(|node| node.has_tag_name((W, "pPr")))
        {
            let children = properties.children().map(|child| child.tag_name().name());
            let places: Vec<_> = children
                .map(|name| order.iter().position(|known| *known == name))
                .collect();
            assert!(
                places.is_sorted() && places.iter().all(Option::is_some),
                "{places:?} in {name}"
            );
        }
    }
}

#[test]
fn lists_count_by_themselves_and_links_lead_to_the_web() {
    let parts = parts(
        "1. a\n2. b\n\ntext\n\n7. c\n   1. d\n\n- e\n\n[x](https://e.org/?a=1&b=2) [y](#z)\n",
    );
    let document = part(&parts, "word/document.xml");
    let read = Document::parse(&document).expect("XML");
    let ids: Vec<_> = read
        .descendants()
        .filter(|node| node.has_tag_name((W, "numId")))
        .filter_map(|node| node.attribute((W, "val")))
        .collect();
    assert_eq!(ids, ["13", "13", "14", "15", "11"]);
    let numbering = part(&parts, "word/numbering.xml");
    assert!(
        numbering.contains("<w:startOverride w:val=\"7\" />"),
        "{numbering}"
    );
    let relations = part(&parts, "word/_rels/document.xml.rels");
    assert!(
        relations.contains("Target=\"https://e.org/?a=1&amp;b=2\""),
        "{relations}"
    );
}

#[test]
fn the_same_report_is_the_same_bytes_again() {
    let first = docx(&report(REPORT)).expect("a document");
    docx(&report(HOSTILE)).expect("another in between");
    let again = std::thread::spawn(|| docx(&report(REPORT)))
        .join()
        .expect("a thread");
    assert!(first == again.expect("a document"), "another file");
    assert!(
        first == docx(&report(REPORT)).expect("a document"),
        "another file in the same thread"
    );
    assert_eq!(page(REPORT), page(REPORT));
}

#[test]
fn a_report_may_be_long() {
    let (_, body) = REPORT.split_once('\n').expect("a first line");
    let links = format!("[{}](https://e.org)\n\n", "*a* ".repeat(2_000));
    let long = body.repeat(100) + &links + &"字\n".repeat(20_000);
    let said = paragraphs(&part(&parts(&long), "word/document.xml"));
    let headings = said.iter().filter(|(style, _)| style == "Heading2").count();
    assert_eq!(headings, 300);
    assert_eq!(page(&long).matches("<h2 ").count(), 300);
}

#[test]
fn what_is_odd_is_written_too() {
    for odd in [
        "",
        "\u{0}\u{1}\u{b}x\u{fffe}",
        "- ",
        "|a|\n|-|\n",
        "> > > - 1. x",
        "# \n\n#",
        "[^1]: only a note",
        "```\n\n\n```",
        "<!-- x",
        "&#0; &#xffff;",
    ] {
        assert!(page(odd).ends_with("</html>\n"));
        let document = part(&parts(odd), "word/document.xml");
        Document::parse(&document).unwrap_or_else(|error| panic!("{odd:?}: {error}"));
    }
    let large = report(&"x".repeat(MARKDOWN_BYTES_MAX + 1));
    let refused = DocumentError::TooLarge {
        bytes: MARKDOWN_BYTES_MAX + 1,
        max: MARKDOWN_BYTES_MAX,
    };
    assert_eq!(docx(&large), Err(refused.clone()));
    assert_eq!(html(&large), Err(refused));
}

#[test]
fn libre_office_shows_what_the_report_says() {
    let Some(soffice) = writer() else {
        return skipped("LibreOffice Writer or pdftotext is not installed");
    };
    let fonts = Fonts::load(None).expect("the fonts of this machine");
    if !fonts.missing("汉字").is_empty() {
        return skipped("no font with Chinese characters is installed");
    }
    let folder = Folder::new("report");
    let file = folder.put_file("report.docx", &docx(&report(REPORT)).expect("a document"));
    let pages = converted(&soffice, &folder, &[file]);
    let shown: String = pages[0]
        .iter()
        .flatten()
        .map(|word| word.text.as_str())
        .collect();
    for words in [
        "2024年度经营报告",
        "一、概述Overview",
        "收入(M)",
        "引用一句话。",
        "☑完成",
        "fnmain(){",
        "未经审计。",
        "1/",
    ] {
        assert!(shown.contains(words), "{words} is not in {shown}");
    }
}
