//! Divides a chapter into two, or joins two into one.

/// Why a text cannot be divided.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum DivideError {
    #[error("the text has {chars} characters and cannot be divided after {at}")]
    BeyondTheEnd { at: usize, chars: usize },
    #[error("nothing would be left on one side of character {at}")]
    OneSideEmpty { at: usize },
}

/// The text before this place, in characters, and the text after it, without the white space between.
pub(crate) fn split_text(text: &str, at: usize) -> Result<(String, String), DivideError> {
    let chars = text.chars().count();
    if at > chars {
        return Err(DivideError::BeyondTheEnd { at, chars });
    }
    let byte = text
        .char_indices()
        .nth(at)
        .map_or(text.len(), |(byte, _)| byte);
    let (head, tail) = text.split_at(byte);
    let (head, tail) = (head.trim_end(), tail.trim_start());
    if head.trim().is_empty() || tail.trim().is_empty() {
        return Err(DivideError::OneSideEmpty { at });
    }
    Ok((head.to_owned(), tail.to_owned()))
}

/// Both texts, the second as a paragraph of its own.
pub(crate) fn merge_text(first: &str, second: &str) -> String {
    let (head, tail) = (first.trim_end(), second.trim_start());
    let between = if head.is_empty() || tail.is_empty() {
        ""
    } else {
        "\n\n"
    };
    format!("{head}{between}{tail}")
}
