//! What was asked for and stands on no page. It is decided where the pages are written, and said where people read what is wrong with
//! them.

use palimpsest::prelude::pipeline::{Fault, FaultKind, MadePart, Output, RULES, Work, judging};
use spec::text::told;
use spec::{Finding, FindingCategory, Severity, both};

use super::shape::RequirementAnalysis;
use super::stage::REQUIREMENT_ANALYSIS;

/// The decision about the subject, and how the name of one about a demand begins.
const SUBJECT: &str = "subject";
const DEMAND: &str = "demand:";
/// The choice of such a decision.
const NOT_FOUND: &str = "not_found";

/// What of the brief the scripts do not have, in whose texts these faults were found. The offline author writes the words of its sources, and what it leaves open is told by itself.
pub(super) fn decisions(work: &Work, texts: &[Vec<MadePart>], found: &[Fault]) -> Vec<Output> {
    if work.settings.ports.is_offline() {
        return vec![];
    }
    let language = work.settings.language.as_str();
    let decision = |what: String, reason: String| Output::Decision {
        what,
        choice: NOT_FOUND.to_owned(),
        reason,
        by: RULES.to_owned(),
    };
    let subject = found
        .iter()
        .filter(|fault| fault.kind == FaultKind::OtherSubject);
    let mut decisions: Vec<Output> = subject
        .map(|fault| decision(SUBJECT.to_owned(), fault.told(language)))
        .collect();
    let analysis = work.read::<RequirementAnalysis>(REQUIREMENT_ANALYSIS);
    let demands = analysis.map(|analysis| analysis.constraints);
    let all: Vec<&str> = texts
        .iter()
        .flatten()
        .map(|part| part.text.as_str())
        .collect();
    let all = all.join("\n");
    for demand in demands.unwrap_or_default() {
        if !judging::meets(&all, &demand) {
            let says = no_page_has(language, &demand);
            decisions.push(decision(format!("{DEMAND}{demand}"), says));
        }
    }
    decisions
}

fn no_page_has(language: &str, demand: &str) -> String {
    told(
        language,
        both!("没有一页写到：{demand}" => "no page has the words of: {demand}"),
    )
}

/// The same as findings of the finished pages.
pub(super) fn findings(work: &Work) -> Vec<Finding> {
    let language = work.settings.language.as_str();
    let missing = work
        .decisions
        .iter()
        .filter(|(_, choice)| *choice == NOT_FOUND);
    let finding = |what: &String| {
        let (severity, evidence) = match what.strip_prefix(DEMAND) {
            Some(demand) => (Severity::Warning, no_page_has(language, demand)),
            None if what == SUBJECT => {
                let brief = &work.brief;
                let says = both!("没有写要求的主题：{brief}" => "the pages say nothing of what was asked for: {brief}");
                (Severity::Critical, told(language, says))
            }
            None => return None,
        };
        Some(Finding {
            slide: 1,
            element: "page".to_owned(),
            category: FindingCategory::ContentMissing,
            severity,
            evidence,
            fix: told(
                language,
                both!("补上，或说明不需要" => "have it added, or leave it"),
            ),
        })
    };
    missing.filter_map(|(what, _)| finding(what)).collect()
}
