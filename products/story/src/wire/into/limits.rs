//! Every limit of this protocol, and the reason for its number.

use std::time::Duration;

/// Bytes of a request: the longest message with four bytes for each character, and as much again for the other fields.
pub(super) const BODY_BYTES_MAX: usize = 256 * 1024;

/// How often an idle stream sends a comment to stay open: proxies close a silent one after some fifteen seconds.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(10);

/// Requests that an owner may make at once, and requests a second in the long run: the contract's numbers.
pub(super) const REQUESTS_BURST: u32 = 100;
pub(super) const REQUESTS_PER_SECOND: u32 = 10;

/// Owners whose requests are counted. If there are more, all are forgotten and begin with a full bucket, which is worth little to anybody.
pub(super) const OWNERS_COUNTED: usize = 10_000;

/// Bytes of a client's name for a session: with the number of a lane after it, it still is a valid name for a session of the log.
pub(super) const SESSION_BYTES_MAX: usize = palimpsest::prelude::wire::ID_BYTES_MAX - 8;

/// How often a message is tried again because its session has changed. A session changes with each step of a run, a few times a second.
pub(super) const TRIES_MAX: usize = 24;

/// How long an answer that is no stream is waited for. A chapter takes a minute or two; the run goes on after that.
pub(super) const ANSWER_WAIT: Duration = Duration::from_secs(600);

/// Characters of a placeholder in square brackets, which stands for something that the model was not shown. The longest has about thirty.
pub(super) const PLACEHOLDER_CHARS: usize = 40;

/// Calls of tools in the statistics: the contract's number.
pub(super) const CALLS_COUNTED: usize = 1_000;

/// Sessions that are searched for calls, or for the latest session of a project: a week of one person's work.
pub(super) const SESSIONS_LOOKED_AT: usize = 50;

/// Sessions that are read from the list of them at a time.
pub(super) const SESSIONS_PAGE: usize = 200;

/// Characters of the last message that the offer to go on repeats: a line.
pub(super) const PROMPT_CHARS: usize = 60;
