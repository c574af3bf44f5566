//! Questions to a person, and calls of tools: both have a `step_id`, which connects one frame with another.

use palimpsest::prelude::wire::event::{
    BUDGET_GATE, GateOpened, SUPERSEDED, ToolCalled, ToolReturned,
};
use palimpsest::prelude::wire::{GateAnswered, GateId, Now, OpenTool, StepId};

use super::contents::{Plan, task_id};
use super::fold::Out;
use super::frames::{Confirm, Content, Metadata, ReportFrame};
use super::run::RunState;
use super::words::{self, CONFIRM_PLAN};
use crate::stages::Stage;

/// The result of a question whose deadline passed.
const TIMED_OUT: &str = "timed_out";

/// Characters of a gate's id that its `step_id` repeats; the contract's number.
const GATE_DIGITS: usize = 8;

/// The `step_id` under which clients know a gate: `confirm_plan_<8 hex>`, `confirm_budget_<8 hex>`.
pub(crate) fn confirmation_step_id(gate_name: &str, gate: &GateId) -> String {
    let digits = gate.as_str().strip_prefix("gate_").unwrap_or(gate.as_str());
    let digits: String = digits.chars().take(GATE_DIGITS).collect();
    format!("confirm_{}_{digits}", scope(gate_name))
}

/// What a question is about, for clients.
fn scope(gate_name: &str) -> &str {
    gate_name.strip_prefix("confirm_").unwrap_or(gate_name)
}

/// A question that has no answer yet.
#[derive(Clone, Debug)]
pub(crate) struct Waiting {
    step_id: String,
    scope: String,
}

impl RunState {
    pub(crate) fn gate_opened(
        &mut self,
        e: &GateOpened,
        subject: Option<&Plan>,
        out: &mut Out<'_>,
    ) {
        if !self.book.attended {
            return;
        }
        let waiting = Waiting {
            step_id: confirmation_step_id(&e.name, &e.gate),
            scope: scope(&e.name).to_owned(),
        };
        let plan = subject.filter(|_| e.name == CONFIRM_PLAN);
        let timeout_seconds = e.deadline.map(|deadline| (deadline - e.at).num_seconds());
        let message = match e.name.as_str() {
            CONFIRM_PLAN => {
                let tasks = plan.map_or(0, |plan| plan.ids().len());
                self.language.confirm_plan(tasks, timeout_seconds)
            }
            BUDGET_GATE => self.language.confirm_budget(),
            _ => e.question.clone(),
        };
        let metadata = Metadata::Confirm {
            scope: waiting.scope.clone(),
            requires_confirmation: true,
            plan_summary: plan.and_then(Plan::summary),
            tasks: plan.map(Plan::tasks),
            options: e.options.clone(),
            deadline: e.deadline.map(palimpsest::prelude::wire::rfc3339),
            timeout_seconds,
        };
        let content = Content::Confirm {
            message: message.clone(),
            tasks: plan.map(Plan::tasks),
        };
        let mut frame = self.frame(out.now, "agent.user_confirm", content, metadata, message);
        frame.step_id = Some(waiting.step_id.clone());
        out.push(frame);
        self.gates.insert(e.gate.clone(), waiting);
    }

    /// An answer of a person is not sent.
    pub(crate) fn gate_answered(&mut self, e: &GateAnswered<'_>, out: &mut Out<'_>) {
        self.is_declined |= e.is_declined;
        let Some(waiting) = self.gates.remove(e.gate) else {
            return;
        };
        match e.by {
            "deadline" => out.push(self.gate_over(waiting, TIMED_OUT, out.now)),
            SUPERSEDED => out.push(self.gate_over(waiting, SUPERSEDED, out.now)),
            _ => {}
        }
    }

    /// The parent's questions end here; a fork asks its own questions.
    pub(crate) fn forked(&mut self, out: &mut Out<'_>) {
        for waiting in std::mem::take(&mut self.gates).into_values() {
            out.push(self.gate_over(waiting, SUPERSEDED, out.now));
        }
    }

    fn gate_over(&self, waiting: Waiting, status: &'static str, now: Now<'_>) -> ReportFrame {
        let confirm = Confirm {
            step_id: waiting.step_id.clone(),
            scope: waiting.scope,
            status,
        };
        let text = self.language.gate_over(status == TIMED_OUT);
        let mut frame = self.notice(now, Metadata::Confirmed { confirm }, text);
        frame.step_id = Some(waiting.step_id);
        frame
    }

    /// Only calls of the agents that plan and solve are sent.
    pub(crate) fn tool_called(&mut self, e: &ToolCalled, out: &mut Out<'_>) {
        let Some(scope) = scope_of(&e.step) else {
            return;
        };
        let step_id = format!("step_{}_{}", self.book.count_tool(), e.tool);
        let metadata = Metadata::ToolCall {
            scope,
            task_id: task_id(&e.step),
            tool: e.tool.clone(),
            args: e.input.clone(),
            status: "running",
        };
        let content = Content::Args {
            args: e.input.clone(),
        };
        let show = self.language.tool_call(&e.tool);
        let mut frame = self.frame(out.now, "agent.tool_call", content, metadata, show);
        frame.step_id = Some(step_id.clone());
        out.push(frame);
        self.book.open_tools.push(OpenTool::new(e, step_id));
    }

    pub(crate) fn tool_returned(&mut self, e: &ToolReturned, out: &mut Out<'_>) {
        // A result that comes after its step has ended was already sent as cut off.
        let Some(open) = self.book.take_tool(|open| open.is_of(e)) else {
            return;
        };
        let error = e.error.as_ref();
        let content = Content::Result {
            output: error.is_none().then(|| e.summary.clone()),
            error: error.map(|error| error.message.clone()),
            system: None,
        };
        let code = error.map(|error| error.code.clone());
        out.push(self.tool_result(open, content, code, Some(e.latency_ms), out.now));
    }

    fn tool_result(
        &self,
        open: OpenTool,
        content: Content,
        error: Option<String>,
        latency_ms: Option<u64>,
        now: Now<'_>,
    ) -> ReportFrame {
        let show = self.language.tool_result(&open.tool, error.is_none());
        let metadata = Metadata::ToolResult {
            scope: scope_of(&open.step).unwrap_or_default(),
            task_id: task_id(&open.step),
            tool: open.tool,
            status: if error.is_none() { "success" } else { "failed" },
            error,
            latency_ms,
        };
        let mut frame = self.frame(now, "agent.tool_result", content, metadata, show);
        frame.step_id = Some(open.id);
        frame
    }

    /// The call will not return any more.
    pub(crate) fn tool_cut_off(&self, open: OpenTool, out: &mut Out<'_>) {
        let content = Content::Result {
            output: None,
            error: None,
            system: Some(self.language.cut_off()),
        };
        let code = Some("cancelled".to_owned());
        out.push(self.tool_result(open, content, code, None, out.now));
    }
}

/// The contract's word for who calls a tool; `None` for stages that send nothing.
pub(crate) fn scope_of(step: &StepId) -> Option<&'static str> {
    match Stage::named(&step.stage)? {
        Stage::Planning => Some(words::PLAN),
        Stage::Writing => Some(words::SECTION),
        Stage::Preparation | Stage::Aggregation | Stage::Export => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gate_is_known_by_its_name_and_eight_digits() {
        let gate = GateId::new("gate_0123456789abcdef");
        assert_eq!(
            confirmation_step_id(CONFIRM_PLAN, &gate),
            "confirm_plan_01234567"
        );
        assert_eq!(
            confirmation_step_id("budget", &gate),
            "confirm_budget_01234567"
        );
    }
}
