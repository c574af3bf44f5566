//! The events that a client reads as lines of a tool message: searches, rejected outputs, failed calls, decisions.

use domain::StepId;
use domain::event::{
    ArtifactProduced, Body, DecisionMade, ModelCalled, OutputRejected, StepFailed, ToolReturned,
};

use super::frames::{CourseFrame, LogLevel};
use super::run::{Moment, RunState};
use super::words::{self, Language};

/// The tool that searches the web.
const WEB_SEARCH: &str = "web_search";

/// What a log line begins with: which page, which attempt.
fn line(run: &RunState, step: &StepId, attempt: u32, text: &str) -> String {
    let page = run.page(step);
    format!("{}{text}", words::attempt(page, attempt, run.language))
}

pub(super) fn model_called(
    run: &mut RunState,
    e: &ModelCalled,
    now: Moment<'_>,
    out: &mut Vec<CourseFrame>,
) {
    // One that may not be repeated fails the step, which says so itself.
    let Some(error) = e.error.as_ref().filter(|error| error.retryable) else {
        return;
    };
    let cause = words::clip(&error.message);
    let text = match run.language {
        Language::Chinese => format!("模型调用失败（{}：{cause}），将重试", error.code),
        Language::English => format!(
            "the call of the model failed ({}: {cause}) and is repeated",
            error.code
        ),
    };
    let line = line(run, &e.step, e.attempt, &text);
    run.log(&e.step.stage, LogLevel::Warning, line, None, now, out);
}

pub(super) fn tool_returned(
    run: &mut RunState,
    e: &ToolReturned,
    now: Moment<'_>,
    out: &mut Vec<CourseFrame>,
) {
    // That search is off was said when the stage began, and what a search found is said with its artifact.
    if e.tool == WEB_SEARCH && (!run.search || e.error.is_none()) {
        return;
    }
    let (level, text) = match &e.error {
        Some(error) => (
            LogLevel::Warning,
            format!("{}: {}", e.tool, words::clip(&error.message)),
        ),
        None => (LogLevel::Info, words::clip(&e.summary)),
    };
    run.log(&e.step.stage, level, text, None, now, out);
}

pub(super) fn step_failed(
    run: &mut RunState,
    e: &StepFailed,
    now: Moment<'_>,
    out: &mut Vec<CourseFrame>,
) {
    let Some(tool) = run.tool_mut(&e.step.stage) else {
        return;
    };
    tool.last_error = Some(words::clip(&e.message));
    // What was wrong with the output was said when it was rejected.
    if tool.rejected.contains(&(e.step.item.clone(), e.attempt)) {
        return;
    }
    let level = if e.retryable {
        LogLevel::Warning
    } else {
        LogLevel::Error
    };
    let line = line(run, &e.step, e.attempt, &words::clip(&e.message));
    run.log(&e.step.stage, level, line, None, now, out);
}

pub(super) fn output_rejected(
    run: &mut RunState,
    e: &OutputRejected,
    now: Moment<'_>,
    out: &mut Vec<CourseFrame>,
) {
    if let Some(tool) = run.tool_mut(&e.step.stage) {
        tool.rejected.insert((e.step.item.clone(), e.attempt));
    }
    let violations = words::violations(&e.violations, run.language);
    let line = line(run, &e.step, e.attempt, &violations);
    run.log(&e.step.stage, LogLevel::Warning, line, None, now, out);
}

pub(super) fn found(e: &ArtifactProduced, language: Language) -> String {
    let content = match &e.body {
        Body::Event { json } => Some(json),
        Body::Blob { .. } => None,
    };
    let results = content
        .and_then(|c| c.get("results")?.as_array())
        .map(Vec::len);
    let query = content
        .and_then(|c| c.get("query")?.as_str())
        .map(words::clip);
    match (language, results, query) {
        (Language::Chinese, Some(n), Some(query)) => format!("已搜索「{query}」，找到 {n} 条结果"),
        (Language::English, Some(n), Some(query)) => format!("searched “{query}”, {n} results"),
        (Language::Chinese, _, _) => format!("搜索结果：{}", e.title),
        (Language::English, _, _) => format!("search results: {}", e.title),
    }
}

pub(super) fn decision_made(
    run: &mut RunState,
    e: &DecisionMade,
    now: Moment<'_>,
    out: &mut Vec<CourseFrame>,
) {
    let text = format!("{}: {} ({})", e.what, e.choice, words::clip(&e.reason));
    run.log_latest(text, now, out);
}
