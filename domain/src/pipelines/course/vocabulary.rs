//! What people call the stages and pages of a course.

use super::stage::{PPT_HTML, Stage};
use crate::understanding::items::ItemWords;
use crate::understanding::rules::{Counted, StageWords, Vocabulary};

pub(super) const VOCABULARY: Vocabulary = Vocabulary {
    stages: &[
        StageWords {
            name: "analyze_topic",
            is_of_subject: true,
            about: "the subject itself was understood wrongly",
            words: "角度换|换个角度|角度不对|理解错|跑题|got my angle wrong|wrong angle|different angle|misunderstood",
        },
        StageWords {
            name: "generate_course_config",
            is_of_subject: true,
            about: "number of pages, audience, length, objectives, narrative style, language",
            words: "受众|听众|观众|面向|对象|初学者|零基础|适合|年级|时长|分钟能|分钟|叙事|教学目标|学习目标|页数|小学生|初中生|高中生|大学生|初一|初二|初三|高一|高二|高三|\
                幼儿园|给孩子|大学课|成人学员|国际班|翻译|翻成|译成|英文版|中文版|英文的|全英文|双语|audience|beginner*|for kids|for children|year olds|experts|undergrads|duration|minutes|minute|\
                objective*|learning goals|page count|number of pages|number of slides|longer|grade|translat*|english version|chinese version|language|is for|it's for|not for",
        },
        StageWords {
            name: "generate_video_outline",
            is_of_subject: true,
            about: "which content there is, its order, too complex, shorter, add or drop a chapter, a quiz, a page",
            words: "大纲|结构|缩减|精简|简化|缩短|复杂|太多|太长|太难|太浅|太深|太简单|短点|短一点|更短|长一点|详细|深入|知识点|章节|章|单元|内容|补充|删掉|删除|去掉|顺序|重点|测验|小测|练习|习题|选择题|作业|\
                一页总结|加一页|一个总结|outline|structure|complex|complicated|compliacted|shorten|shorter|simplif*|simplfy|simpler|condense|too long|too hard|too much|content|knowledge point*|reorder|\
                section*|chapter*|unit|units|topics|detail*|quiz*|exercise*|test questions",
        },
        StageWords {
            name: "generate_slide_scripts",
            is_of_subject: false,
            about: "what stands on single pages, facts, the narration, examples, wording",
            words: "讲稿|口播|脚本|旁白|解说|备注|台词|文案|文字|例子|举例|标题|写错|错别字|年份|错了|应该是|讲讲|开头|结尾|措辞|口语|类比|narration|script*|speaker notes|notes|wording|words|\
                voice over|voiceover|example*|spelling|misspel*|typo*|says|text|title|analogy|question|bullet points|sentence*|tone|jargon",
        },
        StageWords {
            name: "generate_presentation_theme",
            is_of_subject: false,
            about: "colours, fonts, style of the look of all pages",
            words: "风格|配色|颜色|色调|字体|字号|字大|背景|主题色|底色|黑色|白色|红色|橙色|黄色|绿色|青色|蓝色|紫色|粉色|灰色|深色|浅色|黑白|换个主题|换一个主题|换主题|专业|商务|活泼|科技感|校徽|logo|\
                theme|style|color*|colour*|palette|font*|dark|black|white|red|orange|yellow|green|blue|purple|pink|gray|grey|professional|playful|minimal|background|crest",
        },
        StageWords {
            name: "generate_slides",
            is_of_subject: false,
            about: "pictures, charts, layout and looks of pages",
            words: "配图|图片|插图|照片|图标|图表|折线图|柱状图|饼图|图|视觉|排版|排得|布局|版式|分栏|两栏|留白|留点白|拥挤|太挤|页面|好看|美观|动画|image*|picture*|photo*|visual*|layout*|polish|illustration*|icon*|\
                chart*|prettier|slide|slides|crowded|white space|whitespace|space|column*|letters|font|dense",
        },
    ],
    otherwise: "generate_slides",
    counted: Some(Counted {
        is_named: |text| super::wish::pages(text).is_some(),
        stage: "generate_course_config",
    }),
    added: "generate_video_outline",
    language: "generate_course_config",
    products: "课件|教案|ppt|幻灯片|课程|公开课|一节课|课|精讲|培训|讲座|slides|deck|presentation|course|lesson|lecture",
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
