//! What a person does to a report while it is written and after it, and what it costs in calls.

use serde_json::{Value, json};

use crate::support::api::{Answer, ArtifactPrint, Follow};
use crate::support::report::{
    Reports, SECTIONS, TURNS, calls, drafts, of_section, opening, planner, script_with, solver,
    text, text_with, text_without,
};
use crate::support::scripted::Journal;
use crate::support::socket::Socket;

/// A rule that holds the first answer to requests like this.
fn held(mut when: Value, answer: Value) -> Value {
    when["occurrence"] = json!(1);
    json!({ "when": when, "tool_calls": answer, "hold_after_chunks": 1, "chunk_chars": 20 })
}

/// A rule that holds the first request of this section's solver, which hands in what is right.
fn holds(section: usize) -> Value {
    held(solver(section), drafts(section, SECTIONS[1]))
}

fn closed(journal: &Journal) -> usize {
    let requests = journal.requests().iter();
    requests
        .filter(|request| !request["closed_by_client_us"].is_null())
        .count()
}

impl Reports {
    async fn command(&self, id: &str, kind: &str, payload: Value) -> Answer {
        self.rig.api.command("s", id, kind, payload).await
    }

    async fn restart(&self, id: &str, stage: &str, item: &str, feedback: Value) -> Value {
        let payload = json!({ "stage": stage, "item": item, "feedback": feedback, "settings": { "width": 1 } });
        self.command(id, "restart_step", payload).await.succeeded()
    }

    /// A server with a finished report, and an empty journal.
    async fn finished(rules: impl IntoIterator<Item = Value>) -> Self {
        let reports = Self::with(&[]).await;
        reports.asked("s", []).await;
        reports.end("s", "r1", "run_completed").await;
        reports.rig.model.play(&script_with(rules)).await;
        reports
    }

    /// The gate that is open about a plan.
    async fn gate(&self, follow: &mut Follow<'_>) -> Value {
        let opened = follow
            .until("a gate", |frame| frame["type"] == "gate_opened")
            .await;
        opened["data"]["gate"].clone()
    }

    /// The artifacts that count in a run: their kind, item and id.
    async fn ids(&self, run: &str) -> Vec<(String, String, String)> {
        let view = self.rig.api.session("s").await;
        let runs = view["runs"].as_array().expect("runs");
        let ours = runs.iter().find(|known| known["run"] == run);
        let ours = ours.expect("the run")["artifacts"].as_array().expect("ids");
        let all = view["artifacts"].as_array().expect("artifacts").iter();
        let text = |value: &Value| value.as_str().expect("a text").to_owned();
        all.filter(|artifact| ours.contains(&artifact["artifact"]))
            .map(|artifact| {
                (
                    text(&artifact["kind"]),
                    text(&artifact["item"]),
                    text(&artifact["artifact"]),
                )
            })
            .collect()
    }
}

fn sections(made: &[ArtifactPrint], without: &str) -> Vec<ArtifactPrint> {
    let others = made
        .iter()
        .filter(|made| made.kind == "section" && made.item != without);
    others.cloned().collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn cancelling_closes_every_call_in_flight_and_starts_no_other() {
    let reports = Reports::with(&[]).await;
    for (session, rules, in_flight, before) in [
        ("planning", vec![held(planner(), json!([]))], 1, 0),
        ("solving", vec![holds(1), holds(2), holds(3)], 3, 2),
    ] {
        reports
            .asked_with(session, rules, json!({ "width": 3 }))
            .await;
        reports.rig.until_held(in_flight).await;
        let api = &reports.rig.api;
        let because = json!({ "reason": "no longer wanted" });
        api.command(session, "c1", "cancel", because)
            .await
            .succeeded();
        reports.end(session, "r1", "run_cancelled").await;
        let model = &reports.rig.model;
        model
            .journal_when("closed sockets", |journal| closed(journal) == in_flight)
            .await;
        // The server handles this request after the cancel, and the journal has still seen no other call.
        api.command(session, "c2", "cancel", json!({}))
            .await
            .refused(409, "nothing_to_do");
        assert_eq!(
            model.journal().await.requests().len(),
            before + in_flight,
            "{session}"
        );
        let frames = reports.frames(session).await;
        let (name, last) = frames.last().expect("a frame");
        assert_eq!(name, "agent.interrupted", "{last}");
        assert_eq!(last["content"], "Execution cancelled");
        let of = |name: &str| frames.iter().filter(|(known, _)| known == name).count();
        assert_eq!(of("solver.start"), of("solver.cancelled"), "{session}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn sections_that_are_left_out_cost_nothing_more_and_are_gaps() {
    let reports = Reports::with(&[]).await;
    reports.asked("s", [holds(1)]).await;
    reports.rig.until_held(1).await;
    for (id, item) in [("c3", "3"), ("c1", "1"), ("c0", "1")] {
        let payload = json!({ "stage": "sections", "item": item });
        reports.command(id, "skip_step", payload).await.succeeded();
    }
    reports.end("s", "r1", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    let asked = [1, 2, 3].map(|section| of_section(journal.requests(), section));
    assert_eq!((asked, closed(&journal)), ([1, 1, 0], 1));
    let mut expected = SECTIONS.map(Some);
    (expected[0], expected[2]) = (None, None);
    assert_eq!(reports.content("s", "markdown").await, text_with(expected));
    let payload = json!({ "stage": "sections", "item": "2" });
    reports
        .command("c4", "skip_step", payload)
        .await
        .refused(409, "nothing_to_do");
}

#[tokio::test(flavor = "multi_thread")]
async fn sections_are_done_again_while_others_are_at_work() {
    let reports = Reports::with(&[]).await;
    reports.asked("s", [holds(3)]).await;
    reports.rig.until_held(1).await;
    // One that is done, and then the one that is being written.
    let shorter = json!("say it in fewer words");
    reports.restart("c1", "sections", "1", shorter).await;
    reports.restart("c2", "sections", "3", Value::Null).await;
    reports.end("s", "r1", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    let asked = [1, 2, 3].map(|section| of_section(journal.requests(), section));
    assert_eq!((asked, closed(&journal)), ([4, 1, 3], 1));
    let told = |request: &&Value| request["body"].to_string().contains("in fewer words");
    assert!(journal.requests().iter().filter(told).count() >= 2);
    assert_eq!(reports.content("s", "markdown").await, text());
    let frames = reports.frames("s").await;
    let restarted = frames.iter().filter(|(name, _)| name == "solver.restarted");
    assert_eq!(restarted.count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_of_a_finished_report_is_written_anew_and_the_others_stay() {
    let other = "The team grew by one.";
    let reports = Reports::finished([calls(solver(2), drafts(2, other))]).await;
    let before = reports.rig.api.made("s", "r1").await;
    let ids = reports.ids("r1").await;
    let answer = reports
        .restart("c1", "sections", "2", json!("they have hired"))
        .await;
    assert_eq!(answer["run"], "r2", "{answer}");
    reports.end("s", "r2", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    assert_eq!(journal.requests().len(), 1);
    let asked = journal.requests()[0]["body"].to_string();
    assert!(
        asked.contains("they have hired") && asked.contains(SECTIONS[1]),
        "{asked}"
    );
    let mut changed = SECTIONS.map(Some);
    changed[1] = Some(other);
    assert_eq!(reports.content("s", "markdown").await, text_with(changed));
    let after = reports.rig.api.made("s", "r2").await;
    assert_eq!(sections(&after, "2"), sections(&before, "2"));
    assert_eq!(after.len(), before.len());
    let kept: Vec<_> = reports.ids("r2").await;
    let mut kept: Vec<_> = kept.iter().filter(|made| ids.contains(made)).collect();
    kept.sort();
    let kept: Vec<_> = kept
        .iter()
        .map(|(kind, item, _)| (kind.as_str(), item.as_str()))
        .collect();
    let expected = [
        ("plan", ""),
        ("section", "1"),
        ("section", "3"),
        ("template_tree", ""),
    ];
    assert_eq!(kept, expected);
    // The first report is still there.
    assert_eq!(reports.rig.api.made("s", "r1").await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_new_plan_uses_nothing_that_is_older() {
    let reports = Reports::finished([]).await;
    let ids = reports.ids("r1").await;
    reports
        .restart("c1", "plan", "", json!("look at the staff, too"))
        .await;
    reports.end("s", "r2", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    assert_eq!(journal.requests().len(), TURNS);
    let first = journal.requests()[0]["body"].to_string();
    assert!(
        first.contains("look at the staff, too") && first.contains("Three short sections."),
        "{first}"
    );
    let shown = |request: &&Value| request["body"].to_string().contains(SECTIONS[1]);
    assert_eq!(journal.requests().iter().filter(shown).count(), 0);
    let kept = reports.ids("r2").await;
    let kept: Vec<_> = kept.iter().filter(|made| ids.contains(made)).collect();
    assert!(
        kept.iter().all(|(kind, ..)| kind == "template_tree") && kept.len() == 1,
        "{kept:?}"
    );
    assert_eq!(reports.content("s", "markdown").await, text());
}

#[tokio::test(flavor = "multi_thread")]
async fn with_a_new_plan_what_failed_or_was_left_out_is_written() {
    let reports = Reports::with(&[]).await;
    let mut fails = solver(1);
    fails["occurrence"] = json!(1);
    reports
        .asked("s", [json!({ "when": fails, "status": 400 }), holds(2)])
        .await;
    reports.rig.until_held(1).await;
    let left_out = json!({ "stage": "sections", "item": "3" });
    reports
        .command("c1", "skip_step", left_out)
        .await
        .succeeded();
    reports
        .restart("c2", "plan", "", json!("look at the staff, too"))
        .await;
    reports.end("s", "r1", "run_completed").await;
    assert_eq!(reports.content("s", "markdown").await, text());
    let journal = reports.rig.model.journal().await;
    // What was refused, and then what is right.
    let asked = [1, 2, 3].map(|section| of_section(journal.requests(), section));
    assert_eq!(asked, [1 + 2, 1 + 1, 2]);
    let view = reports.rig.api.session("s").await;
    assert_eq!(view["runs"][0]["outcome"]["partial"], false, "{view:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_is_edited_where_it_is_confirmed_and_bad_edits_leave_the_question_open() {
    let reports = Reports::with(&[]).await;
    let attended = json!({ "width": 1, "attended": true });
    reports.asked_with("s", [], attended).await;
    let mut follow = Follow::new(&reports.rig.api, "s", "native");
    let gate = reports.gate(&mut follow).await;
    let answer =
        |edits: Value| json!({ "gate": gate, "answer": { "confirm": true, "edits": edits } });
    let version = reports.rig.api.session("s").await["version"].clone();
    let edit = |id: u32| json!({ "id": id, "title": "People", "objective": "Count them all." });
    for (place, (edits, code)) in [
        (json!([edit(9)]), "bad_edits"),
        (json!([edit(2), edit(2)]), "bad_edits"),
        (json!([{ "id": 2, "title": "Staff" }]), "bad_edits"),
        (
            json!([{ "id": 2, "required_inputs": ["datasets/none.json"] }]),
            "bad_edits",
        ),
        (json!([{ "id": "x" }]), "bad_edits"),
        (json!("all"), "bad_edits"),
    ]
    .into_iter()
    .enumerate()
    {
        reports
            .command(&format!("b{place}"), "answer_gate", answer(edits))
            .await
            .refused(422, code);
        assert_eq!(reports.rig.api.session("s").await["version"], version);
    }
    assert_eq!(reports.rig.model.journal().await.requests().len(), 2);
    let good = answer(json!([edit(2)]));
    reports
        .command("c1", "answer_gate", good.clone())
        .await
        .succeeded();
    reports.end("s", "r1", "run_completed").await;
    reports
        .command("c2", "answer_gate", good)
        .await
        .refused(409, "gate_answered");
    let journal = reports.rig.model.journal().await;
    let told = |request: &&Value| request["body"].to_string().contains("Count them all.");
    assert_eq!(journal.requests().iter().filter(told).count(), 1);
    assert_eq!(reports.content("s", "markdown").await, text());
    // Writing a section anew keeps the edits of the plan.
    reports.restart("c3", "sections", "2", Value::Null).await;
    reports.end("s", "r2", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    assert_eq!(journal.requests().iter().filter(told).count(), 2);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_that_is_declined_costs_nothing_more_and_one_made_anew_is_asked_about_again() {
    let reports = Reports::with(&[]).await;
    let attended = json!({ "width": 1, "attended": true });
    reports.asked_with("s", [], attended).await;
    let mut follow = Follow::new(&reports.rig.api, "s", "native");
    let first = reports.gate(&mut follow).await;
    reports
        .restart("c1", "plan", "", json!("another one"))
        .await;
    let second = reports.gate(&mut follow).await;
    assert_ne!(first, second);
    let answer =
        |gate: &Value, confirm: bool| json!({ "gate": gate, "answer": { "confirm": confirm } });
    reports
        .command("c2", "answer_gate", answer(&first, true))
        .await
        .refused(409, "gate_answered");
    reports
        .command("c3", "answer_gate", answer(&second, false))
        .await
        .succeeded();
    follow.end("r1", "run_completed").await;
    assert_eq!(reports.rig.model.journal().await.requests().len(), 2 + 2);
    let frames = reports.frames("s").await;
    let (name, last) = frames.last().expect("a frame");
    assert_eq!(
        (name.as_str(), &last["content"]),
        ("agent.final_answer", &json!("Plan was declined by user."))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn a_partial_report_is_taken_up_and_only_what_is_missing_is_written() {
    let reports = Reports::with(&[]).await;
    let refuses = json!({ "when": solver(2), "status": 400 });
    reports.asked("s", [refuses]).await;
    reports.end("s", "r1", "run_completed").await;
    assert_eq!(reports.content("s", "markdown").await, text_without(2));
    let before = reports.rig.api.made("s", "r1").await;
    reports.rig.model.play(&script_with([])).await;
    let resume = json!({ "settings": { "width": 1 } });
    let answer = reports.command("c1", "resume", resume).await.succeeded();
    assert_eq!(answer["run"], "r2", "{answer}");
    reports.end("s", "r2", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    let asked = [1, 2, 3].map(|section| of_section(journal.requests(), section));
    assert_eq!((asked, journal.requests().len()), ([0, 1, 0], 1));
    let after = reports.rig.api.made("s", "r2").await;
    assert_eq!(sections(&after, "2"), sections(&before, "2"));
    assert_eq!(reports.content("s", "markdown").await, text());
    reports
        .command("c2", "resume", json!({}))
        .await
        .refused(409, "nothing_missing");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_plan_waits_through_a_restart_of_the_server() {
    let mut reports = Reports::with(&[]).await;
    let attended = json!({ "width": 1, "attended": true });
    let request = opening(&reports.rig.api, "s", attended).await;
    reports.rig.api.open(&request).await;
    let gate = {
        let mut follow = Follow::new(&reports.rig.api, "s", "native");
        reports.gate(&mut follow).await
    };
    reports.rig.again().await;
    let yes = json!({ "gate": gate, "answer": { "confirm": true } });
    reports.command("c1", "answer_gate", yes).await.succeeded();
    reports.end("s", "r1", "run_completed").await;
    let journal = reports.rig.model.journal().await;
    assert_eq!((journal.paid(), journal.paid_twice()), (TURNS, vec![]));
    assert_eq!(reports.content("s", "markdown").await, text());
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_that_is_in_a_snapshot_comes_after_it_on_any_wire() {
    let reports = Reports::finished([]).await;
    let (api, server) = (&reports.rig.api, &reports.rig.server);
    let mut last_of_several = false;
    for wire in ["native", "course", "report", "post", "lean"] {
        let mut all = Follow::new(api, "s", wire);
        all.catch_up().await;
        let mut socket = Socket::connect(&server.socket_address()).await;
        let ask = json!({ "frame": "subscribe", "sub": "a", "session": "s", "view": wire, "mode": "snapshot" });
        socket.say(&ask).await;
        let mut told = vec![];
        for _ in 0..3 {
            told.push(socket.next().await.expect("a frame"));
        }
        let frames: Vec<_> = told.iter().map(|told| &told["frame"]).collect();
        assert_eq!(frames, ["subscribed", "snapshot", "up_to_date"], "{wire}");
        assert_eq!(told[1]["at"], all.cursor.as_str(), "{wire}");
        last_of_several |= !all.cursor.ends_with(".0");
    }
    assert!(
        last_of_several,
        "on one wire at least the last event gives several frames"
    );
}
