//! The bodies of requests: how long they may take, how fast they have to come, and how much of them is in memory.

use std::pin::Pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, Ordering};
use std::task::{Context, Poll};
use std::time::Duration;

use axum::body::{Body, HttpBody};
use axum::extract::{Request, State};
use axum::http::StatusCode;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use hyper::body::{Frame, SizeHint};
use tokio::time::Sleep;

use crate::config::Limits;
use crate::connections::{Caller, Pace};
use crate::error::ApiError;
use crate::shares::{Exceeded, Share, Shares, bites};

/// One owner may have the memory for bodies divided by this number.
const SHARE_OF: u64 = 2;

/// How fast bodies have to come, and how long they may take.
#[derive(Clone, Copy)]
pub(super) struct BodyPace {
    bytes_per_second: u64,
    time: Duration,
}

impl BodyPace {
    pub(super) fn new(limits: &Limits) -> Self {
        Self {
            bytes_per_second: limits.bytes_per_second,
            time: Duration::from_secs(limits.body_seconds),
        }
    }
}

/// What became of a body.
#[derive(Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
enum Became {
    Fine = 0,
    TooSlow = 1,
    TooMuch = 2,
    TooMuchOfOne = 3,
}

/// Breaks off a body that comes too slowly. The answer then says so, whatever the handler made of half a body.
pub(super) async fn paced(State(pace): State<BodyPace>, request: Request, next: Next) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let became = Arc::new(AtomicU8::new(Became::Fine as u8));
    let request = request.map(|body| {
        Body::new(PacedBody {
            body,
            pace: Pace::new(pace.bytes_per_second),
            ends: Box::pin(tokio::time::sleep(pace.time)),
            became: Arc::clone(&became),
        })
    });
    let response = next.run(request).await;
    if became.load(Ordering::Acquire) == Became::TooSlow as u8 {
        let message = "the body of the request came too slowly";
        return ApiError::new(StatusCode::REQUEST_TIMEOUT, "too_slow", message)
            .hint("send it again over a better connection")
            .retryable()
            .into_response();
    }
    response
}

struct PacedBody {
    body: Body,
    pace: Pace,
    ends: Pin<Box<Sleep>>,
    became: Arc<AtomicU8>,
}

impl PacedBody {
    fn too_slow(&mut self, by: &'static str) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        bites(by, "sent");
        self.became.store(Became::TooSlow as u8, Ordering::Release);
        Poll::Ready(Some(Err(axum::Error::new(BrokenOff))))
    }
}

/// The error of a body that was broken off.
#[derive(Clone, Copy, Debug, thiserror::Error)]
#[error("the body was broken off")]
struct BrokenOff;

impl HttpBody for PacedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        match Pin::new(&mut self.body).poll_frame(cx) {
            Poll::Ready(Some(Ok(frame))) => {
                let bytes = frame.data_ref().map_or(0, Bytes::len);
                match self.pace.moved(bytes) {
                    Ok(()) => Poll::Ready(Some(Ok(frame))),
                    Err(_) => self.too_slow("bytes_per_second"),
                }
            }
            Poll::Ready(ended) => Poll::Ready(ended),
            Poll::Pending if self.ends.as_mut().poll(cx).is_ready() => {
                self.too_slow("body_seconds")
            }
            Poll::Pending => match self.pace.poll_waiting(cx) {
                Poll::Ready(_) => self.too_slow("bytes_per_second"),
                Poll::Pending => Poll::Pending,
            },
        }
    }

    fn is_end_stream(&self) -> bool {
        self.body.is_end_stream()
    }

    fn size_hint(&self) -> SizeHint {
        self.body.size_hint()
    }
}

/// The memory for bodies that handlers keep whole.
#[derive(Clone)]
pub(super) struct BodyMemory(Arc<Shares>);

impl BodyMemory {
    pub(super) fn new(limits: &Limits) -> Self {
        let all = limits.bodies_bytes;
        Self(Shares::new("bodies_bytes", all, all / SHARE_OF))
    }
}

/// Counts the bytes of a body that have come in, until the request is answered.
pub(super) async fn counted(
    State(memory): State<BodyMemory>,
    request: Request,
    next: Next,
) -> Response {
    if request.body().is_end_stream() {
        return next.run(request).await;
    }
    let caller = Caller::of(request.extensions());
    let Ok(share) = memory.0.take(caller.account(), 0) else {
        return ApiError::busy().into_response();
    };
    let held = Arc::new(std::sync::Mutex::new(share));
    let became = Arc::new(AtomicU8::new(Became::Fine as u8));
    let request = request.map(|body| {
        Body::new(CountedBody {
            body,
            held: Arc::clone(&held),
            became: Arc::clone(&became),
        })
    });
    let response = next.run(request).await;
    drop(held);
    let became = became.load(Ordering::Acquire);
    if became == Became::TooMuch as u8 {
        return ApiError::busy().into_response();
    }
    if became == Became::TooMuchOfOne as u8 {
        let message = "too many large requests of this key are under way; wait for one of them";
        return ApiError::too_many("too_many_bodies", message).into_response();
    }
    response
}

struct CountedBody {
    body: Body,
    held: Arc<std::sync::Mutex<Share>>,
    became: Arc<AtomicU8>,
}

impl HttpBody for CountedBody {
    type Data = Bytes;
    type Error = axum::Error;

    fn poll_frame(
        mut self: Pin<&mut Self>,
        cx: &mut Context<'_>,
    ) -> Poll<Option<Result<Frame<Bytes>, axum::Error>>> {
        let polled = Pin::new(&mut self.body).poll_frame(cx);
        if let Poll::Ready(Some(Ok(frame))) = &polled {
            let bytes = frame.data_ref().map_or(0, Bytes::len) as u64;
            let grown = self
                .held
                .lock()
                .expect("nobody panics while counting")
                .grow(bytes);
            if let Err(exceeded) = grown {
                let became = match exceeded {
                    Exceeded::All => Became::TooMuch,
                    Exceeded::Each => Became::TooMuchOfOne,
                };
                self.became.store(became as u8, Ordering::Release);
                return Poll::Ready(Some(Err(axum::Error::new(BrokenOff))));
            }
        }
        polled
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
    use std::convert::Infallible;

    use axum::Router;
    use axum::middleware::from_fn_with_state;
    use axum::routing::post;
    use tokio_stream::wrappers::ReceiverStream;
    use tower::ServiceExt as _;

    use super::*;

    async fn keep(body: Bytes) -> String {
        body.len().to_string()
    }

    fn router(limits: &Limits) -> Router {
        Router::new()
            .route("/", post(keep))
            .layer(from_fn_with_state(BodyMemory::new(limits), counted))
            .layer(from_fn_with_state(BodyPace::new(limits), paced))
    }

    async fn answer(router: &Router, body: Body) -> u16 {
        let request = Request::post("/").body(body).expect("a request");
        let answered = router.clone().oneshot(request).await;
        answered.expect("never fails").status().as_u16()
    }

    #[tokio::test(start_paused = true)]
    async fn a_body_that_drips_or_takes_too_long_is_broken_off() {
        let limits = Limits {
            bytes_per_second: 10,
            body_seconds: 60,
            ..Limits::default()
        };
        let router = router(&limits);
        for (bytes, every, status) in [(9, 1, 408), (10, 1, 408), (1_000, 1, 408), (100, 10, 408)] {
            let (sender, receiver) = tokio::sync::mpsc::channel::<Result<Vec<u8>, Infallible>>(1);
            tokio::spawn(async move {
                while sender.send(Ok(vec![0; bytes])).await.is_ok() {
                    tokio::time::sleep(Duration::from_secs(every)).await;
                }
            });
            let began = tokio::time::Instant::now();
            let body = Body::from_stream(ReceiverStream::new(receiver));
            assert_eq!(answer(&router, body).await, status, "{bytes} in {every} s");
            let most = Duration::from_secs(if bytes < 10 { 11 } else { 61 });
            assert!(began.elapsed() <= most, "{bytes} in {every} s");
        }
        assert_eq!(answer(&router, Body::from("whole")).await, 200);
    }

    #[tokio::test]
    async fn bodies_have_so_much_memory_together_and_give_it_back() {
        let limits = Limits {
            bodies_bytes: 1_000,
            ..Limits::default()
        };
        let router = router(&limits);
        let pieces = |count| {
            let pieces = (0..count).map(|_| Ok::<_, Infallible>(vec![0; 100]));
            Body::from_stream(futures::stream::iter(pieces))
        };
        assert_eq!(answer(&router, pieces(6)).await, 429);
        for _ in 0..10 {
            assert_eq!(answer(&router, pieces(5)).await, 200);
        }
    }
}
