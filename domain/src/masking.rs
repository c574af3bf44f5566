//! Keeps credentials and personal data from models: a model sees a placeholder for each, such as `[email-1]`, and in its answer each
//! placeholder is replaced by the original again. What is kept from a model stands in `masking/detectors.toml`.

mod checks;
mod detectors;
mod folded;
#[cfg(test)]
mod tests;

use std::cell::LazyCell;
use std::collections::{BTreeSet, HashMap};
use std::sync::LazyLock;

use aho_corasick::AhoCorasick;
use regex::Regex;

use detectors::{DETECTORS, Kind};
use folded::may_part;

/// Characters from which on a secret is hidden inside of a longer word as well: a shorter one may be a part of an ordinary word.
const LONG: usize = 8;

static PLACEHOLDER: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"\[[a-z-]+-[0-9]+\]").expect("a pattern of ours"));

/// What was found in the texts of one question, each with its placeholder.
#[derive(Clone, Debug, Default)]
pub struct Mask {
    found: Vec<Secret>,
    originals: Option<AhoCorasick>,
    placeholders: Option<AhoCorasick>,
}

#[derive(Clone, Debug)]
struct Secret {
    kind: Kind,
    original: String,
    placeholder: String,
    /// It is hidden wherever it stands, and not only where no letter or digit touches it.
    anywhere: bool,
}

impl Mask {
    /// Looks through the texts that a model would see. The same texts give the same placeholders.
    #[must_use]
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let texts: Vec<&str> = texts.into_iter().collect();
        let mut mask = Self::default();
        let mut known: HashMap<&str, usize> = HashMap::new();
        let mut counts = vec![0; DETECTORS.kinds.len()];
        let taken = LazyCell::new(|| placeholders(&texts));
        for text in &texts {
            for found in DETECTORS.find(text) {
                let original = &text[found.at.clone()];
                let before = text[..found.at.start].chars().next_back();
                let touched = !may_part(before, original.chars().next());
                if let Some(known) = known.get(original) {
                    mask.found[*known].anywhere |= touched;
                    continue;
                }
                known.insert(original, mask.found.len());
                counts[found.kind] += 1;
                let name = &DETECTORS.kinds[found.kind].name;
                let mut placeholder = format!("[{name}-{}]", counts[found.kind]);
                // The placeholder must not occur in any of the texts.
                while taken.contains(placeholder.as_str()) {
                    placeholder.insert_str(1, "x-");
                }
                mask.found.push(Secret {
                    kind: found.kind,
                    original: original.to_owned(),
                    placeholder,
                    anywhere: touched || original.chars().count() >= LONG,
                });
            }
        }
        mask.originals = finder(mask.found.iter().map(|secret| &secret.original));
        mask.placeholders = finder(mask.found.iter().map(|secret| &secret.placeholder));
        mask
    }

    /// The text as a model sees it.
    #[must_use]
    pub fn hide(&self, text: &str) -> String {
        self.replaced(self.originals.as_ref(), text, |secret, at| {
            let (before, after) = (&text[..at.start()], &text[at.end()..]);
            let alone = may_part(before.chars().next_back(), secret.original.chars().next())
                && may_part(secret.original.chars().next_back(), after.chars().next());
            (secret.anywhere || alone).then_some(secret.placeholder.as_str())
        })
    }

    /// A model's answer, in which the placeholders are replaced by the originals.
    #[must_use]
    pub fn show(&self, text: &str) -> String {
        self.replaced(self.placeholders.as_ref(), text, |secret, _| {
            Some(secret.original.as_str())
        })
    }

    /// The text with something in the place of the matches, the longest of those that begin first.
    fn replaced(
        &self,
        finder: Option<&AhoCorasick>,
        text: &str,
        by: impl Fn(&Secret, aho_corasick::Match) -> Option<&str>,
    ) -> String {
        let Some(finder) = finder else {
            return text.to_owned();
        };
        let mut matches: Vec<_> = finder.find_overlapping_iter(text).collect();
        matches.sort_by_key(|found| (found.start(), std::cmp::Reverse(found.end())));
        let (mut replaced, mut done) = (String::with_capacity(text.len()), 0);
        for found in matches {
            let new = by(&self.found[found.pattern().as_usize()], found);
            if let Some(new) = new.filter(|_| found.start() >= done) {
                replaced.push_str(&text[done..found.start()]);
                replaced.push_str(new);
                done = found.end();
            }
        }
        replaced.push_str(&text[done..]);
        replaced
    }

    /// What was kept from the model, in words for people; `None` where nothing was.
    #[must_use]
    pub fn told(&self, chinese: bool) -> Option<String> {
        let kinds = DETECTORS.kinds.iter().enumerate();
        let counted: Vec<String> = kinds
            .filter_map(|(kind, names)| {
                let count = self.found.iter().filter(|known| known.kind == kind).count();
                let [one, several] = &names.english;
                let name = match (chinese, count) {
                    (true, _) => &names.chinese,
                    (false, 1) => one,
                    (false, _) => several,
                };
                (count > 0).then(|| format!("{count} {name}"))
            })
            .collect();
        (!counted.is_empty()).then(|| counted.join(if chinese { "、" } else { ", " }))
    }
}

/// Everything in the texts that looks like a placeholder.
fn placeholders<'a>(texts: &[&'a str]) -> BTreeSet<&'a str> {
    let found = texts.iter().flat_map(|text| PLACEHOLDER.find_iter(text));
    found.map(|found| found.as_str()).collect()
}

fn finder<'a>(texts: impl ExactSizeIterator<Item = &'a String>) -> Option<AhoCorasick> {
    if texts.len() == 0 {
        return None;
    }
    // Building fails only with more patterns than fit into 32 bits.
    AhoCorasick::new(texts).ok()
}
