//! Messages with what is expected of each, for the tests of products.

use serde::Deserialize;

use super::rules::{Meaning, Said, Vocabulary, understood};

#[derive(Deserialize)]
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
    let wrong = messages.iter().filter_map(|message| {
        let titles = titles(&message.lang).into_iter().map(str::to_owned);
        wrong(message, vocabulary, &titles.collect::<Vec<_>>())
    });
    let wrong: Vec<String> = wrong.collect();
    assert!(
        wrong.len() * 100 <= messages.len() * WRONG_PERCENT,
        "{} of {} are misunderstood: {wrong:#?}",
        wrong.len(),
        messages.len()
    );
}

fn wrong(message: &Message, vocabulary: &Vocabulary, titles: &[String]) -> Option<String> {
    let said = Said {
        text: &message.said,
        refinable: message.after,
        is_about: false,
        resumable: message.intent == "go_on",
        titles: if message.after { titles } else { &[] },
    };
    let meaning = understood(&said, vocabulary);
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
