//! How many connections an owner has open.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

type Counts = Arc<Mutex<HashMap<String, usize>>>;

/// The number of open connections by owner.
#[derive(Default)]
pub(super) struct Admissions(Counts);

/// Why a connection is refused.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{open} connections are open, at most {most} may be; close one first")]
pub struct TooManyConnections {
    pub open: usize,
    pub most: usize,
}

/// One connection, until it is dropped.
pub struct Admission {
    counts: Counts,
    owner: String,
}

impl Admissions {
    pub(super) fn admit(&self, owner: &str, most: usize) -> Result<Admission, TooManyConnections> {
        let mut counts = lock(&self.0);
        let open = counts.get(owner).copied().unwrap_or(0);
        if open >= most {
            return Err(TooManyConnections { open, most });
        }
        counts.insert(owner.to_owned(), open + 1);
        Ok(Admission {
            counts: Arc::clone(&self.0),
            owner: owner.to_owned(),
        })
    }
}

impl Drop for Admission {
    fn drop(&mut self) {
        let mut counts = lock(&self.counts);
        let left = counts.get(&self.owner).map_or(0, |open| open - 1);
        if left == 0 {
            counts.remove(&self.owner);
        } else {
            counts.insert(self.owner.clone(), left);
        }
    }
}

fn lock(counts: &Counts) -> MutexGuard<'_, HashMap<String, usize>> {
    counts.lock().expect("nobody panics while counting")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_owner_has_so_many_connections_and_no_more() {
        let admissions = Admissions::default();
        let first = admissions.admit("ada", 1);
        assert_eq!(
            admissions.admit("ada", 1).map(drop),
            Err(TooManyConnections { open: 1, most: 1 })
        );
        assert!(admissions.admit("bob", 1).is_ok());
        drop(first);
        assert!(admissions.admit("ada", 1).is_ok());
        assert_eq!(lock(&admissions.0).len(), 0);
    }
}
