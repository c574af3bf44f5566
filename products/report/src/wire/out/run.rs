//! What the wire remembers of one run, and what its frames have in common.

use std::collections::BTreeMap;
use std::sync::Arc;

use palimpsest::prelude::wire::event::{ArtifactProduced, Intent, ModelCalled, RunStarted};
use palimpsest::prelude::wire::{GateId, Now, RunBook, content_path, file_name};
use serde_json::Value;
use smol_str::SmolStr;

use super::contents::{
    Call, Calls, FileMade, HeldContent, Metrics, Plan, PlanContext, Solved, task_id,
};
use super::fold::Out;
use super::frames::{Content, Control, Metadata, ReportFrame, Stamped, size_of_body};
use super::gates::Waiting;
use super::solvers::Solver;
use super::words::{self, ReportWords, Tally};

/// The role that an artifact has on this wire.
#[derive(Clone, Debug)]
pub(crate) enum ArtifactRole {
    Plan(Arc<Plan>),
    Section(Arc<Solved>),
    Report(HeldContent),
    File(Arc<FileMade>),
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(crate) book: RunBook,
    pub(crate) language: ReportWords,
    broadcast_tasks: bool,
    /// Whether it only solves tasks that it was given.
    pub(crate) solves_only: bool,
    pub(crate) question: String,
    pub(crate) intent: Option<Intent>,
    pub(crate) plan: Option<Arc<Plan>>,
    pub(crate) solvers: BTreeMap<u32, Solver>,
    pub(crate) report: Option<HeldContent>,
    /// Files by kind.
    pub(crate) files: BTreeMap<SmolStr, Arc<FileMade>>,
    pub(crate) gates: BTreeMap<GateId, Waiting>,
    pub(crate) calls: Vec<Arc<Call>>,
    /// What the system said.
    pub(crate) said: Vec<String>,
    pub(crate) is_declined: bool,
}

impl RunState {
    pub(crate) fn new(e: &RunStarted) -> Self {
        let mode = e.input.get("mode").and_then(Value::as_str);
        let broadcast = e.settings.options.get("broadcast_tasks");
        Self {
            book: RunBook::new(e, e.pipeline == words::PIPELINE),
            language: ReportWords::of(&e.settings.language),
            broadcast_tasks: broadcast.and_then(Value::as_bool).unwrap_or(true),
            solves_only: mode == Some("solve_tasks"),
            question: e.brief.clone(),
            ..Self::default()
        }
    }

    /// A frame about this run.
    pub(crate) fn frame(
        &self,
        now: Now<'_>,
        event: &'static str,
        content: Content,
        metadata: Metadata,
        show_content: String,
    ) -> ReportFrame {
        ReportFrame {
            event,
            at: now.at,
            step_id: None,
            content,
            show_content,
            metadata: Stamped {
                run_id: Some(self.book.id),
                metadata,
            },
            terminal: false,
        }
    }

    /// A notice that consists of a text.
    pub(crate) fn notice(&self, now: Now<'_>, metadata: Metadata, text: String) -> ReportFrame {
        let content = Content::Text(text.clone());
        self.frame(now, "system.notice", content, metadata, text)
    }

    /// The notice of an accepted control.
    pub(crate) fn control(
        &self,
        now: Now<'_>,
        action: &'static str,
        task_id: Option<u32>,
        mode: Option<&'static str>,
    ) -> ReportFrame {
        let control = Control {
            action,
            ok: true,
            task_id,
            mode,
            ..Control::default()
        };
        let text = self.language.control(action, task_id);
        self.notice(now, control.into_metadata(), text)
    }

    pub(crate) fn plan_starts(&self, out: &mut Out<'_>) {
        if self.solves_only {
            return;
        }
        let show = self.language.plan_start(&self.question);
        let content = Content::Question {
            question: self.question.clone(),
        };
        out.push(self.frame(out.now, "plan.start", content, Metadata::None {}, show));
    }

    pub(crate) fn model_called(&mut self, e: &ModelCalled, out: &mut Out<'_>) {
        let call = Call::of(e, palimpsest::prelude::wire::rfc3339(out.now.at));
        self.calls.push(Arc::new(call));
        self.thinks(e, out);
    }

    /// The exchanges that these steps made, from an attempt on.
    pub(crate) fn calls_of(&self, stage: &str, item: &str, from_attempt: u32) -> Calls {
        let of_step = |call: &&Arc<Call>| {
            (call.step.stage.as_str(), call.step.item.as_str()) == (stage, item)
                && call.metadata.attempt >= from_attempt
        };
        Arc::new(self.calls.iter().filter(of_step).cloned().collect())
    }

    /// Notes an artifact and sends its frames; returns the role of the artifact where this wire knows its kind.
    pub(crate) fn made(&mut self, e: &ArtifactProduced, out: &mut Out<'_>) -> Option<ArtifactRole> {
        match (e.step.stage.as_str(), e.kind.as_str()) {
            (words::PLAN, words::PLAN) => Some(ArtifactRole::Plan(self.plan_made(e, out))),
            (words::SECTIONS, words::SECTION) => {
                let id = task_id(&e.step)?;
                Some(ArtifactRole::Section(self.section_made(id, e, out)))
            }
            (words::REPORT, words::REPORT) => {
                let report = HeldContent::of(e);
                self.report = Some(report.clone());
                self.report_made(report.clone(), out);
                Some(ArtifactRole::Report(report))
            }
            (_, "markdown" | "html" | "docx") => {
                let file = Arc::new(file_made(e)?);
                self.files.insert(e.kind.clone(), Arc::clone(&file));
                Some(ArtifactRole::File(file))
            }
            _ => None,
        }
    }

    pub(crate) fn take_over(&mut self, kept: &ArtifactRole) {
        match kept {
            ArtifactRole::Plan(plan) => self.plan = Some(Arc::clone(plan)),
            ArtifactRole::Section(solved) => {
                let solver = self.solvers.entry(solved.task.id).or_default();
                solver.solved = Some(Arc::clone(solved));
            }
            ArtifactRole::Report(report) => self.report = Some(report.clone()),
            ArtifactRole::File(file) => {
                self.files.insert(file.kind.clone(), Arc::clone(file));
            }
        }
    }

    /// A plan that its step made is sent. A plan that a person made from it is not sent; it is confirmed next.
    fn plan_made(&mut self, e: &ArtifactProduced, out: &mut Out<'_>) -> Arc<Plan> {
        let is_edited = self.book.open_attempt(&e.step) != Some(e.attempt);
        let first = self.book.first_attempt(&e.step);
        let statistics = match &self.plan {
            Some(plan) if is_edited => Arc::clone(&plan.statistics),
            _ => self.calls_of(&e.step.stage, &e.step.item, first),
        };
        let plan = Arc::new(Plan {
            content: HeldContent::of(e),
            statistics,
        });
        self.plan = Some(Arc::clone(&plan));
        if !is_edited && !self.solves_only {
            let content = Content::Plan {
                tasks: self.broadcast_tasks.then(|| plan.tasks()),
                plan_summary: plan.summary(),
            };
            let metadata = Metadata::Statistics {
                task_id: None,
                metrics: Metrics::of(&plan.statistics),
                statistics: Arc::clone(&plan.statistics),
            };
            let show = self.language.plan_completed(plan.ids().len());
            out.push(self.frame(out.now, "plan.completed", content, metadata, show));
        }
        plan
    }

    pub(crate) fn context(&self) -> PlanContext {
        let plan = self.plan.as_deref();
        PlanContext {
            name: words::PIPELINE,
            question: self.question.clone(),
            doc_title: plan.and_then(|plan| plan.content.text("/doc_title").map(str::to_owned)),
            tasks: plan.map(Plan::tasks),
            plan_summary: plan.and_then(Plan::summary),
            plan_statistics: plan.map_or_else(Calls::default, |plan| Arc::clone(&plan.statistics)),
        }
    }

    /// The sections that count, in the order of their tasks.
    pub(crate) fn results(&self) -> Vec<Solved> {
        let solved = self
            .solvers
            .values()
            .filter_map(|solver| solver.solved.as_ref());
        solved.map(|solved| Solved::clone(solved)).collect()
    }

    /// The tasks without a section: those that the report names, otherwise those that were not solved.
    pub(crate) fn missing(&self) -> Vec<u32> {
        let report = self.report.as_ref();
        if let Some(missing) = report.and_then(|report| report.get("/missing")?.as_array()) {
            let ids = missing.iter().filter_map(|gap| gap.get("id")?.as_u64());
            return ids.filter_map(|id| u32::try_from(id).ok()).collect();
        }
        let has = |id: &u32| {
            self.solvers
                .get(id)
                .is_some_and(|solver| solver.solved.is_some())
        };
        let tasks = self.plan.as_ref().map(|plan| plan.ids());
        tasks
            .unwrap_or_default()
            .into_iter()
            .filter(|id| !has(id))
            .collect()
    }

    pub(crate) fn tally(&self) -> Tally {
        let missing = self.missing().len();
        let planned = self.plan.as_ref().map_or(0, |plan| plan.ids().len());
        Tally {
            tasks: planned.max(self.results().len() + missing),
            missing,
        }
    }

    pub(crate) fn title(&self, id: u32) -> String {
        let planned = self.plan.as_ref().and_then(|plan| plan.title(id));
        let solved = || {
            let solver = self.solvers.get(&id)?;
            Some(solver.solved.as_ref()?.task.title.as_str())
        };
        planned.or_else(solved).unwrap_or_default().to_owned()
    }
}

/// A file that was made; `None` for a content that is in the event.
fn file_made(e: &ArtifactProduced) -> Option<FileMade> {
    let (size, media_type) = size_of_body(&e.body)?;
    Some(FileMade {
        artifact_id: e.artifact.clone(),
        kind: e.kind.clone(),
        file_name: file_name(e, media_type),
        url: content_path(&e.artifact),
        size,
        media_type: media_type.to_owned(),
    })
}
