//! The page being laid out: its grid, its header and footer, and the small things layouts put on it.

use std::cell::RefCell;

use spec::{ChartSpec, Icon, LayoutChange, Rgb, Theme};

use super::furniture;
use crate::PageContext;
use crate::palette::{Motif, Palette};
use crate::scene::{
    Art, BODY_LINE, Fill, IconNode, MARGIN, Node, PAGE_H, PAGE_W, Rect, Role, Scene, TITLE_LINE,
    Text, texts_of,
};
use crate::typeset::{Face, Typesetter};

/// Width between the margins.
pub(crate) const MEASURE: f32 = PAGE_W - 2.0 * MARGIN;
/// Top of a content page's heading, below the header.
const HEADING_Y: f32 = 74.0;
/// Content ends here; the footer stands below.
const CONTENT_BOTTOM: f32 = 646.0;
/// Space between a heading and the content.
const HEADING_GAP: f32 = 26.0;
/// Largest heading of a content page.
const HEADING_PX: f32 = 42.0;
/// A heading goes down to this before it takes a second line.
const HEADING_PX_ONE_LINE: f32 = 34.0;
/// Largest heading of two lines.
const HEADING_PX_TWO_LINES: f32 = 38.0;
/// Type of a heading of three lines, and the least there is.
const HEADING_PX_LONG: f32 = 30.0;
const HEADING_PX_MIN: f32 = 24.0;
/// Space for the mark before a heading.
const HEADING_INDENT: f32 = 24.0;
/// Type of a caption under a table or code that stands as a source has it, and the space above it.
const CAPTION_PX: f32 = 16.0;
const CAPTION_GAP: f32 = 10.0;
/// CSS pixels in a point.
const PX_PER_PT: f32 = 4.0 / 3.0;
/// Theme sizes that draw the pages as designed.
const DESIGNED_TITLE_PT: f64 = 32.0;
const DESIGNED_BODY_PT: f64 = 18.0;

/// What the header and footer stand on.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Ground {
    Page,
    Field,
    /// Field on the left half (header), page on the right (page number).
    FieldLeft,
    /// Page on the left, field on the right.
    FieldRight,
}

pub(crate) struct Page<'a> {
    pub(crate) palette: Palette,
    pub(crate) context: &'a PageContext,
    pub(crate) ground: Ground,
    pub(crate) setter: &'a Typesetter,
    /// Share of the designed space between and inside boxes.
    spacing: f32,
    /// Texts that were tried below their designed size: the texts, the designed size, the size that was tried.
    stepped: RefCell<Vec<(Vec<String>, f32, f32)>>,
    /// What stands otherwise than designed.
    reflowed: Vec<LayoutChange>,
    background: Rgb,
    /// What the background turns into towards the lower right corner.
    gradient: Option<Rgb>,
    /// Where content ends.
    bottom: f32,
    title_scale: f32,
    body_scale: f32,
    nodes: Vec<Node>,
}

/// How much larger or smaller than designed a theme wants its type; slots were measured within these bounds.
fn scale(points: f64, designed: f64) -> f32 {
    #[expect(clippy::cast_possible_truncation, reason = "a ratio near 1")]
    let ratio = (points / designed) as f32;
    if ratio.is_finite() {
        ratio.clamp(0.85, 1.12)
    } else {
        1.0
    }
}

impl<'a> Page<'a> {
    pub(crate) fn new(
        theme: &Theme,
        context: &'a PageContext,
        setter: &'a Typesetter,
        spacing: f32,
    ) -> Self {
        let palette = Palette::new(theme);
        Self {
            background: palette.bg,
            gradient: context
                .furniture
                .as_ref()
                .and_then(|furniture| furniture::gradient(&palette, furniture.ground)),
            bottom: CONTENT_BOTTOM,
            palette,
            context,
            ground: Ground::Page,
            setter,
            spacing,
            stepped: RefCell::default(),
            reflowed: Vec::new(),
            title_scale: scale(theme.font_config.title_size, DESIGNED_TITLE_PT),
            body_scale: scale(theme.font_config.body_size, DESIGNED_BODY_PT),
            nodes: Vec::new(),
        }
    }

    pub(crate) fn background(&mut self, color: Rgb) {
        self.background = color;
        self.gradient = None;
    }

    /// Makes the content end so much higher.
    pub(super) fn raise_bottom(&mut self, by: f32) {
        self.bottom -= by;
    }

    /// Where content ends.
    pub(super) fn bottom(&self) -> f32 {
        self.bottom
    }

    /// A heading size of the design in this theme.
    pub(crate) fn title_px(&self, designed: f32) -> f32 {
        designed * self.title_scale
    }

    /// A text size of the design in this theme.
    pub(crate) fn px(&self, designed: f32) -> f32 {
        designed * self.body_scale
    }

    /// A space of the design, as tight as this page is set.
    pub(crate) fn gap(&self, designed: f32) -> f32 {
        designed * self.spacing
    }

    /// Notes that parts stand otherwise than designed, because they would not fit; how, in Chinese and in English.
    pub(crate) fn reflow(&mut self, how: [String; 2]) {
        self.reflowed.push(LayoutChange::Reflow {
            how: spec::text::told(&self.context.language, how),
        });
    }

    /// Width in em of the text on one line.
    pub(crate) fn width(&self, text: &str, face: Face) -> f32 {
        self.setter.width(text, face)
    }

    /// Height in pixels of the text in a box of this width.
    pub(crate) fn height(&self, text: &str, w: f32, size: f32, line: f32, face: Face) -> f32 {
        self.setter.height(text, w, size, line, face)
    }

    /// The largest size, from the designed one down to the least of the face, at which the texts fit.
    pub(crate) fn largest<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
        designed: f32,
        face: Face,
        fits: impl Fn(f32) -> bool,
    ) -> f32 {
        let size = self.setter.largest(designed, face, fits);
        self.step(
            texts.into_iter().map(str::to_owned).collect(),
            designed,
            size,
        );
        size
    }

    /// The same down to a given size: text that must stand whole may be smaller than text that can be shortened.
    pub(crate) fn largest_to<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
        (designed, least): (f32, f32),
        fits: impl Fn(f32) -> bool,
    ) -> f32 {
        let mut size = designed.floor();
        while size > least && !fits(size) {
            size -= 0.5;
        }
        let size = size.max(least);
        self.step(
            texts.into_iter().map(str::to_owned).collect(),
            designed,
            size,
        );
        size
    }

    /// The largest size at which every one of the texts fits a box of `w` by `h`.
    pub(crate) fn fit<'t>(
        &self,
        texts: impl IntoIterator<Item = &'t str>,
        (w, h): (f32, f32),
        designed: f32,
        line: f32,
        face: Face,
    ) -> f32 {
        let texts: Vec<&str> = texts.into_iter().collect();
        let size = self
            .setter
            .fit(texts.iter().copied(), (w, h), designed, line, face);
        self.step(
            texts.into_iter().map(str::to_owned).collect(),
            designed,
            size,
        );
        size
    }

    fn step(&self, texts: Vec<String>, designed: f32, size: f32) {
        if size < designed.floor() {
            self.stepped.borrow_mut().push((texts, designed, size));
        }
    }

    pub(crate) fn fill(&mut self, rect: Rect, color: Rgb, radius: f32) {
        self.nodes.push(Node::Fill(Fill {
            rect,
            color,
            radius,
            border: None,
            open: false,
        }));
    }

    /// A filled box with a hairline around it.
    pub(crate) fn card(&mut self, rect: Rect) {
        let (color, border) = (self.palette.card, self.palette.tint);
        self.nodes.push(Node::Fill(Fill {
            rect,
            color,
            radius: 18.0,
            border: Some((border, 1.5)),
            open: false,
        }));
    }

    /// A border with nothing inside.
    pub(crate) fn frame(&mut self, rect: Rect, color: Rgb, width: f32, radius: f32) {
        self.nodes.push(Node::Fill(Fill {
            rect,
            color,
            radius,
            border: Some((color, width)),
            open: true,
        }));
    }

    pub(crate) fn icon(&mut self, rect: Rect, icon: Icon, color: Rgb) {
        self.nodes.push(Node::Icon(IconNode { rect, icon, color }));
    }

    /// An icon in a tile of the given colours.
    pub(crate) fn tile(&mut self, rect: Rect, icon: Icon, ground: Rgb, ink: Rgb) {
        self.fill(rect, ground, rect.w * 0.28);
        self.icon(rect.inset(rect.w * 0.22, rect.h * 0.22), icon, ink);
    }

    pub(crate) fn art(&mut self, rect: Rect, motif: Motif, inks: [Rgb; 3], radius: f32) {
        let svg = crate::art::pattern(motif, rect, inks, self.seed());
        self.nodes.push(Node::Art(Art { rect, svg, radius }));
    }

    /// Makes patterns differ from page to page, the same each time.
    fn seed(&self) -> u32 {
        crate::art::hash(&self.context.title).wrapping_add(self.context.page_number)
    }

    /// The motif at the foot of a box with round corners.
    pub(crate) fn art_at_foot(
        &mut self,
        rect: Rect,
        h: f32,
        motif: Motif,
        inks: [Rgb; 3],
        radius: f32,
    ) {
        let foot = Rect::new(rect.x, rect.bottom() - h, rect.w, h);
        let svg = crate::art::pattern(motif, foot, inks, self.seed());
        let svg = format!("<g transform=\"translate(0 {})\">{svg}</g>", rect.h - h);
        self.nodes.push(Node::Art(Art { rect, svg, radius }));
    }

    pub(crate) fn svg(&mut self, rect: Rect, svg: String) {
        self.nodes.push(Node::Art(Art {
            rect,
            svg,
            radius: 0.0,
        }));
    }

    pub(crate) fn text(&mut self, text: Text) {
        let text = self.set(text);
        self.nodes.push(Node::Text(text));
    }

    /// What a chart in this box looks like.
    pub(crate) fn chart(&self, chart: &ChartSpec, rect: Rect) -> Vec<Node> {
        let language = &self.context.language;
        crate::chart::drawn(chart, rect, &self.palette, self.setter, language)
    }

    /// The text with its lines.
    pub(crate) fn set(&self, mut text: Text) -> Text {
        self.setter.set(&mut text);
        text
    }

    /// How many nodes are on the page.
    pub(crate) fn count(&self) -> usize {
        self.nodes.len()
    }

    pub(crate) fn put(&mut self, node: Node) {
        self.nodes.push(node);
    }

    /// The heading of a content page; returns the area left for the content.
    pub(crate) fn heading(&mut self, title: &str) -> Rect {
        let w = MEASURE - HEADING_INDENT;
        let max = self.title_px(HEADING_PX).floor();
        let within =
            |size: f32, lines: usize| self.setter.lines(title, w / size, Face::Display) <= lines;
        let one_line = self
            .setter
            .largest(max, Face::Display, |size| within(size, 1));
        let size = if one_line >= HEADING_PX_ONE_LINE {
            one_line
        } else {
            self.setter
                .largest(self.title_px(HEADING_PX_TWO_LINES), Face::Display, |size| {
                    within(size, 2)
                })
        };
        self.step(vec![title.to_owned()], max, size);
        self.put_heading(title, size)
    }

    /// The heading of a page that takes its text from a source: a long one is smaller and takes three lines.
    pub(crate) fn long_heading(&mut self, title: &str) -> Rect {
        if title.trim().is_empty() {
            return Rect::new(MARGIN, HEADING_Y, MEASURE, self.bottom - HEADING_Y);
        }
        let w = MEASURE - HEADING_INDENT;
        let two_lines = self.setter.lines(title, w / HEADING_PX_LONG, Face::Display) <= 2;
        if two_lines {
            return self.heading(title);
        }
        let max = self.title_px(HEADING_PX_LONG).floor();
        let size = self.largest_to([title], (max, HEADING_PX_MIN), |size| {
            self.setter.lines(title, w / size, Face::Display) <= 3
        });
        self.put_heading(title, size)
    }

    fn put_heading(&mut self, title: &str, size: f32) -> Rect {
        let w = MEASURE - HEADING_INDENT;
        let h = self
            .height(title, w, size, TITLE_LINE, Face::Display)
            .ceil();
        let mark = Rect::new(MARGIN, HEADING_Y + size * 0.22, 7.0, h - size * 0.44);
        self.fill(mark, self.palette.accent, 3.5);
        let rect = Rect::new(MARGIN + HEADING_INDENT, HEADING_Y, w, h);
        self.text(
            Text::new(rect, title, size, self.palette.text)
                .heading(Role::Title)
                .middle(),
        );
        let y = HEADING_Y + h + HEADING_GAP;
        Rect::new(MARGIN, y, MEASURE, self.bottom - y)
    }

    /// What is left of an area above a caption.
    pub(crate) fn above_caption(&self, caption: Option<&str>, area: Rect) -> Rect {
        let h = caption.map_or(0.0, |caption| {
            self.height(caption, area.w, CAPTION_PX, BODY_LINE, Face::Text) + CAPTION_GAP
        });
        Rect {
            h: area.h - h,
            ..area
        }
    }

    /// A caption under what it belongs to.
    pub(crate) fn caption(&mut self, caption: Option<&str>, above: Rect) {
        let Some(caption) = caption else { return };
        let h = self.height(caption, above.w, CAPTION_PX, BODY_LINE, Face::Text);
        let rect = Rect::new(above.x, above.bottom() + CAPTION_GAP, above.w, h);
        let ink = self.palette.muted;
        self.text(Text::new(rect, caption, CAPTION_PX, ink).whole());
    }

    /// What texts stand on where no box is under them.
    pub(crate) fn ground_color(&self) -> Rgb {
        self.background
    }

    /// The slide with its header and footer.
    pub(crate) fn finish(mut self) -> Scene {
        match self.context.furniture.as_ref() {
            Some(furniture) => furniture::place(&mut self, furniture),
            None => {
                self.header();
                self.footer();
            }
        }
        self.scene((PAGE_W, PAGE_H))
    }

    /// What has been put on the page, as it is.
    pub(crate) fn scene(self, size: (f32, f32)) -> Scene {
        let scene = Scene {
            size,
            background: self.background,
            gradient: self.gradient,
            adjustments: self.adjustments(),
            nodes: self.nodes,
            fonts: self.setter.choices(),
        };
        if self.setter.is_right_to_left() {
            scene.mirrored()
        } else {
            scene
        }
    }

    /// The changes to the design that are on the page: of the sizes that were tried, only those that were used.
    fn adjustments(&self) -> Vec<LayoutChange> {
        let mut found = self.reflowed.clone();
        for (texts, from, to) in self.stepped.borrow().iter() {
            let stands = |text: &Text| text.size == *to && texts.contains(&text.text);
            let adjustment = LayoutChange::TypeSize {
                texts: texts.clone(),
                from: f64::from(*from),
                to: f64::from(*to),
            };
            if !found.contains(&adjustment) && texts_of(&self.nodes).any(stands) {
                found.push(adjustment);
            }
        }
        found
    }

    fn header(&mut self) {
        let (ink, mark) = match self.ground {
            Ground::Page | Ground::FieldRight => (self.palette.muted, self.palette.primary_ink),
            Ground::Field | Ground::FieldLeft => {
                (self.palette.on_field_muted, self.palette.field_accent)
            }
        };
        // Of the field on the left of a section page, 400 pixels wide, the header may use what is inside its margins.
        let w = match self.ground {
            Ground::FieldLeft => 400.0 - MARGIN - 40.0,
            Ground::Page | Ground::Field | Ground::FieldRight => 640.0,
        };
        self.fill(Rect::new(MARGIN, 39.0, 9.0, 9.0), mark, 2.0);
        let title = self.context.title.clone();
        let rect = Rect::new(MARGIN + 20.0, 31.0, w - 20.0, 25.0);
        // A long title is set smaller, and cut with an ellipsis only when that is not enough.
        let size = (rect.w / self.width(&title, Face::Text).max(1.0)).clamp(13.0, 16.0);
        self.text(Text::new(rect, title, size, ink).chrome().middle());
    }

    fn footer(&mut self) {
        let (number, count) = (self.context.page_number, self.context.page_count);
        let (ink, track, bar) = match self.ground {
            Ground::Page | Ground::FieldLeft => {
                (self.palette.muted, self.palette.tint, self.palette.accent)
            }
            Ground::Field | Ground::FieldRight => (
                self.palette.on_field_muted,
                self.palette.field_raised,
                self.palette.field_accent,
            ),
        };
        let rect = Rect::new(PAGE_W - MARGIN - 160.0, 666.0, 160.0, 24.0);
        self.text(
            Text::new(rect, format!("{number} / {count}"), 16.0, ink)
                .chrome()
                .middle()
                .end(),
        );
        #[expect(clippy::cast_precision_loss, reason = "page numbers are small")]
        let share = (number as f32 / count.max(1) as f32).clamp(0.0, 1.0);
        self.fill(Rect::new(0.0, PAGE_H - 6.0, PAGE_W, 6.0), track, 0.0);
        self.fill(Rect::new(0.0, PAGE_H - 6.0, PAGE_W * share, 6.0), bar, 0.0);
    }
}

/// Rows of natural `heights` from the top of `area`: room left over makes each row up to `stretch` taller, then moves
/// the rows towards the middle.
pub(crate) fn rows(area: Rect, heights: &[f32], gap: f32, stretch: f32) -> Vec<Rect> {
    let count = crate::scene::as_px(heights.len());
    let used: f32 = heights.iter().sum::<f32>() + gap * (count - 1.0).max(0.0);
    let extra = ((area.h - used) / count.max(1.0)).clamp(0.0, stretch);
    let mut y = area.y + ((area.h - used - extra * count) * 0.4).max(0.0);
    let mut rows = Vec::with_capacity(heights.len());
    for height in heights {
        rows.push(Rect::new(area.x, y, area.w, height + extra));
        y += height + extra + gap;
    }
    rows
}

/// Points of CSS pixels.
pub(crate) fn points(px: f32) -> f64 {
    (f64::from(px / PX_PER_PT) * 2.0).round() / 2.0
}
