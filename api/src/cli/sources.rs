//! Files of this machine that come with a brief.

use std::path::{Path, PathBuf};

use bytes::Bytes;

use super::described::DescribedPipeline;
use crate::verb::Failure;

/// The most files of one message. More files are an archive; then one has to name the files that matter.
const FILES_MAX: usize = 200;

/// The role of the file that `--template` gives.
const TEMPLATE: &str = "template";

/// The content of a file, by its path in a folder of the session.
type File = (String, Bytes);

/// What comes with a brief.
pub(super) struct GivenFiles {
    sources: Vec<File>,
    template: Vec<File>,
}

impl GivenFiles {
    pub(super) fn read(sources: &[PathBuf], template: Option<&PathBuf>) -> Result<Self, Failure> {
        Ok(Self {
            sources: of(sources)?,
            template: of(template.map_or(&[], std::slice::from_ref))?,
        })
    }

    /// The sources that are texts; those in other formats are read by the run.
    pub(super) fn texts(&self) -> impl Iterator<Item = &str> {
        let sources = self.sources.iter();
        sources.filter_map(|(_, bytes)| std::str::from_utf8(bytes).ok())
    }

    /// The files by their paths in the session: in the folders that the pipeline has for them.
    pub(super) fn placed(self, pipeline: &DescribedPipeline) -> Result<Vec<File>, Failure> {
        if !self.sources.is_empty() && pipeline.takes_files.is_empty() {
            let name = &pipeline.name;
            let message = format!("the pipeline `{name}` takes no `--source`; leave it out");
            return Err(Failure::usage(message));
        }
        let mut placed = under(&pipeline.sources_under, self.sources);
        if !self.template.is_empty() {
            placed.extend(under(pipeline.folder_of(TEMPLATE)?, self.template));
        }
        Ok(placed)
    }
}

fn under(folder: &str, files: Vec<File>) -> Vec<File> {
    let files = files.into_iter();
    files
        .map(|(path, bytes)| (format!("{folder}{path}"), bytes))
        .collect()
}

/// Reads these files, each under its name. For a folder, reads everything in it under its path there, without hidden files.
fn of(paths: &[PathBuf]) -> Result<Vec<File>, Failure> {
    let mut found: Vec<File> = vec![];
    for path in paths {
        let name = path.file_name();
        let name = name.map(|name| name.to_string_lossy().into_owned());
        if path.is_dir() {
            let root = path
                .canonicalize()
                .map_err(|error| unreadable(path, &error))?;
            walk(&root, path, "", &mut found)?;
        } else {
            let name =
                name.ok_or_else(|| Failure::usage(format!("{} is not a file", path.display())))?;
            read(path, name, &mut found)?;
        }
    }
    Ok(found)
}

/// Reads everything in a folder. A link to a file is followed if it stays in the given folder; a link that leads out is refused.
fn walk(root: &Path, path: &Path, place: &str, found: &mut Vec<File>) -> Result<(), Failure> {
    let mut inside = std::fs::read_dir(path)
        .map_err(|error| unreadable(path, &error))?
        .collect::<Result<Vec<_>, _>>()
        .map_err(|error| unreadable(path, &error))?;
    // Sorted, so that the order is the same on every machine.
    inside.sort_by_key(std::fs::DirEntry::file_name);
    for entry in inside {
        let name = entry.file_name().to_string_lossy().into_owned();
        if name.starts_with('.') {
            continue;
        }
        let path = entry.path();
        let kind = entry
            .file_type()
            .map_err(|error| unreadable(&path, &error))?;
        if kind.is_symlink() {
            let real = path
                .canonicalize()
                .map_err(|error| unreadable(&path, &error))?;
            if !real.starts_with(root) {
                return Err(Failure::usage(format!(
                    "{} is a link that leads out of the folder; take it away, or give what it leads to with a `--source` of its own",
                    path.display()
                )));
            }
            if real.is_dir() {
                // The linked folder is read under its own name.
                continue;
            }
        }
        if kind.is_dir() {
            walk(root, &path, &format!("{place}{name}/"), found)?;
        } else {
            read(&path, format!("{place}{name}"), found)?;
        }
    }
    Ok(())
}

fn unreadable(path: &Path, error: &std::io::Error) -> Failure {
    Failure::usage(format!("{} cannot be read: {error}", path.display()))
}

fn read(path: &Path, place: String, found: &mut Vec<File>) -> Result<(), Failure> {
    if found.len() >= FILES_MAX {
        return Err(Failure::usage(format!(
            "more than {FILES_MAX} files at {}; name those that matter",
            path.display()
        )));
    }
    let about = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
    if !about.is_file() {
        // Reading a pipe would wait for a writer, and a device has no end.
        return Err(Failure::usage(format!("{} is no file", path.display())));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
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
        let found = of(std::slice::from_ref(&kb)).expect("readable");
        let paths: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
        assert_eq!(paths, ["2024/a.json", "b.csv"]);
        #[cfg(unix)]
        {
            use std::os::unix::fs::symlink;
            symlink("..", kb.join("2024/up")).expect("linked");
            symlink("b.csv", kb.join("c.csv")).expect("linked");
            let found = of(std::slice::from_ref(&kb)).expect("links stay inside");
            let paths: Vec<_> = found.into_iter().map(|(path, _)| path).collect();
            assert_eq!(paths, ["2024/a.json", "b.csv", "c.csv"]);
            symlink("/etc/hostname", kb.join("2024/d.txt")).expect("linked");
            let refused = of(std::slice::from_ref(&kb)).expect_err("it leads out");
            assert!(
                refused.message.contains("leads out of the folder"),
                "{refused:?}"
            );
        }
        assert!(of(&[kb.join("none")]).is_err());
        assert!(of(&[kb.join("b.csv"), kb.join("b.csv")]).is_err());
    }
}
