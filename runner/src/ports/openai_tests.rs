use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::body::{Body, Bytes};
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Response};
use axum::routing::post;
use futures::stream;
use tokio::sync::{Notify, oneshot};

use super::*;
use domain::carry::Call;

use crate::ports::model::{Discard, ToolSpec, Usage};
use crate::ports::testing::{Server, request};

const KEY: &str = "sk-very-secret";

const STREAM: &str = concat!(
    "data: {\"model\":\"m-1-2026\",\"choices\":[{\"delta\":{\"content\":\"你\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{\"content\":\"好\"}}]}\n\n",
    "data: {\"choices\":[{\"delta\":{},\"finish_reason\":\"stop\"}]}\n\n",
    "data: {\"choices\":[],\"usage\":{\"prompt_tokens\":5,\"completion_tokens\":2}}\n\n",
    "data: [DONE]\n\n",
);

#[derive(Default)]
struct RecordingSink {
    raw: Vec<u8>,
    texts: Vec<String>,
}

impl AnswerSink for RecordingSink {
    fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
        self.raw.extend_from_slice(raw);
        Ok(())
    }

    fn text(&mut self, delta: &str) {
        self.texts.push(delta.to_owned());
    }
}

fn model_at(url: &str) -> OpenAiModel {
    OpenAiModel::new(OpenAiConfig::new(format!("{url}/v1"), Secret::new(KEY))).unwrap()
}

fn events(body: impl Into<Body>) -> Response {
    ([("content-type", "text/event-stream")], body.into()).into_response()
}

/// A server that always gives the answer of this function, and how often it was asked.
async fn serving(
    answer: impl Fn(HeaderMap, Value) -> Response + Clone + Send + Sync + 'static,
) -> (Server, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let count = asked.clone();
    let handler = move |headers: HeaderMap, body: Bytes| async move {
        count.fetch_add(1, Ordering::SeqCst);
        answer(headers, serde_json::from_slice(&body).unwrap())
    };
    let server = Server::start(Router::new().route("/v1/chat/completions", post(handler))).await;
    (server, asked)
}

async fn call(url: &str) -> Result<ModelAnswer, ModelError> {
    model_at(url)
        .call(&request("hi"), &mut Discard, &CancellationToken::new())
        .await
}

#[tokio::test]
async fn an_answer_streams_through_with_its_bytes_its_text_and_its_tokens() {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let (server, asked) = serving(move |headers, body| {
        let header = |name: &str| headers[name].to_str().unwrap().to_owned();
        *note.lock().unwrap() = Some((header("authorization"), header("idempotency-key"), body));
        // Pieces of three bytes split letters and events anywhere.
        let pieces: Vec<_> = STREAM
            .as_bytes()
            .chunks(3)
            .map(|p| Ok::<_, std::io::Error>(p.to_vec()))
            .collect();
        events(Body::from_stream(stream::iter(pieces)))
    })
    .await;
    let mut kept = RecordingSink::default();
    let answer = model_at(&server.url)
        .call(&request("hi"), &mut kept, &CancellationToken::new())
        .await;
    assert_eq!(
        answer,
        Ok(ModelAnswer {
            text: "你好".to_owned(),
            model: "m-1-2026".to_owned(),
            finish_reason: Some("stop".to_owned()),
            usage: Some(Usage {
                input: 5,
                output: 2,
                ..Usage::default()
            }),
            raw: STREAM.into(),
            ..ModelAnswer::default()
        })
    );
    assert_eq!(kept.raw, STREAM.as_bytes());
    assert_eq!(kept.texts.concat(), "你好");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
    let body = json!({
        "model": "m-1", "messages": [{"role": "user", "content": "hi"}], "max_tokens": 100,
        "stream": true, "stream_options": {"include_usage": true}
    });
    let sent = seen.lock().unwrap().take();
    assert_eq!(
        sent,
        Some((format!("Bearer {KEY}"), "00ff".to_owned(), body))
    );
}

#[tokio::test]
async fn a_refusal_is_made_once_and_says_when_to_come_back() {
    let (server, asked) = serving(|_, _| {
        let body = json!({"error": {"message": format!("slow down, {KEY}"), "code": "rate_limit_exceeded"}});
        (StatusCode::TOO_MANY_REQUESTS, [("retry-after", "7")], axum::Json(body)).into_response()
    })
    .await;
    let error = call(&server.url).await.unwrap_err();
    assert_eq!(
        error,
        ModelError {
            kind: ModelErrorKind::RateLimited,
            status: Some(429),
            message: "the provider answered 429: slow down, [secret]".to_owned(),
            retry_after: Some(Duration::from_secs(7)),
        }
    );
    assert!(error.retryable());
    assert_eq!(
        asked.load(Ordering::SeqCst),
        1,
        "the library's own retry is off"
    );
}

#[tokio::test]
async fn statuses_have_their_kinds() {
    for (status, kind) in [
        (500, ModelErrorKind::Server),
        (503, ModelErrorKind::Server),
        (400, ModelErrorKind::Rejected),
        (401, ModelErrorKind::Auth),
        (302, ModelErrorKind::Rejected),
        (402, ModelErrorKind::OutOfCredit),
    ] {
        let (server, asked) = serving(move |_, _| {
            (StatusCode::from_u16(status).unwrap(), "<html>oops</html>").into_response()
        })
        .await;
        let error = call(&server.url).await.unwrap_err();
        assert_eq!((error.kind, error.status), (kind, Some(status)));
        assert_eq!(
            error.message,
            format!("the provider answered {status}: oops")
        );
        assert_eq!(asked.load(Ordering::SeqCst), 1);
    }
}

#[tokio::test]
async fn a_stream_that_just_ends_is_cut() {
    let (server, _) = serving(|_, _| events(&STREAM[..100])).await;
    assert_eq!(
        call(&server.url).await.unwrap_err().kind,
        ModelErrorKind::Cut
    );
}

#[tokio::test]
async fn a_connection_that_breaks_is_cut() {
    /// Keeps the answer and says when its first text has arrived.
    struct Telling(RecordingSink, Arc<Notify>);
    impl AnswerSink for Telling {
        fn bytes(&mut self, raw: &[u8]) -> std::io::Result<()> {
            self.0.bytes(raw)
        }
        fn text(&mut self, delta: &str) {
            self.0.text(delta);
            self.1.notify_one();
        }
    }
    let arrived = Arc::new(Notify::new());
    let break_when = arrived.clone();
    let (server, _) = serving(move |_, _| {
        let arrived = break_when.clone();
        let first = stream::iter([Ok(STREAM[..100].to_owned())]);
        let broken = stream::once(async move {
            arrived.notified().await;
            Err(std::io::Error::other("gone"))
        });
        events(Body::from_stream(first.chain(broken)))
    })
    .await;
    let mut sink = Telling(RecordingSink::default(), arrived);
    let model = model_at(&server.url);
    let error = model
        .call(&request("hi"), &mut sink, &CancellationToken::new())
        .await
        .unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Cut);
    assert!(
        error.message.starts_with("the connection broke"),
        "{}",
        error.message
    );
    assert_eq!(sink.0.texts, ["你"]);
}

#[tokio::test]
async fn nobody_there_is_unreachable() {
    let (server, _) = serving(|_, _| events(STREAM)).await;
    let url = server.url.clone();
    let port = tokio::net::TcpListener::bind("127.0.0.1:0")
        .await
        .unwrap()
        .local_addr()
        .unwrap()
        .port();
    drop(server);
    let error = call(&format!("{}:{port}", &url[..url.rfind(':').unwrap()]))
        .await
        .unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Unreachable);
    assert!(error.retryable());
}

/// A stream that sends its beginning and then nothing, and says when the client is gone.
struct Silence {
    gone: Option<oneshot::Sender<()>>,
}

impl Drop for Silence {
    fn drop(&mut self) {
        if let Some(gone) = self.gone.take() {
            // Nobody may be listening any more, which is fine.
            gone.send(()).ok();
        }
    }
}

async fn silent_server(beginning: &'static str) -> (Server, oneshot::Receiver<()>) {
    let (gone, is_gone) = oneshot::channel();
    let gone = Arc::new(Mutex::new(Some(gone)));
    let (server, _) = serving(move |_, _| {
        let silence = Silence {
            gone: gone.lock().unwrap().take(),
        };
        let first = stream::iter([Ok::<_, std::io::Error>(beginning)]);
        let rest = stream::unfold(silence, |silence| async move {
            std::future::pending::<()>().await;
            Some((Ok(""), silence))
        });
        events(Body::from_stream(first.chain(rest)))
    })
    .await;
    (server, is_gone)
}

/// Cancels as soon as the first text is there.
struct CancelAtFirstText(CancellationToken);

impl AnswerSink for CancelAtFirstText {
    fn bytes(&mut self, _: &[u8]) -> std::io::Result<()> {
        Ok(())
    }

    fn text(&mut self, _: &str) {
        self.0.cancel();
    }
}

#[tokio::test]
async fn cancelling_closes_the_socket() {
    let (server, is_gone) = silent_server(&STREAM[..100]).await;
    let cancel = CancellationToken::new();
    let mut sink = CancelAtFirstText(cancel.clone());
    let error = model_at(&server.url)
        .call(&request("hi"), &mut sink, &cancel)
        .await
        .unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::Cancelled);
    assert!(!error.retryable());
    // Resolves only when the server has seen its connection closed; the model is still there.
    is_gone.await.unwrap();
}

#[tokio::test]
async fn a_cancelled_token_makes_no_call() {
    let (server, asked) = serving(|_, _| events(STREAM)).await;
    let cancel = CancellationToken::new();
    cancel.cancel();
    let outcome = model_at(&server.url)
        .call(&request("hi"), &mut Discard, &cancel)
        .await;
    assert_eq!(outcome.unwrap_err().kind, ModelErrorKind::Cancelled);
    assert_eq!(asked.load(Ordering::SeqCst), 0);
}

async fn limited(url: &str, limits: TimeLimits) -> ModelErrorKind {
    let config = OpenAiConfig {
        limits,
        ..model_at(url).config
    };
    OpenAiModel::new(config)
        .unwrap()
        .call(&request("hi"), &mut Discard, &CancellationToken::new())
        .await
        .unwrap_err()
        .kind
}

#[tokio::test]
async fn silence_is_a_timeout_and_closes_the_socket() {
    let (server, is_gone) = silent_server(&STREAM[..100]).await;
    let limits = TimeLimits {
        between_chunks: Duration::from_millis(20),
        ..TimeLimits::default()
    };
    assert_eq!(limited(&server.url, limits).await, ModelErrorKind::Timeout);
    is_gone.await.unwrap();
}

#[tokio::test]
async fn no_first_byte_and_no_end_in_time_are_timeouts() {
    for limits in [
        TimeLimits {
            first_byte: Duration::from_millis(20),
            ..TimeLimits::default()
        },
        TimeLimits {
            total: Duration::from_millis(20),
            ..TimeLimits::default()
        },
    ] {
        let (server, _) = silent_server("").await;
        assert_eq!(limited(&server.url, limits).await, ModelErrorKind::Timeout);
    }
}

#[tokio::test]
async fn an_answer_that_cannot_be_kept_ends_the_call() {
    struct Full;
    impl AnswerSink for Full {
        fn bytes(&mut self, _: &[u8]) -> std::io::Result<()> {
            Err(std::io::Error::other("disk full"))
        }
        fn text(&mut self, _: &str) {}
    }
    let (server, _) = serving(|_, _| events(STREAM)).await;
    let outcome = model_at(&server.url)
        .call(&request("hi"), &mut Full, &CancellationToken::new())
        .await;
    let error = outcome.unwrap_err();
    assert_eq!(error.kind, ModelErrorKind::NotKept);
    assert_eq!(error.message, "the answer could not be kept: disk full");
}

#[tokio::test]
async fn a_json_document_where_a_stream_was_asked_for_is_taken() {
    let (server, _) = serving(|_, _| {
        axum::Json(json!({"choices": [{"message": {"content": "ok"}, "finish_reason": "stop"}]}))
            .into_response()
    })
    .await;
    let mut kept = RecordingSink::default();
    let model = model_at(&server.url);
    let answer = model
        .call(&request("hi"), &mut kept, &CancellationToken::new())
        .await
        .unwrap();
    assert_eq!(answer.text, "ok");
    assert_eq!(kept.texts, ["ok"]);
}

#[test]
fn a_schema_is_sent_as_far_as_the_model_can_take_it() {
    let mut config = OpenAiConfig::new("http://127.0.0.1:1/v1", Secret::default());
    let family = |model: &str, capability| Family {
        models: vec![model.to_owned()],
        hosts: vec![],
        habits: Habits {
            structured: Some(capability),
            ..Habits::default()
        },
    };
    config.families = vec![
        family("beside", Capability::JsonObjectWithSchema),
        family("json", Capability::JsonObject),
        family("text", Capability::Text),
    ];
    let model = OpenAiModel::new(config).unwrap();
    let mut asked = request("hi");
    asked.schema = Some(NamedSchema {
        name: "outline".to_owned(),
        schema: json!({"type": "object", "properties": {"a": {"type": "string", "format": "uri"}}}),
    });
    let strict = model.body(&asked);
    assert_eq!(
        strict["response_format"],
        json!({"type": "json_schema", "json_schema": {"name": "outline", "strict": true, "schema": {
            "type": "object", "properties": {"a": {"type": "string"}}, "required": ["a"], "additionalProperties": false
        }}})
    );
    assert_eq!(strict["messages"].as_array().unwrap().len(), 1);

    asked.model = "beside".to_owned();
    let beside = model.body(&asked);
    let schema = &strict["response_format"]["json_schema"]["schema"];
    let expected = json!({"type": "json_object", "schema": schema});
    assert_eq!(beside["response_format"], expected);

    asked.model = "json".to_owned();
    let object = model.body(&asked);
    assert_eq!(object["response_format"], json!({"type": "json_object"}));
    let instruction = object["messages"][0]["content"].as_str().unwrap();
    assert!(instruction.contains("`outline`") && instruction.contains("\"format\":\"uri\""));

    asked.model = "text".to_owned();
    let text = model.body(&asked);
    assert_eq!(text.get("response_format"), None);
    assert_eq!(text["messages"], object["messages"]);
}

#[test]
fn pictures_are_parts_of_their_message() {
    let model =
        OpenAiModel::new(OpenAiConfig::new("http://127.0.0.1:1", Secret::default())).unwrap();
    let mut asked = request("what is this?");
    asked.messages[0].pictures = vec![crate::ports::MessagePicture {
        sha256: "ab".to_owned(),
        media_type: "image/png".to_owned(),
        data_url: "data:image/jpeg;base64,AAAA".into(),
    }];
    assert_eq!(
        model.body(&asked)["messages"],
        json!([{"role": "user", "content": [
            {"type": "text", "text": "what is this?"},
            {"type": "image_url", "image_url": {"url": "data:image/jpeg;base64,AAAA"}}
        ]}])
    );
}

#[test]
fn tools_their_results_and_numbers_are_sent_as_providers_want_them() {
    let model =
        OpenAiModel::new(OpenAiConfig::new("http://127.0.0.1:1", Secret::default())).unwrap();
    let mut asked = request("hi");
    asked.model = "openai/o3-mini".to_owned();
    asked.temperature = Some(0.2);
    asked.frequency_penalty = Some(0.5);
    asked.tools = vec![ToolSpec {
        name: "web_search".to_owned(),
        description: "searches".to_owned(),
        parameters: json!({"type": "object"}),
    }];
    asked.messages.push(Message {
        tool_calls: vec![Call::new("c1", "web_search", "{}")],
        ..Message::new(Role::Assistant, "")
    });
    asked.messages.push(Message::tool_result("c1", "nothing"));
    let body = model.body(&asked);
    assert_eq!(
        body,
        json!({
            "model": "openai/o3-mini",
            "messages": [
                {"role": "user", "content": "hi"},
                {"role": "assistant", "content": null, "tool_calls": [
                    {"id": "c1", "type": "function", "function": {"name": "web_search", "arguments": "{}"}}]},
                {"role": "tool", "content": "nothing", "tool_call_id": "c1"}
            ],
            "tools": [{"type": "function", "function": {
                "name": "web_search", "description": "searches", "parameters": {"type": "object"}}}],
            "max_completion_tokens": 16100,
            "stream": true,
            "stream_options": {"include_usage": true}
        })
    );
    "m-1".clone_into(&mut asked.model);
    assert_eq!(model.body(&asked)["frequency_penalty"], 0.5);
}

#[test]
fn nothing_shows_the_key() {
    let model = model_at("http://127.0.0.1:1");
    assert!(!format!("{model:?}").contains(KEY));
    assert!(!format!("{:?}", model.config).contains(KEY));
    let broken =
        OpenAiModel::new(OpenAiConfig::new("http://h/v1", Secret::new("sk-\nsecret"))).unwrap_err();
    assert!(!broken.to_string().contains("secret"));
    assert!(OpenAiModel::new(OpenAiConfig::new("ftp://h", Secret::default())).is_err());
}

/// A provider that refuses what it does not know, in the words of several, one thing at a time.
fn particular(body: &Value) -> Result<(), &'static str> {
    let has = |field: &str| body.get(field).is_some();
    if has("max_tokens") {
        return Err(
            "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.",
        );
    }
    if has("temperature") {
        return Err("Unsupported value: 'temperature' does not support 0.2 with this model.");
    }
    if body.pointer("/response_format/type") == Some(&json!("json_schema")) {
        return Err("This response_format type is unavailable now");
    }
    if body["max_completion_tokens"].as_u64() > Some(8192) {
        return Err(
            "max_tokens is too large: 32000. This model supports at most 8192 completion tokens",
        );
    }
    Ok(())
}

#[tokio::test]
async fn a_refusal_that_says_what_to_change_is_followed_at_once_and_remembered() {
    let seen = Arc::new(Mutex::new(vec![]));
    let note = seen.clone();
    let (server, asked) = serving(move |_, body| match particular(&body) {
        Err(message) => {
            let error = json!({"error": {"message": message, "type": "invalid_request_error"}});
            (StatusCode::BAD_REQUEST, axum::Json(error)).into_response()
        }
        Ok(()) => {
            note.lock().unwrap().push(body);
            events(STREAM)
        }
    })
    .await;
    let model = model_at(&server.url);
    let mut asking = request("hi");
    asking.temperature = Some(0.2);
    asking.max_output_tokens = 32_000;
    asking.schema = Some(NamedSchema {
        name: "page".to_owned(),
        schema: json!({"type": "object"}),
    });
    for calls in [5, 6] {
        let cancel = CancellationToken::new();
        let answer = model.call(&asking, &mut Discard, &cancel).await.unwrap();
        assert_eq!(answer.text, "你好");
        assert_eq!(asked.load(Ordering::SeqCst), calls);
    }
    let seen = seen.lock().unwrap();
    assert_eq!(seen[0], seen[1]);
    assert_eq!(seen[0]["max_completion_tokens"], 8192);
    let shape = json!({"type": "json_object", "schema": {"type": "object"}});
    assert_eq!(seen[0]["response_format"], shape);
}

#[tokio::test]
async fn a_refusal_that_says_nothing_to_change_is_made_once() {
    let (server, asked) = serving(|_, _| {
        let error = json!({"error": {"message": "the model `m-1` does not exist"}});
        (StatusCode::NOT_FOUND, axum::Json(error)).into_response()
    })
    .await;
    let error = call(&server.url).await.unwrap_err();
    assert!(error.message.contains("does not exist"), "{error}");
    assert_eq!(asked.load(Ordering::SeqCst), 1);
}

#[tokio::test]
async fn a_query_of_the_base_url_stands_behind_the_address() {
    let handler = |uri: axum::http::Uri| async move {
        assert_eq!(uri.query(), Some("api-version=2024-10-21"));
        events(STREAM)
    };
    let path = "/openai/deployments/d/chat/completions";
    let server = Server::start(Router::new().route(path, post(handler))).await;
    let base = format!(
        "{}/openai/deployments/d/?api-version=2024-10-21",
        server.url
    );
    let model = OpenAiModel::new(OpenAiConfig::new(base, Secret::new(KEY))).unwrap();
    let cancel = CancellationToken::new();
    let answer = model.call(&request("hi"), &mut Discard, &cancel).await;
    assert_eq!(answer.map(|answer| answer.text), Ok("你好".to_owned()));
}

/// A provider of whose models this is configured.
fn configured(url: &str, habits: &str) -> OpenAiModel {
    let mut config = OpenAiConfig::new(format!("{url}/v1"), Secret::new(KEY));
    config.families = vec![Family {
        models: vec!["*".to_owned()],
        hosts: vec![],
        habits: toml::from_str(habits).unwrap(),
    }];
    OpenAiModel::new(config).unwrap()
}

#[test]
fn messages_are_put_as_the_model_takes_them() {
    let mut asked = request("first");
    asked
        .messages
        .insert(0, Message::new(Role::System, "rules"));
    asked.messages.push(Message::new(Role::User, "second"));
    let messages = |habits: &str| {
        let body = configured("http://127.0.0.1:1", habits).body(&asked);
        let messages = body["messages"].as_array().unwrap().clone();
        let said = messages.iter().map(|message| {
            format!(
                "{}: {}",
                message["role"].as_str().unwrap(),
                message["content"].as_str().unwrap()
            )
        });
        said.collect::<Vec<_>>()
    };
    assert_eq!(
        messages("system = false"),
        ["user: rules\n\nfirst", "user: second"]
    );
    assert_eq!(
        messages("alternates = true"),
        ["system: rules", "user: first\n\nsecond"]
    );
    assert_eq!(
        messages("alternates = true\nsystem = false"),
        ["user: rules\n\nfirst\n\nsecond"]
    );
}

#[test]
fn what_came_beside_calls_goes_back_unless_it_is_refused() {
    let mut asked = request("hi");
    let beside = json!({"reasoning_content": "hm", "annotations": []});
    let of_call = json!({"extra_content": {"s": "t"}});
    asked.messages.push(Message {
        tool_calls: vec![Call {
            beside: of_call.as_object().unwrap().clone(),
            ..Call::new("c1", "f", "{}")
        }],
        beside: beside.as_object().unwrap().clone(),
        ..Message::new(Role::Assistant, "")
    });
    let said =
        |habits| configured("http://127.0.0.1:1", habits).body(&asked)["messages"][1].clone();
    let back = said("");
    assert_eq!(back["reasoning_content"], "hm");
    assert_eq!(back.get("annotations"), None);
    assert_eq!(
        back["tool_calls"][0]["extra_content"],
        of_call["extra_content"]
    );
    let kept = said("sends_back = false");
    assert_eq!(kept.get("reasoning_content"), None);
    assert_eq!(kept["tool_calls"][0].get("extra_content"), None);
}

#[tokio::test]
async fn headers_a_query_and_fields_of_the_models_own_are_sent() {
    let seen = Arc::new(Mutex::new(None));
    let note = seen.clone();
    let handler = move |uri: axum::http::Uri, headers: HeaderMap, body: Bytes| async move {
        let header = |name: &str| {
            headers
                .get(name)
                .map(|value| value.to_str().unwrap().to_owned())
        };
        let body: Value = serde_json::from_slice(&body).unwrap();
        let own = (body["top_k"].clone(), body.get("stream_options").cloned());
        let query = uri.query().map(str::to_owned);
        *note.lock().unwrap() = Some((query, header("x-key"), header("authorization"), own));
        events(STREAM)
    };
    let server = Server::start(Router::new().route("/v1/chat/completions", post(handler))).await;
    let habits = "omit = [\"stream_options\"]\nbody = {top_k = 5}\nquery = {v = \"2 3\"}\nheaders = {x-key = \"k {key}\", authorization = \"\"}";
    let model = configured(&server.url, habits);
    let cancel = CancellationToken::new();
    model
        .call(&request("hi"), &mut Discard, &cancel)
        .await
        .unwrap();
    let expected = (
        Some("v=2+3".to_owned()),
        Some(format!("k {KEY}")),
        None,
        (json!(5), None),
    );
    assert_eq!(seen.lock().unwrap().take(), Some(expected));
}

#[tokio::test]
async fn a_model_that_was_seen_to_think_gets_room_for_it() {
    let thinking = concat!(
        "data: {\"choices\":[{\"delta\":{\"reasoning_content\":\"hm\"}}]}\n\n",
        "data: {\"choices\":[{\"delta\":{\"content\":\"hi\"},\"finish_reason\":\"stop\"}]}\n\n",
        "data: [DONE]\n\n",
    );
    let (server, _) = serving(move |_, _| events(thinking)).await;
    let model = model_at(&server.url);
    assert_eq!(model.output_tokens(&request("hi")), 100);
    let cancel = CancellationToken::new();
    model
        .call(&request("hi"), &mut Discard, &cancel)
        .await
        .unwrap();
    assert_eq!(model.output_tokens(&request("hi")), 16_100);
}
