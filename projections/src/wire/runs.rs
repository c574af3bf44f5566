//! The runs of a session that have not ended, for wires that remember something of each.

use std::collections::BTreeMap;

use domain::RunId;

/// What a wire remembers of a run.
pub trait OpenRun {
    /// Whether it is a run of the pipeline that the wire tells.
    fn is_own(&self) -> bool;
}

/// The runs that have not ended.
#[derive(Clone, Debug)]
pub struct OpenRuns<R>(BTreeMap<RunId, R>);

impl<R> Default for OpenRuns<R> {
    fn default() -> Self {
        Self(BTreeMap::new())
    }
}

impl<R: OpenRun> OpenRuns<R> {
    pub fn begin(&mut self, id: RunId, run: R) {
        self.0.insert(id, run);
    }

    /// Ends a run that was begun.
    pub fn end(&mut self, id: RunId, say: impl FnOnce(R)) {
        if let Some(run) = self.0.remove(&id) {
            say(run);
        }
    }

    /// A run that was begun, whichever pipeline it is of.
    pub fn get_mut(&mut self, id: RunId) -> Option<&mut R> {
        self.0.get_mut(&id)
    }

    /// The same, if the wire tells its pipeline.
    pub fn own_mut(&mut self, id: RunId) -> Option<&mut R> {
        self.0.get_mut(&id).filter(|run| run.is_own())
    }

    /// A run that has ended, that never began, or that is another pipeline's gives no frames.
    pub fn with(&mut self, id: RunId, change: impl FnOnce(&mut R)) {
        if let Some(run) = self.own_mut(id) {
            change(run);
        }
    }

    pub fn values(&self) -> impl Iterator<Item = &R> {
        self.0.values()
    }

    pub fn values_mut(&mut self) -> impl Iterator<Item = &mut R> {
        self.0.values_mut()
    }

    pub fn into_values(self) -> impl Iterator<Item = R> {
        self.0.into_values()
    }
}
