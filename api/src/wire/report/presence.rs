//! Which sessions are followed by connections of this process.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use store::StreamId;

use crate::keys::Owner;

/// Counts connections by session. A clone counts the same.
#[derive(Clone, Default)]
pub(super) struct Presence(Arc<Mutex<HashMap<StreamId, usize>>>);

/// One connection of a session, until it is given back or dropped.
pub(super) struct Seat {
    presence: Presence,
    stream: StreamId,
    left: bool,
}

impl Presence {
    pub(super) fn enter(&self, stream: StreamId) -> Seat {
        *self.lock().entry(stream.clone()).or_default() += 1;
        Seat {
            presence: self.clone(),
            stream,
            left: false,
        }
    }

    /// Sessions of this owner that somebody follows.
    pub(super) fn sessions_of(&self, owner: &Owner) -> usize {
        let followed = self.lock();
        followed
            .keys()
            .filter(|stream| stream.owner == owner.0)
            .count()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamId, usize>> {
        self.0.lock().expect("nobody panics while counting")
    }
}

impl Seat {
    /// Leaves, and says whether nobody is there any longer.
    pub(super) fn leave(mut self) -> bool {
        self.give_back()
    }

    fn give_back(&mut self) -> bool {
        if self.left {
            return false;
        }
        self.left = true;
        let mut followed = self.presence.lock();
        let others = followed.get(&self.stream).map_or(0, |count| count - 1);
        if others == 0 {
            followed.remove(&self.stream);
        } else {
            followed.insert(self.stream.clone(), others);
        }
        others == 0
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use domain::SessionId;

    use super::*;

    #[test]
    fn the_last_one_who_leaves_is_told_so() {
        let presence = Presence::default();
        let (ada, bob) = (Owner("ada".to_owned()), Owner("bob".to_owned()));
        let stream = ada.stream(&SessionId::new("s1"));
        let (first, second) = (presence.enter(stream.clone()), presence.enter(stream));
        assert_eq!(
            (presence.sessions_of(&ada), presence.sessions_of(&bob)),
            (1, 0)
        );
        assert!(!first.leave());
        assert!(second.leave());
        assert_eq!(presence.sessions_of(&ada), 0);
    }
}
