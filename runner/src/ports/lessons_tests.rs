use super::*;

fn refusal(status: u16, message: &str) -> ModelError {
    let kind = if status >= 500 {
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
            (lesson.change, lesson.certainty == Certainty::Lasting),
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
fn a_keyword_in_the_schema_of_a_tool_is_left_out_whatever_the_status_is() {
    let number = json!({ "type": "integer", "maximum": 9 });
    let parameters = json!({ "type": "object", "properties": { "id": number } });
    let body = json!({ "tools": [{ "function": { "name": "plan", "parameters": parameters } }] });
    let says = "Invalid tool schema at $.properties.id: unsupported keyword 'maximum'";
    for status in [400, 500, 503] {
        let taught = lesson(&refusal(status, says), &body, &Habits::default());
        let change = taught.map(|lesson| lesson.change);
        let expected = Change::OmitKeywords(vec!["maximum"]);
        assert_eq!(change, Some(expected), "{status}");
    }
    // The word alone is no keyword, and a server that is only busy teaches nothing.
    for says in ["The maximum number of requests is reached", "overloaded"] {
        let busy = refusal(503, says);
        assert_eq!(lesson(&busy, &body, &Habits::default()), None, "{says}");
    }
}

#[test]
fn other_refusals_teach_nothing() {
    assert_eq!(learned("the model `m` does not exist"), None);
    let of_kind = |kind, status, message| ModelError {
        kind,
        ..refusal(status, message)
    };
    for refused in [
        of_kind(ModelErrorKind::Filtered, 400, "content policy violation"),
        of_kind(ModelErrorKind::RateLimited, 429, "temperature"),
    ] {
        assert_eq!(lesson(&refused, &body(), &Habits::default()), None);
    }
}

#[test]
fn a_refusal_that_says_nothing_is_answered_with_a_plainer_request_that_is_learned_only_where_it_passes()
 {
    for message in [
        "Request contains an invalid argument.",
        "Json Output is not supported",
        "Failed to parse grammar",
        "No endpoints found that can handle the requested parameters.",
        "Bad Request",
    ] {
        let lesson = learned(message).expect(message);
        let next = Change::Structured(Capability::JsonObjectWithSchema);
        assert_eq!(lesson.change, next, "{message}");
    }
    // Tools have schemas, too.
    let tools = json!({ "max_tokens": 900, "tools": [{ "type": "function", "function": { "name": "find", "parameters": {
        "type": "object", "properties": { "words": { "type": "string", "maxLength": 4000 } } } } }] });
    let refused = refusal(400, "Request contains an invalid argument.");
    let lesson = lesson(&refused, &tools, &Habits::default()).expect("a lesson");
    assert_eq!(lesson.change, Change::OmitKeywords(vec!["maxLength"]));
    assert_eq!(lesson.certainty, Certainty::Guessed);
    // What is said is taken at its word.
    for message in [
        "The image at messages[3] could not be read",
        "Your account was asked to verify its organisation before it may use this model at this address",
    ] {
        assert_eq!(learned(message), None, "{message}");
    }
}

#[test]
fn a_field_is_added_where_a_model_takes_tools_without_reasoning_only() {
    let says = "Function tools with reasoning_effort are not supported for gpt-5.4 in /v1/chat/completions. To use function tools, use \
                /v1/responses or set reasoning_effort to 'none'.";
    let mut body = json!({ "tools": [{}], "max_tokens": 900 });
    let taught = lesson(&refusal(400, says), &body, &Habits::default()).expect("a lesson");
    assert_eq!(taught.change, Change::Effort("none"));
    let mut habits = Habits::default();
    habits.take(&taught.change);
    assert_eq!(habits.reasoning_effort.as_deref(), Some("none"));
    // What is sent already is not sent again.
    body["reasoning_effort"] = json!("none");
    let again = lesson(&refusal(400, says), &body, &habits);
    assert_ne!(
        again.map(|lesson| lesson.change),
        Some(Change::Effort("none"))
    );
}

#[test]
fn what_an_account_can_still_pay_is_asked_for_once() {
    let says = "This request requires more credits, or fewer max_tokens. You requested up to 32000 tokens, but can only afford 6000.";
    let refused = ModelError {
        status: Some(402),
        ..ModelError::new(
            ModelErrorKind::OutOfCredit,
            format!("{ANSWERED}402: {says}"),
        )
    };
    let taught = lesson(&refused, &body(), &Habits::default()).expect("a lesson");
    assert_eq!(taught.change, Change::OutputTokens(6_000));
    assert_eq!(taught.certainty, Certainty::OfThisRequest);
    let empty = ModelError::new(ModelErrorKind::OutOfCredit, "Insufficient balance");
    let empty = ModelError {
        status: Some(402),
        ..empty
    };
    assert_eq!(lesson(&empty, &body(), &Habits::default()), None);
}
