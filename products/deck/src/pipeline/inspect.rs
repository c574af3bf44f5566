//! Whether a deck is good enough. Geometry, rules of writing and requirements are always checked; a model checks the text and, where one
//! that accepts pictures is configured, the pages.

use palimpsest::prelude::author::BLANK;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Fault, FaultKind, ModelTurn, NewArtifact, Output, Picture, RULES,
    TurnResult, Work, asking,
};
use schemars::JsonSchema;
use serde_json::{Value, json};
use spec::both;
use spec::text::told;

use super::ask;
use super::ask::{LIST_TOKENS, PERSON, REVIEWER, VISION, json_of, vars};
use super::flow::TO_MEND;
use super::generate::{faults, requirements_of};
use super::shape::{DeckLayout, DeckVersion};
use super::stage::{INSPECTION, LAYOUT, PAGE};
use crate::pages::{InspectionReport, Issue, IssueCategory, IssueSeverity, Verdict};

/// Pages that a model is shown at once.
const PAGES_SHOWN_MAX: usize = 30;

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
    /// The part of the slide that the issue is about, such as `heading`; empty where it is about the whole page.
    #[schemars(default)]
    element: String,
    category: String,
    severity: String,
    description: String,
    #[schemars(default)]
    suggested_fix: String,
}

/// What could be read of what a model said.
struct Judgement {
    issues: Vec<Issue>,
    summary: String,
    /// Issues that say nothing.
    unread: usize,
}

impl Judgement {
    /// `None` where nothing could be read.
    fn read(answer: &Answer, slides: usize) -> Option<Self> {
        let Answer::Json(said) = answer else {
            return None;
        };
        let issues = match said.get("issues").unwrap_or(said) {
            Value::Array(issues) => issues.as_slice(),
            // Nothing was found, where the rest is as it was asked for.
            Value::Null if said.is_object() => &[],
            Value::Object(_) if said.get("issues").is_some() => {
                std::slice::from_ref(&said["issues"])
            }
            Value::Object(_) if said["summary"].is_string() => &[],
            Value::Null
            | Value::Object(_)
            | Value::Bool(_)
            | Value::Number(_)
            | Value::String(_) => return None,
        };
        let read: Vec<Issue> = issues
            .iter()
            .filter_map(|issue| read_issue(issue, slides))
            .collect();
        if read.is_empty() && !issues.is_empty() {
            return None;
        }
        Some(Self {
            unread: issues.len() - read.len(),
            issues: read,
            summary: text_of(&said["summary"]),
        })
    }
}

/// An issue with whatever it says; what says nothing is none. Unknown categories are replaced by the nearest known one, and an issue of no
/// slide is one of the whole deck, which stands with the first.
fn read_issue(said: &Value, slides: usize) -> Option<Issue> {
    let text = |name: &str| text_of(&said[name]);
    let suggested_fix = text("suggested_fix");
    let category = text("category");
    let says = [
        text("description"),
        text_of(said),
        suggested_fix.clone(),
        category.clone(),
    ];
    let evidence = says.into_iter().find(|text| !text.is_empty())?;
    let element = text("element");
    Some(Issue {
        slide: slide_number(&said["slide"]).unwrap_or(1).clamp(1, slides),
        element: if element.is_empty() {
            "page".to_owned()
        } else {
            element
        },
        category: IssueCategory::read(&category),
        severity: IssueSeverity::read(&text("severity")),
        evidence,
        suggested_fix,
    })
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

/// The number of a slide, as a number or in a text.
fn slide_number(value: &Value) -> Option<usize> {
    let number = match value.as_str() {
        Some(text) => text.trim().parse().ok()?,
        None => value.as_f64()?,
    };
    // No deck has so many slides that a number of them is not whole.
    format!("{number:.0}").parse().ok()
}

/// A page as a picture, with what it is.
struct Shown {
    picture: Picture,
    /// Such as `slide 2, continued`.
    name: String,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let report = match measured(work) {
        Ok(report) => report,
        Err(carry) => return *carry,
    };
    if work.settings.ports.is_offline() {
        return Carry::Done(vec![left(work, with_blanks(work, report))]);
    }
    let sees = work.settings.model_of(VISION).is_some();
    let pictures = match sees.then(|| pictures(work)).transpose() {
        Ok(pictures) => pictures.unwrap_or_default(),
        Err(carry) => return *carry,
    };
    let schema = schemars::schema_for!(Looked).to_value();
    let deck = match ask::deck(work) {
        Ok(deck) => deck,
        Err(carry) => return *carry,
    };
    let names = pictures.iter().map(|shown| shown.name.as_str());
    let names: Vec<&str> = names.collect();
    let more = json!({
        "deck": deck.dsl_text,
        "requirements": work.body(super::stage::REQUIREMENTS).map(asking::text),
        "found": asking::text(&report.issues),
        "pictures": pictures.len(),
        "pages": names.join("; "),
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let role = if pictures.is_empty() {
            REVIEWER
        } else {
            VISION
        };
        let mut turn = ModelTurn::new(role, "deck/inspect", vars(work, more), LIST_TOKENS);
        turn.pictures = pictures.into_iter().map(|shown| shown.picture).collect();
        return turn.structured("inspection", schema).into();
    };
    // The model is asked only once: an answer of which nothing can be read is no verdict, and no pass.
    let judged = match Judgement::read(answer, report.slides.max(1)) {
        Some(judgement) => with(report, judgement, pictures.len()),
        None => unjudged(report),
    };
    Carry::Done(vec![left(work, judged)])
}

/// The report of a deck that the offline author made as an outline: what somebody has still to fill in has not passed.
fn with_blanks(work: &Work, mut report: InspectionReport) -> InspectionReport {
    let deck = ask::deck(work).map(|deck| sdsl::parse(&deck.dsl_text).presentation);
    let slides = deck.map(|deck| deck.slides).unwrap_or_default();
    let has_blank = |slide: &&sdsl::Slide| sdsl::format_slide(slide).contains(BLANK);
    let blank = slides.iter().filter(has_blank).count();
    if blank > 0 {
        report.passed = false;
        report
            .say(both!("{blank} 页还有空白要填写" => "{blank} slides have blanks to be filled in"));
    }
    report
}

/// What the step leaves when no model can be asked: what can be measured, and a note that nothing else was checked.
pub(super) fn without_model(work: &Work) -> Option<Vec<Output>> {
    Some(vec![left(work, measured(work).ok()?)])
}

/// What can be found without a model.
fn measured(work: &Work) -> Result<InspectionReport, Box<Carry>> {
    let deck = ask::deck(work)?;
    let layout: DeckLayout = work.read(LAYOUT)?;
    let parsed = sdsl::parse(&deck.dsl_text).presentation;
    let language = work.settings.language.as_str();
    let DeckLayout {
        remarks,
        report,
        slide_of,
    } = &layout;
    let mut report = InspectionReport::new(&parsed, Some(language), remarks, report, slide_of);
    let mut gaps = requirements_of(work).issues(&parsed, language);
    let faults = faults(work, &parsed, None).into_iter();
    let issues = faults.map(|fault| issue_of(&fault, language));
    let (missing, written): (Vec<_>, Vec<_>) =
        issues.partition(|issue| issue.category == IssueCategory::RequirementGap);
    if !written.is_empty() {
        report.verdicts.writing = Verdict::Failed;
    }
    gaps.extend(missing);
    report.verdicts.requirements = verdict(&gaps);
    report.add(gaps);
    report.add(written);
    Ok(report)
}

/// What is wrong with the texts of a deck, as an issue.
fn issue_of(fault: &Fault, language: &str) -> Issue {
    let category = match fault.kind {
        FaultKind::OtherLanguage | FaultKind::OtherSubject => IssueCategory::RequirementGap,
        FaultKind::Loop | FaultKind::SaidTwice | FaultKind::Debris | FaultKind::Instruction => {
            IssueCategory::ContentMissing
        }
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

/// The report with what a model said that was shown so many pages. A pass is given only by a model that was shown all of them and whose
/// answer was read whole.
fn with(mut report: InspectionReport, judgement: Judgement, shown: usize) -> InspectionReport {
    let Judgement {
        issues,
        summary,
        unread,
    } = judgement;
    let pages = usize::try_from(report.pages).unwrap_or(usize::MAX);
    let is_whole = shown == pages && unread == 0;
    let found = verdict(&issues);
    let vision = if found == Verdict::Passed && !is_whole {
        Verdict::NotChecked
    } else {
        found
    };
    report.add(issues);
    if shown > 0 {
        report.verdicts.vision = vision;
        if shown < pages {
            report.say(both!("共 {pages} 页，看了 {shown} 页" => "{shown} of {pages} pages were looked at"));
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
    report.passed = false;
    let unread = both!("模型的答复无法读取" => "What the model said could not be read");
    report.say(unread);
    report
}

/// The pages as they are now, in their order.
fn pictures(work: &Work) -> Result<Vec<Shown>, Box<Carry>> {
    let layout: DeckLayout = work.read(LAYOUT)?;
    let rendered = work.inputs.get(LAYOUT).and_then(|inputs| inputs.first());
    let stage = rendered.map(|input| input.artifact.step.stage.clone());
    let of_now = |artifact: &ArtifactProduced| Some(&artifact.step.stage) == stage.as_ref();
    let pages = work.inputs.get(PAGE).into_iter().flatten();
    let pages = pages.filter(|input| of_now(&input.artifact));
    let pictures = pages.filter_map(|input| match &input.artifact.body {
        Body::Blob { blob, media_type } => Some(Shown {
            picture: Picture {
                blob: blob.clone(),
                media_type: media_type.clone(),
            },
            name: page_name(&layout.slide_of, input.artifact.part.parse().unwrap_or(1)),
        }),
        Body::Event { .. } => None,
    });
    Ok(pictures.take(PAGES_SHOWN_MAX).collect())
}

/// What a page shows, by its number from 1.
fn page_name(slide_of: &[usize], number: usize) -> String {
    let at = number.saturating_sub(1);
    let slide = slide_of.get(at).copied().unwrap_or(at);
    let goes_on = at > 0 && slide_of.get(at - 1) == Some(&slide);
    let continued = if goes_on { ", continued" } else { "" };
    format!("slide {}{continued}", slide + 1)
}

fn left(work: &Work, report: InspectionReport) -> Output {
    let title = if work.is_chinese() {
        "检查"
    } else {
        "Inspection"
    };
    // What a person wrote word for word is theirs, and slides that were only moved are to stay as they are: what is wrong is told.
    let stays = |deck: DeckVersion| deck.written_by == PERSON || deck.written_by == RULES;
    let stays = ask::deck(work).is_ok_and(stays);
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

    fn read(said: Value) -> Option<Judgement> {
        Judgement::read(&Answer::Json(said), 5)
    }

    #[test]
    fn what_can_be_read_of_an_issue_is_kept_whatever_form_it_has() {
        let critical = |slide: Value| json!({ "slide": slide, "category": "overflow", "severity": "critical", "description": "Too long." });
        for (slide, expected) in [
            (json!("2"), 2),
            (json!(" 3 "), 3),
            (json!(2.0), 2),
            (json!("4.0"), 4),
            (json!(null), 1),
            (json!("two"), 1),
            (json!(-1), 1),
            (json!(99), 5),
            (json!([]), 1),
        ] {
            let judged = read(json!({ "issues": [critical(slide.clone()), null, {}] }));
            let judged = judged.expect("it is read");
            assert_eq!((judged.issues.len(), judged.unread), (1, 2), "{slide}");
            let issue = &judged.issues[0];
            assert_eq!(
                (issue.slide, issue.severity),
                (expected, IssueSeverity::Critical)
            );
            assert_eq!(verdict(&judged.issues), Verdict::Failed);
        }
        for issue in [
            json!({ "slide": 1, "description": "Small." }),
            json!({ "description": "Small.", "severity": 3, "category": null }),
            json!({ "suggested_fix": "Small." }),
            json!("Small."),
        ] {
            let judged = read(json!({ "issues": [issue] })).expect("it is read");
            assert_eq!(judged.issues[0].severity, IssueSeverity::Warning, "{issue}");
            assert_eq!(judged.issues[0].evidence, "Small.", "{issue}");
        }
        let alone = read(json!({ "issues": critical(json!(2)) })).expect("it is read");
        assert_eq!(alone.issues.len(), 1);
        let listed = read(json!([critical(json!(2))])).expect("it is read");
        assert_eq!(listed.issues.len(), 1);
    }

    #[test]
    fn nothing_found_is_not_nothing_read() {
        for nothing in [
            json!({ "issues": [], "summary": "Fine." }),
            json!({ "summary": "Fine." }),
            json!({ "issues": null }),
        ] {
            let judged = read(nothing.clone());
            assert!(
                judged.is_some_and(|judged| judged.issues.is_empty()),
                "{nothing}"
            );
        }
        for unread in [
            json!({}),
            json!("Fine."),
            json!(3),
            json!({ "issues": [{}, null] }),
            json!({ "verdict": "ok" }),
        ] {
            assert!(read(unread.clone()).is_none(), "{unread}");
        }
        assert!(Judgement::read(&Answer::Text("Fine.".to_owned()), 5).is_none());
    }

    #[test]
    fn pages_are_named_by_their_slides() {
        let names: Vec<String> = (1..=5).map(|page| page_name(&[0, 1, 1, 1], page)).collect();
        let expected = [
            "slide 1",
            "slide 2",
            "slide 2, continued",
            "slide 2, continued",
            "slide 5",
        ];
        assert_eq!(names, expected);
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
        let judged = |pages, shown| {
            with(
                report(pages),
                read(json!({ "issues": [] })).expect("read"),
                shown,
            )
        };
        assert_eq!(judged(30, 30).verdicts.vision, Verdict::Passed);
        let part = judged(40, 30);
        assert_eq!(part.verdicts.vision, Verdict::NotChecked);
        assert!(
            part.summary.contains("30 of 40 pages were looked at"),
            "{}",
            part.summary
        );
        assert!(!unjudged(report(3)).passed);
    }
}
