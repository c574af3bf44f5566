//! The turns of a step: what it asks models and tools, and what they give.

use bytes::Bytes;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use crate::event::CallError;
use crate::hash::Picture;
use crate::typeset::Typeset;

/// What a turn gave.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnResult {
    Model { model: SmolStr, answer: Answer },
    Tool { output: Value },
    Typeset(Typeset),
}

impl TurnResult {
    /// The model and its answer, where one was asked.
    pub fn answer(&self) -> Option<(&str, &Answer)> {
        match self {
            Self::Model { model, answer } => Some((model, answer)),
            Self::Tool { .. } | Self::Typeset(_) => None,
        }
    }

    /// What a tool gave, where one was called.
    pub fn output(&self) -> Option<&Value> {
        match self {
            Self::Tool { output } => Some(output),
            Self::Model { .. } | Self::Typeset(_) => None,
        }
    }

    /// What typesetting gave, where something was typeset.
    pub fn typeset(&self) -> Option<&Typeset> {
        match self {
            Self::Typeset(typeset) => Some(typeset),
            Self::Model { .. } | Self::Tool { .. } => None,
        }
    }
}

/// A model's answer, read as far as it can be.
#[derive(Clone, Debug, PartialEq)]
pub enum Answer {
    Json(Value),
    Text(String),
    /// The model wants these tools called; the text is what the model said with the calls.
    Calls {
        text: String,
        calls: Vec<Call>,
        /// What else came with the calls, such as the reasoning. Some models want it sent back before they go on.
        beside: Map<String, Value>,
    },
    /// Structured output was asked for and this is not it; the message is for the model.
    Unreadable(String),
}

impl Answer {
    /// Calls without any text and with nothing beside them.
    pub fn calls(calls: Vec<Call>) -> Self {
        Self::Calls {
            text: String::new(),
            calls,
            beside: Map::new(),
        }
    }
}

/// One question to a model.
#[derive(Clone, Debug)]
pub struct ModelTurn {
    /// The role that decides which model is called.
    pub role: &'static str,
    /// Path of the prompt under `prompts/`, without extension.
    pub prompt: &'static str,
    /// What the prompt's template is filled with.
    pub vars: Value,
    /// Name and JSON Schema of the wanted structure.
    pub schema: Option<(&'static str, Value)>,
    pub max_output_tokens: u32,
    /// The tools that the model may call.
    pub tools: Vec<Tool>,
    /// What was said after the prompt.
    pub talk: Vec<Exchange>,
    /// What the model is shown with the prompt; only models that accept pictures are asked this way.
    pub pictures: Vec<Picture>,
}

impl ModelTurn {
    /// A question that is answered in prose.
    pub fn new(
        role: &'static str,
        prompt: &'static str,
        vars: Value,
        max_output_tokens: u32,
    ) -> Self {
        Self {
            role,
            prompt,
            vars,
            schema: None,
            max_output_tokens,
            tools: vec![],
            talk: vec![],
            pictures: vec![],
        }
    }

    /// Answered with a structure of this name and JSON Schema.
    #[must_use]
    pub fn structured(mut self, name: &'static str, schema: Value) -> Self {
        self.schema = Some((name, schema));
        self
    }
}

/// A tool that a model may call.
#[derive(Clone, Debug, PartialEq)]
pub struct Tool {
    pub name: &'static str,
    pub description: &'static str,
    /// JSON Schema of the arguments.
    pub parameters: Value,
}

/// A call of a tool that a model wants made.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Call {
    pub id: String,
    pub name: String,
    /// JSON text as the model wrote it; it may be malformed.
    pub arguments: String,
    /// What else came with the call, such as a signature of the model's reasoning. It is sent back with the call unchanged.
    #[serde(default, skip_serializing_if = "Map::is_empty")]
    pub beside: Map<String, Value>,
}

impl Call {
    /// A call with nothing beside it.
    pub fn new(
        id: impl Into<String>,
        name: impl Into<String>,
        arguments: impl Into<String>,
    ) -> Self {
        Self {
            id: id.into(),
            name: name.into(),
            arguments: arguments.into(),
            beside: Map::new(),
        }
    }
}

/// One thing that was said in a loop of tools.
#[derive(Clone, Debug, PartialEq)]
pub enum Exchange {
    /// By the model.
    Said {
        text: String,
        calls: Vec<Call>,
        /// See [`Answer::Calls`].
        beside: Map<String, Value>,
    },
    /// What a call gave.
    Returned { call: String, output: String },
    /// To the model.
    Told(String),
}

/// One call of a tool.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolTurn {
    pub tool: String,
    pub input: Value,
    /// The outcome of the call, where it is known without asking the outside world.
    pub gives: Option<ToolOutcome>,
}

/// What a tool gave.
#[derive(Clone, Debug, PartialEq)]
pub struct ToolOutcome {
    pub output: Value,
    /// One line for people.
    pub summary: String,
    pub error: Option<CallError>,
    /// Bytes that the output names by their hash; they are stored beside the log together with the output.
    pub blobs: Vec<Bytes>,
    /// Millionths of the currency the prices are in.
    pub cost_micros: u64,
}

impl ToolOutcome {
    /// It gave this.
    pub fn gave(output: Value, summary: impl Into<String>) -> Self {
        Self {
            output,
            summary: summary.into(),
            error: None,
            blobs: vec![],
            cost_micros: 0,
        }
    }

    /// It gave nothing, and says why: `{error, code, retryable}`.
    pub fn refused(code: &str, message: &str, retryable: bool) -> Self {
        let error = CallError::new(code, message, retryable);
        let output = json!({ "error": message, "code": code, "retryable": retryable });
        Self {
            error: Some(error),
            ..Self::gave(output, message)
        }
    }
}
