//! The author of decks: the source page by page, in its own words; without one, a skeleton that says so.

mod own;
mod plan;
mod slides;
mod theme;

use palimpsest::prelude::author::design::Design;
use palimpsest::prelude::author::source::{Grid, Material, TablePart, Unit, file_stem};
use palimpsest::prelude::author::wishes::said;
use palimpsest::prelude::author::{Authors, blank_pages, wishes};
use palimpsest::prelude::pipeline::{OFFLINE, Work};
use serde_json::{Value, json};
use spec::limits::{CLOSING_POINT_EM, CLOSING_POINTS_MAX, CLOSING_TITLE_EM, OPENING_TITLE_EM};
use spec::text;
use spec::text::{em_width, literal};
use words::reading_words;

use crate::pipeline::remarks::on_feedback;
use crate::pipeline::shape::{CourseConfig, RequirementAnalysis, SlideScript};
use crate::pipeline::stage::{COURSE_CONFIG, REQUIREMENT_ANALYSIS, SLIDE_SCRIPTS};
use crate::pipeline::wish::Wishes;
use crate::pipeline::{rules, tone, wish};
use slides::Page;
pub(crate) use theme::theme;

/// The authors of the prompts of this product.
pub(crate) fn authors() -> Authors {
    palimpsest::prelude::author::authors! {
        Structure(work) {
            "course/analyze_topic" analysis;
            "course/generate_course_config" config;
            "course/generate_video_outline" outline;
            "course/generate_slide_scripts" scripts;
            "course/generate_presentation_theme" theme;
            "course/generate_slides" page;
        }
    }
}

/// How many sections are named as questions that a deck answers, and as its aims.
const NAMED_MAX: usize = 5;

/// How sure a subject of the brief must be to be the title of a deck that has a source.
const SUBJECT_IS_SURE: f64 = 0.95;

/// The title of the deck: from its source, otherwise from its brief or the name of its file.
fn topic(work: &Work, material: &Material) -> String {
    let said = |least: f64| wishes::topic(&work.brief, OPENING_TITLE_EM, least);
    let file = work.sources.first();
    let file = file.and_then(|source| wishes::file_words(file_stem(&source.path)));
    let file = file.filter(|name| em_width(name) <= OPENING_TITLE_EM as f32);
    let title = plan::title(material).or_else(|| said(SUBJECT_IS_SURE));
    let title = title.or(file).or_else(|| said(0.0));
    title.unwrap_or_else(|| own::UNTITLED.of(work).to_owned())
}

/// The first headings, or the topic where there are none.
fn sections(material: &Material, topic: &str) -> Vec<String> {
    let headings = material.units.iter().filter(|unit| unit.level().is_some());
    let names = headings.map(Unit::name).filter(|name| name != topic);
    let mut names: Vec<String> = names.take(NAMED_MAX).collect();
    if names.is_empty() {
        names.push(topic.to_owned());
    }
    names
}

fn audience(work: &Work, wishes: &Wishes) -> String {
    let given = wishes.input.audience.clone();
    let mut texts = said(work).into_iter().rev();
    let named = given.or_else(|| texts.find_map(wishes::audience));
    named.unwrap_or_else(|| own::NO_AUDIENCE.of(work).to_owned())
}

/// The requirements.
pub(crate) fn analysis(work: &Work) -> Option<Value> {
    let (wishes, material) = (Wishes::of(work), Material::by_pages(work));
    let topic = topic(work, &material);
    let pages = plan::total(&plan::plan(work, &material, None));
    let style = || tone::style_clauses(&work.brief);
    let paths = work.sources.iter().map(|source| source.path.as_str());
    let paths: Vec<&str> = paths.collect();
    let sources = format!("{}{}", own::SOURCES.of(work), paths.join(", "));
    Some(json!({
        "topic": topic, "audience": audience(work, &wishes), "purpose": own::PURPOSE.of(work),
        // Numbers that a person asked for are put in by the stage.
        "pageCount": pages, "pageCountIsGiven": false, "durationMinutes": 0,
        "style": wishes.input.style.clone().unwrap_or_else(style),
        "constraints": [], "keyQuestions": sections(&material, &topic),
        "sources": if paths.is_empty() { own::NO_SOURCE.of(work) } else { &sources },
        "author": OFFLINE, "notes": on_feedback(work, None),
    }))
}

/// The way in which the course is told.
pub(crate) fn config(work: &Work) -> Option<Value> {
    let analysis: RequirementAnalysis = work.read(REQUIREMENT_ANALYSIS).ok()?;
    let (wishes, material) = (Wishes::of(work), Material::by_pages(work));
    let before = work.previous(COURSE_CONFIG).map(|config| &config.body);
    let before = before.and_then(|config| config["expectedPageCount"].as_u64());
    let before = before.and_then(|pages| u32::try_from(pages).ok());
    let pages = before.unwrap_or(analysis.page_count);
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    let is_done = wish::pages(feedback).is_some() || wishes::audience(feedback).is_some();
    let done = is_done.then(|| own::DONE.of(work).to_owned());
    Some(json!({
        "narrativeStyle": own::STYLE.of(work), "targetAudience": audience(work, &wishes),
        "duration": own::DURATION.of(work), "objectives": sections(&material, &analysis.topic),
        "expectedPageCount": pages, "author": OFFLINE, "notes": on_feedback(work, done),
    }))
}

/// A deck with the number of pages that was decided.
struct Deck {
    title: String,
    subtitle: Option<String>,
    /// What is said to the opening page.
    opening: Vec<String>,
    pages: Vec<Page>,
    /// The names of what has no place on the pages, and of what is only said to them.
    left: Vec<String>,
    /// Whether there is something that has no place at all.
    is_cut: bool,
    /// Whether a page after all others calls them to mind.
    has_ending: bool,
}

impl Deck {
    fn count(&self) -> usize {
        1 + self.pages.len() + usize::from(self.has_ending)
    }
}

fn deck(work: &Work, pages: u32) -> Deck {
    let material = Material::by_pages(work);
    let title = topic(work, &material);
    let plan::Plan { design, has_ending } = plan::plan(work, &material, Some(pages));
    let left = left(work, &material, &design);
    let is_cut = left.len() > design.in_notes.len();
    let mut pages = slides::pages(&design, &title);
    // Where the source has its own words for a speaker, they are said.
    for page in &mut pages {
        let spoken = page
            .units
            .iter()
            .filter_map(|unit| material.spoken.get(unit));
        page.notes.extend(spoken.flatten().cloned());
    }
    let blanks = blank_pages(work, design.empty).into_iter();
    pages.extend(blanks.map(|page| slides::blanks(work, page, is_cut)));
    let opening = &design.opening;
    let spoken = opening
        .units
        .iter()
        .filter_map(|unit| material.spoken.get(unit));
    Deck {
        title,
        subtitle: opening
            .subtitle
            .as_ref()
            .map(|subtitle| subtitle.slot.clone()),
        opening: opening
            .notes
            .iter()
            .chain(spoken.flatten())
            .cloned()
            .collect(),
        pages,
        left,
        is_cut,
        has_ending,
    }
}

/// What has no place on the pages; if a whole section has none, only its heading.
fn left(work: &Work, material: &Material, plan: &Design<'_>) -> Vec<String> {
    let mut names: Vec<String> = vec![];
    let mut rows: Vec<TablePart> = vec![];
    let mut after = 0;
    for &unit in &plan.left {
        let section = wishes::section(material, unit);
        if unit >= after {
            if let Unit::Grid(Grid {
                part: Some(part), ..
            }) = &material.units[unit]
            {
                if !rows.iter_mut().any(|rows| rows.joins(part)) {
                    rows.push(part.clone());
                }
            } else {
                names.push(material.units[unit].name());
            }
        }
        let mut all = section.clone();
        if all.all(|unit| plan.left.binary_search(&unit).is_ok()) {
            after = after.max(section.end);
        }
    }
    let (label, of) = (own::ROWS.of(work), own::OF.of(work));
    names.extend(rows.iter().map(|rows| rows.named(label, of)));
    let named = |name: &String| format!("{}{name}", own::LEFT_OUT.of(work));
    let in_notes = plan
        .in_notes
        .iter()
        .map(|unit| format!("{}{}", own::IN_NOTES.of(work), material.units[*unit].name()));
    let unread = work
        .unread
        .iter()
        .map(|file| format!("{} ({})", file.path, file.why));
    let unread: Vec<String> = unread.collect();
    names
        .iter()
        .chain(&material.aside)
        .chain(&unread)
        .map(named)
        .chain(in_notes)
        .collect()
}

fn decided(work: &Work) -> Option<Deck> {
    let config: CourseConfig = work.read(COURSE_CONFIG).ok()?;
    Some(deck(work, config.expected_page_count))
}

/// Units and points: the sections, and the pages that each has.
pub(crate) fn outline(work: &Work) -> Option<Value> {
    let deck = decided(work)?;
    let is_single = deck.count() <= rules::SINGLE_UNIT_PAGES as usize;
    let section = |page: &Page| match is_single {
        true => deck.title.clone(),
        false => page.title.clone(),
    };
    let units = deck.pages.chunk_by(|one, other| section(one) == section(other)).map(|pages| {
        let point = |page: &Page| {
            json!({ "title": page.title, "description": page.lines.first().unwrap_or(&page.title) })
        };
        let points: Vec<Value> = pages.iter().map(point).collect();
        let title = section(&pages[0]);
        json!({ "title": title, "description": title, "knowledgePoints": points })
    });
    let units: Vec<Value> = units.collect();
    let mut notes = on_feedback(work, Some(own::DONE.of(work).to_owned()));
    notes.extend(deck.left);
    Some(json!({ "theme": deck.title, "knowledgeUnits": units, "author": OFFLINE, "notes": notes }))
}

/// The title of the last page: that of the deck, without what explains it where it is long. Where that is too long, too, a word of the
/// program, if it speaks the language.
fn ending_title(work: &Work, title: &str) -> String {
    let fits = |text: &&str| em_width(text) <= CLOSING_TITLE_EM as f32;
    let short = title.split([':', '：']).next().map(str::trim);
    let titles = [Some(title), short, own::END.spoken(work)];
    let own = titles.into_iter().flatten().find(fits);
    own.unwrap_or(own::NO_WORD).to_owned()
}

/// The headings of the pages that say most, in their order.
fn ending_points(deck: &Deck) -> Vec<String> {
    let words =
        |page: &Page| reading_words(&page.notes.join(" ")) + reading_words(&page.lines.join(" "));
    let mut sections: Vec<(usize, &str, f32)> = vec![];
    for page in &deck.pages {
        let fits = em_width(&page.title) <= CLOSING_POINT_EM as f32 && page.title != deck.title;
        match sections.last_mut() {
            Some((_, title, all)) if *title == page.title => *all += words(page),
            Some(_) | None if fits => sections.push((sections.len(), &page.title, words(page))),
            Some(_) | None => {}
        }
    }
    sections.sort_by(|one, other| other.2.total_cmp(&one.2));
    sections.truncate(CLOSING_POINTS_MAX);
    sections.sort_by_key(|section| section.0);
    let titles = sections.into_iter().map(|section| section.1.to_owned());
    titles.collect()
}

/// All scripts: what stands on each page, and its sentences to be read out.
pub(crate) fn scripts(work: &Work) -> Option<Value> {
    let deck = decided(work)?;
    // The number and the kind of a page follow from its place, so these values are replaced.
    let script = |title: &str, lines: &[String], said: &str, design: &str| {
        json!({
            "slideIndex": 0, "type": "content", "title": title, "content": lines,
            "contentDesign": design, "visualSuggestions": own::VISUALS.of(work),
            "narrationScript": said, "author": OFFLINE,
        })
    };
    let title = &deck.title;
    let said = |notes: &[String], otherwise: &str| match notes {
        [] => otherwise.to_owned(),
        notes => notes.join("\n"),
    };
    let opening = said(&deck.opening, title);
    let mut scripts = vec![script(title, std::slice::from_ref(title), &opening, title)];
    for page in &deck.pages {
        let said = said(&page.notes, &page.title);
        scripts.push(script(&page.title, &page.lines, &said, own::STYLE.of(work)));
    }
    if deck.has_ending {
        let end = ending_title(work, title);
        let (shown, said) = ending(work, &deck, &end);
        scripts.push(script(&end, &shown, &said, own::STYLE.of(work)));
    }
    let mut notes = on_feedback(work, None);
    notes.extend(deck.left);
    scripts[0]["notes"] = json!(notes);
    Some(json!({ "scripts": scripts }))
}

/// What stands on the last page below its title, and what is said to it. That nothing is missing is for the speaker alone; the page calls
/// to mind what there was.
fn ending(work: &Work, deck: &Deck, title: &str) -> (Vec<String>, String) {
    let is_complete = !deck.is_cut;
    let ending = if is_complete {
        own::COMPLETE
    } else {
        own::PARTLY
    };
    let said = ending.spoken(work).unwrap_or(title).to_owned();
    let points = ending_points(deck);
    let shown = match (is_complete, points.len()) {
        (false, _) => vec![said.clone()],
        (true, 0 | 1) => vec![title.to_owned()],
        (true, _) => points,
    };
    (shown, said)
}

/// One page out of its script.
pub(crate) fn page(work: &Work) -> Option<Value> {
    let scripts: Vec<SlideScript> = work.read(SLIDE_SCRIPTS).ok()?;
    let place = work.step.item.parse::<usize>().ok()?.checked_sub(1)?;
    let script = scripts.get(place)?;
    let lines = script.content.lines();
    let slide = if place == 0 {
        let title = unmarked(&script.title);
        let subtitle = deck(work, u32::try_from(scripts.len()).ok()?).subtitle;
        let subtitle = subtitle.filter(|subtitle| text::fault(subtitle).is_none());
        let from = own::WITHOUT_SOURCE.spoken(work);
        let from = from.filter(|_| work.sources.is_empty());
        let from = from.map(str::to_owned);
        json!({ "layout": "title", "title": title, "subtitle": subtitle.or(from) })
    } else {
        // Scripts that somebody else wrote, or that were made for another wish, decide what stands on the page.
        let deck = deck(work, u32::try_from(scripts.len()).ok()?);
        let is_it = |page: &Page| page.lines == lines && page.title == script.title;
        // Pages may say the same.
        let own = deck.pages.get(place - 1).filter(|page| is_it(page));
        let own = own.or_else(|| deck.pages.iter().find(|page| is_it(page)));
        let is_last = place + 1 == scripts.len();
        match own {
            Some(page) => page.slide.clone(),
            None if is_last => closing(script, &lines),
            None => slides::passage(&script.title, &lines),
        }
    };
    Some(json!({ "slide": slide }))
}

/// A text for a page that takes no markup and nothing that looks like markup: the nearest plain signs are used.
fn unmarked(said: &str) -> String {
    let made = literal(said);
    match text::fault(&made) {
        None => made,
        Some(_) => text::clean(said),
    }
}

/// The last page, with the lines that do not repeat its title.
fn closing(script: &SlideScript, lines: &[&str]) -> Value {
    let said = lines.iter().filter(|line| **line != script.title);
    let mut points: Vec<String> = said
        .take(CLOSING_POINTS_MAX)
        .map(|line| unmarked(line))
        .collect();
    let message = (points.len() == 1).then(|| points.remove(0));
    json!({ "layout": "closing", "title": unmarked(&script.title), "message": message, "points": points })
}

#[cfg(test)]
mod tests;
