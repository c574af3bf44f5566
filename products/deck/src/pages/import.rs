//! A presentation that was read as a deck in SlideDSL: titles, lists with levels, tables, charts, pictures, notes. What has no form
//! in the language is kept as text, or named.

use std::collections::BTreeMap;

use sdsl::{
    Bullet, Cell, Cells, Chart, Closed, Column, Line, Presentation, Prose, Slide, SlideType, Table,
    Word as _,
};
use serde::Serialize;
use spec::source::{
    BlockContent, ListItem, Location, NoteKind, RichText, SourceDocument, SourcePicture,
    SourceTable,
};

/// In a presentation with fewer slides than this, no repeated text counts as a footer.
const EVERYWHERE_MIN: usize = 4;

/// A presentation as a deck.
#[derive(Clone, Debug, Default)]
pub(crate) struct ImportedDeck {
    pub(crate) deck: Presentation,
    /// The pictures that slides name, with their bytes.
    pub(crate) pictures: Vec<ImportedPicture>,
    /// What the presentation contains and the deck does not, or only in another form.
    pub(crate) left: Vec<LeftOver>,
}

/// A picture of a presentation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ImportedPicture {
    /// The path relative to the deck, such as `pictures/slide-2.png`.
    pub(crate) path: String,
    pub(crate) bytes: Vec<u8>,
}

/// Something that has no form in the language.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub(crate) struct LeftOver {
    /// Counted from 1; 0 for what belongs to no slide.
    pub(crate) slide: usize,
    pub(crate) what: String,
    pub(crate) why: String,
}

/// Reads a presentation as a deck, whose title is its first heading. `name` is what its file is called, without the ending: it is the title
/// where no slide has a heading.
#[must_use]
pub(crate) fn import(document: &SourceDocument, name: &str) -> ImportedDeck {
    let mut slides: BTreeMap<usize, Vec<&BlockContent>> = BTreeMap::new();
    for block in &document.blocks {
        let slide = slide_of(&block.location);
        slides.entry(slide).or_default().push(&block.content);
    }
    let mut imported = ImportedDeck::default();
    let last = slides.keys().next_back().copied().unwrap_or(0);
    let repeated = repeated(&slides);
    for words in &repeated {
        imported.left.push(LeftOver {
            slide: 0,
            what: words.clone(),
            why: "it stands on nearly every page; the front matter has `footer` and `confidentiality`".to_owned(),
        });
    }
    for (number, blocks) in slides {
        let mut reader = SlideReader::new(number, &mut imported);
        for block in blocks {
            let stands_everywhere =
                matches!(block, BlockContent::Paragraph(text) if repeated.contains(&text.words()));
            if !stands_everywhere {
                reader.block(block);
            }
        }
        let made = reader.finish(number == last);
        imported.deck.slides.extend(made);
    }
    let mut slides = imported.deck.slides.iter();
    let heading = slides.find_map(|slide| slide.heading.clone());
    imported.deck.meta.title = heading.or_else(|| line(name));
    let omitted = document.omissions.iter().map(|omission| LeftOver {
        slide: slide_of(&omission.location),
        what: omission.what.clone(),
        why: omission.why.clone(),
    });
    imported.left.extend(omitted);
    name_once(&mut imported.deck);
    imported
}

/// Reads the blocks of one slide, with its number and the number of all slides, as a deck of one slide.
pub(super) fn import_slide(document: &SourceDocument, number: usize, count: usize) -> ImportedDeck {
    let mut imported = ImportedDeck::default();
    let mut reader = SlideReader::new(number, &mut imported);
    for block in &document.blocks {
        reader.block(&block.content);
    }
    let slides = reader.finish(number == count);
    imported.deck.slides = slides;
    imported
}

/// The slide of a place, from 1; 0 for what belongs to no slide.
pub(super) fn slide_of(location: &Location) -> usize {
    match location {
        Location::Slide(number) | Location::Page(number) => *number,
        Location::File
        | Location::Line(_)
        | Location::Sheet { .. }
        | Location::Paragraph(_)
        | Location::Chapter(_)
        | Location::Pointer(_) => 0,
    }
}

/// Paragraphs that stand on nearly every slide: footers that are not in a placeholder.
fn repeated(slides: &BTreeMap<usize, Vec<&BlockContent>>) -> Vec<String> {
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    for blocks in slides.values() {
        let mut here: Vec<String> = blocks
            .iter()
            .filter_map(|block| block.paragraph().map(RichText::words))
            .collect();
        here.sort();
        here.dedup();
        for words in here {
            *counts.entry(words).or_default() += 1;
        }
    }
    let most = slides.len();
    let often = |count: usize| count >= EVERYWHERE_MIN && count * 10 >= most * 8;
    let words = counts.into_iter().filter(|(_, count)| often(*count));
    words.map(|(words, _)| words).collect()
}

/// Slides with the same name are numbered, so that each can be named.
fn name_once(deck: &mut Presentation) {
    let mut seen: Vec<Line> = Vec::new();
    for slide in &mut deck.slides {
        let name = slide.slide_name.clone();
        let mut number = 1;
        while seen.contains(&slide.slide_name) {
            number += 1;
            if let Some(numbered) = line(&format!("{name} ({number})")) {
                slide.slide_name = numbered;
            }
        }
        seen.push(slide.slide_name.clone());
    }
}

/// The text on one line: a line break between two wide characters is removed without a blank in its place.
pub(super) fn line(text: &str) -> Option<Line> {
    let mut joined = String::new();
    for part in text.lines() {
        let words: Vec<&str> = part.split_whitespace().collect();
        let part = words.join(" ");
        let wide = |c: Option<char>| c.is_some_and(|c| spec::text::columns(c) == 2);
        let close = wide(joined.chars().next_back()) && wide(part.chars().next());
        if !joined.is_empty() && !part.is_empty() && !close {
            joined.push(' ');
        }
        joined.push_str(&part);
    }
    Line::new(&joined)
}

fn cell(text: &str) -> Cell {
    line(text).map(Cell::from).unwrap_or_default()
}

/// Words with their bold ones marked, their links, and their formulas.
fn marked(text: &RichText) -> String {
    let piece = |piece: &spec::source::TextPiece| {
        let words = &piece.marked();
        let bare = words.trim();
        if piece.marks.bold && !bare.is_empty() && !bare.contains('*') {
            let at = words.find(bare).unwrap_or(0);
            let (before, after) = (&words[..at], &words[at + bare.len()..]);
            format!("{before}**{bare}**{after}")
        } else {
            words.clone()
        }
    };
    text.pieces.iter().map(piece).collect()
}

struct SlideReader<'a> {
    number: usize,
    imported: &'a mut ImportedDeck,
    slide: Slide,
    text: Vec<String>,
    /// Each list, with the number of texts before it.
    lists: Vec<(usize, Vec<Bullet>)>,
    notes: Vec<String>,
    /// Tables after the first one.
    more: Vec<Table>,
}

impl<'a> SlideReader<'a> {
    fn new(number: usize, imported: &'a mut ImportedDeck) -> Self {
        let name = line(&format!("Slide {number}")).expect("words");
        Self {
            number,
            imported,
            slide: Slide::named(name),
            text: vec![],
            lists: vec![],
            notes: vec![],
            more: vec![],
        }
    }

    fn leave(&mut self, what: impl Into<String>, why: &str) {
        self.imported.left.push(LeftOver {
            slide: self.number,
            what: what.into(),
            why: why.to_owned(),
        });
    }

    fn block(&mut self, block: &BlockContent) {
        match block {
            BlockContent::Heading { text, .. } if self.slide.heading.is_none() => {
                self.slide.heading = line(&text.words());
            }
            BlockContent::Heading { text, .. } | BlockContent::Paragraph(text) => {
                self.text.push(marked(text));
            }
            BlockContent::Quotation(texts) => self.text.extend(texts.iter().map(marked)),
            BlockContent::Formula(text) => self.text.push(format!("${text}$")),
            BlockContent::Code { language, text } => {
                let language = language.as_deref().unwrap_or_default();
                self.text.push(format!("```{language}\n{text}\n```"));
            }
            BlockContent::List(items) => self.list(items),
            BlockContent::Table(table) => self.table(table),
            BlockContent::Picture(picture) => self.picture(picture),
            BlockContent::Note { kind, text, .. } => self.note(*kind, text),
        }
    }

    fn list(&mut self, items: &[ListItem]) {
        let bullet = |item: &ListItem| {
            let text = match item.marker.sign() {
                Some(sign) => format!("{sign} {}", marked(&item.text)),
                None => marked(&item.text),
            };
            Bullet {
                text: cell(&text),
                level: u32::from(item.level),
                icon: None,
            }
        };
        let bullets = items.iter().map(bullet).collect();
        self.lists.push((self.text.len(), bullets));
    }

    /// Two lists alone are two columns, each under the text before it, if both have one. Other lists are one after the other.
    fn put_lists(&mut self) {
        let lists = std::mem::take(&mut self.lists);
        let slide = &mut self.slide;
        let is_alone = slide.compare.is_none() && slide.chart.is_none() && slide.image.is_none();
        let are_headed = [0, 1]
            .iter()
            .all(|at| lists.get(*at).is_some_and(|(before, _)| *before == at + 1));
        let titles: Vec<Option<Line>> = match self.text.as_slice() {
            [] => vec![None, None],
            [one, two] if are_headed && !one.contains('\n') && !two.contains('\n') => {
                vec![line(one), line(two)]
            }
            _ => vec![],
        };
        if lists.len() != 2 || titles.len() != 2 || !is_alone {
            let bullets = lists.into_iter().flat_map(|(_, bullets)| bullets);
            slide.bullets = bullets.collect();
            return;
        }
        self.text.clear();
        let columns = titles.into_iter().zip(lists);
        let column = |(title, (_, bullets))| Column {
            title,
            bullets,
            body: None,
        };
        slide.columns = columns.map(column).collect();
    }

    fn table(&mut self, source: &SourceTable) {
        let row = |cells: &Vec<RichText>| {
            Cells::new(cells.iter().map(|text| cell(&marked(text))).collect())
        };
        let has_head = source.head_rows > 0 && source.rows.len() > 1;
        let head = if has_head {
            source.rows.first().and_then(row)
        } else {
            None
        };
        let body = source.rows.iter().skip(usize::from(has_head));
        let table = Table {
            headers: head,
            rows: body.filter_map(row).collect(),
        };
        let caption = source.caption.as_deref();
        match &source.chart {
            Some(form) if self.slide.chart.is_none() => {
                let kind = sdsl::ChartKind::ALL
                    .iter()
                    .find(|kind| kind.as_str() == form);
                if kind.is_none() {
                    self.leave(format!("a {form} chart"), "it is kept as a column chart");
                }
                self.slide.chart = Some(Chart {
                    kind: Closed::known(kind.copied().unwrap_or_default()),
                    title: cell(caption.unwrap_or_default()),
                    data: None,
                    table,
                });
            }
            Some(_) | None => {
                self.text.extend(caption.map(str::to_owned));
                match self.slide.compare {
                    None => self.slide.compare = Some(table),
                    Some(_) => self.more.push(table),
                }
            }
        }
    }

    fn picture(&mut self, picture: &SourcePicture) {
        let name = match picture.alt.trim() {
            "" => "a picture".to_owned(),
            alt => format!("the picture \"{alt}\""),
        };
        let Some(embedded) = &picture.embedded else {
            self.leave(
                format!("{name} at {}", picture.reference),
                "only pictures inside of the file are taken",
            );
            return;
        };
        let ending = match embedded.media_type.as_str() {
            "image/png" => "png",
            "image/jpeg" => "jpg",
            "image/webp" => "webp",
            other => {
                self.leave(format!("{name} ({other})"), "PNG, JPEG and WebP are taken");
                return;
            }
        };
        if self.slide.image.is_some() {
            self.leave(name, "a slide has one picture");
            return;
        }
        if !picture.alt.trim().is_empty() {
            let words = format!(
                "the words for readers who do not see the picture: {}",
                picture.alt.trim()
            );
            self.leave(
                words,
                "a deck has no place for them; write them into the text of the slide",
            );
        }
        let path = format!("pictures/slide-{}.{ending}", self.number);
        self.slide.image = Line::new(&path);
        self.imported.pictures.push(ImportedPicture {
            path,
            bytes: embedded.bytes.clone(),
        });
    }

    fn note(&mut self, kind: NoteKind, text: &RichText) {
        match kind {
            NoteKind::Speaker => self.notes.push(text.words()),
            NoteKind::Footnote => self.slide.footnotes.extend(line(&text.words())),
            NoteKind::Comment => {
                self.leave(text.words(), "remarks of readers are no part of a deck")
            }
            NoteKind::Furniture => self.leave(
                text.words(),
                "words at the foot of pages come from the front matter",
            ),
        }
    }

    /// The slide, and one for each further table.
    fn finish(mut self, last: bool) -> Vec<Slide> {
        self.slide.speaker_notes = Prose::new(&self.notes.join("\n\n"));
        self.put_lists();
        let text = std::mem::take(&mut self.text);
        self.slide.slide_type = Closed::known(self.kind(&text, last));
        let bare = matches!(
            self.slide.kind(),
            SlideType::Title | SlideType::Closing | SlideType::SectionDivider
        );
        match text.as_slice() {
            [one] if bare && !one.contains('\n') => self.slide.subheading = line(one),
            all => self.slide.body = Prose::new(&all.join("\n\n")),
        }
        if let Some(heading) = &self.slide.heading {
            self.slide.slide_name = heading.clone();
        }
        let mut slides = vec![self.slide];
        for table in self.more {
            let first = &slides[0];
            let mut further = Slide::named(first.slide_name.clone());
            further.slide_type = Closed::known(SlideType::Comparison);
            further.heading.clone_from(&first.heading);
            further.compare = Some(table);
            slides.push(further);
        }
        slides
    }

    /// The type that fits what the slide has.
    fn kind(&self, text: &[String], last: bool) -> SlideType {
        let slide = &self.slide;
        let bare = slide.bullets.is_empty()
            && slide.columns.is_empty()
            && slide.compare.is_none()
            && slide.chart.is_none()
            && slide.image.is_none()
            && slide.heading.is_some()
            && text.len() <= 1
            && text.iter().all(|text| !text.contains('\n'));
        match bare {
            true if self.number <= 1 => return SlideType::Title,
            true if last => return SlideType::Closing,
            true if text.is_empty() => return SlideType::SectionDivider,
            _ => {}
        }
        if slide.chart.is_some() {
            SlideType::Freeform
        } else if slide.compare.is_some() {
            SlideType::Comparison
        } else if slide.image.is_some() {
            SlideType::ImageText
        } else if !slide.columns.is_empty() {
            SlideType::TwoColumn
        } else if !slide.bullets.is_empty() {
            SlideType::BulletPoints
        } else {
            SlideType::Freeform
        }
    }
}

#[cfg(test)]
mod tests {
    use spec::source::SourceBlock;

    use super::*;

    fn title(blocks: Vec<(usize, BlockContent)>) -> Option<String> {
        let block = |(slide, content)| SourceBlock {
            location: Location::Slide(slide),
            content,
        };
        let document = SourceDocument {
            blocks: blocks.into_iter().map(block).collect(),
            ..SourceDocument::default()
        };
        let title = import(&document, "final_v3").deck.meta.title;
        title.map(|title| title.to_string())
    }

    #[test]
    fn two_lists_alone_are_two_columns() {
        let item = |text: &str| ListItem {
            level: 0,
            marker: spec::source::ListMarker::Bullet,
            text: RichText::plain(text),
        };
        let list = |text| BlockContent::List(vec![item(text)]);
        let words = |text| BlockContent::Paragraph(RichText::plain(text));
        let heading = || BlockContent::Heading {
            level: 1,
            text: RichText::plain("Air or ground"),
        };
        let slide = |blocks: Vec<BlockContent>| {
            let block = |content| SourceBlock {
                location: Location::Slide(2),
                content,
            };
            let document = SourceDocument {
                blocks: blocks.into_iter().map(block).collect(),
                ..SourceDocument::default()
            };
            import_slide(&document, 2, 3).deck.slides.remove(0)
        };
        let two = slide(vec![heading(), list("Cheap"), list("Quiet")]);
        assert_eq!((two.kind(), two.columns.len()), (SlideType::TwoColumn, 2));
        let headed = slide(vec![
            heading(),
            words("Air"),
            list("Cheap"),
            words("Ground"),
            list("Quiet"),
        ]);
        let titles: Vec<_> = headed
            .columns
            .iter()
            .map(|column| column.title.as_ref().map(Line::as_str))
            .collect();
        assert_eq!(titles, [Some("Air"), Some("Ground")]);
        let three = slide(vec![heading(), list("a"), list("b"), list("c")]);
        assert_eq!(
            (three.kind(), three.bullets.len()),
            (SlideType::BulletPoints, 3)
        );
        let said = slide(vec![heading(), words("Both heat."), list("a"), list("b")]);
        assert_eq!(
            (said.kind(), said.bullets.len()),
            (SlideType::BulletPoints, 2)
        );
    }

    #[test]
    fn a_deck_is_called_as_its_first_heading_and_as_its_file_where_it_has_none() {
        let words = |text| BlockContent::Paragraph(RichText::plain(text));
        let heading = |text| BlockContent::Heading {
            level: 1,
            text: RichText::plain(text),
        };
        let with = vec![
            (1, words("2026")),
            (2, heading("Harbour\nreport")),
            (3, heading("Ships")),
        ];
        assert_eq!(title(with).as_deref(), Some("Harbour report"));
        assert_eq!(title(vec![(1, words("2026"))]).as_deref(), Some("final_v3"));
    }
}
