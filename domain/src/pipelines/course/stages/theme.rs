//! Colours, fonts and masters; from configuration and outline only, so that it can be made beside the scripts.

use serde_json::json;

use super::super::shape::{
    CourseConfig, PresentationTheme, RequirementAnalysis, VideoOutline, schema,
};
use super::super::stage::{COURSE_CONFIG, PRESENTATION_THEME, REQUIREMENT_ANALYSIS, VIDEO_OUTLINE};
use super::super::{ask, offline, rules, tone};
use crate::carry::{Carry, ModelTurn, Output, TurnResult, Work};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: Result<CourseConfig, _> = ask::input(work, COURSE_CONFIG);
    let outline: Result<VideoOutline, _> = ask::input(work, VIDEO_OUTLINE);
    let (config, outline) = match (config, outline) {
        (Ok(config), Ok(outline)) => (config, outline),
        (Err(fail), _) | (_, Err(fail)) => return *fail,
    };
    let tones = tone::wanted(work);
    let schema = schema::<PresentationTheme>();
    let Some((model, answer)) = ask::answer(turns) else {
        let analysis: Option<RequirementAnalysis> = ask::input(work, REQUIREMENT_ANALYSIS).ok();
        let vars = json!({
            "config": ask::text(&config),
            "outline_theme": outline.theme,
            "units": outline.knowledge_units.iter().map(|unit| unit.title.as_str()).collect::<Vec<_>>(),
            "style": analysis.map(|analysis| analysis.style).unwrap_or_default(),
            "tones": tones.iter().map(|tone| tone.name()).collect::<Vec<_>>(),
        });
        return Carry::Model(Box::new(ModelTurn {
            role: "designer",
            prompt: "course/generate_presentation_theme",
            vars: ask::vars(work, vars),
            schema: Some(("presentation_theme", schema)),
            max_output_tokens: ask::SHORT_ANSWER_TOKENS,
            offline: offline::theme,
        }));
    };
    let mut theme: PresentationTheme = match ask::read(answer, &schema) {
        Ok(theme) => theme,
        Err(found) => return Carry::Reject(found),
    };
    let found = rules::theme(&theme.theme, &tones);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    theme.remarks = ask::signed(model, theme.remarks);
    let body = ask::json(&theme);
    Carry::Done(vec![Output::Artifact(ask::artifact(
        work,
        PRESENTATION_THEME,
        "art_theme_",
        body,
    ))])
}
