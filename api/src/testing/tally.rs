//! A wire of tests, with whatever a wire may have: events with several frames and with none, contents, what closes a session, and what a
//! client is given when it connects.

use domain::event::{Body, RunEvent, SessionEvent, StepEvent};
use domain::{Event, Recorded};
use projections::wire::{Fold, FrameData, Overview, Wire};
use projections::{AnyOverview, Cursor, SessionRef, Wires, content_path};
use serde::Serialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

use crate::protocol::Protocol;

#[derive(Clone, Debug)]
pub(crate) struct Tally;

/// Clients of an older kind want these, and others do without them.
pub(crate) const OLDER: &[&str] = &["stage_begins", "stage_ends"];

/// A name and what is said under it.
#[derive(Serialize)]
#[serde(transparent)]
pub(crate) struct Line {
    #[serde(skip)]
    name: &'static str,
    data: Value,
}

fn line(name: &'static str, data: Value) -> Line {
    Line { name, data }
}

impl FrameData for Line {
    fn name(&self) -> &'static str {
        self.name
    }

    fn is_terminal(&self) -> bool {
        self.name == "closed"
    }
}

/// The run and the stage that clients have seen begin.
#[derive(Clone, Debug, Default)]
pub(crate) struct Begun {
    run: Option<String>,
    stage: Option<String>,
}

impl Wire for Tally {
    const NAME: &'static str = "tally";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = Begun;
    type Data = Line;

    fn step(begun: &mut Begun, _: &SessionRef, recorded: &Recorded, out: &mut Vec<Line>) {
        match &recorded.event {
            Event::Session(SessionEvent::MessageSent(sent)) => {
                out.push(line("message", json!({ "id": sent.message })));
                out.push(line("text", json!({ "text": sent.text })));
            }
            Event::Run(RunEvent::StageStarted(stage)) => {
                let id = format!("{}/{}", stage.run, stage.stage);
                out.push(line("stage_begins", json!({ "id": id })));
                out.push(line("begun", json!({ "id": id })));
                begun.run = Some(stage.run.to_string());
                begun.stage = Some(id);
            }
            Event::Step(StepEvent::ArtifactProduced(made)) => {
                let content = match &made.body {
                    Body::Event { json } => json!({ "content": json }),
                    Body::Blob { .. } => json!({ "url": content_path(&made.artifact) }),
                };
                out.push(line("made", content));
            }
            Event::Session(_)
            | Event::Run(_)
            | Event::Step(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }

    fn part(begun: &Begun, out: &mut Vec<Line>) {
        if let Some(stage) = &begun.stage {
            let ended = json!({ "id": stage, "status": "failed" });
            out.push(line("stage_ends", ended.clone()));
            out.push(line("ended", ended));
        }
        if let Some(run) = &begun.run {
            out.push(line("closed", json!({ "run": run, "why": "erased" })));
        }
    }

    fn overview(session: SessionRef) -> Option<AnyOverview> {
        let fold = Fold::new(session);
        Some(AnyOverview::new(TallyView { fold, messages: 0 }))
    }
}

/// How many messages there are.
#[derive(Clone, Debug)]
pub(crate) struct TallyView {
    fold: Fold<Tally>,
    pub(crate) messages: usize,
}

impl Overview for TallyView {
    fn push(&mut self, recorded: &Recorded) {
        let frames = self.fold.push(recorded);
        let messages = frames.iter().filter(|frame| frame.name == "message");
        self.messages += messages.count();
    }

    fn at(&self) -> Cursor {
        self.fold.at()
    }

    fn state(&self) -> Box<RawValue> {
        let state = json!({ "messages": self.messages, "at": self.at().to_string() });
        serde_json::value::to_raw_value(&state).expect("it is JSON")
    }
}

pub(crate) struct TallyProtocol;

impl Protocol for TallyProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<Tally>()
    }
}

#[test]
fn it_keeps_the_laws_of_all_wires() {
    use projections::trial::{LogFixture, inline, settings, wire_laws};
    let log = LogFixture::of("letter", "Rain").message("Rain", settings());
    let log = log.understood().stage("write", 1).request("write", "", 1);
    let log = log.make("write", "", 1, "letter", true, inline(json!("Rain")));
    wire_laws::<Tally>(&log.completed(None).events);
}
