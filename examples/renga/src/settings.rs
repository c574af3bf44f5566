//! What can be configured: the table `[products.renga]` of the configuration file, with its flags and variables.

use palimpsest::prelude::tool::{Draft, ProductSettings};

/// Verses of the longest form of renga.
const VERSES_MAX: usize = 100;

#[derive(confique::Config, Debug, serde::Serialize)]
#[config(layer_attr(derive(clap::Args, Clone)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
pub(crate) struct RengaSettings {
    /// How many verses a renga has [default: 6]
    #[config(default = 6)]
    #[config(layer_attr(arg(
        long = "renga-verses",
        env = "PALIMPSEST_RENGA_VERSES",
        global = true,
        value_name = "VERSES"
    )))]
    pub(crate) verses: usize,
}

impl ProductSettings for RengaSettings {
    const NAME: &'static str = "renga";

    fn check(&self, _: &mut Draft<'_>) -> Result<(), String> {
        match self.verses {
            1..=VERSES_MAX => Ok(()),
            other => Err(format!(
                "`verses` is {other}; a renga has 1 to {VERSES_MAX}"
            )),
        }
    }
}
