//! Messages with what is expected of each, for the tests of products.

use serde::Deserialize;

use super::rules::{Meaning, Said, Vocabulary, understood};

#[derive(Debug, Deserialize)]
struct Message {
    said: String,
    /// Whether something was made before.
    after: bool,
    intent: String,
    stages: Vec<String>,
    items: Vec<u32>,
    kind: Option<String>,
    lang: String,
}

/// How many of a hundred messages may be misunderstood.
const WRONG_PERCENT: usize = 5;

/// Holds a product to a list of messages in JSON, each with `said`, `after` (whether something was made before), `intent`, `stages` of which
/// one is meant, `items`, `kind` and `lang`. The titles of the items are those of a language, such as `zh`.
///
/// # Panics
///
/// If more than five of a hundred are misunderstood, or this is no such list.
pub fn hold_messages(
    messages: &str,
    vocabulary: &Vocabulary,
    titles: impl Fn(&str) -> Vec<&'static str>,
) {
    let messages: Vec<Message> = serde_json::from_str(messages).expect("a list of messages");
    let is_wrong = |message: &&Message| {
        let titles = titles(&message.lang).into_iter().map(str::to_owned);
        let titles: Vec<String> = titles.filter(|_| message.after).collect();
        !message.is_understood(vocabulary, &titles)
    };
    let wrong: Vec<&Message> = messages.iter().filter(is_wrong).collect();
    assert!(
        wrong.len() * 100 <= messages.len() * WRONG_PERCENT,
        "{} of {} are misunderstood: {wrong:#?}",
        wrong.len(),
        messages.len()
    );
}

impl Message {
    fn is_understood(&self, vocabulary: &Vocabulary, titles: &[String]) -> bool {
        let said = Said {
            text: &self.said,
            refinable: self.after,
            is_about: false,
            resumable: self.intent == "go_on",
            titles,
        };
        match (understood(&said, vocabulary), self.intent.as_str()) {
            (Meaning::New, "new")
            | (Meaning::Talk, "talk")
            | (Meaning::GoOn, "go_on")
            | (Meaning::Undo, "undo") => true,
            (Meaning::Question { places }, "answer") => places == self.items,
            (Meaning::Change(change), "refine") => {
                let is_ordered = matches!(self.kind.as_deref(), Some("remove" | "move"));
                let is_stage = self.stages.iter().any(|stage| stage == change.stage);
                (is_ordered || is_stage) && change.items.places == self.items
            }
            _ => false,
        }
    }
}
