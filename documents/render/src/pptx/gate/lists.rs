//! The presentation's lists of slides, layouts and masters.

use std::collections::BTreeSet;
use std::ops::Range;

use super::parts::Parts;
use super::tree::Element;
use super::{DefectList, Rule};

/// Ids of slides, and of masters and layouts together.
const SLIDES: Range<u64> = 256..0x8000_0000;
const MASTERS: Range<u64> = 0x8000_0000..0x1_0000_0000;

/// Sides of a page in English metric units: 1 to 56 inches.
const SIDE: std::ops::RangeInclusive<u64> = 914_400..=51_206_400;

pub(super) fn check(parts: &Parts, found: &mut DefectList) {
    let mut masters = BTreeSet::new();
    for (name, tree) in parts.of_type("presentation.main+xml") {
        let ids = ("p:sldMasterId", "slideMaster");
        listed(parts, (name, tree), ids, (&MASTERS, &mut masters), found);
        let (ids, mut slides) = (("p:sldId", "slide"), BTreeSet::new());
        listed(parts, (name, tree), ids, (&SLIDES, &mut slides), found);
        let size = tree.child("p:sldSz");
        for side in ["cx", "cy"] {
            let side = size.and_then(|size| size.attribute(side)?.parse().ok());
            if !side.is_some_and(|side: u64| SIDE.contains(&side)) {
                found.add(
                    Rule::Geometry,
                    name,
                    "has a page size that the format does not have",
                );
            }
        }
    }
    for (name, tree) in parts.of_type(".slideMaster+xml") {
        let ids = ("p:sldLayoutId", "slideLayout");
        listed(parts, (name, tree), ids, (&MASTERS, &mut masters), found);
    }
}

/// The ids are in their range and different, and what is listed is what the part is related to.
fn listed(
    parts: &Parts,
    (name, tree): (&str, &Element),
    (entry, kind): (&str, &str),
    (range, seen): (&Range<u64>, &mut BTreeSet<u64>),
    found: &mut DefectList,
) {
    let mut relations = BTreeSet::new();
    for element in tree.all(entry) {
        let id = element.attribute("id").and_then(|id| id.parse().ok());
        if !id.is_some_and(|id| range.contains(&id) && seen.insert(id)) {
            let says = format!("lists a {kind} with an id that is not its own or not in its range");
            found.add(Rule::Listing, name, says);
        }
        relations.insert(element.attribute("r:id").unwrap_or_default());
    }
    let related: BTreeSet<&str> = parts
        .relations(name)
        .iter()
        .filter(|relation| relation.kind == kind)
        .map(|relation| relation.id.as_str())
        .collect();
    if related != relations {
        let says = format!("does not list each {kind} that it is related to, or another");
        found.add(Rule::Listing, name, says);
    }
}
