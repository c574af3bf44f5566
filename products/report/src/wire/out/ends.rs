//! The report, and how a run ends: exactly one terminal frame.

use std::sync::Arc;

use palimpsest::prelude::wire::event::{RunCancelled, RunCompleted, RunFailed};
use palimpsest::prelude::wire::{ArtifactId, RunEnd};

use super::contents::{HeldContent, Metrics};
use super::fold::Out;
use super::frames::{Content, Control, Metadata};
use super::run::RunState;
use super::words::{CANCELLED_PLAN, DECLINED, ERROR_PREFIX, INTERRUPTED, VFS_PATH};

/// The reason of a run that was cancelled while it planned.
const CANCEL_PLAN: &str = "cancel_plan";

impl RunState {
    /// The stage that puts the sections together begins.
    pub(crate) fn aggregate_starts(&mut self, out: &mut Out<'_>) {
        self.settle(out);
        let show = self.language.aggregating(self.tally());
        let content = self.report_content(None, None);
        out.push(self.frame(out.now, "aggregate.start", content, Metadata::None {}, show));
    }

    pub(crate) fn report_made(&self, report: HeldContent, out: &mut Out<'_>) {
        let missing = self.missing();
        let metadata = Metadata::Gaps {
            partial: !missing.is_empty(),
            missing,
        };
        let content = self.report_content(Some(report), None);
        let show = self.language.aggregated();
        out.push(self.frame(out.now, "aggregate.completed", content, metadata, show));
    }

    fn report_content(
        &self,
        output: Option<HeldContent>,
        aggregate_output: Option<HeldContent>,
    ) -> Content {
        Content::Report {
            context: Box::new(self.context()),
            solver_results: self.results(),
            output,
            aggregate_output,
        }
    }

    pub(crate) fn end_report(mut self, end: RunEnd<'_>, out: &mut Out<'_>) {
        self.cancel_solvers(out);
        match end {
            RunEnd::Completed(e) => self.completed(e, out),
            RunEnd::Failed(e) => self.failed(e, out),
            RunEnd::Cancelled(e) => self.cancelled(e, out),
            RunEnd::Erased => self.interrupted("erased", out),
        }
    }

    fn completed(&self, e: &RunCompleted, out: &mut Out<'_>) {
        // In a run whose plan was declined, no section counts as missing.
        let counts = self.book.own && (self.report.is_some() || self.solves_only || e.partial);
        let missing = if counts { self.missing() } else { vec![] };
        let partial = e.partial || !missing.is_empty();
        if self.book.own && self.solves_only {
            return self.tasks_done(partial, missing, out);
        }
        let report = self
            .report
            .clone()
            .filter(|_| self.book.own && !self.is_declined);
        if let Some(report) = report {
            let calls = Arc::new(self.calls.clone());
            let metadata = Metadata::Pipeline {
                metrics: Metrics::of(&calls),
                statistics: calls,
                partial,
                missing: missing.clone(),
            };
            let content = self.report_content(None, Some(report));
            let show = self.language.pipeline_completed();
            out.push(self.frame(out.now, "pipeline.completed", content, metadata, show));
        }
        self.answer(e.final_artifact.as_ref(), partial, missing, out);
    }

    fn tasks_done(&self, partial: bool, missing: Vec<u32>, out: &mut Out<'_>) {
        let control = Control {
            action: "solve_tasks",
            ok: true,
            done: true,
            partial,
            missing,
            ..Control::default()
        };
        let text = self.language.control(control.action, None);
        let mut frame = self.notice(out.now, control.into_metadata(), text);
        frame.terminal = true;
        out.push(frame);
    }

    fn answer(
        &self,
        made: Option<&ArtifactId>,
        partial: bool,
        missing: Vec<u32>,
        out: &mut Out<'_>,
    ) {
        let (text, show) = self.answer_text(&missing);
        let has_report = self.book.own && made.is_some();
        let metadata = Metadata::Answer {
            artifact_id: made.cloned(),
            vfs_path: has_report.then(|| self.vfs_path()),
            url: made.map(palimpsest::prelude::wire::content_path),
            files: self
                .files
                .values()
                .map(|file| file.as_ref().clone())
                .collect(),
            partial,
            missing,
        };
        self.terminal("agent.final_answer", text, metadata, show, out);
    }

    fn vfs_path(&self) -> String {
        let report = self.report.as_ref();
        let path = report.and_then(|report| report.text("/report/vfs_path"));
        path.unwrap_or(VFS_PATH).to_owned()
    }

    /// The content of the final answer, and the text that is shown for it.
    fn answer_text(&self, missing: &[u32]) -> (String, String) {
        let ended = self.language.ended(self.book.own);
        let said = self.said.join("\n");
        if self.is_declined {
            let text = if said.is_empty() {
                DECLINED.to_owned()
            } else {
                said
            };
            let chinese = "计划未获确认，运行已结束。";
            return (text, self.language.pick(chinese, DECLINED).to_owned());
        }
        let summary = match &self.report {
            Some(report) if self.book.own => self.summary(report, missing),
            _ if said.is_empty() => ended,
            _ => String::new(),
        };
        let text = [said, summary].into_iter().filter(|text| !text.is_empty());
        let text = text.collect::<Vec<_>>().join("\n");
        (text.clone(), text)
    }

    fn summary(&self, report: &HeldContent, missing: &[u32]) -> String {
        let title = report.text("/report/title");
        let planned = self
            .plan
            .as_ref()
            .and_then(|plan| plan.content.text("/doc_title"));
        let title = title.or(planned).unwrap_or_default();
        let named = missing.iter().map(|id| format!("{id} {}", self.title(*id)));
        let named: Vec<_> = named.map(|name| name.trim_end().to_owned()).collect();
        self.language
            .delivered(title, &self.vfs_path(), self.tally(), &named)
    }

    fn failed(&self, e: &RunFailed, out: &mut Out<'_>) {
        let text = format!("{ERROR_PREFIX}{}", e.message);
        let metadata = Metadata::Error {
            code: e.code.clone(),
        };
        let show = self.language.failed(&e.message);
        self.terminal("agent.error", text, metadata, show, out);
    }

    fn cancelled(&self, e: &RunCancelled, out: &mut Out<'_>) {
        if !self.book.own || self.solves_only || e.reason != CANCEL_PLAN {
            return self.interrupted(&e.reason, out);
        }
        out.push(self.control(out.now, CANCEL_PLAN, None, Some("in_run")));
        let shown = self.language.pick("规划已取消", CANCELLED_PLAN).to_owned();
        let content = Content::Reason {
            reason: "Plan was cancelled by user.".to_owned(),
        };
        let show = shown.clone();
        out.push(self.frame(out.now, "plan.cancelled", content, Metadata::None {}, show));
        let metadata = Metadata::Answer {
            artifact_id: None,
            vfs_path: None,
            url: None,
            files: vec![],
            partial: false,
            missing: vec![],
        };
        let text = CANCELLED_PLAN.to_owned();
        self.terminal("agent.final_answer", text, metadata, shown, out);
    }

    fn interrupted(&self, reason: &str, out: &mut Out<'_>) {
        let metadata = Metadata::Reason {
            reason: reason.to_owned(),
        };
        let show = self.language.pick("执行已取消", INTERRUPTED).to_owned();
        let text = INTERRUPTED.to_owned();
        self.terminal("agent.interrupted", text, metadata, show, out);
    }

    fn terminal(
        &self,
        event: &'static str,
        text: String,
        metadata: Metadata,
        show: String,
        out: &mut Out<'_>,
    ) {
        let mut frame = self.frame(out.now, event, Content::Text(text), metadata, show);
        frame.terminal = true;
        out.push(frame);
    }
}
