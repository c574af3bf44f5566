//! The state of somebody or something at a chapter: what the bible says at the beginning, changed by what accepted chapters have said since
//! then. Everything here is computed from one list of changes, each with its chapter and its sentence.

#[cfg(test)]
mod tests;

use std::collections::BTreeMap;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    Character, Entry, Item, Place, Project, Relationship, Says, What,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::book::Book;
use super::taken::{TakenFact, numbers, taken};

/// Every snapshot whose number, counted from 0, is a multiple of this is a keyframe, for clients that keep only keyframes.
const KEYFRAME_EVERY: usize = 10;

/// Where a value is from.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct ValueOrigin {
    /// The chapter that says so; absent where only the bible says so.
    pub chapter_id: Option<EntryId>,
    /// The number of the chapter; 0 for what holds when the story begins.
    pub chapter_order: usize,
    /// The sentence; empty where only the bible says so.
    pub source_text: String,
    /// Characters of the chapter before the sentence.
    pub start: usize,
}

/// A value of a field of somebody or something, in words, and where it comes from.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateValue {
    /// As people read it: the name of an entry, not its id.
    pub value: String,
    /// The entry that the value names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryId>,
    #[serde(flatten)]
    pub origin: ValueOrigin,
}

/// A character, an item or a place as of the end of a chapter.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct EntityState {
    pub entity_type: &'static str,
    pub entity_id: EntryId,
    pub entity_name: String,
    /// 0 before the first chapter.
    pub chapter_order: usize,
    /// The values by the path of the field: `status`, `location`, `appearance.eyes`, `items.<id>`.
    pub values: BTreeMap<String, StateValue>,
}

impl EntityState {
    /// The value of a field in words.
    pub fn value(&self, path: &str) -> Option<&str> {
        self.values.get(path).map(|it| it.value.as_str())
    }

    /// Whether somebody can act: alive, not away, and not out of the story.
    pub fn is_active(&self) -> bool {
        let status = self.value("status").unwrap_or_default();
        !matches!(status, DEAD | "inactive") && !self.values.contains_key("absence")
    }
}

/// The status of who has died.
pub(crate) const DEAD: &str = "dead";

/// A change of one field.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateChange {
    pub entity_id: EntryId,
    pub field_path: String,
    /// The value before; absent where nothing was known.
    pub old_value: Option<String>,
    /// The value after; absent where the value ends.
    pub new_value: Option<String>,
    /// The entry that the new value names.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub entry: Option<EntryId>,
    #[serde(flatten)]
    pub origin: ValueOrigin,
}

/// How important the changes in a chapter are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "SCREAMING_SNAKE_CASE")]
pub enum ChangeExtent {
    Initial,
    Update,
    /// Somebody dies.
    MajorChange,
}

/// The state of somebody or something at the end of a chapter that changes it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct StateSnapshot {
    pub chapter_id: Option<EntryId>,
    pub chapter_order: usize,
    pub is_keyframe: bool,
    pub change_type: ChangeExtent,
    /// The fields that changed, in a line.
    pub change_summary: String,
    pub state_data: BTreeMap<String, StateValue>,
}

/// The states of everybody and everything at any chapter. Building it reads the whole project once; queries are cheap.
#[derive(Clone, Debug, Default)]
pub struct Evolution {
    entities: BTreeMap<EntryId, (&'static str, String)>,
    changes: BTreeMap<EntryId, Vec<StateChange>>,
    chapters: usize,
}

impl Evolution {
    pub fn of(book: &Book) -> Self {
        let project = book.project();
        let mut fold = Fold::new(project);
        let mut steps = fold.steps();
        // What the bible says of a chapter holds from the beginning of the chapter, a fact from its sentence on.
        steps.sort_by_key(|step| step.key());
        for step in steps {
            fold.take(step);
        }
        Self {
            entities: fold.entities,
            changes: fold.changes,
            chapters: fold.chapters.len(),
        }
    }

    /// The state as of the end of a chapter, 0 for the beginning of the story. `None` where the entity is not a fact of the project, or has
    /// no state: only characters, items and places have one.
    pub fn state(&self, entity: &EntryId, chapter: usize) -> Option<EntityState> {
        let (entity_type, entity_name) = self.entities.get(entity)?;
        let mut values = BTreeMap::new();
        let changes = self.changes(entity).iter();
        for change in changes.take_while(|change| change.origin.chapter_order <= chapter) {
            apply(&mut values, change);
        }
        Some(EntityState {
            entity_type,
            entity_id: entity.clone(),
            entity_name: entity_name.clone(),
            chapter_order: chapter,
            values,
        })
    }

    /// The states of all entities of a type as of the end of a chapter, by name; of every type where none is named.
    pub fn states(&self, entity_type: Option<&str>, chapter: usize) -> Vec<EntityState> {
        let is_asked = |kind: &str| entity_type.is_none_or(|asked| asked == kind);
        let asked = self.entities.iter().filter(|(_, (kind, _))| is_asked(kind));
        let mut found: Vec<EntityState> = asked
            .filter_map(|(entity, _)| self.state(entity, chapter))
            .collect();
        found.sort_by(|one, other| one.entity_name.cmp(&other.entity_name));
        found
    }

    /// The state as of the last chapter.
    pub fn latest(&self, entity: &EntryId) -> Option<EntityState> {
        self.state(entity, self.chapters)
    }

    /// What is different at the end of one chapter from the end of another, by the path of the field. The origin of a change is that
    /// of the new value; where a field ends, that of the old one.
    pub fn compare(&self, entity: &EntryId, from: usize, to: usize) -> Option<Vec<StateChange>> {
        let (before, after) = (self.state(entity, from)?, self.state(entity, to)?);
        let mut paths: Vec<&String> = before.values.keys().chain(after.values.keys()).collect();
        paths.sort();
        paths.dedup();
        let mut found = vec![];
        for path in paths {
            let (old, new) = (before.values.get(path), after.values.get(path));
            let words = |value: Option<&StateValue>| value.map(|it| it.value.clone());
            if words(old) != words(new)
                && let Some(shown) = new.or(old)
            {
                found.push(StateChange {
                    entity_id: entity.clone(),
                    field_path: path.clone(),
                    old_value: words(old),
                    new_value: words(new),
                    entry: new.and_then(|it| it.entry.clone()),
                    origin: shown.origin.clone(),
                });
            }
        }
        Some(found)
    }

    /// Every change of an entity from one chapter to another, both included, or only those of one field and of the fields below it.
    pub fn track(
        &self,
        entity: &EntryId,
        field_path: Option<&str>,
        from: usize,
        to: usize,
    ) -> Vec<&StateChange> {
        let is_asked = |path: &str| {
            field_path.is_none_or(|asked| {
                let below = path.strip_prefix(asked);
                below.is_some_and(|rest| rest.is_empty() || rest.starts_with('.'))
            })
        };
        let changes = self.changes(entity).iter().filter(|change| {
            let number = change.origin.chapter_order;
            from <= number && number <= to && is_asked(&change.field_path)
        });
        changes.collect()
    }

    /// A snapshot for each chapter that changes something, the beginning of the story first.
    pub fn snapshots(&self, entity: &EntryId) -> Vec<StateSnapshot> {
        let mut values = BTreeMap::new();
        let mut found: Vec<StateSnapshot> = vec![];
        let same = |one: &StateChange, other: &StateChange| {
            one.origin.chapter_order == other.origin.chapter_order
        };
        for changes in self.changes(entity).chunk_by(same) {
            for change in changes {
                apply(&mut values, change);
            }
            let dies = changes.iter().any(|change| {
                change.field_path == "status" && change.new_value.as_deref() == Some(DEAD)
            });
            let change_type = match (found.is_empty(), dies) {
                (true, _) => ChangeExtent::Initial,
                (false, true) => ChangeExtent::MajorChange,
                (false, false) => ChangeExtent::Update,
            };
            let mut paths: Vec<&str> = changes.iter().map(|it| it.field_path.as_str()).collect();
            paths.sort_unstable();
            paths.dedup();
            found.push(StateSnapshot {
                // A change that the bible makes at the beginning has no chapter.
                chapter_id: changes.iter().find_map(|it| it.origin.chapter_id.clone()),
                chapter_order: changes[0].origin.chapter_order,
                is_keyframe: found.len().is_multiple_of(KEYFRAME_EVERY),
                change_type,
                change_summary: paths.join(", "),
                state_data: values.clone(),
            });
        }
        found
    }

    fn changes(&self, entity: &EntryId) -> &[StateChange] {
        self.changes.get(entity).map_or(&[], Vec::as_slice)
    }
}

fn apply(values: &mut BTreeMap<String, StateValue>, change: &StateChange) {
    match &change.new_value {
        Some(value) => {
            let value = StateValue {
                value: value.clone(),
                entry: change.entry.clone(),
                origin: change.origin.clone(),
            };
            values.insert(change.field_path.clone(), value);
        }
        None => {
            values.remove(&change.field_path);
        }
    }
}

/// A step that may change states, before the old values are known.
struct Step<'a> {
    origin: ValueOrigin,
    /// Whether it is a fact of a chapter; steps of the bible come before the facts of the same chapter.
    is_fact: bool,
    /// Distinguishes steps at the same place.
    id: &'a str,
    does: Does<'a>,
}

impl<'a> Step<'a> {
    /// The key for sorting: in the same chapter, what ends comes before what begins, so that one absence can follow another.
    fn key(&self) -> (usize, bool, usize, bool, &'a str) {
        let ends = matches!(self.does, Does::End(..));
        let origin = &self.origin;
        (
            origin.chapter_order,
            self.is_fact,
            origin.start,
            !ends,
            self.id,
        )
    }
}

enum Does<'a> {
    Set(&'a EntryId, String, String),
    End(&'a EntryId, String),
    Says(&'a Says),
    Owner(&'a EntryId, &'a EntryId),
    Lies(&'a EntryId, &'a EntryId),
    Dies(&'a EntryId),
}

struct Fold<'a> {
    project: &'a Project,
    /// The chapters in reading order.
    chapters: Vec<&'a EntryId>,
    numbers: BTreeMap<&'a EntryId, usize>,
    entities: BTreeMap<EntryId, (&'static str, String)>,
    changes: BTreeMap<EntryId, Vec<StateChange>>,
    /// The present values, each with the entry that it names.
    now: BTreeMap<(&'a EntryId, String), (String, Option<&'a EntryId>)>,
}

impl<'a> Fold<'a> {
    fn new(project: &'a Project) -> Self {
        let facts = project.entries.values().map(|kept| &kept.entry);
        let entities = facts.filter(|entry| entry.standing.is_fact() && has_state(entry));
        let entities = entities.map(|entry| {
            let named = (entry.what.kind(), entry.what.name().to_owned());
            (entry.id.clone(), named)
        });
        Self {
            project,
            chapters: project.chapters().into_iter().map(|it| it.0).collect(),
            numbers: numbers(project),
            entities: entities.collect(),
            changes: BTreeMap::new(),
            now: BTreeMap::new(),
        }
    }

    fn steps(&self) -> Vec<Step<'a>> {
        let mut steps = vec![];
        for kept in self.project.entries.values() {
            let entry = &kept.entry;
            if !entry.standing.is_fact() {
                continue;
            }
            match &entry.what {
                What::Character(it) => self.of_character(&entry.id, it, &mut steps),
                What::Item(it) => of_item(&entry.id, it, &mut steps),
                What::Place(it) => of_place(&entry.id, it, &mut steps),
                What::Relationship(it) => self.of_relationship(&entry.id, it, &mut steps),
                What::Volume(_)
                | What::Chapter(_)
                | What::World(_)
                | What::PlotLoop(_)
                | What::Archetype(_)
                | What::StyleSample(_) => {}
            }
        }
        steps.extend(taken(self.project).into_iter().map(said));
        steps
    }

    fn of_character(&self, id: &'a EntryId, it: &'a Character, steps: &mut Vec<Step<'a>>) {
        let status = if it.status.is_empty() || it.status == DEAD && it.death.is_some() {
            "active"
        } else {
            it.status.as_str()
        };
        let mut begins = |path: String, value: String| {
            steps.push(at_beginning(id, Does::Set(id, path, value)));
        };
        begins("status".to_owned(), status.to_owned());
        for (feature, value) in &it.appearance {
            begins(format!("appearance.{feature}"), value.clone());
        }
        if let Some(age) = &it.age
            && age.chapter.is_none()
        {
            begins("age".to_owned(), age.years.to_string());
        }
        if let Some(age) = &it.age
            && let Some(chapter) = &age.chapter
        {
            let does = Does::Set(id, "age".to_owned(), age.years.to_string());
            steps.extend(self.at(chapter, id, does));
        }
        for absence in &it.absences {
            let reason = match absence.reason.as_str() {
                "" => "away",
                reason => reason,
            };
            let path = || "absence".to_owned();
            let does = Does::Set(id, path(), reason.to_owned());
            steps.extend(self.at(&absence.from, id, does));
            if let Some(until) = &absence.until
                && let Some(last) = self.numbers.get(until)
            {
                steps.extend(self.after(*last, id, Does::End(id, path())));
            }
        }
        if let Some(death) = &it.death
            && let Some(step) = self.at(&death.chapter, id, Does::Dies(id))
        {
            let origin = ValueOrigin {
                source_text: death.sentence.clone(),
                ..step.origin
            };
            steps.push(Step { origin, ..step });
        }
    }

    fn of_relationship(&self, id: &'a EntryId, it: &'a Relationship, steps: &mut Vec<Step<'a>>) {
        let mut ends = vec![(&it.source, &it.target, it.kind.clone())];
        if it.bidirectional || it.reverse.is_some() {
            let back = it.reverse.clone().unwrap_or_else(|| it.kind.clone());
            ends.push((&it.target, &it.source, back));
        }
        for (whose, other, kind) in ends {
            let path = format!("relationships.{other}");
            let does = Does::Set(whose, path.clone(), kind);
            match &it.since {
                Some(since) => steps.extend(self.at(since, id, does)),
                None => steps.push(at_beginning(id, does)),
            }
            if let Some(until) = &it.until
                && let Some(last) = self.numbers.get(until)
            {
                steps.extend(self.after(*last, id, Does::End(whose, path)));
            }
        }
    }

    /// Something that holds from the beginning of a chapter. `None` for a chapter that no longer exists.
    fn at(&self, chapter: &EntryId, id: &'a EntryId, does: Does<'a>) -> Option<Step<'a>> {
        let number = *self.numbers.get(chapter)?;
        Some(Step {
            origin: ValueOrigin {
                chapter_id: Some(chapter.clone()),
                chapter_order: number,
                ..ValueOrigin::default()
            },
            is_fact: false,
            id: id.as_str(),
            does,
        })
    }

    /// Something that holds from the chapter after this one, if there is one.
    fn after(&self, last: usize, id: &'a EntryId, does: Does<'a>) -> Option<Step<'a>> {
        // Numbers count from 1, so that the number of a chapter is the place of the next one.
        let next = self.chapters.get(last);
        next.and_then(|chapter| self.at(chapter, id, does))
    }

    fn take(&mut self, step: Step<'a>) {
        let origin = &step.origin;
        match step.does {
            Does::Set(whose, path, value) => {
                let other = path.strip_prefix("relationships.").map(EntryId::from);
                let other = other.and_then(|id| self.project.entries.get_key_value(&id));
                self.set(whose, path, Some((value, other.map(|(id, _)| id))), origin);
            }
            Does::End(whose, path) => self.set(whose, path, None, origin),
            Does::Owner(item, owner) => self.owned(item, owner, origin),
            Does::Lies(item, place) => self.lies(item, place, origin),
            Does::Dies(character) => self.dies(character, origin),
            Does::Says(says) => self.says(says, origin),
        }
    }

    fn says(&mut self, says: &'a Says, origin: &ValueOrigin) {
        let mut plain = |whose, path: String, value: String| {
            self.set(whose, path, Some((value, None)), origin);
        };
        match says {
            Says::Appearance {
                character,
                feature,
                value,
            } => plain(character, format!("appearance.{feature}"), value.clone()),
            Says::Age { character, years } => plain(character, "age".to_owned(), years.to_string()),
            Says::Happens { what, who } => {
                for one in who {
                    plain(one, "recentEvent".to_owned(), what.clone());
                }
            }
            Says::Death { character } => self.dies(character, origin),
            Says::Presence { character, place } => self.moves(character, place, origin),
            Says::Possession { item, owner } => self.owned(item, owner, origin),
            Says::Lies { item, place } => self.lies(item, place, origin),
            Says::Relation {
                source,
                target,
                relation,
            } => {
                let path = format!("relationships.{target}");
                self.set(source, path, Some((relation.clone(), Some(target))), origin);
            }
            // A new character or place has no entry yet, and a plot loop has no state except its own fields.
            Says::NewCharacter { .. } | Says::NewPlace { .. } | Says::Touches { .. } => {}
        }
    }

    fn dies(&mut self, who: &'a EntryId, origin: &ValueOrigin) {
        self.set(
            who,
            "status".to_owned(),
            Some((DEAD.to_owned(), None)),
            origin,
        );
    }

    fn moves(&mut self, who: &'a EntryId, place: &'a EntryId, origin: &ValueOrigin) {
        if !self.entities.contains_key(who) {
            return;
        }
        if let Some(before) = self.names(who, "location") {
            self.set(before, format!("characters.{who}"), None, origin);
        }
        self.name(who, "location".to_owned(), place, origin);
        self.name(place, format!("characters.{who}"), who, origin);
    }

    fn owned(&mut self, item: &'a EntryId, owner: &'a EntryId, origin: &ValueOrigin) {
        if !self.entities.contains_key(item) {
            return;
        }
        self.leaves(item, origin);
        self.name(item, "owner".to_owned(), owner, origin);
        self.name(owner, format!("items.{item}"), item, origin);
    }

    fn lies(&mut self, item: &'a EntryId, place: &'a EntryId, origin: &ValueOrigin) {
        if !self.entities.contains_key(item) {
            return;
        }
        self.leaves(item, origin);
        self.name(item, "location".to_owned(), place, origin);
        self.name(place, format!("items.{item}"), item, origin);
    }

    /// Ends the ownership and the place of a thing.
    fn leaves(&mut self, item: &'a EntryId, origin: &ValueOrigin) {
        for path in ["owner", "location"] {
            if let Some(before) = self.names(item, path) {
                self.set(before, format!("items.{item}"), None, origin);
                self.set(item, path.to_owned(), None, origin);
            }
        }
    }

    /// The entry that a value names now.
    fn names(&self, whose: &'a EntryId, path: &str) -> Option<&'a EntryId> {
        let now = self.now.get(&(whose, path.to_owned()))?;
        now.1
    }

    /// Sets a field to the name of an entry, or to its id where the project does not have it.
    fn name(&mut self, whose: &'a EntryId, path: String, named: &'a EntryId, origin: &ValueOrigin) {
        let entry = self.project.entry(named);
        let name = entry.map_or(named.as_str(), |entry| entry.what.name());
        self.set(whose, path, Some((name.to_owned(), Some(named))), origin);
    }

    fn set(
        &mut self,
        whose: &'a EntryId,
        path: String,
        value: Option<(String, Option<&'a EntryId>)>,
        origin: &ValueOrigin,
    ) {
        let at = (whose, path);
        let old = self.now.get(&at).cloned();
        if old == value || !self.entities.contains_key(whose) {
            return;
        }
        let change = StateChange {
            entity_id: whose.clone(),
            field_path: at.1.clone(),
            old_value: old.map(|(value, _)| value),
            new_value: value.as_ref().map(|(value, _)| value.clone()),
            entry: value.as_ref().and_then(|(_, entry)| entry.cloned()),
            origin: origin.clone(),
        };
        self.changes.entry(whose.clone()).or_default().push(change);
        match value {
            Some(value) => {
                self.now.insert(at, value);
            }
            None => {
                self.now.remove(&at);
            }
        }
    }
}

fn has_state(entry: &Entry) -> bool {
    matches!(
        entry.what,
        What::Character(_) | What::Item(_) | What::Place(_)
    )
}

fn at_beginning<'a>(id: &'a EntryId, does: Does<'a>) -> Step<'a> {
    Step {
        origin: ValueOrigin::default(),
        is_fact: false,
        id: id.as_str(),
        does,
    }
}

fn of_item<'a>(id: &'a EntryId, it: &'a Item, steps: &mut Vec<Step<'a>>) {
    // The owner of a thing carries it, so the owner counts where both an owner and a place are given.
    match (&it.owner, &it.place) {
        (Some(owner), _) => steps.push(at_beginning(id, Does::Owner(id, owner))),
        (None, Some(place)) => steps.push(at_beginning(id, Does::Lies(id, place))),
        (None, None) => {}
    }
}

fn of_place<'a>(id: &'a EntryId, it: &'a Place, steps: &mut Vec<Step<'a>>) {
    if !it.description.is_empty() {
        let does = Does::Set(id, "description".to_owned(), it.description.clone());
        steps.push(at_beginning(id, does));
    }
}

fn said(taken: TakenFact<'_>) -> Step<'_> {
    Step {
        origin: ValueOrigin {
            chapter_id: Some(taken.chapter.clone()),
            chapter_order: taken.number,
            source_text: taken.fact.quote.text.clone(),
            start: taken.fact.quote.start,
        },
        is_fact: true,
        id: &taken.fact.id,
        does: Does::Says(&taken.fact.says),
    }
}
