//! Changes that are about one page of a course, on the built program with a model: other pages are not asked for and stay as they are,
//! pages that are only left out cost nothing, and the version before can be brought back.

use std::collections::BTreeMap;

use serde_json::{Value, json};

use crate::support::course::{PAGE_1, TURNS, opening, rule, script};
use crate::support::rig::Rig;

const SESSION: &str = "s";

/// The turn that writes the scripts.
const SCRIPTS: (&str, usize) = TURNS[4];

/// How the nth message is understood.
fn understood(nth: u64, answer: Value) -> Value {
    let mut whole = json!({ "targetStage": null, "parts": [], "newOrder": [], "reason": "r", "confidence": 0.9, "reply": null });
    whole
        .as_object_mut()
        .expect("an object")
        .extend(answer.as_object().cloned().unwrap_or_default());
    rule(TURNS[0], Some(nth), json!({ "answer": whole }))
}

/// What counts in a run, by kind and item.
async fn counts(rig: &Rig, run: &str) -> BTreeMap<(String, String), String> {
    let view = rig.api.session(SESSION).await;
    let runs = view["runs"].as_array().expect("runs");
    let ours = runs.iter().find(|known| known["run"] == run).expect("it");
    let ids = ours["artifacts"].as_array().expect("ids");
    let text = |artifact: &Value, field: &str| artifact[field].as_str().expect("text").to_owned();
    let artifacts = view["artifacts"].as_array().expect("artifacts").iter();
    artifacts
        .filter(|artifact| ids.contains(&artifact["artifact"]))
        .map(|artifact| {
            let what = (text(artifact, "kind"), text(artifact, "item"));
            (what, text(artifact, "content"))
        })
        .collect()
}

/// The pages of a run in their order.
async fn pages(rig: &Rig, run: &str) -> Vec<Value> {
    let mut pages = vec![];
    for ((kind, _), place) in counts(rig, run).await {
        if kind == "ppt_html" {
            pages
                .push(serde_json::from_slice::<Value>(&rig.api.bytes(&place).await).expect("JSON"));
        }
    }
    pages.sort_by_key(|page| page["slideIndex"].as_u64());
    pages
}

/// Says something, and gives what the model was asked for it.
async fn said(rig: &Rig, run: &str, message: &str) -> Vec<String> {
    let before = rig.model.journal().await.schemas().len();
    let payload = json!({ "message": message, "settings": { "width": 1 } });
    let told = rig.api.command(SESSION, run, "send_message", payload).await;
    assert_eq!(told.succeeded()["run"], run);
    rig.end(SESSION, run, "run_completed").await;
    let asked = rig.model.journal().await;
    let mut asked: Vec<String> = asked.schemas()[before..]
        .iter()
        .map(|schema| (*schema).to_owned())
        .collect();
    asked.sort_unstable();
    asked
}

/// What would be done about a message, without doing it.
async fn planned(rig: &Rig, message: &str) -> Value {
    let body = json!({ "id": message, "type": "send_message", "payload": { "message": message }, "dry_run": true });
    let path = format!("/v1/sessions/{SESSION}/commands");
    rig.api.post(&path, &body).await.succeeded()["plan"].clone()
}

/// The pages among the steps of a plan.
fn pages_of(steps: &Value) -> Vec<&str> {
    let steps = steps.as_array().expect("steps").iter();
    let pages =
        steps.filter(|step| step["stage"] == "generate_slides" && step["item"] != "document");
    pages.filter_map(|step| step["item"].as_str()).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_change_would_do_and_cost_is_told_before_and_changes_nothing() {
    let rig = Rig::with([]).await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let before = rig.api.session(SESSION).await;
    let asked = rig.model.journal().await.schemas().len();

    let one = planned(&rig, "put page 3 in two columns").await;
    assert_eq!(
        (&one["intent"], &one["target"], &one["items"], &one["by"]),
        (
            &json!("refinement"),
            &json!("generate_slides"),
            &json!(["3"]),
            &json!("rules")
        )
    );
    assert_eq!(pages_of(&one["redone"]), ["3"], "{one:#}");
    assert_eq!(pages_of(&one["kept"]), ["1", "2", "4"], "{one:#}");
    assert_eq!(one["calls"], 1, "{one:#}");

    let without = planned(&rig, "remove page 2").await;
    assert_eq!(without["order"], json!(["1", "3", "4"]));
    assert_eq!(
        (&without["calls"], &without["cost_micros"]),
        (&json!(0), &json!(0)),
        "{without:#}"
    );

    let look = planned(&rig, "use a dark blue theme").await;
    assert_eq!(look["target"], "generate_presentation_theme");
    assert_eq!(look["calls"], 5, "a theme and four pages: {look:#}");

    let question = planned(&rig, "how many pages does it have?").await;
    assert_eq!(
        (&question["intent"], &question["calls"]),
        (&json!("irrelevant"), &json!(0))
    );
    assert!(
        question["reply"]
            .as_str()
            .is_some_and(|reply| reply.starts_with("There are 4 pages"))
    );

    let refine = json!({ "id": "x", "type": "refine", "payload": { "stage": "generate_slides", "items": ["9"], "feedback": "f" }, "dry_run": true });
    let path = format!("/v1/sessions/{SESSION}/commands");
    rig.api
        .post(&path, &refine)
        .await
        .refused(422, "unknown_item");
    let cancel = json!({ "id": "y", "type": "cancel", "payload": {}, "dry_run": true });
    rig.api.post(&path, &cancel).await.refused(422, "no_plan");

    assert_eq!(rig.api.session(SESSION).await, before);
    assert_eq!(rig.model.journal().await.schemas().len(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn only_what_a_message_is_about_is_asked_for() {
    let rig = Rig::with([
        understood(2, json!({ "intent": "REFINEMENT", "targetStage": "generate_slides", "parts": [3] })),
        understood(3, json!({ "intent": "REFINEMENT", "targetStage": "generate_slide_scripts", "parts": [2] })),
        understood(4, json!({ "intent": "REFINEMENT", "targetStage": "generate_video_outline", "parts": [2], "newOrder": [1, 3, 4] })),
        understood(5, json!({ "intent": "UNDO" })),
        understood(6, json!({ "intent": "QUESTION", "reply": "It has four pages." })),
        understood(7, json!({ "intent": "REFINEMENT", "targetStage": "generate_slides", "parts": [9] })),
    ])
    .await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;

    // One page by its looks: every other one is the very same artifact.
    assert_eq!(
        said(&rig, "r2", "put page 3 in two columns").await,
        ["intent", "slide"]
    );
    let (first, second) = (counts(&rig, "r1").await, counts(&rig, "r2").await);
    let page = |item: &str| ("ppt_html".to_owned(), item.to_owned());
    for item in ["1", "2", "4"] {
        assert_eq!(first[&page(item)], second[&page(item)], "page {item}");
    }
    assert_ne!(first[&page("3")], second[&page("3")]);

    // The words of one page: its script and the page are asked for; the look and the other pages stay the same.
    let before = pages(&rig, "r2").await;
    assert_eq!(
        said(&rig, "r3", "page 2 should say it with a kitchen").await,
        ["intent", "slide", "slide_scripts"]
    );
    let after = pages(&rig, "r3").await;
    for place in [0, 2, 3] {
        assert_eq!(before[place]["spec"], after[place]["spec"], "{place}");
        assert_eq!(before[place]["html"], after[place]["html"], "{place}");
    }

    // A page is left out: the model is only asked what the message means.
    assert_eq!(said(&rig, "r4", "remove page 2").await, ["intent"]);
    let left = pages(&rig, "r4").await;
    let specs =
        |pages: &[Value]| -> Vec<Value> { pages.iter().map(|page| page["spec"].clone()).collect() };
    let was = specs(&after);
    assert_eq!(
        specs(&left),
        [was[0].clone(), was[2].clone(), was[3].clone()]
    );
    let made = counts(&rig, "r4").await;
    assert!(
        made.contains_key(&("pptx".to_owned(), String::new())),
        "{made:?}"
    );

    // Back to the version before.
    assert_eq!(rig.api.session(SESSION).await["head"], "r4");
    assert_eq!(
        said(&rig, "r5", "go back to the previous version").await,
        ["intent"]
    );
    assert_eq!(rig.api.session(SESSION).await["head"], "r3");

    // A question, and a change of a page that does not exist: both are answered in words, and nothing is made.
    for (run, message, reply) in [
        ("r6", "how many pages does it have?", "It has four pages."),
        (
            "r7",
            "make page 9 shorter",
            "There is no number 9: there are 4 pages.",
        ),
    ] {
        assert_eq!(said(&rig, run, message).await, ["intent"]);
        assert!(counts(&rig, run).await.is_empty(), "{run}");
        let view = rig.api.session(SESSION).await.to_string();
        assert!(view.contains(reply), "{reply}: {view}");
    }
    assert_eq!(rig.api.session(SESSION).await["head"], "r3");
}

#[tokio::test(flavor = "multi_thread")]
async fn two_pages_become_one_and_the_others_stay() {
    let merge = json!({
        "intent": "REFINEMENT", "targetStage": "generate_slide_scripts", "parts": [2, 3], "newOrder": [1, 0, 4],
    });
    // The model keeps the heading of the first of the two pages for the new one.
    let mut scripts = script()["by_schema"]["slide_scripts"].clone();
    let list = scripts["scripts"].as_array_mut().expect("scripts");
    list.remove(2);
    for (place, written) in list.iter_mut().enumerate() {
        written["slideIndex"] = json!(place);
    }
    list[1]["content"] = json!(["Both in one"]);
    let once = rule(SCRIPTS, Some(2), json!({ "answer": scripts }));
    let rig = Rig::with([understood(2, merge), once]).await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let before = pages(&rig, "r1").await;

    assert_eq!(
        planned(&rig, "merge pages 2 and 3").await["order"],
        json!(["1", "0", "4"])
    );
    assert_eq!(
        said(&rig, "r2", "merge pages 2 and 3").await,
        ["intent", "slide", "slide_scripts"]
    );
    let after = pages(&rig, "r2").await;
    assert_eq!(after.len(), 3);
    assert_eq!(after[0]["spec"], before[0]["spec"]);
    assert_eq!(after[2]["spec"], before[3]["spec"]);
    let place = &counts(&rig, "r2").await[&("slide_scripts".to_owned(), String::new())];
    let scripts: Value = serde_json::from_slice(&rig.api.bytes(place).await).expect("JSON");
    assert_eq!(scripts[1]["content"], json!(["Both in one"]));
}

/// The text of a page as it is drawn, without its tags.
fn drawn(page: &Value) -> String {
    let html = page["html"].as_str().expect("HTML");
    let (_, html) = html.split_once("</style>").expect("a style");
    let texts = html
        .split('<')
        .filter_map(|tag| Some(tag.split_once('>')?.1));
    texts.collect::<Vec<_>>().join(" ")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_whose_designer_fails_has_the_forms_of_its_script() {
    for (table, sides, next) in [
        (
            [
                "Month | Bergen | Berlin",
                "January | 2 °C | 1 °C",
                "July | 15 °C | 20 °C",
            ],
            [
                "【Weather】",
                "changes within *hours*",
                "【Climate】",
                "1. is an average",
                "2. of __decades__",
            ],
            "Next: measure for a week",
        ),
        (
            [
                "月份 | 卑尔根 | 柏林",
                "一月 | 2 °C | 1 °C",
                "七月 | 15 °C | 20 °C",
            ],
            [
                "【天气】",
                "几小时内*变化*",
                "【气候】",
                "1. 是平均",
                "2. __几十年__",
            ],
            "课后：测量一周",
        ),
    ] {
        let mut scripts = script()["by_schema"]["slide_scripts"].clone();
        scripts["scripts"][1]["content"] = json!(table);
        scripts["scripts"][2]["content"] = json!(sides);
        scripts["scripts"][3]["content"] = json!(["a", "b", next]);
        let wrong = json!({ "slide": { "layout": "quote", "quote": "" } });
        let fails =
            (2..=4).map(|page| rule(TURNS[PAGE_1 + page - 1], None, json!({ "answer": wrong })));
        let writes = rule(SCRIPTS, None, json!({ "answer": scripts }));
        let rig = Rig::with([writes].into_iter().chain(fails)).await;
        rig.api.open(&opening(SESSION)).await;
        rig.end(SESSION, "r1", "run_completed").await;
        let pages = pages(&rig, "r1").await;
        for page in &pages[1..] {
            let text = drawn(page);
            for raw in [" | ", "【", "】", "*", "_"] {
                assert!(!text.contains(raw), "{raw}: {text}");
            }
        }
        let words = table.iter().flat_map(|row| row.split(" | "));
        for word in words {
            assert!(drawn(&pages[1]).contains(word), "{word}");
        }
        assert_eq!(pages[1]["spec"]["parts"][0]["part"], "table");
        assert_eq!(pages[2]["spec"]["parts"][0]["part"], "columns");
        assert_eq!(pages[3]["spec"]["action"], next);
        // Two answers for each page that is typeset in its form, three for the closing page, unless half of all answers were rejected by
        // the time it began again.
        let journal = rig.model.journal().await;
        let asked = journal.asked("slide").len();
        assert!((1 + 2 + 2 + 2..=1 + 2 + 2 + 3).contains(&asked), "{asked}");
    }
}
