//! The answer of a model that was asked which intent a message has.

use serde::Deserialize;
use serde_json::Value;

use super::route::{Alternative, RouteSource, Routed};
use super::table::Intent;

/// The confidence of an answer that gives none.
const UNSAID: f64 = 0.5;

/// How a model understands a message.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct ModelAnswer {
    pub intent: Intent,
    /// How certain the model is, 0 to 1.
    pub confidence: f64,
    pub alternatives: Vec<Alternative>,
}

/// Why an answer cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum AnswerError {
    #[error("the answer is not a JSON object with `intent`")]
    Unreadable,
    #[error("there is no intent `{0}`")]
    UnknownIntent(String),
}

#[derive(Deserialize)]
struct Raw {
    intent: String,
    confidence: Option<f64>,
    #[serde(default)]
    alternatives: Vec<Value>,
}

/// The lines of a prompt that name each intent with what it means.
pub(crate) fn intents_for_prompt() -> String {
    let lines = Intent::ALL.map(|intent| format!("- {}: {}", intent.as_str(), intent.meaning()));
    lines.join("\n")
}

/// Reads an answer: the first JSON object in a text, whatever other text is around it.
///
/// # Errors
///
/// There is no such object, or it names an unknown intent. Unknown alternatives are left out.
pub(crate) fn read_answer(text: &str) -> Result<ModelAnswer, AnswerError> {
    let begin = text.find('{').ok_or(AnswerError::Unreadable)?;
    let mut values = serde_json::Deserializer::from_str(&text[begin..]).into_iter::<Raw>();
    let raw = match values.next() {
        Some(Ok(raw)) => raw,
        Some(Err(_)) | None => return Err(AnswerError::Unreadable),
    };
    let intent =
        Intent::named(&raw.intent).ok_or_else(|| AnswerError::UnknownIntent(raw.intent.clone()))?;
    Ok(ModelAnswer {
        intent,
        confidence: confidence(raw.confidence),
        alternatives: raw.alternatives.iter().filter_map(alternative).collect(),
    })
}

fn confidence(said: Option<f64>) -> f64 {
    said.map_or(UNSAID, |said| said.clamp(0.0, 1.0))
}

/// An alternative, as a name or as an object with `intent` and `confidence`.
fn alternative(value: &Value) -> Option<Alternative> {
    let name = value.as_str().or_else(|| value.get("intent")?.as_str())?;
    let said = value.get("confidence").and_then(Value::as_f64);
    Some(Alternative {
        intent: Intent::named(name)?,
        confidence: confidence(said),
    })
}

/// What the rules and a model say together: the more confident one decides, and the phase is not considered again. Without a usable answer
/// the rules decide.
pub(crate) fn merged(by_rules: &Routed, answer: &Result<ModelAnswer, AnswerError>) -> Routed {
    let Ok(answer) = answer else {
        return Routed {
            needs_model: false,
            ..by_rules.clone()
        };
    };
    let of_rules = Alternative {
        intent: by_rules.intent,
        confidence: by_rules.confidence,
    };
    let of_model = Alternative {
        intent: answer.intent,
        confidence: answer.confidence,
    };
    let model_decides = answer.confidence >= by_rules.confidence;
    let (first, source) = if model_decides {
        (of_model, RouteSource::Llm)
    } else {
        (of_rules, by_rules.source)
    };
    let mut others = vec![of_rules, of_model];
    others.extend_from_slice(&answer.alternatives);
    others.extend_from_slice(&by_rules.alternatives);
    others.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    by_rules.with(first.intent, first.confidence, source, others)
}
