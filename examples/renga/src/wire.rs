//! What clients are sent on the wire `renga`: each verse with its number, and how the run ended.

use palimpsest::prelude::wire::event::{ArtifactProduced, Body, RunEvent, StepEvent};
use palimpsest::prelude::wire::{Event, FrameData, Protocol, Recorded, SessionRef, Wire, Wires};
use serde::Serialize;

use crate::verse;

#[derive(Clone, Copy, Debug)]
pub(crate) struct RengaWire;

/// What the wire remembers of the run: how many verses it has, and how many were sent.
#[derive(Clone, Debug, Default)]
pub(crate) struct Written {
    all: u64,
    verses: u64,
}

#[derive(Debug, Serialize)]
#[serde(untagged)]
pub(crate) enum RengaFrame {
    Verse {
        number: String,
        of: u64,
        lines: Vec<String>,
    },
    End {
        outcome: &'static str,
        verses: u64,
    },
}

impl FrameData for RengaFrame {
    fn name(&self) -> &'static str {
        match self {
            Self::Verse { .. } => "verse",
            Self::End { .. } => "end",
        }
    }

    fn is_terminal(&self) -> bool {
        matches!(self, Self::End { .. })
    }
}

impl Wire for RengaWire {
    const NAME: &'static str = "renga";
    const VERSION: u32 = 1;
    const HOLDS_CONTENTS: bool = true;
    type State = Written;
    type Data = RengaFrame;

    fn step(run: &mut Written, _: &SessionRef, recorded: &Recorded, out: &mut Vec<RengaFrame>) {
        match &recorded.event {
            Event::Step(StepEvent::ArtifactProduced(made)) => out.extend(run.note_artifact(made)),
            Event::Run(event) => out.extend(run.note_run(event)),
            Event::Step(_)
            | Event::Session(_)
            | Event::Gate(_)
            | Event::Collection(_)
            | Event::Project(_) => {}
        }
    }
}

impl Written {
    fn note_artifact(&mut self, made: &ArtifactProduced) -> Option<RengaFrame> {
        if made.kind == "words" {
            self.all = made.facts["verses"].as_u64().unwrap_or_default();
        }
        let Body::Event { json } = &made.body else {
            return None;
        };
        if made.kind != "verse" {
            return None;
        }
        self.verses += 1;
        Some(RengaFrame::Verse {
            number: made.step.item.to_string(),
            of: self.all,
            lines: verse::lines(json).map(str::to_owned).collect(),
        })
    }

    fn note_run(&mut self, event: &RunEvent) -> Option<RengaFrame> {
        if matches!(event, RunEvent::RunStarted(_)) {
            *self = Self::default();
        }
        let ends = [
            (matches!(event, RunEvent::RunCompleted(_)), "completed"),
            (matches!(event, RunEvent::RunFailed(_)), "failed"),
            (matches!(event, RunEvent::RunCancelled(_)), "cancelled"),
        ];
        let (_, outcome) = ends.into_iter().find(|(is_it, _)| *is_it)?;
        let verses = self.verses;
        Some(RengaFrame::End { outcome, verses })
    }
}

/// Names the wire to the program.
pub(crate) struct RengaProtocol;

impl Protocol for RengaProtocol {
    fn wires(&self, wires: Wires) -> Wires {
        wires.with::<RengaWire>()
    }
}
