//! A proxy between a server and its database: it passes bytes on, stands still, delays, cuts all connections, and cuts one
//! right after a COMMIT was carried out and before its answer comes through.
//!
//! It reads as much of PostgreSQL's protocol as tells which message commits: a query, or the execution of a statement that was
//! prepared from one.

use std::collections::BTreeSet;
use std::net::SocketAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::time::Duration;

use anyhow::Context;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};
use tokio::net::{TcpListener, TcpStream};
use tokio::sync::watch;

/// What is read from a connection at a time.
const BUFFER: usize = 64 * 1024;

/// Code of the message with which a client asks for encryption, before it says who it is.
const SSL_REQUEST: u32 = 80_877_103;

/// How the proxy is told what to do.
#[derive(Debug)]
pub struct Control {
    /// Whether nothing passes.
    stalled: watch::Sender<bool>,
    /// Goes up when all connections are cut.
    cut: watch::Sender<u64>,
    /// Milliseconds that each piece is late.
    delay_ms: AtomicU64,
    /// How many commits lose their answers from now on.
    lose: AtomicU32,
    /// How many have lost theirs.
    lost: AtomicU32,
}

impl Control {
    pub fn stall(&self, stalled: bool) {
        self.stalled.send_replace(stalled);
    }

    pub fn cut(&self) {
        self.cut.send_modify(|times| *times += 1);
    }

    pub fn delay(&self, milliseconds: u64) {
        self.delay_ms.store(milliseconds, Ordering::Relaxed);
    }

    pub fn lose(&self, commits: u32) {
        self.lose.store(commits, Ordering::Relaxed);
    }

    pub fn lost(&self) -> u32 {
        self.lost.load(Ordering::Relaxed)
    }

    /// Whether the answer to a commit that is sent now is to be lost.
    fn takes_answer(&self) -> bool {
        let less = |left: u32| left.checked_sub(1);
        let taken = self
            .lose
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, less)
            .is_ok();
        if taken {
            self.lost.fetch_add(1, Ordering::Relaxed);
        }
        taken
    }
}

/// Starts a proxy to this address; it lives as long as the runtime.
pub async fn start(to: SocketAddr) -> anyhow::Result<(SocketAddr, Arc<Control>)> {
    let listener = TcpListener::bind("127.0.0.1:0").await;
    let listener = listener.context("the proxy cannot listen")?;
    let address = listener.local_addr()?;
    let control = Arc::new(Control {
        stalled: watch::Sender::new(false),
        cut: watch::Sender::new(0),
        delay_ms: AtomicU64::new(0),
        lose: AtomicU32::new(0),
        lost: AtomicU32::new(0),
    });
    let shared = Arc::clone(&control);
    tokio::spawn(async move {
        while let Ok((client, _)) = listener.accept().await {
            let control = Arc::clone(&shared);
            tokio::spawn(async move {
                // If the database is down, the client sees the end of its connection.
                if let Ok(server) = TcpStream::connect(to).await {
                    carry(client, server, &control).await;
                }
            });
        }
    });
    Ok((address, control))
}

async fn carry(client: TcpStream, server: TcpStream, control: &Control) {
    // Small messages go at once, as they would without a proxy.
    let _ = client.set_nodelay(true);
    let _ = server.set_nodelay(true);
    let (from_client, to_client) = client.into_split();
    let (from_server, to_server) = server.into_split();
    let is_lost = AtomicBool::new(false);
    let mut cut = control.cut.subscribe();
    tokio::select! {
        _ = cut.changed() => {}
        () = forth(from_client, to_server, control, &is_lost) => {}
        () = back(from_server, to_client, control, &is_lost) => {}
    }
}

async fn pass(control: &Control) {
    let delay = control.delay_ms.load(Ordering::Relaxed);
    if delay > 0 {
        tokio::time::sleep(Duration::from_millis(delay)).await;
    }
    let mut stalled = control.stalled.subscribe();
    // The sender lives as long as the control.
    let _ = stalled.wait_for(|stalled| !stalled).await;
}

async fn forth(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    control: &Control,
    is_lost: &AtomicBool,
) {
    let mut buffer = vec![0; BUFFER];
    let mut messages = Messages::default();
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        pass(control).await;
        if messages.commit_in(&buffer[..read]) && control.takes_answer() {
            is_lost.store(true, Ordering::Relaxed);
        }
        if to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

async fn back(
    mut from: OwnedReadHalf,
    mut to: OwnedWriteHalf,
    control: &Control,
    is_lost: &AtomicBool,
) {
    let mut buffer = vec![0; BUFFER];
    while let Ok(read @ 1..) = from.read(&mut buffer).await {
        pass(control).await;
        // The answer to the commit is here: the database has carried it out.
        if is_lost.load(Ordering::Relaxed) || to.write_all(&buffer[..read]).await.is_err() {
            return;
        }
    }
}

/// The messages of a client, put together from pieces.
#[derive(Default)]
struct Messages {
    waiting: Vec<u8>,
    has_begun: bool,
    /// The names of statements that commit.
    commits: BTreeSet<Vec<u8>>,
}

impl Messages {
    /// Whether a message that commits ends in this piece.
    fn commit_in(&mut self, piece: &[u8]) -> bool {
        self.waiting.extend_from_slice(piece);
        let mut found = false;
        while let Some((kind, body, length)) = self.first() {
            match kind {
                0 if length == 8 && body == SSL_REQUEST.to_be_bytes() => {}
                0 => self.has_begun = true,
                b'Q' => found |= is_commit(body.split(|byte| *byte == 0).next()),
                b'P' => {
                    let mut parts = body.split(|byte| *byte == 0);
                    let name = parts.next().unwrap_or_default().to_vec();
                    if is_commit(parts.next()) {
                        self.commits.insert(name);
                    } else {
                        self.commits.remove(&name);
                    }
                }
                b'B' => {
                    let mut parts = body.split(|byte| *byte == 0);
                    let statement = parts.nth(1).unwrap_or_default();
                    found |= self.commits.contains(statement);
                }
                _ => {}
            }
            self.waiting.drain(..length);
        }
        found
    }

    /// The kind (0 where it has none), the body and the length of the first message, once all of it is here.
    fn first(&self) -> Option<(u8, Vec<u8>, usize)> {
        let head = usize::from(self.has_begun);
        let length: [u8; 4] = self.waiting.get(head..head + 4)?.try_into().ok()?;
        let length = head + usize::try_from(u32::from_be_bytes(length)).ok()?;
        let body = self.waiting.get(head + 4..length)?.to_vec();
        let kind = if self.has_begun { self.waiting[0] } else { 0 };
        Some((kind, body, length))
    }
}

fn is_commit(text: Option<&[u8]>) -> bool {
    text.is_some_and(|text| text.trim_ascii().eq_ignore_ascii_case(b"COMMIT"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn message(kind: u8, body: &[u8]) -> Vec<u8> {
        let mut message = vec![kind];
        message.extend(u32::try_from(body.len() + 4).unwrap().to_be_bytes());
        message.extend(body);
        message
    }

    #[test]
    fn a_commit_is_seen_as_a_query_and_as_a_prepared_statement_in_any_pieces() {
        let mut all = vec![0, 0, 0, 8];
        all.extend(SSL_REQUEST.to_be_bytes());
        all.extend([0, 0, 0, 9, 0, 3, 0, 0, 0]);
        let quiet = all.len();
        all.extend(message(b'Q', b"SELECT 'COMMIT'\0"));
        all.extend(message(b'P', b"s1\0COMMIT\0\0\0"));
        all.extend(message(b'P', b"s2\0SELECT 1\0\0\0"));
        all.extend(message(b'B', b"\0s2\0\0\0"));
        let before = all.len();
        all.extend(message(b'B', b"\0s1\0\0\0"));
        let first = all.len();
        all.extend(message(b'Q', b"commit\0"));
        let mut whole = Messages::default();
        assert!(!whole.commit_in(&all[..quiet]));
        assert!(!whole.commit_in(&all[quiet..before]));
        assert!(whole.commit_in(&all[before..first]));
        assert!(whole.commit_in(&all[first..]));
        let mut pieces = Messages::default();
        let seen: Vec<usize> = (0..all.len())
            .filter(|at| pieces.commit_in(&all[*at..=*at]))
            .collect();
        assert_eq!(seen, [first - 1, all.len() - 1]);
    }
}
