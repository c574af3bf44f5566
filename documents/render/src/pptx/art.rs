//! Decoration and icons: SVG as outlines that can be edited, or as a picture where the format cannot say it.

use resvg::tiny_skia::{PathSegment, Pixmap, Point, Transform};
use resvg::usvg::{self, BlendMode, Group, LineCap, Node, Options, Paint, Path, Tree};
use spec::Rgb;

use super::clip::Clip;
use crate::scene::{Art, IconNode, Rect};

/// More points than any pattern of ours has; a drawing with more is a picture.
const POINTS_MAX: usize = 20_000;

/// Pixels of a picture for each CSS pixel of its box.
const PICTURE_SCALE: f32 = 2.0;

/// A longest side of a picture in pixels: a page at twice its size.
const PICTURE_SIDE_MAX: u32 = 8192;

/// A drawing in its box.
#[derive(Debug, Clone, PartialEq)]
pub(super) enum Drawing {
    Outlines(Vec<Outline>),
    /// A PNG with transparency.
    Picture(Vec<u8>),
}

/// Paths in the same paint, in CSS pixels from the top left corner of the box.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct Outline {
    pub(super) fill: Option<Ink>,
    pub(super) stroke: Option<Stroke>,
    pub(super) paths: Vec<Vec<Pen>>,
}

/// A colour with an opacity from 0 to 1.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Ink {
    pub(super) color: Rgb,
    pub(super) opacity: f32,
}

#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) struct Stroke {
    pub(super) ink: Ink,
    pub(super) width: f32,
    /// Round ends and corners.
    pub(super) round: bool,
}

/// A movement of the pen.
#[derive(Debug, Clone, Copy, PartialEq)]
pub(super) enum Pen {
    Move((f32, f32)),
    Line((f32, f32)),
    Quad((f32, f32), (f32, f32)),
    Cubic((f32, f32), (f32, f32), (f32, f32)),
    Close,
}

/// Decoration. What stands out of its box is cut off, as on the page.
pub(super) fn decoration(art: &Art) -> Result<Drawing, usvg::Error> {
    let (w, h) = (art.rect.w, art.rect.h);
    let tree = parsed(&svg((w, h), (w, h), "", &art.svg))?;
    let clip = Clip::new((w, h), art.radius);
    if let Some(outlines) = outlines(&tree, &clip) {
        return Ok(Drawing::Outlines(outlines));
    }
    let inside = format!(
        "<clipPath id=\"box\"><rect width=\"{w}\" height=\"{h}\" rx=\"{}\"/></clipPath><g clip-path=\"url(#box)\">{}</g>",
        art.radius, art.svg
    );
    let tree = parsed(&svg((w, h), (w, h), "", &inside))?;
    Ok(Drawing::Picture(picture(&tree, (w, h))))
}

/// An icon as strokes.
pub(super) fn icon(node: &IconNode) -> Result<Drawing, usvg::Error> {
    let Rect { w, h, .. } = node.rect;
    let look = format!(
        "fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" stroke-linecap=\"round\" stroke-linejoin=\"round\"",
        node.color.hex()
    );
    let elements = crate::icons::elements(node.icon);
    let tree = parsed(&svg((w, h), (24.0, 24.0), &look, elements))?;
    // An icon's strokes may reach a hair over its box, and are shown whole.
    let outlines = outlines(&tree, &Clip::nothing());
    Ok(outlines.map_or_else(
        || Drawing::Picture(picture(&tree, (w, h))),
        Drawing::Outlines,
    ))
}

fn svg((w, h): (f32, f32), (box_w, box_h): (f32, f32), look: &str, elements: &str) -> String {
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" xmlns:xlink=\"http://www.w3.org/1999/xlink\" width=\"{w}\" height=\"{h}\" \
         viewBox=\"0 0 {box_w} {box_h}\" {look}>{elements}</svg>"
    )
}

/// Decoration fetches nothing: what it refers to outside of itself is not there.
fn parsed(svg: &str) -> Result<Tree, usvg::Error> {
    let mut options = Options::default();
    options.image_href_resolver.resolve_string = Box::new(|_, _| None);
    Tree::from_str(svg, &options)
}

fn picture(tree: &Tree, (w, h): (f32, f32)) -> Vec<u8> {
    let side = |px: f32| {
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "the cast saturates, and the side is clamped"
        )]
        let side = (px * PICTURE_SCALE).ceil() as u32;
        side.clamp(1, PICTURE_SIDE_MAX)
    };
    let mut pixels = Pixmap::new(side(w), side(h)).expect("both sides are at least a pixel");
    let scale = Transform::from_scale(PICTURE_SCALE, PICTURE_SCALE);
    resvg::render(tree, scale, &mut pixels.as_mut());
    pixels
        .encode_png()
        .expect("an encoder that writes to memory does not fail")
}

/// The drawing as outlines; nothing when there is more to it than plainly painted paths.
fn outlines(tree: &Tree, clip: &Clip) -> Option<Vec<Outline>> {
    let mut found = Vec::new();
    gather(tree.root(), 1.0, clip, &mut found)?;
    let points: usize = found.iter().flat_map(|o| &o.paths).map(Vec::len).sum();
    (points <= POINTS_MAX).then_some(found)
}

fn gather(group: &Group, opacity: f32, clip: &Clip, found: &mut Vec<Outline>) -> Option<()> {
    let plain = group.clip_path().is_none()
        && group.mask().is_none()
        && group.filters().is_empty()
        && group.blend_mode() == BlendMode::Normal;
    // Two translucent shapes are darker where they meet; as one translucent group they are not.
    let alone = group.children().len() < 2 || group.opacity().get() >= 1.0;
    if !plain || !alone {
        return None;
    }
    let opacity = opacity * group.opacity().get();
    for node in group.children() {
        match node {
            Node::Group(group) => gather(group, opacity, clip, found)?,
            Node::Path(path) if path.is_visible() => trace(path, opacity, clip, found)?,
            Node::Path(_) => {}
            Node::Image(_) | Node::Text(_) => return None,
        }
    }
    Some(())
}

fn trace(path: &Path, opacity: f32, clip: &Clip, found: &mut Vec<Outline>) -> Option<()> {
    let ink = |paint: &Paint, own: f32| match paint {
        Paint::Color(color) => Some(Ink {
            color: Rgb(color.red, color.green, color.blue),
            opacity: own * opacity,
        }),
        Paint::LinearGradient(_) | Paint::RadialGradient(_) | Paint::Pattern(_) => None,
    };
    let fill = match path.fill() {
        Some(fill) => Some(ink(fill.paint(), fill.opacity().get())?),
        None => None,
    };
    let stroke = match path.stroke() {
        Some(stroke) if stroke.dasharray().is_some() => return None,
        Some(stroke) => Some(Stroke {
            ink: ink(stroke.paint(), stroke.opacity().get())?,
            width: stroke.width().get() * scale(path.abs_transform()),
            round: stroke.linecap() == LineCap::Round,
        }),
        None => None,
    };
    let data = path.data().clone().transform(path.abs_transform())?;
    let drawn = path.abs_stroke_bounding_box();
    if clip.holds((drawn.left(), drawn.top(), drawn.right(), drawn.bottom())) {
        add(found, fill, stroke, pens(&data));
        return Some(());
    }
    if let Some(ink) = fill {
        add(found, Some(ink), None, clip.cut(&data));
    }
    if let Some(stroke) = stroke {
        // A cut stroke is no stroke any more: its outline is cut and filled.
        let outline = path.stroke()?.to_tiny_skia();
        let outline = path.data().stroke(&outline, 1.0)?;
        let outline = outline.transform(path.abs_transform())?;
        add(found, Some(stroke.ink), None, clip.cut(&outline));
    }
    Some(())
}

/// Adds a path, to the outline before it if that has the same opaque paint.
fn add(found: &mut Vec<Outline>, fill: Option<Ink>, stroke: Option<Stroke>, pens: Vec<Pen>) {
    if pens.is_empty() || (fill.is_none() && stroke.is_none()) {
        return;
    }
    let opaque = fill.is_none_or(|ink| ink.opacity >= 1.0)
        && stroke.is_none_or(|stroke| stroke.ink.opacity >= 1.0);
    match found.last_mut() {
        Some(last) if opaque && last.fill == fill && last.stroke == stroke => last.paths.push(pens),
        Some(_) | None => found.push(Outline {
            fill,
            stroke,
            paths: vec![pens],
        }),
    }
}

/// By what factor a transform widens strokes.
fn scale(transform: Transform) -> f32 {
    let area = transform.sx * transform.sy - transform.kx * transform.ky;
    area.abs().sqrt()
}

fn pens(path: &resvg::tiny_skia::Path) -> Vec<Pen> {
    let at = |point: Point| (point.x, point.y);
    path.segments()
        .map(|segment| match segment {
            PathSegment::MoveTo(to) => Pen::Move(at(to)),
            PathSegment::LineTo(to) => Pen::Line(at(to)),
            PathSegment::QuadTo(a, to) => Pen::Quad(at(a), at(to)),
            PathSegment::CubicTo(a, b, to) => Pen::Cubic(at(a), at(b), at(to)),
            PathSegment::Close => Pen::Close,
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::palette::Motif;

    fn drawn(svg: &str, radius: f32) -> Drawing {
        let rect = Rect::new(0.0, 0.0, 100.0, 50.0);
        let svg = svg.to_owned();
        decoration(&Art { rect, svg, radius }).expect("an SVG")
    }

    /// The box around all points: left, top, right, bottom.
    fn reach(drawing: &Drawing) -> (f32, f32, f32, f32) {
        let Drawing::Outlines(outlines) = drawing else {
            panic!("outlines are expected")
        };
        let pens = outlines.iter().flat_map(|o| o.paths.iter().flatten());
        let points = pens.filter_map(|pen| match pen {
            Pen::Move(to) | Pen::Line(to) | Pen::Quad(_, to) | Pen::Cubic(_, _, to) => Some(*to),
            Pen::Close => None,
        });
        points.fold((f32::MAX, f32::MAX, 0.0, 0.0), |(a, b, c, d), (x, y)| {
            (a.min(x), b.min(y), c.max(x), d.max(y))
        })
    }

    #[test]
    fn neighbours_in_the_same_paint_are_one_outline() {
        let svg = "<rect width=\"10\" height=\"10\" fill=\"#ff0000\"/><rect x=\"20\" width=\"9\" height=\"9\" fill=\"#ff0000\"/>\
                   <rect width=\"5\" height=\"5\" fill=\"#00ff00\"/>";
        let Drawing::Outlines(outlines) = drawn(svg, 0.0) else {
            panic!("outlines are expected")
        };
        let counts: Vec<usize> = outlines.iter().map(|outline| outline.paths.len()).collect();
        assert_eq!(counts, [2, 1]);
    }

    #[test]
    fn what_stands_out_of_the_box_is_cut_off() {
        let circle = drawn(
            "<circle cx=\"90\" cy=\"25\" r=\"20\" fill=\"#123456\"/>",
            0.0,
        );
        let (left, top, right, bottom) = reach(&circle);
        assert!((left - 70.0).abs() < 0.1 && (right - 100.0).abs() < 0.01);
        assert!((top - 5.0).abs() < 0.1 && (bottom - 45.0).abs() < 0.1);
        let ring = drawn(
            "<circle cx=\"100\" cy=\"50\" r=\"30\" fill=\"none\" stroke=\"#123456\" stroke-width=\"8\"/>",
            0.0,
        );
        let (left, top, right, bottom) = reach(&ring);
        assert!(
            (left - 66.0).abs() < 0.1 && (top - 16.0).abs() < 0.1,
            "{left} {top}"
        );
        assert!((right - 100.0).abs() < 0.01 && (bottom - 50.0).abs() < 0.01);
    }

    #[test]
    fn a_round_box_cuts_the_corners_too() {
        let square = drawn("<rect width=\"100\" height=\"50\" fill=\"#123456\"/>", 20.0);
        let Drawing::Outlines(outlines) = &square else {
            panic!("outlines are expected")
        };
        let inside = |pen: &Pen| match pen {
            Pen::Move((x, y)) | Pen::Line((x, y)) => x + y > 11.0,
            Pen::Quad(..) | Pen::Cubic(..) | Pen::Close => true,
        };
        assert!(outlines[0].paths[0].iter().all(inside));
    }

    #[test]
    fn a_gradient_is_a_picture() {
        let svg = "<linearGradient id=\"g\"><stop stop-color=\"#fff\"/><stop offset=\"1\"/></linearGradient>\
                   <rect width=\"100\" height=\"50\" fill=\"url(#g)\"/>";
        let Drawing::Picture(png) = drawn(svg, 0.0) else {
            panic!("a picture is expected")
        };
        assert_eq!(&png[1..4], b"PNG");
    }

    #[test]
    fn every_motif_and_every_icon_is_outlines() {
        let rect = Rect::new(0.0, 0.0, 330.0, 240.0);
        let inks = [Rgb(1, 2, 3), Rgb(40, 50, 60), Rgb(70, 80, 90)];
        for motif in [Motif::Arcs, Motif::Blocks, Motif::Lines, Motif::Dots] {
            let svg = crate::art::pattern(motif, rect, inks, 7);
            let art = Art {
                rect,
                svg,
                radius: 20.0,
            };
            let drawing = decoration(&art).expect("an SVG");
            let (left, top, right, bottom) = reach(&drawing);
            assert!(left > -0.01 && top > -0.01 && right < 330.01 && bottom < 240.01);
        }
        for icon_name in spec::Icon::ALL {
            let node = IconNode {
                rect,
                icon: icon_name,
                color: inks[0],
            };
            let drawing = icon(&node).expect("an SVG");
            assert!(matches!(drawing, Drawing::Outlines(_)), "{icon_name:?}");
        }
    }
}
