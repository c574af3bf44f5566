//! Sentences of a text, and the persons that it names.

use std::collections::BTreeMap;

use palimpsest::prelude::author::words::READING;
use palimpsest::prelude::pipeline::Work;
use serde_json::{Value, json};
use words::folded;
use words::sentences::sentences;

use super::{prepared, told};

/// Sentences of a summary, for each chapter or text.
const SENTENCES: usize = 5;

/// From this many characters on, a message counts as a text to be summarised.
const TEXT_CHARS: usize = 60;

/// The texts that the message is about: the chapters that it names, the files that came with it, otherwise the message itself.
fn texts(work: &Work) -> Vec<(String, String)> {
    let mut texts = vec![];
    for part in told(work, "chapters").split("\n# ") {
        let part = part.strip_prefix("# ").unwrap_or(part);
        let (title, text) = part.split_once('\n').unwrap_or(("", part));
        if !text.trim().is_empty() {
            texts.push((title.trim().to_owned(), text.trim().to_owned()));
        }
    }
    for source in &work.sources {
        texts.push((source.path.clone(), source.text.to_string()));
    }
    if texts.is_empty() && work.brief.chars().count() > TEXT_CHARS {
        texts.push((String::new(), work.brief.clone()));
    }
    texts
}

/// Unchanged sentences of each text: those whose words occur most often, in their order.
pub(crate) fn summary(work: &Work) -> Option<Value> {
    let texts = texts(work);
    if texts.is_empty() {
        return Some(json!(nothing(work)));
    }
    let mut page = String::new();
    for (title, text) in texts {
        if !title.is_empty() {
            page.push_str(&format!("## {title}\n\n"));
        }
        for sentence in telling(&text) {
            page.push_str(&format!("- {sentence}\n"));
        }
        page.push('\n');
    }
    page.push_str(if work.is_chinese() {
        "以上均为原文中的句子；没有配置语言模型，未作改写。"
    } else {
        "These are sentences of the text itself; without a language model nothing was put in other words."
    });
    Some(json!(page))
}

fn nothing(work: &Work) -> &'static str {
    if work.is_chinese() {
        "没有找到要总结的文字：请写明章节（例如“总结第三章”），或附上文件。"
    } else {
        "There is no text to sum up: name a chapter (\"summarise chapter 3\"), or send a file along."
    }
}

/// The sentences that tell most, in the order of the text.
fn telling(text: &str) -> Vec<&str> {
    let all: Vec<&str> = sentences(text)
        .into_iter()
        .map(|range| &text[range])
        .collect();
    let mut counts: BTreeMap<String, u32> = BTreeMap::new();
    let words: Vec<Vec<String>> = all
        .iter()
        .map(|sentence| palimpsest::prelude::resource::index_words(sentence))
        .collect();
    for word in words
        .iter()
        .flatten()
        .filter(|word| word.chars().count() > 1)
    {
        *counts.entry(word.clone()).or_default() += 1;
    }
    let score = |at: usize| -> u32 {
        let counted = words[at].iter().filter_map(|word| counts.get(word));
        let sum: u32 = counted.sum();
        // Long sentences have more words of every kind, so the sum is divided by their length.
        sum * 100 / (u32::try_from(words[at].len()).unwrap_or(u32::MAX)).saturating_add(8)
    };
    let mut best: Vec<usize> = (0..all.len()).collect();
    best.sort_by_key(|at| (std::cmp::Reverse(score(*at)), *at));
    best.truncate(SENTENCES);
    best.sort_unstable();
    best.into_iter().map(|at| all[at].trim()).collect()
}

/// Persons who speak or act: the names before verbs of saying.
pub(crate) fn extraction(work: &Work) -> Option<Value> {
    let mut characters: Vec<Value> = vec![];
    for (_, text) in texts(work) {
        for range in sentences(&text) {
            let sentence = &text[range];
            for name in speakers(sentence) {
                let is_new = characters
                    .iter()
                    .all(|known| known["name"] != name.as_str());
                if is_new {
                    characters.push(json!({ "name": name, "firstMention": sentence.trim() }));
                }
            }
        }
    }
    let named = prepared(work, "chapters")["named"]
        .as_array()
        .into_iter()
        .flatten();
    let (mut locations, mut items) = (vec![], vec![]);
    for entry in named {
        let name = &entry["name"];
        let mention = json!({
            "name": name, "aliases": entry["aliases"], "firstMention": entry["sentence"],
        });
        match entry["kind"].as_str() {
            Some("character") => {
                characters.retain(|known| known["name"] != *name);
                characters.push(mention);
            }
            Some("place") => locations.push(mention),
            Some("item") => items.push(mention),
            Some(_) | None => {}
        }
    }
    Some(json!({
        "characters": characters, "locations": locations, "items": items,
        "relationships": [], "events": [],
        "remarks": [by_rules(work)],
    }))
}

fn by_rules(work: &Work) -> &'static str {
    if work.is_chinese() {
        "没有配置语言模型：只列出设定中已有的名字和开口说话的人，关系与事件没有提取。"
    } else {
        "No language model is configured: these are names of the bible and people who speak; relationships and events were not \
         looked for."
    }
}

/// Characters of a Chinese name, at most: a compound surname and two more.
const NAME_CHARS: usize = 4;

/// The names before verbs of saying.
fn speakers(sentence: &str) -> Vec<String> {
    let mut found = vec![];
    for verb in READING.list("says") {
        for (at, _) in sentence.match_indices(verb) {
            let before = &sentence[..at];
            found.extend(match verb.starts_with(' ') {
                true => name_of_words(before),
                false => name_of_signs(before),
            });
        }
    }
    found
}

fn is_nobody(word: &str) -> bool {
    READING.list("nobody").contains(&folded(word).as_str())
}

/// The Chinese name in which a text ends.
fn name_of_signs(before: &str) -> Option<String> {
    let is_name = |c: &char| ('\u{4e00}'..='\u{9fff}').contains(c);
    let name: Vec<char> = before.chars().rev().take_while(is_name).collect();
    let is_long_enough = (2..=NAME_CHARS).contains(&name.len());
    let is_name = is_long_enough && !is_nobody(&name[0].to_string());
    is_name.then(|| name.into_iter().rev().collect())
}

/// The words with capitals in which a text ends.
fn name_of_words(before: &str) -> Option<String> {
    let words = before.split_whitespace().rev();
    let capital = |word: &&str| word.chars().next().is_some_and(char::is_uppercase);
    let mut name: Vec<&str> = words.take_while(capital).take(2).collect();
    name.reverse();
    let name = name.join(" ");
    let name = name.trim_matches(|c: char| !c.is_alphanumeric());
    (name.chars().count() > 1 && !is_nobody(name)).then(|| name.to_owned())
}
