//! What the tests of this pipeline share: a step to work on, and what earlier steps left.

use std::sync::Arc;

use palimpsest::prelude::pipeline::event::{ArtifactProduced, Body};
use palimpsest::prelude::pipeline::{ArtifactId, Input, RunId, Settings, StepId, Work};
use serde_json::Value;

use super::stage::Stage;

/// A step of the first run of a session, with a model.
pub(super) fn work(brief: &str) -> Work {
    let language = if brief.is_ascii() { "en" } else { "zh" };
    let mut settings = Settings {
        language: language.to_owned(),
        ..Settings::default()
    };
    settings.ports.model = "openai".to_owned();
    Work {
        brief: brief.to_owned(),
        settings: Arc::new(settings),
        ..Work::blank(StepId::new(RunId(1), Stage::Act.name, ""))
    }
}

/// An artifact of this kind.
pub(super) fn artifact(kind: &str, run: RunId) -> Arc<ArtifactProduced> {
    Arc::new(ArtifactProduced {
        artifact: ArtifactId::new(format!("art_{kind}")),
        kind: kind.into(),
        part: "".into(),
        number: 1,
        title: kind.into(),
        step: StepId::new(run, Stage::Act.name, ""),
        attempt: 1,
        body: Body::Event {
            json: Arc::new(Value::Null),
        },
        facts: Value::Null,
        from: vec![],
        shown: false,
    })
}

/// Gives the step what an earlier step left.
pub(super) fn leave(work: &mut Work, kind: &'static str, body: Value) {
    let input = Input {
        artifact: artifact(kind, RunId(1)),
        body: Arc::new(body),
    };
    work.inputs.insert(kind.into(), vec![input]);
}
