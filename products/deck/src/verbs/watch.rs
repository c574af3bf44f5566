//! The page that shows a deck while it is written: it reloads when the deck was drawn again.

use std::convert::Infallible;
use std::net::{Ipv4Addr, SocketAddr};
use std::path::{Path, PathBuf};

use axum::Router;
use axum::extract::State;
use axum::http::{StatusCode, header};
use axum::response::sse::{Event, KeepAlive, Sse};
use axum::response::{Html, IntoResponse as _, Response};
use axum::routing::get;
use futures::Stream;
use futures::stream::StreamExt as _;
use palimpsest::prelude::verb::Failure;
use tokio::sync::watch;
use tokio_stream::wrappers::WatchStream;

/// The deck in a frame, which is loaded again and keeps its scroll position.
const SHELL: &str = "<!doctype html><meta charset=\"utf-8\"><title>Deck</title>\
<style>html,body,iframe{margin:0;border:0;width:100%;height:100%;display:block}</style>\
<iframe id=\"deck\" src=\"/deck.html\"></iframe>\
<script>new EventSource('/changes').onmessage=()=>{\
const f=document.getElementById('deck');const at=f.contentWindow.location.hash;\
f.contentWindow.location.replace('/deck.html?'+Date.now()+at);}</script>";

/// A page that is served on this machine alone.
pub(super) struct Page {
    address: SocketAddr,
    drawn: watch::Sender<u64>,
}

#[derive(Clone)]
struct Served {
    folder: PathBuf,
    drawn: watch::Receiver<u64>,
}

impl Page {
    /// Serves the folder's deck.
    pub(super) async fn serve(folder: &Path) -> Result<Self, Failure> {
        let listener = tokio::net::TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).await?;
        let address = listener.local_addr()?;
        let (drawn, changes) = watch::channel(0);
        let served = Served {
            folder: folder.to_owned(),
            drawn: changes,
        };
        let routes = Router::new()
            .route("/", get(async || Html(SHELL)))
            .route("/deck.html", get(deck))
            .route(
                "/changes",
                get(async |State(served): State<Served>| changes_of(&served)),
            )
            .with_state(served);
        tokio::spawn(async move { axum::serve(listener, routes).await });
        Ok(Self { address, drawn })
    }

    pub(super) fn address(&self) -> String {
        format!("http://{}/", self.address)
    }

    /// Tells the page that the deck was drawn again.
    pub(super) fn reload(&self) {
        self.drawn.send_modify(|drawn| *drawn += 1);
    }
}

async fn deck(State(served): State<Served>) -> Response {
    match tokio::fs::read(served.folder.join("deck.html")).await {
        Ok(html) => ([(header::CONTENT_TYPE, "text/html; charset=utf-8")], html).into_response(),
        Err(_) => (StatusCode::NOT_FOUND, "the deck has not been drawn yet").into_response(),
    }
}

/// An event for each time that the deck was drawn from now on.
fn changes_of(served: &Served) -> Sse<impl Stream<Item = Result<Event, Infallible>> + use<>> {
    let changes = WatchStream::from_changes(served.drawn.clone());
    let events = changes.map(|drawn| Ok(Event::default().data(drawn.to_string())));
    Sse::new(events).keep_alive(KeepAlive::default())
}
