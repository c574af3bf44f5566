//! Puts what a run made into a folder: the deck as one HTML file, deck and report in their other forms, every artifact that
//! is data, and the log of the session.

use std::collections::BTreeSet;
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
    /// The deck as a file of PowerPoint.
    pub(super) pptx: Option<PathBuf>,
    /// The report, and whatever other form of it there is.
    pub(super) reports: Vec<PathBuf>,
    /// The post, and its pictures.
    pub(super) post: Option<PathBuf>,
    pub(super) pictures: usize,
    /// Whether the check of the report found nothing critical, and how much it found.
    pub(super) check: Option<(bool, usize)>,
    /// How many findings the layout report has, the worst kind first: critical, warnings, notes.
    pub(super) findings: Option<[u64; 3]>,
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
    let mut forms = BTreeSet::new();
    let mut delivered = Delivered {
        log: out.join("log.jsonl"),
        ..Delivered::default()
    };
    for artifact in view["artifacts"].as_array().into_iter().flatten() {
        let id = text(artifact, "artifact");
        if !wanted.contains(&id) {
            continue;
        }
        let kind = text(artifact, "kind");
        // Which pictures there are is said by the post.
        if kind == "image" {
            continue;
        }
        let content = format!("/v1/artifacts/{}/content", in_address(&id));
        let (bytes, media_type) = client.content(&content).await?;
        let place = match beside(&kind, &text(artifact, "item")) {
            Some(name) => {
                let place = out.join(name);
                forms.insert(place.clone());
                place
            }
            None => {
                delivered.artifacts += 1;
                let name = name(artifact, &stages);
                folder.join(format!("{name}.{}", projections::ending(&media_type)))
            }
        };
        write(&place, &shown(&bytes, &media_type))?;
        match kind.as_str() {
            "pptx" => delivered.pptx = Some(place),
            "markdown" => delivered.reports.insert(0, place),
            "html" | "docx" => delivered.reports.push(place),
            "layout_report" => delivered.findings = findings(&bytes),
            "report_check" => delivered.check = check(&bytes),
            _ => {}
        }
        if kind == "post" {
            let written = post(client, &bytes, out).await?;
            delivered.pictures = written.len();
            forms.extend(written);
            delivered.post = Some(out.join("post.md"));
        }
        if kind == "ppt_html_doc" {
            let (deck, _) = client.content(&format!("{content}?as=html")).await?;
            let place = out.join("deck.html");
            write(&place, &deck)?;
            delivered.deck = Some(place);
        }
    }
    if delivered.pptx.is_some() {
        remove_others(out, &forms)?;
    }
    if delivered.post.is_some() {
        remove(&numbered(&out.join("images")), &forms)?;
    }
    if !delivered.reports.is_empty() {
        remove(&[out.join("report.html"), out.join("report.docx")], &forms)?;
    }
    write_log(client, session, &delivered.log).await?;
    Ok(delivered)
}

/// A post as one would read it, with its pictures beside it; the places of these.
async fn post(client: &Client, post: &[u8], out: &Path) -> Result<Vec<PathBuf>, Failure> {
    let post: Value = serde_json::from_slice(post)
        .map_err(|error| Failure::unusable(format!("the post is not JSON: {error}")))?;
    let list = |name: &str| post[name].as_array().into_iter().flatten();
    let mut written = vec![];
    let mut pictures = String::new();
    for image in list("images") {
        let id = text(image, "artifact");
        let content = format!("/v1/artifacts/{}/content", in_address(&id));
        let (bytes, media_type) = client.content(&content).await?;
        let number = image["taskId"].as_u64().unwrap_or(0);
        let name = format!("images/{number:02}.{}", projections::ending(&media_type));
        write(&out.join(&name), &bytes)?;
        pictures.push_str(&format!("![]({name})\n"));
        written.push(out.join(name));
    }
    let tags: Vec<_> = list("tags").filter_map(Value::as_str).collect();
    let tags: Vec<_> = tags.iter().map(|tag| format!("#{tag}")).collect();
    let (title, body) = (text(&post, "title"), text(&post, "body"));
    let page = format!("# {title}\n\n{body}\n\n{}\n\n{pictures}", tags.join(" "));
    write(&out.join("post.md"), page.as_bytes())?;
    Ok(written)
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

/// Where a file stands that is no piece of data to look into, but a form of what was made or about it as a whole.
fn beside(kind: &str, item: &str) -> Option<PathBuf> {
    match kind {
        "pptx" => Some("deck.pptx".into()),
        "pdf" => Some("deck.pdf".into()),
        "layout_report" => Some("layout_report.json".into()),
        "markdown" => Some("report.md".into()),
        "html" => Some("report.html".into()),
        "docx" => Some("report.docx".into()),
        "report_check" => Some("report_check.json".into()),
        "post" => Some("post.json".into()),
        "thumbnail" => {
            let page: u32 = item.parse().ok()?;
            Some(Path::new("thumbnails").join(format!("{page:02}.png")))
        }
        _ => None,
    }
}

/// Removes the forms of another deck that was here before: they would pass for forms of this one.
fn remove_others(out: &Path, forms: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    let thumbnails = out.join("thumbnails");
    let mut known = vec![out.join("deck.pdf"), out.join("layout_report.json")];
    known.extend(numbered(&thumbnails));
    remove(&known, forms)
}

/// The pictures of a folder that are called by a number.
fn numbered(folder: &Path) -> Vec<PathBuf> {
    let files = std::fs::read_dir(folder).into_iter().flatten();
    let is_ours = |path: &PathBuf| {
        let stem = path.file_stem().and_then(std::ffi::OsStr::to_str);
        let ending = path.extension().and_then(std::ffi::OsStr::to_str);
        stem.is_some_and(|stem| stem.bytes().all(|b| b.is_ascii_digit()))
            && matches!(ending, Some("png" | "jpg" | "webp"))
    };
    let files = files.flatten().map(|file| file.path());
    files.filter(is_ours).collect()
}

/// Removes those of these files that were not written now.
fn remove(known: &[PathBuf], forms: &BTreeSet<PathBuf>) -> Result<(), Failure> {
    for place in known.iter().filter(|place| !forms.contains(*place)) {
        match std::fs::remove_file(place) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(cannot(place, &error));
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(())
}

/// The counts of a layout report.
fn findings(report: &[u8]) -> Option<[u64; 3]> {
    let report: Value = serde_json::from_slice(report).ok()?;
    let summary = report.get("summary")?;
    let count = |severity: &str| summary.get(severity)?.as_u64();
    Some([count("critical")?, count("warning")?, count("info")?])
}

/// What the check of a report says.
fn check(report: &[u8]) -> Option<(bool, usize)> {
    let report: Value = serde_json::from_slice(report).ok()?;
    let findings = report.get("findings")?.as_array()?.len();
    Some((report.get("passed")?.as_bool()?, findings))
}

fn safe(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
        c
    } else {
        '_'
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
    if let Some(folder) = place.parent() {
        std::fs::create_dir_all(folder).map_err(|error| cannot(folder, &error))?;
    }
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
    fn the_forms_of_the_deck_stand_beside_the_artifacts() {
        let place = |kind, item| beside(kind, item).map(|place| place.display().to_string());
        assert_eq!(place("pptx", "").as_deref(), Some("deck.pptx"));
        assert_eq!(
            place("thumbnail", "7").as_deref(),
            Some("thumbnails/07.png")
        );
        assert_eq!(place("thumbnail", "../x"), None);
        assert_eq!(place("dsl", "document"), None);
    }

    #[test]
    fn pages_of_another_deck_do_not_stay() {
        let folder = tempfile::tempdir().expect("a folder");
        let place = |name: &str| folder.path().join(name);
        for name in [
            "deck.pdf",
            "thumbnails/01.png",
            "thumbnails/02.png",
            "thumbnails/me.png",
        ] {
            write(&place(name), b"x").expect("written");
        }
        let forms = BTreeSet::from([place("thumbnails/01.png")]);
        remove_others(folder.path(), &forms).expect("removed");
        assert!(place("thumbnails/01.png").exists());
        assert!(place("thumbnails/me.png").exists(), "not one of ours");
        assert!(!place("thumbnails/02.png").exists());
        assert!(!place("deck.pdf").exists());
    }

    #[test]
    fn findings_are_counted_by_severity() {
        let report =
            json!({ "summary": { "critical": 0, "warning": 2, "info": 5 }, "findings": [] });
        assert_eq!(findings(report.to_string().as_bytes()), Some([0, 2, 5]));
        assert_eq!(findings(b"{}"), None);
    }

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
