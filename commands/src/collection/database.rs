//! The files of a knowledge base, which is one document.

use std::collections::BTreeSet;

use super::CollectionRefusal;
use super::import::{NAME_CHARS_MAX, check_document_id};

/// Files of one knowledge base. The planner's prompt lists all of them; two hundred names are about 4,000 tokens.
pub const FILES_MAX: usize = 200;

/// Whether a knowledge base may have files with these ids and names.
///
/// # Errors
///
/// The first thing that is wrong with them.
pub fn check_files<'a>(
    files: impl ExactSizeIterator<Item = (&'a str, &'a str)>,
) -> Result<(), CollectionRefusal> {
    let count = files.len();
    if count > FILES_MAX {
        return Err(CollectionRefusal::TooManyFiles {
            files: count,
            most: FILES_MAX,
        });
    }
    let mut ids = BTreeSet::new();
    for (id, name) in files {
        check_document_id(id)?;
        let too_long = name.chars().count() > NAME_CHARS_MAX;
        if name.trim().is_empty() || too_long || name.chars().any(char::is_control) {
            let name = name.chars().take(80).collect();
            return Err(CollectionRefusal::BadName { name });
        }
        if !ids.insert(id) {
            return Err(CollectionRefusal::Twice { id: id.to_owned() });
        }
    }
    Ok(())
}
