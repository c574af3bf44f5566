//! Why a file is not a template that a deck can be written into.

use thiserror::Error;

/// Bytes of a file: templates with photographs in every layout have some tens of megabytes.
pub const TEMPLATE_BYTES_MAX: usize = 64 << 20;
/// What a template unpacks to; more is a bomb, since its pictures are compressed already.
pub const TEMPLATE_UNPACKED_MAX: u64 = 256 << 20;
/// Layouts of all masters together. A template of LibreOffice with eleven masters has 132.
pub const TEMPLATE_LAYOUTS_MAX: usize = 200;

/// Why a file is not a template that a deck can be written into.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum TemplateError {
    #[error("the template has {0} bytes, at most {TEMPLATE_BYTES_MAX} are read")]
    TooLarge(usize),
    #[error(
        "the template is not a .pptx or .potx file: it is no zip archive that can be read ({0})"
    )]
    Archive(String),
    #[error("the template unpacks to more than {TEMPLATE_UNPACKED_MAX} bytes: it is not opened")]
    Bomb,
    #[error("the template is not a presentation: {0}")]
    NotAPresentation(String),
    #[error(
        "the template has macros ({0}): save it without them, as a .potx or .pptx file, and name that one"
    )]
    Macros(String),
    #[error(
        "the template leads out of the file: {part} names {target}; embed what is linked, or remove it"
    )]
    External { part: String, target: String },
    #[error("the template has {0}, which programs run: remove it")]
    Active(String),
    #[error("the template has {0} layouts, at most {TEMPLATE_LAYOUTS_MAX} are read")]
    TooManyLayouts(usize),
    #[error("the template has no slide master with a layout: a deck has nothing to stand on")]
    NoLayouts,
    #[error("the template is damaged: {part} {says}")]
    Damaged { part: String, says: String },
    #[error(
        "the template is saved as Strict Open XML: save it as an ordinary PowerPoint template (.potx)"
    )]
    Strict,
    #[error("the pages of the template are not between 1 and 56 inches large")]
    PageSize,
}
