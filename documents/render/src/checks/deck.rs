//! What only shows in all pages together: titles, fonts, and what was changed.

use std::collections::BTreeMap;

use spec::text::told;
use spec::{
    Finding, FindingCategory, FontUse, LayoutChange, PageAdjustment, Severity, SlideSpec, both,
};

use super::page::beginning;
use crate::DeckPage;
use crate::fonts::{BLANK, FontChoice};
use crate::scene::texts_of;

/// Pages whose title an earlier page has. A section page and the first page after it may share one, and the last page may be called as the
/// first one is.
pub(super) fn duplicate_titles(pages: &[DeckPage]) -> Vec<Finding> {
    let mut first: BTreeMap<String, (usize, u32)> = BTreeMap::new();
    let mut found = Vec::new();
    for (at, page) in pages.iter().enumerate() {
        let title = normal(page.slide.title());
        if title.is_empty() {
            continue;
        }
        let number = page.context.page_number;
        match first.get(&title) {
            None => {
                first.insert(title, (at, number));
            }
            Some((before, _)) if opens(&pages[*before].slide) && before + 1 == at => {}
            Some((0, _)) if at + 1 == pages.len() && closes(&page.slide) => {}
            Some((_, earlier)) => {
                let (language, said) = (&page.context.language, beginning(page.slide.title()));
                let evidence = both!("{said}也是第 {earlier} 页的标题。" => "{said} is the title of page {earlier} as well.");
                let fix = both!("在标题中写出这一页的新内容" => "say in the title what is new on this page");
                found.push(Finding {
                    slide: number,
                    element: page
                        .slide
                        .slots()
                        .into_iter()
                        .find(|slot| slot.text == page.slide.title())
                        .map_or_else(|| "page".to_owned(), |slot| slot.path),
                    category: FindingCategory::DuplicateTitle,
                    severity: Severity::Warning,
                    evidence: told(language, evidence),
                    fix: told(language, fix),
                });
            }
        }
    }
    found
}

/// Whether a page only announces what follows.
fn opens(slide: &SlideSpec) -> bool {
    matches!(slide, SlideSpec::Section { .. })
}

/// Whether a page is the end of a deck.
fn closes(slide: &SlideSpec) -> bool {
    matches!(slide, SlideSpec::Closing { .. })
}

/// A title for comparing: case, space and bold marks aside.
fn normal(title: &str) -> String {
    spec::text::plain(title)
        .split_whitespace()
        .collect::<Vec<_>>()
        .join(" ")
        .to_lowercase()
}

pub(super) fn adjustments(pages: &[DeckPage]) -> Vec<PageAdjustment> {
    let mut changes = Vec::new();
    for page in pages {
        for change in &page.scene.adjustments {
            changes.push(PageAdjustment {
                slide: page.context.page_number,
                change: rounded(change),
            });
        }
    }
    changes
}

/// The change with its numbers rounded to two decimals.
fn rounded(change: &LayoutChange) -> LayoutChange {
    match change {
        LayoutChange::TypeSize { texts, from, to } => LayoutChange::TypeSize {
            texts: texts.clone(),
            from: hundredths(*from),
            to: hundredths(*to),
        },
        LayoutChange::Spacing { to } => LayoutChange::Spacing {
            to: hundredths(*to),
        },
        LayoutChange::Reflow { .. } | LayoutChange::Continued { .. } => change.clone(),
    }
}

/// A number rounded to two decimals: the digits after them come only from converting a single-precision number.
fn hundredths(value: f64) -> f64 {
    (value * 100.0).round() / 100.0
}

/// The families that the pages' texts are drawn in, each with a note if it stands in for a family of the theme.
pub(super) fn fonts(pages: &[DeckPage]) -> Vec<FontUse> {
    let mut used: BTreeMap<String, Option<String>> = BTreeMap::new();
    for page in pages {
        let fonts = &page.scene.fonts;
        for text in texts_of(&page.scene.nodes) {
            let choice = if text.display {
                &fonts.title
            } else {
                &fonts.body
            };
            for run in text.lines.iter().flat_map(|line| &line.runs) {
                let Some(family) = run.family.as_ref().filter(|name| ***name != *BLANK) else {
                    continue;
                };
                let note = used.entry(family.to_string()).or_default();
                if note.is_none() {
                    *note = stands_for(choice, family, &page.context.language);
                }
            }
        }
    }
    used.into_iter()
        .map(|(family, note)| FontUse { family, note })
        .collect()
}

/// Why `family` is drawn instead of the theme's family; `None` if it is the theme's own.
fn stands_for(choice: &FontChoice, family: &str, language: &str) -> Option<String> {
    let asked = choice.asked.trim();
    if asked.is_empty() || asked.eq_ignore_ascii_case(family) {
        None
    } else if choice.drawn.eq_ignore_ascii_case(asked) {
        let note = both!("用于 {asked} 没有的字符" => "for characters that {asked} does not have");
        Some(told(language, note))
    } else {
        let note = both!("代替 {asked}" => "in place of {asked}");
        Some(told(language, note))
    }
}
