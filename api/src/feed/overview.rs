//! The overview that a client of a wire is given when it connects, folded once for each session.

use std::sync::Arc;

use projections::AnyOverview;
use store::{Log, ReadError, StreamId};
use tokio::sync::Mutex;

use super::error::FeedError;
use super::limits::Limits;

pub(super) struct Overview {
    log: Arc<dyn Log>,
    stream: StreamId,
    limits: Limits,
    /// Before the first event.
    blank: AnyOverview,
    view: Mutex<AnyOverview>,
}

impl Overview {
    pub(super) fn new(
        log: Arc<dyn Log>,
        stream: StreamId,
        blank: AnyOverview,
        limits: Limits,
    ) -> Self {
        let view = Mutex::new(blank.clone());
        Self {
            log,
            stream,
            limits,
            blank,
            view,
        }
    }

    /// Brings the overview up to date and calls a function with it.
    pub(super) async fn read<T>(
        &self,
        read: impl FnOnce(&AnyOverview) -> T,
    ) -> Result<T, FeedError> {
        let mut view = self.view.lock().await;
        loop {
            let page = match self
                .log
                .read(&self.stream, view.at().version, self.limits.page_events)
                .await
            {
                Ok(page) => page,
                Err(ReadError::NoStream { .. }) => vec![],
                Err(error) => {
                    if let ReadError::Erased { .. } = error {
                        *view = self.blank.clone();
                    }
                    return Err(error.into());
                }
            };
            for recorded in &page {
                view.push(recorded);
            }
            if page.len() < self.limits.page_events {
                return Ok(read(&view));
            }
        }
    }
}
