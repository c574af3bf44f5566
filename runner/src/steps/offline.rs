//! An offline author as a model: no key, no network, the same answer every time. It gets the stage's typed inputs, and is
//! recorded like any other model.

use bytes::Bytes;
use domain::carry::{Call, ModelTurn, TurnResult, Work};
use domain::settings::OFFLINE;
use serde::{Deserialize, Serialize};

use crate::authors::{Author, Authors};
use crate::ports::ModelAnswer;

/// How an answer with calls of tools is kept.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct SpooledCalls {
    tool_calls: Vec<Call>,
}

/// The answer of the author that is registered for the prompt; `None` where there is none.
pub(crate) fn answer(
    authors: &Authors,
    turn: &ModelTurn,
    work: &Work,
    turns: &[TurnResult],
) -> Option<ModelAnswer> {
    let kept = match authors.of(turn.prompt)? {
        // An author of prose gives a text.
        Author::Structure(answer) => {
            let answer = answer(work);
            let prose = answer.as_str().map(str::to_owned);
            prose.unwrap_or_else(|| answer.to_string())
        }
        Author::Calls(next) => {
            let calls = next(work, turns).into_iter().zip(1..);
            let calls = calls.map(|((name, arguments), number)| {
                let id = format!("call_{}_{number}", turns.len());
                Call::new(id, name, arguments.to_string())
            });
            let tool_calls = calls.collect();
            serde_json::to_string(&SpooledCalls { tool_calls }).expect("calls have only text keys")
        }
    };
    Some(read(Bytes::from(kept)))
}

/// An answer as it was kept.
pub(crate) fn read(raw: Bytes) -> ModelAnswer {
    let (text, calls) = match serde_json::from_slice(&raw) {
        Ok(SpooledCalls { tool_calls }) => (String::new(), tool_calls),
        Err(_) => (String::from_utf8_lossy(&raw).into_owned(), vec![]),
    };
    let finish_reason = if calls.is_empty() {
        "stop"
    } else {
        "tool_calls"
    };
    ModelAnswer {
        text,
        tool_calls: calls,
        model: OFFLINE.to_owned(),
        finish_reason: Some(finish_reason.to_owned()),
        raw,
        ..ModelAnswer::default()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use commands::{Command, SendMessage};
    use domain::Actor;
    use domain::ids::{MessageId, RunId};
    use domain::pipeline::Pipelines;
    use domain::session::End;
    use domain::settings::{OnBusy, Settings};
    use serde_json::{Value, json};
    use store::{MasterKey, MemoryLog, StreamId};

    use super::*;
    use crate::clock::Clock;
    use crate::prompts::Prompts;
    use crate::tests::laws::Fan;
    use crate::{Engine, Envelope, Parts};

    /// How a run of the pipeline `fan`, whose only prompt is `fan/step`, ends with these authors.
    async fn ended(authors: Authors) -> End {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let mut prompts = Prompts::empty();
        let text = "---\nrole: writer\n---\n<!-- system -->\nWrite.\n<!-- user -->\n{{ step }}\n";
        prompts.add("fan/step", text).expect("a well-formed prompt");
        let parts = Parts {
            prompts,
            authors,
            ..Parts::new(Arc::new(log), Pipelines::new(vec![&Fan]))
        };
        let engine = Engine::start(parts).await.expect("an engine starts");
        let stream = StreamId::new("p", "s".into());
        let message = SendMessage {
            message: MessageId::new("m1"),
            text: "go".to_owned(),
            files: vec![],
            pipeline: Some("fan".to_owned()),
            input: Value::Null,
            settings: Settings::default(),
            on_busy: OnBusy::Enqueue,
        };
        let envelope = Envelope {
            command: Command::SendMessage(Box::new(message)),
            client_id: "ask".to_owned(),
            actor: Actor::person("p"),
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        engine.send(&stream, envelope).await.expect("it is taken");
        let mut changes = engine.log().watch_stream(&stream);
        loop {
            let session = engine.session(&stream).await.expect("a session");
            if let Some(end) = session.run(RunId(1)).and_then(|run| run.end.clone()) {
                return end;
            }
            changes.changed().await.expect("the log is open");
        }
    }

    #[tokio::test]
    async fn a_prompt_is_answered_by_the_author_that_is_registered_for_it() {
        let authors = Authors::default().with("fan/step", Author::Structure(|_| json!("said")));
        let end = ended(authors).await;
        assert!(
            matches!(end, End::Completed { partial: false, .. }),
            "{end:?}"
        );
    }

    #[tokio::test]
    async fn a_prompt_without_an_author_fails_at_once_and_says_what_to_do() {
        let authors = Authors::default().with("fan/other", Author::Structure(|_| Value::Null));
        let End::Failed { code, message } = ended(authors).await else {
            panic!("answered by nobody")
        };
        assert_eq!(
            (code.as_str(), message.as_str()),
            (
                "stage_failed",
                "stage `first` failed: there is no model, and no offline author is registered for the prompt `fan/step`: set a model \
                 (OPENAI_BASE_URL, OPENAI_API_KEY, PALIMPSEST_MODEL), or register an author for it where the program is put together"
            )
        );
    }
}
