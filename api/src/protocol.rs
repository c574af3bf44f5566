//! A protocol that clients of the server speak: which frames they are sent, and what they may ask. Each protocol has a folder in `wire` or
//! a crate of its own. A program names the protocols that it speaks.

use axum::Router;
use clap::{ArgMatches, Command};
use projections::Wires;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::config::Contract;

/// A protocol. A method that it leaves out means that it does not have that part.
pub trait Protocol: Send + Sync {
    /// Adds its own wires to these: the frames that its clients are sent.
    fn wires(&self, wires: Wires) -> Wires;

    /// The routes that answer at once.
    fn answers(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }

    /// The routes that answer with streams, which have no time limit.
    fn streams(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }

    /// The routes of its sockets. The document of the interface leaves them out: OpenAPI cannot describe frames.
    fn sockets(&self, _app: &App) -> Router {
        Router::new()
    }

    /// Adds the protocol's own flags to the command line, if it has any.
    fn flags(&self, command: Command) -> Command {
        command
    }

    /// The settings that this protocol knows under names of its own, with the values of its flags.
    ///
    /// # Errors
    ///
    /// The flags are not those that were declared.
    fn contract(&self, _flags: &ArgMatches) -> Result<Option<Box<dyn Contract>>, clap::Error> {
        Ok(None)
    }
}

/// The protocols of a program.
pub type Protocols = Vec<&'static dyn Protocol>;

/// The wires of these protocols.
pub fn wires(protocols: &Protocols) -> Wires {
    let add = |wires, protocol: &&dyn Protocol| protocol.wires(wires);
    protocols.iter().fold(Wires::default(), add)
}
