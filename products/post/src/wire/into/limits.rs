//! Every limit of this protocol, and the reason for its number.

use std::time::Duration;

/// Bytes of a request: the contract's number. It holds some reference pictures as `data:` addresses.
pub(super) const BODY_BYTES_MAX: usize = 10 * 1024 * 1024;

/// How often an idle stream sends a comment to stay open: the contract's number.
pub(super) const HEARTBEAT: Duration = Duration::from_secs(5);

/// The same of the events of a task: the contract's number.
pub(super) const TASK_HEARTBEAT: Duration = Duration::from_secs(15);

/// Reference pictures of a message: as many as the pipeline looks at.
pub(super) const REFERENCES_MAX: usize = crate::pipeline::shape::REFERENCES_MAX;

/// Tasks in a list if the request gives no limit, and the most: the contract's numbers.
pub(super) const TASKS: usize = 50;
pub(super) const TASKS_MAX: usize = 200;

/// Sessions that are looked at for a list of tasks. Each is a page of the log; owners with more can filter by time or theme.
pub(super) const SESSIONS_LOOKED_AT: usize = 1_000;

/// Sessions that are read from the list of them at a time.
pub(super) const SESSIONS_PAGE: usize = 200;
