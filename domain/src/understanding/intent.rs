//! What follows from how a message is meant.

use super::answers;
use super::items::{NEW, reordered};
use super::rules::{Change, Meaning, Reading, Said, UNDERSTOOD, Vocabulary, readings};
use crate::carry::{IntentOutput, Refinable, Work};
use crate::event::Intent;
use crate::flow::RULES;

/// The reason that is recorded where nothing is made because the message only complains.
pub(super) const COMPLAINT: &str = "the message says that something is not right, and not what";

/// The same where it is not clear how the message is meant.
pub(super) const UNCLEAR: &str = "it is not clear how the message is meant";

/// What a pipeline answers to somebody who only chats.
pub type Greeting = fn(chinese: bool, refinable: bool) -> &'static str;

/// The message of a run, understood without a model; `is_about` where something came with it that is for the product.
pub fn by_rules(
    work: &Work,
    vocabulary: &Vocabulary,
    greeting: Greeting,
    is_about: bool,
) -> IntentOutput {
    let titles = titles(work, vocabulary);
    let said = Said {
        text: &work.brief,
        refinable: work.refinable.is_some(),
        resumable: work.resumable,
        is_about,
        titles: &titles,
    };
    let chinese = work.is_chinese();
    let output = |intent, confidence, reason: &str| IntentOutput {
        confidence,
        by: RULES.to_owned(),
        ..IntentOutput::by_rules(intent, reason)
    };
    let replied = |confidence, reason: &str, reply: String| IntentOutput {
        reply: Some(reply),
        ..output(Intent::Irrelevant, confidence, reason)
    };
    let greeted = || greeting(chinese, said.refinable).to_owned();
    let [first, second] = readings(&said, vocabulary);
    let confidence = rounded(first.confidence);
    if said.refinable && !is_about && first.confidence < UNDERSTOOD {
        let reply = asked_which(&[&first, &second], vocabulary, chinese);
        return replied(confidence, UNCLEAR, reply);
    }
    match first.meaning {
        // Files without any words are a request by themselves.
        Meaning::Talk if work.brief.trim().is_empty() && !work.sources.is_empty() => output(
            Intent::Initial,
            0.8,
            "only sources were sent: something is made from them",
        ),
        Meaning::Talk => replied(
            confidence,
            "the message is small talk and asks for nothing",
            greeted(),
        ),
        Meaning::GoOn if said.resumable => output(
            Intent::Resumption,
            confidence,
            "the message asks to go on with what stopped",
        ),
        Meaning::GoOn => replied(
            confidence,
            "the message asks to go on, and nothing has stopped",
            greeted(),
        ),
        Meaning::Question { places } => replied(
            confidence,
            "the message asks about what is there",
            answers::answer(work, vocabulary, &places),
        ),
        Meaning::Complaint => replied(confidence, COMPLAINT, asked_what(chinese)),
        Meaning::Undo => undone(
            work,
            &output(
                Intent::Irrelevant,
                confidence,
                "the message wants back what was before",
            ),
        ),
        Meaning::New if said.refinable => output(
            Intent::Initial,
            confidence,
            "the message asks for something new",
        ),
        Meaning::New => output(
            Intent::Initial,
            1.0,
            "nothing has been made yet that could be changed",
        ),
        Meaning::Change(change) => {
            changed(work, vocabulary, &change, &titles, &|intent, reason| {
                output(intent, confidence, reason)
            })
        }
    }
}

/// The titles of the items that there are.
pub(super) fn titles(work: &Work, vocabulary: &Vocabulary) -> Vec<String> {
    let made = work.refinable.as_ref();
    made.map(|made| answers::titles(made, vocabulary.items.as_ref()))
        .unwrap_or_default()
}

/// How a message is understood that wants the version before the current one back.
pub(super) fn undone(work: &Work, output: &IntentOutput) -> IntentOutput {
    let back_to = work
        .refinable
        .as_ref()
        .and_then(|made: &Refinable| made.before);
    let reply = match (back_to, work.is_chinese()) {
        (Some(_), true) => "已回到上一个版本。后来的版本还在历史里，也可以再切换回去。",
        (Some(_), false) => {
            "This is the version before again. The later one is still in the history, and can be gone back to."
        }
        (None, true) => "这已经是最早的版本，前面没有可以退回的。",
        (None, false) => "This is the first version: there is none before it.",
    };
    IntentOutput {
        back_to,
        reply: Some(reply.to_owned()),
        ..output.clone()
    }
}

/// What is asked of somebody who says that something is not right: a guess would make everything anew and cost money.
fn asked_what(chinese: bool) -> String {
    if chinese {
        "哪里不合适？请说得具体一点，比如“第3页字太多”“换一种配色”“再短一些”。在此之前什么都不会改；要整个重做，请说“全部重做”。"
    } else {
        "What is not right? Please say what to change, such as “page 3 has too much text”, “other colours” or “shorter”. Nothing is changed \
         before that; to have all of it made anew, say “redo everything”."
    }
    .to_owned()
}

/// A confidence as it is recorded, in hundredths.
fn rounded(confidence: f64) -> f64 {
    (confidence * 100.0).round() / 100.0
}

/// What is asked where two readings are likely, and none is enough.
fn asked_which(likely: &[&Reading; 2], vocabulary: &Vocabulary, chinese: bool) -> String {
    let [one, other] = likely.map(|reading| wished(&reading.meaning, vocabulary, chinese));
    if chinese {
        format!(
            "我没有把握这句话是什么意思：是{one}，还是{other}？请换个说法或再说具体一点；在此之前什么都不会改。"
        )
    } else {
        format!(
            "I am not sure what is meant: {one}, or {other}? Please say it in other words or more precisely. Nothing is changed before that."
        )
    }
}

/// What is done if a message is meant so, as a part of a question.
fn wished(meaning: &Meaning, vocabulary: &Vocabulary, chinese: bool) -> String {
    let (zh, en) = match meaning {
        Meaning::New => ("另做一份新的", "to make something new"),
        Meaning::Question { .. } => (
            "问现有内容的情况",
            "to answer a question about what is there",
        ),
        Meaning::Talk => ("只是聊聊", "only to talk"),
        Meaning::Complaint => (
            "不满意，但还没说哪里",
            "to change something that you have not named yet",
        ),
        Meaning::GoOn => ("接着做", "to go on"),
        Meaning::Undo => ("退回上一个版本", "to go back to the version before"),
        Meaning::Change(change) => {
            let mut stages = vocabulary.stages();
            let stage = stages.find(|stage| stage.name == change.stage);
            let (zh, en) = stage.map_or(("现有内容", "what is there"), |stage| stage.called);
            return if chinese {
                format!("改{zh}")
            } else {
                format!("to change {en}")
            };
        }
    };
    if chinese { zh } else { en }.to_owned()
}

fn changed(
    work: &Work,
    vocabulary: &Vocabulary,
    change: &Change,
    titles: &[String],
    output: &dyn Fn(Intent, &str) -> IntentOutput,
) -> IntentOutput {
    if let Some(beyond) = change.items.beyond.filter(|_| !titles.is_empty()) {
        let reply = beyond_what_is_there(work, vocabulary, beyond);
        return IntentOutput {
            reply: Some(reply),
            ..output(
                Intent::Irrelevant,
                "the message is about a part that there is not",
            )
        };
    }
    let of_items = vocabulary.item_stages;
    let is_of_items = of_items.is_empty() || of_items.contains(&change.stage);
    if change.items.unread && is_of_items && !titles.is_empty() {
        return IntentOutput {
            reply: Some(which_are_meant(work, vocabulary)),
            ..output(
                Intent::Irrelevant,
                "the message seems to be about some parts, and about which is not understood",
            )
        };
    }
    let names = |places: &[u32]| places.iter().map(u32::to_string).collect();
    let of_items = vocabulary.items.filter(|_| !titles.is_empty());
    let order = change
        .items
        .order
        .as_ref()
        .zip(of_items)
        .map(|(order, _)| order)
        // Without a model, nothing can write a new part alone.
        .filter(|order| !(order.contains(&NEW) && work.settings.ports.is_offline()))
        .filter(|order| {
            let count = u32::try_from(titles.len()).unwrap_or(u32::MAX);
            !reordered(order, count).is_empty()
        });
    let reason = match order {
        Some(_) => {
            "the message leaves parts out, moves them, makes one of several, or wants one more"
                .to_owned()
        }
        None => format!(
            "the message is feedback; the earliest stage it touches is `{}`",
            change.stage
        ),
    };
    IntentOutput {
        target: Some(change.stage.into()),
        items: names(&change.items.places),
        order: order.map(|order| names(order)).unwrap_or_default(),
        language: change.language.map(str::to_owned),
        ..output(Intent::Refinement, &reason)
    }
}

/// What is asked where a message seems to name pages.
fn which_are_meant(work: &Work, vocabulary: &Vocabulary) -> String {
    let (zh, en) = vocabulary.called();
    if work.is_chinese() {
        format!("没有读懂是哪几{zh}：请用数字说明，例如“第 2、5 {zh}”；如果是全部，也请说明。")
    } else {
        format!(
            "It is not clear which {en} are meant. Please say their numbers, such as \"2 and 5\", or that all are."
        )
    }
}

/// What is answered about a page that does not exist.
pub(super) fn beyond_what_is_there(work: &Work, vocabulary: &Vocabulary, beyond: u32) -> String {
    let count = titles(work, vocabulary).len();
    let (zh, en) = vocabulary.called();
    if work.is_chinese() {
        format!("没有第 {beyond} {zh}：现在一共只有 {count} {zh}。请说明要改的是哪一{zh}。")
    } else {
        format!(
            "There is no number {beyond}: there are {count} {en}. Please say which one is meant."
        )
    }
}
