//! One session and many messages: changes on changes, in either language, and something new after it.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::root;

/// A session of the offline author with a deck from a source.
struct Talk {
    api: Api,
    runs: u32,
    _server: Server,
    _place: TestFolder,
}

impl Talk {
    async fn about_photosynthesis() -> Self {
        let place = TestFolder::new();
        let mut command = palimpsest(&place);
        command.env("PALIMPSEST_MODEL", "offline");
        let server = Server::start(command).await;
        let api = server.api();
        let source = std::fs::read(root().join("examples/photosynthesis.md")).expect("a source");
        let address = "/v1/files?name=photosynthesis.md";
        let uploaded = api.send(Method::POST, address, &[], Some(source)).await;
        let file = &uploaded.succeeded()["file"];
        let opening = json!({
            "pipeline": "course", "message": "光合作用入门，8 页", "session": "s",
            "attachments": [{ "path": "photosynthesis.md", "file": file }],
        });
        api.open(&opening).await;
        let mut follow = Follow::new(&api, "s", "native");
        follow.end("r1", "run_completed").await;
        Self {
            api,
            runs: 1,
            _server: server,
            _place: place,
        }
    }

    /// Says it and waits until what it asked for is made.
    async fn say(&mut self, text: &str) {
        self.runs += 1;
        let run = format!("r{}", self.runs);
        let payload = json!({ "message": text });
        let answer = self.api.command("s", &run, "send_message", payload).await;
        assert_eq!(answer.succeeded()["run"], run);
        let mut follow = Follow::new(&self.api, "s", "native");
        follow.end(&run, "run_completed").await;
    }

    /// What counts now of this kind, in the order of the pages.
    async fn current(&self, kind: &str) -> Vec<Value> {
        let view = self.api.session("s").await;
        let all = view["artifacts"].as_array().expect("artifacts");
        let mut contents = vec![];
        for artifact in all {
            if artifact["kind"] == kind && artifact["current"] == true {
                let path = artifact["content"].as_str().expect("a path");
                let bytes = self.api.bytes(path).await;
                contents.push(serde_json::from_slice(&bytes).expect("JSON"));
            }
        }
        contents.sort_by_key(|content: &Value| content["slideIndex"].as_u64());
        contents
    }

    async fn config(&self) -> Value {
        self.current("course_config").await.remove(0)
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_was_asked_for_stands_until_something_else_is_asked_for() {
    let mut talk = Talk::about_photosynthesis().await;
    talk.say("只要6页").await;
    talk.say("受众改成小学生").await;
    let config = talk.config().await;
    assert_eq!(config["expectedPageCount"], 6);
    assert_eq!(config["targetAudience"], "小学生");
    talk.say("再增加2页").await;
    talk.say("再增加2页").await;
    assert_eq!(talk.config().await["expectedPageCount"], 10);
    talk.say("换成黑色主题").await;
    assert_eq!(
        talk.current("presentation_theme").await[0]["themeName"],
        "深空黑"
    );
    talk.say("大纲太复杂").await;
    assert_eq!(
        talk.current("presentation_theme").await[0]["themeName"],
        "深空黑"
    );
    talk.say("换成蓝色").await;
    assert_eq!(
        talk.current("presentation_theme").await[0]["themeName"],
        "商务蓝"
    );
    assert_eq!(talk.current("ppt_html").await.len(), 10);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_in_another_language_leaves_the_deck_in_its_own() {
    let mut talk = Talk::about_photosynthesis().await;
    talk.say("shorten it to 6 pages").await;
    let pages = talk.current("ppt_html").await;
    let view = talk.api.session("s").await;
    assert_eq!(view["head"], "r2");
    for page in &pages {
        let html = page["html"].as_str().expect("a page");
        assert!(html.contains("lang=\"zh"), "{html}");
    }
    let frames = talk.api.frames("s", "course").await;
    let titles: Vec<&Value> = frames
        .iter()
        .filter(|frame| frame["type"] == "tool:start" || frame["event"] == "tool:start")
        .collect();
    let said = |place: usize| titles[titles.len() - place].to_string();
    assert!(said(2).contains("逐页优化"), "{}", said(2));
    assert!(said(1).contains("导出优化"), "{}", said(1));
    talk.say("make a deck about tides, 4 pages").await;
    let view = talk.api.session("s").await;
    assert_eq!(view["runs"][2]["base_run"], Value::Null, "{view:#}");
    let pages = talk.current("ppt_html").await;
    assert!(
        pages[0]["html"]
            .as_str()
            .expect("a page")
            .contains("lang=\"en")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_about_something_new_is_not_written_from_the_old_source() {
    let mut talk = Talk::about_photosynthesis().await;
    talk.say("帮我做一个关于牛顿第一定律的课件，4 页").await;
    let scripts = talk.current("slide_scripts").await[0].to_string();
    for word in ["光合", "叶绿", "二氧化碳"] {
        assert!(!scripts.contains(word), "{word}: {scripts}");
    }
    let first = talk.current("ppt_html").await[0].to_string();
    assert!(first.contains("没有资料"), "{first}");
}
