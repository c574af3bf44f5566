//! What a person has said to a stage: answers to its questions, decisions, facts, wishes.

use palimpsest::prelude::pipeline::Work;
use serde_json::Value;

use super::ask::{part, requirement};
use super::clarify::{ASKED, EVIDENCE_GAP, PREFERENCE};
use super::edits::LAYOUT_PREFERENCE;
use super::shape::{EvidenceItem, EvidencePack, EvidenceStatus, LayoutPreference};
use super::stage::{EVIDENCE, Stage};

/// Characters of an answer or of feedback that a prompt shows. The longest that people write are a paragraph.
const SAID_CHARS_MAX: usize = 2_000;

/// The option of the question about evidence that says that the person has facts.
const NEED_MORE_FACTS: &str = "need_more_facts";
/// The source of facts that a person gave.
pub(super) const PERSON: &str = "person";
/// Facts that one answer of a person is cut into.
const TOLD_FACTS_MAX: usize = 8;

/// What a person answered to a question.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Heard {
    /// Ids of options.
    pub(crate) selected: Vec<String>,
    /// In the person's own words; empty where there are none.
    pub(crate) said: String,
}

impl Heard {
    fn of(work: &Work, question: &str) -> Option<Self> {
        let answer = work.answers.get(question)?;
        let selected = answer["selectedIds"].as_array().into_iter().flatten();
        let mut said = clip(answer["customInput"].as_str().unwrap_or_default());
        // A client may send the answer in several forms; all of them answer this question.
        if let Some(context) = answer.get("modifiedContext").filter(|c| !c.is_null()) {
            let context = match context {
                Value::String(text) => text.clone(),
                Value::Object(fields) => {
                    let texts = fields.values().filter_map(Value::as_str);
                    texts.collect::<Vec<_>>().join("\n")
                }
                Value::Null | Value::Bool(_) | Value::Number(_) | Value::Array(_) => String::new(),
            };
            said = clip(format!("{said}\n{context}").trim());
        }
        let heard = Self {
            selected: selected
                .filter_map(Value::as_str)
                .map(str::to_owned)
                .collect(),
            said,
        };
        (heard != Self::default()).then_some(heard)
    }

    /// Whether this option was among those selected.
    pub(crate) fn chose(&self, option: &str) -> bool {
        self.selected.iter().any(|selected| selected == option)
    }
}

fn clip(text: &str) -> String {
    text.trim().chars().take(SAID_CHARS_MAX).collect()
}

/// What was answered to the questions of this stage.
pub(crate) fn heard(work: &Work) -> Vec<Heard> {
    let stage = Stage::named(&work.step.stage);
    let questions = ASKED.into_iter().filter(|(of, ..)| Some(*of) == stage);
    let heard = questions.filter_map(|(_, question, _)| Heard::of(work, question));
    heard.collect()
}

/// How much of the pictures is to be text: what the person decided at a gate, else what was answered, else what was asked
/// for at the start.
pub(crate) fn layout_preference(work: &Work) -> LayoutPreference {
    let decided = work.decisions.get(LAYOUT_PREFERENCE).cloned();
    let answered = || Heard::of(work, PREFERENCE)?.selected.into_iter().next();
    let said = decided.or_else(answered);
    let known = said.and_then(|said| {
        serde_json::from_value(Value::String(said.replace('_', "-").to_lowercase())).ok()
    });
    known.unwrap_or_else(|| {
        requirement(work).map_or_else(LayoutPreference::default, |wanted| wanted.layout_preference)
    })
}

/// The evidence that was found, and the facts that the person gave when they were asked because nothing was found.
pub(crate) fn evidence(work: &Work) -> EvidencePack {
    let mut pack = part(work, EVIDENCE).unwrap_or(EvidencePack {
        items: vec![],
        summary: String::new(),
        status: EvidenceStatus::None,
        offline: false,
    });
    if let Some(heard) = Heard::of(work, EVIDENCE_GAP)
        && (heard.chose(NEED_MORE_FACTS) || heard.selected.is_empty())
    {
        let facts = heard.said.split(['\n', '；', ';', '。']).map(str::trim);
        let facts = facts.filter(|fact| !fact.is_empty()).take(TOLD_FACTS_MAX);
        pack.items.extend(facts.map(|fact| EvidenceItem {
            fact: fact.to_owned(),
            source: Some(PERSON.to_owned()),
            quote: None,
        }));
        if !pack.items.is_empty() {
            pack.status = EvidenceStatus::Found;
        }
    }
    pack
}

/// What the person wants, as far as they have said it: the message, later wishes, and answers.
pub(super) fn wishes(work: &Work) -> Vec<String> {
    let mut all = vec![work.brief.clone()];
    all.extend(requirement(work).map(|wanted| wanted.requirement));
    all.extend(work.changes.iter().map(|change| change.text.clone()));
    all.extend(work.guidance.feedback.clone());
    let answers = work.answers.keys().filter_map(|name| Heard::of(work, name));
    all.extend(answers.map(|heard| heard.said));
    all.retain(|text| !text.is_empty());
    all
}
