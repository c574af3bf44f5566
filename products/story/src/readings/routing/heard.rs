//! How likely each intent is by what was learned from examples.

use std::sync::LazyLock;

use palimpsest::prelude::resource::project::Phase;
use words::{Features, Head, Synonyms};

use super::route::Alternative;
use super::table::{Intent, typical};

/// Learned from `messages/training.tsv`; see the crate `words`.
const HEAD: &[u8] = include_bytes!("../../../messages/intent.head");

const SYNONYMS: &str = include_str!("../../../messages/synonyms.tsv");

static CLASSES: LazyLock<Synonyms> = LazyLock::new(|| Synonyms::read(SYNONYMS));

/// The layer, and the intent of each of its classes.
static LAYER: LazyLock<(Head, Vec<Intent>)> = LazyLock::new(|| {
    let head = Head::read(HEAD).expect("the head beside this file");
    let intent = |class: &String| Intent::named(class).expect("a class is the name of an intent");
    let intents = head.classes().iter().map(intent).collect();
    (head, intents)
});

/// What the phase gives its typical intents.
const TYPICAL: f64 = 1.2;

/// The intents that a message may have, the likeliest first, each with the share of such messages that have it. A phase that the client or
/// the project gave weighs its typical intents.
pub(super) fn heard(message: &str, phase: Option<Phase>) -> Vec<Alternative> {
    let (head, intents) = &*LAYER;
    let known = phase.map(|phase| format!("phase={}", phase.as_str()));
    let known: Vec<&str> = known.as_deref().into_iter().collect();
    let features = Features::of(message, &known, &CLASSES);
    let typical = phase.map_or(&[][..], typical);
    let weight = |intent: &Intent| {
        if typical.contains(intent) {
            TYPICAL
        } else {
            1.0
        }
    };
    let chances = head.probabilities(&features, |_| true);
    let mut alternatives: Vec<Alternative> = intents
        .iter()
        .zip(chances)
        .map(|(intent, chance)| Alternative {
            intent: *intent,
            confidence: chance * weight(intent),
        })
        .collect();
    let all: f64 = alternatives.iter().map(|one| one.confidence).sum();
    for one in &mut alternatives {
        one.confidence = (one.confidence / all).clamp(0.0, 1.0);
    }
    // The order of the table decides where two are equal, so that the result is always the same.
    alternatives.sort_by(|a, b| {
        b.confidence
            .total_cmp(&a.confidence)
            .then(a.intent.cmp(&b.intent))
    });
    alternatives
}
