//! Whether somebody wants pictures.

use words::folded;

use crate::carry::Work;
use crate::text::{CLAUSE_ENDS, WISHES, is_refused};

/// Whether pictures were forbidden, and not asked for since.
pub fn are_unwanted(work: &Work) -> bool {
    last_word(work, |_| true) == Some(false)
}

/// The same for all pages: what was said about a single page counts only for that page.
pub fn are_unwanted_anywhere(work: &Work) -> bool {
    last_word(work, |message| !names_a_page(message)) == Some(false)
}

/// What the last message that speaks of pictures says, among the messages that count.
fn last_word(work: &Work, counts: impl Fn(&str) -> bool) -> Option<bool> {
    let changes = work.changes.iter().map(|change| change.text.as_str());
    let said: Vec<&str> = std::iter::once(work.brief.as_str())
        .chain(changes)
        .collect();
    let mut said = said.into_iter().rev().filter(|message| counts(message));
    said.find_map(asks_for_pictures)
}

fn names_a_page(message: &str) -> bool {
    let message = message.to_lowercase();
    let is_numbered = |word: &str| {
        let mut found = message.match_indices(word);
        found.any(|(at, _)| {
            let rest = message[at + word.len()..].trim_start();
            rest.starts_with(|c: char| c.is_ascii_digit())
        })
    };
    message.contains('第') && message.contains('页')
        || ["page", "pages", "slide", "slides"]
            .into_iter()
            .any(is_numbered)
}

/// Whether a message asks for pictures or forbids them; `None` where it does not mention pictures.
pub fn asks_for_pictures(message: &str) -> Option<bool> {
    // The clause that mentions pictures.
    let clauses = message.split(CLAUSE_ENDS).rev();
    let (clause, at) = clauses.map(folded).find_map(|clause| {
        let at = WISHES.first(&clause, "picture")?.begin;
        Some((clause, at))
    })?;
    Some(!is_refused(&clause[..at]) && !WISHES.has(&clause[at..], "gone"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_said_of_one_page_is_not_said_of_all() {
        assert!(names_a_page("第三页去掉图片") && names_a_page("no picture on page 3"));
        assert!(!names_a_page("不要配图") && !names_a_page("slides without pictures"));
    }

    #[test]
    fn pictures_are_asked_for_or_forbidden_by_the_last_clause_that_speaks_of_them() {
        for (message, asked) in [
            ("增加配图", Some(true)),
            ("add pictures", Some(true)),
            ("more images, please", Some(true)),
            ("不要配图", Some(false)),
            ("第三页去掉图片", Some(false)),
            ("no pictures", Some(false)),
            ("a leaflet about bees without illustrations", Some(false)),
            ("不要动画，增加插图", Some(true)),
            ("别配图", Some(false)),
            ("不带图片", Some(false)),
            ("图片都不要", Some(false)),
            ("please don't use any photos", Some(false)),
            ("不好看的图片换掉", Some(true)),
            ("make it shorter", None),
        ] {
            assert_eq!(asks_for_pictures(message), asked, "{message}");
        }
    }
}
