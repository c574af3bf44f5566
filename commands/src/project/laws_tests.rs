//! The laws of a bible that people and agents change at random: its state follows from its events, however they were stored, nothing
//! writes into a locked chapter, and a project that is taken as a whole is the same bible.

use std::collections::BTreeMap;

use chrono::{DateTime, Utc};
use domain::event::ProjectEvent;
use domain::hash::BlobRef;
use domain::ids::EntryId;
use domain::project::{
    Chapter, Character, Description, Entry, Fact, LoopStatus, PlotLoop, Quote, Relationship, Says,
    Settled, Standing, Trigger, Volume, What, WholeProject, WorldEntry,
};
use domain::{Event, Project};
use proptest::prelude::*;

use super::*;

const CHAPTERS: [&str; 3] = ["c1", "c2", "c3"];
const TEXTS: [&str; 4] = [
    "林晚点亮了灯。",
    "雾来了。\n\n海上没有船。",
    "She put the lamp out, and said nothing.",
    "",
];
const KEYS: [&str; 3] = ["age:lin", "dead:chen", "way:harbour"];

/// One action on a project. Its numbers choose among what is possible.
#[derive(Clone, Debug)]
enum Push {
    Describe(u8),
    Chapter(usize, u8),
    Lock(usize, bool),
    Entry(usize, u8, bool),
    Remove(usize),
    Save(usize, usize, Option<u32>, bool),
    RemoveVersion(usize, usize),
    Accept(usize, Option<u32>),
    Tell(usize, Vec<u8>),
    Judge(Vec<(usize, bool)>),
    Settle(usize, bool),
}

fn pushes() -> impl Strategy<Value = Vec<Push>> {
    let one = || 0..CHAPTERS.len();
    let maybe = || prop::option::weighted(0.2, 1_u32..4);
    let judged = prop::collection::vec((0..6_usize, any::<bool>()), 1..3);
    let push = prop_oneof![
        1 => (0..3_u8).prop_map(Push::Describe),
        5 => (one(), 0..4_u8).prop_map(|(at, n)| Push::Chapter(at, n)),
        3 => (one(), any::<bool>()).prop_map(|(at, locked)| Push::Lock(at, locked)),
        6 => (0..5_usize, 0..4_u8, any::<bool>()).prop_map(|(at, n, fact)| Push::Entry(at, n, fact)),
        1 => (0..8_usize).prop_map(Push::Remove),
        8 => (one(), 0..TEXTS.len(), maybe(), any::<bool>())
            .prop_map(|(at, text, base, auto)| Push::Save(at, text, base, auto)),
        1 => (one(), 0..4_usize).prop_map(|(at, nth)| Push::RemoveVersion(at, nth)),
        5 => (one(), maybe()).prop_map(|(at, version)| Push::Accept(at, version)),
        5 => (one(), prop::collection::vec(0..4_u8, 0..3)).prop_map(|(at, facts)| Push::Tell(at, facts)),
        4 => judged.prop_map(Push::Judge),
        2 => (0..KEYS.len(), any::<bool>()).prop_map(|(key, waived)| Push::Settle(key, waived)),
    ];
    prop::collection::vec(push, 0..50)
}

fn entry(id: &str, standing: Standing, what: What) -> Entry {
    Entry {
        id: id.into(),
        standing,
        pinned: false,
        what,
    }
}

fn put(entries: Vec<Entry>) -> ProjectCommand {
    ProjectCommand::Put(PutEntries {
        entries,
        expected: Expected::Any,
        why: String::new(),
    })
}

fn describe(n: u8) -> ProjectCommand {
    let description = Description {
        title: format!("灯塔{n}"),
        language: if n == 1 { "en" } else { "zh" }.into(),
        phase: "WRITING".into(),
        ..Description::default()
    };
    ProjectCommand::Describe(Box::new(DescribeProject {
        description,
        expected: None,
        why: String::new(),
    }))
}

/// An entry of the bible that refers to others, which may not be there.
fn of_bible(at: usize, n: u8) -> (&'static str, What) {
    let name = format!("名{n}");
    match at {
        0 => (
            "lin",
            What::Character(Character {
                name,
                role: "protagonist".into(),
                appearance: BTreeMap::from([("eyes".into(), format!("{n}"))]),
                ..Character::default()
            }),
        ),
        1 => (
            "r1",
            What::Relationship(Relationship {
                source: "lin".into(),
                target: "gone".into(),
                kind: name,
                since: Some(CHAPTERS[usize::from(n) % 3].into()),
                ..Relationship::default()
            }),
        ),
        2 => (
            "v1",
            What::Volume(Volume {
                title: name,
                order: n.into(),
                ..Volume::default()
            }),
        ),
        3 => (
            "loop",
            What::PlotLoop(PlotLoop {
                title: name,
                status: if n == 0 {
                    LoopStatus::Open
                } else {
                    LoopStatus::Resolved
                },
                intro: Some("c1".into()),
                ..PlotLoop::default()
            }),
        ),
        _ => (
            "tower",
            What::World(WorldEntry {
                title: name,
                tags: vec!["塔".into()],
                ..WorldEntry::default()
            }),
        ),
    }
}

fn facts(chapter: &str, chosen: &[u8]) -> Vec<Fact> {
    let says = |n: u8| match n {
        0 => Says::Death {
            character: "lin".into(),
        },
        1 => Says::NewCharacter {
            name: "陈默".into(),
        },
        2 => Says::Age {
            character: "lin".into(),
            years: 21,
        },
        _ => Says::Touches {
            plot_loop: "loop".into(),
        },
    };
    let mut chosen = chosen.to_vec();
    chosen.sort_unstable();
    chosen.dedup();
    let fact = |n: u8| Fact {
        id: format!("{chapter}:{n}"),
        says: says(n),
        quote: Quote {
            text: format!("句{n}。"),
            start: usize::from(n),
        },
        by: n.is_multiple_of(2).then(|| "rules".to_owned()),
    };
    chosen.into_iter().map(fact).collect()
}

/// The command of an action, on the project as it is.
fn command(project: &Project, push: &Push) -> ProjectCommand {
    let chapter = |at: usize| EntryId::from(CHAPTERS[at]);
    match push {
        Push::Describe(n) => describe(*n),
        Push::Chapter(at, n) => put(vec![entry(
            CHAPTERS[*at],
            Standing::Fact,
            What::Chapter(Chapter {
                title: format!("章{n}"),
                order: (*n).into(),
                volume: (*n == 3).then(|| "v1".into()),
                cast: vec!["lin".into()],
                ..Chapter::default()
            }),
        )]),
        Push::Lock(at, locked) => {
            let known = project.chapter(&chapter(*at)).cloned();
            let chapter = Chapter {
                locked: *locked,
                ..known.unwrap_or(Chapter {
                    title: "锁".into(),
                    ..Chapter::default()
                })
            };
            put(vec![entry(
                CHAPTERS[*at],
                Standing::Fact,
                What::Chapter(chapter),
            )])
        }
        Push::Entry(at, n, is_fact) => {
            let (id, what) = of_bible(*at, *n);
            let standing = if *is_fact {
                Standing::Fact
            } else {
                Standing::Proposed
            };
            put(vec![entry(id, standing, what)])
        }
        Push::Remove(at) => {
            let id = project.entries.keys().nth(*at).cloned();
            ProjectCommand::Remove(RemoveEntries {
                ids: id.into_iter().collect(),
                why: String::new(),
            })
        }
        Push::Save(at, text, base, is_auto) => ProjectCommand::Save(SaveVersion {
            chapter: chapter(*at),
            base: *base,
            text: BlobRef::of(TEXTS[*text].as_bytes()),
            words: TEXTS[*text].chars().count() as u64,
            trigger: if *is_auto {
                Trigger::AutoSave
            } else {
                Trigger::AiEdit
            },
            description: String::new(),
        }),
        Push::RemoveVersion(at, nth) => {
            let prose = project.prose.get(&chapter(*at));
            let version = prose.and_then(|prose| prose.versions.get(*nth));
            ProjectCommand::RemoveVersion(RemoveVersion {
                chapter: chapter(*at),
                version: version.map_or(9, |version| version.version),
            })
        }
        Push::Accept(at, version) => ProjectCommand::Accept(AcceptVersion {
            chapter: chapter(*at),
            version: *version,
        }),
        Push::Tell(at, chosen) => {
            let prose = project.prose.get(&chapter(*at));
            ProjectCommand::TellFacts(TellFacts {
                chapter: chapter(*at),
                version: prose.and_then(|prose| prose.accepted).unwrap_or(1),
                facts: facts(CHAPTERS[*at], chosen),
                by: "rules".into(),
                remarks: vec![],
            })
        }
        Push::Judge(chosen) => {
            let id = |at: usize| project.facts.keys().nth(at).cloned();
            let of = |wanted: bool| {
                let chosen = chosen.iter().filter(|(_, taken)| *taken == wanted);
                chosen.filter_map(|(at, _)| id(*at)).collect()
            };
            ProjectCommand::Judge(JudgeFacts {
                taken: of(true),
                refused: of(false),
            })
        }
        Push::Settle(key, waived) => ProjectCommand::Settle(SettleFindings {
            findings: vec![Settled {
                key: KEYS[*key].into(),
                waived: *waived,
                reason: "她撒了谎".into(),
            }],
        }),
    }
}

/// Every project begins so: with a chapter that has a text which holds.
const FIRST: [Push; 4] = [
    Push::Describe(0),
    Push::Chapter(0, 0),
    Push::Save(0, 0, None, false),
    Push::Accept(0, None),
];

/// What somebody did with a project, from its beginning: the events, and how many actions were refused.
fn driven(pushes: &[Push]) -> (Project, Vec<Event>, usize) {
    let (mut project, mut events, mut refused) = (Project::default(), vec![], 0);
    let mut now = DateTime::<Utc>::from_timestamp(1_700_000_000, 0).unwrap();
    for push in FIRST.iter().chain(pushes) {
        now += chrono::TimeDelta::seconds(1);
        let before = project.clone();
        match command(&project, push).decide(&mut project, now) {
            Ok(more) => events.extend(more),
            Err(_) => {
                assert_eq!(project, before, "what is refused changes nothing");
                refused += 1;
            }
        }
    }
    (project, events, refused)
}

fn folded(events: &[Event]) -> Project {
    let mut project = Project::default();
    for event in events {
        project.evolve(event);
    }
    project
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn at_every_version_a_bible_is_the_fold_of_its_events_as_they_were_stored(pushes in pushes()) {
        let (project, events, _) = driven(&pushes);
        let (mut now, mut stored) = (Project::default(), Project::default());
        for (event, version) in events.iter().zip(1..) {
            now.evolve(event);
            // The event is written and read, and so is the state that it is folded into.
            let written = serde_json::to_vec(event).unwrap();
            let read: Event = serde_json::from_slice(&written).unwrap();
            prop_assert_eq!(&read, event);
            let snapshot = serde_json::to_vec(&stored).unwrap();
            stored = serde_json::from_slice(&snapshot).unwrap();
            stored.evolve(&read);
            prop_assert_eq!(&stored, &now);
            prop_assert_eq!(now.version, version);
        }
        prop_assert_eq!(now, project);
    }

    #[test]
    fn a_project_that_is_taken_as_a_whole_is_the_same_bible(pushes in pushes()) {
        let (project, events, _) = driven(&pushes);
        // Earlier states are tested as well, not only the last one.
        for until in [events.len() / 3, events.len() / 2, events.len()] {
            let project = if until == events.len() { project.clone() } else { folded(&events[..until.max(1)]) };
            let whole = WholeProject::of(&project);
            let mut again = Project::default();
            let later = project.changed + chrono::TimeDelta::days(1);
            let take = TakeWhole { project: whole.clone() };
            let take = ProjectCommand::TakeWhole(Box::new(take));
            let events = take.decide(&mut again, later).unwrap();
            prop_assert_eq!(&folded(&events), &again);
            prop_assert_eq!(WholeProject::of(&again), whole);
            let entries = |project: &Project| -> Vec<Entry> {
                project.entries.values().map(|kept| kept.entry.clone()).collect()
            };
            prop_assert_eq!(entries(&again), entries(&project));
            prop_assert_eq!(&again.prose, &project.prose);
            prop_assert_eq!(&again.facts, &project.facts);
            prop_assert_eq!(&again.settled, &project.settled);
            prop_assert_eq!(&again.description, &project.description);
        }
    }

    #[test]
    fn nothing_is_written_into_a_locked_chapter_and_plans_are_no_facts_of_its_text(pushes in pushes()) {
        let (_, events, _) = driven(&pushes);
        let mut project = Project::default();
        for event in &events {
            let locked = |id: &EntryId| project.chapter(id).is_some_and(|chapter| chapter.locked);
            if let Event::Project(event) = event {
                match event {
                    ProjectEvent::VersionSaved(e) => prop_assert!(!locked(&e.chapter)),
                    ProjectEvent::EntriesRemoved(e) => prop_assert!(!e.ids.iter().any(locked)),
                    // Facts belong to the accepted version, whoever read it.
                    ProjectEvent::FactsFound(e) => {
                        prop_assert_eq!(project.prose[&e.chapter].accepted, Some(e.version));
                    }
                    ProjectEvent::VersionRemoved(e) => {
                        let prose = &project.prose[&e.chapter];
                        prop_assert!(prose.accepted != Some(e.version));
                        prop_assert!(prose.draft().is_some_and(|draft| draft.version != e.version));
                    }
                    ProjectEvent::ProjectDescribed(_)
                    | ProjectEvent::EntriesPut(_)
                    | ProjectEvent::VersionAccepted(_)
                    | ProjectEvent::FactsJudged(_)
                    | ProjectEvent::FindingsSettled(_) => {}
                }
            }
            project.evolve(event);
            for learned in project.facts.values() {
                prop_assert!(project.entries.contains_key(&learned.chapter));
            }
            for prose in project.prose.values() {
                prop_assert!(prose.versions.windows(2).all(|pair| pair[0].version < pair[1].version));
                prop_assert!(prose.versions.last().is_none_or(|last| last.version == prose.saved));
            }
        }
    }
}

/// The actions above are useful for the test: most of them are accepted, and some are refused.
#[test]
fn random_pushes_do_most_things() {
    use proptest::strategy::ValueTree;
    use proptest::test_runner::TestRunner;
    let mut runner = TestRunner::deterministic();
    let (mut names, mut all, mut refused) = (std::collections::BTreeSet::new(), 0, 0);
    for _ in 0..40 {
        let pushes = pushes().new_tree(&mut runner).unwrap().current();
        let (_, events, of_these) = driven(&pushes);
        names.extend(events.iter().map(Event::name));
        all += pushes.len();
        refused += of_these;
    }
    assert_eq!(names.len(), 9, "{names:?}");
    assert!(
        refused > all / 20 && refused < all / 2,
        "{refused} of {all}"
    );
}
