//! What a page costs: laid out, drawn in every form, checked. Each figure is the mean of a deck with one page of each layout.

use std::time::Instant;

use render::pptx::Meta;
use render::{DeckPage, Fonts, PageContext, THUMBNAIL_W};
use spec::{SlideSpec, Theme, builtin_themes};

use crate::say;

/// Twelve pages, one of each layout, in Chinese with some English.
const SLIDES: &str = include_str!("slides.json");
const LANGUAGE: &str = "zh-CN";
/// Every figure is taken from so many decks, after one that warms up.
const ROUNDS: u32 = 5;

pub(crate) fn report() {
    let started = Instant::now();
    let fonts = Fonts::load(None).expect("no folder is named");
    say(&format!("typeset: fonts found in {:.1} ms", ms(started)));
    let slides: Vec<SlideSpec> = serde_json::from_str(SLIDES).expect("slides.json has slides");
    let theme = &builtin_themes()[0];
    let pages = laid_out(&slides, theme, &fonts);
    let said: String = slides.iter().map(SlideSpec::plain_text).collect();

    each("layout", &slides, || drop(laid_out(&slides, theme, &fonts)));
    let svgs = || -> Vec<String> {
        let svg = |page: &DeckPage| render::svg(&page.scene, theme, LANGUAGE);
        pages.iter().map(svg).collect()
    };
    each("SVG", &slides, || drop(svgs()));
    each("HTML", &slides, || {
        for page in &pages {
            let _ = render::page_fragment(&page.scene, &page.slide, theme, &page.context);
        }
    });
    each("checks", &slides, || {
        let _ = render::report(&pages, theme, &fonts);
    });
    let meta = Meta {
        about: render::FileAbout::titled("光合作用"),
        language: LANGUAGE.into(),
        ..Meta::default()
    };
    each("PPTX", &slides, || {
        render::pptx::write(&pages, theme, &meta).expect("a file without defects");
    });
    if fonts.missing(&said).is_empty() {
        let svgs = svgs();
        for width in [THUMBNAIL_W, 960, 1920] {
            each(&format!("PNG {width} wide"), &slides, || {
                for svg in &svgs {
                    render::png(svg, width, &fonts).expect("every character has a shape");
                }
            });
        }
        each("PDF", &slides, || {
            render::pdf(&pages, theme, &meta.about, &fonts).expect("every character has a shape");
        });
    } else {
        say("typeset: no PNG and no PDF, there is no Chinese font here");
    }
}

fn laid_out(slides: &[SlideSpec], theme: &Theme, fonts: &Fonts) -> Vec<DeckPage> {
    let page_count = u32::try_from(slides.len()).expect("a dozen");
    let page = |(slide, page_number): (&SlideSpec, u32)| {
        let context = PageContext {
            title: "光合作用".into(),
            page_number,
            page_count,
            language: LANGUAGE.into(),
            offline: false,
            furniture: None,
        };
        DeckPage {
            slide: slide.clone(),
            scene: render::scene(slide, theme, &context, fonts),
            context,
            notes: None,
        }
    };
    slides.iter().zip(1..).map(page).collect()
}

/// Runs a deck's worth of work and says what a page of it took.
fn each(what: &str, slides: &[SlideSpec], work: impl Fn()) {
    work();
    let started = Instant::now();
    for _ in 0..ROUNDS {
        work();
    }
    let pages = f64::from(ROUNDS) * slides.len() as f64;
    say(&format!(
        "typeset: {what}: {:.2} ms a page",
        ms(started) / pages
    ));
}

fn ms(since: Instant) -> f64 {
    since.elapsed().as_secs_f64() * 1e3
}
