//! Bullets: whether a paragraph of a level has one, which is mostly inherited.

use std::collections::HashMap;

use roxmltree::Node;

use super::Pptx;
use crate::Unreadable;
use crate::xml::Element as _;

/// `PowerPoint` has nine levels.
pub(super) const LEVELS: usize = 9;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Bullet {
    None,
    Sign,
    Number { start: u64, form: NumberForm },
}

/// How a number is shown.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct NumberForm {
    /// By the name that [`numeral`] knows.
    ///
    /// [`numeral`]: crate::readers::office::numerals::numeral
    pub(super) name: &'static str,
    pub(super) before: &'static str,
    pub(super) after: &'static str,
}

impl NumberForm {
    /// Of a scheme such as `alphaLcParenR`.
    fn of(scheme: &str) -> Self {
        const NAMES: [(&str, &str); 6] = [
            ("alphaLc", "lowerLetter"),
            ("alphaUc", "upperLetter"),
            ("romanLc", "lowerRoman"),
            ("romanUc", "upperRoman"),
            ("circleNum", "decimalEnclosedCircle"),
            ("ea1Ch", "chineseCounting"),
        ];
        let known = NAMES.iter().find(|(begin, _)| scheme.starts_with(begin));
        let (before, after) = if scheme.ends_with("ParenBoth") {
            ("(", ")")
        } else if scheme.ends_with("ParenR") {
            ("", ")")
        } else if scheme.ends_with("Period") {
            ("", ".")
        } else {
            ("", "")
        };
        Self {
            name: known.map_or("decimal", |(_, name)| name),
            before,
            after,
        }
    }
}

/// The bullet of each level, if one is given.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Bullets([Option<Bullet>; LEVELS]);

impl Bullets {
    /// The bullets of a list style, whose levels are `lvl1pPr` to `lvl9pPr`.
    pub(super) fn of(style: Node<'_, '_>) -> Self {
        let mut bullets = Self::default();
        for (index, bullet) in bullets.0.iter_mut().enumerate() {
            let level = style.child(&format!("lvl{}pPr", index + 1));
            *bullet = level.and_then(bullet_of);
        }
        bullets
    }

    pub(super) fn get(&self, level: usize) -> Option<Bullet> {
        self.0.get(level).copied().flatten()
    }

    pub(super) fn or(mut self, other: &Self) -> Self {
        for (own, inherited) in self.0.iter_mut().zip(other.0) {
            *own = own.or(inherited);
        }
        self
    }
}

/// The bullet in the properties of a paragraph or a level.
pub(super) fn bullet_of(properties: Node<'_, '_>) -> Option<Bullet> {
    properties.elements().find_map(|node| match node.name() {
        "buNone" => Some(Bullet::None),
        "buChar" | "buBlip" => Some(Bullet::Sign),
        "buAutoNum" => Some(Bullet::Number {
            start: node
                .attr("startAt")
                .and_then(|start| start.parse().ok())
                .unwrap_or(1),
            form: NumberForm::of(node.attr("type").unwrap_or_default()),
        }),
        _ => None,
    })
}

/// What the placeholders of slides inherit from a layout or a master.
#[derive(Default)]
pub(super) struct Master {
    by_index: HashMap<String, Bullets>,
    by_kind: HashMap<String, Bullets>,
    body: Bullets,
    other: Bullets,
    /// The part of the master of a layout.
    pub(super) above: Option<String>,
}

impl Master {
    fn of(root: Node<'_, '_>) -> Self {
        let mut master = Self::default();
        if let Some(styles) = root.child("txStyles") {
            let bullets = |name| styles.child(name).map(Bullets::of).unwrap_or_default();
            master.body = bullets("bodyStyle");
            master.other = bullets("otherStyle");
        }
        for shape in root.descendants().filter(|node| node.name() == "sp") {
            let Some(place) = Place::of(shape) else {
                continue;
            };
            let style = shape
                .child("txBody")
                .and_then(|body| body.child("lstStyle"));
            let bullets = style.map(Bullets::of).unwrap_or_default();
            if let Some(index) = place.index {
                master.by_index.insert(index, bullets);
            }
            master.by_kind.insert(place.kind, bullets);
        }
        master
    }
}

/// The placeholder that a shape fills.
#[derive(Clone, Debug)]
pub(super) struct Place {
    /// Such as `title`; `obj` for one that takes anything.
    pub(super) kind: String,
    pub(super) index: Option<String>,
}

impl Place {
    /// `None` if the shape is not a placeholder of the layout.
    pub(super) fn of(shape: Node<'_, '_>) -> Option<Self> {
        let names = shape
            .elements()
            .find(|node| node.name().starts_with("nv"))?;
        let place = names.child("nvPr")?.child("ph")?;
        Some(Self {
            kind: place.attr("type").unwrap_or("obj").to_owned(),
            index: place.attr("idx").map(str::to_owned),
        })
    }

    pub(super) fn is_title(&self) -> bool {
        matches!(self.kind.as_str(), "title" | "ctrTitle")
    }
}

impl Pptx<'_, '_> {
    /// The bullets that a shape inherits, from its layout upwards.
    pub(super) fn inherited(&self, place: Option<&Place>, layout: Option<&str>) -> Bullets {
        let Some(place) = place else {
            return self.usual;
        };
        let layout = layout.and_then(|part| self.layouts.get(part));
        let above = layout.and_then(|layout| layout.above.as_deref());
        let master = above.and_then(|part| self.masters.get(part));
        let mut bullets = Bullets::default();
        if let Some(layout) = layout {
            let index = place
                .index
                .as_ref()
                .and_then(|index| layout.by_index.get(index));
            let same = index.or_else(|| layout.by_kind.get(&place.kind));
            bullets = bullets.or(&same.copied().unwrap_or_default());
        }
        let Some(master) = master else {
            return bullets;
        };
        match place.kind.as_str() {
            "title" | "ctrTitle" => {}
            "dt" | "ftr" | "sldNum" => bullets = bullets.or(&master.other),
            _ => {
                let of_body = master.by_kind.get("body").copied().unwrap_or_default();
                bullets = bullets.or(&of_body).or(&master.body);
            }
        }
        bullets
    }

    /// Reads the layout of a slide and its master, once each.
    pub(super) fn read_layout(&mut self, part: &str) -> Result<(), Unreadable> {
        if self.layouts.contains_key(part) {
            return Ok(());
        }
        let above = self.office.relations(part)?.part("slideMaster");
        let mut layout = self.master(part)?;
        if let Some(above) = above
            .as_ref()
            .filter(|above| !self.masters.contains_key(*above))
        {
            let master = self.master(above)?;
            self.masters.insert(above.clone(), master);
        }
        layout.above = above;
        self.layouts.insert(part.to_owned(), layout);
        Ok(())
    }

    fn master(&mut self, part: &str) -> Result<Master, Unreadable> {
        let Some(text) = self.office.text(part)? else {
            return Ok(Master::default());
        };
        let tree = self.office.parse(&text, part)?;
        Ok(Master::of(tree.root_element()))
    }
}
