//! Names from lists: the same names for the same wish, and none that the message contains already.

use palimpsest::prelude::pipeline::{Sha256, Work};
use serde_json::{Value, json};

/// How many are given.
const NAMES: usize = 8;

/// Rows of a place in a name, a name, and its meaning.
const NAMED: &str = include_str!("names.tsv");

/// The names of a place and their meanings.
fn names_of(place: &str) -> Vec<(&'static str, &'static str)> {
    let rows = NAMED.lines().filter_map(|row| row.split_once('\t'));
    let rows = rows.filter(|(own, _)| *own == place);
    rows.filter_map(|(_, row)| row.split_once('\t')).collect()
}

/// At least five names with their meanings.
pub(crate) fn names(work: &Work) -> Option<Value> {
    let chinese = work.is_chinese();
    let parts = [["en first", "en last"], ["zh first", "zh last"]];
    let [first, last] = parts[usize::from(chinese)].map(names_of);
    let mut names: Vec<Value> = vec![];
    for turn in 0_u64.. {
        let hash = Sha256::of_parts([work.brief.as_bytes(), &turn.to_le_bytes()]);
        let at = |byte: usize, length: usize| usize::from(hash.as_bytes()[byte]) % length;
        let (one, its) = first[at(0, first.len())];
        let (other, others) = last[at(1, last.len())];
        let (name, meaning) = if chinese {
            (
                format!("{one}{other}"),
                format!("{one}：{its}；{other}：{others}"),
            )
        } else {
            (
                format!("{one} {other}"),
                format!("{one}: {its}; {other}: {others}"),
            )
        };
        let is_new = names.iter().all(|known| known["name"] != name.as_str());
        if is_new && !work.brief.contains(&name) {
            names.push(json!({ "name": name, "meaning": meaning }));
        }
        if names.len() == NAMES {
            break;
        }
    }
    Some(json!({ "names": names }))
}
