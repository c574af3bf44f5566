//! Typesetting: where it is done, and the typesetter of this program.

mod deck;
mod fonts;
mod press;
mod template;

pub use fonts::FontTypesetter;
pub(crate) use press::Press;
