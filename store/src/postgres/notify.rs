//! Telling other processes, and being told. A notification only says that there is something to be read; whoever misses one
//! finds out by looking every now and then.

use std::sync::Arc;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::Notify;

use crate::core::Core;
use crate::limits::{NOTIFY_EVERY, POLL};

/// Tells others about commits of this process, many at a time.
pub(super) async fn tell(pool: PgPool, channel: String, committed: Arc<Notify>, core: Arc<Core>) {
    let mut closing = core.closing();
    loop {
        tokio::select! {
            _ = closing.wait_for(|closed| *closed) => return,
            () = committed.notified() => {}
        }
        let told = sqlx::query("SELECT pg_notify($1, '')")
            .bind(&channel)
            .execute(&pool)
            .await;
        if let Err(error) = told {
            tracing::warn!(%error, "other processes were not notified; they find out by looking");
        }
        tokio::time::sleep(NOTIFY_EVERY).await;
    }
}

/// Looks when others tell of theirs.
pub(super) async fn listen(pool: PgPool, channel: String, core: Arc<Core>) {
    let mut closing = core.closing();
    loop {
        let failed = tokio::select! {
            _ = closing.wait_for(|closed| *closed) => return,
            failed = hear(&pool, &channel, &core) => failed,
        };
        tracing::warn!(error = %failed, "notifications are not heard; looking every now and then instead");
        tokio::time::sleep(POLL).await;
    }
}

/// Returns when the connection is lost.
async fn hear(pool: &PgPool, channel: &str, core: &Core) -> sqlx::Error {
    let mut listener = match PgListener::connect_with(pool).await {
        Ok(listener) => listener,
        Err(error) => return error,
    };
    if let Err(error) = listener.listen(channel).await {
        return error;
    }
    loop {
        match listener.recv().await {
            Ok(_) => core.look_again(),
            Err(error) => return error,
        }
    }
}
