//! The events of a session: a page of frames as JSON, or all of them as server-sent events while they happen.

use std::time::Duration;

use axum::Json;
use axum::extract::State;
use axum::http::{HeaderMap, HeaderValue, StatusCode, header};
use axum::response::{IntoResponse, Response};
use domain::SessionId;
use projections::wire::native::Envelope;
use projections::{Cursor, Frame};
use serde::{Deserialize, Serialize, Serializer};
use ts_rs::TS;
use utoipa::{IntoParams, ToSchema};

use super::schemas::EventDoc;
use crate::app::App;
use crate::error::{ApiError, ErrorAnswer};
use crate::feed::{Batch, Filter, Follower, Reset, Start};
use crate::keys::Owner;
use crate::request::{ApiPath, ApiQuery};
use crate::wire::native::{Listen, listen};

/// Frames of a page unless asked otherwise.
const PAGE: usize = 200;

/// The most frames of a page.
const PAGE_MAX: usize = 1_000;

/// Bytes of frames after which a page is full. Clients hold a page in memory at once.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

/// The longest that a request may wait for something new, in seconds: below the thirty after which proxies commonly give up.
const WAIT_MAX: u64 = 25;

/// Which events.
#[derive(Clone, Debug, Deserialize, IntoParams)]
#[serde(deny_unknown_fields)]
#[into_params(parameter_in = Query)]
pub(super) struct EventsQuery {
    /// The cursor after which to go on, `start` (default) or `now`.
    after: Option<String>,
    /// The protocol whose frames are wanted: `native` (default), `lean`, which is the same without the bodies of artifacts, or that of
    /// a pipeline, such as `course`.
    wire: Option<String>,
    /// Of a page: at most this many frames, 1 to 1000; 200 where absent.
    limit: Option<usize>,
    /// Of a page: seconds to wait, 25 at most, where there is nothing yet.
    wait: Option<u64>,
    /// Of a stream: whether text is sent while it is made.
    #[serde(default)]
    deltas: bool,
    /// Of a stream: `end` for one that ends once nothing is at work any longer; otherwise it stays open for what follows.
    #[param(inline)]
    until: Option<Until>,
}

/// How long a stream goes on.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
enum Until {
    End,
}

/// A page of events.
#[derive(Serialize, ToSchema, TS)]
pub(super) struct EventPage {
    #[schema(value_type = Vec<EventDoc>)]
    #[ts(as = "Vec<Envelope<'static>>")]
    #[serde(serialize_with = "envelopes")]
    events: Vec<Frame>,
    /// `after` of the next page.
    cursor: String,
    /// Whether this was everything there is so far.
    up_to_date: bool,
}

fn envelopes<S: Serializer>(frames: &[Frame], serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_seq(frames.iter().map(|frame| frame.envelope(None)))
}

/// What happened in a session
///
/// A JSON page, whose header `Link` names the next one, or with `Accept: text/event-stream` everything as it comes; then `id:` is
/// the cursor, and `Last-Event-ID` goes before `after`.
#[utoipa::path(get, path = "/v1/sessions/{session}/events", operation_id = "session_events", tag = "sessions",
    params(EventsQuery, ("Last-Event-ID" = Option<String>, Header, description = "of a stream: the cursor after which to go on")),
    responses(
        (status = 204, description = "of a stream until the end: everything was sent before, and nothing is at work"),
        (status = 200, description = "a page, or a stream", content(
            (EventPage = "application/json"),
            (String = "text/event-stream"))),
        (status = 400, description = "the query is not right", body = ErrorAnswer),
        (status = 404, description = "no such session", body = ErrorAnswer),
        (status = 410, description = "the session was erased, or the cursor is of no use any longer: start again", body = ErrorAnswer),
        (status = 422, description = "no such wire", body = ErrorAnswer),
        (status = 429, description = "too many connections", body = ErrorAnswer)))]
pub(super) async fn events(
    State(app): State<App>,
    owner: Owner,
    ApiPath(session): ApiPath<String>,
    ApiQuery(query): ApiQuery<EventsQuery>,
    headers: HeaderMap,
) -> Result<Response, ApiError> {
    let session = SessionId::new(session);
    let wire = query.wire.clone().unwrap_or_else(|| "native".to_owned());
    if wants_stream(&headers) {
        let last = headers
            .get("last-event-id")
            .and_then(|value| value.to_str().ok())
            .map(str::to_owned);
        let until_end = query.until == Some(Until::End);
        let EventsQuery { after, deltas, .. } = query;
        return listen(
            app,
            owner,
            Listen {
                session,
                wire,
                last_event_id: last,
                after,
                deltas,
                until_end,
            },
        )
        .await;
    }
    let start = start(query.after.as_deref())?;
    let stream = owner.stream(&session);
    let followed = app.feeds.follow(&stream, &wire, start, Filter::All).await?;
    let mut follower = followed.map_err(|reset| reset_needed(&reset))?;
    let limit = query.limit.unwrap_or(PAGE).clamp(1, PAGE_MAX);
    let wait = Duration::from_secs(query.wait.unwrap_or(0).min(WAIT_MAX));
    let page = page(&app, &mut follower, limit, wait).await?;
    let mut response = HeaderMap::new();
    if !page.up_to_date {
        let EventPage { cursor, .. } = &page;
        let next = format!("<?wire={wire}&limit={limit}&after={cursor}>; rel=\"next\"");
        let next = HeaderValue::from_str(&next);
        let next = next.map_err(|error| ApiError::internal("naming the next page", error))?;
        response.insert(header::LINK, next);
    }
    Ok((response, Json(page)).into_response())
}

fn wants_stream(headers: &HeaderMap) -> bool {
    let accept = headers
        .get(header::ACCEPT)
        .and_then(|value| value.to_str().ok())
        .unwrap_or_default();
    accept.contains("text/event-stream")
}

fn start(after: Option<&str>) -> Result<Start, ApiError> {
    match after {
        None | Some("" | "start") => Ok(Start::Beginning),
        Some("now") => Ok(Start::Now),
        Some(cursor) => {
            cursor
                .parse()
                .map(Start::After)
                .map_err(|error: projections::wire::NotACursor| {
                    ApiError::new(StatusCode::BAD_REQUEST, "bad_cursor", error.to_string())
                })
        }
    }
}

fn reset_needed(reset: &Reset) -> ApiError {
    ApiError::new(
        StatusCode::GONE,
        "reset",
        format!("the cursor is of no use any longer ({})", reset.code()),
    )
    .hint("read the session again and go on with `after=start` or `after=now`")
}

/// A page while it is filled.
struct Filling {
    frames: Vec<Frame>,
    bytes: usize,
    /// Everything up to here is on the page or gives no frame.
    cursor: Cursor,
    limit: usize,
}

impl Filling {
    fn take(&mut self, batch: Vec<Frame>) {
        for frame in batch.into_iter().take(self.limit - self.frames.len()) {
            self.bytes += frame.size();
            self.cursor = frame.cursor;
            self.frames.push(frame);
        }
    }

    fn is_full(&self) -> bool {
        self.frames.len() >= self.limit || self.bytes >= PAGE_BYTES
    }
}

async fn page(
    app: &App,
    follower: &mut Follower,
    limit: usize,
    wait: Duration,
) -> Result<EventPage, ApiError> {
    let mut page = Filling {
        frames: vec![],
        bytes: 0,
        cursor: follower.after(),
        limit,
    };
    let deadline = tokio::time::sleep(wait);
    tokio::pin!(deadline);
    let mut up_to_date = false;
    while !page.is_full() {
        let batch = tokio::select! {
            biased;
            batch = follower.next() => batch?,
            () = &mut deadline, if up_to_date => break,
            () = app.stopping.cancelled(), if up_to_date => break,
        };
        match batch {
            Batch::Frames(batch) => {
                page.take(batch);
                up_to_date = false;
            }
            Batch::CaughtUp(at) => {
                page.cursor = page.cursor.max(at);
                up_to_date = true;
                if !page.frames.is_empty() || wait.is_zero() {
                    break;
                }
            }
        }
    }
    Ok(EventPage {
        events: page.frames,
        cursor: page.cursor.to_string(),
        up_to_date,
    })
}
