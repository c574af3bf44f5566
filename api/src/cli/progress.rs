//! What a person sees of a run: on a terminal, one bar with the stages above it, elsewhere plain lines. It is made from the frames of the
//! wire `lean` and the stages that the pipeline describes, so that it is the same for every pipeline.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::DateTime;
use domain::event::{Intent, StageOutcome};
use domain::material::{MaterialAccount, MaterialState};
use domain::session::mostly_rejected;
use domain::shown;
use indicatif::{ProgressBar, ProgressStyle};
use projections::wire::native::{NativeEvent, data};
use serde::Deserialize;
use serde_json::Value;

use super::described::{DescribedStage, is_chinese};
use crate::verb::out;

/// How often the bar moves when nothing happens, to show that the program is still running.
const TICK: Duration = Duration::from_millis(120);

/// After how many seconds without news a line says so, if there is no bar.
const SILENT_LINES: [u64; 6] = [30, 60, 120, 240, 480, 960];

/// How many characters of a text by a model or a tool are shown in a line.
const SAID_CHARS: usize = 160;

/// Shows frames to a person.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    chinese: bool,
    stages: Vec<DescribedStage>,
    /// For each stage that began: how many steps are done, and how many there are.
    items: BTreeMap<String, (u64, u64)>,
    /// Percent. It never goes down, even if a stage is repeated.
    percent: u64,
    /// The step that was requested last.
    about: String,
    /// Calls of models, and how many of their answers were rejected.
    calls: u64,
    rejected: u64,
    /// Whether so many were that what followed was asked for once.
    asks_once: bool,
}

impl Progress {
    /// Shows progress in the language of the brief. With `json` there is no bar.
    pub(super) fn new(language: &str, stages: &[DescribedStage], json: bool) -> Self {
        let bar = (!json && out::notes_are_seen()).then(|| {
            let bar = ProgressBar::new(100);
            let style = ProgressStyle::with_template("{spinner} [{bar:28}] {pos:>3}% {wide_msg}");
            // The template is valid; if not, the default style is used.
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Self {
            bar,
            chinese: is_chinese(language),
            stages: stages.to_vec(),
            items: BTreeMap::new(),
            percent: 0,
            about: String::new(),
            calls: 0,
            rejected: 0,
            asks_once: false,
        }
    }

    /// Shows an event of the wire `lean`.
    pub(super) fn show(&mut self, event: &NativeEvent) {
        for line in self.lines(event) {
            self.say(&line);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.percent);
            if let NativeEvent::StepRequested(step) = event {
                self.about = self.about(&step.of);
            }
            bar.set_message(shown::line(&self.about).into_owned());
        }
    }

    /// Says that nothing came for so long: in the bar all the time, in plain lines at the times of [`SILENT_LINES`].
    pub(super) fn silent(&self, seconds: u64) {
        let zh = format!("{seconds} 秒没有新消息，仍在等待");
        let en = format!("nothing new for {seconds} s, still waiting");
        let words = self.word(&zh, &en);
        match &self.bar {
            Some(bar) => bar.set_message(format!("{} · {words}", shown::line(&self.about))),
            None if SILENT_LINES.contains(&seconds) => self.say(&format!("  … {words}")),
            None => {}
        }
    }

    /// Says that the models wrote too little that is accepted, where it is so.
    pub(super) fn say_rejected(&self) {
        let (rejected, calls) = (self.rejected, self.calls);
        if !self.asks_once {
            return;
        }
        let zh = format!(
            "! {calls} 次模型回答中有 {rejected} 次未被接受，因此后来每一步只问一次；请换用更强的模型"
        );
        let en = format!(
            "! {rejected} of {calls} answers of the model were not accepted, so that each later step was asked for once; try a stronger model"
        );
        self.say(self.word(&zh, &en));
    }

    /// Writes a line for each given file: how much of it was read and used, and, if not all, why.
    pub(super) fn material(&self, account: &Value) {
        let Ok(account) = MaterialAccount::deserialize(account) else {
            return;
        };
        for file in &account.files {
            let is_unused = file.used.as_ref().is_some_and(Vec::is_empty) && file.blocks > 0;
            let mark = match file.state {
                MaterialState::Read if !is_unused => "·",
                MaterialState::Read | MaterialState::PartlyRead | MaterialState::NotRead => "!",
            };
            self.say(&format!("  {mark} {}", file.in_words(self.chinese)));
        }
    }

    /// The lines to show for an event. Updates the state of the progress.
    fn lines(&mut self, event: &NativeEvent) -> Vec<String> {
        let line = match event {
            NativeEvent::RunStarted(run) => self.run_started(run.settings.ports.is_offline()),
            NativeEvent::MessageSent(sent) => sent.text.clone(),
            NativeEvent::IntentClassified(intent) => self.understood(intent),
            NativeEvent::RefinementRequested(change) if change.items.is_empty() => return vec![],
            NativeEvent::RefinementRequested(change) => {
                let items = change.items.join(", ");
                format!("  · {} {items}", self.word("只改", "only"))
            }
            NativeEvent::StageStarted(stage) => self.stage_started(stage).unwrap_or_default(),
            NativeEvent::StageClosed(stage) => self.stage_closed(stage).unwrap_or_default(),
            NativeEvent::StagesReopened(reopened) => {
                let again = self.word("返工", "once more");
                format!("↺ {again}: {}", clipped(&reopened.reason))
            }
            NativeEvent::StepSucceeded(step) => {
                self.step_done(&step.of.stage);
                return vec![];
            }
            NativeEvent::StepFailed(step) => self.step_failed(step),
            NativeEvent::OutputRejected(output) => {
                self.rejected += 1;
                self.asks_once |= mostly_rejected(self.rejected, self.calls);
                self.output_rejected(output)
            }
            NativeEvent::ModelCalled(call) => {
                self.calls += 1;
                return self.model_called(call);
            }
            NativeEvent::ToolReturned(call) => {
                let mark = if call.error.is_none() { "·" } else { "!" };
                format!("  {mark} {}: {}", call.tool, clipped(&call.summary))
            }
            NativeEvent::ArtifactProduced(made) => artifact_produced(made),
            NativeEvent::DecisionMade(decision) => {
                let (what, choice) = (&decision.what, &decision.choice);
                format!("  · {what}: {choice} ({})", clipped(&decision.reason))
            }
            NativeEvent::GateOpened(gate) => return gate_opened(gate),
            NativeEvent::PlanConfirmed(_) => format!("  ✓ {}", self.word("已确认", "confirmed")),
            NativeEvent::PlanDeclined(plan) => {
                let declined = self.word("已拒绝", "declined");
                let feedback = plan.feedback.as_deref().unwrap_or_default();
                format!("  ✗ {declined} {}", clipped(feedback))
            }
            NativeEvent::AnswerGiven(given) => {
                let said = given.answer.as_str().map(str::to_owned);
                let other = || (!given.answer.is_null()).then(|| given.answer.to_string());
                let answer = said.or_else(other).unwrap_or_default();
                format!("  ✓ {} {}", self.word("回答", "answer:"), clipped(&answer))
            }
            NativeEvent::BudgetRaised(_) => {
                format!("  ✓ {}", self.word("预算已提高", "the budget is raised"))
            }
            NativeEvent::RunCompleted(run) => {
                self.percent = 100;
                if !run.partial {
                    return vec![];
                }
                format!(
                    "! {}",
                    self.word("有一部分没有做成", "a part of it could not be made")
                )
            }
            NativeEvent::SessionOpened(_)
            | NativeEvent::SessionTitled(_)
            | NativeEvent::SessionForked(_)
            | NativeEvent::SessionErased(_)
            | NativeEvent::MessageReceived(_)
            | NativeEvent::MessageQueued(_)
            | NativeEvent::MessageWithdrawn(_)
            | NativeEvent::FilePut(_)
            | NativeEvent::FileRemoved(_)
            | NativeEvent::ArtifactEdited(_)
            | NativeEvent::StepRequested(_)
            | NativeEvent::StepCancelled(_)
            | NativeEvent::ToolCalled(_)
            | NativeEvent::RunFailed(_)
            | NativeEvent::RunCancelled(_)
            | NativeEvent::HeadMoved(_) => return vec![],
        };
        vec![line.trim_end().to_owned()]
    }

    /// Tells people at once that the offline author writes.
    fn run_started(&self, is_offline: bool) -> String {
        if !is_offline {
            return String::new();
        }
        let offline = self.word(
            "离线作者撰写：不调用模型，只依据所给内容",
            "the offline author writes: no model is asked, only what was given is used",
        );
        format!("· {offline}")
    }

    /// What a message was understood as: its answer, or what it changes.
    fn understood(&self, said: &data::IntentClassified) -> String {
        // An answer is sent as a message of its own.
        if said.intent == Intent::Irrelevant {
            return String::new();
        }
        let reply = said.reply.as_deref().unwrap_or_default();
        if !reply.is_empty() || said.intent != Intent::Refinement {
            return reply.to_owned();
        }
        let mut told = format!(
            "· {} {}",
            self.word("理解为修改：", "understood as a change of:"),
            self.title(said.target.as_deref().unwrap_or_default())
        );
        if let Some(named) = &said.language {
            let language = self.word("语言", "language");
            told.push_str(&format!(" · {language} {named}"));
        }
        told
    }

    /// What people call a stage; its name if the pipeline does not describe it.
    fn title<'a>(&'a self, name: &'a str) -> &'a str {
        let stage = self.stages.iter().find(|stage| stage.name == name);
        stage.map_or(name, |stage| stage.title.as_str())
    }

    fn stage_started(&mut self, started: &data::StageStarted) -> Option<String> {
        let name = started.stage.as_str();
        let items = u64::from(started.items).max(1);
        self.items.insert(name.to_owned(), (0, items));
        self.moved(name);
        // Stages that are not described to people, such as understanding a message, get no line.
        let stage = self.stages.iter().find(|stage| stage.name == name)?;
        Some(format!("▸ {}", stage.title))
    }

    fn stage_closed(&mut self, closed: &data::StageClosed) -> Option<String> {
        let name = closed.stage.as_str();
        if let Some((done, items)) = self.items.get_mut(name) {
            *done = *items;
        }
        self.moved(name);
        let stage = self.stages.iter().find(|stage| stage.name == name)?;
        (closed.outcome == StageOutcome::Failed).then(|| format!("  ✗ {}", stage.title))
    }

    fn step_done(&mut self, stage: &str) {
        if let Some((done, items)) = self.items.get_mut(stage) {
            *done = (*done + 1).min(*items);
        }
        self.moved(stage);
    }

    /// Computes the progress of the run from the position of this stage and the part of it that is done.
    fn moved(&mut self, stage: &str) {
        let Some(index) = self.stages.iter().position(|known| known.name == stage) else {
            return;
        };
        let (done, items) = self.items.get(stage).copied().unwrap_or((0, 1));
        let (index, all) = (index as u64, self.stages.len() as u64);
        let percent = (index * 100 + done * 100 / items) / all;
        self.percent = self.percent.max(percent);
    }

    /// What a call showed about the model; if it gave no answer, also why, and when it is repeated.
    fn model_called(&self, call: &data::ModelCalled) -> Vec<String> {
        let learned = call.learned.iter();
        let mut lines: Vec<_> = learned
            .map(|told| format!("  · {}: {}", call.model, clipped(told)))
            .collect();
        if let Some(error) = &call.error {
            let again_at = error.again_at.as_deref();
            let again_at = again_at.and_then(|at| DateTime::parse_from_rfc3339(at).ok());
            let failed = match again_at {
                Some(at) => {
                    let at = at.to_utc().format("%H:%M:%S UTC");
                    let zh = format!("模型调用失败，将于 {at} 重试");
                    let en = format!("a call of the model failed and is repeated at {at}");
                    self.word(&zh, &en).to_owned()
                }
                None => self
                    .word("模型调用失败", "a call of the model failed")
                    .to_owned(),
            };
            let (about, cause) = (self.about(&call.of), clipped(&error.message));
            lines.push(format!("  ! {about}: {failed}: {cause}"));
        }
        lines
    }

    fn step_failed(&self, step: &data::StepFailed) -> String {
        let (about, message) = (self.about(&step.of), clipped(&step.message));
        if step.retryable {
            let again = self.word("未成功，可能重试", "failed and may be repeated");
            return format!("  ! {about}: {again}: {message}");
        }
        format!("  ✗ {about}: {message}")
    }

    fn output_rejected(&self, output: &data::OutputRejected) -> String {
        let rejected = self.word("输出未通过检查", "the output did not pass");
        let violations = output.violations.iter();
        let violations: Vec<_> = violations.map(|found| found.message.as_str()).collect();
        let why = clipped(&violations.join("; "));
        format!("  ! {}: {rejected}: {why}", self.about(&output.of))
    }

    /// The stage and item that a step is of.
    fn about(&self, of: &data::Attempt) -> String {
        let title = self.title(&of.stage);
        format!("{title} {}", of.item).trim_end().to_owned()
    }

    pub(super) fn is_chinese(&self) -> bool {
        self.chinese
    }

    /// Chooses between the Chinese and the English word.
    pub(super) fn word<'a>(&self, chinese: &'a str, english: &'a str) -> &'a str {
        if self.chinese { chinese } else { english }
    }

    /// Says a line, above the bar where there is one.
    pub(super) fn say(&self, line: &str) {
        if line.trim().is_empty() {
            return;
        }
        match &self.bar {
            Some(bar) => bar.suspend(|| out::note(line)),
            None => out::note(line),
        }
    }

    /// Takes the bar away.
    pub(super) fn end(&mut self) {
        if let Some(bar) = self.bar.take() {
            bar.finish_and_clear();
        }
    }
}

/// Parts of a step's result get no line; they are in the folder.
fn artifact_produced(made: &data::ArtifactProduced) -> String {
    if !made.part.is_empty() {
        return String::new();
    }
    let version = match made.number {
        0 | 1 => String::new(),
        number => format!("v{number}"),
    };
    let which = [made.kind.as_str(), made.of.item.as_str(), &version];
    let which: Vec<_> = which.into_iter().filter(|text| !text.is_empty()).collect();
    format!("  ✓ {} ({})", made.title, which.join(" "))
}

fn gate_opened(gate: &data::GateOpened) -> Vec<String> {
    let mut lines = vec![format!("  ? {}", gate.question)];
    if !gate.options.is_empty() {
        lines.push(format!("    {}", gate.options.join(" · ")));
    }
    lines
}

/// A text as one line, cut if it is too long.
fn clipped(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if line.chars().count() <= SAID_CHARS {
        return line;
    }
    let cut: String = line.chars().take(SAID_CHARS).collect();
    format!("{cut}…")
}

#[cfg(test)]
mod tests {
    use domain::settings::Settings;
    use serde_json::json;

    use super::*;

    fn progress() -> Progress {
        let stage = |name: &str, title: &str| DescribedStage {
            name: name.to_owned(),
            title: title.to_owned(),
        };
        let stages = [stage("plan", "Plan"), stage("verses", "Verses")];
        Progress::new("en", &stages, false)
    }

    /// The lines for a frame with this data. What it has to have and no line shows is the same for every frame.
    fn shown(progress: &mut Progress, kind: &str, data: Value) -> Vec<String> {
        let mut all = json!({
            "run": "r1", "pipeline": "haiku", "brief": "Rain", "at": "2025-01-01T00:00:00.000Z", "outcome": "completed", "by": "rules",
            "step": "r1/plan", "stage": "plan", "item": "", "attempt": 1, "artifacts": [], "code": "model_failed",
            "artifact": "art_1", "number": 1, "from": [], "shown": true, "content": "/v1/artifacts/art_1/content",
            "message": "msg_1", "gate": "gate_1", "name": "plan",
        });
        let data = data.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(data);
        let event = NativeEvent::deserialize(json!({ "type": kind, "data": all }));
        progress.lines(&event.expect("a frame"))
    }

    #[test]
    fn stages_items_gates_and_the_end_of_any_run_are_told() {
        let mut progress = progress();
        let mut told = vec![];
        for (kind, data) in [
            (
                "stage_started",
                json!({ "stage": "understand", "items": 1 }),
            ),
            ("run_started", json!({ "settings": Settings::default() })),
            ("message_sent", json!({ "text": "Gladly." })),
            ("stage_started", json!({ "stage": "plan", "items": 1 })),
            (
                "decision_made",
                json!({ "what": "route", "choice": "plan", "reason": "it is new" }),
            ),
            (
                "artifact_produced",
                json!({ "kind": "plan", "title": "Three verses", "item": "" }),
            ),
            ("step_succeeded", json!({ "stage": "plan", "item": "" })),
            (
                "stage_closed",
                json!({ "stage": "plan", "outcome": "completed" }),
            ),
            (
                "gate_opened",
                json!({ "question": "Begin?", "options": ["yes", "no"] }),
            ),
            ("answer_given", json!({ "answer": "yes" })),
            ("stage_started", json!({ "stage": "verses", "items": 2 })),
            (
                "output_rejected",
                json!({ "stage": "verses", "item": "1", "violations": [{ "path": "", "message": "six syllables" }] }),
            ),
            (
                "step_failed",
                json!({ "stage": "verses", "item": "1", "message": "no answer", "retryable": true }),
            ),
            (
                "artifact_produced",
                json!({ "kind": "verse", "title": "Rain", "item": "1", "number": 2 }),
            ),
            (
                "artifact_produced",
                json!({ "kind": "picture", "title": "Rain", "item": "1", "part": "7" }),
            ),
            ("step_succeeded", json!({ "stage": "verses", "item": "1" })),
            (
                "step_failed",
                json!({ "stage": "verses", "item": "2", "message": "refused", "retryable": false }),
            ),
            ("run_completed", json!({ "partial": true })),
        ] {
            told.extend(shown(&mut progress, kind, data));
        }
        told.retain(|line| !line.is_empty());
        assert_eq!(
            told,
            [
                "· the offline author writes: no model is asked, only what was given is used",
                "Gladly.",
                "▸ Plan",
                "  · route: plan (it is new)",
                "  ✓ Three verses (plan)",
                "  ? Begin?",
                "    yes · no",
                "  ✓ answer: yes",
                "▸ Verses",
                "  ! Verses 1: the output did not pass: six syllables",
                "  ! Verses 1: failed and may be repeated: no answer",
                "  ✓ Rain (verse 1 v2)",
                "  ✗ Verses 2: refused",
                "! a part of it could not be made",
            ]
        );
    }

    #[test]
    fn the_bar_goes_by_stages_and_their_items_and_never_back() {
        let mut progress = progress();
        let mut percent = |kind: &str, data: Value| {
            shown(&mut progress, kind, data);
            progress.percent
        };
        let started = |stage: &str, items: u32| json!({ "stage": stage, "items": items });
        assert_eq!(percent("stage_started", started("plan", 1)), 0);
        assert_eq!(percent("stage_closed", json!({ "stage": "plan" })), 50);
        assert_eq!(percent("stage_started", started("verses", 4)), 50);
        assert_eq!(percent("step_succeeded", json!({ "stage": "verses" })), 62);
        assert_eq!(percent("stage_started", started("plan", 1)), 62);
        assert_eq!(percent("run_completed", json!({ "partial": false })), 100);
    }
}
