//! What the products of the program are registered with in one piece: prompts, and tools that need a configuration.

use runner::prompts;

use crate::server::Builder;
use crate::start::built_in_tools;

/// Adds these to a program.
pub fn add(builder: Builder) -> Builder {
    let builder = builder.tools(built_in_tools);
    prompts::embedded().fold(builder, |builder, (id, text)| builder.prompt(&id, text))
}
