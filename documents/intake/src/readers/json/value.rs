//! Values as they are written.

use std::fmt;

use serde::de::{Deserialize, Deserializer, MapAccess, Visitor};
use serde_json::value::RawValue;

/// A value, one level of it.
pub(super) enum Value<'t> {
    /// Names may occur twice, as some programs write them.
    Object(Vec<(String, &'t RawValue)>),
    Array(Vec<&'t RawValue>),
    Text(String),
    /// A number, true, false or null, character for character.
    Other(&'t str),
}

impl<'t> Value<'t> {
    pub(super) fn of(raw: &'t RawValue) -> Self {
        let text = raw.get();
        let value = match text.as_bytes().first() {
            Some(b'{') => serde_json::from_str::<Entries<'t>>(text)
                .ok()
                .map(|entries| Self::Object(entries.0)),
            Some(b'[') => serde_json::from_str(text).ok().map(Self::Array),
            Some(b'"') => serde_json::from_str(text).ok().map(Self::Text),
            Some(_) | None => None,
        };
        // Half of a surrogate pair is valid JSON but not text: it stays in its escaped form.
        value.unwrap_or(Self::Other(text))
    }
}

struct Entries<'t>(Vec<(String, &'t RawValue)>);

impl<'de: 't, 't> Deserialize<'de> for Entries<'t> {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_map(EntriesVisitor)
    }
}

struct EntriesVisitor;

impl<'de> Visitor<'de> for EntriesVisitor {
    type Value = Entries<'de>;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<Self::Value, A::Error> {
        let mut entries = Vec::new();
        while let Some(entry) = map.next_entry()? {
            entries.push(entry);
        }
        Ok(Entries(entries))
    }
}

/// The pointer to a part of a value, as RFC 6901 writes it.
pub(super) fn child(pointer: &str, name: &str) -> String {
    format!("{pointer}/{}", name.replace('~', "~0").replace('/', "~1"))
}

/// On one line; everything in quotation marks stays unchanged.
pub(super) fn compact(json: &str) -> String {
    let mut out = String::with_capacity(json.len());
    let (mut is_quoted, mut is_escaped) = (false, false);
    for char in json.chars() {
        if is_quoted {
            out.push(char);
            is_quoted = is_escaped || char != '"';
            is_escaped = char == '\\' && !is_escaped;
            continue;
        }
        match char {
            ' ' | '\t' | '\n' | '\r' => {}
            ',' | ':' => out.extend([char, ' ']),
            _ => {
                is_quoted = char == '"';
                out.push(char);
            }
        }
    }
    out
}
