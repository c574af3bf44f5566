//! What the pages of a slide show of it, piece by piece, so that a text on a page can be told for what it is.

use sdsl::{Bullet, Line, Presentation, ProseBlock, Slide, SlideType, Table};
use spec::{OriginPlace, OriginText, SlideOrigin};

use super::super::{is_none, parts, slide};
use super::element::{Element, Field};

/// What stands between the cells of a row.
const BETWEEN_CELLS: &str = " | ";

/// The origin of a slide's pages.
pub(in crate::pages) fn origin(
    deck: &Presentation,
    number: usize,
    slide: &Slide,
    hash: &str,
    language: &str,
) -> SlideOrigin {
    SlideOrigin {
        deck: hash.to_owned(),
        slide: u32::try_from(number).unwrap_or(u32::MAX),
        texts: texts(deck, slide, language),
    }
}

/// Everything that a page of the slide may show. A piece that layouts show in different ways is listed once for each way.
pub(super) fn texts(deck: &Presentation, slide: &Slide, language: &str) -> Vec<OriginText> {
    let mut shown = Shown::default();
    shown.line(Element::Heading, slide.heading.as_ref());
    shown.line(Element::Subheading, slide.subheading.as_ref());
    // In the order of the parts on a composed page.
    let kinds = [
        SlideType::Freeform,
        SlideType::StatCallout,
        SlideType::Timeline,
        SlideType::Comparison,
        SlideType::BulletPoints,
        SlideType::TwoColumn,
        SlideType::NextSteps,
    ];
    let first = kinds.iter().filter(|kind| **kind == slide.kind());
    let others = kinds.iter().filter(|kind| **kind != slide.kind());
    for kind in first.chain(others) {
        shown.part(*kind, slide, language);
    }
    if slide.image.is_some() {
        shown.add(
            SlideOrigin::PICTURE.to_owned(),
            String::new(),
            OriginPlace::Object,
        );
    }
    shown.alone(slide);
    shown.around(deck, slide, language);
    shown.0
}

#[derive(Default)]
struct Shown(Vec<OriginText>);

impl Shown {
    fn add(&mut self, element: String, text: String, stands: OriginPlace) {
        self.0.push(OriginText {
            element,
            text,
            stands,
        });
    }

    fn put(&mut self, element: Element, text: impl AsRef<str>, stands: OriginPlace) {
        self.add(element.to_string(), parts::shown(text), stands);
    }

    fn line(&mut self, element: Element, line: Option<&Line>) {
        if let Some(line) = line {
            self.put(element, line, OriginPlace::Alone);
        }
    }

    fn part(&mut self, kind: SlideType, slide: &Slide, language: &str) {
        match kind {
            SlideType::StatCallout => {
                for (stat, at) in slide.stats.iter().zip(1..) {
                    let figure = parts::figure(stat);
                    self.fields(
                        |field| Element::Figure(at, field),
                        [Some(figure.value), Some(figure.label), figure.note],
                    );
                }
            }
            SlideType::Timeline => {
                for (step, at) in slide.timeline.iter().zip(1..) {
                    let station = parts::station(step);
                    self.fields(
                        |field| Element::Step(at, field),
                        [
                            Some(station.label),
                            Some(station.heading),
                            Some(station.text),
                        ],
                    );
                }
            }
            SlideType::Comparison => {
                if let Some(table) = &slide.compare {
                    self.table(table, Element::Table);
                }
                if let Some(chart) = &slide.chart {
                    self.put(Element::ChartTitle, &chart.title, OriginPlace::Alone);
                    self.put(Element::ChartTitle, &chart.title, OriginPlace::Flow);
                    if let Some(path) = &chart.data {
                        // A table that is missing is shown by its name.
                        let named = format!("{} ({path})", chart.title);
                        self.put(Element::ChartTitle, named, OriginPlace::Flow);
                    }
                    self.put(Element::Chart, "", OriginPlace::Object);
                    self.table(&chart.table, Element::ChartTable);
                }
            }
            SlideType::BulletPoints => {
                for (bullet, at) in slide.bullets.iter().zip(1..) {
                    self.put(Element::Points(at), &bullet.text, OriginPlace::Flow);
                }
            }
            SlideType::TwoColumn => self.columns(slide),
            SlideType::NextSteps => {
                for (row, at) in slide::action_rows(slide, language).1.iter().zip(1..) {
                    self.row(Element::Actions(at), row);
                }
            }
            SlideType::Freeform
            | SlideType::Title
            | SlideType::SectionDivider
            | SlideType::ImageText
            | SlideType::Quote
            | SlideType::Closing
            | SlideType::ExecSummary => self.body(slide),
        }
    }

    fn fields(&mut self, element: impl Fn(Field) -> Element, texts: [Option<String>; 3]) {
        for (field, text) in Field::ALL.into_iter().zip(texts) {
            if let Some(text) = text.filter(|text| !text.is_empty()) {
                self.add(element(field).to_string(), text, OriginPlace::Alone);
            }
        }
    }

    fn body(&mut self, slide: &Slide) {
        let blocks = slide.body.iter().flat_map(sdsl::Prose::blocks);
        for (block, at) in blocks.zip(1..) {
            match block {
                ProseBlock::Paragraph(lines) => {
                    self.put(Element::Body(at), lines.join("\n"), OriginPlace::Flow);
                }
                ProseBlock::Code { lines, info: _ } => {
                    let code = lines.join("\n");
                    self.add(Element::Code(at).to_string(), code, OriginPlace::Code);
                }
            }
        }
    }

    fn table(&mut self, table: &Table, element: impl Fn(usize) -> Element) {
        if let (Some(heads), true) = (&table.headers, table.rows.is_empty()) {
            self.row(element(0), &slide::cells(Some(heads)));
        }
        for (row, at) in table.rows.iter().zip(1..) {
            self.row(element(at), &slide::cells(Some(row)));
        }
    }

    fn row(&mut self, element: Element, cells: &[String]) {
        let cells: Vec<&str> = cells
            .iter()
            .map(String::as_str)
            .filter(|cell| !cell.is_empty())
            .collect();
        let text = cells.join(BETWEEN_CELLS);
        self.add(element.to_string(), text, OriginPlace::Row);
    }

    fn columns(&mut self, slide: &Slide) {
        for (column, number) in slide.columns.iter().zip(1..) {
            self.line(Element::ColumnHeading(number), column.title.as_ref());
            for (text, at) in column_texts(column).into_iter().zip(1..) {
                let element = Element::ColumnText(number, at);
                self.add(element.to_string(), text, OriginPlace::Flow);
            }
        }
    }

    /// The texts that layouts show in separate boxes and a composed page shows in one.
    fn alone(&mut self, slide: &Slide) {
        for (bullet, at) in slide.bullets.iter().zip(1..) {
            self.put(Element::Point(at), &bullet.text, OriginPlace::Alone);
            if let Some((lead, rest)) = lead(bullet) {
                self.put(Element::PointLead(at), lead, OriginPlace::Alone);
                self.put(Element::PointRest(at), rest, OriginPlace::Alone);
            }
        }
        let blocks = slide.body.iter().flat_map(sdsl::Prose::blocks);
        for (block, at) in blocks.zip(1..) {
            if let ProseBlock::Paragraph(lines) = block {
                self.put(Element::Body(at), lines.join("\n"), OriginPlace::Alone);
            }
        }
    }

    /// What stands around the content.
    fn around(&mut self, deck: &Presentation, slide: &Slide, language: &str) {
        let furniture = super::super::furniture(deck, slide);
        let mut each = |element: Element, text: Option<&str>| {
            if let Some(text) = text {
                self.add(element.to_string(), text.to_owned(), OriginPlace::EachPage);
            }
        };
        each(Element::Exhibit, furniture.exhibit.as_deref());
        for (note, at) in furniture.footnotes.iter().zip(1..) {
            each(Element::Footnote(at), Some(&format!("{at}. {note}")));
        }
        let word = spec::source_word(language);
        let source = furniture.source.map(|source| format!("{word}{source}"));
        each(Element::Source, source.as_deref());
        each(Element::Footer, furniture.footer.as_deref());
        each(
            Element::Confidentiality,
            furniture.confidentiality.as_deref(),
        );
        if let Some(byline) = byline(deck).filter(|_| slide.kind() == SlideType::Title) {
            each(Element::Byline, Some(&byline));
            self.add(Element::Byline.to_string(), byline, OriginPlace::Flow);
        }
    }
}

/// Author and date, as the title page shows them.
pub(in crate::pages) fn byline(deck: &Presentation) -> Option<String> {
    let said = [&deck.meta.author, &deck.meta.date].into_iter().flatten();
    let said: Vec<&str> = said
        .filter(|line| !is_none(line))
        .map(Line::as_str)
        .collect();
    (!said.is_empty()).then(|| said.join(" · "))
}

/// What a column shows below its heading: its text, then its points.
pub(super) fn column_texts(column: &sdsl::Column) -> Vec<String> {
    let columns = parts::columns(std::slice::from_ref(column));
    let Some(spec::Part::Columns { columns }) = columns.into_iter().next() else {
        return Vec::new();
    };
    let blocks = columns.into_iter().flat_map(|column| column.blocks);
    blocks.map(|block| block.text).collect()
}

/// A point's lead in bold and the rest, where a layout shows them apart.
pub(super) fn lead(bullet: &Bullet) -> Option<(String, String)> {
    let item = slide::message(bullet);
    item.detail.map(|detail| (item.text, detail))
}
