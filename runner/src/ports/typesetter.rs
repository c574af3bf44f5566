//! Typesetting behind a port: pages and files out of their specifications. It costs nothing and is deterministic, but it takes time, so it
//! is never done on a thread that serves others.

use domain::typeset::RenderJob;
use domain::typeset::Typeset;

/// Why a job gave nothing.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum TypesetError {
    /// Nobody waits for it any longer.
    #[error("nobody waits for it any longer")]
    GivenUp,
    #[error("{cause}")]
    Failed { cause: String },
}

/// Does a job on the calling thread.
pub trait Typesetter: Send + Sync {
    /// `go_on` says whether somebody still waits for it; it is asked between pages.
    fn typeset(&self, job: RenderJob, go_on: &dyn Fn() -> bool) -> Result<Typeset, TypesetError>;
}
