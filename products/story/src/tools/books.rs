//! A project with its prose, as it stands in the log.

use std::collections::BTreeMap;

use futures::future::try_join_all;
use palimpsest::prelude::pipeline::EntryId;
use palimpsest::prelude::resource::Projects;
use palimpsest::prelude::resource::project::Version;
use palimpsest::prelude::wire::SendError;

use crate::readings::book::{Book, ProseText};

/// Chapters whose prose is read at a time: readers of the log share its connections with everybody.
const READ_AT_ONCE: usize = 16;

/// Which version of a chapter a book has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edition {
    /// The accepted versions; chapters without an accepted version are empty.
    Accepted,
    /// The working draft of every chapter.
    Drafts,
}

/// A project with its prose, as it is now.
///
/// # Errors
///
/// Those of [`Projects::get`] and [`Projects::text`].
pub(crate) async fn read_book(
    projects: &Projects,
    owner: &str,
    project: &str,
    edition: Edition,
) -> Result<Book, SendError> {
    let state = projects.get(owner, project).await?;
    let wanted: Vec<(&EntryId, &Version)> = state
        .prose
        .iter()
        .filter_map(|(chapter, prose)| {
            let version = match edition {
                Edition::Accepted => prose.accepted(),
                Edition::Drafts => prose.draft(),
            };
            Some((chapter, version?))
        })
        .collect();
    let mut texts = BTreeMap::new();
    for part in wanted.chunks(READ_AT_ONCE) {
        let read = part.iter().map(|(chapter, version)| async {
            let text = projects.text(owner, project, &version.text).await?;
            let version = version.version;
            Ok::<_, SendError>(((*chapter).clone(), ProseText { version, text }))
        });
        texts.extend(try_join_all(read).await?);
    }
    Ok(Book::new(state, texts))
}
