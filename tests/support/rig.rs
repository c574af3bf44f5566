//! A server with a scripted model: what most tests begin with.

use serde_json::{Value, json};

use super::api::{Api, Follow};
use super::course::{PAGE_1, TURNS, rule, script_with};
use super::folder::TestFolder;
use super::program::{Server, palimpsest};
use super::scripted::Scripted;

pub(crate) struct Rig {
    pub(crate) place: TestFolder,
    pub(crate) model: Scripted,
    pub(crate) server: Server,
    pub(crate) api: Api,
    /// What the program is told each time that it starts.
    variables: Vec<(String, String)>,
}

/// Turns the curator off, so that the only calls are those of the runs that a test begins.
pub(crate) const NO_CURATOR: [(&str, &str); 1] = [("PALIMPSEST_CURATE", "false")];

impl Rig {
    /// The model answers by these rules first.
    pub(crate) async fn with(rules: impl IntoIterator<Item = Value>) -> Self {
        Self::with_settings(rules, &[]).await
    }

    /// The same with variables for the program.
    pub(crate) async fn with_settings(
        rules: impl IntoIterator<Item = Value>,
        variables: &[(&str, &str)],
    ) -> Self {
        Self::playing(&script_with(rules), variables).await
    }

    /// The same with another script.
    pub(crate) async fn playing(script: &Value, variables: &[(&str, &str)]) -> Self {
        let model = Scripted::start(script).await;
        let place = TestFolder::new();
        let mut command = palimpsest(&place);
        model.serve_for(&mut command);
        command.envs(variables.iter().copied());
        let server = Server::start(command).await;
        let api = server.api();
        Self {
            place,
            model,
            server,
            api,
            variables: variables
                .iter()
                .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()))
                .collect(),
        }
    }

    /// Kills the server, and starts it again where it was.
    pub(crate) async fn again(&mut self) {
        self.server.kill().await;
        self.start_again().await;
    }

    /// Starts another server where the one that ended was.
    pub(crate) async fn start_again(&mut self) {
        let mut command = palimpsest(&self.place);
        self.model.serve_for(&mut command);
        command.envs(self.variables.iter().map(|(name, value)| (name, value)));
        self.server = Server::start(command).await;
        self.api = self.server.api();
    }

    /// The native frames of a session up to the end of a run, which has to be this one.
    pub(crate) async fn end(&self, session: &str, run: &str, kind: &str) -> Vec<Value> {
        let mut follow = Follow::new(&self.api, session, "native");
        follow.end(run, kind).await;
        follow.frames
    }

    /// Waits until so many answers are held.
    pub(crate) async fn until_held(&self, times: usize) {
        let wanted = format!("{times} held answers");
        self.model
            .journal_when(&wanted, |journal| journal.held() >= times)
            .await;
    }
}

/// Holds the answer to the first request for a page.
pub(crate) fn held(page: usize) -> Value {
    let pace = json!({ "hold_after_chunks": 1, "chunk_chars": 20 });
    rule(TURNS[PAGE_1 + page - 1], Some(1), pace)
}
