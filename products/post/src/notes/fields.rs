//! The fields of a note as they are in files of other programs: under several names, in English and Chinese, and with numbers as people
//! write them.

use std::sync::LazyLock;

use chrono::{DateTime, NaiveDate, NaiveDateTime, Utc};
use words::{WordTable, folded};

use super::{
    AUTHOR_CHARS_MAX, BODY_CHARS_MAX, NOTES, Note, Published, TAG_CHARS_MAX, TAGS_MAX,
    TITLE_CHARS_MAX, URL_BYTES_MAX,
};

/// A field of a note.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Field {
    Id,
    Title,
    Body,
    Tags,
    Likes,
    Collects,
    Comments,
    Author,
    PublishedAt,
    Url,
    ThemeId,
}

/// The names of each field in files. The first is our own name.
static NAMES: LazyLock<WordTable> = LazyLock::new(|| WordTable::read(include_str!("fields.tsv")));

/// The fields with their classes in the table.
const FIELDS: [(Field, &str); 11] = [
    (Field::Id, "id"),
    (Field::Title, "title"),
    (Field::Body, "body"),
    (Field::Tags, "tags"),
    (Field::Likes, "likes"),
    (Field::Collects, "collects"),
    (Field::Comments, "comments"),
    (Field::Author, "author"),
    (Field::PublishedAt, "published_at"),
    (Field::Url, "url"),
    (Field::ThemeId, "theme_id"),
];

/// The field of this name; `None` for one that notes do not have.
pub(super) fn field(name: &str) -> Option<Field> {
    let plain: String = name
        .chars()
        .filter(|c| !c.is_whitespace() && !matches!(c, '_' | '-'))
        .collect();
    let plain = folded(&plain);
    let is_named = |class| NAMES.list(class).contains(&plain.as_str());
    let known = FIELDS.iter().find(|(_, class)| is_named(class));
    known.map(|(field, _)| *field)
}

/// The value of a field.
pub(super) enum Given {
    Text(String),
    Number(u64),
    List(Vec<String>),
}

impl Given {
    fn text(self) -> Result<String, String> {
        match self {
            Self::Text(text) => Ok(text),
            Self::Number(number) => Ok(number.to_string()),
            Self::List(_) => Err("is a list, not a text".to_owned()),
        }
    }
}

/// A note that is being put together.
#[derive(Default)]
pub(super) struct Draft {
    note: Note,
}

impl Draft {
    /// Adds a field to the draft. The error says what is wrong with it.
    pub(super) fn take(&mut self, field: Field, given: Given) -> Result<(), String> {
        let note = &mut self.note;
        let wrong = |what: String| format!("{} {what}", name_of(field));
        match field {
            Field::Id => note.id = given.text().map_err(wrong)?.trim().to_owned(),
            Field::Title => note.title = one_line(&given.text().map_err(wrong)?),
            Field::Body => note.body = given.text().map_err(wrong)?.trim().to_owned(),
            Field::Tags => note.tags = tags(given).map_err(wrong)?,
            Field::Likes => note.likes = count(given).map_err(wrong)?,
            Field::Collects => note.collects = count(given).map_err(wrong)?,
            Field::Comments => note.comments = count(given).map_err(wrong)?,
            Field::Author => note.author = filled(one_line(&given.text().map_err(wrong)?)),
            Field::PublishedAt => {
                note.published_at = published(&given.text().map_err(wrong)?).map_err(wrong)?;
            }
            Field::Url => note.url = url(given.text().map_err(wrong)?.trim()).map_err(wrong)?,
            Field::ThemeId => note.theme_id = theme(given).map_err(wrong)?,
        }
        Ok(())
    }

    /// The note, if nothing is missing and nothing too long.
    pub(super) fn finish(self) -> Result<Note, String> {
        let mut note = self.note;
        if note.title.is_empty() {
            return Err("the title is missing".to_owned());
        }
        if note.body.is_empty() {
            return Err("the body is missing".to_owned());
        }
        too_long("title", note.title.chars().count(), TITLE_CHARS_MAX)?;
        too_long("body", note.body.chars().count(), BODY_CHARS_MAX)?;
        let author = note.author.as_deref().unwrap_or_default();
        too_long("author", author.chars().count(), AUTHOR_CHARS_MAX)?;
        if note.id.is_empty() {
            note.id = Note::id_of(&note.title, &note.body);
        }
        let bytes = note.content().len() as u64;
        if bytes > NOTES.document_bytes_max {
            let most = NOTES.document_bytes_max;
            return Err(format!(
                "the note has {bytes} bytes, at most {most} are taken"
            ));
        }
        Ok(note)
    }
}

fn name_of(field: Field) -> &'static str {
    let known = FIELDS.iter().find(|(known, _)| *known == field);
    let names = known.map(|(_, class)| NAMES.list(class));
    names
        .and_then(|names| names.first())
        .copied()
        .unwrap_or_default()
}

fn too_long(name: &str, chars: usize, most: usize) -> Result<(), String> {
    if chars > most {
        return Err(format!(
            "the {name} has {chars} characters, at most {most} are taken"
        ));
    }
    Ok(())
}

/// A text on one line: titles and names are shown in lists.
fn one_line(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || c.is_control());
    let words: Vec<&str> = words.filter(|word| !word.is_empty()).collect();
    words.join(" ")
}

fn filled(text: String) -> Option<String> {
    Some(text).filter(|text| !text.is_empty())
}

/// Tags from a list, or from a text with spaces, signs or `#` between them; each once, in their order.
fn tags(given: Given) -> Result<Vec<String>, String> {
    let parts: Vec<String> = match given {
        Given::List(parts) => parts,
        given @ (Given::Text(_) | Given::Number(_)) => {
            let between = |c: char| {
                c.is_whitespace() || matches!(c, ',' | '，' | ';' | '；' | '#' | '＃' | '、' | '|')
            };
            given.text()?.split(between).map(str::to_owned).collect()
        }
    };
    let mut tags: Vec<String> = vec![];
    for part in parts {
        let tag = one_line(part.trim().trim_matches(['#', '＃']));
        if tag.is_empty() || tags.contains(&tag) {
            continue;
        }
        if tag.chars().count() > TAG_CHARS_MAX {
            return Err(format!(
                "has one of more than {TAG_CHARS_MAX} characters: `{}…`",
                tag.chars().take(TAG_CHARS_MAX).collect::<String>()
            ));
        }
        tags.push(tag);
    }
    if tags.len() > TAGS_MAX {
        return Err(format!("are {}, at most {TAGS_MAX} are taken", tags.len()));
    }
    Ok(tags)
}

/// The largest count; from here on a number of 64 bits does not hold every whole number.
const COUNT_MAX: f64 = 9_007_199_254_740_992.0;

/// A count: `1234`, `1,234`, `1.2万`, `10万+`, `3.4k`; an empty text means 0.
fn count(given: Given) -> Result<u64, String> {
    let text = match given {
        Given::Number(number) => return Ok(number),
        given @ (Given::Text(_) | Given::List(_)) => given.text()?,
    };
    if words::is_gap(&text) {
        return Ok(0);
    }
    let mut plain = text.trim().to_owned();
    // People write 3.4w for 3.4万.
    let is_short = |at: &usize| plain[..*at].ends_with(|c: char| c.is_ascii_digit());
    if let Some(at) = plain.find(['w', 'W']).filter(is_short) {
        plain.replace_range(at..=at, "万");
    }
    let has_digits = |it: &words::Quantity| it.unit.is_none() && plain.contains(char::is_numeric);
    let quantity = words::quantity(&plain).filter(has_digits);
    let readings = quantity.map_or(vec![], |it| it.readings).into_iter();
    let mut values = readings.filter_map(words::Value::number);
    // Of two readings the whole one is a count.
    let value = values.find(|value| *value >= 0.0 && value.fract() == 0.0);
    let value = value.ok_or_else(|| format!("`{}` is no count", shown(&text)))?;
    if value > COUNT_MAX {
        return Err(format!("`{}` is too large", shown(&text)));
    }
    #[expect(
        clippy::cast_possible_truncation,
        clippy::cast_sign_loss,
        reason = "a whole number within bounds"
    )]
    Ok(value as u64)
}

fn theme(given: Given) -> Result<Option<u64>, String> {
    let text = match given {
        Given::Number(number) => return Ok(Some(number)),
        given @ (Given::Text(_) | Given::List(_)) => given.text()?,
    };
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    let number = text.parse().map(Some);
    number.map_err(|_| format!("`{}` is no number", shown(text)))
}

/// A time with its zone, a time without one (taken as UTC), or a day.
fn published(text: &str) -> Result<Option<Published>, String> {
    let text = text.trim();
    if text.is_empty() {
        return Ok(None);
    }
    if let Ok(at) = DateTime::parse_from_rfc3339(text) {
        return Ok(Some(Published::At(at.with_timezone(&Utc))));
    }
    let plain = text.replace('/', "-").replace('T', " ");
    for form in ["%Y-%m-%d %H:%M:%S%.f", "%Y-%m-%d %H:%M"] {
        if let Ok(at) = NaiveDateTime::parse_from_str(&plain, form) {
            return Ok(Some(Published::At(at.and_utc())));
        }
    }
    let day = NaiveDate::parse_from_str(&plain, "%Y-%m-%d");
    day.map(|day| Some(Published::On(day))).map_err(|_| {
        format!(
            "`{}` is no time such as 2026-04-01 or 2026-04-01T08:30:00+08:00",
            shown(text)
        )
    })
}

/// An address of the web. It is shown as a source and never fetched.
fn url(text: &str) -> Result<Option<String>, String> {
    if text.is_empty() {
        return Ok(None);
    }
    let is_web = text.starts_with("https://") || text.starts_with("http://");
    let is_one = !text.chars().any(|c| c.is_whitespace() || c.is_control());
    if !is_web || !is_one || text.len() > URL_BYTES_MAX {
        return Err(format!("`{}` is no address of the web", shown(text)));
    }
    Ok(Some(text.to_owned()))
}

/// As much of a text as an error message has room for.
fn shown(text: &str) -> String {
    text.chars().take(40).collect()
}
