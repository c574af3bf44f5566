//! The commands of one connection, carried out one after the other in the order they came. What was taken is carried out
//! even when the connection goes: to go is not to cancel.

use tokio::sync::mpsc;

use super::frames::{CommandFrame, Outcome, ServerFrame};
use super::limits::COMMANDS_WAITING;
use super::subscription::Out;
use crate::app::App;
use crate::keys::Owner;

/// Where the connection puts its commands.
pub(super) fn start(app: App, owner: Owner, out: mpsc::Sender<Out>) -> mpsc::Sender<CommandFrame> {
    let (sender, mut waiting) = mpsc::channel::<CommandFrame>(COMMANDS_WAITING);
    tokio::spawn(async move {
        while let Some(command) = waiting.recv().await {
            let (session, request) = command.into_request();
            let id = request.id.clone();
            let answer = app.ask(&owner, &session, request).await;
            let text = result(&id, answer.map_err(|error| error.error));
            // Nobody may be there to hear it; the command was carried out all the same.
            let _ = out.send(Out::Text { number: 0, text }).await;
        }
    });
    sender
}

fn result(id: &str, answer: Result<crate::ask::CommandAnswer, crate::error::ErrorBody>) -> String {
    let outcome = Outcome::from(answer);
    ServerFrame::Result { id, outcome }.to_text()
}
