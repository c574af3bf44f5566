//! The offline author of decks. It chooses the types of slides by what a source contains, writes headings that are sentences of the source,
//! and uses no figure that is not in the source; where an earlier design fits, it takes the look of that design. Without a source it writes
//! a skeleton and says so.

mod brief;
mod designs;
mod slides;
#[cfg(test)]
mod tests;

use palimpsest::prelude::author::source::{Material, Unit};
use palimpsest::prelude::author::words::{Own, WITHOUT_SOURCE};
use palimpsest::prelude::author::{Authors, BLANK, blank_pages, design};
use palimpsest::prelude::pipeline::Work;
use sdsl::{Cell, Line, Presentation, Slide, SlideType};
use serde_json::Value;

use crate::pages::Requirements;

/// The authors of the prompts of this product.
pub(crate) fn authors() -> Authors {
    palimpsest::prelude::author::authors! {
        Structure(work) {
            "deck/generate" generate;
        }
    }
}

/// From this many slides of content on, a deck has a summary.
const CONTENT_FOR_SUMMARY: usize = 5;
/// The opening and the closing.
const FRAME: usize = 2;
/// What the author says of its own accord.
const NOTHING: Own = Own::new(
    "尚未提供这一点的材料。",
    "No material was given about this.",
);
const THANKS: Own = Own::new("谢谢", "Thank you");
const SUMMARY: Own = Own::new("要点", "What this deck says");
const EXHIBIT: Own = Own::new("图表", "Exhibit");
const REQUEST: Own = Own::new("任务说明", "The request");
pub(super) const OVERVIEW: Own = Own::new("概述", "Overview");
/// Slides with blanks, where neither a number nor points are named.
const OUTLINED: usize = 6;
/// Messages of a summary.
const MESSAGES_MAX: usize = 5;
/// Longest heading, in characters.
pub(super) const HEADING_CHARS_MAX: usize = 90;

/// The deck as text.
pub(crate) fn generate(work: &Work) -> Option<Value> {
    let material = Material::of(work);
    let chinese = work.is_chinese();
    let mut deck = Presentation::default();
    let title = brief::title(&work.brief)?;
    deck.meta.title = Some(title.clone());
    let mut content: Vec<Slide> = vec![];
    let names: Vec<String> = work
        .sources
        .iter()
        .map(|source| file_name(&source.path))
        .collect();
    let source = (!names.is_empty()).then(|| names.join(", "));
    let wanted = work
        .read::<Requirements>("requirements")
        .unwrap_or_default();
    let wanted = wanted.constraints.slide_count.map(|wanted| wanted as usize);
    let design = designed(work, &material, wanted);
    for page in &design.pages {
        content.extend(slides::of(work, page, &title));
    }
    // Figures in the message are shown if the material itself has no slide of figures.
    let shown = content
        .iter()
        .any(|slide| slide.kind() == SlideType::StatCallout);
    if !shown && let Some(figures) = brief::figures(&work.brief, chinese) {
        content.insert(0, figures);
    }
    if design.pages.is_empty() {
        let nothing = NOTHING.spoken(work).unwrap_or(BLANK);
        content.extend(brief::named(&work.brief, nothing));
        let has_none = content.is_empty().then_some(OUTLINED);
        let most = wanted.map(|wanted| wanted.saturating_sub(FRAME));
        let blank = most.or(has_none).unwrap_or(0).saturating_sub(content.len());
        let blank = blank_pages(work, blank).into_iter();
        content.extend(blank.filter_map(|page| brief::to_fill(&page.title, &page.lines)));
    }
    if let Some(wanted) = wanted {
        content.truncate(wanted.saturating_sub(FRAME).max(1));
    }
    designs::follow(work, &mut content);
    // Blanks are not summed up.
    let is_filled = !design.pages.is_empty();
    let summary = summary(work, &content, &title).filter(|_| is_filled);
    let mut opening = opening(&title, chinese)?;
    let lead = design.opening.subtitle.as_ref();
    let lead = lead.map(|lead| lead.plain.as_str());
    let is_outline = design.pages.is_empty() && work.sources.is_empty();
    let unfilled = || WITHOUT_SOURCE.spoken(work).filter(|_| is_outline);
    opening.subheading = lead.or_else(unfilled).and_then(line);
    opening.speaker_notes = sdsl::Prose::new(&design.opening.notes.join(" "));
    deck.slides.push(opening);
    deck.slides.extend(summary);
    deck.slides.extend(content);
    deck.slides.push(closing(work, &title)?);
    if let Some(written) = work.signed_source() {
        deck.meta.author = written.author.as_deref().and_then(line);
        deck.meta.date = written.date.as_deref().and_then(line);
    }
    sources_and_exhibits(work, &mut deck, source.as_deref());
    unique_names(&mut deck);
    Some(Value::String(sdsl::format(&deck)))
}

fn file_name(path: &str) -> String {
    path.rsplit('/').next().unwrap_or(path).to_owned()
}

pub(super) fn line(text: &str) -> Option<Line> {
    let text: Vec<&str> = text.split_whitespace().collect();
    Line::new(&text.join(" "))
}

pub(super) fn cell(text: &str) -> Cell {
    line(text).map(Cell::from).unwrap_or_default()
}

/// A slide of a type with a name.
pub(super) fn slide(name: &str, kind: SlideType) -> Option<Slide> {
    let mut slide = Slide::named(line(name)?);
    slide.slide_type = sdsl::Closed::known(kind);
    Some(slide)
}

fn opening(title: &Line, chinese: bool) -> Option<Slide> {
    let mut opening = slide(if chinese { "封面" } else { "Opening" }, SlideType::Title)?;
    opening.heading = Some(title.clone());
    Some(opening)
}

/// Words of the author on a slide, in a language that it has; otherwise the title of the deck.
fn said_or(work: &Work, own: Own, title: &Line) -> Option<Line> {
    let said = own.spoken(work).and_then(line);
    said.or_else(|| Some(title.clone()))
}

fn closing(work: &Work, title: &Line) -> Option<Slide> {
    let name = if work.is_chinese() { "结束" } else { "End" };
    let mut closing = slide(name, SlideType::Closing)?;
    closing.heading = said_or(work, THANKS, title);
    Some(closing)
}

/// The pages of the material. With a number of slides, they leave room for the opening, the closing, and the summary of a deck that has one.
fn designed<'a>(work: &Work, material: &'a Material, wanted: Option<usize>) -> design::Design<'a> {
    let units: Vec<usize> = (0..material.units.len()).collect();
    // A title without any text below it, or with one sentence, is the name of the source.
    let is_title = match material.units.as_slice() {
        [Unit::Heading(1, _), Unit::Heading(..), ..] => true,
        [
            Unit::Heading(1, _),
            Unit::Para(words),
            Unit::Heading(..),
            ..,
        ] => words.said().len() == 1,
        _ => false,
    };
    let title = is_title.then_some(0);
    let free = design::pages(material, &units, title, None, &work.brief);
    let Some(wanted) = wanted else { return free };
    let room = wanted.saturating_sub(FRAME).max(1);
    let room = room - usize::from(room > CONTENT_FOR_SUMMARY);
    match free.pages.len() > room {
        true => design::pages(material, &units, title, Some(room), &work.brief),
        false => free,
    }
}

/// The headings of the slides, where there are enough of them.
fn summary(work: &Work, content: &[Slide], title: &Line) -> Option<Slide> {
    if content.len() < CONTENT_FOR_SUMMARY {
        return None;
    }
    let says = |slide: &&Slide| {
        slide.kind() != SlideType::SectionDivider && slide.kind() != SlideType::NextSteps
    };
    let headings = content
        .iter()
        .filter(says)
        .filter_map(|slide| slide.heading.as_ref());
    let name = if work.is_chinese() {
        "摘要"
    } else {
        "Summary"
    };
    let mut summary = slide(name, SlideType::ExecSummary)?;
    summary.heading = said_or(work, SUMMARY, title);
    summary.bullets = headings
        .take(MESSAGES_MAX)
        .map(|heading| sdsl::Bullet {
            text: Cell::new(&format!("**{heading}**")).unwrap_or_default(),
            level: 0,
            icon: None,
        })
        .collect();
    (summary.bullets.len() > 1).then_some(summary)
}

/// Where figures are shown, the given files are named as their source, and exhibits are numbered.
fn sources_and_exhibits(work: &Work, deck: &mut Presentation, source: Option<&str>) {
    let mut number = 0;
    for slide in &mut deck.slides {
        let shows = matches!(
            slide.kind(),
            SlideType::StatCallout | SlideType::Comparison | SlideType::Timeline
        ) || slide.chart.is_some();
        if !shows {
            continue;
        }
        number += 1;
        let word = EXHIBIT.spoken(work).unwrap_or_default();
        slide.exhibit_label = line(&format!("{word} {number}"));
        slide.source = source.or(REQUEST.spoken(work)).and_then(line);
    }
}

/// Slides with the same name get numbers.
fn unique_names(deck: &mut Presentation) {
    let mut seen: Vec<Line> = Vec::new();
    for slide in &mut deck.slides {
        let name = slide.slide_name.clone();
        let mut number = 1;
        while seen.contains(&slide.slide_name) {
            number += 1;
            slide.slide_name = line(&format!("{name} ({number})")).unwrap_or_else(|| name.clone());
        }
        seen.push(slide.slide_name.clone());
    }
}
