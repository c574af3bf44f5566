//! Reading the front matter. It looks like YAML but is not YAML: a value is the text behind its key.

use crate::diagnostic::Code;
use crate::grammar::{self, MetaField as F};
use crate::lines::{SourceLine, key_value};
use crate::model::{Meta, MetaExtra, MetaKey};
use crate::parse::Report;
use crate::text::{Hex, Line, trim};
use crate::words::{Closed, DslVersion, Output, Value};

/// Reads the lines between the signs of the front matter.
pub(crate) fn read(lines: &[SourceLine<'_>], report: &mut Report) -> Meta {
    let mut meta = Meta::default();
    let mut seen: Vec<F> = Vec::new();
    // Keys above a line with their indents.
    let mut above: Vec<(usize, String)> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let text = trim(line.text);
        if text.is_empty() {
            continue;
        }
        if let Some(comment) = text.strip_prefix('#') {
            meta.comments.extend(Line::new(comment));
            continue;
        }
        let Some(pair) = key_value(line.text) else {
            report.add(
                Code::FrontMatterLine,
                line,
                format!("`{text}` is no key with a value: it is kept as a comment"),
            );
            meta.comments.extend(Line::new(text));
            continue;
        };
        if pair.wide_colon {
            report.wide_colon(line, pair.key);
        }
        above.retain(|(indent, _)| *indent < pair.indent);
        let path: Vec<&str> = above
            .iter()
            .map(|(_, key)| key.as_str())
            .chain([pair.key])
            .collect();
        let path = path.join(".");
        let value = Line::new(&unquoted(pair.value));
        let Some(value) = value else {
            let next = lines[at + 1..].iter().find(|line| {
                let text = trim(line.text);
                !text.is_empty() && !text.starts_with('#')
            });
            let below = next.filter(|next| crate::lines::indent(next.text) > pair.indent);
            let is_ours = grammar::is_container(&crate::words::spelling(pair.key));
            match below {
                Some(below) if key_value(below.text).is_some() => {
                    above.push((pair.indent, pair.key.to_owned()));
                }
                // A list or a text below a key is kept as comments, and so is the key above it.
                Some(_) => {
                    let message = format!(
                        "`{}` has no value on its line: it is kept as a comment",
                        pair.key
                    );
                    report.add(Code::FrontMatterLine, line, message);
                    meta.comments.extend(Line::new(text));
                }
                None if is_ours => {}
                None => report.empty(line, pair.key),
            }
            continue;
        };
        match grammar::meta_key(&path) {
            Some(field) => {
                if seen.contains(&field) {
                    report.repeated(line, pair.key);
                }
                seen.push(field);
                if !pair.key.ends_with(field.key()) {
                    report.spelled(line, pair.key, field.key());
                }
                set(&mut meta, field, value, line, report);
            }
            None => keep(&mut meta, &path, value, line, report),
        }
    }
    meta
}

/// A key that the format does not know is kept.
fn keep(meta: &mut Meta, path: &str, value: Line, line: &SourceLine<'_>, report: &mut Report) {
    let mut path = path;
    while grammar::begins_with_presentation(path) {
        path = path.split_once('.').map_or("", |(_, rest)| rest);
    }
    if let Some(key) = MetaKey::new(path) {
        report.add(
            Code::UnknownKey,
            line,
            format!("the front matter has no key `{path}`: it is kept and means nothing"),
        );
        meta.extra.push(MetaExtra { key, value });
    } else {
        report.add(
            Code::FrontMatterLine,
            line,
            format!(
                "`{}` has keys below it and no value: it is kept as a comment",
                trim(line.text)
            ),
        );
        meta.comments.extend(Line::new(trim(line.text)));
    }
}

fn set(meta: &mut Meta, field: F, value: Line, line: &SourceLine<'_>, report: &mut Report) {
    match field {
        F::Title => meta.title = Some(value),
        F::Author => meta.author = Some(value),
        F::Company => meta.company = Some(value),
        F::Template => meta.template = Some(value),
        F::Date => meta.date = Some(value),
        F::Confidentiality => meta.confidentiality = Some(value),
        F::Footer => meta.footer = Some(value),
        F::PageNumber => meta.page_number = Some(value),
        F::Output => meta.output = report.closed::<Output>("output", value, line),
        F::DslVersion => meta.dsl_version = version(value, line, report),
        F::Primary => meta.brand.primary = Some(color(field, value, line, report)),
        F::Secondary => meta.brand.secondary = Some(color(field, value, line, report)),
        F::Accent => meta.brand.accent = Some(color(field, value, line, report)),
        F::HeaderFont => meta.brand.header_font = Some(value),
        F::BodyFont => meta.brand.body_font = Some(value),
        F::Logo => meta.brand.logo = Some(value),
    }
}

fn version(value: Line, line: &SourceLine<'_>, report: &mut Report) -> Closed<DslVersion> {
    let version = Closed::<DslVersion>::read(value);
    if let Some(word) = version.unknown() {
        let message =
            format!("`dsl_version: {word}` is no number: the deck is read as of version 1");
        report.add(Code::UnknownValue, line, message);
    } else if version.get() > DslVersion::OURS {
        let (theirs, ours) = (version.get().0, DslVersion::OURS.0);
        let message = format!(
            "the deck is of version {theirs} of the language, this program reads up to {ours}: what is new in it is kept and means nothing"
        );
        report.add(Code::NewerVersion, line, message);
    }
    version
}

fn color(field: F, value: Line, line: &SourceLine<'_>, report: &mut Report) -> Closed<Hex> {
    let key = field.key();
    let color = Closed::<Hex>::read(value.clone());
    match color.value() {
        None => report.add(
            Code::UnknownValue,
            line,
            format!("`{key}: {value}` is no colour of six hexadecimal digits such as 1E2761: the default is drawn"),
        ),
        Some(hex) if hex.as_str() != value.as_str() => report.add(
            Code::ColorForm,
            line,
            format!("`{key}: {value}` is read as {}: write six digits without `#`", hex.write()),
        ),
        Some(_) => {}
    }
    color
}

/// One matching pair of quotes is stripped; `\"` inside of double quotes is a quote.
fn unquoted(value: &str) -> String {
    let inside = |quote: char| {
        value
            .strip_prefix(quote)
            .and_then(|rest| rest.strip_suffix(quote))
    };
    if let Some(text) = inside('"') {
        return text.replace("\\\"", "\"");
    }
    inside('\'').unwrap_or(value).to_owned()
}
