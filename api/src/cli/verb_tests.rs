//! A verb of a program that is not this one: listed, called, and ended with its exit code.

use std::collections::BTreeSet;

use async_trait::async_trait;
use clap::Parser;

use super::*;
use crate::server::Builder;
use crate::testing::LETTER;

/// Ask the API for something, and say whether it is there
#[derive(Parser, Debug)]
#[command(name = "look")]
struct Look {
    /// Where it stands
    path: String,
    /// Something has to be there
    #[arg(long, env = "PALIMPSEST_STRICT")]
    strict: bool,
}

struct LookVerb;

#[async_trait(?Send)]
impl Verb for LookVerb {
    fn command(&self) -> clap::Command {
        Look::command()
    }

    fn failures(&self) -> &'static [FailedWhen] {
        const FAILURES: [FailedWhen; 1] = [FailedWhen {
            subject: "`look`",
            predicate: "found nothing",
        }];
        &FAILURES
    }

    async fn call(&self, given: &ArgMatches, context: VerbContext) -> Result<Exit, Failure> {
        let Look { path, strict } = Look::from_arg_matches(given)?;
        let host = context.host().await?;
        let found = match strict {
            true => host.client.get(&path).await.map(Some),
            false => host.client.find(&path).await,
        };
        assert!(host.is_here(), "nobody serves this log");
        host.leave().await;
        Ok(match found? {
            Some(_) => Exit::Done,
            None => Exit::Failed,
        })
    }
}

/// The same with the name of a command that every program has.
struct RunVerb;

#[async_trait(?Send)]
impl Verb for RunVerb {
    fn command(&self) -> clap::Command {
        clap::Command::new("run")
    }

    async fn call(&self, _: &ArgMatches, _: VerbContext) -> Result<Exit, Failure> {
        Ok(Exit::Done)
    }
}

fn builder() -> Builder {
    Server::builder().pipeline(LETTER).verb(&LookVerb)
}

fn server() -> Server {
    builder().build().expect("it goes together")
}

#[test]
fn a_verb_stands_in_the_help_behind_the_commands_of_sessions() {
    let help = command(&server()).render_help().to_string();
    let at = |text: &str| {
        help.find(text)
            .unwrap_or_else(|| panic!("{text} is not in {help}"))
    };
    let verb = at("  look        Ask the API for something, and say whether it is there\n");
    assert!(at("  export ") < verb && verb < at("  models "), "{help}");
    at("  1    the run failed, a model did not answer, or `look` found nothing\n");
}

#[test]
fn the_names_of_commands_are_those_that_every_program_has() {
    let mut command = command(&server());
    command.build();
    let names = command.get_subcommands().map(clap::Command::get_name);
    let names: BTreeSet<_> = names.filter(|name| *name != "look").collect();
    assert_eq!(names, BTreeSet::from(verb::COMMANDS));
}

#[test]
fn two_commands_of_one_name_are_refused() {
    let refused = |verb: &'static dyn Verb| {
        let built = builder().verb(verb).build().map(|_| ());
        built.expect_err("it does not go together").to_string()
    };
    assert!(refused(&LookVerb).contains("two commands named `look`"));
    assert!(refused(&RunVerb).contains("two commands named `run`"));
}

#[tokio::test]
async fn a_verb_asks_the_api_in_this_process_and_ends_with_its_code() {
    let place = tempfile::tempdir().expect("a folder");
    let folder = place.path().display();
    let (data, database) = (
        format!("--data={folder}/data"),
        format!("--database=sqlite:{folder}/log.db"),
    );
    let ended = async |arguments: &[&str]| {
        let given = ["letters", &data, &database, "look"];
        let given = given.iter().chain(arguments);
        let found = command(&server()).try_get_matches_from(given);
        let given = found.and_then(|found| read(&server(), &found));
        let done = dispatch(server(), given.expect("right"));
        Box::pin(done).await.map_err(|failure| failure.exit)
    };
    assert_eq!(ended(&["/v1/sessions"]).await, Ok(Exit::Done));
    let nothing = "/v1/sessions/nobody";
    assert_eq!(ended(&[nothing]).await, Ok(Exit::Failed));
    assert_eq!(ended(&[nothing, "--strict"]).await, Err(Exit::Usage));
}
