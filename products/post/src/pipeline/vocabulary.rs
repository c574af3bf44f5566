//! What people call the stages and pictures of a post.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::items::{Items, Unit};
use palimpsest::prelude::pipeline::understanding::rules::{Learned, Vocabulary};

use super::stage::IMAGE;

/// From the messages that stand in `../../messages/`.
static LEARNED: LazyLock<Learned> = palimpsest::prelude::pipeline::learned!("../../messages");

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    counted: None,
    added: "image_plan",
    language: "writer",
    items: Some(Items {
        kind: IMAGE,
        things: Unit::Picture,
        called: ("张图", "pictures"),
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["layout", "image_plan"],
};
