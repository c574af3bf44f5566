//! What is wrong with pages, found by measuring their scenes: geometry, colours, text and completeness.
//!
//! The checks take a scene as every emitter takes it, so what they find is in every file that is made from it. They know
//! nothing of how a layout came to its boxes; a fault in a layout is found like a fault in a slide.

mod alignment;
mod amount;
mod bounds;
mod content;
mod contrast;
mod deck;
mod numbers;
mod overlap;
mod page;
mod spacing;
#[cfg(test)]
mod tests;
mod text;

use spec::{Finding, FindingCounts, LayoutReport, Theme};

pub use text::misfits;

use crate::DeckPage;
use crate::fonts::Fonts;
use crate::typeset::Typesetter;
use page::Checked;

/// Version of the checks; goes up when they would judge a page otherwise.
pub const CHECKS_VERSION: u32 = 4;
/// Most findings a report keeps, the first ones; a thousand pages of which each has ten faults are not read one by one.
const FINDINGS_MAX: usize = 10_000;

/// Checks a deck: each page by itself, and what only shows in all pages together. The counts are of all findings, also when
/// there are more than a report keeps.
#[must_use]
pub fn report(pages: &[DeckPage], theme: &Theme, fonts: &Fonts) -> LayoutReport {
    let mut findings = deck::duplicate_titles(pages);
    findings.extend(amount::nearly_empty(pages));
    for page in pages {
        findings.extend(unordered(page, theme, fonts));
    }
    order(&mut findings);
    let summary = FindingCounts::of(&findings);
    findings.truncate(FINDINGS_MAX);
    LayoutReport {
        checked: CHECKS_VERSION,
        pages: u32::try_from(pages.len()).unwrap_or(u32::MAX),
        summary,
        findings,
        adjustments: deck::adjustments(pages),
        fonts: deck::fonts(pages),
    }
}

/// Everything wrong with one page, the worst first.
#[must_use]
pub fn page_findings(page: &DeckPage, theme: &Theme, fonts: &Fonts) -> Vec<Finding> {
    let mut findings = unordered(page, theme, fonts);
    order(&mut findings);
    findings
}

fn unordered(page: &DeckPage, theme: &Theme, fonts: &Fonts) -> Vec<Finding> {
    let checked = Checked::new(page);
    let typesetter = Typesetter::new(fonts, theme, &page.context.language);
    let mut found = Vec::new();
    text::overflow(&checked, &typesetter, &mut found);
    text::small_type(&checked, &mut found);
    text::missing_glyphs(&checked, &mut found);
    text::undrawn_formulas(&checked, &mut found);
    overlap::overlap(&checked, &mut found);
    contrast::contrast(&checked, &mut found);
    alignment::alignment(&checked, &mut found);
    spacing::spacing(&checked, &mut found);
    amount::wall(&checked, &mut found);
    content::content_missing(&checked, &mut found);
    numbers::misread(&checked, &mut found);
    bounds::out_of_bounds(&checked, &mut found);
    found
}

/// Sorts findings in the order of a report; of equal findings one is kept.
fn order(findings: &mut Vec<Finding>) {
    findings.sort_by(|a, b| {
        let key = |f: &Finding| (f.slide, f.severity, f.category);
        key(a)
            .cmp(&key(b))
            .then_with(|| a.element.cmp(&b.element))
            .then_with(|| a.evidence.cmp(&b.evidence))
    });
    findings.dedup();
}
