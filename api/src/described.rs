//! What a program adds to the document of its interface beside its operations: the descriptions of tags, and types of other crates.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::marker::PhantomData;

use schemars::{JsonSchema, SchemaGenerator};
use serde_json::{Value, json};
use utoipa::openapi::{RefOr, Schema};
use utoipa::{PartialSchema, ToSchema};

/// What products add to the document.
#[derive(Clone, Default)]
pub(crate) struct DescribedParts {
    /// Names and descriptions.
    pub(crate) tags: Vec<(&'static str, &'static str)>,
    /// The tags that come before the others.
    pub(crate) first_tags: Vec<&'static str>,
    pub(crate) schemas: Vec<DescribedType>,
}

/// A type that is added to the document.
#[derive(Clone)]
pub(crate) struct DescribedType {
    name: Cow<'static, str>,
    id: Cow<'static, str>,
    pub(crate) generate: fn(&mut SchemaGenerator),
}

/// Something of the document is described twice.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DescribedTwice {
    #[error("the tag `{name}` is described twice; leave one of them out")]
    Tag { name: &'static str },
    #[error("the document has two types named `{name}`; give one of them another name")]
    Schema { name: String },
}

impl DescribedType {
    pub(crate) fn of<T: JsonSchema>() -> Self {
        Self {
            name: T::schema_name(),
            id: T::schema_id(),
            generate: |generator| {
                generator.subschema_for::<T>();
            },
        }
    }
}

impl DescribedParts {
    /// Refuses a tag that is described twice, and two types of one name.
    pub(crate) fn check(&self) -> Result<(), DescribedTwice> {
        let mut tags = vec![];
        for (name, _) in &self.tags {
            if tags.contains(name) {
                return Err(DescribedTwice::Tag { name });
            }
            tags.push(name);
        }
        let mut types = BTreeMap::new();
        for schema in &self.schemas {
            let known = types.insert(schema.name.as_ref(), schema.id.as_ref());
            if known.is_some_and(|known| known != schema.id) {
                let name = schema.name.to_string();
                return Err(DescribedTwice::Schema { name });
            }
        }
        Ok(())
    }

    /// The tags as the document has them.
    pub(crate) fn tags(&self) -> impl Iterator<Item = Value> {
        let place = |name: &str| self.first_tags.iter().position(|first| *first == name);
        let mut tags = self.tags.clone();
        tags.sort_by_key(|(name, _)| place(name).unwrap_or(self.first_tags.len()));
        let tag = |(name, description)| json!({ "name": name, "description": description });
        tags.into_iter().map(tag)
    }
}

/// Stands in the description of an operation for a type whose schema `schemars` derives: `type PoemDoc = Described<Poem>;`, and the operation
/// says `body = PoemDoc`. [`Builder::schema`](crate::Builder::schema) adds the schema itself.
#[derive(Clone, Copy, Debug)]
pub struct Described<T>(PhantomData<T>);

impl<T: JsonSchema> PartialSchema for Described<T> {
    fn schema() -> RefOr<Schema> {
        utoipa::openapi::Object::new().into()
    }
}

impl<T: JsonSchema> ToSchema for Described<T> {
    fn name() -> Cow<'static, str> {
        T::schema_name()
    }
}
