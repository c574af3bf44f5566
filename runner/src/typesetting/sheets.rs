//! Pages together on contact sheets, for a model that looks at them.

use bytes::Bytes;
use domain::typeset::ContactSheet;
use render::{Fonts, SHEET_PAGE_W, SheetPage, THUMBNAIL_W};

use super::fonts::{failed, wanted};
use crate::ports::TypesetError;

/// The width of the pictures of pages, which are those of the contact sheets where these are wanted.
pub(super) fn picture_px(sheets_max: Option<u32>) -> u32 {
    sheets_max.map_or(THUMBNAIL_W, |_| SHEET_PAGE_W)
}

/// The pages on so many sheets at most, in their order. A page without a picture is on none.
pub(super) fn contact_sheets(
    fonts: &Fonts,
    pictures: &[(u32, Bytes)],
    slide_of: &[usize],
    sheets_max: Option<u32>,
    go_on: &dyn Fn() -> bool,
) -> Result<Vec<ContactSheet>, TypesetError> {
    let names = render::slide_parts(slide_of).into_iter();
    let names: Vec<String> = names.map(render::page_name).collect();
    let named = names.iter().zip(1_u32..).filter_map(|(caption, number)| {
        let mut pictures = pictures.iter();
        let (_, png) = pictures.find(|(page, _)| *page == number)?;
        Some((number, SheetPage { caption, png }))
    });
    let (numbers, pages): (Vec<u32>, Vec<SheetPage<'_>>) = named.unzip();
    let (mut numbers, mut pages) = (numbers.as_slice(), pages.as_slice());
    let mut sheets = vec![];
    for _ in 0..sheets_max.unwrap_or(0) {
        if pages.is_empty() {
            break;
        }
        wanted(go_on)?;
        let (png, count) = render::contact_sheet(pages, fonts).map_err(failed)?;
        let (shown, left) = numbers.split_at(count);
        sheets.push(ContactSheet {
            png: png.into(),
            pages: shown.to_vec(),
        });
        (numbers, pages) = (left, &pages[count..]);
    }
    Ok(sheets)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_without_a_picture_or_without_room_are_on_no_sheet() {
        let fonts = Fonts::embedded();
        let page = format!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{SHEET_PAGE_W}\" height=\"428\"><rect width=\"9\" height=\"9\"/></svg>"
        );
        let png = render::png(&page, SHEET_PAGE_W, &fonts).expect("a picture");
        let png = Bytes::from(png);
        let pictures: Vec<(u32, Bytes)> = (1..=14)
            .filter(|page| *page != 3)
            .map(|page| (page, png.clone()))
            .collect();
        let slide_of: Vec<usize> = (0..14).collect();
        let on = |sheets_max| {
            let drawn = contact_sheets(&fonts, &pictures, &slide_of, sheets_max, &|| true);
            let drawn = drawn.expect("they are drawn");
            drawn
                .into_iter()
                .map(|sheet| sheet.pages)
                .collect::<Vec<_>>()
        };
        let expected = [vec![1, 2, 4, 5, 6, 7], vec![8, 9, 10, 11, 12, 13]];
        assert_eq!(on(Some(2)), expected);
        assert_eq!(on(Some(9)).len(), 3);
        assert!(on(None).is_empty());
    }
}
