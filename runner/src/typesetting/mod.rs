//! Typesetting: where it is done, and the typesetter of this program.

mod fonts;
mod paginated;
mod press;
mod sheets;
mod template;

pub use fonts::FontTypesetter;
pub(crate) use press::Press;
