//! Where a verb is carried out, and what it is called with.

use futures::future::LocalBoxFuture;
use render::Fonts;

use super::{Client, Failure};
use crate::app::App;
use crate::config::Config;
use crate::keys::Owner;

/// What a verb is called with.
pub struct VerbContext {
    /// What is configured.
    pub config: Config,
    /// Whose sessions and collections.
    pub owner: Owner,
    open: OpenHost,
}

/// Finds out where commands are carried out.
type OpenHost = Box<dyn FnOnce() -> LocalBoxFuture<'static, Result<CommandHost, Failure>>>;

impl VerbContext {
    pub(crate) fn new(config: Config, owner: Owner, open: OpenHost) -> Self {
        Self {
            config,
            owner,
            open,
        }
    }

    /// The server that owns the log, or else this process, which then owns the log and works on what is unfinished in it.
    ///
    /// # Errors
    ///
    /// The log cannot be used, or is owned by a process that takes no commands.
    pub async fn host(self) -> Result<CommandHost, Failure> {
        (self.open)().await
    }

    /// The fonts that are configured, or those of this machine.
    ///
    /// # Errors
    ///
    /// The folder that is configured has none.
    pub fn fonts(&self) -> Result<Fonts, Failure> {
        let fonts = Fonts::load(self.config.fonts.as_deref());
        Ok(fonts.map_err(anyhow::Error::from)?)
    }
}

/// Carries out commands, here or on a server.
pub struct CommandHost {
    /// Asks the API.
    pub client: Client,
    /// Set if this process owns the log.
    here: Option<Here>,
}

/// A process that carries out commands itself.
struct Here {
    app: App,
    fonts: Fonts,
}

impl CommandHost {
    pub(crate) fn on_a_server(client: Client) -> Self {
        Self { client, here: None }
    }

    pub(crate) fn in_this_process(client: Client, app: App, fonts: Fonts) -> Self {
        Self {
            client,
            here: Some(Here { app, fonts }),
        }
    }

    /// Whether the work is done by this process, and ends with it.
    pub fn is_here(&self) -> bool {
        self.here.is_some()
    }

    /// The fonts with which this process draws; nothing if a server does the work, which has fonts of its own.
    pub(crate) fn fonts(&self) -> Option<&Fonts> {
        self.here.as_ref().map(|here| &here.fonts)
    }

    /// Aborts the work in this process and closes the log. Whoever opens the log next continues the unfinished work.
    pub async fn leave(self) {
        if let Some(Here { app, .. }) = self.here {
            app.stopping.cancel();
            app.engine.stop().await;
            app.engine.log().close().await;
        }
    }
}
