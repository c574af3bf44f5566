//! The tables as they are at one moment, each in a file of PostgreSQL's own binary format, and a log from such files.

use std::io::Read as _;
use std::path::Path;

use futures::TryStreamExt as _;
use sqlx::{AssertSqlSafe, ConnectOptions as _, Connection as _, PgConnection, PgPool};

use super::errors::storage;
use super::open::{PostgresLog, connect_options, inspect, shown};
use super::snapshot::PostgresSnapshot;
use crate::backend::DatabaseCopy;
use crate::backup::{
    BACKING_UP, Backup, BackupError, BackupFile, CHUNK, DatabaseKind, DraftFile, RESTORING, failed,
};
use crate::error::Storage;
use crate::migrations::POSTGRES as MIGRATIONS;
use crate::objects::ObjectOptions;
use crate::opening::{newest, not_newer};
use crate::sql::Moment as _;

/// The tables of a log with this schema, in the order in which the migrations make them: each comes after those that it refers to.
pub(super) fn tables(schema: i64) -> Vec<&'static str> {
    let migrations = MIGRATIONS.iter();
    let until = migrations.filter(|migration| migration.version <= schema);
    let lines = until.flat_map(|migration| migration.sql.as_str().lines());
    let made =
        lines.filter_map(|line| line.strip_prefix("CREATE TABLE ")?.split([' ', '(']).next());
    made.collect()
}

/// The file of a table in a backup.
fn file_of(table: &str) -> String {
    format!("tables/{table}.copy")
}

pub(super) async fn copy_into(pool: &PgPool, folder: &Path) -> Result<DatabaseCopy, Storage> {
    let schema = newest(&MIGRATIONS);
    let mut snapshot = PostgresSnapshot::begin(pool)
        .await
        .map_err(storage(BACKING_UP))?;
    let mut files = vec![];
    for table in tables(schema) {
        files.push(copy_table(snapshot.transaction(), folder, table).await?);
    }
    Ok(DatabaseCopy {
        kind: DatabaseKind::Postgres,
        schema,
        files,
        snapshot: Box::new(snapshot),
    })
}

async fn copy_table(
    connection: &mut PgConnection,
    folder: &Path,
    table: &'static str,
) -> Result<BackupFile, Storage> {
    let failed = storage(BACKING_UP);
    // The names of the tables are constants of this program.
    let counting = AssertSqlSafe(format!("SELECT count(*) FROM {table}"));
    let rows: i64 = sqlx::query_scalar(counting)
        .fetch_one(&mut *connection)
        .await
        .map_err(&failed)?;
    let mut file = DraftFile::create(folder, &file_of(table))?;
    let copying = format!("COPY {table} TO STDOUT (FORMAT binary)");
    let mut chunks = connection.copy_out_raw(&copying).await.map_err(&failed)?;
    while let Some(chunk) = chunks.try_next().await.map_err(&failed)? {
        file.write(&chunk)?;
    }
    file.finish(Some(rows as u64))
}

impl PostgresLog {
    /// Makes a log in an empty database out of a backup, with its large blobs in this place and its head file in the folder `heads`.
    ///
    /// # Errors
    ///
    /// The database has something in it, the backup is of another kind of database or newer than this program, or something cannot be
    /// written. The database is empty then.
    pub async fn restore(
        url: &str,
        backup: &Backup,
        objects: &ObjectOptions,
        heads: &Path,
    ) -> Result<(), BackupError> {
        backup.is_of(DatabaseKind::Postgres)?;
        let schema = backup.manifest.schema;
        not_newer(&MIGRATIONS, schema)?;
        let failed = storage(RESTORING);
        let connect = connect_options(url, None)?;
        let place = shown(&connect, None);
        let mut connection = connect.connect().await.map_err(&failed)?;
        if let Some(found) = inspect(&mut connection).await?
            && (found > schema || !is_empty(&mut connection).await.map_err(&failed)?)
        {
            return Err(BackupError::Occupied { place });
        }
        backup.put_blobs(objects).await?;
        MIGRATIONS
            .run_to(schema, &mut connection)
            .await
            .map_err(|error| failed(error.into()))?;
        let mut transaction = connection.begin().await.map_err(&failed)?;
        for table in tables(schema) {
            restore_table(&mut transaction, backup, table).await?;
        }
        transaction.commit().await.map_err(&failed)?;
        Ok(backup.leave_head(heads, &place)?)
    }
}

/// Whether a log has no session and no fact yet.
async fn is_empty(connection: &mut PgConnection) -> Result<bool, sqlx::Error> {
    let sql = "SELECT NOT EXISTS (SELECT 1 FROM streams) AND NOT EXISTS (SELECT 1 FROM meta)";
    sqlx::query_scalar(sql).fetch_one(connection).await
}

async fn restore_table(
    connection: &mut PgConnection,
    backup: &Backup,
    table: &'static str,
) -> Result<(), BackupError> {
    let not_taken = storage(RESTORING);
    let path = file_of(table);
    let (mut file, listed) = backup.read_file(&path)?;
    let copying = format!("COPY {table} FROM STDIN (FORMAT binary)");
    let mut taking = connection.copy_in_raw(&copying).await.map_err(&not_taken)?;
    let mut chunk = vec![0; CHUNK];
    loop {
        let read = file
            .read(&mut chunk)
            .map_err(|error| failed(RESTORING, Path::new(&path), &error))?;
        if read == 0 {
            break;
        }
        taking.send(&chunk[..read]).await.map_err(&not_taken)?;
    }
    let rows = taking.finish().await.map_err(&not_taken)?;
    if listed.rows == Some(rows) {
        return Ok(());
    }
    Err(BackupError::Damaged {
        file: path,
        what: format!("gave {rows} rows, which are not those that it should have"),
    })
}
