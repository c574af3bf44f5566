//! Who may read the files that the program makes, and that links in its folders lead nowhere.

use std::os::unix::fs::{PermissionsExt as _, symlink};
use std::path::Path;

use serde_json::json;
use tokio::process::Command;

use crate::support::api::Follow;
use crate::support::folder::TestFolder;
use crate::support::program::{Ended, Server, palimpsest, run};

const BRIEF: &str = "A deck of 3 pages about rain";

fn offline(place: &TestFolder) -> Command {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    command
}

/// The same program, started with this umask.
fn masked(place: &TestFolder, mask: &str) -> Command {
    let plain = offline(place);
    let plain = plain.as_std();
    let mut command = Command::new("/bin/sh");
    let script = format!("umask {mask}; exec \"$0\" \"$@\"");
    command.args(["-c", &script]).arg(plain.get_program());
    command.env_clear();
    for (name, value) in plain.get_envs() {
        if let Some(value) = value {
            command.env(name, value);
        }
    }
    command.current_dir(place.path()).kill_on_drop(true);
    command
}

fn mode(path: &Path) -> u32 {
    let about = std::fs::metadata(path).unwrap_or_else(|error| panic!("{path:?}: {error}"));
    about.permissions().mode() & 0o777
}

/// Everything in a folder, and itself.
fn all(folder: &Path) -> Vec<std::path::PathBuf> {
    let mut found = vec![folder.to_owned()];
    for entry in std::fs::read_dir(folder).expect("a folder") {
        let path = entry.expect("an entry").path();
        if path.is_dir() {
            found.extend(all(&path));
        } else {
            found.push(path);
        }
    }
    found
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_kept_is_for_its_user_alone_and_what_is_left_has_the_mask_of_the_person() {
    for (mask, file, folder) in [
        ("000", 0o666, 0o777),
        ("022", 0o644, 0o755),
        ("077", 0o600, 0o700),
    ] {
        let place = TestFolder::new();
        let server = Server::start(masked(&place, mask)).await;
        let api = server.api();
        let opening = json!({ "session": "s", "pipeline": "deck", "message": BRIEF });
        api.open(&opening).await;
        Follow::new(&api, "s", "native")
            .end("r1", "run_completed")
            .await;
        let mut kept = all(&place.file("data"));
        for ending in ["", "-wal", "-shm", ".lock"] {
            kept.push(place.file(&format!("log.db{ending}")));
        }
        assert!(kept.len() > 6, "{kept:?}");
        for path in kept.iter().filter(|path| path.exists()) {
            assert_eq!(mode(path) & 0o077, 0, "umask {mask}: {path:?}");
        }
        assert!(!server.said().contains("chmod"), "{}", server.said());
        drop(server);
        let place = TestFolder::new();
        let arguments = ["run", "deck", BRIEF, "--out", "made/out"];
        run(masked(&place, mask), &arguments).await.with(0);
        for path in all(&place.file("made")) {
            let expected = if path.is_dir() { folder } else { file };
            assert_eq!(mode(&path), expected, "umask {mask}: {path:?}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_others_may_look_into_is_told_once_and_not_changed() {
    let place = TestFolder::new();
    std::fs::create_dir(place.file("data")).expect("made");
    let wide = std::fs::Permissions::from_mode(0o755);
    std::fs::set_permissions(place.file("data"), wide).expect("set");
    let server = Server::start(offline(&place)).await;
    let told = server.said().matches("chmod -R go-rwx").count();
    assert_eq!(told, 1, "{}", server.said());
    assert_eq!(mode(&place.file("data")), 0o755);
}

#[tokio::test(flavor = "multi_thread")]
async fn links_that_lead_out_of_the_data_folder_are_refused() {
    let ended = async |prepare: &dyn Fn(&Path)| -> Ended {
        let place = TestFolder::new();
        prepare(place.path());
        run(offline(&place), &["run", "deck", BRIEF]).await
    };
    for link in [
        "uploads",
        "spool",
        "keys",
        "blobs",
        "spool/x",
        "keys/master.key",
    ] {
        let prepare = |place: &Path| {
            let link = place.join("data").join(link);
            std::fs::create_dir_all(link.parent().expect("a folder")).expect("made");
            symlink("/etc/passwd", link).expect("linked");
        };
        let ended = ended(&prepare).await.with(3);
        assert!(
            ended.err.contains("leads out of the data folder"),
            "{link}: {ended:#?}"
        );
    }
    let kept = tempfile::NamedTempFile::new().expect("a file");
    std::fs::write(kept.path(), "mine").expect("written");
    for beside in ["log.db.lock", "log.db-wal", "log.db-shm"] {
        let prepare = |place: &Path| symlink(kept.path(), place.join(beside)).expect("linked");
        let ended = ended(&prepare).await.with(3);
        assert!(ended.err.contains("is a link"), "{beside}: {ended:#?}");
    }
    assert_eq!(std::fs::read_to_string(kept.path()).expect("there"), "mine");
}

#[tokio::test(flavor = "multi_thread")]
async fn nothing_is_written_or_read_through_links_that_lead_out() {
    let place = TestFolder::new();
    let mine = place.write("mine", "mine");
    let elsewhere = place.file("elsewhere");
    for (link, is_folder) in [
        ("deck.pptx", false),
        ("log.jsonl", false),
        ("artifacts", true),
        ("thumbnails", true),
    ] {
        std::fs::create_dir_all(&elsewhere).expect("made");
        std::fs::write(elsewhere.join("01.png"), "mine").expect("written");
        let out = place.file(&format!("out-{link}"));
        std::fs::create_dir(&out).expect("made");
        let to = if is_folder { &elsewhere } else { &mine };
        symlink(to, out.join(link)).expect("linked");
        let out = out.to_string_lossy();
        let ended = run(offline(&place), &["run", "deck", BRIEF, "--out", &out])
            .await
            .with(3);
        assert!(
            ended.err.contains("link") || ended.err.contains("leads out"),
            "{link}: {ended:#?}"
        );
        let before = all(&elsewhere);
        assert_eq!(before.len(), 2, "{link}: {before:?}");
        assert_eq!(
            std::fs::read_to_string(&mine).expect("there"),
            "mine",
            "{link}"
        );
    }
    let source = place.file("source");
    std::fs::create_dir(&source).expect("made");
    place.write("source/a.md", "# Rain\n\nIt rains.\n");
    symlink("/etc/passwd", source.join("b.md")).expect("linked");
    let ended = run(
        offline(&place),
        &["run", "deck", BRIEF, "--source", "source"],
    )
    .await
    .with(2);
    assert!(ended.err.contains("leads out of the folder"), "{ended:#?}");
}
