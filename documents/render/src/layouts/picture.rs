//! An illustration or a picture beside text, and pictures that stand alone.

use std::sync::Arc;

use spec::{GivenPicture, Icon};

use super::page::Page;
use super::points::Points;
use crate::decoding::Patience;
use crate::picture::{Picture, cut_to, looked_at, shrunk, size_of};
use crate::scene::{BODY_LINE, Node, PictureNode, Rect, Text, as_px};
use crate::typeset::Face;

/// Width of the illustration: five of the twelve columns.
const PICTURE_W: f32 = 446.0;
/// Where a bullet stands, and the room for it.
const BULLET_X: f32 = 8.0;
const BULLET_W: f32 = 28.0;

/// What is shown beside a text.
#[derive(Clone, Copy)]
pub(super) enum Shown<'a> {
    /// An illustration around an icon.
    Drawn(Icon),
    Picture(&'a GivenPicture),
}

pub(super) fn image_text(
    page: &mut Page<'_>,
    title: &str,
    shown: Shown<'_>,
    caption: Option<&str>,
    text: &str,
    points: &[String],
) {
    let area = page.heading(title);
    picture(
        page,
        Rect::new(area.x, area.y, PICTURE_W, area.h),
        shown,
        caption,
    );
    let p = page.palette.clone();
    let x = area.x + PICTURE_W + 48.0;
    let w = area.right() - x;
    let (mark, gap) = (BULLET_X + BULLET_W, page.gap(14.0));
    let setter = page.setter;
    let text_h = |size: f32| setter.height(text, w, size, 1.6, Face::Text);
    let point_h = |point: &String, size: f32| {
        setter
            .height(point, w - mark, size * 0.93, BODY_LINE, Face::Strong)
            .max(30.0)
    };
    let used = |size: f32| {
        let list: f32 = points.iter().map(|point| point_h(point, size)).sum();
        text_h(size) + list + gap * as_px(points.len()) + if points.is_empty() { 0.0 } else { 26.0 }
    };
    let size = page.largest(
        points.iter().map(String::as_str).chain([text]),
        page.px(27.0),
        Face::Text,
        |size| used(size) <= area.h,
    );
    let mut y = area.y + ((area.h - used(size)) * 0.4).max(0.0);
    let mut paragraph = Text::new(Rect::new(x, y, w, text_h(size)), text, size, p.text);
    paragraph.line = 1.6;
    let mut list = Points::default();
    list.plain(page, paragraph, 0);
    y += text_h(size);
    if !points.is_empty() {
        page.fill(Rect::new(x, y + 16.0, w, 2.0), p.line, 1.0);
        y += 26.0;
    }
    let marked = points.iter().any(|point| spec::text::is_marked(point));
    for point in points {
        y += gap;
        let h = point_h(point, size);
        let place = Rect::new(x + mark, y, w - mark, h);
        let text = Text::new(place, point, size * 0.93, p.text);
        let text = if marked { text } else { text.bold() };
        list.bullet(page, text, x + BULLET_X, p.primary_ink);
        y += h;
    }
    list.end(page);
}

/// The picture, or the motif as a ground, a disc, and the icon drawn large.
fn picture(page: &mut Page<'_>, rect: Rect, shown: Shown<'_>, caption: Option<&str>) {
    let p = page.palette.clone();
    let size = caption.map_or(0.0, |text| {
        page.fit(
            [text],
            (rect.w - 12.0, 58.0),
            page.px(19.0),
            BODY_LINE,
            Face::Text,
        )
    });
    let caption_h = caption.map_or(0.0, |text| {
        page.height(text, rect.w - 12.0, size, BODY_LINE, Face::Text) + 14.0
    });
    let panel = Rect::new(rect.x, rect.y, rect.w, rect.h - caption_h);
    match shown {
        Shown::Drawn(icon) => illustration(page, panel, icon),
        Shown::Picture(picture) => filling(page, panel, picture),
    }
    if let Some(text) = caption {
        let under = Rect::new(
            rect.x + 6.0,
            panel.bottom() + 14.0,
            rect.w - 12.0,
            caption_h - 14.0,
        );
        page.text(Text::new(under, text, size, p.muted).center());
    }
}

fn illustration(page: &mut Page<'_>, panel: Rect, icon: Icon) {
    let p = page.palette.clone();
    page.fill(panel, p.field, 24.0);
    page.art(
        panel,
        p.motif,
        [
            p.field_raised,
            p.field.mix(p.secondary, 0.4),
            p.field.mix(p.field_accent, 0.75),
        ],
        24.0,
    );
    let d = panel.h.min(panel.w) * 0.62;
    let disc = Rect::new(
        panel.x + (panel.w - d) / 2.0,
        panel.y + (panel.h - d) / 2.0,
        d,
        d,
    );
    page.fill(disc, p.bg, d / 2.0);
    page.icon(disc.inset(d * 0.24, d * 0.24), icon, p.primary_ink);
}

/// Longest sides of a picture in pixels: the first is twice that of its largest place, for screens with two pixels in a CSS pixel; the
/// others are for pictures whose file would be too large.
const GIVEN_PX: [u32; 3] = [1_800, 1_200, 600];
/// Most bytes of a picture: it is written as text into each page that shows it.
const GIVEN_BYTES: usize = 1_500_000;
/// A picture with few pixels is drawn at most so many times as large as it is.
const ENLARGED_MAX: f32 = 2.0;

/// The picture in its own proportions in the middle of the page; where it cannot be read, what it shows in words.
pub(super) fn given(page: &mut Page<'_>, title: &str, given: &GivenPicture, caption: Option<&str>) {
    let area = page.long_heading(title);
    let area = page.above_caption(caption, area);
    page.caption(caption, area);
    placed(page, area, given);
}

/// The most of a picture that is cut off so that it fills its place: a square beside a cover's title loses a third.
const CUT_MAX: f32 = 0.4;

/// The picture cut to the shape of an area, around its middle; one that would lose too much is shown whole.
pub(super) fn filling(page: &mut Page<'_>, area: Rect, given: &GivenPicture) {
    let bytes = &given.bytes.0;
    let whole = size_of(bytes).map(|(w, h)| w as f32 / h as f32);
    let lost = whole.map_or(1.0, |whole| {
        let shape = area.w / area.h;
        1.0 - (shape / whole).min(whole / shape)
    });
    let cut = (lost <= CUT_MAX)
        .then(|| cut_to(bytes, (area.w, area.h), GIVEN_PX[1], Patience::Endless).ok())
        .flatten();
    match cut {
        Some(picture) => page.put(Node::Picture(PictureNode {
            rect: area,
            alt: given.alt.clone(),
            picture: Arc::new(picture),
        })),
        None => placed(page, area, given),
    }
}

/// The picture as large as an area allows, in its middle; where it cannot be read, what it shows in words.
pub(super) fn placed(page: &mut Page<'_>, area: Rect, given: &GivenPicture) {
    let Some(picture) = on_page(&given.bytes.0) else {
        let p = page.palette.clone();
        page.card(area);
        let place = area.inset(40.0, 30.0);
        page.text(
            Text::new(
                place,
                spec::text::literal(&given.alt),
                page.px(22.0),
                p.muted,
            )
            .center()
            .middle(),
        );
        return;
    };
    #[expect(
        clippy::cast_precision_loss,
        reason = "a side has some thousand pixels"
    )]
    let (w, h) = (picture.width as f32, picture.height as f32);
    let scale = (area.w / w).min(area.h / h).min(ENLARGED_MAX);
    let (w, h) = (w * scale, h * scale);
    let rect = Rect::new(
        area.x + (area.w - w) / 2.0,
        area.y + (area.h - h) / 2.0,
        w,
        h,
    );
    page.put(Node::Picture(PictureNode {
        rect,
        alt: given.alt.clone(),
        picture: Arc::new(picture),
    }));
}

/// The picture for a page: in its own format if its file is small enough, else as JPEG where it is opaque, with ever fewer pixels.
pub(super) fn on_page(bytes: &[u8]) -> Option<Picture> {
    let as_it_is = shrunk(bytes, GIVEN_PX[0], Patience::Endless).ok()?;
    let is_small = |picture: &Picture| picture.bytes.len() <= GIVEN_BYTES;
    if is_small(&as_it_is) {
        return Some(as_it_is);
    }
    let smaller = GIVEN_PX
        .into_iter()
        .filter_map(|side| looked_at(bytes, side, Patience::Endless).ok());
    let mut smaller = smaller.skip_while(|picture| !is_small(picture));
    smaller.next()
}
