//! A program in memory, for the tests of pipelines. The offline authors write, nothing is paid, and nothing is left behind.

pub mod serving;

use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

use commands::{AnswerGate, Command, NewFile, Refine, SendMessage};
use domain::event::{Event, GateOpened, StepEvent};
use domain::hash::Blob;
use domain::session::{Run, Session};
use domain::settings::{OnBusy, Settings};
use domain::{Actor, MessageId, Recorded};
pub use projections::laws::wire_laws;
use projections::{Wire, Wires};
use runner::clock::Clock;
use runner::tools::Painter;
use runner::{Collections, Engine, Envelope, Parts};
use serde_json::Value;
use store::{Log, MasterKey, MemoryLog, StreamId};

use crate::config::{Config, ProductTables};
use crate::feed::{Batch, Feeds, Filter, Start};
use crate::read::{self, Content};
use crate::server::{Server, Surroundings};
use crate::start::surroundings;

/// One session of a program, with a person who answers what is asked. Anything unexpected ends the test: every call panics if the engine
/// refuses.
pub struct Trial {
    engine: Engine,
    stream: StreamId,
    asked: AtomicU32,
}

impl Server {
    /// Starts this program in memory. Tools that are made when a process starts are made with the settings of a process that nothing was
    /// said to: without a provider of pictures or vectors, and without web search.
    ///
    /// # Panics
    ///
    /// If two tools have one name, or one cannot be made, or a setting has to be given.
    pub async fn trial(&self) -> Trial {
        let clock = Clock::system();
        let log =
            MemoryLog::open_with(MasterKey::new([7; 32]), clock.as_fn(), self.kinds.clone()).await;
        let parts = self.parts(Arc::new(log), clock, None);
        Trial {
            engine: Engine::start(parts).await.expect("memory can be read"),
            stream: StreamId::new("tester", "trial".into()),
            asked: AtomicU32::new(0),
        }
    }

    /// The parts of an engine on a log: those of this program, with tools as they are where nothing is configured but the
    /// provider of pictures.
    ///
    /// # Panics
    ///
    /// If a tool cannot be made, two tools have one name, or a setting has to be given.
    pub fn parts(&self, log: Arc<dyn Log>, clock: Clock, painter: Option<Arc<Painter>>) -> Parts {
        let config = Config::unset(&ProductTables::new(&self.settings, None));
        let config = config.expect("the program needs no setting");
        let reached = surroundings(&config, &log, &clock);
        let tools = reached.and_then(|reached| self.tools(&Surroundings { painter, ..reached }));
        let curators = self.curators.iter();
        let curators = curators.map(|(kind, curator)| (*kind, curator.with(Settings::default())));
        Parts {
            prompts: self.prompts.clone(),
            authors: self.authors.clone(),
            curators: curators.collect(),
            tools: tools.expect("the tools can be made"),
            clock,
            ..Parts::new(log, self.pipelines.clone())
        }
    }
}

impl Trial {
    /// Says something to a pipeline, and waits until nothing more happens by itself.
    pub async fn say(&self, pipeline: &str, text: &str) -> Arc<Session> {
        self.send(pipeline, text, Value::Null).await
    }

    /// The same with an input.
    pub async fn send(&self, pipeline: &str, text: &str, input: Value) -> Arc<Session> {
        self.send_files(pipeline, text, input, &[]).await
    }

    /// The same with files: path, text and media type of each.
    pub async fn send_files(
        &self,
        pipeline: &str,
        text: &str,
        input: Value,
        files: &[(&str, &str, &str)],
    ) -> Arc<Session> {
        let blobs: Vec<_> = files
            .iter()
            .map(|(_, text, _)| Blob::of(text.as_bytes().to_vec()))
            .collect();
        let files = files.iter().zip(&blobs);
        let files = files.map(|((path, _, media_type), blob)| NewFile {
            path: (*path).to_owned(),
            blob: blob.reference().clone(),
            media_type: (*media_type).to_owned(),
        });
        let command = SendMessage {
            message: MessageId::new(format!("msg-{}", self.asked.load(Ordering::Relaxed))),
            text: text.to_owned(),
            files: files.collect(),
            pipeline: Some(pipeline.into()),
            input,
            settings: self.settings(),
            on_busy: OnBusy::Enqueue,
        };
        let command = Command::SendMessage(Box::new(command));
        self.ask_with(command, blobs).await
    }

    /// What models were asked by this prompt, in order: the text of each request.
    pub async fn requests(&self, prompt: &str) -> Vec<String> {
        let log = self.engine.log();
        let events = log.read(&self.stream, 0, usize::MAX).await;
        let mut requests = vec![];
        for recorded in events.expect("memory can be read") {
            let Event::Step(StepEvent::ModelCalled(called)) = &recorded.event else {
                continue;
            };
            if called
                .prompt
                .as_ref()
                .is_none_or(|asked| asked.id != prompt)
            {
                continue;
            }
            let kept = log.get_blob(&self.stream, &called.request.sha256).await;
            let kept = kept
                .expect("memory can be read")
                .expect("requests are kept");
            let request: Value = serde_json::from_slice(&kept).expect("a request is JSON");
            let messages = request["messages"].as_array().expect("messages").iter();
            let texts = messages.filter_map(|message| message["content"].as_str());
            requests.push(texts.collect::<Vec<_>>().join("\n"));
        }
        requests
    }

    /// The smallest common beginning of neighbouring requests of a prompt that was asked more than once: its length in percent of the shorter
    /// request of the pair, and its text. Providers cache the beginning of a request and bill it at a lower price.
    pub async fn common_beginning(&self, prompt: &str) -> (usize, String) {
        let requests = self.requests(prompt).await;
        let pairs = requests.windows(2).map(|pair| {
            let bytes = pair[0].bytes().zip(pair[1].bytes());
            let common = bytes.take_while(|(one, other)| one == other).count();
            let shorter = pair[0].len().min(pair[1].len());
            let begins = &pair[0][..pair[0].floor_char_boundary(common)];
            (common * 100 / shorter, begins.to_owned())
        });
        pairs.min().expect("it was asked more than once")
    }

    /// The question that waits for an answer.
    pub async fn question(&self) -> Option<GateOpened> {
        let session = self.session().await;
        let run = session.run(session.active?)?;
        run.open_gates().next().map(|gate| gate.opened.clone())
    }

    /// Answers the question that waits.
    pub async fn answer(&self, answer: Value) -> Arc<Session> {
        let gate = self.question().await.expect("a question").gate;
        let edited = self.engine.edited(&self.stream, &gate, &answer).await;
        let (edited, blobs) = edited.expect("right edits").unzip();
        let answer = AnswerGate {
            gate,
            answer,
            edited: edited.map(Box::new),
        };
        let blobs = blobs.unwrap_or_default();
        self.ask_with(Command::AnswerGate(answer), blobs).await
    }

    /// Has a stage done again, with everything that was made from it.
    pub async fn refine(&self, stage: &str, feedback: &str) -> Arc<Session> {
        let command = Refine {
            base_run: None,
            stage: stage.into(),
            items: vec![],
            feedback: feedback.to_owned(),
            settings: self.settings(),
        };
        self.ask(Command::Refine(command)).await
    }

    /// The last run of the session.
    pub async fn run(&self) -> Run {
        let session = self.session().await;
        let last = session.runs.values().next_back().expect("a run");
        last.clone()
    }

    /// The content of the artifact of this kind that is current in the last run.
    pub async fn content(&self, kind: &str) -> Option<Content> {
        let run = self.run().await;
        let artifact = run.artifact(kind)?;
        let content = read::content(self.engine.log().as_ref(), &self.stream, artifact).await;
        Some(content.expect("memory can be read"))
    }

    /// What a client of this wire was sent so far: the name and the data of each frame.
    pub async fn frames<W: Wire>(&self) -> Vec<(&'static str, Value)> {
        let feeds = Feeds::new(&self.engine, Wires::default().with::<W>());
        let followed = feeds
            .follow(&self.stream, W::NAME, Start::Beginning, Filter::All)
            .await;
        let followed = followed.expect("the wire is there");
        let mut follower =
            followed.unwrap_or_else(|_| panic!("a session is followed from its beginning"));
        let mut told = vec![];
        while let Batch::Frames(frames) = follower.next().await.expect("memory can be read") {
            told.extend(frames.iter().map(|frame| {
                let data = serde_json::from_str(frame.data.get()).expect("frames are JSON");
                (frame.name, data)
            }));
        }
        told
    }

    /// What the person keeps beside sessions, for a test that puts something there first.
    pub fn collections(&self) -> &Collections {
        self.engine.collections()
    }

    /// The name of the person.
    pub fn owner(&self) -> &str {
        &self.stream.owner
    }

    /// The same as JSON; `None` if it is not JSON.
    pub async fn json(&self, kind: &str) -> Option<Value> {
        serde_json::from_slice(&self.content(kind).await?.bytes).ok()
    }

    /// Everything that was recorded of the session so far, which [`wire_laws`] takes.
    pub async fn log(&self) -> Vec<Recorded> {
        let events = self.engine.log().read(&self.stream, 0, usize::MAX).await;
        let events = events.expect("memory can be read").into_iter();
        events.map(Arc::unwrap_or_clone).collect()
    }

    async fn session(&self) -> Arc<Session> {
        self.engine.session(&self.stream).await.expect("a session")
    }

    fn settings(&self) -> Settings {
        Settings {
            attended: true,
            ..Settings::default()
        }
    }

    async fn ask(&self, command: Command) -> Arc<Session> {
        self.ask_with(command, vec![]).await
    }

    async fn ask_with(&self, command: Command, blobs: Vec<Blob>) -> Arc<Session> {
        let mut head = self.engine.log().watch_stream(&self.stream);
        let asked = self.asked.fetch_add(1, Ordering::Relaxed);
        let envelope = Envelope {
            command,
            client_id: format!("trial-{asked}"),
            actor: Actor::person(&self.stream.owner),
            expected_version: None,
            blobs,
            content: None,
        };
        let applied = self.engine.send(&self.stream, envelope).await;
        applied.expect("it is carried out");
        loop {
            let session = self.session().await;
            if is_quiet(&session) {
                return session;
            }
            head.changed().await.expect("the engine has the log");
        }
    }
}

/// Whether nothing happens before a person says something.
fn is_quiet(session: &Session) -> bool {
    let active = session.active.and_then(|run| session.run(run));
    active.is_none_or(|run| run.open_gates().next().is_some() && run.open_steps().next().is_none())
}
