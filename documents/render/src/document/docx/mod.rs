//! Reports and books as documents for word processors.

mod body;
pub(super) mod book;
mod direction;
mod package;
mod runs;
mod styles;
mod table;

use docx_rs::{
    AlignmentType, Docx, Footer, LineSpacing, LineSpacingType, NumPages, PageMargin, PageNum,
    Paragraph, Run, RunFonts, Style,
};

use super::text::{Text, one_line};
use super::{DocumentError, Report};
use body::{Block, Body, Setting};
use package::Properties;

/// A4, in twentieths of a point.
const PAGE: (u32, u32) = (11_906, 16_838);
/// Space at each side, 23 mm.
const MARGIN: i32 = 1_304;
/// What is left for text.
const TEXT_W: i32 = PAGE.0 as i32 - 2 * MARGIN;

pub(super) fn file(report: &Report) -> Result<Vec<u8>, DocumentError> {
    let text = Text::of(&report.markdown);
    let fonts = styles::fonts(&report.language);
    let mut body = Body::new(&text, Setting::Report, &report.language);
    let title = one_line(&report.title);
    let headings = text.headings();
    let h1s: Vec<&str> = headings
        .iter()
        .filter(|(level, _)| *level == 1)
        .map(|(_, words)| words.as_str())
        .collect();
    // The only heading of level 1 is the document's title, and written as such.
    body.title = (h1s == [title.as_str()]).then(|| title.clone());
    body.note = report
        .note
        .as_deref()
        .map(one_line)
        .filter(|note| !note.is_empty());
    if !h1s.contains(&title.as_str()) {
        body.put_title(&title);
    }
    body.events(&text.events);
    body.notes(&text.notes);
    let formulas = std::mem::take(&mut body.formulas);
    let docx = paged(fonts, styles::styles(&report.language), body);
    let properties = Properties {
        title: &title,
        authors: "",
        description: "",
        language: &crate::html::lang(&report.language),
    };
    package::write(docx, &properties, &formulas)
}

/// The blocks on their pages.
fn paged(fonts: RunFonts, styles: Vec<Style>, body: Body<'_, '_>) -> Docx {
    let mut docx = Docx::new()
        .page_size(PAGE.0, PAGE.1)
        .page_margin(PageMargin {
            top: MARGIN,
            bottom: MARGIN,
            left: MARGIN,
            right: MARGIN,
            header: 708,
            footer: 708,
            gutter: 0,
        })
        .default_fonts(fonts)
        .default_size(styles::SIZE)
        .default_line_spacing(
            LineSpacing::new()
                .after(140)
                .line(320)
                .line_rule(LineSpacingType::Auto),
        )
        .footer(footer());
    for style in styles {
        docx = docx.add_style(style);
    }
    docx = docx
        .add_abstract_numbering(styles::bullets())
        .add_abstract_numbering(styles::numbers());
    for numbering in body.numberings {
        docx = docx.add_numbering(numbering);
    }
    for block in body.blocks {
        docx = match block {
            Block::Paragraph(paragraph) => docx.add_paragraph(*paragraph),
            Block::Table(table) => docx.add_table(*table),
        };
    }
    docx
}

/// The number of the page and of all pages.
fn footer() -> Footer {
    Footer::new().add_paragraph(
        Paragraph::new()
            .style("Footer")
            .align(AlignmentType::Center)
            .add_page_num(PageNum::new())
            .add_run(Run::new().add_text(" / "))
            .add_num_pages(NumPages::new()),
    )
}

/// A box to tick in front of an item.
pub(super) fn tick(done: bool) -> &'static str {
    if done { "☑ " } else { "☐ " }
}
