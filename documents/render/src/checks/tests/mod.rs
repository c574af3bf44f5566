//! Planted faults: each check finds what was done to a page, and nothing where nothing was done.

mod geometry;
mod words;

use spec::{Finding, FindingCategory, Icon, Item, Rgb, Severity, SlideSpec, Theme};

use super::{page_findings, report};
use crate::fonts::Fonts;
use crate::scene::{Fill, IconNode, Node, Rect, Scene, Text, texts_mut};
use crate::typeset::Typesetter;
use crate::{DeckPage, PageContext};

const INK: Rgb = Rgb(0x20, 0x20, 0x20);
const PALE: Rgb = Rgb(0xee, 0xee, 0xee);

fn theme() -> Theme {
    let mut theme = spec::default_theme();
    // The family that is part of the program, so that these tests do not depend on the machine.
    theme.font_config.title_font = "Noto Sans".to_owned();
    theme.font_config.body_font = "Noto Sans".to_owned();
    theme
}

fn context() -> PageContext {
    PageContext {
        title: "Tides".to_owned(),
        page_number: 2,
        page_count: 5,
        language: "en".to_owned(),
        offline: false,
        furniture: None,
    }
}

/// A slide as it is laid out.
fn laid_out(slide: SlideSpec) -> DeckPage {
    let context = context();
    DeckPage {
        scene: crate::scene(&slide, &theme(), &context, &Fonts::embedded()),
        slide,
        context,
        notes: Some("What is said.".to_owned()),
    }
}

/// Three points, which stand in three cards.
fn points() -> SlideSpec {
    let item = |text: &str, detail: &str| Item {
        text: text.to_owned(),
        detail: Some(detail.to_owned()),
    };
    SlideSpec::Bullets {
        title: "Why the sea rises twice a day".to_owned(),
        lead: None,
        items: vec![
            item("The moon pulls the water", "More on the near side"),
            item("The Earth turns below", "Once in a day"),
            item("The sun helps or hinders", "Spring and neap"),
        ],
    }
}

/// A page of hand-made nodes, on white. Its slide is the quotation "x", which every such page has.
fn made(nodes: Vec<Node>) -> DeckPage {
    let mut page = laid_out(SlideSpec::Quote {
        quote: "x".to_owned(),
        attribution: None,
        context: None,
    });
    page.scene.background = Rgb::WHITE;
    page.scene.nodes = nodes;
    page.scene
        .nodes
        .push(text((600.0, 60.0, 80.0, 60.0), "x", 30.0));
    page
}

fn rect((x, y, w, h): (f32, f32, f32, f32)) -> Rect {
    Rect::new(x, y, w, h)
}

fn text(at: (f32, f32, f32, f32), said: &str, size: f32) -> Node {
    Node::Text(set(Text::new(rect(at), said, size, INK)))
}

/// The text with its lines.
fn set(mut text: Text) -> Text {
    Typesetter::new(&Fonts::embedded(), &theme(), "en").set(&mut text);
    text
}

fn fill(at: (f32, f32, f32, f32), color: Rgb) -> Node {
    Node::Fill(Fill {
        rect: rect(at),
        color,
        radius: 0.0,
        border: None,
        open: false,
    })
}

fn icon(at: (f32, f32, f32, f32)) -> Node {
    Node::Icon(IconNode {
        rect: rect(at),
        icon: Icon::Leaf,
        color: INK,
    })
}

fn findings(page: &DeckPage) -> Vec<Finding> {
    page_findings(page, &theme(), &Fonts::embedded())
}

/// The element and severity of every finding of a category.
fn of(page: &DeckPage, category: FindingCategory) -> Vec<(String, Severity)> {
    findings(page)
        .into_iter()
        .filter(|finding| finding.category == category)
        .map(|finding| (finding.element, finding.severity))
        .collect()
}

fn one(element: &str, severity: Severity) -> Vec<(String, Severity)> {
    vec![(element.to_owned(), severity)]
}

/// Changes the text that says this.
fn change(scene: &mut Scene, said: &str, how: impl Fn(&mut Text)) {
    let found = texts_mut(&mut scene.nodes).find(|text| text.text == said);
    how(found.expect("the page has the text"));
}

#[test]
fn a_page_as_it_is_laid_out_has_no_finding() {
    assert_eq!(findings(&laid_out(points())), []);
}

#[test]
fn a_hand_made_page_in_order_has_no_finding() {
    let page = made(vec![
        fill((100.0, 200.0, 400.0, 200.0), PALE),
        fill((520.0, 200.0, 400.0, 200.0), PALE),
        text((120.0, 220.0, 360.0, 40.0), "One thing", 24.0),
        text((540.0, 220.0, 360.0, 40.0), "Another thing", 24.0),
        icon((120.0, 300.0, 40.0, 40.0)),
    ]);
    assert_eq!(findings(&page), []);
}

#[test]
fn findings_are_in_order_and_the_report_counts_them() {
    let mut page = laid_out(points());
    page.notes = None;
    change(&mut page.scene, "Once in a day", |text| text.size = 13.0);
    change(&mut page.scene, "More on the near side", |text| {
        text.rect.x = -80.0;
    });
    let report = report(&[page.clone(), page], &theme(), &Fonts::embedded());
    let keys: Vec<_> = report
        .findings
        .iter()
        .map(|f| (f.slide, f.severity, f.category, f.element.clone()))
        .collect();
    let mut sorted = keys.clone();
    sorted.sort();
    assert_eq!(keys, sorted);
    assert_eq!((report.pages, report.checked), (2, super::CHECKS_VERSION));
    assert!(report.summary.critical > 0 && report.summary.warning > 0 && report.summary.info > 0);
}

#[test]
fn the_report_is_json_in_the_words_of_the_contract() {
    let mut page = laid_out(points());
    page.notes = None;
    page.scene.adjustments = vec![spec::LayoutChange::TypeSize {
        texts: vec!["a".to_owned()],
        from: 25.2,
        to: 18.0,
    }];
    let report = report(&[page], &theme(), &Fonts::embedded());
    let json = serde_json::to_value(&report).expect("a report is JSON");
    assert_eq!(
        json,
        serde_json::json!({
            "checked": 4,
            "pages": 1,
            "summary": { "critical": 0, "warning": 0, "info": 1 },
            "findings": [{
                "slide": 2,
                "element": "notes",
                "category": "content_missing",
                "severity": "info",
                "evidence": "Nothing is said to this page.",
                "fix": "write what is said while it is shown"
            }],
            "adjustments": [{
                "slide": 2,
                "change": { "what": "type_size", "texts": ["a"], "from": 25.2, "to": 18.0 }
            }],
            "fonts": [{ "family": "Noto Sans" }]
        })
    );
}

#[test]
fn what_is_found_on_a_chinese_page_is_told_in_chinese() {
    let mut slide = points();
    if let SlideSpec::Bullets { items, .. } = &mut slide {
        items[0].text = "ກ is a letter".to_owned();
    }
    let mut bent = laid_out(slide);
    bent.notes = None;
    change(&mut bent.scene, "Once in a day", |text| text.size = 9.0);
    change(&mut bent.scene, "The Earth turns below", |text| {
        text.rect.h -= 10.0;
    });
    change(&mut bent.scene, "The sun helps or hinders", |text| {
        text.color = Rgb::WHITE;
    });
    change(&mut bent.scene, "Spring and neap", |text| {
        text.lines.clear();
    });
    let crossed = made(vec![
        fill((100.0, 200.0, 400.0, 200.0), PALE),
        fill((502.0, 202.0, 400.0, 200.0), PALE),
        text((120.0, 220.0, 360.0, 40.0), "One thing", 24.0),
        text((130.0, 225.0, 360.0, 40.0), "Two things", 24.0),
        text((522.0, 222.0, 360.0, 40.0), "Another thing", 24.0),
        text((1200.0, 500.0, 160.0, 40.0), "A thing outside", 24.0),
        icon((1260.0, 600.0, 40.0, 40.0)),
    ]);
    let found = |language: &str| {
        let mut pages = [bent.clone(), bent.clone(), crossed.clone()];
        for page in &mut pages {
            page.context.language = language.to_owned();
        }
        report(&pages, &theme(), &Fonts::embedded()).findings
    };
    let is_chinese = |text: &str| text.chars().any(::words::is_han);
    let (chinese, english) = (found("zh-CN"), found("en"));
    for category in FindingCategory::ALL {
        let mut all = chinese.iter();
        assert!(all.any(|it| it.category == category), "{category:?}");
    }
    for it in &chinese {
        assert!(is_chinese(&it.evidence) && is_chinese(&it.fix), "{it}");
    }
    for it in &english {
        assert!(!is_chinese(&it.evidence) && !is_chinese(&it.fix), "{it}");
    }
    let sides = "The upper edges of the box of “Another thing” and the box of “One thing” differ by 2.0 px.";
    assert!(english.iter().any(|it| it.evidence == sides));
    let sides = "“Another thing”所在的色块和“One thing”所在的色块的上边缘相差 2.0 像素。";
    assert!(chinese.iter().any(|it| it.evidence == sides));
}

#[test]
fn a_title_is_used_once_except_by_the_page_that_announces_it() {
    let titled = |title: &str| {
        laid_out(SlideSpec::Section {
            title: title.to_owned(),
            number: None,
            lead: None,
        })
    };
    let mut body = laid_out(points());
    if let SlideSpec::Bullets { title, .. } = &mut body.slide {
        *title = "**TIDES**  and waves".to_owned();
    }
    let duplicates = |pages: &[DeckPage]| {
        report(pages, &theme(), &Fonts::embedded())
            .findings
            .into_iter()
            .filter(|f| f.category == FindingCategory::DuplicateTitle)
            .count()
    };
    let section = titled("Tides and waves");
    assert_eq!(duplicates(&[section.clone(), body.clone()]), 0);
    assert_eq!(duplicates(&[section.clone(), body.clone(), body]), 1);
    assert_eq!(duplicates(&[titled("Tides"), section.clone()]), 0);
    // The last page may be called as the first one is.
    let end = laid_out(SlideSpec::Closing {
        title: "Tides and waves".to_owned(),
        message: None,
        points: vec![],
        action: None,
    });
    let other = titled("Moon");
    let mut pages = vec![section, other, end];
    assert_eq!(duplicates(&pages), 0);
    pages.push(titled("Sun"));
    assert_eq!(duplicates(&pages), 1);
}
