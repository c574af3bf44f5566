//! Pictures: what their first bytes say, without decoding a pixel; and the words of a drawing.

use spec::source::{
    BlockContent, EmbeddedPicture, Location, SourceDocument, SourceFormat, SourcePicture,
};

use super::html::{self, blocks_of};
use super::office::media;
use crate::gather::Gathering;
use crate::package::damaged;
use crate::{Reading, Unreadable, xml};

pub(super) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    let mut out = Gathering::new(reading);
    let embedded = avif(reading.bytes)
        .or_else(|| media::embedded(reading.bytes.to_vec()))
        .ok_or_else(|| damaged(SourceFormat::Picture, "its first bytes are of no picture"))?;
    let mut picture = SourcePicture {
        alt: String::new(),
        reference: reading.name.to_owned(),
        embedded: Some(embedded),
    };
    let is_drawing = picture
        .embedded
        .as_ref()
        .is_some_and(|embedded| embedded.media_type == "image/svg+xml");
    let mut blocks = Vec::new();
    if is_drawing {
        let text = html::closed(&xml::text(reading.bytes));
        let drawing = html::Drawing::of(&text, reading.limits)?;
        if let Some(embedded) = &mut picture.embedded {
            (embedded.width, embedded.height) = drawing.size;
        }
        picture.alt = drawing.title;
        let fragment = blocks_of(&text, reading.limits)?;
        for (what, why) in fragment.omissions {
            out.omit(Location::File, what, why);
        }
        blocks = fragment.blocks;
        // Pictures inside a drawing are part of the drawing.
        blocks.retain(|block| !matches!(block, BlockContent::Picture(_)));
    }
    out.push(Location::File, BlockContent::Picture(picture));
    for block in blocks {
        out.push(Location::File, block);
    }
    Ok(out.finish())
}

fn avif(bytes: &[u8]) -> Option<EmbeddedPicture> {
    let brand = bytes.get(4..12)?;
    if brand != b"ftypavif" && brand != b"ftypavis" {
        return None;
    }
    let size = imagesize::blob_size(bytes).ok();
    let pixels = |value: usize| u32::try_from(value).unwrap_or(0);
    Some(EmbeddedPicture {
        media_type: "image/avif".to_owned(),
        width: size.map_or(0, |size| pixels(size.width)),
        height: size.map_or(0, |size| pixels(size.height)),
        bytes: bytes.to_vec(),
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IntakeLimits;
    use crate::budget::ReadingBudget;

    fn blocks(bytes: &[u8]) -> Vec<BlockContent> {
        let reading = Reading {
            name: "a.svg",
            bytes,
            limits: &IntakeLimits::default(),
            stop: &|| false,
            budget: ReadingBudget::default(),
        };
        let document = read(&reading).unwrap();
        document
            .blocks
            .into_iter()
            .map(|block| block.content)
            .collect()
    }

    #[test]
    fn the_size_of_a_picture_is_read_from_its_header() {
        let gif = b"GIF89a\x05\x00\x07\x00\x00\x00\x00;";
        let blocks = blocks(gif);
        let [BlockContent::Picture(picture)] = blocks.as_slice() else {
            panic!("{blocks:?}");
        };
        let embedded = picture.embedded.as_ref().unwrap();
        assert_eq!((embedded.width, embedded.height), (5, 7));
        assert_eq!(embedded.media_type, "image/gif");
        assert_eq!(embedded.bytes, gif);
    }

    #[test]
    fn a_drawing_gives_its_words() {
        let svg = br#"<?xml version="1.0"?>
            <!DOCTYPE svg PUBLIC "-//W3C//DTD SVG 1.1//EN" "http://www.w3.org/Graphics/SVG/1.1/DTD/svg11.dtd">
            <svg xmlns="http://www.w3.org/2000/svg" width="120px" height="80.4"><title>A pump</title><style>a{}</style>
            <g><rect width="3" height="3"/><text x="1"><tspan x="1">Valve</tspan><tspan x="1" dy="9">7</tspan></text>
            <text>North</text></g></svg>"#;
        let blocks = blocks(svg);
        let [BlockContent::Picture(picture), rest @ ..] = blocks.as_slice() else {
            panic!("{blocks:?}");
        };
        assert_eq!(picture.alt, "A pump");
        let embedded = picture.embedded.as_ref().unwrap();
        assert_eq!((embedded.width, embedded.height), (120, 80));
        let words: Vec<String> = rest
            .iter()
            .map(|block| {
                let BlockContent::Paragraph(text) = block else {
                    panic!("{block:?}");
                };
                text.words()
            })
            .collect();
        assert_eq!(words, ["A pump", "Valve 7", "North"]);
    }
}
