//! How a message to a deck is meant.

use palimpsest::prelude::pipeline::text::ByRules;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;
use palimpsest::prelude::pipeline::{IntentOutput, Work};

use super::stage::GENERATE;
use super::vocabulary::VOCABULARY;

pub(super) const UNDERSTANDING: Understanding = Understanding {
    adjusted: of_the_deck,
    ..Understanding::after_the_first(
        &VOCABULARY,
        "slide decks",
        ByRules {
            zh: "把所给材料中的句子、表格和数字排成页面，也能删掉或移动页面",
            en: "place the sentences, tables and figures of what is given on slides, and remove or move slides",
            draws: false,
            places: true,
        },
        greeting,
    )
};

/// Slides that are left out, moved or added are a matter of the deck, whichever stage the words are about otherwise.
fn of_the_deck(_: &Work, intent: IntentOutput) -> IntentOutput {
    if intent.order.is_empty() {
        return intent;
    }
    IntentOutput {
        target: Some(GENERATE.name.into()),
        ..intent
    }
}

/// What a greeting is answered with.
fn greeting(chinese: bool, refinable: bool) -> &'static str {
    match (chinese, refinable) {
        (true, false) => {
            "你好！我可以把一句话或一份材料做成幻灯片。告诉我主题、给谁看、几页就能开始。"
        }
        (true, true) => {
            "你好！当前的幻灯片还在。想改哪一页直接说，例如“第 3 页改成图表”；想做新的，告诉我新主题就行。"
        }
        (false, false) => {
            "Hello! I turn a sentence or a text into slides. Tell me the topic, the audience and how many slides."
        }
        (false, true) => {
            "Hello! Your slides are still here. Tell me what to change, for example \"slide 3 as a chart\"; for new ones, just name a new topic."
        }
    }
}
