//! The layer of pipelines: how a flow says what is missing, what a step is given and leaves, what clients are told of a pipeline, and the
//! libraries that such functions are written with. Everything here is a value or a pure function; nothing waits, reads or asks a clock.

pub use serde_json::{Value, json};

// The flow: what is needed next.
pub use domain::flow::{
    self, Ask, Flow, GateSpec, RULES, Stop, UNDERSTAND, Verdict, complete_run, need, need_decision,
    need_each, need_named, need_together, need_understanding, numbered_items, pass_gate,
    reopen_stages, work_on,
};

// A step: what it is given, what it asks for, what it leaves. `carry::Tool` is a tool as a model is shown it.
pub use domain::carry::{
    self, Answer, Asked, Carry, Content, EarlierRun, Exchange, File, ITEMS, Input, IntentOutput,
    MadePart, ModelTurn, NewArtifact, Output, Source, ToolOutcome, TurnResult, Work, Written,
};
pub use domain::tool_loop;
pub use domain::typeset;

// What a run and its session have so far.
pub use domain::session::{
    Change, End, Gate, GateAnswer, Message, Run, Session, Speaker, StageState, StepState,
};
pub use domain::settings::{
    Budget, EMBEDDINGS_ROLE, IMAGES_ROLE, OFFLINE, OnBusy, Ports, Settings,
};

// What a pipeline is and what clients are told of it; a stage is a `StageSpec`, of which `stages!` makes a closed set, and `learned!` has
// what was learned from messages to it.
pub use domain::delivery::{CheckInfo, CountInfo, FormInfo, PageInfo, PicturesInfo};
pub use domain::pipeline::{
    Asks, ByHand, Description, Edited, FileRole, GateEdits, KindInfo, OptionInfo, Pipeline,
    Pipelines, StageInfo, StageSpec,
};
pub use domain::{learned, stages};

// Names of things in the log, and what events say.
pub use domain::event::{self, Reserve, Violation};
pub use domain::hash::{BlobRef, Picture, Sha256};
pub use domain::ids::{
    ArtifactId, DocumentId, EntryId, GateId, MessageId, RunId, SessionId, StepId,
};
pub use domain::recorded::Actor;

// Questions to models and to people, and how messages are understood.
pub use domain::asking::{self, fail_step, prompt_vars, read_structured, reserve_question};
pub use domain::judging::{self, Fault, FaultKind, Judge};
pub use domain::question;
pub use domain::schema;
pub use domain::understanding;

// What people write by hand, and where their files went.
pub use domain::by_hand;
pub use domain::material;

// Texts: their marks, their sentences, their languages, what is shown of them.
pub use domain::language;
pub use domain::markdown;
pub use domain::masking;
pub use domain::numbers;
pub use domain::shown;
pub use domain::text;
pub use domain::tokens;
pub use words::sentences;

// Figures and pictures.
pub use domain::drawing;
pub use domain::figures;
pub use domain::pictures;

// Vectors of texts.
pub use domain::embedding;
pub use domain::vectors;
