//! Finds the intent of a message: directly where it is given explicitly, otherwise by what was learned from examples.

use palimpsest::prelude::resource::project::Phase;
use serde::Serialize;

use super::heard::heard;
use super::phase::{PhaseSource, PhaseWarning, given_phase, phase_of, warning};
use super::table::{Intent, by_itself};

/// From this confidence on, no model is asked.
pub(crate) const FINAL_CONFIDENCE: f64 = 0.9;
/// Below this confidence, the alternatives are returned too.
const CLEAR_CONFIDENCE: f64 = 0.7;
const ALTERNATIVES_MAX: usize = 3;

/// The confidence of a message without a word.
const BLANK: f64 = 0.3;
/// The confidence of an intent that follows from the phase, where the message itself shows none.
const BY_PHASE: f64 = 0.5;
/// Below this confidence a message shows no intent: of those, more than half would be misunderstood.
const HEARD: f64 = 0.3;
/// The same of an intent that writes prose, which costs the most.
const HEARD_PROSE: f64 = 0.4;

/// The commands with which a message may begin to say explicitly what it wants.
const PREFIXES: [(&str, Intent); 6] = [
    ("/write", Intent::WriteContent),
    ("/plan", Intent::PlanOutline),
    ("/check", Intent::CheckConsistency),
    ("/name", Intent::GenerateName),
    ("/world", Intent::PlanWorld),
    ("/character", Intent::PlanCharacter),
];

/// What decided the intent.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub(crate) enum RouteSource {
    /// It was given explicitly.
    FastPath,
    RuleEngine,
    Llm,
    /// The message shows no intent.
    Default,
}

/// What a message may ask for instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub(crate) struct Alternative {
    pub intent: Intent,
    /// 0 to 1.
    pub confidence: f64,
}

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Routed {
    pub intent: Intent,
    /// 0 to 1; from [`FINAL_CONFIDENCE`] on, the intent is final.
    pub confidence: f64,
    pub source: RouteSource,
    /// What else the message may ask for, the likeliest first; only where the intent is not clear.
    pub alternatives: Vec<Alternative>,
    pub phase: Phase,
    pub phase_source: PhaseSource,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub phase_warning: Option<PhaseWarning>,
    /// Whether a model may be asked as well.
    pub needs_model: bool,
}

/// Where a message goes. A hint or a command at its beginning decides, then a request for a scene, then its words; the phase gives more
/// weight to its typical intents, and decides alone only where the words show none.
pub(crate) fn route(
    message: &str,
    hint: Option<Intent>,
    phase_of_request: Option<Phase>,
    phase_of_project: Option<Phase>,
    is_scene_request: bool,
) -> Routed {
    let given = given_phase(phase_of_request, phase_of_project);
    let said = hint.or_else(|| by_prefix(message));
    if let Some(intent) = said {
        let (phase, phase_source) = given.unwrap_or_else(|| phase_of(intent));
        return outright(intent, phase, phase_source, phase_of_project);
    }
    if is_scene_request {
        let (phase, source) = (Phase::Writing, PhaseSource::Scene);
        return outright(Intent::WriteContent, phase, source, phase_of_project);
    }
    let (intents, source) = by_words(message, given.map(|(phase, _)| phase));
    let first = intents[0];
    let (phase, phase_source) = given.unwrap_or_else(|| match source {
        RouteSource::Default => (Phase::Idea, PhaseSource::Default),
        RouteSource::FastPath | RouteSource::RuleEngine | RouteSource::Llm => {
            phase_of(first.intent)
        }
    });
    let is_clear = first.confidence >= CLEAR_CONFIDENCE;
    let others = intents.into_iter().skip(1).take(ALTERNATIVES_MAX);
    Routed {
        intent: first.intent,
        confidence: first.confidence,
        source,
        alternatives: if is_clear { vec![] } else { others.collect() },
        phase,
        phase_source,
        phase_warning: warning(first.intent, (phase, phase_source), phase_of_project),
        needs_model: first.confidence < FINAL_CONFIDENCE && !message.trim().is_empty(),
    }
}

impl Routed {
    /// The same result with another intent, and with what follows from that.
    pub(super) fn with(
        &self,
        intent: Intent,
        confidence: f64,
        source: RouteSource,
        others: Vec<Alternative>,
    ) -> Self {
        let mut alternatives: Vec<Alternative> = vec![];
        for other in others {
            let is_new = other.intent != intent
                && alternatives
                    .iter()
                    .all(|known| known.intent != other.intent);
            if is_new && confidence < CLEAR_CONFIDENCE && alternatives.len() < ALTERNATIVES_MAX {
                alternatives.push(other);
            }
        }
        let phase_warning = match self.phase_warning {
            Some(PhaseWarning::PhasesSkipped { .. }) => self.phase_warning,
            Some(PhaseWarning::EarlyWriting { .. }) | None => {
                warning(intent, (self.phase, self.phase_source), None)
            }
        };
        Self {
            intent,
            confidence,
            source,
            alternatives,
            phase_warning,
            needs_model: false,
            ..self.clone()
        }
    }
}

fn outright(
    intent: Intent,
    phase: Phase,
    phase_source: PhaseSource,
    phase_of_project: Option<Phase>,
) -> Routed {
    Routed {
        intent,
        confidence: 1.0,
        source: RouteSource::FastPath,
        alternatives: vec![],
        phase,
        phase_source,
        phase_warning: warning(intent, (phase, phase_source), phase_of_project),
        needs_model: false,
    }
}

/// The intent of the command that a message begins with.
fn by_prefix(message: &str) -> Option<Intent> {
    let message = message.trim_start().replace('／', "/");
    let first = message.split_whitespace().next()?;
    PREFIXES
        .iter()
        .find(|(prefix, _)| first.eq_ignore_ascii_case(prefix))
        .map(|(_, intent)| *intent)
}

/// The intents that the words of a message show, the likeliest first; never empty.
fn by_words(message: &str, phase: Option<Phase>) -> (Vec<Alternative>, RouteSource) {
    if message.trim().is_empty() {
        return (only(Intent::GeneralChat, BLANK), RouteSource::Default);
    }
    let mut heard = heard(message, phase);
    let is_heard = |one: &Alternative| {
        one.confidence
            >= if one.intent.writes_prose() {
                HEARD_PROSE
            } else {
                HEARD
            }
    };
    if is_heard(&heard[0]) {
        return (heard, RouteSource::RuleEngine);
    }
    // What is not understood is answered, or does what the phase is for; it never begins to write.
    let by_itself = phase.map(by_itself).filter(|intent| !intent.writes_prose());
    let first = by_itself.unwrap_or(Intent::GeneralChat);
    heard.retain(|one| one.intent != first);
    heard.insert(
        0,
        Alternative {
            intent: first,
            confidence: BY_PHASE,
        },
    );
    for other in &mut heard {
        other.confidence = other.confidence.min(BY_PHASE);
    }
    (heard, RouteSource::Default)
}

fn only(intent: Intent, confidence: f64) -> Vec<Alternative> {
    vec![Alternative { intent, confidence }]
}
