//! Slows down attempts with wrong keys, for each address that they come from.

use std::collections::{HashMap, HashSet};
use std::sync::{Arc, Mutex, MutexGuard};

use tokio::time::Instant;

use crate::bucket::Bucket;
use crate::shares::{Account, bites};

/// Wrong keys that an address may show at once. An office may have an old key in every tab and program.
const WRONG_KEYS_BURST: u32 = 30;

/// Wrong keys a second that an address may show in the long run. At this rate, finding a key of forty random bits takes some ten thousand
/// years.
const WRONG_KEYS_PER_SECOND: u32 = 1;

/// Addresses that are remembered. If there are more at a time, many machines are attacking, and the further ones are counted together.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong keys of all addresses.
#[derive(Default)]
pub(super) struct Brake(Mutex<HashMap<Account, Tries>>);

struct Tries {
    left: Bucket,
    /// Hashes of keys that were accepted from here. They are still accepted when others at the same address show wrong keys.
    right: HashSet<Arc<[u8]>>,
}

impl Brake {
    /// Whether a key from this address is checked at all. If not, even an unknown right key is refused like a wrong one; otherwise guessing
    /// would go on.
    pub(super) fn lets_try(&self, address: &Account, hash: &[u8]) -> bool {
        let now = Instant::now();
        let mut tries = self.lock();
        let place = place(&tries, address).clone();
        let found = tries.get_mut(&place);
        let is_open =
            found.is_none_or(|tries| !tries.left.is_empty(now) || tries.right.contains(hash));
        if !is_open {
            bites("wrong_keys", "address");
        }
        is_open
    }

    pub(super) fn was_right(&self, address: &Account, hash: &[u8]) {
        let mut tries = self.lock();
        let Some(known) = tries.get_mut(address) else {
            // Nothing wrong came from here so far. The right key is remembered in case that something wrong comes later.
            if tries.len() < ADDRESSES_MAX {
                let right = HashSet::from([Arc::from(hash)]);
                tries.insert(
                    address.clone(),
                    Tries {
                        left: fresh(),
                        right,
                    },
                );
            }
            return;
        };
        if !known.right.contains(hash) {
            known.right.insert(Arc::from(hash));
        }
    }

    pub(super) fn was_wrong(&self, address: &Account) {
        let now = Instant::now();
        let mut tries = self.lock();
        if tries.len() >= ADDRESSES_MAX && !tries.contains_key(address) {
            // Addresses with a full bucket can be dropped: they would begin with a full one anyway.
            tries.retain(|_, tries| !tries.left.is_full(now));
        }
        let place = place(&tries, address).clone();
        let known = tries.entry(place).or_insert_with(|| Tries {
            left: fresh(),
            right: HashSet::new(),
        });
        // Cannot fail: an address whose bucket is empty was refused before.
        let _ = known.left.take(now);
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Account, Tries>> {
        self.0.lock().expect("nobody panics while counting")
    }
}

/// Where an address is counted: on its own, or, if there is no room for it, together with all others without room.
fn place<'a>(tries: &HashMap<Account, Tries>, address: &'a Account) -> &'a Account {
    static OTHERS: std::sync::LazyLock<Account> = std::sync::LazyLock::new(Account::within);
    if tries.len() < ADDRESSES_MAX || tries.contains_key(address) {
        address
    } else {
        &OTHERS
    }
}

fn fresh() -> Bucket {
    Bucket::new(WRONG_KEYS_BURST, WRONG_KEYS_PER_SECOND, Instant::now())
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn address(last: u8) -> Account {
        Account::of([10, 0, 0, last].into())
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_is_slowed_down_and_those_whose_key_was_right_go_on() {
        let brake = Brake::default();
        brake.was_right(&address(1), b"right");
        for _ in 0..WRONG_KEYS_BURST {
            assert!(brake.lets_try(&address(1), b"wrong"));
            brake.was_wrong(&address(1));
        }
        assert!(!brake.lets_try(&address(1), b"wrong"));
        assert!(!brake.lets_try(&address(1), b"right as well, but never seen here"));
        assert!(brake.lets_try(&address(1), b"right"));
        assert!(brake.lets_try(&address(2), b"wrong"));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(brake.lets_try(&address(1), b"wrong"));
        brake.was_wrong(&address(1));
        assert!(!brake.lets_try(&address(1), b"wrong"));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_addresses_are_remembered_than_there_is_room_for() {
        let brake = Brake::default();
        let other = |n: u32| Account::of(std::net::Ipv4Addr::from_bits(n).into());
        for n in 0..ADDRESSES_MAX as u32 + 100 {
            brake.was_wrong(&other(n + (1 << 24)));
        }
        assert!(brake.lock().len() <= ADDRESSES_MAX + 1);
    }
}
