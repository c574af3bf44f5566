//! Examples of what is read and what is refused, each named after what went wrong or might.

use serde_json::{Value, json};

use super::guard::is_complete;
use super::{DEPTH_MAX, Fault, read};

fn value(text: &str) -> Option<Value> {
    let (value, length) = read(text).ok()?;
    assert_eq!(length, text.len(), "{text}");
    Some(value)
}

fn fault(text: &str) -> &'static str {
    match read(text) {
        Err(Fault::Unreadable { what, .. }) => what,
        other => panic!("{text} gave {other:?}"),
    }
}

#[test]
fn a_string_is_not_split_at_its_commas() {
    for text in [
        r#"{"steps": ["What goes in, what comes out",]}"#,
        "{\"steps\": [\"What goes in, what comes out\"] // one\n}",
        "{\"steps\": [\n\"What goes in, what comes out\"\n], /* none */}",
    ] {
        let expected = json!({"steps": ["What goes in, what comes out"]});
        assert_eq!(value(text), Some(expected), "{text}");
    }
    assert_eq!(
        value("[\"one, two\nthree, four\"]"),
        Some(json!(["one, two\nthree, four"]))
    );
}

#[test]
fn a_quotation_stays_in_its_string() {
    for (text, expected) in [
        (
            r#"["He said "yes", then left"]"#,
            json!(["He said \"yes\", then left"]),
        ),
        (
            r#"{"a": "the "best": ever"}"#,
            json!({"a": "the \"best\": ever"}),
        ),
        (
            r#"{"a": ""Yes," she said", "b": 1}"#,
            json!({"a": "\"Yes,\" she said", "b": 1}),
        ),
        (
            "{'a': 'it's so', 'b': [1,]}",
            json!({"a": "it's so", "b": [1]}),
        ),
        ("{“a”：“他说“好”，走”}", json!({"a": "他说“好”，走"})),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
}

#[test]
fn a_quote_without_its_twin_is_refused() {
    for text in [
        r#"{"a": "5" wide", "b": 1}"#,
        r#"["a "yes", "no" b"]"#,
        r#"{"k": "a "yes", "no": b"}"#,
        "{'a': 'the dogs' tails'}",
        "[“他说“好”，“坏”吧”]",
    ] {
        assert!(fault(text).starts_with("it is not clear where"), "{text}");
    }
}

#[test]
fn two_strings_are_not_taken_for_one() {
    for text in [
        r#"{"a": "x" b: 1, "c": "y"}"#,
        r#"{"a":"x"b:1,"c":"y"}"#,
        r#"["x" 1, "y"]"#,
        r#"["x"1,"y"]"#,
        r#"["x""y"]"#,
        r#"["x"["a"],"y"]"#,
        r#"["x" true, "y"]"#,
    ] {
        assert!(fault(text).starts_with("it is not clear where"), "{text}");
    }
}

#[test]
fn words_outside_of_strings_are_refused_and_never_dropped() {
    for text in [
        "[1, two]",
        "{\"a\": yes}",
        "{\"a\": 1 and more}",
        "{\"a\": NaN}",
        "{\"a\": undefined}",
        "[1 2]",
        "[1,,2]",
        "[,1]",
        "{a 1}",
        "{\"a\": 01}",
        "{\"a\": 1e999}",
        "{\"a\": [1}",
        "[...]",
    ] {
        fault(text);
    }
}

#[test]
fn a_key_that_stands_twice_is_refused() {
    assert!(fault("{\"a\": 1, 'a': 2}").starts_with("the same key"));
}

#[test]
fn escapes_that_json_does_not_know_stay_as_they_are() {
    for (text, expected) in [
        (r#"["\d+ \' \x41"]"#, json!(["\\d+ \\' \\x41"])),
        (r#"["\ud83d, \u12"]"#, json!(["\\ud83d, \\u12"])),
        (r#"["\ud83d\ude00 \u00e9 \d"]"#, json!(["😀 é \\d"])),
        (r"['it\'s']", json!(["it's"])),
    ] {
        assert_eq!(value(text), Some(expected), "{text}");
    }
}

#[test]
fn numbers_are_those_of_json() {
    let text = "[0, -1, 18446744073709551615, 0.1, -2.5E+3,]";
    let exact: Value = serde_json::from_str("[0, -1, 18446744073709551615, 0.1, -2.5E+3]").unwrap();
    assert_eq!(value(text), Some(exact));
}

#[test]
fn documents_that_are_too_deep_are_refused() {
    let nested = |depth: usize| format!("{}1,{}", "[".repeat(depth), "]".repeat(depth));
    assert!(value(&nested(DEPTH_MAX)).is_some());
    assert!(fault(&nested(DEPTH_MAX + 1)).contains("too deep"));
}

#[test]
fn what_is_not_closed_is_cut() {
    for text in ["{", "[1,", "{\"a\": tr", "{\"a\": \"x", "[1 /* ", "[1] ,"] {
        let is_whole = text.starts_with("[1] ");
        assert_eq!(read(text).is_err(), !is_whole, "{text}");
        if !is_whole {
            assert_eq!(read(text), Err(Fault::Cut), "{text}");
        }
    }
}

#[test]
fn the_guard_finds_what_is_missing_or_changed() {
    let text = "{a: 'one, \\d \\u0041', // two\n \"b\": [1, True, “three”]}";
    let whole = json!({"a": "one, \\d A", "b": [1, true, "three"]});
    assert!(is_complete(text, &whole));
    for other in [
        json!({"a": "one, \\d A", "b": [1, true]}),
        json!({"a": "one, d A", "b": [1, true, "three"]}),
        json!({"a": "one", "b": [1, true, "three"]}),
        json!({"b": [1, true, "three"]}),
        json!({"a": "one, \\d A", "b": [1, true, "two", "three"]}),
        json!({"a": "one, \\d A", "b": [1, true, "three", ""]}),
    ] {
        assert!(!is_complete(text, &other), "{other}");
    }
}
