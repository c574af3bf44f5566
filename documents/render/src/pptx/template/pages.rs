//! A deck's slides as pages of a template: the boxes of its layouts, its colours and fonts.

use spec::{
    ColorScheme, FontConfig, LayoutOutline, Rgb, TemplateOutline, Theme, contrast, limits, readable,
};

use super::read::{HolderKind, LayoutPage, Placeholder, Template};
use super::style::{Bullet, Level};
use crate::fonts::Fonts;
use crate::layouts::{Frame, Held, Look, Place, framed};
use crate::paginate::paginate_with;
use crate::scene::{PAGE_H, PAGE_W, Rect};
use crate::{DeckPage, DraftPage, PageContext, PageCount};

/// A page of a deck in a template.
#[derive(Debug, Clone)]
pub struct TemplatePage {
    pub page: DeckPage,
    /// Index of the template's layout.
    pub layout: usize,
    /// Index of the slide it is made of.
    pub slide: usize,
    pub(super) held: Vec<Held>,
}

/// A box for text that is smaller than this share of the largest one is for a remark, not for the slide's text.
const BODY_SHARE_MIN: f32 = 0.35;
/// A heading has no room in a box that is narrower than this share of the page.
const TEXT_W_SHARE_MIN: f32 = 0.15;
/// Content ends at this share of a page's height, as on pages of ours.
const CONTENT_SHARE: f32 = 0.9;
/// Space between a heading and the content, and least height of the content.
const GAP: f32 = 14.0;
const CONTENT_H_MIN: f32 = 120.0;
/// Margin where nothing of a template says one, as a share of the width.
const MARGIN_SHARE: f32 = 0.06;
/// Text that is less legible than this stands on something else than the ground: a picture or a shape.
const GROUND_CONTRAST_MIN: f64 = 2.5;
/// Sizes that the parts of pages are designed for.
const TITLE_PT: f64 = 30.0;
const BODY_PT: f64 = 18.0;

impl Template {
    /// What a deck needs to know to choose layouts.
    #[must_use]
    pub fn outline(&self) -> TemplateOutline {
        TemplateOutline {
            page: self.page,
            masters: self
                .masters
                .iter()
                .map(|master| master.name.clone())
                .collect(),
            layouts: self.layouts.iter().map(outline).collect(),
        }
    }

    /// Names of the families that the theme of a layout's master has for headings and texts.
    #[must_use]
    pub fn families(&self, layout: usize) -> (String, String) {
        let fonts = self.theme(layout).font_config;
        (fonts.title_font, fonts.body_font)
    }

    /// How many pixels of a scene a pixel of the template's page is: a page of any shape is as large as ours is.
    pub(super) fn scale(&self) -> f32 {
        (PAGE_W * PAGE_H / (self.page.0 * self.page.1)).sqrt()
    }

    /// The slides, each on its layout, as pages; a slide that says too much goes on on a further page of the layout.
    ///
    /// # Panics
    /// When a layout is not one of the template.
    #[must_use]
    pub fn pages(
        &self,
        slides: Vec<DraftPage>,
        layouts: &[usize],
        deck: &PageContext,
        fonts: &Fonts,
    ) -> Vec<TemplatePage> {
        let frames: Vec<(Frame, Theme)> = (0..self.layouts.len())
            .map(|at| (self.frame(at), self.theme(at)))
            .collect();
        let of = |slide: usize| &frames[layouts[slide]];
        let pages = paginate_with(slides, deck, PageCount::Free, &|slide, spec, context| {
            let (frame, theme) = of(slide);
            framed(spec, frame, theme, context, fonts).0
        });
        let pages = pages.into_iter().map(|(slide, page)| {
            let (frame, theme) = of(slide);
            let (_, held) = framed(&page.slide, frame, theme, &page.context, fonts);
            TemplatePage {
                page,
                layout: layouts[slide],
                slide,
                held,
            }
        });
        pages.collect()
    }

    /// The colours and fonts of a layout as a theme of ours.
    #[must_use]
    pub fn theme(&self, layout: usize) -> Theme {
        let page = &self.layouts[layout];
        let colors = &page.colors;
        let family = |kind: &[HolderKind], usual: &str| {
            let holder = page
                .holders
                .iter()
                .find(|holder| kind.contains(&holder.kind));
            let latin = holder.and_then(|holder| holder.levels[0].latin.clone());
            self.family(page.master, latin.as_deref().unwrap_or(usual))
        };
        let text = [
            HolderKind::Content,
            HolderKind::Text,
            HolderKind::Subtitle,
            HolderKind::Other,
        ];
        Theme {
            theme_name: self.masters[page.master].name.clone(),
            design_style: "of the template".to_owned(),
            color_scheme: ColorScheme {
                primary: colors.named("accent1").hex(),
                secondary: colors.named("accent3").hex(),
                accent: colors.named("accent2").hex(),
                background: ground(page).hex(),
                text: ink(page).hex(),
            },
            font_config: FontConfig {
                title_font: family(&[HolderKind::Title], "+mj-lt"),
                body_font: family(&text, "+mn-lt"),
                title_size: TITLE_PT,
                body_size: BODY_PT,
            },
            master_slides: Vec::new(),
        }
    }

    /// A family as it is named, or the theme's.
    fn family(&self, master: usize, written: &str) -> String {
        let master = &self.masters[master];
        let family = match written {
            named if named.starts_with("+mj") => &master.major,
            named if named.starts_with("+mn") || named.trim().is_empty() => &master.minor,
            named => named,
        };
        // Characters that would end a name in a style sheet are left out.
        family.replace(['<', '>', '{', '}', ';', '"', '\\'], "")
    }

    /// The boxes of a layout, in the pixels of a scene.
    fn frame(&self, layout: usize) -> Frame {
        let page = &self.layouts[layout];
        let scale = self.scale();
        let size = (self.page.0 * scale, self.page.1 * scale);
        let of = |kind: HolderKind| {
            let mut each = page.holders.iter().enumerate();
            each.find(|(_, holder)| holder.kind == kind && self.holds_text(holder))
                .map(|(at, holder)| self.place(page, at, holder))
        };
        let (bodies, heads) = bodies(page);
        let places = |list: Vec<usize>| -> Vec<Place> {
            list.into_iter()
                .map(|at| self.place(page, at, &page.holders[at]))
                .collect()
        };
        let (bodies, heads) = (places(bodies), places(heads));
        let (title, subtitle) = (of(HolderKind::Title), of(HolderKind::Subtitle));
        let (footer, number) = (of(HolderKind::Footer), of(HolderKind::Number));
        let master_body = page.master_body.map(|rect| scaled(rect, scale));
        let content = content(
            size,
            &[&title, &subtitle],
            &bodies,
            &heads,
            master_body,
            &[&footer, &number],
        );
        Frame {
            size,
            ground: ground(page),
            title,
            subtitle,
            bodies,
            heads,
            footer,
            number,
            content,
        }
    }

    /// Whether a line of text has room in a box.
    fn holds_text(&self, holder: &Placeholder) -> bool {
        let least = match holder.kind {
            HolderKind::Number | HolderKind::Footer | HolderKind::Date => 0.0,
            HolderKind::Title
            | HolderKind::Subtitle
            | HolderKind::Text
            | HolderKind::Content
            | HolderKind::Other => TEXT_W_SHARE_MIN,
        };
        !holder.body.is_vertical() && holder.rect.w >= self.page.0 * least
    }

    fn place(&self, page: &LayoutPage, at: usize, holder: &Placeholder) -> Place {
        let scale = self.scale();
        let outer = scaled(holder.rect, scale);
        let [left, top, right, bottom] = holder.body.insets().map(|inset| inset * scale);
        let rect = Rect::new(
            outer.x + left,
            outer.y + top,
            (outer.w - left - right).max(1.0),
            (outer.h - top - bottom).max(1.0),
        );
        Place {
            holder: at,
            outer,
            rect,
            anchor: holder.body.anchor(),
            looks: holder
                .levels
                .iter()
                .map(|level| look(page, holder.kind, level, scale))
                .collect(),
        }
    }
}

fn look(page: &LayoutPage, kind: HolderKind, level: &Level, scale: f32) -> Look {
    let size = level.size() * scale;
    let latin = level.latin.as_deref();
    Look {
        size,
        line: level.line(),
        bold: level.bold.unwrap_or(false),
        display: match latin {
            Some(latin) => latin.starts_with("+mj"),
            None => kind == HolderKind::Title,
        },
        color: shown(page, level),
        align: level.align.unwrap_or(crate::scene::Align::Left),
        mark: match &level.bullet {
            Some(Bullet::Sign(sign)) => Some(sign.clone()),
            Some(Bullet::None) | None => None,
        },
        left: level.left.unwrap_or(0.0) * scale,
        first: level.first.unwrap_or(0.0) * scale,
        above: level
            .above
            .map_or(0.0, |above| above.px(level.size()) * scale),
        below: level
            .below
            .map_or(0.0, |below| below.px(level.size()) * scale),
    }
}

/// The colour of a level on a page that shows nothing of the template's pictures and shapes: legible, where the template's own
/// would stand on one of them.
fn shown(page: &LayoutPage, level: &Level) -> Rgb {
    let color = level.color.unwrap_or_else(|| page.colors.named("tx1"));
    if page.graphics || page.ground.is_none() {
        readable(color, ground(page), limits::TEXT_CONTRAST_MIN)
    } else {
        color
    }
}

fn outline(page: &LayoutPage) -> LayoutOutline {
    let has = |kind: HolderKind| page.holders.iter().any(|holder| holder.kind == kind);
    let (bodies, _) = bodies(page);
    let rects: Vec<Rect> = bodies.iter().map(|at| page.holders[*at].rect).collect();
    LayoutOutline {
        name: page.name.clone(),
        master: page.master,
        kind: page.kind.clone(),
        title: has(HolderKind::Title),
        subtitle: has(HolderKind::Subtitle),
        bodies: bodies.len(),
        beside: rects.len() > 1 && side_by_side(&rects),
        others: page
            .holders
            .iter()
            .filter(|holder| holder.kind == HolderKind::Other)
            .count(),
        vertical: page.holders.iter().any(|holder| holder.body.is_vertical()),
        footer: has(HolderKind::Footer),
        page_number: has(HolderKind::Number),
        graphics: page.graphics || page.ground.is_none(),
        used: page.used,
        opens: page.opens,
    }
}

/// Indices of the boxes for the slide's text in the order of reading, and of their headings.
fn bodies(page: &LayoutPage) -> (Vec<usize>, Vec<usize>) {
    let of = |kinds: &[HolderKind]| -> Vec<usize> {
        let each = page.holders.iter().enumerate();
        each.filter(|(_, holder)| kinds.contains(&holder.kind) && !holder.body.is_vertical())
            .map(|(at, _)| at)
            .collect()
    };
    let by_column = |list: &mut Vec<usize>| {
        let rects: Vec<Rect> = list.iter().map(|at| page.holders[*at].rect).collect();
        if side_by_side(&rects) {
            list.sort_by(|a, b| {
                let x = |at: &usize| page.holders[*at].rect.x;
                x(a).total_cmp(&x(b))
            });
        }
    };
    let (mut contents, mut texts) = (of(&[HolderKind::Content]), of(&[HolderKind::Text]));
    if page.kind.as_deref() == Some("twoTxTwoObj") && contents.len() == texts.len() {
        by_column(&mut contents);
        by_column(&mut texts);
        return (contents, texts);
    }
    let mut all = of(&[HolderKind::Content, HolderKind::Text]);
    let area = |at: &usize| page.holders[*at].rect.w * page.holders[*at].rect.h;
    let most = all.iter().map(area).fold(0.0, f32::max);
    all.retain(|at| area(at) >= most * BODY_SHARE_MIN);
    by_column(&mut all);
    (all, Vec::new())
}

/// Whether every two share some height and none of the width.
fn side_by_side(rects: &[Rect]) -> bool {
    rects.iter().enumerate().all(|(at, a)| {
        rects[..at].iter().all(|b| {
            let shared = a.bottom().min(b.bottom()) - a.y.max(b.y);
            let apart = a.right() <= b.x + 1.0 || b.right() <= a.x + 1.0;
            shared > 0.0 && apart
        })
    })
}

/// The colour of the layout's text.
fn ink(page: &LayoutPage) -> Rgb {
    let of = |kinds: &[HolderKind]| {
        let mut each = page.holders.iter();
        let holder = each.find(|holder| kinds.contains(&holder.kind))?;
        holder.levels[0].color
    };
    of(&[HolderKind::Content, HolderKind::Text])
        .or_else(|| of(&[HolderKind::Subtitle]))
        .or(page.master_ink)
        .or_else(|| of(&[HolderKind::Title]))
        .unwrap_or_else(|| page.colors.named("tx1"))
}

/// The colour of the layout's ground. Where it is a picture, or text could not be read on it because a shape is between, it is
/// taken to be the theme's colour that is furthest from the text.
fn ground(page: &LayoutPage) -> Rgb {
    let ink = ink(page);
    if let Some(ground) = page.ground
        && !(page.graphics && contrast(ink, ground) < GROUND_CONTRAST_MIN)
    {
        return ground;
    }
    let candidates = ["bg1", "bg2", "tx1", "tx2"].map(|name| page.colors.named(name));
    candidates
        .into_iter()
        .max_by(|a, b| contrast(ink, *a).total_cmp(&contrast(ink, *b)))
        .unwrap_or(Rgb::WHITE)
}

fn scaled(rect: Rect, scale: f32) -> Rect {
    Rect::new(
        rect.x * scale,
        rect.y * scale,
        rect.w * scale,
        rect.h * scale,
    )
}

/// The least box around some.
fn around(places: &[Place]) -> Option<Rect> {
    let (first, rest) = places.split_first()?;
    Some(rest.iter().fold(first.outer, |all, place| {
        let (x, y) = (all.x.min(place.outer.x), all.y.min(place.outer.y));
        Rect::new(
            x,
            y,
            all.right().max(place.outer.right()) - x,
            all.bottom().max(place.outer.bottom()) - y,
        )
    }))
}

/// Where content stands: in the boxes for text, else where the master has its text, below the headings and above the foot.
fn content(
    (w, h): (f32, f32),
    headings: &[&Option<Place>],
    bodies: &[Place],
    heads: &[Place],
    master_body: Option<Rect>,
    foot: &[&Option<Place>],
) -> Rect {
    let headings = || headings.iter().filter_map(|place| place.as_ref());
    let own = around(bodies);
    let mut area = own.or(master_body).unwrap_or_else(|| {
        let left = headings().map(|place| place.outer.x).fold(w, f32::min);
        let left = if left < w { left } else { w * MARGIN_SHARE };
        Rect::new(left, h * 0.1, w - 2.0 * left, h * 0.8)
    });
    if let Some(heads) = around(heads) {
        let bottom = area.bottom();
        area.y = area.y.min(heads.y);
        area.h = bottom - area.y;
    }
    if own.is_none() {
        let below = headings()
            .map(|place| place.outer.bottom())
            .fold(0.0, f32::max);
        // A heading that stands in the middle of the page has content above or below, whichever is higher.
        let bottom = area.bottom().max(h * CONTENT_SHARE);
        if below + GAP > area.y {
            area.y = below + GAP;
        }
        area.h = bottom - area.y;
    }
    let foot = foot
        .iter()
        .filter_map(|place| place.as_ref())
        .map(|place| place.outer)
        .filter(|foot| foot.y > h * 0.7 && foot.x < area.right() && foot.right() > area.x);
    let bottom = foot.map(|foot| foot.y).fold(h * CONTENT_SHARE, f32::min);
    area.h = area.bottom().min(bottom) - area.y;
    if area.h < CONTENT_H_MIN {
        area.y = (bottom - CONTENT_H_MIN).max(h * 0.05);
        area.h = bottom - area.y;
    }
    area.x = area.x.max(0.0);
    area.w = area.w.min(w - area.x);
    area
}
