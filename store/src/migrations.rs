//! The schema of both databases: the files of `migrations/`, in order, as part of the program.
//!
//! They are listed here by hand. The macro of sqlx, which could find them, would have both drivers compiled a second time, for the macro
//! itself. A database remembers the number and the checksum of each file, so none of the files may ever change.

use std::sync::LazyLock;

use sqlx::SqlStr;
use sqlx::migrate::{Migration, MigrationType, Migrator};

pub(crate) static SQLITE: LazyLock<Migrator> = LazyLock::new(|| {
    Migrator::with_migrations(vec![
        migration(
            1,
            "log",
            include_str!("../../migrations/sqlite/0001_log.sql"),
        ),
        migration(
            2,
            "search",
            include_str!("../../migrations/sqlite/0002_search.sql"),
        ),
        migration(
            3,
            "claims",
            include_str!("../../migrations/sqlite/0003_claims.sql"),
        ),
        migration(
            4,
            "documents",
            include_str!("../../migrations/sqlite/0004_documents.sql"),
        ),
        migration(
            5,
            "owed",
            include_str!("../../migrations/sqlite/0005_owed.sql"),
        ),
        migration(
            6,
            "bodies",
            include_str!("../../migrations/sqlite/0006_bodies.sql"),
        ),
    ])
});

pub(crate) static POSTGRES: LazyLock<Migrator> = LazyLock::new(|| {
    Migrator::with_migrations(vec![
        migration(
            1,
            "log",
            include_str!("../../migrations/postgres/0001_log.sql"),
        ),
        migration(
            2,
            "search",
            include_str!("../../migrations/postgres/0002_search.sql"),
        ),
        migration(
            3,
            "claims",
            include_str!("../../migrations/postgres/0003_claims.sql"),
        ),
        migration(
            4,
            "documents",
            include_str!("../../migrations/postgres/0004_documents.sql"),
        ),
        migration(
            5,
            "owed",
            include_str!("../../migrations/postgres/0005_owed.sql"),
        ),
        migration(
            6,
            "bodies",
            include_str!("../../migrations/postgres/0006_bodies.sql"),
        ),
    ])
});

/// One file. It is run in a transaction.
fn migration(version: i64, description: &'static str, sql: &'static str) -> Migration {
    let sql = SqlStr::from_static(sql);
    Migration::new(
        version,
        description.into(),
        MigrationType::Simple,
        sql,
        false,
    )
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    /// What sqlx reads from a folder at run time, which is what its macro would have embedded: numbers, texts, checksums.
    async fn in_folder(folder: &str) -> Migrator {
        let path = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../migrations")
            .join(folder);
        let files = std::fs::read_dir(&path).unwrap().count();
        let migrator = Migrator::new(path).await.unwrap();
        assert_eq!(
            migrator.iter().count(),
            files,
            "every file in migrations/{folder} has a name like 0001_log.sql"
        );
        migrator
    }

    /// Everything that a database remembers about each migration or does with it, in order.
    fn shown(migrator: &Migrator) -> Vec<String> {
        let one = |m: &Migration| {
            let Migration {
                version,
                description,
                migration_type,
                sql,
                checksum,
                no_tx,
            } = m;
            let sql = sql.as_str();
            format!("{version} {description} {migration_type:?} {checksum:?} {no_tx} {sql}")
        };
        migrator.iter().map(one).collect()
    }

    #[tokio::test]
    async fn every_file_of_the_folders_is_in_the_list() {
        for (folder, listed) in [("sqlite", &*SQLITE), ("postgres", &*POSTGRES)] {
            let expected = shown(&in_folder(folder).await);
            assert_eq!(shown(listed), expected, "in migrations/{folder}");
        }
    }
}
