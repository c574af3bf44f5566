//! What stands in the HTML of a scene.

use palimpsest_render as render;
use render::scene::{Node, Rect, Role, TableCell, TableLine, TableNode};
use render::{Fonts, page_fragment};
use resvg::usvg::roxmltree;
use spec::SlideSpec;

use super::{GROUND, INK, fragment, page, run, slides, text, theme};

#[test]
fn a_line_is_an_element_with_its_baseline_and_the_space_that_it_ends_with() {
    let lines = vec![
        vec![
            run("light", 0.0, true, "Roman"),
            run(" turns", 50.0, false, "Roman"),
        ],
        vec![
            run("into ", 0.0, false, "Roman"),
            run("糖", 45.0, false, "Han"),
        ],
        vec![run("和氧", 0.0, false, "Han")],
    ];
    let html = fragment(vec![Node::Text(text("**light** turns into 糖和氧", lines))]);
    for part in [
        "left:100px;top:200px;width:300px;height:90px;font-size:20px;font-weight:400;color:#102030;font-family:'Roman',var(--ppt-body-font);",
        "<span class=\"ppt-l\" style=\"top:0px;--ppt-b:22px\"><strong>light</strong> turns<span class=\"ppt-s\"> </span></span>",
        "<span class=\"ppt-l\" style=\"top:30px;--ppt-b:22px\">into <span style=\"font-family:'Han',var(--ppt-body-font)\">糖</span></span>",
    ] {
        assert!(html.contains(part), "{part} in {html}");
    }
    // Between Chinese characters there was no space.
    assert!(
        html.contains("和氧</span></span><span class=\"ppt-s\">\n</span></div>"),
        "{html}"
    );
}

#[test]
fn a_table_is_a_table_to_who_has_the_page_read() {
    let cell = |said: &str| TableCell {
        ground: INK,
        text: text(said, vec![vec![run(said, 0.0, false, "Roman")]]),
    };
    let row = |cells: [&str; 2]| TableLine {
        h: 40.0,
        cells: cells.map(cell).into(),
    };
    let html = fragment(vec![Node::Table(TableNode {
        rect: Rect::new(0.0, 0.0, 200.0, 80.0),
        columns: vec![100.0, 100.0],
        rows: vec![row(["", "head"]), row(["label", "cell"])],
        heads: true,
        labels: true,
        rule: GROUND,
        mirrored: false,
    })]);
    let document = roxmltree::Document::parse(&html).expect("well-formed");
    let cells: Vec<(&str, Option<&str>)> = document
        .descendants()
        .map(|node| (node.tag_name().name(), node.attribute("scope")))
        .filter(|(tag, _)| ["table", "tr", "th", "td"].contains(tag))
        .collect();
    let head = ("th", Some("col"));
    assert_eq!(cells[..4], [("table", None), ("tr", None), head, head]);
    let row = [("tr", None), ("th", Some("row")), ("td", None)];
    assert_eq!(cells[4..], row);
}

#[test]
fn a_heading_is_a_heading_and_a_chart_a_picture_with_a_name() {
    let mut title = text("Plants", vec![vec![run("Plants", 0.0, true, "Roman")]]);
    title.role = Role::Title;
    assert!(fragment(vec![Node::Text(title)]).contains("<h2 class=\"ppt-t\""));
    let fonts = Fonts::embedded();
    let chart = slides()
        .into_iter()
        .find(|slide| matches!(slide, SlideSpec::Chart { .. }));
    let page = page(chart.expect("there is a chart"), 2, &fonts);
    let html = page_fragment(&page.scene, &page.slide, &theme(), &page.context);
    let name = format!("<div role=\"img\" aria-label=\"{}\">", page.slide.title());
    assert!(html.contains(&name), "{html}");
}
