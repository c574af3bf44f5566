//! What the handlers of all addresses read from a request: its parts, its owner, and the name that its sender gave it. Also how a text is
//! escaped in an address.

mod address;
mod extract;
mod form;
mod idempotency;
mod owner;

pub use address::in_address;
pub use extract::{ApiJson, ApiPath, ApiQuery};
pub use form::{Form, FormError, PartHead, is_form};
pub use idempotency::idempotency_key;
pub(crate) use owner::Operator;
