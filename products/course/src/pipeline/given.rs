//! A theme that a person gave: whole, or by the name of a built-in style. It is used as it is.

use palimpsest::prelude::pipeline::{Change, Violation, Work, schema};
use serde::{Deserialize, Serialize};
use serde_json::Value;
use spec::Theme;

use super::shape::{CourseInput, schema};
use super::stage::Stage;
use super::tone;

/// A look, whole or by name.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, schemars::JsonSchema)]
#[serde(untagged)]
pub(crate) enum ThemeInput {
    /// The name of a built-in style.
    Named(String),
    /// A `presentation_theme` as an artifact has it.
    Whole(Box<Theme>),
}

impl ThemeInput {
    fn theme(self) -> Option<Theme> {
        match self {
            Self::Named(name) => spec::builtin_named(&name),
            Self::Whole(theme) => Some(*theme),
        }
    }
}

/// What is wrong with a given theme, in words for the person who gave it.
pub(super) fn check(given: &Value) -> Vec<Violation> {
    if let Some(name) = given.as_str() {
        if spec::builtin_named(name).is_some() {
            return vec![];
        }
        let says = format!(
            "`{name}` is no built-in style; these are: {}. A theme of your own is given whole",
            spec::builtin_names().join(", ")
        );
        return vec![Violation::new("/theme", says)];
    }
    let at = |path: &str, message: String| Violation::new(format!("/theme{path}"), message);
    let found = schema::violations(&schema::<Theme>(), given);
    if !found.is_empty() {
        return found.into_iter().map(|v| at(&v.path, v.message)).collect();
    }
    match Theme::deserialize(given) {
        Ok(theme) => {
            let found = theme.check().into_iter();
            found.map(|v| at(&v.path, v.message)).collect()
        }
        Err(error) => vec![at("", format!("is no theme: {error}"))],
    }
}

/// The theme that was given last, unless something else was wanted of the look since then.
pub(super) fn theme(work: &Work) -> Option<Theme> {
    let mut theme = of(&work.input);
    for change in &work.changes {
        let given = of(&change.input);
        if given.is_some() || changes_the_look(change) {
            theme = given;
        }
    }
    theme
}

fn of(input: &Value) -> Option<Theme> {
    let input = CourseInput::deserialize(input).ok()?;
    input.theme?.theme()
}

/// Whether a change is about the look: it refers to the theme; or it refers to an earlier stage, or to none that is known, and names a
/// colour tone as well.
fn changes_the_look(change: &Change) -> bool {
    let stages = change.stages.iter();
    let stage = stages.filter_map(|stage| Stage::named(stage)).min();
    let is_early = stage.is_none_or(|stage| stage < Stage::Theme);
    let style = CourseInput::deserialize(&change.input)
        .ok()
        .and_then(|input| input.style);
    let texts = [Some(change.text.as_str()), style.as_deref()];
    let names_tone = || {
        texts
            .into_iter()
            .flatten()
            .any(|text| !tone::named(text).is_empty())
    };
    stage == Some(Stage::Theme) || (is_early && names_tone())
}
