//! Appending, from the caller's side: prepare the append, hand it to the writer, and prepare it again where the session turned out to have
//! another key.

use std::sync::{Arc, MutexGuard};

use domain::Event;
use domain::collection::kind_of_stream;
use domain::event::CollectionEvent;
use domain::hash::{Blob, Sha256};
use foldhash::{HashMap, HashMapExt};

use crate::backend::By;
use crate::batcher::Queue;
use crate::cache::Cache;
use crate::core::Core;
use crate::core::streams::StreamState;
use crate::decide::{Done, Refusal};
use crate::error::{AppendError, ReadError, Storage};
use crate::ids::{CommandId, StreamId};
use crate::limits::{BLOB_BYTES, DUPLICATE_PAGE as PAGE, PREPARATIONS, SMALL_BLOB};
use crate::prepare::{Key, Prepared, admit, admit_blobs};
use crate::records::{Append, Committed};
use crate::seal::{CONTENT, DataKey};

impl Core {
    pub(crate) async fn append_all(
        &self,
        queue: &Queue,
        appends: Vec<Append>,
    ) -> Result<Vec<Committed>, AppendError> {
        let mut members = Vec::with_capacity(appends.len());
        for append in appends {
            members.push(admit(append)?);
        }
        for member in members.iter_mut().filter(|member| member.erases) {
            member.artifacts = Box::pin(self.artifacts_of(member))
                .await
                .map_err(unreadable)?;
        }
        if members.is_empty() {
            return Err(AppendError::Empty);
        }
        let named: Vec<_> = members.iter_mut().flat_map(|m| self.take_keys(m)).collect();
        let asked = members
            .iter()
            .map(|member| (member.stream.clone(), member.command, member.content));
        let asked: Vec<_> = asked.collect();
        let done = match self.submit(queue, members).await? {
            Submitted::Done(done) => done,
            Submitted::AllBefore(positions) => positions.into_iter().map(Done::Before).collect(),
        };
        for body in &named {
            self.bodies().remove(body);
        }
        let mut answers = Vec::with_capacity(done.len());
        for (done, (stream, command, content)) in done.into_iter().zip(asked) {
            answers.push(match done {
                Done::Written(committed) => committed,
                Done::Before(first) => {
                    let before = self.committed_before(first, &stream, &command, content);
                    Box::pin(before).await.map_err(unreadable)?
                }
            });
        }
        Ok(answers)
    }

    async fn submit(
        &self,
        queue: &Queue,
        mut members: Vec<Prepared>,
    ) -> Result<Submitted, AppendError> {
        let mut alone = members.iter().any(|member| member.erases);
        for attempt in 0..PREPARATIONS {
            if let Some(positions) = self.seal(&mut members, attempt == 0).await? {
                return Ok(Submitted::AllBefore(positions));
            }
            let answer = queue.append(members, alone).await?;
            match answer.outcome {
                Ok(done) => return Ok(Submitted::Done(done)),
                Err(Refusal::Error(error)) => return Err(error),
                Err(Refusal::OtherKey) => {}
                Err(Refusal::TryAlone) => alone = true,
            }
            members = answer.members;
        }
        Err(AppendError::Busy)
    }

    /// Seals every member with the key of its stream; a stream without a key gets one. If a stream was erased, only commands that were
    /// carried out before can still be answered; then their positions are returned.
    ///
    /// With `trusting`, a member that expects version 0 is believed to begin a new stream unless this process knows better, which saves a
    /// look into the database for each new session. The writer checks this and refuses a second key.
    async fn seal(
        &self,
        members: &mut [Prepared],
        trusting: bool,
    ) -> Result<Option<Vec<u64>>, AppendError> {
        let mut new_keys: HashMap<Arc<StreamId>, Arc<DataKey>> = HashMap::new();
        for n in 0..members.len() {
            let stream = members[n].stream.clone();
            let found = match self.known_stream(&stream) {
                Some(found) => found,
                None if trusting && members[n].expected == Some(0) => StreamState::Missing,
                None => Box::pin(self.load(By::Id(&stream)))
                    .await
                    .map_err(unreadable)?,
            };
            let key = match found {
                StreamState::Live(live) => Key {
                    data: live.key.clone(),
                    new: None,
                },
                StreamState::Erased { no, .. } => {
                    return Box::pin(self.all_before(no, members)).await.map(Some);
                }
                StreamState::Missing => match new_keys.get(&stream) {
                    Some(key) => Key {
                        data: key.clone(),
                        new: None,
                    },
                    None => {
                        let (data, wrapped) = self.master.create(&stream);
                        let data = Arc::new(data);
                        if members.len() > 1 {
                            new_keys.insert(stream, data.clone());
                        }
                        Key {
                            data,
                            new: Some(wrapped),
                        }
                    }
                },
            };
            members[n].seal(key)?;
        }
        Ok(None)
    }

    async fn all_before(
        &self,
        erased_no: i64,
        members: &[Prepared],
    ) -> Result<Vec<u64>, AppendError> {
        let mut positions = vec![];
        for member in members {
            let no = match self.stream(&member.stream).await.map_err(unreadable)? {
                StreamState::Live(live) => live.no,
                StreamState::Erased { no, .. } => no,
                StreamState::Missing => erased_no,
            };
            match self.rows.command(no, &member.command).await? {
                Some(position) => positions.push(position),
                None => {
                    return Err(AppendError::Erased {
                        stream: (*member.stream).clone(),
                    });
                }
            }
        }
        Ok(positions)
    }

    pub(crate) async fn find_command(
        &self,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Option<Committed>, ReadError> {
        let no = match self.stream(stream).await? {
            StreamState::Live(live) => live.no,
            StreamState::Erased { no, .. } => no,
            StreamState::Missing => return Ok(None),
        };
        match self.rows.command(no, command).await? {
            Some(first) => {
                let before = self.committed_before(first, stream, command, content);
                before.await.map(Some)
            }
            None => Ok(None),
        }
    }

    /// The outcome of a command that was carried out before.
    async fn committed_before(
        &self,
        first: u64,
        stream: &StreamId,
        command: &CommandId,
        content: Option<Sha256>,
    ) -> Result<Committed, ReadError> {
        // What nobody can compare any longer is taken for a repetition.
        let asked = match (content, self.stream(stream).await?) {
            (Some(content), StreamState::Live(live)) => Some(live.key.content_mark(&content)),
            (_, StreamState::Live(_) | StreamState::Erased { .. } | StreamState::Missing) => None,
        };
        let mut answer = Committed {
            first,
            last: first,
            version: 0,
            duplicate: true,
            reused: false,
            recorded: vec![],
        };
        let mut after = first - 1;
        loop {
            let rows = self.rows.events_after(after, PAGE).await?;
            let last_page = rows.len() < PAGE;
            for row in rows {
                if row.command != *command {
                    return Ok(answer);
                }
                if let (Some(asked), Some(kept)) = (&asked, &row.causation)
                    && kept.starts_with(CONTENT)
                {
                    answer.reused |= asked.as_str() != &**kept;
                }
                after = row.position;
                answer.last = row.position;
                answer.version = row.version;
                answer
                    .recorded
                    .extend(self.decode_known(row).await?.map(|(_, recorded)| recorded));
            }
            if last_page {
                return Ok(answer);
            }
        }
    }

    pub(crate) async fn put_blob(
        &self,
        queue: &Queue,
        stream: &StreamId,
        blob: Blob,
    ) -> Result<(), AppendError> {
        let bytes = blob.bytes().len();
        if bytes > BLOB_BYTES {
            return Err(AppendError::TooLarge {
                bytes,
                limit: BLOB_BYTES,
            });
        }
        if bytes <= SMALL_BLOB {
            self.submit(queue, vec![admit_blobs(stream, vec![blob])])
                .await?;
            return Ok(());
        }
        let key = match self.stream_now(stream).await.map_err(unreadable)? {
            StreamState::Live(live) => live.key.clone(),
            StreamState::Erased { .. } => {
                return Err(AppendError::Erased {
                    stream: stream.clone(),
                });
            }
            StreamState::Missing => {
                // The session gets its number and its key with its first blob.
                self.submit(queue, vec![admit_blobs(stream, vec![])])
                    .await?;
                match self.stream_now(stream).await.map_err(unreadable)? {
                    StreamState::Live(live) => live.key.clone(),
                    StreamState::Erased { .. } | StreamState::Missing => {
                        return Err(AppendError::Erased {
                            stream: stream.clone(),
                        });
                    }
                }
            }
        };
        let sha256 = &blob.reference().sha256;
        if kind_of_stream(&stream.session).is_some() {
            self.put_body(stream, &key, &blob).await?;
        } else {
            let sealed = key.seal_blob(stream, sha256, blob.bytes());
            self.objects.put(stream, sha256, sealed).await?;
        }
        // If the session was erased meanwhile, the erasure did not find this blob.
        if let StreamState::Erased { .. } = self.stream_now(stream).await.map_err(unreadable)? {
            self.objects.delete_all(stream).await?;
            return Err(AppendError::Erased {
                stream: stream.clone(),
            });
        }
        Ok(())
    }
}

impl Core {
    /// Puts the content of a document that is still to come, sealed with a key of its own. The key is kept until an event names the content;
    /// without an event, nobody can read it once this process has ended.
    async fn put_body(
        &self,
        stream: &StreamId,
        key: &DataKey,
        blob: &Blob,
    ) -> Result<(), AppendError> {
        let pending = (stream.clone(), blob.reference().sha256);
        if self.bodies().get(&pending).is_some() {
            return Ok(());
        }
        let (own, wrapped) = key.body_key(stream, &pending.1);
        let sealed = own.seal_blob(stream, &pending.1, blob.bytes());
        let name = Sha256::of(&wrapped);
        self.objects.put(stream, &name, sealed).await?;
        self.bodies().insert(pending, wrapped);
        Ok(())
    }

    /// Gives an append the keys of contents that its documents have, and returns which these are.
    fn take_keys(&self, member: &mut Prepared) -> Vec<(StreamId, Sha256)> {
        let mut named = vec![];
        for recorded in &member.recorded {
            let Event::Collection(CollectionEvent::DocumentsImported(imported)) = &recorded.event
            else {
                continue;
            };
            for document in &imported.documents {
                let body = ((*member.stream).clone(), document.blob.sha256);
                if let Some(wrapped) = self.bodies().get(&body) {
                    member.bodies.insert(body.1, wrapped);
                    named.push(body);
                }
            }
        }
        named
    }

    fn bodies(&self) -> MutexGuard<'_, Cache<(StreamId, Sha256), Vec<u8>>> {
        let bodies = self.bodies.lock();
        bodies.expect("nobody panics while holding the keys of contents")
    }
}

enum Submitted {
    Done(Vec<Done>),
    /// All were carried out before, with their first events at these positions.
    AllBefore(Vec<u64>),
}

/// For an append, an error in reading can only be an error of the storage.
pub(crate) fn unreadable(error: ReadError) -> AppendError {
    match error {
        ReadError::Storage(storage) => AppendError::Storage(storage),
        ReadError::Closed => AppendError::Closed,
        ReadError::Erased { stream } => AppendError::Erased { stream },
        other @ (ReadError::NoStream { .. }
        | ReadError::Undecodable { .. }
        | ReadError::Sealed { .. }
        | ReadError::BlobSealed { .. }
        | ReadError::Gap { .. }) => AppendError::Storage(Storage::new(
            "appending",
            other,
            "run `verify` and restore what was changed",
        )),
    }
}

#[cfg(test)]
impl super::EventLog {
    /// Records an append that no caller could make.
    pub(crate) async fn append_prepared_for_test(&self, prepared: Prepared) {
        let queue = self.queue.as_ref().expect("the log can be written to");
        let answer = queue
            .append(vec![prepared], false)
            .await
            .expect("the log is open");
        assert!(answer.outcome.is_ok());
    }
}

#[cfg(test)]
impl Core {
    pub(crate) async fn key_for_test(&self, stream: &StreamId) -> Arc<DataKey> {
        match self.stream(stream).await.expect("reads") {
            StreamState::Live(live) => live.key.clone(),
            StreamState::Erased { .. } | StreamState::Missing => {
                unreachable!("the session is there")
            }
        }
    }
}
