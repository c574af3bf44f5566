//! How a step is carried out: a pure function from what the step may see and what its turns gave so far to what it does next. The runner
//! makes the turns; turns that are already in the log are replayed instead.

mod earlier;
mod outputs;
mod seen;
mod turns;
mod work;
mod written;

use serde_json::Value;

use crate::event::Violation;
use crate::typeset::RenderJob;

pub use earlier::{EARLIER_RUNS_MAX, EarlierRun};
pub use outputs::{Content, File, IntentOutput, NewArtifact, Output};
pub use seen::{Input, MadePart, Source, UnreadFile};
pub use turns::{Answer, Call, Exchange, ModelTurn, Tool, ToolOutcome, ToolTurn, TurnResult};
pub use work::{Asked, ITEMS, MadeItem, Material, Refinable, Work};
pub use written::{Kept, Written, WrittenBody};

/// What a step does next.
#[derive(Clone, Debug)]
pub enum Carry {
    Model(Box<ModelTurn>),
    Tool(Box<ToolTurn>),
    Render(Box<RenderJob>),
    Done(Vec<Output>),
    Reject(Vec<Violation>),
    Fail {
        code: String,
        message: String,
        retryable: bool,
    },
}

impl From<ModelTurn> for Carry {
    fn from(turn: ModelTurn) -> Self {
        Self::Model(Box::new(turn))
    }
}

/// The step is done, and leaves this.
impl From<NewArtifact> for Carry {
    fn from(artifact: NewArtifact) -> Self {
        Self::Done(vec![Output::Artifact(artifact)])
    }
}

impl From<RenderJob> for Carry {
    fn from(job: RenderJob) -> Self {
        Self::Render(Box::new(job))
    }
}

impl Carry {
    /// A step of a stage that the pipeline cannot carry out, although its flow asks for it.
    pub fn unknown_stage(stage: &str) -> Self {
        Self::Fail {
            code: "unknown_stage".to_owned(),
            message: format!("the pipeline asks for the stage `{stage}` and does not carry it out"),
            retryable: false,
        }
    }

    /// A call of a tool that needs the outside world.
    pub fn tool(name: impl Into<String>, input: Value) -> Self {
        Self::Tool(Box::new(ToolTurn {
            tool: name.into(),
            input,
            gives: None,
        }))
    }
}
