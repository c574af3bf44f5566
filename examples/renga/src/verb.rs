//! The command `words`: loads season words from a file and lists those that are there.

use std::path::PathBuf;

use palimpsest::prelude::json;
use palimpsest::prelude::verb::clap::{Arg, ArgMatches, Command, value_parser};
use palimpsest::prelude::verb::*;

use crate::words::SeasonWord;

pub(crate) struct Words;

#[async_trait(?Send)]
impl Verb for Words {
    fn command(&self) -> Command {
        let file = Arg::new("file")
            .required(true)
            .value_parser(value_parser!(PathBuf));
        Command::new("words")
            .about("Load and list the season words of renga")
            .subcommand_required(true)
            .subcommand(
                Command::new("load")
                    .about("Load words from a file; nothing of it is taken where a line is wrong")
                    .arg(file.help("A line for each word, such as `autumn: harvest moon`")),
            )
            .subcommand(Command::new("list").about("List words, by season"))
    }

    async fn call(&self, given: &ArgMatches, context: VerbContext) -> Result<Exit, Failure> {
        let file = given.subcommand_matches("load");
        let file = file.and_then(|load| load.get_one::<PathBuf>("file"));
        // Errors in the file are told before a log is opened.
        let words = file.map(read).transpose()?;
        let host = context.host().await?;
        let done = match &words {
            Some(words) => load(&host.client, words).await,
            None => list(&host.client).await,
        };
        host.leave().await;
        done.map(|()| Exit::Done)
    }
}

fn read(file: &PathBuf) -> Result<Vec<SeasonWord>, Failure> {
    let name = file.display();
    let text = std::fs::read_to_string(file)
        .map_err(|error| Failure::usage(format!("{name} cannot be read: {error}")))?;
    SeasonWord::read_lines(&text).map_err(|wrong| Failure::usage(format!("{name}: {wrong}")))
}

async fn load(client: &Client, words: &[SeasonWord]) -> Result<(), Failure> {
    let answer = client
        .post("/api/season_words", &json!({ "words": words }))
        .await?;
    out::line(&format!(
        "{} words, {} of them new",
        words.len(),
        answer["added"]
    ))
}

async fn list(client: &Client) -> Result<(), Failure> {
    let listed = client.get("/api/season_words").await?;
    for word in listed.as_array().into_iter().flatten() {
        let text = |field: &str| word[field].as_str().unwrap_or_default();
        out::line(&format!("{}: {}", text("season"), text("word")))?;
    }
    Ok(())
}
