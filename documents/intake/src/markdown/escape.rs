//! Escapes characters that would be taken for marks.

/// The surroundings of the words that are escaped.
#[derive(Clone, Copy)]
pub(super) struct Around {
    /// Whether the words are in a cell, which a bar would end.
    pub(super) in_cell: bool,
    /// In the words of a link, a bracket would end them.
    pub(super) in_link: bool,
    /// A dollar sign could close a formula.
    pub(super) dollars: bool,
    /// A bracket could open a formula.
    pub(super) brackets: bool,
    /// The characters beside the words.
    pub(super) before: Option<char>,
    pub(super) after: Option<char>,
}

/// The words of a line, with a backslash before each character that would be a mark.
pub(super) fn words(text: &str, around: Around) -> String {
    let mut out = String::with_capacity(text.len());
    let mut before = around.before;
    let mut chars = text.chars().peekable();
    while let Some(char) = chars.next() {
        let is_last = chars.peek().is_none();
        let after = chars.peek().copied().or(around.after);
        let entity = match char {
            '[' if around.brackets => "&#91;",
            ']' if around.in_link => "&#93;",
            '|' if around.in_cell => "&#124;",
            '&' if is_last || is_entity(&chars.clone().take(40).collect::<String>()) => "&amp;",
            _ => "",
        };
        if entity.is_empty() {
            if is_mark(char, before, after, is_last, around) {
                out.push('\\');
            }
            out.push(char);
        } else {
            out.push_str(entity);
        }
        before = Some(char);
    }
    out
}

/// Whether a character could be a mark where it stands.
fn is_mark(
    char: char,
    before: Option<char>,
    after: Option<char>,
    is_last: bool,
    around: Around,
) -> bool {
    let precedes = |is_meant: fn(char) -> bool| after.is_some_and(is_meant);
    match char {
        '\\' => is_last || precedes(|after| after.is_ascii_punctuation() || after == '\n'),
        '`' | '[' => true,
        '*' => !(is_blank(before) && is_blank(after)),
        '_' => !(is_word(before) && is_word(after)) || is_last,
        '~' => before == Some('~') || after == Some('~'),
        '<' => is_last || precedes(|after| after.is_ascii_alphabetic() || "/!?".contains(after)),
        '!' => is_last && around.after.is_some(),
        '$' => around.dollars,
        _ => false,
    }
}

fn is_blank(char: Option<char>) -> bool {
    char.is_some_and(|char| char.is_whitespace() && char != '\n')
}

fn is_word(char: Option<char>) -> bool {
    char.is_some_and(char::is_alphanumeric)
}

/// Whether an ampersand before `rest` begins an entity.
fn is_entity(rest: &str) -> bool {
    let end = rest.find(|char: char| !char.is_ascii_alphanumeric() && char != '#');
    end.is_some_and(|end| end > 0 && rest[end..].starts_with(';'))
}

/// A line whose beginning would make it another kind of block, with its first sign escaped.
pub(super) fn line_start(line: &str) -> String {
    let line = line.trim_start();
    let is_of = |signs: &str| !line.is_empty() && line.chars().all(|char| signs.contains(char));
    let ends = |rest: &str| rest.is_empty() || rest.starts_with([' ', '\t']);
    let hashes = line.len() - line.trim_start_matches('#').len();
    let is_heading = (1..=6).contains(&hashes) && ends(&line[hashes..]);
    let is_item = line.starts_with(['-', '+']) && ends(&line[1..]);
    if is_heading || is_item || line.starts_with('>') || is_of("-:| \t") || is_of("= \t") {
        return format!("\\{line}");
    }
    if let Some(rest) = line.strip_prefix('*')
        && ends(rest)
    {
        return format!("\\{line}");
    }
    let digits = line.len()
        - line
            .trim_start_matches(|char: char| char.is_ascii_digit())
            .len();
    let rest = &line[digits..];
    if digits > 0 && rest.starts_with(['.', ')']) && ends(&rest[1..]) {
        return format!("{}\\{rest}", &line[..digits]);
    }
    line.to_owned()
}

/// The alternative text of a picture.
pub(super) fn alt(text: &str) -> String {
    let around = Around {
        in_cell: false,
        in_link: true,
        dollars: text.contains('$'),
        brackets: true,
        before: None,
        after: None,
    };
    let line: Vec<&str> = text.split_whitespace().collect();
    words(&line.join(" "), around)
}

/// An address as it stands between round brackets.
pub(super) fn address(address: &str) -> String {
    let mut out = String::with_capacity(address.len());
    let is_plain = !address.is_empty()
        && !address.contains(|char: char| {
            char.is_whitespace() || char.is_control() || "()<>".contains(char)
        });
    let mut chars = address.chars().peekable();
    while let Some(char) = chars.next() {
        match char {
            '\n' | '\r' => out.push_str("%0A"),
            '<' | '>' => out.extend(['\\', char]),
            '|' => out.push_str("%7C"),
            '\\' if chars.peek().is_none_or(char::is_ascii_punctuation) => out.push_str("\\\\"),
            '&' if is_entity(&chars.clone().take(40).collect::<String>()) => out.push_str("&amp;"),
            _ => out.push(char),
        }
    }
    if is_plain || address.is_empty() {
        return out;
    }
    format!("<{out}>")
}
