//! What people call the stages and pictures of a post.

use std::sync::LazyLock;

use super::stage::IMAGE;
use crate::understanding::items::ItemWords;
use crate::understanding::rules::{Learned, StageAbout, Vocabulary};

/// From the messages that stand in `messages/`.
static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    Learned::of(
        include_bytes!("messages/intent.head"),
        include_str!("messages/synonyms.tsv"),
    )
});

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    stages: &[
        StageAbout {
            name: "brief",
            about: "audience, goal, platform",
            called: ("受众、目的或平台", "the audience, the goal or the platform"),
        },
        StageAbout {
            name: "research",
            about: "facts and evidence",
            called: ("依据和数据", "the facts and evidence"),
        },
        StageAbout {
            name: "reference",
            about: "reference pictures",
            called: ("参考图的用法", "how the reference pictures are used"),
        },
        StageAbout {
            name: "writer",
            about: "title, text, tags, tone, length, language",
            called: ("标题、正文、标签或语气", "the title, text, tags or tone"),
        },
        StageAbout {
            name: "layout",
            about: "how words stand on the pictures",
            called: ("图上的文字", "the words on the pictures"),
        },
        StageAbout {
            name: "image_plan",
            about: "the pictures: how many, what they show, colours, cover",
            called: ("配图", "the pictures"),
        },
    ],
    counted: None,
    added: "image_plan",
    language: "writer",
    items: Some(ItemWords {
        kind: IMAGE,
        called: ("张图", "pictures"),
        units: &[
            "张图片",
            "张配图",
            "张图",
            "张照片",
            "张",
            "图",
            "picture",
            "pic",
            "image",
            "photo",
        ],
        first: &["封面", "cover"],
        last: &["最后一张", "last picture", "last photo", "last image"],
        by_title: false,
        can_be_ordered: false,
    }),
    item_stages: &["layout", "image_plan"],
};
