//! `POST /api/decks:generate`: a deck from a sentence.

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use palimpsest::prelude::wire::{
    ApiError, ApiJson, App, ErrorAnswer, Owner, RunId, Say, SessionId, SettingsRequest, StreamId,
    content_hash, derived, fresh_id, idempotency_key, in_address,
};
use palimpsest::uploads::Attachment;
use serde::Deserialize;
use serde_json::{Map, Value};
use utoipa::ToSchema;

use super::PIPELINE;
use super::limits::DOCUMENTS_MAX;
use super::result::{PipelineResult, of_run};

/// What a deck is made from. `user_input` alone is enough.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct GenerationContext {
    /// What is wanted, in the person's words.
    user_input: String,
    /// `primary`, `secondary`, `accent` as six hexadecimal digits; `header_font`, `body_font`, `logo`.
    #[serde(default)]
    #[schema(value_type = Object)]
    brand: Option<Value>,
    target_slide_count: Option<u32>,
    /// `pptx` or `pdf`.
    output_format: Option<String>,
    /// The PowerPoint template that the deck is drawn in: the path of one of `attachments`. One whose path begins with `template/`
    /// needs no name.
    template: Option<String>,
    audience: Option<String>,
    /// Texts of documents; files are uploaded and named in `attachments`.
    #[serde(default)]
    source_documents: Vec<String>,
    /// A deck in SlideDSL that is to be changed.
    existing_dsl: Option<String>,
    /// What is wanted, where somebody has found that out already.
    #[serde(default)]
    #[schema(value_type = Object)]
    requirements: Option<Value>,
    title: Option<String>,
    author: Option<String>,
    company: Option<String>,
    date: Option<String>,
    confidentiality: Option<String>,
    confirm_requirements: Option<bool>,
    confirm_deck: Option<bool>,
    /// Uploads that come with it.
    #[serde(default)]
    attachments: Vec<Attachment>,
    #[serde(default)]
    settings: SettingsRequest,
    /// The session; a new one where absent or not there. In one that is there the deck is changed.
    session: Option<String>,
}

/// Make a deck
///
/// Answers when the deck is done, which takes as long as its models take, or waits for a person; with `Prefer: respond-async` at once,
/// with `202`. A run that fails is an answer, too: `status` says so. Whoever goes away finds the deck at `GET /api/decks/{session}`.
/// With an `Idempotency-Key`, a repetition waits for the first run and starts nothing. The design index is asked by the run itself.
#[utoipa::path(post, path = "/api/decks:generate", tag = "decks", request_body = GenerationContext,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call"),
        ("Prefer" = Option<String>, Header, description = "`respond-async`: do not wait")),
    responses(
        (status = 200, description = "the run has ended, or waits for a person", body = PipelineResult),
        (status = 202, description = "the run is at work", body = PipelineResult),
        (status = 400, description = "not JSON", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "not what is taken", body = ErrorAnswer),
        (status = 503, description = "overloaded, stopping, or the log cannot be used", body = ErrorAnswer)))]
pub(super) async fn generate(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    ApiJson(context): ApiJson<GenerationContext>,
) -> Result<Response, ApiError> {
    let key = idempotency_key(&headers)?;
    let session = match (&context.session, &key) {
        (Some(session), _) => session.clone(),
        // A repetition has to come to the same session.
        (None, Some(key)) => derived("s", &["deck", &owner.0, key]),
        (None, None) => format!("s_{}", fresh_id()),
    };
    let input = input(&context);
    let mut attachments = context.attachments;
    attachments.extend(documents(&app, &owner, context.source_documents).await?);
    let sent = (&context.user_input, &input, &context.settings, &attachments);
    let content = content_hash(&sent);
    let say = Say {
        session: SessionId::new(session),
        message_id: None,
        pipeline: Some(PIPELINE.to_owned()),
        text: context.user_input,
        input,
        settings: context.settings,
        attachments,
        client_id: key.unwrap_or_else(fresh_id),
        content: Some(content),
        expected_version: None,
    };
    let said = app.say(&owner, say).await?;
    let stream = owner.stream(&said.session);
    let result = if is_async(&headers) {
        as_it_is(&app, &stream, said.run).await?
    } else {
        ended(&app, &stream, said.run).await?
    };
    let status = if result.is_open() {
        StatusCode::ACCEPTED
    } else {
        StatusCode::OK
    };
    let location = format!("/api/decks/{}", in_address(stream.session.as_str()));
    Ok((status, [("location", location)], Json(result)).into_response())
}

/// The input of the run beside the message.
fn input(context: &GenerationContext) -> Value {
    let mut input = Map::new();
    let text = |text: &Option<String>| text.clone().map(Value::from);
    let fields = [
        ("brand", context.brand.clone()),
        (
            "target_slide_count",
            context.target_slide_count.map(Value::from),
        ),
        ("output_format", text(&context.output_format)),
        ("template", text(&context.template)),
        ("audience", text(&context.audience)),
        ("existing_dsl", text(&context.existing_dsl)),
        ("requirements", context.requirements.clone()),
        ("title", text(&context.title)),
        ("author", text(&context.author)),
        ("company", text(&context.company)),
        ("date", text(&context.date)),
        ("confidentiality", text(&context.confidentiality)),
        (
            "confirm_requirements",
            context.confirm_requirements.map(Value::from),
        ),
        ("confirm_deck", context.confirm_deck.map(Value::from)),
    ];
    for (name, value) in fields {
        input.extend(value.map(|value| (name.to_owned(), value)));
    }
    Value::Object(input)
}

/// The texts of a request as files of its session.
async fn documents(
    app: &App,
    owner: &Owner,
    texts: Vec<String>,
) -> Result<Vec<Attachment>, ApiError> {
    if texts.len() > DOCUMENTS_MAX {
        let message = format!(
            "{} documents were sent, at most {DOCUMENTS_MAX} are taken",
            texts.len()
        );
        return Err(ApiError::unprocessable("too_many_documents", message)
            .hint("upload them with POST /v1/files and name them in `attachments`"));
    }
    let mut attachments = vec![];
    for (place, text) in texts.into_iter().enumerate() {
        let path = format!("document-{}.md", place + 1);
        let uploaded = app.uploads.put_whole(owner, &path, text.into()).await?;
        attachments.push(Attachment {
            path,
            file: Some(uploaded.file),
            sha256: None,
        });
    }
    Ok(attachments)
}

/// Waits until the run has ended or waits for a person.
async fn ended(app: &App, stream: &StreamId, run: RunId) -> Result<PipelineResult, ApiError> {
    let mut changes = app.engine.log().watch_stream(stream);
    loop {
        let result = as_it_is(app, stream, run).await?;
        if !result.is_open() {
            return Ok(result);
        }
        tokio::select! {
            // The run continues in another process, or when the log is opened again.
            () = app.stopping.cancelled() => return Ok(result),
            changed = changes.changed() => {
                if changed.is_err() {
                    return Ok(result);
                }
            }
        }
    }
}

async fn as_it_is(app: &App, stream: &StreamId, run: RunId) -> Result<PipelineResult, ApiError> {
    let session = app.engine.session(stream).await?;
    match session.run(run) {
        Some(run) => of_run(app, stream, run).await,
        None => Ok(PipelineResult::queued(stream, run)),
    }
}

fn is_async(headers: &HeaderMap) -> bool {
    let preferred = headers.get_all("prefer").iter();
    let preferred = preferred.filter_map(|value| value.to_str().ok());
    { preferred }.any(|value| {
        value
            .split(',')
            .any(|one| one.trim().eq_ignore_ascii_case("respond-async"))
    })
}
