//! A model that works with tools until it hands in the result that it was asked for: a pure function from the turns so far to the next
//! turn, or to what was handed in.

use serde_json::{Map, Value, json};
use smol_str::SmolStr;

use crate::carry::{Answer, Call, Carry, Exchange, ModelTurn, ToolOutcome, ToolTurn, TurnResult};
use crate::event::Violation;

/// The most calls of one answer that are made. Models that want more repeat themselves; for each further call the model is told that it was
/// not made.
pub const CALLS_MAX: usize = 8;

/// Characters of a tool's name that are recorded: the longest of ours has 22, and a model may name anything.
const NAME_CHARS: usize = 64;

/// What counts against a loop: an answer without a call as much as this, one that calls the same as the one before, or whose calls are all
/// refused, half of it. With this much the model is asked without tools, or the attempt is given up where that cannot be.
const IDLE_MAX: u32 = 2;

/// Answers of a model that is asked without tools. It is few, since each may be as long as an answer can be.
const PLAIN_ANSWERS_MAX: usize = 2;

/// Limits of one loop.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// The most answers of the model.
    pub rounds: u32,
    /// Characters of a tool's result that the model is shown.
    pub observed_chars: usize,
}

/// How far a call has come.
#[derive(Debug)]
pub enum Step<T> {
    /// The call needs this turn.
    Next(Box<Carry>),
    /// The call is done and gave this output, in words for the model; with `end`, the loop is over.
    Done { output: String, end: Option<T> },
}

/// The tools of a loop.
pub trait Tools {
    type Product;

    /// What a call needs next, given the turns that it has had. The function is called again for the same call after each further turn, so
    /// it may change `self` only when the call is done.
    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<Self::Product>;

    /// What an answer without a call hands in, or what is wrong with it, which rejects the attempt; `None` where only a tool can hand in
    /// the result, so that the model is reminded of that tool.
    fn answered(&mut self, _answer: &Answer) -> Option<Result<Self::Product, Vec<Violation>>> {
        None
    }

    /// Names and arguments of the calls that are made for a model that does not get along with tools.
    fn looks(&self) -> Vec<(&'static str, Value)> {
        vec![]
    }

    /// How such a model hands in its result when it has been shown what these calls gave; `None` where it cannot.
    fn without_tools(&self) -> Option<HandIn> {
        None
    }

    /// The result of a loop whose model hands in nothing, without tools either; `said` is what it said in prose, the last of it first, and
    /// nothing at the end. `None` where the loop cannot end in this way.
    fn in_prose(&mut self, _said: &str) -> Option<Self::Product> {
        None
    }
}

/// How a model hands in without tools: it answers with what it would have called a tool with.
#[derive(Debug)]
pub struct HandIn {
    pub tool: &'static str,
    /// JSON Schema of the answer.
    pub schema: Value,
}

/// What was handed in and the model that handed it in, or what to do next.
pub fn run<T: Tools>(
    tools: &mut T,
    limits: Limits,
    ask: impl FnOnce(Vec<Exchange>) -> ModelTurn,
    turns: &[TurnResult],
) -> Result<(T::Product, SmolStr), Carry> {
    let mut rest = turns;
    let mut talk = vec![];
    let mut idle = 0;
    let mut last: Option<&Answer> = None;
    let mut by = SmolStr::default();
    for _ in 0..limits.rounds {
        let Some((turn, after)) = rest.split_first() else {
            return Err(Carry::from(ask(talk)));
        };
        rest = after;
        let TurnResult::Model { model, answer } = turn else {
            return Err(out_of_order());
        };
        by.clone_from(model);
        let repeats = last.is_some_and(|last| same(last, answer));
        last = Some(answer);
        let why = if let Answer::Calls {
            text,
            calls,
            beside,
        } = answer
        {
            talk.push(Exchange::Said {
                text: text.clone(),
                calls: calls.clone(),
                beside: beside.clone(),
            });
            let mut gives_something = false;
            for (place, call) in calls.iter().enumerate() {
                let (output, end) = if place < CALLS_MAX {
                    let (output, end, used) = carry_out(tools, call, rest)?;
                    rest = &rest[used..];
                    (output, end)
                } else {
                    let output = format!("not called: at most {CALLS_MAX} calls at a time");
                    (output, None)
                };
                if let Some(product) = end {
                    return Ok((product, model.clone()));
                }
                gives_something |= !output.starts_with(ERROR);
                talk.push(Exchange::Returned {
                    call: call.id.clone(),
                    output: observed(output, limits.observed_chars),
                });
            }
            // What is refused when it is handed in can be mended; a model whose other calls are refused does not know its tools.
            let hand_in = tools.without_tools();
            let hands_in = |call: &Call| hand_in.as_ref().is_some_and(|it| it.tool == call.name);
            idle += u32::from(repeats || !gives_something && !calls.iter().any(hands_in));
            "the same tools, or tools that are not there, are called again and again"
        } else {
            match tools.answered(answer) {
                Some(Ok(product)) => return Ok((product, model.clone())),
                Some(Err(found)) => return Err(Carry::Reject(found)),
                None => {}
            }
            talk.push(Exchange::Said {
                text: prose_of(answer),
                calls: vec![],
                beside: Map::new(),
            });
            idle += IDLE_MAX;
            "the answers call no tool, although one has to"
        };
        if idle >= IDLE_MAX {
            return ask_without_tools(tools, limits, ask, talk, rest, (by, why));
        }
    }
    let why = format!("nothing was handed in within {} answers", limits.rounds);
    end_without(tools, &[], by, &why)
}

/// The end of a loop in which this model handed nothing in, for this reason: what can be made of what it said in prose, or of nothing.
fn end_without<T: Tools>(
    tools: &mut T,
    said: &[String],
    by: SmolStr,
    why: &str,
) -> Result<(T::Product, SmolStr), Carry> {
    let mut said = said.iter().rev().map(String::as_str).chain([""]);
    let product = said.find_map(|said| tools.in_prose(said));
    product
        .map(|product| (product, by))
        .ok_or_else(|| given_up(why))
}

/// The rest of a loop whose model does not get along with tools, for this reason: the program looks for it, and it answers with a structure.
fn ask_without_tools<T: Tools>(
    tools: &mut T,
    limits: Limits,
    ask: impl FnOnce(Vec<Exchange>) -> ModelTurn,
    talk: Vec<Exchange>,
    mut rest: &[TurnResult],
    (mut by, why): (SmolStr, &str),
) -> Result<(T::Product, SmolStr), Carry> {
    let mut said: Vec<String> = vec![];
    let mut talk = retold(talk, &mut said);
    for (name, arguments) in tools.looks() {
        let call = Call::new("", name, arguments.to_string());
        let (output, _, used) = carry_out(tools, &call, rest)?;
        rest = &rest[used..];
        talk.push(told_of(name, &observed(output, limits.observed_chars)));
    }
    let hand_in = tools.without_tools();
    if let Some(HandIn { tool, .. }) = hand_in {
        talk.push(Exchange::Told(format!(
            "Call no tool. Answer with the arguments of `{tool}` as JSON, and with nothing else."
        )));
    }
    for HandIn { tool, schema } in hand_in.iter().cycle().take(PLAIN_ANSWERS_MAX) {
        let Some((turn, after)) = rest.split_first() else {
            let turn = ask(talk).structured(tool, schema.clone());
            return Err(Carry::from(ModelTurn {
                tools: vec![],
                ..turn
            }));
        };
        rest = after;
        let TurnResult::Model { model, answer } = turn else {
            return Err(out_of_order());
        };
        by.clone_from(model);
        let wrong = match answer {
            Answer::Json(arguments) => {
                let call = Call::new("", *tool, arguments.to_string());
                let (output, end, used) = carry_out(tools, &call, rest)?;
                rest = &rest[used..];
                if let Some(product) = end {
                    return Ok((product, by));
                }
                output
            }
            Answer::Unreadable(message) => message.clone(),
            Answer::Text(text) => {
                said.push(text.clone());
                format!("{ERROR}this is not the JSON that was asked for")
            }
            Answer::Calls { .. } => format!("{ERROR}there are no tools"),
        };
        talk.push(Exchange::Said {
            text: prose_of(answer),
            calls: vec![],
            beside: Map::new(),
        });
        talk.push(Exchange::Told(wrong));
    }
    end_without(tools, &said, by, why)
}

/// What was said and given so far, as it is told to a model that has no tools; what the model said in prose is added to `said`.
fn retold(talk: Vec<Exchange>, said: &mut Vec<String>) -> Vec<Exchange> {
    let mut names: Vec<(String, String)> = vec![];
    let told = talk.into_iter().filter_map(|exchange| match exchange {
        Exchange::Said { text, calls, .. } => {
            names.extend(calls.into_iter().map(|call| (call.id, call.name)));
            if text.trim().is_empty() {
                return None;
            }
            said.push(text.clone());
            Some(Exchange::Said {
                text,
                calls: vec![],
                beside: Map::new(),
            })
        }
        Exchange::Returned { call, output } => {
            let name = names.iter().rev().find(|(id, _)| *id == call);
            Some(told_of(name.map_or("", |(_, name)| name), &output))
        }
        told @ Exchange::Told(_) => Some(told),
    });
    told.collect()
}

fn told_of(name: &str, output: &str) -> Exchange {
    Exchange::Told(format!("`{name}` gave:\n{output}"))
}

/// What an answer says as a text.
fn prose_of(answer: &Answer) -> String {
    match answer {
        Answer::Text(text) | Answer::Unreadable(text) | Answer::Calls { text, .. } => text.clone(),
        Answer::Json(value) => value.to_string(),
    }
}

/// One call with as many turns as it needs: what the call gave, and how many turns it used.
fn carry_out<T: Tools>(
    tools: &mut T,
    call: &Call,
    rest: &[TurnResult],
) -> Result<(String, Option<T::Product>, usize), Carry> {
    let name: String = call.name.chars().take(NAME_CHARS).collect();
    let arguments = if call.arguments.trim().is_empty() {
        Ok(json!({}))
    } else {
        serde_json::from_str::<Value>(&call.arguments).map(decoded)
    };
    let mut used = 0;
    loop {
        let turns = &rest[..used];
        let step = match &arguments {
            Ok(arguments) if arguments.is_object() => tools.call(&name, arguments, turns),
            Ok(_) => refuse_call(&name, &json!({}), "the arguments are no JSON object", turns),
            Err(error) => {
                let message = format!("the arguments are not JSON: {error}");
                refuse_call(
                    &name,
                    &json!({ "arguments": call.arguments }),
                    &message,
                    turns,
                )
            }
        };
        match step {
            Step::Done { output, end } => return Ok((output, end, used)),
            Step::Next(carry) if used == rest.len() => return Err(*carry),
            Step::Next(_) => used += 1,
        }
    }
}

/// Arguments that some models encode twice.
fn decoded(arguments: Value) -> Value {
    let inner = arguments
        .as_str()
        .and_then(|text| serde_json::from_str(text).ok());
    match inner {
        Some(object @ Value::Object(_)) => object,
        Some(_) | None => arguments,
    }
}

/// A call whose outcome is known without the outside world: first it is recorded as a turn, then it is done with this outcome.
pub fn answer_call<T>(
    name: &str,
    input: &Value,
    outcome: ToolOutcome,
    turns: &[TurnResult],
) -> Step<T> {
    if turns.is_empty() {
        return Step::Next(Box::new(Carry::Tool(Box::new(ToolTurn {
            tool: name.to_owned(),
            input: input.clone(),
            gives: Some(outcome),
        }))));
    }
    Step::Done {
        output: output_text(&outcome.output),
        end: None,
    }
}

/// A call that needs the outside world: first it is a turn, then it is done with what that turn gave.
pub fn call_tool<T>(name: &str, input: Value, turns: &[TurnResult]) -> Step<T> {
    match turns.first() {
        None => Step::Next(Box::new(Carry::tool(name, input))),
        Some(turn) => Step::Done {
            output: output_text(turn.output().unwrap_or(&Value::Null)),
            end: None,
        },
    }
}

/// A call that is refused, in words that the model can act upon.
pub fn refuse_call<T>(name: &str, input: &Value, message: &str, turns: &[TurnResult]) -> Step<T> {
    answer_call(name, input, refusal_outcome(message), turns)
}

/// What a refused call gives.
pub fn refusal_outcome(message: &str) -> ToolOutcome {
    ToolOutcome {
        output: json!({ "error": message }),
        ..ToolOutcome::refused("refused", message, false)
    }
}

/// Accepts what was handed in: first this is recorded as a turn, then the loop is over.
pub fn accept_call<T>(
    name: &str,
    input: &Value,
    outcome: ToolOutcome,
    product: T,
    turns: &[TurnResult],
) -> Step<T> {
    match answer_call(name, input, outcome, turns) {
        Step::Done { output, .. } => Step::Done {
            output,
            end: Some(product),
        },
        next @ Step::Next(_) => next,
    }
}

/// The beginning of what a model is told of a call that was refused or failed.
const ERROR: &str = "error: ";

/// The output of a tool in words for the model: its error if it has one, otherwise the output itself.
pub fn output_text(output: &Value) -> String {
    if let Some(error) = output.get("error").and_then(Value::as_str) {
        return format!("{ERROR}{error}");
    }
    output
        .as_str()
        .map_or_else(|| output.to_string(), str::to_owned)
}

/// As much of a result as the model is shown, and a note where it was cut.
fn observed(output: String, most: usize) -> String {
    let chars = output.chars().count();
    if chars <= most {
        return output;
    }
    let cut: String = output.chars().take(most).collect();
    format!("{cut}\n[cut here: {most} of {chars} characters]")
}

fn same(one: &Answer, other: &Answer) -> bool {
    match (one, other) {
        (Answer::Calls { calls: one, .. }, Answer::Calls { calls: other, .. }) => {
            let said = |calls: &[Call]| -> Vec<(String, String)> {
                let calls = calls.iter();
                calls
                    .map(|call| (call.name.clone(), call.arguments.clone()))
                    .collect()
            };
            said(one) == said(other)
        }
        (one, other) => one == other,
    }
}

fn given_up(message: &str) -> Carry {
    Carry::Reject(vec![Violation {
        path: String::new(),
        message: message.to_owned(),
    }])
}

fn out_of_order() -> Carry {
    Carry::Fail {
        code: "turns_out_of_order".to_owned(),
        message: "the recorded turns are not those of this step: it was written by another version of the program; restart the step".to_owned(),
        retryable: false,
    }
}

#[cfg(test)]
mod tests;
