//! What can be said of a deck and its slides without a model.

use sdsl::{Line, Presentation, Slide, SlideType, Word};
use words::folded;

use super::asked::WORDS;
use super::chunks::{ActionTitleQuality, ContentDomain};
use super::enrichment::{DeckEnrichment, NOT_ENRICHED, SlideEnrichment};
use super::texts::lines;
use crate::pages::{HEADING_CHARS_MAX, HEADING_WORDS_MIN, words};

/// Headings that tell a deck's story.
const HEADINGS_TOLD: usize = 6;

const RULES: &str = "rules";

/// What a slide may be about, with its class in the table of words: the first one of which the slide has a word counts.
const DOMAINS: [(ContentDomain, &str); 7] = [
    (ContentDomain::Risk, "about:risk"),
    (ContentDomain::Team, "about:team"),
    (ContentDomain::Financial, "about:financial"),
    (ContentDomain::Roadmap, "about:roadmap"),
    (ContentDomain::Strategy, "about:strategy"),
    (ContentDomain::Technical, "about:technical"),
    (ContentDomain::Metrics, "about:metrics"),
];

pub(super) fn deck(deck: &Presentation) -> DeckEnrichment {
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

pub(super) fn slide(slide: &Slide) -> SlideEnrichment {
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
    let said = folded(&lines(slide).join("\n"));
    let found = WORDS.found(&said);
    let is_named = |class: &str| found.iter().any(|word| word.class == class);
    let named = DOMAINS.iter().find(|(_, class)| is_named(class));
    named.map_or(ContentDomain::Overview, |(domain, _)| *domain)
}

pub(super) fn action_title(slide: &Slide) -> ActionTitleQuality {
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
