//! What a drawing says about itself.

use super::dom::{Handle, attr, below, name, parse, words};
use crate::{IntakeLimits, Unreadable};

#[derive(Debug, Default)]
pub(crate) struct Drawing {
    pub(crate) title: String,
    /// In the units of the drawing; 0 if it gives no size.
    pub(crate) size: (u32, u32),
}

impl Drawing {
    pub(crate) fn of(text: &str, limits: &IntakeLimits) -> Result<Self, Unreadable> {
        let page = parse(text, limits)?;
        let Some(svg) = below(page.tree.root(), &["svg"]) else {
            return Ok(Self::default());
        };
        let title = svg.children().find(|child| name(*child) == "title");
        Ok(Self {
            title: title.map_or_else(String::new, |title| words(title).trim().to_owned()),
            size: size(svg),
        })
    }
}

fn size(svg: Handle<'_>) -> (u32, u32) {
    let said = |name: &str| attr(svg, name).filter(|value| !value.contains('%'));
    let boxed = attr(svg, "viewBox")
        .or_else(|| attr(svg, "viewbox"))
        .unwrap_or_default();
    let mut sides = boxed
        .split([' ', ','])
        .filter(|part| !part.is_empty())
        .skip(2);
    let (width, height) = (sides.next(), sides.next());
    let side = |name: &str, boxed: Option<&str>| said(name).or(boxed).map_or(0, units);
    (side("width", width), side("height", height))
}

/// `80.4px` is 80.
fn units(value: &str) -> u32 {
    let digits = value.trim().bytes().take_while(u8::is_ascii_digit).count();
    value.trim()[..digits].parse().unwrap_or(0)
}
