//! A deck whose every answer is fixed: the first version is invalid, the second one is mended after it was looked at.

use serde_json::{Value, json};

use super::api::Api;

/// The model calls of a run: requirements, the deck twice, an inspection, a better version, an inspection.
pub(crate) const TURNS: usize = 6;

/// What a run has at its end: requirements, what the index gave, the deck, its layout with a picture of each of three pages, an
/// inspection, the accepted deck as text, PowerPoint, HTML, PDF, three thumbnails and a report, and its place in the index.
pub(crate) const MADE: usize = 3 + 4 + 1 + 5 + 3 + 1 + 1;

/// A deck that nothing is wrong with.
pub(crate) const RIGHT: &str = "---\npresentation:\n  title: \"Rain\"\n---\n\n# Opening\n@type: title\n\n## Rain\n\n---\n\n# Water\n@type: bullet_points\n\n## Rain brings water to the fields of the valley\n\n- Fields drink\n- Rivers rise\n\n@notes: Said.\n\n---\n\n# End\n@type: closing\n\n## Thank you\n";

/// A deck with a slide that has not what its type shows.
pub(crate) const WRONG: &str = "# Opening\n@type: title\n## Rain\n---\n# Plan\n@type: timeline\n## A plan\n---\n# End\n@type: closing\n## Thank you\n";

/// A rule for each turn, in order. A turn is recognised by the results of earlier turns in its prompt, so that a call that is made again
/// gets the same answer.
fn rules() -> [Value; TURNS] {
    let rule = |system: &str, user: Option<&str>, answer: String| {
        let mut when = json!({ "system_contains": system });
        if let Some(user) = user {
            when["user_contains"] = json!(user);
        }
        json!({ "when": when, "answer": answer })
    };
    let requirements = json!({ "key_messages": [], "must_have_sections": [] }).to_string();
    let issue = json!({ "slide": 2, "category": "storyline", "severity": "critical", "description": "It says nothing of spring." });
    let looked = |issues: Value| json!({ "issues": issues, "summary": "Looked." }).to_string();
    let better = RIGHT.replace("Rivers rise", "Rivers rise in May");
    let (writer, inspector) = (
        "You are a presentation architect.",
        "You inspect a deck of slides",
    );
    [
        rule("You read a request for a presentation", None, requirements),
        rule(writer, None, WRONG.to_owned()),
        rule(
            writer,
            Some("Your previous answer was not valid"),
            RIGHT.to_owned(),
        ),
        rule(inspector, None, looked(json!([issue]))),
        rule("You mend a deck of slides", None, better),
        rule(inspector, Some("Rivers rise in May"), looked(json!([]))),
    ]
}

/// The script of a run. `held` is a turn, from 1, whose first answer does not come to its end, with its pace.
pub(crate) fn script(held: Option<(usize, Value)>) -> Value {
    let rules = rules();
    let held = held.map(|(turn, pace)| {
        let mut rule = rules[turn - 1].clone();
        for (name, value) in pace.as_object().expect("an object") {
            rule[name] = value.clone();
        }
        rule["when"]["occurrence"] = json!(1);
        rule
    });
    // A rule for a prompt with more in it stands before the rule for the same prompt with less in it.
    let ordered = [0, 2, 1, 5, 3, 4].map(|turn| rules[turn].clone());
    let all: Vec<Value> = held.into_iter().chain(ordered).collect();
    json!({ "rules": all })
}

/// The request that opens the session.
pub(crate) fn opening(session: &str) -> Value {
    json!({
        "pipeline": "deck", "message": "A deck about rain", "session": session,
        "settings": { "language": "en", "width": 1 },
    })
}

/// A rule by which the agent that writes decks answers this.
pub(crate) fn writer(answer: &str) -> Value {
    json!({ "when": { "system_contains": "You are a presentation architect." }, "answer": answer })
}

/// A rule by which the agent that mends decks answers this.
pub(crate) fn fixer(answer: &str) -> Value {
    json!({ "when": { "system_contains": "You mend a deck of slides" }, "answer": answer })
}

/// A rule by which the requirements have nothing beside what the message says.
pub(crate) fn requirements() -> Value {
    let asked = json!({ "key_messages": [], "must_have_sections": [] }).to_string();
    json!({ "when": { "system_contains": "You read a request for a presentation" }, "answer": asked })
}

/// A rule by which the agent that inspects decks finds these issues.
pub(crate) fn inspector(issues: Value) -> Value {
    let said = json!({ "issues": issues, "summary": "Looked." }).to_string();
    json!({ "when": { "system_contains": "You inspect a deck of slides" }, "answer": said })
}

/// The content of the last artifact of a kind.
pub(crate) async fn content(api: &Api, session: &str, kind: &str) -> Value {
    let view = api.session(session).await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    let last = artifacts.iter().rfind(|artifact| artifact["kind"] == kind);
    let id = last.expect(kind)["artifact"]
        .as_str()
        .expect("an id")
        .to_owned();
    let bytes = api.bytes(&format!("/v1/artifacts/{id}/content")).await;
    serde_json::from_slice(&bytes).unwrap_or_else(|_| String::from_utf8_lossy(&bytes).into())
}

/// How often the run asked a model. The call that finds out what its deck is about is not part of the run.
pub(crate) async fn calls(api: &Api, session: &str) -> usize {
    let frames = api.frames(session, "native").await;
    let called = frames
        .iter()
        .filter(|frame| frame["type"] == "model_called");
    called.count()
}

/// The stages of the run, in the order in which they began.
pub(crate) async fn stages(api: &Api, session: &str) -> Vec<String> {
    let frames = api.frames(session, "native").await;
    let began = frames
        .iter()
        .filter(|frame| frame["type"] == "stage_started");
    began
        .map(|frame| frame["data"]["stage"].as_str().expect("a stage").to_owned())
        .collect()
}

/// The same rule, but only for questions that have these words as well.
pub(crate) fn told(mut rule: Value, words: &str) -> Value {
    rule["when"]["user_contains"] = json!(words);
    rule
}
