//! `run course` without a model: files into a folder, with nothing in them that points elsewhere.

use std::collections::BTreeMap;
use std::path::Path;

use serde_json::Value;

use crate::support::folder::TestFolder;
use crate::support::program::{Ended, palimpsest, run};
use crate::support::root;

const BRIEF: &str = "为七年级学生制作一份8页的光合作用课件";

/// What a run without a search makes, by the names of its files.
const EXPECTED: [&str; 15] = [
    "01-requirement_analysis.json",
    "02-course_config.json",
    "03-video_outline.json",
    "04-slide_scripts.json",
    "05-presentation_theme.json",
    "06-dsl-document.json",
    "06-ppt_html-01.json",
    "06-ppt_html-02.json",
    "06-ppt_html-03.json",
    "06-ppt_html-04.json",
    "06-ppt_html-05.json",
    "06-ppt_html-06.json",
    "06-ppt_html-07.json",
    "06-ppt_html-08.json",
    "06-ppt_html_doc-document.json",
];

async fn run_course(place: &TestFolder, source: Option<&Path>) -> Ended {
    let mut arguments = vec!["run", "course", BRIEF, "--model", "offline", "--out", "out"];
    let source = source.map(|source| source.display().to_string());
    if let Some(source) = &source {
        arguments.extend(["--source", source]);
    }
    run(palimpsest(place), &arguments).await
}

fn artifacts(place: &TestFolder) -> BTreeMap<String, Value> {
    let folder = place.file("out/artifacts");
    let files = std::fs::read_dir(&folder).expect("a folder of artifacts");
    let read = |file: std::io::Result<std::fs::DirEntry>| {
        let path = file.expect("an entry").path();
        let bytes = std::fs::read(&path).expect("a file");
        let json = serde_json::from_slice(&bytes)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        (
            path.file_name()
                .expect("a name")
                .to_string_lossy()
                .into_owned(),
            json,
        )
    };
    files.map(read).collect()
}

/// A file beside the artifacts.
fn bytes(place: &TestFolder, name: &str) -> Vec<u8> {
    let path = place.file("out").join(name);
    std::fs::read(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Addresses in a text that are no names of XML vocabularies.
fn addresses(text: &str) -> Vec<&str> {
    let starts = ["http://", "https://"]
        .into_iter()
        .flat_map(move |scheme| text.match_indices(scheme).map(|(at, _)| at));
    let shown = |at: usize| {
        text[at..]
            .split(['"', '\'', ' ', '<', ')'])
            .next()
            .unwrap_or_default()
    };
    starts
        .map(shown)
        .filter(|address| !address.starts_with("http://www.w3.org/"))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_course_from_a_source_is_a_self_contained_deck_with_every_artifact_and_the_log() {
    let place = TestFolder::new();
    run_course(&place, Some(&root().join("examples/photosynthesis.md")))
        .await
        .with(0);

    let made = artifacts(&place);
    assert_eq!(
        made.keys().map(String::as_str).collect::<Vec<_>>(),
        [EXPECTED.as_slice(), &["07-material.json"]].concat()
    );
    assert_eq!(
        made["06-ppt_html_doc-document.json"]["pages"]
            .as_array()
            .map(Vec::len),
        Some(8)
    );
    assert_eq!(made["01-requirement_analysis.json"]["author"], "offline");

    assert!(bytes(&place, "deck.pptx").starts_with(b"PK"));
    assert!(bytes(&place, "deck.pdf").starts_with(b"%PDF"));
    for page in 1..=8 {
        let name = format!("thumbnails/{page:02}.png");
        assert!(bytes(&place, &name).starts_with(b"\x89PNG"), "{name}");
    }
    let report: Value =
        serde_json::from_slice(&bytes(&place, "layout_report.json")).expect("a report");
    assert_eq!(report["pages"], 8);

    let deck = std::fs::read_to_string(place.file("out/deck.html")).expect("a deck");
    assert_eq!(addresses(&deck), Vec::<&str>::new());
    for reference in ["<link", "<iframe", "@import", "src=\"/", "url(/"] {
        assert!(!deck.contains(reference), "{reference}");
    }

    let log = std::fs::read_to_string(place.file("out/log.jsonl")).expect("a log");
    let frames: Vec<Value> = log
        .lines()
        .map(|line| serde_json::from_str(line).expect("a line of JSON"))
        .collect();
    let versions: Vec<u64> = frames
        .iter()
        .filter_map(|frame| frame["version"].as_u64())
        .collect();
    assert_eq!(versions, (1..=frames.len() as u64).collect::<Vec<_>>());
    let kind = |frame: Option<&Value>| {
        frame
            .and_then(|frame| frame["type"].as_str())
            .map(str::to_owned)
    };
    assert_eq!(
        (
            kind(frames.first()).as_deref(),
            kind(frames.last()).as_deref()
        ),
        (Some("session_opened"), Some("run_completed"))
    );
    run(palimpsest(&place), &["verify"]).await.with(0);
}

#[tokio::test(flavor = "multi_thread")]
async fn without_a_source_the_deck_is_a_skeleton_that_says_so() {
    let place = TestFolder::new();
    run_course(&place, None).await.with(0);
    let made = artifacts(&place);
    assert_eq!(
        made.keys().map(String::as_str).collect::<Vec<_>>(),
        EXPECTED
    );
    let first = made["06-ppt_html-01.json"]["html"]
        .as_str()
        .expect("a page");
    assert!(first.contains("离线"), "{first}");
    let notes = made["04-slide_scripts.json"].to_string();
    assert!(notes.contains("\"author\":\"offline\""), "{notes}");
    // Without a source, the offline author writes a skeleton: facts that a source would give are left open.
    for fact in ["叶绿素", "二氧化碳", "葡萄糖"] {
        assert!(!notes.contains(fact), "{fact} was in no source: {notes}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn the_same_brief_and_source_make_the_same_artifacts() {
    let source = root().join("examples/photosynthesis.md");
    let (one, two) = (TestFolder::new(), TestFolder::new());
    run_course(&one, Some(&source)).await.with(0);
    run_course(&two, Some(&source)).await.with(0);
    assert_eq!(artifacts(&one), artifacts(&two));
    for name in [
        "deck.html",
        "deck.pptx",
        "deck.pdf",
        "thumbnails/08.png",
        "layout_report.json",
    ] {
        assert!(bytes(&one, name) == bytes(&two, name), "{name} differs");
    }
}

/// A source with enough for thirty pages, whose scripts do not fit an event.
fn long_source() -> String {
    let section = |n: u32| {
        let fact = |m: u32| {
            format!(
                "第{n}号观测站在第{m}季记录到{}毫米降水，比上一季多{}毫米，站长认为这与当地第{m}次季风的推进有关，并把全部读数抄进了第{n}本记录簿。",
                n * 40 + m,
                n + m
            )
        };
        let facts: Vec<String> = (1..=6).map(fact).collect();
        format!("## 观测站{n}的降水\n\n{}\n", facts.join("\n\n"))
    };
    let sections: Vec<String> = (1..=30).map(section).collect();
    format!("# 三十个观测站的降水\n\n{}", sections.join("\n"))
}

#[tokio::test(flavor = "multi_thread")]
async fn a_deck_whose_scripts_lie_beside_the_log_has_all_its_pages() {
    let place = TestFolder::new();
    place.write("stations.md", &long_source());
    let arguments = [
        "run",
        "course",
        "三十个观测站的降水，30 页，45 分钟",
        "--model",
        "offline",
        "--source",
        "stations.md",
        "--out",
        "out",
    ];
    run(palimpsest(&place), &arguments).await.with(0);
    let made = artifacts(&place);
    let scripts = &made["04-slide_scripts.json"];
    assert!(scripts.to_string().len() > 32 * 1024);
    assert_eq!(scripts.as_array().map(Vec::len), Some(30));
    let pages = &made["06-ppt_html_doc-document.json"]["pages"];
    assert_eq!(pages.as_array().map(Vec::len), Some(30));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_picture_beside_a_source_is_on_a_page_of_every_file() {
    let place = TestFolder::new();
    let folder = place.file("given");
    std::fs::create_dir_all(folder.join("img")).expect("a folder");
    // Two pixels.
    let png = b"\x89PNG\r\n\x1a\n\0\0\0\x0dIHDR\0\0\0\x02\0\0\0\x01\x08\x02\0\0\0\x7b\x40\xe8\xdd\0\0\0\x0dIDAT\x78\xda\x63\x38\x21\x67\x03\x44\0\x09\x0d\x02\x45\x0d\x4c\x68\x8a\0\0\0\0IEND\xaeB`\x82";
    std::fs::write(folder.join("img/loop.png"), png).expect("a picture");
    let text = "# Loops\n\nBefore.\n\n![A diagram of the loop](img/loop.png)\n\nAfter.\n";
    std::fs::write(folder.join("loops.md"), text).expect("a source");
    run_course(&place, Some(&folder)).await.with(0);
    let deck = std::fs::read_to_string(place.file("out/deck.html")).expect("a deck");
    assert!(deck.contains("alt=\"A diagram of the loop\""), "{deck}");
    assert!(deck.contains("src=\"data:image/png;base64,"), "{deck}");
    let has =
        |name: &str, part: &[u8]| bytes(&place, name).windows(part.len()).any(|at| at == part);
    assert!(has("deck.pptx", b"ppt/media/image1.png"));
    assert!(has("deck.pdf", b"/Image"));
}

#[tokio::test(flavor = "multi_thread")]
async fn going_back_leaves_the_deck_that_counts_again() {
    let place = TestFolder::new();
    let say = async |message: &str, out: &str| {
        let arguments = ["run", "course", message, "--session", "s", "--out", out];
        run(
            palimpsest(&place),
            &[&arguments[..], &["--model", "offline"]].concat(),
        )
        .await
        .with(0);
        let theme = place.file(out).join("artifacts/05-presentation_theme.json");
        let deck = place.file(out).join("deck.pptx");
        assert!(deck.exists(), "{message}");
        std::fs::read_to_string(theme).expect("a theme")
    };
    let first = say("Tides for grade 5, 4 pages", "first").await;
    let second = say("Make the theme green", "second").await;
    assert_ne!(first, second);
    assert_eq!(say("undo", "third").await, first);
}
