//! Reading a structured answer: valid JSON is read as it is, and no string is made up.
#![no_main]

use libfuzzer_sys::fuzz_target;
use runner::ports::parse_structured;
use serde_json::Value;

fuzz_target!(|text: &str| {
    let read = parse_structured(text, Some("stop"));
    if let Ok(exact) = serde_json::from_str::<Value>(text)
        && (exact.is_object() || exact.is_array())
    {
        let parsed = read.as_ref().expect("valid json is read");
        assert_eq!((&parsed.value, parsed.repaired), (&exact, false));
    }
    let Ok(parsed) = read else { return };
    assert!(parsed.value.is_object() || parsed.value.is_array());
    // Without escapes each string stands in the text as it is.
    if !text.contains('\\') {
        assert_in(text, &parsed.value);
    }
});

fn assert_in(text: &str, value: &Value) {
    match value {
        Value::String(string) => assert!(text.contains(string), "{string:?} is made up"),
        Value::Array(elements) => elements.iter().for_each(|it| assert_in(text, it)),
        Value::Object(members) => {
            for (key, member) in members {
                assert!(text.contains(key), "{key:?} is made up");
                assert_in(text, member);
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) => {}
    }
}
