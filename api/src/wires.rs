//! What one needs to write a wire of one's own: the events of the log, the frames that are made of them, and the protocol that names the
//! wire. An endpoint beside the wire is written with `axum` and `utoipa_axum`, which stand here in the versions that the server has.

pub use axum;
pub use domain::event;
pub use domain::{Actor, ArtifactId, Event, EventId, GateId, Recorded, RunId, SessionId, StepId};
pub use projections::content_path;
pub use projections::wire::{Frame, FrameData, SessionRef, Wire, Wires};
pub use utoipa_axum;

pub use crate::described::Described;
pub use crate::protocol::Protocol;
