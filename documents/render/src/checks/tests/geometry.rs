//! Planted faults of place: boxes moved, shrunk, drawn over one another.

use std::sync::Arc;

use spec::FindingCategory::{Alignment, OutOfBounds, Overlap, Spacing};
use spec::Severity::{Critical, Warning};
use spec::{ChartKind, ChartSpec, Dataset, FindingCategory, SlideSpec};

use super::*;
use crate::picture::Picture;
use crate::scene::{Art, ChartNode, PictureNode};

/// Both orders of two nodes on a page.
fn both(a: Node, b: Node, category: FindingCategory) -> [Vec<(String, Severity)>; 2] {
    [
        of(&made(vec![a.clone(), b.clone()]), category),
        of(&made(vec![b, a]), category),
    ]
}

#[test]
fn two_texts_on_one_another_are_found_whichever_is_in_front() {
    let a = text((100.0, 200.0, 300.0, 40.0), "First of the two", 24.0);
    let b = text((160.0, 210.0, 300.0, 40.0), "Second of the two", 24.0);
    assert_eq!(
        both(a, b, Overlap),
        [one("text", Critical), one("text", Critical)]
    );
}

#[test]
fn a_text_and_an_icon_or_a_chart_are_found_whichever_is_in_front() {
    let chart = Node::Chart(ChartNode {
        rect: Rect::new(80.0, 150.0, 400.0, 300.0),
        title: "Chart".to_owned(),
        spec: ChartSpec {
            kind: ChartKind::Bar,
            labels: vec![],
            datasets: vec![],
            unit: None,
        },
        drawn: vec![],
    });
    let said = text((100.0, 200.0, 300.0, 40.0), "Words on it", 24.0);
    let icon = icon((110.0, 205.0, 30.0, 30.0));
    let [below, above] = both(said.clone(), chart, Overlap);
    assert_eq!(
        (below, above),
        (one("chart", Critical), one("text", Critical))
    );
    let [below, above] = both(said, icon, Overlap);
    assert_eq!(
        (below, above),
        (one("icon", Critical), one("text", Critical))
    );
}

#[test]
fn a_box_in_front_hides_a_text_and_one_behind_that_ends_under_it_cuts_it() {
    let said = text((100.0, 200.0, 300.0, 40.0), "Words to be read", 24.0);
    let box_over_half = fill((90.0, 190.0, 80.0, 60.0), PALE);
    let [behind, in_front] = [
        made(vec![box_over_half.clone(), said.clone()]),
        made(vec![said.clone(), box_over_half]),
    ];
    assert_eq!(of(&behind, Overlap), one("text", Warning));
    assert_eq!(of(&in_front, Overlap), one("text", Critical));
    let card = fill((90.0, 190.0, 400.0, 60.0), PALE);
    assert_eq!(of(&made(vec![card, said]), Overlap), []);
}

#[test]
fn decoration_may_lie_under_a_text_but_not_over_it() {
    let art = Node::Art(Art {
        rect: Rect::new(90.0, 190.0, 80.0, 60.0),
        svg: "<circle r=\"4\" fill=\"#eeeeee\"/>".to_owned(),
        radius: 0.0,
    });
    let said = text((100.0, 200.0, 300.0, 40.0), "Words to be read", 24.0);
    assert_eq!(both(art, said, Overlap), [vec![], one("text", Critical)]);
}

#[test]
fn a_corner_that_nobody_sees_is_no_overlap() {
    let a = text((100.0, 200.0, 300.0, 40.0), "Words to be read", 24.0);
    let Node::Text(said) = &a else { return };
    let bottom = said.placed().next().expect("a line").1 + said.size * 0.22;
    let b = icon((100.0, bottom - 1.5, 40.0, 40.0));
    assert_eq!(both(a, b, Overlap), [vec![], vec![]]);
}

#[test]
fn two_cards_that_cross_are_found() {
    let page = made(vec![
        fill((100.0, 200.0, 300.0, 100.0), PALE),
        fill((380.0, 210.0, 300.0, 100.0), PALE),
        text((120.0, 220.0, 200.0, 40.0), "Left", 24.0),
        text((500.0, 230.0, 160.0, 40.0), "Right", 24.0),
    ]);
    assert_eq!(of(&page, Overlap), one("box", Warning));
}

#[test]
fn the_frame_of_a_column_may_not_run_through_a_text() {
    let mut frame = fill((90.0, 190.0, 150.0, 60.0), INK);
    if let Node::Fill(fill) = &mut frame {
        fill.open = true;
        fill.border = Some((INK, 3.0));
    }
    let said = text((100.0, 200.0, 300.0, 40.0), "Words to be read", 24.0);
    let [behind, in_front] = both(frame, said, Overlap);
    assert_eq!(
        (behind, in_front),
        (one("text", Warning), one("text", Critical))
    );
}

#[test]
fn what_leaves_the_page_or_its_safe_area_is_found() {
    let at = |x: f32| {
        made(vec![text(
            (x, 200.0, 300.0, 40.0),
            "Words to be read",
            24.0,
        )])
    };
    assert_eq!(of(&at(1100.0), OutOfBounds), one("text", Critical));
    assert_eq!(of(&at(-2.0), OutOfBounds), one("text", Critical));
    assert_eq!(of(&at(30.0), OutOfBounds), one("text", Warning));
    assert_eq!(of(&at(60.0), OutOfBounds), []);
    let bar = made(vec![fill((0.0, 714.0, 1280.0, 6.0), PALE)]);
    assert_eq!(of(&bar, OutOfBounds), []);
    // A picture may go on to the edge, but not end shortly before it.
    let picture = |x, y, w, h| {
        made(vec![Node::Picture(PictureNode {
            rect: Rect::new(x, y, w, h),
            alt: String::new(),
            picture: Arc::new(Picture {
                bytes: vec![],
                media_type: "image/png",
                width: 4,
                height: 4,
            }),
        })])
    };
    assert_eq!(of(&picture(840.0, 0.0, 440.0, 640.0), OutOfBounds), []);
    let short = picture(840.0, 8.0, 440.0, 632.0);
    assert_eq!(of(&short, OutOfBounds), one("picture", Warning));
}

/// Two cards side by side, the second with these coordinates, each with a text 20 px inside.
fn row(second: (f32, f32, f32, f32), text_at: (f32, f32)) -> DeckPage {
    made(vec![
        fill((100.0, 200.0, 300.0, 150.0), PALE),
        fill(second, PALE),
        text((120.0, 220.0, 260.0, 40.0), "Left", 24.0),
        text((text_at.0, text_at.1, 260.0, 40.0), "Right", 24.0),
    ])
}

#[test]
fn edges_that_are_nearly_equal_are_found_and_equal_or_distant_ones_are_not() {
    let moved = |y: f32| row((420.0, y, 300.0, 150.0), (440.0, y + 20.0));
    assert_eq!(of(&moved(200.0), Alignment), []);
    assert_eq!(of(&moved(200.4), Alignment), []);
    assert_eq!(of(&moved(202.0), Alignment).len(), 2);
    assert_eq!(of(&moved(230.0), Alignment), []);
    let wider = row((420.0, 200.0, 302.0, 150.0), (440.0, 220.0));
    assert_eq!(of(&wider, Alignment), one("text", Warning));
    let lower_text = row((420.0, 200.0, 300.0, 150.0), (440.0, 222.0));
    assert_eq!(of(&lower_text, Alignment), one("text", Warning));
}

#[test]
fn texts_of_one_card_share_their_left_edge() {
    let with = |x: f32| {
        made(vec![
            fill((100.0, 200.0, 300.0, 150.0), PALE),
            text((120.0, 220.0, 260.0, 40.0), "Above", 24.0),
            text((x, 280.0, 260.0, 40.0), "Below", 24.0),
        ])
    };
    assert_eq!(of(&with(120.0), Alignment), []);
    assert_eq!(of(&with(123.0), Alignment), one("text", Warning));
}

#[test]
fn gaps_that_are_nearly_equal_are_found() {
    let list = |third: f32| {
        made(vec![
            fill((100.0, 200.0, 600.0, 80.0), PALE),
            fill((100.0, 300.0, 600.0, 80.0), PALE),
            fill((100.0, third, 600.0, 80.0), PALE),
            text((120.0, 220.0, 260.0, 40.0), "One", 24.0),
            text((120.0, 320.0, 260.0, 40.0), "Two", 24.0),
            text((120.0, third + 20.0, 260.0, 40.0), "Three", 24.0),
        ])
    };
    assert_eq!(of(&list(400.0), Alignment), []);
    assert_eq!(of(&list(402.5), Alignment), one("text", Warning));
}

#[test]
fn cards_that_nearly_touch_are_found() {
    let at = |x: f32| of(&row((x, 200.0, 300.0, 150.0), (x + 20.0, 220.0)), Spacing);
    assert_eq!(at(403.0), one("box", Warning));
    assert_eq!(at(400.0), []);
    assert_eq!(at(412.0), []);
}

#[test]
fn texts_without_air_between_them_are_found() {
    let second = |y: f32| {
        made(vec![
            text((120.0, 200.0, 260.0, 36.0), "Above", 24.0),
            text((120.0, y, 260.0, 36.0), "Below", 24.0),
        ])
    };
    assert_eq!(of(&second(228.0), Spacing), one("text", Warning));
    assert_eq!(of(&second(238.0), Spacing), []);
}

#[test]
fn a_text_at_the_edge_of_its_card_is_found() {
    let card = |x: f32| {
        made(vec![
            fill((100.0, 200.0, 300.0, 60.0), PALE),
            text((x, 212.0, 260.0, 36.0), "Inside", 24.0),
        ])
    };
    assert_eq!(of(&card(101.0), Spacing), one("text", Warning));
    assert_eq!(of(&card(116.0), Spacing), []);
}

#[test]
fn lopsided_empty_and_overfull_pages_are_found() {
    let mut moved = laid_out(points());
    for node in &mut moved.scene.nodes {
        if let Node::Fill(fill) = node
            && fill.rect.w > 1000.0
            && fill.rect.w < 1280.0
        {
            fill.rect.w -= 60.0;
        }
    }
    assert!(of(&moved, Spacing).contains(&("page".to_owned(), Warning)));

    let mut empty = laid_out(points());
    empty
        .scene
        .nodes
        .retain(|node| matches!(node, Node::Text(_)));
    let said = |page: &DeckPage| -> Vec<String> {
        let spacing = findings(page).into_iter().filter(|f| f.category == Spacing);
        spacing.map(|finding| finding.evidence).collect()
    };
    assert!(said(&empty).iter().any(|s| s.starts_with("Content covers")));

    let mut full = laid_out(points());
    let words = "Words and words without an end. ".repeat(70);
    full.scene.nodes = vec![text((72.0, 80.0, 1136.0, 600.0), words.trim_end(), 20.0)];
    assert!(
        said(&full)
            .iter()
            .any(|s| s.starts_with("Lines of text cover"))
    );
}

#[test]
fn labels_of_a_chart_that_meet_are_found() {
    let spec = ChartSpec {
        kind: ChartKind::Bar,
        labels: vec!["One".to_owned(), "Two".to_owned()],
        datasets: vec![Dataset {
            label: "Votes".to_owned(),
            values: vec![3.0, 4.0],
        }],
        unit: None,
    };
    let mut page = laid_out(SlideSpec::Chart {
        title: "Votes".to_owned(),
        chart: spec,
        insight: None,
        source: None,
    });
    assert_eq!(findings(&page), []);
    for node in &mut page.scene.nodes {
        if let Node::Chart(chart) = node {
            let mut last = None;
            for part in chart.drawn.iter_mut() {
                if let Node::Text(label) = part
                    && (label.text == "One" || label.text == "Two")
                {
                    let place = *last.get_or_insert(label.rect);
                    label.rect.x = place.x;
                    label.rect.y = place.y;
                }
            }
        }
    }
    assert_eq!(of(&page, Overlap), one("/chart/labels/1", Warning));
}
