//! The format as a table: every directive with its form. The parser and the formatter read it, and so does everything that
//! explains the format to a model or to a person.

use crate::words::spelling;

/// A directive.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
    DesignId,
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

const fn rule(
    directive: Directive,
    key: &'static str,
    form: &'static str,
    about: &'static str,
    repeats: bool,
) -> Rule {
    Rule {
        directive,
        key,
        form,
        about,
        repeats,
    }
}

/// Every directive, in the order in which the formatter writes them.
pub const DIRECTIVES: [Rule; 16] = [
    rule(
        Directive::Type,
        "type",
        "@type: stat_callout",
        "What kind of page the slide is.",
        false,
    ),
    rule(
        Directive::Background,
        "background",
        "@background: light | dark | gradient | image",
        "What the page stands on; light if it is left out.",
        false,
    ),
    rule(
        Directive::Layout,
        "layout",
        "@layout: icon_rows",
        "How points are placed: `icon_rows` draws each with its icon.",
        false,
    ),
    rule(
        Directive::Image,
        "image",
        "@image: pictures/plant.png",
        "A picture: a path inside of the deck's folder, or an https address.",
        false,
    ),
    rule(
        Directive::DesignId,
        "matched_design_id",
        "@matched_design_id: id",
        "The slide of the design index that this one was made after.",
        false,
    ),
    rule(
        Directive::TemplateLayout,
        "matched_template_layout",
        "@matched_template_layout: Title and Content",
        "The layout of the template that the slide stands on.",
        false,
    ),
    rule(
        Directive::Stat,
        "stat",
        "@stat: value | label | description",
        "A key figure; the description may be left out.",
        true,
    ),
    rule(
        Directive::Step,
        "step",
        "@step: time | title | description",
        "A station of a timeline; the description may be left out.",
        true,
    ),
    rule(
        Directive::Compare,
        "compare",
        "@compare:",
        "A table; `header: a | b` and `row: a | b` follow, a line each.",
        false,
    ),
    rule(
        Directive::Chart,
        "chart",
        "@chart: column | Title | data.csv",
        "A chart of the kind column, bar, line, area, pie or stacked; without a file, `header:` and `row:` lines follow as under @compare.",
        false,
    ),
    rule(
        Directive::Col,
        "col",
        "@col:",
        "A column; an indented `## title`, text and points follow. It ends at the next directive.",
        true,
    ),
    rule(
        Directive::Action,
        "action",
        "@action: action | owner | timeline",
        "Something to do; the timeline may be left out.",
        true,
    ),
    rule(
        Directive::Exhibit,
        "exhibit",
        "@exhibit: Exhibit 1",
        "The number and name of what the page shows.",
        false,
    ),
    rule(
        Directive::Footnote,
        "footnote",
        "@footnote: text",
        "A note at the foot of the page.",
        true,
    ),
    rule(
        Directive::Source,
        "source",
        "@source: text",
        "Where the page's facts come from.",
        false,
    ),
    rule(
        Directive::Notes,
        "notes",
        "@notes: text",
        "What is said to the page; it goes on to the next directive or slide.",
        false,
    ),
];

/// The known word of `@layout`.
pub const ICON_ROWS: &str = "icon_rows";

/// The rule of a directive's word, in whatever case.
pub(crate) fn directive(word: &str) -> Option<&'static Rule> {
    let word = spelling(word);
    DIRECTIVES.iter().find(|rule| rule.key == word)
}

/// A key of the front matter.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
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
pub const META_KEYS: [(MetaField, &str, &str); 16] = [
    (MetaField::Title, "title", "The deck's title."),
    (MetaField::Author, "author", "Who made it."),
    (
        MetaField::Company,
        "company",
        "For whom, or by which company.",
    ),
    (
        MetaField::Template,
        "template",
        "Path of a PowerPoint template that `deck render` writes the deck into.",
    ),
    (MetaField::Output, "output", "pptx or pdf."),
    (
        MetaField::Date,
        "date",
        "The date that the title page shows.",
    ),
    (
        MetaField::Confidentiality,
        "confidentiality",
        "Shown on every page.",
    ),
    (
        MetaField::Footer,
        "footer",
        "Words at the foot of each page instead of title and company; `none` for no words.",
    ),
    (
        MetaField::PageNumber,
        "page_number",
        "`none` where pages show no number.",
    ),
    (
        MetaField::DslVersion,
        "dsl_version",
        "The version of the language, 1 or 2.",
    ),
    (
        MetaField::Primary,
        "primary",
        "Under `brand:`, a colour of six hexadecimal digits.",
    ),
    (
        MetaField::Secondary,
        "secondary",
        "Under `brand:`, a colour.",
    ),
    (MetaField::Accent, "accent", "Under `brand:`, a colour."),
    (
        MetaField::HeaderFont,
        "header_font",
        "Under `brand:`, the font of headings.",
    ),
    (
        MetaField::BodyFont,
        "body_font",
        "Under `brand:`, the font of everything else.",
    ),
    (
        MetaField::Logo,
        "logo",
        "Under `brand:`, path or address of a picture.",
    ),
];

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
        META_KEYS
            .iter()
            .find(|(field, _, _)| *field == self)
            .map_or("", |(_, key, _)| key)
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
    META_KEYS
        .iter()
        .find(|(_, word, _)| *word == key)
        .map(|(field, _, _)| *field)
}

/// The format in words, for models and people who write it: what the parser reads and nothing else.
#[must_use]
pub fn reference() -> String {
    use crate::words::{SlideType, Word as _};
    let mut text = String::from(
        "A deck is a front matter between two lines `---`, then slides divided by a line `---`.\n\
         The front matter has a key with its value a line:\n",
    );
    for (_, key, about) in META_KEYS {
        text.push_str(&format!("  {key}: {about}\n"));
    }
    text.push_str(
        "A slide begins with a line `# Name`, which is not shown; its heading is `## ...`, a line under that `### ...`.\n\
         A point is a line `- text`, two blanks deeper for each level; with an icon it is `- @icon: name | text`.\n\
         Other lines are text. Fields are divided by `|`; write `\\|` for a bar in a text. `**bold**` is bold.\n\
         Directives begin in the first column:\n",
    );
    for rule in DIRECTIVES {
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
