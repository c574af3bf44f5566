//! Splits a chapter into two and merges two into one; also shows what a change of a chapter would mean for later ones.

use axum::Json;
use axum::http::StatusCode;
use axum::response::Response;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Entry, Project, Trigger, What};
use palimpsest::prelude::resource::project_commands::{AcceptVersion, Expected, ProjectCommand};
use palimpsest::prelude::wire::{ApiError, ApiJson, ApiPath, ErrorAnswer};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::answers::MaybeJson;
use super::chapters::{ChapterProse, moved_on, shown, told};
use super::described::{ChapterDoc, LeaningDoc, SplitDoc};
use super::desk::{Desk, Found, no_entry, put_all, remove};
use super::fields::{CHAPTER, EntryRow};
use super::text::{TextRequest, draft, written};
use crate::readings::extract::{Leaning, leans};
use crate::readings::prose::{merge_text, split_text};
use crate::tools::books::Edition;

/// Where a chapter is divided.
#[derive(Clone, Debug, Deserialize, ToSchema)]
pub(super) struct SplitRequest {
    /// Characters of the working draft that stay in it.
    at: usize,
    /// What the second chapter is called; as the first one where absent.
    title: Option<String>,
    /// The version of the draft that was looked at; whatever it is now where absent.
    version: Option<u32>,
}

/// Both chapters that were one.
#[derive(Serialize, JsonSchema)]
pub(super) struct SplitChapters<F = Map<String, Value>> {
    first: EntryRow<ChapterProse, F>,
    second: EntryRow<ChapterProse, F>,
}

/// Divide a chapter in two
///
/// The new chapter has the end of the working draft and stands right behind. Where the draft was accepted, both halves are; else nothing of
/// what holds in the story changes.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/split", operation_id = "split_chapter", tag = "stories",
    request_body = SplitRequest,
    responses(
        (status = 201, description = "both chapters", body = SplitDoc),
        (status = 409, description = "it is locked, or was changed meanwhile", body = ErrorAnswer),
        (status = 422, description = "nothing would be left on one side", body = ErrorAnswer)))]
pub(super) async fn split(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(request): ApiJson<SplitRequest>,
) -> Result<(StatusCode, Json<SplitChapters>), ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let second = desk.new_id(CHAPTER.kind);
    // For a repetition, the second chapter exists already.
    if found.project.entry(&second.as_str().into()).is_none() {
        divide(&desk, &found, &second, request).await?;
    }
    let first = desk.entry(&project, &id, CHAPTER.kind).await?;
    let second = desk.entry(&project, &second, CHAPTER.kind).await?;
    let (first, second) = (shown(&first), shown(&second));
    Ok((StatusCode::CREATED, Json(SplitChapters { first, second })))
}

async fn divide(
    desk: &Desk,
    found: &Found,
    second: &str,
    request: SplitRequest,
) -> Result<(), ApiError> {
    let id = &found.kept.entry.id;
    let (text, version) = draft(desk, found).await?;
    let (head, tail) = split_text(&text, request.at)
        .map_err(|error| ApiError::unprocessable("bad_place", error.to_string()))?;
    let Some(own) = found.kept.entry.what.as_chapter() else {
        return Err(no_entry(CHAPTER.kind, id.as_str()));
    };
    let mut fields = own.clone();
    fields.order = fields.order.saturating_add(1);
    fields.title = request.title.unwrap_or_else(|| own.title.clone());
    // What is planned stays with the first chapter.
    fields.summary.clear();
    fields.key_events.clear();
    let mut entries = moved_on(&found.project, id);
    entries.push(Entry {
        id: second.into(),
        standing: found.kept.entry.standing,
        pinned: false,
        what: What::Chapter(fields),
    });
    let base = Some(request.version.unwrap_or(version));
    let (first_text, head) = written(id.as_str(), head, base, Trigger::Manual, String::new());
    let (second_text, tail) = written(second, tail, Some(0), Trigger::Manual, String::new());
    let mut commands = vec![put_all(entries, Expected::Any), first_text, second_text];
    if is_accepted(&found.project, id) {
        commands.extend([id.clone(), second.into()].map(accepted));
    }
    desk.change(&found.id, ProjectCommand::All(commands), vec![head, tail])
        .await?;
    Ok(())
}

/// Which chapter comes to another one.
#[derive(Clone, Debug, Default, Deserialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(super) struct MergeRequest {
    /// The chapter that ends with it; the next one of the story where absent.
    chapter_id: Option<String>,
}

/// Put another chapter behind the text of one
///
/// The other one goes, with its versions; what referred to it refers to the one that stays. Where both drafts were accepted, the
/// text of both is.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/merge", operation_id = "merge_chapters", tag = "stories",
    request_body = MergeRequest, params(("chapter" = String, Path, description = "the chapter that stays")),
    responses(
        (status = 200, description = "the chapter that stays", body = ChapterDoc),
        (status = 404, description = "no such chapter, or none behind it", body = ErrorAnswer),
        (status = 409, description = "one of them is locked, or was changed meanwhile", body = ErrorAnswer),
        (status = 413, description = "both together are too long", body = ErrorAnswer)))]
pub(super) async fn merge(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    MaybeJson(request): MaybeJson<MergeRequest>,
) -> Result<Response, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    if desk.is_repetition(&project).await? {
        return Ok(told(StatusCode::OK, &found));
    }
    let stays = found.kept.entry.id.clone();
    let goes = match request.chapter_id {
        Some(other) => EntryId::from(other),
        None => next(&found.project, &stays)?,
    };
    if goes == stays {
        let message = "a chapter cannot be merged with itself";
        return Err(ApiError::unprocessable("same_chapter", message));
    }
    let other = desk.entry(&project, goes.as_str(), CHAPTER.kind).await?;
    let (first, version) = draft(&desk, &found).await?;
    let (second, _) = draft(&desk, &other).await?;
    let both = [&stays, &goes];
    let are_accepted = both.iter().all(|id| is_accepted(&found.project, id));
    let text = merge_text(&first, &second);
    let (save, text) = written(&id, text, Some(version), Trigger::Manual, String::new());
    let mut commands = vec![
        put_all(referring(&found.project, &goes, &stays)?, Expected::Any),
        save,
        remove(vec![goes]),
    ];
    if are_accepted {
        commands.push(accepted(stays));
    }
    desk.change(&project, ProjectCommand::All(commands), vec![text])
        .await?;
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    Ok(told(StatusCode::OK, &found))
}

fn next(project: &Project, chapter: &EntryId) -> Result<EntryId, ApiError> {
    let chapters = project.chapters();
    let mut behind = chapters.iter().skip_while(|(id, _)| *id != chapter).skip(1);
    let next = behind.next().map(|(id, _)| (*id).clone());
    next.ok_or_else(|| {
        let message = "no chapter stands behind it; name the one that is to come to it";
        ApiError::new(StatusCode::NOT_FOUND, "no_entry", message)
    })
}

/// Fields of entries that name chapters.
const CHAPTER_FIELDS: [&str; 7] = [
    "chapter",
    "from",
    "until",
    "since",
    "intro",
    "due",
    "resolution",
];

/// The entries that name one chapter, changed so that they name another one instead.
fn referring(project: &Project, from: &EntryId, to: &EntryId) -> Result<Vec<Entry>, ApiError> {
    let mut entries = vec![];
    for kept in project
        .entries
        .values()
        .filter(|kept| kept.entry.id != *from)
    {
        let written = serde_json::to_value(&kept.entry)
            .map_err(|error| ApiError::internal("writing an entry", error))?;
        let renamed = refer(written.clone(), None, from, to);
        if renamed != written {
            let entry = serde_json::from_value(renamed);
            entries.push(entry.map_err(|error| ApiError::internal("reading an entry", error))?);
        }
    }
    Ok(entries)
}

fn refer(value: Value, field: Option<&str>, from: &EntryId, to: &EntryId) -> Value {
    match value {
        Value::String(text) if text == from.as_str() => {
            let names = field.is_some_and(|field| CHAPTER_FIELDS.contains(&field));
            Value::String(if names { to.to_string() } else { text })
        }
        Value::Array(list) => { list.into_iter() }
            .map(|it| refer(it, field, from, to))
            .collect(),
        Value::Object(fields) => {
            let fields = fields.into_iter().map(|(name, value)| {
                let value = refer(value, Some(&name), from, to);
                (name, value)
            });
            Value::Object(fields.collect())
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => value,
    }
}

fn is_accepted(project: &Project, chapter: &EntryId) -> bool {
    let prose = project.prose.get(chapter);
    prose.is_some_and(|prose| {
        let draft = prose.draft().map(|draft| draft.version);
        draft.is_some() && prose.accepted == draft
    })
}

fn accepted(chapter: EntryId) -> ProjectCommand {
    ProjectCommand::Accept(AcceptVersion {
        chapter,
        version: None,
    })
}

/// What would change with a text.
#[derive(Serialize, JsonSchema)]
pub(super) struct StoryLeaning {
    leaning: Vec<Leaning>,
}

/// Say what another text of a chapter would change
///
/// The facts that would no longer be said or become others, and the sentences of later chapters that lean on them.
#[utoipa::path(post, path = "/api/projects/{project}/chapters/{chapter}/leaning", operation_id = "show_leaning", tag = "stories",
    request_body = TextRequest,
    responses((status = 200, description = "what would change", body = LeaningDoc)))]
pub(super) async fn leaning(
    desk: Desk,
    ApiPath((project, id)): ApiPath<(String, String)>,
    ApiJson(request): ApiJson<TextRequest>,
) -> Result<Json<StoryLeaning>, ApiError> {
    let found = desk.entry(&project, &id, CHAPTER.kind).await?;
    let book = desk.book(&project, Edition::Accepted).await?;
    let chapter = found.kept.entry.id;
    let leaning = tokio::task::spawn_blocking(move || leans(&book, &chapter, &request.content));
    let leaning = leaning.await;
    let leaning = leaning.map_err(|error| ApiError::internal("reading a story", error))?;
    Ok(Json(StoryLeaning { leaning }))
}
