//! PDF.
//!
//! `hayro-interpret` runs the pages, because it gives each glyph with its place, size, font and words, and panicked on none of 250 changed
//! files. `pdf_oxide` finds the same words with twice as many crates, and `pdf-extract` panics on every sixth file and knows no fonts. What
//! lines, columns, tables and paragraphs are is decided here, from the places of the glyphs.
//!
//! About its memory: a stream that is compressed with Flate is measured before the library sees it, the worst possible size is assumed for
//! a stream with other or more filters, and object streams under encryption are not measured. For pictures see `pictures`. Forms that draw
//! forms are counted as often as they are drawn, before a page is run. The library cannot be stopped while it runs a page, except by a
//! panic: so what ends the reading within a page is thrown through it.

mod blocks;
mod ending;
mod fonts;
mod furniture;
mod glyphs;
mod guard;
mod labels;
mod lines;
mod pictures;
mod segment;
mod tables;
mod weight;

#[cfg(test)]
mod tests;

use std::panic::{AssertUnwindSafe, catch_unwind};

use hayro_interpret::hayro_syntax::page::Page;
use hayro_interpret::hayro_syntax::{DecryptionError, LoadPdfError, Pdf};
use hayro_interpret::kurbo::{Affine, Rect};
use hayro_interpret::{Context, InterpreterCache, InterpreterSettings, interpret_page};
use spec::source::{Location, SourceDocument, SourceFormat};

use crate::gather::Gathering;
use crate::package::damaged;
use crate::{Reading, Unreadable};

use glyphs::Collector;
use pictures::Pictures;
use segment::PageText;

pub(crate) fn read(reading: &Reading<'_>) -> Result<SourceDocument, Unreadable> {
    guard::check_bytes(reading)?;
    let pdf = open(reading)?;
    guard::check_streams(&pdf, reading)?;
    let count = pdf.pages().len();
    if count == 0 {
        return Err(damaged(SourceFormat::Pdf, "it has no pages"));
    }
    let mut out = Gathering::new(reading);
    ending::say_damage(reading.bytes, &mut out);
    let mut pages = pages(&pdf, reading, &mut out)?;
    if pages.iter().all(PageText::is_blank) {
        return Err(Unreadable::Scanned { pages: count });
    }
    for page in pages.iter_mut().filter(|page| page.is_blank()) {
        // A scan, which is named as a whole.
        page.untaken += std::mem::take(&mut page.pictures).len();
    }
    say_what_is_missing(&pages, count, &mut out);
    let notes = furniture::take(&mut pages);
    out.extend(blocks::blocks(&mut pages, notes, reading)?);
    Ok(out.finish())
}

fn open(reading: &Reading<'_>) -> Result<Pdf, Unreadable> {
    Pdf::new(reading.bytes.to_vec()).map_err(|error| match error {
        LoadPdfError::Decryption(
            DecryptionError::PasswordProtected | DecryptionError::UnsupportedAlgorithm,
        ) => Unreadable::Encrypted {
            format: SourceFormat::Pdf.title(),
        },
        LoadPdfError::Decryption(
            DecryptionError::MissingIDEntry | DecryptionError::InvalidEncryption,
        ) => damaged(SourceFormat::Pdf, "its encryption is not well formed"),
        LoadPdfError::Invalid => damaged(SourceFormat::Pdf, "its objects cannot be found"),
    })
}

/// The text of each page, up to the limit of pages.
fn pages(
    pdf: &Pdf,
    reading: &Reading<'_>,
    out: &mut Gathering<'_, '_>,
) -> Result<Vec<PageText>, Unreadable> {
    let cache = InterpreterCache::new();
    let mut pictures = Pictures::new();
    let mut weights = weight::Weights::new(reading.limits.expanded_bytes);
    let mut chars = reading.limits.chars;
    let mut pages = Vec::new();
    for (index, page) in pdf.pages().iter().take(reading.limits.pages).enumerate() {
        reading.go_on()?;
        weights.add(page)?;
        // If the library fails on a page, the other pages must still be read.
        let run = || run(page, pdf, &cache, chars, &mut pictures, reading);
        let text = match catch_unwind(AssertUnwindSafe(run)) {
            Ok(text) => text,
            Err(panic) => {
                let panic = match panic.downcast::<Unreadable>() {
                    Ok(refusal) => return Err(*refusal),
                    Err(panic) => panic,
                };
                let cause = crate::panic_message(panic.as_ref());
                let at = Location::Page(index + 1);
                out.omit(at, "a page", format!("it is damaged: {cause}"));
                PageText::default()
            }
        };
        chars = chars.saturating_sub(text.chars);
        pages.push(text);
    }
    Ok(pages)
}

fn run<'a>(
    page: &Page<'a>,
    pdf: &'a Pdf,
    cache: &InterpreterCache<'a>,
    most_chars: usize,
    pictures: &mut Pictures,
    reading: &Reading<'_>,
) -> PageText {
    let transform = Affine::new(page.initial_transform(true).as_coeffs());
    let (width, height) = page.render_dimensions();
    let (width, height) = (f64::from(width), f64::from(height));
    let bounds = Rect::new(0.0, 0.0, width, height);
    let settings = InterpreterSettings::default();
    let mut context = Context::new(transform, bounds, cache, pdf.xref(), settings);
    let mut collector = Collector::new(height, most_chars, pictures, reading);
    interpret_page(page, &mut context, &mut collector);
    collector.finish()
}

fn say_what_is_missing(pages: &[PageText], count: usize, out: &mut Gathering<'_, '_>) {
    let limit = out.reading.limits.pages;
    if count > limit {
        let what = format!("{} pages after the first {limit}", count - limit);
        out.omit(
            Location::File,
            what,
            "more pages are not read; give a part of the file",
        );
    }
    let blank: Vec<usize> = (1..)
        .zip(pages)
        .filter(|(_, page)| page.is_blank() && page.drawn > 0)
        .map(|(number, _)| number)
        .collect();
    if let Some(first) = blank.first() {
        let what = format!("the pages without text: {}", ranges(&blank));
        let why = "they are pictures, as a scan has: run text recognition (OCR) over them";
        out.omit(Location::Page(*first), what, why);
    }
    let untaken: usize = pages.iter().map(|page| page.untaken).sum();
    if untaken > 0 {
        let what = format!("pictures: {untaken}");
        let why = "they are small, or of a kind that is not taken out of a PDF; give those that matter as files";
        out.omit(Location::File, what, why);
    }
    let unmapped: usize = pages.iter().map(|page| page.unmapped).sum();
    if unmapped > 0 {
        let what = format!("characters that cannot be told: {unmapped}");
        let why = "their fonts do not say which they are; give the file that the PDF was made from";
        out.omit(Location::File, what, why);
    }
    let beyond: usize = pages.iter().map(|page| page.beyond).sum();
    if beyond > 0 {
        let what = format!("{beyond} more characters");
        let why = format!(
            "at most {} characters are read; give a part of the file",
            out.reading.limits.chars
        );
        out.omit(Location::File, what, why);
    }
}

/// `1-3, 7`.
fn ranges(numbers: &[usize]) -> String {
    let mut runs: Vec<(usize, usize)> = Vec::new();
    for number in numbers {
        match runs.last_mut() {
            Some((_, last)) if *last + 1 == *number => *last = *number,
            Some(_) | None => runs.push((*number, *number)),
        }
    }
    let shown = runs.iter().map(|(first, last)| {
        if first == last {
            first.to_string()
        } else {
            format!("{first}-{last}")
        }
    });
    shown.collect::<Vec<_>>().join(", ")
}
