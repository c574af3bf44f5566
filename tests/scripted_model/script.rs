//! Which answer a request gets.
//!
//! A script is a JSON object:
//!
//! ```json
//! {
//!   "rules": [
//!     {
//!       "when": {
//!         "contains": "outline",           // or a list; all must occur in the messages' text
//!         "system_contains": "…",          // the same for system messages only
//!         "user_contains": "…",            // and for user messages only
//!         "schema": "outline",             // name of the json_schema asked for
//!         "model": "m-1",
//!         "hash": "9f86…",                 // SHA-256 of the body, in hex; a beginning is enough
//!         "occurrence": 1                  // only the nth request that fits the rest of this `when`, from 1
//!       },
//!       "answer": …,                       // see below; absent: as if the rule said nothing about the answer
//!       "reasoning": "…",                  // sent as `reasoning_content` before the answer
//!       "finish_reason": "length",         // instead of `stop`
//!       "tool_calls": [{"name": "web_search", "arguments": {"query": "…"}}],
//!       "usage": {"prompt_tokens": 1, "completion_tokens": 2},
//!       "latency_ms": 100,                 // wait before the first byte
//!       "chunk_delay_ms": 5,               // wait before each further chunk
//!       "chunk_chars": 16,                 // characters of content in each chunk
//!       "status": 429,                     // refuse, with this status
//!       "retry_after": "2",                // the header sent with the refusal
//!       "cut_after_chunks": 3,             // break the connection after so many chunks of content
//!       "hold_after_chunks": 3,            // stop there until `POST /__release`; 0 holds before the first
//!       "times": 2                         // the rule is used up after so many requests
//!     }
//!   ],
//!   "by_schema": {"outline": {…}, "script": [{…}, {…}]},
//!   "defaults": {"chunk_chars": 16, "latency_ms": 0, "chunk_delay_ms": 0}
//! }
//! ```
//!
//! The first rule that fits and is not used up applies. An answer is
//! - a text, sent as it is; `"echo-input"` sends the last user message back;
//! - an object or array, sent as JSON;
//! - `{"$sequence": [a, b, c]}`: the first request gets `a`, the next `b`, all after the last one `c`. `{"$invalid": true}`
//!   among them is an answer that fits no schema, for "invalid first, then valid";
//! - `{"$instance": true, "$set": {"/pages/0/title": "…"}}`: the valid instance of the schema, with changes at JSON pointers.
//!
//! Without an answer from a rule, `by_schema` is looked up by the schema's name: an object is the answer, an array is a
//! sequence. Without that, a valid instance of the schema is built; without a schema, the last user message is sent back.
//!
//! Occurrences and sequences are counted by request as it was first made: a request with an `Idempotency-Key` that was
//! seen before gets the answer of its first time, so that a run that was killed and continued is answered as one that was
//! not. The `occurrence` of a rule with a fault (`status`, `cut_after_chunks`, `hold_after_chunks`) counts every request.

use std::collections::BTreeMap;

use serde::Deserialize;
use serde_json::Value;

/// Characters of content in a chunk, unless the script says otherwise: short answers still have several chunks.
pub(crate) const CHUNK_CHARS: usize = 16;

/// A script, as it is loaded.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Script {
    pub(crate) rules: Vec<Rule>,
    pub(crate) by_schema: BTreeMap<String, Value>,
    pub(crate) defaults: Pace,
}

/// How fast an answer comes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Pace {
    pub(crate) chunk_chars: Option<usize>,
    pub(crate) latency_ms: Option<u64>,
    pub(crate) chunk_delay_ms: Option<u64>,
}

/// What happens to the requests that fit.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Rule {
    pub(crate) when: When,
    pub(crate) answer: Option<Value>,
    pub(crate) reasoning: Option<String>,
    pub(crate) finish_reason: Option<String>,
    pub(crate) tool_calls: Vec<ScriptedCall>,
    pub(crate) usage: Option<Value>,
    pub(crate) latency_ms: Option<u64>,
    pub(crate) chunk_delay_ms: Option<u64>,
    pub(crate) chunk_chars: Option<usize>,
    pub(crate) status: Option<u16>,
    pub(crate) retry_after: Option<String>,
    pub(crate) cut_after_chunks: Option<usize>,
    pub(crate) hold_after_chunks: Option<usize>,
    pub(crate) times: Option<u64>,
}

impl Rule {
    /// Whether it does more than answer.
    pub(crate) fn is_fault(&self) -> bool {
        self.status.is_some() || self.cut_after_chunks.is_some() || self.hold_after_chunks.is_some()
    }
}

/// A call of a tool that the scripted model makes.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct ScriptedCall {
    pub(crate) name: String,
    #[serde(default)]
    pub(crate) arguments: Value,
}

/// Which requests fit: those that satisfy everything that is said.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct When {
    contains: Texts,
    system_contains: Texts,
    user_contains: Texts,
    schema: Option<String>,
    model: Option<String>,
    hash: Option<String>,
    pub(crate) occurrence: Option<u64>,
}

/// One text or several.
#[derive(Debug, Clone, PartialEq, Deserialize)]
#[serde(untagged)]
enum Texts {
    One(String),
    Many(Vec<String>),
}

impl Default for Texts {
    fn default() -> Texts {
        Texts::Many(Vec::new())
    }
}

impl Texts {
    fn all_in(&self, text: &str) -> bool {
        match self {
            Texts::One(one) => text.contains(one.as_str()),
            Texts::Many(many) => many.iter().all(|one| text.contains(one.as_str())),
        }
    }
}

/// What of a request rules look at.
#[derive(Debug, Clone)]
pub(crate) struct Asked {
    pub(crate) hash: String,
    pub(crate) model: String,
    pub(crate) schema_name: Option<String>,
    pub(crate) schema: Option<Value>,
    pub(crate) system: String,
    pub(crate) user: String,
    pub(crate) last_user: String,
    pub(crate) everything: String,
    pub(crate) stream: bool,
}

impl Asked {
    /// Reads a request's body.
    pub(crate) fn of(body: &Value, hash: String) -> Asked {
        let texts = |role: Option<&str>| -> Vec<String> {
            let messages = body["messages"].as_array().into_iter().flatten();
            messages
                .filter(|message| role.is_none_or(|role| message["role"] == role))
                .map(|message| content_of(&message["content"]))
                .collect()
        };
        let format = &body["response_format"]["json_schema"];
        let user = texts(Some("user"));
        Asked {
            hash,
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            schema_name: format["name"].as_str().map(str::to_owned),
            schema: format.get("schema").cloned(),
            system: texts(Some("system")).join("\n"),
            last_user: user.last().cloned().unwrap_or_default(),
            user: user.join("\n"),
            everything: texts(None).join("\n"),
            stream: body["stream"] == true,
        }
    }
}

/// The text of a message, which may come in parts.
fn content_of(content: &Value) -> String {
    match content {
        Value::String(text) => text.clone(),
        Value::Array(parts) => parts
            .iter()
            .filter_map(|part| part["text"].as_str())
            .collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => String::new(),
    }
}

impl When {
    /// Whether a request fits, its number aside.
    pub(crate) fn fits(&self, asked: &Asked) -> bool {
        let same = |wanted: &Option<String>, found: Option<&str>| {
            wanted.as_deref().is_none_or(|wanted| found == Some(wanted))
        };
        self.contains.all_in(&asked.everything)
            && self.system_contains.all_in(&asked.system)
            && self.user_contains.all_in(&asked.user)
            && same(&self.schema, asked.schema_name.as_deref())
            && same(&self.model, Some(&asked.model))
            && self
                .hash
                .as_ref()
                .is_none_or(|hash| asked.hash.starts_with(hash.as_str()))
    }
}
