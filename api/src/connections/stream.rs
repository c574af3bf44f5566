//! The stream of a connection. It notes when bytes come, and fails if the other side does not take what it is sent.

use std::io;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll, ready};

use tokio::io::{AsyncRead, AsyncWrite, ReadBuf};
use tokio::net::TcpStream;

use super::pace::{Pace, TooSlow};
use super::seats::Seat;
use crate::shares::bites;

/// A stream that fails if the other side takes its bytes too slowly. It holds the seat of its connection, also as a web socket.
pub(super) struct PacedStream {
    stream: TcpStream,
    taking: Pace,
    seat: Arc<Seat>,
}

impl PacedStream {
    pub(super) fn new(stream: TcpStream, bytes_per_second: u64, seat: Arc<Seat>) -> Self {
        Self {
            stream,
            taking: Pace::new(bytes_per_second),
            seat,
        }
    }

    fn paced(
        &mut self,
        cx: &mut Context<'_>,
        written: Poll<io::Result<usize>>,
    ) -> Poll<io::Result<usize>> {
        match written {
            Poll::Ready(Ok(bytes)) => {
                self.seat.wrote();
                Poll::Ready(match self.taking.moved(bytes) {
                    Ok(()) => Ok(bytes),
                    Err(slow) => Err(not_taken(slow)),
                })
            }
            Poll::Ready(Err(error)) => Poll::Ready(Err(error)),
            Poll::Pending => {
                self.seat.is_writing(true);
                Poll::Ready(Err(not_taken(ready!(self.taking.poll_waiting(cx)))))
            }
        }
    }
}

fn not_taken(slow: TooSlow) -> io::Error {
    bites("bytes_per_second", "taken");
    io::Error::new(io::ErrorKind::TimedOut, slow)
}

impl AsyncRead for PacedStream {
    fn poll_read(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        buffer: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        let before = buffer.filled().len();
        let read = ready!(Pin::new(&mut self.stream).poll_read(cx, buffer));
        if buffer.filled().len() > before {
            self.seat.heard();
        }
        Poll::Ready(read)
    }
}

impl AsyncWrite for PacedStream {
    fn poll_write(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        bytes: &[u8],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write(cx, bytes);
        self.paced(cx, written)
    }

    fn poll_write_vectored(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
        parts: &[io::IoSlice<'_>],
    ) -> Poll<io::Result<usize>> {
        let written = Pin::new(&mut self.stream).poll_write_vectored(cx, parts);
        self.paced(cx, written)
    }

    // Otherwise large answers would be copied into a buffer of the connection.
    fn is_write_vectored(&self) -> bool {
        self.stream.is_write_vectored()
    }

    fn poll_flush(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        let flushed = ready!(Pin::new(&mut self.stream).poll_flush(cx));
        // Writers flush only after everything was taken.
        self.taking.rest();
        self.seat.is_writing(false);
        Poll::Ready(flushed)
    }

    fn poll_shutdown(mut self: Pin<&mut Self>, cx: &mut Context<'_>) -> Poll<io::Result<()>> {
        Pin::new(&mut self.stream).poll_shutdown(cx)
    }
}
