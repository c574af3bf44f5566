//! Feedback that is said in the chat of the course protocol: what the model makes of it decides what is made anew, and every model
//! that makes something anew is told what was said.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use serde_json::{Value, json};
use tokio::process::Command;

use crate::support::api::Api;
use crate::support::course::{BRIEF, MADE, TURNS, rule, script_with};
use crate::support::folder::TestFolder;
use crate::support::polling::Polling;
use crate::support::program::{Server, palimpsest};
use crate::support::rig::Rig;
use crate::support::{clients, ended_well, within};

const SESSION: &str = "s";
const FEEDBACK: &str = "The outline is too complex, begin with the leaf";
const OUTLINE: &str = "generate_video_outline";

/// A client of Socket.IO.
enum Client {
    /// One of ours, which polls.
    Polling,
    /// The one that others use, in this folder.
    Real(PathBuf),
}

impl Client {
    /// Says it, and hears what comes of it up to the end of its run.
    async fn say(&self, rig: &Rig, message: &str) -> Heard {
        match self {
            Self::Polling => polled(&rig.api, message).await,
            Self::Real(clients) => heard_by_node(clients, &rig.server, message).await,
        }
    }
}

/// What a client heard after it had said something.
#[derive(Debug)]
struct Heard {
    answer: Value,
    /// Name and data of each frame.
    frames: Vec<(String, Value)>,
}

impl Heard {
    /// What the frames of a name say.
    fn of(&self, name: &str) -> Vec<&Value> {
        let frames = self.frames.iter();
        frames
            .filter(|(known, _)| known == name)
            .map(|(_, data)| data)
            .collect()
    }

    /// The deliverable of a run, whose end was announced once, as a success.
    fn deliverable(&self, run: &str) -> &str {
        let completions = self.of("completion");
        assert_eq!(completions.len(), 1, "{completions:#?}");
        let completion = completions[0];
        assert_eq!(
            (&completion["success"], &completion["runId"]),
            (&json!(true), &json!(run)),
            "{completion:#}"
        );
        completion["finalArtifactId"].as_str().expect("an id")
    }
}

async fn polled(api: &Api, message: &str) -> Heard {
    let mut client = Polling::connect(api, &json!({}), &[]).await;
    assert!(client.next().await.starts_with("40"));
    let said = json!({ "message": message, "sessionId": SESSION });
    let answer = client.ask("chat:send", &said).await;
    assert_eq!(answer["status"], "received", "{answer}");
    let mut frames: Vec<(String, Value)> = vec![];
    while frames.last().is_none_or(|(name, _)| name != "completion") {
        frames.push(client.event().await);
    }
    Heard { answer, frames }
}

async fn heard_by_node(clients: &Path, server: &Server, message: &str) -> Heard {
    let mut client = Command::new("node");
    client
        .arg("chat.mjs")
        .args([server.address().as_str(), SESSION, message])
        .current_dir(clients)
        .kill_on_drop(true);
    let output = within("the client's end", client.output())
        .await
        .expect("node starts");
    ended_well(&output, &server.said());
    let (answer, frames) = serde_json::from_slice(&output.stdout).expect("an answer and frames");
    Heard { answer, frames }
}

/// What counts in a run: the ids of its artifacts, by kind and item.
fn counts_in(view: &Value, run: &str) -> BTreeMap<(String, String), String> {
    let runs = view["runs"].as_array().expect("runs");
    let ours = runs.iter().find(|known| known["run"] == run);
    let ids = ours.expect("the run")["artifacts"].as_array().expect("ids");
    let text = |artifact: &Value, field: &str| artifact[field].as_str().expect("text").to_owned();
    let artifacts = view["artifacts"].as_array().expect("artifacts").iter();
    artifacts
        .filter(|artifact| ids.contains(&artifact["artifact"]))
        .map(|artifact| {
            let what = (text(artifact, "kind"), text(artifact, "item"));
            (what, text(artifact, "artifact"))
        })
        .collect()
}

/// What the model was asked last in a conversation.
fn prompt(request: &Value) -> &str {
    let messages = request["body"]["messages"].as_array().expect("messages");
    let last = messages.last().expect("a message");
    last["content"].as_str().expect("text")
}

/// The model was shown what was said and made before, and its answer decided.
async fn is_understood_by_the_model(rig: &Rig) {
    let frames = rig.end(SESSION, "r2", "run_completed").await;
    let meant = frames
        .iter()
        .rfind(|frame| frame["type"] == "intent_classified");
    let meant = &meant.expect("it was understood")["data"];
    let fields = ["run", "intent", "target", "base_run", "by"].map(|field| &meant[field]);
    assert_eq!(
        fields,
        ["r2", "refinement", OUTLINE, "r1", "scripted"],
        "{meant:#}"
    );
    let journal = rig.model.journal().await;
    let asked = journal.asked("intent");
    let shown = prompt(asked[0]);
    for said in [
        format!("user: {BRIEF}\n"),
        "\n2. ".to_owned(),
        format!(" message\n{FEEDBACK}\nDATA>>>"),
    ] {
        assert!(shown.contains(&said), "{said}: {shown}");
    }
}

/// Only what is made anew is asked for, each with the feedback in its place.
async fn is_told_to_every_model_from_the_outline_on(rig: &Rig) {
    let journal = rig.model.journal().await;
    let mut asked = journal.schemas();
    asked.sort_unstable();
    assert_eq!(
        asked,
        [
            "intent",
            "presentation_theme",
            "slide",
            "slide",
            "slide",
            "slide",
            "slide_scripts",
            "video_outline"
        ]
    );
    let told = format!(" feedback\n{FEEDBACK}\nDATA>>>");
    let requests = journal.requests().iter();
    for request in requests.filter(|request| request["schema"] != "intent") {
        let shown = prompt(request);
        assert!(shown.contains(&told), "{}: {shown}", request["schema"]);
    }
}

/// The client is told of the stages from the outline on, and of nothing that is kept.
fn is_shown_from_the_outline_on(heard: &Heard) {
    let begun = heard.of("tool:start");
    let stages: Vec<_> = begun.iter().map(|start| &start["toolName"]).collect();
    assert_eq!(
        stages,
        [
            OUTLINE,
            "generate_slide_scripts",
            "generate_presentation_theme",
            "generate_slides",
            "export_deck"
        ]
    );
    for made in heard.of("tool:artifact") {
        let kind = &made["artifact"]["type"];
        assert!(
            kind != "requirement_analysis" && kind != "course_config",
            "{kind}"
        );
    }
}

async fn feedback_on_the_outline(client: Client) {
    let rig = Rig::with([]).await;
    let first = client.say(&rig, BRIEF).await;
    assert_eq!(first.answer["runId"], "r1", "{}", first.answer);
    let change = json!({
        "intent": "REFINEMENT", "targetStage": OUTLINE, "reason": "the outline is to be simpler", "confidence": 0.9,
        "reply": null,
    });
    let understood = rule(TURNS[0], None, json!({ "answer": change }));
    rig.model.play(&script_with([understood])).await;
    let second = client.say(&rig, FEEDBACK).await;
    assert_eq!(second.answer["runId"], "r2", "{}", second.answer);

    is_understood_by_the_model(&rig).await;
    is_told_to_every_model_from_the_outline_on(&rig).await;
    is_shown_from_the_outline_on(&second);

    let view = rig.api.session(SESSION).await;
    assert_eq!(view["head"], "r2");
    let (old, new) = (counts_in(&view, "r1"), counts_in(&view, "r2"));
    assert_eq!(old.len(), MADE, "{old:#?}");
    assert!(old.keys().eq(new.keys()), "{old:#?}\n{new:#?}");
    // Everything from the outline on (scripts, theme, pages and the documents made of them) has been made anew.
    let kept: Vec<_> = old.iter().filter(|(what, id)| new[*what] == **id).collect();
    let kinds: Vec<_> = kept.iter().map(|((kind, _), _)| kind.as_str()).collect();
    assert_eq!(kinds, ["course_config", "requirement_analysis"]);
    for kind in kinds {
        let all = view["artifacts"].as_array().expect("artifacts").iter();
        let versions = all.filter(|artifact| artifact["kind"] == kind).count();
        assert_eq!(versions, 1, "{kind} was made once");
    }

    let deliverables = [first.deliverable("r1"), second.deliverable("r2")];
    let file = ("pptx".to_owned(), String::new());
    assert_eq!(deliverables, [&old[&file], &new[&file]]);
    assert_ne!(deliverables[0], deliverables[1]);

    // The client heard every frame of the session, each of them once.
    let told = rig.api.frames(SESSION, "course").await;
    let told: Vec<_> = told
        .iter()
        .map(|frame| (frame["type"].as_str(), frame["cursor"].as_str()))
        .collect();
    let heard = first.frames.iter().chain(&second.frames);
    let heard: Vec<_> = heard
        .map(|(name, data)| (Some(name.as_str()), data["pos"].as_str()))
        .collect();
    assert_eq!(heard, told);
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_on_the_outline_keeps_the_configuration_and_reaches_every_model_after_it() {
    feedback_on_the_outline(Client::Polling).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn feedback_from_a_real_socket_io_client_does_the_same() {
    let Some(clients) = clients().await else {
        return;
    };
    feedback_on_the_outline(Client::Real(clients)).await;
}

/// The ids of the artifacts that a client was sent.
fn sent(heard: &Heard) -> Vec<&str> {
    let made = heard.of("tool:artifact").into_iter();
    made.map(|made| made["artifact"]["id"].as_str().expect("an id"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn whoever_goes_back_is_sent_the_deck_that_counts_again() {
    for (brief, change, back) in [
        ("Tides for grade 5, 4 pages", "Make the theme green", "undo"),
        ("做一个4页的课件，介绍潮汐", "换成绿色主题", "撤销"),
        (
            "Gezeiten für Klasse 5, 4 Seiten",
            "Das Design bitte in Grün",
            "Mach das rückgängig",
        ),
    ] {
        let place = TestFolder::new();
        let mut command = palimpsest(&place);
        command.env("PALIMPSEST_MODEL", "offline");
        let server = Server::start(command).await;
        let api = server.api();
        let first = polled(&api, brief).await;
        let second = polled(&api, change).await;
        let third = polled(&api, back).await;
        assert_eq!(sent(&third), sent(&first), "{back}");
        let deliverables = [
            first.deliverable("r1"),
            second.deliverable("r2"),
            third.deliverable("r3"),
        ];
        assert_eq!(deliverables[0], deliverables[2], "{back}");
        assert_ne!(deliverables[0], deliverables[1], "{back}");
        assert_eq!(api.session(SESSION).await["head"], "r1");
    }
}
