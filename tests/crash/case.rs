//! The runs that are killed: what each asks for, answers and makes.

use serde_json::{Value, json};

use super::{Kill, SESSION};
use crate::support::program::Server;
use crate::support::{course, deck, post, report, story};

/// Milliseconds before the first byte of each turn's answer of a course: of the scripts, and then of the theme; and of the last
/// page, which may just have been asked for when a kill comes after the append that wanted it.
const LATENCY_MS: [u64; course::TURNS.len()] = [0, 0, 0, 0, 60, 250, 0, 0, 0, 250];

/// How many pages are made at once where nothing else is said.
pub(super) const WIDTH: usize = 3;

/// Milliseconds between the pieces of an answer that does not end before the kill: longer than any test.
const NEVER_MS: u64 = 600_000;

/// A run whose every answer is fixed.
#[derive(Clone, Copy, Debug)]
pub(super) enum Case {
    /// One page after the other.
    Course,
    /// The same course with several pages at once.
    WideCourse,
    Report,
    Post,
    /// A deck that is sent back once, mended once and then accepted.
    Deck,
    /// A chain of two agents with a check, from an outline to its chapter.
    Story,
}

impl Case {
    /// The two wires that are followed.
    pub(super) fn wires(self) -> [&'static str; 2] {
        match self {
            Self::Course | Self::WideCourse => ["native", "course"],
            Self::Report => ["native", "report"],
            Self::Post => ["native", "post"],
            Self::Story => ["native", "story"],
            // A deck has no wire of its own.
            Self::Deck => ["native", "lean"],
        }
    }

    /// The last frame on its own wire.
    pub(super) fn last(self) -> &'static str {
        match self {
            Self::Course | Self::WideCourse => "completion",
            Self::Report => "agent.final_answer",
            Self::Post => "workflow_complete",
            Self::Story => "done",
            Self::Deck => "run_completed",
        }
    }

    /// Its model calls.
    pub(super) fn turns(self) -> usize {
        match self {
            Self::Course | Self::WideCourse => course::TURNS.len(),
            Self::Report => report::TURNS,
            Self::Post => post::TURNS.len(),
            Self::Deck => deck::TURNS,
            Self::Story => story::TURNS,
        }
    }

    /// The artifacts that it makes.
    pub(super) fn made(self) -> usize {
        match self {
            Self::Course | Self::WideCourse => course::MADE,
            Self::Report => report::MADE,
            Self::Post => post::MADE,
            Self::Deck => deck::MADE,
            Self::Story => story::MADE,
        }
    }

    /// How many calls a kill cuts off, at the least.
    pub(super) fn cut_off(self) -> usize {
        match self {
            Self::WideCourse => WIDTH - 1,
            Self::Course | Self::Report | Self::Post | Self::Deck | Self::Story => 0,
        }
    }

    /// The script of a run in which this turn is killed: killed while it is answered, it must not have been answered.
    pub(super) fn script(self, kill: Option<Kill>) -> Value {
        let held = kill.filter(|kill| kill.point == "during_answer");
        let mut pace = json!({ "hold_after_chunks": 1, "chunk_chars": 20 });
        match self {
            Self::Course => {
                let held = held.map(|Kill { nth, .. }| {
                    pace["latency_ms"] = json!(LATENCY_MS[nth - 1]);
                    course::rule(course::TURNS[nth - 1], Some(1), pace)
                });
                course::script_with(held.into_iter().chain([4, 5].map(late)))
            }
            Self::WideCourse => {
                let stopped = kill.into_iter().flat_map(|_| stopped_pages());
                course::script_with(stopped.chain([4, 5, 9].map(late)))
            }
            Self::Report => {
                report::script_with(held.map(|Kill { nth, .. }| report::beside(nth, pace)))
            }
            Self::Post => {
                let held = held.map(|Kill { nth, .. }| post::beside(nth, pace));
                post::script_with(held, json!({}))
            }
            Self::Deck => deck::script(held.map(|Kill { nth, .. }| (nth, pace))),
            Self::Story => {
                pace["chunk_chars"] = json!(4);
                story::script_with(held.map(|Kill { nth, .. }| story::beside(nth, pace)))
            }
        }
    }

    /// The request that opens the session.
    pub(super) async fn opening(self, server: &Server) -> Value {
        match self {
            Self::Course => course::opening(SESSION),
            Self::WideCourse => course::opening_with(SESSION, json!({})),
            Self::Report => report::opening(&server.api(), SESSION, json!({ "width": 1 })).await,
            Self::Post => post::opening(SESSION, json!({ "width": 1 })),
            Self::Deck => deck::opening(SESSION),
            Self::Story => {
                let settings = json!({ "width": 1, "language": "zh" });
                story::opening(&server.api(), SESSION, settings).await
            }
        }
    }
}

/// A rule by which the answers of a turn of a course are late.
fn late(turn: usize) -> Value {
    let late = json!({ "latency_ms": LATENCY_MS[turn] });
    course::rule(course::TURNS[turn], None, late)
}

/// Rules by which the first answers for the pages that are made at once stop after their first piece. Of those that are let go,
/// only the one for page 1 comes to its end.
fn stopped_pages() -> [Value; WIDTH] {
    std::array::from_fn(|place| {
        let mut pace = json!({ "hold_after_chunks": 1 });
        if place > 0 {
            pace["chunk_delay_ms"] = json!(NEVER_MS);
        }
        course::rule(course::TURNS[course::PAGE_1 + place], Some(1), pace)
    })
}
