//! Seats for connections: the limits of how many may be open, and which one is closed when they are reached.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::net::IpAddr;
use std::sync::{Arc, Mutex, MutexGuard};
use std::time::Duration;

use axum::http::{Extensions, HeaderMap};
use tokio::time::Instant;
use tokio_util::sync::CancellationToken;

use super::proxies::TrustedProxies;
use crate::shares::{Account, bites};

/// How many connections there may be, and how long each may take.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ConnectionLimits {
    /// Connections in all.
    pub(crate) all: usize,
    /// Connections of one address.
    pub(crate) of_address: usize,
    /// Connections of one owner, once a key was recognised on them.
    pub(crate) of_owner: usize,
    /// How long the head of a request may take.
    pub(crate) head: Duration,
    /// How long a connection may wait for its next request.
    pub(crate) idle: Duration,
    /// The fewest bytes a second that the other side has to take while the server waits for it.
    pub(crate) bytes_per_second: u64,
}

/// The owner of a key has as many connections as one may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{most} connections are busy with requests of this key, which is as many as may be")]
pub(crate) struct TooManyConnections {
    most: usize,
}

/// All seats.
pub(crate) struct Seats {
    pub(super) limits: ConnectionLimits,
    proxies: TrustedProxies,
    table: Mutex<Table>,
}

/// Numbers grow with each connection, so that their order is that in which the connections were opened.
#[derive(Default)]
struct Table {
    last: u64,
    seats: BTreeMap<u64, (Account, Arc<Standing>)>,
    of: HashMap<Account, BTreeSet<u64>>,
}

/// The seat of one connection, until it is dropped.
pub(super) struct Seat {
    seats: Arc<Seats>,
    number: u64,
    standing: Arc<Standing>,
}

/// The state of a connection. It is kept apart from the seat, because a seat must not be dropped while the table is locked.
struct Standing {
    state: Mutex<State>,
    evicted: CancellationToken,
}

struct State {
    phase: Phase,
    /// Whether a key was recognised on the connection.
    is_known: bool,
    /// Whether the other side has yet to take bytes that were sent.
    is_writing: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Phase {
    /// The connection waits for a request. `begun` says that a part of its head may have come already.
    Waiting {
        since: Instant,
        begun: bool,
    },
    Answering,
    /// The connection is a web socket.
    Upgraded,
}

/// Why a connection that took too long is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Overdue {
    Head,
    Idle,
}

impl Seats {
    pub(crate) fn new(limits: ConnectionLimits, proxies: TrustedProxies) -> Arc<Self> {
        Arc::new(Self {
            limits,
            proxies,
            table: Mutex::default(),
        })
    }

    /// A seat for a connection that was just opened; `None` if no seat is free and no open connection can be closed for it.
    pub(super) fn open(self: &Arc<Self>, address: IpAddr) -> Option<Arc<Seat>> {
        let account = Account::of(address);
        // A proxy has all clients behind it.
        let share = if self.proxies.trust(address) {
            self.limits.all
        } else {
            self.limits.of_address
        };
        let mut table = self.lock();
        if table.count(&account) >= share && !table.evict(&account, "address") {
            bites("connections", "address");
            return None;
        }
        if table.seats.len() >= self.limits.all {
            // The account with the most connections has to give one up.
            let largest = table.of.iter().max_by_key(|(_, numbers)| numbers.len());
            let largest = largest.map(|(account, _)| account.clone());
            let gave = largest.is_some_and(|account| table.evict(&account, "all"));
            if !gave {
                bites("connections", "all");
                return None;
            }
        }
        table.last += 1;
        let number = table.last;
        let standing = Arc::new(Standing {
            state: Mutex::new(State {
                phase: Phase::Waiting {
                    since: Instant::now(),
                    begun: true,
                },
                is_known: false,
                is_writing: false,
            }),
            evicted: CancellationToken::new(),
        });
        table.put(number, account, Arc::clone(&standing));
        drop(table);
        Some(Arc::new(Seat {
            seats: Arc::clone(self),
            number,
            standing,
        }))
    }

    /// Ends a connection that waits, where there is one, so that its file is free for another.
    pub(super) fn make_room(&self) -> bool {
        let mut table = self.lock();
        let largest = table.of.iter().max_by_key(|(_, numbers)| numbers.len());
        let largest = largest.map(|(account, _)| account.clone());
        largest.is_some_and(|account| table.evict(&account, "files"))
    }

    fn lock(&self) -> MutexGuard<'_, Table> {
        self.table.lock().expect("nobody panics while counting")
    }
}

impl Table {
    fn count(&self, account: &Account) -> usize {
        self.of.get(account).map_or(0, BTreeSet::len)
    }

    fn put(&mut self, number: u64, account: Account, standing: Arc<Standing>) {
        self.of.entry(account.clone()).or_default().insert(number);
        self.seats.insert(number, (account, standing));
        gauge(self.seats.len());
    }

    fn remove(&mut self, number: u64) -> Option<Arc<Standing>> {
        let (account, standing) = self.seats.remove(&number)?;
        if let Some(numbers) = self.of.get_mut(&account) {
            numbers.remove(&number);
            if numbers.is_empty() {
                self.of.remove(&account);
            }
        }
        gauge(self.seats.len());
        Some(standing)
    }

    /// Closes one connection of this account: the oldest one that waits and has no recognised key, else the oldest that waits, else the
    /// oldest without a recognised key that is no web socket. Its seat is free at once.
    fn evict(&mut self, account: &Account, reason: &'static str) -> bool {
        let Some(numbers) = self.of.get(account) else {
            return false;
        };
        let (mut waiting, mut unknown) = (None, None);
        let mut found = None;
        for number in numbers {
            let Some((_, standing)) = self.seats.get(number) else {
                continue;
            };
            let state = standing.lock();
            let waits = matches!(state.phase, Phase::Waiting { .. }) && !state.is_writing;
            let is_upgraded = state.phase == Phase::Upgraded;
            if waits && !state.is_known {
                found = Some(*number);
                break;
            }
            if waits {
                waiting.get_or_insert(*number);
            } else if !state.is_known && !is_upgraded {
                unknown.get_or_insert(*number);
            }
        }
        let Some(number) = found.or(waiting).or(unknown) else {
            return false;
        };
        if let Some(standing) = self.remove(number) {
            standing.evicted.cancel();
        }
        bites("connections_evicted", reason);
        true
    }
}

#[expect(
    clippy::cast_precision_loss,
    reason = "there are not so many connections"
)]
fn gauge(count: usize) {
    metrics::gauge!("palimpsest_connections").set(count as f64);
}

impl Seat {
    /// The fewest bytes a second that the other side has to take.
    pub(super) fn bytes_per_second(&self) -> u64 {
        self.seats.limits.bytes_per_second
    }

    /// The address of the client that sent this request, where the connection comes from this address.
    pub(super) fn client(&self, peer: IpAddr, headers: &HeaderMap) -> IpAddr {
        self.seats.proxies.client(peer, headers)
    }

    /// Notes that bytes came.
    pub(super) fn heard(&self) {
        let mut state = self.lock();
        if let Phase::Waiting { begun: false, .. } = state.phase {
            state.phase = Phase::Waiting {
                since: Instant::now(),
                begun: true,
            };
        }
    }

    /// Notes that the other side took bytes. They may be the end of an answer that is done, so that waiting for a request begins anew.
    pub(super) fn wrote(&self) {
        let mut state = self.lock();
        if let Phase::Waiting { begun: false, .. } = state.phase {
            state.phase = Phase::Waiting {
                since: Instant::now(),
                begun: false,
            };
        }
    }

    pub(super) fn is_writing(&self, writing: bool) {
        self.lock().is_writing = writing;
    }

    /// Notes that the whole head of a request came.
    pub(super) fn answers(&self) {
        self.lock().phase = Phase::Answering;
    }

    /// Notes that the answer to the request is made.
    pub(super) fn waits(&self) {
        let mut state = self.lock();
        if state.phase != Phase::Upgraded {
            state.phase = Phase::Waiting {
                since: Instant::now(),
                begun: false,
            };
        }
    }

    pub(super) fn is_upgraded(&self) {
        self.lock().phase = Phase::Upgraded;
    }

    /// Whether the connection waits for a request and has no bytes left to send.
    pub(super) fn is_idle(&self) -> bool {
        let state = self.lock();
        matches!(state.phase, Phase::Waiting { .. }) && !state.is_writing
    }

    /// When to look at this connection again, at the latest after the time for a head.
    pub(super) fn look_at(&self) -> Instant {
        let soon = Instant::now() + self.seats.limits.head;
        self.deadline().map_or(soon, |(at, _)| at.min(soon))
    }

    /// The reason to close the connection now, if its time is over.
    pub(super) fn overdue(&self) -> Option<Overdue> {
        let (at, why) = self.deadline()?;
        (at <= Instant::now()).then_some(why)
    }

    fn deadline(&self) -> Option<(Instant, Overdue)> {
        let limits = &self.seats.limits;
        let state = self.lock();
        match state.phase {
            Phase::Waiting { .. } if state.is_writing => None,
            Phase::Waiting { since, begun: true } => Some((since + limits.head, Overdue::Head)),
            Phase::Waiting {
                since,
                begun: false,
            } => Some((since + limits.idle, Overdue::Idle)),
            Phase::Answering | Phase::Upgraded => None,
        }
    }

    /// Waits until this connection has to give its place to another one.
    pub(super) async fn evicted(&self) {
        self.standing.evicted.cancelled().await;
    }

    /// From now on the connection belongs to an owner.
    fn recognise(&self, owner: &str) -> Result<(), TooManyConnections> {
        let account = Account::Owner(owner.to_owned());
        let mut table = self.seats.lock();
        let Some((before, _)) = table.seats.get(&self.number) else {
            return Ok(());
        };
        if *before != account {
            let most = self.seats.limits.of_owner;
            if table.count(&account) >= most && !table.evict(&account, "owner") {
                bites("connections", "owner");
                return Err(TooManyConnections { most });
            }
            if let Some(standing) = table.remove(self.number) {
                table.put(self.number, account, standing);
            }
        }
        self.lock().is_known = true;
        Ok(())
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.standing.lock()
    }
}

impl Standing {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().expect("nobody panics while it is noted")
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.seats.lock().remove(self.number);
    }
}

/// Where a request comes from. It is among the extensions of the request.
#[derive(Clone)]
pub struct Caller {
    /// The address that the connection comes from, or that of the client for whom a trusted proxy asks.
    address: Account,
    owner: Option<Account>,
    seat: Option<Arc<Seat>>,
}

impl Caller {
    pub(super) fn new(address: IpAddr, seat: Arc<Seat>) -> Self {
        Self {
            address: Account::of(address),
            owner: None,
            seat: Some(seat),
        }
    }

    /// The caller of a request. A request that came over no connection was made within this process.
    pub fn of(extensions: &Extensions) -> Self {
        extensions.get().cloned().unwrap_or_else(|| Self {
            address: Account::within(),
            owner: None,
            seat: None,
        })
    }

    pub(crate) fn address(&self) -> &Account {
        &self.address
    }

    /// Who this request is counted for: the owner of its key, else the address.
    pub(crate) fn account(&self) -> &Account {
        self.owner.as_ref().unwrap_or(&self.address)
    }

    /// Notes that the key of the request is that of an owner: the connection belongs to this owner from now on.
    pub(crate) fn recognise(&mut self, owner: &str) -> Result<(), TooManyConnections> {
        if let Some(seat) = &self.seat {
            seat.recognise(owner)?;
        }
        self.owner = Some(Account::Owner(owner.to_owned()));
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seats(all: usize, each: usize) -> Arc<Seats> {
        let limits = ConnectionLimits {
            all,
            of_address: each,
            of_owner: each,
            head: Duration::from_secs(10),
            idle: Duration::from_secs(60),
            bytes_per_second: 1,
        };
        let proxy = "10.0.0.200".parse().expect("a network");
        Seats::new(limits, TrustedProxies::new(vec![proxy]))
    }

    fn address(last: u8) -> IpAddr {
        [10, 0, 0, last].into()
    }

    #[tokio::test(start_paused = true)]
    async fn a_new_connection_takes_the_place_of_the_oldest_one_that_waits() {
        let seats = seats(10, 2);
        let open = |last| seats.open(address(last));
        let (busy, waiting) = (open(1).expect("room"), open(1).expect("room"));
        busy.answers();
        busy.recognise("ann").expect("room");
        let second = open(1).expect("the first one belongs to an owner now");
        let third = open(1).expect("one that waits gives way");
        assert!(waiting.standing.evicted.is_cancelled());
        assert!(!second.standing.evicted.is_cancelled() && !busy.standing.evicted.is_cancelled());
        for seat in [&second, &third] {
            seat.is_upgraded();
        }
        assert!(open(1).is_none(), "all are busy");
        assert!(open(2).is_some(), "another address has its own");
        drop(third);
        assert!(open(1).is_some());
    }

    #[tokio::test(start_paused = true)]
    async fn a_trusted_proxy_has_no_share_and_its_clients_have_addresses_of_their_own() {
        let seats = seats(4, 2);
        let open = || seats.open(address(200)).expect("room");
        let connections: Vec<_> = (0..4).map(|_| open()).collect();
        for seat in &connections {
            assert!(!seat.standing.evicted.is_cancelled());
        }
        let mut headers = HeaderMap::new();
        headers.insert("x-forwarded-for", "1.2.3.4".parse().expect("a value"));
        let client = connections[0].client(address(200), &headers);
        assert_eq!(client.to_string(), "1.2.3.4");
        assert_eq!(connections[0].client(address(1), &headers), address(1));
    }

    #[tokio::test(start_paused = true)]
    async fn where_all_are_taken_whoever_has_most_gives_one() {
        let seats = seats(4, 3);
        let many: Vec<_> = (0..3)
            .map(|_| seats.open(address(1)).expect("room"))
            .collect();
        let other = seats.open(address(2)).expect("room");
        let third = seats.open(address(3)).expect("one gives way");
        assert!(many[0].standing.evicted.is_cancelled());
        assert!(!other.standing.evicted.is_cancelled() && !third.standing.evicted.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn an_owner_has_a_share_whatever_addresses_it_comes_from() {
        let seats = seats(10, 2);
        let open = |last| seats.open(address(last)).expect("room");
        let (first, second, third) = (open(1), open(2), open(3));
        for seat in [&first, &second, &third] {
            seat.answers();
        }
        assert_eq!(first.recognise("ann"), Ok(()));
        assert_eq!(second.recognise("ann"), Ok(()));
        assert_eq!(third.recognise("ann"), Err(TooManyConnections { most: 2 }));
        assert_eq!(third.recognise("bob"), Ok(()));
        first.waits();
        assert_eq!(open(3).recognise("ann"), Ok(()));
        assert!(first.standing.evicted.is_cancelled());
    }

    #[tokio::test(start_paused = true)]
    async fn heads_and_idle_connections_have_times_of_their_own() {
        let seats = seats(10, 2);
        let seat = seats.open(address(1)).expect("room");
        let pass = |seconds| tokio::time::advance(Duration::from_secs(seconds));
        pass(9).await;
        assert_eq!(seat.overdue(), None);
        pass(1).await;
        assert_eq!(seat.overdue(), Some(Overdue::Head));
        seat.answers();
        pass(3600).await;
        assert_eq!(seat.overdue(), None);
        seat.waits();
        pass(59).await;
        assert_eq!(seat.overdue(), None);
        pass(1).await;
        assert_eq!(seat.overdue(), Some(Overdue::Idle));
        seat.wrote();
        assert_eq!(seat.overdue(), None);
        seat.heard();
        pass(10).await;
        assert_eq!(seat.overdue(), Some(Overdue::Head));
    }
}
