//! A brand as a theme.

use sdsl::{Brand, Closed, Hex, Line};
use spec::{ColorScheme, FontConfig, MasterKind, MasterSlide, Theme};

/// The page and its text, which a brand does not define.
const BACKGROUND: &str = "#ffffff";
const TEXT: &str = "#1f2430";
/// In points; 16 can be read in the last row when projected, and headings are clearly larger.
const TITLE_PT: f64 = 30.0;
const BODY_PT: f64 = 18.0;

/// The look of a deck of this brand; where the brand does not define something, the format's defaults are used.
#[must_use]
pub(crate) fn brand_theme(brand: &Brand) -> Theme {
    let color = |color: &Option<Closed<Hex>>, default: &str| {
        let known = color.as_ref().and_then(Closed::value);
        format!("#{}", known.map_or(default, Hex::as_str).to_lowercase())
    };
    let font = |font: &Option<Line>, default: &str| {
        let font = font.as_ref().map_or(default, Line::as_str);
        // Characters that would end a name in a style sheet are removed.
        font.replace(['<', '>', '{', '}', ';', '"', '\\'], "")
    };
    let master = |kind, layout: &str| MasterSlide {
        kind,
        layout: layout.to_owned(),
    };
    Theme {
        theme_name: "Brand".to_owned(),
        design_style: "of the brand".to_owned(),
        color_scheme: ColorScheme {
            primary: color(&brand.primary, Brand::PRIMARY),
            secondary: color(&brand.secondary, Brand::SECONDARY),
            accent: color(&brand.accent, Brand::ACCENT),
            background: BACKGROUND.to_owned(),
            text: TEXT.to_owned(),
        },
        font_config: FontConfig {
            title_font: font(&brand.header_font, Brand::HEADER_FONT),
            body_font: font(&brand.body_font, Brand::BODY_FONT),
            title_size: TITLE_PT,
            body_size: BODY_PT,
        },
        master_slides: vec![
            master(MasterKind::Title, "title on a field of the brand's colour"),
            master(MasterKind::Content, "heading above the content"),
            master(MasterKind::Section, "field on the left, title on the right"),
        ],
    }
}
