use palimpsest::prelude::pipeline::typeset::Placement;
use palimpsest::prelude::pipeline::{GateEdits, Sha256};
use spec::CardRole;

use super::*;

fn made_by_provider() -> Value {
    json!({
        "blob": BlobRef::of(b"jpeg"), "mediaType": "image/jpeg",
        "width": 1080, "height": 1440, "model": "painter",
    })
}

fn desk(overlays: Value) -> PostFixture {
    let mut desk = PostFixture::new(MESSAGE).with_content().with_plan(overlays);
    desk.settings.ports.images = true;
    desk.world.insert("generateImage", made_by_provider());
    desk.world
        .insert("generate_with_reference", made_by_provider());
    desk
}

fn overlay() -> Value {
    json!([{ "imageSeq": 0, "titleText": "🌸春游攻略", "bodyText": "周末出发", "placement": "bottom" }])
}

fn references(kind: &str) -> Value {
    json!({
        "analyses": [{
            "index": 0, "url": "a.png", "type": kind, "confidence": 0.95,
            "styleTokens": {}, "layoutTokens": {}, "contentTokens": {}, "rawAnalysis": "",
            "picture": { "blob": BlobRef::of(b"ref"), "media_type": "image/png" },
        }],
        "style": { "style": "水彩 watercolor", "colorPalette": ["#fff"], "mood": "calm" },
        "status": "analysed",
    })
}

#[test]
fn a_picture_without_words_is_the_providers() {
    let mut desk = desk(json!([]));
    let made = desk.make(Stage::Images, "1");
    let body = Body::Blob {
        blob: BlobRef::of(b"jpeg"),
        media_type: "image/jpeg".to_owned(),
    };
    assert_eq!(made.content, Content::Same(body));
    let prompt = desk.asked[0].1["prompt"].as_str().expect("a prompt");
    assert_eq!(
        prompt,
        "a lawn\nno text, no letters and no watermark in the picture"
    );
    // The recorded prompt is what the provider is really sent: with the words of the style.
    let sent = palimpsest::prelude::pipeline::drawing::sent(prompt, Some("illustration"));
    assert!(sent.contains("clean editorial illustration"), "{sent}");
    let preview: String = sent.chars().take(120).collect();
    assert_eq!(
        made.facts,
        json!({
            "sequence": 0, "role": "cover", "plan": "art_image_plan_", "width": 1080, "height": 1440,
            "drawn": "provider", "prompt_sha256": Sha256::of(sent.as_bytes()), "prompt_preview": preview,
        })
    );
    assert_eq!(
        (made.title.as_str(), made.id_prefix),
        ("公园草地", "art_img_")
    );
    assert!(made.from.contains(&ArtifactId::new("art_image_plan_")));
    assert_eq!(desk.asked[0].1["sequence"], 0);
    assert_eq!(desk.asked[0].1["style"], "illustration");
    assert!(desk.cards.is_empty());
}

#[test]
fn a_picture_of_another_shape_is_cut_to_that_of_a_post() {
    let mut desk = desk(json!([]));
    let mut tall = made_by_provider();
    tall["width"] = json!(1024);
    tall["height"] = json!(1536);
    desk.world.insert("generateImage", tall);
    let made = desk.make(Stage::Images, "1");
    assert!(is_file(&made));
    assert_eq!(made.facts["height"], 1440);
    let RenderJob::Card(job) = &desk.cards[0] else {
        panic!("a card")
    };
    assert!(job.ground.is_some() && job.card.title.is_empty());
}

#[test]
fn words_are_set_over_the_providers_picture() {
    let mut desk = desk(overlay());
    let made = desk.make(Stage::Images, "1");
    assert!(is_file(&made));
    assert_eq!(
        (&made.facts["drawn"], &made.facts["width"]),
        (&json!("provider"), &json!(1080))
    );
    let RenderJob::Card(job) = &desk.cards[0] else {
        panic!("a card")
    };
    let ground = job.ground.as_ref().expect("a picture");
    assert_eq!(
        (ground.placement, &ground.picture.blob),
        (Placement::Bottom, &BlobRef::of(b"jpeg"))
    );
    assert_eq!(job.card.title, "春游攻略");
    assert_eq!(job.card.points, ["周末出发"]);
    desk.make(Stage::Images, "2");
    assert_eq!(desk.cards.len(), 1, "the second has no words");
}

#[test]
fn a_reference_goes_to_the_provider_with_its_style() {
    for (kind, tool) in [
        ("style_ref", "generate_with_reference"),
        ("content_ref", "generate_with_reference"),
        ("layout_ref", "generateImage"),
    ] {
        let mut desk = desk(json!([]));
        desk.put("references", "", references(kind));
        desk.make(Stage::Images, "1");
        let (asked, input) = &desk.asked[0];
        assert_eq!(asked, tool);
        assert_eq!(input.get("reference").is_some(), tool != "generateImage");
        let prompt = input["prompt"].as_str().expect("a prompt");
        assert!(
            prompt.contains("水彩") && prompt.contains("calm"),
            "{prompt}"
        );
        assert_eq!(input["style"], "illustration");
    }
}

#[test]
fn what_the_provider_says_is_passed_on() {
    let mut desk = desk(json!([]));
    for retryable in [true, false] {
        let failed =
            json!({ "error": "no credit", "code": "out_of_credit", "retryable": retryable });
        desk.world.insert("generateImage", failed);
        let end = desk.carry(Stage::Images, "1", vec![]);
        let Carry::Fail {
            code,
            message,
            retryable: again,
        } = end
        else {
            panic!("{end:?}")
        };
        assert_eq!(
            (code.as_str(), message.as_str(), again),
            ("out_of_credit", "no credit", retryable)
        );
    }
    desk.world.insert("generateImage", json!({}));
    assert_eq!(
        failure(desk.carry(Stage::Images, "1", vec![])).0,
        "bad_image"
    );
}

fn failure(end: Carry) -> (String, String) {
    let Carry::Fail {
        code,
        message,
        retryable,
    } = end
    else {
        panic!("{end:?}")
    };
    assert!(!retryable);
    (code, message)
}

#[test]
fn characters_that_no_font_has_stop_a_picture_with_advice() {
    for provided in [true, false] {
        let mut desk = desk(overlay());
        desk.settings.ports.images = provided;
        desk.missing = Some("龘");
        let (code, message) = failure(desk.carry(Stage::Images, "1", vec![]));
        assert_eq!(code, "missing_glyphs");
        assert!(message.contains('龘') && message.contains("fonts-noto-cjk"));
    }
}

#[test]
fn without_a_provider_a_card_is_drawn_from_its_words() {
    let mut desk = PostFixture::new(MESSAGE)
        .with_content()
        .with_plan(overlay());
    let made = desk.make(Stage::Images, "1");
    assert_eq!(made.facts["drawn"], "local");
    let second = desk.make(Stage::Images, "2");
    assert_eq!(second.facts["sequence"], 1);
    let cards = desk.cards.iter().map(|job| match job {
        RenderJob::Card(job) => job,
        _ => panic!("a card"),
    });
    let cards: Vec<_> = cards.collect();
    assert!(
        cards
            .iter()
            .all(|job| job.ground.is_none() && job.card.check().is_empty())
    );
    assert_eq!(cards[0].card.title, "春游攻略");
    assert_eq!(cards[0].card.kicker.as_deref(), Some("春游"));
    assert_eq!(cards[1].card.role, CardRole::Detail);
    assert_eq!(cards[1].card.title, "带上水和野餐垫");
    assert_eq!(cards[1].card.points, ["评论区见"]);
    assert_eq!(
        cards[0].theme, cards[1].theme,
        "the pictures of a post look alike"
    );
}

#[test]
fn a_picture_that_is_not_planned_is_none() {
    let mut desk = PostFixture::new(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    for item in ["3", "0", "x"] {
        assert_eq!(
            failure(desk.carry(Stage::Images, item, vec![])).0,
            "no_plan"
        );
    }
}

#[test]
fn a_picture_of_the_same_plan_is_made_with_the_reviewers_prompt() {
    let mut desk = desk(json!([]));
    let prompts = json!(["a brighter lawn", ""]).to_string();
    desk.decisions
        .insert("prompts:art_image_plan_".to_owned(), prompts.clone());
    desk.make(Stage::Images, "1");
    desk.make(Stage::Images, "2");
    let prompt = |at: usize| desk.asked[at].1["prompt"].as_str().expect("a prompt");
    assert!(prompt(0).starts_with("a brighter lawn\n"), "{}", prompt(0));
    assert!(
        prompt(1).starts_with("野餐垫\n"),
        "an empty one leaves what was planned"
    );
    desk.decisions = [("prompts:art_older".to_owned(), prompts)].into();
    desk.make(Stage::Images, "1");
    let prompt = desk.asked[2].1["prompt"].as_str().expect("a prompt");
    assert!(
        prompt.starts_with("a lawn\n"),
        "they were about another plan: {prompt}"
    );
}

#[test]
fn a_card_says_what_a_person_said_that_it_shows() {
    let mut desk = PostFixture::new(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    let mut plan = desk.inputs["image_plan"][0].body.as_ref().clone();
    let content = desk.inputs["content"][0].body.as_ref().clone();
    let seen = |plan: &Value| {
        let content = ("content".to_owned(), content.clone());
        BTreeMap::from([("image_plan".to_owned(), plan.clone()), content])
    };
    let mut edits = json!({ "imagePlans": plan["plans"] });
    edits["imagePlans"][1]["description"] = json!("三件必带的东西");
    for _ in 0..2 {
        let edited = Post.edit(&GateEdits {
            gate: "image_plans",
            subject: &Value::Null,
            seen: &seen(&plan),
            edits: &edits,
            files: &[],
        });
        let made = edited.expect("an edit");
        let made = made
            .subject
            .or_else(|| made.others.into_iter().next().map(|(_, _, new)| new));
        plan = made.expect("a plan").json().expect("JSON").clone();
        // An earlier edit stays when another edit is made later.
        edits = json!({ "plans": plan["plans"] });
        edits["plans"][0]["prompt"] = json!("a wide lawn");
        edits["plans"][1]
            .as_object_mut()
            .expect("a plan")
            .remove("described");
    }
    desk.put("image_plan", "", plan);
    desk.make(Stage::Images, "1");
    desk.make(Stage::Images, "2");
    let titles: Vec<_> = desk
        .cards
        .iter()
        .map(|job| match job {
            RenderJob::Card(job) => job.card.title.clone(),
            _ => panic!("a card"),
        })
        .collect();
    assert_eq!(titles, ["春游攻略", "三件必带的东西"]);
}

#[test]
fn a_change_of_one_picture_leaves_the_others_as_they_are() {
    let mut desk = desk(overlay());
    desk.put_image("1", (1080, 1440));
    let before = desk.inputs["image"][0].clone();
    let mut work = desk.work(Stage::Images, "1");
    work.only = vec!["2".to_owned()];
    work.previous.insert("image".into(), before.clone());
    let made = left(Post.carry(&work, &[]));
    assert_eq!(made.content, Content::Same(before.artifact.body.clone()));
    assert_eq!(made.facts["plan"], "art_image_plan_");
    assert_eq!(made.facts["width"], 1080);
    // The picture that the change is about is asked for again.
    let mut work = desk.work(Stage::Images, "2");
    work.only = vec!["2".to_owned()];
    work.previous.insert("image".into(), before);
    assert!(matches!(Post.carry(&work, &[]), Carry::Tool(_)));
}

#[test]
fn a_plan_for_one_picture_keeps_the_others_with_their_words() {
    let desk = PostFixture::with_models(MESSAGE)
        .with_content()
        .with_plan(overlay());
    let before = desk.inputs["image_plan"][0].clone();
    let mut work = desk.work(Stage::ImagePlan, "");
    work.only = vec!["2".to_owned()];
    work.previous.insert("image_plan".into(), before.clone());
    let answer = json!({
        "plans": [
            { "role": "cover", "description": "海边", "prompt": "a beach" },
            { "role": "detail", "description": "水煮蛋", "prompt": "boiled eggs" },
        ],
        "paragraphImageBindings": [
            { "imageSeq": 0, "paragraphIds": ["p1"] },
            { "imageSeq": 1, "paragraphIds": ["p2", "p3"] },
        ],
        "textOverlayPlan": [],
    });
    let made = body(Post.carry(&work, &[json_answer(answer)]));
    assert_eq!(made["plans"][0], before.body["plans"][0]);
    assert_eq!(made["plans"][1]["description"], "水煮蛋");
    assert_eq!(
        made["textOverlayPlan"][0]["titleText"],
        overlay()[0]["titleText"]
    );
}

#[test]
fn a_title_is_not_cut_where_another_one_stands_whole() {
    let mut desk = PostFixture::new(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    let mut plan = desk.inputs["image_plan"][0].body.as_ref().clone();
    plan["plans"][1]["described"] = json!(true);
    plan["plans"][1]["description"] =
        json!("这三件东西出门之前一定要先检查一遍并且千万不要在太阳下面放太久");
    desk.put("image_plan", "", plan);
    desk.make(Stage::Images, "2");
    let RenderJob::Card(job) = &desk.cards[0] else {
        panic!("a card")
    };
    assert_eq!(job.card.title, "带上水和野餐垫");
}
