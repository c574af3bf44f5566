//! Whether a message names an option: only by its number, its id or its title, without any further words.

use std::sync::LazyLock;

use words::WordTable;

use super::lanes::Choice;

/// What may stand before and after an option. With any other words, a message is a request of its own.
static AROUND: LazyLock<WordTable> =
    LazyLock::new(|| WordTable::read(include_str!("choosing.tsv")));

/// Quotes that may surround a title.
const QUOTES: &[char] = &['"', '\'', '“', '”', '「', '」', '『', '』', '《', '》', '`'];

/// The option that this text names.
pub(super) fn chosen<'a>(choices: &'a [Choice], text: &str) -> Option<&'a Choice> {
    let text = text.trim().to_lowercase();
    let mut rest = text.as_str();
    // Each round removes something, so that the loop ends.
    loop {
        if let Some(choice) = named(choices, rest) {
            return Some(choice);
        }
        let mut before = AROUND.list("before").iter();
        let mut behind = AROUND.list("behind").iter();
        let shorter = before.find_map(|word| rest.strip_prefix(word));
        let shorter = shorter.or_else(|| behind.find_map(|word| rest.strip_suffix(word)))?;
        rest = shorter.trim();
    }
}

fn named<'a>(choices: &'a [Choice], text: &str) -> Option<&'a Choice> {
    let bare = text.trim_matches(QUOTES).trim();
    if bare.is_empty() {
        return None;
    }
    let is_named = |choice: &&Choice| {
        choice.id.to_lowercase() == bare || choice.title.trim().to_lowercase() == bare
    };
    if let Some(choice) = choices.iter().find(is_named) {
        return Some(choice);
    }
    let languages = ["en", "zh"];
    let number = words::numeral(bare, &languages).or_else(|| words::ordinal(bare, &languages))?;
    let number = usize::try_from(number).ok()?;
    choices.get(number.checked_sub(1)?)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(text: &str) -> Option<String> {
        let choice = |id: &str, title: &str| Choice {
            id: id.to_owned(),
            title: title.to_owned(),
        };
        let choices = [
            choice("1", "海上钟声"),
            choice("2", "The Empty Lighthouse"),
            choice("3", "第二人称"),
        ];
        chosen(&choices, text).map(|choice| choice.id.clone())
    }

    #[test]
    fn an_option_is_named_by_number_id_or_title() {
        for text in [
            "2",
            " 2。",
            "选2",
            "我选第二个",
            "第二个方案吧",
            "方案二",
            "option 2",
            "The second one",
            "#2",
            "(2)",
            "I choose 2.",
            "the empty lighthouse",
            "“The Empty Lighthouse”",
            "就选 two",
        ] {
            assert_eq!(found(text).as_deref(), Some("2"), "{text}");
        }
        assert_eq!(found("《海上钟声》").as_deref(), Some("1"));
        assert_eq!(found("第二人称").as_deref(), Some("3"));
    }

    #[test]
    fn whatever_says_more_names_none() {
        for text in [
            "",
            "写第二章",
            "第二章",
            "4",
            "0",
            "2 个人物",
            "海上钟声太老套了",
            "给主角起两个名字",
            "选",
            "the",
            "第二个不好，再想想",
        ] {
            assert_eq!(found(text), None, "{text}");
        }
    }
}
