//! Which words of a request are its subject: the title that one would give to what is asked for.

use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::LazyLock;

use strum::{EnumCount, IntoStaticStr, VariantArray};

use crate::content::SEGMENTER;
use crate::features::Features;
use crate::fold::folded;
use crate::head::{Head, softmax};
use crate::languages::named;
use crate::set::Set;
use crate::sizes::{Of, sizes};
use crate::train::{HeldOut, Layer, Lesson};

/// Learned from the messages of all products; see [`crate::train_subject`].
const BYTES: &[u8] = include_bytes!("../data/subject.head");

/// `None` only while the head is made for the first time.
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(BYTES).ok());

/// How many words before and behind a word are looked at.
const BESIDE: usize = 4;

/// The marks around titles.
const PAIRS: [(&str, &str); 3] = [("《", "》"), ("「", "」"), ("『", "』")];

/// What a word of a message is to its subject.
#[derive(Clone, Copy, Debug, PartialEq, Eq, EnumCount, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum Part {
    Before,
    First,
    Inside,
    Last,
    /// The only word of the subject.
    Only,
    Behind,
    /// A word of a message without a subject.
    Without,
}

impl Part {
    const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");
}

/// The classes of the head.
pub(crate) fn classes() -> Vec<String> {
    Part::ALL.map(|part| <&str>::from(part).to_owned()).to_vec()
}

/// Where the subject of a message stands, in bytes, and how likely it is, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub begin: usize,
    pub end: usize,
    pub confidence: f64,
}

/// The run of whole words of a message that is likeliest its subject; `None` where it is likelier that it has none.
pub fn subject(message: &str) -> Option<Subject> {
    let head = HEAD.as_ref()?;
    let words = words(message);
    let sums = (0..words.len()).map(|at| head.sums(&seen(&words, at)));
    let (runs, sums): (Vec<_>, Vec<_>) =
        runs(&words, &sums.collect::<Vec<_>>()).into_iter().unzip();
    let chances = softmax(&sums, head.sharpness());
    let best = (0..runs.len()).max_by(|a, b| sums[*a].total_cmp(&sums[*b]))?;
    let (first, last) = runs[best]?;
    // Not half of a pair: "《背影》的公开课".
    let text = |at: usize| words[at].text.as_str();
    let is_pair = |open: usize| (first..=last).any(|at| PAIRS.contains(&(text(open), text(at))));
    let open = first.checked_sub(1).filter(|open| is_pair(*open));
    Some(Subject {
        begin: words[open.unwrap_or(first)].begin,
        end: words[last].end,
        confidence: chances[best],
    })
}

/// The first and the last word of a subject; `None` for the subject of a message that has none.
type Run = Option<(usize, usize)>;

/// Each run of words that can be the subject, with the sum of what its words and those around it say for it. `sums` are those of the parts, by
/// word.
fn runs(words: &[Word], sums: &[Vec<f64>]) -> Vec<(Run, f64)> {
    let count = words.len();
    // Of all words before each word.
    let mut before = vec![[0.0; Part::ALL.len()]];
    for of_word in sums {
        let mut all = before[before.len() - 1];
        for (all, sum) in all.iter_mut().zip(of_word) {
            *all += sum;
        }
        before.push(all);
    }
    let of = |part: Part, begin: usize, end: usize| {
        before[end][part as usize] - before[begin][part as usize]
    };
    let mut runs = vec![(None, of(Part::Without, 0, count))];
    for first in (0..count).filter(|at| words[*at].is_word()) {
        for last in (first..count).filter(|at| words[*at].is_word()) {
            let own = if first == last {
                of(Part::Only, first, last + 1)
            } else {
                of(Part::First, first, first + 1)
                    + of(Part::Inside, first + 1, last)
                    + of(Part::Last, last, last + 1)
            };
            let around = of(Part::Before, 0, first) + of(Part::Behind, last + 1, count);
            runs.push((Some((first, last)), own + around));
        }
    }
    runs
}

/// What a word is where this run is the subject.
fn part(run: Run, at: usize) -> Part {
    match run {
        None => Part::Without,
        Some((first, _)) if at < first => Part::Before,
        Some((_, last)) if at > last => Part::Behind,
        Some((first, last)) if first == last => Part::Only,
        Some((first, _)) if at == first => Part::First,
        Some((_, last)) if at == last => Part::Last,
        Some(_) => Part::Inside,
    }
}

/// How likely each part is for each word, in all runs together.
fn shares(runs: &[Run], chances: &[f64], count: usize) -> Vec<[f64; Part::ALL.len()]> {
    // By how much each part grows from one word to the next.
    let mut steps = vec![[0.0; Part::ALL.len()]; count + 1];
    for (run, chance) in runs.iter().zip(chances) {
        let mut add = |part: Part, begin: usize, end: usize| {
            if begin < end {
                steps[begin][part as usize] += chance;
                steps[end][part as usize] -= chance;
            }
        };
        match *run {
            None => add(Part::Without, 0, count),
            Some((first, last)) => {
                add(Part::Before, 0, first);
                if first == last {
                    add(Part::Only, first, last + 1);
                } else {
                    add(Part::First, first, first + 1);
                    add(Part::Inside, first + 1, last);
                    add(Part::Last, last, last + 1);
                }
                add(Part::Behind, last + 1, count);
            }
        }
    }
    steps.pop();
    let mut all = [0.0; Part::ALL.len()];
    let grown = steps.into_iter().map(|step| {
        for (all, step) in all.iter_mut().zip(step) {
            *all += step;
        }
        all
    });
    grown.collect()
}

/// The most words that are looked at: the subject of a request stands near its beginning.
const WORDS_MAX: usize = 120;

pub(crate) struct Word {
    begin: usize,
    end: usize,
    /// Folded; a mark is a word of its own.
    pub(crate) text: String,
    /// Whether it belongs to a size of what is asked for, such as "8 slides".
    is_size: bool,
    /// Whether it belongs to the name of a language.
    is_language: bool,
}

impl Word {
    fn is_word(&self) -> bool {
        self.text.chars().any(char::is_alphanumeric)
    }
}

/// The words of a message; each mark is one.
pub(crate) fn words(message: &str) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut begin = 0;
    let mut is_joined = false;
    for end in SEGMENTER.segment_str(message).skip(1) {
        let text = &message[begin..end];
        let is_hyphen = matches!(text, "-" | "‐" | "’" | "'");
        let touches = words.last().is_some_and(|word| word.end == begin);
        match words.last_mut() {
            // A word with a hyphen is one.
            Some(word) if touches && (is_joined || is_hyphen) => {
                is_joined = is_hyphen;
                word.end = end;
            }
            _ if text.trim().is_empty() => is_joined = false,
            _ => {
                is_joined = false;
                words.push(Word {
                    begin,
                    end,
                    text: String::new(),
                    is_size: false,
                    is_language: false,
                });
            }
        }
        begin = end;
    }
    words.truncate(WORDS_MAX);
    let (sizes, languages) = (sizes(message), named(message));
    let wanted = sizes.iter().filter(|size| size.of == Of::Wanted);
    for word in &mut words {
        let is_in = |begin: usize, end: usize| begin < word.end && word.begin < end;
        word.is_size = wanted.clone().any(|size| is_in(size.begin, size.end));
        word.is_language = languages.iter().any(|name| is_in(name.begin, name.end));
        word.text = folded(&message[word.begin..word.end]);
        if word.text.chars().all(char::is_numeric) {
            word.text = "0".to_owned();
        }
    }
    words
}

/// So many letters at its ends are seen of a word alone.
const ENDS: usize = 3;

/// What is seen of a word: itself, its neighbours by their distance, and where it stands.
fn seen(words: &[Word], at: usize) -> Features {
    let word = |place: usize| words.get(place).map_or("", |word| word.text.as_str());
    let before = |steps: usize| at.checked_sub(steps).map_or("", word);
    let mut names = vec![format!("0{}", word(at))];
    for steps in 1..=BESIDE {
        names.push(format!("-{steps}{}", before(steps)));
        names.push(format!("+{steps}{}", word(at + steps)));
        // Somewhere near.
        names.push(format!("<{}", before(steps)));
        names.push(format!(">{}", word(at + steps)));
    }
    for steps in 0..=2 {
        let places = [("-", at.checked_sub(steps)), ("+", Some(at + steps))];
        for (side, place) in places {
            let Some(word) = place.and_then(|place| words.get(place)) else {
                continue;
            };
            if word.is_size {
                names.push(format!("{side}{steps}size"));
            }
            if word.is_language {
                names.push(format!("{side}{steps}language"));
            }
        }
    }
    names.push(format!("-2-1{} {}", before(2), before(1)));
    names.push(format!("-3-2-1{} {} {}", before(3), before(2), before(1)));
    names.push(format!(
        "-4-1{} {} {} {}",
        before(4),
        before(3),
        before(2),
        before(1)
    ));
    names.push(format!("-10{} {}", before(1), word(at)));
    names.push(format!("0+1{} {}", word(at), word(at + 1)));
    names.push(format!("+1+2{} {}", word(at + 1), word(at + 2)));
    names.push(format!(
        "+1+2+3{} {} {}",
        word(at + 1),
        word(at + 2),
        word(at + 3)
    ));
    names.push(format!("-1+1{} {}", before(1), word(at + 1)));
    for steps in [0, 1] {
        for (side, word) in [("-", before(steps)), ("+", word(at + steps))] {
            let ending: String = word.chars().rev().take(ENDS).collect();
            let beginning: String = word.chars().take(ENDS).collect();
            names.push(format!("{side}{steps}end{ending}"));
            names.push(format!("{side}{steps}begin{beginning}"));
        }
    }
    if !words[at].is_word() {
        names.push("mark".to_owned());
    }
    names.push(format!("from{}", at.min(12)));
    names.push(format!("left{}", (words.len() - at).min(12)));
    names.push(format!("of{}", words.len().max(1).ilog2()));
    let marks = words[..at]
        .iter()
        .filter(|word| !word.text.chars().any(char::is_alphanumeric));
    names.push(format!("clause{}", marks.count().min(6)));
    Features::of_names(&names)
}

/// How many times the subject of each message is put into another one of its language: what stands around a subject tells it, and not its
/// own words.
const SWAPS: usize = 5;

/// By how many rows a subject is moved.
const SWAP_STEP: usize = 7;

/// A message with its subject, as it is learned from.
pub(crate) struct Request {
    words: Vec<Word>,
    seen: Vec<Features>,
    run: Run,
}

impl Request {
    /// `None` where a marked subject is no run of whole words.
    fn new(message: &str, subject: Option<Range<usize>>) -> Option<Self> {
        let words = words(message);
        let run = match subject {
            None => None,
            Some(subject) => {
                let is_inside = |word: &Word| subject.contains(&word.begin) && word.is_word();
                let first = words.iter().position(is_inside)?;
                Some((first, words.iter().rposition(is_inside)?))
            }
        };
        Some(Self {
            seen: (0..words.len()).map(|at| seen(&words, at)).collect(),
            words,
            run,
        })
    }
}

impl Lesson for Request {
    fn seen(&self) -> impl Iterator<Item = &Features> {
        self.seen.iter()
    }

    fn seen_mut(&mut self) -> impl Iterator<Item = &mut Features> {
        self.seen.iter_mut()
    }

    fn step(&self, layer: &mut Layer) {
        let sums: Vec<Vec<f64>> = self.seen.iter().map(|seen| layer.sums(seen)).collect();
        let (runs, sums): (Vec<_>, Vec<_>) = runs(&self.words, &sums).into_iter().unzip();
        let chances = softmax(&sums, 1.0);
        let shares = shares(&runs, &chances, self.words.len());
        for (at, (seen, mut errors)) in self.seen.iter().zip(shares).enumerate() {
            errors[part(self.run, at) as usize] -= 1.0;
            layer.move_by(seen, &errors);
        }
    }

    fn tried(&self, head: &Head) -> HeldOut {
        let sums: Vec<Vec<f64>> = self.seen.iter().map(|seen| head.sums(seen)).collect();
        let (runs, sums): (Vec<_>, Vec<_>) = runs(&self.words, &sums).into_iter().unzip();
        let right = runs.iter().position(|run| *run == self.run);
        (sums, right.into_iter().collect())
    }
}

/// The requests whose subject is marked, and as many with the subjects of others; and those of which it is known that they have none.
pub(crate) fn requests(set: &Set) -> Vec<Request> {
    let mut by_language: BTreeMap<&str, Vec<(&str, &str, &str)>> = BTreeMap::new();
    for row in &set.rows {
        let of_it = by_language.entry(&row.language).or_default();
        of_it.extend(row.parts());
    }
    let mut requests = vec![];
    for rows in by_language.values() {
        for (at, (before, _, behind)) in rows.iter().enumerate() {
            for swap in 0..=SWAPS {
                let (_, subject, _) = rows[(at + swap * SWAP_STEP) % rows.len()];
                let inside = before.len()..before.len() + subject.len();
                let message = format!("{before}{subject}{behind}");
                requests.extend(Request::new(&message, Some(inside)));
            }
        }
    }
    let without = set.rows.iter().filter(|row| row.intents == [WITHOUT]);
    requests.extend(without.filter_map(|row| Request::new(&row.message(), None)));
    requests
}

/// The intent of a message that asks for something without saying what about.
const WITHOUT: &str = "without";
