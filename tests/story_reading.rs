//! Accepted chapters are read for facts: by a model, which is a process of its own here, and by rules where no model can be reached.

use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::rig::Rig;
use crate::support::scripted::Scripted;
use crate::support::within;

const ADA: &str = "---\nname: Ada Pell\naliases: [Ada]\nrole: protagonist\n---\nKeeps the light.\n";
const TOM: &str = "---\nname: Tom Hale\nrole: supporting\n---\n";
const PLACE: &str = "---\nname: the landing\n---\n";
const STORY: &str = "---\ntitle: Fog\nlanguage: en\nphase: WRITING\n---\n";

/// Rules find the colour of the eyes; the scar, and that Tom is her brother, can only be found by a reader.
const FOG: &str = "# Fog\n\nAda Pell had grey eyes. A scar ran from her ear to her chin, and Tom Hale, whose mother had borne them both, never looked at it.\n";

/// A project with this chapter, which is accepted.
async fn project(api: &Api, chapter: &str) {
    let files = [
        ("story.md", STORY),
        ("characters/ada.md", ADA),
        ("characters/tom.md", TOM),
        ("places/landing.md", PLACE),
        ("chapters/01-fog.md", chapter),
    ];
    let files: Vec<Value> = files
        .iter()
        .map(|(path, text)| json!({ "path": path, "text": text }))
        .collect();
    let folder = api
        .put("/v1/projects/fog/folder", &json!({ "files": files }))
        .await;
    assert_eq!(folder.succeeded()["chapters"], 1);
}

/// The chapter once it is read.
async fn read(api: &Api) -> Value {
    within("the chapter to be read", async {
        loop {
            let page = api.get("/api/projects/fog/chapters").await.succeeded();
            let chapter = &page["content"][0];
            if chapter["isRead"] == true {
                return chapter.clone();
            }
            tokio::task::yield_now().await;
        }
    })
    .await
}

async fn facts(api: &Api) -> Vec<Value> {
    let page = api.get("/api/projects/fog/facts").await.succeeded();
    page["content"].as_array().expect("a page").clone()
}

/// The facts of a kind, as who found each and the sentence.
fn of_kind<'a>(facts: &'a [Value], kind: &str) -> Vec<(&'a str, &'a str)> {
    let facts = facts.iter().filter(|it| it["says"]["type"] == kind);
    let facts = facts.map(|it| {
        let by = it["by"].as_str().expect("who found it");
        (by, it["quote"]["text"].as_str().expect("a sentence"))
    });
    facts.collect()
}

fn remarks(chapter: &Value) -> String {
    let remarks = chapter["readRemarks"].as_array().expect("a list");
    let remarks = remarks.iter().filter_map(Value::as_str);
    remarks.collect::<Vec<_>>().join(" ")
}

/// An answer about a passage; the lists that it does not name are empty.
fn said(rows: &Value) -> Value {
    let mut all = json!({
        "new_characters": [], "new_places": [], "appearances": [], "ages": [], "deaths": [], "presences": [],
        "possessions": [], "things_at_places": [], "relations": [], "plot_loops": [], "events": [],
    });
    for (list, rows) in rows.as_object().expect("lists") {
        all[list] = rows.clone();
    }
    all
}

fn answering(answer: &Value) -> Value {
    json!({ "when": { "schema": "facts" }, "answer": answer })
}

async fn rig(rules: Vec<Value>, chapter: &str) -> Rig {
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    project(&rig.api, chapter).await;
    rig
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_reads_facts_and_only_those_stand_whose_sentence_is_in_the_text() {
    let scar = "A scar ran from her ear to her chin, and Tom Hale, whose mother had borne them both, never looked at it.";
    let answer = said(&json!({
        "appearances": [
            { "character": "Ada", "feature": "scar", "value": "from her ear to her chin", "sentence": scar },
            { "character": "Ada Pell", "feature": "Eyes", "value": "grey", "sentence": "Ada Pell had grey eyes." },
        ],
        "relations": [{ "character": "Tom Hale", "to": "Ada", "relation": "brother", "sentence": scar }],
        "deaths": [
            { "character": "Tom Hale", "sentence": "Tom Hale drowned that night." },
            { "character": "Ada", "sentence": "Ada was dead." },
        ],
        "presences": [{ "character": "The keeper", "place": "the landing", "sentence": "Ada Pell had grey eyes." }],
    }));
    let rig = rig(vec![answering(&answer)], FOG).await;
    let chapter = read(&rig.api).await;
    assert_eq!(chapter["readBy"], "scripted", "{chapter:#}");
    let told = remarks(&chapter);
    assert!(
        told.contains("2 facts were not taken over since their sentence is not in the text."),
        "{told}"
    );
    assert!(
        told.contains("1 fact was not taken over since the bible does not have"),
        "{told}"
    );
    let facts = facts(&rig.api).await;
    // A fact that both the rules and the model found is listed once.
    assert_eq!(
        of_kind(&facts, "appearance"),
        [("rules", "Ada Pell had grey eyes."), ("scripted", scar)]
    );
    assert_eq!(of_kind(&facts, "relation"), [("scripted", scar)]);
    assert!(of_kind(&facts, "death").is_empty(), "{facts:#?}");
    assert!(facts.iter().all(|it| it["state"] == "new"));
    let journal = rig.model.journal().await;
    let asked = journal.asked("facts");
    assert_eq!(asked.len(), 1);
    let body = asked[0]["body"].to_string();
    assert!(
        body.contains("Ada Pell (Ada)") && body.contains("the landing"),
        "the bible is in the prompt: {body}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_is_down_or_answers_rubbish_leaves_the_facts_of_rules_and_that_is_said() {
    let refused = json!({ "when": { "schema": "facts" }, "status": 400 });
    let rubbish = answering(&json!("Here are the facts: none."));
    for (rule, why, questions) in [
        (refused, "none gave an answer", 1),
        (rubbish, "its answers could not be read", 2),
    ] {
        let rig = rig(vec![rule], FOG).await;
        let chapter = read(&rig.api).await;
        let told = remarks(&chapter);
        assert_eq!(chapter["readBy"], "rules", "{chapter:#}");
        assert!(
            told.contains("No model read this chapter") && told.contains(why),
            "{told}"
        );
        let facts = facts(&rig.api).await;
        assert_eq!(
            of_kind(&facts, "appearance"),
            [("rules", "Ada Pell had grey eyes.")]
        );
        let asked = rig.model.journal().await.asked("facts").len();
        assert!(asked >= questions, "{asked} questions");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_rules_read_and_that_is_said() {
    let place = TestFolder::new();
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    let api = server.api();
    project(&api, FOG).await;
    let chapter = read(&api).await;
    assert_eq!(chapter["readBy"], "rules");
    assert_eq!(
        remarks(&chapter),
        "No model is configured: rules alone read this chapter."
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_long_chapter_is_read_in_parts_to_its_end() {
    let filler = "The fog came up from the harbour and stood in the yard. ".repeat(200);
    let text = format!(
        "# Fog\n\nA scar ran from her ear to her chin.\n\n{filler}\n\nThe other scar was on her hand.\n"
    );
    let scar = |value: &str, sentence: &str| {
        said(&json!({ "appearances": [{
            "character": "Ada", "feature": format!("scar on the {value}"), "value": value, "sentence": sentence,
        }] }))
    };
    let part = |part: &str, answer: Value| json!({ "when": { "schema": "facts", "user_contains": part }, "answer": answer });
    let rules = vec![
        part(
            "Part 1 of 2",
            scar("chin", "A scar ran from her ear to her chin."),
        ),
        part(
            "Part 2 of 2",
            scar("hand", "The other scar was on her hand."),
        ),
    ];
    let rig = rig(rules, &text).await;
    let chapter = read(&rig.api).await;
    assert_eq!(
        (&chapter["readBy"], remarks(&chapter)),
        (&json!("scripted"), String::new())
    );
    let facts = facts(&rig.api).await;
    let sentences: Vec<&str> = of_kind(&facts, "appearance")
        .into_iter()
        .map(|(_, sentence)| sentence)
        .collect();
    assert_eq!(
        sentences,
        [
            "A scar ran from her ear to her chin.",
            "The other scar was on her hand."
        ]
    );
    assert_eq!(rig.model.journal().await.asked("facts").len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_budget_that_is_not_enough_for_a_model_is_enough_for_rules() {
    let model = Scripted::start(&json!({ "rules": [answering(&said(&json!({})))] })).await;
    let place = TestFolder::new();
    std::fs::write(place.file("budget.toml"), "[budget]\ncalls = 5\n").expect("it is written");
    let mut command = palimpsest(&place);
    model.serve_for(&mut command);
    command.env("PALIMPSEST_CONFIG", place.file("budget.toml"));
    let server = Server::start(command).await;
    let api = server.api();
    project(&api, FOG).await;
    let chapter = read(&api).await;
    assert_eq!(chapter["readBy"], "rules", "{chapter:#}");
    let told = remarks(&chapter);
    assert!(told.contains("the budget of the run"), "{told}");
    assert_eq!(model.journal().await.requests().len(), 0);
}
