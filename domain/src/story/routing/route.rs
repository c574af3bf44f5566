//! Finds the intent of a message: directly where it is given explicitly, otherwise by rules.

use serde::Serialize;

use super::classify::{Understanding, understand};
use super::examples::{Likelihoods, likelihoods};
use super::phase::{PhaseSource, PhaseWarning, phase_of, warning};
use super::table::{Intent, by_itself, typical};
use super::words::Strength;
use crate::project::Phase;

/// From this confidence on, no model is asked.
pub const FINAL_CONFIDENCE: f64 = 0.9;
/// Below this confidence, the alternatives are returned too.
const CLEAR_CONFIDENCE: f64 = 0.7;
const ALTERNATIVES_MAX: usize = 3;

/// Characters of a message that are read. What is wanted stands at its beginning or end; between them stands pasted text.
pub const ROUTED_CHARS_MAX: usize = 600;

/// The confidence of a message without a word.
const BLANK: f64 = 0.3;
/// The confidence where there is no hit: of an intent that follows from the phase, and of one that follows from the form of the message.
const BY_PHASE: f64 = 0.5;
const BY_FORM: f64 = 0.4;
/// The confidence of a message that is only a greeting, thanks or small talk.
const SIDE_TALK: f64 = 0.95;
/// The most characters of small talk: a longer message may ask for something in words that no rule knows.
const SIDE_TALK_CHARS: usize = 40;
/// The number of characters up to which a message without a hit is too short to ask for work.
const SHORT_CHARS: usize = 6;
const SHORT_WORDS: usize = 3;
/// What the examples add to the score of an intent that all of them indicate, and the least that counts for an intent without a hit.
const OF_EXAMPLES: f64 = 4.5;
const ADDED_MIN: f64 = 0.3;
/// The likelihood from which the examples decide where no rule knows a word, and the confidence that a likelihood of 1 then has.
const LIKELY: f64 = 0.4;
const BY_EXAMPLES: f64 = 0.8;
/// The likelihood from which on a message without a hit may be side talk.
const CHAT_LIKELY: f64 = 0.1;
/// The number of characters and of words from which a message without a hit may be a piece of a story that is to be continued.
const STORY_CHARS: usize = 16;
const STORY_WORDS: usize = 10;
/// What the phase adds to its typical intents.
const TYPICAL: f64 = 1.2;
/// The confidence of a score without competition: a base, an amount for each point, and an upper limit.
const REACH_BASE: f64 = 0.35;
const REACH_OF_SCORE: f64 = 0.19;
const REACH_MAX: f64 = 0.97;
/// How much of what the examples add counts for this confidence: similarity to examples alone is never final.
const REACH_OF_EXAMPLES: f64 = 0.4;

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
pub enum RouteSource {
    /// It was given explicitly.
    FastPath,
    RuleEngine,
    Llm,
    /// No word of the message shows an intent.
    Default,
}

/// What a message may ask for instead.
#[derive(Clone, Copy, Debug, PartialEq, Serialize)]
pub struct Alternative {
    pub intent: Intent,
    /// 0 to 1.
    pub confidence: f64,
}

/// Where a message goes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Routed {
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
/// weight to its typical intents, and decides alone only where there is no hit.
pub fn route(
    message: &str,
    hint: Option<Intent>,
    phase_of_request: Option<Phase>,
    phase_of_project: Option<Phase>,
    is_scene_request: bool,
) -> Routed {
    let (phase, phase_source) = phase_of(message, phase_of_request, phase_of_project);
    let said = hint.or_else(|| by_prefix(message));
    if let Some(intent) = said {
        return outright(intent, phase, phase_source, phase_of_project);
    }
    if is_scene_request {
        let (phase, source) = (Phase::Writing, PhaseSource::Scene);
        return outright(Intent::WriteContent, phase, source, phase_of_project);
    }
    // A phase that was only guessed from the words gives no weight, since the words would then count twice.
    let weighing = match phase_source {
        PhaseSource::Request | PhaseSource::Project | PhaseSource::Scene => Some(phase),
        PhaseSource::Message | PhaseSource::Default => None,
    };
    let (intents, source) = by_words(message, weighing);
    let first = intents[0];
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
    let message = message.trim();
    if message.is_empty() {
        return (only(Intent::GeneralChat, BLANK), RouteSource::Default);
    }
    let read = read_part(message);
    let understood = understand(&read);
    let likely = likelihoods(&understood.wanted);
    if understood.scores.is_empty() {
        let alike = likely.and_then(|likely| by_examples(&likely, phase));
        return match alike {
            Some(alike) => (alike, RouteSource::RuleEngine),
            None => (unhit(&read, &understood, phase), RouteSource::Default),
        };
    }
    let is_side_talk = understood
        .scores
        .iter()
        .all(|(intent, _)| *intent == Intent::GeneralChat);
    if is_side_talk && message.chars().count() <= SIDE_TALK_CHARS {
        return (
            only(Intent::GeneralChat, SIDE_TALK),
            RouteSource::RuleEngine,
        );
    }
    let evidence = with_examples(&understood.scores, likely.as_ref());
    if evidence.is_empty() {
        return (unhit(&read, &understood, phase), RouteSource::Default);
    }
    (weighed(evidence, phase), RouteSource::RuleEngine)
}

/// The intents of a message without a hit, by what it has in common with the examples, if that is enough.
fn by_examples(likely: &Likelihoods, phase: Option<Phase>) -> Option<Vec<Alternative>> {
    let mut alike: Vec<Alternative> = Intent::ALL
        .into_iter()
        .map(|intent| Alternative {
            intent,
            confidence: likely[intent as usize] * BY_EXAMPLES,
        })
        .collect();
    alike.sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    // A message that may be only small talk, or a piece of a story, must not start the writing of prose because it resembles a request.
    let may_be_chat = likely[Intent::GeneralChat as usize] >= CHAT_LIKELY;
    if alike[0].intent.writes_prose() && (may_be_chat || phase.is_some()) {
        return None;
    }
    (alike[0].confidence >= LIKELY * BY_EXAMPLES).then_some(alike)
}

/// What indicates an intent.
struct Evidence {
    intent: Intent,
    of_rules: f64,
    of_examples: f64,
}

impl Evidence {
    fn score(&self) -> f64 {
        self.of_rules + self.of_examples
    }
}

/// The scores of the rules, each with what the examples add to it.
fn with_examples(scores: &[(Intent, f64)], likely: Option<&Likelihoods>) -> Vec<Evidence> {
    let evidence = Intent::ALL.into_iter().map(|intent| {
        let hit = scores.iter().find(|(known, _)| *known == intent);
        Evidence {
            intent,
            of_rules: hit.map_or(0.0, |(_, score)| *score),
            of_examples: likely.map_or(0.0, |likely| likely[intent as usize] * OF_EXAMPLES),
        }
    });
    // Hints and similarity are not enough to start writing prose: the message has to name something that a story is made of.
    let names_work = scores.iter().any(|(intent, score)| {
        *intent != Intent::GeneralChat && *score >= Strength::Topic.weight()
    });
    let may_write = |evidence: &Evidence| names_work || !evidence.intent.writes_prose();
    evidence
        .filter(|evidence| evidence.of_rules > 0.0 || evidence.of_examples >= ADDED_MIN)
        .filter(may_write)
        .collect()
}

fn only(intent: Intent, confidence: f64) -> Vec<Alternative> {
    vec![Alternative { intent, confidence }]
}

/// The likely intents of a message without a hit. An answer is expected for a question, for one or two words, for what people say about
/// themselves, and where something is explicitly not wanted; otherwise the phase decides.
fn unhit(message: &str, understood: &Understanding, phase: Option<Phase>) -> Vec<Alternative> {
    let (chars, words) = (message.chars().count(), message.split_whitespace().count());
    let is_shorter_than = |most_chars: usize, most_words: usize| {
        if message.is_ascii() {
            words <= most_words
        } else {
            chars <= most_chars
        }
    };
    let expects_answer = understood.is_question
        || understood.is_negated
        || (understood.is_personal && chars <= SIDE_TALK_CHARS * 2)
        || is_shorter_than(SHORT_CHARS, SHORT_WORDS);
    // A short remark is rarely the beginning of a scene, and writing a scene costs the most.
    let writes = phase.is_some_and(|phase| by_itself(phase).writes_prose());
    let expects_answer = expects_answer || (writes && is_shorter_than(STORY_CHARS, STORY_WORDS));
    match phase {
        Some(phase) if !expects_answer => only(by_itself(phase), BY_PHASE),
        Some(_) | None => only(Intent::GeneralChat, BY_FORM),
    }
}

/// The confidence of each intent: its share of all evidence, limited by how much its own evidence allows.
fn weighed(mut evidence: Vec<Evidence>, phase: Option<Phase>) -> Vec<Alternative> {
    let typical = phase.map_or(&[][..], typical);
    for one in &mut evidence {
        if typical.contains(&one.intent) {
            one.of_rules *= TYPICAL;
            one.of_examples *= TYPICAL;
        }
    }
    // The order of the table decides where two are equal, so that the result is always the same.
    evidence.sort_by(|a, b| {
        let by_score = b.score().total_cmp(&a.score());
        by_score.then(a.intent.cmp(&b.intent))
    });
    // Squares are used, so that the topic of an act competes little with the act.
    let all: f64 = evidence.iter().map(|one| one.score() * one.score()).sum();
    let confidence = |one: &Evidence| {
        let reach = one.of_rules + one.of_examples * REACH_OF_EXAMPLES;
        let reach = (REACH_BASE + REACH_OF_SCORE * reach).min(REACH_MAX);
        (one.score() * one.score() / all * reach).clamp(0.0, 1.0)
    };
    let mut alternatives: Vec<Alternative> = evidence
        .iter()
        .map(|one| Alternative {
            intent: one.intent,
            confidence: confidence(one),
        })
        .collect();
    // The first stays the first even where another one would have a higher limit.
    let first = alternatives[0].confidence;
    for other in &mut alternatives {
        other.confidence = other.confidence.min(first);
    }
    alternatives[1..].sort_by(|a, b| b.confidence.total_cmp(&a.confidence));
    alternatives
}

/// The beginning and the end of a long message.
fn read_part(message: &str) -> String {
    let chars: Vec<char> = message.chars().collect();
    if chars.len() <= ROUTED_CHARS_MAX {
        return message.to_owned();
    }
    let half = ROUTED_CHARS_MAX / 2;
    let begin = chars[..half].iter().collect::<String>();
    let end = chars[chars.len() - half..].iter().collect::<String>();
    format!("{begin}\n{end}")
}
