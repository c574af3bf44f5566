//! A scene as one SVG that needs nothing but fonts. Pictures and PDF are drawn from it.

use std::fmt::{Arguments, Write as _};

use spec::{Rgb, Theme};

use crate::formula::{Formula, OUTLINE_UNITS};
use crate::html::{code_families, escape, families, lang, px, stack};
use crate::scene::{
    Art, Fill, HOOK_LINE_EM, HOOK_OPACITY, IconNode, Node, PictureNode, Rect, Run, Scene, Stands,
    Text,
};

/// The page as an SVG document. It has no style sheet, no script and no link, and its ids are made from what is on the
/// page, so that the SVGs of several pages can stand in one HTML document.
#[must_use]
pub fn svg(scene: &Scene, theme: &Theme, language: &str) -> String {
    document(scene, theme, language, true)
}

/// The same without the page's ground, so that what is behind it shows.
pub(crate) fn ungrounded(scene: &Scene, theme: &Theme, language: &str) -> String {
    document(scene, theme, language, false)
}

fn document(scene: &Scene, theme: &Theme, language: &str, grounded: bool) -> String {
    let mut drawing = Drawing::new(theme, language, mark(scene));
    drawing.begin(scene.size);
    if grounded {
        drawing.ground(scene);
    }
    drawing.nodes(&scene.nodes);
    drawing.svg + "</svg>"
}

/// What stands behind everything on the page, as a document.
pub(crate) fn ground(scene: &Scene, theme: &Theme, language: &str) -> String {
    let mut drawing = Drawing::new(theme, language, mark(scene));
    drawing.begin(scene.size);
    drawing.ground(scene);
    drawing.svg + "</svg>"
}

/// Elements as a document of the size of a page.
pub(crate) fn whole(elements: &str, size: (f32, f32), theme: &Theme, language: &str) -> String {
    let mut drawing = Drawing::new(theme, language, String::new());
    drawing.begin(size);
    drawing.svg + elements + "</svg>"
}

/// Some things on a page, as elements for a document of their own.
pub(crate) fn elements<'n>(
    nodes: impl IntoIterator<Item = &'n Node>,
    theme: &Theme,
    language: &str,
) -> String {
    let mut drawing = Drawing::new(theme, language, "part".to_owned());
    drawing.nodes(nodes);
    drawing.svg
}

/// What the page's ids begin with: the same for the same page, another for another one.
fn mark(scene: &Scene) -> String {
    let said: String = scene
        .nodes
        .iter()
        .map(|node| match node {
            Node::Text(text) => text.text.as_str(),
            Node::Art(art) => art.svg.as_str(),
            Node::Picture(picture) => picture.alt.as_str(),
            Node::Fill(_) | Node::Icon(_) | Node::Chart(_) | Node::Table(_) | Node::Flow(_) => "",
        })
        .collect();
    format!("p{:08x}", crate::art::hash(&said))
}

/// The sign without width that is read from right to left.
const MARK_RTL: &str = "\u{200f}";

/// Elements of a text in the coordinates of the page: a group with its font, and in it a `text` for each line.
pub(crate) fn text_elements(text: &Text, theme: &Theme, language: &str) -> String {
    text_parts(text, theme, language, |_| Some(""))
}

/// The same for some of its runs: `wanted` gives what is written behind a run, and `None` for a run that is left out.
pub(crate) fn text_parts(
    text: &Text,
    theme: &Theme,
    language: &str,
    wanted: impl Fn(&Run) -> Option<&'static str>,
) -> String {
    let mut svg = String::new();
    let Some(first) = text.lines.iter().flat_map(|line| &line.runs).next() else {
        return svg;
    };
    let fonts = &theme.font_config;
    let font = if text.display {
        &fonts.title_font
    } else {
        &fonts.body_font
    };
    let stack = |family: Option<&str>| match text.stands {
        Stands::Code => code_families(family, font, language),
        Stands::Written | Stands::Whole => families(family, font, language),
    };
    let mut put = |element: Arguments<'_>| svg.write_fmt(element).expect("a string takes any text");
    put(format_args!(
        "<g font-family=\"{}\" font-size=\"{}\" font-weight=\"{}\" fill=\"{}\">",
        stack(first.family.as_deref()),
        px(text.size),
        text.weight,
        text.color.hex()
    ));
    for hook in text.hooks().filter(|_| wanted(first).is_some()) {
        put(format_args!(
            "<path d=\"M{} {}V{}H{}\" fill=\"none\" stroke=\"{}\" stroke-opacity=\"{HOOK_OPACITY}\" stroke-width=\"{}\"/>",
            px(hook.x),
            px(hook.y),
            px(hook.bottom()),
            px(hook.right()),
            text.color.hex(),
            px(HOOK_LINE_EM * text.size)
        ));
    }
    for (x, baseline, line) in text.placed() {
        let begin = format!("<text y=\"{}\" xml:space=\"preserve\">", px(baseline));
        // A line with parts in two directions is placed part by part: the program that draws it must not order the parts again.
        let apart = line.runs.iter().any(|run| run.rtl);
        let mut open = false;
        for (run, behind) in line.runs.iter().filter_map(|run| Some((run, wanted(run)?))) {
            if open && (apart || run.formula.is_some()) {
                put(format_args!("</text>"));
                open = false;
            }
            if let Some(set) = &run.formula {
                let stack = stack(first.family.as_deref());
                let at = (x + run.x, baseline);
                put(format_args!(
                    "{}",
                    formula(&set.formula, set.size, at, &stack)
                ));
                continue;
            }
            if !open {
                put(format_args!("{begin}"));
                open = true;
            }
            put(format_args!("<tspan x=\"{}\"", px(x + run.x)));
            if run.link.is_some() {
                put(format_args!(" text-decoration=\"underline\""));
            }
            if run.family != first.family {
                put(format_args!(
                    " font-family=\"{}\"",
                    stack(run.family.as_deref())
                ));
            }
            if run.bold && text.weight < 700 {
                put(format_args!(" font-weight=\"700\""));
            }
            if let Some(color) = run.color {
                put(format_args!(" fill=\"{}\"", color.hex()));
            }
            let mut words = String::new();
            let mut from = 0;
            for (end, next) in run.stops.iter().copied().chain([(run.text.len(), 0.0)]) {
                words.push_str(&escape(&run.text[from..end]));
                if end < run.text.len() {
                    words.push_str(&format!("<tspan x=\"{}\">", px(x + run.x + next)));
                }
                from = end;
            }
            words.push_str(&"</tspan>".repeat(run.stops.len()));
            let begins = run.rtl && !run.text.starts_with(char::is_alphabetic);
            let ends = run.rtl && !run.text.ends_with(char::is_alphabetic);
            // With marks of direction around it, a part keeps the signs at its ends in its own direction.
            let mark = |wanted: bool| if wanted { MARK_RTL } else { "" };
            put(format_args!(
                ">{}{words}{}{behind}</tspan>",
                mark(begins),
                mark(ends)
            ));
        }
        if open {
            put(format_args!("</text>"));
        }
    }
    put(format_args!("</g>"));
    svg
}

/// A formula from the left end of its baseline: its outlines, and the letters that only the fonts of the text have.
pub(crate) fn formula(formula: &Formula, size: f32, (x, y): (f32, f32), stack: &str) -> String {
    let mut svg = String::new();
    let fill =
        |ink: Option<Rgb>| ink.map_or(String::new(), |ink| format!(" fill=\"{}\"", ink.hex()));
    for outline in &formula.outlines {
        write!(
            svg,
            "<path transform=\"translate({} {}) scale({:.5})\"{} d=\"{}\"/>",
            px(x),
            px(y),
            size / OUTLINE_UNITS,
            fill(outline.ink),
            outline.data
        )
        .expect("a string takes any text");
    }
    for letter in &formula.letters {
        write!(
            svg,
            "<text x=\"{}\" y=\"{}\" font-family=\"{stack}\" font-size=\"{}\"{}>{}</text>",
            px(x + letter.x * size),
            px(y + letter.y * size),
            px(letter.size * size),
            fill(letter.ink),
            escape(&letter.character.to_string())
        )
        .expect("a string takes any text");
    }
    svg
}

/// The words for a drawing, as text that nobody sees, in the place of the drawing, so that they are found, copied and read there.
pub(crate) fn unseen(words: &str, w: f32, size: f32, (x, y): (f32, f32)) -> String {
    /// Width of a character in most families, in em.
    const SIGN_EM: f32 = 0.6;
    let signs = crate::scene::as_px(words.chars().count().max(1));
    // What has no opacity at all is left out of a PDF.
    format!(
        "<text x=\"{}\" y=\"{}\" font-size=\"{}\" fill-opacity=\"0.003\" xml:space=\"preserve\">{}</text>",
        px(x),
        px(y),
        px((w / (signs * SIGN_EM)).clamp(1.0, size.max(1.0))),
        escape(words)
    )
}

struct Drawing<'a> {
    svg: String,
    theme: &'a Theme,
    language: &'a str,
    /// What ids begin with.
    mark: String,
    /// How many boxes with round corners were clipped to.
    clips: u32,
}

impl<'a> Drawing<'a> {
    fn new(theme: &'a Theme, language: &'a str, mark: String) -> Self {
        Self {
            svg: String::with_capacity(16_384),
            theme,
            language,
            mark,
            clips: 0,
        }
    }

    fn begin(&mut self, (w, h): (f32, f32)) {
        let (w, h) = (px(w), px(h));
        let font = stack(&self.theme.font_config.body_font, self.language);
        let lang = escape(&lang(self.language));
        self.put(format_args!(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {w} {h}\" width=\"{w}\" height=\"{h}\" \
             lang=\"{lang}\" xml:lang=\"{lang}\" font-family=\"{font}\">",
        ));
    }

    fn ground(&mut self, scene: &Scene) {
        let (w, h) = (px(scene.size.0), px(scene.size.1));
        let mut ground = scene.background.hex();
        if let Some(end) = scene.gradient {
            let id = format!("{}-ground", self.mark);
            self.put(format_args!(
                "<defs><linearGradient id=\"{id}\" x1=\"0\" y1=\"0\" x2=\"1\" y2=\"1\"><stop offset=\"0\" stop-color=\"{ground}\"/>\
                 <stop offset=\"1\" stop-color=\"{}\"/></linearGradient></defs>",
                end.hex()
            ));
            ground = format!("url(#{id})");
        }
        self.put(format_args!(
            "<rect width=\"{w}\" height=\"{h}\" fill=\"{ground}\"/>"
        ));
    }

    fn put(&mut self, element: Arguments<'_>) {
        self.svg
            .write_fmt(element)
            .expect("a string takes any text");
    }

    fn nodes<'n>(&mut self, nodes: impl IntoIterator<Item = &'n Node>) {
        for node in nodes {
            match node {
                Node::Fill(fill) => self.fill(fill),
                Node::Art(art) => self.art(art),
                Node::Picture(PictureNode { rect, alt, picture }) => self.put(format_args!(
                    "<image x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" preserveAspectRatio=\"none\" href=\"{}\"><title>{}</title></image>",
                    px(rect.x),
                    px(rect.y),
                    px(rect.w),
                    px(rect.h),
                    picture.data_url(),
                    escape(alt),
                )),
                Node::Icon(icon) => self.icon(icon),
                Node::Text(text) => {
                    let text = text_elements(text, self.theme, self.language);
                    self.svg.push_str(&text);
                }
                Node::Table(table) => self.nodes(&table.parts()),
                Node::Chart(chart) => self.nodes(&chart.drawn),
                Node::Flow(flow) => {
                    for text in flow.texts() {
                        let text = text_elements(text, self.theme, self.language);
                        self.svg.push_str(&text);
                    }
                }
            }
        }
    }

    /// SVG strokes stand half outside of their line, so a border's line runs in its middle.
    fn fill(&mut self, fill: &Fill) {
        let radius = corner(fill.radius, fill.rect);
        let width = fill.border.map_or(0.0, |(_, width)| width);
        let rect = fill.rect.inset(width / 2.0, width / 2.0);
        let ground = if fill.open {
            "none".to_owned()
        } else {
            fill.color.hex()
        };
        self.put(format_args!("<rect {} fill=\"{ground}\"", place(rect)));
        if radius > 0.0 {
            self.put(format_args!(
                " rx=\"{}\"",
                px((radius - width / 2.0).max(0.0))
            ));
        }
        if let Some((color, width)) = fill.border {
            self.put(format_args!(
                " stroke=\"{}\" stroke-width=\"{}\"",
                color.hex(),
                px(width)
            ));
        }
        self.put(format_args!("/>"));
    }

    /// An inner `svg` clips to its box; round corners need a path of their own.
    fn art(&mut self, art: &Art) {
        let radius = corner(art.radius, art.rect);
        if radius > 0.0 {
            self.clips += 1;
            let id = format!("{}-{}", self.mark, self.clips);
            self.put(format_args!(
                "<clipPath id=\"{id}\"><rect {} rx=\"{}\"/></clipPath><g clip-path=\"url(#{id})\">",
                place(art.rect),
                px(radius)
            ));
        }
        self.put(format_args!(
            "<svg {} viewBox=\"0 0 {} {}\">{}</svg>",
            place(art.rect),
            px(art.rect.w),
            px(art.rect.h),
            art.svg
        ));
        if radius > 0.0 {
            self.put(format_args!("</g>"));
        }
    }

    fn icon(&mut self, icon: &IconNode) {
        self.put(format_args!(
            "<svg {} viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" \
             stroke-linecap=\"round\" stroke-linejoin=\"round\">{}</svg>",
            place(icon.rect),
            icon.color.hex(),
            crate::icons::elements(icon.icon)
        ));
    }
}

/// A corner's radius, as far as the box has room for it.
pub(crate) fn corner(radius: f32, rect: Rect) -> f32 {
    radius.min(rect.w / 2.0).min(rect.h / 2.0).max(0.0)
}

/// The attributes that say where a box is.
fn place(rect: Rect) -> String {
    format!(
        "x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\"",
        px(rect.x),
        px(rect.y),
        px(rect.w.max(0.0)),
        px(rect.h.max(0.0))
    )
}
