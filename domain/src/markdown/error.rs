//! Why a template is not taken.

/// What is wrong with a template, and what its author can do about it.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum TemplateError {
    #[error(
        "the template has {bytes} bytes, and at most {max} are taken: split it into several templates"
    )]
    TooLarge { bytes: usize, max: usize },
    #[error("the template has no text: give it at least a heading or a paragraph")]
    Empty,
    #[error(
        "the template has {count} headings, and at most {max} are taken: merge sections or split the template"
    )]
    TooManyHeadings { count: usize, max: usize },
    #[error(
        "the template has {count} sections to write, and at most {max} are taken: merge sections or split the template"
    )]
    TooManyLeaves { count: usize, max: usize },
    #[error(
        "the quotations and lists of the template are nested {levels} levels deep, and at most {max} are taken: make it flatter"
    )]
    TooDeep { levels: usize, max: usize },
    #[error(
        "the tables of the template have more than {max} cells, the empty ones in short rows counted: leave out columns or rows"
    )]
    TooManyCells { max: usize },
    #[error(
        "the heading in line {line} has {chars} characters, and at most {max} are taken: shorten it, or put a blank line \
         between the paragraph and the line of dashes below it"
    )]
    HeadingTooLong { line: u32, chars: usize, max: usize },
    #[error("the front matter has {bytes} bytes, and at most {max} are taken: keep only its title")]
    FrontMatterTooLarge { bytes: usize, max: usize },
    #[error("the front matter is not readable YAML ({reason}): mend it or take it out")]
    FrontMatter { reason: String },
    #[error(
        "the HTML has {bytes} bytes, and at most {max} are taken: split it or give it as Markdown"
    )]
    HtmlTooLarge { bytes: usize, max: usize },
    #[error(
        "the elements of the HTML are nested deeper than {max}: make it flatter or give it as Markdown"
    )]
    HtmlTooDeep { max: usize },
    #[error("the HTML cannot be read: {reason}")]
    Html { reason: String },
}
