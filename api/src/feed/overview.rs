//! What a client of the `course` wire is given when it comes, folded once for each session.

use std::sync::Arc;

use projections::wire::course::{Family, InitResponse, InitView};
use store::{Log, ReadError, StreamId};
use tokio::sync::Mutex;

use super::error::FeedError;
use super::limits::Limits;
use super::reference;

pub(super) struct Overview {
    log: Arc<dyn Log>,
    stream: StreamId,
    limits: Limits,
    view: Mutex<InitView>,
}

impl Overview {
    pub(super) fn new(log: Arc<dyn Log>, stream: StreamId, limits: Limits) -> Self {
        let view = Mutex::new(blank(&stream));
        Self {
            log,
            stream,
            limits,
            view,
        }
    }

    pub(super) async fn response(&self, family: Family) -> Result<InitResponse, FeedError> {
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
                        *view = blank(&self.stream);
                    }
                    return Err(error.into());
                }
            };
            for recorded in &page {
                view.push(recorded);
            }
            if page.len() < self.limits.page_events {
                return Ok(view.response(family));
            }
        }
    }
}

/// Before the first event.
fn blank(stream: &StreamId) -> InitView {
    InitView::new(reference(stream))
}
