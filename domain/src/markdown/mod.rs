//! Templates and sections in Markdown: a template is cut into leaves, what was written for the leaves is made fit for its
//! place, and the whole is put together again under exactly the template's headings.
//!
//! The template's text is never rewritten. A tree keeps byte ranges of this text, so that assembling is concatenation, and what is not
//! replaced is the template's own text byte for byte.

mod assemble;
mod clean;
mod error;
mod from_html;
mod front;
mod links;
mod preview;
mod scan;
#[cfg(test)]
mod tests;
mod tree;

pub use clean::{SECTION_BYTES_MAX, clean_section};
pub use error::TemplateError;
pub use from_html::{HTML_BYTES_MAX, HTML_DEPTH_MAX, from_html, is_html};
pub use front::FRONT_MATTER_BYTES_MAX;
pub use front::{budget, fences, looks_like_map};
pub use preview::{CUT_MARK, Preview, PreviewOptions};
pub use scan::headings;
pub use tree::{
    HEADING_CHARS_MAX, HEADINGS_MAX, LEAVES_MAX, Leaf, NESTING_MAX, Node, TABLE_CELLS_MAX,
    TEMPLATE_BYTES_MAX, Tree,
};

pub use assemble::{assemble, assemble_titled};
