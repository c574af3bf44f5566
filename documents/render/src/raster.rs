//! Pictures of pages. Letters that no font can draw are refused here, so that no picture and no PDF has boxes in their place.

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::ID;
use resvg::usvg::{self, FontResolver, ImageHrefResolver, Node, Options, Tree, roxmltree};
use thiserror::Error;

use crate::fonts::{Fonts, fallback, is_invisible, is_of_other_script, may_be_a_box};

/// Width of a page's thumbnail in pixels: four of them side by side on a small screen.
pub const THUMBNAIL_W: u32 = 320;
/// Most pixels of a picture: 4096 x 4096, twice a page in 4K. Drawing holds four bytes of each, and writing the file as many again.
const PIXELS_MAX: u64 = 16_777_216;
/// Longest SVG in bytes. A page has 20 to 60 thousand; reading takes some twenty times as much memory.
const SVG_BYTES_MAX: usize = 4 * 1024 * 1024;
/// So many characters are named in a message; whoever reads it needs the script, not the list.
const NAMED_MAX: usize = 12;

/// Why no picture or PDF was made.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum RasterError {
    /// Characters that no font here has. `characters` has each once, in their order.
    #[error("no font here has {named}; {advice}", named = named(characters))]
    MissingGlyphs {
        characters: Vec<char>,
        advice: &'static str,
    },
    #[error(
        "a picture of {width} x {height} pixels cannot be made: it has at least one and at most {PIXELS_MAX}"
    )]
    Size { width: u64, height: u64 },
    #[error("an SVG of {bytes} bytes is too long: at most {SVG_BYTES_MAX}")]
    TooLong { bytes: usize },
    #[error(
        "a PDF of {pages} pages is too long: at least one, at most {}",
        crate::pdf::PAGES_MAX
    )]
    Pages { pages: usize },
    #[error("the SVG cannot be read: {reason}")]
    Unreadable { reason: String },
    #[error("the {what} cannot be written: {reason}")]
    Unwritable { what: &'static str, reason: String },
}

fn named(characters: &[char]) -> String {
    let some: Vec<String> = characters
        .iter()
        .take(NAMED_MAX)
        .map(|character| {
            if character.is_alphanumeric() {
                character.to_string()
            } else {
                format!("{character} (U+{:04X})", u32::from(*character))
            }
        })
        .collect();
    let rest = characters.len().saturating_sub(NAMED_MAX);
    if rest > 0 {
        format!("{} and {rest} more characters", some.join(" "))
    } else {
        some.join(" ")
    }
}

impl RasterError {
    /// The refusal to draw these characters.
    pub(crate) fn missing(characters: Vec<char>) -> Self {
        let [_, advice] = advice(&characters);
        Self::MissingGlyphs { characters, advice }
    }
}

/// What no font here has of a text, a line for letters and one for signs: what becomes of it, and what to install. Empty if everything can
/// be drawn.
#[must_use]
pub fn told_missing(text: &str, fonts: &Fonts) -> Vec<String> {
    let line = |characters: Vec<char>, becomes: &str| {
        let (shown, [_, advice]) = (named(&characters), advice(&characters));
        (!characters.is_empty()).then(|| format!("no font here has {shown}, {becomes}; {advice}"))
    };
    let (letters, signs) = fonts.missing_and_boxed(text);
    let unmade = "so there is no PDF and no picture of pages with them";
    let boxed = "so boxes stand for them in PDF and pictures";
    line(letters, unmade)
        .into_iter()
        .chain(line(signs, boxed))
        .collect()
}

/// What has to be installed, so that there are fonts with these characters, in Chinese and in English.
pub(crate) fn advice(characters: &[char]) -> [&'static str; 2] {
    let some = |is_of: fn(char) -> bool| characters.iter().copied().any(is_of);
    if some(is_east_asian) {
        [
            "安装 fonts-noto-cjk（Debian、Ubuntu）或 google-noto-sans-cjk-fonts（Fedora），或用 --fonts 指定字体文件夹",
            "install fonts-noto-cjk (Debian, Ubuntu) or google-noto-sans-cjk-fonts (Fedora), or name a folder with fonts \
             with --fonts",
        ]
    } else if some(is_of_other_script) {
        [
            "安装 fonts-noto-core（Debian、Ubuntu）或 google-noto-fonts-all（Fedora），或用 --fonts 指定字体文件夹",
            "install fonts-noto-core (Debian, Ubuntu) or google-noto-fonts-all (Fedora), or name a folder with fonts with --fonts",
        ]
    } else if some(may_be_a_box) {
        [
            "安装 fonts-symbola（Debian、Ubuntu）或 gdouros-symbola-fonts（Fedora），或用 --fonts 指定字体文件夹",
            "install fonts-symbola (Debian, Ubuntu) or gdouros-symbola-fonts (Fedora), or name a folder with fonts with --fonts",
        ]
    } else {
        [
            "安装含有这些字符的字体，或用 --fonts 指定字体文件夹",
            "install a font that has them, or name a folder with fonts with --fonts",
        ]
    }
}

/// Chinese, Japanese or Korean: what the packages in the advice have.
fn is_east_asian(character: char) -> bool {
    matches!(character,
        '\u{1100}'..='\u{11ff}' | '\u{2e80}'..='\u{a4cf}' | '\u{ac00}'..='\u{d7ff}' | '\u{f900}'..='\u{faff}'
        | '\u{fe30}'..='\u{fe4f}' | '\u{ff00}'..='\u{ffef}' | '\u{20000}'..='\u{3ffff}')
}

/// The page as a picture of this width, in PNG.
///
/// # Errors
/// [`RasterError::MissingGlyphs`] before anything is drawn, when a character would have no shape; the others when the SVG is
/// not one, or the picture would be larger than 16 777 216 pixels.
pub fn png(svg: &str, width_px: u32, fonts: &Fonts) -> Result<Vec<u8>, RasterError> {
    pixmap(svg, width_px, fonts)?
        .encode_png()
        .map_err(|error| RasterError::Unwritable {
            what: "picture",
            reason: error.to_string(),
        })
}

/// The pixels of the page at this width, four bytes each, the colours not multiplied by their opacity.
///
/// # Errors
/// As of [`png`].
pub(crate) fn pixels(svg: &str, width_px: u32, fonts: &Fonts) -> Result<Vec<u8>, RasterError> {
    let picture = pixmap(svg, width_px, fonts)?;
    let colors = picture.pixels().iter().map(|pixel| pixel.demultiply());
    Ok(colors
        .flat_map(|color| [color.red(), color.green(), color.blue(), color.alpha()])
        .collect())
}

/// The page as pixels of this width.
///
/// # Errors
/// As of [`png`].
pub(crate) fn pixmap(svg: &str, width_px: u32, fonts: &Fonts) -> Result<Pixmap, RasterError> {
    let tree = tree(svg, fonts)?;
    let scale = f64::from(width_px) / f64::from(tree.size().width());
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a positive size, checked against the limit below; casting saturates"
    )]
    let height = (f64::from(tree.size().height()) * scale).round() as u64;
    let size = RasterError::Size {
        width: u64::from(width_px),
        height,
    };
    let pixels = u64::from(width_px).saturating_mul(height);
    let Some(mut picture) = u32::try_from(height)
        .ok()
        .filter(|_| pixels <= PIXELS_MAX)
        .and_then(|height| Pixmap::new(width_px, height))
    else {
        return Err(size);
    };
    #[expect(
        clippy::cast_possible_truncation,
        reason = "a scale of a few hundredths to a few"
    )]
    let scale = scale as f32;
    resvg::render(
        &tree,
        Transform::from_scale(scale, scale),
        &mut picture.as_mut(),
    );
    Ok(picture)
}

/// The SVG as it is drawn, every character of it with a shape.
///
/// # Errors
/// When it is no SVG, or has characters that no font here has.
pub(crate) fn tree(svg: &str, fonts: &Fonts) -> Result<Tree, RasterError> {
    if svg.len() > SVG_BYTES_MAX {
        return Err(RasterError::TooLong { bytes: svg.len() });
    }
    let unreadable = |reason: String| RasterError::Unreadable { reason };
    let document =
        roxmltree::Document::parse(svg).map_err(|error| unreadable(error.to_string()))?;
    let missing = missing(&document, fonts);
    if !missing.is_empty() {
        return Err(RasterError::missing(missing));
    }
    let tree = Tree::from_xmltree(&document, &options(fonts))
        .map_err(|error| unreadable(error.to_string()))?;
    // The named family has no such character, and no other one was found while drawing. What is drawn then differs from what was
    // measured, and would have a box in the place of the character, so it is refused.
    let mut shapeless = Vec::new();
    collect_shapeless(tree.root(), fonts.boxes(), &mut shapeless);
    if shapeless.is_empty() {
        Ok(tree)
    } else {
        Err(RasterError::missing(shapeless))
    }
}

/// The characters of an SVG's texts that cannot be drawn, once each, in their order.
fn missing(document: &roxmltree::Document<'_>, fonts: &Fonts) -> Vec<char> {
    let is_said = |node: &roxmltree::Node<'_, '_>| {
        let parent = node.parent();
        let of_text = |parent: roxmltree::Node<'_, '_>| {
            parent.has_tag_name("tspan") || parent.has_tag_name("text")
        };
        node.is_text() && parent.is_some_and(of_text)
    };
    let said: String = document
        .descendants()
        .filter(is_said)
        .filter_map(|node| node.text())
        .collect();
    fonts.missing(&said)
}

/// Characters that were given the shape of a missing one: letters have it in the font of boxes too.
fn collect_shapeless(group: &usvg::Group, boxes: Option<ID>, found: &mut Vec<char>) {
    for node in group.children() {
        match node {
            Node::Group(group) => collect_shapeless(group, boxes, found),
            Node::Text(text) => {
                let glyphs = text
                    .layouted()
                    .iter()
                    .flat_map(|span| &span.positioned_glyphs);
                for glyph in glyphs {
                    let is_box = Some(glyph.font) == boxes;
                    let new = |character: &char| {
                        let shapeless = glyph.id.0 == 0 || is_box && !may_be_a_box(*character);
                        shapeless && !is_invisible(*character) && !found.contains(character)
                    };
                    let characters: Vec<char> = glyph.text.chars().filter(new).collect();
                    found.extend(characters);
                }
            }
            Node::Path(_) | Node::Image(_) => {}
        }
    }
}

/// Nothing is fetched or opened for an SVG: its pictures are contained in it. A text whose families are all unknown is drawn with the
/// embedded family, which the database has for every generic family.
fn options(fonts: &Fonts) -> Options<'static> {
    Options {
        fontdb: fonts.database(),
        image_href_resolver: ImageHrefResolver {
            resolve_data: ImageHrefResolver::default_data_resolver(),
            resolve_string: Box::new(|_, _| None),
        },
        font_resolver: FontResolver {
            select_fallback: Box::new(fallback),
            ..FontResolver::default()
        },
        ..Options::default()
    }
}
