//! What a message says: its subject, who it is for, what it is to achieve, and the rest of its clauses.

use domain::carry::Work;
use domain::pipelines::post::brief::{
    AUDIENCE, CONSTRAINTS_MAX, GOAL, KEYWORDS_MAX, NOT_SAID, POINTS_MAX, Phrase,
};
use domain::pipelines::post::card::fitted;
use domain::pipelines::post::heard::heard;
use domain::pipelines::post::shape::CreativeBrief;

use super::names;

/// Width of a subject, in em: half a title.
const TOPIC_EM: u32 = 14;
/// Width of any other entry of a brief, in em: a line or two.
const ENTRY_EM: u32 = 60;

const TONE: Phrase = Phrase {
    zh: "亲切自然",
    en: "friendly",
};
const CALL: Phrase = Phrase {
    zh: "欢迎在评论区补充你的经验。",
    en: "Tell us what you would add.",
};

/// What stands before a subject and is none, and behind it.
const BEFORE: &[&str] = &[
    "请",
    "帮我",
    "帮忙",
    "麻烦",
    "给我",
    "我想要",
    "我想",
    "我要",
    "想要",
    "写一篇",
    "写一条",
    "写一个",
    "写个",
    "写",
    "生成一篇",
    "生成一条",
    "生成一个",
    "生成",
    "创作一篇",
    "创作一条",
    "创作",
    "做一篇",
    "做一个",
    "做",
    "发一篇",
    "发一条",
    "出一篇",
    "一篇",
    "一条",
    "一个",
    "关于",
    "有关",
    "小红书",
    "的",
    "please ",
    "write ",
    "create ",
    "generate ",
    "draft ",
    "make ",
    "a ",
    "an ",
    "the ",
    "short ",
    "social media ",
    "social ",
    "xiaohongshu ",
    "post ",
    "note ",
    "about ",
    "on ",
];
const BEHIND: &[&str] = &[
    "小红书笔记",
    "小红书文案",
    "小红书帖子",
    "小红书",
    "笔记",
    "文案",
    "帖子",
    "内容",
    "的",
    " post",
    " note",
];
/// Kinds of posts at the end of a subject; what is before them is a word of its own.
const KINDS: &[&str] = &[
    "攻略", "教程", "指南", "推荐", "测评", "清单", "分享", "合集", "心得", " guide", " tips",
    " review",
];
/// What begins a clause about the readers, or about the purpose.
const FOR: &[&str] = &["面向", "写给", "适合", "针对", "给", "for "];
const TO: &[&str] = &[
    "为了",
    "目标是",
    "目的是",
    "希望",
    "想要",
    "to ",
    "so that ",
];
/// What begins a limit.
const LIMITS: &[&str] = &[
    "不要",
    "避免",
    "不超过",
    "控制",
    "别",
    "风格",
    "语气",
    "without",
    "avoid",
    "no ",
    "tone",
    "style",
];
/// Clauses that ask for no questions say nothing about the post.
const NOTHING: &[&str] = &[
    "直接生成",
    "不用问",
    "别问",
    "按默认",
    "自己发挥",
    "just generate",
    "don't ask",
];

pub(super) fn brief(work: &Work) -> CreativeBrief {
    let mut texts = vec![work.brief.clone()];
    let answers = heard(work);
    texts.extend(answers.iter().map(|heard| heard.said.clone()));
    texts.extend(
        work.earlier_changes()
            .iter()
            .map(|change| change.text.clone()),
    );
    let clauses: Vec<String> = texts.iter().flat_map(|text| clauses(text)).collect();
    let topic = clauses.iter().find_map(|clause| topic(clause));
    let topic = topic.unwrap_or_else(|| NOT_SAID.of(work).to_owned());
    // A clause that was asked for by name is about that.
    let named = |option: &str| {
        let mut answers = answers.iter();
        let answer = answers.find(|heard| heard.chose(option) && !heard.said.is_empty())?;
        (answer.selected.len() == 1)
            .then(|| fitted(&answer.said, ENTRY_EM))
            .flatten()
    };
    let audience = named("add_audience").or_else(|| behind(&clauses, FOR));
    let goal = named("add_goal").or_else(|| behind(&clauses, TO));
    let tone = named("add_style").unwrap_or_else(|| TONE.of(work).to_owned());
    let is_limit = |clause: &&String| names(clause, LIMITS);
    let mut constraints: Vec<String> = super::feedback(work).into_iter().collect();
    constraints.extend(clauses.iter().filter(is_limit).cloned());
    constraints.truncate(CONSTRAINTS_MAX);
    let told = |clause: &&String| {
        !is_limit(clause) && begins(clause, FOR).is_none() && begins(clause, TO).is_none()
    };
    let points = clauses.iter().skip(1).filter(told);
    CreativeBrief {
        keywords: keywords(&topic),
        audience: audience.unwrap_or_else(|| AUDIENCE.of(work).to_owned()),
        goal: goal.unwrap_or_else(|| GOAL.of(work).to_owned()),
        constraints,
        key_points: points.take(POINTS_MAX).cloned().collect(),
        call_to_action: CALL.of(work).to_owned(),
        banned_expressions: vec![],
        tone,
        topic,
        offline: true,
    }
}

/// The parts of a message that say something, one line each.
fn clauses(text: &str) -> Vec<String> {
    let ends = ['，', '。', '；', '！', '？', ',', ';', '!', '?', '\n', '：'];
    let parts = text.split(ends).flat_map(|part| part.split(". "));
    let parts = parts.filter_map(|part| fitted(part.trim().trim_end_matches('.'), ENTRY_EM));
    parts.filter(|part| !names(part, NOTHING)).collect()
}

fn topic(clause: &str) -> Option<String> {
    let mut rest = clause.trim();
    while let Some(shorter) = BEFORE.iter().find_map(|word| without(rest, word)) {
        rest = shorter.trim_start();
    }
    // Whom it is for is said elsewhere.
    if let Some((before, _)) = rest.split_once(" for ") {
        rest = before;
    }
    while let Some(shorter) = BEHIND.iter().find_map(|word| rest.strip_suffix(word)) {
        rest = shorter.trim_end();
    }
    let bare = rest.replace("小红书", "").replace("的攻略", "攻略");
    fitted(&bare, TOPIC_EM)
}

/// The text without this word at its beginning, whatever its case.
fn without<'a>(text: &'a str, word: &str) -> Option<&'a str> {
    let begin = text.get(..word.len())?;
    begin
        .eq_ignore_ascii_case(word)
        .then(|| &text[word.len()..])
        .filter(|rest| !rest.trim().is_empty())
}

/// What a clause says behind one of these words.
fn begins<'a>(clause: &'a str, words: &[&str]) -> Option<&'a str> {
    words.iter().find_map(|word| without(clause, word))
}

fn behind(clauses: &[String], words: &[&str]) -> Option<String> {
    let said = |clause: &String| {
        let at_start = begins(clause, words).map(str::to_owned);
        // Latin words stand inside a clause, too.
        let inside = || {
            let latin = words.iter().filter(|word| word.is_ascii());
            let mut found = latin.filter_map(|word| clause.split_once(&format!(" {word}")));
            found.next().map(|(_, rest)| rest.to_owned())
        };
        at_start.or_else(inside)
    };
    let said = clauses.iter().find_map(said)?;
    let said = said.trim().trim_end_matches('的');
    fitted(said, ENTRY_EM)
}

/// The words of a subject.
fn keywords(topic: &str) -> Vec<String> {
    let mut found: Vec<String> = vec![];
    let mut add = |word: &str| {
        let word = word.trim();
        if word.chars().count() > 1
            && !found.iter().any(|f| f == word)
            && found.len() < KEYWORDS_MAX
        {
            found.push(word.to_owned());
        }
    };
    for part in topic.split(['的', '和', '与', '、', '/', '｜', '|']) {
        match KINDS
            .iter()
            .find_map(|kind| Some((part.strip_suffix(kind)?, kind)))
        {
            Some((before, kind)) => {
                add(before);
                add(kind);
            }
            None => add(part),
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_is_what_is_left_of_the_first_clause() {
        for (said, wanted) in [
            ("帮我写一篇春游的小红书攻略", "春游攻略"),
            ("写一篇关于咖啡的笔记", "咖啡"),
            ("Please write a post about spring outings", "spring outings"),
            ("A short guide for beginners", "guide"),
        ] {
            assert_eq!(topic(said).as_deref(), Some(wanted), "{said}");
        }
    }

    #[test]
    fn keywords_are_the_parts_of_the_subject() {
        assert_eq!(keywords("春游攻略"), ["春游", "攻略"]);
        assert_eq!(keywords("咖啡和茶"), ["咖啡"]);
    }

    #[test]
    fn clauses_that_ask_for_no_questions_are_left_out() {
        assert_eq!(
            clauses("春游，面向上班族，直接生成！"),
            ["春游", "面向上班族"]
        );
        assert_eq!(
            behind(&clauses("春游，面向上班族"), FOR).as_deref(),
            Some("上班族")
        );
        assert_eq!(
            behind(&clauses("Tips for parents, no jokes"), FOR).as_deref(),
            Some("parents")
        );
    }
}
