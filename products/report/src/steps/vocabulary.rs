//! What people call the stages and sections of a report.

use palimpsest::prelude::pipeline::understanding::items::ItemWords;
use palimpsest::prelude::pipeline::understanding::rules::{StageWords, Vocabulary};

use crate::stages::SECTION;

pub(crate) const VOCABULARY: Vocabulary = Vocabulary {
    stages: &[
        StageWords {
            name: "plan",
            is_of_subject: true,
            about: "which sections there are, their order, what each is to say",
            words: "加一节|加一章|增加一节|新增|加个章节|大纲|结构|目录|a section about|add a section|another section|outline|structure|section first",
        },
        StageWords {
            name: "export",
            is_of_subject: false,
            about: "the files",
            words: "导出|word版|pdf|docx|页边距|页码|打印|export*|margins|page numbers|word file|word version",
        },
        StageWords {
            name: "sections",
            is_of_subject: false,
            about: "the text of sections",
            words: "节|章|段|部分|摘要|语气|措辞|口语|翻译|字|表格|数字|单位|写|section*|summary|text|words|tone|voice|jargon|translat*|figures|wording|euros|stiff|reword*|rephras*",
        },
    ],
    otherwise: "sections",
    counted: None,
    added: "plan",
    language: "sections",
    products: "报告|周报|月报|季报|总结|复盘|report|minutes",
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
