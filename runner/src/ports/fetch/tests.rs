//! Tests that every way that we know to reach forbidden addresses is stopped, and that what may be fetched is fetched.

use std::net::IpAddr;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Duration;

use async_trait::async_trait;
use axum::Router;
use axum::body::Body;
use axum::http::header::{CONTENT_ENCODING, CONTENT_TYPE, LOCATION};
use axum::response::{IntoResponse, Redirect};
use axum::routing::get;
use bytes::Bytes;
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::super::testing::Server;
use super::fetcher::next_hop;
use super::policy::parsed;
use super::*;

const JSON: &[&str] = &["application/json"];

/// Names that lead where the test says, and how often they were looked up.
struct Names(Vec<IpAddr>, AtomicUsize);

#[async_trait]
impl Lookup for Names {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        self.1.fetch_add(1, Ordering::SeqCst);
        Ok(self.0.clone())
    }
}

fn names(addresses: &[&str]) -> Arc<Names> {
    let addresses = addresses.iter().map(|ip| ip.parse().expect("an address"));
    Arc::new(Names(addresses.collect(), AtomicUsize::new(0)))
}

fn public(addresses: &[&str]) -> Fetcher {
    Fetcher::with_lookup(Policy::Public, FetchLimits::default(), names(addresses)).expect("builds")
}

fn small() -> FetchLimits {
    FetchLimits {
        bytes: 1_000,
        ..FetchLimits::default()
    }
}

fn listed(origins: &[&str]) -> Policy {
    let origins = origins.iter().map(|text| Origin::parse(text));
    Policy::Listed(origins.collect::<Result<_, _>>().expect("origins"))
}

fn fetcher(origins: &[&str]) -> Fetcher {
    Fetcher::new(listed(origins), small()).expect("builds")
}

/// The name of the rule that refused.
fn rule(error: &FetchError) -> String {
    let text = format!("{error:?}");
    text.split([' ', '{']).next().unwrap_or_default().to_owned()
}

#[tokio::test]
async fn no_way_of_writing_an_address_leads_inside() {
    // Whatever is not stopped by its form would be looked up, and no name is known here.
    let fetcher = public(&[]);
    for (address, expected) in [
        ("http://127.0.0.1/", "Forbidden"),
        ("http://127.0.0.1./", "Forbidden"),
        ("http://0x7f000001/", "Forbidden"),
        ("http://0x7f.1/", "Forbidden"),
        ("http://2130706433/", "Forbidden"),
        ("http://017700000001/", "Forbidden"),
        ("http://0177.0.0.1/", "Forbidden"),
        ("http://127.1/", "Forbidden"),
        ("http://%31%32%37.0.0.1/", "Forbidden"),
        ("http://１２７.0.0.1/", "Forbidden"),
        ("http://127。0。0。1/", "Forbidden"),
        ("http://0/", "Forbidden"),
        ("http://10.1.2.3/", "Forbidden"),
        ("http://172.31.255.255/", "Forbidden"),
        ("http://192.168.0.1/", "Forbidden"),
        ("http://100.64.0.1/", "Forbidden"),
        ("http://169.254.169.254/latest/meta-data/", "Forbidden"),
        ("http://168.63.129.16/", "Forbidden"),
        ("http://192.0.2.1/", "Forbidden"),
        ("http://198.18.0.1/", "Forbidden"),
        ("http://224.0.0.1/", "Forbidden"),
        ("http://255.255.255.255/", "Forbidden"),
        ("http://[::]/", "Forbidden"),
        ("http://[::1]/", "Forbidden"),
        ("http://[::ffff:127.0.0.1]/", "Forbidden"),
        ("http://[::ffff:8.8.8.8]/", "Forbidden"),
        ("http://[::127.0.0.1]/", "Forbidden"),
        ("http://[64:ff9b::7f00:1]/", "Forbidden"),
        ("http://[64:ff9b:1::a00:1]/", "Forbidden"),
        ("http://[2002:7f00:1::]/", "Forbidden"),
        ("http://[2001:0:53aa:64c:0:0:80ff:fffe]/", "Forbidden"),
        ("http://[fd00:ec2::254]/", "Forbidden"),
        ("http://[fe80::1]/", "Forbidden"),
        ("http://[fec0::1]/", "Forbidden"),
        ("http://[ff02::1]/", "Forbidden"),
        ("http://[2001:db8::1]/", "Forbidden"),
        ("http://user:secret@example.org/", "Credentials"),
        ("http://user@example.org/", "Credentials"),
        ("http://example.org:22/", "Port"),
        ("http://example.org:8787/", "Port"),
        ("ftp://example.org/", "Scheme"),
        ("file:///etc/passwd", "Scheme"),
        ("gopher://127.0.0.1:6379/_FLUSHALL", "Scheme"),
        ("data:application/json,{}", "Scheme"),
        ("//example.org/", "BadAddress"),
        ("http://", "BadAddress"),
        ("http://exa mple.org/", "BadAddress"),
        ("http://[fe80::1%25eth0]/", "BadAddress"),
        ("http://example.org/", "UnknownHost"),
        ("http://localhost/", "UnknownHost"),
    ] {
        let error = fetcher.get(address, JSON).await.expect_err(address);
        assert_eq!(rule(&error), expected, "{address}: {error}");
        assert!(!error.to_string().contains("secret"), "{error}");
    }
}

#[test]
fn public_addresses_are_public() {
    let public = Policy::Public;
    for address in [
        "http://8.8.8.8/",
        "https://[2606:4700::1111]/",
        "http://172.32.0.1:443/",
    ] {
        assert_eq!(
            public.check(&parsed(address).expect(address)),
            Ok(()),
            "{address}"
        );
    }
}

#[tokio::test]
async fn a_name_leads_nowhere_where_any_of_its_addresses_is_inside() {
    for addresses in [
        &["127.0.0.1"][..],
        &["8.8.8.8", "10.0.0.1"],
        &["2606:4700::1111", "::1"],
        &["169.254.169.254"],
    ] {
        let error = public(addresses).get("http://example.org/", JSON).await;
        let error = error.expect_err("it is inside");
        assert_eq!(rule(&error), "Forbidden", "{addresses:?}: {error}");
        assert!(!error.retryable());
    }
}

/// A lookup that cannot reach a name server.
struct Silence;

#[async_trait]
impl Lookup for Silence {
    async fn lookup(&self, _: &str) -> std::io::Result<Vec<IpAddr>> {
        Err(std::io::Error::other("temporary failure"))
    }
}

#[tokio::test]
async fn a_name_that_could_not_be_looked_up_may_be_tried_again() {
    let limits = FetchLimits::default();
    let fetcher = Fetcher::with_lookup(Policy::Public, limits, Arc::new(Silence)).expect("builds");
    let error = fetcher.get("http://example.org/", JSON).await;
    let error = error.expect_err("nobody knows");
    assert!(
        rule(&error) == "Unreachable" && error.retryable(),
        "{error}"
    );
    assert!(error.to_string().contains("temporary failure"), "{error}");
}

#[test]
fn a_redirect_is_held_to_the_same_rules() {
    let from = parsed("https://example.org/a").expect("an address");
    let next = |location| next_hop(&Policy::Public, &from, location, 302);
    assert_eq!(
        next(Some("../b?c=1")).map(|url| url.to_string()),
        Ok("https://example.org/b?c=1".to_owned())
    );
    for (location, expected) in [
        (Some("http://127.0.0.1/"), "Forbidden"),
        (Some("//169.254.169.254/latest"), "Forbidden"),
        (Some("http://[::ffff:7f00:1]/"), "Forbidden"),
        (Some("https://example.org:6379/"), "Port"),
        (Some("https://a:b@example.org/"), "Credentials"),
        (Some("file:///etc/passwd"), "Scheme"),
        (Some("http://"), "BadAddress"),
        (None, "BadRedirect"),
    ] {
        let error = next(location).expect_err("refused");
        assert_eq!(rule(&error), expected, "{location:?}: {error}");
    }
}

#[tokio::test]
async fn a_listed_server_may_be_on_this_machine_and_no_other_server_is_asked() {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&asked);
    let other = Server::start(Router::new().fallback(move || async move {
        count.fetch_add(1, Ordering::SeqCst);
        axum::Json("inside")
    }))
    .await;
    let elsewhere = other.url.clone();
    let routes = Router::new()
        .route("/here", get(|| async { axum::Json(1) }))
        .route("/near", get(|| async { Redirect::temporary("/here") }))
        .route(
            "/far",
            get(move || async move { Redirect::temporary(&elsewhere) }),
        );
    let server = Server::start(routes).await;
    let fetcher = fetcher(&[&server.url]);
    for path in ["/here", "/near"] {
        let fetched = fetcher.get(&format!("{}{path}", server.url), JSON).await;
        let fetched = fetched.expect("it is listed");
        assert_eq!(fetched.body, Bytes::from_static(b"1"));
        assert_eq!(fetched.url, format!("{}/here", server.url));
        assert_eq!(fetched.media_type, "application/json");
    }
    let port = server.url.rsplit(':').next().unwrap_or_default();
    for address in [
        format!("{}/far", server.url),
        other.url.clone(),
        format!("http://localhost:{port}/here"),
        format!("https://127.0.0.1:{port}/here"),
        "http://127.0.0.1/here".to_owned(),
    ] {
        let error = fetcher.get(&address, JSON).await.expect_err(&address);
        assert_eq!(rule(&error), "NotListed", "{address}: {error}");
        assert!(error.to_string().contains(&server.url), "{error}");
    }
    assert_eq!(asked.load(Ordering::SeqCst), 0);
    // Another way to write the same address is the same address.
    let same = fetcher
        .get(&format!("http://0x7f.1:{port}/here"), JSON)
        .await;
    assert!(same.is_ok(), "{same:?}");
}

#[tokio::test]
async fn a_list_does_not_open_what_is_open_to_nobody() {
    for origin in [
        "http://169.254.169.254",
        "http://[fe80::1]",
        "http://0.0.0.0:80",
        "http://224.0.0.1",
        "http://[::ffff:169.254.169.254]",
        "http://100.100.100.200",
    ] {
        let error = fetcher(&[origin]).get(origin, JSON).await;
        assert_eq!(rule(&error.expect_err(origin)), "Forbidden", "{origin}");
    }
    let policy = listed(&["http://backend.example"]);
    let names = names(&["127.0.0.1", "169.254.169.254"]);
    let fetcher = Fetcher::with_lookup(policy, small(), names).expect("builds");
    let error = fetcher.get("http://backend.example/", JSON).await;
    assert_eq!(rule(&error.expect_err("metadata")), "Forbidden");
}

#[tokio::test]
async fn a_name_is_looked_up_once_and_its_address_is_what_is_connected_to() {
    let server = Server::start(Router::new().route("/", get(|| async { axum::Json(1) }))).await;
    let address = server.url.replace("127.0.0.1", "backend.example");
    let names = names(&["127.0.0.1"]);
    let lookup = Arc::clone(&names);
    let fetcher = Fetcher::with_lookup(listed(&[&address]), small(), lookup).expect("builds");
    assert!(fetcher.get(&address, JSON).await.is_ok());
    assert_eq!(names.1.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn redirects_come_to_an_end() {
    let round = get(|| async { Redirect::permanent("/round") });
    let nowhere = get(|| async { axum::http::StatusCode::FOUND });
    let routes = Router::new()
        .route("/round", round)
        .route("/nowhere", nowhere);
    let server = Server::start(routes).await;
    let fetcher = fetcher(&[&server.url]);
    let get = |path: &str| format!("{}{path}", server.url);
    let error = fetcher.get(&get("/round"), JSON).await;
    assert_eq!(error, Err(FetchError::TooManyRedirects { most: 5 }));
    let error = fetcher.get(&get("/nowhere"), JSON).await;
    assert_eq!(rule(&error.expect_err("nowhere")), "BadRedirect");
}

#[tokio::test]
async fn an_answer_is_taken_as_asked_for_and_no_longer_than_allowed() {
    let json = |body: Body| ([(CONTENT_TYPE, "application/json; charset=utf-8")], body);
    let endless =
        futures::stream::repeat_with(|| Ok::<_, std::io::Error>(Bytes::from_static(b"0123456789")));
    let endless = Arc::new(std::sync::Mutex::new(Some(Body::from_stream(endless))));
    let routes = Router::new()
        .route(
            "/most",
            get(move || async move { json(Body::from(vec![b' '; 1_000])) }),
        )
        .route(
            "/more",
            get(move || async move { json(Body::from(vec![b' '; 1_001])) }),
        )
        .route(
            "/endless",
            get(move || async move { json(endless.lock().expect("once").take().expect("once")) }),
        )
        .route("/html", get(|| async { axum::response::Html("<p>") }))
        .route(
            "/untyped",
            get(|| async { Body::from("1").into_response() }),
        )
        .route(
            "/bomb",
            get(|| async {
                (
                    [
                        (CONTENT_TYPE, "application/json"),
                        (CONTENT_ENCODING, "gzip"),
                    ],
                    "x",
                )
            }),
        )
        .route(
            "/gone",
            get(|| async { (axum::http::StatusCode::GONE, "no") }),
        )
        .route(
            "/see",
            get(|| async { ([(LOCATION, "/most")], axum::Json(2)) }),
        );
    let server = Server::start(routes).await;
    let fetcher = fetcher(&[&server.url]);
    for (path, expected) in [
        ("/most", "taken"),
        ("/see", "taken"),
        ("/more", "TooLarge"),
        ("/endless", "TooLarge"),
        ("/html", "ContentType"),
        ("/untyped", "ContentType"),
        ("/bomb", "Encoded"),
        ("/gone", "Status"),
        ("/none", "Status"),
    ] {
        let fetched = fetcher.get(&format!("{}{path}", server.url), JSON).await;
        let found = fetched.map_or_else(|error| rule(&error), |_| "taken".to_owned());
        assert_eq!(found, expected, "{path}");
    }
}

/// A server that says these bytes to whoever connects first, and keeps the connection.
async fn blunt(bytes: &'static [u8]) -> String {
    let listener = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .expect("a port");
    let address = listener.local_addr().expect("it is bound");
    tokio::spawn(async move {
        let (mut stream, _) = listener.accept().await.expect("somebody");
        let _ = stream.read(&mut [0; 4096]).await;
        let _ = stream.write_all(bytes).await;
        std::future::pending::<()>().await;
    });
    format!("http://{address}")
}

#[tokio::test]
async fn a_server_that_lies_or_stalls_is_not_believed_and_not_waited_for() {
    let longer = blunt(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 2\r\n\r\n12345",
    )
    .await;
    let fetched = fetcher(&[&longer]).get(&longer, JSON).await;
    assert_eq!(
        fetched.map(|fetched| fetched.body),
        Ok(Bytes::from_static(b"12"))
    );

    let announced = blunt(
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 99999\r\n\r\n",
    )
    .await;
    let error = fetcher(&[&announced]).get(&announced, JSON).await;
    assert_eq!(rule(&error.expect_err("announced")), "TooLarge");

    let stalls =
        blunt(b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 9\r\n\r\n1")
            .await;
    let limits = FetchLimits {
        total: Duration::from_millis(50),
        ..small()
    };
    let hasty = Fetcher::new(listed(&[&stalls]), limits).expect("builds");
    let error = hasty.get(&stalls, JSON).await.expect_err("it stalls");
    assert!(rule(&error) == "Timeout" && error.retryable(), "{error}");

    let nobody = "http://127.0.0.1:1";
    let error = fetcher(&[nobody]).get(nobody, JSON).await;
    let error = error.expect_err("nobody listens");
    assert!(
        rule(&error) == "Unreachable" && error.retryable(),
        "{error}"
    );
}

#[test]
fn an_origin_has_one_form() {
    let shown = |text| Origin::parse(text).map(|origin| origin.to_string());
    assert_eq!(
        shown("HTTP://Example.ORG:80/"),
        Ok("http://example.org".into())
    );
    assert_eq!(
        shown("http://0x7f.1:8787"),
        Ok("http://127.0.0.1:8787".into())
    );
    assert_eq!(shown("https://[::1]:443"), Ok("https://[::1]".into()));
    for wrong in [
        "http://a/b",
        "http://a?b",
        "a:80",
        "ftp://a",
        "http://u:p@a",
    ] {
        assert!(Origin::parse(wrong).is_err(), "{wrong}");
    }
    let whole = Origin::of_address("http://a:1/b?c").map(|origin| origin.to_string());
    assert_eq!(whole, Ok("http://a:1".into()));
}
