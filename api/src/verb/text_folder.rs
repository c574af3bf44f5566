//! Folders of text files that a person wrote.

use std::path::Path;

use domain::text::is_text_file;
use serde_json::Value;

use super::Failure;

/// Files of one folder: more than the longest series of novels has chapters, characters and places.
const FILES_MAX: usize = 10_000;

/// The most bytes of a text file; no chapter of a book is longer.
const FILE_BYTES_MAX: u64 = 1024 * 1024;

/// Remarks about a folder that are shown; the rest is counted.
const REMARKS_SHOWN: usize = 20;

/// The text files in a folder, with their paths in it. Hidden files and links are left out.
///
/// # Errors
///
/// There is none, one cannot be read, or there are too many.
pub fn read_text_files(root: &Path) -> Result<Vec<(String, String)>, Failure> {
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

/// The name of a folder.
///
/// # Errors
///
/// There is no such folder.
pub fn name_folder(root: &Path) -> Result<String, Failure> {
    let whole = root.canonicalize();
    let whole = whole.map_err(|error| unreadable(root, &error))?;
    Ok(whole
        .file_name()
        .unwrap_or_default()
        .to_string_lossy()
        .into())
}

/// The parts of a folder that were not understood (objects with `file`, `says` and perhaps `line`), one a line.
pub fn list_remarks(remarks: &[Value]) -> Vec<String> {
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

pub(crate) fn unreadable(path: &Path, error: &dyn std::fmt::Display) -> Failure {
    Failure::usage(format!("{} cannot be read: {error}", path.display()))
}
