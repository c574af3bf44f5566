//! Limits that nobody may use up alone: a total, and the most that each account may have of it.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};
use std::sync::{Arc, Mutex, MutexGuard};

/// Bits of an IPv6 address that stand for one customer of a provider: a customer has all addresses that begin with the same bits.
const IPV6_PREFIX_BITS: u32 = 64;

/// Who something is counted for.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Account {
    /// Only the address is known so far.
    Address(IpAddr),
    /// The owner of a key that was recognised.
    Owner(String),
}

impl Account {
    /// The account of all clients at this address.
    pub(crate) fn of(address: IpAddr) -> Self {
        let address = address.to_canonical();
        Self::Address(match address {
            IpAddr::V4(_) => address,
            IpAddr::V6(all) => {
                let rest = u128::BITS - IPV6_PREFIX_BITS;
                IpAddr::V6(Ipv6Addr::from_bits(all.to_bits() >> rest << rest))
            }
        })
    }

    /// The account for requests that come from within this process.
    pub(crate) fn within() -> Self {
        Self::Address(IpAddr::V4(Ipv4Addr::LOCALHOST))
    }
}

/// Why something is not given.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Exceeded {
    /// The total is used up.
    All,
    /// This account has the most that one account may have.
    Each,
}

/// A limit. Its name is the one under which refusals are counted.
pub(crate) struct Shares {
    name: &'static str,
    all: u64,
    each: u64,
    held: Mutex<Held>,
}

#[derive(Default)]
struct Held {
    all: u64,
    by: HashMap<Account, u64>,
}

impl Shares {
    pub(crate) fn new(name: &'static str, all: u64, each: u64) -> Arc<Self> {
        Arc::new(Self {
            name,
            all,
            each: each.min(all),
            held: Mutex::default(),
        })
    }

    /// Takes an amount, which is held until the share is dropped.
    pub(crate) fn take(
        self: &Arc<Self>,
        account: &Account,
        amount: u64,
    ) -> Result<Share, Exceeded> {
        self.add(account, amount)?;
        Ok(Share {
            of: Arc::clone(self),
            account: account.clone(),
            amount,
        })
    }

    /// Adds an amount. More than an account's share is given to an account that holds nothing, and more than the total while nobody
    /// holds anything: such an amount could never be had otherwise.
    fn add(&self, account: &Account, amount: u64) -> Result<(), Exceeded> {
        let mut held = self.lock();
        let own = held.by.get(account).copied().unwrap_or(0);
        let exceeded = if own > 0 && own.saturating_add(amount) > self.each {
            Exceeded::Each
        } else if held.all > 0 && held.all.saturating_add(amount) > self.all {
            Exceeded::All
        } else {
            held.all = held.all.saturating_add(amount);
            held.by.insert(account.clone(), own.saturating_add(amount));
            return Ok(());
        };
        drop(held);
        let by = match exceeded {
            Exceeded::All => "all",
            Exceeded::Each => "each",
        };
        bites(self.name, by);
        Err(exceeded)
    }

    fn give_back(&self, account: &Account, amount: u64) {
        let mut held = self.lock();
        held.all = held.all.saturating_sub(amount);
        let left = held
            .by
            .get(account)
            .map_or(0, |own| own.saturating_sub(amount));
        if left == 0 {
            held.by.remove(account);
        } else {
            held.by.insert(account.clone(), left);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Held> {
        self.held.lock().expect("nobody panics while counting")
    }
}

/// Counts a refusal by a limit. Both names come from closed lists.
pub(crate) fn bites(limit: &'static str, by: &'static str) {
    metrics::counter!("palimpsest_limit_reached_total", "limit" => limit, "by" => by).increment(1);
}

/// What an account has of a limit, until it is dropped.
pub(crate) struct Share {
    of: Arc<Shares>,
    account: Account,
    amount: u64,
}

impl Share {
    /// Takes more of the limit.
    pub(crate) fn grow(&mut self, by: u64) -> Result<(), Exceeded> {
        self.of.add(&self.account, by)?;
        self.amount = self.amount.saturating_add(by);
        Ok(())
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.of.give_back(&self.account, self.amount);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn owner(name: &str) -> Account {
        Account::Owner(name.to_owned())
    }

    #[test]
    fn nobody_takes_more_than_a_share_and_all_together_no_more_than_there_is() {
        let shares = Shares::new("test", 10, 6);
        let mut first = shares.take(&owner("ann"), 4).expect("room");
        assert_eq!(first.grow(2), Ok(()));
        assert_eq!(first.grow(1), Err(Exceeded::Each));
        let second = shares.take(&owner("bob"), 4).expect("room");
        assert_eq!(shares.take(&owner("cid"), 1).err(), Some(Exceeded::All));
        drop(first);
        assert!(shares.take(&owner("cid"), 6).is_ok());
        drop(second);
        assert_eq!(shares.lock().by.len(), 0);
        assert_eq!(shares.lock().all, 0);
    }

    #[test]
    fn what_is_larger_than_a_share_is_had_alone() {
        let shares = Shares::new("test", 10, 6);
        let large = shares.take(&owner("ann"), 20).expect("alone");
        assert_eq!(shares.take(&owner("bob"), 1).err(), Some(Exceeded::All));
        drop(large);
        let small = shares.take(&owner("ann"), 1).expect("room");
        assert_eq!(shares.take(&owner("ann"), 20).err(), Some(Exceeded::Each));
        drop(small);
    }

    #[test]
    fn whoever_has_one_address_of_a_network_has_all_of_it() {
        let of = |text: &str| Account::of(text.parse().expect("an address"));
        assert_eq!(of("2001:db8::1"), of("2001:db8::ffff:1"));
        assert_ne!(of("2001:db8::1"), of("2001:db8:0:1::1"));
        assert_eq!(of("::ffff:10.0.0.1"), of("10.0.0.1"));
        assert_ne!(of("10.0.0.1"), of("10.0.0.2"));
    }
}
