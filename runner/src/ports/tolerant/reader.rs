//! The reader itself: one function for each thing that a document is made of.

use serde_json::{Map, Number, Value};

use super::escapes::decoded;
use super::strings::{Role, are_quotations, starts_element, starts_member};
use super::tokens::{bare_key, gap, quote_pair, scalar};
use super::{DEPTH_MAX, Fault};

/// Quotes that may stay inside one string. Each is looked at together with what follows it, which may be long; a page of
/// dialogue has about a hundred.
const INNER_QUOTES_MAX: usize = 1_000;

pub(super) struct Reader<'a> {
    text: &'a str,
    at: usize,
    depth: usize,
}

impl<'a> Reader<'a> {
    pub(super) fn new(text: &'a str) -> Reader<'a> {
        Reader {
            text,
            at: 0,
            depth: 0,
        }
    }

    /// How many bytes were read.
    pub(super) fn at(&self) -> usize {
        self.at
    }

    /// An object or an array.
    pub(super) fn document(&mut self) -> Result<Value, Fault> {
        match self.rest().chars().next() {
            Some('{') => self.object(),
            Some('[') => self.array(),
            Some(_) => Err(self.fault("no object or array begins here")),
            None => Err(Fault::Cut),
        }
    }

    fn object(&mut self) -> Result<Value, Fault> {
        self.descend()?;
        let mut members = Map::new();
        loop {
            self.pass_gap();
            if self.take('}') {
                break;
            }
            let began = self.at;
            let key = self.key()?;
            self.pass_gap();
            if !self.take(':') && !self.take('：') {
                return Err(self.unexpected("a colon has to stand between a key and its value"));
            }
            self.pass_gap();
            let value = self.value(Role::Member)?;
            // Which of the two was meant cannot be known.
            if members.insert(key, value).is_some() {
                return Err(Fault::Unreadable {
                    at: began,
                    what: "the same key stands twice in one object",
                });
            }
            self.pass_separator('}', starts_member)?;
        }
        self.depth -= 1;
        Ok(Value::Object(members))
    }

    fn array(&mut self) -> Result<Value, Fault> {
        self.descend()?;
        let mut elements = vec![];
        loop {
            self.pass_gap();
            if self.take(']') {
                break;
            }
            elements.push(self.value(Role::Element)?);
            self.pass_separator(']', starts_element)?;
        }
        self.depth -= 1;
        Ok(Value::Array(elements))
    }

    /// Goes into an object or array, past its bracket.
    fn descend(&mut self) -> Result<(), Fault> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(self.fault("objects and arrays stand too deep in each other"));
        }
        self.at += 1;
        Ok(())
    }

    fn key(&mut self) -> Result<String, Fault> {
        if quote_pair(self.rest()).is_some() {
            return self.string(Role::Key);
        }
        let key = bare_key(self.rest());
        if key.is_empty() {
            return Err(self.unexpected("a key in double quotes has to stand here"));
        }
        self.at += key.len();
        Ok(key.to_owned())
    }

    fn value(&mut self, role: Role) -> Result<Value, Fault> {
        if quote_pair(self.rest()).is_some() {
            return self.string(role).map(Value::String);
        }
        if self.rest().starts_with(['{', '[']) {
            return self.document();
        }
        let word = scalar(self.rest());
        if word.len() == self.rest().len() {
            return Err(Fault::Cut);
        }
        let value = match word {
            "true" | "True" => Value::Bool(true),
            "false" | "False" => Value::Bool(false),
            "null" | "None" => Value::Null,
            number => serde_json::from_str::<Number>(number)
                .map(Value::Number)
                .map_err(|_| {
                    self.unexpected("only a value may stand here, and texts need double quotes")
                })?,
        };
        self.at += word.len();
        Ok(value)
    }

    fn string(&mut self, role: Role) -> Result<String, Fault> {
        let began = self.at;
        let fault = |what| Fault::Unreadable { at: began, what };
        let (opening, closing) = quote_pair(self.rest()).ok_or(Fault::Cut)?;
        self.at += opening.len_utf8();
        let mut string = String::new();
        let mut quotes = vec![];
        loop {
            let rest = self.rest();
            let letter = rest.chars().next().ok_or(Fault::Cut)?;
            if let Some((letter, length)) = decoded(rest) {
                string.push(letter);
                self.at += length;
                continue;
            }
            if let Some(quote) = escaped_quote(rest, (opening, closing)) {
                string.push(quote);
                self.at += 1 + quote.len_utf8();
                continue;
            }
            self.at += letter.len_utf8();
            if letter == closing && role.ends_before(self.rest()) {
                break;
            }
            let is_quote = letter == closing || letter == opening;
            if is_quote && !self.is_apostrophe(letter, &string) {
                quotes.push(string.len());
            }
            if quotes.len() > INNER_QUOTES_MAX {
                return Err(fault("a string has too many quotes that are not escaped"));
            }
            string.push(letter);
        }
        if !are_quotations(&string, &quotes, (opening, closing)) {
            // The last quote may have begun another string.
            if gap(self.rest()).rest.is_empty() {
                return Err(Fault::Cut);
            }
            return Err(fault(
                "it is not clear where this string ends: escape the double quotes inside strings",
            ));
        }
        Ok(string)
    }

    /// Whether the quote before the place that is being read stands within a word.
    fn is_apostrophe(&self, quote: char, before: &str) -> bool {
        quote == '\''
            && before.ends_with(char::is_alphabetic)
            && self.rest().starts_with(char::is_alphabetic)
    }

    /// Goes past the comma behind a value, up to the next piece or the closing bracket. A comma may be missing where the next
    /// piece is on another line or begins with a quote or a bracket.
    fn pass_separator(
        &mut self,
        closing: char,
        starts_piece: fn(&str) -> bool,
    ) -> Result<(), Fault> {
        let has_newline = self.pass_gap();
        let rest = self.rest();
        if rest.starts_with(closing) || self.take(',') || self.take('，') {
            return Ok(());
        }
        let is_apart = has_newline || quote_pair(rest).is_some() || rest.starts_with(['{', '[']);
        if is_apart && starts_piece(rest) {
            return Ok(());
        }
        Err(self.unexpected("a comma or a closing bracket has to stand here"))
    }

    /// Goes past white space and comments; says whether a line ended there.
    fn pass_gap(&mut self) -> bool {
        let found = gap(self.rest());
        let has_newline = found.has_newline;
        self.at += found.length;
        if found.rest.is_empty() {
            self.text = &self.text[..self.at];
        }
        has_newline
    }

    fn take(&mut self, letter: char) -> bool {
        let is_next = self.rest().starts_with(letter);
        if is_next {
            self.at += letter.len_utf8();
        }
        is_next
    }

    fn rest(&self) -> &'a str {
        &self.text[self.at..]
    }

    /// The fault that something unexpected stands here. At the end of the text the fault is that something is missing, even if it is only
    /// the rest of a word.
    fn unexpected(&self, what: &'static str) -> Fault {
        if scalar(self.rest()).len() == self.rest().len() {
            return Fault::Cut;
        }
        self.fault(what)
    }

    fn fault(&self, what: &'static str) -> Fault {
        Fault::Unreadable { at: self.at, what }
    }
}

/// The quote behind a backslash where the string has quotes that are not JSON's.
fn escaped_quote(text: &str, (opening, closing): (char, char)) -> Option<char> {
    let quote = text.strip_prefix('\\')?.chars().next()?;
    (quote != '"' && (quote == opening || quote == closing)).then_some(quote)
}
