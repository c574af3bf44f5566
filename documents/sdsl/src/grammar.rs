//! The format as a table: every directive with its form. The parser and the formatter read it, and so does everything that
//! explains the format to a model or to a person.

use std::sync::LazyLock;

use strum::{EnumString, IntoStaticStr};

use crate::words::spelling;

/// A directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString)]
#[strum(serialize_all = "snake_case")]
pub enum Directive {
    Type,
    Background,
    Layout,
    Image,
    Stat,
    Step,
    Col,
    Compare,
    Chart,
    Action,
    Exhibit,
    Footnote,
    Source,
    Notes,
    #[strum(serialize = "matched_design_id")]
    DesignId,
    #[strum(serialize = "matched_template_layout")]
    TemplateLayout,
}

/// What the table says of a directive.
#[derive(Debug, Clone, Copy)]
pub struct Rule {
    pub directive: Directive,
    /// Without the `@`.
    pub key: &'static str,
    /// How it is written.
    pub form: &'static str,
    /// What it is for, in a sentence.
    pub about: &'static str,
    /// Whether every occurrence of the directive in a slide counts, or only the last one.
    pub repeats: bool,
}

/// Every directive, in the order in which the formatter writes them.
pub static DIRECTIVES: LazyLock<Vec<Rule>> = LazyLock::new(|| {
    let rows = rows(include_str!("directives.tsv"));
    let rules = rows.map(|[key, form, about, repeats]| Rule {
        directive: key.parse().expect("a test reads each directive"),
        key,
        form,
        about,
        repeats: repeats == "true",
    });
    rules.collect()
});

/// The rows of a table with tabs between its cells, without its head.
fn rows<const N: usize>(table: &'static str) -> impl Iterator<Item = [&'static str; N]> {
    let rows = table.lines().filter(|row| !row.starts_with('#'));
    rows.map(|row| {
        let cells: Vec<&str> = row.split('\t').collect();
        cells.try_into().expect("a test reads each row")
    })
}

/// The known word of `@layout`.
pub const ICON_ROWS: &str = "icon_rows";

/// The rule of a directive's word, in whatever case.
pub(crate) fn directive(word: &str) -> Option<&'static Rule> {
    let word = spelling(word);
    DIRECTIVES.iter().find(|rule| rule.key == word)
}

/// A key of the front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, EnumString, IntoStaticStr)]
#[strum(serialize_all = "snake_case")]
pub enum MetaField {
    Title,
    Author,
    Company,
    Template,
    Output,
    Date,
    Confidentiality,
    Footer,
    PageNumber,
    DslVersion,
    Primary,
    Secondary,
    Accent,
    HeaderFont,
    BodyFont,
    Logo,
}

/// Every key of the front matter with what it is for, in the order in which the formatter writes them.
pub static META_KEYS: LazyLock<Vec<(MetaField, &str, &str)>> = LazyLock::new(|| {
    let rows = rows(include_str!("meta_keys.tsv"));
    rows.map(|[key, about]| (key.parse().expect("a test reads each key"), key, about))
        .collect()
});

impl MetaField {
    /// Whether it stands under `brand:`.
    pub(crate) fn is_brand(self) -> bool {
        match self {
            Self::Primary
            | Self::Secondary
            | Self::Accent
            | Self::HeaderFont
            | Self::BodyFont
            | Self::Logo => true,
            Self::Title
            | Self::Author
            | Self::Company
            | Self::Template
            | Self::Output
            | Self::Date
            | Self::Confidentiality
            | Self::Footer
            | Self::PageNumber
            | Self::DslVersion => false,
        }
    }

    pub(crate) fn key(self) -> &'static str {
        self.into()
    }
}

/// Keys under which the format's own keys may be nested.
const CONTAINERS: [&str; 2] = ["presentation", "brand"];

pub(crate) fn is_container(key: &str) -> bool {
    CONTAINERS.contains(&key)
}

/// Whether a nested key stands under `presentation:`, which is never part of a key's path.
pub(crate) fn begins_with_presentation(path: &str) -> bool {
    path.split('.')
        .next()
        .is_some_and(|first| spelling(first) == CONTAINERS[0])
}

/// The key that a path such as `brand.primary` names, in whatever case; the nesting of the format's keys does not matter.
pub(crate) fn meta_key(path: &str) -> Option<MetaField> {
    let spelled = spelling(path);
    let mut key = spelled.as_str();
    for container in CONTAINERS {
        key = key
            .strip_prefix(container)
            .and_then(|rest| rest.strip_prefix('.'))
            .unwrap_or(key);
    }
    key.parse().ok()
}

/// The format in words, for models and people who write it: what the parser reads and nothing else.
#[must_use]
pub fn reference() -> String {
    use crate::words::{SlideType, Word as _};
    let mut text = String::from(
        "A deck is a front matter between two lines `---`, then slides divided by a line `---`.\n\
         The front matter has a key with its value a line:\n",
    );
    for (_, key, about) in META_KEYS.iter() {
        text.push_str(&format!("  {key}: {about}\n"));
    }
    text.push_str(
        "A slide begins with a line `# Name`, which is not shown; its heading is `## ...`, a line under that `### ...`.\n\
         A point is a line `- text`, two blanks deeper for each level; with an icon it is `- @icon: name | text`.\n\
         Other lines are text. Fields are divided by `|`; write `\\|` for a bar in a text. `**bold**` is bold.\n\
         Directives begin in the first column:\n",
    );
    for rule in DIRECTIVES.iter() {
        text.push_str(&format!("  {}: {}\n", rule.form, rule.about));
    }
    text.push_str("Types of slides, with what each needs:\n");
    for kind in SlideType::ALL {
        text.push_str(&format!("  {}: {}\n", kind.as_str(), needs(*kind)));
    }
    text
}

/// What a slide of this type has.
fn needs(kind: crate::words::SlideType) -> &'static str {
    use crate::words::SlideType as T;
    match kind {
        T::Title => "heading and subheading",
        T::SectionDivider => "heading; the start of a part",
        T::BulletPoints => "3 to 6 points, with icons under `@layout: icon_rows`",
        T::TwoColumn => "two `@col:` blocks",
        T::ImageText => "`@image` and points or text",
        T::StatCallout => "2 to 4 `@stat` lines",
        T::Comparison => "`@compare:` with `header:` and `row:` lines",
        T::Timeline => "3 to 6 `@step` lines",
        T::Quote => "the quotation as heading, who said it as subheading",
        T::Closing => "heading and subheading",
        T::Freeform => "anything, such as a `@chart`",
        T::ExecSummary => "3 to 5 points, each with a lead in bold",
        T::NextSteps => "`@action` lines",
    }
}
