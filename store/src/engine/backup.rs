//! Backing up: the database as it is at one moment, then the large blobs that it names. The log is in use meanwhile.

use std::collections::BTreeSet;
use std::path::Path;

use chrono::SecondsFormat;
use domain::hash::Sha256;

use super::EventLog;
use crate::anchor::LogHead;
use crate::backend::DatabaseCopy;
use crate::backup::{
    BLOBS, BackupDraft, BackupError, BackupFile, BackupManifest, DatabaseKind, FORMAT, KEYS,
    write_file,
};
use crate::heads::log_id;
use crate::limits::BACKUP_SNAPSHOTS;
use crate::objects::object_name;
use crate::verify::find_large_blobs;

/// What one snapshot gave.
struct CopiedLog {
    kind: DatabaseKind,
    schema: i64,
    head: LogHead,
    files: Vec<BackupFile>,
    /// Blobs that are not where they are looked for, in words.
    lost: Vec<String>,
    /// What of the log could not be read, in words.
    unread: Vec<String>,
}

impl EventLog {
    /// Backs the log up into a folder that is empty or not there yet, with these keys (names and texts), and returns what is in it.
    /// `program` is the version of the program.
    ///
    /// # Errors
    ///
    /// The folder cannot be used, or something cannot be read. Nothing is left then.
    pub async fn back_up(
        &self,
        folder: &Path,
        program: &str,
        keys: &[(String, String)],
    ) -> Result<BackupManifest, BackupError> {
        let draft = BackupDraft::begin(folder)?;
        let made = self.write_backup(&draft, program, keys).await;
        if made.is_err()
            && let Err(error) = draft.discard()
        {
            tracing::warn!(%error, folder = %draft.part.display(), "what was written of the backup stays; remove it");
        }
        made
    }

    async fn write_backup(
        &self,
        draft: &BackupDraft,
        program: &str,
        keys: &[(String, String)],
    ) -> Result<BackupManifest, BackupError> {
        let core = self.core();
        let mut copied = self.copy_log(&draft.part).await?;
        for _ in 1..BACKUP_SNAPSHOTS {
            if copied.lost.is_empty() {
                break;
            }
            // A session or a document was erased since the snapshot; in the next one, the log says so.
            draft.empty()?;
            copied = self.copy_log(&draft.part).await?;
        }
        let CopiedLog {
            kind,
            schema,
            head,
            mut files,
            lost,
            unread,
        } = copied;
        for (name, text) in keys {
            let path = format!("{KEYS}/{name}");
            files.push(write_file(&draft.part, &path, text.as_bytes())?);
        }
        let facts = core.rows.facts().await?;
        let manifest = BackupManifest {
            format: FORMAT,
            program: program.to_owned(),
            database: kind,
            schema,
            log: log_id(&facts).map(str::to_owned),
            position: head.position,
            hash: Sha256::from(head.hash),
            master_key: core.master.fingerprint(),
            keys: !keys.is_empty(),
            made_at: (core.clock)().to_rfc3339_opts(SecondsFormat::Secs, true),
            files,
            missing: unread.into_iter().chain(lost).collect(),
        };
        draft.finish(&manifest)?;
        Ok(manifest)
    }

    async fn copy_log(&self, part: &Path) -> Result<CopiedLog, BackupError> {
        let core = self.core();
        let DatabaseCopy {
            kind,
            schema,
            mut files,
            mut snapshot,
        } = core.rows.copy_into(part).await?;
        let found = find_large_blobs(core, &mut *snapshot).await?;
        drop(snapshot);
        let (mut lost, mut copied) = (vec![], BTreeSet::new());
        for blob in &found.blobs {
            let mut is_found = false;
            for stream in &blob.streams {
                let name = object_name(stream, &blob.name);
                is_found = copied.contains(&name);
                if !is_found && let Some(sealed) = core.objects.get(stream, &blob.name).await? {
                    files.push(write_file(part, &format!("{BLOBS}/{name}"), &sealed)?);
                    copied.insert(name);
                    is_found = true;
                }
                if is_found {
                    break;
                }
            }
            if !is_found {
                let session = blob.streams.first().map(ToString::to_string);
                let session = session.unwrap_or_default();
                lost.push(format!("session {session}: its blob {}", blob.name));
            }
        }
        let mut unread = vec![];
        if let Some(broken) = found.broken {
            unread.push(format!(
                "blobs of events that cannot be read, the first at position {}: {}",
                broken.position, broken.what
            ));
        }
        if found.unknown > 0 {
            unread.push(format!(
                "blobs of {} events that this program does not know",
                found.unknown
            ));
        }
        Ok(CopiedLog {
            kind,
            schema,
            head: found.head,
            files,
            lost,
            unread,
        })
    }
}
