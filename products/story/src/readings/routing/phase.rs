//! The phase of the work in which a message is written.

use palimpsest::prelude::resource::project::Phase;
use serde::{Deserialize, Serialize};

use super::table::{Intent, by_itself, typical};

/// What the phase was taken from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PhaseSource {
    /// The client, with the message.
    Request,
    /// The request asks for a scene, which belongs to the phase of writing.
    Scene,
    /// The project.
    Project,
    /// What the message asks for, where neither the client nor the project gives a phase.
    Message,
    /// Nothing gives a phase, so it is the first one: a story begins with an idea.
    Default,
}

/// What a person should know about the phase. Nothing is refused because of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum PhaseWarning {
    /// The phase of the message is more than one phase ahead of the project's.
    PhasesSkipped { from: Phase, to: Phase },
    /// Prose is asked for before there is an outline.
    EarlyWriting { phase: Phase },
}

impl PhaseWarning {
    /// The warning in the language of the person.
    pub(crate) fn message(&self, is_chinese: bool) -> String {
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

/// The phase that was given: by the request, or else by the project.
pub(super) fn given_phase(
    of_request: Option<Phase>,
    of_project: Option<Phase>,
) -> Option<(Phase, PhaseSource)> {
    let of_request = of_request.map(|phase| (phase, PhaseSource::Request));
    of_request.or_else(|| of_project.map(|phase| (phase, PhaseSource::Project)))
}

/// The phase of a message where none was given: the one that its intent belongs to, or the first, since a story begins with an idea.
pub(super) fn phase_of(intent: Intent) -> (Phase, PhaseSource) {
    let of_intent = Phase::ALL.into_iter().find(|phase| {
        typical(*phase).contains(&intent)
            || (by_itself(*phase) == intent && intent != Intent::GeneralChat)
    });
    let of_intent = of_intent.or_else(|| intent.writes_prose().then_some(Phase::Writing));
    of_intent.map_or((Phase::Idea, PhaseSource::Default), |phase| {
        (phase, PhaseSource::Message)
    })
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
