//! What comes in on sockets, and how frames go out: one folder a protocol. What the frames say is in `projections`.

pub mod deck;
mod deltas;
mod limits;
pub mod native;
pub mod post;
mod presence;
pub mod report;
mod socket;
pub mod socketio;
mod sse;
pub mod story;
pub mod story_resources;
