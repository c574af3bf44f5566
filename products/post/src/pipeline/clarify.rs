//! Questions to the person about what was not said: each once in a session, and none where the person wants none. The table
//! is the contract's.

use palimpsest::prelude::pipeline::{Flow, GateAnswer, GateSpec, Run, pass_gate};
use serde_json::{Value, json};
use words::{entries, rows};

use super::requirement;
use super::shape::ClarityLevel;
use super::stage::{BRIEF, EVIDENCE, IMAGE, REQUIREMENT, Stage};

/// The keys of the questions, which are the names of their gates.
pub(crate) const CLARITY: &str = "supervisor.clarity";
pub(crate) const SCOPE: &str = "brief_compiler_agent.requirement_scope";
pub(crate) const FOCUS: &str = "research_evidence_agent.focus";
pub(crate) const STYLE: &str = "reference_intelligence_agent.style_source";
pub(crate) const EVIDENCE_GAP: &str = "writer_agent.evidence_gap";
pub(crate) const PREFERENCE: &str = "layout_planner_agent.preference";
pub(crate) const NO_IMAGES: &str = "review_agent.no_images";

/// The option to continue without changing anything.
pub(crate) const CONTINUE_DEFAULT: &str = "continue_default";

/// Fewer keywords than this are too few for a search.
const KEYWORDS_MIN: u64 = 2;

struct Question {
    key: &'static str,
    options: Vec<&'static str>,
    zh: &'static str,
    en: &'static str,
}

fn questions() -> impl Iterator<Item = Question> {
    rows(include_str!("questions.tsv")).map(|[key, options, zh, en]| Question {
        key,
        options: entries(options),
        zh,
        en,
    })
}

type IsNeeded = fn(&Run) -> bool;

/// Each question with the stage that is made with its answer, and whether it is asked before that stage begins. For the brief, the
/// supervisor asks.
pub(super) const ASKED: [(Stage, &str, IsNeeded); 7] = [
    (Stage::Brief, CLARITY, is_unclear),
    (Stage::Brief, SCOPE, |run| {
        is_unclear(run) && !chose(run, CLARITY, CONTINUE_DEFAULT)
    }),
    (Stage::Research, FOCUS, has_few_keywords),
    (Stage::Reference, STYLE, |run| references(run) == 0),
    (Stage::Writer, EVIDENCE_GAP, has_no_evidence),
    (Stage::Layout, PREFERENCE, has_no_preference),
    (Stage::Review, NO_IMAGES, |run| {
        run.artifacts_of(IMAGE).next().is_none()
    }),
];

/// Asks what has to be known before this stage begins.
pub(super) fn before(run: &Run, stage: Stage) -> Flow {
    for (of, key, is_needed) in ASKED {
        if of == stage && is_needed(run) {
            ask(run, key)?;
        }
    }
    Flow::Continue(())
}

fn is_unclear(run: &Run) -> bool {
    clarity(run) == ClarityLevel::Low
}

fn has_few_keywords(run: &Run) -> bool {
    let keywords = run
        .facts(BRIEF)
        .and_then(|facts| facts["keywords"].as_u64());
    keywords.is_some_and(|known| known < KEYWORDS_MIN)
}

fn has_no_evidence(run: &Run) -> bool {
    run.facts(EVIDENCE).is_some_and(|facts| facts["items"] == 0)
}

fn has_no_preference(run: &Run) -> bool {
    let facts = run.facts(REQUIREMENT);
    let given = facts.is_some_and(|facts| facts["preference_given"] == true)
        || run.decision(super::edits::LAYOUT_PREFERENCE).is_some();
    !given && references(run) == 0
}

fn references(run: &Run) -> u64 {
    let facts = run.facts(REQUIREMENT);
    facts
        .and_then(|facts| facts["references"].as_u64())
        .unwrap_or(0)
}

/// How clear the request is with what the person added to it.
fn clarity(run: &Run) -> ClarityLevel {
    let said = run.facts(REQUIREMENT);
    let said = said.and_then(|facts| serde_json::from_value(facts["clarity_level"].clone()).ok());
    let added = added(run, CLARITY);
    if added.is_empty() {
        return said.unwrap_or(ClarityLevel::Medium);
    }
    requirement::clarity(&format!("{} {added}", run.brief), true).level
}

fn ask(run: &Run, key: &str) -> Flow {
    let facts = run.facts(REQUIREMENT);
    let unwanted =
        facts.is_some_and(|facts| facts["just_generate"] == true || facts["fast"] == true);
    if !run.settings.attended || unwanted || run.asked_before.contains(key) {
        return Flow::Continue(());
    }
    pass_gate(run, &|| question(run, key), key, None)?;
    Flow::Continue(())
}

fn question(run: &Run, key: &str) -> GateSpec {
    let question = questions().find(|question| question.key == key);
    let question = question.expect("the table has a row for each key");
    let options: Vec<_> = question.options.iter().map(|&id| id.to_owned()).collect();
    let zh = run.settings.language.starts_with("zh");
    GateSpec {
        name: question.key.to_owned(),
        subject: None,
        question: if zh { question.zh } else { question.en }.to_owned(),
        schema: json!({
            "type": "object",
            "properties": {
                "selectedIds": { "type": "array", "items": { "enum": options }, "maxItems": options.len() },
                "customInput": { "type": "string", "maxLength": CUSTOM_CHARS_MAX },
                "modifiedContext": { "type": "object" }
            },
            "minProperties": 1,
            "additionalProperties": false
        }),
        default: json!({ "selectedIds": [options[0]] }),
        options,
        open_for: None,
    }
}

/// Characters of an answer in a person's own words: a page.
const CUSTOM_CHARS_MAX: usize = 2_000;

fn answer<'a>(run: &'a Run, key: &str) -> Option<&'a Value> {
    match run.answer_to(key)? {
        GateAnswer::Given { answer, .. } => Some(answer),
        GateAnswer::Confirmed { .. } | GateAnswer::Declined { .. } => None,
    }
}

fn chose(run: &Run, key: &str, option: &str) -> bool {
    let chosen = answer(run, key).and_then(|answer| answer["selectedIds"].as_array());
    chosen.is_some_and(|chosen| chosen.iter().any(|id| id == option))
}

fn added<'a>(run: &'a Run, key: &str) -> &'a str {
    let text = answer(run, key).and_then(|answer| answer["customInput"].as_str());
    text.unwrap_or_default().trim()
}
