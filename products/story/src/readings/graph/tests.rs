use palimpsest::prelude::resource::project::What;

use super::super::book_tests::{Bible, sample};
use super::*;

fn ends(graph: &RelationGraph) -> Vec<(&str, &str, &str)> {
    let edges = graph.edges.iter();
    edges
        .map(|it| (it.source.as_str(), it.target.as_str(), it.kind.as_str()))
        .collect()
}

#[test]
fn a_relationship_is_seen_from_both_ends_and_from_its_chapter_on() {
    let book = sample();
    let both = [("finch", "lin", "师父"), ("lin", "finch", "徒弟")];
    assert_eq!(ends(&graph(&book, Some(2))), both);
    assert_eq!(
        ends(&graph(&book, Some(3))),
        [both[0], both[1], ("shen", "lin", "仇人")]
    );
    assert_eq!(graph(&book, None).edges.len(), 3);
}

#[test]
fn nodes_are_the_characters_as_they_are_then() {
    let book = sample();
    let active = |chapter| -> Vec<(String, bool)> {
        let nodes = graph(&book, chapter).nodes.into_iter();
        nodes.map(|it| (it.name, it.is_active)).collect()
    };
    let told = |finch, lin, shen| {
        [("Aldous Finch", finch), ("林晚", lin), ("沈默", shen)]
            .map(|(name, is_active)| (name.to_owned(), is_active))
    };
    assert_eq!(active(Some(1)), told(true, true, false));
    assert_eq!(active(Some(3)), told(false, true, true));
    let shown = serde_json::to_value(graph(&book, Some(1))).unwrap();
    assert_eq!(
        shown["nodes"][1],
        serde_json::json!({
            "id": "lin",
            "name": "林晚",
            "role": "protagonist",
            "status": "active",
            "archetype": "hero",
            "isActive": true
        })
    );
    assert_eq!(
        shown["edges"][0],
        serde_json::json!({
            "source": "finch",
            "target": "lin",
            "type": "师父",
            "description": "",
            "strength": 7,
            "bidirectional": true
        })
    );
}

#[test]
fn a_sentence_proves_a_relationship_or_makes_one() {
    let relation = |relation: &str| Says::Relation {
        source: "a".into(),
        target: "b".into(),
        relation: relation.to_owned(),
    };
    let character = || What::Character(Character::default());
    let bible = Bible::with_chapters(2)
        .put("a", character())
        .put("b", character())
        .put(
            "r",
            What::Relationship(Relationship {
                source: "a".into(),
                target: "b".into(),
                kind: "姐姐".to_owned(),
                ..Relationship::default()
            }),
        )
        .accepted(2, "她是他的姐姐。她是他的仇人。")
        .found(
            2,
            vec![
                ("f1", relation("姐姐"), "她是他的姐姐。"),
                ("f2", relation("仇人"), "她是他的仇人。"),
            ],
        )
        .judged(&["f1", "f2"], &[]);
    let book = bible.book();
    let first = graph(&book, Some(1));
    assert_eq!(ends(&first), [("a", "b", "姐姐")]);
    assert_eq!(first.edges[0].source_text, "她是他的姐姐。");
    let second = graph(&book, Some(2));
    assert_eq!(ends(&second), [("a", "b", "仇人"), ("a", "b", "姐姐")]);
    assert_eq!(second.edges[0].since, Some(2));
}

#[test]
fn two_entries_for_both_directions_are_two_edges_and_not_four() {
    let sibling = |source: &str, target: &str| {
        What::Relationship(Relationship {
            source: source.into(),
            target: target.into(),
            kind: "sibling".to_owned(),
            bidirectional: true,
            ..Relationship::default()
        })
    };
    let character = || What::Character(Character::default());
    let book = Bible::with_chapters(0)
        .put("a", character())
        .put("b", character())
        .put("r1", sibling("a", "b"))
        .put("r2", sibling("b", "a"))
        .put("lost", sibling("a", "nobody"))
        .book();
    assert_eq!(
        ends(&graph(&book, None)),
        [("a", "b", "sibling"), ("b", "a", "sibling")]
    );
}

#[test]
fn a_picture_is_whole_and_nothing_in_it_is_markup() {
    let odd = CharacterNode {
        id: "x".into(),
        name: "<b>&\"'\u{0}\u{FFFE}".to_owned(),
        is_active: true,
        ..CharacterNode::default()
    };
    let mut graph = graph(&sample(), None);
    graph.nodes.push(odd);
    graph.edges.push(RelationEdge {
        source: "x".into(),
        target: "x".into(),
        kind: "</svg>".to_owned(),
        ..RelationEdge::default()
    });
    let svg = picture(&graph);
    assert!(svg.starts_with("<svg ") && svg.ends_with("</svg>"));
    assert!(svg.contains("&lt;b&gt;&amp;&quot;&#39;</text>"));
    assert!(svg.contains("&lt;/svg&gt;"));
    assert!(svg.contains(">林晚</text>") && svg.contains(">师父</text>"));
    assert_eq!(svg.matches("</svg>").count(), 1);
    assert!(!svg.contains("NaN") && !svg.contains("inf"));
    assert_eq!(svg, picture(&graph.clone()));
    assert!(picture(&RelationGraph::default()).ends_with("</svg>"));
}

#[test]
fn a_relationship_with_the_same_word_both_ways_is_one_line_with_two_arrows() {
    let node = |id: &str| CharacterNode {
        id: id.into(),
        name: id.to_owned(),
        is_active: true,
        ..CharacterNode::default()
    };
    let edge = |source: &str, target: &str| RelationEdge {
        source: source.into(),
        target: target.into(),
        kind: "rival".to_owned(),
        bidirectional: true,
        ..RelationEdge::default()
    };
    let graph = RelationGraph {
        nodes: vec![node("a"), node("b")],
        edges: vec![edge("a", "b"), edge("b", "a")],
    };
    let svg = picture(&graph);
    assert_eq!(svg.matches(">rival</text>").count(), 1);
    assert_eq!(svg.matches("marker-start").count(), 1);
}
