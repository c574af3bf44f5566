//! The events that a client reads as lines of a tool message: searches, rejected outputs, failed calls, decisions.

use palimpsest::prelude::pipeline::event::{
    ArtifactProduced, DecisionMade, MATERIAL, ModelCalled, OutputRejected, StepFailed, ToolReturned,
};
use palimpsest::prelude::pipeline::flow::MODEL_FAILED;
use palimpsest::prelude::wire::{StepId, content_path, held_content};

use super::causes::{cause, violations};
use super::fold::Out;
use super::frames::{KINDS, LogLevel};
use super::run::RunState;
use super::words;
use super::words::Language;
use crate::pipeline::export;
use crate::pipeline::stage::{LAYOUT_REPORT, SEARCH_RESULT, THUMBNAIL};

/// The tool that searches the web.
const WEB_SEARCH: &str = "web_search";

/// What a log line begins with: which page, which attempt.
fn line(run: &RunState, step: &StepId, attempt: u32, text: &str) -> String {
    let page = run.page(step);
    format!("{}{text}", words::attempt(page, attempt, run.language))
}

pub(super) fn model_called(run: &mut RunState, e: &ModelCalled, out: &mut Out<'_>) {
    if let Some(tool) = run.tool_mut(&e.step.stage) {
        tool.failed_call = e.error.as_ref().map(|error| error.code.clone());
    }
    // An error that may not be repeated makes the step fail, and the failure says so itself.
    let Some(error) = e.error.as_ref().filter(|error| error.retryable) else {
        return;
    };
    let cause = cause(&error.code, &error.message, run.language);
    let text = match run.language {
        Language::Chinese => format!("模型调用失败（{cause}），将重试"),
        Language::English => format!(
            "the call of the model failed ({}: {cause}) and is repeated",
            error.code
        ),
    };
    let line = line(run, &e.step, e.attempt, &text);
    run.log(&e.step.stage, LogLevel::Warning, line, None, out);
}

pub(super) fn tool_returned(run: &mut RunState, e: &ToolReturned, out: &mut Out<'_>) {
    // It was said at the beginning of the stage that search is off, and what a search found is said with its artifact.
    if e.tool == WEB_SEARCH && (!run.search || e.error.is_none()) {
        return;
    }
    let (level, text) = match (&e.error, run.language) {
        (Some(error), Language::English) => (
            LogLevel::Warning,
            format!("{}: {}", e.tool, words::clip_text(&error.message)),
        ),
        (Some(error), language) => (
            LogLevel::Warning,
            cause(&error.code, &error.message, language),
        ),
        (None, Language::English) => (LogLevel::Info, words::clip_text(&e.summary)),
        (None, Language::Chinese) => (LogLevel::Info, format!("工具 {} 已返回结果", e.tool)),
    };
    run.log(&e.step.stage, level, text, None, out);
}

pub(super) fn step_failed(run: &mut RunState, e: &StepFailed, out: &mut Out<'_>) {
    let language = run.language;
    let Some(tool) = run.tool_mut(&e.step.stage) else {
        return;
    };
    // What was wrong with the last call says more.
    let failed_call = tool.failed_call.take().filter(|_| e.code == MODEL_FAILED);
    let code = failed_call.as_ref().unwrap_or(&e.code);
    let text = cause(code, &e.message, language);
    tool.errors.push((e.step.item.clone(), text.clone()));
    // It was said when the output was rejected what was wrong with it.
    if tool.rejected.contains(&(e.step.item.clone(), e.attempt)) {
        return;
    }
    let level = if e.retryable {
        LogLevel::Warning
    } else {
        LogLevel::Error
    };
    let line = line(run, &e.step, e.attempt, &text);
    run.log(&e.step.stage, level, line, None, out);
}

pub(super) fn output_rejected(run: &mut RunState, e: &OutputRejected, out: &mut Out<'_>) {
    if let Some(tool) = run.tool_mut(&e.step.stage) {
        tool.rejected.insert((e.step.item.clone(), e.attempt));
    }
    let violations = violations(&e.violations, run.language);
    let line = line(run, &e.step, e.attempt, &violations);
    run.log(&e.step.stage, LogLevel::Warning, line, None, out);
}

fn found(e: &ArtifactProduced, language: Language) -> String {
    let content = held_content(e);
    let results = content
        .and_then(|c| c.get("results")?.as_array())
        .map(Vec::len);
    let query = content
        .and_then(|c| c.get("query")?.as_str())
        .map(words::clip_text);
    match (language, results, query) {
        (Language::Chinese, Some(n), Some(query)) => format!("已搜索「{query}」，找到 {n} 条结果"),
        (Language::English, Some(n), Some(query)) => format!("searched “{query}”, {n} results"),
        (Language::Chinese, _, _) => format!("搜索结果：{}", e.title),
        (Language::English, _, _) => format!("search results: {}", e.title),
    }
}

/// The line for an artifact; `None` for the small pictures, of which there is one for each page. What clients of this wire cannot be sent is
/// said with the place where it is.
pub(super) fn made(e: &ArtifactProduced, language: Language) -> Option<String> {
    let place = content_path(&e.artifact);
    match (e.kind.as_str(), language) {
        (THUMBNAIL, _) => None,
        (LAYOUT_REPORT, _) => Some(findings(e, language)),
        (SEARCH_RESULT, _) => Some(found(e, language)),
        (MATERIAL, _) => Some(e.title.to_string()),
        (kind, Language::Chinese) if KINDS.contains(&kind) => Some(format!("已完成：{}", e.title)),
        (kind, Language::English) if KINDS.contains(&kind) => Some(format!("done: {}", e.title)),
        (_, Language::Chinese) => Some(format!("另有 {} 文件：{place}", e.kind.to_uppercase())),
        (_, Language::English) => Some(format!("also as {}: {place}", e.kind.to_uppercase())),
    }
}

/// How many findings the layout report has, and where the report is.
fn findings(e: &ArtifactProduced, language: Language) -> String {
    let place = content_path(&e.artifact);
    let summary = held_content(e).and_then(|content| content.get("summary"));
    let count = |severity: &str| summary.and_then(|s| s.get(severity)?.as_u64());
    match (language, count("critical"), count("warning")) {
        (Language::Chinese, Some(critical), Some(warnings)) => {
            format!("版面检查：{critical} 处严重问题，{warnings} 处提醒（{place}）")
        }
        (Language::English, Some(critical), Some(warnings)) => {
            format!("layout checks: {critical} critical, {warnings} warnings ({place})")
        }
        (Language::Chinese, _, _) => format!("版面检查报告：{place}"),
        (Language::English, _, _) => format!("layout report: {place}"),
    }
}

pub(super) fn decision_made(run: &mut RunState, e: &DecisionMade, out: &mut Out<'_>) {
    let reason = words::clip_text(&e.reason);
    let (level, text) = match (e.what.as_str(), e.choice.as_str(), run.language) {
        (export::EXPORT, export::PPTX_ONLY, Language::English) => (LogLevel::Warning, reason),
        (export::EXPORT, export::PPTX_ONLY, Language::Chinese) => (
            LogLevel::Warning,
            "服务器缺少部分文字的字体，未生成 PDF 和缩略图，PPTX 不受影响；请管理员安装中文字体（如 fonts-noto-cjk）后重新导出"
                .to_owned(),
        ),
        (export::EXPORT, export::REUSED, Language::Chinese) => (
            LogLevel::Info,
            "文档没有变化，沿用之前导出的文件".to_owned(),
        ),
        _ => (
            LogLevel::Info,
            format!("{}: {} ({reason})", e.what, e.choice),
        ),
    };
    run.log_latest(level, text, out);
}
