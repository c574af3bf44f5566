//! Compares what people are to each other in the prose with the bible and with what was told earlier. Only kinship by blood and by marriage
//! counts, since a friend may also be an enemy, and somebody's uncle also their guardian.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;

use super::finding::{Passage, Rule, Severity};
use super::{Desk, passage};
use crate::readings::book::Placed;
use crate::readings::told::pronouns::Gender;
use crate::readings::told::{Told, has, relations};

/// What somebody is to somebody else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kin {
    Parent,
    Child,
    Sibling,
    Spouse,
    Grandparent,
    Grandchild,
    Uncle,
    Nephew,
    Cousin,
    InLaw,
}

impl Kin {
    /// The same relation in the other direction.
    fn reversed(self) -> Self {
        match self {
            Self::Parent => Self::Child,
            Self::Child => Self::Parent,
            Self::Grandparent => Self::Grandchild,
            Self::Grandchild => Self::Grandparent,
            Self::Uncle => Self::Nephew,
            Self::Nephew => Self::Uncle,
            Self::Sibling | Self::Spouse | Self::Cousin | Self::InLaw => self,
        }
    }
}

const WORDS: [(Kin, &str); 10] = [
    (
        Kin::Parent,
        "father|mother|父亲|母亲|爸爸|妈妈|爹|娘|生父|生母",
    ),
    (
        Kin::Child,
        "son|daughter|child|儿子|女儿|独子|独女|长子|长女|次子|次女|幼子|幼女",
    ),
    (
        Kin::Sibling,
        "brother|sister|twin|哥哥|弟弟|姐姐|妹妹|兄长|胞兄|胞弟|胞姐|胞妹",
    ),
    (Kin::Spouse, "wife|husband|妻子|丈夫|太太|夫人|老婆|老公"),
    (
        Kin::Grandparent,
        "grandfather|grandmother|爷爷|奶奶|祖父|祖母|外公|外婆",
    ),
    (
        Kin::Grandchild,
        "grandson|granddaughter|grandchild|孙子|孙女|外孙|外孙女",
    ),
    (
        Kin::Uncle,
        "uncle|aunt|叔叔|伯伯|伯父|叔父|舅舅|舅父|姑姑|姑妈|姑母|姨妈|姨母|婶婶|伯母|舅妈",
    ),
    (Kin::Nephew, "nephew|niece|侄子|侄女|侄儿|外甥|外甥女"),
    (
        Kin::Cousin,
        "cousin|表哥|表弟|表姐|表妹|表兄|堂兄|堂弟|堂哥|堂姐|堂妹",
    ),
    (
        Kin::InLaw,
        "brother-in-law|sister-in-law|father-in-law|mother-in-law|son-in-law|daughter-in-law|嫂子|嫂嫂|表嫂|堂嫂|弟媳|弟妹|姐夫|妹夫|岳父|岳母|\
         公公|婆婆|女婿|儿媳|小姑子|小叔子|妯娌",
    ),
];

const ELDER: &str = "哥哥|姐姐|兄长|胞兄|胞姐|表哥|表姐|表兄|堂兄|堂哥|堂姐";
const YOUNGER: &str = "弟弟|妹妹|胞弟|胞妹|表弟|表妹|堂弟|堂妹";

/// Beginnings of Chinese words that say through which parent somebody is related: 姑母 (father's sister) is not 姨母 (mother's sister), and
/// 堂 cousins are not 表 cousins.
const LINES: [&str; 6] = ["姑", "姨", "叔|伯|婶", "舅", "堂", "表"];

/// A word for a relation, as far as it can contradict another one.
#[derive(Clone, Debug, PartialEq, Eq)]
struct Relation {
    kin: Kin,
    /// Whether the word says who is the elder one.
    is_elder: Option<bool>,
    gender: Option<Gender>,
    /// Which of [`LINES`] the word says.
    line: Option<usize>,
    /// Whether the word was said about the other direction.
    is_reversed: bool,
    word: String,
}

impl Relation {
    fn of(word: &str) -> Option<Self> {
        let lower = word.trim().to_lowercase();
        let (kin, _) = WORDS.iter().find(|(_, words)| has(words, &lower))?;
        let is_elder = match () {
            () if has(ELDER, &lower) => Some(true),
            () if has(YOUNGER, &lower) => Some(false),
            () => None,
        };
        Some(Self {
            kin: *kin,
            is_elder,
            gender: Gender::of_relation(&lower),
            line: LINES
                .iter()
                .position(|line| line.split('|').any(|word| lower.starts_with(word))),
            is_reversed: false,
            word: word.trim().to_owned(),
        })
    }

    /// The relation in the other direction, as far as the word says it.
    fn reversed(&self) -> Self {
        Self {
            kin: self.kin.reversed(),
            is_elder: self.is_elder.map(|is_elder| !is_elder),
            gender: None,
            line: None,
            is_reversed: true,
            word: self.word.clone(),
        }
    }

    fn fits(&self, other: &Self) -> bool {
        let is_same = |one: Option<bool>, other: Option<bool>| {
            one.zip(other).is_none_or(|(one, other)| one == other)
        };
        let genders = self.gender.zip(other.gender);
        let lines = self.line.zip(other.line);
        self.kin == other.kin
            && is_same(self.is_elder, other.is_elder)
            && genders.is_none_or(|(one, other)| one == other)
            && lines.is_none_or(|(one, other)| one == other)
    }
}

/// Who said it first: an entry of the bible, or a sentence.
#[derive(Clone, Debug)]
enum Source {
    Bible(EntryId, &'static str),
    Prose(Passage),
}

#[derive(Debug)]
pub(super) struct Family {
    /// The known relations, by source and target.
    known: BTreeMap<(EntryId, EntryId), Vec<(Relation, Source)>>,
}

impl Family {
    pub(super) fn new(desk: &Desk<'_>) -> Self {
        let mut family = Self {
            known: BTreeMap::new(),
        };
        let facts = desk.book.relationships();
        for (entry, it) in facts.filter(|(entry, _)| entry.standing.is_fact()) {
            let kind = Relation::of(&it.kind);
            let reverse = it.reverse.as_deref().and_then(Relation::of);
            if let Some(kind) = kind {
                family.learn(
                    &it.source,
                    &it.target,
                    &kind,
                    &Source::Bible(entry.id.clone(), "type"),
                );
            }
            if let Some(reverse) = reverse {
                let source = Source::Bible(entry.id.clone(), "reverse");
                family.learn(&it.target, &it.source, &reverse, &source);
            }
        }
        family
    }

    fn learn(&mut self, source: &EntryId, target: &EntryId, relation: &Relation, from: &Source) {
        let there = (source.clone(), target.clone());
        self.known
            .entry(there)
            .or_default()
            .push((relation.clone(), from.clone()));
        let back = (target.clone(), source.clone());
        self.known
            .entry(back)
            .or_default()
            .push((relation.reversed(), from.clone()));
    }

    pub(super) fn read(&mut self, desk: &mut Desk<'_>, chapter: &Placed<'_>, told: &Told<'_>) {
        for sentence in told.sentences.iter().filter(|it| it.is_outright()) {
            for (source, target, word) in relations::of(told, sentence) {
                let Some(relation) = Relation::of(&word) else {
                    continue;
                };
                let here = passage(chapter, told, sentence);
                self.compare(desk, (source, target), &relation, here);
            }
        }
    }

    fn compare(
        &mut self,
        desk: &mut Desk<'_>,
        (source, target): (usize, usize),
        relation: &Relation,
        here: Passage,
    ) {
        let (from, to) = (
            desk.names.get(source).id.clone(),
            desk.names.get(target).id.clone(),
        );
        let known = self.known.get(&(from.clone(), to.clone()));
        let known = known.map(Vec::as_slice).unwrap_or_default();
        // What was said about this direction comes before what follows from the other direction.
        let direct = known.iter().find(|(it, _)| !it.is_reversed);
        let Some((first, origin)) = direct.or(known.first()).cloned() else {
            self.learn(&from, &to, relation, &Source::Prose(here));
            return;
        };
        // What follows from the other direction is less precise, and counts only where nothing was said about this one.
        let is_said = |it: &Relation| direct.is_none() || !it.is_reversed;
        let mut said = known.iter().filter(|(it, _)| is_said(it));
        if said.any(|(it, _)| it.fits(relation)) {
            return;
        }
        let (name, other) = (&desk.names.get(source).name, &desk.names.get(target).name);
        let (word, before) = (&relation.word, &first.word);
        let wrong = [
            format!("这里说{name}是{other}的“{word}”，两人的关系此前却是“{before}”。"),
            format!(
                "{name} is called “{word}” of {other} here, and the two are known by “{before}”."
            ),
        ];
        let todo = [
            "改正文，或改设定里的关系。",
            "Correct the text, or the relation in the bible.",
        ];
        let finding = desk.finding(Rule::ContradictingRelation, Severity::Warning, wrong, todo);
        let finding = desk.named(finding, source).with(&to).said(here);
        let finding = match origin {
            Source::Bible(entry, path) => finding.against_field(&entry, path, before),
            Source::Prose(passage) => finding.against(passage).field("type"),
        };
        desk.put(finding.values(before.clone(), word.clone()));
    }
}
