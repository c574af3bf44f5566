//! Whether a deck is good enough. Geometry, rules of writing and requirements are always checked; a model checks the text and, where one
//! that accepts pictures is configured, the pages.

use palimpsest::prelude::author::BLANK;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{
    Carry, Content, Fault, FaultKind, ModelTurn, NewArtifact, Output, Picture, RULES, TurnResult,
    Work, asking,
};
use render::page_name;
use schemars::JsonSchema;
use sdsl::{Code, Diagnostic, Parsed};
use serde_json::json;
use spec::both;
use spec::text::told;

use super::ask;
use super::ask::{LIST_TOKENS, PERSON, REVIEWER, VISION, json_of, prompt_vars};
use super::flow::TO_MEND;
use super::generate::{faults, requirements_of};
use super::judgement::Judgement;
use super::shape::{DeckLayout, DeckVersion};
use super::stage::{INSPECTION, LAYOUT, PAGE, PARTS};
use crate::pages::{InspectionReport, Issue, IssueCategory, IssueSeverity, Verdict};

/// What a model is asked to say of a deck. What it says is read as far as it can be, since an issue is worth more than its form.
#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of a question")]
struct Looked {
    #[schemars(default)]
    issues: Vec<LookedIssue>,
    #[schemars(default)]
    summary: String,
}

#[derive(JsonSchema)]
#[expect(dead_code, reason = "the schema of a question")]
struct LookedIssue {
    /// Counted from 1.
    slide: usize,
    /// The part of the slide that the page shows, where its caption names one.
    #[schemars(default)]
    part: usize,
    /// What of the page the issue is about, such as `heading`; empty where it is about the whole page.
    #[schemars(default)]
    element: String,
    category: String,
    severity: String,
    description: String,
    #[schemars(default)]
    suggested_fix: String,
}

/// A contact sheet, with slide and part of each of its pages.
struct Sheet {
    picture: Picture,
    parts: Vec<[usize; 2]>,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let (deck, layout) = match inspected(work) {
        Ok(inspected) => inspected,
        Err(carry) => return *carry,
    };
    let report = measured(work, &deck, &layout);
    if work.settings.ports.is_offline() {
        return Carry::Done(vec![left(work, with_blanks(report, &deck))]);
    }
    let sees = work.settings.model_of(VISION).is_some();
    let sheets = if sees { sheets(work) } else { vec![] };
    let schema = schemars::schema_for!(Looked).to_value();
    let parts = sheets.iter().flat_map(|sheet| &sheet.parts);
    let names: Vec<String> = parts.map(|part| page_name(*part)).collect();
    let more = json!({
        "deck": deck.dsl_text,
        "requirements": work.body(super::stage::REQUIREMENTS).map(asking::json_text),
        "found": asking::json_text(&report.issues),
        "pictures": sheets.len(),
        "pages": names.join("; "),
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let role = if sheets.is_empty() { REVIEWER } else { VISION };
        let mut turn = ModelTurn::new(role, "deck/inspect", prompt_vars(work, more), LIST_TOKENS);
        turn.pictures = sheets.into_iter().map(|sheet| sheet.picture).collect();
        return turn.structured("inspection", schema).into();
    };
    // The model is asked only once: an answer of which nothing can be read is no verdict, and no pass.
    let judged = match Judgement::read(answer, report.slides.max(1)) {
        Some(judgement) => {
            let is_shown = !(sheets.is_empty() && layout.unseen.is_empty());
            let unseen = is_shown.then_some(&layout.unseen[..]);
            with(report, judgement, unseen)
        }
        None => unjudged(report),
    };
    Carry::Done(vec![left(work, judged)])
}

/// The report of a deck that the offline author made as an outline: what somebody has still to fill in has not passed.
fn with_blanks(mut report: InspectionReport, deck: &DeckVersion) -> InspectionReport {
    let slides = sdsl::parse(&deck.dsl_text).presentation.slides;
    let has_blank = |slide: &&sdsl::Slide| sdsl::format_slide(slide).contains(BLANK);
    let blank = slides.iter().filter(has_blank).count();
    if blank > 0 {
        report.passed = false;
        report
            .say(both!("{blank} 页还有空白要填写" => "{blank} slides have blanks to be filled in"));
    }
    report
}

/// What the step leaves when no model can be asked: what can be measured, which is no pass where a model was to look at the pages.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    let (deck, layout) = inspected(work).ok()?;
    let mut report = measured(work, &deck, &layout);
    if work.settings.model_of(VISION).is_some() {
        report.miss(
            both!("没有人看过页面：无法询问看图的模型" => "Nobody looked at the pages: the model that sees them could not be asked"),
        );
    }
    Some(vec![left(work, report)])
}

/// The deck and its pages.
fn inspected(work: &Work) -> Result<(DeckVersion, DeckLayout), Box<Carry>> {
    Ok((ask::deck(work)?, work.read(LAYOUT)?))
}

/// What can be found without a model.
fn measured(work: &Work, deck: &DeckVersion, layout: &DeckLayout) -> InspectionReport {
    let read = sdsl::parse(&deck.dsl_text);
    let language = work.settings.language.as_str();
    let lacking = lacking(&read, deck, language);
    let parsed = read.presentation;
    let DeckLayout {
        remarks,
        report,
        slide_of,
        unseen: _,
    } = layout;
    let mut report = InspectionReport::new(&parsed, Some(language), remarks, report, slide_of);
    let mut gaps = requirements_of(work).issues(&parsed, language);
    let faults = faults(work, &parsed, None).into_iter();
    let issues = faults.map(|fault| issue_of(&fault, language));
    let (missing, mut written): (Vec<_>, Vec<_>) =
        issues.partition(|issue| issue.category == IssueCategory::RequirementGap);
    written.extend(lacking);
    if verdict(&written) == Verdict::Failed {
        report.verdicts.writing = Verdict::Failed;
    }
    gaps.extend(missing);
    report.verdicts.requirements = verdict(&gaps);
    report.add(gaps);
    report.add(written);
    report
}

/// The slides that lack what their type shows. Those that a person wrote are to stay as they are.
fn lacking(read: &Parsed, deck: &DeckVersion, language: &str) -> Vec<Issue> {
    let severity = match is_to_stay(deck) {
        true => IssueSeverity::Warning,
        false => IssueSeverity::Critical,
    };
    let found = read.diagnostics.iter();
    let lacks = found.filter(|found| found.code == Code::MissingContent);
    let issue = |found: &Diagnostic| Issue {
        slide: found.slide.unwrap_or_default() + 1,
        element: "page".to_owned(),
        category: IssueCategory::ContentMissing,
        severity,
        evidence: told(
            language,
            [
                "这一页没有它的类型要展示的内容。".to_owned(),
                found.message.clone(),
            ],
        ),
        suggested_fix: told(
            language,
            both!("补上这些内容，或换一种类型" => "write what is missing, or choose another type"),
        ),
    };
    lacks.map(issue).collect()
}

/// Whether a person wrote the deck word for word, or only moved its slides: it stays as it is, and what is wrong with it is told.
fn is_to_stay(deck: &DeckVersion) -> bool {
    deck.written_by == PERSON || deck.written_by == RULES
}

/// What is wrong with the texts of a deck, as an issue.
fn issue_of(fault: &Fault, language: &str) -> Issue {
    let category = match fault.kind {
        FaultKind::OtherLanguage
        | FaultKind::OtherSubject
        | FaultKind::LittleOfSubject
        | FaultKind::MissingName => IssueCategory::RequirementGap,
        FaultKind::Loop
        | FaultKind::SaidTwice
        | FaultKind::Debris
        | FaultKind::Instruction
        | FaultKind::Unfinished => IssueCategory::ContentMissing,
    };
    Issue {
        slide: fault.at.unwrap_or_default() + 1,
        element: "page".to_owned(),
        category,
        severity: IssueSeverity::Critical,
        evidence: fault.told(language),
        suggested_fix: told(language, both!("重写这一处" => "write this anew")),
    }
}

fn verdict(issues: &[Issue]) -> Verdict {
    let critical = |issue: &Issue| issue.severity == IssueSeverity::Critical;
    if issues.iter().any(critical) {
        Verdict::Failed
    } else {
        Verdict::Passed
    }
}

/// The report with what a model said that was shown the pages, all but these; `None` where no page was to be shown. A pass is given only by a
/// model that was shown all of them and whose answer was read whole.
fn with(
    mut report: InspectionReport,
    judgement: Judgement,
    unseen: Option<&[[usize; 2]]>,
) -> InspectionReport {
    let Judgement {
        issues,
        summary,
        unread,
    } = judgement;
    let found = verdict(&issues);
    report.add(issues);
    if let Some(unseen) = unseen {
        let is_whole = unseen.is_empty() && unread == 0;
        report.verdicts.vision = if found == Verdict::Passed && !is_whole {
            Verdict::NotChecked
        } else {
            found
        };
        if !unseen.is_empty() {
            let [chinese, english] = name_pages(unseen);
            report.miss(
                both!("没有看过的页面：{chinese}" => "Pages that were not looked at: {english}"),
            );
        }
    }
    if unread > 0 {
        report.say(both!("模型提出的 {unread} 个问题无法读取" => "{unread} issues of the model could not be read"));
    }
    if !summary.is_empty() {
        report.say([summary.clone(), summary]);
    }
    report
}

/// The report where a model was asked and nothing of its answer could be read.
fn unjudged(mut report: InspectionReport) -> InspectionReport {
    report.miss(both!("模型的答复无法读取" => "What the model said could not be read"));
    report
}

/// Pages by their slides and parts, in Chinese and in English.
fn name_pages(pages: &[[usize; 2]]) -> [String; 2] {
    let chinese = pages.iter().map(|[slide, part]| {
        if *part > 1 {
            format!("幻灯片 {slide} 第 {part} 部分")
        } else {
            format!("幻灯片 {slide}")
        }
    });
    let chinese: Vec<String> = chinese.collect();
    let english: Vec<String> = pages.iter().map(|page| page_name(*page)).collect();
    [chinese.join("、"), english.join("; ")]
}

/// The contact sheets of the pages as they are now, in their order.
fn sheets(work: &Work) -> Vec<Sheet> {
    let rendered = work.inputs.get(LAYOUT).and_then(|inputs| inputs.first());
    let stage = rendered.map(|input| input.artifact.step.stage.clone());
    let of_now = |artifact: &ArtifactProduced| Some(&artifact.step.stage) == stage.as_ref();
    let pages = work.inputs.get(PAGE).into_iter().flatten();
    let pages = pages.filter(|input| of_now(&input.artifact));
    let sheets = pages.filter_map(|input| match &input.artifact.body {
        Body::Blob { blob, media_type } => Some(Sheet {
            picture: Picture {
                blob: blob.clone(),
                media_type: media_type.clone(),
            },
            // What has none is no contact sheet, but a page from before there were any.
            parts: serde_json::from_value(input.artifact.facts[PARTS].clone()).ok()?,
        }),
        Body::Event { .. } => None,
    });
    sheets.collect()
}

fn left(work: &Work, report: InspectionReport) -> Output {
    let title = if work.is_chinese() {
        "检查"
    } else {
        "Inspection"
    };
    let stays = ask::deck(work).is_ok_and(|deck| is_to_stay(&deck));
    let is_wrong = verdict(&report.issues) == Verdict::Failed;
    let to_mend = is_wrong && !work.settings.ports.is_offline() && !stays;
    Output::Artifact(NewArtifact {
        facts: json!({ "passed": report.passed, TO_MEND: to_mend, "issues": report.issues.len() }),
        ..NewArtifact::new(
            INSPECTION,
            "art_qa_",
            title,
            Content::Json(json_of(&report)),
            work.lineage(),
        )
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_slide_without_what_its_type_shows_is_critical_unless_a_person_wrote_it() {
        let text = "# A\n@type: title\n## Rain\n---\n# B\n@type: bullet_points\n## Why it rains\n";
        let found = |by: &str| {
            let deck = serde_json::from_value::<DeckVersion>(json!({
                "dsl_text": text, "slide_count": 2, "confidence": 1.0, "reasoning": "", "parse_errors": [],
                "design_references": [], "injected_references": [], "written_by": by,
            }));
            let issues = lacking(&sdsl::parse(text), &deck.expect("a deck"), "en");
            let each = issues.iter().map(|issue| (issue.slide, issue.severity));
            each.collect::<Vec<_>>()
        };
        assert_eq!(found("a model"), [(2, IssueSeverity::Critical)]);
        assert_eq!(found(PERSON), [(2, IssueSeverity::Warning)]);
    }

    #[test]
    fn a_pass_is_given_only_where_all_pages_were_looked_at() {
        let report = |pages| {
            InspectionReport {
            pages,
            ..InspectionReport::new(
                &sdsl::Presentation::default(),
                None,
                &[],
                &serde_json::from_value(json!({
                    "checked": 1, "pages": pages, "summary": asking::json_of(&spec::FindingCounts::default()),
                    "findings": [], "adjustments": [], "fonts": [],
                }))
                .expect("a report"),
                &[],
            )
        }
        };
        let judged = |unseen: Option<&[[usize; 2]]>| {
            let nothing = Judgement {
                issues: vec![],
                summary: String::new(),
                unread: 0,
            };
            with(report(40), nothing, unseen)
        };
        let whole = judged(Some(&[]));
        assert_eq!(
            (whole.verdicts.vision, whole.passed),
            (Verdict::Passed, true)
        );
        let part = judged(Some(&[[39, 2], [40, 1]]));
        assert_eq!(
            (part.verdicts.vision, part.passed),
            (Verdict::NotChecked, false)
        );
        let named = "not looked at: slide 39, part 2; slide 40";
        assert!(part.summary.contains(named), "{}", part.summary);
        assert_eq!(judged(None).verdicts.vision, Verdict::NotChecked);
        assert!(!unjudged(report(3)).passed);
    }
}
