use serde_json::json;

use super::*;

fn read(text: &str) -> Result<Parsed, StructuredError> {
    parse_structured(text, Some("stop"))
}

fn exactly(value: Value) -> Result<Parsed, StructuredError> {
    Ok(Parsed {
        value,
        repaired: false,
    })
}

fn repaired(value: Value) -> Result<Parsed, StructuredError> {
    Ok(Parsed {
        value,
        repaired: true,
    })
}

#[test]
fn valid_json_is_read_as_it_is() {
    assert_eq!(read("{\"a\":1}"), exactly(json!({"a": 1})));
    assert_eq!(
        read("\n [1, {\"b\": []}] \n"),
        exactly(json!([1, {"b": []}]))
    );
    assert_eq!(
        read("{\"说\":\"他说“你好”，‘再见’。\"}"),
        exactly(json!({"说": "他说“你好”，‘再见’。"}))
    );
    assert_eq!(
        read("{\"md\":\"```json\\n{}\\n``` <think>no</think>\"}"),
        exactly(json!({"md": "```json\n{}\n``` <think>no</think>"}))
    );
}

#[test]
fn fences_and_prose_are_dropped() {
    for text in [
        "```json\n{\"a\":1}\n```",
        "```\n{\"a\":1}\n```",
        "Here it is:\n```JSON\n{\"a\":1}\n```\nSee note [1] and {this}.",
        "好的，结果如下：{\"a\":1}。希望有帮助！",
        "Draft: {\"a\":0}\nBetter: {\"a\":1}",
        "{\"a\":1}\n[1] A source.",
        "As {x} says in [2], the answer is {\"a\":1}",
        "a bracket [ and a brace { and then {\"a\":1}",
        "{\"a\":1}\n(see the list [a, b",
    ] {
        assert_eq!(read(text), exactly(json!({"a": 1})), "{text}");
    }
}

#[test]
fn brackets_in_strings_do_not_count() {
    let value =
        json!({"code": "if (a[0]) { return \"}\"; }", "emoji": "\\", "next": ["]", "'", "}"]});
    let text = format!("answer: {value} done");
    assert_eq!(read(&text), exactly(value));
}

#[test]
fn json_in_reasoning_is_not_the_answer() {
    assert_eq!(
        read("<think>maybe {\"a\":0} or\n```json\n{\"a\":2}\n```</think>\n{\"a\":1}"),
        exactly(json!({"a": 1}))
    );
    assert_eq!(
        read("so {\"a\":0}?</think>{\"a\":1}"),
        exactly(json!({"a": 1}))
    );
    assert_eq!(
        read("<think>{\"a\":0}</think>"),
        Err(StructuredError::Missing)
    );
    assert_eq!(read("<think>{\"a\":0}"), Err(StructuredError::Missing));
}

#[test]
fn a_cut_answer_is_never_closed() {
    let whole = "{\"title\":\"光合作用\",\"pages\":[{\"n\":1,\"note\":\"a } b\"},{\"n\":2}]}";
    for (end, _) in whole.char_indices().skip(1) {
        assert_eq!(
            read(&whole[..end]),
            Err(StructuredError::Truncated),
            "{}",
            &whole[..end]
        );
    }
    assert_eq!(
        parse_structured(whole, Some("length")),
        Err(StructuredError::Truncated)
    );
    assert_eq!(
        read("{\"draft\":1}\n{\"final\":[1, 2"),
        Err(StructuredError::Truncated)
    );
    assert_eq!(
        read("```json\n{\"a\": [\n```"),
        Err(StructuredError::Truncated)
    );
    assert_eq!(
        read("{title: 'bare', pages: ["),
        Err(StructuredError::Truncated)
    );
}

#[test]
fn small_faults_are_repaired_and_said_to_be() {
    for text in [
        "{\"a\": 1, \"b\": [1, 2,],}",
        "{'a': 1, 'b': [1, 2]}",
        "{a: 1, b: [1, 2]}",
        "{\"a\": 1 /* one */, \"b\": [1, 2]} // done",
        "{\"a\": 1 \"b\": [1, 2]}",
        "```json\n{\"a\": 1,\n\"b\": [1, 2,]}\n```",
    ] {
        assert_eq!(read(text), repaired(json!({"a": 1, "b": [1, 2]})), "{text}");
    }
    assert_eq!(
        read("{\"a\": \"one\ntwo\"}"),
        repaired(json!({"a": "one\ntwo"}))
    );
    let chinese = "{“标题”：“他说\"好\"，走”，“页”：[1，2]}";
    assert_eq!(
        read(chinese),
        repaired(json!({"标题": "他说\"好\"，走", "页": [1, 2]}))
    );
}

#[test]
fn a_document_that_was_encoded_twice_is_decoded_twice() {
    let value = json!({"a": "one \"two\""});
    let encoded = json!(value.to_string()).to_string();
    assert_eq!(read(&encoded), exactly(value));
}

#[test]
fn a_quote_that_was_not_escaped_does_not_end_the_document() {
    for text in [
        r#"{"a":"x"}"y"}"#,
        r#"{"a":"x" y}", "b": {"c": 1}}"#,
        r#"[1, "x"y", {"x":1}]"#,
        "{'a': 1} and {'b': 2}",
        "{\"a\": 1} and {'b': 2}",
    ] {
        let read = read(text);
        assert!(
            matches!(read, Err(StructuredError::Unreadable(_))),
            "{text}: {read:?}"
        );
    }
}

#[test]
fn brackets_beside_the_document_do_not_matter() {
    for text in [
        "{\"a\":1}}",
        "{'a': 1}\n}\n",
        "As [1] and [2, 3] say: {'a': 1} :]",
    ] {
        assert_eq!(read(text).map(|it| it.value), Ok(json!({"a": 1})), "{text}");
    }
}

#[test]
fn a_draft_in_words_is_passed_over() {
    let text = "The form is {\"a\": number}. So:\n{\"a\":1}";
    assert_eq!(read(text), exactly(json!({"a": 1})));
}

#[test]
fn a_fault_is_told_with_its_place() {
    let Err(error) = read("{\"a\": 1,\n \"b\": many}") else {
        panic!("it was read")
    };
    assert_eq!(
        error.to_string(),
        "the answer's json cannot be read: line 2, column 7: only a value may stand here, and texts need double quotes"
    );
}

#[test]
fn a_text_without_json_has_none() {
    assert_eq!(read(""), Err(StructuredError::Missing));
    assert_eq!(read("Sorry, I cannot."), Err(StructuredError::Missing));
    assert_eq!(read("42"), Err(StructuredError::Missing));
}

#[test]
fn quotes_inside_a_string_stay_inside() {
    for (text, value) in [
        ("{\"a\":\"他说\"你好\"吧\"}", json!({"a": "他说\"你好\"吧"})),
        ("{\"a\":\"他说\"你好\"\"}", json!({"a": "他说\"你好\""})),
        (
            "{\"a\":\"\"好\"，他说\",\"b\":\"x\"}",
            json!({"a": "\"好\"，他说", "b": "x"}),
        ),
        (
            "{\"a\": \"x\" \"b\": [\"y\" \"z\"]}",
            json!({"a": "x", "b": ["y", "z"]}),
        ),
        (
            "{\"a\": \"\", \"b\": [\"\",],}",
            json!({"a": "", "b": [""]}),
        ),
    ] {
        assert_eq!(read(text), repaired(value), "{text}");
    }
}
