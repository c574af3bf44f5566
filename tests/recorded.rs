//! Logs that were written before are read as they were then: the same frames, byte for byte, and they go on.
//!
//! What is in `recorded/` was made by `record/` once and is never changed: databases of whole sessions with everything that the
//! command line reads from them. A difference here means that an old log is shown differently than before.

use serde_json::{Value, json};

use crate::support::api::Follow;
use crate::support::program::{Server, run};
use crate::support::recorded::{Recording, VERIFIED, folded};
use crate::support::scripted::Scripted;
use crate::support::{course, post, report, root, story};

const RECORDINGS: [&str; 3] = ["scripted", "offline", "story"];

fn recording(name: &str) -> Recording {
    Recording::in_folder(&root().join("tests/recorded").join(name))
}

/// The first line that differs, so that a failure can be read.
fn assert_same(name: &str, now: &str, then: &str) {
    let first = now.lines().zip(then.lines()).position(|(a, b)| a != b);
    if let Some(line) = first {
        let of = |text: &str| text.lines().nth(line).unwrap_or_default().to_owned();
        panic!(
            "{name}, line {}:\n  now  {}\n  then {}",
            line + 1,
            of(now),
            of(then)
        );
    }
    assert_eq!(now.lines().count(), then.lines().count(), "lines of {name}");
    assert_eq!(now, then, "{name}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_log_is_sound_and_gives_the_frames_that_it_gave() {
    for name in RECORDINGS {
        let recording = recording(name);
        let place = recording.place();
        // A command that only reads does not migrate a database: it says that this one is older, and what to do.
        let refused = run(recording.program(&place), &["verify"]).await.with(3);
        assert!(refused.err.contains("run `migrate`"), "{}", refused.err);
        run(recording.program(&place), &["migrate"]).await.with(0);
        for (reading, arguments) in recording.readings() {
            let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
            let now = run(recording.program(&place), &arguments).await.with(0);
            let then = recording.recorded(&reading);
            if reading == VERIFIED {
                // The rest of the line depends on what this program verifies and how it counts, not on the log.
                let events = then.trim_start_matches("sound: ").split(';').next();
                let events = events.expect("a number of events");
                assert!(now.out.contains(events), "{name}: {}", now.out);
                continue;
            }
            assert_same(&format!("{name}/{reading}"), &now.out, &then);
        }
    }
}

/// The frames of a reading, without their places.
fn frames(reading: &str) -> Vec<Value> {
    let lines = reading.lines().map(serde_json::from_str::<Value>);
    let mut frames: Vec<Value> = lines.map(|line| line.expect("JSON")).collect();
    for frame in &mut frames {
        if let Some(fields) = frame.as_object_mut() {
            fields.remove("cursor");
        }
        if let Some(data) = frame["data"].as_object_mut() {
            data.remove("pos");
        }
    }
    frames
}

#[test]
fn a_later_version_of_the_course_wire_only_adds_lines_with_artifacts() {
    for name in RECORDINGS {
        let recording = recording(name);
        for (session, wire) in recording.sessions() {
            if wire != "course" {
                continue;
            }
            let of = |version| frames(&recording.recorded(&folded(&session, &wire, version)));
            let mut before = of(1).into_iter().peekable();
            for frame in of(2) {
                if before.next_if_eq(&frame).is_none() {
                    assert_eq!(frame["type"], "tool:log", "{name}/{session}: {frame:#}");
                    let linked = &frame["data"]["artifactId"];
                    assert!(linked.is_string(), "{name}/{session}: {frame:#}");
                }
            }
            assert_eq!(before.next(), None, "{name}/{session}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_log_goes_on() {
    let scripted = recording("scripted");
    let place = scripted.place();
    let model = Scripted::start(&course::script()).await;
    let mut command = scripted.program(&place);
    model.serve_for(&mut command);
    let server = Server::start(command).await;
    let api = server.api();
    // What was cut off is taken up.
    let mut follow = Follow::new(&api, "course-cut", "native");
    follow.end("r1", "run_completed").await;
    // What waits for a person is still open.
    let mut follow = Follow::new(&api, "post-waits", "native");
    let is_open =
        |frame: &Value| frame["type"] == "gate_opened" && frame["data"]["name"] == "content";
    follow.until("the open gate", is_open).await;
    let reason = json!({ "reason": "no longer wanted" });
    let cancelled = api.command("post-waits", "later", "cancel", reason).await;
    cancelled.succeeded();
    follow.end("r1", "run_cancelled").await;
    // Finished runs can be changed.
    for (session, run, stage, script) in [
        ("course", "r3", "generate_slides", course::script()),
        ("report", "r3", "sections", report::script_with([])),
        ("post", "r2", "writer", post::script_with([], json!({}))),
    ] {
        model.play(&script).await;
        let settings = json!({ "width": 1, "attended": false });
        let change = json!({ "stage": stage, "feedback": "in fewer words", "settings": settings });
        let refined = api.command(session, "later", "refine", change).await;
        assert_eq!(refined.succeeded()["run"], run, "{session}");
        let mut follow = Follow::new(&api, session, "native");
        follow.end(run, "run_completed").await;
    }
    drop(server);
    let sound = run(scripted.program(&place), &["verify"]).await.with(0);
    assert!(sound.out.starts_with("sound: "), "{}", sound.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_old_story_goes_on() {
    let recorded = recording("story");
    let place = recorded.place();
    let model = Scripted::start(&story::script_with([])).await;
    let mut command = recorded.program(&place);
    model.serve_for(&mut command);
    let server = Server::start(command).await;
    let api = server.api();
    // What was cut off is taken up.
    let path = format!("{}/story-cut", story::CHAT);
    let told = api.get(&path).await.succeeded();
    let told = story::told(told.as_str().expect("a stream"));
    assert_eq!(story::status(&told), "completed");
    assert_eq!(story::text(&told, 1), story::PROSE);
    // A chain still waits for its choice, and the result of its first agent is in the prompt of the second one.
    let rest = story::say(&api, "story-waits", "无人的灯塔", json!({})).await;
    assert_eq!(story::status(&rest), "completed");
    assert_eq!(story::text(&rest, 2), story::PROSE);
    let journal = model.journal().await;
    let asked = journal.requests().iter().map(Value::to_string);
    let mut writers = asked.filter(|request| request.contains(story::WRITER));
    assert!(writers.any(|request| request.contains("守塔人的信")));
    // A chain that failed goes on with the outline that was made before.
    let rest = story::say(
        &api,
        "story-failed",
        "继续",
        json!({ "projectId": story::PROJECT }),
    )
    .await;
    assert_eq!(story::status(&rest), "completed");
    assert_eq!(model.journal().await.asked("outline").len(), 0);
    drop(server);
    let sound = run(recorded.program(&place), &["verify"]).await.with(0);
    assert!(sound.out.starts_with("sound: "), "{}", sound.out);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_old_log_keeps_beside_its_sessions_is_there() {
    let offline = recording("offline");
    let place = offline.place();
    let server = Server::start(offline.program(&place)).await;
    let api = server.api();
    let notes = api.get("/api/notes").await.succeeded();
    let first = notes["notes"][0]["title"].as_str().expect("a note");
    let word: String = first.chars().take(2).collect();
    let found = api.get(&format!("/api/notes?query={word}")).await;
    let found = found.succeeded()["notes"].to_string();
    assert!(found.contains(first), "{word}: {found}");
    let templates = api.get("/api/templates").await.succeeded();
    assert_eq!(templates[0]["id"], "year", "{templates:#}");
    let databases = api.get("/api/databases").await.succeeded();
    assert_eq!(databases[0]["name"], "Sales", "{databases:#}");
}
