//! The head file: position and hash of a log's last event, written beside the log by each commit of this process. A log that is
//! behind its own head file lost events that were acknowledged, which nothing inside the log can tell.
//!
//! A head file is written after its commit is durable and is not synced: it is never ahead of a log that is whole, also after a
//! power cut. Where several processes write to one log, each has a head file in its own data folder.

use std::fs::{self, File, OpenOptions};
use std::io;
use std::path::{Path, PathBuf};

use aws_lc_rs::rand;
use chrono::{DateTime, SecondsFormat, Utc};
use data_encoding::{HEXLOWER, HEXLOWER_PERMISSIVE};
use domain::hash::Sha256;

use crate::anchor::{Acceptance, Accepted, HeadMismatch, LogHead, MismatchKind};
use crate::chain::Hash;
use crate::error::{OpenError, Storage};
use crate::rows::Head;

/// The name of the log's id in its table of facts.
pub(crate) const LOG_ID: &str = "log_id";

/// How the names of acceptances begin in that table.
pub(crate) const ACCEPTED: &str = "anchor_accepted_";

/// What stands at the beginning of a head file. The number is that of its format.
const MAGIC: &str = "palimpsest-head-1";

/// Digits of the checksum: enough to tell a damaged file.
const CHECK_DIGITS: usize = 16;

/// Bytes of the line that each commit writes: always the same number, so that it is written in place.
const LINE: usize = MAGIC.len() + 1 + 20 + 1 + 64 + 1 + CHECK_DIGITS + 1;

/// How the second line begins, which says where the log is.
const PLACE: &str = "at ";

/// The most of a head file that is read: the two lines, with a path of any length that systems allow.
const FILE_BYTES: usize = 64 * 1024;

impl From<Head> for LogHead {
    fn from(head: Head) -> Self {
        Self {
            position: head.position,
            hash: head.hash,
        }
    }
}

/// A new id of a log: 128 random bits.
pub(crate) fn new_log_id() -> String {
    let mut id = [0; 16];
    rand::fill(&mut id).expect("the operating system gives random bytes");
    HEXLOWER.encode(&id)
}

/// The log that is looked at: its id, if it was given one, and where the log is, for people.
#[derive(Clone, Debug)]
pub(crate) struct Named<'a> {
    pub(crate) id: Option<&'a str>,
    pub(crate) place: &'a str,
}

/// Where the head file of a log is, for readers of the log.
#[derive(Clone, Debug)]
pub(crate) struct HeadsView {
    pub(crate) folder: PathBuf,
    /// Where the log is, for people.
    pub(crate) place: String,
}

/// The id of a log, from its table of facts.
pub(crate) fn log_id(facts: &[(String, String)]) -> Option<&str> {
    let found = facts.iter().find(|(name, _)| name == LOG_ID);
    found.map(|(_, id)| id.as_str())
}

/// What the head files of a folder say of a log.
#[derive(Debug)]
pub(crate) enum KnownHead {
    Nothing,
    /// The log's own head file.
    Own {
        file: PathBuf,
        head: LogHead,
    },
    /// The head file of the log that was at this place before.
    Other {
        file: PathBuf,
        head: LogHead,
    },
    Damaged {
        file: PathBuf,
    },
}

impl KnownHead {
    /// Reads the head files. This has to be done before the end of the log is read, because the log may grow meanwhile.
    pub(crate) fn read(folder: &Path, named: &Named<'_>) -> Result<Self, Storage> {
        if let Some(id) = named.id {
            let file = folder.join(id);
            match contents(&file)? {
                Contents::Nothing => {}
                Contents::Damaged => return Ok(Self::Damaged { file }),
                Contents::Head { head, .. } => return Ok(Self::Own { file, head }),
            }
        }
        match named.id {
            Some(_) => Ok(Self::Nothing),
            None => Self::before(folder, named),
        }
    }

    /// The log that was at this place before; if there were several, the one with the highest position.
    fn before(folder: &Path, named: &Named<'_>) -> Result<Self, Storage> {
        let entries = match fs::read_dir(folder) {
            Ok(entries) => entries,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Self::Nothing),
            Err(error) => return Err(failed(folder, &error)),
        };
        let mut found = Self::Nothing;
        let mut furthest = 0;
        for entry in entries {
            let file = entry.map_err(|error| failed(folder, &error))?.path();
            let name = file.file_name().and_then(|name| name.to_str());
            if !name.is_some_and(is_log_id) {
                continue;
            }
            if let Contents::Head { head, place } = contents(&file)?
                && place == named.place
                && head.position > furthest
            {
                furthest = head.position;
                found = Self::Other { file, head };
            }
        }
        Ok(found)
    }

    /// The file and what it says, where it can be read.
    pub(crate) fn file(&self) -> Option<(PathBuf, LogHead)> {
        match self {
            Self::Own { file, head } | Self::Other { file, head } => Some((file.clone(), *head)),
            Self::Nothing | Self::Damaged { .. } => None,
        }
    }

    /// The position whose event has to be compared, if the log reaches it.
    pub(crate) fn position(&self) -> Option<u64> {
        match self {
            Self::Own { head, .. } if head.position > 0 => Some(head.position),
            Self::Nothing | Self::Own { .. } | Self::Other { .. } | Self::Damaged { .. } => None,
        }
    }

    /// How a log with this end, and with this hash at [`Self::position`], differs from the one that is known; `None` if it is the same log.
    pub(crate) fn compare(self, found: LogHead, there: Option<Hash>) -> Option<HeadMismatch> {
        let (kind, file, known) = match self {
            Self::Nothing => return None,
            Self::Own { file, head } if head.position > found.position => {
                (MismatchKind::Behind, file, Some(head))
            }
            Self::Own { file, head } if head.position > 0 && there != Some(head.hash) => {
                (MismatchKind::OtherEvent, file, Some(head))
            }
            Self::Own { .. } => return None,
            Self::Other { file, head } => (MismatchKind::OtherLog, file, Some(head)),
            Self::Damaged { file } => (MismatchKind::Damaged, file, None),
        };
        Some(HeadMismatch {
            kind,
            file,
            known,
            found,
        })
    }
}

/// Refuses a log that differs from the one that its head file describes, unless somebody accepts it: then returns the record to be kept of
/// the acceptance, with the name that this record gets in the log.
pub(crate) fn judge(
    mismatch: Option<HeadMismatch>,
    accept: Option<&Acceptance>,
    before: usize,
    now: DateTime<Utc>,
) -> Result<Option<(String, Accepted)>, OpenError> {
    let Some(mismatch) = mismatch else {
        return Ok(None);
    };
    let Some(acceptance) = accept else {
        return Err(OpenError::Behind(Box::new(mismatch)));
    };
    let hash = |head: &LogHead| HEXLOWER.encode(&head.hash);
    let accepted = Accepted {
        at: now.to_rfc3339_opts(SecondsFormat::Secs, true),
        by: acceptance.by.clone(),
        reason: acceptance.reason.clone(),
        from_position: mismatch.known.map(|known| known.position),
        from_hash: mismatch.known.as_ref().map(hash),
        to_position: mismatch.found.position,
        to_hash: hash(&mismatch.found),
        what: mismatch.what().to_owned(),
    };
    note_beside(&mismatch.file, &accepted)?;
    if mismatch.kind == MismatchKind::OtherLog {
        // The head file no longer describes the log at this place.
        let left = mismatch.file.with_extension("left");
        fs::rename(&mismatch.file, &left).map_err(|error| failed(&mismatch.file, &error))?;
    }
    Ok(Some((format!("{ACCEPTED}{:04}", before + 1), accepted)))
}

/// Adds a line to the file beside the head file. That file is kept even if the database is lost.
fn note_beside(file: &Path, accepted: &Accepted) -> Result<(), Storage> {
    use io::Write as _;
    let path = file.with_extension("accepted");
    let mut line = serde_json::to_vec(accepted).expect("an acceptance has only text keys");
    line.push(b'\n');
    let appended = private(OpenOptions::new().append(true).create(true))
        .open(&path)
        .and_then(|mut notes| notes.write_all(&line).and_then(|()| notes.sync_all()));
    appended.map_err(|error| failed(&path, &error))
}

/// What was accepted, from a log's table of facts.
pub(crate) fn accepted(facts: &[(String, String)]) -> Vec<Accepted> {
    let mut kept: Vec<_> = facts
        .iter()
        .filter(|(name, _)| name.starts_with(ACCEPTED))
        .collect();
    kept.sort_unstable();
    let read = |(_, value): &&(String, String)| serde_json::from_str(value).ok();
    kept.iter().filter_map(read).collect()
}

/// The head file of a log, open for writing.
#[derive(Debug)]
pub(crate) struct HeadFile {
    path: PathBuf,
    file: File,
    /// Whether the warning that the file could not be written was already given.
    is_silent: bool,
}

impl HeadFile {
    /// Makes the file, or takes the one that is there, and writes this head.
    pub(crate) fn open(
        folder: &Path,
        id: &str,
        place: &str,
        head: LogHead,
    ) -> Result<Self, Storage> {
        make_folder(folder).map_err(|error| failed(folder, &error))?;
        let path = folder.join(id);
        let opened =
            private(OpenOptions::new().write(true).create(true).truncate(false)).open(&path);
        let file = opened.map_err(|error| failed(&path, &error))?;
        let mut text = line(head).to_vec();
        text.extend_from_slice(format!("{PLACE}{}\n", place.replace(['\n', '\r'], " ")).as_bytes());
        write_at(&file, &text)
            .and_then(|()| file.set_len(text.len() as u64))
            .map_err(|error| failed(&path, &error))?;
        Ok(Self {
            path,
            file,
            is_silent: false,
        })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// To be called after a commit. The events of the commit are safe, so a failure here does not make it fail.
    pub(crate) fn write(&mut self, head: LogHead) {
        let written = write_at(&self.file, &line(head));
        if let Err(error) = written
            && !std::mem::replace(&mut self.is_silent, true)
        {
            tracing::warn!(%error, file = %self.path.display(), "the head file could not be written; a loss of the log's last events would not be noticed");
        }
    }
}

fn line(head: LogHead) -> [u8; LINE] {
    use io::Write as _;
    let mut line = [0; LINE];
    let mut rest = &mut line[..];
    let end = LINE - CHECK_DIGITS - 1;
    write!(rest, "{MAGIC} {:020} ", head.position)
        .and_then(|()| rest.write_all(HEXLOWER.encode(&head.hash).as_bytes()))
        .and_then(|()| rest.write_all(b" "))
        .expect("it has room for all of its parts");
    let check = Sha256::of(&line[..end]);
    line[end..LINE - 1].copy_from_slice(&check.hex().as_bytes()[..CHECK_DIGITS]);
    line[LINE - 1] = b'\n';
    line
}

enum Contents {
    Nothing,
    Head { head: LogHead, place: String },
    Damaged,
}

fn contents(file: &Path) -> Result<Contents, Storage> {
    use io::Read as _;
    let mut bytes = vec![];
    let read =
        File::open(file).and_then(|opened| opened.take(FILE_BYTES as u64).read_to_end(&mut bytes));
    match read {
        Ok(_) => Ok(parse(&bytes)),
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Contents::Nothing),
        Err(error) => Err(failed(file, &error)),
    }
}

fn parse(bytes: &[u8]) -> Contents {
    // After a power cut the file may have its length but only zeros as its content.
    if bytes.iter().all(|byte| *byte == 0) {
        return Contents::Nothing;
    }
    let read = || {
        let (first, rest) = bytes.split_at_checked(LINE)?;
        let text = std::str::from_utf8(first).ok()?;
        let mut parts = text.trim_end().split(' ').skip(1);
        let position = parts.next()?.parse().ok()?;
        let hash = HEXLOWER_PERMISSIVE.decode(parts.next()?.as_bytes()).ok()?;
        let head = LogHead {
            position,
            hash: hash.try_into().ok()?,
        };
        let rest = String::from_utf8_lossy(rest);
        let place = rest.strip_prefix(PLACE).unwrap_or_default().trim_end();
        (line(head) == first).then(|| Contents::Head {
            head,
            place: place.to_owned(),
        })
    };
    read().unwrap_or(Contents::Damaged)
}

fn is_log_id(name: &str) -> bool {
    name.len() == 32 && name.bytes().all(|byte| byte.is_ascii_hexdigit())
}

#[cfg(unix)]
fn write_at(file: &File, bytes: &[u8]) -> io::Result<()> {
    std::os::unix::fs::FileExt::write_all_at(file, bytes, 0)
}

#[cfg(not(unix))]
fn write_at(mut file: &File, bytes: &[u8]) -> io::Result<()> {
    use io::{Seek as _, Write as _};
    file.rewind()?;
    file.write_all(bytes)
}

/// For files that only this user may read.
pub(crate) fn private(options: &mut OpenOptions) -> &mut OpenOptions {
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(options, 0o600);
    options
}

/// Makes a folder, and those above it, that only this user may look into.
pub(crate) fn make_folder(folder: &Path) -> io::Result<()> {
    let mut builder = fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.create(folder)
}

fn failed(path: &Path, error: &io::Error) -> Storage {
    Storage::new(
        "looking at the head file",
        format!("{}: {error}", path.display()),
        "check that the data folder exists and can be written to",
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn head(position: u64) -> LogHead {
        LogHead {
            position,
            hash: [position as u8; 32],
        }
    }

    const ID: &str = "00112233445566778899aabbccddeeff";

    fn named(id: &str) -> Named<'_> {
        Named {
            id: Some(id),
            place: "here",
        }
    }

    #[test]
    fn a_head_file_says_what_was_written_last() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut file = HeadFile::open(folder.path(), ID, "here", head(1)).expect("opens");
        for position in [2, 300, u64::MAX] {
            file.write(head(position));
            let known = KnownHead::read(folder.path(), &named(ID)).expect("reads");
            assert!(
                matches!(known, KnownHead::Own { head: found, .. } if found == head(position)),
                "{known:?}"
            );
        }
    }

    #[test]
    fn a_log_behind_its_head_file_or_with_another_event_there_is_told_and_one_that_went_on_is_not()
    {
        let folder = tempfile::tempdir().expect("a folder");
        HeadFile::open(folder.path(), ID, "here", head(5)).expect("opens");
        let compare = |found: LogHead, there: Option<Hash>| {
            let known = KnownHead::read(folder.path(), &named(ID)).expect("reads");
            known.compare(found, there).map(|mismatch| mismatch.kind)
        };
        assert_eq!(compare(head(5), Some([5; 32])), None);
        assert_eq!(compare(head(9), Some([5; 32])), None);
        assert_eq!(compare(head(4), None), Some(MismatchKind::Behind));
        assert_eq!(
            compare(head(9), Some([6; 32])),
            Some(MismatchKind::OtherEvent)
        );
        assert_eq!(compare(head(9), None), Some(MismatchKind::OtherEvent));
    }

    #[test]
    fn a_new_log_in_the_place_of_another_one_is_told_until_it_is_accepted() {
        let folder = tempfile::tempdir().expect("a folder");
        HeadFile::open(folder.path(), ID, "here", head(5)).expect("opens");
        let mismatch = |place| {
            let named = Named { id: None, place };
            let known = KnownHead::read(folder.path(), &named).expect("reads");
            known.compare(LogHead::NOTHING, None)
        };
        assert_eq!(mismatch("elsewhere"), None);
        let told = mismatch("here").expect("is told");
        assert_eq!(told.kind, MismatchKind::OtherLog);
        let now = DateTime::UNIX_EPOCH;
        let refused = judge(Some(told.clone()), None, 0, now);
        assert!(matches!(refused, Err(OpenError::Behind(_))), "{refused:?}");
        let acceptance = Acceptance {
            by: "ann".to_owned(),
            reason: "a new beginning".to_owned(),
        };
        let kept = judge(Some(told), Some(&acceptance), 0, now).expect("is accepted");
        let (name, accepted) = kept.expect("is kept");
        assert_eq!(name, "anchor_accepted_0001");
        assert_eq!((accepted.from_position, accepted.to_position), (Some(5), 0));
        assert_eq!(mismatch("here"), None);
        let beside = folder.path().join(format!("{ID}.accepted"));
        assert!(
            fs::read_to_string(beside)
                .expect("there")
                .contains("a new beginning")
        );
    }

    #[test]
    fn a_damaged_head_file_is_told_and_an_empty_one_says_nothing() {
        let folder = tempfile::tempdir().expect("a folder");
        HeadFile::open(folder.path(), ID, "here", head(5)).expect("opens");
        let path = folder.path().join(ID);
        let whole = fs::read(&path).expect("there");
        for at in 0..LINE {
            let mut changed = whole.clone();
            changed[at] ^= 1;
            fs::write(&path, &changed).expect("written");
            let known = KnownHead::read(folder.path(), &named(ID)).expect("reads");
            assert!(
                matches!(known, KnownHead::Damaged { .. }),
                "changed at {at}"
            );
        }
        for nothing in [&[][..], &[0; LINE][..]] {
            fs::write(&path, nothing).expect("written");
            let known = KnownHead::read(folder.path(), &named(ID)).expect("reads");
            assert!(matches!(known, KnownHead::Nothing), "{known:?}");
        }
    }
}
