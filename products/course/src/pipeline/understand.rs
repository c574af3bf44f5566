//! How a message to a course is meant.

use palimpsest::prelude::pipeline::event::Intent;
use palimpsest::prelude::pipeline::text::ByRules;
use palimpsest::prelude::pipeline::understanding::asked::{Understanding, comes_with_something};
use palimpsest::prelude::pipeline::{IntentOutput, Work};
use serde::Deserialize;

use super::shape::CourseInput;
use super::stage::Stage;
use super::vocabulary::VOCABULARY;
use super::wish;

/// What rules can do about a wish.
const CAN: ByRules = ByRules {
    zh: "调整页数、主题配色、删去某页、只保留或调换章节、放上资料里的图片",
    en: "change the number of pages and the theme, leave a page out, keep or reorder sections, and place the pictures of the sources",
    draws: false,
    places: true,
};

pub(super) const UNDERSTANDING: Understanding = Understanding {
    vocabulary: &VOCABULARY,
    makes: "teaching decks",
    can: CAN,
    greeting,
    asks_at_first: true,
    is_about_it: names_a_deck,
    // An input that comes with a message is merged into the earlier inputs, so it never asks for a new course.
    is_new: |_| false,
    adjusted: early_enough,
};

/// A message that comes with a number of pages, an input or files is about a deck.
fn names_a_deck(work: &Work) -> bool {
    wish::pages(&work.brief).is_some() || comes_with_something(work)
}

/// Lets a change begin at the latest with the stage that its input is for: pages, listeners and minutes that were named are binding, and a
/// look that was given is used. In a change of the order, the number of pages follows from the pages that stay.
fn early_enough(work: &Work, intent: IntentOutput) -> IntentOutput {
    let given = CourseInput::deserialize(&work.input).unwrap_or_default();
    let is_about_the_config = given.page_count.is_some()
        || given.audience.is_some()
        || given.duration_minutes.is_some()
        || !intent.order.is_empty()
        || wish::pages(&work.brief).is_some();
    let latest = if is_about_the_config {
        Stage::Config
    } else if given.theme.is_some() || given.style.is_some() {
        Stage::Theme
    } else {
        return intent;
    };
    let target = intent.target.as_deref().and_then(Stage::named);
    let is_later = target.is_none_or(|target| target > latest);
    if intent.intent != Intent::Refinement || !is_later {
        return intent;
    }
    IntentOutput {
        target: Some(latest.name.into()),
        ..intent
    }
}

/// What a greeting is answered with.
fn greeting(chinese: bool, refinable: bool) -> &'static str {
    match (chinese, refinable) {
        (true, false) => {
            "你好！我可以把一个主题做成带讲稿的教学课件。告诉我主题、受众和页数就能开始，例如“光合作用入门，面向初三学生，8 页”；也可以附上资料，我会依据资料来写。"
        }
        (true, true) => {
            "你好！当前的课件还在。想改哪里直接说，例如“大纲精简一些”“换成蓝色主题”“多加配图”；想做新的，告诉我新主题就行。"
        }
        (false, false) => {
            "Hello! I turn a topic into a teaching deck with narration. Tell me the topic, the audience and the number of pages, for \
             example \"Photosynthesis for beginners, 8 pages\"; you can also attach a source text, and I will work from it."
        }
        (false, true) => {
            "Hello! Your deck is still here. Tell me what to change, for example \"shorten the outline\", \"use a blue theme\" or \
             \"more pictures\"; for a new deck, just name a new topic."
        }
    }
}
