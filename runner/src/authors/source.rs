//! A source as units that are used as a whole or not at all, each with its words unchanged.

mod grid;

use std::collections::BTreeMap;
use std::ops::Range;

use domain::carry::{Source, Work};
pub use domain::pictures::file_stem;
use spec::limits as l;
use spec::source::{
    BlockContent, ListItem, NoteKind, RichText, SourceDocument, SourceTable, TextMarks, TextPiece,
};
use spec::text::{em_width, linked, literal, plain};

use domain::understanding::pictures;
use words::sentences::sentences;

use super::words as own;
pub(crate) use grid::even_runs;
pub use grid::{Grid, TablePart};

/// Words of a source, and how they are set there.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Words {
    pub text: String,
    marks: Vec<Mark>,
    /// The formulas in it, as they are written there.
    pub formulas: Vec<String>,
    /// Whether the source marks them as a quotation.
    pub is_quoted: bool,
}

/// Words that are bold, or that are a link.
#[derive(Clone, Debug, PartialEq)]
struct Mark {
    at: Range<usize>,
    bold: bool,
    link: Option<String>,
}

/// A line of a list, or a note: its level, the sign before it (nothing for a bullet), its words.
#[derive(Clone, Debug)]
pub struct Item(pub u8, pub Option<String>, pub Words);

/// A unit that is used as a whole or not at all.
#[derive(Clone, Debug)]
pub enum Unit {
    Heading(u8, Words),
    Para(Words),
    List(Vec<Item>),
    Grid(Grid),
    Code(Option<String>, Vec<String>),
    /// A file of the run: what it shows, in words (or its name, if no words are given), and the hash of its bytes.
    Picture(String, String),
}

/// All that a run is given to place.
#[derive(Clone, Debug, Default)]
pub struct Material {
    pub units: Vec<Unit>,
    /// What a speaker says, by the unit before it.
    pub spoken: BTreeMap<usize, Vec<String>>,
    /// The names of what no page can hold: pictures, addresses of links, remarks of readers, rows with a cell that is too long; and of
    /// words that the source has struck through.
    pub aside: Vec<String>,
    is_for_pages: bool,
    /// Whether the rows of each page are a unit, so that a page can have a part of a table.
    divides_tables: bool,
    /// Files that are pictures, by path, with their hashes; a picture is removed from here when it is placed.
    pictures: BTreeMap<String, String>,
    /// The pictures in the file that is being read, by their blocks: what each shows, and its hash.
    carried: BTreeMap<usize, (String, String)>,
    /// The folder of the file that is being read.
    folder: String,
    /// Whether what is left out is named in Chinese.
    is_chinese: bool,
}

impl Unit {
    /// Whether no layout can take it without cutting it.
    fn is_beyond_a_page(&self) -> bool {
        let is_wide = |text: &str, most: u32| f64::from(em_width(text)) > f64::from(most);
        match self {
            Self::Heading(_, words) => is_wide(&words.text, l::PASSAGE_TEXT_EM),
            Self::Para(words) => sentences(&words.text)
                .into_iter()
                .any(|at| is_wide(&words.text[at], l::PASSAGE_TEXT_EM)),
            Self::List(items) => items
                .iter()
                .any(|item| is_wide(&item.2.text, l::PASSAGE_TEXT_EM)),
            Self::Code(_, lines) => lines
                .iter()
                .any(|line| line.chars().count() > l::CODE_LINE_CHARS),
            // Of a table, the rows that fit are taken.
            Self::Grid(_) | Self::Picture(..) => false,
        }
    }
}

impl Words {
    /// The words without those that are struck through: the source has withdrawn them, and a slot of a page has no mark that would say so.
    pub fn of(rich: &RichText) -> Self {
        let mut words = Self::default();
        let mut after_withdrawn = false;
        for piece in &rich.pieces {
            if piece.marks.strike {
                after_withdrawn = true;
                continue;
            }
            let start = words.text.len();
            let text = written(piece);
            // The blanks on both sides of withdrawn words would stand beside each other.
            let is_apart = words.text.is_empty() || words.text.ends_with(char::is_whitespace);
            let text = if std::mem::take(&mut after_withdrawn) && is_apart {
                text.trim_start_matches(' ')
            } else {
                &text
            };
            words.text.push_str(text);
            let end = words.text.len();
            if piece.marks.formula {
                words.formulas.push(words.text[start..end].to_owned());
            } else if piece.marks.bold || piece.link.is_some() {
                words.marks.push(Mark {
                    at: start..end,
                    bold: piece.marks.bold,
                    link: piece.link.clone(),
                });
            }
        }
        words
    }

    /// Where the bold words end with which it begins, if there are others behind them.
    pub fn bold_lead(&self) -> Option<usize> {
        let first = self.marks.first().filter(|mark| mark.bold)?;
        let is_first = self.text[..first.at.start].trim().is_empty();
        let has_more = !self.text[first.at.end..].trim().is_empty();
        (is_first && has_more).then_some(first.at.end)
    }

    /// A part of them.
    pub fn part(&self, at: &Range<usize>) -> Self {
        let inside = |mark: &Mark| {
            let (start, end) = (mark.at.start.max(at.start), mark.at.end.min(at.end));
            (start < end).then(|| Mark {
                at: start - at.start..end - at.start,
                ..mark.clone()
            })
        };
        Self {
            text: self.text[at.clone()].to_owned(),
            marks: self.marks.iter().filter_map(inside).collect(),
            formulas: self.formulas.clone(),
            is_quoted: self.is_quoted,
        }
    }

    /// The lines in it, none of them blank.
    pub fn lines(&self) -> Vec<Range<usize>> {
        let mut start = 0;
        let mut lines = vec![];
        for line in self.text.split('\n') {
            let at = start + line.len() - line.trim_start().len();
            lines.push(at..at + line.trim().len());
            start += line.len() + 1;
        }
        lines.retain(|line| !line.is_empty());
        lines
    }

    /// The text on one line, as headings and cells have it.
    pub fn line(&self) -> String {
        let lines: Vec<&str> = self.lines().into_iter().map(|at| &self.text[at]).collect();
        lines.join(" ")
    }

    /// The same in the form for a slot.
    fn slot(&self) -> String {
        let lines: Vec<String> = self.lines().iter().map(|at| self.marked(at)).collect();
        lines.join(" ")
    }

    /// Each sentence.
    pub fn said(&self) -> Vec<&str> {
        let at = sentences(&self.text).into_iter();
        at.map(|at| &self.text[at]).collect()
    }

    /// A part of them as a slot takes it, with its bold words, links and formulas marked.
    pub fn marked(&self, range: &Range<usize>) -> String {
        // Beside a number, marks of bold words are taken for signs of powers. There, nothing is bold.
        let bold = self.with_marks(range, true);
        let text = match plain(&bold) == self.text[range.clone()] {
            true => bold,
            false => self.with_marks(range, false),
        };
        with_formulas(text, &self.formulas)
    }

    fn with_marks(&self, range: &Range<usize>, takes_bold: bool) -> String {
        let (mut text, mut at) = (String::new(), range.start);
        for mark in &self.marks {
            let (start, end) = (mark.at.start.max(at), mark.at.end.min(range.end));
            let inside = self.text.get(start..end).unwrap_or_default();
            let said = inside.trim();
            // Marks beside an asterisk would be taken for text.
            let is_bold = mark.bold && takes_bold && !said.contains('*');
            if said.is_empty() || !(is_bold || mark.link.is_some()) {
                continue;
            }
            let start = start + inside.len() - inside.trim_start().len();
            text += &literal(&self.text[at..start]);
            at = start + said.len();
            let words = literal(said);
            let words = match &mark.link {
                Some(address) => linked(&words, address),
                None => words,
            };
            text += &if is_bold {
                format!("**{words}**")
            } else {
                words
            };
        }
        text + &literal(&self.text[at..range.end])
    }
}

/// A text for a slot, in which these formulas are formulas and all other signs are plain text.
pub fn with_formulas(slot: String, formulas: &[String]) -> String {
    formulas.iter().fold(slot, |slot, formula| {
        slot.replace(&literal(formula), formula)
    })
}

/// A piece as it is written on a line. A formula stays as the source writes it.
fn written(piece: &TextPiece) -> String {
    const PLAIN: &str = "0123456789+-=()n−";
    let text: String = piece.text.chars().filter_map(shown).collect();
    let (sign, small) = match &piece.marks {
        marks if marks.formula => return format!("${text}$"),
        marks if marks.superscript => ('^', "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁼⁽⁾ⁿ⁻"),
        marks if marks.subscript => ('_', "₀₁₂₃₄₅₆₇₈₉₊₋₌₍₎ₙ₋"),
        _ => return text,
    };
    // Raised or lowered characters are used if there are such for all characters; otherwise the text stands in brackets after the sign.
    let place = |c| PLAIN.chars().position(|known| known == c);
    let one = |c| small.chars().nth(place(c)?);
    let all: Option<String> = text.chars().map(one).collect();
    all.unwrap_or_else(|| format!("{sign}({text})"))
}

/// A character that cannot stand on a line becomes a blank; marks that reorder the text around them are dropped.
fn shown(c: char) -> Option<char> {
    match c {
        '\n' | '\u{2028}' | '\u{2029}' => Some('\n'),
        '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}' => None,
        c => Some(if c.is_control() { ' ' } else { c }),
    }
}

impl Unit {
    /// The level, if this is a heading.
    pub fn level(&self) -> Option<u8> {
        match self {
            Self::Heading(level, _) => Some(*level),
            Self::Para(_) | Self::List(_) | Self::Grid(_) | Self::Code(..) | Self::Picture(..) => {
                None
            }
        }
    }

    /// The first text in it, by which it can be named; never a part of a sentence or a row.
    pub fn name(&self) -> String {
        let texts: Vec<&str> = match self {
            Self::Heading(_, words) => return words.line(),
            Self::Para(_) | Self::List(_) => self.said(),
            Self::Code(_, lines) => lines.iter().map(String::as_str).collect(),
            Self::Picture(alt, _) => vec![alt.as_str()],
            Self::Grid(grid) => return grid.name(),
        };
        let mut texts = texts.iter().filter(|text| !text.trim().is_empty());
        (*texts.next().unwrap_or(&"")).to_owned()
    }

    /// Its sentences; none of what cannot be read out.
    pub fn said(&self) -> Vec<&str> {
        match self {
            Self::Heading(_, words) | Self::Para(words) => words.said(),
            Self::List(items) => items.iter().flat_map(|item| item.2.said()).collect(),
            Self::Grid(_) | Self::Code(..) | Self::Picture(..) => vec![],
        }
    }
}

impl Material {
    /// What the sources of a run say, one after the other, with the pictures in them.
    pub fn of(work: &Work) -> Self {
        Self::with(work, !pictures::are_unwanted_anywhere(work), false)
    }

    /// The same, with the rows of a table that one page holds as a unit of their own.
    pub fn by_pages(work: &Work) -> Self {
        Self::with(work, !pictures::are_unwanted_anywhere(work), true)
    }

    /// The same for pages that show only pictures that are files: pictures inside documents are named instead.
    pub fn of_files(work: &Work) -> Self {
        Self::with(work, false, false)
    }

    fn with(work: &Work, shows_carried: bool, divides_tables: bool) -> Self {
        let mut material = Self {
            is_for_pages: true,
            divides_tables,
            is_chinese: work.is_chinese(),
            ..Self::default()
        };
        for source in work.sources.iter().filter(|source| is_shown(source)) {
            let hash = source.sha256.to_string();
            material.pictures.insert(source.path.clone(), hash);
        }
        for source in work.sources.iter().filter(|source| !is_shown(source)) {
            let carried = source.pictures.iter().filter(|_| shows_carried);
            let carried = carried.map(|it| (it.block, (it.shows.clone(), it.sha256.to_string())));
            material.carried = carried.collect();
            let (folder, _) = source.path.rsplit_once('/').unwrap_or_default();
            folder.clone_into(&mut material.folder);
            let first = source.document.blocks.first().map(|block| &block.content);
            if !matches!(first, Some(BlockContent::Heading { .. })) && !material.units.is_empty() {
                // Without this heading, its words would stand under the last heading of the file before it.
                let name = RichText::plain(file_stem(&source.path));
                material.units.push(Unit::Heading(1, Words::of(&name)));
            }
            material.take(&source.document);
        }
        // Pictures to which no source refers come last.
        for (path, hash) in std::mem::take(&mut material.pictures) {
            let stem = file_stem(&path).to_owned();
            let name = RichText::plain(stem.as_str());
            let picture = Unit::Picture(stem, hash);
            material
                .units
                .extend([Unit::Heading(1, Words::of(&name)), picture]);
        }
        material
    }

    /// The picture file to which a source refers. It is placed only once.
    fn picture(&mut self, reference: &str, alt: &str) -> Option<Unit> {
        let reference = reference.trim_start_matches("./");
        let beside = format!("{}/{reference}", self.folder);
        let path = [beside.trim_start_matches('/'), reference].into_iter();
        let (path, hash) = path
            .filter_map(|path| self.pictures.remove_entry(path))
            .next()?;
        let alt = [alt, file_stem(&path)][usize::from(alt.trim().is_empty())].to_owned();
        Some(Unit::Picture(alt, hash))
    }

    pub fn take(&mut self, document: &SourceDocument) {
        for (at, block) in document.blocks.iter().enumerate() {
            self.take_block(at, &block.content);
        }
        for left in &document.omissions {
            let name = format!("{} ({}): {}", left.what, left.location, left.why);
            self.aside.push(name);
        }
    }

    /// Words on a line that cannot have links; the addresses of the links are named instead.
    fn line(&mut self, rich: &RichText) -> Words {
        self.name_unshown(rich, false);
        Words::of(rich)
    }

    /// Names the words that are struck through, and the addresses of links that are not in the shown text: the words alone, or with the
    /// links that a page can have.
    fn name_unshown(&mut self, rich: &RichText, keeps_links: bool) {
        let withdrawn = rich
            .pieces
            .chunk_by(|one, other| one.marks.strike == other.marks.strike);
        for run in withdrawn.filter(|run| run[0].marks.strike) {
            let words: String = run.iter().map(|piece| piece.text.as_str()).collect();
            let words = words.split_whitespace().collect::<Vec<_>>().join(" ");
            if !words.is_empty() {
                let label = own::WITHDRAWN.in_language(self.is_chinese);
                self.aside.push(format!("{label}{words}"));
            }
        }
        let words = Words::of(rich);
        let shown = if keeps_links {
            words.marked(&(0..words.text.len()))
        } else {
            words.text
        };
        let links = rich.pieces.iter().filter_map(|piece| piece.link.clone());
        self.aside
            .extend(links.filter(|link| !shown.contains(link.as_str())));
    }

    /// Words that keep their links. An address to which a page cannot link is named instead.
    fn words(&mut self, rich: &RichText) -> Words {
        self.name_unshown(rich, self.is_for_pages);
        Words::of(rich)
    }

    fn take_block(&mut self, at: usize, block: &BlockContent) {
        let unit = match block {
            BlockContent::Heading { level, text } => Unit::Heading(*level, self.line(text)),
            BlockContent::Paragraph(text) => Unit::Para(self.words(text)),
            BlockContent::Quotation(all) => {
                let quoted = |text| Words {
                    is_quoted: true,
                    ..self.words(text)
                };
                let texts: Vec<Words> = all.iter().map(quoted).collect();
                return self.units.extend(texts.into_iter().map(Unit::Para));
            }
            BlockContent::List(items) => {
                let item =
                    |line: &ListItem| Item(line.level, line.marker.sign(), self.words(&line.text));
                let mut items: Vec<Item> = items.iter().map(item).collect();
                items.retain(|item| !item.2.text.trim().is_empty());
                Unit::List(items)
            }
            BlockContent::Table(table) => return self.take_table(table),
            BlockContent::Code { language, text } => Unit::Code(language.clone(), code_lines(text)),
            BlockContent::Formula(text) => {
                let line: Vec<&str> = text.split_whitespace().collect();
                let mut formula = RichText::default();
                let marks = TextMarks {
                    formula: true,
                    ..TextMarks::default()
                };
                formula.push(line.join(" "), marks, None);
                Unit::Para(Words::of(&formula))
            }
            BlockContent::Picture(picture) => {
                if let Some((shows, hash)) = self.carried.remove(&at) {
                    return self.units.push(Unit::Picture(shows, hash));
                }
                if let Some(unit) = self.picture(&picture.reference, &picture.alt) {
                    return self.units.push(unit);
                }
                let names = [picture.alt.clone(), picture.reference.clone()].into_iter();
                return self.aside.extend(names.filter(|name| !name.is_empty()));
            }
            BlockContent::Note { kind, label, text } => {
                let words = self.words(text);
                match kind {
                    NoteKind::Footnote => Unit::List(vec![Item(0, label.clone(), words)]),
                    NoteKind::Speaker => {
                        let last = self.units.len().saturating_sub(1);
                        return self.spoken.entry(last).or_default().push(words.text);
                    }
                    NoteKind::Comment | NoteKind::Furniture => {
                        return self.aside.push(words.line());
                    }
                }
            }
        };
        if self.is_for_pages && unit.is_beyond_a_page() {
            return self.aside.push(unit.name());
        }
        let is_blank = unit.name().trim().is_empty();
        self.units.extend((!is_blank).then_some(unit));
    }

    /// Takes the rows that fit. Rows with a cell beyond every page are counted and named.
    fn take_table(&mut self, table: &SourceTable) {
        let grid = Grid::of(table);
        let long = match self.is_for_pages {
            true => grid.too_long(),
            false => vec![],
        };
        let heads = table.rows.len() - grid.rows.len();
        for (at, row) in table.rows.iter().enumerate() {
            let is_long = at >= heads && long.binary_search(&(at - heads)).is_ok();
            for cell in row {
                self.name_unshown(cell, self.is_for_pages && !is_long);
            }
        }
        let name = grid.name();
        if !long.is_empty() {
            let (label, of) = (own::LONG_ROWS, own::OF);
            let [label, of] = [label, of].map(|own| own.in_language(self.is_chinese));
            let (count, all) = (long.len(), grid.rows.len());
            self.aside.push(format!("{label}{count}{of}{all}: {name}"));
        }
        if name.trim().is_empty() {
            return;
        }
        let grids = if self.is_for_pages {
            grid.fitting(&long, self.divides_tables)
        } else {
            vec![grid]
        };
        self.units.extend(grids.into_iter().map(Unit::Grid));
    }
}

/// A picture that pages can show.
fn is_shown(source: &Source) -> bool {
    source.is_picture() && !source.pictures.is_empty()
}

/// How many blank lines in a row stay: a page that has only blank lines says nothing.
const BLANK_LINES_MAX: usize = 4;

/// The lines of a program, without the blank ones around it.
fn code_lines(text: &str) -> Vec<String> {
    let mut blank = 0;
    let lines = text
        .trim_end()
        .lines()
        .skip_while(|line| line.trim().is_empty());
    let lines = lines.filter(|line| {
        blank = if line.trim().is_empty() { blank + 1 } else { 0 };
        blank <= BLANK_LINES_MAX
    });
    lines.map(str::to_owned).collect()
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn a_sign_that_is_bold_is_no_mark_of_what_follows() {
        let mut rich = RichText::default();
        let bold = TextMarks {
            bold: true,
            ..TextMarks::default()
        };
        rich.push("*.", bold, None);
        rich.push("0", TextMarks::default(), None);
        let words = Words::of(&rich);
        assert_eq!(plain(&words.marked(&(0..words.text.len()))), "*.0");
    }

    proptest! {
        #[test]
        fn words_say_the_same_with_their_marks(
            pieces in prop::collection::vec(("[0-9a-z(*) ….$-]{1,5}", any::<(bool, bool)>()), 1..6),
        ) {
            let mut rich = RichText::default();
            for (text, (bold, subscript)) in pieces {
                rich.push(text, TextMarks { bold, subscript, ..TextMarks::default() }, None);
            }
            let words = Words::of(&rich);
            prop_assert_eq!(plain(&words.marked(&(0..words.text.len()))), words.text);
        }
    }
}
