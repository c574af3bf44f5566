//! The clients of a simulation: each sends its commands until it is told what became of them, and keeps what it was told.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use commands::{AnswerGate, Cancel, Command, SendMessage};
use domain::ids::{GateId, MessageId};
use domain::session::Run;
use domain::settings::{OnBusy, Ports, Settings};
use domain::{Actor, Session};
use runner::{Envelope, SendError};
use serde_json::json;
use store::{Log, StreamId};
use tokio::sync::{mpsc, oneshot};

use super::plan::Errand;
use super::process::Ask;
use super::world::World;
use crate::program::Program;

/// Whose sessions they are.
pub const OWNER: &str = "ann";

/// How long a client waits for an answer before it asks another process.
const PATIENCE: Duration = Duration::from_secs(4);

/// Between two looks at a session, and two tries of a command.
const PAUSE: Duration = Duration::from_millis(150);

/// What a client was told of a command at last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Told {
    /// It is in the log; the session has this version with it.
    Done(u64),
    /// Nothing was to be done.
    Nothing,
    Refused,
    Unknown,
}

/// A command that a client sent.
#[derive(Clone, Debug)]
pub struct Sent {
    pub stream: StreamId,
    pub client_id: String,
    pub told: Told,
    /// The gate that it answers, with what.
    pub answer: Option<(GateId, String)>,
    pub cancels: bool,
}

/// The processes that can be asked, by their number; nothing where one is down.
pub type Directory = Arc<Mutex<Vec<Option<mpsc::UnboundedSender<Ask>>>>>;

/// What every client knows.
#[derive(Clone)]
pub struct Clients {
    pub world: Arc<World>,
    pub log: Arc<dyn Log>,
    pub directory: Directory,
    pub sent: Arc<Mutex<Vec<Sent>>>,
}

pub fn stream(session: &str) -> StreamId {
    StreamId::new(OWNER, session.to_owned().into())
}

impl Clients {
    /// Carries out an errand; it returns when the run is over.
    pub async fn carry_out(self, errand: Errand) {
        tokio::time::sleep(Duration::from_millis(errand.begin_ms)).await;
        let stream = stream(&errand.session);
        let programs = [Some(&errand.program), errand.second.as_ref()];
        let mut messages = 0;
        for program in programs.into_iter().flatten() {
            messages += 1;
            let (id, message) = message(program);
            let sent = self.send(&stream, &id, message.clone(), None, false).await;
            if sent == Told::Refused {
                self.world
                    .wrong(format!("message `{id}` of {} is refused", errand.session));
                return;
            }
            if errand.repeats {
                self.send(&stream, &id, message, None, false).await;
            }
        }
        let canceller = errand.cancel_ms.map(|after| {
            let (clients, stream) = (self.clone(), stream.clone());
            tokio::spawn(async move {
                tokio::time::sleep(Duration::from_millis(after)).await;
                let cancel = Command::Cancel(Cancel {
                    run: None,
                    reason: "enough".to_owned(),
                });
                clients.send(&stream, "cancel", cancel, None, true).await;
            })
        });
        let mut answered: Vec<GateId> = vec![];
        let mut answers = vec![];
        loop {
            let session = self.session(&stream).await;
            let is_over = session.runs.values().all(|run| !run.is_active());
            if is_over && session.runs.len() >= messages {
                break;
            }
            for gate in session.runs.values().flat_map(open_gates) {
                let (gate, has_deadline) = gate;
                if answered.contains(&gate) {
                    continue;
                }
                answered.push(gate.clone());
                let after = match errand.answer_after_ms {
                    None if has_deadline => continue,
                    after => Duration::from_millis(after.unwrap_or_default()),
                };
                let rivals: &[&str] = if errand.rivals {
                    &["left", "right"]
                } else {
                    &["left"]
                };
                for choice in rivals {
                    let (clients, stream, gate) = (self.clone(), stream.clone(), gate.clone());
                    let choice = (*choice).to_owned();
                    answers.push(tokio::spawn(async move {
                        tokio::time::sleep(after).await;
                        let id = format!("answer-{gate}-{choice}");
                        let answer = Command::AnswerGate(AnswerGate {
                            gate: gate.clone(),
                            answer: json!({ "choice": choice }),
                            edited: None,
                        });
                        let told = Some((gate, choice));
                        clients.send(&stream, &id, answer, told, false).await;
                    }));
                }
            }
            tokio::time::sleep(PAUSE).await;
        }
        for task in answers.into_iter().chain(canceller) {
            // A client that panics has said why.
            let _ = task.await;
        }
    }

    /// Sends a command until a process says what became of it.
    async fn send(
        &self,
        stream: &StreamId,
        client_id: &str,
        command: Command,
        answer: Option<(GateId, String)>,
        cancels: bool,
    ) -> Told {
        let place = {
            let mut sent = self.sent.lock().expect("nothing panics while it is held");
            sent.push(Sent {
                stream: stream.clone(),
                client_id: client_id.to_owned(),
                told: Told::Unknown,
                answer,
                cancels,
            });
            sent.len() - 1
        };
        let envelope = Envelope {
            command,
            client_id: client_id.to_owned(),
            actor: Actor::person(OWNER),
            expected_version: None,
            blobs: vec![],
            content: None,
        };
        loop {
            let (reply, replied) = oneshot::channel();
            let (stream_asked, envelope) = (stream.clone(), Box::new(envelope.clone()));
            let asked = self.ask(Ask::Send {
                stream: stream_asked,
                envelope,
                reply,
            });
            let told = if asked {
                match tokio::time::timeout(PATIENCE, replied).await {
                    Ok(Ok(Ok(applied))) if applied.events.is_empty() && !applied.duplicate => {
                        Told::Nothing
                    }
                    Ok(Ok(Ok(applied))) => Told::Done(applied.version),
                    Ok(Ok(Err(SendError::Refused(_)))) => Told::Refused,
                    // A command without an answer may have been carried out.
                    Ok(Ok(Err(_)) | Err(_)) | Err(_) => Told::Unknown,
                }
            } else {
                Told::Unknown
            };
            if told != Told::Unknown {
                if let Told::Done(version) = told {
                    self.world.told(stream, version);
                }
                self.world.note(format!(
                    "client is told {told:?} of {client_id} to {}",
                    stream.session
                ));
                let mut sent = self.sent.lock().expect("nothing panics while it is held");
                sent[place].told = told.clone();
                return told;
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    /// Asks any process; false where none is up.
    fn ask(&self, ask: Ask) -> bool {
        let directory = self
            .directory
            .lock()
            .expect("nothing panics while it is held");
        let up: Vec<_> = directory.iter().flatten().collect();
        if up.is_empty() {
            return false;
        }
        let process = self.world.draw(|rng| rng.place(up.len()));
        up[process].send(ask).is_ok()
    }

    /// A session as the log has it.
    pub async fn session(&self, stream: &StreamId) -> Session {
        let mut session = Session::default();
        while let Ok(read) = self.log.read(stream, session.version, 500).await {
            if read.is_empty() {
                break;
            }
            for recorded in read {
                session.evolve(&recorded.event);
            }
        }
        session
    }

    /// Reads sessions again and again: no reading may show less than what was acknowledged before it began.
    pub async fn look(self, sessions: Vec<String>) {
        loop {
            tokio::time::sleep(PAUSE).await;
            let place = self.world.draw(|rng| rng.place(sessions.len()));
            let stream = stream(&sessions[place]);
            let known = self.world.told_of(&stream);
            let (reply, replied) = oneshot::channel();
            let asked = self.ask(Ask::Look {
                stream: stream.clone(),
                reply,
            });
            if !asked {
                continue;
            }
            match tokio::time::timeout(PATIENCE, replied).await {
                Ok(Ok(Ok(session))) => {
                    if session.version < known {
                        self.world.wrong(format!(
                            "{} is shown at version {} after version {known} was acknowledged",
                            stream.session, session.version
                        ));
                    }
                    self.world.told(&stream, session.version);
                }
                Ok(Ok(Err(SendError::NoSession { .. }))) if known > 0 => self.world.wrong(format!(
                    "{} is not there after version {known} was acknowledged",
                    stream.session
                )),
                Ok(Ok(Err(_)) | Err(_)) | Err(_) => {}
            }
        }
    }
}

fn open_gates(run: &Run) -> Vec<(GateId, bool)> {
    let open = run.gates.iter().filter(|(_, gate)| gate.answer.is_none());
    open.map(|(id, gate)| (id.clone(), gate.opened.deadline.is_some()))
        .collect()
}

/// The message that asks for a program, with its name.
fn message(program: &Program) -> (String, Command) {
    let message = Command::SendMessage(Box::new(SendMessage {
        message: MessageId::new(format!("m-{}", program.name)),
        text: format!("Please do {}.", program.name),
        files: vec![],
        pipeline: Some(crate::pipeline::NAME.to_owned()),
        input: program.input(),
        settings: settings(),
        on_busy: OnBusy::Enqueue,
    }));
    (format!("say-{}", program.name), message)
}

fn settings() -> Settings {
    Settings {
        ports: Ports {
            model: "m".to_owned(),
            search: false,
            images: false,
            embeddings: false,
        },
        models: [("default".to_owned(), "m".to_owned())].into(),
        attended: true,
        retry_wait_ms: 50,
        ..Settings::default()
    }
}
