//! What a message says about topic and audience, read by rules.

use domain::carry::Work;
use domain::pipelines::course::intent::TOPIC_BECOMES;
use domain::pipelines::course::shape::CourseInput;
use domain::pipelines::course::tone::stands_in;
use spec::text::clean;

use super::markdown::Doc;
use super::prose::{bare, fit, fits, must_fit};

/// The longest topic: an opening title holds it.
const TOPIC_EM: u32 = spec::limits::OPENING_TITLE_EM;
/// The longest audience, in em.
const AUDIENCE_EM: u32 = 20;

const CLAUSE_ENDS: [char; 12] = [
    '，', ',', '。', '；', ';', '！', '!', '？', '?', '\n', '（', '(',
];

/// What a clause may begin with before its topic, longest first within a family.
const OPENINGS: &[&str] = &[
    "请帮我",
    "麻烦帮我",
    "请你",
    "请",
    "帮我",
    "给我",
    "我想要",
    "我想",
    "我要",
    "我们要",
    "想要",
    "需要",
    "麻烦",
    "换个话题",
    "换个主题",
    "制作",
    "生成",
    "创建",
    "准备",
    "设计",
    "编写",
    "写",
    "做",
    "来",
    "出",
    "一份",
    "一个",
    "一套",
    "一堂",
    "一节",
    "一门",
    "份",
    "个",
    "套",
    "关于",
    "有关",
    "讲解",
    "介绍",
    "讲讲",
    "讲一下",
    "讲",
    "主题是",
    "主题为",
    "主题：",
    "主题:",
    "课题是",
    "课题：",
    "：",
    ":",
    "的",
    "please",
    "can you",
    "could you",
    "i want",
    "i need",
    "i would like",
    "make me",
    "make",
    "create",
    "build",
    "generate",
    "prepare",
    "write",
    "give me",
    "design",
    "a ",
    "an ",
    "the ",
    "short",
    "new",
    "deck",
    "presentation",
    "slide deck",
    "slides",
    "lesson",
    "course",
    "talk",
    "introduction to",
    "about",
    "on ",
    "to ",
    "explaining",
    "introducing",
    "teaching",
    "covering",
    "of ",
    "pages",
    "page",
];
/// What a clause may end with after its topic.
const ENDINGS: &[&str] = &[
    "的教学课件",
    "教学课件",
    "的课件",
    "课件",
    "的ppt",
    "ppt",
    "的幻灯片",
    "幻灯片",
    "的演示文稿",
    "演示文稿",
    "的讲解视频",
    "讲解视频",
    "的微课",
    "微课",
    "的课程",
    "的教程",
    "这一课",
    "一课",
    "的",
    "deck",
    "presentation",
    "slides",
    "lesson",
    "please",
];
/// Words of a message that points at its sources instead of naming a topic.
const POINTS_AT_SOURCE: &[&str] = &[
    "资料",
    "文档",
    "附件",
    "文件",
    "原文",
    "这篇",
    "这份",
    "上传",
    "attached",
    "attachment",
    "this text",
    "this document",
    "the source",
    "this file",
];

const PERSONS: &[&str] = &[
    "学生",
    "初学者",
    "者",
    "人员",
    "新人",
    "老师",
    "教师",
    "家长",
    "孩子",
    "儿童",
    "小朋友",
    "年级",
    "员工",
    "同事",
    "工程师",
    "大众",
    "新手",
    "小白",
    "观众",
    "干部",
    "群众",
    "同学",
    "读者",
    "爱好者",
    "初一",
    "初二",
    "初三",
    "高一",
    "高二",
    "高三",
    "小学",
    "初中",
    "高中",
    "大学",
    "研究生",
    "零基础",
    "团队",
    "客户",
    "管理层",
    "student",
    "students",
    "beginner",
    "beginners",
    "kids",
    "children",
    "teacher",
    "teachers",
    "engineer",
    "engineers",
    "pupils",
    "adults",
    "people",
    "learners",
    "experts",
    "employees",
    "graders",
    "grade",
    "class",
    "parents",
    "freshmen",
    "managers",
    "public",
    "seniors",
    "juniors",
    "developers",
    "newcomers",
    "teenagers",
    "audience",
    "undergraduates",
];

/// What the deck is about: named in the message, else the title of the source.
pub(super) fn topic(work: &Work, doc: &Doc) -> String {
    let title = || {
        doc.sections
            .iter()
            .find(|section| section.level > 0 && !section.title.is_empty())
            .map(|s| s.title.clone())
    };
    let untitled = if work.is_chinese() {
        "未命名主题"
    } else {
        "Untitled topic"
    };
    let lower = work.brief.to_lowercase();
    let points = POINTS_AT_SOURCE.iter().any(|word| stands_in(&lower, word));
    let said = if points && doc.has_text() {
        None
    } else {
        said_topic(&work.brief)
    };
    let topic = said
        .or_else(title)
        .or_else(|| said_topic(&work.brief))
        .unwrap_or_else(|| untitled.to_owned());
    must_fit(&topic, TOPIC_EM, untitled)
}

fn said_topic(brief: &str) -> Option<String> {
    for (open, close) in [('《', '》'), ('「', '」'), ('“', '”'), ('"', '"')] {
        let quoted = brief
            .split_once(open)
            .and_then(|(_, rest)| rest.split_once(close))
            .map(|(inside, _)| inside.trim());
        if let Some(quoted) = quoted.filter(|quoted| !quoted.is_empty() && fits(quoted, TOPIC_EM)) {
            return Some(clean(quoted));
        }
    }
    let clauses = brief
        .split(CLAUSE_ENDS)
        .map(str::trim)
        .filter(|clause| !clause.is_empty());
    clauses
        .map(stripped)
        .find(|topic| topic.chars().filter(|c| c.is_alphabetic()).count() >= 2)
}

/// A clause without the words of the request around its topic.
fn stripped(clause: &str) -> String {
    let mut text = without_counts(&without_audience(clause));
    loop {
        let before = text.clone();
        let lower = text.to_lowercase();
        if lower.len() == text.len() {
            let latin_goes_on = |word: &str| {
                word.ends_with(|c: char| c.is_ascii_alphabetic())
                    && lower
                        .get(word.len()..)
                        .unwrap_or_default()
                        .starts_with(|c: char| c.is_ascii_alphanumeric() || c == '-')
            };
            if let Some(word) = TOPIC_BECOMES
                .iter()
                .chain(OPENINGS)
                .find(|word| lower.starts_with(*word) && !latin_goes_on(word))
            {
                text = text.get(word.len()..).unwrap_or_default().trim().to_owned();
                continue;
            }
            if let Some(word) = ENDINGS.iter().find(|word| lower.ends_with(*word)) {
                text = text
                    .get(..text.len() - word.len())
                    .unwrap_or_default()
                    .trim()
                    .to_owned();
                continue;
            }
        }
        if text == before {
            return clean(bare(&text));
        }
    }
}

/// Without `8 页的`, `10-page`, `20 分钟`.
fn without_counts(clause: &str) -> String {
    let mut text = clause.to_owned();
    for unit in [
        "页的",
        "页",
        "分钟的",
        "分钟",
        "张幻灯片的",
        "-page",
        "-minute",
        " pages",
        " slides",
        " minutes",
        "-slide",
    ] {
        while let Some(at) = text.find(unit) {
            let number =
                |c: &char| c.is_ascii_digit() || "一二两三四五六七八九十百- ~–到至".contains(*c);
            let taken: usize = text[..at]
                .chars()
                .rev()
                .take_while(number)
                .map(char::len_utf8)
                .sum();
            if taken == 0 {
                break;
            }
            text.replace_range(at - taken..at + unit.len(), " ");
        }
    }
    let text = text
        .trim()
        .trim_end_matches(" in")
        .trim_end_matches(" with");
    text.to_owned()
}

/// Without `给初三学生讲`, `面向大众的`, `for beginners`.
fn without_audience(clause: &str) -> String {
    let Some((marker, audience)) = said_audience_with_marker(clause) else {
        return clause.to_owned();
    };
    let phrase = format!("{marker}{audience}");
    let Some(at) = clause.find(&phrase) else {
        return clause.to_owned();
    };
    let rest = clause[at + phrase.len()..]
        .trim_start_matches(['的', '讲', '看', '听', '做', '上', '学', ' ']);
    let before = clause[..at].trim();
    if before.is_empty() || rest.is_empty() {
        format!("{before}{rest}")
    } else {
        format!("{before} {rest}")
    }
}

/// Who is taught, by the latest message that names anybody; of one message the input wins.
pub(super) fn audience(work: &Work) -> Option<String> {
    let said = |text: &str, input: &serde_json::Value| {
        let input: CourseInput = serde::Deserialize::deserialize(input).unwrap_or_default();
        input.audience.or_else(|| said_audience(text))
    };
    let mut changes = work.changes.iter().rev();
    let audience = changes
        .find_map(|change| said(&change.text, &change.input))
        .or_else(|| said(&work.brief, &work.input))?;
    fit(&audience, AUDIENCE_EM)
}

pub(super) fn said_audience(text: &str) -> Option<String> {
    text.split(CLAUSE_ENDS)
        .find_map(said_audience_with_marker)
        .map(|(_, audience)| clean(&audience))
}

fn said_audience_with_marker(clause: &str) -> Option<(&'static str, String)> {
    const MARKERS: &[&str] = &[
        "受众改成",
        "受众改为",
        "受众换成",
        "受众是",
        "受众为",
        "受众：",
        "对象改成",
        "对象是",
        "对象：",
        "面向的是",
        "面向",
        "针对",
        "适合",
        "讲给",
        "给",
        "受众",
        "audience to ",
        "audience is ",
        "audience: ",
        "aimed at ",
        "suitable for ",
        "intended for ",
        "for ",
    ];
    MARKERS.iter().find_map(|marker| {
        let rest = clause.split_once(marker)?.1;
        let stop = [
            "的",
            "讲",
            "听",
            "看",
            "做",
            "上课",
            "使用",
            "介绍",
            "学习",
            " in ",
            " with ",
            " about ",
            " on ",
            " of about",
            " and a ",
            " who ",
        ];
        let end = stop
            .iter()
            .filter_map(|word| rest.find(word))
            .min()
            .unwrap_or(rest.len());
        let audience = rest[..end].trim().trim_end_matches('用');
        let lower = audience.to_lowercase();
        let person = PERSONS.iter().any(|word| stands_in(&lower, word));
        (person && fits(audience, AUDIENCE_EM)).then(|| (*marker, audience.to_owned()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_topic_is_found_among_the_words_of_the_request() {
        for (brief, topic) in [
            ("光合作用入门，面向初三学生，8 页", "光合作用入门"),
            ("请帮我做一份关于牛顿第一定律的课件，10 页", "牛顿第一定律"),
            ("给初三学生讲光合作用", "光合作用"),
            ("做一个面向大众的《黑洞简史》PPT", "黑洞简史"),
            (
                "Make a 10-page deck about tides for grade 9 students",
                "tides",
            ),
            (
                "An introduction to photosynthesis, 8 pages",
                "photosynthesis",
            ),
            ("photosynthesis for beginners, 8 pages", "photosynthesis"),
            ("The French Revolution", "French Revolution"),
            ("二次函数", "二次函数"),
        ] {
            assert_eq!(said_topic(brief).as_deref(), Some(topic), "{brief}");
        }
    }

    #[test]
    fn an_audience_is_people() {
        for (brief, audience) in [
            ("光合作用入门，面向初三学生，8 页", Some("初三学生")),
            ("给初三学生讲光合作用", Some("初三学生")),
            ("受众改成初学者", Some("初学者")),
            ("change the audience to beginners", Some("beginners")),
            (
                "a deck about tides for grade 9 students in 8 pages",
                Some("grade 9 students"),
            ),
            ("给我做一份课件", None),
            ("a plan for growth", None),
        ] {
            assert_eq!(said_audience(brief).as_deref(), audience, "{brief}");
        }
    }
}
