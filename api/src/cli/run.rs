//! `run`: makes something here and now, with progress, into a folder.

use std::path::PathBuf;

use bytes::Bytes;
use clap::Args;
use domain::RunId;
use domain::text::{LANGUAGE, language_of};
use runner::clock::fresh_id;
use serde_json::{Map, Value, json};

use super::asking::{address, command, text};
use super::client::Client;
use super::deliver::{Delivered, deliver};
use super::exit::{Exit, Failure};
use super::follow::{End, Followed};
use super::place::Place;
use super::progress::Progress;
use super::{Settings, out, sources};

/// Makes something and writes it into a folder.
#[derive(Args, Debug)]
pub(super) struct RunArgs {
    /// The pipeline, such as `course`
    #[arg(required_unless_present = "resume")]
    pipeline: Option<String>,
    /// What is wanted, in your words
    #[arg(required_unless_present = "resume")]
    brief: Option<String>,
    /// A source text or picture; may be given several times
    #[arg(long = "source", env = "PALIMPSEST_SOURCE", value_name = "FILE")]
    sources: Vec<PathBuf>,
    /// The template of a report, in Markdown or HTML
    #[arg(long, env = "PALIMPSEST_TEMPLATE", value_name = "FILE")]
    template: Option<PathBuf>,
    /// Data of a report: a file, or a folder with everything in it; may be given several times
    #[arg(
        id = "datasets",
        long = "data",
        env = "PALIMPSEST_DATASETS",
        value_name = "FILE|FOLDER"
    )]
    datasets: Vec<PathBuf>,
    /// Folder for keys, spool, uploads and large files, which is `--data` of the other commands
    // The id is that of the flag of all commands: clap passes it on, and leaves its long name to the datasets here.
    #[arg(
        id = "data",
        long = "data-folder",
        env = "PALIMPSEST_DATA",
        value_name = "FOLDER"
    )]
    _data: Option<PathBuf>,
    /// Where what was made is put
    #[arg(
        long,
        env = "PALIMPSEST_OUT",
        value_name = "FOLDER",
        default_value = "out"
    )]
    out: PathBuf,
    /// Pages of the whole deck
    #[arg(long, env = "PALIMPSEST_PAGES")]
    pages: Option<u32>,
    /// The look of the deck: a file with a `presentation_theme`, or the name of a built-in style
    #[arg(long, env = "PALIMPSEST_THEME", value_name = "FILE|NAME")]
    theme: Option<String>,
    /// What else the pipeline takes, as JSON
    #[arg(long, env = "PALIMPSEST_INPUT", value_name = "JSON")]
    input: Option<String>,
    /// `zh` or `en`; that of the brief where absent
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

/// A run that was begun or found.
struct Begun {
    session: String,
    pipeline: String,
    run: RunId,
    /// What happened before is not shown.
    after: u64,
    language: String,
}

pub(super) async fn run(settings: Settings, args: RunArgs) -> Result<Exit, Failure> {
    // Read before anything starts, so that a wrong name costs nothing.
    let files = files(&args)?;
    let input = input(&args)?;
    let place = Place::find(settings).await?;
    let ended = attend(&place, &args, files, input).await;
    place.leave().await;
    ended
}

async fn attend(
    place: &Place,
    args: &RunArgs,
    files: Vec<(String, Bytes)>,
    input: Value,
) -> Result<Exit, Failure> {
    let begun = match &args.resume {
        Some(session) => resume(&place.client, session).await?,
        None => begin(&place.client, args, files, input).await?,
    };
    follow_and_deliver(place, &begun.into_work(args.json), &args.out).await
}

/// What is followed and delivered, by `run` and by `refine`.
pub(super) struct Work {
    pub(super) session: String,
    pub(super) pipeline: String,
    pub(super) run: RunId,
    pub(super) after: u64,
    pub(super) language: String,
    pub(super) json: bool,
}

impl Begun {
    fn into_work(self, json: bool) -> Work {
        let Self {
            session,
            pipeline,
            run,
            after,
            language,
        } = self;
        Work {
            session,
            pipeline,
            run,
            after,
            language,
            json,
        }
    }
}

/// Shows the run to its end and puts what it made into the folder.
pub(super) async fn follow_and_deliver(
    place: &Place,
    work: &Work,
    folder: &std::path::Path,
) -> Result<Exit, Failure> {
    let mut progress = Progress::new(&work.language, work.json);
    progress.say(&format!(
        "{} {}",
        progress.word("会话", "session"),
        work.session
    ));
    let followed = Followed {
        client: &place.client,
        session: &work.session,
        run: work.run,
        pipeline: &work.pipeline,
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
            let delivered = deliver(&place.client, &work.session, work.run, folder).await?;
            tell(&progress, &delivered);
            Ok(Exit::Done)
        }
        End::Failed(reason) => {
            let delivered = deliver(&place.client, &work.session, work.run, folder).await?;
            tell(&progress, &delivered);
            out::error(&format!("the run failed: {reason}"));
            out::note(&format!(
                "what was made is kept; go on with `palimpsest run --resume {}`",
                work.session
            ));
            Ok(Exit::RunFailed)
        }
    }
}

fn interrupted(place: &Place, session: &str) {
    match place.client.address() {
        None => out::note(&format!(
            "\nstopped; go on with `palimpsest run --resume {session}`"
        )),
        Some(address) => out::note(&format!(
            "\nthe server at {address} goes on; look again with `palimpsest run --resume {session}`, \
             or end it with `palimpsest cancel {session}`"
        )),
    }
}

fn tell(progress: &Progress, delivered: &Delivered) {
    if let Some(deck) = &delivered.deck {
        progress.say(&format!(
            "{}  {}",
            progress.word("课件", "deck"),
            deck.display()
        ));
    }
    if let Some(pptx) = &delivered.pptx {
        progress.say(&format!("pptx  {}", pptx.display()));
    }
    for report in &delivered.reports {
        progress.say(&format!(
            "{}  {}",
            progress.word("报告", "report"),
            report.display()
        ));
    }
    if let Some(post) = &delivered.post {
        progress.say(&format!(
            "{}  {} ({} {})",
            progress.word("帖子", "post"),
            post.display(),
            delivered.pictures,
            progress.word("张图", "pictures")
        ));
    }
    if let Some((passed, findings)) = delivered.check {
        let report = delivered.log.with_file_name("report_check.json");
        let said = match (progress.is_chinese(), passed) {
            (true, true) => format!("通过，{findings} 处提示"),
            (true, false) => format!("未通过，{findings} 处问题"),
            (false, true) => format!("passed, {findings} remarks"),
            (false, false) => format!("not passed, {findings} findings"),
        };
        progress.say(&format!(
            "{}  {said} ({})",
            progress.word("检查", "check"),
            report.display()
        ));
    }
    if let Some([critical, warnings, notes]) = delivered.findings {
        let report = delivered.log.with_file_name("layout_report.json");
        let said = if progress.is_chinese() {
            format!("{critical} 处严重问题，{warnings} 处提醒，{notes} 处备注")
        } else {
            format!("{critical} critical, {warnings} warnings, {notes} notes")
        };
        progress.say(&format!(
            "{}  {said} ({})",
            progress.word("版面", "layout"),
            report.display()
        ));
    }
    let folder = delivered.log.with_file_name("artifacts");
    progress.say(&format!(
        "{}  {} ({})",
        progress.word("产物", "artifacts"),
        folder.display(),
        delivered.artifacts
    ));
    progress.say(&format!(
        "{}  {}",
        progress.word("日志", "log"),
        delivered.log.display()
    ));
}

async fn begin(
    client: &Client,
    args: &RunArgs,
    files: Vec<(String, Bytes)>,
    input: Value,
) -> Result<Begun, Failure> {
    let pipeline = args.pipeline.clone().unwrap_or_default();
    let brief = args.brief.clone().unwrap_or_default();
    let mut attachments = vec![];
    for (path, bytes) in files {
        let name = path.rsplit('/').next().unwrap_or(&path);
        let uploaded = client.upload(name, bytes).await?;
        attachments.push(json!({ "path": path, "file": uploaded["file"] }));
    }
    let language = args
        .language
        .clone()
        .unwrap_or_else(|| language_of(&brief).unwrap_or(LANGUAGE).to_owned());
    let settings = json!({ "language": args.language });
    let session = args
        .session
        .clone()
        .unwrap_or_else(|| format!("s_{}", fresh_id()));
    let known = client.find(&address(&session)).await?;
    let (answer, after) = match known {
        None => {
            let request = json!({
                "pipeline": pipeline, "message": brief, "input": input, "settings": settings,
                "attachments": attachments, "session": session,
            });
            (client.post("/v1/sessions", &request).await?, 0)
        }
        Some(view) => {
            let payload = json!({
                "pipeline": pipeline, "message": brief, "input": input, "settings": settings, "attachments": attachments,
            });
            let answer = command(client, &session, "send_message", payload).await?;
            (answer, view["version"].as_u64().unwrap_or(0))
        }
    };
    Ok(Begun {
        run: run_of(&answer)?,
        session,
        pipeline,
        after,
        language,
    })
}

/// An interrupted run goes on by itself once its log is owned again; an ended one is taken up by a new run; of a complete
/// one what was made is written once more.
async fn resume(client: &Client, session: &str) -> Result<Begun, Failure> {
    let view = client.find(&address(session)).await?;
    let view = view.ok_or_else(|| {
        Failure::usage(format!(
            "there is no session `{session}`; `palimpsest sessions` lists them"
        ))
    })?;
    let last = view["runs"]
        .as_array()
        .and_then(|runs| runs.last())
        .cloned()
        .unwrap_or_default();
    let is_over = matches!(last["status"].as_str(), Some("failed" | "cancelled"));
    let is_partial = last.pointer("/outcome/partial").and_then(Value::as_bool) == Some(true);
    let run = if is_over || is_partial {
        run_of(&command(client, session, "resume", json!({})).await?)?
    } else {
        view["active"]
            .as_str()
            .or(last["run"].as_str())
            .and_then(|run| run.parse().ok())
            .ok_or_else(|| nothing_begun(session))?
    };
    Ok(Begun {
        session: session.to_owned(),
        pipeline: text(&last, "pipeline"),
        run,
        after: view["version"].as_u64().unwrap_or(0),
        language: last
            .pointer("/settings/language")
            .and_then(Value::as_str)
            .unwrap_or("en")
            .to_owned(),
    })
}

fn nothing_begun(session: &str) -> Failure {
    Failure::usage(format!("nothing was begun in session `{session}`"))
}

/// The run that an answer names.
pub(super) fn run_of(answer: &Value) -> Result<RunId, Failure> {
    let run = answer["run"].as_str().and_then(|run| run.parse().ok());
    run.ok_or_else(|| Failure::unusable("the answer names no run"))
}

/// Everything that comes with the brief, by its path in the session: sources, the template, and data.
fn files(args: &RunArgs) -> Result<Vec<(String, Bytes)>, Failure> {
    let mut files = sources::of(&args.sources, "")?;
    let templates: Vec<_> = args.template.iter().cloned().collect();
    files.extend(sources::of(&templates, "template/")?);
    files.extend(sources::of(&args.datasets, "datasets/")?);
    Ok(files)
}

/// A theme out of a file, or the name of one. What looks like a file is one.
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

/// What is said beside the brief.
fn input(args: &RunArgs) -> Result<Value, Failure> {
    let mut input = match &args.input {
        None => Map::new(),
        Some(text) => serde_json::from_str(text)
            .map_err(|error| Failure::usage(format!("--input is not a JSON object: {error}")))?,
    };
    if let Some(pages) = args.pages {
        input.insert("pageCount".to_owned(), pages.into());
    }
    if let Some(given) = &args.theme {
        input.insert("theme".to_owned(), theme(given)?);
    }
    Ok(if input.is_empty() {
        Value::Null
    } else {
        Value::Object(input)
    })
}
