//! Every limit of a native connection, with where its number comes from.

use std::time::Duration;

/// The version of the protocol that `hello` and `welcome` name.
pub(super) const PROTOCOL: u32 = 1;

/// The version of the state that `snapshot` carries in the views `events` and `state`: that of the session's view.
pub(super) const SESSION_VIEW_VERSION: u32 = 1;

/// How long a client may take to say `hello`. It is one message; a minute on a bad network would be generous.
pub(super) const HELLO_DEADLINE: Duration = Duration::from_secs(10);

/// How often a ping is sent. Proxies were seen to close what is silent for half a minute.
pub(super) const PING_EVERY: Duration = Duration::from_secs(25);

/// Silence after which a client is gone: two pings unanswered, and some.
pub(super) const SILENCE_MAX: Duration = Duration::from_secs(60);

/// Messages of subscriptions that wait for the socket. Each is at most one event; when they wait, the subscriptions do.
pub(super) const OUTBOX: usize = 64;

/// Commands of a client that wait for their turn. A person has one under way; a program that has more waits for answers.
pub(super) const COMMANDS_WAITING: usize = 16;

/// The longest name of a subscription, in bytes.
pub(super) const SUB_BYTES_MAX: usize = 128;

/// The view `state` is sent at most this often: a person does not see more, and it is sent whole.
pub(super) const STATE_EVERY: Duration = Duration::from_millis(250);

/// How often an event stream that has nothing to say shows that it is alive. A field report saw proxies close at 16 seconds.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(12);

/// Batches of an event stream that wait for the socket.
pub(super) const SSE_OUTBOX: usize = 16;
