//! Reading: the events of a session through its forks, the events of all sessions in order, blobs, and what is kept beside the events.

use std::sync::Arc;

use bytes::Bytes;
use domain::collection::kind_of_stream;
use domain::hash::Sha256;
use domain::{Actor, ArtifactId, Event, GateId, Recorded, RunId, SessionId};

use super::streams::{Segment, Stream, StreamState};
use super::{Core, time};
use crate::backend::{By, StepFilter};
use crate::decide::claimed_step;
use crate::documents;
use crate::error::{ReadError, Storage};
use crate::ids::{NodeId, StreamId};
use crate::records::{
    Claim, Deadline, Node, OpenStep, Page, Provenance, SessionLine, Standing, Steps,
};
use crate::rows::{DeadlineRow, EventRow, PLAIN, StepRow, object_name, status};
use crate::seal::DataKey;

/// Events looked at at a time for the end of a command: commands record a handful.
const PROVENANCE_PAGE: usize = 64;

/// What is found under the name of a blob.
pub(crate) enum Content {
    Plain(Vec<u8>),
    /// It cannot be opened.
    Damaged,
    Missing,
}

/// What was opened, or could not be.
impl From<Option<Vec<u8>>> for Content {
    fn from(opened: Option<Vec<u8>>) -> Self {
        opened.map_or(Self::Damaged, Self::Plain)
    }
}

impl Core {
    pub(crate) async fn read(
        &self,
        stream: &StreamId,
        after: u64,
        limit: usize,
    ) -> Result<Vec<Arc<Recorded>>, ReadError> {
        let live = self.living(stream).await?;
        let mut events = Vec::new();
        let mut after = after;
        for segment in &live.lineage {
            if segment.up_to <= after {
                continue;
            }
            let left = limit - events.len();
            if left == 0 {
                break;
            }
            for row in self
                .rows
                .events_of(segment.no, after, segment.up_to, left)
                .await?
            {
                if row.version != after + 1 {
                    return Err(ReadError::Gap {
                        after,
                        found: row.version,
                    });
                }
                after = row.version;
                events.push(Arc::new(decode(row, &segment.id, &segment.key)?));
            }
        }
        Ok(events)
    }

    pub(crate) async fn provenance(
        &self,
        stream: &StreamId,
        version: u64,
    ) -> Result<Option<Provenance>, ReadError> {
        let live = self.living(stream).await?;
        let mut segments = live.lineage.iter();
        let Some(segment) = segments.find(|segment| version <= segment.up_to) else {
            return Ok(None);
        };
        let Some(before) = version.checked_sub(1) else {
            return Ok(None);
        };
        let rows = self.rows.events_of(segment.no, before, version, 1).await?;
        let Some(row) = rows.into_iter().next() else {
            return Ok(None);
        };
        let command = row.command;
        let first = version - u64::from(row.ordinal);
        let mut last = version;
        // Reads on to the end of the command. For the newest command this is the end of the stream.
        'rest: loop {
            let page = self
                .rows
                .events_of(segment.no, last, segment.up_to, PROVENANCE_PAGE)
                .await?;
            let is_last = page.len() < PROVENANCE_PAGE;
            for row in page {
                if row.command != command {
                    break 'rest;
                }
                last = row.version;
            }
            if is_last {
                break;
            }
        }
        Ok(Some(Provenance {
            recorded: Arc::new(decode(row, &segment.id, &segment.key)?),
            command,
            first,
            last,
        }))
    }

    /// A stream that can be read.
    async fn living(&self, stream: &StreamId) -> Result<Arc<Stream>, ReadError> {
        match self.stream_now(stream).await? {
            StreamState::Live(live) => Ok(live),
            StreamState::Erased { .. } => Err(ReadError::Erased {
                stream: stream.clone(),
            }),
            StreamState::Missing => Err(ReadError::NoStream {
                stream: stream.clone(),
            }),
        }
    }

    pub(crate) async fn standing(
        &self,
        stream: &StreamId,
        claim: &Claim,
    ) -> Result<Standing, ReadError> {
        let StreamState::Live(live) = self.stream_now(stream).await? else {
            return Ok(Standing::Lost);
        };
        let step = claimed_step(claim);
        Ok(match self.rows.claimed(live.no, &step, self.now()).await? {
            Some((row, _)) if !row.is_claimed_by(claim) => Standing::Lost,
            Some((_, true)) => Standing::Held,
            Some((_, false)) => Standing::LeaseEnded,
            None => Standing::Lost,
        })
    }

    pub(crate) async fn nodes(&self) -> Result<Vec<Node>, ReadError> {
        let nodes = self.rows.nodes(self.now()).await?;
        let node = |(node, lease_until): (String, i64)| Node {
            node: NodeId::new(node),
            lease_until: time(lease_until),
        };
        Ok(nodes.into_iter().map(node).collect())
    }

    pub(crate) async fn version(&self, stream: &StreamId) -> Result<Option<u64>, ReadError> {
        let row = self.rows.stream(By::Id(stream)).await?;
        Ok(row
            .map(|(row, _)| row.version)
            .filter(|version| *version > 0))
    }

    pub(crate) async fn read_all(&self, after: u64, limit: usize) -> Result<Page, ReadError> {
        let mut page = Page {
            events: vec![],
            scanned_to: after,
        };
        for row in self.rows.events_after(after, limit).await? {
            if row.position != page.scanned_to + 1 {
                return Err(ReadError::Gap {
                    after: page.scanned_to,
                    found: row.position,
                });
            }
            page.scanned_to = row.position;
            page.events.extend(self.decode_known(row).await?);
        }
        Ok(page)
    }

    /// An event with its stream; `None` where its session was erased, or where this program does not know it.
    pub(crate) async fn decode_known(
        &self,
        row: EventRow,
    ) -> Result<Option<(Arc<StreamId>, Arc<Recorded>)>, ReadError> {
        let (id, decoded) = match self.stream_by_no(row.stream_no).await? {
            StreamState::Live(live) => {
                let decoded = decode(row, &live.id, &live.key);
                (live.id.clone(), decoded)
            }
            StreamState::Erased { id, .. } if row.codec == PLAIN => {
                let decoded = recorded(row, |row| Some(std::mem::take(&mut row.payload)));
                (id, decoded)
            }
            StreamState::Erased { .. } | StreamState::Missing => return Ok(None),
        };
        match decoded {
            Ok(recorded) => Ok(Some((id, Arc::new(recorded)))),
            Err(ReadError::Undecodable { position, cause }) => {
                tracing::warn!(position, cause, "an event was passed over");
                metrics::counter!("palimpsest_log_unknown_events_total").increment(1);
                Ok(None)
            }
            Err(error) => Err(error),
        }
    }

    pub(crate) async fn get_blob(
        &self,
        stream: &StreamId,
        sha256: &Sha256,
    ) -> Result<Option<Bytes>, ReadError> {
        let live = self.living(stream).await?;
        for Segment { no, id, key, .. } in live.lineage.iter().rev() {
            match self.content(*no, id, key, sha256).await? {
                Content::Plain(plain) => return Ok(Some(plain.into())),
                Content::Damaged => {
                    return Err(ReadError::BlobSealed {
                        sha256: sha256.to_string(),
                    });
                }
                Content::Missing => {}
            }
        }
        Ok(None)
    }

    /// What a stream itself has under this name, as a row or as an object.
    pub(crate) async fn content(
        &self,
        no: i64,
        id: &StreamId,
        key: &DataKey,
        sha256: &Sha256,
    ) -> Result<Content, Storage> {
        if let Some(sealed) = self.rows.blob(no, sha256.as_bytes()).await? {
            return Ok(key.open_blob(id, sha256, &sealed).into());
        }
        let body = match kind_of_stream(&id.session) {
            Some(_) => self.rows.body(no, sha256.as_bytes()).await?,
            None => None,
        };
        let name = object_name(*sha256.as_bytes(), body.as_deref());
        let Some(sealed) = self.objects.get(id, &name.into()).await? else {
            return Ok(Content::Missing);
        };
        let plain = match body {
            Some(body) => key
                .open_body_key(id, sha256, &body)
                .and_then(|own| own.open_blob(id, sha256, &sealed)),
            None => key.open_blob(id, sha256, &sealed),
        };
        Ok(plain.into())
    }

    pub(crate) async fn open_steps(&self, which: Steps) -> Result<Vec<OpenStep>, ReadError> {
        let rows = match &which {
            Steps::All => self.rows.steps(StepFilter::All).await?,
            Steps::ClaimedBy(node) => self.rows.steps(StepFilter::Node(&node.0)).await?,
            Steps::Of(stream) => match self.stream_now(stream).await? {
                StreamState::Live(live) => self.rows.steps(StepFilter::Stream(live.no)).await?,
                StreamState::Erased { .. } | StreamState::Missing => vec![],
            },
        };
        self.name_steps(rows).await
    }

    pub(crate) async fn name_steps(&self, rows: Vec<StepRow>) -> Result<Vec<OpenStep>, ReadError> {
        let mut steps = Vec::with_capacity(rows.len());
        for row in rows {
            let Some(stream) = self.live_id(row.stream_no).await? else {
                continue;
            };
            let step = row
                .step
                .parse()
                .map_err(|error| damaged("an open step", &error))?;
            let node = row.node.map(NodeId);
            steps.push(OpenStep {
                stream,
                step,
                attempt: row.attempt,
                due: time(row.due),
                node,
                epoch: u64::try_from(row.epoch).unwrap_or_default(),
            });
        }
        Ok(steps)
    }

    pub(crate) async fn due_deadlines(
        &self,
        now: i64,
        limit: usize,
    ) -> Result<Vec<Deadline>, ReadError> {
        let mut deadlines = vec![];
        for DeadlineRow {
            stream_no,
            gate,
            run,
            due,
        } in self.rows.deadlines(now, limit).await?
        {
            let Some(stream) = self.live_id(stream_no).await? else {
                continue;
            };
            deadlines.push(Deadline {
                stream,
                run: RunId(run),
                gate: GateId::new(gate),
                due: time(due),
            });
        }
        Ok(deadlines)
    }

    pub(crate) async fn sessions(
        &self,
        owner: &str,
        before: Option<u64>,
        limit: usize,
    ) -> Result<Vec<SessionLine>, ReadError> {
        let before = before
            .and_then(|before| i64::try_from(before).ok())
            .unwrap_or(i64::MAX);
        let mut lines = vec![];
        for (row, key) in self.rows.sessions(owner, before, limit).await? {
            let title = self
                .master
                .unwrap(&row.id, &key)
                .and_then(|key| key.open_title(&row.id, &row.title));
            let parent = match row.parent {
                None => None,
                Some((no, at)) => self.live_id(no).await?.map(|id| (id.session, at)),
            };
            lines.push(SessionLine {
                session: row.id.session.clone(),
                title: title.ok_or_else(|| damaged("the title of a session", &row.id.session))?,
                pipeline: row.pipeline.to_string(),
                status: status(&row.status),
                version: row.version,
                created_at: time(row.created_at),
                updated_at: time(row.updated_at),
                parent,
                cursor: row.no as u64,
            });
        }
        Ok(lines)
    }

    pub(crate) async fn find_artifact(
        &self,
        owner: &str,
        artifact: &ArtifactId,
    ) -> Result<Option<(StreamId, u64)>, ReadError> {
        let Some((no, version)) = self.rows.artifact(owner, artifact.as_str()).await? else {
            return Ok(None);
        };
        Ok(self.live_id(no).await?.map(|id| (id, version)))
    }

    pub(crate) async fn find_artifact_by_prefix(
        &self,
        owner: &str,
        prefix: &str,
    ) -> Result<Option<ArtifactId>, ReadError> {
        let found = self.rows.artifact_by_prefix(owner, prefix).await?;
        Ok(found.map(ArtifactId::new))
    }

    pub(crate) async fn forks_of(&self, stream: &StreamId) -> Result<Vec<SessionId>, ReadError> {
        let Some((row, _)) = self.rows.stream(By::Id(stream)).await? else {
            return Ok(vec![]);
        };
        let forks = self.rows.forks(row.no).await?;
        Ok(forks
            .into_iter()
            .map(|fork| fork.id.session.clone())
            .collect())
    }

    async fn live_id(&self, no: i64) -> Result<Option<StreamId>, ReadError> {
        Ok(match self.stream_by_no(no).await? {
            StreamState::Live(live) => Some((*live.id).clone()),
            StreamState::Erased { .. } | StreamState::Missing => None,
        })
    }
}

pub(crate) fn decode(
    row: EventRow,
    stream: &StreamId,
    key: &DataKey,
) -> Result<Recorded, ReadError> {
    recorded(row, |row| match row.codec {
        PLAIN => Some(std::mem::take(&mut row.payload)),
        _ => documents::open(key, stream, row).map(|opened| opened.plain),
    })
}

/// An event as readers get it, once its payload is open.
pub(crate) fn recorded(
    mut row: EventRow,
    open: impl FnOnce(&mut EventRow) -> Option<Vec<u8>>,
) -> Result<Recorded, ReadError> {
    let position = row.position;
    let plain = open(&mut row).ok_or(ReadError::Sealed { position })?;
    let event =
        Event::decode(&row.name, row.schema, &plain).map_err(|error| ReadError::Undecodable {
            position,
            cause: error.to_string(),
        })?;
    Ok(Recorded {
        position,
        version: row.version,
        event_id: row.command.event_id(row.ordinal),
        recorded_at: time(row.recorded_at),
        actor: Actor::from_stored(&*row.actor),
        event,
    })
}

fn damaged(what: &str, cause: &impl std::fmt::Display) -> Storage {
    Storage::new(
        "reading",
        format!("{what} is damaged: {cause}"),
        "run `verify`, and restore a backup",
    )
}
