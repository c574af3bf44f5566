//! The files of a session as planner and solvers see them, and the tools that read them.

use palimpsest::prelude::pipeline::carry::Tool;
use palimpsest::prelude::pipeline::event::FilePut;
use palimpsest::prelude::pipeline::markdown::{PreviewOptions, Tree};
use palimpsest::prelude::pipeline::tool_loop::{Step, answer_call, output_text, refuse_call};
use palimpsest::prelude::pipeline::{Carry, Exchange, ModelTurn, ToolOutcome, TurnResult, Work};
use serde_json::{Value, json};

use super::ask;

pub(crate) const TEMPLATE_FOLDER: &str = "template/";
pub(crate) const DATASETS_FOLDER: &str = "datasets/";
pub(crate) const REPORTS_FOLDER: &str = "reports/";
pub(crate) const REPORT_PATH: &str = "reports/generated_report.md";

/// The tool that reads a file.
pub(crate) const READ: &str = "read_local_file";
/// The characters of a file from which a line about it is made, where the call does not give a number.
const SUMMARY_CHARS: usize = 1_200;
/// The most files that one call summarises.
const SUMMARIES_MAX: usize = 20;
/// Characters of a text in what `split_markdown_tree` gives, where the call does not give a number.
const CONTENT_CHARS: u64 = 4_000;
/// The characters of a file name that are kept: file systems accept 255 bytes, and folders and endings need some.
const NAME_CHARS: usize = 60;

/// The files that hold data: all but templates and reports.
pub(crate) fn data(work: &Work) -> impl Iterator<Item = &FilePut> {
    let of_ours = [TEMPLATE_FOLDER, REPORTS_FOLDER];
    work.files
        .iter()
        .filter(move |file| !of_ours.iter().any(|folder| file.path.starts_with(folder)))
}

pub(crate) fn exists(work: &Work, path: &str) -> bool {
    work.files.iter().any(|file| file.path == path)
}

/// A name that can stand in a path: letters and digits of every script, `_`, `-` and inner dots.
pub(crate) fn safe_name(name: &str) -> String {
    let (stem, ending) = match name.trim().rsplit_once('.') {
        Some((stem, ending))
            if !stem.is_empty()
                && (1..=8).contains(&ending.len())
                && ending.bytes().all(|b| b.is_ascii_alphanumeric()) =>
        {
            (stem, Some(ending.to_ascii_lowercase()))
        }
        _ => (name.trim(), None),
    };
    let kept = |c: char| {
        if c.is_alphanumeric() || c == '_' || c == '-' {
            c
        } else {
            '_'
        }
    };
    let stem: String = stem.chars().map(kept).take(NAME_CHARS).collect();
    let stem = if stem.chars().all(|c| c == '_') {
        "file".to_owned()
    } else {
        stem
    };
    match ending {
        Some(ending) => format!("{stem}.{ending}"),
        None => stem,
    }
}

/// The media type of a file by its ending.
pub(crate) fn media_type(path: &str) -> &'static str {
    match path.rsplit_once('.').map(|(_, ending)| ending) {
        Some("json") => "application/json",
        Some("md" | "markdown") => "text/markdown",
        Some("html" | "htm") => "text/html",
        Some("csv") => "text/csv",
        _ => "text/plain",
    }
}

/// The tools that every loop has, as a model is told of them.
pub(crate) fn tools() -> Vec<Tool> {
    let path = json!({ "type": "object", "properties": { "path": { "type": "string" } }, "required": ["path"] });
    vec![
        Tool {
            name: "list_local_templates",
            description: "Lists the templates of the session.",
            parameters: json!({ "type": "object", "properties": {} }),
        },
        Tool {
            name: "list_local_dir",
            description: "Lists a folder of the session, folders first, such as `datasets`; `.` is the top.",
            parameters: path,
        },
        Tool {
            name: READ,
            description: "Reads a text file of the session. A long one is cut: read on with `offset`, in characters.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "offset": { "type": "integer", "minimum": 0 }
                },
                "required": ["path"]
            }),
        },
        Tool {
            name: "split_markdown_tree",
            description: "Cuts a Markdown file of the session, or a Markdown text, into its tree of headings and its smallest sections.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "path": { "type": "string" },
                    "markdown": { "type": "string" },
                    "include_content": { "type": "boolean", "default": true },
                    "max_content_chars": { "type": "integer", "minimum": 0, "default": CONTENT_CHARS },
                    "collapse_single_h1_root": { "type": "boolean", "default": true }
                }
            }),
        },
        Tool {
            name: "summarize_filenames",
            description: "Says in a sentence what each of these files holds; all data files where none are named.",
            parameters: json!({
                "type": "object",
                "properties": {
                    "files": { "type": "array", "items": { "type": "string" } },
                    "language": { "type": "string", "default": "zh" },
                    "style": { "type": "string" },
                    "max_sentences": { "type": "integer", "minimum": 1, "default": 1 },
                    "max_chars_per_file": { "type": "integer", "minimum": 1, "default": SUMMARY_CHARS }
                }
            }),
        },
    ]
}

/// What a call of one of these tools needs, or that there are only these and the one that hands the result in. Each text that was read is
/// passed to `read`.
pub(crate) fn call<T>(
    work: &Work,
    submit: &'static str,
    name: &str,
    arguments: &Value,
    turns: &[TurnResult],
    read: &mut dyn FnMut(&str, &str),
) -> Step<T> {
    match name {
        "list_local_templates" => answer_call(name, arguments, templates(work), turns),
        "list_local_dir" => match folder(work, arguments["path"].as_str().unwrap_or(".")) {
            Ok(outcome) => answer_call(name, arguments, outcome, turns),
            Err(message) => refuse_call(name, arguments, &message, turns),
        },
        READ => read_file(name, arguments, turns, read),
        "split_markdown_tree" => split(name, arguments, turns),
        "summarize_filenames" => summarize(work, name, arguments, turns),
        _ => {
            let shown: String = name.chars().take(40).collect();
            let known = tools();
            let known = known.iter().map(|tool| tool.name).chain([submit]);
            let known: Vec<_> = known.map(|name| format!("`{name}`")).collect();
            let message = format!("there is no tool `{shown}`; there are {}", known.join(", "));
            refuse_call(name, arguments, &message, turns)
        }
    }
}

fn told(text: String) -> ToolOutcome {
    let summary: String = text.chars().take(200).collect();
    ToolOutcome::gave(Value::String(text), summary)
}

fn templates(work: &Work) -> ToolOutcome {
    let paths = work.files.iter().map(|file| file.path.as_str());
    let paths: Vec<_> = paths
        .filter(|path| path.starts_with(TEMPLATE_FOLDER) && path.ends_with(".md"))
        .collect();
    told(if paths.is_empty() {
        "there are no templates".to_owned()
    } else {
        paths.join("\n")
    })
}

/// Folders first, then files with their sizes.
fn folder(work: &Work, path: &str) -> Result<ToolOutcome, String> {
    let path = path.trim().trim_matches('/');
    if path.split('/').any(|segment| segment == "..") {
        return Err(
            "`..` leads out of the session; name a folder of it, such as `datasets`".to_owned(),
        );
    }
    let inside = if path.is_empty() || path == "." {
        String::new()
    } else {
        format!("{}/", path.trim_start_matches("./"))
    };
    let (mut folders, mut files) = (vec![], vec![]);
    for file in &work.files {
        let Some(rest) = file.path.strip_prefix(&inside) else {
            continue;
        };
        match rest.split_once('/') {
            Some((folder, _)) => folders.push(format!("{folder}/")),
            None => files.push(format!("{rest} ({} bytes)", file.blob.size)),
        }
    }
    folders.dedup();
    if folders.is_empty() && files.is_empty() && !inside.is_empty() {
        let shown: String = path.chars().take(80).collect();
        return Err(format!("there is no folder `{shown}`; list `.` first"));
    }
    folders.extend(files);
    Ok(told(if folders.is_empty() {
        "the session has no files".to_owned()
    } else {
        folders.join("\n")
    }))
}

fn world(tool: &str, input: Value) -> Box<Carry> {
    Box::new(Carry::tool(tool, input))
}

fn output(turn: &TurnResult) -> Value {
    let output = turn.output().cloned();
    output.unwrap_or_else(|| json!({ "error": "the tool gave nothing" }))
}

fn read_file<T>(
    name: &str,
    arguments: &Value,
    turns: &[TurnResult],
    read: &mut dyn FnMut(&str, &str),
) -> Step<T> {
    let Some(turn) = turns.first() else {
        return Step::Next(world(name, arguments.clone()));
    };
    let output = output(turn);
    let (Some(path), Some(text)) = (output["path"].as_str(), output["text"].as_str()) else {
        return done(output_text(&output));
    };
    read(path, text);
    let offset = arguments["offset"].as_u64().unwrap_or(0);
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    done(text.chars().skip(skipped).collect())
}

fn done<T>(output: String) -> Step<T> {
    Step::Done { output, end: None }
}

/// Where a file is named, it is read first; the result is recorded under the tool's own name.
fn split<T>(name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<T> {
    let path = arguments["path"].as_str();
    let (markdown, turns) = match (arguments["markdown"].as_str(), path) {
        (Some(markdown), _) => (markdown.to_owned(), turns),
        (None, Some(path)) => {
            let Some((read, rest)) = turns.split_first() else {
                return Step::Next(world(READ, json!({ "path": path })));
            };
            let output = output(read);
            match output["text"].as_str() {
                Some(text) => (text.to_owned(), rest),
                None => return done(output_text(&output)),
            }
        }
        (None, None) => return refuse_call(name, arguments, "give `path` or `markdown`", turns),
    };
    let most = arguments["max_content_chars"].as_u64();
    let most = usize::try_from(most.unwrap_or(CONTENT_CHARS)).unwrap_or(usize::MAX);
    let flag = |name: &str| arguments[name].as_bool().unwrap_or(true);
    let options = PreviewOptions {
        include_content: flag("include_content"),
        max_content_chars: Some(most),
        collapse_single_h1_root: flag("collapse_single_h1_root"),
    };
    match Tree::parse(&markdown, path) {
        Err(error) => refuse_call(name, arguments, &error.to_string(), turns),
        Ok(tree) => {
            let preview = tree.preview(&options);
            let summary = format!("{}: {} sections", tree.doc_title, tree.leaves.len());
            let outcome = ToolOutcome::gave(preview.json, summary);
            match answer_call::<T>(name, arguments, outcome, turns) {
                // The model reads the outline; the structure is for programs.
                Step::Done { .. } => done(preview.text),
                next @ Step::Next(_) => next,
            }
        }
    }
}

/// One file after another is read and a small model is asked about it; the results are recorded under the tool's own name.
fn summarize<T>(work: &Work, name: &str, arguments: &Value, turns: &[TurnResult]) -> Step<T> {
    let named = arguments["files"].as_array().map(|files| {
        let files = files.iter().filter_map(Value::as_str);
        files.map(str::to_owned).collect()
    });
    let files: Vec<String> =
        named.unwrap_or_else(|| data(work).map(|file| file.path.clone()).collect());
    if files.len() > SUMMARIES_MAX {
        let message = format!(
            "{} files are too many at a time; name at most {SUMMARIES_MAX}",
            files.len()
        );
        return refuse_call(name, arguments, &message, turns);
    }
    let mut rest = turns;
    let mut lines = vec![];
    for path in &files {
        let Some((read, after)) = rest.split_first() else {
            return Step::Next(world(READ, json!({ "path": path })));
        };
        rest = after;
        let read = output(read);
        let Some(text) = read["text"].as_str() else {
            lines.push(json!({ "file": path, "summary": output_text(&read) }));
            continue;
        };
        let Some((told, after)) = rest.split_first() else {
            return Step::Next(Box::new(Carry::from(line_about(
                work, arguments, path, text,
            ))));
        };
        rest = after;
        lines.push(json!({ "file": path, "summary": said(told) }));
    }
    let summary = format!("{} files", lines.len());
    let outcome = ToolOutcome::gave(Value::Array(lines), summary);
    answer_call(name, arguments, outcome, rest)
}

fn said(turn: &TurnResult) -> String {
    use palimpsest::prelude::pipeline::Answer;
    match turn.answer() {
        Some((_, Answer::Text(text) | Answer::Unreadable(text) | Answer::Calls { text, .. })) => {
            text.trim().to_owned()
        }
        Some((_, Answer::Json(value))) => output_text(value),
        None => String::new(),
    }
}

fn line_about(work: &Work, arguments: &Value, path: &str, text: &str) -> ModelTurn {
    let most = arguments["max_chars_per_file"].as_u64();
    let most = most.map_or(SUMMARY_CHARS, |most| {
        usize::try_from(most).unwrap_or(usize::MAX)
    });
    let language = arguments["language"].as_str();
    let language = language.and_then(palimpsest::prelude::pipeline::language::tag);
    let language = language.unwrap_or_else(|| work.settings.language.clone());
    let vars = json!({
        "path": path,
        "text": text.chars().take(most).collect::<String>(),
        "language": palimpsest::prelude::pipeline::language::name(&language),
        "style": arguments["style"].as_str(),
        "sentences": arguments["max_sentences"].as_u64().unwrap_or(1),
    });
    ModelTurn {
        talk: Vec::<Exchange>::new(),
        ..ModelTurn::new(ask::SUMMARIZER, "report/summarize", vars, ask::LINE_TOKENS)
    }
}
