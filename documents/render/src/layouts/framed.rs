//! A composed page whose places somebody else chose: headings and texts in the boxes of a template, everything else in the box
//! that the template leaves for content.

use std::cell::RefCell;

use spec::{Furniture, GivenPicture, LayoutChange, Part, PassageBlock, Rgb, SlideSpec, Theme};

use super::furniture::{EXHIBIT_PX, NOTE_LINE, NOTE_PX, notes};
use super::page::Page;
use super::{composed, picture, roomiest};
use crate::PageContext;
use crate::fonts::{Fonts, SUBSTITUTE_SLACK};
use crate::scene::{
    Align, FlowKind, FlowNode, Node, Paragraph, Rect, Role, Scene, TITLE_LINE, Text, Valign,
};
use crate::typeset::{Face, Typesetter};

/// Least type of a heading and of a text in a template's box.
const TITLE_PX_MIN: f32 = 24.0;
const TEXT_PX_MIN: f32 = 15.0;
/// Type goes down to this share of the template's before the text goes on on a further page.
const SHARE_MIN: f32 = 0.55;
/// Steps in which smaller type is tried.
const STEP: f32 = 0.05;
/// Heading of a page whose layout has no place for one.
const OWN_TITLE_PX: f32 = 34.0;
/// Least type of the foot; longer words take two lines.
const FOOT_PX_MIN: f32 = 12.0;
/// A line of the foot takes at most this share of its box, since another program may set it wider.
const FOOT_SHARE: f32 = 0.94;
/// Space between what stands around the content and the content.
const GAP: f32 = 10.0;
/// The box of a subtitle has room for so many further paragraphs, such as author and date.
const SUBTITLE_BLOCKS_MAX: usize = 4;

/// The boxes of a template's layout, in the pixels of a scene.
#[derive(Debug, Clone)]
pub(crate) struct Frame {
    pub(crate) size: (f32, f32),
    /// What is taken for the page's ground where the template shows a picture.
    pub(crate) ground: Rgb,
    pub(crate) title: Option<Place>,
    pub(crate) subtitle: Option<Place>,
    /// Boxes for text, in the order of reading.
    pub(crate) bodies: Vec<Place>,
    /// Headings of the boxes for text: either one for each box, or none at all.
    pub(crate) heads: Vec<Place>,
    pub(crate) footer: Option<Place>,
    pub(crate) number: Option<Place>,
    /// The area for everything that has no box of its own.
    pub(crate) content: Rect,
}

/// A box of a layout.
#[derive(Debug, Clone)]
pub(crate) struct Place {
    /// Which placeholder of the layout it is.
    pub(crate) holder: usize,
    /// The box with its insets.
    pub(crate) outer: Rect,
    /// Where the text stands.
    pub(crate) rect: Rect,
    pub(crate) anchor: Valign,
    /// How its levels look, at least one.
    pub(crate) looks: Vec<Look>,
}

/// How a level of a text looks.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Look {
    pub(crate) size: f32,
    pub(crate) line: f32,
    pub(crate) bold: bool,
    pub(crate) display: bool,
    pub(crate) color: Rgb,
    pub(crate) align: Align,
    pub(crate) mark: Option<String>,
    /// From the left edge of the box to the text, and from there to the mark.
    pub(crate) left: f32,
    pub(crate) first: f32,
    /// Space above and below a paragraph.
    pub(crate) above: f32,
    pub(crate) below: f32,
}

/// A node of the scene that stands in a placeholder.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct Held {
    pub(crate) node: usize,
    pub(crate) holder: usize,
    /// Whether its type is smaller than the template's.
    pub(crate) smaller: bool,
    /// The placeholder's box where it is not the layout's.
    pub(crate) moved: Option<Rect>,
}

/// The page, and what of it stands in placeholders.
pub(crate) fn framed(
    slide: &SlideSpec,
    frame: &Frame,
    theme: &Theme,
    context: &PageContext,
    fonts: &Fonts,
) -> (Scene, Vec<Held>) {
    let SlideSpec::Composed {
        title,
        lead,
        beside,
        parts,
    } = slide
    else {
        // Slides of decks in templates are composed of parts; any other slide shows only its heading here.
        let bare = SlideSpec::Composed {
            title: slide.title().to_owned(),
            lead: None,
            beside: None,
            parts: Vec::new(),
        };
        return framed(&bare, frame, theme, context, fonts);
    };
    let setter = Typesetter::new(fonts, theme, &context.language);
    // What stands in placeholders comes first and does not depend on the spacing.
    let held = RefCell::new(Vec::new());
    let scene = roomiest(|spacing| {
        let mut page = Page::new(theme, context, &setter, spacing);
        page.background(frame.ground);
        let mut writer = Writer {
            page,
            held: Vec::new(),
            changes: Vec::new(),
        };
        writer.page(frame, title, lead.as_deref(), beside.as_ref(), parts);
        held.replace(writer.held);
        let mut scene = writer.page.scene(frame.size);
        scene.adjustments.extend(writer.changes);
        scene
    });
    (scene, held.into_inner())
}

struct Writer<'a> {
    page: Page<'a>,
    held: Vec<Held>,
    changes: Vec<LayoutChange>,
}

impl Writer<'_> {
    fn page(
        &mut self,
        frame: &Frame,
        title: &str,
        lead: Option<&str>,
        beside: Option<&GivenPicture>,
        parts: &[Part],
    ) {
        let furniture = self.page.context.furniture.clone().unwrap_or_default();
        let mut area = frame.content;
        if !title.trim().is_empty() {
            match &frame.title {
                Some(place) => self.title(place, title),
                None => area = self.own_title(area, title),
            }
        }
        let mut lead = lead;
        let mut parts = parts;
        if let Some(place) = &frame.subtitle {
            let mut blocks: Vec<PassageBlock> = lead.map(paragraph).into_iter().collect();
            // A short text belongs to the subtitle, as author and date do.
            if let [Part::Text { blocks: text }] = parts
                && text.len() <= SUBTITLE_BLOCKS_MAX
                && frame.bodies.is_empty()
            {
                blocks.extend(text.iter().cloned());
                parts = &[];
            }
            if !blocks.is_empty() {
                self.flow(place, &blocks, None);
            }
            lead = None;
        }
        self.foot(frame, &furniture);
        let around = self.around(area, &furniture);
        if self.in_bodies(frame, around, lead, beside, parts) {
            return;
        }
        let area = composed::below_lead(&mut self.page, lead, around);
        if !parts.is_empty() || beside.is_some() {
            composed::placed(&mut self.page, area, beside, parts);
        }
    }

    /// Places texts in the template's boxes for text; says whether the boxes suit these parts.
    fn in_bodies(
        &mut self,
        frame: &Frame,
        around: Rect,
        lead: Option<&str>,
        beside: Option<&GivenPicture>,
        parts: &[Part],
    ) -> bool {
        let leading = || lead.map(paragraph).into_iter();
        match (parts, frame.bodies.as_slice(), beside) {
            ([], [body, ..], None) if lead.is_some() => {
                let blocks: Vec<_> = leading().collect();
                self.flow(body, &blocks, within(body, around, frame.content));
                true
            }
            ([Part::Text { blocks }], [body], None) => {
                let blocks: Vec<_> = leading().chain(blocks.iter().cloned()).collect();
                self.flow(body, &blocks, within(body, around, frame.content));
                true
            }
            ([Part::Text { blocks }], [left, right], Some(given)) => {
                let blocks: Vec<_> = leading().chain(blocks.iter().cloned()).collect();
                self.flow(right, &blocks, within(right, around, frame.content));
                let place = within(left, around, frame.content).unwrap_or(left.outer);
                picture::placed(&mut self.page, place, given);
                true
            }
            ([Part::Columns { columns }], bodies, None)
                if lead.is_none() && columns.len() == bodies.len() && bodies.len() > 1 =>
            {
                let headed = !frame.heads.is_empty();
                let texts: Vec<Vec<PassageBlock>> = columns
                    .iter()
                    .map(|column| {
                        let heading = column.heading.as_deref().filter(|_| !headed);
                        let heading = heading.map(strong).into_iter();
                        heading.chain(column.blocks.iter().cloned()).collect()
                    })
                    .collect();
                for (column, head) in columns.iter().zip(&frame.heads) {
                    if let Some(heading) = &column.heading {
                        self.flow(head, &[paragraph(heading)], None);
                    }
                }
                // Columns side by side have type of one size.
                let place = |body: &Place| within(body, around, frame.content);
                let shares = texts
                    .iter()
                    .zip(bodies)
                    .map(|(blocks, body)| self.share(body, blocks, place(body)));
                let share = shares.fold(1.0, f32::min);
                for (blocks, body) in texts.iter().zip(bodies) {
                    if !blocks.is_empty() {
                        self.flow_at(body, blocks, place(body), share);
                    }
                }
                true
            }
            _ => false,
        }
    }

    fn title(&mut self, place: &Place, title: &str) {
        let look = &place.looks[0];
        let least = TITLE_PX_MIN.min(look.size);
        let fits = |size: f32| {
            let page = &self.page;
            let w = place.rect.w / SUBSTITUTE_SLACK;
            let lines = page.height(title, w, size, look.line, Face::Display);
            let (word, _) = page.setter.extents(title, Face::Display);
            lines <= place.rect.h + 0.5 && word * size <= w
        };
        let mut size = look.size;
        while size > least && !fits(size) {
            size = (size - 1.0).max(least);
        }
        let mut text = Text::new(place.rect, title, size, look.color).heading(Role::Title);
        text.line = look.line;
        text.weight = if look.bold { 700 } else { 400 };
        text.align = look.align;
        text.valign = place.anchor;
        self.put_held(
            place,
            Node::Text(self.page.set(text)),
            size < look.size,
            None,
        );
        self.changed(&[title.to_owned()], look.size, size);
    }

    /// A heading on a page whose layout has no place for one; returns what is left below.
    fn own_title(&mut self, area: Rect, title: &str) -> Rect {
        let size = self
            .page
            .largest_to([title], (OWN_TITLE_PX, TITLE_PX_MIN), |size| {
                self.page.setter.lines(title, area.w / size, Face::Display) <= 2
            });
        let h = self
            .page
            .height(title, area.w, size, TITLE_LINE, Face::Display);
        let ink = self.page.palette.text;
        self.page
            .text(Text::new(Rect { h, ..area }, title, size, ink).heading(Role::Title));
        below(area, h + 2.0 * GAP)
    }

    /// The share of the template's type at which paragraphs have room in a box.
    fn share(&self, place: &Place, blocks: &[PassageBlock], moved: Option<Rect>) -> f32 {
        let rect = inner(place, moved);
        let sizes = place.looks.iter().map(|look| look.size);
        let least = sizes.fold(f32::INFINITY, f32::min);
        let floor = (TEXT_PX_MIN / least).clamp(SHARE_MIN, 1.0);
        // A template's fonts are seldom here: another program may set the text wider.
        let narrow = rect.w / SUBSTITUTE_SLACK;
        let fits = |share: f32| {
            let whole = blocks.iter().all(|block| {
                let look = look_of(place, block);
                let (word, _) = self.page.setter.extents(&block.text, Face::Text);
                word * look.size * share <= narrow - left(look, block)
            });
            whole && height(&self.page, place, blocks, narrow, share) <= rect.h + 0.5
        };
        let mut share = 1.0;
        while share > floor && !fits(share) {
            share = (share - STEP).max(floor);
        }
        share
    }

    /// Places paragraphs in a box, as its levels look.
    fn flow(&mut self, place: &Place, blocks: &[PassageBlock], moved: Option<Rect>) {
        let share = self.share(place, blocks, moved);
        self.flow_at(place, blocks, moved, share);
    }

    /// The same with so much of the template's type.
    fn flow_at(&mut self, place: &Place, blocks: &[PassageBlock], moved: Option<Rect>, share: f32) {
        let rect = inner(place, moved);
        let used = height(&self.page, place, blocks, rect.w, share);
        let spare = (rect.h - used).max(0.0);
        let mut y = rect.y
            + match place.anchor {
                Valign::Top => 0.0,
                Valign::Middle => spare / 2.0,
                Valign::Bottom => spare,
            };
        let mut paragraphs = Vec::with_capacity(blocks.len());
        for (at, block) in blocks.iter().enumerate() {
            let look = look_of(place, block);
            let size = look.size * share;
            if at > 0 {
                y += (look.above + look_of(place, &blocks[at - 1]).below) * share;
            }
            let left = left(look, block);
            let text_w = (rect.w - left).max(1.0);
            let h = self
                .page
                .height(&block.text, text_w, size, look.line, Face::Text);
            // A paragraph that the box has no room for gets a rectangle that is too low for it, so that it is moved to a further page.
            let room = (rect.bottom() - y).max(1.0);
            let box_ = Rect::new(rect.x + left, y, text_w, h.min(room.max(size * 0.5)));
            let mut text = Text::new(box_, &block.text, size, look.color);
            text.line = look.line;
            text.align = look.align;
            text.weight = if look.bold { 700 } else { 400 };
            text.display = look.display;
            let mark = block.marker.as_ref().and(look.mark.as_ref()).map(|mark| {
                let place = Rect::new(
                    rect.x + left + look.first.min(0.0),
                    y,
                    (-look.first).max(size),
                    size * look.line,
                );
                let mut text = Text::new(place, mark, size, look.color);
                text.line = look.line;
                self.page.set(text.whole())
            });
            paragraphs.push(Paragraph {
                mark,
                text: self.page.set(text.whole()),
                level: block.level,
            });
            y += h;
        }
        let node = Node::Flow(FlowNode {
            rect,
            kind: FlowKind::Passage,
            paragraphs,
        });
        self.put_held(place, node, share < 1.0, moved);
        let texts: Vec<String> = blocks.iter().map(|block| block.text.clone()).collect();
        let size = place.looks[0].size;
        self.changed(&texts, size, size * share);
    }

    fn changed(&mut self, texts: &[String], from: f32, to: f32) {
        if to < from {
            self.changes.push(LayoutChange::TypeSize {
                texts: texts.to_vec(),
                from: f64::from(from),
                to: f64::from(to),
            });
        }
    }

    fn put_held(&mut self, place: &Place, node: Node, smaller: bool, moved: Option<Rect>) {
        self.held.push(Held {
            node: self.page.count(),
            holder: place.holder,
            smaller,
            moved,
        });
        self.page.put(node);
    }

    /// The words and the number at the foot, where the layout has a place for them.
    fn foot(&mut self, frame: &Frame, furniture: &Furniture) {
        let said = [&furniture.footer, &furniture.confidentiality];
        let said: Vec<&str> = said.into_iter().flatten().map(String::as_str).collect();
        if let (Some(place), false) = (&frame.footer, said.is_empty()) {
            self.line(place, said.join(" · "));
        }
        if let (Some(place), true) = (&frame.number, furniture.page_number) {
            let number = self.page.context.page_number.to_string();
            self.line(place, number);
        }
    }

    /// A line of the foot.
    fn line(&mut self, place: &Place, words: String) {
        let look = &place.looks[0];
        let face = if look.bold { Face::Strong } else { Face::Text };
        let size = (FOOT_SHARE * place.rect.w / self.page.width(&words, face).max(1.0))
            .min(look.size)
            .max(look.size.min(FOOT_PX_MIN));
        let smaller = size < look.size;
        let mut text = Text::new(place.rect, words, size, look.color).role(Role::Chrome);
        text.line = look.line;
        text.align = look.align;
        text.valign = place.anchor;
        let node = Node::Text(self.page.set(text));
        self.put_held(place, node, smaller, None);
    }

    /// Places the exhibit's name above and the notes below the content; returns what is left.
    fn around(&mut self, area: Rect, furniture: &Furniture) -> Rect {
        let mut area = area;
        let (quiet, ink) = (self.page.palette.muted, self.page.palette.primary_ink);
        if let Some(exhibit) = &furniture.exhibit {
            let h = self
                .page
                .height(exhibit, area.w, EXHIBIT_PX, NOTE_LINE, Face::Strong);
            let mut text = Text::new(Rect { h, ..area }, exhibit, EXHIBIT_PX, ink);
            text.line = NOTE_LINE;
            self.page.text(text.whole().bold());
            area = below(area, h + GAP);
        }
        let notes = notes(&self.page, furniture);
        let heights: Vec<f32> = notes
            .iter()
            .map(|note| {
                self.page
                    .height(note, area.w, NOTE_PX, NOTE_LINE, Face::Text)
            })
            .collect();
        let all: f32 = heights.iter().sum();
        if !notes.is_empty() {
            let mut y = area.bottom() - all;
            for (note, h) in notes.iter().zip(heights) {
                let mut text = Text::new(Rect { y, h, ..area }, note, NOTE_PX, quiet);
                text.line = NOTE_LINE;
                self.page.text(text.whole());
                y += h;
            }
            area.h -= all + GAP;
        }
        area
    }
}

fn paragraph(text: &str) -> PassageBlock {
    PassageBlock {
        text: text.to_owned(),
        level: 0,
        marker: None,
    }
}

/// A paragraph in bold, unless a part of it is already.
fn strong(text: &str) -> PassageBlock {
    if spec::text::is_marked(text) {
        paragraph(text)
    } else {
        paragraph(&format!("**{text}**"))
    }
}

fn below(area: Rect, taken: f32) -> Rect {
    Rect {
        y: area.y + taken,
        h: area.h - taken,
        ..area
    }
}

/// Where the text of a box stands; a box that was moved keeps its insets.
fn inner(place: &Place, moved: Option<Rect>) -> Rect {
    let Some(outer) = moved else {
        return place.rect;
    };
    Rect::new(
        place.rect.x + outer.x - place.outer.x,
        place.rect.y + outer.y - place.outer.y,
        place.rect.w + outer.w - place.outer.w,
        place.rect.h + outer.h - place.outer.h,
    )
}

/// The box of a placeholder, cut to the area that exhibit name and notes leave of the content; `None` if they leave all of it.
fn within(place: &Place, around: Rect, content: Rect) -> Option<Rect> {
    if around == content {
        return None;
    }
    let top = place.outer.y.max(around.y);
    let bottom = place.outer.bottom().min(around.bottom());
    (bottom > top).then(|| Rect::new(place.outer.x, top, place.outer.w, bottom - top))
}

fn look_of<'a>(place: &'a Place, block: &PassageBlock) -> &'a Look {
    let level = usize::try_from(block.level).unwrap_or(usize::MAX);
    &place.looks[level.min(place.looks.len() - 1)]
}

/// How far a paragraph is indented: one without a mark on the first level stands at the edge.
fn left(look: &Look, block: &PassageBlock) -> f32 {
    if block.marker.is_some() || block.level > 0 {
        look.left
    } else {
        0.0
    }
}

fn height(page: &Page<'_>, place: &Place, blocks: &[PassageBlock], w: f32, share: f32) -> f32 {
    let each = blocks.iter().enumerate().map(|(at, block)| {
        let look = look_of(place, block);
        let size = look.size * share;
        let above = match at.checked_sub(1) {
            Some(before) => (look.above + look_of(place, &blocks[before]).below) * share,
            None => 0.0,
        };
        let w = (w - left(look, block)).max(1.0);
        above + page.height(&block.text, w, size, look.line, Face::Text)
    });
    each.sum()
}
