//! Checks the rules of the story's world about what nobody can do, with their exceptions.

use crate::readings::slice;
use aho_corasick::{AhoCorasick, MatchKind};
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::WorldRule;

use super::finding::{Rule, Severity};
use super::time::is_past;
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::names::Kind;
use crate::readings::told::acts::is_subject;
use crate::readings::told::cues::{begins_word, ends_word};
use crate::readings::told::persons::is_denied;
use crate::readings::told::{Told, contains};

/// Words which show that a sentence speaks about the rule and does not break it.
const QUOTED: &str =
    "规矩|规定|律法|法则|禁令|戒律|铁律|规则|law|laws|rule|rules|ban|banned|decree|commandment";

/// Words that contain a character of negation but do not negate anything.
const NO_DENIAL: [&str; 8] = [
    "不由",
    "不禁",
    "毫不",
    "不慌不忙",
    "不假思索",
    "忍不住",
    "不顾",
    "二话不说",
];

/// One rule of one entry.
#[derive(Debug)]
struct Law<'a> {
    entry: &'a EntryId,
    title: &'a str,
    path: String,
    rule: &'a WorldRule,
}

#[derive(Debug)]
pub(super) struct Laws<'a> {
    laws: Vec<Law<'a>>,
    /// The law of each pattern.
    patterns: Vec<usize>,
    finder: Option<AhoCorasick>,
}

impl<'a> Laws<'a> {
    pub(super) fn new(desk: &Desk<'a>) -> Self {
        let mut laws = vec![];
        for (entry, world) in desk
            .book
            .world()
            .filter(|(entry, _)| entry.standing.is_fact())
        {
            laws.extend(world.rules.iter().enumerate().map(|(index, rule)| Law {
                entry: &entry.id,
                title: &world.title,
                path: format!("rules[{index}]"),
                rule,
            }));
        }
        let mut words: Vec<(&str, usize)> = vec![];
        for (index, law) in laws.iter().enumerate() {
            let forbidden = law.rule.forbids.iter().map(|word| word.trim());
            words.extend(
                forbidden
                    .filter(|word| !word.is_empty())
                    .map(|word| (word, index)),
            );
        }
        let finder = (!words.is_empty()).then(|| {
            AhoCorasick::builder()
                .match_kind(MatchKind::Standard)
                .ascii_case_insensitive(true)
                .build(words.iter().map(|(word, _)| word))
                .expect("the rules of a world are not too many")
        });
        let patterns = words.iter().map(|(_, law)| *law).collect();
        Self {
            laws,
            patterns,
            finder,
        }
    }

    pub(super) fn read(&self, desk: &mut Desk<'a>, chapter: &Placed<'a>, told: &Told<'a>) {
        let Some(finder) = self.finder.as_ref().filter(|_| !is_past(chapter, told)) else {
            return;
        };
        for found in finder.find_overlapping_iter(told.text) {
            let (start, end) = (found.start(), found.end());
            let is_word = begins_word(told.text, start) && ends_word(told.text, end);
            let Some(law) = self
                .patterns
                .get(found.pattern().as_usize())
                .and_then(|law| self.laws.get(*law))
            else {
                continue;
            };
            if is_word && !told.is_spoken(start) {
                breach(desk, chapter, told, law, start, end);
            }
        }
    }
}

fn breach(
    desk: &mut Desk<'_>,
    chapter: &Placed<'_>,
    told: &Told<'_>,
    law: &Law<'_>,
    start: usize,
    end: usize,
) {
    let index = told.sentences.partition_point(|it| it.at.end <= start);
    let Some(sentence) = told.sentences.get(index).filter(|it| it.at.start <= start) else {
        return;
    };
    let words = told.words(sentence);
    let says = law.rule.says.trim().trim_end_matches(['。', '.']);
    let is_quoted = contains(words, QUOTED) || (!says.is_empty() && words.contains(says));
    if !sentence.is_outright() || is_quoted {
        return;
    }
    let Some((who, from)) = actor(told, index, start) else {
        return;
    };
    let is_exempt = exempt(desk, who, law.rule);
    let before = index
        .checked_sub(1)
        .map_or("", |before| told.words(&told.sentences[before]));
    let is_time = law
        .rule
        .unless_time
        .iter()
        .any(|time| !time.is_empty() && (contains(words, time) || contains(before, time)));
    let behind = slice(told.text, end..sentence.at.end);
    let clause = behind
        .split(['，', '。', '；', ',', '.', ';'])
        .next()
        .unwrap_or_default();
    let mut ahead = slice(told.text, from..start).to_owned();
    for word in NO_DENIAL {
        ahead = ahead.replace(word, "");
    }
    let denied = is_denied(&ahead)
        || is_denied(clause)
        || clause.starts_with(['吗', '的', '术', '者', '之']);
    if is_exempt || is_time || denied {
        return;
    }
    let name = desk.names.get(who).name.clone();
    let rule = if law.rule.says.is_empty() {
        law.title
    } else {
        &law.rule.says
    };
    let wrong = [
        format!("{name}做了这个世界里做不到的事。规则：{rule}"),
        format!("{name} does what nobody can in this world. The rule: {rule}"),
    ];
    let todo = [
        "改掉这个动作，给人物相应的特质，或改规则。",
        "Change what is done, give the trait that allows it, or change the rule.",
    ];
    let finding = desk.finding(Rule::WorldRule, Severity::Error, wrong, todo);
    let finding = desk
        .named(finding, who)
        .with(law.entry)
        .said(passage(chapter, told, sentence));
    let done = slice(told.text, start..end);
    desk.put(
        finding
            .against_field(law.entry, &law.path, rule)
            .values(rule, done),
    );
}

/// Who does what is said at this place, and where the words about it begin.
fn actor(told: &Told<'_>, index: usize, start: usize) -> Option<(usize, usize)> {
    let sentence = &told.sentences[index];
    let people = told.named(sentence, Kind::Character);
    let subjects = people.filter(|(_, it)| {
        it.at.end <= start && is_subject(slice(told.text, sentence.at.start..it.at.start))
    });
    if let Some((who, mention)) = subjects.last() {
        return Some((who, mention.at.end));
    }
    let words = told.words(sentence);
    let is_pronoun = ["他", "她", "He ", "She "]
        .iter()
        .any(|word| words.starts_with(word))
        && !words.starts_with("他们")
        && !words.starts_with("她们");
    let before = told
        .before(index)
        .filter(|_| is_pronoun && told.named(sentence, Kind::Character).next().is_none())?;
    told.only_person(before).map(|who| (who, sentence.at.start))
}

fn exempt(desk: &Desk<'_>, who: usize, rule: &WorldRule) -> bool {
    let id = &desk.names.get(who).id;
    let character = desk.book.characters().find(|(entry, _)| entry.id == *id);
    character.is_some_and(|(_, it)| {
        let traits = it.traits.iter().map(|it| it.trim().to_lowercase());
        traits.into_iter().any(|has| {
            rule.unless_trait
                .iter()
                .any(|wanted| wanted.trim().to_lowercase() == has)
        })
    })
}
