//! The pipeline from a message to its sheet, in memory.

use palimpsest::prelude::*;
use palimpsest::trial::{Trial, wire_laws};

use crate::wire::HaikuWire;
use crate::{poem, server};

/// The program after it was asked for a poem about this text.
async fn asked_about(text: &str) -> Trial {
    let trial = server().expect("it goes together").trial().await;
    trial.say("haiku", text).await;
    trial
}

#[tokio::test]
async fn a_poem_that_is_agreed_to_is_put_on_a_sheet() {
    let trial = asked_about("Rain on the old pond").await;
    let poem = trial.json("poem").await.expect("a poem");
    let poem = poem::in_metre(poem).expect("5, 7 and 5");
    let lines: Vec<_> = poem::lines(&poem).collect();
    assert!(lines[0].starts_with("Rain on the old pond"), "{lines:?}");
    assert!(trial.content("haiku").await.is_none(), "nobody agreed yet");
    trial.answer(json!({ "confirm": true })).await;
    let sheet = trial.content("haiku").await.expect("a sheet");
    assert_eq!(sheet.bytes, format!("{}\n", lines.join("\n")));
    let frames = trial.frames::<HaikuWire>().await;
    let expected = [
        ("poem", json!({ "lines": lines })),
        ("end", json!({ "outcome": "completed" })),
    ];
    assert_eq!(frames, expected);
    wire_laws::<HaikuWire>(&trial.log().await);
}

#[tokio::test]
async fn a_declined_poem_is_written_again_with_what_was_said() {
    let trial = asked_about("Rain").await;
    let no = json!({ "confirm": false, "feedback": "More thunder" });
    trial.answer(no).await;
    let poem = trial.json("poem").await.expect("another poem");
    let first = poem["lines"][0].as_str().expect("a line");
    assert!(first.starts_with("More thunder Rain"), "{first}");
    assert!(trial.question().await.is_some(), "it is asked again");
}

#[test]
fn a_line_of_another_length_is_sent_back_with_its_count() {
    let lines = json!({ "lines": ["An old silent pond", "A frog", "Splash! Silence again."] });
    let wrong = Violation::new("/lines/1", "has 2 syllables and needs 7");
    assert_eq!(poem::in_metre(lines), Err(vec![wrong]));
}
