//! What people call the stages and slides of a deck.

use super::stage::DECK;
use crate::understanding::items::ItemWords;
use crate::understanding::rules::{StageWords, Vocabulary};

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    stages: &[
        StageWords {
            name: "requirements",
            is_of_subject: true,
            about: "audience, number of slides, language, purpose",
            words: "受众|听众|观众|面向|audience|用途|目的|目标|purpose|goal|页数|分钟|half as long|slides will do|number of slides|全部换成英文|换成英文|换成中文|英文版|英文的|翻译|翻成|translat*|is for|it's for|not for|\
                language|minutes|改成15张|张",
        },
        StageWords {
            name: "generate",
            is_of_subject: false,
            about: "the content, wording and looks of the slides",
            words: "图|字|标题|案例|配色|颜色|风格|蓝|排版|look|colour*|color*|text*|bullet*|title*|picture*|photo*|font*|cleaner|whitespace|add a slide",
        },
    ],
    otherwise: "generate",
    counted: None,
    added: "generate",
    language: "requirements",
    products: "ppt|幻灯片|演示|介绍|slides|deck|presentation|pitch",
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
