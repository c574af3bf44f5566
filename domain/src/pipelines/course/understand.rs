//! How a message is meant: by rules where no model is, else by the model, whose answer is checked against what there is.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::shape::{CourseInput, schema};
use super::stage::Stage;
use super::{ask, intent, wish};
use crate::asking;
use crate::carry::{Carry, IntentOutput, ModelTurn, Output, TurnResult, Work};
use crate::event::{Intent, Violation};
use crate::schema::Wanted;
use crate::session::Speaker;
use crate::text::{ByRules, beyond_rules};

/// What rules can do about a wish.
pub(super) const CAN: ByRules = ByRules {
    zh: "调整页数、主题配色、删去某页、只保留或调换章节",
    en: "change the number of pages and the theme, leave a page out, and keep or reorder sections",
    draws: false,
};

/// Messages of the conversation that the model is shown, the latest ones: older ones have become artifacts.
const HISTORY_SHOWN: usize = 20;
/// Characters of each of them.
const HISTORY_CHARS: usize = 400;
/// Chinese characters of a reason, which is a sentence, and of a reply, which is two.
const REASON_CHARS: usize = 60;
const REPLY_CHARS: usize = 120;

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Classified {
    intent: Class,
    /// The earliest stage that the feedback touches; null unless the intent is REFINEMENT.
    target_stage: Option<String>,
    /// In one sentence.
    reason: String,
    /// 0 to 1.
    confidence: f64,
    /// What is said to the person if the intent is IRRELEVANT, in their language; else null.
    reply: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Class {
    Initial,
    Refinement,
    Irrelevant,
}

pub(super) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let ruled = early_enough(work, intent::by_rules(work));
    // Before anything is made: what would be made instead is not what was asked for.
    if work.settings.ports.is_offline()
        && let Some(reply) = beyond_rules(
            &CAN,
            &work.brief,
            work.refinable.is_some(),
            work.is_chinese(),
        )
    {
        return Carry::Done(vec![Output::Intent(IntentOutput::refused(reply))]);
    }
    // Whoever says nothing but "go on" leaves nothing to ask a model about.
    if work.settings.ports.is_offline() || ruled.intent == Intent::Resumption {
        return Carry::Done(vec![Output::Intent(ruled)]);
    }
    let schema = wanted(work);
    let Some((model, answer)) = ask::answer(turns) else {
        return Carry::from(ModelTurn {
            schema: Some(("intent", schema)),
            ..ModelTurn::new(
                "intent",
                "course/understand",
                ask::vars(work, vars(work)),
                ask::INTENT_TOKENS,
            )
        });
    };
    let read = ask::read(model, answer, &schema, put_in)
        .and_then(|(classified, _)| checked(classified, work, &ruled, model));
    match read {
        Ok(output) => {
            let output = early_enough(work, output);
            Carry::Done(vec![Output::Intent(output)])
        }
        Err(_) if work.attempt >= work.settings.attempts => {
            Carry::Done(vec![Output::Intent(ruled)])
        }
        Err(found) => Carry::Reject(found),
    }
}

/// What the answer may be, given what there is: without anything made before there is nothing to change, and a message that comes
/// with a number of pages, an input or files is about a deck.
fn wanted(work: &Work) -> Value {
    let names_a_deck = wish::pages(&work.brief).is_some()
        || !work.sources.is_empty()
        || work
            .input
            .as_object()
            .is_some_and(|input| !input.is_empty());
    let mut intents = vec!["INITIAL"];
    if work.refinable.is_some() {
        intents.push("REFINEMENT");
    }
    if !names_a_deck {
        intents.push("IRRELEVANT");
    }
    let stages = Stage::changeable().iter().map(|stage| json!(stage));
    let mut wanted = Wanted::of(schema::<Classified>())
        .one_of("intent", intents.into_iter().map(Value::from))
        .one_of("targetStage", stages.chain([Value::Null]))
        .text("reason", 1, asking::chars(work, REASON_CHARS))
        .one_of(
            "confidence",
            (0..=10).map(|tenths| json!(f64::from(tenths) / 10.0)),
        )
        .text("reply", 0, asking::chars(work, REPLY_CHARS));
    if work.refinable.is_none() {
        wanted = wanted.without("targetStage");
    }
    if names_a_deck {
        wanted = wanted.without("reply");
    }
    wanted.into_value()
}

/// What was not asked for, and a confidence within its bounds.
fn put_in(answer: &mut Value) {
    let Some(fields) = answer.as_object_mut() else {
        return;
    };
    for name in ["targetStage", "reply"] {
        fields.entry(name).or_insert(Value::Null);
    }
    if let Some(confidence) = fields.get("confidence").and_then(Value::as_f64) {
        fields.insert("confidence".to_owned(), json!(confidence.clamp(0.0, 1.0)));
    }
}

/// A change begins with the stage that what comes with it is for, at the latest: pages, listeners and minutes that were named
/// are binding, and a look that was given is used.
fn early_enough(work: &Work, intent: IntentOutput) -> IntentOutput {
    let given = CourseInput::deserialize(&work.input).unwrap_or_default();
    let is_about_the_config = given.page_count.is_some()
        || given.audience.is_some()
        || given.duration_minutes.is_some()
        || wish::pages(&work.brief).is_some();
    let latest = if is_about_the_config {
        Stage::Config
    } else if given.theme.is_some() || given.style.is_some() {
        Stage::Theme
    } else {
        return intent;
    };
    let target = intent.target.as_deref().and_then(Stage::named);
    let is_later = target.is_none_or(|target| target > latest);
    if intent.intent != Intent::Refinement || !is_later {
        return intent;
    }
    IntentOutput {
        target: Some(latest.name().into()),
        ..intent
    }
}

/// A message must be taken up somehow: the rules decide where there is no model, or it cannot.
pub(super) fn by_rules(work: &Work) -> Vec<Output> {
    let ruled = intent::by_rules(work);
    vec![Output::Intent(early_enough(work, ruled))]
}

fn vars(work: &Work) -> Value {
    let shown = work.history.len().saturating_sub(HISTORY_SHOWN);
    let told = |speaker: Speaker| match speaker {
        Speaker::Person => "user",
        Speaker::System => "assistant",
    };
    let history: Vec<Value> = work.history[shown..]
        .iter()
        .map(|m| json!({ "speaker": told(m.speaker), "text": m.text.chars().take(HISTORY_CHARS).collect::<String>() }))
        .collect();
    let made = work.refinable.iter().flat_map(|base| &base.artifacts);
    let made: Vec<Value> = made
        .filter(|(stage, _, _)| Stage::changeable().contains(&stage.as_str()))
        .map(|(stage, kind, _)| json!({ "stage": stage, "kind": kind }))
        .collect();
    let sources: Vec<&str> = work
        .sources
        .iter()
        .map(|source| source.path.as_str())
        .collect();
    json!({ "history": history, "artifacts": made, "stages": Stage::changeable(), "attachments": sources })
}

/// The answer as it can be used, or what is wrong with it.
fn checked(
    answer: Classified,
    work: &Work,
    ruled: &IntentOutput,
    model: &str,
) -> Result<IntentOutput, Vec<Violation>> {
    let mut found = vec![];
    let target = answer
        .target_stage
        .as_deref()
        .map(str::trim)
        .filter(|target| !target.is_empty());
    let known = target.is_none_or(|target| Stage::changeable().contains(&target));
    if answer.intent == Class::Refinement && !(known && target.is_some()) {
        let says = format!("must be one of {}", Stage::changeable().join(", "));
        found.push(Violation::new("/targetStage", says));
    }
    let reply = answer.reply.filter(|reply| !reply.trim().is_empty());
    // The rules have words for it where they mean the same.
    let reply = reply.or_else(|| ruled.reply.clone());
    if answer.intent == Class::Irrelevant && reply.is_none() {
        found.push(Violation::new(
            "/reply",
            "is missing: an irrelevant message is answered with a friendly sentence",
        ));
    }
    if !found.is_empty() {
        return Err(found);
    }
    // Where nothing has been made there is nothing to change.
    let intent = match answer.intent {
        Class::Refinement if work.refinable.is_some() => Intent::Refinement,
        Class::Initial | Class::Refinement => Intent::Initial,
        Class::Irrelevant => Intent::Irrelevant,
    };
    Ok(IntentOutput {
        intent,
        target: target
            .filter(|_| intent == Intent::Refinement)
            .map(Into::into),
        confidence: answer.confidence,
        by: model.to_owned(),
        reason: answer.reason,
        reply: reply.filter(|_| intent == Intent::Irrelevant),
    })
}
