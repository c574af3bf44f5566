//! One page of a deck, and what is in its files.

use palimpsest_render as render;
use render::pptx::{Meta, TextMode, write};
use render::scene::{Run, Scene};
use render::{DeckPage, FileAbout, Fonts, PageContext};
use spec::{SlideSpec, Theme};

pub(crate) fn theme() -> Theme {
    spec::pick_theme("绿色").expect("there is a green theme")
}

/// The slide as the only page of a deck, in English.
pub(crate) fn page(slide: SlideSpec, theme: &Theme) -> DeckPage {
    let context = PageContext {
        title: "Equations".to_owned(),
        page_number: 1,
        page_count: 1,
        language: "en".to_owned(),
        offline: false,
        furniture: None,
    };
    let scene = render::scene(&slide, theme, &context, &Fonts::embedded());
    DeckPage {
        slide,
        scene,
        context,
        notes: Some("What is said.".to_owned()),
    }
}

pub(crate) fn runs(scene: &Scene) -> Vec<Run> {
    let texts = render::scene::texts_of(&scene.nodes);
    let lines = texts.flat_map(|text| &text.lines);
    lines.flat_map(|line| line.runs.clone()).collect()
}

pub(crate) fn html(page: &DeckPage) -> String {
    render::page_fragment(&page.scene, &page.slide, &theme(), &page.context)
}

pub(crate) fn pptx(page: &DeckPage) -> Vec<u8> {
    let meta = Meta {
        about: FileAbout::titled("Equations".to_owned()),
        language: "en".to_owned(),
        mode: TextMode::Reflow,
        written: None,
    };
    write(std::slice::from_ref(page), &theme(), &meta).expect("a file without defects")
}

/// A part of a package as text.
pub(crate) fn part(file: &[u8], name: &str) -> String {
    let mut archive = zip::ZipArchive::new(std::io::Cursor::new(file)).expect("an archive");
    let mut part = archive.by_name(name).expect("the part");
    let mut xml = String::new();
    std::io::Read::read_to_string(&mut part, &mut xml).expect("UTF-8");
    xml
}
