//! The interface described for programs: OpenAPI, from the handlers and their types.

use std::borrow::Cow;
use std::sync::LazyLock;

use axum::Json;
use projections::history::{CallRow, LedgerRow};
use projections::ledger::CostRow;
use projections::view::{ArtifactView, SessionView};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use utoipa::openapi::security::{HttpAuthScheme, HttpBuilder, SecurityScheme};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{Modify, OpenApi, PartialSchema, ToSchema};

use super::{
    artifacts, commands, databases, events, files, health, notes, operations, pipelines, records,
    sessions, templates,
};
use crate::payloads;
use crate::wire::post;

#[derive(OpenApi)]
#[openapi(
    info(title = "Palimpsest", description = "Everything that happens is one log; everything else is a reading of it."),
    paths(
        health::alive, health::ready, health::metrics, serve,
        pipelines::list,
        commands::open, sessions::list, sessions::show, commands::delete, commands::ask,
        events::events, records::show, records::blob, sessions::artifacts, sessions::history, sessions::branches,
        operations::show, operations::verify,
        artifacts::show, artifacts::content, artifacts::asset,
        files::upload,
        health::service, templates::list, templates::put, templates::show, templates::put_file, templates::remove,
        notes::import, notes::list, notes::show, notes::remove,
        databases::list, databases::put, databases::show, databases::remove,
        post::stream::start, post::stream::resume, post::confirm::confirm, post::cancel::cancel,
        post::tasks::start, post::tasks::list::list, post::tasks::show, post::tasks::events, post::tasks::respond,
        post::tasks::delete, post::tasks::delete_many,
    ),
    components(schemas(
        payloads::OpenSessionPayload, payloads::SendMessagePayload, payloads::AnswerGatePayload, payloads::RefinePayload,
        payloads::RestartStepPayload, payloads::SkipStepPayload, payloads::ResumePayload,
        payloads::CancelPayload, payloads::MoveHeadPayload, payloads::ForkPayload, payloads::DeleteSessionPayload,
    )),
    modifiers(&Key),
    tags(
        (name = "server", description = "the server itself"),
        (name = "pipelines", description = "what can be made"),
        (name = "sessions", description = "conversations and their runs"),
        (name = "artifacts", description = "what was made"),
        (name = "files", description = "what is sent in"),
        (name = "notes", description = "what posts are written from"),
        (name = "templates", description = "what reports are made from"),
        (name = "posts", description = "social posts: streams and tasks"),
    )
)]
struct Api;

/// The key by which an owner is known.
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

macro_rules! described_elsewhere {
    ($($(#[$doc:meta])* $name:ident = $title:literal;)*) => {
        $(
            $(#[$doc])*
            #[derive(Clone, Copy, Debug)]
            pub(super) struct $name;

            impl PartialSchema for $name {
                fn schema() -> RefOr<Schema> {
                    utoipa::openapi::Object::new().into()
                }
            }

            impl ToSchema for $name {
                fn name() -> Cow<'static, str> {
                    Cow::Borrowed($title)
                }
            }
        )*
    };
}

described_elsewhere! {
    /// Stands for a view whose schema comes from its own crate.
    SessionViewDoc = "SessionView";
    /// Stands for a view whose schema comes from its own crate.
    ArtifactViewDoc = "ArtifactView";
    /// Stands for a row of the audit.
    CallRowDoc = "CallRow";
    /// Stands for a row of the costs.
    LedgerRowDoc = "LedgerRow";
    /// Stands for what a pipeline spent on a model.
    CostRowDoc = "CostRow";
    /// Stands for a frame of a wire.
    EventDoc = "Event";
    /// Stands for the descriptions of pipelines.
    PipelinesDoc = "Pipelines";
}

static DOCUMENT: LazyLock<Value> = LazyLock::new(build);

/// The whole document.
pub fn document() -> &'static Value {
    &DOCUMENT
}

/// This document
#[utoipa::path(get, path = "/openapi.json", tag = "server",
    responses((status = 200, description = "OpenAPI 3.1", content_type = "application/json")))]
pub(super) async fn serve() -> Json<&'static Value> {
    Json(document())
}

fn build() -> Value {
    let mut document =
        serde_json::to_value(Api::openapi()).expect("the document has only text keys");
    let schemas = document
        .pointer_mut("/components/schemas")
        .and_then(Value::as_object_mut);
    let schemas = schemas.expect("there are schemas");
    for (name, schema) in views() {
        schemas.insert(name, schema);
    }
    let text = || json!({ "type": "string" });
    add(schemas, "SessionView", "session", text());
    add(schemas, "ArtifactView", "url", text());
    schemas.insert("Event".to_owned(), event());
    schemas.insert("Pipelines".to_owned(), pipelines_answer());
    document
}

/// The views, whose schemas their own crate derives, and what they refer to.
fn views() -> Map<String, Value> {
    let settings = SchemaSettings::draft2020_12().with(|settings| {
        settings.definitions_path = "/components/schemas".into();
        settings.meta_schema = None;
    });
    let mut generator = settings.for_serialize().into_generator();
    generator.subschema_for::<SessionView>();
    generator.subschema_for::<ArtifactView>();
    generator.subschema_for::<CallRow>();
    generator.subschema_for::<LedgerRow>();
    generator.subschema_for::<CostRow>();
    generator.take_definitions(true)
}

/// What this server adds to a view.
fn add(schemas: &mut Map<String, Value>, name: &str, field: &str, schema: Value) {
    let properties = schemas
        .get_mut(name)
        .and_then(|schema| schema.get_mut("properties"))
        .and_then(Value::as_object_mut);
    if let Some(properties) = properties {
        properties.insert(field.to_owned(), schema);
    }
}

fn event() -> Value {
    json!({
        "type": "object",
        "description": "A frame; `data` depends on `type` and on the wire.",
        "properties": {
            "cursor": { "type": "string" },
            "version": { "type": "integer", "minimum": 1 },
            "type": { "type": "string" },
            "ts": { "type": "string", "format": "date-time" },
            "data": { "type": "object" }
        },
        "required": ["cursor", "version", "type", "ts", "data"]
    })
}

fn pipelines_answer() -> Value {
    let text = || json!({ "type": "string" });
    let stage = json!({
        "type": "object",
        "properties": { "name": text(), "title": text(), "artifacts": { "type": "array", "items": text() } },
        "required": ["name", "title", "artifacts"]
    });
    let kind = json!({
        "type": "object",
        "properties": { "kind": text(), "schema": { "type": "object", "description": "a JSON Schema" } },
        "required": ["kind", "schema"]
    });
    let pipeline = json!({
        "type": "object",
        "properties": {
            "name": text(), "title": text(), "description": text(),
            "input_schema": { "type": "object", "description": "a JSON Schema" },
            "takes_files": text(),
            "stages": { "type": "array", "items": stage },
            "artifacts": { "type": "array", "items": kind },
            "delivers": text()
        },
        "required": ["name", "title", "description", "input_schema", "takes_files", "stages", "artifacts", "delivers"]
    });
    json!({ "type": "object", "properties": { "pipelines": { "type": "array", "items": pipeline } }, "required": ["pipelines"] })
}
