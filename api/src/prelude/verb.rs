//! The layer of verbs, which are commands of the command line, and of forms in which contents are made when they are asked for.

pub use async_trait::async_trait;

pub use crate::forms::{ContentForm, FormSource, MakeForm};
pub use crate::read::Content;
pub use crate::verb::{
    Client, CommandHost, Exit, FailedWhen, Failure, OutFolder, Verb, VerbContext, clap, in_address,
    list_remarks, name_folder, out, read_text_files,
};
pub use domain::event::ArtifactProduced;
