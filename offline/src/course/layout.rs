//! A script's lines on a page: the layouts that suit their shape are tried in order, and the first that holds everything
//! without a fault, and is not the one of the page before, is taken.

use domain::pipelines::course::rules;
use domain::pipelines::course::shape::{ScriptKind, SlideScript};
use spec::text::clean;
use spec::{
    ChartKind, ChartSpec, Column, Dataset, Figure, IconRow, Item, Layout, SlideSpec, TableRow,
    TimelineStep, limits as l,
};

use super::icons::icon;
use super::lines::{Shape, shape};
use super::prose::{bare, clauses, fit, fits, must_fit, term};
use super::words::Words;

/// The slide of one script; those before it are laid out too, so that neighbours differ.
pub(super) fn slide(
    scripts: &[SlideScript],
    index: usize,
    pictures: bool,
    words: Words,
) -> SlideSpec {
    let mut before = None;
    for (at, script) in scripts.iter().enumerate().take(index) {
        before = Some(one(script, at, before, pictures, words).layout());
    }
    one(&scripts[index], index, before, pictures, words)
}

fn one(
    script: &SlideScript,
    at: usize,
    before: Option<Layout>,
    pictures: bool,
    words: Words,
) -> SlideSpec {
    match script.kind {
        ScriptKind::Title => opening(script, words),
        ScriptKind::Closing => closing(script, words),
        ScriptKind::Content => content(script, at, before, pictures, words),
    }
}

fn opening(script: &SlideScript, words: Words) -> SlideSpec {
    let lines = script.content.lines();
    let said = |at: usize, em: u32| lines.get(at).and_then(|line| fit(line, em));
    let kicker = said(1, l::KICKER_EM)
        .filter(|line| words.says_offline(line))
        .unwrap_or_else(|| words.offline().to_owned());
    SlideSpec::Title {
        title: must_fit(&script.title, l::OPENING_TITLE_EM, words.untitled()),
        subtitle: said(0, l::SUBTITLE_EM),
        kicker: Some(kicker),
    }
}

fn closing(script: &SlideScript, words: Words) -> SlideSpec {
    let lines = script.content.lines();
    let is_action = |line: &&str| line.starts_with(words.action());
    let action = lines
        .iter()
        .find(|line| is_action(line))
        .and_then(|line| fit(line, l::CLOSING_ACTION_EM));
    let points = lines
        .iter()
        .filter(|line| !is_action(line))
        .filter_map(|line| fit(line, l::CLOSING_POINT_EM));
    SlideSpec::Closing {
        title: must_fit(&script.title, l::CLOSING_TITLE_EM, words.summary()),
        message: None,
        points: points.take(l::CLOSING_POINTS_MAX).collect(),
        action,
    }
}

/// Of the text that the first choice shows, another layout must show so much.
const KEPT_PERCENT: usize = 60;

/// A page in the making.
struct Maker<'a> {
    title: String,
    script: &'a SlideScript,
    at: usize,
    words: Words,
}

type Make = fn(&Maker<'_>, &Shape) -> Option<SlideSpec>;

fn content(
    script: &SlideScript,
    at: usize,
    before: Option<Layout>,
    pictures: bool,
    words: Words,
) -> SlideSpec {
    let maker = Maker {
        title: must_fit(&script.title, l::HEADING_EM, words.summary()),
        script,
        at,
        words,
    };
    let shape = shape(&script.content.lines());
    let mut makes: Vec<Make> = match &shape {
        Shape::Table { .. } => vec![chart, comparison, figures, rows_as_bullets, picture],
        Shape::Groups(_) => vec![two_columns, groups_as_bullets, picture],
        Shape::Steps(_) => vec![timeline, bullets, picture],
        Shape::Pairs { lead: None, pairs } if pairs.len() <= l::CARDS_MAX => {
            vec![icon_rows, bullets, picture]
        }
        Shape::Pairs { .. } => vec![bullets, icon_rows, picture],
        Shape::Plain(lines) if lines.len() <= 2 => vec![quote, picture, bullets],
        Shape::Plain(_) => vec![bullets, picture],
    };
    if pictures && !matches!(shape, Shape::Table { .. }) {
        makes.splice(0..0, [icon_rows as Make, picture]);
    }
    let mut good: Vec<SlideSpec> = makes
        .iter()
        .filter_map(|make| make(&maker, &shape))
        .collect();
    good.retain(|slide| rules::slide(slide, script).is_empty());
    if good.is_empty() {
        return maker.anything();
    }
    // Another layout than the neighbour's is worth a little text, not much.
    let said = |slide: &SlideSpec| slide.plain_text().chars().count();
    let enough = said(&good[0]) * KEPT_PERCENT / 100;
    let other = good
        .iter()
        .position(|slide| Some(slide.layout()) != before && said(slide) >= enough);
    good.swap_remove(other.unwrap_or(0))
}

impl Maker<'_> {
    /// A page that holds any text: a picture beside the first line.
    fn anything(&self) -> SlideSpec {
        let lines = self.script.content.lines();
        let text = lines.first().map_or("", |line| line);
        SlideSpec::ImageText {
            title: self.title.clone(),
            illustration: icon(&self.script.title, self.at),
            caption: None,
            text: must_fit(text, l::PICTURE_TEXT_EM, &self.title),
            points: vec![],
        }
    }
}

/// All lines as texts, whatever their shape.
fn texts(shape: &Shape) -> Vec<String> {
    match shape {
        Shape::Table { head, rows, rest } => {
            let row = |row: &Vec<String>| {
                let cells = head
                    .iter()
                    .zip(row)
                    .skip(1)
                    .map(|(head, cell)| format!("{head} {cell}"));
                format!("{}：{}", row[0], cells.collect::<Vec<_>>().join("，"))
            };
            rows.iter().map(row).chain(rest.iter().cloned()).collect()
        }
        Shape::Groups(groups) => groups.iter().flat_map(|(_, items)| items.clone()).collect(),
        Shape::Steps(lines) | Shape::Plain(lines) => lines.clone(),
        Shape::Pairs { lead, pairs } => lead
            .iter()
            .cloned()
            .chain(pairs.iter().map(|(term, text)| format!("{term}：{text}")))
            .collect(),
    }
}

/// A line as a point with a detail: the term and its text, or the first clauses and the others.
fn item(line: &str) -> Option<Item> {
    if let Some((term, text)) = term(line, 12) {
        return Some(Item {
            text: clean(term),
            detail: Some(fit(text, l::BULLET_DETAIL_EM)?),
        });
    }
    let whole = clean(bare(line));
    if fits(&whole, l::BULLET_EM) {
        return (!whole.is_empty()).then_some(Item {
            text: whole,
            detail: None,
        });
    }
    let mut end = 0;
    let mut cut = 0;
    for clause in clauses(&whole) {
        end += clause.len();
        if !fits(bare(&whole[..end]), l::BULLET_EM) {
            break;
        }
        cut = end;
    }
    if cut == 0 {
        return None;
    }
    let (text, rest) = (clean(bare(&whole[..cut])), &whole[cut..]);
    // Half a sentence is only shown where its other half fits beneath it, whole or in clauses.
    match fit(rest, l::BULLET_DETAIL_EM) {
        Some(detail) => Some(Item {
            text,
            detail: Some(detail),
        }),
        None => fit(&whole, l::BULLET_EM).map(|text| Item { text, detail: None }),
    }
}

fn bullets(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let lines = texts(shape);
    let lead = match shape {
        Shape::Pairs {
            lead: Some(lead), ..
        } => fit(lead, l::BULLETS_LEAD_EM),
        Shape::Table { .. }
        | Shape::Groups(_)
        | Shape::Steps(_)
        | Shape::Pairs { .. }
        | Shape::Plain(_) => None,
    };
    let listed = &lines[usize::from(lead.is_some())..];
    let items: Vec<Item> = listed
        .iter()
        .filter_map(|line| item(line))
        .take(l::BULLETS_MAX)
        .collect();
    (items.len() >= l::BULLETS_MIN).then(|| SlideSpec::Bullets {
        title: maker.title.clone(),
        lead,
        items,
    })
}

fn rows_as_bullets(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    bullets(maker, shape)
}

/// Both groups in one list, the first ones of each.
fn groups_as_bullets(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Groups(groups) = shape else {
        return None;
    };
    let each = l::BULLETS_MAX.div_ceil(groups.len().max(1));
    let items = groups
        .iter()
        .flat_map(|(_, items)| items.iter().filter_map(|line| item(line)).take(each));
    let items: Vec<Item> = items.take(l::BULLETS_MAX).collect();
    (items.len() >= l::BULLETS_MIN).then(|| SlideSpec::Bullets {
        title: maker.title.clone(),
        lead: None,
        items,
    })
}

fn icon_rows(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Pairs { pairs, .. } = shape else {
        return None;
    };
    let row = |(at, (term, text)): (usize, &(String, String))| {
        let heading = fit(term, l::CARD_HEADING_EM)?;
        let text = fit(text, l::CARD_TEXT_EM)?;
        Some(IconRow {
            icon: icon(&heading, maker.at + at),
            heading,
            text,
        })
    };
    let rows: Vec<IconRow> = pairs
        .iter()
        .enumerate()
        .filter_map(row)
        .take(l::CARDS_MAX)
        .collect();
    // A card that does not fit must not silently be missing.
    (rows.len() == pairs.len().min(l::CARDS_MAX) && rows.len() >= l::CARDS_MIN).then(|| {
        SlideSpec::IconRows {
            title: maker.title.clone(),
            rows,
        }
    })
}

/// A sentence whose beginning only says when or where, without it.
fn after_first_clause(text: &str) -> Option<String> {
    let rest = &text[clauses(text).first()?.len()..];
    fit(rest, l::COLUMN_ITEM_EM).filter(|rest| rest.chars().count() >= 8)
}

fn two_columns(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Groups(groups) = shape else {
        return None;
    };
    let [left, right] = &groups[..] else {
        return None;
    };
    let column = |(head, items): &(String, Vec<String>)| {
        let items: Vec<String> = items
            .iter()
            .filter_map(|item| fit(item, l::COLUMN_ITEM_EM).or_else(|| after_first_clause(item)))
            .take(l::COLUMN_ITEMS_MAX)
            .collect();
        let heading = fit(head, l::COLUMN_HEADING_EM)?;
        (!items.is_empty()).then_some(Column { heading, items })
    };
    Some(SlideSpec::TwoColumns {
        title: maker.title.clone(),
        left: column(left)?,
        right: column(right)?,
    })
}

fn timeline(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Steps(lines) = shape else {
        return None;
    };
    let step = |(at, line): (usize, &String)| {
        let (heading, text) = match term(line, l::STEP_HEADING_EM) {
            Some((term, text)) => (clean(term), fit(text, l::STEP_TEXT_EM)?),
            None => {
                let parts = clauses(line);
                let first = fit(parts.first()?, l::STEP_HEADING_EM)?;
                (first, fit(&line[parts.first()?.len()..], l::STEP_TEXT_EM)?)
            }
        };
        Some(TimelineStep {
            label: maker.words.step(at + 1),
            heading,
            text,
        })
    };
    let steps: Vec<TimelineStep> = lines.iter().enumerate().filter_map(step).collect();
    let all = steps.len() == lines.len() && (l::STEPS_MIN..=l::STEPS_MAX).contains(&steps.len());
    all.then(|| SlideSpec::Timeline {
        title: maker.title.clone(),
        steps,
    })
}

fn quote(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let lines = texts(shape);
    let said = clean(bare(lines.first()?));
    // A short line is a heading and no quotation; a second one must fit beneath it.
    let whole = fits(&said, l::QUOTE_EM) && said.chars().count() >= 12;
    let context = match lines.get(1) {
        Some(line) => fit(line, l::QUOTE_CONTEXT_EM)?,
        None => fit(&maker.title, l::QUOTE_CONTEXT_EM)?,
    };
    whole.then(|| SlideSpec::Quote {
        quote: said,
        attribution: fit(&maker.title, l::QUOTE_BY_EM).filter(|by| *by != context),
        context: Some(context),
    })
}

fn picture(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let lines = texts(shape);
    let text = fit(lines.first()?, l::PICTURE_TEXT_EM)?;
    let rest = &lines[1..];
    let points: Vec<String> = rest
        .iter()
        .filter_map(|line| fit(line, l::PICTURE_POINT_EM))
        .take(l::PICTURE_POINTS_MAX)
        .collect();
    Some(SlideSpec::ImageText {
        title: maker.title.clone(),
        illustration: icon(&format!("{} {}", maker.script.title, text), maker.at),
        caption: fit(&maker.script.title, l::PICTURE_CAPTION_EM),
        text,
        points,
    })
}

fn comparison(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Table { head, rows, .. } = shape else {
        return None;
    };
    let columns: Vec<String> = head[1..]
        .iter()
        .filter_map(|cell| fit(cell, l::TABLE_HEAD_EM))
        .collect();
    let cell_em = if columns.len() <= 2 {
        l::TABLE_CELL_WIDE_EM
    } else {
        l::TABLE_CELL_NARROW_EM
    };
    let row = |row: &Vec<String>| {
        let cells: Option<Vec<String>> = row[1..].iter().map(|cell| fit(cell, cell_em)).collect();
        Some(TableRow {
            label: fit(&row[0], l::TABLE_LABEL_EM)?,
            cells: cells?,
        })
    };
    let made: Option<Vec<TableRow>> = rows.iter().map(row).collect();
    let whole = columns.len() == head.len() - 1;
    whole.then_some(SlideSpec::Comparison {
        title: maker.title.clone(),
        columns,
        rows: made?,
        highlight: None,
    })
}

/// A cell as a number and what stands behind it.
fn number(cell: &str) -> Option<(f64, String)> {
    let cell = cell
        .trim()
        .trim_start_matches(['约', '≈', '~', ' '])
        .replace(',', "");
    let digits = cell
        .find(|c: char| !(c.is_ascii_digit() || c == '.' || c == '-'))
        .unwrap_or(cell.len());
    let value = cell[..digits]
        .parse::<f64>()
        .ok()
        .filter(|value| value.is_finite() && value.abs() < 1e9)?;
    Some((value, clean(cell[digits..].trim())))
}

/// A heading without its unit, and the unit in its brackets.
pub(super) fn heading_and_unit(cell: &str) -> (String, Option<String>) {
    let Some(open) = cell.find(['（', '(', '/']) else {
        return (clean(cell), None);
    };
    let unit = cell[open..].trim_matches(['（', '）', '(', ')', '/', ' ']);
    (
        clean(bare(&cell[..open])),
        Some(clean(unit)).filter(|unit| !unit.is_empty()),
    )
}

/// The columns of numbers, or nothing if a cell is none or the units differ.
fn numeric(head: &[String], rows: &[Vec<String>]) -> Option<(Vec<Dataset>, Option<String>)> {
    let mut sets = vec![];
    let mut units: Vec<String> = vec![];
    for column in 1..head.len() {
        let (label, unit) = heading_and_unit(&head[column]);
        let cells: Option<Vec<(f64, String)>> =
            rows.iter().map(|row| number(&row[column])).collect();
        let cells = cells?;
        let unit = unit.unwrap_or_else(|| cells[0].1.clone());
        if cells.iter().any(|(_, suffix)| suffix != &cells[0].1) {
            return None;
        }
        units.push(unit);
        sets.push(Dataset {
            label: fit(&label, l::CHART_SERIES_EM)?,
            values: cells.into_iter().map(|(value, _)| value).collect(),
        });
    }
    let same = units.windows(2).all(|pair| pair[0] == pair[1]);
    same.then(|| {
        (
            sets,
            units.into_iter().next().filter(|unit| !unit.is_empty()),
        )
    })
}

fn chart(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Table { head, rows, rest } = shape else {
        return None;
    };
    let (datasets, unit) = numeric(head, rows)?;
    let (axis, axis_unit) = heading_and_unit(&head[0]);
    let label = |row: &Vec<String>| fit(&row[0], l::CHART_LABEL_EM);
    let labels: Option<Vec<String>> = rows.iter().map(label).collect();
    // Numbers along the axis are a course; names are things to compare.
    let kind = if rows.iter().all(|row| number(&row[0]).is_some()) {
        ChartKind::Line
    } else {
        ChartKind::Bar
    };
    let axis = axis_unit.map_or(axis.clone(), |unit| format!("{axis}（{unit}）"));
    let said = rest.iter().find_map(|line| fit(line, l::CHART_INSIGHT_EM));
    Some(SlideSpec::Chart {
        title: maker.title.clone(),
        chart: ChartSpec {
            kind,
            labels: labels?,
            datasets,
            unit: unit.and_then(|unit| fit(&unit, l::CHART_UNIT_EM)),
        },
        insight: said,
        source: fit(&maker.words.across(&axis), l::CHART_SOURCE_EM),
    })
}

fn figures(maker: &Maker<'_>, shape: &Shape) -> Option<SlideSpec> {
    let Shape::Table { head, rows, rest } = shape else {
        return None;
    };
    if head.len() != 2 || !(l::FIGURES_MIN..=l::FIGURES_MAX).contains(&rows.len()) {
        return None;
    }
    let figure = |row: &Vec<String>| {
        number(&row[1])?;
        Some(Figure {
            value: fit(&row[1], l::FIGURE_VALUE_EM)?,
            label: fit(&row[0], l::FIGURE_LABEL_EM)?,
            note: None,
        })
    };
    let figures: Option<Vec<Figure>> = rows.iter().map(figure).collect();
    let takeaway = rest.iter().find_map(|line| fit(line, l::TAKEAWAY_EM));
    Some(SlideSpec::Figures {
        title: maker.title.clone(),
        figures: figures?,
        takeaway,
    })
}
