//! What a chapter says, by rules and by a model: each fact with the sentence that says it. For the rules, quoted speech, dreams and
//! memories are not facts, nor is what somebody only supposes or hears from others. What a model says is compared with the text.

mod known;
mod leans;
mod quoted;
mod ranges;
mod remarks;
mod said;
#[cfg(test)]
mod said_tests;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use aho_corasick::{AhoCorasick, MatchKind};
use words::is_han;

pub(crate) use known::{KNOWN_CHARS, known_names};
pub(crate) use leans::{Leaning, leans};
pub(crate) use ranges::{OVERLAP_CHARS, RANGE_CHARS, ranges};
pub(crate) use remarks::{WhoRead, remarks};
#[cfg(test)]
pub(crate) use said::{SaidDeath, SaidName};
pub(crate) use said::{SaidFacts, facts_said};

use crate::readings::slice;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{FACTS_MAX, Fact, Says};

use super::book::Book;
use super::names::{Kind, Names, is_capitalised};
use super::told::acts::is_subject;
use super::told::cues::Cues;
use super::told::hands::{Hands, hands};
use super::told::persons::{ages, deaths, looks, nicknames, strangers};
use super::told::{Sentence, Told, Unreadable, begins_with, has, relations, whereabouts};

/// The facts of a chapter by its prose in the book, in the order of the text; empty where nothing is written.
///
/// # Errors
///
/// The prose cannot be read.
pub fn facts(book: &Book, chapter: &EntryId) -> Result<Vec<Fact>, Unreadable> {
    let chapters = book.chapters();
    let text = chapters
        .iter()
        .find(|it| it.id == chapter)
        .map_or("", |it| it.text);
    let names = Names::of(book);
    let told = Told::of(text, &names)?;
    Ok(facts_of(book, chapter, &names, &told))
}

/// The facts of a text that is used in place of a chapter's prose.
fn facts_of(book: &Book, chapter: &EntryId, names: &Names, told: &Told<'_>) -> Vec<Fact> {
    let mut taking = Taking {
        book,
        chapter,
        names,
        told,
        facts: vec![],
        known: BTreeSet::new(),
    };
    taking.loops();
    for index in 0..told.sentences.len() {
        taking.sentence(index);
    }
    taking.strangers();
    taking.facts.sort_by_key(|fact| fact.quote.start);
    taking.facts.truncate(FACTS_MAX);
    taking.facts
}

/// The facts that are being taken from a text.
struct Taking<'a> {
    book: &'a Book,
    chapter: &'a EntryId,
    names: &'a Names,
    told: &'a Told<'a>,
    facts: Vec<Fact>,
    known: BTreeSet<Says>,
}

impl Taking<'_> {
    /// Takes a fact, but only once, from the first sentence that says it.
    fn take(&mut self, says: Says, sentence: &Sentence) {
        if !self.known.insert(says.clone()) {
            return;
        }
        let quote = self.told.quote(sentence);
        self.facts.push(Fact::new(self.chapter, says, quote));
    }

    fn id(&self, named: usize) -> EntryId {
        self.names.get(named).id.clone()
    }

    fn sentence(&mut self, index: usize) {
        let told = self.told;
        let sentence = &told.sentences[index];
        if !sentence.is_outright() {
            return;
        }
        for it in looks(told, index) {
            let chinese = it.value.contains(is_han);
            let says = Says::Appearance {
                character: self.id(it.who),
                feature: it.feature.name(chinese).to_owned(),
                value: it.value.to_owned(),
            };
            self.take(says, sentence);
        }
        for it in ages(told, sentence) {
            let character = self.id(it.who);
            let years = it.years;
            self.take(Says::Age { character, years }, sentence);
        }
        for who in deaths(told, sentence) {
            let character = self.id(who);
            self.take(Says::Death { character }, sentence);
        }
        for it in whereabouts::people(told, sentence) {
            let (character, place) = (self.id(it.who), self.id(it.place));
            self.take(Says::Presence { character, place }, sentence);
        }
        self.things(sentence);
        for (source, target, relation) in relations::of(told, sentence) {
            let (source, target) = (self.id(source), self.id(target));
            let says = Says::Relation {
                source,
                target,
                relation,
            };
            self.take(says, sentence);
        }
        self.turns(sentence);
        self.places(sentence);
    }

    fn things(&mut self, sentence: &Sentence) {
        let told = self.told;
        for mention in told
            .mentions(sentence)
            .iter()
            .filter(|it| it.kind == Kind::Item)
        {
            let Some(item) = mention.named else {
                continue;
            };
            if let Some(Hands::Held(owner) | Hands::Taken(owner)) = hands(told, sentence, mention) {
                let says = Says::Possession {
                    item: self.id(item),
                    owner: self.id(owner),
                };
                self.take(says, sentence);
            }
        }
        for it in whereabouts::things(told, sentence) {
            let (item, place) = (self.id(it.who), self.id(it.place));
            self.take(Says::Lies { item, place }, sentence);
        }
    }

    /// Turns of the story that later chapters may lean on.
    fn turns(&mut self, sentence: &Sentence) {
        let told = self.told;
        let mut people = told.named(sentence, Kind::Character);
        let Some((_, first)) = people
            .next()
            .filter(|(_, it)| is_subject(slice(told.text, sentence.at.start..it.at.start)))
        else {
            return;
        };
        let behind = slice(told.text, first.at.end..sentence.at.end);
        let clause = behind
            .split(['，', '。', '；', ',', '.', ';', '“', '"'])
            .next()
            .unwrap_or_default();
        let is_turn = if clause.contains(is_han) {
            !clause.contains(['不', '没', '想', '要', '未'])
                && TURNS.split('|').any(|verb| clause.contains(verb))
        } else {
            clause
                .split_whitespace()
                .next()
                .is_some_and(|verb| has(TURNS_EN, verb))
        };
        if is_turn {
            let mut who: Vec<EntryId> = told
                .named(sentence, Kind::Character)
                .map(|(who, _)| self.id(who))
                .collect();
            who.dedup();
            let what = told.words(sentence).to_owned();
            self.take(Says::Happens { what, who }, sentence);
        }
    }

    /// Finds places that the bible does not know, by sentences in which somebody comes there.
    fn places(&mut self, sentence: &Sentence) {
        let told = self.told;
        let words = told.words(sentence);
        for verb in [
            "来到",
            "抵达",
            "到达",
            "回到",
            "赶到",
            "arrived in ",
            "arrived at ",
            "reached ",
            "came to ",
            "returned to ",
        ] {
            for (at, _) in words.match_indices(verb) {
                let start = at + verb.len();
                if told.is_spoken(sentence.at.start + start) {
                    continue;
                }
                let rest = slice(words, start..).trim_start_matches('了');
                let Some(name) = place_name(rest).filter(|name| !self.names.knows(name)) else {
                    continue;
                };
                let is_known = self.names.find(name).iter().any(|it| it.at.start == 0);
                if !is_known {
                    let name = name.to_owned();
                    self.take(Says::NewPlace { name }, sentence);
                }
            }
        }
    }

    fn strangers(&mut self) {
        let told = self.told;
        let nicknames = nicknames(told);
        for stranger in strangers(told, self.names, &nicknames) {
            let sentence = &told.sentences[stranger.sentence];
            if sentence.is_aside || sentence.cues.any(Cues::DREAM) {
                continue;
            }
            let name = stranger.name.to_owned();
            self.take(Says::NewCharacter { name }, sentence);
        }
    }

    /// The plot loops that the chapter speaks of, even in quotations or memories.
    fn loops(&mut self) {
        let mut words: BTreeMap<String, Vec<EntryId>> = BTreeMap::new();
        for (entry, it) in self
            .book
            .plot_loops()
            .filter(|(entry, _)| entry.standing.is_fact())
        {
            let named = std::iter::once(&it.title).chain(&it.keywords);
            for word in named
                .map(|word| word.trim())
                .filter(|word| word.chars().count() > 1)
            {
                words
                    .entry(word.to_lowercase())
                    .or_default()
                    .push(entry.id.clone());
            }
        }
        if words.is_empty() {
            return;
        }
        let finder = AhoCorasick::builder()
            .match_kind(MatchKind::Standard)
            .ascii_case_insensitive(true)
            .build(words.keys())
            .expect("the plot loops of a project are not too many");
        let all: Vec<&Vec<EntryId>> = words.values().collect();
        let told = self.told;
        for found in finder.find_overlapping_iter(told.text) {
            let is_word = super::told::cues::begins_word(told.text, found.start())
                && super::told::cues::ends_word(told.text, found.end());
            let index = told
                .sentences
                .partition_point(|it| it.at.end <= found.start());
            let sentence = told.sentences.get(index).filter(|_| is_word);
            let (Some(ids), Some(sentence)) = (all.get(found.pattern().as_usize()), sentence)
            else {
                continue;
            };
            for id in ids.iter() {
                let plot_loop = id.clone();
                self.take(Says::Touches { plot_loop }, sentence);
            }
        }
    }
}

const TURNS: &str = "杀了|杀死|救了|救出|嫁给|娶了|成亲|成婚|结婚|背叛|烧了|烧毁|毁了|逃出|逃离|发誓|立誓|加入|当上|登基|继位|拜师|离家|辞去|攻下|占领|俘虏|打败|击败|放走";
const TURNS_EN: &str = "killed|saved|married|betrayed|burned|burnt|destroyed|escaped|swore|vowed|joined|became|murdered|rescued|divorced|conquered|captured|defeated|\
    freed|poisoned|banished|crowned|resigned|shot|stabbed";

/// The name of a place with which a text begins, where it is clearly a name.
fn place_name(rest: &str) -> Option<&str> {
    if rest.starts_with(is_han) {
        let kinds = [
            '城', '镇', '村', '山', '寺', '岛', '县', '州', '港', '谷', '关', '庄', '湾',
        ];
        let chars: Vec<(usize, char)> = rest
            .char_indices()
            .take(5)
            .take_while(|(_, c)| is_han(*c))
            .collect();
        let (at, c) = chars.iter().skip(1).find(|(_, c)| kinds.contains(c))?;
        let name = slice(rest, ..at + c.len_utf8());
        let behind = slice(rest, name.len()..).chars().next();
        let is_plain = begins_with(
            name,
            "一|那|这|某|小|大|上|下|山|城|村|镇|自|他|她|本|家|了|的|南城|北城|全",
        )
        .is_none()
            && !name.contains(['的', '了', '里', '外', '个', '座']);
        let ends = behind.is_none_or(|c| !is_han(c) || "的时后，了".contains(c));
        return (is_plain && ends).then_some(name);
    }
    let end = rest
        .find(|c: char| !c.is_alphabetic() && c != '-' && c != '’')
        .unwrap_or(rest.len());
    Some(slice(rest, ..end)).filter(|word| is_capitalised(word) && word.len() > 3)
}
