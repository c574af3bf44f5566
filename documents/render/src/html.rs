//! A scene as one HTML fragment that needs nothing but itself.

mod flow;

use std::fmt::{Arguments, Write as _};

use spec::{Layout, SlideSpec, Theme};

use crate::PageContext;
use crate::fonts::{is_serif, mono, of_language, of_letters};
use crate::formula::Formula;
use crate::palette::Palette;
use crate::scene::{
    Align, ChartNode, Fill, HOOK_LINE_EM, HOOK_OPACITY, Node, Rect, Role, Run, Scene, Stands,
    TableNode, Text,
};
use crate::svg::corner;

/// Rules that inline styles cannot say, scoped by the wrapper's class. They also undo what a host page may say about
/// headings and paragraphs, and what a browser would do to the text on its own: break lines, add space between scripts.
///
/// A line has no height, and an empty block in front of its text that stands on the baseline: where the text's baseline is then
/// does not depend on the font that the browser finds.
const STYLE: &str = "\
.ppt-page-wrapper,.ppt-page-wrapper *{box-sizing:border-box;margin:0;padding:0}\
.ppt-page-wrapper .ppt-n{position:absolute;display:block;border:0}\
.ppt-page-wrapper .ppt-t{position:absolute;display:block;\
border:0;background:none;letter-spacing:normal;word-spacing:normal;text-indent:0;text-transform:none;font-style:normal;\
text-decoration:none;text-shadow:none;max-width:none;opacity:1;float:none;\
text-autospace:no-autospace;text-spacing-trim:space-all;hanging-punctuation:none;font-kerning:normal;font-synthesis:weight}\
.ppt-page-wrapper .ppt-l{position:absolute;display:block;left:0;width:100%;line-height:0;white-space:nowrap}\
.ppt-page-wrapper .ppt-l::before{content:\"\";display:inline-block;height:var(--ppt-b)}\
.ppt-page-wrapper .ppt-h{position:absolute;display:block;border:solid currentColor}\
.ppt-page-wrapper .ppt-s{font-size:0;line-height:0;white-space:pre}\
.ppt-page-wrapper a{color:inherit;text-decoration:underline}\
.ppt-page-wrapper .ppt-f{position:relative;display:inline-block;height:0}\
.ppt-page-wrapper .ppt-f svg{position:absolute;left:0;overflow:visible}\
.ppt-page-wrapper .ppt-f math{position:absolute;left:0;width:1px;height:1px;overflow:hidden;clip-path:inset(50%)}\
.ppt-page-wrapper strong{font-weight:700;color:inherit}";

/// Text as HTML or XML: nothing in it can become markup, inside or outside of attributes.
#[must_use]
pub fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        match character {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            '\'' => escaped.push_str("&#39;"),
            // A slide that was not checked may hold these; HTML forbids them.
            control if control.is_control() => escaped.push(' '),
            // Nor may these stand in XML.
            '\u{fffe}' | '\u{ffff}' => escaped.push(' '),
            other => escaped.push(other),
        }
    }
    escaped
}

/// The slide as one `div` of 1280 x 720 pixels. It needs no style sheet, script, font or picture from elsewhere. Its text is
/// text, on the lines of the scene.
#[must_use]
pub fn page_fragment(
    scene: &Scene,
    slide: &SlideSpec,
    theme: &Theme,
    context: &PageContext,
) -> String {
    let mut page = Page {
        html: String::with_capacity(16_384),
        rtl: spec::text::is_right_to_left(&context.language),
    };
    let dir = dir(&context.language);
    let fonts = &theme.font_config;
    page.put(format_args!(
        "<div class=\"ppt-page-wrapper\" lang=\"{lang}\"{dir} data-layout=\"{layout}\" data-page=\"{page}\" data-offline=\"{offline}\" style=\"position:\
         relative;box-sizing:border-box;width:{w}px;height:{h}px;min-width:{w}px;overflow:hidden;text-align:left;\
         background:{background};color:{text};--ppt-body-font:{body};--ppt-title-font:{title};\
         font-family:var(--ppt-body-font);font-size:24px;line-height:1.5\"><style>{STYLE}</style>",
        lang = escape(&lang(&context.language)),
        layout = layout_name(slide.layout()),
        page = context.page_number,
        offline = context.offline && context.page_number == 1,
        w = px(scene.size.0),
        h = px(scene.size.1),
        background = ground(scene),
        text = Palette::new(theme).text.hex(),
        body = stack(&fonts.body_font, &context.language),
        title = stack(&fonts.title_font, &context.language),
    ));
    page.nodes(&scene.nodes);
    page.html.push_str("</div>");
    page.html
}

/// The page's background, as CSS.
fn ground(scene: &Scene) -> String {
    let begin = scene.background.hex();
    match scene.gradient {
        Some(end) => format!("linear-gradient(135deg,{begin},{})", end.hex()),
        None => begin,
    }
}

struct Page {
    html: String,
    /// Whether the page is read from right to left.
    rtl: bool,
}

impl Page {
    fn put(&mut self, part: Arguments<'_>) {
        self.html.write_fmt(part).expect("a string takes any text");
    }

    fn nodes(&mut self, nodes: &[Node]) {
        for node in nodes {
            match node {
                Node::Fill(fill) => self.fill(fill),
                Node::Art(art) => self.put(format_args!(
                    "<svg class=\"ppt-n\" aria-hidden=\"true\" viewBox=\"0 0 {w} {h}\" style=\"{}overflow:hidden;border-radius:{}px\">{}</svg>",
                    place(art.rect),
                    px(corner(art.radius, art.rect)),
                    art.svg,
                    w = px(art.rect.w),
                    h = px(art.rect.h),
                )),
                Node::Icon(icon) => self.put(format_args!(
                    "<svg class=\"ppt-n\" aria-hidden=\"true\" viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" \
                     stroke-linecap=\"round\" stroke-linejoin=\"round\" style=\"{}\">{}</svg>",
                    icon.color.hex(),
                    place(icon.rect),
                    crate::icons::elements(icon.icon)
                )),
                Node::Text(text) => self.text(text, tag_of(text)),
                Node::Table(table) => self.table(table),
                Node::Chart(chart) => self.chart(chart),
                Node::Flow(flow) => self.flow(flow),
                Node::Picture(picture) => self.put(format_args!(
                    "<img class=\"ppt-n\" alt=\"{}\" style=\"{}\" src=\"{}\">",
                    escape(&picture.alt),
                    place(picture.rect),
                    picture.picture.data_url(),
                )),
            }
        }
    }

    fn fill(&mut self, fill: &Fill) {
        let ground = if fill.open {
            String::new()
        } else {
            format!("background:{};", fill.color.hex())
        };
        let border = fill.border.map_or(String::new(), |(color, width)| {
            format!("border:{}px solid {};", px(width), color.hex())
        });
        self.put(format_args!(
            "<div class=\"ppt-n\" style=\"{}{ground}{border}border-radius:{}px\"></div>",
            place(fill.rect),
            px(corner(fill.radius, fill.rect))
        ));
    }

    /// A table is drawn from its parts, so that the browser does not choose the widths of its columns: each cell has its text placed on the
    /// page, and takes no room itself.
    fn table(&mut self, table: &TableNode) {
        for part in table.parts() {
            if let Node::Fill(fill) = part {
                self.fill(&fill);
            }
        }
        self.put(format_args!("<table style=\"font-weight:400\">"));
        for (at, row) in table.rows.iter().enumerate() {
            self.put(format_args!("<tr>"));
            for (column, cell) in row.cells.iter().enumerate() {
                let tag = match (table.heads && at == 0, table.labels && column == 0) {
                    (true, _) => "th scope=\"col\"",
                    (false, true) => "th scope=\"row\"",
                    (false, false) => "td",
                };
                self.put(format_args!("<{tag}>"));
                self.text(&cell.text, "div");
                self.put(format_args!("</{}>", &tag[..2]));
            }
            self.put(format_args!("</tr>"));
        }
        self.put(format_args!("</table>"));
    }

    /// A chart is one picture for screen readers, but its labels are text that can be selected.
    fn chart(&mut self, chart: &ChartNode) {
        self.put(format_args!(
            "<div role=\"img\" aria-label=\"{}\">",
            escape(&spec::text::plain(&chart.title))
        ));
        self.nodes(&chart.drawn);
        self.put(format_args!("</div>"));
    }

    /// A box as large as the text's, with its lines as the scene has them.
    pub(super) fn text(&mut self, text: &Text, tag: &str) {
        let align = match text.align {
            Align::Left => "",
            Align::Center => "text-align:center;",
            Align::Right => "text-align:right;",
        };
        let dir = match (text.rtl, self.rtl) {
            (true, _) => " dir=\"rtl\"",
            (false, true) => " dir=\"ltr\"",
            (false, false) => "",
        };
        let runs = || text.lines.iter().flat_map(|line| &line.runs);
        let family = runs().next().and_then(|run| run.family.as_deref());
        self.put(format_args!(
            "<{tag} class=\"ppt-t\"{dir} style=\"{}font-size:{}px;font-weight:{};color:{};font-family:{};{align}\">",
            place(text.rect),
            px(text.size),
            text.weight,
            text.color.hex(),
            measured(family, text),
        ));
        for hook in text.hooks() {
            let at = Rect::new(hook.x - text.rect.x, hook.y - text.rect.y, hook.w, hook.h);
            self.put(format_args!(
                "<span class=\"ppt-h\" aria-hidden=\"true\" style=\"{}border-width:0 0 {line}px {line}px;opacity:{HOOK_OPACITY}\"></span>",
                place(at),
                line = px(HOOK_LINE_EM * text.size)
            ));
        }
        let whole = spec::text::plain(&text.text);
        let mut rest = whole.as_str();
        for (_, baseline, line) in text.placed() {
            self.put(format_args!(
                "<span class=\"ppt-l\" style=\"top:{}px;--ppt-b:{}px{}\">",
                px(baseline - line.baseline - text.rect.y),
                px(line.baseline),
                flow::blanks(text, line),
            ));
            for run in &line.runs {
                self.run(run, text, family);
            }
            // It is written without taking room, so that the words stay apart when the text is copied or read aloud.
            if let Some(space) = line.space_after(&mut rest) {
                self.put(format_args!("<span class=\"ppt-s\">{space}</span>"));
            }
            self.html.push_str("</span>");
        }
        // When text is copied, placed boxes do not count as paragraphs; this line break ends one.
        self.put(format_args!("<span class=\"ppt-s\">\n</span></{tag}>"));
    }

    fn run(&mut self, run: &Run, text: &Text, family: Option<&str>) {
        if let Some(set) = &run.formula {
            let family = measured(family, text);
            self.formula(&set.formula, set.size, &family);
            return;
        }
        let words = escape(&run.text);
        let own_family = run.family.as_deref().filter(|own| Some(*own) != family);
        let mut style = own_family.map_or(String::new(), |own| {
            format!("font-family:{}", measured(Some(own), text))
        });
        if let Some(color) = run.color {
            let next = if style.is_empty() { "" } else { ";" };
            style.push_str(&format!("{next}color:{}", color.hex()));
        }
        let words = if style.is_empty() {
            words
        } else {
            format!("<span style=\"{style}\">{words}</span>")
        };
        let words = match &run.link {
            Some(link) => format!(
                "<a href=\"{}\" target=\"_blank\" rel=\"noopener noreferrer\">{words}</a>",
                escape(link)
            ),
            None => words,
        };
        if run.bold && text.weight < 700 {
            self.put(format_args!("<strong>{words}</strong>"));
        } else {
            self.html.push_str(&words);
        }
    }

    /// A formula as a drawing that looks the same everywhere, and as `MathML` for screen readers and for copying.
    fn formula(&mut self, formula: &Formula, size: f32, family: &str) {
        let (w, h) = (formula.width * size, formula.height * size);
        let drawn = crate::svg::formula(formula, size, (0.0, h), family);
        self.put(format_args!(
            "<span class=\"ppt-f\" style=\"width:{w}px\"><svg aria-hidden=\"true\" width=\"{w}\" height=\"{all}\" \
             style=\"top:-{h}px\" fill=\"currentColor\">{drawn}</svg>{mathml}</span>",
            w = px(w),
            h = px(h),
            all = px(h + formula.depth * size),
            mathml = formula.mathml(),
        ));
    }
}

/// The family that a text was measured with, then those of the page.
fn measured(family: Option<&str>, text: &Text) -> String {
    if text.stands == Stands::Code {
        let names: Vec<String> = family
            .into_iter()
            .chain(mono().iter().copied())
            .map(quoted)
            .collect();
        return names.join(",") + ",monospace";
    }
    let page = if text.display {
        "var(--ppt-title-font)"
    } else {
        "var(--ppt-body-font)"
    };
    match family.map(quoted).filter(|name| !name.is_empty()) {
        Some(name) => format!("{name},{page}"),
        None => page.to_owned(),
    }
}

/// What a text is in the document by itself.
fn tag_of(text: &Text) -> &'static str {
    match text.role {
        Role::Title => "h2",
        Role::Subtitle | Role::Body | Role::Chrome => "div",
    }
}

fn place(rect: Rect) -> String {
    format!(
        "left:{}px;top:{}px;width:{}px;height:{}px;",
        px(rect.x),
        px(rect.y),
        px(rect.w),
        px(rect.h)
    )
}

/// At most two decimals, none for a whole number.
pub(crate) fn px(value: f32) -> String {
    let text = format!("{value:.2}");
    let text = text.trim_end_matches('0').trim_end_matches('.');
    if text == "-0" {
        "0".to_owned()
    } else {
        text.to_owned()
    }
}

fn layout_name(layout: Layout) -> &'static str {
    match layout {
        Layout::Title => "title",
        Layout::Section => "section",
        Layout::Bullets => "bullets",
        Layout::IconRows => "icon_rows",
        Layout::TwoColumns => "two_columns",
        Layout::ImageText => "image_text",
        Layout::Figures => "figures",
        Layout::Comparison => "comparison",
        Layout::Timeline => "timeline",
        Layout::Chart => "chart",
        Layout::Quote => "quote",
        Layout::Closing => "closing",
        Layout::Passage => "passage",
        Layout::Code => "code",
        Layout::Picture => "picture",
        Layout::Composed => "composed",
        Layout::Table => "table",
    }
}

/// The `lang` attribute. Plain `zh` leaves the choice of glyphs to the browser; here it means simplified Chinese.
pub(crate) fn lang(language: &str) -> String {
    match language.trim() {
        "" => "und".to_owned(),
        "zh" => "zh-CN".to_owned(),
        other => other.to_owned(),
    }
}

/// The `dir` attribute of a document in a language, with the space before it; nothing where it is read from left to right.
pub(crate) fn dir(language: &str) -> &'static str {
    if spec::text::is_right_to_left(language) {
        " dir=\"rtl\""
    } else {
        ""
    }
}

/// How many families of a language are named after the theme's own: enough that each kind of system has one of them.
const FALLBACKS: usize = 10;

/// The theme's font, after one of letters where that is what it stands beside, then fonts that have the language's characters on each
/// system; fit for an attribute.
pub(crate) fn stack(font: &str, language: &str) -> String {
    families(None, font, language)
}

/// The same after the family that a text was measured with, if there is one.
pub(crate) fn families(measured: Option<&str>, font: &str, language: &str) -> String {
    let serif = is_serif(font);
    let fallbacks = of_language(language, serif).into_iter().take(FALLBACKS);
    let mut names: Vec<String> = Vec::new();
    let of_theme = of_letters(font, language).into_iter().chain([font]);
    for name in measured.into_iter().chain(of_theme).chain(fallbacks) {
        let name = quoted(name);
        if !name.is_empty() && !names.contains(&name) {
            names.push(name);
        }
    }
    let generic = if serif { "serif" } else { "sans-serif" };
    names.join(",") + "," + generic
}

/// Families of one width after the one that a text was measured with, then the theme's.
pub(crate) fn code_families(measured: Option<&str>, font: &str, language: &str) -> String {
    let mono: Vec<String> = mono().iter().copied().map(quoted).collect();
    let own = measured.map(quoted).filter(|name| !name.is_empty());
    let names: Vec<String> = own.into_iter().chain(mono).collect();
    names.join(",") + "," + &stack(font, language) + ",monospace"
}

/// A family's name in quotes, without what could end them or the attribute around them; empty for no name.
fn quoted(name: &str) -> String {
    let name: String = name
        .chars()
        .filter(|c| !c.is_control() && !"'\"\\<>&;{}".contains(*c))
        .collect();
    match name.trim() {
        "" => String::new(),
        name => format!("'{name}'"),
    }
}
