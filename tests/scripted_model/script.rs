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
//!         "endpoint": "images",            // or "generations", "edits"; absent: "chat"
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
//!   "defaults": {"chunk_chars": 16, "latency_ms": 0, "chunk_delay_ms": 0},
//!   "modes": ["no_temperature"]            // habits of providers, see `modes.rs`
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
//!
//! Requests for pictures (`/v1/images/generations` and `/v1/images/edits`) are answered with a PNG of the size that was asked
//! for, in colours that follow from the prompt, in base64. The prompt is what `contains` and `user_contains` look at. Of an
//! `answer`, `"url"` gives the picture's address on this server instead of the picture, `{"$invalid": true}` a text that is
//! no base64, `{"$picture": {"width": 1, "height": 1}}` a picture of another size, and any other object or array is the whole
//! answer. Chunks are quarters of the answer.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::modes::Modes;

/// Characters of content in a chunk, unless the script says otherwise: short answers still have several chunks.
pub(crate) const CHUNK_CHARS: usize = 16;

/// A script, as it is loaded.
#[derive(Debug, Clone, Default, PartialEq, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(crate) struct Script {
    pub(crate) rules: Vec<Rule>,
    pub(crate) by_schema: BTreeMap<String, Value>,
    pub(crate) defaults: Pace,
    pub(crate) modes: Modes,
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
    endpoint: Option<Endpoint>,
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

/// Which address a request came to, or which ones a rule is about.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Endpoint {
    #[default]
    Chat,
    /// Only in a rule: `Generations` and `Edits`.
    Images,
    Generations,
    Edits,
}

impl Endpoint {
    fn covers(self, found: Endpoint) -> bool {
        match self {
            Endpoint::Chat | Endpoint::Generations | Endpoint::Edits => self == found,
            Endpoint::Images => found != Endpoint::Chat,
        }
    }
}

/// What of a request rules look at.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asked {
    pub(crate) endpoint: Endpoint,
    /// How many pictures came with it.
    pub(crate) pictures: usize,
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
        let everything = texts(None).join("\n");
        let named = format["name"].as_str().map(str::to_owned);
        let schema_name = named.or_else(|| name_in_words(&everything));
        Asked {
            endpoint: Endpoint::Chat,
            pictures: pictures_in(body),
            hash,
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            schema_name,
            schema: format.get("schema").cloned(),
            system: texts(Some("system")).join("\n"),
            last_user: user.last().cloned().unwrap_or_default(),
            user: user.join("\n"),
            everything,
            stream: body["stream"] == true,
        }
    }

    /// Reads a request for a picture.
    pub(crate) fn of_picture(endpoint: Endpoint, body: &Value, hash: String) -> Asked {
        let prompt = body["prompt"].as_str().unwrap_or_default().to_owned();
        Asked {
            endpoint,
            pictures: usize::from(body.get("image").is_some()),
            hash,
            model: body["model"].as_str().unwrap_or_default().to_owned(),
            user: prompt.clone(),
            last_user: prompt.clone(),
            everything: prompt,
            ..Asked::default()
        }
    }
}

/// The name of a schema that the prompt asks for in words, because the request does not enforce it.
fn name_in_words(text: &str) -> Option<String> {
    let (_, behind) = text.split_once("one JSON document named `")?;
    Some(behind.split_once('`')?.0.to_owned())
}

/// The parts of messages that are pictures.
fn picture_parts(body: &Value) -> impl Iterator<Item = (usize, usize)> {
    let messages = body["messages"].as_array().into_iter().flatten();
    let found = messages.enumerate().flat_map(|(at, message)| {
        let parts = message["content"].as_array().into_iter().flatten();
        let pictures = parts
            .enumerate()
            .filter(|(_, part)| part["type"] == "image_url");
        pictures.map(move |(part, _)| (at, part))
    });
    found.collect::<Vec<_>>().into_iter()
}

fn pictures_in(body: &Value) -> usize {
    picture_parts(body).count()
}

/// The body as the journal shows it: of pictures only how large they are and what their text's hash is.
pub(crate) fn without_pictures(mut body: Value, hash_of: impl Fn(&str) -> String) -> Value {
    let found: Vec<_> = picture_parts(&body).collect();
    for (message, part) in found {
        let place = &mut body["messages"][message]["content"][part]["image_url"]["url"];
        if let Some((head, data)) = place.as_str().and_then(|url| url.split_once(',')) {
            *place = json!(format!(
                "{head},({} characters, sha256 {})",
                data.len(),
                hash_of(data)
            ));
        }
    }
    body
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
        self.endpoint.unwrap_or_default().covers(asked.endpoint)
            && self.contains.all_in(&asked.everything)
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
