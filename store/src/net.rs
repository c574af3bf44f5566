//! The combined effect of the facets of one batch. A step that is opened and closed in the same batch, in a stream that is new in it, is
//! never written to the table.

use domain::facets::Facet;
use domain::{GateId, StepId};
use foldhash::HashMap;
use smol_str::{SmolStr, ToSmolStr};

use crate::ids::NodeId;
use crate::rows::{ArtifactRow, DeadlineRow, FIRST_EPOCH, StepRow, Writes, node_text};

#[derive(Default)]
pub(crate) struct Net {
    streams: HashMap<i64, StreamNet>,
    artifacts: Vec<ArtifactRow>,
}

/// The final state of each step and gate: open with this row, or closed. There are only a few of each, so searching a vector is the fastest
/// way.
#[derive(Default)]
struct StreamNet {
    /// Nothing of this stream can be in the tables.
    fresh: bool,
    runs_closed: Vec<u32>,
    steps: Vec<(StepId, Option<StepRow>)>,
    gates: Vec<(GateId, Option<DeadlineRow>)>,
}

/// What a facet changes in the stream's own row.
pub(crate) enum OnStream {
    Listed {
        pipeline: Option<SmolStr>,
        status: Option<&'static str>,
    },
    Nothing,
}

impl Net {
    /// Takes into account one facet of the event at this version.
    pub(crate) fn take(
        &mut self,
        stream_no: i64,
        fresh: bool,
        version: u64,
        facet: Facet,
        node: Option<&NodeId>,
    ) -> OnStream {
        match facet {
            Facet::StepOpened { step, attempt, due } => {
                let row = StepRow {
                    stream_no,
                    run: step.run.0,
                    step: step.to_smolstr(),
                    attempt,
                    due: due.timestamp_micros(),
                    node: node_text(node),
                    epoch: FIRST_EPOCH,
                };
                set(&mut self.stream(stream_no, fresh).steps, step, Some(row));
            }
            Facet::StepClosed { step } => set(&mut self.stream(stream_no, fresh).steps, step, None),
            Facet::DeadlineSet { run, gate, due } => {
                let row = DeadlineRow {
                    stream_no,
                    gate: gate.clone().into(),
                    run: run.0,
                    due: due.timestamp_micros(),
                };
                set(&mut self.stream(stream_no, fresh).gates, gate, Some(row));
            }
            Facet::DeadlineMet { gate } => {
                set(&mut self.stream(stream_no, fresh).gates, gate, None)
            }
            Facet::RunClosed { run } => {
                let net = self.stream(stream_no, fresh);
                net.steps.retain(|(step, _)| step.run != run);
                net.gates
                    .retain(|(_, row)| row.as_ref().is_none_or(|row| row.run != run.0));
                if !net.runs_closed.contains(&run.0) {
                    net.runs_closed.push(run.0);
                }
            }
            Facet::ArtifactAt {
                artifact,
                kind,
                blob: _,
            } => {
                self.artifacts.push(ArtifactRow {
                    artifact: artifact.into(),
                    stream_no,
                    version,
                    kind,
                });
            }
            // The title is sealed by the code that prepares the append; forks and erasures are decided with the append.
            Facet::Listed {
                title: _,
                pipeline,
                status,
            } => {
                return OnStream::Listed {
                    pipeline,
                    status: status.map(|status| status.as_str()),
                };
            }
            Facet::Forked { .. } | Facet::Erased => {}
        }
        OnStream::Nothing
    }

    fn stream(&mut self, stream_no: i64, fresh: bool) -> &mut StreamNet {
        self.streams.entry(stream_no).or_insert_with(|| StreamNet {
            fresh,
            ..StreamNet::default()
        })
    }

    /// What is to be written.
    pub(crate) fn write(self, writes: &mut Writes) {
        for (stream_no, net) in self.streams {
            if !net.fresh {
                writes
                    .runs_closed
                    .extend(net.runs_closed.into_iter().map(|run| (stream_no, run)));
            }
            for (step, row) in net.steps {
                match row {
                    Some(row) => writes.steps_opened.push(row),
                    None if net.fresh => {}
                    None => writes
                        .steps_closed
                        .push((stream_no, step.run.0, step.to_smolstr())),
                }
            }
            for (gate, row) in net.gates {
                match row {
                    Some(row) => writes.deadlines.push(row),
                    None if net.fresh => {}
                    None => writes.gates_met.push((stream_no, gate.into())),
                }
            }
        }
        writes.artifacts.extend(self.artifacts);
        // In the order of their keys, so that neighbours in the tables are written together, and so that two processes on one
        // database never wait for each other's rows in opposite orders.
        writes.steps_closed.sort_unstable();
        writes.steps_opened.sort_unstable();
        writes.runs_closed.sort_unstable();
        writes.gates_met.sort_unstable();
        writes.deadlines.sort_unstable();
        // The first event that names an artifact says where it is.
        writes.artifacts.sort_unstable();
        writes.artifacts.dedup_by(|later, first| {
            later.artifact == first.artifact && later.stream_no == first.stream_no
        });
    }
}

fn set<K: PartialEq, V>(entries: &mut Vec<(K, V)>, key: K, value: V) {
    match entries.iter_mut().find(|(known, _)| *known == key) {
        Some((_, known)) => *known = value,
        None => entries.push((key, value)),
    }
}
