//! Whom `he` and `she` mean, as far as that is plain.

use std::collections::BTreeMap;

use crate::readings::slice;
use words::is_han;

use super::acts::is_subject;
use super::{Sentence, Told, contains, has};
use crate::readings::names::{Kind, Names};

/// What a pronoun says about the person whom it means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Gender {
    He,
    She,
}

impl Gender {
    /// The gender that a word of a sentence shows.
    pub(crate) fn of(word: &str) -> Option<Self> {
        let word = word
            .trim_matches(|c: char| !c.is_alphabetic())
            .to_lowercase();
        if has("he|his|him|himself|他|他的", &word) {
            Some(Self::He)
        } else if has("she|her|hers|herself|她|她的", &word) {
            Some(Self::She)
        } else {
            None
        }
    }

    /// The gender that a relation shows: a daughter is `she`.
    pub(crate) fn of_relation(kind: &str) -> Option<Self> {
        let kind = kind.trim().to_lowercase();
        if has(MALE, &kind) {
            Some(Self::He)
        } else if has(FEMALE, &kind) {
            Some(Self::She)
        } else {
            None
        }
    }
}

const MALE: &str = "father|son|brother|husband|uncle|nephew|grandfather|grandson|stepfather|stepson|godfather|父亲|爸爸|爹|儿子|独子|长子|次子|养父|养子|哥哥|弟弟|兄长|丈夫|\
    叔叔|伯父|舅舅|侄子|外甥|祖父|爷爷|外公|孙子|岳父|公公|女婿|姐夫|妹夫|表哥|表弟|堂兄|堂弟|师兄|师弟";
const FEMALE: &str = "mother|daughter|sister|wife|aunt|niece|grandmother|granddaughter|stepmother|stepdaughter|godmother|母亲|妈妈|娘|女儿|独女|长女|次女|养母|养女|姐姐|妹妹|\
    妻子|婶婶|姑姑|姑妈|姨妈|侄女|外甥女|祖母|奶奶|外婆|孙女|岳母|婆婆|儿媳|嫂子|弟媳|表姐|表妹|堂姐|堂妹|师姐|师妹";

/// People without a name, whom a pronoun may mean as well.
const OTHERS: &str = "boy|girl|man|woman|child|fellow|lad|stranger|clerk|sailor|soldier|servant|priest|captain|baby|男孩|女孩|男人|女人|孩子|老人|少年|姑娘|\
    伙计|士兵|水手|陌生人|那人|小伙子|老头|老太太";

/// How many sentences back, within its paragraph, a pronoun may refer to somebody.
const BACK_SENTENCES: usize = 4;

/// The people of a text of whom it is known which pronoun means them.
#[derive(Debug, Default)]
pub(super) struct Genders(BTreeMap<usize, Gender>);

impl Genders {
    /// Learns the genders from the bible, and from sentences that begin with a pronoun after a sentence that names only one person.
    pub(super) fn of(told: &Told<'_>, names: &Names) -> Self {
        let mut votes: BTreeMap<usize, (u32, u32)> = BTreeMap::new();
        for index in 1..told.sentences.len() {
            let here = &told.sentences[index];
            let Some(gender) = leading(told.words(here)) else {
                continue;
            };
            let before = told
                .before(index)
                .filter(|it| !contains(told.words(it), OTHERS));
            if let Some(who) = before.and_then(|before| told.only_person(before)) {
                let (he, she) = votes.entry(who).or_default();
                match gender {
                    Gender::He => *he += 1,
                    Gender::She => *she += 1,
                }
            }
        }
        let mut known: BTreeMap<usize, Gender> = votes
            .into_iter()
            .filter_map(|(who, (he, she))| {
                let gender = match (he, she) {
                    (he, she) if he > 2 * she => Gender::He,
                    (he, she) if she > 2 * he => Gender::She,
                    _ => return None,
                };
                Some((who, gender))
            })
            .collect();
        known.extend(names.genders());
        Self(known)
    }
}

/// The pronoun with which a sentence begins.
fn leading(words: &str) -> Option<Gender> {
    let words = words.trim_start_matches(|c: char| !c.is_alphanumeric());
    for (head, gender) in [
        ("他", Gender::He),
        ("她", Gender::She),
        ("He ", Gender::He),
        ("His ", Gender::He),
        ("She ", Gender::She),
        ("Her ", Gender::She),
    ] {
        if let Some(rest) = words.strip_prefix(head) {
            return (!rest.starts_with(['们', '人'])).then_some(gender);
        }
    }
    None
}

impl Told<'_> {
    /// The person whom a pronoun of this sentence means if no name is before it: the only person of the nearest sentence before it that
    /// names somebody, or the one who acts there, if the others cannot be meant.
    pub(crate) fn meant(&self, index: usize, gender: Gender) -> Option<usize> {
        let mut at = index;
        for _ in 0..BACK_SENTENCES {
            let before = self.before(at)?;
            at -= 1;
            if before.is_aside {
                continue;
            }
            let mut people: Vec<(usize, bool)> = vec![];
            for (who, mention) in self.named(before, Kind::Character) {
                let ahead = slice(self.text, before.at.start..mention.at.start);
                if !people.iter().any(|(known, _)| *known == who) {
                    people.push((who, is_subject(ahead)));
                }
            }
            let has_others = contains(self.words(before), OTHERS);
            if people.is_empty() && !has_others {
                continue;
            }
            let is_other = |who: usize| self.genders.0.get(&who).is_some_and(|it| *it != gender);
            let is_known = |who: usize| self.genders.0.get(&who) == Some(&gender);
            people.retain(|(who, _)| !is_other(*who));
            return match people[..] {
                [] => None,
                [(who, _)] => (is_known(who) || !has_others).then_some(who),
                [(who, true), ..] => {
                    let others = people[1..].iter();
                    let is_alone = others.filter(|(other, _)| is_known(*other)).count() == 0;
                    (is_known(who) && is_alone).then_some(who)
                }
                _ => None,
            };
        }
        None
    }

    /// Whether this pronoun can mean somebody.
    pub(crate) fn can_mean(&self, who: usize, gender: Gender) -> bool {
        self.genders.0.get(&who).is_none_or(|it| *it == gender)
    }

    /// The number of a sentence.
    pub(crate) fn index(&self, sentence: &Sentence) -> usize {
        self.sentences
            .partition_point(|it| it.at.start < sentence.at.start)
    }

    /// Who does what stands at this place of a sentence: the last person who begins a clause before it, or whom the pronoun there
    /// means.
    pub(crate) fn doer(&self, sentence: &Sentence, at: usize) -> Option<usize> {
        let people = self.named(sentence, Kind::Character);
        let subjects = people.filter(|(_, it)| {
            it.at.end <= at && is_subject(slice(self.text, sentence.at.start..it.at.start))
        });
        let named = subjects.last();
        let pronoun = self.pronoun_before(sentence, at);
        match (named, pronoun) {
            (Some((who, mention)), Some((gender, place))) if place > mention.at.start => {
                // "Ada laughed, and she took the key": with two people it is not clear who is meant.
                let is_it = self.genders.0.get(&who).is_none_or(|it| *it == gender);
                (is_it && self.only_person(sentence) == Some(who)).then_some(who)
            }
            (Some((who, _)), _) => Some(who),
            (None, Some((gender, _))) => {
                let is_free = self
                    .named(sentence, Kind::Character)
                    .all(|(_, it)| it.at.start >= at);
                let index = self.index(sentence);
                is_free.then(|| self.meant(index, gender)).flatten()
            }
            (None, None) => None,
        }
    }

    /// The last pronoun before a place that begins a clause, and its place.
    pub(super) fn pronoun_before(&self, sentence: &Sentence, at: usize) -> Option<(Gender, usize)> {
        let ahead = slice(self.text, sentence.at.start..at);
        let mut found = None;
        for (place, word) in words_of(ahead) {
            let start = sentence.at.start + place;
            let Some(gender) = (has("他|她|he|she", &word.to_lowercase()))
                .then(|| Gender::of(word))
                .flatten()
            else {
                continue;
            };
            let before = slice(ahead, ..place);
            let behind = slice(self.text, start + word.len()..sentence.at.end);
            let is_many = behind.starts_with(['们', '人', '的']);
            let begins = is_subject(before) || follows_time(before);
            if begins && !is_many && !self.is_spoken(start) {
                found = Some((gender, start));
            }
        }
        found
    }
}

/// "At four he", "By noon she", 傍晚他: only the time is before the pronoun.
fn follows_time(before: &str) -> bool {
    let before = before.trim_end();
    let begins = contains(
        before.split_whitespace().next().unwrap_or_default(),
        "at|by|after|before|when|then|that|on|in|today|still",
    );
    begins && before.split_whitespace().count() <= 5 && !before.contains([',', ';'])
        || has(
            "夜里|傍晚|早上|上午|下午|中午|半夜|天亮时|这时候|后来|第二天",
            before,
        )
}

/// The words of a text with their places; in Chinese every character counts as a word.
fn words_of(text: &str) -> impl Iterator<Item = (usize, &str)> {
    let mut rest = 0;
    std::iter::from_fn(move || {
        loop {
            let c = slice(text, rest..).chars().next()?;
            let start = rest;
            if is_han(c) {
                rest += c.len_utf8();
                return Some((start, slice(text, start..rest)));
            }
            if !c.is_alphabetic() {
                rest += c.len_utf8();
                continue;
            }
            let end = slice(text, start..).find(|c: char| !c.is_alphabetic() || is_han(c));
            rest = end.map_or(text.len(), |end| start + end);
            return Some((start, slice(text, start..rest)));
        }
    })
}
