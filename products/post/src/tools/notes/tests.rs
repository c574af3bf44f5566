//! Notes over a log in memory, with the clock at noon of 8 April 2026.

use std::sync::Arc;

use chrono::{DateTime, Utc};
use palimpsest::prelude::pipeline::ToolOutcome;
use palimpsest::prelude::resource::{CollectionError, Collections, Imported};
use palimpsest::prelude::tool::{Tool, ToolError};
use palimpsest::prelude::trial::Kinds;
use palimpsest::prelude::trial::{MasterKey, MemoryLog};
use palimpsest::prelude::wire::{Actor, Clock, Log, StreamId};
use serde_json::{Value, json};

use super::tools::{Inquiry, NoteTool};
use crate::notes::{Format, Note, read};

const NOTES: &str = "\
id,title,body,tags,likes,collects,comments,date,themeId
picnic,春日野餐清单,周末带孩子去公园野餐：格子布、花茶、三明治,野餐 春游,900,80,20,2026-04-08,7
camp,露营新手装备,第一次露营要带什么？帐篷、防潮垫、头灯,露营 春游,300,60,40,2026-04-07T23:30:00+08:00,7
tulip,郁金香花海拍照,下午四点逆光最好看，周末人多要早到,拍照 春游,5000,400,100,2026-04-02,
exam,考研英语打卡,第一百天：长难句和单词,学习,50,10,5,2026-03-30,9
noodle,武汉热干面地图,本地人常去的五家,美食 武汉,700,200,90,2026-03-28,
lake,东湖骑行一日,从早到晚的路线，湖边可以露营,骑行 武汉 露营,100,30,10,,
";

fn noon() -> DateTime<Utc> {
    "2026-04-08T12:00:00Z".parse().expect("a time")
}

fn notes(table: &str) -> Vec<Note> {
    read(Format::Csv, table.as_bytes()).expect("notes")
}

struct NotesFixture {
    collections: Collections,
    log: Arc<dyn Log>,
}

impl NotesFixture {
    async fn new() -> Self {
        let kinds = Kinds::new([crate::notes::NOTES]).expect("there is one");
        let (key, clock) = (MasterKey::new([7; 32]), Clock::of(noon).as_fn());
        let log = MemoryLog::open_with(key, clock, kinds).await;
        Self::on(Arc::new(log))
    }

    fn on(log: Arc<dyn Log>) -> Self {
        let collections = Collections::new(Arc::clone(&log), Clock::of(noon));
        Self { collections, log }
    }

    async fn import(&self, notes: Vec<Note>, key: &str) -> Result<Imported, CollectionError> {
        let (collections, actor) = (&self.collections, Actor::person("ann"));
        super::import(collections, "ann", "notes.csv", notes, key, actor).await
    }

    async fn called(&self, tool: &str, input: Value) -> Result<ToolOutcome, ToolError> {
        let named = NoteTool::ALL.into_iter().find(|it| it.name() == tool);
        let inquiry = Inquiry {
            collections: &self.collections,
            owner: "ann",
            now: noon(),
        };
        inquiry.answer(named.expect("it is a tool"), &input).await
    }

    async fn tool(&self, tool: &str, input: Value) -> ToolOutcome {
        match self.called(tool, input).await {
            Ok(outcome) => outcome,
            Err(_) => panic!("{tool} was refused"),
        }
    }

    async fn found(&self, query: &str) -> Vec<String> {
        let found = super::search(&self.collections, "ann", query, None, 0, 50).await;
        let mut ids: Vec<String> = found
            .expect("searches")
            .notes
            .into_iter()
            .map(|note| note.id)
            .collect();
        ids.sort();
        ids
    }
}

fn counts(added: usize, replaced: usize, unchanged: usize) -> (usize, usize, usize) {
    (added, replaced, unchanged)
}

fn of(imported: &Imported) -> (usize, usize, usize) {
    counts(imported.added, imported.replaced, imported.unchanged)
}

#[tokio::test]
async fn notes_are_found_as_soon_as_they_are_there_and_not_when_they_are_gone() {
    let desk = NotesFixture::new().await;
    assert_eq!(desk.found("露营").await, [""; 0]);
    let imported = desk.import(notes(NOTES), "k1").await.expect("imports");
    assert_eq!((of(&imported), imported.repeated), (counts(6, 0, 0), false));
    assert_eq!(desk.found("露营").await, ["camp", "lake"]);
    assert_eq!(desk.found("周末").await, ["picnic", "tulip"]);
    assert_eq!(desk.found("武汉 露营").await, ["lake"]);
    // No note has all of the words; some notes have two of them.
    assert_eq!(desk.found("适合周末带孩子的地方").await, ["picnic"]);
    assert_eq!(desk.found("量子").await, [""; 0]);
    assert_eq!(desk.found(" ").await, [""; 0]);

    // One note replaces another, one stays, one is new.
    let table = "id,title,body,date\ncamp,雨天室内活动,桌游和烘焙,\nnoodle,武汉热干面地图,本地人常去的五家,\nnew,露营地,溪边,\n";
    let imported = desk.import(notes(table), "k2").await.expect("imports");
    assert_eq!(of(&imported), counts(1, 2, 0));
    let again = desk.import(notes(table), "k3").await.expect("imports");
    assert_eq!(of(&again), counts(0, 0, 3));
    assert_eq!(desk.found("露营").await, ["lake", "new"]);
    let (collections, actor) = (&desk.collections, Actor::person("ann"));
    let gone = collections
        .remove(
            "ann",
            &super::collection(),
            vec!["lake".into()],
            "k4",
            actor,
        )
        .await;
    assert_eq!(gone.map(|gone| gone.removed), Ok(1));
    assert_eq!(desk.found("露营").await, ["new"]);
    let verified = desk.log.verify(0).await.expect("verifies");
    assert!(
        verified.is_sound() && verified.is_complete(),
        "{verified:?}"
    );
}

#[tokio::test]
async fn a_repeated_import_is_answered_as_the_first_and_goes_on_where_it_ended() {
    let desk = NotesFixture::new().await;
    let many = |count: usize| -> Vec<Note> {
        let table: String = (0..count)
            .map(|n| format!("n{n:04},第{n}篇,正文{n}\n"))
            .collect();
        notes(&format!("id,title,body\n{table}"))
    };
    let all = many(1_201);
    let first = desk.import(all.clone(), "k").await.expect("imports");
    assert_eq!((of(&first), first.repeated), (counts(1_201, 0, 0), false));
    // Opened, and three events of at most 500 documents each.
    assert_eq!(first.version, 4);
    let other = NotesFixture::on(Arc::clone(&desk.log));
    let again = other.import(all, "k").await.expect("answers");
    assert_eq!((of(&again), again.repeated), (counts(1_201, 0, 0), true));
    assert_eq!(again.version, 4);
    let reused = other.import(many(2), "k").await;
    assert!(reused.is_err() || reused.is_ok_and(|it| it.repeated));
    assert_eq!(other.found("正文1200").await, ["n1200"]);
    assert_eq!(other.found("正文").await.len(), 50);
}

#[tokio::test]
async fn a_process_that_changed_nothing_sees_what_others_put_there() {
    let one = NotesFixture::new().await;
    let two = NotesFixture::on(Arc::clone(&one.log));
    one.import(notes(NOTES), "k1").await.expect("imports");
    assert_eq!(two.found("郁金香").await, ["tulip"]);
    let actor = Actor::person("ann");
    let id = super::collection();
    let removed = two
        .collections
        .remove("ann", &id, vec!["tulip".into()], "k2", actor);
    removed.await.expect("removes");
    assert_eq!(one.found("郁金香").await, [""; 0]);
    // An index that does not exist, or was made in another way, is made anew.
    let stream = StreamId::new("ann", id.stream());
    let begun = one.log.index(palimpsest::prelude::trial::IndexChange {
        stream: stream.clone(),
        expected: None,
        tokenizer: 0,
        version: 3,
        put: vec![],
        remove: vec![],
    });
    begun.await.expect("indexes");
    assert_eq!(two.found("露营").await, ["camp", "lake"]);
}

#[tokio::test]
async fn nothing_of_an_import_is_there_when_one_of_it_is_refused() {
    let desk = NotesFixture::new().await;
    let mut bad = notes(NOTES);
    bad[5].id = "a/b".to_owned();
    let refused = desk.import(bad, "k1").await;
    assert!(
        matches!(refused, Err(CollectionError::Refused(_))),
        "{refused:?}"
    );
    assert_eq!(desk.found("露营").await, [""; 0]);
    assert_eq!(
        desk.log.read_all(0, 10).await.expect("reads").events.len(),
        0
    );
}

#[tokio::test]
async fn search_notes_gives_notes_that_fit_and_got_much() {
    let desk = NotesFixture::new().await;
    desk.import(notes(NOTES), "k1").await.expect("imports");
    let given = desk.tool("searchNotes", json!({ "query": " 露营 " })).await;
    assert_eq!(given.error, None);
    assert_eq!(
        (&given.output["query"], &given.output["total"]),
        (&json!("露营"), &json!(2))
    );
    assert_eq!(
        given.output["notes"][0],
        json!({
            "id": "camp", "title": "露营新手装备", "excerpt": "第一次露营要带什么？帐篷、防潮垫、头灯",
            "tags": ["露营", "春游"], "likes": 300, "collects": 60, "comments": 40, "engagement": 400,
            "publishedAt": "2026-04-07T15:30:00Z", "themeId": 7,
        })
    );
    let given = desk
        .tool(
            "searchNotes",
            json!({ "query": "春游", "themeId": "7", "limit": 1 }),
        )
        .await;
    assert_eq!(given.output["total"], json!(2));
    assert_eq!(given.output["notes"].as_array().map(Vec::len), Some(1));
    assert_eq!(given.output["notes"][0]["id"], json!("picnic"));
    let none = desk
        .tool("searchNotes", json!({ "query": "量子", "themeId": null }))
        .await;
    assert_eq!(
        none.output,
        json!({ "query": "量子", "total": 0, "notes": [] })
    );
    assert_eq!(none.error, None);
    let bad = desk.called("searchNotes", json!({ "limit": "many" })).await;
    assert!(bad.is_err());
}

#[tokio::test]
async fn tags_titles_and_trends_are_counted_up_to_today() {
    let desk = NotesFixture::new().await;
    desk.import(notes(NOTES), "k1").await.expect("imports");
    let tags = desk.tool("analyzeTopTags", json!({})).await.output;
    assert_eq!(
        tags,
        json!({ "days": 7, "notes": 3, "tags": [
            { "tag": "春游", "notes": 3, "engagement": 6_900 },
            { "tag": "拍照", "notes": 1, "engagement": 5_500 },
            { "tag": "野餐", "notes": 1, "engagement": 1_000 },
            { "tag": "露营", "notes": 1, "engagement": 400 },
        ] })
    );
    let of_theme = desk
        .tool("analyzeTopTags", json!({ "themeId": 9, "days": 30 }))
        .await
        .output;
    assert_eq!(
        of_theme,
        json!({ "days": 30, "notes": 1, "tags": [{ "tag": "学习", "notes": 1, "engagement": 65 }] })
    );
    let titles = desk
        .tool("getTopTitles", json!({ "limit": 2, "sortBy": "comments" }))
        .await
        .output;
    assert_eq!(
        titles,
        json!({ "sortBy": "comments", "titles": [
            { "id": "tulip", "title": "郁金香花海拍照", "engagement": 5_500, "likes": 5_000, "collects": 400, "comments": 100, "publishedAt": "2026-04-02" },
            { "id": "noodle", "title": "武汉热干面地图", "engagement": 990, "likes": 700, "collects": 200, "comments": 90, "publishedAt": "2026-03-28" },
        ] })
    );
    let recent = desk
        .tool("getTopTitles", json!({ "sortBy": "recent" }))
        .await
        .output;
    let ids: Vec<&Value> = recent["titles"]
        .as_array()
        .expect("titles")
        .iter()
        .map(|it| &it["id"])
        .collect();
    assert_eq!(ids, ["picnic", "camp", "tulip", "exam", "noodle", "lake"]);
    let trend = desk
        .tool("getTrendReport", json!({ "days": 8 }))
        .await
        .output;
    assert_eq!(
        trend,
        json!({
            "days": 8, "notes": 3, "engagement": 6_900,
            "byDay": [
                { "day": "2026-04-02", "notes": 1, "engagement": 5_500 },
                { "day": "2026-04-07", "notes": 1, "engagement": 400 },
                { "day": "2026-04-08", "notes": 1, "engagement": 1_000 },
            ],
            "risingTags": [
                { "tag": "春游", "notes": 3, "before": 0 }, { "tag": "拍照", "notes": 1, "before": 0 },
                { "tag": "野餐", "notes": 1, "before": 0 }, { "tag": "露营", "notes": 1, "before": 0 },
            ],
            "topNotes": [
                { "id": "tulip", "title": "郁金香花海拍照", "engagement": 5_500 },
                { "id": "picnic", "title": "春日野餐清单", "engagement": 1_000 },
                { "id": "camp", "title": "露营新手装备", "engagement": 400 },
            ],
        })
    );
}

#[tokio::test]
async fn where_there_are_no_notes_every_tool_says_so() {
    let desk = NotesFixture::new().await;
    for (tool, expected) in [
        (
            "searchNotes",
            json!({ "query": "春游", "total": 0, "notes": [] }),
        ),
        (
            "analyzeTopTags",
            json!({ "days": 7, "notes": 0, "tags": [] }),
        ),
        (
            "getTopTitles",
            json!({ "sortBy": "engagement", "titles": [] }),
        ),
        (
            "getTrendReport",
            json!({ "days": 7, "notes": 0, "engagement": 0, "byDay": [], "risingTags": [], "topNotes": [] }),
        ),
    ] {
        let given = desk.tool(tool, json!({ "query": "春游" })).await;
        assert_eq!((given.output, given.error), (expected, None), "{tool}");
    }
}
