//! Decoration: geometric patterns in a theme's colours, the same for the same seed.

use std::fmt::Write as _;

use spec::Rgb;

use crate::palette::Motif;
use crate::scene::Rect;

/// FNV-1a: small, and the same on every machine.
pub(crate) fn hash(text: &str) -> u32 {
    text.bytes().fold(0x811c_9dc5, |hash, byte| {
        (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193)
    })
}

/// Elements that fill a box of this size. `inks` go from the quietest to the loudest.
pub(crate) fn pattern(motif: Motif, rect: Rect, inks: [Rgb; 3], seed: u32) -> String {
    let mut svg = String::new();
    match motif {
        Motif::Arcs => arcs(&mut svg, rect, inks),
        Motif::Blocks => blocks(&mut svg, rect, inks, seed),
        Motif::Lines => diagonals(&mut svg, rect, inks),
        Motif::Dots => dots(&mut svg, rect, inks),
    }
    svg
}

fn put(svg: &mut String, element: std::fmt::Arguments<'_>) {
    svg.write_fmt(element).expect("a string takes any text");
}

/// Rings around the lower right corner.
fn arcs(svg: &mut String, rect: Rect, [quiet, middle, loud]: [Rgb; 3]) {
    let (w, h) = (rect.w, rect.h);
    let reach = w.min(h);
    // Rings stay apart in a small box.
    let width = (reach * 0.1).min(44.0);
    for (share, ink) in [(0.96, quiet), (0.76, quiet), (0.56, middle), (0.34, middle)] {
        let r = reach * share - width / 2.0;
        put(
            svg,
            format_args!(
                "<circle cx=\"{w:.0}\" cy=\"{h:.0}\" r=\"{r:.1}\" fill=\"none\" stroke=\"{}\" stroke-width=\"{width}\"/>",
                ink.hex()
            ),
        );
    }
    put(
        svg,
        format_args!(
            "<circle cx=\"{w:.0}\" cy=\"{h:.0}\" r=\"{:.1}\" fill=\"{}\"/>",
            reach * 0.18,
            loud.hex()
        ),
    );
    put(
        svg,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{}\"/>",
            w - reach * 0.68,
            h - reach * 0.6,
            reach * 0.04,
            loud.hex()
        ),
    );
}

/// Squares, discs and quarter discs on a grid.
fn blocks(svg: &mut String, rect: Rect, inks: [Rgb; 3], seed: u32) {
    let across = (rect.w / 120.0).round().max(2.0);
    let cell = rect.w / across;
    // A low box gets whole rows; a high one may lose part of its uppermost row at the box's edge.
    let down = if rect.h < 3.0 * cell {
        (rect.h / cell).floor().max(1.0)
    } else {
        (rect.h / cell).ceil()
    };
    let mut state = seed | 1;
    let mut next = |below: u32| {
        state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        (state >> 16) % below
    };
    let mut y = rect.h - down * cell;
    while y < rect.h - 1.0 {
        let mut x = 0.0;
        while x < rect.w - 1.0 {
            let ink = match next(6) {
                0 => inks[2],
                1 | 2 => inks[1],
                _ => inks[0],
            };
            block(svg, (x, y, cell), next(7), ink);
            x += cell;
        }
        y += cell;
    }
}

fn block(svg: &mut String, (x, y, s): (f32, f32, f32), shape: u32, ink: Rgb) {
    let ink = ink.hex();
    let (r, b) = (x + s, y + s);
    match shape {
        0 => put(
            svg,
            format_args!(
                "<path d=\"M{x:.1} {y:.1}H{r:.1}A{s:.1} {s:.1} 0 0 1 {x:.1} {b:.1}Z\" fill=\"{ink}\"/>"
            ),
        ),
        1 => put(
            svg,
            format_args!(
                "<path d=\"M{r:.1} {y:.1}V{b:.1}A{s:.1} {s:.1} 0 0 1 {x:.1} {y:.1}Z\" fill=\"{ink}\"/>"
            ),
        ),
        2 => put(
            svg,
            format_args!(
                "<path d=\"M{r:.1} {b:.1}H{x:.1}A{s:.1} {s:.1} 0 0 1 {r:.1} {y:.1}Z\" fill=\"{ink}\"/>"
            ),
        ),
        3 => put(
            svg,
            format_args!(
                "<path d=\"M{x:.1} {b:.1}V{y:.1}A{s:.1} {s:.1} 0 0 1 {r:.1} {b:.1}Z\" fill=\"{ink}\"/>"
            ),
        ),
        4 => put(
            svg,
            format_args!(
                "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{ink}\"/>",
                x + s / 2.0,
                y + s / 2.0,
                s / 2.0
            ),
        ),
        5 => put(
            svg,
            format_args!(
                "<rect x=\"{x:.1}\" y=\"{y:.1}\" width=\"{s:.1}\" height=\"{s:.1}\" fill=\"{ink}\"/>"
            ),
        ),
        _ => {}
    }
}

/// Broad diagonal bands.
fn diagonals(svg: &mut String, rect: Rect, [quiet, middle, loud]: [Rgb; 3]) {
    let (w, h) = (rect.w, rect.h);
    for (from, width, ink) in [
        (0.30, 64.0, quiet),
        (0.52, 40.0, middle),
        (0.68, 16.0, loud),
        (0.80, 96.0, quiet),
    ] {
        let x = w * from;
        put(
            svg,
            format_args!(
                "<path d=\"M{:.1} {h:.1}L{:.1} 0H{:.1}L{:.1} {h:.1}Z\" fill=\"{}\"/>",
                x - h * 0.18,
                x + h * 0.36,
                x + h * 0.36 + width,
                x - h * 0.18 + width,
                ink.hex()
            ),
        );
    }
}

/// A disc, a ring, and dots that grow towards the lower right.
fn dots(svg: &mut String, rect: Rect, [quiet, middle, loud]: [Rgb; 3]) {
    let (w, h) = (rect.w, rect.h);
    let r = w.min(h) * 0.36;
    put(
        svg,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{r:.1}\" fill=\"{}\"/>",
            w * 0.6,
            h * 0.44,
            quiet.hex()
        ),
    );
    put(
        svg,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"none\" stroke=\"{}\" stroke-width=\"3\"/>",
            w * 0.6,
            h * 0.44,
            r * 1.2,
            middle.hex()
        ),
    );
    let step = 34.0;
    let mut y = step / 2.0;
    while y < h {
        let mut x = step / 2.0;
        while x < w {
            let share = ((x / w) + (y / h)) / 2.0;
            let size = (share - 0.35) * 11.0;
            if size > 1.0 {
                put(
                    svg,
                    format_args!(
                        "<circle cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{size:.1}\" fill=\"{}\"/>",
                        middle.hex()
                    ),
                );
            }
            x += step;
        }
        y += step;
    }
    put(
        svg,
        format_args!(
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{:.1}\" fill=\"{}\"/>",
            w * 0.6 - r * 1.04,
            h * 0.44 + r * 0.6,
            r * 0.16,
            loud.hex()
        ),
    );
}
