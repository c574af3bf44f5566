//! The PDF, as other programs read it.

use std::io::Write as _;
use std::process::{Command, Stdio};

use palimpsest_render as render;
use render::{DeckPage, FileAbout, Fonts, RasterError, pdf};

use super::{english, page, slides, theme};

/// Whether a missing program or font is an error.
fn skipped(why: &str) {
    assert_ne!(std::env::var("CI").as_deref(), Ok("true"), "{why}");
    let _ = writeln!(std::io::stderr(), "skipped: {why}");
}

/// What a program says of a file that is given to it; nothing when it is not installed.
fn told(program: &str, arguments: &[&str], file: &[u8]) -> Option<String> {
    let child = Command::new(program)
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn();
    let Ok(mut child) = child else {
        skipped(&format!("{program} is not installed"));
        return None;
    };
    child
        .stdin
        .take()
        .expect("it was piped")
        .write_all(file)
        .expect("it reads the file");
    let output = child.wait_with_output().expect("it ends");
    assert!(output.status.success(), "{program} refuses the file");
    // A heading that is not in ASCII is told in UTF-16.
    Some(String::from_utf8_lossy(&output.stdout).into_owned())
}

#[test]
fn a_pdf_has_a_sheet_for_each_page_with_text_title_and_bookmarks() {
    let fonts = Fonts::embedded();
    let file = pdf(
        &english(&fonts),
        &theme(),
        &FileAbout::titled("Plants & light"),
        &fonts,
    )
    .expect("a PDF");
    let Some(info) = told("pdfinfo", &["-"], &file) else {
        return;
    };
    let says = |name: &str, value: &str| {
        let line = info.lines().find(|line| line.starts_with(name));
        assert!(line.is_some_and(|line| line.contains(value)), "{info}");
    };
    says("Title:", "Plants & light");
    says("Pages:", "2");
    says("Page size:", "960 x 540 pts");
    assert!(!info.contains("CreationDate"), "{info}");
    let outline =
        ["/Outlines", "/Lang"].map(|key| file.windows(key.len()).any(|at| at == key.as_bytes()));
    assert_eq!(outline, [true, true]);
    let Some(text) = told("pdftotext", &["-", "-"], &file) else {
        return;
    };
    let sheets: Vec<&str> = text.split('\u{c}').collect();
    assert!(
        sheets[0].contains("Plants turn light into sugar."),
        "{text}"
    );
    assert!(sheets[1].contains("Leaves are thin and wide."), "{text}");
    assert!(sheets[1].contains("2 / 12"), "{text}");
}

#[test]
fn author_and_time_are_those_that_are_given() {
    let fonts = Fonts::embedded();
    let about = FileAbout {
        author: Some("A. Author & sons".to_owned()),
        created: chrono::DateTime::from_timestamp(1_791_190_805, 0),
        ..FileAbout::titled("Plants")
    };
    let mut pages = english(&fonts);
    pages[0].notes = Some("First the leaves.".to_owned());
    for file in [
        pdf(&pages, &theme(), &about, &fonts).expect("a PDF"),
        render::handout(&pages, &theme(), &about, &fonts).expect("a PDF"),
    ] {
        let Some(info) = told("pdfinfo", &["-isodates", "-"], &file) else {
            return;
        };
        assert!(info.contains("A. Author & sons"), "{info}");
        assert!(info.contains("2026-10-05T09:00:05Z"), "{info}");
    }
    let meta = render::pptx::Meta {
        about,
        language: "en".to_owned(),
        ..render::pptx::Meta::default()
    };
    let file = render::pptx::write(&pages, &theme(), &meta).expect("a file");
    let core = crate::one_page::part(&file, "docProps/core.xml");
    assert!(core.contains("<dc:creator>A. Author &amp; sons</dc:creator>"));
    let created =
        "<dcterms:created xsi:type=\"dcterms:W3CDTF\">2026-10-05T09:00:05Z</dcterms:created>";
    assert!(core.contains(created), "{core}");
}

#[test]
fn a_handout_has_the_pages_and_what_is_said_to_them() {
    let fonts = Fonts::embedded();
    let mut pages = english(&fonts);
    pages[1].notes = Some("Hold **one** against the light.\n\nAsk [why](x).".to_owned());
    let about = FileAbout::titled("Plants");
    let file = render::handout(&pages, &theme(), &about, &fonts).expect("a PDF");
    assert_eq!(
        Ok(file.clone()),
        render::handout(&pages, &theme(), &about, &fonts)
    );
    let Some(text) = told("pdftotext", &["-layout", "-", "-"], &file) else {
        return;
    };
    for said in [
        "Plants turn light into sugar.",
        "Leaves are thin and wide.",
        "Hold **one** against the light.",
        "Ask [why](x).",
        "1 / 1",
    ] {
        assert!(text.contains(said), "{said} is not in {text}");
    }
    pages[0].notes = Some("光合作用".to_owned());
    let missing = render::handout(&pages, &theme(), &about, &fonts).expect_err("no Chinese font");
    assert!(matches!(missing, RasterError::MissingGlyphs { .. }));
    assert!(pdf(&pages, &theme(), &about, &fonts).is_ok());
}

#[test]
fn chinese_can_be_taken_out_of_a_pdf() {
    let fonts = Fonts::load(None).expect("no folder is named");
    if !fonts.missing("光合作用").is_empty() {
        return skipped("no Chinese font is installed");
    }
    let pages: Vec<DeckPage> = slides()
        .into_iter()
        .zip(1..)
        .map(|(slide, number)| page(slide, number, &fonts))
        .collect();
    let file = pdf(&pages, &theme(), &FileAbout::titled("光合作用"), &fonts).expect("a PDF");
    let Some(text) = told("pdftotext", &["-", "-"], &file) else {
        return;
    };
    let squeeze = |text: &str| text.split_whitespace().collect::<String>();
    let sheets: Vec<String> = text.split('\u{c}').map(squeeze).collect();
    for (page, sheet) in pages.iter().zip(&sheets) {
        let title = squeeze(page.slide.title());
        assert!(sheet.contains(&title), "{title} in {sheet}");
    }
}

#[test]
fn a_pdf_has_at_least_one_page_and_at_most_five_hundred() {
    let fonts = Fonts::embedded();
    let refused = |pages: &[DeckPage]| pdf(pages, &theme(), &FileAbout::titled("Plants"), &fonts);
    assert_eq!(refused(&[]), Err(RasterError::Pages { pages: 0 }));
    let many = vec![english(&fonts).remove(0); 501];
    assert_eq!(refused(&many), Err(RasterError::Pages { pages: 501 }));
}

/// A page with a list, a link and a formula.
fn tagged(fonts: &Fonts) -> DeckPage {
    let slide = serde_json::json!({
        "layout": "bullets", "title": "Roots of $x^2$ on a page",
        "items": [
            { "text": "See [the proof](https://example.org/proof) first, and then all of the many other things that are said of it elsewhere on the web" },
            { "text": "Then $\\frac{a+b}{2}$ follows", "detail": "As it always does" },
        ],
    });
    page(serde_json::from_value(slide).expect("a slide"), 1, fonts)
}

#[test]
fn a_pdf_says_what_is_a_heading_a_list_a_link_and_a_formula() {
    let fonts = Fonts::embedded();
    let file = pdf(
        &[tagged(&fonts)],
        &theme(),
        &FileAbout::titled("Roots"),
        &fonts,
    )
    .expect("a PDF");
    let Some(said) = told("pdfinfo", &["-struct-text", "-"], &file) else {
        return;
    };
    let said: Vec<&str> = said.lines().map(str::trim).collect();
    let wanted = [
        "H1",
        "Formula",
        "L (block)",
        "LI (block)",
        "\"1\"",
        "Link (inline)",
        "\"the proof\"",
        "LI (block)",
        "\"2\"",
        "Formula",
        "P (block)",
        "\"As it always does\"",
    ];
    let mut rest = said.iter();
    for wanted in wanted {
        assert!(
            rest.any(|line| line.starts_with(wanted)),
            "{wanted} in {said:#?}"
        );
    }
    let Some(text) = told("pdftotext", &["-", "-"], &file) else {
        return;
    };
    let words: Vec<&str> = text.split_whitespace().collect();
    let text = words.join(" ");
    for wanted in [
        "Roots of x² on a page",
        "Then (a+b)/2 follows",
        "that are said of it elsewhere",
    ] {
        assert!(text.contains(wanted), "{wanted} in {text}");
    }
}
