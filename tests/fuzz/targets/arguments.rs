//! What a model hands to a tool: an object reaches the tool as it is, anything else is refused in words.
#![no_main]

use domain::carry::{Answer, Call, Carry, Exchange, ModelTurn, TurnResult};
use domain::tool_loop::{Limits, Step, Tools, made, run};
use libfuzzer_sys::fuzz_target;
use serde_json::Value;

struct Echo;

impl Tools for Echo {
    type Product = ();

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<()> {
        made(name, arguments.clone(), turns)
    }
}

const LIMITS: Limits = Limits {
    rounds: 2,
    observed_chars: 10,
};

fuzz_target!(|text: &str| {
    let (name, arguments) = text.split_once('\n').unwrap_or(("echo", text));
    let call = Call::new("1", name, arguments);
    let asked = TurnResult::Model {
        model: "m".into(),
        answer: Answer::calls(vec![call]),
    };
    let ask = |talk: Vec<Exchange>| ModelTurn {
        talk,
        ..ModelTurn::new("writer", "test", Value::Null, 1)
    };
    let Err(Carry::Tool(turn)) = run(&mut Echo, LIMITS, ask, &[asked]) else {
        panic!("a call is a turn, whatever its arguments are");
    };
    let exact = serde_json::from_str::<Value>(arguments);
    let is_object = exact.as_ref().is_ok_and(Value::is_object) || arguments.trim().is_empty();
    assert_eq!(turn.gives.is_none(), is_object);
    if let Ok(exact) = exact
        && is_object
    {
        assert_eq!(turn.input, exact);
    }
});
