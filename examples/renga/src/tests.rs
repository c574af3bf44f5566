//! The pipeline from a message to its sheet, in memory.

use palimpsest::prelude::*;
use palimpsest::trial::Trial;

use crate::server;
use crate::wire::RengaWire;

async fn asked_about(text: &str) -> Trial {
    let trial = server().expect("it goes together").trial().await;
    trial.say("renga", text).await;
    trial
}

#[tokio::test]
async fn each_season_word_has_a_verse_and_the_sheet_has_all() {
    let trial = asked_about("Rain on the old pond").await;
    let sheet = trial.json("renga").await.expect("a sheet");
    let lines = |verse: usize| sheet["verses"][verse]["lines"].clone();
    assert_eq!(lines(0), json!(["mist", "Rain on the old pond", "spring"]));
    assert_eq!(lines(1), json!(["frog", "Rain on the old pond"]));
    let frames = trial.frames::<RengaWire>().await;
    let names: Vec<_> = frames.iter().map(|(name, _)| *name).collect();
    assert_eq!(names, ["verse", "verse", "end"]);
    let verse = json!({ "number": "1", "of": 2, "lines": lines(0) });
    assert_eq!(frames[0], ("verse", verse));
    assert_eq!(frames[2].1, json!({ "outcome": "completed", "verses": 2 }));
}
