//! What people call the stages and sections of a report.

use std::sync::LazyLock;

use palimpsest::prelude::pipeline::understanding::items::ItemWords;
use palimpsest::prelude::pipeline::understanding::rules::{Learned, StageAbout, Vocabulary};

use crate::stages::SECTION;

/// From the messages that stand in `../../messages/`.
static LEARNED: LazyLock<Learned> = LazyLock::new(|| {
    Learned::of(
        include_bytes!("../../messages/intent.head"),
        include_str!("../../messages/synonyms.tsv"),
    )
});

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    learned: &LEARNED,
    stages: &[
        StageAbout {
            name: "plan",
            about: "which sections there are, their order, what each is to say",
            called: (
                "有哪些章节、什么顺序",
                "which sections there are, and their order",
            ),
        },
        StageAbout {
            name: "export",
            about: "the files",
            called: ("导出的文件", "the files"),
        },
        StageAbout {
            name: "sections",
            about: "the text of sections",
            called: ("章节里的文字和数据", "the text and figures of sections"),
        },
    ],
    counted: None,
    added: "plan",
    language: "sections",
    items: Some(ItemWords {
        kind: SECTION,
        called: ("节", "sections"),
        units: &["小节", "节", "章", "部分", "section", "chapter", "part"],
        first: &["第一部分", "first section"],
        last: &[
            "最后一节",
            "最后一章",
            "最后一部分",
            "last section",
            "final section",
            "last chapter",
        ],
        by_title: true,
        can_be_ordered: false,
    }),
    item_stages: &[],
};
