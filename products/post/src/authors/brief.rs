//! What a message asks of a post. An instruction stays an instruction: its words never become part of the text.

use palimpsest::prelude::author::wishes::{audience, clauses, said, subject, topic};
use palimpsest::prelude::author::words::TONE;
use palimpsest::prelude::pipeline::Work;
use palimpsest::prelude::pipeline::text::MODEL_SETTINGS;
use serde::Deserialize;
use serde_json::{Value, json};
use spec::text::em_width;
use words::folded;
use words::sentences::sentences;

use super::phrases::READING;
use crate::pipeline::brief::{CONSTRAINTS_MAX, KEYWORDS_MAX, NOT_SAID, POINTS_MAX};
use crate::pipeline::heard::heard;
use crate::pipeline::pictures;
use crate::pipeline::requirement::just_generate;
use crate::pipeline::shape::CreativeBrief;
use crate::pipeline::stage::BRIEF;

/// Widths of a subject, in em: that of a title, else that of a sentence.
const TOPIC_EM: [u32; 2] = [20, 60];
/// Characters of an entry, as the stage takes them.
const ENTRY_CHARS: usize = 200;

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
    let behind = |class: &str| {
        let after = |word: &&str| all.iter().find_map(|said| Some(said.split_once(word)?.1));
        let said = READING.list(class).iter().find_map(after);
        said.map(|said| said.trim().to_owned())
    };
    let named = |option: &str| {
        let mut chosen = answers.iter().filter(|heard| heard.chose(option));
        let said = chosen.next().map(|heard| heard.said.clone());
        said.filter(|said| !said.is_empty())
    };
    let readers = || texts.iter().find_map(|text| audience(text));
    let subject = |em: u32| texts.iter().find_map(|text| topic(text, em, 0.0));
    let topic = TOPIC_EM.into_iter().find_map(subject);
    let topic = topic.unwrap_or_else(|| NOT_SAID.of(work).to_owned());
    let limits = all.iter().filter(|clause| says(clause, "limit"));
    let is_point = |said: &&&str| is_content(said) && !says(said, "goal");
    let points = all.iter().skip(1).filter(is_point);
    Some(json!({
        "topic": topic, "keywords": keywords(work, &topic),
        "audience": named("add_audience").or_else(readers).unwrap_or_default(),
        "goal": named("add_goal").or_else(|| behind("goal")).unwrap_or_default(),
        "constraints": limits.take(CONSTRAINTS_MAX).collect::<Vec<_>>(),
        "keyPoints": points.take(POINTS_MAX).collect::<Vec<_>>(), "callToAction": "",
        "bannedExpressions": behind("ban").into_iter().collect::<Vec<_>>(),
        "tone": named("add_style").unwrap_or_else(|| TONE.of(work).to_owned()), "offline": true,
    }))
}

/// Whether a text has a word of a class.
fn says(text: &str, class: &str) -> bool {
    READING.has(&folded(text), class)
}

/// Whether a text ends in a word, as a whole word in a spaced script.
fn ends_with_word(text: &str, word: &str) -> bool {
    let before = text.strip_suffix(word);
    before.is_some_and(|before| !word.is_ascii() || !before.ends_with(char::is_alphanumeric))
}

/// Whether a part of a message asks for nothing, limits nothing, and names no readers.
fn is_content(said: &str) -> bool {
    !says(said, "limit") && !says(said, "request") && audience(said).is_none()
}

/// What the person states in addition to the request, in whole sentences.
pub(crate) fn told(work: &Work) -> Vec<String> {
    let whole = sentences(&work.brief).into_iter().skip(1);
    let told = whole.map(|at| work.brief[at].to_owned());
    told.filter(|said| is_content(said)).collect()
}

/// In words to the person: what the first message asks for behind its subject and no rule does; `None` where everything is done.
pub(crate) fn unused(work: &Work) -> Option<String> {
    let subject = subject(&work.brief, 0.0)?;
    let (_, behind) = work.brief.split_once(subject)?;
    let quoted = told(work);
    let is_done = |clause: &str| {
        audience(clause).is_some()
            || says(clause, "goal")
            || says(clause, "ban")
            || chars_of(clause).is_some()
            || pictures::asked(clause, None).is_some()
            || just_generate(clause)
            || quoted.iter().any(|said| said.contains(clause))
    };
    let left: Vec<&str> = clauses(behind)
        .filter(|clause| clause.contains(char::is_alphanumeric) && !is_done(clause))
        .collect();
    let is_chinese = work.is_chinese();
    let listed = |between: &str| left.join(between);
    (!left.is_empty() && !work.refines).then(|| {
        if is_chinese {
            format!("没有模型，这些要求没有用上：“{}”。要照做，请配置模型（{MODEL_SETTINGS}）。", listed("”“"))
        } else {
            format!(
                "Without a model nothing was done about: \"{}\". For that, set a model ({MODEL_SETTINGS}).",
                listed("\", \"")
            )
        }
    })
}

/// The characters that a message allows.
pub(crate) fn chars_max(work: &Work) -> Option<usize> {
    let all = said(work).into_iter().flat_map(clauses);
    all.filter_map(chars_of).last()
}

fn chars_of(clause: &str) -> Option<usize> {
    let chars = || clause.split_once(" characters");
    let (before, _) = clause.split_once('字').or_else(chars)?;
    let digits = before.trim_end().rsplit(|c: char| !c.is_ascii_digit());
    digits.take(1).find_map(|digits| digits.parse().ok())
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
        // The name of a kind of posts is a keyword of its own.
        let mut kinds = READING.list("kind").iter();
        let kind = kinds.find(|kind| ends_with_word(part, kind));
        let words = part.split_at(part.len() - kind.map_or(0, |kind| kind.len()));
        found.extend([words.0, words.1].map(|word| word.trim().to_owned()));
    }
    found.retain(|word| !word.is_empty());
    found.dedup();
    found.truncate(KEYWORDS_MAX);
    found
}
