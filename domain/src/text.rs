//! Small readings of people's text.

/// The longest title of a session in lists, in characters: one line of a narrow side bar.
const TITLE_CHARS: usize = 60;

/// The language of what is written where nothing says another.
pub const LANGUAGE: &str = "zh";

/// The language a text is written in, as far as we write in it too: `zh` where Chinese characters are at least a fifth of
/// the letters, else `en`; nothing where the text has no letter.
pub fn language_of(text: &str) -> Option<&'static str> {
    let letters = text.chars().filter(|c| c.is_alphabetic()).count();
    let chinese = text
        .chars()
        .filter(|c| ('\u{3400}'..='\u{9fff}').contains(c))
        .count();
    (letters > 0).then_some(if chinese * 5 >= letters { "zh" } else { "en" })
}

/// The first line of a message, cut to the length of a title.
pub fn title_of(message: &str) -> String {
    let line = message
        .lines()
        .map(str::trim)
        .find(|line| !line.is_empty())
        .unwrap_or_default();
    line.chars().take(TITLE_CHARS).collect()
}

/// A message that is nothing but one of these asks to go on with what stopped.
const RESUMPTIONS: &[&str] = &[
    "继续",
    "请继续",
    "继续吧",
    "继续做",
    "继续生成",
    "接着做",
    "接着来",
    "重试",
    "请重试",
    "再试一次",
    "再试一下",
    "continue",
    "please continue",
    "go on",
    "carry on",
    "resume",
    "retry",
    "try again",
    "please try again",
];

/// Whether a message asks for nothing but to go on with what stopped.
pub fn says_go_on(message: &str) -> bool {
    let text = message.to_lowercase();
    let bare = text.trim_matches(|c: char| !c.is_alphanumeric());
    RESUMPTIONS.contains(&bare)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_language_of_a_message_is_that_of_most_of_it() {
        assert_eq!(language_of("光合作用入门，面向初三学生，8 页"), Some("zh"));
        assert_eq!(language_of("Rust 异步编程"), Some("zh"));
        assert_eq!(
            language_of("An introduction to photosynthesis (光)"),
            Some("en")
        );
        assert_eq!(language_of("4! 👍"), None);
    }

    #[test]
    fn a_title_is_the_first_line_with_something_on_it() {
        assert_eq!(title_of("\n  Hello  \nworld"), "Hello");
        assert_eq!(title_of(&"长".repeat(80)).chars().count(), 60);
    }
}
