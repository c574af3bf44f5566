//! Deciding about projects, by example: given events, when a command, then events or a refusal.

use chrono::{DateTime, Utc};
use domain::decision::Context;
use domain::event::{
    EntriesPut, FactsFound, FactsJudged, ProjectDescribed, VersionAccepted, VersionSaved,
};
use domain::hash::BlobRef;
use domain::pipeline::Pipelines;
use domain::project::{
    Chapter, Character, Description, Entry, Fact, Prose, Quote, Says, Settled, Standing, Trigger,
    Version, What, WholeChapter, WholeProject,
};
use domain::{Event, Project};

use super::*;
use crate::Aggregate;

fn now() -> DateTime<Utc> {
    DateTime::from_timestamp(1_700_000_000, 0).unwrap()
}

fn description(title: &str) -> Description {
    Description {
        title: title.into(),
        language: "zh".into(),
        phase: "IDEA".into(),
        ..Description::default()
    }
}

fn described(title: &str) -> Event {
    let description = Box::new(description(title));
    let (why, at) = (String::new(), now());
    ProjectDescribed {
        description,
        why,
        at,
    }
    .into()
}

fn entry(id: &str, what: What) -> Entry {
    Entry {
        id: id.into(),
        standing: Standing::Fact,
        pinned: false,
        what,
    }
}

fn chapter(id: &str, locked: bool) -> Entry {
    let title = id.to_uppercase();
    let chapter = Chapter {
        title,
        locked,
        ..Chapter::default()
    };
    entry(id, What::Chapter(chapter))
}

fn character(id: &str, name: &str) -> Entry {
    let name = name.to_owned();
    let character = Character {
        name,
        ..Character::default()
    };
    entry(id, What::Character(character))
}

fn put(entries: Vec<Entry>) -> Event {
    let (why, at) = (String::new(), now());
    EntriesPut { entries, why, at }.into()
}

fn saved(chapter: &str, version: u32, text: &str) -> Event {
    VersionSaved {
        chapter: chapter.into(),
        version,
        text: BlobRef::of(text.as_bytes()),
        words: 1,
        trigger: Trigger::Manual,
        description: String::new(),
        at: now(),
    }
    .into()
}

fn accepted(chapter: &str, version: u32) -> Event {
    let (chapter, at) = (chapter.into(), now());
    VersionAccepted {
        chapter,
        version,
        at,
    }
    .into()
}

fn fact(id: &str) -> Fact {
    Fact {
        id: id.into(),
        says: Says::Death {
            character: "lin".into(),
        },
        quote: Quote {
            text: "他死了。".into(),
            start: 0,
        },
        by: None,
    }
}

fn found(chapter: &str, version: u32, facts: Vec<Fact>) -> Event {
    FactsFound {
        chapter: chapter.into(),
        version,
        facts,
        by: "rules".into(),
        remarks: vec![],
        at: now(),
    }
    .into()
}

fn save(chapter: &str, base: Option<u32>, text: &str) -> ProjectCommand {
    ProjectCommand::Save(SaveVersion {
        chapter: chapter.into(),
        base,
        text: BlobRef::of(text.as_bytes()),
        words: 1,
        trigger: Trigger::Manual,
        description: String::new(),
    })
}

fn put_command(entries: Vec<Entry>, expected: Expected) -> ProjectCommand {
    let why = String::new();
    ProjectCommand::Put(PutEntries {
        entries,
        expected,
        why,
    })
}

fn decide(given: &[Event], command: ProjectCommand) -> Result<Vec<Event>, ProjectRefusal> {
    let mut project = Project::default();
    for event in given {
        project.evolve(event);
    }
    let context = Context {
        now: now(),
        command: [0; 16],
        pipelines: Pipelines::new(vec![]),
    };
    let mut folded = project.clone();
    let events = Aggregate::decide(&mut project, command, &context)?;
    for event in &events {
        folded.evolve(event);
    }
    assert_eq!(project, folded, "what is decided is folded into the state");
    Ok(events)
}

#[test]
fn a_project_begins_with_what_it_is_and_with_nothing_else() {
    let describe = |title: &str| {
        ProjectCommand::Describe(Box::new(DescribeProject {
            description: description(title),
            expected: None,
            why: String::new(),
        }))
    };
    assert_eq!(decide(&[], describe("港")), Ok(vec![described("港")]));
    assert_eq!(decide(&[described("港")], describe("港")), Ok(vec![]));
    assert!(Project::may_open(&describe("港")).is_ok());
    let refused = Project::may_open(&save("one", None, "a"));
    assert_eq!(refused, Err(ProjectRefusal::NoProject));
    assert_eq!(decide(&[], describe(" ")).unwrap_err().code(), "bad_name");
}

#[test]
fn who_changes_what_somebody_else_changed_is_told() {
    let given = [described("港"), put(vec![character("lin", "林晚")])];
    let change = vec![character("lin", "林晨")];
    let then = decide(&given, put_command(change.clone(), Expected::Seen(2)));
    assert_eq!(then, Ok(vec![put(change.clone())]));
    let stale = ProjectRefusal::Changed {
        id: "lin".into(),
        is: 2,
    };
    let then = decide(&given, put_command(change.clone(), Expected::Seen(1)));
    assert_eq!(then, Err(stale.clone()));
    assert_eq!(
        decide(&given, put_command(change, Expected::New)),
        Err(stale)
    );
    let other = decide(
        &given,
        put_command(vec![chapter("lin", false)], Expected::Any),
    );
    assert_eq!(other.unwrap_err().code(), "other_kind");
}

#[test]
fn a_text_that_was_changed_meanwhile_is_refused_and_the_same_text_is_not() {
    let given = [
        described("港"),
        put(vec![chapter("one", false)]),
        saved("one", 1, "a"),
        saved("one", 2, "b"),
    ];
    assert_eq!(
        decide(&given, save("one", Some(2), "c")),
        Ok(vec![saved("one", 3, "c")])
    );
    let stale = decide(&given, save("one", Some(1), "c"));
    let (chapter, base, is) = ("one".to_owned(), 1, 2);
    assert_eq!(stale, Err(ProjectRefusal::StaleText { chapter, base, is }));
    assert_eq!(
        decide(&given, save("one", Some(1), "b")),
        Ok(vec![saved("one", 3, "b")])
    );
    assert_eq!(
        decide(&given, save("two", None, "c")).unwrap_err().code(),
        "no_entry"
    );
}

#[test]
fn a_locked_chapter_is_neither_written_nor_removed() {
    let given = [described("港"), put(vec![chapter("one", true)])];
    let written = decide(&given, save("one", None, "a"));
    assert_eq!(written.unwrap_err().code(), "locked");
    let remove = ProjectCommand::Remove(RemoveEntries {
        ids: vec!["one".into()],
        why: String::new(),
    });
    assert_eq!(decide(&given, remove).unwrap_err().code(), "locked");
}

#[test]
fn only_what_is_accepted_is_read_for_facts() {
    let given = [
        described("港"),
        put(vec![chapter("one", false)]),
        saved("one", 1, "a"),
        saved("one", 2, "b"),
        accepted("one", 1),
    ];
    let tell = |version| {
        ProjectCommand::TellFacts(TellFacts {
            chapter: "one".into(),
            version,
            facts: vec![fact("f1")],
            by: "rules".into(),
            remarks: vec![],
        })
    };
    assert_eq!(
        decide(&given, tell(1)),
        Ok(vec![found("one", 1, vec![fact("f1")])])
    );
    assert_eq!(decide(&given, tell(2)).unwrap_err().code(), "not_accepted");
    let accept = |version| {
        let chapter = "one".into();
        ProjectCommand::Accept(AcceptVersion { chapter, version })
    };
    assert_eq!(decide(&given, accept(None)), Ok(vec![accepted("one", 2)]));
    assert_eq!(decide(&given, accept(Some(1))), Ok(vec![]));
    assert_eq!(
        decide(&given, accept(Some(9))).unwrap_err().code(),
        "no_version"
    );
}

#[test]
fn facts_are_taken_or_refused_and_a_finding_is_waived_with_a_reason() {
    let given = [
        described("港"),
        put(vec![chapter("one", false)]),
        saved("one", 1, "a"),
        accepted("one", 1),
        found("one", 1, vec![fact("f1"), fact("f2")]),
    ];
    let judge = |taken: &[&str], refused: &[&str]| {
        let strings = |ids: &[&str]| ids.iter().map(ToString::to_string).collect();
        let (taken, refused) = (strings(taken), strings(refused));
        ProjectCommand::Judge(JudgeFacts { taken, refused })
    };
    let judged = FactsJudged {
        taken: vec!["f1".into()],
        refused: vec!["f2".into()],
        at: now(),
    };
    assert_eq!(
        decide(&given, judge(&["f1"], &["f2"])),
        Ok(vec![judged.into()])
    );
    assert_eq!(
        decide(&given, judge(&["f3"], &[])).unwrap_err().code(),
        "no_fact"
    );
    assert_eq!(
        decide(&given, judge(&["f1"], &["f1"])).unwrap_err().code(),
        "id_twice"
    );
    let settle = |reason: &str| {
        let (key, waived, reason) = ("k".into(), true, reason.into());
        let findings = vec![Settled {
            key,
            waived,
            reason,
        }];
        ProjectCommand::Settle(SettleFindings { findings })
    };
    assert_eq!(decide(&given, settle("她在说谎")).map(|it| it.len()), Ok(1));
    assert_eq!(decide(&given, settle(" ")), Err(ProjectRefusal::NoReason));
}

#[test]
fn several_commands_are_all_decided_or_none() {
    let given = [described("港")];
    let all = vec![
        put_command(vec![chapter("one", false)], Expected::New),
        save("one", Some(0), "a"),
    ];
    let then = vec![put(vec![chapter("one", false)]), saved("one", 1, "a")];
    assert_eq!(decide(&given, ProjectCommand::All(all.clone())), Ok(then));
    let mut bad = all;
    bad.push(save("one", Some(0), "b"));
    assert_eq!(
        decide(&given, ProjectCommand::All(bad)).unwrap_err().code(),
        "stale_text"
    );
}

#[test]
fn a_whole_project_begins_with_every_version_it_has_and_replaces_none() {
    let text = "他死了。";
    let version = |version: u32| Version {
        version,
        text: BlobRef::of(text.as_bytes()),
        words: 3,
        trigger: Trigger::Manual,
        description: String::new(),
        at: now(),
    };
    let whole = WholeProject {
        description: description("港"),
        entries: vec![chapter("c1", true)],
        chapters: vec![WholeChapter {
            id: "c1".into(),
            prose: Prose {
                // The second version was removed.
                versions: vec![version(1), version(3)],
                accepted: Some(1),
                ..Prose::default()
            },
            facts: vec![],
        }],
        findings: vec![],
    };
    let take = |project: &WholeProject| {
        let project = project.clone();
        ProjectCommand::TakeWhole(Box::new(TakeWhole { project }))
    };
    let saved = |version: u32| -> Event {
        VersionSaved {
            chapter: "c1".into(),
            version,
            text: BlobRef::of(text.as_bytes()),
            words: 3,
            trigger: Trigger::Manual,
            description: String::new(),
            at: now(),
        }
        .into()
    };
    assert_eq!(
        decide(&[], take(&whole)),
        Ok(vec![
            described("港"),
            put(vec![chapter("c1", true)]),
            saved(1),
            saved(3),
            accepted("c1", 1),
        ])
    );
    let again = decide(&[described("港")], take(&whole));
    assert_eq!(again, Err(ProjectRefusal::ProjectExists));
    let nameless = WholeProject {
        entries: vec![chapter("", false)],
        ..whole
    };
    let refused = decide(&[], take(&nameless)).map_err(|refusal| refusal.code());
    assert_eq!(refused, Err("bad_id"));
}
