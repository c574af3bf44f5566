//! What both databases check when a log is opened.

use sqlx::migrate::Migrator;

use crate::error::OpenError;
use crate::seal::MasterKey;

/// The newest schema that this program knows.
pub(crate) fn newest(migrations: &Migrator) -> i64 {
    let versions = migrations.iter().map(|migration| migration.version);
    versions.max().unwrap_or(0)
}

pub(crate) fn not_newer(migrations: &Migrator, found: i64) -> Result<(), OpenError> {
    let known = newest(migrations);
    if found > known {
        Err(OpenError::Newer { found, known })
    } else {
        Ok(())
    }
}

/// Whether the log was sealed with this key, by the fingerprint that is kept in it.
pub(crate) fn sealed_with(master: &MasterKey, kept: Option<String>) -> Result<(), OpenError> {
    if kept.is_some_and(|kept| kept == master.fingerprint()) {
        Ok(())
    } else {
        Err(OpenError::WrongMasterKey)
    }
}
