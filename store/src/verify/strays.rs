//! Owed work is held against the events: nothing is owed that they do not oblige to. Work that was done has no row, so it is looked for in
//! the place for blobs: an object that nobody needs is either owed, or a stray.

use std::collections::{BTreeMap, BTreeSet, HashMap};

use domain::hash::Sha256;

use super::{Rebuilt, Stream, VerifyReport};
use crate::backend::Snapshot;
use crate::core::Core;
use crate::error::ReadError;
use crate::limits::STRAY_AFTER;
use crate::objects::folder_name;
use crate::rows::{Owed, OwedRow, micros};

/// What is wrong with the objects of the streams whose objects may be strays.
#[derive(Default)]
struct Strays {
    /// How many objects erased streams have.
    left: BTreeMap<String, u64>,
    /// The places of contents that no document has.
    unnamed: Vec<String>,
    /// How many such contents came just now.
    young: u64,
}

impl Rebuilt {
    pub(super) async fn find_strays(
        &self,
        core: &Core,
        snapshot: &mut dyn Snapshot,
        shallow: bool,
        report: &mut VerifyReport,
    ) -> Result<(), ReadError> {
        let owed: BTreeSet<OwedRow> = snapshot.owed().await?.into_iter().collect();
        for row in owed.iter().filter(|row| !self.is_owed(row)) {
            report.differs(format!("stored owed work that no event says: {row:?}"));
        }
        if shallow {
            let unseen = "objects in the place for blobs that nobody needs".to_owned();
            report.unseen.push(unseen);
            return Ok(());
        }
        // Others are not known, or belong to a session that lives, which may have put them for an event that is still to come.
        let streams = self.streams.values().filter(|stream| {
            let is_read = stream.documents.is_some() && stream.key.is_some() && !stream.unknown;
            stream.erased || is_read
        });
        let folders: HashMap<String, &Stream> = streams
            .map(|stream| (folder_name(&stream.row.id), stream))
            .collect();
        let grown = core.now() - micros(STRAY_AFTER);
        let mut strays = Strays::default();
        let looked = core.objects.for_each(|place, came| {
            let is_young = came.timestamp_micros() > grown;
            strays.take(&folders, &owed, place, is_young);
        });
        looked.await?;
        strays.tell(report);
        Ok(())
    }

    /// Whether the events oblige to this, as far as they are known.
    fn is_owed(&self, row: &OwedRow) -> bool {
        let Some(stream) = self.streams.get(&row.stream_no) else {
            return false;
        };
        match row.owed {
            Owed::Objects => stream.erased,
            Owed::Object(name) => stream.erased || !stream.bodies.contains_key(&name),
            Owed::Residue => true,
        }
    }
}

impl Strays {
    fn take(
        &mut self,
        folders: &HashMap<String, &Stream>,
        owed: &BTreeSet<OwedRow>,
        place: &str,
        is_young: bool,
    ) {
        // The folder of a stream has two parts.
        let Some((slash, _)) = place.match_indices('/').nth(1) else {
            return;
        };
        let (folder, name) = (&place[..slash], &place[slash + 1..]);
        let Some(stream) = folders.get(folder) else {
            return;
        };
        let is_wanted = |owed_work| {
            owed.contains(&OwedRow {
                stream_no: stream.row.no,
                owed: owed_work,
            })
        };
        if stream.erased {
            if !is_wanted(Owed::Objects) {
                *self.left.entry(stream.row.id.to_string()).or_default() += 1;
            }
            return;
        }
        // Anything else beside the contents is an answer that waits.
        let Ok(name) = name.parse::<Sha256>() else {
            return;
        };
        let name = *name.as_bytes();
        if stream.bodies.contains_key(&name) || is_wanted(Owed::Object(name)) {
            return;
        }
        if is_young {
            self.young += 1;
        } else {
            self.unnamed.push(place.to_owned());
        }
    }

    fn tell(self, report: &mut VerifyReport) {
        for (name, count) in self.left {
            report.differs(format!(
                "session {name} was erased, and {count} objects of it are in the place for blobs; delete them there"
            ));
        }
        for place in self.unnamed {
            report.differs(format!(
                "the object {place} in the place for blobs is the content of no document; delete it there"
            ));
        }
        if self.young > 0 {
            report.unseen.push(format!(
                "{} contents that came within the last hour and that no document has yet",
                self.young
            ));
        }
    }
}
