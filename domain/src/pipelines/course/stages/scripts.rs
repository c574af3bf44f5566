//! What stands on each page and what is said to it.

use serde_json::json;

use super::super::flow::PAGES;
use super::super::shape::{CourseConfig, Scripts, VideoOutline, schema};
use super::super::stage::{
    COURSE_CONFIG, REQUIREMENT_ANALYSIS, SEARCH_RESULT, SLIDE_SCRIPTS, VIDEO_OUTLINE,
};
use super::super::{ask, rules};
use crate::carry::{Carry, ModelTurn, NewArtifact, TurnResult, Work};

pub(crate) fn carry(work: &Work, turns: &[TurnResult]) -> Carry {
    let config: Result<CourseConfig, _> = work.read(COURSE_CONFIG);
    let outline: Result<VideoOutline, _> = work.read(VIDEO_OUTLINE);
    let (config, outline) = match (config, outline) {
        (Ok(config), Ok(outline)) => (config, outline),
        (Err(fail), _) | (_, Err(fail)) => return *fail,
    };
    let schema = schema::<Scripts>();
    let Some((model, answer)) = ask::answer(turns) else {
        let pages = config.expected_page_count;
        let vars = json!({
            "config": ask::text(&config),
            "outline": ask::text(&outline),
            "analysis": ask::text(&work.body(REQUIREMENT_ANALYSIS)),
            "pages": pages,
            "last_index": pages.saturating_sub(1),
            "slot_rules": spec::slot_rules(),
            "sources": ask::sources(work),
            "search": ask::text(&work.body(SEARCH_RESULT)),
        });
        return Carry::from(ModelTurn {
            schema: Some(("slide_scripts", schema)),
            ..ModelTurn::new(
                "writer",
                "course/generate_slide_scripts",
                ask::vars(work, vars),
                ask::LONG_ANSWER_TOKENS,
            )
        });
    };
    let Scripts { mut scripts } = match ask::read(answer, &schema) {
        Ok(scripts) => scripts,
        Err(found) => return Carry::Reject(found),
    };
    let found = rules::scripts(&scripts, config.expected_page_count);
    if !found.is_empty() {
        return Carry::Reject(found);
    }
    for script in &mut scripts {
        script.remarks = ask::signed(model, std::mem::take(&mut script.remarks));
    }
    let facts = json!({ PAGES: scripts.len() });
    let body = ask::json(&scripts);
    let made = ask::artifact(work, SLIDE_SCRIPTS, "art_slide_scripts_", body);
    Carry::from(NewArtifact { facts, ..made })
}
