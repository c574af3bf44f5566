//! `run`: makes something here and now, with progress, into a folder.

use std::path::PathBuf;

use clap::Args;
use domain::RunId;
use domain::language;
use domain::text::{LANGUAGE, language_of};
use projections::view::{OutcomeView, RunStatus};
use runner::clock::fresh_id;
use serde_json::{Map, Value, json};

use super::asking::{command, find_session, read_answer};
use super::deliver::{Delivered, deliver};
use super::described::DescribedPipeline;
use super::follow::{End, Followed};
use super::progress::Progress;
use super::sources::GivenFiles;
use super::{Settings, projects, summary};
use crate::http::OpenSessionAnswer;
use crate::uploads::Uploaded;
use crate::verb::{Client, CommandHost, Exit, Failure, OutFolder, out};

/// Makes something and writes it into a folder.
#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// The pipeline
    // The index is explicit, because arguments whose help is generated later would otherwise come after the others.
    #[arg(index = 1, required_unless_present = "resume")]
    pipeline: Option<String>,
    /// What is wanted, in your words
    #[arg(index = 2, required_unless_present = "resume")]
    brief: Option<String>,
    /// What it is made from: a file, or a folder with everything in it; may be given several times
    #[arg(long = "source", env = "PALIMPSEST_SOURCE", value_name = "FILE|FOLDER")]
    sources: Vec<PathBuf>,
    /// The template, for pipelines that take one
    #[arg(long, env = "PALIMPSEST_TEMPLATE", value_name = "FILE")]
    template: Option<PathBuf>,
    /// Where what was made is put
    #[arg(
        long,
        env = "PALIMPSEST_OUT",
        value_name = "FOLDER",
        default_value = "out"
    )]
    out: PathBuf,
    /// How many pages, for pipelines whose input has `pageCount`
    #[arg(long, env = "PALIMPSEST_PAGES")]
    pages: Option<u32>,
    /// The look, for pipelines whose input has `theme`: a file in JSON, or the name of a built-in style
    #[arg(long, env = "PALIMPSEST_THEME", value_name = "FILE|NAME")]
    theme: Option<String>,
    /// The project, for pipelines whose input has `project`: a folder with its files, or the id of one that is there
    #[arg(long, env = "PALIMPSEST_PROJECT", value_name = "FOLDER|ID")]
    project: Option<String>,
    /// What else the pipeline takes, as JSON
    #[arg(long, env = "PALIMPSEST_INPUT", value_name = "JSON")]
    input: Option<String>,
    /// BCP 47 tag, such as `zh`, `en` or `ar`; that of the brief where absent
    #[arg(long, env = "PALIMPSEST_LANGUAGE")]
    language: Option<String>,
    /// The session's name; a session of this name that is there gets the brief as its next message
    #[arg(long, env = "PALIMPSEST_SESSION", conflicts_with = "resume")]
    session: Option<String>,
    /// Take up an interrupted, failed or cancelled session where it stopped
    #[arg(long, env = "PALIMPSEST_RESUME", value_name = "SESSION", conflicts_with_all = ["pipeline", "brief"])]
    resume: Option<String>,
    /// One frame a line, as JSON, on the standard output
    #[arg(long, env = "PALIMPSEST_JSON")]
    json: bool,
}

pub(super) async fn run(settings: Settings, args: RunArgs) -> Result<Exit, Failure> {
    // Read before anything starts, so that a wrong name costs nothing.
    let files = GivenFiles::read(&args.sources, args.template.as_ref())?;
    let input = input(&args)?;
    OutFolder::open(&args.out)?.try_writing()?;
    let place = CommandHost::find(settings).await?;
    let ended = attend(&place, &args, files, input).await;
    place.leave().await;
    ended
}

async fn attend(
    place: &CommandHost,
    args: &RunArgs,
    files: GivenFiles,
    input: Value,
) -> Result<Exit, Failure> {
    let work = match &args.resume {
        Some(session) => resume(&place.client, session, args.json).await?,
        None => begin(place, args, files, input).await?,
    };
    follow_and_deliver(place, &work, &args.out).await
}

/// What `run` and `refine` follow and deliver.
pub(super) struct Work {
    pub(super) session: String,
    pub(super) pipeline: String,
    pub(super) run: RunId,
    /// Events up to this version are not shown.
    pub(super) after: u64,
    pub(super) language: String,
    pub(super) json: bool,
}

/// Shows the run to its end and puts what it made into the folder.
pub(super) async fn follow_and_deliver(
    place: &CommandHost,
    work: &Work,
    folder: &std::path::Path,
) -> Result<Exit, Failure> {
    let all = DescribedPipeline::all(&place.client, &work.language).await?;
    // If the pipeline is no longer served, its artifacts are still written as data.
    let pipeline = DescribedPipeline::named(all, &work.pipeline).unwrap_or_default();
    let mut progress = Progress::new(&work.language, &pipeline.stages, work.json);
    progress.say(&format!(
        "{} {}",
        progress.word("会话", "session"),
        work.session
    ));
    let followed = Followed {
        client: &place.client,
        session: &work.session,
        run: work.run,
        after: work.after,
        json: work.json,
    };
    let end = followed.to_the_end(&mut progress).await;
    progress.end();
    match end? {
        End::Interrupted => {
            interrupted(place, &work.session);
            Ok(Exit::Interrupted)
        }
        End::Completed => {
            let delivered = deliver(&place.client, &work.session, work.run, &pipeline, folder);
            tell(&progress, &delivered.await?);
            Ok(Exit::Done)
        }
        End::Failed { reason, can_resume } => {
            let delivered = deliver(&place.client, &work.session, work.run, &pipeline, folder);
            tell(&progress, &delivered.await?);
            out::error(&format!("the run failed: {reason}"));
            if can_resume {
                out::note(&format!(
                    "what was made is kept; go on with `{} run --resume {}`",
                    out::program(),
                    work.session
                ));
            }
            Ok(Exit::Failed)
        }
    }
}

fn interrupted(place: &CommandHost, session: &str) {
    let program = out::program();
    // On a new line, after the `^C` that the terminal shows for an interrupt.
    out::note("");
    match place.client.address() {
        None => out::note(&format!(
            "stopped; go on with `{program} run --resume {session}`"
        )),
        Some(address) => out::note(&format!(
            "the server at {address} goes on; look again with `{program} run --resume {session}`, \
             or end it with `{program} cancel {session}`"
        )),
    }
}

fn tell(progress: &Progress, delivered: &Delivered) {
    for line in summary::lines(delivered, progress.is_chinese()) {
        progress.say(&line);
    }
    progress.say_rejected();
}

async fn begin(
    place: &CommandHost,
    args: &RunArgs,
    files: GivenFiles,
    input: Value,
) -> Result<Work, Failure> {
    let client = &place.client;
    let pipeline = args.pipeline.clone().unwrap_or_default();
    let brief = args.brief.clone().unwrap_or_default();
    let language = args.language.clone().unwrap_or_else(|| {
        let sure = language::of_message(&brief).or_else(|| language_of(&brief));
        sure.unwrap_or(LANGUAGE).to_owned()
    });
    let all = DescribedPipeline::all(client, &language).await?;
    let described = DescribedPipeline::named(all, &pipeline)?;
    check_flags(args, &described)?;
    if let Some(fonts) = place.fonts().filter(|_| described.draws()) {
        let texts = std::iter::once(brief.as_str()).chain(files.texts());
        let texts = texts.collect::<Vec<_>>().join("\n");
        for line in render::told_missing(&texts, fonts) {
            out::note(&line);
        }
    }
    let input = match &args.project {
        None => input,
        Some(given) => {
            let project = projects::given(client, given).await?;
            let mut input = input.as_object().cloned().unwrap_or_default();
            input.insert(PROJECT.to_owned(), project.into());
            Value::Object(input)
        }
    };
    let mut attachments = vec![];
    for (path, bytes) in files.placed(&described)? {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let uploaded: Uploaded = read_answer(client.upload(name, bytes).await?, "the answer")?;
        attachments.push(json!({ "path": path, "file": uploaded.file }));
    }
    let settings = json!({ "language": args.language });
    let session = args
        .session
        .clone()
        .unwrap_or_else(|| format!("s_{}", fresh_id()));
    let known = find_session(client, &session).await?;
    let (run, after) = match known {
        None => {
            let request = json!({
                "pipeline": pipeline, "message": brief, "input": input, "settings": settings,
                "attachments": attachments, "session": session,
            });
            let opened = client.post("/v1/sessions", &request).await?;
            let opened: OpenSessionAnswer = read_answer(opened, "the answer")?;
            (opened.run, 0)
        }
        Some(view) => {
            let payload = json!({
                "pipeline": pipeline, "message": brief, "input": input, "settings": settings, "attachments": attachments,
            });
            let answer = command(client, &session, "send_message", payload).await?;
            (run_of(answer.run)?, view.version)
        }
    };
    Ok(Work {
        run,
        session,
        pipeline,
        after,
        language,
        json: args.json,
    })
}

/// Continues a session. An interrupted run continues by itself as soon as a process owns its log; for a failed, cancelled or partial run, a
/// new run takes over; what a complete run made is written again.
async fn resume(client: &Client, session: &str, json: bool) -> Result<Work, Failure> {
    let view = find_session(client, session).await?;
    let view = view.ok_or_else(|| {
        Failure::usage(format!(
            "there is no session `{session}`; `{} sessions` lists them",
            out::program()
        ))
    })?;
    let last = view
        .runs
        .last()
        .ok_or_else(|| Failure::usage(format!("nothing was begun in session `{session}`")))?;
    let is_over = matches!(last.status, RunStatus::Failed | RunStatus::Cancelled);
    let is_partial = matches!(
        last.outcome,
        Some(OutcomeView::Completed { partial: true, .. })
    );
    let run = if is_over || is_partial {
        run_of(command(client, session, "resume", json!({})).await?.run)?
    } else {
        view.active.unwrap_or(last.run)
    };
    Ok(Work {
        session: session.to_owned(),
        pipeline: last.pipeline.to_string(),
        run,
        after: view.version,
        language: last.settings.language.clone(),
        json,
    })
}

/// The run that a command began.
pub(super) fn run_of(answer: Option<RunId>) -> Result<RunId, Failure> {
    answer.ok_or_else(|| Failure::unusable("the answer names no run"))
}

/// The fields of an input that have flags of their own.
const PAGES: &str = "pageCount";
const THEME: &str = "theme";
const PROJECT: &str = "project";

/// Refuses flags for input fields that the pipeline does not have.
fn check_flags(args: &RunArgs, pipeline: &DescribedPipeline) -> Result<(), Failure> {
    if args.pages.is_some() {
        pipeline.check_field("pages", PAGES)?;
    }
    if args.theme.is_some() {
        pipeline.check_field("theme", THEME)?;
    }
    if args.project.is_some() {
        pipeline.check_field("project", PROJECT)?;
    }
    Ok(())
}

/// A theme from a file, or the name of one. An argument that looks like a path is a file.
fn theme(given: &str) -> Result<Value, Failure> {
    let path = std::path::Path::new(given);
    let is_file = path.is_file()
        || path.components().count() > 1
        || path.extension().is_some_and(|ending| ending == "json");
    if !is_file {
        return Ok(given.into());
    }
    let bytes = std::fs::read(path)
        .map_err(|error| Failure::usage(format!("the theme {given} cannot be read: {error}")))?;
    serde_json::from_slice(&bytes)
        .map_err(|error| Failure::usage(format!("the theme {given} is not JSON: {error}")))
}

/// The input beside the brief.
fn input(args: &RunArgs) -> Result<Value, Failure> {
    let mut input = match &args.input {
        None => Map::new(),
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("--input is not a JSON object: {error}")))?,
    };
    if let Some(pages) = args.pages {
        input.insert(PAGES.to_owned(), pages.into());
    }
    if let Some(given) = &args.theme {
        input.insert(THEME.to_owned(), theme(given)?);
    }
    Ok(if input.is_empty() {
        Value::Null
    } else {
        Value::Object(input)
    })
}
