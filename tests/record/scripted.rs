//! Sessions whose models follow a script: gates, refinements, forks, failures, and work that was cut off.

use std::path::Path;

use serde_json::{Value, json};

use crate::live;
use crate::support::api::Follow;
use crate::support::course::{self, TURNS};
use crate::support::post;
use crate::support::recorded::INVENTED_MASTER_KEY;
use crate::support::report::{self, solver};
use crate::support::rig::{Rig, held};
use crate::support::scripted::PICTURES;

/// Every session with the wire of its pipeline.
const SESSIONS: [(&str, &str); 13] = [
    ("course", "course"),
    ("course-fork", "course"),
    ("course-resumed", "course"),
    ("course-budget", "course"),
    ("course-cancelled", "course"),
    ("course-cut", "course"),
    ("report", "report"),
    ("report-declined", "report"),
    ("report-gap", "report"),
    ("post", "post"),
    ("post-waits", "post"),
    ("post-sent-back", "post"),
    ("post-cancelled", "post"),
];

pub(crate) async fn record(folder: &Path) {
    let key = [("PALIMPSEST_MASTER_KEY", INVENTED_MASTER_KEY), PICTURES];
    let mut rig = Rig::playing(&course::script(), &key).await;
    courses(&rig, folder).await;
    reports(&rig, folder).await;
    posts(&rig, folder).await;
    cut(&mut rig).await;
    crate::folded::keep(folder, &rig.place, &SESSIONS).await;
}

async fn command(rig: &Rig, session: &str, id: &str, kind: &str, payload: Value) -> Value {
    let answer = rig.api.command(session, id, kind, payload).await;
    answer.succeeded()
}

/// Courses are made one page after the other, so that every recording has the same order of events.
async fn courses(rig: &Rig, folder: &Path) {
    rig.api.open(&course::opening("course")).await;
    rig.end("course", "r1", "run_completed").await;
    let outline = json!({ "stage": "generate_video_outline", "feedback": "begin with the leaf", "settings": { "width": 1 } });
    command(rig, "course", "c1", "refine", outline).await;
    let live = live::native(&rig.server.socket_address(), "course", "r2").await;
    live.write(folder, "course.native.jsonl");

    let at = version_of_first(rig, "course", "stage_closed").await;
    let fork = json!({ "at": at, "session": "course-fork" });
    command(rig, "course", "c2", "fork", fork).await;
    rig.end("course-fork", "r1", "run_completed").await;
    let page = json!({ "stage": "generate_slides", "item": "2", "feedback": "fewer words", "settings": { "width": 1 } });
    command(rig, "course-fork", "c1", "restart_step", page).await;
    rig.end("course-fork", "r2", "run_completed").await;

    let refused = course::rule(TURNS[course::PAGE_1 + 1], None, json!({ "status": 400 }));
    rig.model.play(&course::script_with([refused])).await;
    rig.api.open(&course::opening("course-resumed")).await;
    rig.end("course-resumed", "r1", "run_failed").await;
    rig.model.play(&course::script()).await;
    let width = json!({ "settings": { "width": 1 } });
    command(rig, "course-resumed", "c1", "resume", width).await;
    rig.end("course-resumed", "r2", "run_completed").await;

    let mut opening = course::opening("course-budget");
    opening["settings"]["attended"] = json!(true);
    opening["settings"]["budget"] = json!({ "calls": 3 });
    rig.api.open(&opening).await;
    let mut follow = Follow::new(&rig.api, "course-budget", "native");
    let gate = gate(&mut follow).await;
    let raise =
        json!({ "gate": gate, "answer": { "choice": "raise", "budget": { "calls": 100 } } });
    command(rig, "course-budget", "c1", "answer_gate", raise).await;
    follow.end("r1", "run_completed").await;

    rig.model.play(&course::script_with([held(1)])).await;
    rig.api.open(&course::opening("course-cancelled")).await;
    rig.until_held(1).await;
    let waits = json!({ "message": "one page more", "settings": { "width": 1 } });
    command(rig, "course-cancelled", "c1", "send_message", waits).await;
    let reason = json!({ "reason": "no longer wanted" });
    command(rig, "course-cancelled", "c2", "cancel", reason).await;
    rig.end("course-cancelled", "r1", "run_cancelled").await;
    rig.model.play(&course::script()).await;
    rig.end("course-cancelled", "r2", "run_completed").await;
}

/// Leaves a session in the middle of a page: the program is killed there.
async fn cut(rig: &mut Rig) {
    rig.model.play(&course::script_with([held(3)])).await;
    rig.api.open(&course::opening("course-cut")).await;
    rig.until_held(1).await;
    rig.server.kill().await;
}

async fn version_of_first(rig: &Rig, session: &str, kind: &str) -> u64 {
    let mut follow = Follow::new(&rig.api, session, "native");
    let frame = follow.until(kind, |frame| frame["type"] == kind).await;
    frame["version"].as_u64().expect("a version")
}

async fn gate(follow: &mut Follow<'_>) -> Value {
    let opened = follow
        .until("a gate", |frame| frame["type"] == "gate_opened")
        .await;
    opened["data"]["gate"].clone()
}

async fn reports(rig: &Rig, folder: &Path) {
    rig.model.play(&report::script_with([])).await;
    let attended = json!({ "width": 1, "attended": true });
    for (session, edits) in [("report", true), ("report-declined", false)] {
        let request = report::opening(&rig.api, session, attended.clone()).await;
        rig.api.open(&request).await;
        let mut follow = Follow::new(&rig.api, session, "native");
        let gate = gate(&mut follow).await;
        let mut answer = json!({ "gate": gate, "answer": { "confirm": edits } });
        if edits {
            answer["answer"]["edits"] =
                json!([{ "id": 2, "title": "People", "objective": "Count them all." }]);
        }
        command(rig, session, "c1", "answer_gate", answer).await;
        follow.end("r1", "run_completed").await;
    }
    let anew = json!({ "stage": "sections", "item": "2", "feedback": "they have hired", "settings": { "width": 1 } });
    command(rig, "report", "c2", "restart_step", anew).await;
    rig.end("report", "r2", "run_completed").await;

    let refuses = json!({ "when": solver(2), "status": 400 });
    rig.model.play(&report::script_with([refuses])).await;
    let alone = json!({ "width": 1 });
    let request = report::opening(&rig.api, "report-gap", alone.clone()).await;
    rig.api.open(&request).await;
    rig.end("report-gap", "r1", "run_completed").await;
    rig.model.play(&report::script_with([])).await;
    let width = json!({ "settings": alone });
    command(rig, "report-gap", "c1", "resume", width).await;
    rig.end("report-gap", "r2", "run_completed").await;
    for session in ["report", "report-gap"] {
        let address = rig.server.socket_address();
        let address = address.replace("/v1/stream", "/ws/report");
        let live = live::report(&address, session).await;
        live.write(folder, &format!("{session}.report.jsonl"));
    }
}

async fn posts(rig: &Rig, folder: &Path) {
    let rules = json!({ "attended": true, "width": 1, "options": { "supervisor": "rules" } });
    rig.model.play(&post::script_with([], json!({}))).await;
    for session in ["post", "post-waits"] {
        let mut request = post::opening(session, rules.clone());
        request["input"] =
            json!({ "layoutPreference": "balanced", "referenceInputs": [{ "url": "none.png" }] });
        rig.api.open(&request).await;
        let mut follow = Follow::new(&rig.api, session, "native");
        let asked = gate(&mut follow).await;
        let general = json!({ "selectedIds": ["continue_with_general_knowledge"] });
        confirm(
            rig,
            folder,
            session,
            "1",
            json!({ "gateId": asked, "userResponse": general }),
        )
        .await;
    }
    let reject = json!({ "action": "reject", "userFeedback": "再活泼一点" });
    confirm(rig, folder, "post", "2", reject).await;
    let modify = json!({ "action": "modify", "modifiedData": { "title": "我自己的标题" } });
    confirm(rig, folder, "post", "3", modify).await;
    confirm(rig, folder, "post", "4", json!({ "action": "approve" })).await;
    rig.end("post", "r1", "run_completed").await;

    let low = post::review(true, 0.9, 0.5, 0.9);
    let good = post::review(true, 0.9, 0.9, 0.9);
    let reviews = json!({ "review": [low, good] });
    rig.model.play(&post::script_with([], reviews)).await;
    let alone = json!({ "width": 1, "options": { "supervisor": "rules" } });
    rig.api
        .open(&post::opening("post-sent-back", alone.clone()))
        .await;
    rig.end("post-sent-back", "r1", "run_completed").await;

    let held = json!({ "when": { "endpoint": "images" }, "hold_after_chunks": 1 });
    rig.model.play(&post::script_with([held], json!({}))).await;
    rig.api.open(&post::opening("post-cancelled", alone)).await;
    rig.until_held(1).await;
    command(rig, "post-cancelled", "c1", "cancel", json!({})).await;
    rig.end("post-cancelled", "r1", "run_cancelled").await;
}

/// Answers what waits, and keeps what the stream of the answer says.
async fn confirm(rig: &Rig, folder: &Path, session: &str, number: &str, mut answer: Value) {
    answer["threadId"] = json!(session);
    let live = live::stream(&rig.api, "/api/agent/confirm", &answer).await;
    live.write(folder, &format!("{session}.confirm-{number}.txt"));
}
