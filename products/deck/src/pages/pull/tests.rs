//! Decks that are drawn as shapes, changed there, and pulled.

use std::path::Path;

use proptest::prelude::*;
use sdsl::{Line, Prose, Slide, Word as _};
use spec::OriginPlace;
use spec::drawn::{DrawnKind, DrawnParagraph, DrawnShape};
use spec::source::{
    BlockContent, EmbeddedPicture, Location, RichText, SourceBlock, SourcePicture, SourceTable,
    TextMarks,
};
use spec::text::spans;

use super::element::Element;
use super::theirs::unnamed;
use super::*;
use crate::pages::{language_of, slide as drawing};

/// A file as it is drawn, one page a slide, with a box for each piece.
struct Sheet {
    drawn: DrawnPresentation,
    mark: String,
}

fn rich(text: &str) -> RichText {
    let mut rich = RichText::default();
    for span in spans(text) {
        let marks = TextMarks {
            bold: span.bold,
            ..TextMarks::default()
        };
        rich.push(span.text, marks, None);
    }
    rich
}

fn paragraph(text: &str, level: u32) -> DrawnParagraph {
    DrawnParagraph {
        text: rich(text),
        level: u8::try_from(level).expect("few levels"),
    }
}

impl Sheet {
    fn new(text: &str) -> Self {
        let deck = uncommented(&sdsl::parse(text).presentation);
        let written = carried(&deck);
        let mut sheet = Self {
            drawn: DrawnPresentation {
                slides: deck.slides.len(),
                ..DrawnPresentation::default()
            },
            mark: mark_of(&written),
        };
        sheet.drawn.document.format = SourceFormat::Pptx;
        sheet.drawn.written = Some(written);
        let language = language_of(&deck);
        for (slide, number) in deck.slides.iter().zip(1..) {
            sheet.slide(&deck, slide, number, &language);
        }
        sheet
    }

    fn slide(&mut self, deck: &Presentation, slide: &Slide, number: usize, language: &str) {
        for text in shown::texts(deck, slide, language) {
            let element = Element::parse(&text.element);
            match (text.stands, element) {
                // A page shows these in one box.
                (
                    OriginPlace::Alone,
                    Some(
                        Element::Body(_)
                        | Element::Point(_)
                        | Element::PointLead(_)
                        | Element::PointRest(_),
                    ),
                ) => {}
                (OriginPlace::Flow, Some(Element::ChartTitle | Element::Byline)) => {}
                (OriginPlace::Flow, Some(element)) => {
                    let (first, level) = if let Element::Points(at) = element {
                        (at == 1, slide.bullets[at - 1].level.min(3))
                    } else if let Element::ColumnText(column, at) = element {
                        let column = &slide.columns[column - 1];
                        let blocks = lists::blocks_of(column.body.as_ref()).len();
                        let bullet = (at - 1).checked_sub(blocks);
                        let bullet = bullet.and_then(|bullet| column.bullets.get(bullet));
                        (at == 1, bullet.map_or(0, |bullet| bullet.level.min(3)))
                    } else if let Element::Body(at) = element {
                        let blocks = lists::blocks_of(slide.body.as_ref());
                        let before = at.checked_sub(2).and_then(|at| blocks.get(at));
                        let code = |block: &lists::Block| matches!(block, lists::Block::Code(..));
                        (before.is_none_or(code), 0)
                    } else {
                        (true, 0)
                    };
                    if first {
                        self.text(number, &text.element, Vec::new());
                    }
                    let last = self.drawn.shapes.last_mut().expect("a box");
                    last.paragraphs.push(paragraph(&text.text, level));
                }
                (OriginPlace::Code, _) => {
                    let lines = text.text.split('\n');
                    let lines = lines.map(|line| DrawnParagraph {
                        text: RichText::plain(line),
                        level: 0,
                    });
                    self.text(number, &text.element, lines.collect());
                }
                (OriginPlace::Alone | OriginPlace::EachPage, _) => {
                    self.text(number, &text.element, vec![paragraph(&text.text, 0)]);
                }
                (OriginPlace::Row | OriginPlace::Object | OriginPlace::Flow, _) => {}
            }
        }
        self.frames(slide, number, language);
        if let Some(notes) = &slide.speaker_notes {
            let lines = notes.as_str().split('\n');
            self.drawn.shapes.push(DrawnShape {
                slide: number,
                kind: DrawnKind::Notes,
                paragraphs: lines
                    .map(|line| DrawnParagraph {
                        text: RichText::plain(line),
                        level: 0,
                    })
                    .collect(),
                ..DrawnShape::default()
            });
        }
    }

    fn frames(&mut self, slide: &Slide, number: usize, language: &str) {
        let mut tables: Vec<(&str, Vec<Vec<String>>)> = Vec::new();
        if let Some(table) = &slide.compare {
            tables.push(("table 1", lists::rows_of(table)));
        }
        if !slide.next_steps.is_empty() {
            let (heads, rows) = drawing::action_rows(slide, language);
            tables.push(("actions 1", [vec![heads], rows].concat()));
        }
        if let Some(chart) = slide.chart.as_ref().filter(|chart| chart.data.is_none()) {
            let mut rows = lists::rows_of(&chart.table);
            if chart.table.headers.is_none() {
                let width = rows.iter().map(Vec::len).max().unwrap_or(0);
                rows.insert(0, vec![String::new(); width]);
            }
            tables.push(("chart", rows));
        }
        for (name, rows) in tables {
            let width = rows.iter().map(Vec::len).max().unwrap_or(0);
            let cell = |row: &[String], at: usize| {
                let text = row.get(at).map_or("", String::as_str);
                rich(&crate::pages::parts::shown(text))
            };
            let rows = rows
                .iter()
                .map(|row| (0..width).map(|at| cell(row, at)).collect());
            let table = SourceTable {
                rows: rows.collect(),
                chart: slide
                    .chart
                    .as_ref()
                    .filter(|_| name == "chart")
                    .map(|chart| chart.drawn_as().as_str().to_owned()),
                ..SourceTable::default()
            };
            self.block(number, name, DrawnKind::Frame, BlockContent::Table(table));
        }
    }

    fn text(&mut self, slide: usize, label: &str, paragraphs: Vec<DrawnParagraph>) {
        let end = self.drawn.document.blocks.len();
        self.drawn.shapes.push(DrawnShape {
            slide,
            name: format!("{label} @{slide}.1.{}", self.mark),
            kind: DrawnKind::Text,
            paragraphs,
            blocks: end..end,
            ..DrawnShape::default()
        });
    }

    fn block(&mut self, slide: usize, label: &str, kind: DrawnKind, content: BlockContent) {
        let from = self.drawn.document.blocks.len();
        self.drawn.document.blocks.push(SourceBlock {
            location: Location::Slide(slide),
            content,
        });
        self.drawn.shapes.push(DrawnShape {
            slide,
            name: format!("{label} @{slide}.1.{}", self.mark),
            kind,
            blocks: from..from + 1,
            ..DrawnShape::default()
        });
    }

    /// A box that this program did not make.
    fn foreign(&mut self, slide: usize, content: BlockContent) {
        self.block(slide, "", DrawnKind::Text, content);
        let last = self.drawn.shapes.last_mut().expect("a shape");
        last.name = "TextBox 9".to_owned();
    }

    fn shape(&mut self, slide: usize, label: &str) -> &mut DrawnShape {
        let name = format!("{label} @{slide}.1.{}", self.mark);
        let mut shapes = self.drawn.shapes.iter_mut();
        shapes.find(|shape| shape.name == name).expect("the shape")
    }

    fn says(&mut self, slide: usize, label: &str, words: &str) {
        self.shape(slide, label).paragraphs = vec![paragraph(words, 0)];
    }

    fn remove(&mut self, slide: usize) {
        self.drawn.shapes.retain(|shape| shape.slide != slide);
        for shape in &mut self.drawn.shapes {
            shape.slide -= usize::from(shape.slide > slide);
        }
        self.drawn.slides -= 1;
    }

    /// The slide of one place at another one.
    fn swap(&mut self, one: usize, other: usize) {
        for shape in &mut self.drawn.shapes {
            if shape.slide == one {
                shape.slide = other;
            } else if shape.slide == other {
                shape.slide = one;
            }
        }
    }

    fn pull_into(&self, ours: &str) -> Pulled {
        let into = PullInto {
            base: None,
            ours: Some(ours),
            names: ("deck.sdsl", "deck.pptx"),
            assets: &DeckAssets::default(),
        };
        pull(&self.drawn, &into).expect("a file of ours")
    }
}

const DECK: &str = "---\ntitle: Tides\n---\n\n# One\n@type: bullet_points\n<!-- kept -->\n@mood: calm\n\n## The sea rises twice\n\n\
- The **moon** pulls\n- @icon: star | The sun helps\n\n@notes: Show it.\n\n---\n\n# Two\n@type: stat_callout\n\n## Highest\n\n\
@stat: 5.4 m | Height\n@stat: 14 | Hours\n@source: Harbour\n\n---\n\n# Three\n@type: comparison\n\n## Both\n\n@compare:\n  \
header: | Mouth | Bay\n  row: Mean | 2.1 | 4.8\n";

#[test]
fn a_file_that_nobody_changed_changes_no_byte_of_any_deck() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/decks");
    let mut count = 0;
    for file in std::fs::read_dir(folder).expect("the decks") {
        let path = file.expect("a file").path();
        if path.extension().is_none_or(|ending| ending != "sdsl") {
            continue;
        }
        let text = std::fs::read_to_string(&path).expect("a deck");
        let pulled = Sheet::new(&text).pull_into(&text);
        assert_eq!(pulled.text, text, "{}", path.display());
        assert_eq!(pulled.conflicts, [], "{}", path.display());
        count += 1;
    }
    assert!(count >= 20, "{count} decks");
}

#[test]
fn a_changed_text_changes_its_line_alone() {
    let mut sheet = Sheet::new(DECK);
    sheet.says(2, "figure 2 value", "16");
    let points = sheet.shape(1, "points 1");
    points
        .paragraphs
        .insert(1, paragraph("It **really** does", 1));
    points.paragraphs[2] = paragraph("The sun helps little", 0);
    let expected = DECK
        .replace("14 | Hours", "16 | Hours")
        .replace("pulls\n", "pulls\n  - It **really** does\n")
        .replace("sun helps", "sun helps little");
    assert_eq!(sheet.pull_into(DECK).text, expected);
}

#[test]
fn both_sides_come_together_and_pulling_again_changes_nothing() {
    let mut sheet = Sheet::new(DECK);
    sheet.says(1, "heading", "The sea falls twice");
    let points = sheet.shape(1, "points 1");
    points.paragraphs.push(paragraph("And the wind", 0));
    sheet.foreign(
        2,
        BlockContent::Paragraph(RichText::plain("Ask the master")),
    );
    let ours = DECK
        .replace("The **moon** pulls", "The **full moon** pulls")
        .replace("Height", "Height of the tide");
    let pulled = sheet.pull_into(&ours);
    assert_eq!(pulled.conflicts, []);
    let expected = ours
        .replace("rises twice", "falls twice")
        .replace("sun helps\n", "sun helps\n- And the wind\n")
        .replace("## Highest\n\n", "## Highest\n\nAsk the master\n\n");
    assert_eq!(pulled.text, expected);
    assert_eq!(sheet.pull_into(&pulled.text).text, pulled.text);
}

#[test]
fn what_both_changed_stands_between_marks() {
    let mut sheet = Sheet::new(DECK);
    sheet.says(2, "figure 2 value", "16");
    sheet.says(2, "heading", "Highest of all");
    let ours = DECK.replace("14 | Hours", "15 | Hours");
    let pulled = sheet.pull_into(&ours);
    let shown = "## Highest of all\n\n@stat: 5.4 m | Height\n<<<<<<< deck.sdsl\n@stat: 15 | Hours\n=======\n@stat: 16 | Hours\n\
                 >>>>>>> deck.pptx\n\n@source: Harbour\n";
    assert!(pulled.text.contains(shown), "{}", pulled.text);
    let conflict = Conflict {
        slide: Some("Two".to_owned()),
        what: "both changed figures".to_owned(),
    };
    assert_eq!(pulled.conflicts, [conflict]);
    let into = PullInto {
        base: None,
        ours: Some(&pulled.text),
        names: ("", ""),
        assets: &DeckAssets::default(),
    };
    let refused = pull(&sheet.drawn, &into);
    assert!(
        matches!(refused, Err(PullError::OpenConflict { .. })),
        "{refused:?}"
    );
}

#[test]
fn slides_go_and_come_and_change_places() {
    let mut sheet = Sheet::new(DECK);
    sheet.swap(1, 3);
    sheet.remove(2);
    sheet.drawn.slides += 1;
    let heading = BlockContent::Heading {
        level: 2,
        text: RichText::plain("A new page"),
    };
    sheet.foreign(3, heading);
    sheet.foreign(3, BlockContent::Paragraph(RichText::plain("Of the sea")));
    let pulled = sheet.pull_into(DECK);
    let names: Vec<&str> = pulled
        .deck
        .slides
        .iter()
        .map(|slide| slide.slide_name.as_str())
        .collect();
    assert_eq!(names, ["Three", "One", "A new page"]);
    assert!(pulled.text.starts_with("---\ntitle: Tides\n---\n\n# Three"));
    assert!(
        pulled.text.contains("<!-- kept -->\n@mood: calm"),
        "{}",
        pulled.text
    );
    assert_eq!(pulled.conflicts, []);
    assert_eq!(sheet.pull_into(&pulled.text).text, pulled.text);
}

#[test]
fn a_copy_of_a_slide_is_a_slide_of_its_own() {
    let mut sheet = Sheet::new(DECK);
    let of_two = sheet.drawn.shapes.iter().filter(|shape| shape.slide == 2);
    let mut copies: Vec<DrawnShape> = of_two.cloned().collect();
    for copy in &mut copies {
        copy.slide = 4;
        if copy.name.starts_with("heading") {
            copy.paragraphs = vec![paragraph("Lowest", 0)];
        }
    }
    sheet.drawn.shapes.extend(copies);
    sheet.drawn.slides = 4;
    let pulled = sheet.pull_into(DECK);
    let copy = "\n---\n\n# Two (2)\n@type: stat_callout\n\n## Lowest\n\n@stat: 5.4 m | Height\n@stat: 14 | Hours\n\n@source: Harbour\n";
    assert_eq!(pulled.text, format!("{DECK}{copy}"));
}

#[test]
fn a_slide_that_one_side_removed_and_the_other_changed_is_kept() {
    let mut sheet = Sheet::new(DECK);
    sheet.remove(2);
    let ours = DECK.replace("5.4 m", "5.5 m");
    let pulled = sheet.pull_into(&ours);
    assert_eq!(
        (pulled.text.as_str(), pulled.conflicts.len()),
        (ours.as_str(), 1)
    );
    let mut sheet = Sheet::new(DECK);
    sheet.says(3, "heading", "Both of them");
    let (kept, _) = DECK.split_once("\n---\n\n# Three").expect("three slides");
    let pulled = sheet.pull_into(kept);
    assert!(pulled.text.contains("## Both of them"), "{}", pulled.text);
    assert_eq!(pulled.conflicts.len(), 1);
}

#[test]
fn tables_keep_their_places_whatever_came_between() {
    let mut sheet = Sheet::new(DECK);
    let at = sheet.shape(3, "table 1").blocks.start;
    let BlockContent::Table(table) = &mut sheet.drawn.document.blocks[at].content else {
        panic!("a table");
    };
    table.rows[1][2] = RichText::plain("4.9");
    table
        .rows
        .push(["Neap", "1.2", "2.0"].map(RichText::plain).to_vec());
    for (row, cell) in table.rows.iter_mut().zip(["Sea", "9", "8"]) {
        row.insert(1, RichText::plain(cell));
    }
    let pulled = sheet.pull_into(DECK);
    let expected = DECK
        .replace("header: | Mouth", "header: | Sea | Mouth")
        .replace(
            "Mean | 2.1 | 4.8\n",
            "Mean | 9 | 2.1 | 4.9\n  row: Neap | 8 | 1.2 | 2.0\n",
        );
    assert_eq!(pulled.text, expected);
}

#[test]
fn numbers_of_a_chart_come_back_with_their_units() {
    let deck = "# A\n@type: freeform\n\n@chart: line | Sales\n  header: Month | Shop\n  row: May | 1,200 €\n  row: June | 1.400 €\n";
    let mut sheet = Sheet::new(deck);
    let at = sheet.shape(1, "chart").blocks.start;
    let BlockContent::Table(table) = &mut sheet.drawn.document.blocks[at].content else {
        panic!("a table");
    };
    table.rows[1][1] = RichText::plain("1250");
    table.rows.push(["July", "3"].map(RichText::plain).to_vec());
    let expected = deck.replace("1,200 €", "1250 €") + "  row: July | 3 €\n";
    assert_eq!(sheet.pull_into(deck).text, expected);
}

#[test]
fn a_replaced_picture_and_a_changed_foot_are_told() {
    let deck = "---\nfooter: Foot\n---\n\n# A\n@type: image_text\n@image: a.png\n\n## Seen\n";
    let mut sheet = Sheet::new(deck);
    sheet.says(1, "footer", "Other foot");
    let picture = SourcePicture {
        embedded: Some(EmbeddedPicture {
            media_type: "image/png".to_owned(),
            width: 1,
            height: 1,
            bytes: vec![1],
        }),
        ..SourcePicture::default()
    };
    sheet.block(
        1,
        "picture 00000000",
        DrawnKind::Picture,
        BlockContent::Picture(picture),
    );
    let pulled = sheet.pull_into(deck);
    assert_eq!(pulled.text, deck);
    let told: Vec<&str> = pulled.left.iter().map(|left| left.what.as_str()).collect();
    assert_eq!(
        told,
        ["another picture in the place of a.png", "Other foot"]
    );
}

#[test]
fn a_file_without_names_is_told_by_its_words() {
    let mut sheet = Sheet::new(DECK);
    sheet.says(1, "heading", "The sea rises twice a day");
    for shape in &mut sheet.drawn.shapes {
        if shape.slide == 1 && shape.kind == DrawnKind::Text {
            let holder = if shape.name.starts_with("heading") {
                "title"
            } else {
                "obj"
            };
            shape.holder = Some(holder.to_owned());
            shape.name = "PlaceHolder 1".to_owned();
        }
    }
    let expected = DECK.replace("rises twice", "rises twice a day");
    assert_eq!(sheet.pull_into(DECK).text, expected);
}

#[test]
fn a_file_of_others_is_refused_with_what_to_do() {
    let into = PullInto {
        base: None,
        ours: None,
        names: ("", ""),
        assets: &DeckAssets::default(),
    };
    let mut drawn = DrawnPresentation::default();
    assert_eq!(pull(&drawn, &into), Err(PullError::OtherFormat("text")));
    drawn.document.format = SourceFormat::Pptx;
    assert_eq!(pull(&drawn, &into), Err(PullError::NotOurs));
    drawn.shapes.push(DrawnShape {
        name: "heading @1.1.0123abcd".to_owned(),
        ..DrawnShape::default()
    });
    assert_eq!(pull(&drawn, &into), Err(PullError::NoBase));
}

#[test]
fn comments_do_not_leave_with_the_file() {
    let deck =
        sdsl::parse("---\n# of ours\ntitle: A\n---\n# A\n<!-- secret -->\n- x\n").presentation;
    let text = carried(&deck);
    assert!(
        !text.contains("secret") && !text.contains("of ours"),
        "{text}"
    );
}

/// A slide of points and notes with few words, so that two are often equal.
fn slide() -> impl Strategy<Value = Slide> {
    let word = prop::sample::select(vec!["tide", "moon", "sun", "wind", "lock"]);
    let points = prop::collection::vec(word.clone(), 0..5);
    (word.clone(), points, prop::option::of(word)).prop_map(|(heading, points, notes)| {
        let mut slide = Slide::named(unnamed());
        slide.heading = Line::new(heading);
        slide.bullets = points
            .iter()
            .map(|text| sdsl::Bullet {
                text: lists::cell(text),
                level: 0,
                icon: None,
            })
            .collect();
        slide.speaker_notes = notes.and_then(Prose::new);
        slide
    })
}

proptest! {
    #[test]
    fn what_one_side_changed_is_taken_whole(base in slide(), other in slide()) {
        let (merged, fields) = merge::slide(&base, &other, &base);
        prop_assert_eq!((&merged.ours, fields.len()), (&other, 0));
        let (merged, fields) = merge::slide(&base, &base, &other);
        prop_assert_eq!((&merged.ours, fields.len()), (&other, 0));
        let (merged, fields) = merge::slide(&base, &other, &other);
        prop_assert_eq!((&merged.ours, fields.len()), (&other, 0));
    }

    #[test]
    fn sides_differ_only_where_a_conflict_is_told(base in slide(), ours in slide(), theirs in slide()) {
        let (merged, fields) = merge::slide(&base, &ours, &theirs);
        prop_assert_eq!(merged.is_clean(), fields.is_empty());
    }
}
