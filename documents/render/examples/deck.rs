//! Typesets a deck of the corpus into a folder, to look at: a picture of each page, the PDF, the PowerPoint file and the
//! layout report.
//! `cargo run -p palimpsest-render --example deck -- documents/render/tests/all/corpus/photosynthesis.json out/`

use std::error::Error;
use std::io::Write as _;
use std::path::PathBuf;
use std::time::Instant;

use palimpsest_render::{
    FileAbout, Fonts, PageContext, PageCount, handout, paginate, pdf, png, pptx, report, svg,
};
use serde::Deserialize;
use spec::{SlideSpec, Theme, builtin_themes};

/// Width of the pictures, in pixels.
const PICTURE_W: u32 = 960;

#[derive(Deserialize)]
struct Deck {
    language: String,
    theme: ThemeChoice,
    title: String,
    slides: Vec<Page>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum ThemeChoice {
    Named(String),
    Whole(Box<Theme>),
}

#[derive(Deserialize)]
struct Page {
    slide: SlideSpec,
    notes: Option<String>,
}

fn main() -> Result<(), Box<dyn Error>> {
    let arguments: Vec<PathBuf> = std::env::args_os().skip(1).map(PathBuf::from).collect();
    let [from, to] = &arguments[..] else {
        return Err("name a deck and a folder".into());
    };
    std::fs::create_dir_all(to)?;
    let deck: Deck = serde_json::from_slice(&std::fs::read(from)?)?;
    let theme = match deck.theme {
        ThemeChoice::Whole(theme) => *theme,
        ThemeChoice::Named(name) => builtin_themes()
            .into_iter()
            .find(|theme| theme.theme_name == name)
            .ok_or_else(|| format!("there is no theme `{name}`"))?,
    };
    let fonts = Fonts::load(None)?;
    let mut told = std::io::stdout();
    let about = PageContext {
        title: deck.title.clone(),
        page_number: 1,
        page_count: 1,
        language: deck.language.clone(),
        offline: false,
        furniture: None,
    };
    let slides = deck
        .slides
        .into_iter()
        .map(|page| palimpsest_render::DraftPage::new(page.slide, page.notes));
    let began = Instant::now();
    let pages = paginate(slides.collect(), &theme, &about, PageCount::Free, &fonts);
    writeln!(told, "{} pages in {:?}", pages.len(), began.elapsed())?;
    for (page, number) in pages.iter().zip(1..) {
        let picture = png(&svg(&page.scene, &theme, &deck.language), PICTURE_W, &fonts)?;
        std::fs::write(to.join(format!("{number:02}.png")), picture)?;
    }
    let about = FileAbout::titled(deck.title);
    std::fs::write(to.join("deck.pdf"), pdf(&pages, &theme, &about, &fonts)?)?;
    let sheets = handout(&pages, &theme, &about, &fonts)?;
    std::fs::write(to.join("handout.pdf"), sheets)?;
    let meta = pptx::Meta {
        about,
        language: deck.language,
        mode: pptx::TextMode::Reflow,
        written: None,
    };
    std::fs::write(to.join("deck.pptx"), pptx::write(&pages, &theme, &meta)?)?;
    let report = report(&pages, &theme, &fonts);
    for finding in &report.findings {
        writeln!(told, "{finding:?}")?;
    }
    std::fs::write(
        to.join("layout_report.json"),
        serde_json::to_vec_pretty(&report)?,
    )?;
    Ok(())
}
