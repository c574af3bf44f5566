//! What a call of a tool may use.

use std::future::Future;
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use domain::event::FilePut;
use domain::hash::Sha256;
use domain::session::Session;
use domain::{SessionId, StepId};
use intake::Unreadable;
use store::StreamId;
use tokio_util::sync::CancellationToken;

use crate::clock::Clock;
use crate::collections::Collections;
use crate::crash::{CrashPlan, Point};
use crate::ports::spool::SpoolWriter;
use crate::ports::{AnswerSink, RetryPolicy, Spool};
use crate::projects::Projects;
use crate::reading::{FileReader, ReadFile};
use crate::sessions::{Keeping, StepContext, Stop};
use crate::tools::Embedder;
use crate::waits::{WaitGuard, WaitLine, WaitReason};

/// What a call of a tool may use: the step that makes it, its session as the log has it, and what its owner keeps.
pub struct ToolContext<'a> {
    pub(crate) turn: StepContext<'a>,
    pub(crate) collections: &'a Collections,
    pub(crate) projects: &'a Projects,
    pub(crate) clock: &'a Clock,
    pub(crate) spool: Option<&'a Spool>,
    pub(crate) retry: RetryPolicy,
    pub(crate) crash: Option<&'a CrashPlan>,
    pub(crate) reader: &'a FileReader,
    pub(crate) embedder: Option<&'a Embedder>,
}

impl ToolContext<'_> {
    /// Whose session it is.
    pub fn owner(&self) -> &str {
        &self.turn.stream.owner
    }

    /// The stream of the session, which answers in the spool belong to.
    pub fn stream(&self) -> &StreamId {
        self.turn.stream
    }

    /// The session that the step is of.
    pub fn session_id(&self) -> &SessionId {
        &self.turn.stream.session
    }

    /// The step that calls.
    pub fn step(&self) -> &StepId {
        self.turn.step
    }

    /// Cancelled where the attempt is over or the engine stops.
    pub fn cancel(&self) -> &CancellationToken {
        self.turn.cancel
    }

    pub fn clock(&self) -> &Clock {
        self.clock
    }

    /// What owners keep beside their sessions.
    pub fn collections(&self) -> &Collections {
        self.collections
    }

    /// The projects of owners.
    pub fn projects(&self) -> &Projects {
        self.projects
    }

    /// The session as of now, with its files.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or there is no such session any longer.
    pub async fn session(&self) -> Result<Arc<Session>, Stop> {
        self.turn.session().await
    }

    /// Bytes that the session's events name.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or they are missing there.
    pub async fn blob(&self, sha256: &Sha256) -> Result<Bytes, Stop> {
        self.turn.blob(sha256).await
    }

    /// A file of the session, read; or why it cannot be.
    ///
    /// # Errors
    ///
    /// The log cannot be read, or the file's bytes are missing there.
    pub async fn read_file(
        &self,
        file: &FilePut,
    ) -> Result<Result<Arc<ReadFile>, Unreadable>, Stop> {
        let stream = self.turn.stream;
        if let Some(known) = self.reader.known(stream, file) {
            return Ok(known);
        }
        let bytes = self.blob(&file.blob.sha256).await?;
        Ok(self.reader.read(stream, file, bytes).await)
    }

    /// Where the step says what it waits for, for the limits of a provider.
    pub fn waits(&self) -> WaitLine<'_> {
        self.turn.waits
    }

    /// The key under which this call is paid for and spooled: the same each time it is made.
    pub fn key(&self) -> String {
        self.turn.key()
    }

    /// Waits until the run may pay for another exchange: while its budget is used up a person is asked. The first exchange of a call needs
    /// no permission.
    ///
    /// # Errors
    ///
    /// Where the attempt ends meanwhile.
    pub async fn admit(&self, try_number: u32) -> Result<(), Stop> {
        self.turn.admit(try_number).await
    }

    /// Begins a call of a provider that is paid: waits for its place there, makes sure that no other process has taken the step
    /// meanwhile, and opens the place of its answer in the spool.
    ///
    /// # Errors
    ///
    /// Where the attempt ends meanwhile, or the spool cannot be used.
    pub(crate) async fn begin_call<P>(
        &self,
        permit: impl Future<Output = P>,
        request_hash: &str,
    ) -> Result<(P, SpoolSink<'_>), Stop> {
        let keeping = self.keeping();
        let begun = self.turn.begin_call(permit, request_hash, keeping).await;
        let (permit, writer) = begun?;
        let sink = SpoolSink {
            keeping,
            writer,
            waiting: Some(self.waits().begin(WaitReason::FirstByte)),
        };
        Ok((permit, sink))
    }

    /// The answer of such a call has arrived whole: from now on it is found again.
    ///
    /// # Errors
    ///
    /// Where the spool cannot be used.
    pub(crate) async fn answered(&self, sink: SpoolSink<'_>) -> Result<(), Stop> {
        self.turn.answered(sink.writer, sink.keeping).await
    }

    fn keeping(&self) -> Keeping<'_> {
        Keeping {
            spool: self.spool,
            crash: self.crash,
        }
    }

    /// The result of a call of a provider, unless another process records an answer to this turn first.
    ///
    /// # Errors
    ///
    /// Where one did: what was paid there is used.
    pub async fn unless_overtaken<T>(&self, call: impl Future<Output = T>) -> Result<T, Stop> {
        self.turn.unless_overtaken(call).await
    }

    /// Waits before an exchange is tried again.
    ///
    /// # Errors
    ///
    /// Where the attempt ends meanwhile.
    pub async fn rest(&self, pause: Duration) -> Result<(), Stop> {
        self.turn.rest(pause, WaitReason::Retry).await
    }

    /// Where answers that are paid for are kept until they are in the log.
    pub fn spool(&self) -> Option<&Spool> {
        self.spool
    }

    /// An answer that had arrived, whole, when its process died, where it is one to this very request. One to another request is removed.
    /// `request` gives the hash of the request, where there is something to compare it with.
    pub async fn spooled(
        &self,
        key: &str,
        request: impl Fn() -> String,
    ) -> Result<Option<Bytes>, Stop> {
        let Some(spool) = self.spool else {
            return Ok(None);
        };
        let found = spool
            .find(self.stream(), key)
            .await
            .map_err(|error| Stop::fail("spool", &error.to_string(), true))?;
        match found {
            Some(spooled) if spooled.request_hash == request() => Ok(Some(spooled.answer)),
            Some(_) => {
                self.remove_spooled(key).await;
                Ok(None)
            }
            None => Ok(None),
        }
    }

    /// Removes answers, whole or not, that are of no use.
    pub async fn remove_spooled(&self, key: &str) {
        if let Some(spool) = self.spool
            && let Err(error) = spool.remove_all(self.stream(), key).await
        {
            tracing::warn!(%error, "an answer that is of no use could not be removed from the spool");
        }
    }

    /// The embedder, which makes vectors of texts; `None` where none is configured.
    pub fn embedder(&self) -> Option<&Embedder> {
        self.embedder
    }

    /// How often an exchange is tried again.
    pub fn retry(&self) -> RetryPolicy {
        self.retry
    }
}

/// Where the answer to a call of a tool goes while it comes in: into the spool.
pub(crate) struct SpoolSink<'a> {
    keeping: Keeping<'a>,
    writer: Option<SpoolWriter>,
    /// Until the first byte.
    waiting: Option<WaitGuard<'a>>,
}

impl AnswerSink for SpoolSink<'_> {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        let waited = self.waiting.take();
        if let Some(writer) = &mut self.writer {
            writer.write(raw)?;
        }
        if waited.is_some() {
            self.keeping.reach(Point::DuringAnswer);
        }
        Ok(())
    }

    fn text(&mut self, _: &str) {}
}
