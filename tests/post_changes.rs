//! Changes of a post with a model: what is not meant keeps its bytes and is not paid again, and pictures are as many as were asked for.

use std::collections::BTreeMap;

use domain::hash::Sha256;
use serde_json::{Value, json};

use crate::support::post::{content, opening, plan, script_with};
use crate::support::rig::Rig;

/// A model's reading of a message.
fn meant(target: &str) -> Value {
    json!({
        "intent": "REFINEMENT", "targetStage": target, "parts": [], "newOrder": [],
        "reason": "a change", "confidence": 0.9, "reply": null,
    })
}

/// Unattended settings without a supervisor.
fn settings() -> Value {
    json!({ "width": 1, "options": { "supervisor": "rules" } })
}

/// A finished post whose later messages are understood and answered so.
async fn posted(others: Value) -> Rig {
    let rig = Rig::playing(&script_with([], others), &[]).await;
    rig.api.open(&opening("s", settings())).await;
    rig.end("s", "r1", "run_completed").await;
    rig
}

async fn said(rig: &Rig, run: &str, message: &str) {
    let payload = json!({ "message": message, "settings": settings() });
    rig.api
        .command("s", run, "send_message", payload)
        .await
        .succeeded();
    rig.end("s", run, "run_completed").await;
}

/// The hashes of the pictures of the post that counts now, by their numbers.
async fn pictures(rig: &Rig) -> BTreeMap<String, String> {
    let view = rig.api.session("s").await;
    let mut found = BTreeMap::new();
    for made in view["artifacts"].as_array().expect("artifacts") {
        if made["current"] == true && made["kind"] == "image" {
            let path = made["content"].as_str().expect("a path");
            let hash = Sha256::of(&rig.api.bytes(path).await).to_string();
            found.insert(made["item"].as_str().expect("an item").to_owned(), hash);
        }
    }
    found
}

/// How many pictures were paid for so far.
async fn painted(rig: &Rig) -> usize {
    let journal = rig.model.journal().await;
    let requests = journal.requests().iter();
    requests
        .filter(|request| request["endpoint"] == "generations")
        .count()
}

/// The last frame of the post protocol.
async fn last(rig: &Rig) -> Value {
    let frames = rig.api.frames("s", "post").await;
    frames.last().expect("frames")["data"].clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_the_text_keeps_every_picture_and_pays_none() {
    let with = |field: &str, value: Value| {
        let mut text = content();
        text[field] = value;
        text
    };
    for (message, text, field) in [
        ("标题短一点", with("title", json!("春游")), "title"),
        (
            "标签少一点",
            with("tags", json!(["春游", "亲子", "周末", "野餐"])),
            "tags",
        ),
        (
            "Kürzerer Text bitte",
            with("body", json!("去公园走走。\n\n带上水。")),
            "body",
        ),
        (
            "Acorta el título",
            with("title", json!("春游攻略")),
            "title",
        ),
    ] {
        let others =
            json!({ "intent": meant("writer"), "post_content": [content(), text.clone()] });
        let rig = posted(others).await;
        let (before, paid) = (pictures(&rig).await, painted(&rig).await);
        assert_eq!((before.len(), paid), (4, 4));
        said(&rig, "r2", message).await;
        assert_eq!(pictures(&rig).await, before, "{message}");
        assert_eq!(painted(&rig).await, paid, "{message}");
        let journal = rig.model.journal().await;
        assert_eq!(journal.asked("post_image_plan").len(), 1, "{message}");
        let told = last(&rig).await;
        assert_eq!(told[field], text[field], "{message}: {told:#}");
        assert_eq!(told["imageAssetIds"].as_array().map(Vec::len), Some(4));
        let says = told["content"].as_str().expect("words");
        assert!(says.contains("没有动"), "{message}: {says}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn one_more_picture_is_one_more_and_the_others_stay() {
    let three = |value: &Value, list: &str| {
        let mut value = value.clone();
        value[list].as_array_mut().expect("a list").truncate(3);
        value
    };
    let layout = |count: usize| {
        let entry = |seq: usize| {
            json!({ "imageSeq": seq, "role": if seq == 0 { "cover" } else { "detail" }, "visualFocus": format!("草坪{seq}"),
                    "textDensity": "中", "blocks": [{ "area": "title", "instruction": "大字" }] })
        };
        json!({ "layoutSpec": (0..count).map(entry).collect::<Vec<_>>() })
    };
    for message in [
        "再加一张图",
        "add one more picture",
        "agrega una imagen más",
        "make it four pictures",
    ] {
        let others = json!({
            "intent": meant("image_plan"),
            "post_layout": [layout(3), layout(4)],
            "post_image_plan": [three(&plan(), "plans"), plan()],
        });
        let rig = posted(others).await;
        let before = pictures(&rig).await;
        assert_eq!(before.len(), 3);
        said(&rig, "r2", message).await;
        let after = pictures(&rig).await;
        assert_eq!(after.len(), 4, "{message}");
        let kept = before
            .values()
            .filter(|hash| after.values().any(|now| now == *hash));
        assert_eq!(kept.count(), 3, "{message}");
        assert_eq!(painted(&rig).await, 4, "{message}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_model_that_plans_another_number_is_asked_for_the_one_that_is_wanted() {
    let mut two = plan();
    two["plans"].as_array_mut().expect("plans").truncate(2);
    let others = json!({ "post_image_plan": [plan(), two] });
    let rig = Rig::playing(&script_with([], others), &[]).await;
    let mut request = opening("s", settings());
    request["message"] = json!("春游攻略，给家长，只要两张图");
    rig.api.open(&request).await;
    rig.end("s", "r1", "run_completed").await;
    assert_eq!(pictures(&rig).await.len(), 2);
    assert_eq!(painted(&rig).await, 2);
    let journal = rig.model.journal().await;
    let asked = journal.asked("post_image_plan");
    assert_eq!(asked.len(), 2);
    assert!(asked[0].to_string().contains("exactly 2"), "{:#}", asked[0]);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_no_post_has_is_refused_and_what_stands_is_told() {
    let rig = posted(json!({ "intent": meant("image_plan") })).await;
    let whole = last(&rig).await;
    let (before, paid) = (pictures(&rig).await, painted(&rig).await);
    said(&rig, "r2", "要 9 张图").await;
    let told = last(&rig).await;
    assert!(
        told["content"].as_str().expect("words").contains("9 张图"),
        "{told:#}"
    );
    for field in ["title", "body", "tags", "imageAssetIds", "creativeId"] {
        assert_eq!(told[field], whole[field], "{field}");
    }
    assert_eq!((pictures(&rig).await, painted(&rig).await), (before, paid));
}
