//! The deck of the README in a browser: every page is whole, nothing is fetched, and each page says what its source says.

use std::path::PathBuf;

use serde_json::Value;
use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::program::{palimpsest, run};
use crate::support::{browser, clients, root, skipped, within};

/// Characters of a page's text that have to stand in the source as they are: more than a term, less than a sentence.
const QUOTED: usize = 8;

const BRIEF: &str = "光合作用入门，面向初三学生，8 页";

/// What the browser says about a deck.
async fn looked_at(clients: &PathBuf, deck: &PathBuf, browser: &PathBuf) -> Value {
    let mut client = Command::new("node");
    client.arg("course.mjs").arg(deck).arg(browser);
    client.current_dir(clients).kill_on_drop(true);
    let output = within("a look at the deck", client.output())
        .await
        .expect("node starts");
    let err = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{err}");
    serde_json::from_slice(&output.stdout).expect("one line of JSON")
}

fn texts(page: &Value) -> Vec<&str> {
    let texts = page["texts"].as_array().expect("texts");
    texts.iter().filter_map(Value::as_str).collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn the_deck_is_whole_in_a_browser_and_says_what_its_source_says() {
    let Some(clients) = clients().await else {
        return;
    };
    let Some(browser) = browser() else {
        return skipped("no chromium is installed");
    };
    let place = TestFolder::new();
    let source = root().join("examples/photosynthesis.md");
    let (source_path, out) = (source.display().to_string(), place.file("out"));
    let arguments = ["run", "course", BRIEF, "--source", &source_path, "--out"];
    let mut command = palimpsest(&place);
    command.args(arguments);
    run(command, &[&out.display().to_string()]).await.with(0);

    let seen = looked_at(&clients, &out.join("deck.html"), &browser).await;
    let pages = seen["pages"].as_array().expect("pages");
    assert_eq!(pages.len(), 8);
    for (n, page) in (1..).zip(pages) {
        assert_eq!(page["wrong"], Value::Array(vec![]), "page {n}: {page:#}");
        let note = page["note"].as_str().expect("a note");
        // The narration of the first page says the title, and that of the last one says what was left out; both may be short.
        let least = if (2..pages.len()).contains(&n) {
            40
        } else {
            20
        };
        assert!(
            note.chars().count() > least,
            "page {n} has no narration: {page:#}"
        );
    }
    assert_eq!(seen["complaints"], Value::Array(vec![]));
    assert_eq!(seen["elsewhere"], Value::Array(vec![]));

    let text = std::fs::read_to_string(&source).expect("the source is in the tree");
    let said = |part: &str| part.chars().count() >= QUOTED && text.contains(part);
    for (n, page) in (1..pages.len()).zip(pages).skip(1) {
        let quoted = texts(page)
            .iter()
            .any(|shown| shown.split(['·', '，', '；', '。', '、']).any(said));
        assert!(quoted, "page {n} says nothing of its source: {page:#}");
    }
    // The file says who wrote it, beside the pages; the pages have the words of the source alone.
    let first = texts(&pages[0]).join(" ");
    assert!(!first.contains("离线"), "a word of the program: {first}");
    let html = std::fs::read_to_string(out.join("deck.html")).expect("the deck");
    assert!(html.contains("<span id=\"label\">离线作者</span>"));
}
