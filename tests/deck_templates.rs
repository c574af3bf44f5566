//! Decks in PowerPoint templates that others made, through the command line.

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::deck;
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
    // The map can be given back as it is.
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
