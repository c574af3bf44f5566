//! A novel of two chapters, and a model whose every answer about it is fixed.

use serde_json::{Value, json};

use super::api::Api;

pub(crate) const CHAT: &str = "/api/v2/agent/chat";

/// The project that the runs here are about.
pub(crate) const PROJECT: &str = "lamp";

/// What the writer's requests begin with.
pub(crate) const WRITER: &str = "You are the writer of a novel";

/// What the writer answers.
pub(crate) const PROSE: &str = "灯亮了。海上没有船，也没有声音，只有塔下的水一遍一遍地回来。";

/// What the planner's outline says, so that the writer's prompt can be looked at for it.
pub(crate) const PLANNED: &str = "灯在子夜自己亮起来";

/// What the designed character wants, for the same reason.
pub(crate) const WANTED: &str = "想让灯永远亮着";

/// The model calls of the chain from an outline to its chapter: the planner, the writer, and who checks.
pub(crate) const TURNS: usize = 3;

/// What that run has at its end: the route, five tasks of the preprocessing, two texts, what the last agent was shown, the check, what was
/// proposed, and the answer.
pub(crate) const MADE: usize = 1 + 5 + 2 + 1 + 3;

/// The answers to everything that is asked for with a schema.
pub(crate) fn structures() -> Value {
    let option = |title: &str| json!({ "title": title, "summary": "一个方向" });
    let name = |name: &str| json!({ "name": name, "meaning": "与光有关" });
    json!({
        "ideas": { "options": [option("海上钟声"), option("无人的灯塔"), option("守塔人的信")] },
        "issues": { "issues": [], "summary": "没有问题" },
        "names": { "names": [name("灯心"), name("夜航"), name("潮生"), name("守明"), name("归帆")] },
        "characters": {
            "characters": [{ "name": "陈默", "role": "antagonist", "motivation": WANTED }],
            "relationships": [{ "from": "陈默", "to": "林晚", "type": "对手" }],
        },
        "world": { "entries": [{ "name": "潮约", "type": "history", "description": "潮水与灯塔的约定。" }] },
        "outline": {
            "chapters": [{ "title": "子夜", "summary": PLANNED }],
            "plotLoops": [{ "title": "谁点的灯", "description": "灯为什么会亮" }],
        },
        "entities": {
            "characters": [{ "name": "林晚" }], "locations": [], "items": [], "relationships": [],
            "events": [{ "description": "灯亮了" }],
        },
    })
}

/// The rule by which prose is written.
pub(crate) fn writes() -> Value {
    json!({ "when": { "system_contains": WRITER }, "answer": PROSE, "chunk_chars": 4 })
}

/// A script of the right answers with rules before them.
pub(crate) fn script_with(rules: impl IntoIterator<Item = Value>) -> Value {
    let rules: Vec<Value> = rules.into_iter().chain([writes()]).collect();
    json!({ "rules": rules, "by_schema": structures() })
}

/// A rule with something beside the right answer to the nth call of the chain from an outline to its chapter, from 1, when it is first
/// asked for.
pub(crate) fn beside(turn: usize, beside: Value) -> Value {
    let of_schema =
        |name: &str| json!({ "when": { "schema": name }, "answer": structures()[name] });
    let mut rule = match turn {
        1 => of_schema("outline"),
        2 => writes(),
        _ => of_schema("issues"),
    };
    for (name, value) in beside.as_object().expect("an object") {
        rule[name] = value.clone();
    }
    rule["when"]["occurrence"] = json!(1);
    rule
}

/// Puts a project of this name that has a keeper of the light, her ring, a promise to the reader, and two chapters. `mark` stands in
/// every text of it, so that it is found wherever it went.
pub(crate) async fn put_project(api: &Api, id: &str, mark: &str) {
    let files = [
        (
            "story.md",
            format!(
                "---\ntitle: 灯塔{mark}\nlanguage: zh\nphase: WRITING\n---\n\n一座灯塔的故事{mark}。\n"
            ),
        ),
        (
            "characters/lin.md",
            format!(
                "---\nname: 林晚\nrole: protagonist\nappearance:\n  eyes: 灰色\n---\n\n守塔人的女儿{mark}。\n"
            ),
        ),
        (
            "world/tower.md",
            format!(
                "---\ntitle: 灯塔\ntype: geography\npinned: true\n---\n\n塔上的灯只在有雾的夜里亮{mark}。\n"
            ),
        ),
        (
            "plotloops/bell.md",
            format!(
                "---\ntitle: 钟声从哪里来{mark}\nstatus: OPEN\nintro: 1\n---\n\n海上的钟声{mark}。\n"
            ),
        ),
        (
            "style/one.md",
            format!("---\nchapter: 1\n---\n\n雾来了，灯亮了{mark}。\n"),
        ),
        (
            "chapters/01-fog.md",
            format!(
                "---\nsummary: 林晚点灯{mark}。\n---\n\n# 雾\n\n林晚点亮了灯塔的灯。雾从海上来，盖住了院子{mark}。\n"
            ),
        ),
        (
            "chapters/02-bell.md",
            format!(
                "---\nsummary: 钟声{mark}。\n---\n\n# 钟声\n\n夜里林晚听见海上的钟声，灯塔下面没有船{mark}。\n"
            ),
        ),
    ];
    let files: Vec<Value> = files
        .iter()
        .map(|(path, text)| json!({ "path": path, "text": text }))
        .collect();
    let body = json!({ "files": files });
    let put = api.put(&format!("/v1/projects/{id}/folder"), &body).await;
    assert_eq!(put.succeeded()["chapters"], 2);
}

/// The request that opens a session of this name with the chain from an outline to its chapter, once its project is there.
pub(crate) async fn opening(api: &Api, session: &str, settings: Value) -> Value {
    put_project(api, PROJECT, "").await;
    json!({
        "pipeline": "story", "message": "把大纲写成第三章", "session": session,
        "input": { "project": PROJECT, "intentHint": "OUTLINE_TO_CHAPTER" }, "settings": settings,
    })
}

/// One frame of a stream: its id and its data.
pub(crate) type Told = (String, Value);

/// The frames of a stream. The type of each is the name of its event, and only texts have what a front end adds to the chapter.
pub(crate) fn told(stream: &str) -> Vec<Told> {
    let field = |block: &str, name: &str| {
        let mut lines = block.lines();
        lines.find_map(|line| line.strip_prefix(name).map(str::to_owned))
    };
    let read = |block: &str| {
        let data = field(block, "data: ")?;
        let data: Value = serde_json::from_str(&data).expect("JSON");
        assert_eq!(
            data["type"].as_str().map(str::to_owned),
            field(block, "event: ")
        );
        assert_eq!(data.get("content").is_some(), data["type"] == "content");
        assert!(data.get("data").is_none(), "{data}");
        Some((field(block, "id: ").expect("an id"), data))
    };
    stream.split("\n\n").filter_map(read).collect()
}

/// Says something in a session, and follows to the end of the stream.
pub(crate) async fn say(api: &Api, session: &str, message: &str, more: Value) -> Vec<Told> {
    let mut body = json!({ "message": message, "sessionId": session });
    for (name, value) in more.as_object().into_iter().flatten() {
        body[name] = value.clone();
    }
    let answer = api.post(CHAT, &body).await.succeeded();
    told(answer.as_str().expect("a stream"))
}

/// The frames of a kind.
pub(crate) fn of<'a>(frames: &'a [Told], kind: &str) -> Vec<&'a Value> {
    let data = frames.iter().map(|(_, data)| data);
    data.filter(|data| data["type"] == kind).collect()
}

/// How a stream ended, which it does with `done` and only there.
pub(crate) fn status(frames: &[Told]) -> &str {
    let (_, done) = frames.last().expect("frames");
    assert_eq!(done["type"], "done", "{done}");
    assert_eq!(of(frames, "done").len(), 1);
    done["status"].as_str().expect("a status")
}

/// The text of an agent as a client puts it together.
pub(crate) fn text(frames: &[Told], step: u32) -> String {
    let mut text: Vec<char> = vec![];
    for piece in of(frames, "content") {
        if piece["step"] == step {
            let offset = piece["offset"].as_u64().expect("a number");
            text.truncate(usize::try_from(offset).expect("small"));
            text.extend(piece["content"].as_str().expect("a text").chars());
        }
    }
    text.into_iter().collect()
}
