//! The search index, from the caller's side: words become unreadable here, before they go anywhere.

use std::sync::Arc;

use domain::DocumentId;

use super::append::unreadable;
use crate::batcher::{Queue, Request};
use crate::core::Core;
use crate::core::streams::{Stream, StreamState};
use crate::error::{AppendError, ReadError};
use crate::ids::StreamId;
use crate::search::{Hits, IndexChange, IndexRow, IndexState, IndexWrites};

impl Core {
    pub(crate) async fn index_state(
        &self,
        stream: &StreamId,
    ) -> Result<Option<IndexState>, ReadError> {
        match self.live(stream).await? {
            Some(live) => Ok(self.rows.index_state(live.no).await?),
            None => Ok(None),
        }
    }

    pub(crate) async fn index(
        &self,
        queue: &Queue,
        change: IndexChange,
    ) -> Result<Option<IndexState>, AppendError> {
        let live = self.live(&change.stream).await.map_err(unreadable)?;
        let Some(live) = live else { return Ok(None) };
        let mut blinder = live.key.blinder();
        let put = change.put.iter().map(|document| IndexRow {
            document: document.id.to_string(),
            title: blinder.text(&document.title),
            tags: blinder.text(&document.tags),
            body: blinder.text(&document.body),
        });
        let writes = IndexWrites {
            stream_no: live.no,
            expected: change.expected,
            tokenizer: change.tokenizer,
            version: change.version,
            put: put.collect(),
            remove: change.remove.iter().map(ToString::to_string).collect(),
        };
        let answer = queue.ask(|reply| Request::Index { writes, reply }).await?;
        Ok(answer?)
    }

    pub(crate) async fn search(
        &self,
        stream: &StreamId,
        any: &[Vec<String>],
        limit: usize,
    ) -> Result<Hits, ReadError> {
        let Some(live) = self.live(stream).await? else {
            return Ok(Hits::default());
        };
        let mut blinder = live.key.blinder();
        // A list without words would ask for everything.
        let lists = any.iter().filter(|words| !words.is_empty());
        let blind: Vec<Vec<String>> = lists
            .map(|words| words.iter().map(|word| blinder.word(word)).collect())
            .collect();
        if blind.is_empty() {
            return Ok(Hits::default());
        }
        let (total, documents) = self.rows.search(live.no, &blind, limit).await?;
        Ok(Hits {
            total,
            documents: documents.into_iter().map(DocumentId::new).collect(),
        })
    }

    async fn live(&self, stream: &StreamId) -> Result<Option<Arc<Stream>>, ReadError> {
        match self.stream_now(stream).await? {
            StreamState::Live(live) => Ok(Some(live)),
            StreamState::Missing => Ok(None),
            StreamState::Erased { .. } => Err(ReadError::Erased {
                stream: stream.clone(),
            }),
        }
    }
}
