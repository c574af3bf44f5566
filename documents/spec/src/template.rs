//! What a deck needs to know of a PowerPoint template to choose among its layouts.

/// The masters and layouts of a template.
#[derive(Debug, Clone, PartialEq)]
pub struct TemplateOutline {
    /// Width and height of a page in CSS pixels.
    pub page: (f32, f32),
    /// Names of the masters, in the order of the file.
    pub masters: Vec<String>,
    /// All layouts, by master, in the order of the file.
    pub layouts: Vec<LayoutOutline>,
}

/// A layout of a template.
#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub struct LayoutOutline {
    pub name: String,
    /// Index of the master it belongs to.
    pub master: usize,
    /// The type that the format gives it, such as `twoObj`; many layouts have none, and some a wrong one.
    pub kind: Option<String>,
    pub title: bool,
    pub subtitle: bool,
    /// How many placeholders take a text or any content.
    pub bodies: usize,
    /// Whether these placeholders are side by side.
    pub beside: bool,
    /// Placeholders for pictures, charts, tables and media alone.
    pub others: usize,
    /// Whether some text runs from top to bottom.
    pub vertical: bool,
    pub footer: bool,
    pub page_number: bool,
    /// Whether the layout shows pictures, shapes or a gradient, of its own or of its master.
    pub graphics: bool,
    /// How many slides of the template itself use this layout, and whether its first slide does.
    pub used: usize,
    pub opens: bool,
}
