//! Which sessions are followed in this process, with what is kept as long as somebody follows.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard};

use store::StreamId;

use crate::keys::Owner;

/// Counts those who follow, by session, and keeps a `T` for each session. A clone counts the same.
pub struct Presence<T>(Arc<Mutex<HashMap<StreamId, Followed<T>>>>);

#[derive(Default)]
struct Followed<T> {
    count: usize,
    kept: T,
}

/// The place of one who follows a session, until it is given back or dropped.
pub struct Seat<T> {
    presence: Presence<T>,
    stream: StreamId,
    is_left: bool,
}

impl<T> Clone for Presence<T> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

impl<T> Default for Presence<T> {
    fn default() -> Self {
        Self(Arc::default())
    }
}

impl<T: Default> Presence<T> {
    /// Somebody begins to follow a session; `note` changes what is kept for it.
    pub fn enter(&self, stream: StreamId, note: impl FnOnce(&mut T)) -> Seat<T> {
        let mut followed = self.lock();
        let session = followed.entry(stream.clone()).or_default();
        session.count += 1;
        note(&mut session.kept);
        drop(followed);
        Seat {
            presence: self.clone(),
            stream,
            is_left: false,
        }
    }
}

impl<T> Presence<T> {
    /// Sessions of this owner that somebody follows.
    pub fn sessions_of(&self, owner: &Owner) -> usize {
        let followed = self.lock();
        let streams = followed.keys();
        streams.filter(|stream| stream.owner == owner.0).count()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<StreamId, Followed<T>>> {
        self.0.lock().expect("nobody panics while counting")
    }
}

impl<T> Seat<T> {
    /// Gives the place back; gives what was kept, if nobody follows the session any longer.
    pub fn leave(mut self) -> Option<T> {
        self.give_back()
    }

    fn give_back(&mut self) -> Option<T> {
        if std::mem::replace(&mut self.is_left, true) {
            return None;
        }
        let mut followed = self.presence.lock();
        let session = followed.get_mut(&self.stream)?;
        session.count -= 1;
        if session.count > 0 {
            return None;
        }
        followed.remove(&self.stream).map(|session| session.kept)
    }
}

impl<T> Drop for Seat<T> {
    fn drop(&mut self) {
        self.give_back();
    }
}

#[cfg(test)]
mod tests {
    use domain::SessionId;

    use super::*;

    #[test]
    fn who_leaves_last_gets_what_was_kept() {
        let presence = Presence::<Vec<u32>>::default();
        let (ada, bob) = (Owner("ada".to_owned()), Owner("bob".to_owned()));
        let stream = ada.stream(&SessionId::new("s1"));
        let first = presence.enter(stream.clone(), |kept| kept.push(1));
        let second = presence.enter(stream.clone(), |_| {});
        assert_eq!(
            (presence.sessions_of(&ada), presence.sessions_of(&bob)),
            (1, 0)
        );
        assert_eq!(first.leave(), None);
        assert_eq!(second.leave(), Some(vec![1]));
        assert_eq!(presence.sessions_of(&ada), 0);
        // Nothing of it is there when somebody comes again.
        drop(presence.enter(stream.clone(), |kept| kept.push(2)));
        assert_eq!(presence.enter(stream, |_| {}).leave(), Some(vec![]));
    }
}
