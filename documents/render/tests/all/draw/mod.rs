//! What is drawn of a scene: SVG, HTML, pictures and PDF say the same at the same places.

mod html;
mod pdf;
mod raster;
mod same;
mod svg;

use palimpsest_render as render;
use render::scene::{Fill, Line, Node, Rect, Run, Scene, SceneFonts, Text};
use render::{DeckPage, Fonts, PageContext};
use spec::{Rgb, SlideSpec, Theme, builtin_themes};

const INK: Rgb = Rgb(0x10, 0x20, 0x30);
const GROUND: Rgb = Rgb(0xff, 0xf0, 0xe0);

/// One slide of each layout.
const SLIDES: &str = include_str!("../../../../../tests/bench/slides.json");

fn slides() -> Vec<SlideSpec> {
    serde_json::from_str(SLIDES).expect("slides.json has slides")
}

fn theme() -> Theme {
    builtin_themes()[0].clone()
}

fn scene(nodes: Vec<Node>) -> Scene {
    Scene {
        size: (1280.0, 720.0),
        background: GROUND,
        gradient: None,
        nodes,
        adjustments: vec![],
        fonts: SceneFonts::default(),
    }
}

fn fill(rect: Rect, radius: f32, border: Option<(Rgb, f32)>, open: bool) -> Node {
    Node::Fill(Fill {
        rect,
        color: INK,
        radius,
        border,
        open,
    })
}

fn run(text: &str, x: f32, bold: bool, family: &str) -> Run {
    Run {
        text: text.to_owned(),
        bold,
        family: Some(family.into()),
        x,
        width: 60.0,
        stops: vec![],
        rtl: false,
        link: None,
        color: None,
        formula: None,
    }
}

/// A text of 20 pixels in lines 30 pixels high, at 100, 200.
fn text(said: &str, lines: Vec<Vec<Run>>) -> Text {
    let mut text = Text::new(Rect::new(100.0, 200.0, 300.0, 90.0), said, 20.0, INK);
    let line = |runs| Line {
        runs,
        width: 120.0,
        baseline: 22.0,
    };
    text.lines = lines.into_iter().map(line).collect();
    text
}

fn drawn(nodes: Vec<Node>) -> String {
    render::svg(&scene(nodes), &theme(), "en")
}

fn quote(said: &str) -> SlideSpec {
    SlideSpec::Quote {
        quote: said.to_owned(),
        attribution: None,
        context: None,
    }
}

fn context(page_number: u32, language: &str) -> PageContext {
    PageContext {
        title: "Plants".to_owned(),
        page_number,
        page_count: 12,
        language: language.to_owned(),
        offline: false,
        furniture: None,
    }
}

fn fragment(nodes: Vec<Node>) -> String {
    render::page_fragment(&scene(nodes), &quote("x"), &theme(), &context(2, "en"))
}

fn page(slide: SlideSpec, page_number: u32, fonts: &Fonts) -> DeckPage {
    let context = context(page_number, "zh-CN");
    DeckPage {
        scene: render::scene(&slide, &theme(), &context, fonts),
        slide,
        context,
        notes: None,
    }
}

/// An English deck, which the embedded fonts can draw.
fn english(fonts: &Fonts) -> Vec<DeckPage> {
    let said = ["Plants turn light into sugar.", "Leaves are thin and wide."];
    let page = |(said, number): (&str, u32)| page(quote(said), number, fonts);
    said.into_iter().zip(1..).map(page).collect()
}
