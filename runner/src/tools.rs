//! The tools that need the world: what a step asks of them, and what they give. What a tool gives is in the log as it was
//! given, also that it gave nothing.

use domain::carry::{ToolOutcome, ToolTurn};
use domain::event::CallError;
use serde_json::{Value, json};

use crate::engine::Engine;
use crate::material;
use crate::resources;
use crate::turn::Place;
use crate::worker::Stop;

/// Results that a search is asked for when the step does not say.
const SEARCH_RESULTS: u64 = 8;

/// The largest file that is read as text, in bytes; whoever needs more of a table asks for a part of it.
const FILE_BYTES_MAX: u64 = 16 * 1024 * 1024;

pub(crate) async fn run(place: &Place<'_>, turn: &ToolTurn) -> Result<ToolOutcome, Stop> {
    match turn.tool.as_str() {
        "web_search" => Ok(web_search(place.engine, &turn.input).await),
        "load_resources" => {
            let owner = &place.stream.owner;
            Ok(resources::load(place.engine, owner, &turn.input).await)
        }
        "read_local_file" => read_local_file(place, &turn.input).await,
        other => Ok(refused(
            "unknown_tool",
            &format!("there is no tool `{other}`"),
            false,
        )),
    }
}

async fn web_search(engine: &Engine, input: &Value) -> ToolOutcome {
    let Some(search) = &engine.0.parts.search else {
        return refused("off", "web search is off: no endpoint is configured", false);
    };
    let query = input
        .get("query")
        .and_then(Value::as_str)
        .unwrap_or_default();
    let count = input
        .get("count")
        .and_then(Value::as_u64)
        .unwrap_or(SEARCH_RESULTS);
    match search
        .search(query, usize::try_from(count).unwrap_or(usize::MAX))
        .await
    {
        Ok(results) => ToolOutcome {
            summary: format!("{} results for `{query}`", results.len()),
            output: json!({ "query": query, "results": results }),
            error: None,
            blobs: vec![],
            cost_micros: 0,
        },
        Err(error) => refused("search_failed", &error.to_string(), error.retryable()),
    }
}

/// A text file of the session, whole: `{path, text}`.
async fn read_local_file(place: &Place<'_>, input: &Value) -> Result<ToolOutcome, Stop> {
    let path = input.get("path").and_then(Value::as_str);
    let path = path.unwrap_or_default();
    let session = place.engine.session(place.stream).await?;
    let Some(file) = session.files.get(path) else {
        let shown: String = path.chars().take(200).collect();
        let message = format!("there is no file `{shown}` in this session; list the folders first");
        return Ok(refused("no_file", &message, false));
    };
    if file.blob.size > FILE_BYTES_MAX {
        let message = format!(
            "`{path}` has {} bytes; at most {FILE_BYTES_MAX} are read",
            file.blob.size
        );
        return Ok(refused("file_too_large", &message, false));
    }
    let log = place.engine.log().as_ref();
    let bytes = material::blob(log, place.stream, &file.blob.sha256).await?;
    let Ok(text) = std::str::from_utf8(&bytes) else {
        let message = format!("`{path}` is {} and no text", file.media_type);
        return Ok(refused("no_text", &message, false));
    };
    let text = text.trim_start_matches('\u{feff}');
    let summary = format!("{path}: {} characters", text.chars().count());
    Ok(ToolOutcome {
        output: json!({ "path": path, "text": text }),
        summary,
        error: None,
        blobs: vec![],
        cost_micros: 0,
    })
}

fn refused(code: &str, message: &str, retryable: bool) -> ToolOutcome {
    let error = CallError {
        code: code.to_owned(),
        message: message.to_owned(),
        retryable,
        retry_after_ms: None,
    };
    ToolOutcome {
        output: json!({ "results": [], "error": message, "retryable": retryable }),
        summary: message.to_owned(),
        error: Some(error),
        blobs: vec![],
        cost_micros: 0,
    }
}
