//! What a drawing says about itself.

use html5ever::tendril::TendrilSink as _;
use html5ever::{ParseOpts, parse_document};
use markup5ever_rcdom::{Handle, RcDom};

use super::dom::{attr, below, children, name, words};
use super::guard;
use crate::{IntakeLimits, Unreadable};

#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    /// In the units of the drawing; 0 if it gives no size.
    pub(crate) size: (u32, u32),
}

impl Drawing {
    pub(crate) fn of(text: &str, limits: &IntakeLimits) -> Result<Self, Unreadable> {
        guard::check(text, limits)?;
        let dom = parse_document(RcDom::default(), ParseOpts::default()).one(text);
        let Some(svg) = below(&dom.document, &["svg"]) else {
            return Ok(Self::default());
        };
        let title = children(&svg)
            .into_iter()
            .find(|child| name(child) == "title");
        Ok(Self {
            title: title.map_or_else(String::new, |title| words(&title).trim().to_owned()),
            size: size(&svg),
        })
    }
}

fn size(svg: &Handle) -> (u32, u32) {
    let said = |name: &str| attr(svg, name).filter(|value| !value.contains('%'));
    let boxed = attr(svg, "viewBox")
        .or_else(|| attr(svg, "viewbox"))
        .unwrap_or_default();
    let mut sides = boxed
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .skip(2);
    let (width, height) = (sides.next(), sides.next());
    let side = |name: &str, boxed: Option<&str>| {
        said(name)
            .or_else(|| boxed.map(str::to_owned))
            .map_or(0, |value| units(&value))
    };
    (side("width", width), side("height", height))
}

/// `80.4px` is 80.
fn units(value: &str) -> u32 {
    let digits = value.trim().bytes().take_while(u8::is_ascii_digit).count();
    value.trim()[..digits].parse().unwrap_or(0)
}
