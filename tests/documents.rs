//! The documents: each link leads somewhere, the pages that are read first are short, and each record of a decision is listed.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::support::root;

/// Words that a page may have, by its file: what a stranger reads first has to be read at one sitting.
const WORDS_MAX: [(&str, usize); 2] = [("README.md", 700), ("ARCHITECTURE.md", 2_500)];

const DECISIONS: &str = "docs/decisions";

fn documents() -> Vec<PathBuf> {
    let mut found = vec![];
    let mut folders = vec![root().join("docs"), root().join("prompts")];
    let here = std::fs::read_dir(root()).expect("the project");
    let here = here.map(|entry| entry.expect("an entry").path());
    found.extend(here.filter(|path| is_document(path)));
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                folders.push(path);
            } else if is_document(&path) {
                found.push(path);
            }
        }
    }
    found.sort();
    found
}

fn is_document(path: &Path) -> bool {
    path.extension().is_some_and(|ending| ending == "md")
}

fn read(path: &Path) -> String {
    std::fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The text without code: blocks that are set in or fenced, and what stands between backticks.
fn without_code(text: &str) -> String {
    let mut is_fenced = false;
    let mut lines = vec![];
    for line in text.lines() {
        let is_fence = line.trim_start().starts_with("```");
        is_fenced ^= is_fence;
        if is_fenced || is_fence || line.starts_with("    ") {
            continue;
        }
        let words = line.split('`').step_by(2).collect::<Vec<_>>();
        lines.push(words.join(""));
    }
    lines.join("\n")
}

/// The addresses of links and pictures.
fn links(text: &str) -> Vec<&str> {
    let behind = text
        .match_indices("](")
        .map(|(at, open)| &text[at + open.len()..]);
    behind.filter_map(|rest| rest.split(')').next()).collect()
}

/// The names by which headings are linked to.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = text.lines().filter(|line| line.starts_with('#'));
    let slug = |line: &str| {
        let words = line.trim_start_matches('#').trim().to_lowercase();
        let kept = words
            .chars()
            .filter(|c| c.is_alphanumeric() || matches!(c, ' ' | '-' | '_'));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(slug).collect()
}

#[test]
fn every_link_in_a_document_leads_somewhere() {
    let mut wrong = vec![];
    for document in documents() {
        let text = without_code(&read(&document));
        for link in links(&text)
            .into_iter()
            .filter(|link| !link.contains("://"))
        {
            let (path, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = match path {
                "" => document.clone(),
                path => document.parent().expect("a folder").join(path),
            };
            let leads =
                target.exists() && (anchor.is_empty() || anchors(&read(&target)).contains(anchor));
            if !leads {
                wrong.push(format!("{}: {link}", document.display()));
            }
        }
    }
    assert!(wrong.is_empty(), "{wrong:#?}");
}

#[test]
fn the_pages_that_are_read_first_are_short() {
    for (name, most) in WORDS_MAX {
        let words = read(&root().join(name)).split_whitespace().count();
        assert!(
            words <= most,
            "{name} has {words} words: move some to docs/"
        );
    }
}

#[test]
fn every_record_of_a_decision_is_listed() {
    let list = read(&root().join(DECISIONS).join("README.md"));
    for entry in std::fs::read_dir(root().join(DECISIONS)).expect("the records") {
        let name = entry.expect("an entry").file_name();
        let name = name.to_string_lossy();
        let is_listed = name == "README.md" || list.contains(&format!("({name})"));
        assert!(is_listed, "{name} is not listed in {DECISIONS}/README.md");
    }
}

/// `cargo run`, as the README has it, takes the only default program there is.
#[test]
fn one_crate_has_the_program_that_is_run_without_a_name() {
    let manifest = read(&root().join("Cargo.toml"));
    let manifest: toml::Table = manifest.parse().expect("a manifest");
    let members = manifest["workspace"]["members"].as_array().expect("a list");
    let has_default = |member: &&toml::Value| {
        let folder = member.as_str().expect("a folder");
        let manifest: toml::Table = read(&root().join(folder).join("Cargo.toml"))
            .parse()
            .expect("a manifest");
        manifest["package"].get("default-run").is_some()
    };
    assert_eq!(members.iter().filter(has_default).count(), 1);
}
