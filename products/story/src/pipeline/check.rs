//! What is wrong with chapters, or with what was just written: rules first, a model second. An answer that cannot be read counts as no
//! verdict.

use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Judge, MadePart, NewArtifact, TurnResult, Violation, Work, prompt_vars,
    read_structured,
};
use serde_json::{Value, json};

use super::route::CHAPTERS;
use super::shape::{CheckResult, CheckStatus, Input, Outcome};
use super::stage::{CHECK, ROUTING, Stage};
use super::{ask, passage, prepare};
use crate::readings::routing::Agent;

/// The tool that looks by rules.
const RULES: &str = "storyCheck";

/// Checks the chapters that the message speaks of; all where it names none.
pub(super) fn of_chapters(work: &Work, input: &Input) -> Carry {
    let routing = work.body(ROUTING).cloned().unwrap_or_default();
    let mut chapters = routing[CHAPTERS].clone();
    if chapters.as_array().is_none_or(Vec::is_empty)
        && let Some(open) = input.open_chapter()
    {
        chapters = json!([open]);
    }
    Carry::tool(
        RULES,
        json!({ "project": input.project, "chapters": chapters }),
    )
}

/// Checks what was written in this run.
pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let input = match ask::input(work) {
        Ok(input) => input,
        Err(carry) => return *carry,
    };
    let written = match ask::last_made(work) {
        Ok(written) => written,
        Err(carry) => return *carry,
    };
    // Without a model no prose was written, so there is nothing to check.
    if work.settings.ports.is_offline() {
        let nothing = json!({ "error": no_prose(work) });
        return Carry::from(artifact(work, &result(work, &nothing, None)));
    }
    let mut found = match &input.project {
        Some(project) => {
            let looked = turns.iter().filter_map(TurnResult::output);
            let looked: Vec<&Value> = looked.collect();
            let texts = texts(&written);
            if let Some(text) = texts.get(looked.len()) {
                let place = place(&written);
                let asked = json!({
                    "project": project, "text": text, "chapter": input.open_chapter(),
                    "passage": place,
                });
                return Carry::tool(RULES, asked);
            }
            together(&looked)
        }
        None => without_bible(work),
    };
    add_faults(work, &written, &mut found);
    let schema = ask::issues();
    let more = json!({
        "text": written.text,
        "findings": told(&found, work.is_chinese()),
        "context": prepare::told(&prepare::of(work)),
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let turn = Stage::Check.turn(prompt_vars(work, more));
        return turn.structured("issues", schema).into();
    };
    let said = said(answer, &ask::any_issues());
    Carry::from(artifact(work, &result(work, &found, Some(said))))
}

/// Who holds what an agent wrote against what was asked and what the bible knows; parts of a chapter need not name what was asked for.
pub(super) fn judge(work: &Work, agent: Agent) -> Judge<'_> {
    let judge = Judge::of_narrative(work).given(prepare::told(&prepare::of(work)));
    match passage::of(work) {
        Some(passage) => judge.given(passage.text).of_a_part(),
        None if agent == Agent::Writer => judge,
        None => judge.of_a_part(),
    }
}

/// The texts that are judged, each alone: variants of a passage say the same.
pub(super) fn judged(written: &Outcome) -> Vec<Vec<MadePart>> {
    let texts = texts(written).into_iter();
    texts
        .map(|text| vec![MadePart::of_text("", text)])
        .collect()
}

/// Adds what is wrong with the texts alone to what rules found.
fn add_faults(work: &Work, written: &Outcome, found: &mut Value) {
    let faults = judge(work, written.agent).find_faults(&judged(written));
    let mut findings = found["findings"].as_array().cloned().unwrap_or_default();
    findings.extend(faults.iter().map(|fault| {
        json!({
            "type": "style", "severity": "error", "quote": fault.evidence, "contradicts": "",
            "description": fault.told(&work.settings.language),
        })
    }));
    if !faults.is_empty() {
        found["findings"] = findings.into();
    }
}

/// The texts that rules look at: what was written, or each variant of it.
fn texts(written: &Outcome) -> Vec<String> {
    match passage::result(written) {
        Some(made) if !made.variants.is_empty() => {
            let variants = made.variants.into_iter();
            variants.map(|variant| variant.replacement).collect()
        }
        Some(made) => vec![made.replacement.unwrap_or_else(|| written.text.clone())],
        None => vec![written.text.clone()],
    }
}

/// The place of the text in its chapter, if it is for a passage.
fn place(written: &Outcome) -> Option<Value> {
    let made = passage::result(written)?;
    Some(json!({ "version": made.version, "from": made.from, "to": made.to }))
}

/// What rules found in several texts; each finding says in which of them. What could not be looked at is said once.
fn together(looked: &[&Value]) -> Value {
    if let [only] = looked {
        return (*only).clone();
    }
    if let Some(failed) = looked.iter().find(|found| !found["error"].is_null()) {
        return (*failed).clone();
    }
    let (mut findings, mut not_checked) = (vec![], vec![]);
    for (found, number) in looked.iter().zip(1..) {
        for finding in found["findings"].as_array().into_iter().flatten() {
            let mut finding = finding.clone();
            finding["variant"] = json!(number.to_string());
            findings.push(finding);
        }
        for what in found["notChecked"].as_array().into_iter().flatten() {
            if !not_checked.contains(what) {
                not_checked.push(what.clone());
            }
        }
    }
    json!({ "findings": findings, "notChecked": not_checked })
}

/// What a model said, where it is of the shape that was asked for.
fn said(answer: &Answer, schema: &Value) -> Result<Value, String> {
    read_structured::<Value>(answer, schema).map_err(|violations| in_words(&violations))
}

/// What is wrong with an answer, in one line.
pub(super) fn in_words(violations: &[Violation]) -> String {
    let said = violations
        .iter()
        .map(|violation| violation.message.as_str());
    said.collect::<Vec<_>>().join("; ")
}

/// What rules find where no project is named: no findings, and a note that nothing was checked.
pub(super) fn without_bible(work: &Work) -> Value {
    json!({ "findings": [], "notChecked": [no_project(work)] })
}

fn no_prose(work: &Work) -> &'static str {
    if work.is_chinese() {
        "没有写出正文，没有可检查的内容"
    } else {
        "no prose was written, so that there is nothing to check"
    }
}

fn no_project(work: &Work) -> &'static str {
    if work.is_chinese() {
        "没有指定项目，无法与设定对照"
    } else {
        "no project was named, so that there is no bible to hold it against"
    }
}

/// Findings of the rules, then what a model said, with what was not looked at.
fn result(work: &Work, found: &Value, said: Option<Result<Value, String>>) -> CheckResult {
    let chinese = work.is_chinese();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let mut issues = list(&found["findings"]);
    let mut not_checked: Vec<String> = list(&found["notChecked"])
        .iter()
        .map(|what| {
            let said = [what["what"].as_str(), what["why"].as_str(), what.as_str()];
            let said: Vec<&str> = said.into_iter().flatten().collect();
            said.join(": ")
        })
        .collect();
    if let Some(error) = found["error"].as_str() {
        not_checked.push(error.to_owned());
    }
    let mut unread = false;
    match said {
        Some(Ok(said)) => {
            issues.extend(list(&said["issues"]));
            let chapters = list(&found["unread"]);
            let chapters: Vec<&str> = chapters.iter().filter_map(Value::as_str).collect();
            if !chapters.is_empty() {
                let chapters = chapters.join(if chinese { "、" } else { ", " });
                not_checked.push(if chinese {
                    format!("模型没有读完这些章节，只按规则检查：{chapters}")
                } else {
                    format!("no room for the model to read to their ends, so that rules alone looked at: {chapters}")
                });
            }
        }
        Some(Err(why)) => {
            unread = true;
            not_checked.push(if chinese {
                format!("模型的检查结果无法读取：{why}")
            } else {
                format!("what the model said of it cannot be read: {why}")
            });
        }
        None if found["error"].is_null() => not_checked.push(if chinese {
            "没有配置模型，只按规则检查".to_owned()
        } else {
            "no model is configured: rules alone looked at it".to_owned()
        }),
        None => {}
    }
    let rules_ran = found["error"].is_null() && found["findings"].is_array();
    let status = if !issues.is_empty() {
        CheckStatus::Issues
    } else if unread || !rules_ran {
        CheckStatus::NotChecked
    } else {
        CheckStatus::Passed
    };
    let content = match (status, chinese) {
        (CheckStatus::Passed, true) => "没有发现矛盾。".to_owned(),
        (CheckStatus::Passed, false) => "No contradiction was found.".to_owned(),
        (CheckStatus::Issues, true) => format!("发现 {} 处问题。", issues.len()),
        (CheckStatus::Issues, false) if issues.len() == 1 => "1 issue was found.".to_owned(),
        (CheckStatus::Issues, false) => format!("{} issues were found.", issues.len()),
        (CheckStatus::NotChecked, true) => "未能检查。".to_owned(),
        (CheckStatus::NotChecked, false) => "It could not be checked.".to_owned(),
    };
    CheckResult {
        status,
        content,
        issues,
        not_checked,
    }
}

fn artifact(work: &Work, result: &CheckResult) -> NewArtifact {
    let title = if work.is_chinese() { "检查" } else { "Check" };
    NewArtifact {
        facts: json!({ "status": result.status, "issues": result.issues.len() }),
        ..NewArtifact::new(
            CHECK,
            "art_check_",
            title,
            Content::Json(json_of(result)),
            work.lineage(),
        )
    }
}

/// What the agent of checks leaves: the report in words, with the result as its structure.
pub(super) fn report(work: &Work, found: &Value, said: Option<Result<Value, String>>) -> Outcome {
    let summary = said
        .as_ref()
        .and_then(|said| said.as_ref().ok()?["summary"].as_str());
    let summary = summary.map(str::to_owned);
    let result = result(work, found, said);
    let chinese = work.is_chinese();
    let mut text = format!("# {}\n\n{}\n", title(chinese), result.content);
    if let Some(summary) = summary {
        text.push_str(&format!("\n{summary}\n"));
    }
    for (issue, number) in result.issues.iter().zip(1..) {
        text.push_str(&issue_text(issue, number, chinese));
    }
    let waived = found["waived"].as_array().map_or(0, Vec::len);
    if waived > 0 {
        text.push_str(&if chinese {
            format!("\n另有 {waived} 处已由作者确认无误。\n")
        } else {
            format!("\n{waived} more are right as they stand, as the author said.\n")
        });
    }
    if !result.not_checked.is_empty() {
        let heading = if chinese { "未检查" } else { "Not checked" };
        text.push_str(&format!("\n## {heading}\n\n"));
        for what in &result.not_checked {
            text.push_str(&format!("- {what}\n"));
        }
    }
    Outcome {
        agent: Agent::Consistency,
        text,
        data: json_of(&result),
        remarks: vec![],
    }
}

/// What rules found, with the chapters that they looked at, in the form in which a model is shown it.
pub(super) fn told(found: &Value, chinese: bool) -> String {
    let mut text = String::new();
    let findings = found["findings"].as_array().into_iter().flatten();
    for (issue, number) in findings.zip(1..) {
        text.push_str(&issue_text(issue, number, chinese));
    }
    if let Some(chapters) = found["text"].as_str().filter(|text| !text.is_empty()) {
        text.push_str(&format!("\n{chapters}"));
    }
    text.trim().to_owned()
}

fn title(chinese: bool) -> &'static str {
    if chinese {
        "一致性检查"
    } else {
        "Consistency"
    }
}

/// An issue with both sentences.
fn issue_text(issue: &Value, number: usize, chinese: bool) -> String {
    let field = |name: &str| issue[name].as_str().filter(|text| !text.is_empty());
    let description = field("description").unwrap_or_default();
    let severity = field("severity").unwrap_or("warning").to_lowercase();
    let mut text = format!("\n## {number}. {description}\n\n");
    let words = |zh: &'static str, en: &'static str| if chinese { zh } else { en };
    let mut line = |name: &str, what: &str| text.push_str(&format!("- {name}: {what}\n"));
    line(words("级别", "severity"), &severity);
    if let Some(variant) = field("variant") {
        line(words("版本", "variant"), variant);
    }
    let said = quoted(&issue["said"]).or_else(|| field("quote").map(str::to_owned));
    if let Some(said) = said {
        line(words("原文", "text"), &said);
    }
    let against = quoted(&issue["contradicts"]).or_else(|| field("contradicts").map(str::to_owned));
    if let Some(against) = against {
        line(words("与之矛盾", "against"), &against);
    }
    if let Some(suggestion) = field("suggestion") {
        line(words("建议", "suggestion"), suggestion);
    }
    text
}

/// A sentence with its chapter, or a field of the bible with its value.
fn quoted(evidence: &Value) -> Option<String> {
    let passage = if evidence["passage"].is_object() {
        &evidence["passage"]
    } else {
        evidence
    };
    if let Some(sentence) = passage["sentence"].as_str().filter(|text| !text.is_empty()) {
        let number = passage["number"].as_u64().unwrap_or(0);
        let title = passage["title"].as_str().unwrap_or_default();
        return Some(format!("「{sentence}」（{number} {title}）"));
    }
    let entry = evidence["entry"].as_str()?;
    let field = evidence["fieldPath"].as_str().unwrap_or_default();
    let value = evidence["value"].as_str().unwrap_or_default();
    Some(format!("{entry} {field}: {value}"))
}
