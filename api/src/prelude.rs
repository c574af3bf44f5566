//! What one needs to write a pipeline of one's own.

pub use async_trait::async_trait;
pub use domain::asking::{fail, read, reserve, vars};
pub use domain::carry::{
    Carry, Content, File, ModelTurn, NewArtifact, Output, ToolOutcome, TurnResult, Work,
};
pub use domain::delivery::FormInfo;
pub use domain::event::{Reserve, Violation};
pub use domain::flow::{
    Flow, GateSpec, Stop, Verdict, complete, each, gate, need, need_each, numbered, reopen,
};
pub use domain::ids::ArtifactId;
pub use domain::pipeline::{Description, Edited, KindInfo, Pipeline, StageInfo};
pub use domain::session::{GateAnswer, Run};
pub use runner::authors::Author;
pub use runner::tools::{Tool, ToolContext, ToolError};
pub use serde_json::{Value, json};

pub use crate::server::{BuildError, Builder, Server};
