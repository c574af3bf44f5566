//! The pipeline from a message to its sheet, in memory.

use palimpsest::prelude::*;
use palimpsest::trial::Trial;

use crate::server;
use crate::wire::RengaWire;
use crate::words::SeasonWord;

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

#[test]
fn a_file_of_words_is_read_line_by_line_and_a_wrong_line_is_named() {
    let word = |season: &str, word: &str| SeasonWord {
        word: word.to_owned(),
        season: season.to_owned(),
    };
    let read = SeasonWord::read("autumn: harvest moon\n\nspring: frog\n");
    assert_eq!(read, Ok(vec![word("autumn", "harvest moon"), word("spring", "frog")]));
    let wrong = SeasonWord::read("autumn: moon\nfrog\n").expect_err("no season");
    assert!(wrong.starts_with("line 2 "), "{wrong}");
}
