//! The faults of models are in the log, try by try and attempt by attempt, and the run goes on.

use serde_json::{Value, json};

use crate::support::api::{ArtifactPrint, Follow};
use crate::support::course::{TURNS, of, opening, opening_with, rule, script, script_with};
use crate::support::rig::Rig;
use crate::support::scripted::Journal;

/// A run in the session `s` with these rules first: its native frames and what the model was asked.
async fn followed(rules: impl IntoIterator<Item = Value>, end: &str) -> (Vec<Value>, Journal) {
    let rig = Rig::with(rules).await;
    rig.api.open(&opening("s")).await;
    let frames = rig.end("s", "r1", end).await;
    (frames, rig.model.journal().await)
}

#[tokio::test(flavor = "multi_thread")]
async fn every_try_that_gave_no_answer_is_in_the_log_with_its_reason() {
    let analysis = TURNS[1];
    let (frames, journal) = followed(
        [
            rule(
                analysis,
                Some(1),
                json!({ "status": 429, "retry_after": "1" }),
            ),
            rule(analysis, Some(2), json!({ "status": 503 })),
            rule(
                analysis,
                Some(3),
                json!({ "cut_after_chunks": 1, "chunk_chars": 20 }),
            ),
        ],
        "run_completed",
    )
    .await;
    let calls = of(&frames, "model_called", "analyze_topic");
    let tries: Vec<_> = calls
        .iter()
        .map(|call| (&call["attempt"], &call["turn"], &call["try"]))
        .collect();
    let (zero, one) = (json!(0), json!(1));
    assert_eq!(
        tries,
        [
            (&one, &zero, &json!(1)),
            (&one, &zero, &json!(2)),
            (&one, &zero, &json!(3)),
            (&one, &zero, &json!(4))
        ]
    );
    let errors: Vec<_> = calls
        .iter()
        .map(|call| call.pointer("/error/code").cloned().unwrap_or_default())
        .collect();
    assert_eq!(
        errors,
        [
            json!("rate_limited"),
            json!("server"),
            json!("cut"),
            Value::Null
        ]
    );
    assert_eq!(calls[0]["error"]["retry_after_ms"], 1000);
    assert!(
        calls[..3]
            .iter()
            .all(|call| call["error"]["retryable"] == true && call.get("response").is_none()),
        "{calls:#?}"
    );
    let usage = &calls[2]["usage"];
    assert!(
        usage["estimated"] == true && usage["input"].as_u64() > Some(100),
        "what broke off was made all the same: {usage}"
    );
    assert!(calls[3]["response"]["sha256"].is_string(), "{calls:#?}");
    let asked = journal.asked("requirement_analysis");
    assert_eq!(asked.len(), 4);
    let waited = asked[1]["started_us"]
        .as_u64()
        .zip(asked[0]["finished_us"].as_u64())
        .map(|(next, refused)| next - refused);
    assert!(
        waited >= Some(1_000_000),
        "the provider asked for a second, and was asked again after {waited:?} µs"
    );
    // All tries of an attempt have the same key, so that the provider can tell that it is the same question.
    assert!(
        asked
            .iter()
            .all(|request| request["key"] == asked[0]["key"] && request["key"].is_string())
    );
    assert_eq!(of(&frames, "step_requested", "analyze_topic").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn tries_that_were_made_before_a_restart_count_after_it() {
    let analysis = TURNS[1];
    let refused = |occurrence| rule(analysis, occurrence, json!({ "status": 503 }));
    let pace = json!({ "hold_after_chunks": 1, "chunk_chars": 20 });
    let rules = [
        refused(Some(1)),
        refused(Some(2)),
        rule(analysis, Some(3), pace),
    ];
    let mut rig = Rig::with(rules).await;
    rig.api
        .open(&opening_with("s", json!({ "attempts": 1 })))
        .await;
    rig.until_held(1).await;
    rig.server.kill().await;
    rig.model.play(&script_with([refused(None)])).await;
    rig.start_again().await;
    let frames = rig.end("s", "r1", "run_failed").await;
    let calls = of(&frames, "model_called", "analyze_topic");
    let tries: Vec<_> = calls.iter().map(|call| &call["try"]).collect();
    assert_eq!(tries, [1, 2, 3, 4]);
    // The third one was on its way when the server ended, and is asked for again.
    assert_eq!(rig.model.journal().await.requests().len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_asked_beside_a_stage_that_fails_is_finished_and_kept() {
    let (scripts, theme) = (TURNS[4], TURNS[5]);
    let pace = json!({ "hold_after_chunks": 1, "chunk_chars": 20 });
    let rules = [
        rule(theme, None, json!({ "status": 400 })),
        rule(scripts, Some(1), pace),
    ];
    let rig = Rig::with(rules).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let mut follow = Follow::new(&rig.api, "s", "native");
    follow
        .until("the end of the theme", |frame| {
            frame["type"] == "step_failed"
        })
        .await;
    rig.model.release().await;
    let failed = follow.end("r1", "run_failed").await;
    let message = failed["data"]["message"].as_str().expect("a message");
    assert!(message.contains("generate_presentation_theme"), "{message}");
    let kinds =
        |made: Vec<ArtifactPrint>| made.into_iter().map(|made| made.kind).collect::<Vec<_>>();
    assert!(kinds(rig.api.made("s", "r1").await).contains(&"slide_scripts".to_owned()));

    rig.model.play(&script()).await;
    rig.api
        .command("s", "c1", "resume", json!({}))
        .await
        .succeeded();
    rig.end("s", "r2", "run_completed").await;
    let journal = rig.model.journal().await;
    let asked = ["presentation_theme", "slide", "slide", "slide", "slide"];
    assert_eq!(journal.schemas(), asked);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_answer_that_does_not_fit_is_given_back_with_what_is_wrong() {
    let config = TURNS[2];
    let valid = script()["by_schema"]["course_config"].clone();
    let mut few = valid.clone();
    few["objectives"] = json!(["Name one"]);
    let answers = json!({ "$sequence": [{ "$invalid": true }, few, valid] });
    let (frames, journal) = followed(
        [rule(config, None, json!({ "answer": answers }))],
        "run_completed",
    )
    .await;
    let stage = "generate_course_config";
    let rejected = of(&frames, "output_rejected", stage);
    assert_eq!(rejected.len(), 2);
    assert_eq!(
        rejected[1]["violations"][0]["path"], "/objectives",
        "{:#}",
        rejected[1]
    );
    let attempts: Vec<_> = of(&frames, "step_requested", stage)
        .iter()
        .map(|step| step["attempt"].clone())
        .collect();
    assert_eq!(attempts, [json!(1), json!(2), json!(3)]);
    assert_eq!(of(&frames, "model_called", stage).len(), 3);
    assert_eq!(of(&frames, "step_succeeded", stage)[0]["attempt"], 3);
    let asked = journal.asked("course_config");
    let told = rejected[1]["violations"][0]["message"]
        .as_str()
        .expect("a message");
    let (first, last) = (asked[0]["body"].to_string(), asked[2]["body"].to_string());
    assert!(
        last.contains("/objectives") && last.contains(told) && !first.contains(told),
        "{last}"
    );
    assert!(
        asked[0]["key"] != asked[1]["key"] && asked[1]["key"] != asked[2]["key"],
        "each attempt is a question of its own"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_the_provider_refuses_for_good_is_not_asked_again() {
    let (frames, journal) = followed(
        [rule(TURNS[2], None, json!({ "status": 401 }))],
        "run_failed",
    )
    .await;
    let calls = of(&frames, "model_called", "generate_course_config");
    assert_eq!(calls.len(), 1, "{calls:#?}");
    assert_eq!(
        (&calls[0]["error"]["code"], &calls[0]["error"]["retryable"]),
        (&json!("auth"), &json!(false))
    );
    assert_eq!(
        of(&frames, "step_failed", "generate_course_config").len(),
        1
    );
    assert_eq!(journal.asked("course_config").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_is_understood_by_rules_where_the_model_cannot_be_asked() {
    let refused = rule(TURNS[0], None, json!({ "status": 400 }));
    let (frames, journal) = followed([refused], "run_completed").await;
    let intent = frames
        .iter()
        .find(|frame| frame["type"] == "intent_classified");
    let intent = &intent.expect("the message is understood")["data"];
    assert_eq!(
        (&intent["intent"], &intent["by"]),
        (&json!("initial"), &json!("rules"))
    );
    assert_eq!(journal.asked("intent").len(), 1);
    assert_eq!(of(&frames, "model_called", "understand").len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_one_model_refuses_the_other_one_is_asked() {
    let refused = rule(TURNS[2], Some(1), json!({ "status": 401 }));
    let rig = Rig::with_settings([refused], &[("PALIMPSEST_FALLBACK_MODEL", "other")]).await;
    rig.api.open(&opening("s")).await;
    let frames = rig.end("s", "r1", "run_completed").await;
    let calls = of(&frames, "model_called", "generate_course_config");
    let errors: Vec<_> = calls
        .iter()
        .map(|call| call.pointer("/error/code"))
        .collect();
    assert_eq!(errors, [Some(&json!("auth")), None], "{calls:#?}");
    let journal = rig.model.journal().await;
    let models: Vec<_> = journal
        .asked("course_config")
        .iter()
        .map(|request| request["body"]["model"].clone())
        .collect();
    assert_eq!(models, [json!("scripted"), json!("other")]);
    let theme = journal.asked("presentation_theme");
    assert_eq!(
        theme[0]["body"]["model"], "other",
        "a model that cannot work is not asked first in every step"
    );
    let until = calls[0].pointer("/error/closed_until");
    assert!(until.is_some_and(Value::is_string), "{calls:#?}");
}
