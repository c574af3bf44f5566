//! What a message asks of a post. An instruction stays an instruction: its words never become part of the text.

use domain::carry::Work;
use domain::pipelines::post::brief::{CONSTRAINTS_MAX, KEYWORDS_MAX, NOT_SAID, POINTS_MAX};
use domain::pipelines::post::heard::heard;
use domain::pipelines::post::shape::CreativeBrief;
use domain::pipelines::post::stage::BRIEF;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::wishes::{audience, clauses, said, says, topic};
use crate::words::TONE;
use spec::text::em_width;
use words::sentences::sentences;

/// Widths of a subject, in em: that of a title, else that of a sentence.
const TOPIC_EM: [u32; 2] = [20, 60];
/// Characters of an entry, as the stage takes them.
const ENTRY_CHARS: usize = 200;

/// Words that mark a limit, and words that mark a request.
const LIMITS: &str = "不要|避免|不超过|控制|别|不提|以内|字数|风格|语气|without|avoid|no |tone|style|under |at most|not more than|don't|\
    do not|characters|words|字|emoji|表情";
const REQUESTS: &str = "请|帮我|写|做|生成|发一|创作|直接|不用问|按默认|小红书|please|write|create|make|generate|draft|just |post|note|title|标题";
const GOALS: &str = "为了|目标是|目的是|希望|to |so that ";
/// Words that stand before something that must not be named.
const BANS: &str = "不要提|别提|不提|不要出现|do not mention |don't mention |never mention ";
/// Names of kinds of posts at the end of a subject; the text before such a name is a keyword of its own.
const KINDS: &str = "攻略|教程|指南|推荐|测评|清单|分享|合集|心得| guide| tips| review";

/// The brief of the run; without one, a brief that is made from the message, as in fast mode.
pub(crate) fn brief_of(work: &Work) -> Option<CreativeBrief> {
    let made = work.body(BRIEF).cloned();
    CreativeBrief::deserialize(made.or_else(|| brief(work))?).ok()
}

/// Readers and goal are filled in by the stage where they are not named.
pub(crate) fn brief(work: &Work) -> Option<Value> {
    let answers = heard(work);
    let told = answers.iter().map(|heard| heard.said.as_str());
    let texts: Vec<&str> = said(work).into_iter().chain(told).collect();
    let all = texts.iter().flat_map(|text| clauses(text));
    let is_short = |said: &&str| said.chars().count() <= ENTRY_CHARS;
    let all: Vec<&str> = all.filter(is_short).collect();
    let behind = |list: &str| {
        let after = |word| all.iter().find_map(|said| Some(said.split_once(word)?.1));
        list.split('|')
            .find_map(after)
            .map(|said| said.trim().to_owned())
    };
    let named = |option: &str| {
        let mut chosen = answers.iter().filter(|heard| heard.chose(option));
        let said = chosen.next().map(|heard| heard.said.clone());
        said.filter(|said| !said.is_empty())
    };
    let readers = || texts.iter().find_map(|text| audience(text));
    let subject = |em: u32| texts.iter().find_map(|text| topic(text, em));
    let topic = TOPIC_EM.into_iter().find_map(subject);
    let topic = topic.unwrap_or_else(|| NOT_SAID.of(work).to_owned());
    let limits = all.iter().filter(|clause| says(clause, LIMITS));
    let is_point = |said: &&&str| is_content(said) && !says(said, GOALS);
    let points = all.iter().skip(1).filter(is_point);
    Some(json!({
        "topic": topic, "keywords": keywords(work, &topic),
        "audience": named("add_audience").or_else(readers).unwrap_or_default(),
        "goal": named("add_goal").or_else(|| behind(GOALS)).unwrap_or_default(),
        "constraints": limits.take(CONSTRAINTS_MAX).collect::<Vec<_>>(),
        "keyPoints": points.take(POINTS_MAX).collect::<Vec<_>>(), "callToAction": "",
        "bannedExpressions": behind(BANS).into_iter().collect::<Vec<_>>(),
        "tone": named("add_style").unwrap_or_else(|| TONE.of(work).to_owned()), "offline": true,
    }))
}

/// Whether a part of a message asks for nothing, limits nothing, and names no readers.
fn is_content(said: &str) -> bool {
    !says(said, LIMITS) && !says(said, REQUESTS) && audience(said).is_none()
}

/// What the person states in addition to the request, in whole sentences.
pub(crate) fn told(work: &Work) -> Vec<String> {
    let whole = sentences(&work.brief).into_iter().skip(1);
    let told = whole.map(|at| work.brief[at].to_owned());
    told.filter(|said| is_content(said)).collect()
}

/// The characters that a message allows.
pub(crate) fn chars_max(work: &Work) -> Option<usize> {
    let count = |clause: &str| {
        let chars = || clause.split_once(" characters");
        let (before, _) = clause.split_once('字').or_else(chars)?;
        let digits = before.trim_end().rsplit(|c: char| !c.is_ascii_digit());
        digits.take(1).find_map(|digits| digits.parse().ok())
    };
    let all = said(work).into_iter().flat_map(clauses);
    all.filter_map(count).last()
}

/// The words of a subject. One as long as a sentence is no list of words.
fn keywords(work: &Work, topic: &str) -> Vec<String> {
    if topic == NOT_SAID.of(work) {
        return vec![];
    }
    if em_width(topic) > TOPIC_EM[0] as f32 {
        return vec![topic.to_owned()];
    }
    let mut found: Vec<String> = vec![];
    for part in topic.split(['的', '和', '与', '、', '/', '｜', '|']) {
        let kind = KINDS.split('|').find(|kind| part.ends_with(kind));
        let kind = kind.unwrap_or_default();
        let words = [&part[..part.len() - kind.len()], kind];
        found.extend(words.map(|word| word.trim().to_owned()));
    }
    found.retain(|word| !word.is_empty());
    found.dedup();
    found.truncate(KEYWORDS_MAX);
    found
}
