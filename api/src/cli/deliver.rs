//! Puts what a run made into a folder: the deck as one HTML file, every artifact, and the log of the session.

use std::io::Write as _;
use std::path::{Path, PathBuf};

use domain::RunId;
use serde_json::Value;

use super::asking::{address, text};
use super::client::{Client, in_address};
use super::exit::Failure;

/// Events read at a time.
const PAGE: usize = 1_000;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Delivered {
    pub(super) deck: Option<PathBuf>,
    pub(super) artifacts: usize,
    pub(super) log: PathBuf,
}

/// Writes what counts in this run.
pub(super) async fn deliver(
    client: &Client,
    session: &str,
    run: RunId,
    out: &Path,
) -> Result<Delivered, Failure> {
    let folder = out.join("artifacts");
    std::fs::create_dir_all(&folder).map_err(|error| cannot(&folder, &error))?;
    let view = client.get(&address(session)).await?;
    let stages = stages(client, &text(&view, "pipeline")).await?;
    let wanted = wanted(&view, run);
    let mut delivered = Delivered {
        log: out.join("log.jsonl"),
        ..Delivered::default()
    };
    for artifact in view["artifacts"].as_array().into_iter().flatten() {
        let id = text(artifact, "artifact");
        if !wanted.contains(&id) {
            continue;
        }
        let content = format!("/v1/artifacts/{}/content", in_address(&id));
        let (bytes, media_type) = client.content(&content).await?;
        let name = format!("{}.{}", name(artifact, &stages), extension(&media_type));
        write(&folder.join(name), &shown(&bytes, &media_type))?;
        delivered.artifacts += 1;
        if text(artifact, "kind") == "ppt_html_doc" {
            let (deck, _) = client.content(&format!("{content}?as=html")).await?;
            let place = out.join("deck.html");
            write(&place, &deck)?;
            delivered.deck = Some(place);
        }
    }
    write_log(client, session, &delivered.log).await?;
    Ok(delivered)
}

/// The names of a pipeline's stages, in their order.
async fn stages(client: &Client, pipeline: &str) -> Result<Vec<String>, Failure> {
    let all = client.get("/v1/pipelines").await?;
    let ours = all["pipelines"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|p| p["name"] == pipeline);
    let stages = ours
        .and_then(|pipeline| pipeline["stages"].as_array())
        .into_iter()
        .flatten();
    Ok(stages.map(|stage| text(stage, "name")).collect())
}

/// The ids of the artifacts that count in a run.
fn wanted(view: &Value, run: RunId) -> Vec<String> {
    let run = run.to_string();
    let ours = view["runs"]
        .as_array()
        .into_iter()
        .flatten()
        .find(|r| r["run"] == run.as_str());
    let artifacts = ours
        .and_then(|run| run["artifacts"].as_array())
        .into_iter()
        .flatten();
    artifacts
        .filter_map(|id| id.as_str().map(str::to_owned))
        .collect()
}

/// `03-video_outline`, `06-ppt_html-02`.
fn name(artifact: &Value, stages: &[String]) -> String {
    let step = text(artifact, "step");
    let stage = step.split('/').nth(1).unwrap_or_default();
    let order = stages
        .iter()
        .position(|known| known == stage)
        .map_or(0, |place| place + 1);
    let kind: String = text(artifact, "kind").chars().map(safe).collect();
    let item = text(artifact, "item");
    // With two digits, so that pages stand in their order.
    let item = item.parse::<u32>().map_or_else(
        |_| item.chars().map(safe).collect(),
        |number| format!("{number:02}"),
    );
    if item.is_empty() {
        format!("{order:02}-{kind}")
    } else {
        format!("{order:02}-{kind}-{item}")
    }
}

fn safe(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
        c
    } else {
        '_'
    }
}

fn extension(media_type: &str) -> &str {
    let essence = media_type.split(';').next().unwrap_or_default();
    match essence {
        "application/json" => "json",
        "text/plain" => "txt",
        other => mime_guess::get_mime_extensions_str(other)
            .and_then(|all| all.first())
            .copied()
            .unwrap_or("bin"),
    }
}

/// JSON on several lines, since people look into these files.
fn shown(bytes: &[u8], media_type: &str) -> Vec<u8> {
    if media_type.starts_with("application/json")
        && let Ok(value) = serde_json::from_slice::<Value>(bytes)
        && let Ok(mut pretty) = serde_json::to_vec_pretty(&value)
    {
        pretty.push(b'\n');
        return pretty;
    }
    bytes.to_vec()
}

async fn write_log(client: &Client, session: &str, place: &Path) -> Result<(), Failure> {
    let file = std::fs::File::create(place).map_err(|error| cannot(place, &error))?;
    let mut file = std::io::BufWriter::new(file);
    let mut cursor = "start".to_owned();
    loop {
        let page = client
            .get(&format!(
                "{}/events?limit={PAGE}&after={cursor}",
                address(session)
            ))
            .await?;
        cursor = text(&page, "cursor");
        for frame in page["events"].as_array().into_iter().flatten() {
            writeln!(file, "{frame}").map_err(|error| cannot(place, &error))?;
        }
        if page["up_to_date"].as_bool() != Some(false) {
            return file.flush().map_err(|error| cannot(place, &error));
        }
    }
}

fn write(place: &Path, bytes: &[u8]) -> Result<(), Failure> {
    std::fs::write(place, bytes).map_err(|error| cannot(place, &error))
}

fn cannot(place: &Path, error: &std::io::Error) -> Failure {
    let advice = if error.kind() == std::io::ErrorKind::StorageFull {
        "make room on the disk and run again with --resume"
    } else {
        "name a folder that can be written to with --out"
    };
    Failure::unusable(format!(
        "{} cannot be written: {error}; {advice}",
        place.display()
    ))
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn files_are_named_by_stage_kind_and_page() {
        let stages = ["analyze_topic".to_owned(), "generate_slides".to_owned()];
        let artifact = |kind: &str, step: &str, item: &str| json!({ "kind": kind, "step": step, "item": item });
        let name = |artifact: Value| super::name(&artifact, &stages);
        assert_eq!(
            name(artifact("requirement_analysis", "r1/analyze_topic", "")),
            "01-requirement_analysis"
        );
        assert_eq!(
            name(artifact("ppt_html", "r1/generate_slides/3", "3")),
            "02-ppt_html-03"
        );
        assert_eq!(
            name(artifact("../x", "r1/other/../../y", "../../y")),
            "00-___x-______y"
        );
    }
}
