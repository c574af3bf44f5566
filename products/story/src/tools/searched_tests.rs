//! Stories over a log in memory: their books and their indexes.

use std::sync::Arc;

use bytes::Bytes;
use palimpsest::prelude::pipeline::BlobRef;
use palimpsest::prelude::resource::changes::{
    AcceptVersion, DescribeProject, Expected, ProjectCommand, PutEntries, SaveVersion,
};
use palimpsest::prelude::resource::project::{
    Chapter, Description, Entry, Standing, Trigger, What,
};
use palimpsest::prelude::resource::{Collections, Projects};
use palimpsest::prelude::trial::{MasterKey, MemoryLog};
use palimpsest::prelude::wire::{Actor, Clock, Log};

use super::books::{Edition, read_book};
use super::searched::{STORIES_KEPT, SearchedStory, searched_story};
use crate::readings::search::StoryFilter;

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

    async fn change(&self, project: &str, command: ProjectCommand, text: Option<&str>, key: &str) {
        let texts = text.into_iter().map(|text| Bytes::from(text.to_owned()));
        let actor = Actor::person("ann");
        let changed = self
            .projects
            .change("ann", project, command, texts.collect(), key, actor);
        changed.await.expect("changed");
    }

    async fn searched(
        &self,
        collections: &Collections,
        owner: &str,
        project: &str,
    ) -> Option<SearchedStory> {
        let searched = searched_story(&self.projects, collections, owner, project).await;
        searched.expect("reads")
    }
}

fn accept() -> ProjectCommand {
    ProjectCommand::Accept(AcceptVersion {
        chapter: "one".into(),
        version: None,
    })
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
async fn a_book_has_what_is_accepted_or_the_drafts_however_long() {
    let desk = Desk::new().await;
    let long = "雾".repeat(100_000);
    for (command, text, key) in [
        (describe("港"), None, "k0"),
        (chapter("one", 1), None, "k1"),
        (save("one", "a"), Some("a"), "k2"),
        (accept(), None, "k3"),
        (save("one", &long), Some(long.as_str()), "k4"),
    ] {
        desk.change("p1", command, text, key).await;
    }
    let text = |book: crate::readings::book::Book| book.chapters()[0].text.to_owned();
    let accepted = read_book(&desk.projects, "ann", "p1", Edition::Accepted).await;
    assert_eq!(text(accepted.expect("reads")), "a");
    let drafts = read_book(&desk.projects, "ann", "p1", Edition::Drafts).await;
    assert_eq!(text(drafts.expect("reads")), long);
}

#[tokio::test]
async fn an_index_is_kept_while_the_accepted_book_is_the_same_and_never_longer() {
    let desk = Desk::new().await;
    let collections = Collections::new(Arc::clone(&desk.log), Clock::system());
    let searched = async || desk.searched(&collections, "ann", "p1").await;
    let finds = |story: &SearchedStory, word: &str| {
        let found = story.index.search(word, None, &StoryFilter::default());
        !found.is_empty()
    };
    assert!(searched().await.is_none(), "there is no such project");
    for (command, text, key) in [
        (describe("港"), None, "k0"),
        (chapter("one", 1), None, "k1"),
        (save("one", "灯塔"), Some("灯塔"), "k2"),
        (accept(), None, "k3"),
    ] {
        desk.change("p1", command, text, key).await;
    }
    let first = searched().await.expect("a story");
    assert!(finds(&first, "灯塔") && !finds(&first, "雾角"));
    // A draft changes nothing of what is searched.
    desk.change("p1", save("one", "雾角"), Some("雾角"), "k4")
        .await;
    let second = searched().await.expect("a story");
    assert!(Arc::ptr_eq(&first.index, &second.index));
    assert!(second.project.version > first.project.version);
    desk.change("p1", accept(), None, "k5").await;
    let third = searched().await.expect("a story");
    assert!(finds(&third, "雾角") && !finds(&third, "灯塔"));
    // Others are searched in between; the book is the same afterwards.
    for n in 0..STORIES_KEPT {
        let id = format!("q{n}");
        desk.change(&id, describe(&id), None, "k").await;
        assert!(desk.searched(&collections, "ann", &id).await.is_some());
    }
    let fourth = searched().await.expect("a story");
    assert!(!Arc::ptr_eq(&third.index, &fourth.index), "it had to go");
    assert!(finds(&fourth, "雾角"));
    assert!(desk.searched(&collections, "bob", "p1").await.is_none());
}
