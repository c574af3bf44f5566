//! A scene as one HTML fragment that needs nothing but itself.

use std::fmt::Write as _;

use spec::text::spans;
use spec::{Layout, SlideSpec, Theme};

use crate::PageContext;
use crate::palette::Palette;
use crate::scene::{Align, Node, Rect, Role, Scene, Text, Valign};

/// Rules that inline styles cannot say, scoped by the wrapper's class. They also undo what a host page may say about
/// headings and paragraphs. `text-autospace` and `line-break` are ignored where they are unknown.
const STYLE: &str = "\
.ppt-page-wrapper,.ppt-page-wrapper *{box-sizing:border-box;margin:0;padding:0}\
.ppt-page-wrapper .ppt-n{position:absolute;display:block;border:0}\
.ppt-page-wrapper .ppt-t{position:absolute;display:flex;flex-direction:column;justify-content:flex-start;\
border:0;background:none;letter-spacing:normal;word-spacing:normal;text-indent:0;text-transform:none;font-style:normal;\
text-decoration:none;text-shadow:none;white-space:normal;max-width:none;opacity:1;float:none}\
.ppt-page-wrapper .ppt-t>span{display:block;width:100%;line-break:strict;overflow-wrap:anywhere;word-break:normal;\
hyphens:none;text-autospace:normal;text-spacing-trim:normal;hanging-punctuation:none;font-kerning:normal}\
.ppt-page-wrapper h2.ppt-t>span{text-wrap:balance}\
.ppt-page-wrapper .ppt-clip>span{white-space:nowrap;overflow:hidden;text-overflow:ellipsis}\
.ppt-page-wrapper strong{font-weight:700;color:inherit}\
.ppt-page-wrapper svg text{font-family:inherit}";

/// Text as HTML: nothing in it can become markup, inside or outside of attributes.
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
            other => escaped.push(other),
        }
    }
    escaped
}

/// The slide as one `div` of 1280 x 720 pixels. It needs no style sheet, script, font or picture from elsewhere.
#[must_use]
pub fn page_fragment(slide: &SlideSpec, theme: &Theme, context: &PageContext) -> String {
    let scene = crate::scene(slide, theme, context);
    let fonts = &theme.font_config;
    let mut html = String::with_capacity(16_384);
    let mut put =
        |part: std::fmt::Arguments<'_>| html.write_fmt(part).expect("a string takes any text");
    put(format_args!(
        "<div class=\"ppt-page-wrapper\" lang=\"{lang}\" data-layout=\"{layout}\" data-page=\"{page}\" data-offline=\"{offline}\" style=\"position:\
         relative;box-sizing:border-box;width:1280px;height:720px;min-width:1280px;overflow:hidden;text-align:left;\
         background:{background};color:{text};font-family:{body};font-size:24px;line-height:1.5;\
         --ppt-title-font:{title}\"><style>{STYLE}</style>",
        lang = escape(&lang(&context.language)),
        layout = layout_name(slide.layout()),
        page = context.page_number,
        offline = context.offline && context.page_number == 1,
        background = scene.background.hex(),
        text = Palette::new(theme).text.hex(),
        body = stack(&fonts.body_font, &context.language),
        title = stack(&fonts.title_font, &context.language),
    ));
    nodes(&mut html, &scene, &Palette::new(theme), &context.language);
    html.push_str("</div>");
    html
}

fn nodes(html: &mut String, scene: &Scene, palette: &Palette, language: &str) {
    for node in &scene.nodes {
        match node {
            Node::Fill(fill) => {
                let ground = if fill.open { String::new() } else { format!("background:{};", fill.color.hex()) };
                let border = fill.border.map_or(String::new(), |(color, width)| {
                    format!("border:{}px solid {};", px(width), color.hex())
                });
                let radius = fill.radius.min(fill.rect.w / 2.0).min(fill.rect.h / 2.0);
                html.push_str(&format!(
                    "<div class=\"ppt-n\" style=\"{}{ground}{border}border-radius:{}px\"></div>",
                    place(fill.rect),
                    px(radius)
                ));
            }
            Node::Art(art) => html.push_str(&format!(
                "<svg class=\"ppt-n\" aria-hidden=\"true\" viewBox=\"0 0 {w} {h}\" style=\"{}overflow:hidden;border-radius:{}px\">{}</svg>",
                place(art.rect),
                px(art.radius),
                art.svg,
                w = px(art.rect.w),
                h = px(art.rect.h),
            )),
            Node::Icon(icon) => html.push_str(&format!(
                "<svg class=\"ppt-n\" aria-hidden=\"true\" viewBox=\"0 0 24 24\" fill=\"none\" stroke=\"{}\" stroke-width=\"1.75\" \
                 stroke-linecap=\"round\" stroke-linejoin=\"round\" style=\"{}\">{}</svg>",
                icon.color.hex(),
                place(icon.rect),
                crate::icons::elements(icon.icon)
            )),
            Node::Text(text) => html.push_str(&text_html(text)),
            Node::Chart(chart) => html.push_str(&format!(
                "<svg class=\"ppt-n\" role=\"img\" aria-label=\"{}\" viewBox=\"0 0 {w} {h}\" style=\"{}overflow:visible\">{}</svg>",
                escape(&spec::text::plain(&chart.title)),
                place(chart.rect),
                crate::chart::elements(&chart.spec, chart.rect, palette, language),
                w = px(chart.rect.w),
                h = px(chart.rect.h),
            )),
        }
    }
}

fn text_html(text: &Text) -> String {
    let tag = match text.role {
        Role::Title => "h2",
        Role::Subtitle | Role::Body | Role::Chrome => "div",
    };
    let align = match text.align {
        Align::Left => "",
        Align::Center => "text-align:center;",
        Align::Right => "text-align:right;",
    };
    let valign = match text.valign {
        Valign::Top => "",
        Valign::Middle => "justify-content:center;",
        Valign::Bottom => "justify-content:flex-end;",
    };
    let font = if text.display {
        "font-family:var(--ppt-title-font);"
    } else {
        "font-family:inherit;"
    };
    let clip = if text.clip { " ppt-clip" } else { "" };
    format!(
        "<{tag} class=\"ppt-t{clip}\" style=\"{}font-size:{}px;line-height:{};font-weight:{};color:{};{font}{align}{valign}\">\
         <span>{}</span></{tag}>",
        place(text.rect),
        px(text.size),
        px(text.line),
        text.weight,
        text.color.hex(),
        broken(text)
    )
}

/// The text's HTML, with a heading's line break where one is better set by us.
fn broken(text: &Text) -> String {
    let at = match text.role {
        Role::Title => crate::measure::heading_break(&text.text, text.rect.w / text.size),
        Role::Subtitle | Role::Body | Role::Chrome => None,
    };
    match at {
        Some(at) => format!(
            "{}<br>{}",
            inline(&text.text[..at]),
            inline(text.text[at..].trim_start())
        ),
        None => inline(&text.text),
    }
}

/// Escaped text with its bold runs.
fn inline(text: &str) -> String {
    spans(text)
        .into_iter()
        .map(|span| {
            let text = escape(&span.text);
            if span.bold {
                format!("<strong>{text}</strong>")
            } else {
                text
            }
        })
        .collect()
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
fn px(value: f32) -> String {
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

/// The theme's font, then fonts that have Chinese on each system, with the glyph shapes of the language.
pub(crate) fn stack(font: &str, language: &str) -> String {
    let name: String = font
        .chars()
        .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
        .collect();
    let lower = name.to_lowercase();
    let serif = [
        "serif", "song", "宋", "georgia", "times", "garamond", "kai", "楷",
    ]
    .iter()
    .any(|word| lower.contains(word))
        && !lower.contains("sans");
    let language = language.to_lowercase();
    let fallbacks = if language.starts_with("ja") {
        "'Noto Sans CJK JP','Noto Sans JP','Hiragino Sans','Yu Gothic',Meiryo,sans-serif"
    } else if language.starts_with("ko") {
        "'Noto Sans CJK KR','Noto Sans KR','Apple SD Gothic Neo','Malgun Gothic',sans-serif"
    } else if ["zh-tw", "zh-hk", "zh-mo", "zh-hant"]
        .iter()
        .any(|code| language.starts_with(code))
    {
        "'Noto Sans CJK TC','Noto Sans TC','PingFang TC','Microsoft JhengHei','Source Han Sans TC',sans-serif"
    } else if serif {
        "'Source Han Serif SC','Noto Serif CJK SC','Noto Serif SC','Songti SC',SimSun,serif"
    } else {
        "'Source Han Sans SC','Noto Sans CJK SC','Noto Sans SC','PingFang SC','Microsoft YaHei','Hiragino Sans GB',sans-serif"
    };
    let name = name.trim();
    if name.is_empty() {
        fallbacks.to_owned()
    } else {
        format!("'{name}',{fallbacks}")
    }
}
