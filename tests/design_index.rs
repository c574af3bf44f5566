//! The design index over HTTP: decks go in and come out, are found, voted on, and change what a run makes.

use deck::trial::{Filter, Index, NewDeck};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::Api;
use crate::support::folder::TestFolder;
use crate::support::postgres::Database;
use crate::support::program::{Server, palimpsest};
use crate::support::root;

const RAIN: &str = "---\ntitle: Rain in the valley\n---\n# Opening\n@type: title\n## Rain\n---\n# Water levels\n@type: bullet_points\n@background: dark\n@layout: icon_rows\n## Rivers in the valley rose by a third in May\n- @icon: water | The Arve rose first\n- @icon: chart | The Dranse rose most\n";

async fn server(place: &TestFolder) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    Server::start_with(command, &[]).await
}

async fn search(api: &Api, query: &str) -> Vec<Value> {
    let path = format!("/api/index/search?{query}");
    let found = api.get(&path).await.succeeded();
    found["results"].as_array().expect("results").clone()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_goes_in_is_found_voted_on_and_goes() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let came = api.post("/api/index/decks", &json!({ "dsl": RAIN })).await;
    let deck = came.succeeded();
    assert_eq!(
        (&deck["title"], &deck["added"]),
        (&json!("Rain in the valley"), &json!(true))
    );
    let same = json!({ "dsl": RAIN, "title": "Rain in the valley" });
    let again = api.post("/api/index/decks", &same);
    let again = again.await.succeeded();
    assert_eq!(
        (&again["deck_chunk_id"], &again["added"]),
        (&deck["deck_chunk_id"], &json!(false))
    );

    let found = search(&api, "q=rivers%20rose&limit=1").await;
    assert_eq!(found[0]["slide_type"], "bullet_points");
    let chunk = found[0]["chunk_id"].as_str().expect("an id").to_owned();
    let parts = ["semantic_score", "structural_score", "keyword_score"]
        .map(|part| found[0][part].as_f64().expect(part));
    let score = 0.5 * parts[0] + 0.3 * parts[1] + 0.2 * parts[2];
    assert!(
        (found[0]["score"].as_f64().expect("a score") - score).abs() < 0.001,
        "{found:#?}"
    );
    assert_eq!(
        search(&api, "q=rivers&granularity=deck").await[0]["deck_id"],
        deck["deck_chunk_id"]
    );
    assert_eq!(
        search(&api, "q=Dranse&granularity=element").await[0]["element_type"],
        "icon_bullet_group"
    );

    let said = json!({ "chunk_id": chunk, "signal": "keep", "session": "s1" });
    let kept = api.post("/api/index/feedback", &said).await.succeeded();
    assert_eq!(
        (&kept["counters"]["keep_count"], &kept["quality_score"]),
        (&json!(1), &json!(1.0))
    );
    let better = search(&api, "q=rivers%20rose&limit=1").await;
    assert!(better[0]["score"].as_f64() > found[0]["score"].as_f64());
    let hidden = json!({ "chunk_id": chunk, "signal": "delete", "session": "s2" });
    api.post("/api/index/feedback", &hidden).await.succeeded();
    assert!(
        search(&api, "q=rivers%20rose")
            .await
            .iter()
            .all(|hit| hit["chunk_id"] != chunk.as_str())
    );

    let id = deck["deck_chunk_id"].as_str().expect("an id");
    let whole = api.get(&format!("/api/index/decks/{id}")).await.succeeded();
    assert_eq!(whole["slides"].as_array().map(Vec::len), Some(2));
    assert_eq!(whole["counters"][&chunk]["hidden"], true);
    let gone = api.delete(&format!("/api/index/decks/{id}")).await;
    assert_eq!(gone.status.as_u16(), 204);
    assert!(search(&api, "q=rivers&min_score=0").await.is_empty());
    api.delete(&format!("/api/index/decks/{id}"))
        .await
        .refused(404, "no_deck");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_wrong_with_a_request_is_said() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let refused = |path: &'static str, body: Value, code: &'static str, status: u16| {
        let api = &api;
        async move { api.post(path, &body).await.refused(status, code) }
    };
    let said = refused(
        "/api/index/decks",
        json!({ "dsl": "---\ntitle: T\n---\n" }),
        "bad_deck",
        422,
    )
    .await;
    assert!(said.contains("no slides"), "{said}");
    let huge = format!("# A\n{}", "x".repeat(1024 * 1024));
    refused("/api/index/decks", json!({ "dsl": huge }), "bad_deck", 422).await;
    refused(
        "/api/index/decks",
        json!({ "text": "# A" }),
        "bad_body",
        422,
    )
    .await;
    refused(
        "/api/index/feedback",
        json!({ "chunk_id": "deck_1.2", "signal": "keep" }),
        "no_chunk",
        404,
    )
    .await;
    refused(
        "/api/index/feedback",
        json!({ "chunk_id": "deck_1.2", "signal": "love" }),
        "bad_signal",
        422,
    )
    .await;
    let long = format!("/api/index/search?q={}", "a".repeat(10_000));
    api.get(&long).await.refused(422, "query_too_long");
    api.get("/api/index/search?q=a&granularity=page")
        .await
        .refused(422, "bad_query");
    api.get("/api/index/search?q=a&slide_type=poem")
        .await
        .refused(422, "bad_query");
    let file = api
        .send(
            Method::POST,
            "/api/index/decks?name=a.pptx",
            &[("content-type", "application/octet-stream")],
            Some(b"no zip".to_vec()),
        )
        .await;
    file.refused(422, "bad_deck");
    let checked = api
        .post(
            "/api/decks:check",
            &json!({ "dsl": "# A\n@type: timeline\n## A plan\n", "strict": true }),
        )
        .await
        .succeeded();
    assert_eq!(checked["passed"], false, "{checked:#}");
    assert_eq!(checked["diagnostics"][0]["line"], 1, "{checked:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_is_made_over_http_after_a_design_that_was_kept() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let old = api
        .post("/api/index/decks", &json!({ "dsl": RAIN }))
        .await
        .succeeded();
    let asked = json!({
        "user_input": "A deck about the rivers in the valley", "session": "rivers",
        "source_documents": ["# Rivers in the valley\n\nRivers in the valley fell by a half in August.\n\n- The Arve fell first\n- The Dranse fell most\n- The Drance fell least\n"],
    });
    let made = api.post("/api/decks:generate", &asked).await.succeeded();
    assert_eq!(made["status"], "completed", "{made:#}");
    let text = made["dsl_text"].as_str().expect("a deck");
    let design = made["design_references"][0].as_str().expect("a design");
    assert!(
        design.starts_with(old["deck_chunk_id"].as_str().expect("an id")),
        "{made:#}"
    );
    assert!(
        text.contains("@background: dark")
            && text.contains(&format!("@matched_design_id: {design}")),
        "{text}"
    );
    assert!(
        text.contains("The Arve fell first") && !text.contains("rose"),
        "{text}"
    );
    // The slide that the new one was made after has its use counted, and the new deck is in the index itself.
    let hit = search(&api, "q=rivers%20rose&limit=20").await;
    let hit = hit
        .iter()
        .find(|hit| hit["chunk_id"] == design)
        .expect("it is there")
        .clone();
    assert_eq!(
        (&hit["use_count"], &hit["keep_count"]),
        (&json!(1), &json!(1))
    );
    let own = made["deck_chunk_id"].as_str().expect("an id");
    assert!(
        api.get(&format!("/api/index/decks/{own}"))
            .await
            .succeeded()["deck"]["title"]
            .is_string()
    );

    for (end, start) in [
        ("sdsl", "---"),
        ("pptx", "PK"),
        ("pdf", "%PDF"),
        ("html", "<!doctype html>"),
    ] {
        let bytes = api.bytes(&format!("/api/decks/rivers.{end}")).await;
        assert!(
            bytes.starts_with(start.as_bytes()),
            "{end}: {:?}",
            &bytes[..16]
        );
    }
    assert!(
        api.bytes("/api/decks/rivers/thumbnails/1")
            .await
            .starts_with(b"\x89PNG")
    );
    api.get("/api/decks/rivers/thumbnails/99")
        .await
        .refused(404, "no_page");
    api.get("/api/decks/nobody.pptx")
        .await
        .refused(404, "no_session");
    assert_eq!(
        api.get("/api/decks/rivers").await.succeeded()["dsl_text"],
        made["dsl_text"]
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_drawn_in_the_form_that_is_asked_for() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let drawn = |more: Value| {
        let mut body = json!({ "dsl": RAIN });
        for (name, value) in more.as_object().expect("fields") {
            body[name] = value.clone();
        }
        let api = &api;
        async move { api.post("/api/decks:render", &body).await }
    };
    let file = drawn(json!({})).await;
    assert_eq!(
        (file.header("x-deck-passed"), file.header("x-deck-pages")),
        ("true".to_owned(), "2".to_owned())
    );
    for (format, media_type) in [
        ("pdf", "application/pdf"),
        ("html", "text/html; charset=utf-8"),
        ("png", "image/png"),
    ] {
        assert_eq!(
            drawn(json!({ "format": format }))
                .await
                .header("content-type"),
            media_type
        );
    }
    let report = drawn(json!({ "format": "report" })).await.succeeded();
    assert_eq!(report["verdicts"]["vision"], "not_checked", "{report:#}");
    drawn(json!({ "format": "png", "page": 9 }))
        .await
        .refused(404, "no_page");
    drawn(json!({ "format": "doc" }))
        .await
        .refused(422, "bad_format");
    let picture = json!({ "dsl": "# A\n@type: image_text\n@image: ../../etc/passwd\n## Nothing is read\n", "format": "report" });
    let report = api.post("/api/decks:render", &picture).await.succeeded();
    let said = report["issues"].to_string();
    assert!(
        said.contains("missing_image") && said.contains("public address"),
        "{report:#}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn things_to_do_without_somebody_who_does_them_are_points_and_nothing_is_lost() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let asked = json!({
        "user_input": "A deck about the platform",
        "source_documents": ["# Platform\n\nUptime reached 94 % in the third quarter.\n\n## Next steps\n\n- Renew the contract\n- Hire an engineer\n"],
    });
    let made = api.post("/api/decks:generate", &asked).await.succeeded();
    assert_eq!(
        (&made["status"], &made["errors"]),
        (&json!("completed"), &json!([])),
        "{made:#}"
    );
    let text = made["dsl_text"].as_str().expect("a deck");
    assert!(
        text.contains("- Renew the contract") && !text.contains("@action"),
        "{text}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn who_does_not_wait_is_told_where_to_look() {
    let place = TestFolder::new();
    let server = server(&place).await;
    let api = server.api();
    let asked = json!({ "user_input": "A deck about tides" });
    let headers = [
        ("content-type", "application/json"),
        ("prefer", "respond-async"),
        ("idempotency-key", "k1"),
    ];
    let body = Some(asked.to_string().into_bytes());
    let told = api
        .send(Method::POST, "/api/decks:generate", &headers, body.clone())
        .await;
    assert_eq!(told.status.as_u16(), 202);
    let told = told.succeeded();
    // The same call again starts nothing and waits for the first.
    let made = api
        .send(
            Method::POST,
            "/api/decks:generate",
            &[headers[0], headers[2]],
            body,
        )
        .await
        .succeeded();
    assert_eq!(
        (&made["session"], &made["run"]),
        (&told["session"], &told["run"])
    );
    assert_eq!(made["status"], "completed", "{made:#}");
    let deck = told["links"]["deck"].as_str().expect("an address");
    assert_eq!(api.get(deck).await.succeeded()["status"], "completed");
}

/// Questions in two languages on the decks of `tests/decks`, each with the heading of the slide that has to be among the first three.
const EXPECTED: [(&str, &str); 40] = [
    (
        "revenue growth and margin of the quarter",
        "Revenue grew by nine percent",
    ),
    (
        "key figures: growth on plan, margin below",
        "Growth is on plan",
    ),
    (
        "comparison of overtime and fuel costs",
        "Overtime costs more than the fuel",
    ),
    (
        "two depots side by side, sorting by hand or by machine",
        "Eastport sorts by hand",
    ),
    (
        "quote of a customer who was late and friendly",
        "You used to be late",
    ),
    (
        "timeline for moving the sorting before summer",
        "Sorting can move to Millbrook",
    ),
    ("risks for the summer peak", "Two risks could cost us"),
    (
        "customer complaints about damage",
        "Three of four complaints",
    ),
    (
        "chart of delays since the new route planning",
        "Delay fell in every month",
    ),
    (
        "warehouse move summary, late but cheaper",
        "The move was late by four days",
    ),
    (
        "damaged pallets, KPIs of the move",
        "Nine of 41,000 pallets",
    ),
    (
        "the lift failed, phases of the move",
        "The lift failed twice",
    ),
    (
        "which scheduling software for clinics",
        "Which scheduling software",
    ),
    (
        "long table of departments that rated the systems",
        "Twelve departments rated",
    ),
    (
        "price of raw coffee line chart",
        "The price of raw coffee doubled",
    ),
    (
        "members of the loyalty program",
        "The loyalty programme has",
    ),
    (
        "bees and street lamps research question",
        "Does the colour of a lamp",
    ),
    ("limits of the study", "Three limits keep us"),
    (
        "energy use of the old building",
        "The old building needs twice",
    ),
    ("payments pilot figures", "The pilot handled a tenth"),
    ("雨水花园减少积水时间", "三处雨水花园"),
    ("老城区管网排水能力不足", "老城区的管网"),
    ("公园改造两种方案对比", "两种方案都保留大树"),
    ("书店客流关键指标", "每天有四百人走进书店"),
    ("书店请委员会同意的下一步", "两件事需要委员会同意"),
    ("养老服务人次增长数字", "服务人次比前一年多了四成"),
    ("养老站点明年安排时间线", "明年分三步增加"),
    ("上门服务成本和满意度对比", "上门服务成本高"),
    ("高温天上门次数图表", "七月高温天"),
    ("光合作用的公式", "六份二氧化碳"),
    ("植物吃什么的研究历史时间线", "人们用了三百年"),
    ("实验准备，用图标列出", "实验要准备四样东西"),
    ("耳机上市摘要，首季目标", "建议一月十五日上市"),
    ("竞品对比表：续航", "同价位里只有"),
    ("耳机用户的原话，引言", "我不想听见世界"),
    ("上市节奏：从预热到复盘", "从预热到复盘"),
    ("首季销量预测", "首季销量预计"),
    ("电梯加装项目时间线，征求意见", "征求意见用了最多的时间"),
    ("楼层分摊办法比较", "按楼层递增的办法"),
    ("温室第一年收获多少蔬菜", "第一年收了三百公斤"),
];

/// The names and the texts of the decks of `tests/decks`, by name.
fn decks() -> Vec<(String, Vec<u8>)> {
    let folder = root().join("tests/decks");
    let entries = std::fs::read_dir(&folder).expect("the decks");
    let mut paths: Vec<_> = entries
        .map(|entry| entry.expect("an entry").path())
        .collect();
    paths.retain(|path| path.extension().is_some_and(|end| end == "sdsl"));
    paths.sort();
    let each = paths.iter().map(|path| {
        let name = path.file_stem().unwrap_or_default().to_string_lossy();
        (name.into_owned(), std::fs::read(path).expect("a deck"))
    });
    each.collect()
}

#[test]
fn forty_questions_find_their_slide_among_the_first_three() {
    let mut index = Index::default();
    for (name, text) in decks() {
        let deck = NewDeck::read(&text, None, None, &name).expect("a deck");
        index.put_text(&name, &deck.title, "", &text, None);
    }
    let filter = Filter {
        limit: 3,
        ..Filter::default()
    };
    let mut missed = vec![];
    for (query, heading) in EXPECTED {
        let hits = index.search(query, &filter);
        let is_it = |text: &Option<String>| text.as_deref().is_some_and(|it| it.contains(heading));
        if !hits.iter().any(|hit| is_it(&hit.dsl_text)) {
            let found: Vec<&String> = hits.iter().map(|hit| &hit.semantic_summary).collect();
            missed.push(format!("{query}: {found:?}"));
        }
    }
    assert!(missed.is_empty(), "{missed:#?}");
}

/// What each question finds of each sort, with scores, counters and texts.
async fn everything_found(api: &Api) -> Vec<(String, Vec<Value>)> {
    let mut all = vec![];
    for (query, _) in EXPECTED {
        for granularity in ["deck", "slide", "element"] {
            let asked = format!("q={query}&granularity={granularity}&limit=20");
            all.push((asked.clone(), search(api, &asked.replace(' ', "%20")).await));
        }
    }
    all
}

#[tokio::test(flavor = "multi_thread")]
async fn sqlite_and_postgresql_give_the_same_order_with_the_same_scores() {
    let Some(database) = Database::new("designs").await else {
        return;
    };
    let places = [TestFolder::new(), TestFolder::new()];
    let started = places.each_ref().map(|place| {
        let mut command = palimpsest(place);
        // A curator would change the index at an unknown time; only the decks and the votes are to count here.
        command
            .env("PALIMPSEST_MODEL", "offline")
            .env("PALIMPSEST_CURATE", "false");
        command
    });
    let [one, mut other] = started;
    other.env("PALIMPSEST_DATABASE", &database.url);
    let servers = [
        Server::start_with(one, &[]).await,
        Server::start_with(other, &[]).await,
    ];
    let [sqlite, postgres] = servers.each_ref().map(Server::api);
    // The decks are put into one server in their order, and into the other in the reverse order.
    let decks = decks();
    for (deck, from_behind) in decks.iter().zip(decks.iter().rev()) {
        for (api, (name, text)) in [(&sqlite, deck), (&postgres, from_behind)] {
            let dsl = String::from_utf8(text.clone()).expect("UTF-8");
            let given = json!({ "dsl": dsl, "title": name });
            api.post("/api/index/decks", &given).await.succeeded();
        }
    }
    let before = everything_found(&sqlite).await;
    assert!(
        before.iter().filter(|(_, found)| !found.is_empty()).count() > EXPECTED.len() * 2,
        "most questions find something of each sort"
    );
    same(&before, &everything_found(&postgres).await);

    // Votes have the same weight in both: the best slide of every second question is kept, that of the others is redone twice.
    let slides = before
        .iter()
        .filter(|(asked, _)| asked.contains("&granularity=slide"));
    for (at, (asked, found)) in slides.enumerate() {
        let Some(chunk) = found.first().map(|hit| &hit["chunk_id"]) else {
            continue;
        };
        let signals = if at % 2 == 0 {
            vec!["keep"]
        } else {
            vec!["regen"; 2]
        };
        for (voice, signal) in signals.into_iter().enumerate() {
            let said = json!({ "chunk_id": chunk, "signal": signal, "session": format!("{asked}{voice}") });
            for api in [&sqlite, &postgres] {
                api.post("/api/index/feedback", &said).await.succeeded();
            }
        }
    }
    let after = everything_found(&sqlite).await;
    assert_ne!(before, after, "votes are counted");
    same(&after, &everything_found(&postgres).await);
}

/// Both found the same, question by question.
fn same(one: &[(String, Vec<Value>)], other: &[(String, Vec<Value>)]) {
    for ((asked, here), (_, there)) in one.iter().zip(other) {
        assert_eq!(here, there, "{asked}");
    }
    assert_eq!(one.len(), other.len());
}
