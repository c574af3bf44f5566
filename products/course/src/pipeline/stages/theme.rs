//! Colours, fonts and masters; from the configuration, the outline and the wishes about the look, so that it can be made beside the
//! scripts.

use palimpsest::prelude::pipeline::{Carry, NewArtifact, TurnResult, Work};
use serde_json::json;

use super::super::shape::{
    CourseConfig, PresentationTheme, Remarks, RequirementAnalysis, VideoOutline,
};
use super::super::stage::{COURSE_CONFIG, REQUIREMENT_ANALYSIS, Stage, VIDEO_OUTLINE};
use super::super::{ask, given, rules, slide, tone, wanted};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: Result<CourseConfig, _> = work.read(COURSE_CONFIG);
    let outline: Result<VideoOutline, _> = work.read(VIDEO_OUTLINE);
    let (config, outline) = match (config, outline) {
        (Ok(config), Ok(outline)) => (config, outline),
        (Err(fail), _) | (_, Err(fail)) => return *fail,
    };
    if let Some(theme) = given::theme(work) {
        return Carry::from(as_given(work, theme));
    }
    let tones = tone::wanted(work);
    let schema = wanted::theme(work);
    let Some((model, answer)) = ask::answer(turns) else {
        let analysis: Option<RequirementAnalysis> = work.read(REQUIREMENT_ANALYSIS).ok();
        let vars = json!({
            "config": ask::json_text(&config),
            "outline_theme": outline.theme,
            "units": outline.knowledge_units.iter().map(|unit| unit.title.as_str()).collect::<Vec<_>>(),
            "style": analysis.map(|analysis| analysis.style).unwrap_or_default(),
            "tones": tones.iter().map(|tone| tone.name()).collect::<Vec<_>>(),
        });
        return Carry::from(
            Stage::Theme
                .turn(ask::vars(work, vars))
                .structured("presentation_theme", schema),
        );
    };
    let (mut theme, mut corrections): (PresentationTheme, _) =
        match ask::read(model, answer, &schema, |_| ()) {
            Ok(read) => read,
            Err(found) => return Carry::Reject(found),
        };
    corrections.extend(slide::put_theme_right(&mut theme.theme));
    let found = rules::theme(&theme.theme, &tones);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    theme.remarks = ask::signed(work, model, theme.remarks, &corrections);
    Carry::from(artifact(work, &theme))
}

/// No model is asked for a theme that a person chose.
fn as_given(work: &Work, theme: spec::Theme) -> NewArtifact {
    let note = if work.is_chinese() {
        "主题由用户指定，原样采用。"
    } else {
        "The theme was given and is used as it is."
    };
    let remarks = Remarks {
        author: None,
        notes: vec![note.to_owned()],
    };
    artifact(work, &PresentationTheme { theme, remarks })
}

fn artifact(work: &Work, theme: &PresentationTheme) -> NewArtifact {
    let body = ask::json(theme);
    ask::artifact(work, Stage::Theme, body)
}
