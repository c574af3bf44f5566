//! What a person made of the subject of a gate: checked by the pipeline, and kept, before the answer is decided.

use bytes::Bytes;
use commands::{NewBody, Refusal};
use domain::GateId;
use domain::event::Violation;
use domain::hash::BlobRef;
use serde_json::Value;
use store::StreamId;

use crate::engine::Engine;
use crate::error::SendError;
use crate::{keep, material};

/// The key of an answer under which edits stand.
const EDITS: &str = "edits";

impl Engine {
    /// The next version of the subject of a gate with the `edits` of this answer; nothing where there are none. What goes
    /// into the append with it comes beside it.
    pub async fn edited(
        &self,
        stream: &StreamId,
        gate: &GateId,
        answer: &Value,
    ) -> Result<Option<(NewBody, Vec<(BlobRef, Bytes)>)>, SendError> {
        let Some(edits) = answer.get(EDITS).filter(|edits| !edits.is_null()) else {
            return Ok(None);
        };
        let refused = |problems: String| SendError::Refused(Refusal::BadEdits { problems });
        let session = self.session(stream).await?;
        let found = session
            .gate(gate)
            .and_then(|(run, gate)| Some((self.pipelines().find(&run.pipeline)?, gate)));
        let (pipeline, gate) =
            found.ok_or_else(|| SendError::Refused(Refusal::NoGate { gate: gate.clone() }))?;
        let subject = gate.opened.subject.as_ref();
        let subject = subject.and_then(|subject| session.artifacts.get(subject));
        let subject = subject
            .ok_or_else(|| refused("the gate is about nothing that could be edited".to_owned()))?;
        let body = material::input(self.log().as_ref(), stream, subject.clone()).await?;
        let edited = pipeline.edit(&gate.opened.name, &body.body, edits);
        let edited = edited.map_err(|found| refused(Violation::listed(&found)))?;
        let mut blobs = vec![];
        let kept = keep::artifact(self, stream, edited, &mut blobs).await?;
        Ok(Some((kept, blobs)))
    }
}
