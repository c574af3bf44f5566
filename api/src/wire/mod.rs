//! What comes in on sockets, and how frames go out: one folder a protocol. What the frames say is in `projections`.

pub mod deltas;
pub mod limits;
pub mod native;
pub mod presence;
mod refusal;
pub mod socket;
pub mod sse;

pub use refusal::ContractRefusal;
