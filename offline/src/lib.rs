//! The offline author of every pipeline: it writes where no model is configured. It selects whole blocks and whole sentences of
//! what it is given and places them as they stand, under their own headings, and signs what it makes. No pipeline names it; each product
//! has a function that gives the authors of its prompts, and registers them with its other parts. A prompt without an author is never
//! asked offline.

/// The authors of prompts, each of which answers if it has what it needs.
macro_rules! authors {
    ($($kind:ident$given:tt { $($prompt:literal $author:path;)* })*) => {
        runner::authors::Authors::default()
            $($(.with($prompt, authors!($kind$given $author)))*)*
    };
    (Structure(work) $author:path) => {
        runner::authors::Author::Structure(|work| $author(work).unwrap_or_default())
    };
    (Calls(turns) $author:path) => {
        runner::authors::Author::Calls(|work, turns| $author(work, turns).unwrap_or_default())
    };
}

pub mod course;
pub mod deck;
pub mod post;
pub mod source;
pub mod story;
pub mod trial;
pub mod wishes;
pub mod words;
