//! How a message is meant, by rules: small talk, something new, or a change and the earliest stage it touches.

mod words;

pub use self::words::TOPIC_BECOMES;
use self::words::{
    ABOUT, ASIDES, AUDIENCE, CHANGES, FEEDBACK, NEW_TOPIC, PARTICLES, REQUESTS, SMALL_TALK,
    SUBJECT, SUBJECTS, TOUCHES,
};
use super::stage::Stage;
use super::tone::{CLAUSE_ENDS, find_alone, stands_in};
use super::wish;
use crate::carry::{IntentOutput, Work};
use crate::event::Intent;
use crate::session::Speaker;
use crate::text::says_go_on;

/// What the rules look at.
#[derive(Clone, Copy, Debug)]
pub(super) struct Utterance<'a> {
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
    classify(Utterance {
        text: &work.brief,
        before: &before,
        refinable: work.refinable.is_some(),
        resumable: work.resumable,
        has_sources: !work.sources.is_empty(),
        chinese: work.is_chinese(),
    })
}

/// Letters that name something.
const SUBJECT_LETTERS: usize = 3;

pub(super) fn classify(said: Utterance<'_>) -> IntentOutput {
    let text = said.text.to_lowercase();
    let output = |intent, target: Option<Stage>, confidence, reason: &str| IntentOutput {
        intent,
        target: target.map(|stage| stage.name().into()),
        confidence,
        by: "rules".to_owned(),
        reason: reason.to_owned(),
        reply: (intent == Intent::Irrelevant).then(|| reply(said).to_owned()),
    };
    if says_go_on(said.text) {
        if said.resumable {
            let reason = "the message asks to go on with what stopped";
            return output(Intent::Resumption, None, 1.0, reason);
        }
        let reason = "the message asks to go on, and nothing has stopped";
        return output(Intent::Irrelevant, None, 0.9, reason);
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
    if asks_anew || changes_the_topic(&text) || names_a_topic(&text) {
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
    if has(&text, CHANGES) || has(&text, FEEDBACK) || wish::names_a_page(&text) {
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
        "the message has no word of a change or a judgement, so it names a new topic",
    )
}

/// Whether a message says what the deck is to be about from now on, and not how it is to look.
fn changes_the_topic(text: &str) -> bool {
    TOPIC_BECOMES
        .iter()
        .filter_map(|words| text.split_once(words))
        .filter_map(|(_, topic)| topic.split(CLAUSE_ENDS).next())
        .any(|topic| touched(topic).is_none() && has_subject(topic))
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
    let mut clauses = text
        .split(|c| c == '.' || CLAUSE_ENDS.contains(&c))
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

/// Whether a text has a word of what is made after the outline.
fn is_of_looks_or_texts(text: &str) -> bool {
    TOUCHES
        .iter()
        .any(|(stage, words)| !matches!(stage, Stage::Config | Stage::Outline) && has(text, words))
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

/// What a greeting is answered with.
fn reply(said: Utterance<'_>) -> &'static str {
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
    use smol_str::SmolStr;

    use super::*;

    fn with_deck(text: &str) -> (Intent, Option<SmolStr>) {
        let before = ["光合作用入门，面向初三学生，8 页"];
        let said = Utterance {
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
        classify(Utterance {
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
            ("再详细一点", Stage::Outline),
            ("more detail, please", Stage::Outline),
            ("加一页总结", Stage::Config),
            ("删掉一页", Stage::Config),
            ("换个主题", Stage::Theme),
            ("主题换成科技感", Stage::Theme),
            ("能不能导出PDF", Stage::Slides),
            ("感觉不对", Stage::Slides),
        ] {
            assert_eq!(
                with_deck(text),
                (Intent::Refinement, Some(target.name().into())),
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
            "换个主题，讲细胞分裂",
            "主题换成细胞分裂",
            "change the topic to cell division",
            "深入理解计算机系统",
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
        let said = Utterance {
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
            classify(Utterance {
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
            let said = Utterance {
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
            assert_eq!(classified(text, false), Intent::Irrelevant, "{text}");
        }
        assert_ne!(classified("继续增加配图", true), Intent::Resumption);
    }
}
