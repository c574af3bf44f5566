//! `run story`, `story check` and `story export`: a novel in a folder, without a model and with one.

use serde_json::{Value, json};

use crate::support::deck::{calls, content, stages};
use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run};
use crate::support::rig::Rig;
use crate::support::root;

fn harbour() -> String {
    root()
        .join("examples/stories/harbour")
        .display()
        .to_string()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chapter_is_checked_against_the_bible_and_both_sides_are_shown() {
    let place = TestFolder::new();
    let (brief, project) = ("检查第三章有没有前后矛盾", harbour());
    let arguments = [
        "run",
        "story",
        brief,
        "--project",
        &project,
        "--model",
        "offline",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let answer = std::fs::read_to_string(place.file("out/answer.md")).expect("an answer");
    for said in [
        "沈渡今年二十一岁",
        "1916-03-02",
        "那双黑眼睛",
        "灰色",
        "未检查",
    ] {
        assert!(answer.contains(said), "{said} is not in\n{answer}");
    }
    // Only the third chapter was asked about.
    assert!(!answer.contains("潮信"), "{answer}");
    let outcome = std::fs::read(place.file("out/outcome.json")).expect("an outcome");
    let outcome: Value = serde_json::from_slice(&outcome).expect("JSON");
    assert_eq!(outcome["data"]["status"], "issues", "{outcome:#}");

    // The folder is what it was, and the project is the same one.
    run(palimpsest(&place), &arguments).await.with(0);
    let again = std::fs::read_to_string(place.file("out/answer.md")).expect("an answer");
    assert_eq!(again, answer);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_model_no_prose_is_written_and_nothing_passes_unlooked_at() {
    let place = TestFolder::new();
    let project = harbour();
    let arguments = [
        "run",
        "story",
        "/write 沈渡夜里去鹭屿",
        "--project",
        &project,
        "--model",
        "offline",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let answer = std::fs::read_to_string(place.file("out/answer.md")).expect("an answer");
    assert!(answer.contains("这里不写正文"), "{answer}");
    assert!(
        answer.contains("引水"),
        "what is known of her is shown: {answer}"
    );
    let check = std::fs::read(place.file("out/check.json")).expect("a check");
    let check: Value = serde_json::from_slice(&check).expect("JSON");
    assert_eq!(check["status"], "not_checked", "{check:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_is_exported_as_a_book_and_a_wrong_folder_is_named() {
    let place = TestFolder::new();
    let project = harbour();
    for (format, file) in [("epub", "h.epub"), ("docx", "h.docx"), ("md", "h.md")] {
        let arguments = [
            "story", "export", &project, "--format", format, "--out", file,
        ];
        run(palimpsest(&place), &arguments).await.with(0);
    }
    let start = |file: &str| std::fs::read(place.file(file)).expect(file);
    assert!(start("h.epub").starts_with(b"PK") && start("h.docx").starts_with(b"PK"));
    let text = String::from_utf8(start("h.md")).expect("UTF-8");
    assert!(text.contains("到鹭屿要走三个钟头"), "{text}");
    let nowhere = ["story", "export", "no-such-folder", "--out", "x.epub"];
    let ended = run(palimpsest(&place), &nowhere).await.with(2);
    assert!(ended.err.contains("no-such-folder"), "{ended:#?}");
}

/// A run with these answers of the model, to its end.
async fn asked(message: &str, input: Value, rules: Vec<Value>) -> Rig {
    let rig = Rig::playing(&json!({ "rules": rules }), &[]).await;
    let files = [
        (
            "story.md",
            "---\ntitle: Fog\nlanguage: en\nphase: WRITING\n---\n",
        ),
        (
            "characters/ada.md",
            "---\nname: Ada Pell\nrole: protagonist\nappearance:\n  eyes: grey\n---\nKeeps the light.\n",
        ),
        (
            "chapters/01-fog.md",
            "# Fog\n\nAda Pell lit the lamp. The fog came up from the harbour and stood in the yard.\n",
        ),
    ];
    let files: Vec<Value> = files
        .iter()
        .map(|(path, text)| json!({ "path": path, "text": text }))
        .collect();
    let folder = rig
        .api
        .put("/v1/projects/fog/folder", &json!({ "files": files }))
        .await;
    assert_eq!(folder.succeeded()["chapters"], 1);
    let opening = json!({
        "pipeline": "story", "message": message, "session": "s", "input": input,
        "settings": { "language": "en" },
    });
    rig.api.open(&opening).await;
    rig.end("s", "r1", "run_completed").await;
    rig
}

fn answers(system: &str, answer: &str) -> Value {
    json!({ "when": { "system_contains": system }, "answer": answer })
}

const WRITER: &str = "You are the writer of a novel";
const CHECKER: &str = "You check a passage of a novel";

#[tokio::test(flavor = "multi_thread")]
async fn prose_is_written_with_what_the_bible_knows_and_then_checked() {
    let prose = "Ada Pell had brown eyes, and a cough.";
    let nothing = json!({ "issues": [], "summary": "Fine." }).to_string();
    let rules = vec![answers(WRITER, prose), answers(CHECKER, &nothing)];
    let input =
        json!({ "project": "fog", "chapter": "01-fog", "skills": ["action", "-psychology"] });
    let rig = asked("/write Ada Pell fights the storm at the lamp", input, rules).await;
    assert_eq!(
        stages(&rig.api, "s").await,
        [
            "understand",
            "route",
            "prepare",
            "first_agent",
            "consistency",
            "hand_over"
        ]
    );
    assert_eq!(calls(&rig.api, "s").await, 2);
    let journal = rig.model.journal().await;
    let bodies = journal.requests().iter().map(|it| it["body"].to_string());
    // The chapter is read for facts meanwhile.
    let asked = { bodies }.find(|body| body.contains(WRITER));
    let asked = asked.expect("the writer was asked");
    assert!(
        asked.contains("Keeps the light"),
        "the bible is in the prompt: {asked}"
    );
    let shown = content(&rig.api, "s", "agent_prompt").await;
    let skills = shown["activeSkills"].as_array().expect("skills");
    assert!(
        skills.iter().any(|skill| skill["id"] == "action-skill"),
        "{shown:#}"
    );
    assert!(
        skills.iter().all(|skill| skill["id"] != "psychology-skill"),
        "{shown:#}"
    );
    let check = content(&rig.api, "s", "story_check").await;
    assert_eq!(check["status"], "issues", "{check:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_check_that_cannot_be_read_is_no_verdict() {
    let rules = vec![
        answers(WRITER, "Ada Pell lit the lamp again."),
        answers(CHECKER, "no problem found"),
    ];
    let input = json!({ "project": "fog" });
    let rig = asked("/write the next scene", input, rules).await;
    let check = content(&rig.api, "s", "story_check").await;
    assert_eq!(check["status"], "not_checked", "{check:#}");
    assert_eq!(check["issues"], json!([]));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_planned_enters_the_bible_as_proposed() {
    let planned = json!({
        "characters": [{ "name": "Silas", "role": "antagonist" }],
        "relationships": [{ "from": "Silas", "to": "Ada Pell", "type": "uncle" }],
    });
    let rules = vec![answers("You design characters", &planned.to_string())];
    let rig = asked(
        "/character an uncle for Ada",
        json!({ "project": "fog" }),
        rules,
    )
    .await;
    let proposed = content(&rig.api, "s", "story_proposals").await;
    let entries = proposed["entries"].as_array().expect("entries");
    assert_eq!(entries.len(), 2, "{proposed:#}");
    assert!(
        entries.iter().all(|entry| entry["standing"] == "proposed"),
        "{proposed:#}"
    );
}
