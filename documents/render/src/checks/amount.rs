//! How much text pages have that show words as a person or a source wrote them.

use spec::text::told;
use spec::{Finding, FindingCategory, Part, PassageBlock, Severity, SlideSpec, both};
use words::reading_words;

use super::page::{Checked, beginning};
use crate::DeckPage;
use crate::scene::as_px;

/// Most words of running text that one takes in while somebody speaks: about six lines of ten. Lists are read line by line.
const WALL_WORDS: f32 = 60.0;
/// Paragraphs that are shorter on average are read line by line, too: those of a dialogue or a poem.
const PARAGRAPH_WORDS: f32 = 20.0;
/// A page with fewer words than this share of its neighbour's, of one and the same passage, is nearly empty.
const NEARLY_EMPTY_SHARE: f32 = 0.2;
/// A neighbour with fewer words is not full.
const FULL_WORDS: f32 = 40.0;

/// A page whose paragraphs are more than one reads on it.
pub(super) fn wall(page: &Checked<'_>, found: &mut Vec<Finding>) {
    let Some(blocks) = running(&page.page.slide) else {
        return;
    };
    let paragraphs = blocks.into_iter().filter(|block| block.marker.is_none());
    let paragraphs: Vec<f32> = paragraphs.map(|block| reading_words(&block.text)).collect();
    let words: f32 = paragraphs.iter().sum();
    if words > WALL_WORDS && words >= PARAGRAPH_WORDS * as_px(paragraphs.len()) {
        found.push(page.finding(
            "page",
            FindingCategory::Spacing,
            Severity::Warning,
            both!(
                "这一页有约 {words:.0} 个词的连续文字，边听边读最多 {WALL_WORDS} 个词。" =>
                "The page has {words:.0} words of running text, {WALL_WORDS} is the most that is read while somebody speaks."
            ),
            both!("只显示关键的句子，其余口述" => "show the sentences that carry it, and say the rest"),
        ));
    }
}

/// Pages of one passage of which one is full and the other has a line or two.
pub(super) fn nearly_empty(pages: &[DeckPage]) -> Vec<Finding> {
    let of = |page: &DeckPage| {
        let blocks = running(&page.slide)?;
        let words = blocks.iter().map(|block| reading_words(&block.text));
        Some(words.sum::<f32>())
    };
    let mut found = vec![];
    for pair in pages.windows(2) {
        let [one, other] = pair else { continue };
        let is_same = one.slide.title() == other.slide.title();
        let (Some(before), Some(after)) = (of(one), of(other)) else {
            continue;
        };
        let (less, more, page) = match before < after {
            true => (before, after, one),
            false => (after, before, other),
        };
        if is_same && more >= FULL_WORDS && less < more * NEARLY_EMPTY_SHARE {
            let (language, said) = (&page.context.language, beginning(page.slide.title()));
            let evidence = both!(
                "{said}在这一页约有 {less:.0} 个词，相邻的一页约有 {more:.0} 个。" =>
                "{said} has {less:.0} words here and {more:.0} on the page beside it."
            );
            let fix = both!("把文字匀到两页，或合成一页" => "share the text out between them, or join them");
            found.push(Finding {
                slide: page.context.page_number,
                element: "page".to_owned(),
                category: FindingCategory::Spacing,
                severity: Severity::Warning,
                evidence: told(language, evidence),
                fix: told(language, fix),
            });
        }
    }
    found
}

/// The text of a page that is nothing but text.
fn running(slide: &SlideSpec) -> Option<Vec<&PassageBlock>> {
    if let SlideSpec::Passage { blocks, .. } = slide {
        return Some(blocks.iter().collect());
    }
    let SlideSpec::Composed { parts, .. } = slide else {
        return None;
    };
    let mut all = vec![];
    for part in parts {
        let Part::Text { blocks } = part else {
            return None;
        };
        all.extend(blocks);
    }
    Some(all)
}
