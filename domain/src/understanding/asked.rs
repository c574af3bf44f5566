//! Asks a model what a message means, and checks its answer against what was already made.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::intent::{COMPLAINT, Greeting, beyond_what_is_there, by_rules, titles, undone};
use super::items::{NEW, reordered};
use super::rules::{SURE, Vocabulary, wanted_language};
use crate::asking::{self, chars};
use crate::carry::{Answer, Carry, IntentOutput, ModelTurn, Output, TurnResult, Work};
use crate::event::{Intent, Reserve, Violation};
use crate::flow::UNDERSTAND;
use crate::ids::RunId;
use crate::schema::{Wanted, of};
use crate::session::{Run, Speaker};
use crate::settings::Settings;
use crate::text::{ByRules, beyond_rules};

/// The role of the model that is asked, as the settings name it.
pub const INTENT_ROLE: &str = "intent";
/// The prompt.
pub const PROMPT: &str = "understanding/message";
/// Tokens of an intent: two sentences, three words and the numbers of pages.
pub const INTENT_TOKENS: u32 = 800;
/// Tokens of the question: the latest messages, and what there is.
const INPUT_TOKENS: u64 = 12_000;

/// Messages of the conversation that the model is shown, the latest ones: older ones have become artifacts.
const HISTORY_SHOWN: usize = 20;
/// Characters of each of them.
const HISTORY_CHARS: usize = 400;
/// Chinese characters of a reason, which is a sentence, and of a reply, which is two.
const REASON_CHARS: usize = 60;
const REPLY_CHARS: usize = 120;
/// Parts that the model is shown, and characters of what each is called. Of a product with more, the others are known by their numbers, and
/// no order is asked for: it would leave them out.
const PARTS_MAX: usize = 100;
const PART_CHARS: usize = 40;

/// The largest number of a part that a model may name.
const NUMBER_MAX: u32 = 999;

/// How a pipeline understands its messages.
#[derive(Clone, Copy)]
pub struct Understanding {
    pub vocabulary: &'static Vocabulary,
    /// What the pipeline makes, in English, as in "makes teaching decks".
    pub makes: &'static str,
    /// What rules can do about a wish.
    pub can: ByRules,
    pub greeting: Greeting,
    /// Whether a model is asked even where nothing was made yet. Where this is false, the first message always says what is to be made.
    pub asks_at_first: bool,
    /// Whether what comes with a message says that it is about the product.
    pub is_about_it: fn(&Work) -> bool,
    /// Whether what comes with a message means that it asks for something new.
    pub is_new: fn(&Work) -> bool,
    /// Adjusts how a message was understood to the input that came with it.
    pub adjusted: fn(&Work, IntentOutput) -> IntentOutput,
}

/// The model's answer.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Classified {
    intent: Class,
    /// The earliest stage that the feedback touches; null unless the intent is REFINEMENT.
    target_stage: Option<String>,
    /// The numbers of the parts that the message is about; empty where it is about all of them.
    parts: Vec<u32>,
    /// The numbers of all parts that stay, in their new order, with a 0 for one that is to be made, if the message only wants to leave some
    /// out, to move some, to add some, or to merge several into one; otherwise empty.
    new_order: Vec<u32>,
    /// In one sentence.
    reason: String,
    /// 0 to 1.
    confidence: f64,
    /// What is said to the person if the intent is IRRELEVANT or QUESTION, in their language; else null.
    reply: Option<String>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "UPPERCASE")]
enum Class {
    Initial,
    Refinement,
    Question,
    Undo,
    Irrelevant,
}

/// Parts that one message may add without the others being made again.
const ADDED_MAX: usize = 5;

/// Whether a structured input came with the message.
pub fn comes_with_an_input(work: &Work) -> bool {
    let input = work.input.as_object();
    input.is_some_and(|input| !input.is_empty())
}

/// Whether sources or an input came with the message, so that it is about the product.
pub fn comes_with_something(work: &Work) -> bool {
    !work.sources.is_empty() || comes_with_an_input(work)
}

fn reserve(settings: &Settings) -> Reserve {
    if settings.ports.is_offline() {
        return Reserve::default();
    }
    asking::reserve_question(settings, INTENT_ROLE, INPUT_TOKENS, INTENT_TOKENS)
}

const FIRST_RUN: RunId = RunId(1);

impl Understanding {
    /// For a pipeline whose first message says what is to be made, and whose input contains everything that the product is made from: a
    /// message with an input asks for another product.
    pub const fn after_the_first(
        vocabulary: &'static Vocabulary,
        makes: &'static str,
        can: ByRules,
        greeting: Greeting,
    ) -> Self {
        Self {
            vocabulary,
            makes,
            can,
            greeting,
            asks_at_first: false,
            is_about_it: comes_with_something,
            is_new: comes_with_an_input,
            adjusted: |_, intent| intent,
        }
    }

    /// The worst that understanding a message of this run may use.
    pub fn reserve(&self, run: &Run) -> Reserve {
        if run.id == FIRST_RUN && !self.asks_at_first {
            return Reserve::default();
        }
        reserve(&run.settings)
    }

    /// What rules can do about a wish in this run: where the sources have pictures, a wish for pictures can be met with these.
    pub fn can_with(&self, work: &Work) -> ByRules {
        let mut sources = work.sources.iter();
        // Where something was already made from the sources, their pictures are already in it.
        let has_pictures =
            work.refinable.is_none() && sources.any(|source| !source.pictures.is_empty());
        ByRules {
            draws: self.can.draws || (self.can.places && has_pictures),
            ..self.can
        }
    }

    /// Whether its parts can be left out and put in another order without asking a model.
    fn orders(&self) -> bool {
        let items = self.vocabulary.items;
        items.is_some_and(|items| items.can_be_ordered)
    }

    /// How rules understand the message. Every message has to be understood in some way, so the rules decide where there is no model or the
    /// model cannot.
    pub fn ruled(&self, work: &Work) -> IntentOutput {
        if (self.is_new)(work) {
            return IntentOutput::by_rules(
                Intent::Initial,
                "what came with the message is for something new",
            );
        }
        let is_about = comes_with_something(work);
        (self.adjusted)(
            work,
            by_rules(work, self.vocabulary, self.greeting, is_about),
        )
    }

    /// What the step leaves although its model gave no answer.
    pub fn without_model(&self, work: &Work) -> Option<Vec<Output>> {
        let is_it = work.step.stage == UNDERSTAND;
        is_it.then(|| vec![Output::Intent(self.ruled(work))])
    }

    /// The step that understands a message.
    pub fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let ruled = self.ruled(work);
        let done = |output| Carry::Done(vec![Output::Intent(output)]);
        let is_offline = work.settings.ports.is_offline();
        let makes_something = match ruled.intent {
            Intent::Initial | Intent::Refinement => ruled.order.is_empty(),
            Intent::Irrelevant | Intent::Resumption | Intent::Restart | Intent::Edit => false,
        };
        // The message is refused before anything is made, since the result would not be what was asked for.
        if is_offline
            && makes_something
            && let Some(reply) = beyond_rules(
                &self.can_with(work),
                &work.brief,
                work.refinable.is_some(),
                work.is_chinese(),
            )
        {
            return done(IntentOutput::refused(reply));
        }
        // A message that says only "go on", or only that something is not right, leaves nothing to ask a model about.
        let is_clear = is_offline
            || ruled.intent == Intent::Resumption
            || ruled.reason == COMPLAINT
            || (self.is_new)(work)
            || !(self.asks_at_first || work.refinable.is_some());
        if is_clear {
            return done(ruled);
        }
        let schema = self.wanted(work);
        let Some((model, answer)) = turns.iter().find_map(TurnResult::answer) else {
            let vars = asking::prompt_vars(work, self.vars(work));
            return Carry::from(ModelTurn {
                schema: Some(("intent", schema)),
                ..ModelTurn::new(INTENT_ROLE, PROMPT, vars, INTENT_TOKENS)
            });
        };
        match self.checked(model, answer, &schema, work, &ruled) {
            Ok(output) => done((self.adjusted)(work, output)),
            Err(_) if work.attempt >= work.settings.attempts => done(ruled),
            Err(found) => Carry::Reject(found),
        }
    }

    fn parts(&self, work: &Work) -> Vec<String> {
        let mut titles = titles(work, self.vocabulary);
        titles.truncate(PARTS_MAX);
        for title in &mut titles {
            *title = title.chars().take(PART_CHARS).collect();
        }
        titles
    }

    fn stages(&self) -> Vec<&'static str> {
        let stages = self.vocabulary.stages();
        stages.map(|stage| stage.name).collect()
    }

    /// The schema of the answer, given what was already made: without anything made before there is nothing to change, and a message that
    /// comes with an input or files is about the product.
    fn wanted(&self, work: &Work) -> Value {
        let is_about_it = (self.is_about_it)(work);
        let has_something = work.refinable.is_some();
        let mut intents = vec!["INITIAL"];
        if has_something {
            intents.extend(["REFINEMENT", "QUESTION", "UNDO"]);
        }
        if !is_about_it {
            intents.push("IRRELEVANT");
        }
        let stages = self.stages().into_iter().map(|stage| json!(stage));
        let mut wanted = Wanted::of(of::<Classified>())
            .one_of("intent", intents.into_iter().map(Value::from))
            .one_of("targetStage", stages.chain([Value::Null]))
            .text("reason", 1, chars(work, REASON_CHARS))
            .one_of(
                "confidence",
                (0..=10).map(|tenths| json!(f64::from(tenths) / 10.0)),
            )
            .text("reply", 0, chars(work, REPLY_CHARS));
        let count = titles(work, self.vocabulary).len();
        if count == 0 {
            wanted = wanted.without("parts").without("newOrder");
        }
        if !self.orders() || count > PARTS_MAX {
            wanted = wanted.without("newOrder");
        }
        if !has_something {
            wanted = wanted.without("targetStage");
            if is_about_it {
                wanted = wanted.without("reply");
            }
        }
        let mut wanted = wanted.into_value();
        for (list, least, more) in [("parts", 1, 0), ("newOrder", NEW, ADDED_MAX)] {
            if let Some(list) = wanted["properties"].get_mut(list) {
                list["maxItems"] = json!(count + more);
                // Numbers beyond the existing parts are allowed too: such a number is refused in words, instead of being changed into the
                // number of the last part.
                list["items"] =
                    json!({ "type": "integer", "minimum": least, "maximum": NUMBER_MAX });
            }
        }
        wanted
    }

    fn vars(&self, work: &Work) -> Value {
        let shown = work.history.len().saturating_sub(HISTORY_SHOWN);
        let told = |speaker: Speaker| match speaker {
            Speaker::Person => "user",
            Speaker::System => "assistant",
        };
        let history: Vec<Value> = work.history[shown..]
            .iter()
            .map(|m| json!({ "speaker": told(m.speaker), "text": m.text.chars().take(HISTORY_CHARS).collect::<String>() }))
            .collect();
        let stages = self.vocabulary.stages();
        let stages: Vec<Value> = stages
            .map(|stage| json!({ "name": stage.name, "about": stage.about }))
            .collect();
        let sources: Vec<&str> = work
            .sources
            .iter()
            .map(|source| source.path.as_str())
            .collect();
        let known = work.refinable.as_ref().map(|made| {
            json!({
                "calls": made.spent.calls,
                "tokens": made.spent.input_tokens + made.spent.output_tokens,
                "cost_millionths": made.spent.cost_micros,
                "pictures_are_drawn": work.settings.ports.images,
                "is_a_changed_version": made.before.is_some(),
            })
        });
        json!({
            "makes": self.makes,
            "stages": stages,
            "history": history,
            "parts": self.parts(work),
            "orders": self.orders(),
            "known": known.map(|known| known.to_string()),
            "attachments": sources,
        })
    }

    /// The answer as it can be used, or what is wrong with it.
    fn checked(
        &self,
        model: &str,
        answer: &Answer,
        schema: &Value,
        work: &Work,
        ruled: &IntentOutput,
    ) -> Result<IntentOutput, Vec<Violation>> {
        let shape = of::<Classified>();
        let (answer, _) = asking::read_wanted::<Classified>(answer, schema, put_in, |_| shape)?;
        let mut found = vec![];
        let stages = self.stages();
        let target = answer
            .target_stage
            .as_deref()
            .map(str::trim)
            .filter(|target| !target.is_empty());
        let known = target.is_some_and(|target| stages.contains(&target));
        if answer.intent == Class::Refinement && !known {
            let says = format!("must be one of {}", stages.join(", "));
            found.push(Violation::new("/targetStage", says));
        }
        let count = u32::try_from(titles(work, self.vocabulary).len()).unwrap_or(u32::MAX);
        found.extend(misordered(&answer.new_order, count));
        let reply = answer.reply.filter(|reply| !reply.trim().is_empty());
        // The rules have a reply for it where they understand the message in the same way.
        let reply = reply.or_else(|| ruled.reply.clone());
        let needs_reply = matches!(answer.intent, Class::Irrelevant | Class::Question);
        if needs_reply && reply.is_none() {
            found.push(Violation::new(
                "/reply",
                "is missing: an irrelevant message and a question are answered with a friendly sentence",
            ));
        }
        if !found.is_empty() {
            return Err(found);
        }
        // Where nothing has been made there is nothing to change.
        let intent = match answer.intent {
            Class::Refinement if work.refinable.is_some() => Intent::Refinement,
            Class::Initial | Class::Refinement => Intent::Initial,
            Class::Irrelevant | Class::Question | Class::Undo => Intent::Irrelevant,
        };
        let output = IntentOutput {
            confidence: answer.confidence,
            by: model.to_owned(),
            reply: reply.filter(|_| intent == Intent::Irrelevant),
            ..IntentOutput::by_rules(intent, answer.reason)
        };
        if answer.intent == Class::Undo {
            return Ok(undone(work, &output));
        }
        if intent != Intent::Refinement {
            return Ok(output);
        }
        if let Some(beyond) = answer
            .parts
            .iter()
            .find(|part| **part == 0 || **part > count)
        {
            let reply = beyond_what_is_there(work, self.vocabulary, *beyond);
            return Ok(IntentOutput {
                intent: Intent::Irrelevant,
                reply: Some(reply),
                ..output
            });
        }
        let names = |places: &[u32]| -> Vec<String> { places.iter().map(u32::to_string).collect() };
        // The parts that a new part is made from, or is put beside, are not made again.
        let parts = if answer.new_order.contains(&NEW) {
            vec![]
        } else {
            names(&answer.parts)
        };
        let by_model = IntentOutput {
            target: target.map(Into::into),
            items: parts,
            order: names(reordered(&answer.new_order, count)),
            // The language of the run is found by rules and not taken from the model's answer.
            language: wanted_language(&work.brief)
                .filter(|_| answer.parts.is_empty())
                .map(str::to_owned),
            ..output
        };
        Ok(self.smaller(by_model, ruled))
    }

    /// Of two readings of a change the smaller one: the parts that the message names by their numbers or titles, where the model names
    /// none; and the later stage, where the reading without a model is sure of it.
    fn smaller(&self, by_model: IntentOutput, ruled: &IntentOutput) -> IntentOutput {
        let is_plain = |output: &IntentOutput| {
            output.intent == Intent::Refinement
                && output.order.is_empty()
                && output.language.is_none()
        };
        if !is_plain(&by_model) || !is_plain(ruled) {
            return by_model;
        }
        let stages = self.stages();
        let place = |output: &IntentOutput| {
            let mut stages = stages.iter();
            stages.position(|stage| output.target.as_deref() == Some(stage))
        };
        let names_parts = by_model.items.is_empty() && !ruled.items.is_empty();
        let is_later = by_model.items == ruled.items
            && ruled.confidence >= SURE
            && place(ruled) > place(&by_model);
        if !names_parts && !is_later {
            return by_model;
        }
        let item_stages = self.vocabulary.item_stages;
        let can_be_of_parts = by_model
            .target
            .as_deref()
            .is_some_and(|target| item_stages.contains(&target));
        IntentOutput {
            target: if names_parts && can_be_of_parts {
                by_model.target
            } else {
                ruled.target.clone()
            },
            items: ruled.items.clone(),
            reason: format!(
                "{}; of two readings the smaller change is made",
                by_model.reason
            ),
            ..by_model
        }
    }
}

/// What is wrong with an order of parts: each part has to exist and be listed at most once, or be new.
fn misordered(order: &[u32], count: u32) -> Vec<Violation> {
    let mut seen = vec![];
    let mut found = vec![];
    for part in order.iter().filter(|part| **part != NEW) {
        if *part > count {
            found.push(Violation::new(
                "/newOrder",
                format!("there is no {part}: the numbers go from 1 to {count}"),
            ));
        } else if seen.contains(part) {
            found.push(Violation::new("/newOrder", format!("names {part} twice")));
        }
        seen.push(*part);
    }
    found
}

/// Adds the fields that were not asked for, and keeps the confidence within its bounds.
fn put_in(answer: &mut Value) {
    let Some(fields) = answer.as_object_mut() else {
        return;
    };
    for name in ["targetStage", "reply"] {
        fields.entry(name).or_insert(Value::Null);
    }
    for name in ["parts", "newOrder"] {
        let list = fields.entry(name).or_insert(json!([]));
        if list.is_null() {
            *list = json!([]);
        }
    }
    if let Some(confidence) = fields.get("confidence").and_then(Value::as_f64) {
        fields.insert("confidence".to_owned(), json!(confidence.clamp(0.0, 1.0)));
    }
}
