//! Calls of tools: every call is sent with exactly one result.

use palimpsest::prelude::pipeline::event::{ToolCalled, ToolReturned};
use palimpsest::prelude::pipeline::question::{ASK_USER, Question};
use palimpsest::prelude::wire::{Now, OpenTool, StepId};
use serde::Deserialize;
use serde_json::{Value, json};

use super::fold::Out;
use super::frames::{Data, PostFrame};
use super::run::{RunState, node};
use super::words::{BATCH, IMAGE_TOOLS, SUBMIT};
use crate::pipeline::stage::Stage;

impl RunState {
    pub(super) fn tool_called(&mut self, e: &ToolCalled, out: &mut Out<'_>) {
        let agent = node(&e.step.stage).filter(|_| !e.tool.starts_with(SUBMIT));
        let Some(agent) = agent else { return };
        if IMAGE_TOOLS.contains(&e.tool.as_str()) {
            self.image_prompted(&e.step, &e.input, out);
        }
        let number = self.book.count_tool();
        let id = format!("{}_{}_{number}", e.tool, self.book.id);
        let data = Data::ToolCall {
            tool: e.tool.clone(),
            tool_call_id: id.clone(),
            tool_input: e.input.clone(),
        };
        out.push(self.frame("tool_call", Some(agent), data, None, out.now));
        self.book.open_tools.push(OpenTool::new(e, id));
    }

    /// The question that a step is asking a person now.
    pub(super) fn asked_by(&self, step: &StepId) -> Option<Question> {
        let asks = |open: &&OpenTool| open.step == *step && open.tool == ASK_USER;
        let mut open = self.book.open_tools.iter().filter(asks);
        open.find_map(|open| Question::deserialize(&open.input).ok())
    }

    pub(super) fn tool_returned(&mut self, e: &ToolReturned, out: &mut Out<'_>) {
        // A result that comes after its step has ended was already sent as cut off.
        let Some(open) = self.book.take_tool(|open| open.is_of(e)) else {
            return;
        };
        out.push(self.tool_result(open, output(e), out.now));
    }

    /// The pictures of a plan are steps of their own; for clients the node calls one tool that makes them all.
    pub(super) fn batch_called(&mut self, input: Value, out: &mut Out<'_>) {
        let stage = Stage::Images;
        let number = self.book.count_tool();
        let id = format!("{BATCH}_{}_{number}", self.book.id);
        let data = Data::ToolCall {
            tool: BATCH.into(),
            tool_call_id: id.clone(),
            tool_input: input.clone(),
        };
        out.push(self.frame("tool_call", Some(stage.agent()), data, None, out.now));
        self.book.open_tools.push(OpenTool {
            step: StepId::new(self.book.id, stage.name, ""),
            attempt: 0,
            turn: 0,
            tool: BATCH.into(),
            id,
            input,
        });
    }

    pub(super) fn batch_returned(&mut self, output: Value, out: &mut Out<'_>) {
        if let Some(open) = self.book.take_tool(|open| open.tool == BATCH) {
            out.push(self.tool_result(open, output, out.now));
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

    /// The call will not get an answer any more.
    pub(super) fn tool_cut_off(&self, open: OpenTool, out: &mut Out<'_>) {
        let error = self.language.call_cut_off();
        let output = json!({ "error": error, "code": "cancelled", "retryable": false });
        out.push(self.tool_result(open, output, out.now));
    }

    pub(super) fn cut_off_tools(&mut self, falls: impl Fn(&StepId) -> bool, out: &mut Out<'_>) {
        for open in self.book.cut_off_tools(falls) {
            self.tool_cut_off(open, out);
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
