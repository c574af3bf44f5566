//! Pages of scripts in the forms that the prompt prescribes, where the designer fails.

use palimpsest::prelude::pipeline::Carry;
use palimpsest::prelude::pipeline::typeset::RenderJob;
use serde_json::{Value, json};
use spec::SlideSpec;

use super::super::forms::parts;
use super::*;

fn made(lines: &[&str]) -> Value {
    parts(lines).map_or(Value::Null, |parts| json!(parts))
}

fn texts(parts: &Value) -> String {
    parts.to_string()
}

#[test]
fn rows_are_a_table_whatever_stands_around_them() {
    let table = |columns: Value, rows: Value| json!([{ "part": "table", "columns": columns, "rows": rows }]);
    assert_eq!(
        made(&[
            "Month | Bergen | Berlin",
            "January | 2 °C | 1 °C",
            "July | 15 °C | 20 °C"
        ]),
        table(
            json!(["Month", "Bergen", "Berlin"]),
            json!([["January", "2 °C", "1 °C"], ["July", "15 °C", "20 °C"]])
        )
    );
    assert_eq!(
        made(&["| 月份 | 卑尔根 |", "|---|:-:|", "| 一月 | 2 |", "| 七月 |"]),
        table(
            json!(["月份", "卑尔根"]),
            json!([["一月", "2"], ["七月", ""]])
        )
    );
    let mixed = made(&["في درجات مئوية", "الشهر | بيرغن", "يناير | ٢"]);
    assert_eq!(
        mixed[0]["blocks"][0],
        json!({ "text": "في درجات مئوية", "level": 0 })
    );
    assert_eq!(mixed[1]["columns"], json!(["الشهر", "بيرغن"]));
    // A condition is no row.
    assert_eq!(
        made(&["P(A | B) is what is looked for", "It is small"]),
        Value::Null
    );
}

#[test]
fn numbered_lines_are_steps_without_their_numbers() {
    let stations = made(&[
        "1. 吸收：叶绿素吸收光",
        "2. 分解：水被分解",
        "3、合成：生成糖",
    ]);
    assert_eq!(stations[0]["part"], "steps");
    assert_eq!(
        stations[0]["steps"][2],
        json!({ "label": "3", "heading": "合成", "text": "生成糖" })
    );
    let list = made(&["1. Wasser kochen", "2. Tee hineingeben"]);
    assert_eq!(
        list[0]["blocks"],
        json!([
            { "text": "Wasser kochen", "level": 0, "marker": "1." },
            { "text": "Tee hineingeben", "level": 0, "marker": "2." },
        ])
    );
    // Years and fractions are no numbers of steps.
    assert_eq!(
        made(&["2020. A bad year", "2021. A good year"]),
        Value::Null
    );
    assert_eq!(
        made(&["1.5 litres a day", "2.5 litres in summer"]),
        Value::Null
    );
}

#[test]
fn headings_in_brackets_are_sides_and_terms_are_cards() {
    let sides = made(&[
        "【Weather】",
        "1. Lasts for days",
        "Changes at once",
        "【Climate】",
        "Lasts for decades",
    ]);
    assert_eq!(sides[0]["part"], "columns");
    assert_eq!(sides[0]["columns"][0]["heading"], "Weather");
    assert_eq!(
        sides[0]["columns"][0]["blocks"][0],
        json!({ "text": "Lasts for days", "level": 0, "marker": "1." })
    );
    assert_eq!(
        sides[0]["columns"][1]["blocks"][0]["text"],
        "Lasts for decades"
    );
    let inline = made(&["【天气】几天之内的变化", "【气候】：几十年的平均"]);
    assert_eq!(inline[0]["columns"][1]["heading"], "气候");
    assert_eq!(inline[0]["columns"][1]["blocks"][0]["text"], "几十年的平均");
    let cards = made(&[
        "**Chlorophylle** : capte la lumière",
        "Stomate: laisse entrer l'air",
    ]);
    assert_eq!(cards[0]["columns"][0]["heading"], "Chlorophylle");
    assert_eq!(
        cards[0]["columns"][1]["blocks"][0]["text"],
        "laisse entrer l'air"
    );
    assert_eq!(
        made(&[
            "Leaves are green",
            "Roots are not: they see no light, which is why"
        ]),
        Value::Null
    );
}

#[test]
fn no_mark_of_a_form_is_left_on_a_page() {
    for lines in [
        &["【A】", "x | y", "1 | 2", "【B】", "z"][..],
        &["1. one", "a | b | c", "3. three"],
        &["【only】", "a", "b: c"],
        &["a | b | c", "plain", "1. x", "2. y: z", "t: u", "v: w"],
    ] {
        let page = texts(&made(lines));
        for mark in ["【", "】", " | "] {
            assert!(!page.contains(mark), "{lines:?}: {page}");
        }
    }
}

/// The last attempt at page 2 of a course whose designer failed before, with these lines.
fn last_attempt(kind: &str, page: &str, lines: Value) -> Work {
    let mut work = at(whole_course(), Stage::Slides, page);
    Arc::make_mut(&mut work.settings).ports.model = "openai".to_owned();
    work.attempt = work.settings.attempts;
    work.guidance.violations = vec![Violation::new("/slide", "was wrong")];
    let mut scripts: Vec<SlideScript> = work.read(SLIDE_SCRIPTS).expect("scripts");
    let place = page.parse::<usize>().expect("a page") - 1;
    let mut script = json!(scripts[place]);
    (script["type"], script["content"]) = (json!(kind), lines);
    scripts[place] = serde_json::from_value(script).expect("a script");
    let input = work.inputs.get_mut(SLIDE_SCRIPTS).expect("scripts");
    input[0].body = Arc::new(json!(scripts));
    work
}

fn drawn(carry: Carry) -> (SlideSpec, RenderJob) {
    let Carry::Render(job) = carry else {
        panic!("not typeset: {carry:?}")
    };
    let RenderJob::Slide { slide, .. } = &*job else {
        panic!("not a slide")
    };
    (slide.clone(), *job)
}

#[test]
fn a_script_in_a_form_is_typeset_after_two_failures_and_nobody_is_asked_again() {
    let lines = json!(["Month | Bergen", "January | 2", "July | 15"]);
    let work = last_attempt("content", "2", lines);
    let (slide, job) = drawn(Course.carry(&work, &[]));
    assert!(matches!(slide, SlideSpec::Composed { .. }), "{slide:?}");
    let made = done(Course.carry(&work, &[typeset(&job)]));
    assert_eq!(made[0].facts[REFUSED], true);
    let notes = body(&made[0])["notes"].to_string();
    assert!(notes.contains("was wrong"), "{notes}");
}

#[test]
fn a_closing_page_of_a_script_has_all_that_it_takes_and_names_the_rest() {
    let long = "The moon pulls the water on its side of the earth much more than on the other";
    let lines = json!([long, "b", "c", "d", "Next: measure the tide", "e"]);
    let mut work = last_attempt("closing", "4", lines);
    Arc::make_mut(&mut work.settings).language = "en".to_owned();
    let wrong = says(
        "gpt",
        json!({ "slide": { "layout": "title", "title": "x" } }),
    );
    let (slide, job) = drawn(Course.carry(&work, std::slice::from_ref(&wrong)));
    let SlideSpec::Closing { points, action, .. } = &slide else {
        panic!("{slide:?}")
    };
    assert_eq!(points, &[long, "b", "c", "d"]);
    assert_eq!(action.as_deref(), Some("Next: measure the tide"));
    let made = done(Course.carry(&work, &[wrong, typeset(&job)]));
    let notes = body(&made[0])["notes"].to_string();
    assert!(notes.contains("not on the page: e."), "{notes}");
}
