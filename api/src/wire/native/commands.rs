//! The commands of one connection, carried out one after the other in the order in which they came. Accepted commands are carried out even
//! if the connection closes: closing a connection does not cancel its commands.

use tokio::sync::mpsc;

use super::frames::{CommandFrame, Outcome, ServerFrame};
use super::limits::COMMANDS_WAITING;
use super::subscription::Out;
use crate::app::App;
use crate::keys::Owner;

/// Starts the task that carries out commands; the connection sends them to the returned channel.
pub(super) fn start(app: App, owner: Owner, out: mpsc::Sender<Out>) -> mpsc::Sender<CommandFrame> {
    let (sender, mut waiting) = mpsc::channel::<CommandFrame>(COMMANDS_WAITING);
    tokio::spawn(async move {
        while let Some(command) = waiting.recv().await {
            let (session, request) = command.into_request();
            let id = request.id.clone();
            let answer = app.ask_as_sent(&owner, &session, request).await;
            let text = result(&id, answer.map_err(|error| error.error));
            // The connection may be closed; the command was carried out nevertheless.
            let _ = out.send(Out::Text { number: 0, text }).await;
        }
    });
    sender
}

fn result(id: &str, answer: Result<crate::ask::CommandAnswer, crate::error::ErrorBody>) -> String {
    let outcome = Outcome::from(answer);
    ServerFrame::Result { id, outcome }.to_text()
}
