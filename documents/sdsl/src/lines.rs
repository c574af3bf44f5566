//! Lines of a file and what each looks like by itself: the lexer, on `winnow`. What a line means at its place is decided by the
//! code that reads the lines in order.

use winnow::Parser;
use winnow::Result;
use winnow::combinator::{alt, eof, opt, peek, preceded, repeat};
use winnow::token::{any, one_of, rest, take_till, take_while};

use crate::text::is_blank;

/// What stands between two slides.
pub(crate) const SEPARATOR: &str = "---";

/// Columns that a level of a list is indented by; a tab is a level.
pub(crate) const LEVEL_COLUMNS: usize = 2;

/// A line and where it begins in the file.
#[derive(Debug, Clone, Copy)]
pub(crate) struct SourceLine<'a> {
    /// Without its line end.
    pub(crate) text: &'a str,
    pub(crate) start: usize,
}

/// The lines of a text; LF, CRLF and CR end one. A text that ends with a line end has no further empty line.
pub(crate) fn split(text: &str) -> impl Iterator<Item = SourceLine<'_>> {
    let mut at = 0;
    std::iter::from_fn(move || {
        let left = text.get(at..).filter(|left| !left.is_empty())?;
        let start = at;
        let end = left.find(['\n', '\r']).unwrap_or(left.len());
        let ending = match &left.as_bytes()[end..] {
            [b'\r', b'\n', ..] => 2,
            [] => 0,
            [..] => 1,
        };
        at = start + end + ending;
        Some(SourceLine {
            text: &left[..end],
            start,
        })
    })
}

/// Whether the line divides slides, where no fence protects it.
pub(crate) fn is_separator(line: &str) -> bool {
    line.trim_end_matches(is_blank) == SEPARATOR
}

/// Columns that blanks and tabs at the beginning of a line make.
pub(crate) fn indent(line: &str) -> usize {
    line.chars()
        .take_while(|c| is_blank(*c))
        .map(|c| if c == '\t' { LEVEL_COLUMNS } else { 1 })
        .sum()
}

/// The line without so many columns of its indent, or without all of its indent if that has fewer.
pub(crate) fn outdent(line: &str, columns: usize) -> &str {
    let mut left = columns;
    line.trim_start_matches(|c: char| {
        let width = match c {
            ' ' => 1,
            '\t' => LEVEL_COLUMNS,
            _ => return false,
        };
        let fits = width <= left;
        left = left.saturating_sub(width);
        fits
    })
}

fn blanks<'a>(input: &mut &'a str) -> Result<&'a str> {
    take_while(0.., is_blank).parse_next(input)
}

/// A blank, or the end of the line: what a mark needs behind it.
fn gap(input: &mut &str) -> Result<()> {
    alt((take_while(1.., is_blank).void(), eof.void())).parse_next(input)
}

/// What a line of a slide is, by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Form<'a> {
    /// `# Name`.
    Name(&'a str),
    /// `## Heading` or `### Subheading`, with the number of its signs.
    Heading { signs: usize, text: &'a str },
    /// `@key: value` at the line's beginning.
    Directive(Directive<'a>),
    /// `- text`.
    Point(Point<'a>),
    /// Everything else.
    Text,
}

/// `@key: value`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Directive<'a> {
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    /// The colon is the full-width one.
    pub(crate) wide_colon: bool,
}

/// `- text`, however deep.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Point<'a> {
    pub(crate) indent: usize,
    pub(crate) mark: &'a str,
    pub(crate) text: &'a str,
}

/// The largest number before a line that may be one of a list: larger ones are years and quantities.
const LIST_NUMBER_MAX: u32 = 99;
/// So many lines may stand between two numbers of a list.
const LIST_GAP_LINES: usize = 30;

/// `1. text`, `1) text` or `1、text`, which is a point if the lines around it are.
pub(crate) fn numbered(line: &str) -> Option<(u32, Point<'_>)> {
    let behind = line.trim_start_matches(is_blank);
    let digits = behind.len()
        - behind
            .trim_start_matches(|c: char| c.is_ascii_digit())
            .len();
    let number = behind[..digits].parse().ok();
    let number = number.filter(|number| (1..=LIST_NUMBER_MAX).contains(number))?;
    let sign = behind[digits..].chars().next()?;
    let (mark, text) = behind.split_at(digits + sign.len_utf8());
    let divides = match sign {
        '.' | ')' => text.starts_with(is_blank),
        '、' | '．' | '）' => true,
        _ => false,
    };
    let text = crate::text::trim(text);
    let point = Point {
        indent: indent(line),
        mark,
        text,
    };
    (divides && !text.is_empty()).then_some((number, point))
}

/// Whether a line begins a list of numbered lines: it has the number 1, and the next line that is as deep has the number 2.
pub(crate) fn begins_list<'a>(line: &str, after: impl Iterator<Item = &'a str>) -> bool {
    let Some((1, first)) = numbered(line) else {
        return false;
    };
    let mut after = after.take(LIST_GAP_LINES);
    let next =
        after.find(|line| !crate::text::trim(line).is_empty() && indent(line) <= first.indent);
    let next = next.and_then(numbered);
    next.is_some_and(|(number, next)| number == 2 && next.indent == first.indent)
}

/// What the line is by itself. Names and directives begin in the first column; headings and points may be indented.
pub(crate) fn form(line: &str) -> Form<'_> {
    let deep = line.starts_with(is_blank);
    if let Ok((signs, text)) = heading.parse(line) {
        return match (signs, deep) {
            (1, false) => Form::Name(text),
            (1, true) => Form::Text,
            (signs, _) => Form::Heading { signs, text },
        };
    }
    if let Ok(directive) = directive.parse(line) {
        return Form::Directive(directive);
    }
    if let Ok(point) = point.parse(line) {
        return Form::Point(point);
    }
    Form::Text
}

fn heading<'a>(input: &mut &'a str) -> Result<(usize, &'a str)> {
    let signs = preceded(blanks, take_while(1..=3, '#')).parse_next(input)?;
    gap.parse_next(input)?;
    let text = rest.parse_next(input)?;
    Ok((signs.len(), crate::text::trim(text)))
}

/// Whether a character may stand in a directive's key.
pub(crate) fn is_key(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | '.')
}

fn directive<'a>(input: &mut &'a str) -> Result<Directive<'a>> {
    let key = preceded('@', take_while(1.., is_key)).parse_next(input)?;
    let colon = preceded(blanks, one_of([':', '：'])).parse_next(input)?;
    let value = rest.parse_next(input)?;
    Ok(Directive {
        key,
        value: crate::text::trim(value),
        wide_colon: colon == '：',
    })
}

fn point<'a>(input: &mut &'a str) -> Result<Point<'a>> {
    let before = blanks.parse_next(input)?;
    let mark = one_of(['-', '*', '+', '•']).take().parse_next(input)?;
    if mark != "•" {
        peek(gap).parse_next(input)?;
    }
    let text = rest.parse_next(input)?;
    Ok(Point {
        indent: indent(before),
        mark,
        text: crate::text::trim(text),
    })
}

/// A point's text as icon and words: `@icon: rocket | text`. `None` for a plain point.
pub(crate) fn icon_point(text: &str) -> Option<(&str, bool)> {
    fn begins<'a>(input: &mut &'a str) -> Result<(char, &'a str)> {
        let colon = preceded(("@icon", blanks), one_of([':', '：'])).parse_next(input)?;
        Ok((colon, rest.parse_next(input)?))
    }
    let (colon, value) = begins.parse(text).ok()?;
    Some((crate::text::trim(value), colon == '：'))
}

/// `header: a | b` or `row: a | b` of a table, at any indent.
pub(crate) fn table_line(line: &str) -> Option<TableLine<'_>> {
    fn begins<'a>(input: &mut &'a str) -> Result<(&'a str, char, &'a str)> {
        blanks.parse_next(input)?;
        let word = take_while(1.., |c: char| c.is_ascii_alphabetic()).parse_next(input)?;
        let colon = preceded(blanks, one_of([':', '：'])).parse_next(input)?;
        Ok((word, colon, rest.parse_next(input)?))
    }
    let (word, colon, value) = begins.parse(line).ok()?;
    let is_header = if word.eq_ignore_ascii_case("header") {
        true
    } else if word.eq_ignore_ascii_case("row") {
        false
    } else {
        return None;
    };
    Some(TableLine {
        is_header,
        value: crate::text::trim(value),
        wide_colon: colon == '：',
    })
}

/// A line of a table.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct TableLine<'a> {
    pub(crate) is_header: bool,
    pub(crate) value: &'a str,
    pub(crate) wide_colon: bool,
}

/// The fields between bars, each without the blanks around it. A run of backslashes directly before a bar halves; after an
/// odd one the bar is text.
pub(crate) fn fields(text: &str) -> Vec<String> {
    let mut fields: Vec<String> = Vec::new();
    let mut input = text;
    loop {
        let field = field.parse_next(&mut input).unwrap_or_default();
        fields.push(crate::text::trim(&field).to_owned());
        if input.is_empty() {
            return fields;
        }
        // The bar that ended the field.
        input = &input['|'.len_utf8()..];
    }
}

/// At most so many fields: what is left stays in the last one, with its bars. Tells whether something was left.
pub(crate) fn fields_at_most(text: &str, count: usize) -> (Vec<String>, bool) {
    let mut all = fields(text);
    if all.len() <= count {
        return (all, false);
    }
    let rest = all.split_off(count - 1).join(" | ");
    all.push(rest);
    (all, true)
}

fn field(input: &mut &str) -> Result<String> {
    // A run of backslashes that does not stand before a bar is taken as a whole; otherwise a long run would be read again for each of
    // its backslashes.
    let run = take_while(1.., '\\').map(str::to_owned);
    let words = take_till(1.., ['|', '\\']).map(str::to_owned);
    repeat(0.., alt((escaped, run, words)))
        .fold(String::new, |mut field, part: String| {
            field.push_str(&part);
            field
        })
        .parse_next(input)
}

/// Backslashes directly before a bar, and the bar if it is text.
fn escaped(input: &mut &str) -> Result<String> {
    let run = take_while(1.., '\\').parse_next(input)?;
    peek('|').parse_next(input)?;
    let mut kept = "\\".repeat(run.len() / 2);
    if !run.len().is_multiple_of(2) {
        any.parse_next(input)?;
        kept.push('|');
    }
    Ok(kept)
}

/// A field as it is written: its bars are escaped.
pub(crate) fn escape_field(text: &str) -> String {
    let mut written = String::with_capacity(text.len());
    let mut run = 0;
    for character in text.chars() {
        match character {
            '\\' => run += 1,
            '|' => {
                written.extend(std::iter::repeat_n('\\', run + 1));
                run = 0;
            }
            _ => run = 0,
        }
        written.push(character);
    }
    written
}

/// The line that opens a block of code.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Fence {
    sign: char,
    len: usize,
}

impl Fence {
    /// Three or more backquotes or tildes at the beginning of a line without its indent.
    pub(crate) fn opens(line: &str) -> Option<Self> {
        fn begins(input: &mut &str) -> Result<Fence> {
            let signs = alt((take_while(3.., '`'), take_while(3.., '~'))).parse_next(input)?;
            let sign = signs.chars().next().unwrap_or('`');
            let info = rest.parse_next(input)?;
            // A line such as ```x``` is code inside of a sentence.
            if sign == '`' && info.contains('`') {
                return Err(winnow::error::ParserError::from_input(input));
            }
            Ok(Fence {
                sign,
                len: signs.len(),
            })
        }
        begins.parse(line).ok()
    }

    fn is_closed_by(self, line: &str) -> bool {
        let line = crate::text::trim(line);
        line.chars().all(|c| c == self.sign) && line.len() >= self.len
    }
}

/// Blocks of code of a text, found line after line.
#[derive(Default)]
pub(crate) struct Fences {
    /// No later line closes these, so that nothing is looked for twice.
    unclosed: Vec<Fence>,
}

impl Fences {
    /// What the line opens if it opens something: the line that closes it, or `None` for a fence that none closes.
    pub(crate) fn opened(&mut self, lines: &[&str], at: usize) -> Option<Option<usize>> {
        let fence = Fence::opens(crate::text::trim(lines[at]))?;
        if self.unclosed.contains(&fence) {
            return Some(None);
        }
        let end = (at + 1..lines.len()).find(|at| fence.is_closed_by(lines[*at]));
        if end.is_none() {
            self.unclosed.push(fence);
        }
        Some(end)
    }
}

/// A line whose first backslash says that it is text: without its backslashes it would be read as something else. A backslash
/// before anything else is itself, so that a formula may begin a line.
pub(crate) fn escaped_text(line: &str) -> Option<&str> {
    let behind = line.trim_start_matches(is_blank).strip_prefix('\\')?;
    let line = behind.trim_start_matches('\\').trim_start_matches(is_blank);
    (is_construct(line) || numbered(line).is_some()).then(|| crate::text::trim(behind))
}

/// Whether a line without its indent would be read as something else than text, wherever it stands.
pub(crate) fn is_construct(line: &str) -> bool {
    !matches!(form(line), Form::Text)
        || is_separator(line)
        || line.starts_with("<!--")
        || Fence::opens(line).is_some()
        || table_line(line).is_some()
}

/// A line of text as it is written: with a backslash where it would be read as something else.
pub(crate) fn escape_line(line: &str) -> String {
    if is_construct(line) || escaped_text(line).is_some() {
        format!("\\{line}")
    } else {
        line.to_owned()
    }
}

/// `key: value` of a front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KeyValue<'a> {
    pub(crate) indent: usize,
    pub(crate) key: &'a str,
    pub(crate) value: &'a str,
    pub(crate) wide_colon: bool,
}

/// A key has neither blanks nor a colon; the two slashes of an address are no value.
pub(crate) fn key_value(line: &str) -> Option<KeyValue<'_>> {
    fn begins<'a>(input: &mut &'a str) -> Result<KeyValue<'a>> {
        let before = blanks.parse_next(input)?;
        let key = take_till(1.., |c: char| is_blank(c) || matches!(c, ':' | '：'))
            .verify(|key: &str| is_meta_key(key))
            .parse_next(input)?;
        let colon = preceded(blanks, one_of([':', '：'])).parse_next(input)?;
        opt("//")
            .verify(|slashes: &Option<&str>| slashes.is_none())
            .parse_next(input)?;
        let value = rest.parse_next(input)?;
        Ok(KeyValue {
            indent: indent(before),
            key,
            value: crate::text::trim(value),
            wide_colon: colon == '：',
        })
    }
    begins.parse(line).ok()
}

/// Whether this can be the key of a front matter.
pub(crate) fn is_meta_key(key: &str) -> bool {
    !key.is_empty()
        && !key.starts_with(['#', '@', '-', '<', '\\', '"', '\'', '.'])
        && !key.ends_with('.')
        && !key
            .chars()
            .any(|c| c.is_whitespace() || c.is_control() || matches!(c, ':' | '：'))
}
