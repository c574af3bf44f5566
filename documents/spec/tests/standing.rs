//! Slides that take text, code and tables as a source has them.

use proptest::prelude::*;
use serde_json::json;

use palimpsest_spec as spec;
use spec::SlideSpec;

fn slide(value: serde_json::Value) -> SlideSpec {
    serde_json::from_value(value).expect("a slide")
}

fn code(code: &str) -> SlideSpec {
    slide(json!({ "layout": "code", "title": "Code", "code": code }))
}

/// All parts, split until each is as small as it can be.
fn parts(slide: SlideSpec) -> Vec<SlideSpec> {
    match slide.continued("en") {
        Some([first, second]) => [parts(first), parts(second)].concat(),
        None => vec![slide],
    }
}

fn faults(slide: &SlideSpec) -> Vec<String> {
    slide.check().into_iter().map(|found| found.path).collect()
}

#[test]
fn text_is_text() {
    let odd = "# a<b <b>c</b>\n`x` - &amp; **unpaired";
    let passage = json!({ "layout": "passage", "title": odd, "blocks": [{ "text": odd }, { "text": "", "marker": "☐" }] });
    let table = json!({ "layout": "table", "title": "t", "rows": [[odd, ""], ["", "x"]], "align": ["left", "right"] });
    assert_eq!(faults(&slide(passage)), <[&str; 0]>::default());
    assert_eq!(faults(&slide(table)), <[&str; 0]>::default());
    assert_eq!(code(odd).plain_text(), format!("Code\n{odd}"));
}

#[test]
fn too_much_and_what_does_not_go_together_is_told() {
    let cases = [
        (
            json!({ "layout": "passage", "title": "字".repeat(121), "blocks": [{ "text": "x" }] }),
            "/title",
        ),
        (
            json!({ "layout": "passage", "title": "t", "blocks": [{ "text": "字".repeat(1601) }] }),
            "/blocks/0/text",
        ),
        (
            json!({ "layout": "passage", "title": "t", "blocks": [{ "text": "x", "level": 5 }] }),
            "/blocks/0/level",
        ),
        (
            json!({ "layout": "passage", "title": "t", "blocks": [{ "text": " " }] }),
            "/blocks/0/text",
        ),
        (
            json!({ "layout": "code", "title": "t", "code": "x\n".repeat(201) }),
            "/code",
        ),
        (
            json!({ "layout": "code", "title": "t", "code": "x".repeat(401) }),
            "/code",
        ),
        (
            json!({ "layout": "code", "title": "t", "code": "\n \n" }),
            "/code",
        ),
        (
            json!({ "layout": "table", "title": "t", "columns": ["a", "b"], "rows": [["1"]] }),
            "/rows/0",
        ),
        (
            json!({ "layout": "table", "title": "t", "rows": [["1", "2"], ["1"]] }),
            "/rows/1",
        ),
        (
            json!({ "layout": "table", "title": "t", "rows": [[]] }),
            "/rows",
        ),
        (
            json!({ "layout": "table", "title": "t", "rows": [vec!["x"; 13]] }),
            "/rows",
        ),
        (
            json!({ "layout": "table", "title": "t", "rows": [["x"]], "align": ["left", "left"] }),
            "/align",
        ),
        (
            json!({ "layout": "table", "title": "t", "rows": [["字".repeat(401)]] }),
            "/rows/0/0",
        ),
    ];
    for (value, path) in cases {
        assert_eq!(faults(&slide(value)), [path]);
    }
}

#[test]
fn code_is_cut_behind_a_blank_line() {
    let [first, second] = code("a\nb\nc\n\nd\ne\nf")
        .continued("zh")
        .expect("two parts");
    assert_eq!(first.plain_text(), "Code\na\nb\nc\n");
    assert_eq!(second.plain_text(), "Code（续）\nd\ne\nf");
    assert_eq!(code("one line").continued("en"), None);
}

#[test]
fn a_table_goes_on_under_its_head() {
    let table = json!({ "layout": "table", "title": "t", "columns": ["a"], "rows": [["1"], ["2"], ["3"]], "caption": "c" });
    let [first, second] = slide(table).continued("en").expect("two parts");
    assert_eq!(first.plain_text(), "t\na\n1\n2\nc");
    assert_eq!(second.plain_text(), "t (continued)\na\n3");
}

#[test]
fn a_paragraph_is_cut_behind_a_sentence_and_never_in_bold() {
    let of = |text: &str| {
        let block = json!({ "text": text, "marker": "1." });
        let passage = slide(json!({ "layout": "passage", "title": "t", "blocks": [block] }));
        passage
            .continued("en")
            .map(|[first, second]| (first.plain_text(), second.plain_text()))
    };
    let (first, second) = of("One is said here. Two is said there.").expect("two parts");
    assert_eq!(
        (first.as_str(), second.as_str()),
        (
            "t\n1.\nOne is said here.",
            "t (continued)\nTwo is said there."
        )
    );
    assert_eq!(of("**all of it is bold**"), None);
}

proptest! {
    #[test]
    fn what_is_cut_is_all_there_in_its_order(texts in prop::collection::vec("[a-d**\\\\ .。字\n]{1,60}", 1..8)) {
        let filled = |text: &&String| !text.trim().is_empty();
        let texts: Vec<&String> = texts.iter().filter(filled).collect();
        prop_assume!(!texts.is_empty());
        let blocks: Vec<_> = texts.iter().map(|text| json!({ "text": text })).collect();
        let squeezed = |slides: &[SlideSpec]| -> String {
            let slots = slides.iter().flat_map(SlideSpec::slots).filter(|slot| slot.path != "/title");
            let said: String = slots.map(|slot| slot.plain()).collect();
            said.chars().filter(|c| !c.is_whitespace()).collect()
        };
        let whole = slide(json!({ "layout": "passage", "title": "t", "blocks": blocks }));
        prop_assert_eq!(squeezed(&parts(whole.clone())), squeezed(&[whole]));
        let lines = texts.iter().map(|text| text.as_str()).collect::<Vec<_>>().join("\n");
        let codes: Vec<String> = parts(code(&lines))
            .iter()
            .filter_map(|part| {
                let SlideSpec::Code { code, .. } = part else {
                    return None;
                };
                Some(code.clone())
            })
            .collect();
        prop_assert_eq!(codes.join("\n"), lines);
    }
}
