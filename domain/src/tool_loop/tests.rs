use super::*;

/// `look` asks the outside world, `think` asks a model, `hand_in` ends the loop unless it is empty.
struct LoopFixture;

impl Tools for LoopFixture {
    type Product = String;

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<String> {
        match (name, turns) {
            ("look", []) => Step::Next(Box::new(Carry::tool(name, arguments.clone()))),
            ("look", [TurnResult::Tool { output }, ..]) => Step::Done {
                output: output_text(output),
                end: None,
            },
            ("hand_in", turns) => {
                let text = arguments["text"].as_str().unwrap_or_default();
                if text.is_empty() {
                    return refuse_call(name, arguments, "the text is empty", turns);
                }
                match answer_call(name, arguments, accepted(), turns) {
                    Step::Done { output, .. } => Step::Done {
                        output,
                        end: Some(text.to_owned()),
                    },
                    next => next,
                }
            }
            _ => refuse_call(name, arguments, "there is no such tool", turns),
        }
    }

    fn looks(&self) -> Vec<(&'static str, Value)> {
        vec![("look", json!({ "at": "all" }))]
    }

    fn without_tools(&self) -> Option<HandIn> {
        Some(HandIn {
            tool: "hand_in",
            schema: json!({ "type": "object" }),
        })
    }

    fn in_prose(&mut self, said: &str) -> Option<String> {
        said.strip_prefix("prose: ").map(str::to_owned)
    }
}

fn accepted() -> ToolOutcome {
    ToolOutcome::gave(json!("accepted"), "")
}

const LIMITS: Limits = Limits {
    rounds: 4,
    observed_chars: 10,
};

fn ask(talk: Vec<Exchange>) -> ModelTurn {
    ModelTurn {
        talk,
        ..ModelTurn::new("writer", "test", Value::Null, 1)
    }
}

fn next(turns: &[TurnResult]) -> Result<String, Carry> {
    run(&mut LoopFixture, LIMITS, ask, turns).map(|(product, _)| product)
}

fn calls(wanted: &[(&str, &str)]) -> TurnResult {
    let calls = wanted.iter().zip(1..).map(|((name, arguments), id)| {
        Call::new(
            format!("c{id}"),
            (*name).to_owned(),
            (*arguments).to_owned(),
        )
    });
    TurnResult::Model {
        model: "m".into(),
        answer: Answer::calls(calls.collect()),
    }
}

fn gave(output: Value) -> TurnResult {
    TurnResult::Tool { output }
}

fn talk(carry: Result<String, Carry>) -> Vec<Exchange> {
    let Err(Carry::Model(turn)) = carry else {
        panic!("no question: {carry:?}")
    };
    turn.talk
}

#[test]
fn each_turn_leads_to_the_next_until_something_is_handed_in() {
    assert!(talk(next(&[])).is_empty());
    let wants = calls(&[("look", r#"{"at":"a"}"#)]);
    let Err(Carry::Tool(tool)) = next(std::slice::from_ref(&wants)) else {
        panic!("the tool is called")
    };
    assert_eq!((tool.tool.as_str(), tool.gives), ("look", None));
    let looked = [wants, gave(json!("far too long a result"))];
    let said = talk(next(&looked));
    let Exchange::Returned { call, output } = &said[1] else {
        panic!("{said:?}")
    };
    assert_eq!(call, "c1");
    assert_eq!(output, "far too lo\n[cut here: 10 of 21 characters]");
    let [wants, result] = looked;
    let hands_in = calls(&[("hand_in", r#"{"text":"done"}"#), ("look", "{}")]);
    let all = [wants, result, hands_in, gave(json!("accepted"))];
    let Err(Carry::Tool(tool)) = next(&all[..3]) else {
        panic!("handing in is recorded")
    };
    assert!(tool.gives.is_some());
    assert_eq!(next(&all).expect("it ends"), "done");
}

#[test]
fn what_is_wrong_with_a_call_is_told_to_the_model() {
    for (name, arguments, message) in [
        ("look", "{", "not JSON"),
        ("look", "[]", "no JSON object"),
        ("fly", "{}", "no such tool"),
        ("hand_in", "{}", "empty"),
    ] {
        let turns = [calls(&[(name, arguments)])];
        let Err(Carry::Tool(tool)) = next(&turns) else {
            panic!("a refusal is recorded")
        };
        let outcome = tool.gives.expect("nothing of the world is needed");
        assert!(outcome.summary.contains(message), "{}", outcome.summary);
        let [turn] = turns;
        let said = talk(next(&[turn, gave(outcome.output)]));
        assert!(
            matches!(&said[1], Exchange::Returned { output, .. } if output.starts_with("error"))
        );
    }
}

fn says(text: &str) -> TurnResult {
    answers(Answer::Text(text.to_owned()))
}

fn answers(answer: Answer) -> TurnResult {
    TurnResult::Model {
        model: "m".into(),
        answer,
    }
}

/// The question without tools, once what these turns lead to has been looked at.
fn plain(turns: &[TurnResult]) -> ModelTurn {
    let Err(Carry::Tool(look)) = next(turns) else {
        panic!("the program looks for the model")
    };
    assert_eq!(
        (look.tool.as_str(), &look.input["at"]),
        ("look", &json!("all"))
    );
    let looked = [turns, &[gave(json!("seen"))]].concat();
    let Err(Carry::Model(turn)) = next(&looked) else {
        panic!("it is asked without tools")
    };
    assert!(turn.tools.is_empty());
    assert_eq!(turn.schema.as_ref().map(|(name, _)| *name), Some("hand_in"));
    assert!(turn.talk.iter().all(|said| match said {
        Exchange::Said { calls, .. } => calls.is_empty(),
        Exchange::Returned { .. } => false,
        Exchange::Told(_) => true,
    }));
    *turn
}

#[test]
fn a_model_that_does_not_get_along_with_tools_answers_with_a_structure() {
    let unknown = || {
        [
            calls(&[("fly", "{}")]),
            gave(json!({ "error": "no such tool" })),
        ]
    };
    let repeated = || [calls(&[("look", "{}")]), gave(json!("x"))];
    for turns in [
        vec![says("hm")],
        [unknown(), unknown()].concat(),
        [repeated(), repeated(), repeated()].concat(),
    ] {
        let asked = plain(&turns);
        let seen =
            |said: &Exchange| matches!(said, Exchange::Told(told) if told == "`look` gave:\nseen");
        assert!(asked.talk.iter().any(seen));
        let structure = answers(Answer::Json(json!({ "text": "done" })));
        let all = [&turns[..], &[gave(json!("seen")), structure]].concat();
        let Err(Carry::Tool(recorded)) = next(&all) else {
            panic!("handing in is recorded")
        };
        assert!(recorded.gives.is_some());
        let all = [&all[..], &[gave(json!("accepted"))]].concat();
        assert_eq!(next(&all).expect("it ends"), "done");
    }
}

#[test]
fn one_call_that_fails_is_no_reason_to_take_the_tools_away() {
    let failed = [
        calls(&[("fly", "{}")]),
        gave(json!({ "error": "no such tool" })),
    ];
    let Err(Carry::Model(turn)) = next(&failed) else {
        panic!("it is asked again")
    };
    assert_eq!(turn.schema, None);
    let refused = || {
        [
            calls(&[("hand_in", "{}")]),
            gave(json!({ "error": "empty" })),
        ]
    };
    let other = [
        calls(&[("hand_in", r#"{"at":1}"#)]),
        gave(json!({ "error": "empty" })),
    ];
    let Err(Carry::Model(turn)) = next(&[refused(), other].concat()) else {
        panic!("what is handed in can be mended")
    };
    assert_eq!(turn.schema, None);
}

#[test]
fn what_was_said_in_prose_counts_where_nothing_is_handed_in_and_otherwise_the_attempt_is_given_up()
{
    let looked = gave(json!("seen"));
    let bad = || says("no JSON");
    let all = [says("prose: good"), looked.clone(), bad(), bad()];
    assert_eq!(next(&all).expect("it ends"), "good");
    let all = [says("hm"), looked, bad(), bad()];
    assert!(matches!(next(&all), Err(Carry::Reject(_))));
}

#[test]
fn more_calls_than_are_made_at_a_time_are_told_to_come_again() {
    let many = vec![("look", "{}"); CALLS_MAX + 1];
    let mut turns = vec![calls(&many)];
    turns.extend(std::iter::repeat_n(gave(json!("x")), CALLS_MAX));
    let said = talk(next(&turns));
    assert_eq!(said.len(), 1 + CALLS_MAX + 1);
    assert!(
        matches!(said.last(), Some(Exchange::Returned { output, .. }) if output.starts_with("not called"))
    );
}
