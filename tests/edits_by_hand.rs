//! Edits by hand of what was made, on the built program: an edit is checked and becomes the next version without a model being asked,
//! and later changes keep it, unless they are about the edited part, and say so.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::api::{Api, Follow};
use crate::support::course::{TURNS, opening, rule};
use crate::support::report::Reports;
use crate::support::rig::{NO_CURATOR, Rig};
use crate::support::{deck, post};

const SESSION: &str = "s";

/// The artifact of this kind and item that counts now, and its content.
async fn now(api: &Api, kind: &str, item: &str) -> (Value, Value) {
    let view = api.session(SESSION).await;
    let artifacts = view["artifacts"].as_array().expect("artifacts").iter();
    let mut found = artifacts
        .filter(|made| made["kind"] == kind && made["item"] == item && made["current"] == true);
    let made = found
        .next()
        .unwrap_or_else(|| panic!("{kind} {item}: {view:#}"));
    let path = made["content"].as_str().expect("a path");
    let content = serde_json::from_slice(&api.bytes(path).await).expect("JSON");
    (made.clone(), content)
}

/// Edits it by hand: what the program says.
async fn edited(
    rig: &Rig,
    id: &str,
    (kind, item): (&str, &str),
    following: &str,
    edit: impl Fn(&mut Value),
) -> crate::support::api::Answer {
    let (made, mut content) = now(&rig.api, kind, item).await;
    edit(&mut content);
    let payload =
        json!({ "artifact": made["artifact"], "content": content, "following": following });
    rig.api.command(SESSION, id, "edit_artifact", payload).await
}

/// The schemas that the model was asked for since so many requests.
async fn asked_since(rig: &Rig, before: usize) -> Vec<String> {
    let journal = rig.model.journal().await;
    let schemas = journal.schemas();
    let asked = schemas[before..].iter();
    let mut asked: Vec<String> = asked.map(|schema| (*schema).to_owned()).collect();
    asked.sort_unstable();
    asked
}

async fn asked_so_far(rig: &Rig) -> usize {
    rig.model.journal().await.schemas().len()
}

/// What the program said at the end of a run.
async fn said(rig: &Rig, run: &str) -> String {
    let frames = rig.api.frames(SESSION, "native").await;
    let said = frames
        .iter()
        .filter(|frame| frame["type"] == "message_sent" && frame["data"]["run"] == run);
    let texts = said.map(|frame| frame["data"]["text"].as_str().expect("a text").to_owned());
    texts.collect::<Vec<_>>().join("\n")
}

/// How the nth message is understood.
fn understood(nth: u64, stage: &str, parts: &[u32]) -> Value {
    let answer = json!({
        "intent": "REFINEMENT", "targetStage": stage, "parts": parts, "newOrder": [], "reason": "r", "confidence": 0.9,
        "reply": null,
    });
    rule(TURNS[0], Some(nth), json!({ "answer": answer }))
}

const OWN: &str = "Written by the teacher";

fn own_words(page: &mut Value) {
    page["spec"]["title"] = json!(OWN);
    page["speakNotes"] = json!(OWN);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_page_that_a_person_wrote_is_drawn_and_outlives_changes_that_are_about_something_else() {
    let rig = Rig::with([
        understood(2, "generate_slides", &[]),
        understood(3, "generate_presentation_theme", &[]),
        understood(4, "generate_slide_scripts", &[2]),
        understood(5, "generate_slides", &[3]),
    ])
    .await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let (edited_one, before) = now(&rig.api, "ppt_html", "3").await;
    assert!(before["spec"]["title"].is_string(), "{before:#}");
    let mut edited_content = before.clone();
    own_words(&mut edited_content);

    let asked = asked_so_far(&rig).await;
    let told = edited(&rig, "edit", ("ppt_html", "3"), "stays", own_words).await;
    assert_eq!(told.succeeded()["run"], "r2");
    rig.end(SESSION, "r2", "run_completed").await;
    assert_eq!(asked_since(&rig, asked).await, [""; 0], "nobody is asked");
    let (_, page) = now(&rig.api, "ppt_html", "3").await;
    assert_eq!(page["spec"]["title"], OWN);
    assert_eq!(page["author"], "person");
    assert!(page["html"].as_str().expect("HTML").contains(OWN));
    // The document and the files follow.
    let (_, document) = now(&rig.api, "ppt_html_doc", "document").await;
    assert!(document.to_string().contains(OWN), "{document:#}");

    // The same command again is the same edit, and another one is none.
    let mut payload = json!({ "artifact": edited_one["artifact"], "content": edited_content, "following": "stays" });
    let ask = |payload: &Value| {
        rig.api
            .command(SESSION, "edit", "edit_artifact", payload.clone())
    };
    let again = ask(&payload).await.succeeded();
    payload["content"] = json!({});
    ask(&payload).await.refused(409, "id_reused");
    assert_eq!(
        (&again["duplicate"], &again["run"]),
        (&json!(true), &json!("r2"))
    );

    // Changes of all pages, of the look, and of another page's words.
    for (run, message) in [
        ("r3", "put the pages in two columns"),
        ("r4", "give it a calmer look"),
        ("r5", "page 2 should say it with a kitchen"),
    ] {
        let payload = json!({ "message": message, "settings": { "width": 1 } });
        rig.api
            .command(SESSION, run, "send_message", payload)
            .await
            .succeeded();
        rig.end(SESSION, run, "run_completed").await;
        let (_, page) = now(&rig.api, "ppt_html", "3").await;
        assert_eq!(page["spec"]["title"], OWN, "{message}");
        assert_eq!(page["speakNotes"], OWN, "{message}");
    }
    let kept = said(&rig, "r3").await;
    assert!(kept.contains("keeps what you wrote"), "{kept}");

    // A change of this very page.
    let payload = json!({ "message": "make page 3 shorter", "settings": { "width": 1 } });
    rig.api
        .command(SESSION, "r6", "send_message", payload)
        .await
        .succeeded();
    rig.end(SESSION, "r6", "run_completed").await;
    let (_, page) = now(&rig.api, "ppt_html", "3").await;
    assert_ne!(page["spec"]["title"], OWN);
}

#[tokio::test(flavor = "multi_thread")]
async fn what_cannot_be_taken_is_refused_with_everything_that_is_wrong_and_nothing_happens() {
    let rig = Rig::with([]).await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let before = rig.api.session(SESSION).await;
    let page = ("ppt_html", "3");

    let edit =
        |id: &'static str, what, change: fn(&mut Value)| edited(&rig, id, what, "stays", change);
    let says = edit("a", page, |page| page["spec"]["title"] = json!("")).await;
    let says = says.refused(422, "bad_content");
    assert!(says.contains("/spec/title"), "{says}");
    let says = edit("b", page, |page| page["colour"] = json!("red")).await;
    let says = says.refused(422, "bad_content");
    assert!(
        says.contains("/colour") && says.contains("is not known"),
        "{says}"
    );
    let says = edit("c", page, |page| page["html"] = json!("<div></div>")).await;
    let says = says.refused(422, "bad_content");
    assert!(
        says.contains("/html") && says.contains("spec, speakNotes"),
        "{says}"
    );
    edit("d", page, |_| ()).await.refused(422, "unchanged");
    let says = edit("e", ("dsl", "document"), |dsl| dsl["title"] = json!("x")).await;
    let says = says.refused(422, "not_editable");
    assert!(
        says.contains("ppt_html") && says.contains("slide_scripts"),
        "{says}"
    );
    let says = edit("f", ("slide_scripts", ""), |scripts| {
        scripts.as_array_mut().expect("scripts").pop();
    });
    says.await.refused(422, "bad_content");
    let nobody = json!({ "artifact": "art_none", "content": {} });
    let nobody = rig.api.command(SESSION, "g", "edit_artifact", nobody).await;
    nobody.refused(404, "no_artifact");
    let more = json!({ "artifact": "art_none", "content": {}, "wish": "x" });
    let more = rig.api.command(SESSION, "h", "edit_artifact", more).await;
    more.refused(422, "bad_payload");
    assert_eq!(rig.api.session(SESSION).await, before);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_content_is_put_back_under_its_tag() {
    let rig = Rig::with([]).await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let (made, mut page) = now(&rig.api, "ppt_html", "2").await;
    let path = made["content"].as_str().expect("a path").to_owned();
    let tag = rig.api.get(&path).await.header("etag");
    own_words(&mut page);
    let put = async |path: &str, tag: Option<&str>| {
        let mut headers = vec![("content-type", "application/json")];
        headers.extend(tag.map(|tag| ("if-match", tag)));
        let body = Some(page.to_string().into_bytes());
        rig.api.send(Method::PUT, path, &headers, body).await
    };
    put(&path, None).await.refused(428, "no_if_match");
    put(&path, Some("\"other\""))
        .await
        .refused(412, "not_current");
    let plan = put(&format!("{path}?dry_run=true"), Some(&tag))
        .await
        .succeeded();
    let plan = &plan["plan"];
    assert_eq!(
        (&plan["intent"], &plan["calls"]),
        (&json!("edit"), &json!(0)),
        "{plan:#}"
    );
    assert_eq!(rig.api.session(SESSION).await["head"], "r1");
    let all = put(&format!("{path}?dry_run=true&following=redone"), Some(&tag)).await;
    assert_eq!(
        all.succeeded()["plan"]["calls"],
        0,
        "nothing that is asked for follows from a page"
    );

    put(&path, Some(&tag)).await.succeeded();
    rig.end(SESSION, "r2", "run_completed").await;
    let (_, page) = now(&rig.api, "ppt_html", "2").await;
    assert_eq!(page["spec"]["title"], OWN);
    // Somebody else has the version before in hand.
    put(&path, Some(&tag)).await.refused(412, "not_current");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_spoken_follows_at_once_and_what_is_shown_is_made_again_where_that_is_wanted() {
    let rig = Rig::with([]).await;
    rig.api.open(&opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;

    // Other words of the speaker change nothing on the page, but are its words from then on.
    let asked = asked_so_far(&rig).await;
    let spoken = |scripts: &mut Value| {
        let said = scripts[1]["narrationScript"].as_str().expect("words");
        scripts[1]["narrationScript"] = json!(format!("{said} {OWN}."));
    };
    let told = edited(&rig, "a", ("slide_scripts", ""), "stays", spoken).await;
    assert_eq!(told.succeeded()["run"], "r2");
    rig.end(SESSION, "r2", "run_completed").await;
    assert_eq!(asked_since(&rig, asked).await, [""; 0]);
    let (_, page) = now(&rig.api, "ppt_html", "2").await;
    assert!(page["speakNotes"].as_str().expect("notes").contains(OWN));

    // An edit of what page 3 shows, with everything that follows from it made again: only that page is asked for.
    let shown = |scripts: &mut Value| scripts[2]["visualSuggestions"] = json!(OWN);
    let asked = asked_so_far(&rig).await;
    let told = edited(&rig, "b", ("slide_scripts", ""), "redone", shown).await;
    assert_eq!(told.succeeded()["run"], "r3");
    rig.end(SESSION, "r3", "run_completed").await;
    assert_eq!(asked_since(&rig, asked).await, ["slide"]);

    // A page that stayed when its script was edited is made again after a later edit that asks for what follows to be redone.
    for (id, run, words, following, wanted) in [
        ("c", "r4", "as it stays", "stays", &[][..]),
        ("d", "r5", "as it is made", "redone", &["slide"][..]),
    ] {
        let shown = |scripts: &mut Value| scripts[1]["visualSuggestions"] = json!(words);
        let asked = asked_so_far(&rig).await;
        let told = edited(&rig, id, ("slide_scripts", ""), following, shown).await;
        assert_eq!(told.succeeded()["run"], run);
        rig.end(SESSION, run, "run_completed").await;
        assert_eq!(asked_since(&rig, asked).await, wanted, "{following}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_a_post_is_a_persons_and_its_pictures_stay() {
    let script = post::script_with(vec![], json!({}));
    let rig = Rig::playing(&script, &[]).await;
    rig.api
        .open(&post::opening(SESSION, json!({ "width": 1 })))
        .await;
    rig.end(SESSION, "r1", "run_completed").await;
    let (_, before) = now(&rig.api, "post", "").await;
    let asked = rig.model.journal().await.paid();

    let told = edited(&rig, "a", ("content", ""), "stays", |text| {
        text["title"] = json!(OWN);
    });
    assert_eq!(told.await.succeeded()["run"], "r2");
    rig.end(SESSION, "r2", "run_completed").await;
    let (_, after) = now(&rig.api, "post", "").await;
    assert_eq!(after["title"], OWN);
    assert_eq!(after["images"], before["images"], "{after:#}");
    let paid = rig.model.journal().await.paid();
    assert_eq!(paid, asked, "no picture is drawn anew, and nobody is asked");

    let says = edited(&rig, "b", ("content", ""), "stays", |text| {
        text["bodyBlocks"] = json!([]);
    });
    let says = says.await.refused(422, "bad_content");
    assert!(says.contains("/bodyBlocks"), "{says}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_a_person_wrote_stands_in_the_report() {
    let reports = Reports::with(&[]).await;
    let settings = json!({ "width": 1, "options": { "require_confirm": false } });
    reports.asked_with(SESSION, [], settings).await;
    reports.end(SESSION, "r1", "run_completed").await;
    let rig = &reports.rig;
    let asked = rig.model.journal().await.paid();
    let own = format!("{OWN}, in a sentence of their own.");
    let told = edited(rig, "a", ("section", "2"), "stays", |section| {
        section["content"] = json!(own);
    });
    assert_eq!(told.await.succeeded()["run"], "r2");
    reports.end(SESSION, "r2", "run_completed").await;
    assert_eq!(rig.model.journal().await.paid(), asked);
    let text = reports.content(SESSION, "markdown").await;
    assert!(text.contains(&own), "{text}");
    let says = edited(rig, "b", ("section", "2"), "stays", |section| {
        section["title"] = json!("Another heading");
    });
    let says = says.await.refused(422, "bad_content");
    assert!(says.contains("/title"), "{says}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_that_a_person_wrote_is_drawn_and_not_mended() {
    let rig = Rig::playing(&deck::script(None), &NO_CURATOR).await;
    rig.api.open(&deck::opening(SESSION)).await;
    rig.end(SESSION, "r1", "run_completed").await;
    let asked = rig.model.journal().await.paid();
    let told = edited(&rig, "a", ("deck", ""), "stays", |deck| {
        let text = deck["dsl_text"].as_str().expect("a text");
        deck["dsl_text"] = json!(text.replace("Fields drink", OWN));
    });
    assert_eq!(told.await.succeeded()["run"], "r2");
    rig.end(SESSION, "r2", "run_completed").await;
    let paid = rig.model.journal().await.paid();
    assert_eq!(
        paid,
        asked,
        "nobody is asked: {:#?}",
        rig.model.journal().await
    );
    let view = rig.api.session(SESSION).await;
    assert_eq!(view["head"], "r2", "{view:#}");
    let artifacts = view["artifacts"].as_array().expect("artifacts").iter();
    let mut text = artifacts.filter(|made| made["kind"] == "sdsl" && made["current"] == true);
    let path = text.next().expect("it")["content"]
        .as_str()
        .expect("a path")
        .to_owned();
    let text = String::from_utf8(rig.api.bytes(&path).await).expect("a text");
    assert!(text.contains(OWN), "{text}");
    let says = edited(&rig, "b", ("deck", ""), "stays", |deck| {
        let text = deck["dsl_text"].as_str().expect("a text");
        deck["dsl_text"] = json!(text.replace("@type: bullet_points", "@type: nonsense"));
    });
    let says = says.await.refused(422, "bad_content");
    assert!(says.contains("line "), "{says}");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_outline_is_shown_where_that_is_wanted_and_is_the_persons_once_they_changed_it() {
    let rig = Rig::with([]).await;
    let mut request = opening(SESSION);
    request["input"]["confirmOutline"] = json!(true);
    request["settings"]["attended"] = json!(true);
    rig.api.open(&request).await;
    let mut follow = Follow::new(&rig.api, SESSION, "native");
    let is_gate = |frame: &Value| frame["type"] == "gate_opened";
    let sent_back = follow.until("a question", is_gate).await;
    assert_eq!(sent_back["data"]["name"], "outline");
    let answer = async |id: &str, gate: &Value, answer: Value| {
        let payload = json!({ "gate": gate["data"]["gate"], "answer": answer });
        rig.api.command(SESSION, id, "answer_gate", payload).await
    };
    let no = json!({ "confirm": false, "feedback": "begin with the leaf" });
    answer("no", &sent_back, no).await.succeeded();
    let another =
        |frame: &Value| is_gate(frame) && frame["data"]["gate"] != sent_back["data"]["gate"];
    let gate = follow.until("another question", another).await;
    let empty = json!({ "confirm": true, "edits": { "knowledgeUnits": [] } });
    answer("a", &gate, empty).await.refused(422, "bad_edits");
    let edits = json!({ "confirm": true, "edits": { "theme": OWN } });
    answer("b", &gate, edits).await.succeeded();
    follow.end("r1", "run_completed").await;
    let (made, outline) = now(&rig.api, "video_outline", "").await;
    assert_eq!(
        (&outline["theme"], &made["number"]),
        (&json!(OWN), &json!(3))
    );
}

/// Carries out commands one after the other, each a run of its own from `r3` on; after each what a person wrote is still there.
async fn outlives(rig: &Rig, commands: &[(&str, Value)], is_there: impl AsyncFn() -> bool) {
    for (run, (command, payload)) in (3..).zip(commands) {
        let run = format!("r{run}");
        let mut payload = payload.clone();
        payload["settings"] = json!({ "width": 1 });
        let told = rig.api.command(SESSION, &run, command, payload.clone());
        assert_eq!(told.await.succeeded()["run"], run, "{payload}");
        rig.end(SESSION, &run, "run_completed").await;
        assert!(is_there().await, "{command} {payload}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_section_that_a_person_wrote_outlives_five_changes_of_other_kinds() {
    let reports = Reports::with(&[]).await;
    let settings = json!({ "width": 1, "options": { "require_confirm": false } });
    reports.asked_with(SESSION, [], settings).await;
    reports.end(SESSION, "r1", "run_completed").await;
    let own = format!("{OWN}, in a sentence of their own.");
    let told = edited(&reports.rig, "a", ("section", "2"), "stays", |section| {
        section["content"] = json!(own);
    });
    told.await.succeeded();
    reports.end(SESSION, "r2", "run_completed").await;
    let word =
        |items: Value| json!({ "stage": "sections", "items": items, "feedback": "say it calmly" });
    let changes = [
        ("refine", word(json!(["1"]))),
        ("restart_step", json!({ "stage": "sections", "item": "3" })),
        ("refine", word(json!(["1", "3"]))),
        ("refine", word(json!([]))),
        ("restart_step", json!({ "stage": "sections", "item": "1" })),
    ];
    outlives(&reports.rig, &changes, async || {
        reports.content(SESSION, "markdown").await.contains(&own)
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn the_text_of_a_post_that_a_person_wrote_outlives_five_changes_of_other_kinds() {
    let rig = Rig::playing(&post::script_with(vec![], json!({})), &[]).await;
    rig.api
        .open(&post::opening(SESSION, json!({ "width": 1 })))
        .await;
    rig.end(SESSION, "r1", "run_completed").await;
    let told = edited(&rig, "a", ("content", ""), "stays", |text| {
        text["title"] = json!(OWN);
    });
    told.await.succeeded();
    rig.end(SESSION, "r2", "run_completed").await;
    let word =
        |stage: &str, items: Value| json!({ "stage": stage, "items": items, "feedback": "calmer" });
    let changes = [
        ("refine", word("images", json!(["1"]))),
        ("restart_step", json!({ "stage": "images", "item": "2" })),
        ("refine", word("image_plan", json!([]))),
        ("refine", word("layout", json!([]))),
        ("refine", word("review", json!([]))),
    ];
    outlives(&rig, &changes, async || {
        now(&rig.api, "post", "").await.1["title"] == OWN
    })
    .await;
}
