//! Files of this machine that come with a brief.

use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::exit::Failure;

/// Files that one message brings: more are an archive, and whoever has one names what it is about.
const FILES_MAX: usize = 200;

/// These files, each under its name in this folder of the session; of a folder everything in it, without hidden files.
pub(super) fn of(paths: &[PathBuf], folder: &str) -> Result<Vec<(String, Bytes)>, Failure> {
    let mut found: Vec<(String, Bytes)> = vec![];
    for path in paths {
        let name = path.file_name();
        let name = name.map(|name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            walk(path, folder, &mut found)?;
        } else {
            let name =
                name.ok_or_else(|| Failure::usage(format!("{} is not a file", path.display())))?;
            read(path, format!("{folder}{name}"), &mut found)?;
        }
    }
    Ok(found)
}

fn walk(path: &Path, place: &str, found: &mut Vec<(String, Bytes)>) -> Result<(), Failure> {
    let unreadable = |error: std::io::Error| {
        Failure::usage(format!(
            "the folder {} cannot be read: {error}",
            path.display()
        ))
    };
    let mut inside = std::fs::read_dir(path)
        .map_err(unreadable)?
        .collect::<Result<Vec<_>, _>>()
        .map_err(unreadable)?;
    // In one order on every machine.
    inside.sort_by_key(std::fs::DirEntry::file_name);
    for entry in inside {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        if path.is_dir() {
            walk(&path, &format!("{place}{name}/"), found)?;
        } else {
            read(&path, format!("{place}{name}"), found)?;
        }
    }
    Ok(())
}

fn read(path: &Path, place: String, found: &mut Vec<(String, Bytes)>) -> Result<(), Failure> {
    if found.len() >= FILES_MAX {
        return Err(Failure::usage(format!(
            "more than {FILES_MAX} files at {}; name those that matter",
            path.display()
        )));
    }
    let bytes = std::fs::read(path).map_err(|error| {
        Failure::usage(format!(
            "the file {} cannot be read: {error}",
            path.display()
        ))
    })?;
    if found.iter().any(|(known, _)| *known == place) {
        return Err(Failure::usage(format!(
            "two files are called `{place}`; rename one"
        )));
    }
    found.push((place, bytes.into()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_brings_what_is_in_it_under_its_place() {
        let folder = tempfile::tempdir().expect("a folder");
        let kb = folder.path().join("kb");
        std::fs::create_dir_all(kb.join("2024")).expect("made");
        for name in ["b.csv", "2024/a.json", ".hidden"] {
            std::fs::write(kb.join(name), b"x").expect("written");
        }
        let found = of(&[kb.clone()], "datasets/").expect("readable");
        let paths: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["datasets/2024/a.json", "datasets/b.csv"]);
        assert!(of(&[kb.join("none")], "").is_err());
        assert!(of(&[kb.join("b.csv"), kb.join("b.csv")], "").is_err());
    }
}
