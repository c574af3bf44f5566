//! What stands on the sheets of a handout.

use proptest::prelude::*;
use spec::SlideSpec;

use super::*;
use crate::PageContext;
use crate::scene::texts_of;

fn page(page_number: u32, notes: &str, language: &str, fonts: &Fonts) -> DeckPage {
    let slide = SlideSpec::Quote {
        quote: format!("Page {page_number} of them"),
        attribution: None,
        context: None,
    };
    let context = PageContext {
        title: "Tides".to_owned(),
        page_number,
        page_count: 9,
        language: language.to_owned(),
        offline: false,
        furniture: None,
    };
    DeckPage {
        scene: crate::scene(&slide, &spec::default_theme(), &context, fonts),
        slide,
        context,
        notes: Some(notes.to_owned()),
    }
}

fn laid_out(notes: &[String], language: &str) -> Vec<Sheet> {
    let fonts = Fonts::embedded();
    let pages = notes.iter().zip(1..);
    let pages: Vec<_> = pages
        .map(|(notes, number)| page(number, notes, language, &fonts))
        .collect();
    let theme = spec::default_theme();
    let setter = Typesetter::new(&fonts, &theme, language);
    let sheets = sheets(&pages, &theme, &setter, "Tides");
    assert_eq!(sheets.marks.len(), pages.len());
    sheets.sheets
}

fn words(texts: &[String]) -> String {
    let words = texts.iter().flat_map(|text| text.split_whitespace());
    words.collect::<Vec<_>>().join(" ")
}

/// What is printed as notes, in its order.
fn notes_on(sheets: &[Sheet]) -> String {
    let texts = sheets.iter().flat_map(|sheet| texts_of(&sheet.nodes));
    let notes = texts.filter(|text| text.role == Role::Body);
    let printed: Vec<String> = notes.map(printed).collect();
    words(&printed)
}

/// The lines of a text. Between two of them is a blank where the text has one: a line may also end between two brackets.
fn printed(text: &Text) -> String {
    let mut rest = text.text.chars().peekable();
    let mut said = String::new();
    for line in &text.lines {
        while rest.next_if(|c| c.is_whitespace()).is_some() {
            said.push(' ');
        }
        let line = line.text();
        for _ in line.chars().filter(|c| !c.is_whitespace()) {
            rest.by_ref().find(|c| !c.is_whitespace());
        }
        said += &line;
    }
    said
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(24))]

    #[test]
    fn every_word_is_printed_once_inside_of_its_sheet(
        notes in proptest::collection::vec("([a-z*$`\\[\\]]{1,9}[ \n]{1,2}){0,400}", 1..6),
        rtl in any::<bool>(),
    ) {
        let sheets = laid_out(&notes, if rtl { "ar" } else { "en" });
        prop_assert_eq!(notes_on(&sheets), words(&notes));
        let small: usize = sheets.iter().map(|sheet| sheet.drawings.len()).sum();
        prop_assert_eq!(small, notes.len());
        let paper = Rect::new(0.0, 0.0, SHEET.0, SHEET.1);
        for text in sheets.iter().flat_map(|sheet| texts_of(&sheet.nodes)) {
            let area = if text.size > FOOT_PX { AREA } else { paper };
            prop_assert!(area.holds(text.rect), "{:?}: {:?}", text.rect, text.text);
            prop_assert!(text.rect.h + 0.1 >= text.height());
        }
        for node in sheets.iter().flat_map(|sheet| &sheet.nodes) {
            if let Node::Art(art) = node {
                prop_assert!(AREA.holds(art.rect), "{:?}", art.rect);
            }
        }
    }
}

#[test]
fn notes_without_room_go_on_below_the_title_of_their_page() {
    let long = "The water comes from the west. ".repeat(400);
    let sheets = laid_out(&["Short.".to_owned(), long], "en");
    assert!(sheets.len() > 2, "{} sheets", sheets.len());
    assert_eq!(sheets[0].drawings.len(), 1, "the long one begins a sheet");
    for sheet in &sheets[2..] {
        let Some(Node::Text(first)) = sheet.nodes.first() else {
            panic!("no title")
        };
        assert!(first.text.ends_with("Page 2 of them"), "{}", first.text);
        assert_eq!(first.role, Role::Chrome);
    }
}

#[test]
fn pages_without_notes_stand_below_one_another() {
    let sheets = laid_out(&[String::new(), " \n".to_owned(), String::new()], "en");
    assert_eq!(sheets.len(), 1);
    assert_eq!(
        sheets[0].drawings,
        ["Page 1 of them", "Page 2 of them", "Page 3 of them"]
    );
}
