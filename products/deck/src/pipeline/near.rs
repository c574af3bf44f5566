//! Answers that nearly are what was asked for: a deck among other words, and slides that say what they are in other words than the format
//! has. Only answers of models are read so; a text of a person is read as it is written.

use sdsl::{Cell, Cells, Closed, Line, Presentation, Prose, Slide, SlideType, Table, Word};
use serde_json::Value;

/// Lines that a front matter has at most, in a search for where decks begin.
const FRONT_LINES: usize = 40;
/// Letters that a word may differ in from a name that is meant.
const TYPING_ERRORS: usize = 2;
/// Letters that a part of a name has at least, so that a word with it names it.
const PART_LETTERS: usize = 4;
const SEPARATOR: &str = "---";

/// The deck in an answer, wherever it stands: between fences, in a JSON text, behind and before other words. Of several, the one with the
/// most slides, and the last of such.
pub(super) fn deck_in(answer: &str) -> String {
    let answer = answer.trim();
    let mut found = vec![];
    // What is set apart from other words is last, and so is preferred.
    for part in parts(answer) {
        found.extend(decks(part));
        found.extend(in_json(part));
    }
    let best = found.into_iter().max_by_key(|text| weight(text));
    // No slide says its type.
    let begins = |text: &&str| text.trim_start().starts_with(['#', '-']);
    let named = || parts(answer).find(begins).unwrap_or(answer).to_owned();
    best.unwrap_or_else(named)
}

/// How many slides say their type, how few others there are beside them, and whether there is a front matter.
fn weight(text: &str) -> (usize, std::cmp::Reverse<usize>, bool) {
    let parsed = sdsl::parse(text);
    let typed = parsed
        .spans
        .iter()
        .filter(|at| says_type(&text[(*at).clone()]));
    let typed = typed.count();
    let others = parsed.spans.len() - typed;
    (
        typed,
        std::cmp::Reverse(others),
        parsed.front_matter.is_some(),
    )
}

fn says_type(slide: &str) -> bool {
    slide.lines().any(|line| line.starts_with("@type"))
}

/// A text, and what stands between fences in it.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    [text].into_iter().chain(fenced(text))
}

/// What stands between fences: up to the next one and up to the last one, since code on a slide has fences, too. One that is not closed goes
/// on to the end.
fn fenced(text: &str) -> Vec<&str> {
    let mut lines = vec![];
    let mut start = 0;
    for line in text.split_inclusive('\n') {
        lines.push((start, line));
        start += line.len();
    }
    let is_fence = |line: &str, sign: &str| line.trim_start().starts_with(sign);
    let mut found = vec![];
    for (at, (start, line)) in lines.iter().enumerate() {
        let Some(sign) = ["```", "~~~"].into_iter().find(|sign| is_fence(line, sign)) else {
            continue;
        };
        let from = start + line.len();
        let mut ends = lines[at + 1..]
            .iter()
            .filter(|(_, line)| is_fence(line, sign));
        let next = ends.next();
        let last = ends.next_back().or(next);
        found.extend([next, last].map(|end| &text[from..end.map_or(text.len(), |end| end.0)]));
    }
    found
}

/// Decks in the strings of a JSON text, which may have other words around it.
fn in_json(text: &str) -> Vec<String> {
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return vec![];
    };
    let value: Option<Value> = text
        .get(start..=end)
        .and_then(|text| serde_json::from_str(text).ok());
    let (mut left, mut found) = (Vec::from_iter(value), vec![]);
    while let Some(value) = left.pop() {
        match value {
            Value::String(said) => found.extend(parts(&said).flat_map(decks)),
            Value::Array(values) => left.extend(values),
            Value::Object(fields) => left.extend(fields.into_iter().map(|(_, value)| value)),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    found
}

/// The decks in a text, each from its beginning, a front matter or a slide, to that of the next one, without a block at the end that is no
/// slide.
fn decks(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let fronts = (0..lines.len()).filter(|at| begins_front(&lines[*at..]));
    let mut begins: Vec<usize> = fronts.collect();
    if begins.is_empty() {
        let is_slide =
            |at: &usize| lines[*at].starts_with("# ") && says_type(&lines[*at..].join("\n"));
        begins.extend((0..lines.len()).find(is_slide));
    }
    let ends = begins.iter().skip(1).copied().chain([lines.len()]);
    let each = begins.iter().zip(ends).map(|(from, to)| {
        let mut deck = &lines[*from..to];
        let last = deck.iter().rposition(|line| line.trim_end() == SEPARATOR);
        let is_slide = |line: &&str| line.starts_with("# ") || line.starts_with('@');
        if let Some(last) = last.filter(|last| *last > 0 && !deck[last + 1..].iter().any(is_slide))
        {
            deck = &deck[..last];
        }
        deck.join("\n")
    });
    each.collect()
}

/// Whether a front matter stands here, which is closed.
fn begins_front(lines: &[&str]) -> bool {
    let [first, rest @ ..] = lines else {
        return false;
    };
    let rest = &rest[..rest.len().min(FRONT_LINES)];
    let end = rest.iter().position(|line| line.trim_end() == SEPARATOR);
    let Some(inside) = end
        .map(|end| &rest[..end])
        .filter(|_| first.trim_end() == SEPARATOR)
    else {
        return false;
    };
    let is_key = |line: &&str| {
        let key = line.trim().split_once(':').map(|(key, _)| key);
        key.is_some_and(|key| {
            !key.is_empty()
                && key
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        })
    };
    let mut inside = inside.iter().filter(|line| !line.trim().is_empty());
    inside.clone().next().is_some() && inside.all(is_key_or_comment(is_key))
}

fn is_key_or_comment<'a>(is_key: impl Fn(&&'a str) -> bool) -> impl FnMut(&&'a str) -> bool {
    move |line| is_key(line) || line.trim_start().starts_with("# ")
}

/// Slides of an answer as they were meant, with a remark for each that was read in another way than it is written. What shows nothing at all
/// is left out, and named in the second list.
pub(super) fn meant(deck: &mut Presentation) -> (Vec<String>, Vec<String>) {
    let (mut remarks, mut dropped) = (vec![], vec![]);
    let mut number = 0;
    deck.slides.retain_mut(|slide| {
        number += 1;
        let named = format!("slide {number}, \"{}\"", slide.slide_name);
        if shows_nothing(slide) {
            dropped.push(format!("{named}, is left out: there is nothing on it"));
            return false;
        }
        if let Some(table) = table_in(slide) {
            slide.compare = Some(table);
            let is_open = slide.slide_type.value() == Some(&SlideType::Freeform);
            if is_open && slide.bullets.is_empty() {
                slide.slide_type = Closed::known(SlideType::Comparison);
            }
            remarks.push(format!(
                "{named}: a table of Markdown is read as rows of `@compare`"
            ));
        }
        let kind = kind_of(slide);
        if kind != slide.kind() || slide.slide_type.unknown().is_some() {
            let said = slide.slide_type.unknown();
            let said = said.map_or_else(|| slide.kind().as_str().to_owned(), Line::to_string);
            remarks.push(format!("{named}: `{said}` is read as `{}`", kind.as_str()));
            slide.slide_type = Closed::known(kind);
        }
        true
    });
    (remarks, dropped)
}

fn shows_nothing(slide: &Slide) -> bool {
    slide.heading.is_none()
        && slide.subheading.is_none()
        && slide.body.is_none()
        && slide.image.is_none()
        && slide.bullets.is_empty()
        && kinds_of_content(slide).is_empty()
}

/// The types whose content the slide has.
fn kinds_of_content(slide: &Slide) -> Vec<SlideType> {
    let has = [
        (!slide.stats.is_empty(), SlideType::StatCallout),
        (!slide.timeline.is_empty(), SlideType::Timeline),
        (
            slide
                .compare
                .as_ref()
                .is_some_and(|table| !table.rows.is_empty()),
            SlideType::Comparison,
        ),
        (slide.columns.len() > 1, SlideType::TwoColumn),
        (!slide.next_steps.is_empty(), SlideType::NextSteps),
        (
            slide.chart.is_some() || slide.columns.len() == 1,
            SlideType::Freeform,
        ),
    ];
    has.into_iter()
        .filter(|(has, _)| *has)
        .map(|(_, kind)| kind)
        .collect()
}

/// The type of a slide: as it is written, where it has what that shows; else by what it has, by the name that is nearly written, and by its
/// points.
fn kind_of(slide: &Slide) -> SlideType {
    let content = kinds_of_content(slide);
    let shows = |kind: SlideType| match kind {
        SlideType::StatCallout
        | SlideType::Timeline
        | SlideType::Comparison
        | SlideType::TwoColumn
        | SlideType::NextSteps => content.contains(&kind),
        SlideType::Quote => slide.heading.is_some(),
        SlideType::ImageText => slide.image.is_some(),
        SlideType::Title
        | SlideType::SectionDivider
        | SlideType::BulletPoints
        | SlideType::Closing
        | SlideType::Freeform
        | SlideType::ExecSummary => true,
    };
    let written = slide.slide_type.value().copied();
    if let Some(kind) = written.filter(|kind| shows(*kind)) {
        return kind;
    }
    let word = slide
        .slide_type
        .unknown()
        .map(|word| word.as_str().to_lowercase());
    let named = word.as_deref().map(named).unwrap_or_default();
    let named = named.into_iter().find(|kind| shows(*kind));
    let by_content = content.first().copied();
    let by_points = (!slide.bullets.is_empty()).then_some(SlideType::BulletPoints);
    let is_named_by_content = named.is_some_and(|kind| content.contains(&kind));
    let own = if is_named_by_content {
        named
    } else {
        by_content.or(named)
    };
    own.or(by_points).or(written).unwrap_or_default()
}

/// The types whose names a word nearly is, or has a part of.
fn named(word: &str) -> Vec<SlideType> {
    let parts = |name: &str| {
        name.split(['_', '-', ' '])
            .map(str::to_owned)
            .collect::<Vec<_>>()
    };
    let is_part = |one: &String, other: &String| {
        let same = one
            .chars()
            .zip(other.chars())
            .take_while(|(a, b)| a == b)
            .count();
        same >= PART_LETTERS && one.chars().count().abs_diff(other.chars().count()) <= 1
    };
    let near = |kind: &SlideType| distance(kind.as_str(), word) <= TYPING_ERRORS;
    let shares = |kind: &SlideType| {
        let names = parts(kind.as_str());
        parts(word)
            .iter()
            .any(|part| names.iter().any(|name| is_part(part, name)))
    };
    let all = || SlideType::ALL.iter().copied();
    all().filter(near).chain(all().filter(shares)).collect()
}

/// In how many letters two words differ.
fn distance(one: &str, other: &str) -> usize {
    let other: Vec<char> = other.chars().collect();
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (at, c) in one.chars().enumerate() {
        let mut before = at;
        row[0] = at + 1;
        for (place, o) in other.iter().enumerate() {
            let changed = before + usize::from(c != *o);
            before = row[place + 1];
            row[place + 1] = changed.min(before + 1).min(row[place] + 1);
        }
    }
    row[other.len()]
}

/// A table of Markdown in the text of a slide that has no other; it is taken out of the text.
fn table_in(slide: &mut Slide) -> Option<Table> {
    let body = slide.body.as_ref().filter(|_| slide.compare.is_none())?;
    let lines: Vec<&str> = body.as_str().lines().collect();
    let is_row = |line: &&str| line.trim().starts_with('|') && line.trim().len() > 1;
    let is_rule = |line: &str| {
        line.chars()
            .all(|c| matches!(c, '|' | '-' | ':' | ' ' | '\t'))
            && line.contains('-')
    };
    let from = (1..lines.len())
        .find(|at| is_row(&lines[at - 1]) && is_row(&lines[*at]) && is_rule(lines[*at]))?
        - 1;
    let count = lines[from..].iter().take_while(|line| is_row(line)).count();
    let cells = |line: &&str| {
        let row = line.trim().trim_matches('|').split('|');
        Cells::new(
            row.map(|text| Cell::new(text.trim()).unwrap_or_default())
                .collect(),
        )
    };
    let table = Table {
        headers: cells(&lines[from]),
        rows: lines[from + 2..from + count]
            .iter()
            .filter_map(cells)
            .collect(),
    };
    let rest = [&lines[..from], &lines[from + count..]].concat().join("\n");
    slide.body = Prose::new(rest.trim());
    Some(table)
}

#[cfg(test)]
mod tests;
