//! The decks of the corpus as PowerPoint files, opened with `python-pptx` and with `LibreOffice`.

mod lines;
pub(crate) mod tools;

use crate::corpus::any::{CHINESE, ENGLISH, LAYOUTS, MIXED, ODD, STANDING, Writer, any_theme};
use palimpsest_render as render;
use proptest::prelude::*;
use render::pptx::{Meta, TextMode, gate, write};
use render::scene::Node;
use render::{DeckPage, FileAbout, Fonts, PageContext};
use serde_json::Value;
use spec::{SlideSpec, text::plain};

use tools::{Folder, python, skipped, soffice};

/// Shares of the texts of a deck that flows again that have as many lines in `LibreOffice` as were measured, and that have the same
/// lines; and the share of texts that have the same lines in a deck whose lines are pinned.
const EQUAL_COUNTS: f64 = 0.95;
const SAME_LINES: f64 = 0.85;
const SAME_LINES_PINNED: f64 = 0.95;

/// Share of the colours on slides that are of the theme, so that another theme recolours the deck.
const SCHEME_COLORS: f64 = 0.9;

fn meta(deck: &crate::corpus::Deck, mode: TextMode) -> Meta {
    Meta {
        about: FileAbout::titled(deck.title.clone()),
        language: deck.language.clone(),
        mode,
        written: None,
    }
}

fn typeset_decks(fonts: &Fonts) -> Vec<(crate::corpus::Deck, Vec<DeckPage>)> {
    let typeset = |deck: crate::corpus::Deck| {
        let pages = deck.pages(fonts);
        (deck, pages)
    };
    crate::corpus::decks().into_iter().map(typeset).collect()
}

fn written(deck: &crate::corpus::Deck, pages: &[DeckPage], mode: TextMode) -> Vec<u8> {
    write(pages, &deck.theme, &meta(deck, mode))
        .unwrap_or_else(|error| panic!("{} is not written: {error}", deck.name))
}

#[test]
fn every_deck_is_written_without_defects_and_the_same_again() {
    let fonts = Fonts::embedded();
    for deck in crate::corpus::decks() {
        let pages = deck.pages(&fonts);
        let file = written(&deck, &pages, TextMode::Reflow);
        assert_eq!(gate::check(&file), [], "{}", deck.name);
        let again = written(&deck, &deck.pages(&fonts), TextMode::Reflow);
        assert!(
            file == again,
            "{} is another file the second time",
            deck.name
        );
    }
}

proptest! {
    // A page of each layout a few times; regressions are written down as tests of their own.
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_slide_in_any_theme_is_written_without_defects(
        seed in any::<u64>(),
        layout in 0..LAYOUTS + STANDING,
        words in 0..4_usize,
        // Also texts that do not fit.
        share in 5..160_u32,
        theme in any_theme(),
        pinned in any::<bool>(),
    ) {
        let words = [CHINESE, ENGLISH, MIXED, ODD][words];
        let slide = Writer { seed, words, share }.slide(layout);
        let context = PageContext {
            title: "Plants 植物".to_owned(),
            page_number: 1,
            page_count: 1,
            language: "zh-CN".to_owned(),
            offline: false,
            furniture: None,
        };
        let fonts = Fonts::embedded();
        let scene = render::scene(&slide, &theme, &context, &fonts);
        let page = DeckPage { slide, scene, context, notes: None };
        let mode = if pinned { TextMode::Pinned } else { TextMode::Reflow };
        let meta = Meta { mode, ..Meta::default() };
        let file = write(&[page], &theme, &meta);
        prop_assert!(file.is_ok(), "{:?}", file.err());
    }
}

#[test]
fn python_pptx_reads_what_was_written() {
    let Some(python) = python() else {
        return skipped("python3 with python-pptx is not installed");
    };
    let folder = Folder::new("python");
    let fonts = Fonts::embedded();
    let decks = typeset_decks(&fonts);
    let files: Vec<_> = decks
        .iter()
        .map(|(deck, pages)| folder.put(&deck.name, &written(deck, pages, TextMode::Reflow)))
        .collect();
    let read = tools::inspect(&python, &files);
    let read = read.as_array().expect("a deck for each file");
    assert_eq!(read.len(), decks.len());
    let (mut scheme, mut other) = (0.0, 0.0);
    for ((deck, pages), read) in decks.iter().zip(read) {
        assert_eq!(read["title"], deck.title.as_str(), "{}", deck.name);
        assert_eq!(read["size"], serde_json::json!([960.0, 540.0]));
        assert_eq!(
            read["layouts"].as_array().map(Vec::len),
            // The other two are the layout of given pictures and that of pages put together from parts.
            Some(LAYOUTS + STANDING + 2)
        );
        theme_is_there(&read["theme"], deck, pages);
        let slides = read["slides"].as_array().expect("slides");
        assert_eq!(slides.len(), pages.len(), "{}", deck.name);
        for (page, read) in pages.iter().zip(slides) {
            page_is_there(page, read, &deck.name);
            scheme += read["scheme_colors"].as_f64().expect("a count");
            other += read["other_colors"].as_f64().expect("a count");
        }
    }
    let share: f64 = scheme / (scheme + other);
    eprintln!("{:.0} % of the colours are of the theme", share * 100.0);
    assert!(
        share >= SCHEME_COLORS,
        "only {share} of the colours are of the theme"
    );
}

fn theme_is_there(read: &Value, deck: &crate::corpus::Deck, pages: &[DeckPage]) {
    let scheme = &deck.theme.color_scheme;
    let color = |slot: &str| format!("#{}", read["colors"][slot].as_str().unwrap_or_default());
    assert!(
        color("lt1").eq_ignore_ascii_case(&scheme.background),
        "{}",
        deck.name
    );
    let fonts = &pages[0].scene.fonts;
    for (font, choice) in [("majorFont", &fonts.title), ("minorFont", &fonts.body)] {
        assert_eq!(read["fonts"][font]["latin"], choice.latin.as_str());
        assert_eq!(read["fonts"][font]["ea"], choice.east_asian.as_str());
    }
}

/// Text without its line breaks: those of a heading are where it was measured.
fn joined(text: &str) -> String {
    text.chars().filter(|c| !c.is_whitespace()).collect()
}

fn page_is_there(page: &DeckPage, read: &Value, deck: &str) {
    let at = format!("{deck}, page {}: {read:#}", page.context.page_number);
    let title = read["title"].as_str().unwrap_or_default();
    assert_eq!(joined(title), joined(&plain(page.slide.title())), "{at}");
    let notes = page
        .notes
        .as_deref()
        .filter(|notes| !notes.trim().is_empty());
    assert_eq!(read["notes"].as_str(), notes, "{at}");
    let placeholders = read["placeholders"].as_array().expect("placeholders");
    for index in [0, 11, 12] {
        assert!(
            placeholders.contains(&index.into()),
            "no placeholder {index} in {at}"
        );
    }
    let (mut charts, mut tables, mut described) = (0, 0, 0);
    for node in &page.scene.nodes {
        match node {
            Node::Chart(chart) => {
                chart_is_there(&chart.spec, &read["charts"][charts], &at);
                charts += 1;
                described += 1;
            }
            Node::Table(table) => {
                let cells: Vec<Vec<String>> = table
                    .rows
                    .iter()
                    .map(|row| {
                        row.cells
                            .iter()
                            .map(|cell| plain(&cell.text.text))
                            .collect()
                    })
                    .collect();
                assert_eq!(read["tables"][tables], serde_json::json!(cells), "{at}");
                tables += 1;
                described += 1;
            }
            Node::Icon(_) | Node::Picture(_) => described += 1,
            Node::Text(text) if !text.clip => {
                let texts = read["texts"].as_array().expect("texts");
                let there = |read: &Value| {
                    joined(read.as_str().unwrap_or_default()) == joined(&plain(&text.text))
                };
                assert!(texts.iter().any(there), "{} is not in {at}", text.text);
            }
            Node::Flow(flow) => {
                let texts = read["texts"].as_array().expect("texts");
                let whole: String = texts.iter().filter_map(Value::as_str).map(joined).collect();
                for paragraph in &flow.paragraphs {
                    let said = joined(&plain(&paragraph.text.text));
                    assert!(whole.contains(&said), "{said} is not in {at}");
                }
            }
            Node::Text(_) | Node::Fill(_) | Node::Art(_) => {}
        }
    }
    let counts = |key: &str| read[key].as_array().map(Vec::len);
    assert_eq!(counts("charts"), Some(charts), "{at}");
    assert_eq!(counts("tables"), Some(tables), "{at}");
    assert_eq!(counts("described"), Some(described), "{at}");
    assert_eq!(read["pictures"], 0, "all decoration is drawn: {at}");
}

fn chart_is_there(chart: &spec::ChartSpec, read: &Value, at: &str) {
    assert_eq!(read["categories"], serde_json::json!(chart.labels), "{at}");
    assert_eq!(read["workbook"], true, "{at}");
    let series = read["series"].as_array().expect("series");
    let shown = match chart.kind {
        spec::ChartKind::Pie => 1,
        spec::ChartKind::Bar
        | spec::ChartKind::Line
        | spec::ChartKind::HorizontalBar
        | spec::ChartKind::Area
        | spec::ChartKind::Stacked => chart.datasets.len(),
    };
    assert_eq!(series.len(), shown, "{at}");
    for (set, read) in chart.datasets.iter().zip(series) {
        assert_eq!(read["name"], set.label.as_str(), "{at}");
        assert_eq!(read["values"], serde_json::json!(set.values), "{at}");
    }
}

#[test]
fn libre_office_shows_every_page_with_the_lines_that_were_measured() {
    let Some(soffice) = soffice() else {
        return skipped("LibreOffice or pdftotext is not installed");
    };
    let fonts = Fonts::load(None).expect("the fonts of this machine");
    if !fonts.missing("汉字").is_empty() {
        return skipped("no font with Chinese characters is installed");
    }
    let folder = Folder::new("libre");
    let decks = typeset_decks(&fonts);
    let modes = [(TextMode::Reflow, "reflow"), (TextMode::Pinned, "pinned")];
    let mut files = Vec::new();
    for (mode, name) in modes {
        for (deck, pages) in &decks {
            let name = format!("{}-{name}", deck.name);
            files.push(folder.put(&name, &written(deck, pages, mode)));
        }
    }
    let mut shown = tools::converted(&soffice, &folder, &files).into_iter();
    for (mode, name) in modes {
        let mut tally = lines::Tally::default();
        for ((deck, pages), shown) in decks.iter().zip(&mut shown) {
            assert_eq!(shown.len(), pages.len(), "pages of {}", deck.name);
            for (page, words) in pages.iter().zip(&shown) {
                tally.page(&deck.name, page, words);
            }
        }
        eprintln!("{name}: {tally}");
        let (counts, same) = match mode {
            TextMode::Reflow => (EQUAL_COUNTS, SAME_LINES),
            TextMode::Pinned => (SAME_LINES_PINNED, SAME_LINES_PINNED),
        };
        assert!(
            tally.equal_counts() >= counts,
            "{name}: {tally}\n{}",
            tally.others()
        );
        assert!(
            tally.same_lines() >= same,
            "{name}: {tally}\n{}",
            tally.others()
        );
    }
}

/// The layouts are those of the slides, so that a change of one is a change of the other.
#[test]
fn every_layout_of_a_slide_is_one_of_the_file() {
    let slides: Vec<SlideSpec> = (0..LAYOUTS + STANDING)
        .map(|layout| {
            let words = ENGLISH;
            let mut writer = Writer {
                seed: 1,
                words,
                share: 50,
            };
            writer.slide(layout)
        })
        .collect();
    let kinds: std::collections::HashSet<_> = slides.iter().map(SlideSpec::layout).collect();
    assert_eq!(kinds.len(), LAYOUTS + STANDING);
}
