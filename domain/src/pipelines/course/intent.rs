//! How a message is meant, by rules: small talk, something new, or a change and the earliest stage it touches.

use super::stage::Stage;
use super::tone::stands_in;
use super::wish;
use crate::carry::{IntentOutput, Work};
use crate::event::Intent;
use crate::session::Speaker;
use crate::text::says_go_on;

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Said<'a> {
    pub(super) text: &'a str,
    /// What the person said before, the current message not included.
    pub(super) before: &'a [&'a str],
    /// Whether there is something that could be changed.
    pub(super) refinable: bool,
    /// Whether the run before stopped before its end.
    pub(super) resumable: bool,
    pub(super) has_sources: bool,
    pub(super) chinese: bool,
}

/// The message of a run, classified.
pub(super) fn by_rules(work: &Work) -> IntentOutput {
    let persons = work
        .history
        .iter()
        .filter(|message| message.speaker == Speaker::Person);
    let before: Vec<&str> = persons.map(|message| message.text.as_str()).collect();
    classify(Said {
        text: &work.brief,
        before: &before,
        refinable: work.refinable.is_some(),
        resumable: work.resumable,
        has_sources: !work.sources.is_empty(),
        chinese: work.is_chinese(),
    })
}

/// Words of feedback, by the stage they touch, earliest first.
const TOUCHES: [(Stage, &[&str]); 5] = [
    (
        Stage::Config,
        &[
            "受众",
            "听众",
            "观众",
            "面向",
            "对象",
            "初学者",
            "零基础",
            "适合",
            "年级",
            "时长",
            "分钟",
            "叙事",
            "教学目标",
            "学习目标",
            "页数",
            "audience",
            "beginner",
            "beginners",
            "for kids",
            "for children",
            "experts",
            "duration",
            "minutes",
            "objective",
            "objectives",
            "page count",
            "number of pages",
            "number of slides",
            "longer",
            "grade",
        ],
    ),
    (
        Stage::Outline,
        &[
            "大纲",
            "结构",
            "缩减",
            "精简",
            "简化",
            "缩短",
            "复杂",
            "太多",
            "太长",
            "太难",
            "太浅",
            "知识点",
            "章节",
            "内容",
            "补充",
            "删掉",
            "删除",
            "去掉",
            "顺序",
            "重点",
            "outline",
            "structure",
            "complex",
            "complicated",
            "shorten",
            "shorter",
            "simplify",
            "simpler",
            "condense",
            "too long",
            "too hard",
            "too much",
            "content",
            "knowledge point",
            "knowledge points",
            "reorder",
            "section",
            "sections",
            "chapter",
            "topics",
        ],
    ),
    (
        Stage::Scripts,
        &[
            "讲稿",
            "口播",
            "脚本",
            "旁白",
            "解说",
            "备注",
            "台词",
            "文案",
            "例子",
            "举例",
            "narration",
            "script",
            "scripts",
            "speaker notes",
            "notes",
            "wording",
            "voice over",
            "voiceover",
            "example",
            "examples",
        ],
    ),
    (
        Stage::Theme,
        &[
            "风格",
            "配色",
            "颜色",
            "色调",
            "字体",
            "字号",
            "背景色",
            "主题色",
            "底色",
            "黑色",
            "白色",
            "红色",
            "橙色",
            "黄色",
            "绿色",
            "青色",
            "蓝色",
            "紫色",
            "粉色",
            "灰色",
            "深色",
            "浅色",
            "专业",
            "商务",
            "活泼",
            "科技感",
            "theme",
            "style",
            "color",
            "colors",
            "colour",
            "colours",
            "palette",
            "font",
            "fonts",
            "dark",
            "black",
            "white",
            "red",
            "orange",
            "yellow",
            "green",
            "blue",
            "purple",
            "pink",
            "gray",
            "grey",
            "professional",
            "playful",
            "minimal",
            "background",
        ],
    ),
    (
        Stage::Slides,
        &[
            "配图",
            "图片",
            "插图",
            "图标",
            "图表",
            "视觉",
            "排版",
            "布局",
            "版式",
            "页面",
            "好看",
            "美观",
            "动画",
            "image",
            "images",
            "picture",
            "pictures",
            "visual",
            "visuals",
            "layout",
            "layouts",
            "polish",
            "illustration",
            "illustrations",
            "icon",
            "icons",
            "chart",
            "charts",
            "prettier",
            "slide",
            "slides",
        ],
    ),
];

/// Words of a change that name no stage.
const CHANGES: &[&str] = &[
    "改",
    "修改",
    "调整",
    "优化",
    "换",
    "重做",
    "重新生成",
    "再来",
    "不要",
    "不够",
    "更",
    "增加",
    "减少",
    "加上",
    "加入",
    "去除",
    "change",
    "make it",
    "make them",
    "more",
    "less",
    "add",
    "remove",
    "improve",
    "better",
    "redo",
    "again",
    "update",
    "fix",
    "instead",
    "adjust",
    "tweak",
    "refine",
    "without",
];

/// Words of a request for a new deck; with one of [`ABOUT`], they are meant so even where a deck exists.
const REQUESTS: &[&str] = &[
    "做一份",
    "做一个",
    "做个",
    "做一套",
    "生成一",
    "制作一",
    "写一份",
    "写一个",
    "来一份",
    "来一个",
    "帮我做",
    "帮我生成",
    "新的课件",
    "新课件",
    "另一个",
    "另外做",
    "make a",
    "make me a",
    "create a",
    "build a",
    "generate a",
    "prepare a",
    "new deck",
    "new presentation",
    "another deck",
    "another presentation",
    "a deck",
    "a presentation",
];
const ABOUT: &[&str] = &[
    "关于",
    "主题是",
    "主题：",
    "讲解",
    "介绍",
    "课件",
    "about",
    "on the topic",
    "on the subject",
    "explaining",
    "introducing",
];
/// Words that always begin something new.
const NEW_TOPIC: &[&str] = &[
    "换个话题",
    "换一个话题",
    "换个课题",
    "新主题",
    "新课题",
    "新话题",
    "换个主题：",
    "换个主题:",
    "重新开始",
    "new topic",
    "different topic",
    "another topic",
    "start over",
    "from scratch",
];

/// Words of somebody who speaks of what is there: judgements, orders, parts of the deck.
const FEEDBACK: &[&str] = &[
    "一点",
    "一些",
    "一下",
    "有点",
    "有些",
    "太多",
    "太少",
    "太长",
    "太短",
    "太难",
    "太简单",
    "太复杂",
    "太浅",
    "太深",
    "太小",
    "太大",
    "太亮",
    "太暗",
    "太花",
    "太乱",
    "太密",
    "太满",
    "太单调",
    "把",
    "不清",
    "不好",
    "不对",
    "不够",
    "没有",
    "缺少",
    "能不能",
    "能否",
    "可不可以",
    "可以",
    "希望",
    "觉得",
    "感觉",
    "整体",
    "这份",
    "这个",
    "这套",
    "全部",
    "所有",
    "只要",
    "只用",
    "就好",
    "就够",
    "就行",
    "即可",
    "讲完",
    "做成",
    "写成",
    "变成",
    "设为",
    "放在",
    "放到",
    "放大",
    "保留",
    "合并",
    "拆分",
    "拆成",
    "突出",
    "侧重",
    "着重",
    "重点讲",
    "重点放",
    "压缩",
    "扩展",
    "扩充",
    "缩到",
    "缩小",
    "减到",
    "减为",
    "加到",
    "加一",
    "多加",
    "多讲",
    "少讲",
    "展开",
    "详细",
    "控制在",
    "控制到",
    "缩减",
    "精简",
    "简化",
    "缩短",
    "补充",
    "删掉",
    "删除",
    "去掉",
    "版本",
    "再做",
    "再来",
    "封面",
    "标题",
    "幻灯片",
    "首页",
    "目录",
    "结尾",
    "开头",
    "这页",
    "it",
    "its",
    "this",
    "these",
    "that",
    "those",
    "them",
    "too",
    "only",
    "just",
    "please use",
    "use",
    "put",
    "show",
    "move",
    "keep",
    "cut",
    "drop",
    "merge",
    "split",
    "expand",
    "focus on",
    "give",
    "let",
    "should",
    "would",
    "could",
    "can you",
    "want",
    "need",
    "like",
    "a bit",
    "a little",
    "make the",
    "make every",
    "make each",
    "the deck",
    "first page",
    "second page",
    "third page",
    "last page",
    "every page",
    "each page",
    "first slide",
    "second slide",
    "last slide",
    "the title",
    "the cover",
    "shorten",
    "shorter",
    "longer",
    "simplify",
    "simpler",
    "condense",
    "reorder",
    "version",
];

/// Subjects that have a word of a change in them.
const SUBJECTS: &[&str] = &[
    "改革",
    "改良",
    "改造",
    "交换",
    "换算",
    "换元",
    "转换",
    "变换",
    "更年期",
    "climate change",
    "phase change",
    "social change",
];

/// What stands for them: a subject without such a word.
const SUBJECT: &str = "某某";

/// After these a clause says whom the deck is for.
const AUDIENCE: &[&str] = &[
    "面向", "适合", "针对", "对象", "受众", "听众", "给", " for ", "for ", "aimed at", "audience",
];

/// Words that say nothing of the subject.
const ASIDES: &[&str] = &[
    "帮我",
    "请",
    "麻烦",
    "做一份",
    "做一个",
    "做个",
    "做一套",
    "生成一份",
    "生成一个",
    "生成",
    "制作一份",
    "制作一个",
    "制作",
    "来一份",
    "来一个",
    "写一份",
    "写一个",
    "课件",
    "教案",
    "ppt",
    "主题",
    "页",
    "张",
    "共",
    "一共",
    "总共",
    "大概",
    "大约",
    "左右",
    "最多",
    "至少",
    "不超过",
    "以内",
    "之内",
    "要",
    "的",
    "是",
    "有",
    "和",
    "与",
    "也",
    "能",
    "懂",
    "a",
    "an",
    "the",
    "of",
    "and",
    "or",
    "with",
    "in",
    "on",
    "to",
    "pages",
    "page",
    "slide",
    "minute",
    "min",
    "please",
    "max",
    "about",
    "around",
    "deck",
    "presentation",
    "grade",
    "total",
    "up",
    "at",
    "most",
    "least",
];

/// Letters that name something.
const SUBJECT_LETTERS: usize = 3;

/// Words of small talk. What is left of a message without them, and without the particles, tells whether it is nothing else.
const SMALL_TALK: &[&str] = &[
    "你好",
    "您好",
    "大家好",
    "哈喽",
    "嗨",
    "早上好",
    "上午好",
    "中午好",
    "下午好",
    "晚上好",
    "早安",
    "晚安",
    "谢谢",
    "多谢",
    "感谢",
    "辛苦了",
    "再见",
    "拜拜",
    "在吗",
    "在么",
    "你是谁",
    "你叫什么名字",
    "你叫什么",
    "你能做什么",
    "你会什么",
    "你会做什么",
    "你可以做什么",
    "讲个笑话",
    "说个笑话",
    "吃了吗",
    "天气怎么样",
    "天气如何",
    "今天",
    "明天",
    "很好",
    "不错",
    "太棒了",
    "真棒",
    "好的",
    "收到",
    "知道了",
    "哈哈",
    "测试一下",
    "how are you doing",
    "how are you",
    "how's it going",
    "what's up",
    "who are you",
    "what can you do",
    "what is your name",
    "what's your name",
    "tell me a joke",
    "good morning",
    "good afternoon",
    "good evening",
    "good night",
    "how is the weather",
    "what's the weather like",
    "what's the weather",
    "thank you",
    "thanks",
    "hello",
    "hey",
    "hi",
    "goodbye",
    "bye",
    "great",
    "nice",
    "cool",
    "awesome",
    "okay",
    "ok",
    "yes",
    "no",
    "lol",
    "haha",
    "test",
    "there",
    "today",
    "very much",
    "so much",
    "a lot",
];
const PARTICLES: &str = "呀啊吗呢吧哦哟嘿诶了的你您我很非常真";

pub(super) fn classify(said: Said<'_>) -> IntentOutput {
    let text = said.text.to_lowercase();
    let output = |intent, target: Option<Stage>, confidence, reason: &str| IntentOutput {
        intent,
        target: target.map(|stage| stage.name().to_owned()),
        confidence,
        by: "rules".to_owned(),
        reason: reason.to_owned(),
        reply: (intent == Intent::Irrelevant).then(|| reply(said).to_owned()),
    };
    if said.resumable && says_go_on(said.text) {
        let reason = "the message asks to go on with what stopped";
        return output(Intent::Resumption, None, 1.0, reason);
    }
    if is_small_talk(&text) {
        // Sources without words are a request of their own.
        if said.has_sources && text.trim().is_empty() {
            return output(
                Intent::Initial,
                None,
                0.8,
                "only sources were sent: a deck is made from them",
            );
        }
        return output(
            Intent::Irrelevant,
            None,
            1.0,
            "the message is small talk and asks for no deck",
        );
    }
    if !said.refinable {
        return output(
            Intent::Initial,
            None,
            1.0,
            "nothing has been made yet that could be changed",
        );
    }
    if said
        .before
        .iter()
        .any(|before| before.trim() == said.text.trim())
        && touched(&text).is_none()
    {
        return output(
            Intent::Initial,
            None,
            0.8,
            "the message repeats an earlier request",
        );
    }
    let asks_anew = has(&text, NEW_TOPIC) || (has(&text, REQUESTS) && has(&text, ABOUT));
    if asks_anew || names_a_topic(&text) {
        return output(
            Intent::Initial,
            None,
            0.9,
            "the message asks for a deck about something new",
        );
    }
    if let Some(stage) = touched(&text) {
        let reason = format!(
            "the message is feedback; the earliest stage it touches is `{}`",
            stage.name()
        );
        return output(Intent::Refinement, Some(stage), 0.9, &reason);
    }
    if has(&text, CHANGES) || wish::names_a_page(&text) {
        return output(
            Intent::Refinement,
            Some(Stage::Slides),
            0.6,
            "the message asks for a change and names nothing earlier than the pages",
        );
    }
    output(
        Intent::Initial,
        None,
        0.6,
        "the message has no word of a change, so it names a new topic",
    )
}

/// Whether a message reads as a request of its own, such as "Tides for beginners, 8 pages": it has a subject, and no word of
/// feedback. Words about length, audience and content are part of such a request; those about looks and texts are so only
/// behind a subject that stands by itself.
fn names_a_topic(text: &str) -> bool {
    let mut text = text.to_owned();
    for word in SUBJECTS {
        text = text.replace(word, SUBJECT);
    }
    if has(&text, CHANGES) || has(&text, FEEDBACK) || wish::names_a_page(&text) {
        return false;
    }
    let separators = [',', '，', '.', '。', ';', '；', '!', '！', '、', '\n'];
    let mut clauses = text
        .split(separators)
        .filter(|clause| !is_small_talk(clause));
    if !is_of_looks_or_texts(&text) {
        return clauses.any(has_subject);
    }
    let is_specified = wish::pages(&text).is_some()
        || wish::minutes(&text).is_some()
        || AUDIENCE.iter().any(|word| text.contains(word));
    let first = clauses.next().unwrap_or_default();
    is_specified && !is_of_looks_or_texts(first) && has_subject(first)
}

/// Whether a text has a word of what is made from the outline on.
fn is_of_looks_or_texts(text: &str) -> bool {
    let late = TOUCHES
        .iter()
        .filter(|(stage, _)| !matches!(stage, Stage::Config | Stage::Outline));
    late.into_iter().any(|(_, words)| has(text, words))
}

fn has(text: &str, words: &[&str]) -> bool {
    words.iter().any(|word| stands_in(text, word))
}

/// Whether anything is left of a clause without whom it is for, how long it is, and words that are about any deck.
fn has_subject(clause: &str) -> bool {
    let ends = AUDIENCE.iter().filter_map(|word| clause.find(word));
    let clause = &clause[..ends.min().unwrap_or(clause.len())];
    let touching = TOUCHES.iter().flat_map(|(_, words)| *words);
    let left = without(clause, touching.chain(ASIDES).chain(SMALL_TALK));
    let letters = left.chars().filter(|c| c.is_alphabetic());
    // A Chinese character is about a syllable.
    let letters: usize = letters.map(|c| if c.is_ascii() { 1 } else { 2 }).sum();
    letters >= SUBJECT_LETTERS
}

/// The earliest stage that feedback touches.
fn touched(text: &str) -> Option<Stage> {
    if wish::pages(text).is_some() {
        return Some(Stage::Config);
    }
    TOUCHES
        .iter()
        .find(|(_, words)| has(text, words))
        .map(|(stage, _)| *stage)
}

/// Whether nothing is left of a message without greetings and thanks.
fn is_small_talk(text: &str) -> bool {
    !without(text, SMALL_TALK)
        .chars()
        .any(|c| c.is_alphanumeric() && !PARTICLES.contains(c))
}

/// A text with blanks for these words, the longest ones first.
fn without<'a>(text: &str, words: impl IntoIterator<Item = &'a &'a str>) -> String {
    let mut words: Vec<&str> = words.into_iter().copied().collect();
    words.sort_by_key(|word| std::cmp::Reverse(word.len()));
    let mut left = text.to_owned();
    for word in words {
        while let Some(at) = find_alone(&left, word) {
            left.replace_range(at..at + word.len(), " ");
        }
    }
    left
}

fn find_alone(text: &str, word: &str) -> Option<usize> {
    let joined = |c: Option<char>| c.is_some_and(|c| c.is_ascii_alphanumeric());
    text.match_indices(word).map(|(at, _)| at).find(|&at| {
        !word.is_ascii()
            || !(joined(text[..at].chars().next_back())
                || joined(text[at + word.len()..].chars().next()))
    })
}

/// What a greeting is answered with.
fn reply(said: Said<'_>) -> &'static str {
    match (said.chinese, said.refinable) {
        (true, false) => {
            "你好！我可以把一个主题做成带讲稿的教学课件。告诉我主题、受众和页数就能开始，例如“光合作用入门，面向初三学生，8 页”；也可以附上资料，我会依据资料来写。"
        }
        (true, true) => {
            "你好！当前的课件还在。想改哪里直接说，例如“大纲精简一些”“换成蓝色主题”“多加配图”；想做新的，告诉我新主题就行。"
        }
        (false, false) => {
            "Hello! I turn a topic into a teaching deck with narration. Tell me the topic, the audience and the number of pages, for \
             example \"Photosynthesis for beginners, 8 pages\"; you can also attach a source text, and I will work from it."
        }
        (false, true) => {
            "Hello! Your deck is still here. Tell me what to change, for example \"shorten the outline\", \"use a blue theme\" or \
             \"more pictures\"; for a new deck, just name a new topic."
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn with_deck(text: &str) -> (Intent, Option<String>) {
        let before = ["光合作用入门，面向初三学生，8 页"];
        let said = Said {
            text,
            before: &before,
            refinable: true,
            resumable: false,
            has_sources: false,
            chinese: true,
        };
        let output = classify(said);
        (output.intent, output.target)
    }

    fn fresh(text: &str) -> Intent {
        classify(Said {
            text,
            before: &[],
            refinable: false,
            resumable: false,
            has_sources: false,
            chinese: true,
        })
        .intent
    }

    #[test]
    fn feedback_goes_to_the_earliest_stage_it_touches() {
        for (text, target) in [
            ("more images on the slides", Stage::Slides),
            ("visual polish", Stage::Slides),
            ("增加配图", Stage::Slides),
            ("视觉优化一下", Stage::Slides),
            ("outline too complex", Stage::Outline),
            ("shorten it", Stage::Outline),
            ("大纲太复杂", Stage::Outline),
            ("内容缩减", Stage::Outline),
            ("change the audience to beginners", Stage::Config),
            ("受众改成初学者", Stage::Config),
            ("more professional style", Stage::Theme),
            ("风格再专业一点", Stage::Theme),
            ("换成蓝色", Stage::Theme),
            ("only 4 pages and a black theme", Stage::Config),
            ("只要4页，黑色主题", Stage::Config),
            ("第3页的图片换一下", Stage::Slides),
            ("口播稿再口语一点", Stage::Scripts),
            ("再改改", Stage::Slides),
            ("8 页", Stage::Config),
            ("8页就好", Stage::Config),
            ("压缩到6页", Stage::Config),
            ("面向高中生", Stage::Config),
            ("for beginners", Stage::Config),
            ("about 8 slides, please", Stage::Config),
            ("整体不错，8 页，蓝色主题", Stage::Config),
            ("内容很好，8 页，蓝色主题", Stage::Config),
            ("重点讲光反应", Stage::Outline),
            ("补充重金属的内容", Stage::Outline),
            ("字体大一点", Stage::Theme),
            ("卡通风格", Stage::Theme),
            ("dark theme with large letters", Stage::Theme),
            ("第 3 页的图片不清楚", Stage::Slides),
            ("the pictures are blurred", Stage::Slides),
            ("第二页讲讲叶绿体", Stage::Slides),
            ("page 3 is wrong", Stage::Slides),
        ] {
            assert_eq!(
                with_deck(text),
                (Intent::Refinement, Some(target.name().to_owned())),
                "{text}"
            );
        }
    }

    #[test]
    fn something_new_starts_anew_even_where_a_deck_exists() {
        for text in [
            "帮我做一个关于牛顿第一定律的课件",
            "make a deck about tides, 6 pages",
            "换个话题，讲细胞分裂",
            "牛顿第一定律",
            "The French Revolution",
            "牛顿第一定律，面向初二学生，6 页",
            "牛顿第一定律，面向初二学生，6 页，蓝色主题",
            "帮我生成一个牛顿第一定律的PPT，6页",
            "细胞的结构与功能",
            "太阳系入门，8 页",
            "第一次世界大战，适合高中生，20 分钟",
            "改革开放，面向高一学生，10 页",
            "谢谢，另外还想讲分数的意义，8 页",
            "The structure of DNA",
            "Tides for beginners, 8 pages",
            "Climate change for grade 9, 8 pages with many charts",
        ] {
            assert_eq!(with_deck(text), (Intent::Initial, None), "{text}");
        }
    }

    #[test]
    fn where_nothing_was_made_everything_but_small_talk_is_new() {
        for text in [
            "光合作用入门，面向初三学生，8 页",
            "大纲太复杂",
            "更专业一点",
            "tides",
            "你好，请做一份光合作用的课件",
            "天气与气候",
        ] {
            assert_eq!(fresh(text), Intent::Initial, "{text}");
        }
        for text in [
            "你好",
            "您好！",
            "hi",
            "Hello there!",
            "谢谢你",
            "你是谁？",
            "今天天气怎么样",
            "How are you?",
            "ok",
            "",
            "。。。",
            "👍",
        ] {
            assert_eq!(fresh(text), Intent::Irrelevant, "{text}");
        }
        assert_eq!(with_deck("谢谢，很好！").0, Intent::Irrelevant);
    }

    #[test]
    fn small_talk_is_answered_in_the_language_of_the_run() {
        let said = Said {
            text: "hi",
            before: &[],
            refinable: false,
            resumable: false,
            has_sources: false,
            chinese: false,
        };
        assert!(
            classify(said)
                .reply
                .is_some_and(|reply| reply.starts_with("Hello!"))
        );
        assert!(
            classify(Said {
                chinese: true,
                ..said
            })
            .reply
            .is_some_and(|reply| reply.starts_with("你好"))
        );
    }

    #[test]
    fn going_on_is_meant_only_where_something_stopped() {
        let classified = |text, resumable| {
            let said = Said {
                text,
                before: &["光合作用入门，8 页"],
                refinable: true,
                resumable,
                has_sources: false,
                chinese: true,
            };
            classify(said).intent
        };
        for text in ["继续", "请继续！", "重试。", "Try again"] {
            assert_eq!(classified(text, true), Intent::Resumption, "{text}");
            assert_ne!(classified(text, false), Intent::Resumption, "{text}");
        }
        assert_ne!(classified("继续增加配图", true), Intent::Resumption);
    }
}
