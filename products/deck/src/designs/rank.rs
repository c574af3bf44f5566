//! Finding chunks. A score is a half of how near the meaning is, three tenths of how well the structure fits, and a fifth of how many of
//! the words are there; people's votes raise or lower the score by a tenth. Everything is computed here, so that every database gives one
//! order.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use palimpsest::prelude::pipeline::vectors::{EMBEDDING, Embedding, Near, TextHash, Vectors};
use schemars::JsonSchema;
use sdsl::{Background, Presentation, SlideType};
use serde::{Deserialize, Serialize};
use serde_json::Value;

use super::asked::Asked;
use super::chunks::{ActionTitleQuality, DeckChunk, ElementChunk, IndexedDeck, SlideChunk};
use super::enrichment::Enrichment;
use super::texts;
use super::texts::{DeckTexts, Weighed};
use super::vector::{Vector, content_words, hash};
use super::votes::{Counters, Votes};

/// A chunk with a lower score is not found, unless the filter sets a lower limit.
pub(crate) const MIN_SCORE: f64 = 0.1;

const SEMANTIC: f64 = 0.5;
const STRUCTURAL: f64 = 0.3;
const KEYWORD: f64 = 0.2;

/// What is looked for.
#[derive(
    Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "lowercase")]
pub enum Granularity {
    Deck,
    #[default]
    Slide,
    Element,
}

/// What is left out of an answer.
#[derive(Clone, Debug)]
pub struct Filter {
    pub granularity: Granularity,
    pub slide_type: Option<SlideType>,
    pub background: Option<Background>,
    /// Leaves out every chunk of this deck.
    pub not_of: Option<String>,
    pub min_score: f64,
    pub limit: usize,
}

impl Default for Filter {
    fn default() -> Self {
        Self {
            granularity: Granularity::Slide,
            slide_type: None,
            background: None,
            not_of: None,
            min_score: MIN_SCORE,
            limit: 10,
        }
    }
}

/// What a chunk is found by.
#[derive(Clone, Debug, PartialEq)]
struct Traits {
    direction: Vector,
    /// The hashes of its words, in order, each once.
    words: Box<[u64]>,
    /// The text that a model makes a vector of.
    text: TextHash,
}

impl Traits {
    fn of(texts: &Weighed) -> Self {
        let mut words: Vec<u64> = texts
            .iter()
            .flat_map(|(text, _)| content_words(text))
            .map(|word| hash(&word))
            .collect();
        words.sort_unstable();
        words.dedup();
        Self {
            direction: Vector::of(texts.iter().map(|(text, weight)| (text.as_str(), *weight))),
            words: words.into(),
            text: TextHash::of(&texts::embedded(texts)),
        }
    }

    fn has(&self, word: u64) -> bool {
        self.words.binary_search(&word).is_ok()
    }
}

/// A deck that can be searched.
#[derive(Clone, Debug, PartialEq)]
struct SearchedDeck {
    chunks: IndexedDeck,
    deck: Traits,
    slides: Vec<Traits>,
    elements: Vec<Traits>,
    /// The slide of each element.
    slide_of: Vec<usize>,
}

impl SearchedDeck {
    fn of(chunks: IndexedDeck, deck: &Presentation) -> Self {
        let texts = DeckTexts::of(&chunks, deck);
        Self {
            deck: Traits::of(&texts.deck),
            slides: texts.slides.iter().map(Traits::of).collect(),
            elements: texts.elements.iter().map(Traits::of).collect(),
            slide_of: texts::slide_of(&chunks),
            chunks,
        }
    }

    /// Everything that a vector is made of: the deck, its slides, their elements.
    fn embedded(&self) -> impl Iterator<Item = TextHash> {
        let all = std::iter::once(&self.deck);
        let all = all.chain(&self.slides).chain(&self.elements);
        all.map(|traits| traits.text)
    }

    fn traits(&self, granularity: Granularity) -> &[Traits] {
        match granularity {
            Granularity::Deck => std::slice::from_ref(&self.deck),
            Granularity::Slide => &self.slides,
            Granularity::Element => &self.elements,
        }
    }
}

/// A chunk that was found.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Hit {
    pub chunk_id: String,
    pub chunk_type: Granularity,
    pub score: f64,
    pub semantic_score: f64,
    /// The name of what made the vectors for that score; empty in records from before this field was added.
    #[serde(default)]
    pub scored_by: String,
    pub structural_score: f64,
    pub keyword_score: f64,
    /// What votes added.
    pub quality_bonus: f64,
    /// The text of a slide.
    pub dsl_text: Option<String>,
    /// What an element holds.
    pub raw_content: Option<Value>,
    pub element_type: Option<String>,
    pub semantic_summary: String,
    pub topic_tags: Vec<String>,
    pub deck_id: String,
    pub deck_title: String,
    /// Of a slide, or of the slide of an element.
    pub slide_type: Option<String>,
    /// Of a deck.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub slide_type_sequence: Vec<String>,
    pub use_count: u64,
    pub keep_count: u64,
    pub edit_count: u64,
    pub regen_count: u64,
    pub quality_score: f64,
    pub flagged: bool,
    pub has_source: Option<bool>,
    pub action_title_quality: Option<ActionTitleQuality>,
    pub consulting_style: String,
    pub enriched_by: String,
}

/// A chunk by its id.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) enum Found<'a> {
    Deck(&'a IndexedDeck),
    Slide(&'a IndexedDeck, &'a SlideChunk),
    Element(&'a IndexedDeck, &'a ElementChunk),
}

impl<'a> Found<'a> {
    pub(crate) fn deck(self) -> &'a DeckChunk {
        match self {
            Self::Deck(deck) | Self::Slide(deck, _) | Self::Element(deck, _) => &deck.deck,
        }
    }
}

/// All decks of an owner, as they are searched. A clone shares the decks.
#[derive(Clone, Debug, Default)]
pub struct Index {
    decks: BTreeMap<String, Arc<SearchedDeck>>,
    /// How many chunks of a granularity have a word.
    spread: BTreeMap<Granularity, HashMap<u64, u32>>,
    chunks: BTreeMap<Granularity, u32>,
    votes: Votes,
    vectors: Arc<Vectors>,
}

/// A chunk of the index with its score.
struct Scored<'a> {
    deck: &'a SearchedDeck,
    at: usize,
    counters: Counters,
    semantic: f64,
    /// The name of what made the vectors for the score.
    scored_by: &'a str,
    structural: f64,
    keyword: f64,
    score: f64,
}

/// The query's vector, with the vectors of the index that have the same name.
type NearAll<'a> = (Near<'a>, &'a HashMap<TextHash, Embedding>);

impl Index {
    /// Puts a deck into the index, in the place of a deck with the same id.
    pub(crate) fn put(
        &mut self,
        id: &str,
        title: &str,
        source_file: &str,
        deck: &Presentation,
        said: Option<&Enrichment>,
    ) {
        self.remove(id);
        let chunks = IndexedDeck::of(id, title, source_file, deck, said);
        let searched = SearchedDeck::of(chunks, deck);
        for granularity in [Granularity::Deck, Granularity::Slide, Granularity::Element] {
            let spread = self.spread.entry(granularity).or_default();
            for traits in searched.traits(granularity) {
                *self.chunks.entry(granularity).or_default() += 1;
                for word in &traits.words {
                    *spread.entry(*word).or_default() += 1;
                }
            }
        }
        self.decks.insert(id.to_owned(), Arc::new(searched));
    }

    /// Puts a deck into the index that is given as stored text.
    pub fn put_text(
        &mut self,
        id: &str,
        title: &str,
        source_file: &str,
        text: &[u8],
        said: Option<&Enrichment>,
    ) {
        // The stored text could be read when it came in. If a byte is not UTF-8 now, a replacement character stands for it.
        let deck = sdsl::parse(&String::from_utf8_lossy(text)).presentation;
        self.put(id, title, source_file, &deck, said);
    }

    /// Removes a deck and everything that was counted for it.
    pub(crate) fn remove(&mut self, id: &str) {
        let Some(gone) = self.decks.remove(id) else {
            return;
        };
        for granularity in [Granularity::Deck, Granularity::Slide, Granularity::Element] {
            let spread = self.spread.entry(granularity).or_default();
            let chunks = self.chunks.entry(granularity).or_default();
            for traits in gone.traits(granularity) {
                *chunks -= 1;
                for word in &traits.words {
                    if let Some(count) = spread.get_mut(word) {
                        *count -= 1;
                        if *count == 0 {
                            spread.remove(word);
                        }
                    }
                }
            }
        }
    }

    pub(crate) fn set_votes(&mut self, votes: Votes) {
        self.votes = votes;
    }

    /// The vectors that models made of texts of the chunks.
    pub(crate) fn set_vectors(&mut self, vectors: Arc<Vectors>) {
        self.vectors = vectors;
    }

    /// Whether any vector of this name is there.
    pub(crate) fn has_vectors(&self, name: &str) -> bool {
        self.vectors.named(name).is_some()
    }

    /// The decks of which some text has no vector of this name.
    pub(crate) fn without_vectors(&self, name: &str) -> Vec<&str> {
        let lacks = |deck: &SearchedDeck| {
            let mut texts = deck.embedded();
            texts.any(|text| !self.vectors.has(name, text))
        };
        let decks = self.decks.iter().filter(|(_, deck)| lacks(deck));
        decks.map(|(id, _)| id.as_str()).collect()
    }

    /// The texts of a deck that have no vector of this name, each once; none of a deck that is not there.
    pub(crate) fn texts_without_vector(&self, deck: &str, name: &str) -> Vec<TextHash> {
        let texts = self.decks.get(deck).into_iter();
        let texts = texts.flat_map(|deck| deck.embedded());
        let mut seen = BTreeSet::new();
        texts
            .filter(|text| !self.vectors.has(name, *text) && seen.insert(*text))
            .collect()
    }

    /// How often each thing happened to a chunk.
    pub(crate) fn counters(&self, chunk: &str) -> Counters {
        self.votes.of_chunk(chunk)
    }

    pub(crate) fn decks(&self) -> impl Iterator<Item = &IndexedDeck> {
        self.decks.values().map(|deck| &deck.chunks)
    }

    /// How many decks, slides and elements there are.
    pub fn sizes(&self) -> [u32; 3] {
        [Granularity::Deck, Granularity::Slide, Granularity::Element]
            .map(|granularity| self.chunks.get(&granularity).copied().unwrap_or(0))
    }

    /// The chunk with this id.
    pub(crate) fn find(&self, chunk: &str) -> Option<Found<'_>> {
        if let Some(deck) = self.decks.get(chunk) {
            return Some(Found::Deck(&deck.chunks));
        }
        // The id of a deck may itself contain dots.
        let decks = self.decks.iter().filter(|(id, _)| {
            let rest = chunk.strip_prefix(id.as_str());
            rest.is_some_and(|rest| rest.starts_with('.'))
        });
        decks.map(|(_, deck)| &deck.chunks).find_map(|deck| {
            let slide = deck.slides.iter().find(|slide| slide.id == chunk);
            let element = || deck.elements.iter().find(|element| element.id == chunk);
            slide
                .map(|slide| Found::Slide(deck, slide))
                .or_else(|| element().map(|element| Found::Element(deck, element)))
        })
    }

    /// What a query finds without a vector that a model made of it.
    pub fn search(&self, query: &str, filter: &Filter) -> Vec<Hit> {
        self.search_near(query, None, filter)
    }

    /// What a query finds, best first; of equal scores, the chunk whose id comes first. A chunk that has a vector of the same name as the
    /// query's vector is compared by that vector, any other chunk by n-grams.
    pub(crate) fn search_near(
        &self,
        query: &str,
        near: Option<Near<'_>>,
        filter: &Filter,
    ) -> Vec<Hit> {
        let asked = Asked::read(query);
        let near = near.and_then(|near| Some((near, self.vectors.named(near.name)?)));
        let weights = self.weights(&asked, filter.granularity);
        let mut found: Vec<Scored<'_>> = vec![];
        for (id, deck) in &self.decks {
            if filter.not_of.as_ref() == Some(id) || self.votes.of_chunk(id).hidden {
                continue;
            }
            let traits = deck.traits(filter.granularity).iter().enumerate();
            found.extend(traits.filter_map(|(at, traits)| {
                let scored = self.score(deck, at, traits, (&asked, near), &weights, filter)?;
                (scored.score >= filter.min_score).then_some(scored)
            }));
        }
        let best_first = |one: &Scored<'_>, other: &Scored<'_>| {
            let id = |scored: &Scored<'_>| scored.id(filter.granularity).to_owned();
            let by_score = other.score.total_cmp(&one.score);
            by_score.then_with(|| id(one).cmp(&id(other)))
        };
        if found.len() > filter.limit && filter.limit > 0 {
            found.select_nth_unstable_by(filter.limit - 1, best_first);
        }
        found.truncate(filter.limit);
        found.sort_by(best_first);
        let hits = found.iter().map(|scored| scored.hit(filter.granularity));
        hits.collect()
    }

    /// How much each word of a query counts: a rare one more than one that is everywhere.
    fn weights(&self, asked: &Asked, granularity: Granularity) -> Vec<(u64, f64)> {
        let all = f64::from(self.chunks.get(&granularity).copied().unwrap_or(0));
        let spread = self.spread.get(&granularity);
        let count = |word: &u64| spread.and_then(|spread| spread.get(word)).copied();
        let words = asked.words.iter();
        words
            .map(|word| {
                let with = f64::from(count(word).unwrap_or(0));
                (*word, ((1.0 + all) / (1.0 + with)).ln() + 1.0)
            })
            .collect()
    }

    fn score<'a>(
        &self,
        deck: &'a SearchedDeck,
        at: usize,
        traits: &Traits,
        (asked, near): (&Asked, Option<NearAll<'a>>),
        weights: &[(u64, f64)],
        filter: &Filter,
    ) -> Option<Scored<'a>> {
        let chunks = &deck.chunks;
        let slide = match filter.granularity {
            Granularity::Deck => None,
            Granularity::Slide => Some(&chunks.slides[at]),
            Granularity::Element => Some(&chunks.slides[deck.slide_of[at]]),
        };
        let is_other = |slide: &SlideChunk| {
            filter
                .slide_type
                .is_some_and(|kind| kind != slide.slide_type)
                || filter
                    .background
                    .is_some_and(|ground| ground != slide.background)
                || self.votes.of_chunk(&slide.id).hidden
        };
        if slide.is_some_and(is_other) {
            return None;
        }
        if let (None, Some(kind)) = (slide, filter.slide_type)
            && !chunks.deck.slide_type_sequence.contains(&kind)
        {
            return None;
        }
        let (id, structural) = match (filter.granularity, slide) {
            (Granularity::Element, Some(slide)) => {
                let element = &chunks.elements[at];
                (&element.id, asked.of_element(element, slide))
            }
            (_, Some(slide)) => (&slide.id, asked.of_slide(slide)),
            (_, None) => (&chunks.deck.id, asked.of_deck(&chunks.slides)),
        };
        let counters = self.votes.of_chunk(id);
        if counters.hidden {
            return None;
        }
        let by_model = near.and_then(|(near, vectors)| {
            let nearness = near.vector.nearness(vectors.get(&traits.text)?)?;
            Some((nearness, near.name))
        });
        let (semantic, scored_by) =
            by_model.unwrap_or_else(|| (asked.direction.nearness(&traits.direction), EMBEDDING));
        let total: f64 = weights.iter().map(|(_, weight)| weight).sum();
        let there = weights.iter().filter(|(word, _)| traits.has(*word));
        // Starts from 0, since the sum of an empty iterator is -0, and people would see the sign.
        let there = there.fold(0.0, |sum, (_, weight)| sum + weight);
        let keyword = if total > 0.0 { there / total } else { 0.0 };
        let score =
            SEMANTIC * semantic + STRUCTURAL * structural + KEYWORD * keyword + counters.bonus();
        Some(Scored {
            deck,
            at,
            counters,
            semantic,
            scored_by,
            structural,
            keyword,
            score,
        })
    }
}

impl Scored<'_> {
    fn id(&self, granularity: Granularity) -> &str {
        let chunks = &self.deck.chunks;
        match granularity {
            Granularity::Deck => &chunks.deck.id,
            Granularity::Slide => &chunks.slides[self.at].id,
            Granularity::Element => &chunks.elements[self.at].id,
        }
    }

    fn hit(&self, granularity: Granularity) -> Hit {
        use sdsl::Word as _;

        let chunks = &self.deck.chunks;
        let deck = &chunks.deck;
        let base = Hit {
            chunk_id: self.id(granularity).to_owned(),
            chunk_type: granularity,
            score: rounded(self.score),
            semantic_score: rounded(self.semantic),
            scored_by: self.scored_by.to_owned(),
            structural_score: rounded(self.structural),
            keyword_score: rounded(self.keyword),
            quality_bonus: self.counters.bonus(),
            dsl_text: None,
            raw_content: None,
            element_type: None,
            semantic_summary: deck.enrichment.narrative_summary.clone(),
            topic_tags: deck.enrichment.topic_tags.clone(),
            deck_id: deck.id.clone(),
            deck_title: deck.title.clone(),
            slide_type: None,
            slide_type_sequence: vec![],
            use_count: self.counters.use_count,
            keep_count: self.counters.keep_count,
            edit_count: self.counters.edit_count,
            regen_count: self.counters.regen_count,
            quality_score: self.counters.quality(),
            flagged: self.counters.is_flagged(),
            has_source: None,
            action_title_quality: None,
            consulting_style: deck.enrichment.consulting_style.clone(),
            enriched_by: deck.enrichment.enriched_by.clone(),
        };
        let kind = |slide: &SlideChunk| Some(slide.slide_type.as_str().to_owned());
        match granularity {
            Granularity::Deck => Hit {
                slide_type_sequence: deck
                    .slide_type_sequence
                    .iter()
                    .map(|kind| kind.as_str().to_owned())
                    .collect(),
                ..base
            },
            Granularity::Slide => {
                let slide = &chunks.slides[self.at];
                Hit {
                    dsl_text: Some(slide.dsl_text.clone()),
                    semantic_summary: slide.enrichment.semantic_summary.clone(),
                    topic_tags: slide.enrichment.topic_tags.clone(),
                    slide_type: kind(slide),
                    has_source: Some(slide.has_source),
                    action_title_quality: Some(slide.action_title_quality),
                    enriched_by: slide.enrichment.enriched_by.clone(),
                    ..base
                }
            }
            Granularity::Element => {
                let element = &chunks.elements[self.at];
                let slide = &chunks.slides[self.deck.slide_of[self.at]];
                Hit {
                    raw_content: Some(element.raw_content.clone()),
                    element_type: Some(element.element_type.to_owned()),
                    semantic_summary: element.semantic_summary.clone(),
                    topic_tags: element.topic_tags.clone(),
                    slide_type: kind(slide),
                    enriched_by: slide.enrichment.enriched_by.clone(),
                    ..base
                }
            }
        }
    }
}

/// A score as people read it, rounded to four digits.
fn rounded(score: f64) -> f64 {
    (score * 10_000.0).round() / 10_000.0
}
