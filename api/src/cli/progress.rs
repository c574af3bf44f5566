//! What a person sees of a run: on a terminal, one bar with the stages above it, elsewhere plain lines. It is made from the frames of the
//! wire `lean` and the stages that the pipeline describes, so that it is the same for every pipeline.

use std::collections::BTreeMap;
use std::time::Duration;

use chrono::DateTime;
use domain::material::{MaterialAccount, MaterialState};
use domain::session::mostly_rejected;
use domain::shown;
use indicatif::{ProgressBar, ProgressStyle};
use serde::Deserialize;
use serde_json::Value;

use super::described::{DescribedStage, is_chinese};
use crate::config::OFFLINE;
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

    /// Shows a frame of the wire `lean`.
    pub(super) fn show(&mut self, frame: &Value) {
        for line in self.lines(frame) {
            self.say(&line);
        }
        if let Some(bar) = &self.bar {
            bar.set_position(self.percent);
            if frame["type"] == "step_requested" {
                self.about = self.about(&frame["data"]);
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

    /// The lines to show for a frame. Updates the state of the progress.
    fn lines(&mut self, frame: &Value) -> Vec<String> {
        let data = &frame["data"];
        let text = |field: &str| data[field].as_str().unwrap_or_default();
        let line = match frame["type"].as_str().unwrap_or_default() {
            "run_started" => self.run_started(&data["settings"]["ports"]),
            "message_sent" => text("text").to_owned(),
            "intent_classified" => self.understood(data),
            "refinement_requested" => {
                let items = data["items"].as_array().into_iter().flatten();
                let items: Vec<&str> = items.filter_map(Value::as_str).collect();
                if items.is_empty() {
                    return vec![];
                }
                format!("  · {} {}", self.word("只改", "only"), items.join(", "))
            }
            "stage_started" => return self.stage_started(data).into_iter().collect(),
            "stage_closed" => return self.stage_closed(data).into_iter().collect(),
            "stages_reopened" => {
                let again = self.word("返工", "once more");
                format!("↺ {again}: {}", clipped(text("reason")))
            }
            "step_succeeded" => {
                self.step_done(text("stage"));
                return vec![];
            }
            "step_failed" => self.step_failed(data),
            "output_rejected" => {
                self.rejected += 1;
                self.asks_once |= mostly_rejected(self.rejected, self.calls);
                self.output_rejected(data)
            }
            "model_called" => {
                self.calls += 1;
                return self.model_called(data);
            }
            "tool_returned" => {
                let mark = if data["error"].is_null() { "·" } else { "!" };
                format!("  {mark} {}: {}", text("tool"), clipped(text("summary")))
            }
            "artifact_produced" => self.artifact_produced(data),
            "decision_made" => {
                let (what, choice) = (text("what"), text("choice"));
                format!("  · {what}: {choice} ({})", clipped(text("reason")))
            }
            "gate_opened" => return self.gate_opened(data),
            "plan_confirmed" => format!("  ✓ {}", self.word("已确认", "confirmed")),
            "plan_declined" => {
                let declined = self.word("已拒绝", "declined");
                format!("  ✗ {declined} {}", clipped(text("feedback")))
            }
            "answer_given" => {
                let answer = &data["answer"];
                let said = answer.as_str().map(str::to_owned);
                let other = || (!answer.is_null()).then(|| answer.to_string());
                let answer = said.or_else(other).unwrap_or_default();
                format!("  ✓ {} {}", self.word("回答", "answer:"), clipped(&answer))
            }
            "budget_raised" => format!("  ✓ {}", self.word("预算已提高", "the budget is raised")),
            "run_completed" => {
                self.percent = 100;
                if data["partial"] != true {
                    return vec![];
                }
                format!(
                    "! {}",
                    self.word("有一部分没有做成", "a part of it could not be made")
                )
            }
            _ => return vec![],
        };
        vec![line.trim_end().to_owned()]
    }

    /// Tells people at once that the offline author writes.
    fn run_started(&self, ports: &Value) -> String {
        if ports["model"] != OFFLINE {
            return String::new();
        }
        let offline = self.word(
            "离线作者撰写：不调用模型，只依据所给内容",
            "the offline author writes: no model is asked, only what was given is used",
        );
        format!("· {offline}")
    }

    /// What a message was understood as: its answer, or what it changes.
    fn understood(&self, data: &Value) -> String {
        let text = |field: &str| data[field].as_str().unwrap_or_default();
        // An answer is sent as a message of its own.
        if data["intent"] == "irrelevant" {
            return String::new();
        }
        if !text("reply").is_empty() || data["intent"] != "refinement" {
            return text("reply").to_owned();
        }
        let title = self
            .stages
            .iter()
            .find(|stage| stage.name == text("target"));
        let title = title.map_or(text("target"), |stage| stage.title.as_str());
        let mut told = format!(
            "· {} {title}",
            self.word("理解为修改：", "understood as a change of:")
        );
        if !text("language").is_empty() {
            let language = self.word("语言", "language");
            told.push_str(&format!(" · {language} {}", text("language")));
        }
        told
    }

    fn stage_started(&mut self, data: &Value) -> Option<String> {
        let name = data["stage"].as_str()?;
        let items = data["items"].as_u64().unwrap_or(1).max(1);
        self.items.insert(name.to_owned(), (0, items));
        self.moved(name);
        // Stages that are not described to people, such as understanding a message, get no line.
        let stage = self.stages.iter().find(|stage| stage.name == name)?;
        Some(format!("▸ {}", stage.title))
    }

    fn stage_closed(&mut self, data: &Value) -> Option<String> {
        let name = data["stage"].as_str()?;
        if let Some((done, items)) = self.items.get_mut(name) {
            *done = *items;
        }
        self.moved(name);
        let stage = self.stages.iter().find(|stage| stage.name == name)?;
        (data["outcome"] == "failed").then(|| format!("  ✗ {}", stage.title))
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
    fn model_called(&self, data: &Value) -> Vec<String> {
        let learned = data["learned"].as_array().into_iter().flatten();
        let learned = learned.filter_map(Value::as_str);
        let model = data["model"].as_str().unwrap_or_default();
        let mut lines: Vec<_> = learned
            .map(|told| format!("  · {model}: {}", clipped(told)))
            .collect();
        let error = &data["error"];
        if error.is_object() {
            let again_at = error["again_at"].as_str();
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
            let cause = error["message"].as_str().unwrap_or_default();
            lines.push(format!(
                "  ! {}: {failed}: {}",
                self.about(data),
                clipped(cause)
            ));
        }
        lines
    }

    fn step_failed(&self, data: &Value) -> String {
        let message = clipped(data["message"].as_str().unwrap_or_default());
        let about = self.about(data);
        if data["retryable"] == true {
            let again = self.word("未成功，可能重试", "failed and may be repeated");
            return format!("  ! {about}: {again}: {message}");
        }
        format!("  ✗ {about}: {message}")
    }

    fn output_rejected(&self, data: &Value) -> String {
        let rejected = self.word("输出未通过检查", "the output did not pass");
        let violations = data["violations"].as_array().into_iter().flatten();
        let violations: Vec<_> = violations
            .filter_map(|violation| violation["message"].as_str())
            .collect();
        let why = clipped(&violations.join("; "));
        format!("  ! {}: {rejected}: {why}", self.about(data))
    }

    /// Parts of a step's result get no line; they are in the folder.
    fn artifact_produced(&self, data: &Value) -> String {
        if data["part"].as_str().is_some_and(|part| !part.is_empty()) {
            return String::new();
        }
        let title = data["title"].as_str().unwrap_or_default();
        let kind = data["kind"].as_str().unwrap_or_default();
        let item = data["item"].as_str().unwrap_or_default();
        let version = match data["number"].as_u64() {
            Some(number) if number > 1 => format!("v{number}"),
            Some(_) | None => String::new(),
        };
        let which = [kind, item, &version];
        let which: Vec<_> = which.into_iter().filter(|text| !text.is_empty()).collect();
        format!("  ✓ {title} ({})", which.join(" "))
    }

    fn gate_opened(&self, data: &Value) -> Vec<String> {
        let question = data["question"].as_str().unwrap_or_default();
        let mut lines = vec![format!("  ? {question}")];
        let options = data["options"].as_array().into_iter().flatten();
        let options: Vec<_> = options.filter_map(Value::as_str).collect();
        if !options.is_empty() {
            lines.push(format!("    {}", options.join(" · ")));
        }
        lines
    }

    /// The stage and item that a frame is about.
    fn about(&self, data: &Value) -> String {
        let name = data["stage"].as_str().unwrap_or_default();
        let stage = self.stages.iter().find(|stage| stage.name == name);
        let title = stage.map_or(name, |stage| stage.title.as_str());
        let item = data["item"].as_str().unwrap_or_default();
        format!("{title} {item}").trim_end().to_owned()
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
    use super::*;
    use serde_json::json;

    fn progress() -> Progress {
        let stage = |name: &str, title: &str| DescribedStage {
            name: name.to_owned(),
            title: title.to_owned(),
        };
        let stages = [stage("plan", "Plan"), stage("verses", "Verses")];
        Progress::new("en", &stages, false)
    }

    fn shown(progress: &mut Progress, kind: &str, data: Value) -> Vec<String> {
        progress.lines(&json!({ "type": kind, "data": data }))
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
            (
                "run_started",
                json!({ "settings": { "ports": { "model": "offline" } } }),
            ),
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
                json!({ "stage": "verses", "item": "1", "violations": [{ "message": "six syllables" }] }),
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
