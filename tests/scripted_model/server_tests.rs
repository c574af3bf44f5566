use serde_json::json;

use super::*;

/// The server, and the task that serves it.
async fn start(script: Value) -> String {
    let routes = routes(serde_json::from_value(script).unwrap());
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}", listener.local_addr().unwrap());
    tokio::spawn(async move { axum::serve(listener, routes).await.unwrap() });
    url
}

fn client() -> reqwest::Client {
    reqwest::Client::builder().no_proxy().build().unwrap()
}

async fn ask(url: &str, stream: bool) -> reqwest::Response {
    let body = json!({
        "model": "m", "stream": stream, "messages": [{"role": "user", "content": "hello"}],
        "response_format": {"type": "json_schema", "json_schema": {"name": "s", "schema": {
            "type": "object", "properties": {"title": {"type": "string"}}}}}
    });
    let request = client()
        .post(format!("{url}/v1/chat/completions"))
        .header("Idempotency-Key", "k")
        .json(&body);
    request.send().await.unwrap()
}

async fn control(url: &str, path: &str, body: Value) -> u16 {
    client()
        .post(format!("{url}{path}"))
        .json(&body)
        .send()
        .await
        .unwrap()
        .status()
        .as_u16()
}

async fn journal_of(url: &str) -> Value {
    client()
        .get(format!("{url}/__journal"))
        .send()
        .await
        .unwrap()
        .json()
        .await
        .unwrap()
}

/// Reads the journal until its last request has this note. The end of a connection reaches the server in its own time.
async fn last_with(url: &str, note: &str) -> Value {
    loop {
        let last = journal_of(url).await["requests"]
            .as_array()
            .unwrap()
            .last()
            .cloned()
            .unwrap_or_default();
        if !last[note].is_null() {
            return last;
        }
        tokio::task::yield_now().await;
    }
}

#[tokio::test]
async fn without_a_script_an_answer_is_valid_and_journalled() {
    let url = start(json!({})).await;
    let document: Value = ask(&url, false).await.json().await.unwrap();
    assert_eq!(
        document["choices"][0]["message"]["content"],
        "{\"title\":\"title\"}"
    );
    let stream = ask(&url, true).await.text().await.unwrap();
    assert!(stream.ends_with("data: [DONE]\n\n"));
    let journal = journal_of(&url).await;
    assert_eq!(
        journal["by_key"],
        json!({"k": {"requests": 2, "finished": 2}})
    );
    let first = &journal["requests"][0];
    assert_eq!(
        (&first["n"], &first["schema"], &first["status"]),
        (&json!(1), &json!("s"), &json!(200))
    );
    assert_eq!(first["closed_by_client_us"], Value::Null);
    assert_eq!(first["body"]["messages"][0]["content"], "hello");
}

#[tokio::test]
async fn a_refusal_carries_its_status_and_pause() {
    let url = start(json!({"rules": [{"status": 429, "retry_after": "2", "times": 1}]})).await;
    let refused = ask(&url, true).await;
    assert_eq!(refused.status(), 429);
    assert_eq!(refused.headers()["retry-after"], "2");
    assert_eq!(ask(&url, true).await.status(), 200);
    assert_eq!(
        journal_of(&url).await["by_key"]["k"],
        json!({"requests": 2, "finished": 1})
    );
}

#[tokio::test]
async fn a_cut_breaks_the_connection_after_its_chunks() {
    let url =
        start(json!({"defaults": {"chunk_chars": 1}, "rules": [{"cut_after_chunks": 2}]})).await;
    let mut response = ask(&url, true).await;
    let mut text = String::new();
    let broken = loop {
        match response.chunk().await {
            Ok(Some(piece)) => text += std::str::from_utf8(&piece).unwrap(),
            Ok(None) => break false,
            Err(_) => break true,
        }
    };
    assert!(broken);
    assert_eq!(text.matches("data: ").count(), 2);
    assert_eq!(last_with(&url, "cut_us").await["finished_us"], Value::Null);
}

#[tokio::test]
async fn a_held_answer_goes_on_when_it_is_released() {
    let url = start(json!({"rules": [{"hold_after_chunks": 1}]})).await;
    let mut response = ask(&url, true).await;
    response.chunk().await.unwrap().unwrap();
    last_with(&url, "held_us").await;
    assert_eq!(control(&url, "/__release", json!(null)).await, 204);
    while response.chunk().await.unwrap().is_some() {}
    assert_eq!(
        last_with(&url, "finished_us").await["closed_by_client_us"],
        Value::Null
    );
}

#[tokio::test]
async fn a_client_that_hangs_up_is_noted() {
    for rule in [
        json!({"hold_after_chunks": 1}),
        json!({"latency_ms": 3_600_000}),
    ] {
        let url = start(json!({"rules": [rule.clone()]})).await;
        let asking = tokio::spawn({
            let url = url.clone();
            async move { ask(&url, true).await.text().await }
        });
        let note = if rule["latency_ms"].is_null() {
            "held_us"
        } else {
            "started_us"
        };
        last_with(&url, note).await;
        asking.abort();
        assert_eq!(
            last_with(&url, "closed_by_client_us").await["finished_us"],
            Value::Null
        );
    }
}

#[tokio::test]
async fn the_script_and_the_journal_can_be_replaced() {
    let url = start(json!({"rules": [{"answer": {"$sequence": ["a", "b"]}}]})).await;
    let content = async |url: &str| -> Value {
        ask(url, false).await.json::<Value>().await.unwrap()["choices"][0]["message"]["content"]
            .clone()
    };
    assert_eq!(content(&url).await, "a");
    assert_eq!(
        control(&url, "/__script", json!({"by_schema": {"s": "c"}})).await,
        204
    );
    assert_eq!(content(&url).await, "c");
    assert_eq!(control(&url, "/__script", json!({"rulez": []})).await, 400);
    assert_eq!(control(&url, "/__reset", json!(null)).await, 204);
    assert_eq!(journal_of(&url).await["requests"], json!([]));
}

async fn draw(url: &str, prompt: &str) -> reqwest::Response {
    let body = json!({"model": "painter", "prompt": prompt, "size": "30x40"});
    let request = client()
        .post(format!("{url}/v1/images/generations"))
        .header("Idempotency-Key", prompt)
        .json(&body);
    request.send().await.unwrap()
}

async fn drawn(url: &str, prompt: &str) -> Value {
    draw(url, prompt).await.json::<Value>().await.unwrap()["data"][0].clone()
}

#[tokio::test]
async fn a_picture_has_the_size_that_was_asked_for_and_its_prompts_colours() {
    use base64::Engine as _;
    let url = start(json!({})).await;
    let bytes = async |prompt: &str| {
        let item = drawn(&url, prompt).await;
        let text = item["b64_json"].as_str().unwrap().to_owned();
        base64::engine::general_purpose::STANDARD
            .decode(text)
            .unwrap()
    };
    let lake = bytes("a lake").await;
    assert_eq!(&lake[16..24], [0, 0, 0, 30, 0, 0, 0, 40]);
    assert_eq!(lake, bytes("a lake").await);
    assert_ne!(lake, bytes("a hill").await);
    let journal = journal_of(&url).await;
    assert_eq!(journal["requests"][0]["endpoint"], "generations");
    assert_eq!(journal["by_key"]["a lake"]["finished"], 2);
}

#[tokio::test]
async fn rules_for_pictures_say_so_and_leave_the_chat_alone() {
    let url = start(json!({"rules": [
        {"when": {"endpoint": "images", "contains": "busy"}, "status": 429, "retry_after": "1"},
        {"when": {"endpoint": "generations", "contains": "elsewhere"}, "answer": "url"},
        {"when": {"endpoint": "images", "contains": "broken"}, "answer": {"$invalid": true}},
        {"when": {"endpoint": "images", "contains": "refused"}, "answer": {"error": {"message": "no"}}},
        {"when": {}, "answer": "only in the chat"}
    ]}))
    .await;
    assert_eq!(draw(&url, "busy").await.status(), 429);
    let address = drawn(&url, "elsewhere").await["url"]
        .as_str()
        .unwrap()
        .to_owned();
    let file = client().get(address).send().await.unwrap();
    assert_eq!(file.headers()["content-type"], "image/png");
    assert_eq!(
        &file.bytes().await.unwrap()[16..24],
        [0, 0, 0, 30, 0, 0, 0, 40]
    );
    assert_eq!(
        drawn(&url, "broken").await["b64_json"],
        "this is no base64!"
    );
    let refused: Value = draw(&url, "refused").await.json().await.unwrap();
    assert_eq!(refused["error"]["message"], "no");
    let chat: Value = ask(&url, false).await.json().await.unwrap();
    assert_eq!(chat["choices"][0]["message"]["content"], "only in the chat");
}

#[tokio::test]
async fn a_client_that_does_not_wait_for_its_picture_is_noted() {
    let rule = json!({"when": {"endpoint": "images"}, "hold_after_chunks": 1});
    let url = start(json!({"rules": [rule]})).await;
    let asking = tokio::spawn({
        let url = url.clone();
        async move { draw(&url, "a lake").await.text().await }
    });
    last_with(&url, "held_us").await;
    asking.abort();
    let last = last_with(&url, "closed_by_client_us").await;
    assert_eq!(last["finished_us"], Value::Null);
}

#[tokio::test]
async fn pictures_that_come_along_are_counted_and_not_kept() {
    let url = start(json!({})).await;
    let data = "data:image/png;base64,aGVsbG8=";
    let content = json!([{"type": "text", "text": "look"}, {"type": "image_url", "image_url": {"url": data}}]);
    let body = json!({"model": "m", "messages": [{"role": "user", "content": content}]});
    let asked = client()
        .post(format!("{url}/v1/chat/completions"))
        .json(&body);
    asked.send().await.unwrap();
    let form = reqwest::multipart::Form::new()
        .text("prompt", "like this")
        .text("size", "8x8")
        .part(
            "image",
            reqwest::multipart::Part::bytes(vec![1, 2, 3]).file_name("a.png"),
        );
    let edit = client()
        .post(format!("{url}/v1/images/edits"))
        .multipart(form);
    let answer: Value = edit.send().await.unwrap().json().await.unwrap();
    assert!(answer["data"][0]["b64_json"].is_string());
    let requests = journal_of(&url).await["requests"].clone();
    let noted = |at: usize| {
        (
            requests[at]["endpoint"].clone(),
            requests[at]["pictures"].clone(),
        )
    };
    assert_eq!(noted(0), (json!("chat"), json!(1)));
    assert_eq!(noted(1), (json!("edits"), json!(1)));
    assert_eq!(requests[1]["body"]["image"]["bytes"], 3);
    assert!(!requests[0].to_string().contains("aGVsbG8="));
}
