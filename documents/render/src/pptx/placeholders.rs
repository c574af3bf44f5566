//! Which texts of a page are its title, its lead, its header and its number: those go into placeholders.

use spec::{Layout, SlideSpec};

use super::shapes::Holder;
use super::text::PageNumber;
use crate::DeckPage;
use crate::scene::{Node, Role, Scene, Text};

/// Indices of the placeholders; a layout has the same.
pub(super) const LEAD: u32 = 1;
pub(super) const CONTENT: u32 = 2;
pub(super) const SECOND: u32 = 3;
pub(super) const FOOTER: u32 = 11;
pub(super) const NUMBER: u32 = 12;

/// Places in the scene's nodes.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub(super) struct PlaceholderNodes {
    pub(super) title: Option<usize>,
    pub(super) lead: Option<usize>,
    pub(super) footer: Option<usize>,
    pub(super) number: Option<usize>,
}

impl PlaceholderNodes {
    pub(super) fn new(page: &DeckPage) -> Self {
        let first = |fits: &dyn Fn(&Text) -> bool| {
            page.scene.nodes.iter().position(|node| match node {
                Node::Text(text) => fits(text),
                Node::Fill(_)
                | Node::Art(_)
                | Node::Icon(_)
                | Node::Chart(_)
                | Node::Table(_)
                | Node::Flow(_)
                | Node::Picture(_) => false,
            })
        };
        let lead = lead(&page.slide);
        let number = page.context.page_number.to_string();
        Self {
            title: first(&|text| text.role == Role::Title),
            lead: first(&|text| text.role == Role::Subtitle && Some(text.text.as_str()) == lead),
            footer: first(&|text| {
                let furniture = page.context.furniture.as_ref();
                let foot = furniture.map_or(Some(&page.context.title), |furniture| {
                    furniture.footer.as_ref()
                });
                text.role == Role::Chrome && Some(&text.text) == foot
            }),
            number: first(&|text| {
                let count = text.text.strip_prefix(&number);
                text.role == Role::Chrome && count.is_some_and(|rest| rest.starts_with(" / "))
            }),
        }
    }
}

/// The number that a text shows.
pub(super) fn number<'a>(page: &DeckPage, text: &'a Text) -> PageNumber<'a> {
    let number = page.context.page_number;
    let after = text.text.trim_start_matches(|c: char| c.is_ascii_digit());
    PageNumber { number, after }
}

/// The text of a scene at a place.
pub(super) fn text(scene: &Scene, at: Option<usize>) -> Option<&Text> {
    match scene.nodes.get(at?)? {
        Node::Text(text) => Some(text),
        Node::Fill(_)
        | Node::Art(_)
        | Node::Icon(_)
        | Node::Chart(_)
        | Node::Table(_)
        | Node::Flow(_)
        | Node::Picture(_) => None,
    }
}

/// The sentence that stands beside a page's title.
fn lead(slide: &SlideSpec) -> Option<&str> {
    match slide {
        SlideSpec::Title { subtitle, .. } => subtitle.as_deref(),
        SlideSpec::Section { lead, .. } | SlideSpec::Bullets { lead, .. } => lead.as_deref(),
        SlideSpec::Chart { insight, .. } => insight.as_deref(),
        SlideSpec::Quote { attribution, .. } => attribution.as_deref(),
        SlideSpec::Closing { message, .. } => message.as_deref(),
        SlideSpec::IconRows { .. }
        | SlideSpec::TwoColumns { .. }
        | SlideSpec::ImageText { .. }
        | SlideSpec::Figures { .. }
        | SlideSpec::Comparison { .. }
        | SlideSpec::Timeline { .. }
        | SlideSpec::Passage { .. }
        | SlideSpec::Code { .. }
        | SlideSpec::Table { .. }
        | SlideSpec::Picture { .. }
        | SlideSpec::Composed { .. } => None,
    }
}

pub(super) fn title_holder(layout: Layout) -> Holder {
    let kind = match layout {
        Layout::Title | Layout::Closing => "ctrTitle",
        Layout::Section
        | Layout::Bullets
        | Layout::IconRows
        | Layout::TwoColumns
        | Layout::ImageText
        | Layout::Figures
        | Layout::Comparison
        | Layout::Timeline
        | Layout::Chart
        | Layout::Quote
        | Layout::Passage
        | Layout::Code
        | Layout::Table
        | Layout::Picture
        | Layout::Composed => "title",
    };
    Holder { kind, index: None }
}

/// The placeholder of the lead, in layouts that have one.
pub(super) fn lead_holder(layout: Layout) -> Option<Holder> {
    let kind = match layout {
        Layout::Title | Layout::Closing => "subTitle",
        Layout::Section | Layout::Bullets | Layout::Chart | Layout::Quote => "body",
        Layout::IconRows
        | Layout::TwoColumns
        | Layout::ImageText
        | Layout::Figures
        | Layout::Comparison
        | Layout::Timeline
        | Layout::Passage
        | Layout::Code
        | Layout::Table
        | Layout::Picture
        | Layout::Composed => return None,
    };
    let index = Some(LEAD);
    Some(Holder { kind, index })
}

pub(super) const FOOTER_HOLDER: Holder = Holder {
    kind: "ftr",
    index: Some(FOOTER),
};

pub(super) const NUMBER_HOLDER: Holder = Holder {
    kind: "sldNum",
    index: Some(NUMBER),
};

pub(super) const CHART_HOLDER: Holder = Holder {
    kind: "chart",
    index: Some(CONTENT),
};

pub(super) const TEXT_HOLDER: Holder = Holder {
    kind: "body",
    index: Some(CONTENT),
};

pub(super) const TABLE_HOLDER: Holder = Holder {
    kind: "tbl",
    index: Some(CONTENT),
};

/// Placeholders for what a person adds; pages of ours leave most of them out.
pub(super) fn content_holders(layout: Layout) -> Vec<Holder> {
    let body = |index| Holder {
        kind: "body",
        index: Some(index),
    };
    match layout {
        Layout::Title | Layout::Section | Layout::Quote => Vec::new(),
        Layout::Bullets
        | Layout::IconRows
        | Layout::Figures
        | Layout::Timeline
        | Layout::Closing
        | Layout::Passage
        | Layout::Code
        | Layout::Composed => vec![body(CONTENT)],
        Layout::TwoColumns => vec![body(CONTENT), body(SECOND)],
        Layout::ImageText => vec![
            Holder {
                kind: "pic",
                index: Some(CONTENT),
            },
            body(SECOND),
        ],
        Layout::Comparison | Layout::Table => vec![TABLE_HOLDER],
        Layout::Chart => vec![CHART_HOLDER],
        Layout::Picture => vec![Holder {
            kind: "pic",
            index: Some(CONTENT),
        }],
    }
}
