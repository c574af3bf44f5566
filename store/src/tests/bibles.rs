//! The bible of a story as a log keeps it.

use std::collections::BTreeMap;

use domain::event::{
    EntriesPut, EntriesRemoved, FactsFound, FactsJudged, FindingsSettled, ProjectDescribed,
    VersionAccepted, VersionRemoved, VersionSaved,
};
use domain::hash::BlobRef;
use domain::project::{
    self, Absence, Chapter, Character, Death, Description, Entry, Fact, Place, Quote, Says,
    Settled, Standing, Travel, Trigger, What, WorldEntry,
};
use domain::{Event, Project};
use serde_json::json;

use super::rig::{ANN, Rig, at};
use crate::{Log as _, StreamId};

/// Texts with everything that a database may take for something else.
const ODD: [&str; 4] = [
    "林晚「灯」",
    "O'Neil \\u0000 \"x\" %s $1",
    "𠮷\u{200B}é\u{301}",
    "",
];

fn entry(id: &str, standing: Standing, what: What) -> Entry {
    Entry {
        id: id.into(),
        standing,
        pinned: true,
        what,
    }
}

/// Every kind of change to a bible, again and again with other texts.
fn changes() -> Vec<Event> {
    let mut all: Vec<Event> = vec![];
    for (text, n) in ODD.into_iter().zip(1_u32..) {
        let at = at(1_700_000_000_000_000 + i64::from(n));
        let why = text.to_owned();
        let description = Description {
            title: format!("题{n}"),
            description: text.to_owned(),
            language: "zh".to_owned(),
            phase: "WRITING".to_owned(),
            metadata: json!({ "shelf": text, "n": [1.5, -0.0, 1e300, null] }),
            ..Description::default()
        };
        let chapter = What::Chapter(Chapter {
            title: format!("章{n}"),
            order: n,
            locked: n % 2 == 0,
            ..Chapter::default()
        });
        let character = What::Character(Character {
            name: format!("林{n}"),
            appearance: BTreeMap::from([("眼睛".to_owned(), text.to_owned())]),
            absences: vec![Absence {
                from: "c1".into(),
                until: None,
                reason: text.to_owned(),
            }],
            death: (n == 3).then(|| Death {
                chapter: "c2".into(),
                sentence: text.to_owned(),
            }),
            ..Character::default()
        });
        let place = What::Place(Place {
            name: format!("港{n}"),
            travel: vec![Travel {
                to: "port".into(),
                hours: 0.1 * f64::from(n),
            }],
            ..Place::default()
        });
        let world = What::World(WorldEntry {
            title: text.to_owned(),
            ..WorldEntry::default()
        });
        let chapter_id = format!("c{n}");
        let fact = Fact {
            id: format!("f{n}"),
            says: Says::Happens {
                what: text.to_owned(),
                who: vec!["lin".into()],
            },
            quote: Quote {
                text: text.to_owned(),
                start: 7,
            },
            by: Some(text.to_owned()),
        };
        let saved = |version: u32| VersionSaved {
            chapter: chapter_id.as_str().into(),
            version,
            text: BlobRef::of(text.as_bytes()),
            words: u64::from(version),
            trigger: Trigger::AiEdit,
            description: text.to_owned(),
            at,
        };
        let entries = vec![
            entry(&chapter_id, Standing::Fact, chapter),
            entry("lin", Standing::Proposed, character),
            entry("port", Standing::Fact, place),
            entry(&format!("w{n}"), Standing::Fact, world),
        ];
        let chapter = || chapter_id.as_str().into();
        all.extend([
            ProjectDescribed {
                description: Box::new(description),
                why: why.clone(),
                at,
            }
            .into(),
            EntriesPut {
                entries,
                why: why.clone(),
                at,
            }
            .into(),
            saved(1).into(),
            saved(2).into(),
            VersionAccepted {
                chapter: chapter(),
                version: 2,
                at,
            }
            .into(),
            VersionRemoved {
                chapter: chapter(),
                version: 1,
                at,
            }
            .into(),
            FactsFound {
                chapter: chapter(),
                version: 2,
                facts: vec![fact],
                by: text.to_owned(),
                remarks: vec![text.to_owned()],
                at,
            }
            .into(),
            FactsJudged {
                taken: vec![format!("f{n}")],
                refused: vec![],
                at,
            }
            .into(),
            FindingsSettled {
                findings: vec![Settled {
                    key: text.to_owned(),
                    waived: true,
                    reason: text.to_owned(),
                }],
                at,
            }
            .into(),
            EntriesRemoved {
                ids: vec![format!("w{n}").into()],
                why,
                at,
            }
            .into(),
        ]);
    }
    all
}

fn folded<'a>(events: impl IntoIterator<Item = &'a Event>) -> Project {
    let mut project = Project::default();
    for event in events {
        project.evolve(event);
    }
    project
}

pub(crate) async fn a_bible_is_at_every_version_what_was_appended(rig: &Rig) {
    let stream = StreamId::new(ANN, project::stream("lamp"));
    let changes = changes();
    for text in ODD {
        rig.put(&stream, text.as_bytes()).await;
    }
    for part in changes.chunks(7) {
        rig.append(&stream, part.to_vec()).await;
    }
    for version in 1..=changes.len() {
        let read = rig.log.read(&stream, 0, version).await.expect("reads");
        let read: Vec<&Event> = read.iter().map(|recorded| &recorded.event).collect();
        assert_eq!(read, changes[..version].iter().collect::<Vec<_>>());
        assert_eq!(folded(read), folded(&changes[..version]));
    }
    rig.sound().await;
}
