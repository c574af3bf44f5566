//! The styles of a document, by the names that word processors know.

use docx_rs::{
    AbstractNumbering, AlignmentType, BorderType, IndentLevel, Level, LevelJc, LevelText,
    LineSpacing, LineSpacingType, NumberFormat, ParagraphBorder, ParagraphBorderPosition,
    ParagraphBorders, RunFonts, Shading, SpecialIndentType, Start, Style, StyleType,
};

use crate::fonts::of_language;

/// Size of text in half points.
pub(super) const SIZE: usize = 21;
/// Indent of each level of a list or quote, in twentieths of a point.
pub(super) const INDENT: i32 = 420;
/// Levels that numbering knows.
pub(super) const LIST_LEVELS: usize = 9;
/// Ids of the two kinds of lists; the crate that writes them has one of its own with a lower number.
pub(super) const BULLETS: usize = 11;
pub(super) const NUMBERS: usize = 12;

/// Style of a book's paragraph, of the same with its first line set in, and of a scene break.
pub(super) const BODY_TEXT: &str = "BodyText";
pub(super) const BODY_FIRST: &str = "BodyTextFirstIndent";
pub(super) const SCENE_BREAK: &str = "SceneBreak";

/// Ground of code and of a table's head.
pub(super) const SHADE: &str = "F0F2F5";
pub(super) const LINE: &str = "BFC7D1";
pub(super) const LINK: &str = "0B57B0";
const HEAD: &str = "14365F";
pub(super) const SOFT: &str = "59636E";
/// Names and values in a program, as on the page.
pub(super) const NAME: &str = "6B3FA0";
pub(super) const VALUE: &str = "8A4B08";

/// Sizes of headings in half points, from the first level.
const HEADINGS: [usize; 6] = [34, 30, 26, 23, 21, 21];

/// Latin type that office programs have or replace by one of the same widths, and the first family of the language.
pub(super) fn fonts(language: &str) -> RunFonts {
    named("Calibri", language, false)
}

/// Type with serifs, as books have it.
pub(super) fn book_fonts(language: &str) -> RunFonts {
    named("Times New Roman", language, true)
}

/// Type whose characters all have the same width.
pub(super) fn mono(language: &str) -> RunFonts {
    named("Courier New", language, false)
}

fn named(latin: &str, language: &str, serif: bool) -> RunFonts {
    let families = of_language(language, serif);
    // The list begins with families of other systems; office programs have one of these, or replace it.
    let wanted = families.iter().find(|family| {
        matches!(
            **family,
            "Microsoft YaHei" | "Microsoft JhengHei" | "Yu Gothic" | "Malgun Gothic" | "SimSun"
        )
    });
    let east_asian = wanted
        .or(families.first())
        .copied()
        .unwrap_or("Microsoft YaHei");
    RunFonts::new()
        .ascii(latin)
        .hi_ansi(latin)
        .cs(latin)
        .east_asia(east_asian)
}

pub(super) fn styles(language: &str) -> Vec<Style> {
    let mut styles = vec![
        paragraph("Title", "Title").size(44).bold().color(HEAD),
        paragraph("Subtitle", "Subtitle").color(SOFT),
        paragraph("ListParagraph", "List Paragraph"),
        paragraph("Quote", "Quote").color(SOFT),
        paragraph("Code", "HTML Preformatted")
            .size(19)
            .fonts(mono(language)),
        paragraph("TableText", "Table Text").size(20),
        paragraph("FootnoteText", "footnote text")
            .size(18)
            .color(SOFT),
        paragraph("Footer", "footer").size(18).color(SOFT),
    ];
    for style in &mut styles {
        let spacing = match style.style_id.as_str() {
            "Title" => spaced(0, 240, 280),
            "ListParagraph" => spaced(0, 70, 310),
            "Code" => spaced(60, 180, 260),
            "TableText" => spaced(40, 40, 270),
            "FootnoteText" => spaced(0, 60, 260),
            _ => spaced(0, 140, 310),
        };
        let mut property = std::mem::take(&mut style.paragraph_property).line_spacing(spacing);
        if style.style_id == "Title" {
            property = property.keep_next(true).keep_lines(true).outline_lvl(0);
        }
        if style.style_id == "Code" {
            property = property.shading(Shading::new().fill(SHADE));
        }
        if style.style_id == "Quote" {
            let bar = ParagraphBorder::new(ParagraphBorderPosition::Left)
                .val(BorderType::Single)
                .size(18)
                .space(10)
                .color(LINE);
            property = property.set_borders(ParagraphBorders::with_empty().set(bar));
        }
        style.paragraph_property = property;
    }
    for (at, size) in HEADINGS.into_iter().enumerate() {
        let level = at + 1;
        let mut style = paragraph(&format!("Heading{level}"), &format!("heading {level}"))
            .size(size)
            .bold()
            .color(if level < 5 { HEAD } else { SOFT });
        style.paragraph_property = std::mem::take(&mut style.paragraph_property)
            .line_spacing(spaced(if level < 3 { 320 } else { 240 }, 120, 280))
            .keep_next(true)
            .keep_lines(true)
            .outline_lvl(at);
        styles.push(style);
    }
    turned(styles, language)
}

/// The styles, with paragraphs read from right to left if the language is. Code is always read from left to right.
fn turned(mut styles: Vec<Style>, language: &str) -> Vec<Style> {
    if spec::text::is_right_to_left(language) {
        for style in styles.iter_mut().filter(|style| style.style_id != "Code") {
            style.paragraph_property = std::mem::take(&mut style.paragraph_property).bidi(true);
        }
    }
    styles
}

/// The styles that a book has besides: paragraphs whose first line is set in by two characters, and scene breaks.
pub(super) fn of_books(language: &str) -> Vec<Style> {
    // Two characters of the text's size, in twentieths of a point.
    let indent = i32::try_from(2 * SIZE * 10).unwrap_or(INDENT);
    let text = |id: &str, name: &str| {
        let mut style = Style::new(id, StyleType::Paragraph)
            .name(name)
            .based_on("Normal")
            .align(AlignmentType::Both);
        style.paragraph_property =
            std::mem::take(&mut style.paragraph_property).line_spacing(spaced(0, 60, 340));
        style
    };
    let styles = vec![
        text(BODY_TEXT, "Body Text").next(BODY_FIRST),
        text(BODY_FIRST, "Body Text First Indent").indent(
            None,
            Some(SpecialIndentType::FirstLine(indent)),
            None,
            None,
        ),
        text(SCENE_BREAK, "Scene Break")
            .next(BODY_TEXT)
            .align(AlignmentType::Center)
            .line_spacing(spaced(200, 260, 340)),
    ];
    turned(styles, language)
}

fn paragraph(id: &str, name: &str) -> Style {
    let style = Style::new(id, StyleType::Paragraph)
        .name(name)
        .based_on("Normal");
    if matches!(id, "Code" | "ListParagraph" | "Quote") {
        style
    } else {
        style.next("Normal")
    }
}

/// Space before, after, and between lines (240 is one line).
fn spaced(before: u32, after: u32, line: i32) -> LineSpacing {
    LineSpacing::new()
        .before(before)
        .after(after)
        .line(line)
        .line_rule(LineSpacingType::Auto)
}

pub(super) fn bullets() -> AbstractNumbering {
    levels(BULLETS, |level| {
        ("bullet", ["•", "◦", "▪"][level % 3].to_owned())
    })
}

pub(super) fn numbers() -> AbstractNumbering {
    levels(NUMBERS, |level| {
        let format = ["decimal", "lowerLetter", "lowerRoman"][level % 3];
        (format, format!("%{}.", level + 1))
    })
}

fn levels(id: usize, looks: impl Fn(usize) -> (&'static str, String)) -> AbstractNumbering {
    let mut numbering = AbstractNumbering::new(id);
    for level in 0..LIST_LEVELS {
        let (format, text) = looks(level);
        let left = INDENT * i32::try_from(level + 1).unwrap_or(1);
        numbering = numbering.add_level(
            Level::new(
                IndentLevel::new(level).val,
                Start::new(1),
                NumberFormat::new(format),
                LevelText::new(text),
                LevelJc::new("left"),
            )
            .indent(
                Some(left),
                Some(SpecialIndentType::Hanging(INDENT)),
                None,
                None,
            ),
        );
    }
    numbering
}
