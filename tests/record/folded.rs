//! What is kept of a server that has ended: its database and large files, and what the command line reads from them.

use std::path::Path;

use crate::support::folder::TestFolder;
use crate::support::program::run;
use crate::support::recorded::{self, FOLDED, Recording};

/// Copies the database and the large files of a place, and writes beside them what is folded from each session.
pub(crate) async fn keep(folder: &Path, place: &TestFolder, sessions: &[(&str, &str)]) {
    std::fs::create_dir_all(folder).expect("a folder to record into");
    into_the_database(place);
    recorded::copy(place.path(), folder);
    let recording = Recording::in_folder(folder);
    let list: Vec<String> = sessions
        .iter()
        .map(|(session, wire)| format!("{session} {wire}\n"))
        .collect();
    std::fs::write(folder.join(recorded::SESSIONS), list.concat()).expect("a list of sessions");
    let copied = recording.place();
    for (name, arguments) in recording.readings() {
        let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
        let ended = run(recording.program(&copied), &arguments).await.with(0);
        let path = folder.join(FOLDED).join(name);
        std::fs::create_dir_all(path.parent().expect("a folder above"))
            .expect("a folder for what is folded");
        std::fs::write(path, ended.out).expect("a recording that can be written");
    }
}

/// Brings what stands in the write-ahead log into the database, which makes the recording a third as large.
fn into_the_database(place: &TestFolder) {
    let database = rusqlite::Connection::open(place.database()).expect("a database");
    database
        .pragma_update(None, "wal_checkpoint", "TRUNCATE")
        .expect("a log that nobody else has open");
}
