//! Cutting a path off at a box with round corners. The format cannot clip, so what is cut is cut here.

use resvg::tiny_skia::{Path, PathSegment, Point};

use super::art::Pen;

/// A curve is made straight in pieces that leave it by less than this many pixels, which cannot be seen even in a projection.
const FLATNESS: f32 = 0.03;

/// A piece of a curve is at most this many straight ones.
const PIECES_MAX: u16 = 200;

/// Straight pieces of a round corner.
const CORNER_PIECES: u16 = 24;

/// A box that cuts.
#[derive(Debug)]
pub(super) struct Clip {
    /// The box as a polygon, clockwise on the screen; empty when nothing is cut.
    polygon: Vec<Point>,
    size: (f32, f32),
    radius: f32,
}

impl Clip {
    pub(super) fn nothing() -> Self {
        Self {
            polygon: Vec::new(),
            size: (0.0, 0.0),
            radius: 0.0,
        }
    }

    pub(super) fn new((w, h): (f32, f32), radius: f32) -> Self {
        let radius = radius.min(w / 2.0).min(h / 2.0).max(0.0);
        let corners = [
            (w - radius, radius, -0.25),
            (w - radius, h - radius, 0.0),
            (radius, h - radius, 0.25),
            (radius, radius, 0.5),
        ];
        let pieces = if radius > 0.0 { CORNER_PIECES } else { 0 };
        let mut polygon = Vec::new();
        for (x, y, from) in corners {
            for piece in 0..=pieces {
                let part = from + 0.25 * f32::from(piece) / f32::from(pieces.max(1));
                let angle = part * std::f32::consts::TAU;
                polygon.push(Point::from_xy(
                    x + radius * angle.cos(),
                    y + radius * angle.sin(),
                ));
            }
        }
        Self {
            polygon,
            size: (w, h),
            radius,
        }
    }

    /// Whether nothing of a box (left, top, right, bottom) is cut off.
    pub(super) fn holds(&self, (left, top, right, bottom): (f32, f32, f32, f32)) -> bool {
        const E: f32 = 0.01;
        if self.polygon.is_empty() {
            return true;
        }
        let (w, h) = self.size;
        let within = |dx: f32, dy: f32| {
            left >= dx - E && top >= dy - E && right <= w - dx + E && bottom <= h - dy + E
        };
        // Clear of the corners to the sides or above and below them.
        within(0.0, self.radius) || within(self.radius, 0.0)
    }

    /// What is left of a path, made of straight lines.
    pub(super) fn cut(&self, path: &Path) -> Vec<Pen> {
        let mut pens = Vec::new();
        for ring in rings(path) {
            let ring = self.inside(ring);
            let Some((first, rest)) = ring.split_first() else {
                continue;
            };
            if ring.len() < 3 {
                continue;
            }
            pens.push(Pen::Move((first.x, first.y)));
            pens.extend(rest.iter().map(|point| Pen::Line((point.x, point.y))));
            pens.push(Pen::Close);
        }
        pens
    }

    /// A ring's part inside the polygon, edge by edge (Sutherland and Hodgman).
    fn inside(&self, mut ring: Vec<Point>) -> Vec<Point> {
        for (at, from) in self.polygon.iter().enumerate() {
            let to = self.polygon[(at + 1) % self.polygon.len()];
            // Positive to the right of the edge, which is inside of a clockwise polygon when y grows downwards.
            let side =
                |p: Point| (to.x - from.x) * (p.y - from.y) - (to.y - from.y) * (p.x - from.x);
            let mut kept = Vec::with_capacity(ring.len());
            for (index, point) in ring.iter().enumerate() {
                let before = ring[(index + ring.len() - 1) % ring.len()];
                let (a, b) = (side(before), side(*point));
                if (a < 0.0) != (b < 0.0) {
                    let share = a / (a - b);
                    kept.push(Point::from_xy(
                        before.x + (point.x - before.x) * share,
                        before.y + (point.y - before.y) * share,
                    ));
                }
                if b >= 0.0 {
                    kept.push(*point);
                }
            }
            ring = kept;
        }
        ring
    }
}

/// The closed rings of a path, made of straight lines.
fn rings(path: &Path) -> Vec<Vec<Point>> {
    let mut rings: Vec<Vec<Point>> = Vec::new();
    let mut ring: Vec<Point> = Vec::new();
    for segment in path.segments() {
        let last = ring.last().copied().unwrap_or_else(Point::zero);
        match segment {
            PathSegment::MoveTo(to) => {
                rings.push(std::mem::take(&mut ring));
                ring.push(to);
            }
            PathSegment::LineTo(to) => ring.push(to),
            PathSegment::QuadTo(a, to) => curve(&mut ring, [last, mid(last, a), mid(to, a), to]),
            PathSegment::CubicTo(a, b, to) => curve(&mut ring, [last, a, b, to]),
            PathSegment::Close => {}
        }
    }
    rings.push(ring);
    rings.retain(|ring| ring.len() > 2);
    rings
}

/// The point two thirds of the way to the handle of a quadratic curve: a handle of the same curve as a cubic one.
fn mid(end: Point, handle: Point) -> Point {
    Point::from_xy(
        end.x + (handle.x - end.x) * 2.0 / 3.0,
        end.y + (handle.y - end.y) * 2.0 / 3.0,
    )
}

fn curve(ring: &mut Vec<Point>, [p, a, b, q]: [Point; 4]) {
    // The second differences bound how far a piece may leave the curve.
    let bend = |x: Point, y: Point, z: Point| (x.x - 2.0 * y.x + z.x).hypot(x.y - 2.0 * y.y + z.y);
    let bend = bend(p, a, b).max(bend(a, b, q));
    let pieces = (1..PIECES_MAX)
        .find(|count| 0.75 * bend / (f32::from(*count) * f32::from(*count)) <= FLATNESS)
        .unwrap_or(PIECES_MAX);
    for piece in 1..=pieces {
        let t = f32::from(piece) / f32::from(pieces);
        let s = 1.0 - t;
        let weights = [s * s * s, 3.0 * s * s * t, 3.0 * s * t * t, t * t * t];
        let sum = |of: fn(Point) -> f32| {
            weights[0] * of(p) + weights[1] * of(a) + weights[2] * of(b) + weights[3] * of(q)
        };
        ring.push(Point::from_xy(sum(|p| p.x), sum(|p| p.y)));
    }
}
