//! Formulas, links and points in every form of a page.

use palimpsest_render as render;
use render::document::{self, Report};
use render::scene::{Node, Run, Text};
use render::{DeckPage, Fonts};
use serde_json::{Value, json};

use crate::one_page::{self, html, part, pptx, runs, theme};

const LATEX: &str = "\\frac{-b \\pm \\sqrt{b^2-4ac}}{2a}";

fn page(slide: Value) -> DeckPage {
    let slide = serde_json::from_value(slide).expect("a slide");
    one_page::page(slide, &theme())
}

fn bullets() -> DeckPage {
    page(json!({
        "layout": "bullets", "title": "Roots of $ax^2 + bx + c$",
        "items": [
            { "text": format!("The roots are $x = {LATEX}$ where $a$ is not 0"), "detail": "See [the proof](https://example.org/proof?a=1&b=2)." },
            { "text": "Ask roots@example.org", "detail": "Or look at https://example.org/faq." },
        ],
    }))
}

#[test]
fn a_formula_is_drawn_where_it_stands_and_read_as_signs() {
    let page = bullets();
    let runs = runs(&page.scene);
    let drawn: Vec<&Run> = runs.iter().filter(|run| run.formula.is_some()).collect();
    let said: Vec<&str> = drawn.iter().map(|run| run.text.as_str()).collect();
    assert_eq!(said, ["ax² + bx + c", "x = (-b ± √(b²-4ac))/(2a)", "a"]);
    for run in &drawn {
        let set = run.formula.as_ref().expect("a formula");
        assert!((run.width - set.formula.width * set.size).abs() < 0.01);
    }
    assert!(
        !runs.iter().any(|run| run.text.contains(['$', '\\'])),
        "{runs:?}"
    );
    let svg = render::svg(&page.scene, &theme(), "en");
    assert_eq!(svg.matches("<path transform").count(), drawn.len());
    assert!(!svg.contains("frac"), "{svg}");
    assert_eq!(
        render::page_findings(&page, &theme(), &Fonts::embedded()),
        []
    );
}

#[test]
fn a_line_with_a_high_formula_is_as_high_as_it() {
    let of = |words: &str| {
        let page = page(json!({
            "layout": "passage", "title": "Matrices",
            "blocks": [{ "text": words, "level": 0, "marker": "•" }, { "text": "Below", "level": 0 }],
        }));
        let texts: Vec<Text> = render::scene::texts_of(&page.scene.nodes)
            .cloned()
            .collect();
        texts
            .into_iter()
            .find(|text| text.text == words)
            .expect("the text")
    };
    let plain = of("A matrix in a line");
    let high =
        of("A matrix $\\begin{pmatrix} a & b \\\\ c & d \\\\ e & f \\end{pmatrix}$ in a line");
    assert!(
        high.size * high.line > plain.size * plain.line * 1.5,
        "{high:?}"
    );
    let line = &high.lines[0];
    let set = line
        .runs
        .iter()
        .find_map(|run| run.formula.clone())
        .expect("a formula");
    let (above, below) = (set.formula.height * set.size, set.formula.depth * set.size);
    assert!(line.baseline > above && high.size * high.line - line.baseline > below);
    let alone = of("$\\sum_{i=1}^n i$");
    let set = alone.lines[0].runs[0].formula.clone().expect("a formula");
    assert!(set.formula.display, "it stands alone");
}

#[test]
fn the_number_of_a_point_with_a_high_formula_stands_in_its_circle() {
    let high = "$\\begin{pmatrix} a & b \\\\ c & d \\\\ e & f \\end{pmatrix}$";
    let page = page(json!({
        "layout": "bullets", "title": "Matrices",
        "items": [{ "text": format!("A matrix {high} in a line") }, { "text": "Nothing high" }],
    }));
    let texts = render::scene::texts_of(&page.scene.nodes);
    let numbers: Vec<&Text> = texts
        .filter(|text| matches!(text.text.as_str(), "1" | "2"))
        .collect();
    let circles = page.scene.nodes.iter().filter_map(|node| {
        let Node::Fill(fill) = node else { return None };
        ((fill.rect.w, fill.rect.h) == (42.0, 42.0)).then_some(fill.rect)
    });
    let circles: Vec<_> = circles.collect();
    assert_eq!((numbers.len(), circles.len()), (2, 2));
    for (number, circle) in numbers.into_iter().zip(circles) {
        let (_, baseline, _) = number.placed().next().expect("a line");
        let middle = baseline - number.size * 0.36;
        assert!(
            (middle - circle.y - 21.0).abs() < 3.0,
            "{middle} in {circle:?}"
        );
    }
    // A line that is exactly as high as a formula would stand lower in office programs.
    let slide = part(&pptx(&page), "ppt/slides/slide1.xml");
    let pitches = slide
        .split("<a:p>")
        .filter(|one| one.contains("A matrix"))
        .filter_map(|one| {
            one.split_once("<a:lnSpc><a:spcPts val=\"")?
                .1
                .split('"')
                .next()
        });
    let pitches: Vec<u32> = pitches.filter_map(|pitch| pitch.parse().ok()).collect();
    assert!(
        !pitches.is_empty() && pitches.iter().all(|pitch| *pitch < 4_000),
        "{pitches:?}"
    );
}

#[test]
fn html_has_a_formula_as_a_drawing_and_as_mathml() {
    let html = html(&bullets());
    assert_eq!(html.matches("<math ").count(), 3, "{html}");
    assert!(
        html.contains("<mfrac>") && html.contains("<msqrt>"),
        "{html}"
    );
    assert!(!html.contains('$') && !html.contains("\\frac"), "{html}");
}

#[test]
fn powerpoint_has_a_formula_that_can_be_edited_and_words_for_other_programs() {
    let file = pptx(&bullets());
    let slide = part(&file, "ppt/slides/slide1.xml");
    let (choice, fallback) = slide
        .split_once("<mc:Fallback>")
        .expect("two ways to say it");
    assert!(
        choice.contains("<d14:m><m:oMath>") && choice.contains("Requires=\"d14\""),
        "{choice}"
    );
    assert!(
        slide.contains("<m:rad>") && slide.contains("<m:f>"),
        "{slide}"
    );
    assert!(fallback.contains("ax² + bx + c"), "{fallback}");
    assert!(!slide.contains("\\frac"), "{slide}");
}

#[test]
fn the_names_of_a_chart_are_plain_words_in_every_form() {
    for kind in ["bar", "line", "area", "stacked", "horizontal_bar", "pie"] {
        let page = page(json!({
            "layout": "chart", "title": "Growth",
            "chart": {
                "kind": kind,
                "labels": ["$x^2$", "$\\frac{a}{b}$", "**bold** for $5", "\\$7 or `$k$`"],
                "datasets": [{ "label": "$f(x)$ of $\\text{CO}_2$", "values": [3, 4, 5, 6] }],
                "unit": "$\\mu\\text{m}^2$",
            },
        }));
        let found = render::page_findings(&page, &theme(), &Fonts::embedded());
        let found: Vec<_> = found
            .iter()
            .filter(|found| found.severity < spec::Severity::Info)
            .collect();
        assert!(found.is_empty(), "{kind}: {found:?}");
        let file = pptx(&page);
        let chart = part(&file, "ppt/charts/chart1.xml");
        let svg = render::svg(&page.scene, &theme(), "en");
        let slide = part(&file, "ppt/slides/slide1.xml");
        for words in ["x²", "a/b", "bold for $5", "f(x) of CO₂"] {
            assert!(chart.contains(words), "{words} in {kind}: {chart}");
        }
        for said in [&chart, &svg, &slide] {
            assert!(
                !said.contains("$x") && !said.contains("\\") && !said.contains("**"),
                "{kind}: {said}"
            );
        }
        assert!(svg.contains("x²") && svg.contains("μm²"), "{svg}");
    }
}

#[test]
fn links_can_be_followed_in_every_form() {
    let page = bullets();
    let wanted = [
        ("the proof", "https://example.org/proof?a=1&b=2"),
        ("roots@example.org", "mailto:roots@example.org"),
        ("https://example.org/faq", "https://example.org/faq"),
    ];
    let runs = runs(&page.scene);
    let found: Vec<(&str, &str)> = runs
        .iter()
        .filter_map(|run| Some((run.text.as_str(), run.link.as_deref()?)))
        .collect();
    assert_eq!(found, wanted);
    let html = html(&page);
    let file = pptx(&page);
    let slide = part(&file, "ppt/slides/slide1.xml");
    let relations = part(&file, "ppt/slides/_rels/slide1.xml.rels");
    let pdf = render::pdf(
        std::slice::from_ref(&page),
        &theme(),
        &render::FileAbout::titled("Equations"),
        &Fonts::embedded(),
    );
    let pdf = pdf.expect("a PDF");
    for (words, address) in wanted {
        let escaped = render::escape(address);
        assert!(html.contains(&format!("<a href=\"{escaped}\"")), "{html}");
        assert!(relations.contains(&format!("Target=\"{escaped}\" TargetMode=\"External\"")));
        let words = render::escape(words);
        let (before, _) = slide
            .split_once(&format!("<a:t>{words}</a:t>"))
            .expect(&words);
        let run = &before[before.rfind("<a:r>").expect("a run")..];
        assert!(run.contains("<a:hlinkClick r:id=\"rLink"), "{run}");
        let target = format!("/URI({address})");
        let plain = pdf.windows(target.len()).any(|at| at == target.as_bytes());
        assert!(plain, "{address} is in the PDF");
    }
}

#[test]
fn points_are_paragraphs_of_one_text_with_numbers_and_levels() {
    let page = bullets();
    let flows = page.scene.nodes.iter().filter_map(|node| match node {
        Node::Flow(flow) => Some(flow),
        Node::Fill(_)
        | Node::Art(_)
        | Node::Icon(_)
        | Node::Text(_)
        | Node::Chart(_)
        | Node::Table(_)
        | Node::Picture(_) => None,
    });
    let flows: Vec<_> = flows.collect();
    assert_eq!(flows.len(), 1);
    let said: Vec<(Option<&str>, u32)> = flows[0]
        .paragraphs
        .iter()
        .map(|one| (one.mark.as_ref().map(|mark| mark.text.as_str()), one.level))
        .collect();
    assert_eq!(said, [(Some("1"), 0), (None, 1), (Some("2"), 0), (None, 1)]);
    let html = html(&page);
    assert_eq!(
        (html.matches("<ol ").count(), html.matches("<li ").count()),
        (1, 2)
    );
    let slide = part(&pptx(&page), "ppt/slides/slide1.xml");
    let (first, _) = slide.split_once("<mc:Fallback>").expect("formulas");
    let body = &slide[slide.find("type=\"body\"").expect("a text placeholder")..];
    let body = &body[..body.find("</p:sp>").expect("its end")];
    assert_eq!(body.matches("<a:p>").count(), 4, "{first}");
    assert_eq!(
        body.matches("type=\"arabicPlain\" startAt=\"1\"").count(),
        2
    );
    assert_eq!(body.matches("lvl=\"1\"").count(), 2);
}

#[test]
fn what_is_no_formula_stands_as_it_is_written_and_is_found() {
    let page = page(json!({
        "layout": "bullets", "title": "Signs",
        "items": [{ "text": "A command: $\\unknown{x}^2$" }, { "text": "It costs $25 and $30" }],
    }));
    let words: Vec<String> = runs(&page.scene).into_iter().map(|run| run.text).collect();
    assert!(
        words.iter().any(|words| words == "It costs $25 and $30"),
        "{words:?}"
    );
    assert!(
        words.iter().any(|words| words.contains("\\unknown{x}^2")),
        "{words:?}"
    );
    let found = render::page_findings(&page, &theme(), &Fonts::embedded());
    let said: Vec<&str> = found.iter().map(|one| one.evidence.as_str()).collect();
    assert!(
        said.iter().any(|said| said.contains("is not drawn")),
        "{said:?}"
    );
}

#[test]
fn a_report_has_its_formulas_in_html_and_in_word() {
    let report = Report {
        title: "Roots".to_owned(),
        language: "en".to_owned(),
        markdown: format!(
            "# Roots\n\nThe roots are $x = {LATEX}$, for $25 and $30.\n\n$$\\int_0^1 x^2\\,dx$$\n\n| a | $b^2$ |\n|---|---|\n| $\\unknown$ | 1 |\n\n## The $x$ axis\n"
        ),
        note: None,
    };
    let html = document::html(&report).expect("a page");
    assert_eq!(html.matches("<math ").count(), 4, "{html}");
    assert!(
        html.contains("for $25 and $30") && html.contains("<code>\\unknown</code>"),
        "{html}"
    );
    assert!(
        html.contains("<mfrac>") && !html.contains("\\frac"),
        "{html}"
    );
    assert!(!html.contains(['\u{e100}', '\u{e101}']));
    let docx = document::docx(&report).expect("a document");
    let xml = part(&docx, "word/document.xml");
    assert_eq!(xml.matches("<m:oMath xmlns:m=").count(), 4, "{xml}");
    assert!(
        xml.contains("<m:f>") && !xml.contains(['\u{e100}', '\u{e101}']),
        "{xml}"
    );
    assert_eq!(
        xml.matches("<w:p>").count() + xml.matches("<w:p ").count(),
        xml.matches("</w:p>").count()
    );
}
