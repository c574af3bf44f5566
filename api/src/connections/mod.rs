//! The connections of the server: how many there are and whose, how long each may take to say something, and how fast it has to
//! send and to take what it is sent.
//!
//! A connection belongs to its address until a key is recognised on it, and to the owner of the key from then on. If an address or an owner
//! has its share, or all connections together reach the limit, a new connection takes the place of one that waits without a request; the
//! one that has been open longest is closed first. So a client that opens connections and sends nothing displaces only its own connections.
//! The connections of a trusted proxy are those of all its clients and have no share; each request on them counts for the client's address.

mod descriptors;
mod pace;
mod proxies;
mod seats;
mod serve;
mod stream;

pub(crate) use descriptors::raise_limit;
pub(crate) use pace::Pace;
pub(crate) use proxies::TrustedProxies;
pub use seats::Caller;
pub(crate) use seats::{ConnectionLimits, Seats};
pub(crate) use serve::{HttpServer, Listening};
