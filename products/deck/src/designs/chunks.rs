//! A deck taken apart: what the index knows of the deck, of each slide and of each element.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::Sha256;
use schemars::JsonSchema;
use sdsl::{Background, Line, Presentation, Slide, SlideType};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::enrichment::{DeckEnrichment, Enrichment, SlideEnrichment};
use super::{SLIDE_DIGITS, by_rules};

/// What a slide is about.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "snake_case")]
pub enum ContentDomain {
    Metrics,
    Strategy,
    Team,
    Risk,
    Roadmap,
    #[default]
    Overview,
    Financial,
    Technical,
    Comparison,
    Timeline,
    Closing,
}

/// What the heading of a slide is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum ActionTitleQuality {
    /// A sentence that says something.
    Good,
    /// A sentence that is too long for one glance.
    Weak,
    /// The name of a topic, or nothing.
    TopicLabel,
}

/// Where in its deck a slide stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub(crate) enum DeckPosition {
    Opening,
    Middle,
    Closing,
}

impl DeckPosition {
    /// The first slide is an opening and the last one a closing. Of the others, the second is an opening, and the last but one a closing.
    fn of(index: usize, slides: usize) -> Self {
        let from_end = slides - 1 - index;
        match (index, from_end) {
            (0, _) => Self::Opening,
            (_, 0) => Self::Closing,
            (1, _) => Self::Opening,
            (_, 1) => Self::Closing,
            (_, _) => Self::Middle,
        }
    }
}

/// A deck of the index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct DeckChunk {
    pub(crate) id: String,
    pub(crate) source_file: String,
    pub(crate) title: String,
    pub(crate) author: Option<String>,
    pub(crate) company: Option<String>,
    pub(crate) date: Option<String>,
    pub(crate) confidentiality: Option<String>,
    pub(crate) slide_count: usize,
    pub(crate) slide_type_sequence: Vec<SlideType>,
    pub(crate) template_used: Option<String>,
    /// Primary, secondary, accent.
    pub(crate) brand_colors: [String; 3],
    #[serde(flatten)]
    pub(crate) enrichment: DeckEnrichment,
    pub(crate) slide_chunk_ids: Vec<String>,
}

/// A slide of the index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct SlideChunk {
    /// The deck and the hash of the slide's text, so that what people said of the slide can still be used after the deck is imported again.
    pub(crate) id: String,
    pub(crate) deck_chunk_id: String,
    /// Counted from 0.
    pub(crate) slide_index: usize,
    pub(crate) slide_name: String,
    pub(crate) heading: Option<String>,
    pub(crate) slide_type: SlideType,
    pub(crate) layout_variant: Option<String>,
    pub(crate) background: Background,
    pub(crate) stat_count: usize,
    pub(crate) bullet_count: usize,
    pub(crate) column_count: usize,
    pub(crate) step_count: usize,
    pub(crate) row_count: usize,
    pub(crate) next_step_count: usize,
    pub(crate) has_image: bool,
    pub(crate) has_chart: bool,
    pub(crate) has_icons: bool,
    pub(crate) has_source: bool,
    pub(crate) has_exhibit: bool,
    pub(crate) action_title_quality: ActionTitleQuality,
    pub(crate) dsl_text: String,
    pub(crate) prev_slide_type: Option<SlideType>,
    pub(crate) next_slide_type: Option<SlideType>,
    /// The heading of the last divider before it.
    pub(crate) section_name: Option<String>,
    pub(crate) deck_position: DeckPosition,
    #[serde(flatten)]
    pub(crate) enrichment: SlideEnrichment,
    pub(crate) element_chunk_ids: Vec<String>,
}

/// An element of a slide of the index.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct ElementChunk {
    pub(crate) id: String,
    pub(crate) slide_chunk_id: String,
    pub(crate) deck_chunk_id: String,
    /// `heading`, `stat`, `bullet_group`, `icon_bullet_group`, `column`, `timeline_step`, `action_item`, `comparison_row`,
    /// `image`.
    pub(crate) element_type: &'static str,
    pub(crate) raw_content: Value,
    pub(crate) slide_type: SlideType,
    /// Counted from 0.
    pub(crate) position_in_slide: usize,
    pub(crate) sibling_count: usize,
    /// What the element says, in one line.
    pub(crate) semantic_summary: String,
    pub(crate) topic_tags: Vec<String>,
}

/// A deck with its chunks.
#[derive(Clone, Debug, PartialEq, Serialize)]
pub(crate) struct IndexedDeck {
    pub(crate) deck: DeckChunk,
    pub(crate) slides: Vec<SlideChunk>,
    pub(crate) elements: Vec<ElementChunk>,
}

impl IndexedDeck {
    /// Takes apart a deck that is given as stored text.
    pub(crate) fn of_text(
        id: &str,
        title: &str,
        source_file: &str,
        text: &str,
        said: Option<&Enrichment>,
    ) -> Self {
        let deck = sdsl::parse(text).presentation;
        Self::of(id, title, source_file, &deck, said)
    }

    /// Takes a deck apart. What a curator said is used for the slides that are still there; rules fill in the rest.
    pub(crate) fn of(
        id: &str,
        title: &str,
        source_file: &str,
        deck: &Presentation,
        said: Option<&Enrichment>,
    ) -> Self {
        let ids = slide_ids(id, deck);
        let mut section = None;
        let (mut slides, mut elements) = (vec![], vec![]);
        for (index, (slide, chunk_id)) in deck.slides.iter().zip(&ids).enumerate() {
            if slide.kind() == SlideType::SectionDivider {
                section = slide.heading.as_ref().map(Line::to_string);
            }
            let rules = by_rules::slide(slide);
            let enrichment = match said.and_then(|said| said.slides.get(chunk_id)) {
                Some(said) => said.clone().fill_in(rules),
                None => rules,
            };
            let own = self::elements(id, chunk_id, slide, &enrichment);
            let kind = |at: usize| deck.slides.get(at).map(Slide::kind);
            slides.push(SlideChunk {
                id: chunk_id.clone(),
                deck_chunk_id: id.to_owned(),
                slide_index: index,
                prev_slide_type: index.checked_sub(1).and_then(kind),
                next_slide_type: kind(index + 1),
                section_name: section.clone(),
                deck_position: DeckPosition::of(index, deck.slides.len()),
                enrichment,
                element_chunk_ids: own.iter().map(|element| element.id.clone()).collect(),
                ..slide_chunk(slide)
            });
            elements.extend(own);
        }
        Self {
            deck: deck_chunk(id, title, source_file, deck, said, ids),
            slides,
            elements,
        }
    }
}

/// The ids of the slides of a deck: slides of the same text are numbered.
fn slide_ids(deck_id: &str, deck: &Presentation) -> Vec<String> {
    let mut seen: BTreeMap<String, usize> = BTreeMap::new();
    let id = |slide: &Slide| {
        let hash = Sha256::of(sdsl::format_slide(slide).as_bytes());
        let id = format!("{deck_id}.{}", &hash.hex()[..SLIDE_DIGITS]);
        let number = seen.entry(id.clone()).or_default();
        *number += 1;
        match number {
            1 => id,
            number => format!("{id}-{number}"),
        }
    };
    deck.slides.iter().map(id).collect()
}

fn deck_chunk(
    id: &str,
    title: &str,
    source_file: &str,
    deck: &Presentation,
    said: Option<&Enrichment>,
    slide_chunk_ids: Vec<String>,
) -> DeckChunk {
    let meta = &deck.meta;
    let text = |line: &Option<Line>| line.as_ref().map(Line::to_string);
    let color = |color: &Option<sdsl::Closed<sdsl::Hex>>, usual: &str| {
        let given = color.as_ref().and_then(sdsl::Closed::value);
        given.map_or(usual, |hex| hex.as_str()).to_owned()
    };
    let brand = &meta.brand;
    let rules = by_rules::deck(deck);
    DeckChunk {
        id: id.to_owned(),
        source_file: source_file.to_owned(),
        title: title.to_owned(),
        author: text(&meta.author),
        company: text(&meta.company),
        date: text(&meta.date),
        confidentiality: text(&meta.confidentiality),
        slide_count: deck.slides.len(),
        slide_type_sequence: deck.slides.iter().map(Slide::kind).collect(),
        template_used: text(&meta.template),
        brand_colors: [
            color(&brand.primary, sdsl::Brand::PRIMARY),
            color(&brand.secondary, sdsl::Brand::SECONDARY),
            color(&brand.accent, sdsl::Brand::ACCENT),
        ],
        enrichment: match said {
            Some(said) => said.deck.clone().fill_in(rules),
            None => rules,
        },
        slide_chunk_ids,
    }
}

/// What a slide says of itself; the caller fills in its place in the deck.
fn slide_chunk(slide: &Slide) -> SlideChunk {
    let columns = slide.columns.iter().map(|column| &column.bullets);
    let has_icons = slide.bullets.iter().chain(columns.flatten());
    let has_icons = { has_icons }.any(|bullet| bullet.icon.is_some());
    let layout_variant = slide.layout.as_ref().map(Line::to_string);
    SlideChunk {
        id: String::new(),
        deck_chunk_id: String::new(),
        slide_index: 0,
        slide_name: slide.slide_name.to_string(),
        heading: slide.heading.as_ref().map(Line::to_string),
        slide_type: slide.kind(),
        has_icons: has_icons || layout_variant.as_deref() == Some("icon_rows"),
        layout_variant,
        background: slide.ground(),
        stat_count: slide.stats.len(),
        bullet_count: slide.bullets.len(),
        column_count: slide.columns.len(),
        step_count: slide.timeline.len(),
        row_count: slide.compare.as_ref().map_or(0, |table| table.rows.len()),
        next_step_count: slide.next_steps.len(),
        has_image: slide.image.is_some(),
        has_chart: slide.chart.is_some(),
        has_source: slide.source.is_some(),
        has_exhibit: slide.exhibit_label.is_some(),
        action_title_quality: by_rules::action_title(slide),
        dsl_text: sdsl::format_slide(slide),
        prev_slide_type: None,
        next_slide_type: None,
        section_name: None,
        deck_position: DeckPosition::Middle,
        enrichment: SlideEnrichment::default(),
        element_chunk_ids: vec![],
    }
}

/// What stands on a slide, with what it says in a line.
type Part = (&'static str, Value, String);

fn elements(
    deck: &str,
    slide_id: &str,
    slide: &Slide,
    said: &SlideEnrichment,
) -> Vec<ElementChunk> {
    let parts = parts(slide);
    let sibling_count = parts.len().saturating_sub(1);
    let element =
        |(at, (element_type, raw_content, semantic_summary)): (usize, Part)| ElementChunk {
            id: format!("{slide_id}.e{at}"),
            slide_chunk_id: slide_id.to_owned(),
            deck_chunk_id: deck.to_owned(),
            element_type,
            raw_content,
            slide_type: slide.kind(),
            position_in_slide: at,
            sibling_count,
            semantic_summary,
            topic_tags: said.topic_tags.clone(),
        };
    parts.into_iter().enumerate().map(element).collect()
}

fn parts(slide: &Slide) -> Vec<Part> {
    let mut parts: Vec<Part> = vec![];
    if let Some(heading) = &slide.heading {
        let raw = json!({ "heading": heading, "subheading": slide.subheading });
        parts.push(("heading", raw, heading.to_string()));
    }
    for (at, stat) in slide.stats.iter().enumerate() {
        let said = format!("{} {}", stat.value, stat.label);
        parts.push(("stat", grouped(json!(stat), at, slide.stats.len()), said));
    }
    if !slide.bullets.is_empty() {
        parts.push(points(&slide.bullets));
    }
    for (at, column) in slide.columns.iter().enumerate() {
        let mut raw = json!(column);
        raw["bullet_count"] = json!(column.bullets.len());
        let title = column.title.as_ref().map(Line::to_string);
        let said = title.unwrap_or_else(|| format!("{} points", column.bullets.len()));
        parts.push(("column", grouped(raw, at, slide.columns.len()), said));
    }
    for (at, step) in slide.timeline.iter().enumerate() {
        let said = format!("{}: {}", step.time, step.title);
        parts.push((
            "timeline_step",
            grouped(json!(step), at, slide.timeline.len()),
            said,
        ));
    }
    for (at, action) in slide.next_steps.iter().enumerate() {
        let said = action.action.to_string();
        parts.push((
            "action_item",
            grouped(json!(action), at, slide.next_steps.len()),
            said,
        ));
    }
    if let Some(table) = &slide.compare {
        for (at, row) in table.rows.iter().enumerate() {
            let cells: Vec<&str> = row.as_slice().iter().map(sdsl::Cell::as_str).collect();
            let headers = table.headers.as_ref().map(sdsl::Cells::as_slice);
            let raw = json!({ "headers": headers, "row_data": cells });
            parts.push((
                "comparison_row",
                grouped(raw, at, table.rows.len()),
                cells.join(" | "),
            ));
        }
    }
    if let Some(image) = &slide.image {
        let raw = json!({ "image": image });
        parts.push(("image", raw, image.to_string()));
    }
    parts
}

fn points(bullets: &[sdsl::Bullet]) -> Part {
    let has_icons = bullets.iter().any(|bullet| bullet.icon.is_some());
    let raw = json!({ "items": bullets, "has_icons": has_icons, "count": bullets.len() });
    let said: Vec<&str> = bullets.iter().map(|bullet| bullet.text.as_str()).collect();
    let element_type = if has_icons {
        "icon_bullet_group"
    } else {
        "bullet_group"
    };
    (element_type, raw, said.join("; "))
}

/// Where in its group an element stands.
fn grouped(mut raw: Value, at: usize, of: usize) -> Value {
    raw["index_in_group"] = json!(at);
    raw["group_size"] = json!(of);
    raw
}
