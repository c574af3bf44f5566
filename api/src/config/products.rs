//! Settings of a product: a type of its crate says each setting once, with its flag, its variable and its default.

use std::any::Any;
use std::collections::BTreeMap;
use std::fmt::Display;
use std::sync::Arc;

use clap::{ArgMatches, Args, Command, FromArgMatches as _};
use confique::{Config as Layered, Layer as _};
use runner::ports::Secret;
use serde::Serialize;
use serde_json::Value;

use super::flags::Environment;
use super::wires::Draft;
use super::{Config, ConfigError};

/// The settings of a product, which stand in the file as `[products.<name>]`. The type derives `confique::Config`, and its layer
/// `clap::Args`, so that a field has its flag and its variable beside it. Flags win over variables, variables over the file, and the file
/// over the defaults. A variable without a flag is a text, such as a [`Secret`].
pub trait ProductSettings: Layered<Layer: Args + Clone> + Serialize + Any + Send + Sync {
    /// The name of the table in the file.
    const NAME: &'static str;

    /// The secrets among the settings, which are taken out of whatever is printed.
    fn secrets(&self) -> Vec<&Secret> {
        vec![]
    }

    /// Checks what the types of the settings cannot say. It may put what they say about pipelines and models into the draft.
    ///
    /// # Errors
    ///
    /// Which setting is not right, and why, in words.
    fn check(&self, _draft: &mut Draft<'_>) -> Result<(), String> {
        Ok(())
    }
}

/// The settings of one product in this process.
#[derive(Clone, Debug, Serialize)]
#[serde(transparent)]
pub struct ProductConfig {
    /// What `serve --check` prints.
    shown: Value,
    #[serde(skip)]
    pub(super) secrets: Vec<Secret>,
    #[serde(skip)]
    own: Arc<dyn Any + Send + Sync>,
}

/// How the settings of one product are declared and read.
#[derive(Clone, Copy)]
pub(crate) struct ProductTable {
    pub(crate) name: &'static str,
    /// Adds the flags of the product.
    pub(crate) flags: fn(Command) -> Command,
    read: fn(Option<&ArgMatches>, &Environment, toml::Table, &mut Draft<'_>) -> ReadProduct,
}

type ReadProduct = Result<ProductConfig, ConfigError>;

impl ProductTable {
    pub(crate) fn of<T: ProductSettings>() -> Self {
        Self {
            name: T::NAME,
            flags: |command| T::Layer::augment_args(command),
            read: read_product::<T>,
        }
    }
}

/// The products of a program that have settings, with the flags that the command line was given.
#[derive(Clone, Default)]
pub struct ProductTables {
    tables: Vec<ProductTable>,
    flags: Option<ArgMatches>,
}

impl ProductTables {
    pub(crate) fn new(tables: &[ProductTable], flags: Option<ArgMatches>) -> Self {
        let tables = tables.to_vec();
        Self { tables, flags }
    }

    /// Reads the settings of all products. `files` are the tables of the file, by product.
    pub(super) fn read(
        &self,
        environment: &Environment,
        mut files: BTreeMap<String, toml::Table>,
        draft: &mut Draft<'_>,
    ) -> Result<BTreeMap<&'static str, ProductConfig>, ConfigError> {
        let mut products = BTreeMap::new();
        for table in &self.tables {
            let file = files.remove(table.name).unwrap_or_default();
            let read = (table.read)(self.flags.as_ref(), environment, file, draft)?;
            products.insert(table.name, read);
        }
        match files.keys().next() {
            None => Ok(products),
            Some(unknown) => {
                let known: Vec<_> = products.keys().copied().collect();
                let cause = if known.is_empty() {
                    "no product of this program has settings".to_owned()
                } else {
                    format!("there are settings of {} alone", known.join(", "))
                };
                Err(ConfigError::bad(format!("products.{unknown}"), cause))
            }
        }
    }
}

fn read_product<T: ProductSettings>(
    flags: Option<&ArgMatches>,
    environment: &Environment,
    file: toml::Table,
    draft: &mut Draft<'_>,
) -> ReadProduct {
    let bad = |cause: &dyn Display| ConfigError::bad(format!("products.{}", T::NAME), cause);
    let flags = flags.map_or_else(|| Ok(T::Layer::empty()), T::Layer::from_arg_matches);
    let flags = flags.map_err(|error| bad(&error))?;
    let variables: T::Layer = environment
        .layer(&T::META)
        .map_err(|error| bad(&error.message()))?;
    let file: T::Layer = file
        .try_into()
        .map_err(|error: toml::de::Error| bad(&error.message()))?;
    let layers = flags.with_fallback(variables).with_fallback(file);
    let own = T::from_layer(layers.with_fallback(T::Layer::default_values()));
    let own = own.map_err(|error| bad(&error))?;
    own.check(draft).map_err(|cause| bad(&cause))?;
    Ok(ProductConfig {
        shown: serde_json::to_value(&own).map_err(|error| bad(&error))?,
        secrets: own.secrets().into_iter().cloned().collect(),
        own: Arc::new(own),
    })
}

impl Config {
    /// The settings of a product; `None` if the program does not have it.
    pub fn of_product<T: ProductSettings>(&self) -> Option<&T> {
        self.products.get(T::NAME)?.own.downcast_ref()
    }
}
