//! The zip archive: its entries by name, and what a name must not be.

use std::collections::{BTreeMap, BTreeSet};
use std::io::{Cursor, Read};

use zip::ZipArchive;

use super::{DefectList, Rule};

/// More than any deck unpacks to; a small archive can claim to hold much more.
const BYTES_MAX: u64 = 512 << 20;

/// More parts than any deck has.
const ENTRIES_MAX: usize = 20_000;

/// Signatures of an entry in the archive's directory, and of the directory's end.
const ENTRY: [u8; 4] = [b'P', b'K', 1, 2];
const END: [u8; 4] = [b'P', b'K', 5, 6];

/// Lengths of the two without their names.
const ENTRY_LEN: usize = 46;
const END_LEN: usize = 22;

/// Contents by name; nothing when the archive cannot be read at all.
pub(in crate::pptx) fn entries(
    bytes: &[u8],
    found: &mut DefectList,
) -> Option<BTreeMap<String, Vec<u8>>> {
    entries_within(bytes, BYTES_MAX, found)
}

/// The same of an archive that unpacks to no more than so many bytes.
pub(in crate::pptx) fn entries_within(
    bytes: &[u8],
    bytes_max: u64,
    found: &mut DefectList,
) -> Option<BTreeMap<String, Vec<u8>>> {
    let Some(names) = directory(bytes) else {
        found.add(Rule::Archive, "", "the file is not a zip archive");
        return None;
    };
    if names.len() > ENTRIES_MAX {
        found.add(
            Rule::Archive,
            "",
            format!("the archive has {} entries", names.len()),
        );
        return None;
    }
    let mut seen = BTreeSet::new();
    for name in &names {
        if let Some(fault) = fault(name) {
            found.add(Rule::UnsafeName, name, fault);
        }
        if !seen.insert(name.to_lowercase()) {
            found.add(
                Rule::DuplicatePart,
                name,
                "is in the archive more than once",
            );
        }
    }
    let mut zip = match ZipArchive::new(Cursor::new(bytes)) {
        Ok(zip) => zip,
        Err(error) => {
            found.add(
                Rule::Archive,
                "",
                format!("the archive cannot be read: {error}"),
            );
            return None;
        }
    };
    let (mut contents, mut left) = (BTreeMap::new(), bytes_max);
    for at in 0..zip.len() {
        let name = zip.name_for_index(at).and_then(Result::ok);
        let name = name.map_or_else(String::new, |name| name.into_owned());
        let mut content = Vec::new();
        let read = zip.by_index(at).map_err(|error| error.to_string());
        let read = read.and_then(|entry| {
            let read = entry.take(left + 1).read_to_end(&mut content);
            read.map_err(|error| error.to_string())
        });
        if let Err(error) = read {
            found.add(Rule::Archive, &name, format!("cannot be unpacked: {error}"));
            continue;
        }
        let len = u64::try_from(content.len()).unwrap_or(u64::MAX);
        if len > left {
            found.add(
                Rule::Archive,
                "",
                "the archive unpacks to more than a deck is",
            );
            return None;
        }
        left -= len;
        contents.insert(name, content);
    }
    Some(contents)
}

/// The names in the archive's directory, each as often as it is there; a reader keeps only one of two.
fn directory(bytes: &[u8]) -> Option<Vec<String>> {
    let end = bytes.windows(END.len()).rposition(|four| four == END)?;
    let end = bytes.get(end..end + END_LEN)?;
    let number = |bytes: &[u8], at: usize, len: usize| {
        let digits = bytes.get(at..at + len)?;
        let sum = digits
            .iter()
            .rev()
            .fold(0_usize, |sum, byte| sum << 8 | usize::from(*byte));
        Some(sum)
    };
    let (count, mut at) = (number(end, 10, 2)?, number(end, 16, 4)?);
    let mut names = Vec::new();
    for _ in 0..count {
        let entry = bytes.get(at..at + ENTRY_LEN)?;
        if entry[..ENTRY.len()] != ENTRY {
            return None;
        }
        let (name, extra, comment) = (
            number(entry, 28, 2)?,
            number(entry, 30, 2)?,
            number(entry, 32, 2)?,
        );
        let from = at + ENTRY_LEN;
        names.push(String::from_utf8_lossy(bytes.get(from..from + name)?).into_owned());
        at = from + name + extra + comment;
    }
    Some(names)
}

/// Why an entry's name could lead out of the folder it is unpacked to, or is not the name of a part.
fn fault(name: &str) -> Option<&'static str> {
    if name.starts_with('/') || name.contains('\\') || name.contains(':') {
        Some("is not a name inside of the archive")
    } else if name.split('/').any(|step| step == ".." || step == ".") {
        Some("leads out of its folder")
    } else if name.is_empty() || name.split('/').any(str::is_empty) {
        Some("has an empty step, or is a folder")
    } else if name.chars().any(char::is_control) || name.contains('\u{fffd}') {
        Some("has characters that a name cannot have")
    } else {
        None
    }
}
