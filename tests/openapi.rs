//! The document of the interface as programs read it: by the validator of the standard.

use serde_json::Value;
use tokio::process::Command;

use crate::support::folder::TestFolder;
use crate::support::program::{Server, palimpsest};
use crate::support::{ended_well, python_has, within};

#[tokio::test(flavor = "multi_thread")]
async fn the_document_of_the_interface_is_valid_openapi() {
    let place = TestFolder::new();
    let server = Server::start(palimpsest(&place)).await;
    let document = server.api().get("/openapi.json").await.succeeded();
    assert_eq!(document["openapi"], "3.1.0");
    let tags = document["tags"].as_array().expect("tags").iter();
    let tags: Vec<_> = tags.filter_map(|tag| tag["name"].as_str()).collect();
    let engine = ["server", "pipelines", "sessions", "artifacts", "files"];
    let products = ["notes", "templates", "posts", "decks", "stories"];
    assert_eq!(tags, [engine, products].concat());
    check_properties("", &document["components"]["schemas"]);
    if !python_has("openapi_spec_validator").await {
        return;
    }
    let file = place.file("openapi.json");
    std::fs::write(&file, document.to_string()).expect("a file");
    let mut validator = Command::new("python3");
    validator
        .args(["-m", "openapi_spec_validator"])
        .args(["--validation-errors", "all"])
        .arg(&file);
    let ended = within("the validator's end", validator.output()).await;
    ended_well(&ended.expect("it starts"), "");
}

/// Checks that each field has more than the schema `true`, which generators of clients cannot read.
fn check_properties(place: &str, schema: &Value) {
    for (name, inner) in schema.as_object().into_iter().flatten() {
        if name == "properties" {
            for (field, of) in inner.as_object().into_iter().flatten() {
                assert!(!of.is_boolean(), "{place}/{field} is only `{of}`");
            }
        }
        check_properties(&format!("{place}/{name}"), inner);
    }
    for inner in schema.as_array().into_iter().flatten() {
        check_properties(place, inner);
    }
}
