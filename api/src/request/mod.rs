//! What every address reads of a request, whatever it serves: the parts of it, its owner, and the name that its sender gave it; and
//! how a text stands in an address.

mod address;
mod extract;
mod idempotency;
mod owner;

pub(crate) use address::in_address;
pub(crate) use extract::{ApiJson, ApiPath, ApiQuery};
pub(crate) use idempotency::idempotency_key;
