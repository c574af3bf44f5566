//! What a message asks for that can be done without a model: a subject, readers, and which sections in which order.

use std::ops::Range;

use domain::carry::Work;
use domain::text::stands_in;
use spec::text::em_width;
use words::is_han;

use super::source::{Material, Unit};
use super::words::READING;

const CLAUSE_ENDS: [char; 13] = [
    '，', ',', '。', '；', ';', '！', '!', '？', '?', '\n', '（', '(', '：',
];

/// The messages of the run, the latest last.
pub fn said(work: &Work) -> Vec<&str> {
    let changes = work.changes.iter().map(|change| change.text.as_str());
    [work.brief.as_str()].into_iter().chain(changes).collect()
}

/// The place at which a word of a class stands in a text, in lower case, as a separate word.
fn place(text: &str, class: &str) -> Option<usize> {
    let words = READING.list(class).iter();
    let found = words.filter(|word| stands_in(text, word));
    found.filter_map(|word| text.find(word)).min()
}

/// The parts of a message between commas and stops.
pub fn clauses(text: &str) -> impl Iterator<Item = &str> {
    let parts = text.split(CLAUSE_ENDS).flat_map(|part| part.split(". "));
    let parts = parts.map(|part| part.trim().trim_end_matches('.'));
    parts.filter(|part| !part.is_empty())
}

/// The subject that a message names, in its own words; `None` if it names no subject of at most this width, or none that is at least so
/// likely, 0 to 1.
pub fn topic(message: &str, em: u32, least: f64) -> Option<String> {
    let fits = |text: &&str| !text.is_empty() && em_width(text) <= em as f32;
    let quoted = message.split_once(['《', '「', '“']);
    let quoted = quoted.and_then(|(_, rest)| rest.split_once(['》', '」', '”']));
    if let Some(inside) = quoted.map(|(inside, _)| inside.trim()).filter(fits) {
        return Some(inside.to_owned());
    }
    subject(message, least).filter(fits).map(as_title)
}

/// The subject that the words of a message show, if it is at least so likely.
pub fn subject(message: &str, least: f64) -> Option<&str> {
    let subject = words::subject(message).filter(|found| found.confidence >= least)?;
    Some(message[subject.begin..subject.end].trim())
}

/// The words of which the name of a file is made, without the number before them: `03-old_maps` is `Old maps`.
pub fn file_words(stem: &str) -> Option<String> {
    let words: Vec<&str> = stem
        .split(|c: char| c.is_whitespace() || matches!(c, '-' | '_' | '.' | '+'))
        .skip_while(|word| !word.contains(char::is_alphabetic))
        .filter(|word| !word.is_empty())
        .collect();
    (!words.is_empty()).then(|| as_title(&words.join(" ")))
}

/// Words as a title begins: with a capital, unless they are a name such as `iPhone`.
pub fn as_title(words: &str) -> String {
    let mut rest = words.chars();
    match rest.next() {
        Some(first) if !rest.clone().next().is_some_and(char::is_uppercase) => {
            first.to_uppercase().chain(rest).collect()
        }
        Some(_) | None => words.to_owned(),
    }
}

/// The readers that a message names.
pub fn audience(message: &str) -> Option<String> {
    let mut named = clauses(message).filter_map(|clause| {
        let clause = format!(" {clause}");
        let behind = |word: &str| clause.split_once(&format!(" {word}"));
        let (_, rest) = READING
            .list("readers")
            .iter()
            .find_map(|word| behind(word))?;
        Some(rest.trim().trim_end_matches(['看', '的']).to_owned())
    });
    named.find(|named| named.starts_with(char::is_alphabetic))
}

/// The units that are wanted after this message, in their order. They are chosen from the units that were wanted before it.
pub fn wanted(message: &str, material: &Material, before: Vec<usize>) -> Vec<usize> {
    let text = message.to_lowercase();
    let named = |from: usize| named(&text[from..], material, &before);
    let others = |units: &[usize]| {
        let others = before.iter().filter(|unit| !units.contains(unit));
        others.copied().collect::<Vec<usize>>()
    };
    let wanted = match (place(&text, "leave out"), place(&text, "keep only")) {
        (Some(at), _) => others(&named(at)),
        (None, Some(at)) => named(at),
        (None, None) if place(&text, "put last").is_some() => {
            [others(&named(0)), named(0)].concat()
        }
        (None, None) if place(&text, "put first").is_some() => {
            [named(0), others(&named(0))].concat()
        }
        (None, None) => vec![],
    };
    let mut wanted = if wanted.is_empty() { before } else { wanted };
    if place(&text, "less").is_some() {
        // The headings, and the first unit below each.
        let is_heading = |unit: usize| material.units[unit].level().is_some();
        let mut above = true;
        wanted.retain(|unit| std::mem::replace(&mut above, is_heading(*unit)) || above);
    }
    wanted
}

/// The units of the sections whose headings a text names, in the order in which it names them.
fn named(text: &str, material: &Material, among: &[usize]) -> Vec<usize> {
    let mut found: Vec<(Range<usize>, usize)> = vec![];
    for &unit in among {
        let name = material.units[unit].name().to_lowercase();
        let is_name = material.units[unit].level().is_some() && name.chars().count() > 1;
        let at = text.find(&name).filter(|_| is_name);
        found.extend(at.map(|at| (at..at + name.len(), unit)));
    }
    let holds = |one: &Range<usize>, other: &Range<usize>| {
        one != other && one.start <= other.start && other.end <= one.end
    };
    let is_own = |at: &Range<usize>| found.iter().all(|(other, _)| !holds(other, at));
    let mut named: Vec<_> = found.iter().filter(|(at, _)| is_own(at)).collect();
    named.sort_by_key(|(at, _)| at.start);
    let below = |(_, heading): &(Range<usize>, usize)| section(material, *heading);
    let units = named.into_iter().flat_map(below);
    units.filter(|unit| among.contains(unit)).collect()
}

/// A heading and the units below it; for any other unit, the unit alone.
pub fn section(material: &Material, unit: usize) -> Range<usize> {
    let own = material.units[unit].level();
    let is_below =
        |unit: &&Unit| own.is_some_and(|own| unit.level().is_none_or(|level| level > own));
    let below = material.units[unit + 1..].iter().take_while(is_below);
    unit..unit + 1 + below.count()
}

/// Words that show what a text is about: pairs of neighbouring Chinese characters, and Latin words of four letters or more.
pub fn terms(text: &str) -> Vec<String> {
    let is_chinese = |c: &char| is_han(*c);
    let lower: Vec<char> = text.to_lowercase().chars().collect();
    let pairs = lower.windows(2).filter(|pair| pair.iter().all(is_chinese));
    let latin = lower.split(|c| !c.is_alphanumeric() || is_chinese(c));
    let all = pairs.chain(latin.filter(|word| word.len() > 3));
    all.map(|word| word.iter().collect()).collect()
}
