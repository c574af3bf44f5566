//! What a person writes by hand: any artifact of the course that a stage writes, and a page by its slots.

use palimpsest::prelude::pipeline::event::ArtifactProduced;
use palimpsest::prelude::pipeline::{
    ByHand, Carry, Content, GateEdits, NewArtifact, TurnResult, Violation, Work, Written, by_hand,
};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use smol_str::SmolStr;

use super::flow::PAGES;
use super::shape::{CourseConfig, Page, PresentationTheme, SlideScript, VideoOutline};
use super::stage::{
    COURSE_CONFIG, PPT_HTML, PRESENTATION_THEME, REQUIREMENT_ANALYSIS, SLIDE_SCRIPTS, Stage,
    VIDEO_OUTLINE,
};
use super::{ask, pages, rules};

/// What is written by hand. None of these decides the number of pages, which is only changed in words.
pub(super) const WRITTEN: [ByHand; 6] = [
    (REQUIREMENT_ANALYSIS, &["author", "notes"]),
    (COURSE_CONFIG, &["expectedPageCount", "author", "notes"]),
    (VIDEO_OUTLINE, &["author", "notes"]),
    (SLIDE_SCRIPTS, &["slideIndex", "type", "author", "notes"]),
    (PRESENTATION_THEME, &["author", "notes"]),
    (
        PPT_HTML,
        &["slideIndex", "html", "layout", "author", "notes"],
    ),
];

/// The author in the remarks of an artifact that a person wrote.
const PERSON: &str = "person";

pub(super) fn written_in(made: &ArtifactProduced) -> Option<(SmolStr, SmolStr)> {
    let is_written = WRITTEN.iter().any(|(kind, _)| *kind == made.kind);
    is_written.then(|| (made.step.stage.clone(), made.step.item.clone()))
}

pub(super) fn carry(work: &Work, written: &Written, turns: &[TurnResult]) -> Carry {
    let body = written.body.as_ref();
    if written.before.kind == PPT_HTML {
        return page(work, written, turns);
    }
    let unknown = || pages::fail_step("unknown_kind", "this is not written by hand".to_owned());
    let mut stages = Stage::ALL.into_iter();
    let Some(stage) = stages.find(|stage| stage.kind() == written.before.kind) else {
        return unknown();
    };
    let left = match stage {
        Stage::Analyze => read(body, rules::analysis),
        Stage::Config => read(body, |config: &CourseConfig| rules::config(config, false)),
        Stage::Outline => read(body, |outline: &VideoOutline| {
            let pages = work.read::<CourseConfig>(COURSE_CONFIG);
            pages.map_or_else(
                |_| vec![],
                |config| rules::outline(outline, config.expected_page_count),
            )
        }),
        Stage::Scripts => scripts(work, written),
        Stage::Theme => read(body, |theme: &PresentationTheme| {
            rules::theme(&theme.theme, &[])
        }),
        Stage::Slides | Stage::Export => return unknown(),
    };
    let (body, facts) = match left {
        Ok(left) => left,
        Err(found) => return Carry::Reject(found),
    };
    let made = ask::artifact(work, stage, body);
    Carry::from(NewArtifact { facts, ..made })
}

/// The outline as edited by the person who was asked to confirm it. The edits are the fields that are different.
pub(super) fn outline_at_gate(given: &GateEdits<'_>) -> Result<NewArtifact, Vec<Violation>> {
    let wrong = |says: String| vec![Violation::new("", says)];
    let (Some(edits), Value::Object(mut outline)) =
        (given.edits.as_object(), given.subject.clone())
    else {
        return Err(wrong("the edits are no object".to_owned()));
    };
    for (name, value) in edits {
        if !outline.contains_key(name) {
            let known: Vec<&str> = outline.keys().map(String::as_str).collect();
            let says = format!("is not known; there are {}", known.join(", "));
            return Err(vec![Violation::new(format!("/{name}"), says)]);
        }
        outline.insert(name.clone(), value.clone());
    }
    let config = given.seen.get(COURSE_CONFIG).map(CourseConfig::deserialize);
    let pages = config
        .and_then(Result::ok)
        .map(|config| config.expected_page_count);
    let (body, _) = read(&Value::Object(outline), |outline: &VideoOutline| {
        pages.map_or_else(Vec::new, |pages| rules::outline(outline, pages))
    })?;
    let title = body["theme"].as_str().unwrap_or_default().to_owned();
    Ok(NewArtifact {
        facts: by_hand::facts(),
        ..Stage::Outline.made(title, Content::Json(body), vec![])
    })
}

type Left = Result<(Value, Value), Vec<Violation>>;

/// What a person wrote, as its type, checked by the rules that apply to every author.
fn read<T: Serialize + DeserializeOwned>(
    body: &Value,
    check: impl FnOnce(&T) -> Vec<Violation>,
) -> Left {
    let read = T::deserialize(body).map_err(|cause| vec![Violation::new("", cause.to_string())])?;
    let found = check(&read);
    if !found.is_empty() {
        return Err(found);
    }
    let mut body = ask::json(&read);
    body["author"] = json!(PERSON);
    Ok((body, Value::Null))
}

/// The scripts of all pages. The configuration decides how many there are.
fn scripts(work: &Work, written: &Written) -> Left {
    let of = |body: &Value| {
        Vec::<SlideScript>::deserialize(body)
            .map_err(|cause| vec![Violation::new("", cause.to_string())])
    };
    let (before, mut scripts) = (of(&written.was)?, of(&written.body)?);
    let wanted = match written.kept {
        None => before.len(),
        // Scripts that are kept from an earlier run have to fit the number of pages of this run.
        Some(_) => work
            .read::<CourseConfig>(COURSE_CONFIG)
            .map_or(before.len(), |config| config.expected_page_count as usize),
    };
    if scripts.len() != wanted {
        let says = format!(
            "there are {} scripts and {wanted} pages: have pages added or left out by a change, in words",
            scripts.len()
        );
        return Err(vec![Violation::new("", says)]);
    }
    let found = rules::scripts(&scripts, pages::count(scripts.len()));
    if !found.is_empty() {
        return Err(found);
    }
    for (script, was) in scripts.iter_mut().zip(&before) {
        if script != was {
            script.remarks.author = Some(PERSON.to_owned());
        }
    }
    Ok((ask::json(&scripts), json!({ PAGES: scripts.len() })))
}

/// The pages whose scripts say something else on the page; a change of only the narration does not change any page.
pub(super) fn differing(kind: &str, before: &Value, after: &Value) -> Vec<String> {
    let of = |body: &Value| Vec::<SlideScript>::deserialize(body).unwrap_or_default();
    if kind != SLIDE_SCRIPTS {
        return vec![];
    }
    let shown = |script: &SlideScript| SlideScript {
        narration_script: String::new(),
        ..script.clone()
    };
    let pairs = of(before).into_iter().zip(of(after));
    let differ = pairs.map(|(before, after)| shown(&before) != shown(&after));
    let numbered = differ.enumerate().filter(|(_, differs)| *differs);
    numbered.map(|(place, _)| (place + 1).to_string()).collect()
}

/// A page that a person wrote as its slots: the page is drawn from these slots again, and no model is asked.
fn page(work: &Work, written: &Written, turns: &[TurnResult]) -> Carry {
    let read = |body: &Value| Page::deserialize(body);
    let (page, was) = match (read(&written.body), read(&written.was)) {
        (Ok(page), Ok(was)) => (page, was),
        (Err(cause), _) | (_, Err(cause)) => {
            return Carry::Reject(vec![Violation::new("", cause.to_string())]);
        }
    };
    // Spoken text that the person changed is the person's own; otherwise it is the narration of the script.
    let is_own = page.speak_notes != was.speak_notes || written.before.facts[pages::SPOKEN] == true;
    let spoken = is_own.then(|| page.speak_notes.clone());
    let mut page = page;
    if written.kept.is_none() {
        page.remarks.author = Some(PERSON.to_owned());
    }
    pages::written_page(work, written, turns, page, spoken)
}

/// Whether this run is an edit of scripts by hand.
pub(super) fn is_of_scripts(work: &Work) -> bool {
    work.edited.as_deref() == Some(Stage::Scripts.name)
}
