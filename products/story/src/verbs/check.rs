//! `story check`: finds contradictions in a story by rules.

use std::collections::BTreeSet;
use std::path::PathBuf;

use clap::Args;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::verb::{Exit, Failure, out};

use super::book;
use crate::readings::check::{
    Contradicted, Finding, Passage, Report, Scope, Severity, check as by_rules,
};
use crate::readings::routing::mentioned;

/// Which story.
#[derive(Args, Debug)]
pub(super) struct Check {
    /// The folder of the story (`docs/stories.md`)
    folder: PathBuf,
    /// Only these chapters, by number or id; may be given several times
    #[arg(long = "chapter", env = "PALIMPSEST_CHAPTER", value_name = "NUMBER|ID")]
    chapters: Vec<String>,
    /// The whole report as JSON
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) fn check(args: &Check) -> Result<Exit, Failure> {
    let book = book(&args.folder)?;
    let chapters = book.chapters();
    let mut wanted: BTreeSet<EntryId> = BTreeSet::new();
    for name in &args.chapters {
        let number = name.parse().ok().or_else(|| {
            let said = mentioned(name).chapters;
            said.first().map(|number| *number as usize)
        });
        let found = chapters
            .iter()
            .find(|it| it.id.as_str() == name || Some(it.number) == number);
        let found = found.ok_or_else(|| {
            let most = chapters.len();
            Failure::usage(format!("there is no chapter `{name}`; there are {most}"))
        })?;
        wanted.insert(found.id.clone());
    }
    let scope = if wanted.is_empty() {
        Scope::All
    } else {
        Scope::Chapters(wanted)
    };
    let report = by_rules(&book, &scope);
    if args.json {
        out::lines(&serde_json::to_string_pretty(&report).unwrap_or_default())?;
    } else {
        for line in lines(&report, book.is_chinese()) {
            out::line(&line)?;
        }
    }
    Ok(if report.counts.error == 0 {
        Exit::Done
    } else {
        Exit::Failed
    })
}

fn lines(report: &Report, chinese: bool) -> Vec<String> {
    let words = |zh: &'static str, en: &'static str| if chinese { zh } else { en };
    let mut lines = vec![];
    for finding in &report.findings {
        lines.push(format!(
            "{}: {}",
            severity(finding.severity, chinese),
            finding.description
        ));
        lines.extend(evidence(finding, chinese));
        if !finding.suggestion.is_empty() {
            lines.push(format!(
                "    {}: {}",
                words("建议", "suggestion"),
                finding.suggestion
            ));
        }
    }
    for waived in &report.waived {
        let title = words("已确认无误", "right as it stands");
        lines.push(format!(
            "{title}: {} ({})",
            waived.finding.description, waived.reason
        ));
    }
    for what in &report.not_checked {
        lines.push(format!(
            "{}: {}, {}",
            words("未检查", "not checked"),
            what.what,
            what.why
        ));
    }
    let counts = report.counts;
    lines.push(if chinese {
        format!(
            "{} 处：错误 {}，警告 {}，提示 {}",
            counts.total, counts.error, counts.warning, counts.info
        )
    } else {
        format!(
            "{} findings: {} errors, {} warnings, {} hints",
            counts.total, counts.error, counts.warning, counts.info
        )
    });
    lines
}

fn severity(severity: Severity, chinese: bool) -> &'static str {
    match (severity, chinese) {
        (Severity::Error, true) => "错误",
        (Severity::Error, false) => "error",
        (Severity::Warning, true) => "警告",
        (Severity::Warning, false) => "warning",
        (Severity::Info, true) => "提示",
        (Severity::Info, false) => "hint",
    }
}

fn evidence(finding: &Finding, chinese: bool) -> Vec<String> {
    let mut lines = vec![];
    if let Some(said) = &finding.said {
        lines.push(format!("    {}", passage(said, chinese)));
    }
    match &finding.contradicts {
        Some(Contradicted {
            passage: Some(against),
            ..
        }) => lines.push(format!("    ≠ {}", passage(against, chinese))),
        Some(Contradicted {
            entry: Some(entry),
            field_path,
            value,
            ..
        }) => {
            let field = field_path.as_deref().unwrap_or_default();
            let value = value.as_deref().unwrap_or_default();
            lines.push(format!("    ≠ {entry}.{field}: {value}"));
        }
        Some(_) | None => {}
    }
    lines
}

fn passage(passage: &Passage, chinese: bool) -> String {
    let (number, title, sentence) = (passage.number, &passage.title, &passage.sentence);
    if chinese {
        format!("第 {number} 章《{title}》：{sentence}")
    } else {
        format!("chapter {number}, {title}: {sentence}")
    }
}
