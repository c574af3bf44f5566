//! Telling other processes about commits, and being told about theirs. A notification only says that there is something to be read; a
//! process that misses one finds the events by looking at regular intervals.

use std::sync::Arc;

use sqlx::PgPool;
use sqlx::postgres::PgListener;
use tokio::sync::Notify;

use crate::core::Core;
use crate::limits::{NOTIFY_EVERY, POLL};

/// The other processes on this database.
#[derive(Clone)]
pub(super) struct Neighbours {
    pub(super) pool: PgPool,
    /// The name under which they are told.
    pub(super) channel: String,
    pub(super) core: Arc<Core>,
}

impl Neighbours {
    /// Tells others about commits of this process, many at a time.
    pub(super) async fn tell(self, committed: Arc<Notify>) {
        let mut closing = self.core.closing();
        loop {
            tokio::select! {
                _ = closing.wait_for(|closed| *closed) => return,
                () = committed.notified() => {}
            }
            let told = sqlx::query("SELECT pg_notify($1, '')")
                .bind(&self.channel)
                .execute(&self.pool)
                .await;
            if let Err(error) = told {
                tracing::warn!(%error, "other processes were not notified; they find out by looking");
            }
            tokio::time::sleep(NOTIFY_EVERY).await;
        }
    }

    /// Looks for new events when other processes tell of theirs.
    pub(super) async fn listen(self) {
        let mut closing = self.core.closing();
        loop {
            let failed = tokio::select! {
                _ = closing.wait_for(|closed| *closed) => return,
                failed = self.hear() => failed,
            };
            tracing::warn!(error = %failed, "notifications are not heard; looking every now and then instead");
            tokio::time::sleep(POLL).await;
        }
    }

    /// Returns when the connection is lost.
    async fn hear(&self) -> sqlx::Error {
        let mut listener = match PgListener::connect_with(&self.pool).await {
            Ok(listener) => listener,
            Err(error) => return error,
        };
        if let Err(error) = listener.listen(&self.channel).await {
            return error;
        }
        loop {
            match listener.recv().await {
                Ok(_) => self.core.look_again(),
                Err(error) => return error,
            }
        }
    }
}
