//! The account of the files that were given: how much of each was read, and what became of it. Each run that has files has this account as
//! an artifact. It is made when the files are first read, and again when something was made in which their text can be looked for.

use std::collections::BTreeSet;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use spec::source::{BlockContent, Location, RichText, SourceBlock, SourceDocument};
use unicode_normalization::UnicodeNormalization;

use crate::asking::{fail_step, json_of};
pub use crate::event::MATERIAL;

use crate::carry::{Carry, Content, MadePart, NewArtifact, Source, Work};
use crate::hash::Sha256;
use crate::pictures::CarriedPicture;
use crate::session::Run;
use words::sentences::sentences;

/// The most unused blocks that are named one by one for each file; the rest is only counted.
const UNUSED_MAX: usize = 200;
/// The most omissions that are named one by one for each file.
const OMISSIONS_MAX: usize = 100;
/// The most unused blocks that the line about a file names.
const NAMED_MAX: usize = 3;
/// Characters at the beginning of a block by which it is recognised.
const BEGINNING_CHARS: usize = 80;
/// Pieces of one file that are looked for in what was made: a textbook has fewer.
const PIECES_MAX: usize = 20_000;
/// Letters and digits from which on a piece is looked for.
const LETTERS_MIN: usize = 3;

/// What became of all files.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaterialAccount {
    pub files: Vec<MaterialFile>,
}

/// What became of a file.
#[serde_with::skip_serializing_none]
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct MaterialFile {
    pub path: String,
    pub bytes: u64,
    pub state: MaterialState,
    /// The format of the file, such as "Word document".
    pub format: Option<String>,
    /// The encoding of a text, by its WHATWG name.
    pub encoding: Option<String>,
    /// Headings, paragraphs, lists, tables and so on.
    pub blocks: usize,
    /// Characters of its text.
    pub chars: usize,
    /// How many of these characters a step is given, where it is not given all.
    pub given_chars: Option<usize>,
    /// Why the file was not read, and what to do about it.
    pub why: Option<String>,
    /// What the file contains but its text does not.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub omissions: Vec<MaterialOmission>,
    /// Where the file's blocks appear word for word; absent before anything was made.
    pub used: Option<Vec<MaterialUse>>,
    /// Blocks that appear nowhere word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub unused: Vec<MaterialOmission>,
    /// The number of all such blocks, including those that are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unused_blocks: usize,
    /// Blocks of which only a part appears word for word.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub partly_used: Vec<MaterialOmission>,
    /// The number of all such blocks, including those that are not named.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub partly_used_blocks: usize,
    /// Blocks that appear without the words that the file has struck through.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub withdrawn_blocks: usize,
    /// Blocks that were not looked for, because the file has too many sentences and rows.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub unsearched_blocks: usize,
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

/// Whether files were given and none of them has anything to work from: no words but those of headers, footers and comments, and no picture.
fn says_nothing(work: &Work) -> bool {
    let has_content = |source: &Source| {
        let mut blocks = source.document.blocks.iter();
        !source.pictures.is_empty()
            || blocks.any(|block| block.content.around().is_none() && !is_blank(&block.content))
    };
    let is_given = !work.sources.is_empty() || !work.unread.is_empty();
    is_given && !work.sources.iter().any(has_content)
}

fn is_blank(content: &BlockContent) -> bool {
    words(content).trim().is_empty()
}

/// Where files were given and none of them says anything, the offline author has nothing to work from, so the run ends before anything is
/// made. A model can work from the message alone; its run is partial ([`nothing_read`]).
pub fn nothing_to_work_from(work: &Work) -> Option<Carry> {
    if !work.settings.ports.is_offline() || !says_nothing(work) {
        return None;
    }
    let is_chinese = work.is_chinese();
    let files = account(work, usize::MAX)?.title(is_chinese);
    let message = if is_chinese {
        format!("所给文件中没有可用的内容，离线作者不编造内容：{files}")
    } else {
        format!(
            "none of the files that were given has anything to work from, and the offline author invents nothing: {files}"
        )
    };
    Some(fail_step("nothing_read", message))
}

/// In the facts of the account: whether files were given and none of them says anything.
const NOTHING_READ: &str = "nothing_read";

/// What is said of a run that was given files of which none says anything: what it has made is without them.
pub fn nothing_read(run: &Run) -> Option<String> {
    let account = run.artifact(MATERIAL)?;
    let files = &account.title;
    let is_chinese = run.settings.language.starts_with("zh");
    (account.facts[NOTHING_READ] == true).then(|| match is_chinese {
        true => format!("成品没有用到所给文件：{files}"),
        false => format!("this was made without the files that were given: {files}"),
    })
}

/// The artifact that holds this account.
pub fn artifact(account: &MaterialAccount, work: &Work) -> NewArtifact {
    let facts = if says_nothing(work) {
        json!({ NOTHING_READ: true })
    } else {
        Value::Null
    };
    NewArtifact {
        shown: false,
        facts,
        title: account.title(work.is_chinese()),
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
            partly_used: vec![],
            partly_used_blocks: 0,
            withdrawn_blocks: 0,
            unsearched_blocks: 0,
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
/// each part that shows it. A block is used if all of its pieces appear.
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
        let whole = struck_pieces(&block.content);
        if whole.iter().any(|piece| piece.places(parts).is_empty()) {
            file.withdrawn_blocks += 1;
        }
        if picture.is_none() && pieces.is_empty() {
            continue;
        }
        looked_for += pieces.len();
        if picture.is_none() && looked_for > PIECES_MAX {
            file.unsearched_blocks += 1;
            continue;
        }
        let found: Vec<Vec<usize>> = match picture {
            Some(picture) => vec![of_parts(parts, |part| {
                part.pictures.contains(&picture.sha256)
            })],
            None => pieces.iter().map(|piece| piece.places(parts)).collect(),
        };
        let places: BTreeSet<usize> = found.iter().flatten().copied().collect();
        for place in &places {
            used[*place] += 1;
        }
        let standing = found.iter().filter(|places| !places.is_empty()).count();
        if standing == found.len() {
            continue;
        }
        let (blocks, named_blocks) = if standing == 0 {
            (&mut file.unused_blocks, &mut file.unused)
        } else {
            (&mut file.partly_used_blocks, &mut file.partly_used)
        };
        *blocks += 1;
        if named_blocks.len() < UNUSED_MAX {
            let mut named = named(block, picture);
            if standing > 0 {
                named.why = format!(
                    "{standing} of its {} sentences, rows or lines appear",
                    found.len()
                );
            }
            named_blocks.push(named);
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
    lines(content, &RichText::words).join("\n")
}

/// The parts of a block: its paragraphs, its items, its rows, with their words as `of` gives them.
fn lines(content: &BlockContent, of: &dyn Fn(&RichText) -> String) -> Vec<String> {
    match content {
        BlockContent::Heading { text, .. }
        | BlockContent::Paragraph(text)
        | BlockContent::Note { text, .. } => vec![of(text)],
        BlockContent::List(items) => items.iter().map(|item| of(&item.text)).collect(),
        BlockContent::Table(table) => {
            let row = |row: &Vec<RichText>| row.iter().map(of).collect::<Vec<_>>().join(" ");
            table.rows.iter().map(row).collect()
        }
        BlockContent::Code { text, .. } | BlockContent::Formula(text) => vec![text.clone()],
        BlockContent::Quotation(texts) => texts.iter().map(of).collect(),
        BlockContent::Picture(picture) => vec![picture.alt.clone()],
    }
}

/// A part of a block by which the block can be recognised, as letters and digits alone.
#[derive(Debug, PartialEq)]
enum Piece {
    /// A sentence, as a made text may have it: without the words that the file has struck through, or with them.
    Sentence(Vec<String>),
    /// The cells of a row.
    Row(Vec<String>),
}

impl Piece {
    /// The parts in which it stands, by their numbers. A row too wide for one page stands on several, each of which repeats its first cell.
    fn places(&self, parts: &[SearchedPart<'_>]) -> Vec<usize> {
        let standing = |letters: &str| of_parts(parts, |part| part.letters.contains(letters));
        match self {
            Self::Sentence(forms) => {
                let places = forms.iter().map(|letters| standing(letters));
                let mut places = places.filter(|places| !places.is_empty());
                places.next().unwrap_or_default()
            }
            Self::Row(cells) => {
                let whole = standing(&cells.concat());
                let Some((first, rest)) = cells.split_first().filter(|_| whole.is_empty()) else {
                    return whole;
                };
                let (mut places, mut rest) = (vec![], rest);
                while !rest.is_empty() {
                    let (mut run, mut taken, mut found) = (first.clone(), 0, vec![]);
                    for cell in rest {
                        run.push_str(cell);
                        let standing = standing(&run);
                        if standing.is_empty() {
                            break;
                        }
                        (taken, found) = (taken + 1, standing);
                    }
                    let is_said = first.chars().count()
                        + rest[..taken]
                            .iter()
                            .map(|cell| cell.chars().count())
                            .sum::<usize>()
                        >= LETTERS_MIN;
                    if taken == 0 || !is_said {
                        return vec![];
                    }
                    places.extend(found);
                    rest = &rest[taken..];
                }
                places
            }
        }
    }
}

fn of_parts(parts: &[SearchedPart<'_>], has_it: impl Fn(&SearchedPart<'_>) -> bool) -> Vec<usize> {
    let parts = (0..).zip(parts).filter(|(_, part)| has_it(part));
    parts.map(|(number, _)| number).collect()
}

/// The pieces by which a block can be recognised; a piece that is shorter than three letters is too short to prove anything.
fn pieces(content: &BlockContent) -> Vec<Piece> {
    if let BlockContent::Table(table) = content {
        let cells = |row: &Vec<RichText>| row.iter().map(|cell| letters(&kept(cell))).collect();
        let rows = table.rows.iter().map(cells);
        let rows = rows.filter(|row: &Vec<String>| is_proof(&row.concat()));
        return rows.map(Piece::Row).collect();
    }
    let both = lines(content, &kept)
        .into_iter()
        .zip(lines(content, &RichText::words));
    let forms = both.flat_map(|(kept, whole)| {
        let (kept, whole) = (of_sentences(&kept), of_sentences(&whole));
        let is_alike = kept.len() == whole.len();
        let forms = kept.into_iter().enumerate().map(move |(at, kept)| {
            let whole = whole.get(at).filter(|whole| is_alike && **whole != kept);
            let whole = whole.cloned();
            [kept].into_iter().chain(whole).collect()
        });
        forms.collect::<Vec<Vec<String>>>()
    });
    forms.map(Piece::Sentence).collect()
}

/// The pieces of a block with the words that the file has struck through; none where it has no such words.
fn struck_pieces(content: &BlockContent) -> Vec<Piece> {
    let all = |text: &RichText| text.words();
    let both = lines(content, &kept).into_iter().zip(lines(content, &all));
    let struck = both.filter(|(kept, whole)| letters(kept) != letters(whole));
    struck
        .flat_map(|(_, whole)| of_sentences(&whole))
        .map(|sentence| Piece::Sentence(vec![sentence]))
        .collect()
}

fn of_sentences(text: &str) -> Vec<String> {
    let said = sentences(text).into_iter().map(|at| letters(&text[at]));
    said.filter(|letters| is_proof(letters)).collect()
}

fn is_proof(letters: &str) -> bool {
    letters.chars().nth(LETTERS_MIN - 1).is_some()
}

/// The words that a text has not struck through.
fn kept(text: &RichText) -> String {
    let pieces = text.pieces.iter().filter(|piece| !piece.marks.strike);
    pieces.map(|piece| piece.text.as_str()).collect()
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
    /// Whether all that can be read in it was read, and given to whoever works from it.
    pub fn is_whole(&self) -> bool {
        self.state == MaterialState::Read && self.given_chars.is_none()
    }

    /// In a line, how much of the text was given to those who worked from it; nothing where all of it was.
    pub fn cut_in_words(&self, is_chinese: bool) -> Option<String> {
        let Self { path, chars, .. } = self;
        let given = self.given_chars?;
        Some(match is_chinese {
            true => format!("{path}：只给出 {chars} 字符中的前 {given} 个"),
            false => format!("{path}: only the first {given} of {chars} characters were given"),
        })
    }

    /// In a line: what it is, how much of it was read and used, and why not.
    pub fn in_words(&self, is_chinese: bool) -> String {
        let Self { path, blocks, .. } = self;
        let format = self.format.as_deref().unwrap_or_default();
        let of = match &self.encoding {
            Some(encoding) if encoding != "UTF-8" => format!("{format}, {encoding}"),
            Some(_) | None => format.to_owned(),
        };
        let say = |zh: String, en: String| if is_chinese { zh } else { en };
        if self.state != MaterialState::NotRead && *blocks == 0 {
            return say(
                format!("{path}（{of}）：其中没有可读的内容"),
                format!("{path} ({of}): there is nothing in it to read"),
            );
        }
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
            line += &self.use_in_words(is_chinese);
        }
        line
    }

    fn use_in_words(&self, is_chinese: bool) -> String {
        let counts = [
            (
                self.unused_blocks,
                " 块未逐字使用",
                "stand nowhere word for word",
            ),
            (
                self.partly_used_blocks,
                " 块仅部分逐字使用",
                "stand in it only in part",
            ),
            (
                self.withdrawn_blocks,
                " 块未含原文已划去的文字",
                "stand in it without the words that are struck through",
            ),
            (self.unsearched_blocks, " 块未查找", "were not looked for"),
        ];
        let mut said = String::new();
        for (blocks, zh, en) in counts.iter().filter(|(blocks, ..)| *blocks > 0) {
            said += &match is_chinese {
                true => format!("，其中 {blocks}{zh}"),
                false => format!(", {blocks} of them {en}"),
            };
        }
        let mut names = self.unused.iter().map(|unused| unused.what.as_str());
        let named: Vec<_> = names.by_ref().take(NAMED_MAX).collect();
        if !named.is_empty() {
            let more = if self.unused_blocks > named.len() {
                " …"
            } else {
                ""
            };
            let named = named.join(" / ").replace('\n', " ");
            said += &match is_chinese {
                true => format!("（未用：{named}{more}）"),
                false => format!(" (not used: {named}{more})"),
            };
        }
        if said.is_empty() {
            let all = ["，均逐字使用", ", each of them stands in it word for word"];
            return all[usize::from(!is_chinese)].to_owned();
        }
        said
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
        assert_eq!((file.unused_blocks, file.partly_used_blocks), (2, 2));
        let whys: Vec<_> = file.partly_used.iter().map(|it| it.why.as_str()).collect();
        assert_eq!(whys, ["1 of its 2 sentences, rows or lines appear"; 2]);
        assert_eq!(
            file.use_in_words(false),
            ", 2 of them stand nowhere word for word, 2 of them stand in it only in part (not used: Nobody quotes this. / a.md: left)"
        );
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

    fn noted(blocks: Vec<BlockContent>, parts: &[&str]) -> MaterialFile {
        let document = SourceDocument {
            format: SourceFormat::Markdown,
            blocks: blocks
                .into_iter()
                .map(|content| block(1, content))
                .collect(),
            ..SourceDocument::default()
        };
        let mut file = MaterialFile::new("a.md", 9, MaterialState::Read);
        let parts = parts.iter().map(|text| MadePart::of_text("page", *text));
        let parts: Vec<_> = parts.collect();
        let parts: Vec<_> = parts.iter().map(SearchedPart::of).collect();
        note_use(&mut file, &document, &[], &parts);
        file
    }

    #[test]
    fn what_was_not_looked_for_is_said() {
        let lines = vec!["a line of code"; PIECES_MAX + 1].join("\n");
        let code = |text: &str| BlockContent::Code {
            language: None,
            text: text.to_owned(),
        };
        let file = noted(vec![code("first line"), code(&lines)], &["first line"]);
        assert_eq!((file.unused_blocks, file.unsearched_blocks), (0, 1));
        assert_eq!(file.use_in_words(false), ", 1 of them were not looked for");
    }

    #[test]
    fn words_that_are_struck_through_may_be_left_out() {
        let mut text = RichText::plain("The price was ");
        let strike = spec::source::TextMarks {
            strike: true,
            ..spec::source::TextMarks::default()
        };
        text.push("99 € ", strike, None);
        text.push("79 €.", spec::source::TextMarks::default(), None);
        for made in ["The price was 79 €.", "The price was ~~99 €~~ 79 €."] {
            let file = noted(vec![BlockContent::Paragraph(text.clone())], &[made]);
            assert_eq!(
                (file.unused_blocks, file.partly_used_blocks),
                (0, 0),
                "{made}"
            );
        }
    }

    #[test]
    fn words_that_are_struck_through_and_left_out_are_said() {
        let strike = spec::source::TextMarks {
            strike: true,
            ..spec::source::TextMarks::default()
        };
        let mut some = RichText::plain("The price was ");
        some.push("99 € ", strike, None);
        some.push("79 €.", spec::source::TextMarks::default(), None);
        let mut all = RichText::default();
        all.push("An old promise.", strike, None);
        let row = |text: &RichText| vec![RichText::plain("Prices"), text.clone()];
        let table = SourceTable {
            rows: vec![row(&some)],
            ..SourceTable::default()
        };
        let blocks = vec![
            BlockContent::Paragraph(some),
            BlockContent::Paragraph(all),
            BlockContent::Table(table),
        ];
        let without = noted(
            blocks.clone(),
            &["The price was 79 €.", "Prices The price was 79 €."],
        );
        assert_eq!(
            without.use_in_words(false),
            ", 3 of them stand in it without the words that are struck through"
        );
        let texts = blocks[..2].to_vec();
        let with = noted(texts, &["The price was 99 € 79 €. An old promise."]);
        assert_eq!(
            with.use_in_words(false),
            ", each of them stands in it word for word"
        );
    }

    #[test]
    fn a_row_may_stand_on_several_pages_that_repeat_its_first_cell() {
        let row = |from: usize| (from..from + 4).map(|n| RichText::plain(format!("n{n}")));
        let table = SourceTable {
            rows: vec![row(10).collect(), row(20).collect()],
            ..SourceTable::default()
        };
        let pages = ["n10 n11 n12 / n20 n21 n22", "n10 n13 / n20 n24"];
        let file = noted(vec![BlockContent::Table(table)], &pages);
        assert_eq!((file.unused_blocks, file.partly_used_blocks), (0, 1));
        assert_eq!(file.used.map(|used| used.len()), Some(2));
    }
}
