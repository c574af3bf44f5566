//! What somebody says of a deck and its slides that does not stand in them: a curator that asks a model, else rules as far as they
//! reach.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::chunks::ContentDomain;

/// What stands where nobody has said anything yet.
pub const NOT_ENRICHED: &str = "not_enriched";

/// What is said of a deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct DeckEnrichment {
    /// What the deck tells, in a few sentences.
    pub narrative_summary: String,
    /// The role of those whom it is for, no name.
    pub audience: String,
    pub purpose: String,
    /// Two to four words each, in lower case.
    #[serde(default)]
    pub topic_tags: Vec<String>,
    /// `good`, `weak`, `poor`.
    #[serde(default = "not_enriched")]
    pub storyline_quality: String,
    /// `consulting`, `corporate`, `startup`, `academic`.
    #[serde(default = "not_enriched")]
    pub consulting_style: String,
    /// `model` or `rules`; absent in what a model answers.
    #[serde(default)]
    pub enriched_by: String,
}

/// What is said of a slide.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SlideEnrichment {
    /// What it shows, with its numbers, in a sentence.
    pub semantic_summary: String,
    #[serde(default)]
    pub topic_tags: Vec<String>,
    #[serde(default)]
    pub content_domain: ContentDomain,
    /// `model` or `rules`.
    #[serde(default)]
    pub enriched_by: String,
}

/// What a curator says of a deck.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Enrichment {
    pub deck: DeckEnrichment,
    /// By the id of the slide's chunk.
    #[serde(default)]
    pub slides: BTreeMap<String, SlideEnrichment>,
}

fn not_enriched() -> String {
    NOT_ENRICHED.to_owned()
}

/// What can be said without a model.
pub(super) mod by_rules {
    use sdsl::{Line, Presentation, Slide, SlideType, Word};

    use super::super::chunks::{ActionTitleQuality, ContentDomain};
    use super::super::texts::lines;
    use super::{DeckEnrichment, NOT_ENRICHED, SlideEnrichment};
    use crate::deck::{HEADING_CHARS_MAX, HEADING_WORDS_MIN, words};

    /// Headings that tell a deck's story.
    const HEADINGS_TOLD: usize = 6;

    const RULES: &str = "rules";

    /// Words that say what a slide is about, first come first served.
    const DOMAINS: [(ContentDomain, &[&str]); 7] = [
        (
            ContentDomain::Risk,
            &["risk", "mitigat", "threat", "风险", "隐患"],
        ),
        (
            ContentDomain::Team,
            &["team", "hiring", "staff", "people", "团队", "招聘", "人员"],
        ),
        (
            ContentDomain::Financial,
            &[
                "revenue", "cost", "budget", "profit", "margin", "营收", "成本", "预算", "利润",
            ],
        ),
        (
            ContentDomain::Roadmap,
            &["roadmap", "milestone", "next quarter", "路线图", "里程碑"],
        ),
        (
            ContentDomain::Strategy,
            &["strategy", "strategic", "vision", "战略", "愿景"],
        ),
        (
            ContentDomain::Technical,
            &[
                "architecture",
                "pipeline",
                "api",
                "database",
                "latency",
                "架构",
                "接口",
                "数据库",
                "延迟",
            ],
        ),
        (
            ContentDomain::Metrics,
            &["kpi", "metric", "uptime", "指标", "可用率"],
        ),
    ];

    pub(crate) fn deck(deck: &Presentation) -> DeckEnrichment {
        let headings = deck
            .slides
            .iter()
            .filter_map(|slide| slide.heading.as_ref());
        let headings: Vec<&str> = headings.map(Line::as_str).take(HEADINGS_TOLD).collect();
        DeckEnrichment {
            narrative_summary: headings.join(" / "),
            audience: NOT_ENRICHED.to_owned(),
            purpose: NOT_ENRICHED.to_owned(),
            topic_tags: vec![],
            storyline_quality: NOT_ENRICHED.to_owned(),
            consulting_style: NOT_ENRICHED.to_owned(),
            enriched_by: RULES.to_owned(),
        }
    }

    pub(crate) fn slide(slide: &Slide) -> SlideEnrichment {
        let heading = slide.heading.as_ref().unwrap_or(&slide.slide_name);
        let counted = [
            (slide.stats.len(), "figures"),
            (slide.timeline.len(), "steps"),
            (slide.columns.len(), "columns"),
            (slide.bullets.len(), "points"),
            (slide.next_steps.len(), "actions"),
            (
                slide.compare.as_ref().map_or(0, |table| table.rows.len()),
                "rows",
            ),
        ];
        let counted = counted.into_iter().find(|(count, _)| *count > 0);
        let semantic_summary = match counted {
            Some((count, what)) => format!("{heading} ({}, {count} {what})", slide.kind().as_str()),
            None => format!("{heading} ({})", slide.kind().as_str()),
        };
        SlideEnrichment {
            semantic_summary,
            topic_tags: vec![],
            content_domain: domain(slide),
            enriched_by: RULES.to_owned(),
        }
    }

    fn domain(slide: &Slide) -> ContentDomain {
        match slide.kind() {
            SlideType::StatCallout => return ContentDomain::Metrics,
            SlideType::Comparison => return ContentDomain::Comparison,
            SlideType::Timeline => return ContentDomain::Timeline,
            SlideType::Closing => return ContentDomain::Closing,
            SlideType::Title
            | SlideType::SectionDivider
            | SlideType::BulletPoints
            | SlideType::TwoColumn
            | SlideType::ImageText
            | SlideType::Quote
            | SlideType::Freeform
            | SlideType::ExecSummary
            | SlideType::NextSteps => {}
        }
        let said = lines(slide).join("\n").to_lowercase();
        let named = DOMAINS
            .iter()
            .find(|(_, words)| words.iter().any(|word| said.contains(word)));
        named.map_or(ContentDomain::Overview, |(domain, _)| *domain)
    }

    pub(crate) fn action_title(slide: &Slide) -> ActionTitleQuality {
        match &slide.heading {
            Some(heading) if words(heading.as_str()) < HEADING_WORDS_MIN => {
                ActionTitleQuality::TopicLabel
            }
            Some(heading) if heading.as_str().chars().count() > HEADING_CHARS_MAX => {
                ActionTitleQuality::Weak
            }
            Some(_) => ActionTitleQuality::Good,
            None => ActionTitleQuality::TopicLabel,
        }
    }
}
