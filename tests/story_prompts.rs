//! What the agents of a story are asked: each workflow's part of the bible stands in its prompt, what an agent was shown is kept with its
//! run, and no agent searches for anything itself.

use serde_json::{Value, json};

use crate::support::deck::content;
use crate::support::rig::Rig;
use crate::support::story::{
    PROJECT, PROSE, Told, WRITER, of, put_project, say, script_with, status, text,
};

/// For each intent: words by which the request of its first agent is recognised, and words of the bible that stand in it.
const ASKED: [(&str, &str, &[&str]); 9] = [
    // Found passages, characters with their state, samples of the style, and promises to the reader.
    (
        "WRITE_CONTENT",
        WRITER,
        &[
            "守塔人的女儿",
            "灰色",
            "雾来了，灯亮了",
            "钟声从哪里来",
            "盖住了院子",
        ],
    ),
    // The characters that there are, and the archetypes.
    (
        "PLAN_CHARACTER",
        "You design characters",
        &["林晚", "protagonist", "mentor", "trickster"],
    ),
    (
        "DESIGN_RELATIONSHIP",
        "You design characters",
        &["林晚", "trickster"],
    ),
    (
        "MATCH_ARCHETYPE",
        "You design characters",
        &["林晚", "threshold_guardian"],
    ),
    (
        "PLAN_WORLD",
        "You build the world",
        &["塔上的灯只在有雾的夜里亮"],
    ),
    // Chapters in short, and plot loops.
    (
        "PLAN_OUTLINE",
        "You plan",
        &["林晚点灯", "第2章", "钟声从哪里来"],
    ),
    ("MANAGE_PLOTLOOP", "You plan", &["林晚点灯", "钟声从哪里来"]),
    (
        "CHECK_CONSISTENCY",
        "You check chapters of a novel",
        &["盖住了院子", "海上的钟声"],
    ),
    (
        "BRAINSTORM_AND_EXPAND",
        "You find directions",
        &["塔上的灯只在有雾的夜里亮", "林晚"],
    ),
];

async fn rig(rules: Vec<Value>) -> Rig {
    let rig = Rig::playing(&script_with(rules), &[]).await;
    put_project(&rig.api, PROJECT, "").await;
    rig
}

async fn told(rig: &Rig, session: &str, message: &str, mut more: Value) -> Vec<Told> {
    more["projectId"] = json!(PROJECT);
    say(&rig.api, session, message, more).await
}

/// The messages of the first request that has these words.
async fn request(rig: &Rig, words: &str) -> String {
    let journal = rig.model.journal().await;
    let bodies = journal
        .requests()
        .iter()
        .map(|it| it["body"]["messages"].to_string());
    let found = { bodies }.find(|body| body.contains(words));
    found.unwrap_or_else(|| panic!("nobody was asked: {words}"))
}

#[tokio::test(flavor = "multi_thread")]
async fn each_workflow_has_its_part_of_the_bible_in_its_prompt() {
    let rig = rig(vec![]).await;
    for (intent, words, parts) in ASKED {
        rig.model.play(&script_with([])).await;
        // The words that are looked for in the prompt are not in the message.
        let said = told(
            &rig,
            intent,
            "林晚点亮了灯，然后呢",
            json!({ "intentHint": intent }),
        )
        .await;
        assert_ne!(status(&said), "failed", "{intent}");
        let asked = request(&rig, words).await;
        for part in parts {
            assert!(asked.contains(part), "{intent}: {part} is not in {asked}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_an_agent_was_shown_is_kept_and_it_looks_for_nothing_itself() {
    let rig = rig(vec![]).await;
    let more = json!({ "intentHint": "WRITE_CONTENT", "skills": ["-psychology"] });
    let said = told(&rig, "s1", "写一场打斗：林晚在雾里", more).await;
    assert_eq!(status(&said), "completed");
    let shown = content(&rig.api, "s1", "agent_prompt").await;
    let context = shown["preprocessingContext"].as_str().expect("a text");
    assert!(
        context.contains("守塔人的女儿") && context.contains("雾来了，灯亮了"),
        "{context}"
    );
    let skills = shown["activeSkills"].as_array().expect("skills");
    assert!(!skills.is_empty());
    // The skills are added to the writer's own instructions, and the request as it was composed is in the log.
    let frames = rig.api.frames("s1", "native").await;
    let of_agent = |frame: &&Value| frame["data"]["step"].to_string().contains("first_agent");
    let called = frames
        .iter()
        .filter(|frame| frame["type"] == "model_called");
    let called: Vec<&Value> = called.filter(of_agent).collect();
    let event = format!("/v1/sessions/s1/events/{}", called[0]["version"]);
    let event = rig.api.get(&event).await.succeeded();
    let composed = event["call"]["request"]["sha256"].as_str().expect("a hash");
    let composed = rig
        .api
        .bytes(&format!("/v1/sessions/s1/blobs/{composed}"))
        .await;
    let composed: Value = serde_json::from_slice(&composed).expect("JSON");
    let asked = request(&rig, WRITER).await;
    let system = &serde_json::from_str::<Value>(&asked).expect("JSON")[0]["content"];
    let system = system.as_str().expect("a text");
    for skill in skills {
        let fragment = skill["fragment"].as_str().expect("a text");
        assert!(system.contains(fragment), "{fragment} is not in {system}");
        let escaped = json!(fragment).to_string();
        assert!(
            composed.to_string().contains(escaped.trim_matches('"')),
            "{composed:#}"
        );
    }
    assert!(system.starts_with(WRITER) && composed.to_string().contains(WRITER));
    // The skills that are announced are those that are put into the prompt.
    let announced = of(&said, "thought").into_iter();
    let announced: Vec<&Value> = { announced }
        .filter(|thought| thought["stage"] == "skills_activated")
        .flat_map(|thought| thought["skills"].as_array().into_iter().flatten())
        .map(|skill| &skill["id"])
        .collect();
    assert_eq!(
        json!(announced),
        skills
            .iter()
            .map(|skill| skill["id"].clone())
            .collect::<Value>()
    );
    // All searches were made in the preprocessing.
    let tools = frames.iter().filter(|frame| frame["type"] == "tool_called");
    let by_agent = tools.filter(of_agent).count();
    assert_eq!(by_agent, 0, "the agent calls no tool");
    let prepared = of(&said, "tool_start").into_iter();
    assert_eq!(prepared.filter(|it| it["tool"] == "storyRead").count(), 6);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_scene_takes_the_workflow_of_prose_with_its_chapter_its_kind_and_its_length() {
    let rig = rig(vec![]).await;
    let more = json!({ "chapterId": "02-bell", "sceneType": "对话", "targetWordCount": 800, "characterIds": ["lin"] });
    let said = told(&rig, "s1", "她听见了什么", more).await;
    assert_eq!(status(&said), "completed");
    let routing = of(&said, "thought")[0];
    assert_eq!(
        (&routing["intent"], &routing["workflow"]),
        (&json!("WRITE_CONTENT"), &json!("CONTENT_GENERATION"))
    );
    assert_eq!(of(&said, "preflight_result").len(), 1);
    assert_eq!(of(&said, "check_result").len(), 1);
    let asked = request(&rig, WRITER).await;
    for part in ["对话", "800", "守塔人的女儿", "盖住了院子"] {
        assert!(asked.contains(part), "{part} is not in {asked}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_check_sees_the_prose_with_what_rules_found() {
    let faulty = "林晚的黑眼睛望着海。";
    let writes = json!({ "when": { "system_contains": WRITER }, "answer": faulty });
    let rig = rig(vec![writes]).await;
    let more = json!({ "intentHint": "WRITE_CONTENT", "chapterId": "02-bell" });
    let said = told(&rig, "s1", "写她望着海", more).await;
    let check = of(&said, "check_result")[0];
    assert_eq!(check["status"], "issues", "{check:#}");
    let issue = &check["issues"][0];
    assert_eq!(issue["said"]["sentence"], faulty, "{issue:#}");
    assert!(
        issue["severity"].is_string() && issue["contradicts"].is_object(),
        "{issue:#}"
    );
    let asked = request(&rig, "You check a passage").await;
    assert!(asked.contains(faulty) && asked.contains("灰色"), "{asked}");
    // If the request does not want a check, no check is made, and no frame speaks of one.
    rig.model.play(&script_with([])).await;
    let more = json!({ "intentHint": "WRITE_CONTENT", "consistency": false });
    let said = told(&rig, "s2", "写她望着海", more).await;
    assert_eq!(
        of(&said, "check_result").len() + of(&said, "processing_check").len(),
        0
    );
    let journal = rig.model.journal().await;
    assert_eq!(journal.asked("issues").len(), 0);
    assert_eq!(text(&said, 1), PROSE);
}
