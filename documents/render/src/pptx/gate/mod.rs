//! Whether a file is one that PowerPoint opens without repairing it, as far as that can be told from the file.
//!
//! The rules are those that files of other writers were seen to break. Everything is read from the archive as it is, with
//! nothing known of how it was made.

pub(super) mod archive;
mod charts;
mod lists;
mod notes;
mod pages;
pub(super) mod parts;
mod relations;
#[cfg(test)]
mod tests;
mod text;
pub(super) mod tree;

use std::collections::BTreeSet;
use std::fmt;

use parts::Parts;

/// What a file did not keep to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Rule {
    /// The archive can be read, and is not larger than a deck is.
    Archive,
    /// Names of entries stay inside of the folder they are unpacked to.
    UnsafeName,
    /// No two parts have the same name; upper and lower case do not count.
    DuplicatePart,
    /// XML is well-formed, without a document type.
    WellFormed,
    /// No control characters in text.
    ControlCharacter,
    /// Every part that others need is there, and every part is needed.
    MissingPart,
    /// Every part has a content type that fits, and every entry for a part has its part.
    ContentType,
    /// Relations lead to parts that are there and of the right kind; every one that is named is there.
    Relation,
    /// A picture is one part, however often it is shown, and is what its name says.
    Media,
    /// Shapes have ids, and no two of a page have the same.
    ShapeId,
    /// Slides, layouts and masters are listed, with ids in their range and different.
    Listing,
    /// A placeholder is of a kind that there is, and its layout has it too.
    Placeholder,
    /// Notes have their slide and their master, and the presentation lists the master.
    Notes,
    /// Every preset shape that is named is one that the format has.
    Preset,
    /// Colours are of the theme, or six digits.
    Color,
    /// Sizes and places are whole numbers, and no size is negative.
    Geometry,
    /// Texts wrap in their box, are not fitted, and every run names its language and both of its fonts.
    Text,
    /// Rows of a table have as many cells as the table has columns.
    Table,
    /// Axes are there and cross each other, series have as many numbers as they say, and the workbook is there.
    Chart,
}

/// A place where a file breaks a rule.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Defect {
    pub rule: Rule,
    /// Name of the part; empty for the archive itself.
    pub part: String,
    pub says: String,
}

impl fmt::Display for Defect {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if self.part.is_empty() {
            write!(f, "{}", self.says)
        } else {
            write!(f, "{}: {}", self.part, self.says)
        }
    }
}

/// Defects found so far.
#[derive(Debug, Default)]
pub(super) struct DefectList(pub(super) Vec<Defect>);

impl DefectList {
    fn add(&mut self, rule: Rule, part: &str, says: impl Into<String>) {
        self.0.push(Defect {
            rule,
            part: part.to_owned(),
            says: says.into(),
        });
    }
}

/// Everything that is wrong with a file; nothing when it can be given out.
#[must_use]
pub fn check(bytes: &[u8]) -> Vec<Defect> {
    let mut found = looked_at(bytes, text::check);
    found.0.sort();
    found.0.dedup();
    found.0
}

/// What is wrong with the parts of a file, each rule by itself; `texts` looks at its texts.
fn looked_at(bytes: &[u8], texts: fn(&Parts, &mut DefectList)) -> DefectList {
    let mut found = DefectList::default();
    let Some(entries) = archive::entries(bytes, &mut found) else {
        return found;
    };
    let parts = Parts::new(entries, &mut found);
    relations::check(&parts, &mut found);
    lists::check(&parts, &mut found);
    notes::check(&parts, &mut found);
    pages::check(&parts, &mut found);
    texts(&parts, &mut found);
    charts::check(&parts, &mut found);
    found
}

/// Everything that is wrong with a file whose masters, layouts and themes are a template's. Those parts are as the template has
/// them: only what would keep a program from opening the file is looked for in them. Texts in placeholders of slides may leave
/// to the template what it says of texts.
#[must_use]
pub fn check_in(bytes: &[u8], of_template: &BTreeSet<&str>) -> Vec<Defect> {
    let mut found = looked_at(bytes, text::check_beside_placeholders);
    found.0.retain(|defect| match defect.rule {
        Rule::Archive
        | Rule::UnsafeName
        | Rule::DuplicatePart
        | Rule::WellFormed
        | Rule::ControlCharacter
        | Rule::MissingPart
        | Rule::ContentType
        | Rule::Relation
        | Rule::Listing
        | Rule::Notes => true,
        Rule::Media
        | Rule::ShapeId
        | Rule::Placeholder
        | Rule::Preset
        | Rule::Color
        | Rule::Geometry
        | Rule::Text
        | Rule::Table
        | Rule::Chart => !of_template.contains(defect.part.as_str()),
    });
    found.0.sort();
    found.0.dedup();
    found.0
}

/// The defects in one sentence; of many, only the first ones.
pub(super) fn listed(defects: &[Defect]) -> String {
    /// More would not be read.
    const SHOWN: usize = 5;
    let mut says: Vec<String> = defects.iter().take(SHOWN).map(Defect::to_string).collect();
    if defects.len() > SHOWN {
        says.push(format!("and {} more", defects.len() - SHOWN));
    }
    says.join("; ")
}
