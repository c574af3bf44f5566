//! The slides of the file as slides of a deck: those of the base with their edits, new ones, and the content of foreign shapes.

use sdsl::{Line, Presentation, Prose, Slide};
use spec::drawn::{DrawnKind, DrawnPresentation, DrawnShape};
use spec::source::{BlockContent, NoteKind, SourceBlock, SourceDocument, SourceFormat};

use super::edited::{Editing, words_of};
use super::pages::SortedSlide;
use super::words::lines;
use super::{Around, Found, PullInto, carried, first_digits, lists, mark_of, pages, shown, words};
use crate::pages::import::{ImportedDeck, ImportedPicture, LeftOver, import_slide, line, slide_of};
use crate::pages::{furniture, language_of};

/// A slide of the file.
#[derive(Clone, Debug, PartialEq)]
pub(super) struct TheirSlide {
    /// The slide of the base, from 0.
    pub(super) base: Option<usize>,
    pub(super) slide: Slide,
}

/// The slides of the file, in their order.
pub(super) fn theirs(
    drawn: &DrawnPresentation,
    base: &Presentation,
    into: &PullInto<'_>,
    found: &mut Found,
) -> Vec<TheirSlide> {
    let language = language_of(base);
    let furniture = furniture(base, &Slide::named(unnamed()));
    let around = Around {
        language,
        footer: furniture.footer,
        confidentiality: furniture.confidentiality,
        byline: shown::byline(base),
        tables: &into.assets.tables,
        assets: into.assets,
    };
    let hash = mark_of(&carried(base));
    let sorted = pages::sorted(drawn, base, &hash, &around.language);
    let blocks = &drawn.document.blocks;
    let last = drawn.slides;
    let mut theirs: Vec<TheirSlide> = Vec::new();
    for sorted in &sorted.slides {
        let slide = match sorted.base {
            Some(at) => {
                let mut editing = Editing {
                    around: &around,
                    blocks,
                    shapes: &sorted.shapes,
                    found,
                };
                let mut slide = editing.slide(&base.slides[at]);
                let shown = shown::texts(base, &base.slides[at], &around.language);
                let known: Vec<String> = shown
                    .iter()
                    .map(|text| lines(&spec::text::plain(&text.text)))
                    .collect();
                add_foreign(&mut slide, sorted, &known, drawn, found);
                slide
            }
            None => {
                let known = [&around.footer, &around.confidentiality];
                let known = known.into_iter().flatten().cloned().collect::<Vec<_>>();
                new_slide(sorted, &known, drawn, last, found)
            }
        };
        theirs.push(TheirSlide {
            base: sorted.base.filter(|_| !sorted.is_copy),
            slide,
        });
    }
    for block in blocks {
        if let BlockContent::Note {
            kind: NoteKind::Comment,
            text,
            ..
        } = &block.content
        {
            found.left.push(LeftOver {
                slide: slide_of(&block.location),
                what: format!("the remark \"{}\"", words::collapsed(&text.words())),
                why: "remarks of readers are no part of a deck".to_owned(),
            });
        }
    }
    for omission in &drawn.document.omissions {
        found.left.push(LeftOver {
            slide: slide_of(&omission.location),
            what: omission.what.clone(),
            why: omission.why.clone(),
        });
    }
    named_once(&mut theirs, base);
    theirs
}

pub(super) fn unnamed() -> Line {
    Line::new("Slide").expect("a word")
}

/// Adds numbers to the names of new slides that other slides have too.
fn named_once(theirs: &mut [TheirSlide], base: &Presentation) {
    let mut names: Vec<Line> = base
        .slides
        .iter()
        .map(|slide| slide.slide_name.clone())
        .collect();
    for one in theirs.iter_mut().filter(|one| one.base.is_none()) {
        let name = one.slide.slide_name.clone();
        let mut number = 1;
        while names.contains(&one.slide.slide_name) {
            number += 1;
            if let Some(numbered) = line(&format!("{name} ({number})")) {
                one.slide.slide_name = numbered;
            }
        }
        names.push(one.slide.slide_name.clone());
    }
}

/// The blocks of shapes as a document of one slide.
fn document_of(
    shapes: &[&DrawnShape],
    known: &[String],
    drawn: &DrawnPresentation,
) -> SourceDocument {
    let fresh = shapes.iter().filter(|shape| {
        let said = words_of(shape);
        shape.kind != DrawnKind::Text || !known.contains(&said)
    });
    let blocks = fresh.flat_map(|shape| {
        let blocks = drawn.document.blocks.get(shape.blocks.clone());
        blocks.unwrap_or_default().to_vec()
    });
    SourceDocument {
        format: SourceFormat::Pptx,
        blocks: blocks.collect(),
        ..SourceDocument::default()
    }
}

/// A slide that is not one of the base.
fn new_slide(
    sorted: &SortedSlide<'_>,
    known: &[String],
    drawn: &DrawnPresentation,
    last: usize,
    found: &mut Found,
) -> Slide {
    let mut document = document_of(&sorted.foreign, known, drawn);
    let notes = said_notes(&sorted.shapes.notes);
    // The title is often drawn last, and is what the rest is about.
    document
        .blocks
        .sort_by_key(|block: &SourceBlock| !matches!(block.content, BlockContent::Heading { .. }));
    let mut imported = import_slide(&document, sorted.shapes.page, last);
    found.left.append(&mut imported.left);
    take_pictures(&mut imported, found);
    let mut slides = imported.deck.slides.into_iter();
    let mut slide = slides.next().unwrap_or_else(|| Slide::named(unnamed()));
    slide.speaker_notes = Prose::new(&notes.join("\n"));
    for further in slides {
        let rows = further
            .compare
            .as_ref()
            .map(lists::rows_of)
            .unwrap_or_default();
        let rows: Vec<String> = rows.iter().map(|row| row.join(" | ")).collect();
        append(&mut slide.body, &rows.join("\n"));
        found.left.push(LeftOver {
            slide: sorted.shapes.page,
            what: "a second table".to_owned(),
            why: "a slide has one table: its rows are kept as text".to_owned(),
        });
    }
    slide
}

fn said_notes(shapes: &[&DrawnShape]) -> Vec<String> {
    let said = shapes.iter().flat_map(|shape| &shape.paragraphs);
    said.map(|paragraph| paragraph.text.words().replace('\u{b}', "\n"))
        .collect()
}

/// Names pictures after what they show, so that none replaces another file.
fn take_pictures(imported: &mut ImportedDeck, found: &mut Found) {
    for picture in imported.pictures.drain(..) {
        let ending = picture
            .path
            .rsplit_once('.')
            .map_or("png", |(_, ending)| ending);
        let path = format!("pictures/pulled-{}.{ending}", first_digits(&picture.bytes));
        for slide in &mut imported.deck.slides {
            if slide
                .image
                .as_ref()
                .is_some_and(|image| image.as_str() == picture.path)
            {
                slide.image = Line::new(&path);
            }
        }
        if !found.pictures.iter().any(|known| known.path == path) {
            found.pictures.push(ImportedPicture {
                path,
                bytes: picture.bytes,
            });
        }
    }
}

fn append(body: &mut Option<Prose>, text: &str) {
    let old = body.as_ref().map_or("", Prose::as_str);
    *body = Prose::new(&format!("{old}\n\n{text}"));
}

/// Puts the content of foreign shapes into the slide: texts after its text, points after its points.
fn add_foreign(
    slide: &mut Slide,
    sorted: &SortedSlide<'_>,
    known: &[String],
    drawn: &DrawnPresentation,
    found: &mut Found,
) {
    let document = document_of(&sorted.foreign, known, drawn);
    if document.blocks.is_empty() {
        return;
    }
    let page = sorted.shapes.page;
    let mut imported = import_slide(&document, page, usize::MAX);
    found.left.append(&mut imported.left);
    let has_image = slide.image.is_some();
    if !has_image {
        take_pictures(&mut imported, found);
    }
    let mut leave = |what: String, why: &str| {
        found.left.push(LeftOver {
            slide: page,
            what,
            why: why.to_owned(),
        });
    };
    for new in imported.deck.slides {
        let heading = new
            .heading
            .filter(|_| new.compare.is_none() || slide.compare.is_none());
        let texts = [
            heading.map(|line| line.to_string()),
            new.subheading.map(|line| line.to_string()),
        ];
        for text in texts.into_iter().flatten() {
            append(&mut slide.body, &text);
        }
        if let Some(body) = &new.body {
            append(&mut slide.body, body.as_str());
        }
        slide.bullets.extend(new.bullets);
        if let Some(table) = new.compare {
            if slide.compare.is_none() {
                slide.compare = Some(table);
            } else {
                let rows: Vec<String> = lists::rows_of(&table)
                    .iter()
                    .map(|row| row.join(" | "))
                    .collect();
                append(&mut slide.body, &rows.join("\n"));
                leave(
                    "another table".to_owned(),
                    "a slide has one table: its rows are kept as text",
                );
            }
        }
        if let Some(chart) = new.chart {
            if slide.chart.is_none() {
                slide.chart = Some(chart);
            } else {
                let title = chart.title.to_string();
                leave(
                    format!("another chart {title}"),
                    "a slide has one chart: give it a slide of its own",
                );
            }
        }
        if let Some(image) = new.image {
            if has_image {
                leave(
                    "another picture".to_owned(),
                    "a slide has one picture: give it a slide of its own",
                );
            } else {
                slide.image = Some(image);
            }
        }
    }
}
