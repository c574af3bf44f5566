//! Languages that are written in, by their BCP 47 tags.

use words::languages::{english_name, wished, written};

use crate::text::without_addresses;

/// The longest tag that is accepted, in characters: RFC 5646 says that no tag in use is longer.
const TAG_CHARS: usize = 35;

/// The languages whose numerals name parts of what was made. Those of others are too often words of these: `to` is two in Danish.
pub const OF_NUMERALS: [&str; 11] = [
    "en", "zh", "fr", "de", "es", "pt", "it", "nl", "ru", "uk", "pl",
];

/// Chinese with traditional characters, by the parts of a tag that say so.
const TRADITIONAL: [&str; 4] = ["hant", "tw", "hk", "mo"];

/// A tag as runs are started with it: `zh` and `en` without their regions, Chinese in traditional characters as `zh-TW`, any other tag as
/// it was written. `None` if the text is not a tag.
pub fn tag(wanted: &str) -> Option<String> {
    let wanted = wanted.trim();
    let mut parts = wanted.split('-');
    let first = parts.next()?.to_ascii_lowercase();
    let is_language =
        (2..=3).contains(&first.len()) && first.bytes().all(|b| b.is_ascii_alphabetic());
    let rest: Vec<&str> = parts.collect();
    let is_part = |part: &&str| {
        (1..=8).contains(&part.len()) && part.bytes().all(|b| b.is_ascii_alphanumeric())
    };
    if !is_language || wanted.len() > TAG_CHARS || !rest.iter().all(is_part) {
        return None;
    }
    let traditional = rest
        .iter()
        .any(|part| TRADITIONAL.contains(&part.to_ascii_lowercase().as_str()));
    Some(match first.as_str() {
        "zh" if traditional => "zh-TW".to_owned(),
        "zh" | "en" => first,
        _ => std::iter::once(first.as_str())
            .chain(rest)
            .collect::<Vec<_>>()
            .join("-"),
    })
}

/// The name of the language as a model is told it.
pub fn name(tag: &str) -> String {
    let lower = tag.to_ascii_lowercase();
    let mut parts = lower.split('-');
    let first = parts.next().unwrap_or_default();
    if first == "zh" {
        let traditional = parts.any(|part| TRADITIONAL.contains(&part));
        return if traditional {
            "繁體中文"
        } else {
            "简体中文"
        }
        .to_owned();
    }
    match (english_name(&first_part(tag)), lower.contains('-')) {
        (Some(name), false) => name.to_owned(),
        (Some(name), true) => format!("{name} ({tag})"),
        (None, _) => format!("the language with the BCP 47 tag `{tag}`"),
    }
}

fn first_part(tag: &str) -> String {
    let first = tag.split('-').next().unwrap_or_default();
    first.to_ascii_lowercase()
}

/// From which likelihood on the language of a text is sure: below it, most of the unseen messages of the products and of new short briefs are
/// taken for a wrong one.
pub(crate) const SURE: f64 = 0.4;

/// What an unsure text in Latin letters is taken for: names, terms and addresses of all languages stand in English texts.
const UNSURE: &str = "en";

/// The language of the answer to a message: the one that it wishes for, or the one that it is written in. `None` where neither is sure.
pub fn of_message(text: &str) -> Option<&'static str> {
    wanted(text).or_else(|| {
        let written = written(&without_addresses(text))?;
        (written.likelihood >= SURE).then(|| of_run(written.tag))
    })
}

/// The language that a message wishes for its answer: "in Portuguese", "翻成法语", "po polsku".
pub fn wanted(text: &str) -> Option<&'static str> {
    wished(text).map(|wish| of_run(wish.tag))
}

/// The language in which a text is written, as far as its letters and words tell; `None` where it has no letter.
pub(crate) fn of_text(text: &str) -> Option<&'static str> {
    let written = written(text)?;
    let is_unsure = written.likelihood < SURE && written.is_latin;
    Some(if is_unsure {
        UNSURE
    } else {
        of_run(written.tag)
    })
}

/// A tag of the table of names as runs have it, see [`tag`].
fn of_run(tag: &'static str) -> &'static str {
    match tag {
        "zh-Hans" => "zh",
        "zh-Hant" => "zh-TW",
        tag if tag.starts_with("en-") => "en",
        tag => tag,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_tag_is_taken_as_it_is_written_and_what_is_none_is_not() {
        let tag = |wanted| tag(wanted).unwrap_or_default();
        assert_eq!(
            ["zh-CN", "en-GB", "ZH", "zh-Hant-HK"].map(tag),
            ["zh", "en", "zh", "zh-TW"]
        );
        assert_eq!(
            ["ar", "pt-BR", "sr-Latn-RS", " fa "].map(tag),
            ["ar", "pt-BR", "sr-Latn-RS", "fa"]
        );
        for wrong in [
            "",
            "x",
            "english",
            "fr_FR",
            "ar-",
            "a1",
            "de-verylongpart",
            "de<b>",
        ] {
            assert_eq!(tag(wrong), "", "{wrong}");
        }
    }

    #[test]
    fn a_model_is_told_a_name() {
        assert_eq!(name("zh"), "简体中文");
        assert_eq!(name("zh-TW"), "繁體中文");
        assert_eq!(name("en"), "English");
        assert_eq!(name("pt-BR"), "Portuguese (pt-BR)");
        assert_eq!(name("nb"), "Norwegian Bokmål");
        assert_eq!(name("tlh"), "the language with the BCP 47 tag `tlh`");
    }

    #[test]
    fn a_wish_counts_before_the_language_of_the_message() {
        for (text, language) in [
            (
                "Mach mir einen Kurs über Erste Hilfe auf Englisch",
                Some("en"),
            ),
            ("做一份茶文化的课件，用法语", Some("fr")),
            ("請用英文寫一篇關於夜市的貼文", Some("en")),
            ("translate it into traditional Chinese", Some("zh-TW")),
            ("a talk about the German economy", Some("en")),
            ("我的英语课需要一份课件", Some("zh")),
            ("關於夜市的貼文", Some("zh-TW")),
            ("Előadás a méhekről", Some("hu")),
            ("12!", None),
        ] {
            assert_eq!(of_message(text), language, "{text}");
        }
    }

    /// The cells of each row of a file of cases.
    fn cases(text: &str) -> impl Iterator<Item = (&str, &str)> {
        text.lines().filter_map(|row| {
            let mut cells = row.split('\t');
            cells.next().zip(cells.next())
        })
    }

    /// Of a hundred messages those that have to be understood.
    const RIGHT_MIN: usize = 90;

    #[test]
    fn the_language_of_a_message_is_known_by_its_letters_and_words() {
        let all = include_str!("../../tests/golden/said/written_in.tsv");
        let right = |language: &str| {
            match language {
                "zh-Hans" => "zh",
                "zh-Hant" => "zh-TW",
                language => language,
            }
            .to_owned()
        };
        let wrong: Vec<_> = cases(all)
            .filter(|(text, language)| of_text(text) != Some(&right(language)))
            .collect();
        let count = cases(all).count();
        assert!(
            (count - wrong.len()) * 100 >= count * RIGHT_MIN,
            "{wrong:#?}"
        );
    }
}
