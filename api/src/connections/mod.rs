//! The connections of the server: how many there are and whose, how long each may take to say something, and how fast it has to
//! send and to take what it is sent.
//!
//! A connection belongs to its address until a key was recognised on it, and to the owner of the key then. Where an address or an
//! owner has its share, or everybody together has all there are, a new connection takes the place of one that waits without a
//! request; the longest open one goes first. So whoever opens connections and says nothing takes them from itself.

mod descriptors;
mod pace;
mod seats;
mod serve;
mod stream;

pub(crate) use descriptors::raise_limit;
pub(crate) use pace::Pace;
pub(crate) use seats::{Caller, ConnectionLimits, Seats};
pub(crate) use serve::{HttpServer, Listening};
