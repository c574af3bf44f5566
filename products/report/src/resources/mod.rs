//! What owners keep for reports: templates and knowledge bases.

mod databases;
mod kinds;
mod templates;

pub(crate) use databases::Databases;
pub(crate) use kinds::{DATABASE_FILES_MAX, DATABASES, TEMPLATES};
pub(crate) use templates::Templates;
