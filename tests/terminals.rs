//! What reaches a terminal is harmless, wherever it comes from: no command lets a control character or a bidirectional control through.

use domain::shown::is_hidden;
use serde_json::{Value, json};

use crate::support::folder::TestFolder;
use crate::support::program::{Ended, palimpsest, run};

/// Clears a screen, conceals, turns the line around, sets the title of a window, begins a line of its own.
const HOSTILE: &str =
    "Rain\u{1b}[2J\u{1b}[8m \u{9b}31m\u{202e}\u{2066}\u{1b}]0;owned\u{7} \u{7f}\u{200f}";

/// Runs the command, and checks that it printed nothing that a terminal would obey.
async fn shown(place: &TestFolder, arguments: &[&str], code: i32) -> Ended {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    let ended = run(command, arguments).await.with(code);
    for text in [&ended.out, &ended.err] {
        let hidden = text.chars().find(|c| *c != '\n' && is_hidden(*c));
        assert_eq!(hidden, None, "{arguments:?}: {ended:#?}");
    }
    ended
}

#[tokio::test(flavor = "multi_thread")]
async fn sessions_runs_and_their_errors_are_shown_without_controls() {
    let place = TestFolder::new();
    let brief = format!("A deck of 3 pages about {HOSTILE}");
    // Names with control characters are refused, but the character that turns the line around does not count as one.
    let source = place.file("Rain \u{202e}dm.exe.md");
    std::fs::write(&source, format!("# {HOSTILE}\n\nIt rains.\n")).expect("written");
    let source = source.to_string_lossy();
    // A deck of which no source can be read is not made.
    place.write("rain.md", "# Rain\n\nIt rains.\n");
    let session = "s";
    let making = [
        "run",
        "deck",
        &brief,
        "--session",
        session,
        "--source",
        &source,
        "--source",
        "rain.md",
    ];
    let ended = shown(&place, &making, 0).await;
    assert!(ended.err.contains(r"\u001b[2J"), "{ended:#?}");
    let told = shown(&place, &["run", "deck", &brief, "--json"], 0).await;
    for line in told.out.lines() {
        serde_json::from_str::<Value>(line).expect("JSON");
    }
    let listed = shown(&place, &["sessions"], 0).await;
    assert_eq!(listed.out.lines().count(), 2, "{listed:#?}");
    assert!(listed.out.contains(r"\u001b[2J"), "{listed:#?}");
    let listed = shown(&place, &["sessions", "--json"], 0).await;
    let row: Value =
        serde_json::from_str(listed.out.lines().last().expect("a line")).expect("JSON");
    let title = row["title"].as_str().expect("a title");
    assert!(title.contains("\u{1b}[2J"), "the value is the same: {row}");
    shown(&place, &["show", session], 0).await;
    shown(&place, &["replay", session], 0).await;
    shown(&place, &["replay", session, "--wire", "lean"], 0).await;
    shown(&place, &["export", "--session", session], 0).await;
    shown(&place, &["refine", session, HOSTILE, "--stage", HOSTILE], 2).await;
    shown(&place, &["show", HOSTILE], 2).await;
    shown(&place, &["cancel", HOSTILE], 2).await;
    shown(&place, &[HOSTILE], 2).await;
    shown(
        &place,
        &[
            "--data",
            HOSTILE,
            "--database",
            "sqlite:none.db",
            "sessions",
        ],
        3,
    )
    .await;
    shown(&place, &["run", "deck", "x", "--source", HOSTILE], 2).await;
    let refused = place.file(&format!("{HOSTILE}.md"));
    std::fs::write(&refused, "It rains.").expect("written");
    let refused = refused.to_string_lossy();
    shown(&place, &["run", "deck", "x", "--source", &refused], 2).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn notes_designs_decks_and_stories_are_shown_without_controls() {
    let place = TestFolder::new();
    let notes = place.file("notes.jsonl");
    let note = json!({ "id": "n1", "title": format!("{HOSTILE}\nforged"), "body": HOSTILE, "tags": ["a\u{1b}\u{202e}"] });
    std::fs::write(&notes, format!("{note}\n")).expect("written");
    shown(&place, &["notes", "import", "notes.jsonl"], 0).await;
    let listed = shown(&place, &["notes", "list"], 0).await;
    assert_eq!(listed.out.lines().count(), 1, "{listed:#?}");
    shown(&place, &["notes", "list", "--json"], 0).await;
    shown(&place, &["notes", "search", "Rain"], 0).await;
    shown(&place, &["notes", "import", HOSTILE], 2).await;

    let deck = format!("---\ntitle: T\n---\n\n# Rain\n@type: {HOSTILE}\n\n- a {HOSTILE}\n");
    let path = place.file(&format!("{HOSTILE}.sdsl"));
    let name = path.to_string_lossy();
    std::fs::write(&path, &deck).expect("written");
    std::fs::write(place.file("other.sdsl"), deck.replace("- a", "- b")).expect("written");
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    for arguments in [
        &["deck", "check", &name][..],
        &["deck", "check", "--json", &name],
        &["deck", "diff", &name, "other.sdsl"],
        &["deck", "diff", "--json", &name, "other.sdsl"],
        &["deck", "fmt", "--check", &name],
        &["deck", "render", &name, "--out", "drawn"],
        &["deck", "ingest", &name],
        &["deck", "search", "Rain"],
        &["deck", "check", HOSTILE],
        &["deck", "import", HOSTILE],
    ] {
        let mut command = palimpsest(&place);
        command.env("PALIMPSEST_MODEL", "offline");
        let code = run(command, arguments).await.code.expect("a code");
        shown(&place, arguments, code).await;
    }
    // Output for programs is the deck unchanged.
    let text = run(palimpsest(&place), &["deck", "fmt", "--stdout", &name]).await;
    assert!(text.with(0).out.contains('\u{1b}'));

    let story = place.file("story");
    std::fs::create_dir_all(story.join("chapters")).expect("made");
    let chapter = format!("# {HOSTILE}\n\nShe said {HOSTILE} and left.\n");
    std::fs::write(story.join(format!("chapters/01-{HOSTILE}.md")), chapter).expect("written");
    std::fs::write(
        story.join("story.toml"),
        format!("title = {}\n", json!(HOSTILE)),
    )
    .expect("written");
    for arguments in [
        &["story", "check", "story"][..],
        &["story", "check", "--json", "story"],
        &["story", "check", "story", "--chapter", HOSTILE],
        &["story", "route", HOSTILE],
        &["story", "export", "story", "--out", "book.epub"],
    ] {
        let mut command = palimpsest(&place);
        command.env("PALIMPSEST_MODEL", "offline");
        let code = run(command, arguments).await.code.expect("a code");
        shown(&place, arguments, code).await;
    }
}
