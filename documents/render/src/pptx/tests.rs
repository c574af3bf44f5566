//! Given a scene, when it is written, then this XML.

use spec::{ChartKind, Rgb, SlideSpec};

use super::samples::{
    INK, chart, everything, meta, page, part, quote, table, text, theme, written,
};
use super::{PptxError, TextMode, write};
use crate::palette::Palette;
use crate::scene::{Art, Fill, IconNode, Node, Rect, Role, Text};

const SLIDE: &str = "ppt/slides/slide1.xml";

fn slide(nodes: Vec<Node>, mode: TextMode) -> String {
    part(&written(&[page(quote(), nodes)], mode), SLIDE)
}

#[track_caller]
fn has(xml: &str, wanted: &str) {
    assert!(xml.contains(wanted), "{wanted} is not in {xml}");
}

#[track_caller]
fn lacks(xml: &str, unwanted: &str) {
    assert!(!xml.contains(unwanted), "{unwanted} is in {xml}");
}

fn two_lines(role: Role) -> Node {
    let said = "水由**根**吸收";
    let lines: [&[(&str, bool)]; 2] = [&[("水由", false), ("根", true)], &[("吸收", false)]];
    Node::Text(text(said, &lines).role(role))
}

#[test]
fn a_paragraph_flows_again_and_a_heading_keeps_its_lines() {
    let body = slide(vec![two_lines(Role::Body)], TextMode::Reflow);
    has(&body, "<a:t>水由</a:t>");
    has(&body, "<a:t>吸收</a:t>");
    lacks(&body, "<a:br>");
    let heading = slide(vec![two_lines(Role::Title)], TextMode::Reflow);
    assert_eq!(heading.matches("<a:br>").count(), 1);
    let pinned = slide(vec![two_lines(Role::Body)], TextMode::Pinned);
    assert_eq!(pinned.matches("<a:br>").count(), 1);
}

#[test]
fn a_heading_has_no_line_break_inside_of_a_word() {
    let title = |said: &str, lines: &[&[(&str, bool)]]| {
        slide(
            vec![Node::Text(text(said, lines).role(Role::Title))],
            TextMode::Reflow,
        )
    };
    let word = title(
        "Hauptbetriebswerk",
        &[&[("Hauptbe", false)], &[("triebswerk", false)]],
    );
    lacks(&word, "<a:br>");
    let address = title(
        "https://example.org/a/b",
        &[&[("https://example.org/", false)], &[("a/b", false)]],
    );
    lacks(&address, "<a:br>");
    for (said, lines) in [
        ("One two", ["One", "two"]),
        ("Well-known", ["Well-", "known"]),
        ("水由根吸收", ["水由", "根吸收"]),
    ] {
        let broken = title(said, &[&[(lines[0], false)], &[(lines[1], false)]]);
        assert_eq!(broken.matches("<a:br>").count(), 1, "{said}");
    }
}

#[test]
fn every_run_has_its_language_its_fonts_its_size_and_its_weight() {
    let xml = slide(vec![two_lines(Role::Body)], TextMode::Reflow);
    has(
        &xml,
        "<a:rPr lang=\"zh-CN\" altLang=\"en-US\" sz=\"1500\" b=\"1\" i=\"0\" u=\"none\" dirty=\"0\">\
         <a:solidFill><a:srgbClr val=\"102030\"/></a:solidFill><a:latin typeface=\"+mn-lt\"/>\
         <a:ea typeface=\"+mn-ea\"/><a:cs typeface=\"+mn-cs\"/></a:rPr><a:t>根</a:t>",
    );
    has(&xml, "<a:lnSpc><a:spcPts val=\"2250\"/></a:lnSpc>");
    let mut display = text("a", &[]);
    display.display = true;
    let xml = slide(vec![Node::Text(display)], TextMode::Reflow);
    has(
        &xml,
        "<a:latin typeface=\"+mj-lt\"/><a:ea typeface=\"+mj-ea\"/>",
    );
}

#[test]
fn a_box_wraps_is_not_fitted_and_has_no_insets() {
    let xml = slide(vec![Node::Text(text("a", &[]).low())], TextMode::Reflow);
    has(
        &xml,
        "<a:bodyPr wrap=\"square\" lIns=\"0\" tIns=\"0\" rIns=\"0\" bIns=\"0\" rtlCol=\"0\" anchor=\"b\" anchorCtr=\"0\">\
         <a:noAutofit/></a:bodyPr>",
    );
    has(
        &xml,
        "<a:off x=\"952500\" y=\"1905000\"/><a:ext cx=\"2857500\" cy=\"857250\"/>",
    );
}

#[test]
fn what_is_cut_with_an_ellipsis_is_written_as_it_was_cut() {
    let cut = text("A long name of a course", &[&[("A long …", false)]]).chrome();
    let xml = slide(vec![Node::Text(cut)], TextMode::Reflow);
    has(&xml, "<a:t>A long …</a:t>");
    lacks(&xml, "of a course");
}

#[test]
fn title_lead_header_and_number_are_placeholders_of_the_layout() {
    let title = SlideSpec::Title {
        title: "Leaves".to_owned(),
        subtitle: Some("What they do".to_owned()),
        kicker: Some("Biology".to_owned()),
        picture: None,
    };
    let words = |said: &str, role| Node::Text(text(said, &[]).role(role));
    let nodes = vec![
        words("Biology", Role::Subtitle),
        words("Leaves", Role::Title),
        words("What they do", Role::Subtitle),
        words("Plants", Role::Chrome),
        words("1 / 2", Role::Chrome),
    ];
    let bytes = written(&[page(title, nodes)], TextMode::Reflow);
    let xml = part(&bytes, SLIDE);
    has(&xml, "<p:ph type=\"ctrTitle\"/>");
    has(&xml, "<p:ph type=\"subTitle\" idx=\"1\"/>");
    has(&xml, "<p:ph type=\"ftr\" idx=\"11\"/>");
    has(&xml, "<p:ph type=\"sldNum\" idx=\"12\"/>");
    has(&xml, "type=\"slidenum\"");
    has(&xml, "<a:t>1</a:t></a:fld>");
    has(&xml, "<a:t> / 2</a:t>");
    assert_eq!(
        xml.matches("txBox=\"1\"").count(),
        1,
        "the kicker alone is a box"
    );
    let relations = part(&bytes, "ppt/slides/_rels/slide1.xml.rels");
    has(&relations, "../slideLayouts/slideLayout1.xml");
    let layout = part(&bytes, "ppt/slideLayouts/slideLayout1.xml");
    has(&layout, "<p:ph type=\"ctrTitle\"/>");
    has(&layout, "<p:ph type=\"subTitle\" idx=\"1\"/>");
}

#[test]
fn a_rectangle_is_a_shape_with_its_corners() {
    let fill = |rect, radius, border, open| {
        Node::Fill(Fill {
            rect,
            color: INK,
            radius,
            border,
            open,
        })
    };
    let square = Rect::new(10.0, 10.0, 40.0, 40.0);
    let wide = Rect::new(10.0, 10.0, 80.0, 40.0);
    has(
        &slide(vec![fill(wide, 0.0, None, false)], TextMode::Reflow),
        "prst=\"rect\"",
    );
    has(
        &slide(vec![fill(square, 20.0, None, false)], TextMode::Reflow),
        "prst=\"ellipse\"",
    );
    has(
        &slide(vec![fill(wide, 10.0, None, false)], TextMode::Reflow),
        "<a:prstGeom prst=\"roundRect\"><a:avLst><a:gd name=\"adj\" fmla=\"val 25000\"/></a:avLst></a:prstGeom>",
    );
    // The border lies inside: the shape is smaller by half of it on each side.
    let framed = slide(
        vec![fill(wide, 0.0, Some((INK, 4.0)), true)],
        TextMode::Reflow,
    );
    has(
        &framed,
        "<a:off x=\"114300\" y=\"114300\"/><a:ext cx=\"723900\" cy=\"342900\"/>",
    );
    has(&framed, "<a:noFill/><a:ln w=\"38100\">");
    let nothing = slide(
        vec![fill(Rect::new(0.0, 0.0, 0.0, 5.0), 0.0, None, false)],
        TextMode::Reflow,
    );
    lacks(&nothing, "<p:sp>");
}

#[test]
fn decoration_is_passed_over_and_icons_are_named() {
    let svg = "<circle cx=\"5\" cy=\"5\" r=\"4\" fill=\"#102030\"/>".to_owned();
    let rect = Rect::new(0.0, 0.0, 10.0, 10.0);
    let art = slide(
        vec![Node::Art(Art {
            rect,
            svg,
            radius: 0.0,
        })],
        TextMode::Reflow,
    );
    has(&art, "<adec:decorative");
    has(&art, "<a:custGeom>");
    let icon = Node::Icon(IconNode {
        rect,
        icon: spec::Icon::Leaf,
        color: INK,
    });
    let icon = slide(vec![icon], TextMode::Reflow);
    has(&icon, "descr=\"叶子\"");
    has(&icon, "cap=\"rnd\"");
}

#[test]
fn a_picture_on_two_pages_is_one_part() {
    let bytes = written(&everything(), TextMode::Reflow);
    let names: Vec<String> = super::samples::entries(&bytes)
        .into_iter()
        .map(|(name, _)| name)
        .filter(|name| name.contains("media"))
        .collect();
    assert_eq!(names, ["ppt/media/image1.png"]);
}

#[test]
fn a_chart_has_its_numbers_its_workbook_and_the_colours_of_the_theme() {
    let bars = chart(ChartKind::Bar, &[&[1.0, 2.5], &[3.0, 4.0]]);
    let bytes = written(&[page(quote(), vec![bars])], TextMode::Reflow);
    let xml = part(&bytes, "ppt/charts/chart1.xml");
    has(
        &xml,
        "<c:barDir val=\"col\"/><c:grouping val=\"clustered\"/>",
    );
    has(&xml, "<c:f>Sheet1!$C$2:$C$3</c:f>");
    has(&xml, "<c:v>2.5</c:v>");
    has(&xml, "<a:schemeClr val=\"accent2\"/>");
    has(&xml, "<c:autoTitleDeleted val=\"1\"/>");
    has(&xml, "<a:t>cm</a:t>");
    has(
        &part(&bytes, "ppt/charts/_rels/chart1.xml.rels"),
        "../embeddings/workbook1.xlsx",
    );
    has(
        &part(&bytes, SLIDE),
        "descr=\"Growth; S0: Q1 1, Q2 2.5; S1: Q1 3, Q2 4 (cm)\"",
    );
    let gap = chart(ChartKind::Line, &[&[1.0, f64::NAN]]);
    let bytes = written(&[page(quote(), vec![gap])], TextMode::Reflow);
    has(&part(&bytes, "ppt/charts/chart1.xml"), "<c:v>#N/A</c:v>");
}

#[test]
fn a_table_keeps_its_sizes_margins_and_lines() {
    let xml = slide(vec![table()], TextMode::Reflow);
    has(
        &xml,
        "<a:tblGrid><a:gridCol w=\"1905000\"/><a:gridCol w=\"1905000\"/></a:tblGrid>",
    );
    has(&xml, "<a:tr h=\"476250\">");
    // Of ten pixels above and below, half is left to viewers whose lines are higher.
    has(
        &xml,
        "<a:tcPr marL=\"95250\" marR=\"95250\" marT=\"47625\" marB=\"47625\" anchor=\"ctr\">",
    );
    has(
        &xml,
        "<a:lnB w=\"9525\"><a:solidFill><a:srgbClr val=\"C8C8C8\"/></a:solidFill></a:lnB>",
    );
    has(&xml, "descr=\"叶子; 光, 水\"");
}

#[test]
fn notes_are_paragraphs_of_their_own_page() {
    let bytes = written(&everything(), TextMode::Reflow);
    let notes = part(&bytes, "ppt/notesSlides/notesSlide1.xml");
    has(&notes, "<a:t>Say this.</a:t>");
    has(&notes, "<a:t>And this.</a:t>");
    let silent = part(&bytes, "ppt/slides/_rels/slide2.xml.rels");
    lacks(&silent, "notesSlide");
}

#[test]
fn the_page_is_as_large_as_the_scene() {
    let mut card = page(quote(), Vec::new());
    card.scene.size = (1080.0, 1440.0);
    let bytes = written(&[card.clone()], TextMode::Reflow);
    has(
        &part(&bytes, "ppt/presentation.xml"),
        "<p:sldSz cx=\"10287000\" cy=\"13716000\"/>",
    );
    let pages = [page(quote(), Vec::new()), card];
    let error = write(&pages, &theme(), &meta(TextMode::Reflow));
    assert!(matches!(error, Err(PptxError::MixedSizes { page: 2, .. })));
}

#[test]
fn a_ground_that_is_not_the_layouts_is_said_by_the_page() {
    let field = Palette::new(&theme()).field;
    let mut first = page(quote(), Vec::new());
    first.scene.background = field;
    let mut other = page(quote(), Vec::new());
    other.scene.background = Rgb(1, 2, 3);
    let bytes = written(&[first, other], TextMode::Reflow);
    has(
        &part(&bytes, "ppt/slideLayouts/slideLayout11.xml"),
        "<a:schemeClr val=\"tx2\"/>",
    );
    lacks(&part(&bytes, SLIDE), "<p:bg>");
    has(
        &part(&bytes, "ppt/slides/slide2.xml"),
        "<a:srgbClr val=\"010203\"/>",
    );
}

#[test]
fn text_cannot_become_markup_and_control_characters_are_left_out() {
    let nodes = vec![Node::Text(Text::new(
        Rect::PAGE,
        "</a:t>\u{b}<&\"",
        20.0,
        INK,
    ))];
    has(
        &slide(nodes, TextMode::Reflow),
        "<a:t>&lt;/a:t&gt; &lt;&amp;&quot;</a:t>",
    );
}

#[test]
fn the_same_deck_is_the_same_file() {
    let write = || written(&everything(), TextMode::Pinned);
    assert_eq!(write(), write());
}

#[test]
fn a_deck_that_cannot_be_written_is_refused() {
    let refusal = |pages: &[crate::DeckPage]| {
        write(pages, &theme(), &meta(TextMode::Reflow)).expect_err("a refusal")
    };
    assert!(matches!(refusal(&[]), PptxError::NoPages));
    let svg = "<circle".to_owned();
    let rect = Rect::new(0.0, 0.0, 10.0, 10.0);
    let broken = Node::Art(Art {
        rect,
        svg,
        radius: 0.0,
    });
    let error = refusal(&[page(quote(), vec![broken])]);
    assert!(
        matches!(error, PptxError::Drawing { page: 1, .. }),
        "{error}"
    );
    // PowerPoint would repair a file that has a chart without numbers.
    let empty = chart(ChartKind::Bar, &[]);
    let error = refusal(&[page(quote(), vec![empty])]);
    assert!(matches!(error, PptxError::Defects(_)));
    assert_eq!(
        error.to_string(),
        "the file has defects: ppt/charts/chart1.xml: has no series"
    );
}
