//! What the front matter of each kind of file may contain. A test compares these tables with the types of the bible.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use palimpsest::prelude::resource::project::What;
use strum::{EnumString, IntoStaticStr};
use words::{entries, rows};

/// The kinds of entries, in the order in which a folder lists them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash, EnumString, IntoStaticStr)]
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
#[derive(Clone, Debug)]
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
#[derive(Clone, Debug)]
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
    Choice(Vec<&'static str>),
    /// One of these words in any case, or a text of the author's own.
    Word(Vec<&'static str>),
    Reference(EntryKind),
    References(EntryKind),
    /// A map. A single value counts as the value of the first field.
    Record(&'static str),
    /// A list of maps. A map with other keys has the first two fields of each as key and value.
    Records(&'static str),
    Anything,
}

static RECORDS: LazyLock<BTreeMap<&str, Vec<Field>>> = LazyLock::new(|| {
    let mut records: BTreeMap<&str, Vec<Field>> = BTreeMap::new();
    for [record, key, json, shape, of, required] in rows(include_str!("fields.tsv")) {
        records.entry(record).or_default().push(Field {
            key,
            json,
            shape: Shape::named(shape, of),
            is_required: !required.is_empty(),
        });
    }
    records
});

/// The fields of a kind of entry or of a record within one, of `story`, or of any entry (`common`).
pub(super) fn fields(record: &str) -> &'static [Field] {
    RECORDS.get(record).map_or(&[], Vec::as_slice)
}

impl Shape {
    fn named(shape: &str, of: &'static str) -> Self {
        let kind = || of.parse().expect("a kind of entry");
        match shape {
            "text" => Self::Text,
            "texts" => Self::Texts,
            "lines" => Self::Lines,
            "whole" => Self::Whole(of.parse().expect("a number")),
            "amount" => Self::Amount,
            "flag" => Self::Flag,
            "looks" => Self::Looks,
            "choice" => Self::Choice(entries(of)),
            "word" => Self::Word(entries(of)),
            "reference" => Self::Reference(kind()),
            "references" => Self::References(kind()),
            "record" => Self::Record(of),
            "records" => Self::Records(of),
            "anything" => Self::Anything,
            other => panic!("no value has the shape `{other}`"),
        }
    }
}

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
        fields(self.tag())
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
