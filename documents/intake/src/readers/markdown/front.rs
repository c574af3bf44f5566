//! The fields before a text, between two lines of hyphens.

use serde::Deserialize;

/// Bytes of front matter; anything longer is text.
const LONGEST: usize = 64 * 1024;

pub(super) struct Front {
    pub(super) title: Option<String>,
    pub(super) author: Option<String>,
    pub(super) date: Option<String>,
    /// The names of the other fields.
    pub(super) others: Vec<String>,
    /// Where the text begins.
    pub(super) end: usize,
}

#[derive(Deserialize, Default)]
struct Fields {
    title: Option<Field>,
    author: Option<Field>,
    date: Option<Field>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Field {
    One(String),
    Several(Vec<String>),
    Other(serde::de::IgnoredAny),
}

impl Field {
    fn words(self) -> Option<String> {
        let words = match self {
            Self::One(words) => words,
            Self::Several(all) => all.join(", "),
            Self::Other(_) => return None,
        };
        Some(words).filter(|words| !words.trim().is_empty())
    }
}

/// `None` if the text begins with something else, such as a rule.
pub(super) fn read(text: &str) -> Option<Front> {
    let inner = text.strip_prefix("---\n")?;
    let start = text.len() - inner.len();
    if inner.starts_with('\n') {
        return None;
    }
    let most = inner.floor_char_boundary(LONGEST.min(inner.len()));
    let mut end = 0;
    let mut names = Vec::new();
    for line in inner[..most].split_inclusive('\n') {
        let bare = line.trim_end();
        if bare == "---" || bare == "..." {
            return (!names.is_empty())
                .then(|| front(&inner[..end], names, start + end + line.len()));
        }
        let is_nested = bare.is_empty() || bare.starts_with([' ', '\t', '#', '-', ']', '}']);
        if !is_nested {
            let (name, value) = bare.split_once(':')?;
            let is_name = name
                .chars()
                .all(|char| char.is_alphanumeric() || "_-. ".contains(char));
            if !is_name || !(value.is_empty() || value.starts_with([' ', '\t'])) {
                return None;
            }
            names.push(name.to_owned());
        }
        end += line.len();
    }
    None
}

fn front(yaml: &str, names: Vec<String>, end: usize) -> Front {
    let fields = serde_saphyr::from_str::<Fields>(yaml).unwrap_or_default();
    let read = [
        ("title", fields.title),
        ("author", fields.author),
        ("date", fields.date),
    ];
    let read = read.map(|(name, field)| (name, field.and_then(Field::words)));
    let is_read = |name: &String| read.iter().any(|(it, words)| it == name && words.is_some());
    let others = names.into_iter().filter(|name| !is_read(name)).collect();
    let [title, author, date] = read.map(|(_, words)| words);
    Front {
        title,
        author,
        date,
        others,
        end,
    }
}
