use super::*;

fn draft(title: &str, body: &str, tags: Value) -> Value {
    json!({ "title": title, "body": body, "tags": tags })
}

fn write(desk: &mut PostFixture, body: &str) -> Carry {
    desk.told(Stage::Writer, draft("春游攻略", body, json!(["春游"])))
}

#[test]
fn a_brief_is_held_against_the_limits_of_the_contract() {
    let mut desk = PostFixture::with_models("春游");
    let brief = json!({
        "topic": "", "audience": "", "goal": "", "tone": "", "callToAction": "",
        "constraints": ["a", "b", "c", "d"], "keywords": ["1", "2", "3", "4", "5", "6"],
        "keyPoints": [""], "bannedExpressions": [],
    });
    let made = left(desk.told(Stage::Brief, brief.clone()));
    assert_eq!(made.facts, json!({ "keywords": 5, "key_points": 0 }));
    let mut long = brief.clone();
    long["keyPoints"] = json!(["长".repeat(201)]);
    let found = refusals(desk.told(Stage::Brief, long));
    assert!(found[0].starts_with("/keyPoints/0"), "{found:?}");
    let mut good = brief;
    good["constraints"] = json!([]);
    good["keywords"] = json!(["春游"]);
    good["keyPoints"] = json!([]);
    let made = left(desk.told(Stage::Brief, good));
    assert_eq!(made.facts, json!({ "keywords": 1, "key_points": 0 }));
    let body = made.json().expect("JSON");
    let filled = [&body["topic"], &body["audience"], &body["goal"]];
    assert_eq!(filled, ["未指定", "小红书用户", "提升互动"]);
    assert_eq!(body["offline"], false);
}

#[test]
fn numbers_that_nobody_gave_are_not_accepted() {
    let mut desk = PostFixture::with_models("春游，预算 200 元");
    let found = refusals(write(
        &mut desk,
        "87% 的人都去过，人均 200 元，3 个地方，100% 好玩",
    ));
    assert_eq!(found.len(), 1);
    assert!(
        found[0].starts_with("/body has numbers that nobody gave: 87;"),
        "{found:?}"
    );
    desk.put(
        "evidence",
        "",
        json!({ "items": [{ "fact": "87% 的人去过", "source": "note:1" }], "summary": "", "status": "found" }),
    );
    left(write(&mut desk, "87% 的人都去过，人均 200 元"));
    desk.answer("writer_agent.evidence_gap", "need_more_facts", "门票 35 元");
    left(write(&mut desk, "门票 35 元"));
}

#[test]
fn what_a_person_wrote_may_be_kept() {
    let mut desk = PostFixture::with_models("春游").with_content();
    let mut before = desk.inputs["content"][0].clone();
    let text = json!({ "title": "春游", "body": "人均 66 元", "tags": [] });
    before.body = Arc::new(text);
    desk.previous.insert("content".into(), before.clone());
    assert!(refusals(write(&mut desk, "人均 66 元"))[0].contains("66"));
    Arc::make_mut(&mut before.artifact).facts = json!({ "by": "person" });
    desk.previous.insert("content".into(), before);
    left(write(&mut desk, "人均 66 元"));
}

/// A text about the message of so many characters, none of which comes back.
fn of_chars(count: u32) -> String {
    let others = (2..count).filter_map(|at| char::from_u32(0x4e00 + at));
    "春游".chars().chain(others).collect()
}

#[test]
fn the_limits_of_the_platform_are_hard() {
    let mut desk = PostFixture::with_models("春游");
    let mut paths = |title: &str, body: &str, tags: Value| -> Vec<String> {
        let found = refusals(desk.told(Stage::Writer, draft(title, body, tags)));
        let first = |line: String| line.split(' ').next().unwrap_or_default().to_owned();
        found.into_iter().map(first).collect()
    };
    let many: Vec<_> = (0..11).map(|at| format!("标签{at}")).collect();
    assert_eq!(paths(&of_chars(21), "好", json!(["春"])), ["/title"]);
    let with_commas: String = of_chars(18).chars().flat_map(|c| [c, '，']).collect();
    assert_eq!(paths(&with_commas, "好", json!(["春"])), ["/title"]);
    assert_eq!(paths("春", &of_chars(1_001), json!(["春"])), ["/body"]);
    assert_eq!(paths("", "", json!([])), ["/title", "/body", "/tags"]);
    let made = left(desk.told(Stage::Writer, draft("春", "好", json!(many))));
    let tags = &made.json().expect("JSON")["tags"];
    assert_eq!(
        tags.as_array().map(Vec::len),
        Some(6),
        "as many as the contract wants"
    );
}

#[test]
fn what_is_too_long_is_asked_for_once_more_and_then_told_and_nothing_is_lost() {
    let title = "周末带孩子去春游，这三个公园都不用排队，一定要收藏";
    let body = of_chars(1_001);
    for (title, body, said) in [
        (title, "好", "标题宽 50"),
        ("春", body.as_str(), "正文 1001 字"),
    ] {
        let mut desk = PostFixture::with_models("春游");
        let answer = || draft(title, body, json!(["春游"]));
        let found = match desk.told(Stage::Writer, answer()) {
            Carry::Reject(found) => found,
            other => panic!("{other:?}"),
        };
        desk.guidance.violations = found;
        let Carry::Done(outputs) = desk.told(Stage::Writer, answer()) else {
            panic!("it is not asked for a third time")
        };
        let [
            Output::Artifact(made),
            Output::Decision { what, reason, .. },
        ] = &outputs[..]
        else {
            panic!("{outputs:?}")
        };
        let made = made.json().expect("JSON");
        assert_eq!(
            (&made["title"], &made["body"]),
            (&json!(title), &json!(body))
        );
        assert!(
            what.starts_with("told:") && reason.contains(said),
            "{reason}"
        );
    }
}

#[test]
fn a_tag_of_several_words_stays_words() {
    let mut desk = PostFixture::with_models("spring");
    let tags = json!(["#spring outing", "family  day", "春 游", "picnic"]);
    let body = body(desk.told(Stage::Writer, draft("Spring", "Go.", tags)));
    assert_eq!(
        body["tags"],
        json!(["SpringOuting", "FamilyDay", "春游", "picnic"])
    );
}

#[test]
fn a_sentence_with_a_number_that_nobody_gave_is_left_out() {
    let mut desk = PostFixture::with_models("春游，预算 200 元");
    let text = "去公园走走。87% 的人都去过！人均 200 元，3 个地方。\n\n约 4.75 公里。带上水。";
    let made = left(write(&mut desk, text));
    let body = &made.json().expect("JSON")["body"];
    assert_eq!(body, "去公园走走。人均 200 元，3 个地方。\n\n带上水。");
}

#[test]
fn what_the_brief_rules_out_is_not_said() {
    let mut desk = PostFixture::new("春游");
    desk.put(
        "brief",
        "",
        json!({
            "topic": "春游", "audience": "上班族", "goal": "多收藏", "tone": "亲切自然", "callToAction": "",
            "constraints": [], "keywords": ["春游"], "keyPoints": [], "bannedExpressions": ["史上最"], "offline": false,
        }),
    );
    let found = refusals(write(&mut desk, "史上最好玩"));
    assert!(found[0].contains("史上最"), "{found:?}");
}

#[test]
fn tags_are_cleaned_and_paragraphs_are_cut() {
    let mut desk = PostFixture::with_models("春游");
    let made = draft("春游", "一\n\n二", json!(["#春游", "春游", " ", "亲子"]));
    let body = body(desk.told(Stage::Writer, made));
    assert_eq!(body["tags"], json!(["春游", "亲子"]));
    assert_eq!(body["bodyBlocks"][1]["id"], "p2");
    assert_eq!(body["offline"], false);
}

#[test]
fn formulas_are_written_in_signs_since_platforms_draw_none() {
    let mut desk = PostFixture::with_models("圆");
    let made = draft("圆的 $\\pi$", "面积是 $\\pi r^{n}$。", json!(["圆"]));
    let body = body(desk.told(Stage::Writer, made));
    assert_eq!(body["title"], "圆的 π");
    assert_eq!(body["body"], "面积是 πrⁿ。");
}

#[test]
fn a_writer_is_told_whether_there_is_evidence() {
    let mut desk = PostFixture::with_models("春游");
    let vars = asked(Post.carry(&desk.work(Stage::Writer, ""), &[])).vars;
    assert_eq!(vars["evidence"], Value::Null);
    desk.answer("writer_agent.evidence_gap", "need_more_facts", "周一闭园");
    let vars = asked(Post.carry(&desk.work(Stage::Writer, ""), &[])).vars;
    let evidence = vars["evidence"].as_str().expect("evidence");
    assert!(evidence.contains("周一闭园") && evidence.contains("person"));
    desk.answer(
        "writer_agent.evidence_gap",
        "continue_with_general_knowledge",
        "",
    );
    desk.feedback("短一点");
    desk.guidance.violations = vec![Violation::new("/title", "is too long")];
    let vars = asked(Post.carry(&desk.work(Stage::Writer, ""), &[])).vars;
    assert_eq!(vars["evidence"], Value::Null);
    assert_eq!(vars["feedback"], "短一点");
    assert_eq!(vars["violations"][0]["path"], "/title");
    assert_eq!(
        vars["answers"][0]["selected"][0],
        "continue_with_general_knowledge"
    );
}

#[test]
fn prose_is_no_answer() {
    let mut desk = PostFixture::with_models("春游");
    let prose = TurnResult::Model {
        model: "m".into(),
        answer: Answer::Text("标题：春游".to_owned()),
    };
    assert!(refusals(desk.carry(Stage::Writer, "", vec![prose]))[0].contains("prose"));
}
