//! The words of texts as they are compared, and what the prompts of a pipeline say.

use std::collections::HashSet;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::ops::Range;

use words::is_ideographic;

/// What a word weighs, and half of it an ideograph: a Chinese character says about as much as half a word.
const WORD_WEIGHT: usize = 2;

/// A word of a text, without case and marks; an ideograph is a word.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Token {
    /// In lower case.
    pub(crate) text: String,
    pub(crate) weight: usize,
    /// Where it stands, in bytes.
    pub(crate) begin: usize,
    pub(crate) end: usize,
}

impl Token {
    pub(crate) fn has_letter(&self) -> bool {
        self.text.chars().any(char::is_alphabetic)
    }
}

/// The words of a text.
pub(crate) fn tokens(text: &str) -> Vec<Token> {
    let mut found: Vec<Token> = vec![];
    for (begin, c) in text.char_indices() {
        if !c.is_alphanumeric() {
            continue;
        }
        let end = begin + c.len_utf8();
        let is_whole = is_ideographic(c);
        let goes_on = |last: &&mut Token| last.end == begin && last.weight == WORD_WEIGHT;
        match found.last_mut().filter(goes_on) {
            Some(last) if !is_whole => {
                last.text.extend(c.to_lowercase());
                last.end = end;
            }
            Some(_) | None => found.push(Token {
                text: c.to_lowercase().collect(),
                weight: if is_whole { 1 } else { WORD_WEIGHT },
                begin,
                end,
            }),
        }
    }
    found
}

/// How much words say together: two each, and an ideograph one.
pub(crate) fn weight(tokens: &[Token]) -> usize {
    tokens.iter().map(|token| token.weight).sum()
}

pub(crate) fn weight_of(text: &str) -> usize {
    weight(&tokens(text))
}

/// What a piece of a prompt weighs that an answer does not have by chance: eight words, or sixteen Chinese characters.
const PIECE_WEIGHT: usize = 16;

/// The pieces of the instructions of a pipeline.
#[derive(Debug, Default)]
pub struct Instructions(HashSet<u64>);

impl Instructions {
    /// Those of these texts: prompts without what they are filled with, and the descriptions of fields.
    pub fn of<'a>(texts: impl IntoIterator<Item = &'a str>) -> Self {
        let lines = texts.into_iter().flat_map(str::lines);
        let pieces = lines.flat_map(|line| {
            pieces(&tokens(line))
                .map(|(_, hash)| hash)
                .collect::<Vec<_>>()
        });
        Self(pieces.collect())
    }

    /// The first piece of a text that is one of the instructions.
    pub(crate) fn find_in(&self, text: &str) -> Option<String> {
        if self.0.is_empty() {
            return None;
        }
        let tokens = tokens(text);
        let (range, _) = pieces(&tokens).find(|(_, hash)| self.0.contains(hash))?;
        Some(text[range].to_owned())
    }
}

/// The shortest piece from each word on that weighs enough, with where it stands and its hash.
fn pieces(tokens: &[Token]) -> impl Iterator<Item = (Range<usize>, u64)> {
    (0..tokens.len()).filter_map(|first| {
        let mut weight = 0;
        let mut hasher = DefaultHasher::new();
        for token in &tokens[first..] {
            token.text.hash(&mut hasher);
            weight += token.weight;
            if weight >= PIECE_WEIGHT {
                return Some((tokens[first].begin..token.end, hasher.finish()));
            }
        }
        None
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sentence_of_a_prompt_is_found_and_a_phrase_of_it_is_not() {
        let of_prompt = [
            "Who is taught, as concretely as the brief allows.\n主题本身，不要写成请求里的句子，也不要加说明。",
        ];
        let instructions = Instructions::of(of_prompt);
        let copied = "audience: who is taught as concretely as the brief allows";
        assert_eq!(
            instructions.find_in(copied).as_deref(),
            Some("who is taught as concretely as the brief")
        );
        assert!(
            instructions
                .find_in("写的是：主题本身，不要写成请求里的句子，也不要别的。")
                .is_some()
        );
        assert_eq!(instructions.find_in("Who is taught here? Nurses."), None);
    }
}
