//! What the writer remembers of the sessions that it saw begin: their commands and their blobs. So the writer does not have to look on disk
//! whether a session that began a moment ago already has a command or a blob.

use crate::cache::Cache;
use crate::ids::CommandId;
use crate::limits::{REMEMBERED_NAMES, REMEMBERED_STREAMS};

/// Streams of which everything is known.
pub(super) struct KnownStreams(Cache<i64, Stream>);

#[derive(Clone, Default)]
struct Stream {
    commands: Names,
    blobs: Names,
}

impl KnownStreams {
    pub(super) fn new() -> Self {
        Self(Cache::new(REMEMBERED_STREAMS))
    }

    /// This stream begins now, so it has only what is recorded here from now on.
    pub(super) fn begin(&mut self, stream: i64) {
        self.0.insert(stream, Stream::default());
    }

    /// Whether the stream may have this command. `false` is certain; after `true` the database has to be asked.
    pub(super) fn may_have_command(&mut self, stream: i64, command: &CommandId) -> bool {
        let known = self.0.get_mut(&stream);
        known.is_none_or(|known| known.commands.may_have(beginning(&command.0)))
    }

    pub(super) fn put_command(&mut self, stream: i64, command: &CommandId) {
        if let Some(known) = self.0.get_mut(&stream) {
            known.commands.put(beginning(&command.0));
        }
    }

    /// Whether the stream may have a blob with this hash. As with commands, only `false` is certain.
    pub(super) fn may_have_blob(&mut self, stream: i64, sha256: &[u8; 32]) -> bool {
        let known = self.0.get_mut(&stream);
        known.is_none_or(|known| known.blobs.may_have(beginning(sha256)))
    }

    pub(super) fn put_blob(&mut self, stream: i64, sha256: &[u8; 32]) {
        if let Some(known) = self.0.get_mut(&stream) {
            known.blobs.put(beginning(sha256));
        }
    }
}

/// The first bytes of all names of a kind that a stream has; `None` once there are too many to be remembered.
#[derive(Clone)]
struct Names(Option<Vec<u64>>);

impl Default for Names {
    fn default() -> Self {
        Self(Some(vec![]))
    }
}

impl Names {
    fn may_have(&self, beginning: u64) -> bool {
        let all = self.0.as_ref();
        all.is_none_or(|all| all.contains(&beginning))
    }

    fn put(&mut self, beginning: u64) {
        match &mut self.0 {
            Some(all) if all.len() < REMEMBERED_NAMES => all.push(beginning),
            all => *all = None,
        }
    }
}

fn beginning(name: &[u8]) -> u64 {
    let (beginning, _) = name.split_first_chunk().expect("names are long hashes");
    u64::from_le_bytes(*beginning)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(n: u64) -> CommandId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&n.to_le_bytes());
        CommandId(id)
    }

    fn blob(n: u64) -> [u8; 32] {
        let mut sha256 = [0; 32];
        sha256[..8].copy_from_slice(&n.to_le_bytes());
        sha256
    }

    #[test]
    fn only_of_a_stream_whose_beginning_was_seen_anything_is_certain() {
        let mut known = KnownStreams::new();
        known.put_command(1, &command(1));
        known.put_blob(1, &blob(1));
        assert!(known.may_have_command(1, &command(2)));
        assert!(known.may_have_blob(1, &blob(2)));
        known.begin(2);
        known.put_command(2, &command(1));
        known.put_blob(2, &blob(2));
        let commands = [1, 2].map(|n| known.may_have_command(2, &command(n)));
        assert_eq!(commands, [true, false]);
        let blobs = [1, 2].map(|n| known.may_have_blob(2, &blob(n)));
        assert_eq!(blobs, [false, true]);
    }

    #[test]
    fn a_stream_with_too_many_of_a_kind_is_asked_on_disk_again() {
        let mut known = KnownStreams::new();
        known.begin(1);
        for n in 0..=REMEMBERED_NAMES as u64 {
            assert!(!known.may_have_command(1, &command(n)));
            known.put_command(1, &command(n));
        }
        assert!(known.may_have_command(1, &command(u64::MAX)));
        assert!(!known.may_have_blob(1, &blob(u64::MAX)));
    }
}
