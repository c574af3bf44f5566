//! The interface described for programs: OpenAPI, from the handlers and their types.

use std::sync::{Arc, LazyLock};

use axum::Extension;
use axum::http::header;
use axum::response::IntoResponse;
use bytes::Bytes;
use serde_json::{Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;

use super::bodies::BodyMemory;
use super::described;
use crate::app::App;
use crate::config::Limits;
use crate::http::schemas;
use crate::payloads;
use crate::server::Server;

#[derive(OpenApi)]
#[openapi(
    info(title = "Palimpsest", description = "Everything that happens is one log; everything else is a reading of it."),
    components(schemas(
        payloads::OpenSessionPayload, payloads::SendMessagePayload, payloads::AnswerGatePayload, payloads::RefinePayload,
        payloads::RestartStepPayload, payloads::EditArtifactPayload, payloads::SkipStepPayload, payloads::ResumePayload,
        payloads::CancelPayload, payloads::MoveHeadPayload, payloads::ForkPayload, payloads::DeleteSessionPayload,
    )),
    modifiers(&Key),
    tags(
        (name = "server", description = "the server itself"),
        (name = "pipelines", description = "what can be made"),
        (name = "sessions", description = "conversations and their runs"),
        (name = "artifacts", description = "what was made"),
        (name = "files", description = "what is sent in"),
    )
)]
struct Palimpsest;

/// Declares the key by which an owner is known.
struct Key;

impl Modify for Key {
    fn modify(&self, openapi: &mut utoipa::openapi::OpenApi) {
        let scheme = HttpBuilder::new()
            .scheme(HttpAuthScheme::Bearer)
            .description(Some("not needed where no keys are configured"))
            .build();
        openapi
            .components
            .get_or_insert_default()
            .add_security_scheme("key", SecurityScheme::Http(scheme));
    }
}

/// The whole document, made when somebody asks for it.
#[derive(Clone)]
pub(super) struct Document(Arc<LazyLock<Bytes, Box<dyn FnOnce() -> Bytes + Send>>>);

impl Document {
    pub(super) fn of(server: &Server) -> Self {
        let server = server.clone();
        let written = move || Bytes::from(build(&server).to_string());
        Self(Arc::new(LazyLock::new(Box::new(written))))
    }
}

/// A router without routes. Its document says what holds for all routes.
pub(super) fn router() -> OpenApiRouter<App> {
    OpenApiRouter::with_openapi(Palimpsest::openapi())
}

/// This document
#[utoipa::path(get, path = "/openapi.json", security(()), tag = "server",
    responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json")))]
pub(super) async fn serve(Extension(document): Extension<Document>) -> impl IntoResponse {
    let json = (header::CONTENT_TYPE, "application/json");
    ([json], Bytes::clone(&document.0))
}

pub(crate) fn build(server: &Server) -> Value {
    // The limits do not change the document.
    let limits = Limits::default();
    let described = described(&limits, &BodyMemory::new(&limits), server).into_openapi();
    let mut document = serde_json::to_value(described).expect("the document has only text keys");
    let named = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut);
    schemas::fill(named.expect("there are schemas"), &server.described);
    if let Some(tags) = document.get_mut("tags").and_then(Value::as_array_mut) {
        tags.extend(server.described.tags());
    }
    let paths = document.get_mut("paths").and_then(Value::as_object_mut);
    for (path, methods) in paths.into_iter().flatten() {
        let operations = methods.as_object_mut().into_iter().flatten();
        for (_, operation) in operations {
            name_path(path, operation);
            ask_for_key(operation);
        }
    }
    document
}

/// Declares what a path names and the operation does not describe: the text of an id.
fn name_path(path: &str, operation: &mut Value) {
    let parts = path.split('/');
    let names = parts.filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let known = operation["parameters"].take();
    let known = known.as_array().cloned().unwrap_or_default();
    let is_new = |name: &&str| !known.iter().any(|it| it["name"] == **name);
    let mut all: Vec<Value> = names
        .filter(is_new)
        .map(|name| {
            let words = format!("the {name}");
            let text = json!({ "type": "string" });
            json!({ "name": name, "in": "path", "description": words, "required": true, "schema": text })
        })
        .collect();
    all.extend(known);
    match operation.as_object_mut() {
        Some(fields) if all.is_empty() => fields.remove("parameters"),
        Some(fields) => fields.insert("parameters".to_owned(), all.into()),
        None => None,
    };
}

/// Says of an operation, unless it is one for everybody, that it needs a key and is refused without one. The refusal has the form of the
/// operation's other refusals.
fn ask_for_key(operation: &mut Value) {
    let Some(fields) = operation.as_object_mut() else {
        return;
    };
    if fields.get("security") == Some(&json!([{}])) {
        fields.remove("security");
        return;
    }
    let key = json!([{ "key": [] }]);
    fields.entry("security").or_insert(key);
    let Some(answers) = operation["responses"].as_object_mut() else {
        return;
    };
    let refused = answers.iter().filter(|(status, _)| status.starts_with('4'));
    let mut forms = refused.filter_map(|(_, answer)| answer.get("content"));
    let form = forms.next().cloned().unwrap_or_else(
        || json!({ "application/json": { "schema": { "$ref": "#/components/schemas/ErrorAnswer" } } }),
    );
    answers
        .entry("401")
        .or_insert(json!({ "description": "no key, or an unknown one", "content": form }));
}
