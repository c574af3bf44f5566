//! Reading a document that somebody gives: errors name the place of what does not fit.

use std::collections::BTreeSet;

use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::project::{
    CHAPTER_BYTES_MAX, Description, ENTRIES_MAX, ENTRY_BYTES_MAX, Entry, FACTS_MAX, NAME_CHARS_MAX,
    REMARK_CHARS_MAX, Settled, VERSIONS_MAX, What,
};
use serde::de::DeserializeOwned;
use serde_json::Value;

use super::{ExchangedChapter, ExchangedVersion, FORMAT, FORMAT_VERSION, ProjectExchange};

/// Why a document is not imported. Places are written as `entries[3].name`.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub(crate) enum ExchangeError {
    #[error("the document is not of the format `{FORMAT}`")]
    NotAProject,
    #[error(
        "the document has version {found} of its format; this program reads up to version {FORMAT_VERSION}"
    )]
    NewerFormat { found: u64 },
    #[error("`{place}` cannot be read: {why}")]
    Unreadable { place: String, why: String },
    #[error("`{place}` has {found} elements; there may be {limit}")]
    TooMany {
        place: String,
        found: usize,
        limit: usize,
    },
    #[error("`{place}` is too long: {found} {unit}, of {limit} that there may be")]
    TooLong {
        place: String,
        found: u64,
        limit: u64,
        unit: &'static str,
    },
    #[error("`{place}` has the id `{id}`, which is empty or there twice")]
    BadId { place: String, id: String },
    #[error("`{place}` is of `{id}`, which is no chapter of the document")]
    NoChapter { place: String, id: EntryId },
    #[error("`{place}` names version {version}, which the chapter does not have")]
    NoVersion { place: String, version: u32 },
    #[error("`{place}` has version {version}; versions count up from 1")]
    VersionOrder { place: String, version: u32 },
}

/// Reads a document. Entries may refer to each other in any way, even in circles, and to what does not exist: the consistency checks report
/// that, and it is no reason to refuse a project.
pub(crate) fn read(document: &Value) -> Result<ProjectExchange, ExchangeError> {
    if document["format"] != FORMAT {
        return Err(ExchangeError::NotAProject);
    }
    let version: u64 = part(&document["formatVersion"], "formatVersion")?;
    if version > FORMAT_VERSION {
        return Err(ExchangeError::NewerFormat { found: version });
    }
    let description: Description = part(&document["description"], "description")?;
    check_length(&description.title, NAME_CHARS_MAX, || {
        "description.title".to_owned()
    })?;
    let entries: Vec<Entry> = list(document, "entries", ENTRIES_MAX)?;
    check_entries(&entries)?;
    let chapters: Vec<ExchangedChapter> = list(document, "chapters", ENTRIES_MAX)?;
    check_chapters(&entries, &chapters)?;
    let findings: Vec<Settled> = list(document, "findings", usize::MAX)?;
    check_findings(&findings)?;
    Ok(ProjectExchange {
        description,
        entries,
        chapters,
        findings,
    })
}

fn part<T: DeserializeOwned>(value: &Value, place: &str) -> Result<T, ExchangeError> {
    T::deserialize(value).map_err(|error| ExchangeError::Unreadable {
        place: place.to_owned(),
        why: error.to_string(),
    })
}

/// A list of the document; an empty one where it has none. Elements are read one by one, so that an error can name the element.
fn list<T: DeserializeOwned>(
    document: &Value,
    name: &str,
    limit: usize,
) -> Result<Vec<T>, ExchangeError> {
    let elements = match &document[name] {
        Value::Null => return Ok(vec![]),
        Value::Array(elements) => elements,
        Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Object(_) => {
            return Err(ExchangeError::Unreadable {
                place: name.to_owned(),
                why: "it is not a list".to_owned(),
            });
        }
    };
    check_count(elements.len(), limit, || name.to_owned())?;
    let read = |(at, element)| part(element, &format!("{name}[{at}]"));
    elements.iter().enumerate().map(read).collect()
}

fn check_entries(entries: &[Entry]) -> Result<(), ExchangeError> {
    let mut known = BTreeSet::new();
    for (at, entry) in entries.iter().enumerate() {
        let place = || format!("entries[{at}]");
        check_id(entry.id.as_str(), &mut known, place)?;
        check_bytes(entry, place)?;
        let names = [entry.what.name()].into_iter();
        for name in names.chain(entry.what.aliases().iter().map(String::as_str)) {
            check_length(name, NAME_CHARS_MAX, || format!("entries[{at}].name"))?;
        }
    }
    Ok(())
}

fn check_chapters(entries: &[Entry], chapters: &[ExchangedChapter]) -> Result<(), ExchangeError> {
    let is_chapter = |entry: &&Entry| matches!(entry.what, What::Chapter(_));
    let ids: BTreeSet<&EntryId> = { entries.iter() }
        .filter(is_chapter)
        .map(|entry| &entry.id)
        .collect();
    let (mut known, mut facts) = (BTreeSet::new(), BTreeSet::new());
    for (at, chapter) in chapters.iter().enumerate() {
        let place = || format!("chapters[{at}]");
        check_id(chapter.id.as_str(), &mut known, place)?;
        if !ids.contains(&chapter.id) {
            return Err(ExchangeError::NoChapter {
                place: place(),
                id: chapter.id.clone(),
            });
        }
        check_versions(&chapter.versions, &place())?;
        let has = |version: &u32| chapter.versions.iter().any(|it| it.version == *version);
        if let Some(version) = chapter.accepted.filter(|version| !has(version)) {
            let place = format!("chapters[{at}].accepted");
            return Err(ExchangeError::NoVersion { place, version });
        }
        check_count(chapter.facts.len(), FACTS_MAX, || {
            format!("chapters[{at}].facts")
        })?;
        if chapter.extracted.is_none() && !chapter.facts.is_empty() {
            return Err(ExchangeError::Unreadable {
                place: format!("chapters[{at}].facts"),
                why: "there are facts, and `extracted` does not say of which version".to_owned(),
            });
        }
        for (n, it) in chapter.facts.iter().enumerate() {
            let place = || format!("chapters[{at}].facts[{n}]");
            check_id(&it.fact.id, &mut facts, place)?;
            check_bytes(&it.fact, place)?;
        }
    }
    Ok(())
}

fn check_versions(versions: &[ExchangedVersion], chapter: &str) -> Result<(), ExchangeError> {
    check_count(versions.len(), VERSIONS_MAX, || {
        format!("{chapter}.versions")
    })?;
    let mut before = 0;
    for (at, it) in versions.iter().enumerate() {
        let place = format!("{chapter}.versions[{at}]");
        if it.version <= before {
            return Err(ExchangeError::VersionOrder {
                place,
                version: it.version,
            });
        }
        before = it.version;
        if it.text.len() as u64 > CHAPTER_BYTES_MAX {
            return Err(ExchangeError::TooLong {
                place: format!("{place}.text"),
                found: it.text.len() as u64,
                limit: CHAPTER_BYTES_MAX,
                unit: "bytes",
            });
        }
        check_length(&it.description, REMARK_CHARS_MAX, || {
            format!("{place}.description")
        })?;
    }
    Ok(())
}

fn check_findings(findings: &[Settled]) -> Result<(), ExchangeError> {
    let mut known = BTreeSet::new();
    for (at, it) in findings.iter().enumerate() {
        check_id(&it.key, &mut known, || format!("findings[{at}]"))?;
        check_length(&it.reason, REMARK_CHARS_MAX, || {
            format!("findings[{at}].reason")
        })?;
    }
    Ok(())
}

fn check_id<'a>(
    id: &'a str,
    known: &mut BTreeSet<&'a str>,
    place: impl Fn() -> String,
) -> Result<(), ExchangeError> {
    if id.is_empty() || !known.insert(id) {
        return Err(ExchangeError::BadId {
            place: place(),
            id: id.to_owned(),
        });
    }
    Ok(())
}

fn check_count(
    found: usize,
    limit: usize,
    place: impl Fn() -> String,
) -> Result<(), ExchangeError> {
    if found > limit {
        return Err(ExchangeError::TooMany {
            place: place(),
            found,
            limit,
        });
    }
    Ok(())
}

fn check_length(text: &str, limit: usize, place: impl Fn() -> String) -> Result<(), ExchangeError> {
    let found = text.chars().count();
    if found > limit {
        return Err(ExchangeError::TooLong {
            place: place(),
            found: found as u64,
            limit: limit as u64,
            unit: "characters",
        });
    }
    Ok(())
}

/// Checks that an entry or a fact is not too large as JSON.
fn check_bytes(
    it: &impl serde::Serialize,
    place: impl Fn() -> String,
) -> Result<(), ExchangeError> {
    let bytes = serde_json::to_vec(it).map_err(|error| ExchangeError::Unreadable {
        place: place(),
        why: error.to_string(),
    })?;
    if bytes.len() > ENTRY_BYTES_MAX {
        return Err(ExchangeError::TooLong {
            place: place(),
            found: bytes.len() as u64,
            limit: ENTRY_BYTES_MAX as u64,
            unit: "bytes",
        });
    }
    Ok(())
}
