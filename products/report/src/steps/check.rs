//! What is wrong with a report, as far as rules can tell: its structure, its gaps, its sources.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::markdown::{Tree, assemble_titled, headings};
use palimpsest::prelude::pipeline::{Fault, FaultKind, Judge, MadePart, Work};

use super::files;
use super::write;
use crate::shapes::placeholders::{outside, placeholders};
use crate::shapes::{Finding, FindingKind, ReportCheck, ReportContent, Section, Severity};

/// Pieces of evidence that are shown of one finding.
const EVIDENCE_MAX: usize = 10;

pub(crate) fn check(
    work: &Work,
    tree: &Tree,
    content: &ReportContent,
    sections: &BTreeMap<u32, Section>,
) -> ReportCheck {
    let mut findings = vec![];
    findings.extend(structure(tree, content));
    for missing in &content.missing {
        findings.push(Finding {
            section: Some(missing.id),
            kind: FindingKind::MissingSection,
            severity: Severity::Critical,
            message: format!(
                "section {} \"{}\" was not written",
                missing.id, missing.title
            ),
            evidence: vec![],
        });
    }
    let has_data = files::data(work).next().is_some();
    for section in sections.values() {
        findings.extend(of_section(work, section, has_data));
    }
    findings.extend(faults(work, sections));
    let written = sections.values().map(|section| section.content.as_str());
    let open = outside(&content.report.content, written);
    findings.extend(unfilled(None, "the text around the sections", &open));
    findings.extend(work.unread.iter().map(|file| Finding {
        section: None,
        kind: FindingKind::NotRead,
        severity: Severity::Warning,
        message: format!(
            "`{}` could not be read, so that nothing was checked against it: {}",
            file.path, file.why
        ),
        evidence: vec![],
    }));
    let is_critical = |finding: &Finding| finding.severity == Severity::Critical;
    let passed = if findings.iter().any(is_critical) {
        Some(false)
    } else {
        work.unread.is_empty().then_some(true)
    };
    ReportCheck { findings, passed }
}

/// What is wrong with the texts of the sections, held against the brief and their titles.
fn faults(work: &Work, sections: &BTreeMap<u32, Section>) -> Vec<Finding> {
    let parts = sections.values().map(|section| {
        MadePart::of_text(
            section.title.as_str(),
            write::without_citations(&section.content),
        )
    });
    let titles = sections.values().map(|section| section.title.as_str());
    let judge = titles
        .fold(Judge::of_text(work), Judge::asked)
        .of_sections();
    let parts = [parts.collect()];
    let found = [judge.find_faults(&parts), judge.find_doubts(&parts[0])].concat();
    let ids: Vec<u32> = sections.keys().copied().collect();
    let finding = |fault: Fault| {
        let section = fault.at.and_then(|at| ids.get(at).copied());
        let subject = section.map_or("the report".to_owned(), |id| format!("section {id}"));
        Finding {
            section,
            kind: FindingKind::Text,
            severity: if fault.kind == FaultKind::LittleOfSubject {
                Severity::Warning
            } else {
                Severity::Critical
            },
            message: format!("{subject} {}", fault.told("en")),
            evidence: vec![fault.evidence],
        }
    };
    found.into_iter().map(finding).collect()
}

/// The headings of the report are the template's, with deeper ones under its sections.
fn structure(tree: &Tree, content: &ReportContent) -> Option<Finding> {
    let none = BTreeMap::new();
    let bare = assemble_titled(tree, &content.report.title, &none, &none);
    let mut wanted = headings(&bare).into_iter().peekable();
    let found = headings(&content.report.content);
    for heading in &found {
        if wanted.peek() == Some(heading) {
            wanted.next();
        }
    }
    let lost: Vec<_> = wanted.collect();
    (!lost.is_empty()).then(|| Finding {
        section: None,
        kind: FindingKind::Structure,
        severity: Severity::Critical,
        message: "headings of the template are not in the report, or not in their order".to_owned(),
        evidence: lost
            .into_iter()
            .take(EVIDENCE_MAX)
            .map(|(level, title)| format!("{} {title}", "#".repeat(level.into())))
            .collect(),
    })
}

/// Placeholders that stand in a text without a value.
fn unfilled(section: Option<u32>, place: &str, names: &[&str]) -> Option<Finding> {
    let shown = names.iter().take(EVIDENCE_MAX);
    (!names.is_empty()).then(|| Finding {
        section,
        kind: FindingKind::Placeholder,
        severity: Severity::Warning,
        message: format!("placeholders of the template have no value in {place}"),
        evidence: shown.map(|name| name.trim().to_owned()).collect(),
    })
}

fn of_section(work: &Work, section: &Section, has_data: bool) -> Vec<Finding> {
    let mut findings = vec![];
    let mut find = |kind, severity, message: String, evidence: Vec<String>| {
        findings.push(Finding {
            section: Some(section.id),
            kind,
            severity,
            message,
            evidence: evidence.into_iter().take(EVIDENCE_MAX).collect(),
        });
    };
    if !section.content.chars().any(char::is_alphanumeric) {
        let message = format!("section {} says nothing", section.id);
        find(
            FindingKind::EmptySection,
            Severity::Critical,
            message,
            vec![],
        );
    }
    let same = |title: &str| title.trim() == section.title.trim();
    let repeated = headings(&section.content).into_iter();
    let repeated: Vec<_> = repeated
        .map(|(_, title)| title)
        .filter(|title| same(title))
        .collect();
    if !repeated.is_empty() {
        let message = format!("section {} repeats its heading", section.id);
        find(
            FindingKind::RepeatedHeading,
            Severity::Warning,
            message,
            repeated,
        );
    }
    let cited = write::citations(&section.content, work);
    let lost: Vec<_> = cited
        .iter()
        .filter(|path| !files::exists(work, path))
        .cloned()
        .collect();
    if !lost.is_empty() {
        let message = format!(
            "section {} cites files that the session does not have",
            section.id
        );
        find(FindingKind::Citation, Severity::Critical, message, lost);
    }
    if cited.is_empty() && has_data {
        let message = format!("section {} cites none of the data", section.id);
        find(FindingKind::Uncited, Severity::Note, message, vec![]);
    }
    if !section.unsupported.is_empty() {
        let message = format!(
            "section {} has numbers that are in none of the files read for it",
            section.id
        );
        find(
            FindingKind::Number,
            Severity::Warning,
            message,
            section.unsupported.clone(),
        );
    }
    if !section.left_out.is_empty() {
        let message = format!(
            "sentences of section {} were left out: their numbers are in none of the files read for it",
            section.id
        );
        find(
            FindingKind::Number,
            Severity::Warning,
            message,
            section.left_out.clone(),
        );
    }
    let place = format!("section {}", section.id);
    findings.extend(unfilled(
        Some(section.id),
        &place,
        &placeholders(&section.content),
    ));
    findings
}
