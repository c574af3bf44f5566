//! What is wrong with a file, where, and what to do.

use std::ops::Range;

use serde::Serialize;

macro_rules! codes {
    ($($(#[$about:meta])* $variant:ident = $word:literal),* $(,)?) => {
        /// What is wrong, as a word that programs can rely on.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Code { $($(#[$about])* $variant),* }

        impl Code {
            /// Every code.
            pub const ALL: &'static [Self] = &[$(Self::$variant),*];

            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }
    };
}

codes! {
    /// Nothing in the file is a slide.
    NoSlides = "no_slides",
    /// A slide has no `# Name`.
    MissingName = "missing_name",
    /// `@type` has a word that is no type.
    UnknownType = "unknown_type",
    /// The front matter has no end.
    UnclosedFrontMatter = "unclosed_front_matter",
    /// A block of code has no end.
    UnclosedFence = "unclosed_fence",
    /// A comment has no end.
    UnclosedComment = "unclosed_comment",
    /// A slide begins without `---` before it.
    MissingSeparator = "missing_separator",
    /// A field that the form has is empty.
    MissingField = "missing_field",
    /// More fields than the form has.
    ExtraField = "extra_field",
    /// A type without what it shows.
    MissingContent = "missing_content",
    /// A second `##` or `###`.
    SecondHeading = "second_heading",
    /// A point that begins with another sign than `-`.
    OtherMark = "other_mark",
    /// A key that counts once is there again.
    RepeatedKey = "repeated_key",
    /// A key that the format does not know.
    UnknownKey = "unknown_key",
    /// A word of a closed list that is not in it.
    UnknownValue = "unknown_value",
    /// A closed value or a key in another spelling.
    ValueCase = "value_case",
    /// A key without a value.
    EmptyValue = "empty_value",
    /// The file is of a later version of the language.
    NewerVersion = "newer_version",
    /// A full-width colon after a key.
    FullWidthColon = "full_width_colon",
    /// A full-width bar, which divides nothing.
    FullWidthBar = "full_width_bar",
    /// A form of Markdown or HTML that means nothing here.
    MarkdownForm = "markdown_form",
    /// A colour with `#` before it, or of three digits.
    ColorForm = "color_form",
    /// A line of the front matter that is no key with a value.
    FrontMatterLine = "front_matter_line",
    /// A heading or directive that is indented, and so is text.
    IndentedForm = "indented_form",
}

impl Code {
    /// Whether a deck with this fault goes back to the model that wrote it, and is refused where a person asks for strict reading.
    #[must_use]
    pub fn is_invalid(self) -> bool {
        match self {
            Self::NoSlides
            | Self::MissingName
            | Self::UnknownType
            | Self::UnclosedFrontMatter
            | Self::UnclosedFence
            | Self::MissingSeparator
            | Self::MissingField
            | Self::MissingContent => true,
            Self::UnclosedComment
            | Self::ExtraField
            | Self::SecondHeading
            | Self::OtherMark
            | Self::RepeatedKey
            | Self::UnknownKey
            | Self::UnknownValue
            | Self::ValueCase
            | Self::EmptyValue
            | Self::NewerVersion
            | Self::FullWidthColon
            | Self::FullWidthBar
            | Self::MarkdownForm
            | Self::ColorForm
            | Self::FrontMatterLine
            | Self::IndentedForm => false,
        }
    }

    /// How much it matters.
    #[must_use]
    pub fn severity(self, mode: Mode) -> Severity {
        let refused = self.is_invalid() || self == Self::NewerVersion;
        match mode {
            Mode::Strict if refused => Severity::Error,
            Mode::Strict | Mode::Lenient => Severity::Warning,
        }
    }
}

impl Serialize for Code {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.as_str())
    }
}

/// How a file is read.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Mode {
    /// Everything wrong is a warning.
    #[default]
    Lenient,
    /// What is invalid is an error.
    Strict,
}

/// How much something matters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Severity {
    Warning,
    Error,
}

/// One thing wrong with a file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Diagnostic {
    pub code: Code,
    /// What is wrong and what to do, as sentences for whoever wrote the file.
    pub message: String,
    /// Bytes of the file.
    pub span: Range<usize>,
    /// The slide, counted from 0, if it is about one.
    pub slide: Option<usize>,
}

/// A place in a file as people count: lines and characters from 1.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct Position {
    pub line: usize,
    pub column: usize,
}

/// Finds the places of bytes in a text.
#[derive(Debug)]
pub struct Positions<'a> {
    text: &'a str,
    starts: Vec<usize>,
}

impl<'a> Positions<'a> {
    #[must_use]
    pub fn new(text: &'a str) -> Self {
        let starts = crate::lines::split(text).map(|line| line.start).collect();
        Self { text, starts }
    }

    /// The place of a byte, which may be the end of the text.
    #[must_use]
    pub fn at(&self, byte: usize) -> Position {
        let line = self.starts.partition_point(|start| *start <= byte).max(1);
        let start = self.starts.get(line - 1).copied().unwrap_or(0);
        let before = self.text.get(start..byte).unwrap_or_default();
        Position {
            line,
            column: before.chars().filter(|c| *c != '\u{feff}').count() + 1,
        }
    }
}
