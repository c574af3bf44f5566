//! What stands in the SVG of a scene.

use std::collections::BTreeSet;

use palimpsest_render as render;
use render::scene::{Align, Art, Node, Rect};
use resvg::usvg::roxmltree;

use super::{GROUND, drawn, fill, run, text};

#[test]
fn a_border_stands_inside_of_its_box() {
    let svg = drawn(vec![fill(
        Rect::new(10.0, 20.0, 100.0, 50.0),
        8.0,
        Some((GROUND, 2.0)),
        false,
    )]);
    let expected = "<rect x=\"11\" y=\"21\" width=\"98\" height=\"48\" fill=\"#102030\" rx=\"7\" \
                    stroke=\"#fff0e0\" stroke-width=\"2\"/>";
    assert!(svg.contains(expected), "{svg}");
}

#[test]
fn an_open_box_shows_only_its_border() {
    let rect = Rect::new(10.0, 20.0, 100.0, 50.0);
    let svg = drawn(vec![fill(rect, 0.0, Some((GROUND, 4.0)), true)]);
    assert!(svg.contains("height=\"46\" fill=\"none\" stroke"), "{svg}");
}

#[test]
fn runs_are_written_where_they_were_measured_in_the_font_that_has_them() {
    let runs = vec![
        run("光 ", 0.0, false, "Han"),
        run("light", 30.5, true, "Roman"),
    ];
    let svg = drawn(vec![Node::Text(text("光 **light**", vec![runs]))]);
    assert!(svg.contains("<g font-family=\"'Han',"), "{svg}");
    let line = "<text y=\"222\" xml:space=\"preserve\"><tspan x=\"100\">光 </tspan><tspan x=\"130.5\" font-family=\"'Roman',";
    assert!(svg.contains(line), "{svg}");
    assert!(
        svg.contains(" font-weight=\"700\">light</tspan></text>"),
        "{svg}"
    );
}

#[test]
fn lines_hang_where_their_box_says() {
    let lines = vec![
        vec![run("one", 0.0, false, "Roman")],
        vec![run("two", 0.0, false, "Roman")],
    ];
    let mut text = text("one two", lines).low();
    text.align = Align::Right;
    let svg = drawn(vec![Node::Text(text)]);
    // Two lines of 30 in 90 leave 30 above; the box ends at 400 and a line is 120 wide.
    for line in [
        "<text y=\"252\"",
        "<text y=\"282\"",
        "<tspan x=\"280\">two<",
    ] {
        assert!(svg.contains(line), "{line} in {svg}");
    }
}

#[test]
fn text_of_any_kind_stays_text() {
    let said = "</text><script>&\"'\u{1}\u{ffff}";
    let hostile = vec![run(said, 0.0, false, "\"><script x='")];
    let svg = drawn(vec![Node::Text(text(said, vec![hostile]))]);
    assert!(!svg.contains("<script"), "{svg}");
    let document = roxmltree::Document::parse(&svg).expect("well-formed");
    let texts = document.descendants().filter(|node| node.is_text());
    let words: Vec<&str> = texts.filter_map(|node| node.text()).collect();
    assert_eq!(words, ["</text><script>&\"'  "]);
}

#[test]
fn art_is_clipped_to_its_box_and_corners_under_an_id_of_its_own() {
    let art = |svg: &str| {
        Node::Art(Art {
            rect: Rect::new(10.0, 20.0, 300.0, 200.0),
            svg: svg.to_owned(),
            radius: 16.0,
        })
    };
    let one = drawn(vec![art("<circle r=\"9\"/>"), art("<circle r=\"9\"/>")]);
    let other = drawn(vec![art("<circle r=\"8\"/>")]);
    let ids = |svg: &str| -> Vec<String> {
        let document = roxmltree::Document::parse(svg).expect("well-formed");
        let ids = document
            .descendants()
            .filter_map(|node| node.attribute("id"));
        ids.map(str::to_owned).collect()
    };
    let all = [ids(&one), ids(&other)].concat();
    let distinct: BTreeSet<&String> = all.iter().collect();
    assert_eq!((all.len(), distinct.len()), (3, 3), "{all:?}");
    let clipped = format!(
        "<g clip-path=\"url(#{})\"><svg x=\"10\" y=\"20\" width=\"300\" height=\"200\" viewBox=\"0 0 300 200\">",
        all[0]
    );
    assert!(one.contains(&clipped), "{one}");
}
