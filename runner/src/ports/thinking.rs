//! Reasoning that some models write into their text between `<think>` tags.

const OPEN: &str = "<think>";
const CLOSE: &str = "</think>";

/// The text without the reasoning it starts with. A block whose opening tag the provider's chat template swallowed is
/// recognised by its closing tag; a block that is never closed is all there is.
///
/// Tags further inside stay: a text may well speak of them.
pub fn strip_think(text: &str) -> &str {
    let mut rest = text.trim_start();
    if !rest.starts_with(OPEN)
        && let Some(end) = orphan_close(rest)
    {
        rest = rest[end..].trim_start();
    }
    while let Some(inside) = rest.strip_prefix(OPEN) {
        match inside.find(CLOSE) {
            Some(end) => rest = inside[end + CLOSE.len()..].trim_start(),
            None => return "",
        }
    }
    rest
}

/// Where the text goes on behind a closing tag that has no opening one before it.
fn orphan_close(text: &str) -> Option<usize> {
    // Inside a JSON answer the tag is somebody's content, not ours to cut at.
    if text.starts_with(['{', '[']) {
        return None;
    }
    let close = text.find(CLOSE)?;
    (!text[..close].contains(OPEN)).then_some(close + CLOSE.len())
}

/// Drops leading reasoning from a text that arrives in pieces.
#[derive(Debug, Default)]
pub struct ThinkFilter {
    held: String,
    state: State,
}

#[derive(Debug, Default, Clone, Copy, PartialEq, Eq)]
enum State {
    /// Nothing but white space, or the beginning of a tag, has come.
    #[default]
    Start,
    /// Inside a block.
    Thinking,
    /// The text proper has begun.
    Text,
}

impl ThinkFilter {
    /// Takes the next piece and returns what of the text can be shown by now.
    pub fn push(&mut self, piece: &str) -> String {
        if self.state == State::Text {
            return piece.to_owned();
        }
        self.held.push_str(piece);
        loop {
            match self.state {
                State::Start => {
                    let start = self.held.trim_start();
                    if let Some(inside) = start.strip_prefix(OPEN) {
                        self.held = inside.to_owned();
                        self.state = State::Thinking;
                    } else if OPEN.starts_with(start) {
                        return String::new();
                    } else {
                        self.state = State::Text;
                        return std::mem::take(&mut self.held);
                    }
                }
                State::Thinking => match self.held.find(CLOSE) {
                    Some(end) => {
                        self.held.drain(..end + CLOSE.len());
                        self.state = State::Start;
                    }
                    None => {
                        self.forget_thoughts();
                        return String::new();
                    }
                },
                State::Text => return std::mem::take(&mut self.held),
            }
        }
    }

    /// What was still held back when the text ended: the beginning of a tag that never became one.
    pub fn finish(&mut self) -> String {
        match self.state {
            State::Start | State::Text => std::mem::take(&mut self.held),
            State::Thinking => String::new(),
        }
    }

    /// Keeps only what may be the beginning of a closing tag, so that long reasoning is not searched again and again.
    fn forget_thoughts(&mut self) {
        let keep_from = self.held.len().saturating_sub(CLOSE.len() - 1);
        let boundary = (keep_from..=self.held.len())
            .find(|at| self.held.is_char_boundary(*at))
            .expect("the end of a text is a boundary");
        self.held.drain(..boundary);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn filtered(text: &str, width: usize) -> String {
        let mut filter = ThinkFilter::default();
        let letters: Vec<char> = text.chars().collect();
        let mut shown = String::new();
        for piece in letters.chunks(width) {
            shown += &filter.push(&piece.iter().collect::<String>());
        }
        shown + &filter.finish()
    }

    #[test]
    fn leading_reasoning_is_dropped_however_it_is_cut() {
        let text = "\n<think>想一想 {\"a\":1} </thin></think>\n<think>more</think>答案 <think>kept</think>";
        for width in 1..30 {
            assert_eq!(
                filtered(text, width).trim_start(),
                "答案 <think>kept</think>",
                "pieces of {width}"
            );
        }
        assert_eq!(strip_think(text), "答案 <think>kept</think>");
    }

    #[test]
    fn text_without_reasoning_comes_through_whole() {
        for text in ["", " ", "<", "<thin", "<this", " plain <think>x</think>"] {
            for width in 1..8 {
                assert_eq!(filtered(text, width), text);
            }
        }
    }

    #[test]
    fn reasoning_that_never_ends_leaves_nothing() {
        assert_eq!(strip_think("<think>and so on"), "");
        assert_eq!(filtered("<think>and so on", 3), "");
    }

    #[test]
    fn a_closing_tag_alone_ends_reasoning_but_not_inside_json() {
        assert_eq!(strip_think("let me see </think> {\"a\":1}"), "{\"a\":1}");
        assert_eq!(strip_think("{\"a\":\"</think>\"}"), "{\"a\":\"</think>\"}");
    }
}
