//! The commands beside `run` and `serve`, as people and scripts use them, and what an interruption leaves.

use serde_json::{Value, json};

use crate::support::course::{TURNS, opening, rule, script, script_with};
use crate::support::folder::TestFolder;
use crate::support::program::{Ended, Running, palimpsest, run};
use crate::support::rig::{Rig, held};
use crate::support::scripted::{Journal, Scripted};
use crate::support::within;

const BRIEF: &str = "A deck of 4 pages about rain";

async fn command(place: &TestFolder, arguments: &[&str]) -> Ended {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    run(command, arguments).await
}

/// What was printed, a value a line.
fn lines(ended: &Ended) -> Vec<Value> {
    let read =
        |line: &str| serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
    ended.out.lines().map(read).collect()
}

async fn shown(place: &TestFolder, session: &str) -> Value {
    let ended = command(place, &["show", session]).await.with(0);
    serde_json::from_str(&ended.out).expect("one value")
}

/// A log with a course in the session `deck`, and what a program was told of it meanwhile.
async fn deck() -> (TestFolder, Vec<Value>) {
    let place = TestFolder::new();
    let run = ["run", "course", BRIEF, "--session", "deck", "--json"];
    let ended = command(&place, &run).await.with(0);
    let told = lines(&ended);
    (place, told)
}

/// The version at which the first such frame was sent.
fn version_of(frames: &[Value], is_such: impl Fn(&Value) -> bool) -> u64 {
    let first = frames.iter().find(|frame| is_such(frame));
    first.expect("a frame")["version"]
        .as_u64()
        .expect("a version")
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_replayed_as_it_was_told_up_to_any_point() {
    let (place, told) = deck().await;
    let ends: Vec<_> = told
        .iter()
        .filter(|frame| frame["type"] == "run_completed")
        .collect();
    assert_eq!(ends, [told.last().expect("frames")]);
    assert_eq!(ends[0]["data"]["partial"], false);

    let replay = async |arguments: &[&str]| {
        let ended = command(&place, &[&["replay", "deck"], arguments].concat()).await;
        lines(&ended.with(0))
    };
    let head = shown(&place, "deck").await["version"]
        .as_u64()
        .expect("a version");
    let mut again = replay(&["--wire", "lean"]).await;
    let state = again.pop().expect("the state");
    assert_eq!(again, told);
    assert_eq!(
        (&state["type"], &state["version"]),
        (&json!("state"), &json!(head))
    );
    for to in [1, head / 3, head / 2, head - 1] {
        let mut part = replay(&["--wire", "lean", "--to", &to.to_string()]).await;
        let state = part.pop().expect("the state");
        assert_eq!(state["version"], to);
        let before = |frame: &&Value| frame["version"].as_u64() <= Some(to);
        let expected: Vec<_> = told.iter().take_while(before).cloned().collect();
        assert_eq!(part, expected, "up to version {to}");
    }
    let course = replay(&["--wire", "course"]).await;
    assert!(course.iter().any(|frame| frame["type"] == "completion"));
    let native = replay(&[]).await;
    assert_eq!(native[0]["type"], "session_opened");
    assert_eq!(native.last(), Some(&state));
    assert_eq!(replay(&["--state"]).await, [state]);

    for (arguments, said) in [
        (&["deck", "--to", "0"][..], format!("versions 1 to {head}")),
        (&["deck", "--to", "9999"], format!("versions 1 to {head}")),
        (&["nobody"], "there is no session `nobody`".to_owned()),
        (&["deck", "--wire", "smoke"], "course".to_owned()),
    ] {
        let ended = command(&place, &[&["replay"], arguments].concat()).await;
        let ended = ended.with(2);
        assert!(ended.err.contains(&said), "{arguments:?}: {ended:#?}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_session_is_branched_off_changed_exported_and_erased() {
    let (place, told) = deck().await;
    let before = shown(&place, "deck").await;

    // A branch that begins while the pages are being made goes on from there.
    let at = version_of(&told, |frame| frame["data"]["kind"] == "ppt_html").to_string();
    let fork = ["fork", "deck", "--at", &at, "--into", "branch"];
    let ended = command(&place, &fork).await.with(0);
    assert_eq!(ended.out, "branch\n");
    assert!(ended.err.contains("run --resume branch"), "{ended:#?}");
    let resume = ["run", "--resume", "branch", "--out", "branch"];
    command(&place, &resume).await.with(0);
    assert!(place.file("branch/deck.html").is_file());
    assert_eq!(
        shown(&place, "branch").await["runs"][0]["status"],
        "completed"
    );
    assert_eq!(shown(&place, "deck").await, before);

    let refine = [
        "refine",
        "deck",
        "darker colours",
        "--stage",
        "generate_presentation_theme",
        "--out",
        "darker",
    ];
    let ended = command(&place, &refine).await.with(0);
    assert!(place.file("darker/deck.html").is_file());
    let after = shown(&place, "deck").await;
    assert_eq!(after["runs"][1]["status"], "completed");
    let made = |kind: &str, run: usize| {
        let counts = after["runs"][run]["artifacts"].as_array().expect("ids");
        let all = after["artifacts"].as_array().expect("artifacts");
        let ids: Vec<Value> = all
            .iter()
            .filter(|it| it["kind"] == kind && counts.contains(&it["artifact"]))
            .map(|it| it["artifact"].clone())
            .collect();
        assert_eq!(ids.len(), 1, "{kind} of run {run}");
        ids
    };
    assert_eq!(made("slide_scripts", 0), made("slide_scripts", 1));
    assert_ne!(made("presentation_theme", 0), made("presentation_theme", 1));
    assert!(!ended.err.contains("nothing is different"), "{ended:#?}");
    let wish = "I had expected something else";
    let refine = ["refine", "branch", wish, "--stage", "generate_slides"];
    let ended = command(&place, &refine).await.with(0);
    let said = "! nothing is different from r1";
    assert!(ended.err.contains(said), "{ended:#?}");
    let refine = ["refine", "deck", "darker", "--stage", "paint"];
    let ended = command(&place, &refine).await.with(2);
    assert!(
        ended.err.contains("generate_presentation_theme"),
        "{ended:#?}"
    );

    let export = ["export", "--format", "jsonl"];
    let all = lines(&command(&place, &export).await.with(0));
    let of_one = |session: &str| -> Vec<Value> {
        let of_it = all.iter().filter(|row| row["session"] == session);
        of_it.cloned().collect()
    };
    let deck = of_one("deck");
    let versions = deck.iter().filter_map(|row| row["version"].as_u64());
    let versions: Vec<u64> = versions.collect();
    let head = after["version"].as_u64().expect("a version");
    assert_eq!(versions, (1..=head).collect::<Vec<_>>());
    assert_eq!(deck[0]["type"], "SessionOpened");
    assert!(deck[1..].iter().any(|row| row["data"]["text"] == BRIEF));
    // The export of a branch includes what it shares with its parent.
    assert_eq!(of_one("branch")[0]["version"], 1);
    let one = [&export[..], &["--session", "deck"]].concat();
    assert_eq!(lines(&command(&place, &one).await.with(0)), deck);

    let listed = async || {
        let listed = command(&place, &["sessions", "--json"]).await.with(0);
        let mut names: Vec<String> = lines(&listed)
            .iter()
            .map(|row| row["session"].as_str().expect("a name").to_owned())
            .collect();
        names.sort();
        names
    };
    assert_eq!(listed().await, ["branch", "deck"]);
    let ended = command(&place, &["delete", "deck"]).await.with(2);
    assert!(ended.err.contains("forks"), "{ended:#?}");
    let ended = command(&place, &["delete", "deck", "--forks"])
        .await
        .with(0);
    assert_eq!(ended.out, "deck is erased\n");
    assert_eq!(listed().await, Vec::<String>::new());
    for gone in ["deck", "branch"] {
        let ended = command(&place, &["show", gone]).await.with(2);
        assert!(ended.err.contains("erased"), "{ended:#?}");
    }
    let ended = command(&place, &["verify"]).await.with(0);
    assert!(ended.out.starts_with("sound"), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn the_help_of_a_command_has_its_own_options_and_says_where_the_settings_are() {
    let place = TestFolder::new();
    let help = async |arguments: &[&str]| run(palimpsest(&place), arguments).await.with(0).out;
    for arguments in [
        &["--help"][..],
        &["run", "--help"],
        &["serve", "--help"],
        &["help", "verify"],
        &["deck", "check", "--help"],
    ] {
        let help = help(arguments).await;
        let last = "`palimpsest help settings` lists the settings that every command takes.";
        assert_eq!(help.trim_end().lines().last(), Some(last), "{help}");
        assert!(!help.contains("--fallback-model"), "{help}");
    }
    assert!(help(&["run", "--help"]).await.contains("--out"));
    let refine = help(&["refine", "--help"]).await;
    assert!(refine.contains("--session"), "{refine}");
    for arguments in [&["help", "settings"][..], &["settings"]] {
        let help = help(arguments).await;
        assert!(help.contains("--fallback-model"), "{help}");
        assert!(help.contains("OPENAI_BASE_URL"), "{help}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn of_a_run_as_of_every_command_data_is_the_data_folder() {
    let place = TestFolder::new();
    place.write("t.md", "# Rain\n");
    let run = ["run", "course", BRIEF, "--session", "s", "--out", "out"];
    let elsewhere = [&run[..], &["--data", "elsewhere"]].concat();
    command(&place, &elsewhere).await.with(0);
    assert!(place.file("elsewhere/keys/master.key").is_file());
    let verify = ["verify", "--data", "elsewhere"];
    command(&place, &verify).await.with(0);
    for (more, said) in [
        (["--data-folder", "elsewhere"], "--data-folder"),
        // An option that the pipeline does not use is refused, and nothing is begun.
        (["--template", "t.md"], "takes no `--template`"),
    ] {
        let arguments = [&run[..], &["--data", "elsewhere"], &more[..]].concat();
        let ended = command(&place, &arguments).await.with(2);
        assert!(ended.err.contains(said), "{ended:#?}");
    }
    let unknown = ["run", "courses", BRIEF, "--data", "elsewhere"];
    let ended = command(&place, &unknown).await.with(2);
    assert!(ended.err.contains("course, report, post"), "{ended:#?}");
    let listed = ["sessions", "--json", "--data", "elsewhere"];
    let listed = lines(&command(&place, &listed).await.with(0));
    assert_eq!(listed.len(), 1, "{listed:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_not_there_is_told_in_words_that_help() {
    let place = TestFolder::new();
    let ended = command(&place, &["sessions"]).await.with(3);
    assert!(ended.err.contains("palimpsest run course"), "{ended:#?}");
    let (place, _) = deck().await;
    for arguments in [
        &["show", "nobody"][..],
        &["run", "--resume", "nobody"],
        &["fork", "nobody", "--at", "1"],
        &["refine", "nobody", "x", "--stage", "generate_slides"],
        &["cancel", "nobody"],
        &["delete", "nobody"],
        &["export", "--session", "nobody"],
    ] {
        let ended = command(&place, arguments).await.with(2);
        let said = ["no such session", "no session `nobody`"];
        assert!(
            said.iter().any(|said| ended.err.contains(said)),
            "{arguments:?}: {ended:#?}"
        );
    }
    let ended = command(&place, &["cancel", "deck"]).await.with(2);
    assert!(ended.err.contains("no run to cancel"), "{ended:#?}");
    let ended = command(&place, &["fork", "deck", "--at", "9999"]).await;
    assert!(ended.with(2).err.contains("9999"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_of_a_server_is_cancelled_from_the_command_line() {
    let rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let ended = run(palimpsest(&rig.place), &["cancel", "s"]).await.with(0);
    assert!(ended.out.starts_with("cancelled at version "), "{ended:#?}");
    rig.end("s", "r1", "run_cancelled").await;
}

/// A run at the terminal that waits for the answer for its second page.
async fn at_page_2(place: &TestFolder) -> (Scripted, Running) {
    let model = Scripted::start(&script_with([held(2)])).await;
    let mut command = palimpsest(place);
    model.serve_for(&mut command);
    command.env("PALIMPSEST_WIDTH", "1");
    let brief = "A deck of 4 pages about photosynthesis for grade 7";
    let arguments = ["run", "course", brief, "--session", "s", "--out", "out"];
    let running = Running::start(command, &arguments);
    model
        .journal_when("a held answer", |journal| journal.held() > 0)
        .await;
    (model, running)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_interrupted_run_ends_cleanly_and_is_taken_up_where_it_stopped() {
    let place = TestFolder::new();
    let (model, running) = at_page_2(&place).await;
    let ended = running.interrupted("INT").await.with(130);
    assert!(ended.err.contains("run --resume s"), "{ended:#?}");
    assert_eq!(ended.out, "", "there is no answer yet");
    // On no terminal, progress is plain lines.
    assert!(
        ended.err.contains("▸ ") && !ended.err.contains('\u{1b}'),
        "{ended:#?}"
    );
    let closed = |journal: &Journal| {
        let mut requests = journal.requests().iter();
        requests.any(|request| !request["closed_by_client_us"].is_null())
    };
    model.journal_when("a closed call", closed).await;
    let asked = model.journal().await.requests().len();
    command(&place, &["verify"]).await.with(0);

    let mut resume = palimpsest(&place);
    model.serve_for(&mut resume);
    resume.env("PALIMPSEST_WIDTH", "1");
    let arguments = ["run", "--resume", "s", "--out", "out"];
    run(resume, &arguments).await.with(0);
    assert!(place.file("out/deck.html").is_file());
    let journal = model.journal().await;
    assert_eq!(journal.paid_twice(), []);
    assert_eq!(journal.paid(), TURNS.len());
    // The page that was interrupted, and the two after it.
    assert_eq!(journal.requests().len(), asked + 3);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_that_would_fail_in_the_same_way_again_is_not_told_to_be_resumed() {
    let place = TestFolder::new();
    let wrong_key = rule(TURNS[2], None, json!({ "status": 401 }));
    let model = Scripted::start(&script_with([wrong_key])).await;
    let mut with_model = palimpsest(&place);
    model.serve_for(&mut with_model);
    let brief = "A deck of 4 pages about photosynthesis for grade 7";
    let ended = run(with_model, &["run", "course", brief]).await.with(1);
    assert!(ended.err.contains("check OPENAI_API_KEY"), "{ended:#?}");
    assert!(!ended.err.contains("--resume"), "{ended:#?}");
    let ended = command(&place, &["run", "course", "光合作用，50 页"]).await;
    let ended = ended.with(1);
    assert!(ended.err.contains("50 pages were asked for"), "{ended:#?}");
    assert!(!ended.err.contains("--resume"), "{ended:#?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_terminated_server_lets_calls_end_and_begins_none() {
    let mut rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    let asked = rig.model.journal().await.requests().len();
    rig.server.signal("TERM").await;
    until_draining(&rig).await;
    // Clients are served meanwhile, and what they send is kept for the next process.
    rig.api.open(&opening("t")).await;
    assert_eq!(rig.api.session("t").await["runs"][0]["status"], "running");
    rig.model.release().await;
    let status = rig.server.ended().await;
    assert_eq!(status.code(), Some(0), "{}", rig.server.said());
    let journal = rig.model.journal().await;
    assert_eq!((journal.requests().len(), journal.paid()), (asked, asked));
    rig.start_again().await;
    for session in ["s", "t"] {
        rig.end(session, "r1", "run_completed").await;
    }
    let journal = rig.model.journal().await;
    let turns = 2 * TURNS.len();
    assert_eq!((journal.requests().len(), journal.paid()), (turns, turns));
}

/// Waits until the server says that it is stopping.
async fn until_draining(rig: &Rig) {
    within("a server that is stopping", async {
        loop {
            let ready = rig.api.get("/readyz").await;
            if ready.status == 503 {
                ready.refused(503, "stopping");
                return;
            }
            tokio::task::yield_now().await;
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_server_that_is_terminated_twice_ends_cleanly_and_the_next_one_goes_on() {
    let mut rig = Rig::with([held(2)]).await;
    rig.api.open(&opening("s")).await;
    rig.until_held(1).await;
    rig.server.signal("TERM").await;
    until_draining(&rig).await;
    rig.server.signal("TERM").await;
    let status = rig.server.ended().await;
    assert_eq!(status.code(), Some(0), "{}", rig.server.said());
    rig.model.play(&script()).await;
    rig.start_again().await;
    rig.end("s", "r1", "run_completed").await;
    assert_eq!(rig.model.journal().await.schemas(), ["slide"; 3]);
}
