//! Keys: whose a server is, wrong ones, the operator's, and what is read again while it serves.

use reqwest::Method;
use serde_json::json;

use crate::support::api::Answer;
use crate::support::folder::TestFolder;
use crate::support::polling::Polling;
use crate::support::program::{Server, palimpsest, run};
use crate::support::within;

const ANN: &str = "key-of-ann-0123456789ab";
const BOB: &str = "key-of-bob-0123456789ab";
const OPERATOR: &str = "key-of-operator-0123456789";

/// The key of an owner before and after the server reads its configuration again.
const OLD: &str = "old-key-0123456789abcdef";
const NEW: &str = "new-key-0123456789abcdef";

async fn with_keys(place: &TestFolder, keys: &str, operator: Option<&str>) -> Server {
    let mut command = palimpsest(place);
    command.env("PALIMPSEST_MODEL", "offline");
    command.env("PALIMPSEST_KEYS", keys);
    if let Some(operator) = operator {
        command.env("PALIMPSEST_OPERATOR_KEY", operator);
    }
    Server::start(command).await
}

async fn status(server: &Server, path: &str, key: &str) -> u16 {
    let shown = format!("Bearer {key}");
    let headers = [("authorization", shown.as_str())];
    let answer = server.api().send(Method::GET, path, &headers, None).await;
    if answer.status == 429 {
        assert_eq!(answer.header("retry-after"), "1");
    }
    answer.status.as_u16()
}

#[tokio::test]
async fn keys_that_are_the_same_are_refused_and_never_printed() {
    let place = TestFolder::new();
    let cases = [
        (
            Some("a:same-secret-0123456789,b:same-secret-0123456789"),
            None,
            "have the same secret",
        ),
        (
            Some("a:same-secret-0123456789"),
            Some("same-secret-0123456789"),
            "operator_key",
        ),
    ];
    for (keys, operator, says) in cases {
        let mut command = palimpsest(&place);
        command.envs(keys.map(|keys| ("PALIMPSEST_KEYS", keys)));
        command.envs(operator.map(|key| ("PALIMPSEST_OPERATOR_KEY", key)));
        let refused = run(command, &["serve", "--check"]).await.with(2);
        assert!(refused.err.contains(says), "{refused:?}");
        assert!(!refused.err.contains("same-secret"), "{refused:?}");
    }
    let mut command = palimpsest(&place);
    command.env(
        "PALIMPSEST_KEYS",
        "a:one-secret-0123456789a,a:two-secret-0123456789a",
    );
    command.env("PALIMPSEST_OPERATOR_KEY", "three-secret-0123456789");
    let checked = run(command, &["serve", "--check"]).await.with(0);
    assert!(checked.out.contains("operator_key = given"), "{checked:?}");
    assert!(!checked.out.contains("three-secret"), "{checked:?}");
}

#[tokio::test(flavor = "multi_thread")]
async fn metrics_are_for_the_operator_where_there_are_keys() {
    let place = TestFolder::new();
    let server = with_keys(&place, "ann:key-of-ann-0123456789ab", Some(OPERATOR)).await;
    assert_eq!(status(&server, "/metrics", ANN).await, 401);
    assert_eq!(server.api().get("/metrics").await.status, 401);
    assert_eq!(status(&server, "/metrics", OPERATOR).await, 200);
    // The operator's key opens nothing else.
    assert_eq!(status(&server, "/v1/sessions", OPERATOR).await, 401);
    let place = TestFolder::new();
    let server = with_keys(&place, "ann:key-of-ann-0123456789ab", None).await;
    server
        .api()
        .get("/metrics")
        .await
        .refused(403, "no_operator");
}

#[tokio::test(flavor = "multi_thread")]
async fn wrong_keys_are_slowed_down_on_every_transport() {
    let place = TestFolder::new();
    let server = with_keys(
        &place,
        "ann:key-of-ann-0123456789ab,bob:key-of-bob-0123456789ab",
        Some(OPERATOR),
    )
    .await;
    assert_eq!(status(&server, "/v1/sessions", ANN).await, 200);
    let mut refused = 0;
    for number in 0..200 {
        match status(&server, "/v1/sessions", &format!("wrong {number}")).await {
            401 => {}
            429 => refused += 1,
            other => panic!("{other}"),
        }
    }
    assert!(refused > 100, "{refused}");
    let api = server.api();
    // None of these ways tells a right key from a wrong one, so none of them gets around the limit.
    let upgrade = |path: &str, key: Option<&str>| {
        let offered = key
            .map(|key| format!("palimpsest.v1, bearer.{key}"))
            .unwrap_or_default();
        let (api, path) = (api.clone(), path.to_owned());
        async move {
            let mut headers = vec![
                ("connection", "upgrade"),
                ("upgrade", "websocket"),
                ("sec-websocket-version", "13"),
                ("sec-websocket-key", "AAAAAAAAAAAAAAAAAAAAAA=="),
            ];
            if !offered.is_empty() {
                headers.push(("sec-websocket-protocol", offered.as_str()));
            }
            api.send(Method::GET, &path, &headers, None).await
        }
    };
    until_slowed(|| upgrade("/v1/stream", Some("wrong"))).await;
    until_slowed(|| upgrade("/ws/report?token=wrong", None)).await;
    let login = json!({ "username": "ann", "password": "wrong" });
    until_slowed(|| api.post("/api/auth/login", &login)).await;
    within("a refusal", async {
        loop {
            let auth = json!({ "token": "wrong" });
            let mut polling = Polling::connect(&api, &auth, &[]).await;
            if polling.next().await.contains("too many wrong keys") {
                return;
            }
        }
    })
    .await;
    // A right key is served, whether or not it was shown before.
    assert_eq!(status(&server, "/v1/sessions", ANN).await, 200);
    assert_eq!(status(&server, "/v1/sessions", BOB).await, 200);
}

/// Shows wrong keys until the server refuses to check them; meanwhile it allows one more each second.
async fn until_slowed<F: Future<Output = Answer>>(ask: impl Fn() -> F) {
    within("a refusal", async {
        loop {
            let answer = ask().await;
            if answer.status == 429 {
                return answer.refused(429, "too_many_wrong_keys");
            }
            assert_eq!(answer.status, 401, "{:?}", answer.body);
        }
    })
    .await;
}

#[tokio::test(flavor = "multi_thread")]
async fn every_answer_has_the_headers_of_a_careful_server() {
    let place = TestFolder::new();
    let server = with_keys(&place, "ann:key-of-ann-0123456789ab", Some(OPERATOR)).await;
    let api = server.api();
    let key = ("authorization", "Bearer key-of-ann-0123456789ab");
    let json = "default-src 'none'; frame-ancestors 'none'";
    for (path, policy, cache) in [
        ("/healthz", json, "no-store"),
        ("/metrics", json, "no-store"),
        ("/nowhere", json, "no-store"),
        ("/v1/sessions", json, ""),
        ("/v1/sessions/none", json, "no-store"),
        ("/openapi.json", json, "no-store"),
        ("/socket.io/?EIO=4&transport=polling", json, "no-store"),
        ("/", "script-src 'self'", ""),
    ] {
        let answer = api.send(Method::GET, path, &[key], None).await;
        assert_eq!(answer.header("x-content-type-options"), "nosniff", "{path}");
        assert_eq!(answer.header("referrer-policy"), "no-referrer", "{path}");
        assert_eq!(
            answer.header("cross-origin-resource-policy"),
            "same-origin",
            "{path}"
        );
        let found = answer.header("content-security-policy");
        assert!(found.contains(policy), "{path}: {found}");
        assert_ne!(answer.header("cache-control"), "", "{path}");
        if !cache.is_empty() {
            assert_eq!(answer.header("cache-control"), cache, "{path}");
        }
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn a_hangup_has_the_server_read_its_keys_and_names_again() {
    let place = TestFolder::new();
    let keys = |secret: &str, rest: &str| {
        let text = format!("{rest}\n[[keys]]\nowner = \"ann\"\nsecret = \"{secret}\"\n");
        place.write("palimpsest.toml", &text);
    };
    keys(OLD, "");
    let mut command = palimpsest(&place);
    command.env("PALIMPSEST_MODEL", "offline");
    let server = Server::start(command).await;
    assert_eq!(status(&server, "/v1/sessions", OLD).await, 200);
    let from_page = async |server: &Server| {
        let headers = [
            ("authorization", "Bearer new-key-0123456789abcdef"),
            ("origin", "https://app.example"),
        ];
        let answer = server
            .api()
            .send(Method::GET, "/v1/sessions", &headers, None)
            .await;
        answer.status.as_u16()
    };

    keys(NEW, "origins = [\"https://app.example\"]\nwidth = 5");
    server.signal("HUP").await;
    within("the new key", async {
        while status(&server, "/v1/sessions", NEW).await != 200 {}
    })
    .await;
    assert_eq!(status(&server, "/v1/sessions", OLD).await, 401);
    assert_eq!(from_page(&server).await, 200);
    let said = |server: &Server, words: &str| server.said().contains(words);
    within("a word about the rest", async {
        while !said(&server, "hold from the next start") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert!(server.said().contains("width"), "{}", server.said());

    place.write("palimpsest.toml", "[[keys]]\nowner = \"ann\"\n");
    server.signal("HUP").await;
    within("a refusal", async {
        while !said(&server, "the one before holds on") {
            tokio::task::yield_now().await;
        }
    })
    .await;
    assert_eq!(status(&server, "/v1/sessions", NEW).await, 200);
    assert!(!server.said().contains("secret = "), "{}", server.said());
}
