//! The texts by which chunks are found.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::vectors::{EMBEDDED_CHARS, TextHash};
use sdsl::{Cell, Line, Presentation, Prose, Slide, Word};

use super::chunks::{DeckChunk, ElementChunk, IndexedDeck, SlideChunk};
use super::enrichment::Enrichment;

/// The characters of an element's text that count.
const ELEMENT_CHARS: usize = 200;

/// How much the name and the text of a chunk count, compared with what is said of the chunk.
const NAMED: f32 = 2.0;
const SAID: f32 = 1.0;
const ABOUT: f32 = 0.5;

/// Texts with how much they count.
pub(super) type Weighed = Vec<(String, f32)>;

/// The texts by which the chunks of a deck are found.
pub(super) struct DeckTexts {
    pub(super) deck: Weighed,
    pub(super) slides: Vec<Weighed>,
    pub(super) elements: Vec<Weighed>,
}

impl DeckTexts {
    pub(super) fn of(chunks: &IndexedDeck, deck: &Presentation) -> Self {
        let slides = chunks.slides.iter().zip(&deck.slides);
        let elements = chunks.elements.iter().zip(slide_of(chunks));
        Self {
            deck: of_deck(&chunks.deck),
            slides: slides
                .map(|(chunk, slide)| of_slide(&chunks.deck, chunk, slide))
                .collect(),
            elements: elements
                .map(|(element, at)| of_element(element, &chunks.slides[at]))
                .collect(),
        }
    }
}

/// The slide of each element.
pub(super) fn slide_of(chunks: &IndexedDeck) -> Vec<usize> {
    let slides = (0..).zip(&chunks.slides);
    slides
        .flat_map(|(at, slide)| slide.element_chunk_ids.iter().map(move |_| at))
        .collect()
}

/// The texts of a deck's chunks that vectors are made of, by their hashes.
pub(crate) fn texts_of(
    id: &str,
    title: &str,
    text: &[u8],
    said: Option<&Enrichment>,
) -> BTreeMap<TextHash, String> {
    let deck = sdsl::parse(&String::from_utf8_lossy(text)).presentation;
    let chunks = IndexedDeck::of(id, title, "", &deck, said);
    let texts = DeckTexts::of(&chunks, &deck);
    let all = std::iter::once(&texts.deck);
    let all = all.chain(&texts.slides).chain(&texts.elements);
    let all = all.map(embedded);
    all.map(|text| (TextHash::of(&text), text)).collect()
}

/// The texts joined into one, as a model is given them to make a vector: what counts most comes first, since models cut at the end.
pub(super) fn embedded(texts: &Weighed) -> String {
    let mut texts: Vec<&(String, f32)> = texts
        .iter()
        .filter(|(text, _)| !text.trim().is_empty())
        .collect();
    texts.sort_by(|(_, one), (_, other)| other.total_cmp(one));
    let texts: Vec<&str> = texts.into_iter().map(|(text, _)| text.trim()).collect();
    texts.join("\n").chars().take(EMBEDDED_CHARS).collect()
}

/// Everything that a slide shows except its notes, each text as one entry.
pub(super) fn lines(slide: &Slide) -> Vec<&str> {
    let mut all: Vec<&str> = vec![];
    all.extend(slide.heading.iter().map(Line::as_str));
    all.extend(slide.subheading.iter().map(Line::as_str));
    all.extend(slide.body.iter().map(Prose::as_str));
    all.extend(slide.bullets.iter().map(|bullet| bullet.text.as_str()));
    for column in &slide.columns {
        all.extend(column.title.iter().map(Line::as_str));
        all.extend(column.bullets.iter().map(|bullet| bullet.text.as_str()));
        all.extend(column.body.iter().map(Prose::as_str));
    }
    for stat in &slide.stats {
        all.extend([stat.value.as_str(), stat.label.as_str()]);
        all.extend(stat.description.iter().map(Line::as_str));
    }
    for step in &slide.timeline {
        all.extend([step.time.as_str(), step.title.as_str()]);
        all.extend(step.description.iter().map(Line::as_str));
    }
    let chart = slide.chart.as_ref();
    all.extend(chart.map(|chart| chart.title.as_str()));
    for table in slide.compare.iter().chain(chart.map(|chart| &chart.table)) {
        let cells = table.headers.iter().chain(&table.rows);
        all.extend(cells.flat_map(|cells| cells.as_slice()).map(Cell::as_str));
    }
    for action in &slide.next_steps {
        all.push(action.action.as_str());
        all.extend(
            action
                .owner
                .iter()
                .chain(&action.timeline)
                .map(Line::as_str),
        );
    }
    all
}

/// What a deck is found by.
fn of_deck(deck: &DeckChunk) -> Weighed {
    let told = &deck.enrichment;
    let structure: Vec<&str> = deck
        .slide_type_sequence
        .iter()
        .map(|kind| kind.as_str())
        .collect();
    vec![
        (deck.title.clone(), NAMED),
        (told.narrative_summary.clone(), SAID),
        (known(&told.audience), ABOUT),
        (known(&told.purpose), ABOUT),
        (told.topic_tags.join(" "), SAID),
        (structure.join(" ").replace('_', " "), ABOUT),
    ]
}

/// What a slide is found by.
fn of_slide(deck: &DeckChunk, chunk: &SlideChunk, slide: &Slide) -> Weighed {
    let told = &chunk.enrichment;
    let mut texts = vec![
        (chunk.slide_name.clone(), SAID),
        (chunk.heading.clone().unwrap_or_default(), NAMED),
        (lines(slide).join("\n"), SAID),
        (told.topic_tags.join(" "), SAID),
        (chunk.slide_type.as_str().replace('_', " "), ABOUT),
        (chunk.layout_variant.clone().unwrap_or_default(), ABOUT),
        (chunk.section_name.clone().unwrap_or_default(), ABOUT),
        (deck.title.clone(), ABOUT),
    ];
    // What rules say of a slide only repeats its own words.
    if told.enriched_by != "rules" {
        texts.push((told.semantic_summary.clone(), SAID));
    }
    texts
}

/// What an element is found by.
fn of_element(element: &ElementChunk, slide: &SlideChunk) -> Weighed {
    let said = element.semantic_summary.chars().take(ELEMENT_CHARS);
    vec![
        (said.collect(), NAMED),
        (element.topic_tags.join(" "), SAID),
        (element.element_type.replace('_', " "), ABOUT),
        (slide.heading.clone().unwrap_or_default(), ABOUT),
    ]
}

fn known(text: &str) -> String {
    if text == super::NOT_ENRICHED {
        String::new()
    } else {
        text.to_owned()
    }
}
