//! Contact sheets: several pages together on one picture, each below a caption that says which slide it is, for a model that looks at them.

use std::fmt::Write as _;

use resvg::tiny_skia::{Pixmap, PixmapPaint, Transform};

use crate::fonts::Fonts;
use crate::html::escape;
use crate::raster::{RasterError, pixmap};

/// Longest side of a sheet in pixels. Models that see reduce larger pictures to about this.
const SIDE_MAX: u32 = 1_536;
/// Pages side by side. Of two, text of 18 pixels is still 10 high; of three it could not be read any longer.
const COLUMNS: usize = 2;
/// Space around a page, half of it on each side.
const GAP: u32 = 8;
/// Width of a page on a sheet in pixels.
pub const SHEET_PAGE_W: u32 = 760;
/// The strip above a page in which its caption stands, with the baseline of the caption in it.
const CAPTION_H: u32 = 28;
const CAPTION_BASELINE: u32 = 21;
const CAPTION_PX: u32 = 20;

/// A page for a sheet.
#[derive(Debug, Clone, Copy)]
pub struct SheetPage<'a> {
    pub caption: &'a str,
    /// The page as a PNG of [`SHEET_PAGE_W`].
    pub png: &'a [u8],
}

/// The slide and the part of it that each page shows, both counted from 1. `slide_of` has the slide of each page, counted from 0.
#[must_use]
pub fn slide_parts(slide_of: &[usize]) -> Vec<[usize; 2]> {
    let mut parts: Vec<[usize; 2]> = vec![];
    for slide in slide_of {
        let part = match parts.last() {
            Some([before, part]) if *before == slide + 1 => part + 1,
            Some(_) | None => 1,
        };
        parts.push([slide + 1, part]);
    }
    parts
}

/// What a page is called in its caption: `slide 7`, or `slide 7, part 2` where the slide goes on on a further page.
#[must_use]
pub fn page_name([slide, part]: [usize; 2]) -> String {
    if part > 1 {
        format!("slide {slide}, part {part}")
    } else {
        format!("slide {slide}")
    }
}

/// The first of these pages on a sheet, in rows, as a PNG; and how many of them are on it, at least one where there is one.
///
/// # Errors
/// [`RasterError::Unwritable`] where a page is no PNG; [`RasterError::Size`] where there is no page, or a page is too high.
pub fn contact_sheet(
    pages: &[SheetPage<'_>],
    fonts: &Fonts,
) -> Result<(Vec<u8>, usize), RasterError> {
    let width = match pages.len() {
        0 => {
            return Err(RasterError::Size {
                width: 0,
                height: 0,
            });
        }
        1 => SHEET_PAGE_W + GAP,
        _ => (SHEET_PAGE_W + GAP) * 2,
    };
    let mut height = 0;
    let mut captions = String::new();
    let mut placed: Vec<(u32, u32, Pixmap)> = vec![];
    for row in pages.chunks(COLUMNS) {
        let drawn: Result<Vec<Pixmap>, RasterError> = row.iter().map(decode).collect();
        let drawn = drawn?;
        let tallest = drawn.iter().map(Pixmap::height).max().unwrap_or(0);
        let row_h = tallest.saturating_add(CAPTION_H + GAP);
        if height > 0 && row_h > SIDE_MAX.saturating_sub(height) {
            break;
        }
        let mut x = GAP / 2;
        for (page, picture) in row.iter().zip(drawn) {
            let y = height + CAPTION_BASELINE;
            write!(
                captions,
                "<text x=\"{x}\" y=\"{y}\">{}</text>",
                escape(page.caption)
            )
            .expect("a string takes any text");
            placed.push((x, height + CAPTION_H, picture));
            x += SHEET_PAGE_W + GAP;
        }
        height += row_h;
    }
    let ground = format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" font-family=\"sans-serif\" \
         font-size=\"{CAPTION_PX}\" font-weight=\"700\"><rect width=\"{width}\" height=\"{height}\" fill=\"#d8d8d8\"/>{captions}</svg>"
    );
    let mut sheet = pixmap(&ground, width, fonts)?;
    let (plain, count) = (PixmapPaint::default(), placed.len());
    for (x, y, picture) in placed {
        let place = |at: u32| i32::try_from(at).unwrap_or(i32::MAX);
        let at = (place(x), place(y));
        sheet.draw_pixmap(
            at.0,
            at.1,
            picture.as_ref(),
            &plain,
            Transform::identity(),
            None,
        );
    }
    let png = sheet.encode_png().map_err(|error| unwritable(&error))?;
    Ok((png, count))
}

fn decode(page: &SheetPage<'_>) -> Result<Pixmap, RasterError> {
    Pixmap::decode_png(page.png).map_err(|error| unwritable(&error))
}

fn unwritable(error: &dyn std::error::Error) -> RasterError {
    RasterError::Unwritable {
        what: "contact sheet",
        reason: error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A page of this height in this colour.
    fn page(height: u32, color: &str) -> Vec<u8> {
        let svg = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SHEET_PAGE_W}\" height=\"{height}\">\
             <rect width=\"100%\" height=\"100%\" fill=\"{color}\"/></svg>"
        );
        crate::raster::png(&svg, SHEET_PAGE_W, &Fonts::embedded()).expect("a picture")
    }

    fn sheet(pages: &[Vec<u8>]) -> (Pixmap, usize) {
        let names: Vec<String> = (1..=pages.len()).map(|at| page_name([at, 1])).collect();
        let pages = names.iter().zip(pages);
        let pages: Vec<SheetPage<'_>> = pages
            .map(|(caption, png)| SheetPage { caption, png })
            .collect();
        let (png, count) = contact_sheet(&pages, &Fonts::embedded()).expect("a sheet");
        (Pixmap::decode_png(&png).expect("a PNG"), count)
    }

    fn at(sheet: &Pixmap, x: u32, y: u32) -> [u8; 3] {
        let pixel = sheet.pixel(x, y).expect("on the sheet");
        [pixel.red(), pixel.green(), pixel.blue()]
    }

    #[test]
    fn a_sheet_has_two_columns_and_as_many_rows_as_models_look_at() {
        let (red, blue) = (page(428, "#ff0000"), page(428, "#0000ff"));
        let (drawn, count) = sheet(&[
            red.clone(),
            blue,
            red.clone(),
            red.clone(),
            red.clone(),
            red.clone(),
            red,
        ]);
        assert_eq!((drawn.width(), drawn.height(), count), (1_536, 1_392, 6));
        assert_eq!(at(&drawn, 10, 40), [255, 0, 0]);
        assert_eq!(at(&drawn, 780, 40), [0, 0, 255]);
        // Pages of another shape are fewer.
        let tall = page(570, "#ff0000");
        let (drawn, count) = sheet(&[tall.clone(), tall.clone(), tall.clone(), tall.clone(), tall]);
        assert_eq!((drawn.height(), count), (1_212, 4));
    }

    #[test]
    fn a_page_alone_has_its_caption_above_it() {
        let (drawn, count) = sheet(&[page(428, "#ffffff")]);
        assert_eq!((drawn.width(), drawn.height(), count), (768, 464, 1));
        let inked = |y: u32| (0..768).any(|x| at(&drawn, x, y)[0] < 0x40);
        assert!((0..CAPTION_H).any(inked) && !(CAPTION_H..464).any(inked));
    }

    #[test]
    fn a_page_that_goes_on_says_which_part_of_its_slide_it_is() {
        let parts = slide_parts(&[0, 1, 1, 1, 2]);
        let names: Vec<String> = parts.into_iter().map(page_name).collect();
        let expected = [
            "slide 1",
            "slide 2",
            "slide 2, part 2",
            "slide 2, part 3",
            "slide 3",
        ];
        assert_eq!(names, expected);
    }

    #[test]
    fn what_is_no_picture_is_refused() {
        let page = SheetPage {
            caption: "slide 1",
            png: b"<svg/>",
        };
        let refused = contact_sheet(&[page], &Fonts::embedded());
        assert!(matches!(refused, Err(RasterError::Unwritable { .. })));
        let nothing = contact_sheet(&[], &Fonts::embedded());
        assert!(nothing.is_err(), "{nothing:?}");
    }
}
