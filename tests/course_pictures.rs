//! Pictures in a course, on the built program: on the cover and where a page has a place for one, in every form of the deck, and
//! none where nobody wants them.

use serde_json::{Value, json};

use crate::support::course::{PAGE_1, TURNS, opening, rule};
use crate::support::rig::Rig;
use crate::support::scripted::{Journal, PICTURES};

/// A second page with a place for a picture.
fn beside_text() -> Value {
    let slide = json!({
        "layout": "image_text", "title": "Water and carbon dioxide become sugar", "illustration": "leaf",
        "text": "A leaf takes water from the roots and carbon dioxide from the air.", "points": ["Sugar that feeds the plant"],
    });
    let answer = json!({ "answer": { "slide": slide } });
    rule(TURNS[PAGE_1 + 1], None, answer)
}

/// How many pictures were asked for.
fn drawn(journal: &Journal) -> usize {
    let requests = journal.requests().iter();
    requests
        .filter(|request| request["schema"].is_null())
        .count()
}

/// The latest pages in their order.
async fn pages(rig: &Rig) -> Vec<Value> {
    let view = rig.api.session("s").await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    let mut pages = vec![];
    for artifact in artifacts.iter().filter(|made| made["kind"] == "ppt_html") {
        let place = artifact["content"].as_str().expect("a path");
        let page: Value = serde_json::from_slice(&rig.api.bytes(place).await).expect("JSON");
        pages.push(page);
    }
    pages.sort_by_key(|page| page["slideIndex"].as_u64());
    pages
}

async fn pptx(rig: &Rig) -> Vec<u8> {
    let view = rig.api.session("s").await;
    let artifacts = view["artifacts"].as_array().expect("artifacts");
    let made = artifacts.iter().rfind(|made| made["kind"] == "pptx");
    let place = made.expect("a file")["content"].as_str().expect("a path");
    rig.api.bytes(place).await.to_vec()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_cover_and_a_page_with_a_place_for_it_have_pictures_until_nobody_wants_them() {
    let rig = Rig::with_settings([beside_text()], &[PICTURES]).await;
    rig.api.open(&opening("s")).await;
    rig.end("s", "r1", "run_completed").await;
    assert_eq!(drawn(&rig.model.journal().await), 2);
    let made = pages(&rig).await;
    for (page, has_picture) in made.iter().zip([true, true, false, false]) {
        let html = page["html"].as_str().expect("HTML");
        assert_eq!(html.contains("<img"), has_picture, "{page}");
        assert_eq!(page["spec"]["picture"].is_object(), has_picture);
        assert_eq!(page["notes"], Value::Null, "{page}");
    }
    // A file of the format names what it has.
    let file = pptx(&rig).await;
    let names = |name: &str| file.windows(name.len()).any(|part| part == name.as_bytes());
    assert!(names("ppt/media/"));

    let change = json!({ "stage": "generate_slides", "feedback": "remove the pictures", "settings": { "width": 1 } });
    let refined = rig.api.command("s", "c2", "refine", change).await;
    assert_eq!(refined.succeeded()["run"], "r2");
    rig.end("s", "r2", "run_completed").await;
    assert_eq!(drawn(&rig.model.journal().await), 2);
    let made = pages(&rig).await;
    let last = &made[made.len() - 1];
    assert_eq!(last["spec"]["picture"], Value::Null);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_that_cannot_be_made_leaves_its_page_with_a_word_about_it() {
    let refused = json!({ "when": { "endpoint": "images" }, "status": 400 });
    let rig = Rig::with_settings([beside_text(), refused], &[PICTURES]).await;
    rig.api.open(&opening("s")).await;
    rig.end("s", "r1", "run_completed").await;
    for page in &pages(&rig).await[..2] {
        assert_eq!(page["spec"]["picture"], Value::Null);
        let notes = page["notes"].to_string();
        assert!(notes.contains("This page has no picture"), "{page}");
    }
}
