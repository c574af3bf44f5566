//! The look: a built-in theme, with the colours that were asked for.

use domain::asking::json_of;
use domain::carry::Work;
use domain::pipelines::course::remarks::on_feedback;
use domain::pipelines::course::shape::{PresentationTheme, RequirementAnalysis, VideoOutline};
use domain::pipelines::course::stage::{REQUIREMENT_ANALYSIS, VIDEO_OUTLINE};
use domain::pipelines::course::tone::{self, Tone};
use serde_json::Value;

use super::words::say;

/// What asks for another look than the one there is, without saying which.
const ANOTHER: &[&str] = &[
    "换个主题",
    "换一个主题",
    "换主题",
    "换个风格",
    "换一个风格",
    "换一种风格",
    "换个配色",
    "换一套配色",
    "换一种配色",
    "换个颜色",
    "another theme",
    "different theme",
    "another style",
    "different style",
    "other colors",
    "other colours",
    "different colors",
    "different colours",
];

/// A built-in theme, with the tones that were asked for.
pub(crate) fn theme(work: &Work) -> Value {
    let words = super::words(work);
    let tones = tone::wanted(work);
    let feedback = work.guidance.feedback.as_deref().unwrap_or_default();
    let analysis: Option<RequirementAnalysis> = work.read(REQUIREMENT_ANALYSIS).ok();
    let (style, topic) = analysis.map_or_else(Default::default, |analysis| {
        (analysis.style, analysis.topic)
    });
    let outline = work
        .read(VIDEO_OUTLINE)
        .map(|outline: VideoOutline| outline.theme)
        .unwrap_or_default();
    let named: Vec<&str> = tones.iter().map(|tone| tone.name()).collect();
    // What was said last counts most; a hint that names nothing leaves it to the next one.
    let mut hints = vec![named.join(" ")];
    hints.extend(work.changes.iter().rev().map(|change| change.text.clone()));
    hints.extend([style, format!("{topic} {outline}")]);
    let picked = hints.iter().find_map(|hint| spec::pick_theme(hint));
    let mut theme = picked.unwrap_or_else(spec::default_theme);
    let others = others_wanted(work);
    if others > 0 {
        theme = other(&theme, others);
    }
    let missing: Vec<Tone> = tones
        .iter()
        .copied()
        .filter(|tone| !tone.shows_in(&theme.color_scheme))
        .collect();
    show(&mut theme, &missing);
    // Only what this change itself named has been done for it.
    let wanted = tone::named(feedback);
    let followed = if wanted.is_empty() {
        asks_for_another(feedback)
            || spec::pick_theme(feedback).is_some_and(|picked| picked == theme)
    } else {
        wanted.iter().any(|tone| tone.shows_in(&theme.color_scheme))
    };
    let name = theme.theme_name.clone();
    let done = followed.then(|| {
        say!(
            words,
            "已按意见选用主题“{name}”。",
            "Theme chosen accordingly: {name}."
        )
    });
    json_of(&PresentationTheme {
        theme,
        remarks: super::remarks(on_feedback(work, done)),
    })
}

/// How often another look was asked for since one was named.
fn others_wanted(work: &Work) -> usize {
    let texts = work.changes.iter().rev().map(|change| change.text.as_str());
    let since = texts.take_while(|text| !names_a_look(text));
    since.filter(|text| asks_for_another(text)).count()
}

fn names_a_look(text: &str) -> bool {
    !tone::named(text).is_empty() || spec::pick_theme(text).is_some()
}

fn asks_for_another(text: &str) -> bool {
    let text = text.to_lowercase();
    !names_a_look(&text) && ANOTHER.iter().any(|words| text.contains(words))
}

/// The built-in theme that comes so many after this one.
fn other(theme: &spec::Theme, steps: usize) -> spec::Theme {
    let mut all = spec::builtin_themes();
    let at = all
        .iter()
        .position(|known| known.theme_name == theme.theme_name)
        .unwrap_or(0);
    let next = (at + steps) % all.len();
    all.swap_remove(next)
}

/// Gives a theme the tones it lacks: the page first, then colours that stand out on it.
fn show(theme: &mut spec::Theme, missing: &[Tone]) {
    let scheme = &mut theme.color_scheme;
    for tone in missing
        .iter()
        .filter(|tone| matches!(tone, Tone::Dark | Tone::Light))
    {
        scheme.background = tone.sample().hex();
        let text = if *tone == Tone::Dark {
            spec::Rgb(0xee, 0xf2, 0xfa)
        } else {
            spec::Rgb(0x17, 0x21, 0x33)
        };
        scheme.text = text.hex();
    }
    let colours = missing
        .iter()
        .filter(|tone| !matches!(tone, Tone::Dark | Tone::Light));
    let places = [
        &mut scheme.primary,
        &mut scheme.secondary,
        &mut scheme.accent,
    ];
    for (place, tone) in places.into_iter().zip(colours) {
        *place = tone.sample().hex();
    }
}
