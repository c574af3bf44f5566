//! A deck in a PowerPoint template that others made: the template's masters, layouts and themes, with our slides on them.

mod colors;
mod direct;
mod error;
mod held;
mod pages;
mod read;
mod scaling;
mod style;
#[cfg(test)]
mod tests;
mod write;
mod xml;

pub use error::{TEMPLATE_BYTES_MAX, TEMPLATE_LAYOUTS_MAX, TEMPLATE_UNPACKED_MAX, TemplateError};
pub use pages::TemplatePage;
pub use read::Template;
pub use write::write;

pub(super) use held::Stand;
