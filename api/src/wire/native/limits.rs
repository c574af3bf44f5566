//! Every limit of a native connection, and the reason for its number.

use std::time::Duration;

/// The version of the protocol that `hello` and `welcome` name.
pub(super) const PROTOCOL: u32 = 1;

/// The version of the state that `snapshot` carries in the views `events` and `state`: that of the session's view.
pub(super) const SESSION_VIEW_VERSION: u32 = 1;

/// How long a client may take to send `hello`. It is one message, so that this is long enough for a bad network.
pub(super) const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How often a ping is sent. Proxies were seen to close connections that are silent for half a minute.
pub(super) const PING_EVERY: Duration = Duration::from_secs(25);

/// A client that sends nothing for so long is taken to be gone: two pings were not answered.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(60);

/// Messages of subscriptions that wait for the socket. Each is at most one event. If the outbox is full, the subscriptions wait.
pub(super) const OUTBOX: usize = 64;

/// Commands of a client that wait for their turn. A person has one at a time; a program with more has to wait for answers.
pub(super) const COMMANDS_WAITING: usize = 16;

/// The longest name of a subscription, in bytes.
pub(super) const SUB_BYTES_MAX: usize = 128;

/// The view `state` is sent at most this often: each time the whole state is sent, and a person cannot see more.
pub(super) const STATE_EVERY: Duration = Duration::from_millis(250);

/// How often an idle event stream sends a comment to stay open. A proxy was reported to close streams after 16 seconds.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(12);
