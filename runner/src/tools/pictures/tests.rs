//! Pictures that the engine has drawn: each is drawn and paid for once, whatever happens meanwhile.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::clock::Clock;
use crate::ports::{
    AnswerSink, DrawnPicture, ImageRequest, Images, ModelError, ModelErrorKind, OpenAiImages,
    OpenAiImagesConfig, PictureFault, References, RetryPolicy, Secret, Spool,
};
use crate::prompts::Prompts;
use crate::tools::{Outside, Tools};
use crate::{Engine, EngineLimits, Envelope, Parts};
use async_trait::async_trait;
use base64::Engine as _;
use bytes::Bytes;
use commands::{Cancel, Command, SendMessage};
use domain::Actor;
use domain::carry::{Carry, Content, NewArtifact, Output, TurnResult, Work};
use domain::event::{Event, Reserve, StepEvent, ToolReturned};
use domain::flow::{Flow, need};
use domain::hash::Blob;
use domain::ids::MessageId;
use domain::pipeline::{Description, Pipeline, Pipelines, StageSpec};
use domain::session::Run;
use domain::settings::{OnBusy, Price, Settings};
use serde_json::{Value, json};
use store::{EventLog, MasterKey, MemoryLog, StreamId};
use tokio::sync::Notify;
use tokio_util::sync::CancellationToken;

use super::Painter;
use crate::ports::ProviderLimits;
use crate::ports::testing::{Server, picture_of};

/// Calls the tool that its input names, and produces what the tool returned.
struct OneCall;

const STAGE: StageSpec = StageSpec::named("made").makes(&["made"]).attempts(1);

impl Pipeline for OneCall {
    fn name(&self) -> &'static str {
        "one_call"
    }
    fn describe(&self, _: bool) -> Description {
        Description {
            name: "one_call",
            delivers: "made",
            input_schema: json!(true),
            ..Description::default()
        }
    }
    fn stages(&self) -> &'static [StageSpec] {
        &[STAGE]
    }
    fn flow(&self, run: &Run) -> Flow {
        need(run, &STAGE)
    }
    fn reserve(&self, _: &Run, _: &str, _: &str) -> Reserve {
        Reserve {
            calls: 1,
            tokens: 0,
            cost_micros: 0,
        }
    }
    fn carry(&self, work: &Work, turns: &[TurnResult]) -> Carry {
        let Some(TurnResult::Tool { output }) = turns.first() else {
            return Carry::tool(
                work.input["tool"].as_str().unwrap_or_default(),
                work.input["with"].clone(),
            );
        };
        Carry::Done(vec![Output::Artifact(NewArtifact::new(
            "made",
            "art_",
            String::new(),
            Content::Json(output.clone()),
            vec![],
        ))])
    }
}

/// What becomes of an exchange.
#[derive(Clone)]
enum Fate {
    Answers(Bytes),
    Fails(ModelError),
    /// Half of the answer comes, and then nothing.
    Hangs,
}

/// A provider whose exchanges have these fates in order; the last fate is repeated.
struct Fateful {
    fates: Mutex<Vec<Fate>>,
    asked: Mutex<Vec<ImageRequest>>,
    /// Whether the answer is not looked at, so that a process can end before that.
    blind: bool,
    reached: Notify,
    let_go: Mutex<Option<CancellationToken>>,
}

impl Fateful {
    fn new(fates: Vec<Fate>, blind: bool) -> Arc<Self> {
        Arc::new(Self {
            fates: Mutex::new(fates),
            asked: Mutex::default(),
            blind,
            reached: Notify::new(),
            let_go: Mutex::default(),
        })
    }

    fn asked(&self) -> Vec<ImageRequest> {
        self.asked.lock().expect("nothing panics here").clone()
    }
}

/// A real port, for reading the answers.
fn reader() -> OpenAiImages {
    let config = OpenAiImagesConfig::new("http://127.0.0.1:1/v1", "painter", Secret::default());
    OpenAiImages::new(config).expect("right")
}

#[async_trait]
impl Images for Fateful {
    fn model(&self) -> &str {
        "painter"
    }

    async fn draw(
        &self,
        request: &ImageRequest,
        sink: &mut dyn AnswerSink,
        cancel: &CancellationToken,
    ) -> Result<Bytes, ModelError> {
        self.asked
            .lock()
            .expect("nothing panics here")
            .push(request.clone());
        let fate = {
            let mut fates = self.fates.lock().expect("nothing panics here");
            if fates.len() > 1 {
                fates.remove(0)
            } else {
                fates[0].clone()
            }
        };
        match fate {
            Fate::Answers(answer) => {
                sink.bytes(&answer).expect("kept");
                Ok(answer)
            }
            Fate::Fails(error) => Err(error),
            Fate::Hangs => {
                sink.bytes(b"{\"data\": [").expect("kept");
                *self.let_go.lock().expect("nothing panics here") = Some(cancel.clone());
                self.reached.notify_one();
                cancel.cancelled().await;
                Err(ModelError::new(ModelErrorKind::Cancelled, "cancelled"))
            }
        }
    }

    async fn picture(
        &self,
        answer: &Bytes,
        cancel: &CancellationToken,
    ) -> Result<DrawnPicture, PictureFault> {
        if self.blind {
            self.reached.notify_one();
            cancel.cancelled().await;
        }
        reader().picture(answer, cancel).await
    }
}

fn answer(width: u32, height: u32) -> Bytes {
    let text = base64::engine::general_purpose::STANDARD.encode(picture_of(width, height));
    Bytes::from(json!({ "data": [{ "b64_json": text, "revised_prompt": "a lake" }] }).to_string())
}

struct PictureFixture {
    log: Arc<EventLog>,
    spool: Spool,
    _folder: tempfile::TempDir,
    stream: StreamId,
}

impl PictureFixture {
    async fn new() -> Self {
        let log = MemoryLog::open(MasterKey::new([7; 32]), Clock::system().as_fn()).await;
        let folder = tempfile::tempdir().expect("a folder");
        Self {
            log: Arc::new(log),
            spool: Spool::new(folder.path().join("spool"), [1; 32]).expect("a spool"),
            _folder: folder,
            stream: StreamId::new("p", "s".into()),
        }
    }

    /// Starts a process on this log, which takes up open work.
    async fn process(&self, images: Option<Arc<dyn Images>>, references: &[String]) -> Engine {
        let painter = images.map(|images| Painter::new(images, ProviderLimits::default()));
        let outside = Outside {
            painter: painter.map(Arc::new),
            references: Arc::new(References::new(references).expect("right")),
            ..Outside::nothing()
        };
        let parts = Parts {
            prompts: Prompts::empty(),
            tools: Tools::general(outside),
            spool: Some(self.spool.clone()),
            limits: EngineLimits {
                retry: RetryPolicy {
                    first_pause: Duration::ZERO,
                    ..RetryPolicy::default()
                },
                ..EngineLimits::default()
            },
            ..Parts::new(
                Arc::clone(&self.log) as Arc<dyn store::Log>,
                Pipelines::new(vec![&OneCall]),
            )
        };
        Engine::start(parts).await.expect("an engine starts")
    }

    async fn ask(&self, engine: &Engine, tool: &str, with: Value) {
        let price = Price {
            image: 40_000,
            ..Price::default()
        };
        let message = SendMessage {
            message: MessageId::new("m1"),
            text: "draw".to_owned(),
            files: vec![],
            pipeline: Some("one_call".to_owned()),
            input: json!({ "tool": tool, "with": with }),
            settings: Settings {
                attempts: 1,
                prices: [("painter".to_owned(), price)].into(),
                ..Settings::default()
            },
            on_busy: OnBusy::Enqueue,
        };
        self.send(engine, "ask", Command::SendMessage(Box::new(message)))
            .await;
    }

    async fn send(&self, engine: &Engine, id: &str, command: Command) {
        let envelope = Envelope {
            command,
            client_id: id.to_owned(),
            actor: Actor::person("p"),
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        let sent = engine.send(&self.stream, envelope).await;
        sent.unwrap_or_else(|error| panic!("{id}: {error}"));
    }

    /// The result of the tool, with its event, once nothing is being made any more.
    async fn returned(&self, engine: &Engine) -> (ToolReturned, Value) {
        let mut changes = engine.log().watch_stream(&self.stream);
        while engine
            .session(&self.stream)
            .await
            .expect("a session")
            .active
            .is_some()
        {
            changes.changed().await.expect("the log is open");
        }
        let returned = self.all_returned(engine).await;
        assert_eq!(returned.len(), 1);
        let returned = returned[0].clone();
        let raw = engine
            .log()
            .get_blob(&self.stream, &returned.output.sha256)
            .await;
        let raw = raw.expect("read").expect("kept");
        (returned, serde_json::from_slice(&raw).expect("JSON"))
    }

    async fn all_returned(&self, engine: &Engine) -> Vec<ToolReturned> {
        let read = engine.log().read(&self.stream, 0, 1_000).await;
        let events = read.expect("read");
        let returned = events.iter().filter_map(|recorded| {
            let Event::Step(StepEvent::ToolReturned(returned)) = &recorded.event else {
                return None;
            };
            Some(returned.clone())
        });
        returned.collect()
    }

    async fn bytes(&self, engine: &Engine, output: &Value) -> Bytes {
        let sha256 = output["blob"]["sha256"].as_str().expect("a hash").parse();
        let found = engine
            .log()
            .get_blob(&self.stream, &sha256.expect("a hash"))
            .await;
        found.expect("read").expect("kept")
    }

    fn spooled_files(&self) -> usize {
        let folder = self._folder.path().join("spool");
        std::fs::read_dir(folder).expect("a folder").count()
    }
}

fn lake() -> Value {
    json!({ "prompt": "a lake", "style": "realistic", "width": 600, "height": 800, "sequence": 0 })
}

#[tokio::test]
async fn a_picture_is_asked_for_once_and_lies_beside_the_log() {
    let desk = PictureFixture::new().await;
    let images = Fateful::new(vec![Fate::Answers(answer(60, 80))], false);
    let engine = desk.process(Some(images.clone()), &[]).await;
    desk.ask(&engine, "generateImage", lake()).await;
    let (returned, output) = desk.returned(&engine).await;
    assert_eq!((returned.error, returned.cost_micros), (None, 40_000));
    assert_eq!(output["mediaType"], "image/png");
    assert_eq!(
        (&output["width"], &output["height"]),
        (&json!(60), &json!(80))
    );
    assert_eq!(output["model"], "painter");
    assert_eq!(output["revisedPrompt"], "a lake");
    let bytes = desk.bytes(&engine, &output).await;
    assert_eq!(output["blob"]["size"], bytes.len());
    assert_eq!(render::picture::media_type_of(&bytes), Some("image/png"));
    let asked = images.asked();
    assert_eq!(asked.len(), 1);
    assert_eq!((asked[0].width, asked[0].height), (600, 800));
    assert!(asked[0].prompt.starts_with("a lake\nStyle: a realistic"));
    let ours = "No text, letters, numbers, logos or watermarks in the picture.";
    assert!(asked[0].prompt.ends_with(ours));
    assert_eq!(asked[0].idempotency_key.len(), 64);
    assert_eq!(desk.spooled_files(), 0);
    engine.stop().await;
}

#[tokio::test]
async fn an_answer_that_was_paid_for_is_taken_by_the_next_process() {
    let desk = PictureFixture::new().await;
    let first = Fateful::new(vec![Fate::Answers(answer(60, 80))], true);
    let engine = desk.process(Some(first.clone()), &[]).await;
    desk.ask(&engine, "generateImage", lake()).await;
    first.reached.notified().await;
    engine.stop().await;
    assert!(desk.all_returned(&engine).await.is_empty());
    assert_eq!(desk.spooled_files(), 1, "the answer is there");

    let second = Fateful::new(vec![Fate::Answers(answer(9, 9))], false);
    let engine = desk.process(Some(second.clone()), &[]).await;
    let (returned, output) = desk.returned(&engine).await;
    assert_eq!((first.asked().len(), second.asked().len()), (1, 0));
    assert_eq!(output["width"], 60);
    assert_eq!(returned.cost_micros, 40_000);
    assert_eq!(desk.spooled_files(), 0);
    engine.stop().await;
}

#[tokio::test]
async fn half_an_answer_is_none_and_is_asked_for_again_under_the_same_key() {
    let desk = PictureFixture::new().await;
    let first = Fateful::new(vec![Fate::Hangs], false);
    let engine = desk.process(Some(first.clone()), &[]).await;
    desk.ask(&engine, "generateImage", lake()).await;
    first.reached.notified().await;
    engine.stop().await;
    let second = Fateful::new(vec![Fate::Answers(answer(60, 80))], false);
    let engine = desk.process(Some(second.clone()), &[]).await;
    let (_, output) = desk.returned(&engine).await;
    assert_eq!(output["width"], 60);
    let keys: Vec<_> = [first.asked(), second.asked()]
        .concat()
        .into_iter()
        .map(|asked| asked.idempotency_key)
        .collect();
    assert_eq!(keys.len(), 2);
    assert_eq!(keys[0], keys[1]);
    engine.stop().await;
}

#[tokio::test]
async fn an_answer_to_another_question_is_not_taken() {
    let desk = PictureFixture::new().await;
    let first = Fateful::new(vec![Fate::Answers(answer(60, 80))], true);
    let engine = desk.process(Some(first.clone()), &[]).await;
    desk.ask(&engine, "generateImage", lake()).await;
    first.reached.notified().await;
    engine.stop().await;
    let key = first.asked()[0].idempotency_key.clone();
    let spooled = desk.spool.complete_answer(&key).expect("read");
    let place = spooled.and_then(|it| it.place).expect("it is whole");
    desk.spool.remove(&key).expect("removed");
    let mut other = desk.spool.open(place, "another question").expect("opened");
    other.write(&answer(9, 9)).expect("written");
    other.finish().expect("finished");
    let second = Fateful::new(vec![Fate::Answers(answer(60, 80))], false);
    let engine = desk.process(Some(second.clone()), &[]).await;
    let (_, output) = desk.returned(&engine).await;
    assert_eq!((second.asked().len(), &output["width"]), (1, &json!(60)));
    engine.stop().await;
}

#[tokio::test]
async fn a_cancelled_run_lets_the_call_go_and_keeps_nothing_of_it() {
    let desk = PictureFixture::new().await;
    let images = Fateful::new(vec![Fate::Hangs], false);
    let engine = desk.process(Some(images.clone()), &[]).await;
    desk.ask(&engine, "generateImage", lake()).await;
    images.reached.notified().await;
    assert_eq!(desk.spooled_files(), 1);
    let cancel = Cancel {
        run: None,
        reason: "enough".to_owned(),
    };
    desk.send(&engine, "cancel", Command::Cancel(cancel)).await;
    let token = images.let_go.lock().expect("nothing panics here").clone();
    token.expect("it was called").cancelled().await;
    engine.stop().await;
    assert!(desk.all_returned(&engine).await.is_empty());
    assert_eq!(desk.spooled_files(), 0);
}

#[tokio::test]
async fn what_may_pass_is_tried_again_and_what_is_refused_is_not() {
    let busy = ModelError::new(ModelErrorKind::Server, "busy");
    let refused = ModelError::new(ModelErrorKind::Rejected, "not such things");
    let broken = Fate::Answers(Bytes::from_static(b"{\"data\": []}"));
    for (fates, calls, code) in [
        (
            vec![Fate::Fails(busy.clone()), Fate::Answers(answer(60, 80))],
            2,
            None,
        ),
        (vec![broken, Fate::Answers(answer(60, 80))], 2, None),
        (vec![Fate::Fails(busy)], 4, Some("server")),
        (vec![Fate::Fails(refused)], 1, Some("rejected")),
    ] {
        let desk = PictureFixture::new().await;
        let images = Fateful::new(fates, false);
        let engine = desk.process(Some(images.clone()), &[]).await;
        desk.ask(&engine, "generateImage", lake()).await;
        let (returned, output) = desk.returned(&engine).await;
        assert_eq!(images.asked().len(), calls);
        let error = returned.error;
        assert_eq!(error.as_ref().map(|error| error.code.as_str()), code);
        match error {
            Some(error) => {
                assert_eq!(output["code"], error.code);
                assert_eq!(output["retryable"], error.retryable);
                assert_eq!(returned.cost_micros, 0);
            }
            None => assert_eq!(output["width"], 60),
        }
        assert_eq!(desk.spooled_files(), 0);
        engine.stop().await;
    }
}

#[tokio::test]
async fn without_a_provider_or_with_a_bad_input_nothing_is_asked() {
    let images = Fateful::new(vec![Fate::Hangs], false);
    for (provider, tool, with, code) in [
        (None, "generateImage", lake(), "no_images"),
        (Some(()), "generateImage", json!({}), "bad_input"),
        (Some(()), "generate_with_reference", lake(), "bad_input"),
        (
            Some(()),
            "generateImage",
            json!({ "prompt": "x".repeat(5_000) }),
            "bad_input",
        ),
    ] {
        let desk = PictureFixture::new().await;
        let images = provider.map(|()| images.clone() as Arc<dyn Images>);
        let engine = desk.process(images, &[]).await;
        desk.ask(&engine, tool, with).await;
        let (returned, output) = desk.returned(&engine).await;
        assert_eq!(
            returned.error.map(|error| error.code).as_deref(),
            Some(code)
        );
        assert_eq!(output["code"], code);
        engine.stop().await;
    }
    assert!(images.asked().is_empty());
}

#[tokio::test]
async fn a_picture_to_go_by_is_fetched_from_listed_hosts_and_goes_along() {
    let png = || async { ([("content-type", "image/png")], picture_of(30, 20)) };
    let page = || async { ([("content-type", "image/png")], "<html>") };
    let routes = axum::Router::new()
        .route("/a", axum::routing::get(png))
        .route("/page", axum::routing::get(page));
    let server = Server::start(routes).await;
    let listed = [server.url.clone()];
    let look = async |listed: &[String], url: String| {
        let desk = PictureFixture::new().await;
        let engine = desk.process(None, listed).await;
        desk.ask(&engine, "lookAtReference", json!({ "url": url }))
            .await;
        let (returned, output) = desk.returned(&engine).await;
        engine.stop().await;
        (returned.error.map(|error| error.code), output)
    };
    let (error, output) = look(&listed, format!("{}/a", server.url)).await;
    assert_eq!(error, None);
    assert_eq!(
        (&output["width"], &output["height"]),
        (&json!(30), &json!(20))
    );
    let (error, output) = look(&[], format!("{}/a", server.url)).await;
    assert_eq!(error.as_deref(), Some("not_fetched"));
    assert!(
        output["error"]
            .as_str()
            .is_some_and(|told| told.contains("--fetch-hosts"))
    );
    let (error, _) = look(&listed, "http://127.0.0.1:1/a".to_owned()).await;
    assert_eq!(error.as_deref(), Some("not_fetched"));
    let (error, _) = look(&listed, format!("{}/page", server.url)).await;
    assert_eq!(error.as_deref(), Some("no_picture"));
    let (error, _) = look(&listed, "uploads/none.png".to_owned()).await;
    assert_eq!(error.as_deref(), Some("no_file"));

    let desk = PictureFixture::new().await;
    let images = Fateful::new(vec![Fate::Answers(answer(60, 80))], false);
    let engine = desk.process(Some(images.clone()), &[]).await;
    let bytes = Bytes::from(picture_of(30, 20));
    let kept = Blob::of(bytes.clone());
    let blob = kept.reference().clone();
    let put = engine.log().put_blob(&desk.stream, kept).await;
    put.expect("it is kept");
    let mut with = lake();
    with["reference"] =
        json!({ "sha256": blob.sha256, "size": blob.size, "mediaType": "image/png" });
    desk.ask(&engine, "generate_with_reference", with).await;
    desk.returned(&engine).await;
    let asked = images.asked();
    let reference = asked[0].reference.as_ref().expect("it goes along");
    assert_eq!(
        (&reference.bytes, reference.media_type.as_str()),
        (&bytes, "image/png")
    );
    engine.stop().await;
}

#[tokio::test]
async fn a_tool_that_is_not_there_is_refused_by_name() {
    let desk = PictureFixture::new().await;
    let engine = desk.process(None, &[]).await;
    desk.ask(&engine, "measure", lake()).await;
    let (returned, output) = desk.returned(&engine).await;
    let error = returned.error.map(|error| (error.code, error.retryable));
    assert_eq!(error, Some(("unknown_tool".to_owned(), false)));
    assert_eq!(
        (&output["results"], &output["retryable"]),
        (&json!([]), &json!(false))
    );
    let said = output["error"].as_str().expect("in words");
    assert!(
        said.starts_with("there is no tool `measure`; there are "),
        "{said}"
    );
    assert!(said.contains("generateImage, "), "{said}");
    engine.stop().await;
}
