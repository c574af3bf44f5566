//! Calls of tools: every call is sent with exactly one result.

use palimpsest::prelude::pipeline::event::{ToolCalled, ToolReturned};
use palimpsest::prelude::pipeline::question::{ASK_USER, Question};
use palimpsest::prelude::wire::StepId;
use serde::Deserialize;
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::frames::{Data, PostFrame};
use super::run::{Now, RunState, node};
use super::words::{BATCH, IMAGE_TOOLS, SUBMIT};
use crate::pipeline::stage::Stage;

/// A call that has not returned.
#[derive(Clone, Debug)]
pub(super) struct OpenTool {
    step: StepId,
    attempt: u32,
    turn: u32,
    tool: SmolStr,
    id: String,
    /// What a person is asked.
    pub(super) asks: Option<Question>,
}

impl RunState {
    pub(super) fn tool_called(&mut self, e: &ToolCalled, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let agent = node(&e.step.stage).filter(|_| !e.tool.starts_with(SUBMIT));
        let Some(agent) = agent else { return };
        if IMAGE_TOOLS.contains(&e.tool.as_str()) {
            self.image_prompted(&e.step, &e.input, now, out);
        }
        self.tools += 1;
        let id = format!("{}_{}_{}", e.tool, self.id(), self.tools);
        let data = Data::ToolCall {
            tool: e.tool.clone(),
            tool_call_id: id.clone(),
            tool_input: e.input.clone(),
        };
        out.push(self.frame("tool_call", Some(agent), data, None, now));
        self.open_tools.push(OpenTool {
            step: e.step.clone(),
            attempt: e.attempt,
            turn: e.turn,
            tool: e.tool.clone(),
            id,
            asks: (e.tool == ASK_USER)
                .then(|| Question::deserialize(&e.input).ok())
                .flatten(),
        });
    }

    /// The question that a step is asking a person now.
    pub(super) fn asked_by(&self, step: &StepId) -> Option<&Question> {
        let mut open = self.open_tools.iter().filter(|open| open.step == *step);
        open.find_map(|open| open.asks.as_ref())
    }

    pub(super) fn tool_returned(
        &mut self,
        e: &ToolReturned,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let is_it =
            |open: &OpenTool| (&open.step, open.attempt, open.turn) == (&e.step, e.attempt, e.turn);
        // A result that comes after its step has ended was already sent as cut off.
        let Some(place) = self.open_tools.iter().position(is_it) else {
            return;
        };
        let open = self.open_tools.remove(place);
        let output = output(e);
        out.push(self.tool_result(open, output, now));
    }

    /// The pictures of a plan are steps of their own; for clients the node calls one tool that makes them all.
    pub(super) fn batch_called(&mut self, input: Value, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let stage = Stage::Images;
        self.tools += 1;
        let id = format!("{BATCH}_{}_{}", self.id(), self.tools);
        let data = Data::ToolCall {
            tool: BATCH.into(),
            tool_call_id: id.clone(),
            tool_input: input,
        };
        out.push(self.frame("tool_call", Some(stage.agent()), data, None, now));
        self.open_tools.push(OpenTool {
            step: StepId::new(self.id(), stage.name(), ""),
            attempt: 0,
            turn: 0,
            tool: BATCH.into(),
            id,
            asks: None,
        });
    }

    pub(super) fn batch_returned(&mut self, output: Value, now: Now<'_>, out: &mut Vec<PostFrame>) {
        let place = self.open_tools.iter().position(|open| open.tool == BATCH);
        if let Some(place) = place {
            let open = self.open_tools.remove(place);
            out.push(self.tool_result(open, output, now));
        }
    }

    fn tool_result(&self, open: OpenTool, tool_output: Value, now: Now<'_>) -> PostFrame {
        let agent = node(&open.step.stage);
        let data = Data::ToolResult {
            tool: open.tool,
            tool_call_id: open.id,
            tool_output,
        };
        self.frame("tool_result", agent, data, None, now)
    }

    /// Closes the calls of these steps that have not returned.
    pub(super) fn cut_off_tools(
        &mut self,
        falls: impl Fn(&StepId) -> bool,
        now: Now<'_>,
        out: &mut Vec<PostFrame>,
    ) {
        let (fallen, left): (Vec<_>, Vec<_>) = std::mem::take(&mut self.open_tools)
            .into_iter()
            .partition(|open| falls(&open.step));
        self.open_tools = left;
        for open in fallen {
            let error = self.language.call_cut_off();
            let output = json!({ "error": error, "code": "cancelled", "retryable": false });
            out.push(self.tool_result(open, output, now));
        }
    }
}

/// The output of the tool, if its event has it; otherwise the line about it.
fn output(e: &ToolReturned) -> Value {
    let whole = serde_json::from_str::<Value>(&e.summary).ok();
    let whole = whole.filter(|whole| whole.is_object() || whole.is_array());
    let failed = || {
        let error = e.error.as_ref()?;
        Some(json!({ "error": error.message, "code": error.code, "retryable": error.retryable }))
    };
    whole
        .or_else(failed)
        .unwrap_or_else(|| Value::String(e.summary.clone()))
}
