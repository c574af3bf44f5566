//! Programs on pages and in reports: parts told apart by colour, the words as they were, long lines with a mark.

use std::collections::BTreeSet;

use palimpsest_render as render;
use render::document::{self, Report};
use render::scene::Scene;
use render::{DeckPage, Fonts};
use serde_json::json;
use spec::{FindingCategory, Theme, builtin_themes};

use crate::one_page::{self, html, part, pptx, runs, theme};

const PROGRAM: &str =
    "def area(r):  # of a circle\n    return 3.14 * r ** 2\n\nprint(f\"{area(2)} m²\")";

fn page(language: Option<&str>, code: &str, theme: &Theme) -> DeckPage {
    let slide =
        json!({ "layout": "code", "title": "A program", "language": language, "code": code });
    let slide = serde_json::from_value(slide).expect("a slide");
    one_page::page(slide, theme)
}

fn said(scene: &Scene) -> Vec<String> {
    let texts = render::scene::texts_of(&scene.nodes);
    texts
        .filter(|text| text.stands == render::scene::Stands::Code)
        .map(|text| text.lines.iter().map(|line| line.text()).collect())
        .collect()
}

#[test]
fn a_program_has_its_words_and_the_colours_of_its_parts_in_every_form() {
    let page = page(Some("python"), PROGRAM, &theme());
    let lines: Vec<&str> = PROGRAM.lines().collect();
    assert_eq!(said(&page.scene), lines);
    let coloured: Vec<(String, spec::Rgb)> = runs(&page.scene)
        .into_iter()
        .filter_map(|run| Some((run.text, run.color?)))
        .collect();
    let color_of = |words: &str| {
        let found = coloured.iter().find(|(said, _)| said == words);
        found
            .unwrap_or_else(|| panic!("{words} has no colour: {coloured:?}"))
            .1
    };
    let colors: BTreeSet<String> = ["return", "area", "3.14", "# of a circle"]
        .map(|words| color_of(words).hex())
        .into();
    assert_eq!(colors.len(), 4, "{colors:?}");
    let html = html(&page);
    let svg = render::svg(&page.scene, &theme(), "en");
    let xml = part(&pptx(&page), "ppt/slides/slide1.xml");
    for (words, color) in &coloured {
        let (hex, words) = (color.hex(), render::escape(words));
        assert!(
            html.contains(&format!("color:{hex}\">{words}</span>")),
            "{words}"
        );
        assert!(
            svg.contains(&format!("fill=\"{hex}\">{words}</tspan>")),
            "{words}"
        );
        assert!(xml.contains(&format!("<a:t>{words}</a:t>")), "{words}");
    }
}

#[test]
fn the_colours_of_a_program_can_be_read_in_every_theme() {
    for theme in builtin_themes() {
        let page = page(Some("python"), PROGRAM, &theme);
        let report = render::report(std::slice::from_ref(&page), &theme, &Fonts::embedded());
        let faint: Vec<_> = report
            .findings
            .iter()
            .filter(|finding| finding.category == FindingCategory::Contrast)
            .collect();
        assert!(faint.is_empty(), "{}: {faint:?}", theme.theme_name);
    }
}

#[test]
fn a_program_in_no_language_that_is_known_stays_in_one_colour() {
    for language in [None, Some("klingon")] {
        let page = page(language, PROGRAM, &theme());
        assert!(runs(&page.scene).iter().all(|run| run.color.is_none()));
    }
}

#[test]
fn what_goes_on_of_a_long_line_stands_in_behind_a_mark() {
    let long = format!("values = [{}]", vec!["\"a value\""; 40].join(", "));
    let page = page(Some("python"), &long, &theme());
    let html = html(&page);
    let texts = render::scene::texts_of(&page.scene.nodes);
    let text = texts
        .into_iter()
        .find(|text| text.lines.len() > 1)
        .expect("a line that goes on");
    let hooks: Vec<_> = text.hooks().collect();
    assert_eq!(hooks.len(), text.lines.len() - 1);
    assert_eq!(html.matches("class=\"ppt-h\"").count(), hooks.len());
    for (hook, (x, baseline, line)) in hooks.iter().zip(text.placed().skip(1)) {
        assert!(hook.x >= x && hook.right() <= x + line.runs[0].x);
        assert!(hook.bottom() <= baseline && hook.y > baseline - text.size);
    }
}

#[test]
fn a_program_in_a_report_has_its_colours_on_the_page_and_in_the_word_file() {
    let report = Report {
        title: "A report".to_owned(),
        markdown: "```python title=\"area.py\"\nif x < 3:\n    return \"a<b\"  # so\n```\n\n    an old block\n".to_owned(),
        language: "en".to_owned(),
        note: None,
    };
    let html = document::html(&report).expect("a page");
    assert!(
        html.contains(
            "<pre><code><span class=\"ck\">if</span> x &lt; <span class=\"cv\">3</span>:\n    <span class=\"ck\">return</span> \
             <span class=\"cv\">\"a&lt;b\"</span>  <span class=\"cc\"># so</span>\n</code></pre>"
        ),
        "{html}"
    );
    let file = document::docx(&report).expect("a file");
    let xml = part(&file, "word/document.xml");
    for (words, color) in [
        ("if", "0B57B0"),
        ("&quot;a&lt;b&quot;", "8A4B08"),
        ("# so", "59636E"),
    ] {
        let run = xml
            .split("<w:r>")
            .find(|run| run.contains(&format!(">{words}</w:t>")));
        let run = run.unwrap_or_else(|| panic!("{words}: {xml}"));
        assert!(
            run.contains(&format!("<w:color w:val=\"{color}\"")),
            "{run}"
        );
    }
}
