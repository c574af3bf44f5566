//! The pipeline that carries out any [`Program`], and the tool that its steps call.

use async_trait::async_trait;
use chrono::TimeDelta;
use domain::carry::{
    Answer, Carry, Content, ModelTurn, NewArtifact, ToolOutcome, TurnResult, Work,
};
use domain::event::{Reserve, Violation};
use domain::flow::{Flow, GateSpec, Stop, Verdict, need, need_each, pass_gate, work_on};
use domain::pipeline::{Description, Pipeline, StageSpec};
use domain::session::Run;
use runner::tools::{Tool, ToolContext, ToolError};
use serde_json::{Value, json};

use crate::program::{
    DEFAULT_CHOICE, GATES, Program, STAGES, STAGES_MAX, SUM, Stage, Turn, made, question, weighed,
};

/// The name of the pipeline.
pub const NAME: &str = "program";

/// The prompt of every question: the question and nothing else.
pub const PROMPT: &str = "program/turn";
pub const PROMPT_TEXT: &str =
    "---\nrole: writer\n---\n<!-- system -->\nSay it back.\n<!-- user -->\n{{ line | safe }}\n";

/// The tool that the steps call.
const TOOL: &str = "weigh";

/// Tokens of an answer: a line.
const ANSWER_TOKENS: u32 = 200;

/// A stage sees what all stages before it made.
const ROWS: [StageSpec; STAGES_MAX + 1] = {
    const ALL: &[&str] = &STAGES;
    let mut rows = [StageSpec::named(SUM).makes(&[SUM]).sees(ALL).attempts(1); STAGES_MAX + 1];
    let mut place = 0;
    while place < STAGES_MAX {
        let (before, own) = ALL.split_at(place);
        rows[place] = StageSpec::named(ALL[place])
            .makes(own.split_at(1).0)
            .sees(before);
        place += 1;
    }
    rows
};

/// Carries out the program that is its input.
pub struct Programs;

impl Pipeline for Programs {
    fn name(&self) -> &'static str {
        NAME
    }

    fn describe(&self, chinese: bool) -> Description {
        Description {
            title: "Program",
            description: "A random program, for tests.",
            input_schema: json!({ "type": "object" }),
            delivers: SUM,
            ..Description::of(self, chinese)
        }
    }

    fn stages(&self) -> &'static [StageSpec] {
        &ROWS
    }

    fn flow(&self, run: &Run) -> Flow {
        let program = match Program::read(&run.input) {
            Ok(program) => program,
            Err(error) => return Flow::Break(Stop::End(fails(&error.to_string()))),
        };
        for (place, stage) in program.stages.iter().enumerate() {
            match stage {
                Stage::Work {
                    items,
                    width,
                    rejected,
                    ..
                } => {
                    let items = (1..=*items).map(|item| item.to_string());
                    let work = work_on(items).width(*width).attempts(rejected + 1);
                    need_each(run, &ROWS[place], &work)?;
                }
                Stage::Gate { seconds } => {
                    pass_gate(run, &|| choice(place, *seconds), GATES[place], None)?;
                }
            }
        }
        need(run, &ROWS[STAGES_MAX])
    }

    fn reserve(&self, _: &Run, stage: &str, _: &str) -> Reserve {
        let calls = u64::from(stage != SUM);
        Reserve {
            calls,
            tokens: calls * u64::from(ANSWER_TOKENS),
            cost_micros: 0,
        }
    }

    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        match Program::read(&work.input) {
            Ok(program) => carry(&program, work, turns),
            Err(error) => fail(&error.to_string()),
        }
    }

    fn check_input(&self, input: &Value) -> Vec<Violation> {
        match Program::read(input) {
            Ok(_) => vec![],
            Err(error) => vec![Violation::new("", error.to_string())],
        }
    }
}

fn fails(message: &str) -> Verdict {
    Verdict::Fail {
        code: "no_program".to_owned(),
        message: message.to_owned(),
    }
}

fn fail(message: &str) -> Carry {
    Carry::Fail {
        code: "no_program".to_owned(),
        message: message.to_owned(),
        retryable: false,
    }
}

fn choice(place: usize, seconds: Option<u32>) -> GateSpec {
    GateSpec {
        name: GATES[place].to_owned(),
        subject: None,
        question: "Which one?".to_owned(),
        schema: json!({
            "type": "object",
            "properties": { "choice": { "type": "string" } },
            "required": ["choice"],
            "additionalProperties": false
        }),
        options: vec![],
        open_for: seconds.map(|seconds| TimeDelta::seconds(i64::from(seconds))),
        default: json!({ "choice": DEFAULT_CHOICE }),
    }
}

fn carry(program: &Program, work: &Work, turns: &[TurnResult]) -> Carry {
    let (stage, item) = (work.step.stage.as_str(), work.step.item.as_str());
    let seen = program.seen(&before(program, work));
    let Some(place) = STAGES.iter().position(|known| *known == stage) else {
        return done(SUM, made(SUM, "", &[seen]), work);
    };
    let Some(Stage::Work {
        turns: wanted,
        rejected,
        ..
    }) = program.stages.get(place)
    else {
        return fail("there is no such stage");
    };
    let said: Vec<String> = turns.iter().map(said).collect();
    match wanted.get(said.len()) {
        Some(Turn::Model) => {
            let line = question(stage, item, &seen, &said);
            let vars = json!({ "line": line });
            ModelTurn::new("writer", PROMPT, vars, ANSWER_TOKENS).into()
        }
        Some(Turn::Tool) => {
            let line = question(stage, item, &seen, &said);
            Carry::tool(TOOL, json!({ "line": line }))
        }
        // A run that asks once has no attempt after this one: what it is to make does not depend on how often it was asked.
        None if work.attempt <= *rejected && work.attempt < work.settings.attempts => {
            Carry::Reject(vec![Violation::new("", "not this time")])
        }
        None => done(STAGES[place], made(stage, item, &said), work),
    }
}

/// What was made and chosen before this step, in the order of the program.
fn before(program: &Program, work: &Work) -> Vec<String> {
    let own = STAGES.iter().position(|known| work.step.stage == *known);
    let own = own.unwrap_or(program.stages.len());
    let mut before = vec![];
    for (place, stage) in program.stages.iter().enumerate().take(own) {
        match stage {
            Stage::Work { .. } => {
                let inputs = work.inputs.get(STAGES[place]).into_iter().flatten();
                before.extend(inputs.map(|input| text(&input.body)));
            }
            Stage::Gate { .. } => {
                let answer = work.answers.get(GATES[place]);
                before.push(
                    answer
                        .map(|answer| text(&answer["choice"]))
                        .unwrap_or_default(),
                );
            }
        }
    }
    before
}

fn text(value: &Value) -> String {
    value.as_str().unwrap_or_default().to_owned()
}

fn said(turn: &TurnResult) -> String {
    match turn {
        TurnResult::Model {
            answer: Answer::Text(text),
            ..
        } => text.trim().to_owned(),
        TurnResult::Tool { output } => text(output),
        TurnResult::Model { .. } | TurnResult::Typeset(_) => String::new(),
    }
}

fn done(kind: &'static str, value: String, work: &Work) -> Carry {
    NewArtifact::new(
        kind,
        "art_",
        kind,
        Content::Json(json!(value)),
        work.lineage(),
    )
    .into()
}

/// The tool: a digest of what it is given.
pub struct Weigh;

#[async_trait]
impl Tool for Weigh {
    fn name(&self) -> &'static str {
        TOOL
    }

    fn schema(&self) -> Value {
        json!({ "type": "object", "properties": { "line": { "type": "string" } }, "required": ["line"] })
    }

    async fn call(&self, _: &ToolContext<'_>, input: &Value) -> Result<ToolOutcome, ToolError> {
        let line = input["line"].as_str().unwrap_or_default();
        Ok(ToolOutcome::gave(json!(weighed(line)), "weighed"))
    }
}
