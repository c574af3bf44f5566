//! Settings of a product of a test: where they come from, and what is refused.

use clap::Command;
use confique::Config as Layered;
use runner::ports::Secret;
use serde::Serialize;

use super::settings::Layer;
use super::*;

/// What somebody who writes verses may set.
#[derive(Debug, Serialize, Layered)]
#[config(layer_attr(derive(clap::Args, Clone, Debug, Default)))]
#[config(layer_attr(serde(deny_unknown_fields)))]
struct Verses {
    /// Verses of a poem [default: 6]
    #[config(default = 6)]
    #[config(layer_attr(arg(long, env = "VERSES_COUNT", global = true)))]
    count: u32,
    /// The key of the almanac.
    #[config(env = "VERSES_KEY", layer_attr(arg(skip)))]
    key: Option<Secret>,
}

impl ProductSettings for Verses {
    const NAME: &'static str = "verses";

    fn secrets(&self) -> Vec<&Secret> {
        self.key.iter().collect()
    }

    fn check(&self, draft: &mut Draft<'_>) -> Result<(), String> {
        if self.count == 0 {
            return Err("`count` is 0, and a poem has at least one verse".to_owned());
        }
        let pipeline = draft.pipelines.entry("poem".to_owned()).or_default();
        pipeline.width = Some(self.count.min(2));
        Ok(())
    }
}

/// The configuration of a program with these settings: flags, variables and file.
fn read(flags: &[&str], pairs: &[(&str, &str)], file: &str) -> Result<Config, String> {
    let table = ProductTable::of::<Verses>();
    let command = (table.flags)(Command::new("program"));
    let given = command.try_get_matches_from(["program"].iter().chain(flags));
    let tables = ProductTables::new(&[table], Some(given.expect("its flags")));
    let pairs = pairs
        .iter()
        .map(|(name, value)| ((*name).to_owned(), (*value).to_owned()));
    let environment = Environment::from_pairs(pairs);
    let file: Layer = toml::from_str(file).expect("a file");
    let config = Config::assemble(&Flags::default(), &environment, &[], &tables, file);
    config.map_err(|error| error.to_string())
}

#[test]
fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
    let count = |flags: &[&str], file: &str| {
        let config = read(flags, &[], file).expect("right");
        config.of_product::<Verses>().expect("it was added").count
    };
    let file = "[products.verses]\ncount = 2";
    assert_eq!(count(&[], ""), 6);
    assert_eq!(count(&[], file), 2);
    assert_eq!(count(&["--count", "3"], file), 3);
    let config = read(&[], &[], file).expect("right");
    assert_eq!(config.pipelines["poem"].width, Some(2));
}

#[test]
fn a_secret_comes_from_a_variable_and_is_never_shown() {
    let config = read(&[], &[("VERSES_KEY", "topsecret")], "").expect("right");
    let verses = config.of_product::<Verses>().expect("it was added");
    assert_eq!(verses.key.as_ref().map(Secret::reveal), Some("topsecret"));
    let shown = config.shown();
    assert!(
        shown.contains("products.verses.count = 6\nproducts.verses.key = given\n"),
        "{shown}"
    );
    assert!(!format!("{config:?}").contains("topsecret"));
    assert_eq!(config.secrets(), ["topsecret"]);
}

#[test]
fn what_is_not_right_is_refused_as_other_settings_are() {
    for (file, said) in [
        (
            "[products.verses]\ncount = 0",
            "`products.verses` is not right: `count` is 0, and a poem has at least one verse",
        ),
        (
            "[products.verses]\ncuont = 2",
            "`products.verses` is not right: unknown field `cuont`",
        ),
        (
            "[products.verses]\ncount = 'two'",
            "`products.verses` is not right: invalid type",
        ),
        (
            "[products.prose]\ncount = 2",
            "`products.prose` is not right: there are settings of verses alone",
        ),
    ] {
        let refused = read(&[], &[], file).map(drop);
        let refused = refused.expect_err("it is not right");
        assert!(refused.starts_with(said), "{refused}");
    }
}
