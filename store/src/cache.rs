//! A bounded cache. It has two generations: when the young one is full it becomes the old one, and the entries that were not asked for
//! since then are dropped. A hit needs no list to be maintained, and the cache never holds more than its limit.

use std::borrow::Borrow;
use std::hash::Hash;

use foldhash::{HashMap, HashMapExt};

pub(crate) struct Cache<K, V> {
    young: HashMap<K, V>,
    old: HashMap<K, V>,
    half: usize,
}

impl<K: Eq + Hash, V: Clone> Cache<K, V> {
    pub(crate) fn new(limit: usize) -> Self {
        Self {
            young: HashMap::new(),
            old: HashMap::new(),
            half: (limit / 2).max(1),
        }
    }

    pub(crate) fn get<Q>(&mut self, key: &Q) -> Option<V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.get_mut(key).cloned()
    }

    pub(crate) fn get_mut<Q>(&mut self, key: &Q) -> Option<&mut V>
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        if let Some((key, value)) = self.old.remove_entry(key) {
            self.insert(key, value);
        }
        self.young.get_mut(key)
    }

    pub(crate) fn insert(&mut self, key: K, value: V) {
        if self.young.len() >= self.half {
            self.old = std::mem::take(&mut self.young);
        }
        self.old.remove(&key);
        self.young.insert(key, value);
    }

    pub(crate) fn remove<Q>(&mut self, key: &Q)
    where
        K: Borrow<Q>,
        Q: Eq + Hash + ?Sized,
    {
        self.young.remove(key);
        self.old.remove(key);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_stays_and_the_limit_holds() {
        let mut cache = Cache::new(4);
        for n in 0..100 {
            cache.insert(n, n);
            assert_eq!(cache.get(&0), Some(0));
            assert!(cache.young.len() + cache.old.len() <= 4);
        }
        assert_eq!(cache.get(&1), None);
    }
}
