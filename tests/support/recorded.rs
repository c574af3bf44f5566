//! Recordings of sessions: a database with an invented master key, and what is folded from it.

use std::path::{Path, PathBuf};

use tokio::process::Command;

use super::folder::TestFolder;
use super::program::palimpsest;

/// Invented for the recordings, so that they can be opened. It seals nothing else.
pub(crate) const INVENTED_MASTER_KEY: &str =
    "feedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedfacefeedface";

/// The list of sessions, one a line with the wire of its pipeline.
pub(crate) const SESSIONS: &str = "sessions.txt";

/// The folder of what the command line reads from a recording.
pub(crate) const FOLDED: &str = "folded";

/// Whether a recording is sound, among what the command line reads from it.
pub(crate) const VERIFIED: &str = "verify.txt";

/// The files and folders of a place that belong to the log.
const KEPT: [&str; 3] = ["log.db", "log.db-wal", "data/blobs"];

/// A recording in its folder.
pub(crate) struct Recording(PathBuf);

impl Recording {
    pub(crate) fn in_folder(folder: &Path) -> Self {
        Self(folder.to_owned())
    }

    /// A copy of the log that a program may write to.
    pub(crate) fn place(&self) -> TestFolder {
        let place = TestFolder::new();
        copy(&self.0, place.path());
        place
    }

    /// The program on such a copy, without a model.
    pub(crate) fn program(&self, place: &TestFolder) -> Command {
        let mut command = palimpsest(place);
        command
            .env("PALIMPSEST_MASTER_KEY", INVENTED_MASTER_KEY)
            .env("PALIMPSEST_MODEL", "offline");
        command
    }

    /// Each session with the wire of its pipeline.
    pub(crate) fn sessions(&self) -> Vec<(String, String)> {
        let path = self.0.join(SESSIONS);
        let list = std::fs::read_to_string(&path)
            .unwrap_or_else(|error| panic!("{}: {error}", path.display()));
        list.lines()
            .map(|line| {
                let (session, wire) = line.split_once(' ').expect("a session and a wire");
                (session.to_owned(), wire.to_owned())
            })
            .collect()
    }

    /// What is read from the log by the command line: the name of the recorded output, and the arguments.
    pub(crate) fn readings(&self) -> Vec<(String, Vec<String>)> {
        let mut readings = vec![
            reading(VERIFIED, &["verify"]),
            reading("export.jsonl", &["export"]),
        ];
        for (session, of_pipeline) in self.sessions() {
            for wire in ["native", "lean", &of_pipeline] {
                let name = folded(&session, wire, version(wire));
                readings.push(reading(&name, &["replay", &session, "--wire", wire]));
            }
        }
        readings
    }

    /// An output as it was recorded.
    pub(crate) fn recorded(&self, name: &str) -> String {
        let path = self.0.join(FOLDED).join(name);
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
    }
}

/// The wires whose version was raised since the logs were recorded.
const RAISED: [(&str, u32); 1] = [("course", 2)];

fn version(wire: &str) -> u32 {
    let raised = RAISED.iter().find(|(raised, _)| *raised == wire);
    raised.map_or(1, |(_, version)| *version)
}

/// The name of what a wire of a version makes of a session.
pub(crate) fn folded(session: &str, wire: &str, version: u32) -> String {
    match version {
        1 => format!("{session}.{wire}.jsonl"),
        later => format!("{session}.{wire}.v{later}.jsonl"),
    }
}

fn reading(name: &str, arguments: &[&str]) -> (String, Vec<String>) {
    let arguments = arguments.iter().map(|&argument| argument.to_owned());
    (name.to_owned(), arguments.collect())
}

/// Copies the log of a place.
pub(crate) fn copy(from: &Path, to: &Path) {
    for name in KEPT {
        let (from, to) = (from.join(name), to.join(name));
        if from.exists() {
            copy_all(&from, &to);
        }
    }
}

fn copy_all(from: &Path, to: &Path) {
    if !from.is_dir() {
        std::fs::copy(from, to)
            .unwrap_or_else(|error| panic!("{} is copied: {error}", from.display()));
        return;
    }
    std::fs::create_dir_all(to).expect("a folder in a place of our own");
    for entry in std::fs::read_dir(from).expect("a folder that was recorded") {
        let name = entry.expect("an entry").file_name();
        copy_all(&from.join(&name), &to.join(&name));
    }
}
