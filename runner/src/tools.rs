//! The tools that need the world: what a step asks of them, and what they give. What a tool gives is in the log as it was
//! given, also that it gave nothing.

use domain::carry::{ToolOutcome, ToolTurn};
use domain::question::ASK_USER;
use serde::de::Error as _;
use serde::{Deserialize, Deserializer};
use serde_json::{Value, json};

use crate::asking;
use crate::collections::CollectionError;
use crate::error::SendError;
use crate::material;
use crate::notes;
use crate::pictures;
use crate::post_templates;
use crate::resources;
use crate::turn::Place;
use crate::web_search;
use crate::worker::Stop;

/// The largest file that is read as text, in bytes; whoever needs more of a table asks for a part of it.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

pub(crate) async fn run(place: &Place<'_>, turn: &ToolTurn) -> Result<ToolOutcome, Stop> {
    match turn.tool.as_str() {
        "web_search" => Ok(web_search::web_search(place.engine, &turn.input).await),
        "load_resources" => {
            let owner = &place.stream.owner;
            Ok(resources::load(place.engine, owner, &turn.input).await)
        }
        "lookAtReference" => pictures::look(place, turn).await,
        "read_local_file" => read_local_file(place, &turn.input).await,
        other => {
            let (engine, owner) = (place.engine, place.stream.owner.as_str());
            let collections = engine.collections();
            let input = &turn.input;
            let done = match other {
                ASK_USER => asking::ask(place, input).await,
                "webSearch" => web_search::for_posts(engine, input).await,
                "recommendTemplates" => {
                    post_templates::recommend_templates(collections, owner, input).await
                }
                "managePrompt" => post_templates::manage_prompt(collections, owner, input).await,
                _ => match notes::run(engine, owner, other, input).await {
                    Some(done) => done,
                    None => {
                        let message = format!("there is no tool `{other}`");
                        return Ok(refused("unknown_tool", &message, false));
                    }
                },
            };
            done.or_else(ToolError::outcome)
        }
    }
}

/// Why a tool gives nothing.
pub(crate) enum ToolError {
    /// The step is told.
    Refused {
        code: String,
        message: String,
        retryable: bool,
    },
    /// The attempt ends.
    Stop(Stop),
}

impl ToolError {
    pub(crate) fn new(code: &str, message: &str, retryable: bool) -> Self {
        Self::Refused {
            code: code.to_owned(),
            message: message.to_owned(),
            retryable,
        }
    }

    /// The input is not what the tool takes.
    pub(crate) fn bad_input(error: &serde_json::Error) -> Self {
        Self::new("bad_input", &error.to_string(), false)
    }

    fn outcome(self) -> Result<ToolOutcome, Stop> {
        match self {
            Self::Refused {
                code,
                message,
                retryable,
            } => Ok(ToolOutcome::refused(&code, &message, retryable)),
            Self::Stop(stop) => Err(stop),
        }
    }
}

impl From<SendError> for ToolError {
    fn from(error: SendError) -> Self {
        // Of a collection, not of the session.
        if error == SendError::Erased {
            return Self::new("erased", "the collection was erased", false);
        }
        Self::Stop(error.into())
    }
}

impl From<CollectionError> for ToolError {
    fn from(error: CollectionError) -> Self {
        match error {
            CollectionError::Refused(refusal) => {
                Self::new(refusal.code(), &refusal.to_string(), false)
            }
            CollectionError::Log(error) => error.into(),
        }
    }
}

/// A count that a model gave as a number or as a text; nothing where it gave nothing.
pub(crate) fn number<'de, D: Deserializer<'de>>(given: D) -> Result<Option<u64>, D::Error> {
    let wrong = |given: &Value| D::Error::custom(format!("`{given}` is no count"));
    match Value::deserialize(given)? {
        Value::Null => Ok(None),
        Value::Number(number) => {
            let whole = number.as_f64().filter(|it| it.fract() == 0.0 && *it >= 0.0);
            let number = number.as_u64().or(whole.map(|it| it as u64));
            number.map(Some).ok_or_else(|| wrong(&json!(whole)))
        }
        Value::String(text) if text.trim().is_empty() => Ok(None),
        Value::String(text) => match text.trim().parse() {
            Ok(number) => Ok(Some(number)),
            Err(_) => Err(wrong(&Value::String(text))),
        },
        other @ (Value::Bool(_) | Value::Array(_) | Value::Object(_)) => Err(wrong(&other)),
    }
}

/// A yes or no, where nothing is a no.
pub(crate) fn flag<'de, D: Deserializer<'de>>(given: D) -> Result<bool, D::Error> {
    Ok(Option::<bool>::deserialize(given)?.unwrap_or_default())
}

/// A count of at least one and at most so many.
pub(crate) fn in_range(asked: Option<u64>, default: u64, most: u64) -> u64 {
    asked.unwrap_or(default).clamp(1, most)
}

/// A text file of the session, whole: `{path, text}`.
async fn read_local_file(place: &Place<'_>, input: &Value) -> Result<ToolOutcome, Stop> {
    let path = input.get("path").and_then(Value::as_str);
    let path = path.unwrap_or_default();
    let session = place.engine.session(place.stream).await?;
    let Some(file) = session.files.get(path) else {
        let shown: String = path.chars().take(200).collect();
        let message = format!("there is no file `{shown}` in this session; list the folders first");
        return Ok(refused("no_file", &message, false));
    };
    if file.blob.size > FILE_BYTES_MAX {
        let message = format!(
            "`{path}` has {} bytes; at most {FILE_BYTES_MAX} are read",
            file.blob.size
        );
        return Ok(refused("file_too_large", &message, false));
    }
    let log = place.engine.log().as_ref();
    let bytes = material::blob(log, place.stream, &file.blob.sha256).await?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let message = format!("`{path}` is {} and no text", file.media_type);
        return Ok(refused("no_text", &message, false));
    };
    let text = text.trim_start_matches('\u{feff}');
    let summary = format!("{path}: {} characters", text.chars().count());
    Ok(ToolOutcome::gave(
        json!({ "path": path, "text": text }),
        summary,
    ))
}

/// As steps read it that count on results: with an empty list of them.
pub(crate) fn refused(code: &str, message: &str, retryable: bool) -> ToolOutcome {
    ToolOutcome {
        output: json!({ "results": [], "error": message, "retryable": retryable }),
        ..ToolOutcome::refused(code, message, retryable)
    }
}
