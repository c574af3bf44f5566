//! Tables of words and phrases with what is known of each.

use std::collections::HashMap;

use crate::tokens::{Token, tokens};

/// What is known of each of the forms of a table.
#[derive(Debug)]
pub(crate) struct Table<T> {
    /// By the texts of their tokens.
    forms: HashMap<Vec<String>, Vec<T>>,
    /// The tokens of its longest form.
    longest: usize,
}

impl<T: Clone> Table<T> {
    /// Reads rows of cells with tabs between them, of which the last holds forms with commas between them. Rows that begin with `#` are
    /// remarks, and rows of which nothing is `known` are left out.
    pub(crate) fn read(text: &'static str, known: impl Fn(&[&'static str]) -> Option<T>) -> Self {
        let mut forms: HashMap<Vec<String>, Vec<T>> = HashMap::new();
        for line in text.lines().filter(|line| !line.starts_with('#')) {
            let cells: Vec<&str> = line.split('\t').collect();
            let Some((last, cells)) = cells.split_last() else {
                continue;
            };
            let Some(known) = known(cells) else { continue };
            for form in last.split(',') {
                let texts = tokens(form).into_iter().map(|token| token.text).collect();
                forms.entry(texts).or_default().push(known.clone());
            }
        }
        let longest = forms.keys().map(Vec::len).max().unwrap_or(0);
        Self { forms, longest }
    }

    /// What is known of the longest form that begins at a token, with the number of its tokens.
    pub(crate) fn longest(&self, tokens: &[Token], at: usize) -> Option<(usize, &[T])> {
        let most = self.longest.min(tokens.len().saturating_sub(at));
        (1..=most).rev().find_map(|length| {
            let known = self.get(&tokens[at..at + length])?;
            Some((length, known))
        })
    }

    /// The same for the longest form that ends before a token.
    pub(crate) fn longest_before(&self, tokens: &[Token], end: usize) -> Option<(usize, &[T])> {
        (1..=self.longest.min(end)).rev().find_map(|length| {
            let known = self.get(&tokens[end - length..end])?;
            Some((length, known))
        })
    }

    fn get(&self, tokens: &[Token]) -> Option<&[T]> {
        let texts: Vec<String> = tokens.iter().map(|token| token.text.clone()).collect();
        self.forms.get(&texts).map(Vec::as_slice)
    }

    /// The forms that are one word, in no order.
    pub(crate) fn words(&self) -> impl Iterator<Item = (&str, &[T])> {
        let words = self.forms.iter();
        words.filter_map(|(form, known)| match &form[..] {
            [word] => Some((word.as_str(), known.as_slice())),
            _ => None,
        })
    }

    /// What is known of a single folded word.
    pub(crate) fn word(&self, word: &str) -> &[T] {
        let found = self.forms.get(std::slice::from_ref(&word.to_owned()));
        found.map_or(&[], Vec::as_slice)
    }
}
