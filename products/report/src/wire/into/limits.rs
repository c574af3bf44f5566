//! Every limit of a connection of this protocol, and the reason for its number. The limits of all sockets are in `wire/socket.rs`.

use std::time::Duration;

/// How often a ping is sent: the contract's number.
pub(crate) const PING_EVERY: Duration = Duration::from_secs(30);

/// How long a client may be silent after a ping: the contract's number.
pub(crate) const PING_TIMEOUT: Duration = Duration::from_secs(10);

/// How often `system.heartbeat` is sent: the contract's number.
pub(crate) const HEARTBEAT_EVERY: Duration = Duration::from_secs(60);

/// Messages of a client that wait for their turn: the contract's number. If the inbox is full, nothing more is read, so that the client has
/// to wait and no message is lost.
pub(crate) const INBOX: usize = 32;

/// Frames that wait for the socket. Each is at most one event. If the outbox is full, the tasks that make frames wait.
pub(crate) const OUTBOX: usize = 64;

/// Messages that a client may send at once: enough for a page that opens and reconnects all its sessions several times.
pub(crate) const MESSAGES_BURST: u32 = 128;

/// Messages a second that a client may send in the long run. The contract advises five acknowledgements a second; a person adds one or two
/// messages.
pub(crate) const MESSAGES_PER_SECOND: u32 = 32;

/// Sessions of one connection. A person works on one or two; each has a follower of its own.
pub(crate) const SESSIONS_MAX: usize = 32;

/// How long text under way is gathered before it is sent: the contract's number.
pub(crate) const PARTIAL_EVERY: Duration = Duration::from_millis(75);

/// Bytes of the messages in one `agent.llm_message`: as much as a connection may hold unsent for one subscription, and more than the
/// prompts of planner and solver with all that their tools show them.
pub(crate) const LLM_MESSAGES_BYTES_MAX: usize = 256 * 1024;

/// How long a signed state is good for: the contract's number.
pub(crate) const STATE_SECONDS: i64 = 7 * 24 * 60 * 60;

/// How far the clocks of processes that share keys may be apart, in seconds. A state that was signed later than this is refused.
pub(crate) const CLOCK_SKEW_SECONDS: i64 = 60;

/// Bytes of a signed state. Names of owners and sessions are bounded, so ours have a few hundred.
pub(crate) const STATE_BYTES_MAX: usize = 4 * 1024;

/// Characters of a client's text that a refusal repeats.
pub(crate) const SHOWN_CHARS: usize = 64;
