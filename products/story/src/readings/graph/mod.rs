//! Who is what to whom, at a chapter or in the whole story, as data and as a picture.

mod picture;
#[cfg(test)]
mod tests;

use std::collections::{BTreeMap, BTreeSet};

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{Character, Relationship, Says};
use schemars::JsonSchema;
use serde::Serialize;

use super::book::Book;
use super::state::Evolution;
use super::taken::{numbers, taken};
pub(crate) use picture::picture;

/// The characters and what they are to each other.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
pub struct RelationGraph {
    pub nodes: Vec<CharacterNode>,
    pub edges: Vec<RelationEdge>,
}

/// A character in the graph.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct CharacterNode {
    pub id: EntryId,
    pub name: String,
    pub role: String,
    pub status: String,
    pub archetype: Option<String>,
    /// Alive, not away, and not out of the story.
    pub is_active: bool,
}

/// What one character is to another. A relationship that goes both ways has a second edge in the other direction.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RelationEdge {
    pub source: EntryId,
    pub target: EntryId,
    /// What the source is to the target.
    #[serde(rename = "type")]
    pub kind: String,
    pub description: String,
    /// From 1 to 10.
    pub strength: Option<u8>,
    /// Whether there is an edge in the other direction for the same relationship.
    pub bidirectional: bool,
    /// The number of the first chapter in which it holds, where one is known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub since: Option<usize>,
    /// The number of the last chapter in which it holds.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub until: Option<usize>,
    /// The sentence that says so; empty where only the bible says so.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub source_text: String,
}

/// The graph as of the end of a chapter; where no chapter is given, of the whole story, including relationships that have ended or come
/// later. Relationships between others than characters of the story are left out, as is everything that is only proposed.
pub fn graph(book: &Book, chapter: Option<usize>) -> RelationGraph {
    let evolution = Evolution::of(book);
    let mut nodes = vec![];
    for (entry, character) in book.characters() {
        if entry.standing.is_fact() {
            nodes.push(node(&entry.id, character, &evolution, chapter));
        }
    }
    let known: BTreeSet<EntryId> = nodes.iter().map(|node| node.id.clone()).collect();
    let mut edges = of_bible(book);
    add_facts(book, &mut edges);
    edges.retain(|edge| {
        let holds = chapter.is_none_or(|at| {
            edge.since.is_none_or(|since| since <= at) && edge.until.is_none_or(|until| at <= until)
        });
        holds && known.contains(&edge.source) && known.contains(&edge.target)
    });
    edges.sort_by_cached_key(|edge| (said(edge), edge.since));
    RelationGraph { nodes, edges }
}

fn node(
    id: &EntryId,
    character: &Character,
    evolution: &Evolution,
    chapter: Option<usize>,
) -> CharacterNode {
    let state = match chapter {
        Some(chapter) => evolution.state(id, chapter),
        None => evolution.latest(id),
    };
    let status = state.as_ref().and_then(|state| state.value("status"));
    CharacterNode {
        id: id.clone(),
        name: character.name.clone(),
        role: character.role.clone(),
        status: status.unwrap_or(&character.status).to_owned(),
        archetype: character.archetype.clone(),
        is_active: state.is_some_and(|state| state.is_active()),
    }
}

fn of_bible(book: &Book) -> Vec<RelationEdge> {
    let numbers = numbers(book.project());
    let mut edges: Vec<RelationEdge> = vec![];
    let mut backward = vec![];
    for (entry, it) in book.relationships() {
        if !entry.standing.is_fact() {
            continue;
        }
        let number = |id: &Option<EntryId>| id.as_ref().and_then(|id| numbers.get(id).copied());
        let edge = RelationEdge {
            source: it.source.clone(),
            target: it.target.clone(),
            kind: it.kind.clone(),
            description: it.description.clone(),
            strength: it.strength,
            bidirectional: goes_back(it),
            since: number(&it.since),
            until: number(&it.until),
            source_text: String::new(),
        };
        if goes_back(it) {
            backward.push(RelationEdge {
                source: it.target.clone(),
                target: it.source.clone(),
                kind: it.reverse.clone().unwrap_or_else(|| it.kind.clone()),
                ..edge.clone()
            });
        }
        edges.push(edge);
    }
    // Where both directions are entries of their own, each has its edge already.
    let mut known: BTreeSet<Said> = edges.iter().map(said).collect();
    backward.retain(|edge| known.insert(said(edge)));
    edges.extend(backward);
    edges
}

fn goes_back(relationship: &Relationship) -> bool {
    relationship.bidirectional || relationship.reverse.is_some()
}

/// Adds what accepted chapters say: it gives an edge the sentence that proves it, or becomes an edge of its own.
fn add_facts(book: &Book, edges: &mut Vec<RelationEdge>) {
    let mut known: BTreeMap<Said, Vec<usize>> = BTreeMap::new();
    for (at, edge) in edges.iter().enumerate() {
        known.entry(said(edge)).or_default().push(at);
    }
    for taken in taken(book.project()) {
        let Says::Relation {
            source,
            target,
            relation,
        } = &taken.fact.says
        else {
            continue;
        };
        let found = RelationEdge {
            source: source.clone(),
            target: target.clone(),
            kind: relation.clone(),
            since: Some(taken.number),
            source_text: taken.fact.quote.text.clone(),
            ..RelationEdge::default()
        };
        let places = known.entry(said(&found)).or_default();
        for at in &*places {
            let edge = &mut edges[*at];
            if edge.source_text.is_empty() {
                edge.source_text.clone_from(&found.source_text);
            }
        }
        if places.is_empty() {
            places.push(edges.len());
            edges.push(found);
        }
    }
}

/// What an edge says: who is what to whom.
type Said = (EntryId, EntryId, String);

fn said(edge: &RelationEdge) -> Said {
    (edge.source.clone(), edge.target.clone(), edge.kind.clone())
}
