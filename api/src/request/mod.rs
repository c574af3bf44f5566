//! What every address reads of a request, whatever it serves: the parts of it, its owner, and the name that its sender gave it; and
//! how a text stands in an address.

mod address;
mod extract;
mod form;
mod idempotency;
mod owner;

pub(crate) use address::in_address;
pub(crate) use extract::{ApiJson, ApiPath, ApiQuery};
pub(crate) use form::{Form, FormError, PartHead, is_form};
pub(crate) use idempotency::idempotency_key;
pub(crate) use owner::Operator;
