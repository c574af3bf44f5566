//! Pictures: the colours at their places, and what is refused.

use palimpsest_render as render;
use render::scene::{Art, Node, Rect, texts_of};
use render::{Fonts, RasterError, THUMBNAIL_W, page_findings, pdf, png, svg};
use resvg::tiny_skia::Pixmap;
use spec::{FindingCategory, Rgb, Severity};

use super::{GROUND, INK, drawn, english, fill, page, quote, run, text, theme};

#[test]
fn colours_are_where_the_scene_has_them() {
    let rect = Rect::new(640.0, 0.0, 640.0, 720.0);
    let red = Art {
        rect: Rect::new(100.0, 100.0, 200.0, 200.0),
        svg: "<rect x=\"-50\" width=\"999\" height=\"999\" fill=\"#ff0000\"/>".to_owned(),
        radius: 40.0,
    };
    let svg = drawn(vec![fill(rect, 0.0, None, false), Node::Art(red)]);
    let picture = png(&svg, 640, &Fonts::embedded()).expect("a picture");
    let picture = Pixmap::decode_png(&picture).expect("a PNG");
    assert_eq!((picture.width(), picture.height()), (640, 360));
    let at = |x: u32, y: u32| {
        let pixel = picture.pixel(x, y).expect("on the picture");
        Rgb(pixel.red(), pixel.green(), pixel.blue())
    };
    assert_eq!(at(310, 180), GROUND);
    assert_eq!(at(330, 180), INK);
    assert_eq!(at(100, 100), Rgb(255, 0, 0));
    // Beside the box, and in its round corner.
    assert_eq!(at(152, 100), GROUND);
    assert_eq!(at(51, 51), GROUND);
}

#[test]
fn letters_are_drawn_between_their_line_and_their_baseline() {
    let fonts = Fonts::embedded();
    let lines = vec![vec![run("HHHH", 0.0, true, "Noto Sans")]];
    let svg = drawn(vec![Node::Text(text("**HHHH**", lines))]);
    let picture = png(&svg, 1280, &fonts).expect("a picture");
    let picture = Pixmap::decode_png(&picture).expect("a PNG");
    let inked = |y: u32| (100..160).any(|x| picture.pixel(x, y).is_some_and(|p| p.red() < 0x40));
    let rows: Vec<u32> = (190..240).filter(|y| inked(*y)).collect();
    // Capitals of 20 pixels are 14 high, and stand on the baseline at 222.
    assert_eq!((rows.first(), rows.last()), (Some(&208), Some(&221)));
}

#[test]
fn a_thumbnail_has_the_shape_of_the_page() {
    let picture = png(&drawn(vec![]), THUMBNAIL_W, &Fonts::embedded()).expect("a picture");
    let picture = Pixmap::decode_png(&picture).expect("a PNG");
    assert_eq!((picture.width(), picture.height()), (320, 180));
}

#[test]
fn pictures_have_a_largest_and_a_smallest_size() {
    let (svg, fonts) = (drawn(vec![]), Fonts::embedded());
    for (width, height) in [(0, 0), (8_000, 4_500), (u32::MAX, 2_415_919_103)] {
        let refusal = png(&svg, width, &fonts).expect_err("too large or too small");
        let width = u64::from(width);
        assert_eq!(refusal, RasterError::Size { width, height });
    }
    assert!(matches!(
        png("<svg", 100, &fonts),
        Err(RasterError::Unreadable { .. })
    ));
    let long = format!("<svg>{}</svg>", " ".repeat(4 * 1024 * 1024));
    assert!(matches!(
        png(&long, 100, &fonts),
        Err(RasterError::TooLong { .. })
    ));
}

#[test]
fn characters_without_a_shape_are_refused_by_name_with_what_to_install() {
    let fonts = Fonts::embedded();
    let page = page(quote("光合作用 turns 光 into sugar"), 2, &fonts);
    let drawn = svg(&page.scene, &theme(), "zh-CN");
    let refusal = png(&drawn, 960, &fonts).expect_err("no Chinese font");
    assert_eq!(
        refusal.to_string(),
        "no font here has 光 合 作 用; install fonts-noto-cjk (Debian, Ubuntu) or google-noto-sans-cjk-fonts (Fedora), or name a \
         folder with fonts with --fonts"
    );
    let also = pdf(
        &[page],
        &theme(),
        &render::FileAbout::titled("Plants"),
        &fonts,
    )
    .expect_err("no Chinese font");
    assert_eq!(also, refusal);
}

#[test]
fn a_sign_without_a_font_is_a_box_and_nothing_else_is_lost() {
    let fonts = Fonts::embedded();
    for said in [
        "Ship it 🚀 today",
        "Done 🅰 ⓐ ⛷ 、",
        "A sentence 👩\u{200d}💻",
    ] {
        let mut page = page(quote(said), 1, &fonts);
        page.context.language = "en".to_owned();
        let texts = || texts_of(&page.scene.nodes);
        let runs = || {
            texts()
                .flat_map(|text| &text.lines)
                .flat_map(|line| &line.runs)
        };
        let is_box = |family: &str| family == "Palimpsest Blank";
        let boxes: Vec<_> = runs()
            .filter(|run| run.family.as_deref().is_some_and(is_box))
            .collect();
        assert!(
            !boxes.is_empty() && boxes.iter().all(|run| run.width > 10.0),
            "{said}"
        );
        let drawn = svg(&page.scene, &theme(), "en");
        let without = drawn.replace(&boxes[0].text, "");
        let shown = |svg: &str| png(svg, 1280, &fonts).expect("a picture");
        assert!(shown(&drawn) != shown(&without), "no box in {said}");
        let found: Vec<_> = page_findings(&page, &theme(), &fonts)
            .into_iter()
            .filter(|found| found.category == FindingCategory::MissingGlyph)
            .collect();
        let sign = boxes[0].text.chars().next().expect("a sign");
        assert!(
            matches!(&found[..], [found] if found.severity == Severity::Warning
                && found.evidence.contains(sign)
                && found.fix.starts_with("install fonts-")),
            "{found:?}"
        );
        assert!(
            pdf(
                &[page],
                &theme(),
                &render::FileAbout::titled("Signs"),
                &fonts
            )
            .is_ok(),
            "{said}"
        );
    }
}

#[test]
fn a_message_names_a_dozen_characters_and_counts_the_rest() {
    let said: String = ('\u{5d0}'..='\u{5df}').collect();
    let lines = vec![vec![run(&said, 0.0, false, "Noto Sans")]];
    let svg = drawn(vec![Node::Text(text(&said, lines))]);
    let refusal = png(&svg, 960, &Fonts::embedded()).expect_err("no Hebrew font");
    assert_eq!(
        refusal.to_string(),
        "no font here has \u{5d0} \u{5d1} \u{5d2} \u{5d3} \u{5d4} \u{5d5} \u{5d6} \u{5d7} \u{5d8} \u{5d9} \u{5da} \u{5db} and 4 more \
         characters; install fonts-noto-core (Debian, Ubuntu) or google-noto-fonts-all (Fedora), or name a folder with fonts with \
         --fonts"
    );
}

#[test]
fn joiners_and_selectors_need_no_shape() {
    let said = "a\u{200d}b\u{fe0f}\u{200b}\u{a0}c";
    let lines = vec![vec![run(said, 0.0, false, "Noto Sans")]];
    let svg = drawn(vec![Node::Text(text(said, lines))]);
    assert!(png(&svg, 320, &Fonts::embedded()).is_ok());
}

#[test]
fn a_family_that_is_not_here_is_drawn_with_one_that_is() {
    let lines = vec![vec![run("HHHH", 0.0, false, "No Such Family")]];
    let svg = drawn(vec![Node::Text(text("HHHH", lines))]);
    let picture = png(&svg, 1280, &Fonts::embedded()).expect("a picture");
    let picture = Pixmap::decode_png(&picture).expect("a PNG");
    let inked = (100..160).any(|x| picture.pixel(x, 215).is_some_and(|p| p.red() < 0x60));
    assert!(inked);
}

#[test]
fn the_same_page_gives_the_same_bytes() {
    let fonts = Fonts::embedded();
    let once = || {
        let pages = english(&fonts);
        let svg = svg(&pages[0].scene, &theme(), "en");
        let picture = png(&svg, 640, &fonts).expect("a picture");
        let sheets = pdf(
            &pages,
            &theme(),
            &render::FileAbout::titled("Plants"),
            &fonts,
        )
        .expect("a PDF");
        (svg, picture, sheets)
    };
    assert!(once() == once());
}
