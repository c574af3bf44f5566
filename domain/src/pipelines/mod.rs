//! The pipelines of the products that are no crates of their own yet.
//!
//! A pipeline is a type that implements [`Pipeline`](crate::pipeline::Pipeline): its stages' names, its `flow`, and for each stage a
//! function from the [`Work`](crate::carry::Work) and the turns so far to the next [`Carry`](crate::carry::Carry); a folder of the same name
//! in `prompts/`, one file for each stage that asks a model (`prompts/README.md` has the form); and what the offline author answers, by the
//! names of the prompts. It never names another one. What its artifacts look like is a type with `schemars`; what a schema cannot say is a
//! function that gives violations, each of which is written for the model that has to correct the answer. `products/course` is the example to read.

pub mod reader;
pub mod story;
