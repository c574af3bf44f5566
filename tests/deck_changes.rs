//! Changes that leave out, move or add slides of a deck, on the built program: only a new slide is asked for, and the others stay as they
//! are, byte for byte.

use serde_json::{Value, json};

use crate::support::deck::{
    RIGHT, calls, content, fixer, inspector, requirements, stages, told, writer,
};
use crate::support::rig::Rig;

const SESSION: &str = "s";

const NEW: &str = "# Spring\n@type: bullet_points\n\n## Snow melts in April and fills the rivers\n\n- Snow melts\n- Rivers rise\n\n@notes: Said.\n";

/// How the messages of this text are understood.
fn understood(text: &str, answer: &Value) -> Value {
    let mut whole = json!({
        "intent": "REFINEMENT", "targetStage": "generate", "parts": [], "newOrder": [], "reason": "r", "confidence": 0.9, "reply": null,
    });
    let fields = answer.as_object().cloned().unwrap_or_default();
    whole.as_object_mut().expect("an object").extend(fields);
    let when = json!({ "system_contains": "You sort messages for a system that makes slide decks", "user_contains": text });
    json!({ "when": when, "answer": whole.to_string() })
}

/// Says something, and gives how many calls it took.
async fn said(rig: &Rig, run: &str, message: &str) -> usize {
    let before = calls(&rig.api, SESSION).await;
    let payload = json!({ "message": message, "settings": { "width": 1 } });
    let told = rig.api.command(SESSION, run, "send_message", payload).await;
    assert_eq!(told.succeeded()["run"], run);
    rig.end(SESSION, run, "run_completed").await;
    calls(&rig.api, SESSION).await - before
}

/// The slides of the deck as text.
async fn slides(rig: &Rig) -> Vec<String> {
    let deck = content(&rig.api, SESSION, "deck").await;
    let text = deck["dsl_text"].as_str().expect("a text").to_owned();
    let slides = text.split("\n---\n").map(|slide| slide.trim().to_owned());
    slides.filter(|slide| slide.contains("# ")).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn slides_are_left_out_moved_and_added_without_asking_for_the_others() {
    let add = "add a slide about spring after slide 2, ask ann.lee@example.com";
    // Each message comes with those before it.
    let rules = vec![
        understood(
            "remove slide",
            &json!({ "parts": [2], "newOrder": [1, 3, 4] }),
        ),
        understood(
            "move slide",
            &json!({ "parts": [2], "newOrder": [1, 3, 2, 4] }),
        ),
        understood(
            "add a slide",
            &json!({ "parts": [], "newOrder": [1, 2, 0, 3] }),
        ),
        requirements(),
        told(writer(NEW), "It gets 1 new: number 3"),
        writer(RIGHT),
        inspector(json!([])),
        fixer("# Never asked\n@type: title\n## No\n"),
    ];
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    let settings = json!({ "language": "en", "width": 1 });
    let opening = json!({ "pipeline": "deck", "message": "A deck about rain", "session": SESSION, "settings": settings });
    rig.api.open(&opening).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let before = slides(&rig).await;

    // How it is meant, the slide, and a look at the deck.
    assert_eq!(said(&rig, "r2", add).await, 3);
    let with_new = slides(&rig).await;
    let names: Vec<&str> = with_new
        .iter()
        .filter_map(|slide| slide.lines().find(|line| line.starts_with("# ")))
        .collect();
    assert_eq!(names, ["# Opening", "# Water", "# Spring", "# End"]);
    assert_eq!([&with_new[1], &with_new[3]], [&before[1], &before[2]]);

    // How it is meant, and a look.
    assert_eq!(said(&rig, "r3", "move slide 2 behind slide 3").await, 2);
    let moved = slides(&rig).await;
    assert_eq!([&moved[1], &moved[2]], [&with_new[2], &with_new[1]]);
    assert_eq!(said(&rig, "r4", "remove slide 2").await, 2);
    assert_eq!(slides(&rig).await, before);
    let journal = rig.model.journal().await;
    let mut asked = journal.requests().iter();
    assert!(
        asked.all(|request| !request["body"].to_string().contains("ann.lee")),
        "what is personal in a message is in no request"
    );
    let stages = stages(&rig.api, SESSION).await;
    assert!(
        stages.iter().all(|stage| !stage.starts_with("fix")),
        "{stages:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_slides_are_left_out_and_a_wish_for_more_is_answered_in_words() {
    let rig = Rig::playing(&json!({ "rules": [] }), &[("PALIMPSEST_MODEL", "offline")]).await;
    let settings = json!({ "language": "en", "width": 1 });
    let opening = json!({
        "pipeline": "deck", "message": "Rain, 4 slides\n\nRain fills rivers.\n\nSnow melts in April.\n\nFields drink in May.",
        "session": SESSION, "settings": settings,
    });
    rig.api.open(&opening).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let before = slides(&rig).await;
    assert!(before.len() > 2, "{before:#?}");

    assert_eq!(said(&rig, "r2", "remove slide 2").await, 0);
    let after = slides(&rig).await;
    assert_eq!(after.len(), before.len() - 1);
    assert_eq!(after[0], before[0]);

    said(&rig, "r3", "put slide 2 in two columns").await;
    assert_eq!(slides(&rig).await, after);
    let frames = rig.api.frames(SESSION, "native").await;
    let last = frames.iter().rfind(|frame| frame["type"] == "message_sent");
    let text = last.expect("words")["data"]["text"].to_string();
    assert!(text.contains("Nothing is different from r2"), "{text}");
    assert!(text.contains("PALIMPSEST_MODEL"), "{text}");
}
