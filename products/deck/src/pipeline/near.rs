//! Answers that nearly are what was asked for: a deck among other words, and slides that say what they are in other words than the format
//! has. Only answers of models are read so; a text of a person is read as it is written.

use sdsl::{Cell, Cells, Closed, Line, Presentation, Prose, Slide, SlideType, Table, Word};
use serde_json::Value;

mod lines;

/// Lines that a front matter has at most, in a search for where decks begin.
const FRONT_LINES: usize = 40;
/// Letters that a word may differ in from a name that is meant.
const TYPING_ERRORS: usize = 2;
/// Letters that a part of a name has at least, so that a word with it names it.
const PART_LETTERS: usize = 4;
const SEPARATOR: &str = "---";
/// What models set texts apart with.
const FENCES: [&str; 3] = ["```", "~~~", "'''"];

/// The deck in an answer, wherever it stands: between fences, in a JSON text, behind and before other words, whole or a slide at a time. Of
/// several, the one with the most slides, and the last of such. With it, what was read in another way than it is written.
pub(super) fn deck_in(answer: &str) -> (String, Vec<String>) {
    let answer = lines::plain(answer);
    let answer = answer.trim();
    let mut found = Vec::from_iter(whole(in_turn(answer)));
    // What is set apart from other words is last, and so is preferred.
    for part in parts(answer) {
        found.extend(decks(part));
        found.extend(in_json(part));
    }
    // Mended first, since that shows what stands before a slide without a separator.
    let found = found.iter().map(|text| lines::mended(text));
    let best = found.max_by_key(|(text, _)| weight(text));
    // No slide says its type.
    let begins = |text: &&str| text.trim_start().starts_with(['#', '-']);
    let named = || parts(answer).find(begins).unwrap_or(answer).to_owned();
    best.unwrap_or_else(|| lines::mended(&named()))
}

/// One deck of slides that stand apart, if each has another name, behind a front matter that stands apart as well.
fn whole(apart: Vec<String>) -> Option<String> {
    let mut names = vec![];
    let mut front = None;
    let mut slides: Vec<String> = vec![];
    for part in apart {
        let part = part.trim().to_owned();
        let own: Vec<&str> = part.lines().filter(|line| line.starts_with("# ")).collect();
        let is_slide = !own.is_empty() && says_type(&part);
        let lines: Vec<&str> = part.lines().collect();
        if own.is_empty() && begins_front(&lines) && part.ends_with(SEPARATOR) {
            front = Some(part);
            continue;
        }
        // What is said twice is there once.
        if !is_slide || slides.contains(&part) {
            continue;
        }
        if own.iter().any(|name| names.contains(&(*name).to_owned())) {
            return None;
        }
        names.extend(own.into_iter().map(str::to_owned));
        slides.push(part);
    }
    let is_deck = slides.len() > 1 || (front.is_some() && !slides.is_empty());
    let front = front.map(|front| format!("{front}\n")).unwrap_or_default();
    is_deck.then(|| front + &slides.join("\n---\n"))
}

/// How many slides say their type, how few others there are beside them, and whether there is a front matter.
fn weight(text: &str) -> (usize, std::cmp::Reverse<usize>, bool) {
    let parsed = sdsl::parse(text);
    let typed = parsed
        .spans
        .iter()
        .filter(|at| says_type(&text[(*at).clone()]));
    let typed = typed.count();
    let others = parsed.presentation.slides.len().saturating_sub(typed);
    (
        typed,
        std::cmp::Reverse(others),
        parsed.front_matter.is_some(),
    )
}

fn says_type(slide: &str) -> bool {
    slide.lines().any(is_type)
}

fn is_type(line: &str) -> bool {
    let said = line.trim_start_matches('*').trim_start_matches('@');
    said.to_lowercase().starts_with("type")
}

/// A text, and what stands between fences in it.
fn parts(text: &str) -> impl Iterator<Item = &str> {
    [text].into_iter().chain(fenced(text))
}

/// The fence that a line begins with.
fn fence(line: &str) -> Option<&'static str> {
    let line = line.trim_start();
    FENCES.into_iter().find(|sign| line.starts_with(sign))
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
    let mut found = vec![];
    for (at, (start, line)) in lines.iter().enumerate() {
        if let Some(name) = tag(line) {
            let end = lines[at + 1..]
                .iter()
                .find(|(_, line)| line.trim() == format!("</{name}>"));
            found.extend(end.map(|end| &text[start + line.len()..end.0]));
        }
        let Some(sign) = fence(line) else {
            continue;
        };
        let from = start + line.len();
        let mut ends = lines[at + 1..]
            .iter()
            .filter(|(_, line)| line.trim_start().starts_with(sign));
        let next = ends.next();
        let last = ends.next_back().or(next);
        found.extend([next, last].map(|end| &text[from..end.map_or(text.len(), |end| end.0)]));
    }
    found
}

/// What stands between one fence and the next, one after the other.
fn in_turn(text: &str) -> Vec<String> {
    let (mut found, mut open) = (vec![], None);
    for line in text.lines() {
        match (open.as_mut(), fence(line).is_some()) {
            (None, true) => open = Some(String::new()),
            (Some(_), true) => found.extend(open.take()),
            (Some(inside), false) => *inside += &format!("{line}\n"),
            (None, false) => {}
        }
    }
    found.extend(open);
    found
}

/// The name of a tag that stands alone on its line.
fn tag(line: &str) -> Option<&str> {
    let name = line.trim().strip_prefix('<')?.strip_suffix('>')?;
    name.chars()
        .all(|c| c.is_alphanumeric() || c == '_')
        .then_some(name)
}

/// Decks in the strings of a JSON text, which may have other words around it.
fn in_json(text: &str) -> Vec<String> {
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return vec![];
    };
    let value: Option<Value> = text
        .get(start..=end)
        .and_then(|text| serde_json::from_str(text).ok());
    let (mut left, mut said) = (Vec::from_iter(value), vec![]);
    while let Some(value) = left.pop() {
        match value {
            Value::String(text) => said.push(lines::plain(&text)),
            Value::Array(values) => left.extend(values.into_iter().rev()),
            Value::Object(fields) => left.extend(fields.into_values().rev()),
            Value::Null | Value::Bool(_) | Value::Number(_) => {}
        }
    }
    let mut found: Vec<String> = said
        .iter()
        .flat_map(|text| parts(text).flat_map(decks))
        .collect();
    found.extend(whole(said));
    found
}

/// The decks in a text, each from its beginning, a front matter or a slide, to that of the next one, without a block at the end that is no
/// slide.
fn decks(text: &str) -> Vec<String> {
    let lines: Vec<&str> = text.lines().collect();
    let fronts = (0..lines.len()).filter(|at| begins_front(&lines[*at..]));
    let mut begins: Vec<usize> = fronts.collect();
    if begins.is_empty() {
        let last_type = lines.iter().rposition(|line| is_type(line)).unwrap_or(0);
        begins.extend((0..last_type).find(|at| lines[*at].starts_with("# ")));
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
    let is_key = |line: &str| {
        let key = line.trim().split_once(':').map(|(key, _)| key);
        key.is_some_and(|key| {
            !key.is_empty()
                && key
                    .bytes()
                    .all(|b| b.is_ascii_alphanumeric() || matches!(b, b'_' | b'.' | b'-'))
        })
    };
    let mut inside = inside.iter().filter(|line| !line.trim().is_empty());
    let is_comment = |line: &str| line.trim_start().starts_with("# ");
    inside.clone().next().is_some() && inside.all(|line| is_key(line) || is_comment(line))
}

/// Slides of an answer as they were meant, with a remark for each that was read in another way than it is written. What shows nothing at all
/// is left out, and named in the second list.
pub(super) fn meant(deck: &mut Presentation) -> (Vec<String>, Vec<String>) {
    let (mut remarks, mut dropped) = (vec![], vec![]);
    let count = deck.slides.len();
    let has_headings = deck.slides.iter().any(|slide| slide.heading.is_some());
    let mut number = 0;
    deck.slides.retain_mut(|slide| {
        number += 1;
        let named = format!("slide {number}, \"{}\"", slide.slide_name);
        if slide.heading.is_none() && is_headed_by_name(slide, number, has_headings) {
            slide.heading = Some(slide.slide_name.clone());
            remarks.push(format!("{named}: its name is read as its heading"));
        }
        if notes_in(slide) {
            remarks.push(format!(
                "{named}: the last paragraph of its text is read as its notes"
            ));
        }
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
        if as_fields(slide) {
            remarks.push(format!(
                "{named}: its points are read as what its type shows"
            ));
        }
        let place = match number {
            1 => SlideType::Title,
            last if last == count => SlideType::Closing,
            _ => SlideType::SectionDivider,
        };
        let kind = kind_of(slide, place);
        if kind != slide.kind() || slide.slide_type.unknown().is_some() {
            let said = slide.slide_type.unknown();
            let said = said.map_or_else(|| slide.kind().as_str().to_owned(), Line::to_string);
            remarks.push(format!("{named}: `{said}` is read as `{}`", kind.as_str()));
            slide.slide_type = Closed::known(kind);
        }
        true
    });
    remarks.extend(without_farewell(deck));
    (remarks, dropped)
}

/// Whether the name of a slide is meant as its heading: somebody wrote it, there is something below it or the whole deck is written so, and
/// the slide does without a heading neither because of its picture nor because its sentence is missing.
fn is_headed_by_name(slide: &Slide, number: usize, has_headings: bool) -> bool {
    slide.slide_name.as_str() != format!("Slide {number}")
        && (!has_headings || !shows_nothing(slide))
        && slide.image.is_none()
        && slide.kind() != SlideType::Quote
}

/// Takes the notes out of the text of a slide, if they stand there as reveal.js has them: a last paragraph that begins with `Note:` or
/// `Notes:`.
fn notes_in(slide: &mut Slide) -> bool {
    let free = slide.heading.is_some() && slide.speaker_notes.is_none();
    let Some(body) = slide.body.as_ref().filter(|_| free) else {
        return false;
    };
    let whole = ("", body.as_str());
    let (rest, last) = body.as_str().rsplit_once("\n\n").unwrap_or(whole);
    let Some((mark, said)) = last.split_once(':') else {
        return false;
    };
    let is_mark = ["note", "notes"].contains(&mark.to_lowercase().as_str());
    let Some(notes) = Prose::new(said).filter(|_| is_mark) else {
        return false;
    };
    slide.body = Prose::new(rest);
    slide.speaker_notes = Some(notes);
    true
}

/// What a model says after a deck is the only text beside points and headings in it, on its last slide. It is taken off, and told.
fn without_farewell(deck: &mut Presentation) -> Option<String> {
    let (last, others) = deck.slides.split_last_mut()?;
    let stands =
        last.kind() != SlideType::Freeform && others.iter().all(|slide| slide.body.is_none());
    let said = last
        .body
        .take_if(|_| stands && !others.is_empty() && last.heading.is_some())?;
    let first = said
        .as_str()
        .lines()
        .find(|line| !line.trim().is_empty())
        .unwrap_or_default();
    Some(format!(
        "the last words of the answer are taken for no part of the deck: \"{}\"",
        first.trim()
    ))
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
fn kind_of(slide: &Slide, place: SlideType) -> SlideType {
    let content = kinds_of_content(slide);
    let shows = |kind: SlideType| match kind {
        SlideType::StatCallout
        | SlideType::Timeline
        | SlideType::Comparison
        | SlideType::TwoColumn
        | SlideType::NextSteps => content.contains(&kind),
        SlideType::Quote => slide.heading.is_some(),
        SlideType::ImageText => slide.image.is_some(),
        SlideType::BulletPoints | SlideType::ExecSummary => {
            !slide.bullets.is_empty() || content.is_empty()
        }
        SlideType::Title | SlideType::SectionDivider | SlideType::Closing | SlideType::Freeform => {
            true
        }
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
    // A heading alone opens, divides or closes, by where it stands.
    let by_place = (slide.body.is_none() && slide.image.is_none()).then_some(place);
    own.or(by_points)
        .or(written)
        .or(by_place)
        .unwrap_or_default()
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
    let near = |kind: &SlideType| strsim::levenshtein(kind.as_str(), word) <= TYPING_ERRORS;
    let shares = |kind: &SlideType| {
        let names = parts(kind.as_str());
        let has = |name: &String| name.len() > PART_LETTERS && word.contains(name.as_str());
        names.iter().any(has)
            || parts(word)
                .iter()
                .any(|part| names.iter().any(|name| is_part(part, name)))
    };
    let all = || SlideType::ALL.iter().copied();
    all().filter(near).chain(all().filter(shares)).collect()
}

/// Points of a slide whose type shows figures, stations or actions and that has none, as those. Each has to say both what it shows and what
/// that is.
fn as_fields(slide: &mut Slide) -> bool {
    let kind = slide.kind();
    if slide.bullets.is_empty() || !kinds_of_content(slide).is_empty() {
        return false;
    }
    let cell = |text: &String| Cell::new(text).unwrap_or_default();
    let points: Vec<Vec<String>> = slide
        .bullets
        .iter()
        .map(|bullet| lines::split(bullet.text.as_str()))
        .collect();
    let are_pairs = points.iter().all(|fields| fields.len() > 1);
    match kind {
        SlideType::StatCallout if are_pairs => {
            let stat = |fields: &Vec<String>| sdsl::Stat {
                value: cell(&fields[0]),
                label: cell(&fields[1]),
                description: None,
            };
            slide.stats = points.iter().map(stat).collect();
        }
        SlideType::Timeline if are_pairs => {
            let step = |fields: &Vec<String>| sdsl::Step {
                time: cell(&fields[0]),
                title: cell(&fields[1]),
                description: None,
            };
            slide.timeline = points.iter().map(step).collect();
        }
        SlideType::NextSteps => {
            let action = |bullet: &sdsl::Bullet| sdsl::Action {
                action: bullet.text.clone(),
                owner: None,
                timeline: None,
            };
            slide.next_steps = slide.bullets.iter().map(action).collect();
        }
        SlideType::StatCallout
        | SlideType::Timeline
        | SlideType::Title
        | SlideType::SectionDivider
        | SlideType::BulletPoints
        | SlideType::TwoColumn
        | SlideType::ImageText
        | SlideType::Comparison
        | SlideType::Quote
        | SlideType::Closing
        | SlideType::Freeform
        | SlideType::ExecSummary => return false,
    }
    slide.bullets.clear();
    true
}

/// A table of Markdown in the text of a slide whose own table is not there or empty; it is taken out of the text.
fn table_in(slide: &mut Slide) -> Option<Table> {
    let is_empty = |table: &Table| table.headers.is_none() && table.rows.is_empty();
    let stands = slide.compare.as_ref().is_none_or(is_empty);
    let body = slide.body.as_ref().filter(|_| stands)?;
    let lines: Vec<&str> = body.as_str().lines().collect();
    let (from, count) = (0..lines.len()).find_map(|from| {
        let count = lines::table_lines(&lines[from..])?;
        Some((from, count))
    })?;
    let cells = |line: &&str| {
        let row = lines::cells(line)?.split('|');
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
