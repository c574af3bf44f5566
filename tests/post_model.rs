//! Posts whose writers, reviewers and painters are models: what a low score sends back, what a supervisor changes, and what
//! becomes of a picture that cannot be made.

use serde_json::{Value, json};

use crate::support::post::{
    MADE, NEXT, TURNS, decision, opening, picture_review, plan, review, script_with,
};
use crate::support::rig::Rig;

const SEEING: (&str, &str) = ("PALIMPSEST_MODEL_VISION", "scripted-eyes");

/// A run in the session `s` to its completion, with nobody there to be asked.
async fn completed(
    rules: Vec<Value>,
    others: Value,
    variables: &[(&str, &str)],
) -> (Rig, Vec<Value>) {
    let rig = Rig::playing(&script_with(rules, others), variables).await;
    rig.api.open(&opening("s", json!({ "width": 1 }))).await;
    let frames = rig.end("s", "r1", "run_completed").await;
    (rig, frames)
}

/// What was decided to be next, in order.
fn routes(frames: &[Value]) -> Vec<&str> {
    decisions(frames, "route:")
        .map(|data| data["choice"].as_str().expect("a choice"))
        .collect()
}

fn decisions<'a>(frames: &'a [Value], what: &'a str) -> impl Iterator<Item = &'a Value> {
    let decided = frames
        .iter()
        .filter(|frame| frame["type"] == "decision_made");
    let data = decided.map(|frame| &frame["data"]);
    data.filter(move |data| data["what"].as_str().is_some_and(|of| of.starts_with(what)))
}

fn of<'a>(frames: &'a [Value], kind: &'a str) -> impl Iterator<Item = &'a Value> {
    frames
        .iter()
        .filter(move |frame| frame["type"] == kind)
        .map(|frame| &frame["data"])
}

/// The post that was delivered.
async fn post(rig: &Rig) -> Value {
    let view = rig.api.session("s").await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    let counts = |a: &&Value| a["kind"] == "post" && a["current"] == true;
    let post = artifacts.iter().find(counts).expect("a post");
    let bytes = rig
        .api
        .bytes(post["content"].as_str().expect("a path"))
        .await;
    serde_json::from_slice(&bytes).expect("JSON")
}

#[tokio::test(flavor = "multi_thread")]
async fn every_agent_is_asked_once_and_every_picture_is_paid_for_once() {
    let (rig, frames) = completed(vec![], json!({}), &[]).await;
    let journal = rig.model.journal().await;
    assert_eq!(
        (journal.paid(), journal.paid_twice()),
        (TURNS.len(), vec![])
    );
    let order = [
        "brief",
        "research",
        "reference",
        "writer",
        "layout",
        "image_plan",
        "images",
        "review",
        "END",
    ];
    assert_eq!(routes(&frames), order);
    assert_eq!(rig.api.made("s", "r1").await.len(), MADE);
    let post = post(&rig).await;
    assert_eq!(post["images"].as_array().map(Vec::len), Some(4), "{post:#}");
    assert_eq!(post["platform"]["ok"], true, "{post:#}");
    // Nobody looked at the pictures, so nobody can say that the post has passed.
    assert_eq!(post["review"]["status"], "not_checked", "{post:#}");
    for image in post["images"].as_array().expect("images") {
        let number = image["assetId"].as_u64().expect("a number");
        let bytes = rig.api.bytes(&format!("/api/assets/{number}")).await;
        assert!(bytes.starts_with(b"\x89PNG"), "{image}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_low_score_sends_back_to_what_its_dimension_names_and_nothing_older_is_used() {
    let good = || (review(true, 0.9, 0.9, 0.9), picture_review(0.9, 0.9));
    for (dimension, target, text, pictures) in [
        (
            "infoDensity",
            "research",
            review(true, 0.5, 0.9, 0.9),
            good().1,
        ),
        (
            "textImageAlignment",
            "layout",
            good().0,
            picture_review(0.5, 0.9),
        ),
        (
            "styleConsistency",
            "reference",
            good().0,
            picture_review(0.9, 0.5),
        ),
        (
            "readability",
            "image_plan",
            review(true, 0.9, 0.5, 0.9),
            good().1,
        ),
        (
            "platformFit",
            "writer",
            review(true, 0.9, 0.9, 0.5),
            good().1,
        ),
    ] {
        let others = json!({
            "review": [text, good().0],
            "picture_review": [pictures, good().1],
        });
        let settings = json!({ "width": 1, "options": { "supervisor": "rules" } });
        let rig = Rig::playing(&script_with([], others), &[SEEING]).await;
        rig.api.open(&opening("s", settings)).await;
        let frames = rig.end("s", "r1", "run_completed").await;
        let routes = routes(&frames);
        assert_eq!(routes[8], target, "{dimension}: {routes:?}");
        let reopened: Vec<_> = of(&frames, "stages_reopened").collect();
        assert_eq!(reopened.len(), 1, "{dimension}");
        assert_eq!(reopened[0]["reason"], format!("review: {dimension}"));
        let verdicts: Vec<_> = decisions(&frames, "review:")
            .map(|data| &data["choice"])
            .collect();
        assert_eq!(verdicts, ["failed", "passed"], "{dimension}");
        let post = post(&rig).await;
        assert_eq!(post["review"]["status"], "passed", "{dimension}");
        // The pictures of the plan that was sent back do not belong to the post.
        let plan = of(&frames, "artifact_produced")
            .filter(|data| data["kind"] == "image_plan")
            .last();
        let plan = plan.expect("a plan")["artifact"].clone();
        let images = post["images"].as_array().expect("images");
        assert_eq!(images.len(), 4, "{dimension}");
        for image in images {
            let made =
                of(&frames, "artifact_produced").find(|data| data["artifact"] == image["artifact"]);
            let from = made.expect("it was made")["from"]
                .as_array()
                .expect("a lineage")
                .clone();
            assert!(from.contains(&plan), "{dimension}: {image}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn after_three_reviews_the_best_version_is_delivered_and_has_not_passed() {
    let low = |density: f64| review(true, density, 0.9, 0.9);
    let others = json!({ "review": [low(0.3), low(0.6), low(0.4)] });
    let rig = Rig::playing(&script_with([], others), &[SEEING]).await;
    let settings = json!({ "width": 1, "options": { "supervisor": "rules" } });
    rig.api.open(&opening("s", settings)).await;
    let frames = rig.end("s", "r1", "run_completed").await;
    let best: Vec<_> = decisions(&frames, "best").collect();
    assert_eq!(best.len(), 1);
    assert_eq!(best[0]["choice"], "2", "{best:?}");
    let post = post(&rig).await;
    assert_eq!(post["review"]["round"], 2);
    assert_eq!(post["review"]["status"], "failed");
    let told = rig.api.frames("s", "post").await;
    let last = &told.last().expect("frames")["data"];
    assert_eq!(
        (&last["type"], &last["review"], &last["passed"]),
        (&json!("workflow_complete"), &json!("failed"), &json!(false))
    );
    // Its pictures are there to be looked at.
    for image in post["images"].as_array().expect("images") {
        rig.api
            .bytes(&format!(
                "/v1/artifacts/{}/content",
                image["artifact"].as_str().expect("an id")
            ))
            .await;
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_review_that_says_the_same_of_the_same_post_ends_the_rounds() {
    let same = json!({ "review": review(true, 0.3, 0.9, 0.9) });
    let rig = Rig::playing(&script_with([], same), &[SEEING]).await;
    let settings = json!({ "width": 1, "options": { "supervisor": "rules", "max_iterations": 8 } });
    rig.api.open(&opening("s", settings)).await;
    let frames = rig.end("s", "r1", "run_completed").await;
    assert_eq!(decisions(&frames, "review:").count(), 2);
    let last = decisions(&frames, "route:").last().expect("a route");
    assert_eq!(last["choice"], "END", "{last}");
    let why = last["reason"].as_str().expect("a reason");
    assert!(why.contains("与上次相同的结论"), "{why}");
    assert_eq!(post(&rig).await["review"]["status"], "failed");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_cannot_be_made_is_told_and_the_others_keep_their_numbers() {
    let refused = json!({ "when": { "endpoint": "images", "contains": "scene 1" }, "status": 400 });
    let (rig, _) = completed(vec![refused], json!({}), &[]).await;
    let view = rig.api.session("s").await;
    assert_eq!(view["runs"][0]["outcome"]["partial"], true, "{view:#}");
    let post = post(&rig).await;
    assert_eq!(post["missing"], json!([2]));
    let tasks: Vec<_> = post["images"]
        .as_array()
        .expect("images")
        .iter()
        .map(|image| &image["taskId"])
        .collect();
    assert_eq!(tasks, [&json!(1), &json!(3), &json!(4)]);
    let told = rig.api.frames("s", "post").await;
    let progress = |task: u64| -> Vec<&str> {
        let of = told.iter().map(|frame| &frame["data"]);
        let of = of.filter(|data| data["type"] == "image_progress" && data["taskId"] == task);
        of.filter_map(|data| data["status"].as_str()).collect()
    };
    assert_eq!(progress(2), ["queued", "generating", "failed"]);
    for task in [1, 3, 4] {
        assert_eq!(progress(task), ["queued", "generating", "complete"]);
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_sends_the_text_back_with_its_guidance() {
    let mut next: Vec<Value> = NEXT[..3].iter().map(|agent| decision(agent)).collect();
    next.push(json!({ "guidance": "标题太空", "next_agent": "writer_agent" }));
    next.extend(NEXT[3..].iter().map(|agent| decision(agent)));
    let (rig, frames) = completed(vec![], json!({ "supervisor_decision": next }), &[]).await;
    let back: Vec<_> = of(&frames, "stages_reopened").collect();
    assert_eq!(back.len(), 1);
    assert_eq!(
        (&back[0]["reason"], &back[0]["feedback"]),
        (&json!("supervisor"), &json!("标题太空"))
    );
    let route: Vec<_> = decisions(&frames, "route:")
        .filter(|data| data["choice"] == "writer")
        .collect();
    assert_eq!(route.len(), 2);
    assert_eq!(route[1]["by"], "scripted");
    let journal = rig.model.journal().await;
    let asked = journal.asked("post_content");
    assert_eq!(asked.len(), 2);
    assert!(asked[1].to_string().contains("标题太空"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_who_wants_the_same_again_is_told_that_it_was_done() {
    let again = || json!({ "guidance": "标题太空", "next_agent": "writer_agent" });
    let mut next: Vec<Value> = NEXT[..3].iter().map(|agent| decision(agent)).collect();
    next.extend([again(), again()]);
    next.extend(NEXT[4..].iter().map(|agent| decision(agent)));
    let (_rig, frames) = completed(vec![], json!({ "supervisor_decision": next }), &[]).await;
    assert_eq!(of(&frames, "stages_reopened").count(), 1);
    let told = decisions(&frames, "route:").filter_map(|data| data["reason"].as_str());
    let told: Vec<_> = told.filter(|reason| reason.contains("writer")).collect();
    assert!(
        told.iter()
            .any(|reason| reason.contains("已按其意见重做过")),
        "{told:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn pictures_are_shown_to_a_model_that_sees_and_to_no_other() {
    let (rig, _) = completed(vec![], json!({}), &[SEEING]).await;
    let journal = rig.model.journal().await;
    let looked = journal.asked("picture_review");
    assert_eq!(looked.len(), 1);
    assert_eq!(looked[0]["pictures"], 4, "{:#}", looked[0]);
    assert!(
        journal
            .asked("review")
            .iter()
            .all(|request| request["pictures"] == 0)
    );
    let post = post(&rig).await;
    assert_eq!(post["review"]["status"], "passed", "{post:#}");
    assert_eq!(plan()["plans"].as_array().map(Vec::len), Some(4));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_supervisor_keeps_and_lists_templates_and_tells_the_next_agent_what_to_mind() {
    let manage = |occurrence: u32, arguments: Value| {
        json!({ "when": { "schema": "supervisor_decision", "occurrence": occurrence },
                "tool_calls": [{ "name": "managePrompt", "arguments": arguments }] })
    };
    let kept = json!({ "action": "save", "name": "亲子语气", "category": "writing_tone", "data": { "tone": "温柔" } });
    let rules = vec![manage(1, kept), manage(2, json!({ "action": "list" }))];
    // A sequence counts the questions that a rule answered, too.
    let next = ["END", "END"].into_iter().chain(NEXT);
    let mut next: Vec<Value> = next.map(decision).collect();
    next[4]["context_from_previous"] = json!("证据为空，只用常识");
    next[4]["focus_areas"] = json!(["不写数字", "开头"]);
    let (rig, frames) = completed(rules, json!({ "supervisor_decision": next }), &[]).await;
    let journal = rig.model.journal().await;
    let asked = journal.asked("supervisor_decision");
    assert_eq!(asked.len(), NEXT.len() + 2);
    assert!(asked[2].to_string().contains("亲子语气"), "{:#}", asked[2]);
    assert_eq!(routes(&frames).len(), 9, "the order stands");
    let told = rig.api.frames("s", "post").await;
    let told: Vec<&Value> = told.iter().map(|frame| &frame["data"]).collect();
    let of_tool = |name: &str| -> Vec<&&Value> {
        let all = told.iter().filter(|data| data["type"] == name);
        all.filter(|data| data["tool"] == "managePrompt").collect()
    };
    let (calls, results) = (of_tool("tool_call"), of_tool("tool_result"));
    assert_eq!((calls.len(), results.len()), (2, 2));
    assert_eq!(calls[0]["agent"], "supervisor");
    assert_eq!(calls[0]["toolInput"]["action"], "save");
    assert_eq!(results[1]["toolOutput"]["templates"][0]["name"], "亲子语气");
    let decided = told.iter().find(|data| data["decision"] == "writer_agent");
    let decided = decided.expect("it was decided");
    assert_eq!(decided["context_from_previous"], "证据为空，只用常识");
    assert_eq!(decided["focus_areas"], json!(["不写数字", "开头"]));
    let minded = |schema: &str| journal.asked(schema)[0].to_string().contains("只用常识");
    assert!(minded("post_content") && !minded("post_layout"));
}
