//! Pictures in a course, on the built program: on the cover and where a page has a place for one, in every form of the deck, and
//! none where nobody wants them.

use serde_json::{Value, json};

use crate::support::course::{PAGE_1, TURNS, opening, rule};
use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run};
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
    // A file of the format contains the names of its parts.
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

/// The pictures that stand on the pages of a run that was made from this source, as hashes, and what its account says of the file.
async fn made_from(place: &TestFolder, source: &str, out: &str) -> (Vec<String>, String) {
    let mut arguments = vec!["run", "course", "Leaves for beginners"];
    arguments.extend(["--model", "offline", "--source", source, "--out", out]);
    let ended = run(palimpsest(place), &arguments).await.with(0);
    let folder = std::fs::read_dir(place.file(out).join("artifacts")).expect("a folder");
    let mut shown = vec![];
    for file in folder {
        let path = file.expect("an entry").path();
        let made: Value =
            serde_json::from_slice(&std::fs::read(&path).expect("a file")).expect("JSON");
        let hash = made["spec"]["picture"]["sha256"].as_str();
        shown.extend(hash.map(str::to_owned));
    }
    (shown, ended.out + &ended.err)
}

#[tokio::test]
async fn a_picture_in_a_presentation_or_a_pdf_stands_on_a_page_of_the_next_course() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("notes")).expect("a folder");
    let text = "# Leaves\n\nA leaf has two sides.\n\n![A leaf from above](leaf.png)\n\nIts lower side has openings.\n";
    place.write("notes/leaves.md", text);
    let picture = image::RgbImage::from_fn(320, 240, |x, y| {
        image::Rgb([
            u8::try_from(x % 256).unwrap_or(0),
            u8::try_from(y).unwrap_or(0),
            90,
        ])
    });
    picture
        .save(place.file("notes/leaf.png"))
        .expect("a picture");
    let (shown, _) = made_from(&place, "notes", "first").await;
    assert_eq!(shown.len(), 1);
    for (deck, out) in [("first/deck.pptx", "second"), ("first/deck.pdf", "third")] {
        let (shown, said) = made_from(&place, deck, out).await;
        assert_eq!(shown.len(), 1, "{deck}: {said}");
        // It is a file of the session from then on, which the log names.
        let log = std::fs::read_to_string(place.file(out).join("log.jsonl")).expect("a log");
        let is_file = |line: &&str| line.contains("file_put") && line.contains(&shown[0]);
        assert!(log.lines().any(|line| is_file(&line)), "{deck}");
        let file = std::fs::read(place.file(out).join("deck.pptx")).expect("a deck");
        let name = b"ppt/media/";
        assert!(file.windows(name.len()).any(|part| part == name), "{deck}");
    }
}

#[tokio::test]
async fn a_picture_in_a_document_stands_on_a_slide_of_a_deck_and_beside_its_text() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("notes")).expect("a folder");
    place.write(
        "notes/quay.md",
        "# Quay\n\nThe quay is 300 m long.\n\n![The quay](quay.png)\n",
    );
    let picture = image::RgbImage::from_pixel(200, 150, image::Rgb([20, 90, 160]));
    picture
        .save(place.file("notes/quay.png"))
        .expect("a picture");
    made_from(&place, "notes", "first").await;
    let mut arguments = vec!["run", "deck", "The quay", "--model", "offline"];
    arguments.extend(["--source", "first/deck.pptx", "--out", "second"]);
    run(palimpsest(&place), &arguments).await.with(0);
    let file = |name: &str| std::fs::read(place.file("second").join(name)).expect("a file");
    let text = String::from_utf8(file("deck.sdsl")).expect("UTF-8");
    let image = text.lines().find_map(|line| line.strip_prefix("@image: "));
    let image = image.unwrap_or_else(|| panic!("{text}"));
    assert!(image.starts_with("pictures/deck-"), "{image}");
    assert!(file(image).len() > 100, "it lies beside the deck");
    let pptx = file("deck.pptx");
    let name = b"ppt/media/";
    assert!(pptx.windows(name.len()).any(|part| part == name));
}
