//! Text, code and tables as a source has them: all of it is on the pages, as it was, and nothing of it became markup.

use std::sync::OnceLock;

use crate::corpus::any::{CHINESE, ENGLISH, LAYOUTS, MIXED, STANDING, Writer, any_theme};
use palimpsest_render as render;
use proptest::prelude::*;
use render::pptx::{Meta, gate, write};
use render::scene::{FlowKind, Node, texts_of};
use render::{
    DeckPage, FileAbout, Fonts, PageContext, PageCount, misfits, page_findings, paginate,
};
use resvg::usvg::roxmltree;
use serde_json::json;
use spec::{Severity, SlideSpec, Theme};

fn fonts() -> &'static Fonts {
    static FONTS: OnceLock<Fonts> = OnceLock::new();
    FONTS.get_or_init(|| Fonts::load(None).expect("without a folder there is nothing to be wrong"))
}

fn deck() -> PageContext {
    PageContext {
        title: "Sources".to_owned(),
        page_number: 1,
        page_count: 1,
        language: "en".to_owned(),
        offline: false,
        furniture: None,
    }
}

fn pages(slide: SlideSpec, theme: &Theme, count: PageCount) -> Vec<DeckPage> {
    paginate(
        vec![render::DraftPage::new(slide, None)],
        theme,
        &deck(),
        count,
        fonts(),
    )
}

fn page(slide: serde_json::Value) -> DeckPage {
    let slide = serde_json::from_value(slide).expect("a slide");
    pages(slide, &spec::default_theme(), PageCount::Binding).remove(0)
}

fn html(page: &DeckPage) -> String {
    let theme = spec::default_theme();
    render::page_fragment(&page.scene, &page.slide, &theme, &page.context)
}

/// What the slides say without titles, captions and space.
fn body<'a>(slides: impl IntoIterator<Item = &'a SlideSpec>) -> String {
    let slots = slides.into_iter().flat_map(SlideSpec::slots);
    let body = slots.filter(|slot| {
        let head = slot.path.starts_with("/columns");
        !head && !["/title", "/caption", "/language"].contains(&slot.path.as_str())
    });
    let words = body.map(|slot| slot.plain()).collect::<String>();
    words.chars().filter(|c| !c.is_whitespace()).collect()
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn all_of_it_is_on_as_many_pages_as_it_takes(
        seed in any::<u64>(), layout in LAYOUTS..LAYOUTS + STANDING, words in 0..3usize, theme in any_theme(),
    ) {
        let slide = Writer { seed, words: [CHINESE, ENGLISH, MIXED][words], share: 100 }.slide(layout);
        prop_assert_eq!(slide.check(), []);
        let pages = pages(slide.clone(), &theme, PageCount::Free);
        prop_assert_eq!(body(pages.iter().map(|page| &page.slide)), body([&slide]));
        for page in &pages {
            prop_assert_eq!(misfits(&page.scene), [], "{:?}", page.slide);
            let critical: Vec<_> = page_findings(page, &theme, fonts())
                .into_iter()
                // Which characters can be drawn depends on the machine.
                .filter(|found| found.severity == Severity::Critical && found.category != spec::FindingCategory::MissingGlyph)
                .collect();
            prop_assert_eq!(critical, [], "{:?}", page.slide);
        }
        let file = write(&pages, &theme, &Meta::default());
        prop_assert!(file.is_ok(), "{:?}", file.err());
    }
}

#[test]
fn what_does_not_fit_is_told_while_its_page_is_the_only_one() {
    let words = "Words that stand in a source. ".repeat(50);
    let blocks: Vec<_> = (0..9).map(|_| json!({ "text": words.trim() })).collect();
    let slide = json!({ "layout": "passage", "title": "All of it", "blocks": blocks });
    assert!(!misfits(&page(slide).scene).is_empty());
}

#[test]
fn nothing_becomes_markup() {
    let odd = "a<b & <b>c</b> `x` # no &amp; \"q\" </code>";
    let slides = [
        json!({ "layout": "passage", "title": odd, "blocks": [{ "text": odd, "marker": "<i>" }] }),
        json!({ "layout": "code", "title": odd, "language": odd.split(' ').next(), "code": odd, "caption": odd }),
        json!({ "layout": "table", "title": odd, "columns": [odd], "rows": [[odd]], "caption": odd }),
    ];
    for slide in slides {
        let page = page(slide);
        assert_eq!(page.slide.check(), []);
        let html = html(&page);
        let document = roxmltree::Document::parse(&html).expect("well-formed");
        let said: String = document
            .descendants()
            .filter_map(|node| node.text())
            .collect();
        assert!(said.contains("<b>c</b>"), "{html}");
        assert!(!html.contains("<b>") && !html.contains("<i>"), "{html}");
        let file = write(&[page], &spec::default_theme(), &Meta::default()).expect("a file");
        assert_eq!(gate::check(&file), []);
    }
}

#[test]
fn lists_code_and_tables_are_what_they_are_in_html() {
    let passage = page(json!({ "layout": "passage", "title": "Steps", "blocks": [
        { "text": "First." },
        { "text": "one", "marker": "1." },
        { "text": "inner", "marker": "•", "level": 1 },
        { "text": "belongs to it", "level": 1 },
        { "text": "two", "marker": "2." },
        { "text": "Last." },
    ] }));
    let html_of = html(&passage);
    let document = roxmltree::Document::parse(&html_of).expect("well-formed");
    let tags: Vec<_> = document
        .descendants()
        .map(|node| node.tag_name().name())
        .filter(|tag| ["p", "ol", "ul", "li"].contains(tag))
        .collect();
    assert_eq!(tags, ["p", "ol", "li", "ul", "li", "p", "li", "p"]);
    let code = html(&page(
        json!({ "layout": "code", "title": "Code", "code": "if x:\n\n    y = '**'" }),
    ));
    assert!(
        code.contains("<pre><code>") && code.contains(">    y = &#39;**&#39;<"),
        "{code}"
    );
    let table = json!({ "layout": "table", "title": "Table", "columns": ["a"], "rows": [["1"]] });
    assert!(html(&page(table)).contains("<th scope=\"col\">"));
    let table = json!({ "layout": "table", "title": "Table", "rows": [["a"]] });
    assert!(!html(&page(table)).contains("<th"));
}

#[test]
fn lines_of_code_are_whole_where_that_is_possible() {
    let lines = |code: String| {
        let page = page(json!({ "layout": "code", "title": "Code", "code": code }));
        let flow = page.scene.nodes.iter().find_map(|node| match node {
            Node::Flow(flow) if flow.kind == FlowKind::Code => Some(flow.clone()),
            Node::Flow(_) | Node::Text(_) | Node::Fill(_) | Node::Art(_) => None,
            Node::Icon(_) | Node::Chart(_) | Node::Table(_) | Node::Picture(_) => None,
        });
        let flow = flow.expect("code");
        let counts: Vec<usize> = flow
            .paragraphs
            .iter()
            .map(|line| line.text.lines.len())
            .collect();
        (counts, flow.paragraphs[0].text.clone())
    };
    let (counts, first) = lines(format!("    {}\n\nb", "word(x); ".repeat(15)));
    assert_eq!(counts, [1, 0, 1]);
    assert!(first.size >= 11.0 && first.lines[0].text().starts_with("    word"));
    let (counts, first) = lines(format!("    {}", "word(x); ".repeat(40)));
    assert!(counts[0] > 1);
    // The continuation of a line is indented further than its beginning.
    let indent = first.lines[1].runs[0].x;
    assert!(indent > 4.0 * 0.5 * first.size, "{indent}");
    let said: String = first.lines.iter().map(|line| line.text()).collect();
    assert_eq!(said.matches("word(x);").count(), 40);
}

#[test]
fn numbers_stand_on_the_right_and_columns_are_as_wide_as_they_want() {
    let page = page(
        json!({ "layout": "table", "title": "Orders", "columns": ["Region", "Note", "Total"],
        "rows": [["North", "A note that is much longer than any other cell of this table, and goes on and on and on and on", "1,204"],
                 ["South", "", "−980"]] }),
    );
    let table = page.scene.nodes.iter().find_map(|node| match node {
        Node::Table(table) => Some(table),
        Node::Flow(_) | Node::Text(_) | Node::Fill(_) | Node::Art(_) => None,
        Node::Icon(_) | Node::Chart(_) | Node::Picture(_) => None,
    });
    let table = table.expect("a table");
    assert!(table.columns[1] > 4.0 * table.columns[0]);
    assert!((table.columns.iter().sum::<f32>() - table.rect.w).abs() < 0.5);
    let total = &table.rows[1].cells[2].text;
    assert_eq!(total.align, render::scene::Align::Right);
    assert!(texts_of(&page.scene.nodes).all(|text| text.size >= 12.0));
}

/// A picture of one colour, as wide as it says.
fn given(format: image::ImageFormat, (w, h): (u32, u32)) -> SlideSpec {
    let pixels = image::RgbImage::from_pixel(w, h, image::Rgb([200, 30, 60]));
    let mut bytes = std::io::Cursor::new(Vec::new());
    pixels
        .write_to(&mut bytes, format)
        .expect("memory takes it");
    let mut slide: SlideSpec = serde_json::from_value(json!({
        "layout": "picture", "title": "The harbour at low tide", "caption": "Seen from the north",
        "picture": { "sha256": "00", "alt": "Boats <on> mud" },
    }))
    .expect("a slide");
    if let SlideSpec::Picture { picture, .. } = &mut slide {
        picture.bytes = spec::PictureBytes(bytes.into_inner().into());
    }
    slide
}

#[test]
fn a_picture_is_in_every_file_with_its_words_and_in_its_proportions() {
    for (format, kind) in [
        (image::ImageFormat::Png, "png"),
        (image::ImageFormat::Jpeg, "jpeg"),
    ] {
        let theme = spec::default_theme();
        let page = pages(given(format, (400, 100)), &theme, PageCount::Binding).remove(0);
        assert_eq!(misfits(&page.scene), [], "{kind}");
        let rect = page.scene.nodes.iter().find_map(|node| {
            let Node::Picture(picture) = node else {
                return None;
            };
            Some(picture.rect)
        });
        let rect = rect.expect("a picture");
        assert!((rect.w / rect.h - 4.0).abs() < 0.01, "{rect:?}");
        let html = html(&page);
        assert!(html.contains(&format!("src=\"data:image/{kind};base64,")));
        assert!(html.contains("alt=\"Boats &lt;on&gt; mud\""), "{html}");
        let svg = render::svg(&page.scene, &theme, "en");
        let png = render::png(&svg, 1_280, fonts()).expect("a picture of the page");
        let pixels = image::load_from_memory(&png).expect("a PNG").to_rgb8();
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "a place on the page"
        )]
        let middle = pixels.get_pixel(
            (rect.x + rect.w / 2.0) as u32,
            (rect.y + rect.h / 2.0) as u32,
        );
        assert!(middle[0] > 180 && middle[1] < 60, "{middle:?}");
        let pdf = render::pdf(
            std::slice::from_ref(&page),
            &theme,
            &FileAbout::titled("A deck"),
            fonts(),
        )
        .expect("a PDF");
        assert!(
            pdf.windows(14)
                .any(|bytes| bytes == b"/Subtype /Image" || bytes == b"/Subtype/Image")
        );
        let meta = Meta {
            about: FileAbout::titled("A deck".to_owned()),
            language: "en".to_owned(),
            mode: Default::default(),
            written: None,
        };
        let pptx = write(std::slice::from_ref(&page), &theme, &meta).expect("a file");
        assert_eq!(gate::check(&pptx), []);
        let part = format!("ppt/media/image1.{kind}");
        assert!(
            pptx.windows(part.len())
                .any(|bytes| bytes == part.as_bytes()),
            "{part}"
        );
        let found = page_findings(&page, &theme, fonts());
        assert!(
            found.iter().all(|found| found.severity == Severity::Info),
            "{found:?}"
        );
    }
}

#[test]
fn a_picture_that_cannot_be_read_is_told_and_its_words_are_there() {
    let mut slide = given(image::ImageFormat::Png, (10, 10));
    if let SlideSpec::Picture { picture, .. } = &mut slide {
        picture.bytes = spec::PictureBytes(b"no picture".as_slice().into());
    }
    let theme = spec::default_theme();
    let page = pages(slide, &theme, PageCount::Binding).remove(0);
    let said: Vec<&str> = texts_of(&page.scene.nodes)
        .map(|text| text.text.as_str())
        .collect();
    assert!(said.iter().any(|text| text.contains("on> mud")), "{said:?}");
    let found = page_findings(&page, &theme, fonts());
    assert!(
        found
            .iter()
            .any(|found| found.severity == Severity::Critical && found.element == "/picture"),
        "{found:?}"
    );
}
