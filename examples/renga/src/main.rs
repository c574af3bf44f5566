//! A second pipeline outside the crates of Palimpsest: a renga, a chain of verses, each with a season word. The program uses every door of
//! the library; `docs/pipelines.md` explains them.

mod almanac;
mod nearest;
mod pipeline;
mod settings;
mod sheet;
#[cfg(test)]
mod tests;
mod verb;
mod verse;
mod wire;
mod words;

use std::process::ExitCode;

use palimpsest::prelude::*;

/// Adds everything that belongs to a renga to a program.
fn add(builder: Builder) -> Builder {
    builder
        .pipeline(&pipeline::Renga)
        .prompt("renga/verse", include_str!("../prompts/verse.md"))
        .author("renga/verse", Author::Structure(verse::offline))
        .kind(words::SEASON_WORDS)
        .resource::<words::SeasonWords>()
        .kind(almanac::SEASON_VECTORS)
        .pipeline(&almanac::Almanac)
        .curator(words::SEASON_WORDS.name, almanac::CURATOR)
        .settings::<settings::RengaSettings>()
        .tools(nearest::tools)
        .form(sheet::SVG)
        .verb(&verb::Words)
        .protocol(&wire::RengaProtocol)
        .tag("renga", "chains of verses, and their season words")
        .schema::<sheet::RengaSheet>()
        .console(palimpsest::console_folder!("renga", ["words"]))
}

fn server() -> Result<Server, BuildError> {
    Server::builder().name("renga").add(add).build()
}

fn main() -> ExitCode {
    palimpsest::main(server())
}
