//! What the front matter of each kind of file may contain. A test compares these tables with the types of the bible.

use crate::project::What;

/// The kinds of entries, in the order in which a folder lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, IntoStaticStr)]
#[cfg_attr(test, derive(strum::VariantArray))]
#[strum(serialize_all = "snake_case")]
pub(super) enum EntryKind {
    Volume,
    Chapter,
    Character,
    Relationship,
    World,
    Item,
    Place,
    PlotLoop,
    Archetype,
    StyleSample,
}

/// A key of the front matter.
#[derive(Clone, Copy, Debug)]
pub(super) struct Field {
    /// As it is written in files.
    pub(super) key: &'static str,
    /// Its name in the bible, which is read as well.
    pub(super) json: &'static str,
    pub(super) shape: Shape,
    /// Whether the record that contains the field is useless without it.
    pub(super) is_required: bool,
}

/// What a value may be.
#[derive(Clone, Copy, Debug)]
pub(super) enum Shape {
    Text,
    /// A list of texts; a single text is cut at its commas.
    Texts,
    /// A list of texts; a single text is cut at its line ends.
    Lines,
    /// Whole numbers up to this one.
    Whole(u64),
    /// A number that is not negative.
    Amount,
    Flag,
    /// Texts by the feature that they describe.
    Looks,
    /// One of these words, in any case.
    Choice(&'static [&'static str]),
    /// One of these words in any case, or a text of the author's own.
    Word(&'static [&'static str]),
    Reference(EntryKind),
    References(EntryKind),
    /// A map. A single value counts as the value of the first field.
    Record(&'static [Field]),
    /// A list of maps. A map with other keys has the first two fields of each as key and value.
    Records(&'static [Field]),
    Anything,
}

const fn field(key: &'static str, shape: Shape) -> Field {
    Field {
        key,
        json: key,
        shape,
        is_required: false,
    }
}

const fn required(key: &'static str, shape: Shape) -> Field {
    Field {
        is_required: true,
        ..field(key, shape)
    }
}

/// A field that has a different name in files than in the bible.
const fn called(key: &'static str, json: &'static str, shape: Shape) -> Field {
    Field {
        json,
        ..field(key, shape)
    }
}

use EntryKind as Kind;
use Shape::{
    Amount, Anything, Choice, Flag, Lines, Looks, Record, Records, Reference, References, Text,
    Texts, Whole, Word,
};
use strum::IntoStaticStr;

const YEARS_MAX: u64 = u32::MAX as u64;
const STRENGTH_MAX: u64 = 10;

/// What any entry may have.
pub(super) const COMMON: &[Field] = &[
    field("id", Text),
    field("standing", Choice(&["fact", "proposed"])),
    field("pinned", Flag),
];

/// What `story.md` may have.
pub(super) const STORY: &[Field] = &[
    field("title", Text),
    field("author", Text),
    field("language", Text),
    field(
        "phase",
        Word(&[
            "IDEA",
            "WORLDBUILDING",
            "CHARACTER",
            "OUTLINE",
            "WRITING",
            "REVISION",
            "COMPLETED",
        ]),
    ),
    field("calendar", Record(CALENDAR)),
    field("cover_url", Text),
    field("archived", Flag),
    field("metadata", Anything),
    field("world_settings", Anything),
    field("description", Text),
];

const CALENDAR: &[Field] = &[field("months", Records(MONTH)), field("weekdays", Texts)];
const MONTH: &[Field] = &[required("name", Text), required("days", Whole(YEARS_MAX))];

const VOLUME: &[Field] = &[
    field("title", Text),
    field("order", Whole(YEARS_MAX)),
    field("summary", Text),
];

const CHAPTER: &[Field] = &[
    field("title", Text),
    field("volume", Reference(Kind::Volume)),
    field("order", Whole(YEARS_MAX)),
    field("date", Text),
    field("place", Reference(Kind::Place)),
    called("pov", "point_of_view", Reference(Kind::Character)),
    field("cast", References(Kind::Character)),
    field("status", Word(&["DRAFT", "WRITING", "REVIEW", "COMPLETED"])),
    field("locked", Flag),
    field("summary", Text),
    field("key_events", Lines),
];

const CHARACTER: &[Field] = &[
    field("name", Text),
    field("aliases", Texts),
    field("role", Text),
    field("archetype", Text),
    field("born", Text),
    field("age", Record(AGE)),
    field("appearance", Looks),
    field("personality", Texts),
    field("traits", Texts),
    field("background", Text),
    field("motivation", Text),
    field("status", Text),
    field("absences", Records(ABSENCE)),
    field("death", Record(DEATH)),
    field("twins", References(Kind::Character)),
    field("description", Text),
];
const AGE: &[Field] = &[
    required("years", Whole(YEARS_MAX)),
    field("chapter", Reference(Kind::Chapter)),
];
const ABSENCE: &[Field] = &[
    required("from", Reference(Kind::Chapter)),
    field("until", Reference(Kind::Chapter)),
    field("reason", Text),
];
const DEATH: &[Field] = &[
    required("chapter", Reference(Kind::Chapter)),
    field("sentence", Text),
];

/// A relationship, in the file of a character or in `relationships.md`.
const RELATIONSHIP: &[Field] = &[
    Field {
        json: "target",
        ..required("to", Reference(Kind::Character))
    },
    called("type", "type", Text),
    Field {
        json: "source",
        ..required("from", Reference(Kind::Character))
    },
    field("reverse", Text),
    field("bidirectional", Flag),
    field("strength", Whole(STRENGTH_MAX)),
    field("since", Reference(Kind::Chapter)),
    field("until", Reference(Kind::Chapter)),
    field("description", Text),
];

const WORLD: &[Field] = &[
    field("title", Text),
    field("type", Text),
    field("aliases", Texts),
    field("tags", Texts),
    field("rules", Records(RULE)),
    field("content", Text),
];
const RULE: &[Field] = &[
    field("says", Text),
    field("forbids", Texts),
    field("unless_trait", Texts),
    field("unless_time", Texts),
];

const ITEM: &[Field] = &[
    field("name", Text),
    field("aliases", Texts),
    field("unique", Flag),
    field("owner", Reference(Kind::Character)),
    field("place", Reference(Kind::Place)),
    field("description", Text),
];

const PLACE: &[Field] = &[
    field("name", Text),
    field("aliases", Texts),
    field("within", Reference(Kind::Place)),
    field("travel", Records(TRAVEL)),
    field("description", Text),
];
const TRAVEL: &[Field] = &[
    required("to", Reference(Kind::Place)),
    required("hours", Amount),
];

const PLOT_LOOP: &[Field] = &[
    field("title", Text),
    field("status", Choice(&["OPEN", "RESOLVED", "ABANDONED"])),
    field("intro", Reference(Kind::Chapter)),
    field("due", Reference(Kind::Chapter)),
    field("resolution", Reference(Kind::Chapter)),
    field("abandon_reason", Text),
    field("keywords", Texts),
    field("description", Text),
];

const ARCHETYPE: &[Field] = &[
    field("name", Text),
    field("traits", Texts),
    field("examples", Texts),
    field("function", Text),
];

const STYLE_SAMPLE: &[Field] = &[
    field("chapter", Reference(Kind::Chapter)),
    field("original", Text),
    field("text", Text),
];

impl EntryKind {
    #[cfg(test)]
    pub(super) const ALL: [Self; 10] = *<Self as strum::VariantArray>::VARIANTS
        .first_chunk()
        .expect("all of them");

    pub(super) fn of(what: &What) -> Self {
        match what {
            What::Volume(_) => Self::Volume,
            What::Chapter(_) => Self::Chapter,
            What::Character(_) => Self::Character,
            What::Relationship(_) => Self::Relationship,
            What::World(_) => Self::World,
            What::Item(_) => Self::Item,
            What::Place(_) => Self::Place,
            What::PlotLoop(_) => Self::PlotLoop,
            What::Archetype(_) => Self::Archetype,
            What::StyleSample(_) => Self::StyleSample,
        }
    }

    /// As the bible writes it.
    pub(super) fn tag(self) -> &'static str {
        self.into()
    }

    /// For remarks.
    pub(super) fn words(self) -> &'static str {
        match self {
            Self::World => "world entry",
            Self::PlotLoop => "plot loop",
            Self::StyleSample => "style sample",
            Self::Volume
            | Self::Chapter
            | Self::Character
            | Self::Relationship
            | Self::Item
            | Self::Place
            | Self::Archetype => self.tag(),
        }
    }

    pub(super) fn fields(self) -> &'static [Field] {
        match self {
            Self::Volume => VOLUME,
            Self::Chapter => CHAPTER,
            Self::Character => CHARACTER,
            Self::Relationship => RELATIONSHIP,
            Self::World => WORLD,
            Self::Item => ITEM,
            Self::Place => PLACE,
            Self::PlotLoop => PLOT_LOOP,
            Self::Archetype => ARCHETYPE,
            Self::StyleSample => STYLE_SAMPLE,
        }
    }

    /// The field that people call it by.
    pub(super) fn name_key(self) -> Option<&'static str> {
        match self {
            Self::Volume | Self::Chapter | Self::World | Self::PlotLoop => Some("title"),
            Self::Character | Self::Item | Self::Place | Self::Archetype => Some("name"),
            Self::Relationship | Self::StyleSample => None,
        }
    }

    /// The field that has the most words. This field is written below the front matter, except for a chapter, where the prose is there.
    pub(super) fn words_key(self) -> &'static str {
        match self {
            Self::Volume | Self::Chapter => "summary",
            Self::Character | Self::Relationship | Self::Item | Self::Place | Self::PlotLoop => {
                "description"
            }
            Self::World => "content",
            Self::Archetype => "function",
            Self::StyleSample => "text",
        }
    }
}
