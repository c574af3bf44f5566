//! Front matter as it is written: block by block, with quotes only where a reader would otherwise misread it.

use serde_json::{Map, Value};

/// A map between lines of dashes; an empty text for an empty map.
pub(super) fn block(map: &Map<String, Value>) -> String {
    if map.is_empty() {
        return String::new();
    }
    let mut out = String::from("---\n");
    for (key, value) in map {
        out.push_str(&text(key));
        out.push(':');
        write_value(&mut out, value);
    }
    out.push_str("---\n");
    out
}

fn write_value(out: &mut String, value: &Value) {
    match value {
        Value::String(it) if is_literal(it) => {
            out.push_str(" |-\n");
            for line in it.lines() {
                let indent = if line.is_empty() { "" } else { "  " };
                out.push_str(indent);
                out.push_str(line);
                out.push('\n');
            }
        }
        Value::Object(map) if !map.is_empty() => {
            out.push('\n');
            for (key, value) in map {
                out.push_str(&format!("  {}: {}\n", text(key), flow(value)));
            }
        }
        Value::Array(items) if !items.is_empty() && items.iter().all(is_filled_map) => {
            out.push('\n');
            for map in items.iter().filter_map(Value::as_object) {
                for (at, (key, value)) in map.iter().enumerate() {
                    let mark = if at == 0 { "- " } else { "  " };
                    out.push_str(&format!("  {mark}{}: {}\n", text(key), flow(value)));
                }
            }
        }
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) => {
            out.push_str(&format!(" {}\n", flow(value)));
        }
        Value::Array(_) | Value::Object(_) => out.push_str(&format!(" {}\n", flow(value))),
    }
}

fn is_filled_map(value: &Value) -> bool {
    value.as_object().is_some_and(|map| !map.is_empty())
}

/// A value in one line.
pub(super) fn flow(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(it) => it.to_string(),
        Value::Number(it) => it.to_string(),
        Value::String(it) => text(it),
        Value::Array(items) => {
            let items: Vec<String> = items.iter().map(flow).collect();
            format!("[{}]", items.join(", "))
        }
        Value::Object(map) => {
            let pair = |(key, value): (&String, &Value)| format!("{}: {}", text(key), flow(value));
            let pairs: Vec<String> = map.iter().map(pair).collect();
            format!("{{{}}}", pairs.join(", "))
        }
    }
}

fn text(text: &str) -> String {
    if is_plain(text) || is_date(text) {
        return text.to_owned();
    }
    let mut out = String::from("\"");
    for c in text.chars() {
        match c {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\t' => out.push_str("\\t"),
            c if is_hidden(c) => out.push_str(&format!("\\U{:08x}", u32::from(c))),
            c => out.push(c),
        }
    }
    out.push('"');
    out
}

/// Whether a text without quotes is read as the same text in every place.
fn is_plain(text: &str) -> bool {
    let is_inner = |c: char| {
        c.is_alphanumeric()
            || matches!(c, ' ' | '_' | '-' | '·' | '/' | '.' | '(' | ')' | ';')
            || ('\u{3001}'..='\u{3011}').contains(&c)
            || ('\u{2010}'..='\u{2026}').contains(&c) && !is_hidden(c)
            || matches!(c, '！' | '？' | '，' | '：' | '；' | '（' | '）')
    };
    let means_else = [
        "true", "false", "null", "yes", "no", "on", "off", "y", "n", "nan", "inf", "infinity",
    ];
    text.starts_with(char::is_alphabetic)
        && !text.ends_with(' ')
        && text.chars().all(is_inner)
        && !means_else.contains(&text.to_lowercase().as_str())
}

/// `1923-03-12`: digits and two hyphens, which no reader would read as a number.
fn is_date(text: &str) -> bool {
    let parts: Vec<&str> = text.split('-').collect();
    let is_number = |part: &&str| part.len() >= 2 && part.bytes().all(|it| it.is_ascii_digit());
    parts.len() == 3 && parts[0].len() == 4 && parts.iter().all(is_number)
}

/// Whether a text can be written as lines below its key.
fn is_literal(text: &str) -> bool {
    text.contains('\n')
        && !text.ends_with('\n')
        && !text.starts_with([' ', '\n'])
        && text.lines().all(|line| line.trim_end() == line)
        && !text.chars().any(|c| c != '\n' && is_hidden(c))
}

/// Characters that are invisible, or that a reader of YAML treats as the end of a line.
fn is_hidden(c: char) -> bool {
    c.is_control()
        || matches!(
            c,
            '\u{2028}' | '\u{2029}' | '\u{feff}' | '\u{200b}'..='\u{200f}'
        )
        || matches!(c, '\u{fffe}' | '\u{ffff}')
}
