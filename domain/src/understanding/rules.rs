//! How a message is meant, by what was learned from the messages of its pipeline, and which parts it names, by their numbers and names.

use std::sync::LazyLock;

use words::{Features, Head, Synonyms, folded, rows};

use super::items::{Items, NamedItems, named};

/// What a pipeline says of itself, so that a message can be understood.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// What was learned from messages to the pipeline.
    pub learned: &'static LazyLock<Learned>,
    /// Where a message may name how many items there are to be.
    pub counted: Option<Counted>,
    /// The stage where the work on one more item begins.
    pub added: &'static str,
    /// The stage that decides the language.
    pub language: &'static str,
    /// The items that can be named, and the stages that make something for a single one of them.
    pub items: Option<Items>,
    pub item_stages: &'static [&'static str],
}

/// What was learned from the messages of a pipeline. The classes are `new`, `question`, `undo`, `go_on`, `talk`, `complaint`, and for each
/// stage `change:` with its name.
#[derive(Debug)]
pub struct Learned {
    head: Head,
    synonyms: Synonyms,
    /// The stages that a message can want different, earliest first.
    pub stages: Vec<StageAbout>,
}

impl Learned {
    /// From the files `intent.head`, `synonyms.tsv` and `stages.tsv` of the folder `messages/` of a pipeline; see the crate
    /// `words` and the heads of the files.
    ///
    /// # Panics
    ///
    /// The head is damaged, which a test of the pipeline finds.
    pub fn of(head: &[u8], synonyms: &str, stages: &'static str) -> Self {
        let stage = |[name, about, zh, en]: [&'static str; 4]| StageAbout {
            name,
            about,
            called: (zh, en),
        };
        Self {
            head: Head::read(head).expect("a head as it was trained"),
            synonyms: Synonyms::read(synonyms),
            stages: rows(stages).map(stage).collect(),
        }
    }
}

impl Vocabulary {
    /// The stages that a message can want different, earliest first.
    pub fn stages(&self) -> impl DoubleEndedIterator<Item = &'static StageAbout> + use<> {
        self.learned.stages.iter()
    }

    /// What the items are called in an answer: the word for one in Chinese, and the word for several in English.
    pub(super) fn called(&self) -> (&'static str, &'static str) {
        self.items.map_or(("个", "parts"), |items| items.called)
    }
}

/// How many items there are to be.
#[derive(Clone, Copy, Debug)]
pub struct Counted {
    /// Whether a message names a number of them.
    pub is_named: fn(&str) -> bool,
    /// The stage that decides the number of items.
    pub stage: &'static str,
}

/// A stage as people speak of it.
#[derive(Clone, Copy, Debug)]
pub struct StageAbout {
    pub name: &'static str,
    /// For a model: what belongs to it.
    pub about: &'static str,
    /// For the person: what is changed, in Chinese and in English.
    pub called: (&'static str, &'static str),
}

/// A message, and what exists when it comes.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub text: &'a str,
    /// Whether there is something that could be changed.
    pub refinable: bool,
    /// Whether the run before stopped before its end.
    pub resumable: bool,
    /// Whether something came with the message that is for the product, such as an input or files: then it asks for work.
    pub is_about: bool,
    /// The titles of the items, by place.
    pub titles: &'a [String],
}

/// How a message is meant.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Meaning {
    /// The message asks for something other than what was already made.
    New,
    Change(Change),
    /// A question about what was already made.
    Question {
        /// The places of the items that it names.
        places: Vec<u32>,
    },
    Talk,
    /// The message says that something is not right, but not what.
    Complaint,
    GoOn,
    Undo,
}

/// What is to be different.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Change {
    /// The earliest stage that it touches.
    pub stage: &'static str,
    pub items: NamedItems,
    /// The tag of the language into which the content is to be put.
    pub language: Option<&'static str>,
}

/// How a message is likely meant.
#[derive(Clone, Debug, PartialEq)]
pub struct Reading {
    pub meaning: Meaning,
    /// The share of such messages that are meant so, 0 to 1.
    pub confidence: f64,
}

/// Below this confidence a message is not understood: nothing is done before the person has said which reading is meant. More than half
/// of such messages would be misunderstood.
pub const UNDERSTOOD: f64 = 0.45;
/// From this confidence on a reading is right in nineteen of twenty messages.
pub const SURE: f64 = 0.9;

/// How a message is meant: the likeliest reading, and the second likeliest.
pub fn readings(said: &Said<'_>, vocabulary: &Vocabulary) -> [Reading; 2] {
    let text = folded(said.text);
    if !text.chars().any(char::is_alphanumeric) {
        return [TALK, TALK].map(|_| Reading {
            meaning: Meaning::Talk,
            confidence: 1.0,
        });
    }
    let found = Found::of(&text, said, vocabulary);
    let Learned { head, synonyms, .. } = &**vocabulary.learned;
    let state = if said.refinable {
        "state=after"
    } else {
        "state=first"
    };
    let features = Features::of(said.text, &[state], synonyms);
    let chances = head.probabilities(&features, |class| found.allows(class, said, vocabulary));
    let mut classes: Vec<(f64, &String)> = chances.into_iter().zip(head.classes()).collect();
    classes.sort_by(|a, b| b.0.total_cmp(&a.0));
    let mut likely: Vec<Reading> = vec![];
    for (chance, class) in classes {
        let meaning = found.meaning(class, chance, said, vocabulary);
        // Classes that come to the same count together.
        match likely.iter_mut().find(|known| known.meaning == meaning) {
            Some(known) => known.confidence += chance,
            None => likely.push(Reading {
                meaning,
                confidence: chance,
            }),
        }
    }
    // A number of parts is a part of a brief, and without a subject it is a change. Who names parts that are there wants them different,
    // and who says which of them stay, or in which order, wants just that.
    let is_change = |one: &&Reading| matches!(one.meaning, Meaning::Change(_));
    let changes: f64 = likely
        .iter()
        .filter(is_change)
        .map(|it| it.confidence)
        .sum();
    let is_mere_count = likely[0].meaning == Meaning::New
        && found.counts.is_some()
        && !names_subject(said.text, SUBJECT);
    let is_surely_asked =
        matches!(likely[0].meaning, Meaning::Question { .. }) && likely[0].confidence >= SURE;
    let is_ordered = found.items.order.is_some() && !is_surely_asked;
    let names_parts = !found.items.places.is_empty() || found.items.beyond.is_some();
    let is_of_parts = names_parts && changes >= UNDERSTOOD;
    if said.refinable
        && (is_mere_count || is_ordered || is_of_parts)
        && let Some(at) = likely.iter().position(|one| is_change(&one))
    {
        likely[..=at].rotate_right(1);
        likely[0].confidence = likely[0].confidence.max(UNDERSTOOD);
    }
    // Few messages about something that is there want something else instead, unless they surely do.
    if said.refinable
        && !said.is_about
        && likely[0].meaning == Meaning::New
        && likely[0].confidence < NEW_SURE
        && !(likely[0].confidence >= NEW_LIKELY && names_subject(said.text, SUBJECT_SURE))
        && likely.len() > 1
    {
        let rest = 1.0 - likely[0].confidence;
        likely.swap(0, 1);
        likely[0].confidence /= rest;
    }
    // At first a message is a request unless it surely is none: what is made can be looked at, and talk is an answer to nobody.
    if !said.refinable && likely[0].meaning == Meaning::Talk && likely[0].confidence < TALK_SURE {
        likely.swap(0, 1);
    }
    let mut likely = likely.into_iter();
    let none = || Reading {
        meaning: Meaning::Talk,
        confidence: 0.0,
    };
    [likely.next(), likely.next()].map(|reading| reading.unwrap_or_else(none))
}

/// From this confidence on, a message behind which something is there wants something new instead. Of unseen messages 60 of 63 do, and of those
/// with less 6 of 28, nearly all of which name a subject; of the other readings of those the likeliest is right in two of three.
const NEW_SURE: f64 = 0.8;
/// The same for a message that surely names a subject: it is likelier new than not.
const NEW_LIKELY: f64 = 0.5;

/// Whether a message that names a number of parts surely has a subject beside that number.
fn names_subject(text: &str, least: f64) -> bool {
    words::subject(text).is_some_and(|subject| {
        let words = &text[subject.begin..subject.end];
        subject.confidence >= least && !words.contains(char::is_numeric)
    })
}

/// From this likelihood of its words on, a subject is one, and from this on it is surely one.
const SUBJECT: f64 = 0.7;
const SUBJECT_SURE: f64 = 0.95;

/// How a message is likeliest meant.
pub fn understood(said: &Said<'_>, vocabulary: &Vocabulary) -> Meaning {
    let [first, _] = readings(said, vocabulary);
    first.meaning
}

/// From this confidence on a first message is only talk.
const TALK_SURE: f64 = 0.6;

/// From this likelihood on, a change is one of single items.
const OF_ITEMS: f64 = 0.6;

const TALK: &str = "talk";
const NEW: &str = "new";
const GO_ON: &str = "go_on";
const COMPLAINT: &str = "complaint";
const CHANGE: &str = "change:";

/// What a message names.
struct Found {
    items: NamedItems,
    names_items: bool,
    /// The stage that decides how many items there are to be, if the message names a number of them.
    counts: Option<&'static str>,
    language: Option<&'static str>,
}

impl Found {
    fn of(text: &str, said: &Said<'_>, vocabulary: &Vocabulary) -> Self {
        let items = vocabulary.items.filter(|_| said.refinable);
        let items = items
            .map(|items| named(text, &items, said.titles))
            .unwrap_or_default();
        let names_items = !items.places.is_empty() || items.beyond.is_some() || items.adds;
        let counted = vocabulary
            .counted
            .filter(|counted| !names_items && (counted.is_named)(text));
        Self {
            items,
            names_items,
            counts: counted.map(|counted| counted.stage),
            // Where only some parts are to be in another language, the run keeps its language.
            language: wanted_language(text).filter(|_| !names_items),
        }
    }

    /// Whether a message that names this, at this time, can be meant so.
    fn allows(&self, class: &str, said: &Said<'_>, vocabulary: &Vocabulary) -> bool {
        if !said.refinable {
            let asks_for_nothing = [TALK, GO_ON].contains(&class) && !said.is_about;
            return class == NEW || asks_for_nothing;
        }
        if said.is_about && class != NEW && !class.starts_with(CHANGE) {
            return false;
        }
        if !self.names_items {
            return true;
        }
        // Who names a page that is there by its number speaks of what is there.
        let is_by_number = vocabulary.items.is_some_and(|items| !items.by_title);
        if class == NEW && is_by_number && !self.items.places.is_empty() {
            return false;
        }
        let only = vocabulary.item_stages;
        match class.strip_prefix(CHANGE) {
            Some(stage) => self.items.adds || only.is_empty() || only.contains(&stage),
            None => class != COMPLAINT,
        }
    }

    fn meaning(
        &self,
        class: &str,
        chance: f64,
        said: &Said<'_>,
        vocabulary: &Vocabulary,
    ) -> Meaning {
        let places = self.items.places.clone();
        match class {
            NEW => Meaning::New,
            "question" => Meaning::Question { places },
            "undo" => Meaning::Undo,
            COMPLAINT => Meaning::Complaint,
            GO_ON if said.resumable || said.refinable => Meaning::GoOn,
            class => match class.strip_prefix(CHANGE) {
                Some(stage) => Meaning::Change(self.change(stage, chance, vocabulary)),
                None => Meaning::Talk,
            },
        }
    }

    /// A change of a stage, which begins earlier where the message names a number, a language or one more item.
    fn change(&self, stage: &str, chance: f64, vocabulary: &Vocabulary) -> Change {
        let language = self.language.map(|_| vocabulary.language);
        let added = self.items.adds.then_some(vocabulary.added);
        // In what is likely a change of single items a number is the place of one of them.
        let is_of_items = chance >= OF_ITEMS && vocabulary.item_stages.contains(&stage);
        let counts = self.counts.filter(|_| !is_of_items);
        let touched = [Some(stage), counts, language, added];
        let mut stages = vocabulary.stages().map(|stage| stage.name);
        let last = vocabulary
            .stages()
            .next_back()
            .map_or("", |stage| stage.name);
        Change {
            stage: stages
                .find(|name| touched.contains(&Some(name)))
                .unwrap_or(last),
            items: self.items.clone(),
            language: self.language,
        }
    }
}

/// The tag of the language into which the existing content is to be put: "in Portuguese", "the Spanish version", "翻成法语", "英文版".
pub fn wanted_language(text: &str) -> Option<&'static str> {
    crate::language::wanted(text)
}
