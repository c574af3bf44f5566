//! Edits at a gate: what a person changed in the subject of a gate is checked by the pipeline, and is kept, before the answer is decided.

use std::collections::BTreeMap;

use commands::{EditedBodies, Refusal};
use domain::GateId;
use domain::event::Violation;
use domain::hash::Blob;
use domain::pipeline::GateEdits;
use serde_json::Value;
use store::StreamId;

use super::Engine;
use crate::error::SendError;
use crate::steps::{keep, loading};

/// The key in an answer that holds edits.
const EDITS: &str = "edits";

impl Engine {
    /// The bodies that result from the `edits` of this answer, and the blobs that go into the same append; `None` where there are no edits.
    pub async fn edited(
        &self,
        stream: &StreamId,
        gate: &GateId,
        answer: &Value,
    ) -> Result<Option<(EditedBodies, Vec<Blob>)>, SendError> {
        let Some(edits) = answer.get(EDITS).filter(|edits| !edits.is_null()) else {
            return Ok(None);
        };
        let refused = |problems: String| SendError::Refused(Refusal::BadEdits { problems });
        let session = self.session(stream).await?;
        let found = session
            .gate(gate)
            .and_then(|(run, gate)| Some((self.pipelines().find(&run.pipeline)?, run, gate)));
        let (pipeline, run, gate) =
            found.ok_or_else(|| SendError::Refused(Refusal::NoGate { gate: gate.clone() }))?;
        let subject = gate.opened.subject.as_ref();
        let subject = subject.and_then(|subject| session.artifacts.get(subject));
        let subject = subject
            .ok_or_else(|| refused("the gate is about nothing that could be edited".to_owned()))?;
        let name = &gate.opened.name;
        let log = self.log().as_ref();
        let body = loading::input(log, stream, subject.clone()).await?;
        let mut seen = BTreeMap::new();
        for kind in pipeline.edits_see(name) {
            if let Some(artifact) = run.artifact(kind) {
                let input = loading::input(log, stream, artifact.clone()).await?;
                seen.insert((*kind).to_owned(), input.body.as_ref().clone());
            }
        }
        let files: Vec<_> = session.files.keys().map(AsRef::as_ref).collect();
        let edited = pipeline.edit(&GateEdits {
            gate: name,
            subject: &body.body,
            seen: &seen,
            edits,
            files: &files,
        });
        let edited = edited.map_err(|found| refused(Violation::listed(&found)))?;
        let mut blobs = vec![];
        let mut kept = EditedBodies {
            decisions: edited.decisions,
            reopens: edited.reopens,
            ..EditedBodies::default()
        };
        if let Some(subject) = edited.subject {
            kept.subject = Some(keep::artifact(log, stream, subject, &mut blobs).await?);
        }
        for (stage, item, other) in edited.others {
            let body = keep::artifact(log, stream, other, &mut blobs).await?;
            kept.others.push((stage, item, body));
        }
        Ok(Some((kept, blobs)))
    }
}
