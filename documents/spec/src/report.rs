//! What measuring finds wrong with a deck's pages, and what was changed so that they fit: the artifact `layout_report`.

use std::fmt;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use strum::{EnumCount, VariantArray};

/// The findings about a deck, the worst of each page first.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct LayoutReport {
    /// Version of the checks. Reports of different versions cannot be compared.
    pub checked: u32,
    /// Number of pages that were checked.
    pub pages: u32,
    pub summary: FindingCounts,
    /// By page, severity, category and element.
    pub findings: Vec<Finding>,
    /// What the fit policy changed, by page.
    pub adjustments: Vec<PageAdjustment>,
    /// Families that the pages are drawn in, by name.
    pub fonts: Vec<FontUse>,
}

/// How many findings there are of each severity.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FindingCounts {
    pub critical: u32,
    pub warning: u32,
    pub info: u32,
}

/// One thing wrong with one page.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Finding {
    /// The page, counted from 1.
    pub slide: u32,
    /// JSON pointer inside the slide to the slot whose text it is, for example `/items/2/text`; otherwise what the element
    /// is on the page: `header`, `footer`, `chart`, `table`, `page`.
    pub element: String,
    pub category: FindingCategory,
    pub severity: Severity,
    /// What was measured, with the beginning of the text. Lengths are CSS pixels of a page of 1280 x 720.
    pub evidence: String,
    /// What to do.
    pub fix: String,
}

/// What kind of fault it is.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    JsonSchema,
    EnumCount,
    VariantArray,
)]
#[serde(rename_all = "snake_case")]
pub enum FindingCategory {
    /// A text is larger than its box, or would be larger in a slightly wider font.
    Overflow,
    /// Two elements overlap, whichever is in front.
    Overlap,
    /// Edges or gaps that should be equal are nearly so.
    Alignment,
    /// The colour of a text is too similar to its background.
    Contrast,
    /// Elements stand too near, or the page is lopsided, nearly empty or overfull.
    Spacing,
    /// Something of the slide is not on the page, or is there as another number.
    ContentMissing,
    /// An element leaves the page or its safe area.
    OutOfBounds,
    /// No font has some of the characters.
    MissingGlyph,
    /// The type is smaller than its role allows.
    SmallType,
    /// Two pages have the same title.
    DuplicateTitle,
}

impl FindingCategory {
    /// Every category, in the order of a report.
    pub const ALL: [Self; Self::COUNT] = *Self::VARIANTS.first_chunk().expect("all of them");
}

/// How bad it is, the worst first.
#[derive(
    Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum Severity {
    /// The page must not be shown like this: something cannot be read, or is not there.
    Critical,
    /// A careful designer would correct it.
    Warning,
    /// Worth knowing.
    Info,
}

/// Something that only the author of a text can correct, by shortening the text.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case", tag = "is")]
pub enum Misfit {
    /// The text is higher than its place, or a word of it is longer than a line, by this number of pixels of a page of 1280 x 720.
    TooLarge { text: String, px: u32 },
    /// The text fits only in type of `px` pixels, but type of at least `least` pixels is needed to read it.
    TooSmall { text: String, px: u32, least: u32 },
}

/// Something that the fit policy changed on a page.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct PageAdjustment {
    /// The page, counted from 1.
    pub slide: u32,
    pub change: LayoutChange,
}

/// A change that makes a page's content fit.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(
    tag = "what",
    rename_all = "snake_case",
    rename_all_fields = "camelCase"
)]
pub enum LayoutChange {
    /// Type of these texts is smaller than designed; sizes in CSS pixels.
    TypeSize {
        texts: Vec<String>,
        from: f64,
        to: f64,
    },
    /// Space between and inside boxes is smaller than designed.
    Spacing {
        /// The share of the design that is left, 0 to 1.
        to: f64,
    },
    /// The parts are arranged differently from the design.
    Reflow {
        /// In words.
        how: String,
    },
    /// The slide takes several pages, of which this is one.
    Continued { part: u32, of: u32 },
}

/// A font family that pages are drawn in.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FontUse {
    pub family: String,
    /// The family of the theme that this family replaces, if it replaces one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub note: Option<String>,
}

impl LayoutReport {
    /// Adds what was found otherwise, at its place.
    pub fn add(&mut self, findings: Vec<Finding>) {
        for finding in findings {
            self.summary.add(finding.severity);
            let key = |finding: &Finding| (finding.slide, finding.severity, finding.category);
            let place = self.findings.partition_point(|it| key(it) <= key(&finding));
            self.findings.insert(place, finding);
        }
    }
}

impl FindingCounts {
    fn add(&mut self, severity: Severity) {
        match severity {
            Severity::Critical => self.critical += 1,
            Severity::Warning => self.warning += 1,
            Severity::Info => self.info += 1,
        }
    }

    /// Counts findings.
    #[must_use]
    pub fn of(findings: &[Finding]) -> Self {
        let mut counts = Self::default();
        for finding in findings {
            counts.add(finding.severity);
        }
        counts
    }
}

impl fmt::Display for Finding {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self {
            slide,
            element,
            category,
            severity,
            evidence,
            fix,
        } = self;
        write!(
            f,
            "page {slide}, {element}: {severity:?} {category:?}: {evidence} To do: {fix}"
        )
    }
}
