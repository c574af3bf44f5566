//! What clients are sent on the wire `haiku`: the lines of each poem, and how its run ended.

use palimpsest::prelude::wire::event::{Body, RunEvent, StepEvent};
use palimpsest::prelude::wire::{Event, FrameData, Protocol, Recorded, SessionRef, Wire, Wires};
use serde::Serialize;

use crate::poem;

#[derive(Clone, Copy, Debug)]
pub(crate) struct HaikuWire;

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum HaikuFrame {
    Poem { lines: Vec<String> },
    End { outcome: &'static str },
}

impl FrameData for HaikuFrame {
    fn name(&self) -> &'static str {
        match self {
            Self::Poem { .. } => "poem",
            Self::End { .. } => "end",
        }
    }

    fn is_terminal(&self) -> bool {
        matches!(self, Self::End { .. })
    }
}

impl Wire for HaikuWire {
    const NAME: &'static str = "haiku";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = ();
    type Data = HaikuFrame;

    fn step(_: &mut (), _: &SessionRef, recorded: &Recorded, out: &mut Vec<HaikuFrame>) {
        match &recorded.event {
            Event::Step(event) => out.extend(poem(event)),
            Event::Run(event) => out.extend(end(event)),
            Event::Session(_) | Event::Gate(_) | Event::Collection(_) | Event::Project(_) => {}
        }
    }
}

fn poem(event: &StepEvent) -> Option<HaikuFrame> {
    let StepEvent::ArtifactProduced(made) = event else {
        return None;
    };
    let Body::Event { json } = &made.body else {
        return None;
    };
    let lines = poem::lines(json).map(str::to_owned).collect();
    (made.kind == "poem").then_some(HaikuFrame::Poem { lines })
}

fn end(event: &RunEvent) -> Option<HaikuFrame> {
    let ends = [
        (matches!(event, RunEvent::RunCompleted(_)), "completed"),
        (matches!(event, RunEvent::RunFailed(_)), "failed"),
        (matches!(event, RunEvent::RunCancelled(_)), "cancelled"),
    ];
    let (_, outcome) = ends.into_iter().find(|(is_it, _)| *is_it)?;
    Some(HaikuFrame::End { outcome })
}

/// Names the wire to the program. An endpoint of one's own would stand here as well.
pub(crate) struct HaikuProtocol;

impl Protocol for HaikuProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<HaikuWire>()
    }
}
