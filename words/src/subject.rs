//! Which words of a request are its subject: the title that one would give to what is asked for.

use std::sync::LazyLock;

use crate::features::Features;
use crate::fold::folded;
use crate::head::Head;
use crate::script::is_ideographic;
use crate::set::Set;
use crate::sizes::{Of, Size, sizes};
use crate::train::Example;

/// Learned from the messages of all products; see [`crate::train_subject`].
const BYTES: &[u8] = include_bytes!("../data/subject.head");

/// `None` only while the head is made for the first time.
static HEAD: LazyLock<Option<Head>> = LazyLock::new(|| Head::read(BYTES).ok());

/// How many words before and behind a word are looked at.
const BESIDE: usize = 4;

/// Where the subject of a message stands, in bytes, and how likely its words are the subject, 0 to 1.
#[derive(Clone, Debug, PartialEq)]
pub struct Subject {
    pub begin: usize,
    pub end: usize,
    pub confidence: f64,
}

/// The run of whole words of a message that is likeliest its subject; `None` where no word is.
pub fn subject(message: &str) -> Option<Subject> {
    let words = words(message);
    let head = HEAD.as_ref()?;
    let inside = head.class("subject")?;
    let chances: Vec<f64> = (0..words.len())
        .map(|at| head.probabilities(&seen(&words, at), |_| true)[inside].clamp(1e-6, 1.0 - 1e-6))
        .collect();
    // The run with the largest sum of log odds.
    let mut best: Option<(f64, usize, usize)> = None;
    let (mut sum, mut begin) = (0.0, 0);
    for (at, chance) in chances.iter().enumerate() {
        if sum <= 0.0 {
            (sum, begin) = (0.0, at);
        }
        sum += libm::log(chance / (1.0 - chance));
        if sum > best.map_or(0.0, |(most, ..)| most) {
            best = Some((sum, begin, at));
        }
    }
    let (_, first, last) = best?;
    let (first, last) = trimmed(&words, first, last)?;
    let run = &chances[first..=last];
    Some(Subject {
        begin: words[first].begin,
        end: words[last].end,
        confidence: run.iter().sum::<f64>() / run.len() as f64,
    })
}

/// A run without marks at its ends, but for those that belong to the words in it: a pair of brackets or quotation marks.
fn trimmed(words: &[Word], mut first: usize, mut last: usize) -> Option<(usize, usize)> {
    let is_mark = |word: &Word| !word.text.chars().any(char::is_alphanumeric);
    while first <= last && is_mark(&words[first]) {
        first += 1;
    }
    while last > first && is_mark(&words[last]) {
        last -= 1;
    }
    (first <= last).then_some((first, last))
}

pub(crate) struct Word {
    begin: usize,
    end: usize,
    /// Folded; a mark is a word of its own.
    pub(crate) text: String,
    /// Whether it belongs to a size of what is asked for, such as "8 slides".
    is_size: bool,
}

/// The words of a message; each character of a script without spaces, and each mark, is one.
pub(crate) fn words(message: &str) -> Vec<Word> {
    let mut words: Vec<Word> = vec![];
    let mut is_open = false;
    for (begin, c) in message.char_indices() {
        let end = begin + c.len_utf8();
        let is_part = (c.is_alphanumeric() && !is_ideographic(c)) || matches!(c, '\'' | '’' | '-');
        match words.last_mut().filter(|_| is_open && is_part) {
            Some(word) => word.end = end,
            None if c.is_whitespace() => {}
            None => words.push(Word {
                begin,
                end,
                text: String::new(),
                is_size: false,
            }),
        }
        is_open = is_part;
    }
    let sizes = sizes(message);
    for word in &mut words {
        let holds = |size: &Size| size.begin < word.end && word.begin < size.end;
        word.is_size = sizes
            .iter()
            .any(|size| size.of == Of::Wanted && holds(size));
        word.text = folded(&message[word.begin..word.end]);
        if word.text.chars().all(char::is_numeric) {
            word.text = "0".to_owned();
        }
    }
    words
}

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
    let is_size = |place: Option<usize>| {
        let word = place.and_then(|place| words.get(place));
        word.is_some_and(|word| word.is_size)
    };
    if is_size(Some(at)) {
        names.push("size".to_owned());
    }
    for steps in 1..=2 {
        if is_size(at.checked_sub(steps)) {
            names.push(format!("-{steps}size"));
        }
        if is_size(Some(at + steps)) {
            names.push(format!("+{steps}size"));
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
    let ending: String = word(at).chars().rev().take(3).collect();
    names.push(format!("end{ending}"));
    names.push(format!("from{}", at.min(12)));
    names.push(format!("left{}", (words.len() - at).min(12)));
    names.push(format!("of{}", words.len().max(1).ilog2()));
    let marks = words[..at]
        .iter()
        .filter(|word| !word.text.chars().any(char::is_alphanumeric));
    names.push(format!("clause{}", marks.count().min(6)));
    Features::of_names(&names)
}

/// An example for each word of the messages whose subject is marked.
pub(crate) fn examples(set: &Set) -> Vec<Example> {
    let mut examples = vec![];
    for row in &set.rows {
        let Some((before, subject, _)) = row.parts() else {
            continue;
        };
        let message = row.message();
        let inside = before.len()..before.len() + subject.len();
        let words = words(&message);
        for (at, word) in words.iter().enumerate() {
            examples.push(Example {
                features: seen(&words, at),
                classes: vec![usize::from(inside.contains(&word.begin))],
            });
        }
    }
    examples
}
