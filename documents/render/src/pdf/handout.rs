//! Pages with what is said to them, on paper: each page small under its title, its notes below it, as many on a sheet as have room.

use spec::{Rgb, Theme};

use super::{Bookmark, bound, check_count};
use crate::fonts::Fonts;
use crate::raster::RasterError;
use crate::scene::{Align, Art, Fill, Node, Rect, Role, Scene, SceneFonts, Text, as_px};
use crate::typeset::Typesetter;
use crate::{DeckPage, FileAbout};

#[cfg(test)]
#[path = "handout_tests.rs"]
mod tests;

/// A4 in CSS pixels.
const SHEET: (f32, f32) = (794.0, 1123.0);
/// What is printed on: margins of 19 and 17 mm.
const AREA: Rect = Rect::new(72.0, 64.0, 650.0, 975.0);
/// The largest small page: with its notes, two have room on a sheet.
const SMALL: (f32, f32) = (400.0, 400.0);
/// Type of the notes (12 points), of the titles, and of what stands at the foot.
const NOTE_PX: f32 = 16.0;
const TITLE_PX: f32 = 15.0;
const FOOT_PX: f32 = 12.0;
/// Space below a title, below a small page, between paragraphs, and between pages.
const TITLE_GAP: f32 = 6.0;
const SMALL_GAP: f32 = 12.0;
const PARAGRAPH_GAP: f32 = 6.0;
const PAGE_GAP: f32 = 30.0;

const INK: Rgb = Rgb(32, 32, 32);
const PALE_INK: Rgb = Rgb(96, 96, 96);
const HAIRLINE: Rgb = Rgb(190, 190, 190);

/// The pages with their notes as a PDF of A4 sheets. Notes that have no room on a sheet go on on the next one; a page without notes
/// stands there alone.
///
/// # Errors
/// As for [`pdf`](super::pdf); characters of the notes may be missing as well.
pub fn handout(
    pages: &[DeckPage],
    theme: &Theme,
    about: &FileAbout,
    fonts: &Fonts,
) -> Result<Vec<u8>, RasterError> {
    check_count(pages)?;
    let context = &pages[0].context;
    let setter = Typesetter::new(fonts, theme, &context.language);
    let sheets = sheets(pages, theme, &setter, &about.title);
    let slide = &pages[0].slide;
    let printed = sheets.sheets.into_iter().map(|sheet| {
        let page = DeckPage {
            slide: slide.clone(),
            scene: Scene {
                size: SHEET,
                background: Rgb::WHITE,
                gradient: None,
                nodes: sheet.nodes,
                adjustments: Vec::new(),
                fonts: SceneFonts::default(),
            },
            context: context.clone(),
            notes: None,
        };
        (page, sheet.drawings)
    });
    let printed: Vec<_> = printed.collect();
    let printed = printed.iter().map(|(page, said)| (page, said.clone()));
    bound(printed, sheets.marks.into_iter(), theme, about, fonts)
}

fn sheets<'a>(
    pages: &[DeckPage],
    theme: &'a Theme,
    setter: &'a Typesetter,
    title: &str,
) -> Sheets<'a> {
    let mut sheets = Sheets {
        theme,
        setter,
        sheets: vec![Sheet::default()],
        marks: Vec::with_capacity(pages.len()),
        y: AREA.y,
    };
    for page in pages {
        sheets.put_page(page);
    }
    sheets.put_feet(title);
    sheets
}

/// What is printed on one side of paper.
#[derive(Default)]
struct Sheet {
    nodes: Vec<Node>,
    /// What the small pages say, in their order.
    drawings: Vec<String>,
}

struct Sheets<'a> {
    theme: &'a Theme,
    setter: &'a Typesetter,
    /// Never empty; the last one is printed on.
    sheets: Vec<Sheet>,
    marks: Vec<Bookmark>,
    /// Where the next thing stands on the last sheet.
    y: f32,
}

impl Sheets<'_> {
    fn put_page(&mut self, page: &DeckPage) {
        let (w, h) = page.scene.size;
        let scale = (SMALL.0 / w).min(SMALL.1 / h);
        let title = self.title(page);
        let notes = page.notes.as_deref().unwrap_or_default();
        let notes: Vec<Text> = notes
            .trim()
            .lines()
            .map(|line| self.paragraph(line))
            .collect();
        let head = title.rect.h + TITLE_GAP + h * scale + SMALL_GAP;
        let said: f32 = notes.iter().map(|text| text.height() + PARAGRAPH_GAP).sum();
        // What has no room on a whole sheet begins on a new one as well.
        if self.y > AREA.y && self.y + head + said > AREA.bottom() {
            self.turn();
        }
        self.marks.push(Bookmark {
            words: spec::text::plain(page.slide.title()),
            sheet: self.sheets.len() - 1,
            y: self.y,
        });
        self.put(title.clone());
        self.y += TITLE_GAP;
        self.put_small(page, scale);
        self.y += SMALL_GAP;
        for text in notes {
            self.put_lines(text, &title);
            self.y += PARAGRAPH_GAP;
        }
        self.y += PAGE_GAP;
    }

    /// The page's number and title on one line.
    fn title(&self, page: &DeckPage) -> Text {
        let number = page.context.page_number;
        let words = format!("{number}\u{2002}{}", page.slide.title());
        let mut title = Text::new(AREA, words, TITLE_PX, INK).role(Role::Title);
        title.weight = 700;
        title.clip = true;
        self.set(title)
    }

    /// A line of the notes, as it was written.
    fn paragraph(&self, line: &str) -> Text {
        self.set(Text::new(AREA, spec::text::literal(line), NOTE_PX, INK))
    }

    /// The text with its lines broken, at the side where its readers begin.
    fn set(&self, mut text: Text) -> Text {
        if self.setter.is_right_to_left() {
            text.align = Align::Right;
        }
        self.setter.set(&mut text);
        text.rect.h = text.height();
        text
    }

    fn last(&mut self) -> &mut Sheet {
        self.sheets.last_mut().expect("there is a sheet")
    }

    fn turn(&mut self) {
        self.sheets.push(Sheet::default());
        self.y = AREA.y;
    }

    fn put(&mut self, mut text: Text) {
        text.rect.y = self.y;
        self.y += text.rect.h;
        self.last().nodes.push(Node::Text(text));
    }

    /// As many lines as there is room for, and the others on further sheets below the page's title.
    fn put_lines(&mut self, mut text: Text, title: &Text) {
        let pitch = text.size * text.line;
        while !text.lines.is_empty() {
            let room = ((AREA.bottom() - self.y) / pitch).max(0.0);
            let fits = (1..=text.lines.len()).take_while(|count| as_px(*count) <= room);
            let fits = fits.count();
            let mut now = text.clone();
            now.lines = text.lines.drain(..fits).collect();
            now.rect.h = now.height();
            if fits > 0 {
                self.put(now);
            }
            if !text.lines.is_empty() {
                self.turn();
                let mut again = title.clone();
                again.role = Role::Chrome;
                again.color = PALE_INK;
                self.put(again);
                self.y += TITLE_GAP;
            }
        }
    }

    fn put_small(&mut self, page: &DeckPage, scale: f32) {
        let (w, h) = page.scene.size;
        let x = if self.setter.is_right_to_left() {
            AREA.right() - w * scale
        } else {
            AREA.x
        };
        let rect = Rect::new(x, self.y, w * scale, h * scale);
        let drawn = crate::svg::svg(&page.scene, self.theme, &page.context.language);
        self.y += rect.h;
        let sheet = self.last();
        sheet.drawings.push(page.slide.plain_text());
        sheet.nodes.push(Node::Art(Art {
            rect,
            svg: format!("<g transform=\"scale({scale})\">{drawn}</g>"),
            radius: 0.0,
        }));
        sheet.nodes.push(Node::Fill(Fill {
            rect,
            color: HAIRLINE,
            radius: 0.0,
            border: Some((HAIRLINE, 1.0)),
            open: true,
        }));
    }

    /// The deck's title and the number of the sheet at the foot of each.
    fn put_feet(&mut self, title: &str) {
        let count = self.sheets.len();
        let y = AREA.bottom() + 18.0;
        for at in 0..count {
            let foot = |w: f32, words: &str, at_end: bool| {
                let rtl = self.setter.is_right_to_left();
                let x = if at_end == rtl {
                    AREA.x
                } else {
                    AREA.right() - w
                };
                let words = spec::text::literal(words);
                let rect = Rect::new(x, y, w, FOOT_PX);
                let mut text = self.set(Text::new(rect, words, FOOT_PX, PALE_INK).chrome());
                if at_end {
                    text.align = if rtl { Align::Left } else { Align::Right };
                }
                Node::Text(text)
            };
            let counted = format!("{} / {count}", at + 1);
            let feet = [
                foot(AREA.w * 0.85, title, false),
                foot(AREA.w * 0.15, &counted, true),
            ];
            self.sheets[at].nodes.extend(feet);
        }
    }
}
