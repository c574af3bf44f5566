//! Messages about reports, of many kinds of people, with what is expected of each.

use palimpsest::prelude::pipeline::understanding::rules::{Meaning, Said, understood};
use serde::Deserialize;

use crate::steps::vocabulary::VOCABULARY;

#[derive(Deserialize)]
struct Message {
    said: String,
    after: bool,
    intent: String,
    stages: Vec<String>,
    items: Vec<u32>,
    kind: Option<String>,
    lang: String,
}

const TITLES_ZH: [&str; 6] = ["摘要", "背景", "销售数据", "问题", "建议", "附录"];
const TITLES_EN: [&str; 6] = [
    "Summary",
    "Background",
    "Sales figures",
    "Problems",
    "Recommendations",
    "Appendix",
];

fn wrong(message: &Message) -> Option<String> {
    let titles = [TITLES_EN, TITLES_ZH][usize::from(message.lang == "zh")].map(str::to_owned);
    let said = Said {
        text: &message.said,
        refinable: message.after,
        is_about: false,
        resumable: message.intent == "go_on",
        titles: if message.after { &titles } else { &[] },
    };
    let meaning = understood(&said, &VOCABULARY);
    let is_right = match (&meaning, message.intent.as_str()) {
        (Meaning::New, "new")
        | (Meaning::Talk, "talk")
        | (Meaning::GoOn, "go_on")
        | (Meaning::Undo, "undo") => true,
        (Meaning::Question { places }, "answer") => *places == message.items,
        (Meaning::Change(change), "refine") => {
            let is_ordered = matches!(message.kind.as_deref(), Some("remove" | "move"));
            (is_ordered || message.stages.iter().any(|stage| stage == change.stage))
                && change.items.places == message.items
        }
        _ => false,
    };
    (!is_right).then(|| {
        format!(
            "{:?}: {} {:?} {:?}, and not {meaning:?}",
            message.said, message.intent, message.stages, message.items
        )
    })
}

/// How many of a hundred messages the rules alone may misunderstand.
const WRONG_PERCENT: usize = 5;

#[test]
fn messages_are_understood_by_rules() {
    let text = include_str!("messages.json");
    let messages: Vec<Message> = serde_json::from_str(text).expect("JSON");
    let wrong: Vec<String> = messages.iter().filter_map(wrong).collect();
    assert!(
        wrong.len() * 100 <= messages.len() * WRONG_PERCENT,
        "{} of {} are misunderstood: {wrong:#?}",
        wrong.len(),
        messages.len()
    );
}
