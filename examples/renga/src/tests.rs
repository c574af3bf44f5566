//! The pipeline from words and a message to its sheet, in memory.

use palimpsest::prelude::wire::Actor;
use palimpsest::prelude::*;
use palimpsest::trial::{Trial, wire_laws};

use crate::server;
use crate::wire::RengaWire;
use crate::words::{SeasonWord, kept};

const WORDS: &str = "autumn: harvest moon\n\nspring: frog\nsummer: sudden rain\n";

async fn asked_about(text: &str) -> Trial {
    let trial = server().expect("it goes together").trial().await;
    let words = SeasonWord::read_lines(WORDS).expect("they are well written");
    let words = words.into_iter().map(SeasonWord::document).collect();
    let (collections, actor) = (trial.collections(), Actor::person(trial.owner()));
    let collection = kept();
    let import = collections.import(trial.owner(), &collection, "", words, "k", actor);
    import.await.expect("they are taken");
    trial.say("renga", text).await;
    trial
}

#[tokio::test]
async fn each_season_word_has_a_verse_and_the_sheet_has_all() {
    let trial = asked_about("Rain on the old pond").await;
    let sheet = trial.json("renga").await.expect("a sheet");
    let lines = |verse: usize| sheet["verses"][verse]["lines"].clone();
    // The word that the message has comes first.
    let first = json!(["sudden rain", "Rain on the old pond", "summer"]);
    assert_eq!(lines(0), first);
    assert_eq!(sheet["found_by"], "words");
    let frames = trial.frames::<RengaWire>().await;
    let verse = json!({ "number": "1", "of": 3, "lines": first });
    assert_eq!(frames[0], ("verse", verse));
    let end = json!({ "outcome": "completed", "verses": 3 });
    assert_eq!(frames.last(), Some(&("end", end)));
    wire_laws::<RengaWire>(&trial.log().await);
}

#[tokio::test]
async fn without_words_a_run_says_how_to_load_some() {
    let trial = server().expect("it goes together").trial().await;
    trial.say("renga", "Rain").await;
    let frames = trial.frames::<RengaWire>().await;
    let end = json!({ "outcome": "failed", "verses": 0 });
    assert_eq!(frames, [("end", end)]);
}

#[test]
fn a_line_that_is_not_written_like_the_others_is_named() {
    let wrong = SeasonWord::read_lines("autumn: moon\nfrog\n").expect_err("no season");
    assert!(wrong.starts_with("line 2 "), "{wrong}");
}
