//! The deck documents a client is sent, field for field as the client's schemas define them.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::slide::{ChartKind, Dataset};

/// One page as an HTML fragment.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlideHtml {
    /// Counted from 0.
    pub slide_index: u32,
    /// One `div` of 1280 x 720 pixels.
    pub html: String,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub speak_notes: Option<String>,
}

/// The deck as HTML pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PptHtmlDocument {
    pub title: String,
    pub pages: Vec<SlideHtml>,
}

/// The deck as elements on a canvas.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct AnyGenDocument {
    pub title: String,
    pub meta: DocumentMeta,
    pub pages: Vec<SlidePage>,
}

/// What applies to all pages.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct DocumentMeta {
    /// The theme's name.
    pub theme: String,
    pub aspect_ratio: AspectRatio,
}

/// There is one page shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub enum AspectRatio {
    #[serde(rename = "16:9")]
    Wide,
}

/// One page of elements.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlidePage {
    pub id: String,
    pub meta: SlidePageMeta,
    pub elements: Vec<Component>,
}

/// The name of a page and its notes.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SlidePageMeta {
    pub title: String,
    pub speak_notes: Option<String>,
    /// Page colour as hex.
    pub background: Option<String>,
}

/// An element of a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Component {
    Text(TextComponent),
    Chart(ChartComponent),
}

/// Where an element stands.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutConfig {
    pub canvas: Option<CanvasBox>,
    pub flow: Option<FlowBox>,
}

/// A box in percent of the page, 0 to 100, from the top left.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CanvasBox {
    pub x: f64,
    pub y: f64,
    pub w: f64,
    pub h: f64,
    /// Higher is in front.
    pub z_index: u32,
}

/// How text runs in its box.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FlowBox {
    pub align: Align,
    /// Top, right, bottom, left.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub padding: Option<Vec<f64>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum Align {
    Left,
    Center,
    Right,
}

/// A text.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextComponent {
    pub id: String,
    pub layout: LayoutConfig,
    pub data: TextData,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub style: Option<TextStyle>,
}

/// The text and what it is on the page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextData {
    /// Markdown.
    pub content: String,
    pub role: TextRole,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum TextRole {
    Title,
    Subtitle,
    Body,
}

/// Colour as hex and size in points.
#[serde_with::skip_serializing_none]
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct TextStyle {
    pub color: Option<String>,
    pub font_size: Option<f64>,
}

/// A chart.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartComponent {
    pub id: String,
    pub layout: LayoutConfig,
    pub data: ChartData,
}

/// Numbers to draw.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ChartData {
    pub chart_type: ChartKind,
    pub title: String,
    pub labels: Vec<String>,
    pub datasets: Vec<Dataset>,
}
