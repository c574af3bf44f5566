//! The phase of the work in which a message is written.

use serde::{Deserialize, Serialize};

use super::classify::phase_spoken_of;
use super::table::Intent;
use crate::project::Phase;

/// What the phase was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PhaseSource {
    /// The client, with the message.
    Request,
    /// The request asks for a scene, which belongs to the phase of writing.
    Scene,
    /// The project.
    Project,
    /// The words of the message, where neither the client nor the project gives a phase.
    Message,
    /// Nothing gives a phase, so it is the first one: a story begins with an idea.
    Default,
}

/// What a person should know about the phase. Nothing is refused because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub enum PhaseWarning {
    /// The phase of the message is more than one phase ahead of the project's.
    PhasesSkipped { from: Phase, to: Phase },
    /// Prose is asked for before there is an outline.
    EarlyWriting { phase: Phase },
}

impl PhaseWarning {
    /// The warning in the language of the person.
    pub fn message(&self, is_chinese: bool) -> String {
        match (self, is_chinese) {
            (Self::PhasesSkipped { from, to }, true) => format!(
                "项目还在 {} 阶段，这条消息按 {} 阶段处理，中间的阶段被跳过了。",
                from.as_str(),
                to.as_str()
            ),
            (Self::PhasesSkipped { from, to }, false) => format!(
                "The project is in the phase {}; this message is handled in {}, and the phases between them are skipped.",
                from.as_str(),
                to.as_str()
            ),
            (Self::EarlyWriting { phase }, true) => format!(
                "项目在 {} 阶段，还没有大纲就开始写正文，之后可能需要返工。",
                phase.as_str()
            ),
            (Self::EarlyWriting { phase }, false) => format!(
                "The project is in the phase {}: prose that is written before there is an outline may have to be written again.",
                phase.as_str()
            ),
        }
    }
}

/// The phase of a message, and what it was taken from: the request, or else the project, or else the message itself.
pub(super) fn phase_of(
    message: &str,
    of_request: Option<Phase>,
    of_project: Option<Phase>,
) -> (Phase, PhaseSource) {
    if let Some(phase) = of_request {
        return (phase, PhaseSource::Request);
    }
    if let Some(phase) = of_project {
        return (phase, PhaseSource::Project);
    }
    match phase_spoken_of(message) {
        Some(phase) => (phase, PhaseSource::Message),
        None => (Phase::Idea, PhaseSource::Default),
    }
}

/// The warning about an intent in a phase that the client or the project gave.
pub(super) fn warning(
    intent: Intent,
    (phase, source): (Phase, PhaseSource),
    of_project: Option<Phase>,
) -> Option<PhaseWarning> {
    if let Some(from) = of_project
        && phase as usize > from as usize + 1
    {
        return Some(PhaseWarning::PhasesSkipped { from, to: phase });
    }
    let is_named = match source {
        PhaseSource::Request | PhaseSource::Project | PhaseSource::Scene => true,
        PhaseSource::Message | PhaseSource::Default => false,
    };
    let is_early = is_named && intent.writes_prose() && phase < Phase::Outline;
    is_early.then_some(PhaseWarning::EarlyWriting { phase })
}
