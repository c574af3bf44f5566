//! What a person sees of a run: on a terminal one bar with the stages above it, elsewhere plain lines.

use std::io::IsTerminal;
use std::time::Duration;

use indicatif::{ProgressBar, ProgressStyle};
use serde_json::Value;

use super::out;

/// How often the bar moves though nothing happens, so that one sees that it lives.
const TICK: Duration = Duration::from_millis(120);

/// Shows frames as words.
pub(super) struct Progress {
    bar: Option<ProgressBar>,
    chinese: bool,
}

impl Progress {
    /// In the language of the brief; silent where frames are written as they are.
    pub(super) fn new(language: &str, json: bool) -> Self {
        let bar = (!json && std::io::stderr().is_terminal()).then(|| {
            let bar = ProgressBar::new(100);
            let style = ProgressStyle::with_template("{spinner} [{bar:28}] {pos:>3}% {wide_msg}");
            // The template is right; a bar in the default style is one as well.
            if let Ok(style) = style {
                bar.set_style(style.progress_chars("=> "));
            }
            bar.enable_steady_tick(TICK);
            bar
        });
        Self {
            bar,
            chinese: language.starts_with("zh"),
        }
    }

    /// One frame of the wire of the pipeline, or of the native one.
    pub(super) fn show(&mut self, frame: &Value) {
        let data = &frame["data"];
        let text = |field: &str| data[field].as_str().unwrap_or_default();
        match frame["type"].as_str().unwrap_or_default() {
            "message:chunk" => self.say(text("chunk")),
            "tool:start" => {
                self.working_on(text("progressText"));
                self.say(&format!("▸ {}", text("title")));
            }
            "progress" if data["agent"].is_string() => {
                self.say(&format!("  · {}", text("content")))
            }
            "progress" => {
                self.at(data["progress"].as_u64().unwrap_or(0));
                self.working_on(text("message"));
                if self.bar.is_none() && text("status") == "generating_slide" {
                    self.say(&format!("  {}", text("message")));
                }
            }
            "tool:log" => {
                let mark = if text("level") == "info" { "·" } else { "!" };
                self.say(&format!("  {mark} {}", text("message")));
            }
            "tool:artifact" => {
                let artifact = &data["artifact"];
                let title = artifact["title"].as_str().unwrap_or_default();
                let version = artifact["version"].as_str().unwrap_or_default();
                self.say(&format!("  ✓ {title} ({version})"));
            }
            "tool:update" if text("status") == "failed" => {
                self.say(&format!("  ✗ {}", text("content")))
            }
            "completion" => self.at(100),
            "stage_started" => self.say(&format!("▸ {}", text("stage"))),
            "artifact_produced" => self.say(&format!("  ✓ {} ({})", text("title"), text("kind"))),
            "output_rejected" => self.say(&format!(
                "  ! {}",
                self.word("输出未通过检查，重试", "the output did not pass; once more")
            )),
            "gate_opened" => self.say(&format!("  ? {}", text("question"))),
            "message_sent" => self.say(text("text")),
            "plan.start" | "aggregate.start" => self.say(&format!("▸ {}", text("show_content"))),
            "plan.completed" | "solver.completed" | "aggregate.completed" => {
                self.say(&format!("  ✓ {}", text("show_content")));
            }
            "solver.failed" | "solver.cancelled" => {
                self.say(&format!("  ✗ {}", text("show_content")));
            }
            "agent_start" => {
                self.working_on(text("content"));
                self.say(&format!("▸ {}", text("content")));
            }
            "workflow_progress" => {
                let part = data["progress"].as_f64().unwrap_or_default();
                self.at((part * 100.0) as u64);
            }
            "content_update" => self.say(&format!("  ✓ {}", text("title"))),
            "image_progress" => self.picture(data),
            "quality_score" => {
                let review = text("review");
                self.say(&format!("  · {} {review}", self.word("审核", "review")));
            }
            "workflow_complete" => {
                self.at(100);
                self.say(text("content"));
            }
            "agent.tool_call" | "solver.start" => self.working_on(text("show_content")),
            "system.notice" => self.say(&format!("  · {}", text("show_content"))),
            "agent.final_answer" => {
                self.at(100);
                self.say(text("show_content"));
            }
            _ => {}
        }
    }

    /// How far a picture is.
    fn picture(&self, data: &Value) {
        let number = data["taskId"].as_u64().unwrap_or(0);
        let name = self.word("图", "picture");
        match data["status"].as_str().unwrap_or_default() {
            "complete" => self.say(&format!("  ✓ {name} {number}")),
            "failed" => {
                let why = data["errorMessage"].as_str().unwrap_or_default();
                self.say(&format!("  ✗ {name} {number}: {why}"));
            }
            _ => {}
        }
    }

    pub(super) fn is_chinese(&self) -> bool {
        self.chinese
    }

    /// A word in the language of the brief.
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

    fn at(&self, percent: u64) {
        if let Some(bar) = &self.bar {
            bar.set_position(percent.min(100));
        }
    }

    fn working_on(&self, what: &str) {
        if let Some(bar) = &self.bar {
            bar.set_message(what.to_owned());
        }
    }
}
