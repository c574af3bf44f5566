//! The `course` protocol (Socket.IO), outgoing: chat messages, one tool message for each stage in both of its families,
//! progress, and one `completion` for each run. `frames.rs` has the shape of every frame.
//!
//! What the contract leaves open is fixed here:
//! - Every frame carries `pos`, its cursor, and `sessionId`, since a socket may follow several sessions.
//! - An artifact holds its content; where that is too large for a frame, it has `url`, `size` and `mediaType` instead.
//! - The content of a file is `{mediaType, size, sha256, url, fileName}`; `url` is where it is fetched.
//! - Only artifacts of the contract's kinds are sent ([`KINDS`]). What else a stage makes (the PDF, small pictures, the layout report) is
//!   mentioned in a line, and is available on the native wire and over HTTP.
//! - `tool:log` is `{id, messageId, toolName, level, message, artifactId?, timestamp}`. It reports what a stage made, searches, rejected
//!   outputs, failed calls and decisions, always within an open tool message. `artifactId` is the artifact that the line is about.
//! - Where the session goes back to an earlier run, the artifacts that count again are sent once more, each under the tool message under
//!   which it was sent first; the `completion` of the message that asked for it names the deliverable that counts again.
//! - A stage that is gone back to while it is open is closed as failed; what follows is a new tool message.
//! - The theme is made at the same time as the scripts. Its frames are held back and sent with the event that closes the scripts, or as the
//!   first frames of the event that ends the run.
//! - The greeting waits for what it repeats: it is sent once the feedback of a refinement is known, and at the latest before the first
//!   stage.

mod causes;
mod family;
mod fold;
mod frames;
mod init;
mod lines;
mod run;
#[cfg(test)]
mod tests;
mod words;

pub(crate) use family::Family;
pub(crate) use fold::Course;
pub(crate) use frames::Artifact;
pub(crate) use init::{InitResponse, InitView};
