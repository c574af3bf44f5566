//! The design index: decks of an owner that are examples for later ones.

use axum::body::Bytes;
use axum::extract::State;
use axum::extract::rejection::BytesRejection;
use axum::http::{HeaderMap, StatusCode, header};
use axum::{Extension, Json};
use intake::IntakeLimits;
use palimpsest::prelude::pipeline::DocumentId;
use palimpsest::prelude::pipeline::vectors::EMBEDDING;
use palimpsest::prelude::tool::Embedder;
use palimpsest::prelude::wire::{
    Actor, ApiError, ApiJson, ApiPath, ApiQuery, App, ErrorAnswer, Owner, fresh_id, idempotency_key,
};
use sdsl::{Background, SlideType, Word};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spec::source::SourceFormat;
use utoipa::{IntoParams, ToSchema};

use super::check::bad_deck;
use super::limits::{FILE_BYTES_MAX, FOUND_DEFAULT, FOUND_MAX};
use crate::designs::{
    BadDeck, Counters, Filter, Found, Granularity, Hit, IndexedDeck, NewDeck, QUERY_CHARS_MAX,
    Signal,
};
use crate::index;
use crate::index::{DesignError, Designs, Feedback};

/// A deck on its way into the index.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct DeckRequest {
    /// The deck in SlideDSL.
    dsl: String,
    /// What people call it; its own title where absent.
    title: Option<String>,
    /// The same id puts it in the place of the one that has it; that of its text where absent.
    id: Option<String>,
    /// The file that it came in.
    source_file: Option<String>,
}

/// What a file is called; not needed where the body is JSON.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct FileQuery {
    /// The name of the file, which says what it is: `.sdsl`, `.pptx` or `.odp`.
    name: Option<String>,
    title: Option<String>,
    id: Option<String>,
}

/// A deck that came into the index.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct DeckAnswer {
    deck_chunk_id: String,
    title: String,
    slides: usize,
    /// Whether there was no deck of this id.
    added: bool,
    /// What of a presentation has no form in SlideDSL and is not kept, each with its slide and the reason.
    #[schema(value_type = Vec<Object>)]
    left_out: Value,
}

/// Put a deck into the design index
///
/// As JSON, or as a file under its `name`: SlideDSL, or a presentation of PowerPoint or LibreOffice, of which titles, points, tables,
/// charts, columns and notes are read, and no pictures. The same text is there once, however often it is sent. What people said of
/// slides is kept for those that are the same.
#[utoipa::path(post, path = "/api/index/decks", tag = "decks", params(FileQuery,
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    request_body(content((DeckRequest = "application/json"), (String = "text/x-slidedsl"), (String = "application/octet-stream"))),
    responses(
        (status = 200, description = "it is there", body = DeckAnswer),
        (status = 201, description = "it came", body = DeckAnswer),
        (status = 400, description = "not JSON, or a file without a name", body = ErrorAnswer),
        (status = 409, description = "the index is full", body = ErrorAnswer),
        (status = 413, description = "too large", body = ErrorAnswer),
        (status = 422, description = "no deck and no presentation", body = ErrorAnswer)))]
pub(super) async fn put(
    State(app): State<App>,
    owner: Owner,
    headers: HeaderMap,
    ApiQuery(query): ApiQuery<FileQuery>,
    body: Result<Bytes, BytesRejection>,
) -> Result<(StatusCode, Json<DeckAnswer>), ApiError> {
    let body = body.map_err(|rejection| match rejection.status() {
        status @ StatusCode::PAYLOAD_TOO_LARGE => {
            let message =
                format!("the body is too large: at most {FILE_BYTES_MAX} bytes are taken");
            ApiError::new(status, "too_large", message)
        }
        status => ApiError::new(status, "bad_body", "the body could not be read"),
    })?;
    let declared = headers.get(header::CONTENT_TYPE);
    let declared = declared
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    if declared.starts_with("application/json") {
        let request: DeckRequest = serde_json::from_slice(&body).map_err(|error| {
            ApiError::unprocessable("bad_body", format!("the body is not right: {error}"))
        })?;
        let id = request.id.map(DocumentId::new);
        let source = request.source_file.unwrap_or_default();
        let deck = NewDeck::read(
            request.dsl.as_bytes(),
            id,
            request.title.as_deref(),
            &source,
        );
        let deck = deck.map_err(|error| bad_deck(&error))?;
        return kept(&app, &owner, &key, &deck, json!([])).await;
    }
    let name = match query.name {
        Some(name) => name,
        None if declared.starts_with("text/x-slidedsl") => "deck.sdsl".to_owned(),
        None => {
            return Err(ApiError::bad_request("`name` says what the file is")
                .hint("add `?name=old.pptx`, or send JSON with `Content-Type: application/json`"));
        }
    };
    let of = name.clone();
    let read = tokio::task::spawn_blocking(move || text_of(&of, &body)).await;
    let read = read.map_err(|error| ApiError::internal("reading a presentation", error))?;
    let (dsl, left_out) = read?;
    let id = query.id.map(DocumentId::new);
    let deck = NewDeck::read(dsl.as_bytes(), id, query.title.as_deref(), &name);
    let deck = deck.map_err(|error| bad_deck(&error))?;
    kept(&app, &owner, &key, &deck, left_out).await
}

/// The deck in a file, and what of the file was left out.
fn text_of(name: &str, file: &[u8]) -> Result<(String, Value), ApiError> {
    if name.to_ascii_lowercase().ends_with(".sdsl") {
        sdsl::read(file).map_err(|error| bad_deck(&error))?;
        return Ok((String::from_utf8_lossy(file).into_owned(), json!([])));
    }
    let document = intake::read(name, file, &IntakeLimits::default(), &|| false);
    let document = document.map_err(|error| bad_deck(&error))?;
    if !matches!(document.format, SourceFormat::Pptx | SourceFormat::Odp) {
        let message = format!(
            "the file is of the format {}; send a .sdsl, .pptx or .odp file",
            document.format.title()
        );
        return Err(ApiError::unprocessable("bad_deck", message));
    }
    let stem = name.rsplit_once('.').map_or(name, |(stem, _)| stem);
    let imported = crate::pages::import(&document, stem);
    Ok((sdsl::format(&imported.deck), json!(imported.left)))
}

async fn kept(
    app: &App,
    owner: &Owner,
    key: &str,
    deck: &NewDeck,
    left_out: Value,
) -> Result<(StatusCode, Json<DeckAnswer>), ApiError> {
    let (collections, actor) = (app.engine.collections(), Actor::person(&owner.0));
    let changed = index::ingest(collections, &owner.0, deck, key, actor).await?;
    let answer = DeckAnswer {
        deck_chunk_id: deck.id.to_string(),
        title: deck.title.clone(),
        slides: deck.slides,
        added: changed.added > 0,
        left_out,
    };
    let status = if answer.added {
        StatusCode::CREATED
    } else {
        StatusCode::OK
    };
    Ok((status, Json(answer)))
}

/// A deck in a list.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct DeckRow {
    id: String,
    title: String,
    source_file: String,
    slide_count: usize,
    keep_count: u64,
    use_count: u64,
    enriched_by: String,
}

/// The decks of the index.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct DecksAnswer {
    decks: Vec<DeckRow>,
    slides: u32,
    elements: u32,
    /// What makes the vectors: the model that is configured, else `ngrams-384`.
    embedding: String,
    /// Decks of which some text has no vector of that model yet, and is searched by its n-grams.
    without_vectors: usize,
}

/// List the decks of the design index, by id
#[utoipa::path(get, path = "/api/index/decks", operation_id = "list_index_decks", tag = "decks",
    responses(
        (status = 200, description = "all of them", body = DecksAnswer)))]
pub(super) async fn list(
    State(app): State<App>,
    owner: Owner,
    Extension(designs): Extension<Designs>,
) -> Result<Json<DecksAnswer>, ApiError> {
    let index = designs.index(app.engine.collections(), &owner.0).await?;
    let [_, slides, elements] = index.sizes();
    let row = |deck: &IndexedDeck| {
        let counters = index.counters(&deck.deck.id);
        DeckRow {
            id: deck.deck.id.clone(),
            title: deck.deck.title.clone(),
            source_file: deck.deck.source_file.clone(),
            slide_count: deck.deck.slide_count,
            keep_count: counters.keep_count,
            use_count: counters.use_count,
            enriched_by: deck.deck.enrichment.enriched_by.clone(),
        }
    };
    let embedder = app.engine.embedder().map(Embedder::name);
    Ok(Json(DecksAnswer {
        decks: index.decks().map(row).collect(),
        slides,
        elements,
        embedding: embedder.unwrap_or(EMBEDDING).to_owned(),
        without_vectors: embedder.map_or(0, |name| index.without_vectors(name).len()),
    }))
}

/// A deck of the index with its slides and elements
///
/// `{deck, slides, elements, counters}`; counters by chunk, of those that something was said of.
#[utoipa::path(get, path = "/api/index/decks/{id}", operation_id = "show_index_deck", tag = "decks",
    params(("id" = String, Path, description = "the deck")),
    responses(
        (status = 200, description = "all that is known of it", body = Object),
        (status = 404, description = "no such deck", body = ErrorAnswer)))]
pub(super) async fn show(
    State(app): State<App>,
    owner: Owner,
    Extension(designs): Extension<Designs>,
    ApiPath(id): ApiPath<String>,
) -> Result<Json<Value>, ApiError> {
    let index = designs.index(app.engine.collections(), &owner.0).await?;
    let Some(Found::Deck(deck)) = index.find(&id) else {
        return Err(no_deck());
    };
    let slides = deck.slides.iter().map(|slide| slide.id.as_str());
    let elements = deck.elements.iter().map(|element| element.id.as_str());
    let counted: serde_json::Map<String, Value> = std::iter::once(id.as_str())
        .chain(slides)
        .chain(elements)
        .map(|chunk| (chunk, index.counters(chunk)))
        .filter(|(_, counters)| *counters != Counters::default())
        .map(|(chunk, counters)| (chunk.to_owned(), json!(counters)))
        .collect();
    let mut whole = json!(deck);
    whole["counters"] = Value::Object(counted);
    Ok(Json(whole))
}

/// Take a deck out of the design index, with all that was said of it
#[utoipa::path(delete, path = "/api/index/decks/{id}", operation_id = "delete_index_deck", tag = "decks",
    params(("id" = String, Path, description = "the deck"),
        ("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 204, description = "it is gone"),
        (status = 404, description = "no such deck", body = ErrorAnswer)))]
pub(super) async fn delete(
    State(app): State<App>,
    owner: Owner,
    ApiPath(id): ApiPath<String>,
    headers: HeaderMap,
) -> Result<StatusCode, ApiError> {
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let (collections, actor) = (app.engine.collections(), Actor::person(&owner.0));
    let id = DocumentId::new(id);
    let changed = index::remove(collections, &owner.0, &id, &key, actor).await?;
    if changed.removed == 0 {
        return Err(no_deck());
    }
    Ok(StatusCode::NO_CONTENT)
}

/// What is looked for.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct SearchQuery {
    /// Words, at most 2,000 characters; what they ask of structure counts, too: `three KPIs on a dark slide`.
    q: String,
    /// `deck`, `slide` or `element`; `slide` where absent.
    granularity: Option<String>,
    /// 1 to 100; 10 where absent.
    limit: Option<usize>,
    /// Only slides of this type, decks that have one, elements on one.
    slide_type: Option<String>,
    /// Only slides on `light`, `dark`, `gradient` or `image`.
    background: Option<String>,
    /// Only what scores so much; 0.1 where absent.
    min_score: Option<f64>,
}

/// What was found, best first.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct SearchAnswer {
    /// Each with its score in parts: meaning counts a half, structure three tenths, words a fifth.
    #[schema(value_type = Vec<Object>)]
    results: Vec<Hit>,
    /// What made the vector of the query: a model, or `ngrams-384`. Each result says under `scored_by` which vectors its own score is
    /// of: where it has none of that model, it is scored by its n-grams.
    embedding: String,
    /// Why it is not the model that is configured.
    #[serde(skip_serializing_if = "Option::is_none")]
    remark: Option<String>,
}

/// Search the design index
#[utoipa::path(get, path = "/api/index/search", tag = "decks", params(SearchQuery),
    responses(
        (status = 200, description = "what is like the query", body = SearchAnswer),
        (status = 400, description = "the query is not right", body = ErrorAnswer),
        (status = 422, description = "too long, or no such word", body = ErrorAnswer)))]
pub(super) async fn search(
    State(app): State<App>,
    owner: Owner,
    Extension(designs): Extension<Designs>,
    ApiQuery(query): ApiQuery<SearchQuery>,
) -> Result<Json<SearchAnswer>, ApiError> {
    let chars = query.q.chars().count();
    if chars > QUERY_CHARS_MAX {
        let message =
            format!("the query has {chars} characters, at most {QUERY_CHARS_MAX} are taken");
        return Err(ApiError::unprocessable("query_too_long", message)
            .hint("ask for what the slide is about, in a sentence"));
    }
    if query.q.trim().is_empty() {
        return Err(ApiError::bad_request("`q` says what is looked for"));
    }
    let filter = Filter {
        granularity: granularity(query.granularity.as_deref())?,
        slide_type: word::<SlideType>("slide_type", query.slide_type.as_deref())?,
        background: word::<Background>("background", query.background.as_deref())?,
        min_score: query.min_score.unwrap_or(crate::designs::MIN_SCORE),
        limit: query.limit.unwrap_or(FOUND_DEFAULT).clamp(1, FOUND_MAX),
        ..Filter::default()
    };
    let (collections, embedder) = (app.engine.collections(), app.engine.embedder());
    let found = designs.search(collections, embedder, &owner.0, query.q, filter);
    let found = found.await?;
    Ok(Json(SearchAnswer {
        results: found.hits,
        embedding: found.embedding,
        remark: found.remark,
    }))
}

fn granularity(named: Option<&str>) -> Result<Granularity, ApiError> {
    match named {
        None | Some("slide") => Ok(Granularity::Slide),
        Some("deck") => Ok(Granularity::Deck),
        Some("element") => Ok(Granularity::Element),
        Some(_) => {
            let message = "`granularity` is deck, slide or element";
            Err(ApiError::unprocessable("bad_query", message))
        }
    }
}

/// A word of a closed list.
fn word<T: Word + sdsl::Value>(field: &str, named: Option<&str>) -> Result<Option<T>, ApiError> {
    let Some(named) = named else { return Ok(None) };
    T::read(named).map(Some).ok_or_else(|| {
        let known: Vec<&str> = T::ALL.iter().map(|word| word.as_str()).collect();
        let message = format!("`{field}` is one of {}", known.join(", "));
        ApiError::unprocessable("bad_query", message)
    })
}

/// What somebody says of a design.
#[derive(Clone, Debug, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FeedbackRequest {
    /// A deck, slide or element of the index.
    chunk_id: String,
    /// `keep`, `edit`, `regen` or `delete`, which hides it.
    signal: String,
    /// The session in which it is said; it has one voice for each chunk, and its later one counts.
    session: Option<String>,
    /// With `edit`: the slide as it is now, which is learned.
    dsl: Option<String>,
    /// What was said with it.
    context: Option<String>,
}

/// What somebody's word became.
#[derive(Clone, Debug, PartialEq, Serialize, ToSchema)]
pub(super) struct FeedbackAnswer {
    chunk_id: String,
    /// What became of the chunk so far.
    #[schema(value_type = Object)]
    counters: Counters,
    quality_score: f64,
    flagged: bool,
    /// The slide that was learned from an edit, as a deck of the index.
    learned: Option<String>,
}

/// Say what was made of a design
#[utoipa::path(post, path = "/api/index/feedback", tag = "decks", request_body = FeedbackRequest,
    params(("Idempotency-Key" = Option<String>, Header, description = "the caller's name for this call")),
    responses(
        (status = 200, description = "it is counted", body = FeedbackAnswer),
        (status = 404, description = "no such chunk in this owner's index", body = ErrorAnswer),
        (status = 409, description = "the collection is full, or the key was given to another change", body = ErrorAnswer),
        (status = 422, description = "no such signal, or no deck", body = ErrorAnswer)))]
pub(super) async fn feedback(
    State(app): State<App>,
    owner: Owner,
    Extension(designs): Extension<Designs>,
    headers: HeaderMap,
    ApiJson(request): ApiJson<FeedbackRequest>,
) -> Result<Json<FeedbackAnswer>, ApiError> {
    let signal = match request.signal.as_str() {
        "keep" => Signal::Keep,
        "edit" => Signal::Edit,
        "regen" => Signal::Regen,
        "delete" => Signal::Delete,
        _ => {
            let message = "`signal` is keep, edit, regen or delete";
            return Err(ApiError::unprocessable("bad_signal", message));
        }
    };
    if request.dsl.is_some() && signal != Signal::Edit {
        let message = "`dsl` comes with the signal `edit` alone";
        return Err(ApiError::unprocessable("bad_feedback", message));
    }
    let said = Feedback {
        chunk_id: request.chunk_id,
        signal,
        session: request.session,
        dsl: request.dsl,
        context: request.context,
    };
    let key = idempotency_key(&headers)?.unwrap_or_else(fresh_id);
    let (collections, actor) = (app.engine.collections(), Actor::person(&owner.0));
    let learned = designs.feedback(collections, &owner.0, &said, &key, actor);
    let learned = learned.await?;
    let index = designs.index(collections, &owner.0).await?;
    let counters = index.counters(&said.chunk_id);
    Ok(Json(FeedbackAnswer {
        quality_score: counters.quality(),
        flagged: counters.is_flagged(),
        chunk_id: said.chunk_id,
        counters,
        learned: learned.map(|id| id.to_string()),
    }))
}

fn no_deck() -> ApiError {
    ApiError::new(
        StatusCode::NOT_FOUND,
        "no_deck",
        "there is no such deck in the design index",
    )
    .hint("GET /api/index/decks lists what there is")
}

impl From<DesignError> for ApiError {
    fn from(error: DesignError) -> Self {
        match error {
            DesignError::BadDeck(bad @ (BadDeck::Unreadable(_) | BadDeck::NoSlides)) => bad_deck(&bad),
            DesignError::NoChunk => {
                Self::new(StatusCode::NOT_FOUND, "no_chunk", error.to_string())
                    .hint("GET /api/index/search finds chunks, GET /api/index/decks/{id} lists those of a deck")
            }
            DesignError::LongContext => Self::unprocessable("bad_feedback", error.to_string()),
            DesignError::Collection(error) => error.into(),
        }
    }
}
