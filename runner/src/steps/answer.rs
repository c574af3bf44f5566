//! Answers as a step reads them.

use bytes::Bytes;
use domain::asking;
use domain::carry::{Answer, Carry, ModelTurn, TurnResult};
use domain::session::{Turn, TurnAnswer, input_hash};
use domain::settings::OFFLINE;
use serde_json::Value;

use super::offline;
use crate::ports::{
    ModelAnswer, ends_in_loop, parse_sse, parse_structured, strip_think, unwrapped,
};
use crate::prompts::Prompts;
use crate::sessions::{StepContext, Stop};

/// Whether an answer in the log belongs to what is asked now, and not to what another version of the program asked: the same tool with the
/// same input, or the same prompt and schema. Everything else in a request follows from the log.
pub(crate) async fn is_to(
    context: &StepContext<'_>,
    prompts: &Prompts,
    known: &Turn,
    answer: &TurnAnswer,
    wanted: &Carry,
) -> Result<bool, Stop> {
    match (answer, wanted) {
        (TurnAnswer::Tool { tool, .. }, Carry::Tool(asked)) => {
            let input = known.input.as_ref();
            Ok(*tool == asked.tool && input.is_none_or(|input| *input == input_hash(&asked.input)))
        }
        (
            TurnAnswer::Model {
                request, prompt, ..
            },
            Carry::Model(asked),
        ) => {
            if prompt
                .as_ref()
                .is_some_and(|then| prompts.reference(asked.prompt).as_ref() != Some(then))
            {
                return Ok(false);
            }
            let raw = context.blob(&request.sha256).await?;
            let Ok(then) = serde_json::from_slice::<Value>(&raw) else {
                return Ok(true);
            };
            let schema = asked.schema.as_ref().map(|(_, schema)| schema);
            let then = then["schema"].get("schema");
            if then == schema {
                return Ok(true);
            }
            let hidden = asking::hide_question(asked, &asking::mask(asked)).schema;
            Ok(then == hidden.as_ref().map(|(_, schema)| schema))
        }
        (TurnAnswer::Tool { .. } | TurnAnswer::Model { .. }, _) => Ok(false),
    }
}

/// A turn whose answer is in the log.
pub(crate) async fn replay(
    context: &StepContext<'_>,
    answer: &TurnAnswer,
    asked: Option<&ModelTurn>,
) -> Result<TurnResult, Stop> {
    match answer {
        TurnAnswer::Model {
            response, model, ..
        } => {
            let raw = context.blob(&response.sha256).await?;
            let answer = read_answer(asked, &read_raw(raw, model)?);
            Ok(TurnResult::Model {
                model: model.clone(),
                answer: match asked {
                    Some(asked) => asking::show_answer(answer, &asking::mask(asked)),
                    None => answer,
                },
            })
        }
        TurnAnswer::Tool { output, .. } => {
            let raw = context.blob(&output.sha256).await?;
            let output = serde_json::from_slice(&raw).unwrap_or(Value::Null);
            Ok(TurnResult::Tool { output })
        }
    }
}

/// What a model wrote in an answer that is in the log; `None` where there is nothing to read.
pub(crate) fn written(raw: Bytes, model: &str) -> Option<String> {
    let answer = read_raw(raw, model).ok()?;
    let text = strip_think(&answer.text).trim();
    (!text.is_empty()).then(|| text.to_owned())
}

fn read_raw(raw: Bytes, model: &str) -> Result<ModelAnswer, Stop> {
    if model != OFFLINE {
        return parse_sse(raw).map_err(|error| Stop::fail("malformed", &error.to_string(), true));
    }
    Ok(offline::read(raw))
}

/// What is wrong with an answer for whose rest the model has no room.
const CUT: &str = "the answer was cut off, and there is no room for a longer one: say what is wanted in half as many words";

/// What is wrong with an answer that goes round in circles although that costs it.
const LOOP: &str =
    "the answer says the same again and again until it is cut off: say it once, and end";

pub(crate) fn read_answer(asked: Option<&ModelTurn>, answer: &ModelAnswer) -> Answer {
    if answer.is_truncated() && !answer.is_closed() {
        let says = if ends_in_loop(&answer.text) {
            LOOP
        } else {
            CUT
        };
        return Answer::Unreadable(says.to_owned());
    }
    let structured = asked.is_none_or(|turn| turn.schema.is_some());
    if !answer.tool_calls.is_empty() && asked.is_some_and(|turn| !turn.tools.is_empty()) {
        return Answer::Calls {
            text: strip_think(&answer.text).to_owned(),
            calls: answer.tool_calls.clone(),
            beside: answer.beside.clone(),
        };
    }
    if asking::repeats_question(&answer.text) {
        let says =
            "the answer repeats the question: answer it with what is wanted and nothing else";
        return Answer::Unreadable(says.to_owned());
    }
    if !structured {
        return Answer::Text(strip_think(&answer.text).to_owned());
    }
    match parse_structured(&answer.text, answer.finish_reason.as_deref()) {
        Ok(parsed) => {
            if parsed.repaired {
                metrics::counter!("palimpsest_model_answers_repaired_total").increment(1);
            }
            let schema = asked.and_then(|turn| turn.schema.as_ref());
            Answer::Json(match schema {
                Some((_, schema)) => unwrapped(parsed.value, schema),
                None => parsed.value,
            })
        }
        Err(error) => Answer::Unreadable(error.to_string()),
    }
}
