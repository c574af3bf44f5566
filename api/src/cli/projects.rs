//! Projects from folders of this machine, which are sent to the server before a run works on them.

use std::path::Path;

use domain::hash::Sha256;
use domain::text::is_text_file;
use serde_json::{Value, json};

use super::client::Client;
use super::exit::Failure;
use super::out;
use crate::request::in_address;

/// Files of one folder: more than the longest series has chapters, characters and places.
const FILES_MAX: usize = 10_000;

/// The most bytes of a text file; no chapter is longer.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Remarks about a folder that are shown; the rest is counted.
const REMARKS_SHOWN: usize = 20;

/// Hexadecimal digits of the hash in the id of a folder's project.
const ID_DIGITS: usize = 12;

/// The id of a project that is given by its id, or by a folder, which is sent first.
pub(super) async fn given(client: &Client, given: &str) -> Result<String, Failure> {
    let path = Path::new(given);
    if !path.is_dir() {
        if path.components().count() > 1 || path.exists() {
            return Err(Failure::usage(format!("{given} is not a folder")));
        }
        return Ok(given.to_owned());
    }
    let files = text_files(path)?;
    let project = id_of(path)?;
    let files: Vec<Value> = files
        .into_iter()
        .map(|(path, text)| json!({ "path": path, "text": text }))
        .collect();
    let address = format!("/v1/projects/{}/folder", in_address(&project));
    let folder = json!({ "name": called(path)?, "files": files });
    let answer = client.put(&address, &folder).await?;
    let remarks = answer["remarks"].as_array().cloned().unwrap_or_default();
    for line in remark_lines(&remarks) {
        out::note(&line);
    }
    Ok(project)
}

/// The parts of a folder that were not understood, one a line.
pub(super) fn remark_lines(remarks: &[Value]) -> Vec<String> {
    let shown = remarks.iter().take(REMARKS_SHOWN).map(|remark| {
        let file = remark["file"].as_str().unwrap_or_default();
        let says = remark["says"].as_str().unwrap_or_default();
        match remark["line"].as_u64() {
            Some(line) => format!("{file}:{line}: {says}"),
            None => format!("{file}: {says}"),
        }
    });
    let mut lines: Vec<String> = shown.collect();
    if let Some(more) = remarks
        .len()
        .checked_sub(REMARKS_SHOWN)
        .filter(|more| *more > 0)
    {
        lines.push(format!("and {more} more remarks"));
    }
    lines
}

/// The id of a folder's project. It is the same each time for the same folder of this machine.
fn id_of(path: &Path) -> Result<String, Failure> {
    let whole = path
        .canonicalize()
        .map_err(|error| unreadable(path, &error))?;
    let name = whole.file_name().unwrap_or_default().to_string_lossy();
    let fits = |c: char| c.is_alphanumeric() || matches!(c, '-' | '_');
    let name: String = name.chars().filter(|c| fits(*c)).take(32).collect();
    let hash = Sha256::of(whole.to_string_lossy().as_bytes());
    Ok(format!("{name}-{}", &hash.hex()[..ID_DIGITS]))
}

fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("{} cannot be read: {error}", path.display()))
}

/// What the folder is called, which is the title of a project without one.
pub(super) fn called(root: &Path) -> Result<String, Failure> {
    let whole = root.canonicalize();
    let whole = whole.map_err(|error| unreadable(root, &error))?;
    Ok(whole
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into())
}

/// The text files in a folder, with their paths in it. Hidden files and links are left out.
pub(super) fn text_files(root: &Path) -> Result<Vec<(String, String)>, Failure> {
    let mut found = vec![];
    let mut folders = vec![root.to_path_buf()];
    while let Some(folder) = folders.pop() {
        let inside = std::fs::read_dir(&folder).map_err(|error| unreadable(&folder, &error))?;
        let mut paths = vec![];
        for entry in inside {
            let entry = entry.map_err(|error| unreadable(&folder, &error))?;
            let kind = entry
                .file_type()
                .map_err(|error| unreadable(&folder, &error))?;
            let is_hidden = entry.file_name().to_string_lossy().starts_with('.');
            // Only folders and files: reading a pipe would wait for a writer.
            if !is_hidden && (kind.is_dir() || kind.is_file()) {
                paths.push((entry.path(), kind.is_dir()));
            }
        }
        paths.sort();
        for (path, is_folder) in paths {
            if is_folder {
                folders.push(path);
            } else if is_text_file(&path.to_string_lossy()) {
                found.push((named(root, &path), read(&path)?));
                if found.len() > FILES_MAX {
                    let message =
                        format!("{} has more than {FILES_MAX} files of text", root.display());
                    return Err(Failure::usage(message));
                }
            }
        }
    }
    if found.is_empty() {
        let message = format!("{} has no files of text (.md, .txt)", root.display());
        return Err(Failure::usage(message));
    }
    found.sort();
    Ok(found)
}

fn named(root: &Path, path: &Path) -> String {
    let within = path.strip_prefix(root).unwrap_or(path);
    let parts = within
        .components()
        .map(|part| part.as_os_str().to_string_lossy());
    parts.collect::<Vec<_>>().join("/")
}

fn read(path: &Path) -> Result<String, Failure> {
    let size = std::fs::metadata(path)
        .map_err(|error| unreadable(path, &error))?
        .len();
    if size > FILE_BYTES_MAX {
        let message = format!(
            "{} has {size} bytes, at most {FILE_BYTES_MAX} are taken; split it",
            path.display()
        );
        return Err(Failure::usage(message));
    }
    let bytes = std::fs::read(path).map_err(|error| unreadable(path, &error))?;
    String::from_utf8(bytes).map_err(|_| {
        let message = format!("{} is not UTF-8; save it as UTF-8", path.display());
        Failure::usage(message)
    })
}
