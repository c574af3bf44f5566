//! Fetching from addresses that somebody else chose: a page that was found, a server that a message names. Whoever chooses an
//! address must not reach through it what only this machine can reach.
//!
//! Every hop is checked before it is connected to: scheme, credentials, port or origin, and the address itself, written out or
//! found by name. A name is looked up once, all of its addresses are checked, and exactly these are connected to, so that it
//! cannot lead elsewhere a moment later. Redirects are followed by hand. Neither cookies nor a proxy nor a `Referer` are used,
//! and an answer is counted while it comes in. Addresses that the operator alone chooses, such as the search engine's, do not
//! go through here.

mod address;
mod error;
mod fetcher;
mod policy;
mod resolver;
#[cfg(test)]
mod tests;

pub use error::FetchError;
pub use fetcher::{FetchLimits, Fetched, Fetcher};
pub use policy::{HostRule, Origin, Policy};
pub use resolver::{Lookup, SystemLookup};
