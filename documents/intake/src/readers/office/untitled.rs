//! Slides without a title.

use spec::source::{BlockContent, Location, NoteKind, RichText, SourceBlock, SourceDocument};
use words::is_han;

/// The level of the title of a slide.
const LEVEL: u8 = 2;

/// Gives each slide without a title a heading with its number: otherwise its words would stand under the title of the slide before. The first
/// slide has none before it.
pub(in crate::readers) fn name_untitled(document: &mut SourceDocument) {
    let blocks = std::mem::take(&mut document.blocks);
    let is_chinese = blocks.iter().any(|block| match &block.content {
        BlockContent::Heading { text, .. } | BlockContent::Paragraph(text) => has_chinese(text),
        BlockContent::List(items) => items.iter().any(|item| has_chinese(&item.text)),
        BlockContent::Table(_)
        | BlockContent::Code { .. }
        | BlockContent::Formula(_)
        | BlockContent::Quotation(_)
        | BlockContent::Picture(_)
        | BlockContent::Note { .. } => false,
    });
    for slide in blocks.chunk_by(|one, other| one.location == other.location) {
        if let [
            SourceBlock {
                location: Location::Slide(number @ 2..),
                ..
            },
            ..,
        ] = slide
            && needs_title(slide)
        {
            let name = if is_chinese { "幻灯片" } else { "Slide" };
            document.blocks.push(SourceBlock {
                location: Location::Slide(*number),
                content: BlockContent::Heading {
                    level: LEVEL,
                    text: RichText::plain(format!("{name} {number}")),
                },
            });
        }
        document.blocks.extend_from_slice(slide);
    }
}

fn has_chinese(text: &RichText) -> bool {
    text.words().contains(is_han)
}

/// Whether a slide has content and no title.
fn needs_title(slide: &[SourceBlock]) -> bool {
    let has_title = slide
        .iter()
        .any(|block| matches!(block.content, BlockContent::Heading { .. }));
    let is_furniture = |block: &SourceBlock| {
        matches!(
            block.content,
            BlockContent::Note {
                kind: NoteKind::Furniture,
                ..
            }
        )
    };
    !has_title && !slide.iter().all(is_furniture)
}
