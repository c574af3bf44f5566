//! The words that have a meaning: types of slides, backgrounds, outputs, kinds of charts. Case, hyphens and blanks are
//! forgiven; a word that is not known is kept.

use serde::{Serialize, Serializer};

use crate::text::{Hex, Line};

/// A value out of a closed list of words.
pub trait Word: Copy + PartialEq + Default + 'static {
    /// Every value, in the order of the grammar.
    const ALL: &'static [Self];

    /// As it is written.
    fn as_str(self) -> &'static str;
}

macro_rules! words {
    ($(#[$about:meta])* $name:ident { $($(#[$each:meta])* $variant:ident = $word:literal),* $(,)? } default $default:ident) => {
        $(#[$about])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum $name { $($(#[$each])* $variant),* }

        impl Word for $name {
            const ALL: &'static [Self] = &[$(Self::$variant),*];

            fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word),* }
            }
        }

        impl Default for $name {
            fn default() -> Self { Self::$default }
        }

        impl Serialize for $name {
            fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.serialize_str(self.as_str())
            }
        }
    };
}

words! {
    /// What kind of page a slide is.
    SlideType {
        Title = "title",
        SectionDivider = "section_divider",
        BulletPoints = "bullet_points",
        TwoColumn = "two_column",
        ImageText = "image_text",
        StatCallout = "stat_callout",
        Comparison = "comparison",
        Timeline = "timeline",
        Quote = "quote",
        Closing = "closing",
        Freeform = "freeform",
        ExecSummary = "exec_summary",
        NextSteps = "next_steps",
    } default Freeform
}

words! {
    /// What a page stands on.
    Background { Light = "light", Dark = "dark", Gradient = "gradient", Image = "image" } default Light
}

words! {
    /// The file that is wanted.
    Output { Pptx = "pptx", Ee4p = "ee4p", Pdf = "pdf" } default Pptx
}

words! {
    /// How the numbers of a chart are drawn.
    ChartKind {
        Column = "column",
        Bar = "bar",
        Line = "line",
        Area = "area",
        Pie = "pie",
        Stacked = "stacked",
    } default Column
}

/// A closed value as it was written: one of its words, or a word that is none of them and stands for the default.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Closed<T>(Written<T>);

#[derive(Debug, Clone, PartialEq, Eq, Hash)]
enum Written<T> {
    Known(T),
    Unknown(Line),
}

impl<T: Value> Closed<T> {
    /// One of the values that there are.
    pub fn known(value: T) -> Self {
        Self(Written::Known(value))
    }

    /// Reads what was written, forgiving its spelling.
    #[must_use]
    pub fn read(line: Line) -> Self {
        Self(T::read(line.as_str()).map_or(Written::Unknown(line), Written::Known))
    }

    /// The value; `None` for a word that is not known.
    pub fn value(&self) -> Option<&T> {
        match &self.0 {
            Written::Known(value) => Some(value),
            Written::Unknown(_) => None,
        }
    }

    /// The value, which is the default one for a word that is not known.
    pub fn get(&self) -> T
    where
        T: Default,
    {
        self.value().cloned().unwrap_or_default()
    }

    /// The word that is not known.
    #[must_use]
    pub fn unknown(&self) -> Option<&Line> {
        match &self.0 {
            Written::Known(_) => None,
            Written::Unknown(word) => Some(word),
        }
    }

    /// As the formatter writes it; `None` for the default, which need not be written.
    pub(crate) fn unless_default(&self) -> Option<String>
    where
        T: Default + PartialEq,
    {
        (self.value() != Some(&T::default())).then(|| self.written())
    }

    /// As the formatter writes it.
    pub(crate) fn written(&self) -> String {
        match &self.0 {
            Written::Known(value) => value.write(),
            Written::Unknown(word) => word.to_string(),
        }
    }
}

impl<T: Value + Default> Default for Closed<T> {
    fn default() -> Self {
        Self::known(T::default())
    }
}

/// What can be a closed value.
pub trait Value: Clone {
    /// Reads it, forgiving its spelling.
    fn read(text: &str) -> Option<Self>;

    /// As the formatter writes it.
    fn write(&self) -> String;
}

impl<T: Word> Value for T {
    fn read(text: &str) -> Option<Self> {
        let spelled = spelling(text);
        T::ALL.iter().copied().find(|word| word.as_str() == spelled)
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

/// Lower case in ASCII, with underscores for hyphens and blanks.
pub(crate) fn spelling(text: &str) -> String {
    text.to_ascii_lowercase().replace(['-', ' '], "_")
}

impl Value for Hex {
    fn read(text: &str) -> Option<Self> {
        let digits = text.strip_prefix('#').unwrap_or(text);
        let short = digits.len() == 3 && digits.bytes().all(|byte| byte.is_ascii_hexdigit());
        let six: String = match short {
            true => digits.chars().flat_map(|digit| [digit, digit]).collect(),
            false => digits.to_owned(),
        };
        Self::new(&six)
    }

    fn write(&self) -> String {
        self.as_str().to_owned()
    }
}

/// The version of the language.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(transparent)]
pub struct DslVersion(pub u32);

impl DslVersion {
    /// The version that this parser reads.
    pub const OURS: Self = Self(2);
}

impl Default for DslVersion {
    fn default() -> Self {
        Self(1)
    }
}

impl Value for DslVersion {
    fn read(text: &str) -> Option<Self> {
        let digits = text.bytes().all(|byte| byte.is_ascii_digit());
        digits.then(|| text.parse().ok().map(Self)).flatten()
    }

    fn write(&self) -> String {
        self.0.to_string()
    }
}
