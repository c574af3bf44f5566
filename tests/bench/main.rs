//! How fast Palimpsest is, and on what disk. `cargo bench --bench palimpsest` runs all; a name after `--` runs one:
//! `engine`, `append`, `replay`, `catch_up`, `subscribers`, `paused`, `cancel`, `typeset`, `designs`,
//! `stories`, `files`. Figures belong with the disk that is printed first.

mod append;
mod bare;
mod cancel;
mod designs;
mod disk;
mod engine;
mod files;
mod paused;
mod place;
mod readers;
mod six;
mod stories;
mod typeset;

use std::io::Write;

/// One line of the report.
pub(crate) fn say(line: &str) {
    let mut out = std::io::stdout().lock();
    writeln!(out, "{line}").expect("somebody reads the report");
}

fn main() {
    let wanted: Vec<String> = std::env::args()
        .skip(1)
        .filter(|a| !a.starts_with('-'))
        .collect();
    let wants = |name: &str| wanted.is_empty() || wanted.iter().any(|w| w == name);
    let runtime = palimpsest::runtime().expect("a runtime");
    runtime.block_on(async {
        disk::report();
        if wants("engine") {
            engine::report().await;
        }
        if wants("append") {
            append::report().await;
        }
        if wants("replay") {
            readers::replay();
        }
        if wants("catch_up") {
            readers::catch_up().await;
        }
        if wants("subscribers") {
            readers::subscribers().await;
        }
        if wants("paused") {
            paused::report().await;
        }
        if wants("cancel") {
            cancel::report().await;
        }
        if wants("typeset") {
            typeset::report();
        }
        if wants("designs") {
            designs::report();
        }
        if wants("stories") {
            stories::report();
        }
        if wants("files") {
            files::report();
        }
    });
}
