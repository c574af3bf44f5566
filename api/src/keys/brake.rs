//! Slows down those who show wrong keys, for each address that they come from. A right key is let through at any time: it has so many bits
//! that nobody finds one by trying, so what the brake saves is the work of the server and the lines of its log.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard};

use tokio::time::Instant;

use crate::bucket::Bucket;
use crate::shares::{Account, bites};

/// Wrong keys that an address may show at once. An office may have an old key in every tab and program.
const WRONG_KEYS_BURST: u32 = 30;

/// Wrong keys a second that an address may show in the long run: enough for a person who mends a key by hand.
const WRONG_KEYS_PER_SECOND: u32 = 1;

/// Addresses that are remembered. If there are more at a time, many machines are attacking, and the further ones are counted together.
const ADDRESSES_MAX: usize = 10_000;

/// The wrong keys of all addresses.
#[derive(Default)]
pub(super) struct Brake(Mutex<HashMap<Account, Bucket>>);

impl Brake {
    /// Counts a wrong key of an address. Whether it is one of those that the address may show, which are told what is wrong with them.
    pub(super) fn takes_wrong(&self, address: &Account) -> bool {
        let now = Instant::now();
        let mut left = self.lock();
        if left.len() >= ADDRESSES_MAX && !left.contains_key(address) {
            // Addresses with a full bucket can be dropped: they would begin with a full one anyway.
            left.retain(|_, left| !left.is_full(now));
        }
        let place = place(&left, address).clone();
        let fresh = || Bucket::new(WRONG_KEYS_BURST, WRONG_KEYS_PER_SECOND, now);
        let is_taken = left.entry(place).or_insert_with(fresh).take(now).is_ok();
        drop(left);
        if !is_taken {
            bites("wrong_keys", "address");
        }
        is_taken
    }

    fn lock(&self) -> MutexGuard<'_, HashMap<Account, Bucket>> {
        self.0.lock().expect("nobody panics while counting")
    }
}

/// Where an address is counted: on its own, or, if there is no room for it, together with all others without room.
fn place<'a>(known: &HashMap<Account, Bucket>, address: &'a Account) -> &'a Account {
    static OTHERS: std::sync::LazyLock<Account> = std::sync::LazyLock::new(Account::within);
    if known.len() < ADDRESSES_MAX || known.contains_key(address) {
        address
    } else {
        &OTHERS
    }
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    fn address(last: u8) -> Account {
        Account::of([10, 0, 0, last].into())
    }

    #[tokio::test(start_paused = true)]
    async fn an_address_may_show_some_wrong_keys_at_once_and_then_one_a_second() {
        let brake = Brake::default();
        for _ in 0..WRONG_KEYS_BURST {
            assert!(brake.takes_wrong(&address(1)));
        }
        assert!(!brake.takes_wrong(&address(1)));
        assert!(brake.takes_wrong(&address(2)));
        tokio::time::advance(Duration::from_secs(1)).await;
        assert!(brake.takes_wrong(&address(1)));
        assert!(!brake.takes_wrong(&address(1)));
    }

    #[tokio::test(start_paused = true)]
    async fn no_more_addresses_are_remembered_than_there_is_room_for() {
        let brake = Brake::default();
        let other = |n: u32| Account::of(std::net::Ipv4Addr::from_bits(n).into());
        for n in 0..ADDRESSES_MAX as u32 + 100 {
            brake.takes_wrong(&other(n + (1 << 24)));
        }
        assert!(brake.lock().len() <= ADDRESSES_MAX + 1);
    }
}
