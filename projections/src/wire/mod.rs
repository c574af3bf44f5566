//! What clients are sent: each wire is a pure, versioned fold of the log, one file (or folder) a wire.
//!
//! A new wire is a type that implements [`Wire`], and one line in `any.rs`.

mod any;
pub mod course;
mod cursor;
mod fold;
mod language;
pub mod native;
pub mod post;
pub mod report;

pub use any::{AnyFold, AnyOverview, UnknownWire};
pub use cursor::{Cursor, NotACursor};
pub use fold::{Fold, Frame, FrameData, Parting, SessionRef, Stamp, Wire};
