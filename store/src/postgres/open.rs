//! Opening: whose schema it is, which version it has, which key it was sealed with. Several processes may do this at once.

use std::net::IpAddr;
use std::path::Path;
use std::str::FromStr;
use std::sync::Arc;

use domain::collection::Kinds;
use sqlx::postgres::{PgConnectOptions, PgPoolOptions, PgSslMode};
use sqlx::{ConnectOptions, Connection, PgConnection};
use tokio::sync::Notify;

use super::errors::storage;
use super::notify::Neighbours;
use super::read::PostgresRows;
use super::write::Writer;
use crate::anchor::{HeadOptions, LogHead};
use crate::backend::Table;
use crate::engine::{EventLog, Parts};
use crate::error::OpenError;
use crate::heads::{self, HeadFile, HeadsView, KnownHead, LOG_ID, Named};
use crate::limits::READERS;
use crate::migrations::POSTGRES as MIGRATIONS;
use crate::objects::{ObjectOptions, Objects};
use crate::opening::{newest, not_newer, sealed_with};
use crate::panics;
use crate::records::Clock;
use crate::rows::{fixed, signed};
use crate::seal::MasterKey;

const OPENING: &str = "opening the database";

/// Tables that a log has, to tell it from somebody else's.
const OURS: [&str; 4] = ["meta", "streams", "events", "data_keys"];

/// How to open a log on PostgreSQL.
pub struct PostgresOptions {
    pub master: MasterKey,
    pub clock: Clock,
    /// The kinds of collections; those that are not among them are not verified.
    pub kinds: Kinds,
    /// Where large blobs are kept. Processes that share a database have to share this place too.
    pub objects: ObjectOptions,
    /// The schema to use, made if it is not there; `None` for the one that the user's search path begins with.
    pub schema: Option<String>,
    /// Where the end of the log, as this process knows it, is kept beside it; `None` to keep it nowhere.
    pub heads: Option<HeadOptions>,
}

impl PostgresOptions {
    /// Without kinds of collections, with large blobs in the folder `<data>/blobs` and the head file in `<data>/heads`.
    pub fn new(master: MasterKey, clock: Clock, data: &Path) -> Self {
        Self {
            master,
            clock,
            kinds: Kinds::default(),
            objects: ObjectOptions::Folder(data.join("blobs")),
            schema: None,
            heads: Some(HeadOptions::new(data.join("heads"))),
        }
    }
}

/// A log in a database server.
pub struct PostgresLog;

impl PostgresLog {
    /// Opens a log for reading and writing, makes it if it is not there, and brings its schema up to date.
    pub async fn open(url: &str, options: PostgresOptions) -> Result<EventLog, OpenError> {
        let failed = storage(OPENING);
        let connect = connect_options(url, options.schema.as_deref())?;
        let mut connection = connect.connect().await.map_err(&failed)?;
        if let Some(schema) = &options.schema {
            make_schema(&mut connection, schema)
                .await
                .map_err(&failed)?;
        }
        if let Some(found) = inspect(&mut connection).await? {
            not_newer(&MIGRATIONS, found)?;
        }
        // It holds a lock of the database meanwhile, so a second process waits and then finds everything done.
        MIGRATIONS
            .run(&mut connection)
            .await
            .map_err(|error| failed(error.into()))?;
        check_key(&mut connection, &options.master, true).await?;
        let heads = match &options.heads {
            Some(heads) => {
                let place = shown(&connect, options.schema.as_deref());
                Some(own_head(&mut connection, &place, heads, &options.clock).await?)
            }
            None => None,
        };
        let committed = Arc::new(Notify::new());
        let writer = Writer::new(connect.clone(), committed.clone(), heads)?;
        start(connect, options, Some((Box::new(writer), committed))).await
    }

    /// Opens a log for reading only.
    pub async fn open_read_only(
        url: &str,
        options: PostgresOptions,
    ) -> Result<EventLog, OpenError> {
        let connect = connect_options(url, options.schema.as_deref())?;
        let mut connection = connect.connect().await.map_err(storage(OPENING))?;
        let known = newest(&MIGRATIONS);
        match inspect(&mut connection).await? {
            None => {
                return Err(OpenError::Foreign {
                    what: "there are no tables".to_owned(),
                });
            }
            Some(found) if found < known => return Err(OpenError::Older { found, known }),
            Some(found) => not_newer(&MIGRATIONS, found)?,
        }
        check_key(&mut connection, &options.master, false).await?;
        connection.close().await.map_err(storage(OPENING))?;
        start(connect, options, None).await
    }
}

async fn start(
    connect: PgConnectOptions,
    options: PostgresOptions,
    writer: Option<(Box<dyn Table>, Arc<Notify>)>,
) -> Result<EventLog, OpenError> {
    let place = shown(&connect, options.schema.as_deref());
    // One more connection for the listener, which keeps its own, and one for the notifications.
    let pool = PgPoolOptions::new()
        .max_connections(READERS + 2)
        .connect_with(connect)
        .await
        .map_err(storage(OPENING))?;
    let schema: String = sqlx::query_scalar("SELECT coalesce(current_schema(), '')")
        .fetch_one(&pool)
        .await
        .map_err(storage(OPENING))?;
    let (table, committed) = writer.unzip();
    let log = EventLog::start(Parts {
        rows: Arc::new(PostgresRows { pool: pool.clone() }),
        heads: options.heads.map(|heads| HeadsView {
            folder: heads.folder,
            place,
        }),
        table,
        objects: Objects::open(&options.objects)?,
        master: options.master,
        clock: options.clock,
        kinds: options.kinds,
        many_writers: true,
    })
    .await?;
    // Channels are the database's; each schema has its own. Their names are cut off at 63 bytes, so this one is a hash.
    let channel = format!(
        "palimpsest_{}",
        &domain::hash::Sha256::of(schema.as_bytes()).hex()[..16]
    );
    let neighbours = Neighbours {
        pool,
        channel,
        core: log.core().clone(),
    };
    if let Some(committed) = committed {
        let neighbours = neighbours.clone();
        panics::keep_alive("notifications_told", move || {
            neighbours.clone().tell(committed.clone())
        });
    }
    panics::keep_alive("notifications_heard", move || neighbours.clone().listen());
    Ok(log)
}

pub(super) fn connect_options(
    url: &str,
    schema: Option<&str>,
) -> Result<PgConnectOptions, OpenError> {
    let mut options = PgConnectOptions::from_str(url)
        .map_err(storage(OPENING))?
        .application_name("palimpsest")
        .disable_statement_logging();
    // Nobody can eavesdrop on a loopback connection, so it needs no TLS. And sqlx 0.9.0 leaves Nagle's algorithm on: a message that takes
    // more than one TLS record of 16 KiB, as a batch of events does, waits 40 ms for an acknowledgement in between.
    let unasked = matches!(options.get_ssl_mode(), PgSslMode::Prefer) && !url.contains("sslmode");
    if unasked && is_loopback(options.get_host()) {
        options = options.ssl_mode(PgSslMode::Disable);
    }
    Ok(match schema {
        Some(schema) => options
            .application_name(&format!("palimpsest {schema}"))
            .options([("search_path", schema)]),
        None => options,
    })
}

fn is_loopback(host: &str) -> bool {
    let address = host.trim_matches(['[', ']']).parse::<IpAddr>();
    host == "localhost" || address.is_ok_and(|address| address.is_loopback())
}

async fn make_schema(connection: &mut PgConnection, schema: &str) -> Result<(), sqlx::Error> {
    // `IF NOT EXISTS` does not keep two processes from creating the schema at the same moment; the lock does.
    let mut transaction = connection.begin().await?;
    sqlx::query("SELECT pg_advisory_xact_lock(hashtextextended('palimpsest schema', 0))")
        .execute(&mut *transaction)
        .await?;
    let quoted: String = sqlx::query_scalar("SELECT quote_ident($1)")
        .bind(schema)
        .fetch_one(&mut *transaction)
        .await?;
    // The name was quoted by the server.
    sqlx::query(sqlx::AssertSqlSafe(format!(
        "CREATE SCHEMA IF NOT EXISTS {quoted}"
    )))
    .execute(&mut *transaction)
    .await?;
    transaction.commit().await
}

/// The version of the schema; `None` where nothing is there yet.
pub(super) async fn inspect(connection: &mut PgConnection) -> Result<Option<i64>, OpenError> {
    let failed = storage(OPENING);
    let tables: Vec<String> =
        sqlx::query_scalar("SELECT table_name::text FROM information_schema.tables WHERE table_schema = current_schema()")
            .fetch_all(&mut *connection)
            .await
            .map_err(&failed)?;
    let has = |name: &str| tables.iter().any(|table| table == name);
    if has("_sqlx_migrations") && OURS.iter().all(|name| has(name)) {
        let version = sqlx::query_scalar("SELECT coalesce(max(version), 0) FROM _sqlx_migrations")
            .fetch_one(connection)
            .await
            .map_err(failed)?;
        return Ok(Some(version));
    }
    // Other tables in the same schema belong to somebody else and are left alone, unless they have our names.
    if OURS.iter().any(|name| has(name)) {
        return Err(OpenError::Foreign {
            what: format!("its schema has tables {}", tables.join(", ")),
        });
    }
    Ok(None)
}

/// Where the log is, without what is secret.
pub(super) fn shown(connect: &PgConnectOptions, schema: Option<&str>) -> String {
    let database = connect.get_database().unwrap_or("");
    let (host, port) = (connect.get_host(), connect.get_port());
    let schema = schema.unwrap_or("");
    format!("postgres {host}:{port}/{database} {schema}")
        .trim_end()
        .to_owned()
}

/// The head file of a log that is the one that the file speaks of, or that somebody accepts as it is.
async fn own_head(
    connection: &mut PgConnection,
    place: &str,
    options: &HeadOptions,
    clock: &Clock,
) -> Result<(HeadFile, LogHead), OpenError> {
    let failed = storage(OPENING);
    let facts: Vec<(String, String)> = sqlx::query_as("SELECT name, value FROM meta")
        .fetch_all(&mut *connection)
        .await
        .map_err(&failed)?;
    let id = heads::log_id(&facts);
    let named = Named { id, place };
    // Before the end of the log: other processes may write meanwhile.
    let known = KnownHead::read(&options.folder, &named)?;
    let last = hash_at(connection, ">= $1 ORDER BY position DESC LIMIT 1", 0).await;
    let found = last.map_err(&failed)?.unwrap_or(LogHead::NOTHING);
    let there = match known.position() {
        Some(position) => hash_at(connection, "= $1", position)
            .await
            .map_err(&failed)?,
        None => None,
    };
    let before = heads::accepted(&facts).len();
    let mismatch = known.compare(found, there.map(|head| head.hash));
    let accepted = heads::judge(mismatch, options.accept.as_ref(), before, clock())?;
    if let Some((name, accepted)) = accepted {
        let text = serde_json::to_string(&accepted).expect("an acceptance has only text keys");
        sqlx::query("INSERT INTO meta (name, value) VALUES ($1, $2)")
            .bind(name)
            .bind(text)
            .execute(&mut *connection)
            .await
            .map_err(&failed)?;
    }
    // A log that was refused has no id yet, and is refused again.
    sqlx::query("INSERT INTO meta (name, value) VALUES ($1, $2) ON CONFLICT DO NOTHING")
        .bind(LOG_ID)
        .bind(heads::new_log_id())
        .execute(&mut *connection)
        .await
        .map_err(&failed)?;
    let id: String = sqlx::query_scalar("SELECT value FROM meta WHERE name = $1")
        .bind(LOG_ID)
        .fetch_one(connection)
        .await
        .map_err(&failed)?;
    let file = HeadFile::open(&options.folder, &id, place, found)?;
    Ok((file, found))
}

/// The hash of the event at this position in the chain.
pub(super) async fn hash_at(
    connection: &mut PgConnection,
    which: &'static str,
    position: u64,
) -> Result<Option<LogHead>, sqlx::Error> {
    let sql = format!("SELECT position, hash FROM events WHERE position {which}");
    // Both statements are constants of this program.
    let row: Option<(i64, Vec<u8>)> = sqlx::query_as(sqlx::AssertSqlSafe(sql))
        .bind(signed(position))
        .fetch_optional(connection)
        .await?;
    Ok(row.map(|(position, hash)| LogHead {
        position: position as u64,
        hash: fixed(&hash),
    }))
}

/// The first one to open a new log leaves the fingerprint of its key.
async fn check_key(
    connection: &mut PgConnection,
    master: &MasterKey,
    leave: bool,
) -> Result<(), OpenError> {
    if leave {
        sqlx::query(
            "INSERT INTO meta (name, value) VALUES ('master_key', $1) ON CONFLICT DO NOTHING",
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn loopback_is_spoken_to_in_plain_unless_the_address_says_otherwise() {
        let mode = |url: &str| connect_options(url, None).unwrap().get_ssl_mode();
        for url in [
            "postgres://p@localhost/p",
            "postgres://p@127.0.0.1:5433/p",
            "postgres://p@[::1]/p",
        ] {
            assert!(matches!(mode(url), PgSslMode::Disable), "{url}");
        }
        assert!(matches!(
            mode("postgres://p@db.example/p"),
            PgSslMode::Prefer
        ));
        assert!(matches!(
            mode("postgres://p@localhost/p?sslmode=require"),
            PgSslMode::Require
        ));
    }
}
