//! What a message itself contains: its subject, its figures, and the points that it names.

use palimpsest::prelude::author::wishes::{as_title, subject};
use sdsl::{Bullet, Line, Slide, SlideType, Stat};

use super::{HEADING_CHARS_MAX, cell, line, slide};

/// Key figures of one slide.
const FIGURES: std::ops::RangeInclusive<usize> = 2..=4;

/// The subject of the request; where none is found, what stands before the first colon, else the first clause.
pub(super) fn title(brief: &str) -> Option<Line> {
    let has_colon = brief.contains([':', '：']);
    let fits = |subject: &&str| !has_colon && subject.chars().count() <= HEADING_CHARS_MAX;
    if let Some(subject) = subject(brief, 0.0).filter(fits) {
        return line(&as_title(subject));
    }
    let first = brief.lines().find(|line| !line.trim().is_empty())?;
    let subject = first.split([':', '：']).next().unwrap_or(first);
    let subject = match subject.chars().count() > HEADING_CHARS_MAX {
        true => clauses(subject).into_iter().next().unwrap_or(subject),
        false => subject,
    };
    let short: String = subject.chars().take(HEADING_CHARS_MAX).collect();
    line(short.trim().trim_end_matches(['.', '。', ',', '，']))
}

/// The points that are named after the subject.
fn points(brief: &str) -> Vec<&str> {
    let rest = brief
        .split_once([':', '：'])
        .map_or(brief, |(_, rest)| rest);
    clauses(rest)
}

/// Parts of a text between commas, semicolons and full stops that are not part of a number.
fn clauses(text: &str) -> Vec<&str> {
    let bytes = text.as_bytes();
    let mut parts = Vec::new();
    let mut start = 0;
    for (at, sign) in text.char_indices() {
        let end = at + sign.len_utf8();
        let in_number = matches!(sign, ',' | '.')
            && bytes.get(end).is_some_and(u8::is_ascii_digit)
            && at > 0
            && bytes[at - 1].is_ascii_digit();
        if matches!(sign, ',' | ';' | '.' | '，' | '；' | '。' | '、' | '\n') && !in_number {
            parts.push(text[start..at].trim());
            start = end;
        }
    }
    parts.push(text[start..].trim());
    parts.retain(|part| !part.is_empty());
    parts
}

/// A number with its unit, and what it counts: `94 % uptime` is `94 %` and `uptime`.
pub(super) fn figure(text: &str) -> Option<Stat> {
    let text = text.trim();
    let text = text.strip_prefix("and ").unwrap_or(text);
    let number = words::quantities(text).into_iter().next();
    let number = number.filter(|number| number.span.start == 0)?;
    // Letters right behind a number are its unit: `12ms`.
    let end = number.span.end;
    let unit = text[end..].find(|c: char| !c.is_ascii_alphanumeric());
    let (value, label) = text.split_at(unit.map_or(text.len(), |unit| end + unit));
    let label = label.trim();
    // A telephone number counts nothing.
    (label.contains(char::is_alphabetic) && label.chars().count() <= 60).then(|| Stat {
        value: cell(value),
        label: cell(label),
        description: None,
    })
}

/// The figures that the message names, if there are enough for a slide.
pub(super) fn figures(brief: &str, chinese: bool) -> Option<Slide> {
    let stats: Vec<Stat> = points(brief).into_iter().filter_map(figure).collect();
    if !FIGURES.contains(&stats.len()) {
        return None;
    }
    let said: Vec<String> = stats
        .iter()
        .map(|stat| format!("{} {}", stat.value, stat.label))
        .collect();
    let mut figures = slide(
        if chinese {
            "关键数字"
        } else {
            "Key figures"
        },
        SlideType::StatCallout,
    )?;
    figures.heading = line(&said.join(", "));
    figures.stats = stats;
    Some(figures)
}

/// A slide for each of several points that the message names beside its figures and its subject. The slide says `nothing`: that nothing was
/// given about it.
pub(super) fn named(brief: &str, nothing: &str) -> Vec<Slide> {
    let subject = title(brief);
    let names_subject = |point: &&str| {
        let subject = subject
            .as_ref()
            .map(|subject| subject.as_str().to_lowercase());
        subject.is_some_and(|subject| point.to_lowercase().contains(&subject))
    };
    let points = points(brief)
        .into_iter()
        .filter(|point| figure(point).is_none() && !names_subject(point));
    let points: Vec<&str> = points.collect();
    if points.len() < 2 {
        return vec![];
    }
    let to_fill = points.into_iter().filter_map(|point| {
        let short: String = point.chars().take(HEADING_CHARS_MAX).collect();
        to_fill(&short, &[nothing.to_owned()])
    });
    to_fill.collect()
}

/// A slide that somebody fills.
pub(super) fn to_fill(title: &str, lines: &[String]) -> Option<Slide> {
    let mut slide = slide(title, SlideType::BulletPoints)?;
    slide.heading = line(title);
    let bullet = |text: &String| Bullet {
        text: cell(text),
        level: 0,
        icon: None,
    };
    slide.bullets = lines.iter().map(bullet).collect();
    Some(slide)
}
