//! The specifications that are typeset: slides, charts, themes and the deck documents sent to clients.
//!
//! A model chooses a layout and fills its slots with plain text; it never writes coordinates or markup. Everything here is a value: it can
//! be read and written with serde, has a JSON Schema, and has checks whose messages tell a model what to change.

pub mod book;
mod builtin;
mod card;
mod check;
mod color;
mod composed;
mod continuation;
mod contract;
pub mod drawn;
pub mod formula;
mod furniture;
mod icon;
pub mod limits;
mod origin;
mod report;
mod rules;
mod slide;
mod slots;
pub mod source;
mod standing;
mod template;
pub mod text;
mod theme;

pub use builtin::{builtin_named, builtin_names, builtin_themes, default_theme, pick_theme};
pub use card::{CardRole, CardShape, CardSpec, Placement};
pub use check::Violation;
pub use color::{ColorError, Rgb, contrast, readable};
pub use composed::{IconLine, Part, PartColumn};
pub use continuation::CONTINUED_MARKS;
pub use contract::{
    Align, AnyGenDocument, AspectRatio, CanvasBox, ChartComponent, ChartData, Component,
    DocumentMeta, FlowBox, LayoutConfig, PptHtmlDocument, SlideHtml, SlidePage, SlidePageMeta,
    TextComponent, TextData, TextRole, TextStyle,
};
pub use furniture::{Furniture, PageGround, SOURCE_WORDS, source_word};
pub use icon::Icon;
pub use origin::{OriginPlace, OriginText, SlideOrigin};
pub use report::{
    Finding, FindingCategory, FindingCounts, FontUse, LayoutChange, LayoutReport, Misfit,
    PageAdjustment, Severity,
};
pub use rules::{code_rule, slot_rules};
pub use slide::{
    CellAlign, ChartKind, ChartSpec, Column, Dataset, Figure, GivenPicture, IconRow, Item, Layout,
    PassageBlock, PictureBytes, SlideSpec, TableRow, TimelineStep,
};
pub use slots::{Reading, Slot};
pub use template::{LayoutOutline, TemplateOutline};
pub use theme::{ColorScheme, FontConfig, MasterKind, MasterSlide, Theme};
