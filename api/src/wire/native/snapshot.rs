//! The state of a session as one message, with the cursor that it belongs to: exactly what comes after this cursor is sent next.

use domain::{Session, SessionId};
use projections::wire::Wire;
use projections::wire::native::Native;
use projections::{AnyOverview, Cursor, view};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::limits::SESSION_VIEW_VERSION;
use crate::app::App;
use crate::error::ApiError;
use crate::feed::{Filter, Follower, Start};
use crate::keys::Owner;

/// A state with its cursor.
pub(super) struct Snapshot {
    pub(super) at: Cursor,
    pub(super) view_version: u32,
    pub(super) state: Box<RawValue>,
}

/// The state of a session, and a follower of everything that comes after it on this wire.
pub(super) async fn of_wire(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    wire: &str,
) -> Result<(Snapshot, Follower), ApiError> {
    let stream = owner.stream(session);
    let own = |overview: &AnyOverview| (overview.at(), overview.state());
    if let Some((at, state)) = app.feeds.overview(&stream, wire, own).await? {
        // Clients of such a wire may connect before the session exists, but a snapshot needs an existing session.
        if at.version == 0 {
            return Err(ApiError::no_session());
        }
        let snapshot = Snapshot {
            at,
            view_version: at.wire_version,
            state,
        };
        let follower = follow(app, owner, session, wire, Start::After(at)).await?;
        return Ok((snapshot, follower));
    }
    // Only the wire knows which of the frames of an event is its last.
    let follower = follow(app, owner, session, wire, Start::Now).await?;
    let at = follower.after();
    let mut state = app.engine.session(&stream).await?;
    if state.version != at.version {
        state = app.engine.session_at(&stream, at.version).await?;
    }
    Ok((of_state(at, &state), follower))
}

/// A follower of this wire from a start that exists.
pub(super) async fn follow(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    wire: &str,
    start: Start,
) -> Result<Follower, ApiError> {
    let stream = owner.stream(session);
    let followed = app.feeds.follow(&stream, wire, start, Filter::All).await?;
    followed.map_err(|reset| {
        let cause = format!("a cursor of our own was refused: {}", reset.code());
        ApiError::internal("following a session", cause)
    })
}

/// The state of a session as it is now.
pub(super) async fn of_session(
    app: &App,
    owner: &Owner,
    session: &SessionId,
) -> Result<Snapshot, ApiError> {
    let state = app.engine.session(&owner.stream(session)).await?;
    // On the native wire, every event is one frame.
    let at = Cursor {
        wire_version: Native::VERSION,
        version: state.version,
        sub: 0,
    };
    Ok(of_state(at, &state))
}

fn of_state(at: Cursor, state: &Session) -> Snapshot {
    Snapshot {
        at,
        view_version: SESSION_VIEW_VERSION,
        state: raw(&view::session(state)),
    }
}

fn raw(state: &impl Serialize) -> Box<RawValue> {
    to_raw_value(state).expect("views hold only string keys and finite numbers")
}
