use super::*;
use crate::pipeline::shape::{ReferenceStatus, References, Review, Verdict};

fn desk() -> PostFixture {
    let mut desk = PostFixture::with_models(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    for item in ["1", "2", "3", "4", "5"] {
        desk.put_image(item, (1080, 1440));
    }
    desk
}

fn text(scores: Value, overall: Value, approved: bool) -> TurnResult {
    json_answer(json!({
        "scores": scores, "overall": overall, "approved": approved,
        "failReasons": [], "suggestions": ["标题更具体"], "targetAgent": "writer_agent", "optimizedPrompts": [],
    }))
}

fn looked(alignment: Value, style: Value, approved: bool) -> TurnResult {
    json_answer(json!({
        "scores": { "textImageAlignment": alignment, "styleConsistency": style }, "approved": approved,
        "failReasons": ["第二张太暗"], "suggestions": [], "optimizedPrompts": [],
    }))
}

fn good() -> TurnResult {
    text(
        json!({ "infoDensity": 0.9, "readability": 0.9, "platformFit": 0.9 }),
        json!(0.9),
        true,
    )
}

fn review(desk: &mut PostFixture, turns: Vec<TurnResult>) -> (Review, Value) {
    let made = left(desk.carry(Stage::Review, "", turns));
    let review = serde_json::from_value(made.json().expect("JSON").clone());
    (review.expect("a review"), made.facts)
}

#[test]
fn a_review_says_who_scored_what() {
    let (review, facts) = review(
        &mut desk(),
        vec![good(), looked(json!(0.8), json!(0.9), true)],
    );
    assert_eq!(
        (review.status, review.approved, review.overall),
        (Verdict::Passed, true, Some(0.9))
    );
    let by = json!(review.checked_by);
    let wanted = json!({
        "infoDensity": "model", "textImageAlignment": "vision", "styleConsistency": "vision",
        "readability": "model", "platformFit": "model",
    });
    assert_eq!(by, wanted);
    assert_eq!(review.fail_reasons, ["第二张太暗"]);
    assert_eq!(
        (&facts["round"], &facts["status"], &facts["target"]),
        (&json!(1), &json!("passed"), &json!("writer"))
    );
    assert_eq!(facts["scores"]["textImageAlignment"], 0.8);
}

#[test]
fn nobody_passes_what_was_not_seen() {
    let mut blind = desk();
    blind.settings.models.remove("vision");
    let (review, _) = review(&mut blind, vec![good()]);
    assert_eq!(review.scores.text_image_alignment, None);
    assert_eq!(review.status, Verdict::NotChecked);
}

#[test]
fn pictures_with_a_secret_among_their_words_are_not_looked_at() {
    let mut told = desk();
    let body = "报名请打13912345670。";
    told.put(
        "content",
        "",
        json!({
            "title": "春游攻略", "body": body, "tags": ["春游"],
            "bodyBlocks": crate::pipeline::blocks::of(body, &[]), "offline": false,
        }),
    );
    let (review, _) = review(&mut told, vec![good()]);
    assert_eq!(review.scores.text_image_alignment, None);
}

#[test]
fn low_scores_and_refusals_fail() {
    for (said, seen) in [
        (
            text(
                json!({ "infoDensity": 0.5, "readability": 0.9, "platformFit": 0.9 }),
                json!(0.9),
                true,
            ),
            looked(json!(0.9), json!(0.9), true),
        ),
        (
            text(
                json!({ "infoDensity": 0.9, "readability": 0.9, "platformFit": 0.9 }),
                json!(0.9),
                false,
            ),
            looked(json!(0.9), json!(0.9), true),
        ),
        (good(), looked(json!(0.9), json!(0.9), false)),
        (good(), looked(json!(0.69), json!(0.9), true)),
        (
            text(
                json!({ "infoDensity": 0.9, "readability": 0.9, "platformFit": 0.9 }),
                json!(0.71),
                true,
            ),
            looked(json!(0.9), json!(0.9), true),
        ),
    ] {
        let (review, _) = review(&mut desk(), vec![said, seen]);
        assert_eq!(review.status, Verdict::Failed, "{review:?}");
    }
    let mut lax = desk();
    lax.settings.options = json!({ "thresholds": { "textImageAlignment": 60 } });
    let (review, _) = review(
        &mut lax,
        vec![good(), looked(json!(0.69), json!(0.9), true)],
    );
    assert_eq!(review.status, Verdict::Passed);
}

#[test]
fn scores_are_read_as_models_write_them() {
    let said = text(
        json!({ "infoDensity": "良", "readability": 85, "platformFit": "70%" }),
        Value::Null,
        true,
    );
    let (review, _) = review(
        &mut desk(),
        vec![said, looked(json!("差"), json!("?"), true)],
    );
    let scores = review.scores;
    assert_eq!(
        (scores.info_density, scores.readability, scores.platform_fit),
        (Some(0.8), Some(0.85), Some(0.7))
    );
    assert_eq!(
        (scores.text_image_alignment, scores.style_consistency),
        (Some(0.5), None)
    );
    assert_eq!(review.overall, Some(0.71), "the mean of what was scored");
}

#[test]
fn rules_are_not_talked_away() {
    let mut desk = desk();
    let mut content = desk.inputs["content"][0].body.as_ref().clone();
    content["title"] = json!("春".repeat(30));
    content["body"] = json!("很长".repeat(200));
    desk.put("content", "", content);
    let (review, _) = review(
        &mut desk,
        vec![good(), looked(json!(0.9), json!(0.9), true)],
    );
    assert_eq!(review.scores.platform_fit, Some(0.6));
    assert_eq!(review.scores.readability, Some(0.8));
    assert_eq!(review.checked_by.platform_fit.as_deref(), Some("rules"));
    assert_eq!(review.status, Verdict::Failed);
    assert!(
        review
            .fail_reasons
            .iter()
            .any(|reason| reason.contains("60 units")),
        "{review:?}"
    );
}

#[test]
fn pictures_of_another_shape_are_a_finding_and_no_failure() {
    let mut desk = desk();
    desk.put_image("1", (1080, 1080));
    let (review, _) = review(
        &mut desk,
        vec![good(), looked(json!(0.9), json!(0.9), true)],
    );
    assert_eq!(review.scores.platform_fit, Some(0.9));
    assert!(review.fail_reasons[0].contains("picture 1"));
}

#[test]
fn the_last_four_pictures_are_shown() {
    let desk = desk();
    let turn = asked(Post.carry(&desk.work(Stage::Review, ""), &[good()]));
    assert_eq!((turn.role, turn.prompt), ("vision", "post/review_pictures"));
    let blobs: Vec<_> = turn
        .pictures
        .into_iter()
        .map(|picture| picture.blob)
        .collect();
    assert_eq!(
        blobs,
        ["2", "3", "4", "5"].map(|item| BlobRef::of(item.as_bytes()))
    );
}

#[test]
fn a_post_without_pictures_is_reviewed_by_its_text() {
    let mut desk = desk();
    desk.inputs.remove("image");
    let (without, _) = review(&mut desk, vec![good()]);
    assert_eq!(
        (without.status, without.scores.platform_fit),
        (Verdict::NotChecked, Some(0.9))
    );
    assert!(without.fail_reasons[0].contains("no picture"));
    desk.answer("review_agent.no_images", "text_only_review", "");
    let (wanted, _) = review(&mut desk, vec![good()]);
    assert!(wanted.fail_reasons.is_empty());
}

#[test]
fn without_a_reviewer_nothing_is_checked() {
    let desk = desk();
    let Output::Artifact(made) = &review::without_model(&desk.work(Stage::Review, ""))[0] else {
        panic!("a review")
    };
    assert_eq!(
        (&made.facts["status"], &made.facts["approved"]),
        (&json!("not_checked"), &json!(false))
    );
}

fn seen(kind: &str) -> TurnResult {
    json_answer(json!({
        "type": kind,
        "styleTokens": { "colorPalette": ["#aabbcc"], "mood": "calm", "lighting": "soft", "styleKeywords": ["film"] },
        "layoutTokens": { "layout": "grid", "textDensity": "低", "composition": "thirds" },
        "contentTokens": { "elements": ["cup"], "scene": "desk" },
        "rawAnalysis": "A cup.",
    }))
}

fn referring(inputs: Value) -> PostFixture {
    let mut desk = PostFixture::with_models(MESSAGE);
    let mut requirement = desk.inputs["requirement"][0].body.as_ref().clone();
    requirement["referenceInputs"] = inputs;
    desk.put("requirement", "", requirement);
    desk
}

fn fetched() -> TurnResult {
    let output =
        json!({ "blob": BlobRef::of(b"ref"), "mediaType": "image/png", "width": 10, "height": 10 });
    TurnResult::Tool { output }
}

fn references(end: Carry) -> References {
    serde_json::from_value(body(end)).expect("references")
}

#[test]
fn references_are_looked_at_by_whoever_sees() {
    let inputs = json!([{ "url": "https://a.example/1.png", "type": "style" }, { "url": "2.png" }, { "url": "3.png" }]);
    let mut desk = referring(inputs);
    let broken = TurnResult::Tool {
        output: json!({ "error": "not found", "code": "fetch", "retryable": false }),
    };
    let turns = vec![
        fetched(),
        seen("content_ref"),
        fetched(),
        seen("mixed_ref"),
        broken,
    ];
    let first = asked(Post.carry(&desk.work(Stage::Reference, ""), &turns[..1]));
    assert_eq!(first.pictures[0].blob, BlobRef::of(b"ref"));
    let references = references(desk.carry(Stage::Reference, "", turns));
    assert_eq!(references.status, ReferenceStatus::Analysed);
    let found: Vec<_> = references
        .analyses
        .iter()
        .map(|a| (a.kind.as_str(), a.confidence))
        .collect();
    assert_eq!(
        found,
        [("style_ref", 0.95), ("mixed_ref", 0.65), ("mixed_ref", 0.5)]
    );
    assert_eq!(references.analyses[2].raw_analysis, "not found");
    assert!(references.analyses[0].picture.is_some());
    let style = references.style.expect("a style");
    assert_eq!(
        (style.style.as_str(), style.composition.as_str()),
        ("film", "thirds")
    );
}

#[test]
fn an_undeclared_reference_is_inferred() {
    let mut desk = referring(json!([{ "url": "2.png" }]));
    let references =
        references(desk.carry(Stage::Reference, "", vec![fetched(), seen("layout_ref")]));
    assert_eq!(
        (
            references.analyses[0].kind.as_str(),
            references.analyses[0].confidence
        ),
        ("layout_ref", 0.78)
    );
}

#[test]
fn without_eyes_references_are_not_checked() {
    let inputs = json!([{ "url": "1.png", "type": "layout" }]);
    let mut desk = referring(inputs);
    desk.settings.models.remove("vision");
    let got = references(desk.carry(Stage::Reference, "", vec![fetched()]));
    assert_eq!(got.status, ReferenceStatus::NotChecked);
    assert_eq!(
        (got.analyses[0].kind.as_str(), got.analyses[0].confidence),
        ("layout_ref", 0.5)
    );
    assert!(got.analyses[0].picture.is_some() && got.style.is_none());
    let Output::Artifact(left) = &reference::without_model(&desk.work(Stage::Reference, ""))[0]
    else {
        panic!("references")
    };
    assert_eq!(left.json().expect("JSON")["status"], "not_checked");
}

#[test]
fn a_reserve_is_what_one_turn_may_cost() {
    let mut desk = desk();
    desk.settings.ports.images = true;
    desk.settings
        .models
        .insert("images".to_owned(), "painter".to_owned());
    let price = palimpsest::prelude::trial::Price {
        input: 1_000_000,
        output: 1_000_000,
        cached: 0,
        image: 40_000,
    };
    desk.settings.prices = ["m", "painter"]
        .map(|model| (model.to_owned(), price))
        .into();
    let images = crate::pipeline::ask::reserve_image(&desk.settings);
    assert_eq!(
        (images.calls, images.tokens, images.cost_micros),
        (1, 0, 40_000)
    );
    let writer = Stage::Writer.asks.map(|asks| asks.reserve(&desk.settings));
    let writer = writer.expect("it asks a model");
    assert_eq!(writer.cost_micros, writer.tokens);
    assert!(Stage::Post.asks.is_none() && Stage::Post.reserve.is_none());
}

#[test]
fn a_reviewer_who_says_nothing_usable_is_none() {
    let mut desk = desk();
    let prose = || json_answer(json!("fine"));
    assert!(!refusals(desk.carry(Stage::Review, "", vec![prose()])).is_empty());
    desk.settings.attempts = 1;
    let (review, _) = review(&mut desk, vec![prose()]);
    assert_eq!(review.status, Verdict::NotChecked);
}

#[test]
fn prompts_stand_in_the_order_of_the_pictures_and_whoever_saw_them_counts() {
    let said = |answer: TurnResult, prompts: Value| match answer {
        TurnResult::Model {
            model,
            answer: Answer::Json(mut said),
        } => {
            said["optimizedPrompts"] = prompts;
            TurnResult::Model {
                model,
                answer: Answer::Json(said),
            }
        }
        other => panic!("{other:?}"),
    };
    let text = said(good(), json!(["a", "", "c"]));
    let eyes = said(
        looked(json!(0.8), json!(0.9), true),
        json!(["", "B", "C", "D", "E"]),
    );
    let (review, facts) = review(&mut desk(), vec![text, eyes]);
    assert_eq!(review.optimized_prompts, ["a", "B", "C", "D"]);
    assert_eq!(facts["prompts"], json!(["a", "B", "C", "D"]));
}
