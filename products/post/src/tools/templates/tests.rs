//! Templates of posts over a log in memory.

use std::sync::Arc;

use palimpsest::prelude::tool::ToolError;
use palimpsest::prelude::trial::{MasterKey, MemoryLog};
use palimpsest::prelude::wire::Clock;

use super::tools::{manage_prompt, recommend_templates};
use super::*;

async fn collections() -> Collections {
    let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
    Collections::new(Arc::new(log), Clock::system())
}

async fn managed(collections: &Collections, input: Value) -> Value {
    match manage_prompt(collections, "ann", &input).await {
        Ok(outcome) => outcome.output,
        Err(ToolError::Refused { code, .. }) => json!(code),
        Err(ToolError::Stop(_)) => panic!("the log failed"),
    }
}

#[tokio::test]
async fn a_template_is_saved_once_under_its_name_and_found_by_words() {
    let collections = collections().await;
    for (name, category, tags, data) in [
        (
            "胶片春日",
            "image_style",
            json!(["春游", "暖色"]),
            json!({ "mood": "温柔" }),
        ),
        ("闺蜜口吻", "writing_tone", json!(["种草"]), json!("亲切")),
        (
            "清单体",
            "content_structure",
            json!(["攻略", "春游"]),
            json!(["开头", "清单"]),
        ),
        (
            "胶片春日",
            "image_style",
            json!(["春游", "暖色"]),
            json!({ "mood": "明亮" }),
        ),
    ] {
        let input = json!({ "action": "save", "name": name, "category": category, "tags": tags, "data": data });
        let saved = managed(&collections, input).await;
        assert_eq!(saved["saved"]["name"], name);
    }
    let input = json!({ "message": "帮我写一篇春游攻略" });
    let found = recommend_templates(&collections, "ann", &input).await;
    let Ok(found) = found else { panic!("refused") };
    let names = |value: &Value| -> Vec<String> {
        let all = value["templates"].as_array().expect("templates");
        all.iter()
            .filter_map(|it| it["name"].as_str())
            .map(str::to_owned)
            .collect()
    };
    assert_eq!(names(&found.output), ["清单体", "胶片春日"]);
    let line = &found.output["templates"][1];
    let id = line["id"].as_str().expect("an id").to_owned();
    assert_eq!(
        *line,
        json!({ "id": id, "name": "胶片春日", "category": "image_style", "tags": ["春游", "暖色"], "title": "", "data": { "mood": "明亮" } })
    );
    let input = json!({ "message": "春游", "category": "content_structure", "limit": 1 });
    let Ok(one) = recommend_templates(&collections, "ann", &input).await else {
        panic!("refused")
    };
    assert_eq!(names(&one.output), ["清单体"]);
    let Ok(none) = recommend_templates(&collections, "bob", &input).await else {
        panic!("refused")
    };
    assert_eq!(none.output, json!({ "templates": [] }));

    assert_eq!(
        names(&managed(&collections, json!({ "action": "list" })).await).len(),
        3
    );
    let shown = managed(&collections, json!({ "action": "get", "id": id })).await;
    assert_eq!(shown["template"]["data"], json!({ "mood": "明亮" }));
    assert_eq!(
        managed(&collections, json!({ "action": "get", "name": "没有" })).await,
        "no_template"
    );
    assert_eq!(
        managed(&collections, json!({ "action": "drop" })).await,
        "bad_input"
    );
    let nameless = json!({ "action": "save", "name": " ", "category": "image_style" });
    assert_eq!(managed(&collections, nameless).await, "bad_name");
}
