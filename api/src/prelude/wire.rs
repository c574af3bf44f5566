//! The layer of wires: the events of the log, the frames that are made of them, the protocol that names the wire, and what its endpoints
//! take, follow and answer with. An endpoint is written with `axum` and `utoipa_axum`, which stand here in the versions of the server.

pub use axum;
pub use utoipa_axum;

// The outgoing half: a fold of the log into frames.
pub use domain::event;
pub use domain::{
    Actor, ArtifactId, Event, EventId, GateId, Recorded, RunId, Session, SessionId, StepId,
};
pub use projections::wire::{
    AnyOverview, Cursor, Fold, Frame, FrameData, NotACursor, Now, Overview, SessionRef, Stamp,
    Wire, Wires,
};
pub use projections::wire::{
    FrameOutput, GateAnswered, NextAttempt, OpenTool, RunBook, RunDelta, RunEnd, RunFold,
    RunTeller, StepFailure,
};
pub use projections::wire::{Language, clip_text, cut_text, native};
pub use projections::{JSON, content_path, file_name, held_content, rfc3339};

// The incoming half: what clients send becomes commands.
pub use crate::app::App;
pub use crate::ask::{
    COMMAND_TYPES, CommandAnswer, CommandRequest, ID_BYTES_MAX, MessageAnswer, Say,
    check_client_id, check_id, check_session, check_session_id, content_hash, derived,
};
pub use crate::config::{
    Config, ConfigError, Contract, Draft, Environment, KeyEntry, LOCAL_OWNER, PipelineConfig,
    WireConfig, address,
};
pub use crate::described::Described;
pub use crate::error::{ApiError, ErrorAnswer};
pub use crate::keys::{Keys, Owner, bearer};
pub use crate::protocol::Protocol;
pub use crate::request::{
    ApiJson, ApiPath, ApiQuery, Form, FormError, PartHead, idempotency_key, in_address, is_form,
};
pub use crate::settings::SettingsRequest;
pub use crate::signer::Signer;

// Connections: how many there may be, how they follow a session, what they send.
pub use crate::bucket::Bucket;
pub use crate::connections::Caller;
pub use crate::console::page as console_page;
pub use crate::console_folders::{ConsoleFolder, EmbeddedFiles};
pub use crate::contents::{ContentQuery, disposition, serve as serve_content};
pub use crate::feed::{Batch, FeedError, Feeds, Filter, Follower, Start};
pub use crate::handshakes::{HandshakePlace, Handshakes};
pub use crate::wire::limits::WRITE_DEADLINE;
pub use crate::wire::native::start_of;
pub use crate::wire::{ContractRefusal, deltas, presence, socket, sse};

// What the engine and its log are asked for.
pub use runner::clock::{Clock, fresh_id};
pub use runner::{Applied, Delta, Engine, SendError};
pub use store::{Log, SessionLine, StreamId};
