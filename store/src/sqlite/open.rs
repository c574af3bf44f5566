//! Opening: whose file it is, who owns it, which schema it has, which key it was sealed with.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use domain::collection::Kinds;
use rusqlite::{Connection, OpenFlags};
use sqlx::sqlite::{SqliteConnectOptions, SqliteJournalMode, SqlitePoolOptions, SqliteSynchronous};
use sqlx::{ConnectOptions, Connection as _, SqliteConnection};

use super::errors::{NOT_A_DATABASE, Numbered, storage};
use super::lock::OwnerLock;
use super::read::SqliteRows;
use super::write::{DatabaseFile, Writer};
use crate::anchor::{HeadOptions, LogHead};
use crate::backend::Table;
use crate::chain::Hash;
use crate::engine::{EventLog, Parts};
use crate::error::OpenError;
use crate::heads::{self, HeadFile, HeadsView, KnownHead, LOG_ID, Named};
use crate::limits::READERS;
use crate::migrations::SQLITE as MIGRATIONS;
use crate::objects::{ObjectOptions, Objects};
use crate::opening::{newest, not_newer, sealed_with};
use crate::records::Clock;
use crate::rows::fixed;
use crate::seal::MasterKey;

/// Earlier versions can corrupt a database when the write-ahead log is reset.
const OLDEST_SQLITE: (&str, [u32; 3]) = ("3.51.3", [3, 51, 3]);

/// "PALI" as a number; the first migration writes it.
const APPLICATION_ID: i64 = 0x5041_4C49;

/// The page size of a database that is made here; existing databases keep theirs.
const PAGE_BYTES: u32 = 8192;

/// Pages that the writer keeps, in KiB: those of its largest ordinary commit, and the ends of the indexes of some thousand sessions. With
/// the 2 MiB that SQLite has by default, the former would be written early and the latter read again.
const WRITER_CACHE_KIB: i32 = 16 * 1024;

/// How long a statement waits for another program that has the file open.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// Prepared statements that the writer keeps; it has some 40.
const WRITER_STATEMENTS: usize = 64;

const OPENING: &str = "opening the database";

/// How to open a log on SQLite.
pub struct SqliteOptions {
    pub master: MasterKey,
    pub clock: Clock,
    /// The kinds of collections; those that are not among them are not verified.
    pub kinds: Kinds,
    /// Where large blobs are kept.
    pub objects: ObjectOptions,
    /// The address of this process, for other processes that find the log owned. May be empty.
    pub owner_address: String,
    /// The largest size of the database in pages of 8 KiB; `None` for no limit but the disk's.
    pub max_pages: Option<u32>,
    /// Where the end of the log is kept beside it; `None` to keep it nowhere.
    pub heads: Option<HeadOptions>,
}

impl SqliteOptions {
    /// Without kinds of collections, with large blobs in the folder `<data>/blobs` and the head file in `<data>/heads`.
    pub fn new(master: MasterKey, clock: Clock, data: &Path) -> Self {
        Self {
            master,
            clock,
            kinds: Kinds::default(),
            objects: ObjectOptions::Folder(data.join("blobs")),
            owner_address: String::new(),
            max_pages: None,
            heads: Some(HeadOptions::new(data.join("heads"))),
        }
    }
}

/// A log in a file.
pub struct SqliteLog;

impl SqliteLog {
    /// Opens a log for reading and writing, makes it if it is not there, brings its schema up to date. This process owns it
    /// then, until it closes it or ends.
    pub async fn open(path: &Path, options: SqliteOptions) -> Result<EventLog, OpenError> {
        let lock = Arc::new(OwnerLock::take(path, &options.owner_address)?);
        let known = inspect(path).await?;
        if let Contents::Log { schema } = known {
            not_newer(&MIGRATIONS, schema)?;
        }
        let making = making(path, options.max_pages);
        let mut connection = making.connect().await.map_err(storage(OPENING))?;
        check_sqlite(&mut connection).await?;
        MIGRATIONS
            .run(&mut connection)
            .await
            .map_err(|error| storage(OPENING)(sqlx::Error::from(error)))?;
        check_key(&mut connection, &options.master, true).await?;
        let heads = match &options.heads {
            Some(heads) => Some(own_head(&mut connection, path, heads, &options.clock).await?),
            None => None,
        };
        connection.close().await.map_err(storage(OPENING))?;
        let place = DatabaseFile {
            path: path.to_owned(),
            max_pages: options.max_pages,
        };
        let writer = Writer::new(place, Arc::clone(&lock), heads)?;
        start(path, options, Some((Box::new(writer), lock))).await
    }

    /// Opens a log for reading only, whether or not another process owns it, and follows what that one writes.
    pub async fn open_read_only(
        path: &Path,
        options: SqliteOptions,
    ) -> Result<EventLog, OpenError> {
        match inspect(path).await? {
            Contents::Nothing => {
                return Err(foreign(format!("{} is empty or not there", path.display())));
            }
            Contents::Log { schema } => {
                not_newer(&MIGRATIONS, schema)?;
                let known = newest(&MIGRATIONS);
                if schema < known {
                    return Err(OpenError::Older {
                        found: schema,
                        known,
                    });
                }
            }
        }
        let mut connection = reading(path).connect().await.map_err(storage(OPENING))?;
        check_sqlite(&mut connection).await?;
        check_key(&mut connection, &options.master, false).await?;
        connection.close().await.map_err(storage(OPENING))?;
        start(path, options, None).await
    }
}

async fn start(
    path: &Path,
    options: SqliteOptions,
    owned: Option<(Box<dyn Table>, Arc<OwnerLock>)>,
) -> Result<EventLog, OpenError> {
    let (table, lock) = owned.unzip();
    let pool = SqlitePoolOptions::new()
        .max_connections(READERS)
        .connect_with(reading(path))
        .await
        .map_err(storage(OPENING))?;
    let parts = Parts {
        rows: Arc::new(SqliteRows {
            pool,
            lock: Mutex::new(lock),
        }),
        heads: options.heads.map(|heads| HeadsView {
            folder: heads.folder,
            place: shown(path),
        }),
        many_writers: table.is_none(),
        table,
        objects: Objects::open(&options.objects)?,
        master: options.master,
        clock: options.clock,
        kinds: options.kinds,
    };
    Ok(EventLog::start(parts).await?)
}

pub(super) fn reading(path: &Path) -> SqliteConnectOptions {
    SqliteConnectOptions::new()
        .filename(path)
        .read_only(true)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging()
}

/// To make a log, or to bring its schema up to date.
fn making(path: &Path, max_pages: Option<u32>) -> SqliteConnectOptions {
    let options = SqliteConnectOptions::new()
        .filename(path)
        .create_if_missing(true)
        // Results of two or three kilobytes fill such pages better than smaller ones, and there are fewer to write.
        .page_size(PAGE_BYTES)
        .journal_mode(SqliteJournalMode::Wal)
        .synchronous(SqliteSynchronous::Full)
        .busy_timeout(BUSY_TIMEOUT)
        .disable_statement_logging();
    match max_pages {
        Some(pages) => options.pragma("max_page_count", pages.to_string()),
        None => options,
    }
}

/// Connects in order to write to a log that exists. These settings hold for the connection, not for the file.
pub(super) fn connect(place: &DatabaseFile) -> Result<Connection, rusqlite::Error> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let connection = Connection::open_with_flags(&place.path, flags)?;
    connection.busy_timeout(BUSY_TIMEOUT)?;
    connection.set_prepared_statement_cache_capacity(WRITER_STATEMENTS);
    // A commit that was answered survives a power cut.
    connection.pragma_update(None, "synchronous", "FULL")?;
    // Stream numbers are assigned by the commit that writes the rows, and `verify` reports a stream that does not exist. So SQLite need not
    // look up the stream of each row.
    connection.pragma_update(None, "foreign_keys", "OFF")?;
    // Checkpoints are made beside the commits, not within them. After a burst the file of the log shrinks again.
    connection.pragma_update(None, "wal_autocheckpoint", 0)?;
    connection.pragma_update(None, "journal_size_limit", 67_108_864)?;
    // The data that SQLite needs to undo a statement is kept in memory, not in a file.
    connection.pragma_update(None, "temp_store", "MEMORY")?;
    connection.pragma_update(None, "cache_size", -WRITER_CACHE_KIB)?;
    if let Some(pages) = place.max_pages {
        connection.pragma_update(None, "max_page_count", pages)?;
    }
    Ok(connection)
}

/// What is in a file.
enum Contents {
    Nothing,
    Log { schema: i64 },
}

/// Looks into a file without changing anything.
async fn inspect(path: &Path) -> Result<Contents, OpenError> {
    if std::fs::metadata(path).map_or(0, |metadata| metadata.len()) == 0 {
        return Ok(Contents::Nothing);
    }
    let looked = async {
        let mut connection = reading(path).connect().await?;
        let id: i64 = sqlx::query_scalar("PRAGMA application_id")
            .fetch_one(&mut connection)
            .await?;
        let tables: Vec<String> =
            sqlx::query_scalar("SELECT name FROM sqlite_schema WHERE type = 'table'")
                .fetch_all(&mut connection)
                .await?;
        let has = |name: &str| tables.iter().any(|table| table == name);
        let contents =
            if id == APPLICATION_ID && has("_sqlx_migrations") && has("events") && has("meta") {
                let schema =
                    sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
                        .fetch_one(&mut connection)
                        .await?;
                Ok(Contents::Log { schema })
            } else if id == 0 && tables.iter().all(|table| table == "_sqlx_migrations") {
                // The file was created but is empty: the process ended while making the log.
                Ok(Contents::Nothing)
            } else {
                Err(foreign(format!(
                    "application id {id}, tables {}",
                    tables.join(", ")
                )))
            };
        connection.close().await?;
        Ok(contents)
    };
    let looked: Result<_, sqlx::Error> = looked.await;
    match looked {
        Ok(contents) => contents,
        Err(error) if error.primary_code() == Some(NOT_A_DATABASE) => {
            Err(foreign(format!("{} is not an SQLite file", path.display())))
        }
        Err(error) => Err(storage(OPENING)(error).into()),
    }
}

fn foreign(what: String) -> OpenError {
    OpenError::Foreign { what }
}

async fn check_sqlite(connection: &mut SqliteConnection) -> Result<(), OpenError> {
    let found: String = sqlx::query_scalar("SELECT sqlite_version()")
        .fetch_one(connection)
        .await
        .map_err(storage(OPENING))?;
    let (needed, oldest) = OLDEST_SQLITE;
    let version: Vec<u32> = found
        .split('.')
        .filter_map(|part| part.parse().ok())
        .collect();
    if version.as_slice() < &oldest[..] {
        Err(OpenError::OldSqlite { found, needed })
    } else {
        Ok(())
    }
}

/// Where the log is, in a form that does not depend on the folder that this process works in.
pub(super) fn shown(path: &Path) -> String {
    let whole = std::fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    format!("sqlite {}", whole.display())
}

/// The head file of a log that is the one that the file speaks of, or that somebody accepts as it is.
async fn own_head(
    connection: &mut SqliteConnection,
    path: &Path,
    options: &HeadOptions,
    clock: &Clock,
) -> Result<HeadFile, OpenError> {
    let failed = storage(OPENING);
    let facts: Vec<(String, String)> = sqlx::query_as("SELECT name, value FROM meta")
        .fetch_all(&mut *connection)
        .await
        .map_err(&failed)?;
    let id = heads::log_id(&facts);
    let place = shown(path);
    let named = Named { id, place: &place };
    let known = KnownHead::read(&options.folder, &named)?;
    let last = hash_at(connection, ">= ? ORDER BY position DESC LIMIT 1", 0).await?;
    let found = last.unwrap_or(LogHead::NOTHING);
    let there: Option<Hash> = match known.position() {
        Some(position) => hash_at(connection, "= ?", position)
            .await?
            .map(|head| head.hash),
        None => None,
    };
    let before = heads::accepted(&facts).len();
    let mismatch = known.compare(found, there);
    let accepted = heads::judge(mismatch, options.accept.as_ref(), before, clock())?;
    if let Some((name, accepted)) = accepted {
        let text = serde_json::to_string(&accepted).expect("an acceptance has only text keys");
        sqlx::query("INSERT INTO meta (name, value) VALUES (?, ?)")
            .bind(name)
            .bind(text)
            .execute(&mut *connection)
            .await
            .map_err(&failed)?;
    }
    // A log that was refused has no id yet, and is refused again.
    sqlx::query("INSERT INTO meta (name, value) VALUES (?, ?) ON CONFLICT DO NOTHING")
        .bind(LOG_ID)
        .bind(heads::new_log_id())
        .execute(&mut *connection)
        .await
        .map_err(&failed)?;
    let id: String = sqlx::query_scalar("SELECT value FROM meta WHERE name = ?")
        .bind(LOG_ID)
        .fetch_one(connection)
        .await
        .map_err(&failed)?;
    Ok(HeadFile::open(&options.folder, &id, &place, found)?)
}

/// The hash of the event at this position in the chain.
async fn hash_at(
    connection: &mut SqliteConnection,
    which: &'static str,
    position: u64,
) -> Result<Option<LogHead>, OpenError> {
    let sql = format!("SELECT position, hash FROM events WHERE position {which}");
    // Both statements are constants of this program.
    let row: Option<(i64, Vec<u8>)> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(crate::rows::signed(position))
        .fetch_optional(connection)
        .await
        .map_err(storage(OPENING))?;
    Ok(row.map(|(position, hash)| LogHead {
        position: position as u64,
        hash: fixed(&hash),
    }))
}

/// The first one to open a new log leaves the fingerprint of its key.
async fn check_key(
    connection: &mut SqliteConnection,
    master: &MasterKey,
    leave: bool,
) -> Result<(), OpenError> {
    if leave {
        sqlx::query(
            "INSERT INTO meta (name, value) VALUES ('master_key', ?) ON CONFLICT DO NOTHING",
        )
        .bind(master.fingerprint())
        .execute(&mut *connection)
        .await
        .map_err(storage(OPENING))?;
    }
    let stored: Option<String> =
        sqlx::query_scalar("SELECT value FROM meta WHERE name = 'master_key'")
            .fetch_optional(connection)
            .await
            .map_err(storage(OPENING))?;
    sealed_with(master, stored)
}
