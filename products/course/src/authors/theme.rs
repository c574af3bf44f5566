//! The look: a built-in theme, with the colours that were asked for.

use super::own::THEME_CHOSEN;
use palimpsest::prelude::author::wishes::said;
use palimpsest::prelude::author::words::READING;
use palimpsest::prelude::pipeline::asking::json_of;
use palimpsest::prelude::pipeline::{OFFLINE, Work};
use serde::Deserialize;
use serde_json::{Value, json};
use spec::{ColorScheme, Theme};
use words::folded;

use crate::pipeline::remarks::on_feedback;
use crate::pipeline::shape::PresentationTheme;
use crate::pipeline::stage::PRESENTATION_THEME;
use crate::pipeline::tone;
use crate::pipeline::tone::Tone;

/// The earlier theme, unless another look is asked for; in that case a built-in theme with the tones that are named.
pub(crate) fn theme(work: &Work) -> Option<Value> {
    let before = work.previous(PRESENTATION_THEME);
    let before = before.and_then(|made| PresentationTheme::deserialize(made.body.as_ref()).ok());
    let before = before.map(|kept| kept.theme);
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    let names_one = !tone::named(feedback).is_empty() || spec::pick_theme(feedback).is_some();
    let is_other = !names_one && READING.has(&folded(feedback), "another look");
    let tones = tone::wanted(work);
    let theme = match before {
        Some(before) if is_other => next(&before),
        Some(before) if !names_one => Some(before),
        Some(_) | None => {
            let named: Vec<&str> = tones.iter().map(|tone| tone.name()).collect();
            // The last wish counts most; a wish that names no theme leaves the choice to the one before it.
            let hints = said(work).into_iter().rev().map(spec::pick_theme);
            spec::pick_theme(&named.join(" ")).or_else(|| hints.flatten().next())
        }
    };
    let mut theme = theme.unwrap_or_else(spec::default_theme);
    show(&mut theme.color_scheme, &tones);
    let named = || format!("{}{}", THEME_CHOSEN.of(work), theme.theme_name);
    let done = (is_other || names_one).then(named);
    let mut made = json_of(&theme);
    made["author"] = json!(OFFLINE);
    made["notes"] = json!(on_feedback(work, done));
    Some(made)
}

/// The built-in theme after this one.
fn next(theme: &Theme) -> Option<Theme> {
    let all = spec::builtin_themes();
    let is_it = |known: &Theme| known.theme_name == theme.theme_name;
    let at = all.iter().position(is_it);
    all.into_iter().cycle().nth(at.map_or(0, |at| at + 1))
}

/// Gives a scheme the tones it lacks: the page first, then colours that stand out on it.
fn show(scheme: &mut ColorScheme, tones: &[Tone]) {
    let missing = |tone: &&Tone| !tone.shows_in(scheme);
    let missing: Vec<Tone> = tones.iter().filter(missing).copied().collect();
    let is_ground = |tone: &Tone| matches!(tone, Tone::Dark | Tone::Light);
    let (grounds, colours): (Vec<_>, Vec<_>) = missing.into_iter().partition(is_ground);
    for tone in grounds {
        scheme.background = tone.sample().hex();
        let inks = ["#172133", "#eef2fa"];
        inks[usize::from(tone == Tone::Dark)].clone_into(&mut scheme.text);
    }
    let places = [
        &mut scheme.primary,
        &mut scheme.secondary,
        &mut scheme.accent,
    ];
    for (place, tone) in places.into_iter().zip(colours) {
        *place = tone.sample().hex();
    }
}
