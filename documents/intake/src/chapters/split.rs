//! Lines become chapters.

use super::contents::without_contents;
use super::headline::{Headline, Rank, headline};
use super::levels::{beside, by_level};
use super::{ChapterKind, ChapterPlan, ChapterSpan};

/// Characters of the longest line that is taken for the title below a chapter's number.
const TITLE_CHARS_MAX: usize = 60;

/// A line of a text, or a block of a document.
#[derive(Clone, Debug)]
pub(super) struct Line<'t> {
    /// Without blanks around it.
    pub(super) text: &'t str,
    /// The level, if it is a heading.
    pub(super) level: Option<u8>,
    /// Where it begins.
    pub(super) start: usize,
    /// Whether it stands apart from the lines before and after it, whatever these lines are.
    pub(super) is_alone: bool,
    /// Whether it is content, even if it has no words.
    pub(super) is_text: bool,
}

impl<'t> Line<'t> {
    pub(super) fn new(text: &'t str, level: Option<u8>, start: usize) -> Self {
        Self {
            text,
            level,
            start,
            is_alone: false,
            is_text: !text.is_empty(),
        }
    }
}

/// A line that is above a chapter or a volume.
#[derive(Clone, Debug)]
pub(super) struct Found {
    pub(super) line: usize,
    pub(super) headline: Headline,
}

/// Splits lines that end at `end`.
pub(super) fn split(lines: &[Line<'_>], end: usize) -> ChapterPlan {
    let mut plan = ChapterPlan::default();
    if !lines.iter().any(|line| line.is_text) {
        if end > 0 {
            plan.chapters.push(only(lines, end));
        }
        return plan;
    }
    let found = headlines(lines, &mut plan.remarks);
    if found.is_empty() {
        let remark = "no line of the manuscript looks like the title of a chapter, so that all of it is one chapter";
        plan.remarks.push(remark.to_owned());
        plan.chapters.push(only(lines, end));
        return plan;
    }
    plan.chapters = spans(lines, &found, end);
    plan
}

/// All of a manuscript as one chapter. A heading at its beginning is its title.
fn only(lines: &[Line<'_>], end: usize) -> ChapterSpan {
    let first = lines.iter().position(|line| line.is_text);
    let title = first.filter(|first| lines[*first].level.is_some());
    let body = title.map_or(0, |title| start_of(lines, title + 1, end));
    ChapterSpan {
        volume: None,
        title: title.map_or_else(String::new, |title| lines[title].text.to_owned()),
        kind: ChapterKind::Chapter,
        whole: 0..end,
        body: body..end,
    }
}

fn start_of(lines: &[Line<'_>], at: usize, end: usize) -> usize {
    lines.get(at).map_or(end, |line| line.start)
}

/// The lines that are above chapters and volumes, in order.
fn headlines(lines: &[Line<'_>], remarks: &mut Vec<String>) -> Vec<Found> {
    let is_blank = |at: Option<usize>| {
        at.and_then(|at| lines.get(at))
            .is_none_or(|line| line.text.is_empty())
    };
    let mut all: Vec<Found> = Vec::new();
    for (at, line) in lines.iter().enumerate() {
        let is_alone = line.is_alone || is_blank(at.checked_sub(1)) || is_blank(Some(at + 1));
        let Some(headline) = headline(line.text, is_alone) else {
            continue;
        };
        // A number may be the end of a paragraph that stands alone; it is a headline only with blank lines on both sides.
        let is_number = matches!(headline.rank, Rank::Number(_));
        let is_between = line.is_alone || (is_blank(at.checked_sub(1)) && is_blank(Some(at + 1)));
        if !is_number || is_between {
            all.push(Found { line: at, headline });
        }
    }
    let is_text_between =
        |from: usize, to: usize| lines[from + 1..to].iter().any(|line| line.is_text);
    let is_plain = |found: &Found| !matches!(found.headline.rank, Rank::Number(_));
    let mut named: Vec<Found> = all
        .iter()
        .filter(|found| is_plain(found))
        .cloned()
        .collect();
    // If there are marked headings, a line that only looks like a headline belongs to the text.
    let is_heading = |found: &Found| lines[found.line].level.is_some();
    if named
        .iter()
        .any(|found| is_heading(found) && found.headline.rank <= Rank::Chapter)
    {
        named.retain(is_heading);
    }
    let mut named = without_contents(named, is_text_between);
    let has = |rank: Rank, named: &[Found]| named.iter().any(|found| found.headline.rank == rank);
    let is_within = |found: &Found| found.headline.inner.is_some();
    if has(Rank::Chapter, &named) || named.iter().any(is_within) {
        named.retain(|found| found.headline.rank <= Rank::Chapter);
        named.extend(beside(lines, &named));
        named.sort_by_key(|found| found.line);
        return named;
    }
    if has(Rank::Section, &named) {
        return as_chapters(named, Rank::Section);
    }
    let leveled = by_level(lines);
    if !leveled.is_empty() {
        remarks.push(
            "the chapters were told by the levels of headings, not by their words".to_owned(),
        );
        return leveled;
    }
    let numbers = in_sequence(all);
    if !numbers.is_empty() {
        remarks.push(
            "the chapters were told by numbers that stand alone between blank lines".to_owned(),
        );
        named.extend(numbers);
        named.sort_by_key(|found| found.line);
        return named;
    }
    as_chapters(named, Rank::Volume)
}

fn as_chapters(mut found: Vec<Found>, rank: Rank) -> Vec<Found> {
    for found in &mut found {
        if found.headline.rank == rank {
            found.headline.rank = Rank::Chapter;
        }
    }
    found
}

/// Numbers alone that follow one another from 1, at least two of them. After a volume they may begin again.
fn in_sequence(all: Vec<Found>) -> Vec<Found> {
    let mut numbers = Vec::new();
    let mut next = 1;
    for mut found in all {
        let Rank::Number(number) = found.headline.rank else {
            continue;
        };
        if number == next || (number == 1 && next > 2) {
            next = number + 1;
            found.headline.rank = Rank::Chapter;
            numbers.push(found);
        }
    }
    if numbers.len() < 2 {
        numbers.clear();
    }
    numbers
}

fn spans(lines: &[Line<'_>], found: &[Found], end: usize) -> Vec<ChapterSpan> {
    let mut spans: Vec<ChapterSpan> = Vec::new();
    let mut volume: Option<String> = None;
    // The beginning of the next chapter; the lines of volumes before it belong to the chapter.
    let mut begin = 0;
    let has_text = |from: usize, to: usize| lines[from..to].iter().any(|line| line.is_text);
    let first = found.first().map_or(lines.len(), |found| found.line);
    if has_text(0, first) {
        let stop = start_of(lines, first, end);
        spans.push(ChapterSpan {
            volume: None,
            title: String::new(),
            kind: ChapterKind::FrontMatter,
            whole: 0..stop,
            body: 0..stop,
        });
        begin = stop;
    }
    for (at, here) in found.iter().enumerate() {
        let line = &lines[here.line];
        let next = found.get(at + 1).map_or(lines.len(), |next| next.line);
        let stop = start_of(lines, next, end);
        let mut kind = ChapterKind::Chapter;
        let (mut title, mut body) = titled(lines, here, next);
        if here.headline.rank == Rank::Volume {
            match here.headline.inner {
                Some(inner) => {
                    volume = Some(line.text[..inner].trim().to_owned());
                    title = line.text[inner..].trim().to_owned();
                    body = here.line + 1;
                }
                None => {
                    let is_next_chapter = found
                        .get(at + 1)
                        .is_some_and(|next| next.headline.rank == Rank::Chapter);
                    volume = Some(std::mem::take(&mut title));
                    if !has_text(body, next) && is_next_chapter {
                        continue;
                    }
                    if is_next_chapter {
                        kind = ChapterKind::FrontMatter;
                    } else {
                        title = volume.take().unwrap_or_default();
                    }
                }
            }
        }
        spans.push(ChapterSpan {
            volume: volume.clone(),
            title,
            kind,
            whole: begin..stop,
            body: start_of(lines, body, end).min(stop)..stop,
        });
        begin = stop;
    }
    spans
}

/// The title of a chapter, and the first line of the text below it. If the line has only a number, and the next line stands directly below
/// it and above a blank line, both lines are the title.
fn titled(lines: &[Line<'_>], here: &Found, next: usize) -> (String, usize) {
    let line = &lines[here.line];
    let below = here.line + 1;
    let is_free = |at: usize| lines.get(at).is_some_and(|line| !line.is_text);
    let is_named = !here.headline.name.is_empty() || line.level.is_some() || line.is_alone;
    let title = lines.get(below).filter(|title| {
        let ends = ['。', '！', '？', '”', '"', '…', '，', ',', ';', '；', '.'];
        !title.text.is_empty()
            && title.text.chars().count() <= TITLE_CHARS_MAX
            && !title.text.ends_with(ends)
            && !title.text.starts_with(['“', '"', '「', '—'])
    });
    match title {
        Some(title) if !is_named && below < next && is_free(below + 1) => {
            (format!("{} {}", line.text, title.text), below + 1)
        }
        Some(_) | None => (line.text.to_owned(), below),
    }
}
