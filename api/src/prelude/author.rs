//! The layer of offline authors: what answers a prompt while no model is configured. An author arranges what it is given, in whole
//! sentences and blocks, and adds no words of its own but those that it names as its own.

/// Names the author of each prompt.
pub use runner::authors;
pub use runner::authors::{Author, Authors, WantedCalls};

/// Pages as a designer plans them.
pub use runner::authors::design;
/// Pages with blanks where there is no source.
pub use runner::authors::outline::{BLANK, Blanks, blank_pages};
/// What a run is given, as units that are used as a whole or not at all.
pub use runner::authors::source;
/// What a message wishes for, as far as rules can tell.
pub use runner::authors::wishes;
/// The few words that authors say of their own accord.
pub use runner::authors::words;
