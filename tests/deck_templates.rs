//! Decks in PowerPoint templates that others made, through the command line.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::folder::TestFolder;
use crate::support::program::{deck, palimpsest, run};
use crate::support::rig::Rig;
use crate::support::{python, python_has, root};

/// Makes a template of the one that python-pptx brings, with two slides and notes of its own.
const TEMPLATE: &str = "import sys, pptx
deck = pptx.Presentation()
for at in (0, 1):
    slide = deck.slides.add_slide(deck.slide_layouts[at])
    slide.shapes.title.text = 'A slide of the template'
    slide.notes_slide.notes_text_frame.text = 'Notes of the template'
deck.save(sys.argv[1])";

/// What python-pptx reads of a file.
const READER: &str = "import sys, json, pptx
def told(path):
    deck = pptx.Presentation(path)
    slides = []
    for slide in deck.slides:
        held = {str(s.placeholder_format.type).split('.')[-1].split(' ')[0]: s.text_frame.text
                for s in slide.placeholders if s.has_text_frame}
        slides.append({'layout': slide.slide_layout.name, 'held': held,
                       'placed': any(s._element.spPr.xfrm is not None for s in slide.placeholders if s.has_text_frame),
                       'notes': slide.notes_slide.notes_text_frame.text if slide.has_notes_slide else None})
    return {'masters': [[l.name for l in m.slide_layouts] for m in deck.slide_masters],
            'size': [deck.slide_width, deck.slide_height], 'slides': slides,
            'parts': sorted(str(p.partname) for p in deck.part.package.iter_parts())}
print(json.dumps([told(p) for p in sys.argv[1:]]))";

const DECK: &str = "---\ntitle: Harbour\ncompany: Port\ntemplate: corporate.pptx\n---\n# A\n@type: title\n## The harbour report\n\
    ### For the council\n---\n# B\n@type: bullet_points\n## Ships came earlier\n- Forty ships\n  - ten at night\n- None late\n\
    @notes: Say who counted.\n---\n# C\n@type: two_column\n## Before and now\n@col:\n  ## Before\n  - slow\n@col:\n  ## Now\n\
    \x20 - fast\n---\n# D\n@type: section_divider\n## What follows\n---\n# E\n@type: stat_callout\n## Two figures\n\
    @stat: 94 % | Berths in use\n@stat: 12 | Cranes\n---\n# F\n@type: closing\n## Questions?\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_stands_in_the_template_it_names() {
    if !python_has("pptx").await {
        return;
    }
    let place = TestFolder::new();
    let (given, made) = (place.file("corporate.pptx"), place.file("out/deck.pptx"));
    python(TEMPLATE, std::slice::from_ref(&given)).await;
    place.write("d.sdsl", DECK);
    let ended = deck(&place, &["render", "d.sdsl", "--out", "out"])
        .await
        .with(0);
    assert!(
        ended
            .out
            .contains("in the template corporate.pptx, pages of 10.00 x 7.50 inches"),
        "{}",
        ended.out
    );
    let told: Value = serde_json::from_str(&python(READER, &[given, made]).await).expect("JSON");
    let (before, after) = (&told[0], &told[1]);
    assert_eq!(after["masters"], before["masters"]);
    assert_eq!(after["size"], before["size"]);
    let slides = after["slides"].as_array().expect("slides");
    let layouts: Vec<&str> = slides
        .iter()
        .map(|slide| slide["layout"].as_str().expect("a name"))
        .collect();
    let expected = [
        "Title Slide",
        "Title and Content",
        "Two Content",
        "Section Header",
        "Title Only",
        "Title Slide",
    ];
    assert_eq!(layouts, expected);
    let held = |at: usize| &slides[at]["held"];
    assert_eq!(held(0)["CENTER_TITLE"], "The harbour report");
    assert_eq!(held(0)["SUBTITLE"], "For the council");
    assert_eq!(held(1)["TITLE"], "Ships came earlier");
    assert_eq!(held(1)["OBJECT"], "Forty ships\nten at night\nNone late");
    assert_eq!(held(1)["FOOTER"], "Harbour · Port");
    assert_eq!(held(2)["OBJECT"], "Now\nfast");
    assert_eq!(held(4)["TITLE"], "Two figures");
    assert!(
        slides.iter().all(|slide| slide["placed"] == false),
        "{slides:#?}"
    );
    assert_eq!(slides[1]["notes"], "Say who counted.");
    let text = after.to_string();
    assert!(!text.contains("of the template"), "its own slides are gone");
    let report = std::fs::read(place.file("out/qa_report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["passed"], true, "{report:#}");
    let stood = std::fs::read(place.file("out/template_layouts.json")).expect("layouts");
    let stood: Value = serde_json::from_slice(&stood).expect("JSON");
    assert_eq!(
        stood["slides"][3]["matched_template_layout"],
        "Section Header"
    );
    // A map beside the template is followed, and so is another template on the command line.
    place.write("corporate.pptx.map.json", r#"{"closing": "Title Only"}"#);
    let again = [
        "render",
        "d.sdsl",
        "--template",
        "corporate.pptx",
        "--out",
        "out",
    ];
    for arguments in [&again[..2], &again[..4]] {
        let arguments = [arguments, &again[4..]].concat();
        deck(&place, &arguments).await.with(0);
        let stood = std::fs::read(place.file("out/template_layouts.json")).expect("layouts");
        let stood: Value = serde_json::from_slice(&stood).expect("JSON");
        assert_eq!(stood["slides"][5]["matched_template_layout"], "Title Only");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_template_is_shown_with_a_slide_of_each_type_and_a_map_to_edit() {
    if !python_has("pptx").await {
        return;
    }
    let place = TestFolder::new();
    python(TEMPLATE, &[place.file("corporate.pptx")]).await;
    let ended = deck(
        &place,
        &["template", "check", "corporate.pptx", "--out", "shown"],
    )
    .await
    .with(0);
    assert!(
        ended.out.contains("two_column: Two Content"),
        "{}",
        ended.out
    );
    let read = |name: &str| std::fs::read_to_string(place.file("shown").join(name)).expect(name);
    let map: Value = serde_json::from_str(&read("corporate.pptx.map.json")).expect("JSON");
    assert_eq!(map.as_object().expect("a map").len(), 13);
    assert_eq!(map["closing"], "Title Slide");
    assert_eq!(read("template_check.html").matches("<figure>").count(), 13);
    let told = python(READER, &[place.file("shown/template_check.pptx")]).await;
    let told: Value = serde_json::from_str(&told).expect("JSON");
    assert_eq!(told[0]["slides"].as_array().expect("slides").len(), 13);
    // The map that was written can be used as input unchanged.
    let again = [
        "template",
        "check",
        "corporate.pptx",
        "--map",
        "shown/corporate.pptx.map.json",
        "--out",
        "again",
    ];
    deck(&place, &again).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn templates_that_cannot_be_used_are_refused_before_anything_is_drawn() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("decks")).expect("a folder");
    place.write("secret.pptx", "none of yours");
    place.write("decks/text.potx", "no archive");
    std::os::unix::fs::symlink(place.file("secret.pptx"), place.file("decks/link.pptx"))
        .expect("linked");
    for (named, says) in [
        ("../secret.pptx", "outside of the deck's folder"),
        ("/etc/passwd", "outside of the deck's folder"),
        ("link.pptx", "outside of the deck's folder"),
        ("gone.pptx", "there is no such file"),
        ("text.potx", "not a .pptx or .potx file"),
    ] {
        place.write(
            "decks/d.sdsl",
            &format!("---\ntemplate: {named}\n---\n# A\n## B\n"),
        );
        let ended = deck(&place, &["render", "decks/d.sdsl", "--out", "out"])
            .await
            .with(2);
        assert!(ended.err.contains(says), "{named}: {}", ended.err);
        assert!(!place.file("out").exists(), "{named}");
    }
    let example = root().join("examples/decks/q3-platform.sdsl");
    let example = example.display().to_string();
    let arguments = ["render", &example, "--map", "m.json", "--out", "out"];
    let ended = deck(&place, &arguments).await.with(2);
    assert!(
        ended.err.contains("a map of layouts is for a template"),
        "{}",
        ended.err
    );
    let arguments = ["template", "check", "gone.potx", "--out", "out"];
    deck(&place, &arguments).await.with(2);
    assert!(!place.file("out").exists());
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_draws_in_the_template_that_it_is_given() {
    if !python_has("pptx").await {
        return;
    }
    let place = TestFolder::new();
    let (given, made) = (place.file("corporate.potx"), place.file("out/deck.pptx"));
    python(TEMPLATE, std::slice::from_ref(&given)).await;
    let notes = root().join("examples/decks/q3-notes.md");
    let source = notes.display().to_string();
    let arguments = [
        "run",
        "deck",
        "Q3 data platform update for leadership",
        "--source",
        &source,
        "--template",
        "corporate.potx",
        "--model",
        "offline",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let text = std::fs::read_to_string(place.file("out/deck.sdsl")).expect("a deck");
    assert!(text.contains("template: \"corporate.potx\""), "{text}");
    let named = |line: &str| {
        line.strip_prefix("@matched_template_layout: ")
            .map(str::to_owned)
    };
    let chosen: Vec<String> = text.lines().filter_map(named).collect();
    let told: Value = serde_json::from_str(&python(READER, &[given, made]).await).expect("JSON");
    let (before, after) = (&told[0], &told[1]);
    assert_eq!(after["masters"], before["masters"]);
    assert_eq!(after["size"], before["size"]);
    let slides = after["slides"].as_array().expect("slides");
    let layouts: Vec<&str> = slides
        .iter()
        .map(|slide| slide["layout"].as_str().expect("a name"))
        .collect();
    // A slide that is continued on a further page has the same layout there.
    let mut drawn = layouts.clone();
    drawn.dedup();
    let mut written = chosen.clone();
    written.dedup();
    assert_eq!(drawn, written, "{text}");
    assert_eq!(layouts[0], "Title Slide");
    assert!(layouts.contains(&"Title and Content"), "{layouts:?}");
    assert!(!after.to_string().contains("of the template"));
    let report = std::fs::read(place.file("out/qa_report.json")).expect("a report");
    let report: Value = serde_json::from_slice(&report).expect("JSON");
    assert_eq!(report["passed"], true, "{report:#}");
    let log = std::fs::read_to_string(place.file("out/log.jsonl")).expect("a log");
    let of_material = "A slide of the template";
    assert!(!log.contains(of_material), "a template is no material");
}

/// The PowerPoint file of a deck that the program has drawn. It can be used as a template, with layouts of known names.
async fn drawn_template(place: &TestFolder) -> Vec<u8> {
    place.write("own.sdsl", "# A\n@type: title\n## A slide of the template\n---\n# B\n@type: two_column\n## Two\n@col:\n  - a\n@col:\n  - b\n");
    deck(place, &["render", "own.sdsl", "--out", "own"])
        .await
        .with(0);
    std::fs::read(place.file("own/deck.pptx")).expect("a template")
}

const WRITTEN: &str = "# Opening\n@type: title\n## Rain\n---\n# Water\n@type: bullet_points\n@matched_template_layout: Title\n\
    ## Rain brings water to the fields of the valley\n- Fields drink\n- Rivers rise\n@notes: Said.\n---\n# End\n@type: closing\n\
    ## Thank you\n";

fn answers() -> Value {
    let rule = |system: &str, answer: &str| json!({ "when": { "system_contains": system }, "answer": answer });
    let nothing = json!({ "issues": [], "summary": "Looked." }).to_string();
    json!({ "rules": [
        rule("You read a request for a presentation", "{\"key_messages\": []}"),
        rule("You are a presentation architect.", WRITTEN),
        rule("You inspect a deck of slides", &nothing),
    ] })
}

async fn generated(rig: &Rig, path: &str, bytes: Vec<u8>, more: Value) -> Value {
    let name = path.rsplit('/').next().expect("a name");
    let uploaded = rig
        .api
        .send(
            Method::POST,
            &format!("/v1/files?name={name}"),
            &[("content-type", "application/octet-stream")],
            Some(bytes),
        )
        .await
        .succeeded();
    let mut asked = json!({
        "user_input": "A deck about rain", "session": "s", "settings": { "language": "en", "width": 1 },
        "attachments": [{ "path": path, "file": uploaded["file"] }],
    });
    for (name, value) in more.as_object().expect("fields") {
        asked[name] = value.clone();
    }
    rig.api
        .post("/api/decks:generate", &asked)
        .await
        .succeeded()
}

#[tokio::test(flavor = "multi_thread")]
async fn what_of_a_source_no_model_was_given_is_said_in_the_answer() {
    let rig = Rig::playing(&answers(), &[]).await;
    let long = "It rains on the hills of the west for half of the year. ".repeat(1_600);
    let made = generated(&rig, "rain.txt", long.into_bytes(), json!({})).await;
    assert_eq!(made["status"], "completed", "{made:#}");
    let said = made["errors"].to_string();
    assert!(
        said.contains("rain.txt") && said.contains(" characters given"),
        "{said}"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn the_writer_is_told_the_layouts_of_the_template_and_its_choice_is_drawn() {
    let mut script = answers();
    let rules = script["rules"].as_array_mut().expect("rules");
    rules.push(json!({ "when": { "system_contains": "You mend a deck of slides" }, "answer": "There is nothing to mend." }));
    let rig = Rig::playing(&script, &[]).await;
    let template = drawn_template(&rig.place).await;
    let more = json!({ "template": "corporate.pptx" });
    let made = generated(&rig, "corporate.pptx", template, more).await;
    assert_eq!(made["status"], "completed", "{made:#}");
    let text = made["dsl_text"].as_str().expect("a deck");
    let deck = &made["presentation"];
    assert_eq!(deck["meta"]["template"], "corporate.pptx", "{text}");
    let layout = |at: usize| &deck["slides"][at]["matched_template_layout"];
    assert_eq!((layout(0), layout(1)), (&json!("Title"), &json!("Title")));
    let asked = rig.model.journal().await;
    let all: Vec<String> = asked
        .requests()
        .iter()
        .map(|request| request["body"].to_string())
        .collect();
    let told = all.iter().any(|body| body.contains("- Two columns: "));
    assert!(told, "the layouts are in the prompt of the writer");
    assert!(
        all.iter()
            .all(|body| !body.contains("A slide of the template")),
        "a template is no material"
    );
    let pptx = rig.api.bytes("/api/decks/s.pptx").await;
    assert!(pptx.starts_with(b"PK"));
    let again = rig.place.file("again.pptx");
    std::fs::write(&again, &pptx).expect("written");
    if python_has("pptx").await {
        let told = python(READER, &[again]).await;
        let told: Value = serde_json::from_str(&told).expect("JSON");
        let slides = told[0]["slides"].as_array().expect("slides");
        assert_eq!(slides.len(), 3, "{told:#}");
        assert_eq!(slides[1]["layout"], "Title", "{told:#}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_slide_that_is_mended_into_another_type_and_a_newer_template_get_other_layouts() {
    let issue = json!({ "slide": 2, "category": "storyline", "severity": "critical", "description": "Show both sides." });
    let found = json!({ "issues": [issue], "summary": "Looked." }).to_string();
    let two = "@type: two_column\n@matched_template_layout: Title\n## Rain brings water to the fields of the valley\n\
        @col:\n  - Fields drink\n@col:\n  - Rivers rise\n@notes: Said.\n";
    let (before, after) = WRITTEN.split_once("@type: bullet_points").expect("a slide");
    let (_, after) = after.split_once("@notes: Said.\n").expect("notes");
    let mut script = answers();
    let rules = script["rules"].as_array_mut().expect("rules");
    rules.insert(0, json!({ "when": { "system_contains": "You inspect a deck of slides", "occurrence": 1 }, "answer": found }));
    rules.push(json!({ "when": { "system_contains": "You mend a deck of slides" }, "answer": format!("{before}{two}{after}") }));
    let rig = Rig::playing(&script, &[]).await;
    let template = drawn_template(&rig.place).await;
    let made = generated(&rig, "template/first.pptx", template.clone(), json!({})).await;
    let deck = &made["presentation"];
    assert_eq!(deck["meta"]["template"], "first.pptx", "{made:#}");
    assert_eq!(deck["slides"][1]["slide_type"], "two_column", "{made:#}");
    let layout = deck["slides"][1]["matched_template_layout"].as_str();
    assert!(layout.is_some_and(|layout| layout != "Title"), "{deck:#}");
    // The name of the newer one comes before the other.
    let made = generated(&rig, "template/a-second.pptx", template, json!({})).await;
    assert_eq!(made["status"], "completed", "{made:#}");
    let deck = &made["presentation"];
    assert_eq!(deck["meta"]["template"], "a-second.pptx", "{made:#}");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_run_with_a_template_that_cannot_be_used_ends_before_a_model_is_asked() {
    let cases = [
        (
            "template/text.potx",
            "no archive",
            json!({}),
            "`text.potx` cannot be used: the template is not a .pptx",
        ),
        (
            "notes.md",
            "# Notes",
            json!({ "template": "gone.potx" }),
            "`gone.potx` was not given",
        ),
    ];
    for (path, content, more, says) in cases {
        let rig = Rig::playing(&answers(), &[]).await;
        let made = generated(&rig, path, content.into(), more).await;
        assert_eq!(made["status"], "failed", "{made:#}");
        assert!(made["errors"].to_string().contains(says), "{made:#}");
        let asked = rig.model.journal().await;
        assert_eq!(asked.requests().len(), 0, "{path}: nobody was asked");
    }
}

/// A form with these fields: name, file name where it is a file, content.
fn form(fields: &[(&str, Option<&str>, &[u8])]) -> Vec<u8> {
    let mut body = vec![];
    for (name, file, content) in fields {
        let file = file.map_or(String::new(), |file| format!("; filename=\"{file}\""));
        let head =
            format!("--edge\r\nContent-Disposition: form-data; name=\"{name}\"{file}\r\n\r\n");
        body.extend_from_slice(head.as_bytes());
        body.extend_from_slice(content);
        body.extend_from_slice(b"\r\n");
    }
    body.extend_from_slice(b"--edge--\r\n");
    body
}

const SENT: &str = "---\ntemplate: corporate.pptx\n---\n# A\n@type: title\n## Rain\n---\n# B\n@type: image_text\n\
    @image: pictures/quay.png\n## The quay of the harbour\n- Ships\n";

#[tokio::test(flavor = "multi_thread")]
async fn a_text_is_drawn_with_the_files_that_are_sent_with_it() {
    let rig = Rig::playing(&answers(), &[]).await;
    let template = drawn_template(&rig.place).await;
    let mut picture = std::io::Cursor::new(vec![]);
    image::RgbImage::from_pixel(40, 30, image::Rgb([10, 90, 160]))
        .write_to(&mut picture, image::ImageFormat::Png)
        .expect("a picture");
    let picture = picture.into_inner();
    let sent = |fields: Vec<(&'static str, Option<&'static str>, Vec<u8>)>| {
        let parts: Vec<_> = fields
            .iter()
            .map(|(name, file, content)| (*name, *file, content.as_slice()))
            .collect();
        let body = form(&parts);
        let api = rig.api.clone();
        async move {
            let headers = [("content-type", "multipart/form-data; boundary=edge")];
            api.send(Method::POST, "/api/decks:render", &headers, Some(body))
                .await
        }
    };
    let text = || ("dsl", None, SENT.as_bytes().to_vec());
    let quay = || ("files", Some("quay.png"), picture.clone());
    let corporate = || ("files", Some("corporate.pptx"), template.clone());
    let report = || ("format", None, b"report".to_vec());
    let told = sent(vec![text(), quay(), corporate(), report()])
        .await
        .succeeded();
    let issues = told["issues"].to_string();
    assert!(
        !issues.contains("missing_image") && !issues.contains("is not used"),
        "{told:#}"
    );
    let file = sent(vec![text(), quay(), corporate()]).await;
    assert_eq!(file.header("x-deck-pages"), "2");
    // Without its files the deck is still drawn, and the answer says what is missing.
    let told = sent(vec![text(), report()]).await.succeeded();
    let issues = told["issues"].to_string();
    assert!(
        issues.contains("no file of that name was sent with it"),
        "{told:#}"
    );
    assert!(issues.contains("`corporate.pptx` is not used"), "{told:#}");
    // A map is followed; a map without a template, or with a layout that does not exist, is refused.
    let map = |json: &str| ("map", None, json.as_bytes().to_vec());
    sent(vec![text(), corporate(), map("{\"title\": \"Points\"}")])
        .await
        .succeeded();
    for (fields, code) in [
        (vec![text(), map("{}")], "bad_map"),
        (
            vec![text(), corporate(), map("{\"title\": \"Nowhere\"}")],
            "bad_map",
        ),
        (
            vec![text(), ("template", Some("x.potx"), b"none".to_vec())],
            "bad_template",
        ),
        (vec![quay()], "bad_form"),
        (vec![text(), text()], "bad_form"),
        (vec![text(), quay(), quay()], "bad_form"),
        (vec![text(), ("colour", None, b"red".to_vec())], "bad_form"),
        (vec![text(), ("page", None, b"two".to_vec())], "bad_form"),
    ] {
        sent(fields).await.refused(422, code);
    }
    let many = std::iter::once(text()).chain((0..101).map(|at| {
        let name: &'static str = Box::leak(format!("{at}.png").into_boxed_str());
        ("files", Some(name), b"x".to_vec())
    }));
    sent(many.collect()).await.refused(422, "bad_form");
    let large = ("files", Some("large.png"), vec![0; 33 << 20]);
    sent(vec![text(), large]).await.refused(413, "too_large");
    assert_eq!(rig.model.journal().await.requests().len(), 0);
}
