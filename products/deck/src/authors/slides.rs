//! The slides of a section: each kind of content has its own type of slide.

use std::ops::Range;

use palimpsest::prelude::author::source::{Grid, Item, Unit};
use palimpsest::prelude::author::words::READING;
use palimpsest::prelude::pipeline::Work;
use sdsl::{
    Action, Bullet, Cells, Chart, ChartKind, Closed, Prose, Slide, SlideType, Stat, Step, Table,
};
use words::{folded, is_ideographic};

use super::sections::Section;
use super::{HEADING_CHARS_MAX, brief, cell, line, slide};

/// Points of one slide, and stations of one line.
const POINTS_MAX: usize = 6;
const STEPS: Range<usize> = 3..7;
const FIGURES: Range<usize> = 2..5;
/// Rows of a table on one slide.
const ROWS_MAX: usize = 12;
/// A chart has a number of categories in this range, and at most this many series.
const CATEGORIES: Range<usize> = 3..13;
const SERIES_MAX: usize = 3;

/// The slides of a section. Their heading is a sentence of it, or its own heading.
pub(super) fn of(work: &Work, section: &Section<'_>, chinese: bool) -> Vec<Slide> {
    let title = section
        .title
        .clone()
        .unwrap_or_else(|| if chinese { "概述" } else { "Overview" }.to_owned());
    if section.units.is_empty() {
        let divider = slide(&title, SlideType::SectionDivider).map(|mut divider| {
            divider.heading = line(&title);
            divider
        });
        return divider.into_iter().collect();
    }
    let mut writer = Writer {
        title,
        heading: None,
        said: vec![],
        slides: vec![],
    };
    writer.choose_heading(section);
    for unit in &section.units {
        match unit {
            Unit::Heading(..) => {}
            Unit::Para(words) => writer
                .said
                .extend(words.said().into_iter().map(str::to_owned)),
            Unit::List(items) => writer.list(items),
            Unit::Grid(grid) => writer.grid(grid),
            Unit::Code(language, lines) => writer.code(language.as_deref(), lines),
            Unit::Picture(alt, hash) => writer.picture(work, alt, hash),
        }
    }
    writer.finish()
}

struct Writer {
    title: String,
    /// A sentence that is used as the heading of the first slide.
    heading: Option<String>,
    /// Sentences that stand on no slide yet.
    said: Vec<String>,
    slides: Vec<Slide>,
}

impl Writer {
    /// The first short sentence with a number in it, else the first short one.
    fn choose_heading(&mut self, section: &Section<'_>) {
        let sentences: Vec<&str> = section
            .units
            .iter()
            .filter_map(|unit| match unit {
                Unit::Para(words) => Some(words.said()),
                Unit::Heading(..)
                | Unit::List(_)
                | Unit::Grid(_)
                | Unit::Code(..)
                | Unit::Picture(..) => None,
            })
            .flatten()
            .filter(|sentence| sentence.chars().count() <= HEADING_CHARS_MAX)
            .collect();
        let number = sentences
            .iter()
            .find(|sentence| sentence.contains(|c: char| c.is_ascii_digit()));
        self.heading = number
            .or(sentences.first())
            .map(|sentence| (*sentence).to_owned());
    }

    fn put(&mut self, kind: SlideType) -> Option<&mut Slide> {
        let mut slide = slide(&self.title, kind)?;
        let heading = self.heading.take().unwrap_or_else(|| self.title.clone());
        slide.heading = line(&heading);
        self.said.retain(|said| *said != heading);
        self.slides.push(slide);
        self.slides.last_mut()
    }

    fn list(&mut self, items: &[Item]) {
        let texts: Vec<String> = items.iter().map(|item| item.2.line()).collect();
        if READING.has(&folded(&self.title), "to do") {
            let actions: Vec<Action> = texts.iter().map(|text| action(text)).collect();
            // The author never invents who does something: if no person is named, the actions become points.
            if actions.iter().all(|action| action.owner.is_some()) {
                if let Some(slide) = self.put(SlideType::NextSteps) {
                    slide.next_steps = actions;
                }
            } else {
                self.points(items);
            }
            return;
        }
        let figures: Vec<Stat> = texts
            .iter()
            .filter_map(|text| labelled(text).or_else(|| brief::figure(text)))
            .collect();
        if figures.len() == texts.len() && FIGURES.contains(&figures.len()) {
            if let Some(slide) = self.put(SlideType::StatCallout) {
                slide.stats = figures;
            }
            return;
        }
        let steps: Vec<Step> = texts.iter().filter_map(|text| station(text)).collect();
        if steps.len() == texts.len() && STEPS.contains(&steps.len()) {
            if let Some(slide) = self.put(SlideType::Timeline) {
                slide.timeline = steps;
            }
            return;
        }
        self.points(items);
    }

    fn points(&mut self, items: &[Item]) {
        let bullets: Vec<Bullet> = items
            .iter()
            .map(|item| Bullet {
                text: cell(&item.2.line()),
                level: u32::from(item.0),
                icon: None,
            })
            .collect();
        for part in bullets.chunks(POINTS_MAX) {
            if let Some(slide) = self.put(SlideType::BulletPoints) {
                slide.bullets = part.to_vec();
            }
        }
    }

    fn grid(&mut self, grid: &Grid) {
        let cells = |row: &[String]| Cells::new(row.iter().map(|text| cell(text)).collect());
        let headers = cells(&grid.head);
        if let Some(kind) = as_chart(grid) {
            let title = grid.caption.clone().unwrap_or_default();
            let table = Table {
                headers,
                rows: grid.rows.iter().filter_map(|row| cells(row)).collect(),
            };
            if let Some(slide) = self.put(SlideType::Freeform) {
                slide.chart = Some(Chart {
                    kind: Closed::known(kind),
                    title: cell(&title),
                    data: None,
                    table,
                });
            }
            return;
        }
        for rows in grid.rows.chunks(ROWS_MAX) {
            let table = Table {
                headers: headers.clone(),
                rows: rows.iter().filter_map(|row| cells(row)).collect(),
            };
            if let Some(slide) = self.put(SlideType::Comparison) {
                slide.compare = Some(table);
            }
        }
    }

    fn code(&mut self, language: Option<&str>, lines: &[String]) {
        // A fence longer than any in the code.
        let fence = "`".repeat(
            lines
                .iter()
                .map(|line| line.matches('`').count())
                .max()
                .unwrap_or(0)
                .max(2)
                + 1,
        );
        let text = format!(
            "{fence}{}\n{}\n{fence}",
            language.unwrap_or_default(),
            lines.join("\n")
        );
        if let Some(slide) = self.put(SlideType::Freeform) {
            slide.body = Prose::new(&text);
        }
    }

    fn picture(&mut self, work: &Work, alt: &str, hash: &str) {
        let named = work.sources.iter().find_map(|source| {
            let mut pictures = source.pictures.iter();
            let picture = pictures.find(|picture| picture.sha256.to_string() == *hash)?;
            // A picture in a document becomes a separate file.
            let is_file = source.is_picture();
            let below = source.path.strip_prefix("sources/");
            let name = below.unwrap_or(&source.path).to_owned();
            Some(if is_file {
                name
            } else {
                picture.path(&source.path)
            })
        });
        let Some(name) = named else {
            return;
        };
        if let Some(slide) = self.put(SlideType::ImageText) {
            slide.image = line(&name);
            slide.body = Prose::new(alt);
        }
    }

    /// Sentences that stand on no slide become points; if the section has slides, the sentences become their text or notes.
    fn finish(mut self) -> Vec<Slide> {
        let said = std::mem::take(&mut self.said);
        let heading = self.heading.clone();
        let rest: Vec<String> = said
            .into_iter()
            .filter(|said| Some(said) != heading.as_ref())
            .collect();
        if self.slides.is_empty() {
            if rest.is_empty() {
                self.put(SlideType::Freeform);
            }
            for part in rest.chunks(POINTS_MAX) {
                let bullets = part.iter().map(|text| Bullet {
                    text: cell(text),
                    level: 0,
                    icon: None,
                });
                if let Some(slide) = self.put(SlideType::BulletPoints) {
                    slide.bullets = bullets.collect();
                }
            }
        } else if !rest.is_empty()
            && let Some(first) = self.slides.first_mut()
        {
            // The text of a paragraph that is not shown otherwise stands under the heading, or goes into the speaker notes if it is long.
            let short = rest.iter().map(|text| text.chars().count()).sum::<usize>() <= 200;
            let text = rest.join(" ");
            match short && first.kind() != SlideType::Timeline {
                true => first.body = first.body.take().or_else(|| Prose::new(&text)),
                false => first.speaker_notes = Prose::new(&text),
            }
        }
        for slide in &mut self.slides {
            if slide.speaker_notes.is_none() {
                slide.speaker_notes = slide
                    .heading
                    .as_ref()
                    .and_then(|heading| Prose::new(heading.as_str()));
            }
        }
        self.slides
    }
}

/// `Uptime: 94 %` as a figure.
fn labelled(text: &str) -> Option<Stat> {
    let (label, value) = text.split_once([':', '：'])?;
    let value = value.trim();
    let number = words::quantities(value).into_iter().next();
    let number = number.filter(|number| number.span.start == 0)?.span.end;
    // A comma inside the number does not end it.
    let ends = [',', ';', '，', '；', '(', '（'];
    let end = value[number..]
        .find(ends)
        .map_or(value.len(), |at| number + at);
    let (value, rest) = value.split_at(end);
    let rest = rest.trim_start_matches(ends);
    let fits = value.chars().count() <= 14 && label.chars().count() <= 40;
    fits.then(|| Stat {
        value: cell(value),
        label: cell(label),
        description: line(rest.trim().trim_end_matches([')', '）', '.', '。'])),
    })
}

/// `October: renew the contract` as a station: the text before the colon is a time.
fn station(text: &str) -> Option<Step> {
    let (time, what) = text
        .split_once([':', '：'])
        .or_else(|| text.split_once(" – "))
        .or_else(|| text.split_once(" - "))?;
    let time = time.trim();
    if time.chars().count() > 16 || !is_time(time) {
        return None;
    }
    let what = what.trim();
    let (title, description) = what
        .split_once([',', '，', ';', '；'])
        .unwrap_or((what, ""));
    Some(Step {
        time: cell(time),
        title: cell(title),
        description: line(description),
    })
}

/// Whether a word names a time: a year, a quarter, a month, a date, a phase.
fn is_time(text: &str) -> bool {
    let lower = folded(text);
    let quarter = lower.starts_with('q') && lower[1..].starts_with(|c: char| c.is_ascii_digit());
    let year = lower.len() >= 4 && lower.chars().take(4).all(|c| c.is_ascii_digit());
    let named = READING.first(&lower, "time").is_some_and(|word| {
        let is_ideographic = lower[word.begin..].starts_with(is_ideographic);
        word.begin == 0 || is_ideographic
    });
    quarter || year || named
}

/// `What | who | when`, or the same with dashes or commas in brackets, as an action.
fn action(text: &str) -> Action {
    for sign in ["|", " — ", " – ", " - ", "；", ";"] {
        let parts: Vec<&str> = text.split(sign).map(str::trim).collect();
        if let [what, who, rest @ ..] = parts.as_slice() {
            return Action {
                action: cell(what),
                owner: line(who),
                timeline: line(&rest.join(" ")),
            };
        }
    }
    let inside = text
        .strip_suffix([')', '）'])
        .and_then(|text| text.rsplit_once(['(', '（']));
    if let Some((what, who)) = inside {
        let (who, when) = who.split_once([',', '，']).unwrap_or((who, ""));
        return Action {
            action: cell(what),
            owner: line(who),
            timeline: line(when),
        };
    }
    Action {
        action: cell(text),
        owner: None,
        timeline: None,
    }
}

/// How the table can be drawn as a chart: names in the first column, numbers in all others.
fn as_chart(grid: &Grid) -> Option<ChartKind> {
    let width = grid.rows.iter().map(Vec::len).max()?;
    let even = grid.rows.iter().all(|row| row.len() == width);
    let few = CATEGORIES.contains(&grid.rows.len()) && (2..=SERIES_MAX + 1).contains(&width);
    let column = |at: usize| {
        grid.rows
            .iter()
            .filter_map(|row| row.get(at))
            .map(String::as_str)
            .collect()
    };
    let columns: Vec<Vec<&str>> = (0..width).map(column).collect();
    let columns = words::columns(&columns, "");
    let is_number = |cell: &Option<words::Quantity>| {
        let unit = cell.as_ref().map(|it| &it.unit);
        unit.is_some_and(|unit| !matches!(unit, Some(words::Measure::Other(_))))
    };
    let cells = || columns.iter().skip(1).flatten();
    let unit = |cell: &Option<words::Quantity>| cell.as_ref().and_then(|it| it.unit.clone());
    let first = cells().next().and_then(unit);
    let numbers = cells().all(|cell| is_number(cell) && unit(cell) == first);
    let names = columns
        .iter()
        .take(1)
        .flatten()
        .zip(&grid.rows)
        .all(|(cell, row)| !is_number(cell) || is_time(&row[0]));
    if !(even && few && numbers && names) {
        return None;
    }
    let times = grid.rows.iter().all(|row| is_time(&row[0]));
    Some(if times && grid.rows.len() > 5 {
        ChartKind::Line
    } else {
        ChartKind::Column
    })
}
