//! The report: the sections under exactly the template's headings. A pure function that asks no model.

use std::collections::BTreeMap;

use bytes::Bytes;
use palimpsest::prelude::pipeline::markdown::{Tree, assemble_titled};
use palimpsest::prelude::pipeline::{Carry, Content, File, NewArtifact, OFFLINE, Output, Work};
use serde_json::json;

use super::ask::{fail_step, json_of};
use super::check;
use super::files::REPORT_PATH;
use crate::flow::MISSING;
use crate::shapes::placeholders::filled;
use crate::shapes::{
    MissingSection, Plan, ReportContent, ReportSection, ReportText, Section, TemplateTree,
};
use crate::stages::{MARKDOWN, PLAN, REPORT, REPORT_CHECK, SECTION, TEMPLATE_TREE};

pub(crate) fn carry(work: &Work) -> Carry {
    match outputs(work) {
        Ok(outputs) => Carry::Done(outputs),
        Err(carry) => *carry,
    }
}

fn outputs(work: &Work) -> Result<Vec<Output>, Box<Carry>> {
    let template: TemplateTree = work.read(TEMPLATE_TREE)?;
    let plan: Plan = work.read(PLAN)?;
    let sections = sections(work);
    let source = filled(&template.source, &plan.values);
    let tree = Tree::parse(&source, template.source_path.as_deref())
        .map_err(|error| Box::new(fail_step("bad_template", error.to_string())))?;
    let mut content = content(work, &tree, &template, &plan, &sections);
    let check = check::check(work, &tree, &content, &sections);
    content.check = Some(check.clone());
    let title = content.report.title.clone();
    let text = Bytes::from(content.report.content.clone());
    let artifact = |kind, id_prefix, content, facts, shown| {
        Output::Artifact(NewArtifact {
            facts,
            shown,
            ..NewArtifact::new(kind, id_prefix, title.clone(), content, work.lineage())
        })
    };
    let file = File {
        media_type: "text/markdown",
        bytes: text,
    };
    let missing: Vec<u32> = content.missing.iter().map(|missing| missing.id).collect();
    let findings = json!({ "passed": check.passed, "findings": check.findings.len() });
    Ok(vec![
        artifact(
            REPORT,
            "art_report_",
            Content::Json(json_of(&content)),
            json!({ MISSING: missing }),
            true,
        ),
        artifact(
            MARKDOWN,
            "art_md_",
            Content::File(file.clone()),
            serde_json::Value::Null,
            false,
        ),
        artifact(
            REPORT_CHECK,
            "art_check_",
            Content::Json(json_of(&check)),
            findings,
            false,
        ),
        Output::File {
            path: REPORT_PATH.to_owned(),
            file,
        },
    ])
}

/// What was written, by task.
fn sections(work: &Work) -> BTreeMap<u32, Section> {
    let written = work.inputs.get(SECTION).into_iter().flatten();
    let read = written.filter_map(|input| serde_json::from_value((*input.body).clone()).ok());
    read.map(|section: Section| (section.id, section)).collect()
}

fn content(
    work: &Work,
    tree: &Tree,
    template: &TemplateTree,
    plan: &Plan,
    sections: &BTreeMap<u32, Section>,
) -> ReportContent {
    let missing = plan
        .tasks
        .iter()
        .filter(|task| !sections.contains_key(&task.id));
    let missing: Vec<_> = missing
        .map(|task| MissingSection {
            id: task.id,
            title: task.title.clone(),
        })
        .collect();
    // The template's own title, otherwise the title that the plan gives the report.
    let title = if template.titled {
        filled(&template.doc_title, &plan.values)
    } else {
        let summary = plan.plan_summary.lines().next().unwrap_or_default().trim();
        summary.to_owned()
    };
    let bodies = sections
        .iter()
        .map(|(id, section)| (*id, section.content.clone()))
        .collect();
    let marks = missing
        .iter()
        .map(|missing| (missing.id, gap(work).to_owned()))
        .collect();
    let mut text = assemble_titled(tree, &title, &bodies, &marks);
    let note = sections
        .values()
        .any(|section| section.written_by == OFFLINE)
        .then(|| note(work).to_owned());
    if let Some(note) = &note {
        text = format!("{}\n\n---\n\n*{note}*\n", text.trim_end());
    }
    ReportContent {
        sections: sections
            .values()
            .map(|section| ReportSection {
                id: section.id,
                title: filled(&section.title, &plan.values),
                content: section.content.clone(),
                tables: section.tables.clone(),
            })
            .collect(),
        report: ReportText {
            title,
            content: text,
            vfs_path: REPORT_PATH.to_owned(),
            path: REPORT_PATH.to_owned(),
        },
        partial: !missing.is_empty(),
        missing,
        note,
        check: None,
    }
}

/// The text in the place of a missing section.
fn gap(work: &Work) -> &'static str {
    if work.is_chinese() {
        "本节缺失：未能生成，可单独重新撰写。"
    } else {
        "This section is missing: it could not be written, and can be written again by itself."
    }
}

fn note(work: &Work) -> &'static str {
    if work.is_chinese() {
        "本报告由离线作者根据模版与所给数据整理，未经语言模型撰写。"
    } else {
        "This report was put together by the offline author from the template and the given data, without a language model."
    }
}
