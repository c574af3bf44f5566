//! A session begins before anything is said in it.

use domain::decision::Decision;
use domain::event::SessionOpened;

use crate::Refusal;

#[derive(Clone, Debug, PartialEq)]
pub struct OpenSession {
    /// What a message of the session starts unless it says otherwise.
    pub pipeline: String,
}

impl OpenSession {
    pub(crate) fn decide(self, d: &mut Decision<'_>) -> Result<(), Refusal> {
        if d.session.exists() {
            return Err(Refusal::SessionOpen);
        }
        if d.pipelines().find(&self.pipeline).is_none() {
            return Err(Refusal::unknown_pipeline(d, self.pipeline));
        }
        d.record(SessionOpened {
            pipeline: self.pipeline.into(),
            title: String::new(),
        });
        Ok(())
    }
}
