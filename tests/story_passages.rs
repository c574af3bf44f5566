//! A selected passage is rewritten, continued, or given in three variants, and a person accepts the result; and the earlier messages of a
//! session are in the prompts for its later ones.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Answer, Api};
use crate::support::rig::{NO_CURATOR, Rig};

const CHAT: &str = "/api/v2/agent/chat";
const CHAPTER: &str = "/api/projects/fog/chapters/01-fog";

/// What the requests begin with: for a passage, for variants of one, and for prose that begins anew.
const PASSAGE: &str = "work on one passage";
const VARIANTS: &str = "Write three texts";
const WRITER: &str = "write its prose";

/// 𝄞 is one character, two units of UTF-16 and four bytes.
const TEXT: &str =
    "Ada Pell lit the lamp. 𝄞\n\n雾从港口上来，停在院子里。The bell rang twice.\n\nNobody came.";
const SELECTED: &str = "雾从港口上来，停在院子里。";
const REWRITTEN: &str = "雾上来了。院子里只剩下灯，和灯下面的一小块地。";

fn answers(system: &str, answer: &str) -> Value {
    json!({ "when": { "system_contains": system }, "answer": answer, "chunk_chars": 4 })
}

fn again(system: &str, answer: &str) -> Value {
    json!({
        "when": { "system_contains": system, "user_contains": "What was wrong with the last answer" },
        "answer": answer, "chunk_chars": 4,
    })
}

fn three(texts: [&str; 3]) -> String {
    json!({ "variants": texts.map(|text| json!({ "text": text })) }).to_string()
}

/// A server with a project of one chapter, whose draft is [`TEXT`].
async fn rig(rules: Vec<Value>) -> Rig {
    let nothing = json!({ "issues": [], "summary": "Fine." });
    let script = json!({ "rules": rules, "by_schema": { "issues": nothing } });
    let rig = Rig::playing(&script, &NO_CURATOR).await;
    let files = json!({ "files": [
        { "path": "story.md", "text": "---\ntitle: Fog\nlanguage: en\nphase: WRITING\n---\n" },
        { "path": "characters/ada.md", "text": "---\nname: Ada Pell\nrole: protagonist\n---\nKeeps the light.\n" },
        { "path": "chapters/01-fog.md", "text": format!("# Fog\n\n{TEXT}\n") },
    ] });
    rig.api
        .put("/v1/projects/fog/folder", &files)
        .await
        .succeeded();
    rig
}

/// The working draft and its version.
async fn draft(api: &Api) -> (String, Value) {
    let body = api.get(&format!("{CHAPTER}/content")).await.succeeded();
    let text = body["content"].as_str().expect("a text").to_owned();
    (text, body["version"].clone())
}

/// The place of some words in a text, in Unicode characters.
fn place(text: &str, words: &str) -> (usize, usize) {
    let byte = text.find(words).expect("it is there");
    let from = text[..byte].chars().count();
    (from, from + words.chars().count())
}

/// A selection of words of the draft.
async fn selection(api: &Api, words: &str) -> Value {
    let (text, version) = draft(api).await;
    let (from, to) = place(&text, words);
    json!({ "chapterId": "01-fog", "version": version, "from": from, "to": to })
}

fn about(message: &str, selection: Value) -> Value {
    json!({ "message": message, "sessionId": "s1", "projectId": "fog", "selection": selection })
}

fn frames(answer: Answer) -> Vec<Value> {
    let body = answer.succeeded();
    let body = body.as_str().expect("a stream").to_owned();
    let lines = body.lines().filter_map(|line| line.strip_prefix("data: "));
    lines
        .map(|data| serde_json::from_str(data).expect("JSON"))
        .collect()
}

async fn say(api: &Api, body: Value) -> Vec<Value> {
    let frames = frames(api.post(CHAT, &body).await);
    let done = frames.last().expect("frames");
    assert_eq!(done["status"], "completed", "{frames:#?}");
    frames
}

fn of<'a>(frames: &'a [Value], kind: &str) -> Vec<&'a Value> {
    frames.iter().filter(|data| data["type"] == kind).collect()
}

/// The text that a client puts together from pieces: it is cut off where the next piece begins, and the piece is appended.
fn text(frames: &[Value]) -> String {
    let mut text: Vec<char> = vec![];
    for piece in of(frames, "content") {
        let offset = piece["offset"].as_u64().expect("a number");
        text.truncate(usize::try_from(offset).expect("small"));
        text.extend(piece["content"].as_str().expect("a text").chars());
    }
    text.into_iter().collect()
}

/// What was made of the passage, with its place.
fn made(frames: &[Value]) -> Value {
    let contents = of(frames, "content");
    contents.last().expect("a text")["passage"].clone()
}

fn put(made: &Value, replacement: &Value) -> Value {
    json!({
        "version": made["version"], "from": made["from"], "to": made["to"], "content": replacement,
    })
}

/// What the model was asked, as text.
async fn asked(rig: &Rig) -> Vec<String> {
    let journal = rig.model.journal().await;
    let requests = journal.requests().iter();
    requests
        .map(|request| request["body"].to_string())
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_rewriting_is_taken_and_nothing_else_of_the_chapter_changes() {
    let rig = rig(vec![answers(PASSAGE, REWRITTEN)]).await;
    let chosen = selection(&rig.api, SELECTED).await;
    let told = say(&rig.api, about("冷一点，短一点", chosen.clone())).await;
    assert_eq!(text(&told), REWRITTEN);
    let passage = made(&told);
    assert_eq!(
        (
            &passage["task"],
            &passage["chapterId"],
            &passage["original"]
        ),
        (&json!("rewrite"), &json!("01-fog"), &json!(SELECTED))
    );
    assert_eq!(passage["replacement"], REWRITTEN);
    assert_eq!(of(&told, "check_result")[0]["status"], "passed");
    // The writer was shown the passage, what stands around it, and the bible.
    let asked = asked(&rig).await;
    assert_eq!(asked.len(), 2, "the writer and the check");
    for shown in [
        "Ada Pell lit the lamp",
        SELECTED,
        "The bell rang twice",
        "Keeps the light",
    ] {
        assert!(asked[0].contains(shown), "{shown} is not in {}", asked[0]);
    }
    // Nothing changes before a person takes it.
    assert_eq!(draft(&rig.api).await.0, TEXT);
    let path = format!("{CHAPTER}/passage");
    let body = put(&passage, &passage["replacement"]);
    let taken = rig.api.post(&path, &body).await.succeeded();
    assert_eq!(taken["content"], TEXT.replace(SELECTED, REWRITTEN));
    let versions = rig.api.get(&format!("{CHAPTER}/snapshots")).await;
    let versions = versions.succeeded().to_string();
    assert!(versions.contains("AI_EDIT"), "{versions}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_that_is_tried_again_is_not_shown_twice() {
    let rules = vec![again(PASSAGE, REWRITTEN), answers(PASSAGE, SELECTED)];
    let rig = rig(rules).await;
    let chosen = selection(&rig.api, SELECTED).await;
    let told = say(&rig.api, about("润色", chosen)).await;
    let tries = of(&told, "thought").into_iter();
    let mut tries = tries.filter(|thought| thought["stage"] == "attempt_started");
    assert_eq!(
        tries.next().map(|thought| &thought["attempt"]),
        Some(&json!(2))
    );
    assert_eq!(text(&told), REWRITTEN);
    // The second attempt sends only what differs from the first one: both begin with 雾, which is not sent again if it was sent before.
    let contents = of(&told, "content");
    let was_sent = contents.iter().any(|piece| piece["attempt"] == 1);
    let second = contents.iter().find(|piece| piece["attempt"] == 2);
    let offset = second.map(|piece| &piece["offset"]);
    assert_eq!(offset, Some(&json!(u32::from(was_sent))));
}

#[tokio::test(flavor = "multi_thread")]
async fn variants_are_three_that_differ_and_each_can_be_taken() {
    let twice = three(["雾来了。", "雾 来了。", "院子白了。"]);
    let good = three(["雾来了。", "院子白了。", "灯暗了下去。"]);
    let rules = vec![again(VARIANTS, &good), answers(VARIANTS, &twice)];
    let rig = rig(rules).await;
    let chosen = selection(&rig.api, SELECTED).await;
    let told = say(&rig.api, about("给我三个版本", chosen)).await;
    let contents = of(&told, "content");
    assert_eq!(
        contents.len(),
        1,
        "a structure is never told in pieces: {told:#?}"
    );
    assert!(
        text(&told).contains("## 2\n\n院子白了。"),
        "{}",
        text(&told)
    );
    let passage = made(&told);
    let variants = passage["variants"].as_array().expect("variants");
    let ids: Vec<&Value> = variants.iter().map(|variant| &variant["id"]).collect();
    assert_eq!(ids, ["1", "2", "3"]);
    assert_eq!(passage["replacement"], Value::Null);
    let asked = asked(&rig).await;
    assert!(
        asked[1].contains("is the same as a variant before it"),
        "{}",
        asked[1]
    );
    let path = format!("{CHAPTER}/passage");
    let body = put(&passage, &variants[2]["replacement"]);
    let taken = rig.api.post(&path, &body).await.succeeded();
    assert_eq!(taken["content"], TEXT.replace(SELECTED, "灯暗了下去。"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_continuation_stands_behind_its_passage() {
    let rig = rig(vec![answers(PASSAGE, "Then it stopped.")]).await;
    let chosen = selection(&rig.api, "The bell rang twice.").await;
    let told = say(&rig.api, about("Go on from here", chosen)).await;
    let passage = made(&told);
    assert_eq!(
        (&passage["task"], &passage["from"]),
        (&json!("continue"), &passage["to"])
    );
    let path = format!("{CHAPTER}/passage");
    let body = put(&passage, &passage["replacement"]);
    let taken = rig.api.post(&path, &body).await.succeeded();
    let text = taken["content"].as_str().expect("a text");
    assert!(
        text.contains("rang twice.\n\nThen it stopped.\n\nNobody came."),
        "{text}"
    );
    // The task that the request names counts more than the words of the message.
    let mut chosen = selection(&rig.api, "Nobody came.").await;
    chosen["task"] = json!("rewrite");
    let told = say(&rig.api, about("Go on", chosen)).await;
    assert_eq!(made(&told)["task"], "rewrite");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_worked_on_is_refused_before_a_model_is_asked() {
    let rig = rig(vec![answers(PASSAGE, REWRITTEN)]).await;
    let good = selection(&rig.api, SELECTED).await;
    let with = |field: &str, value: Value| {
        let mut chosen = good.clone();
        chosen[field] = value;
        chosen
    };
    let cases = [
        (with("version", json!(9)), 404, "no_version"),
        (with("chapterId", json!("09-none")), 404, "no_entry"),
        (with("chapterId", Value::Null), 422, "bad_selection"),
        (with("from", json!(9_000)), 422, "bad_selection"),
        (with("to", json!(9_000)), 422, "bad_selection"),
        (with("to", good["from"].clone()), 422, "bad_selection"),
        (with("text", json!("something else")), 409, "stale_text"),
        (with("task", json!("sing")), 400, "bad_request"),
        (with("from", json!(-1)), 400, "bad_request"),
    ];
    for (chosen, status, code) in cases {
        let shown = chosen.to_string();
        let answer = rig.api.post(CHAT, &about("润色", chosen)).await;
        let message = answer.refused(status, code);
        assert!(!message.is_empty(), "{shown}");
    }
    let mut elsewhere = about("润色", good.clone());
    elsewhere["projectId"] = Value::Null;
    rig.api
        .post(CHAT, &elsewhere)
        .await
        .refused(422, "bad_input");
    let mut hinted = about("总结", good.clone());
    hinted["intentHint"] = json!("SUMMARIZE");
    rig.api.post(CHAT, &hinted).await.refused(422, "bad_input");
    // There is a newer version, in which the selected words may stand elsewhere.
    let text = format!("{TEXT}\n\nMore.");
    let body = json!({ "content": text, "trigger": "MANUAL" });
    rig.api
        .put(&format!("{CHAPTER}/content"), &body)
        .await
        .succeeded();
    let stale = rig.api.post(CHAT, &about("润色", good.clone())).await;
    stale.refused(409, "stale_text");
    // A locked chapter cannot be changed.
    let chosen = selection(&rig.api, SELECTED).await;
    rig.api
        .post(&format!("{CHAPTER}/lock"), &json!({ "locked": true }))
        .await
        .succeeded();
    let locked = rig.api.post(CHAT, &about("润色", chosen.clone())).await;
    let message = locked.refused(409, "locked");
    assert!(message.contains("unlock it first"), "{message}");
    let body = json!({ "version": chosen["version"], "from": chosen["from"], "to": chosen["to"], "content": "x" });
    rig.api
        .post(&format!("{CHAPTER}/passage"), &body)
        .await
        .refused(409, "locked");
    // The native protocol refuses it as well: there the run fails and says why.
    let opening = json!({
        "pipeline": "story", "message": "润色", "session": "native",
        "input": { "project": "fog", "selection": chosen },
    });
    rig.api.open(&opening).await;
    let end = rig.end("native", "r1", "run_failed").await;
    let failed = end.last().expect("frames").to_string();
    assert!(failed.contains("locked"), "{failed}");
    assert_eq!(asked(&rig).await, [""; 0], "nothing was paid for");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_chapter_that_was_changed_meanwhile_keeps_both_texts() {
    let rig = rig(vec![answers(PASSAGE, REWRITTEN)]).await;
    let chosen = selection(&rig.api, SELECTED).await;
    let told = say(&rig.api, about("重写", chosen)).await;
    let passage = made(&told);
    let theirs = TEXT.replace("Nobody came.", "Somebody came.");
    let body = json!({ "content": theirs, "trigger": "MANUAL" });
    rig.api
        .put(&format!("{CHAPTER}/content"), &body)
        .await
        .succeeded();
    let path = format!("{CHAPTER}/passage");
    let answer = rig
        .api
        .post(&path, &put(&passage, &passage["replacement"]))
        .await;
    assert_eq!(answer.status.as_u16(), 409, "{answer:?}");
    let ours = TEXT.replace(SELECTED, REWRITTEN);
    assert_eq!(answer.body["error"]["code"], "stale_text");
    assert_eq!(answer.body["yours"]["content"], ours);
    assert_eq!(answer.body["theirs"]["content"], theirs);
    let both = theirs.replace(SELECTED, REWRITTEN);
    assert_eq!(answer.body["merged"], both);
    assert_eq!(draft(&rig.api).await.0, theirs, "nothing was written over");
    // Wrong places, blank texts and unknown versions are refused with codes of their own.
    let body = json!({ "version": passage["version"], "from": 3, "to": 9_000, "content": "x" });
    rig.api
        .post(&path, &body)
        .await
        .refused(422, "bad_selection");
    let body = json!({ "version": passage["version"], "from": 3, "to": 4, "content": " " });
    rig.api.post(&path, &body).await.refused(422, "bad_value");
    let body = json!({ "version": 77, "from": 3, "to": 4, "content": "x" });
    rig.api.post(&path, &body).await.refused(404, "no_version");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_taken_once_however_often_it_is_sent() {
    let rig = rig(vec![]).await;
    let chosen = selection(&rig.api, "Nobody came.").await;
    let body = put(&chosen, &json!("A boat came."));
    let path = format!("{CHAPTER}/passage");
    let headers = [
        ("content-type", "application/json"),
        ("idempotency-key", "k1"),
    ];
    let mut versions = vec![];
    for _ in 0..2 {
        let sent = Some(body.to_string().into());
        let answer = rig.api.send(Method::POST, &path, &headers, sent).await;
        versions.push(answer.succeeded()["version"].clone());
    }
    assert_eq!(versions[0], versions[1]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_message_that_takes_something_up_is_asked_with_what_was_made() {
    const SCENE: &str = "雾里有人敲门。林晚没有动，灯也没有动。";
    let rules = vec![
        json!({
            "when": { "system_contains": WRITER, "user_contains": SCENE }, "answer": "雾里有人敲门，敲了很久。",
        }),
        answers(WRITER, SCENE),
    ];
    let rig = rig(rules).await;
    let message = |text: &str| json!({ "message": text, "sessionId": "s1", "projectId": "fog", "consistency": false });
    let first = say(&rig.api, message("/write 夜里有人敲门")).await;
    assert_eq!(text(&first), SCENE);
    let second = say(&rig.api, message("再写长一点")).await;
    let routed = of(&second, "thought")[0];
    assert_eq!(routed["intent"], "WRITE_CONTENT", "{routed:#}");
    assert_eq!(text(&second), "雾里有人敲门，敲了很久。");
    let asked = asked(&rig).await;
    let writers: Vec<&String> = asked.iter().filter(|it| it.contains(WRITER)).collect();
    assert!(
        !writers[0].contains("What was said in this session"),
        "{}",
        writers[0]
    );
    let prompt = writers[1];
    let heading = prompt
        .find("What was said in this session")
        .expect("it is told");
    let said = prompt.find("/write 夜里有人敲门").expect("what was said");
    let came = prompt.find(SCENE).expect("what came of it");
    assert!(heading < said && said < came, "{prompt}");
    // Another session does not have the earlier messages in its prompts.
    let mut other = message("再写长一点");
    other["sessionId"] = json!("s2");
    say(&rig.api, other).await;
    let asked = self::asked(&rig).await;
    assert!(!asked.last().expect("a request").contains(SCENE));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_story_comes_out_as_the_folder_that_it_came_in_as() {
    let rig = rig(vec![]).await;
    let out = rig.api.get("/v1/projects/fog/folder").await.succeeded();
    let files = out["files"].as_array().expect("files");
    let has = |path: &str, part: &str| {
        let is_it = |file: &Value| {
            let text = file["text"].as_str().expect("a text");
            file["path"] == path && text.contains(part)
        };
        assert!(files.iter().any(is_it), "{path} with `{part}`: {out:#}");
    };
    has("characters/ada.md", "Ada Pell");
    has("chapters/01-fog.md", TEXT);
    let again = rig.api.put("/v1/projects/again/folder", &out).await;
    assert_eq!(again.succeeded()["remarks"], json!([]));
    assert_eq!(
        rig.api.get("/v1/projects/again/folder").await.succeeded(),
        out
    );
    let none = rig.api.get("/v1/projects/nothing/folder").await;
    assert_eq!(none.status, 404, "{none:?}");
}
