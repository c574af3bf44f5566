//! Projects over a log in memory.

use std::sync::Arc;

use bytes::Bytes;
use commands::project::{
    AcceptVersion, DescribeProject, Expected, ProjectCommand, PutEntries, SaveVersion,
};
use domain::Actor;
use domain::hash::BlobRef;
use domain::project::{Chapter, Description, Entry, Standing, Trigger, What};
use store::{Log, MasterKey, MemoryLog};

use super::{ProjectChanged, ProjectError, Projects};
use crate::clock::Clock;

struct Desk {
    log: Arc<dyn Log>,
    projects: Projects,
}

impl Desk {
    async fn new() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let log: Arc<dyn Log> = Arc::new(log);
        let projects = Projects::new(Arc::clone(&log), Clock::system());
        Self { log, projects }
    }

    async fn change(
        &self,
        project: &str,
        command: ProjectCommand,
        text: Option<&str>,
        key: &str,
    ) -> Result<ProjectChanged, ProjectError> {
        let texts = text.into_iter().map(|text| Bytes::from(text.to_owned()));
        let actor = Actor::person("ann");
        self.projects
            .change("ann", project, command, texts.collect(), key, actor)
            .await
    }
}

fn describe(title: &str) -> ProjectCommand {
    ProjectCommand::Describe(Box::new(DescribeProject {
        description: Description {
            title: title.into(),
            language: "zh".into(),
            phase: "IDEA".into(),
            ..Description::default()
        },
        expected: None,
        why: String::new(),
    }))
}

fn chapter(id: &str, order: u32) -> ProjectCommand {
    let chapter = Chapter {
        title: id.into(),
        order,
        ..Chapter::default()
    };
    ProjectCommand::Put(PutEntries {
        entries: vec![Entry {
            id: id.into(),
            standing: Standing::Fact,
            pinned: false,
            what: What::Chapter(chapter),
        }],
        expected: Expected::New,
        why: String::new(),
    })
}

fn save(id: &str, text: &str) -> ProjectCommand {
    ProjectCommand::Save(SaveVersion {
        chapter: id.into(),
        base: None,
        text: BlobRef::of(text.as_bytes()),
        words: 1,
        trigger: Trigger::Manual,
        description: String::new(),
    })
}

#[tokio::test]
async fn what_is_saved_is_read_as_it_was_written_however_long() {
    let desk = Desk::new().await;
    let long = "雾".repeat(100_000);
    desk.change("p1", describe("港"), None, "k0")
        .await
        .expect("begins");
    desk.change("p1", chapter("one", 1), None, "k1")
        .await
        .expect("put");
    let saved = desk.change("p1", save("one", "a"), Some("a"), "k2").await;
    let (version, duplicate) = saved.map(|it| (it.version, it.duplicate)).expect("saved");
    assert_eq!((version, duplicate), (3, false));
    let accept = ProjectCommand::Accept(AcceptVersion {
        chapter: "one".into(),
        version: None,
    });
    desk.change("p1", accept, None, "k3")
        .await
        .expect("accepts");
    let saved = desk
        .change("p1", save("one", &long), Some(&long), "k4")
        .await;
    assert_eq!(saved.expect("saved").version, 5);
    let project = desk.projects.get("ann", "p1").await.expect("reads");
    let prose = &project.prose[&"one".into()];
    for (version, written) in [(prose.accepted(), "a"), (prose.draft(), long.as_str())] {
        let text = &version.expect("a version").text;
        let read = desk.projects.text("ann", "p1", text).await;
        assert_eq!(read.expect("reads").as_ref(), written);
    }
    let again = desk.change("p1", save("one", "a"), Some("a"), "k2").await;
    let (version, duplicate) = again
        .map(|it| (it.version, it.duplicate))
        .expect("answered");
    assert_eq!((version, duplicate), (3, true));
    assert!(desk.log.verify(0).await.expect("verifies").is_sound());
}

#[tokio::test]
async fn projects_are_listed_for_their_owner_and_share_nothing() {
    let desk = Desk::new().await;
    for id in ["p1", "p2"] {
        desk.change(id, describe(id), None, "k")
            .await
            .expect("begins");
    }
    assert_eq!(
        desk.projects.list("ann").await,
        Ok(vec!["p2".into(), "p1".into()])
    );
    assert_eq!(desk.projects.list("bob").await, Ok(vec![]));
    assert!(
        !desk
            .projects
            .get("bob", "p1")
            .await
            .expect("reads")
            .exists()
    );
    desk.change("p1", chapter("one", 1), None, "k1")
        .await
        .expect("put");
    let other = desk.projects.get("ann", "p2").await.expect("reads");
    assert!(other.entries.is_empty());
    let refused = desk.change("p3", chapter("one", 1), None, "k").await;
    assert!(matches!(refused, Err(ProjectError::Refused(r)) if r.code() == "no_project"));
}
