//! How a message to a post is meant.

use palimpsest::prelude::pipeline::text::ByRules;
use palimpsest::prelude::pipeline::understanding::asked::Understanding;

use super::pictures;
use super::vocabulary::VOCABULARY;

pub(super) const UNDERSTANDING: Understanding = Understanding {
    adjusted: pictures::refuse_impossible,
    ..Understanding::after_the_first(
        &VOCABULARY,
        "posts with pictures for a social network",
        ByRules {
            zh: "选用与主题有关的原句、限制字数、换标题、调整图片数量",
            en: "choose whole sentences about the subject, keep to a length, take a title, and change the number of pictures",
            draws: true,
            places: false,
        },
        greeting,
    )
};

/// What a greeting is answered with.
fn greeting(chinese: bool, refinable: bool) -> &'static str {
    match (chinese, refinable) {
        (true, false) => {
            "你好！我可以把一句话写成带标题、正文、标签和配图的图文。告诉我写什么、给谁看就能开始，例如“秋天露营攻略，给新手，3 张图”。"
        }
        (true, true) => {
            "你好！当前的图文还在。想改哪里直接说，例如“标题换一个”“正文短一点”“封面换成暖色”；想写新的，告诉我新主题就行。"
        }
        (false, false) => {
            "Hello! I turn a sentence into a post with a title, a text, tags and pictures. Tell me what it is about and for whom, for example \
             \"autumn camping for beginners, 3 pictures\"."
        }
        (false, true) => {
            "Hello! Your post is still here. Tell me what to change, for example \"another title\", \"shorter text\" or \"a warmer cover\"; for \
             a new post, just name a new topic."
        }
    }
}
