//! Imports: the document of a project, or a manuscript that is split into chapters.

use std::collections::BTreeMap;

use axum::body::Bytes;
use axum::extract::{FromRequest, Request};
use axum::http::StatusCode;
use axum::response::Response;
use intake::{ChapterKind, IntakeLimits, Manuscript, ManuscriptChapter, manuscript};
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::text::language_of;
use palimpsest::prelude::resource::declared_type;
use palimpsest::prelude::resource::project::{
    CHAPTER_BYTES_MAX, Chapter, ComingText, Description, Entry, NAME_CHARS_MAX, Project, Standing,
    Volume, What,
};
use palimpsest::prelude::resource::project_commands::{ProjectCommand, TakeWhole, brought_in};
use palimpsest::prelude::wire::{ApiError, ApiQuery, ErrorAnswer, Form, FormError, is_form};
use serde::Deserialize;
use serde_json::{Value, json};
use spec::book::TextForm;
use spec::source::{BlockContent, Location, RichText, SourceBlock, SourceDocument};
use utoipa::IntoParams;

use super::answers::tagged;
use super::described::ProjectDoc;
use super::desk::Desk;
use super::limits::IMPORT_BYTES_MAX;
use super::projects::shown;
use crate::readings::exchange::{ProjectExchange, read as read_document};
use crate::readings::prose::word_count;

/// What comes in.
#[derive(Clone, Debug, Default, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ImportQuery {
    /// The name of the file, where the body is one; that of the form's `file` else.
    name: Option<String>,
    /// What the project is called; as the document says, or the file, where absent.
    title: Option<String>,
    /// Whether the chapters of a manuscript hold in the story at once; they are drafts else.
    #[serde(default)]
    accept: bool,
}

/// Bring a story in as a new project
///
/// The document that `export?format=json` gives, or a manuscript: `.md`, `.txt`, `.docx`, `.epub` and whatever else can be read. As the
/// body with its `name`, or as the `file` of a form. A manuscript is split by the lines above its chapters; nothing of it is lost, and
/// `remarks` say how it was split.
#[utoipa::path(post, path = "/api/projects/import", operation_id = "import_story", tag = "stories",
    request_body(content((Object = "application/json"), (String = "application/octet-stream"), (Object = "multipart/form-data"))),
    params(ImportQuery),
    responses(
        (status = 201, description = "the project, with `chapters`, `volumes`, `remarks` and `omissions`", body = ProjectDoc),
        (status = 400, description = "not JSON, or a file without a name", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "no project, and nothing that can be read", body = ErrorAnswer)))]
pub(super) async fn import(
    desk: Desk,
    ApiQuery(query): ApiQuery<ImportQuery>,
    request: Request,
) -> Result<Response, ApiError> {
    let (name, bytes) = file(request, query.name.clone()).await?;
    let id = desk.new_id("project");
    let is_document = name.to_ascii_lowercase().ends_with(".json");
    if is_document {
        return document(&desk, &id, query, bytes).await;
    }
    let read = tokio::task::spawn_blocking(move || {
        let read = manuscript(&name, &bytes, &IntakeLimits::default(), &|| false);
        read.map(|read| Coming::of(read, &name, query.title.as_deref(), query.accept))
    });
    let read = read.await;
    let read = read.map_err(|error| ApiError::internal("reading a manuscript", error))?;
    let coming =
        read.map_err(|error| ApiError::unprocessable("bad_manuscript", error.to_string()))?;
    let says = coming.says.clone();
    let (command, texts) = brought_in(
        &Project::default(),
        coming.description,
        coming.entries,
        coming.texts,
        "brought in from a manuscript",
    );
    let project = desk.change(&id, command, texts).await?.project;
    Ok(told(&id, &project, says))
}

async fn document(
    desk: &Desk,
    id: &str,
    query: ImportQuery,
    bytes: Bytes,
) -> Result<Response, ApiError> {
    let read = tokio::task::spawn_blocking(move || -> Result<ProjectExchange, ApiError> {
        let document: Value = serde_json::from_slice(&bytes).map_err(|error| {
            let message = format!("the document is not JSON: {error}");
            ApiError::new(StatusCode::BAD_REQUEST, "not_json", message)
        })?;
        read_document(&document)
            .map_err(|error| ApiError::unprocessable("bad_document", error.to_string()))
    });
    let read = read.await;
    let mut exchange = read.map_err(|error| ApiError::internal("reading a project", error))??;
    if let Some(title) = query.title {
        exchange.description.title = title;
    }
    let versions = exchange
        .chapters
        .iter()
        .flat_map(|chapter| &chapter.versions);
    let texts = versions.map(|version| Bytes::from(version.text.to_string()));
    let texts = texts.collect();
    let whole = TakeWhole {
        project: exchange.whole(),
    };
    let command = ProjectCommand::TakeWhole(Box::new(whole));
    let project = desk.change(id, command, texts).await?.project;
    Ok(told(
        id,
        &project,
        json!({ "remarks": [], "omissions": [] }),
    ))
}

fn told(id: &str, project: &Project, says: Value) -> Response {
    let mut body = json!(shown(id, project));
    if let (Value::Object(body), Value::Object(says)) = (&mut body, says) {
        body.extend(says);
    }
    let volumes = project.entries.values();
    let volumes = volumes.filter(|kept| kept.entry.what.as_volume().is_some());
    body["volumes"] = json!(volumes.count());
    body["chapters"] = json!(project.chapters().len());
    tagged(StatusCode::CREATED, project.described, body)
}

/// The file that a request brings, with its name.
async fn file(request: Request, name: Option<String>) -> Result<(String, Bytes), ApiError> {
    if is_form(request.headers()) {
        return of_form(request, name).await;
    }
    let name = match name {
        Some(name) => name,
        None if declared_type(request.headers()).starts_with("application/json") => {
            "project.json".to_owned()
        }
        None => {
            return Err(ApiError::bad_request("`name` says what the file is").hint(
                "add `?name=novel.docx`, or send the document of a project as `application/json`",
            ));
        }
    };
    let body = Bytes::from_request(request, &()).await;
    let body = body.map_err(|rejection| match rejection.status() {
        StatusCode::PAYLOAD_TOO_LARGE => too_large(),
        status => ApiError::new(status, "bad_body", "the body could not be read"),
    })?;
    Ok((name, body))
}

async fn of_form(request: Request, name: Option<String>) -> Result<(String, Bytes), ApiError> {
    let mut form = Form::of(request, IMPORT_BYTES_MAX as u64).map_err(broken)?;
    while let Some(part) = form.next().await.map_err(broken)? {
        let Some(file) = part.file_name else {
            continue;
        };
        let bytes = form.bytes().await.map_err(broken)?;
        return Ok((name.unwrap_or(file), bytes));
    }
    let message = "the form has no file";
    Err(ApiError::unprocessable("bad_form", message))
}

fn too_large() -> ApiError {
    let message = format!("the file is too large: at most {IMPORT_BYTES_MAX} bytes are taken");
    ApiError::new(StatusCode::PAYLOAD_TOO_LARGE, "too_large", message)
}

fn broken(error: FormError) -> ApiError {
    if matches!(error, FormError::TooLarge { .. }) {
        return too_large();
    }
    error.into()
}

/// A manuscript as a project.
struct Coming {
    description: Description,
    entries: Vec<Entry>,
    texts: Vec<ComingText>,
    /// Remarks about how it was read.
    says: Value,
}

/// Bytes of each part of a chapter that is too long: half of the limit, so that a person can still write in it.
#[expect(
    clippy::cast_possible_truncation,
    reason = "a megabyte is a number of every machine"
)]
const PART_BYTES_MAX: usize = CHAPTER_BYTES_MAX as usize / 2;

impl Coming {
    fn of(read: Manuscript, name: &str, title: Option<&str>, is_accepted: bool) -> Self {
        let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
        let sample: String = read.chapters.iter().map(|it| it.text.as_str()).collect();
        let language = language_of(&sample).unwrap_or("zh");
        let mut coming = Self {
            description: Description {
                title: as_title(title.unwrap_or(stem)).unwrap_or_else(|| "novel".to_owned()),
                language: language.to_owned(),
                phase: "WRITING".to_owned(),
                ..Description::default()
            },
            entries: vec![],
            texts: vec![],
            says: Value::Null,
        };
        let mut remarks = read.remarks;
        let mut volumes: BTreeMap<String, EntryId> = BTreeMap::new();
        for chapter in read.chapters {
            let volume = coming.volume(&mut volumes, chapter.volume.as_deref());
            coming.chapter(chapter, volume, is_accepted, &mut remarks);
        }
        coming.says = json!({
            "remarks": remarks, "omissions": read.omissions, "format": read.format, "encoding": read.encoding,
        });
        coming
    }

    fn is_chinese(&self) -> bool {
        self.description.language.starts_with("zh")
    }

    fn volume(
        &mut self,
        volumes: &mut BTreeMap<String, EntryId>,
        line: Option<&str>,
    ) -> Option<EntryId> {
        let line = line?;
        if let Some(known) = volumes.get(line) {
            return Some(known.clone());
        }
        let number = volumes.len() + 1;
        let id = EntryId::new(format!("volume-{number:02}"));
        volumes.insert(line.to_owned(), id.clone());
        let title = as_title(line).unwrap_or_else(|| number.to_string());
        self.put(
            &id,
            What::Volume(Volume {
                title,
                order: order(number),
                ..Volume::default()
            }),
        );
        Some(id)
    }

    /// Adds a chapter. One that is too long is divided into parts.
    fn chapter(
        &mut self,
        chapter: ManuscriptChapter,
        volume: Option<EntryId>,
        is_accepted: bool,
        remarks: &mut Vec<String>,
    ) {
        let title = self.title(&chapter);
        let mut text = prose(&chapter);
        if title.trim() != chapter.title.trim() && !chapter.title.trim().is_empty() {
            // The title differs from the line, so that the line is kept in the text.
            text = format!("{}\n\n{text}", chapter.title.trim());
        }
        if chapter.kind == ChapterKind::FrontMatter && text.trim().is_empty() {
            return;
        }
        let parts = parts(&text);
        if parts.len() > 1 {
            remarks.push(format!(
                "`{title}` has {} bytes, more than a chapter may have, and came in {} parts",
                text.len(),
                parts.len()
            ));
        }
        for (at, part) in parts.iter().enumerate() {
            let number = self.texts.len() + 1;
            let id = EntryId::new(format!("chapter-{number:03}"));
            let title = if at == 0 {
                title.clone()
            } else {
                let short: String = title.chars().take(NAME_CHARS_MAX - 8).collect();
                format!("{short} ({})", at + 1)
            };
            self.put(
                &id,
                What::Chapter(Chapter {
                    title,
                    volume: volume.clone(),
                    order: order(number),
                    status: "DRAFT".to_owned(),
                    ..Chapter::default()
                }),
            );
            self.texts.push(ComingText {
                chapter: id,
                text: (*part).to_owned(),
                words: word_count(part),
                is_accepted,
            });
        }
    }

    /// The title of a chapter.
    fn title(&self, chapter: &ManuscriptChapter) -> String {
        if let Some(title) = as_title(&chapter.title) {
            return title;
        }
        match (chapter.kind, self.is_chinese()) {
            (ChapterKind::FrontMatter, true) => "卷首".to_owned(),
            (ChapterKind::FrontMatter, false) => "Front matter".to_owned(),
            (ChapterKind::Chapter, true) => "正文".to_owned(),
            (ChapterKind::Chapter, false) => "Text".to_owned(),
        }
    }

    fn put(&mut self, id: &EntryId, what: What) {
        self.entries.push(Entry {
            id: id.clone(),
            standing: Standing::Fact,
            pinned: false,
            what,
        });
    }
}

fn order(number: usize) -> u32 {
    u32::try_from(number).unwrap_or(u32::MAX)
}

/// A line as a title: without control characters, and not too long. `None` if nothing is left of it.
fn as_title(line: &str) -> Option<String> {
    let plain: String = line.chars().filter(|c| !c.is_control()).collect();
    let short: String = plain.trim().chars().take(NAME_CHARS_MAX).collect();
    Some(short.trim().to_owned()).filter(|title| !title.is_empty())
}

/// The text of a chapter as Markdown. In a plain text each line is a paragraph, and Markdown signs in it have no meaning.
fn prose(chapter: &ManuscriptChapter) -> String {
    match chapter.form {
        TextForm::Markdown => chapter.text.trim().to_owned(),
        TextForm::Prose => {
            let lines = chapter.text.lines().map(str::trim);
            let lines = lines.filter(|line| !line.is_empty());
            let blocks = lines.map(|line| SourceBlock {
                location: Location::File,
                content: BlockContent::Paragraph(RichText::plain(line)),
            });
            let document = SourceDocument {
                blocks: blocks.collect(),
                ..SourceDocument::default()
            };
            intake::markdown(&document).trim().to_owned()
        }
    }
}

/// Divides a text into parts that fit into chapters: between paragraphs if there are any, else between characters.
fn parts(text: &str) -> Vec<&str> {
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a megabyte is a number of every machine"
    )]
    let most = CHAPTER_BYTES_MAX as usize;
    if text.len() <= most {
        return vec![text];
    }
    let mut parts = vec![];
    let mut rest = text;
    while rest.len() > most {
        let mut end = PART_BYTES_MAX;
        while !rest.is_char_boundary(end) {
            end -= 1;
        }
        let at = rest[..end].rfind("\n\n").filter(|at| *at > 0);
        let (part, behind) = rest.split_at(at.unwrap_or(end));
        parts.push(part.trim());
        rest = behind.trim_start();
    }
    parts.push(rest);
    parts
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_that_is_too_long_comes_in_parts_and_loses_no_word() {
        let paragraph = "雾".repeat(1_000);
        let text = vec![paragraph.as_str(); 900].join("\n\n");
        let parts = parts(&text);
        assert!(parts.len() > 2, "{}", parts.len());
        assert!(
            parts
                .iter()
                .all(|part| part.len() as u64 <= CHAPTER_BYTES_MAX)
        );
        assert_eq!(parts.join("\n\n"), text);
        let line = "雾".repeat(400_000);
        assert_eq!(super::parts(&line).concat(), line);
    }

    #[test]
    fn a_line_that_is_no_title_stands_in_the_chapter() {
        let chapter = ManuscriptChapter {
            volume: None,
            title: "第一章 ".to_owned() + &"雾".repeat(300),
            kind: ChapterKind::Chapter,
            form: TextForm::Prose,
            text: "他来了。\n\n# 不是标题".to_owned(),
        };
        let read = Manuscript {
            chapters: vec![chapter.clone()],
            ..Manuscript::default()
        };
        let coming = Coming::of(read, "雾港.txt", None, false);
        assert_eq!(coming.description.title, "雾港");
        let text = &coming.texts[0].text;
        assert!(text.starts_with(&chapter.title), "{text}");
        assert!(text.ends_with("他来了。\n\n\\# 不是标题"), "{text}");
    }
}
