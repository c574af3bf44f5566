//! The command line, one file a command. Answers go to the standard output, everything else to the standard error.

mod anchor;
mod asking;
mod cancel;
mod client;
mod deck;
mod deliver;
mod described;
mod exit;
mod export;
mod folder;
mod follow;
mod fork;
mod host;
mod maintain;
mod models;
mod notes;
mod out;
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
mod story;
mod summary;
mod verify;

use std::ffi::OsStr;
use std::process::ExitCode;

use clap::{ArgMatches, CommandFactory as _, FromArgMatches as _, Parser, Subcommand};
use tracing_subscriber::EnvFilter;

use crate::config::{
    Config, ConfigError, Contract, Environment, Flags, ProductTables, check_pipelines,
};
use crate::server::{BuildError, Server};
use exit::{Exit, Failure};

/// The end of the help.
const EXITS: &str = "\
Exit codes:
  0    done
  1    the run failed, a model did not answer, a deck or a story did not pass its check, or `deck pull` left conflicts
  2    wrong usage or configuration
  3    the log is locked or cannot be used, or the server cannot be reached
  4    verify found the log broken, or `anchor show` a log that lost events
  130  interrupted; it can be resumed

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
#[command(name = "palimpsest", version, after_help = EXITS, max_term_width = 100)]
struct Cli {
    #[command(flatten)]
    flags: Flags,
    /// Whose sessions, where this process reads or owns the log itself
    #[arg(long, env = "PALIMPSEST_OWNER", global = true, value_name = "NAME", default_value = crate::config::LOCAL_OWNER)]
    owner: String,
    #[command(subcommand)]
    command: Command,
}

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
    /// Load, list, search and remove the notes that posts are written from
    Notes(notes::Notes),
    /// Look at, put in order, compare and draw decks that are written by hand
    Deck(deck::Deck),
    /// Check and export stories that are folders of text files
    Story(story::Story),
    /// Find out what the configured models take
    Models(models::Models),
    /// Compute the chain of the log again and compare
    Verify(verify::Verify),
    /// Show what is known of the end of the log outside of it, and accept a log that lost events
    Anchor(anchor::Anchor),
    /// Bring the database to this version's schema
    Migrate,
}

/// The settings that every command gets.
struct Settings {
    config: Config,
    owner: crate::keys::Owner,
    server: Server,
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
    folder::keep_private();
    let parsed = command(&server).try_get_matches();
    let cli = match parsed.and_then(|found| read(&server, &found)) {
        Ok(cli) => cli,
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
    let (cli, own) = cli;
    log_to_stderr(&cli.command);
    let runtime = match crate::threads::runtime() {
        Ok(runtime) => runtime,
        Err(error) => {
            out::error(&format!("the runtime cannot start: {error}"));
            return Exit::Unusable.into();
        }
    };
    let done = runtime.block_on(Box::pin(dispatch(server, cli, own)));
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

/// The command line. Its help names the pipelines and wires of this program.
fn command(server: &Server) -> clap::Command {
    let pipelines: Vec<_> = server.pipelines.iter().map(|p| p.name()).collect();
    let wires: Vec<_> = server.wires().names().collect();
    let pipelines = format!("The pipeline: {}", pipelines.join(", "));
    let wires = format!("The protocol: {}", wires.join(", "));
    let protocols = server.protocols.iter();
    let cli = Cli::command();
    // The flags of a protocol or a product would replace the description of the program.
    let about = cli.get_about().cloned().unwrap_or_default();
    let command = protocols.fold(cli, |command, protocol| protocol.flags(command));
    let products = server.settings.iter();
    let command = products.fold(command, |command, product| (product.flags)(command));
    without_values(command)
        .about(about)
        .name(server.name)
        .mut_subcommand("run", |run| {
            run.mut_arg("pipeline", |pipeline| pipeline.help(pipelines))
        })
        .mut_subcommand("replay", |replay| {
            replay.mut_arg("wire", |wire| wire.help(wires))
        })
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
fn read(server: &Server, given: &ArgMatches) -> Result<(Cli, OwnSettings), clap::Error> {
    let contracts = server.protocols.iter();
    let contracts = contracts.map(|protocol| protocol.contract(given));
    let contracts: Result<Vec<_>, _> = contracts.filter_map(Result::transpose).collect();
    let own = OwnSettings {
        contracts: contracts?,
        products: ProductTables::new(&server.settings, Some(given.clone())),
    };
    Ok((Cli::from_arg_matches(given)?, own))
}

/// The settings that protocols and products declare.
struct OwnSettings {
    contracts: Vec<Box<dyn Contract>>,
    products: ProductTables,
}

/// The server logs what it does; other commands print it themselves.
fn log_to_stderr(command: &Command) {
    let level = if matches!(command, Command::Serve(_)) {
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

async fn dispatch(server: Server, cli: Cli, declared: OwnSettings) -> Result<Exit, Failure> {
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
    match cli.command {
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
        Command::Notes(args) => notes::notes(settings, args).await,
        Command::Deck(args) => deck::deck(settings, args).await,
        Command::Story(args) => story::story(&settings, &args),
        Command::Models(args) => models::models(settings, args).await,
        Command::Verify(args) => verify::verify(settings, args).await,
        Command::Anchor(args) => anchor::anchor(settings, args).await,
        Command::Migrate => maintain::migrate(settings).await,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::testing::built_in;

    const CONFIGURATION: &str = include_str!("../../../docs/configuration.md");

    #[test]
    fn a_run_is_given_its_pipeline_and_then_its_brief() {
        let given = ["palimpsest", "run", "haiku", "Rain"];
        let found = command(&built_in())
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
            let mut command = command(&built_in());
            let found = command.find_subcommand_mut(name).expect("a command");
            found.render_help().to_string()
        };
        let whole = command(&built_in()).render_help().to_string();
        assert!(whole.starts_with("Makes things in stages"), "{whole}");
        let server = built_in();
        let names: Vec<_> = server.pipelines.iter().map(|p| p.name()).collect();
        assert!(help("run").contains(&names.join(", ")));
        assert!(help("replay").contains("native, lean, "));
    }

    #[test]
    fn the_command_line_is_well_formed_and_every_flag_has_its_variable_and_its_row() {
        let command = command(&built_in());
        command.clone().debug_assert();
        let subcommands = command.get_subcommands();
        let arguments = std::iter::once(&command)
            .chain(subcommands)
            .flat_map(clap::Command::get_arguments);
        for argument in arguments {
            let Some(long) = argument.get_long() else {
                continue;
            };
            if matches!(long, "help" | "version") {
                continue;
            }
            let expected = format!("PALIMPSEST_{}", long.replace('-', "_").to_uppercase());
            let variable = argument
                .get_env()
                .map(|name| name.to_string_lossy().into_owned());
            assert_eq!(variable.as_ref(), Some(&expected), "--{long}");
            let mut rows = CONFIGURATION.lines().filter(|line| line.starts_with('|'));
            let has_row = |row: &str| {
                row.contains(&format!("`--{long}`")) && row.contains(&format!("`{expected}`"))
            };
            assert!(
                rows.any(has_row),
                "--{long} has no row in docs/configuration.md"
            );
        }
    }
}
