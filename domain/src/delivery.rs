//! How what a run made is delivered as files: the forms of its artifacts with their file names, and the artifacts that check others. A
//! pipeline states this in its description, so that the code that writes the files does not depend on any pipeline.

use serde::Serialize;
use ts_rs::TS;

/// In a file name: the item of the artifact, a number, with two digits.
pub const ITEM: &str = "{item}";

/// In a file name: the file name extension of the content's media type.
pub const ENDING: &str = "{ending}";

/// A form in which artifacts of a kind are written as files.
#[serde_with::skip_serializing_none]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(optional_fields)]
pub struct FormInfo {
    pub kind: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Its file, such as `book.pdf`. `{item}` stands for the number of the artifact's item, where there are several.
    pub file: &'static str,
    /// The form in which the content is asked for (`?as=`); the content is written as it is where this is absent.
    #[serde(rename = "as")]
    pub rendered: Option<&'static str>,
    /// The file is a page in Markdown that is put together from the content.
    pub page: Option<PageInfo>,
}

impl FormInfo {
    /// A form that writes the contents as they are, into a file of this name.
    pub fn new(kind: &'static str, title: &'static str, file: &'static str) -> Self {
        Self {
            kind,
            title,
            file,
            ..Self::default()
        }
    }
}

/// A page in Markdown, put together from a content in JSON: a heading, a text, tags and pictures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PageInfo {
    /// Where the heading is in the content: a JSON pointer, like the other places.
    pub title: &'static str,
    pub text: &'static str,
    /// A list of texts.
    pub tags: &'static str,
    pub pictures: PicturesInfo,
}

/// The pictures of a page, each an artifact of its own that is left as a file of the page.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct PicturesInfo {
    /// The kind of the pictures. Only the page says which of these pictures belong to it.
    pub kind: &'static str,
    /// Where the list of pictures is in the content of the page.
    pub list: &'static str,
    /// The field of an entry that has the artifact's id.
    pub artifact: &'static str,
    /// The field of an entry that has the picture's number.
    pub number: &'static str,
    /// The file of a picture: `{item}` stands for its number, `{ending}` for the file name extension of its media type.
    pub file: &'static str,
}

/// Artifacts of a kind say whether something is wrong with what was made.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, TS)]
#[ts(optional_fields)]
pub struct CheckInfo {
    pub kind: &'static str,
    /// What people call it.
    pub title: &'static str,
    /// Where the content says whether it passed: a JSON pointer, like the other places. There is `true`, `false`, or null where it could
    /// not look at everything. Absent where the check only counts.
    pub passed: Option<&'static str>,
    /// The words that are there instead of `true` and of null, where it says so in words.
    pub words: Option<[&'static str; 2]>,
    /// What it counts, the worst first.
    pub counts: Vec<CountInfo>,
    /// Where the list of findings is. Each has a `message` or a `description`, which people are told where the check did not pass.
    pub findings: Option<&'static str>,
    /// Where the list of texts is that say what was not looked at, and why.
    pub unseen: Option<&'static str>,
}

/// A count of a check.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, TS)]
pub struct CountInfo {
    /// What is counted, as it is said after a number.
    pub title: &'static str,
    /// Where the number is in the content, or a list that is counted.
    pub at: &'static str,
}
