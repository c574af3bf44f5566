//! Names, and when two of them are the same. Names that differ in a digit or a sign are different names: `3 kg` is not `12 kg`, and `A+` is
//! not `A`. Only the ordinal of a heading, as in `1. ` or `第一章`, may be missing, and only if that leaves one name.

use std::collections::{BTreeSet, HashMap};

use palimpsest::prelude::author::wishes::terms;
use palimpsest::prelude::pipeline::text::stands_in;

/// Chinese numerals that stand in ordinals.
const NUMERALS: &str = "一二三四五六七八九十百";

/// A name as it is compared: on one line, in small letters, with its wide signs as narrow ones.
pub(crate) fn key(name: &str) -> String {
    let words: Vec<&str> = name.split_whitespace().collect();
    let narrow = |c: char| match c {
        '\u{ff01}'..='\u{ff5e}' => char::from_u32(u32::from(c) - 0xfee0).unwrap_or(c),
        c => c,
    };
    let line: String = words.join(" ").chars().map(narrow).collect();
    line.to_lowercase()
}

/// A key without its ordinal, and whether it has one.
fn without_ordinal(key: &str) -> (&str, bool) {
    let (opening, inner) = match key.chars().next() {
        Some(c @ ('第' | '(')) => (Some(c), &key[c.len_utf8()..]),
        Some(_) | None => (None, key),
    };
    let is_number = |c: char| c.is_ascii_digit() || c == '.' || NUMERALS.contains(c);
    let rest = inner.trim_start_matches(is_number);
    let number = &inner[..inner.len() - rest.len()];
    let named = match opening {
        Some('第') => ["章", "节", "部分", "篇"]
            .iter()
            .find_map(|unit| rest.strip_prefix(unit)),
        Some(_) => rest.strip_prefix(')'),
        None if number.ends_with('.') => Some(rest),
        None => rest.strip_prefix(['、', ')']),
    };
    let named = named.filter(|_| !number.is_empty());
    match named.map(str::trim_start) {
        Some(named) if !named.is_empty() => (named, true),
        Some(_) | None => (key, false),
    }
}

/// The key of a heading without its ordinal or its number, as in `1.2 `.
pub(crate) fn heading(key: &str) -> &str {
    let (named, has_ordinal) = without_ordinal(key);
    let rest = key.trim_start_matches(|c: char| c.is_ascii_digit() || c == '.');
    let is_numbered = key[..key.len() - rest.len()].contains('.') && rest.starts_with(' ');
    if is_numbered && !has_ordinal {
        rest.trim_start()
    } else {
        named
    }
}

/// Names with what they stand for.
#[derive(Clone, Debug, Default)]
pub(crate) struct NameIndex {
    exact: HashMap<String, usize>,
    /// By their keys without ordinals.
    alike: HashMap<String, Vec<NameEntry>>,
}

#[derive(Clone, Debug)]
struct NameEntry {
    name: String,
    has_ordinal: bool,
    place: usize,
}

impl NameIndex {
    pub(crate) fn of<'n>(names: impl Iterator<Item = &'n str>) -> Self {
        let mut index = Self::default();
        for (place, name) in names.enumerate() {
            index.add(name, place);
        }
        index
    }

    pub(crate) fn add(&mut self, name: &str, place: usize) {
        let name = name.trim().to_owned();
        let key = key(&name);
        let (named, has_ordinal) = without_ordinal(&key);
        let entry = NameEntry {
            name: name.clone(),
            has_ordinal,
            place,
        };
        self.alike.entry(named.to_owned()).or_default().push(entry);
        self.exact.entry(name).or_insert(place);
    }

    /// What this name stands for: the name itself, else one that differs in its case or its spaces alone, else one of which only one of
    /// the two has an ordinal. If several other names are alike, it is unknown which is meant.
    pub(crate) fn find(&self, name: &str) -> Option<usize> {
        if let Some(place) = self.exact.get(name.trim()) {
            return Some(*place);
        }
        let own = key(name);
        let (named, has_ordinal) = without_ordinal(&own);
        let alike = self.alike.get(named)?;
        let same: Vec<_> = alike.iter().filter(|it| key(&it.name) == own).collect();
        let alike = if same.is_empty() {
            let is_one = |it: &&NameEntry| !it.has_ordinal || !has_ordinal;
            alike.iter().filter(is_one).collect()
        } else {
            same
        };
        let (first, others) = alike.split_first()?;
        let is_only = others.iter().all(|other| other.name == first.name);
        is_only.then_some(first.place)
    }
}

/// How similar two headings are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Likeness {
    None,
    /// They share a word.
    Words,
    /// One contains the other.
    Within,
    /// They are the same but for their ordinals.
    Unnumbered,
    Same,
}

/// How similar two headings are. Headings with other numbers, such as years, are about something else.
pub(crate) fn likeness(one: &str, other: &str) -> Likeness {
    let (one, other) = (key(one), key(other));
    if one.is_empty() || other.is_empty() {
        return Likeness::None;
    }
    if one == other {
        return Likeness::Same;
    }
    let (one, other) = (heading(&one), heading(&other));
    if one == other {
        return Likeness::Unnumbered;
    }
    let within = |one: &str, other: &str| other.chars().count() > 1 && stands_in(one, other);
    let (mine, theirs) = (numbers(one), numbers(other));
    if !mine.is_subset(&theirs) && !theirs.is_subset(&mine) {
        Likeness::None
    } else if within(one, other) || within(other, one) {
        Likeness::Within
    } else if terms(one).iter().any(|term| terms(other).contains(term)) {
        Likeness::Words
    } else {
        Likeness::None
    }
}

/// The numbers in a name.
fn numbers(name: &str) -> BTreeSet<&str> {
    let other = |c: char| !(c.is_ascii_digit() || NUMERALS.contains(c));
    name.split(other).filter(|it| !it.is_empty()).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn found<'n>(names: &[&'n str], name: &str) -> Option<&'n str> {
        let place = NameIndex::of(names.iter().copied()).find(name)?;
        Some(names[place])
    }

    #[test]
    fn names_that_differ_in_digits_or_signs_are_different() {
        let names = ["3 kg", "5 kg", "12 kg", "A", "A+", "C#", "C++", "-1", "1"];
        for name in names {
            assert_eq!(found(&names, name), Some(name));
        }
        for name in ["4 kg", "A-", "C", "kg", "2"] {
            assert_eq!(found(&names, name), None, "{name}");
        }
        assert_eq!(
            found(&["2025 revenue", "2024 revenue"], "2024 revenue"),
            Some("2024 revenue")
        );
        assert_eq!(found(&["一季度", "二季度"], "四季度"), None);
    }

    #[test]
    fn an_ordinal_may_be_missing_if_one_name_is_left() {
        let names = [
            "1. Quarter",
            "2. Quarter",
            "第一章 概述",
            "Owner",
            "（二）费用",
        ];
        assert_eq!(found(&names, "2. Quarter"), Some("2. Quarter"));
        assert_eq!(found(&names, "3. Quarter"), None);
        assert_eq!(found(&names, "Quarter"), None);
        assert_eq!(found(&names, "概述"), Some("第一章 概述"));
        assert_eq!(found(&names, "第二章 概述"), None);
        assert_eq!(found(&names, "1) owner"), Some("Owner"));
        assert_eq!(found(&names, "费用"), Some("（二）费用"));
        assert_eq!(found(&["3.5 kg"], "kg"), None);
    }

    #[test]
    fn headings_of_other_years_are_not_alike() {
        assert_eq!(likeness("2024年收入", "2024年收入"), Likeness::Same);
        assert_eq!(likeness("2024年收入", "2023年收入"), Likeness::None);
        assert_eq!(likeness("2024年收入", "2024年收入明细"), Likeness::Within);
        assert_eq!(
            likeness("1.1 营业收入", "二、营业收入"),
            Likeness::Unnumbered
        );
        assert_eq!(likeness("节能", "节能措施"), Likeness::Within);
        assert_eq!(likeness("十项重点", "项目重点"), Likeness::Words);
    }

    proptest! {
        /// A name always stands for itself, whatever other names there are.
        #[test]
        fn a_name_stands_for_itself(
            names in prop::collection::btree_set("[0-9A-Ca-c+#.第一章) ]{1,6}", 1..12)
        ) {
            let names: BTreeSet<&str> = names.iter().map(|name| name.trim()).collect();
            let names: Vec<&str> = names.into_iter().filter(|name| !name.is_empty()).collect();
            for name in &names {
                prop_assert_eq!(found(&names, name), Some(*name));
            }
        }
    }
}
