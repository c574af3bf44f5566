//! Whether a text breaks off: an answer ends where a model has no room left, or loses its thread.

use crate::wording::weight_of;

/// What a line weighs that is a paragraph and no heading, signature or point of a list: eight words.
const PARAGRAPH_WEIGHT_MIN: usize = 16;
/// So many paragraphs tell that those of a text end with a sentence.
const ENDED_MIN: usize = 2;

/// The end of a text whose last paragraph ends in a word, where all others end with a mark.
pub(super) fn find_broken_end(text: &str) -> Option<String> {
    let last = text.trim_end().lines().next_back()?;
    let ends_in_word = |line: &str| line.trim_end().ends_with(char::is_alphabetic);
    let is_paragraph = |line: &&str| {
        let begins = line.trim_start().chars().next();
        begins.is_some_and(char::is_alphanumeric) && weight_of(line) >= PARAGRAPH_WEIGHT_MIN
    };
    // A tag or an address ends in a word, too.
    let word = last.split_whitespace().next_back()?;
    let is_plain = word.chars().all(char::is_alphabetic);
    if !is_paragraph(&last) || !ends_in_word(last) || !is_plain {
        return None;
    }
    let mut paragraphs: Vec<&str> = text.lines().filter(is_paragraph).collect();
    paragraphs.pop();
    let have_ended = !paragraphs.iter().any(|line| ends_in_word(line));
    let end: Vec<&str> = last.split_whitespace().rev().take(8).collect();
    let end: Vec<&str> = end.into_iter().rev().collect();
    (have_ended && paragraphs.len() >= ENDED_MIN).then(|| end.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDED: &str = "The first run is short, and nobody has to hurry in it.\nThe second one is longer, but you should still be able \
                         to talk.\n\n";

    #[test]
    fn a_text_that_ends_in_a_sentence_breaks_off() {
        let broken =
            format!("{ENDED}The third run leads through the wood, where nobody looks at the wat");
        assert!(find_broken_end(&broken).is_some());
        let chinese = "第一次跑步不用跑得太快，也不用跑得太远。\n第二次可以跑得久一点，但是要能够说话。\n第三次跑步的时候我们一起去树林里面看";
        assert!(find_broken_end(chinese).is_some());
    }

    #[test]
    fn a_signature_a_tag_a_poem_and_a_list_do_not() {
        let sound = [
            format!("{ENDED}With love from your sister Judith"),
            format!("{ENDED}Tell us all about your first run in the comments below #running"),
            format!("{ENDED}- and then there is a point of a list that has no mark at its end"),
            format!("{ENDED}“I never thought that it would be so easy to get up so early!”"),
            "The rain it fell upon the roof and on the garden wall\nand all the birds of all the trees were silent in the hall\nand no one came \
             to sing with me and no one came at all"
                .to_owned(),
        ];
        for text in sound {
            assert_eq!(find_broken_end(&text), None, "{text}");
        }
    }
}
