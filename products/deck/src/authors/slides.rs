//! Pages of a design as slides: each form has a type of slide that shows it.

use palimpsest::prelude::author::design::{Form, Line as DesignLine, Page, Station, Term};
use palimpsest::prelude::author::source::Grid;
use palimpsest::prelude::author::words::READING;
use palimpsest::prelude::pipeline::Work;
use sdsl::{
    Action, Bullet, Cells, Chart, ChartKind, Closed, Column, Prose, Slide, SlideType, Stat, Step,
    Table,
};
use words::folded;

use super::{HEADING_CHARS_MAX, OVERVIEW, brief, cell, line, slide};

/// Figures of one slide.
const FIGURES: std::ops::Range<usize> = 2..5;

/// The slide of a page. Its heading is the sentence that carries it, or the heading of its section. `None` for a picture of which there is
/// no file.
pub(super) fn of(work: &Work, page: &Page<'_>, deck: &sdsl::Line) -> Option<Slide> {
    let overview = || OVERVIEW.spoken(work).unwrap_or(deck.as_str()).to_owned();
    let title = page
        .title
        .as_ref()
        .map_or_else(overview, |title| title.plain.clone());
    let mut lines: Vec<&DesignLine> = vec![];
    if let Form::Lines(all) = &page.form {
        lines.extend(all);
    }
    let is_short = |text: &str| text.chars().count() <= HEADING_CHARS_MAX;
    // The first sentence of a running text carries it.
    let is_first = lines
        .first()
        .is_some_and(|first| first.marker.is_none() && is_short(&first.text.plain));
    let said = match is_first {
        true => Some(lines.remove(0).text.plain.as_str()),
        false => page.lead.as_ref().map(|lead| lead.plain.as_str()),
    };
    let heading = said
        .filter(|said| is_short(said))
        .unwrap_or(&title)
        .to_owned();
    let mut made = filled(work, page, &title, &lines)?;
    if made.kind() != SlideType::Quote {
        made.heading = line(&heading);
    }
    let notes = page.notes.join(" ");
    made.speaker_notes = Prose::new(if notes.is_empty() { &heading } else { &notes });
    Some(made)
}

fn filled(work: &Work, page: &Page<'_>, title: &str, lines: &[&DesignLine]) -> Option<Slide> {
    let of = |kind| slide(title, kind);
    let bullet = |line: &DesignLine| Bullet {
        text: cell(&line.text.plain),
        level: u32::from(line.level),
        icon: None,
    };
    let mut made = match &page.form {
        Form::Section => of(SlideType::SectionDivider)?,
        Form::Lines(_) => {
            let actions: Vec<Action> = lines.iter().map(|line| action(&line.text.plain)).collect();
            let is_to_do = READING.has(&folded(title), "to do") && !actions.is_empty();
            // The author never invents who does something: if no person is named, the actions are points.
            if is_to_do && actions.iter().all(|action| action.owner.is_some()) {
                let mut steps = of(SlideType::NextSteps)?;
                steps.next_steps = actions;
                steps
            } else if let Some(figures) = figures(lines) {
                let mut stats = of(SlideType::StatCallout)?;
                stats.stats = figures;
                stats
            } else if lines.is_empty() {
                of(SlideType::Freeform)?
            } else {
                let mut points = of(SlideType::BulletPoints)?;
                points.bullets = lines.iter().map(|line| bullet(line)).collect();
                points
            }
        }
        Form::Cards(terms) => {
            let mut cards = of(SlideType::TwoColumn)?;
            cards.columns = terms
                .iter()
                .map(|term| Column {
                    title: line(&term.head.plain),
                    bullets: vec![],
                    body: Prose::new(&term.text.plain),
                })
                .collect();
            cards
        }
        Form::Pairs(terms) => {
            let pair = |term: &Term| Bullet {
                text: cell(&format!("**{}**: {}", term.head.plain, term.text.plain)),
                level: 0,
                icon: None,
            };
            let mut pairs = of(SlideType::BulletPoints)?;
            pairs.bullets = terms.iter().map(pair).collect();
            pairs
        }
        Form::Sides(sides) => {
            let mut columns = of(SlideType::TwoColumn)?;
            columns.columns = sides
                .iter()
                .map(|side| Column {
                    title: line(&side.head.plain),
                    bullets: side.lines.iter().map(bullet).collect(),
                    body: None,
                })
                .collect();
            columns
        }
        Form::Stations(stations) => {
            let step = |station: &Station| {
                let text = &station.text.plain;
                let title = station.head.as_ref().map(|head| &head.plain);
                Step {
                    time: cell(&station.label.plain),
                    title: cell(title.unwrap_or(text)),
                    description: title.and_then(|_| line(text)),
                }
            };
            let mut timeline = of(SlideType::Timeline)?;
            timeline.timeline = stations.iter().map(step).collect();
            timeline
        }
        Form::Figures(figures) => {
            let stat = |figure: &Term| Stat {
                value: cell(&figure.head.plain),
                label: cell(&figure.text.plain),
                description: None,
            };
            let mut stats = of(SlideType::StatCallout)?;
            stats.stats = figures.iter().map(stat).collect();
            stats
        }
        Form::Chart(grid, chart) => {
            let mut drawn = of(SlideType::Freeform)?;
            let is_line = chart.kind == spec::ChartKind::Line;
            let kind = [ChartKind::Column, ChartKind::Line][usize::from(is_line)];
            drawn.chart = Some(Chart {
                kind: Closed::known(kind),
                title: cell(grid.caption.as_deref().unwrap_or_default()),
                data: None,
                table: table(grid, 0..grid.rows.len()),
            });
            drawn
        }
        Form::Table(grid, rows) => {
            let mut compared = of(SlideType::Comparison)?;
            compared.compare = Some(table(grid, rows.clone()));
            compared
        }
        Form::Code(language, lines) => {
            let mut code = of(SlideType::Freeform)?;
            code.body = Prose::new(&fenced(*language, lines));
            code
        }
        Form::Picture(alt, hash) => {
            let mut picture = of(SlideType::ImageText)?;
            picture.image = line(&picture_name(work, hash)?);
            picture.body = Prose::new(alt);
            picture
        }
        Form::Quotation { text, by } => {
            let mut quote = of(SlideType::Quote)?;
            quote.heading = line(&text.plain);
            quote.subheading = by.as_ref().and_then(|by| line(&by.plain));
            quote.body = Prose::new(title);
            quote
        }
    };
    if let (Form::Cards(_) | Form::Sides(_) | Form::Stations(_) | Form::Figures(_), Some(lead)) =
        (&page.form, &page.lead)
        && lead.plain.chars().count() > HEADING_CHARS_MAX
    {
        made.subheading = line(&lead.plain);
    }
    Some(made)
}

/// Lines that each begin with a number and say what it counts.
fn figures(lines: &[&DesignLine]) -> Option<Vec<Stat>> {
    let figures: Option<Vec<Stat>> = lines
        .iter()
        .map(|line| brief::figure(&line.text.plain))
        .collect();
    figures.filter(|all| FIGURES.contains(&all.len()))
}

fn table(grid: &Grid, rows: std::ops::Range<usize>) -> Table {
    let cells = |row: &[String]| Cells::new(row.iter().map(|text| cell(text)).collect());
    Table {
        headers: cells(&grid.head),
        rows: grid.rows[rows]
            .iter()
            .filter_map(|row| cells(row))
            .collect(),
    }
}

/// Code between fences that are longer than any in it.
fn fenced(language: Option<&str>, lines: &[String]) -> String {
    let longest = lines.iter().map(|line| line.matches('`').count()).max();
    let fence = "`".repeat(longest.unwrap_or(0).max(2) + 1);
    format!(
        "{fence}{}\n{}\n{fence}",
        language.unwrap_or_default(),
        lines.join("\n")
    )
}

/// The name of the file of a picture. A picture in a document becomes a separate file.
fn picture_name(work: &Work, hash: &str) -> Option<String> {
    work.sources.iter().find_map(|source| {
        let mut pictures = source.pictures.iter();
        let picture = pictures.find(|picture| picture.sha256.to_string() == *hash)?;
        let below = source.path.strip_prefix("sources/");
        Some(match source.is_picture() {
            true => below.unwrap_or(&source.path).to_owned(),
            false => picture.path(&source.path),
        })
    })
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
