//! The content of data files, in parts that have names, and the section of a report to which each part belongs.

use std::cmp::Reverse;

use domain::pipelines::course::tone::stands_in;
use intake::IntakeLimits;
use spec::source::{RichText, SourceDocument};

use crate::source::{Grid, Material, Unit, Words, file_stem};
use crate::wishes::terms;
use domain::sentences::sentences;

/// The longest name before a colon, in characters: a longer text is a clause.
const LABEL_CHARS: usize = 24;

/// Sentences, or a table, list or program, which are used as a whole or not at all; with their file, and the names that apply to them: the
/// name of the file, headings, and a caption or label.
#[derive(Clone, Debug)]
pub(crate) struct Part(pub(crate) String, pub(crate) Vec<String>, pub(crate) Unit);

#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    parts: Vec<Part>,
    /// Files that cannot be read, with the reason.
    pub(crate) unread: Vec<String>,
    /// What cannot be shown in a text.
    aside: Vec<String>,
}

impl Data {
    pub(crate) fn of<'a>(files: impl Iterator<Item = (&'a str, &'a str)>) -> Self {
        let mut data = Self::default();
        for (path, text) in files {
            match intake::read(path, text.as_bytes(), &IntakeLimits::default(), &|| false) {
                Ok(document) => data.take(path, &document),
                Err(refusal) => data.unread.push(format!("{path} ({refusal})")),
            }
        }
        data
    }

    pub(super) fn take(&mut self, path: &str, document: &SourceDocument) {
        let mut material = Material::default();
        material.take(document);
        let mut above: Vec<(u8, String)> = vec![(0, file_stem(path).to_owned())];
        for unit in material.units {
            if let Some(level) = unit.level() {
                above.retain(|(higher, _)| *higher < level);
                above.push((level, unit.name()));
                continue;
            }
            for unit in by_label(unit) {
                let mut names: Vec<String> = above.iter().map(|(_, name)| name.clone()).collect();
                if let Unit::Grid(grid) = &unit {
                    names.extend(grid.caption.clone());
                }
                names.extend(label(&unit).map(|(label, _)| label.to_owned()));
                self.parts.push(Part(path.to_owned(), names, unit));
            }
        }
        self.aside.extend(material.aside);
    }

    /// Names each table after the section whose template has a table with the same headings to be filled in.
    pub(crate) fn name_by_forms<'t>(&mut self, all: impl Iterator<Item = (&'t str, &'t str)>) {
        for (title, template) in all {
            for form in template.split("\n\n").filter_map(form) {
                let fitting = self.parts.iter_mut();
                let fitting = fitting.filter(|part| part.columns(&form).is_some());
                fitting.for_each(|part| part.1.push(title.to_owned()));
            }
        }
    }

    /// A table of a template, filled with the values that a table of the data has under the same headings; also returns the part of the
    /// data with that table.
    pub(crate) fn filled(&self, form: &Grid) -> Option<(&Part, Grid)> {
        let fitting = |part| Some((part, Part::columns(part, form)?));
        let Some((part, mut rows)) = self.parts.iter().find_map(fitting) else {
            return self.filled_by_names(form);
        };
        if !form.rows.iter().flatten().all(|cell| is_open(cell)) {
            let row = |own: &Vec<String>| {
                let known = rows.iter().find(|row| likeness(&row[0], &own[0]) == SAME);
                let cells = own.iter().zip(known.unwrap_or(own));
                let taken = cells.map(|(own, known)| if is_open(own) { known } else { own });
                taken.cloned().collect()
            };
            rows = form.rows.iter().map(row).collect();
        }
        let mut filled = form.clone();
        filled.rows = rows;
        Some((part, filled))
    }

    /// A table of names and values, filled with the values that the data has; also returns the part that has the first of these values.
    fn filled_by_names(&self, form: &Grid) -> Option<(&Part, Grid)> {
        let (mut form, mut from) = (form.clone(), None);
        let pairs = form.rows.iter_mut();
        for row in pairs.filter(|row| row.len() == 2 && is_open(&row[1])) {
            if let Some((part, value)) = self.value(&row[0]) {
                value.clone_into(&mut row[1]);
                from = from.or(Some(part));
            }
        }
        Some((from?, form))
    }

    /// The parts that belong to the section with this title among the titles.
    pub(crate) fn of_section(&self, titles: &[String], title: &str) -> Vec<&Part> {
        let is_in = |part: &&Part| part.section(titles).is_some_and(|named| named == title);
        self.parts.iter().filter(is_in).collect()
    }

    /// The names of parts that no section and no placeholder uses.
    pub(crate) fn left(&self, titles: &[String], filled: &[&str]) -> Vec<String> {
        let mut left = vec![];
        for part @ Part(_, names, unit) in &self.parts {
            let is_value = |(name, _)| filled.iter().any(|filled| likeness(filled, name) == SAME);
            if part.section(titles).is_none() && !label(unit).is_some_and(is_value) {
                left.push(format!("{}: {}", names.join(" / "), unit.name()));
            }
        }
        left.extend(self.aside.iter().cloned());
        left
    }

    /// The value that the data has under this name, with its part.
    pub(crate) fn value(&self, name: &str) -> Option<(&Part, &str)> {
        let pairs = self.parts.iter().flat_map(|part @ Part(_, _, unit)| {
            let Unit::Grid(grid) = unit else {
                let pair = label(unit).map(|(name, value)| (part, name, value));
                return pair.into_iter().collect();
            };
            let rows = grid
                .rows
                .iter()
                .chain([&grid.head])
                .filter(|row| row.len() == 2);
            rows.map(|row| (part, row[0].as_str(), row[1].as_str()))
                .collect::<Vec<_>>()
        });
        let mut named = pairs.filter(|(_, known, _)| likeness(known, name) == SAME);
        let (part, _, value) = named.next()?;
        Some((part, value.trim_end_matches('。')))
    }
}

/// A paragraph, divided: each sentence that begins with a name and a colon stands alone, the others stay together in their order.
fn by_label(unit: Unit) -> Vec<Unit> {
    let Unit::Para(words) = unit else {
        return vec![unit];
    };
    let text = &words.text;
    let said = sentences(text);
    let is_plain = |at: &std::ops::Range<usize>| named(&text[at.clone()]).is_none();
    let groups = said.chunk_by(|one, other| is_plain(one) && is_plain(other));
    let whole = groups.filter_map(|group| Some(&text[group.first()?.start..group.last()?.end]));
    let unit = |text| Unit::Para(Words::of(&RichText::plain(text)));
    whole.map(unit).collect()
}

/// A name before a colon, and what stands behind it.
fn named(sentence: &str) -> Option<(&str, &str)> {
    let (name, value) = sentence.split_once(['：', ':'])?;
    let is_name = name.chars().count() <= LABEL_CHARS && name.contains(char::is_alphabetic);
    let is_value = !value.trim().is_empty() && !value.starts_with("//");
    (is_name && is_value).then(|| (name.trim(), value.trim()))
}

fn label(unit: &Unit) -> Option<(&str, &str)> {
    let Unit::Para(words) = unit else { return None };
    named(&words.text)
}

/// Whether a cell of a template is to be filled in.
fn is_open(cell: &str) -> bool {
    cell.is_empty() || cell.starts_with(['（', '('])
}

/// The table with cells to be filled in that a block of a template is.
pub(crate) fn form(block: &str) -> Option<Grid> {
    let (limits, mut material) = (IntakeLimits::default(), Material::default());
    material.take(&intake::read("block.md", block.as_bytes(), &limits, &|| false).ok()?);
    let Some(Unit::Grid(mut grid)) = material.units.pop() else {
        return None;
    };
    if grid.head.is_empty() && grid.rows.len() == 1 {
        grid.head = grid.rows.remove(0);
    }
    let is_form = grid.rows.is_empty() || grid.rows.iter().flatten().any(|cell| is_open(cell));
    (is_form && material.units.is_empty()).then_some(grid)
}

impl Part {
    /// What its table has under the headings of another table, row by row; `None` if a heading is missing.
    fn columns(&self, form: &Grid) -> Option<Vec<Vec<String>>> {
        let Unit::Grid(grid) = &self.2 else {
            return None;
        };
        let place = |name: &String| {
            grid.head
                .iter()
                .position(|head| likeness(head, name) == SAME)
        };
        let places: Vec<usize> = form.head.iter().map(place).collect::<Option<_>>()?;
        let row = |row: &Vec<String>| {
            let cells = places.iter().map(|at| row.get(*at).cloned());
            cells.map(Option::unwrap_or_default).collect()
        };
        let rows = grid.rows.iter().map(row).collect();
        (!places.is_empty()).then_some(rows)
    }

    /// The section that names it best. Its own name counts more than a name above it, the same name more than a longer or shorter one, and
    /// its words count only where no name fits.
    fn section<'a>(&self, titles: &'a [String]) -> Option<&'a str> {
        let rate = |title: &str| {
            let names = self.1.iter().zip(1..);
            let rates = names.map(|(name, depth)| likeness(title, name) * 100 + depth);
            let text = format!(" {} ", bare(&self.2.name()));
            let has_it = bare(title).len() > 2 && stands_in(&text, &bare(title));
            let named = rates.filter(|rate| *rate >= 100).max();
            named.unwrap_or(usize::from(has_it))
        };
        let rated = titles.iter().zip(0..);
        let rated = rated.map(|(title, at)| (rate(title), Reverse(at), title));
        let (rate, _, title) = rated.max()?;
        (rate > 0).then_some(title.as_str())
    }
}

/// The likeness of two names that are the same.
const SAME: usize = 3;

/// How similar two names are: 3 if they are the same, 2 if one contains the other, 1 if they share a word.
fn likeness(one: &str, other: &str) -> usize {
    let (one, other) = (bare(one), bare(other));
    let within = |one: &str, other: &str| other.chars().count() > 1 && stands_in(one, other);
    if one == other && !one.is_empty() {
        SAME
    } else if within(&one, &other) || within(&other, &one) {
        2
    } else {
        usize::from(terms(&one).iter().any(|term| terms(&other).contains(term)))
    }
}

/// A name without its number, its case, and signs.
fn bare(name: &str) -> String {
    let lower = name.to_lowercase();
    let number = |c: char| c.is_ascii_digit() || "第一二三四五六七八九十章节、.（()） ".contains(c);
    let words = lower.trim_start_matches(number);
    let words = if words.is_empty() { &lower } else { words };
    let words = words.replace(|c: char| !c.is_alphanumeric() && c != ' ', "");
    words.trim().to_owned()
}
