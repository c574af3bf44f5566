//! The resources of stories over HTTP: the whole life of a project, and everything that goes wrong on the way.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};
use crate::support::folder::TestFolder;
use crate::support::person::{ANN, BOB, with_keys};
use crate::support::program::{Server, palimpsest};
use crate::support::within;

/// Somebody who writes.
struct Writer<'a> {
    api: &'a Api,
    key: Option<&'static str>,
}

impl Writer<'_> {
    async fn send(
        &self,
        method: Method,
        path: &str,
        more: &[(&str, &str)],
        body: Option<Value>,
    ) -> Answer {
        let mut headers = more.to_vec();
        headers.extend(self.key.map(|key| ("authorization", key)));
        let body = body.map(|body| {
            headers.push(("content-type", "application/json"));
            body.to_string().into_bytes()
        });
        self.api
            .send(method, &format!("/api{path}"), &headers, body)
            .await
    }

    async fn get(&self, path: &str) -> Answer {
        self.send(Method::GET, path, &[], None).await
    }

    async fn post(&self, path: &str, body: Value) -> Answer {
        self.send(Method::POST, path, &[], Some(body)).await
    }

    async fn put(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PUT, path, &[], Some(body)).await
    }

    async fn patch(&self, path: &str, body: Value) -> Answer {
        self.send(Method::PATCH, path, &[], Some(body)).await
    }

    async fn delete(&self, path: &str) -> Answer {
        self.send(Method::DELETE, path, &[], None).await
    }

    /// A file as the body of an import.
    async fn bring(&self, name: &str, more: &str, bytes: Vec<u8>) -> Answer {
        let path = format!("/api/projects/import?name={name}{more}");
        let mut headers = vec![("content-type", "application/octet-stream")];
        headers.extend(self.key.map(|key| ("authorization", key)));
        self.api
            .send(Method::POST, &path, &headers, Some(bytes))
            .await
    }

    async fn made(&self, path: &str, body: Value) -> String {
        let made = self.post(path, body).await;
        assert_eq!(made.status, 201, "{:#}", made.body);
        text(&made.body["id"])
    }

    async fn project(&self, title: &str) -> String {
        self.made("/projects", json!({ "title": title })).await
    }

    async fn chapter(&self, project: &str, title: &str, content: &str) -> String {
        let path = format!("/projects/{project}/chapters");
        let id = self.made(&path, json!({ "title": title })).await;
        self.write(project, &id, content).await;
        id
    }

    async fn write(&self, project: &str, chapter: &str, content: &str) -> Value {
        let path = format!("/projects/{project}/chapters/{chapter}/content");
        self.put(&path, json!({ "content": content }))
            .await
            .succeeded()
    }

    async fn accept(&self, project: &str, chapter: &str) -> Value {
        let path = format!("/projects/{project}/chapters/{chapter}/accept");
        self.send(Method::POST, &path, &[], None).await.succeeded()
    }

    /// The elements of a list.
    async fn list(&self, path: &str) -> Vec<Value> {
        let page = self.get(path).await.succeeded();
        let content = page["content"].as_array().expect("a page").clone();
        assert_eq!(page["totalElements"], content.len(), "one page: {page:#}");
        content
    }

    async fn titles(&self, project: &str) -> Vec<String> {
        let chapters = self.list(&format!("/projects/{project}/chapters")).await;
        chapters
            .iter()
            .map(|chapter| text(&chapter["title"]))
            .collect()
    }
}

fn text(value: &Value) -> String {
    value
        .as_str()
        .unwrap_or_else(|| panic!("no text: {value}"))
        .to_owned()
}

async fn server(place: &TestFolder) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start(command).await
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_is_written_accepted_and_taken_out() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let begun = json!({ "title": "雾港", "description": "一个港口的故事", "metadata": { "theme": "dark" } });
    let project = ann.post("/projects", begun).await;
    assert_eq!(
        (project.status.as_u16(), project.header("etag").as_str()),
        (201, "\"1\"")
    );
    let project = project.body;
    assert_eq!(
        (&project["status"], &project["creationPhase"]),
        (&json!("ACTIVE"), &json!("IDEA"))
    );
    assert_eq!(
        (&project["language"], &project["metadata"]["theme"]),
        (&json!("zh"), &json!("dark"))
    );
    let id = text(&project["id"]);
    let page = ann.get("/projects?page=0&size=1").await.succeeded();
    assert_eq!(page["content"][0]["id"], project["id"]);
    assert_eq!(
        (&page["totalElements"], &page["totalPages"], &page["size"]),
        (&json!(1), &json!(1), &json!(1))
    );
    let phase = ann
        .send(
            Method::PATCH,
            &format!("/projects/{id}/phase?phase=WRITING"),
            &[],
            None,
        )
        .await;
    assert_eq!(phase.succeeded()["creationPhase"], "WRITING");
    let changed = ann
        .put(&format!("/projects/{id}"), json!({ "status": "ARCHIVED" }))
        .await
        .succeeded();
    assert_eq!(
        (&changed["status"], &changed["title"]),
        (&json!("ARCHIVED"), &json!("雾港"))
    );
    let stale = ann
        .send(
            Method::PUT,
            &format!("/projects/{id}"),
            &[("if-match", "\"1\"")],
            Some(json!({ "title": "港" })),
        )
        .await;
    assert_eq!(stale.body["message"], stale.body["error"]["message"]);
    stale.refused(409, "changed");

    let volume = ann
        .made(
            &format!("/projects/{id}/volumes"),
            json!({ "title": "上卷" }),
        )
        .await;
    let second = ann
        .made(
            &format!("/projects/{id}/volumes"),
            json!({ "title": "下卷" }),
        )
        .await;
    let in_first = |title: &str| json!({ "volumeId": volume, "title": title, "summary": "雾起" });
    let chapters = format!("/projects/{id}/chapters");
    let one = ann.made(&chapters, in_first("雾起")).await;
    let two = ann.made(&chapters, in_first("来信")).await;
    assert_eq!(ann.titles(&id).await, ["雾起", "来信"]);
    let order = json!([{ "id": one, "orderIndex": 2 }, { "id": two, "orderIndex": 1 }]);
    ann.put(&format!("{chapters}/reorder"), order)
        .await
        .succeeded();
    assert_eq!(ann.titles(&id).await, ["来信", "雾起"]);
    let moved = ann
        .send(
            Method::POST,
            &format!("{chapters}/{two}/move/{second}"),
            &[],
            None,
        )
        .await
        .succeeded();
    assert_eq!(
        (&moved["volumeId"], &moved["chapterOrder"]),
        (&json!(second), &json!(2))
    );
    let in_volume = ann.list(&format!("{chapters}/volume/{volume}")).await;
    assert_eq!(in_volume.len(), 1);

    let nothing_yet = ann.get(&format!("/projects/{id}/export?format=epub")).await;
    nothing_yet.refused(409, "nothing_to_export");
    let saved = ann.write(&id, &one, "林晚走进雾里。").await;
    assert_eq!(
        (&saved["version"], &saved["wordCount"], &saved["chapterId"]),
        (&json!(1), &json!(6), &json!(one))
    );
    let accepted = ann.accept(&id, &one).await;
    assert_eq!(
        (&accepted["acceptedVersion"], &accepted["wordCount"]),
        (&json!(1), &json!(6))
    );
    for (format, begins) in [
        ("epub", "PK"),
        ("docx", "PK"),
        ("md", "# 雾港"),
        ("json", "{"),
    ] {
        let file = api
            .bytes(&format!("/api/projects/{id}/export?format={format}"))
            .await;
        assert!(file.starts_with(begins.as_bytes()), "{format}");
        let name = format!("book.{format}");
        let read = intake::read(&name, &file, &intake::IntakeLimits::default(), &|| false);
        let words = intake::markdown(&read.unwrap_or_else(|error| panic!("{format}: {error}")));
        assert!(words.contains("林晚走进雾里。"), "{format}: {words}");
    }
    ann.get(&format!("/projects/{id}/export?format=pdf"))
        .await
        .refused(422, "bad_value");
    let progress = ann
        .get(&format!("/projects/{id}/progress"))
        .await
        .succeeded();
    assert_eq!(
        (
            &progress["chapterCount"],
            &progress["volumeCount"],
            &progress["wordCount"]
        ),
        (&json!(2), &json!(2), &json!(6))
    );
    let trends = ann
        .get(&format!("/projects/{id}/progress/trends?period=month"))
        .await
        .succeeded();
    let last = trends["points"]
        .as_array()
        .and_then(|points| points.last())
        .expect("a point");
    assert_eq!(
        (&last["wordCount"], &last["chapterCount"]),
        (&json!(6), &json!(2))
    );

    assert_eq!(
        ann.delete(&format!("/projects/{id}/volumes/{volume}"))
            .await
            .status,
        204
    );
    assert_eq!(
        ann.titles(&id).await,
        ["雾起", "来信"],
        "chapters outlive their volume"
    );
    ann.delete(&format!("/projects/{id}/volumes/{volume}"))
        .await
        .refused(404, "no_entry");
    assert_eq!(ann.delete(&format!("/projects/{id}")).await.status, 204);
    ann.get(&format!("/projects/{id}"))
        .await
        .refused(410, "erased");
    assert!(ann.list("/projects").await.is_empty());
}

#[tokio::test(flavor = "multi_thread")]
async fn two_people_who_change_one_text_lose_nothing() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The light").await;
    let chapter = ann
        .chapter(&id, "Dark", "The lamp went out. Nobody spoke. Rain fell.")
        .await;
    let content = format!("/projects/{id}/chapters/{chapter}/content");
    let first =
        json!({ "content": "The lamp went out at nine. Nobody spoke. Rain fell.", "version": 1 });
    assert_eq!(ann.put(&content, first).await.succeeded()["version"], 2);
    // Another sentence was changed: the two changes can be merged.
    let yours = "The lamp went out. Nobody spoke. Snow fell.";
    let stale = ann
        .put(&content, json!({ "content": yours, "version": 1 }))
        .await;
    assert_eq!(stale.status, 409);
    assert_eq!(stale.body["error"]["code"], "stale_text");
    assert_eq!(stale.body["yours"]["content"], yours);
    assert_eq!(stale.body["theirs"]["version"], 2);
    let merged = "The lamp went out at nine. Nobody spoke. Snow fell.";
    assert_eq!(
        (&stale.body["merged"], &stale.body["conflicts"]),
        (&json!(merged), &json!(0))
    );
    let sent = ann
        .send(
            Method::PUT,
            &content,
            &[("if-match", "\"2\"")],
            Some(json!({ "content": merged })),
        )
        .await;
    assert_eq!(sent.header("etag"), "\"3\"");
    // The same sentence was changed: a person has to decide.
    let other = json!({ "content": "The lamp burst. Nobody spoke. Snow fell.", "version": 1 });
    let stale = ann.put(&content, other).await;
    assert_eq!(
        (stale.status.as_u16(), &stale.body["merged"]),
        (409, &Value::Null)
    );
    assert_eq!(stale.body["conflicts"], 1);

    let snapshots = format!("/projects/{id}/chapters/{chapter}/snapshots");
    let kept = ann
        .post(&snapshots, json!({ "description": "before the storm" }))
        .await
        .succeeded();
    assert_eq!(
        (&kept["version"], &kept["trigger"]),
        (&json!(4), &json!("MANUAL"))
    );
    let list = ann.list(&snapshots).await;
    let numbers: Vec<&Value> = list.iter().map(|it| &it["version"]).collect();
    assert_eq!(numbers, [4, 3, 2, 1]);
    let diff = ann.get(&format!("{snapshots}/1/diff")).await.succeeded();
    assert_eq!(
        (&diff["additions"], &diff["deletions"]),
        (&json!(3), &json!(1))
    );
    let pieces = diff["changes"].as_array().expect("changes");
    let old: String = pieces
        .iter()
        .filter(|it| it["type"] != "add")
        .map(|it| text(&it["value"]))
        .collect();
    assert_eq!(old, "The lamp went out. Nobody spoke. Rain fell.");
    let compared = ann
        .get(&format!("{snapshots}/compare?from=2&to=1"))
        .await
        .succeeded();
    assert_eq!(
        (&compared["additions"], &compared["deletions"]),
        (&json!(0), &json!(2))
    );
    assert_eq!(
        ann.get(&format!("{snapshots}/1")).await.succeeded()["content"],
        old
    );
    let restored = ann
        .send(Method::POST, &format!("{snapshots}/1/restore"), &[], None)
        .await
        .succeeded();
    assert_eq!(
        (&restored["version"], &restored["content"]),
        (&json!(5), &json!(old))
    );
    ann.delete(&format!("{snapshots}/5"))
        .await
        .refused(409, "version_in_use");
    assert_eq!(ann.delete(&format!("{snapshots}/2")).await.status, 204);
    ann.get(&format!("{snapshots}/2"))
        .await
        .refused(404, "no_version");
    ann.delete(&format!("{snapshots}/2"))
        .await
        .refused(404, "no_entry");

    let lock = format!("/projects/{id}/chapters/{chapter}/lock");
    ann.send(Method::POST, &lock, &[], None).await.succeeded();
    ann.put(&content, json!({ "content": "late" }))
        .await
        .refused(409, "locked");
    ann.post(&lock, json!({ "locked": false }))
        .await
        .succeeded();
    ann.write(&id, &chapter, "late").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn chapters_are_divided_and_joined_and_all_others_keep_their_ids() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The light").await;
    let one = ann
        .chapter(&id, "Dark", "The lamp went out. Rain fell.")
        .await;
    let two = ann.chapter(&id, "Light", "The lamp burnt.").await;
    let chapters = format!("/projects/{id}/chapters");
    ann.accept(&id, &one).await;
    let named = [("idempotency-key", "k1")];
    let cut = json!({ "at": 18, "title": "Rain" });
    let split = ann
        .send(
            Method::POST,
            &format!("{chapters}/{one}/split"),
            &named,
            Some(cut.clone()),
        )
        .await
        .succeeded();
    let new = text(&split["second"]["id"]);
    assert_eq!(ann.titles(&id).await, ["Dark", "Rain", "Light"]);
    let again = ann
        .send(
            Method::POST,
            &format!("{chapters}/{one}/split"),
            &named,
            Some(cut),
        )
        .await
        .succeeded();
    assert_eq!(again["second"]["id"], split["second"]["id"]);
    let content = |chapter: &str| format!("{chapters}/{chapter}/content");
    let first = ann.get(&content(&one)).await.succeeded();
    assert_eq!(
        (&first["content"], &first["acceptedVersion"]),
        (&json!("The lamp went out."), &json!(2))
    );
    assert_eq!(
        ann.get(&content(&new)).await.succeeded()["content"],
        "Rain fell."
    );
    assert_eq!(
        ann.get(&format!("{chapters}/{two}")).await.succeeded()["chapterOrder"],
        3
    );
    ann.post(&format!("{chapters}/{one}/split"), json!({ "at": 900 }))
        .await
        .refused(422, "bad_place");

    let waits = json!({ "projectId": id, "title": "The rain", "introChapterId": new });
    let plot_loop = ann.made("/plotloops", waits).await;
    let merged = ann
        .send(Method::POST, &format!("{chapters}/{one}/merge"), &[], None)
        .await
        .succeeded();
    assert_eq!(merged["acceptedVersion"], merged["draftVersion"]);
    assert_eq!(ann.titles(&id).await, ["Dark", "Light"]);
    assert_eq!(
        ann.get(&content(&one)).await.succeeded()["content"],
        "The lamp went out.\n\nRain fell."
    );
    let plot_loop = ann
        .get(&format!("/plotloops/{plot_loop}"))
        .await
        .succeeded();
    assert_eq!(
        plot_loop["introChapterId"], one,
        "what referred to the one that is gone"
    );
    ann.send(Method::POST, &format!("{chapters}/{two}/merge"), &[], None)
        .await
        .refused(404, "no_entry");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_accepted_chapters_say_is_taken_or_refused_and_holds_then() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The Skerry Light").await;
    let person = |name: &str| json!({ "projectId": id, "name": name, "role": "minor" });
    let hester = ann.made("/characters", person("Hester Voss")).await;
    let jonah = ann.made("/characters", person("Jonah Rook")).await;
    let pier = ann
        .made(
            &format!("/projects/{id}/entries"),
            json!({ "kind": "place", "name": "Dunmore" }),
        )
        .await;
    let one = ann
        .chapter(
            &id,
            "One",
            "Hester Voss has grey eyes. Hester Voss is thirty years old.",
        )
        .await;
    let two = ann
        .chapter(&id, "Two", "Jonah looked at the grey eyes of Hester Voss.")
        .await;
    ann.accept(&id, &one).await;
    ann.accept(&id, &two).await;
    let facts = format!("/projects/{id}/facts");
    let new = within("the facts", async {
        loop {
            let new = ann
                .list(&format!("{facts}?state=new&chapterId={one}"))
                .await;
            if !new.is_empty() {
                return new;
            }
        }
    })
    .await;
    let said = |kind: &str| {
        let it = new.iter().find(|it| it["says"]["type"] == kind);
        it.unwrap_or_else(|| panic!("no {kind}: {new:#?}"))
    };
    let eyes = said("appearance");
    assert_eq!(
        (&eyes["chapterOrder"], &eyes["quote"]["text"]),
        (&json!(1), &json!("Hester Voss has grey eyes."))
    );
    let refused: Vec<&Value> = new
        .iter()
        .map(|it| &it["id"])
        .filter(|it| **it != eyes["id"])
        .collect();
    let counted = ann
        .post(&facts, json!({ "taken": [eyes["id"]], "refused": refused }))
        .await
        .succeeded();
    assert_eq!(
        (&counted["taken"], &counted["refused"]),
        (&json!(1), &json!(refused.len()))
    );
    ann.post(&facts, json!({ "taken": ["nothing"] }))
        .await
        .refused(404, "no_fact");
    ann.get(&format!("{facts}?state=old"))
        .await
        .refused(422, "bad_value");

    let state = format!("/evolution/state?entityType=CHARACTER&entityId={hester}&chapterOrder=1");
    let state = ann.get(&state).await.succeeded();
    assert_eq!(
        state["values"]["appearance.eyes"]["value"], "grey",
        "{state:#}"
    );
    let tracked = ann
        .list(&format!(
            "/evolution/track?entityId={hester}&fromChapterOrder=1&toChapterOrder=2"
        ))
        .await;
    assert_eq!(tracked[0]["sourceText"], "Hester Voss has grey eyes.");
    let compared = ann
        .get(&format!(
            "/evolution/compare?entityId={hester}&fromChapterOrder=0&toChapterOrder=1"
        ))
        .await
        .succeeded();
    assert_eq!(compared["changes"][0]["newValue"], "grey");
    assert_eq!(
        ann.list(&format!("/evolution/snapshots?entityId={hester}"))
            .await
            .len(),
        2
    );
    assert_eq!(
        ann.get(&format!("/evolution/state/latest?entityId={pier}"))
            .await
            .succeeded()["entityName"],
        "Dunmore"
    );
    ann.get(&format!("/evolution/state?entityId={one}"))
        .await
        .refused(404, "no_entry");
    let states = format!("/evolution/states?projectId={id}");
    let all = ann.list(&states).await;
    let characters = ann.list(&format!("{states}&entityType=CHARACTER")).await;
    let names = |states: &[Value]| -> Vec<String> {
        states.iter().map(|it| text(&it["entityName"])).collect()
    };
    assert_eq!(names(&characters), ["Hester Voss", "Jonah Rook"]);
    assert!(names(&all).contains(&"Dunmore".to_owned()), "{all:#?}");
    assert_eq!(
        characters[0]["values"]["appearance.eyes"]["value"], "grey",
        "{characters:#?}"
    );
    let before = ann
        .list(&format!("{states}&entityType=CHARACTER&chapterOrder=0"))
        .await;
    assert_eq!(before[0]["values"].get("appearance.eyes"), None);
    ann.get(&format!("{states}&entityType=VOLUME"))
        .await
        .refused(422, "bad_value");
    ann.get("/evolution/states?projectId=nothing")
        .await
        .refused(404, "no_project");
    let timeline = ann.list(&format!("/projects/{id}/timeline")).await;
    assert_eq!(
        timeline[0]["facts"][0]["sourceText"],
        "Hester Voss has grey eyes."
    );

    let leaning = format!("/projects/{id}/chapters/{one}/leaning");
    let gone = ann
        .post(
            &leaning,
            json!({ "content": "Hester Voss has green eyes." }),
        )
        .await
        .succeeded();
    let of_eyes = gone["leaning"]
        .as_array()
        .expect("a list")
        .iter()
        .find(|it| it["fact"]["says"]["type"] == "appearance");
    let of_eyes = of_eyes.unwrap_or_else(|| panic!("nothing of the eyes: {gone:#}"));
    assert_eq!(of_eyes["change"]["type"], "becomes");
    let found = ann
        .list(&format!(
            "/projects/{id}/search?q=thirty%20years&kinds=story_block"
        ))
        .await;
    assert_eq!(found[0]["sourceId"], one);
    let context = json!({ "message": "Hester Voss at the door", "chapterId": two, "characterIds": [jonah], "budget": 2000 });
    let context = ann
        .post(&format!("/projects/{id}/context"), context)
        .await
        .succeeded();
    assert!(
        text(&context["text"]).contains("Hester Voss"),
        "{context:#}"
    );
    assert!(context["total"].as_u64() <= context["budget"].as_u64());
    ann.post(
        &format!("/projects/{id}/context"),
        json!({ "chapterId": "none" }),
    )
    .await
    .refused(404, "no_entry");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_bible_is_kept_by_kinds_and_read_from_every_side() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("雾港").await;
    let person = |name: &str| json!({ "projectId": id, "name": name, "role": "protagonist", "personality": "冷静", "archetype": "hero" });
    let lin = ann.made("/characters", person("林晚")).await;
    let zhou = ann.made("/characters", person("周行")).await;
    // Each is the teacher of the other. That this is impossible is found by the checks, not refused here.
    for (from, to) in [(&lin, &zhou), (&zhou, &lin)] {
        let teaches = json!({ "targetId": to, "type": "师父", "description": "旧事" });
        ann.made(&format!("/characters/{from}/relationships"), teaches)
            .await;
    }
    let unknown = json!({ "targetId": "nobody", "type": "师父" });
    ann.post(&format!("/characters/{lin}/relationships"), unknown)
        .await
        .refused(404, "no_entry");
    let graph = ann
        .get(&format!("/characters/project/{id}/graph"))
        .await
        .succeeded();
    assert_eq!(graph["nodes"].as_array().map(Vec::len), Some(2));
    assert_eq!(graph["edges"].as_array().map(Vec::len), Some(2));
    assert_eq!(graph["nodes"][0]["isActive"], true);
    let svg = ann
        .get(&format!("/characters/project/{id}/graph.svg"))
        .await;
    assert_eq!(svg.header("content-type"), "image/svg+xml");
    assert!(text(&svg.body).contains("林晚"));
    let dead = ann
        .patch(
            &format!("/characters/{zhou}/status"),
            json!({ "status": "dead" }),
        )
        .await
        .succeeded();
    assert_eq!(
        (&dead["status"], &dead["personality"]),
        (&json!("dead"), &json!(["冷静"]))
    );
    let tag = dead["version"].to_string();
    let renamed = json!({ "name": "周远", "appearance": { "眼睛": "灰" } });
    ann.put(&format!("/characters/{zhou}"), renamed)
        .await
        .succeeded();
    let renamed = Some(json!({ "name": "周" }));
    let tag = [("if-match", tag.as_str())];
    let path = format!("/characters/{zhou}");
    let stale = ann.send(Method::PUT, &path, &tag, renamed).await;
    stale.refused(409, "changed");
    ann.put(&format!("/characters/{zhou}"), json!({ "appearance": 3 }))
        .await
        .refused(422, "bad_body");
    assert_eq!(
        ann.list(&format!("/characters/project/{id}")).await.len(),
        2
    );
    assert_eq!(ann.delete(&format!("/characters/{zhou}")).await.status, 204);
    assert!(
        ann.list(&format!("/characters/{lin}/relationships"))
            .await
            .is_empty()
    );

    let rule = json!({ "forbids": ["御剑"], "unlessTrait": ["剑修"], "says": "凡人不能御剑" });
    let sword = json!({ "projectId": id, "title": "剑道", "type": "power_system", "content": "以气御剑", "aliases": ["剑术"], "tags": ["修炼"], "rules": [rule] });
    let sword = ann.made("/wiki", sword).await;
    let found = ann
        .list(&format!("/wiki/project/{id}/search?keyword=剑术"))
        .await;
    assert_eq!(
        (&found[0]["id"], &found[0]["rules"][0]["unlessTrait"]),
        (&json!(sword), &json!(["剑修"]))
    );
    assert_eq!(
        ann.list(&format!("/wiki/project/{id}/type/POWER_SYSTEM"))
            .await
            .len(),
        1
    );
    assert!(
        ann.list(&format!("/wiki/project/{id}/type/geography"))
            .await
            .is_empty()
    );

    let mut chapters = vec![];
    for number in 1..=14 {
        let chapter = ann.chapter(&id, &format!("第{number}章"), "雾。").await;
        ann.accept(&id, &chapter).await;
        chapters.push(chapter);
    }
    let letter = json!({ "projectId": id, "title": "来信", "introChapterId": chapters[0], "dueChapterId": chapters[12] });
    let letter = ann.made("/plotloops", letter).await;
    let pressing = ann
        .list(&format!("/plotloops/project/{id}?pressing=true"))
        .await;
    let flags = [
        &pressing[0]["urgent"],
        &pressing[0]["overdue"],
        &pressing[0]["introChapterOrder"],
    ];
    assert_eq!(flags, [&json!(true), &json!(true), &json!(1)]);
    let early = ann
        .list(&format!("/plotloops/project/{id}?chapterOrder=3"))
        .await;
    assert_eq!(
        (&early[0]["urgent"], &early[0]["openFor"]),
        (&json!(false), &json!(2))
    );
    let status = format!("/plotloops/{letter}/status");
    ann.patch(&status, json!({ "status": "ABANDONED" }))
        .await
        .refused(422, "no_reason");
    ann.patch(&status, json!({ "status": "LOST" }))
        .await
        .refused(422, "bad_value");
    let closed = json!({ "status": "RESOLVED", "resolutionChapterId": chapters[13] });
    let closed = ann.patch(&status, closed).await.succeeded();
    assert_eq!(
        (&closed["resolutionChapterOrder"], &closed["overdue"]),
        (&json!(14), &json!(false))
    );
    assert_eq!(
        ann.list(&format!("/plotloops/project/{id}/line")).await[13]["resolved"],
        json!([letter])
    );

    let original = json!({ "originalAi": "雾很大。", "userFinal": "雾大得看不见船。" });
    let sample = ann
        .post(&format!("/projects/{id}/style/samples"), original)
        .await
        .succeeded();
    assert!(
        sample["editRatio"]
            .as_f64()
            .is_some_and(|ratio| ratio > 0.0 && ratio < 1.0),
        "{sample:#}"
    );
    let stats = ann
        .get(&format!("/projects/{id}/style/stats"))
        .await
        .succeeded();
    assert_eq!(
        (&stats["sampleCount"], &stats["totalWords"]),
        (&json!(1), &json!(7))
    );
    let like = ann
        .list(&format!("/projects/{id}/style/samples/search?q=看不见的船"))
        .await;
    assert_eq!(like[0]["id"], sample["id"]);
    assert_eq!(ann.list("/archetypes").await.len(), 15);
    assert_eq!(
        ann.get("/archetypes/mentor?language=en").await.succeeded()["name"],
        "Mentor"
    );
    let all = ann
        .list(&format!("/projects/{id}/entries?kind=world"))
        .await;
    assert_eq!((all.len(), &all[0]["kind"]), (1, &json!("world")));
    ann.post(
        &format!("/projects/{id}/entries"),
        json!({ "kind": "dragon" }),
    )
    .await
    .refused(422, "bad_value");
}

#[tokio::test(flavor = "multi_thread")]
async fn findings_are_computed_and_what_people_said_of_them_stays() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The light").await;
    for _ in 0..2 {
        ann.made(
            "/characters",
            json!({ "projectId": id, "name": "Hester Voss", "role": "minor" }),
        )
        .await;
    }
    ann.made(
        "/characters",
        json!({ "projectId": id, "name": "Jonah Rook", "role": "" }),
    )
    .await;
    let warnings = format!("/consistency/projects/{id}/warnings");
    let doubled = ann
        .list(&format!(
            "{warnings}?warningType=NAME_DUPLICATE&entityType=CHARACTER"
        ))
        .await;
    assert_eq!(doubled[0]["severity"], "ERROR", "{doubled:#?}");
    let before = ann.get(&format!("{warnings}/count")).await.succeeded();
    let key = text(&doubled[0]["id"]);
    let one = format!("/consistency/warnings/{key}");
    ann.post(&format!("{one}/dismiss"), json!({}))
        .await
        .refused(422, "no_reason");
    let dismissed = ann
        .post(
            &format!("{one}/dismiss"),
            json!({ "reason": "they are twins" }),
        )
        .await
        .succeeded();
    assert_eq!(
        (&dismissed["dismissed"], &dismissed["resolutionMethod"]),
        (&json!(true), &json!("they are twins"))
    );
    let after = ann.get(&format!("{warnings}/count")).await.succeeded();
    assert_eq!(
        after["error"].as_u64().map(|n| n + 1),
        before["error"].as_u64()
    );
    ann.chapter(&id, "One", "Rain.").await;
    assert!(
        ann.list(&format!("{warnings}?warningType=NAME_DUPLICATE"))
            .await
            .is_empty(),
        "it stays dismissed"
    );
    assert_eq!(
        ann.list(&format!(
            "{warnings}?warningType=NAME_DUPLICATE&settled=true"
        ))
        .await
        .len(),
        1
    );
    let missing = ann
        .list(&format!("{warnings}?warningType=MISSING_FIELD"))
        .await;
    let ids: Vec<&Value> = missing.iter().map(|it| &it["id"]).collect();
    let many = json!({ "ids": ids, "resolutionMethod": "the role will come" });
    let settled = ann
        .post("/consistency/warnings/bulk-resolve", many)
        .await
        .succeeded();
    assert_eq!(settled["settled"], ids.len());
    ann.get("/consistency/warnings/nothing")
        .await
        .refused(404, "no_finding");
    let many = json!({ "ids": [key, "nothing"], "reason": "r" });
    ann.post("/consistency/warnings/bulk-dismiss", many)
        .await
        .refused(404, "no_finding");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_project_that_goes_out_comes_in_the_same() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The light").await;
    let hester = ann
        .made(
            "/characters",
            json!({ "projectId": id, "name": "Hester Voss", "role": "minor" }),
        )
        .await;
    let chapter = ann.chapter(&id, "One", "Hester Voss has grey eyes.").await;
    ann.accept(&id, &chapter).await;
    ann.write(&id, &chapter, "Hester Voss has green eyes.")
        .await;
    let snapshots = format!("/projects/{id}/chapters/{chapter}/snapshots");
    ann.post(&snapshots, json!({ "description": "kept" }))
        .await
        .succeeded();
    ann.delete(&format!("{snapshots}/2")).await;
    ann.post(
        &format!("/projects/{id}/chapters/{chapter}/lock"),
        json!({ "locked": true }),
    )
    .await
    .succeeded();
    let out = ann
        .get(&format!("/projects/{id}/export?format=json"))
        .await
        .succeeded();
    let named = [("idempotency-key", "in")];
    let came = ann
        .send(Method::POST, "/projects/import", &named, Some(out.clone()))
        .await
        .succeeded();
    let copy = text(&came["id"]);
    assert_eq!(came["chapters"], 1);
    let again = ann
        .get(&format!("/projects/{copy}/export?format=json"))
        .await
        .succeeded();
    assert_eq!(again, out);
    let repeated = ann
        .send(Method::POST, "/projects/import", &named, Some(out.clone()))
        .await
        .succeeded();
    assert_eq!(repeated["id"], copy);
    // The copy has the same ids as the first project, so a request has to say which project it means.
    ann.get(&format!("/characters/{hester}"))
        .await
        .refused(409, "ambiguous_id");
    let told = ann
        .get(&format!("/characters/{hester}?projectId={copy}"))
        .await
        .succeeded();
    assert_eq!(told["projectId"], copy);
    ann.post("/projects/import", json!({ "format": "other" }))
        .await
        .refused(422, "bad_document");
    let mut wrong = out;
    wrong["entries"][0]["kind"] = json!("dragon");
    let refused = ann.post("/projects/import", wrong).await;
    assert!(refused.refused(422, "bad_document").contains("entries[0]"));
}

/// A manuscript of two chapters in the encoding of old Chinese files.
const GBK: &[u8] = b"\xb5\xda\xd2\xbb\xd5\xc2 \xce\xed\xc6\xf0\n\xc7\xe5\xb3\xbf\xb5\xc4\xb8\xdb\xbf\xda\xc6\xf0\xc1\xcb\xb4\xf3\xce\xed\xa3\xac\xc1\xd6\xcd\xed\xb6\xc0\xd7\xd4\xd7\xdf\xd4\xda\xc2\xeb\xcd\xb7\xc9\xcf\xa3\xac\xcc\xfd\xbc\xfb\xd4\xb6\xb4\xa6\xb5\xc4\xd6\xd3\xc9\xf9\xa1\xa3\n\n\xb5\xda\xb6\xfe\xd5\xc2 \xc0\xb4\xd0\xc5\n\xcb\xfd\xd4\xda\xbe\xc9\xca\xe9\xb5\xea\xc0\xef\xca\xd5\xb5\xbd\xc1\xcb\xd2\xbb\xb7\xe2\xc3\xbb\xd3\xd0\xca\xf0\xc3\xfb\xb5\xc4\xd0\xc5\xa3\xac\xd0\xc5\xc0\xef\xd6\xbb\xd3\xd0\xd2\xbb\xd0\xd0\xd7\xd6\xa1\xa3\n";

#[tokio::test(flavor = "multi_thread")]
async fn manuscripts_come_in_as_chapters_and_nothing_is_lost() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let came = ann
        .bring("novel.txt", "&title=雾港", GBK.to_vec())
        .await
        .succeeded();
    assert_eq!(
        (&came["title"], &came["language"], &came["chapters"]),
        (&json!("雾港"), &json!("zh"), &json!(2))
    );
    assert_eq!(
        came["encoding"].as_str().map(str::to_lowercase).as_deref(),
        Some("gb18030")
    );
    let id = text(&came["id"]);
    assert_eq!(ann.titles(&id).await, ["第一章 雾起", "第二章 来信"]);
    let content = ann
        .get(&format!("/projects/{id}/chapters/chapter-002/content"))
        .await
        .succeeded();
    assert_eq!(
        content["content"],
        "她在旧书店里收到了一封没有署名的信，信里只有一行字。"
    );
    let chapter = ann
        .get(&format!("/projects/{id}/chapters/chapter-001"))
        .await
        .succeeded();
    assert_eq!(
        chapter["acceptedVersion"],
        Value::Null,
        "what comes in are drafts"
    );

    let plain = "Rain fell.\n\nNobody spoke.\n";
    let came = ann
        .bring("rain.md", "&accept=true", plain.as_bytes().to_vec())
        .await
        .succeeded();
    assert_eq!(came["chapters"], 1);
    let id = text(&came["id"]);
    let markdown = api
        .bytes(&format!("/api/projects/{id}/export?format=md"))
        .await;
    let markdown = String::from_utf8(markdown).expect("UTF-8");
    assert!(
        markdown.contains("Rain fell.\n\nNobody spoke."),
        "{markdown}"
    );
    let docx = api
        .bytes(&format!("/api/projects/{id}/export?format=docx"))
        .await;
    let came = ann.bring("rain.docx", "", docx).await.succeeded();
    let id = text(&came["id"]);
    let drafts = api
        .bytes(&format!("/api/projects/{id}/export?format=md&drafts=true"))
        .await;
    assert!(String::from_utf8_lossy(&drafts).contains("Nobody spoke."));

    let bomb = ann
        .bring("bomb.docx", "", bomb())
        .await
        .refused(422, "bad_manuscript");
    assert!(bomb.contains("at most"), "{bomb}");
    ann.bring("empty.txt", "", vec![])
        .await
        .refused(422, "bad_manuscript");
    let nameless = api
        .send(
            Method::POST,
            "/api/projects/import",
            &[],
            Some(b"x".to_vec()),
        )
        .await;
    nameless.refused(400, "bad_request");
}

/// A Word document of some hundred kilobytes whose text would fill 300 MiB: one letter, and then the same reference to it again and
/// again.
fn bomb() -> Vec<u8> {
    const MATCHES: u32 = 300 * 4096;
    let mut bits = Bits::default();
    // The last block, with the codes that need no table.
    bits.put(1, 1);
    bits.put(1, 2);
    bits.code(0x30 + u32::from(b' '), 8);
    for _ in 0..MATCHES {
        // 258 bytes, one byte back.
        bits.code(0b1100_0101, 8);
        bits.code(0, 5);
    }
    bits.code(0, 7);
    let packed = bits.bytes();
    let size = 1 + MATCHES * 258;
    let types = br#"<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>"#;
    let relations = br#"<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>"#;
    // The checksum of the packed text does not matter: reading stops before it.
    let parts: [(&str, u16, u32, &[u8], u32); 3] = [
        (
            "[Content_Types].xml",
            0,
            0x5A126EAC,
            types,
            types.len() as u32,
        ),
        (
            "_rels/.rels",
            0,
            0xF7BE1E4B,
            relations,
            relations.len() as u32,
        ),
        ("word/document.xml", 8, 0, &packed, size),
    ];
    let (mut file, mut directory) = (vec![], vec![]);
    for (name, method, checksum, packed, size) in parts {
        let at = file.len() as u32;
        let mut said = vec![20, 0, 0, 0];
        said.extend(method.to_le_bytes());
        said.extend([0; 4]);
        said.extend(u32::to_le_bytes(checksum));
        said.extend((packed.len() as u32).to_le_bytes());
        said.extend(size.to_le_bytes());
        said.extend((name.len() as u16).to_le_bytes());
        said.extend([0, 0]);
        file.extend(b"PK\x03\x04");
        file.extend(&said);
        file.extend(name.as_bytes());
        file.extend(packed);
        directory.extend(b"PK\x01\x02\x14\x00");
        directory.extend(&said);
        directory.extend([0; 10]);
        directory.extend(at.to_le_bytes());
        directory.extend(name.as_bytes());
    }
    let at = file.len() as u32;
    file.extend(&directory);
    file.extend(b"PK\x05\x06\x00\x00\x00\x00\x03\x00\x03\x00");
    file.extend((directory.len() as u32).to_le_bytes());
    file.extend(at.to_le_bytes());
    file.extend([0, 0]);
    file
}

/// Bits as deflate packs them, the first one lowest.
#[derive(Default)]
struct Bits {
    done: Vec<u8>,
    open: u64,
    count: u32,
}

impl Bits {
    fn put(&mut self, bits: u32, count: u32) {
        self.open |= u64::from(bits) << self.count;
        self.count += count;
        while self.count >= 8 {
            self.done.push((self.open & 0xFF) as u8);
            self.open >>= 8;
            self.count -= 8;
        }
    }

    /// A code, whose highest bit comes first.
    fn code(&mut self, code: u32, count: u32) {
        self.put(code.reverse_bits() >> (32 - count), count);
    }

    fn bytes(mut self) -> Vec<u8> {
        self.done.push((self.open & 0xFF) as u8);
        self.done
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn nobody_sees_or_changes_the_project_of_somebody_else() {
    let place = TestFolder::new();
    let server = Server::start(with_keys(&place)).await;
    let api = server.api();
    let (ann, bob) = (
        Writer {
            api: &api,
            key: Some(ANN),
        },
        Writer {
            api: &api,
            key: Some(BOB),
        },
    );
    let nobody = Writer {
        api: &api,
        key: None,
    };
    let login = nobody
        .post(
            "/auth/login",
            json!({ "identifier": "ann", "password": "secret-of-ann-012345678" }),
        )
        .await
        .succeeded();
    assert_eq!(
        (&login["accessToken"], &login["tokenType"]),
        (&json!("secret-of-ann-012345678"), &json!("Bearer"))
    );
    assert_eq!(login["user"]["username"], "ann");
    let fresh = nobody
        .post(
            "/auth/refresh",
            json!({ "refreshToken": login["refreshToken"] }),
        )
        .await
        .succeeded();
    assert_eq!(fresh["accessToken"], login["accessToken"]);
    nobody
        .post(
            "/auth/login",
            json!({ "identifier": "ann", "password": "guess" }),
        )
        .await
        .refused(401, "unauthorized");
    let register = nobody
        .post("/auth/register", json!({ "username": "eve" }))
        .await;
    assert!(text(&register.body["message"]).contains("operator"));
    register.refused(403, "no_registration");
    assert_eq!(nobody.post("/auth/logout", json!({})).await.status, 204);
    assert_eq!(ann.get("/auth/me").await.succeeded()["id"], "ann");
    nobody.get("/projects").await.refused(401, "unauthorized");

    let id = ann.project("The light").await;
    let chapter = ann.chapter(&id, "One", "Rain.").await;
    let lin = ann
        .made(
            "/characters",
            json!({ "projectId": id, "name": "Lin", "role": "minor" }),
        )
        .await;
    assert!(bob.list("/projects").await.is_empty());
    for path in [
        "",
        "/chapters",
        "/progress",
        "/export",
        "/facts",
        "/entries",
        "/style/samples",
        "/search?q=rain",
        "/timeline",
    ] {
        bob.get(&format!("/projects/{id}{path}"))
            .await
            .refused(404, "no_project");
    }
    bob.put(&format!("/projects/{id}"), json!({ "title": "mine" }))
        .await
        .refused(404, "no_project");
    bob.delete(&format!("/projects/{id}"))
        .await
        .refused(404, "no_project");
    let content = format!("/projects/{id}/chapters/{chapter}/content");
    bob.put(&content, json!({ "content": "mine" }))
        .await
        .refused(404, "no_project");
    bob.post(
        "/characters",
        json!({ "projectId": id, "name": "Eve", "role": "" }),
    )
    .await
    .refused(404, "no_project");
    bob.get(&format!("/characters/{lin}"))
        .await
        .refused(404, "no_entry");
    bob.get(&format!("/characters/{lin}?projectId={id}"))
        .await
        .refused(404, "no_project");
    bob.delete(&format!("/characters/{lin}"))
        .await
        .refused(404, "no_entry");
    bob.get(&format!("/consistency/projects/{id}/warnings"))
        .await
        .refused(404, "no_project");
    bob.get(&format!("/evolution/state?entityId={lin}"))
        .await
        .refused(404, "no_entry");
    // The stream for the work on a project cannot be read as a project.
    ann.get(&format!("/projects/{id}%2Fwork"))
        .await
        .refused(404, "no_project");
    assert_eq!(ann.get(&content).await.succeeded()["content"], "Rain.");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_too_much_or_not_there_is_refused_by_name() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let ann = Writer {
        api: &api,
        key: None,
    };
    let id = ann.project("The light").await;
    let chapter = ann.chapter(&id, "One", "").await;
    let most = "雾".repeat(1024 * 1024 / 3);
    assert_eq!(
        ann.write(&id, &chapter, &most).await["wordCount"],
        1024 * 1024 / 3
    );
    let content = format!("/projects/{id}/chapters/{chapter}/content");
    let more = json!({ "content": format!("{most}雾雾") });
    ann.put(&content, more).await.refused(413, "text_too_large");
    ann.get("/projects/nothing")
        .await
        .refused(404, "no_project");
    ann.get(&format!("/projects/{id}/chapters/nothing"))
        .await
        .refused(404, "no_entry");
    ann.get(&format!("/projects/{id}/volumes/{chapter}"))
        .await
        .refused(404, "no_entry");
    ann.post(
        &format!("/projects/{id}/chapters"),
        json!({ "title": "Two", "volumeId": "nothing" }),
    )
    .await
    .refused(404, "no_entry");
    ann.post(&format!("/projects/{id}/chapters"), json!({ "title": "" }))
        .await
        .refused(422, "bad_name");
    ann.post("/projects", json!({ "description": "no title" }))
        .await
        .refused(422, "bad_body");
    ann.send(
        Method::PATCH,
        &format!("/projects/{id}/phase?phase=SLEEP"),
        &[],
        None,
    )
    .await
    .refused(422, "bad_value");
    let long = json!({ "projectId": id, "name": "x".repeat(300), "role": "" });
    ann.post("/characters", long).await.refused(422, "bad_name");
    let large = json!({ "projectId": id, "title": "Wind", "content": "x".repeat(100_000) });
    ann.post("/wiki", large)
        .await
        .refused(413, "entry_too_large");
    let accept = format!("/projects/{id}/chapters/{chapter}/accept");
    ann.post(&accept, json!({ "version": 9 }))
        .await
        .refused(404, "no_version");
    ann.post(&accept, json!({ "version": "one" }))
        .await
        .refused(422, "bad_body");
    let key = [("idempotency-key", "k1")];
    let first = ann
        .send(
            Method::POST,
            "/projects",
            &key,
            Some(json!({ "title": "Twice" })),
        )
        .await
        .succeeded();
    let again = ann
        .send(
            Method::POST,
            "/projects",
            &key,
            Some(json!({ "title": "Twice" })),
        )
        .await
        .succeeded();
    assert_eq!(first["id"], again["id"]);
    assert_eq!(ann.list("/projects").await.len(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_said_of_one_project_alone_ends_with_it() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let writer = Writer {
        api: &api,
        key: None,
    };
    let (one, other) = (writer.project("One").await, writer.project("Other").await);
    for (session, project) in [
        ("alone", &one),
        ("both", &one),
        ("both", &other),
        ("other", &other),
    ] {
        let body = json!({ "message": "hello", "projectId": project, "sessionId": session });
        writer.post("/v2/agent/chat/simple", body).await.succeeded();
    }
    let deleted = writer.delete(&format!("/projects/{one}")).await;
    assert_eq!(deleted.status, 204, "{:#}", deleted.body);
    for (session, status) in [("alone", 410_u16), ("both", 200), ("other", 200)] {
        let answer = api.get(&format!("/v1/sessions/{session}")).await;
        assert_eq!(answer.status, status, "{session}: {:#}", answer.body);
    }
}
