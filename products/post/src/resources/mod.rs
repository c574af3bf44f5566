//! What owners keep for posts, over HTTP.

pub(crate) mod notes;
