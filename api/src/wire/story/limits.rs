//! Every limit of this protocol, with where its number comes from.

use std::time::Duration;

/// Bytes of a request: a message of the most characters in four bytes each, and as much again for what is said beside it.
pub(super) const BODY_BYTES_MAX: usize = 256 * 1024;

/// How often a stream that has nothing to say shows that it is alive: proxies close a silent one after some fifteen seconds.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// Frames that wait for the socket, as on the native streams.
pub(super) const OUTBOX: usize = 16;

/// Requests of an owner that are taken at once, and a second for long: the contract's numbers.
pub(super) const REQUESTS_BURST: u32 = 100;
pub(super) const REQUESTS_PER_SECOND: u32 = 10;

/// Owners whose requests are counted. One that is forgotten begins with a full measure, which a burst of others is not worth.
pub(super) const OWNERS_COUNTED: usize = 10_000;

/// Bytes of a client's name for a session: with the number of a lane behind it, it is a name for a session of the log.
pub(super) const SESSION_BYTES_MAX: usize = crate::ask::ID_BYTES_MAX - 8;

/// How often a message is said again to a session that moved meanwhile. It moves with each step of a run, some times a second.
pub(super) const TRIES_MAX: usize = 24;

/// How long an answer that is no stream is waited for. A chapter takes a minute or two; the run goes on after that.
pub(super) const ANSWER_WAIT: Duration = Duration::from_secs(600);

/// Characters of a placeholder in square brackets that stands for what a model was not shown; the longest has some thirty.
pub(super) const PLACEHOLDER_CHARS: usize = 40;

/// Calls of tools that the statistics are of: the contract's number.
pub(super) const CALLS_COUNTED: usize = 1_000;

/// Sessions whose calls are counted, or among which the last one of a project is looked for: a week of one person's work.
pub(super) const SESSIONS_LOOKED_AT: usize = 50;

/// Sessions that are read from the list of them at a time.
pub(super) const SESSIONS_PAGE: usize = 200;

/// Characters of the last message that the offer to go on repeats: a line.
pub(super) const PROMPT_CHARS: usize = 60;
