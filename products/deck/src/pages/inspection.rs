//! What inspecting a deck finds, whoever looks: the geometry of its pages, the rules of writing, a model that sees the pages.

use schemars::JsonSchema;
use sdsl::Presentation;
use serde::{Deserialize, Serialize};
use spec::text::told;
use spec::{Finding, FindingCategory, LayoutReport, Severity, both};

use super::remarks::{Remark, RemarkCategory};
use super::rules;

/// What kind of fault it is; there are no others.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IssueCategory {
    Overlap,
    Overflow,
    Alignment,
    Contrast,
    Spacing,
    ContentMissing,
    OutOfBounds,
    MissingGlyph,
    TypeTooSmall,
    ActionTitle,
    SourceLine,
    Exhibit,
    Storyline,
    RequirementGap,
    MissingKeyMessage,
    AudienceMismatch,
    ForbiddenElement,
    RaggedTable,
    MissingImage,
}

impl IssueCategory {
    /// The category of this name, in whatever spelling.
    #[must_use]
    pub(crate) fn known(word: &str) -> Option<Self> {
        serde_json::from_value(serde_json::Value::from(spelled(word))).ok()
    }

    /// The category of a word as models write it; an unknown word means an issue of the content.
    #[must_use]
    pub(crate) fn read(word: &str) -> Self {
        Self::known(word).unwrap_or_else(|| match spelled(word).as_str() {
            "overlaps" | "overlapping" => Self::Overlap,
            "text_overflow" | "clipping" => Self::Overflow,
            "font_size" | "small_type" => Self::TypeTooSmall,
            "title" | "heading" | "action_titles" => Self::ActionTitle,
            "source" | "sources" | "missing_source" => Self::SourceLine,
            "structure" | "flow" | "narrative" => Self::Storyline,
            "image" | "picture" => Self::MissingImage,
            "table" => Self::RaggedTable,
            "whitespace" | "margins" | "design" => Self::Spacing,
            _ => Self::ContentMissing,
        })
    }
}

/// A name as the categories have it.
fn spelled(word: &str) -> String {
    word.trim().to_lowercase().replace([' ', '-'], "_")
}

impl IssueSeverity {
    /// The worst severity that stands in a text, in whatever case and between whatever signs.
    #[must_use]
    pub(crate) fn named_in(text: &str) -> Option<Self> {
        let words = text.split(|c: char| !c.is_alphabetic());
        let words = words.map(|word| serde_json::Value::from(word.to_lowercase()));
        words
            .filter_map(|word| serde_json::from_value(word).ok())
            .min()
    }
}

/// How bad it is, the worst first.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub(crate) enum IssueSeverity {
    Critical,
    Warning,
    Minor,
}

/// One thing wrong with a deck.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Issue {
    /// The slide, counted from 1.
    pub(crate) slide: usize,
    /// What it is about, in the words of the format or as a place on the page.
    pub(crate) element: String,
    pub(crate) category: IssueCategory,
    pub(crate) severity: IssueSeverity,
    pub(crate) evidence: String,
    pub(crate) suggested_fix: String,
}

/// What a check says. A check that could not be made never counts as passed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub(crate) enum Verdict {
    Passed,
    Failed,
    NotChecked,
}

/// The verdicts of all checks of a deck.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct Verdicts {
    /// The geometry and colours of the pages.
    pub(crate) layout: Verdict,
    /// The rules of writing.
    pub(crate) writing: Verdict,
    /// What was asked for.
    pub(crate) requirements: Verdict,
    /// A model that sees the pages.
    pub(crate) vision: Verdict,
}

/// What inspecting a deck found.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub(crate) struct InspectionReport {
    /// Whether none of the issues is critical.
    pub(crate) passed: bool,
    pub(crate) summary: String,
    pub(crate) verdicts: Verdicts,
    /// By slide, the worst first.
    pub(crate) issues: Vec<Issue>,
    /// What was to be looked at and was not, and why, as sentences.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) unseen: Vec<String>,
    /// What of the model's deck was read in another way than it is written, or could not be kept, once the deck is accepted.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub(crate) remarks: Vec<String>,
    pub(crate) slides: usize,
    pub(crate) pages: u32,
    /// In which people are told, while it is made.
    #[serde(skip)]
    pub(crate) language: String,
}

impl InspectionReport {
    /// The report of what can be found without a model. `slide_of` has the slide of each page of the layout report, counted from 0. Where no
    /// language is given, it is that of the deck's words.
    #[must_use]
    pub(crate) fn new(
        deck: &Presentation,
        language: Option<&str>,
        remarks: &[Remark],
        layout: &LayoutReport,
        slide_of: &[usize],
    ) -> Self {
        let page = |number: u32| {
            let at = usize::try_from(number.saturating_sub(1)).unwrap_or(0);
            slide_of.get(at).copied().unwrap_or(at)
        };
        let measured = layout.findings.iter().filter(|finding| !is_said(finding));
        let measured: Vec<Issue> = measured
            .map(|finding| of_finding(finding, page(finding.slide)))
            .chain(remarks.iter().map(of_remark))
            .collect();
        let language = language.map_or_else(|| super::language_of(deck), str::to_owned);
        let written = rules::check(deck, &language);
        let verdict = |issues: &[Issue]| {
            let critical = |issue: &Issue| issue.severity == IssueSeverity::Critical;
            if issues.iter().any(critical) {
                Verdict::Failed
            } else {
                Verdict::Passed
            }
        };
        let verdicts = Verdicts {
            layout: verdict(&measured),
            writing: verdict(&written),
            requirements: Verdict::NotChecked,
            vision: Verdict::NotChecked,
        };
        let mut report = Self {
            passed: true,
            summary: String::new(),
            verdicts,
            issues: measured,
            unseen: vec![],
            remarks: vec![],
            slides: deck.slides.len(),
            pages: layout.pages,
            language,
        };
        report.add(written);
        report
    }

    /// Adds issues from another check.
    pub(crate) fn add(&mut self, issues: Vec<Issue>) {
        self.issues.extend(issues);
        let key = |issue: &Issue| (issue.slide, issue.severity, issue.category);
        self.issues.sort_by(|a, b| {
            key(a)
                .cmp(&key(b))
                .then_with(|| a.element.cmp(&b.element))
                .then_with(|| a.evidence.cmp(&b.evidence))
        });
        self.issues.dedup();
        let count = |severity| {
            let each = self.issues.iter();
            each.filter(|issue| issue.severity == severity).count()
        };
        let (critical, warnings, minor) = (
            count(IssueSeverity::Critical),
            count(IssueSeverity::Warning),
            count(IssueSeverity::Minor),
        );
        self.passed = critical == 0;
        let counted = both!("{critical} 处严重，{warnings} 处警告，{minor} 处轻微" => "{critical} critical, {warnings} warnings, {minor} minor");
        self.summary = told(&self.language, counted);
    }

    /// Adds a sentence on what was not looked at, so that the deck has not passed.
    pub(crate) fn miss(&mut self, said: [String; 2]) {
        self.passed = false;
        self.unseen.push(told(&self.language, said.clone()));
        self.say(said);
    }

    /// Adds a sentence to the summary, given in Chinese and in English without a full stop.
    pub(crate) fn say(&mut self, [chinese, english]: [String; 2]) {
        let said = [
            format!("{}。{chinese}", self.summary),
            format!("{}. {english}", self.summary),
        ];
        self.summary = told(&self.language, said);
    }
}

/// Whether the rules of writing report the same.
fn is_said(finding: &Finding) -> bool {
    finding.category == FindingCategory::DuplicateTitle
}

fn of_finding(finding: &Finding, slide: usize) -> Issue {
    Issue {
        slide: slide + 1,
        element: finding.element.clone(),
        category: match finding.category {
            FindingCategory::Overflow => IssueCategory::Overflow,
            FindingCategory::Overlap => IssueCategory::Overlap,
            FindingCategory::Alignment => IssueCategory::Alignment,
            FindingCategory::Contrast => IssueCategory::Contrast,
            FindingCategory::Spacing => IssueCategory::Spacing,
            FindingCategory::ContentMissing => IssueCategory::ContentMissing,
            FindingCategory::OutOfBounds => IssueCategory::OutOfBounds,
            FindingCategory::MissingGlyph => IssueCategory::MissingGlyph,
            FindingCategory::SmallType => IssueCategory::TypeTooSmall,
            FindingCategory::DuplicateTitle => IssueCategory::Storyline,
        },
        severity: match finding.severity {
            Severity::Critical => IssueSeverity::Critical,
            Severity::Warning => IssueSeverity::Warning,
            Severity::Info => IssueSeverity::Minor,
        },
        evidence: finding.evidence.clone(),
        suggested_fix: finding.fix.clone(),
    }
}

fn of_remark(remark: &Remark) -> Issue {
    let (category, severity) = match remark.category {
        RemarkCategory::MissingImage => (IssueCategory::MissingImage, IssueSeverity::Warning),
        RemarkCategory::RaggedTable => (IssueCategory::RaggedTable, IssueSeverity::Warning),
        RemarkCategory::DrawnOtherwise => (IssueCategory::ContentMissing, IssueSeverity::Minor),
    };
    Issue {
        slide: remark.slide + 1,
        element: remark.element.clone(),
        category,
        severity,
        evidence: remark.evidence.clone(),
        suggested_fix: remark.fix.clone(),
    }
}
