//! The offline author of every pipeline: it writes where no model is configured. It selects whole blocks and whole sentences of
//! what it is given and places them as they stand, under their own headings, and signs what it makes. No pipeline names it; each product
//! has a function that gives the authors of its prompts, and registers them with its other parts. A prompt without an author is never
//! asked offline.

pub mod source;
pub mod story;
pub mod trial;
pub mod wishes;
pub mod words;
