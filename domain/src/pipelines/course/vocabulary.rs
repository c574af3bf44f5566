//! What people call the stages and pages of a course.

use std::sync::LazyLock;

use super::stage::{PPT_HTML, Stage};
use crate::understanding::items::ItemWords;
use crate::understanding::rules::{Counted, Learned, StageAbout, Vocabulary};

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
            name: "analyze_topic",
            about: "the subject itself was understood wrongly",
            called: ("对主题的理解", "how the subject was understood"),
        },
        StageAbout {
            name: "generate_course_config",
            about: "number of pages, audience, length, objectives, narrative style, language",
            called: (
                "页数、受众、时长或语言",
                "the number of pages, the audience, the length or the language",
            ),
        },
        StageAbout {
            name: "generate_video_outline",
            about: "which content there is, its order, too complex, shorter, add or drop a chapter, a quiz, a page",
            called: (
                "大纲（讲哪些内容、什么顺序）",
                "the outline: what is told, and in which order",
            ),
        },
        StageAbout {
            name: "generate_slide_scripts",
            about: "what stands on single pages, facts, the narration, examples, wording",
            called: (
                "讲稿和页面上的文字",
                "what is said and written on the pages",
            ),
        },
        StageAbout {
            name: "generate_presentation_theme",
            about: "colours, fonts, style of the look of all pages",
            called: (
                "整体的配色、字体和风格",
                "the colours, fonts and style of all pages",
            ),
        },
        StageAbout {
            name: "generate_slides",
            about: "pictures, charts, layout and looks of pages",
            called: (
                "页面的图片、图表和排版",
                "the pictures, charts and layout of pages",
            ),
        },
    ],
    counted: Some(Counted {
        is_named: |text| super::wish::pages(text).is_some(),
        stage: "generate_course_config",
    }),
    added: "generate_video_outline",
    language: "generate_course_config",
    items: Some(ItemWords {
        kind: PPT_HTML,
        called: ("页", "pages"),
        units: &["张幻灯片", "页", "slide", "page"],
        first: &[
            "封面",
            "首页",
            "标题页",
            "cover",
            "title page",
            "title slide",
        ],
        last: &[
            "最后一页",
            "最后一张",
            "末页",
            "尾页",
            "结尾页",
            "结束页",
            "last page",
            "last slide",
            "final slide",
            "final page",
            "closing slide",
            "closing page",
        ],
        by_title: false,
        can_be_ordered: true,
    }),
    item_stages: &["generate_slide_scripts", "generate_slides"],
};

const _: () = assert!(Stage::ALL.len() == 7, "a new stage needs words of its own");
