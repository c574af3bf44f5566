//! What people call the stages and pages of a course.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::items::{Items, Unit};
use palimpsest::prelude::pipeline::understanding::rules::{Counted, Learned, Vocabulary};

use super::stage::{PPT_HTML, Stage};

/// From the messages that stand in `../../messages/`.
static LEARNED: LazyLock<Learned> = palimpsest::prelude::pipeline::learned!("../../messages");

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    counted: Some(Counted {
        is_named: |text| super::wish::pages(text).is_some(),
        stage: "generate_course_config",
    }),
    added: "generate_video_outline",
    language: "generate_course_config",
    items: Some(Items {
        kind: PPT_HTML,
        things: Unit::Page,
        called: ("页", "pages"),
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["generate_slide_scripts", "generate_slides"],
};

const _: () = assert!(Stage::ALL.len() == 7, "a new stage needs words of its own");
