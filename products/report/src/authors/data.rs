//! The content of data files, in parts that have names, and the section of a report to which each part belongs.

use std::collections::BTreeSet;

use intake::IntakeLimits;
use palimpsest::prelude::author::source::{Grid, Material, Unit, Words, file_stem};
use palimpsest::prelude::pipeline::sentences::sentences;
use palimpsest::prelude::pipeline::text::stands_in;
use spec::source::{RichText, SourceDocument};

use super::names::{Likeness, NameIndex, heading, key, likeness};

/// The longest name before a colon, in characters: a longer text is a clause.
const LABEL_CHARS: usize = 24;

/// A file as it was read.
#[derive(Clone, Copy, Debug)]
pub(crate) struct DataFile<'a> {
    pub(crate) path: &'a str,
    pub(crate) text: &'a str,
    /// Whether the text is not the file's own, but what is in the file as Markdown.
    pub(crate) is_turned: bool,
}

impl DataFile<'_> {
    /// The name by which the format of the text is recognised.
    fn name(&self) -> String {
        if self.is_turned {
            format!("{}.md", self.path)
        } else {
            self.path.to_owned()
        }
    }
}

/// Sentences, or a table, list or program, which are used as a whole or not at all; with their file, and the names that apply to them: the
/// name of the file, headings, and a caption or label.
#[derive(Clone, Debug)]
pub(crate) struct Part(pub(crate) String, pub(crate) Vec<String>, pub(crate) Unit);

#[derive(Clone, Debug, Default)]
pub(crate) struct Data {
    parts: Vec<Part>,
    /// The values that have names, each with the place of its part.
    values: Vec<(usize, String)>,
    /// The places of the values by their names.
    value_names: NameIndex,
    /// Files that cannot be read, with the reason.
    pub(crate) unread: Vec<String>,
    /// What cannot be shown in a text.
    aside: Vec<String>,
}

impl Data {
    pub(crate) fn of<'a>(files: impl Iterator<Item = DataFile<'a>>) -> Self {
        let mut data = Self::default();
        for file in files {
            let DataFile { path, text, .. } = file;
            match intake::read(
                &file.name(),
                text.as_bytes(),
                &IntakeLimits::default(),
                &|| false,
            ) {
                Ok(document) => data.take(path, &document),
                Err(refusal) => data.unread.push(format!("{path} ({refusal})")),
            }
        }
        data
    }

    pub(crate) fn take(&mut self, path: &str, document: &SourceDocument) {
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
                self.name_values(&above, &unit);
                self.parts.push(Part(path.to_owned(), names, unit));
            }
        }
        self.aside.extend(material.aside);
    }

    /// Adds the values of a unit that is the next part, under their names, and under those of the headings above it with dots between them,
    /// as in `contact.name`.
    fn name_values(&mut self, above: &[(u8, String)], unit: &Unit) {
        for (name, value) in values(unit) {
            let place = self.values.len();
            self.values.push((self.parts.len(), value.to_owned()));
            self.value_names.add(name, place);
            let mut path = name.to_owned();
            for (_, heading) in above.iter().skip(1).rev() {
                path = format!("{heading}.{path}");
                self.value_names.add(&path, place);
            }
        }
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
            let names = NameIndex::of(rows.iter().map(|row| row[0].as_str()));
            let row = |own: &Vec<String>| {
                let known = own.first().and_then(|name| names.find(name));
                let cells = own.iter().zip(known.map_or(own, |at| &rows[at]));
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
        let used = filled.iter().filter_map(|name| self.value_names.find(name));
        let used: BTreeSet<usize> = used.collect();
        let mut left = vec![];
        for (at, part @ Part(_, names, unit)) in self.parts.iter().enumerate() {
            let own = used.iter().filter(|place| self.values[**place].0 == at);
            let is_used = match unit {
                Unit::Para(_) => own.count() == 1,
                Unit::List(items) => own.count() == items.len(),
                Unit::Heading(..) | Unit::Grid(_) | Unit::Code(..) | Unit::Picture(..) => false,
            };
            if part.section(titles).is_none() && !is_used {
                left.push(format!("{}: {}", names.join(" / "), unit.name()));
            }
        }
        left.extend(self.aside.iter().cloned());
        left
    }

    /// The value that the data has under this name, with its part.
    pub(crate) fn value(&self, name: &str) -> Option<(&Part, &str)> {
        let (part, value) = &self.values[self.value_names.find(name)?];
        Some((&self.parts[*part], value))
    }
}

/// The names and values in a unit, character for character as they stand there.
fn values(unit: &Unit) -> Vec<(&str, &str)> {
    match unit {
        Unit::Para(_) => {
            let pair = label(unit).map(|(name, value)| (name, value.trim_end_matches('。')));
            pair.into_iter().collect()
        }
        Unit::List(items) => items.iter().filter_map(|item| pair(&item.2.text)).collect(),
        Unit::Grid(grid) => {
            let is_said = |cell: &String| !cell.trim().is_empty();
            let rows = grid.rows.iter().chain([&grid.head]);
            let pairs = rows.filter(|row| row.len() == 2 && row.iter().all(is_said));
            pairs
                .map(|row| (row[0].as_str(), row[1].as_str()))
                .collect()
        }
        Unit::Heading(..) | Unit::Code(..) | Unit::Picture(..) => vec![],
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
    let is_label =
        |name: &str| name.chars().count() <= LABEL_CHARS && name.contains(char::is_alphabetic);
    pair(sentence).filter(|(name, _)| is_label(name))
}

/// What stands before the first colon, and what stands behind it.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (name, value) = text.split_once(['：', ':'])?;
    let is_pair = !name.trim().is_empty() && !value.trim().is_empty() && !value.starts_with("//");
    is_pair.then(|| (name.trim(), value.trim()))
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
        let heads = NameIndex::of(grid.head.iter().map(String::as_str));
        let places = form.head.iter().map(|name| heads.find(name));
        let places: Vec<usize> = places.collect::<Option<_>>()?;
        let row = |row: &Vec<String>| {
            let cells = places.iter().map(|at| row.get(*at).cloned());
            cells.map(Option::unwrap_or_default).collect()
        };
        let rows = grid.rows.iter().map(row).collect();
        (!places.is_empty()).then_some(rows)
    }

    /// The section that names it best: a heading of the same name above it comes first, then the name of the file and longer and shorter
    /// names, and shared words. Its words count only where no name fits. If several sections differ from its name in their ordinals alone,
    /// it is unknown which is meant.
    fn section<'a>(&self, titles: &'a [String]) -> Option<&'a str> {
        let own_words = format!(" {} ", key(&self.2.name()));
        let rated = titles.iter().map(|title| self.fit(title, &own_words));
        let rated: Vec<Fit> = rated.collect();
        let best = rated.iter().max().filter(|fit| **fit > Fit::None)?;
        let mut fitting = titles.iter().zip(&rated).filter(|(_, fit)| *fit == best);
        let (title, _) = fitting.next()?;
        let is_loose = matches!(
            best,
            Fit::Heading(Likeness::Unnumbered, _) | Fit::File(Likeness::Unnumbered)
        );
        let is_open = is_loose && fitting.next().is_some();
        (!is_open).then_some(title.as_str())
    }

    /// How well a section fits it.
    fn fit(&self, title: &str, own_words: &str) -> Fit {
        let rate = |(depth, name): (usize, &String)| match likeness(title, name) {
            Likeness::None => Fit::None,
            alike @ (Likeness::Same | Likeness::Unnumbered) if depth == 0 => Fit::File(alike),
            alike @ (Likeness::Same | Likeness::Unnumbered) => Fit::Heading(alike, depth),
            alike @ (Likeness::Within | Likeness::Words) => Fit::Similar(alike, depth),
        };
        let best = self.1.iter().enumerate().map(rate).max();
        let title = key(title);
        let title = heading(&title);
        let has_it = title.len() > 2 && stands_in(own_words, title);
        best.unwrap_or(Fit::None)
            .max([Fit::None, Fit::Said][usize::from(has_it)])
    }
}

/// How well a section fits a part, the weakest first. Of equal names, the one nearest to the part counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Fit {
    None,
    /// The words of the part have the title.
    Said,
    Similar(Likeness, usize),
    /// The file has the same name.
    File(Likeness),
    /// A heading above it, or its caption or label, has the same name.
    Heading(Likeness, usize),
}
