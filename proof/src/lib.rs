//! A harness of faults: several processes on one log, killed, frozen, cut off and with wrong clocks, and a checker that compares
//! the log with what clients were told and what the provider was paid for.
//!
//! The simulated tier (`sim`) has engines in one process on a log in memory; the real tier (`real`) has servers, databases and
//! sockets. Both carry out random programs (`program`), and both print their seeds.

pub mod pipeline;
pub mod program;
pub mod real;
pub mod rng;
pub mod sim;
