//! What a message asks for that can be done without a model: a subject, readers, and which sections in which order.

use std::ops::Range;

use domain::carry::Work;
use domain::text::stands_in;
use spec::text::em_width;
use words::is_han;

use crate::source::{Material, Unit};

const CLAUSE_ENDS: [char; 13] = [
    '，', ',', '。', '；', ';', '！', '!', '？', '?', '\n', '（', '(', '：',
];

/// The words of a request before and after its subject.
const BEFORE: &str = "请|帮我|帮忙|麻烦|给我|我想要|我想|我要|我们要|想要|需要|制作|生成|创建|创作|准备|设计|编写|写|做|来|出|发|一份|一个|一套|一堂|\
    一节|一门|一篇|一条|份|个|套|篇|关于|有关|讲解|介绍|讲讲|讲一下|讲|主题是|主题为|课题是|换个话题|换个主题|主题换成|主题改成|小红书|的|please |\
    can you |could you |i want |i need |i would like |make me |make |create |build |generate |prepare |write |draft |give me |design |a |\
    an |the |short |new |deck |presentation |slide deck |slides |lesson |course |talk |post |note |social media |social |\
    introduction to |about |on |to |of |explaining |introducing |teaching |covering ";
const BEHIND: &str = "的教学课件|教学课件|的课件|课件|的ppt|ppt|的幻灯片|幻灯片|的演示文稿|演示文稿|的讲解视频|讲解视频|的微课|微课|的课程|\
    这一课|小红书笔记|小红书|的笔记|笔记|文案|帖子|的| deck| presentation| slides| lesson| please| post| note";
/// What a count is of.
const COUNTED: &str =
    "页的|页|分钟的|分钟|张幻灯片的|张幻灯片|-page|-minute|-slide| pages| slides| minutes";
/// Words before the readers.
const FOR: &str = "受众改成|受众改为|受众换成|受众是|受众为|受众：|面向|针对|写给|适合|给|for ";
/// Words that point at a source; a message with them names no subject.
const POINTS: &str = "资料|文档|附件|文件|原文|这篇|这份|上传|attached|attachment|this text|this document|the source|this file";

/// The messages of the run, the latest last.
pub fn said(work: &Work) -> Vec<&str> {
    let changes = work.changes.iter().map(|change| change.text.as_str());
    [work.brief.as_str()].into_iter().chain(changes).collect()
}

/// The place at which a word of a list stands in a text, in lower case, as a separate word.
fn place(text: &str, list: &str) -> Option<usize> {
    let found = list.split('|').filter(|word| stands_in(text, word));
    found.filter_map(|word| text.find(word)).min()
}

/// Whether a text has one of these words, divided by bars.
pub fn says(text: &str, list: &str) -> bool {
    let text = text.to_lowercase();
    list.split('|').any(|word| text.contains(word))
}

/// The parts of a message between commas and stops.
pub fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(CLAUSE_ENDS).flat_map(|part| part.split(". "));
    let parts = parts.map(|part| part.trim().trim_end_matches('.'));
    parts.filter(|part| !part.is_empty())
}

/// The subject that a message names, in its own words; `None` if it names no subject of at most this width.
pub fn topic(message: &str, em: u32) -> Option<String> {
    let fits = |text: &&str| !text.is_empty() && em_width(text) <= em as f32;
    let quoted = message.split_once(['《', '「', '“']);
    let quoted = quoted.and_then(|(_, rest)| rest.split_once(['》', '」', '”']));
    if let Some(inside) = quoted.map(|(inside, _)| inside.trim()).filter(fits) {
        return Some(inside.to_owned());
    }
    if says(message, POINTS) {
        return None;
    }
    let mut named = clauses(message).map(|clause| bare(&without_counts(clause)));
    let is_name = |topic: &String| topic.chars().filter(|c| c.is_alphabetic()).count() > 1;
    named.find(is_name).filter(|topic| fits(&topic.as_str()))
}

/// A clause without the words of the request around its subject.
fn bare(clause: &str) -> String {
    let (mut text, _) = clause.split_once(" for ").unwrap_or((clause, ""));
    loop {
        let lower = text.to_lowercase();
        let begins = BEFORE.split('|').find(|word| lower.starts_with(word));
        let ends = BEHIND.split('|').find(|word| lower.ends_with(word));
        let (begins, ends) = (begins.map_or(0, str::len), ends.map_or(0, str::len));
        match text.get(begins..text.len().saturating_sub(ends)) {
            Some(rest) if rest.trim().len() < text.len() => text = rest.trim(),
            Some(_) | None => return text.trim_matches(['：', ':']).to_owned(),
        }
    }
}

/// The text without counts such as `8 页的`, `10-page`, `20 分钟`.
fn without_counts(clause: &str) -> String {
    let mut text = clause.to_owned();
    let is_number = |c: char| c.is_ascii_digit() || "一二两三四五六七八九十百- ~–到至".contains(c);
    for unit in COUNTED.split('|') {
        let Some(at) = text.find(unit) else { continue };
        let start = text[..at].trim_end_matches(is_number).len();
        if start < at {
            text.replace_range(start..at + unit.len(), " ");
        }
    }
    text
}

/// The readers that a message names.
pub fn audience(message: &str) -> Option<String> {
    let mut named = clauses(message).filter_map(|clause| {
        let clause = format!(" {clause}");
        let behind = |word: &str| clause.split_once(&format!(" {word}"));
        let (_, rest) = FOR.split('|').find_map(behind)?;
        Some(rest.trim().trim_end_matches(['看', '的']).to_owned())
    });
    named.find(|named| named.starts_with(char::is_alphabetic))
}

/// Words for what is to be done with sections.
const WITHOUT: &str = "不要|去掉|删掉|删除|跳过|without|drop|remove|delete|leave out|except|skip";
const ONLY: &str = "只要|只讲|只保留|只用|仅|only|just";
const LAST: &str = "放到最后|放在最后|最后讲|at the end|last";
const FIRST: &str = "顺序|先讲|先|放到最前|order|first|before";
/// Words that ask for less.
const LESS: &str = "缩减|精简|简化|缩短|太长|太多|太复杂|少一点|少一些|shorter|shorten|condense|fewer|too long|too much|too complex";

/// The units that are wanted after this message, in their order. They are chosen from the units that were wanted before it.
pub fn wanted(message: &str, material: &Material, before: Vec<usize>) -> Vec<usize> {
    let text = message.to_lowercase();
    let named = |from: usize| named(&text[from..], material, &before);
    let others = |units: &[usize]| {
        let others = before.iter().filter(|unit| !units.contains(unit));
        others.copied().collect::<Vec<usize>>()
    };
    let wanted = match (place(&text, WITHOUT), place(&text, ONLY)) {
        (Some(at), _) => others(&named(at)),
        (None, Some(at)) => named(at),
        (None, None) if place(&text, LAST).is_some() => [others(&named(0)), named(0)].concat(),
        (None, None) if place(&text, FIRST).is_some() => [named(0), others(&named(0))].concat(),
        (None, None) => vec![],
    };
    let mut wanted = if wanted.is_empty() { before } else { wanted };
    if place(&text, LESS).is_some() {
        // The headings, and the first unit below each.
        let is_heading = |unit: usize| material.units[unit].level().is_some();
        let mut above = true;
        wanted.retain(|unit| std::mem::replace(&mut above, is_heading(*unit)) || above);
    }
    wanted
}

/// The units of the sections whose headings a text names, in the order in which it names them.
fn named(text: &str, material: &Material, among: &[usize]) -> Vec<usize> {
    let mut found: Vec<(Range<usize>, usize)> = vec![];
    for &unit in among {
        let name = material.units[unit].name().to_lowercase();
        let is_name = material.units[unit].level().is_some() && name.chars().count() > 1;
        let at = text.find(&name).filter(|_| is_name);
        found.extend(at.map(|at| (at..at + name.len(), unit)));
    }
    let holds = |one: &Range<usize>, other: &Range<usize>| {
        one != other && one.start <= other.start && other.end <= one.end
    };
    let is_own = |at: &Range<usize>| found.iter().all(|(other, _)| !holds(other, at));
    let mut named: Vec<_> = found.iter().filter(|(at, _)| is_own(at)).collect();
    named.sort_by_key(|(at, _)| at.start);
    let below = |(_, heading): &(Range<usize>, usize)| section(material, *heading);
    let units = named.into_iter().flat_map(below);
    units.filter(|unit| among.contains(unit)).collect()
}

/// A heading and the units below it; for any other unit, the unit alone.
pub fn section(material: &Material, unit: usize) -> Range<usize> {
    let own = material.units[unit].level();
    let is_below =
        |unit: &&Unit| own.is_some_and(|own| unit.level().is_none_or(|level| level > own));
    let below = material.units[unit + 1..].iter().take_while(is_below);
    unit..unit + 1 + below.count()
}

/// Words that show what a text is about: pairs of neighbouring Chinese characters, and Latin words of four letters or more.
pub fn terms(text: &str) -> Vec<String> {
    let is_chinese = |c: &char| is_han(*c);
    let lower: Vec<char> = text.to_lowercase().chars().collect();
    let pairs = lower.windows(2).filter(|pair| pair.iter().all(is_chinese));
    let latin = lower.split(|c| !c.is_alphanumeric() || is_chinese(c));
    let all = pairs.chain(latin.filter(|word| word.len() > 3));
    all.map(|word| word.iter().collect()).collect()
}
