//! The engine as a `Log`.

use std::sync::Arc;
use std::time::Duration;

use async_trait::async_trait;
use bytes::Bytes;
use chrono::{DateTime, Utc};
use domain::hash::{Blob, Sha256};
use domain::{ArtifactId, Recorded, SessionId};
use tokio::sync::watch;

use super::EventLog;
use super::append::unreadable;
use crate::anchor::{AnchorReport, SignedReport};
use crate::batcher::{Queue, Request};
use crate::core::streams::StreamState;
use crate::core::time;
use crate::error::{AppendError, AppendFailure, ReadError};
use crate::ids::{CommandId, NodeId, StreamId};
use crate::limits::SIGN_AT_END;
use crate::log::Log;
use crate::records::{
    Append, Claim, Committed, Deadline, Forks, Node, OpenStep, Page, Provenance, Renewal,
    SessionLine, Standing, Steps, Whose,
};
use crate::rows::micros;
use crate::search::{Hits, IndexChange, IndexState};
use crate::tail::Tail;
use crate::verify::{VerifyOptions, VerifyReport, verify};

impl EventLog {
    fn queue(&self) -> Result<&Queue, AppendError> {
        self.queue.as_ref().ok_or(AppendError::ReadOnly)
    }
}

#[async_trait]
impl Log for EventLog {
    async fn append(&self, append: Append) -> Result<Committed, AppendError> {
        let mut committed = self.core.append_all(self.queue()?, vec![append]).await?;
        Ok(committed.pop().expect("one append has one answer"))
    }

    async fn append_atomic(&self, appends: Vec<Append>) -> Result<Vec<Committed>, AppendError> {
        self.core.append_all(self.queue()?, appends).await
    }

    fn append_failure(&self) -> Option<AppendFailure> {
        self.core.failing.last()
    }

    async fn find_command(
        &self,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Option<Committed>, ReadError> {
        self.core.find_command(stream, command, content).await
    }

    async fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Recorded>>, ReadError> {
        self.core.read(stream, after, limit).await
    }

    async fn provenance(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Option<Provenance>, ReadError> {
        self.core.provenance(stream, version).await
    }

    async fn version(&self, stream: &StreamId) -> Result<Option<u64>, ReadError> {
        self.core.version(stream).await
    }

    async fn read_all(&self, after: u64, limit: usize) -> Result<Page, ReadError> {
        self.core.read_all(after, limit).await
    }

    fn head(&self) -> watch::Receiver<u64> {
        self.core.ring.head()
    }

    fn watch_stream(&self, stream: &StreamId) -> watch::Receiver<u64> {
        self.core.watchers.watch(stream)
    }

    fn tail(&self, after: u64) -> Tail {
        Tail::new(self.core.clone(), after)
    }

    async fn put_blob(&self, stream: &StreamId, blob: Blob) -> Result<(), AppendError> {
        self.core.put_blob(self.queue()?, stream, blob).await
    }

    async fn get_blob(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
    ) -> Result<Option<Bytes>, ReadError> {
        self.core.get_blob(stream, sha256).await
    }

    async fn open_steps(&self, which: Steps) -> Result<Vec<OpenStep>, ReadError> {
        self.core.open_steps(which).await
    }

    async fn now(&self) -> Result<DateTime<Utc>, ReadError> {
        Ok(time(self.core.rows.now(self.core.now()).await?))
    }

    async fn renew(&self, node: &NodeId, lease: Duration) -> Result<Renewal, AppendError> {
        let node = node.clone();
        let lease = micros(lease);
        let (now, ended_at) = self
            .queue()?
            .ask(|reply| Request::Renew { node, lease, reply })
            .await??;
        Ok(Renewal {
            now: time(now),
            had_ended: ended_at.is_some_and(|end| end <= now),
        })
    }

    async fn take_over(&self, node: &NodeId, whose: Whose) -> Result<Vec<OpenStep>, AppendError> {
        let node = node.clone();
        let rows = self
            .queue()?
            .ask(|reply| Request::TakeOver { node, whose, reply })
            .await??;
        self.core.name_steps(rows).await.map_err(unreadable)
    }

    async fn has_free_steps(&self) -> Result<bool, ReadError> {
        Ok(self.core.rows.has_free_steps(self.core.now()).await?)
    }

    async fn hand_back(&self, node: &NodeId) -> Result<(), AppendError> {
        let node = node.clone();
        self.queue()?
            .ask(|reply| Request::HandBack {
                node,
                claim: None,
                reply,
            })
            .await??;
        Ok(())
    }

    async fn release(&self, stream: &StreamId, claim: &Claim) -> Result<(), AppendError> {
        let StreamState::Live(live) = self.core.stream(stream).await.map_err(unreadable)? else {
            return Ok(());
        };
        let (node, claim) = (claim.node.clone(), Some((live.no, claim.clone())));
        self.queue()?
            .ask(|reply| Request::HandBack { node, claim, reply })
            .await??;
        Ok(())
    }

    async fn standing(&self, stream: &StreamId, claim: &Claim) -> Result<Standing, ReadError> {
        self.core.standing(stream, claim).await
    }

    async fn nodes(&self) -> Result<Vec<Node>, ReadError> {
        self.core.nodes().await
    }

    async fn due_deadlines(
        &self,
        now: DateTime<Utc>,
        limit: usize,
    ) -> Result<Vec<Deadline>, ReadError> {
        self.core.due_deadlines(now.timestamp_micros(), limit).await
    }

    async fn next_deadline(&self) -> Result<Option<DateTime<Utc>>, ReadError> {
        Ok(self.core.rows.next_deadline().await?.map(time))
    }

    async fn sessions(
        &self,
        owner: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<SessionLine>, ReadError> {
        self.core.sessions(owner, before, limit).await
    }

    async fn streams(&self, owner: &str, prefix: &str) -> Result<Vec<SessionId>, ReadError> {
        let names = self.core.rows.streams(owner, prefix).await?;
        Ok(names.into_iter().map(SessionId::new).collect())
    }

    async fn find_artifact(
        &self,
        owner: &str,
        artifact: &ArtifactId,
    ) -> Result<Option<(StreamId, u64)>, ReadError> {
        self.core.find_artifact(owner, artifact).await
    }

    async fn find_artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<ArtifactId>, ReadError> {
        self.core.find_artifact_by_prefix(owner, prefix).await
    }

    async fn forks_of(&self, stream: &StreamId) -> Result<Vec<SessionId>, ReadError> {
        self.core.forks_of(stream).await
    }

    async fn erase(&self, append: Append, forks: Forks) -> Result<Vec<Committed>, AppendError> {
        self.core.erase(self.queue()?, append, forks).await
    }

    async fn settle(&self, stream: Option<&StreamId>) -> Result<(), AppendError> {
        let queue = self.queue()?;
        match stream {
            Some(stream) => self.core.settle_stream(queue, stream).await,
            None => self.core.settle(queue, None).await.map(drop),
        }
    }

    async fn index_state(&self, stream: &StreamId) -> Result<Option<IndexState>, ReadError> {
        self.core.index_state(stream).await
    }

    async fn index(&self, change: IndexChange) -> Result<Option<IndexState>, AppendError> {
        self.core.index(self.queue()?, change).await
    }

    async fn search(
        &self,
        stream: &StreamId,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<Hits, ReadError> {
        self.core.search(stream, any, limit).await
    }

    async fn anchor(&self) -> Result<AnchorReport, ReadError> {
        self.core.anchor().await
    }

    async fn signed_heads(&self) -> Result<SignedReport, ReadError> {
        let known = self.core.anchor().await?;
        self.core.signed(&known).await
    }

    async fn verify_with(&self, options: VerifyOptions) -> Result<VerifyReport, ReadError> {
        verify(self.core(), options).await
    }

    async fn close(&self) {
        if self.queue.is_some() && self.core.objects.keeps_heads() {
            let signed = tokio::time::timeout(SIGN_AT_END, self.core.sign_head(&mut None)).await;
            if !matches!(signed, Ok(Ok(()))) {
                tracing::warn!("the head of the log was not signed at its end");
            }
        }
        self.core.closed.send_replace(true);
        if let Some(queue) = &self.queue {
            // An error means that it was closed before.
            let _ = queue.ask(|reply| Request::Close { reply }).await;
        }
        self.core.rows.close().await;
    }
}
