//! Pages in languages that are read from right to left.

use palimpsest_render as render;
use render::pptx::{Meta, TextMode, write};
use render::scene::{Align, Node, Rect, Scene, Stands, Text};
use render::{DeckMeta, DeckPage, FileAbout, Fonts, PageContext};
use serde_json::json;
use spec::{PptHtmlDocument, SlideHtml, SlideSpec, Theme};

use crate::corpus::any::{ENGLISH, LAYOUTS, Writer};

fn context(language: &str) -> PageContext {
    PageContext {
        title: "Photosynthesis".to_owned(),
        page_number: 2,
        page_count: 12,
        language: language.to_owned(),
        offline: false,
        furniture: None,
    }
}

fn theme() -> Theme {
    spec::pick_theme("绿色").expect("there is a green theme")
}

fn scene(slide: &SlideSpec, language: &str) -> Scene {
    render::scene(slide, &theme(), &context(language), &Fonts::embedded())
}

fn texts(scene: &Scene) -> Vec<Text> {
    render::scene::texts_of(&scene.nodes).cloned().collect()
}

fn flipped(rect: Rect, width: f32) -> Rect {
    Rect {
        x: width - rect.right(),
        ..rect
    }
}

#[test]
fn a_page_from_right_to_left_is_the_mirror_of_the_other() {
    let mut writer = Writer {
        seed: 11,
        words: ENGLISH,
        share: 60,
    };
    for layout in 0..LAYOUTS {
        let slide = writer.slide(layout);
        let (left, right) = (scene(&slide, "en"), scene(&slide, "he"));
        assert_eq!(left.nodes.len(), right.nodes.len(), "{slide:?}");
        for (a, b) in texts(&left).iter().zip(texts(&right)) {
            let there = flipped(a.rect, left.size.0);
            let is_there = (there.x - b.rect.x).abs() < 0.01 && there.w == b.rect.w;
            assert!(is_there && a.text == b.text, "{a:?}\n{b:?}");
            let turned = match a.align {
                _ if a.stands == Stands::Code => a.align,
                Align::Left => Align::Right,
                Align::Center => Align::Center,
                Align::Right => Align::Left,
            };
            assert_eq!(b.align, turned);
            assert!(!b.rtl, "Latin words are read from left to right");
        }
    }
}

#[test]
fn the_first_column_of_a_table_is_on_the_right() {
    let slide = json!({
        "layout": "comparison", "title": "النهار والليل", "columns": ["النهار", "الليل"],
        "rows": [{ "label": "الضوء", "cells": ["موجود", "غير موجود"] }, { "label": "الغاز", "cells": ["O₂", "CO₂"] }],
    });
    let slide: SlideSpec = serde_json::from_value(slide).expect("a slide");
    let scene = scene(&slide, "ar");
    let tables = scene.nodes.iter().filter_map(|node| match node {
        Node::Table(table) => Some(table),
        Node::Fill(_)
        | Node::Art(_)
        | Node::Icon(_)
        | Node::Text(_)
        | Node::Chart(_)
        | Node::Flow(_)
        | Node::Picture(_) => None,
    });
    let tables: Vec<_> = tables.collect();
    assert_eq!(tables.len(), 1);
    for table in tables {
        let places: Vec<f32> = (0..table.columns.len())
            .map(|column| table.cell_rect(0, column).x)
            .collect();
        assert!(places.is_sorted_by(|a, b| a > b), "{places:?}");
        for (column, cell) in table.rows[0].cells.iter().enumerate() {
            assert!(table.cell_rect(0, column).holds(cell.text.rect));
        }
    }
}

#[test]
fn every_form_says_that_it_is_read_from_right_to_left() {
    let slide = SlideSpec::Quote {
        quote: "العلم نور، كما في كتاب Book 2.".to_owned(),
        attribution: Some("Anon".to_owned()),
        context: None,
    };
    let scene = scene(&slide, "ar");
    let html = render::page_fragment(&scene, &slide, &theme(), &context("ar"));
    assert!(html.contains("class=\"ppt-page-wrapper\" lang=\"ar\" dir=\"rtl\""));
    assert!(html.contains("class=\"ppt-t\" dir=\"ltr\""), "Anon");
    let document = PptHtmlDocument {
        title: "العلم".to_owned(),
        pages: vec![SlideHtml {
            slide_index: 0,
            html,
            speak_notes: None,
        }],
    };
    let meta = DeckMeta {
        language: "ar".to_owned(),
        offline: false,
    };
    let deck = render::deck_html(&document, &theme(), &meta);
    assert!(deck.contains("<html lang=\"ar\" dir=\"rtl\">"));
    // The bar stands from right to left, and the count of the pages in it does not.
    assert!(deck.contains("<span id=\"counter\" dir=\"ltr\""));
    assert!(deck.contains("aria-label=\"Previous\">→</button>"));
    let page = DeckPage {
        slide,
        scene,
        context: context("ar"),
        notes: None,
    };
    let meta = Meta {
        about: FileAbout::titled("العلم".to_owned()),
        language: "ar".to_owned(),
        mode: TextMode::Reflow,
        written: None,
    };
    let file = write(&[page], &theme(), &meta).expect("a deck");
    let slide = part(&file, "ppt/slides/slide1.xml");
    assert!(slide.contains("algn=\"r\" rtl=\"1\""), "{slide}");
    assert!(slide.contains("lang=\"ar-SA\""));
    assert!(part(&file, "ppt/theme/theme1.xml").contains("<a:cs typeface=\"Arial\"/>"));
}

#[test]
fn the_words_of_a_formula_are_read_from_the_left() {
    let words = |language: &str, said: &str| {
        let slide = points(
            language,
            &format!(r"{said}: $\sum_{{i=1}}^{{n}} A_i \cos(t)$"),
        );
        let (_, words) = slide.split_once("<mc:Fallback>").expect("words");
        let said = words.split("<a:t>").find(|said| said.contains('∑'));
        let said = said.and_then(|said| said.split("</a:t>").next());
        said.expect("the sum").to_owned()
    };
    let sum = words("en", "Tide");
    assert!(sum.starts_with('∑') && sum.ends_with(')'), "{sum}");
    assert_eq!(words("ar", "المد"), format!("\u{200e}{sum}\u{200e}"));
}

/// A page of two points in PowerPoint, the first with a detail.
fn points(language: &str, detail: &str) -> String {
    let slide = json!({
        "layout": "bullets", "title": "العلم",
        "items": [{ "text": "العلم نور", "detail": detail }, { "text": "نور" }],
    });
    let slide: SlideSpec = serde_json::from_value(slide).expect("a slide");
    let page = DeckPage {
        scene: scene(&slide, language),
        slide,
        context: context(language),
        notes: None,
    };
    let meta = Meta {
        language: language.to_owned(),
        ..Meta::default()
    };
    let file = write(&[page], &theme(), &meta).expect("a deck");
    part(&file, "ppt/slides/slide1.xml")
}

#[test]
fn a_detail_of_a_point_stands_below_it_from_right_to_left() {
    let level = |language: &str, detail: &str| {
        let slide = points(language, detail);
        let said = slide.split("<a:p>").find(|one| one.contains("Book 2"));
        let (_, level) = said
            .and_then(|one| one.split_once("lvl=\""))
            .expect("a level");
        level.chars().next()
    };
    assert_eq!(level("ar", "كما في كتاب Book 2."), Some('0'));
    assert_eq!(level("en", "as in Book 2"), Some('1'));
}

fn part(file: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(file)).expect("an archive");
    let mut text = String::new();
    let mut part = archive.by_name(name).expect("a part");
    std::io::Read::read_to_string(&mut part, &mut text).expect("XML");
    text
}
