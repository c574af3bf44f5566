//! A whole project is imported: from a folder, a manuscript, an export.

use std::collections::BTreeSet;

use bytes::Bytes;
use chrono::DateTime;
use domain::Project;
use domain::hash::BlobRef;
use domain::ids::EntryId;
use domain::project::{BATCH_MAX, ComingText, Description, Entry, Trigger, What};

use super::{
    AcceptVersion, DescribeProject, Expected, ProjectCommand, ProjectRefusal, PutEntries,
    RemoveEntries, SaveVersion,
};

/// The project that consists of nothing but the import.
///
/// # Errors
///
/// What is not taken.
pub fn as_project(
    description: Description,
    entries: Vec<Entry>,
    texts: Vec<ComingText>,
) -> Result<Project, ProjectRefusal> {
    let mut project = Project::default();
    let (command, _) = brought_in(&project, description, entries, texts, "");
    command.decide(&mut project, DateTime::UNIX_EPOCH)?;
    Ok(project)
}

/// The command that makes a project equal to an import, and the texts that go with it. Texts that the project already has are not written
/// again. Entries that are facts in the project and are not in the import are removed; entries that agents proposed stay.
pub fn brought_in(
    project: &Project,
    description: Description,
    entries: Vec<Entry>,
    texts: Vec<ComingText>,
    why: &str,
) -> (ProjectCommand, Vec<Bytes>) {
    let mut commands = vec![ProjectCommand::Describe(Box::new(DescribeProject {
        description,
        expected: None,
        why: why.to_owned(),
    }))];
    let coming: BTreeSet<&EntryId> = entries.iter().map(|entry| &entry.id).collect();
    let gone = project.entries.values().map(|kept| &kept.entry);
    let gone = gone.filter(|entry| entry.standing.is_fact() && !coming.contains(&entry.id));
    let gone: Vec<EntryId> = gone.map(|entry| entry.id.clone()).collect();
    for ids in gone.chunks(BATCH_MAX) {
        commands.push(ProjectCommand::Remove(RemoveEntries {
            ids: ids.to_vec(),
            why: why.to_owned(),
        }));
    }
    let put = |entries: &[Entry]| {
        let parts = entries.chunks(BATCH_MAX).map(|part| {
            ProjectCommand::Put(PutEntries {
                entries: part.to_vec(),
                expected: Expected::Any,
                why: why.to_owned(),
            })
        });
        parts.collect::<Vec<_>>()
    };
    let is_there = |coming: &ComingText| {
        let prose = project.prose.get(&coming.chapter);
        let draft = prose.and_then(|prose| prose.draft());
        draft.is_some_and(|draft| draft.text == BlobRef::of(coming.text.as_bytes()))
    };
    let changed = texts.iter().filter(|coming| !is_there(coming));
    let changed: BTreeSet<&EntryId> = changed.map(|coming| &coming.chapter).collect();
    // A chapter that is locked in the import is written before it is locked.
    let (open, locked) = unlocked(&entries, &changed);
    commands.extend(put(&open));
    let mut contents = vec![];
    for coming in texts {
        let text = BlobRef::of(coming.text.as_bytes());
        if !is_there(&coming) {
            commands.push(ProjectCommand::Save(SaveVersion {
                chapter: coming.chapter.clone(),
                base: None,
                text,
                words: coming.words,
                trigger: Trigger::Import,
                description: String::new(),
            }));
            contents.push(Bytes::from(coming.text));
        }
        if coming.is_accepted {
            commands.push(ProjectCommand::Accept(AcceptVersion {
                chapter: coming.chapter,
                version: None,
            }));
        }
    }
    commands.extend(put(&locked));
    (ProjectCommand::All(commands), contents)
}

/// The entries with those chapters unlocked that change, and separately the locked ones as they have to be at the end.
fn unlocked(entries: &[Entry], changed: &BTreeSet<&EntryId>) -> (Vec<Entry>, Vec<Entry>) {
    let mut locked = vec![];
    let open = entries.iter().map(|entry| {
        let mut open = entry.clone();
        if let What::Chapter(chapter) = &mut open.what
            && chapter.locked
            && changed.contains(&entry.id)
        {
            chapter.locked = false;
            locked.push(entry.clone());
        }
        open
    });
    (open.collect(), locked)
}
