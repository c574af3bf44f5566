//! The author of posts: it uses whole sentences about the subject from the notes, the sources and the person's own words.

mod brief;
mod evidence;
mod phrases;
mod pictures;

use std::cmp::Reverse;

use palimpsest::prelude::author::Authors;
use palimpsest::prelude::author::source::{Material, Unit};
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use words::folded;
use words::sentences::sentences;

use crate::pipeline::brief::NOT_SAID;
use crate::pipeline::heard;
use crate::pipeline::platform::{TAG_CHARS, XIAOHONGSHU, units};
use crate::pipeline::shape::CreativeBrief;
pub(crate) use brief::{brief, brief_of, unused};
pub(crate) use evidence::research;
use evidence::{SHARED_MIN, is_near, shared};
use phrases::{NO_EVIDENCE, NOT_QUOTED, READING, SIGNATURE, TITLE};
pub(crate) use pictures::{image_plan, layout};

/// The authors of the prompts of this product.
pub(crate) fn authors() -> Authors {
    palimpsest::prelude::author::authors! {
        Structure(work) {
            "post/brief" brief;
            "post/writer" writer;
            "post/layout" layout;
            "post/image_plan" image_plan;
        }
        Calls(turns) {
            "post/research" research;
        }
    }
}

/// Sentences of one post, and of a short one.
const SENTENCES: usize = 6;
const FEW: usize = 2;

/// Title, text and tags.
pub(crate) fn writer(work: &Work) -> Option<Value> {
    let brief = brief_of(work)?;
    let files = Material::of_files(work).units;
    let title = title(work, &brief, &files);
    let tags = brief.keywords.iter().map(String::as_str);
    let tags = tags.chain(subject(work, &brief)).chain([title.as_str()]);
    let mut tags: Vec<String> = tags.flat_map(tag_words).collect();
    if tags.is_empty() {
        tags.push(TITLE.of(work).to_owned());
    }
    Some(json!({ "title": title, "body": body(work, &brief, &files), "tags": tags }))
}

/// The words of a text that a tag can be: in scripts with spaces each word that says something, in others what stands between marks.
fn tag_words(said: &str) -> Vec<String> {
    let is_word = |word: &&str| {
        let chars = word.chars().count();
        (2..=TAG_CHARS).contains(&chars) && !words::is_stop_word(&folded(word))
    };
    let parts = said.split(|c: char| !c.is_alphanumeric());
    parts.filter(is_word).map(str::to_owned).collect()
}

/// What the message names as its subject.
fn subject<'a>(work: &Work, brief: &'a CreativeBrief) -> Option<&'a str> {
    Some(brief.topic.as_str()).filter(|topic| *topic != NOT_SAID.of(work))
}

/// The first of these titles for which the platform has room: what the person wants, the subject, and the headings of the files that are
/// about it. A title is never shortened.
fn title(work: &Work, brief: &CreativeBrief, files: &[Unit]) -> String {
    let wanted = work.guidance.feedback.as_deref().and_then(wanted_title);
    let headings = files.iter().filter_map(|unit| match unit {
        Unit::Heading(_, words) => Some(words.text.as_str()),
        Unit::Para(_) | Unit::List(_) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => None,
    });
    let shared_min = shared_by_files(work, brief);
    let headings = headings.filter(|said| is_near(said, &brief.topic, shared_min));
    let own = wanted.into_iter().chain(subject(work, brief));
    let fits = |title: &&str| units(title) <= XIAOHONGSHU.title_units;
    let fitting = own.chain(headings).find(fits);
    fitting.unwrap_or(TITLE.of(work)).to_owned()
}

/// The title that feedback gives in quotation marks.
fn wanted_title(feedback: &str) -> Option<&str> {
    let at = feedback.find("标题").or_else(|| feedback.find("title"))?;
    let (_, rest) = feedback[at..].split_once(['“', '「', '《', '"'])?;
    let (inside, _) = rest.split_once(['”', '」', '》', '"'])?;
    Some(inside.trim()).filter(|said| !said.is_empty())
}

fn body(work: &Work, brief: &CreativeBrief, files: &[Unit]) -> String {
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    let count = [SENTENCES, FEW][usize::from(READING.has(&folded(feedback), "shorter"))];
    let limits = [Some(XIAOHONGSHU.body_chars), brief::chars_max(work)];
    let most = limits.into_iter().flatten().min().unwrap_or_default();
    let signature = SIGNATURE.of(work);
    let mut kept: Vec<String> = vec![];
    for said in material(work, brief, files) {
        let longer = [&kept.join("\n\n"), &said, signature].join("\n\n");
        if kept.len() < count && longer.chars().count() <= most && !kept.contains(&said) {
            kept.push(said);
        }
    }
    if kept.is_empty() {
        let is_given = !work.sources.is_empty() || !work.unread.is_empty();
        let says = if is_given { NOT_QUOTED } else { NO_EVIDENCE };
        kept = vec![brief.topic.clone(), says.of(work).to_owned()];
    }
    kept.push(signature.to_owned());
    kept.join("\n\n")
}

/// Whole sentences about the subject: of the evidence, of what the person wrote beside the request, and of the sources.
fn material(work: &Work, brief: &CreativeBrief, files: &[Unit]) -> Vec<String> {
    let evidence = heard::evidence(work).items.into_iter();
    let mut said: Vec<String> = evidence.map(|item| item.fact).collect();
    said.extend(brief::told(work));
    let banned = &brief.banned_expressions;
    let is_allowed = |text: &str| banned.iter().all(|word| !text.contains(word.as_str()));
    said.retain(|text| is_allowed(text));
    let of_files = |shared_min| {
        let mut about = about(files, &brief.topic, shared_min);
        about.retain(|(_, text)| is_allowed(text));
        about
    };
    let mut found = of_files(SHARED_MIN);
    if found.len() < FEW {
        found = of_files(shared_by_files(work, brief));
    }
    said.extend(best(&found).map(str::to_owned));
    said
}

/// The terms of the subject that a file has to have. A person who gives a file with a message means it, so that one is enough, and none
/// is needed where the message names no subject.
fn shared_by_files(work: &Work, brief: &CreativeBrief) -> usize {
    usize::from(subject(work, brief).is_some())
}

/// The whole sentences of the files that are about a subject, each with the terms that it and its heading have of it. Below a heading that
/// is about the subject, and in a row that is, all text is.
fn about<'a>(units: &'a [Unit], topic: &str, shared_min: usize) -> Vec<(usize, &'a str)> {
    let is_about = |text: &str| is_near(text, topic, shared_min);
    let (mut below, mut heading) = (false, "");
    let mut said = vec![];
    for unit in units {
        let texts: Vec<(bool, &str)> = match unit {
            Unit::Heading(_, words) => {
                below = is_about(&words.text);
                heading = &words.text;
                continue;
            }
            Unit::Para(words) => vec![(below, &words.text)],
            Unit::List(items) => items
                .iter()
                .map(|item| (below, item.2.text.as_str()))
                .collect(),
            Unit::Grid(grid) => {
                let named = |row: &Vec<String>| is_about(&row.join(" "));
                let rows = grid.rows.iter().filter(|row| named(row)).flatten();
                rows.filter(|cell| cell.ends_with(['。', '.', '！', '!']))
                    .map(|cell| (true, cell.as_str()))
                    .collect()
            }
            Unit::Code(..) | Unit::Picture(..) => continue,
        };
        for (is_known, text) in texts {
            let all = sentences(text).into_iter().map(|at| &text[at]);
            let about = all.filter(|said| is_known || is_about(said));
            said.extend(about.map(|said| (shared(&format!("{heading} {said}"), topic), said)));
        }
    }
    said
}

/// As many of these sentences as a post has, those that are most about the subject, in their order.
fn best<'a>(said: &[(usize, &'a str)]) -> impl Iterator<Item = &'a str> {
    let mut places: Vec<usize> = (0..said.len()).collect();
    places.sort_by_key(|place| Reverse(said[*place].0));
    places.truncate(SENTENCES);
    places.sort_unstable();
    places.into_iter().map(|place| said[place].1)
}

#[cfg(test)]
mod tests;
