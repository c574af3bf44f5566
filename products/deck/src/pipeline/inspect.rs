//! Whether a deck is good enough. Geometry, rules of writing and requirements are always checked; a model checks the text and, where one
//! that accepts pictures is configured, the pages.

use palimpsest::prelude::author::BLANK;
use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{
    Answer, Carry, Content, Fault, FaultKind, ModelTurn, NewArtifact, Output, Picture, RULES,
    TurnResult, Work, asking,
};
use render::page_name;
use schemars::JsonSchema;
use serde_json::{Value, json};
use spec::both;
use spec::text::told;

use super::ask;
use super::ask::{LIST_TOKENS, PERSON, REVIEWER, VISION, json_of, vars};
use super::flow::TO_MEND;
use super::generate::{faults, requirements_of};
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
    let mut element = text("element");
    if element.is_empty() {
        element.push_str("page");
    }
    // A model may name the page as its caption does.
    let place = read_numbers(&said["slide"]);
    let part = read_numbers(&said["part"]).first().copied();
    if let Some(part) = part.or(place.get(1).copied()).filter(|part| *part > 1) {
        element = format!("{element} (part {part})");
    }
    Some(Issue {
        slide: place.first().map_or(1, |slide| (*slide).clamp(1, slides)),
        element,
        category: IssueCategory::read(&category),
        severity: IssueSeverity::read(&text("severity")),
        evidence,
        suggested_fix,
    })
}

fn text_of(value: &Value) -> String {
    value.as_str().unwrap_or_default().trim().to_owned()
}

/// The numbers in a value, which may be a number or a text such as `slide 7, part 2`.
fn read_numbers(value: &Value) -> Vec<usize> {
    let text = value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned);
    let numbers = text.split(|c: char| !c.is_ascii_digit() && c != '.');
    let numbers = numbers.filter_map(|number| number.parse::<f64>().ok());
    // No deck has so many slides that a number of them is not whole.
    let whole = numbers.filter_map(|number| format!("{number:.0}").parse().ok());
    whole.collect()
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
        "requirements": work.body(super::stage::REQUIREMENTS).map(asking::text),
        "found": asking::text(&report.issues),
        "pictures": sheets.len(),
        "pages": names.join("; "),
    });
    let Some((_, answer)) = turns.iter().find_map(TurnResult::answer) else {
        let role = if sheets.is_empty() { REVIEWER } else { VISION };
        let mut turn = ModelTurn::new(role, "deck/inspect", vars(work, more), LIST_TOKENS);
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
    let parsed = sdsl::parse(&deck.dsl_text).presentation;
    let language = work.settings.language.as_str();
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
    let (missing, written): (Vec<_>, Vec<_>) =
        issues.partition(|issue| issue.category == IssueCategory::RequirementGap);
    if !written.is_empty() {
        report.verdicts.writing = Verdict::Failed;
    }
    gaps.extend(missing);
    report.verdicts.requirements = verdict(&gaps);
    report.add(gaps);
    report.add(written);
    report
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
    fn an_issue_of_a_page_that_goes_on_says_which_part_it_is_about() {
        for (slide, part, element) in [
            (json!(3), json!(2), "heading (part 2)"),
            (json!("slide 3, part 2"), json!(null), "heading (part 2)"),
            (json!("3"), json!("part 4"), "heading (part 4)"),
            (json!("slide 3"), json!(1), "heading"),
            (json!(3), json!(0), "heading"),
        ] {
            let issue = json!({ "slide": slide, "part": part, "element": "heading", "description": "Cut." });
            let judged = read(json!({ "issues": [issue] })).expect("it is read");
            let issue = &judged.issues[0];
            assert_eq!(
                (issue.slide, issue.element.as_str()),
                (3, element),
                "{slide}"
            );
        }
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
            let nothing = read(json!({ "issues": [] })).expect("read");
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
