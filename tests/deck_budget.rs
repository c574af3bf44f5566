//! A budget that ends in each stage of a deck that asks a model: an attended run waits for its person, an unattended run ends, and
//! neither pays anything beyond the budget.

use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::deck::{
    RIGHT, WRONG, calls, fixer, inspector, requirements, stages, told, writer,
};
use crate::support::rig::{NO_CURATOR, Rig};

/// The stage that cannot pay its call, by the number of calls that a run may make: the requirements, the deck, the deck again because
/// it was invalid, an inspection, a better version, a second inspection, another better version, a third inspection.
const STARVED: [&str; 8] = [
    "requirements",
    "generate",
    "generate",
    "inspect",
    "fix",
    "inspect_2",
    "fix_2",
    "inspect_3",
];

/// A deck that is invalid at first, and in which every inspection finds something later. The rules tell the agents apart by the text of
/// the question, so that all sessions are answered alike.
fn script() -> Value {
    let issue = json!({ "slide": 2, "category": "storyline", "severity": "critical", "description": "It says nothing." });
    json!({ "rules": [
        requirements(),
        told(writer(RIGHT), "Your previous answer was not valid"),
        writer(WRONG),
        inspector(json!([issue])),
        told(fixer(&RIGHT.replace("Rivers rise", "Rivers rise in May")), "Rivers rise in spring"),
        fixer(&RIGHT.replace("Rivers rise", "Rivers rise in spring")),
    ] })
}

async fn open(api: &Api, session: &str, calls: usize, attended: bool) {
    let opening = json!({
        "pipeline": "deck", "message": "A deck about rain", "session": session,
        "settings": { "language": "en", "width": 1, "attended": attended, "budget": { "calls": calls } },
    });
    api.open(&opening).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn where_nobody_is_there_the_run_ends_in_the_stage_that_cannot_pay() {
    let rig = Rig::playing(&script(), &NO_CURATOR).await;
    let api = &rig.api;
    for (budget, stage) in STARVED.into_iter().enumerate() {
        let session = format!("alone{budget}");
        open(api, &session, budget, false).await;
        let mut follow = Follow::new(api, &session, "native");
        let end = follow.end("r1", "run_failed").await;
        assert_eq!(end["data"]["code"], "budget", "{budget}: {end:#}");
        let began = stages(api, &session).await;
        assert_eq!(began.last().map(String::as_str), Some(stage), "{budget}");
        assert_eq!(calls(api, &session).await, budget);
    }
    let allowed: usize = (0..STARVED.len()).sum();
    assert_eq!(rig.model.journal().await.requests().len(), allowed);
}

#[tokio::test(flavor = "multi_thread")]
async fn where_somebody_is_there_the_run_waits_for_them_and_pays_nothing_twice() {
    let rig = Rig::playing(&script(), &NO_CURATOR).await;
    let api = &rig.api;
    for (budget, stage) in STARVED.into_iter().enumerate() {
        let session = format!("attended{budget}");
        open(api, &session, budget, true).await;
        let mut follow = Follow::new(api, &session, "native");
        let opened = follow
            .until("a gate", |frame| frame["type"] == "gate_opened")
            .await;
        assert_eq!(opened["data"]["name"], "budget", "{budget}: {opened:#}");
        let began = stages(api, &session).await;
        assert_eq!(began.last().map(String::as_str), Some(stage), "{budget}");
        assert_eq!(calls(api, &session).await, budget);
        let before = rig.model.journal().await.requests().len();

        let raised = json!({ "choice": "raise", "budget": { "calls": STARVED.len() } });
        let answer = json!({ "gate": opened["data"]["gate"], "answer": raised });
        let said = api.command(&session, "a1", "answer_gate", answer).await;
        said.succeeded();
        follow.end("r1", "run_completed").await;
        assert_eq!(calls(api, &session).await, STARVED.len());
        let after = rig.model.journal().await.requests().len();
        assert_eq!(after - before, STARVED.len() - budget);
    }
}
