//! The number of files that the process may have open. Each connection takes one.

use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};

/// Files that are kept free for the database, uploads, blobs, fonts and the providers of models.
const RESERVE: u64 = 256;

/// If the process may have few files open, one part in this many is kept free for these instead.
const RESERVE_OF: u64 = 2;

/// Raises the limit of open files to what the system allows this process, and gives how many connections fit into it.
pub(crate) fn raise_limit() -> Option<usize> {
    let found = getrlimit(Resource::Nofile);
    if found.current != found.maximum {
        let raised = Rlimit {
            current: found.maximum,
            maximum: found.maximum,
        };
        if let Err(error) = setrlimit(Resource::Nofile, raised) {
            tracing::warn!(%error, "the limit of open files stays as it is");
        }
    }
    let files = getrlimit(Resource::Nofile).current?;
    let connections = connections_of(files);
    Some(usize::try_from(connections).unwrap_or(usize::MAX))
}

fn connections_of(files: u64) -> u64 {
    let reserve = RESERVE.min(files / RESERVE_OF);
    files.saturating_sub(reserve).max(1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_files_are_kept_free_of_connections() {
        let counts = [1, 64, 512, 1024, 20_000].map(connections_of);
        assert_eq!(counts, [1, 32, 256, 768, 19_744]);
    }
}
