//! The index in memory, and searching it.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::pipeline::vectors::{TextHash, Vectors};
use palimpsest::prelude::resource::index_words;
use palimpsest::prelude::resource::project::{Entry, What};
use smol_str::SmolStr;

use super::fusion::weight_of;
use super::pieces::passages;
use super::{ChunkLevel, FoundPassage, PassageMetadata, SourceKind, StoryFilter, VectorQuery};
use crate::readings::book::Book;

/// The usual constants of BM25: how fast repetitions of a word stop adding to the score, and how much the length of a piece matters.
const K1: f64 = 1.2;
const B: f64 = 0.75;

/// How much more a word counts that belongs to the name of an entry: a person who asks for somebody by name wants that entry before all
/// related ones.
const NAME_WEIGHT: u32 = 3;

/// The most words of a question that are looked for; the first sentences of a long message say what it is about.
const QUERY_WORDS_MAX: usize = 64;

/// A chapter or an entry from which passages are taken.
#[derive(Clone, Debug)]
struct IndexedSource {
    kind: SourceKind,
    id: EntryId,
    title: String,
    text: String,
    chapter: Option<usize>,
    version: Option<u32>,
}

/// A larger passage, in bytes of its source.
#[derive(Clone, Debug)]
struct IndexedPassage {
    source: usize,
    order: usize,
    /// Characters of the source before it.
    start: usize,
    bytes: Range<usize>,
}

/// A small piece, in bytes of its source.
#[derive(Clone, Debug)]
struct IndexedPiece {
    passage: usize,
    bytes: Range<usize>,
    /// The number of words of the piece.
    length: u32,
    /// The hash of its text, by which vectors are found.
    hash: TextHash,
}

/// Everything that can be found in a story.
#[derive(Clone, Debug, Default)]
pub struct StoryIndex {
    sources: Vec<IndexedSource>,
    passages: Vec<IndexedPassage>,
    pieces: Vec<IndexedPiece>,
    /// By word: the pieces that have it, and how often.
    postings: HashMap<SmolStr, Vec<(u32, u32)>>,
    /// Words of a piece, on average.
    average: f64,
}

/// A piece in one of the rankings.
#[derive(Clone, Copy, Debug, Default)]
struct Ranked {
    full_text: f64,
    nearness: Option<f64>,
    rrf: f64,
}

impl StoryIndex {
    /// The index of a book: its accepted prose and what is fact in its bible.
    pub fn of(book: &Book) -> Self {
        let mut index = Self::default();
        for source in sources(book) {
            index.add(source);
        }
        let words: f64 = index.pieces.iter().map(|it| f64::from(it.length)).sum();
        #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 pieces")]
        let many = index.pieces.len().max(1) as f64;
        index.average = (words / many).max(1.0);
        index
    }

    fn add(&mut self, source: IndexedSource) {
        let bytes = char_starts(&source.text);
        let at = |range: &Range<usize>| bytes[range.start]..bytes[range.end];
        for (order, passage) in passages(&source.text).into_iter().enumerate() {
            for range in &passage.pieces {
                let bytes = at(range);
                let text = source.text[bytes.clone()].trim();
                let length = self.post(text);
                // The name of an entry is in its first piece.
                if source.chapter.is_none() && order == 0 && range.start == 0 {
                    self.weigh(&source.title);
                }
                let hash = TextHash::of(text);
                self.pieces.push(IndexedPiece {
                    passage: self.passages.len(),
                    bytes,
                    length,
                    hash,
                });
            }
            self.passages.push(IndexedPassage {
                source: self.sources.len(),
                order,
                start: passage.range.start,
                bytes: at(&passage.range),
            });
        }
        self.sources.push(source);
    }

    /// Adds the words of the next piece to the index, and returns their number.
    fn post(&mut self, text: &str) -> u32 {
        let piece = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        let words = index_words(text);
        let length = u32::try_from(words.len()).unwrap_or(u32::MAX);
        for word in words {
            let pieces = self.postings.entry(SmolStr::new(word)).or_default();
            match pieces.last_mut() {
                Some((last, times)) if *last == piece => *times += 1,
                Some(_) | None => pieces.push((piece, 1)),
            }
        }
        length
    }

    /// Lets the words of a name count more in the next piece.
    fn weigh(&mut self, name: &str) {
        let piece = u32::try_from(self.pieces.len()).unwrap_or(u32::MAX);
        for word in index_words(name) {
            let pieces = self.postings.get_mut(word.as_str());
            if let Some((last, times)) = pieces.and_then(|pieces| pieces.last_mut())
                && *last == piece
            {
                *times += NAME_WEIGHT;
            }
        }
    }

    /// The small pieces that vectors are made of, each text once, in the order of the book.
    pub fn texts(&self) -> Vec<(TextHash, &str)> {
        let mut known = BTreeSet::new();
        let hashed = self.pieces.iter().map(|it| (it.hash, self.text(it)));
        hashed.filter(|(hash, _)| known.insert(*hash)).collect()
    }

    /// How many small pieces there are.
    pub fn pieces(&self) -> usize {
        self.pieces.len()
    }

    /// How many small pieces have no vector of this name.
    pub fn without_vector(&self, vectors: &Vectors, name: &str) -> usize {
        let pieces = self.pieces.iter();
        pieces.filter(|it| !vectors.has(name, it.hash)).count()
    }

    /// What is found, the best first: at most one passage of each chapter and each entry. Passages of equal rank are in the order of the
    /// bible and the book.
    pub fn search(
        &self,
        query: &str,
        vectors: Option<VectorQuery<'_>>,
        filter: &StoryFilter,
    ) -> Vec<FoundPassage> {
        let is_wanted = |piece: usize| self.fits(piece, filter);
        let mut ranked: HashMap<usize, Ranked> = HashMap::new();
        let full_text = ranking(self.full_text(query), is_wanted);
        for ((piece, score), place) in full_text.into_iter().zip(1_u32..) {
            let it = ranked.entry(piece).or_default();
            it.full_text = score;
            it.rrf += weight_of(place);
        }
        if let Some(vectors) = &vectors {
            let near = ranking(self.nearness(vectors), is_wanted);
            for ((piece, nearness), place) in near.into_iter().zip(1_u32..) {
                let it = ranked.entry(piece).or_default();
                it.nearness = Some(nearness);
                it.rrf += weight_of(place);
            }
        }
        let mut order: Vec<(usize, Ranked)> = ranked.into_iter().collect();
        order.sort_by(|(one, a), (other, b)| b.rrf.total_cmp(&a.rrf).then(one.cmp(other)));
        let mut known = BTreeSet::new();
        let firsts = order.into_iter().filter(|(piece, _)| {
            let source = self.passages[self.pieces[*piece].passage].source;
            known.insert(source)
        });
        let model = vectors.map(|vectors| vectors.near.name);
        let firsts = firsts.take(filter.limit);
        firsts
            .map(|(piece, ranked)| self.found(piece, ranked, model))
            .collect()
    }

    /// The pieces that have any of the words, with BM25.
    fn full_text(&self, query: &str) -> Vec<(usize, f64)> {
        let mut scores = vec![0.0_f64; self.pieces.len()];
        #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 pieces")]
        let all = self.pieces.len() as f64;
        for word in query_words(query) {
            let Some(pieces) = self.postings.get(word.as_str()) else {
                continue;
            };
            #[expect(clippy::cast_precision_loss, reason = "there are never 2^52 pieces")]
            let have = pieces.len() as f64;
            let rarity = (1.0 + (all - have + 0.5) / (have + 0.5)).ln();
            for (piece, times) in pieces {
                let piece = *piece as usize;
                let times = f64::from(*times);
                let length = f64::from(self.pieces[piece].length) / self.average;
                let weight = times * (K1 + 1.0) / (times + K1 * (1.0 - B + B * length));
                scores[piece] += rarity * weight;
            }
        }
        let scored = scores.into_iter().enumerate();
        scored.filter(|(_, score)| *score > 0.0).collect()
    }

    /// The pieces that have a vector of the right name and length, with how near they are.
    fn nearness(&self, query: &VectorQuery<'_>) -> Vec<(usize, f64)> {
        let near = query.near;
        let Some(vectors) = query.vectors.named(near.name) else {
            return vec![];
        };
        let pieces = self.pieces.iter().enumerate();
        let found = pieces.filter_map(|(at, piece)| {
            let nearness = vectors.get(&piece.hash)?.nearness(near.vector)?;
            Some((at, nearness))
        });
        found.filter(|(_, nearness)| *nearness > 0.0).collect()
    }

    fn fits(&self, piece: usize, filter: &StoryFilter) -> bool {
        let source = &self.sources[self.passages[self.pieces[piece].passage].source];
        let is_kind = filter.kinds.is_empty() || filter.kinds.contains(&source.kind);
        let is_chapter = source.chapter.is_none_or(|number| {
            filter.from_chapter.is_none_or(|from| from <= number)
                && filter.to_chapter.is_none_or(|to| number <= to)
        });
        is_kind && is_chapter
    }

    fn text(&self, piece: &IndexedPiece) -> &str {
        let source = &self.sources[self.passages[piece.passage].source];
        source.text[piece.bytes.clone()].trim()
    }

    fn found(&self, piece: usize, ranked: Ranked, model: Option<&str>) -> FoundPassage {
        let piece = &self.pieces[piece];
        let passage = &self.passages[piece.passage];
        let source = &self.sources[passage.source];
        FoundPassage {
            id: format!("{}@{}", source.id, passage.start),
            source_type: source.kind,
            source_id: source.id.clone(),
            content: source.text[passage.bytes.clone()].trim().to_owned(),
            similarity: ranked.nearness,
            cosine_distance: ranked.nearness.map(|nearness| 1.0 - nearness),
            full_text_score: ranked.full_text,
            rrf_score: ranked.rrf,
            reranker_score: None,
            metadata: PassageMetadata {
                title: source.title.clone(),
                snippet: self.text(piece).to_owned(),
                start: passage.start,
                version: source.version,
                embedding_model: model.map(str::to_owned),
            },
            chunk_level: ChunkLevel::Parent,
            parent_id: None,
            chapter_order: source.chapter,
            block_order: passage.order,
        }
    }
}

/// The pieces that are wanted, the best first; equal ones in their order.
fn ranking(mut scored: Vec<(usize, f64)>, is_wanted: impl Fn(usize) -> bool) -> Vec<(usize, f64)> {
    scored.retain(|(piece, _)| is_wanted(*piece));
    scored.sort_by(|(one, a), (other, b)| b.total_cmp(a).then(one.cmp(other)));
    scored
}

/// The words of a question. A Chinese character counts by itself only where it stands alone: as a part of a pair it would find every text
/// that contains it in another word.
fn query_words(query: &str) -> Vec<String> {
    let words = index_words(query);
    let pairs: Vec<String> = { words.iter() }
        .filter(|word| word.chars().count() > 1)
        .cloned()
        .collect();
    let is_new = |word: &String| {
        let mut chars = word.chars();
        match (chars.next(), chars.next()) {
            (Some(c), None) => c.is_ascii() || !pairs.iter().any(|pair| pair.contains(c)),
            _ => true,
        }
    };
    let mut known = BTreeSet::new();
    let wanted = words.into_iter().filter(is_new);
    let once = wanted.filter(|word| known.insert(word.clone()));
    once.take(QUERY_WORDS_MAX).collect()
}

/// Where each character begins, and where the last one ends.
fn char_starts(text: &str) -> Vec<usize> {
    let starts = text.char_indices().map(|(at, _)| at);
    starts.chain([text.len()]).collect()
}

/// What can be found: the entries in the order of their ids, then the chapters in reading order.
fn sources(book: &Book) -> Vec<IndexedSource> {
    let facts = book.project().entries.values().map(|kept| &kept.entry);
    let facts = facts.filter(|entry| entry.standing.is_fact());
    let mut found: Vec<IndexedSource> = facts.filter_map(|entry| of_entry(book, entry)).collect();
    let chapters = book.chapters().into_iter();
    found.extend(
        chapters
            .filter(|it| it.is_accepted)
            .map(|placed| IndexedSource {
                kind: SourceKind::StoryBlock,
                id: placed.id.clone(),
                title: placed.chapter.title.clone(),
                text: placed.text.to_owned(),
                chapter: Some(placed.number),
                version: Some(placed.version),
            }),
    );
    found
}

fn of_entry(book: &Book, entry: &Entry) -> Option<IndexedSource> {
    let (kind, parts) = match &entry.what {
        What::Character(it) => (
            SourceKind::Character,
            vec![
                it.description.clone(),
                it.personality.join(" "),
                it.background.clone(),
                it.motivation.clone(),
                it.traits.join(" "),
                it.appearance
                    .iter()
                    .map(|(k, v)| format!("{k} {v} "))
                    .collect(),
            ],
        ),
        What::World(it) => {
            let rules = it.rules.iter().map(|rule| rule.says.as_str());
            let rules: Vec<&str> = rules.collect();
            let parts = vec![it.tags.join(" "), it.content.clone(), rules.join("\n")];
            (SourceKind::WikiEntry, parts)
        }
        What::Item(it) => (SourceKind::Item, vec![it.description.clone()]),
        What::Place(it) => (SourceKind::Place, vec![it.description.clone()]),
        What::PlotLoop(it) => (
            SourceKind::PlotLoop,
            vec![it.description.clone(), it.keywords.join(" ")],
        ),
        What::Relationship(it) => {
            let name = |id: &EntryId| book.project().entry(id).map_or("", |it| it.what.name());
            let ends = format!("{} {} {}", name(&it.source), it.kind, name(&it.target));
            (SourceKind::Relationship, vec![ends, it.description.clone()])
        }
        What::Volume(_) | What::Chapter(_) | What::Archetype(_) | What::StyleSample(_) => {
            return None;
        }
    };
    let names = [entry.what.name().to_owned(), entry.what.aliases().join(" ")];
    let mut text = vec![];
    for part in names.into_iter().chain(parts) {
        if !part.trim().is_empty() {
            text.push(part.trim().to_owned());
        }
    }
    Some(IndexedSource {
        kind,
        id: entry.id.clone(),
        title: entry.what.name().to_owned(),
        text: text.join("\n"),
        chapter: None,
        version: None,
    })
}
