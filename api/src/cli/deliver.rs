//! Puts what a run made into a folder: the forms that its pipeline describes, every artifact that is data, and the log of the
//! session.

use std::collections::{BTreeMap, BTreeSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};

use domain::delivery::{ENDING, ITEM};
use domain::material::{MATERIAL, MaterialAccount, MaterialFile};
use domain::pictures::CarriedPicture;
use domain::{ArtifactId, RunId};
use projections::view::{ArtifactView, OutcomeView, RunView, SessionView};
use projections::wire::native::NativeEvent;
use serde_json::Value;

use super::asking::{address, session_view, text};
use super::described::{
    DescribedCheck, DescribedForm, DescribedPage, DescribedPipeline, DescribedStage, inside,
    numbered,
};
use super::frames::FramePage;
use crate::request::in_address;
use crate::verb::{Client, Failure, OutFolder, cannot};

/// Events read at a time.
const PAGE: usize = 1_000;

/// What was written.
#[derive(Clone, Debug, Default, PartialEq)]
pub(super) struct Delivered {
    pub(super) forms: Vec<LeftForm>,
    pub(super) checks: Vec<LeftCheck>,
    pub(super) artifacts: usize,
    pub(super) log: PathBuf,
    /// The files of which only a part was given to those who worked from them.
    pub(super) cut: Vec<MaterialFile>,
    /// The run that this one was to change, if it left the same and did not say so itself.
    pub(super) same_as: Option<RunId>,
}

/// A form that was written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeftForm {
    pub(super) title: String,
    /// The file, or its folder if there are several files.
    pub(super) place: PathBuf,
    pub(super) files: usize,
    /// For a page: the number of pictures beside it.
    pub(super) pictures: Option<usize>,
}

/// Whether a check passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum CheckOutcome {
    /// The check only counts, and neither passes nor fails.
    Unsaid,
    Passed,
    Failed,
    /// The check could not look at everything that it is about.
    NotChecked,
}

/// The result of a check.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct LeftCheck {
    pub(super) title: String,
    pub(super) place: PathBuf,
    pub(super) outcome: CheckOutcome,
    /// Numbers of findings by severity, the worst first.
    pub(super) counts: Vec<(u64, String)>,
    pub(super) findings: Vec<String>,
}

/// Writes the current artifacts of this run.
pub(super) async fn deliver(
    client: &Client,
    session: &str,
    run: RunId,
    pipeline: &DescribedPipeline,
    out: &Path,
) -> Result<Delivered, Failure> {
    let out = &OutFolder::open(out)?;
    out.folder(Path::new("artifacts"))?;
    let view = session_view(client, session).await?;
    let wanted = wanted(&view, run);
    let mut delivery = Delivery {
        client,
        pipeline,
        out,
        left: BTreeMap::new(),
        pictures: BTreeMap::new(),
        checks: vec![],
        kinds: BTreeSet::new(),
        artifacts: 0,
        cut: vec![],
    };
    for artifact in &view.artifacts {
        if wanted.contains(&artifact.artifact) {
            delivery.artifact(artifact).await?;
        }
    }
    delivery.remove_stale()?;
    let log = write_log(client, session, out).await?;
    Ok(Delivered {
        same_as: same_as(&view, run),
        ..delivery.done(log)
    })
}

/// A delivery at work.
struct Delivery<'a> {
    client: &'a Client,
    pipeline: &'a DescribedPipeline,
    out: &'a OutFolder,
    /// The files that were written for each form, by the form's index in the description.
    left: BTreeMap<usize, Vec<PathBuf>>,
    /// The pictures of each page, by the same index.
    pictures: BTreeMap<usize, Vec<PathBuf>>,
    checks: Vec<(String, LeftCheck)>,
    kinds: BTreeSet<String>,
    artifacts: usize,
    cut: Vec<MaterialFile>,
}

impl Delivery<'_> {
    async fn artifact(&mut self, artifact: &ArtifactView) -> Result<(), Failure> {
        let kind = artifact.kind.as_str();
        if self.pipeline.has_pictures_of(kind) {
            return Ok(());
        }
        let (bytes, media_type) = self.client.content(&artifact.content).await?;
        let place = self.content(artifact, &bytes, &media_type)?;
        for (index, form) in self.pipeline.forms.iter().enumerate() {
            if form.kind == kind && !form.is_content() {
                self.form(index, form, artifact, &bytes).await?;
            }
        }
        for check in &self.pipeline.checks {
            if check.kind == kind
                && let Some(left) = read_check(check, &bytes, &place)
            {
                self.checks.push((kind.to_owned(), left));
            }
        }
        if kind == MATERIAL
            && let Ok(account) = serde_json::from_slice::<MaterialAccount>(&bytes)
        {
            let files = account.files.into_iter();
            self.cut = files.filter(|file| file.given_chars.is_some()).collect();
        }
        self.kinds.insert(kind.to_owned());
        Ok(())
    }

    /// Writes the content as it is: as the file that a form names, else among the artifacts.
    fn content(
        &mut self,
        artifact: &ArtifactView,
        bytes: &[u8],
        media_type: &str,
    ) -> Result<PathBuf, Failure> {
        let forms = self.pipeline.forms.iter().enumerate();
        let named = forms
            .filter(|(_, form)| form.kind == artifact.kind && form.is_content())
            .find_map(|(index, form)| Some((index, form.place(&artifact.item)?)));
        let file = match &named {
            Some((_, file)) => file.clone(),
            None => {
                self.artifacts += 1;
                let name = name(artifact, &self.pipeline.stages);
                let ending = projections::ending(media_type);
                Path::new("artifacts").join(format!("{name}.{ending}"))
            }
        };
        let place = self.out.write(&file, &shown(bytes, media_type))?;
        if let Some((index, _)) = named {
            self.left.entry(index).or_default().push(place.clone());
        }
        Ok(place)
    }

    /// Writes a form that is not the content itself: a page that is put together here, or a form that the server makes.
    async fn form(
        &mut self,
        index: usize,
        form: &DescribedForm,
        artifact: &ArtifactView,
        bytes: &[u8],
    ) -> Result<(), Failure> {
        let Some(file) = form.place(&artifact.item) else {
            return Ok(());
        };
        let place = self.out.named().join(&file);
        if let Some(page) = &form.page {
            let pictures = write_page(self.client, page, bytes, &file, self.out).await?;
            self.pictures.entry(index).or_default().extend(pictures);
        } else if let Some(rendered) = &form.rendered {
            let address = format!("{}?as={rendered}", artifact.content);
            let (bytes, _) = self.client.content(&address).await?;
            self.out.write(&file, &bytes)?;
        }
        self.left.entry(index).or_default().push(place);
        Ok(())
    }

    /// Removes the forms of an earlier run in this folder, which would be taken for forms of this run. Only done if this run has a
    /// deliverable: what a failed run made does not replace what was here.
    fn remove_stale(&self) -> Result<(), Failure> {
        if !self.kinds.contains(&self.pipeline.delivers) {
            return Ok(());
        }
        let written = self.left.values().chain(self.pictures.values()).flatten();
        let written: BTreeSet<_> = written.cloned().collect();
        let mut known = vec![];
        for file in self.pipeline.files().filter_map(inside) {
            if file.to_string_lossy().contains(ITEM) {
                // Fails if the folder is a link that leads out, so that nothing is removed there.
                let folder = self.out.folder(file.parent().unwrap_or(Path::new("")))?;
                known.extend(numbered_pictures(&folder));
            } else {
                known.push(self.out.named().join(file));
            }
        }
        remove(&known, &written)
    }

    fn done(self, log: PathBuf) -> Delivered {
        let left = |(index, files): (usize, Vec<PathBuf>)| {
            let form = &self.pipeline.forms[index];
            // The place of a check is reported together with its result.
            let is_check = self.checks.iter().any(|(kind, _)| *kind == form.kind);
            let first = files.first().filter(|_| !is_check)?;
            let folder = first.parent().filter(|_| form.file.contains(ITEM));
            Some(LeftForm {
                title: form.title.clone(),
                place: folder.unwrap_or(first).to_owned(),
                files: files.len(),
                pictures: self.pictures.get(&index).map(Vec::len),
            })
        };
        Delivered {
            forms: self.left.clone().into_iter().filter_map(left).collect(),
            checks: self.checks.into_iter().map(|(_, check)| check).collect(),
            artifacts: self.artifacts,
            log,
            cut: self.cut,
            same_as: None,
        }
    }
}

fn content_of(artifact: &str) -> String {
    format!("/v1/artifacts/{}/content", in_address(artifact))
}

/// Writes a page as a person reads it, with its pictures beside it; returns the places of the pictures.
async fn write_page(
    client: &Client,
    page: &DescribedPage,
    content: &[u8],
    place: &Path,
    out: &OutFolder,
) -> Result<Vec<PathBuf>, Failure> {
    let content: Value = serde_json::from_slice(content)
        .map_err(|error| Failure::unusable(format!("what was made is not JSON: {error}")))?;
    let list = |at: &str| {
        let list = content.pointer(at).and_then(Value::as_array);
        list.into_iter().flatten()
    };
    let said = |at: &str| {
        let said = content.pointer(at).and_then(Value::as_str);
        said.unwrap_or_default()
    };
    let described = &page.pictures;
    let mut written = vec![];
    let mut pictures = String::new();
    for picture in list(&described.list) {
        let id = text(picture, &described.artifact);
        let (bytes, media_type) = client.content(&content_of(&id)).await?;
        let number = picture[&described.number].as_u64();
        let number = u32::try_from(number.unwrap_or(0)).unwrap_or(u32::MAX);
        let name = numbered(&described.file, number);
        let name = name.replace(ENDING, projections::ending(&media_type));
        let Some(file) = inside(&name) else { continue };
        written.push(out.write(&file, &bytes)?);
        pictures.push_str(&format!("![]({name})\n"));
    }
    let tags = list(&page.tags).filter_map(Value::as_str);
    let tags: Vec<_> = tags.map(|tag| format!("#{tag}")).collect();
    let page = format!(
        "# {}\n\n{}\n\n{}\n\n{pictures}",
        said(&page.title),
        said(&page.text),
        tags.join(" ")
    );
    out.write(place, page.as_bytes())?;
    Ok(written)
}

/// The result of a check; `None` if the content is not as the pipeline describes it.
fn read_check(check: &DescribedCheck, content: &[u8], place: &Path) -> Option<LeftCheck> {
    let content: Value = serde_json::from_slice(content).ok()?;
    let outcome = match &check.passed {
        None => CheckOutcome::Unsaid,
        Some(at) => {
            let passed = content.pointer(at)?;
            match (passed.as_str(), &check.words) {
                (Some(said), Some([yes, _])) if said == yes => CheckOutcome::Passed,
                (Some(said), Some([_, unseen])) if said == unseen => CheckOutcome::NotChecked,
                (Some(_), Some(_)) => CheckOutcome::Failed,
                (Some(_), None) => return None,
                (None, _) if passed.is_null() => CheckOutcome::NotChecked,
                (None, _) if passed.as_bool()? => CheckOutcome::Passed,
                (None, _) => CheckOutcome::Failed,
            }
        }
    };
    let mut counts = vec![];
    for count in &check.counts {
        let found = content.pointer(&count.at)?;
        let number = match found.as_array() {
            Some(list) => list.len() as u64,
            None => found.as_u64()?,
        };
        counts.push((number, count.title.clone()));
    }
    let list = |at: &Option<String>| {
        let list = at.as_ref().and_then(|at| content.pointer(at));
        list.and_then(Value::as_array).into_iter().flatten()
    };
    let findings = list(&check.findings).map(|finding| match finding.get("message") {
        Some(_) => text(finding, "message"),
        None => text(finding, "description"),
    });
    let unseen = list(&check.unseen).filter_map(Value::as_str);
    Some(LeftCheck {
        title: check.title.clone(),
        place: place.to_owned(),
        outcome,
        counts,
        findings: findings.chain(unseen.map(str::to_owned)).collect(),
    })
}

/// The ids of the current artifacts of a run. A run that made nothing, such as one that went back to an earlier one, leaves what counts in
/// the session.
fn wanted(view: &SessionView, run: RunId) -> &[ArtifactId] {
    let of = |wanted: RunId| {
        let run = view.runs.iter().find(|run| run.run == wanted);
        run.map(|run| run.artifacts.as_slice()).unwrap_or_default()
    };
    match view.head {
        Some(head) if of(run).is_empty() => of(head),
        Some(_) | None => of(run),
    }
}

/// The run that this one was to change, if the deliverable is the same, byte for byte, and the run has said nothing.
fn same_as(view: &SessionView, run: RunId) -> Option<RunId> {
    let run_of = |id: RunId| view.runs.iter().find(|run| run.run == id);
    let made = |run: &RunView| {
        let Some(OutcomeView::Completed { final_artifact, .. }) = &run.outcome else {
            return None;
        };
        let id = final_artifact.as_ref()?;
        let artifact = view.artifacts.iter().find(|made| made.artifact == *id)?;
        artifact.blob.as_ref().map(|blob| blob.sha256.clone())
    };
    let ours = run_of(run).filter(|run| run.feedback.is_some())?;
    let base = ours.base_run?;
    let mut said = view.messages.iter().filter(|said| said.run == run);
    if said.any(|said| said.role == "assistant") {
        return None;
    }
    let is_same = made(ours)? == made(run_of(base)?)?;
    is_same.then_some(base)
}

/// The file name of an artifact, from its stage, kind and item: `03-outline`, `06-page-02`.
fn name(artifact: &ArtifactView, stages: &[DescribedStage]) -> String {
    let order = stages
        .iter()
        .position(|known| known.name == artifact.step.stage)
        .map_or(0, |place| place + 1);
    let kind: String = artifact.kind.chars().map(safe).collect();
    let item = &artifact.item;
    // Numbers have two digits, so that files are sorted in the order of pages.
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

/// The pictures in a folder whose names are numbers.
fn numbered_pictures(folder: &Path) -> Vec<PathBuf> {
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

/// Removes those of the known files that this run did not write.
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

fn safe(c: char) -> char {
    if c.is_ascii_alphanumeric() || matches!(c, '-' | '_') {
        c
    } else {
        '_'
    }
}

/// JSON is written on several lines, since people look into these files.
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

/// Writes the log, and the pictures that were taken out of sources, which the delivered files may refer to.
async fn write_log(client: &Client, session: &str, out: &OutFolder) -> Result<PathBuf, Failure> {
    let mut pictures = BTreeMap::new();
    let name = Path::new("log.jsonl");
    let place = out.named().join(name);
    let mut file = std::io::BufWriter::new(out.create(name)?);
    let query = format!("limit={PAGE}");
    let mut cursor = "start".to_owned();
    loop {
        let page = FramePage::read_after(&cursor, client, session, &query).await?;
        for frame in page.events {
            writeln!(file, "{}", frame.json).map_err(|error| cannot(&place, &error))?;
            if let Some(NativeEvent::FileRemoved(removed)) = &frame.event {
                pictures.remove(&removed.path);
            } else if let Some(NativeEvent::FilePut(put)) = frame.event
                && CarriedPicture::is_taken(&put.path, &put.sha256.hex())
            {
                pictures.insert(put.path, put.sha256);
            }
        }
        if page.up_to_date {
            file.flush().map_err(|error| cannot(&place, &error))?;
            break;
        }
        cursor = page.cursor;
    }
    for (path, sha256) in pictures {
        let blob = format!("{}/blobs/{sha256}", address(session));
        if let Some(file) = inside(&path) {
            let (bytes, _) = client.content(&blob).await?;
            out.write(&file, &bytes)?;
        }
    }
    Ok(place)
}

#[cfg(test)]
mod tests {
    use domain::delivery::{CheckInfo, CountInfo, FormInfo};
    use domain::pipeline::Description;
    use domain::settings::{Budget, Settings};
    use serde_json::json;

    use super::*;

    /// A pipeline that delivers a book with pictures of its pages, and checks it in three ways, as a server describes it.
    fn described() -> DescribedPipeline {
        let count = |title, at| CountInfo { title, at };
        let check = |kind, title, counts| CheckInfo {
            kind,
            title,
            counts,
            ..CheckInfo::default()
        };
        let description = Description {
            delivers: "book",
            forms: vec![
                FormInfo::new("book", "Book", "book.epub"),
                FormInfo::new("printed", "Pages", "book.pdf"),
                FormInfo::new("picture", "Pictures", "pictures/{item}.png"),
            ],
            checks: vec![
                check(
                    "spelling",
                    "Spelling",
                    vec![
                        count("errors", "/summary/errors"),
                        count("doubts", "/summary/doubts"),
                    ],
                ),
                CheckInfo {
                    passed: Some("/passed"),
                    findings: Some("/findings"),
                    ..check("facts", "Facts", vec![count("findings", "/findings")])
                },
                CheckInfo {
                    passed: Some("/status"),
                    words: Some(["passed", "not_checked"]),
                    findings: Some("/issues"),
                    unseen: Some("/notChecked"),
                    ..check("plot", "Plot", vec![count("issues", "/issues")])
                },
            ],
            ..Description::default()
        };
        let json = serde_json::to_value(description).expect("JSON");
        serde_json::from_value(json).expect("as described")
    }

    fn place(pipeline: &DescribedPipeline, kind: &str, item: &str) -> Option<String> {
        let mut forms = pipeline.forms.iter().filter(|form| form.kind == kind);
        let form = forms.find(|form| form.is_content())?;
        form.place(item).map(|place| place.display().to_string())
    }

    #[test]
    fn forms_stand_beside_the_artifacts_under_their_names() {
        let pipeline = described();
        let place = |kind, item| place(&pipeline, kind, item);
        assert_eq!(place("book", "").as_deref(), Some("book.epub"));
        let seventh = Some("pictures/07.png");
        assert_eq!(place("picture", "7").as_deref(), seventh);
        assert_eq!(place("picture", "../x"), None);
        assert_eq!(place("outline", "1"), None);
        assert_eq!(inside("../book.pdf"), None);
        assert_eq!(inside("/book.pdf"), None);
    }

    #[test]
    fn forms_of_something_else_do_not_stay_beside_a_deliverable() {
        let folder = tempfile::tempdir().expect("a folder");
        let out = OutFolder::open(folder.path()).expect("there");
        let place = |name: &str| folder.path().join(name);
        for name in [
            "book.pdf",
            "pictures/01.png",
            "pictures/02.png",
            "pictures/me.png",
            "mine.pdf",
        ] {
            out.write(Path::new(name), b"x").expect("written");
        }
        let pipeline = described();
        let client = Client::within(axum::Router::new());
        let mut delivery = Delivery {
            client: &client,
            pipeline: &pipeline,
            out: &out,
            left: BTreeMap::from([(2, vec![place("pictures/01.png")])]),
            pictures: BTreeMap::new(),
            checks: vec![],
            kinds: BTreeSet::new(),
            artifacts: 0,
            cut: vec![],
        };
        delivery.remove_stale().expect("nothing to do");
        assert!(place("book.pdf").exists(), "the run left no deliverable");
        delivery.kinds.insert("book".to_owned());
        delivery.remove_stale().expect("removed");
        assert!(place("pictures/01.png").exists());
        assert!(place("pictures/me.png").exists(), "not one of ours");
        assert!(place("mine.pdf").exists(), "not one of ours");
        assert!(!place("pictures/02.png").exists());
        assert!(!place("book.pdf").exists());
    }

    #[test]
    fn checks_are_read_where_their_description_says() {
        let check = |index: usize, content: Value| {
            let pipeline = described();
            let content = content.to_string();
            let check = &pipeline.checks[index];
            let read = read_check(check, content.as_bytes(), Path::new("x"));
            read.map(|check| (check.outcome, check.counts, check.findings))
        };
        let (spelling, facts, plot) = (0, 1, 2);
        let count = |number, title: &str| (number, title.to_owned());
        let counted = json!({ "summary": { "errors": 0, "doubts": 2 }, "findings": [] });
        let counts = vec![count(0, "errors"), count(2, "doubts")];
        let expected = (CheckOutcome::Unsaid, counts, vec![]);
        assert_eq!(check(spelling, counted), Some(expected));
        assert_eq!(check(spelling, json!({})), None);
        let failed = json!({ "passed": false, "findings": [{ "message": "one" }] });
        let counts = vec![count(1, "findings")];
        let expected = (CheckOutcome::Failed, counts, vec!["one".to_owned()]);
        assert_eq!(check(facts, failed), Some(expected));
        let unseen = json!({ "passed": null, "findings": [] });
        let outcome = check(facts, unseen).map(|(outcome, ..)| outcome);
        assert_eq!(outcome, Some(CheckOutcome::NotChecked));
        let unseen =
            json!({ "status": "not_checked", "issues": [], "notChecked": ["there is no prose"] });
        let counts = vec![count(0, "issues")];
        let unchecked = CheckOutcome::NotChecked;
        let expected = (unchecked, counts, vec!["there is no prose".to_owned()]);
        assert_eq!(check(plot, unseen), Some(expected));
    }

    /// An artifact with these fields. The others are the same for every artifact.
    fn artifact(fields: Value) -> ArtifactView {
        let mut all = json!({
            "artifact": "art_1", "kind": "book", "number": 1, "title": "", "run": "r1", "step": "r1/bind", "item": "", "from": [],
            "current": true, "content": "/v1/artifacts/art_1/content",
        });
        let fields = fields.as_object().expect("an object").clone();
        all.as_object_mut().expect("an object").extend(fields);
        serde_json::from_value(all).expect("an artifact")
    }

    #[test]
    fn a_change_that_leaves_the_same_file_is_told_unless_it_was_said() {
        let made = |id: &str, sha256: &str| {
            let blob = json!({ "sha256": sha256, "size": 1, "media_type": "text/plain" });
            artifact(json!({ "artifact": id, "blob": blob }))
        };
        let run = |name: &str, base: Value, feedback: Value| {
            json!({ "run": name, "base_run": base, "feedback": feedback,
                "outcome": { "is": "completed", "final": format!("art_{name}"), "partial": false },
                "children": [], "pipeline": "book", "status": "completed", "brief": "", "started_at": "", "settings": Settings::default(),
                "budget": {
                    "limits": Budget::default(),
                    "spent": { "calls": 0, "input_tokens": 0, "output_tokens": 0, "cost_micros": 0, "working_ms": 0 },
                    "reserved": { "calls": 0, "tokens": 0, "cost_micros": 0 },
                },
                "stages": [], "gates": [], "decisions": [], "artifacts": [] })
        };
        let view = |sha256: &str, role: &str| -> SessionView {
            let view = json!({
                "version": 9, "title": "", "pipeline": "book", "erased": false, "queue": [], "files": [],
                "runs": [run("r1", Value::Null, Value::Null), run("r2", json!("r1"), json!("bolder"))],
                "artifacts": [made("art_r1", "ab"), made("art_r2", sha256)],
                "messages": [{ "message": "msg_1", "role": role, "text": "", "run": "r2" }],
            });
            serde_json::from_value(view).expect("a session")
        };
        assert_eq!(same_as(&view("ab", "user"), RunId(2)), Some(RunId(1)));
        assert_eq!(same_as(&view("cd", "user"), RunId(2)), None);
        assert_eq!(same_as(&view("ab", "assistant"), RunId(2)), None);
        assert_eq!(same_as(&view("ab", "assistant"), RunId(1)), None);
    }

    #[test]
    fn files_are_named_by_stage_kind_and_page() {
        let stages = ["plan", "write_chapters"].map(|name| DescribedStage {
            name: name.to_owned(),
            title: String::new(),
        });
        let name = |kind: &str, step: &str, item: &str| {
            let made = artifact(json!({ "kind": kind, "step": step, "item": item }));
            super::name(&made, &stages)
        };
        assert_eq!(name("outline", "r1/plan", ""), "01-outline");
        let third = name("chapter_text", "r1/write_chapters/3", "3");
        assert_eq!(third, "02-chapter_text-03");
        let hostile = name("../x", "r1/other/../../y", "../../y");
        assert_eq!(hostile, "00-___x-______y");
    }
}
