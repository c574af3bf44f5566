//! Things that are made when somebody first asks for them and dropped some time after nobody uses them any longer.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::{Arc, Mutex, MutexGuard};

pub(super) struct Registry<K, T> {
    entries: Mutex<HashMap<K, Entry<T>>>,
}

struct Entry<T> {
    thing: Arc<T>,
    /// Asked for since the last sweep.
    asked: bool,
}

impl<K: Eq + Hash, T> Registry<K, T> {
    pub(super) fn new() -> Self {
        Self {
            entries: Mutex::new(HashMap::new()),
        }
    }

    pub(super) fn get_or_insert(&self, key: K, make: impl FnOnce() -> T) -> Arc<T> {
        let mut entries = self.lock();
        let entry = entries.entry(key).or_insert_with(|| Entry {
            thing: Arc::new(make()),
            asked: true,
        });
        entry.asked = true;
        Arc::clone(&entry.thing)
    }

    /// Removes everything whose key fits, and returns it.
    pub(super) fn remove(&self, is_it: impl Fn(&K) -> bool) -> Vec<Arc<T>> {
        let mut entries = self.lock();
        let taken = entries.extract_if(|key, _| is_it(key));
        taken.map(|(_, entry)| entry.thing).collect()
    }

    /// Drops what nobody holds and nobody asked for since the last sweep.
    pub(super) fn sweep(&self) {
        self.lock().retain(|_, entry| {
            // A thing that is held now counts as used at the next sweep, too.
            let used = Arc::strong_count(&entry.thing) > 1 || entry.asked;
            entry.asked = Arc::strong_count(&entry.thing) > 1;
            used
        });
    }

    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.lock().len()
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<K, Entry<T>>> {
        self.entries
            .lock()
            .expect("nobody panics while holding the registry")
    }
}
