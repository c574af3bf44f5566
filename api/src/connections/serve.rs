//! Accepts connections and answers requests on them, in HTTP/1.1. HTTP/2 is left to the proxy in front, which has limits for it.

use std::convert::Infallible;
use std::io;
use std::net::SocketAddr;
use std::pin::{Pin, pin};
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::Router;
use axum::body::Body;
use axum::http::{Request, Response, StatusCode};
use bytes::Bytes;
use hyper::body::{Frame, Incoming, SizeHint};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use tokio::net::{TcpListener, TcpStream};
use tokio_util::sync::CancellationToken;
use tokio_util::task::TaskTracker;
use tower::Service as _;

use super::seats::{Caller, Overdue, Seat, Seats};
use super::stream::PacedStream;
use crate::shares::bites;

/// The most bytes of the head of a request. Addresses and keys take a few hundred; cookies of other programs on the same host take a few
/// thousand.
const HEAD_BYTES_MAX: usize = 64 * 1024;

/// Header lines of a request. Browsers and proxies send some thirty.
const HEADERS_MAX: usize = 100;

/// How long accepting pauses after an error that the next attempt would probably meet as well.
const ACCEPT_PAUSE: Duration = Duration::from_millis(100);

/// The answer to a connection that gets no seat, before it is closed.
const NO_SEAT: &[u8] = b"HTTP/1.1 503 Service Unavailable\r\ncontent-type: application/json\r\ncontent-length: 137\r\n\
retry-after: 1\r\nconnection: close\r\ncache-control: no-store\r\nx-content-type-options: nosniff\r\n\r\n\
{\"error\":{\"code\":\"too_many_connections\",\"message\":\"the server has as many connections as it takes, or as one may have\",\"retryable\":true}}";

/// An address that the server listens on, with its routes.
pub(crate) struct Listening {
    pub(crate) listener: TcpListener,
    pub(crate) router: Router,
}

/// What all these addresses share.
pub(crate) struct HttpServer {
    pub(crate) seats: Arc<Seats>,
    /// Cancelled when the server is to accept nothing more. Answers under way are finished.
    pub(crate) stopping: CancellationToken,
}

impl HttpServer {
    /// Serves until the token is cancelled and the last answer is given. Web sockets are not waited for; they end by themselves.
    pub(crate) async fn serve(&self, at: Listening) {
        let Listening { listener, router } = at;
        let tasks = TaskTracker::new();
        while let Some(accepted) = self.stopping.run_until_cancelled(listener.accept()).await {
            match accepted {
                Ok((stream, address)) => self.take(stream, address, &router, &tasks),
                Err(error) => self.not_accepted(&error).await,
            }
        }
        drop(listener);
        tasks.close();
        tasks.wait().await;
    }

    fn take(&self, stream: TcpStream, address: SocketAddr, router: &Router, tasks: &TaskTracker) {
        let Some(seat) = self.seats.open(address.ip()) else {
            // The answer may get lost: the server does not wait until this client has read it.
            let _ = stream.try_write(NO_SEAT);
            return;
        };
        // Frames are small and each matters at once.
        let _ = stream.set_nodelay(true);
        let (router, stopping) = (router.clone(), self.stopping.clone());
        tasks.spawn(connection(stream, address, seat, router, stopping));
    }

    async fn not_accepted(&self, error: &io::Error) {
        // The client closed the connection before it was accepted. That is no error of the server.
        let is_of_client = matches!(
            error.kind(),
            io::ErrorKind::ConnectionAborted
                | io::ErrorKind::ConnectionRefused
                | io::ErrorKind::ConnectionReset
        );
        let reason = if is_of_client { "client" } else { "system" };
        metrics::counter!("palimpsest_accept_errors_total", "reason" => reason).increment(1);
        if is_of_client {
            return;
        }
        tracing::warn!(%error, "a connection was not accepted");
        // Usually the process has reached its limit of open files.
        self.seats.make_room();
        tokio::time::sleep(ACCEPT_PAUSE).await;
    }
}

/// Answers one connection until it ends, or becomes a web socket.
async fn connection(
    stream: TcpStream,
    address: SocketAddr,
    seat: Arc<Seat>,
    router: Router,
    stopping: CancellationToken,
) {
    let bytes_per_second = seat.bytes_per_second();
    let paced = PacedStream::new(stream, bytes_per_second, Arc::clone(&seat));
    let serving = Arc::clone(&seat);
    let service = service_fn(move |request: Request<Incoming>| {
        answer(request, address, Arc::clone(&serving), router.clone())
    });
    let served = http1::Builder::new()
        .max_buf_size(HEAD_BYTES_MAX)
        .max_headers(HEADERS_MAX)
        // The seat limits the time for heads, because it can tell a slow head from a connection that waits.
        .header_read_timeout(None)
        .serve_connection(TokioIo::new(paced), service)
        .with_upgrades();
    let mut served = pin!(served);
    let mut is_told = false;
    loop {
        tokio::select! {
            ended = served.as_mut() => {
                if let Err(error) = ended {
                    tracing::debug!(%error, "a connection broke off");
                }
                return;
            }
            () = seat.evicted() => return,
            () = stopping.cancelled(), if !is_told => {
                if seat.is_idle() {
                    return;
                }
                is_told = true;
                served.as_mut().graceful_shutdown();
            }
            () = tokio::time::sleep_until(seat.look_at()) => match seat.overdue() {
                Some(Overdue::Head) => return bites("head_seconds", "connection"),
                Some(Overdue::Idle) => return bites("idle_seconds", "connection"),
                None => {}
            },
        }
    }
}

async fn answer(
    request: Request<Incoming>,
    address: SocketAddr,
    seat: Arc<Seat>,
    mut router: Router,
) -> Result<Response<AnswerBody>, Infallible> {
    seat.answers();
    let under_way = UnderWay(Arc::clone(&seat));
    let mut request = request.map(Body::new);
    let client = seat.client(address.ip(), request.headers());
    request
        .extensions_mut()
        .insert(Caller::new(client, Arc::clone(&seat)));
    let response = match router.call(request).await {
        Ok(response) => response,
        Err(never) => match never {},
    };
    if response.status() == StatusCode::SWITCHING_PROTOCOLS {
        seat.is_upgraded();
    }
    Ok(response.map(|body| AnswerBody {
        body,
        _under_way: under_way,
    }))
}

/// A request under way. Dropping it notes that its answer is made.
struct UnderWay(Arc<Seat>);

impl Drop for UnderWay {
    fn drop(&mut self) {
        self.0.waits();
    }
}

/// The body of an answer. While it is sent, the connection does not count as waiting for a request.
struct AnswerBody {
    body: Body,
    _under_way: UnderWay,
}

impl hyper::body::Body for AnswerBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        Pin::new(&mut self.body).poll_frame(cx)
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_told_without_a_seat_is_an_answer() {
        let text = std::str::from_utf8(NO_SEAT).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head and a body");
        assert!(
            head.contains(&format!("content-length: {}\r\n", body.len())),
            "{}",
            body.len()
        );
        let body: serde_json::Value = serde_json::from_str(body).expect("JSON");
        assert_eq!(body["error"]["retryable"], true);
    }
}
