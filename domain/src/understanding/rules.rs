//! How a message is meant, by rules: with words that are the same for everything that is made, and those of its pipeline.

use super::items::{ItemWords, NamedItems, named};
use super::words as w;
use crate::says::{says, without};

/// What a pipeline says of itself, so that a message can be understood.
#[derive(Clone, Copy, Debug)]
pub struct Vocabulary {
    /// The stages that a message can want different, earliest first.
    pub stages: &'static [StageWords],
    /// The stage of a change whose words name no stage.
    pub otherwise: &'static str,
    /// Where a message may name how many items there are to be.
    pub counted: Option<Counted>,
    /// The stage where the work on one more item begins.
    pub added: &'static str,
    /// The stage that decides the language.
    pub language: &'static str,
    /// What its product is called, in both languages; see [`says`] for the form.
    pub products: &'static str,
    /// The items that can be named, and the stages that make something for a single one of them.
    pub items: Option<ItemWords>,
    pub item_stages: &'static [&'static str],
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
pub struct StageWords {
    pub name: &'static str,
    /// For a model: what belongs to it.
    pub about: &'static str,
    /// Words that refer to the stage.
    pub words: &'static str,
    /// Whether these words may as well be part of a request for something new: audience, length, content.
    pub is_of_subject: bool,
}

/// A message, and what exists when it comes.
#[derive(Clone, Copy, Debug)]
pub struct Said<'a> {
    pub text: &'a str,
    /// Whether there is something that could be changed.
    pub refinable: bool,
    /// Whether the run before stopped before its end.
    pub resumable: bool,
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
    /// Whether a word of the message named the stage.
    pub is_named: bool,
    /// The tag of the language into which the content is to be put.
    pub language: Option<&'static str>,
}

/// A message, understood by rules.
pub fn understood(said: &Said<'_>, vocabulary: &Vocabulary) -> Meaning {
    let text = simplified(&said.text.to_lowercase());
    if asks_to_go_on(&text) {
        return if said.resumable || said.refinable {
            Meaning::GoOn
        } else {
            Meaning::Talk
        };
    }
    let chats_at_first =
        !said.refinable && says(&text, w::CHAT_AT_FIRST) && weight(&text) <= CHAT_MAX;
    if is_talk(&text) || chats_at_first || begins_a_chat(&text, vocabulary) {
        return Meaning::Talk;
    }
    if !said.refinable {
        return Meaning::New;
    }
    let items = vocabulary
        .items
        .map(|words| named(&text, &words, said.titles))
        .unwrap_or_default();
    let names_items = !items.places.is_empty() || items.beyond.is_some() || items.adds;
    if asks_for_something_new(&text, vocabulary, names_items) {
        return Meaning::New;
    }
    if says(&text, w::UNDO) {
        return Meaning::Undo;
    }
    if is_question(&text) {
        return Meaning::Question {
            places: items.places,
        };
    }
    if !names_items && is_mere_complaint(&text, vocabulary) {
        return Meaning::Complaint;
    }
    let wanted = without_what_stays(&text);
    let counts = vocabulary
        .counted
        .filter(|counted| !names_items && (counted.is_named)(&text))
        .map(|counted| counted.stage);
    // Where only some parts are to be in another language, the run keeps its language.
    let tag = wanted_language(&wanted).filter(|_| !names_items);
    let language = tag.map(|_| vocabulary.language);
    let added = items.adds.then_some(vocabulary.added);
    let of_words = touched(&wanted, vocabulary, names_items && !items.adds);
    let touched = counts.or_else(|| earliest(vocabulary, [of_words, language, added]));
    let speaks_of_it = names_items
        || touched.is_some()
        || says(&wanted, w::CHANGES)
        || says(&text, w::JUDGEMENTS)
        || says(&text, w::THIS);
    if is_chat(&text) && touched.is_none() && !names_items {
        return Meaning::Talk;
    }
    let is_topic = names_a_topic(&text, vocabulary) && !names_items && language.is_none();
    if is_topic || !speaks_of_it {
        return Meaning::New;
    }
    Meaning::Change(Change {
        language: tag,
        stage: touched.unwrap_or(vocabulary.otherwise),
        items,
        is_named: touched.is_some(),
    })
}

/// Of these stages the one that comes first.
fn earliest(vocabulary: &Vocabulary, stages: [Option<&'static str>; 3]) -> Option<&'static str> {
    let mut known = vocabulary.stages.iter().map(|stage| stage.name);
    known.find(|name| stages.contains(&Some(name)))
}

/// The tag of the language into which the existing content is to be put: "in Portuguese", "the Spanish version", "翻成法语", "英文版".
pub fn wanted_language(text: &str) -> Option<&'static str> {
    crate::language::wanted(text)
}

/// The earliest stage that a wish touches; where it names items, only the stages that make single items count.
fn touched(text: &str, vocabulary: &Vocabulary, names_items: bool) -> Option<&'static str> {
    let of_items = |stage: &&StageWords| {
        !names_items
            || vocabulary.item_stages.is_empty()
            || vocabulary.item_stages.contains(&stage.name)
    };
    let mut stages = vocabulary.stages.iter().filter(of_items);
    stages
        .find(|stage| says(text, stage.words))
        .map(|stage| stage.name)
}

/// The most letters that a request to go on may have besides the request itself.
const BESIDE_GO_ON: usize = 3;

fn asks_to_go_on(text: &str) -> bool {
    if !says(text, w::GO_ON) {
        return false;
    }
    let left = without(text, &[w::GO_ON, w::FILLERS]);
    weight(&left) <= BESIDE_GO_ON || (says(text, w::STOPPED) && weight(&left) <= BESIDE_STOPPED)
}

/// The same for a request that also says that something stopped.
const BESIDE_STOPPED: usize = 40;

/// The number of letters in a text; a Chinese character counts as two.
fn weight(text: &str) -> usize {
    let letters = text.chars().filter(|c| c.is_alphanumeric());
    letters.map(|c| if c.is_ascii() { 1 } else { 2 }).sum()
}

/// Whether a message consists only of greetings, thanks and praise.
fn is_talk(text: &str) -> bool {
    weight(&without(text, &[w::TALK, w::PARTICLES])) == 0
}

/// A text in which traditional characters are replaced by their simplified forms, as far as they occur in the words of the rules.
fn simplified(text: &str) -> String {
    let simple = |c: char| {
        let mut pairs = w::TRADITIONAL.chars();
        while let (Some(old), Some(new)) = (pairs.next(), pairs.next()) {
            if old == c {
                return new;
            }
        }
        c
    };
    text.chars().map(simple).collect()
}

/// The most letters of a message that only chats.
const CHAT_MAX: usize = 44;

/// Whether a short message greets or thanks, and asks for nothing after that.
fn begins_a_chat(text: &str, vocabulary: &Vocabulary) -> bool {
    let mut clauses = text
        .split(|c| "，,。；;！!？?\n".contains(c))
        .filter(|clause| !clause.trim().is_empty());
    let greets = clauses.next().is_some_and(is_talk);
    let asks = [
        w::MAKE,
        w::ABOUT,
        w::WANT,
        w::CHANGES,
        w::JUDGEMENTS,
        vocabulary.products,
    ]
    .iter()
    .any(|words| says(text, words))
        || vocabulary
            .stages
            .iter()
            .any(|stage| says(text, stage.words));
    greets && !asks && weight(text) <= CHAT_MAX
}

/// Whether a message says only that something is not right.
fn is_mere_complaint(text: &str, vocabulary: &Vocabulary) -> bool {
    let rest = without(
        text,
        &[
            w::COMPLAINTS,
            w::AROUND_COMPLAINTS,
            w::FILLERS,
            w::PARTICLES,
            vocabulary.products,
        ],
    );
    says(text, w::COMPLAINTS) && weight(&rest) == 0
}

/// Whether a short message is about nothing that can be made, such as the weather, or only says that all is well.
fn is_chat(text: &str) -> bool {
    says(text, w::ALL_IS_WELL) || (weight(text) <= CHAT_MAX && says(text, w::CHAT))
}

fn is_question(text: &str) -> bool {
    if says(text, w::ASKED_ZH) && !says(text, w::REQUESTS_ZH) || says(text, w::ASKED_SURELY) {
        return true;
    }
    let ends_asking = text.trim_end().ends_with(['？', '吗', '呢']);
    let is_asked = ["什么", "有提到", "是不是", "吗", "谁"];
    if ends_asking && is_asked.iter().any(|word| text.contains(word)) && !says(text, w::REQUESTS_ZH)
    {
        return true;
    }
    let start = text.trim_start_matches(|c: char| !c.is_alphanumeric());
    let start = w::OPENINGS
        .split('|')
        .find_map(|word| start.strip_prefix(word))
        .map_or(start, |rest| {
            rest.trim_start_matches(|c: char| !c.is_alphanumeric())
        });
    let asks = w::ASKED_EN.split('|').any(|word| {
        start
            .strip_prefix(word)
            .is_some_and(|rest| !rest.starts_with(char::is_alphanumeric))
    });
    asks && !says(text, w::SUGGESTS_EN)
}

/// Whether a message asks for a new product.
fn asks_for_something_new(text: &str, vocabulary: &Vocabulary, names_items: bool) -> bool {
    if says(text, w::NEW_TOPIC) {
        return true;
    }
    if names_items && !says(text, w::ANOTHER) {
        return false;
    }
    let speaks_of_product = says(text, vocabulary.products);
    let has_subject = says(text, w::ABOUT);
    if says(text, w::ANOTHER) && !says(text, w::PARTS_ANEW) {
        return true;
    }
    if says(text, w::MAKE) && (speaks_of_product || has_subject) && !says(text, w::PARTS_ANEW) {
        return true;
    }
    let is_frame = w::FRAMES
        .split('|')
        .any(|frame| text.trim_start().starts_with(frame));
    let becomes = w::TOPIC_BECOMES
        .split('|')
        .filter_map(|words| text.split_once(words))
        .filter_map(|(_, topic)| topic.split(['，', ',', '。', '.', '；']).next())
        .any(|topic| {
            touched(topic, vocabulary, false).is_none() && weight(topic) >= SUBJECT_LETTERS
        });
    if becomes {
        return true;
    }
    (is_frame || says(text, w::FRAMES_WITHIN)) && says(text, w::WANT) && !says(text, w::THIS_ONE)
        || replaced_topic(text)
}

/// "不写早餐了，写护肤", "forget plants, do the French Revolution".
fn replaced_topic(text: &str) -> bool {
    let zh = w::NO_LONGER_ZH.split('|').any(|no| {
        let Some(at) = text.find(no) else {
            return false;
        };
        let rest = &text[at + no.len()..];
        let Some((_, rest)) = rest.split_once("了") else {
            return false;
        };
        let rest = rest.trim_start_matches(['，', ',', ' ', '。', '；']);
        w::DO_ZH.split('|').any(|word| rest.starts_with(word))
    });
    let start = text.trim_start();
    let en = w::NO_LONGER_EN.split('|').any(|no| {
        start.strip_prefix(no).is_some_and(|rest| {
            rest.split_once([',', '.', ';', '-'])
                .is_some_and(|(_, rest)| {
                    let rest = rest.trim_start();
                    w::DO_EN.split('|').any(|word| rest.starts_with(word))
                })
        })
    });
    zh || en
}

/// Whether a message reads as a request of its own, such as "Tides for beginners, 8 pages": it has a subject, and no word of a change or of
/// a judgement. Words about length, audience and content are part of such a request; words about looks and texts are part of it only after
/// a subject that stands by itself, in a message that says for whom the product is or how long it is to be.
fn names_a_topic(text: &str, vocabulary: &Vocabulary) -> bool {
    let had_subject = says(text, w::SUBJECTS);
    let text = without(text, &[w::SUBJECTS]);
    let speaks_of_it =
        says(&text, w::CHANGES) || says(&text, w::JUDGEMENTS) || says(&text, w::THIS);
    if speaks_of_it {
        return false;
    }
    let words = |is_of_subject: bool| {
        let stages = vocabulary.stages.iter();
        stages.filter(move |stage| stage.is_of_subject == is_of_subject)
    };
    let is_of_looks = |text: &str| words(false).any(|stage| says(text, stage.words));
    let has_subject = |clause: &str| {
        let mut lists = vec![w::FILLERS, w::TALK, vocabulary.products];
        lists.extend(vocabulary.stages.iter().map(|stage| stage.words));
        had_subject || weight(&without(clause, &lists)) >= SUBJECT_LETTERS
    };
    let mut clauses = text
        .split(|c| "，,。.；;：:！!？?\n".contains(c))
        .filter(|clause| !is_talk(clause));
    if !is_of_looks(&text) {
        return clauses.any(has_subject);
    }
    let is_specified = words(true).any(|stage| says(&text, stage.words))
        || vocabulary
            .counted
            .is_some_and(|counted| (counted.is_named)(&text));
    let first = clauses.next().unwrap_or_default();
    is_specified && !is_of_looks(first) && has_subject(first)
}

/// Letters that name something.
const SUBJECT_LETTERS: usize = 3;

/// A wish without the clauses that say what is to stay as it is.
fn without_what_stays(text: &str) -> String {
    let mut clauses = vec![text.to_owned()];
    for end in w::CLAUSES.split('|') {
        clauses = clauses
            .iter()
            .flat_map(|clause| clause.split(end).map(str::to_owned))
            .collect();
    }
    let stays: Vec<&String> = clauses
        .iter()
        .filter(|clause| !says(clause, w::STAYS))
        .collect();
    if stays.iter().all(|clause| weight(clause) < SUBJECT_LETTERS) {
        return text.to_owned();
    }
    stays
        .into_iter()
        .map(String::as_str)
        .collect::<Vec<_>>()
        .join("，")
}
