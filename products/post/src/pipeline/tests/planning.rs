use palimpsest::prelude::pipeline::GateEdits;

use super::*;

fn entry(seq: u32, role: &str, density: &str) -> Value {
    json!({
        "imageSeq": seq, "role": role, "visualFocus": "草地", "textDensity": density,
        "blocks": [{ "area": "title", "instruction": "大字" }],
    })
}

fn lay_out(preference: &str, entries: Value) -> Carry {
    let mut desk = PostFixture::with_models(MESSAGE).with_content();
    let preference = preference.to_owned();
    desk.decisions
        .insert("layout_preference".to_owned(), preference);
    desk.told(Stage::Layout, json!({ "layoutSpec": entries }))
}

#[test]
fn a_layout_is_numbered_and_suits_the_preference() {
    let cover = || entry(0, "cover", "低");
    for (preference, entries, says) in [
        ("balanced", json!([]), "0 entries"),
        ("balanced", json!([cover(), cover()]), "[0, 0]"),
        (
            "balanced",
            json!([entry(0, "detail", "低")]),
            "is the cover",
        ),
        ("visual-first", json!([entry(0, "cover", "高")]), "is 高"),
        ("dense", json!([cover()]), "no picture has textDensity 高"),
    ] {
        let found = refusals(lay_out(preference, entries));
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{says}: {found:?}"
        );
    }
    let five: Vec<_> = (0..5).map(|seq| entry(seq, "cover", "低")).collect();
    let mut crowded = json!(five);
    crowded[0]["blocks"] = json!(vec![json!({ "area": "body", "instruction": "x" }); 7]);
    let made = left(lay_out("balanced", crowded));
    assert_eq!(made.facts, json!({ "entries": 4 }));
    let blocks = &made.json().expect("JSON")["layoutSpec"][0]["blocks"];
    assert_eq!(blocks.as_array().map(Vec::len), Some(6));
    let mut bare = json!([entry(0, "detail", "低"), entry(0, "detail", "中")]);
    for entry in bare.as_array_mut().expect("entries") {
        entry
            .as_object_mut()
            .expect("an entry")
            .shift_remove("imageSeq");
    }
    let made = left(lay_out("balanced", bare));
    let numbered = &made.json().expect("JSON")["layoutSpec"];
    assert_eq!(
        (&numbered[0]["role"], &numbered[1]["imageSeq"]),
        (&json!("cover"), &json!(1))
    );
    let made = left(lay_out(
        "balanced",
        json!([entry(1, "detail", "中"), cover()]),
    ));
    let body = made.json().expect("JSON");
    assert_eq!(body["layoutSpec"][0]["role"], "cover");
    assert_eq!(made.facts, json!({ "entries": 2 }));
}

fn plan(plans: Value, bindings: Value, overlays: Value) -> Carry {
    let mut desk = PostFixture::with_models(MESSAGE).with_content();
    let wanted =
        json!({ "plans": plans, "paragraphImageBindings": bindings, "textOverlayPlan": overlays });
    desk.told(Stage::ImagePlan, wanted)
}

fn cover() -> Value {
    json!({ "sequence": 0, "role": "cover", "description": "草地" })
}

fn detail(sequence: u32) -> Value {
    json!({ "sequence": sequence, "role": "detail", "description": "野餐垫" })
}

#[test]
fn every_picture_gets_paragraphs() {
    let bindings = json!([{ "imageSeq": 0, "paragraphIds": ["p3", "p3"], "rationale": "收尾" }]);
    let made = left(plan(json!([detail(1), cover()]), bindings, json!([])));
    assert_eq!(made.facts, json!({ "plans": 2 }));
    let body = made.json().expect("JSON");
    assert_eq!(body["plans"][0]["role"], "cover");
    assert_eq!(
        body["paragraphImageBindings"],
        json!([
            { "imageSeq": 0, "paragraphIds": ["p3"], "rationale": "收尾" },
            { "imageSeq": 1, "paragraphIds": ["p2"] },
        ])
    );
}

#[test]
fn a_post_without_a_plan_gets_a_cover() {
    let body = body(plan(json!([]), json!([]), json!([])));
    assert_eq!(body["plans"][0]["description"], "封面：春游攻略");
    assert_eq!(
        body["paragraphImageBindings"][0]["paragraphIds"],
        json!(["p1"])
    );
}

#[test]
fn what_is_wrong_with_a_plan_is_told() {
    let overlay = |seq: u32, title: Value, text: Value| json!([{ "imageSeq": seq, "titleText": title, "bodyText": text, "placement": "top" }]);
    let cover_only = || json!([cover()]);
    let long = "春".repeat(25);
    for (plans, bindings, overlays, says) in [
        (json!([cover(), cover()]), json!([]), json!([]), "[0, 0]"),
        (json!([cover(), detail(2)]), json!([]), json!([]), "[0, 2]"),
        (
            json!([{ "sequence": 0, "role": "cover", "description": " " }]),
            json!([]),
            json!([]),
            "/plans/0/description",
        ),
        (
            cover_only(),
            json!([]),
            overlay(0, Value::Null, json!("春")),
            "no titleText",
        ),
        (
            cover_only(),
            json!([]),
            overlay(0, json!(long), Value::Null),
            "titleText titleText is 25 em",
        ),
        (
            cover_only(),
            json!([]),
            overlay(0, json!("春"), json!("立省 88 元")),
            "88",
        ),
    ] {
        let found = refusals(plan(plans, bindings, overlays));
        assert!(
            found.iter().any(|line| line.contains(says)),
            "{says}: {found:?}"
        );
    }
}

#[test]
fn what_belongs_to_no_picture_is_left_out_of_a_plan_and_told() {
    let five: Vec<_> = (0..5).map(detail).collect();
    let made = left(plan(json!(five), json!([]), json!([])));
    assert_eq!(made.facts, json!({ "plans": 4 }));
    let twice = json!([
        { "imageSeq": 0, "titleText": "<b>春", "placement": "top" },
        { "imageSeq": 0, "titleText": "游", "placement": "top" },
        { "imageSeq": 0, "titleText": " ", "placement": "top" },
        { "imageSeq": 3, "titleText": "夏", "placement": "top" },
    ]);
    let bindings =
        json!([{ "imageSeq": 4, "paragraphIds": [] }, { "imageSeq": 0, "paragraphIds": ["p9"] }]);
    let Carry::Done(outputs) = plan(json!([cover()]), bindings, twice) else {
        panic!("it is put right")
    };
    let [
        Output::Artifact(made),
        Output::Decision {
            what, choice, by, ..
        },
    ] = &outputs[..]
    else {
        panic!("{outputs:?}")
    };
    let body = made.json().expect("JSON");
    let words = json!([{ "imageSeq": 0, "titleText": "春", "placement": "top" }]);
    assert_eq!(body["textOverlayPlan"], words);
    assert_eq!(
        body["paragraphImageBindings"][0]["paragraphIds"],
        json!(["p1"])
    );
    assert_eq!(
        (what.as_str(), by.as_str()),
        ("put_right:image_plan", "rules")
    );
    assert!(choice.contains("/textOverlayPlan"), "{choice}");
}

#[test]
fn in_the_last_attempt_words_that_cannot_be_used_are_left_out() {
    let mut desk = PostFixture::with_models(MESSAGE).with_content();
    desk.settings.attempts = 1;
    let overlays = json!([{ "imageSeq": 0, "titleText": "立省 88 元", "placement": "top" }]);
    let wanted =
        json!({ "plans": [cover()], "paragraphImageBindings": [], "textOverlayPlan": overlays });
    let made = left(desk.told(Stage::ImagePlan, wanted));
    assert_eq!(made.json().expect("JSON")["textOverlayPlan"], json!([]));
}

#[test]
fn whoever_plans_anew_is_told_what_the_reviewer_would_have_asked_for() {
    let mut desk = PostFixture::with_models(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    let prompts = json!(["a brighter lawn"]).to_string();
    desk.decisions
        .insert("prompts:art_image_plan_".to_owned(), prompts);
    let before = Arc::clone(&desk.inputs["image_plan"][0].artifact);
    let first = desk.work(Stage::ImagePlan, "");
    let again = Work {
        left_before: vec![before],
        ..first.clone()
    };
    let told = |work: &Work| asked(Post.carry(work, &[])).vars["prompts"].clone();
    assert_eq!(told(&first), json!([]));
    assert_eq!(told(&again), json!(["a brighter lawn"]));
}

#[test]
fn another_layout_preference_has_the_pictures_planned_anew_also_where_there_is_no_layout() {
    let desk = PostFixture::new(MESSAGE)
        .with_content()
        .with_plan(json!([]));
    let body = |kind: &str| (kind.to_owned(), desk.inputs[kind][0].body.as_ref().clone());
    let seen = BTreeMap::from([body("content"), body("image_plan")]);
    let edits = json!({ "layoutPreference": "dense" });
    let edited = Post.edit(&GateEdits {
        gate: "image_plans",
        subject: &Value::Null,
        seen: &seen,
        edits: &edits,
        files: &[],
    });
    assert_eq!(edited.expect("an edit").reopens, ["image_plan"]);
}
