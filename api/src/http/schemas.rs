//! The schemas of what other crates define: views, frames and descriptions.

use std::borrow::Cow;

use projections::history::{CallRow, LedgerRow};
use projections::ledger::CostRow;
use projections::view::{ArtifactView, SessionView};
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

use crate::described::DescribedParts;

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

/// Replaces the placeholders by the schemas that they stand for, and adds the types of products.
pub(crate) fn fill(schemas: &mut Map<String, Value>, more: &DescribedParts) {
    for (name, schema) in views(more) {
        schemas.insert(name, schema);
    }
    let text = || json!({ "type": "string" });
    add(schemas, "SessionView", "session", text());
    add(schemas, "ArtifactView", "url", text());
    schemas.insert("Event".to_owned(), event());
    schemas.insert("Pipelines".to_owned(), pipelines_answer());
}

/// The views, whose schemas their own crate derives, and what they refer to.
fn views(more: &DescribedParts) -> Map<String, Value> {
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
    for described in &more.schemas {
        (described.generate)(&mut generator);
    }
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
    let role = json!({
        "type": "object", "properties": { "role": text(), "folder": text() }, "required": ["role", "folder"]
    });
    let form = json!({
        "type": "object",
        "properties": { "kind": text(), "title": text(), "file": text(), "as": text(), "page": { "type": "object" } },
        "required": ["kind", "title", "file"]
    });
    let check = json!({
        "type": "object",
        "properties": {
            "kind": text(), "title": text(), "passed": text(), "findings": text(),
            "counts": { "type": "array", "items": { "type": "object", "properties": { "title": text(), "at": text() } } }
        },
        "required": ["kind", "title", "counts"]
    });
    let pipeline = json!({
        "type": "object",
        "properties": {
            "name": text(), "title": text(), "description": text(),
            "input_schema": { "type": "object", "description": "a JSON Schema" },
            "takes_files": text(),
            "sources_under": text(),
            "file_roles": { "type": "array", "items": role },
            "stages": { "type": "array", "items": stage },
            "artifacts": { "type": "array", "items": kind },
            "delivers": text(),
            "forms": { "type": "array", "items": form },
            "checks": { "type": "array", "items": check }
        },
        "required": ["name", "title", "description", "input_schema", "takes_files", "sources_under", "file_roles",
            "stages", "artifacts", "delivers", "forms", "checks"]
    });
    json!({ "type": "object", "properties": { "pipelines": { "type": "array", "items": pipeline } }, "required": ["pipelines"] })
}
