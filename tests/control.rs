//! Going back, branching off, stopping: what a person does to runs, and what it costs in calls.

use serde_json::{Value, json};

use crate::support::course::{MADE, PAGE_1, TURNS, opening, rule, script};
use crate::support::program::{palimpsest, run};
use crate::support::rig::{Rig, held};
use crate::support::scripted::Journal;

impl Rig {
    /// A rig with a completed run `r1` in the session `s`, and an empty journal.
    async fn with_a_course() -> Self {
        let rig = Self::with([]).await;
        rig.api.open(&opening("s")).await;
        rig.end("s", "r1", "run_completed").await;
        rig.model.play(&script()).await;
        rig
    }

    async fn view_of(&self, session: &str, run: &str) -> Value {
        let view = self.api.session(session).await;
        let runs = view["runs"].as_array().expect("runs");
        runs.iter()
            .find(|known| known["run"] == run)
            .expect("the run")
            .clone()
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_closes_the_call_in_flight_and_starts_no_other() {
    let rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    rig.api
        .command("s", "c1", "cancel", json!({ "reason": "no longer wanted" }))
        .await
        .succeeded();
    let frames = rig.end("s", "r1", "run_cancelled").await;
    let closed = |journal: &Journal| {
        journal
            .requests()
            .iter()
            .any(|request| !request["closed_by_client_us"].is_null())
    };
    let journal = rig.model.journal_when("a closed socket", closed).await;
    assert_eq!(journal.asked("slide").len(), 2, "{journal:#?}");
    let open: Vec<_> = frames
        .iter()
        .filter(|frame| frame["type"] == "step_requested")
        .collect();
    let ends = ["step_succeeded", "step_failed", "step_cancelled"];
    let ended: Vec<_> = frames
        .iter()
        .filter(|frame| ends.iter().any(|end| frame["type"] == *end))
        .collect();
    assert_eq!(open.len(), ended.len(), "every step has one end");
    // The server handles this request after the cancel, and the journal has still seen no other call.
    rig.api
        .command("s", "c2", "cancel", json!({}))
        .await
        .refused(409, "nothing_to_do");
    assert_eq!(rig.model.journal().await.requests().len(), PAGE_1 + 2);
    assert_eq!(
        rig.api.session("s").await["head"],
        Value::Null,
        "a cancelled run never becomes head"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_restarted_page_costs_one_call_and_keeps_the_others() {
    let rig = Rig::with_a_course().await;
    let before = rig.api.made("s", "r1").await;
    let payload = json!({ "stage": "generate_slides", "item": "3", "feedback": "fewer words", "settings": { "width": 1 } });
    let answer = rig
        .api
        .command("s", "c1", "restart_step", payload)
        .await
        .succeeded();
    assert_eq!(answer["run"], "r2", "{answer}");
    rig.end("s", "r2", "run_completed").await;
    let journal = rig.model.journal().await;
    assert_eq!(journal.schemas(), ["slide"]);
    assert!(
        journal.requests()[0]["body"]
            .to_string()
            .contains("fewer words")
    );
    assert_eq!(rig.api.made("s", "r2").await, before);
    let (old, new) = (rig.view_of("s", "r1").await, rig.view_of("s", "r2").await);
    let ids = |run: &Value| run["artifacts"].as_array().expect("ids").clone();
    let fresh: Vec<_> = ids(&new)
        .into_iter()
        .filter(|id| !ids(&old).contains(id))
        .collect();
    assert_eq!(
        fresh.len(),
        1 + 2 + 8,
        "the page, the two documents made from it, and their export: {fresh:?}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_resumed_run_makes_only_what_is_missing() {
    let rig = Rig::with([rule(TURNS[9], None, json!({ "status": 400 }))]).await;
    rig.api.open(&opening("s")).await;
    rig.end("s", "r1", "run_failed").await;
    rig.model.play(&script()).await;
    let answer = rig
        .api
        .command("s", "c1", "resume", json!({ "settings": { "width": 1 } }))
        .await
        .succeeded();
    assert_eq!(answer["run"], "r2", "{answer}");
    rig.end("s", "r2", "run_completed").await;
    assert_eq!(rig.model.journal().await.schemas(), ["slide"]);
    assert_eq!(rig.api.made("s", "r2").await.len(), MADE);
    assert_eq!(rig.view_of("s", "r2").await["base_run"], "r1");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_says_go_on_goes_on_with_what_stopped() {
    let refused = rule(TURNS[3], Some(1), json!({ "status": 401 }));
    let rig = Rig::with([refused]).await;
    rig.api.open(&opening("s")).await;
    rig.end("s", "r1", "run_failed").await;
    rig.api
        .command("s", "c1", "send_message", json!({ "message": "Go on!" }))
        .await
        .succeeded();
    let frames = rig.end("s", "r2", "run_completed").await;
    let meant = frames
        .iter()
        .rfind(|frame| frame["type"] == "intent_classified")
        .expect("it was understood");
    assert_eq!(
        (&meant["data"]["intent"], &meant["data"]["base_run"]),
        (&json!("resumption"), &json!("r1")),
        "{meant:#}"
    );
    let journal = rig.model.journal().await;
    for schema in ["intent", "requirement_analysis", "course_config"] {
        assert_eq!(journal.asked(schema).len(), 1, "{schema} is asked for once");
    }
    assert_eq!(rig.api.made("s", "r2").await.len(), MADE);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_refinement_keeps_what_comes_before_its_stage_and_tells_the_models_what_is_wanted() {
    let rig = Rig::with_a_course().await;
    let payload = json!({ "stage": "generate_video_outline", "feedback": "begin with the leaf", "settings": { "width": 1 } });
    rig.api
        .command("s", "c1", "refine", payload)
        .await
        .succeeded();
    rig.end("s", "r2", "run_completed").await;
    let journal = rig.model.journal().await;
    let mut asked = journal.schemas();
    asked.sort_unstable();
    assert_eq!(
        asked,
        [
            "presentation_theme",
            "slide",
            "slide",
            "slide",
            "slide",
            "slide_scripts",
            "video_outline"
        ]
    );
    for request in journal.requests() {
        assert!(
            request["body"].to_string().contains("begin with the leaf"),
            "{request:#}"
        );
    }
    let view = rig.api.session("s").await;
    let kinds_of = |run: &str| -> Vec<(String, Value)> {
        let ours = view["runs"]
            .as_array()
            .expect("runs")
            .iter()
            .find(|known| known["run"] == run)
            .expect("the run")
            .clone();
        let artifacts = view["artifacts"].as_array().expect("artifacts");
        let kind = |id: &Value| {
            artifacts
                .iter()
                .find(|known| known["artifact"] == *id)
                .expect("it")["kind"]
                .clone()
        };
        let ids = ours["artifacts"].as_array().expect("ids").clone();
        ids.into_iter()
            .map(|id| (kind(&id).as_str().expect("a kind").to_owned(), id))
            .collect()
    };
    let (old, new) = (kinds_of("r1"), kinds_of("r2"));
    let mut kept: Vec<_> = new
        .iter()
        .filter(|made| old.contains(made))
        .map(|(kind, _)| kind.as_str())
        .collect();
    kept.sort_unstable();
    assert_eq!(kept, ["course_config", "requirement_analysis"]);
    assert_eq!(view["head"], "r2");

    // The other branch is still there, and can be the current one again.
    rig.api
        .command("s", "c2", "move_head", json!({ "run": "r1" }))
        .await
        .succeeded();
    let view = rig.api.session("s").await;
    assert_eq!(view["head"], "r1");
    let current: Vec<_> = view["artifacts"]
        .as_array()
        .expect("artifacts")
        .iter()
        .filter(|a| a["current"] == true)
        .collect();
    assert_eq!(current.len(), old.len());
    assert!(
        current.iter().all(|artifact| artifact["run"] == "r1"),
        "{current:#?}"
    );
    rig.api
        .command("s", "c3", "move_head", json!({ "run": "r9" }))
        .await
        .refused(404, "no_run");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_second_change_comes_with_the_brief_the_first_one_and_what_there_is() {
    let rig = Rig::with_a_course().await;
    for (run, feedback) in [("r2", "begin with the leaf"), ("r3", "for grade 9")] {
        let payload =
            json!({ "stage": "analyze_topic", "feedback": feedback, "settings": { "width": 1 } });
        rig.api
            .command("s", run, "refine", payload)
            .await
            .succeeded();
        rig.end("s", run, "run_completed").await;
    }
    let journal = rig.model.journal().await;
    let asked = |schema: &str| journal.asked(schema)[1]["body"].to_string();
    let analysis = asked("requirement_analysis");
    for said in [
        "A deck of 4 pages about photosynthesis for grade 7",
        "begin with the leaf",
        "for grade 9",
    ] {
        assert!(analysis.contains(said), "{said}: {analysis}");
    }
    let topic = &script()["by_schema"]["requirement_analysis"]["topic"];
    assert!(
        analysis.contains(topic.as_str().expect("a topic")),
        "{analysis}"
    );
    for schema in [
        "course_config",
        "video_outline",
        "slide_scripts",
        "presentation_theme",
    ] {
        let asked = asked(schema);
        assert!(
            asked.contains("begin with the leaf") && asked.contains("What this stage made before"),
            "{asked}"
        );
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_fork_in_the_middle_of_work_and_its_parent_both_finish() {
    let rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let at = rig.api.session("s").await["version"]
        .as_u64()
        .expect("a version");
    let forked = rig
        .api
        .command("s", "f1", "fork", json!({ "at": at, "session": "child" }))
        .await
        .succeeded();
    assert_eq!(forked["session"], "child", "{forked}");
    let child = rig.end("child", "r1", "run_completed").await;
    rig.model.release().await;
    let parent = rig.end("s", "r1", "run_completed").await;
    let shared = usize::try_from(at).expect("a small number");
    assert_eq!(
        child[..shared],
        parent[..shared],
        "up to the fork both have the same frames and cursors"
    );
    assert_eq!(
        child[shared]["type"], "session_forked",
        "{:#}",
        child[shared]
    );
    assert_eq!(child[shared]["version"], at + 1);
    assert_eq!(
        rig.api.made("child", "r1").await,
        rig.api.made("s", "r1").await
    );
    assert_eq!(rig.model.journal().await.paid_twice(), vec![]);
    rig.api
        .delete("/v1/sessions/s")
        .await
        .refused(409, "live_forks");
    rig.api
        .command("s", "f2", "fork", json!({ "at": 10_000 }))
        .await
        .refused(404, "no_version");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_erased_session_is_gone_and_the_log_is_still_sound() {
    let rig = Rig::with_a_course().await;
    let artifact = rig.api.session("s").await["artifacts"][0]["artifact"]
        .as_str()
        .expect("an id")
        .to_owned();
    let address = rig
        .api
        .get(&format!("/v1/artifacts/{artifact}"))
        .await
        .succeeded()["url"]
        .as_str()
        .expect("one")
        .to_owned();
    rig.api.get(&address).await.succeeded();
    rig.api.delete("/v1/sessions/s").await.succeeded();
    for path in [
        "/v1/sessions/s",
        "/v1/sessions/s/artifacts",
        "/v1/sessions/s/events",
        "/v1/sessions/s/history",
    ] {
        rig.api.get(path).await.refused(410, "erased");
    }
    rig.api
        .get(&format!("/v1/artifacts/{artifact}"))
        .await
        .refused(404, "no_artifact");
    rig.api
        .get(&format!("/v1/artifacts/{artifact}/content"))
        .await
        .refused(404, "no_artifact");
    rig.api.get(&address).await.refused(404, "no_artifact");
    rig.api
        .post("/v1/sessions", &opening("s"))
        .await
        .refused(410, "erased");
    let Rig {
        place, mut server, ..
    } = rig;
    let ended = run(palimpsest(&place), &["verify"]).await.with(0);
    assert!(ended.out.starts_with("sound"), "{ended:#?}");
    server.kill().await;
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_to_a_busy_session_waits_or_is_refused_or_goes_first() {
    let rig = Rig::with([held(1)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let say = |id: &'static str, on_busy: &'static str| {
        let payload = json!({ "message": format!("A deck of 4 pages, {id}"), "settings": { "on_busy": on_busy, "width": 1 } });
        let api = rig.api.clone();
        async move { api.command("s", id, "send_message", payload).await }
    };
    let version = rig.api.session("s").await["version"].clone();
    say("m1", "refuse").await.refused(409, "busy");
    assert_eq!(
        rig.api.session("s").await["version"],
        version,
        "a refused message leaves nothing"
    );
    assert_eq!(say("m2", "enqueue").await.succeeded()["run"], "r2");
    let view = rig.api.session("s").await;
    assert_eq!(
        (&view["active"], view["queue"].as_array().map(Vec::len)),
        (&json!("r1"), Some(1))
    );
    assert_eq!(say("m3", "interrupt").await.succeeded()["run"], "r3");
    rig.end("s", "r1", "run_cancelled").await;
    rig.end("s", "r2", "run_completed").await;
    rig.end("s", "r3", "run_completed").await;
    let view = rig.api.session("s").await;
    assert_eq!((&view["head"], &view["queue"]), (&json!("r3"), &json!([])));
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_request_twice_does_nothing_the_second_time() {
    let rig = Rig::with([]).await;
    let mut request = opening("s");
    request
        .as_object_mut()
        .expect("an object")
        .remove("session");
    let body = request.to_string().into_bytes();
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "one-click"),
    ];
    let send = |body: &[u8]| {
        let body = Some(body.to_vec());
        rig.api
            .send(reqwest::Method::POST, "/v1/sessions", &headers, body)
    };
    let post = || send(&body);
    let (first, second) = tokio::join!(post(), post());
    let (first, second) = (first.succeeded(), second.succeeded());
    assert_eq!(first, second);
    let session = first["session"].as_str().expect("a session").to_owned();
    rig.end(&session, "r1", "run_completed").await;
    assert_eq!(post().await.succeeded(), first);
    request["message"] = json!("A deck of 4 pages about rain");
    let other = send(request.to_string().as_bytes()).await;
    other.refused(409, "id_reused");
    assert_eq!(
        rig.api.get("/v1/sessions").await.succeeded()["sessions"]
            .as_array()
            .map(Vec::len),
        Some(1)
    );

    let payload =
        json!({ "stage": "generate_slides", "feedback": "calmer", "settings": { "width": 1 } });
    let once = rig
        .api
        .command(&session, "c1", "refine", payload.clone())
        .await
        .succeeded();
    rig.end(&session, "r2", "run_completed").await;
    let again = rig
        .api
        .command(&session, "c1", "refine", payload)
        .await
        .succeeded();
    assert_eq!(
        (&once["duplicate"], &again["duplicate"]),
        (&json!(false), &json!(true))
    );
    assert_eq!(
        (&once["run"], &once["applied_version"]),
        (&again["run"], &again["applied_version"])
    );
    let other = json!({ "stage": "generate_slides", "feedback": "louder" });
    let other = rig.api.command(&session, "c1", "refine", other).await;
    other.refused(409, "id_reused");
    assert_eq!(
        rig.api.session(&session).await["runs"]
            .as_array()
            .map(Vec::len),
        Some(2)
    );
}
