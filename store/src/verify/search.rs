//! Search indexes are made again from the documents of their collections, and compared.

use std::collections::{BTreeMap, HashSet};

use domain::DocumentId;
use domain::collection::{Collection, Kind, Kinds, kind_of_stream};
use domain::event::{CollectionEvent, Document, Event};
use domain::tokens::TOKENIZER;

use super::blobs::Named;
use super::{Rebuilt, Stream, VerifyReport};
use crate::backend::Snapshot;
use crate::core::Core;
use crate::core::read::Content;
use crate::error::ReadError;
use crate::ids::StreamId;
use crate::search::{IndexRow, IndexState};

/// Documents whose contents are read at a time.
const DOCUMENTS_PAGE: usize = 100;

/// The documents of a collection, as its events say.
#[derive(Default)]
pub(super) struct Documents {
    /// `None` where the program does not have the kind; then nothing says which words the documents have.
    kind: Option<Kind>,
    collection: Collection,
    /// The documents as they were at the version of the search index, under the marks that the index has for them.
    indexed: Option<BTreeMap<DocumentId, Document>>,
    /// Marks of documents that were added or removed after that version.
    changed: HashSet<DocumentId>,
    /// Marks of documents whose keys are gone and whose removal has not been read yet.
    missing: HashSet<DocumentId>,
}

impl Documents {
    /// For a stream that is a collection.
    pub(super) fn of(kinds: &Kinds, stream: &StreamId) -> Option<Self> {
        let name = kind_of_stream(&stream.session)?;
        Some(Self {
            kind: kinds.find(name),
            ..Self::default()
        })
    }

    /// Documents of the next event that cannot be read.
    pub(super) fn missing(&mut self, marks: Vec<DocumentId>) {
        self.missing.extend(marks);
    }

    /// Takes one more event into account.
    pub(super) fn take(&mut self, event: &Event, index: Option<&IndexState>) {
        if let Event::Collection(CollectionEvent::DocumentsRemoved(e)) = event {
            for id in &e.ids {
                self.missing.remove(id);
            }
        }
        if self.indexed.is_some() {
            match event {
                Event::Collection(CollectionEvent::DocumentsImported(e)) => {
                    let ids = e.documents.iter().map(|document| document.id.mark());
                    self.changed.extend(ids);
                }
                Event::Collection(CollectionEvent::DocumentsRemoved(e)) => {
                    let marks = e.ids.iter().map(|id| match id.is_mark() {
                        true => id.clone(),
                        false => id.mark(),
                    });
                    self.changed.extend(marks);
                }
                Event::Collection(CollectionEvent::CollectionOpened(_))
                | Event::Session(_)
                | Event::Run(_)
                | Event::Step(_)
                | Event::Gate(_)
                | Event::Project(_) => {}
            }
        }
        self.collection.evolve(event);
        if index.is_some_and(|index| index.version == self.collection.version) {
            let entries = self.collection.documents.iter();
            let entries = entries.map(|(id, entry)| (id.mark(), entry.document.clone()));
            self.indexed = Some(entries.collect());
        }
    }

    /// The blobs of the documents that are there.
    pub(super) fn named(&self) -> impl Iterator<Item = Named> {
        let entries = self.collection.documents.values();
        entries.map(|entry| Named::from(&entry.document.blob))
    }
}

impl Rebuilt {
    pub(super) async fn compare_indexes(
        &self,
        core: &Core,
        snapshot: &mut dyn Snapshot,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        for (no, state) in &self.indexes {
            match self.streams.get(no) {
                Some(stream) if !stream.erased && state.version <= stream.version => {
                    stream.compare_index(core, state, snapshot, report).await?;
                }
                Some(stream) => report.differs(format!(
                    "session {}: its search index is at version {}, its events end at {}{}",
                    stream.row.id,
                    state.version,
                    stream.version,
                    if stream.erased { ", erased" } else { "" }
                )),
                None => report.differs(format!("a search index belongs to no session: {no}")),
            }
        }
        let strays = snapshot.stray_index_rows().await?;
        if strays > 0 {
            report.differs(format!(
                "{strays} documents of search indexes belong to none"
            ));
        }
        report.unseen.extend(self.unknown_kinds());
        let mut missing: Vec<_> = self
            .streams
            .values()
            .filter(|stream| !self.indexes.contains_key(&stream.row.no) && stream.is_searched())
            .map(|stream| stream.row.id.to_string())
            .collect();
        missing.sort_unstable();
        for name in missing {
            report.unseen.push(format!(
                "session {name}: its search index is not there; the next search makes it"
            ));
        }
        Ok(())
    }

    /// What is not compared because its kind is not known.
    fn unknown_kinds(&self) -> impl Iterator<Item = String> {
        let mut unknown = BTreeMap::<&str, usize>::new();
        for stream in self.streams.values().filter(|stream| !stream.erased) {
            let kind = stream.documents.as_ref().map(|documents| documents.kind);
            if let (Some(None), Some(name)) = (kind, kind_of_stream(&stream.row.id.session)) {
                *unknown.entry(name).or_default() += 1;
            }
        }
        let say = |(name, count)| {
            format!(
                "the search indexes of {count} collections of `{name}`, a kind that this program does not have"
            )
        };
        unknown.into_iter().map(say)
    }
}

impl Stream {
    pub(super) fn compare_documents(&self, report: &mut VerifyReport) {
        let missing = self.documents.as_ref().map_or(0, |it| it.missing.len());
        if missing > 0 && !self.erased {
            report.differs(format!(
                "session {}: the keys of {missing} documents are missing that no event removed",
                self.row.id
            ));
        }
    }

    /// Whether it is a collection with documents that are searched.
    fn is_searched(&self) -> bool {
        let is_searched = |documents: &Documents| {
            let searched = documents.kind.and_then(|kind| kind.searched);
            searched.is_some() && !documents.collection.documents.is_empty()
        };
        !self.erased && self.documents.as_ref().is_some_and(is_searched)
    }

    async fn compare_index(
        &self,
        core: &Core,
        state: &IndexState,
        snapshot: &mut dyn Snapshot,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let name = &self.row.id;
        let documents = self.documents.as_ref();
        if documents.is_some_and(|documents| documents.kind.is_none()) {
            // Its kind is reported once for all its collections.
            return Ok(());
        }
        let searched = documents.and_then(|documents| documents.kind?.searched);
        let at_version = documents.and_then(|documents| documents.indexed.as_ref());
        let (Some(searched), Some(documents), Some(indexed), Some(key)) =
            (searched, documents, at_version, &self.key)
        else {
            report.unseen.push(format!(
                "session {name}: its search index, which was being made"
            ));
            return Ok(());
        };
        if state.tokenizer != TOKENIZER {
            report.unseen.push(format!(
                "session {name}: its search index, which another version of the program made"
            ));
            return Ok(());
        }
        for id in snapshot.indexed(self.row.no).await? {
            let id = DocumentId::new(id);
            if !indexed.contains_key(&id) && !documents.changed.contains(&id) {
                report.differs(format!(
                    "session {name}: its search index has a document that no event says: {id}"
                ));
            }
        }
        // Documents that changed since may have been indexed already.
        let wanted: Vec<_> = indexed
            .values()
            .filter(|document| !documents.changed.contains(&document.id.mark()))
            .collect();
        let mut blinder = key.blinder();
        for page in wanted.chunks(DOCUMENTS_PAGE) {
            let mut rows = Vec::with_capacity(page.len());
            for document in page {
                // A document that is missing or damaged is reported as a blob.
                let Some(plain) = self.content(core, document).await? else {
                    continue;
                };
                let words = searched(document, &plain);
                rows.push(IndexRow {
                    document: document.id.mark().to_string(),
                    title: blinder.text(&words.title),
                    tags: blinder.text(&words.tags),
                    body: blinder.text(&words.body),
                });
            }
            report.indexed += rows.len() as u64;
            for id in snapshot.indexed_otherwise(self.row.no, &rows).await? {
                report.differs(format!(
                    "session {name}: its search index has other words than its document {id}"
                ));
            }
        }
        Ok(())
    }

    async fn content(
        &self,
        core: &Core,
        document: &Document,
    ) -> Result<Option<Vec<u8>>, ReadError> {
        let Some(key) = &self.key else {
            return Ok(None);
        };
        let sha256 = &document.blob.sha256;
        let found = core.content(self.row.no, &self.row.id, key, sha256);
        Ok(match found.await? {
            Content::Plain(plain) => Some(plain),
            Content::Damaged | Content::Missing => None,
        })
    }
}
