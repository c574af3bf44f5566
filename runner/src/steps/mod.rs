//! Carrying out steps: what they work from, the turns they make, and what becomes of them. Every outcome is a command.

mod answer;
mod deltas;
mod exchange;
pub(crate) mod keep;
pub(crate) mod loading;
mod offline;
mod registry;
mod shown;
mod tries;
mod turn;
mod unrecorded;
mod worker;
mod workshop;

pub use deltas::Delta;
pub(crate) use registry::Begun;
pub(crate) use worker::{begin, clear_spool, settle};
pub(crate) use workshop::Workshop;
