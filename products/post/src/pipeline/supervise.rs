//! A supervisor says what is next. It leaves a wish, and the flow decides whether to follow it.

use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::question::ASK_USER;
use palimpsest::prelude::pipeline::tool_loop::{Limits, Step, Tools, call_tool, refuse_call};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Exchange, ModelTurn, Output, TurnResult, Violation, Work, question as asking,
    tool_loop,
};
use serde_json::{Value, json};

use super::ask;
use super::route::{END, ROUTE, WISH};
use super::stage::{SUPERVISE, SUPERVISION, Stage};

/// Tokens of a decision: two texts of 200 characters, five of 60, and a name, at 0.7 tokens a character.
pub(super) const DECISION_TOKENS: u32 = 600;

/// The most characters of a supervisor's guidance for the next agent, and of the context that the agent has to know; the contract's number.
const GUIDANCE_CHARS: usize = 200;
/// The most things that the next agent is to look at; the contract's number.
const FOCUS_MAX: usize = 5;
/// The most characters of one such thing: a few words.
const FOCUS_CHARS: usize = 60;

/// The beginnings of the names of decisions in which a supervisor tells the next agent something; the number of its wish follows.
pub(super) const CONTEXT: &str = "context:";
pub(super) const FOCUS: &str = "focus:";

const MANAGE_PROMPT: &str = "managePrompt";
const RECOMMEND_TEMPLATES: &str = "recommendTemplates";

/// The most calls of outside tools in one decision: as many as in research.
const WORLD_CALLS_MAX: u32 = super::research::WORLD_CALLS_MAX;

/// Three calls and three questions at most, and the decision.
const LIMITS: Limits = Limits {
    rounds: 8,
    observed_chars: 6_000,
};

/// What a supervisor wants.
struct Wish {
    choice: &'static str,
    guidance: String,
    context: String,
    focus: Vec<String>,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let mut desk = SupervisorTools { work, calls: 0 };
    match tool_loop::run(&mut desk, LIMITS, |talk| question(work, talk), turns) {
        Ok((wish, model)) => Carry::Done(wish.left(work, &model)),
        Err(carry) => carry,
    }
}

impl Wish {
    fn read(answer: &Value) -> Result<Self, Vec<Violation>> {
        let said = |name: &str| answer[name].as_str().unwrap_or_default().trim();
        let wanted = said("next_agent");
        let Some(choice) = stage_of(wanted) else {
            let message = format!("`{wanted}` is no agent; there are {}", agents().join(", "));
            return Err(vec![Violation::new("/next_agent", message)]);
        };
        let cut = |text: &str, most: usize| text.chars().take(most).collect::<String>();
        let focus = answer["focus_areas"].as_array().into_iter().flatten();
        let focus = focus.filter_map(Value::as_str).map(str::trim);
        let focus = focus.filter(|area| !area.is_empty()).take(FOCUS_MAX);
        Ok(Self {
            choice,
            guidance: cut(said("guidance"), GUIDANCE_CHARS),
            context: cut(said("context_from_previous"), GUIDANCE_CHARS),
            focus: focus.map(|area| cut(area, FOCUS_CHARS)).collect(),
        })
    }

    /// Puts what is told to the next agent before the wish itself.
    fn left(self, work: &Work, by: &str) -> Vec<Output> {
        let number = work.step.stage.strip_prefix(SUPERVISE).unwrap_or_default();
        let decision = |what: &str, choice: String, reason: String| Output::Decision {
            what: format!("{what}{number}"),
            choice,
            reason,
            by: by.to_owned(),
        };
        let mut left = vec![];
        if !self.context.is_empty() {
            left.push(decision(CONTEXT, self.context, String::new()));
        }
        if !self.focus.is_empty() {
            let areas = json!(self.focus).to_string();
            left.push(decision(FOCUS, areas, String::new()));
        }
        left.push(decision(WISH, self.choice.to_owned(), self.guidance));
        left
    }
}

/// What a supervisor told an agent that it chose.
#[derive(serde::Serialize)]
pub(super) struct SupervisorNote {
    pub(super) context: String,
    pub(super) focus: Vec<String>,
}

/// What the supervisor told the stage of this step when it last chose that stage; `None` where the order or a person chose the stage.
pub(super) fn told(work: &Work) -> Option<SupervisorNote> {
    let stage = work.step.stage.as_str();
    let routes = work.decisions.iter();
    let routes = routes.filter(|(_, choice)| *choice == stage);
    let numbers = routes.filter_map(|(what, _)| what.strip_prefix(ROUTE)?.parse::<u32>().ok());
    let number = numbers.max()?;
    let decided = |what: &str| work.decisions.get(&format!("{what}{number}"));
    decided(WISH).filter(|choice| *choice == stage)?;
    let focus = decided(FOCUS).and_then(|areas| serde_json::from_str(areas).ok());
    let told = SupervisorNote {
        context: decided(CONTEXT).cloned().unwrap_or_default(),
        focus: focus.unwrap_or_default(),
    };
    (!told.context.is_empty() || !told.focus.is_empty()).then_some(told)
}

struct SupervisorTools<'a> {
    work: &'a Work,
    /// The calls of outside tools that were made.
    calls: u32,
}

impl Tools for SupervisorTools<'_> {
    type Product = Wish;

    fn call(&mut self, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<Wish> {
        if name == ASK_USER && ask::may_ask(self.work) {
            return asking::call(arguments, turns);
        }
        if ![MANAGE_PROMPT, RECOMMEND_TEMPLATES].contains(&name) {
            let message = ask::no_tool(name, &tools(ask::may_ask(self.work)));
            return refuse_call(name, arguments, &message, turns);
        }
        if self.calls >= WORLD_CALLS_MAX {
            let message = format!(
                "not called: {WORLD_CALLS_MAX} calls were made, and there are no more; answer with your decision"
            );
            return refuse_call(name, arguments, &message, turns);
        }
        self.calls += u32::from(!turns.is_empty());
        call_tool(name, arguments.clone(), turns)
    }

    /// The decision is the answer itself.
    fn answered(&mut self, answer: &Answer) -> Option<Result<Wish, Vec<Violation>>> {
        let wish = match answer {
            Answer::Json(wish) => Wish::read(wish),
            Answer::Unreadable(message) => Err(vec![Violation::new("", message.clone())]),
            Answer::Text(_) | Answer::Calls { .. } => Err(vec![Violation::new(
                "",
                "is not the JSON object that was asked for",
            )]),
        };
        Some(wish)
    }
}

/// The stage of an agent, by the names of the contract or by its own.
fn stage_of(agent: &str) -> Option<&'static str> {
    if agent.eq_ignore_ascii_case(END) {
        return Some(END);
    }
    Stage::of_agent(agent).map(|stage| stage.name)
}

fn agents() -> Vec<&'static str> {
    let agents = Stage::decided().map(|stage| stage.agent().name);
    agents.chain([END]).collect()
}

fn question(work: &Work, talk: Vec<Exchange>) -> ModelTurn {
    // In the order of the stages: what is made later is put after what the supervisor was shown before.
    let mut made: Vec<_> = work.inputs.values().flatten().collect();
    made.sort_by_key(|input| Stage::named(&input.artifact.step.stage));
    let made: Vec<Value> = made
        .into_iter()
        .map(|input| json!({ "kind": input.artifact.kind, "content": input.body }))
        .collect();
    let routes = work.decisions.iter();
    let routes = routes.filter(|(what, _)| what.starts_with(ROUTE));
    let vars = json!({
        "made": made,
        "routes": routes.map(|(_, choice)| choice).collect::<Vec<_>>(),
        "agents": agents(),
        "questions": ask::may_ask(work),
        "calls": WORLD_CALLS_MAX,
    });
    ModelTurn {
        schema: Some((
            "supervisor_decision",
            json!({
                "type": "object",
                "properties": {
                    "guidance": { "type": "string", "maxLength": GUIDANCE_CHARS, "description": "why; where you go back, for that agent. At most 200 characters" },
                    "context_from_previous": { "type": "string", "maxLength": GUIDANCE_CHARS, "description": "what the next agent has to know of what was made and answered. At most 200 characters; empty where nothing" },
                    "focus_areas": { "type": "array", "items": { "type": "string", "minLength": 1, "maxLength": FOCUS_CHARS }, "maxItems": FOCUS_MAX, "description": "what the next agent is to look at, a few words each" },
                    "next_agent": { "type": "string", "enum": agents() }
                },
                "required": ["guidance", "context_from_previous", "focus_areas", "next_agent"],
                "additionalProperties": false
            }),
        )),
        tools: tools(ask::may_ask(work)),
        talk,
        ..SUPERVISION.turn(ask::vars(work, vars))
    }
}

fn tools(questions: bool) -> Vec<Tool> {
    let category =
        json!({ "type": "string", "enum": ["image_style", "writing_tone", "content_structure"] });
    let mut tools = vec![
        Tool {
            name: RECOMMEND_TEMPLATES,
            description: "Saved templates of posts that fit a message, the best first.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "message": { "type": "string" },
                    "category": category,
                    "limit": { "type": "integer", "minimum": 1, "default": 5 },
                },
                "required": ["message"],
            }),
        },
        Tool {
            name: MANAGE_PROMPT,
            description: "The user's saved templates of posts: lists them, shows one whole, or keeps one.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "action": { "type": "string", "enum": ["list", "get", "save"] },
                    "id": { "type": "string", "description": "of `get`" },
                    "name": { "type": "string", "description": "of `get` and `save`" },
                    "category": category,
                    "tags": { "type": "array", "items": { "type": "string" } },
                    "data": { "type": "object", "description": "of `save`: what the template says" },
                    "limit": { "type": "integer", "minimum": 1 },
                },
                "required": ["action"],
            }),
        },
    ];
    if questions {
        tools.push(asking::tool());
    }
    tools
}
