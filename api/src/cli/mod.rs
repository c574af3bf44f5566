//! The command line, one file a command. Answers go to the standard output, everything else to the standard error.

mod anchor;
mod asking;
mod backup;
mod cancel;
mod deliver;
mod described;
mod export;
mod follow;
mod fork;
mod frames;
mod host;
mod maintain;
mod models;
mod operations;
mod progress;
mod projects;
mod reading;
mod refine;
mod replay;
mod run;
mod serve;
mod sessions;
mod show;
mod sources;
mod summary;
mod verify;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use futures::FutureExt as _;
use tracing_subscriber::EnvFilter;

use crate::config::{
    Config, ConfigError, Contract, Environment, Flags, ProductTables, check_pipelines,
};
use crate::server::{BuildError, Server};
use crate::verb::{self, CommandHost, Exit, FailedWhen, Failure, Verb, VerbContext, out};

/// The end of the help of the program: what the codes mean, with what the verbs of the program add.
fn exits(server: &Server) -> String {
    let own = server.verbs.iter().flat_map(|verb| verb.failures());
    let failures = FailedWhen::listed(FAILURES.iter().chain(own).copied());
    format!(
        "\
Exit codes:
  0    done
  1    {failures}
  2    wrong usage or configuration
  3    the log is locked or cannot be used, or the server cannot be reached
  4    verify found a broken log, `anchor show` one that lost events, `restore` a damaged backup
  130  interrupted; it can be resumed"
    )
}

/// What makes the commands that every program has end with [`Exit::Failed`].
const FAILURES: [FailedWhen; 2] = [
    FailedWhen {
        subject: "the run",
        predicate: "failed",
    },
    FailedWhen {
        subject: "a model",
        predicate: "did not answer",
    },
];

const VARIABLES: &str = "\
Variables without a flag:
  OPENAI_BASE_URL, OPENAI_API_KEY  the model's provider; the address is used as given
  PALIMPSEST_MODEL_<ROLE>          the model of one role
  PALIMPSEST_SEARCH_KEY            the key of the search engine
  PALIMPSEST_IMAGES_KEY            the key of the provider of pictures, where it has its own
  PALIMPSEST_EMBEDDINGS_KEY        the key of the provider of vectors, where it has its own
  PALIMPSEST_STATE_KEYS            what exported states are signed with
  PALIMPSEST_KEYS                  who may ask a server: owner:secret,owner:secret
  PALIMPSEST_OPERATOR_KEY          who may read the metrics of a server that has keys
  PALIMPSEST_KEY                   the key with which commands ask a server that wants one
  PALIMPSEST_MASTER_KEY            64 hexadecimal digits in the place of the key file
  RUST_LOG                         what is logged to the standard error";

/// Makes things in stages with language models, and records everything that happens
#[derive(Parser, Debug)]
#[command(name = "palimpsest", version, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    /// Whose sessions, where this process reads or owns the log itself
    #[arg(long, env = "PALIMPSEST_OWNER", global = true, value_name = "NAME", default_value = crate::config::LOCAL_OWNER)]
    owner: String,
}

/// What is asked for: a command that every program has, or a verb of this one.
enum Asked {
    Command(Command),
    Verb(&'static dyn Verb, ArgMatches),
}

/// The place of the commands of an operator in the help, behind everything else.
const LAST: usize = 900;

// The commands that every program has. Verbs stand between those of sessions and those of an operator in the help. (A comment of
// documentation here would replace the description of the program.)
#[derive(Subcommand, Debug)]
enum Command {
    /// Serve clients over HTTP, WebSocket, SSE and Socket.IO
    Serve(serve::Serve),
    /// Make something here and now, with progress, into a folder
    Run(run::RunArgs),
    /// List sessions, newest first
    Sessions(sessions::Sessions),
    /// Show a session, now or as it was
    Show(show::Show),
    /// Show the frames of a session, and its state, up to any point
    Replay(replay::Replay),
    /// Branch a session off another one
    Fork(fork::Fork),
    /// Change something from a stage on, in a new run
    Refine(refine::Refine),
    /// Cancel what a session is doing
    Cancel(cancel::Cancel),
    /// Erase a session for good
    Delete(cancel::Delete),
    /// Write events as lines of JSON
    Export(export::Export),
    /// Show what the open steps of a server wait for
    #[command(display_order = LAST)]
    Operations(operations::OperationsArgs),
    /// Find out what the configured models take
    #[command(display_order = LAST + 1)]
    Models(models::Models),
    /// Compute the chain of the log again and compare
    #[command(display_order = LAST + 2)]
    Verify(verify::Verify),
    /// Show what is known of the end of the log outside of it, and accept a log that lost events
    #[command(display_order = LAST + 3)]
    Anchor(anchor::Anchor),
    /// Copy the log with its large blobs and keys into a folder, also while it is in use
    ///
    /// The copy is the log as it is at one moment. What waits in the spool, and uploads that no message has yet, are not in it.
    #[command(display_order = LAST + 4)]
    Backup(backup::BackupArgs),
    /// Make a log out of a backup, in a database and a data folder that are empty
    ///
    /// The database, the data folder and the place for blobs are those of the settings. All files of the backup are compared with their
    /// sums first.
    #[command(display_order = LAST + 5)]
    Restore(backup::RestoreArgs),
    /// Bring the database to this version's schema
    #[command(display_order = LAST + 6)]
    Migrate,
    /// List the settings that every command takes
    #[command(display_order = LAST + 7)]
    Settings,
}

/// The settings that every command gets.
struct Settings {
    config: Config,
    owner: crate::keys::Owner,
    server: Server,
}

impl Settings {
    /// The same for a verb.
    fn into_context(self) -> VerbContext {
        let (config, owner) = (self.config.clone(), self.owner.clone());
        let open = || CommandHost::find(self).boxed_local();
        VerbContext::new(config, owner, Box::new(open))
    }
}

/// A command line that was read.
struct Given {
    cli: Cli,
    asked: Asked,
    own: OwnSettings,
}

/// Runs a program: reads its command line and carries out the command.
pub fn main(server: Result<Server, BuildError>) -> ExitCode {
    let server = match server {
        Ok(server) => server,
        Err(error) => {
            out::error(&format!("the program is not put together right: {error}"));
            return Exit::Usage.into();
        }
    };
    out::call(server.name);
    out::tell_panics();
    verb::keep_private();
    let parsed = command(&server).try_get_matches();
    let given = match parsed.and_then(|found| read(&server, &found)) {
        Ok(given) => given,
        Err(error) => {
            // The library returns help and version as errors, too.
            out::usage(&error);
            return if error.use_stderr() {
                Exit::Usage.into()
            } else {
                Exit::Done.into()
            };
        }
    };
    log_to_stderr(&given.asked);
    let runtime = match crate::threads::runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            out::error(&format!("the runtime cannot start: {error}"));
            return Exit::Unusable.into();
        }
    };
    let done = runtime.block_on(Box::pin(dispatch(server, given)));
    // Do not wait for a task that hangs in the file system.
    runtime.shutdown_timeout(std::time::Duration::from_secs(1));
    match done {
        Ok(exit) => exit.into(),
        Err(failure) => {
            out::error(&failure.message);
            failure.exit.into()
        }
    }
}

/// The command line of a program. Its help names the pipelines and wires of this program.
pub fn command(server: &Server) -> clap::Command {
    let pipelines: Vec<_> = server.pipelines.iter().map(|p| p.name()).collect();
    let wires: Vec<_> = server.wires().names().collect();
    let pipelines = format!("The pipeline: {}", pipelines.join(", "));
    let wires = format!("The protocol: {}", wires.join(", "));
    let protocols = server.protocols.iter();
    let cli = Command::augment_subcommands(Cli::command())
        .subcommand_required(true)
        .arg_required_else_help(true)
        .subcommands(server.verbs.iter().map(|verb| verb.command()));
    // The flags of a protocol or a product would replace the description of the program.
    let about = cli.get_about().cloned().unwrap_or_default();
    let command = protocols.fold(cli, |command, protocol| protocol.flags(command));
    let products = server.settings.iter();
    let command = products.fold(command, |command, product| (product.flags)(command));
    let command = without_values(command)
        .about(about)
        .name(server.name)
        .after_help(exits(server))
        .mut_subcommand("run", |run| {
            run.mut_arg("pipeline", |pipeline| pipeline.help(pipelines))
        })
        .mut_subcommand("replay", |replay| {
            replay.mut_arg("wire", |wire| wire.help(wires))
        });
    with_settings_apart(command, server.name)
}

/// The same with the settings of all commands in the help of `settings` alone. Every other help ends with a line that says so.
fn with_settings_apart(command: clap::Command, program: &str) -> clap::Command {
    let settings = command.get_arguments().filter(|it| it.is_global_set());
    let settings: Vec<_> = settings.cloned().collect();
    let hidden = command.mut_args(|argument| match argument.is_global_set() {
        true => argument.hide(true),
        false => argument,
    });
    let line = format!("`{program} help settings` lists the settings that every command takes.");
    end_help(hidden, &line)
        .mut_subcommand("settings", |own| own.args(settings).after_help(VARIABLES))
}

/// Ends the help of a command, and of each command below it, with this line.
fn end_help(command: clap::Command, line: &str) -> clap::Command {
    let end = match command.get_after_help() {
        Some(own) => format!("{own}\n\n{line}"),
        None => line.to_owned(),
    };
    let command = command.after_help(end);
    command.mut_subcommands(|below| end_help(below, line))
}

/// Writes the help that lists the settings.
fn show_settings(server: &Server) -> Result<Exit, Failure> {
    let mut command = command(server);
    command.build();
    let settings = command.find_subcommand_mut("settings");
    let settings = settings.expect("every program has it");
    out::lines(settings.render_help().to_string().trim_end())?;
    Ok(Exit::Done)
}

/// The same without the values of variables in its help, since an address may hold a password, and without the variables that are set to
/// nothing.
fn without_values(command: clap::Command) -> clap::Command {
    let is_empty = |name: &OsStr| std::env::var_os(name).is_some_and(|value| value.is_empty());
    command
        .mut_args(|argument| {
            if argument.get_env().is_some_and(is_empty) {
                argument.env(None::<&'static str>)
            } else {
                argument.hide_env_values(true)
            }
        })
        .mut_subcommands(without_values)
}

/// Reads the arguments, and the settings of protocols and products among them.
fn read(server: &Server, given: &ArgMatches) -> Result<Given, clap::Error> {
    let contracts = server.protocols.iter();
    let contracts = contracts.map(|protocol| protocol.contract(given));
    let contracts: Result<Vec<_>, _> = contracts.filter_map(Result::transpose).collect();
    let verb = given.subcommand().and_then(|(name, given)| {
        let mut verbs = server.verbs.iter();
        let verb = verbs.find(|verb| verb.command().get_name() == name)?;
        Some(Asked::Verb(*verb, given.clone()))
    });
    Ok(Given {
        cli: Cli::from_arg_matches(given)?,
        asked: match verb {
            Some(verb) => verb,
            None => Asked::Command(Command::from_arg_matches(given)?),
        },
        own: OwnSettings {
            contracts: contracts?,
            products: ProductTables::new(&server.settings, Some(given.clone())),
        },
    })
}

/// The settings that protocols and products declare.
struct OwnSettings {
    contracts: Vec<Box<dyn Contract>>,
    products: ProductTables,
}

/// The server logs what it does; other commands print it themselves.
fn log_to_stderr(asked: &Asked) {
    let level = if matches!(asked, Asked::Command(Command::Serve(_))) {
        "info"
    } else {
        "error"
    };
    let filter = EnvFilter::try_from_default_env().unwrap_or_else(|_| EnvFilter::new(level));
    tracing_subscriber::fmt()
        .with_env_filter(filter)
        .with_writer(out::log)
        .with_ansi(out::notes_are_seen())
        .with_target(false)
        .fmt_fields(out::ShownFields)
        .init();
}

async fn dispatch(server: Server, given: Given) -> Result<Exit, Failure> {
    let Given {
        cli,
        asked,
        own: declared,
    } = given;
    let contracts: Vec<_> = declared.contracts.iter().map(Box::as_ref).collect();
    let (pipelines, own) = (server.pipelines.clone(), server.model.clone());
    let read_config = || -> Result<Config, ConfigError> {
        let mut config = Config::load(
            &cli.flags,
            &Environment::of_process(),
            &contracts,
            &declared.products,
        )?;
        check_pipelines(&config, &pipelines)?;
        config.models.own = own.as_ref().map(|own| own.name.clone());
        Ok(config)
    };
    let config = read_config()?;
    out::keep(config.secrets());
    let settings = Settings {
        config,
        server,
        owner: crate::keys::Owner(cli.owner),
    };
    let command = match asked {
        Asked::Command(command) => command,
        Asked::Verb(verb, given) => return verb.call(&given, settings.into_context()).await,
    };
    match command {
        Command::Serve(args) => serve::serve(settings, args, &read_config).await,
        Command::Run(args) => run::run(settings, args).await,
        Command::Sessions(args) => sessions::sessions(settings, args).await,
        Command::Show(args) => show::show(settings, args).await,
        Command::Replay(args) => replay::replay(settings, args).await,
        Command::Fork(args) => fork::fork(settings, args).await,
        Command::Refine(args) => refine::refine(settings, args).await,
        Command::Cancel(args) => cancel::cancel(settings, args).await,
        Command::Delete(args) => cancel::delete(settings, args).await,
        Command::Export(args) => export::export(settings, args).await,
        Command::Operations(args) => operations::operations(settings, args).await,
        Command::Models(args) => models::models(settings, args).await,
        Command::Verify(args) => verify::verify(settings, args).await,
        Command::Anchor(args) => anchor::anchor(settings, args).await,
        Command::Backup(args) => backup::back_up(settings, args).await,
        Command::Restore(args) => backup::restore(settings, args).await,
        Command::Migrate => maintain::migrate(settings).await,
        Command::Settings => show_settings(&settings.server),
    }
}

#[cfg(test)]
mod verb_tests;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::letters;

    #[test]
    fn a_run_is_given_its_pipeline_and_then_its_brief() {
        let given = ["palimpsest", "run", "haiku", "Rain"];
        let found = command(&letters())
            .try_get_matches_from(given)
            .expect("right");
        let (_, run) = found.subcommand().expect("a command");
        let text = |name: &str| run.get_one::<String>(name).map(String::as_str);
        assert_eq!(
            (text("pipeline"), text("brief")),
            (Some("haiku"), Some("Rain"))
        );
    }

    #[test]
    fn the_help_names_every_pipeline_and_every_wire() {
        let help = |name: &str| {
            let mut command = command(&letters());
            let found = command.find_subcommand_mut(name).expect("a command");
            found.render_help().to_string()
        };
        let whole = command(&letters()).render_help().to_string();
        assert!(whole.starts_with("Makes things in stages"), "{whole}");
        let server = letters();
        let names: Vec<_> = server.pipelines.iter().map(|p| p.name()).collect();
        assert!(help("run").contains(&names.join(", ")));
        assert!(help("replay").contains("native, lean, tally"));
    }

    #[test]
    fn settings_have_a_help_of_their_own_to_which_every_other_help_points() {
        let mut command = command(&letters());
        command.build();
        let line = "help settings` lists the settings that every command takes.";
        let whole = command.render_help().to_string();
        assert!(whole.trim_end().ends_with(line), "{whole}");
        for name in ["run", "serve", "models"] {
            let found = command.find_subcommand_mut(name).expect("a command");
            let help = found.render_help().to_string();
            assert!(help.trim_end().ends_with(line), "{help}");
            assert!(!help.contains("--attempts"), "{help}");
        }
        let found = command.find_subcommand_mut("settings");
        let help = found.expect("a command").render_help().to_string();
        assert!(help.contains("--attempts"), "{help}");
        assert!(help.contains("OPENAI_BASE_URL"), "{help}");
    }
}
