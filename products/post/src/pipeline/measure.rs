//! What can be measured of a post: what the platform accepts, and how long texts are.

use palimpsest::prelude::pipeline::event::Body;
use palimpsest::prelude::pipeline::{Input, Work};
use serde_json::Value;
use spec::limits;

use super::card::sentences;
use super::platform::Shown;
use super::shape::{PostContent, PostImagePlan};
use super::stage::IMAGE;
use super::{ask, platform, wording};

/// How much one finding of the platform about the text lowers the score. A single finding brings it below the threshold, since the platform
/// rejects a text with one.
const TEXT_FINDING: f64 = 0.4;
/// How much one finding about the pictures lowers the score, and how much all of them together can: another text would not correct them.
const PICTURE_FINDING: f64 = 0.1;
const PICTURE_FINDINGS_MAX: f64 = 0.3;

/// A paragraph that a telephone shows without scrolling, in characters; wide ones count two.
const PARAGRAPH_UNITS: usize = 320;
/// A sentence that is read at once, in the same units.
const SENTENCE_UNITS: usize = 140;
/// How much a paragraph, a sentence, or a text on a picture that is too long lowers the score.
const LONG_PARAGRAPH: f64 = 0.15;
const LONG_SENTENCE: f64 = 0.05;
const LONG_OVERLAY: f64 = 0.1;

/// The answer that wants a text reviewed although there are no pictures.
const TEXT_ONLY: &str = "text_only_review";

/// How well the post suits the platform, and what the platform says.
pub(super) fn platform_fit(work: &Work, content: &PostContent) -> (f64, Vec<String>) {
    let (title, body, tags) = (&content.title, &content.body, &content.tags);
    let text = platform::check_content(title, body, tags).len()
        + wording::forbidden(title, body, tags).len();
    let mut findings = platform::check(title, body, tags, &shown(work)).findings;
    let no_pictures = images(work).next().is_none();
    let text_only = ask::heard(work).iter().any(|heard| heard.chose(TEXT_ONLY));
    if no_pictures && text_only {
        // The person decided to have no pictures, so findings about pictures do not count.
        findings.truncate(text);
    }
    let pictures = findings.len().saturating_sub(text) as f64 * PICTURE_FINDING;
    let off = text as f64 * TEXT_FINDING + pictures.min(PICTURE_FINDINGS_MAX);
    (rounded(1.0 - off), findings)
}

/// The pictures of the post.
pub(super) fn images(work: &Work) -> impl Iterator<Item = &Input> {
    work.inputs.get(IMAGE).into_iter().flatten()
}

fn shown(work: &Work) -> Vec<Shown> {
    let number = |value: &Value| value.as_u64().and_then(|n| u32::try_from(n).ok());
    let shown = images(work).map(|image| {
        let facts = &image.artifact.facts;
        Shown {
            task: number(&facts["sequence"]).map_or(0, |sequence| sequence + 1),
            width: number(&facts["width"]).unwrap_or_default(),
            height: number(&facts["height"]).unwrap_or_default(),
            bytes: match &image.artifact.body {
                Body::Blob { blob, .. } => blob.size,
                Body::Event { .. } => 0,
            },
        }
    });
    shown.collect()
}

/// How readable the text is as far as lengths tell, and how many things are too long.
pub(super) fn readability(content: &PostContent, plan: Option<&PostImagePlan>) -> (f64, usize) {
    let paragraphs = content.body.split("\n\n").flat_map(str::lines);
    let long_paragraphs = paragraphs
        .filter(|text| platform::units(text) > PARAGRAPH_UNITS)
        .count();
    let long_sentences = sentences(&content.body)
        .iter()
        .filter(|text| platform::units(text) > SENTENCE_UNITS)
        .count();
    let overlays = plan.map_or(&[][..], |plan| &plan.text_overlay_plan);
    let too_wide = |text: &Option<String>, most: u32| {
        let em = text.as_deref().map_or(0.0, spec::text::em_width);
        f64::from(em) > f64::from(most)
    };
    let long_overlays = overlays
        .iter()
        .filter(|overlay| {
            too_wide(&overlay.title_text, limits::CARD_TITLE_EM)
                || too_wide(&overlay.body_text, limits::CARD_POINT_EM)
        })
        .count();
    let off = long_paragraphs as f64 * LONG_PARAGRAPH
        + long_sentences as f64 * LONG_SENTENCE
        + long_overlays as f64 * LONG_OVERLAY;
    (
        rounded(1.0 - off),
        long_paragraphs + long_sentences + long_overlays,
    )
}

/// Scores are read by people: two places.
pub(super) fn rounded(score: f64) -> f64 {
    (score.clamp(0.0, 1.0) * 100.0).round() / 100.0
}
