//! Books for the tests of everything that is computed from a book, events of any sort, and the laws that apply to all of it.

use std::collections::BTreeMap;
use std::sync::Arc;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::event::{
    EntriesPut, EntriesRemoved, Event, FactsFound, FactsJudged, FindingsSettled, ProjectDescribed,
    VersionAccepted, VersionRemoved, VersionSaved,
};
use palimpsest::prelude::pipeline::{BlobRef, EntryId};
use palimpsest::prelude::resource::project::{
    Absence, Age, Archetype, Chapter, Character, Death, Description, Entry, Fact, Item, LoopStatus,
    Place, PlotLoop, Project, Quote, Relationship, Says, Settled, Standing, StyleSample, Trigger,
    Volume, What, WorldEntry, WorldRule,
};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;
use proptest::sample::select;

use super::book::{Book, ProseText};
use super::context::{ContextRequest, StoryBlock, context};
use super::graph::{graph, picture};
use super::loops::{line, loops};
use super::progress::progress;
use super::prose::word_count;
use super::search::{StoryFilter, StoryIndex};
use super::state::Evolution;
use super::timeline::timeline;

pub(super) fn chapter_id(number: usize) -> EntryId {
    EntryId::new(format!("c{number}"))
}

/// A project that grows event by event, with the texts of its prose.
#[derive(Clone, Debug, Default)]
pub(super) struct Bible {
    pub(super) project: Project,
    pub(super) texts: BTreeMap<(EntryId, u32), Arc<str>>,
}

impl Bible {
    /// An unfinished Chinese novel, whose chapters have only titles.
    pub(super) fn with_chapters(many: usize) -> Self {
        let description = Description {
            title: "雾港".to_owned(),
            language: "zh".to_owned(),
            phase: "WRITING".to_owned(),
            ..Description::default()
        };
        let mut bible = Self::default();
        bible.then(ProjectDescribed {
            description: Box::new(description),
            why: String::new(),
            at: DateTime::UNIX_EPOCH,
        });
        for number in 1..=many {
            let chapter = Chapter {
                title: format!("第{number}章"),
                order: u32::try_from(number).unwrap(),
                ..Chapter::default()
            };
            bible = bible.put(chapter_id(number).as_str(), What::Chapter(chapter));
        }
        bible
    }

    pub(super) fn then(&mut self, event: impl Into<Event>) {
        self.project.evolve(&event.into());
    }

    pub(super) fn put(self, id: &str, what: What) -> Self {
        self.entry(Entry {
            id: id.into(),
            standing: Standing::Fact,
            pinned: false,
            what,
        })
    }

    pub(super) fn propose(self, id: &str, what: What) -> Self {
        self.entry(Entry {
            id: id.into(),
            standing: Standing::Proposed,
            pinned: false,
            what,
        })
    }

    pub(super) fn entry(mut self, entry: Entry) -> Self {
        self.then(EntriesPut {
            entries: vec![entry],
            why: String::new(),
            at: DateTime::UNIX_EPOCH,
        });
        self
    }

    pub(super) fn draft(mut self, number: usize, text: &str) -> Self {
        let chapter = chapter_id(number);
        let saved = self.project.prose.get(&chapter).map_or(0, |it| it.saved);
        self.texts.insert((chapter.clone(), saved + 1), text.into());
        self.then(VersionSaved {
            chapter,
            version: saved + 1,
            text: BlobRef::of(text.as_bytes()),
            words: word_count(text),
            trigger: Trigger::Manual,
            description: String::new(),
            at: DateTime::UNIX_EPOCH,
        });
        self
    }

    pub(super) fn accepted(self, number: usize, text: &str) -> Self {
        let mut bible = self.draft(number, text);
        let version = bible.project.prose[&chapter_id(number)].saved;
        bible.then(VersionAccepted {
            chapter: chapter_id(number),
            version,
            at: DateTime::UNIX_EPOCH,
        });
        bible
    }

    /// What the accepted version of a chapter says: each fact with its id and the sentence.
    pub(super) fn found(mut self, number: usize, facts: Vec<(&str, Says, &str)>) -> Self {
        let chapter = chapter_id(number);
        let version = self.project.prose[&chapter].accepted.unwrap();
        let text = self.texts[&(chapter.clone(), version)].clone();
        let fact = |(id, says, sentence): (&str, Says, &str)| Fact {
            id: id.to_owned(),
            says,
            quote: Quote {
                text: sentence.to_owned(),
                start: text
                    .find(sentence)
                    .map_or(0, |at| text[..at].chars().count()),
            },
            by: None,
        };
        self.then(FactsFound {
            chapter,
            version,
            facts: facts.into_iter().map(fact).collect(),
            by: "rules".to_owned(),
            remarks: vec![],
            at: DateTime::UNIX_EPOCH,
        });
        self
    }

    pub(super) fn judged(mut self, taken: &[&str], refused: &[&str]) -> Self {
        let ids = |ids: &[&str]| ids.iter().map(|id| (*id).to_owned()).collect();
        self.then(FactsJudged {
            taken: ids(taken),
            refused: ids(refused),
            at: DateTime::UNIX_EPOCH,
        });
        self
    }

    /// The book with the accepted version of each chapter, or its draft where no version is accepted.
    pub(super) fn book(&self) -> Book {
        let prose = self.project.prose.iter().filter_map(|(chapter, prose)| {
            let version = prose.accepted().or(prose.draft())?.version;
            let text = self.texts.get(&(chapter.clone(), version))?.clone();
            Some((chapter.clone(), ProseText { version, text }))
        });
        let prose = prose.collect();
        Book::new(Arc::new(self.project.clone()), prose)
    }
}

/// Three chapters, of which two are accepted, with one of everything that a bible has.
pub(super) fn sample() -> Book {
    sample_bible().book()
}

pub(super) fn sample_bible() -> Bible {
    let id = EntryId::from;
    let chapter = |title: &str, order| Chapter {
        title: title.to_owned(),
        volume: Some(id("v1")),
        order,
        ..Chapter::default()
    };
    Bible::with_chapters(0)
        .put(
            "v1",
            What::Volume(Volume {
                title: "潮".to_owned(),
                ..Volume::default()
            }),
        )
        .put(
            "c1",
            What::Chapter(Chapter {
                date: Some("1923-03-12".to_owned()),
                place: Some(id("pier")),
                cast: vec![id("lin")],
                summary: "林晚在码头等一艘不来的船。".to_owned(),
                ..chapter("码头", 1)
            }),
        )
        .put(
            "c2",
            What::Chapter(Chapter {
                date: Some("1923-03-14".to_owned()),
                place: Some(id("shop")),
                cast: vec![id("lin"), id("finch")],
                summary: "芬奇死前把钥匙交给林晚。".to_owned(),
                ..chapter("书店", 2)
            }),
        )
        .put(
            "c3",
            What::Chapter(Chapter {
                cast: vec![id("lin"), id("shen")],
                key_events: vec!["林晚打开铁门".to_owned()],
                ..chapter("铁门", 3)
            }),
        )
        .put(
            "lin",
            What::Character(Character {
                name: "林晚".to_owned(),
                aliases: vec!["小晚".to_owned()],
                role: "protagonist".to_owned(),
                description: "码头账房的女儿，记得每一个数字。".to_owned(),
                personality: vec!["固执".to_owned(), "寡言".to_owned()],
                archetype: Some("hero".to_owned()),
                appearance: [("眼睛".to_owned(), "褐色".to_owned())].into(),
                age: Some(Age {
                    years: 19,
                    chapter: None,
                }),
                ..Character::default()
            }),
        )
        .put(
            "finch",
            What::Character(Character {
                name: "Aldous Finch".to_owned(),
                aliases: vec!["芬奇".to_owned()],
                role: "supporting".to_owned(),
                description: "旧书店的主人。".to_owned(),
                archetype: Some("mentor".to_owned()),
                ..Character::default()
            }),
        )
        .put(
            "shen",
            What::Character(Character {
                name: "沈默".to_owned(),
                role: "antagonist".to_owned(),
                absences: vec![Absence {
                    from: id("c1"),
                    until: Some(id("c2")),
                    reason: "在省城".to_owned(),
                }],
                ..Character::default()
            }),
        )
        .propose(
            "ghost",
            What::Character(Character {
                name: "白衣人".to_owned(),
                ..Character::default()
            }),
        )
        .put(
            "r1",
            What::Relationship(Relationship {
                source: id("finch"),
                target: id("lin"),
                kind: "师父".to_owned(),
                reverse: Some("徒弟".to_owned()),
                strength: Some(7),
                bidirectional: true,
                ..Relationship::default()
            }),
        )
        .put(
            "r2",
            What::Relationship(Relationship {
                source: id("shen"),
                target: id("lin"),
                kind: "仇人".to_owned(),
                since: Some(id("c3")),
                ..Relationship::default()
            }),
        )
        .put(
            "fog",
            What::World(WorldEntry {
                title: "雾".to_owned(),
                kind: "world_setting".to_owned(),
                content: "每月十五起雾，雾里听不见钟声。".to_owned(),
                rules: vec![WorldRule {
                    forbids: vec!["听见钟声".to_owned()],
                    says: "雾里没有人听得见钟声。".to_owned(),
                    ..WorldRule::default()
                }],
                ..WorldEntry::default()
            }),
        )
        .put(
            "key",
            What::Item(Item {
                name: "铜钥匙".to_owned(),
                description: "齿上刻着一个潮字。".to_owned(),
                owner: Some(id("finch")),
                unique: true,
                ..Item::default()
            }),
        )
        .put(
            "shop",
            What::Place(Place {
                name: "旧书店".to_owned(),
                ..Place::default()
            }),
        )
        .put(
            "pier",
            What::Place(Place {
                name: "三号码头".to_owned(),
                description: "只停夜船。".to_owned(),
                ..Place::default()
            }),
        )
        .put(
            "door",
            What::PlotLoop(PlotLoop {
                title: "铁门后面有什么".to_owned(),
                intro: Some(id("c1")),
                due: Some(id("c3")),
                keywords: vec!["铁门".to_owned()],
                ..PlotLoop::default()
            }),
        )
        .put(
            "s1",
            What::StyleSample(StyleSample {
                text: "潮水退得很慢，像谁舍不得松手。".to_owned(),
                ..StyleSample::default()
            }),
        )
        .accepted(
            1,
            "林晚在三号码头等了一夜。她的眼睛是灰色的。铁门在身后响了一声。",
        )
        .accepted(
            2,
            "林晚走进旧书店。芬奇把铜钥匙交给了她。芬奇倒在柜台后面，再也没有醒来。",
        )
        .draft(3, "林晚站在灯塔顶上。")
        .found(
            1,
            vec![
                (
                    "f1",
                    Says::Presence {
                        character: id("lin"),
                        place: id("pier"),
                    },
                    "林晚在三号码头等了一夜。",
                ),
                (
                    "f2",
                    Says::Appearance {
                        character: id("lin"),
                        feature: "眼睛".to_owned(),
                        value: "灰色".to_owned(),
                    },
                    "她的眼睛是灰色的。",
                ),
                (
                    "f3",
                    Says::Touches {
                        plot_loop: id("door"),
                    },
                    "铁门在身后响了一声。",
                ),
            ],
        )
        .found(
            2,
            vec![
                (
                    "f6",
                    Says::Death {
                        character: id("finch"),
                    },
                    "芬奇倒在柜台后面，再也没有醒来。",
                ),
                (
                    "f5",
                    Says::Possession {
                        item: id("key"),
                        owner: id("lin"),
                    },
                    "芬奇把铜钥匙交给了她。",
                ),
                (
                    "f4",
                    Says::Presence {
                        character: id("lin"),
                        place: id("shop"),
                    },
                    "林晚走进旧书店。",
                ),
            ],
        )
        .judged(&["f1", "f2", "f4", "f5", "f6"], &["f3"])
}

const IDS: [&str; 9] = ["c1", "c2", "c3", "v1", "a", "b", "i", "p", "l"];
const WORDS: [&str; 6] = ["", "林晚", "铜钥匙", "Finch <&>", "灰色", "a\u{0}b"];
const PROSE: [&str; 4] = [
    "",
    "林晚来了。她有铜钥匙。",
    "Finch left. He died.",
    "灯\n\n灭了。",
];

fn id() -> impl Strategy<Value = EntryId> {
    select(&IDS[..]).prop_map(EntryId::from)
}

fn word() -> impl Strategy<Value = String> {
    select(&WORDS[..]).prop_map(str::to_owned)
}

fn time() -> impl Strategy<Value = DateTime<Utc>> {
    (0_i64..1_000).prop_map(|second| DateTime::from_timestamp(second, 0).unwrap())
}

fn what() -> impl Strategy<Value = What> {
    let chapter = (
        word(),
        option::of(id()),
        0_u32..4,
        option::of(id()),
        vec(id(), 0..3),
    );
    let character = (word(), word(), option::of(id()), option::of(id()), word());
    let relationship = (
        id(),
        id(),
        word(),
        option::of(word()),
        any::<bool>(),
        option::of(id()),
    );
    prop_oneof![
        (word(), 0_u32..3).prop_map(|(title, order)| What::Volume(Volume {
            title,
            order,
            ..Volume::default()
        })),
        chapter.prop_map(
            |(title, volume, order, place, cast)| What::Chapter(Chapter {
                summary: title.clone(),
                title,
                volume,
                order,
                place,
                cast,
                ..Chapter::default()
            })
        ),
        character.prop_map(
            |(name, role, absent, dies, status)| What::Character(Character {
                description: name.clone(),
                name,
                role,
                status,
                absences: { absent.iter() }
                    .map(|from| Absence {
                        from: from.clone(),
                        until: dies.clone(),
                        reason: String::new(),
                    })
                    .collect(),
                death: dies.map(|chapter| Death {
                    chapter,
                    sentence: String::new(),
                }),
                ..Character::default()
            })
        ),
        relationship.prop_map(|(source, target, kind, reverse, bidirectional, since)| {
            What::Relationship(Relationship {
                source,
                target,
                kind,
                reverse,
                bidirectional,
                since,
                ..Relationship::default()
            })
        }),
        (word(), word()).prop_map(|(title, content)| What::World(WorldEntry {
            title,
            content,
            ..WorldEntry::default()
        })),
        (word(), option::of(id()), option::of(id())).prop_map(|(name, owner, place)| {
            What::Item(Item {
                name,
                owner,
                place,
                ..Item::default()
            })
        }),
        (word(), option::of(id())).prop_map(|(name, within)| What::Place(Place {
            name,
            within,
            ..Place::default()
        })),
        (option::of(id()), option::of(id()), option::of(id()), 0..3).prop_map(
            |(intro, due, resolution, status)| What::PlotLoop(PlotLoop {
                status: match status {
                    0 => LoopStatus::Open,
                    1 => LoopStatus::Resolved,
                    _ => LoopStatus::Abandoned,
                },
                intro,
                due,
                resolution,
                ..PlotLoop::default()
            })
        ),
        word().prop_map(|name| What::Archetype(Archetype {
            name,
            ..Archetype::default()
        })),
        word().prop_map(|text| What::StyleSample(StyleSample {
            text,
            ..StyleSample::default()
        })),
    ]
}

fn entry() -> impl Strategy<Value = Entry> {
    (id(), any::<bool>(), any::<bool>(), what()).prop_map(|(id, is_fact, pinned, what)| Entry {
        id,
        standing: if is_fact {
            Standing::Fact
        } else {
            Standing::Proposed
        },
        pinned,
        what,
    })
}

fn says() -> impl Strategy<Value = Says> {
    prop_oneof![
        word().prop_map(|name| Says::NewCharacter { name }),
        (id(), word(), word()).prop_map(|(character, feature, value)| Says::Appearance {
            character,
            feature,
            value
        }),
        (id(), 0_u32..90).prop_map(|(character, years)| Says::Age { character, years }),
        id().prop_map(|character| Says::Death { character }),
        (id(), id()).prop_map(|(character, place)| Says::Presence { character, place }),
        (id(), id()).prop_map(|(item, owner)| Says::Possession { item, owner }),
        (id(), id()).prop_map(|(item, place)| Says::Lies { item, place }),
        (id(), id(), word()).prop_map(|(source, target, relation)| Says::Relation {
            source,
            target,
            relation
        }),
        id().prop_map(|plot_loop| Says::Touches { plot_loop }),
        (word(), vec(id(), 0..3)).prop_map(|(what, who)| Says::Happens { what, who }),
    ]
}

fn fact_id() -> impl Strategy<Value = String> {
    select(&["f1", "f2", "f3", "f4"][..]).prop_map(str::to_owned)
}

fn fact() -> impl Strategy<Value = Fact> {
    let by = proptest::option::of(Just("rules".to_owned()));
    (fact_id(), says(), word(), 0_usize..9, by).prop_map(|(id, says, text, start, by)| Fact {
        id,
        says,
        quote: Quote { text, start },
        by,
    })
}

fn event() -> impl Strategy<Value = Event> {
    let version = || 1_u32..4;
    let saved = (id(), version(), select(&PROSE[..]), word(), time());
    let described = (word(), any::<bool>(), time());
    prop_oneof![
        1 => described.prop_map(|(title, chinese, at)| {
            let description = Description {
                title,
                language: if chinese { "zh" } else { "en" }.to_owned(),
                ..Description::default()
            };
            let description = Box::new(description);
            ProjectDescribed { description, why: String::new(), at }.into()
        }),
        8 => (vec(entry(), 1..4), time()).prop_map(|(entries, at)| {
            EntriesPut { entries, why: String::new(), at }.into()
        }),
        1 => (vec(id(), 1..3), time()).prop_map(|(ids, at)| {
            EntriesRemoved { ids, why: String::new(), at }.into()
        }),
        5 => saved.prop_map(|(chapter, version, text, description, at)| {
            VersionSaved {
                chapter,
                version,
                text: BlobRef::of(text.as_bytes()),
                words: word_count(text),
                trigger: Trigger::AiEdit,
                description,
                at,
            }
            .into()
        }),
        1 => (id(), version(), time()).prop_map(|(chapter, version, at)| {
            VersionRemoved { chapter, version, at }.into()
        }),
        4 => (id(), version(), time()).prop_map(|(chapter, version, at)| {
            VersionAccepted { chapter, version, at }.into()
        }),
        4 => (id(), version(), vec(fact(), 0..4), time()).prop_map(|(chapter, version, facts, at)| {
            FactsFound { chapter, version, facts, by: "rules".to_owned(), remarks: vec!["read".to_owned()], at }.into()
        }),
        3 => (vec(fact_id(), 0..3), vec(fact_id(), 0..2), time()).prop_map(|(taken, refused, at)| {
            FactsJudged { taken, refused, at }.into()
        }),
        1 => (word(), any::<bool>(), time()).prop_map(|(key, waived, at)| {
            let settled = Settled { reason: key.clone(), key, waived };
            FindingsSettled { findings: vec![settled], at }.into()
        }),
    ]
}

/// Events of a project in any order, whether or not commands could have caused them.
pub(super) fn events() -> impl Strategy<Value = Vec<Event>> {
    vec(event(), 0..24)
}

pub(super) fn folded(events: &[Event]) -> Project {
    let mut project = Project::default();
    for event in events {
        project.evolve(event);
    }
    project
}

/// The texts of all versions that the events above can name.
pub(super) fn texts(project: &Project) -> BTreeMap<(EntryId, u32), Arc<str>> {
    let mut texts = BTreeMap::new();
    for (chapter, prose) in &project.prose {
        for version in &prose.versions {
            let known = PROSE
                .iter()
                .find(|text| BlobRef::of(text.as_bytes()) == version.text);
            texts.insert((chapter.clone(), version.version), (*known.unwrap()).into());
        }
    }
    texts
}

fn book(project: Project) -> Book {
    let texts = texts(&project);
    Bible { project, texts }.book()
}

/// Everything that is computed from a book, as one text for comparison.
fn readings(book: &Book) -> String {
    let evolution = Evolution::of(book);
    let states: Vec<_> = IDS
        .iter()
        .map(|id| {
            let id = EntryId::from(*id);
            let compared = evolution.compare(&id, 0, 3);
            (evolution.latest(&id), evolution.snapshots(&id), compared)
        })
        .collect();
    let all = graph(book, None);
    let index = StoryIndex::of(book);
    let found = index.search("林晚 铜钥匙", None, &StoryFilter::default());
    let request = ContextRequest {
        message: "林晚",
        chapter: Some(&chapter_id(2)),
        characters: &["a".into()],
        blocks: &StoryBlock::ALL,
        found: &found,
        budget: 300,
    };
    let parts = (context(book, &request), progress(book.project()));
    let drawn = (picture(&all), graph(book, Some(1)));
    format!(
        "{states:?}{all:?}{:?}{:?}{:?}{found:?}{parts:?}{drawn:?}",
        timeline(book),
        loops(book, None),
        line(book),
    )
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(96))]

    #[test]
    fn a_project_at_any_version_is_the_one_that_is_made_anew(events in events(), at in 0_usize..24) {
        let at = at.min(events.len());
        let mut early = folded(&events[..at]);
        prop_assert_eq!(early.version, at as u64);
        // A snapshot that was written and read goes on like the project itself.
        let written = serde_json::to_string(&early).unwrap();
        let read: Project = serde_json::from_str(&written).unwrap();
        prop_assert_eq!(&read, &early);
        let before = readings(&book(early.clone()));
        for event in &events[at..] {
            early.evolve(event);
        }
        prop_assert_eq!(readings(&book(early.clone())), readings(&book(folded(&events))));
        prop_assert_eq!(early, folded(&events));
        prop_assert_eq!(before, readings(&book(read)));
    }

    #[test]
    fn a_state_is_the_sum_of_the_changes_that_lead_to_it(events in events()) {
        let evolution = Evolution::of(&book(folded(&events)));
        for id in IDS.map(EntryId::from) {
            for chapter in 0..4 {
                let Some(state) = evolution.state(&id, chapter) else { continue };
                let mut values: BTreeMap<String, String> = BTreeMap::new();
                for change in evolution.track(&id, None, 0, chapter) {
                    let old = values.remove(&change.field_path);
                    prop_assert_eq!(&old, &change.old_value);
                    if let Some(new) = &change.new_value {
                        values.insert(change.field_path.clone(), new.clone());
                    }
                }
                let held: BTreeMap<String, String> = state
                    .values
                    .into_iter()
                    .map(|(path, value)| (path, value.value))
                    .collect();
                prop_assert_eq!(held, values);
            }
        }
    }
}
