use super::*;
use crate::pipeline::shape::EvidencePack;

fn search() -> (&'static str, Value) {
    ("searchNotes", json!({ "query": "春游" }))
}

fn submit(items: Value) -> (&'static str, Value) {
    ("submit_evidence", json!({ "items": items, "summary": "" }))
}

fn desk() -> PostFixture {
    let mut desk = PostFixture::with_models(MESSAGE);
    desk.world.insert(
        "searchNotes",
        json!({ "total": 1, "notes": [{ "id": 7, "title": "春游", "excerpt": "门票 35 元，周一闭园", "url": "https://a.example/7" }] }),
    );
    desk
}

/// What the model is told when it hands this in after a search.
fn told(items: Value) -> String {
    told_after(desk(), items)
}

fn told_after(mut desk: PostFixture, items: Value) -> String {
    let work = desk.work(Stage::Research, "");
    let mut turns = vec![calls("m", &[search(), submit(items)])];
    loop {
        match Post.carry(&work, &turns) {
            Carry::Tool(tool) if tool.tool == "submit_evidence" => {
                return tool.gives.expect("known").summary;
            }
            next => turns.push(desk.turn(&work, &next, &turns)),
        }
    }
}

#[test]
fn a_search_that_found_nothing_gives_no_evidence() {
    let mut desk = desk();
    let nothing = json!({ "query": "春游", "total": 0, "notes": [] });
    desk.world.insert("searchNotes", nothing);
    let told = told_after(desk, json!([{ "fact": "大家都爱春游" }]));
    assert!(told.contains("no evidence"), "{told}");
}

#[test]
fn evidence_is_what_a_tool_gave() {
    for (item, says) in [
        (json!({ "fact": "" }), "empty"),
        (json!({ "fact": "x", "source": "note:9" }), "no source"),
        (
            json!({ "fact": "x", "source": "https://b.example" }),
            "no source",
        ),
        (
            json!({ "fact": "x", "quote": "从未说过" }),
            "stands in no result",
        ),
        (json!({ "fact": "门票 99 元" }), "99"),
        (json!({ "fact": "长".repeat(301) }), "300"),
    ] {
        let told = told(json!([item]));
        assert!(told.contains(says), "{item}: {told}");
    }
    let many: Vec<_> = (0..9).map(|_| json!({ "fact": "x" })).collect();
    assert_eq!(told(json!(many)), "8 items", "the first ones are kept");
    assert_eq!(
        told(json!([{ "fact": "门票 35 元", "source": "7", "quote": "门票 35 元" }])),
        "1 items"
    );
}

#[test]
fn a_source_is_kept_in_one_form() {
    let items = json!([
        { "fact": "门票 35 元", "source": "7" },
        { "fact": "周一闭园", "source": "https://a.example/7", "quote": " " },
    ]);
    let end = desk().carry(
        Stage::Research,
        "",
        vec![calls("m", &[search(), submit(items)])],
    );
    let pack: EvidencePack = serde_json::from_value(body(end)).expect("evidence");
    let sources: Vec<_> = pack
        .items
        .iter()
        .filter_map(|item| item.source.as_deref())
        .collect();
    assert_eq!(sources, ["note:7", "https://a.example/7"]);
    assert_eq!(pack.items[1].quote, None);
    assert!(!pack.offline);
}

#[test]
fn nothing_that_no_tool_gave_is_evidence() {
    let mut desk = PostFixture::with_models(MESSAGE);
    let work = desk.work(Stage::Research, "");
    let turns = [calls("m", &[submit(json!([{ "fact": "大家都爱春游" }]))])];
    let Carry::Tool(tool) = Post.carry(&work, &turns) else {
        panic!("a refusal is recorded")
    };
    assert!(
        tool.gives
            .expect("known")
            .summary
            .contains("no tool has given anything")
    );
    let end = desk.carry(Stage::Research, "", vec![calls("m", &[submit(json!([]))])]);
    let made = left(end);
    assert_eq!(made.facts, json!({ "items": 0 }));
    assert_eq!(made.json().expect("JSON")["status"], "none");
    let Output::Artifact(none) = &research::without_model(&work)[0] else {
        panic!("evidence")
    };
    assert_eq!(none.json().expect("JSON")["status"], "none");
}

#[test]
fn the_fourth_call_of_the_world_is_refused() {
    let mut desk = desk();
    let four = [
        search(),
        ("analyzeTopTags", json!({})),
        ("getTopTitles", json!({})),
        search(),
    ];
    let wanted: Vec<_> = four.into_iter().chain([submit(json!([]))]).collect();
    left(desk.carry(Stage::Research, "", vec![calls("m", &wanted)]));
    assert_eq!(desk.asked.len(), 3);
    assert_eq!(desk.asked[1].1, json!({ "days": 7 }));
    assert_eq!(
        desk.asked[2].1,
        json!({ "limit": 20, "sortBy": "engagement" })
    );
}

#[test]
fn the_web_is_searched_only_where_it_can_be() {
    let web = ("webSearch", json!({ "query": " 春游\n攻略 " }));
    let mut closed = desk();
    let tools = asked(Post.carry(&closed.work(Stage::Research, ""), &[])).tools;
    assert!(tools.iter().all(|tool| tool.name != "webSearch"));
    left(closed.carry(
        Stage::Research,
        "",
        vec![calls("m", &[web.clone(), submit(json!([]))])],
    ));
    assert!(closed.asked.is_empty());
    let mut open = desk();
    open.settings.ports.search = true;
    open.world.insert(
        "webSearch",
        json!({ "results": [{ "title": "t", "url": "https://c.example", "snippet": "闭园" }] }),
    );
    let items = json!([{ "fact": "闭园", "source": "https://c.example" }]);
    left(open.carry(Stage::Research, "", vec![calls("m", &[web, submit(items)])]));
    assert_eq!(open.asked[0].1["query"], "春游 攻略");
}

#[test]
fn a_tool_that_fails_is_no_reason_to_fail() {
    let mut desk = PostFixture::new(MESSAGE);
    let failed = json!({ "error": "off", "code": "off", "retryable": false });
    for tool in ["searchNotes", "analyzeTopTags", "getTopTitles"] {
        desk.world.insert(tool, failed.clone());
    }
    let wanted = [
        search(),
        ("analyzeTopTags", json!({})),
        ("getTopTitles", json!({})),
        submit(json!([])),
    ];
    let made = left(desk.carry(Stage::Research, "", vec![calls("m", &wanted)]));
    assert_eq!(desk.asked.len(), 3);
    assert_eq!(made.facts, json!({ "items": 0 }));
}

#[test]
fn a_researcher_who_hands_nothing_in_found_nothing() {
    let mut desk = PostFixture::with_models(MESSAGE);
    let idle = || TurnResult::Model {
        model: "m".into(),
        answer: Answer::Text("nothing".to_owned()),
    };
    let nothing = TurnResult::Tool {
        output: json!({ "notes": [] }),
    };
    let made = left(desk.carry(Stage::Research, "", vec![idle(), nothing]));
    assert_eq!(made.facts, json!({ "items": 0 }));
    let summary = made.json().expect("JSON")["summary"].clone();
    assert_eq!(summary, "没有证据：研究模型没有交出可用的内容。");
}

#[test]
fn a_researcher_may_ask_whoever_attends() {
    let question = (
        "askUser",
        json!({ "question": "哪个 城市？", "options": [{ "id": "a", "label": "杭州" }], "selectionType": "single", "allowCustomInput": true }),
    );
    let fact = json!([{ "fact": "门票 45 元", "source": "person" }]);
    let turns = || vec![calls("m", &[question.clone(), submit(fact.clone())])];
    let mut alone = desk();
    let tools = asked(Post.carry(&alone.work(Stage::Research, ""), &[])).tools;
    assert!(tools.iter().all(|tool| tool.name != "askUser"));
    let work = alone.work(Stage::Research, "");
    let Carry::Tool(refused) = Post.carry(&work, &turns()) else {
        panic!("a refusal is recorded")
    };
    let told = refused.gives.expect("known").summary;
    assert!(told.contains("no tool") && told.contains("`submit_evidence`"));
    alone.settings.attended = true;
    let tools = asked(Post.carry(&alone.work(Stage::Research, ""), &[])).tools;
    assert!(tools.iter().any(|tool| tool.name == "askUser"));
    alone.world.insert(
        "askUser",
        json!({ "selectedIds": [], "selected": [], "customInput": "苏州，门票 45 元" }),
    );
    let pack = body(alone.carry(Stage::Research, "", turns()));
    assert_eq!(pack["items"], fact, "what a person says counts");
    assert_eq!(alone.asked[0].1["question"], "哪个 城市？");
    // A question to the person does not count as a call of an outside tool.
    let mut many: Vec<_> = (0..3).map(|_| search()).collect();
    many.extend([question, submit(json!([]))]);
    alone.asked.clear();
    left(alone.carry(Stage::Research, "", vec![calls("m", &many)]));
    assert_eq!(alone.asked.len(), 4);
}
