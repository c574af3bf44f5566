//! Slides and their limits.

use palimpsest_spec as spec;
use proptest::prelude::*;
use spec::{ChartKind, ChartSpec, Dataset, Item, SlideSpec, TableRow, limits, text::em_width};

fn bullets(items: &[&str]) -> SlideSpec {
    SlideSpec::Bullets {
        title: "光合作用".to_owned(),
        lead: None,
        items: items
            .iter()
            .map(|text| Item {
                text: (*text).to_owned(),
                detail: None,
            })
            .collect(),
    }
}

fn chart(kind: ChartKind, labels: &[&str], series: &[&[f64]]) -> SlideSpec {
    let dataset = |values: &&[f64]| Dataset {
        label: "series".to_owned(),
        values: values.to_vec(),
    };
    SlideSpec::Chart {
        title: "Chart".to_owned(),
        chart: ChartSpec {
            kind,
            labels: labels.iter().map(|label| (*label).to_owned()).collect(),
            datasets: series.iter().map(dataset).collect(),
            unit: None,
        },
        insight: None,
        source: None,
    }
}

fn complaints(slide: &SlideSpec) -> Vec<(String, String)> {
    slide
        .check()
        .into_iter()
        .map(|violation| (violation.path, violation.message))
        .collect()
}

fn said(path: &str, message: &str) -> Vec<(String, String)> {
    vec![(path.to_owned(), message.to_owned())]
}

#[test]
fn a_slot_that_is_too_wide_is_told_how_wide_it_may_be() {
    let long = "叶".repeat(41);
    assert_eq!(
        complaints(&bullets(&["a", "b", &long])),
        said(
            "/items/2/text",
            "slot `items[2].text` is 41 em wide, at most 32 fit: shorten it"
        )
    );
    assert_eq!(complaints(&bullets(&["a", &"x".repeat(64)])), []);
    assert_eq!(complaints(&bullets(&["a", &"x".repeat(65)])).len(), 1);
}

#[test]
fn lists_have_a_least_and_a_most() {
    assert_eq!(
        complaints(&bullets(&["a"])),
        said(
            "/items",
            "slot `items` has 1 entries, at least 2 are needed: add some or choose another layout"
        )
    );
    assert_eq!(
        complaints(&bullets(&["a"; 6])),
        said(
            "/items",
            "slot `items` has 6 entries, at most 5 fit: merge or drop some"
        )
    );
}

#[test]
fn a_lead_takes_the_place_of_the_fifth_point() {
    let SlideSpec::Bullets { title, items, .. } = bullets(&["a"; 5]) else {
        panic!("bullets")
    };
    let slide = SlideSpec::Bullets {
        title,
        items,
        lead: Some("lead".to_owned()),
    };
    assert_eq!(
        complaints(&slide),
        said(
            "/items",
            "slot `items` has 5 entries, at most 4 fit: merge or drop some"
        )
    );
}

#[test]
fn empty_text_markup_and_control_characters_are_refused() {
    assert_eq!(
        complaints(&bullets(&["a", " "])),
        said(
            "/items/1/text",
            "slot `items[1].text` is empty: write it, or leave it out if it is optional"
        )
    );
    for bad in ["<b>bold</b>", "line\nbreak", "&nbsp;", "**open"] {
        assert_eq!(complaints(&bullets(&["a", bad])).len(), 1, "{bad:?}");
    }
    assert_eq!(complaints(&bullets(&["**光** < 1", "R&D"])), []);
}

#[test]
fn every_label_of_a_chart_has_a_finite_value() {
    assert_eq!(
        complaints(&chart(
            ChartKind::Bar,
            &["a", "b"],
            &[&[1.0, 2.0], &[0.0, -3.0]]
        )),
        []
    );
    assert_eq!(
        complaints(&chart(ChartKind::Line, &["a", "b"], &[&[1.0]])),
        said(
            "/chart/datasets/0/values",
            "slot `chart.datasets[0].values` has 1 values, but there are 2 labels: give one value for each label"
        )
    );
    assert_eq!(
        complaints(&chart(ChartKind::Bar, &["a", "b"], &[&[1.0, f64::NAN]])),
        said(
            "/chart/datasets/0/values/1",
            "slot `chart.datasets[0].values[1]` is not a finite number: give a real value or drop its label"
        )
    );
}

#[test]
fn a_pie_has_one_series_of_shares() {
    assert_eq!(
        complaints(&chart(ChartKind::Pie, &["a", "b"], &[&[1.0, 2.0]])),
        []
    );
    assert_eq!(
        complaints(&chart(
            ChartKind::Pie,
            &["a", "b"],
            &[&[1.0, 2.0], &[1.0, 2.0]]
        ))
        .len(),
        1
    );
    assert_eq!(
        complaints(&chart(ChartKind::Pie, &["a", "b"], &[&[1.0, -2.0]])).len(),
        1
    );
    assert_eq!(
        complaints(&chart(ChartKind::Pie, &["a", "b"], &[&[0.0, 0.0]])).len(),
        1
    );
    assert_eq!(
        complaints(&chart(ChartKind::Pie, &["a"; 7], &[&[1.0; 7]])).len(),
        1
    );
}

#[test]
fn a_table_has_a_cell_for_every_column_and_a_highlight_inside() {
    let row = |cells: usize| TableRow {
        label: "row".to_owned(),
        cells: vec!["cell".to_owned(); cells],
    };
    let table = |cells: usize, highlight| SlideSpec::Comparison {
        title: "Table".to_owned(),
        columns: vec!["a".to_owned(), "b".to_owned()],
        rows: vec![row(2), row(cells)],
        highlight,
    };
    assert_eq!(complaints(&table(2, Some(1))), []);
    assert_eq!(complaints(&table(3, None))[0].0, "/rows/1/cells");
    assert_eq!(complaints(&table(2, Some(2)))[0].0, "/highlight");
}

#[test]
fn a_slide_is_read_from_the_json_a_model_writes() {
    let json = r#"{"layout":"icon_rows","title":"三种能量","rows":[
        {"icon":"sun","heading":"光能","text":"起点"},{"icon":"flask","heading":"化学能","text":"终点"}]}"#;
    let slide: SlideSpec = serde_json::from_str(json).expect("a slide");
    assert_eq!(
        (slide.layout(), slide.title()),
        (spec::Layout::IconRows, "三种能量")
    );
    assert_eq!(slide.plain_text(), "三种能量\n光能\n起点\n化学能\n终点");
    let back: SlideSpec =
        serde_json::from_str(&serde_json::to_string(&slide).expect("json")).expect("a slide");
    assert_eq!(back, slide);
    for bad in [
        r#"{"layout":"free","title":"x"}"#,
        r#"{"layout":"quote","quote":"x","x":10}"#,
        r#"{"layout":"image_text","title":"x","illustration":"unicorn","text":"x"}"#,
    ] {
        assert!(serde_json::from_str::<SlideSpec>(bad).is_err(), "{bad}");
    }
}

#[test]
fn the_schema_is_closed_and_carries_the_limits() {
    let schema = serde_json::to_value(schemars::schema_for!(SlideSpec)).expect("a schema");
    let layouts = schema["oneOf"].as_array().expect("one schema a layout");
    assert_eq!(layouts.len(), 17);
    for layout in layouts {
        assert_eq!(layout["additionalProperties"], false, "{layout}");
    }
    let bullets = &layouts[2]["properties"];
    assert_eq!(bullets["layout"]["const"], "bullets");
    assert_eq!(bullets["items"]["maxItems"], limits::BULLETS_MAX);
    let says = bullets["title"]["description"]
        .as_str()
        .expect("a description");
    assert!(
        says.contains(&format!("At most {} em", limits::HEADING_EM)),
        "{says}"
    );
}

#[test]
fn the_rules_for_prompts_name_every_layout() {
    let rules = spec::slot_rules();
    for layout in [
        "title",
        "section",
        "bullets",
        "icon_rows",
        "two_columns",
        "image_text",
        "figures",
        "comparison",
        "timeline",
        "chart",
        "quote",
        "closing",
    ] {
        assert!(rules.contains(&format!("- {layout}: ")), "{layout}");
    }
}

#[test]
fn every_icon_is_listed_once() {
    let names: std::collections::BTreeSet<_> = spec::Icon::ALL.iter().collect();
    let schema = serde_json::to_value(schemars::schema_for!(spec::Icon)).expect("a schema");
    assert_eq!(
        (names.len(), schema["enum"].as_array().map(Vec::len)),
        (spec::Icon::ALL.len(), Some(spec::Icon::ALL.len()))
    );
}

proptest! {
    #[test]
    fn checking_never_panics_and_judges_width_alone(text in "\\PC{1,60}") {
        let slide = bullets(&["a", &text]);
        let wide = em_width(&text) > 32.0;
        let found = slide.check();
        prop_assert!(!wide || !found.is_empty());
        for violation in found {
            prop_assert_eq!(violation.path, "/items/1/text");
        }
    }
}
