//! People with keys, each an owner.

use reqwest::Method;
use tokio::process::Command;

use super::api::{Answer, Api};
use super::folder::TestFolder;
use super::program::palimpsest;

pub(crate) const ANN: &str = "Bearer secret-of-ann-012345678";
pub(crate) const BOB: &str = "Bearer secret-of-bob-012345678";

/// The program with a key for each of them.
pub(crate) fn with_keys(place: &TestFolder) -> Command {
    let mut command = palimpsest(place);
    command.env(
        "PALIMPSEST_KEYS",
        "ann:secret-of-ann-012345678,bob:secret-of-bob-012345678",
    );
    command
}

/// Somebody with a key.
pub(crate) struct Person<'a>(pub(crate) &'a Api, pub(crate) &'static str);

impl Person<'_> {
    pub(crate) async fn get(&self, path: &str) -> Answer {
        let headers = [("authorization", self.1)];
        self.0.send(Method::GET, path, &headers, None).await
    }
}
