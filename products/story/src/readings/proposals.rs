//! Makes proposed entries of the bible from what agents plan. Names are looked up in the bible; what exists already is not proposed again.

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::{EntryId, Sha256};
use palimpsest::prelude::resource::project::{
    Chapter, Character, Entry, LoopStatus, PlotLoop, Relationship, Standing, Volume, What,
    WorldEntry, WorldRule,
};
use serde_json::Value;

use super::book::Book;
use super::routing::Agent;

/// Hexadecimal digits of an id.
const ID_DIGITS: usize = 16;

/// The result of a plan.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Proposals {
    pub entries: Vec<Entry>,
    /// The parts of the plan that do not enter the bible, and why, in the language of the book.
    pub remarks: Vec<String>,
}

/// The entries that a plan of this agent proposes. `seed` differs between plans, and is the same for a repetition.
pub(crate) fn proposals(book: &Book, agent: Agent, data: &Value, seed: &str) -> Proposals {
    let mut desk = Desk::new(book, seed);
    match agent {
        Agent::WorldBuilder => desk.world(data),
        Agent::Character => desk.characters(data),
        Agent::Planner => desk.outline(data),
        Agent::Writer
        | Agent::Consistency
        | Agent::Brainstorm
        | Agent::Chat
        | Agent::NameGenerator
        | Agent::Summary
        | Agent::Extraction => {}
    }
    desk.made
}

struct Desk<'a> {
    book: &'a Book,
    seed: &'a str,
    /// Ids by kind and name, aliases included.
    known: BTreeMap<(&'static str, String), EntryId>,
    made: Proposals,
}

fn all(value: &Value) -> impl Iterator<Item = &Value> {
    value.as_array().into_iter().flatten()
}

fn text(value: &Value, field: &str) -> String {
    value[field].as_str().unwrap_or_default().trim().to_owned()
}

fn texts(value: &Value) -> Vec<String> {
    let texts = all(value).filter_map(Value::as_str);
    let texts = texts.map(|text| text.trim().to_owned());
    texts.filter(|text| !text.is_empty()).collect()
}

/// The form in which names are compared.
fn folded(name: &str) -> String {
    name.trim().to_lowercase()
}

impl<'a> Desk<'a> {
    fn new(book: &'a Book, seed: &'a str) -> Self {
        let mut known = BTreeMap::new();
        for (id, kept) in &book.project().entries {
            let what = &kept.entry.what;
            let aliases = what.aliases().iter().map(String::as_str);
            for name in std::iter::once(what.name()).chain(aliases) {
                known.insert((what.kind(), folded(name)), id.clone());
            }
        }
        Self {
            book,
            seed,
            known,
            made: Proposals::default(),
        }
    }

    fn find(&self, kind: &'static str, name: &str) -> Option<EntryId> {
        self.known.get(&(kind, folded(name))).cloned()
    }

    fn remark(&mut self, zh: String, en: String) {
        let remark = if self.book.is_chinese() { zh } else { en };
        self.made.remarks.push(remark);
    }

    /// Proposes an entry, unless there is one with the same kind and name.
    fn propose(&mut self, what: What) -> Option<EntryId> {
        let (kind, name) = (what.kind(), what.name().to_owned());
        if name.is_empty() {
            self.remark(
                format!("一项{kind}没有名称，未记入"),
                format!("a {kind} without a name was left out"),
            );
            return None;
        }
        if let Some(id) = self.find(kind, &name) {
            self.remark(
                format!("「{name}」已存在，未改动"),
                format!("there is a {kind} `{name}` already; it was not changed"),
            );
            return Some(id);
        }
        Some(self.add(&name, what))
    }

    fn add(&mut self, name: &str, what: What) -> EntryId {
        let kind = what.kind();
        let parts = [self.seed.as_bytes(), kind.as_bytes(), name.as_bytes()];
        let hash = Sha256::of_parts(parts);
        let id = EntryId::new(format!("{kind}_{}", &hash.hex()[..ID_DIGITS]));
        self.known.insert((kind, folded(name)), id.clone());
        self.made.entries.push(Entry {
            id: id.clone(),
            standing: Standing::Proposed,
            pinned: false,
            what,
        });
        id
    }

    fn world(&mut self, data: &Value) {
        for entry in all(&data["entries"]) {
            let rules = texts(&entry["rules"]);
            let connections = texts(&entry["connections"]);
            let mut content = text(entry, "description");
            for connection in &connections {
                content.push_str(&format!("\n- {connection}"));
            }
            let rules = rules.into_iter().map(|says| WorldRule {
                says,
                ..WorldRule::default()
            });
            self.propose(What::World(WorldEntry {
                title: text(entry, "name"),
                kind: text(entry, "type"),
                content,
                rules: rules.collect(),
                ..WorldEntry::default()
            }));
        }
    }

    fn characters(&mut self, data: &Value) {
        for character in all(&data["characters"]) {
            let archetype = text(character, "archetype");
            self.propose(What::Character(Character {
                name: text(character, "name"),
                role: text(character, "role"),
                personality: texts(&character["personality"]),
                background: text(character, "background"),
                motivation: text(character, "motivation"),
                archetype: (!archetype.is_empty()).then_some(archetype),
                ..Character::default()
            }));
        }
        for relationship in all(&data["relationships"]) {
            self.relationship(relationship);
        }
    }

    fn relationship(&mut self, data: &Value) {
        let (from, to, kind) = (text(data, "from"), text(data, "to"), text(data, "type"));
        let ends = (self.find("character", &from), self.find("character", &to));
        let (Some(source), Some(target)) = ends else {
            self.remark(
                format!("关系「{from} → {to}」的一方不存在，未记入"),
                format!("the relationship {from} → {to} was left out: one of them is not there"),
            );
            return;
        };
        let is_there = self.book.relationships().any(|(_, known)| {
            known.source == source && known.target == target && known.kind == kind
        });
        if is_there {
            return;
        }
        let name = format!("{source} {target} {kind}");
        let relationship = Relationship {
            source,
            target,
            kind,
            description: text(data, "description"),
            ..Relationship::default()
        };
        self.add(&name, What::Relationship(relationship));
    }

    fn outline(&mut self, data: &Value) {
        let volumes = self.book.project().entries.values();
        let volumes = volumes.filter_map(|kept| kept.entry.what.as_volume());
        let last = volumes.map(|volume| volume.order).max().unwrap_or(0);
        for (volume, order) in all(&data["volumes"]).zip(last + 1..) {
            self.propose(What::Volume(Volume {
                title: text(volume, "title"),
                summary: text(volume, "summary"),
                order,
            }));
        }
        let chapters = self.book.project().chapters();
        let last = chapters.iter().map(|(_, it)| it.order).max().unwrap_or(0);
        for (chapter, order) in all(&data["chapters"]).zip(last + 1..) {
            let volume = text(chapter, "volume");
            let volume = self.find("volume", &volume);
            self.propose(What::Chapter(Chapter {
                title: text(chapter, "title"),
                summary: text(chapter, "summary"),
                key_events: texts(&chapter["keyEvents"]),
                volume,
                order,
                ..Chapter::default()
            }));
        }
        for plot_loop in all(&data["plotLoops"]) {
            let chapter = |field: &str| self.find("chapter", &text(plot_loop, field));
            let (intro, due) = (chapter("plantChapter"), chapter("harvestChapter"));
            self.propose(What::PlotLoop(PlotLoop {
                title: text(plot_loop, "title"),
                description: text(plot_loop, "description"),
                status: LoopStatus::Open,
                intro,
                due,
                ..PlotLoop::default()
            }));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;
    use std::sync::Arc;

    use chrono::DateTime;
    use palimpsest::prelude::resource::project::{Kept, Project};
    use serde_json::json;

    use super::*;

    fn book(entries: Vec<(&str, What)>) -> Book {
        let mut project = Project::default();
        for (id, what) in entries {
            let entry = Entry {
                id: id.into(),
                standing: Standing::Fact,
                pinned: false,
                what,
            };
            let kept = Kept {
                entry,
                version: 1,
                created: DateTime::UNIX_EPOCH,
                changed: DateTime::UNIX_EPOCH,
            };
            project.entries.insert(id.into(), kept);
        }
        Book::new(Arc::new(project), BTreeMap::new())
    }

    fn named(name: &str, alias: &str) -> What {
        What::Character(Character {
            name: name.into(),
            aliases: vec![alias.into()],
            ..Character::default()
        })
    }

    #[test]
    fn what_is_there_is_not_proposed_again_and_ends_of_relationships_are_found_by_alias() {
        let book = book(vec![("lin", named("Lin Wan", "Xiao Lin"))]);
        let data = json!({
            "characters": [{ "name": "lin wan", "role": "minor" }, { "name": "Zhou", "role": "antagonist" }],
            "relationships": [
                { "from": "Zhou", "to": "Xiao Lin", "type": "rival" },
                { "from": "Zhou", "to": "Nobody", "type": "friend" },
            ],
        });
        let made = proposals(&book, Agent::Character, &data, "r1");
        let kinds: Vec<_> = made.entries.iter().map(|it| it.what.kind()).collect();
        assert_eq!(kinds, ["character", "relationship"]);
        assert!(made.entries.iter().all(|it| !it.standing.is_fact()));
        let relationship = made.entries[1].what.as_relationship().unwrap();
        assert_eq!(relationship.target, "lin".into());
        assert_eq!(relationship.source, made.entries[0].id);
        assert_eq!(made.remarks.len(), 2, "{:?}", made.remarks);
        assert_eq!(proposals(&book, Agent::Character, &data, "r1"), made);
    }

    #[test]
    fn an_outline_goes_on_where_the_chapters_end() {
        let chapter = What::Chapter(Chapter {
            title: "Fog".into(),
            order: 4,
            ..Chapter::default()
        });
        let book = book(vec![("c4", chapter)]);
        let data = json!({
            "chapters": [{ "title": "Fog", "summary": "" }, { "title": "Light", "summary": "It burns." }],
            "plotLoops": [{ "title": "The key", "plantChapter": "fog", "harvestChapter": "Light" }],
        });
        let made = proposals(&book, Agent::Planner, &data, "r1");
        let light = made.entries[0].what.as_chapter().unwrap();
        assert_eq!((light.title.as_str(), light.order), ("Light", 6));
        let key = made.entries[1].what.as_plot_loop().unwrap();
        assert_eq!(key.intro, Some("c4".into()));
        assert_eq!(key.due.as_ref(), Some(&made.entries[0].id));
    }
}
