//! What can be configured: the table `[products.renga]` of the configuration file, with its flags and variables.

use palimpsest::prelude::tool::{Draft, ProductSettings};

/// Verses of the longest form of renga.
const VERSES_MAX: usize = 100;

#[derive(confique::Config, Debug)]
#[config(layer_attr(derive(clap::Args, Clone)))]
pub(crate) struct RengaSettings {
    /// How many verses a renga has
    #[config(env = "PALIMPSEST_RENGA_VERSES", default = 6)]
    #[config(layer_attr(arg(long = "renga-verses", value_name = "VERSES")))]
    pub(crate) verses: usize,
}

impl ProductSettings for RengaSettings {
    const NAME: &'static str = "renga";

    fn shown(&self) -> Vec<(&'static str, String)> {
        vec![("verses", self.verses.to_string())]
    }

    fn check(&self, _: &mut Draft<'_>) -> Result<(), String> {
        match self.verses {
            1..=VERSES_MAX => Ok(()),
            other => Err(format!(
                "`verses` is {other}; a renga has 1 to {VERSES_MAX}"
            )),
        }
    }
}
