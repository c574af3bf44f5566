//! The graph drawn on a circle: characters with a relationship are near each other, and no label covers another one.

use std::collections::{BTreeMap, BTreeSet};
use std::f64::consts::{PI, TAU};
use std::fmt::Write as _;

use palimpsest::prelude::pipeline::EntryId;

use super::{CharacterNode, RelationEdge, RelationGraph, Said, said};

/// The measures of a picture, in pixels.
const LABEL_SIZE: f64 = 15.0;
const EDGE_LABEL_SIZE: f64 = 12.0;
const NODE_HEIGHT: f64 = 44.0;
const NODE_GAP: f64 = 46.0;
const MARGIN: f64 = 36.0;
const RADIUS_MIN: f64 = 150.0;

/// How wide a label may be, in em: this number of Chinese characters, or almost twice as many letters. A longer label ends with an
/// ellipsis.
const NAME_EMS: f64 = 15.0;
const KIND_EMS: f64 = 10.0;

/// The places on an edge where its label may be, the best first.
const PLACES: [f64; 7] = [0.5, 0.38, 0.62, 0.28, 0.72, 0.2, 0.8];

/// The colours of roles: what is behind the name, and the line around it.
const ROLES: [(&str, &str, &str); 4] = [
    ("protagonist", "#fde8c8", "#b8690f"),
    ("antagonist", "#f7d3d3", "#a32222"),
    ("supporting", "#d6e6f7", "#21598f"),
    ("minor", "#e6e9ec", "#5b6670"),
];
const OTHER_ROLE: (&str, &str) = ("#dff0e1", "#2c7a3d");

#[derive(Clone, Copy, Debug, PartialEq)]
struct Point {
    x: f64,
    y: f64,
}

/// A rectangle around a point.
#[derive(Clone, Copy, Debug)]
struct Frame {
    at: Point,
    width: f64,
    height: f64,
}

impl Frame {
    fn overlaps(&self, other: &Self) -> bool {
        (self.at.x - other.at.x).abs() * 2.0 < self.width + other.width
            && (self.at.y - other.at.y).abs() * 2.0 < self.height + other.height
    }

    /// Where a line from the middle towards a point leaves the frame.
    fn edge_towards(&self, to: Point) -> Point {
        let (dx, dy) = (to.x - self.at.x, to.y - self.at.y);
        let reach = |half: f64, d: f64| {
            if d.abs() < f64::EPSILON {
                f64::INFINITY
            } else {
                half / d.abs()
            }
        };
        let part = reach(self.width / 2.0, dx).min(reach(self.height / 2.0, dy));
        if part.is_finite() {
            Point {
                x: self.at.x + dx * part,
                y: self.at.y + dy * part,
            }
        } else {
            self.at
        }
    }
}

/// The picture as SVG. It depends only on the graph.
pub(crate) fn picture(graph: &RelationGraph) -> String {
    let order = order(graph);
    let widths: Vec<f64> = order.iter().map(|node| node_width(node)).collect();
    let around: f64 = widths.iter().map(|width| width + NODE_GAP).sum();
    let radius = (around / TAU).max(RADIUS_MIN);
    let widest = widths.iter().copied().fold(0.0, f64::max);
    let middle = Point {
        x: MARGIN + widest / 2.0 + radius,
        y: MARGIN + NODE_HEIGHT / 2.0 + radius,
    };
    let frames = frames(&order, &widths, middle, radius);
    let mut svg = String::new();
    let (width, height) = (middle.x * 2.0, middle.y * 2.0);
    // Writing to a string cannot fail.
    let _ = write!(
        svg,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width:.0} {height:.0}\" width=\"{width:.0}\" height=\"{height:.0}\" font-family=\"'Noto Sans CJK SC', 'Noto Sans SC', 'Microsoft YaHei', sans-serif\">\
         <defs><marker id=\"arrow\" viewBox=\"0 0 8 8\" refX=\"7\" refY=\"4\" markerUnits=\"userSpaceOnUse\" markerWidth=\"9\" markerHeight=\"9\" orient=\"auto-start-reverse\"><path d=\"M0 0L8 4L0 8z\" fill=\"#7a858f\"/></marker></defs>\
         <rect width=\"100%\" height=\"100%\" fill=\"#ffffff\"/>"
    );
    let labels = draw_edges(graph, &frames, middle, &mut svg);
    for node in &order {
        if let Some(frame) = frames.get(&node.id) {
            draw_node(node, frame, &mut svg);
        }
    }
    svg.push_str(&labels);
    svg.push_str("</svg>");
    svg
}

/// The nodes around the circle. The first is the node with the most edges; each next one is the node with the most edges to those that are
/// already placed, where nearer ones count more.
fn order(graph: &RelationGraph) -> Vec<&CharacterNode> {
    let mut near: BTreeMap<&EntryId, BTreeSet<&EntryId>> = BTreeMap::new();
    for edge in &graph.edges {
        near.entry(&edge.source).or_default().insert(&edge.target);
        near.entry(&edge.target).or_default().insert(&edge.source);
    }
    let degree = |node: &CharacterNode| near.get(&node.id).map_or(0, BTreeSet::len);
    let mut rest: Vec<&CharacterNode> = graph.nodes.iter().collect();
    rest.sort_by(|one, other| {
        let key = |node: &CharacterNode| std::cmp::Reverse(degree(node));
        key(one).cmp(&key(other)).then(one.id.cmp(&other.id))
    });
    let mut weight: BTreeMap<&EntryId, f64> = BTreeMap::new();
    let mut placed = vec![];
    while !rest.is_empty() {
        let mut best = 0;
        for at in 1..rest.len() {
            let of = |at: usize| weight.get(&rest[at].id).copied().unwrap_or_default();
            if of(at) > of(best) {
                best = at;
            }
        }
        let node = rest.remove(best);
        // A link to the last node counts more than links to earlier ones.
        weight.values_mut().for_each(|it| *it *= 0.5);
        for other in near.get(&node.id).into_iter().flatten() {
            *weight.entry(other).or_default() += 1.0;
        }
        placed.push(node);
    }
    placed
}

fn frames(
    order: &[&CharacterNode],
    widths: &[f64],
    middle: Point,
    radius: f64,
) -> BTreeMap<EntryId, Frame> {
    let around: f64 = widths.iter().map(|width| width + NODE_GAP).sum();
    let mut angle = -PI / 2.0;
    let mut frames = BTreeMap::new();
    let mut before = 0.0;
    for (node, width) in order.iter().zip(widths) {
        let share = (width + NODE_GAP) / around * TAU;
        // The first node is at the top; each other one follows at half of its own share plus half of the share of the one before.
        angle += if frames.is_empty() {
            0.0
        } else {
            (before + share) / 2.0
        };
        before = share;
        let at = Point {
            x: middle.x + radius * angle.cos(),
            y: middle.y + radius * angle.sin(),
        };
        let frame = Frame {
            at,
            width: *width,
            height: NODE_HEIGHT,
        };
        frames.insert(node.id.clone(), frame);
    }
    frames
}

/// Draws the lines and returns their labels, which are drawn on top of everything.
fn draw_edges(
    graph: &RelationGraph,
    frames: &BTreeMap<EntryId, Frame>,
    middle: Point,
    svg: &mut String,
) -> String {
    let mut labels = String::new();
    let mut taken: Vec<Frame> = frames.values().copied().collect();
    // Lines between the same two bend more and more, so that each is seen.
    let mut between: BTreeMap<(&EntryId, &EntryId), u32> = BTreeMap::new();
    let known: BTreeSet<Said> = graph.edges.iter().map(said).collect();
    for edge in &graph.edges {
        // Where two edges describe the same relationship in both directions, one line with two arrows is drawn.
        if edge.source > edge.target && known.contains(&said(&turned(edge))) {
            continue;
        }
        let (Some(from), Some(to)) = (frames.get(&edge.source), frames.get(&edge.target)) else {
            continue;
        };
        let ends = if edge.source < edge.target {
            (&edge.source, &edge.target)
        } else {
            (&edge.target, &edge.source)
        };
        let many = between.entry(ends).or_default();
        let bend = bend(from.at, to.at, middle, *many);
        *many += 1;
        let (start, end) = (from.edge_towards(bend), to.edge_towards(bend));
        let width = 1.0 + f64::from(edge.strength.unwrap_or(3).min(10)) * 0.18;
        let tail = if known.contains(&said(&turned(edge))) {
            " marker-start=\"url(#arrow)\""
        } else {
            ""
        };
        let _ = write!(
            svg,
            "<path d=\"M{:.1} {:.1}Q{:.1} {:.1} {:.1} {:.1}\" fill=\"none\" stroke=\"#9aa5ae\" stroke-width=\"{width:.1}\" marker-end=\"url(#arrow)\"{tail}/>",
            start.x, start.y, bend.x, bend.y, end.x, end.y
        );
        let text = cut(&edge.kind, KIND_EMS);
        if text.is_empty() {
            continue;
        }
        let frame = label_place(start, bend, end, text_width(&text, EDGE_LABEL_SIZE), &taken);
        taken.push(frame);
        let _ = write!(
            labels,
            "<rect x=\"{:.1}\" y=\"{:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"3\" fill=\"#ffffff\" fill-opacity=\"0.85\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\" font-size=\"{EDGE_LABEL_SIZE}\" text-anchor=\"middle\" fill=\"#3b444b\">{}</text>",
            frame.at.x - frame.width / 2.0,
            frame.at.y - frame.height / 2.0,
            frame.width,
            frame.height,
            frame.at.x,
            frame.at.y + EDGE_LABEL_SIZE * 0.36,
            escaped(&text)
        );
    }
    labels
}

/// The same edge in the other direction.
fn turned(edge: &RelationEdge) -> RelationEdge {
    RelationEdge {
        source: edge.target.clone(),
        target: edge.source.clone(),
        ..edge.clone()
    }
}

/// The point that pulls a line: towards the middle of the circle, further lines between the same two nodes are pulled to either side.
fn bend(from: Point, to: Point, middle: Point, many: u32) -> Point {
    let half = Point {
        x: f64::midpoint(from.x, to.x),
        y: f64::midpoint(from.y, to.y),
    };
    let (dx, dy) = (to.x - from.x, to.y - from.y);
    let length = dx.hypot(dy).max(1.0);
    let side = if many.is_multiple_of(2) { 1.0 } else { -1.0 };
    let aside = 46.0 * f64::from(many.div_ceil(2)) * side;
    // A line from a character to itself is a loop towards the middle.
    let inwards = if length <= 1.0 { 0.6 } else { 0.22 };
    Point {
        x: half.x + (middle.x - half.x) * inwards - dy / length * aside,
        y: half.y + (middle.y - half.y) * inwards + dx / length * aside,
    }
}

/// A place for a label on its line where it covers nothing; the first place where there is none.
fn label_place(start: Point, bend: Point, end: Point, width: f64, taken: &[Frame]) -> Frame {
    let frame = |part: f64| {
        let mix = |a: f64, b: f64, c: f64| {
            let rest = 1.0 - part;
            rest * rest * a + 2.0 * rest * part * b + part * part * c
        };
        Frame {
            at: Point {
                x: mix(start.x, bend.x, end.x),
                y: mix(start.y, bend.y, end.y),
            },
            width: width + 6.0,
            height: EDGE_LABEL_SIZE + 5.0,
        }
    };
    let mut places = PLACES.map(frame).into_iter();
    let free = places.find(|place| !taken.iter().any(|other| other.overlaps(place)));
    free.unwrap_or_else(|| frame(PLACES[0]))
}

fn draw_node(node: &CharacterNode, frame: &Frame, svg: &mut String) {
    let role = ROLES.iter().find(|(role, ..)| *role == node.role);
    let (fill, line) = role.map_or(OTHER_ROLE, |(_, fill, line)| (*fill, *line));
    let (dash, opacity, ink) = if node.is_active {
        ("", "1", "#1d2429")
    } else {
        (" stroke-dasharray=\"5 4\"", "0.4", "#5b6670")
    };
    let name = escaped(&cut(&node.name, NAME_EMS));
    let (x, y) = (
        frame.at.x - frame.width / 2.0,
        frame.at.y - frame.height / 2.0,
    );
    let below = below_name(node);
    let name_y = if below.is_empty() {
        frame.at.y + LABEL_SIZE * 0.36
    } else {
        frame.at.y - 2.0
    };
    let _ = write!(
        svg,
        "<g><rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{:.1}\" height=\"{:.1}\" rx=\"10\" fill=\"{fill}\" stroke=\"{line}\" stroke-width=\"1.5\" fill-opacity=\"{opacity}\"{dash}/>\
         <text x=\"{:.1}\" y=\"{name_y:.1}\" font-size=\"{LABEL_SIZE}\" font-weight=\"600\" text-anchor=\"middle\" fill=\"{ink}\">{name}</text>",
        frame.width, frame.height, frame.at.x
    );
    if !below.is_empty() {
        let _ = write!(
            svg,
            "<text x=\"{:.1}\" y=\"{:.1}\" font-size=\"11\" text-anchor=\"middle\" fill=\"#4a545c\">{}</text>",
            frame.at.x,
            frame.at.y + 15.0,
            escaped(&below)
        );
    }
    svg.push_str("</g>");
}

/// The text below the name: the role, and the status where it matters.
fn below_name(node: &CharacterNode) -> String {
    let status = match node.status.as_str() {
        "active" => "",
        status => status,
    };
    let parts = [node.role.as_str(), status];
    let parts: Vec<&str> = parts.into_iter().filter(|part| !part.is_empty()).collect();
    cut(&parts.join(" · "), NAME_EMS)
}

fn node_width(node: &CharacterNode) -> f64 {
    let name = text_width(&cut(&node.name, NAME_EMS), LABEL_SIZE);
    name.max(text_width(&below_name(node), 11.0)).max(40.0) + 24.0
}

/// About how wide a text is.
fn text_width(text: &str, size: f64) -> f64 {
    text.chars().map(ems).sum::<f64>() * size
}

/// A full em for characters that are as wide as high, a little over half for letters.
fn ems(c: char) -> f64 {
    if u32::from(c) >= 0x2E80 { 1.0 } else { 0.58 }
}

/// A text in one line, cut where it is too wide.
fn cut(text: &str, widest: f64) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    if text_width(&line, 1.0) <= widest {
        return line;
    }
    let mut width = 1.0;
    let fits = |c: &char| {
        width += ems(*c);
        width <= widest
    };
    let mut short: String = line.chars().take_while(fits).collect();
    short.truncate(short.trim_end().len());
    short.push('…');
    short
}

/// A text in the form that XML allows: marks are escaped, and characters that XML does not allow are left out.
fn escaped(text: &str) -> String {
    let mut safe = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => safe.push_str("&amp;"),
            '<' => safe.push_str("&lt;"),
            '>' => safe.push_str("&gt;"),
            '"' => safe.push_str("&quot;"),
            '\'' => safe.push_str("&#39;"),
            '\u{FFFE}' | '\u{FFFF}' => {}
            c if c.is_control() => {}
            c => safe.push(c),
        }
    }
    safe
}
