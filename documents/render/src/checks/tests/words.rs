//! Planted faults of text: too long, too small, too pale, not there.

use spec::FindingCategory::{ContentMissing, Contrast, MissingGlyph, Overflow, SmallType, Spacing};
use spec::Severity::{Critical, Info, Warning};
use spec::{ChartKind, ChartSpec, Dataset, IconRow, SlideSpec};

use super::*;
use crate::checks::misfits;
use crate::scene::{Art, Role};
use spec::Misfit;

#[test]
fn a_box_that_was_shrunk_overflows_and_says_by_how_much() {
    let mut page = laid_out(points());
    change(&mut page.scene, "The Earth turns below", |text| {
        text.rect.h -= 10.0;
    });
    assert_eq!(of(&page, Overflow), one("/items/1/text", Critical));
    let found = findings(&page);
    let said = &found[0].evidence;
    assert!(
        said.contains("“The Earth turns below”") && said.contains("10.0 px too few"),
        "{said}"
    );
    assert_eq!(
        misfits(&page.scene),
        [Misfit::TooLarge {
            text: "The Earth turns below".to_owned(),
            px: 10
        }]
    );
}

#[test]
fn a_line_that_is_wider_than_its_box_overflows() {
    let mut page = laid_out(points());
    change(&mut page.scene, "Once in a day", |text| text.rect.w = 60.0);
    assert_eq!(of(&page, Overflow), one("/items/1/detail", Critical));
}

#[test]
fn a_text_that_only_just_fits_is_warned_of_when_it_would_run_into_something() {
    let said = "Words that fill their line";
    let width =
        Typesetter::new(&Fonts::embedded(), &theme(), "en").width(said, crate::typeset::Face::Text);
    let w = width * 24.0 + 1.0;
    let tight = text((120.0, 200.0, w, 36.0), said, 24.0);
    let below = text((120.0, 245.0, 300.0, 36.0), "What stands below", 24.0);
    let alone = made(vec![tight.clone()]);
    assert_eq!(of(&alone, Overflow), []);
    let crowded = made(vec![tight, below.clone()]);
    assert_eq!(of(&crowded, Overflow), one("text", Warning));
    let roomy = text((120.0, 200.0, w * 1.06, 36.0), said, 24.0);
    assert_eq!(of(&made(vec![roomy, below]), Overflow), []);
}

#[test]
fn type_below_the_least_of_its_role_is_small() {
    let mut page = laid_out(points());
    change(&mut page.scene, "Once in a day", |text| text.size = 13.0);
    assert_eq!(of(&page, SmallType), one("/items/1/detail", Warning));
    assert_eq!(
        misfits(&page.scene),
        [Misfit::TooSmall {
            text: "Once in a day".to_owned(),
            px: 13,
            least: 14,
        }]
    );
    change(&mut page.scene, "Once in a day", |text| text.size = 9.0);
    assert_eq!(of(&page, SmallType), one("/items/1/detail", Critical));
    let mut header = laid_out(points());
    change(&mut header.scene, "Tides", |text| text.size = 13.0);
    assert_eq!(of(&header, SmallType), []);
    change(&mut header.scene, "Tides", |text| text.size = 11.0);
    assert_eq!(of(&header, SmallType), one("header", Warning));
    assert_eq!(misfits(&header.scene), []);
}

#[test]
fn a_text_in_the_colour_of_its_ground_is_found() {
    let on = |ground: Node| {
        made(vec![
            ground,
            text((120.0, 220.0, 260.0, 40.0), "Dark on it", 20.0),
        ])
    };
    let card = |color| fill((100.0, 200.0, 300.0, 80.0), color);
    assert_eq!(of(&on(card(PALE)), Contrast), []);
    assert_eq!(
        of(&on(card(Rgb(0x75, 0x75, 0x75))), Contrast),
        one("text", Warning)
    );
    assert_eq!(
        of(&on(card(Rgb(0x40, 0x40, 0x40))), Contrast),
        one("text", Critical)
    );
}

#[test]
fn the_ground_is_the_topmost_and_a_part_of_one_is_enough() {
    let dark = Rgb(0x30, 0x30, 0x30);
    let said = text((120.0, 220.0, 260.0, 40.0), "Dark on it", 20.0);
    let covered = made(vec![
        fill((100.0, 200.0, 300.0, 80.0), dark),
        fill((110.0, 210.0, 280.0, 60.0), PALE),
        said.clone(),
    ]);
    assert_eq!(of(&covered, Contrast), []);
    let partly_dark = made(vec![fill((150.0, 200.0, 300.0, 80.0), dark), said.clone()]);
    assert_eq!(of(&partly_dark, Contrast), one("text", Critical));
    let partly_covered = made(vec![
        fill((100.0, 200.0, 300.0, 80.0), dark),
        fill((150.0, 210.0, 240.0, 60.0), PALE),
        said.clone(),
    ]);
    assert_eq!(of(&partly_covered, Contrast), one("text", Critical));
    let later = made(vec![said, fill((700.0, 200.0, 300.0, 80.0), dark)]);
    assert_eq!(of(&later, Contrast), []);
}

#[test]
fn decoration_counts_where_it_is_drawn_under_a_text() {
    let said = text((120.0, 220.0, 260.0, 40.0), "Dark on it", 20.0);
    let on = |shape: &str| {
        let art = Node::Art(Art {
            rect: Rect::new(100.0, 200.0, 300.0, 80.0),
            svg: shape.to_owned(),
            radius: 0.0,
        });
        of(&made(vec![art, said.clone()]), Contrast)
    };
    let band = |ink: &str| format!("<path d=\"M0 0H60V80H0Z\" fill=\"{ink}\"/>");
    assert_eq!(on(&band("#eeeeee")), []);
    assert_eq!(on(&band("#333333")), one("text", Critical));
    assert_eq!(
        on("<circle cx=\"280\" cy=\"60\" r=\"9\" fill=\"#333333\"/>"),
        []
    );
    // What cannot be drawn counts with every colour that it names.
    assert_eq!(
        on("<circle r=\"9\" fill=\"#333333\">"),
        one("text", Critical)
    );
}

#[test]
fn large_type_needs_less_contrast() {
    let grey = Rgb(0x85, 0x85, 0x85);
    let with = |size: f32, weight: u16| {
        let mut said = Text::new(rect((120.0, 220.0, 400.0, 60.0)), "Grey", size, grey);
        said.weight = weight;
        of(&made(vec![Node::Text(set(said))]), Contrast)
    };
    assert_eq!(with(20.0, 400), one("text", Warning));
    assert_eq!(with(20.0, 700), []);
    assert_eq!(with(24.0, 400), []);
}

#[test]
fn a_cell_of_a_table_is_the_ground_of_its_text() {
    let table = |ink: Rgb| {
        let mut page = laid_out(SlideSpec::Comparison {
            title: "Two seas".to_owned(),
            columns: vec!["North Sea".to_owned(), "Baltic".to_owned()],
            rows: ["Depth", "Salt"]
                .map(|label| spec::TableRow {
                    label: label.to_owned(),
                    cells: vec![format!("{label} one"), format!("{label} two")],
                })
                .into(),
            highlight: Some(1),
        });
        for node in &mut page.scene.nodes {
            if let Node::Table(table) = node {
                table.rows[1].cells[1].ground = Rgb(0x22, 0x22, 0x22);
                table.rows[1].cells[1].text.color = ink;
            }
        }
        page
    };
    assert_eq!(findings(&table(Rgb::WHITE)), []);
    assert_eq!(of(&table(INK), Contrast), one("/rows/0/cells/0", Critical));
}

#[test]
fn a_text_of_the_slide_that_is_nowhere_is_missing() {
    let mut page = laid_out(points());
    for node in &mut page.scene.nodes {
        if let Node::Flow(flow) = node {
            flow.paragraphs
                .retain(|one| one.text.text != "Once in a day");
        }
    }
    assert_eq!(of(&page, ContentMissing), one("/items/1/detail", Critical));
}

#[test]
fn a_text_whose_lines_do_not_say_it_is_missing() {
    let mut page = laid_out(points());
    change(&mut page.scene, "Once in a day", |text| text.lines.clear());
    assert_eq!(of(&page, ContentMissing), one("/items/1/detail", Critical));
    let mut page = laid_out(points());
    let other = set(Text::new(Rect::PAGE, "Once", 20.0, INK)).lines;
    change(&mut page.scene, "Once in a day", |text| {
        text.lines.clone_from(&other);
    });
    assert_eq!(of(&page, ContentMissing), one("/items/1/detail", Critical));
}

#[test]
fn a_header_that_is_cut_is_only_worth_knowing() {
    let slide = points();
    let mut context = context();
    context.title = "Everything there is to know about tides ".repeat(4);
    let page = DeckPage {
        scene: crate::scene(&slide, &theme(), &context, &Fonts::embedded()),
        slide,
        context,
        notes: Some("Said.".to_owned()),
    };
    assert_eq!(of(&page, ContentMissing), one("header", Info));
}

#[test]
fn placeholders_and_empty_notes_are_found() {
    let with = |point: &str, notes: Option<&str>| {
        let mut slide = points();
        if let SlideSpec::Bullets { items, .. } = &mut slide {
            items[0].text = point.to_owned();
        }
        let mut page = laid_out(slide);
        page.notes = notes.map(str::to_owned);
        of(&page, ContentMissing)
    };
    assert_eq!(
        with("Lorem ipsum dolor", Some("Said.")),
        one("/items/0/text", Warning)
    );
    assert_eq!(
        with("TODO: a reason", Some("Said.")),
        one("/items/0/text", Warning)
    );
    assert_eq!(with("Todos los mares", Some("Said.")), []);
    assert_eq!(with("Methodology", Some("TBD")), one("notes", Warning));
    assert_eq!(with("Methodology", Some(" ")), one("notes", Info));
}

#[test]
fn an_icon_or_a_series_that_is_not_drawn_is_missing() {
    let row = |icon, heading: &str| IconRow {
        icon,
        heading: heading.to_owned(),
        text: "A sentence about it".to_owned(),
    };
    let mut cards = laid_out(SlideSpec::IconRows {
        title: "Two forces".to_owned(),
        rows: vec![row(Icon::Sun, "Sun"), row(Icon::Globe, "Moon")],
    });
    assert_eq!(findings(&cards), []);
    cards
        .scene
        .nodes
        .retain(|node| !matches!(node, Node::Icon(icon) if icon.icon == Icon::Sun));
    assert_eq!(of(&cards, ContentMissing), one("icon", Warning));

    let set = |label: &str| Dataset {
        label: label.to_owned(),
        values: vec![1.0, 2.0],
    };
    let mut chart = laid_out(SlideSpec::Chart {
        title: "Levels".to_owned(),
        chart: ChartSpec {
            kind: ChartKind::Line,
            labels: vec!["Ebb".to_owned(), "Flood".to_owned()],
            datasets: vec![set("Cuxhaven"), set("Kiel")],
            unit: Some("m".to_owned()),
        },
        insight: None,
        source: None,
    });
    assert_eq!(findings(&chart), []);
    for node in &mut chart.scene.nodes {
        if let Node::Chart(chart) = node {
            chart.spec.datasets.pop();
        }
    }
    assert_eq!(of(&chart, ContentMissing), one("chart", Critical));
}

#[test]
fn a_character_that_no_font_has_is_found_and_named() {
    let mut slide = points();
    if let SlideSpec::Bullets { items, .. } = &mut slide {
        items[2].text = "潮 is the word for tide".to_owned();
    }
    let page = laid_out(slide);
    assert_eq!(of(&page, MissingGlyph), one("/items/2/text", Critical));
    let found = findings(&page);
    assert!(found[0].evidence.contains("潮 (U+6F6E)"), "{}", found[0]);
}

#[test]
fn equal_texts_are_told_apart_by_their_order() {
    let mut slide = points();
    if let SlideSpec::Bullets { items, .. } = &mut slide {
        items[2].text = items[0].text.clone();
    }
    let mut page = laid_out(slide);
    let last =
        texts_mut(&mut page.scene.nodes).rfind(|text| text.text == "The moon pulls the water");
    last.expect("the last point").color = Rgb::WHITE;
    assert_eq!(of(&page, Contrast), one("/items/2/text", Critical));
}

#[test]
fn what_is_drawn_by_us_is_named_after_what_it_is() {
    let mut page = laid_out(points());
    for text in texts_mut(&mut page.scene.nodes) {
        if text.role == Role::Chrome {
            text.size = 8.0;
        }
    }
    let names: Vec<String> = of(&page, SmallType)
        .into_iter()
        .map(|(name, _)| name)
        .collect();
    assert_eq!(names, ["footer", "header", "numeral", "numeral", "numeral"]);
}

/// A chart with one series of these values, as it is laid out.
fn chart(kind: ChartKind, values: &[f64]) -> DeckPage {
    laid_out(SlideSpec::Chart {
        title: "Measured".to_owned(),
        chart: ChartSpec {
            kind,
            labels: (1..=values.len()).map(|at| format!("No. {at}")).collect(),
            datasets: vec![Dataset {
                label: "Length".to_owned(),
                values: values.to_vec(),
            }],
            unit: Some("m".to_owned()),
        },
        insight: None,
        source: None,
    })
}

#[test]
fn numbers_of_charts_as_they_are_drawn_have_no_finding() {
    let values: [&[f64]; 7] = [
        &[0.0004, 0.0012, 0.0025],
        &[-1_500_000.0, 2_500_000.0, -750_000.0],
        &[1_000_001.0, 1_000_002.0, 1_000_004.0],
        &[25_000.0, 125_000.0, 3e9],
        &[12_345.678, 0.000_003_4, 1.2e-7],
        &[0.0, 0.5, 1.0],
        &[-273.15, -272.9, -270.05],
    ];
    for values in values {
        for kind in [ChartKind::Line, ChartKind::Bar, ChartKind::HorizontalBar] {
            assert_eq!(of(&chart(kind, values), ContentMissing), [], "{values:?}");
        }
    }
    let parts = chart(ChartKind::Pie, &[0.001, 0.002, 99.997]);
    assert_eq!(of(&parts, ContentMissing), []);
}

#[test]
fn a_number_that_is_drawn_as_zero_or_like_another_is_found() {
    let drawn = |from: &str, to: &str| {
        let mut page = chart(ChartKind::Bar, &[0.0004, 0.0012, 0.0025]);
        for node in &mut page.scene.nodes {
            if let Node::Chart(chart) = node {
                change_nodes(&mut chart.drawn, from, to);
            }
        }
        let found = findings(&page).into_iter();
        let found = found.filter(|finding| finding.category == ContentMissing);
        found.map(|finding| finding.evidence).collect::<Vec<_>>()
    };
    assert_eq!(
        drawn("0.0004", "0"),
        ["A number of the chart is written as 0, which none of its values is."]
    );
    assert_eq!(
        drawn("0.0012", "0.0025"),
        ["The chart has 3 different numbers, which are written in 2 ways."]
    );
}

/// Writes another number where this one is drawn in bold.
fn change_nodes(nodes: &mut [Node], from: &str, to: &str) {
    for node in nodes {
        if let Node::Text(text) = node
            && text.text == from
            && text.weight >= 600
        {
            *text = set(Text {
                text: to.to_owned(),
                ..text.clone()
            });
        }
    }
}

const TEN_WORDS: &str = "one two three four five six seven eight nine ten";

/// A page with one paragraph and lines of a list of so many times ten words, the paragraph in so many parts.
fn passage((tens, parts): (usize, usize), lines: usize) -> DeckPage {
    let block = |tens: usize, marker: Option<&str>| spec::PassageBlock {
        text: [TEN_WORDS].repeat(tens).join(" "),
        level: 0,
        marker: marker.map(str::to_owned),
    };
    let paragraphs = std::iter::repeat_n(block(tens / parts, None), parts);
    let lines = std::iter::repeat_n(block(1, Some("•")), lines);
    laid_out(SlideSpec::Passage {
        title: "Tides".to_owned(),
        blocks: paragraphs.chain(lines).collect(),
    })
}

#[test]
fn a_wall_of_text_is_found_and_a_long_list_is_none() {
    assert_eq!(of(&passage((7, 1), 0), Spacing), one("page", Warning));
    assert_eq!(of(&passage((8, 4), 0), Spacing), one("page", Warning));
    assert_eq!(of(&passage((6, 1), 0), Spacing), []);
    // What is said in turn, and a list.
    assert_eq!(of(&passage((8, 8), 0), Spacing), []);
    assert_eq!(of(&passage((1, 1), 8), Spacing), []);
}

#[test]
fn a_page_with_a_line_beside_a_full_one_of_its_passage_is_nearly_empty() {
    let found = |one: DeckPage, other: DeckPage| {
        let found = report(&[one, other], &theme(), &Fonts::embedded()).findings;
        let mut fixes = found.into_iter().map(|found| found.fix);
        fixes.any(|fix| fix.contains("share the text out"))
    };
    let full = || passage((6, 3), 0);
    let of = |tens| passage((tens, 1), 0);
    let line = || passage((1, 1), 0);
    assert!(found(full(), line()) && found(line(), passage((1, 1), 8)));
    assert!(!found(full(), of(2)) && !found(of(2), line()));
}
