//! What models are asked for: nothing that is already known, and every value within bounds.

use palimpsest::prelude::pipeline::ModelTurn;
use palimpsest::prelude::pipeline::schema::{most_tokens, unbounded};

use super::*;

fn asked(work: &Work) -> ModelTurn {
    let Carry::Model(turn) = Course.carry(work, &[]) else {
        panic!("asks nobody")
    };
    *turn
}

fn schema_of(work: &Work) -> Value {
    asked(work).schema.expect("a structure").1
}

/// Every question of a course but the intent, in the language of the brief.
fn questions(brief: &str) -> Vec<(String, ModelTurn)> {
    let mut run = whole_course();
    run.brief = brief.to_owned();
    let mut asked_of = vec![];
    for stage in &Stage::ALL[..5] {
        let work = at(run.clone(), *stage, "");
        asked_of.push((stage.name.to_owned(), asked(&work)));
    }
    for page in ["1", "2", "3", "4"] {
        for attempt in [1, 3] {
            let mut work = at(run.clone(), Stage::Slides, page);
            work.attempt = attempt;
            // The table of page 3 is typeset by itself at last.
            if (page, attempt) == ("3", 3) {
                continue;
            }
            asked_of.push((format!("page {page}, attempt {attempt}"), asked(&work)));
        }
    }
    asked_of.push(("intent".to_owned(), asked(&with_model("光合作用"))));
    asked_of
}

#[test]
fn what_the_person_named_is_not_asked_for() {
    let mut run = whole_course();
    run.brief = "光合作用入门，4 页，6 分钟".to_owned();
    let names = |schema: &Value| -> Vec<String> {
        let properties = schema["properties"].as_object().into_iter().flatten();
        properties.map(|(name, _)| name.clone()).collect()
    };
    let analysis = schema_of(&at(run.clone(), Stage::Analyze, ""));
    for known in ["pageCount", "pageCountIsGiven", "durationMinutes"] {
        assert!(!names(&analysis).contains(&known.to_owned()), "{known}");
    }
    let config = schema_of(&at(run.clone(), Stage::Config, ""));
    assert_eq!(
        names(&config),
        ["narrativeStyle", "targetAudience", "objectives"]
    );
    let scripts = schema_of(&at(run.clone(), Stage::Scripts, ""));
    let scripts = &scripts["properties"]["scripts"];
    assert_eq!(
        (&scripts["minItems"], &scripts["maxItems"]),
        (&json!(4), &json!(4))
    );
    assert!(!names(&scripts["items"]).contains(&"slideIndex".to_owned()));
    let work = at(run.clone(), Stage::Config, "");
    let answer =
        json!({ "narrativeStyle": "s", "targetAudience": "a", "objectives": ["1", "2", "3"] });
    let made = done(Course.carry(&work, &[says("gpt", answer)]));
    assert_eq!(body(&made[0])["duration"], "6 分钟");
    assert_eq!(body(&made[0])["expectedPageCount"], 4);
    run.brief = "光合作用入门，4 到 6 页".to_owned();
    let analysis = schema_of(&at(run, Stage::Analyze, ""));
    let count = &analysis["properties"]["pageCount"];
    assert_eq!(
        (&count["minimum"], &count["maximum"]),
        (&json!(4), &json!(6))
    );
}

#[test]
fn without_anything_made_nothing_can_be_changed_and_a_number_of_pages_is_about_a_deck() {
    let intents = |work: &Work| schema_of(work)["properties"]["intent"]["enum"].clone();
    assert_eq!(
        intents(&with_model("你好")),
        json!(["INITIAL", "IRRELEVANT"])
    );
    assert_eq!(intents(&with_model(BRIEF)), json!(["INITIAL"]));
    let mut changed = with_model("改短一点");
    changed.refinable = Some(Refinable::default());
    assert_eq!(
        intents(&changed),
        json!(["INITIAL", "REFINEMENT", "QUESTION", "UNDO", "IRRELEVANT"])
    );
}

#[test]
fn every_answer_is_bounded_and_fits_its_limit_of_tokens() {
    for (name, turn) in questions(BRIEF) {
        let (_, schema) = turn.schema.expect("a structure");
        assert_eq!(unbounded(&schema), Vec::<String>::new(), "{name}");
        let most = most_tokens(&schema);
        assert!(
            most <= f64::from(turn.max_output_tokens),
            "{name}: {most} of {}",
            turn.max_output_tokens
        );
    }
}

#[test]
fn a_page_is_asked_for_in_the_layouts_that_its_script_can_fill() {
    let run = whole_course();
    let layouts = |work: &Work| -> Vec<String> {
        let slide = schema_of(work)["properties"]["slide"].clone();
        let variants = slide["oneOf"].as_array().cloned().unwrap_or(vec![slide]);
        let layouts = variants
            .iter()
            .map(|one| one["properties"]["layout"]["const"].to_string());
        layouts.collect()
    };
    let page = |number: &str| at(run.clone(), Stage::Slides, number);
    assert_eq!(layouts(&page("1")), [r#""title""#]);
    assert_eq!(layouts(&page("4")), [r#""closing""#]);
    let content = layouts(&page("2"));
    assert!(!content.contains(&r#""title""#.to_owned()), "{content:?}");
    let mut last = page("2");
    last.attempt = 3;
    assert_eq!(layouts(&last), [r#""bullets""#]);
    let slide = &schema_of(&last)["properties"]["slide"]["properties"];
    let lines = slide["items"]["items"]["properties"]["text"]["enum"]
        .as_array()
        .expect("lines");
    assert!(lines.len() >= 2, "{lines:?}");
}

#[test]
fn what_can_be_put_right_of_a_page_costs_no_attempt() {
    let work = at(whole_course(), Stage::Slides, "2");
    let items = json!([
        { "text": "# 光合作用需要光", "detail": "" }, { "text": "  叶绿体是光合作用的场所 " },
        { "text": "光合作用" }, { "text": "光" }, { "text": "叶绿体" }, { "text": "水" },
    ]);
    let slide = json!({ "layout": "bullets", "title": "光合作用", "lead": " ", "items": items });
    let turns = [says("gpt", json!({ "slide": slide }))];
    let Carry::Render(job) = Course.carry(&work, &turns) else {
        panic!("it is typeset")
    };
    let RenderJob::Slide { slide, .. } = *job else {
        panic!("a page")
    };
    let slide = json!(slide);
    assert_eq!(slide["items"][0], json!({ "text": "光合作用需要光" }));
    assert_eq!(slide["items"].as_array().map(Vec::len), Some(5));
    assert_eq!(slide.get("lead"), None);
}

#[test]
fn a_theme_whose_text_cannot_be_read_is_put_right_and_says_so() {
    let run = at(whole_course(), Stage::Theme, "");
    let mut theme = json!(spec::default_theme());
    theme["colorScheme"]["text"] = theme["colorScheme"]["background"].clone();
    theme["fontConfig"]["bodySize"] = json!(90);
    let made = done(Course.carry(&run, &[says("gpt", theme)]));
    let made = body(&made[0]);
    assert_eq!(made["notes"].as_array().map(Vec::len), Some(2), "{made}");
    let theme: spec::Theme = serde_json::from_value(made.clone()).expect("a theme");
    assert_eq!(theme.check(), []);
}

#[test]
fn in_the_last_attempt_an_outline_is_shortened_instead_of_lost() {
    let mut run = at(whole_course(), Stage::Outline, "");
    let point = json!({ "title": "t", "description": "d" });
    let unit = json!({ "title": "u", "description": "d", "knowledgePoints": vec![point; 8] });
    let answer = json!({ "theme": "x", "knowledgeUnits": [unit] });
    run.attempt = 3;
    let made = done(Course.carry(&run, &[says("gpt", answer)]));
    let points = body(&made[0])["knowledgeUnits"][0]["knowledgePoints"].as_array();
    assert_eq!(points.map(Vec::len), Some(6));
}
