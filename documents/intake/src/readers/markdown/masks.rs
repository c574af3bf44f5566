//! Replaces signs that are not marks by stand-ins.

use super::math::is_formula;
use words::is_hangul;

use super::prepare::Signs;
use crate::readers::scripts::is_unspaced;

/// The most bytes of a formula, and of words in bold within a word: without a limit each sign would be looked for to the end of its line.
const LONGEST_FORMULA: usize = 2_000;

pub(super) struct Writer<'t> {
    text: &'t str,
    at: usize,
    out: String,
    signs: Signs,
    /// Whether a run of one, two or three stars is open on this line.
    open: [bool; 4],
    /// Up to which place `\(` and `\[` are known not to be closed.
    without: [usize; 2],
}

impl<'t> Writer<'t> {
    pub(super) fn new(text: &'t str, signs: Signs) -> Self {
        Self {
            text,
            at: 0,
            out: String::with_capacity(text.len() + text.len() / 16),
            signs,
            open: [false; 4],
            without: [0; 2],
        }
    }

    pub(super) fn all(mut self) -> String {
        while self.step() {}
        self.out
    }

    fn step(&mut self) -> bool {
        let Some(char) = self.rest().chars().next() else {
            return false;
        };
        match char {
            '\\' => self.backslash(),
            '$' => self.dollar(),
            '*' => self.stars(),
            '~' => {
                let run = self.run('~');
                let sign = if run == 1 { self.signs.tilde } else { '~' };
                self.write(run, |out| out.extend(std::iter::repeat_n(sign, run)));
            }
            '_' => {
                let run = self.run('_');
                if let Some(words) = self.bold_in_word(run) {
                    let [begins, ends] = self.signs.bold;
                    let piece = format!("{begins}{words}{ends}");
                    self.write(words.len() + 4, |out| out.push_str(&piece));
                    return true;
                }
                let sign = if run < 3 || self.is_rule() {
                    '_'
                } else {
                    self.signs.low_line
                };
                self.write(run, |out| out.extend(std::iter::repeat_n(sign, run)));
            }
            _ => {
                if char == '\n' {
                    self.open = [false; 4];
                }
                self.copy(char.len_utf8());
            }
        }
        true
    }

    fn rest(&self) -> &'t str {
        &self.text[self.at..]
    }

    fn run(&self, sign: char) -> usize {
        self.rest().chars().take_while(|char| *char == sign).count()
    }

    /// The words between two low lines here and two others on the line, where a letter stands beside one of these marks of a script that
    /// writes no blanks between its words, or particles to them.
    fn bold_in_word(&self, run: usize) -> Option<&'t str> {
        let inside = self.rest().strip_prefix("__").filter(|_| run == 2)?;
        let most = inside.floor_char_boundary(LONGEST_FORMULA.min(inside.len()));
        let line = inside[..most].split('\n').next()?;
        let (words, after) = line.split_once("__")?;
        let is_plain = !words.is_empty()
            && words.trim() == words
            && !words.contains(['_', '`', '$', '\\', '*', '~', '[', ']', '<'])
            && !after.starts_with('_');
        let joins = |char: Option<char>| char.is_some_and(|char| is_han(char) || is_hangul(char));
        let is_in_word = joins(self.before()) || joins(after.chars().next());
        (is_plain && is_in_word).then_some(words)
    }

    /// Whether the line before and after this place has only low lines, which is a rule across the page.
    fn is_rule(&self) -> bool {
        let before = self.text[..self.at].chars().rev();
        let after = self.rest().chars();
        let is_bare = |char: &char| matches!(char, '_' | ' ' | '>');
        before
            .take_while(|char| *char != '\n')
            .take(100)
            .all(|char| is_bare(&char))
            && after
                .take_while(|char| *char != '\n')
                .take(100)
                .all(|char| is_bare(&char))
    }

    fn before(&self) -> Option<char> {
        self.text[..self.at].chars().next_back()
    }

    fn write(&mut self, bytes: usize, write: impl FnOnce(&mut String)) {
        write(&mut self.out);
        self.at += bytes;
    }

    fn copy(&mut self, bytes: usize) {
        let piece = &self.rest()[..bytes];
        self.write(bytes, |out| out.push_str(piece));
    }

    /// `\(x\)` and `\[x\]` are formulas; any other character after a backslash is not a mark, or not one that matters here.
    fn backslash(&mut self) {
        let rest = self.rest();
        let (round, square) = (self.signs.round, self.signs.square);
        if let Some(content) = self.formula(0, "\\(", "\\)") {
            let inner = content.trim();
            let piece = format!("${round}{inner}{round}$");
            self.write(content.len() + 4, |out| out.push_str(&piece));
            return;
        }
        if let Some(content) = self.formula(1, "\\[", "\\]") {
            let piece = format!("$${square}{content}{square}$$");
            self.write(content.len() + 4, |out| out.push_str(&piece));
            return;
        }
        let next = rest[1..]
            .chars()
            .next()
            .filter(|next| next.is_ascii_punctuation());
        self.copy(1 + next.map_or(0, char::len_utf8));
    }

    /// The formula that `open` begins here.
    fn formula(&mut self, which: usize, open: &str, close: &str) -> Option<&'t str> {
        let inner = self.rest().strip_prefix(open)?;
        let inner = &inner[..paragraph_end(inner)];
        // Text that was already searched for the closing sign is not searched again.
        let start = self.at + open.len();
        let skipped = self.without[which].saturating_sub(start);
        let skipped = inner.floor_char_boundary(skipped.min(inner.len()));
        let Some(end) = unescaped(&inner[skipped..], close) else {
            self.without[which] = start + inner.len();
            return None;
        };
        let content = &inner[..skipped + end];
        let is_line = self.before().is_none_or(|before| before == '\n');
        let is_one = !content.contains(open)
            && !content.contains('$')
            && (is_line || !content.contains('\n'));
        (is_one && is_formula(content.trim())).then_some(content)
    }

    fn dollar(&mut self) {
        let rest = self.rest();
        let sign = self.signs.dollar;
        if let Some(inner) = rest.strip_prefix("$$") {
            let inner = &inner[..paragraph_end(inner)];
            match inner
                .find("$$")
                .filter(|end| !inner[..*end].trim().is_empty())
            {
                Some(end) => self.copy(end + 4),
                None => self.write(2, |out| out.extend([sign, sign])),
            }
            return;
        }
        let is_after_word = self
            .before()
            .is_some_and(|char| char.is_ascii_alphanumeric());
        match closing(&rest[1..]).filter(|end| !is_after_word && is_formula(&rest[1..=*end])) {
            Some(end) => self.copy(end + 2),
            None => self.write(1, |out| out.push(sign)),
        }
    }

    fn stars(&mut self) {
        let run = self.run('*');
        let before = self.before().unwrap_or('\n');
        let after = self.rest()[run..].chars().next().unwrap_or('\n');
        let open = self.open.get(run).copied().unwrap_or(false);
        let joins = |char: char| char.is_ascii_alphanumeric() || matches!(char, '(' | ')');
        let has_digit = before.is_ascii_digit() || after.is_ascii_digit();
        if run < 3 && !open && has_digit && joins(before) && joins(after) {
            let sign = self.signs.star;
            self.write(run, |out| out.extend(std::iter::repeat_n(sign, run)));
            return;
        }
        if (!before.is_whitespace() || !after.is_whitespace())
            && let Some(open) = self.open.get_mut(run)
        {
            *open = !*open;
        }
        let joint = self.signs.joint;
        let is_mark = |char: char| !char.is_alphanumeric() && !char.is_whitespace();
        if is_mark(before) && before != '\\' && is_han(after) {
            self.out.push(joint);
        }
        self.copy(run);
        if is_han(before) && is_mark(after) {
            self.out.push(joint);
        }
    }
}

/// The place of the dollar sign that closes what `inner` begins: it has no blank before it and no word after it.
fn closing(inner: &str) -> Option<usize> {
    let inner = &inner[..paragraph_end(inner)];
    if inner.starts_with(char::is_whitespace) {
        return None;
    }
    let bytes = inner.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        match bytes[at] {
            b'\\' => at += 1,
            b'$' => {
                let after = inner[at + 1..].chars().next();
                let is_closing = at > 0
                    && !inner[..at].ends_with(char::is_whitespace)
                    && !after.is_some_and(|char| char.is_ascii_alphanumeric() || char == '$');
                return is_closing.then_some(at);
            }
            _ => {}
        }
        at += 1;
    }
    None
}

/// The first place of `sign`, which begins with a backslash, without another backslash before it.
fn unescaped(text: &str, sign: &str) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('\\') {
        at += found;
        if text[at..].starts_with(sign) {
            return Some(at);
        }
        let next = text[at + 1..].chars().next()?;
        at += 1 + next.len_utf8();
    }
    None
}

/// Where a paragraph ends, or a formula would be too long.
fn paragraph_end(text: &str) -> usize {
    let most = text.floor_char_boundary(LONGEST_FORMULA.min(text.len()));
    text[..most].find("\n\n").unwrap_or(most)
}

/// A letter of a script that is written without blanks between words.
fn is_han(char: char) -> bool {
    is_unspaced(char) && char.is_alphanumeric()
}
