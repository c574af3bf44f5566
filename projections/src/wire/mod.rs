//! What clients are sent: each wire is a pure, versioned fold of the log, one file (or folder) a wire.
//!
//! A new wire is a type that implements [`Wire`], which its protocol's incoming half names.

mod any;
mod cursor;
mod fold;
mod language;
pub mod native;
mod overview;
mod run_book;
mod run_fold;

pub use any::{AnyFold, UnknownWire, Wires};
pub use cursor::{Cursor, NotACursor};
pub use fold::{Fold, Frame, FrameData, Now, Parting, SessionRef, Stamp, Wire};
pub use language::{Language, clip_text, cut_text};
pub use overview::{AnyOverview, Overview};
pub use run_book::{NextAttempt, OpenTool, RunBook, StepFailure};
pub use run_fold::{FrameOutput, GateAnswered, RunDelta, RunEnd, RunFold, RunTeller};
