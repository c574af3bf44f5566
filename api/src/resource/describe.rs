//! How the document of the interface describes the operations that all kinds share.

use utoipa::openapi::path::{OperationBuilder, ParameterBuilder, ParameterIn};
use utoipa::openapi::schema::{ArrayBuilder, Schema, Type};
use utoipa::openapi::{
    ContentBuilder, Header, HeaderBuilder, ObjectBuilder, Ref, RefOr, Required, Response,
    ResponseBuilder,
};
use utoipa::{IntoParams, ToSchema};

use super::Resource;
use crate::error::ErrorAnswer;

/// A reference to a schema, and the schemas behind it by name.
pub struct AnswerSchema {
    reference: RefOr<Schema>,
    pub(super) schemas: Vec<(String, RefOr<Schema>)>,
}

impl AnswerSchema {
    /// A single value.
    pub fn one<T: ToSchema>() -> Self {
        let mut schemas = vec![(T::name().into_owned(), T::schema())];
        T::schemas(&mut schemas);
        Self {
            reference: Ref::from_schema_name(T::name()).into(),
            schemas,
        }
    }

    /// A list of values.
    pub fn many<T: ToSchema>() -> Self {
        let Self { reference, schemas } = Self::one::<T>();
        Self {
            reference: ArrayBuilder::new().items(reference).into(),
            schemas,
        }
    }
}

pub(super) fn list<R: Resource>(answer: &AnswerSchema) -> OperationBuilder {
    let link = header("where the next page is");
    call::<R>(format!("list_{}", R::KIND.name), R::LIST)
        .parameters(Some(R::Query::into_params(|| Some(ParameterIn::Query))))
        .parameter(known())
        .response(
            "200",
            tagged("all of them, or a page", answer).header("link", link),
        )
        .response("304", Response::new("as it is there already"))
        .response("400", refusal("the query is not right"))
}

pub(super) fn show<R: Resource>(answer: &AnswerSchema) -> OperationBuilder {
    call::<R>(format!("show_{}", R::NAME), R::SHOW)
        .parameter(id::<R>())
        .parameter(known())
        .response("200", tagged(&format!("the {}", R::WORDS), answer))
        .response("304", Response::new("as it is there already"))
        .response("404", refusal(&format!("no such {}", R::WORDS)))
}

pub(super) fn remove<R: Resource>() -> OperationBuilder {
    call::<R>(
        format!("remove_{}", R::NAME),
        &format!("Remove a {}", R::WORDS),
    )
    .parameter(id::<R>())
    .parameter(key())
    .response("204", Response::new("it is gone"))
    .response("404", refusal(&format!("no such {}", R::WORDS)))
}

fn call<R: Resource>(name: String, summary: &str) -> OperationBuilder {
    OperationBuilder::new()
        .operation_id(Some(name))
        .tag(R::TAG)
        .summary(Some(summary))
}

fn id<R: Resource>() -> ParameterBuilder {
    parameter(R::NAME, ParameterIn::Path)
        .required(Required::True)
        .description(Some("the id"))
}

fn known() -> ParameterBuilder {
    parameter("If-None-Match", ParameterIn::Header)
        .description(Some("the `ETag` of what is there already"))
}

/// The header under which a change can be sent again.
pub fn key() -> ParameterBuilder {
    let key = parameter("Idempotency-Key", ParameterIn::Header);
    key.description(Some("the caller's name for this call"))
}

fn parameter(name: &str, place: ParameterIn) -> ParameterBuilder {
    ParameterBuilder::new()
        .name(name)
        .parameter_in(place)
        .required(Required::False)
        .schema(Some(text()))
}

fn text() -> Schema {
    ObjectBuilder::new().schema_type(Type::String).into()
}

/// An answer with an `ETag`.
fn tagged(words: &str, answer: &AnswerSchema) -> ResponseBuilder {
    json(words, answer.reference.clone()).header("etag", header("the hash of the answer"))
}

/// An answer that is a refusal, in the form that refusals have everywhere.
pub fn refusal(words: &str) -> ResponseBuilder {
    json(words, Ref::from_schema_name(ErrorAnswer::name()).into())
}

fn json(words: &str, schema: RefOr<Schema>) -> ResponseBuilder {
    let content = ContentBuilder::new().schema(Some(schema)).build();
    ResponseBuilder::new()
        .description(words)
        .content("application/json", content)
}

fn header(words: &str) -> Header {
    HeaderBuilder::new()
        .schema(Some(text()))
        .description(Some(words))
        .build()
}
