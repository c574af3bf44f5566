//! The state of a session as one message, with the cursor it is true at: what follows is exactly what comes after it.

use domain::SessionId;
use projections::wire::Wire;
use projections::wire::course::{Course, Family};
use projections::wire::native::Native;
use projections::{Cursor, view};
use serde::Serialize;
use serde_json::value::{RawValue, to_raw_value};

use super::limits::SESSION_VIEW_VERSION;
use crate::app::App;
use crate::error::ApiError;
use crate::keys::Owner;

/// A state and its place.
pub(super) struct Snapshot {
    pub(super) at: Cursor,
    pub(super) view_version: u32,
    pub(super) state: Box<RawValue>,
}

/// What a client of this wire is given to begin with.
pub(super) async fn of_wire(
    app: &App,
    owner: &Owner,
    session: &SessionId,
    wire: &str,
) -> Result<Snapshot, ApiError> {
    if wire == Course::NAME {
        // A client of this wire may come before the session does; one who asks for a snapshot here may not.
        if app.feeds.version(&owner.stream(session)).await? == 0 {
            return Err(ApiError::no_session());
        }
        let response = app
            .feeds
            .overview(&owner.stream(session), Family::Both)
            .await?;
        return Ok(Snapshot {
            at: response.pos,
            view_version: Course::VERSION,
            state: raw(&response),
        });
    }
    let state = app.engine.session(&owner.stream(session)).await?;
    // Every event is one frame of the native wire.
    let at = Cursor {
        wire_version: Native::VERSION,
        version: state.version,
        sub: 0,
    };
    Ok(Snapshot {
        at,
        view_version: SESSION_VIEW_VERSION,
        state: raw(&view::session(&state)),
    })
}

fn raw(state: &impl Serialize) -> Box<RawValue> {
    to_raw_value(state).expect("views hold only string keys and finite numbers")
}
