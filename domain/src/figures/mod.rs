//! Numbers in a text, so that the numbers of a written text can be looked for in its sources.

mod figure;
mod known;

pub use figure::{missing, of};
pub use known::Known;
pub use words::{DigitRun, digit_runs};
