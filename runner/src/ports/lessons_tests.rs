use serde_json::json;

use super::*;

fn refusal(status: u16, message: &str) -> ModelError {
    let kind = if status == 500 {
        ModelErrorKind::Server
    } else {
        ModelErrorKind::Rejected
    };
    ModelError {
        status: Some(status),
        ..ModelError::new(kind, format!("{ANSWERED}{status}: {message}"))
    }
}

fn body() -> Value {
    json!({
        "max_tokens": 32000, "temperature": 0.3, "stream_options": {"include_usage": true},
        "response_format": {"type": "json_schema", "json_schema": {"schema": {
            "type": "object", "properties": {"a": {"type": "string", "maxLength": 9}}}}},
    })
}

fn learned(message: &str) -> Option<Lesson> {
    lesson(&refusal(400, message), &body(), &Habits::default())
}

fn change(message: &str) -> Change {
    learned(message).expect(message).change
}

#[test]
fn what_providers_say_they_do_not_take_is_left_out_or_called_otherwise() {
    let omit = |field: &str| Change::OmitField(field.to_owned());
    for (message, expected) in [
        (
            "This response_format type is unavailable now",
            Change::Structured(Capability::JsonObjectWithSchema),
        ),
        (
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
            Change::LimitName(LimitName::MaxCompletionTokens),
        ),
        (
            "Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.",
            omit("temperature"),
        ),
        (
            "invalid temperature: only 1 is allowed for this model",
            omit("temperature"),
        ),
        (
            "Unrecognized request argument supplied: stream_options",
            omit("stream_options"),
        ),
        (
            "Invalid schema for response_format 'x': In context=('properties', 'a'), 'maxLength' is not permitted.",
            Change::OmitKeywords(vec!["maxLength"]),
        ),
        (
            "The provided JSON schema contains features not supported by xgrammar.",
            Change::OmitKeywords(vec!["maxLength"]),
        ),
        (
            "Conversation roles must alternate user/assistant/user/assistant/...",
            Change::Alternates,
        ),
        ("System role not supported", Change::NoSystem),
        (
            "property 'reasoning_content' is unsupported",
            Change::SendsNothingBack,
        ),
    ] {
        assert_eq!(change(message), expected, "{message}");
    }
}

#[test]
fn a_limit_is_read_out_of_the_refusal_and_the_context_counts_for_one_request() {
    for (message, room, lasts) in [
        (
            "max_tokens is too large: 32000. This model supports at most 16384 completion tokens, whereas you provided 32000.",
            16_384,
            true,
        ),
        (
            "Invalid max_tokens value, the valid range of max_tokens is [1, 8192]",
            8_192,
            true,
        ),
        ("max_tokens is too large", 8_000, true),
        (
            "This model's maximum context length is 33000 tokens. However, you requested 40000 tokens (8000 in the messages, 32000 in the completion).",
            25_000,
            false,
        ),
        (
            "This model's maximum context length is 8192 tokens, however you requested 32300 tokens (300 in your prompt; 32000 for the completion). Please reduce your prompt; or completion length.",
            7_892,
            false,
        ),
        (
            "'max_tokens' or 'max_completion_tokens' is too large: 32000. This model's maximum context length is 8192 tokens and your request has 1200 input tokens (32000 > 8192 - 1200).",
            6_992,
            false,
        ),
        (
            "the request exceeds the available context size, try increasing it",
            8_000,
            false,
        ),
    ] {
        let lesson = learned(message).expect(message);
        let expected = Change::OutputTokens(room);
        assert_eq!(
            (lesson.change, lesson.lasts),
            (expected, lasts),
            "{message}"
        );
    }
    // No room is left for an answer.
    let full = "maximum context length is 8000 tokens, you have 7990 tokens in the messages";
    assert_eq!(learned(full), None);
    // A number that is larger than what was asked for is not taken for a limit.
    let above = "`max_tokens` must be less than or equal to `32,000`";
    assert_eq!(change(above), Change::OutputTokens(8_000));
}

#[test]
fn the_shape_is_asked_for_in_words_at_last_and_then_no_more() {
    let mut habits = Habits::default();
    let refused = refusal(500, "1 validation error: response_format.type");
    let mut rungs = vec![];
    while let Some(lesson) = lesson(&refused, &body(), &habits) {
        habits.take(&lesson.change);
        rungs.push(habits.capability());
    }
    let all = [
        Capability::JsonObjectWithSchema,
        Capability::JsonObject,
        Capability::Text,
    ];
    assert_eq!(rungs, all);
    let mut plain = body();
    plain
        .as_object_mut()
        .expect("an object")
        .remove("response_format");
    assert_eq!(lesson(&refused, &plain, &Habits::default()), None);
}

#[test]
fn other_refusals_teach_nothing() {
    assert_eq!(learned("the model `m` does not exist"), None);
    assert_eq!(learned("content policy violation"), None);
    let limited = ModelError {
        kind: ModelErrorKind::RateLimited,
        ..refusal(429, "temperature")
    };
    assert_eq!(lesson(&limited, &body(), &Habits::default()), None);
}
