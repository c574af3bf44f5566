//! The account of the files that were given: how much of each was read, and what became of it. Each run that has files has this account as
//! an artifact. It is made when the files are first read, and again when something was made in which their text can be looked for.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::source::{BlockContent, Location, SourceBlock, SourceDocument};
use unicode_normalization::UnicodeNormalization;

use crate::asking::json_of;
pub use crate::event::MATERIAL;

use crate::carry::{Content, MadePart, NewArtifact, Source, Work};
use crate::hash::Sha256;
use crate::pictures::CarriedPicture;
use crate::sentences::sentences;

/// The most unused blocks that are named one by one for each file; the rest is only counted.
const UNUSED_MAX: usize = 200;
/// The most omissions that are named one by one for each file.
const OMISSIONS_MAX: usize = 100;
/// Characters at the beginning of a block by which it is recognised.
const BEGINNING_CHARS: usize = 80;
/// Pieces of one file that are looked for in what was made: a textbook has fewer.
const PIECES_MAX: usize = 20_000;

/// What became of all files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaterialAccount {
    pub files: Vec<MaterialFile>,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaterialFile {
    pub path: String,
    pub bytes: u64,
    pub state: MaterialState,
    /// The format of the file, such as "Word document".
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub format: Option<String>,
    /// The encoding of a text, by its WHATWG name.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub encoding: Option<String>,
    /// Headings, paragraphs, lists, tables and so on.
    pub blocks: usize,
    /// Characters of its text.
    pub chars: usize,
    /// How many of these characters a step is given, where it is not given all.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub given_chars: Option<usize>,
    /// Why the file was not read, and what to do about it.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub why: Option<String>,
    /// What the file contains but its text does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omissions: Vec<MaterialOmission>,
    /// Where the file's blocks appear word for word; absent before anything was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub used: Option<Vec<MaterialUse>>,
    /// Blocks that appear nowhere word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<MaterialOmission>,
    /// The number of all such blocks, including those that are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unused_blocks: usize,
}

fn is_zero(count: &usize) -> bool {
    *count == 0
}

/// Whether a file was read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum MaterialState {
    Read,
    /// Some of the file was not read, or was not given to a step.
    PartlyRead,
    NotRead,
}

/// Something of a file that is not used.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaterialOmission {
    /// Where it is, in words.
    pub at: String,
    pub what: String,
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub why: String,
}

/// A part of what was made, and how many blocks of a file stand in it.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MaterialUse {
    /// Such as "page 3", or a heading.
    pub part: String,
    pub blocks: usize,
}

/// What was read of the files of this step's run; `None` where there are no files. Prompts show `shown_chars` characters of them.
pub fn account(work: &Work, shown_chars: usize) -> Option<MaterialAccount> {
    let bytes = |path: &str| {
        let file = work.files.iter().find(|file| file.path == path);
        file.map_or(0, |file| file.blob.size)
    };
    let is_offline = work.settings.ports.is_offline();
    let mut room = if is_offline { usize::MAX } else { shown_chars };
    let read = work.sources.iter().map(|source| {
        let shown = source.text.chars().count().min(room);
        room -= shown;
        of_source(source, bytes(&source.path), shown)
    });
    let unread = work.unread.iter().map(|file| MaterialFile {
        why: Some(file.why.clone()),
        ..MaterialFile::new(&file.path, bytes(&file.path), MaterialState::NotRead)
    });
    let files: Vec<_> = read.chain(unread).collect();
    (!files.is_empty()).then_some(MaterialAccount { files })
}

/// The same account, and where the blocks of the files appear in what was made.
pub fn account_of_use(
    work: &Work,
    shown_chars: usize,
    parts: &[MadePart],
) -> Option<MaterialAccount> {
    let mut account = account(work, shown_chars)?;
    let parts: Vec<_> = parts.iter().map(SearchedPart::of).collect();
    for source in &work.sources {
        let file = account
            .files
            .iter_mut()
            .find(|file| file.path == source.path);
        if let Some(file) = file {
            note_use(file, &source.document, &source.pictures, &parts);
        }
    }
    Some(account)
}

/// The artifact that holds this account.
pub fn artifact(account: &MaterialAccount, is_chinese: bool) -> NewArtifact {
    NewArtifact {
        shown: false,
        title: account.title(is_chinese),
        ..NewArtifact::new(
            MATERIAL,
            MATERIAL,
            "",
            Content::Json(json_of(account)),
            vec![],
        )
    }
}

/// The kind of that artifact, with its JSON Schema.
pub fn kind() -> (&'static str, Value) {
    (MATERIAL, schemars::schema_for!(MaterialAccount).to_value())
}

impl MaterialFile {
    fn new(path: &str, bytes: u64, state: MaterialState) -> Self {
        Self {
            path: path.to_owned(),
            bytes,
            state,
            format: None,
            encoding: None,
            blocks: 0,
            chars: 0,
            given_chars: None,
            why: None,
            omissions: vec![],
            used: None,
            unused: vec![],
            unused_blocks: 0,
        }
    }
}

fn of_source(source: &Source, bytes: u64, shown: usize) -> MaterialFile {
    let Source { document, .. } = source;
    let chars = source.text.chars().count();
    let is_cut = shown < chars;
    let state = if is_cut || !document.omissions.is_empty() {
        MaterialState::PartlyRead
    } else {
        MaterialState::Read
    };
    let omissions = document.omissions.iter().take(OMISSIONS_MAX);
    MaterialFile {
        format: Some(document.format.title().to_owned()),
        encoding: document.encoding.clone(),
        blocks: document.blocks.len(),
        chars,
        given_chars: is_cut.then_some(shown),
        omissions: omissions
            .map(|omission| MaterialOmission {
                at: omission.location.to_string(),
                what: omission.what.clone(),
                why: omission.why.clone(),
            })
            .collect(),
        ..MaterialFile::new(&source.path, bytes, state)
    }
}

/// A part of what was made, as blocks are looked for in it.
struct SearchedPart<'a> {
    name: &'a str,
    letters: String,
    pictures: &'a [Sha256],
}

impl<'a> SearchedPart<'a> {
    fn of(part: &'a MadePart) -> Self {
        Self {
            name: &part.name,
            letters: letters(&part.text),
            pictures: &part.pictures,
        }
    }
}

/// Notes where the blocks of a file appear: a block in each part that has a piece of it (a sentence, an item, a row, a line), a picture in
/// each part that shows it.
fn note_use(
    file: &mut MaterialFile,
    document: &SourceDocument,
    pictures: &[CarriedPicture],
    parts: &[SearchedPart<'_>],
) {
    let mut used = vec![0; parts.len()];
    let mut looked_for = 0;
    // The pictures are in the order of their blocks.
    let mut pictures = pictures.iter().peekable();
    for (at, block) in document.blocks.iter().enumerate() {
        let picture = pictures.next_if(|picture| picture.block == at);
        let pieces = pieces(&block.content);
        looked_for += pieces.len();
        if picture.is_none() && (pieces.is_empty() || looked_for > PIECES_MAX) {
            continue;
        }
        let stands_in = |part: &SearchedPart<'_>| match picture {
            Some(picture) => part.pictures.contains(&picture.sha256),
            None => pieces.iter().any(|piece| part.letters.contains(piece)),
        };
        let mut stands = false;
        for (part, used) in parts.iter().zip(&mut used) {
            if stands_in(part) {
                *used += 1;
                stands = true;
            }
        }
        if !stands {
            file.unused_blocks += 1;
            if file.unused.len() < UNUSED_MAX {
                file.unused.push(named(block, picture));
            }
        }
    }
    let used = parts.iter().zip(used).filter(|(_, blocks)| *blocks > 0);
    file.used = Some(
        used.map(|(part, blocks)| MaterialUse {
            part: part.name.to_owned(),
            blocks,
        })
        .collect(),
    );
}

fn named(block: &SourceBlock, picture: Option<&CarriedPicture>) -> MaterialOmission {
    let words = match picture {
        Some(picture) => picture.name.clone(),
        None => words(&block.content),
    };
    let beginning: String = words.chars().take(BEGINNING_CHARS).collect();
    let more = if beginning.len() < words.len() {
        "…"
    } else {
        ""
    };
    MaterialOmission {
        at: if block.location == Location::File {
            String::new()
        } else {
            block.location.to_string()
        },
        what: format!("{beginning}{more}"),
        why: String::new(),
    }
}

/// All words of a block, its parts on lines of their own.
fn words(content: &BlockContent) -> String {
    let lines = |lines: &mut dyn Iterator<Item = String>| lines.collect::<Vec<_>>().join("\n");
    match content {
        BlockContent::Heading { text, .. }
        | BlockContent::Paragraph(text)
        | BlockContent::Note { text, .. } => text.words(),
        BlockContent::List(items) => lines(&mut items.iter().map(|item| item.text.words())),
        BlockContent::Table(table) => lines(&mut table.rows.iter().map(|row| {
            let cells: Vec<_> = row.iter().map(spec::source::RichText::words).collect();
            cells.join(" ")
        })),
        BlockContent::Code { text, .. } | BlockContent::Formula(text) => text.clone(),
        BlockContent::Quotation(texts) => {
            lines(&mut texts.iter().map(spec::source::RichText::words))
        }
        BlockContent::Picture(picture) => picture.alt.clone(),
    }
}

/// The pieces by which a block can be recognised in a text of letters and digits alone. The pieces of a table are its rows; a sentence that
/// is shorter than three letters is too short to prove anything.
fn pieces(content: &BlockContent) -> Vec<String> {
    let words = words(content);
    let pieces = sentences(&words).into_iter().map(|at| letters(&words[at]));
    pieces.filter(|piece| piece.chars().count() >= 3).collect()
}

/// Only the letters and digits of a text: a page has other marks, blanks and line breaks than the file, and superscripts have characters of
/// their own.
fn letters(text: &str) -> String {
    text.nfkc().filter(|c| c.is_alphanumeric()).collect()
}

impl MaterialAccount {
    /// In one line what was read and what was not.
    pub fn title(&self, is_chinese: bool) -> String {
        let files: Vec<_> = self
            .files
            .iter()
            .map(|file| file.in_words(is_chinese))
            .collect();
        files.join(if is_chinese { "；" } else { "; " })
    }
}

impl MaterialFile {
    /// In a line: what it is, how much of it was read and used, and why not.
    pub fn in_words(&self, is_chinese: bool) -> String {
        let Self { path, blocks, .. } = self;
        let format = self.format.as_deref().unwrap_or_default();
        let of = match &self.encoding {
            Some(encoding) if encoding != "UTF-8" => format!("{format}, {encoding}"),
            Some(_) | None => format.to_owned(),
        };
        let say = |zh: String, en: String| if is_chinese { zh } else { en };
        let mut line = match self.state {
            MaterialState::NotRead => {
                let why = self.why.as_deref().unwrap_or_default();
                return say(
                    format!("{path}：未读取：{why}"),
                    format!("{path}: not read: {why}"),
                );
            }
            MaterialState::Read => say(
                format!("{path}（{of}）：已读取全部 {blocks} 块"),
                format!("{path} ({of}): all {blocks} blocks read"),
            ),
            MaterialState::PartlyRead => say(
                format!("{path}（{of}）：读取了 {blocks} 块"),
                format!("{path} ({of}): {blocks} blocks read"),
            ),
        };
        if let Some(given) = self.given_chars {
            let chars = self.chars;
            line += &say(
                format!("，只给出 {chars} 字符中的前 {given} 个"),
                format!(", the first {given} of {chars} characters given"),
            );
        }
        let omissions: Vec<_> = self
            .omissions
            .iter()
            .take(3)
            .map(|omission| omission.what.as_str())
            .collect();
        if !omissions.is_empty() {
            let more = if self.omissions.len() > omissions.len() {
                " …"
            } else {
                ""
            };
            let omissions = omissions.join(", ");
            line += &say(
                format!("，未含 {omissions}{more}"),
                format!(", without {omissions}{more}"),
            );
        }
        if self.used.is_some() {
            let unused = self.unused_blocks;
            line += &match unused {
                0 => say(
                    "，均逐字使用".to_owned(),
                    ", each of them stands in it word for word".to_owned(),
                ),
                _ => say(
                    format!("，其中 {unused} 块未逐字使用"),
                    format!(", {unused} of them stand nowhere word for word"),
                ),
            };
        }
        line
    }
}

#[cfg(test)]
mod tests {
    use spec::source::{RichText, SourceFormat, SourcePicture, SourceTable};

    use super::*;

    fn block(line: usize, content: BlockContent) -> SourceBlock {
        SourceBlock {
            location: Location::Line(line),
            content,
        }
    }

    #[test]
    fn a_block_is_used_where_a_piece_of_it_stands_word_for_word() {
        let row = |cells: [&str; 2]| cells.map(RichText::plain).to_vec();
        let table = SourceTable {
            rows: vec![row(["1.10", "m/s"]), row(["2", "km"])],
            ..SourceTable::default()
        };
        let document = SourceDocument {
            format: SourceFormat::Markdown,
            blocks: vec![
                block(
                    1,
                    BlockContent::Paragraph(RichText::plain("潮汐每天两次。月亮吸引海水。")),
                ),
                block(3, BlockContent::Table(table)),
                block(
                    7,
                    BlockContent::Paragraph(RichText::plain("Nobody quotes this.")),
                ),
                block(9, BlockContent::Picture(SourcePicture::default())),
                block(11, BlockContent::Picture(SourcePicture::default())),
            ],
            ..SourceDocument::default()
        };
        let mut file = MaterialFile::new("a.md", 9, MaterialState::Read);
        let parts = [
            MadePart::of_text("page 1", "月亮吸引海水"),
            MadePart {
                pictures: vec![Sha256::of(b"shown")],
                ..MadePart::of_text("page 2", "| 1.10 | m/s |")
            },
        ];
        let parts: Vec<_> = parts.iter().map(SearchedPart::of).collect();
        let picture = |block, shows: &str| CarriedPicture {
            block,
            name: format!("a.md: {shows}"),
            reference: String::new(),
            shows: shows.to_owned(),
            media_type: "image/png",
            sha256: Sha256::of(shows.as_bytes()),
        };
        let pictures = [picture(3, "shown"), picture(4, "left")];
        note_use(&mut file, &document, &pictures, &parts);
        let used: Vec<_> = file
            .used
            .iter()
            .flatten()
            .map(|used| (used.part.as_str(), used.blocks))
            .collect();
        assert_eq!(used, [("page 1", 1), ("page 2", 2)]);
        assert_eq!(file.unused_blocks, 2);
        assert_eq!(
            file.unused,
            [("line 7", "Nobody quotes this."), ("line 11", "a.md: left")].map(|(at, what)| {
                MaterialOmission {
                    at: at.to_owned(),
                    what: what.to_owned(),
                    why: String::new(),
                }
            })
        );
    }
}
