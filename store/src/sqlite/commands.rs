//! What the writer remembers of the commands it wrote, so that a session that began a moment ago is not asked on disk, for
//! each command, whether it had it before.

use crate::cache::Cache;
use crate::ids::CommandId;
use crate::limits::{REMEMBERED_COMMANDS, REMEMBERED_STREAMS};

/// The commands of streams of which all are known, as the first half of each id.
pub(super) struct Commands(Cache<i64, Vec<u64>>);

impl Commands {
    pub(super) fn new() -> Self {
        Self(Cache::new(REMEMBERED_STREAMS))
    }

    /// Whether the stream may have this command. `false` is certain; after `true` the database has to be asked.
    pub(super) fn may_have(&mut self, stream: i64, command: &CommandId) -> bool {
        self.0
            .get_mut(&stream)
            .is_none_or(|known| known.contains(&half(command)))
    }

    /// This stream begins, so it has no commands but those that are told from now on.
    pub(super) fn begin(&mut self, stream: i64) {
        self.0.insert(stream, vec![]);
    }

    pub(super) fn put(&mut self, stream: i64, command: &CommandId) {
        let Some(known) = self.0.get_mut(&stream) else {
            return;
        };
        if known.len() < REMEMBERED_COMMANDS {
            known.push(half(command));
        } else {
            self.0.remove(&stream);
        }
    }
}

fn half(command: &CommandId) -> u64 {
    let (half, _) = command.0.split_first_chunk().expect("an id has 16 bytes");
    u64::from_le_bytes(*half)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(n: u64) -> CommandId {
        let mut id = [0; 16];
        id[..8].copy_from_slice(&n.to_le_bytes());
        CommandId(id)
    }

    #[test]
    fn only_of_a_stream_whose_beginning_was_seen_anything_is_certain() {
        let mut commands = Commands::new();
        commands.put(1, &command(1));
        assert!(commands.may_have(1, &command(2)));
        commands.begin(2);
        commands.put(2, &command(1));
        assert!(commands.may_have(2, &command(1)));
        assert!(!commands.may_have(2, &command(2)));
    }

    #[test]
    fn a_stream_with_too_many_commands_is_asked_on_disk_again() {
        let mut commands = Commands::new();
        commands.begin(1);
        for n in 0..=REMEMBERED_COMMANDS as u64 {
            assert!(!commands.may_have(1, &command(n)));
            commands.put(1, &command(n));
        }
        assert!(commands.may_have(1, &command(u64::MAX)));
    }
}
