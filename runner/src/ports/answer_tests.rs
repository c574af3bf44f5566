use serde_json::json;

use super::*;
use crate::ports::testing::request;

const STREAM: &str = concat!(
    "data: {\"model\":\"m-1\",\"choices\":[{\"index\":0,\"delta\":{\"role\":\"assistant\",\"content\":\"\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"reasoning_content\":\"hm\",\"content\":null}}]}\n\n",
    ": ping\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"你好，\"}}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{\"content\":\"world\"},\"finish_reason\":null}]}\n\n",
    "data: {\"choices\":[{\"index\":0,\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":7,\"completion_tokens\":3,",
    "\"prompt_tokens_details\":{\"cached_tokens\":2},\"completion_tokens_details\":{\"reasoning_tokens\":1}}}\n\n",
    "data: [DONE]\n\n",
);

fn expected() -> ModelAnswer {
    ModelAnswer {
        text: "你好，world".to_owned(),
        reasoning: "hm".to_owned(),
        tool_calls: vec![],
        model: "m-1".to_owned(),
        finish_reason: Some("stop".to_owned()),
        usage: Some(Usage {
            input: 7,
            output: 3,
            cached: 2,
            reasoning: 1,
        }),
        raw: Bytes::from_static(STREAM.as_bytes()),
        ..ModelAnswer::default()
    }
}

#[test]
fn a_stream_becomes_the_same_answer_wherever_it_is_split() {
    assert_eq!(parse_sse(STREAM), Ok(expected()));
    for width in [1, 2, 3, 5, 7, 64] {
        let mut reader = AnswerReader::default();
        let mut text = String::new();
        for piece in STREAM.as_bytes().chunks(width) {
            text += &reader.push(Bytes::copy_from_slice(piece)).unwrap();
        }
        let (rest, answer) = reader.finish().unwrap();
        assert_eq!(text + &rest, "你好，world");
        assert_eq!(answer, expected(), "pieces of {width} bytes");
    }
}

#[test]
fn reasoning_is_read_under_either_name_once_and_its_beginning_only() {
    let reasoning = |message: serde_json::Value| {
        let whole = json!({ "choices": [{ "message": message, "finish_reason": "stop" }] });
        parse_sse(whole.to_string()).unwrap().reasoning
    };
    assert_eq!(
        reasoning(json!({ "reasoning": "hm", "content": "ok" })),
        "hm"
    );
    let both = json!({ "reasoning_content": "hm", "reasoning": "hm" });
    assert_eq!(reasoning(both), "hm");
    assert_eq!(reasoning(json!({ "reasoning": null, "content": "ok" })), "");
    let piece = json!({ "choices": [{ "delta": { "reasoning": "想".repeat(1_000) } }] });
    let end = json!({ "choices": [{ "delta": {}, "finish_reason": "stop" }] });
    let events = vec![format!("data: {piece}\n\n"); 100].concat();
    let answer = parse_sse(format!("{events}data: {end}\n\n")).unwrap();
    let chars = answer.reasoning.chars().count();
    assert!(
        (THOUGHT_CHARS_MAX..2 * THOUGHT_CHARS_MAX).contains(&chars),
        "{chars}"
    );
}

#[test]
fn every_cut_before_the_finish_reason_is_a_cut_and_never_an_answer() {
    let finished = STREAM.find("\"stop\"}]}").unwrap() + "\"stop\"}]}".len();
    for end in 0..finished {
        let cut = parse_sse(Bytes::copy_from_slice(&STREAM.as_bytes()[..end]));
        assert_eq!(cut.unwrap_err().kind, ModelErrorKind::Cut, "cut at {end}");
    }
    for end in finished..STREAM.len() {
        assert_eq!(
            parse_sse(&STREAM.as_bytes()[..end]).unwrap().text,
            "你好，world"
        );
    }
}

#[test]
fn tool_calls_come_in_pieces() {
    let body = concat!(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"c1\",\"function\":{\"name\":\"web_search\",\"arguments\":\"\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"{\\\"q\\\":\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":1,\"id\":\"c2\",\"function\":{\"name\":\"read\",\"arguments\":{\"n\":1}}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"\\\"x\\\"}\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    let call = |id: &str, name: &str, arguments: &str| Call::new(id, name, arguments);
    let answer = parse_sse(body).unwrap();
    assert_eq!(
        answer.tool_calls,
        vec![
            call("c1", "web_search", "{\"q\":\"x\"}"),
            call("c2", "read", "{\"n\":1}")
        ]
    );
    assert_eq!(answer.finish_reason.as_deref(), Some("tool_calls"));
}

#[test]
fn tool_calls_without_an_index_are_told_apart_by_their_ids() {
    let body = concat!(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"1\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"2\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"function\":{\"arguments\":\"3\"}}]},\"finish_reason\":\"tool_calls\"}]}\n\n",
    );
    let calls = parse_sse(body).unwrap().tool_calls;
    let read: Vec<_> = calls
        .iter()
        .map(|c| (c.id.as_str(), c.arguments.as_str()))
        .collect();
    assert_eq!(read, vec![("a", "1"), ("b", "23")]);
}

#[test]
fn a_whole_document_is_an_answer_too() {
    let whole = "{\"model\":\"m\",\"choices\":[{\"message\":{\"content\":\"<think>x</think>ok\"},\"finish_reason\":\"length\"}]}";
    let answer = parse_sse(whole).unwrap();
    assert_eq!(answer.text, "ok");
    assert!(answer.is_truncated());
    let cut = parse_sse(&whole.as_bytes()[..40]);
    assert_eq!(cut.unwrap_err().kind, ModelErrorKind::Cut);
}

#[test]
fn a_text_that_stands_beside_the_place_of_a_message_is_the_answer() {
    let whole = json!({ "choices": [{ "index": 0, "text": "ok", "finish_reason": "stop" }] });
    assert_eq!(parse_sse(whole.to_string()).unwrap().text, "ok");
    let both = json!({ "text": "ok", "delta": { "content": "ok" }, "finish_reason": "stop" });
    assert_eq!(parse_sse(event(&both)).unwrap().text, "ok");
}

#[test]
fn an_error_in_the_middle_of_a_stream_is_not_a_cut() {
    let body = "data: {\"choices\":[{\"delta\":{\"content\":\"a\"}}]}\n\ndata: {\"error\":{\"message\":\"overloaded\",\"code\":502}}\n\n";
    let error = parse_sse(body).unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Server);
    assert_eq!(error.message, "the provider broke off: overloaded");
}

#[test]
fn an_event_that_is_not_json_is_malformed() {
    let error = parse_sse("data: secret words\n\ndata: [DONE]\n\n").unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Malformed);
    assert!(!error.message.contains("secret words"));
}

#[test]
fn a_stream_that_says_nothing_is_no_answer() {
    let error = parse_sse("data: [DONE]\n\n").unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Malformed);
}

#[test]
fn an_answer_without_choices_is_an_empty_one() {
    let stream = "data: {\"choices\":[]}\n\ndata: [DONE]\n\n";
    for body in [stream, "{\"choices\":[],\"usage\":null}"] {
        let answer = parse_sse(body).expect(body);
        let fault = answer.fault(&request("hi")).expect(body);
        assert_eq!(fault.kind, ModelErrorKind::Empty, "{body}");
    }
}

#[test]
fn calls_that_all_have_the_index_0_are_told_apart_by_their_ids() {
    let body = concat!(
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"a\",\"function\":{\"name\":\"f\",\"arguments\":\"{\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"id\":\"b\",\"function\":{\"name\":\"g\",\"arguments\":\"{\"}}]}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"tool_calls\":[{\"index\":0,\"function\":{\"arguments\":\"}\"}}]}}]}\n\n",
    );
    // Nor did the server say that this is all.
    let calls = parse_sse(body).unwrap().tool_calls;
    let calls: Vec<_> = calls
        .iter()
        .map(|call| {
            (
                call.id.as_str(),
                call.name.as_str(),
                call.arguments.as_str(),
            )
        })
        .collect();
    assert_eq!(calls, [("a", "f", "{}"), ("b", "g", "{}")]);
}

#[test]
fn a_closed_document_is_an_answer_though_its_end_is_not_marked() {
    let said = |text: &str| {
        let data = serde_json::json!({"choices": [{"delta": {"content": text}}]});
        parse_sse(format!("data: {data}\n\n")).map(|answer| answer.text)
    };
    assert_eq!(said("{\"a\": [1]}"), Ok("{\"a\": [1]}".to_owned()));
    for cut in ["{\"a\": [1", "It begins", "{\"a\": 1} and"] {
        let error = said(cut).unwrap_err();
        assert_eq!(error.kind, ModelErrorKind::Cut, "{cut}");
    }
}

#[test]
fn a_whole_answer_may_begin_with_a_mark_of_byte_order() {
    let body =
        "\u{feff}{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}";
    assert_eq!(
        parse_sse(body).map(|answer| answer.text),
        Ok("hi".to_owned())
    );
}

#[test]
fn an_error_in_a_stream_may_be_a_word() {
    for (word, kind) in [
        ("context_length_exceeded", ModelErrorKind::TooLong),
        ("invalid_api_key", ModelErrorKind::Auth),
        ("insufficient_quota", ModelErrorKind::OutOfCredit),
        ("overloaded", ModelErrorKind::Server),
    ] {
        let data = serde_json::json!({"error": {"message": "no", "code": word}});
        let error = parse_sse(format!("data: {data}\n\n")).unwrap_err();
        assert_eq!(error.kind, kind, "{word}");
    }
}

/// One event of a stream with this in its first choice.
fn event(choice: &serde_json::Value) -> String {
    format!("data: {}\n\n", serde_json::json!({"choices": [choice]}))
}

#[test]
fn what_comes_beside_calls_is_kept_as_it_came() {
    let call = serde_json::json!({"index": 0, "id": "c1", "function": {"name": "f", "arguments": "{}"},
        "extra_content": {"google": {"thought_signature": "s"}}});
    let details =
        |text: &str| serde_json::json!([{"index": 0, "type": "reasoning.text", "text": text}]);
    let body = [
        event(&serde_json::json!({"delta": {"role": "assistant", "reasoning_content": "first ", "reasoning_details": details("a")}})),
        event(&serde_json::json!({"delta": {"reasoning_content": "then", "reasoning_details": details("b")}})),
        event(&serde_json::json!({"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"})),
    ]
    .concat();
    let answer = parse_sse(body).unwrap();
    let beside =
        serde_json::json!({"reasoning_content": "first then", "reasoning_details": details("ab")});
    assert_eq!(serde_json::Value::Object(answer.beside), beside);
    let beside = serde_json::json!({"extra_content": {"google": {"thought_signature": "s"}}});
    let of_call = answer.tool_calls[0].beside.clone();
    assert_eq!(serde_json::Value::Object(of_call), beside);
}

#[test]
fn a_call_without_an_id_gets_one() {
    let call = serde_json::json!({"index": 0, "function": {"name": "f", "arguments": "{}"}});
    let body =
        event(&serde_json::json!({"delta": {"tool_calls": [call]}, "finish_reason": "tool_calls"}));
    assert_eq!(parse_sse(body).unwrap().tool_calls[0].id, "call_0");
}

#[test]
fn tokens_are_found_where_providers_count_them() {
    for counts in [
        r#""usage":{"prompt_tokens":"7","completion_tokens":"3"}"#,
        r#""usage":{"input_tokens":7,"output_tokens":3}"#,
        r#""x_groq":{"usage":{"prompt_tokens":7,"completion_tokens":3}}"#,
        r#""usageMetadata":{"promptTokenCount":7,"candidatesTokenCount":3}"#,
        r#""timings":{"prompt_n":7,"predicted_n":3}"#,
        r#""prompt_eval_count":7,"eval_count":3"#,
    ] {
        let body = format!(
            "data: {{\"choices\":[{{\"delta\":{{\"content\":\"x\"}},\"finish_reason\":\"stop\"}}],{counts}}}\n\n"
        );
        let usage = parse_sse(body).unwrap().usage.expect(counts);
        assert_eq!((usage.input, usage.output), (7, 3), "{counts}");
    }
}

#[test]
fn what_is_no_answer_is_told_from_one() {
    let asked = request("hi");
    let fault = |choice: serde_json::Value| {
        let answer = parse_sse(event(&choice)).unwrap();
        answer
            .fault(&asked)
            .map(|fault| (fault.kind, fault.message))
    };
    let json = |text: &str, reason: &str| serde_json::json!({"delta": {"content": text}, "finish_reason": reason});
    assert_eq!(fault(json("hi", "stop")), None);
    assert_eq!(fault(json("{}", "length")), None, "it was closed by then");
    let refused =
        serde_json::json!({"delta": {"refusal": "I cannot do that."}, "finish_reason": "stop"});
    let words = "the model declined to answer: I cannot do that.".to_owned();
    assert_eq!(fault(refused), Some((ModelErrorKind::Refused, words)));
    let kind = |choice| fault(choice).map(|(kind, _)| kind);
    assert_eq!(
        kind(json("{\"a\":", "length")),
        Some(ModelErrorKind::Length)
    );
    assert_eq!(kind(json("", "length")), Some(ModelErrorKind::Length));
    let again = "The sea rises.\n".repeat(50);
    assert_eq!(
        kind(json(again.as_str(), "length")),
        Some(ModelErrorKind::Loop)
    );
    assert_eq!(
        kind(json(again.as_str(), "stop")),
        None,
        "its product sees to it"
    );
    assert_eq!(
        kind(json("He", "content_filter")),
        Some(ModelErrorKind::Filtered)
    );
    assert_eq!(kind(json(" ", "stop")), Some(ModelErrorKind::Empty));
    for cut in ["model_length", "MAX_TOKENS", "max_output_tokens"] {
        assert_eq!(kind(json("He", cut)), Some(ModelErrorKind::Length), "{cut}");
    }
    for whole in ["STOP", "end_turn", "COMPLETE", "eos"] {
        assert_eq!(kind(json("He", whole)), None, "{whole}");
    }
}

#[test]
fn an_answer_that_something_else_ended_is_broken_off_unless_it_is_closed() {
    for reason in ["network_error", "error", "insufficient_system_resource"] {
        let fault = |text: &str| {
            let choice = json!({ "delta": { "content": text }, "finish_reason": reason });
            parse_sse(event(&choice)).unwrap().fault(&request("hi"))
        };
        let broken = fault("It begins").expect(reason);
        assert_eq!(broken.kind, ModelErrorKind::Cut, "{reason}");
        assert!(
            broken.retryable() && broken.message.contains(reason),
            "{broken}"
        );
        assert_eq!(fault("{\"a\": 1}"), None, "{reason}");
    }
}

#[test]
fn a_web_page_and_an_error_with_status_200_are_no_answers() {
    let kind = |body: &str| parse_sse(body.to_owned()).unwrap_err().kind;
    assert_eq!(
        kind("\n<!doctype html><html></html>"),
        ModelErrorKind::NotAnAnswer
    );
    let key = r#"{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}"#;
    assert_eq!(kind(key), ModelErrorKind::Auth);
    assert_eq!(
        kind(r#"[{"error":{"code":429,"message":"busy"}}]"#),
        ModelErrorKind::RateLimited
    );
}

#[test]
fn a_whole_body_behind_a_mark_of_byte_order_does_not_depend_on_its_pieces() {
    let body =
        "\u{feff}{\"choices\":[{\"message\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}";
    let mut reader = AnswerReader::default();
    for byte in body.bytes() {
        reader.push(Bytes::from(vec![byte])).unwrap();
    }
    assert_eq!(reader.finish().unwrap().1, parse_sse(body).unwrap());
}

#[test]
fn an_error_in_a_stream_is_one_whatever_it_looks_like() {
    let says = "This model's maximum context length is 8192 tokens";
    for event in [
        format!(r#"{{"error":{{"message":"{says}","code":400}}}}"#),
        format!(r#"{{"object":"error","message":"{says}","code":40303}}"#),
        format!(r#"{{"detail":"{says}"}}"#),
    ] {
        let error = parse_sse(format!("data: {event}\n\ndata: [DONE]\n\n")).expect_err(&event);
        assert_eq!(error.kind, ModelErrorKind::TooLong, "{event}");
        assert!(error.message.contains("8192"), "{event}");
    }
    // Events of other kinds are passed over.
    let body = "data: {\"type\":\"ping\"}\n\ndata: {\"choices\":[{\"delta\":{\"content\":\"x\"},\"finish_reason\":\"stop\"}]}\n\n";
    assert_eq!(parse_sse(body).expect("an answer").text, "x");
}

#[test]
fn a_bad_byte_is_replaced_and_the_answer_is_there() {
    let mut body = b"data: {\"choices\":[{\"delta\":{\"content\":\"one ".to_vec();
    body.extend([0xff]);
    body.extend(b" two\"},\"finish_reason\":\"stop\"}]}\n\ndata: [DONE]\n\n");
    assert_eq!(parse_sse(body).expect("an answer").text, "one \u{fffd} two");
    let mut whole = b"{\"choices\":[{\"message\":{\"content\":\"one ".to_vec();
    whole.extend([0xff]);
    whole.extend(b" two\"},\"finish_reason\":\"stop\"}]}");
    assert_eq!(
        parse_sse(whole).expect("an answer").text,
        "one \u{fffd} two"
    );
}

#[test]
fn a_character_that_is_cut_in_two_is_put_together() {
    let piece = |content: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{content}\"}}}}]}}\n\n")
    };
    let body = piece("one ") + &piece("\\ud83e") + &piece("\\udd86") + &piece(" two");
    let answer = parse_sse(body + "data: [DONE]\n\n").expect("an answer");
    assert_eq!(answer.text, "one 🦆 two");
}

#[test]
fn a_whole_document_among_the_reasoning_is_the_answer_where_there_is_no_other() {
    let answer = |message: &str| {
        let body = format!(r#"{{"choices":[{{"message":{message},"finish_reason":"stop"}}]}}"#);
        parse_sse(body).expect("an answer")
    };
    let used = answer(r#"{"content":"","reasoning":"{\"a\": 1}"}"#);
    assert_eq!(
        (used.text.as_str(), used.reasoning.as_str()),
        ("{\"a\": 1}", "")
    );
    let used = answer(r#"{"content":null,"reasoning_content":" {\"a\": 1}\n"}"#);
    assert_eq!(used.text.trim(), "{\"a\": 1}");
    let used = answer(r##"{"content":"","reasoning":"---\ntitle: Rain\n---\n# A"}"##);
    assert_eq!(used.text, "---\ntitle: Rain\n---\n# A");
    let unusual = r##"{"choices":[{"message":{"content":"","reasoning":"# A\n- b"},"finish_reason":"COMPLETE"}]}"##;
    assert_eq!(parse_sse(unusual).expect("an answer").text, "# A\n- b");
    let cut = r##"{"choices":[{"message":{"content":"","reasoning":"# A\n- b"},"finish_reason":"length"}]}"##;
    assert_eq!(parse_sse(cut).expect("an answer").text, "");
    // Thoughts are no answer, and beside an answer they stay what they are.
    assert_eq!(
        answer(r#"{"content":"","reasoning":"Let me think."}"#).text,
        ""
    );
    let both = answer(r#"{"content":"x","reasoning":"{\"a\": 1}"}"#);
    assert_eq!(
        (both.text.as_str(), both.reasoning.as_str()),
        ("x", "{\"a\": 1}")
    );
}

#[test]
fn calls_without_id_and_index_are_told_apart_by_their_names() {
    let call = |name: &str, arguments: &str| {
        let function = serde_json::json!({ "name": name, "arguments": arguments });
        let delta = serde_json::json!({ "choices": [{ "delta": { "tool_calls": [{ "function": function }] } }] });
        format!("data: {delta}\n\n")
    };
    let end = "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"tool_calls\"}]}\n\n";
    let body = [
        call("find", "{\"q\":"),
        call("", "1}"),
        call("find", "{\"q\":2}"),
        call("read", "{}"),
    ]
    .concat()
        + end;
    let calls = parse_sse(body).expect("an answer").tool_calls;
    let calls: Vec<_> = calls
        .iter()
        .map(|call| (call.name.as_str(), call.arguments.as_str()))
        .collect();
    assert_eq!(
        calls,
        [("find", "{\"q\":1}"), ("find", "{\"q\":2}"), ("read", "{}")]
    );
}
