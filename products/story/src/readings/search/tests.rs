use palimpsest::prelude::pipeline::vectors::{Embedding, VectorDocument};
use palimpsest::prelude::resource::project::{Character, Standing, What};
use proptest::collection::vec;
use proptest::prelude::*;
use proptest::sample::select;

use super::super::book_tests::{Bible, sample};
use super::pieces::passages;
use super::pieces::{CHILD_CHARS_MAX, CHILD_CHARS_MIN, PARENT_CHARS_MAX, PARENT_CHARS_MIN};
use super::*;

fn ids(found: &[FoundPassage]) -> Vec<&str> {
    found.iter().map(|it| it.source_id.as_str()).collect()
}

fn ask(index: &StoryIndex, query: &str) -> Vec<FoundPassage> {
    index.search(query, None, &StoryFilter::default())
}

#[test]
fn accepted_prose_and_the_bible_are_found_and_drafts_are_not() {
    let index = StoryIndex::of(&sample());
    let found = ask(&index, "铜钥匙");
    assert!(ids(&found).contains(&"key"), "{:?}", ids(&found));
    assert!(ids(&found).contains(&"c2"), "{:?}", ids(&found));
    assert_eq!(
        ids(&ask(&index, "灯塔顶上")),
        [""; 0],
        "only the draft says it"
    );
    let found = ask(&index, "Aldous Finch");
    assert_eq!(found[0].source_id, "finch".into());
    assert_eq!(found[0].source_type, SourceKind::Character);
    assert_eq!(ids(&ask(&index, "……")), [""; 0]);
}

#[test]
fn what_is_only_proposed_is_not_found() {
    let wolf = |standing| {
        let character = Character {
            name: "狼先生".to_owned(),
            ..Character::default()
        };
        let bible = Bible::with_chapters(1);
        let bible = match standing {
            Standing::Fact => bible.put("wolf", What::Character(character)),
            Standing::Proposed => bible.propose("wolf", What::Character(character)),
        };
        ask(&StoryIndex::of(&bible.book()), "狼先生").len()
    };
    assert_eq!((wolf(Standing::Fact), wolf(Standing::Proposed)), (1, 0));
}

/// Long chapters that are all about the same thing.
fn long_book() -> Bible {
    let mut bible = Bible::with_chapters(6);
    for number in 1..=6 {
        let text: String = (0..30)
            .map(|n| format!("第{n}天，林晚沿着海堤走到灯塔，数了{number}遍台阶，又把门锁上。"))
            .collect();
        bible = bible.accepted(number, &text);
    }
    bible
}

#[test]
fn a_chapter_is_found_once_by_its_best_piece_with_what_is_around_it() {
    let index = StoryIndex::of(&long_book().book());
    let found = ask(&index, "第17天 海堤");
    assert_eq!(found.len(), 6);
    for it in &found {
        assert!(
            it.metadata.snippet.contains("第17天"),
            "{}",
            it.metadata.snippet
        );
        assert!(it.content.contains(&it.metadata.snippet));
        assert!(it.content.chars().count() <= PARENT_CHARS_MAX);
        assert!(it.metadata.snippet.chars().count() <= CHILD_CHARS_MAX);
    }
    let orders: Vec<_> = found.iter().map(|it| it.chapter_order.unwrap()).collect();
    assert_eq!(
        orders,
        [1, 2, 3, 4, 5, 6],
        "what is equal is in the order of the book"
    );
}

#[test]
fn filters_leave_out_kinds_and_chapters() {
    let index = StoryIndex::of(&long_book().book());
    let filter = StoryFilter {
        from_chapter: Some(2),
        to_chapter: Some(4),
        limit: 2,
        ..StoryFilter::default()
    };
    assert_eq!(ids(&index.search("海堤", None, &filter)), ["c2", "c3"]);
    let filter = StoryFilter {
        kinds: vec![SourceKind::Character],
        ..StoryFilter::default()
    };
    assert_eq!(ids(&index.search("海堤", None, &filter)), [""; 0]);
}

/// The vectors of all pieces of an index.
fn vectors_of(index: &StoryIndex, name: &str, vector: impl Fn(&str) -> Vec<f32>) -> Vectors {
    let texts = index.texts().into_iter();
    let made = texts.map(|(hash, text)| (hash, Embedding::of(&vector(text)).unwrap()));
    Vectors::of(&[VectorDocument {
        name: name.to_owned(),
        about: String::new(),
        vectors: made.collect(),
    }])
}

#[test]
fn vectors_find_what_words_do_not_and_both_rankings_count() {
    let book = Bible::with_chapters(3)
        .accepted(1, "猫在屋顶上睡觉。")
        .accepted(2, "狗在院子里叫。")
        .accepted(3, "The sea was quiet.")
        .book();
    let index = StoryIndex::of(&book);
    let vectors = vectors_of(&index, "embed", |text| match text.chars().next() {
        Some('猫') => vec![1.0, 0.1],
        Some('狗') => vec![0.8, 0.6],
        _ => vec![-1.0, 0.2],
    });
    let vector = Embedding::of(&[1.0, 0.0]).unwrap();
    let query = VectorQuery {
        near: Near {
            name: "embed",
            vector: &vector,
        },
        vectors: &vectors,
    };
    let found = index.search("院子", Some(query), &StoryFilter::default());
    assert_eq!(
        ids(&found),
        ["c2", "c1"],
        "the first by words and the second by meaning"
    );
    let second = 1.0 / 61.0 + 1.0 / 62.0;
    assert!((found[0].rrf_score - second).abs() < 1e-12);
    assert!((found[0].similarity.unwrap() - 0.8).abs() < 0.01);
    assert_eq!(found[0].metadata.embedding_model.as_deref(), Some("embed"));
    assert!(found[1].full_text_score < f64::EPSILON);
    assert!((found[1].rrf_score - 1.0 / 61.0).abs() < 1e-12);
}

#[test]
fn vectors_of_another_name_or_of_another_length_find_nothing() {
    let book = Bible::with_chapters(1).accepted(1, "猫在睡觉。").book();
    let index = StoryIndex::of(&book);
    for (name, numbers, count) in [
        ("m", vec![1.0, 0.5], 1),
        ("other", vec![1.0, 0.5], 0),
        ("m", vec![1.0], 0),
    ] {
        let vectors = vectors_of(&index, name, |_| numbers.clone());
        let vector = Embedding::of(&[1.0, 0.0]).unwrap();
        let near = Near {
            name: "m",
            vector: &vector,
        };
        let query = VectorQuery {
            near,
            vectors: &vectors,
        };
        let found = index.search("狗", Some(query), &StoryFilter::default());
        assert_eq!(found.len(), count, "{name} {numbers:?}");
    }
}

#[test]
fn a_field_of_an_answer_has_the_name_of_the_contract() {
    let found = ask(&StoryIndex::of(&sample()), "铜钥匙");
    let shown = serde_json::to_value(&found[0]).unwrap();
    let names: Vec<&str> = shown
        .as_object()
        .unwrap()
        .keys()
        .map(String::as_str)
        .collect();
    assert_eq!(
        names,
        [
            "id",
            "sourceType",
            "sourceId",
            "content",
            "similarity",
            "cosineDistance",
            "fullTextScore",
            "rrfScore",
            "rerankerScore",
            "metadata",
            "chunkLevel",
            "parentId",
            "chapterOrder",
            "blockOrder",
        ]
    );
    assert_eq!(shown["chunkLevel"], "parent");
}

/// Prints how long indexing and searching a long series takes, and asserts only what is found. It is to be run by hand, in an optimised
/// build.
#[test]
#[ignore = "it takes a while without optimisation, and is there to be measured with"]
fn two_million_characters() {
    let mut bible = Bible::with_chapters(400);
    for number in 1..=400_usize {
        let line = |n: usize| {
            let odd = char::from_u32(0x4E00 + u32::try_from(number * 31 + n * 7).unwrap() % 9000);
            format!(
                "第{n}天的黄昏，{}家的人沿着海堤走到灯塔下面，数完台阶才回去。",
                odd.unwrap()
            )
        };
        let text: String = (0..170).map(line).collect();
        bible = bible.accepted(number, &text);
    }
    let book = bible.book();
    let chars: usize = book
        .chapters()
        .iter()
        .map(|it| it.text.chars().count())
        .sum();
    let begun = std::time::Instant::now();
    let index = StoryIndex::of(&book);
    let made = begun.elapsed();
    let begun = std::time::Instant::now();
    let found = ask(&index, "第77天 海堤 灯塔 台阶 黄昏");
    eprintln!(
        "{chars} characters: indexed in {made:?}, searched in {:?}",
        begun.elapsed()
    );
    assert_eq!(found.len(), 10);
    assert_eq!(found[0].source_type, SourceKind::StoryBlock);
    assert!(chars >= 2_000_000, "{chars}");
}

fn text() -> impl Strategy<Value = String> {
    let parts = [
        "林晚沿着海堤走到灯塔。",
        "她数了一遍台阶，又把门锁上",
        "\n",
        "\n\n",
        "She counted the steps twice. ",
        "antidisestablishmentarianism",
        "“走！”他说。",
        " ",
        "长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长长",
    ];
    vec(select(parts.to_vec()), 0..400).prop_map(|parts| parts.concat())
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn pieces_are_the_whole_text_and_keep_to_their_lengths(text in text()) {
        let passages = passages(&text);
        let chars = text.chars().count();
        if text.trim().is_empty() {
            prop_assert!(passages.is_empty());
            return Ok(());
        }
        let (mut at, mut piece_at) = (0, 0);
        for passage in &passages {
            prop_assert_eq!(passage.range.start, at);
            at = passage.range.end;
            prop_assert!(passage.range.len() <= PARENT_CHARS_MAX);
            prop_assert!(passage.range.len() >= PARENT_CHARS_MIN.min(chars));
            for piece in &passage.pieces {
                prop_assert_eq!(piece.start, piece_at);
                piece_at = piece.end;
                prop_assert!(piece.len() <= CHILD_CHARS_MAX);
                prop_assert!(piece.len() >= CHILD_CHARS_MIN.min(chars));
            }
            prop_assert_eq!(piece_at, at);
        }
        prop_assert_eq!(at, chars);
    }

    #[test]
    fn every_index_of_a_book_gives_the_same_answers(one in text(), other in text(), query in text()) {
        let book = Bible::with_chapters(2).accepted(1, &one).accepted(2, &other).book();
        let found = ask(&StoryIndex::of(&book), &query);
        prop_assert_eq!(&found, &ask(&StoryIndex::of(&book.clone()), &query));
        let mut sources = ids(&found);
        sources.sort_unstable();
        sources.dedup();
        prop_assert_eq!(sources.len(), found.len());
        let falls = found.windows(2).all(|pair| pair[0].rrf_score >= pair[1].rrf_score);
        prop_assert!(falls);
    }

    #[test]
    fn no_text_is_too_odd(text in ".{0,600}", query in ".{0,80}") {
        let book = Bible::with_chapters(1).accepted(1, &text).book();
        ask(&StoryIndex::of(&book), &query);
    }
}
