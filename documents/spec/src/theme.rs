//! A deck's look as the contract's `PresentationTheme`, and whether text in it can be read.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::check::Violation;
use crate::color::{ColorError, Rgb, contrast};
use crate::limits as l;

/// Colours, fonts and master slides of a deck.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
#[schemars(rename = "PresentationTheme")]
pub struct Theme {
    /// Short name of the theme.
    pub theme_name: String,
    /// The style in a few words, for example "清新自然" or "dark, technical".
    pub design_style: String,
    pub color_scheme: ColorScheme,
    pub font_config: FontConfig,
    pub master_slides: Vec<MasterSlide>,
}

/// Five colours as `#rrggbb`. Text on background needs a contrast of at least 4.5.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ColorScheme {
    /// Colour fields, numerals and headings' marks.
    pub primary: String,
    /// Second series, second column, decoration.
    pub secondary: String,
    /// Small signals: marks, highlights.
    pub accent: String,
    /// The page.
    pub background: String,
    /// Running text.
    pub text: String,
}

/// Font families and sizes in points.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FontConfig {
    pub title_font: String,
    pub body_font: String,
    /// Points, 24 to 48.
    pub title_size: f64,
    /// Points, 14 to 28.
    pub body_size: f64,
}

/// How one kind of page is laid out, in words.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MasterSlide {
    #[serde(rename = "type")]
    pub kind: MasterKind,
    pub layout: String,
}

/// The kinds of master slides.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MasterKind {
    Title,
    Content,
    Section,
}

impl ColorScheme {
    /// The five colours with their names, as in the JSON.
    #[must_use]
    pub fn named(&self) -> [(&'static str, &str); 5] {
        [
            ("primary", &self.primary),
            ("secondary", &self.secondary),
            ("accent", &self.accent),
            ("background", &self.background),
            ("text", &self.text),
        ]
    }

    /// Contrast of text on background.
    ///
    /// # Errors
    /// When one of the two is not a colour.
    pub fn text_contrast(&self) -> Result<f64, ColorError> {
        Ok(contrast(
            Rgb::parse(&self.text)?,
            Rgb::parse(&self.background)?,
        ))
    }
}

impl Theme {
    /// Everything wrong with the theme; empty when it can be used.
    #[must_use]
    pub fn check(&self) -> Vec<Violation> {
        let mut found = Vec::new();
        for (path, name) in [
            ("/themeName", &self.theme_name),
            ("/designStyle", &self.design_style),
        ] {
            if name.trim().is_empty() || name.chars().any(char::is_control) {
                found.push(Violation::at(
                    path,
                    "is empty or has control characters: write a short name",
                ));
            }
        }
        if self.theme_name.chars().count() > l::THEME_NAME_CHARS {
            let says = format!("is too long: at most {} characters", l::THEME_NAME_CHARS);
            found.push(Violation::at("/themeName", says));
        }
        for (name, value) in self.color_scheme.named() {
            if let Err(error) = Rgb::parse(value) {
                found.push(Violation::at(
                    &format!("/colorScheme/{name}"),
                    format!("is wrong: {error}"),
                ));
            }
        }
        if let Ok(ratio) = self.color_scheme.text_contrast()
            && ratio < l::TEXT_CONTRAST_MIN
        {
            let says = format!(
                "has a contrast of {ratio:.1} on the background, at least {} is needed: make it darker or lighter",
                l::TEXT_CONTRAST_MIN
            );
            found.push(Violation::at("/colorScheme/text", says));
        }
        let fonts = &self.font_config;
        for (path, font) in [
            ("/fontConfig/titleFont", &fonts.title_font),
            ("/fontConfig/bodyFont", &fonts.body_font),
        ] {
            if font.trim().is_empty()
                || font
                    .chars()
                    .any(|c| c.is_control() || "<>{};\"\\".contains(c))
            {
                found.push(Violation::at(
                    path,
                    "is not a font family: write a name such as Microsoft YaHei",
                ));
            }
        }
        for (path, size, min, max) in [
            (
                "/fontConfig/titleSize",
                fonts.title_size,
                l::TITLE_PT_MIN,
                l::TITLE_PT_MAX,
            ),
            (
                "/fontConfig/bodySize",
                fonts.body_size,
                l::BODY_PT_MIN,
                l::BODY_PT_MAX,
            ),
        ] {
            if !(min..=max).contains(&size) {
                found.push(Violation::at(
                    path,
                    format!("is {size}: give points from {min} to {max}"),
                ));
            }
        }
        if fonts.body_size >= fonts.title_size {
            found.push(Violation::at(
                "/fontConfig/bodySize",
                "is not below `titleSize`: headings must stand out",
            ));
        }
        if self.master_slides.is_empty() {
            found.push(Violation::at(
                "/masterSlides",
                "is empty: describe at least the title and the content page",
            ));
        }
        found
    }
}
