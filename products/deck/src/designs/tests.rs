use super::chunks::ContentDomain;
use super::*;

fn index(decks: &[(&str, &str)]) -> Index {
    let mut index = Index::default();
    for (id, text) in decks {
        let deck = sdsl::parse(text).presentation;
        let title = deck.meta.title.as_ref().map_or("", |title| title.as_str());
        index.put(id, title, "", &deck, None);
    }
    index
}

const PLATFORM: &str = "---\ntitle: Q3 data platform\n---\n# Cover\n@type: title\n## Q3 data platform review\n---\n# Metrics\n@type: stat_callout\n## Pipeline uptime reached 94 % in Q3\n@stat: 94% | Pipeline uptime\n@stat: 3.2B | Events a day\n@stat: 12 | Teams\n---\n# Plan\n@type: timeline\n## The migration ends in December\n@step: Oct | Copy\n@step: Nov | Switch\n";
const HIRING: &str = "---\ntitle: Hiring plan\n---\n# Team\n@type: bullet_points\n## Four engineers join the team in spring\n- Two in Berlin\n- Two in Lyon\n---\n# 指标\n@type: stat_callout\n@background: dark\n## 招聘指标全部达成\n@stat: 12 | 新员工\n@stat: 3 | 团队\n";

fn ids(index: &Index, query: &str, filter: &Filter) -> Vec<String> {
    let hits = index.search(query, filter);
    hits.into_iter()
        .map(|hit| format!("{} {}", hit.deck_id, hit.slide_type.unwrap_or_default()))
        .collect()
}

#[test]
fn what_is_asked_for_comes_first_in_both_languages() {
    let index = index(&[("platform", PLATFORM), ("hiring", HIRING)]);
    let first = |query: &str| ids(&index, query, &Filter::default()).remove(0);
    assert_eq!(first("pipeline uptime KPIs"), "platform stat_callout");
    assert_eq!(first("migration timeline"), "platform timeline");
    assert_eq!(first("招聘指标"), "hiring stat_callout");
    assert_eq!(first("engineers who join"), "hiring bullet_points");
    let decks = Filter {
        granularity: Granularity::Deck,
        ..Filter::default()
    };
    assert_eq!(index.search("hiring plan", &decks)[0].deck_id, "hiring");
    let elements = Filter {
        granularity: Granularity::Element,
        ..Filter::default()
    };
    let hit = &index.search("events a day", &elements)[0];
    assert_eq!(hit.element_type.as_deref(), Some("stat"));
    assert_eq!(hit.raw_content.as_ref().expect("content")["value"], "3.2B");
}

#[test]
fn filters_exclude_and_what_is_hidden_is_not_found() {
    let mut index = index(&[("platform", PLATFORM), ("hiring", HIRING)]);
    let only = Filter {
        slide_type: Some(sdsl::SlideType::Timeline),
        min_score: 0.0,
        ..Filter::default()
    };
    assert_eq!(ids(&index, "metrics", &only), ["platform timeline"]);
    let others = Filter {
        not_of: Some("platform".to_owned()),
        min_score: 0.0,
        ..Filter::default()
    };
    assert!(
        ids(&index, "uptime", &others)
            .iter()
            .all(|id| id.starts_with("hiring"))
    );
    let best = index
        .search("pipeline uptime", &Filter::default())
        .remove(0);
    let mut votes = Votes::default();
    votes.count(&best.chunk_id, Signal::Delete);
    index.set_votes(votes);
    let found = index.search("pipeline uptime", &Filter::default());
    assert!(found.iter().all(|hit| hit.chunk_id != best.chunk_id));
}

#[test]
fn votes_move_equal_designs_and_survive_that_the_deck_comes_again() {
    // The same slide in two decks: where the scores are equal, the id decides.
    let mut index = index(&[("a", HIRING), ("b", HIRING)]);
    let query = "engineers join the team";
    let before = index.search(query, &Filter::default());
    assert_eq!(
        (before[0].deck_id.as_str(), before[1].deck_id.as_str()),
        ("a", "b")
    );
    assert!((before[0].score - before[1].score).abs() < 1e-9);
    let mut votes = Votes::default();
    votes.count(&before[1].chunk_id, Signal::Keep);
    index.set_votes(votes);
    let after = index.search(query, &Filter::default());
    assert_eq!(after[0].deck_id, "b");
    assert_eq!((after[0].keep_count, after[0].quality_bonus), (1, 0.1));
    // The deck comes again with another slide in front.
    let more = format!(
        "# New\n## A new slide\n---\n{}",
        HIRING
            .split("---\n")
            .skip(2)
            .collect::<Vec<_>>()
            .join("---\n")
    );
    index.put(
        "b",
        "Hiring plan",
        "",
        &sdsl::parse(&more).presentation,
        None,
    );
    let again = index.search(query, &Filter::default());
    assert_eq!((again[0].deck_id.as_str(), again[0].keep_count), ("b", 1));
}

#[test]
fn nothing_is_left_of_a_deck_that_is_taken_out() {
    let mut index = index(&[("platform", PLATFORM), ("hiring", HIRING)]);
    index.put(
        "hiring",
        "again",
        "",
        &sdsl::parse(HIRING).presentation,
        None,
    );
    index.remove("hiring");
    let alone = self::index(&[("platform", PLATFORM)]);
    assert_eq!(index.sizes(), alone.sizes());
    for query in ["招聘指标", "pipeline uptime", "team"] {
        assert_eq!(
            index.search(query, &Filter::default()),
            alone.search(query, &Filter::default())
        );
    }
    index.remove("platform");
    assert_eq!(index.sizes(), [0, 0, 0]);
}

#[test]
fn a_deck_without_an_id_has_that_of_its_text() {
    let read = |text: &str| NewDeck::read(text.as_bytes(), None, None, "old.sdsl");
    let one = read(PLATFORM).expect("a deck");
    assert_eq!((one.title.as_str(), one.slides), ("Q3 data platform", 3));
    assert_eq!(one, read(PLATFORM).expect("a deck"));
    assert_ne!(one.id, read(HIRING).expect("a deck").id);
    assert_eq!(read("---\ntitle: T\n---\n"), Err(BadDeck::NoSlides));
}

#[test]
fn what_a_curator_said_is_found() {
    let mut index = index(&[("platform", PLATFORM)]);
    let slide = index
        .search("migration timeline", &Filter::default())
        .remove(0);
    let said = Enrichment {
        deck: DeckEnrichment {
            narrative_summary: "How the platform did".to_owned(),
            audience: "executives".to_owned(),
            purpose: "review".to_owned(),
            topic_tags: vec!["cloud".to_owned()],
            storyline_quality: "good".to_owned(),
            consulting_style: "corporate".to_owned(),
            enriched_by: "model".to_owned(),
        },
        slides: [(
            slide.chunk_id.clone(),
            SlideEnrichment {
                semantic_summary: "Cutover of the warehouse".to_owned(),
                topic_tags: vec!["warehouse cutover".to_owned()],
                content_domain: ContentDomain::Roadmap,
                enriched_by: "model".to_owned(),
            },
        )]
        .into(),
    };
    index.put(
        "platform",
        "platform",
        "",
        &sdsl::parse(PLATFORM).presentation,
        Some(&said),
    );
    let hit = index
        .search("warehouse cutover", &Filter::default())
        .remove(0);
    assert_eq!(hit.chunk_id, slide.chunk_id);
    assert_eq!(
        (hit.enriched_by.as_str(), hit.consulting_style.as_str()),
        ("model", "corporate")
    );
}

#[test]
fn a_chunk_without_a_vector_of_the_model_is_scored_by_its_n_grams() {
    use std::sync::Arc;

    use palimpsest::prelude::pipeline::vectors::{
        EMBEDDING, Embedding, Near, TextHash, VectorDocument, Vectors,
    };

    let mut index = index(&[("platform", PLATFORM), ("hiring", HIRING)]);
    assert_eq!(index.without_vectors("m-1"), ["hiring", "platform"]);
    let made: Vec<TextHash> = index.texts_without_vector("platform", "m-1");
    let texts = texts_of("platform", "Q3 data platform", PLATFORM.as_bytes(), None);
    assert_eq!(made.len(), texts.len());
    let of = |hash: &TextHash| {
        let is_timeline = texts[hash].contains("migration");
        Embedding::of(if is_timeline {
            &[1.0, 0.0]
        } else {
            &[0.0, 1.0]
        })
    };
    let document = VectorDocument {
        name: "m-1".to_owned(),
        about: "platform".to_owned(),
        vectors: made
            .iter()
            .map(|hash| (*hash, of(hash).expect("a direction")))
            .collect(),
    };
    index.set_vectors(Arc::new(Vectors::of([&document])));
    assert_eq!(index.without_vectors("m-1"), ["hiring"]);
    assert!(!index.has_vectors("m-2") && index.has_vectors("m-1"));
    let all = Filter {
        min_score: 0.0,
        ..Filter::default()
    };
    let query = Embedding::of(&[1.0, 0.0]).expect("a direction");
    let found = |name: &str| {
        let near = Near {
            name,
            vector: &query,
        };
        index.search_near("moving house", Some(near), &all)
    };
    let hits = found("m-1");
    assert_eq!(hits[0].slide_type.as_deref(), Some("timeline"));
    assert!((hits[0].semantic_score - 1.0).abs() < f64::EPSILON);
    for hit in &hits {
        let by = if hit.deck_id == "platform" {
            "m-1"
        } else {
            EMBEDDING
        };
        assert_eq!(hit.scored_by, by, "{hit:#?}");
    }
    // A vector of another name, or of another length, is not compared with anything.
    let by_words = index.search("moving house", &all);
    assert_eq!(found("m-2"), by_words);
    let longer = Embedding::of(&[1.0, 0.0, 0.0]).expect("a direction");
    let near = Near {
        name: "m-1",
        vector: &longer,
    };
    assert_eq!(
        index.search_near("moving house", Some(near), &all),
        by_words
    );
}
