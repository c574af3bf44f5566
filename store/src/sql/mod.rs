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
pub(crate) use {event_columns, sessions, step_columns, stream_columns};
