//! What people call the stages and slides of a deck.

use std::sync::LazyLock;

use super::stage::DECK;
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
            name: "requirements",
            about: "audience, number of slides, language, purpose",
            called: (
                "受众、页数、语言或用途",
                "the audience, the number of slides, the language or the purpose",
            ),
        },
        StageAbout {
            name: "generate",
            about: "the content, wording and looks of the slides",
            called: ("页面的内容和样子", "the content and looks of the slides"),
        },
    ],
    counted: None,
    added: "generate",
    language: "requirements",
    items: Some(ItemWords {
        kind: DECK,
        called: ("页", "slides"),
        units: &["张幻灯片", "页", "slide", "page"],
        first: &[
            "封面",
            "首页",
            "标题页",
            "cover",
            "title slide",
            "title page",
        ],
        last: &[
            "最后一页",
            "最后一张",
            "致谢页",
            "末页",
            "结尾页",
            "结束页",
            "last page",
            "last slide",
            "final slide",
            "closing slide",
            "thanks slide",
            "thank-you slide",
        ],
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["generate"],
};
