//! The pictures that a file of a run contains: the file itself where it is a picture, and the pictures in documents, presentations, books
//! and PDFs.

use std::collections::BTreeMap;

use spec::source::{
    BlockContent, RichText, SourceBlock, SourceDocument, SourceFormat, SourcePicture,
};

use crate::hash::Sha256;
use crate::text::WISHES;

/// The length of a side in pixels below which a picture of a document is taken for an ornament: a bullet, an icon, a line.
const SIDE_MIN: u32 = 100;

/// The most pixels of a picture that pages show, as drawing takes them.
const PIXELS_MAX: u64 = 32_000_000;

/// The most bytes, and pixels of a side, that drawing takes.
const BYTES_MAX: usize = 20 * 1024 * 1024;
const PICTURE_SIDE_MAX: u32 = 16_384;

/// The most characters in a picture's name that say what it shows, and the most that say what its text calls it.
const SHOWS_CHARS: usize = 80;

/// The most bytes of a document's name in the path of a picture; a file name has 255 bytes at most.
const STEM_BYTES: usize = 80;

/// Digits of a hash in the path of a picture.
const HASH_CHARS: usize = 8;

/// A picture that pages can show.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CarriedPicture {
    /// The place of its block in the document.
    pub block: usize,
    /// The name by which the picture is chosen: the path of the file, and within a document what its text calls it and what it shows.
    pub name: String,
    /// What the text of its document calls it; for a file that is a picture, its path.
    pub reference: String,
    /// What the picture shows, in words, for people who cannot see it: its alternative text, else its caption, else the heading that it
    /// stands under, else the name of the file.
    pub shows: String,
    /// The media type, such as `image/png`.
    pub media_type: &'static str,
    /// The hash of the picture's bytes.
    pub sha256: Sha256,
}

impl CarriedPicture {
    /// The path of the picture among the files of its session once a page shows it.
    pub fn path(&self, source: &str) -> String {
        let hash = &self.sha256.to_string()[..HASH_CHARS];
        let ending = self.media_type.rsplit('/').next().unwrap_or_default();
        let stem = file_stem(source);
        let stem = &stem[..stem.floor_char_boundary(STEM_BYTES)];
        format!("{FOLDER}{stem}-{hash}.{ending}")
    }

    /// Whether a file of this path and hash was taken out of another one.
    pub fn is_taken(path: &str, sha256: &str) -> bool {
        let name = path
            .strip_prefix(FOLDER)
            .and_then(|name| name.rsplit_once('.'));
        let hash = name.and_then(|(name, _)| name.rsplit_once('-'));
        hash.is_some_and(|(_, hash)| hash.len() == HASH_CHARS && sha256.starts_with(hash))
    }
}

/// The folder of the session's files that were taken out of others.
pub const FOLDER: &str = "pictures/";

/// Takes the bytes of all pictures out of a document, and says which of them pages can show. A picture that is shown more than once counts
/// as one.
pub fn take_pictures(path: &str, document: &mut SourceDocument) -> Vec<CarriedPicture> {
    let mut taken: Vec<CarriedPicture> = vec![];
    let captions = captions(&document.blocks);
    for block in 0..document.blocks.len() {
        let BlockContent::Picture(picture) = &mut document.blocks[block].content else {
            continue;
        };
        let bytes = picture
            .embedded
            .as_mut()
            .map(|embedded| std::mem::take(&mut embedded.bytes));
        let is_file = document.format == SourceFormat::Picture;
        let Some(bytes) = bytes else { continue };
        let Some(media_type) = shown_as(picture, &bytes, is_file) else {
            continue;
        };
        let sha256 = Sha256::of(&bytes);
        if taken.iter().any(|known| known.sha256 == sha256) {
            continue;
        }
        let reference = picture.reference.clone();
        let (name, shows) = if is_file {
            (path.to_owned(), file_stem(path).to_owned())
        } else {
            let said = shows(&document.blocks, block, captions.get(&block).copied());
            let shows = alone(
                said.clone().unwrap_or_else(|| file_stem(path).to_owned()),
                &taken,
            );
            let said = said.map(|_| format!(" ({shows})"));
            let name = format!("{path}: {}{}", line(&reference), said.unwrap_or_default());
            (name, shows)
        };
        taken.push(CarriedPicture {
            block,
            name,
            reference,
            shows,
            media_type,
            sha256,
        });
    }
    taken
}

/// What a picture shows, with a number where another picture has the same words.
fn alone(shows: String, taken: &[CarriedPicture]) -> String {
    let is_known = |words: &str| taken.iter().any(|known| known.shows == words);
    if !is_known(&shows) {
        return shows;
    }
    let mut others = (2..).map(|number| format!("{shows} ({number})"));
    others.find(|words| !is_known(words)).unwrap_or(shows)
}

/// A text on one line, as long as a name may be.
fn line(text: &str) -> String {
    let words = text.split_whitespace().collect::<Vec<_>>().join(" ");
    words.chars().take(SHOWS_CHARS).collect()
}

/// The bytes of all pictures, by their hashes.
pub fn picture_bytes(document: SourceDocument) -> BTreeMap<Sha256, Vec<u8>> {
    let blocks = document.blocks.into_iter();
    let all = blocks.filter_map(|block| {
        let BlockContent::Picture(picture) = block.content else {
            return None;
        };
        let bytes = picture.embedded?.bytes;
        Some((Sha256::of(&bytes), bytes))
    });
    all.collect()
}

/// The media type of a picture; `None` where pages cannot show it.
fn shown_as(picture: &SourcePicture, bytes: &[u8], is_file: bool) -> Option<&'static str> {
    let embedded = picture.embedded.as_ref()?;
    let (width, height) = (embedded.width, embedded.height);
    let is_small = u64::from(width) * u64::from(height) <= PIXELS_MAX
        && width.max(height) <= PICTURE_SIDE_MAX
        && bytes.len() <= BYTES_MAX;
    let is_shown = is_file || is_small && width.min(height) >= SIDE_MIN;
    embedded.shown_as().filter(|_| is_shown)
}

/// The captions of the pictures, by the places of both. Pictures and captions that stand in turn are a pair each: a caption belongs to the
/// picture above it, or to the one below it where the first caption stands above the first picture and the last picture has one as well.
fn captions(blocks: &[SourceBlock]) -> BTreeMap<usize, usize> {
    let is_picture = |block: &SourceBlock| block.content.picture().is_some();
    let has_caption = |block: &SourceBlock| {
        let words = block.content.paragraph().map(RichText::words);
        words.is_some_and(|words| is_caption(&words))
    };
    let in_turn = |one: &SourceBlock, other: &SourceBlock| {
        is_picture(one) && has_caption(other) || has_caption(one) && is_picture(other)
    };
    let mut captions = BTreeMap::new();
    let mut first = 0;
    for run in blocks.chunk_by(in_turn) {
        let last = first + run.len() - 1;
        let is_above = has_caption(&blocks[first]) && is_picture(&blocks[last]);
        for picture in (first..=last).filter(|at| is_picture(&blocks[*at])) {
            let caption = if is_above { picture - 1 } else { picture + 1 };
            if caption <= last {
                captions.insert(picture, caption);
            }
        }
        first = last + 1;
    }
    captions
}

/// What a picture of a document shows, in words.
fn shows(blocks: &[SourceBlock], at: usize, caption: Option<usize>) -> Option<String> {
    let picture = blocks[at].content.picture()?;
    let words = |block: &SourceBlock| block.content.paragraph().map(RichText::words);
    let alt = Some(picture.alt.clone()).filter(|alt| !alt.trim().is_empty());
    let caption = || words(&blocks[caption?]);
    let heading = || {
        let mut before = blocks[..at].iter().rev();
        before.find_map(|block| block.content.heading().map(RichText::words))
    };
    let shows = alt.or_else(caption).or_else(heading)?;
    Some(line(&shows)).filter(|line| !line.is_empty())
}

/// Whether a paragraph is the caption of a picture: "Figure 3: …", "图 2 …".
fn is_caption(words: &str) -> bool {
    let words = words.trim().to_lowercase();
    WISHES.list("caption").iter().any(|figure| {
        let rest = words.strip_prefix(figure).map(str::trim_start);
        rest.is_some_and(|rest| rest.starts_with(|c: char| c.is_numeric()))
    })
}

/// The name of a file without its folder and ending.
pub fn file_stem(path: &str) -> &str {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.rsplit_once('.').map_or(name, |(stem, _)| stem)
}

#[cfg(test)]
mod tests {
    use spec::source::{EmbeddedPicture, Location};

    use super::*;

    fn picture(reference: &str, alt: &str, side: u32) -> BlockContent {
        BlockContent::Picture(SourcePicture {
            alt: alt.to_owned(),
            reference: reference.to_owned(),
            embedded: Some(EmbeddedPicture {
                media_type: "image/png".to_owned(),
                width: side,
                height: side,
                bytes: reference.as_bytes().to_vec(),
            }),
        })
    }

    fn document(format: SourceFormat, contents: Vec<BlockContent>) -> SourceDocument {
        let block = |content| SourceBlock {
            location: Location::File,
            content,
        };
        SourceDocument {
            format,
            blocks: contents.into_iter().map(block).collect(),
            ..SourceDocument::default()
        }
    }

    fn paragraph(text: &str) -> BlockContent {
        BlockContent::Paragraph(RichText::plain(text))
    }

    #[test]
    fn a_picture_is_named_by_what_the_document_says_of_it() {
        let heading = BlockContent::Heading {
            level: 1,
            text: RichText::plain("The leaf"),
        };
        let mut read = document(
            SourceFormat::Docx,
            vec![
                heading,
                picture("media/1.png", "", 300),
                paragraph("A leaf has two sides."),
                picture("media/2.png", "", 300),
                paragraph("图 2 气孔"),
                picture("media/3.png", "A guard cell", 300),
                picture("media/dot.png", "", 16),
                picture("media/3.png", "again", 300),
                picture("media/4.png", "A guard cell", 300),
            ],
        );
        let whole = read.clone();
        let taken = take_pictures("s/leaf.docx", &mut read);
        let names: Vec<_> = taken.iter().map(|picture| picture.name.as_str()).collect();
        assert_eq!(
            names,
            [
                "s/leaf.docx: media/1.png (The leaf)",
                "s/leaf.docx: media/2.png (图 2 气孔)",
                "s/leaf.docx: media/3.png (A guard cell)",
                "s/leaf.docx: media/4.png (A guard cell (2))",
            ]
        );
        assert_eq!(
            picture_bytes(whole)
                .get(&taken[2].sha256)
                .map(Vec::as_slice),
            Some(&b"media/3.png"[..])
        );
        assert_eq!(
            picture_bytes(read).get(&taken[2].sha256),
            None,
            "its bytes were taken out"
        );
    }

    #[test]
    fn a_caption_belongs_to_one_picture() {
        let of = |order: &str| -> Vec<Option<String>> {
            let blocks = order.chars().zip(1..).map(|(kind, number)| match kind {
                'P' => picture(&format!("{number}.png"), "", 300),
                _ => paragraph(&format!("Figure {number}")),
            });
            let read = document(SourceFormat::Docx, blocks.collect());
            let captions = captions(&read.blocks);
            let pictures = (0..order.len()).filter(|at| &order[*at..=*at] == "P");
            pictures
                .map(|at| shows(&read.blocks, at, captions.get(&at).copied()))
                .collect()
        };
        for (order, expected) in [
            ("PC", &[Some(2)][..]),
            ("CP", &[Some(1)]),
            ("PCP", &[Some(2), None]),
            ("PPC", &[None, Some(3)]),
            ("CPCP", &[Some(1), Some(3)]),
            ("PCPC", &[Some(2), Some(4)]),
            ("CPC", &[Some(3)]),
        ] {
            let expected = expected
                .iter()
                .map(|number| number.map(|number| format!("Figure {number}")));
            assert_eq!(of(order), expected.collect::<Vec<_>>(), "{order}");
        }
    }

    #[test]
    fn the_path_of_a_picture_is_short_however_long_the_name_of_its_document() {
        let mut read = document(SourceFormat::Docx, vec![picture("media/1.png", "", 300)]);
        let source = format!("sources/{}.docx", "叶".repeat(80));
        let taken = take_pictures(&source, &mut read);
        let path = taken[0].path(&source);
        assert!(
            path.len() < 120 && path.starts_with("pictures/叶叶"),
            "{path}"
        );
        let sha256 = taken[0].sha256.to_string();
        assert!(CarriedPicture::is_taken(&path, &sha256));
        assert!(!CarriedPicture::is_taken("pictures/mine-cafe.png", &sha256));
    }

    #[test]
    fn a_file_that_is_a_picture_is_one_however_small() {
        let mut read = document(SourceFormat::Picture, vec![picture("dot.png", "", 5)]);
        let taken = take_pictures("photos/dot.png", &mut read);
        assert_eq!(taken[0].name, "photos/dot.png");
        assert_eq!(taken[0].shows, "dot");
    }
}
