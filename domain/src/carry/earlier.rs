//! What was said in a session before, and what came of it.

use std::sync::Arc;

use super::Input;
use crate::event::ArtifactProduced;
use crate::ids::RunId;
use crate::session::{Branch, End, Run, Session};

/// The most earlier runs that a step is told of. A message rarely refers to what was said longer ago, and each run costs a read of the log.
pub const EARLIER_RUNS_MAX: usize = 12;

/// An earlier run of the session that this one does not build on: what was said, and what came of it.
#[derive(Clone, Debug)]
pub struct EarlierRun {
    pub run: RunId,
    /// The message, in its words.
    pub brief: String,
    /// How the run ended; absent where it is waiting.
    pub end: Option<End>,
    /// What it left of the kinds that the pipeline recalls, in the order of the kinds.
    pub made: Vec<Input>,
}

/// The runs before this one with what they left of these kinds, the latest first; without the runs that this one builds on.
pub(super) fn of(
    session: &Session,
    run: &Run,
    branch: &Branch<'_>,
    kinds: &[&str],
) -> (Vec<EarlierRun>, Vec<Vec<Arc<ArtifactProduced>>>) {
    if kinds.is_empty() {
        return (vec![], vec![]);
    }
    let before = session.runs.range(..run.id).rev().map(|(_, run)| run);
    let before = before.filter(|other| other.pipeline == run.pipeline && !branch.has(other.id));
    let told = before.take(EARLIER_RUNS_MAX).map(|other| {
        let left = kinds.iter().flat_map(|kind| other.artifacts_of(kind));
        let left = left.map(|(_, artifact)| Arc::clone(artifact)).collect();
        let earlier = EarlierRun {
            run: other.id,
            brief: other.brief.clone(),
            end: other.end.clone(),
            made: vec![],
        };
        (earlier, left)
    });
    told.unzip()
}
