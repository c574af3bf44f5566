//! The scripted model as a process: what it answers is a script, what it was asked is its journal.

use std::process::Stdio;

use serde_json::Value;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::process::{Child, Command};

use super::api::Api;
use super::within;

pub(crate) struct Scripted {
    _child: Child,
    api: Api,
    address: String,
    /// Whether the program is told that it draws.
    draws: bool,
}

/// What tells the program that the scripted model draws. Where it does, every course has a picture on its cover.
pub(crate) const PICTURES: (&str, &str) = ("PALIMPSEST_IMAGES_MODEL", "scripted-images");

impl Scripted {
    /// Starts one that answers by this script.
    pub(crate) async fn start(script: &Value) -> Self {
        let mut command = Command::new(env!("CARGO_BIN_EXE_scripted-model"));
        command
            .env_clear()
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .kill_on_drop(true);
        let mut child = command.spawn().expect("the scripted model starts");
        let mut lines = BufReader::new(child.stdout.take().expect("it is piped")).lines();
        let line = within("the scripted model's address", lines.next_line()).await;
        let line = line.expect("it prints").expect("a first line");
        let address = line
            .strip_prefix("listening on ")
            .expect("its address")
            .to_owned();
        let scripted = Self {
            _child: child,
            api: Api::new(address.clone()),
            address,
            // Only a script for posts plans pictures.
            draws: !script["by_schema"]["post_image_plan"].is_null(),
        };
        scripted.play(script).await;
        scripted
    }

    /// What makes the program ask this model.
    pub(crate) fn serve_for(&self, command: &mut Command) {
        command
            .env("OPENAI_BASE_URL", format!("{}/v1", self.address))
            .env("PALIMPSEST_MODEL", "scripted");
        if self.draws {
            command.envs([PICTURES]);
        }
    }

    /// Begins another script with an empty journal.
    pub(crate) async fn play(&self, script: &Value) {
        self.api.post("/__reset", &Value::Null).await.succeeded();
        self.api.post("/__script", script).await.succeeded();
    }

    /// Lets held answers go on.
    pub(crate) async fn release(&self) {
        self.api.post("/__release", &Value::Null).await.succeeded();
    }

    pub(crate) async fn journal(&self) -> Journal {
        Journal(self.api.get("/__journal").await.succeeded())
    }

    /// The journal once it is as wanted.
    pub(crate) async fn journal_when(
        &self,
        what: &str,
        wanted: impl Fn(&Journal) -> bool,
    ) -> Journal {
        within(what, async {
            loop {
                let journal = self.journal().await;
                if wanted(&journal) {
                    return journal;
                }
                tokio::task::yield_now().await;
            }
        })
        .await
    }
}

/// What the scripted model was asked.
#[derive(Debug)]
pub(crate) struct Journal(Value);

impl Journal {
    pub(crate) fn requests(&self) -> &[Value] {
        self.0["requests"].as_array().expect("a list of requests")
    }

    /// How many answers were held back so far.
    pub(crate) fn held(&self) -> usize {
        let requests = self.requests().iter();
        requests
            .filter(|request| !request["held_us"].is_null())
            .count()
    }

    /// The requests for a schema.
    pub(crate) fn asked(&self, schema: &str) -> Vec<&Value> {
        self.requests()
            .iter()
            .filter(|request| request["schema"] == schema)
            .collect()
    }

    /// The names of the schemas in the order in which they were asked for.
    pub(crate) fn schemas(&self) -> Vec<&str> {
        self.requests()
            .iter()
            .filter_map(|request| request["schema"].as_str())
            .collect()
    }

    /// The keys whose answer was finished more than once, with how often.
    pub(crate) fn paid_twice(&self) -> Vec<(&str, u64)> {
        let keys = self.0["by_key"].as_object().expect("counts by key");
        let finished = keys
            .iter()
            .map(|(key, counts)| (key.as_str(), counts["finished"].as_u64().unwrap_or(0)));
        finished.filter(|(_, finished)| *finished > 1).collect()
    }

    /// How many keys have a finished answer.
    pub(crate) fn paid(&self) -> usize {
        let keys = self.0["by_key"].as_object().expect("counts by key");
        keys.values()
            .filter(|counts| counts["finished"].as_u64() > Some(0))
            .count()
    }
}
