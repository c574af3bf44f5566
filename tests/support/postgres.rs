//! A PostgreSQL for a test, where the machine has one.

use sqlx::{AssertSqlSafe, Connection, PgConnection};

use super::skipped;

/// A fresh database for a test.
pub(crate) struct Database {
    pub(crate) url: String,
}

impl Database {
    /// Nothing where `PALIMPSEST_TEST_POSTGRES` does not say where the server is.
    pub(crate) async fn new(test: &str) -> Option<Self> {
        let Ok(server) = std::env::var("PALIMPSEST_TEST_POSTGRES") else {
            skipped("PALIMPSEST_TEST_POSTGRES is not set");
            return None;
        };
        let name = format!("palimpsest_test_{test}");
        let mut connection = PgConnection::connect(&server).await.expect("connects");
        for statement in [
            format!("DROP DATABASE IF EXISTS {name} WITH (FORCE)"),
            format!("CREATE DATABASE {name}"),
        ] {
            sqlx::query(AssertSqlSafe(statement))
                .execute(&mut connection)
                .await
                .expect("the user may make databases");
        }
        let (server, _) = server.rsplit_once('/').expect("an address with a database");
        Some(Self {
            url: format!("{server}/{name}"),
        })
    }
}
