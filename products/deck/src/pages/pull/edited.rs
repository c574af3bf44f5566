//! A slide with the edits that its pages in the file have now. Where a shape still has the text with which it was drawn, the deck's own
//! text stays, with its marks; what a page cannot show stays too.

use sdsl::{Bullet, Cell, Column, Line, Prose, Slide, Stat, Step};
use spec::CONTINUED_MARKS;
use spec::drawn::{DrawnKind, DrawnShape};
use spec::source::{RichText, SourceBlock};

use super::super::import::LeftOver;
use super::super::parts;
use super::element::{Element, Field};
use super::lists::{
    Block, Said, blocks_of, cell, code, edited_line, joined, notes, paragraphs, points, prose, said,
};
use super::pages::SHAPE_ALIKE;
use super::shown::{column_texts, lead};
use super::words::{collapsed, edited, likeness, lines};
use super::{Around, Found};

/// The shapes of the pages that show one slide.
#[derive(Default)]
pub(super) struct SlideShapes<'a> {
    /// The first of its pages in the file, from 1.
    pub(super) page: usize,
    /// The shapes, each with the number of the slide's part that its page shows.
    pub(super) shapes: Vec<(usize, Element, &'a DrawnShape)>,
    pub(super) notes: Vec<&'a DrawnShape>,
}

/// Reads one slide back.
pub(super) struct Editing<'a> {
    pub(super) around: &'a Around<'a>,
    pub(super) blocks: &'a [SourceBlock],
    pub(super) shapes: &'a SlideShapes<'a>,
    pub(super) found: &'a mut Found,
}

/// What became of a text that stands in a box of its own.
enum Edit {
    Same,
    Gone,
    New(RichText),
}

impl Editing<'_> {
    /// The slide after its edits.
    pub(super) fn slide(&mut self, written: &Slide) -> Slide {
        let mut slide = written.clone();
        slide.heading = self.heading(written);
        slide.subheading = self.subheading(written);
        slide.body = self.body(written);
        slide.bullets = self.bullets(written);
        slide.columns = self.columns(written);
        slide.stats = self.stats(written);
        slide.timeline = self.timeline(written);
        self.compare(written, &mut slide);
        self.chart(written, &mut slide);
        self.actions(written, &mut slide);
        slide.exhibit_label = self.line(Element::Exhibit, written.exhibit_label.as_ref());
        slide.footnotes = self.footnotes(written);
        slide.source = self.source(written);
        slide.speaker_notes = self.notes(written);
        self.picture(written, &mut slide);
        self.front_matter();
        slide
    }

    pub(super) fn leave(&mut self, what: impl Into<String>, why: &str) {
        self.found.left.push(LeftOver {
            slide: self.shapes.page,
            what: what.into(),
            why: why.to_owned(),
        });
    }

    pub(super) fn of(&self, fits: impl Fn(Element) -> bool) -> impl Iterator<Item = &DrawnShape> {
        let shapes = self.shapes.shapes.iter();
        shapes
            .filter(move |(_, element, _)| fits(*element))
            .map(|(_, _, shape)| *shape)
    }

    pub(super) fn has(&self, fits: impl Fn(Element) -> bool) -> bool {
        self.of(fits).next().is_some()
    }

    /// What a box says now; where several pages have the box, the one that was changed.
    fn alone(&self, element: Element, written: &str) -> Edit {
        let mut edit = Edit::Gone;
        for shape in self.of(|known| known == element) {
            let text = whole(shape);
            if text.is_blank() {
                continue;
            }
            if edited(written, &text, false).is_some() {
                return Edit::New(text);
            }
            edit = Edit::Same;
        }
        edit
    }

    fn line(&self, element: Element, written: Option<&Line>) -> Option<Line> {
        let written = written?;
        match self.alone(element, written.as_str()) {
            Edit::Same => Some(written.clone()),
            Edit::Gone => None,
            Edit::New(text) => edited_line(Some(written), &text),
        }
    }

    /// The subheading: a layout of a template may have it and the byline in one placeholder.
    fn subheading(&self, written: &Slide) -> Option<Line> {
        let subheading = written.subheading.as_ref()?;
        let apart = self.has(|element| element == Element::Byline);
        let byline = self.around.byline.as_deref().filter(|_| !apart);
        let mut found = None;
        for shape in self.of(|element| element == Element::Subheading) {
            let mut text = whole(shape);
            if let Some(byline) = byline {
                text = without_end(text, byline);
            }
            if text.is_blank() {
                continue;
            }
            let new = edited_line(Some(subheading), &text);
            if new.as_ref() != Some(subheading) {
                return new;
            }
            found = new;
        }
        found
    }

    pub(super) fn field(&self, element: Element, written: &Cell) -> Cell {
        match self.alone(element, written.as_str()) {
            Edit::Same => written.clone(),
            Edit::Gone => Cell::default(),
            Edit::New(text) => cell(&edited(written.as_str(), &text, false).unwrap_or_default()),
        }
    }

    /// The heading: on further pages it also says that the slide is continued.
    fn heading(&self, written: &Slide) -> Option<Line> {
        let heading = written.heading.as_ref()?;
        let mut found = None;
        for shape in self.of(|element| element == Element::Heading) {
            let text = whole(shape);
            let text = without_mark(text, heading.as_str());
            if text.is_blank() {
                continue;
            }
            let new = edited_line(Some(heading), &text);
            if new.as_ref() != Some(heading) {
                return new;
            }
            found = new;
        }
        found
    }

    fn body(&self, written: &Slide) -> Option<Prose> {
        let old = blocks_of(written.body.as_ref());
        let mut new: Vec<Block> = Vec::new();
        let mut from = 0;
        while from < old.len() {
            if let Block::Code(info, text) = &old[from] {
                let shapes = self.of(|element| element == Element::Code(from + 1));
                let lines: Vec<_> = shapes.flat_map(|shape| shape.paragraphs.clone()).collect();
                if !lines.is_empty() {
                    new.push(Block::Code(info.clone(), code(text, &lines)));
                }
                from += 1;
                continue;
            }
            let to = old[from..]
                .iter()
                .position(|block| matches!(block, Block::Code(..)));
            let to = to.map_or(old.len(), |count| from + count);
            let within =
                |element: Element| matches!(element, Element::Body(at) if at > from && at <= to);
            let drawn = old[from..to].iter().map(|block| match block {
                Block::Text(text) | Block::Code(_, text) => text.clone(),
            });
            let said = joined(self.boxes(within), &drawn.collect::<Vec<_>>());
            new.extend(paragraphs(&old[from..to], &said));
            from = to;
        }
        if new == old {
            return written.body.clone();
        }
        prose(&new)
    }

    fn boxes(&self, fits: impl Fn(Element) -> bool) -> Vec<Vec<Said>> {
        self.of(fits).map(|shape| said(&shape.paragraphs)).collect()
    }

    fn bullets(&self, written: &Slide) -> Vec<Bullet> {
        let in_one = |element: Element| matches!(element, Element::Points(_));
        if self.has(in_one) {
            let drawn: Vec<String> = written
                .bullets
                .iter()
                .map(|bullet| parts::shown(&bullet.text))
                .collect();
            return points(&written.bullets, &joined(self.boxes(in_one), &drawn));
        }
        let bullets = written.bullets.iter().zip(1..);
        let bullets = bullets.filter_map(|(bullet, at)| {
            let parts = [
                Element::Point(at),
                Element::PointLead(at),
                Element::PointRest(at),
            ];
            if bullet.text.is_empty() {
                return Some(bullet.clone());
            }
            if !self.has(|element| parts.contains(&element)) {
                return None;
            }
            let text = match lead(bullet) {
                Some((lead, rest)) if !self.has(|element| element == Element::Point(at)) => {
                    self.lead_and_rest(at, bullet, &lead, &rest)
                }
                Some(_) | None => self.field(Element::Point(at), &bullet.text),
            };
            (!text.is_empty()).then(|| Bullet {
                text,
                ..bullet.clone()
            })
        });
        bullets.collect()
    }

    /// A point whose bold lead is shown above the rest of its text.
    fn lead_and_rest(&self, at: usize, bullet: &Bullet, lead: &str, rest: &str) -> Cell {
        let now = |element: Element, old: &str| match self.alone(element, old) {
            Edit::Same => old.to_owned(),
            Edit::Gone => String::new(),
            Edit::New(text) => edited(old, &text, false).unwrap_or_default(),
        };
        let new_lead = now(Element::PointLead(at), lead);
        let new_rest = now(Element::PointRest(at), rest);
        if new_lead == lead && new_rest == rest {
            return bullet.text.clone();
        }
        match (new_lead.is_empty(), new_rest.is_empty()) {
            (true, _) => cell(&new_rest),
            (false, true) => cell(&format!("**{new_lead}**")),
            (false, false) => {
                // The text between the lead and the rest stays as it was written.
                let behind = bullet.text.as_str().strip_prefix("**");
                let behind = behind.and_then(|text| text.split_once("**"));
                let gap = behind.is_none_or(|(_, text)| text.starts_with([' ', '\t']));
                let gap = if gap { " " } else { "" };
                cell(&format!("**{new_lead}**{gap}{new_rest}"))
            }
        }
    }

    fn columns(&self, written: &Slide) -> Vec<Column> {
        let columns = written.columns.iter().zip(1..);
        let columns = columns.filter_map(|(column, number)| {
            let text =
                |element: Element| matches!(element, Element::ColumnText(of, _) if of == number);
            let heading = |element: Element| element == Element::ColumnHeading(number);
            let silent = column.title.is_none() && column_texts(column).is_empty();
            if silent || !(self.has(text) || self.has(heading)) {
                return silent.then(|| column.clone());
            }
            let mut said = joined(self.boxes(text), &column_texts(column));
            let mut title = self.line(Element::ColumnHeading(number), column.title.as_ref());
            // A layout of a template has the heading and the text in one placeholder.
            if !self.has(heading)
                && let (Some(old), Some(first)) = (&column.title, said.first())
                && likeness(&spec::text::plain(old.as_str()), &first.text.words()) >= SHAPE_ALIKE
            {
                title = edited_line(Some(old), &first.text);
                said.remove(0);
            }
            let (body, bullets) = column_of(column, &said);
            Some(Column {
                title,
                bullets,
                body,
            })
        });
        columns.collect()
    }

    fn stats(&self, written: &Slide) -> Vec<Stat> {
        let stats = written.stats.iter().zip(1..);
        let stats = stats.filter_map(|(stat, at)| {
            if !self.has(|element| matches!(element, Element::Figure(of, _) if of == at)) {
                return silent(&[&stat.value, &stat.label], stat.description.as_ref())
                    .then(|| stat.clone());
            }
            Some(Stat {
                value: self.field(Element::Figure(at, Field::First), &stat.value),
                label: self.field(Element::Figure(at, Field::Second), &stat.label),
                description: self
                    .line(Element::Figure(at, Field::Third), stat.description.as_ref()),
            })
        });
        stats.collect()
    }

    fn timeline(&self, written: &Slide) -> Vec<Step> {
        let steps = written.timeline.iter().zip(1..);
        let steps = steps.filter_map(|(step, at)| {
            if !self.has(|element| matches!(element, Element::Step(of, _) if of == at)) {
                return silent(&[&step.time, &step.title], step.description.as_ref())
                    .then(|| step.clone());
            }
            Some(Step {
                time: self.field(Element::Step(at, Field::First), &step.time),
                title: self.field(Element::Step(at, Field::Second), &step.title),
                description: self.line(Element::Step(at, Field::Third), step.description.as_ref()),
            })
        });
        steps.collect()
    }

    fn footnotes(&self, written: &Slide) -> Vec<Line> {
        let notes = written.footnotes.iter().zip(1..);
        let notes = notes.filter_map(|(note, at)| {
            let old = format!("{at}. {note}");
            match self.alone(Element::Footnote(at), &old) {
                Edit::Same => Some(note.clone()),
                Edit::Gone => None,
                Edit::New(text) => {
                    let new = edited(&old, &text, false)?;
                    let number = new.split_once(". ").filter(|(number, _)| {
                        !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit())
                    });
                    Line::new(number.map_or(new.as_str(), |(_, rest)| rest))
                }
            }
        });
        notes.collect()
    }

    fn source(&self, written: &Slide) -> Option<Line> {
        let source = written.source.as_ref()?;
        // The language may have been given explicitly when the file was drawn, so it is read from the shapes.
        let shape = self.of(|element| element == Element::Source).next();
        let shown = shape.map(words_of).unwrap_or_default();
        let mut words = spec::SOURCE_WORDS.iter();
        let is_first = |word: &&&str| shown.starts_with(word.trim_end_matches([' ', '：']));
        let word = words.find(is_first).copied().unwrap_or_default();
        let old = format!("{word}{source}");
        match self.alone(Element::Source, &old) {
            Edit::Same => Some(source.clone()),
            Edit::Gone => None,
            Edit::New(text) => {
                let new = edited(&old, &text, false)?;
                let begins = [word.trim_end(), "Source:", "来源：", "来源:"];
                let bare = begins.iter().find_map(|word| new.strip_prefix(word));
                Line::new(bare.unwrap_or(&new))
            }
        }
    }

    fn notes(&self, written: &Slide) -> Option<Prose> {
        let said = self.shapes.notes.iter().flat_map(|shape| &shape.paragraphs);
        let said = said.flat_map(|paragraph| {
            let words = paragraph.text.words();
            words
                .split(['\n', '\u{b}'])
                .map(str::to_owned)
                .collect::<Vec<_>>()
        });
        notes(written.speaker_notes.as_ref(), &said.collect::<Vec<_>>())
    }

    /// What is shown around the content of every page is written once, for the whole deck.
    fn front_matter(&mut self) {
        let pieces = [
            (Element::Footer, &self.around.footer, "`footer`"),
            (
                Element::Confidentiality,
                &self.around.confidentiality,
                "`confidentiality`",
            ),
            (Element::Byline, &self.around.byline, "`author` and `date`"),
        ];
        let mut told = Vec::new();
        for (element, written, key) in pieces {
            let Some(written) = written else { continue };
            if let Edit::New(text) = self.alone(element, written) {
                told.push((collapsed(&text.words()), key));
            }
        }
        for (what, key) in told {
            let why = format!("it stands on every page: change {key} in the front matter");
            if !self.found.left.iter().any(|left| left.what == what) {
                self.leave(what, &why);
            }
        }
    }
}

/// Whether a card that has no words now was also drawn without words.
fn silent(cells: &[&Cell], line: Option<&Line>) -> bool {
    cells.iter().all(|cell| cell.is_empty()) && line.is_none()
}

/// A text and points of a column as its box has them now.
fn column_of(column: &Column, said: &[Said]) -> (Option<Prose>, Vec<Bullet>) {
    let old = blocks_of(column.body.as_ref());
    let drawn: Vec<String> = column_texts(column)
        .iter()
        .map(|text| lines(&spec::text::plain(text)))
        .collect();
    let now: Vec<String> = said.iter().map(|one| lines(&one.text.words())).collect();
    let pairs = super::words::aligned(&drawn, &now);
    let (mut in_text, mut in_list): (Vec<Said>, Vec<Said>) = (Vec::new(), Vec::new());
    // A new entry joins the kind of entry before it; at the beginning, it joins what the column has.
    let mut is_list = old.is_empty();
    for (at, to) in pairs {
        if let Some(at) = at {
            is_list = at >= old.len();
        }
        if let Some(to) = to {
            match is_list {
                true => in_list.push(said[to].clone()),
                false => in_text.push(said[to].clone()),
            }
        }
    }
    let blocks = paragraphs(&old, &in_text);
    let body = match blocks == old {
        true => column.body.clone(),
        false => prose(&blocks),
    };
    (body, points(&column.bullets, &in_list))
}

/// The text of a shape in one piece.
pub(super) fn whole(shape: &DrawnShape) -> RichText {
    let mut whole = RichText::default();
    for one in said(&shape.paragraphs) {
        if !whole.is_blank() {
            whole.push("\n", Default::default(), None);
        }
        for piece in &one.text.pieces {
            whole.push(piece.text.as_str(), piece.marks, piece.link.as_deref());
        }
    }
    whole
}

/// Without these words, if the text ends with them on a line of their own.
fn without_end(mut text: RichText, words: &str) -> RichText {
    let all = text.words();
    let before = all.trim_end().strip_suffix(words);
    let Some(mut kept) = before
        .filter(|before| before.ends_with('\n'))
        .map(|it| it.trim_end().len())
    else {
        return text;
    };
    for piece in &mut text.pieces {
        let here = kept.min(piece.text.len());
        piece.text.truncate(here);
        kept -= here;
    }
    text.pieces.retain(|piece| !piece.text.is_empty());
    text
}

/// Removes the words which say that a slide is continued, unless the heading itself ends with them.
fn without_mark(mut text: RichText, heading: &str) -> RichText {
    for mark in CONTINUED_MARKS {
        let mark = mark.trim();
        if heading.trim_end().ends_with(mark) {
            continue;
        }
        let Some(last) = text.pieces.last_mut() else {
            break;
        };
        if let Some(kept) = last.text.trim_end().strip_suffix(mark) {
            last.text.truncate(kept.trim_end().len());
        }
    }
    text
}

/// The words of a shape that this program did not make; empty where it has none.
pub(super) fn words_of(shape: &DrawnShape) -> String {
    match shape.kind {
        DrawnKind::Text | DrawnKind::Notes => lines(&whole(shape).words()),
        DrawnKind::Frame | DrawnKind::Picture => String::new(),
    }
}
