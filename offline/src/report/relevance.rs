//! How much a text has to do with a subject, by the words they share.

use std::collections::BTreeSet;

/// Pairs of neighbouring Chinese characters, and words of three Latin letters or more in lower case: what subjects are made
/// of.
pub(super) fn words(text: &str) -> BTreeSet<String> {
    let mut words = BTreeSet::new();
    let mut last: Option<char> = None;
    let mut word = String::new();
    for c in text.chars().chain([' ']) {
        let chinese = ('\u{3400}'..='\u{9fff}').contains(&c);
        if chinese && let Some(before) = last {
            words.insert([before, c].iter().collect());
        }
        last = chinese.then_some(c);
        if !chinese && c.is_alphanumeric() {
            word.extend(c.to_lowercase());
        } else if word.chars().count() > 2 {
            words.insert(std::mem::take(&mut word));
        } else {
            word.clear();
        }
    }
    words
}

/// Words of the subject that the text has.
pub(super) fn shared(text: &str, subject: &BTreeSet<String>) -> usize {
    words(text).intersection(subject).count()
}

/// The files whose names have most to do with a subject; where none has, the first ones.
pub(super) fn files<'a>(paths: &[&'a str], about: &str, most: usize) -> Vec<&'a str> {
    let subject = words(about);
    let mut rated: Vec<_> = paths
        .iter()
        .map(|path| (shared(path, &subject), *path))
        .collect();
    rated.sort_by(|a, b| b.0.cmp(&a.0).then(a.1.cmp(b.1)));
    if rated.first().is_some_and(|(shared, _)| *shared > 0) {
        rated.retain(|(shared, _)| *shared > 0);
    }
    rated.into_iter().take(most).map(|(_, path)| path).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn files_are_chosen_by_the_words_of_their_names() {
        let paths = [
            "datasets/销售数据.json",
            "datasets/staff.csv",
            "datasets/用户反馈.json",
        ];
        assert_eq!(files(&paths, "第二章 销售情况", 2), [paths[0]]);
        assert_eq!(files(&paths, "The staff of the company", 2), [paths[1]]);
        assert_eq!(files(&paths, "前言", 2).len(), 2);
    }
}
