//! Habits of providers, each under a name: what they refuse, and how their answers look. A script that has
//! `"modes": ["no_temperature", …]` is answered by a provider that has all of them.
//!
//! A new mode is an entry in [`MODES`].

use serde::Deserialize;
use serde_json::{Value, json};

use crate::answer::Answer;

/// A habit.
pub(crate) struct Mode {
    name: &'static str,
    refuses: fn(&Value) -> Option<Refusal>,
    /// Changes an answer to this request.
    changes: fn(&mut Answer, &Value),
    /// Changes what is sent.
    writes: fn(&mut Vec<String>),
}

/// What is sent in the place of an answer.
pub(crate) struct Refusal {
    pub(crate) status: u16,
    pub(crate) headers: Vec<(&'static str, &'static str)>,
    pub(crate) body: String,
}

/// The modes of a script, by their names.
#[derive(Clone, Debug, Default, PartialEq, Deserialize)]
#[serde(try_from = "Vec<String>")]
pub(crate) struct Modes(Vec<usize>);

impl TryFrom<Vec<String>> for Modes {
    type Error = String;

    fn try_from(names: Vec<String>) -> Result<Self, String> {
        let place = |name: String| {
            let found = MODES.iter().position(|mode| mode.name == name);
            found.ok_or(format!("there is no mode `{name}`"))
        };
        names
            .into_iter()
            .map(place)
            .collect::<Result<_, _>>()
            .map(Self)
    }
}

impl Modes {
    fn all(&self) -> impl Iterator<Item = &'static Mode> {
        self.0.iter().map(|place| &MODES[*place])
    }

    pub(crate) fn refusal(&self, body: &Value) -> Option<Refusal> {
        self.all().find_map(|mode| (mode.refuses)(body))
    }

    pub(crate) fn change(&self, answer: &mut Answer, body: &Value) {
        self.all().for_each(|mode| (mode.changes)(answer, body));
    }

    pub(crate) fn write(&self, pieces: &mut Vec<String>) {
        self.all().for_each(|mode| (mode.writes)(pieces));
    }
}

impl Mode {
    const fn named(name: &'static str) -> Self {
        Self {
            name,
            refuses: |_| None,
            changes: |_, _| {},
            writes: |_| {},
        }
    }

    const fn refuses(name: &'static str, refuses: fn(&Value) -> Option<Refusal>) -> Self {
        Self {
            refuses,
            ..Self::named(name)
        }
    }

    const fn changes(name: &'static str, changes: fn(&mut Answer, &Value)) -> Self {
        Self {
            changes,
            ..Self::named(name)
        }
    }

    const fn writes(name: &'static str, writes: fn(&mut Vec<String>)) -> Self {
        Self {
            writes,
            ..Self::named(name)
        }
    }
}

/// In the words of the providers that have them.
const MODES: [Mode; 42] = [
    // DeepSeek.
    Mode::refuses("no_json_schema", |body| {
        let is_plain = body["response_format"] == json!({"type": "json_object"});
        let refused = body.get("response_format").is_some() && !is_plain;
        refused.then(|| wrong("This response_format type is unavailable now"))
    }),
    // llama.cpp's server.
    Mode::refuses("no_json_schema_and_breaks", |body| {
        let refused = body["response_format"]["type"] == "json_schema";
        let words = "[{'type': 'literal_error', 'loc': ('body', 'response_format', 'type'), 'msg': \"Input should be 'text' or 'json_object'\"}]";
        refused.then(|| error(500, "", words))
    }),
    Mode::refuses("no_response_format", |body| {
        let refused = body.get("response_format").is_some();
        refused.then(|| wrong("response_format is not supported by this model"))
    }),
    // OpenAI's strict schemas.
    Mode::refuses("no_max_length", |body| {
        let schema = body["response_format"].to_string();
        let refused = schema.contains("\"maxLength\"");
        refused.then(|| wrong("Invalid schema for response_format 'x': In context=('properties', 'a'), 'maxLength' is not permitted."))
    }),
    // OpenAI's reasoning models.
    Mode::refuses("no_temperature", |body| {
        let refused = body.get("temperature").is_some();
        refused.then(|| wrong("Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported."))
    }),
    Mode::refuses("max_completion_tokens", |body| {
        let refused = body.get("max_tokens").is_some();
        refused.then(|| wrong("Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."))
    }),
    Mode::refuses("output_limit_260", |body| {
        let refused = limit(body) > 260;
        refused.then(|| {
            wrong("max_tokens is too large. This model supports at most 260 completion tokens")
        })
    }),
    Mode::refuses("context_of_8192", |body| {
        let refused = limit(body) > 900;
        let words = format!(
            "This model's maximum context length is 8192 tokens. However, you requested {} tokens (7292 in the messages, {} in the completion).",
            limit(body) + 7292,
            limit(body)
        );
        refused.then(|| wrong(&words))
    }),
    Mode::refuses("no_stream_options", |body| {
        let refused = body.get("stream_options").is_some();
        refused.then(|| wrong("Unrecognized request argument supplied: stream_options"))
    }),
    Mode::refuses("no_system", |body| {
        let refused = messages(body).any(|message| message["role"] == "system");
        refused.then(|| wrong("System role not supported"))
    }),
    Mode::refuses("one_system_message", |body| {
        let refused = messages(body)
            .skip(1)
            .any(|message| message["role"] == "system");
        refused.then(|| wrong("the system message must be the first"))
    }),
    Mode::refuses("no_empty_content", |body| {
        let refused = messages(body).any(|message| message["content"] == "");
        refused.then(|| wrong("messages: text content blocks must be non-empty"))
    }),
    // DeepSeek and Moonshot, where their models think.
    Mode {
        refuses: |body| {
            let calls = |message: &&Value| message["tool_calls"].is_array();
            let mut bare = messages(body)
                .filter(calls)
                .filter(|m| m["reasoning_content"] != THOUGHT);
            let words = "thinking is enabled but reasoning_content is missing in assistant tool call message";
            bare.next().map(|_| wrong(words))
        },
        changes: |answer, _| answer.reasoning = Some(THOUGHT.to_owned()),
        ..Mode::named("wants_its_thoughts_back")
    },
    Mode::changes("calls_all_at_index_0", |answer, _| {
        answer
            .tool_calls
            .iter_mut()
            .for_each(|call| call["index"] = json!(0));
    }),
    Mode::changes("calls_without_ids", |answer, _| {
        answer
            .tool_calls
            .iter_mut()
            .for_each(|call| call["id"] = Value::Null);
    }),
    Mode::changes("trailing_commas", |answer, _| {
        if let Some(open) = answer.text.strip_suffix('}') {
            answer.text = format!("{open},}}");
        }
    }),
    Mode::changes("schema_around_it", |answer, _| {
        if answer.text.starts_with('{') {
            answer.text = format!("{{\"type\":\"object\",\"properties\":{}}}", answer.text);
        }
    }),
    Mode::changes("list_around_it", |answer, _| {
        if answer.text.starts_with('{') {
            answer.text = format!("[{}]", answer.text);
        }
    }),
    Mode::writes("mark_of_byte_order", |pieces| {
        pieces[0].insert(0, '\u{feff}')
    }),
    Mode::writes("no_end", |pieces| {
        pieces.pop();
    }),
    // It thinks, and has no room left for an answer.
    Mode::changes("cut_while_thinking", |answer, body| {
        answer.reasoning = Some(THOUGHT.to_owned());
        if limit(body) < 10_000 {
            answer.text = String::new();
            answer.tool_calls.clear();
            "length".clone_into(&mut answer.finish_reason);
        }
    }),
    Mode::changes("counts_nothing", |answer, _| answer.usage = Value::Null),
    Mode::changes("declines", |answer, _| {
        answer.text = String::new();
        answer.tool_calls.clear();
        answer.refusal = Some("I cannot help with that.".to_owned());
    }),
    Mode::changes("says_nothing", |answer, _| {
        answer.text = String::new();
        answer.tool_calls.clear();
    }),
    Mode::writes("no_choices", |pieces| {
        let event = json!({"object": "chat.completion.chunk", "choices": []});
        *pieces = vec![format!("data: {event}\n\ndata: [DONE]\n\n")];
    }),
    // Zhipu.
    Mode::refuses("no_credit", |_| {
        Some(error(429, "1113", "余额不足或无可用资源包,请充值。"))
    }),
    Mode::refuses("wrong_key_with_200", |_| {
        Some(error(200, "invalid_api_key", "Incorrect API key provided"))
    }),
    Mode::refuses("too_long_with_200", |_| {
        Some(error(
            200,
            "context_length_exceeded",
            "the prompt is too long",
        ))
    }),
    Mode::refuses("a_page", |_| {
        Some(Refusal {
            status: 200,
            headers: vec![("content-type", "text/html")],
            body: "<!doctype html><html><body>Welcome</body></html>".to_owned(),
        })
    }),
    // FastAPI.
    Mode::refuses("fields_beside_words", |body| {
        let refused = body.get("stream_options").is_some();
        let detail = json!([{"type": "extra_forbidden", "loc": ["body", "stream_options"], "msg": "Extra inputs are not permitted"}]);
        refused.then(|| Refusal {
            status: 422,
            headers: vec![],
            body: json!({ "detail": detail }).to_string(),
        })
    }),
    // Gemini.
    Mode::refuses("says_nothing_of_schemas", |body| {
        let refused = body["response_format"]["type"] == "json_schema";
        refused.then(|| {
            error(
                400,
                "INVALID_ARGUMENT",
                "Request contains an invalid argument.",
            )
        })
    }),
    // llama.cpp's server.
    Mode::refuses("no_grammar", |body| {
        let has_schema = body["response_format"].to_string().contains("schema");
        let is_long = body["tools"].to_string().contains("\"maxLength\"");
        (has_schema || is_long).then(|| wrong("failed to parse grammar"))
    }),
    Mode::refuses("no_maximum_in_tools_and_breaks", |body| {
        let refused = body["tools"].to_string().contains("\"maximum\"");
        let words = "Invalid tool schema at $.properties.id: unsupported keyword 'maximum'";
        refused.then(|| error(500, "server_error", words))
    }),
    // GPT-5.4.
    Mode::refuses("tools_without_effort", |body| {
        let refused = body.get("tools").is_some() && body["reasoning_effort"] != "none";
        refused.then(|| wrong("Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. To use function tools, use /v1/responses or set reasoning_effort to 'none'."))
    }),
    // OpenRouter.
    Mode::refuses("little_credit", |body| {
        let refused = limit(body) > 1_000;
        let words = format!(
            "This request requires more credits, or fewer max_tokens. You requested up to {} tokens, but can only afford 1000.",
            limit(body)
        );
        refused.then(|| error(402, "402", &words))
    }),
    Mode::refuses("no_endpoint_with_shapes", |body| {
        let refused = body.get("response_format").is_some();
        refused.then(|| {
            error(
                404,
                "404",
                "No endpoints found that can handle the requested parameters.",
            )
        })
    }),
    // vLLM.
    Mode::changes("answers_as_reasoning", |answer, _| {
        if answer.text.starts_with('{') {
            answer.reasoning = Some(std::mem::take(&mut answer.text));
        }
    }),
    Mode::changes("calls_without_ids_and_indexes", |answer, _| {
        for call in &mut answer.tool_calls {
            call["id"] = Value::Null;
            call["index"] = Value::Null;
        }
    }),
    Mode::writes("too_long_in_the_stream", |pieces| {
        let event = json!({"object": "error", "message": "This model's maximum context length is 8192 tokens", "code": 40303});
        *pieces = vec![format!("data: {event}\n\n")];
    }),
    // Google and Cohere.
    Mode::changes("ends_in_capitals", |answer, _| {
        answer.finish_reason = answer.finish_reason.to_uppercase();
    }),
    // Gateways in front of a server of plain completions.
    Mode::writes("text_beside_the_message", |pieces| {
        let of_message = "\"delta\":{\"content\":";
        for piece in pieces.iter_mut().filter(|piece| piece.contains(of_message)) {
            let beside = piece.replace(of_message, "\"text\":");
            *piece = beside.replace("},\"finish_reason\"", ",\"finish_reason\"");
        }
    }),
    Mode::refuses("busy_for_an_hour", |_| {
        Some(Refusal {
            headers: vec![("retry-after", "3600")],
            ..error(429, "rate_limit_exceeded", "slow down")
        })
    }),
];

const THOUGHT: &str = "first this, then that";

fn messages(body: &Value) -> impl Iterator<Item = &Value> {
    body["messages"].as_array().into_iter().flatten()
}

/// The limit of output that is asked for.
fn limit(body: &Value) -> u64 {
    let limit = body.get("max_tokens").or(body.get("max_completion_tokens"));
    limit.and_then(Value::as_u64).unwrap_or(0)
}

fn wrong(words: &str) -> Refusal {
    error(400, "invalid_request_error", words)
}

fn error(status: u16, code: &str, words: &str) -> Refusal {
    Refusal {
        status,
        headers: vec![],
        body: json!({"error": {"message": words, "code": code}}).to_string(),
    }
}
