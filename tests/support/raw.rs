//! A client that sends bytes as it likes, and reads when it likes.

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpSocket, TcpStream};

use super::within;

/// Bytes that the system keeps for a client that does not read: the smallest buffer that it allows.
const LITTLE: u32 = 4 * 1024;

pub(crate) struct Raw(TcpStream);

/// What came back.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct RawAnswer {
    pub(crate) status: u16,
    /// In lower case.
    pub(crate) head: String,
    pub(crate) body: String,
}

impl Raw {
    pub(crate) async fn connect(place: &str) -> Self {
        let stream = within("a connection", TcpStream::connect(place)).await;
        Self(stream.expect("a connection"))
    }

    /// A client for which the system keeps hardly any bytes that it has not read.
    pub(crate) async fn with_little_room(place: &str) -> Self {
        let socket = TcpSocket::new_v4().expect("a socket");
        socket.set_recv_buffer_size(LITTLE).expect("an option");
        let address = place.parse().expect("an address");
        let stream = within("a connection", socket.connect(address)).await;
        Self(stream.expect("a connection"))
    }

    /// Sends the bytes. That a server has closed the connection is ignored here.
    pub(crate) async fn send(&mut self, bytes: impl AsRef<[u8]>) {
        let _ = self.0.write_all(bytes.as_ref()).await;
    }

    /// Sends until the server takes nothing any longer, and gives how much it took.
    pub(crate) async fn send_on(&mut self, piece: &[u8], most: usize) -> usize {
        let mut sent = 0;
        while sent < most && within("room", self.0.write_all(piece)).await.is_ok() {
            sent += piece.len();
        }
        sent
    }

    /// The next answer; nothing where the connection ends without one.
    pub(crate) async fn answer(&mut self) -> Option<RawAnswer> {
        let mut head = vec![];
        while !head.ends_with(b"\r\n\r\n") {
            head.push(within("an answer", self.0.read_u8()).await.ok()?);
        }
        let head = String::from_utf8(head).expect("UTF-8").to_lowercase();
        let status = head
            .split(' ')
            .nth(1)
            .and_then(|status| status.parse().ok());
        let length = head.split("content-length: ").nth(1);
        let length = length.and_then(|rest| rest.split("\r\n").next()?.parse().ok());
        let mut body = vec![0; length.unwrap_or(0)];
        within("the body", self.0.read_exact(&mut body))
            .await
            .ok()?;
        Some(RawAnswer {
            status: status.expect("a status"),
            head,
            body: String::from_utf8_lossy(&body).into_owned(),
        })
    }

    /// Waits until the server has closed.
    pub(crate) async fn closed(&mut self) {
        let mut rest = vec![];
        // A reset is an end as well.
        let _ = within("the end of the connection", self.0.read_to_end(&mut rest)).await;
    }

    /// Reads until so many bytes have come.
    pub(crate) async fn read(&mut self, bytes: usize) -> Vec<u8> {
        let mut read = vec![0; bytes];
        let done = within("bytes", self.0.read_exact(&mut read)).await;
        done.expect("so many bytes");
        read
    }
}
