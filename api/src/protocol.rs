//! A protocol that clients of the server speak: which frames they are sent, and what they may ask. Each is in a folder of `wire`,
//! or in a crate of its own; where a program is put together, its protocols are named.

use axum::Router;
use clap::{ArgMatches, Command};
use projections::Wires;
use utoipa_axum::router::OpenApiRouter;

use crate::app::App;
use crate::config::Contract;

/// A protocol. Whatever it leaves out it does not have.
pub trait Protocol: Send + Sync {
    /// These wires and its own: the frames that its clients are sent.
    fn wires(&self, wires: Wires) -> Wires;

    /// What it answers at once.
    fn answers(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }

    /// What it answers by streams, which take as long as they take.
    fn streams(&self) -> OpenApiRouter<App> {
        OpenApiRouter::default()
    }

    /// Its sockets, which the document of the interface leaves out: OpenAPI has no words for frames.
    fn sockets(&self, _app: &App) -> Router {
        Router::new()
    }

    /// The command line with flags of its own, if it has any.
    fn flags(&self, command: Command) -> Command {
        command
    }

    /// The settings that it knows under names of its own, with what its flags say.
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
