//! What people call the stages and pictures of a post.

use super::stage::IMAGE;
use crate::understanding::items::ItemWords;
use crate::understanding::rules::{StageWords, Vocabulary};

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    stages: &[
        StageWords {
            name: "brief",
            is_of_subject: true,
            about: "audience, goal, platform",
            words: "受众|目标人群|人群|写给|目的|目标|引流|不发小红书|发微博|发抖音|适合发|公众号|平台|audience|is for|it's for|not for|aim it|goal|purpose|linkedin|instagram|twitter|platform|newsletter",
        },
        StageWords {
            name: "research",
            is_of_subject: true,
            about: "facts and evidence",
            words: "证据|数据要|数据来源|出处|依据|趋势|热门|查一下|研究支持|权威|文献|evidence|research|trend*|study|studies|look up|back up the claim|citation*|sourc*",
        },
        StageWords {
            name: "reference",
            is_of_subject: false,
            about: "reference pictures",
            words: "参考图|reference picture*|reference photo*|reference image*|references",
        },
        StageWords {
            name: "writer",
            is_of_subject: false,
            about: "title, text, tags, tone, length, language",
            words: "标题|正文|文案|文字太|文末|标签|语气|口吻|结尾|开头|字以内|字左右|段|最后一句|一句|太长|太短|短一点|短点|长一点|emoji|表情|翻译|英文|中文版|读起来|故事感|更正|title|text|body|tags|\
                hashtag*|wording|tone|words please|words max|under * words|paragraph*|sentence*|emoji*|translat*|deutsch|salesy|catchier|shorter|longer|list of|max",
        },
        StageWords {
            name: "layout",
            is_of_subject: false,
            about: "how words stand on the pictures",
            words: "版式|排版|布局|图上的字|图片上的字|上的字|字换成|字挡|左上角|layout|words on the picture*|text on the picture*|caption*|headline on|twice the size",
        },
        StageWords {
            name: "image_plan",
            is_of_subject: false,
            about: "the pictures: how many, what they show, colours, cover",
            words: "图片|配图|封面|图|照片|颜色|配色|九宫格|俯拍|picture*|image*|cover*|photo*|colour*|color*|shoot|brighten",
        },
    ],
    otherwise: "writer",
    counted: None,
    added: "image_plan",
    language: "writer",
    products: "文案|图文|帖子|笔记|攻略|推文|post|caption|note",
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
