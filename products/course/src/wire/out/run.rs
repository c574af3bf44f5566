//! What one run has open on this wire: its tool messages, the frames that wait for their turn, and the progress that it has reported.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Intent, RunFailed, RunStarted};
use palimpsest::prelude::pipeline::flow::STAGE_FAILED;
use palimpsest::prelude::wire::{ArtifactId, RunBook, StepId};
use smol_str::SmolStr;

use super::fold::{Out, speak};
use super::frames::{
    Artifact, CourseFrame, LogLevel, Progress, ToolArtifact, ToolComplete, ToolLog, ToolStart,
    ToolStatus, ToolUpdate,
};
use super::words::{Greeting, Language};
use super::{causes, words};

/// The text for the end of a stage in which nothing went wrong itself, in Chinese and English.
pub(super) const STOPPED: (&str, &str) = ("运行失败", "the run failed");

/// A tool message that is not closed: one opening of one stage.
#[derive(Clone, Debug)]
pub(super) struct Tool {
    stage: SmolStr,
    id: String,
    items: u32,
    /// Pages that have begun; a page that is tried again has not begun anew.
    begun: BTreeSet<SmolStr>,
    /// Items and attempts whose output was rejected.
    pub(super) rejected: BTreeSet<(SmolStr, u32)>,
    artifacts: Vec<ArtifactId>,
    /// The last error of each item that has not succeeded and is not tried again, in the order in which the errors occurred.
    pub(super) errors: Vec<(SmolStr, String)>,
    /// The code of the last call that gave no answer.
    pub(super) failed_call: Option<String>,
}

#[derive(Clone, Debug, Default)]
pub(crate) struct RunState {
    pub(super) book: RunBook,
    pub(super) language: Language,
    offline: bool,
    model: String,
    pub(super) search: bool,
    /// Whether the brief names an address, which is not read.
    pub(super) names_address: bool,
    pub(super) topic: String,
    pub(super) intent: Option<Intent>,
    pub(super) target: Option<SmolStr>,
    pub(super) feedback: Option<String>,
    /// The stage that failed, and why.
    pub(super) failed_stage: Option<(SmolStr, Option<String>)>,
    /// The id of the assistant's message, once it was sent.
    greeting: Option<String>,
    /// The highest percent so far.
    percent: u32,
    tools: Vec<Tool>,
    /// Whether the scripts are made, or will not be made in this run. Until then the theme is held back.
    pub(super) scripts_done: bool,
    held: Vec<CourseFrame>,
}

impl RunState {
    pub(super) fn new(e: &RunStarted) -> Self {
        let ports = &e.settings.ports;
        Self {
            // Runs of every pipeline are told.
            book: RunBook::new(e, true),
            language: Language::of(&e.settings.language),
            offline: ports.is_offline(),
            model: e
                .settings
                .model_for("default")
                .unwrap_or(&ports.model)
                .to_owned(),
            search: ports.search,
            names_address: ["http://", "https://"]
                .iter()
                .any(|scheme| e.brief.contains(scheme)),
            topic: words::clip_text(&e.brief),
            ..Self::default()
        }
    }

    /// Whether the run changes an earlier one, which shows in its titles.
    pub(super) fn refines(&self) -> bool {
        self.intent == Some(Intent::Refinement) || self.feedback.is_some()
    }

    /// Why it failed, in its language.
    pub(super) fn failure(&self, e: &RunFailed) -> String {
        match (&self.failed_stage, self.language) {
            (_, Language::English) => e.message.clone(),
            (Some((stage, cause)), Language::Chinese) if e.code == STAGE_FAILED => {
                causes::failed_stage(stage, cause.as_deref().unwrap_or(STOPPED.0))
            }
            (_, language) => causes::cause(&e.code, &e.message, language),
        }
    }

    /// Says what the run will do, once.
    pub(super) fn greet(&mut self, out: &mut Out<'_>) {
        if self.greeting.is_some() {
            return;
        }
        let greeting = Greeting {
            intent: self.intent.unwrap_or(Intent::Initial),
            topic: &self.topic,
            feedback: self.feedback.as_deref(),
            target: self.target.as_deref(),
            offline: self.offline,
            model: &self.model,
        };
        let id = format!("msg_{}", out.now.event_id);
        speak(&id, greeting.text(self.language), out);
        self.greeting = Some(id);
    }

    pub(super) fn tool_mut(&mut self, stage: &str) -> Option<&mut Tool> {
        self.tools.iter_mut().find(|tool| tool.stage == stage)
    }

    fn tool(&self, stage: &str) -> Option<&Tool> {
        self.tools.iter().find(|tool| tool.stage == stage)
    }

    /// The stages with an open tool message, in the order of their opening.
    pub(super) fn open_stages(&self) -> Vec<SmolStr> {
        self.tools.iter().map(|tool| tool.stage.clone()).collect()
    }

    /// Opens a tool message for a stage.
    pub(super) fn open(&mut self, stage: &str, items: u32, out: &mut Out<'_>) {
        if stage == words::SCRIPTS {
            self.scripts_done = false;
        }
        // Stages after the theme are made from it, so the scripts are no longer waited for.
        if words::comes_after(stage, words::THEME) {
            self.scripts_done = true;
            self.release(out);
        }
        let text = self
            .language
            .pick("将重新制作", "to be done again")
            .to_owned();
        self.close(stage, ToolStatus::Failed, text, out);
        let id = format!("tool_{}", out.now.event_id);
        let start = ToolStart {
            id: id.clone(),
            role: "assistant",
            kind: "tool",
            status: ToolStatus::InProgress.in_update(),
            tool_name: stage.to_owned(),
            title: words::title(stage, self.language, self.refines()),
            content: "",
            progress_text: words::progress_text(stage, self.language, self.refines()),
            parent_message_id: self.greeting.clone(),
            run_id: self.book.id,
            timestamp: out.now.ms(),
        };
        let tool = Tool {
            stage: stage.into(),
            id,
            items: items.max(1),
            begun: BTreeSet::new(),
            rejected: BTreeSet::new(),
            artifacts: vec![],
            errors: vec![],
            failed_call: None,
        };
        self.tools.push(tool);
        self.emit(stage, CourseFrame::ToolMessageStart(start.clone()), out);
        self.emit(stage, CourseFrame::ToolStart(start), out);
        if stage != words::SLIDES {
            self.stage_begins(stage, out);
        }
    }

    fn stage_begins(&mut self, stage: &str, out: &mut Out<'_>) {
        let Some((status, percent)) = words::progress(stage) else {
            return;
        };
        let progress = Progress {
            status,
            progress: percent,
            current: 1,
            total: 1,
            message: words::progress_text(stage, self.language, self.refines()),
            artifact_id: None,
            run_id: self.book.id,
        };
        self.emit(stage, CourseFrame::Progress(progress), out);
    }

    /// Errors of a step no longer count: it is tried again, or it succeeded.
    pub(super) fn goes_on(&mut self, step: &StepId) {
        if let Some(tool) = self.tool_mut(&step.stage) {
            tool.errors.retain(|(item, _)| *item != step.item);
        }
    }

    /// The page that a step makes, from 1; `None` for steps that make no page.
    pub(super) fn page(&self, step: &StepId) -> Option<u32> {
        if step.stage == words::SLIDES {
            step.item.parse().ok()
        } else {
            None
        }
    }

    /// Counts a page when it is begun for the first time.
    pub(super) fn page_begins(&mut self, step: &StepId, out: &mut Out<'_>) {
        let Some(current) = self.page(step) else {
            return;
        };
        let Some(tool) = self.tool_mut(&step.stage) else {
            return;
        };
        if !tool.begun.insert(step.item.clone()) {
            return;
        }
        let total = tool.items;
        let Some((status, _)) = words::progress(&step.stage) else {
            return;
        };
        let progress = Progress {
            status,
            progress: words::slide_percent(current, total),
            current,
            total,
            message: words::slide_text(current, total, self.language),
            artifact_id: None,
            run_id: self.book.id,
        };
        self.emit(&step.stage, CourseFrame::Progress(progress), out);
    }

    /// A line in the tool message of a stage, if that is open.
    pub(super) fn log(
        &mut self,
        stage: &str,
        level: LogLevel,
        message: String,
        artifact_id: Option<ArtifactId>,
        out: &mut Out<'_>,
    ) {
        let Some(tool) = self.tool(stage) else { return };
        let log = ToolLog {
            id: format!("log_{}", out.now.event_id),
            message_id: tool.id.clone(),
            tool_name: tool.stage.to_string(),
            level,
            message,
            artifact_id,
            timestamp: out.now.ms(),
        };
        self.emit(stage, CourseFrame::ToolLog(log), out);
    }

    /// A line about the run as a whole, in the tool message opened last, if one is open.
    pub(super) fn log_latest(&mut self, level: LogLevel, message: String, out: &mut Out<'_>) {
        let Some(stage) = self.tools.last().map(|tool| tool.stage.clone()) else {
            return;
        };
        self.log(&stage, level, message, None, out);
    }

    pub(super) fn artifact(&mut self, e: &ArtifactProduced, out: &mut Out<'_>) {
        let Some(tool) = self.tool_mut(&e.step.stage) else {
            return;
        };
        tool.artifacts.push(e.artifact.clone());
        let message_id = tool.id.clone();
        let frame = ToolArtifact {
            message_id,
            show_in_canvas: e.shown,
            artifact: Artifact::of(e, out.now.ms()),
        };
        self.emit(&e.step.stage, CourseFrame::ToolArtifact(frame), out);
    }

    /// Closes the tool message of a stage in both families, if it is open.
    pub(super) fn close(
        &mut self,
        stage: &str,
        status: ToolStatus,
        content: String,
        out: &mut Out<'_>,
    ) {
        let Some(index) = self.tools.iter().position(|tool| tool.stage == stage) else {
            return;
        };
        let tool = self.tools.remove(index);
        let update = ToolUpdate {
            id: tool.id.clone(),
            status,
            content,
            artifact_ids: tool.artifacts.clone(),
            timestamp: out.now.ms(),
        };
        let complete = ToolComplete {
            id: tool.id,
            status,
            artifact_ids: tool.artifacts,
            timestamp: out.now.ms(),
        };
        self.emit(stage, CourseFrame::ToolUpdate(update), out);
        self.emit(stage, CourseFrame::ToolMessageComplete(complete), out);
    }

    fn emit(&mut self, stage: &str, frame: CourseFrame, out: &mut Out<'_>) {
        if stage == words::THEME && !self.scripts_done {
            self.held.push(frame);
        } else {
            self.give(frame, out);
        }
    }

    /// Sends the frames that were held back. From now on no frame is held back.
    pub(super) fn release(&mut self, out: &mut Out<'_>) {
        self.scripts_done = true;
        for frame in std::mem::take(&mut self.held) {
            self.give(frame, out);
        }
    }

    /// Drops the frames that were held back: no client has seen any of them.
    pub(super) fn drop_held(&mut self) {
        if !self.scripts_done {
            self.tools.retain(|tool| tool.stage != words::THEME);
        }
        self.held.clear();
        self.scripts_done = true;
    }

    /// Sends a frame. Percents never fall, and they are counted in the order in which a client sees them.
    fn give(&mut self, mut frame: CourseFrame, out: &mut Out<'_>) {
        if let CourseFrame::Progress(progress) = &mut frame {
            self.percent = self.percent.max(progress.progress);
            progress.progress = self.percent;
        }
        out.push(frame);
    }
}
