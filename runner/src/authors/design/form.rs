//! The forms that content has: terms with what explains them, stations, figures, numbers that can be drawn, lines.

use std::collections::BTreeSet;
use std::ops::Range;

use spec::limits as l;
use spec::text::{em_width, literal};
use words::sentences::is_pause;
use words::{Measure, Quantity, folded, is_ideographic, reading_words};

use super::key::SHOWN_WORDS;
use crate::authors::source::{Grid, Item, Words, even_runs};
use crate::authors::words::READING;

/// A text as a slot takes it, and as it is read.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Text {
    pub slot: String,
    pub plain: String,
}

impl Text {
    pub(super) fn of(words: &Words, at: &Range<usize>) -> Self {
        Self {
            slot: words.marked(at),
            plain: words.text[at.clone()].to_owned(),
        }
    }

    /// A text without marks.
    pub(super) fn plain(plain: String) -> Self {
        Self {
            slot: literal(&plain),
            plain,
        }
    }

    /// Without marks of its own, for a place whose type is bold.
    fn unmarked(words: &Words, at: &Range<usize>) -> Self {
        Self::plain(words.text[at.clone()].to_owned())
    }
}

/// A term and what explains it.
#[derive(Clone, Debug)]
pub struct Term {
    pub head: Text,
    pub text: Text,
}

/// A step of a process, or what happened at a time.
#[derive(Clone, Debug)]
pub struct Station {
    /// A number or a time.
    pub label: Text,
    pub head: Option<Text>,
    pub text: Text,
}

/// A line of a list, or a sentence, which has no mark.
#[derive(Clone, Debug)]
pub struct Line {
    pub level: u8,
    pub marker: Option<String>,
    pub text: Text,
}

/// One of two that answer each other.
#[derive(Clone, Debug)]
pub struct Side {
    pub head: Text,
    pub lines: Vec<Line>,
}

/// How the numbers of a table are drawn.
#[derive(Clone, Debug)]
pub struct Chart {
    /// A line for a trend, upright columns for names that are short, lying bars for others.
    pub kind: spec::ChartKind,
    pub labels: Vec<String>,
    /// The name of each series and its values.
    pub series: Vec<(String, Vec<f64>)>,
    /// Whether the table has room below it.
    pub has_table: bool,
}

/// What a page shows.
#[derive(Clone, Debug)]
pub enum Form<'a> {
    /// The heading alone.
    Section,
    /// Sentences, or lines of a list.
    Lines(Vec<Line>),
    Cards(Vec<Term>),
    /// The same below each other, where they are too many or too long for cards, or times with what happened then.
    Pairs(Vec<Term>),
    Stations(Vec<Station>),
    /// A number with its unit, and what it counts.
    Figures(Vec<Term>),
    Sides([Side; 2]),
    Chart(&'a Grid, Chart),
    Table(&'a Grid, Range<usize>),
    Code(Option<&'a str>, &'a [String]),
    /// The words for what it shows, and the hash of the file.
    Picture(&'a str, &'a str),
    Quotation {
        text: Text,
        by: Option<Text>,
    },
}

impl Form<'_> {
    /// What its content is worth beside the words that are said to it.
    pub(super) fn weight(&self) -> f32 {
        match self {
            Self::Section => 0.0,
            Self::Lines(lines) if lines.iter().all(|line| line.marker.is_none()) => 30.0,
            Self::Lines(_) | Self::Quotation { .. } => 60.0,
            Self::Cards(_)
            | Self::Pairs(_)
            | Self::Stations(_)
            | Self::Figures(_)
            | Self::Sides(_) => 40.0,
            // What cannot be said is the last to go.
            Self::Code(..) | Self::Picture(..) | Self::Table(..) | Self::Chart(..) => 1000.0,
        }
    }

    /// How wide a sentence below it can be, if one has room there beside `lead`.
    pub(super) fn tail_em(&self, lead: Option<&Text>) -> Option<f32> {
        let Self::Code(_, lines) = self else {
            return None;
        };
        let most = SHORT_CODE - if lead.is_some() { CODE_LEAD_LINES } else { 0 };
        (lines.len() <= most).then_some(CODE_LEAD_EM)
    }

    /// How wide a sentence between the heading and it can be, if one has room there.
    pub(super) fn lead_em(&self) -> Option<f32> {
        match self {
            Self::Cards(_)
            | Self::Stations(_)
            | Self::Figures(_)
            | Self::Sides(_)
            | Self::Chart(..) => Some(LEAD_EM),
            Self::Code(_, lines) => (lines.len() <= SHORT_CODE).then_some(CODE_LEAD_EM),
            Self::Pairs(terms) => (terms.len() <= SHORT_CODE / 2).then_some(LEAD_EM),
            Self::Table(grid, rows) => {
                (rows.len() < SHORT_CODE && grid.caption.is_none()).then_some(LEAD_EM)
            }
            // A list on one page that is longer than others is short enough for a sentence before it, too.
            Self::Lines(lines) if lines.iter().all(|line| line.marker.is_some()) => {
                let words = words_in(lines);
                let most = [SHOWN_WORDS, WHOLE_LIST.1][usize::from(words > SHOWN_WORDS)];
                let em = ((most - words) * EM_OF_WORD).min(LIST_LEAD_EM);
                (em >= EM_OF_WORD).then_some(em)
            }
            Self::Section | Self::Lines(_) | Self::Picture(..) | Self::Quotation { .. } => None,
        }
    }

    pub(super) fn lines(&self) -> Vec<String> {
        let rows = |grid: &Grid, rows: Range<usize>| {
            let shown = [&grid.head].into_iter().chain(&grid.rows[rows]);
            let joined = shown.map(|row| row.join(" | "));
            joined.filter(|row| !row.trim().is_empty()).collect()
        };
        let marked = |line: &Line| match &line.marker {
            Some(marker) if marker.starts_with(|c: char| c.is_ascii_digit()) => {
                format!("{marker} {}", line.text.plain)
            }
            _ => line.text.plain.clone(),
        };
        match self {
            Self::Section => vec![],
            Self::Lines(lines) => lines.iter().map(marked).collect(),
            Self::Cards(terms) | Self::Pairs(terms) | Self::Figures(terms) => terms
                .iter()
                .map(|term| format!("{}: {}", term.head.plain, term.text.plain))
                .collect(),
            Self::Stations(stations) => stations
                .iter()
                .map(|it| {
                    let head = it.head.as_ref().map(|head| format!("{}: ", head.plain));
                    format!(
                        "{} {}{}",
                        it.label.plain,
                        head.unwrap_or_default(),
                        it.text.plain
                    )
                })
                .collect(),
            Self::Sides(sides) => sides
                .iter()
                .flat_map(|side| {
                    [side.head.plain.clone()]
                        .into_iter()
                        .chain(side.lines.iter().map(marked))
                })
                .collect(),
            Self::Chart(grid, _) => rows(grid, 0..grid.rows.len()),
            Self::Table(grid, range) => rows(grid, range.clone()),
            Self::Code(_, code) => {
                let said = code.iter().filter(|line| !line.trim().is_empty());
                said.cloned().collect()
            }
            Self::Picture(alt, _) => vec![(*alt).to_owned()],
            Self::Quotation { text, by } => {
                let by = by.iter().map(|by| by.plain.clone());
                [text.plain.clone()].into_iter().chain(by).collect()
            }
        }
    }
}

/// Cards beside each other, in a row or in two. More steps than stand in a row are a list, because they would be too small to read.
const CARDS: Range<usize> = 2..7;
const CARDS_IN_ROW: usize = 4;
const STATIONS: Range<usize> = 3..7;
const FIGURES: Range<usize> = 2..5;
/// Widest term; widest text of a card times the cards of a row, widest of one in two rows; widest text of a station times their number.
const TERM_EM: f32 = 15.0;
const CARD_EM: f32 = 190.0;
const CARD_EM_OF_TWO_ROWS: f32 = 44.0;
const STATION_EM: f32 = 180.0;
/// Widest word of a station times their number.
const WORD_EM: f32 = 40.0;
/// Most words of all cards of a page.
const CARDS_WORDS: f32 = 75.0;
/// Lines of a list on one page.
const LINES_MAX: usize = 9;
/// Turns of speakers on one page, and their words; and where they must stand on one.
const SPOKEN: (usize, f32) = (10, 110.0);
const SPOKEN_WHOLE: (usize, f32) = (12, 150.0);
/// Longest figure, in characters.
const FIGURE_CHARS: usize = 10;
/// Rows of a table that stand below its chart, and its columns.
const ROWS_BELOW: usize = 5;
/// Of numbers that differ more than so many times, the small ones cannot be seen on one axis.
const MAGNITUDES: f64 = 100.0;
/// Numbers that are years, and no sizes, where a column has nothing else.
const YEARS: Range<u32> = 1500..2100;
/// Lines of code on a page: beyond, they are too small to read from the back of a room.
pub(super) const CODE_LINES: usize = 16;
/// Widest sentence under a heading, and above code.
const LEAD_EM: f32 = 62.0;
const CODE_LEAD_EM: f32 = 130.0;
const LIST_LEAD_EM: f32 = 90.0;
/// Width of a word with the blank after it.
const EM_OF_WORD: f32 = 2.5;
/// Rows of terms with what explains them on one page, and their words.
const PAIRS: Range<usize> = 2..11;
const PAIRS_WORDS: (f32, f32) = (90.0, 130.0);
/// Lines of a list that stays on one page, and their words.
const WHOLE_LIST: (usize, f32) = (10, 100.0);
/// Lines of code, and rows of a table, that leave room for a sentence below them.
const SHORT_CODE: usize = 10;
/// Lines of code in whose place a sentence stands.
const CODE_LEAD_LINES: usize = 4;
/// Fewest lines of a paragraph that are a list.
const OWN_LINES: usize = 3;
const QUESTION_MARKS: [char; 3] = ['?', '？', '؟'];

/// What stands before the sign that sets a term off from what explains it, and what stands behind it. Bold words at the beginning are a
/// term with and without a sign.
pub(super) fn split(words: &Words) -> Option<[Range<usize>; 2]> {
    let text = &words.text;
    let signs = [":", "：", " – ", " — ", " - ", "\u{3000}"];
    let found = signs
        .iter()
        .filter_map(|sign| Some((text.find(sign)?, sign.len())));
    let sign = found.min();
    let bold = words.bold_lead();
    let (at, len) = match (sign, bold) {
        (Some((at, len)), Some(end)) if at <= end => (at, len),
        (_, Some(end)) => (end, 0),
        (sign, None) => sign?,
    };
    let is_sign = |c: char| c.is_whitespace() || matches!(c, '–' | '—') || is_pause(c);
    let head = text[..at].trim_end_matches(is_sign);
    let from = head.len() - head.trim_start().len();
    let rest = text[at + len..].trim_start_matches(is_sign);
    let parts = [
        from..head.len(),
        text.len() - rest.len()..text.trim_end().len(),
    ];
    let [head, rest] = &parts;
    let is_address = text[at..].starts_with("://");
    let is_clock = len == 1
        && text[..at].ends_with(|c: char| c.is_ascii_digit())
        && text[at + len..].starts_with(|c: char| c.is_ascii_digit());
    let term = &text[head.clone()];
    let fits = !head.is_empty() && !rest.is_empty() && em_width(term) <= TERM_EM;
    // A full stop inside of a word is part of an abbreviation.
    let mut followed = term.chars().zip(term.chars().skip(1).chain([' ']));
    let is_sentence =
        followed.any(|(c, next)| c == '\n' || (is_pause(c) && (c != '.' || next.is_whitespace())));
    let is_head = !is_sentence || (is_time(term) && !term.contains('\n'));
    (fits && !is_address && !is_clock && is_head).then_some(parts)
}

/// The forms of a list, each of which is a page, with the items on it. With `is_short`, a list stands on one page where that can be.
pub(super) fn of_list<'a, 'b>(items: &'b [Item], is_short: bool) -> Vec<(Form<'a>, &'b [Item])> {
    let is_flat = items
        .iter()
        .all(|item| item.0 == items[0].0 && !item.2.text.contains('\n'));
    if is_flat {
        let whole = figures(items)
            .or_else(|| stations(items))
            .or_else(|| cards(items))
            .or_else(|| pairs(items, is_short));
        if let Some(form) = whole {
            return vec![(form, items)];
        }
        // Pages of the same number of cards.
        let pages = items.len().div_ceil(CARDS.end - 1).max(1);
        let parts = || items.chunks(items.len().div_ceil(pages).max(1));
        let forms: Option<Vec<Form<'a>>> = parts().map(cards).collect();
        if let Some(forms) = forms.filter(|_| !is_short) {
            return forms.into_iter().zip(parts()).collect();
        }
    }
    let heads: Vec<String> = items
        .iter()
        .filter_map(|item| Some(item.2.text[split(&item.2)?[0].clone()].to_owned()))
        .collect();
    // What speakers say is shown whole, as a quotation is.
    let is_spoken = heads.len() == items.len() && is_dialogue(&heads);
    let most = match (is_spoken, is_short) {
        (true, false) => SPOKEN,
        (true, true) => SPOKEN_WHOLE,
        (false, true) => WHOLE_LIST,
        (false, false) => (LINES_MAX, SHOWN_WORDS),
    };
    let all: f32 = items.iter().map(|item| reading_words(&item.2.text)).sum();
    // Of long steps, the first sentences say what is done.
    let is_cut = is_short && all > most.1 && items.iter().all(is_numbered);
    let whole = if is_cut { 0.0 } else { SHOWN_WORDS };
    let lines: Vec<Line> = items.iter().map(|item| line(item, whole)).collect();
    let words: Vec<f32> = lines
        .iter()
        .map(|line| reading_words(&line.text.plain))
        .collect();
    let part = |at: Range<usize>| (Form::Lines(lines[at.clone()].to_vec()), &items[at]);
    let runs = even_runs(&words, most).into_iter();
    runs.map(part).collect()
}

/// Terms below each other, where all of them are large enough on one page, or must stand there.
fn pairs<'a>(items: &[Item], is_short: bool) -> Option<Form<'a>> {
    let pairs = terms(items)?;
    let most = if is_short {
        PAIRS_WORDS.1
    } else {
        PAIRS_WORDS.0
    };
    let fits = PAIRS.contains(&pairs.len()) && words_of(&pairs) <= most;
    fits.then_some(Form::Pairs(pairs))
}

/// The items as terms with what explains them, if all of them are and have no mark; not what speakers say.
fn terms(items: &[Item]) -> Option<Vec<Term>> {
    let term = |item: &Item| {
        let words = &item.2;
        let [head, text] = split(words).filter(|_| item.1.as_deref().is_none_or(str::is_empty))?;
        Some(Term {
            head: Text::unmarked(words, &head),
            text: Text::of(words, &text),
        })
    };
    let terms: Vec<Term> = items.iter().map(term).collect::<Option<_>>()?;
    let heads: Vec<String> = terms.iter().map(|term| term.head.plain.clone()).collect();
    (!is_dialogue(&heads)).then_some(terms)
}

/// The words of these lines.
pub(super) fn words_in(lines: &[Line]) -> f32 {
    lines
        .iter()
        .map(|line| reading_words(&line.text.plain))
        .sum()
}

/// The words of what explains these terms.
fn words_of(terms: &[Term]) -> f32 {
    let texts = terms.iter().map(|term| reading_words(&term.text.plain));
    texts.sum()
}

/// A line of a list; of one of more than so many words, its first sentence.
fn line(item: &Item, most: f32) -> Line {
    let words = &item.2;
    let whole = 0..words.text.len();
    let first = words::sentences::sentences(&words.text).into_iter().next();
    let at = match reading_words(&words.text) > most {
        true => first.unwrap_or(whole),
        false => whole,
    };
    Line {
        level: item.0,
        marker: marker(item),
        text: Text::of(words, &at),
    }
}

fn stations<'a>(items: &[Item]) -> Option<Form<'a>> {
    // Numbered questions are no steps.
    let asks = items
        .iter()
        .any(|item| item.2.text.contains(QUESTION_MARKS));
    let station = |item: &Item| {
        let words = &item.2;
        let parts = split(words);
        let number = item.1.as_deref().filter(|_| is_numbered(item));
        let whole = 0..words.text.len();
        let fits = |at: &Range<usize>| {
            em_width(&words.text[at.clone()]) <= STATION_EM / items.len() as f32
        };
        if let Some(number) = number.filter(|_| items.len() <= CARDS_IN_ROW && !asks) {
            let label = number.trim_end_matches(['.', ')', '、', '．']).to_owned();
            let label = Text {
                slot: label.clone(),
                plain: label,
            };
            let (head, text) = match &parts {
                Some([head, text]) => (Some(Text::unmarked(words, head)), text.clone()),
                None => (None, whole),
            };
            return fits(&text).then(|| Station {
                label,
                head,
                text: Text::of(words, &text),
            });
        }
        let [time, text] = parts?;
        let is_one = is_time(&words.text[time.clone()]) && fits(&text);
        is_one.then(|| Station {
            label: Text::unmarked(words, &time),
            head: None,
            text: Text::of(words, &text),
        })
    };
    // A word must not be cut in a narrow column.
    let widest = |item: &Item| {
        item.2
            .text
            .split_whitespace()
            .map(em_width)
            .fold(0.0, f32::max)
    };
    let has_spaces = |item: &Item| !item.2.text.contains(is_ideographic);
    let is_cut = items
        .iter()
        .filter(|item| has_spaces(item))
        .any(|item| widest(item) > WORD_EM / items.len() as f32);
    if is_cut {
        return None;
    }
    let stations: Option<Vec<Station>> = items.iter().map(station).collect();
    stations
        .filter(|all| STATIONS.contains(&all.len()))
        .map(Form::Stations)
}

/// Lines such as `Uptime: 94 %`.
fn figures<'a>(items: &[Item]) -> Option<Form<'a>> {
    let figure = |item: &Item| {
        let words = &item.2;
        let [label, value] = split(words)?;
        let text = &words.text[value.clone()];
        let quantity = words::quantity(text)?;
        let fits = text.chars().count() <= FIGURE_CHARS && quantity.value().is_some();
        fits.then(|| Term {
            head: Text::unmarked(words, &value),
            text: Text::of(words, &label),
        })
    };
    let figures: Option<Vec<Term>> = items.iter().map(figure).collect();
    figures
        .filter(|all| FIGURES.contains(&all.len()))
        .map(Form::Figures)
}

fn cards<'a>(items: &[Item]) -> Option<Form<'a>> {
    let most = match items.len() > CARDS_IN_ROW {
        true => CARD_EM_OF_TWO_ROWS,
        false => CARD_EM / items.len().max(1) as f32,
    };
    let cards = terms(items)?;
    let are_narrow = cards.iter().all(|card| em_width(&card.text.plain) <= most);
    let fits = CARDS.contains(&cards.len()) && are_narrow && words_of(&cards) <= CARDS_WORDS;
    fits.then_some(Form::Cards(cards))
}

/// Cards in rows of about the same number.
pub fn card_rows<T>(cards: &[T]) -> std::slice::Chunks<'_, T> {
    let rows = cards.len().div_ceil(CARDS_IN_ROW).max(1);
    cards.chunks(cards.len().div_ceil(rows).max(1))
}

/// Whether terms are speakers: one of them stands before more than one text.
fn is_dialogue(terms: &[String]) -> bool {
    terms.iter().collect::<BTreeSet<_>>().len() < terms.len()
}

/// A paragraph as a line of a list that has no mark, where it is a term with what explains it, or what a speaker says.
pub(super) fn as_item(words: &Words) -> Option<Item> {
    let is_term = !words.is_quoted && !has_own_lines(words) && split(words).is_some();
    is_term.then(|| Item(0, Some(String::new()), words.clone()))
}

fn is_numbered(item: &Item) -> bool {
    let mut sign = item.1.iter();
    sign.any(|sign| sign.starts_with(|c: char| c.is_numeric()))
}

/// Whether a text ends as a question.
pub(super) fn asks(text: &str) -> bool {
    text.trim_end().ends_with(QUESTION_MARKS)
}

/// Whether a paragraph is of lines that are not to be joined.
fn has_own_lines(words: &Words) -> bool {
    words.lines().len() >= OWN_LINES
}

/// The lines of a paragraph that are not to be joined, as those of a list that has no marks.
pub(super) fn as_items(words: &Words) -> Option<Vec<Item>> {
    let item = |at: &Range<usize>| Item(0, Some(String::new()), words.part(at));
    let is_list = !words.is_quoted && has_own_lines(words);
    is_list.then(|| words.lines().iter().map(item).collect())
}

/// What stands before a line of a list; nothing before a paragraph.
fn marker(item: &Item) -> Option<String> {
    let sign = item.1.clone().unwrap_or_else(|| "•".to_owned());
    Some(sign).filter(|sign| !sign.is_empty())
}

/// The pages of a table: a chart where its numbers can be drawn, with the table below it where that has room. With `is_short`, the table has
/// as few pages as can be.
pub(super) fn of_grid(grid: &Grid, is_short: bool) -> Vec<Form<'_>> {
    let chart = as_chart(grid);
    let has_table = chart.as_ref().is_some_and(|chart| chart.has_table);
    let pages = if is_short {
        grid.pages()
    } else {
        grid.large_pages()
    };
    let tables = pages.into_iter().filter(|_| !has_table);
    let tables = tables.map(|rows| Form::Table(grid, rows));
    chart
        .map(|chart| Form::Chart(grid, chart))
        .into_iter()
        .chain(tables)
        .collect()
}

/// The numbers of a table that has names, times or the steps of an axis in its first column, and numbers of one unit in all others.
fn as_chart(grid: &Grid) -> Option<Chart> {
    let width = grid.head.len();
    let is_even = width > 1 && grid.rows.iter().all(|row| row.len() == width);
    if !is_even || width > l::CHART_DATASETS_MAX + 1 || grid.part.is_some() {
        return None;
    }
    let column = |at: usize| grid.rows.iter().map(|row| row[at].as_str()).collect();
    let columns: Vec<Vec<&str>> = (0..width).map(column).collect();
    let read = words::columns(&columns, "");
    let value = |cell: &Option<Quantity>| cell.as_ref()?.value();
    let values: Option<Vec<Vec<f64>>> = read[1..]
        .iter()
        .map(|column| column.iter().map(value).collect())
        .collect();
    let mut values = values?;
    let unit = |cell: &Option<Quantity>| cell.as_ref().and_then(|it| it.unit.clone());
    let first = unit(&read[1][0]);
    let is_one_unit = read[1..].iter().flatten().all(|cell| unit(cell) == first);
    let is_year = |cell: &&str| cell.parse().is_ok_and(|year: u32| YEARS.contains(&year));
    let has_years = columns[1..].iter().any(|column| column.iter().all(is_year));
    let drawn = is_one_unit && !has_years && !matches!(first, Some(Measure::Other(_)));
    let axis: Option<Vec<f64>> = read[0].iter().map(value).collect();
    let rises = |axis: &Vec<f64>| {
        axis.windows(2).all(|pair| pair[0] < pair[1])
            || axis.windows(2).all(|pair| pair[0] > pair[1])
    };
    let is_axis = axis.as_ref().is_some_and(rises);
    let times = columns[0].iter().all(|cell| is_time(cell));
    if !drawn || (axis.is_some() && !is_axis && !times) {
        return None;
    }
    let mut labels: Vec<String> = columns[0].iter().map(|cell| (*cell).to_owned()).collect();
    // The sum of all others would be larger than each of them; it stands in the table below.
    let has_table = grid.rows.len() <= ROWS_BELOW;
    let has_sum = !is_axis && !times && values.iter().all(|column| is_sum(column));
    if has_sum && !has_table {
        return None;
    }
    if has_sum {
        labels.pop();
        values
            .iter_mut()
            .for_each(|column| column.truncate(labels.len()));
    }
    let counts = l::CHART_LABELS_MIN..=l::CHART_LABELS_MAX;
    let narrow = |text: &String, most: u32| em_width(text) <= most as f32;
    let named = labels
        .iter()
        .all(|label| narrow(label, l::CHART_LABEL_EM) && !label.trim().is_empty());
    let sizes = || values.iter().flatten().map(|value| value.abs());
    let most = sizes().fold(0.0, f64::max);
    let least = sizes().filter(|size| *size > 0.0).fold(most, f64::min);
    let alike = most > 0.0 && least * MAGNITUDES >= most;
    if !counts.contains(&labels.len()) || !named || !alike || most > l::CHART_VALUE_MAX {
        return None;
    }
    let is_trend = (is_axis || times) && labels.len() > ROWS_BELOW;
    let is_wide = labels
        .iter()
        .any(|label| !narrow(label, l::CHART_LABEL_EM / 2));
    let kind = match (is_trend, is_wide) {
        (true, _) => spec::ChartKind::Line,
        (false, true) => spec::ChartKind::HorizontalBar,
        (false, false) => spec::ChartKind::Bar,
    };
    let series = grid.head[1..].iter().cloned().zip(values).collect();
    Some(Chart {
        kind,
        labels,
        series,
        has_table,
    })
}

/// Whether the last of at least three numbers is the sum of those before it.
fn is_sum(column: &[f64]) -> bool {
    let Some((last, others)) = column.split_last().filter(|(_, others)| others.len() > 1) else {
        return false;
    };
    let sum: f64 = others.iter().sum();
    (sum - last).abs() <= last.abs() * 1e-6 && *last != 0.0
}

/// Whether a word names a time: a year, a quarter, a month, a date, a phase.
pub fn is_time(text: &str) -> bool {
    let lower = folded(text);
    let quarter = lower.starts_with('q') && lower[1..].starts_with(|c: char| c.is_ascii_digit());
    let mut numbers = lower.split(|c: char| !c.is_ascii_digit());
    let year = numbers.any(|number| number.len() == 4);
    // A day may stand before its month.
    let is_day = |c: char| c.is_ascii_digit() || c.is_whitespace() || c == '.';
    let month = lower.trim_start_matches(is_day);
    let named = READING.first(month, "time").is_some_and(|word| {
        let is_ideographic = month[word.begin..].starts_with(is_ideographic);
        word.begin == 0 || is_ideographic
    });
    quarter || year || named
}
