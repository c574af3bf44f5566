//! Stories of the report pipeline.

use chrono::TimeDelta;
use palimpsest::prelude::pipeline::{BlobRef, Settings};
use palimpsest::prelude::trial::logs::*;
use palimpsest::prelude::wire::event::*;
use palimpsest::prelude::wire::{ArtifactId, Frame, GateId, Recorded, RunId, StepId, rfc3339};
use serde_json::{Value, json};
use smol_str::SmolStr;

use crate::wire::out::Report;

pub(crate) type Log = LogFixture;

pub(crate) const PLAN: &str = "plan";
pub(crate) const SECTIONS: &str = "sections";
pub(crate) const REPORT: &str = "report";

/// The settings of a run with somebody to ask.
pub(crate) fn asked() -> Settings {
    Settings {
        attended: true,
        attempts: 2,
        options: json!({ "require_confirm": true, "confirm_timeout_s": 600, "broadcast_tasks": true }),
        ..with_model(false)
    }
}

pub(crate) fn in_english(settings: Settings) -> Settings {
    let language = "en".to_owned();
    Settings {
        language,
        ..settings
    }
}

pub(crate) fn title(id: u32) -> &'static str {
    ["", "概况", "分析", "结论"]
        .get(id as usize)
        .unwrap_or(&"附录")
}

pub(crate) fn task(id: u32) -> Value {
    json!({
        "id": id, "title": title(id), "objective": "按模板撰写", "template": format!("## {}", title(id)),
        "hints": [], "required_inputs": ["datasets/a.json"],
    })
}

pub(crate) fn plan(tasks: u32) -> Value {
    let tasks: Vec<_> = (1..=tasks).map(task).collect();
    json!({ "tasks": tasks, "plan_summary": "先看数据", "doc_title": "年报" })
}

pub(crate) fn section(id: u32) -> Value {
    json!({
        "id": id, "title": title(id), "content": format!("{}的正文", title(id)), "tables": [{ "rows": [id] }],
        "summary": format!("{}的摘要", title(id)), "citations": ["datasets/a.json"],
    })
}

pub(crate) fn report(solved: &[u32], missing: &[u32]) -> Value {
    let sections: Vec<_> = solved.iter().map(|id| section(*id)).collect();
    let missing: Vec<_> = missing
        .iter()
        .map(|id| json!({ "id": id, "title": title(*id), "reason": "failed" }))
        .collect();
    let path = "reports/generated_report.md";
    json!({
        "sections": sections,
        "report": { "title": "年报", "content": "# 年报", "vfs_path": path, "path": path },
        "partial": !missing.is_empty(), "missing": missing,
    })
}

/// The story of a report.
pub(crate) trait ReportLog: Sized {
    fn report() -> Self;

    /// A message, understood and prepared for.
    fn asks(self, question: &str, settings: Settings) -> Self;

    fn asks_with(self, question: &str, input: Value, settings: Settings) -> Self;

    fn prepared(self) -> Self;

    fn tool(self, stage: &str, item: &str, attempt: u32, turn: u32, tool: &str) -> Self;

    fn returned(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        error: Option<CallError>,
    ) -> Self;

    /// An answer with calls of tools, and what the model says beside them.
    fn thinks(self, stage: &str, item: &str, attempt: u32, thought: &str) -> Self;

    /// The planner looks at the files and makes a plan with this many tasks.
    fn plans(self, tasks: u32, attempt: u32) -> Self;

    /// The plan is there.
    fn planned(self, body: Body, attempt: u32) -> Self;

    /// A question about the plan made last.
    fn asks_to_confirm(self, gate: &str) -> Self;

    fn asks_to_confirm_about(self, gate: &str, subject: ArtifactId) -> Self;

    fn confirmed(self, gate: &str, edits: Option<ArtifactId>) -> Self;

    fn declined(self, gate: &str, by: &str) -> Self;

    fn answered(self, gate: &str, answer: Value, by: &str) -> Self;

    fn asks_for_budget(self, gate: &str) -> Self;

    /// A section is solved, with a call.
    fn solves(self, id: u32, attempt: u32) -> Self;

    fn requests(self, ids: &[(u32, u32)]) -> Self;

    fn sections_done(self) -> Self;

    /// The report is put together and exported, and the run is over.
    fn delivers(self, solved: &[u32], missing: &[u32]) -> Self;

    fn assembles(self, content: Value, attempt: u32) -> Self;

    fn exports(self, partial: bool) -> Self;

    fn ends_with(self, final_artifact: Option<ArtifactId>, partial: bool) -> Self;

    fn latest(&self, kind: &str) -> ArtifactId;

    fn cancelled_for(self, reason: &str) -> Self;

    fn decides(self, id: u32, choice: &str) -> Self;

    fn reopens(self, steps: &[(&str, &str)], feedback: Option<&str>) -> Self;

    fn forks(self) -> Self;

    /// A run on the one before, which keeps these artifacts.
    fn takes_up(
        self,
        intent: Intent,
        kept: Vec<ArtifactId>,
        again: &[(&str, &str)],
        left_out: &[u32],
    ) -> Self;

    /// A whole stage of one step of another pipeline.
    fn whole(self, stage: &str, kind: &str) -> Self;

    /// What a client reads, event by event; the envelope, which is in every frame, is checked and left out.
    fn transcript(&self) -> Value;

    fn names(&self) -> Vec<&'static str>;

    /// The frames that a story added to this one.
    fn added_to(&self, before: &Self) -> Value;
}

impl ReportLog for Log {
    fn report() -> Self {
        Self::of("report", "")
    }

    fn asks(self, question: &str, settings: Settings) -> Self {
        self.asks_with(question, Value::Null, settings)
    }

    fn asks_with(self, question: &str, input: Value, settings: Settings) -> Self {
        self.message_with(question, input, settings)
            .understood()
            .prepared()
    }

    fn prepared(self) -> Self {
        let log = self.stage("prepare", 1).request("prepare", "", 1);
        let tree = inline(json!({ "doc_title": "年报", "leaves": [] }));
        log.make("prepare", "", 1, "template_tree", false, tree)
            .succeed("prepare", "", 1, vec![])
            .close("prepare", StageOutcome::Completed)
    }

    fn tool(self, stage: &str, item: &str, attempt: u32, turn: u32, tool: &str) -> Self {
        let step = self.step(stage, item);
        self.then(ToolCalled {
            step,
            attempt,
            turn,
            tool: tool.into(),
            input: json!({ "path": "datasets" }),
        })
    }

    fn returned(
        self,
        stage: &str,
        item: &str,
        attempt: u32,
        turn: u32,
        tool: &str,
        error: Option<CallError>,
    ) -> Self {
        let step = self.step(stage, item);
        self.then(ToolReturned {
            step,
            attempt,
            turn,
            tool: tool.into(),
            output: BlobRef::of(b"files"),
            summary: "2 files".to_owned(),
            latency_ms: 3,
            cost_micros: 0,
            error,
        })
    }

    fn thinks(self, stage: &str, item: &str, attempt: u32, thought: &str) -> Self {
        let step = self.step(stage, item);
        self.then(ModelCalled {
            thought: Some(thought.to_owned()),
            ..model_call(step, attempt, 1, None)
        })
    }

    fn plans(self, tasks: u32, attempt: u32) -> Self {
        let log = self.stage(PLAN, 1).request(PLAN, "", attempt);
        log.tool(PLAN, "", attempt, 1, "list_local_dir")
            .returned(PLAN, "", attempt, 1, "list_local_dir", None)
            .called(PLAN, "", attempt, None)
            .planned(inline(plan(tasks)), attempt)
    }

    fn planned(self, body: Body, attempt: u32) -> Self {
        self.make(PLAN, "", attempt, "plan", true, body)
            .succeed(PLAN, "", attempt, vec![])
            .close(PLAN, StageOutcome::Completed)
    }

    fn asks_to_confirm(self, gate: &str) -> Self {
        let subject = self.last_artifact();
        self.asks_to_confirm_about(gate, subject)
    }

    fn asks_to_confirm_about(self, gate: &str, subject: ArtifactId) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(GateOpened {
            step: None,
            run,
            gate: GateId::new(gate),
            name: "confirm_plan".to_owned(),
            subject: Some(subject),
            question: "is the plan right?".to_owned(),
            schema: Value::Null,
            options: vec![],
            deadline: Some(at + TimeDelta::seconds(600)),
            default: json!({ "confirm": false }),
            at,
        })
    }

    fn confirmed(self, gate: &str, edits: Option<ArtifactId>) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(PlanConfirmed {
            run,
            gate: GateId::new(gate),
            edits,
            by: "person".to_owned(),
            at,
        })
    }

    fn declined(self, gate: &str, by: &str) -> Self {
        let (run, at) = (self.run, self.now());
        let log = self.then(PlanDeclined {
            run,
            gate: GateId::new(gate),
            feedback: None,
            by: by.to_owned(),
            at,
        });
        log.then(MessageSent {
            message: palimpsest::prelude::pipeline::MessageId::new(format!("msg_declined_{run}")),
            run,
            text: "Plan was declined by user.".to_owned(),
        })
        .completed(None)
    }

    fn answered(self, gate: &str, answer: Value, by: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(AnswerGiven {
            run,
            gate: GateId::new(gate),
            answer,
            by: by.to_owned(),
            at,
        })
    }

    fn asks_for_budget(self, gate: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(GateOpened {
            step: None,
            run,
            gate: GateId::new(gate),
            name: "budget".to_owned(),
            subject: None,
            question: "the budget is used up".to_owned(),
            schema: Value::Null,
            options: vec![
                "raise".to_owned(),
                "finish_partial".to_owned(),
                "end".to_owned(),
            ],
            deadline: None,
            default: json!({ "choice": "end" }),
            at,
        })
    }

    fn solves(self, id: u32, attempt: u32) -> Self {
        let item = id.to_string();
        self.called(SECTIONS, &item, attempt, None)
            .make(
                SECTIONS,
                &item,
                attempt,
                "section",
                false,
                inline(section(id)),
            )
            .succeed(SECTIONS, &item, attempt, vec![])
    }

    fn requests(self, ids: &[(u32, u32)]) -> Self {
        ids.iter().fold(self, |log, (id, attempt)| {
            log.request(SECTIONS, &id.to_string(), *attempt)
        })
    }

    fn sections_done(self) -> Self {
        self.close(SECTIONS, StageOutcome::Completed)
    }

    fn delivers(self, solved: &[u32], missing: &[u32]) -> Self {
        let partial = !missing.is_empty();
        self.assembles(report(solved, missing), 1).exports(partial)
    }

    fn assembles(self, content: Value, attempt: u32) -> Self {
        let log = self.stage(REPORT, 1).request(REPORT, "", attempt);
        let markdown = blob("# 年报".as_bytes(), "text/markdown");
        log.make(REPORT, "", attempt, "report", true, inline(content))
            .make(REPORT, "", attempt, "markdown", true, markdown)
            .make(
                REPORT,
                "",
                attempt,
                "report_check",
                false,
                inline(json!({ "passed": true })),
            )
            .succeed(REPORT, "", attempt, vec![])
            .close(REPORT, StageOutcome::Completed)
    }

    fn exports(self, partial: bool) -> Self {
        let log = self.stage("export", 1).request("export", "", 1);
        let log = log
            .make("export", "", 1, "html", false, blob(b"<p>", "text/html"))
            .succeed("export", "", 1, vec![])
            .close("export", StageOutcome::Completed);
        let markdown = log.latest("markdown");
        log.ends_with(Some(markdown), partial)
    }

    fn ends_with(self, final_artifact: Option<ArtifactId>, partial: bool) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCompleted {
            run,
            final_artifact,
            partial,
            at,
        })
    }

    fn latest(&self, kind: &str) -> ArtifactId {
        let of_kind = |recorded: &Recorded| {
            if let Event::Step(StepEvent::ArtifactProduced(e)) = &recorded.event
                && e.kind == kind
            {
                Some(e.artifact.clone())
            } else {
                None
            }
        };
        self.events.iter().rev().find_map(of_kind).unwrap()
    }

    fn cancelled_for(self, reason: &str) -> Self {
        let (run, at) = (self.run, self.now());
        self.then(RunCancelled {
            run,
            reason: reason.to_owned(),
            at,
        })
    }

    fn decides(self, id: u32, choice: &str) -> Self {
        let run = self.run;
        self.then(DecisionMade {
            run,
            what: format!("skip:sections:{id}"),
            choice: choice.to_owned(),
            reason: "a person asked for it".to_owned(),
            by: "person".to_owned(),
        })
    }

    fn reopens(self, steps: &[(&str, &str)], feedback: Option<&str>) -> Self {
        let run = self.run;
        let mut stages: Vec<_> = steps
            .iter()
            .map(|(stage, _)| SmolStr::from(*stage))
            .collect();
        stages.dedup();
        let steps = steps
            .iter()
            .map(|(stage, item)| StepId::new(run, *stage, *item));
        let steps = steps.collect();
        self.then(StagesReopened {
            run,
            stages,
            steps,
            feedback: feedback.map(str::to_owned),
            feedback_for: None,
            reason: "a person asked for it".to_owned(),
        })
    }

    fn forks(self) -> Self {
        let at = self.events.len() as u64;
        self.then(SessionForked {
            parent: "s0".into(),
            at,
        })
    }

    fn takes_up(
        mut self,
        intent: Intent,
        kept: Vec<ArtifactId>,
        again: &[(&str, &str)],
        left_out: &[u32],
    ) -> Self {
        let base = self.run;
        let before = self.events.iter().find_map(|recorded| {
            if let Event::Run(RunEvent::RunStarted(e)) = &recorded.event
                && e.run == base
            {
                Some(e.clone())
            } else {
                None
            }
        });
        self.run = RunId(base.0 + 1);
        let (run, at) = (self.run, self.now());
        self.record(RunStarted {
            run,
            base_run: Some(base),
            at,
            ..before.unwrap()
        });
        let log = left_out
            .iter()
            .fold(self, |log, id| log.decides(*id, "skip"));
        let steps = again
            .iter()
            .map(|(stage, item)| StepId::new(base, *stage, *item));
        let steps = steps.collect();
        log.then(IntentClassified {
            run,
            intent,
            target: None,
            base_run: Some(base),
            language: None,
            kept,
            steps,
            confidence: 1.0,
            by: "person".to_owned(),
            reason: "taken up again".to_owned(),
            reply: None,
        })
    }

    fn whole(self, stage: &str, kind: &str) -> Self {
        let body = inline(json!({ "of": stage }));
        self.stage(stage, 1)
            .request(stage, "", 1)
            .called(stage, "", 1, None)
            .make(stage, "", 1, kind, true, body)
            .succeed(stage, "", 1, vec![])
            .close(stage, StageOutcome::Completed)
    }

    fn transcript(&self) -> Value {
        let line = |frame: Frame| {
            let mut data = data(&frame);
            let fields = data.as_object_mut().unwrap();
            assert_eq!(fields.shift_remove("event"), Some(json!(frame.name)));
            assert_eq!(fields.shift_remove("session_id"), Some(json!("s1")));
            let seq = frame.ordinal + 1;
            assert_eq!(fields.shift_remove("seq"), Some(json!(seq)));
            let id = format!("s1-v1-{seq}");
            assert_eq!(fields.shift_remove("event_id"), Some(json!(id)));
            let at = rfc3339(frame.recorded_at);
            assert_eq!(fields.shift_remove("timestamp"), Some(json!(at)));
            let end = if frame.terminal { " (terminal)" } else { "" };
            json!({ "frame": format!("{} {}{end}", frame.cursor, frame.name), "data": data })
        };
        let frames = self.frames_of::<Report>().into_iter();
        frames.map(line).collect()
    }

    fn names(&self) -> Vec<&'static str> {
        self.frames_of::<Report>()
            .iter()
            .map(|frame| frame.name)
            .collect()
    }

    fn added_to(&self, before: &Self) -> Value {
        let (all, skip) = (self.transcript(), before.frames_of::<Report>().len());
        all.as_array().unwrap()[skip..].to_vec().into()
    }
}

/// The content of the last frame with this name.
pub(crate) fn last(log: &Log, name: &str) -> Value {
    let frames = log.frames_of::<Report>();
    let frame = frames
        .iter()
        .rev()
        .find(|frame| frame.name == name)
        .unwrap();
    data(frame)
}

pub(crate) fn too_large() -> Body {
    Body::Blob {
        blob: BlobRef {
            size: 2_000_000,
            ..BlobRef::of(b"large")
        },
        media_type: "application/json".to_owned(),
    }
}
