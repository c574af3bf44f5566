//! Reading from a database that speaks SQL. Most statements are the same for all of them, and all of their rows are read here; what a
//! database has of its own it says as a `Dialect` and a `Moment`.

mod columns;
mod read;
mod reader;
mod snapshot;

pub(crate) use columns::{Columns, index_state, step, stream};
pub(crate) use read::{Dialect, READING, Wanted};
pub(crate) use reader::{Reader, Value, bound};
pub(crate) use snapshot::{Moment, VERIFYING};

/// The columns that `columns::stream` reads, of streams `s`.
macro_rules! stream_columns {
    () => {
        "s.stream_no, s.owner, s.session, s.version, s.parent_no, s.fork_at, s.erased, s.title, s.pipeline, s.status, \
         s.created_at, s.updated_at"
    };
}
/// The columns that `columns::event` reads.
macro_rules! event_columns {
    () => {
        "position, stream_no, version, command_id, ordinal, name, schema_version, recorded_at, actor, correlation, causation, \
         codec, payload, hash"
    };
}
/// The columns that `columns::step` reads, of steps `s`.
macro_rules! step_columns {
    () => {
        "s.stream_no, s.run, s.step, s.attempt, s.due, s.node, s.epoch"
    };
}
/// The sessions of owner `$1` with numbers below `$2`, at most `$3` of them. The argument is a table `reserved` whose column `value` has
/// the prefixes of the JSON list `$4`.
macro_rules! sessions {
    ($reserved:literal) => {
        concat!(
            "SELECT ",
            $crate::sql::stream_columns!(),
            ", k.wrapped FROM streams s JOIN data_keys k USING (stream_no) \
             WHERE s.owner = $1 AND s.stream_no < $2 AND s.version > 0 AND NOT s.erased AND NOT EXISTS (SELECT 1 FROM ",
            $reserved,
            " WHERE substr(s.session, 1, length(reserved.value)) = reserved.value) ORDER BY s.stream_no DESC LIMIT $3"
        )
    };
}
/// The open step `$3` of run `$2` of stream `$1`, and whether the lease of its node has not ended. The argument is the time by which leases
/// are judged: the clock of the database, or that of this process, `$4`.
macro_rules! claimed {
    ($now:expr) => {
        concat!(
            "SELECT ",
            $crate::sql::step_columns!(),
            ", EXISTS (SELECT 1 FROM nodes n WHERE n.node = s.node AND n.lease_until > ",
            $now,
            ") FROM open_steps s WHERE s.stream_no = $1 AND s.run = $2 AND s.step = $3"
        )
    };
}
/// Whether there are steps that nobody carries out, or nodes whose leases have ended. The clock of this process is `$1`.
macro_rules! free_steps {
    ($now:expr) => {
        concat!(
            "SELECT EXISTS (SELECT 1 FROM open_steps WHERE node IS NULL) \
             OR EXISTS (SELECT 1 FROM nodes n JOIN open_steps s USING (node) WHERE n.lease_until <= ",
            $now,
            ")"
        )
    };
}
/// Nodes whose leases have not ended, with the ends of these. The clock of this process is `$1`.
macro_rules! nodes {
    ($now:expr) => {
        concat!(
            "SELECT node, lease_until FROM nodes WHERE lease_until > ",
            $now,
            " ORDER BY node"
        )
    };
}
pub(crate) use {
    claimed, event_columns, free_steps, nodes, sessions, step_columns, stream_columns,
};
