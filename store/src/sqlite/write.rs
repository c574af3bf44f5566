//! Writing: one connection, one transaction at a time. Nobody else writes, so the end of the log and the versions of streams are known from
//! memory; they are read from disk when the connection is made, and again after any error.
//!
//! The connection is one of rusqlite, which works on the thread of its caller: the writer has a thread of its own. With sqlx, which is used
//! for reading, each statement would cross to another thread and back, a dozen times a commit.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use async_trait::async_trait;
use domain::SessionId;
use foldhash::{HashMap, HashMapExt};
use rusqlite::{Connection, OptionalExtension, Row, TransactionBehavior, params};

use super::checkpoint::Checkpoints;
use super::commit::{SETTLE, write};
use super::errors::storage;
use super::known::KnownStreams;
use super::lock::OwnerLock;
use super::open::connect;
use super::search;
use crate::anchor::LogHead;
use crate::backend::Table;
use crate::cache::Cache;
use crate::chain::GENESIS;
use crate::decide::{BatchLookups, LookedUp, claimed_step};
use crate::error::Storage;
use crate::files::WatchedFiles;
use crate::heads::HeadFile;
use crate::ids::StreamId;
use crate::limits::WRITER_STREAMS;
use crate::records::{Claim, Whose};
use crate::rows::{Head, OwedRow, StepRow, StreamRow, Writes, fixed, micros, narrow, signed};
use crate::search::{IndexState, IndexWrites};
use crate::sql::stream_columns;

const APPENDING: &str = "appending";

/// The names of the files of the log in messages to people.
const DATABASE: &str = "the database";
const WRITE_AHEAD_LOG: &str = "the write-ahead log";
const HEAD_FILE: &str = "the head file of the log, in the data folder,";

/// Bytes of a write-ahead log before its pages, and bytes that each page has there in addition to its content.
const LOG_HEADER: u64 = 32;
const FRAME_HEADER: u64 = 24;

const INDEXING: &str = "indexing";

const LAST_EVENT: &str =
    "SELECT position, hash, recorded_at FROM events ORDER BY position DESC LIMIT 1";
const NEXT_STREAM: &str = "SELECT coalesce(max(stream_no), 0) + 1 FROM streams";
const FIND_STREAM: &str = concat!(
    "SELECT ",
    stream_columns!(),
    " FROM streams s WHERE s.owner = ? AND s.session = ?"
);
const FIND_COMMAND: &str =
    "SELECT position FROM events WHERE stream_no = ? AND command_id = ? AND ordinal = 0";
const FIND_FORKS: &str = "SELECT session FROM streams WHERE parent_no = ? AND erased = 0";
const FIND_CLAIM: &str = "SELECT stream_no, run, step, attempt, due, node, epoch FROM open_steps \
     WHERE stream_no = ? AND run = ? AND step = ?";
const FIND_LEASE: &str = "SELECT lease_until FROM nodes WHERE node = ?";
const RENEW: &str = "INSERT INTO nodes (node, lease_until) VALUES (?, ?) \
     ON CONFLICT DO UPDATE SET lease_until = excluded.lease_until";
macro_rules! take_over {
    ($from:literal) => {
        concat!(
            "UPDATE open_steps SET node = ?1, epoch = epoch + 1 WHERE ",
            $from,
            " RETURNING stream_no, run, step, attempt, due, node, epoch"
        )
    };
}
const TAKE_NOBODYS: &str = take_over!("node IS NULL");
const TAKE_ENDED: &str = take_over!(
    "node IS NULL OR (node <> ?1 AND node NOT IN (SELECT node FROM nodes WHERE lease_until > ?2) \
     AND EXISTS (SELECT 1 FROM nodes WHERE node = ?1 AND lease_until >= ?3))"
);
const TAKE_ALL: &str = take_over!("node IS NOT ?1");
const FORGET_NODES: &str = "DELETE FROM nodes WHERE node <> ? AND lease_until <= ? \
     AND node NOT IN (SELECT node FROM open_steps WHERE node IS NOT NULL)";
const HAND_BACK: [&str; 2] = [
    "UPDATE open_steps SET node = NULL WHERE node = ?",
    "DELETE FROM nodes WHERE node = ?",
];
const RELEASE: &str = "UPDATE open_steps SET node = NULL \
     WHERE node = ? AND stream_no = ? AND run = ? AND step = ? AND epoch = ?";

/// Where the database is, and how large it may become.
pub(super) struct DatabaseFile {
    pub(super) path: PathBuf,
    /// In pages; `None` for no limit but the disk's.
    pub(super) max_pages: Option<u32>,
}

pub(super) struct Writer {
    place: DatabaseFile,
    live: Option<Live>,
    /// The lock, which is shared with the readers of this process.
    lock: Option<Arc<OwnerLock>>,
    files: WatchedFiles,
    heads: Option<HeadFile>,
    /// The end of the log after what this process committed or found.
    end: LogHead,
}

struct Live {
    connection: Connection,
    /// Bytes of a page.
    page: u64,
    checkpoints: Checkpoints,
    head: Head,
    next_stream_no: i64,
    streams: Cache<Arc<StreamId>, StreamRow>,
    known: KnownStreams,
}

impl Writer {
    pub(super) fn new(
        place: DatabaseFile,
        lock: Arc<OwnerLock>,
        heads: Option<HeadFile>,
    ) -> Result<Self, Storage> {
        let mut files = WatchedFiles::default();
        files.watch(DATABASE, &place.path)?;
        // No program makes the database smaller: it is never vacuumed.
        files.only_grows(DATABASE);
        if let Some(heads) = &heads {
            files.watch(HEAD_FILE, heads.path())?;
        }
        let mut writer = Self {
            place,
            live: None,
            lock: Some(lock),
            files,
            heads,
            end: LogHead::NOTHING,
        };
        writer.live()?;
        Ok(writer)
    }

    fn live(&mut self) -> Result<&mut Live, Storage> {
        if self.live.is_none() {
            self.connect()?;
        }
        Ok(self.live.as_mut().expect("it was made just now"))
    }

    /// Connects to the same file as before, whose log has to have the same end as before.
    fn connect(&mut self) -> Result<(), Storage> {
        self.files.check()?;
        let live = Live::new(&self.place).map_err(storage("opening the database"))?;
        let found = LogHead::from(live.head);
        if found.position < self.end.position {
            let cause = format!("the log ended at {} and now ends at {found}", self.end);
            return Err(self.files.lose(cause));
        }
        self.end = found;
        let log = write_ahead_log(&self.place.path);
        self.files.watch(WRITE_AHEAD_LOG, &log)?;
        self.live = Some(live);
        Ok(())
    }

    fn act<T>(
        &mut self,
        doing: &'static str,
        act: impl FnOnce(&mut Live) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Storage> {
        self.files.is_lost()?;
        let done = self
            .live()
            .and_then(|live| act(live).map_err(storage(doing)));
        if done.is_err() {
            // If files are gone, SQLite reports a different error.
            self.files.check()?;
        }
        done
    }

    /// Looks at the write-ahead log before anything is written: writing to a log that was cut makes it as long as before. Another program
    /// may have copied all of it into the database, which is not a loss and can be seen from the log itself.
    fn look_at_log(&mut self, doing: &'static str) -> Result<(), Storage> {
        if !self.files.is_short(WRITE_AHEAD_LOG) {
            return Ok(());
        }
        let bytes = self.act(doing, |live| {
            live.checkpoints.look(&live.connection)?;
            Ok(live.log_bytes())
        })?;
        self.files.has_at_least(WRITE_AHEAD_LOG, bytes);
        self.files.check()
    }

    /// Changes the database like the function before, for changes that are committed and after which the write-ahead log may be long. The
    /// change counts only if the files can still be found.
    fn change<T>(
        &mut self,
        doing: &'static str,
        change: impl FnOnce(&mut Live) -> Result<T, rusqlite::Error>,
    ) -> Result<T, Storage> {
        self.look_at_log(doing)?;
        let changed = self.act(doing, |live| {
            let changed = change(live)?;
            live.checkpoints.after_commit(&live.connection);
            Ok((changed, live.log_bytes(), LogHead::from(live.head)))
        });
        let (changed, log_bytes, end) = changed?;
        self.files.has_at_least(WRITE_AHEAD_LOG, log_bytes);
        self.files.check()?;
        if end != self.end {
            self.end = end;
            if let Some(heads) = &mut self.heads {
                heads.write(end);
            }
        }
        Ok(changed)
    }
}

/// The file that SQLite keeps beside a database.
fn write_ahead_log(database: &Path) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push("-wal");
    name.into()
}

impl Live {
    fn new(place: &DatabaseFile) -> Result<Self, rusqlite::Error> {
        let connection = connect(place)?;
        let last = connection.query_row(LAST_EVENT, [], |row| {
            Ok(Head {
                position: row.get::<_, i64>(0)? as u64,
                hash: fixed(row.get_ref(1)?.as_blob()?),
                recorded_at: row.get(2)?,
            })
        });
        let nothing = Head {
            position: 0,
            hash: GENESIS,
            recorded_at: i64::MIN,
        };
        let head = last.optional()?.unwrap_or(nothing);
        let next_stream_no = connection.query_row(NEXT_STREAM, [], |row| row.get(0))?;
        let page: i64 = connection.query_row("PRAGMA page_size", [], |row| row.get(0))?;
        Ok(Self {
            connection,
            page: page.unsigned_abs(),
            checkpoints: Checkpoints::new(connect(place)?),
            head,
            next_stream_no,
            streams: Cache::new(WRITER_STREAMS),
            known: KnownStreams::new(),
        })
    }

    /// How long the write-ahead log has to be for its number of pages.
    fn log_bytes(&self) -> u64 {
        match u64::try_from(self.checkpoints.logged()) {
            Ok(0) | Err(_) => 0,
            Ok(pages) => LOG_HEADER + pages * (FRAME_HEADER + self.page),
        }
    }

    fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, rusqlite::Error> {
        let mut streams = HashMap::with_capacity(wanted.streams.len());
        let mut find = self.connection.prepare_cached(FIND_STREAM)?;
        for id in &wanted.streams {
            if let Some(row) = self.streams.get(id) {
                streams.insert(id.clone(), row);
                continue;
            }
            let found = find.query_row(params![id.owner.as_str(), id.session.as_str()], stream);
            if let Some(row) = found.optional()? {
                self.streams.insert(row.id.clone(), row.clone());
                streams.insert(row.id.clone(), row);
            }
        }
        let mut commands = HashMap::new();
        let mut find = self.connection.prepare_cached(FIND_COMMAND)?;
        for (command, place) in &wanted.commands {
            // A command on a stream without events has not been carried out before.
            if let Some(row) = streams.get(&wanted.streams[*place])
                && row.version > 0
                && self.known.may_have_command(row.no, command)
                && let Some(position) = find
                    .query_row(params![row.no, command.0], |row| row.get::<_, i64>(0))
                    .optional()?
            {
                commands.insert(*command, position as u64);
            }
        }
        let mut forks = HashMap::new();
        for row in wanted.forks_of.iter().filter_map(|id| streams.get(id)) {
            let mut find = self.connection.prepare_cached(FIND_FORKS)?;
            let sessions =
                find.query_map([row.no], |row| Ok(SessionId::new(row.get::<_, String>(0)?)))?;
            forks.insert(row.no, sessions.collect::<Result<_, _>>()?);
        }
        let mut claims = HashMap::new();
        for ((run, text), place) in &wanted.claims {
            if let Some(row) = streams.get(&wanted.streams[*place]) {
                let mut find = self.connection.prepare_cached(FIND_CLAIM)?;
                let found = find.query_row(params![row.no, run, text.as_str()], step);
                if let Some(found) = found.optional()? {
                    claims.insert((row.no, (*run, text.clone())), found);
                }
            }
        }
        Ok(LookedUp {
            head: self.head,
            next_stream_no: self.next_stream_no,
            streams,
            commands,
            forks,
            claims,
        })
    }

    fn commit(&mut self, writes: &mut Writes) -> Result<(), rusqlite::Error> {
        let erases = writes.destroys();
        if erases {
            // What is deleted is overwritten, so that no key stays behind in a free page.
            self.connection.pragma_update(None, "secure_delete", "ON")?;
        }
        for row in writes.touched().filter(|row| row.no >= self.next_stream_no) {
            self.known.begin(row.no);
        }
        // The transaction is rolled back if it is dropped before its end.
        let transaction = self
            .connection
            .transaction_with_behavior(TransactionBehavior::Immediate)?;
        write(&transaction, &mut self.known, writes)?;
        transaction.commit()?;
        if let Some(head) = writes.head {
            self.head = head;
        }
        for row in writes.touched() {
            if row.no >= self.next_stream_no {
                self.next_stream_no = row.no + 1;
            }
            self.streams.insert(row.id.clone(), row.clone());
        }
        for first in writes.events.iter().filter(|event| event.ordinal == 0) {
            self.known.put_command(first.stream_no, &first.command);
        }
        if erases {
            self.connection
                .pragma_update(None, "secure_delete", "OFF")?;
        }
        Ok(())
    }

    fn settle(&mut self, done: &[OwedRow]) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        for row in done {
            transaction.prepare_cached(SETTLE)?.execute(params![
                row.stream_no,
                row.owed.kind(),
                row.owed.name()
            ])?;
        }
        transaction.commit()
    }

    fn renew(&self, node: &str, lease_until: i64) -> Result<Option<i64>, rusqlite::Error> {
        let mut find = self.connection.prepare_cached(FIND_LEASE)?;
        let before = find.query_row([node], |row| row.get(0)).optional()?;
        let mut put = self.connection.prepare_cached(RENEW)?;
        put.execute(params![node, lease_until])?;
        Ok(before)
    }

    fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        now: i64,
    ) -> Result<Vec<StepRow>, rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        let taken = {
            let mut take = transaction.prepare_cached(match whose {
                Whose::Nobody => TAKE_NOBODYS,
                Whose::LeaseEnded { .. } => TAKE_ENDED,
                Whose::Everybody => TAKE_ALL,
            })?;
            let rows = match whose {
                Whose::Nobody | Whose::Everybody => take.query_map([node], step)?,
                Whose::LeaseEnded { own_left } => {
                    let lasts_to = now.saturating_add(micros(own_left));
                    take.query_map(params![node, now, lasts_to], step)?
                }
            };
            rows.collect::<Result<_, _>>()?
        };
        let ended_by = match whose {
            Whose::Nobody => None,
            Whose::LeaseEnded { .. } => Some(now),
            Whose::Everybody => Some(i64::MAX),
        };
        if let Some(ended_by) = ended_by {
            let mut forget = transaction.prepare_cached(FORGET_NODES)?;
            forget.execute(params![node, ended_by])?;
        }
        transaction.commit()?;
        Ok(taken)
    }

    fn hand_back(
        &mut self,
        node: &str,
        claim: Option<(i64, Claim)>,
    ) -> Result<(), rusqlite::Error> {
        let transaction = self.connection.transaction()?;
        if let Some((stream_no, claim)) = claim {
            let (run, step) = claimed_step(&claim);
            let (step, epoch) = (step.as_str(), signed(claim.epoch));
            let mut release = transaction.prepare_cached(RELEASE)?;
            release.execute(params![node, stream_no, run, step, epoch])?;
        } else {
            for statement in HAND_BACK {
                transaction.prepare_cached(statement)?.execute([node])?;
            }
        }
        transaction.commit()
    }
}

fn stream(row: &Row<'_>) -> Result<StreamRow, rusqlite::Error> {
    let parent: Option<i64> = row.get(4)?;
    let fork_at: Option<i64> = row.get(5)?;
    Ok(StreamRow {
        no: row.get(0)?,
        id: Arc::new(StreamId {
            owner: row.get_ref(1)?.as_str()?.into(),
            session: row.get_ref(2)?.as_str()?.into(),
        }),
        version: row.get::<_, i64>(3)? as u64,
        parent: parent.zip(fork_at.map(|at| at as u64)),
        erased: row.get::<_, i64>(6)? != 0,
        title: row.get_ref(7)?.as_blob()?.into(),
        pipeline: row.get_ref(8)?.as_str()?.into(),
        status: row.get_ref(9)?.as_str()?.into(),
        created_at: row.get(10)?,
        updated_at: row.get(11)?,
    })
}

fn step(row: &Row<'_>) -> Result<StepRow, rusqlite::Error> {
    Ok(StepRow {
        stream_no: row.get(0)?,
        run: narrow(row.get(1)?),
        step: row.get_ref(2)?.as_str()?.into(),
        attempt: narrow(row.get(3)?),
        due: row.get(4)?,
        node: row.get_ref(5)?.as_str_or_null()?.map(Into::into),
        epoch: row.get(6)?,
    })
}

#[async_trait]
impl Table for Writer {
    async fn look_up(&mut self, wanted: &BatchLookups) -> Result<LookedUp, Storage> {
        self.act(APPENDING, |live| live.look_up(wanted))
    }

    async fn commit(&mut self, writes: &mut Writes) -> Result<(), Storage> {
        if writes.is_empty() {
            return Ok(());
        }
        self.change(APPENDING, |live| live.commit(writes))
    }

    fn forget(&mut self) {
        self.live = None;
        // The program that closes the last connection removes the write-ahead log; whether events are missing then is seen at the end of
        // the log.
        self.files.leave(WRITE_AHEAD_LOG);
    }

    async fn renew(
        &mut self,
        node: &str,
        lease: i64,
        clock: i64,
    ) -> Result<(i64, Option<i64>), Storage> {
        let until = clock.saturating_add(lease);
        let before = self.change("renewing a lease", |live| live.renew(node, until))?;
        Ok((clock, before))
    }

    async fn take_over(
        &mut self,
        node: &str,
        whose: Whose,
        clock: i64,
    ) -> Result<Vec<StepRow>, Storage> {
        self.change("taking steps over", |live| {
            live.take_over(node, whose, clock)
        })
    }

    async fn hand_back(&mut self, node: &str, claim: Option<(i64, Claim)>) -> Result<(), Storage> {
        self.change("handing steps back", |live| live.hand_back(node, claim))
    }

    /// The write-ahead log still has the pages on which the keys were.
    async fn clear_residue(&mut self) -> Result<bool, Storage> {
        self.change("emptying the write-ahead log", |live| {
            live.checkpoints.clear(&live.connection)
        })
    }

    async fn settle(&mut self, done: &[OwedRow]) -> Result<(), Storage> {
        self.change("settling what was owed", |live| live.settle(done))
    }

    async fn index(&mut self, writes: IndexWrites) -> Result<Option<IndexState>, Storage> {
        self.change(INDEXING, |live| {
            search::index(&mut live.connection, &writes)
        })
    }

    async fn close(&mut self) {
        if let Some(live) = self.live.take() {
            // Closing the last connection copies the rest of the log into the database and removes the log.
            drop(live.checkpoints);
            if let Err((_, error)) = live.connection.close() {
                tracing::warn!(%error, "the database was not closed cleanly; nothing is lost");
            }
        }
        self.lock = None;
    }
}

/// Statements that find or remove rows.
#[cfg(test)]
pub(super) fn statements_for_test() -> Vec<&'static str> {
    use super::commit;
    use super::read::SqliteRows;
    use crate::sql::Dialect as _;
    let own = [FIND_STREAM, FIND_COMMAND];
    let reading = [SqliteRows::BLOB, SqliteRows::EVENTS_OF];
    [&own, &commit::FINDING_FOR_TEST[..], &reading].concat()
}
