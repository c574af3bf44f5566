//! Copies the pages of the write-ahead log into the database. A thread with a connection of its own does most of it while the writer goes
//! on; the writer copies the few pages that were added meanwhile, and its next commit begins the log anew.

use std::sync::mpsc::{Receiver, Sender, channel};
use std::thread::JoinHandle;
use std::time::Duration;

use rusqlite::Connection;

use super::open::BUSY_TIMEOUT;

/// The length of the write-ahead log, in pages, at which it is copied into the database: 16 MiB, so that pages that change often are
/// written seldom.
const LONG: i64 = 2_000;

/// So many pages the writer copies itself, while everybody waits for it: 4 MiB, which is no more than some large commits.
const REST: i64 = 512;

/// How often the other thread copies in a row: first the log as it is, then the pages that the writer added meanwhile, so that little is
/// left to the writer.
const PASSES: usize = 2;

const LOOK: &str = "PRAGMA wal_checkpoint(NOOP)";
const BRING_IN: &str = "PRAGMA wal_checkpoint(PASSIVE)";
const BRING_ALL: &str = "PRAGMA wal_checkpoint(TRUNCATE)";

/// How many pages the log has, and how many of them are in the database.
struct Pages {
    logged: i64,
    brought_in: i64,
}

/// The writer's side.
pub(super) struct Checkpoints {
    /// `None` when it is told to end.
    wanted: Option<Sender<()>>,
    done: Receiver<()>,
    working: bool,
    /// How long the log was when the other thread was last asked.
    asked_at: i64,
    /// How many pages the log had at the last look.
    logged: i64,
    thread: Option<JoinHandle<()>>,
}

impl Checkpoints {
    /// Works on a connection of its own to the same database.
    pub(super) fn new(connection: Connection) -> Self {
        let (wanted, wants) = channel();
        let (finished, done) = channel();
        let thread = std::thread::Builder::new()
            .name("log-checkpoint".to_owned())
            .spawn(move || work(&connection, &wants, &finished))
            .expect("the operating system has resources for one more thread");
        Self {
            wanted: Some(wanted),
            done,
            working: false,
            asked_at: 0,
            logged: 0,
            thread: Some(thread),
        }
    }

    /// To be called after a commit. An error here does not make the commit fail: its pages are safe in the log.
    pub(super) fn after_commit(&mut self, connection: &Connection) {
        if let Err(error) = self.bring_in(connection) {
            told(&error);
        }
    }

    fn bring_in(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        self.working &= self.done.try_recv().is_err();
        let Pages { logged, brought_in } = pages(connection, LOOK)?;
        self.logged = logged;
        if logged < LONG {
            self.asked_at = 0;
            return Ok(());
        }
        let left = logged - brought_in;
        if self.working || left == 0 {
            return Ok(());
        }
        if left <= REST {
            return pages(connection, BRING_IN).map(drop);
        }
        // Where copying makes no progress, because a reader holds it up or the disk is full, the thread is not asked after every commit.
        if self.asked_at == 0 || logged - self.asked_at > REST {
            self.ask(logged);
        }
        Ok(())
    }

    fn ask(&mut self, logged: i64) {
        self.asked_at = logged;
        self.working = self
            .wanted
            .as_ref()
            .is_some_and(|wanted| wanted.send(()).is_ok());
    }

    /// Copies everything and leaves nothing in the log. It does not wait: where the other thread is at work or has to do most of it first, or
    /// a reader still needs the log, it is to be asked again later. Returns whether nothing is left.
    pub(super) fn clear(&mut self, connection: &Connection) -> Result<bool, rusqlite::Error> {
        self.working &= self.done.try_recv().is_err();
        let Pages { logged, brought_in } = pages(connection, LOOK)?;
        self.logged = logged;
        if self.working {
            return Ok(false);
        }
        if logged - brought_in > REST {
            self.ask(logged);
            return Ok(false);
        }
        connection.busy_timeout(Duration::ZERO)?;
        let cleared = connection.query_row(BRING_ALL, [], |row| {
            Ok((row.get::<_, i64>(0)? == 0, row.get(1)?))
        });
        connection.busy_timeout(BUSY_TIMEOUT)?;
        let (is_clear, logged) = cleared?;
        self.logged = logged;
        Ok(is_clear)
    }

    /// Looks how many pages the log has; another program may have copied them into the database.
    pub(super) fn look(&mut self, connection: &Connection) -> Result<(), rusqlite::Error> {
        // A statement that reads sees the log as it is now.
        connection.query_row("SELECT count(*) FROM meta", [], |_| Ok(()))?;
        self.logged = pages(connection, LOOK)?.logged;
        Ok(())
    }

    /// How many pages the log has at least until the next commit.
    pub(super) fn logged(&self) -> i64 {
        self.logged
    }

    /// Waits until the other thread has finished its work.
    #[cfg(test)]
    fn settle(&mut self) {
        if std::mem::take(&mut self.working) && self.done.recv().is_err() {
            tracing::error!("the thread for checkpoints ended before its time");
        }
    }
}

impl Drop for Checkpoints {
    fn drop(&mut self) {
        self.wanted = None;
        let ended = self.thread.take().map(JoinHandle::join);
        if let Some(Err(_)) = ended {
            tracing::error!("the thread for checkpoints panicked");
        }
    }
}

fn work(connection: &Connection, wants: &Receiver<()>, finished: &Sender<()>) {
    while wants.recv().is_ok() {
        for _ in 0..PASSES {
            if let Err(error) = pages(connection, BRING_IN) {
                told(&error);
                break;
            }
        }
        if finished.send(()).is_err() {
            return;
        }
    }
}

fn pages(connection: &Connection, pragma: &str) -> Result<Pages, rusqlite::Error> {
    connection.prepare_cached(pragma)?.query_row([], |row| {
        Ok(Pages {
            logged: row.get(1)?,
            brought_in: row.get(2)?,
        })
    })
}

fn told(error: &rusqlite::Error) {
    tracing::warn!(%error, "the write-ahead log could not be brought into the database; it grows until it can");
}

#[cfg(test)]
mod tests {
    use rusqlite::params;
    use tempfile::TempDir;

    use super::*;

    fn connect(folder: &TempDir) -> Connection {
        let connection = Connection::open(folder.path().join("log.db")).expect("opens");
        for (name, value) in [("journal_mode", "WAL"), ("wal_autocheckpoint", "0")] {
            connection
                .pragma_update(None, name, value)
                .expect("a setting");
        }
        connection
    }

    fn open(folder: &TempDir) -> (Connection, Checkpoints) {
        let connection = connect(folder);
        connection
            .execute_batch("CREATE TABLE pages (page BLOB)")
            .expect("a table");
        let checkpoints = Checkpoints::new(connect(folder));
        (connection, checkpoints)
    }

    /// Commits a row of this many pages of 4 KiB.
    fn commit(connection: &Connection, checkpoints: &mut Checkpoints, pages: i64) {
        connection
            .execute(
                "INSERT INTO pages VALUES (zeroblob(?))",
                params![pages * 4096],
            )
            .expect("commits");
        checkpoints.after_commit(connection);
    }

    fn logged(connection: &Connection) -> i64 {
        pages(connection, LOOK).expect("can be told").logged
    }

    #[test]
    fn a_long_log_is_brought_in_and_begins_anew() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, mut checkpoints) = open(&folder);
        for _ in 0..3 {
            commit(&writer, &mut checkpoints, LONG);
            assert!(checkpoints.working && logged(&writer) >= LONG);
            checkpoints.settle();
            commit(&writer, &mut checkpoints, 1);
            assert!(logged(&writer) < 10, "{}", logged(&writer));
        }
    }

    #[test]
    fn the_little_that_is_left_is_brought_in_by_the_writer() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, mut checkpoints) = open(&folder);
        commit(&writer, &mut checkpoints, LONG - 100);
        // This reader stops the other thread at a certain page, as happens when the writer goes on meanwhile.
        let reader = connect(&folder);
        reader
            .execute_batch("BEGIN; SELECT count(*) FROM pages")
            .expect("reads");
        commit(&writer, &mut checkpoints, 60);
        commit(&writer, &mut checkpoints, 60);
        assert!(checkpoints.working);
        checkpoints.settle();
        let there = pages(&writer, LOOK).expect("can be told");
        assert!(there.logged > there.brought_in && there.brought_in > 0);
        reader.execute_batch("COMMIT").expect("is at its end");
        checkpoints.bring_in(&writer).expect("is brought in");
        assert!(!checkpoints.working);
        let there = pages(&writer, LOOK).expect("can be told");
        assert_eq!(there.logged, there.brought_in);
    }

    #[test]
    fn a_reader_holds_the_log_up_and_no_commit_fails_for_that() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, mut checkpoints) = open(&folder);
        commit(&writer, &mut checkpoints, 1);
        let reader = connect(&folder);
        reader
            .execute_batch("BEGIN; SELECT count(*) FROM pages")
            .expect("reads");
        for _ in 0..5 {
            commit(&writer, &mut checkpoints, LONG);
            checkpoints.settle();
        }
        assert!(logged(&writer) >= 5 * LONG);
        reader.execute_batch("COMMIT").expect("is at its end");
        commit(&writer, &mut checkpoints, REST + 1);
        checkpoints.settle();
        for _ in 0..2 {
            commit(&writer, &mut checkpoints, 1);
        }
        assert!(logged(&writer) < 10, "{}", logged(&writer));
    }

    #[test]
    fn nothing_is_left_of_the_log_although_the_other_thread_is_at_work() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, mut checkpoints) = open(&folder);
        commit(&writer, &mut checkpoints, LONG);
        while !checkpoints.clear(&writer).expect("can be asked") {
            checkpoints.settle();
        }
        let log = std::fs::metadata(folder.path().join("log.db-wal"));
        assert_eq!(log.expect("it is there").len(), 0);
    }

    #[test]
    fn what_a_reader_still_needs_is_left_and_nobody_waits_for_it() {
        let folder = tempfile::tempdir().expect("a folder");
        let (writer, mut checkpoints) = open(&folder);
        commit(&writer, &mut checkpoints, 1);
        let reader = connect(&folder);
        reader
            .execute_batch("BEGIN; SELECT count(*) FROM pages")
            .expect("reads");
        commit(&writer, &mut checkpoints, 1);
        assert!(!checkpoints.clear(&writer).expect("can be asked"));
        commit(&writer, &mut checkpoints, 1);
        reader.execute_batch("COMMIT").expect("is at its end");
        assert!(checkpoints.clear(&writer).expect("can be asked"));
    }
}
